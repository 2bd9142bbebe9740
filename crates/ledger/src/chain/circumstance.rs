//! The circumstance of an event.

use crate::brought::BroughtFrom;
use crate::digest::Digest;
use crate::id::{InvocationId, RunId};
use crate::time::Utc;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The parts of an event in which two equal runs may differ.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Circumstance {
    /// Wall time of recording, RFC 3339.
    pub at: String,
    /// The run's name; only with the first event.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub run: Option<RunId>,
    /// Where each piece of evidence was found, by label; only when a run is opened or resumed.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub evidence: BTreeMap<String, String>,
    /// Where the supplied rules were found; only with the first event. Since format 2.24.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub brought: Vec<BroughtFrom>,
    /// The digest of the file metadata that the system reported for the evidence (names, sizes, times) before it was first read;
    /// only with the first event.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stamps: Option<Digest>,
    /// What confined the tools; only when a run is opened or resumed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub confinement: Vec<String>,
    /// The cost of the invocation; only with its end.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost: Option<Cost>,
}

impl Circumstance {
    /// Returns a circumstance with only the wall time.
    pub fn at(time: Utc) -> Circumstance {
        Circumstance { at: time.to_string(), ..Circumstance::default() }
    }
}

/// The cost of one worker call.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Cost {
    /// Wall time in microseconds.
    pub wall_microseconds: u64,
    /// CPU time in microseconds.
    pub cpu_microseconds: u64,
    /// The peak memory use, in KiB.
    pub peak_kib: u64,
    /// The invocation of another task whose answer this one reused: no tool ran again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub served_from: Option<InvocationId>,
}
