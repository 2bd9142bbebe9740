//! When searches show that a channel has no events with certain ids, and how far that reaches.

use ground::{AbsenceVerdict, Held, Search, Searchable, Shelf, judge_absence};
use ledger::{
    Absence, AbsenceClaim, AbsenceForm, AbsenceId, Completeness, Coverage, Digest, Field, FieldValue,
    IdSpace, InvocationId, Listing, Locator, Outcome, Output, Record, RecordId, RejectionCode, Seed, TaskId,
    Time,
};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// 2024-03-01T00:00:00Z as a FILETIME.
const MARCH: u64 = 133_537_248_000_000_000;
const DAY: u64 = 864_000_000_000;

fn ids() -> IdSpace {
    IdSpace::new(Seed(Digest::of(b"absent events")))
}

fn id(ordinal: u32) -> InvocationId {
    InvocationId::assign(&ids(), TaskId(1), ordinal).unwrap()
}

fn coverage() -> BTreeMap<String, Vec<Coverage>> {
    let same = |names: &[&str]| names.iter().map(|name| ((*name).to_owned(), (*name).to_owned())).collect();
    let required = BTreeMap::from([("under".to_owned(), json!("")), ("offset".to_owned(), json!(0))]);
    let listing = Listing {
        tool: "list_event_channels".into(),
        kind: "event_log".into(),
        evidence: "evidence".into(),
        required: required.clone(),
        free: vec!["limit".into()],
    };
    let mut searched = required;
    searched.insert("source".into(), json!("event_log"));
    let events = Coverage {
        form: AbsenceForm::Events,
        members: same(&["where", "from", "to", "evidence"]),
        required: searched,
        free: vec!["limit".into()],
        reach: Some(listing),
    };
    BTreeMap::from([("records".to_owned(), vec![events])])
}

fn held(ordinal: u32, tool: &str, arguments: Value, records: Vec<Record>) -> Held {
    Held {
        invocation: id(ordinal),
        summary: tool.to_owned(),
        search: Search {
            logs: None,
            near: Vec::new(),
            tool: tool.to_owned(),
            arguments: Some(arguments),
            completeness: Completeness::Complete,
            whole: true,
        },
        outcome: if records.is_empty() { Outcome::Empty } else { Outcome::Ok },
        output: Some(Arc::new(Output::new(records).unwrap())),
        shown: Vec::new(),
    }
}

/// Returns a log of a host whose records are between two days, counted from the first of March.
fn log(host: &str, channel: &str, days: (u64, u64)) -> Record {
    let field = |value| Field { at: None, value };
    let time = |day: u64| field(FieldValue::Time(Time::from_filetime(MARCH + day * DAY)));
    Record {
        placement: None,
        defects: vec![],
        fields: BTreeMap::from([
            ("channel".to_owned(), field(FieldValue::Name(channel.into()))),
            ("first".to_owned(), time(days.0)),
            ("last".to_owned(), time(days.1)),
            ("first_record_id".to_owned(), field(FieldValue::Integer((100 * days.0).into()))),
            ("last_record_id".to_owned(), field(FieldValue::Integer((100 * days.1).into()))),
        ]),
        id: RecordId(0),
        kind: "event_log".into(),
        locator: Locator { evidence: host.into(), path: format!("{channel}.evtx"), stream: None, span: None },
    }
}

/// Returns invocation 1, the listing of three logs.
fn listing() -> Held {
    let logs = vec![
        log("host-1", "Security", (2, 9)),
        log("host-2", "Security", (0, 3)),
        log("host-1", "System", (0, 30)),
    ];
    held(1, "list_event_channels", json!({"under": "", "offset": 0, "limit": 1000}), logs)
}

fn asked(condition: &str) -> Value {
    json!({"source": "event_log", "under": "", "offset": 0, "limit": 1000, "where": condition})
}

fn events(channel: &str, ids: &[u32]) -> Absence {
    Absence::Events {
        channel: channel.into(),
        provider: None,
        ids: ids.iter().copied().collect(),
        from: None,
        to: None,
        evidence: None,
        reach: None,
    }
}

fn spanning(from: Option<&str>, to: Option<&str>) -> Absence {
    let Absence::Events { channel, ids, .. } = events("Security", &[1102]) else { panic!() };
    let (from, to) = (from.map(str::to_owned), to.map(str::to_owned));
    Absence::Events { channel, provider: None, ids, from, to, evidence: None, reach: None }
}

fn judge(shelf: &[Held], absence: Absence) -> Result<Absence, RejectionCode> {
    let mut all = Shelf::default();
    shelf.iter().cloned().for_each(|held| all.push(held));
    let evidence = BTreeSet::from(["host-1".to_owned(), "host-2".to_owned()]);
    let claim = AbsenceClaim { absence, searches: vec![id(0).to_string()] };
    let absence = AbsenceId::assign(&ids(), TaskId(1), 0).unwrap();
    match judge_absence(
        &claim,
        absence,
        &all,
        &Searchable { coverage: &coverage(), evidence: &evidence, as_it_stands: true },
    ) {
        AbsenceVerdict::Covered(covered) => Ok(covered.into_entry().absence),
        AbsenceVerdict::Refused(rejection) => Err(rejection.code),
    }
}

/// Judges an absence after the listing and one empty search.
fn after(search: Value, absence: Absence) -> Result<Absence, RejectionCode> {
    judge(&[listing(), held(0, "records", search, vec![])], absence)
}

#[test]
fn absent_events_are_told_with_how_far_the_logs_reach() {
    let condition = "channel = 'security' AND event_id IN (1102, 4719)";
    let covered = after(asked(condition), events("Security", &[1102])).unwrap();
    assert_eq!(
        covered.to_string(),
        "no event 1102 in the channel \"security\", whose logs go from 2024-03-03T00:00:00.0000000Z to 2024-03-10T00:00:00.0000000Z (of \"host-1\"), \
         and from 2024-03-01T00:00:00.0000000Z to 2024-03-04T00:00:00.0000000Z (of \"host-2\")"
    );
    let mut of_one = asked(condition);
    of_one["evidence"] = json!("host-2");
    let covered = after(of_one, events("Security", &[1102, 4719])).unwrap();
    assert_eq!(
        covered.to_string(),
        "no event 1102, 4719 in the channel \"security\" of \"host-2\", whose logs go from 2024-03-01T00:00:00.0000000Z to 2024-03-04T00:00:00.0000000Z"
    );
}

#[test]
fn a_search_for_other_events_or_fewer_covers_none() {
    let with = |member: &str, value: Value| {
        let mut arguments = asked("channel = 'Security' AND event_id = 1102");
        arguments[member] = value;
        arguments
    };
    for (searched, ids) in [
        (asked("channel = 'Security' AND event_id = 1102"), vec![1102, 4719]),
        (asked("channel = 'System' AND event_id = 1102"), vec![1102]),
        (asked("channel = 'Security' AND event_id = 1102 AND account = 'eve'"), vec![1102]),
        (asked("channel = 'Security' AND event_id > 1102"), vec![1103]),
        (asked("event_id = 1102"), vec![1102]),
        (with("where", Value::Null), vec![1102]),
        (with("name", json!("eve")), vec![1102]),
        (with("text", json!("eve")), vec![1102]),
        (with("exclude", json!("eve")), vec![1102]),
        (with("fold", json!(false)), vec![1102]),
        (with("rare_first", json!(true)), vec![1102]),
        (with("record", json!("event")), vec![1102]),
        (with("under", json!("C/Users")), vec![1102]),
        (with("offset", json!(1)), vec![1102]),
        (with("source", json!("task")), vec![1102]),
        (with("from", json!("2024-03-05T00:00:00Z")), vec![1102]),
        (with("to", json!("2024-03-05T00:00:00Z")), vec![1102]),
    ] {
        let code = after(searched.clone(), events("Security", &ids));
        assert_eq!(code, Err(RejectionCode::CoverageMissing), "{searched}");
    }
}

#[test]
fn a_listing_that_leaves_logs_out_says_nothing_of_how_far_they_reach() {
    let search = asked("channel = 'Security' AND event_id = 1102");
    for left_out in [json!("host"), Value::Null] {
        let mut listing = listing();
        listing.search.arguments.as_mut().unwrap()["exclude"] = left_out.clone();
        let found =
            judge(&[listing, held(0, "records", search.clone(), vec![])], events("Security", &[1102]));
        assert_eq!(found.is_ok(), left_out.is_null(), "{found:?}");
    }
}

#[test]
fn a_span_is_covered_by_a_search_of_it_or_of_everything_where_the_logs_reach() {
    let everything = asked("channel = 'Security' AND event_id = 1102");
    let mut of_the_span = everything.clone();
    of_the_span["from"] = json!("2024-03-03T12:00:00Z");
    let (from, to) = (Some("2024-03-03T13:00:00+01:00"), Some("2024-03-03T18:00:00Z"));
    assert!(after(everything.clone(), spanning(from, to)).is_ok());
    assert!(after(of_the_span.clone(), spanning(from, to)).is_ok());
    assert!(after(of_the_span.clone(), spanning(Some("2024-03-03T11:00:00Z"), to)).is_err());
    for (from, to) in [
        (Some("2031-01-01T00:00:00Z"), None),
        (None, Some("1999-01-01T00:00:00Z")),
        // Outside the log of one host, or of the other.
        (Some("2024-03-03T12:00:00Z"), Some("2024-03-05T00:00:00Z")),
        (Some("2024-03-02T00:00:00Z"), Some("2024-03-03T12:00:00Z")),
    ] {
        let code = after(everything.clone(), spanning(from, to));
        assert_eq!(code, Err(RejectionCode::CoverageMissing), "{from:?} {to:?}");
    }
    for (from, to) in
        [(Some("yesterday"), None), (Some("2024-03-06T00:00:00Z"), Some("2024-03-05T00:00:00Z"))]
    {
        let code = after(everything.clone(), spanning(from, to));
        assert_eq!(code, Err(RejectionCode::Malformed), "{from:?} {to:?}");
    }
}

#[test]
fn without_a_whole_listing_that_has_the_channel_nothing_is_absent() {
    let search = || held(0, "records", asked("channel = 'Security' AND event_id = 1102"), vec![]);
    let absence = || events("Security", &[1102]);
    let missing = Err(RejectionCode::CoverageMissing);
    assert_eq!(judge(&[search()], absence()), missing);
    let spoilt: [fn(&mut Held); 5] = [
        |held| held.search.completeness = Completeness::Truncated,
        |held| held.search.whole = false,
        |held| held.search.arguments = Some(json!({"under": "", "offset": 0, "evidence": "host-2"})),
        |held| held.search.arguments = Some(json!({"under": "", "offset": 0, "where": "records > 0"})),
        |held| {
            held.output = Some(Arc::new(Output::new(vec![log("host-1", "System", (0, 9))]).unwrap()));
        },
    ];
    for (place, spoil) in spoilt.into_iter().enumerate() {
        let mut listed = listing();
        spoil(&mut listed);
        assert_eq!(judge(&[listed, search()], absence()), missing, "{place}");
    }
}

#[test]
fn a_claim_cannot_say_itself_how_far_logs_reach() {
    let reach = ledger::Reach { listed: id(1), stretches: vec![] };
    let mut claimed = events("Security", &[1102]);
    let Absence::Events { reach: own, .. } = &mut claimed else { panic!() };
    *own = Some(reach);
    let searched = asked("channel = 'Security' AND event_id = 1102");
    assert_eq!(after(searched.clone(), claimed), Err(RejectionCode::Malformed));
    for ids in [vec![], (0..65).collect::<Vec<u32>>()] {
        assert_eq!(after(searched.clone(), events("Security", &ids)), Err(RejectionCode::Malformed));
    }
}

#[test]
fn logs_that_are_numbered_on_are_one_stretch_and_between_others_nothing_is_known() {
    let search = || held(0, "records", asked("channel = 'Security' AND event_id = 1102"), vec![]);
    let told = |logs: Vec<Record>, from: Option<&str>| {
        let listed = held(1, "list_event_channels", json!({"under": "", "offset": 0}), logs);
        judge(&[listed, search()], spanning(from, None)).map(|absence| absence.to_string())
    };
    let log = |days| log("host-1", "Security", days);
    let in_the_hole = Some("2024-03-05T12:00:00Z");
    let joined = told(vec![log((4, 9)), log((2, 4))], in_the_hole).unwrap();
    let whole = "whose logs go from 2024-03-03T00:00:00.0000000Z to 2024-03-10T00:00:00.0000000Z";
    assert!(joined.ends_with(whole), "{joined}");
    let apart = || vec![log((2, 4)), log((5, 9))];
    let both = told(apart(), None).unwrap();
    assert!(both.contains("03-05T00:00:00.0000000Z, and from 2024-03-06T00:00:00.0000000Z to "), "{both}");
    assert_eq!(told(apart(), in_the_hole), Err(RejectionCode::CoverageMissing));
    for (field, value) in [
        ("missing", FieldValue::Integer(3)),
        ("channels", FieldValue::List(vec!["Setup".into(), "Security".into()])),
    ] {
        let mut doubtful = log((2, 9));
        doubtful.fields.insert(field.to_owned(), Field { at: None, value });
        assert_eq!(told(vec![doubtful], None), Err(RejectionCode::CoverageMissing), "{field}");
    }
}

#[test]
fn events_of_one_provider_are_absent_by_a_search_for_these_or_for_all() {
    let of = |provider: &str| {
        let Absence::Events { channel, ids, .. } = events("Security", &[1102]) else { panic!() };
        let provider = Some(provider.to_owned());
        Absence::Events { channel, provider, ids, from: None, to: None, evidence: None, reach: None }
    };
    let for_all = "channel = 'Security' AND event_id = 1102";
    let for_one = "channel = 'Security' AND provider = 'Microsoft-Windows-Eventlog' AND event_id = 1102";
    let told = after(asked(for_one), of("microsoft-windows-eventlog")).unwrap().to_string();
    assert!(
        told.starts_with("no event 1102 of the provider \"microsoft-windows-eventlog\" in the channel"),
        "{told}"
    );
    assert!(after(asked(for_all), of("Microsoft-Windows-Eventlog")).is_ok());
    let missing = Err(RejectionCode::CoverageMissing);
    assert_eq!(after(asked(for_one), events("Security", &[1102])), missing, "others write that id, too");
    assert_eq!(after(asked(for_one), of("Other")), missing);
    assert_eq!(after(asked(for_one), of(" ")), Err(RejectionCode::Malformed));
}
