//! A story in a whole run: told, verified, reported and replayed. Every forgery of it that contradicts the log
//! is found.

use crate::support::{Logged, Place, absences, facts, invocations, rechained, script, str};
use app::{Level, Standing};
use ledger::event::ClaimRejected;
use ledger::{Behaviour, Chapter, Claim, Event, NodeId, Rules, Time};
use serde_json::json;
use std::path::PathBuf;
use testkit::scripted::calls;

/// A run whose agent tells a fact and an absence; an invented id and a field that its fact lacks are refused.
fn told(place: &Place) -> PathBuf {
    let hive = "p1/Windows/System32/config/SYSTEM";
    let key = r"ControlSet001\Control\ComputerName\ComputerName";
    let script = script(vec![
        Box::new(move |_| {
            let search = ("find_files", json!({"name": "no-such-thing.xyz"}));
            calls(1, &[("parse_registry_key", json!({"hive": hive, "key": key})), search])
        }),
        Box::new(move |request| {
            let [key, search] = [0, 1].map(|at| invocations(request)[at].clone());
            let reading = json!({"predicate": "configured", "values": {"name": "ComputerName", "data": "ALDER-07"},
                "invocation": key});
            let absence = json!({"form": "file", "name": "no-such-thing.xyz", "searches": [search]});
            calls(2, &[("record_phenomenon", json!({"readings": [reading]})), ("record_absence", absence)])
        }),
        Box::new(move |request| {
            let (fact, absence) = (facts(request)[0].clone(), absences(request)[0].clone());
            let statements = json!([
                {"node": fact, "fields": ["data"], "comment": "This is ALDER-07, or BIRCH-09. Das ist er."},
                {"fact": "fact-00000000"},
                {"fact": fact, "fields": ["data was MALLORY-07"]},
                {"absence": absence, "chapter": "removed"},
            ]);
            calls(3, &[("tell", json!({ "statements": statements }))])
        }),
    ]);
    let request = place.request(Rules::default(), vec![("examiner", script)]);
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
    runtime.block_on(app::run(request)).unwrap().folder
}

/// Changes the first accepted statement.
fn statement(log: &mut Logged, change: impl Fn(&mut ledger::StatementEntry)) {
    let told = log.iter_mut().find_map(|(_, event, _)| match event {
        Event::StatementTold(told) => Some(&mut told.statement),
        _ => None,
    });
    change(told.unwrap());
}

/// Changes the claim of the first statement.
fn claimed(log: &mut Logged, change: impl Fn(&mut ledger::StatementClaim)) {
    let claim = log.iter_mut().find_map(|(_, event, _)| match event {
        Event::ClaimSubmitted(submitted) => match &mut submitted.stated {
            Claim::Statement(claim) => Some(claim),
            _ => None,
        },
        _ => None,
    });
    change(claim.unwrap());
}

fn absence(log: &Logged) -> NodeId {
    let found = log.iter().find_map(|(_, event, _)| match event {
        Event::AbsenceAccepted(it) => Some(NodeId::Absence(it.absence.id)),
        _ => None,
    });
    found.unwrap()
}

type Forgery = (&'static str, fn(&mut Logged), &'static str);

/// The forgery's name, the change, and what `verify` says about it.
const FORGERIES: &[Forgery] = &[
    (
        "another node",
        |log| {
            let other = absence(log);
            statement(log, |it| (it.node, it.fields) = (other, Vec::new()));
        },
        "it tells another node than its claim names",
    ),
    (
        "another node that was claimed",
        |log| {
            let other = absence(log);
            claimed(log, |it| (it.node, it.fields) = (other.to_string(), Vec::new()));
            statement(log, |it| (it.node, it.fields, it.time, it.dated_by) = (other, Vec::new(), None, None));
        },
        "not what its call states",
    ),
    (
        "a node that nobody knew",
        |log| {
            let other = NodeId::Fact("fact-0badcafe".parse().unwrap());
            claimed(log, |it| it.node = other.to_string());
            statement(log, |it| it.node = other);
        },
        "what its task did not know by then",
    ),
    (
        "a field that is not stated",
        |log| {
            claimed(log, |it| it.fields = vec!["owner".into()]);
            statement(log, |it| it.fields = vec!["owner".into()]);
        },
        "names a field that the fact does not state",
    ),
    ("a field left out", |log| statement(log, |it| it.fields.clear()), "the fields that its claim names"),
    ("comment", |log| statement(log, |it| it.comment = None), "its comment is not that of its claim"),
    (
        "comment that was claimed",
        |log| {
            claimed(log, |it| it.comment = Some("It was Bob.".into()));
            statement(log, |it| it.comment = Some("It was Bob.".into()));
        },
        "not what its call states",
    ),
    (
        "chapter",
        |log| statement(log, |it| it.chapter = Some(Chapter::Removed)),
        "in another chapter than its claim names",
    ),
    (
        "time",
        |log| {
            statement(log, |it| {
                it.time = Some(Time::from_filetime(133_000_000_000_000_000));
                it.dated_by = Some("last_written".into());
            });
        },
        "its time is not the one that dates",
    ),
    (
        "left out",
        |log| {
            // Removes the last statement, so that the call that stated it was never judged.
            let at = log.iter().rposition(|(_, event, _)| matches!(event, Event::StatementTold(_))).unwrap();
            log.drain(at - 1..=at);
        },
        "a statement of the call before it was not judged",
    ),
    (
        "of another time",
        |log| {
            let opened = log.iter_mut().find_map(|(_, event, _)| match event {
                Event::RunOpened(opened) => Some(opened),
                _ => None,
            });
            opened.unwrap().behaviour.retain(|number| *number != u16::from(Behaviour::Tells));
        },
        "its run tells sentences, and no statements",
    ),
    (
        "refused in place of told",
        |log| {
            let rejection = log.iter().find_map(|(_, event, _)| match event {
                Event::ClaimRejected(it) => Some(it.rejection.clone()),
                _ => None,
            });
            let told = log.iter_mut().find(|(_, event, _)| matches!(event, Event::StatementTold(_))).unwrap();
            let Event::StatementTold(it) = &told.1 else { unreachable!() };
            let rejected = ClaimRejected { claim: it.claim, rejection: rejection.unwrap() };
            told.1 = Event::ClaimRejected(rejected);
        },
        "its number of refused claims is not that of the log",
    ),
];

#[test]
fn each_forgery_of_a_story_is_found() {
    let place = Place::new();
    let run = told(&place);
    let read = app::load_run(&run).unwrap();
    assert_eq!(read.statements().count(), 2);
    let untouched = app::verify(&run);
    assert!(untouched.holds(), "{:?}", untouched.findings);
    let missed = |(name, forge, expected): &&Forgery| {
        let certificate = app::verify(&rechained(&place, &run, name, forge));
        let told = certificate.findings.iter().any(|finding| finding.what.contains(expected));
        let refused = certificate.standing(Level::FactsStand) == Standing::NotReached;
        if !(refused && told) {
            println!("{name}: {:#?}", certificate.findings);
        }
        !(refused && told)
    };
    let missed: Vec<&str> = FORGERIES.iter().filter(missed).map(|(name, ..)| *name).collect();
    assert_eq!(missed, [""; 0]);
}

#[test]
fn a_run_with_a_story_is_replayed_and_reported_in_words_of_code() {
    let place = Place::new();
    let run = told(&place);
    place.locard_ends(0, &["replay", str(&run)]);
    let report = place.locard_ends(0, &["report", str(&run)]);
    let story = report.split_once("## What happened").unwrap().1.split("\n## ").next().unwrap();
    let told: Vec<&str> = story.lines().filter(|line| line.starts_with("- ")).collect();
    assert_eq!(told.len(), 2, "{story}");
    assert!(told.iter().any(|line| line.contains("ALDER-07")), "{story}");
    assert!(told.iter().any(|line| line.contains("no-such-thing.xyz")), "{story}");
    // The agent's words are kept apart, with a note on which of them the fact contains.
    let comments: Vec<&str> = story.lines().filter(|line| line.contains("not checked_ (")).collect();
    assert!(comments.len() == 1 && comments[0].contains("Das ist er."), "{story}");
    assert!(comments[0].contains("stands in what is told: `ALDER-07`"), "{story}");
    assert!(comments[0].contains("not found there: `BIRCH-09`"), "{story}");
    assert!(!told.iter().any(|line| line.contains("BIRCH-09")), "{story}");
    // With --no-comments, no format has comments.
    for format in ["markdown", "json", "html"] {
        let bare = place.locard_ends(0, &["report", "--no-comments", "--format", format, str(&run)]);
        assert!(bare.contains("ALDER-07") && !bare.contains("BIRCH-09"), "{format}: {bare}");
    }
    let rejections = place.locard_ends(0, &["rejections", str(&run)]);
    for said in ["unknown_fact", "The nearest ids are", "wrong_field", "It states `"] {
        assert!(rejections.contains(said), "{said}: {rejections}");
    }
}
