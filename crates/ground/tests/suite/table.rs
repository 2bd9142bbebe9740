//! Claims judged by hand: each row gives the right verdict on one claim, and the reason.

use crate::world;

use ground::{Verdict, recheck};
use ledger::RejectionCode::{
    Ambiguous, FailedInvocation, ForeignInvocation, Malformed, NaiveTime, Overclaim, SplitAcrossRecords,
    TooWeak, UnknownInvocation, ValueAbsent, WrongField,
};
use ledger::Tier::{Exact, Normalised, Quoted, Typed};
use ledger::{FieldValue, Reading, RejectionCode, Tier};
use world::{Call, RUN_KEY, World, about, at, id_of, reading};

enum Expected {
    /// Accepted, with its first value in this field at this tier.
    Yes(&'static str, Tier),
    /// Accepted with a different invocation than the cited one.
    Healed(&'static str, Call, RejectionCode),
    No(RejectionCode),
}
use Expected::{Healed, No, Yes};

type Row = (&'static str, Reading, Expected);

fn run(values: &[(&str, &str)]) -> Reading {
    reading("configured", Call::Run.id(), values)
}

fn key(values: &[(&str, &str)]) -> Reading {
    reading("modified", Call::Keys.id(), values)
}

fn dir(values: &[(&str, &str)]) -> Reading {
    reading("present", Call::Dir.id(), values)
}

fn quoted(words: &str) -> Reading {
    reading("quoted", Call::Text.id(), &[("text", words)])
}

const HEALTH: &str = r"C:\Windows\system32\SecurityHealthSystray.exe";
const INVOICE: &str = r"C:\Users\bob\Downloads\invoice.pdf.exe";
const CLSID: &str = "{0B2C9183-C9FA-4C53-AE21-C900B0C39965}";

fn text_rows() -> Vec<Row> {
    vec![
        ("the whole text", run(&[("data", HEALTH)]), Yes("data", Exact)),
        ("the only field that holds it", run(&[("", HEALTH)]), Yes("data", Exact)),
        ("a text in another case is another text", run(&[("data", &HEALTH.to_lowercase())]), No(ValueAbsent)),
        (
            "a text with other slashes is another text",
            run(&[("data", &HEALTH.replace('\\', "/"))]),
            No(ValueAbsent),
        ),
        (
            "escapes undone",
            run(&[("data", r"C:\\Windows\\system32\\SecurityHealthSystray.exe")]),
            Yes("data", Normalised),
        ),
        ("quotation marks around", run(&[("data", &format!("\"{HEALTH}\""))]), Yes("data", Normalised)),
        ("backticks around", run(&[("data", &format!("`{HEALTH}`"))]), Yes("data", Normalised)),
        ("white space around", run(&[("data", &format!("  {HEALTH}\n"))]), Yes("data", Normalised)),
        (
            "marks that belong to the text",
            run(&[("data", r#""C:\Users\bob\AppData\upd.exe" -silent"#)]),
            Yes("data", Exact),
        ),
        (
            "JSON escapes of a command line",
            run(&[("data", r#"\"C:\\Users\\bob\\AppData\\upd.exe\" -silent"#)]),
            Yes("data", Normalised),
        ),
        ("an escaped line feed", run(&[("data", r"first\nsecond")]), Yes("data", Normalised)),
        ("an escaped letter", run(&[("data", r"r\u00e9sum\u00e9 reader")]), Yes("data", Normalised)),
        ("decomposed letters", run(&[("data", "re\u{301}sume\u{301} reader")]), Yes("data", Normalised)),
        ("letters without their marks", run(&[("data", "resume reader")]), No(ValueAbsent)),
        ("a prefix of a path", run(&[("data", r"C:\Windows\system32")]), No(ValueAbsent)),
        ("a part of a command line", run(&[("data", r"C:\Users\bob\AppData\upd.exe")]), No(ValueAbsent)),
        (
            "a letter changed",
            run(&[("data", r"C:\Windows\system32\SecurityHealthSystrax.exe")]),
            No(ValueAbsent),
        ),
        ("an item of a list", run(&[("data", "Bob Smith")]), Yes("data", Exact)),
        ("two items of a list", run(&[("data", "Bob Smith"), ("data", "Acme Corp")]), Yes("data", Exact)),
        ("a list joined is no item", run(&[("data", "Bob Smith; Acme Corp")]), No(ValueAbsent)),
        ("a part of an item", run(&[("data", "Smith")]), No(ValueAbsent)),
    ]
}

fn name_rows() -> Vec<Row> {
    vec![
        ("a name", dir(&[("name", "invoice.pdf.exe")]), Yes("name", Exact)),
        ("a name in another case", dir(&[("name", "Invoice.PDF.exe")]), Yes("name", Normalised)),
        ("a name with a capital beyond ASCII", run(&[("name", "CAFÉ")]), Yes("name", Normalised)),
        ("a name decomposed", run(&[("name", "cafe\u{301}")]), Yes("name", Normalised)),
        ("a Cyrillic letter in a name", dir(&[("name", "p\u{430}ypal.exe")]), No(ValueAbsent)),
        ("a fullwidth letter in a name", dir(&[("name", "\u{ff50}aypal.exe")]), No(ValueAbsent)),
        ("a ligature in a name", dir(&[("name", "noteﬆ.txt")]), No(ValueAbsent)),
        ("a name without its extension", dir(&[("name", "invoice.pdf")]), No(ValueAbsent)),
        ("a path", dir(&[("path", INVOICE)]), Yes("path", Exact)),
        (
            "a path with slashes",
            dir(&[("path", "c:/users/bob/downloads/INVOICE.pdf.exe")]),
            Yes("path", Normalised),
        ),
        (
            "a path with a separator at its end",
            dir(&[("path", &format!("{INVOICE}\\"))]),
            Yes("path", Normalised),
        ),
        (
            "a path with doubled separators",
            dir(&[("path", "C:\\\\Users\\\\bob\\\\Downloads\\\\notes.txt")]),
            Yes("path", Normalised),
        ),
        ("a folder of a path", dir(&[("path", r"C:\Users\bob\Downloads")]), No(ValueAbsent)),
        ("a path on another drive", dir(&[("path", &INVOICE.replace("C:", "D:"))]), No(ValueAbsent)),
        ("a path without its drive", dir(&[("path", &INVOICE.replace("C:", ""))]), No(ValueAbsent)),
        ("a share is not a folder of the drive", dir(&[("path", r"\host\share\plan.doc")]), No(ValueAbsent)),
        (
            "a share with its slashes turned",
            dir(&[("path", "//HOST/share/plan.doc")]),
            Yes("path", Normalised),
        ),
        (
            "a GUID without braces",
            run(&[("data", "0b2c9183-c9fa-4c53-ae21-c900b0c39965")]),
            Yes("data", Normalised),
        ),
        ("a GUID with one brace", run(&[("data", CLSID.trim_end_matches('}'))]), No(ValueAbsent)),
        ("a GUID with a digit changed", run(&[("data", &CLSID.replace("9965", "9966"))]), No(ValueAbsent)),
    ]
}

fn typed_rows() -> Vec<Row> {
    vec![
        ("a number", run(&[("data", "104857600")]), Yes("data", Exact)),
        ("a number in hex", run(&[("data", "0x6400000")]), Yes("data", Typed)),
        ("part of a number", run(&[("data", "1048576")]), No(ValueAbsent)),
        ("a digit changed", run(&[("data", "104857601")]), No(ValueAbsent)),
        ("a number with separators", run(&[("data", "104,857,600")]), No(ValueAbsent)),
        ("a size in hex", dir(&[("path", INVOICE), ("size", "0x1204A")]), Yes("path", Exact)),
        (
            "a time as it is shown",
            key(&[("last_written", "2012-04-04T01:58:40.8392490Z")]),
            Yes("last_written", Exact),
        ),
        (
            "a time to the second",
            key(&[("last_written", "2012-04-04T01:58:40Z")]),
            Yes("last_written", Typed),
        ),
        (
            "a time with another offset",
            key(&[("last_written", "2012-04-04T03:58:40+02:00")]),
            Yes("last_written", Typed),
        ),
        (
            "a time at an offset that shifts it",
            key(&[("last_written", "2012-04-04T01:58:40+02:00")]),
            No(ValueAbsent),
        ),
        ("a time rounded up", key(&[("last_written", "2012-04-04T01:58:41Z")]), No(ValueAbsent)),
        (
            "a time finer than its source",
            key(&[("last_written", "2015-06-01T10:00:00.000Z")]),
            No(ValueAbsent),
        ),
        (
            "a stored number of ticks",
            key(&[("last_written", "129779783208392490")]),
            Yes("last_written", Typed),
        ),
        ("a time without a zone", key(&[("last_written", "2012-04-04T01:58:40")]), No(NaiveTime)),
        ("a date alone", key(&[("last_written", "2012-04-04")]), No(NaiveTime)),
        ("a time without a zone and without a field", key(&[("", "2012-04-04 01:58:40")]), No(NaiveTime)),
        (
            "a time of the copy",
            dir(&[("path", INVOICE), ("modified", "2023-11-14T22:13:20Z")]),
            No(Overclaim),
        ),
        (
            "a time of the copy as stored",
            dir(&[("path", INVOICE), ("modified", "1700000000")]),
            No(Overclaim),
        ),
    ]
}

fn subject_rows() -> Vec<Row> {
    let run_value = |values: &[(&str, &str)]| about(RUN_KEY, run(values));
    vec![
        ("the subject of the type", run_value(&[("name", "Updater")]), Yes("name", Exact)),
        (
            "a hive by its long name",
            about(&RUN_KEY.replace("HKLM", "HKEY_LOCAL_MACHINE"), run(&[("name", "Updater")])),
            Yes("name", Exact),
        ),
        (
            "a key with slashes",
            about(&RUN_KEY.replace('\\', "/"), run(&[("name", "Updater")])),
            Yes("name", Exact),
        ),
        (
            "another hive",
            about(&RUN_KEY.replace("HKLM", "HKCU"), run(&[("name", "Updater")])),
            No(ValueAbsent),
        ),
        (
            "a key without its hive",
            about(&RUN_KEY.replace("HKLM\\", ""), run(&[("name", "Updater")])),
            No(ValueAbsent),
        ),
        (
            "a slash in the name of a key",
            about(r"HKLM\SOFTWARE\a\b", run(&[("name", "Slash")])),
            No(ValueAbsent),
        ),
        (
            "a subject that is only a name in the record",
            about("updater", run(&[("name", "Updater")])),
            No(ValueAbsent),
        ),
        (
            "a subject of another record",
            about(r"HKLM\SOFTWARE\Twin", run(&[("name", "Updater")])),
            No(SplitAcrossRecords),
        ),
        (
            "a subject that is text is none",
            about(HEALTH, run(&[("name", "SecurityHealth")])),
            No(ValueAbsent),
        ),
        ("an invented subject", about(r"HKLM\SOFTWARE\Evil", run(&[("name", "Updater")])), No(ValueAbsent)),
        ("values of two records", run(&[("name", "Updater"), ("data", HEALTH)]), No(SplitAcrossRecords)),
        ("values of one record", run(&[("name", "Updater"), ("key", RUN_KEY)]), Yes("name", Exact)),
        ("a name claimed as data", run(&[("data", "Updater")]), No(WrongField)),
        ("a field that does not exist", run(&[("command", HEALTH)]), No(WrongField)),
        ("a time under another name", key(&[("created", "2012-04-04T01:58:40Z")]), No(WrongField)),
        ("a value in two fields of a record", run(&[("", "Twin")]), No(Ambiguous)),
        ("a value in two fields, one named", run(&[("data", "Twin")]), Yes("data", Exact)),
        ("one field for two values", run(&[("name", "Updater"), ("name", "UPDATER")]), No(Malformed)),
        ("a size that two files have", dir(&[("size", "73802")]), No(Ambiguous)),
        ("a size with the file it is of", about(INVOICE, dir(&[("size", "73802")])), Yes("size", Exact)),
    ]
}

fn record_rows() -> Vec<Row> {
    let lua = &[("data", "1")];
    vec![
        ("the cited record", at("r1", run(&[("name", "Updater")])), Yes("name", Exact)),
        ("another record than the cited one", at("r0", run(&[("name", "Updater")])), No(ValueAbsent)),
        ("a record that is not there", at("r99", run(&[("name", "Updater")])), No(ValueAbsent)),
        ("no id of a record", at("1", run(&[("name", "Updater")])), No(Malformed)),
        ("an id of a record with zeros", at("r01", run(&[("name", "Updater")])), No(Malformed)),
        ("a weak value", run(lua), No(TooWeak)),
        ("a weak value with record and field", at("r2", run(lua)), Yes("data", Exact)),
        ("a weak value with a record but no field", at("r2", run(&[("", "1")])), No(TooWeak)),
        (
            "a weak value with a subject of two records",
            about(r"HKLM\SOFTWARE\Policies\System", run(lua)),
            No(Ambiguous),
        ),
        (
            "a weak value under a subject of one record",
            about(r"C:\Users\bob\Desktop\paypal.exe", dir(&[("size", "4")])),
            Yes("size", Exact),
        ),
        ("a weak value under a subject that is a mere name", about("EnableLUA", run(lua)), No(ValueAbsent)),
        ("a flag", dir(&[("directory", "false")]), No(TooWeak)),
        ("a flag of a cited record", at("r0", dir(&[("directory", "false")])), Yes("directory", Exact)),
        (
            "a weak value beside a strong one",
            run(&[("name", "EnableLUA"), ("data", "1")]),
            Yes("name", Exact),
        ),
        (
            "a wrong weak value beside a strong one",
            run(&[("name", "EnableLUA"), ("data", "0")]),
            No(ValueAbsent),
        ),
        ("a change at a time that was never set", key(&[("last_written", "0")]), No(Overclaim)),
    ]
}

fn predicate_rows() -> Vec<Row> {
    vec![
        (
            "a predicate out of the air",
            reading("suspected", Call::Run.id(), &[("data", HEALTH)]),
            No(Malformed),
        ),
        ("executed from a listing", reading("executed", Call::Dir.id(), &[("path", INVOICE)]), No(Overclaim)),
        (
            "configured from a text",
            reading("configured", Call::Text.id(), &[("text", "powershell -enc SQBFAFgA -nop")]),
            No(Overclaim),
        ),
        (
            "a word of a negated sentence",
            reading("configured", Call::Text.id(), &[("text", "configured")]),
            No(ValueAbsent),
        ),
        ("a quotation", quoted("not configured on this host"), Yes("text", Quoted)),
        ("a whole line", quoted("powershell -enc SQBFAFgA -nop"), Yes("text", Exact)),
        ("a quotation with punctuation", quoted("-enc SQBFAFgA"), Yes("text", Quoted)),
        ("a quotation from inside a word", quoted("hell -enc"), No(ValueAbsent)),
        ("a quotation that cuts a number", quoted("service backup"), No(ValueAbsent)),
        ("a quotation of half a decimal", quoted("5 seconds"), No(ValueAbsent)),
        ("a quotation of two letters", quoted("in"), No(ValueAbsent)),
        ("a quotation in another case", quoted("Not Configured"), No(ValueAbsent)),
        ("a quotation of two pieces", quoted("Remote host"), No(ValueAbsent)),
        ("a quotation of two lines alike", quoted("the operator ran cleanup"), No(Ambiguous)),
        ("a line that stands twice", quoted("retry"), No(Ambiguous)),
        ("a line that stands twice, one cited", at("r4", quoted("retry")), Yes("text", Exact)),
        (
            "a quotation from registry data",
            reading("quoted", Call::Run.id(), &[("data", r"AppData\upd.exe")]),
            Yes("data", Quoted),
        ),
        (
            "a quotation from a list",
            reading("quoted", Call::Run.id(), &[("data", "Acme")]),
            Yes("data", Quoted),
        ),
        ("a quotation of a name", reading("quoted", Call::Run.id(), &[("name", "Updater")]), No(Overclaim)),
        (
            "a quotation from a record type that has no text",
            reading("quoted", Call::Dir.id(), &[("name", "notes.txt")]),
            No(Overclaim),
        ),
    ]
}

fn citation_rows() -> Vec<Row> {
    let cite = |id: String, values: &[(&str, &str)]| reading("configured", id, values);
    let digits = Call::Run.id().to_string();
    let swapped: String = format!("inv-{}", digits[4..].chars().rev().collect::<String>());
    let words = |id: String| reading("quoted", id, &[("text", "operator ran cleanup once")]);
    vec![
        (
            "an invented id",
            cite("inv-00000001".into(), &[("data", HEALTH)]),
            Healed("data", Call::Run, UnknownInvocation),
        ),
        (
            "an id with swapped digits",
            cite(swapped, &[("data", HEALTH)]),
            Healed("data", Call::Run, UnknownInvocation),
        ),
        (
            "no id at all",
            cite("the registry call".into(), &[("data", HEALTH)]),
            Healed("data", Call::Run, UnknownInvocation),
        ),
        (
            "another own call",
            cite(Call::Dir.id().to_string(), &[("data", HEALTH)]),
            Healed("data", Call::Run, ValueAbsent),
        ),
        (
            "a failed call",
            cite(Call::Failed.id().to_string(), &[("data", HEALTH)]),
            Healed("data", Call::Run, FailedInvocation),
        ),
        (
            "a call that found nothing",
            cite(Call::Empty.id().to_string(), &[("data", HEALTH)]),
            Healed("data", Call::Run, FailedInvocation),
        ),
        (
            "another task's call, own evidence",
            cite(id_of(2, 0).to_string(), &[("data", HEALTH)]),
            Healed("data", Call::Run, ForeignInvocation),
        ),
        (
            "another task's call, nothing own",
            cite(id_of(2, 0).to_string(), &[("data", "secret")]),
            No(ForeignInvocation),
        ),
        (
            "an invented id and value",
            cite("inv-00000001".into(), &[("data", "no such data")]),
            No(UnknownInvocation),
        ),
        (
            "a failed call and an invented value",
            cite(Call::Denied.id().to_string(), &[("data", "no such data")]),
            No(FailedInvocation),
        ),
        (
            "a call that timed out grounds nothing of what it returned",
            words(Call::TimedOut.id().to_string()),
            Healed("text", Call::Text, FailedInvocation),
        ),
        (
            "arguments of a call",
            reading("present", Call::Failed.id(), &[("path", "/Evil/planted.exe")]),
            No(FailedInvocation),
        ),
        (
            "the summary of a call",
            cite(Call::Run.id().to_string(), &[("", "registry_values key=Run")]),
            No(ValueAbsent),
        ),
        (
            "the same call twice is one place",
            words("inv-00000001".into()),
            Healed("text", Call::Text, UnknownInvocation),
        ),
        (
            "the same call twice, the later cited",
            words(Call::TextAgain.id().to_string()),
            Yes("text", Quoted),
        ),
        (
            "two places in the other calls",
            cite("inv-00000001".into(), &[("data", "WKS-0042")]),
            No(Ambiguous),
        ),
        (
            "two places, one cited",
            cite(Call::HostTwo.id().to_string(), &[("data", "WKS-0042")]),
            Yes("data", Exact),
        ),
        (
            "two places, one meant",
            about(
                r"HKLM\SYSTEM\ControlSet002\Control\ComputerName",
                cite("inv-00000001".into(), &[("data", "WKS-0042")]),
            ),
            Healed("data", Call::HostTwo, UnknownInvocation),
        ),
        (
            "a weak value is not rescued",
            about(
                r"HKLM\SYSTEM\ControlSet001\Control\ComputerName",
                cite("inv-00000001".into(), &[("data", "7")]),
            ),
            No(UnknownInvocation),
        ),
        (
            "a wrong field is not rescued",
            cite("inv-00000001".into(), &[("name", HEALTH)]),
            No(UnknownInvocation),
        ),
        (
            "a predicate too strong is not rescued",
            reading("executed", "inv-00000001", &[("data", HEALTH)]),
            No(UnknownInvocation),
        ),
        (
            "a combination of two outputs is not rescued",
            cite("inv-00000001".into(), &[("data", HEALTH), ("name", "ComputerName")]),
            No(UnknownInvocation),
        ),
        (
            "a time of the copy is not rescued",
            reading("present", "inv-00000001", &[("path", INVOICE), ("modified", "2023-11-14T22:13:20Z")]),
            No(UnknownInvocation),
        ),
        (
            "a record id of another output is not held against it",
            at("r7", cite(Call::Dir.id().to_string(), &[("data", HEALTH)])),
            Healed("data", Call::Run, ValueAbsent),
        ),
    ]
}

fn form_rows() -> Vec<Row> {
    let many = vec![("data", HEALTH); 65];
    vec![
        ("no values", run(&[]), No(Malformed)),
        ("too many values", run(&many), No(Malformed)),
        ("an empty value", run(&[("data", "")]), No(Malformed)),
        ("a value of white space", run(&[("data", " \t")]), No(Malformed)),
        ("a value that is far too long", run(&[("data", &"x".repeat(64 * 1024 + 1))]), No(Malformed)),
        ("a value as long as allowed", run(&[("data", &"x".repeat(64 * 1024))]), No(ValueAbsent)),
        ("nothing but quotation marks", run(&[("data", "\"\"")]), No(ValueAbsent)),
        ("an empty record id is none", at("", run(&[("data", HEALTH)])), Yes("data", Exact)),
    ]
}

#[test]
fn every_row_is_judged_as_a_person_judged_it() {
    let world = World::new();
    let tables = [
        text_rows(),
        name_rows(),
        typed_rows(),
        subject_rows(),
        record_rows(),
        predicate_rows(),
        citation_rows(),
        form_rows(),
    ];
    let rows: Vec<Row> = tables.into_iter().flatten().collect();
    assert!(rows.len() >= 80, "{} rows", rows.len());
    let wrong: Vec<String> = rows.into_iter().filter_map(|row| complaint(&world, row)).collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

fn complaint(world: &World, (name, reading, expected): Row) -> Option<String> {
    let verdict = world.judge(&reading);
    let holds = match (&verdict, expected) {
        (Verdict::Grounded { fact, healing: None }, Yes(field, tier)) => {
            let first = &fact.entry().values[0];
            first.field == field
                && first.tier == tier
                && fact.entry().invocation.to_string() == reading.invocation
        }
        (Verdict::Grounded { fact, healing: Some(healing) }, Healed(field, call, because)) => {
            fact.entry().values[0].field == field
                && fact.entry().invocation == call.id()
                && healing.healed == call.id()
                && (healing.because, &healing.cited) == (because, &reading.invocation)
        }
        (Verdict::Refused(rejection), No(code)) => rejection.code == code && is_bounded(rejection),
        (_, Yes(..) | Healed(..) | No(_)) => false,
    };
    let stands = match &verdict {
        Verdict::Grounded { fact, .. } => {
            let output = world.shelf.get(fact.entry().invocation).unwrap().output.as_ref().unwrap();
            recheck(fact.entry(), output, &world.vocabulary, &world.types, &world.writers).is_ok()
        }
        Verdict::Refused(_) => true,
    };
    (!holds || !stands).then(|| format!("{name}: {verdict:?}"))
}

fn is_bounded(rejection: &ledger::Rejection) -> bool {
    let one_line = |text: &str, most: usize| text.chars().count() <= most && !text.contains(char::is_control);
    one_line(&rejection.reason, 300)
        && one_line(&rejection.hint, 300)
        && rejection.candidates.len() <= 5
        && rejection.candidates.iter().all(|c| one_line(c.text.as_deref().unwrap_or(""), 200))
}

fn refused(world: &World, reading: &Reading) -> ledger::Rejection {
    match world.judge(reading) {
        Verdict::Refused(rejection) => rejection,
        Verdict::Grounded { .. } => panic!("accepted: {reading:?}"),
    }
}

#[test]
fn a_near_miss_shows_the_text_that_does_stand_there() {
    let world = World::new();
    let claim = run(&[("data", r"C:\Windows\system32\SecurityHealthSystrax.exe")]);
    let first = &refused(&world, &claim).candidates[0];
    assert_eq!((first.invocation, first.record.unwrap().to_string()), (Call::Run.id(), "r0".to_owned()));
    assert_eq!(first.text.as_deref(), Some(r#""C:\\Windows\\system32\\SecurityHealthSystray.exe""#));
}

#[test]
fn the_text_of_a_near_miss_grounds_when_it_is_copied() {
    let world = World::new();
    let claim = run(&[("data", "first\nsecund")]);
    let text = refused(&world, &claim).candidates[0].text.clone().unwrap();
    assert!(matches!(world.judge(&run(&[("data", &text)])), Verdict::Grounded { .. }), "{text}");
}

#[test]
fn a_wrong_field_is_told_with_the_right_one() {
    let rejection = refused(&World::new(), &run(&[("data", "Updater")]));
    assert!(rejection.hint.contains("`name`"), "{rejection:?}");
}

#[test]
fn an_overclaim_is_told_with_what_can_be_proved() {
    let rejection = refused(&World::new(), &reading("executed", Call::Dir.id(), &[("path", INVOICE)]));
    assert!(rejection.hint.contains("`present`") && !rejection.hint.contains("`executed`"), "{rejection:?}");
}

#[test]
fn a_missing_value_is_told_with_recent_calls_that_returned_records() {
    let rejection = refused(&World::new(), &reading("configured", "inv-00000001", &[("data", "???????")]));
    let ids: Vec<_> = rejection.candidates.iter().map(|candidate| candidate.invocation).collect();
    let recent = [Call::HostTwo, Call::HostOne, Call::TextAgain, Call::Text, Call::Dir].map(Call::id);
    assert_eq!(ids, recent);
}

#[test]
fn another_record_of_the_output_is_offered_not_taken() {
    let rejection = refused(&World::new(), &at("r0", run(&[("name", "Updater")])));
    assert_eq!(rejection.candidates[0].record.unwrap().to_string(), "r1");
}

#[test]
fn a_fact_says_whether_its_record_was_shown() {
    let world = World::new();
    for (record, shown) in [("r1", true), ("r2", false)] {
        let values = if shown { ("name", "Updater") } else { ("name", "EnableLUA") };
        match world.judge(&at(record, run(&[values]))) {
            Verdict::Grounded { fact, .. } => assert_eq!(fact.entry().shown, shown),
            Verdict::Refused(rejection) => panic!("{rejection:?}"),
        }
    }
}

#[test]
fn a_tier_that_the_rules_leave_out_does_not_hold() {
    let mut world = World::new();
    world.rules.tiers = vec![Exact];
    assert_eq!(refused(&world, &dir(&[("name", "INVOICE.pdf.exe")])).code, ValueAbsent);
    assert!(matches!(world.judge(&dir(&[("name", "invoice.pdf.exe")])), Verdict::Grounded { .. }));
}

#[test]
fn without_rescue_a_wrong_citation_is_refused() {
    let mut world = World::new();
    world.rules.rescue = false;
    assert_eq!(
        refused(&world, &reading("configured", "inv-00000001", &[("data", HEALTH)])).code,
        UnknownInvocation
    );
}

#[test]
fn another_tasks_output_is_out_of_reach() {
    // A shelf knows another task's invocation only by its id: the same evidence grounds nothing through it.
    let mut world = World::new();
    world.shelf = ground::Shelf::default();
    for call in world::CALLS {
        world.shelf.push_foreign(call.id());
    }
    let rejection = refused(&world, &run(&[("data", HEALTH)]));
    assert_eq!((rejection.code, rejection.candidates.len()), (ForeignInvocation, 0));
}

#[test]
fn a_tampered_fact_fails_its_recheck() {
    let world = World::new();
    let Verdict::Grounded { fact, .. } = world.judge(&run(&[("data", HEALTH)])) else { panic!() };
    let output = world.shelf.get(Call::Run.id()).unwrap().output.as_ref().unwrap();
    let fails = |change: &dyn Fn(&mut ledger::FactEntry)| {
        let mut entry = fact.entry().clone();
        change(&mut entry);
        recheck(&entry, output, &world.vocabulary, &world.types, &world.writers).is_err()
    };
    assert!(!fails(&|_| {}));
    assert!(fails(&|entry| entry.output = ledger::Digest::of(b"")));
    assert!(fails(&|entry| entry.record = ledger::RecordId(1)));
    assert!(fails(&|entry| entry.record = ledger::RecordId(99)));
    assert!(fails(&|entry| entry.kind = "registry_key".into()));
    assert!(fails(&|entry| entry.locator.path.push('x')));
    assert!(fails(&|entry| entry.predicate = ledger::Predicate("executed".into())));
    assert!(fails(&|entry| entry.predicate = ledger::Predicate("invented".into())));
    assert!(fails(&|entry| entry.values[0].value = FieldValue::Text("evil".into())));
    assert!(fails(&|entry| entry.values[0].span.offset += 1));
    assert!(fails(&|entry| entry.values[0].span.offset = u64::MAX));
    assert!(fails(&|entry| entry.values[0].field = "name".into()));
    assert!(fails(&|entry| entry.values[0].at = None));
    assert!(fails(&|entry| entry.values[0].writer = None));
    assert!(fails(&|entry| entry.subject.writer = Some(ledger::Writer::System)));
    assert!(fails(&|entry| entry.values[0].quotation = Some("Windows".into())));
    assert!(fails(&|entry| entry.values.clear()));
    assert!(fails(&|entry| entry.values.push(entry.values[0].clone())));
    assert!(fails(&|entry| entry.subject = entry.values[0].clone()));
}

#[test]
fn one_record_in_two_different_outputs_is_one_place_and_the_earlier_call_is_named() {
    let mut world = World::new();
    let line = |number: u64| {
        let fields = vec![
            ("file", FieldValue::Path("a.log".into())),
            ("text", world::text(&format!("event number {number}"))),
        ];
        world::record("text_line", "a.log", number, fields)
    };
    for (ordinal, records) in [(100, vec![line(1), line(2)]), (101, vec![line(2), line(3)])] {
        world.shelf.push(ground::Held {
            search: world::search(),
            invocation: id_of(1, ordinal),
            summary: "read_text path=a.log".into(),
            outcome: ledger::Outcome::Ok,
            output: Some(world::stored(records)),
            shown: Vec::new(),
        });
    }
    match world.judge(&reading("quoted", "inv-00000001", &[("text", "event number 2")])) {
        Verdict::Grounded { fact, .. } => assert_eq!(fact.entry().invocation, id_of(1, 100)),
        Verdict::Refused(rejection) => panic!("{rejection:?}"),
    }
}

#[test]
fn a_reading_refused_again_for_the_same_reason_is_told_what_the_record_holds() {
    let mut world = World::new();
    let claim = run(&[("data", r"C:\Windows\system32\SecurityHealthSystrax.exe")]);
    let first = refused(&world, &claim);
    world.shelf.note_refused(&claim, first.code);
    let second = refused(&world, &claim);
    assert_eq!((second.code, &second.reason), (first.code, &first.reason));
    assert!(second.hint.starts_with("Refused before"), "{second:?}");
    assert!(
        second.hint.contains(r#"data = "C:\\Windows\\system32\\SecurityHealthSystray.exe""#),
        "{second:?}"
    );
    world.shelf.note_refused(&claim, second.code);
    let third = refused(&world, &claim);
    assert!(third.hint.starts_with("Refused 3 times") && is_bounded(&third), "{third:?}");
    // A different reading, or a different reason, starts the count again.
    let other = run(&[("data", "first\nsecund")]);
    assert!(!refused(&world, &other).hint.starts_with("Refused"));
}
