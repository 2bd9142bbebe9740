//! How an agent gets an overview.
//! It leaves out and folds rows, counts narrowed searches, calls `overview`, and reads refusals that list the fields.

use crate::fixture::{Fixture, text, value, write};
use crate::timeline_rows::made_ready;
use detect::{Level, Trace, shipped};
use evidence::{Tree, open_directory};
use ledger::pattern::fold;
use ledger::{Completeness, FieldValue, Outcome, Record};
use serde_json::{Value, json};
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use testkit::artifact_hives::amcache;
use testkit::evtx::{Event, log};
use testkit::hive::HiveSpec;
use tools::{Prepared, Return, catalogue, run_prepared};

const LOGS: &str = "C/Windows/System32/winevt/Logs";

/// Makes an event of a provider and id at a second.
fn event(record_id: u64, second: u64, provider: &'static str, event_id: u16) -> Event<'static> {
    Event {
        record_id,
        time: 133_000_000_000_000_000 + second * 10_000_000,
        provider,
        guid: None,
        event_id,
        level: 4,
        channel: "System",
        computer: "ALDER-07",
        user_sid: None,
        user_data: None,
        data: &[("Text", "words")],
    }
}

/// Evidence with prepared tables of all groups.
struct Host<'t> {
    trees: &'t [Box<dyn Tree>],
    ready: Prepared,
    _made: tempfile::TempDir,
}

impl<'t> Host<'t> {
    fn of(trees: &'t [Box<dyn Tree>]) -> Host<'t> {
        let made = tempfile::tempdir().unwrap();
        Host { trees, ready: made_ready(trees, made.path()), _made: made }
    }

    /// Returns the answer of a call, which must be the same over prepared tables and over those that it makes.
    fn ask(&self, tool: &str, arguments: Value) -> Return {
        let run = |prepared: &Prepared| {
            let scratch = tempfile::tempdir().unwrap();
            run_prepared(tool, &arguments, self.trees, prepared, scratch.path())
        };
        let stored = run(&self.ready);
        assert_eq!(run(&Prepared::default()), stored, "{tool} {arguments}");
        stored
    }

    fn timeline(&self, mut arguments: Value) -> Return {
        arguments["source"] = json!("event_log");
        self.ask("timeline", arguments)
    }
}

/// Makes a host whose log has one event eighty times, another one twice, and two once.
fn noisy() -> (tempfile::TempDir, Vec<Box<dyn Tree>>) {
    let folder = tempfile::tempdir().unwrap();
    let mut events: Vec<_> = (1..=80).map(|n| event(n, 10 * n, "Schannel", 36874)).collect();
    events.push(event(81, 15, "VMTools", 105));
    events.push(event(82, 500, "Service Control Manager", 7040));
    events.push(event(83, 95, "Service Control Manager", 7040));
    events.push(event(84, 901, "Disk", 11));
    write(folder.path(), &format!("{LOGS}/System.evtx"), &log(&events));
    let trees: Vec<Box<dyn Tree>> = vec![Box::new(open_directory(folder.path(), "disk").unwrap())];
    (folder, trees)
}

/// Returns what a row says, and how often.
fn told(record: &Record) -> (String, String, u64) {
    let count = text(record, "count").parse().unwrap_or(1);
    (text(record, "provider"), text(record, "event_id"), count)
}

fn row(provider: &str, id: &str, count: u64) -> (String, String, u64) {
    (provider.to_owned(), id.to_owned(), count)
}

#[test]
fn records_that_say_the_same_are_one_row_with_their_number_first_and_last() {
    let (_folder, trees) = noisy();
    let host = Host::of(&trees);
    let folded = host.timeline(json!({ "fold": true }));
    let rows: Vec<_> = folded.records.iter().map(told).collect();
    let [noise, once] = [row("Schannel", "36874", 80), row("VMTools", "105", 1)];
    let [twice, last] = [row("Service Control Manager", "7040", 2), row("Disk", "11", 1)];
    assert_eq!(rows, [noise.clone(), once.clone(), twice.clone(), last.clone()]);
    assert!(folded.notes.contains(&"rows 1 to 4 of 4".to_owned()), "{:?}", folded.notes);
    assert!(folded.notes.contains(&"84 records lie in the span in all".to_owned()), "{:?}", folded.notes);

    let all = host.timeline(json!({}));
    let of =
        |id: &str| all.records.iter().filter(|record| text(record, "event_id") == id).collect::<Vec<_>>();
    let (first, of_noise) = (&folded.records[0], of("36874"));
    assert_eq!((first.kind.as_str(), &first.locator), ("record_fold", &of_noise[0].locator));
    assert_eq!(first.fields["first"], of_noise[0].fields["time"]);
    assert_eq!(value(first, "last"), value(of_noise[79], "time"));
    assert_eq!(text(first, "record"), "event");
    // A thing that occurs once is the record itself, to be cited like any other.
    assert_eq!(folded.records[1].fields, of("105")[0].fields);

    let rare = host.timeline(json!({ "rare_first": true }));
    assert_eq!(rare.records.iter().map(told).collect::<Vec<_>>(), [once, last, twice, noise]);
}

#[test]
fn rows_can_be_read_from_any_place_on_and_are_the_same_there() {
    let (_folder, trees) = noisy();
    let host = Host::of(&trees);
    for how in [json!({}), json!({ "fold": true }), json!({ "rare_first": true })] {
        let with = |more: Value| {
            let mut arguments = how.clone();
            arguments.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
            host.timeline(arguments)
        };
        let fields = |returned: &Return| -> Vec<_> {
            returned.records.iter().map(|record| record.fields.clone()).collect()
        };
        let all = with(json!({}));
        for offset in 0..all.records.len() {
            let page = with(json!({ "offset": offset, "limit": 2 }));
            let expected: Vec<_> = fields(&all).into_iter().skip(offset).take(2).collect();
            assert_eq!(fields(&page), expected, "{how} {offset}");
            assert_eq!(page.completeness == Completeness::Complete, all.records.len() <= 2, "{how}");
        }
        let behind = with(json!({ "offset": 1000 }));
        assert_eq!((behind.outcome, behind.completeness), (Outcome::Empty, Completeness::Truncated), "{how}");
    }
}

#[test]
fn what_is_excluded_occurs_in_no_record_and_nothing_else_is_left_out() {
    let fixture = Fixture::new();
    let host = Host::of(fixture.with_files());
    let says = |record: &Record, text: &str| {
        let held = |value: &FieldValue| fold(&value.to_text()).contains(text);
        fold(&record.locator.path).contains(text) || record.fields.values().any(|field| held(&field.value))
    };
    let mut left_out = 0;
    for (tool, arguments) in [
        ("timeline", json!({ "source": "all", "evidence": "files", "limit": 5000 })),
        ("timeline", json!({ "source": "all", "copied_times": true, "limit": 5000 })),
        ("records", json!({ "source": "event_log", "evidence": "files" })),
        ("records", json!({ "source": "prefetch", "evidence": "files" })),
        ("records", json!({ "source": "services", "evidence": "disk" })),
        ("records", json!({ "source": "usn_journal", "evidence": "files" })),
        ("parse_file", json!({ "path": "C/$MFT", "evidence": "files" })),
        ("list_event_channels", json!({ "evidence": "files" })),
    ] {
        let all = host.ask(tool, arguments.clone());
        for (exclude, texts) in [
            ("ANN", vec!["ann"]),
            ("Security.evtx || users", vec!["security.evtx", "users"]),
            ("2012-04-04T01", vec!["2012-04-04t01"]),
            ("462", vec!["462"]),
            ("nowhere at all", vec!["nowhere at all"]),
        ] {
            let mut arguments = arguments.clone();
            arguments["exclude"] = json!(exclude);
            let kept = host.ask(tool, arguments.clone());
            let fields = |records: Vec<&Record>| -> Vec<_> {
                records.into_iter().map(|record| (record.locator.clone(), record.fields.clone())).collect()
            };
            let rest = all.records.iter().filter(|record| !texts.iter().any(|text| says(record, text)));
            let expected = fields(rest.collect());
            left_out += all.records.len() - expected.len();
            // A file has several times: if the list is longer than a page, later records move up.
            assert!(all.records.len() < 5000, "{tool} {arguments}");
            assert_eq!(fields(kept.records.iter().collect()), expected, "{tool} {arguments}");
        }
    }
    assert!(left_out > 100, "{left_out}");
    for exclude in ["", " || ", "  "] {
        let nothing = json!({ "source": "event_log", "evidence": "files", "exclude": exclude });
        assert_eq!(fixture.run("records", nothing).outcome, Outcome::Failed, "{exclude:?}");
    }
}

#[test]
fn a_level_gives_the_records_that_fit_a_rule_of_it_or_above_and_says_which_rules() {
    let fixture = Fixture::new();
    let mut given = BTreeMap::new();
    for level in ["low", "medium", "high", "critical"] {
        let least = Level::of_name(level).unwrap();
        let kept = fixture.run("records", json!({ "level": level, "limit": 10_000 }));
        for record in &kept.records {
            let hits = shipped().hits(&Trace::of_record(record));
            assert!(hits.iter().any(|hit| hit.level >= least), "{level}: {record:?}");
        }
        let rules = kept.notes.iter().filter(|note| note.contains(" the rule ")).count();
        assert_eq!(rules == 0, kept.records.is_empty(), "{level}: {:?}", kept.notes);
        given.insert(Reverse(least), kept.records.len());
    }
    assert!(given.values().is_sorted() && given[&Reverse(Level::Low)] > 5, "{given:?}");
    // What one source returns is what all of them return of its types.
    let all = fixture.ok("records", json!({ "source": "persistence", "limit": 10_000 }));
    let standing = |record: &&Record| {
        shipped().hits(&Trace::of_record(record)).iter().any(|hit| hit.level >= Level::Low)
    };
    let kept = fixture.ok("records", json!({ "source": "persistence", "level": "low", "limit": 10_000 }));
    assert_eq!(kept.records.len(), all.records.iter().filter(standing).count());
    assert_eq!(fixture.run("records", json!({ "level": "ordinary" })).outcome, Outcome::Failed);
}

#[test]
fn a_count_of_a_narrowed_search_is_of_a_type_of_its_own_and_counts_what_the_search_gives() {
    let fixture = Fixture::new();
    for (narrowed, argument) in [
        (json!({ "text": "root" }), "text"),
        (json!({ "name": "*a*" }), "name"),
        (json!({ "exclude": "ann" }), "exclude"),
    ] {
        let mut asked = json!({ "source": "event_log", "evidence": "files", "where": "event_id > 100" });
        asked.as_object_mut().unwrap().extend(narrowed.as_object().unwrap().clone());
        let given = fixture.ok("records", asked.clone());
        asked["count_by"] = json!("event_id");
        let counted = fixture.ok("records", asked);
        let mut by_id: BTreeMap<String, u64> = BTreeMap::new();
        given.records.iter().for_each(|record| *by_id.entry(text(record, "event_id")).or_default() += 1);
        let mut counts: BTreeMap<String, u64> = BTreeMap::new();
        for count in &counted.records {
            assert_eq!(
                (count.kind.as_str(), text(count, "narrowed_by")),
                ("narrowed_count", argument.to_owned())
            );
            *counts.entry(text(count, "value")).or_default() += text(count, "count").parse::<u64>().unwrap();
        }
        assert_eq!(counts, by_id, "{narrowed}");
    }
    let whole = json!({ "source": "event_log", "evidence": "files", "count_by": "event_id" });
    let counts = fixture.ok("records", whole).records;
    assert!(
        counts.iter().all(|count| count.kind == "record_count" && !count.fields.contains_key("narrowed_by"))
    );
}

#[test]
fn nothing_that_leaves_out_or_folds_is_among_what_shows_an_absence() {
    let narrowing = ["exclude", "fold", "level", "rare_first"];
    for spec in catalogue() {
        for covers in &spec.covers {
            let names = covers.members.values().chain(covers.required.keys()).chain(&covers.free);
            let reach =
                covers.reach.iter().flat_map(|listing| listing.free.iter().chain(listing.required.keys()));
            let named: BTreeSet<&str> = names.chain(reach).map(String::as_str).collect();
            assert!(narrowing.iter().all(|name| !named.contains(name)), "{}: {named:?}", spec.name);
        }
        if ["overview", "timeline"].contains(&spec.name.as_str()) {
            assert!(spec.covers.is_empty(), "{}", spec.name);
        }
    }
    // The gateway uses the arguments as they were used.
    let (_folder, trees) = noisy();
    let host = Host::of(&trees);
    let asked = json!({ "source": "event_log", "where": "channel = 'System' AND event_id = 105", "exclude": "vmtools" });
    let returned = host.ask("records", asked);
    assert_eq!((returned.outcome, returned.completeness), (Outcome::Empty, Completeness::Complete));
    assert_eq!(returned.normalised.unwrap()["exclude"], "vmtools");
    let folded = host.timeline(json!({ "fold": true, "exclude": "system" }));
    assert_eq!(folded.outcome, Outcome::Empty);
    let used = folded.normalised.unwrap();
    assert_eq!(
        (&used["fold"], &used["exclude"], used.get("rare_first")),
        (&json!(true), &json!("system"), None)
    );
}

#[test]
fn a_call_without_them_is_used_as_it_was_before_they_came() {
    let (_folder, trees) = noisy();
    let host = Host::of(&trees);
    for (tool, arguments) in [("timeline", json!({})), ("records", json!({ "source": "event_log" }))] {
        let used = host.ask(tool, arguments).normalised.unwrap();
        for name in ["exclude", "fold", "rare_first"] {
            assert!(used.get(name).is_none(), "{tool}: {used}");
        }
    }
}

#[test]
fn a_field_that_no_record_has_is_answered_with_those_that_there_are_the_nearest_first() {
    let fixture = Fixture::new();
    let of_logons = |name: &str, wrong: &str| json!({ "record": "logon", "evidence": "files", name: wrong });
    for (tool, arguments, told) in [
        (
            "records",
            of_logons("count_by", "logon_typ"),
            "(is \"logon_type\" meant?); the fields are logon_type, logon_type_name",
        ),
        (
            "records",
            of_logons("where", "acount = 'ann'"),
            "(is \"account\" meant?); the fields are account, ",
        ),
        ("records", of_logons("where", "logon_type = 'ann'"), "such a value can stand in logon_type_name, "),
        (
            "records",
            json!({ "record": "logon", "evidence": "files", "count_by": "record", "sum": "acount" }),
            "; the fields are ",
        ),
        // Fields that counts have, but records need not.
        ("records", of_logons("count_by", "narrowed_by"), "; the fields are "),
        (
            "timeline",
            json!({ "source": "event_log", "field": "tme" }),
            "(is \"time\" meant?); the fields are time",
        ),
    ] {
        let returned = fixture.run(tool, arguments.clone());
        assert_eq!(returned.outcome, Outcome::Failed, "{arguments}");
        assert!(returned.notes[0].contains(told), "{arguments}: {:?}", returned.notes);
        assert!(tools::names_fields(&returned.notes[0]), "{:?}", returned.notes);
    }
}

#[test]
fn the_inventory_of_programs_is_chosen_counted_and_left_out_as_any_other_source() {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), "C/Windows/AppCompat/Programs/Amcache.hve", &HiveSpec::new(amcache()).build().bytes);
    let trees: Vec<Box<dyn Tree>> = vec![Box::new(open_directory(folder.path(), "disk").unwrap())];
    let host = Host::of(&trees);
    let with = |more: Value| {
        let mut arguments = json!({ "source": "amcache" });
        arguments.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        host.ask("records", arguments)
    };
    let all = with(json!({})).records;
    let files: Vec<_> = all.iter().filter(|record| record.kind == "amcache_file").collect();
    let (name, path) = (text(files[0], "name"), text(files[0], "path"));
    for more in [
        json!({ "where": format!("name = '{name}'") }),
        json!({ "name": path }),
        json!({ "text": path }),
        json!({ "record": "amcache_file" }),
    ] {
        let found = with(more.clone()).records;
        assert!(!found.is_empty() && found.len() < all.len(), "{more}");
        assert!(found.iter().any(|record| text(record, "path") == path), "{more}");
    }
    let without = with(json!({ "exclude": path })).records;
    assert!(!without.is_empty() && without.iter().all(|record| text(record, "path") != path));
    let counts = with(json!({ "count_by": "record" })).records;
    let sum: usize = counts.iter().map(|count| text(count, "count").parse::<usize>().unwrap()).sum();
    assert_eq!(sum, all.len());
    let dated = host.ask("timeline", json!({ "source": "amcache", "exclude": path }));
    assert!(!dated.records.is_empty() && dated.records.iter().all(|record| text(record, "path") != path));
}

#[test]
fn an_overview_gives_records_of_other_tools_and_says_which_sources_there_are() {
    let fixture = Fixture::new();
    let host = Host::of(fixture.with_files());
    let seen = host.ask("overview", json!({}));
    crate::fixture::fits(&seen, "overview");
    assert!((10..=46).contains(&seen.records.len()), "{}", seen.records.len());
    assert_eq!(seen.completeness, Completeness::Truncated);
    let kinds: BTreeSet<&str> = seen.records.iter().map(|record| record.kind.as_str()).collect();
    for kind in ["computer_name", "event_log", "os_version", "record_count"] {
        assert!(kinds.contains(kind), "{kind}: {kinds:?}");
    }
    let given = |tool: &str, arguments| host.ask(tool, arguments).records;
    let mut known = given("list_event_channels", json!({}));
    known.extend(given("records", json!({ "source": "computer_name" })));
    known.extend(given(
        "records",
        json!({ "source": "event_log", "count_by": "channel, provider, event_id" }),
    ));
    let is_known = |record: &&Record| known.iter().any(|known| known.fields == record.fields);
    for kind in ["computer_name", "event_log", "record_count"] {
        assert!(
            seen.records.iter().filter(|record| record.kind == kind).all(|record| is_known(&record)),
            "{kind}"
        );
    }
    let note = |start: &str| seen.notes.iter().find(|note| note.starts_with(start)).unwrap();
    assert!(note("sources with files: ").contains("prefetch ("));
    assert!(note("logs with records, and their spans: ").contains("Security: "));
    // One piece of evidence without a log, and one without anything.
    let disk = host.ask("overview", json!({ "evidence": "disk" }));
    assert!(disk.records.iter().all(|record| record.locator.evidence == "disk"));
    assert!(
        disk.notes.iter().any(
            |note| note.starts_with("sources of which no file was found: ") && note.contains("event_log")
        )
    );
    let empty = tempfile::tempdir().unwrap();
    write(empty.path(), "a.txt", b"x");
    let trees: Vec<Box<dyn Tree>> = vec![Box::new(open_directory(empty.path(), "disk").unwrap())];
    let nothing = Host::of(&trees).ask("overview", json!({}));
    assert_eq!((nothing.outcome, nothing.completeness), (Outcome::Empty, Completeness::Truncated));
}
