//! Sentences of a run before [`ledger::Behaviour::Tells`], which agents wrote: verified, shown as a reading; and every way of forging them that the log contradicts.

use crate::support::{Logged, Place, rechained, str};
use app::{Level, Standing};
use ledger::{Behaviour, Claim, Event, FieldValue, NodeId, Time, ToolClass};
use std::path::PathBuf;

/// The sample, in which a lead wrote sentences.
fn told() -> PathBuf {
    PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../runs/sample"))
}

/// Changes the first sentence that was let in.
fn sentence(log: &mut Logged, change: impl Fn(&mut ledger::SentenceEntry)) {
    let told = log.iter_mut().find_map(|(_, event, _)| match event {
        Event::SentenceAccepted(told) => Some(&mut told.sentence),
        _ => None,
    });
    change(told.unwrap());
}

/// Changes the first sentence as it was claimed.
fn claimed(log: &mut Logged, change: impl Fn(&mut ledger::SentenceClaim)) {
    let claim = log.iter_mut().find_map(|(_, event, _)| match event {
        Event::ClaimSubmitted(submitted) => match &mut submitted.stated {
            Claim::Sentence(claim) => Some(claim),
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

/// What is changed, and what is said of it.
const FORGERIES: &[Forgery] = &[
    (
        "words",
        |log| {
            claimed(log, |it| it.text = "The computer is called “ALDER-08”.".into());
            sentence(log, |it| it.text = "The computer is called “ALDER-08”.".into());
        },
        "not what its call states",
    ),
    (
        "judged again",
        |log| {
            claimed(log, |it| it.text = "evil.exe was executed.".into());
            sentence(log, |it| it.text = "evil.exe was executed.".into());
        },
        "judged again, it is refused",
    ),
    (
        "plainly",
        |log| {
            claimed(log, |it| it.text = "evil.exe is there.".into());
            sentence(log, |it| it.text = "evil.exe is there.".into());
        },
        "it names what nothing that it cites states",
    ),
    (
        "deed",
        |log| {
            claimed(log, |it| it.text = "It was deleted.".into());
            sentence(log, |it| it.text = "It was deleted.".into());
        },
        "of which nothing that it cites tells",
    ),
    (
        "citation",
        |log| {
            let other = absence(log);
            sentence(log, |it| it.cites = vec![other]);
        },
        "does not cite what that cites",
    ),
    (
        "claimed citation",
        |log| {
            let other = absence(log);
            claimed(log, |it| it.cites = vec![other.to_string()]);
            sentence(log, |it| it.cites = vec![other]);
        },
        "not what its call states",
    ),
    (
        "time",
        |log| sentence(log, |it| it.time = Some(Time::from_filetime(133_000_000_000_000_000))),
        "its time is not the one that dates",
    ),
    (
        "left out",
        |log| {
            // The last sentence goes: its call stated it, and it was never judged.
            let at =
                log.iter().rposition(|(_, event, _)| matches!(event, Event::SentenceAccepted(_))).unwrap();
            log.drain(at - 1..=at);
        },
        "a sentence of the call before it was not judged",
    ),
    (
        "not the lead's",
        |log| {
            for (_, event, _) in log {
                match event {
                    Event::TaskAssigned(it) => drop(it.agent.surface.remove(&ToolClass::Dispatch)),
                    Event::PhaseEntered(it) => drop(it.surface.remove(&ToolClass::Dispatch)),
                    _ => {}
                }
            }
        },
        "had to be refused",
    ),
    (
        "of another time",
        |log| {
            let opened = log.iter_mut().find_map(|(_, event, _)| match event {
                Event::RunOpened(opened) => Some(opened),
                _ => None,
            });
            opened.unwrap().behaviour.push(Behaviour::Tells.into());
        },
        "its run tells statements, and no sentences",
    ),
    (
        "fact",
        |log| {
            let facts = log.iter_mut().filter_map(|(_, event, _)| match event {
                Event::ClaimAccepted(it) => Some(&mut it.fact),
                _ => None,
            });
            for value in facts.flat_map(|fact| &mut fact.values) {
                value.value = FieldValue::Text("BIRCH-07".into());
            }
        },
        "judged again, it is refused",
    ),
];

#[test]
fn each_forgery_of_a_narrative_is_found() {
    let place = Place::new();
    let run = told();
    let read = app::load_run(&run).unwrap();
    assert!(read.sentences().count() > 10 && read.statements().count() == 0);
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
fn sentences_of_an_earlier_version_are_shown_as_a_reading_without_a_time() {
    let place = Place::new();
    let report = place.locard_ends(0, &["report", str(&told())]);
    assert!(!report.contains("## What happened"), "{report}");
    let readings = report.split_once("## What an agent made of it").unwrap().1.split("\n## ").next().unwrap();
    assert!(readings.contains("the agent's reading, not checked"), "{readings}");
    let written = readings.lines().filter(|line| line.starts_with("- "));
    assert!(
        written.clone().count() > 10 && written.clone().all(|line| line.starts_with("- `")),
        "{readings}"
    );
    let bare = place.locard_ends(0, &["report", "--no-comments", str(&told())]);
    assert!(!bare.contains("What an agent made of it"), "{bare}");
}
