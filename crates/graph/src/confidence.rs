//! How sure an answer is: derived from the facts that give it, never from an agent's own degree of belief.
//!
//! What is weighed, and what it does not mean, stands in `docs/confidence.md`.
//! A source is a file; what several facts of one file say counts once, as the strongest of them does.
//! Each source leaves a part of the doubt, a further one of the same kind a larger part; of what something speaks against, less than half is left.
//! Whole numbers only: replayed decisions rest on it.

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

/// How much of the doubt one source takes away that none but the system writes, that an administrator writes, that any user writes: in thousandths.
///
/// Their height is fitted to known cases (`docs/validation.md`), their order is not: none is more than moderate by itself.
const CARRIES: [u32; 3] = [700, 650, 600];

/// What is left in tenths where only words were quoted, where the agent had not been shown the record, and of a confidence when something speaks against it: any of them makes one source low.
const WEAKENED: u32 = 4;

/// How sure an answer is, in thousandths.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Confidence(u16);

impl Confidence {
    /// In thousandths, from 0 to 1000.
    pub const fn thousandths(self) -> u16 {
        self.0
    }

    /// The word for it.
    pub const fn level(self) -> Level {
        match self.0 {
            0 => Level::None,
            1..300 => Level::Low,
            300..750 => Level::Moderate,
            750..900 => Level::High,
            _ => Level::VeryHigh,
        }
    }

    /// What is left of it when so many things speak against it.
    fn against(self, against: usize) -> Confidence {
        // After ten of them nothing is left of 1000.
        let left = (0..against.min(10)).fold(u32::from(self.0), |left, _| left * WEAKENED / 10);
        Confidence(u16::try_from(left).unwrap_or(0))
    }
}

impl fmt::Display for Confidence {
    /// The word and the number, as in `moderate (450)`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({})", self.level().name(), self.0)
    }
}

/// A word for a confidence.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    /// 0: nothing says so.
    None,
    /// Below 300: one source, and it is weak or something speaks against it.
    Low,
    /// From 300: one source says so.
    Moderate,
    /// From 750: sources of two kinds say so.
    High,
    /// From 900: several do, or two that none but the system writes.
    VeryHigh,
}

impl Level {
    /// The word.
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

/// How sure an answer is that these facts give, and that so many nodes speak against.
///
/// It is the confidence in the thing that they support best: facts of other things are other answers, and bear nothing out.
pub fn confidence<'f>(facts: impl IntoIterator<Item = &'f FactEntry>, against: usize) -> Confidence {
    let facts: Vec<&FactEntry> = facts.into_iter().collect();
    corroborated(&facts, facts.iter().copied(), |_| 0).against(against)
}

/// The same, where facts that answer something else are known, too: those of `known` that name the same thing count besides.
///
/// `against` says how many nodes speak against a fact.
pub fn corroborated<'f>(
    answering: &[&'f FactEntry],
    known: impl IntoIterator<Item = &'f FactEntry>,
    against: impl Fn(&FactEntry) -> usize,
) -> Confidence {
    let things = Things::of(known);
    best(&things, answering, against)
}

/// The confidence in the best supported of the things that the facts name.
fn best(things: &Things<'_>, answering: &[&FactEntry], against: impl Fn(&FactEntry) -> usize) -> Confidence {
    let of = |fact: &&FactEntry| {
        let against = against(fact);
        things.supports(fact).into_iter().map(move |support| weighed(&support).against(against)).max()
    };
    answering.iter().filter_map(of).max().unwrap_or_default()
}

/// A fact that bears an answer out, and how far: as much as it carries, or half of it.
#[derive(Debug, Clone, Copy)]
struct Support<'f> {
    fact: &'f FactEntry,
    /// Whether it says the same of the same thing, not only something of a thing of this name.
    same: bool,
}

/// What these facts carry together.
fn weighed(support: &[Support<'_>]) -> Confidence {
    let mut sources: BTreeMap<Place<'_>, (SourceKind, u32)> = BTreeMap::new();
    for it in support {
        let carries = if it.same { carries(it.fact) } else { carries(it.fact) / 2 };
        let source = sources.entry(Place::of(it.fact)).or_insert((SourceKind::Other, 0));
        // A file has one kind, whatever record types tell of it.
        *source = (source.0.min(kind(it.fact)), source.1.max(carries));
    }
    let mut kinds: BTreeMap<SourceKind, Vec<u32>> = BTreeMap::new();
    for (kind, carries) in sources.into_values() {
        kinds.entry(kind).or_default().push(carries);
    }
    let mut doubt = 1000;
    for mut sources in kinds.into_values() {
        sources.sort_by_key(|carries| std::cmp::Reverse(*carries));
        // What one component writes twice says little more: half, a quarter, and so on.
        for (before, carries) in (0u32..31).zip(sources) {
            doubt = (doubt * (1000 - (carries >> before))).div_ceil(1000);
        }
    }
    Confidence(u16::try_from(1000 - doubt).unwrap_or(0))
}

/// The kind of a fact's source; of a file that stands elsewhere nothing says who wrote it.
fn kind(fact: &FactEntry) -> SourceKind {
    if tells_of_host(fact.placement) { SourceKind::of(&fact.kind) } else { SourceKind::Other }
}

/// How much of the doubt a fact takes away as the only one, in thousandths.
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
