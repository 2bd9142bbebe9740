//! Questions that refer to earlier ones, and how they are filled in.

use ask::{Account, Exchange, Follow, Host, Question, World};
use proptest::prelude::*;
use std::collections::BTreeSet;

fn set(all: &[&str]) -> BTreeSet<String> {
    all.iter().map(|it| (*it).to_owned()).collect()
}

/// Returns two hosts. The first has two accounts of people and the guest.
fn world() -> World {
    let account = |name: &str, rid: u32, host: &str| Account {
        names: set(&[name]),
        sid: Some(format!("s-1-5-21-1-2-3-{rid}")),
        hosts: set(&[host]),
    };
    World {
        hosts: vec![
            Host { label: "host-7".to_owned(), names: set(&["HOST-7"]) },
            Host { label: "host-8".to_owned(), names: set(&["HOST-8"]) },
        ],
        accounts: vec![
            account("alice", 1001, "host-7"),
            account("bob", 1002, "host-7"),
            account("guest", 501, "host-7"),
            account("carol", 1001, "host-8"),
        ],
        ..World::default()
    }
}

fn read(text: &str) -> Question {
    ask::question(text).unwrap()
}

fn follow(text: &str, before: &[Exchange], world: &World) -> Follow {
    ask::follow(&read(text), before, world)
}

fn exchange(question: &str) -> Exchange {
    Exchange {
        question: read(question),
        topic: read(question).topics().next().map(|topic| topic.id.as_str()),
        evidence: set(&["host-7"]),
        first: Some("2025-09-16T09:44:03.5Z".to_owned()),
        last: Some("2025-09-17T00:00:00Z".to_owned()),
    }
}

fn after(question: &str, text: &str) -> Follow {
    follow(text, &[exchange(question)], &world())
}

#[test]
fn it_and_there_that_stand_for_nothing_are_no_pronouns() {
    for text in [
        "Welche geplanten Aufgaben gibt es?",
        "Are there any USB sticks?",
        "Is it true that the log was cleared?",
    ] {
        assert_eq!(after("When was setup.exe run on HOST-7?", text), Follow::Whole, "{text}");
    }
    let run = "When was setup.exe run on HOST-7?";
    assert_eq!(after(run, "Who ran it?"), Follow::Filled("Who ran setup.exe?".to_owned()));
}

#[test]
fn what_a_question_leaves_out_is_filled_from_the_last_one() {
    for (before, text, expected) in [
        ("When did alice log on?", "no, the other user", "When did bob log on?"),
        (
            "Wann hat alice setup.exe gestartet?",
            "nein, der andere Benutzer",
            "Wann hat bob setup.exe gestartet?",
        ),
        ("When did alice log on?", "and bob?", "When did bob log on?"),
        ("When did alice log on to HOST-7?", "and on HOST-8?", "When did alice log on to HOST-8?"),
        ("When did alice log on?", "and on the other host?", "When did alice log on on host-8"),
        (
            "Welche Dienste gibt es auf HOST-7?",
            "und auf dem anderen Rechner?",
            "Welche Dienste gibt es auf host-8?",
        ),
        ("When was setup.exe run?", "and tool.exe?", "When was tool.exe run?"),
        ("When was setup.exe run?", "what about \"two words.exe\"", "When was \"two words.exe\" run?"),
        (
            "When was setup.exe first run?",
            "and before that?",
            "When was setup.exe run before 2025-09-16T09:44:03",
        ),
        (
            "When was setup.exe run for the first time?",
            "and before that?",
            "When was setup.exe run before 2025-09-16T09:44:03",
        ),
        (
            "Wann wurde setup.exe gestartet?",
            "und davor?",
            "Wann wurde setup.exe gestartet before 2025-09-16T09:44:03",
        ),
        ("When was setup.exe run?", "and after that?", "When was setup.exe run after 2025-09-17T00:00:00"),
        ("Who logged on on 2025-09-16?", "and on 2025-09-17?", "Who logged on on 2025-09-17"),
        ("Who logged on on 2025-09-16?", "before that", "Who logged on before 2025-09-16T09:44:03"),
        ("Was setup.exe run?", "and when?", "when: Was setup.exe run?"),
        ("When was setup.exe run?", "and the last time?", "the last time: When was setup.exe run?"),
        ("When did alice log on?", "which programs did she run?", "which programs did alice run?"),
        ("When did alice log on?", "and what is in her recycle bin?", "what is in alice recycle bin?"),
    ] {
        assert_eq!(after(before, text), Follow::Filled(expected.to_owned()), "{before} / {text}");
    }
}

#[test]
fn an_earlier_exchange_counts_where_the_last_one_does_not_say() {
    let quiet = |question: &str| Exchange { first: None, last: None, ..exchange(question) };
    let asked = |lines: &[Exchange], text: &str| follow(text, lines, &world());
    let lines = [exchange("When was setup.exe run?"), quiet("Was the System log cleared?")];
    let earlier = Follow::Filled("When was setup.exe run before 2025-09-16T09:44:03".to_owned());
    assert_eq!(asked(&lines, "and before that?"), earlier);
    let lines = [exchange("When did alice log on?"), quiet("Was the System log cleared?")];
    assert_eq!(
        asked(&lines, "which programs did she run?"),
        Follow::Filled("which programs did alice run?".to_owned())
    );
    let both = [exchange("When did alice and bob log on?")];
    assert_eq!(asked(&both, "which programs did she run?"), Follow::Whole);
    // Older exchanges are forgotten.
    let mut lines = vec![exchange("When was setup.exe run?")];
    lines.extend((0..5).map(|_| quiet("Was the System log cleared?")));
    assert!(matches!(asked(&lines, "and before that?"), Follow::Lacks(_)));
}

#[test]
fn a_whole_question_is_taken_as_it_is() {
    for text in [
        "Which USB sticks were attached?",
        "and which USB sticks were attached?",
        "Was the System event log cleared?",
        "Welche geplanten Aufgaben gibt es?",
        "lorem ipsum dolor",
        "谁登录了这台电脑？",
        "",
    ] {
        assert_eq!(after("When did alice log on?", text), Follow::Whole, "{text}");
        assert_eq!(follow(text, &[], &world()), Follow::Whole, "{text}");
    }
}

#[test]
fn a_short_reaction_is_no_question() {
    for text in ["no", "No!", "nein", "damn", "so ein Mist", "thanks"] {
        assert_eq!(after("When did alice log on?", text), Follow::Reaction, "{text}");
        assert_eq!(follow(text, &[], &world()), Follow::Reaction, "{text}");
    }
    for text in ["wrong", "falsch", "nein, falsch", "that is wrong", "quatsch!!"] {
        assert_eq!(after("When did alice log on?", text), Follow::Wrong, "{text}");
        assert_eq!(follow(text, &[], &world()), Follow::Reaction, "{text}");
    }
}

#[test]
fn a_reading_that_is_wrong_is_left_out() {
    let question = read("When did alice log on?");
    let first = question.topics().next().unwrap();
    let other = question.without(&BTreeSet::from([first.id.as_str()]));
    assert!(other.topics().all(|topic| topic.id != first.id));
    assert_eq!((other.topics().count() + 1, other.text()), (question.topics().count(), question.text()));
}

#[test]
fn where_several_are_meant_it_is_asked_which_and_where_none_is_that_is_said() {
    let Follow::Either { question, choices } = after("Which accounts logged on?", "the other user?") else {
        panic!("two accounts are there");
    };
    assert_eq!(question, "Which account: alice, bob?");
    assert_eq!(choices.len(), 2);
    let before = [exchange("When did carol log on?")];
    let lacks = follow("the other user", &before, &world());
    assert!(matches!(lacks, Follow::Lacks(_)), "{lacks:?}");
    let without_time = Exchange { first: None, last: None, ..exchange("Was setup.exe run?") };
    assert!(matches!(follow("and before that?", &[without_time], &world()), Follow::Lacks(_)));
}

#[test]
fn what_can_be_read_in_two_ways_has_a_first_reading_and_can_be_completed() {
    let first = |text: &str| ask::first_reading(&read(text));
    assert_eq!(
        first("Was setup.exe run on 03/04/2025?").as_deref(),
        Some("Was setup.exe run on 2025-04-03?")
    );
    assert_eq!(first("Was setup.exe run after the log was cleared?").as_deref(), Some("Was setup.exe run"));
    assert_eq!(first("When was setup.exe run?"), None);
    let whole = |text: &str, reply: &str| ask::completed(&read(text), &read(reply));
    assert_eq!(whole("Was setup.exe run on 03/04/2025?", "2025-03-04"), "Was setup.exe run on 2025-03-04");
    assert_eq!(
        whole("Was setup.exe run after the log was cleared?", "after 2025-09-16"),
        "Was setup.exe run after 2025-09-16"
    );
    let other = "Which USB sticks were attached?";
    assert_eq!(whole("lorem ipsum", other), other);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]

    #[test]
    fn no_line_breaks_it(before in "\\PC{0,120}", text in "\\PC{0,120}", long in 1usize..40) {
        let lines = [exchange(&before), exchange(&before.repeat(long))];
        for text in [text.clone(), text.repeat(long), format!("and {text}?"), format!("no, {text} 03/04/2025")] {
            follow(&text, &lines, &world());
            ask::first_reading(&read(&text));
            ask::completed(&read(&before), &read(&text));
        }
    }
}

#[test]
fn words_that_change_a_question_and_are_not_worked_out_are_never_ignored() {
    for text in [
        "Did alice or bob run calc.exe?",
        "Hat alice oder bob calc.exe ausgeführt?",
        "Was the Security log cleared before or after 2025-09-16?",
        "Did only alice run calc.exe?",
        "Hat nur alice calc.exe ausgeführt?",
        "Did alice run anything other than calc.exe?",
        "Was *.exe run?",
        "Was %.exe run?",
    ] {
        let answer = ask::decide(&read(text), &[], &[], &world());
        assert_eq!(answer.verdict, ask::Verdict::NotDeterminable(ask::Reason::Ambiguous), "{text}");
        assert!(answer.notes.iter().any(|note| note.contains("understood")), "{text}: {answer:?}");
    }
    for text in ["Did any user or service log on?", "Which logons were there?", "Was calc.exe run by alice?"]
    {
        let answer = ask::decide(&read(text), &[], &[], &world());
        assert!(!answer.notes.iter().any(|note| note.contains("is not understood")), "{text}: {answer:?}");
    }
}
