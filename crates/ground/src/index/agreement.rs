//! Compares the index with a full scan: it misses nothing that can match, and no verdict changes.

use super::entry::{Entry, entries};
use super::{EVERYTHING, Pieces, Query, of_claim, of_value};
use crate::bind::{Misfit, bind};
use crate::claim::Claim;
use crate::shelf::{Held, Search, Shelf};
use crate::{Setting, judge};
use ledger::{
    AssumedZone, ByteSpan, ClaimedValue, Clock, Completeness, Digest, FactId, Field, FieldValue, GateRules,
    IdSpace, InvocationId, Locator, Outcome, Output, Precision, Reading, Record, RecordId, RecordType, Seed,
    TaskId, Time, Vocabulary, Writers,
};
use proptest::prelude::*;
use std::collections::BTreeMap;
use std::sync::Arc;
use unicode_normalization::UnicodeNormalization;

/// Texts that nearly repeat, in spellings that some rule treats as equal.
const WORDS: [&str; 40] = [
    "update",
    "Update",
    "net",
    "a",
    "he said “stopped” — twice…",
    "h\u{e9}llo w\u{f6}rld",
    "he\u{301}llo wo\u{308}rld",
    "J\u{30c}x",
    "\u{1f0}x",
    "\u{212a}elvin",
    "kelvin",
    "한국어 text",
    "Ｆullwidth",
    "300",
    "0x12c",
    "-5",
    "true",
    "false",
    r"C:\Temp\a.exe",
    "C:/temp//A.EXE/",
    r"\\srv\share\plan.doc",
    r"\srv\share\plan.doc",
    r"C:\",
    r"\\\\\\\\",
    r"HKLM\SOFTWARE\Microsoft\Run",
    r"HKEY_LOCAL_MACHINE\Software\Microsoft\\Run\",
    "HKEY_USERS",
    "hku",
    r"HKLM\a/b",
    "{0B2C9183-C9FA-4C53-AE21-C900B0C39965}",
    "0b2c9183-c9fa-4c53-ae21-c900b0c39965",
    "S-1-5-21-1004336348-1177238915-682003330-512",
    "2024-03-01T12:00:02 local",
    "2001:db8::1",
    "2001:0DB8:0:0:0:0:0:1",
    r"\??\C:\Temp\a.exe",
    "C/Temp/a.exe",
    r"Microsoft\Run",
    "the service entered the stopped state\r\nand said \"done\" twice",
    "",
];

fn text() -> impl Strategy<Value = String> {
    let word = prop::sample::select(WORDS.to_vec()).prop_map(str::to_owned);
    let long = (0..40u32, 1..12usize).prop_map(|(from, words)| {
        let words = (from..from + words as u32 * 4).map(|number| format!("word{number} é/\\"));
        words.collect::<Vec<_>>().join(" ")
    });
    prop_oneof![8 => word, 2 => long, 1 => "[ -~é]{0,12}"]
}

fn time() -> impl Strategy<Value = Time> {
    (0..3i128, 0..2i128, any::<bool>(), any::<bool>()).prop_map(|(second, part, local, dated)| {
        let unix = 1_333_504_720 + second;
        Time {
            utc: dated
                .then(|| ledger::Utc::from_unix_nanoseconds(unix * 1_000_000_000 + part * 839_249_000))
                .flatten(),
            raw: if local { "0x5861:6001".into() } else { unix.to_string() },
            clock: Clock::Host,
            precision: if local { Precision::TwoSeconds } else { Precision::Filetime },
            zone: local.then_some(AssumedZone::Utc),
        }
    })
}

fn field_value() -> impl Strategy<Value = FieldValue> {
    prop_oneof![
        4 => text().prop_map(FieldValue::Text),
        2 => text().prop_map(FieldValue::Name),
        2 => text().prop_map(FieldValue::Path),
        2 => text().prop_map(FieldValue::RegistryPath),
        1 => text().prop_map(FieldValue::Guid),
        1 => text().prop_map(FieldValue::Sid),
        1 => text().prop_map(FieldValue::Hash),
        1 => text().prop_map(FieldValue::Bytes),
        1 => prop::sample::select(vec![0, 1, 300, 1_333_504_720, -5]).prop_map(FieldValue::Integer),
        1 => prop::sample::select(vec![0, 300, u64::MAX]).prop_map(FieldValue::Size),
        1 => any::<bool>().prop_map(FieldValue::Flag),
        2 => prop::collection::vec(text(), 0..3).prop_map(FieldValue::List),
        4 => time().prop_map(FieldValue::Time),
    ]
}

const KINDS: [(&str, &str); 3] = [("registry_value", "key"), ("dir_entry", "path"), ("text_line", "file")];

fn record() -> impl Strategy<Value = Record> {
    let fields = (text(), field_value(), field_value());
    let file = prop::sample::select(vec!["file", "config/SOFTWARE", "Users/a/NTUSER.DAT"]);
    (prop::sample::select(KINDS.to_vec()), fields, 0..4u64, file).prop_map(
        |((kind, subject), (path, one, two), offset, file)| {
            let at = Some(ByteSpan::new(offset, 8));
            let fields = [(subject, FieldValue::Path(path)), ("one", one), ("two", two)];
            let locator = Locator {
                evidence: "disk".into(),
                path: file.into(),
                stream: None,
                span: Some(ByteSpan::new(offset, 64)),
            };
            Record {
                placement: None,
                defects: Vec::new(),
                fields: fields.map(|(name, value)| (name.to_owned(), Field { at, value })).into(),
                id: RecordId(0),
                kind: kind.to_owned(),
                locator,
            }
        },
    )
}

/// Generates outputs, some of them equal.
fn outputs() -> impl Strategy<Value = Vec<Arc<Output>>> {
    let output = prop::collection::vec(record(), 0..12).prop_map(|all| Arc::new(Output::new(all).unwrap()));
    (prop::collection::vec(output, 1..6), prop::collection::vec(any::<prop::sample::Index>(), 0..3)).prop_map(
        |(mut outputs, again)| {
            let known = outputs.clone();
            outputs.extend(again.iter().map(|index| known[index.index(known.len())].clone()));
            outputs
        },
    )
}

/// Returns another spelling of a text, or another text.
fn respell(text: &str, how: u8) -> String {
    match how {
        0 => text.to_uppercase(),
        1 => text.to_lowercase(),
        2 => text.replace('\\', "/"),
        3 => text.replace('/', "\\").replace('\\', "\\\\"),
        4 => format!("\"{text}\""),
        5 => text.replace('\\', "\\\\").replace('\n', "\\n").replace('\r', "\\r").replace('"', "\\\""),
        6 => text.nfd().collect(),
        7 => text.nfc().collect(),
        8 => text.replace("HKLM", "HKEY_LOCAL_MACHINE").replace("HKEY_USERS", "HKU"),
        9 => text.trim_matches(['{', '}']).to_owned(),
        10 => format!("{{{text}}}"),
        11 => format!(" /{text}\\ "),
        12 => text.split(' ').next().unwrap_or_default().to_owned(),
        13 => text.split(' ').skip(1).take(3).collect::<Vec<_>>().join(" "),
        14 => text.parse::<i128>().map_or(text.to_owned(), |number| format!("{number:#x}")),
        15 => text.replace(":40.", ":41.").replace(".8392490Z", "Z").replace(".0000000Z", "Z"),
        16 => text.replace("T01:", "T03:").replace('Z', "+02:00"),
        17 => text.replacen('e', "a", 1),
        18 => text.chars().rev().collect(),
        19 => format!(r"HKLM\SOFTWARE\{text}"),
        20 => format!(r"\\?\{text}"),
        21 => format!("{text} bytes"),
        22 => text.replace('Z', " UTC").replacen('T', " ", 1),
        23 => text.parse::<std::net::Ipv6Addr>().map_or(text.to_owned(), |address| {
            address.segments().map(|group| format!("{group:04X}")).join(":")
        }),
        24 => format!(r"\{text}"),
        25..=28 => {
            let mut words = text.rsplit(|c: char| !c.is_ascii_alphanumeric());
            words.find(|word| word.len() > 3).unwrap_or(text).to_owned()
        }
        29..=33 => {
            let words: Vec<_> = text.split(' ').skip(usize::from(how - 28) * 3).take(3).collect();
            if words.is_empty() { text.to_owned() } else { words.join(" ") }
        }
        _ => text.to_owned(),
    }
}

#[derive(Debug, Clone)]
struct Plan {
    output: prop::sample::Index,
    record: prop::sample::Index,
    values: Vec<(prop::sample::Index, u8, u8)>,
    subject: (u8, u8),
    cite: u8,
    predicate: &'static str,
}

fn plan() -> impl Strategy<Value = Plan> {
    let values = prop::collection::vec((any::<prop::sample::Index>(), 0..36u8, 0..3u8), 1..3);
    let predicate = prop::sample::select(vec!["present", "configured", "quoted"]);
    (any::<prop::sample::Index>(), any::<prop::sample::Index>(), values, (0..36u8, 0..2u8), 0..4u8, predicate)
        .prop_map(|(output, record, values, subject, cite, predicate)| Plan {
            output,
            record,
            values,
            subject,
            cite,
            predicate,
        })
}

fn id(ordinal: usize) -> InvocationId {
    InvocationId::assign(&IdSpace::new(Seed(Digest::of(b"index"))), TaskId(1), ordinal as u32).unwrap()
}

fn reading(plan: &Plan, outputs: &[Arc<Output>]) -> Option<Reading> {
    let records = outputs[plan.output.index(outputs.len())].records();
    let source = records.get(plan.record.index(records.len().max(1)))?;
    let stated = |value: &FieldValue, how| match value {
        FieldValue::List(items) => respell(items.last().map_or("", String::as_str), how),
        FieldValue::Time(time) => match how % 4 {
            0 => respell(&time.raw, how),
            1 => respell(&time.to_text(), 15),
            2 => respell(&respell(&time.to_text(), 15), 16),
            _ => respell(&time.to_text(), how),
        },
        other => respell(&other.to_text(), how),
    };
    let fields: Vec<_> = source.fields.iter().collect();
    let values = plan.values.iter().map(|(index, how, naming)| {
        let (name, held) = fields[index.index(fields.len())];
        ClaimedValue { field: (*naming > 0).then(|| name.clone()), value: stated(&held.value, *how) }
    });
    let subject = KINDS.iter().find(|(kind, _)| *kind == source.kind)?.1;
    Some(Reading {
        fields: Vec::new(),
        predicate: plan.predicate.to_owned(),
        subject: if plan.subject.1 == 0 {
            String::new()
        } else {
            stated(&source.fields[subject].value, plan.subject.0)
        },
        values: values.collect(),
        invocation: if plan.cite == 0 {
            "inv-deadbeef".into()
        } else {
            id(usize::from(plan.cite)).to_string()
        },
        record: None,
    })
}

fn hold(shelf: &mut Shelf, ordinal: usize, output: &Arc<Output>) {
    shelf.push(Held {
        invocation: id(ordinal),
        summary: format!("call {ordinal}"),
        search: Search {
            logs: None,
            near: Vec::new(),
            tool: "read".into(),
            arguments: None,
            completeness: Completeness::Complete,
            whole: true,
        },
        outcome: if ordinal == 4 { Outcome::Failed } else { Outcome::Ok },
        output: Some(output.clone()),
        shown: Vec::new(),
    });
}

fn shelf(outputs: &[Arc<Output>]) -> Shelf {
    let mut shelf = Shelf::default();
    outputs.iter().enumerate().for_each(|(ordinal, output)| hold(&mut shelf, ordinal, output));
    shelf
}

struct Rules {
    rules: GateRules,
    vocabulary: Vocabulary,
    writers: Writers,
    types: BTreeMap<String, RecordType>,
}

impl Rules {
    fn new() -> Rules {
        let kind = |(name, subject): (&str, &str)| RecordType {
            name: name.to_owned(),
            meaning: String::new(),
            subject: subject.to_owned(),
            fields: BTreeMap::new(),
            qualifiers: Vec::new(),
            scope: Vec::new(),
        };
        let types = KINDS.map(|pair| (pair.0.to_owned(), kind(pair))).into();
        Rules {
            rules: GateRules::default(),
            vocabulary: Vocabulary::shipped().unwrap(),
            writers: Writers::default(),
            types,
        }
    }

    fn setting(&self) -> Setting<'_> {
        Setting {
            rules: &self.rules,
            vocabulary: &self.vocabulary,
            types: &self.types,
            writers: &self.writers,
            by_reference: true,
            dated: true,
        }
    }
}

/// Returns the addresses of the records that a lookup finds, from the first output or from the last back.
fn found(shelf: &Shelf, query: &Query, back: bool) -> Vec<*const Record> {
    let index = shelf.index();
    let records = |hit: super::Hit<'_>| hit.records.into_iter().map(std::ptr::from_ref).collect::<Vec<_>>();
    if back {
        index.hits_back(query, shelf.held()).flat_map(records).collect()
    } else {
        index.hits(query, shelf.held()).flat_map(records).collect()
    }
}

fn texts_of(record: &Record) -> Vec<String> {
    let mut texts = Vec::new();
    for field in record.fields.values() {
        entries(&field.value, |entry| {
            if let Entry::Free(text) | Entry::Text(text) = entry {
                texts.push(text.to_owned());
            }
        });
    }
    texts
}

/// Returns the records of all outputs that can ground facts; of equal outputs only the first.
fn everything(shelf: &Shelf) -> Vec<Vec<&Record>> {
    let mut known = Vec::new();
    let mut all = Vec::new();
    for stored in shelf.held().iter().filter_map(Held::grounds) {
        if !known.contains(&stored.digest()) {
            known.push(stored.digest());
            all.push(stored.records().iter().collect());
        }
    }
    all
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1500))]

    #[test]
    fn a_verdict_is_the_same_whether_all_is_looked_at_or_what_the_index_finds(outputs in outputs(), plan in plan()) {
        let Some(reading) = reading(&plan, &outputs) else { return Ok(()) };
        let (rules, shelf) = (Rules::new(), shelf(&outputs));
        let fact = FactId::assign(&IdSpace::new(Seed(Digest::of(b"index"))), TaskId(1), 0).unwrap();
        let by_index = judge(&reading, fact, &shelf, &rules.setting());
        shelf.index().finds_all = true;
        prop_assert_eq!(by_index, judge(&reading, fact, &shelf, &rules.setting()));
    }

    #[test]
    fn every_record_that_a_claim_may_mean_is_found(outputs in outputs(), plan in plan()) {
        let Some(reading) = reading(&plan, &outputs) else { return Ok(()) };
        let (rules, shelf) = (Rules::new(), shelf(&outputs));
        let Ok(claim) = Claim::read(&reading, &rules.vocabulary) else { return Ok(()) };
        let found = found(&shelf, &of_claim(&claim), false);
        for record in everything(&shelf).into_iter().flatten() {
            let absent = matches!(bind(&claim, record, &rules.setting()), Err(Misfit::Absent));
            prop_assert!(absent || found.contains(&std::ptr::from_ref(record)), "{:?} in {:?}", reading, record);
        }
    }

    #[test]
    fn every_record_with_a_value_is_found_by_it(outputs in outputs()) {
        let shelf = shelf(&outputs);
        let all = everything(&shelf);
        let records = || all.iter().flatten();
        for value in records().take(9).flat_map(|record| record.fields.values()).map(|field| &field.value) {
            let found = found(&shelf, &of_value(value), true);
            for record in records().filter(|record| record.fields.values().any(|field| field.value == *value)) {
                prop_assert!(found.contains(&std::ptr::from_ref(*record)), "{:?} in {:?}", value, record);
            }
        }
    }

    #[test]
    fn every_text_with_the_pieces_of_another_is_found(outputs in outputs(), how in 0..36u8, of: prop::sample::Index) {
        let shelf = shelf(&outputs);
        let all = everything(&shelf);
        let known: Vec<String> = all.iter().flatten().flat_map(|record| texts_of(record)).collect();
        let Some(pieces) = known.get(of.index(known.len().max(1))).and_then(|text| Pieces::of(&respell(text, how))) else { return Ok(()) };
        let found = found(&shelf, &pieces.query(), true);
        let mut folded = Vec::new();
        for record in all.iter().flatten() {
            let near = texts_of(record).iter().any(|text| pieces.are_in(text, &mut folded));
            prop_assert!(!near || found.contains(&std::ptr::from_ref(*record)), "{:?} in {:?}", pieces, record);
        }
    }

    #[test]
    fn all_blocks_together_are_every_record_once_and_in_order(outputs in outputs()) {
        let shelf = shelf(&outputs);
        let mut all: Vec<Vec<*const Record>> =
            everything(&shelf).into_iter().map(|records| records.into_iter().map(std::ptr::from_ref).collect()).collect();
        prop_assert_eq!(found(&shelf, &EVERYTHING, false), all.concat());
        all.reverse();
        prop_assert_eq!(found(&shelf, &EVERYTHING, true), all.concat());
    }

    #[test]
    fn an_index_is_the_same_whenever_it_is_brought_up_to_date(outputs in outputs(), asked: u8, plan in plan()) {
        let (rules, whole) = (Rules::new(), shelf(&outputs));
        let mut grown = Shelf::default();
        for (ordinal, output) in outputs.iter().enumerate() {
            hold(&mut grown, ordinal, output);
            if asked >> ordinal & 1 == 1 {
                let _up_to_date = grown.index();
            }
        }
        let Some(reading) = reading(&plan, &outputs) else { return Ok(()) };
        let Ok(claim) = Claim::read(&reading, &rules.vocabulary) else { return Ok(()) };
        let query = of_claim(&claim);
        prop_assert_eq!(grown.index().find(&query), whole.index().find(&query));
        prop_assert_eq!(found(&grown, &query, false), found(&whole, &query, false));
    }
}

fn text_line(fields: &[(&str, &str)]) -> Arc<Output> {
    let field = |value: &str| Field { at: None, value: FieldValue::Text(value.into()) };
    let fields = fields.iter().map(|(name, value)| ((*name).to_owned(), field(value))).collect();
    let locator = Locator { evidence: "disk".into(), path: "file".into(), stream: None, span: None };
    let record = Record {
        placement: None,
        defects: Vec::new(),
        fields,
        id: RecordId(0),
        kind: "text_line".into(),
        locator,
    };
    Arc::new(Output::new(vec![record]).unwrap())
}

fn claim_of(predicate: &str, values: &[(Option<&str>, &str)]) -> Reading {
    let value = |(field, value): &(Option<&str>, &str)| ClaimedValue {
        field: field.map(str::to_owned),
        value: (*value).to_owned(),
    };
    Reading {
        fields: Vec::new(),
        predicate: predicate.to_owned(),
        subject: String::new(),
        values: values.iter().map(value).collect(),
        invocation: String::new(),
        record: None,
    }
}

/// A quotation is found wherever the text is split, also with a value in another part of the text.
#[test]
fn a_quotation_of_a_long_text_is_found() {
    let words: Vec<String> = (0..200).map(|number| format!("word{number}")).collect();
    let shelf = shelf(&[text_line(&[("file", "first"), ("text", &words.join(" ")), ("zone", "last")])]);
    let rules = Rules::new();
    for part in words.windows(3) {
        let part = part.join(" ");
        let reading =
            claim_of("quoted", &[(Some("file"), "first"), (Some("text"), &part), (Some("zone"), "last")]);
        let claim = Claim::read(&reading, &rules.vocabulary).unwrap();
        assert_eq!(found(&shelf, &of_claim(&claim), false).len(), 1, "{part}");
    }
}

/// A record with a value in several fields counts if it also has the next value.
#[test]
fn a_record_is_found_by_an_unclear_value_where_the_others_stand_beside_it() {
    let shelf = shelf(&[text_line(&[("one", "twice"), ("two", "twice")])]);
    let rules = Rules::new();
    let misfit = |beside: &str| {
        let reading = claim_of("present", &[(None, "twice"), (Some("one"), beside)]);
        let claim = Claim::read(&reading, &rules.vocabulary).unwrap();
        let misfit = bind(&claim, everything(&shelf)[0][0], &rules.setting()).unwrap_err();
        (matches!(misfit, Misfit::Unclear(_)), found(&shelf, &of_claim(&claim), false).len())
    };
    assert_eq!((misfit("twice"), misfit("gone")), ((true, 1), (false, 0)));
}

#[test]
fn an_output_that_is_replaced_is_found_no_more() {
    // Long enough for a block of its own.
    let output = |name: &str| text_line(&[("one", &name.repeat(40))]);
    let query = |name: &str| of_value(&FieldValue::Text(name.repeat(40)));
    let mut shelf = shelf(&[output("before"), output("beside")]);
    assert_eq!(found(&shelf, &query("before"), false).len(), 1);
    hold(&mut shelf, 0, &output("after"));
    let after = found(&shelf, &query("after"), false);
    assert_eq!(
        after,
        everything(&shelf)[0].iter().map(|record| std::ptr::from_ref(*record)).collect::<Vec<_>>()
    );
}
