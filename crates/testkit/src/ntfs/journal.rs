//! `$UsnJrnl`: records of version 2 in `$J` ([MS-FSCC] 2.3.60, USN_RECORD_V2), and `$Max`.

use super::attributes::{le_units, le16, le32, put, reference, utf16};
use super::error::BuildError;
use super::plan::{Node, Plan};
use super::spec::{Content, Journal, JournalRecord, VolumeSpec};
use std::collections::BTreeMap;

/// The page size: records never cross a page boundary.
const PAGE: usize = 4096;

/// The update sequence numbers of files.
#[derive(Default)]
pub(crate) struct Numbers {
    /// The last number of each file, by its index in the plan.
    pub(crate) last: BTreeMap<usize, u64>,
    /// The stream `$J`.
    pub(crate) stream: Option<Content>,
}

/// Writes the change journal, if the volume has one.
pub(crate) fn write(spec: &VolumeSpec, plan: &Plan<'_>) -> Result<Numbers, BuildError> {
    let Some(journal) = &spec.journal else { return Ok(Numbers::default()) };
    let first = journal.first - journal.first % PAGE as u64;
    let mut numbers = Numbers::default();
    let mut bytes = Vec::new();
    for record in &journal.records {
        let none = || BuildError::NoSuch { path: record.path.clone(), wanted: record.path.clone() };
        let at = plan.find(&record.path).ok_or_else(none)?;
        let mut written = encode(plan, &plan.nodes[at], record);
        if bytes.len() % PAGE + written.len() > PAGE {
            bytes.resize(bytes.len().next_multiple_of(PAGE), 0);
        }
        let usn = first + bytes.len() as u64;
        put(&mut written, 24, &usn.to_le_bytes());
        bytes.extend(written);
        numbers.last.insert(at, usn);
    }
    let size = first + bytes.len() as u64;
    numbers.stream = Some(Content::Sparse { size, parts: vec![(first, bytes)] });
    Ok(numbers)
}

fn encode(plan: &Plan<'_>, node: &Node<'_>, record: &JournalRecord) -> Vec<u8> {
    let written = node.names.first();
    let parent = written.map_or(0, |(folder, _)| {
        let parent = &plan.nodes[*folder];
        reference(parent.number, parent.sequence)
    });
    let name = record.name.as_ref().or(written.map(|(_, name)| name)).map(|name| le_units(&utf16(name)));
    let name = name.unwrap_or_default();
    let length = (60 + name.len()).next_multiple_of(8);
    let directory = if node.is_directory() { 0x10 } else { 0 };
    let mut bytes = le32(length).to_vec();
    bytes.extend([2, 0, 0, 0]);
    bytes.extend(reference(node.number, node.sequence).to_le_bytes());
    bytes.extend(parent.to_le_bytes());
    bytes.extend([0; 8]);
    bytes.extend(record.time.to_le_bytes());
    bytes.extend(record.reason.to_le_bytes());
    bytes.extend([0; 8]);
    bytes.extend((node.spec.attributes | directory).to_le_bytes());
    bytes.extend(le16(name.len()));
    bytes.extend(le16(60));
    bytes.extend(name);
    bytes.resize(length, 0);
    bytes
}

/// Encodes `$Max`: 32 MiB kept, 4 MiB freed at once, the identifier, and the lowest valid number.
pub(crate) fn max(journal: &Journal) -> Vec<u8> {
    let lowest = journal.first - journal.first % PAGE as u64;
    [32 << 20, 4 << 20, journal.id, lowest].iter().flat_map(|number: &u64| number.to_le_bytes()).collect()
}
