//! Finds the recorded fact nearest to a missed one.

use super::Recorded;
use super::same::Sought;
use graph::fact_title;
use ledger::FactId;

/// The recorded fact that comes nearest to a missed one.
#[derive(Debug, Clone, PartialEq)]
pub struct Nearest {
    /// The fact.
    pub fact: FactId,
    /// What it says.
    pub title: String,
    /// The way in which it is near.
    pub how: Nearness,
}

/// The way in which a recorded fact is near.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Nearness {
    /// It carries some of the values.
    Carries {
        /// The number of values that it carries.
        values: usize,
        /// The total number of values.
        of: usize,
        /// The missing values.
        lacks: Vec<String>,
    },
    /// It carries all of them, but is not located where `artifact` says, and the values are too common to be enough.
    Elsewhere,
    /// One of its values is similar to one that was looked for.
    Alike {
        /// The value that was looked for.
        wanted: String,
        /// The field of the similar value.
        field: String,
        /// The similar value.
        stands: String,
    },
}

/// Returns the nearest of `recorded`, independently of their order.
pub(crate) fn nearest(
    sought: &[Sought],
    recorded: &[Recorded<'_>],
    tolerance: i128,
    weak: bool,
) -> Option<Nearest> {
    // Common values occur everywhere, so some of them alone prove nothing.
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
