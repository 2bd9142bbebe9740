//! Walks over every key of several hives, or of a part of them.

use crate::catalogue::Call;
use crate::error::CallError;
use crate::hive_file;
use crate::hive_state::{self, Loaded, Logs};
use crate::hives::Found;
use crate::key_lookup::{Lookup, Sought, is_nowhere, look_up};
use crate::place::{self, Place};
use crate::registry_records::Source;
use crate::remains;
use crate::returned::chain;
use crate::settle::MOST;
use artifacts::registry::{self, Hive, HiveType, Key, Value, identify};
use ledger::{Defect, Gap};
use serde_json::json;
use std::ops::ControlFlow;

/// The hives to search, and what was met besides their keys.
pub(crate) struct Scan<'a> {
    /// The hives, ordered by evidence and path.
    pub(crate) hives: Vec<Place<'a>>,
    /// Whether the call names one hive: then a failure to read it fails the call.
    one: bool,
    /// The key to search below, as it was asked for.
    key: Option<String>,
    /// The same key, in the spelling of the only hive.
    used: Option<String>,
    logs: Logs,
    pub(crate) defects: Vec<Defect>,
    pub(crate) gaps: Vec<Gap>,
    pub(crate) notes: Vec<String>,
}

/// One key in scope.
pub(crate) struct Met<'s, 'h> {
    pub(crate) source: &'s Source<'s>,
    pub(crate) hive_type: HiveType,
    pub(crate) key: &'s Key<'h>,
    pub(crate) values: &'s [Value<'h>],
    /// Damage met at the key; what is taken out becomes damage of a record.
    pub(crate) defects: &'s mut Vec<registry::Defect>,
}

impl<'a> Scan<'a> {
    /// Finds the hives that the arguments `hive`, `key` and `evidence` name; without `hive`, all below the folder `under`.
    pub(crate) fn new(call: &Call<'a>, under: &str) -> Result<Scan<'a>, CallError> {
        let label = call.arguments.optional_text("evidence");
        let mut found = Found::default();
        let one = call.arguments.optional_text("hive");
        if let Some(hive) = one {
            found.files.push(remains::whole(place::find(call.trees, label, hive)?)?);
        } else {
            for place in place::under(call.trees, label, under)?.places {
                found.look(place.tree, &place.node, call.indexes)?;
            }
        }
        let Found { mut files, defects, gaps } = found;
        files.sort_by(|a, b| (a.tree.label(), &a.node.path).cmp(&(b.tree.label(), &b.node.path)));
        let key = call.arguments.optional_text("key").map(str::to_owned);
        let (logs, notes) = (Logs::of(call.arguments), Vec::new());
        Ok(Scan { hives: files, one: one.is_some(), key, used: None, logs, defects, gaps, notes })
    }

    /// Shows every key in scope once, hive by hive, with the number of the hive.
    ///
    /// Fails if no hive can have the key that is asked for, or if none has it and all could be read, because then nothing was searched.
    pub(crate) fn each(
        &mut self,
        mut show: impl FnMut(usize, Met<'_, '_>) -> ControlFlow<()>,
    ) -> Result<(), CallError> {
        let mut sought = Vec::new();
        for number in 0..self.hives.len() {
            match self.hive(number, &mut show) {
                Ok(Some(ControlFlow::Break(()))) => return Ok(()),
                Ok(Some(ControlFlow::Continue(()))) => sought.push(Sought::There),
                Ok(None) => sought.push(Sought::Absent),
                Err(error) if self.one => return Err(error),
                Err(CallError::ForeignKey { .. }) => sought.push(Sought::Foreign),
                Err(error) => {
                    sought.push(Sought::Unread);
                    let path = self.hives.get(number).map_or("", |place| place.node.path.as_str());
                    let reason = chain(&error);
                    self.gaps.push(Gap { path: path.to_owned(), reason });
                }
            }
        }
        if !is_nowhere(&sought) {
            return Ok(());
        }
        let shown = |place: &Place<'_>| format!("{} of {}", place.node.path, place.tree.label());
        Err(CallError::Nowhere {
            argument: "key".to_owned(),
            asked: self.key.clone().unwrap_or_default(),
            looked: self.hives.iter().map(shown).collect(),
        })
    }

    /// Shows the keys in scope of one hive; `None` if the key that is asked for is not in it.
    fn hive(
        &mut self,
        number: usize,
        show: &mut impl FnMut(usize, Met<'_, '_>) -> ControlFlow<()>,
    ) -> Result<Option<ControlFlow<()>>, CallError> {
        let Some(Place { tree, node }) = self.hives.get(number) else { return Ok(None) };
        let (tree, node) = (*tree, node.clone());
        let Loaded { bytes, state } = hive_state::load(tree, &node, self.logs)?;
        let hive = hive_file::open(&node, &bytes)?;
        let Lookup { key: start, used, notes } =
            look_up(&hive, &node, self.key.as_deref().unwrap_or_default())?;
        self.notes.extend(notes.into_iter().filter(|_| start.is_some() || self.one));
        self.defects.extend(hive_file::base_defects(&node.path, &hive));
        self.defects.extend(state.defects());
        self.gaps.extend(state.gaps());
        self.used = Some(used.clone());
        if start.is_none() {
            return Ok(None);
        }
        let source = Source { tree, node: &node, bytes: &bytes, state: &state };
        Ok(Some(self.walk(&hive, &source, &used, |met| show(number, met))))
    }

    fn walk(
        &mut self,
        hive: &Hive<'_>,
        source: &Source<'_>,
        start: &str,
        mut show: impl FnMut(Met<'_, '_>) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        let mut stopped = ControlFlow::Continue(());
        let hive_type = identify(hive);
        let summary = hive.walk(|visit| {
            if !lies_in(&visit.key.path, start) {
                return ControlFlow::Continue(());
            }
            let mut defects = visit.defects;
            let met =
                Met { source, hive_type, key: &visit.key, values: &visit.values, defects: &mut defects };
            stopped = show(met);
            let path = &source.node.path;
            let room = (MOST + 1).saturating_sub(self.defects.len());
            let words = |found| source.state.defect(hive_file::defect(path, found));
            self.defects.extend(defects.iter().take(room).map(words));
            stopped
        });
        if !summary.complete && stopped.is_continue() {
            let reason = "the hive was not read to its end: too much of it is damaged".to_owned();
            self.gaps.push(Gap { path: source.node.path.as_str().to_owned(), reason });
        }
        stopped
    }

    /// Checks whether there is a hive to scan.
    pub(crate) fn has_hives(&self) -> bool {
        !self.hives.is_empty()
    }

    /// Returns the arguments `hive`, `key` and `evidence` as they were used.
    pub(crate) fn normalised(&self) -> Vec<(&'static str, serde_json::Value)> {
        let mut used = Vec::new();
        if let (true, [place]) = (self.one, self.hives.as_slice()) {
            used.push(("hive", json!(place.node.path.as_str())));
            used.push(("evidence", json!(place.tree.label())));
            if self.key.is_some() {
                used.extend(self.used.as_ref().map(|key| ("key", json!(key))));
            }
        }
        used
    }
}

fn lies_in(path: &str, start: &str) -> bool {
    start.is_empty() || path.strip_prefix(start).is_some_and(|rest| rest.is_empty() || rest.starts_with('\\'))
}

/// The folder to search if a tool has no argument for one.
pub(crate) const EVERYWHERE: &str = "";
