//! A hive as a file of the evidence: its bytes, its logs, and the offsets of names in it.

use crate::error::CallError;
use artifacts::registry::{self, DefectKind, Hive, HiveType};
use evidence::{EvidencePath, Node, NodeKind, ReadError, Tree, read_all, read_full_at};
use ledger::{ByteSpan, Defect, Gap};

/// The largest hive that is read. Windows' own limit for a loaded 32-bit hive is 2 GiB; real ones stay below 300 MiB.
const LARGEST: u64 = 512 << 20;

/// The length of the base block.
pub(crate) const BASE_BLOCK: u64 = 4096;

/// The kind of file, by its first bytes.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Head {
    /// `regf`, and not a log.
    Hive,
    /// `regf` with the file type of a transaction log.
    Log,
    /// Anything else.
    Other,
}

/// Reads the first bytes of a file: logs begin with `regf`, as hives do, but have another file type at offset 28.
pub(crate) fn head(tree: &dyn Tree, node: &Node) -> Result<Head, ReadError> {
    let mut bytes = [0; 32];
    let known = tree.first_bytes(node).and_then(|known| known.first_chunk());
    let read = match known {
        Some(known) => {
            bytes = *known;
            known.len()
        }
        None => read_full_at(tree.open(node, None)?.as_mut(), 0, &mut bytes)?,
    };
    let file_type = bytes.last_chunk::<4>().map(|field| u32::from_le_bytes(*field));
    if !bytes.starts_with(b"regf") {
        Ok(Head::Other)
    } else if read == bytes.len() && matches!(file_type, Some(1 | 2 | 6)) {
        Ok(Head::Log)
    } else {
        Ok(Head::Hive)
    }
}

/// Reads all bytes of a hive.
pub(crate) fn bytes(tree: &dyn Tree, node: &Node) -> Result<Vec<u8>, ReadError> {
    read_all(tree.open(node, None)?.as_mut(), LARGEST)
}

/// Opens the hive in `bytes`.
pub(crate) fn open<'b>(node: &Node, bytes: &'b [u8]) -> Result<Hive<'b>, CallError> {
    Hive::open(bytes).map_err(|source| CallError::NotAHive { path: node.path.clone(), source })
}

/// Returns the non-empty files beside a hive that are named as its transaction logs.
pub(crate) fn logs(tree: &dyn Tree, node: &Node) -> Result<Vec<EvidencePath>, ReadError> {
    let Some(folder) = node.path.parent().map(|path| tree.node(&path)).transpose()?.flatten() else {
        return Ok(Vec::new());
    };
    let hive = node.name.to_lowercase();
    let is_log = |name: &str| {
        let name = name.to_lowercase();
        name.strip_prefix(&hive).is_some_and(|rest| matches!(rest, ".log" | ".log1" | ".log2"))
    };
    let nodes = tree.children(&folder)?.nodes.into_iter();
    let logs = nodes.filter(|node| node.kind == NodeKind::File && node.size > 0 && is_log(&node.name));
    Ok(logs.map(|node| node.path).collect())
}

/// Returns the path of a transaction log that is missing although the other one of the pair exists.
/// Windows always keeps `.LOG1` and `.LOG2` together, even if one is empty, so a collection must have lost it.
pub(crate) fn missing_log(tree: &dyn Tree, node: &Node) -> Result<Option<String>, ReadError> {
    let Some(folder) = node.path.parent().map(|path| tree.node(&path)).transpose()?.flatten() else {
        return Ok(None);
    };
    let names: Vec<String> = tree.children(&folder)?.nodes.iter().map(|it| it.name.to_lowercase()).collect();
    let hive = node.name.to_lowercase();
    let has = |log: &str| names.iter().any(|name| name.strip_prefix(&hive) == Some(log));
    let lost = match (has(".log1"), has(".log2")) {
        (true, false) => "LOG2",
        (false, true) => "LOG1",
        (true, true) | (false, false) => return Ok(None),
    };
    Ok(Some(format!("{}.{lost}", node.path.as_str())))
}

/// Returns the name of a hive's type in records.
pub(crate) const fn type_name(hive_type: HiveType) -> &'static str {
    match hive_type {
        HiveType::System => "SYSTEM",
        HiveType::Software => "SOFTWARE",
        HiveType::Sam => "SAM",
        HiveType::Security => "SECURITY",
        HiveType::NtUser => "NTUSER",
        HiveType::UsrClass => "USRCLASS",
        HiveType::Amcache => "AMCACHE",
        HiveType::Bcd => "BCD",
        HiveType::Drivers => "DRIVERS",
        HiveType::Components => "COMPONENTS",
        HiveType::Other => "OTHER",
    }
}

/// Converts damage to a ledger defect.
pub(crate) fn defect(hive: &EvidencePath, defect: &registry::Defect) -> Defect {
    Defect { path: hive.as_str().to_owned(), offset: defect.offset, what: defect.what.to_string() }
}

/// Returns the damage of a base block; a dirty hive is a gap, not damage.
pub(crate) fn base_defects(hive: &EvidencePath, opened: &Hive<'_>) -> Vec<Defect> {
    let damage = opened.defects().iter().filter(|found| !matches!(found.what, DefectKind::DirtyHive { .. }));
    damage.map(|found| defect(hive, found)).collect()
}

/// Returns the place of the name in the key record (`nk`) at `offset`: length at 0x48, name at 0x4C.
pub(crate) fn key_name(bytes: &[u8], offset: u64) -> Option<ByteSpan> {
    name(bytes, offset, 0x48, 0x4C)
}

/// Returns the place of the name in the value record (`vk`) at `offset`: length at 0x02, name at 0x14.
pub(crate) fn value_name(bytes: &[u8], offset: u64) -> Option<ByteSpan> {
    name(bytes, offset, 0x02, 0x14)
}

/// Returns the span from a record's signature to the end of its name.
pub(crate) fn record_span(offset: u64, name: Option<ByteSpan>, fixed: u64) -> ByteSpan {
    let end = name.map_or(offset.saturating_add(fixed), ByteSpan::end);
    ByteSpan::new(offset, end.saturating_sub(offset))
}

fn name(bytes: &[u8], offset: u64, length_at: u64, name_at: u64) -> Option<ByteSpan> {
    let at = usize::try_from(offset.checked_add(length_at)?).ok()?;
    let length = u64::from(u16::from_le_bytes(*bytes.get(at..)?.first_chunk()?));
    let span = ByteSpan::new(offset.checked_add(name_at)?, length);
    // A damaged length may point outside the file; then the name has no place to show.
    (length > 0 && span.end() <= bytes.len() as u64).then_some(span)
}

/// Returns the gap for damage at the root of a hive: keys below it cannot be reached.
pub(crate) fn unreadable(node: &Node, hive: &Hive<'_>) -> Option<Gap> {
    let damage = hive.damage_at_root();
    let first = damage.first()?;
    let reason = format!("damaged at its root, so that keys are out of reach: {}", first.what);
    Some(Gap { path: node.path.as_str().to_owned(), reason })
}
