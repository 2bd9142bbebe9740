//! The header: the first page of a database (specification, section 3.1 "The (database) file header").

use super::checksum;
use crate::damage::{Damage, DamageKind};
use crate::fields::u32_at;

const SIGNATURE: u32 = 0x89AB_CDEF;
/// The only supported file type; 1 is a streaming file.
const DATABASE: u32 = 0;
/// The first revision in which pages above 8 KiB have longer headers and tags.
const LARGE_PAGES: u32 = 0x11;

/// The fields of the header.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Header {
    /// Size of a page in bytes: 2048 to 32768, a power of two.
    pub page_size: usize,
    /// Version of the format: 0x620.
    pub version: u32,
    /// Revision of that version.
    pub revision: u32,
    /// The state in which the database was left.
    pub state: State,
    /// Whether pages have the layout for more than 8 KiB.
    pub large: bool,
}

/// The state in which a database was left.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// Just created.
    Created,
    /// In use when it was copied, or not closed: later changes are only in its logs.
    Dirty,
    /// Closed cleanly.
    Clean,
    /// Being converted.
    Converting,
    /// Detached by force.
    Detached,
    /// A number that means no known state.
    Unknown(u32),
}

impl State {
    fn of(number: u32) -> State {
        match number {
            1 => State::Created,
            2 => State::Dirty,
            3 => State::Clean,
            4 => State::Converting,
            5 => State::Detached,
            other => State::Unknown(other),
        }
    }
}

/// Returns the page size; `None` if the bytes do not begin like a database.
pub fn page_size(bytes: &[u8]) -> Option<usize> {
    let is_database = u32_at(bytes, 4)? == SIGNATURE && u32_at(bytes, 12)? == DATABASE;
    let size = u32_at(bytes, 236)? as usize;
    (is_database && size.is_power_of_two() && (2048..=32_768).contains(&size)).then_some(size)
}

/// Reads the header.
pub(super) fn read(bytes: &[u8]) -> Option<(Header, Vec<Damage>)> {
    let page_size = page_size(bytes)?;
    let mut damage = Vec::new();
    let stored = u32_at(bytes, 0)?;
    if let Some(page) = bytes.get(4..page_size) {
        let found = checksum::xor(SIGNATURE, page);
        if found != stored {
            let (expected, actual) = (u64::from(stored), u64::from(found));
            damage.push(Damage::at(
                0,
                DamageKind::Field { what: "the checksum of the header", expected, actual },
            ));
        }
    }
    if !bytes.len().is_multiple_of(page_size) || bytes.len() < page_size * 2 {
        let expected = bytes.len().next_multiple_of(page_size).max(page_size * 2);
        damage.push(Damage::at(bytes.len(), DamageKind::Length { expected, actual: bytes.len() }));
    }
    let revision = u32_at(bytes, 232)?;
    let header = Header {
        page_size,
        version: u32_at(bytes, 8)?,
        revision,
        state: State::of(u32_at(bytes, 52)?),
        large: revision >= LARGE_PAGES && page_size > 8192,
    };
    Some((header, damage))
}
