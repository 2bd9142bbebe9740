//! Little-endian numbers in a structure; `None` if they extend past its end.

fn array<const N: usize>(bytes: &[u8], at: usize) -> Option<[u8; N]> {
    bytes.get(at..)?.first_chunk::<N>().copied()
}

pub(super) fn u16_at(bytes: &[u8], at: usize) -> Option<u16> {
    array(bytes, at).map(u16::from_le_bytes)
}

pub(super) fn u32_at(bytes: &[u8], at: usize) -> Option<u32> {
    array(bytes, at).map(u32::from_le_bytes)
}

pub(super) fn u64_at(bytes: &[u8], at: usize) -> Option<u64> {
    array(bytes, at).map(u64::from_le_bytes)
}

/// Converts a number of bytes to a memory index.
pub(super) fn index(number: u32) -> usize {
    usize::try_from(number).unwrap_or(usize::MAX)
}

/// A reference to an entry: its index, and how often that was given to a new file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Reference {
    pub(crate) entry: u64,
    pub(crate) sequence: u16,
}

impl Reference {
    /// Reads a stored reference: 48 low bits and 16 high bits.
    pub(super) fn read(stored: u64) -> Reference {
        let [.., low, high] = stored.to_le_bytes();
        Reference { entry: stored & 0xffff_ffff_ffff, sequence: u16::from_le_bytes([low, high]) }
    }

    /// Returns the sequence number of the entry once it is freed; 0 means no number and is skipped.
    pub(super) fn next_sequence(self) -> u16 {
        self.sequence.checked_add(1).unwrap_or(1)
    }

    /// Checks whether a record with this sequence number is still the file that was referred to.
    ///
    /// Freeing a record increments its sequence number on some systems, but not on all.
    pub(super) fn is(self, sequence: u16, in_use: bool) -> bool {
        sequence == self.sequence || (!in_use && sequence == self.next_sequence())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_freed_record_is_the_file_that_its_last_reference_named() {
        let reference = Reference::read(0xffff_0000_0000_0022);
        assert_eq!(reference, Reference { entry: 0x22, sequence: 0xffff });
        assert!(reference.is(0xffff, true) && reference.is(0xffff, false) && reference.is(1, false));
        assert!(!reference.is(1, true) && !reference.is(2, false));
    }

    #[test]
    fn a_number_that_ends_behind_the_structure_is_none() {
        assert_eq!(u16_at(&[1, 2], 0), Some(0x201));
        assert_eq!((u16_at(&[1, 2], 1), u64_at(&[], usize::MAX)), (None, None));
    }
}
