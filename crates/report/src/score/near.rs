//! What stands nearest to a fact that was missed.

use super::Recorded;
use super::same::Sought;
use graph::fact_title;
use ledger::FactId;

/// The recorded fact that comes nearest to one that was missed.
#[derive(Debug, Clone, PartialEq)]
pub struct Nearest {
    /// The fact.
    pub fact: FactId,
    /// What it says.
    pub title: String,
    /// In which way it is near.
    pub how: Nearness,
}

/// In which way a recorded fact is near.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Nearness {
    /// It carries some of the values.
    Carries {
        /// How many.
        values: usize,
        /// Of how many.
        of: usize,
        /// The others.
        lacks: Vec<String>,
    },
    /// It carries all of them, but stands elsewhere than `artifact` says, and the values are too common to say more.
    Elsewhere,
    /// One of its values is much like one that was looked for.
    Alike {
        /// What was looked for.
        wanted: String,
        /// The field.
        field: String,
        /// What stands there.
        stands: String,
    },
}

/// The nearest of `recorded`; which one it is does not depend on their order.
pub(crate) fn nearest(
    sought: &[Sought],
    recorded: &[Recorded<'_>],
    tolerance: i128,
    weak: bool,
) -> Option<Nearest> {
    // Common values stand everywhere: that some do says nothing.
    let carried = |fact: &Recorded<'_>| {
        let carries = |value: &&Sought| fact.held.iter().any(|held| value.is(held, tolerance));
        let of: Vec<_> = sought.iter().filter(carries).collect();
        let says = if weak { of.len() == sought.len() } else { of.iter().any(|value| !value.weak) };
        says.then_some(of.len())
    };
    let best = recorded
        .iter()
        .filter_map(|fact| Some((carried(fact)?, fact)))
        .max_by(|(a, one), (b, other)| a.cmp(b).then_with(|| other.fact.id.cmp(&one.fact.id)));
    match best {
        Some((values, fact)) if values == sought.len() => Some(near(fact, Nearness::Elsewhere)),
        Some((values, fact)) => {
            let lacks = |value: &&Sought| !fact.held.iter().any(|held| value.is(held, tolerance));
            let lacks = sought.iter().filter(lacks).map(|value| value.text.clone()).collect();
            Some(near(fact, Nearness::Carries { values, of: sought.len(), lacks }))
        }
        None => alike(sought, recorded),
    }
}

fn alike(sought: &[Sought], recorded: &[Recorded<'_>]) -> Option<Nearest> {
    let pairs = sought.iter().flat_map(|wanted| {
        let of_fact = move |fact: &'_ Recorded<'_>| {
            let best = fact.held.iter().filter_map(|held| Some((wanted.nearness(held)?, held)));
            best.max_by(|(a, _), (b, _)| a.total_cmp(b))
                .map(|(likeness, held)| (likeness, held.field.to_owned(), held.text.clone()))
        };
        recorded.iter().filter_map(move |fact| {
            let (likeness, field, stands) = of_fact(fact)?;
            Some((likeness, fact, Nearness::Alike { wanted: wanted.text.clone(), field, stands }))
        })
    });
    let best = pairs
        .max_by(|(a, one, _), (b, other, _)| a.total_cmp(b).then_with(|| other.fact.id.cmp(&one.fact.id)))?;
    Some(near(best.1, best.2))
}

fn near(fact: &Recorded<'_>, how: Nearness) -> Nearest {
    Nearest { fact: fact.fact.id, title: fact_title(fact.fact), how }
}
