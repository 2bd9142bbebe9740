//! Random claims against a naive judge: the gateway accepts nothing that is not there, and refuses no true copy.

use crate::world;

use ground::{Held, Setting, Shelf, Verdict, judge, recheck};
use ledger::{
    BoundValue, ClaimedValue, FieldValue, GateRules, Outcome, Precision, Reading, Record, RejectionCode,
    Vocabulary, Writers,
};
use proptest::prelude::*;
use unicode_normalization::UnicodeNormalization;
use world::{fact_id, host_time, id_of, name, record, stored, text, types};

/// Returns one of few words, so that values repeat, or nearly repeat, across records.
fn word() -> impl Strategy<Value = String> {
    prop::sample::select(vec![
        "update",
        "Update",
        "updates",
        "héllo",
        "he\u{301}llo",
        "1",
        "300",
        "0x12c",
        "true",
        "C:\\Temp\\a.exe",
        "C:/temp//A.EXE",
        "HKLM\\Run",
        "run not started",
        "started",
        "a\nb c d",
        "\"quoted\"",
        "\\\\srv\\share",
        "\\srv\\share",
        "ｕpdate",
        "",
    ])
    .prop_map(str::to_owned)
}

fn field_value() -> impl Strategy<Value = FieldValue> {
    prop_oneof![
        4 => word().prop_map(|word| text(&word)),
        2 => word().prop_map(|word| name(&word)),
        2 => word().prop_map(FieldValue::Path),
        1 => word().prop_map(FieldValue::RegistryPath),
        1 => word().prop_map(FieldValue::Guid),
        1 => prop::sample::select(vec![0, 1, 300, 301, -5]).prop_map(FieldValue::Integer),
        1 => any::<bool>().prop_map(FieldValue::Flag),
        1 => prop::collection::vec(word(), 0..3).prop_map(FieldValue::List),
        1 => (0..3u8).prop_map(|digit| host_time(&format!("2012-04-04T01:58:4{digit}.5Z"), Precision::Filetime)),
    ]
}

fn some_record() -> impl Strategy<Value = Record> {
    let kind = prop::sample::select(vec!["registry_value", "text_line", "dir_entry"]);
    (kind, word(), field_value(), field_value(), 0..4u64).prop_map(|(kind, subject, one, two, offset)| {
        let subject_field = types()[kind].subject.clone();
        record(
            kind,
            "file",
            offset,
            vec![(&subject_field, FieldValue::Path(subject)), ("one", one), ("two", two)],
        )
    })
}

/// Changes a true text; some changes are harmless and some are not.
fn mutate(text: &str, how: u8) -> String {
    match how {
        0 => text.to_uppercase(),
        1 => text.replace('\\', "/"),
        2 => format!("\"{text}\""),
        3 => text.replace('\\', "\\\\").replace('\n', "\\n").replace('"', "\\\""),
        4 => text.nfd().collect(),
        5 => text.nfkc().collect(),
        6 => text.chars().skip(1).collect(),
        7 => text.chars().rev().skip(1).collect::<Vec<_>>().into_iter().rev().collect(),
        8 => format!("{text}s"),
        9 => text.replace('a', "\u{430}"),
        10 => text.split(' ').next().unwrap_or("").to_owned(),
        11 => format!(" {text} "),
        12 => text.replace(".5000000Z", "Z"),
        13 => text.replace('4', "5"),
        _ => text.to_owned(),
    }
}

#[derive(Debug, Clone)]
struct Plan {
    output: prop::sample::Index,
    record: prop::sample::Index,
    /// For each value: its field, the change, and whether the field name is given, left out or wrong.
    values: Vec<(prop::sample::Index, u8, u8)>,
    cite: u8,
    cite_record: u8,
    subject: u8,
    predicate: &'static str,
}

fn plan() -> impl Strategy<Value = Plan> {
    let values = prop::collection::vec((any::<prop::sample::Index>(), 0..24u8, 0..6u8), 1..3);
    let predicate = prop::sample::select(vec!["present", "configured", "quoted", "executed"]);
    (any::<prop::sample::Index>(), any::<prop::sample::Index>(), values, 0..8u8, 0..4u8, 0..4u8, predicate)
        .prop_map(|(output, record, values, cite, cite_record, subject, predicate)| Plan {
            output,
            record,
            values,
            cite,
            cite_record,
            subject,
            predicate,
        })
}

/// Returns the text that a claim states for a field: one item if it is a list.
fn stated(value: &FieldValue) -> String {
    match value {
        FieldValue::List(items) => items.first().cloned().unwrap_or_default(),
        other => other.to_text().into_owned(),
    }
}

fn claim(plan: &Plan, outputs: &[Vec<Record>]) -> Reading {
    let ordinal = plan.output.index(outputs.len());
    let place = plan.record.index(outputs[ordinal].len());
    let source = &outputs[ordinal][place];
    let fields: Vec<_> = source.fields.iter().collect();
    let values = plan.values.iter().map(|(index, how, naming)| {
        let (name, held) = fields[index.index(fields.len())];
        let field = match naming {
            0 => None,
            1 => Some(fields[0].0.clone()),
            _ => Some(name.clone()),
        };
        ClaimedValue { field, value: mutate(&stated(&held.value), *how) }
    });
    Reading {
        fields: Vec::new(),
        predicate: plan.predicate.to_owned(),
        subject: match plan.subject {
            0 => stated(&source.fields[&types()[&source.kind].subject].value),
            1 => "update".to_owned(),
            _ => String::new(),
        },
        values: values.collect(),
        invocation: match plan.cite {
            0 => "inv-deadbeef".to_owned(),
            1 => id_of(2, 0).to_string(),
            2 => id_of(1, 0).to_string(),
            _ => id_of(1, ordinal as u32).to_string(),
        },
        record: match plan.cite_record {
            0 => Some("r0".to_owned()),
            1 => None,
            _ => Some(format!("r{place}")),
        },
    }
}

fn shelf(outputs: &[Vec<Record>]) -> Shelf {
    let mut shelf = Shelf::default();
    for (ordinal, records) in outputs.iter().enumerate() {
        shelf.push(Held {
            search: world::search(),
            invocation: id_of(1, ordinal as u32),
            summary: "call".to_owned(),
            outcome: Outcome::Ok,
            output: Some(stored(records.clone())),
            shown: Vec::new(),
        });
    }
    shelf.push_foreign(id_of(2, 0));
    shelf
}

/// A looser equality than any that the gateway may use: texts that differ here are certainly different values.
fn loose(text: &str) -> String {
    let composed: String = text.nfc().flat_map(char::to_lowercase).collect();
    let mut turned = composed.replace('/', "\\");
    while turned.contains("\\\\") {
        turned = turned.replace("\\\\", "\\");
    }
    turned.trim_matches(|c: char| c.is_whitespace() || "\"'`{}\\".contains(c)).to_owned()
}

fn readings_of(claimed: &str) -> Vec<String> {
    let bare = claimed.trim().trim_matches('"');
    let undone = [claimed, bare]
        .map(|text| serde_json::from_str::<String>(&format!("\"{}\"", text.replace('\n', "\\n"))));
    // Escaped quotation marks at the end make one pair too many for the plain way, so they are undone by hand.
    let by_hand = claimed.replace("\\\"", "\"").replace("\\n", "\n");
    undone.into_iter().flatten().chain([claimed.to_owned(), by_hand]).collect()
}

fn naively_stands(claimed: &str, bound: &BoundValue) -> bool {
    let forms = readings_of(claimed);
    match &bound.value {
        FieldValue::Integer(number) => forms.iter().any(|form| {
            let form = form.to_lowercase();
            let hex = form
                .trim()
                .trim_matches('"')
                .strip_prefix("0x")
                .and_then(|hex| i128::from_str_radix(hex, 16).ok());
            hex.or(form.trim().trim_matches('"').parse().ok()) == Some(*number)
        }),
        FieldValue::Time(time) => forms.iter().any(|form| {
            let form = form.trim().trim_matches('"');
            *form == time.raw
                || time.to_text().starts_with(form.trim_end_matches(['Z', 'z']).trim_end_matches(".5000000"))
        }),
        FieldValue::List(items) => match &bound.quotation {
            Some(words) => {
                items.iter().any(|item| item.contains(words))
                    && forms.iter().any(|f| loose(f) == loose(words))
            }
            None => items.iter().any(|item| forms.iter().any(|form| loose(form) == loose(item))),
        },
        other => match &bound.quotation {
            Some(words) => {
                other.to_text().contains(words) && forms.iter().any(|form| loose(form) == loose(words))
            }
            None => forms.iter().any(|form| loose(form) == loose(&other.to_text())),
        },
    }
}

/// Checks whether the claim is a true copy with the right field names, cites the record, and has a type that proves it.
fn is_true_copy(plan: &Plan, reading: &Reading, outputs: &[Vec<Record>], vocabulary: &Vocabulary) -> bool {
    let source = &outputs[plan.output.index(outputs.len())]
        [plan.record.index(outputs[plan.output.index(outputs.len())].len())];
    let fields: Vec<_> = reading.values.iter().filter_map(|value| value.field.as_ref()).collect();
    let meaning = vocabulary.meaning(&ledger::Predicate(plan.predicate.to_owned())).unwrap();
    plan.cite > 2
        && plan.cite_record > 1
        && plan.subject != 1
        && !(plan.subject == 0 && reading.subject.is_empty())
        && plan.predicate != "quoted"
        && meaning.proved_by.contains(&source.kind)
        && plan.values.iter().all(|(_, how, naming)| *how > 13 && *naming > 1)
        && reading.values.iter().all(|value| !value.value.trim().is_empty())
        && (fields.len() < 2 || fields[0] != fields[1])
}

fn check(plan: &Plan, outputs: &[Vec<Record>]) -> Result<(), TestCaseError> {
    let (rules, vocabulary, types) = (GateRules::default(), Vocabulary::shipped().unwrap(), types());
    let shelf = shelf(outputs);
    let setting = Setting {
        rules: &rules,
        vocabulary: &vocabulary,
        types: &types,
        writers: &Writers::default(),
        by_reference: true,
        dated: true,
    };
    let reading = claim(plan, outputs);
    let verdict = judge(&reading, fact_id(), &shelf, &setting);
    let truth = is_true_copy(plan, &reading, outputs, &vocabulary);
    match verdict {
        Verdict::Grounded { fact, healing } => {
            let entry = fact.entry();
            let output = shelf.get(entry.invocation).unwrap().output.as_ref().unwrap();
            prop_assert_eq!(recheck(entry, output, &vocabulary, &types, &Writers::default()), Ok(()));
            for (claimed, bound) in reading.values.iter().zip(&entry.values) {
                prop_assert!(naively_stands(&claimed.value, bound), "{:?} as {:?}", claimed, bound);
                prop_assert!(claimed.field.as_ref().is_none_or(|field| *field == bound.field));
            }
            prop_assert_eq!(reading.values.len(), entry.values.len());
            prop_assert_eq!(healing.is_none(), entry.invocation.to_string() == reading.invocation);
            prop_assert!(!truth || healing.is_none() && Some(entry.record.to_string()) == reading.record);
        }
        Verdict::Refused(rejection) => prop_assert!(!truth, "{:?}: {:?}", reading, rejection),
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4000))]

    #[test]
    fn what_is_accepted_stands_there_and_what_is_true_is_accepted(
        outputs in prop::collection::vec(prop::collection::vec(some_record(), 1..5), 1..4),
        plan in plan(),
    ) {
        check(&plan, &outputs)?;
    }

    #[test]
    fn a_true_copy_without_a_record_is_accepted_or_the_agent_is_asked_which(
        records in prop::collection::vec(some_record(), 1..5),
        index: prop::sample::Index,
    ) {
        let (rules, vocabulary, types) = (GateRules::default(), Vocabulary::shipped().unwrap(), types());
        let place = index.index(records.len());
        let text = stated(&records[place].fields["one"].value);
        if text.trim().is_empty() {
            return Ok(());
        }
        let reading = world::reading("present", id_of(1, 0), &[("one", &text)]);
        let setting = Setting { rules: &rules, vocabulary: &vocabulary, types: &types, writers: &Writers::default(), by_reference: true, dated: true };
        let provable = records[place].kind != "text_line";
        match judge(&reading, fact_id(), &shelf(&[records]), &setting) {
            Verdict::Grounded { .. } => {}
            Verdict::Refused(rejection) => {
                let asks = matches!(rejection.code, RejectionCode::Ambiguous | RejectionCode::TooWeak);
                prop_assert!(asks || !provable, "{:?}", rejection);
            }
        }
    }

    #[test]
    fn no_text_makes_the_gateway_panic(
        texts in prop::collection::vec(prop_oneof![".{0,30}", "[\\\\u{}0-9a-fdD\"' TZ:.+-]{0,30}"], 6),
        held in prop::collection::vec(".{0,30}", 1..4),
    ) {
        let records = held.iter().map(|t| record("text_line", "f", 0, vec![("text", text(t)), ("file", FieldValue::Path(t.clone()))]));
        let shelf = shelf(&[records.collect()]);
        let (rules, vocabulary, types) = (GateRules::default(), Vocabulary::shipped().unwrap(), types());
        let setting = Setting { rules: &rules, vocabulary: &vocabulary, types: &types, writers: &Writers::default(), by_reference: true, dated: true };
        let mut reading = world::reading("quoted", &texts[0], &[(&texts[1], &texts[2]), ("text", &texts[3])]);
        reading.subject = texts[4].clone();
        for cited in [texts[0].clone(), id_of(1, 0).to_string()] {
            reading.invocation = cited;
            for value in [&texts[5], &held[0]] {
                reading.values[1].value.clone_from(value);
                if let Verdict::Refused(rejection) = judge(&reading, fact_id(), &shelf, &setting) {
                    prop_assert!(rejection.reason.chars().count() <= 300);
                    prop_assert!(!rejection.reason.contains(char::is_control));
                }
            }
        }
    }
}
