//! Spreads the attributes of a file over its records ("$ATTRIBUTE_LIST").

use super::attributes::{ATTRIBUTE_LIST, Attribute, Body, Mapped, STANDARD_INFORMATION, le_units, le16};
use super::attributes::{FILE_NAME, INDEX_ROOT, reference};
use super::error::BuildError;
use super::record::CAPACITY;
use super::runs;
use super::space::Space;
use crate::medium::Medium;

/// The maximum size of a list in the base record, in bytes.
const LIST: usize = 400;

/// The maximum size of the mapping pairs in one piece, in bytes.
const PAIRS: usize = 600;

/// The records of a file, base record first.
pub(crate) struct Packed {
    /// The number and attributes of each record.
    pub(crate) records: Vec<(u64, Vec<Attribute>)>,
    /// The clusters of the list, if it is not in the base record.
    pub(crate) list: Option<Mapped>,
}

/// The source of records and clusters.
pub(crate) struct Supply<'a> {
    pub(crate) space: &'a mut Space,
    pub(crate) medium: &'a mut Medium,
    /// The next unused record.
    pub(crate) next_record: &'a mut u64,
}

/// Packs attributes, sorted in record order, into the record `number` and as many more as needed.
pub(crate) fn pack(
    number: u64,
    sequence: u16,
    attributes: Vec<Attribute>,
    force: bool,
    supply: &mut Supply<'_>,
) -> Result<Packed, BuildError> {
    if !force && length(&attributes) <= CAPACITY {
        return Ok(Packed { records: vec![(number, attributes)], list: None });
    }
    let pieces: Vec<Attribute> = attributes.into_iter().flat_map(|found| pieces(found, force)).collect();
    let entries: usize = pieces.iter().map(entry_length).sum();
    let mut records = spread(number, pieces, entries, force, supply)?;
    let list = list(sequence, &records);
    let mapped = if list.len() > LIST {
        let found = supply.space.take(supply.space.count(list.len() as u64), 1)?;
        supply.medium.put_runs(&found, supply.space.cluster, 0, &list);
        Some(Mapped::plain(found, supply.space.cluster, list.len() as u64))
    } else {
        None
    };
    let attribute = match &mapped {
        Some(mapped) => Attribute::clusters(ATTRIBUTE_LIST, "", mapped.clone()),
        None => Attribute::resident(ATTRIBUTE_LIST, "", list),
    };
    // It sorts after `$STANDARD_INFORMATION`; identifiers in the list take it into account.
    records[0].1.insert(1, attribute);
    Ok(Packed { records, list: mapped })
}

fn length(attributes: &[Attribute]) -> usize {
    attributes.iter().map(Attribute::length).sum()
}

/// Splits a value in clusters if its mapping pairs are too long for one record, or in the middle if forced.
fn pieces(attribute: Attribute, force: bool) -> Vec<Attribute> {
    let Body::Clusters(mapped) = &attribute.body else { return vec![attribute] };
    let most = if force { mapped.runs.len().div_ceil(2).max(1) } else { usize::MAX };
    let mut found: Vec<Mapped> = Vec::new();
    let mut vcn = 0;
    for run in &mapped.runs {
        let full = found
            .last()
            .is_none_or(|last| last.runs.len() >= most || runs::encode(&last.runs).len() + 17 > PAIRS);
        if full {
            found.push(Mapped { runs: Vec::new(), first_vcn: vcn, ..mapped.clone() });
        }
        if let Some(last) = found.last_mut() {
            last.runs.push(*run);
        }
        vcn += run.length;
    }
    if found.is_empty() {
        return vec![attribute];
    }
    found.into_iter().map(|piece| Attribute { body: Body::Clusters(piece), ..attribute.clone() }).collect()
}

/// Puts the pieces where they fit; what readers look for first goes into the base record.
fn spread(
    number: u64,
    pieces: Vec<Attribute>,
    entries: usize,
    force: bool,
    supply: &mut Supply<'_>,
) -> Result<Vec<(u64, Vec<Attribute>)>, BuildError> {
    let list = if entries > LIST { 64 + 16 } else { 24 + entries.next_multiple_of(8) };
    let mut base_room = CAPACITY - list;
    let mut base = Vec::new();
    let mut others: Vec<(u64, Vec<Attribute>)> = Vec::new();
    let mut names = 0;
    for piece in pieces {
        let size = piece.length();
        names += usize::from(piece.kind == FILE_NAME);
        let first =
            matches!(piece.kind, STANDARD_INFORMATION | INDEX_ROOT) || piece.kind == FILE_NAME && names <= 2;
        // Readers assume that the base record has the beginning of a value.
        if (first || !force) && piece.first_vcn() == 0 && size <= base_room {
            base_room -= size;
            base.push(piece);
            continue;
        }
        if size > CAPACITY {
            return Err(BuildError::Attribute { record: number, limit: CAPACITY, found: size });
        }
        // If forced, every piece in clusters has its own record.
        let alone = force && matches!(piece.body, Body::Clusters(_));
        match others.last_mut() {
            Some((_, last)) if !alone && length(last) + size <= CAPACITY => last.push(piece),
            _ => {
                others.push((*supply.next_record, vec![piece]));
                *supply.next_record += 1;
            }
        }
    }
    others.insert(0, (number, base));
    Ok(others)
}

fn entry_length(attribute: &Attribute) -> usize {
    (26 + 2 * attribute.name.len()).next_multiple_of(8)
}

/// Encodes the value of the list: every piece, by type, name and first cluster.
fn list(sequence: u16, records: &[(u64, Vec<Attribute>)]) -> Vec<u8> {
    let mut all = Vec::new();
    for (index, (record, attributes)) in records.iter().enumerate() {
        let sequence = if index == 0 { sequence } else { 1 };
        for (id, attribute) in (0u16..).zip(attributes) {
            // The list itself will be number 1 in the base record.
            let id = id + u16::from(index == 0 && id > 0);
            all.push((attribute, reference(*record, sequence), id));
        }
    }
    all.sort_by_cached_key(|(attribute, record, _)| (attribute.order(), *record));
    all.into_iter().flat_map(|(attribute, record, id)| entry(attribute, record, id)).collect()
}

fn entry(attribute: &Attribute, record: u64, id: u16) -> Vec<u8> {
    let mut bytes = attribute.kind.to_le_bytes().to_vec();
    bytes.extend(le16(entry_length(attribute)));
    bytes.push(u8::try_from(attribute.name.len()).unwrap_or(u8::MAX));
    bytes.push(26);
    bytes.extend(attribute.first_vcn().to_le_bytes());
    bytes.extend(record.to_le_bytes());
    bytes.extend(id.to_le_bytes());
    bytes.extend(le_units(&attribute.name));
    bytes.resize(entry_length(attribute), 0);
    bytes
}
