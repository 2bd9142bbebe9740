//! Builder of NTFS 3.1 volumes from a plain description: pure and deterministic, and returns the planted truth together with the bytes.
//!
//! Structures follow "NTFS Documentation" of the Linux-NTFS project (flatcap.github.io/linux-ntfs), reparse points [MS-FSCC] 2.1.2,
//! change journals [MS-FSCC] 2.3.60, LZNT1 [MS-XCA] 2.5, security descriptors [MS-DTYP] 2.4.6.
//!
//! ```
//! use testkit::ntfs::{Deleted, EntrySpec, VolumeSpec};
//!
//! let built = VolumeSpec::new("DATA")
//!     .entry(EntrySpec::file("Users/mara/notes.txt", b"hello").stream("Zone.Identifier", b"[ZoneTransfer]"))
//!     .entry(EntrySpec::file("Users/mara/gone.bin", &[7; 9000]).deleted(Deleted::Recoverable))
//!     .build()?;
//! assert_eq!(&built.bytes()[3..7], b"NTFS");
//! assert!(built.planted("Users/mara/gone.bin").is_some_and(|gone| !gone.in_use));
//! # Ok::<(), testkit::ntfs::BuildError>(())
//! ```

mod attrdef;
mod attributes;
mod boot;
mod error;
mod index;
mod item;
mod journal;
mod layout;
mod lznt1;
mod metafiles;
mod pack;
mod plan;
mod planted;
mod record;
mod reparse;
mod runs;
pub mod sample;
mod secure;
mod space;
mod spec;
mod stream;
mod upcase;
mod users;

use crate::medium::Medium;
use std::io::{self, Seek, Write};

pub use error::BuildError;
pub use planted::{Planted, PlantedStream};
pub use runs::Run;
pub use spec::{
    Content, Deleted, EntrySpec, FileTimes, Journal, JournalRecord, Kind, NtfsTimes, VolumeSpec, attribute,
};

/// A built volume and what was planted in it.
#[derive(Clone, Debug)]
pub struct Built {
    medium: Medium,
    /// The size of a cluster in bytes.
    pub cluster: u64,
    /// The number of clusters of the volume, as `$Bitmap` counts them.
    pub clusters: u64,
    /// Every entry of the description and every folder created on demand, in order of creation.
    ///
    /// It lacks folders whose record was taken by another file.
    pub planted: Vec<Planted>,
    /// The clusters of the `$MFT`.
    pub mft: Vec<Run>,
}

impl Built {
    /// Returns the whole volume in memory.
    pub fn bytes(&self) -> Vec<u8> {
        self.medium.bytes()
    }

    /// Returns the size of the volume in bytes.
    pub fn size(&self) -> u64 {
        self.medium.size()
    }

    /// Writes the volume at the current position of a file, leaving unused areas sparse.
    pub fn write_to(&self, out: &mut (impl Write + Seek)) -> io::Result<()> {
        self.medium.write_to(out)
    }

    /// Returns the entry planted at this path, preferring one in use to a deleted one with the same path.
    pub fn planted(&self, path: &str) -> Option<&Planted> {
        let mut all = self.planted.iter().filter(|planted| planted.paths.iter().any(|found| found == path));
        let first = all.clone().next();
        all.find(|planted| planted.in_use).or(first)
    }

    /// Returns the contents of these clusters.
    pub fn read_runs(&self, runs: &[Run]) -> Vec<u8> {
        self.medium.read_runs(runs, self.cluster)
    }

    pub(crate) fn medium(&self) -> &Medium {
        &self.medium
    }

    /// Overwrites bytes of the volume, to plant damage.
    pub fn put(&mut self, offset: u64, bytes: &[u8]) {
        self.medium.put(offset, bytes.to_vec());
    }
}

#[cfg(test)]
mod tests;
