//! Renders records as rows: what they have in common is written once above them, and so are the names of their fields.

use ledger::turn::Page;
use ledger::{Fence, FieldValue, Record};
use serde_json::{Map, Value, json};
use std::collections::{BTreeMap, BTreeSet};

/// Returns the lines of a page: for each type of record what its rows share, then the rows in their order.
///
/// A type with a single record has no rows: the record is in its line.
pub(super) fn lines(page: &Page, fence: &Fence) -> Vec<Value> {
    let mut types: Vec<Type<'_>> = Vec::new();
    for record in page.records() {
        match types.iter_mut().find(|of| of.is_of(record)) {
            Some(of) => of.records.push(record),
            None => types.push(Type { records: vec![record] }),
        }
    }
    let is_mixed = types.len() > 1;
    let shared: Vec<Shared<'_>> = types.iter().map(|of| Shared::of(of, fence)).collect();
    let mut lines: Vec<Value> = shared.iter().map(Shared::line).collect();
    let mut above: Vec<Vec<Value>> = vec![Vec::new(); types.len()];
    let rows = page.records().filter_map(|record| {
        let at = types.iter().position(|of| of.is_of(record))?;
        let shared = shared.get(at).filter(|shared| shared.has_rows)?;
        Some(shared.row(record, is_mixed.then_some(at), above.get_mut(at)?, fence))
    });
    lines.extend(rows);
    lines
}

/// Records of one type whose files have the same placement.
struct Type<'r> {
    records: Vec<&'r Record>,
}

impl Type<'_> {
    fn is_of(&self, record: &Record) -> bool {
        self.records.first().is_some_and(|of| of.kind == record.kind && of.placement == record.placement)
    }
}

/// What the rows of a type share.
struct Shared<'r> {
    /// The members of its line.
    members: Map<String, Value>,
    /// The fields that have a column.
    columns: Vec<&'r str>,
    /// The fields that are in the line above, and in no row.
    above: BTreeSet<&'r str>,
    /// What else is written in each row.
    besides: Besides,
    has_rows: bool,
    number: usize,
}

/// What differs from row to row, besides fields.
#[derive(Clone, Copy)]
struct Besides {
    place: bool,
    any_user: bool,
}

/// The column for the evidence and file; names of fields have no such character.
const FROM: &str = "@from";
/// The mark for "same value as in the row above" (of the same type): no value is a number.
const SAME: u8 = 0;
/// The shortest value that is not repeated, in bytes of its JSON.
const LONG: usize = 16;

impl<'r> Shared<'r> {
    fn of(of: &Type<'r>, fence: &Fence) -> Shared<'r> {
        let has_rows = of.records.len() > 1;
        let mut shared = Shared {
            members: Map::new(),
            columns: Vec::new(),
            above: BTreeSet::new(),
            besides: Besides { place: false, any_user: false },
            has_rows,
            number: of.records.len(),
        };
        let Some(first) = of.records.first() else { return shared };
        shared.members.insert("kind".into(), json!(first.kind));
        if !has_rows {
            shared.members.insert("record".into(), json!(first.id.to_string()));
        }
        let places: Vec<String> = of.records.iter().map(|record| place(record)).collect();
        match places.split_first() {
            Some((one, others)) if others.iter().all(|other| other == one) => {
                shared.members.insert("from".into(), json!(one));
            }
            _ => shared.besides.place = true,
        }
        if let Some(placement) = first.placement {
            shared.members.insert("placement".into(), json!(placement.name()));
        }
        let proofs: Vec<String> = proofs(&of.records, fence);
        shared.members.insert("proves".into(), json!(proofs));
        match of.records.iter().all(|record| any_user(record, fence) == any_user(first, fence)) {
            true => shared.members.extend(any_user(first, fence).map(|who| ("any_user".into(), who))),
            false => shared.besides.any_user = true,
        }
        shared.lay_out(&of.records);
        shared
    }

    /// Decides which fields are above, which have a column, and which stay in their rows.
    fn lay_out(&mut self, records: &[&'r Record]) {
        let mut held: BTreeMap<&'r str, Vec<&'r FieldValue>> = BTreeMap::new();
        for record in records {
            let fields = record.fields.iter().filter(|(name, _)| !is_told_twice(name, record));
            fields.for_each(|(name, field)| held.entry(name).or_default().push(&field.value));
        }
        let mut same = Map::new();
        for (name, values) in held {
            let in_all = values.len() == self.number;
            match values.split_first() {
                Some((one, others)) if in_all && others.iter().all(|other| other == one) => {
                    same.insert(name.to_owned(), value(one));
                    self.above.insert(name);
                }
                _ if values.len() * 2 >= self.number => self.columns.push(name),
                _ => {}
            }
        }
        if !same.is_empty() {
            let name = if self.has_rows { "same" } else { "fields" };
            self.members.insert(name.into(), Value::Object(same));
        }
    }

    /// Returns the line above its rows.
    fn line(&self) -> Value {
        let mut line = self.members.clone();
        if self.has_rows {
            line.insert("rows".into(), json!(self.number));
            let place = self.besides.place.then_some(FROM);
            line.insert(
                "columns".into(),
                json!(place.into_iter().chain(self.columns.iter().copied()).collect::<Vec<_>>()),
            );
        }
        Value::Object(line)
    }

    /// Renders a record: its id, the number of its type's line if there are several types, its values in column order, and anything else.
    fn row(&self, record: &Record, of: Option<usize>, above: &mut Vec<Value>, fence: &Fence) -> Value {
        let mut row = vec![json!(record.id.to_string())];
        row.extend(of.map(|of| json!(of)));
        let place = self.besides.place.then(|| json!(place(record)));
        let columns = self.columns.iter().map(|name| record.fields.get(*name));
        let values = columns.map(|field| field.map_or(Value::Null, |field| value(&field.value)));
        let cells: Vec<Value> = place.into_iter().chain(values).collect();
        let is_again =
            |(at, cell): (usize, &Value)| above.get(at) == Some(cell) && cell.to_string().len() >= LONG;
        let told = cells
            .iter()
            .enumerate()
            .map(|(at, cell)| if is_again((at, cell)) { json!(SAME) } else { cell.clone() });
        row.extend(told);
        *above = cells;
        let is_left = |name: &str| {
            !self.above.contains(name) && !self.columns.contains(&name) && !is_told_twice(name, record)
        };
        let mut rest: Map<String, Value> = record
            .fields
            .iter()
            .filter(|(name, _)| is_left(name))
            .map(|(name, field)| (name.clone(), value(&field.value)))
            .collect();
        if self.besides.any_user {
            rest.extend(any_user(record, fence).map(|who| ("@any_user".into(), who)));
        }
        if !record.defects.is_empty() {
            rest.insert("@defects".into(), json!(record.defects));
        }
        if !rest.is_empty() {
            row.push(Value::Object(rest));
        }
        Value::Array(row)
    }
}

/// Checks for the values of an event's data without their names: each is also in `data`, with its name.
fn is_told_twice(name: &str, record: &Record) -> bool {
    name == "message_data" && record.fields.contains_key("data")
}

/// Returns the evidence, and the file if no field of the record names it.
fn place(record: &Record) -> String {
    let locator = &record.locator;
    let names_file = |value: &FieldValue| matches!(value, FieldValue::Path(path) if path == &locator.path);
    let is_named = record.fields.values().any(|field| names_file(&field.value));
    match (&locator.stream, is_named) {
        (None, true) => locator.evidence.clone(),
        (None, false) => format!("{}:{}", locator.evidence, locator.path),
        (Some(stream), _) => format!("{}:{}:{stream}", locator.evidence, locator.path),
    }
}

/// Returns what at least one of the records proves: each predicate and, after a colon, the field that a reading must state for it.
fn proofs(records: &[&Record], fence: &Fence) -> Vec<String> {
    let mut proofs: Vec<String> = Vec::new();
    for (predicate, field) in records.iter().flat_map(|record| fence.proofs(record)) {
        let proof = field.map_or_else(|| predicate.to_string(), |field| format!("{predicate}:{field}"));
        if !proofs.contains(&proof) {
            proofs.push(proof);
        }
    }
    proofs
}

/// Returns the fields that any user could have written: `all`, or their names.
fn any_user(record: &Record, fence: &Fence) -> Option<Value> {
    let fields = fence.of_any_user(record);
    match fields.len() {
        0 => None,
        all if all == record.fields.len() => Some(json!("all")),
        _ => Some(json!(fields)),
    }
}

/// Returns a value as a claim would state it.
pub(super) fn value(value: &FieldValue) -> Value {
    match value {
        FieldValue::List(items) => json!(items),
        FieldValue::Text(_)
        | FieldValue::Name(_)
        | FieldValue::Path(_)
        | FieldValue::RegistryPath(_)
        | FieldValue::Time(_)
        | FieldValue::Integer(_)
        | FieldValue::Size(_)
        | FieldValue::Sid(_)
        | FieldValue::Guid(_)
        | FieldValue::Hash(_)
        | FieldValue::Bytes(_)
        | FieldValue::Flag(_) => json!(value.to_text()),
    }
}
