//! The rows of an index that a call asks for.

use super::asked::Asked;
use super::lines::Line;
use crate::error::CallError;
use crate::time_index::{LOCAL, Row, SEVERAL, Texts, TimeIndex, TimelineIndexError, Unit};
use crate::units::Origin;
use ledger::pattern::{fits, fold};
use std::collections::HashSet;
use std::ops::{ControlFlow, Range};

/// Steps of an hour.
const HOUR: i64 = 36_000_000_000;

/// How much earlier, and later, than it is read a local time can be: zones lie between 12 hours behind UTC and 14 hours ahead of it.
const LOCAL_REACH: (i64, i64) = (14 * HOUR, 12 * HOUR);

/// What was found: the first rows, one of each record, and how many records there are.
pub(crate) struct Rows {
    pub(crate) hits: Vec<Row>,
    pub(crate) met: u64,
}

/// The rows among which those of the span are.
pub(crate) fn in_span(index: &TimeIndex, asked: &Asked<'_>) -> Result<Range<u64>, TimelineIndexError> {
    let (earlier, later) = if index.has_local() { LOCAL_REACH } else { (0, 0) };
    let start = asked.from().map_or(Ok(0), |from| index.first_from(from.saturating_sub(later)))?;
    let end = match asked.to() {
        Some(to) => index.first_from(to.saturating_add(earlier).saturating_add(1))?,
        None => index.rows(),
    };
    Ok(start..end.max(start))
}

/// The first `most` records that are asked for, each at its earliest time in the span.
pub(super) fn select(line: &Line<'_, '_>, asked: &Asked<'_>, most: usize) -> Result<Rows, CallError> {
    let index = &line.index;
    let mut found = Rows { hits: Vec::new(), met: 0 };
    let fields: Vec<bool> = index.fields().iter().map(|name| is_field(asked, name)).collect();
    let mut texts = Judge::new(line, asked)?;
    let mut seen = HashSet::new();
    let mut failed = None;
    index.scan(in_span(index, asked)?, |row| {
        let known = |all: &[bool], number: usize| all.get(number).copied().unwrap_or(false);
        if !known(&fields, usize::from(row.field)) || !spans(asked, &row) {
            return ControlFlow::Continue(());
        }
        let number = usize::try_from(row.unit).unwrap_or(usize::MAX);
        let Some(Some(origin)) = line.wanted.get(number) else { return ControlFlow::Continue(()) };
        match texts.holds(line, asked, &row, *origin) {
            Ok(true) => {}
            Ok(false) => return ControlFlow::Continue(()),
            Err(error) => {
                failed = Some(error);
                return ControlFlow::Break(());
            }
        }
        if row.flags & SEVERAL != 0 && !seen.insert((row.unit, row.ordinal)) {
            return ControlFlow::Continue(());
        }
        found.met += 1;
        if found.hits.len() < most {
            found.hits.push(row);
        }
        ControlFlow::Continue(())
    })?;
    failed.map_or(Ok(found), |error: TimelineIndexError| Err(error.into()))
}

/// Whether the times of a field count: the pattern fits its name, or that with the record type.
pub(super) fn is_field(asked: &Asked<'_>, name: &str) -> bool {
    let Some(pattern) = &asked.field else { return true };
    let bare = name.split_once('.').map_or(name, |(_, field)| field);
    fits(pattern, bare) || fits(pattern, name)
}

fn spans(asked: &Asked<'_>, row: &Row) -> bool {
    let (earlier, later) = if row.flags & LOCAL != 0 { LOCAL_REACH } else { (0, 0) };
    asked.from().is_none_or(|from| from <= row.time.saturating_add(later))
        && asked.to().is_none_or(|to| row.time.saturating_sub(earlier) <= to)
}

/// Decides by the subjects of records, each text once.
struct Judge {
    texts: Option<Texts>,
    /// Of each text whether it contains the text that is asked for.
    contains: Vec<Option<bool>>,
    /// Of each unit whether its path does.
    paths: Vec<bool>,
    /// Whether entries must lie below a folder.
    below: bool,
}

impl Judge {
    fn new(line: &Line<'_, '_>, asked: &Asked<'_>) -> Result<Judge, CallError> {
        let below = !line.place.node.path.is_root();
        let needed = asked.text.is_some() || below || !line.keys.is_empty();
        let texts = if needed { Some(line.index.texts()?) } else { None };
        let contains = vec![None; texts.as_ref().map_or(0, Texts::count)];
        let path = |unit: &Unit| asked.text.as_ref().is_some_and(|text| fold(&unit.path).contains(text));
        let paths = line.index.units().iter().map(path).collect();
        Ok(Judge { texts, contains, paths, below })
    }

    fn holds(
        &mut self,
        line: &Line<'_, '_>,
        asked: &Asked<'_>,
        row: &Row,
        origin: Origin,
    ) -> Result<bool, TimelineIndexError> {
        let Some(texts) = &self.texts else { return Ok(true) };
        let subject = texts.get(row.text)?;
        let placed = match origin {
            Origin::Entries => !self.below || line.has_entry(subject),
            Origin::Keys => line.keys.get(&row.unit).is_none_or(|key| in_key(subject, key)),
            Origin::Artifact(_) | Origin::Decoder(_) => true,
            Origin::Values | Origin::Names | Origin::Hives | Origin::Files => false,
        };
        let Some(text) = asked.text.as_ref().filter(|_| placed) else { return Ok(placed) };
        let unit = usize::try_from(row.unit).unwrap_or(usize::MAX);
        if matches!(origin, Origin::Decoder(_)) && self.paths.get(unit).copied().unwrap_or(false) {
            return Ok(true);
        }
        let slot = usize::try_from(row.text).ok().and_then(|number| self.contains.get_mut(number));
        let Some(slot) = slot else { return Ok(false) };
        Ok(*slot.get_or_insert_with(|| fold(subject).contains(text)))
    }
}

/// Whether a key is the one at `start` or lies below it; the root is written `\`.
pub(super) fn in_key(path: &str, start: &str) -> bool {
    let path = if path == "\\" { "" } else { path };
    start.is_empty() || path.strip_prefix(start).is_some_and(|rest| rest.is_empty() || rest.starts_with('\\'))
}
