//! The ordinals from which ids are made, and the places to which they were given.
//!
//! A task counts each kind from 0.
//! If a task runs again under other rules, the same place gets the same id:
//! replies cite ids, and would otherwise cite something else after any additional or missing call.

use ledger::CallId;
use std::collections::BTreeMap;

/// The kinds of things that are counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Kind {
    Invocation,
    /// A claim with its fact, absence or derivation.
    Claim,
    Phenomenon,
    Entity,
    Relation,
    Hypothesis,
    Artifact,
}

/// The `nth` thing of a kind that a call of a turn produced.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Place {
    kind: Kind,
    turn: u32,
    call: CallId,
    nth: u32,
}

/// The ids that a task assigned, by place.
#[derive(Debug, Clone, Default)]
pub struct GivenIds {
    given: BTreeMap<Place, u32>,
    next: BTreeMap<Kind, u32>,
}

/// The counters of a task.
#[derive(Debug, Default)]
pub(crate) struct Ordinals {
    own: GivenIds,
    /// The ordinals of the places in the earlier run of the task.
    before: BTreeMap<Place, u32>,
}

impl Ordinals {
    /// Makes the counters of a task that runs again: earlier places keep their ordinals, others get new ones.
    pub(crate) fn again(before: GivenIds) -> Ordinals {
        let GivenIds { given, next } = before;
        Ordinals { own: GivenIds { given: BTreeMap::new(), next }, before: given }
    }

    pub(crate) fn given(&self) -> &GivenIds {
        &self.own
    }

    /// Returns the ordinal of the next thing of this kind that the call produces.
    pub(crate) fn take(&mut self, kind: Kind, turn: u32, call: &CallId) -> u32 {
        let place = |nth| Place { kind, turn, call: call.clone(), nth };
        let nth = self.own.given.range(place(0)..).take_while(|(at, _)| at.is_of(kind, turn, call)).count();
        let place = place(u32::try_from(nth).unwrap_or(u32::MAX));
        let ordinal = match self.before.get(&place) {
            Some(ordinal) => *ordinal,
            None => {
                let next = self.own.next.entry(kind).or_default();
                let ordinal = *next;
                *next += 1;
                ordinal
            }
        };
        self.own.given.insert(place, ordinal);
        ordinal
    }
}

impl Place {
    fn is_of(&self, kind: Kind, turn: u32, call: &CallId) -> bool {
        (self.kind, self.turn) == (kind, turn) && self.call == *call
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_kind_is_counted_from_zero() {
        let mut ordinals = Ordinals::default();
        let (a, b) = (CallId("a".into()), CallId("b".into()));
        let mut take = |kind, call| ordinals.take(kind, 1, call);
        assert_eq!([take(Kind::Claim, &a), take(Kind::Claim, &a), take(Kind::Claim, &b)], [0, 1, 2]);
        assert_eq!(take(Kind::Invocation, &b), 0);
    }

    #[test]
    fn lived_again_a_place_keeps_its_ordinal_and_a_new_place_gets_one_of_its_own() {
        let mut before = Ordinals::default();
        let [a, b, c] = ["a", "b", "c"].map(|name| CallId(name.into()));
        for call in [&a, &b, &b] {
            before.take(Kind::Claim, 2, call);
        }
        let mut again = Ordinals::again(before.given().clone());
        let mut take = |call| again.take(Kind::Claim, 2, call);
        // `a` produces nothing this time, and `c` does.
        assert_eq!([take(&b), take(&c), take(&b), take(&b)], [1, 3, 2, 4]);
    }
}
