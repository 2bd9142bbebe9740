//! Tests of what each version of the rules derives from facts: runs keep the rules that they were made with.

use graph::connections::{
    Connections, EntityKind, Filter, Namesake, Piece, RULES, between, connections_of, digest, namesakes,
    neighbours, rules_of,
};
use ledger::{Behaviour, FactEntry, FieldValue, Time, Utc};
use std::collections::BTreeSet;
use testkit::five_hosts::{self, HOSTS, MARA, made};

fn made_by(rules: u16, facts: &[FactEntry]) -> Connections {
    let pieces: Vec<Piece> = HOSTS.into_iter().map(Piece::labelled).collect();
    connections_of(rules, &pieces, facts.iter().map(|fact| (0, fact)))
}

/// Returns the relations as the names of their ends, with the time that the first fact states.
fn drawn(rules: u16, facts: &[FactEntry]) -> BTreeSet<String> {
    let of = made_by(rules, facts);
    let worded = |relation| {
        let (from, kind, to) = of.relation(relation).unwrap();
        let when = of.shown_by(relation).find_map(|told| told.when);
        let when = when.map(|when| format!(" at {when}")).unwrap_or_default();
        format!("{} | {} | {}{when}", of.title(from), kind.name(), of.title(to))
    };
    of.relations().map(worded).collect()
}

fn texts(drawn: &[&str]) -> BTreeSet<String> {
    drawn.iter().map(|it| (*it).to_owned()).collect()
}

/// Facts from which the versions derive different things, in addition to the five-host case.
fn disputed() -> Vec<FactEntry> {
    [download(), task(), service("manual"), service("automatic"), installed("demand start")]
        .into_iter()
        .chain(clones())
        .chain(prefetched())
        .chain([visited(r"http://evil.example\@good.example/x"), unreadable(61, "a"), unreadable(62, "b")])
        .collect()
}

fn download() -> FactEntry {
    made(1, "ws1", "downloaded", "browser_download")
        .path("file", r"C:\d\t.exe")
        .name("url", "http://cdn.example/t.exe")
        .name("referrer", "http://page.example/")
        .minute("time", 10)
        .fact()
}

fn task() -> FactEntry {
    made(2, "ws1", "persists", "scheduled_task")
        .name("task", r"\Upd")
        .with("command", FieldValue::Text(r"C:\d\t.exe".into()))
        .name("author", r"CORP\boss")
        .minute("registered", 3_000_000)
        .name("starts", "by_trigger")
        .fact()
}

fn service(start: &str) -> FactEntry {
    made(3, "ws1", "recorded", "service")
        .name("name", start)
        .with("image_path", FieldValue::Text(r"C:\d\s.exe".into()))
        .name("start_name", start)
        .fact()
}

fn installed(start: &str) -> FactEntry {
    made(4, "ws1", "installed", "service_installed")
        .name("service_name", "psexesvc")
        .with("image_path", FieldValue::Text(r"%SystemRoot%\psexesvc.exe".into()))
        .name("start_type", start)
        .minute("time", 20)
        .fact()
}

/// Returns facts of two hosts cloned from one image: the accounts of both have the same machine's SIDs.
fn clones() -> Vec<FactEntry> {
    let account = |number, host, name: &str| {
        made(number, host, "present", "user_account")
            .name("name", name)
            .sid("sid", "S-1-5-21-7-7-7-1001")
            .fact()
    };
    vec![account(5, "ws2", "anna"), account(6, "ws3", "bert")]
}

/// Programs with the same name and no path: two prefetch files, one of them twice.
fn prefetched() -> Vec<FactEntry> {
    let file = |number, path: &str| {
        made(number, "fs1", "executed", "prefetch").name("executable", "A.EXE").of_file(path).fact()
    };
    vec![file(7, "p/A.EXE-11111111.pf"), file(8, "p/A.EXE-22222222.pf"), file(9, "q/A.EXE-11111111.pf")]
}

fn visited(url: &str) -> FactEntry {
    made(10, "ws1", "visited", "page_visit").name("url", url).name("user", "mara").minute("time", 30).fact()
}

/// Returns a folder whose path could not be fully read; `told` distinguishes two of them in the evidence.
fn unreadable(number: u32, told: &str) -> FactEntry {
    made(number, "ws1", "opened", "shell_bag")
        .path("path", r"My Computer\<0x71>")
        .name("key", told)
        .of_file("Users/mara/NTUSER.DAT")
        .fact()
}

#[test]
fn runs_keep_the_rules_that_they_were_made_with() {
    assert_eq!(rules_of(|_| true), RULES);
    assert_eq!(rules_of(|it| it != Behaviour::ConnectsFurther), 1);
    assert_eq!(rules_of(|_| false), RULES, "a run from before there were rules");
}

/// If you have to change this test, the rules now derive different things from the same facts:
/// increment `RULES`, and keep what the earlier rules derive for runs with their behaviour.
#[test]
fn each_version_makes_the_same_of_the_same_facts() {
    let made = |rules| {
        let (planted, disputed) = (five_hosts::facts(), disputed());
        [digest(&made_by(rules, &planted)), digest(&made_by(rules, &disputed))]
            .map(|made| (made.rules, made.entities, made.relations, made.digest.to_string()))
    };
    let expected = |rules, of: [(u64, u64, &str); 2]| {
        of.map(|(entities, relations, digest)| (rules, entities, relations, digest.to_owned()))
    };
    let planted = "2f003cd2c848ba9f811ee6c292465175918abaf6d2e2faca4a514ef0fb4440ec";
    let disputed = "9c027d3fb17b3b2fcba584730da8dc3f88c14df0d48aa1d9f899725bfd705c6f";
    assert_eq!(made(1), expected(1, [(35, 32, planted), (15, 10, disputed)]));
    let disputed = "5422ab40291bb6fc4863ff8c316ee6646baed667a196494a424b816e223b0047";
    assert_eq!(made(2), expected(2, [(35, 32, planted), (19, 12, disputed)]));
}

#[test]
fn a_page_that_led_to_a_download_is_not_where_the_file_came_from() {
    let of_file = [
        r"C:\d\t.exe | downloaded_from | http://cdn.example/t.exe at 2025-09-15T16:10:00Z",
        r"C:\d\t.exe | referred_by | http://page.example/ at 2025-09-15T16:10:00Z",
        "http://cdn.example/t.exe | lies_at | cdn.example at 2025-09-15T16:10:00Z",
    ];
    assert_eq!(drawn(2, &[download()]), texts(&of_file));
}

#[test]
fn whom_a_task_names_as_its_author_did_not_thereby_set_it_up_and_its_date_dates_nothing() {
    let of_task = [r"C:\d\t.exe | persists_through | \Upd", r"\Upd | names_as_author | CORP\boss"];
    assert_eq!(drawn(2, &[task()]), texts(&of_task));
    let of = made_by(2, &[task()]);
    let named = of.entities().flat_map(|it| of.names(it).map(|(_, told)| told.when).collect::<Vec<_>>());
    assert!(named.into_iter().all(|when| when.is_none()));
}

#[test]
fn a_resource_string_is_no_author_and_a_sid_is_one() {
    let by = |author: &str| {
        let mut fact = made(2, "ws1", "persists", "scheduled_task").name("task", r"\Upd");
        fact = fact.name("author", author);
        drawn(2, &[fact.fact()])
    };
    assert_eq!(by(r"$(@%SystemRoot%\system32\x.dll,-1)"), texts(&[]));
    assert_eq!(by("Printworks"), texts(&[]));
    assert_eq!(by(MARA), texts(&[&format!(r"\Upd | names_as_author | {MARA}")]));
}

#[test]
fn a_volume_is_the_one_with_windows_only_where_no_other_can_be() {
    let ran = |number, path: &str| {
        made(number, "ws1", "executed", "bam_entry")
            .path("program", path)
            .sid("sid", MARA)
            .minute("last_run", 1)
            .fact()
    };
    let named =
        |number| made(number, "ws1", "present", "dir_entry").path("path", r"C:\ProgramData\a.exe").fact();
    let programs = |facts: &[FactEntry]| {
        let of = made_by(2, facts);
        of.entities().filter(|it| of.kind(*it).prefix() == "file").count()
    };
    let third = ran(1, r"\Device\HarddiskVolume3\ProgramData\a.exe");
    assert_eq!(programs(&[third.clone(), named(9)]), 1);
    assert_eq!(programs(&[third.clone(), ran(2, r"\Device\HarddiskVolume5\ProgramData\a.exe"), named(9)]), 3);
    let windows = ran(3, r"\Device\HarddiskVolume2\Windows\System32\cmd.exe");
    assert_eq!(programs(&[third.clone(), windows, named(9)]), 3);
    let by_guid = ran(4, r"\VOLUME{01d0}\ProgramData\a.exe");
    assert_eq!(programs(&[third, by_guid, named(9)]), 1, "the same volume by another naming");
}

#[test]
fn what_waits_for_somebody_to_start_it_is_only_set_to_run() {
    let facts = [service("manual"), service("automatic"), installed("demand start"), installed("Auto Start")];
    let of_services = [
        r"manual | set_to_run | C:\d\s.exe",
        r"C:\d\s.exe | persists_through | automatic",
        r"psexesvc | set_to_run | %SystemRoot%\psexesvc.exe at 2025-09-15T16:20:00Z",
        r"%SystemRoot%\psexesvc.exe | persists_through | psexesvc at 2025-09-15T16:20:00Z",
    ];
    assert_eq!(drawn(2, &facts), texts(&of_services));
    let unknown = [installed("Lancement manuel")];
    assert!(drawn(2, &unknown).iter().all(|it| it.contains("set_to_run")), "a word that is not known");
}

#[test]
fn accounts_of_clones_are_of_one_host_each() {
    let accounts = |facts: &[FactEntry]| {
        let of = made_by(2, facts);
        let accounts = of.entities().filter(|it| of.kind(*it) == EntityKind::Account);
        accounts.map(|it| of.host(it).map(str::to_owned)).collect::<Vec<_>>()
    };
    assert_eq!(accounts(&clones()), [Some("ws2".to_owned()), Some("ws3".to_owned())]);
    // If only one host has the accounts, the SID is the same everywhere.
    let met = made(6, "ws3", "logged_on", "logon").sid("sid", "S-1-5-21-7-7-7-1001").minute("time", 1).fact();
    let one = clones().into_iter().take(1).chain([met]).collect::<Vec<_>>();
    assert_eq!(accounts(&one), [None]);
}

#[test]
fn programs_of_one_name_in_two_prefetch_files_are_two() {
    let of = made_by(2, &prefetched());
    let programs: Vec<_> = of.entities().filter(|it| of.kind(*it) == EntityKind::Program).collect();
    assert_eq!(programs.len(), 2);
    assert_eq!(namesakes(&of, programs[0]), [Namesake { is_another: false, entity: programs[1] }]);
}

#[test]
fn the_server_of_an_address_is_the_one_that_a_browser_asks() {
    let drawn = drawn(2, &[visited(r"http://evil.example\@good.example/x")]);
    assert!(drawn.iter().any(|it| it.contains("| lies_at | evil.example")), "{drawn:?}");
}

#[test]
fn paths_with_parts_that_could_not_be_read_are_not_one_for_looking_alike() {
    let of = made_by(2, &[unreadable(61, "a"), unreadable(62, "b")]);
    assert_eq!(of.entities().filter(|it| of.kind(*it).prefix() == "file").count(), 0);
}

#[test]
fn accounts_with_two_sids_are_known_to_be_two() {
    let account = |number, host: &str, sid: &str| {
        made(number, host, "present", "user_account").name("name", "admin").sid("sid", sid).fact()
    };
    let named =
        made(3, "ws3", "logged_on", "explicit_credentials").name("account", "admin").minute("time", 1);
    let of = made_by(2, &[account(1, "ws1", MARA), account(2, "ws2", "S-1-5-21-9-9-9-500"), named.fact()]);
    let by_sid: Vec<_> = of.entities().filter(|it| of.key(*it).0 == "SID").collect();
    assert_eq!(by_sid.len(), 2);
    let alike = namesakes(&of, by_sid[0]);
    assert!(alike.contains(&Namesake { is_another: true, entity: by_sid[1] }), "{alike:?}");
    assert_eq!(alike.iter().filter(|it| !it.is_another).count(), 1);
}

#[test]
fn a_filter_by_names_leaves_out_facts_that_only_name() {
    let of = made_by(2, &[task()]);
    let entity = of.entities().next().unwrap();
    let told = of.names(entity).next().unwrap().1;
    let none = Filter { naming: Some(BTreeSet::new()), ..Filter::default() };
    assert!(!none.takes_name(&of, told) && none.takes(&of, told) && !none.takes_everything());
}

/// Returns facts about accounts on two hosts that visited an address.
fn visitors(url: &str) -> Vec<FactEntry> {
    let visit = |number, host: &str, user: &str| {
        made(number, host, "visited", "page_visit")
            .name("url", url)
            .name("user", user)
            .minute("time", 30)
            .fact()
    };
    vec![visit(1, "ws1", "mara"), visit(2, "ws2", "bert")]
}

#[test]
fn an_address_that_names_something_of_its_host_joins_no_hosts() {
    let addresses = |rules, url: &str| {
        let of = made_by(rules, &visitors(url));
        of.entities().filter(|it| of.kind(*it) == EntityKind::Url).count()
    };
    for own in ["file:///C:/Users/bob/secret.docx", "http://localhost:8080/admin", "http://127.0.0.1/x"] {
        assert_eq!((addresses(1, own), addresses(2, own)), (1, 2), "{own}");
    }
    assert_eq!(addresses(2, "https://cdn.example/x"), 1);
    // Only in some schemes is the part after `://` a server.
    for no_server in ["res://ieframe.dll/x", "chrome-extension://abc/x.html"] {
        assert!(drawn(2, &visitors(no_server)).iter().all(|it| !it.contains("lies_at")), "{no_server}");
    }
    let opened = made(3, "ws1", "opened", "shell_bag").path("path", "ms-gamingoverlay:///kglcheck/").fact();
    assert_eq!(made_by(2, &[opened]).entities().count(), 0);
}

#[test]
fn a_clock_that_was_not_set_dates_no_relation() {
    let leased = |rules, nanoseconds| {
        let utc = Utc::from_unix_nanoseconds(nanoseconds);
        let lease = made(1, "ws1", "recorded", "network_interface")
            .name("dhcp_address", "192.168.0.7")
            .with("lease_obtained", FieldValue::Time(Time { utc, ..five_hosts::minute(0) }))
            .fact();
        let of = made_by(rules, &[lease]);
        let when = of.relations().flat_map(|it| of.shown_by(it)).find_map(|told| told.when);
        when.map(|when| when.to_string())
    };
    let unset = 829_252_000_000_000;
    assert_eq!(leased(1, unset).as_deref(), Some("1970-01-10T14:20:52Z"));
    assert_eq!(leased(2, unset), None);
    assert_eq!(leased(2, 1_500_000_000_000_000_000).as_deref(), Some("2017-07-14T02:40:00Z"));
}

#[test]
fn what_is_among_the_neighbours_is_related_to_each_other_too() {
    let of = made_by(2, &five_hosts::facts());
    let all: BTreeSet<_> = of.entities().collect();
    let whole = between(&of, &all, &Filter::default());
    assert_eq!(whole, of.relations().collect::<Vec<_>>());
    for entity in of.entities() {
        let near = neighbours(&of, entity, 60, &Filter::default());
        let among: BTreeSet<_> = near.iter().map(|it| it.entity).chain([entity]).collect();
        let led: BTreeSet<_> = near.iter().map(|it| it.by).collect();
        let inner: BTreeSet<_> = between(&of, &among, &Filter::default()).into_iter().collect();
        assert!(led.is_subset(&inner));
        // With any depth, a component is covered completely.
        let around: BTreeSet<_> = among.iter().flat_map(|it| of.relations_of(*it)).collect();
        assert_eq!(inner, around);
    }
    assert!(between(&of, &BTreeSet::new(), &Filter::default()).is_empty());
}
