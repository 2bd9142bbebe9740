//! Tests of what the formats contain, read back with third-party readers.

use detect::Attack;
use exchange::{LeftOut, Sealed, Subject, Written};
use graph::Run;
use ledger::event::{
    AbsenceAccepted, ClaimSubmitted, DerivationAccepted, EntityAdded, HypothesisProposed, SentenceAccepted,
    StatementTold,
};
use ledger::{
    Absence, AbsenceClaim, AbsenceEntry, AbsenceId, AssumedZone, BoundValue, ByteSpan, CallId, Circumstance,
    Claim, Clock, Derivation, DerivationEntry, DerivationId, Digest, EntityId, EntityKind, Event, FactEntry,
    FieldValue, Healing, HypothesisId, NodeId, Outcome, Precision, RejectionCode, RunId, SentenceClaim,
    SentenceEntry, SentenceId, StatementClaim, StatementEntry, StatementId, Stream, TaskId, Term, Tier, Time,
    Utc, Writer,
};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use testkit::history::{self, History};

/// Text that closes quotes, cells and lines, changes text direction, and starts formulas.
const HOSTILE: [&str; 9] = [
    "=HYPERLINK(\"http://a.example\";\"b\")",
    "a\"b'c,d;e\tf",
    "line\r\nline\u{2028}line",
    "\u{202e}gpj.exe\u{202c}",
    "\u{0}\u{1}\u{1b}[31m\u{7f}\u{9b}",
    "\\ud800 \\u0000 \u{fffd}",
    "</script><!--[CDATA[ ]]>",
    "\u{10ffff}\u{1f600}é",
    "\",\"@type\":\"x",
];

fn time(text: &str) -> Time {
    let utc: Utc = text.parse().unwrap();
    Time { utc: Some(utc), raw: text.into(), clock: Clock::Host, precision: Precision::Filetime, zone: None }
}

fn bound(field: &str, value: FieldValue) -> BoundValue {
    BoundValue {
        field: field.into(),
        value,
        quotation: None,
        tier: Tier::Exact,
        span: ByteSpan::new(10, 4),
        at: None,
        writer: Some(Writer::AnyUser),
    }
}

fn with(ordinal: u32, subject: &str, values: Vec<BoundValue>) -> FactEntry {
    let mut fact = history::fact(1, ordinal, subject, &[]);
    fact.values = values;
    fact
}

/// Builds a run with hostile text in every place that the evidence or an agent fills, and times of every kind.
fn run() -> Run {
    let mut log = History::opened(HOSTILE[8]);
    log.assigned(1, "registry").asked(1, 1).invoked(1, 0);
    let mut ordinal = 0;
    let mut add = |log: &mut History, fact: FactEntry, healing: Option<Healing>| {
        let reading = history::reading("configured", &[], None);
        log.claimed(1, ordinal, 1, reading).accepted_as(1, ordinal, fact, healing);
        ordinal += 1;
    };
    for (at, text) in (0..).zip(HOSTILE) {
        let mut fact = with(at, text, vec![bound("data", FieldValue::Text(text.into()))]);
        fact.locator.path = format!("C/{text}");
        fact.locator.stream = Some(text.into());
        let healing = Healing {
            cited: text.into(),
            healed: history::invocation(1, 0),
            because: RejectionCode::UnknownInvocation,
        };
        add(&mut log, fact, Some(healing));
    }
    let at = HOSTILE.len() as u32;
    let times = [
        ("last_run", time("2024-03-01T12:00:02.1234567Z")),
        ("first", time("1601-01-02T00:00:00Z")),
        ("local", Time { zone: Some(AssumedZone::Utc), ..time("2024-03-01T12:00:02Z") }),
        ("never", Time { utc: None, ..time("2024-03-01T12:00:02Z") }),
        ("copied", Time { clock: Clock::CollectionCopy, ..time("2024-03-01T12:00:02Z") }),
        ("ancient", time("-000005-01-01T00:00:00Z")),
    ];
    let times = times.into_iter().map(|(field, time)| bound(field, FieldValue::Time(time))).collect();
    add(&mut log, with(at, "times", times), None);
    let long = bound("data", FieldValue::Text("x".repeat(100_000)));
    add(&mut log, with(at + 1, "long", vec![long]), None);
    let facts: Vec<_> = (0..=at + 1).map(|at| history::fact(1, at, "", &[]).id).collect();
    log.phenomenon(1, 0, &facts, HOSTILE[0]);
    let task = Stream::Task(TaskId(1));
    let (space, of) = (history::ids(), TaskId(1));
    let entity = EntityId::assign(&space, of, 0).unwrap();
    log.push(
        task,
        Event::EntityAdded(EntityAdded {
            entity,
            kind: EntityKind::Account,
            name: HOSTILE[3].into(),
            facts: facts[..1].to_vec(),
        }),
    );
    let hypothesis = HypothesisId::assign(&space, of, 0).unwrap();
    let proposed = HypothesisProposed { hypothesis, statement: HOSTILE[1].into() };
    log.push(task, Event::HypothesisProposed(proposed));
    told(&mut log, at + 2, &facts);
    let mut events = log.events();
    events[0].2 = Circumstance {
        at: "2026-01-01T12:00:00.123456789Z".into(),
        run: Some(RunId::new("20260101T120000Z-case").unwrap()),
        ..Circumstance::default()
    };
    graph::fold(events).unwrap()
}

/// Adds an absence, a derivation, a sentence and a statement, after this many claims.
fn told(log: &mut History, claims: u32, facts: &[ledger::FactId]) {
    let (task, space, of) = (Stream::Task(TaskId(1)), history::ids(), TaskId(1));
    let searched = history::invocation(1, 1);
    log.invoked_as(1, 1, "find_files", |ended| {
        (ended.outcome, ended.output, ended.records, ended.bytes) = (Outcome::Empty, None, 0, 0);
    });
    let absent =
        Absence::File { name: HOSTILE[6].into(), under: String::new(), evidence: None, near: vec![] };
    let terms = [0, 1].map(|at| Term { fact: facts[at], field: "data".into() }).to_vec();
    let different = Derivation::Different { terms };
    let stated = [
        Claim::Absence(AbsenceClaim { absence: absent.clone(), searches: vec![searched.to_string()] }),
        Claim::Derivation(different.clone()),
        Claim::Sentence(SentenceClaim { text: HOSTILE[7].into(), cites: vec![facts[0].to_string()] }),
        Claim::Statement(StatementClaim {
            node: facts[0].to_string(),
            fields: vec![],
            chapter: None,
            comment: Some(HOSTILE[7].into()),
        }),
    ];
    for (at, stated) in (claims..).zip(stated) {
        let claim = history::claim(1, at);
        log.push(
            task,
            Event::ClaimSubmitted(ClaimSubmitted { claim, turn: 1, call: CallId("c".into()), stated }),
        );
    }
    let claim = |at| history::claim(1, claims + at);
    let absence = AbsenceEntry {
        id: AbsenceId::assign(&space, of, 0).unwrap(),
        absence: absent,
        searches: vec![searched],
    };
    let derivation = DerivationEntry {
        id: DerivationId::assign(&space, of, 0).unwrap(),
        derivation: different,
        clocks: vec![],
    };
    let (absent, derived) = (NodeId::Absence(absence.id), NodeId::Derivation(derivation.id));
    let sentence = SentenceEntry {
        id: SentenceId::assign(&space, of, 0).unwrap(),
        text: HOSTILE[7].into(),
        cites: vec![NodeId::Fact(facts[0]), absent, derived],
        time: None,
        dated_by: None,
    };
    let interpretation = String::new;
    log.push(
        task,
        Event::AbsenceAccepted(AbsenceAccepted {
            claim: claim(0),
            absence,
            interpretation: interpretation(),
        }),
    );
    log.push(
        task,
        Event::DerivationAccepted(DerivationAccepted {
            claim: claim(1),
            derivation,
            interpretation: interpretation(),
        }),
    );
    log.push(task, Event::SentenceAccepted(SentenceAccepted { claim: claim(2), sentence }));
    let statement = StatementEntry {
        id: StatementId::assign(&space, of, 0).unwrap(),
        node: NodeId::Fact(facts[0]),
        fields: vec![],
        chapter: None,
        comment: Some(HOSTILE[7].into()),
        time: None,
        dated_by: None,
    };
    log.push(task, Event::StatementTold(StatementTold { claim: claim(3), statement }));
}

fn attack() -> Attack {
    Attack::shipped().unwrap()
}

fn text(write: impl FnOnce(&mut Vec<u8>) -> std::io::Result<Written>) -> (String, Written) {
    let mut out = Vec::new();
    let written = write(&mut out).unwrap();
    (String::from_utf8(out).unwrap(), written)
}

/// Returns the text values of every fact, as in the log.
fn hostile_values() -> Vec<String> {
    HOSTILE.iter().map(ToString::to_string).chain(["x".repeat(100_000)]).collect()
}

fn ids(run: &Run) -> BTreeSet<String> {
    run.facts().map(|(_, accepted)| accepted.fact.id.to_string()).collect()
}

/// Checks that the text contains nothing unescaped that moves, hides or breaks text.
fn assert_inert(text: &str) {
    let bad: Vec<char> =
        text.chars().filter(|c| !graph::is_printable(*c) && !matches!(c, '\n' | '\r')).collect();
    assert!(bad.is_empty(), "{bad:?}");
}

/// Collects all strings within a value.
fn strings(value: &Value, found: &mut Vec<String>) {
    match value {
        Value::String(text) => found.push(text.clone()),
        Value::Array(items) => items.iter().for_each(|item| strings(item, found)),
        Value::Object(members) => members.values().for_each(|member| strings(member, found)),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

#[test]
fn a_table_of_facts_has_a_row_for_each_and_no_formula() {
    let run = run();
    let (text, written) = text(|out| exchange::facts_csv(&run, &attack(), out));
    assert_inert(&text);
    let mut reader = csv::Reader::from_reader(text.as_bytes());
    let header = reader.headers().unwrap().clone();
    let rows: Vec<csv::StringRecord> = reader.records().map(Result::unwrap).collect();
    assert_eq!((rows.len(), written.items), (ids(&run).len(), rows.len() as u64));
    let column = |name: &str| header.iter().position(|found| found == name).unwrap();
    let found: BTreeSet<String> = rows.iter().map(|row| row[column("fact")].to_owned()).collect();
    assert_eq!(found, ids(&run));
    for cell in rows.iter().flat_map(csv::StringRecord::iter) {
        for piece in cell.split(';') {
            assert!(!piece.trim_start_matches([' ', '"']).starts_with(['=', '+', '-', '@']), "{cell:?}");
        }
    }
    assert_eq!(&rows[0][column("healed_from")], "'=HYPERLINK(\"http://a.example\";\"b\")");
    assert!(rows.iter().any(|row| row[column("values")].len() > 100_000));
    assert!(text.lines().all(|line| !line.is_empty()));
    assert_eq!(text.matches("\r\n").count(), rows.len() + 1);
}

#[test]
fn a_timeline_has_every_time_and_no_local_one_passes_for_utc() {
    let run = run();
    let (text, written) = text(|out| exchange::timeline_csv(&run, &attack(), out));
    let mut reader = csv::Reader::from_reader(text.as_bytes());
    let rows: Vec<BTreeMap<String, String>> = reader.deserialize().map(Result::unwrap).collect();
    assert_eq!((rows.len(), written.items), (6, 6));
    let by_field = |field: &str| rows.iter().find(|row| row["field"] == field).unwrap();
    assert_eq!(by_field("last_run")["time"], "2024-03-01T12:00:02.1234567Z");
    assert_eq!(by_field("last_run")["zone"], "UTC");
    assert_eq!(by_field("local")["time"], "2024-03-01T12:00:02.0000000 local");
    assert_eq!(by_field("local")["zone"], "not known: local time");
    assert_eq!(by_field("local")["earliest_utc"], "2024-02-29T22:00:02.0000000Z");
    assert_eq!(by_field("local")["latest_utc"], "2024-03-02T00:00:02.0000000Z");
    assert_eq!(
        (by_field("never")["time"].as_str(), by_field("never")["raw"].as_str()),
        ("", "2024-03-01T12:00:02Z")
    );
    assert!(by_field("copied")["clock"].contains("not the host"));
    let order: Vec<&str> = rows.iter().map(|row| row["field"].as_str()).collect();
    assert_eq!(order, ["ancient", "first", "local", "copied", "last_run", "never"]);
}

#[test]
fn timesketch_gets_instants_of_the_host_alone_and_the_rest_is_counted() {
    let run = run();
    let (text, written) = text(|out| exchange::timesketch(&run, &attack(), out));
    assert_inert(&text);
    assert_eq!(written.left_out, LeftOut { local: 1, no_instant: 2, of_copy: 1 });
    let lines: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!((lines.len(), written.items), (2, 2));
    assert_eq!(lines[0]["datetime"], "1601-01-02T00:00:00.000000+00:00");
    assert_eq!(lines[0]["timestamp"], -11_644_387_200_000_000_i64);
    assert_eq!(lines[1]["datetime"], "2024-03-01T12:00:02.123456+00:00");
    assert_eq!(lines[1]["timestamp"], 1_709_294_402_123_456_i64);
    assert_eq!(lines[1]["time_raw"], "2024-03-01T12:00:02.1234567Z");
    for line in &lines {
        let members = line.as_object().unwrap();
        assert!(
            ["message", "timestamp_desc"]
                .iter()
                .all(|name| members[*name].as_str().is_some_and(|it| !it.is_empty()))
        );
        assert!(members.iter().all(|(name, value)| name == "tag" || value.is_string() || value.is_i64()));
    }
}

#[test]
fn case_and_stix_hold_each_fact_each_value_and_each_time() {
    let run = run();
    for (text, what) in [
        (text(|out| exchange::case_uco(&run, &attack(), out)).0, "case"),
        (text(|out| exchange::stix(&run, &attack(), out)).0, "stix"),
    ] {
        assert_inert(&text);
        let document: Value = serde_json::from_str(&text).unwrap();
        let mut found = Vec::new();
        strings(&document, &mut found);
        let all = found.join("\u{1}");
        for id in ids(&run) {
            assert!(found.contains(&id), "{what}: {id}");
        }
        for value in hostile_values() {
            assert!(all.contains(&value), "{what}: {value:?}");
        }
        for time in ["2024-03-01T12:00:02.1234567Z", "2024-03-01T12:00:02.0000000 local", "1601-01-02"] {
            assert!(all.contains(time), "{what}: {time}");
        }
    }
}

/// Collects all ids that are defined, and all that are referred to.
fn linked(value: &Value, defined: &mut Vec<String>, named: &mut BTreeSet<String>) {
    match value {
        Value::Object(members) => {
            if let Some(id) = members.get("@id").and_then(Value::as_str) {
                match members.len() {
                    1 => drop(named.insert(id.to_owned())),
                    _ => defined.push(id.to_owned()),
                }
            }
            members.values().for_each(|member| linked(member, defined, named));
        }
        Value::Array(items) => items.iter().for_each(|item| linked(item, defined, named)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

#[test]
fn every_reference_of_the_graph_leads_somewhere_and_no_id_is_given_twice() {
    let run = run();
    let document: Value =
        serde_json::from_str(&text(|out| exchange::case_uco(&run, &attack(), out)).0).unwrap();
    let (mut defined, mut named) = (Vec::new(), BTreeSet::new());
    linked(&document["@graph"], &mut defined, &mut named);
    let unique: BTreeSet<String> = defined.iter().cloned().collect();
    assert_eq!(unique.len(), defined.len());
    let missing: Vec<&String> = named.difference(&unique).collect();
    assert!(missing.is_empty(), "{missing:?}");

    let bundle: Value = serde_json::from_str(&text(|out| exchange::stix(&run, &attack(), out)).0).unwrap();
    let objects = bundle["objects"].as_array().unwrap();
    let ids: BTreeSet<&str> = objects.iter().map(|object| object["id"].as_str().unwrap()).collect();
    assert_eq!(ids.len(), objects.len());
    for object in objects {
        let of = |name: &str| object[name].as_array().into_iter().flatten().filter_map(Value::as_str);
        let single = ["created_by_ref", "parent_directory_ref", "image_ref"];
        let single = single.iter().filter_map(|name| object[*name].as_str());
        for named in of("object_refs").chain(single) {
            assert!(ids.contains(named), "{named}");
        }
    }
}

#[test]
fn an_agents_words_are_no_observable() {
    let run = run();
    let document: Value =
        serde_json::from_str(&text(|out| exchange::case_uco(&run, &attack(), out)).0).unwrap();
    let nodes = document["@graph"].as_array().unwrap();
    let said = |node: &&Value| node["core:statement"].is_array();
    let classes: BTreeSet<&str> =
        nodes.iter().filter(said).map(|node| node["@type"].as_str().unwrap()).collect();
    assert_eq!(classes, ["analysis:AnalyticResult", "core:Annotation", "core:Assertion"].into());
    let words = nodes.iter().filter(|node| node["core:statement"][0] == HOSTILE[0]);
    for node in words {
        assert!(node["core:description"][0].as_str().unwrap().contains("an interpretation, no evidence"));
    }
}

/// A function that writes a run.
type Format = fn(&Run, &mut Vec<u8>) -> std::io::Result<Written>;

#[test]
fn the_same_run_gives_the_same_bytes_and_another_one_other_ids() {
    let (one, same) = (run(), run());
    let formats: [Format; 5] = [
        |run, out| exchange::facts_csv(run, &attack(), out),
        |run, out| exchange::timeline_csv(run, &attack(), out),
        |run, out| exchange::timesketch(run, &attack(), out),
        |run, out| exchange::case_uco(run, &attack(), out),
        |run, out| exchange::stix(run, &attack(), out),
    ];
    for format in formats {
        assert_eq!(text(|out| format(&one, out)), text(|out| format(&same, out)));
    }
    let mut other = run();
    other.circumstance.run = Some(RunId::new("20260101T120001Z-case").unwrap());
    let ids = |run: &Run| {
        let bundle: Value = serde_json::from_str(&text(|out| exchange::stix(run, &attack(), out)).0).unwrap();
        bundle["objects"].as_array().unwrap().iter().map(|it| it["id"].to_string()).collect::<BTreeSet<_>>()
    };
    // STIX treats what two runs name alike as one thing: files, folders, keys.
    let (one, other) = (ids(&one), ids(&other));
    let shared: Vec<&String> = one.intersection(&other).collect();
    assert!(shared.iter().all(|id| {
        ["\"file", "\"directory", "\"windows-registry-key"].iter().any(|kind| id.starts_with(kind))
    }));
}

#[test]
fn a_statement_names_the_run_and_the_files() {
    let run = run();
    let sealed =
        Sealed { head: Digest::of(b"head"), manifest: Digest::of(b"manifest"), events: 3, payloads: 1 };
    let file = Subject { name: HOSTILE[1].into(), sha256: Digest::of(b"file") };
    let bytes = exchange::statement(&run, &sealed, &[file]).unwrap();
    let statement: Value = serde_json::from_slice(&bytes).unwrap();
    assert_eq!(statement["_type"], "https://in-toto.io/Statement/v1");
    assert_eq!(statement["predicateType"], exchange::PREDICATE_TYPE);
    let subjects = statement["subject"].as_array().unwrap();
    assert_eq!(subjects[0]["digest"]["sha256"], Digest::of(b"manifest").to_string());
    assert_eq!(subjects[1]["digest"]["locardHead"], Digest::of(b"head").to_string());
    assert_eq!(subjects[2]["name"], HOSTILE[1]);
    assert_eq!(statement["predicate"]["facts"], HOSTILE.len() + 2);
}
