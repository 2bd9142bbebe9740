//! Sentences that agents wrote, in runs from before [`ledger::Behaviour::Tells`]: they are verified and shown as an agent's
//! reading, and every forgery of them that contradicts the log is found.

use crate::support::{Logged, Place, facts, invocations, rechained, str};
use app::{Level, Standing};
use engine::{Invoke, ToolReturn};
use ledger::event::{EvidenceHashed, TaskAssigned};
use ledger::turn::{Reply, ReplyBlock, TurnRequest};
use ledger::{
    AgentSpec, Behaviour, Claim, Completeness, Digest, Event, EvidenceEntry, EvidenceKind, Field, FieldValue,
    Integrity, IntegrityLevel, Locator, NodeId, Outcome, Output, Record, RecordId, Rules, TaskId, Time,
    ToolClass, Vocabulary,
};
use serde_json::json;
use std::path::PathBuf;
use std::sync::Arc;
use testkit::recording::{self, Recording, Script};
use testkit::scripted::calls;

/// A lead of an earlier version: it records two settings and tells three sentences, one of which is refused.
struct Lead(u32);

impl Script for Lead {
    fn model(&mut self, _: TaskId, request: &TurnRequest) -> Reply {
        self.0 += 1;
        match self.0 {
            1 => calls(1, &[("parse_registry_key", json!({"hive": HIVE, "key": KEY}))]),
            2 => {
                let cited = invocations(request)[0].clone();
                let reading = |name: &str, record: &str| {
                    json!({"predicate": "configured", "values": {"name": name, "data": "ALDER-07"},
                        "invocation": cited, "record": record})
                };
                let readings = [reading("ComputerName", "r0"), reading("ActiveName", "r1")];
                calls(2, &[("record_phenomenon", json!({"readings": readings}))])
            }
            3 => {
                let fact = facts(request)[0].clone();
                let sentences = json!([
                    {"text": "The computer is called “ALDER-07”.", "cites": [fact.clone()]},
                    {"text": "The computer is called MALLORY-07.", "cites": [fact.clone()]},
                    {"text": "Its name, ALDER-07, is a setting.", "cites": fact},
                ]);
                calls(3, &[("record_narrative", json!({ "sentences": sentences }))])
            }
            _ => Reply { blocks: vec![ReplyBlock::Text { text: "done".into() }] },
        }
    }

    fn tool(&mut self, _: TaskId, _: &Invoke) -> ToolReturn {
        let records = ["ComputerName", "ActiveName"].into_iter().enumerate().map(|(number, name)| {
            let field = |value| Field { at: None, value };
            let path = format!(r"{KEY}\{name}");
            let fields = [
                ("name", FieldValue::Name(name.into())),
                ("data", FieldValue::Text("ALDER-07".into())),
                ("key_path", FieldValue::RegistryPath(KEY.into())),
                ("value_path", FieldValue::RegistryPath(path)),
            ];
            Record {
                placement: None,
                defects: vec![],
                fields: fields.into_iter().map(|(name, value)| (name.to_owned(), field(value))).collect(),
                id: RecordId(number.try_into().unwrap()),
                kind: "registry_value".into(),
                locator: Locator { evidence: "e".into(), path: HIVE.into(), stream: None, span: None },
            }
        });
        ToolReturn {
            outcome: Outcome::Ok,
            completeness: Completeness::Complete,
            normalised: None,
            output: Some(Arc::new(Output::new(records.collect()).unwrap())),
            defects: vec![],
            gaps: vec![],
            notes: vec![],
        }
    }

    fn judged(&mut self, _: TaskId, _: &ground::Verdict) {}
}

const HIVE: &str = "p1/Windows/System32/config/SYSTEM";
const KEY: &str = r"ControlSet001\Control\ComputerName\ComputerName";

/// A run as it was made before statements existed.
fn told(place: &Place) -> PathBuf {
    let mut rules = Rules { sweep: false, ..Rules::default() };
    rules.recovery.attempts = 0;
    let evidence = EvidenceEntry {
        label: "e".into(),
        kind: EvidenceKind::Directory,
        in_place: vec![],
        expected_sha256: None,
    };
    let mut others = tools::catalogue();
    others.extend(engine::retired(&Vocabulary::shipped().unwrap()));
    let mut opened = recording::opened("before", vec![evidence], rules, others).unwrap();
    opened.behaviour.retain(|number| *number != u16::from(Behaviour::Tells));
    let agent = AgentSpec {
        name: "lead".into(),
        prompt: String::new(),
        surface: [ToolClass::Investigate, ToolClass::Record, ToolClass::Dispatch].into(),
        tools: None,
        objectives: vec![],
    };
    let tasks = vec![TaskAssigned::new(TaskId(1), agent, "scripted")];
    let folder = place.path("20260101T000000Z-before");
    let recording = Recording::begin(&folder, store::Options::default(), opened, tasks).unwrap();
    recording.live(&mut Lead(0)).unwrap();
    let integrity = Integrity { level: IntegrityLevel::Full, sha256: Digest::of(b"e"), files: 1, bytes: 1 };
    let hashed = EvidenceHashed { evidence: "e".into(), integrity, as_expected: None, gaps: Vec::new() };
    recording.seal(vec![hashed]).unwrap();
    app::conclude(&folder).unwrap();
    folder
}

/// Changes the first accepted sentence.
fn sentence(log: &mut Logged, change: impl Fn(&mut ledger::SentenceEntry)) {
    let told = log.iter_mut().find_map(|(_, event, _)| match event {
        Event::SentenceAccepted(told) => Some(&mut told.sentence),
        _ => None,
    });
    change(told.unwrap());
}

/// Changes the claim of the first sentence.
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

/// A fact that the first sentence does not cite.
fn other(log: &Logged) -> NodeId {
    let found = log.iter().rev().find_map(|(_, event, _)| match event {
        Event::ClaimAccepted(it) => Some(NodeId::Fact(it.fact.id)),
        _ => None,
    });
    found.unwrap()
}

type Forgery = (&'static str, fn(&mut Logged), &'static str);

/// The forgery's name, the change, and what `verify` says about it.
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
            let other = other(log);
            sentence(log, |it| it.cites = vec![other]);
        },
        "does not cite what that cites",
    ),
    (
        "claimed citation",
        |log| {
            let other = other(log);
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
            // Removes the last sentence, so that the call that stated it was never judged.
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
    let run = told(&place);
    let read = app::load_run(&run).unwrap();
    assert_eq!((read.sentences().count(), read.statements().count()), (2, 0));
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
    let run = told(&place);
    place.locard_ends(0, &["replay", str(&run)]);
    let report = place.locard_ends(0, &["report", str(&run)]);
    assert!(!report.contains("## What happened"), "{report}");
    let readings = report.split_once("## What an agent made of it").unwrap().1.split("\n## ").next().unwrap();
    assert!(readings.contains("the agent's reading, not checked"), "{readings}");
    let written: Vec<&str> = readings.lines().filter(|line| line.starts_with("- ")).collect();
    assert!(written.len() == 2 && written.iter().all(|line| line.starts_with("- `")), "{readings}");
    let bare = place.locard_ends(0, &["report", "--no-comments", str(&run)]);
    assert!(!bare.contains("What an agent made of it"), "{bare}");
}
