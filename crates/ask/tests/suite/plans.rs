//! How questions are read: topic, what is wanted, names and span.

use ask::{Order, Question, Wants, question};
use proptest::prelude::*;

/// Abbreviates what is wanted: Yes or no, Time, Who, From, By, Count.
fn letters(wants: Wants) -> String {
    let Wants { yes_or_no, time, who, from, by, count, number: _, most: _ } = wants;
    let all = [(yes_or_no, 'y'), (time, 't'), (who, 'w'), (from, 'f'), (by, 'b'), (count, 'c')];
    all.into_iter().filter(|it| it.0).map(|it| it.1).collect()
}

fn names(question: &Question) -> Vec<String> {
    question.names(0).iter().map(|name| name.text.clone()).collect()
}

#[test]
fn questions_are_read_as_they_are_meant() {
    for (text, topic, wanted, named) in [
        ("When was setup.exe first run?", "program_run", "t", vec!["setup.exe"]),
        ("WHEN WAS SETUP.EXE FIRST RUN", "program_run", "t", vec!["SETUP.EXE"]),
        ("wann wurde setup.exe gestartet", "program_run", "t", vec!["setup.exe"]),
        ("How often did alice start the calculator?", "program_run", "c", vec!["alice", "calculator"]),
        ("usb sticks alice?", "usb", "", vec!["alice"]),
        ("From which IP address did alice log on to HOST-7?", "logon", "f", vec!["alice", "HOST-7"]),
        ("Who created the account bob?", "account_created", "w", vec!["bob"]),
        ("Which accout created the user bob?", "account_created", "w", vec!["bob"]),
        ("Failed logons on HOST-7?", "failed_logon", "", vec!["HOST-7"]),
        ("Was the System event log cleared?", "log_cleared", "y", vec!["System event log"]),
        ("Welche geplanten Aufgaben gibt es?", "task", "", vec![]),
        ("what is in bob's recycle bin", "recycled", "", vec!["bob"]),
        ("Is bob a local administrator?", "group_member", "y", vec!["bob", "administrator"]),
        ("Is Remote Desktop enabled?", "remote_desktop_allowed", "y", vec![]),
        ("SHA-256 of setup.exe?", "hash", "", vec!["setup.exe"]),
        ("Which processes were running when the image was taken?", "memory", "", vec![]),
        ("What is the time zone of HOST-7?", "time_zone", "", vec!["HOST-7"]),
        ("When was x.exe modified according to the shimcache?", "shim_cache", "t", vec!["x.exe"]),
        ("Which pdf files did alice open?", "opened", "", vec!["pdf", "alice"]),
        ("Which program was run most often?", "program_run", "c", vec![]),
        ("Who disabled the account bob?", "account_changed", "w", vec!["disabled", "bob"]),
        ("By whom was the account bob disabled?", "account_changed", "w", vec!["bob", "disabled"]),
        ("Which account disabled carol?", "account_changed", "w", vec!["disabled", "carol"]),
        ("Welche Konten sind deaktiviert?", "account_state", "", vec![]),
        ("Was a user account deleted?", "account_deleted", "y", vec![]),
        ("When did Defender flag powercat first?", "defender", "t", vec!["powercat"]),
        ("When was Firefox last in use?", "program_used", "t", vec!["Firefox"]),
        ("When was Dropbox last active?", "program_active", "t", vec!["Dropbox"]),
        ("Which build and service pack is installed", "os", "", vec![]),
        ("Count the prefetch files in the MFT", "prefetch_list", "c", vec![]),
        ("Was powershell.exe executed by scanner7?", "program_run", "y", vec!["powershell.exe", "scanner7"]),
        ("When does the Security log start?", "event_logs", "t", vec!["Security log"]),
        ("Hat der Defender etwas gefunden?", "defender", "y", vec![]),
        ("Which services run at startup?", "service", "", vec!["at startup"]),
        ("From which IP address did someone connect by RDP?", "remote_logon", "f", vec![]),
        ("When was the SanDisk last removed?", "usb_removed", "t", vec!["SanDisk"]),
        ("Which folders on drive F: were browsed?", "folder_browsed", "", vec!["F:"]),
        ("Who used the account after 8:26 pm on 2022-03-10?", "program_used", "w", vec![]),
        (
            "Which files were deleted from \"C:\\Program Files\\X\"?",
            "deleted",
            "",
            vec!["C:\\Program Files\\X"],
        ),
    ] {
        let read = question(text).unwrap();
        let found = read.topics().next().map(|topic| topic.id.as_str());
        assert_eq!(
            (found, letters(read.wants), names(&read)),
            (Some(topic), wanted.to_owned(), named.iter().map(|it| (*it).to_owned()).collect()),
            "{text}"
        );
    }
}

#[test]
fn first_and_last_and_spans_are_told_apart() {
    for (text, order, from) in [
        ("When was setup.exe run for the first time?", Some(Order::First), None),
        ("last run of notepad", Some(Order::Last), None),
        ("Which program was run most recently?", Some(Order::Last), None),
        ("Wann wurde setup.exe zuletzt gestartet?", Some(Order::Last), None),
        ("Which programs ran on 4 April 2012?", None, Some("2012-04-04")),
        ("Which programs ran on 5 March 2022?", None, Some("2022-03-05")),
        ("When did Defender flag powercat first?", Some(Order::First), None),
    ] {
        let read = question(text).unwrap();
        assert_eq!((read.order, read.span.and_then(|span| span.from).as_deref()), (order, from), "{text}");
    }
}

#[test]
fn what_nobody_can_read_has_no_topic() {
    for text in ["", "?", "谁登录了这台电脑？", "lorem ipsum dolor", "\u{0}\u{1b}[31m"] {
        assert_eq!(question(text).unwrap().topics().count(), 0, "{text:?}");
    }
}

proptest! {
    #[test]
    fn no_question_breaks_the_reader(text in "\\PC{0,300}", times in 1usize..200) {
        let long = text.repeat(times);
        for text in [&text, &long] {
            let read = question(text).unwrap();
            let looks = ask::looks(&read, &ask::World::default());
            for look in &looks {
                // No input can end a string literal of a statement.
                prop_assert_eq!(look.sql.matches('\'').count() % 2, 0, "{}", look.sql);
            }
            ask::decide(&read, &looks, &[], &ask::World::default());
        }
    }

    #[test]
    fn words_in_any_order_are_read(words in proptest::collection::vec(proptest::sample::select(vec![
        "when", "was", "who", "\"", "'", "%'; --", "setup.exe", "between", "2022-03-10", "20:26", "and", "on", "run", "deleted", "logged",
        "in", "besides", "first", "last", "how", "often", "E:", "\\", "C:\\", "S-1-5-21-1", "谁", "’s", "„", "13/13/2022", "after",
    ]), 0..40)) {
        let read = question(&words.join(" ")).unwrap();
        let looks = ask::looks(&read, &ask::World::default());
        for look in &looks {
            prop_assert_eq!(look.sql.matches('\'').count() % 2, 0, "{}", look.sql);
        }
        ask::decide(&read, &looks, &[], &ask::World::default());
    }
}
