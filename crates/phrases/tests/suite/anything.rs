//! Facts of every predicate and record type, with all kinds of values, including hostile ones.

use ledger::{
    AssumedZone, BoundValue, ByteSpan, Clock, FactEntry, FactId, FieldType, FieldValue, InvocationId,
    Locator, Placement, Precision, Predicate, RecordId, RecordType, Tier, Time, ToolSpec, Utc, Vocabulary,
};
use proptest::prelude::*;
use std::collections::BTreeMap;
use std::sync::LazyLock;

/// The record types of the tools, from the golden file of the catalogue.
pub(crate) static TYPES: LazyLock<BTreeMap<String, RecordType>> = LazyLock::new(|| {
    let tools: Vec<ToolSpec> =
        serde_json::from_str(include_str!("../../../tools/tests/catalogue.json")).unwrap();
    tools.into_iter().flat_map(|tool| tool.records).map(|kind| (kind.name.clone(), kind)).collect()
});

/// What a record of each type proves.
pub(crate) static PAIRS: LazyLock<Vec<(String, String)>> = LazyLock::new(|| {
    let vocabulary = Vocabulary::shipped().unwrap();
    let proved = |kind: &String| -> Vec<(String, String)> {
        vocabulary.proved_by(kind).map(|predicate| (kind.clone(), predicate.0.clone())).collect()
    };
    TYPES.keys().flat_map(proved).collect()
});

/// A marker that is in each text value and in none of our words.
pub(crate) const MARK: &str = "qzx7";

/// Makes a fact.
pub(crate) fn fact_of(
    kind: &str,
    predicate: &str,
    subject: BoundValue,
    values: Vec<BoundValue>,
) -> FactEntry {
    FactEntry {
        id: serde_json::from_str::<FactId>("\"fact-0a1b2c3d\"").unwrap(),
        predicate: Predicate(predicate.to_owned()),
        subject,
        values,
        invocation: serde_json::from_str::<InvocationId>("\"inv-0a1b2c3d\"").unwrap(),
        output: ledger::Digest::of(b"output"),
        record: RecordId(0),
        kind: kind.to_owned(),
        locator: Locator {
            evidence: "host".into(),
            path: format!("p1/{MARK}/file"),
            stream: None,
            span: None,
        },
        shown: true,
        placement: None,
    }
}

/// Makes a value in its field.
pub(crate) fn bound(field: &str, value: FieldValue) -> BoundValue {
    BoundValue {
        field: field.to_owned(),
        value,
        quotation: None,
        tier: Tier::Exact,
        span: ByteSpan::new(0, 1),
        at: None,
        writer: None,
    }
}

fn text() -> impl Strategy<Value = String> {
    let around = prop_oneof![
        Just(String::new()),
        Just(" was not executed. The administrator ".to_owned()),
        Just("\u{202e}gpj.\u{200b}\n".to_owned()),
        Just("” ran. “".to_owned()),
        Just("{subject}[ at {time}]".to_owned()),
        Just("\\\\?\\C:\\Users\\mara\\x.exe".to_owned()),
        Just("long ".repeat(120)),
        "\\PC{0,12}",
    ];
    (around.clone(), around).prop_map(|(before, after)| format!("{before}{MARK}{after}"))
}

fn time() -> impl Strategy<Value = Time> {
    let precision = prop_oneof![
        Just(Precision::Filetime),
        Just(Precision::Second),
        Just(Precision::Day),
        Just(Precision::Nanosecond)
    ];
    (any::<u32>(), precision, any::<bool>(), any::<bool>(), 0_u8..8).prop_map(
        |(seconds, precision, local, copy, none)| Time {
            utc: Utc::from_unix_nanoseconds(i128::from(seconds) * 1_000_000_000).filter(|_| none > 0),
            raw: format!("{MARK}{seconds}"),
            clock: if copy { Clock::CollectionCopy } else { Clock::Host },
            precision,
            zone: local.then_some(AssumedZone::Utc),
        },
    )
}

fn value(kind: FieldType) -> BoxedStrategy<FieldValue> {
    match kind {
        FieldType::Text => text().prop_map(FieldValue::Text).boxed(),
        FieldType::Name => prop_oneof![
            text(),
            prop_oneof![
                Just("true"),
                Just("created"),
                Just("nobody"),
                Just("StartupApproved"),
                Just("by_trigger")
            ]
            .prop_map(str::to_owned)
        ]
        .prop_map(FieldValue::Name)
        .boxed(),
        FieldType::Path => text().prop_map(FieldValue::Path).boxed(),
        FieldType::RegistryPath => text().prop_map(FieldValue::RegistryPath).boxed(),
        FieldType::Time => time().prop_map(FieldValue::Time).boxed(),
        FieldType::Integer => prop_oneof![Just(0_i128), Just(1_i128), any::<i64>().prop_map(i128::from)]
            .prop_map(FieldValue::Integer)
            .boxed(),
        FieldType::Size => any::<u64>().prop_map(FieldValue::Size).boxed(),
        FieldType::Sid => Just(FieldValue::Sid(format!("S-1-5-21-{MARK}"))).boxed(),
        FieldType::Guid => Just(FieldValue::Guid(format!("{{{MARK}}}"))).boxed(),
        FieldType::Hash => Just(FieldValue::Hash(format!("{MARK}e3b0c442"))).boxed(),
        FieldType::Bytes => Just(FieldValue::Bytes(format!("{MARK}00ff"))).boxed(),
        FieldType::Flag => any::<bool>().prop_map(FieldValue::Flag).boxed(),
        FieldType::List => proptest::collection::vec(text(), 0..20).prop_map(FieldValue::List).boxed(),
    }
}

fn field(name: String, types: Vec<FieldType>) -> impl Strategy<Value = BoundValue> {
    proptest::sample::select(types).prop_flat_map(value).prop_map(move |value| bound(&name, value))
}

/// Returns the value, or only the marked word of a text as a quotation.
fn quoted(bound: BoundValue, quote: bool) -> BoundValue {
    let is_text = matches!(bound.value, FieldValue::Text(_));
    if quote && is_text {
        BoundValue { quotation: Some(MARK.to_owned()), tier: Tier::Quoted, ..bound }
    } else {
        bound
    }
}

fn placement() -> impl Strategy<Value = Option<Placement>> {
    proptest::sample::select(vec![
        None,
        None,
        None,
        Some(Placement::Stated),
        Some(Placement::Assumed),
        Some(Placement::Elsewhere),
        Some(Placement::Foreign),
    ])
}

/// Generates any fact.
pub(crate) fn fact() -> impl Strategy<Value = FactEntry> {
    proptest::sample::select(PAIRS.clone()).prop_flat_map(|(kind, predicate)| {
        let of = TYPES.get(&kind).unwrap();
        let subject = of.subject.clone();
        let types = |name: &str| of.fields.get(name).map(|field| field.types.clone()).unwrap();
        let subject_value = field(subject.clone(), types(&subject));
        let names: Vec<String> =
            of.fields.keys().filter(|name| **name != subject && *name != "*").cloned().collect();
        let most = names.len().min(12);
        let all: BTreeMap<String, Vec<FieldType>> =
            names.iter().map(|name| (name.clone(), types(name))).collect();
        let values = proptest::sample::subsequence(names, 0..=most).prop_flat_map(move |names| {
            names
                .into_iter()
                .map(|name| (field(name.clone(), all.get(&name).unwrap().clone()), any::<bool>()))
                .collect::<Vec<_>>()
        });
        (subject_value, values, placement()).prop_map(move |(subject, values, placement)| {
            let values = values.into_iter().map(|(value, quote)| quoted(value, quote)).collect();
            FactEntry { placement, ..fact_of(&kind, &predicate, subject, values) }
        })
    })
}

/// Returns a text as phrases write it, by independent rules: characters that hide or move text, and our quotation marks, are escaped.
pub(crate) fn written(text: &str) -> String {
    text.chars()
        .map(|c| {
            let is_seen = !ledger::escapes::is_hidden(c) && !ledger::escapes::is_unseen(c);
            if is_seen && !"“”„‟«»".contains(c) {
                c.to_string()
            } else {
                format!("\\u{{{:x}}}", u32::from(c))
            }
        })
        .collect()
}
