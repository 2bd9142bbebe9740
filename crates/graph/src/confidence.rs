//! The confidence in an answer: derived from the facts behind it, never from an agent's own degree of belief.
//!
//! `docs/confidence.md` explains what is weighed and what the result does not mean.
//! A source is a file. Several facts from one file count once, with the strength of the strongest.
//! Each source leaves part of the doubt; a further source of the same kind leaves a larger part.
//! Each node that contradicts the answer leaves less than half of the confidence.
//! It uses whole numbers only, because replayed decisions depend on the result.

mod answer;
mod source;
mod thing;

pub use answer::{answer_confidences, objective_confidences};
pub use source::SourceKind;

use ledger::placement::tells_of_host;
use ledger::{FactEntry, Tier, Writer};
use source::Place;
use std::collections::BTreeMap;
use std::fmt;
use thing::Things;
pub(crate) use thing::named_elsewhere;

/// The doubt that one source removes, in thousandths: written only by the system, by an administrator, or by any user.
///
/// The sizes are fitted to known cases (`docs/validation.md`); the order is not. No single source gives more than moderate confidence.
const CARRIES: [u32; 3] = [700, 650, 600];

/// How many tenths of a source's weight remain if only words were quoted or the agent had not been shown the record,
/// and how many tenths of a confidence remain for each contradiction. Any one of these makes a single source low.
const WEAKENED: u32 = 4;

/// The confidence in an answer, in thousandths.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Confidence(u16);

impl Confidence {
    /// Returns the confidence in thousandths, from 0 to 1000.
    pub const fn thousandths(self) -> u16 {
        self.0
    }

    /// Returns the word for it.
    pub const fn level(self) -> Level {
        match self.0 {
            0 => Level::None,
            1..300 => Level::Low,
            300..750 => Level::Moderate,
            750..900 => Level::High,
            _ => Level::VeryHigh,
        }
    }

    /// Returns what is left when this many nodes contradict it.
    fn against(self, against: usize) -> Confidence {
        // After ten of them, nothing is left of 1000.
        let left = (0..against.min(10)).fold(u32::from(self.0), |left, _| left * WEAKENED / 10);
        Confidence(u16::try_from(left).unwrap_or(0))
    }
}

impl fmt::Display for Confidence {
    /// Writes the word and the number, as in `moderate (450)`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({})", self.level().name(), self.0)
    }
}

/// A word for a confidence.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    /// 0: no fact supports it.
    None,
    /// Below 300: one source, which is weak or contradicted.
    Low,
    /// From 300: one source.
    Moderate,
    /// From 750: sources of two kinds.
    High,
    /// From 900: several sources, or two that only the system writes.
    VeryHigh,
}

impl Level {
    /// Returns the word.
    pub const fn name(self) -> &'static str {
        match self {
            Level::None => "none",
            Level::Low => "low",
            Level::Moderate => "moderate",
            Level::High => "high",
            Level::VeryHigh => "very high",
        }
    }
}

/// Returns the confidence in an answer based on these facts, given the number of nodes that contradict it.
///
/// It is the confidence in the entity that the facts support best: facts about other entities are other answers and add no support.
pub fn confidence<'f>(facts: impl IntoIterator<Item = &'f FactEntry>, against: usize) -> Confidence {
    let facts: Vec<&FactEntry> = facts.into_iter().collect();
    corroborated(&facts, facts.iter().copied(), |_| 0).against(against)
}

/// Returns the confidence in an answer if facts that answer something else are also known:
/// facts in `known` that name the same entity add support.
///
/// `against` returns how many nodes contradict a fact.
pub fn corroborated<'f>(
    answering: &[&'f FactEntry],
    known: impl IntoIterator<Item = &'f FactEntry>,
    against: impl Fn(&FactEntry) -> usize,
) -> Confidence {
    let things = Things::of(known);
    best(&things, answering, against)
}

/// Returns the confidence in the best supported of the entities that the facts name.
fn best(things: &Things<'_>, answering: &[&FactEntry], against: impl Fn(&FactEntry) -> usize) -> Confidence {
    let of = |fact: &&FactEntry| {
        let against = against(fact);
        things.supports(fact).into_iter().map(move |support| weighed(&support).against(against)).max()
    };
    answering.iter().filter_map(of).max().unwrap_or_default()
}

/// A fact that supports an answer, with its full weight or half of it.
#[derive(Debug, Clone, Copy)]
struct Support<'f> {
    fact: &'f FactEntry,
    /// Whether it says the same about the same entity, rather than just something about an entity of this name.
    same: bool,
}

/// Combines the weight of these facts.
fn weighed(support: &[Support<'_>]) -> Confidence {
    let mut sources: BTreeMap<Place<'_>, (SourceKind, u32)> = BTreeMap::new();
    for it in support {
        let carries = if it.same { carries(it.fact) } else { carries(it.fact) / 2 };
        let source = sources.entry(Place::of(it.fact)).or_insert((SourceKind::Other, 0));
        // A file has one kind, whichever record types come from it.
        *source = (source.0.min(kind(it.fact)), source.1.max(carries));
    }
    let mut kinds: BTreeMap<SourceKind, Vec<u32>> = BTreeMap::new();
    for (kind, carries) in sources.into_values() {
        kinds.entry(kind).or_default().push(carries);
    }
    let mut doubt = 1000;
    for mut sources in kinds.into_values() {
        sources.sort_by_key(|carries| std::cmp::Reverse(*carries));
        // A second source written by the same component adds little: half, then a quarter, and so on.
        for (before, carries) in (0u32..31).zip(sources) {
            doubt = (doubt * (1000 - (carries >> before))).div_ceil(1000);
        }
    }
    Confidence(u16::try_from(1000 - doubt).unwrap_or(0))
}

/// Returns the kind of a fact's source. If the file is not in its usual place, nothing shows who wrote it.
fn kind(fact: &FactEntry) -> SourceKind {
    if tells_of_host(fact.placement) { SourceKind::of(&fact.kind) } else { SourceKind::Other }
}

/// Returns the doubt that a fact removes on its own, in thousandths.
fn carries(fact: &FactEntry) -> u32 {
    let [system, administrator, any] = CARRIES;
    let written = match fact.writer().filter(|_| tells_of_host(fact.placement)) {
        Some(Writer::System | Writer::Acquisition) => system,
        Some(Writer::Administrator) => administrator,
        Some(Writer::AnyUser) | None => any,
    };
    let quoted = fact.values.iter().chain([&fact.subject]).any(|value| value.tier == Tier::Quoted);
    let weakened = |carries: u32, is: bool| if is { carries * WEAKENED / 10 } else { carries };
    weakened(weakened(written, quoted), !fact.shown)
}

#[cfg(test)]
mod tests;
