//! Sentences of a narrative: the cited nodes support every value and every action, and nothing is read into them.

use ground::{Citable, Dating, Known, SentenceVerdict, Telling, is_contradicted, judge_sentence};
use ledger::{
    Absence, AbsenceEntry, AssumedZone, BoundValue, ByteSpan, Clock, Derivation, DerivationEntry, Digest,
    FactEntry, FieldValue, Locator, Precision, Predicate, RecordId, Rejection, RejectionCode, SentenceClaim,
    SentenceEntry, Term, Tier, Time, Writer,
};
use proptest::prelude::*;

/// The current rules.
const TELLING: Telling = Telling { dating: Dating::Host, escapes: true, in_force: true, no_verdicts: true };

fn bound(field: &str, value: FieldValue) -> BoundValue {
    BoundValue {
        field: field.into(),
        value,
        quotation: None,
        tier: Tier::Exact,
        span: ByteSpan::new(0, 1),
        at: None,
        writer: None,
    }
}

fn fact(number: u32, predicate: &str, subject: FieldValue, values: Vec<BoundValue>) -> FactEntry {
    FactEntry {
        placement: None,
        id: format!("fact-{number:08x}").parse().unwrap(),
        predicate: Predicate(predicate.into()),
        subject: bound("path", subject),
        values,
        invocation: "inv-00000001".parse().unwrap(),
        output: Digest::of(b"output"),
        record: RecordId(0),
        kind: "prefetch".into(),
        locator: Locator { evidence: "alder-07".into(), path: "log".into(), stream: None, span: None },
        shown: true,
    }
}

fn path(text: &str) -> FieldValue {
    FieldValue::Path(text.into())
}

fn name(text: &str) -> FieldValue {
    FieldValue::Name(text.into())
}

fn text(words: &str) -> FieldValue {
    FieldValue::Text(words.into())
}

fn at(text: &str) -> Time {
    Time {
        utc: Some(text.parse().unwrap()),
        raw: "133537896052500000".into(),
        clock: Clock::Host,
        precision: Precision::Filetime,
        zone: None,
    }
}

fn time(field: &str, text: &str) -> BoundValue {
    bound(field, FieldValue::Time(at(text)))
}

/// What the tables are about: ten facts, an absence, a derivation.
struct World {
    facts: Vec<FactEntry>,
    absences: Vec<AbsenceEntry>,
    derivations: Vec<DerivationEntry>,
}

fn world() -> World {
    let evil = r"C:\Users\mara\Downloads\evil.exe";
    let count = |field: &str, number| bound(field, FieldValue::Integer(number));
    let local = Time { zone: Some(AssumedZone::Utc), ..at("2024-03-01T09:00:00Z") };
    let copied = Time { clock: Clock::CollectionCopy, ..at("2020-01-01T00:00:00Z") };
    let facts = vec![
        fact(
            1,
            "executed",
            path(evil),
            vec![count("run_count", 12), time("last_run", "2024-03-01T12:00:05.25Z")],
        ),
        fact(
            2,
            "downloaded",
            path(evil),
            vec![
                bound("url", text("https://files.example.net/a/evil.exe")),
                time("time", "2024-03-01T11:58:00Z"),
                bound("size", FieldValue::Size(34_816)),
            ],
        ),
        fact(
            3,
            "present",
            path("p1/Users/mara/secret plan.docx"),
            vec![time("modified", "2024-02-01T08:00:00Z")],
        ),
        fact(
            4,
            "persists",
            FieldValue::RegistryPath(r"Software\Microsoft\Windows\CurrentVersion\Run".into()),
            vec![
                bound("name", name("Updater")),
                bound("data", text(r#""C:\ProgramData\up 2\svc.exe" -k 10.0.0.5"#)),
            ],
        ),
        fact(
            5,
            "logged_on",
            name("mara"),
            vec![
                bound("sid", FieldValue::Sid("S-1-5-21-1-2-3-1001".into())),
                bound("address", text("10.0.0.5")),
                count("port", 443),
                bound("host", name("ALDER-07")),
            ],
        ),
        fact(6, "deleted", path("p1/Users/mara/notes.txt"), vec![bound("deleted", FieldValue::Time(local))]),
        fact(
            7,
            "recorded",
            text("the backup was deleted by robot7"),
            vec![bound("product", name("Windows 10 Pro"))],
        ),
        fact(
            8,
            "present",
            path("p1/tools/readme.md"),
            vec![
                bound("sha256", FieldValue::Hash("ab12".repeat(16))),
                bound("guid", FieldValue::Guid("{6A1B2C3D-0000-1111-2222-333344445555}".into())),
                bound("copied", FieldValue::Time(copied)),
            ],
        ),
        fact(9, "failed_logon", name("admin2"), vec![count("count", 57)]),
        fact(10, "registered", name(r"\Tasks\Sync9"), vec![]),
    ];
    let absence = Absence::File {
        near: Vec::new(),
        name: "wiper.exe".into(),
        under: "p1/Users".into(),
        evidence: None,
    };
    let of_file = Absence::RegistryKey {
        hive: "p1/Windows/System32/config/SYSTEM".into(),
        key: r"ControlSet001\Services\Wiper".into(),
        evidence: None,
        as_it_stands: true,
        near: Vec::new(),
    };
    let entry = |id: &str, absence| AbsenceEntry {
        id: id.parse().unwrap(),
        absence,
        searches: vec!["inv-00000002".parse().unwrap()],
    };
    let absences = vec![entry("abs-00000001", absence), entry("abs-00000002", of_file)];
    let term = |number: usize, field: &str| Term { fact: facts[number - 1].id, field: field.into() };
    let terms = vec![term(2, "time"), term(1, "last_run")];
    let derivations = vec![DerivationEntry {
        id: "der-00000001".parse().unwrap(),
        derivation: Derivation::Within { terms, seconds: 180 },
        clocks: vec![],
    }];
    World { facts, absences, derivations }
}

impl World {
    fn judge(&self, text: &str, cites: &[&str]) -> Result<SentenceEntry, Rejection> {
        let facts = self.facts.iter().map(Citable::Fact);
        let absences = self.absences.iter().map(Citable::Absence);
        let known: Known<'_> =
            facts.chain(absences).chain(self.derivations.iter().map(Citable::Derivation)).collect();
        let cites = cites.iter().map(|cited| (*cited).to_owned()).collect();
        let claim = SentenceClaim { text: text.to_owned(), cites };
        match judge_sentence(&claim, "sent-00000001".parse().unwrap(), &known, TELLING) {
            SentenceVerdict::Told(told) => Ok(told.into_entry()),
            SentenceVerdict::Refused(rejection) => Err(rejection),
        }
    }
}

/// Returns the ids of facts by their numbers; 0 is the absence, 99 the derivation.
fn ids(numbers: &[u32]) -> Vec<String> {
    let id = |number: &u32| match number {
        0 => "abs-00000001".to_owned(),
        99 => "der-00000001".to_owned(),
        number => format!("fact-{number:08x}"),
    };
    numbers.iter().map(id).collect()
}

fn judged(world: &World, text: &str, numbers: &[u32]) -> Result<SentenceEntry, Rejection> {
    let ids = ids(numbers);
    world.judge(text, &ids.iter().map(String::as_str).collect::<Vec<_>>())
}

/// True sentences, as an honest author writes them.
const TRUE: &[(&[u32], &str)] = &[
    (&[1], "evil.exe was executed 12 times."),
    (&[1], r"C:\Users\mara\Downloads\evil.exe ran, the last time at 2024-03-01T12:00:05Z."),
    (&[1], "At 2024-03-01T12:00:05.25Z, “evil.exe” was run (run_count = 12)."),
    (&[1], "On 2024-03-01 UTC evil.exe from c:/users/mara/downloads was executed."),
    (&[1], "At 2024-03-01 12:00 UTC the file evil.exe, which lies in mara's Downloads folder, was started."),
    (&[1], "At 2024-03-01T13:00:05+01:00 the program ran."),
    (
        &[1, 2],
        "evil.exe was downloaded from https://files.example.net/a/evil.exe at 2024-03-01T11:58:00Z and executed at 2024-03-01T12:00:05Z.",
    ),
    (&[2], "The file (34,816 bytes) came from files.example.net; evil.exe was downloaded by a browser."),
    (&[2], "evil.exe has 34816 bytes."),
    (&[3], "The document “secret plan.docx” lies in p1/Users/mara."),
    (&[3], "Users/mara/secret plan.docx is there (modified = 2024-02-01T08:00:00Z)."),
    (&[4], r"The Run key starts C:\ProgramData\up 2\svc.exe by itself."),
    (
        &[4],
        r"Software\Microsoft\Windows\CurrentVersion\Run holds “Updater”, a means of persistence, with the address 10.0.0.5.",
    ),
    (&[4], "svc.exe is started automatically."),
    (&[5], "mara logged on to ALDER-07 from 10.0.0.5:443 as S-1-5-21-1-2-3-1001."),
    (&[5], "The account mara (s-1-5-21-1-2-3-1001) was logged-on on alder-07."),
    (&[6], "notes.txt was deleted at 2024-03-01T09:00:00.0000000 local."),
    (&[6], "mara's notes.txt has been deleted."),
    (&[7], "The log entry says “the backup was deleted by robot7” on Windows 10 Pro."),
    (&[8], "readme.md has the guid 6a1b2c3d-0000-1111-2222-333344445555."),
    (&[9], "57 attempts to log on as admin2 failed."),
    (&[9], "admin2 failed to log on 57 times."),
    (&[10], r"The task \Tasks\Sync9 runs when it is due."),
    (&[0], "There is no file “wiper.exe” under p1/Users."),
    (&[0], "No wiper.exe was executed."),
    (&[0], "There is no evidence that wiper.exe was ever run."),
    (&[0], "wiper.exe was not downloaded."),
    (&[99], "evil.exe was executed within 180 seconds of being downloaded."),
    (&[99], "evil.exe was downloaded and executed within 3 minutes."),
    (&[1, 2, 3], "These 3 facts concern the account of the user."),
    (&[1, 2, 3], "The user took part in it."),
    (&[1], "As fact-00000001 says (inv-00000001), evil.exe was executed."),
    (&[1, 6], "evil.exe was executed, and notes.txt was deleted."),
    (&[1], "The malicious evil.exe was executed."),
    (&[3], "e.g. a document, its SHA-256 unknown, and/or a copy of it"),
];

/// Sentences that must be refused, with the code.
const FALSE: &[(&[u32], &str, RejectionCode)] = &[
    // Values that no cited node states.
    (&[1], "evil2.exe was executed.", RejectionCode::ValueAbsent),
    (&[1], "vil.exe was executed.", RejectionCode::ValueAbsent),
    (&[1], r"C:\Users\eve\Downloads\evil.exe was executed.", RejectionCode::ValueAbsent),
    (&[1], r"C:\Users\mar was executed.", RejectionCode::ValueAbsent),
    (&[1], r"D:\evil.exe was executed.", RejectionCode::ValueAbsent),
    (&[1], r"mara\evil.exe was executed.", RejectionCode::ValueAbsent),
    (&[1], r"\Downloads\evil.exe was executed.", RejectionCode::ValueAbsent),
    (&[1], "evil.exe was executed 13 times.", RejectionCode::ValueAbsent),
    (&[1], "evil.exe was executed 7 times.", RejectionCode::ValueAbsent),
    (&[1], "evil.exe was executed twice.", RejectionCode::ValueAbsent),
    (&[1], "evil.exe was executed seven times.", RejectionCode::ValueAbsent),
    (&[1], "evil.exe was executed 1 times.", RejectionCode::ValueAbsent),
    (&[1], "evil.exe was executed (run_count = 2).", RejectionCode::ValueAbsent),
    (&[1], "At 2024-03-01T12:00:06Z evil.exe was executed.", RejectionCode::ValueAbsent),
    (&[1], "At 2024-03-01T12:00:05.26Z evil.exe was executed.", RejectionCode::ValueAbsent),
    (&[1], "At 2024-03-01T12:01Z evil.exe was executed.", RejectionCode::ValueAbsent),
    (&[1], "On 2024-03-02 UTC evil.exe was executed.", RejectionCode::ValueAbsent),
    (&[1], "At 2024-03-01T12:00:05+02:00 evil.exe was executed.", RejectionCode::ValueAbsent),
    (&[1], "evil.exe was executed by the user “eve”.", RejectionCode::ValueAbsent),
    (&[1], "\"evil.exe was executed", RejectionCode::ValueAbsent),
    (&[1], "evil\u{ff0e}com was executed, like evil.exe.", RejectionCode::ValueAbsent),
    (&[1], "evil\u{2024}bat ran with evil.exe.", RejectionCode::ValueAbsent),
    (&[1], "MALLORY-07 is where evil.exe ran.", RejectionCode::ValueAbsent),
    (&[2], "evil.exe was downloaded from https://files.example.net/a.", RejectionCode::ValueAbsent),
    (&[2], "evil.exe was downloaded from example.net.", RejectionCode::ValueAbsent),
    (&[2], "evil.exe has 34 KB.", RejectionCode::ValueAbsent),
    (&[2], "evil.exe has 816 bytes.", RejectionCode::ValueAbsent),
    (&[3], "“plan.docx” lies there.", RejectionCode::ValueAbsent),
    (&[3], "The file plan.docx lies there.", RejectionCode::ValueAbsent),
    (&[3], "“secret plan” lies there.", RejectionCode::ValueAbsent),
    (&[4], r"HKLM\Software\Microsoft\Windows\CurrentVersion\Run starts svc.exe.", RejectionCode::ValueAbsent),
    (&[4], r"Software\Microsoft\Windows\CurrentVersion\RunOnce starts svc.exe.", RejectionCode::ValueAbsent),
    (&[5], "mara logged on from 10.0.0.55.", RejectionCode::ValueAbsent),
    (&[5], "mara logged on from 10.0.0.", RejectionCode::ValueAbsent),
    (&[5], "mara logged on from 10.0.0.5:8443.", RejectionCode::ValueAbsent),
    (&[5], "mara (S-1-5-21-1-2-3-1002) logged on.", RejectionCode::ValueAbsent),
    (&[7], "Windows 11 is what the log names.", RejectionCode::ValueAbsent),
    (&[8], "readme.md has the hash ab12ab12.", RejectionCode::ValueAbsent),
    (&[0], "There is no file wiper2.exe.", RejectionCode::ValueAbsent),
    (&[99], "evil.exe was executed within 60 seconds of the download.", RejectionCode::ValueAbsent),
    (&[99], "evil.exe was downloaded and executed within 180 minutes.", RejectionCode::ValueAbsent),
    (&[99], "evil.exe was downloaded and executed within five minutes.", RejectionCode::ValueAbsent),
    (&[1, 2], "These 17 facts concern the user.", RejectionCode::ValueAbsent),
    // Times that could be many instants.
    (&[1], "On 2024-03-01 evil.exe was executed.", RejectionCode::NaiveTime),
    (&[1], "At 2024-03-01T12:00:05 evil.exe was executed.", RejectionCode::NaiveTime),
    (&[1], "At 12:00:05 evil.exe was executed.", RejectionCode::NaiveTime),
    (&[1], "On March 1, 2024 evil.exe was executed.", RejectionCode::NaiveTime),
    (&[1], "On 1 March evil.exe was executed.", RejectionCode::NaiveTime),
    (&[1], "On Friday evil.exe was executed.", RejectionCode::NaiveTime),
    (&[1], "On 01/03/2024 evil.exe was executed.", RejectionCode::NaiveTime),
    (&[6], "notes.txt was deleted at 2024-03-01T09:00:00Z.", RejectionCode::ValueAbsent),
    // Actions that no cited node proves.
    (&[3], "secret plan.docx was executed.", RejectionCode::Overclaim),
    (&[3], "secret plan.docx was opened.", RejectionCode::Overclaim),
    (&[3], "The document was stolen.", RejectionCode::Overclaim),
    (&[3], "secret plan.docx may have been deleted.", RejectionCode::Overclaim),
    (&[2], "evil.exe was downloaded and run.", RejectionCode::Overclaim),
    (&[2], "evil.exe was downloaded and double-clicked.", RejectionCode::Overclaim),
    (&[3], "EXECUTION of the macro in secret plan.docx followed.", RejectionCode::Overclaim),
    (&[4], r"svc.exe was executed.", RejectionCode::Overclaim),
    (&[10], r"The task \Tasks\Sync9 ran.", RejectionCode::Overclaim),
    (&[9], "admin2 logged on.", RejectionCode::Overclaim),
    (&[5], "mara failed to log on.", RejectionCode::Overclaim),
    (&[7], "the backup was deleted by robot7", RejectionCode::Overclaim),
    (&[4], "The user installed svc.exe.", RejectionCode::Overclaim),
    (&[8], "readme.md was created.", RejectionCode::Overclaim),
    // An action of something else.
    (&[1, 3], "secret plan.docx was executed.", RejectionCode::Overclaim),
    (&[3, 6], "“secret plan.docx” was deleted.", RejectionCode::Overclaim),
    // Denials.
    (&[1], "evil.exe was not executed.", RejectionCode::Overclaim),
    (&[0, 1], "evil.exe was never executed, and there is no wiper.exe.", RejectionCode::Overclaim),
    (&[3], "secret plan.docx was never opened.", RejectionCode::Overclaim),
    (&[3], "There is no evidence that secret plan.docx was opened.", RejectionCode::Overclaim),
    (&[0], "It was not mara who executed wiper.exe.", RejectionCode::Overclaim),
    (&[0], "wiper.exe was executed.", RejectionCode::Overclaim),
    // An action of something that is not named.
    (&[6], "The administrator deleted the backups.", RejectionCode::Overclaim),
    (&[1, 2, 3], "A program was executed.", RejectionCode::Overclaim),
    // Verdicts.
    (&[1], "This computer is clean.", RejectionCode::Overclaim),
    (&[1], "evil.exe is harmless.", RejectionCode::Overclaim),
    (&[1], "Everything on this host is legitimate and nothing has to be done.", RejectionCode::Overclaim),
    (&[1], "There is no malware on this host.", RejectionCode::Overclaim),
    (&[1], "evil.exe isn't malicious.", RejectionCode::Overclaim),
    (&[1], "The host was not compromised.", RejectionCode::Overclaim),
    (&[0], "There is no evidence of an intrusion.", RejectionCode::Overclaim),
    // Citations.
    (&[77], "evil.exe was executed.", RejectionCode::UnknownFact),
    (&[1], "evil.exe was executed, as fact-00000002 says.", RejectionCode::UnknownFact),
    (&[], "evil.exe was executed.", RejectionCode::Malformed),
    (&[1], " ", RejectionCode::Malformed),
    (&[1], "evil.exe was ex\u{200b}ecuted.", RejectionCode::Malformed),
    (&[1], "evil.exe was executed.\nAnd more.", RejectionCode::Malformed),
    (&[1], "e\u{445}ecuted evil.exe", RejectionCode::ValueAbsent),
];

#[test]
fn what_the_cited_facts_bear_out_is_told() {
    let world = world();
    let refused: Vec<_> =
        TRUE.iter().filter_map(|(cites, text)| Some((text, judged(&world, text, cites).err()?))).collect();
    assert!(refused.is_empty(), "{refused:#?}");
}

#[test]
fn what_they_do_not_is_refused_with_its_reason() {
    let world = world();
    let mut wrong = Vec::new();
    for (cites, text, code) in FALSE {
        match judged(&world, text, cites) {
            Err(rejection) if rejection.code == *code => assert!(!rejection.hint.is_empty(), "{text}"),
            other => wrong.push((text, code, other)),
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn a_name_with_characters_that_nobody_sees_is_told_with_these_written_out() {
    let names =
        ["report\u{202e}fdp.exe", "Sc\u{430}nToPdf-Setup.exe", "Ledgerline  Backup.exe", "a\u{200b}b.exe"];
    for name in names {
        let fact = fact(1, "executed", FieldValue::Path(format!(r"C:\Users\mara\{name}")), vec![]);
        let known = Known::from_iter([Citable::Fact(&fact)]);
        let judged = |name: &str, escapes| {
            let text = format!(r"C:\Users\mara\{name} was executed.");
            let claim = SentenceClaim { text, cites: ids(&[1]) };
            let telling = Telling { escapes, ..TELLING };
            matches!(
                judge_sentence(&claim, "sent-00000001".parse().unwrap(), &known, telling),
                SentenceVerdict::Told(_)
            )
        };
        let written = |c: char| match c.is_ascii() {
            true => c.to_string(),
            false => c.escape_unicode().to_string(),
        };
        let escaped: String = name.chars().map(written).collect::<String>().replace("  ", r" \u{20}");
        assert!(judged(&escaped, true) && !judged(&escaped, false), "{escaped}");
        // Nothing is said about the name that it resembles.
        for other in
            ["reportexe.pdf", "reportfdp.exe", "ScanToPdf-Setup.exe", "Ledgerline Backup.exe", "ab.exe"]
        {
            assert!(!judged(other, true), "{name}: {other}");
        }
    }
}

#[test]
fn a_path_is_one_value_whatever_its_folders_are_called_and_lends_its_words_to_no_deed() {
    let key = r"Microsoft\Windows NT\CurrentVersion\Image File Execution Options\sethc.exe\Debugger";
    let fact = fact(1, "present", FieldValue::RegistryPath(key.into()), vec![]);
    let known = Known::from_iter([Citable::Fact(&fact)]);
    let judged = |text: String| {
        let claim = SentenceClaim { text, cites: ids(&[1]) };
        judge_sentence(&claim, "sent-00000001".parse().unwrap(), &known, TELLING)
    };
    assert!(matches!(judged(format!("The key {key}: there.")), SentenceVerdict::Told(_)));
    let SentenceVerdict::Refused(refused) = judged(format!("{key} was executed.")) else { panic!() };
    assert_eq!(refused.code, RejectionCode::Overclaim);
}

#[test]
fn a_refusal_tells_what_there_is() {
    let world = world();
    let refused = |text: &str, cites: &[u32]| judged(&world, text, cites).unwrap_err();
    assert!(refused("evil3.exe was executed.", &[1]).hint.contains(r"C:\Users\mara\Downloads\evil.exe"));
    assert!(refused("At 2024-03-01T12:00:06Z it ran.", &[1]).hint.contains("2024-03-01T12:00:05.2500000Z"));
    assert!(refused("secret plan.docx ran.", &[3]).hint.contains("`present`"));
    // The id is mistyped, so the hint names the facts that say it.
    assert!(refused("admin2 failed to log on 57 times.", &[77]).hint.contains("fact-00000009"));
    assert_eq!(world.judge("x", &["phen-00000001"]).unwrap_err().code, RejectionCode::UnknownFact);
    assert_eq!(world.judge("x", &["fact-1"]).unwrap_err().code, RejectionCode::UnknownFact);
}

#[test]
fn a_sentence_stands_at_the_earliest_instant_of_the_examined_host() {
    let world = world();
    let placed = |cites: &[u32]| {
        judged(&world, "It concerns the user.", cites).unwrap().time.map(|time| time.to_text())
    };
    assert_eq!(placed(&[1, 2]).as_deref(), Some("2024-03-01T11:58:00.0000000Z"));
    assert_eq!(placed(&[99]).as_deref(), Some("2024-03-01T11:58:00.0000000Z"));
    // A time kept by a copying machine is not such an instant; a local time is used if there is nothing better.
    assert_eq!((placed(&[8]), placed(&[0])), (None, None));
    assert!(placed(&[6]).unwrap().ends_with(" local"));
    assert_eq!(placed(&[6, 1, 2]), placed(&[1, 2]));
}

/// Returns the field that dates a sentence over these facts.
fn dated_by(facts: &[FactEntry], dating: Dating) -> Option<String> {
    let cites = facts.iter().map(|fact| fact.id.to_string()).collect();
    let claim = SentenceClaim { text: "It lay there.".into(), cites };
    let known = Known::from_iter(facts.iter().map(Citable::Fact));
    let verdict =
        judge_sentence(&claim, "sent-00000001".parse().unwrap(), &known, Telling { dating, ..TELLING });
    let SentenceVerdict::Told(told) = verdict else { panic!("{verdict:?}") };
    assert_eq!(told.entry().time.is_some(), told.entry().dated_by.is_some());
    told.entry().dated_by.clone()
}

#[test]
fn a_sentence_is_dated_by_what_a_time_is_of_before_who_could_have_written_it() {
    let by = |writer, value: BoundValue| BoundValue { writer: Some(writer), ..value };
    let user = |field, text| by(Writer::AnyUser, time(field, text));
    let born = user("born", "2021-03-18T04:11:00Z");
    let modified = user("modified", "2020-03-18T04:11:00Z");
    let name = user("name_born", "2025-09-16T09:44:44Z");
    let system = by(Writer::System, time("name_changed", "2025-09-17T09:44:44Z"));
    let linked = user("link_date", "2083-01-01T00:00:00Z");
    for (values, host, before) in [
        (vec![born.clone(), name.clone()], Some("name_born"), Some("born")),
        (vec![born.clone(), modified.clone()], Some("born"), Some("modified")),
        (vec![modified.clone()], Some("modified"), Some("modified")),
        (vec![system, born.clone()], Some("born"), Some("name_changed")),
        (vec![linked.clone()], None, Some("link_date")),
        (vec![linked, born.clone()], Some("born"), Some("born")),
    ] {
        let mut fact = fact(1, "present", path("p1/a/b.exe"), values);
        fact.kind = "dir_entry".into();
        let facts = [fact];
        assert_eq!(dated_by(&facts, Dating::Host).as_deref(), host, "{facts:?}");
        assert_eq!(dated_by(&facts, Dating::AnyInstant).as_deref(), before, "{facts:?}");
    }
    // With several facts, a file's own times count only if nothing else dates.
    let mut file = fact(1, "present", path("p1/a/b.exe"), vec![born.clone()]);
    file.kind = "dir_entry".into();
    let ran = fact(2, "executed", path("p1/a/b.exe"), vec![time("last_run", "2025-09-16T10:00:00Z")]);
    assert_eq!(dated_by(&[file.clone(), ran], Dating::Host).as_deref(), Some("last_run"));
    let mut named = fact(2, "present", path("p1/a/b.exe"), vec![born, name]);
    named.kind = "dir_entry".into();
    assert_eq!(dated_by(&[file, named], Dating::Host).as_deref(), Some("name_born"));
}

#[test]
fn the_times_of_a_deleted_file_do_not_date_its_deletion() {
    let born = time("born", "2024-03-01T10:00:00Z");
    let gone = time("deleted", "2024-03-02T10:00:00Z");
    for (values, dated) in [(vec![born.clone()], None), (vec![born, gone], Some("deleted"))] {
        let facts = [fact(1, "deleted", path("p1/a/b.ps1"), values)];
        for dating in [Dating::Host, Dating::AnyInstant] {
            assert_eq!(dated_by(&facts, dating).as_deref(), dated);
        }
    }
}

#[test]
fn a_node_that_is_cited_twice_is_cited_once() {
    let told = judged(&world(), "It concerns the user.", &[1, 1, 2]).unwrap();
    assert_eq!(told.cites.len(), 2);
}

#[test]
fn what_is_quoted_of_a_record_is_all_that_is_stated() {
    let mut world = world();
    let quoted = BoundValue {
        quotation: Some("net use failed".into()),
        ..bound("text", text("net use failed for eve99 at share77"))
    };
    world.facts.push(fact(11, "quoted", path("p1/log.txt"), vec![quoted]));
    assert!(judged(&world, "log.txt says “net use failed”.", &[11]).is_ok());
    assert_eq!(judged(&world, "log.txt names eve99.", &[11]).unwrap_err().code, RejectionCode::ValueAbsent);
}

/// Returns the report's title of a fact, written again here: predicate, subject, fields with their values.
fn title(fact: &FactEntry) -> String {
    let values: Vec<_> =
        fact.values.iter().map(|it| format!("{} = {}", it.field, it.value.to_text())).collect();
    format!("{} {}: {}", fact.predicate, fact.subject.value.to_text(), values.join(", "))
}

fn some_value() -> impl Strategy<Value = FieldValue> {
    prop_oneof![
        (10i128..1_000_000).prop_map(FieldValue::Integer),
        (10u64..1_000_000).prop_map(FieldValue::Size),
        "[a-z]{3,8}".prop_map(FieldValue::Name),
        "[a-z]{3,8}( [a-z]{3,8}){0,2}".prop_map(FieldValue::Text),
        "[A-Z]:(\\\\[a-z]{2,6}( [a-z]{2,5})?){1,3}\\.[a-z]{3}".prop_map(FieldValue::Path),
        (130_000_000_000_000_000u64..134_000_000_000_000_000)
            .prop_map(|ticks| FieldValue::Time(Time::from_filetime(ticks))),
        "[0-9a-f]{64}".prop_map(FieldValue::Hash),
    ]
}

/// Returns another value of the same kind.
fn altered(value: &FieldValue) -> FieldValue {
    match value {
        FieldValue::Integer(number) => FieldValue::Integer(number + 1),
        FieldValue::Size(number) => FieldValue::Size(number + 1),
        FieldValue::Time(time) => {
            FieldValue::Time(Time::from_filetime(time.raw.parse::<u64>().unwrap() + 10_000_000))
        }
        FieldValue::Hash(hash) => FieldValue::Hash(format!("{}x", hash.get(1..).unwrap())),
        FieldValue::Path(path) => FieldValue::Path(format!("{path}x")),
        FieldValue::Name(name) => FieldValue::Name(format!("{name}x")),
        FieldValue::Text(text) => FieldValue::Text(format!("x{text}")),
        other => other.clone(),
    }
}

proptest! {
    #[test]
    fn titles_of_facts_pass_and_with_one_value_altered_they_do_not(
        subjects in prop::collection::vec("[A-Z]:(\\\\[a-z]{2,6}){1,3}\\.[a-z]{3}", 1..4),
        values in prop::collection::vec(some_value(), 1..5),
        chosen in any::<prop::sample::Index>(),
    ) {
        let mut facts: Vec<FactEntry> = (1..).zip(&subjects).map(|(number, subject)| {
            let fields = (0..).zip(&values).map(|(field, value)| bound(&format!("field{field}"), value.clone()));
            fact(number, "executed", path(subject), fields.collect())
        }).collect();
        let sentence = facts.iter().map(title).collect::<Vec<_>>().join("; ");
        let world = World { facts: facts.clone(), absences: vec![], derivations: vec![] };
        let cites: Vec<u32> = (1..).take(facts.len()).collect();
        prop_assume!(sentence.chars().count() <= 1000);
        prop_assert!(judged(&world, &sentence, &cites).is_ok(), "{sentence}: {:?}", judged(&world, &sentence, &cites));
        let field = chosen.index(values.len());
        let value = &mut facts[0].values[field].value;
        *value = altered(value);
        let sentence = facts.iter().map(title).collect::<Vec<_>>().join("; ");
        prop_assume!(sentence.chars().count() <= 1000);
        prop_assert!(judged(&world, &sentence, &cites).is_err(), "{sentence}");
    }

    #[test]
    fn any_text_is_judged_without_panic(text in any::<String>(), words in "[ a-z0-9.:\\\\/\"'“”=,()T Z-]{0,120}") {
        let world = world();
        let _ = judged(&world, &text, &[1, 4, 0, 99]);
        let _ = judged(&world, &words, &[1, 2, 5, 7]);
    }
}

#[test]
fn a_denial_is_contradicted_by_a_fact_that_says_the_deed_of_what_the_sentence_names() {
    let world = world();
    let others = [
        fact(20, "executed", path("p1/Temp/wiper.exe"), vec![]),
        fact(21, "executed", path("p1/Temp/calc.exe"), vec![]),
        fact(22, "present", path("p1/Temp/wiper.exe"), vec![]),
    ];
    let facts = world.facts.iter().chain(&others).map(Citable::Fact);
    let known: Known<'_> = facts.chain(world.absences.iter().map(Citable::Absence)).collect();
    for (text, by) in [
        ("wiper.exe was not executed.", vec![20]),
        ("Nothing was executed.", vec![20, 21]),
        ("There is no evidence that wiper.exe was deleted.", vec![]),
    ] {
        let told = world.judge(text, &["abs-00000001"]).unwrap();
        let contradicting = others.iter().filter(|fact| is_contradicted(&told, fact, &known));
        let contradicting: Vec<_> = contradicting.map(|fact| fact.id.to_string()).collect();
        let expected: Vec<String> = by.iter().map(|number| format!("fact-{number:08x}")).collect();
        assert_eq!(contradicting, expected, "{text}");
    }
}

#[test]
fn a_task_that_is_not_in_force_neither_starts_nor_runs_anything() {
    let task = |starts: &str| FactEntry {
        kind: "scheduled_task".into(),
        ..fact(
            1,
            "registered",
            path("\\Dis"),
            vec![bound("command", path("C:\\dis.exe")), bound("starts", name(starts))],
        )
    };
    let told = |starts: &str, text: &str, in_force| {
        let fact = task(starts);
        let known = Known::from_iter([Citable::Fact(&fact)]);
        let claim = SentenceClaim { text: text.into(), cites: ids(&[1]) };
        let telling = Telling { in_force, ..TELLING };
        matches!(
            judge_sentence(&claim, "sent-00000001".parse().unwrap(), &known, telling),
            SentenceVerdict::Told(_)
        )
    };
    let starting = ["The task \\Dis runs C:\\dis.exe.", "C:\\dis.exe starts by itself with the task \\Dis."];
    for text in starting {
        assert!(told("by_trigger", text, true), "{text}");
        for starts in ["disabled", "on_demand", "once", "until_end"] {
            assert!(!told(starts, text, true), "{starts}: {text}");
            assert!(told(starts, text, false), "as earlier runs: {text}");
        }
    }
    assert!(told("disabled", "The task \\Dis was registered with the command C:\\dis.exe.", true));
}

#[test]
fn an_absence_in_a_hive_as_it_stands_is_told_as_one_and_denies_nothing() {
    let world = world();
    let key = r"ControlSet001\Services\Wiper";
    for text in [
        format!(r"As it stands, the hive p1/Windows/System32/config/SYSTEM has no key {key}."),
        format!("The hive SYSTEM as it stands has no key {key}."),
    ] {
        let told = world.judge(&text, &["abs-00000002"]);
        assert!(told.is_ok(), "{text}: {told:?}");
    }
    for text in [
        format!("The hive SYSTEM has no key {key}."),
        format!("There is no key {key}."),
        format!("The key {key} was never registered."),
        format!("The key {key} was never registered, as it stands."),
        format!("Nothing below {key} of the hive as it stands was executed."),
        format!("The hive as it stands shows that {key} was not executed."),
    ] {
        let refused = world.judge(&text, &["abs-00000002"]).unwrap_err();
        assert_eq!(refused.code, RejectionCode::Overclaim, "{text}: {refused:?}");
    }
    // Even with a plain absence beside it, the sentence must say what it is.
    let both = ["abs-00000001", "abs-00000002"];
    assert!(world.judge("wiper.exe was not executed.", &both).is_err());
    assert!(world.judge("wiper.exe was not executed.", &both[..1]).is_ok());
}
