//! A file in the form from which its records are built: user files and metafiles alike.

use super::attributes::{self, Attribute, Body, DATA, NameFacts, STANDARD_INFORMATION, reference};
use super::index::Entry;
use super::record::{self, CAPACITY};
use super::spec::NtfsTimes;

/// Flags of `$FILE_NAME`, in addition to the DOS attributes.
const NAMED_DIRECTORY: u32 = 0x1000_0000;
const NAMED_VIEW_INDEX: u32 = 0x2000_0000;

/// Name spaces.
pub(crate) const POSIX: u8 = 0;
pub(crate) const WIN32: u8 = 1;
pub(crate) const DOS: u8 = 2;
pub(crate) const BOTH: u8 = 3;

/// A file.
pub(crate) struct Item {
    pub(crate) number: u64,
    /// Its sequence number while it was in use.
    pub(crate) sequence: u16,
    pub(crate) live: bool,
    /// The record flags other than the in-use flag.
    pub(crate) flags: u16,
    pub(crate) names: Vec<Name>,
    pub(crate) times: NtfsTimes,
    /// The DOS attributes.
    pub(crate) attributes: u32,
    pub(crate) security: u32,
    pub(crate) usn: u64,
    pub(crate) reparse_tag: u32,
    /// All attributes except `$STANDARD_INFORMATION` and `$FILE_NAME`.
    pub(crate) content: Vec<Attribute>,
    pub(crate) attribute_list: bool,
    /// Whether its index entries are left behind.
    pub(crate) stale: bool,
}

/// A name.
#[derive(Clone, Debug)]
pub(crate) struct Name {
    pub(crate) parent: u64,
    pub(crate) parent_sequence: u16,
    pub(crate) text: Vec<u16>,
    pub(crate) namespace: u8,
}

impl Item {
    /// Returns the current sequence number of its record.
    pub(crate) fn sequence_now(&self) -> u16 {
        self.sequence + u16::from(!self.live)
    }

    pub(crate) fn reference(&self) -> u64 {
        reference(self.number, self.sequence)
    }

    pub(crate) fn is_directory(&self) -> bool {
        self.flags & record::DIRECTORY != 0
    }

    pub(crate) fn record_flags(&self) -> u16 {
        self.flags | if self.live { record::IN_USE } else { 0 }
    }

    /// Returns the allocated and the real size of the main stream.
    fn sizes(&self) -> (u64, u64) {
        let main = self.content.iter().find(|found| found.kind == DATA && found.name.is_empty());
        main.map_or((0, 0), Attribute::sizes)
    }

    fn file_name(&self, name: &Name, times: super::spec::FileTimes) -> Vec<u8> {
        let (allocated, size) = self.sizes();
        let directory = if self.is_directory() { NAMED_DIRECTORY } else { 0 };
        let view = if self.flags & record::VIEW_INDEX != 0 { NAMED_VIEW_INDEX } else { 0 };
        let facts = NameFacts {
            parent: reference(name.parent, name.parent_sequence),
            times,
            allocated,
            size,
            flags: self.attributes | directory | view,
            reparse_tag: self.reparse_tag,
        };
        attributes::file_name(&facts, name.namespace, &name.text)
    }

    /// Returns the index entry of one of its names; Windows keeps its times equal to `$STANDARD_INFORMATION`.
    pub(crate) fn index_entry(&self, name: &Name) -> Entry {
        Entry::name(self.reference(), self.file_name(name, self.times.standard_information))
    }

    /// Returns all attributes in record order.
    pub(crate) fn all_attributes(&self) -> Vec<Attribute> {
        let information = attributes::standard_information(
            &self.times.standard_information,
            self.attributes,
            self.security,
            self.usn,
        );
        let mut all = vec![Attribute::resident(STANDARD_INFORMATION, "", information)];
        all.extend(
            self.names.iter().map(|name| Attribute::file_name(self.file_name(name, self.times.file_name))),
        );
        all.extend(self.content.iter().cloned());
        all.sort_by_cached_key(Attribute::order);
        all
    }

    /// Returns the free space in the record, in bytes; 0 if it needs an attribute list anyway.
    pub(crate) fn room(&self) -> usize {
        let used: usize = self.all_attributes().iter().map(Attribute::length).sum();
        CAPACITY.saturating_sub(used)
    }

    /// Returns the largest resident stream of more than `least` bytes.
    pub(crate) fn largest_stream(&mut self, least: usize) -> Option<&mut Attribute> {
        let size = |found: &Attribute| match &found.body {
            Body::Resident { value, .. } if found.kind == DATA && value.len() > least => Some(value.len()),
            Body::Resident { .. } | Body::Clusters(_) => None,
        };
        self.content.iter_mut().filter(|found| size(found).is_some()).max_by_key(|found| size(found))
    }
}
