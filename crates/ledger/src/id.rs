//! Ids: the engine assigns them, never a model.
//!
//! A node's id is a prefix and eight hex digits.
//! The digits are a keyed permutation of (task, ordinal): see [`IdSpace`].

use crate::digest::Digest;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;
use thiserror::Error;

/// Why a text or number is not an id.
#[derive(Debug, Error, PartialEq, Eq)]
pub enum IdError {
    /// The text does not have the id's form.
    #[error("read an id: expected {expected}, found {found:?}")]
    Form {
        /// The form, such as `inv-` and 8 hex digits.
        expected: &'static str,
        /// The text that was given.
        found: String,
    },
    /// A run has at most 4,096 tasks, a task at most 1,048,576 ids of one kind.
    #[error("assign an id: task {task}, ordinal {ordinal} is outside the id space")]
    Exhausted {
        /// The number of the task.
        task: u16,
        /// The ordinal within the task.
        ordinal: u32,
    },
}

/// The secret-free seed of a run's ids: equal seeds and equal histories give equal ids.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Seed(pub Digest);

/// The ids of one run.
///
/// (task, ordinal) has 32 bits; four Feistel rounds with the run's seed as key permute them.
/// A permutation cannot collide, so no two nodes of a kind in one run share an id.
/// Still, an id tells a model nothing about its neighbours.
///
/// ```
/// use ledger::{Digest, IdSpace, InvocationId, Seed, TaskId};
///
/// # fn main() -> Result<(), ledger::IdError> {
/// let ids = IdSpace::new(Seed(Digest::of(b"case 17")));
/// let call = InvocationId::assign(&ids, TaskId(1), 0)?;
/// assert_eq!(call.to_string().parse(), Ok(call));
/// assert_eq!(call.place(&ids), (TaskId(1), 0));
/// assert!("inv-1".parse::<InvocationId>().is_err());
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone, Copy)]
pub struct IdSpace {
    seed: Seed,
}

const TASK_BITS: u32 = 12;
const ORDINAL_BITS: u32 = 20;

impl IdSpace {
    /// Returns the id space of the run with this seed.
    pub const fn new(seed: Seed) -> IdSpace {
        IdSpace { seed }
    }

    fn permute(&self, kind: &str, task: TaskId, ordinal: u32) -> Result<u32, IdError> {
        if u32::from(task.0) >= 1 << TASK_BITS || ordinal >= 1 << ORDINAL_BITS {
            return Err(IdError::Exhausted { task: task.0, ordinal });
        }
        let block = u32::from(task.0) << ORDINAL_BITS | ordinal;
        let (mut left, mut right) = ((block >> 16) as u16, block as u16);
        for round in 0..4 {
            (left, right) = (right, left ^ self.round(kind, round, right));
        }
        Ok(u32::from(left) << 16 | u32::from(right))
    }

    /// Returns the task and ordinal for these digits: the inverse permutation.
    fn locate(&self, kind: &str, digits: u32) -> (TaskId, u32) {
        let (mut left, mut right) = ((digits >> 16) as u16, digits as u16);
        for round in (0..4).rev() {
            (left, right) = (right ^ self.round(kind, round, left), left);
        }
        let block = u32::from(left) << 16 | u32::from(right);
        (TaskId((block >> ORDINAL_BITS) as u16), block & ((1 << ORDINAL_BITS) - 1))
    }

    fn round(&self, kind: &str, round: u8, half: u16) -> u16 {
        let key = Digest::of_parts(&[self.seed.0.as_bytes(), kind.as_bytes(), &[round], &half.to_le_bytes()]);
        let [a, b, ..] = *key.as_bytes();
        u16::from_le_bytes([a, b])
    }
}

macro_rules! node_id {
    ($(#[$doc:meta])* $name:ident, $prefix:literal) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(try_from = "String", into = "String")]
        pub struct $name(u32);

        impl $name {
            /// Returns the id of the `ordinal`th node of this kind in `task`.
            pub fn assign(space: &IdSpace, task: TaskId, ordinal: u32) -> Result<$name, IdError> {
                space.permute($prefix, task, ordinal).map($name)
            }

            /// Returns the task and ordinal to which [`Self::assign`] gives this id; an invented id has a place, too.
            pub fn place(self, space: &IdSpace) -> (TaskId, u32) {
                space.locate($prefix, self.0)
            }
        }

        impl FromStr for $name {
            type Err = IdError;
            fn from_str(text: &str) -> Result<$name, IdError> {
                parse_hex8(text, concat!($prefix, "-"))
                    .map($name)
                    .ok_or_else(|| IdError::Form {
                        expected: concat!("`", $prefix, "-` and 8 hex digits"),
                        found: text.to_owned(),
                    })
            }
        }

        impl TryFrom<String> for $name {
            type Error = IdError;
            fn try_from(text: String) -> Result<$name, IdError> {
                text.parse()
            }
        }

        impl From<$name> for String {
            fn from(id: $name) -> String {
                id.to_string()
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, concat!($prefix, "-{:08x}"), self.0)
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                fmt::Display::fmt(self, f)
            }
        }
    };
}

node_id!(
    /// One tool call and its outcome.
    InvocationId, "inv");
node_id!(
    /// A reading that the gateway has grounded.
    FactId, "fact");
node_id!(
    /// What an agent asked to have recorded.
    ClaimId, "claim");
node_id!(
    /// An observation with one or more facts.
    PhenomenonId, "phen");
node_id!(
    /// A negative finding that complete, empty searches cover.
    AbsenceId, "abs");
node_id!(
    /// A derivation: what facts say together.
    DerivationId, "der");
node_id!(
    /// An entity: a thing that facts name.
    EntityId, "ent");
node_id!(
    /// A relation that an agent stated between two nodes.
    RelationId, "rel");
node_id!(
    /// An explanation under test.
    HypothesisId, "hyp");
node_id!(
    /// A text that was stored for others.
    ArtifactId, "art");
node_id!(
    /// A sentence of the narrative.
    SentenceId, "sent");
node_id!(
    /// A statement of the story.
    StatementId, "stmt");

fn parse_hex8(text: &str, prefix: &str) -> Option<u32> {
    let digits = text.strip_prefix(prefix)?;
    let lower = digits.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'));
    (digits.len() == 8 && lower).then(|| u32::from_str_radix(digits, 16).ok()).flatten()
}

/// Parses a number as we write it: no sign, no leading zero.
fn decimal<T: FromStr>(text: &str, prefix: &str) -> Option<T> {
    let digits = text.strip_prefix(prefix)?;
    let plain = digits.bytes().all(|b| b.is_ascii_digit()) && (digits == "0" || !digits.starts_with('0'));
    digits.parse().ok().filter(|_| plain)
}

/// The number of a task in its run, from 1; 0 is the run itself.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct TaskId(pub u16);

impl fmt::Display for TaskId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "task-{}", self.0)
    }
}

impl fmt::Debug for TaskId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl FromStr for TaskId {
    type Err = IdError;
    fn from_str(text: &str) -> Result<TaskId, IdError> {
        let error = || IdError::Form { expected: "`task-` and a number", found: text.to_owned() };
        decimal(text, "task-").map(TaskId).ok_or_else(error)
    }
}

/// A record's position in its output, from 0; written `r0`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct RecordId(pub u32);

impl fmt::Display for RecordId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "r{}", self.0)
    }
}

impl fmt::Debug for RecordId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl FromStr for RecordId {
    type Err = IdError;
    fn from_str(text: &str) -> Result<RecordId, IdError> {
        let error = || IdError::Form { expected: "`r` and a number", found: text.to_owned() };
        decimal(text, "r").map(RecordId).ok_or_else(error)
    }
}

/// A model's own name for one of its calls, unique in a transcript; opaque to us.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct CallId(pub String);

/// The name of a run and of its folder: `<UTC time>-<case>`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct RunId(String);

impl RunId {
    /// Accepts a name of ASCII letters, digits, `-`, `_` and `.` that does not start with a dot.
    pub fn new(text: &str) -> Result<RunId, IdError> {
        let plain = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_' | b'.');
        if text.is_empty() || text.len() > 200 || text.starts_with('.') || !text.bytes().all(plain) {
            return Err(IdError::Form {
                expected: "up to 200 letters, digits, `-`, `_`, `.`",
                found: text.to_owned(),
            });
        }
        Ok(RunId(text.to_owned()))
    }

    /// Returns the name.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl TryFrom<String> for RunId {
    type Error = IdError;
    fn try_from(text: String) -> Result<RunId, IdError> {
        RunId::new(&text)
    }
}

impl From<RunId> for String {
    fn from(id: RunId) -> String {
        id.0
    }
}

impl fmt::Display for RunId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    fn space(seed: &[u8]) -> IdSpace {
        IdSpace::new(Seed(Digest::of(seed)))
    }

    #[test]
    fn twenty_thousand_ids_of_two_tasks_are_all_different() {
        let space = space(b"run");
        let ids: BTreeSet<_> = (0..10_000)
            .flat_map(|ordinal| {
                [TaskId(1), TaskId(2)].map(|task| InvocationId::assign(&space, task, ordinal).unwrap())
            })
            .collect();
        assert_eq!(ids.len(), 20_000);
    }

    #[test]
    fn an_ordinal_outside_the_id_space_is_refused() {
        let refused = InvocationId::assign(&space(b"run"), TaskId(1), 1 << ORDINAL_BITS);
        assert_eq!(refused, Err(IdError::Exhausted { task: 1, ordinal: 1 << ORDINAL_BITS }));
    }

    #[test]
    fn a_number_has_one_form() {
        assert_eq!("r10".parse(), Ok(RecordId(10)));
        assert_eq!("task-2".parse(), Ok(TaskId(2)));
        for text in ["r01", "r+1", "r-1", "r", "R1", "r1 ", "r4294967296"] {
            assert!(text.parse::<RecordId>().is_err(), "{text}");
        }
    }

    #[test]
    fn an_id_with_a_mistyped_letter_is_not_an_id() {
        assert!("inv-0000000g".parse::<InvocationId>().is_err());
        assert!("inv-0000000".parse::<InvocationId>().is_err());
        assert!("INV-00000000".parse::<InvocationId>().is_err());
        assert!("fact-00000000".parse::<InvocationId>().is_err());
    }

    proptest! {
        #[test]
        fn two_places_never_share_an_id(a in 0u32..1 << 20, b in 0u32..1 << 20, s in 0u16..4096, t in 0u16..4096) {
            let space = space(b"run");
            let first = InvocationId::assign(&space, TaskId(s), a).unwrap();
            let second = InvocationId::assign(&space, TaskId(t), b).unwrap();
            prop_assert_eq!(first == second, (s, a) == (t, b));
        }

        #[test]
        fn an_id_tells_its_place_to_whoever_knows_the_seed(ordinal in 0u32..1 << 20, task in 0u16..4096) {
            let space = space(b"x");
            let id = FactId::assign(&space, TaskId(task), ordinal).unwrap();
            prop_assert_eq!(id.place(&space), (TaskId(task), ordinal));
        }

        #[test]
        fn an_id_is_read_back_from_its_text(ordinal in 0u32..1 << 20) {
            let id = FactId::assign(&space(b"x"), TaskId(3), ordinal).unwrap();
            prop_assert_eq!(id.to_string().parse::<FactId>(), Ok(id));
        }
    }
}
