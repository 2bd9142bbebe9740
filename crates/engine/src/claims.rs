//! Reads the arguments of record calls.

use crate::arguments::{Arguments, Malformed};
use crate::references::{self, Cited, Stated};
use ledger::{
    Absence, AbsenceClaim, AbsenceForm, ClaimedValue, Derivation, DerivationForm, NodeId, Reading,
    SentenceClaim, StatementClaim, Term,
};
use serde_json::Value;
use std::collections::BTreeSet;

/// The most readings in one call.
pub(crate) const MOST_READINGS: usize = 64;

/// The most sentences in one call.
pub(crate) const MOST_SENTENCES: usize = 64;

/// The most statements in one call.
pub(crate) const MOST_STATEMENTS: usize = 64;

/// The members that may name the node of a statement, because models also use the kind of node as the name.
const NODE_MEMBERS: [&str; 5] = ["node", "fact", "derivation", "absence", "count"];

/// The members of a reading that may name the fields to copy.
const READING_MEMBERS: [&str; 7] =
    ["predicate", "subject", "values", "fields", "where", "invocation", "record"];

/// The members of all forms of absence; each form has some of them.
const ABSENCE_MEMBERS: [&str; 9] = ["name", "under", "hive", "key", "text", "channel", "ids", "from", "to"];

/// The members added with [`ledger::Behaviour::SaidApart`].
const LATER_ABSENCE_MEMBERS: [&str; 2] = ["as_it_stands", "provider"];

/// Reads the readings and the interpretation of a `record_phenomenon` call.
///
/// `values` may be an object (field → value), or an array of values and of objects with `field` and `value`.
/// In a run whose readings may cite `by_reference`, `fields` may name what to copy, `record` may name several records,
/// and a single reading may be in the call itself.
/// The gateway decides whether a reading is true and whether its predicate is known.
pub(crate) fn readings(arguments: &Value, by_reference: bool) -> Result<(Vec<Stated>, String), Malformed> {
    if by_reference && arguments.get("readings").is_none() && arguments.get("predicate").is_some() {
        let known: Vec<&str> = READING_MEMBERS.iter().copied().chain(["interpretation"]).collect();
        let members = Arguments::of(arguments, &known)?;
        let interpretation = members.optional_text("interpretation")?.unwrap_or_default().to_owned();
        return Ok((vec![referring(&members)?], interpretation));
    }
    let arguments = Arguments::of(arguments, &["readings", "interpretation"])?;
    let list = arguments.get("readings").and_then(Value::as_array);
    let list = list
        .filter(|list| (1..=MOST_READINGS).contains(&list.len()))
        .ok_or_else(|| arguments.malformed("readings", "an array of 1 to 64 readings"))?;
    let reading = |(index, value)| {
        let place = format!("readings[{index}]");
        match by_reference {
            true => referring(&Arguments::at(value, &place, &READING_MEMBERS)?),
            false => Ok(Stated { reading: reading(value, &place)?, several: None }),
        }
    };
    let readings: Result<Vec<_>, _> = list.iter().enumerate().map(reading).collect();
    let interpretation = arguments.optional_text("interpretation")?.unwrap_or_default();
    Ok((readings?, interpretation.to_owned()))
}

/// Reads the claim and the interpretation of a `record_absence` call.
///
/// The gateway decides whether its searches cover it.
pub(crate) fn absence(arguments: &Value, said_apart: bool) -> Result<(AbsenceClaim, String), Malformed> {
    let general = ["form", "evidence", "searches", "interpretation"];
    let later = LATER_ABSENCE_MEMBERS.into_iter().filter(|_| said_apart);
    let of_forms: Vec<&str> = ABSENCE_MEMBERS.into_iter().chain(later).collect();
    let known: Vec<&str> = general.into_iter().chain(of_forms.iter().copied()).collect();
    let arguments = Arguments::of(arguments, &known)?;
    let form = arguments.word("form", &AbsenceForm::ALL, AbsenceForm::name)?;
    let evidence = arguments.optional_text("evidence")?.map(str::to_owned);
    let optional = |name| arguments.optional_text(name).map(|text| text.unwrap_or_default().to_owned());
    let required = |name| arguments.text(name).map(str::to_owned);
    let (absence, members): (Absence, &[&str]) = match form {
        AbsenceForm::File => (
            Absence::File { name: required("name")?, under: optional("under")?, evidence, near: Vec::new() },
            &["name", "under"],
        ),
        AbsenceForm::RegistryKey => (
            Absence::RegistryKey {
                hive: required("hive")?,
                key: required("key")?,
                evidence,
                as_it_stands: arguments.flag("as_it_stands")?,
                near: Vec::new(),
            },
            &["hive", "key", "as_it_stands"],
        ),
        AbsenceForm::Text => (
            Absence::Text { text: required("text")?, under: optional("under")?, evidence },
            &["text", "under"],
        ),
        AbsenceForm::Events => {
            let given = |name| arguments.optional_text(name).map(|text| text.map(str::to_owned));
            let (from, to) = (given("from")?, given("to")?);
            let (channel, ids) = (required("channel")?, event_ids(&arguments)?);
            let provider = given("provider")?;
            let absence = Absence::Events { channel, provider, ids, from, to, evidence, reach: None };
            (absence, &["channel", "provider", "ids", "from", "to"])
        }
    };
    // A member of another form would be a condition that is silently dropped.
    let mut others = of_forms.into_iter().filter(|name| !members.contains(name));
    if let Some(other) = others.find(|name| arguments.get(name).is_some()) {
        return Err(
            arguments.malformed(other, format!("nothing: the form {} has no such member", form.name()))
        );
    }
    let searches = arguments.texts("searches")?.into_iter().map(str::to_owned).collect();
    Ok((AbsenceClaim { absence, searches }, optional("interpretation")?))
}

/// Reads the ids of absent events: an array of numbers, or one text with commas.
fn event_ids(arguments: &Arguments<'_>) -> Result<BTreeSet<u32>, Malformed> {
    let malformed = || arguments.malformed("ids", "an array of event ids, such as [1102]");
    let ids: Option<BTreeSet<u32>> = match arguments.get("ids") {
        Some(Value::Array(items)) => items.iter().map(event_id).collect(),
        Some(Value::String(text)) => text.split(',').map(|id| id.trim().parse().ok()).collect(),
        Some(number @ Value::Number(_)) => event_id(number).map(|id| BTreeSet::from([id])),
        _ => None,
    };
    ids.ok_or_else(malformed)
}

fn event_id(value: &Value) -> Option<u32> {
    match value {
        Value::String(text) => text.trim().parse().ok(),
        value => value.as_u64().and_then(|id| u32::try_from(id).ok()),
    }
}

/// Reads the derivation and the interpretation of a `record_derivation` call.
///
/// The gateway decides whether the facts support it.
pub(crate) fn derivation(arguments: &Value) -> Result<(Derivation, String), Malformed> {
    let arguments = Arguments::of(arguments, &["form", "terms", "seconds", "total", "interpretation"])?;
    let form = arguments.word("form", &DerivationForm::ALL, DerivationForm::name)?;
    let list = arguments.get("terms").and_then(Value::as_array);
    let list = list.ok_or_else(|| arguments.malformed("terms", "an array of values of facts"))?;
    let terms: Vec<Term> = list
        .iter()
        .enumerate()
        .map(|(index, value)| term(value, &format!("terms[{index}]")))
        .collect::<Result<_, _>>()?;
    let number = |name| match arguments.get(name) {
        Some(Value::Number(number)) => number.as_i64(),
        Some(Value::String(text)) => text.trim().parse().ok(),
        _ => None,
    };
    let whole = |name| number(name).ok_or_else(|| arguments.malformed(name, "a whole number"));
    let (derivation, member) = match form {
        DerivationForm::Same => (Derivation::Same { terms }, None),
        DerivationForm::Different => (Derivation::Different { terms }, None),
        DerivationForm::Order => (Derivation::Order { terms }, None),
        DerivationForm::Within => {
            let seconds = u64::try_from(whole("seconds")?);
            let seconds =
                seconds.map_err(|_| arguments.malformed("seconds", "a number of seconds from 0 on"))?;
            (Derivation::Within { terms, seconds }, Some("seconds"))
        }
        DerivationForm::Below => (Derivation::Below { terms }, None),
        DerivationForm::Sum => (Derivation::Sum { terms, total: whole("total")? }, Some("total")),
    };
    // A member of another form would be a condition that is silently dropped.
    let mut others = ["seconds", "total"].into_iter().filter(|name| Some(*name) != member);
    if let Some(other) = others.find(|name| arguments.get(name).is_some()) {
        return Err(
            arguments.malformed(other, format!("nothing: the form {} has no such member", form.name()))
        );
    }
    Ok((derivation, arguments.optional_text("interpretation")?.unwrap_or_default().to_owned()))
}

/// Reads the sentences of a `record_narrative` call.
///
/// The gateway decides whether the cited nodes support them.
pub(crate) fn sentences(arguments: &Value) -> Result<Vec<SentenceClaim>, Malformed> {
    let arguments = Arguments::of(arguments, &["sentences"])?;
    let list = arguments.get("sentences").and_then(Value::as_array);
    let list = list
        .filter(|list| (1..=MOST_SENTENCES).contains(&list.len()))
        .ok_or_else(|| arguments.malformed("sentences", "an array of 1 to 64 sentences"))?;
    list.iter().enumerate().map(|(index, value)| sentence(value, &format!("sentences[{index}]"))).collect()
}

fn sentence(value: &Value, place: &str) -> Result<SentenceClaim, Malformed> {
    let members = Arguments::at(value, place, &["text", "cites"])?;
    let text = members.optional_text("text")?.ok_or_else(|| members.malformed("text", "a sentence"))?;
    let cites = members.texts("cites")?.into_iter().map(str::to_owned).collect();
    Ok(SentenceClaim { text: text.to_owned(), cites })
}

/// Reads the statements of a `tell` call.
///
/// The gateway decides whether the nodes that they name exist.
pub(crate) fn statements(arguments: &Value) -> Result<Vec<StatementClaim>, Malformed> {
    let arguments = Arguments::of(arguments, &["statements"])?;
    let list = arguments.get("statements").and_then(Value::as_array);
    let list = list
        .filter(|list| (1..=MOST_STATEMENTS).contains(&list.len()))
        .ok_or_else(|| arguments.malformed("statements", "an array of 1 to 64 statements"))?;
    list.iter().enumerate().map(|(index, value)| statement(value, &format!("statements[{index}]"))).collect()
}

fn statement(value: &Value, place: &str) -> Result<StatementClaim, Malformed> {
    let known: Vec<&str> = NODE_MEMBERS.iter().copied().chain(["fields", "chapter", "comment"]).collect();
    let members = Arguments::at(value, place, &known)?;
    let mut nodes = NODE_MEMBERS.iter().filter(|name| members.get(name).is_some());
    let named = nodes.next().filter(|_| nodes.next().is_none());
    let named =
        named.ok_or_else(|| members.malformed("node", "the id of one fact, derivation or absence"))?;
    let node = members.optional_text(named)?.unwrap_or_default().trim().to_owned();
    let fields = members.texts("fields")?.into_iter().map(str::to_owned).collect();
    let words = |name: &str| members.get(name).map(words);
    Ok(StatementClaim { node, fields, chapter: words("chapter"), comment: words("comment") })
}

/// Returns a text, or any other value as text: a comment of another type should not cost the statement.
fn words(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

fn term(value: &Value, place: &str) -> Result<Term, Malformed> {
    let members = Arguments::at(value, place, &["fact", "field"])?;
    match members.node("fact")? {
        NodeId::Fact(fact) => Ok(Term { fact, field: members.text("field")?.trim().to_owned() }),
        _ => Err(members.malformed("fact", "the id of a fact, such as fact-0a1b2c3d")),
    }
}

/// Reads a reading that may name the fields to copy.
fn referring(members: &Arguments<'_>) -> Result<Stated, Malformed> {
    let predicate = members.optional_text("predicate")?;
    let Cited { invocation: beside, record, several } = references::cited(members)?;
    let invocation = members.optional_text("invocation")?.map(str::to_owned).or(beside);
    let values = match members.get("values") {
        None => Vec::new(),
        given => values(given, &members.place("values"))?,
    };
    let fields = match (members.get("values"), members.get("fields")) {
        (None, None) => vec![ground::MOST_TELLING.to_owned()],
        _ => members.texts("fields")?.into_iter().map(str::to_owned).collect(),
    };
    let reading = Reading {
        predicate: predicate
            .ok_or_else(|| members.malformed("predicate", "the name of a predicate"))?
            .to_owned(),
        subject: members.optional_text("subject")?.unwrap_or_default().to_owned(),
        values,
        invocation: invocation.ok_or_else(|| {
            members.malformed("record", "an invocation and a record, such as \"inv-0a1b2c3d r3\"")
        })?,
        record,
        fields,
    };
    Ok(Stated { reading, several })
}

fn reading(value: &Value, place: &str) -> Result<Reading, Malformed> {
    let known = ["predicate", "subject", "values", "invocation", "record"];
    let members = Arguments::at(value, place, &known)?;
    let required = |name: &str, expected| {
        members.optional_text(name)?.map(str::to_owned).ok_or_else(|| members.malformed(name, expected))
    };
    Ok(Reading {
        fields: Vec::new(),
        predicate: required("predicate", "the name of a predicate")?,
        subject: members.optional_text("subject")?.unwrap_or_default().to_owned(),
        values: values(members.get("values"), &members.place("values"))?,
        invocation: required("invocation", "an invocation id")?,
        record: members.optional_text("record")?.map(str::to_owned),
    })
}

fn values(value: Option<&Value>, place: &str) -> Result<Vec<ClaimedValue>, Malformed> {
    match value {
        Some(Value::Object(fields)) => fields
            .iter()
            .map(|(field, value)| claimed(Some(field.clone()), value, &format!("{place}.{field}")))
            .collect(),
        Some(Value::Array(items)) => items
            .iter()
            .enumerate()
            .map(|(index, item)| item_of(item, &format!("{place}[{index}]")))
            .collect(),
        _ => Err(Malformed::new(place, "an object of field and value, or an array of values")),
    }
}

fn item_of(item: &Value, place: &str) -> Result<ClaimedValue, Malformed> {
    match item {
        Value::Object(_) => {
            let members = Arguments::at(item, place, &["field", "value"])?;
            let field = members.optional_text("field")?.map(str::to_owned);
            claimed(field, members.get("value").unwrap_or(&Value::Null), place)
        }
        value => claimed(None, value, place),
    }
}

fn claimed(field: Option<String>, value: &Value, place: &str) -> Result<ClaimedValue, Malformed> {
    let value = match value {
        Value::String(text) => text.clone(),
        Value::Number(number) => number.to_string(),
        Value::Bool(flag) => flag.to_string(),
        Value::Null | Value::Array(_) | Value::Object(_) => {
            return Err(Malformed::new(place, "a text, a number, true or false"));
        }
    };
    Ok(ClaimedValue { field, value })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn values_are_read_from_an_object_and_from_an_array() {
        let object =
            json!({"readings": [{"predicate": "p", "invocation": "i", "values": {"a": "x", "b": 7}}]});
        let array = json!({"readings": [{"predicate": "p", "invocation": "i",
            "values": [{"field": "a", "value": "x"}, 7]}]});
        for by_reference in [false, true] {
            let (object, _) = readings(&object, by_reference).unwrap();
            let (array, _) = readings(&array, by_reference).unwrap();
            let values = |stated: &[Stated]| stated[0].reading.values.clone();
            assert_eq!(values(&object)[0], values(&array)[0]);
            assert_eq!(values(&object)[1].field.as_deref(), Some("b"));
            assert_eq!(values(&array)[1], ClaimedValue { field: None, value: "7".into() });
        }
    }

    #[test]
    fn a_reading_names_its_invocation_beside_its_record_and_stands_alone_in_its_call() {
        let whole = json!({"predicate": "p", "record": "inv-0a1b2c3d r3", "fields": ["a", "b"]});
        let listed = json!({"readings": [{"predicate": "p", "invocation": "inv-0a1b2c3d", "record": "r3", "fields": "a,b"}]});
        let (whole, listed) = (readings(&whole, true).unwrap().0, readings(&listed, true).unwrap().0);
        assert_eq!(whole, listed);
        assert_eq!((whole[0].reading.record.as_deref(), &whole[0].several), (Some("r3"), &None));
        for several in ["inv-0a1b2c3d all", "inv-0a1b2c3d r1-r4", "inv-0a1b2c3d r1,r4"] {
            let stated = readings(&json!({"predicate": "p", "record": several}), true).unwrap().0;
            assert!(stated[0].several.is_some() && stated[0].reading.record.is_none(), "{several}");
        }
        let place = |arguments: Value, by_reference| readings(&arguments, by_reference).unwrap_err().place;
        assert_eq!(place(json!({"predicate": "p", "record": "r3"}), true), "record");
        assert_eq!(
            place(json!({"predicate": "p", "record": "inv-0a1b2c3d r3"}), false),
            "arguments.predicate"
        );
    }

    #[test]
    fn what_cannot_be_read_is_named_by_its_place() {
        let place = |arguments: Value| readings(&arguments, false).unwrap_err().place;
        assert_eq!(place(json!([])), "arguments");
        assert_eq!(place(json!({"readings": []})), "readings");
        assert_eq!(place(json!({"reading": []})), "arguments.reading");
        let reading = |reading: Value| place(json!({"readings": [reading]}));
        assert_eq!(reading(json!({"values": {}, "invocation": "i"})), "readings[0].predicate");
        assert_eq!(reading(json!({"predicate": "p", "invocation": "i"})), "readings[0].values");
        assert_eq!(
            reading(json!({"predicate": "p", "invocation": "i", "values": {"a": null}})),
            "readings[0].values.a"
        );
        assert_eq!(
            reading(json!({"predicate": "p", "invocation": 3, "values": {"a": 1}})),
            "readings[0].invocation"
        );
    }
}
