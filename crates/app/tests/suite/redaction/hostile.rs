//! Evidence that contains names in every disguise, in every format.

use crate::redaction::disguises::{disguised, undisguised};
use crate::redaction::forms::stands;
use crate::redaction::people;
use crate::redaction::written::unpacked;
use detect::Attack;
use graph::Run;
use ledger::{Digest, Event, Field, FieldValue, KeyMaker, Locator, Output, Record, RecordId, TaskId};
use redact::redact;
use report::html::{Material, page};
use std::collections::BTreeMap;
use testkit::history::{History, fact, reading};

/// The names in the case: a host, a person, the examiner of an image, an address, the
/// examiner of the case, an account, another host, a SID, a network card.
const VALUES: [&str; 9] = [
    "ALDER-07",
    "Mara Ellingsen",
    "Joan Capebell",
    "10.20.4.37",
    "Pia Menosi",
    "Zacharias.Quendelberg",
    "DROSSELHOF-PC9",
    "S-1-5-21-1391846017-2755219433-3320145571-1107",
    "00-1A-2B-3C-4D-5E",
];

fn record(number: u32, kind: &str, field: &str, text: &str) -> Record {
    let value = Field { value: FieldValue::Text(text.into()), at: None };
    let locator = Locator { evidence: "host".into(), path: "SYSTEM".into(), stream: None, span: None };
    Record {
        id: RecordId(number),
        kind: kind.into(),
        locator,
        fields: BTreeMap::from([(field.to_owned(), value)]),
        defects: Vec::new(),
        placement: None,
    }
}

/// Returns texts that name them in a field or form that shows it, and every disguise in an ordinary text.
fn texts() -> Vec<(String, String, String)> {
    let named = [
        ("computer_name", "hostname", "ALDER-07"),
        ("user_account", "full_name", "Mara Ellingsen"),
        ("image", "examiner", "Joan Capebell"),
        ("network_connection", "source_address", "10.20.4.37"),
        ("logon", "account", "Zacharias.Quendelberg"),
        ("computer_name", "name", "DROSSELHOF-PC9"),
        ("profile", "sid", "S-1-5-21-1391846017-2755219433-3320145571-1107"),
        ("network_signature", "gateway_mac", "00-1A-2B-3C-4D-5E"),
    ];
    let mut all: Vec<_> =
        named.iter().map(|(kind, field, text)| ((*kind).into(), (*field).into(), (*text).into())).collect();
    for value in VALUES {
        for (name, written) in disguised(value) {
            all.push(("text_line".into(), "line".into(), format!("{name}: <{written}> &c.")));
            // Titles are cut after 120 characters: here, inside the value.
            all.push(("text_line".into(), "line".into(), format!("{}{written} of {name}", "x ".repeat(57))));
        }
    }
    all
}

fn history() -> History {
    let mut history = History::opened("Theft, examiner: Pia Menosi");
    history.assigned(1, "a").invoked_as(1, 0, "read_text", |ended| {
        ended.notes = texts().into_iter().map(|(.., text)| text).collect();
    });
    for ((_, field, text), number) in texts().into_iter().zip(0..) {
        let stated = fact(1, number, &format!("key {number}"), &[(&field, &text)]);
        history.claimed(1, number, 1, reading("configured", &[&text], None)).accepted(
            1,
            number,
            stated.clone(),
        );
        history.phenomenon(1, number, &[stated.id], &text);
    }
    history
}

/// Returns the events with labels of evidence like those of a case file.
fn events() -> redact::Events {
    let mut events = history().events();
    for (_, event, _) in &mut events {
        if let Event::RunOpened(opened) = event {
            opened.case.evidence[0].label = "ALDER-07-backup".into();
        }
        if let Event::ClaimAccepted(accepted) = event {
            accepted.fact.locator.evidence = "ALDER-07-backup".into();
        }
    }
    events
}

/// Returns every format, except the signature around a statement.
fn everything(run: &Run) -> Vec<(&'static str, String)> {
    let attack = Attack::shipped().unwrap();
    let written = |write: &dyn Fn(&mut Vec<u8>) -> std::io::Result<exchange::Written>| {
        let mut out = Vec::new();
        write(&mut out).unwrap();
        String::from_utf8(out).unwrap()
    };
    let sealed =
        exchange::Sealed { head: Digest::of(b"h"), manifest: Digest::of(b"m"), events: 1, payloads: 1 };
    let statement = exchange::statement(run, &sealed, &[]).unwrap();
    vec![
        ("html", unpacked(page(run, &Material { outputs: &|_| None, attack: &attack, verified: None }))),
        ("md", report::markdown(run)),
        ("json", report::json_text(&report::json(run))),
        ("timesketch", written(&|mut out| exchange::timesketch(run, &attack, &mut out))),
        ("case", written(&|mut out| exchange::case_uco(run, &attack, &mut out))),
        ("stix", written(&|mut out| exchange::stix(run, &attack, &mut out))),
        ("facts", written(&|mut out| exchange::facts_csv(run, &attack, &mut out))),
        ("timeline", written(&|mut out| exchange::timeline_csv(run, &attack, &mut out))),
        ("navigator", report::navigator_layer(run, &attack).to_string()),
        ("intoto", String::from_utf8(statement).unwrap()),
    ]
}

fn redacted() -> redact::Redacted {
    let events = events();
    let recorded = graph::fold(events.iter().cloned()).unwrap();
    let records =
        texts().into_iter().zip(0..).map(|((kind, field, text), at)| record(at, &kind, &field, &text));
    let output = Output::new(records.collect()).unwrap();
    let stored = |digest: &Digest| (*digest == Digest::of(b"output")).then(|| output.bytes().to_vec());
    redact(&events, recorded, &KeyMaker::default().finish(), &stored, &people()).unwrap()
}

#[test]
fn no_disguise_of_anybody_stands_in_any_format() {
    let redacted = redacted();
    let mut told = everything(&redacted.run);
    let outputs = redacted.outputs.values().map(|bytes| String::from_utf8_lossy(bytes).into_owned());
    told.extend(outputs.map(|text| ("an output", text)));
    for (format, text) in &told {
        let plain = undisguised(text);
        for value in VALUES {
            assert!(!plain.contains(&value.to_lowercase()), "{value} in {format}");
            for (name, written) in disguised(value) {
                assert!(!stands(&written, text), "{value} in {format}: {name}");
            }
        }
    }
    // If nothing is withheld, the same search finds all of it.
    let whole = everything(&graph::fold(events()).unwrap());
    let json = &whole.iter().find(|(format, _)| *format == "json").unwrap().1;
    for value in VALUES {
        for (name, written) in disguised(value) {
            assert!(stands(&written, json), "{name} of {value} is not looked for");
        }
    }
}

#[test]
fn what_names_nobody_stays() {
    let run = redacted().run;
    let json = report::json_text(&report::json(&run));
    for name in
        ["soft hyphens: ", "base64 of a mixed case: ", "hex with spaces: ", "cut before: ", "decimal: "]
    {
        assert!(
            json.contains(&format!("{name}<[withheld]")) || json.contains(&format!("{name}<…[withheld]")),
            "{name}"
        );
    }
    assert!(json.contains("Theft, examiner: [withheld]"));
    assert_eq!(run.tasks[&TaskId(1)].invocations.len(), 1);
}
