//! The records of a page, read from the evidence again.

use super::asked::Asked;
use super::lines::{Line, Lines};
use super::select::is_field;
use crate::catalogue::Call;
use crate::dir_entry;
use crate::error::CallError;
use crate::intake::{Flow, Intake};
use crate::time_index::{Row, Unit, ticks};
use crate::units::{Origin, read as read_unit};
use evidence::EvidencePath;
use ledger::{Defect, FieldValue, Gap, Record};
use std::collections::{BTreeMap, HashMap};
use std::ops::ControlFlow;

/// Makes the records of these rows, in their order; the number before each is that of its line.
///
/// Each source is decoded once. A record that is not as the index says fails the call.
pub(super) fn fetch(
    call: &Call<'_>,
    asked: &Asked<'_>,
    lines: &Lines<'_, '_>,
    page: &[(usize, Row)],
) -> Result<Vec<Record>, CallError> {
    let mut units: BTreeMap<(usize, u32), Vec<(u32, usize)>> = BTreeMap::new();
    for (slot, (line, row)) in page.iter().enumerate() {
        units.entry((*line, row.unit)).or_default().push((row.ordinal, slot));
    }
    let mut records: Vec<Option<Record>> = vec![None; page.len()];
    for ((line, unit), wanted) in units {
        let Some(line) = lines.lines.get(line) else { continue };
        let number = usize::try_from(unit).unwrap_or(usize::MAX);
        let (Some(unit), Some(Some(origin))) = (line.index.units().get(number), line.wanted.get(number))
        else {
            continue;
        };
        let mut pick =
            Pick { ordinal: 0, left: wanted.len(), wanted: HashMap::from_iter(wanted), found: Vec::new() };
        match origin {
            Origin::Entries => entries(line, page, &mut pick)?,
            Origin::Keys | Origin::Artifact(_) | Origin::Decoder(_) => {
                decode(call, line, unit, *origin, &mut pick)?;
            }
            Origin::Values | Origin::Names | Origin::Hives | Origin::Files => {}
        }
        for (slot, record) in pick.found {
            if let Some(place) = records.get_mut(slot) {
                *place = Some(record);
            }
        }
    }
    let mut whole = Vec::with_capacity(page.len());
    for (record, (number, row)) in records.into_iter().zip(page) {
        let Some(line) = lines.lines.get(*number) else { continue };
        let record = record.filter(|record| is_as_indexed(line, asked, row, record));
        whole.push(record.ok_or_else(|| not_there(line, row))?);
    }
    Ok(whole)
}

/// How many of the first records have no more than `most` bytes of values together; one at least.
pub(super) fn within(records: &[Record], most: usize) -> usize {
    let mut sum: usize = 0;
    let held = records.iter().take_while(|record| {
        let before = sum;
        sum = sum.saturating_add(crate::sink::size(record));
        before < most
    });
    held.count()
}

fn decode(
    call: &Call<'_>,
    line: &Line<'_, '_>,
    unit: &Unit,
    origin: Origin,
    pick: &mut Pick,
) -> Result<(), CallError> {
    let (tree, start) = (line.place.tree, &line.place.node);
    let path = EvidencePath::parse(&unit.path).map_err(CallError::Path)?;
    let node = if start.path == path { Some(start.clone()) } else { tree.node_listed(&path)? };
    let node = node.ok_or_else(|| CallError::NotInTimeline { path: unit.path.clone() })?;
    read_unit(origin, tree, &node, unit.stream.as_deref(), call.scratch, pick)
}

fn entries(line: &Line<'_, '_>, page: &[(usize, Row)], pick: &mut Pick) -> Result<(), CallError> {
    for slot in pick.wanted.values() {
        let Some((_, row)) = page.get(*slot) else { continue };
        let text = line.index.text(row.text)?;
        let path = EvidencePath::parse(&text).map_err(CallError::Path)?;
        let start = &line.place.node;
        let tree = line.place.tree;
        let node = if start.path == path { Some(start.clone()) } else { tree.node_listed(&path)? };
        let node = node.ok_or(CallError::NotInTimeline { path: text })?;
        pick.found.push((*slot, dir_entry::record_with_name_times(tree, &node)));
    }
    Ok(())
}

/// Whether a record is the one that the row stands for, and is what was asked for.
fn is_as_indexed(line: &Line<'_, '_>, asked: &Asked<'_>, row: &Row, record: &Record) -> bool {
    let name = line.index.fields().get(usize::from(row.field));
    let Some((kind, field)) = name.and_then(|name| name.split_once('.')) else { return false };
    let Some(FieldValue::Time(time)) = record.fields.get(field).map(|field| &field.value) else {
        return false;
    };
    let subject = line.index.text(row.text).unwrap_or_default();
    // A long subject is cut in the index; none is changed.
    let is_subject = |value: &FieldValue| value.to_text().starts_with(&subject);
    record.kind == kind
        && time.utc.map(ticks) == Some(row.time)
        && asked.holds(time)
        && is_field(asked, &format!("{kind}.{field}"))
        && record.fields.values().any(|field| is_subject(&field.value))
}

fn not_there(line: &Line<'_, '_>, row: &Row) -> CallError {
    let number = usize::try_from(row.unit).unwrap_or(usize::MAX);
    let unit = line.index.units().get(number).map(|unit| unit.path.clone()).unwrap_or_default();
    let path = if unit.is_empty() { line.index.text(row.text).unwrap_or_default() } else { unit };
    CallError::NotInTimeline { path }
}

/// Takes the records with these numbers.
struct Pick {
    ordinal: u32,
    left: usize,
    wanted: HashMap<u32, usize>,
    found: Vec<(usize, Record)>,
}

impl Intake for Pick {
    fn begin(&mut self, _: String) {}

    fn push(&mut self, record: Record) -> Flow {
        if let Some(slot) = self.wanted.get(&self.ordinal) {
            self.found.push((*slot, record));
            self.left = self.left.saturating_sub(1);
        }
        self.ordinal = self.ordinal.saturating_add(1);
        if self.left == 0 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }

    // What was met stands in the index.
    fn defect(&mut self, _: Defect) {}

    fn hidden(&mut self, _: Defect) {}

    fn gap(&mut self, _: Gap) {}

    fn note(&mut self, _: String) {}
}
