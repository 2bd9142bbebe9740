//! An absence names similar things that do exist: printed without them, it could be misread.

use crate::support::{Place, invocations, script, str};
use ledger::Rules;
use serde_json::{Value, json};
use testkit::scripted::calls;

/// The call of a search, and the call that records the absence it shows.
fn absent(search: (&'static str, Value), absence: Value) -> [crate::support::Turn; 2] {
    [
        Box::new(move |_| calls(1, std::slice::from_ref(&search))),
        Box::new(move |request| {
            let mut absence = absence.clone();
            absence["searches"] = json!([invocations(request)[0]]);
            calls(2, &[("record_absence", absence)])
        }),
    ]
}

#[test]
fn an_absence_names_what_reads_the_same_what_is_deleted_and_what_is_of_another_kind() {
    let file =
        |name: &str| (("find_files", json!({ "name": name })), json!({ "form": "file", "name": name }));
    let key = r"Microsoft\Windows\CurrentVersion\Run\ScanToPdf";
    let hive = "p1/Windows/System32/config/SOFTWARE";
    let of_key = (
        ("parse_registry_key", json!({ "hive": hive, "key": key, "evidence": "alder-07" })),
        json!({ "form": "registry_key", "hive": hive, "key": key, "evidence": "alder-07" }),
    );
    for ((search, absence), near) in [
        (file("Sc\u{430}nToPdf-Setup.exe"), "reads the same: p1/Users/mara/Downloads/ScanToPdf-Setup.exe"),
        (file("ScanToPdf -Setup.exe"), "reads the same: p1/Users/mara/Downloads/ScanToPdf-Setup.exe"),
        (file("*canT0Pdf-Set*"), "reads the same: p1/Users/mara/Downloads/ScanToPdf-Setup.exe"),
        (file("Zone.Identifier"), "a stream: p1/Users/mara/Downloads/ScanToPdf-Setup.exe:Zone.Identifier"),
        (file("stage.ps1"), "a deleted entry: p1/"),
        (of_key, r"a value: Microsoft\Windows\CurrentVersion\Run\ScanToPdf"),
        (file("no-such-thing.xyz"), ""),
    ] {
        let place = Place::new();
        let steps = absent(search, absence).into_iter().collect();
        let (finished, run) = place.investigate(Rules::default(), vec![("registry", script(steps))]);
        let told: Vec<String> = run.absences().map(|(_, it)| it.absence.absence.to_string()).collect();
        let [told] = told.as_slice() else { panic!("{told:?} {:?}", graph::refused_claims(&run)) };
        assert_eq!(told.contains("near it is"), !near.is_empty(), "{told}");
        assert!(told.contains(near), "{told}: {near}");
        let folder = str(&finished.folder);
        place.locard_ends(0, &["verify", folder, "--evidence"]);
        place.locard_ends(0, &["replay", folder]);
        assert!(place.locard_ends(0, &["facts", folder]).contains(near));
    }
}

#[test]
fn a_search_that_leaves_something_out_shows_no_absence() {
    let condition = "channel = 'Security' AND event_id = 1102";
    let search = |more: Value| {
        let mut arguments = json!({ "source": "event_log", "where": condition });
        arguments.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        arguments
    };
    let absence = json!({ "form": "events", "channel": "Security", "ids": [1102] });
    for (tool, arguments, because) in [
        // The demo's log was cleared, but a search that excludes this event finds nothing.
        (
            "records",
            search(json!({ "exclude": "1102" })),
            r#"searched less, because of its argument "exclude""#,
        ),
        (
            "timeline",
            json!({ "source": "event_log", "exclude": "a", "fold": true }),
            "is no search for events",
        ),
    ] {
        let place = Place::new();
        let listed = ("list_event_channels", json!({}));
        let (made, absence) = ((tool, arguments.clone()), absence.clone());
        let steps: Vec<crate::support::Turn> = vec![
            Box::new(move |_| calls(1, &[listed.clone(), made.clone()])),
            Box::new(move |request| {
                let mut absence = absence.clone();
                absence["searches"] = json!([invocations(request)[1]]);
                calls(2, &[("record_absence", absence)])
            }),
        ];
        let (finished, run) = place.investigate(Rules::default(), vec![("eventlog", script(steps))]);
        assert_eq!(run.absences().count(), 0, "{tool} {arguments}");
        let refused = graph::refused_claims(&run);
        let [refused] = refused.as_slice() else { panic!("{refused:?}") };
        assert!(refused.rejection.reason.contains(because), "{:?}", refused.rejection);
        place.locard_ends(0, &["verify", str(&finished.folder), "--evidence"]);
    }
}

#[test]
fn events_of_a_kind_are_absent_by_who_writes_them_and_their_id() {
    let where_of =
        |provider: &str| format!("channel = 'System' AND provider = '{provider}' AND event_id = 7034");
    let search = json!({ "source": "event_log", "where": where_of("Service Control Manager") });
    let claim = |more: Value| {
        let mut claim = json!({ "form": "events", "channel": "System", "ids": [7034] });
        claim.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        claim
    };
    let of_one = claim(json!({ "provider": "Service Control Manager" }));
    for (absence, holds) in [(of_one, true), (claim(json!({})), false)] {
        let place = Place::new();
        let search = search.clone();
        let steps: Vec<crate::support::Turn> = vec![
            Box::new(move |_| calls(1, &[("list_event_channels", json!({})), ("records", search.clone())])),
            Box::new(move |request| {
                let mut absence = absence.clone();
                absence["searches"] = json!([invocations(request)[1]]);
                calls(2, &[("record_absence", absence)])
            }),
        ];
        let (finished, run) = place.investigate(Rules::default(), vec![("eventlog", script(steps))]);
        let told: Vec<String> = run.absences().map(|(_, it)| it.absence.absence.to_string()).collect();
        assert_eq!(told.len(), usize::from(holds), "{told:?} {:?}", graph::refused_claims(&run));
        let says = "no event 7034 of the provider \"Service Control Manager\" in the channel \"System\"";
        assert!(told.iter().all(|told| told.starts_with(says)), "{told:?}");
        place.locard_ends(0, &["verify", str(&finished.folder), "--evidence"]);
        place.locard_ends(0, &["replay", str(&finished.folder)]);
    }
}
