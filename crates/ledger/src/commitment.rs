//! Commitments: what a report shows of a fact can be checked, and what it withholds cannot be exchanged.
//!
//! A fact is split into members ([`members`]): its subject, each of its values, its place in the evidence, its place in the stored output.
//! Each member is committed to with its own salt. The fact's hash covers what is always shown of it (the skeleton) and these
//! commitments. A run's root covers the hashes of all its facts.
//! Anyone who has a member and its salt can compute its commitment.
//! Anyone who has only the commitment can try values only if the salt can be guessed, too.
//! Salts are derived from a key that is a digest of the run's whole log ([`KeyMaker`]):
//! anyone with the run folder can compute all of them, a reader of a report none.
//! Reasons and alternatives: `docs/decisions/0028-redaction.md`.

mod tree;

use crate::canonical::{self, CanonicalError};
use crate::chain::Link;
use crate::digest::Digest;
use crate::fact::{BoundValue, FactEntry};
use crate::id::FactId;
use crate::locator::ByteSpan;
use hmac::{Hmac, KeyInit, Mac};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use thiserror::Error;

pub use tree::root;

/// The name of this commitment scheme; another scheme has another name.
pub const SCHEME: &str = "locard-facts-1";

/// The member with the record's place in the evidence.
pub const LOCATOR: &str = "locator";

/// The member with the stored output that holds the values, and their places in it.
pub const STORED: &str = "stored";

/// The key from which the salts of a run are made. It is never in a report.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct RunKey([u8; 32]);

/// The key from which the salts of one fact are made: it opens the whole fact, and no other fact.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct FactKey(Digest);

impl fmt::Debug for RunKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("RunKey(…)")
    }
}

/// Computes the key of a run from its log, link by link.
#[derive(Debug, Clone)]
pub struct KeyMaker(Sha256);

impl Default for KeyMaker {
    fn default() -> KeyMaker {
        KeyMaker(Sha256::new_with_prefix(b"locard commitment key 1"))
    }
}

impl KeyMaker {
    /// Adds the next link of the run, in the order of positions.
    pub fn take(&mut self, link: &Link) {
        self.0.update(link.stream.number().to_le_bytes());
        for part in [&link.event, &link.circumstance] {
            self.0.update((part.len() as u64).to_le_bytes());
            self.0.update(part);
        }
    }

    /// Returns the key after every link was added.
    pub fn finish(self) -> RunKey {
        RunKey(self.0.finalize().into())
    }
}

/// Computes HMAC-SHA256 (RFC 2104); each part is preceded by its length.
fn keyed(key: &[u8; 32], parts: &[&[u8]]) -> [u8; 32] {
    // A key of this length is never refused.
    let Ok(mut mac) = Hmac::<Sha256>::new_from_slice(key) else { return [0; 32] };
    for part in parts {
        mac.update(&(part.len() as u64).to_le_bytes());
        mac.update(part);
    }
    mac.finalize().into_bytes().into()
}

impl RunKey {
    /// Returns the key of one of the run's facts.
    pub fn of_fact(&self, fact: FactId) -> FactKey {
        FactKey(Digest::from_bytes(keyed(&self.0, &[b"fact", fact.to_string().as_bytes()])))
    }

    /// Returns a stand-in for the digest of a withheld output: it looks like a digest, and reveals nothing about one.
    pub fn stand_in(&self, output: &Digest) -> Digest {
        Digest::from_bytes(keyed(&self.0, &[b"output", output.as_bytes()]))
    }
}

impl FactKey {
    /// Returns the salt of a member.
    pub fn salt(&self, member: &str) -> Digest {
        Digest::from_bytes(keyed(self.0.as_bytes(), &[b"salt", member.as_bytes()]))
    }
}

/// Returns the members of a fact by name: `subject`, `value-0`, …, `locator`, `stored`.
///
/// A bound value is one member with its field name, its quotation and its raw place, because all of them reveal it.
pub fn members(fact: &FactEntry) -> BTreeMap<String, Value> {
    let bound = |bound: &BoundValue| json!({"field": bound.field, "value": bound.value, "quotation": bound.quotation, "at": bound.at});
    let spans: Vec<ByteSpan> = std::iter::once(&fact.subject).chain(&fact.values).map(|it| it.span).collect();
    let mut members = BTreeMap::from([
        (subject_name(), bound(&fact.subject)),
        (LOCATOR.to_owned(), json!(fact.locator)),
        (STORED.to_owned(), json!({"output": fact.output, "spans": spans})),
    ]);
    members.extend(fact.values.iter().enumerate().map(|(index, it)| (value_name(index), bound(it))));
    members
}

/// Returns the name of the subject's member.
pub fn subject_name() -> String {
    "subject".to_owned()
}

/// Returns the name of the member for the value at this index.
pub fn value_name(index: usize) -> String {
    format!("value-{index}")
}

/// Returns what is shown of a fact whatever is withheld.
fn skeleton(fact: &FactEntry) -> Value {
    let bound = |bound: &BoundValue| json!({"tier": bound.tier, "writer": bound.writer});
    let mut told = json!({
        "id": fact.id,
        "predicate": fact.predicate,
        "invocation": fact.invocation,
        "record": fact.record,
        "kind": fact.kind,
        "shown": fact.shown,
        "subject": bound(&fact.subject),
        "values": fact.values.iter().map(bound).collect::<Vec<_>>(),
    });
    // Facts without a placement keep the hash that they had before format 2.16.
    if let Some(placement) = fact.placement {
        told["placement"] = json!(placement);
    }
    told
}

fn commitment(salt: &Digest, member: &str, value: &Value) -> Result<Digest, CanonicalError> {
    let value = canonical::to_vec(value)?;
    Ok(Digest::of_parts(&[b"locard member 1", salt.as_bytes(), member.as_bytes(), &value]))
}

fn hash(fact: &FactEntry, commitments: &BTreeMap<String, Digest>) -> Result<Digest, CanonicalError> {
    let whole = canonical::to_vec(&json!({"skeleton": skeleton(fact), "members": commitments}))?;
    Ok(Digest::of_parts(&[b"locard fact 1", &whole]))
}

/// What a report adds to a fact so that the fact can be checked.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Opening {
    /// The fact's hash.
    pub hash: Digest,
    /// The fact's key, if nothing of it is withheld.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key: Option<FactKey>,
    /// The salts of the members that are shown, if others are withheld.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub salts: BTreeMap<String, Digest>,
    /// The commitments to the members that are withheld, completely or in part.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub withheld: BTreeMap<String, Digest>,
}

/// Why a fact does not match its hash.
#[derive(Debug, Error)]
pub enum OpeningError {
    /// It has no canonical form.
    #[error("encode the fact")]
    Canonical(#[from] CanonicalError),
    /// A member has neither a salt nor a commitment.
    #[error("the member {member} has neither a salt nor a commitment")]
    Unopened {
        /// Its name.
        member: String,
    },
    /// A member is opened or withheld that the fact does not have, or a member is both opened and withheld.
    #[error("the fact has no one member {member} that is told, or withheld")]
    Unknown {
        /// Its name.
        member: String,
    },
    /// The hash belongs to something else.
    #[error("what is told of it gives the hash {found}, and not {expected}")]
    Hash {
        /// The hash beside the fact.
        expected: Digest,
        /// The computed hash.
        found: Digest,
    },
}

impl Opening {
    /// Opens the recorded fact, except for the members named in `withheld`.
    pub fn of(
        fact: &FactEntry,
        key: FactKey,
        withheld: &BTreeSet<String>,
    ) -> Result<Opening, CanonicalError> {
        let mut commitments = BTreeMap::new();
        let mut salts = BTreeMap::new();
        for (member, value) in members(fact) {
            let salt = key.salt(&member);
            commitments.insert(member.clone(), commitment(&salt, &member, &value)?);
            if !withheld.contains(&member) {
                salts.insert(member, salt);
            }
        }
        let hash = hash(fact, &commitments)?;
        Ok(match salts.len() == commitments.len() {
            true => Opening { hash, key: Some(key), salts: BTreeMap::new(), withheld: BTreeMap::new() },
            false => {
                commitments.retain(|member, _| withheld.contains(member));
                Opening { hash, key: None, salts, withheld: commitments }
            }
        })
    }

    /// Checks whether the hash matches the fact as shown: it is computed from what is shown and from the commitments to the rest.
    pub fn check(&self, shown: &FactEntry) -> Result<(), OpeningError> {
        let mut commitments = BTreeMap::new();
        for (member, value) in members(shown) {
            let salt = self.salts.get(&member).copied().or_else(|| self.key.map(|key| key.salt(&member)));
            let found = match (self.withheld.get(&member), salt) {
                (Some(withheld), None) => *withheld,
                (None, Some(salt)) => commitment(&salt, &member, &value)?,
                (Some(_), Some(_)) => return Err(OpeningError::Unknown { member }),
                (None, None) => return Err(OpeningError::Unopened { member }),
            };
            commitments.insert(member, found);
        }
        let named = self.salts.keys().chain(self.withheld.keys());
        if let Some(member) = named.into_iter().find(|member| !commitments.contains_key(*member)) {
            return Err(OpeningError::Unknown { member: member.clone() });
        }
        match hash(shown, &commitments)? {
            found if found == self.hash => Ok(()),
            found => Err(OpeningError::Hash { expected: self.hash, found }),
        }
    }
}

#[cfg(test)]
mod tests;
