//! Compares connections with planted ones: every relation that facts show, no other relation, and no wrong merge.

use graph::connections::{
    Connections, ContradictionKind, EntityKind, EntityRef, Filter, Found, Namesake, Part, Piece, RULES,
    RelationKind, connections_of, contradictions, find, hubs, islands, namesakes, neighbours, paths,
    timeline, told_of, where_else,
};
use ledger::{FactEntry, FieldValue, Placement, Writer};
use proptest::prelude::*;
use std::collections::BTreeSet;
use testkit::five_hosts::{self, DOMAIN_ADMIN, HOSTS, LOCAL_ADMIN, MARA, STICK, instant, made, minute};

fn pieces(labels: &[&str]) -> Vec<Piece> {
    let piece = |label: &&str| Piece { run: 0, run_name: "run".into(), label: (*label).into(), digest: None };
    labels.iter().map(piece).collect()
}

fn connected(facts: &[FactEntry]) -> Connections {
    connections_of(RULES, &pieces(&HOSTS), facts.iter().map(|fact| (0, fact)))
}

fn one(of: &Connections, text: &str) -> EntityRef {
    match find(of, text) {
        Found::One(entity) => entity,
        other => panic!("{text}: {other:?}"),
    }
}

/// Describes an entity in the words of the plan.
fn worded(of: &Connections, entity: EntityRef) -> String {
    let (told_by, key, _) = of.key(entity);
    let host = of.host(entity).unwrap_or_default();
    let name = of.title(entity).rsplit('\\').next().unwrap_or_default().to_lowercase();
    match of.kind(entity) {
        EntityKind::Host => format!("host {key}"),
        EntityKind::Account if told_by == "SID" => format!("account {key}"),
        EntityKind::Account => format!("account {host} {key}"),
        EntityKind::Program => format!("program {host} {name}"),
        EntityKind::File => format!("file {host} {name}"),
        EntityKind::Process => {
            let (pid, start) = key.split_once(' ').unwrap();
            let nanoseconds: i128 = start.parse().unwrap();
            let midnight = instant(0).unwrap().unix_nanoseconds();
            format!("process {host} {pid} {}", (nanoseconds - midnight) / 60_000_000_000)
        }
        EntityKind::LogonSession => format!("session {host}"),
        EntityKind::Device if told_by == "serial number" => format!("device {key}"),
        kind if host.is_empty() => format!("{} {key}", kind.name()),
        kind => format!("{} {host} {key}", kind.name()),
    }
}

fn drawn(of: &Connections) -> BTreeSet<String> {
    let worded = |relation| {
        let (from, kind, to) = of.relation(relation).unwrap();
        format!("{} | {} | {}", worded(of, from), kind.name(), worded(of, to))
    };
    of.relations().map(worded).collect()
}

#[test]
fn every_planted_relation_is_found_and_no_other() {
    let of = connected(&five_hosts::facts());
    let planted: BTreeSet<String> = five_hosts::RELATIONS.iter().map(|it| (*it).to_owned()).collect();
    let found = drawn(&of);
    let missing: Vec<_> = planted.difference(&found).collect();
    let beyond: Vec<_> = found.difference(&planted).collect();
    assert!(missing.is_empty() && beyond.is_empty(), "missing {missing:#?}, beyond {beyond:#?}");
    assert_eq!(of.relations().count(), planted.len());
}

#[test]
fn accounts_of_one_name_with_two_sids_stay_two() {
    let of = connected(&five_hosts::facts());
    let (domain, local) = (one(&of, DOMAIN_ADMIN), one(&of, LOCAL_ADMIN));
    assert_ne!(domain, local);
    assert!(namesakes(&of, domain).contains(&Namesake { is_another: true, entity: local }));
    assert!(
        matches!(find(&of, "admin"), Found::Several(found) if found.contains(&domain) && found.contains(&local))
    );
    let names: BTreeSet<&str> = of.names(domain).map(|(name, _)| name).collect();
    assert_eq!(names, BTreeSet::from([r"CORP\admin", r"Corp\ADMIN", DOMAIN_ADMIN]));
}

#[test]
fn a_device_is_one_on_both_hosts_and_numbers_that_windows_made_up_join_nothing() {
    let of = connected(&five_hosts::facts());
    let hosts: Vec<&str> =
        where_else(&of, one(&of, STICK), &Filter::default()).iter().map(|it| it.host).collect();
    assert_eq!(hosts, ["fs1", "ws1"]);
    let made_up = of.entities().filter(|it| of.key(*it).1.contains("6&1a2b3c"));
    assert_eq!(made_up.count(), 2);
}

#[test]
fn what_lies_elsewhere_is_no_deed_on_the_examined_host() {
    let of = connected(&five_hosts::facts());
    let local = one(&of, LOCAL_ADMIN);
    let cleared: Vec<_> = of
        .relations_of(local)
        .into_iter()
        .filter(|relation| of.relation(*relation).unwrap().1 == RelationKind::Cleared)
        .flat_map(|relation| of.shown_by(relation).collect::<Vec<_>>())
        .collect();
    assert_eq!(cleared.len(), 1);
    assert_eq!(of.host_of(cleared[0].fact), Some("ws3"));
}

#[test]
fn a_name_that_two_accounts_bear_is_neither() {
    let names = |sid: &str, number| {
        made(number, "ws1", "logged_on", "logon")
            .name("account", "x")
            .name("domain", "D")
            .sid("sid", sid)
            .fact()
    };
    let alone = made(3, "ws1", "logged_on", "logon")
        .name("account", "x")
        .name("domain", "D")
        .minute("time", 1)
        .fact();
    let (one_sid, other_sid) = ("S-1-5-21-1-2-3-1000", "S-1-5-21-1-2-3-1001");
    let accounts = |facts: &[FactEntry]| {
        let of = connected(facts);
        of.entities().filter(|it| of.kind(*it) == EntityKind::Account).count()
    };
    assert_eq!(accounts(&[names(one_sid, 1), alone.clone()]), 1);
    assert_eq!(accounts(&[names(one_sid, 1), names(other_sid, 2), alone]), 3);
}

#[test]
fn a_sid_that_every_host_has_is_of_its_host() {
    let system = |host: &str, number| {
        made(number, host, "executed", "bam_entry").path("program", r"C:\a.exe").sid("sid", "S-1-5-18").fact()
    };
    let of = connected(&[system("ws1", 1), system("ws2", 2)]);
    assert_eq!(of.entities().filter(|it| of.kind(*it) == EntityKind::Account).count(), 2);
}

#[test]
fn the_same_file_is_one_in_the_forms_of_its_path() {
    let hive = made(1, "ws1", "configured", "os_version")
        .path("system_root", r"C:\Windows")
        .of_file("p1/Windows/System32/config/SOFTWARE")
        .fact();
    let facts = |forms: &[&str]| -> Vec<FactEntry> {
        let fact = |(number, form): (u32, &&str)| {
            made(number, "ws1", "executed", "bam_entry").path("program", form).sid("sid", MARA).fact()
        };
        std::iter::once(hive.clone()).chain((2..).zip(forms).map(fact)).collect()
    };
    let files = |forms: &[&str]| {
        let of = connected(&facts(forms));
        of.entities().filter(|it| of.kind(*it).prefix() == "file").count()
    };
    let same = [r"C:\Users\mara\a.exe", "p1/Users/mara/A.EXE", r"%SystemDrive%\Users\mara\a.exe"];
    assert_eq!(files(&same), 1);
    // A volume number belongs to the Windows volume if a path below System32 uses it, or if only one path is possible.
    assert_eq!(files(&[same[0], r"\Device\HarddiskVolume3\Users\mara\a.exe"]), 1);
    assert_eq!(files(&[same[0], r"D:\Users\mara\a.exe", r"\Device\HarddiskVolume3\Users\mara\a.exe"]), 3);
    assert_eq!(files(&[r"C:\a.exe", r"\Device\HarddiskVolume7\a.exe"]), 2);
    assert_eq!(
        files(&[
            r"C:\a.exe",
            r"\Device\HarddiskVolume7\a.exe",
            r"\Device\HarddiskVolume7\Windows\System32\cmd.exe"
        ]),
        2
    );
    assert_eq!(files(&["a.exe", r"C:\x\a.exe"]), 2);
}

#[test]
fn two_runs_are_joined_by_strong_keys_alone() {
    let piece = |run, label: &str, digest: Option<&str>| Piece {
        run,
        run_name: format!("run{run}"),
        label: label.into(),
        digest: digest.map(str::to_owned),
    };
    let fact = |number, label: &str| {
        made(number, label, "executed", "bam_entry").path("program", r"C:\a.exe").sid("sid", MARA).fact()
    };
    let facts = [(0, fact(1, "host")), (1, fact(1, "host")), (1, fact(2, "other"))];
    let count = |digests: [Option<&str>; 2]| {
        let pieces = [piece(0, "host", digests[0]), piece(1, "host", digests[1]), piece(1, "other", None)];
        let of = connections_of(RULES, &pieces, facts.iter().map(|(run, fact)| (*run, fact)));
        let kind = |kind: EntityKind| of.entities().filter(|it| of.kind(*it) == kind).count();
        (kind(EntityKind::Account), kind(EntityKind::Program))
    };
    assert_eq!(count([None, None]), (1, 3));
    assert_eq!(count([Some("d1"), Some("d2")]), (1, 3));
    assert_eq!(count([Some("d1"), Some("d1")]), (1, 2));
}

#[test]
fn ways_are_the_shortest_or_those_borne_out_best() {
    let of = connected(&five_hosts::facts());
    let ends = (one(&of, "http://cdn.example/tool.exe"), one(&of, "fs1"));
    let ways = |most: usize, filter: &Filter| paths(&of, ends, most, filter, |_| 100);
    let shortest = ways(1, &Filter::default());
    let hops: Vec<String> = shortest[0].iter().map(|hop| worded(&of, hop.to)).collect();
    // The program, its content on ws2, the service, the account that set it up, and where that account logged on.
    assert_eq!(hops.len(), 5, "{hops:?}");
    assert_eq!(hops.last().map(String::as_str), Some("host fs1"));
    let three = ways(3, &Filter::default());
    assert_eq!(three.len(), 3);
    assert_eq!(three[0].len(), shortest[0].len());
    assert!(three.windows(2).all(|pair| pair[0].len() <= pair[1].len() && pair[0] != pair[1]));
    for way in &three {
        let met: BTreeSet<EntityRef> = way.iter().map(|hop| hop.from).collect();
        assert_eq!(met.len(), way.len(), "a way has no circle");
        assert!(way.windows(2).all(|pair| pair[0].to == pair[1].from));
    }
    let only = Filter { kinds: BTreeSet::from([RelationKind::Ran]), ..Filter::default() };
    assert!(ways(1, &only).is_empty() && ways(2, &only).is_empty());
    assert_eq!(paths(&of, (ends.0, ends.0), 1, &Filter::default(), |_| 0), [vec![]]);
}

#[test]
fn a_story_tells_what_came_before_and_after_and_what_else_was_done() {
    let of = connected(&five_hosts::facts());
    let process = of.entities().find(|it| worded(&of, *it) == "process ws1 4100 602").unwrap();
    let steps = told_of(&of, process, 8, &Filter::default());
    let told = |part: Part| -> BTreeSet<String> {
        let relations = steps.iter().filter(|step| step.part == part).filter_map(|step| step.relation);
        relations
            .map(|it| {
                let (from, kind, to) = of.relation(it).unwrap();
                format!("{} {} {}", worded(&of, from), kind.name(), worded(&of, to))
            })
            .collect()
    };
    let tool = "program ws1 tool.exe";
    assert!(told(Part::Before).contains(&format!("{tool} downloaded_from url http://cdn.example/tool.exe")));
    assert!(told(Part::After).contains("process ws1 4100 602 started process ws1 4200 603"));
    assert!(told(Part::After).contains("process ws1 4100 602 connected_to address 203.0.113.9"));
    assert!(told(Part::SameHost).contains(&format!("host ws1 connected_to device {STICK}")));
    // Later events on another host, or of a process that got the same number, are not part of it.
    let all: Vec<String> = Part::ALL.iter().flat_map(|part| told(*part)).collect();
    assert!(all.iter().all(|it| !it.contains("notepad") && !it.contains("fs1")), "{all:?}");
    let times: Vec<_> = steps.iter().filter_map(|step| step.told.when).collect();
    assert!(times.is_sorted());
}

#[test]
fn filters_leave_out_what_is_of_another_time_host_or_kind() {
    let of = connected(&five_hosts::facts());
    let admin = one(&of, DOMAIN_ADMIN);
    let count = |filter: Filter| neighbours(&of, admin, 1, &filter).len();
    assert_eq!(count(Filter::default()), 8);
    assert_eq!(count(Filter { hosts: BTreeSet::from(["FS1".to_owned()]), ..Filter::default() }), 2);
    assert_eq!(count(Filter { since: instant(615), until: instant(622), ..Filter::default() }), 2);
    assert_eq!(count(Filter { kinds: BTreeSet::from([RelationKind::SetUp]), ..Filter::default() }), 1);
    assert_eq!(count(Filter { only: Some(BTreeSet::new()), ..Filter::default() }), 0);
    let two = neighbours(&of, admin, 2, &Filter::default());
    assert!(two.iter().any(|it| it.depth == 2 && worded(&of, it.entity) == "program ws2 tool.exe"));
    let since = Filter { since: instant(619), ..Filter::default() };
    assert!(
        timeline(&of, admin, &since)
            .iter()
            .all(|moment| moment.told.when.unwrap().utc >= instant(619).unwrap())
    );
}

#[test]
fn hubs_and_islands_tell_what_hangs_together() {
    let of = connected(&five_hosts::facts());
    let hubs = hubs(&of, 2, &Filter::default());
    assert_eq!(worded(&of, hubs[0].0), format!("account {DOMAIN_ADMIN}"));
    let islands = islands(&of, &Filter::default());
    assert!(islands[0].len() > 20 && islands.windows(2).all(|pair| pair[0].len() >= pair[1].len()));
    let elsewhere = of.entities().find(|it| worded(&of, *it).contains("old.evtx")).unwrap();
    assert!(!islands[0].contains(&elsewhere));
}

#[test]
fn two_facts_that_do_not_fit_together_are_found() {
    let time = |number: u32, kind: &str, says: &str| made(number, "ws1", says, kind);
    let path = r"C:\a.exe";
    let created = time(1, "mft_file_entry", "present")
        .path("path", path)
        .number("entry", 5)
        .number("sequence", 1)
        .minute("fn_created", 50)
        .fact();
    let ran = |number, minutes| {
        time(number, "bam_entry", "executed")
            .path("program", path)
            .sid("sid", MARA)
            .minute("last_run", minutes)
            .fact()
    };
    let account = |number, name: &str| {
        time(number, "user_account", "present").name("name", name).sid("sid", MARA).fact()
    };
    let log = time(8, "event_log", "counted")
        .path("path", "x/Security.evtx")
        .minute("first", 100)
        .number("first_record_id", 40)
        .of_file("x")
        .fact();
    let record = |number, id, minutes, file: &str| {
        time(number, "logon", "logged_on")
            .name("account", "x")
            .name("computer", if file.starts_with('z') { "ws9" } else { "ws1" })
            .number("record_id", id)
            .minute("time", minutes)
            .of_file(file)
            .fact()
    };
    let ended = |minutes| {
        time(12, "process_ended", "recorded")
            .path("image", path)
            .with("process_guid", FieldValue::Guid("{1}".into()))
            .minute("time", minutes)
            .fact()
    };
    let started = time(11, "process_created", "executed")
        .path("image", path)
        .with("process_guid", FieldValue::Guid("{1}".into()))
        .minute("time", 60)
        .fact();
    let recycled = time(14, "recycled_file", "deleted")
        .path("original_path", path)
        .sid("sid", MARA)
        .minute("deleted", 40)
        .fact();
    let journal = |sequence| {
        time(15, "usn_deleted", "deleted")
            .path("path", path)
            .number("entry", 5)
            .number("sequence", sequence)
            .minute("time", 40)
            .fact()
    };
    let kinds = |facts: &[FactEntry]| -> Vec<ContradictionKind> {
        let of = connected(facts);
        contradictions(&of, facts.iter().map(|fact| (0, fact))).into_iter().map(|it| it.kind).collect()
    };
    let none: Vec<ContradictionKind> = Vec::new();
    assert_eq!(kinds(&[created.clone(), ran(2, 49)]), [ContradictionKind::RanBeforeCreated]);
    assert_eq!(kinds(&[created.clone(), ran(2, 50)]), none);
    assert_eq!(kinds(&[created.clone(), recycled]), none, "a file can be made again under its old path");
    assert_eq!(kinds(&[created.clone(), journal(1)]), [ContradictionKind::DeletedBeforeCreated]);
    assert_eq!(kinds(&[created, journal(2)]), none, "another file had the entry");
    assert_eq!(kinds(&[account(3, "a"), account(4, "b")]), [ContradictionKind::OneSidTwoNames]);
    assert_eq!(kinds(&[account(3, "a"), account(4, "A")]), none);
    assert_eq!(
        kinds(&[log.clone(), record(9, 41, 99, "x/Security.evtx")]),
        [ContradictionKind::LogBeginsAfterRecord]
    );
    assert_eq!(kinds(&[log, record(9, 41, 100, "x/Security.evtx")]), none);
    let two = [record(9, 41, 99, "x/Security.evtx"), record(10, 41, 98, "y/Security.evtx")];
    assert_eq!(kinds(&two), [ContradictionKind::OneRecordTwoTimes]);
    let of_two_computers = [record(9, 41, 99, "x/Security.evtx"), record(10, 41, 98, "z/Security.evtx")];
    assert_eq!(kinds(&of_two_computers), none);
    assert_eq!(kinds(&[started.clone(), ended(59)]), [ContradictionKind::EndedBeforeStarted]);
    assert_eq!(kinds(&[started, ended(61)]), none);
    let elsewhere = made(3, "ws1", "recorded", "user_account")
        .name("name", "z")
        .sid("sid", MARA)
        .placed(Placement::Elsewhere)
        .fact();
    assert_eq!(kinds(&[account(4, "b"), elsewhere]), none);
}

#[test]
fn times_are_those_of_the_facts() {
    let of = connected(&five_hosts::facts());
    let mara = one(&of, MARA);
    let wrote = of
        .relations_of(mara)
        .into_iter()
        .find(|it| of.relation(*it).unwrap().1 == RelationKind::Wrote)
        .unwrap();
    let told: Vec<_> = of.shown_by(wrote).collect();
    assert_eq!(told.len(), 1);
    assert_eq!(told[0].when.unwrap().utc, minute(600).utc.unwrap());
}

#[test]
fn the_last_write_of_a_registry_key_says_that_its_values_were_there_by_then() {
    let entry = made(1, "ws1", "persists", "autostart")
        .with("value_path", FieldValue::RegistryPath(r"Run\x".into()))
        .with("command", FieldValue::Text(r"C:\a.exe".into()))
        .minute("key_last_written", 100)
        .fact();
    let of = connected(&[entry]);
    let relation = of.relations().next().unwrap();
    let when = of.shown_by(relation).next().unwrap().when.unwrap();
    assert!(when.is_latest && when.utc == instant(100).unwrap());
    assert_eq!(when.to_string(), format!("until {}", instant(100).unwrap()));
    let before = Filter { until: instant(50), ..Filter::default() };
    let after = Filter { since: instant(101), ..Filter::default() };
    assert!(before.admits(&of, relation) && !after.admits(&of, relation));
}

/// Returns everything that the connections say, in their own order.
fn everything(of: &Connections) -> Vec<String> {
    let entities = of.entities().map(|it| {
        let names: Vec<_> = of.names(it).collect();
        format!("{:?} {:?} {:?} {:?} {names:?}", of.id(it), of.kind(it), of.key(it), of.host(it))
    });
    let relations =
        of.relations().map(|it| format!("{:?} {:?}", of.relation(it), of.shown_by(it).collect::<Vec<_>>()));
    entities.chain(relations).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn the_order_of_facts_changes_nothing(shuffled in Just(five_hosts::facts()).prop_shuffle()) {
        let of = connected(&five_hosts::facts());
        prop_assert_eq!(everything(&connected(&shuffled)), everything(&of));
    }

    #[test]
    fn leaving_facts_out_adds_no_strong_merge(kept in proptest::collection::vec(any::<bool>(), 60)) {
        let facts: Vec<FactEntry> = five_hosts::facts().into_iter().zip(kept.iter().cycle()).filter(|(_, kept)| **kept).map(|it| it.0).collect();
        let of = connected(&facts);
        let accounts = of.entities().filter(|it| of.key(*it).0 == "SID");
        for account in accounts {
            let sids: BTreeSet<&str> = of.names(account).map(|it| it.0).filter(|name| name.starts_with("S-1-")).collect();
            prop_assert!(sids.len() <= 1);
        }
    }
}

#[test]
fn a_filter_by_writer_leaves_out_facts_that_somebody_less_trusted_could_have_written() {
    let mut facts = five_hosts::facts();
    facts.iter_mut().for_each(|fact| fact.subject.writer = Some(Writer::AnyUser));
    let of = connected(&facts);
    let admitted = |least: Writer| {
        let filter = Filter { writer: Some(least), ..Filter::default() };
        of.relations().filter(|relation| filter.admits(&of, *relation)).count()
    };
    assert_eq!(admitted(Writer::AnyUser), of.relations().count());
    assert_eq!(admitted(Writer::System), 0);
}
