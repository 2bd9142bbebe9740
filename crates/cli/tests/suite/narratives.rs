//! A narrative in a whole run: told, verified, reported, replayed; and every way of forging it that its log contradicts.

use crate::support::{Logged, Place, facts, invocations, rechained, script, str};
use app::{Level, Standing};
use ledger::{Claim, Event, FieldValue, NodeId, Rules, Time, ToolClass};
use serde_json::json;
use std::path::PathBuf;
use testkit::scripted::calls;

/// A run whose agent may hand out tasks, and tells three sentences of which one is refused.
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
            let fact = facts(request)[0].clone();
            let sentences = json!([
                {"text": "The computer is called “ALDER-07”.", "cites": [fact.clone()]},
                {"text": "The computer is called MALLORY-07.", "cites": [fact.clone()]},
                {"text": "Its name, ALDER-07, is a setting.", "cites": fact},
            ]);
            calls(3, &[("record_narrative", json!({ "sentences": sentences }))])
        }),
    ]);
    let mut request = place.request(Rules::default(), vec![("lead", script)]);
    request.agents[0].spec.surface.insert(ToolClass::Dispatch);
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
    runtime.block_on(app::run(request)).unwrap().folder
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
        "fact",
        |log| {
            let fact = log.iter_mut().find_map(|(_, event, _)| match event {
                Event::ClaimAccepted(it) => Some(&mut it.fact),
                _ => None,
            });
            for value in &mut fact.unwrap().values {
                value.value = FieldValue::Text("BIRCH-07".into());
            }
        },
        "judged again, it is refused",
    ),
];

#[test]
fn each_forgery_of_a_narrative_is_found() {
    let place = Place::new();
    let run = told(&place);
    let read = app::load_run(&run).unwrap();
    assert_eq!(read.sentences().count(), 2);
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
fn a_run_with_a_narrative_is_replayed_and_reported() {
    let place = Place::new();
    let run = told(&place);
    place.locard_ends(0, &["replay", str(&run)]);
    place.locard_ends(
        0,
        &["replay", str(&run), "--rules", str(&place.file("rules.toml", "[budgets]\nrejected_claims = 1\n"))],
    );
    let report = place.locard_ends(0, &["report", str(&run)]);
    assert!(
        report.contains("## Narrative") && report.contains("`The computer is called “ALDER-07”.`"),
        "{report}"
    );
    let rejections = place.locard_ends(0, &["rejections", str(&run)]);
    assert!(rejections.contains("value_absent") && rejections.contains("MALLORY-07"), "{rejections}");
}
