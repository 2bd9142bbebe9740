//! `where`: conditions on the fields of records, in SQL syntax: `event_id IN (4624, 4625) AND account <> 'SYSTEM'`.
//!
//! Each condition is checked against the types of its field before anything is read.
//! One that no record can meet is refused, because its empty answer would say nothing about the evidence.
//! As in SQL, a record without the field meets no condition but `IS NULL`; if the field is a list, one matching item is enough.

use super::fields::{nearest, nearest_of, told};
use crate::arguments::Arguments;
use crate::error::{NO_FIELD, OTHER_FIELDS};
use crate::words::{Word, Words};
use ledger::pattern::{like, same};
use ledger::{FieldType, FieldValue, Record, RecordType, Utc};
use thiserror::Error;

/// The most conditions of a call.
const MOST: usize = 100;

/// The most fields that the refusal of a value names.
const NAMED: usize = 12;

/// Why conditions are refused.
#[derive(Debug, Error)]
pub(crate) enum ConditionError {
    #[error(
        "expected conditions joined with AND, such as event_id IN (4624, 4625) AND account <> 'SYSTEM'; found {found:?}"
    )]
    Form { found: String },
    #[error("expected at most {MOST} conditions; give several values of one field with IN")]
    TooMany,
    #[error(
        "a condition is not put in parentheses, and not negated as a whole: use <>, NOT IN, NOT LIKE or IS NOT NULL"
    )]
    Nested,
    #[error("OR is not taken: give several values of one field with IN, or make two calls")]
    Or,
    #[error("{NO_FIELD}{field:?}{}", told(field, nearest))]
    Field { field: String, nearest: Vec<String> },
    #[error("{field} is compared with {found}: expected {expected}{}", that_hold(others))]
    Value {
        field: String,
        expected: &'static str,
        found: String,
        /// Fields that can have what was found, the most similar first.
        others: Vec<String>,
    },
    #[error("{field} cannot be compared by {operator}: {because}")]
    Operator { field: String, operator: String, because: &'static str },
    #[error("{field} has one value, and cannot meet all conditions on it")]
    Contradiction { field: String },
}

/// A condition on one field.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Condition {
    pub(crate) field: String,
    pub(crate) test: Test,
    /// Whether the test must fail. A missing field neither meets nor fails it: only [`Test::There`] applies to it.
    pub(crate) is_not: bool,
    /// The types that the field can have.
    types: Vec<FieldType>,
}

/// A test on a field.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Test {
    There,
    OneOf(Vec<Literal>),
    Like(String),
    Compared(Sign, Literal),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Sign {
    Less,
    AtMost,
    AtLeast,
    More,
}

/// A value to compare fields with, in each form in which it can be meant.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Literal {
    pub(crate) text: Option<String>,
    pub(crate) number: Option<i128>,
    pub(crate) flag: Option<bool>,
    pub(crate) instant: Option<Utc>,
}

/// The conditions that all records of a call must meet.
#[derive(Debug, Default)]
pub(crate) struct Conditions(Vec<Condition>);

impl Conditions {
    /// Reads the conditions of a call on records of these types.
    pub(crate) fn of(arguments: &Arguments, records: &[RecordType]) -> Result<Conditions, ConditionError> {
        match arguments.optional_text("where") {
            Some(text) => Conditions::read(text, records),
            None => Ok(Conditions::default()),
        }
    }

    fn read(text: &str, records: &[RecordType]) -> Result<Conditions, ConditionError> {
        let mut words = Words::of(text);
        let mut all = Vec::new();
        loop {
            read_one(&mut words, records, &mut all)?;
            if all.len() > MOST {
                return Err(ConditionError::TooMany);
            }
            let before = words.rest;
            match words.next() {
                Some(word) if word.is("and") => {}
                Some(word) if word.is("or") => return Err(ConditionError::Or),
                None if words.rest.trim().is_empty() => break,
                Some(_) | None => return Err(form(before)),
            }
        }
        let conditions = Conditions(all);
        match conditions.contradiction() {
            Some(field) => Err(ConditionError::Contradiction { field: field.to_owned() }),
            None => Ok(conditions),
        }
    }

    pub(super) fn hold(&self, record: &Record) -> bool {
        self.0.iter().all(|condition| condition.holds(record.fields.get(&condition.field).map(|f| &f.value)))
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(crate) fn all(&self) -> &[Condition] {
        &self.0
    }

    /// Returns the fields that they are about, each once.
    pub(super) fn fields(&self) -> Vec<&str> {
        let mut fields: Vec<_> = self.0.iter().map(|condition| condition.field.as_str()).collect();
        fields.sort_unstable();
        fields.dedup();
        fields
    }

    /// Says how many record types cannot meet them, if others can.
    pub(super) fn lacking(&self, records: &[RecordType]) -> Vec<String> {
        let of = |condition: &Condition| {
            let without =
                records.iter().filter(|record| !record.fields.contains_key(&condition.field)).count();
            (without > 0 && !condition.is_met_without()).then(|| {
                let (all, field) = (records.len(), &condition.field);
                format!("{without} of the {all} record types that are read have no field {field}, and none of their records is given")
            })
        };
        self.0.iter().filter_map(of).collect()
    }

    /// Returns a field that has no value which meets all conditions on it.
    fn contradiction(&self) -> Option<&str> {
        self.fields().into_iter().find(|field| {
            let all: Vec<_> = self.0.iter().filter(|condition| condition.field == **field).collect();
            let is_absent = all.iter().any(|condition| condition.is_met_without());
            let has_one_value = !all.iter().any(|condition| condition.can_equal_several());
            (is_absent && all.iter().any(|condition| !condition.is_met_without()))
                || (has_one_value && !is_absent && no_value_meets(&all))
        })
    }
}

/// Checks whether no value meets all conditions: none of the values that they name, or no number between their bounds.
fn no_value_meets(all: &[&Condition]) -> bool {
    let meets = |value: &FieldValue| all.iter().all(|condition| condition.holds(Some(value)));
    let named = all.iter().find_map(|condition| match &condition.test {
        Test::OneOf(values) if !condition.is_not => Some((values, &condition.types)),
        _ => None,
    });
    if let Some((values, types)) = named {
        return !values
            .iter()
            .any(|literal| types.iter().any(|kind| literal.value(*kind).is_some_and(|value| meets(&value))));
    }
    let bounds = all.iter().filter_map(|condition| match &condition.test {
        Test::Compared(sign, literal) => Some((*sign, literal.number?)),
        _ => None,
    });
    let (mut least, mut most) = (i128::MIN, i128::MAX);
    for (sign, number) in bounds {
        match sign {
            Sign::Less => most = most.min(number.saturating_sub(1)),
            Sign::AtMost => most = most.min(number),
            Sign::AtLeast => least = least.max(number),
            Sign::More => least = least.max(number.saturating_add(1)),
        }
    }
    least > most
}

impl Condition {
    /// Checks whether a record with this value in the field meets the condition.
    pub(crate) fn holds(&self, value: Option<&FieldValue>) -> bool {
        match value {
            None => self.is_met_without(),
            Some(value) if self.is_not => self.test.can_fail(value),
            Some(value) => self.test.holds(value),
        }
    }

    /// Checks whether a record without the field meets it.
    pub(crate) fn is_met_without(&self) -> bool {
        self.test == Test::There && self.is_not
    }

    /// Checks whether one value of the field can equal several others: a list any of its items, a local time any instant that it can be.
    fn can_equal_several(&self) -> bool {
        self.types.iter().any(|kind| matches!(kind, FieldType::List | FieldType::Time))
    }

    /// Checks whether the field can only have values of these types.
    pub(crate) fn is_of(&self, types: &[FieldType]) -> bool {
        self.types.iter().all(|kind| types.contains(kind))
    }
}

impl Test {
    /// Checks whether a value fails the test; a value to which the test does not apply neither passes nor fails.
    fn can_fail(&self, value: &FieldValue) -> bool {
        match (self, value) {
            (Test::Like(_), FieldValue::List(_)) => !self.holds(value),
            (Test::Like(_), value) => value.as_text().is_some() && !self.holds(value),
            // A local time may be another instant than the named one.
            (Test::OneOf(_), FieldValue::Time(time)) => match time.bounds() {
                Some((first, last)) => first != last || !self.holds(value),
                None => false,
            },
            _ => !self.holds(value),
        }
    }

    fn holds(&self, value: &FieldValue) -> bool {
        match self {
            Test::There => true,
            Test::OneOf(values) => values.iter().any(|literal| literal.equals(value)),
            Test::Like(pattern) => match value {
                FieldValue::List(items) => items.iter().any(|item| like(pattern, item)),
                value => value.as_text().is_some_and(|text| like(pattern, text)),
            },
            Test::Compared(sign, literal) => literal.compares(*sign, value),
        }
    }
}

impl Literal {
    /// Reads a literal of SQL, or `true` or `false`.
    fn read(word: &str) -> Literal {
        let inside = word.strip_prefix('\'').and_then(|text| text.strip_suffix('\''));
        let text = inside.map(|text| text.replace("''", "'"));
        let plain = text.as_deref().unwrap_or(word).trim();
        let flag = match plain.to_ascii_lowercase().as_str() {
            "true" | "1" => Some(true),
            "false" | "0" => Some(false),
            _ => None,
        };
        let instant = text.as_deref().and_then(instant);
        Literal { number: plain.parse().ok(), flag, instant, text }
    }

    fn equals(&self, value: &FieldValue) -> bool {
        let is = |text: &str| self.text.as_ref().is_some_and(|own| same(own, text));
        match value {
            FieldValue::Integer(number) => self.number == Some(*number),
            FieldValue::Size(size) => self.number == Some(i128::from(*size)),
            FieldValue::Flag(flag) => self.flag == Some(*flag),
            FieldValue::List(items) => items.iter().any(|item| is(item)),
            FieldValue::Time(time) => self.instant.zip(time.bounds()).is_some_and(|(own, (first, last))| {
                // A local time equals each instant that it can be.
                first <= own && own <= last
            }),
            text => text.as_text().is_some_and(is),
        }
    }

    fn compares(&self, sign: Sign, value: &FieldValue) -> bool {
        let number = |number: i128| self.number.is_some_and(|own| sign.holds(&number, &number, &own));
        match value {
            FieldValue::Integer(integer) => number(*integer),
            FieldValue::Size(size) => number(i128::from(*size)),
            FieldValue::Time(time) => self
                .instant
                .zip(time.bounds())
                .is_some_and(|(own, (first, last))| sign.holds(&first, &last, &own)),
            _ => false,
        }
    }

    /// Returns the value of this type that equals it, if there is one.
    fn value(&self, kind: FieldType) -> Option<FieldValue> {
        Some(match kind {
            FieldType::Integer | FieldType::Size => FieldValue::Integer(self.number?),
            FieldType::Flag => FieldValue::Flag(self.flag?),
            FieldType::Time | FieldType::List => return None,
            _ => FieldValue::Text(self.text.clone()?),
        })
    }

    /// Checks whether a field of one of these types can equal it.
    fn fits(&self, types: &[FieldType]) -> bool {
        types.iter().any(|kind| match kind {
            FieldType::Integer | FieldType::Size => self.number.is_some(),
            FieldType::Flag => self.flag.is_some(),
            FieldType::Time => self.instant.is_some(),
            _ => self.text.is_some(),
        })
    }
}

impl Sign {
    fn of(word: &str) -> Option<Sign> {
        Some(match word {
            "<" => Sign::Less,
            "<=" => Sign::AtMost,
            ">" => Sign::More,
            ">=" => Sign::AtLeast,
            _ => return None,
        })
    }

    /// Checks whether a value between two bounds can compare like this.
    fn holds<T: PartialOrd>(self, first: &T, last: &T, own: &T) -> bool {
        match self {
            Sign::Less => first < own,
            Sign::AtMost => first <= own,
            Sign::AtLeast => last >= own,
            Sign::More => last > own,
        }
    }
}

fn form(found: &str) -> ConditionError {
    ConditionError::Form { found: found.trim().to_owned() }
}

/// Reads one condition; BETWEEN becomes two.
fn read_one(
    words: &mut Words<'_>,
    records: &[RecordType],
    all: &mut Vec<Condition>,
) -> Result<(), ConditionError> {
    let before = words.rest;
    if words.peek().is_some_and(|word| word.is("(") || word.is("not")) {
        return Err(ConditionError::Nested);
    }
    let name = words.name().ok_or_else(|| form(before))?;
    let (field, types) = field(name, records)?;
    let before = words.rest;
    let mut operator = words.next().ok_or_else(|| form(before))?;
    let mut is_not = false;
    if operator.is("not") {
        is_not = true;
        operator = words.next().ok_or_else(|| form(before))?;
    }
    let mut add = |test, is_not| {
        all.push(Condition { field: field.clone(), test, is_not, types: types.clone() });
    };
    let of = Of { field: &field, types: &types, records };
    match operator {
        Word::Sign("=" | "==") if !is_not => add(Test::OneOf(vec![of.one(words)?]), false),
        Word::Sign("<>" | "!=") if !is_not => add(Test::OneOf(vec![of.one(words)?]), true),
        Word::Sign(sign) if !is_not && Sign::of(sign).is_some() => {
            let sign = Sign::of(sign).ok_or_else(|| form(before))?;
            add(of.compared(sign, words)?, false);
        }
        word if word.is("in") => add(Test::OneOf(of.values(words)?), is_not),
        word if word.is("like") => add(of.like(words)?, is_not),
        word if word.is("between") && !is_not => {
            add(of.compared(Sign::AtLeast, words)?, false);
            words.exactly("and").ok_or_else(|| form(before))?;
            of.no_day(&mut Words { ..*words })?;
            add(of.compared(Sign::AtMost, words)?, false);
        }
        word if word.is("is") && !is_not => {
            let is_there = words.peek().is_some_and(|next| next.is("not"));
            if is_there {
                words.next();
            }
            words.exactly("null").ok_or_else(|| form(before))?;
            add(Test::There, !is_there);
        }
        _ => return Err(form(before)),
    }
    Ok(())
}

/// Returns the field with this name, and all types that it has in these records.
fn field(name: &str, records: &[RecordType]) -> Result<(String, Vec<FieldType>), ConditionError> {
    let fields = || records.iter().flat_map(|record| &record.fields);
    let own: Vec<_> = fields().filter(|(field, _)| field.eq_ignore_ascii_case(name)).collect();
    if let Some((field, _)) = own.first() {
        let mut types: Vec<FieldType> = Vec::new();
        for kind in own.iter().flat_map(|(_, meaning)| &meaning.types) {
            if !types.contains(kind) {
                types.push(*kind);
            }
        }
        return Ok(((*field).clone(), types));
    }
    Err(ConditionError::Field { field: name.to_owned(), nearest: nearest(name, records) })
}

fn that_hold(others: &[String]) -> String {
    if others.is_empty() { String::new() } else { format!("{OTHER_FIELDS}{}", others.join(", ")) }
}

/// The field for which values are read.
struct Of<'f> {
    field: &'f str,
    types: &'f [FieldType],
    records: &'f [RecordType],
}

impl Of<'_> {
    /// Reads the next value.
    fn value(&self, words: &mut Words<'_>) -> Result<Literal, ConditionError> {
        let before = words.rest;
        let found = match words.next() {
            Some(Word::Literal(text)) => text,
            Some(Word::Plain(word))
                if ["true", "false"].iter().any(|flag| word.eq_ignore_ascii_case(flag)) =>
            {
                word
            }
            Some(Word::Plain(word) | Word::Quoted(word)) => return Err(self.refused(word)),
            Some(Word::Sign(_)) | None => return Err(form(before)),
        };
        let literal = Literal::read(found);
        self.no_live_key(&literal)?;
        if literal.fits(self.types) { Ok(literal) } else { Err(self.refused(found)) }
    }

    /// Reads the next value, which a field is to equal.
    fn one(&self, words: &mut Words<'_>) -> Result<Literal, ConditionError> {
        self.no_day(&mut Words { ..*words })?;
        self.value(words)
    }

    /// Refuses a bare date if only its first instant would be meant.
    fn no_day(&self, words: &mut Words<'_>) -> Result<(), ConditionError> {
        let Some(Word::Literal(text)) = words.next() else { return Ok(()) };
        let text = text.trim_matches('\'');
        let is_day = text.len() == "2025-09-16".len() && instant(text).is_some();
        if !is_day || self.types.iter().any(|kind| *kind != FieldType::Time) {
            return Ok(());
        }
        let expected = "an instant, such as '2025-09-16T09:44:12Z'; a day is all from its beginning (>=) to before the next (<)";
        Err(ConditionError::Value {
            field: self.field.to_owned(),
            expected,
            found: text.to_owned(),
            others: Vec::new(),
        })
    }

    /// Refuses a key as a live registry shows it: no hive has the current control set under this name.
    fn no_live_key(&self, literal: &Literal) -> Result<(), ConditionError> {
        let text = literal.text.as_deref().unwrap_or_default();
        if self.field != "key_path" || !text.to_ascii_lowercase().contains("currentcontrolset") {
            return Ok(());
        }
        let expected = "a path from the root of the hive, in which a control set has a number: LIKE 'ControlSet___\\Services\\%'";
        Err(ConditionError::Value {
            field: self.field.to_owned(),
            expected,
            found: text.to_owned(),
            others: Vec::new(),
        })
    }

    /// Reads `(a, b, c)`.
    fn values(&self, words: &mut Words<'_>) -> Result<Vec<Literal>, ConditionError> {
        let before = words.rest;
        words.exactly("(").ok_or_else(|| form(before))?;
        let mut values = Vec::new();
        loop {
            values.push(self.one(words)?);
            match words.next() {
                Some(Word::Sign(",")) => {}
                Some(Word::Sign(")")) => return Ok(values),
                _ => return Err(form(before)),
            }
        }
    }

    fn compared(&self, sign: Sign, words: &mut Words<'_>) -> Result<Test, ConditionError> {
        let sorts = [FieldType::Integer, FieldType::Size, FieldType::Time];
        let own: Vec<_> = self.types.iter().copied().filter(|kind| sorts.contains(kind)).collect();
        if own.is_empty() {
            let because = "it has no numbers and no times; use =, IN or LIKE";
            return Err(self.operator("<, >, BETWEEN", because));
        }
        Of { types: &own, ..*self }.value(words).map(|literal| Test::Compared(sign, literal))
    }

    fn like(&self, words: &mut Words<'_>) -> Result<Test, ConditionError> {
        let without = [FieldType::Integer, FieldType::Size, FieldType::Flag, FieldType::Time];
        let own: Vec<_> = self.types.iter().copied().filter(|kind| !without.contains(kind)).collect();
        if own.is_empty() {
            return Err(self.operator("LIKE", "it has no texts; use =, IN, BETWEEN or <"));
        }
        let literal = Of { types: &own, ..*self }.value(words)?;
        let text = literal.text.ok_or_else(|| form(words.rest))?;
        if text.contains('*') && !text.contains(['%', '_']) {
            return Err(
                self.operator(&format!("LIKE '{text}'"), "LIKE has % for any characters and _ for one")
            );
        }
        Ok(Test::Like(text))
    }

    fn refused(&self, found: &str) -> ConditionError {
        let expected = match self.types.first() {
            Some(FieldType::Integer | FieldType::Size) => "a whole number",
            Some(FieldType::Flag) => "true or false",
            Some(FieldType::Time) => "a time in single quotes, such as '2025-09-16T09:44:12Z'",
            _ => "a text in single quotes",
        };
        let mut others = self.others(found);
        others.truncate(NAMED);
        ConditionError::Value { field: self.field.to_owned(), expected, found: found.to_owned(), others }
    }

    /// Returns the other fields that can have a value; none for a bare word, which is not a value.
    fn others(&self, found: &str) -> Vec<String> {
        const TEXTS: [FieldType; 4] =
            [FieldType::Text, FieldType::Name, FieldType::Path, FieldType::RegistryPath];
        const NUMBERS: [FieldType; 2] = [FieldType::Integer, FieldType::Size];
        let literal = Literal::read(found);
        let types = match (&literal.number, &literal.text) {
            (Some(_), _) => &NUMBERS[..],
            (None, Some(_)) => &TEXTS[..],
            (None, None) => &[],
        };
        let mut others = nearest_of(self.field, self.records, types);
        others.retain(|field| field != self.field);
        others
    }

    fn operator(&self, operator: &str, because: &'static str) -> ConditionError {
        ConditionError::Operator { field: self.field.to_owned(), operator: operator.to_owned(), because }
    }
}

/// Parses an instant. Without a zone it is UTC, as tables write times; a date alone means its beginning.
fn instant(text: &str) -> Option<Utc> {
    let text = text.trim().replacen(' ', "T", 1);
    let day = |text: &str| format!("{text}T00:00:00Z");
    [text.clone(), format!("{text}Z"), day(&text)].iter().find_map(|text| text.parse().ok())
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test fails by panicking")]
mod tests {
    use super::*;
    use crate::spec;
    use ledger::{AssumedZone, Field, Locator, RecordId, Time};
    use std::collections::BTreeMap;

    fn types() -> Vec<RecordType> {
        use FieldType::{Flag, Integer, List, Name, Size, Text, Time};
        let fields: [(&str, &[FieldType], &str); 8] = [
            ("account", &[Name], ""),
            ("domain", &[Name], ""),
            ("event_id", &[Integer], ""),
            ("size", &[Size], ""),
            ("hidden", &[Flag], ""),
            ("time", &[Time], ""),
            ("reasons", &[List], ""),
            ("data", &[Text, Integer], ""),
        ];
        vec![spec::record("logon", "", "account", &fields)]
    }

    fn record() -> Record {
        let time = Time::from_filetime(129_779_783_200_000_000);
        let fields = [
            ("account", FieldValue::Name("Ärzte O'Brien".to_owned())),
            ("event_id", FieldValue::Integer(4624)),
            ("size", FieldValue::Size(10)),
            ("hidden", FieldValue::Flag(false)),
            ("time", FieldValue::Time(time)),
            ("reasons", FieldValue::List(vec!["FILE_CREATE".to_owned(), "CLOSE".to_owned()])),
            ("data", FieldValue::Integer(7)),
        ];
        let fields: BTreeMap<_, _> =
            fields.into_iter().map(|(name, value)| (name.to_owned(), Field { at: None, value })).collect();
        Record {
            placement: None,
            id: RecordId(0),
            kind: "logon".to_owned(),
            locator: Locator { evidence: "e".into(), path: "p".into(), stream: None, span: None },
            fields,
            defects: Vec::new(),
        }
    }

    #[test]
    fn conditions_are_met_as_sql_means_them() {
        for (text, expected) in [
            ("account = 'ärzte o''brien'", true),
            ("account <> 'x'", true),
            ("account != 'ÄRZTE O''BRIEN'", false),
            ("account LIKE '_rzte%'", true),
            ("account NOT LIKE '%BRIEN'", false),
            ("account IN ('a', 'Ärzte O''Brien')", true),
            ("account NOT IN ('a', 'b')", true),
            ("ACCOUNT is not null and event_id=4624", true),
            ("account IS NULL", false),
            ("domain IS NULL", true),
            ("domain = 'x'", false),
            ("domain <> 'x'", false),
            ("domain NOT LIKE 'x'", false),
            ("event_id IN (4624, 4625)", true),
            ("event_id = '4624'", true),
            ("event_id BETWEEN 4624 AND 4630 AND account LIKE '%'", true),
            ("event_id > 4624", false),
            ("event_id >= 4624", true),
            ("event_id < -1", false),
            ("size <= 10", true),
            ("hidden = false", true),
            ("hidden = 1", false),
            ("time >= '2012-04-04'", true),
            ("time < '2012-04-04 01:58:41'", true),
            ("time = '2012-04-04T01:58:40Z'", true),
            ("time > '2012-04-04T01:58:40Z'", false),
            ("time BETWEEN '2012-04-04T03:00:00+02:00' AND '2012-04-05T00:00:00Z'", true),
            ("reasons = 'close'", true),
            ("reasons LIKE 'FILE%'", true),
            ("reasons <> 'close'", false),
            ("reasons = 'CLOSE' AND reasons = 'FILE_CREATE'", true),
            ("data = 7", true),
            ("data = 'seven'", false),
            ("data NOT LIKE '%'", false),
            ("event_id > 4000 AND event_id < 5000 AND event_id <> 4625", true),
        ] {
            assert_eq!(Conditions::read(text, &types()).unwrap().hold(&record()), expected, "{text}");
        }
    }

    #[test]
    fn a_local_time_meets_what_a_zone_could_make_it_meet() {
        let local = Time { zone: Some(AssumedZone::Utc), ..Time::from_filetime(129_779_783_200_000_000) };
        let mut record = record();
        record.fields.insert("time".to_owned(), Field { at: None, value: FieldValue::Time(local) });
        for text in [
            "time > '2012-04-04T08:00:00Z'",
            "time < '2012-04-03T20:00:00Z'",
            "time = '2012-04-04T03:58:40Z'",
            "time <> '2012-04-04T01:58:40Z'",
            "time NOT IN ('2012-04-04T01:58:40Z')",
        ] {
            assert!(Conditions::read(text, &types()).unwrap().hold(&record), "{text}");
        }
    }

    #[test]
    fn what_no_record_can_meet_or_nobody_can_read_is_refused() {
        for text in [
            "",
            "account",
            "account =",
            "account = admin",
            "account = \"admin\"",
            "account = 'admin",
            "account = 7",
            "account > 'a'",
            "account = 'a' OR account = 'b'",
            "account = 'a' AND",
            "AND account = 'a'",
            "account IN ()",
            "account IN ('a'",
            "account IN 'a'",
            "account = account",
            "(account = 'a')",
            "NOT account = 'a'",
            "account NOT = 'a'",
            "account NOT BETWEEN 'a' AND 'b'",
            "account IS 'a'",
            "account LIKE 7",
            "event_id = 'x'",
            "event_id = 1.5",
            "event_id LIKE '46%'",
            "event_id = 1 AND event_id = 2",
            "event_id IN (1, 2) AND account = 'a' AND event_id = 3",
            "event_id BETWEEN 5 AND 4",
            "event_id > 5 AND event_id < 6",
            "event_id = 5 AND event_id > 5",
            "event_id = 5 AND event_id <> 5",
            "event_id = 5 AND event_id IS NULL",
            "account LIKE 'a%' AND account = 'b'",
            "data = 0 AND data = 1",
            &vec!["event_id <> 1"; 101].join(" AND "),
            "hidden = 2",
            "hidden > 0",
            "time = 'yesterday'",
            "time LIKE '2012%'",
            "time > 2012",
            "nosuch = 1",
            "account = 'a'; DROP TABLE x",
            "account = 'a' -- x",
            "account = 'a' COLLATE NOCASE",
            "length(account) = 3",
        ] {
            assert!(Conditions::read(text, &types()).is_err(), "{text}");
        }
    }

    #[test]
    fn a_wrong_field_is_answered_with_the_closest() {
        let error = Conditions::read("eventid = 1", &types()).unwrap_err().to_string();
        assert!(error.contains("(is \"event_id\" meant?); the fields are event_id, "), "{error}");
        assert!(error.contains("reasons"), "{error}");
    }

    #[test]
    fn a_wrong_value_is_answered_with_the_fields_that_can_hold_it() {
        let error = |text| Conditions::read(text, &types()).unwrap_err().to_string();
        let text = error("event_id = 'admin'");
        assert!(
            text.ends_with("expected a whole number; such a value can stand in account, data, domain"),
            "{text}"
        );
        let (_, number) =
            error("account = 7").split_once(OTHER_FIELDS).map(|(a, b)| (a.to_owned(), b.to_owned())).unwrap();
        let mut fields: Vec<&str> = number.split(", ").collect();
        fields.sort_unstable();
        assert_eq!(fields, ["data", "event_id", "size"]);
        assert!(!error("account = admin").contains("can stand in"));
    }
}
