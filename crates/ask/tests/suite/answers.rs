//! Answers by rows: what supports one, and what leaves it open.

use ask::{Account, Answer, Host, Reason, Row, Verdict, World, decide, looks, question};
use std::collections::BTreeSet;

/// A record type, with the values of one row.
type Record<'a> = (&'a str, &'a [(&'a str, &'a str)]);

fn world(records: &[Record<'_>]) -> World {
    let one = |text: &str| BTreeSet::from([text.to_owned()]);
    World {
        hosts: vec![Host { label: "host-7".to_owned(), names: one("HOST-7") }],
        accounts: vec![Account {
            names: one("alice"),
            sid: Some("s-1-5-21-1-2-3-1001".to_owned()),
            hosts: one("host-7"),
        }],
        sources: records.iter().map(|(record, _)| ("host-7".to_owned(), (*record).to_owned())).collect(),
        ..World::default()
    }
}

/// Asks a case that has these rows. The statements of the looks are not run: each look finds all rows of its table.
fn answer(text: &str, records: &[Record<'_>]) -> Answer {
    let world = world(records);
    let read = question(text).unwrap();
    let looks = looks(&read, &world);
    let mut rows = Vec::new();
    for (number, (record, values)) in records.iter().enumerate() {
        for (look, _) in looks.iter().enumerate().filter(|(_, look)| look.record == *record) {
            rows.push(Row {
                look,
                number: i64::try_from(number).unwrap(),
                evidence: "host-7".to_owned(),
                path: format!("C/{record}"),
                fields: values
                    .iter()
                    .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
                    .collect(),
            });
        }
    }
    decide(&read, &looks, &rows, &world)
}

fn cited(answer: &Answer, records: &[Record<'_>]) -> Vec<String> {
    let numbers: BTreeSet<usize> = answer.cited.iter().map(|cited| cited.row).collect();
    numbers.into_iter().filter_map(|at| records.get(at).map(|record| record.0.to_owned())).collect()
}

const NOT_RECORDED: Verdict = Verdict::NotDeterminable(Reason::NotRecorded);

const PREFETCH: Record<'_> =
    ("prefetch", &[("executable", "SETUP.EXE"), ("last_run", "2025-09-16T09:44:03"), ("run_count", "3")]);

const PREFETCH_FILE: Record<'_> = (
    "mft_file_entry",
    &[
        ("path", "C/Windows/Prefetch/SETUP.EXE-5E0C91A2.pf"),
        ("si_created", "2025-03-03T08:12:44"),
        ("si_modified", "2025-05-20T13:05:12"),
    ],
);

#[test]
fn the_file_entry_of_a_prefetch_file_tells_of_a_run_only_if_no_source_of_runs_knows_the_program() {
    let before = "When was setup.exe started before 2025-09-16T09:44:02";
    assert_eq!(answer(before, &[PREFETCH, PREFETCH_FILE]).verdict, NOT_RECORDED);
    let last = answer("When was setup.exe last started?", &[PREFETCH_FILE]);
    assert_eq!(cited(&last, &[PREFETCH_FILE]), ["mft_file_entry"]);
    assert_eq!(last.verdict, Verdict::Values);
    // It rules out a "no", though.
    let was = answer("Was setup.exe started on 2025-05-20?", &[PREFETCH, PREFETCH_FILE]);
    assert_eq!(was.verdict, NOT_RECORDED);
}

#[test]
fn a_day_before_the_last_time_is_not_denied_if_the_last_time_alone_is_recorded() {
    let last = ("last_logon", "2025-09-20T08:00:00");
    let logon: Record<'_> = ("user_account", &[("name", "alice"), last, ("logon_count", "9")]);
    assert_eq!(answer("Did alice log on on 2025-09-16?", &[logon]).verdict, NOT_RECORDED);
    assert_eq!(answer("Was setup.exe run on 2025-09-10?", &[PREFETCH]).verdict, NOT_RECORDED);
    // The statement over many services leaves out those that were written later.
    let service: Record<'_> = ("service", &[("name", "Other"), ("key_last_written", "2025-09-16T00:00:00")]);
    assert_eq!(answer("Were services installed on 2025-09-16?", &[service]).verdict, Verdict::Yes);
    let silent: World = world(&[service]);
    let read = question("Were services installed on 2022-03-10?").unwrap();
    assert_eq!(decide(&read, &looks(&read, &silent), &[], &silent).verdict, NOT_RECORDED);
}

#[test]
fn a_last_time_and_a_count_of_an_account_are_no_number_of_failed_logons() {
    let failed: Record<'_> = (
        "user_account",
        &[("name", "alice"), ("last_failed_logon", "2025-09-15T06:01:58"), ("failed_count", "0")],
    );
    assert_eq!(answer("How many failed logons were there?", &[failed]).verdict, NOT_RECORDED);
    assert_eq!(
        answer("Were passwords brute forced?", &[failed]).verdict,
        Verdict::NotDeterminable(Reason::Ambiguous)
    );
}

#[test]
fn who_is_asked_of_a_state_is_the_account() {
    let account = |name: &'static str, flags: &'static str| vec![("name", name), ("flags", flags)];
    let (off, on) =
        (account("bob", "[\"USER_ACCOUNT_DISABLED\"]"), account("alice", "[\"USER_NORMAL_ACCOUNT\"]"));
    let records: [Record<'_>; 2] = [("user_account", &off), ("user_account", &on)];
    let answer = answer("Whose account is disabled?", &records);
    assert_eq!((answer.verdict, answer.cited.len()), (Verdict::Values, 1));
    assert!(answer.cited.iter().all(|cited| cited.fields.contains(&"name".to_owned())));
}

#[test]
fn two_values_that_are_asked_for_are_both_given() {
    let version = [("product_name", "Windows 7"), ("build", "7601"), ("service_pack", "Service Pack 1")];
    let answer = answer("Which build and service pack is installed?", &[("os_version", &version)]);
    let fields: Vec<String> = answer.cited.into_iter().flat_map(|cited| cited.fields).collect();
    assert!(
        ["build", "service_pack"].iter().all(|field| fields.contains(&(*field).to_owned())),
        "{fields:?}"
    );
}

#[test]
fn a_file_may_be_named_without_its_ending_also_if_its_name_begins_like_a_word() {
    let file: Record<'_> =
        ("mft_file_entry", &[("path", "C/pagefile.sys"), ("si_created", "2007-06-30T12:50:59")]);
    assert_eq!(answer("When was the pagefile created?", &[file]).verdict, Verdict::Values);
}

#[test]
fn prefetch_files_are_counted_by_their_file_entries_if_none_was_read() {
    let answer = answer("How many prefetch files are there?", &[PREFETCH_FILE]);
    assert_eq!((answer.verdict, answer.count), (Verdict::Values, Some(1)));
}

#[test]
fn a_file_is_found_by_its_hash_and_no_hash_is_denied() {
    let sha1 = "0123456789abcdef0123456789abcdef01234567";
    let file: Record<'_> = ("amcache_file", &[("path", "c:\\a.exe"), ("sha1", sha1)]);
    assert_eq!(answer(&format!("Which file has the SHA-1 {sha1}?"), &[file]).verdict, Verdict::Values);
    assert_eq!(
        answer("Is there a file with the MD5 00112233445566778899aabbccddeeff?", &[file]).verdict,
        NOT_RECORDED
    );
}

#[test]
fn an_account_that_was_active_is_no_program() {
    let run: Record<'_> =
        ("bam_entry", &[("program", "C:\\a\\syncer.exe"), ("last_run", "2025-09-16T09:44:03")]);
    assert_eq!(answer("When was syncer last active?", &[run]).verdict, Verdict::Values);
    assert_eq!(
        answer("When was alice last active?", &[run]).verdict,
        Verdict::NotDeterminable(Reason::Ambiguous)
    );
}
