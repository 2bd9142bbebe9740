//! The case as the run records it.

use crate::digest::Digest;
use serde::{Deserialize, Serialize};

/// The subject of one investigation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CaseEntry {
    /// The case's short name.
    pub name: String,
    /// Its title, for people.
    pub title: String,
    /// The time zone of the case, for people; facts are always in UTC.
    pub time_zone: String,
    /// The evidence in the order of the case file.
    pub evidence: Vec<EvidenceEntry>,
}

/// One piece of evidence.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EvidenceEntry {
    /// Its label in locators.
    pub label: String,
    /// What it is.
    pub kind: EvidenceKind,
    /// The acquisition hash that the case gives.
    pub expected_sha256: Option<Digest>,
    /// Files and folders that the case file declares to be the host's own although they are elsewhere: paths in the evidence.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub in_place: Vec<String>,
}

/// The kind of a piece of evidence.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EvidenceKind {
    /// A folder laid out like the volume it was copied from.
    Directory,
    /// A triage archive: zip, 7z, tar, tar.gz, tar.zst.
    Archive,
    /// A disk image: raw, split raw or E01; the path is that of its first file.
    Image,
}

/// How closely the evidence's bytes were checked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum IntegrityLevel {
    /// Names, sizes and modification times only.
    Stat,
    /// In addition, the first and last 64 KiB of each file.
    Sampled,
    /// Every byte.
    Full,
}

/// The result of hashing a piece of evidence.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Integrity {
    /// How closely its bytes were checked.
    pub level: IntegrityLevel,
    /// SHA-256 over a sorted line per file: path, size, digest at this level;
    /// for a disk image at [`IntegrityLevel::Full`], over the bytes of its files.
    pub sha256: Digest,
    /// The number of regular files.
    pub files: u64,
    /// The number of their bytes.
    pub bytes: u64,
}
