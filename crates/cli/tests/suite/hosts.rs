//! A case with two hosts, one of which holds files of the other and had its clock set back.
//! Every answer and every order is checked against what was planted.

use crate::support::{Place, answers, facts, invocations, script, str};
use app::RunRequest;
use graph::{Run, Stands};
use ledger::turn::{Answer, TurnRequest};
use ledger::{FactEntry, Placement, Rules, Vocabulary};
use serde_json::json;
use std::sync::{Arc, Mutex};
use testkit::evtx::{Event, log};
use testkit::hive::{HiveSpec, KeySpec, ValueSpec};
use testkit::scripted::calls;

const LOGS: &str = "C/Windows/System32/winevt/Logs";
/// 2023-03-01T10:00:00Z in minutes since 1601.
const TEN: u64 = 222_035_640;

fn hive(name: &str) -> Vec<u8> {
    let key = KeySpec::new("ComputerName").value(ValueSpec::sz("ComputerName", name));
    let select = KeySpec::new("Select").value(ValueSpec::dword("Current", 1));
    let root = KeySpec::new("ROOT").key(select);
    HiveSpec::new(root.path("ControlSet001\\Control\\ComputerName\\ComputerName", key)).build().bytes
}

/// An event of a computer, this many minutes after ten.
fn event<'a>(
    (number, minutes): (u64, i64),
    computer: &'a str,
    (channel, event_id): (&'a str, u16),
    data: &'a [(&'a str, &'a str)],
) -> Event<'a> {
    let (provider, guid) = match channel {
        "Security" if event_id == 1102 => {
            ("Microsoft-Windows-Eventlog", Some("{fc65ddd8-d6ef-4962-83d5-6e5cfe9ce148}"))
        }
        "Security" => ("Microsoft-Windows-Security-Auditing", Some("{54849625-5478-4994-a5ba-3e3b0328c30d}")),
        _ => ("Service Control Manager", Some("{555908d1-a6d7-4695-8e1e-26931d2012f4}")),
    };
    Event {
        record_id: number,
        time: TEN.saturating_add_signed(minutes) * 60 * 10_000_000,
        provider,
        guid,
        event_id,
        level: 4,
        channel,
        computer,
        user_sid: None,
        user_data: (event_id == 1102).then_some("LogFileCleared"),
        data,
    }
}

const LOGON: &[(&str, &str)] = &[
    ("SubjectUserName", "ALDER$"),
    ("TargetUserSid", "S-1-5-21-1-2-3-1001"),
    ("TargetUserName", "mara"),
    ("TargetDomainName", "ALDER"),
    ("TargetLogonId", "0x51c07"),
    ("LogonType", "2"),
    ("IpAddress", "-"),
];
const CLEARED: &[(&str, &str)] = &[("SubjectUserName", "eve"), ("SubjectDomainName", "BIRCH")];
const SERVICE: &[(&str, &str)] = &[
    ("ServiceName", "BirchAgent"),
    ("ImagePath", r"C:\birch\agent.exe"),
    ("ServiceType", "user mode service"),
    ("StartType", "auto start"),
    ("AccountName", "LocalSystem"),
];

/// ALDER's logons in minutes after ten, in the order in which they happened.
/// After the third, its clock was set back by 80 minutes.
const MINUTES: [i64; 5] = [-600, 0, 30, -50, 900];

/// ALDER has a copied log of BIRCH among its own and another one in Downloads; BIRCH has no Security log.
fn two_hosts(place: &Place) {
    place.file("case/alder/C/Windows/notepad.exe", "MZ");
    place.file("case/birch/C/Windows/notepad.exe", "MZ");
    place.file("case/alder/C/Windows/System32/config/SYSTEM", hive("ALDER"));
    place.file("case/birch/C/Windows/System32/config/SYSTEM", hive("BIRCH"));
    let logon = |(number, minutes): (usize, &i64)| {
        event((number as u64 + 1, *minutes), "ALDER", ("Security", 4624), LOGON)
    };
    let own: Vec<_> = MINUTES.iter().enumerate().map(logon).collect();
    place.file(&format!("case/alder/{LOGS}/Security.evtx"), log(&own));
    let cleared = log(&[event((90, 5), "BIRCH", ("Security", 1102), CLEARED)]);
    place.file(&format!("case/alder/{LOGS}/Archive-Security-2025-09-01-00-00-00-000.evtx"), cleared);
    let service = log(&[event((7, 6), "BIRCH", ("System", 7045), SERVICE)]);
    place.file("case/alder/C/Users/mara/Downloads/System.evtx", &service);
    place.file(&format!("case/birch/{LOGS}/System.evtx"), service);
    let piece =
        |name: &str| format!("[[evidence]]\nlabel = \"{name}\"\npath = \"{name}\"\nkind = \"directory\"\n");
    place.file("case/case.toml", format!("title = \"Two hosts\"\n{}{}", piece("alder"), piece("birch")));
}

fn told(run: &Run) -> impl Iterator<Item = &FactEntry> {
    run.facts().map(|(_, accepted)| &accepted.fact)
}

/// The files that the facts of an answer come from, with the values that they state.
fn answer(run: &Run, id: &str) -> Vec<(String, String)> {
    let questions = graph::questions(run);
    let question = questions.iter().find(|it| it.objective.id == id).unwrap();
    let facts = question.stands.facts().iter().map(|id| run.fact(*id).unwrap());
    let said = |fact: &FactEntry| {
        let values: Vec<_> = question.objective.condition.answers(fact).collect();
        (format!("{}:{}", fact.locator.evidence, fact.locator.path), values[0].value.to_text().into_owned())
    };
    facts.map(said).collect()
}

#[test]
fn what_one_host_holds_of_another_answers_nothing_about_it() {
    let place = Place::new();
    two_hosts(&place);
    place.locard_ends(0, &["run", "case/case.toml"]);
    let told_of = place.locard_ends(0, &["answers", "latest"]);
    assert!(
        told_of.split("\nbirch\n").nth(1).unwrap().contains("The service BirchAgent was installed"),
        "{told_of}"
    );
    let folder = place.only_run();
    let run = app::load_run(&folder).unwrap();
    let mut names = answer(&run, "computer-name");
    names.sort();
    names.dedup();
    let of = |host: &str, file: &str| format!("{host}:C/Windows/System32/{file}");
    let own = |host: &str| (of(host, "config/SYSTEM"), host.to_uppercase());
    assert_eq!(names, [own("alder"), own("birch")]);
    let agent = (of("birch", "winevt/Logs/System.evtx"), r"C:\birch\agent.exe".to_owned());
    assert_eq!(answer(&run, "services"), [agent]);
    // The cleared log is BIRCH's, and ALDER only has a copy of it. ALDER's own log has no such event.
    let questions = graph::questions(&run);
    let cleared = questions.iter().find(|it| it.objective.id == "cleared").unwrap();
    let Stands::Searched { lacking, .. } = &cleared.stands else { panic!("{:?}", cleared.stands) };
    assert_eq!(lacking, &["birch"]);
    let vocabulary = Vocabulary::shipped().unwrap();
    let foreign: Vec<_> = told(&run).filter(|fact| fact.placement == Some(Placement::Foreign)).collect();
    assert!(!foreign.is_empty());
    for fact in foreign {
        assert!(fact.locator.path.ends_with("Archive-Security-2025-09-01-00-00-00-000.evtx"), "{fact:?}");
        assert!(vocabulary.meaning(&fact.predicate).unwrap().anywhere, "{fact:?}");
    }
    let copied = |fact: &&FactEntry| {
        fact.locator.path.ends_with("Archive-Security-2025-09-01-00-00-00-000.evtx")
            && fact.kind != "dir_entry"
    };
    assert!(told(&run).filter(copied).all(|fact| fact.placement == Some(Placement::Foreign)));
    let page = place.locard_ends(0, &["report", str(&folder), "--format", "markdown"]);
    for words in [
        "a log of another computer at",
        "this does not cover birch, which lacks",
        "records that name another computer, in",
    ] {
        assert!(page.contains(words), "{words}: {page}");
    }
    place.locard_ends(0, &["verify", str(&folder), "--evidence"]);
    place.locard_ends(0, &["replay", str(&folder)]);
}

/// The record ids and times of the last answer's records.
fn numbers(request: &TurnRequest) -> Vec<(String, String)> {
    let of = |answer: Answer| match answer {
        Answer::Returned(returned) => returned.page.map(|page| page.output),
        _ => None,
    };
    let outputs: Vec<_> = answers(request).into_iter().filter_map(of).collect();
    let text = |record: &ledger::Record, field: &str| record.fields[field].value.to_text().into_owned();
    let records = outputs.iter().flat_map(|output| output.records());
    records.map(|record| (text(record, "record_id"), text(record, "time"))).collect()
}

/// Every pair of facts, in order.
fn pairs(facts: &[String]) -> impl Iterator<Item = (&String, &String)> {
    let later = |at: usize| facts.iter().skip(at + 1);
    facts.iter().enumerate().flat_map(move |(at, one)| later(at).map(move |other| (one, other)))
}

#[test]
fn every_order_that_is_derived_is_that_in_which_things_happened() {
    let place = Place::new();
    two_hosts(&place);
    let order = |one: &String, other: &String| {
        let term = |fact: &String| json!({"fact": fact, "field": "time"});
        ("record_derivation", json!({"form": "order", "terms": [term(one), term(other)]}))
    };
    let known = Arc::new(Mutex::new(Vec::new()));
    let put = Arc::clone(&known);
    let logons = json!({"source": "event_log", "record": "logon", "evidence": "alder"});
    let script = script(vec![
        Box::new(|_| calls(1, &[("timeline_anomalies", json!({"record": "clock_step"}))])),
        Box::new(move |_| calls(2, &[("records", logons.clone())])),
        Box::new(|request| {
            let cited = invocations(request).remove(0);
            let reading = |(at, (number, time)): (usize, &(String, String))| json!({"predicate": "logged_on", "values": {"time": time, "record_id": number}, "invocation": cited, "record": format!("r{at}")});
            let mut numbered: Vec<_> = numbers(request).into_iter().enumerate().collect();
            numbered.sort_by_key(|(_, (number, _))| number.parse::<u64>().unwrap());
            let readings: Vec<_> = numbered.iter().map(|(at, it)| reading((*at, it))).collect();
            calls(3, &[("record_phenomenon", json!({"readings": readings}))])
        }),
        Box::new(move |request| {
            let facts = facts(request);
            assert_eq!(facts.len(), MINUTES.len());
            *put.lock().unwrap() = facts.clone();
            calls(4, &pairs(&facts).map(|(one, other)| order(one, other)).collect::<Vec<_>>())
        }),
        Box::new(move |_| {
            let facts = known.lock().unwrap().clone();
            calls(5, &pairs(&facts).map(|(one, other)| order(other, one)).collect::<Vec<_>>())
        }),
    ]);
    let request = place.request(Rules::default(), vec![("eventlog", script)]);
    let case = app::load_case(&place.path("case/case.toml")).unwrap();
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
    let finished = runtime.block_on(app::run(RunRequest { case, ..request })).unwrap();
    let run = app::load_run(&finished.folder).unwrap();
    let number = |fact| {
        let fact: &FactEntry = run.fact(fact).unwrap();
        let bound = fact.values.iter().find(|value| value.field == "record_id").unwrap();
        bound.value.to_text().parse::<u64>().unwrap()
    };
    let ordered: Vec<(u64, u64)> = run
        .derivations()
        .map(|(_, it)| it.derivation.derivation.facts())
        .map(|facts| (number(facts[0]), number(facts[1])))
        .collect();
    // Record numbers keep rising when times go back: all ten pairs are derived, each in the right order.
    assert_eq!(ordered.len(), 10, "{ordered:?}");
    assert!(ordered.iter().all(|(one, other)| one < other), "{ordered:?}");
    place.locard_ends(0, &["verify", str(&finished.folder)]);
}
