//! Builder of NTFS 3.1 volumes from a plain description: pure, deterministic, with the planted truth beside the bytes.
//!
//! Structures follow "NTFS Documentation" of the Linux-NTFS project (flatcap.github.io/linux-ntfs), reparse points [MS-FSCC] 2.1.2, change journals [MS-FSCC] 2.3.60, LZNT1 [MS-XCA] 2.5, security descriptors [MS-DTYP] 2.4.6.
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

/// A written volume and what was planted in it.
#[derive(Clone, Debug)]
pub struct Built {
    medium: Medium,
    /// Bytes of a cluster.
    pub cluster: u64,
    /// Number of clusters of the volume, as `$Bitmap` counts them.
    pub clusters: u64,
    /// Every entry of the description and every folder made on demand, in the order of their making.
    ///
    /// A folder whose record another file took is not among them.
    pub planted: Vec<Planted>,
    /// The clusters of the `$MFT`.
    pub mft: Vec<Run>,
}

impl Built {
    /// The whole volume in memory.
    pub fn bytes(&self) -> Vec<u8> {
        self.medium.bytes()
    }

    /// Bytes of the volume.
    pub fn size(&self) -> u64 {
        self.medium.size()
    }

    /// Writes the volume at the present position of a file, which stays sparse where nothing stands.
    pub fn write_to(&self, out: &mut (impl Write + Seek)) -> io::Result<()> {
        self.medium.write_to(out)
    }

    /// The entry planted at this path; the one in use where a deleted one had the same path.
    pub fn planted(&self, path: &str) -> Option<&Planted> {
        let mut all = self.planted.iter().filter(|planted| planted.paths.iter().any(|found| found == path));
        let first = all.clone().next();
        all.find(|planted| planted.in_use).or(first)
    }

    /// The bytes that stand in these clusters.
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
