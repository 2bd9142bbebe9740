//! The tables that a call reads, for each place in scope, and what was met when they were made.

use super::asked::Asked;
use crate::catalogue::Call;
use crate::error::{CallError, NO_TIMES};
use crate::hive_file;
use crate::intake::{Flow, Intake};
use crate::key_lookup::{Lookup, Sought, is_nowhere, look_up};
use crate::place::Place;
use crate::records::is_timeless;
use crate::returned::{Return, chain};
use crate::tables::{Kept, Source, Times, TimesOf, of_place};
use crate::units::{Origin, sources};
use evidence::{EvidencePath, Node, NodeKind};
use ledger::pattern::fold;
use ledger::{Clock, Defect, Gap, Record};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::ops::ControlFlow;
use std::rc::Rc;

/// The sources of one group of tables at one place.
pub(crate) struct Line<'a, 'p> {
    pub(crate) place: &'p Place<'a>,
    pub(crate) kept: Rc<Kept>,
    /// For each source, what is asked of it.
    pub(crate) wanted: Vec<Option<Wanted>>,
}

/// A source that is asked for.
pub(crate) struct Wanted {
    pub(crate) origin: Origin,
    /// Its position among all sources: records with the same time are in this order.
    pub(crate) rank: usize,
    /// For a hive, the key that is asked for.
    key: Option<String>,
    /// Whether its path contains the text that is asked for.
    named: bool,
}

/// All lines of a call.
pub(crate) struct Lines<'a, 'p> {
    pub(crate) lines: Vec<Line<'a, 'p>>,
    /// How many records have only times without an instant.
    pub(crate) timeless: u64,
    pub(crate) normalised: Vec<(&'static str, Value)>,
    pub(crate) met: Met,
}

/// What was met in the sources, each once.
#[derive(Default)]
pub(crate) struct Met {
    pub(crate) defects: BTreeSet<Defect>,
    pub(crate) gaps: BTreeSet<Gap>,
    pub(crate) notes: BTreeSet<String>,
}

impl Met {
    pub(crate) fn tell(self, returned: &mut Return) {
        returned.defects.extend(self.defects);
        returned.gaps.extend(self.gaps);
        returned.notes.extend(self.notes);
    }
}

impl<'a, 'p> Lines<'a, 'p> {
    /// Opens or makes the tables.
    pub(crate) fn open(call: &Call<'a>, asked: &'p Asked<'a>) -> Result<Lines<'a, 'p>, CallError> {
        let mut lines = Vec::new();
        for place in &asked.scope.places {
            if place.node.kind == NodeKind::Directory {
                // A start that cannot be read fails the call; inside a walk it would only be a gap.
                place.tree.children(&place.node)?;
            }
            for group in asked.sources.groups() {
                if let Some(kept) = of_place(call, place, group)? {
                    lines.push(Line::new(asked, place, kept));
                }
            }
        }
        rank(&mut lines);
        let normalised = asked.scope.normalised();
        let mut all = Lines { lines, timeless: 0, normalised, met: Met::default() };
        if asked.one_hive
            && let [place] = asked.scope.places.as_slice()
        {
            let (hive, label) = (place.node.path.as_str(), place.tree.label());
            all.normalised = vec![("hive", json!(hive)), ("evidence", json!(label))];
        }
        all.remarks(asked);
        all.tell_missing(asked);
        if let Some(key) = &asked.key {
            all.narrow(key, asked.one_hive)?;
        }
        Ok(all)
    }

    fn remarks(&mut self, asked: &Asked<'_>) {
        for line in &self.lines {
            for (source, wanted) in line.kept.sources().iter().zip(&line.wanted) {
                let Some(Wanted { origin, .. }) = wanted else { continue };
                self.timeless = self.timeless.saturating_add(source.timeless);
                // A search tells of paths anywhere; only what it tells of paths below this place is kept.
                let below = origin.is_search().then_some(line.place);
                source.tell(&mut Remarks { met: &mut self.met, below });
                let is_entries = matches!(origin, Origin::Entries);
                // If a folder is a copy, so is what is in it.
                if !asked.copied && (source.copied || is_entries && is_copied_folder(&line.place.node)) {
                    self.met.gaps.insert(left_out(line.place));
                }
            }
        }
    }

    /// Reports which of the named sources are not in the evidence.
    fn tell_missing(&mut self, asked: &Asked<'_>) {
        let read: BTreeSet<_> = self
            .lines
            .iter()
            .flat_map(|line| &line.wanted)
            .filter_map(|wanted| wanted.as_ref().map(|wanted| wanted.origin.source()))
            .collect();
        let mut missing: Vec<_> = asked.sources.named().filter(|name| !read.contains(name)).collect();
        let timeless: Vec<_> = missing.extract_if(.., |name| is_timeless(name)).collect();
        if !timeless.is_empty() {
            let timeless = timeless.join(", ");
            self.met.notes.insert(format!("records of {timeless}{NO_TIMES}"));
        }
        if !missing.is_empty() {
            let missing = missing.join(", ");
            self.met
                .notes
                .insert(format!("no file or hive of {missing} was found, so that nothing can be said of it"));
        }
    }

    /// Finds the key in each hive.
    /// Fails if no hive can have it, or if none has it and all could be read, because then nothing was searched.
    fn narrow(&mut self, key: &str, one: bool) -> Result<(), CallError> {
        let (mut sought, mut shown) = (Vec::new(), Vec::new());
        for line in &mut self.lines {
            for (source, slot) in line.kept.sources().iter().zip(&mut line.wanted) {
                let Some(wanted) = slot.as_mut().filter(|wanted| matches!(wanted.origin, Origin::Keys))
                else {
                    continue;
                };
                shown.push(format!("{} of {}", source.path, line.place.tree.label()));
                match find(line.place, source, key) {
                    Ok(Found { there, used, notes }) => {
                        sought.push(if there { Sought::There } else { Sought::Absent });
                        self.met.notes.extend(notes.into_iter().filter(|_| there || one));
                        if one {
                            self.normalised.push(("key", json!(used)));
                        }
                        wanted.key = Some(used);
                        if !there {
                            *slot = None;
                        }
                    }
                    Err(error) if one => return Err(error),
                    Err(CallError::ForeignKey { .. }) => {
                        *slot = None;
                        sought.push(Sought::Foreign);
                    }
                    Err(error) => {
                        *slot = None;
                        sought.push(Sought::Unread);
                        let (path, reason) = (source.path.clone(), chain(&error));
                        self.met.gaps.insert(Gap { path, reason });
                    }
                }
            }
        }
        if !is_nowhere(&sought) {
            return Ok(());
        }
        Err(CallError::Nowhere { argument: "key".to_owned(), asked: key.to_owned(), looked: shown })
    }
}

impl<'a, 'p> Line<'a, 'p> {
    fn new(asked: &Asked<'_>, place: &'p Place<'a>, kept: Rc<Kept>) -> Line<'a, 'p> {
        let wanted = |source: &Source| {
            let origin = Origin::named(&source.origin).filter(|origin| is_asked(asked, *origin))?;
            let named = asked.text.as_ref().filter(|_| matches!(origin, Origin::Decoder(_)));
            let named = named.is_some_and(|text| fold(&source.path).contains(text));
            let is_here = origin.is_search() || holds(place, &source.path);
            is_here.then_some(Wanted { origin, rank: 0, key: None, named })
        };
        let wanted = kept.sources().iter().map(wanted).collect();
        Line { place, kept, wanted }
    }

    /// Shows the rows that are asked for, with their sources, until told to stop.
    pub(crate) fn scan(
        &self,
        asked: &Asked<'_>,
        mut show: impl FnMut(&Times<'_>, &Wanted) -> Flow,
    ) -> Result<(), CallError> {
        let of = TimesOf {
            from: asked.span.from,
            to: asked.span.to,
            copied: asked.copied,
            counts: &|kind, field| asked.counts(kind, field),
            subjects: asked.text.is_some() || asked.key.is_some() || asked.folds,
            kinds: asked.folds,
            excluded: &asked.excluded,
            wants: &|source| self.wanted(source).is_some(),
        };
        self.kept.times(&of, |times| {
            let Some(wanted) = self.wanted(times.source) else { return Ok(ControlFlow::Continue(())) };
            let is_wanted = self.is_here(wanted, &times) && says(asked, wanted, &times);
            Ok(if is_wanted { show(&times, wanted) } else { ControlFlow::Continue(()) })
        })
    }

    fn wanted(&self, source: usize) -> Option<&Wanted> {
        self.wanted.get(source)?.as_ref()
    }

    /// Checks whether a row is where it is asked for: an entry below the folder, a key below the key.
    fn is_here(&self, wanted: &Wanted, times: &Times<'_>) -> bool {
        match (wanted.origin, &wanted.key) {
            (Origin::Entries, _) => {
                let node = &self.place.node;
                let is_start = times.path == node.path.as_str();
                holds(self.place, times.path) && !(is_start && node.kind == NodeKind::Directory)
            }
            (Origin::Keys, Some(key)) => in_key(&times.subject, key),
            (
                Origin::Keys
                | Origin::Values
                | Origin::Artifact(_)
                | Origin::Decoder(_)
                | Origin::Log(_)
                | Origin::Names
                | Origin::Hives
                | Origin::Files,
                _,
            ) => true,
        }
    }
}

/// Checks whether a source is asked for. What prevented reading a hive is stored with its keys, so keys count if any hive source does.
fn is_asked(asked: &Asked<'_>, origin: Origin) -> bool {
    asked.sources.want(if matches!(origin, Origin::Keys) { Origin::Hives } else { origin })
}

/// Checks whether the subject of a row, or the path of its file, contains the text that is asked for.
fn says(asked: &Asked<'_>, wanted: &Wanted, times: &Times<'_>) -> bool {
    asked.text.as_ref().is_none_or(|text| wanted.named || fold(&times.subject).contains(text))
}

/// Orders the sources: entries of folders, hives, files; each by evidence, path and decoder.
fn rank(lines: &mut [Line<'_, '_>]) {
    let order: Vec<String> = sources().map(Origin::stored).collect();
    let mut all = Vec::new();
    for (number, line) in lines.iter().enumerate() {
        let evidence = lines.iter().position(|other| std::ptr::eq(other.place, line.place));
        for (place, source) in line.kept.sources().iter().enumerate() {
            let Some(Wanted { origin, .. }) = line.wanted(place) else { continue };
            let class = match origin {
                Origin::Entries => 0,
                Origin::Keys | Origin::Artifact(_) => 1,
                Origin::Decoder(_)
                | Origin::Values
                | Origin::Log(_)
                | Origin::Names
                | Origin::Hives
                | Origin::Files => 2,
            };
            let decoder = order.iter().position(|stored| *stored == source.origin);
            let of_file = (source.path.clone(), source.stream.clone(), decoder);
            all.push((evidence, class, of_file, number, place));
        }
    }
    all.sort();
    for (rank, (.., number, place)) in all.into_iter().enumerate() {
        let slot = lines.get_mut(number).and_then(|line| line.wanted.get_mut(place)?.as_mut());
        slot.into_iter().for_each(|wanted| wanted.rank = rank);
    }
}

struct Found {
    there: bool,
    used: String,
    notes: Vec<String>,
}

fn find(place: &Place<'_>, source: &Source, key: &str) -> Result<Found, CallError> {
    let path = EvidencePath::parse(&source.path).map_err(CallError::Path)?;
    let node = if place.node.path == path { Some(place.node.clone()) } else { place.tree.node(&path)? };
    let node = node.ok_or_else(|| CallError::Gone { path: source.path.clone() })?;
    let bytes = hive_file::bytes(place.tree, &node)?;
    let hive = hive_file::open(&node, &bytes)?;
    let Lookup { key, used, notes } = look_up(&hive, &node, key)?;
    Ok(Found { there: key.is_some(), used, notes })
}

/// Checks whether a path is the place or below it.
fn holds(place: &Place<'_>, path: &str) -> bool {
    let start = place.node.path.as_str();
    start.is_empty() || path.strip_prefix(start).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// Checks whether a key is `start` or below it; the root is written `\`.
fn in_key(path: &str, start: &str) -> bool {
    let path = if path == "\\" { "" } else { path };
    start.is_empty() || path.strip_prefix(start).is_some_and(|rest| rest.is_empty() || rest.starts_with('\\'))
}

fn is_copied_folder(start: &Node) -> bool {
    let modified = start.times.modified.as_ref();
    start.kind == NodeKind::Directory && modified.is_some_and(|time| time.clock == Clock::CollectionCopy)
}

fn left_out(place: &Place<'_>) -> Gap {
    let label = place.tree.label();
    let reason = format!(
        "files and folders of {label} left out: their times are those of a copied folder and date no event; timeline gives them with \"copied_times\""
    );
    Gap { path: place.node.path.as_str().to_owned(), reason }
}

/// An intake that collects what was met in a source, if it is below a place.
struct Remarks<'m, 'a, 'p> {
    met: &'m mut Met,
    below: Option<&'p Place<'a>>,
}

impl Remarks<'_, '_, '_> {
    fn is_here(&self, path: &str) -> bool {
        self.below.is_none_or(|place| holds(place, path))
    }
}

impl Intake for Remarks<'_, '_, '_> {
    fn begin(&mut self, _: String) {}

    fn push(&mut self, _: Record) -> Flow {
        ControlFlow::Continue(())
    }

    fn defect(&mut self, defect: Defect) {
        if self.is_here(&defect.path) {
            self.met.defects.insert(defect);
        }
    }

    fn hidden(&mut self, defect: Defect) {
        self.defect(defect);
    }

    fn gap(&mut self, gap: Gap) {
        if self.is_here(&gap.path) {
            self.met.gaps.insert(gap);
        }
    }

    fn note(&mut self, note: String) {
        self.met.notes.insert(note);
    }
}
