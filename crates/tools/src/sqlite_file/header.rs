//! The header of a database, and the magic numbers of its journals.

use super::SqliteError;
use evidence::{Node, ReadError, Tree, read_full_at};
use ledger::Defect;
use ledger::digest::hex;

/// The first bytes of a database.
const MAGIC: &[u8; 16] = b"SQLite format 3\0";

/// The first bytes of a hot rollback journal, and the last bytes of one that names a super-journal.
pub(super) const JOURNAL_MAGIC: [u8; 8] = [0xD9, 0xD5, 0x05, 0xF9, 0x20, 0xA1, 0x63, 0xD7];

/// The parts of the 100-byte header that are used.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Header {
    /// The page size in bytes; offset 16, where 1 means 65,536.
    page_size: u64,
    /// The format versions for writing and reading, offsets 18 and 19: 2 with a write-ahead log.
    versions: [u8; 2],
    /// The number of pages, offset 28; `None` if the change counter (24) shows that this number is outdated (92).
    pages: Option<u64>,
}

impl Header {
    pub(super) fn read(tree: &dyn Tree, node: &Node) -> Result<Header, SqliteError> {
        let mut bytes = [0; 100];
        let read = read_full_at(tree.open(node, None)?.as_mut(), 0, &mut bytes)?;
        if read < bytes.len() || !bytes.starts_with(MAGIC) {
            let start = bytes.get(..read.min(MAGIC.len())).unwrap_or_default();
            let found = if start.is_empty() { "the end of the file".to_owned() } else { hex(start) };
            return Err(SqliteError::Header { path: node.path.clone(), found, size: node.size });
        }
        Ok(Header::parse(&bytes))
    }

    fn parse(bytes: &[u8; 100]) -> Header {
        let [.., high, low, write, read, _, _, _, _] = *bytes.first_chunk::<24>().unwrap_or(&[0; 24]);
        let page_size = match u16::from_be_bytes([high, low]) {
            1 => 65_536,
            size => u64::from(size),
        };
        let number = |at: usize| bytes.get(at..)?.first_chunk().map(|field| u32::from_be_bytes(*field));
        let pages = number(28).filter(|pages| *pages > 0 && number(24) == number(92)).map(u64::from);
        Header { page_size, versions: [write, read], pages }
    }

    pub(super) fn in_wal_mode(&self) -> bool {
        self.versions == [2, 2]
    }

    /// Returns the defect of a file that ends before its last page.
    pub(super) fn truncation(&self, node: &Node) -> Option<Defect> {
        let expected = self.pages?.saturating_mul(self.page_size);
        (node.size < expected).then(|| Defect {
            path: node.path.as_str().to_owned(),
            offset: Some(node.size),
            what: format!(
                "the file ends; expected {expected} bytes ({} pages of {})",
                expected / self.page_size.max(1),
                self.page_size
            ),
        })
    }
}

/// Checks whether a journal ends with the name of a super-journal, which ties transactions of several databases together.
pub(super) fn names_super_journal(tree: &dyn Tree, journal: &Node) -> Result<bool, ReadError> {
    let mut reader = tree.open(journal, None)?;
    let mut end = [0; 8];
    let at = reader.len().saturating_sub(8);
    let read = read_full_at(reader.as_mut(), at, &mut end)?;
    Ok(read == end.len() && end == JOURNAL_MAGIC)
}

#[cfg(test)]
#[allow(clippy::indexing_slicing, reason = "a test fails by panicking")]
mod tests {
    use super::*;

    #[test]
    fn a_header_is_read_field_by_field() {
        let mut bytes = [0; 100];
        bytes[16..20].copy_from_slice(&[0x10, 0x00, 2, 2]);
        bytes[27] = 9;
        bytes[31] = 3;
        assert_eq!(Header::parse(&bytes), Header { page_size: 4096, versions: [2, 2], pages: None });
        bytes[95] = 9;
        assert_eq!(Header::parse(&bytes).pages, Some(3));
        bytes[16..18].copy_from_slice(&[0, 1]);
        assert_eq!(Header::parse(&bytes).page_size, 65_536);
    }
}
