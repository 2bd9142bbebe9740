//! `$Secure`: two security descriptors, the stream `$SDS`, the indexes `$SDH` and `$SII`.

use super::attributes::{le16, le32};
use super::index::{Entry, Kind};

/// The descriptor of metafiles: the system and administrators may read.
pub(crate) const SYSTEM: u32 = 0x100;

/// The descriptor of everything else: the system and administrators may do everything, users may read.
pub(crate) const COMMON: u32 = 0x101;

/// The distance to the second copy of everything.
const COPY: usize = 0x40000;

const LOCAL_SYSTEM: &[u32] = &[18];
const ADMINISTRATORS: &[u32] = &[32, 544];
const USERS: &[u32] = &[32, 545];

const READ: u32 = 0x0012_0089;
const EXECUTE: u32 = 0x0012_00a9;
const ALL: u32 = 0x001f_01ff;

/// The stream and the sorted entries of both indexes.
pub(crate) struct Secure {
    pub(crate) stream: Vec<u8>,
    /// The entries by hash and identifier.
    pub(crate) hashes: Vec<Entry>,
    /// The entries by identifier.
    pub(crate) identifiers: Vec<Entry>,
}

pub(crate) const BY_HASH: Kind = Kind { attribute: 0, collation: 0x12 };
pub(crate) const BY_IDENTIFIER: Kind = Kind { attribute: 0, collation: 0x10 };

pub(crate) fn secure() -> Secure {
    let system = descriptor(&[(LOCAL_SYSTEM, READ), (ADMINISTRATORS, READ)], 0);
    let common = descriptor(&[(LOCAL_SYSTEM, ALL), (ADMINISTRATORS, ALL), (USERS, EXECUTE)], 3);
    let (mut stream, mut heads) = (Vec::new(), Vec::new());
    for (id, descriptor) in [(SYSTEM, system), (COMMON, common)] {
        let at = stream.len() as u64;
        let mut head = hash(&descriptor).to_le_bytes().to_vec();
        head.extend(id.to_le_bytes());
        head.extend(at.to_le_bytes());
        head.extend(le32(descriptor.len() + 20));
        stream.extend(&head);
        stream.extend(&descriptor);
        stream.resize(stream.len().next_multiple_of(16), 0);
        heads.push((hash(&descriptor), id, head));
    }
    let first = stream.clone();
    stream.resize(COPY, 0);
    stream.extend(first);
    let identifiers = heads.iter().map(|(_, id, head)| Entry::view(id.to_le_bytes().to_vec(), head.clone()));
    let identifiers = identifiers.collect();
    heads.sort();
    let hashes = heads.into_iter().map(|(hash, id, mut head)| {
        head.extend([b'I', 0, b'I', 0]);
        Entry::view([hash.to_le_bytes(), id.to_le_bytes()].concat(), head)
    });
    Secure { stream, hashes: hashes.collect(), identifiers }
}

/// Computes the hash: each word is added to the previous sum rotated left by three.
fn hash(descriptor: &[u8]) -> u32 {
    let words = descriptor.as_chunks().0.iter().map(|word| u32::from_le_bytes(*word));
    words.fold(0, |hash: u32, word| word.wrapping_add(hash.rotate_left(3)))
}

/// Builds a self-relative descriptor owned by administrators, with access-allowed entries.
fn descriptor(allowed: &[(&[u32], u32)], inheritance: u8) -> Vec<u8> {
    let entries: Vec<u8> = allowed
        .iter()
        .flat_map(|(who, mask)| {
            let who = identifier(who);
            let mut entry = vec![0, inheritance];
            entry.extend(le16(8 + who.len()));
            entry.extend(mask.to_le_bytes());
            entry.extend(who);
            entry
        })
        .collect();
    let mut list = vec![2, 0];
    list.extend(le16(8 + entries.len()));
    list.extend(le16(allowed.len()));
    list.extend([0, 0]);
    list.extend(entries);
    let owner = identifier(ADMINISTRATORS);
    let mut bytes = vec![1, 0, 0x04, 0x80];
    for offset in [20 + list.len(), 20 + list.len() + owner.len(), 0, 20] {
        bytes.extend(le32(offset));
    }
    bytes.extend(list);
    bytes.extend(&owner);
    bytes.extend(&owner);
    bytes
}

/// Encodes a SID with the prefix S-1-5.
fn identifier(authorities: &[u32]) -> Vec<u8> {
    let mut bytes = vec![1, u8::try_from(authorities.len()).unwrap_or(0), 0, 0, 0, 0, 0, 5];
    bytes.extend(authorities.iter().flat_map(|part| part.to_le_bytes()));
    bytes
}
