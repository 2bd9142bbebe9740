//! The indexes that a call looks into, one for each place in scope, and what was met when they were built.

use super::asked::Asked;
use crate::catalogue::Call;
use crate::decode::DECODERS;
use crate::error::CallError;
use crate::hive_file;
use crate::key_lookup::{Lookup, look_up};
use crate::place::Place;
use crate::returned::chain;
use crate::survey::Ground;
use crate::time_index::{TimeIndex, Unit, assemble};
use crate::units::Origin;
use evidence::{EvidencePath, NodeKind, NodeState};
use ledger::{Defect, Gap};
use serde_json::{Value, json};
use std::collections::{BTreeSet, HashMap};

/// What one place in scope holds.
pub(crate) struct Line<'a, 'p> {
    pub(crate) place: &'p Place<'a>,
    pub(crate) index: TimeIndex,
    /// Of each unit how it is decoded, where it is asked for.
    pub(crate) wanted: Vec<Option<Origin>>,
    /// Of hives the path of the key that is asked for.
    pub(crate) keys: HashMap<u32, String>,
}

/// All of a call.
pub(crate) struct Lines<'a, 'p> {
    pub(crate) lines: Vec<Line<'a, 'p>>,
    /// Records whose times name no instant.
    pub(crate) timeless: u64,
    pub(crate) normalised: Vec<(&'static str, Value)>,
    pub(crate) defects: Vec<Defect>,
    pub(crate) gaps: Vec<Gap>,
    pub(crate) notes: Vec<String>,
}

impl<'a, 'p> Lines<'a, 'p> {
    /// Opens or makes the indexes.
    pub(crate) fn open(call: &Call<'a>, asked: &'p Asked<'a>) -> Result<Lines<'a, 'p>, CallError> {
        let mut lines = Vec::new();
        for place in &asked.scope.places {
            lines.push(line(call, asked, place)?);
        }
        let (defects, gaps, notes) = (Vec::new(), Vec::new(), Vec::new());
        let normalised = asked.scope.normalised();
        let mut all = Lines { lines, timeless: 0, normalised, defects, gaps, notes };
        if asked.one_hive
            && let [place] = asked.scope.places.as_slice()
        {
            let (hive, label) = (place.node.path.as_str(), place.tree.label());
            all.normalised = vec![("hive", json!(hive)), ("evidence", json!(label))];
        }
        all.remarks();
        if let Some(key) = &asked.key {
            all.narrow(key, asked.one_hive)?;
        }
        Ok(all)
    }

    /// Collects what was met in what is asked for, each once.
    fn remarks(&mut self) {
        let (mut defects, mut gaps, mut notes) = (BTreeSet::new(), BTreeSet::new(), BTreeSet::new());
        for line in &self.lines {
            for (unit, origin) in line.index.units().iter().zip(&line.wanted) {
                let Some(origin) = origin else { continue };
                self.timeless = self.timeless.saturating_add(unit.timeless);
                // What a search met is told by its own place.
                let all = !origin.is_search();
                defects.extend(unit.defects.iter().filter(|one| all || line.holds(&one.path)).cloned());
                gaps.extend(unit.gaps.iter().filter(|one| all || line.holds(&one.path)).cloned());
                notes.extend(unit.notes.iter().cloned());
                gaps.extend(line.left_out(unit));
            }
        }
        self.defects.extend(defects);
        self.gaps.extend(gaps);
        self.notes.extend(notes);
    }

    /// Finds the key in each hive; fails where no hive can hold it, for then nothing was looked through.
    fn narrow(&mut self, key: &str, one: bool) -> Result<(), CallError> {
        let (mut foreign, mut looked, mut shown) = (false, false, Vec::new());
        for line in &mut self.lines {
            for (number, wanted) in (0u32..).zip(&mut line.wanted) {
                let unit = usize::try_from(number).ok().and_then(|number| line.index.units().get(number));
                let (Some(Origin::Keys), Some(unit)) = (*wanted, unit) else { continue };
                shown.push(format!("{} of {}", unit.path, line.place.tree.label()));
                match find(line.place, unit, key) {
                    Ok(Found { there, used, notes }) => {
                        looked = true;
                        self.notes.extend(notes.into_iter().filter(|_| there || one));
                        if one {
                            self.normalised.push(("key", json!(used)));
                        }
                        if there {
                            line.keys.insert(number, used);
                        } else {
                            *wanted = None;
                        }
                    }
                    Err(error) if one => return Err(error),
                    Err(error) => {
                        *wanted = None;
                        match error {
                            CallError::ForeignKey { .. } => foreign = true,
                            error => {
                                self.gaps.push(Gap { path: unit.path.clone(), reason: chain(&error) });
                            }
                        }
                    }
                }
            }
        }
        if looked || !foreign {
            return Ok(());
        }
        Err(CallError::Nowhere { argument: "key".to_owned(), asked: key.to_owned(), looked: shown })
    }
}

struct Found {
    there: bool,
    used: String,
    notes: Vec<String>,
}

fn find(place: &Place<'_>, unit: &Unit, key: &str) -> Result<Found, CallError> {
    let path = EvidencePath::parse(&unit.path).map_err(CallError::Path)?;
    let missing = || CallError::NotInTimeline { path: unit.path.clone() };
    let node = if place.node.path == path { Some(place.node.clone()) } else { place.tree.node(&path)? };
    let node = node.ok_or_else(missing)?;
    let bytes = hive_file::bytes(place.tree, &node)?;
    let hive = hive_file::open(&node, &bytes)?;
    let Lookup { key, used, notes } = look_up(&hive, &node, key)?;
    Ok(Found { there: key.is_some(), used, notes })
}

fn line<'a, 'p>(
    call: &Call<'a>,
    asked: &'p Asked<'a>,
    place: &'p Place<'a>,
) -> Result<Line<'a, 'p>, CallError> {
    if place.node.kind == NodeKind::Directory {
        // A start that cannot be read fails the call; inside a walk it would only be a gap.
        place.tree.children(&place.node)?;
    }
    let kept = call.timelines.get(place.tree.label());
    if let Some(path) = kept.filter(|_| !asked.copied && !asked.one_hive && is_walked(place)) {
        return Ok(of_index(TimeIndex::open(path)?, asked, place));
    }
    let ground = Ground {
        tree: place.tree,
        start: place.node.clone(),
        names: call.indexes,
        decoders: DECODERS.iter().collect(),
        scratch: call.scratch,
    };
    let index = assemble(ground, asked.copied, &|origin| asked.sources.want(origin))?;
    Ok(of_index(index, asked, place))
}

/// Whether a walk from the root comes to the place: deleted entries are below folders that no walk meets.
fn is_walked(place: &Place<'_>) -> bool {
    match place.node.state {
        NodeState::Allocated => !place.node.path.components().any(|name| name.starts_with("$Deleted")),
        NodeState::Deleted | NodeState::Renamed => false,
    }
}

fn of_index<'a, 'p>(index: TimeIndex, asked: &Asked<'_>, place: &'p Place<'a>) -> Line<'a, 'p> {
    let mut line = Line { place, index, wanted: Vec::new(), keys: HashMap::new() };
    let wanted = |unit: &Unit| {
        let origin = unit.origin().filter(|origin| asked.sources.want(*origin))?;
        Some(origin).filter(|origin| origin.is_search() || line.holds(&unit.path))
    };
    line.wanted = line.index.units().iter().map(wanted).collect();
    line
}

impl Line<'_, '_> {
    /// Whether a path is the place or lies below it.
    pub(crate) fn holds(&self, path: &str) -> bool {
        let start = self.place.node.path.as_str();
        start.is_empty()
            || path.strip_prefix(start).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    }

    /// Whether an entry is the file that was asked for, or lies below the folder.
    pub(crate) fn has_entry(&self, path: &str) -> bool {
        let is_start = path == self.place.node.path.as_str();
        self.holds(path) && !(is_start && self.place.node.kind == NodeKind::Directory)
    }

    fn left_out(&self, unit: &Unit) -> Option<Gap> {
        let label = self.place.tree.label();
        let path = self.place.node.path.as_str().to_owned();
        let reason = format!(
            "files and folders of {label} left out: their times are those of a copied folder and date no event; \"copied_times\" gives them"
        );
        unit.copied.then_some(Gap { path, reason })
    }
}
