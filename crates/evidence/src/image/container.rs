//! The bytes of the imaged medium, whatever the container.

mod acquisition;
mod digest;
mod error;
mod ewf;
mod format;
mod inflate;
mod missing;
mod qcow2;
mod raw;
mod store;
mod unit;
mod vhd;
mod vhdx;
mod vmdk;

pub use acquisition::{Acquisition, ContainerFormat, HashAlgorithm, HashCheck, StoredHash, UnreadSectors};
pub(super) use format::recognise;
pub(super) use missing::Missing;
pub(super) use vmdk::extent_files;

use super::segments::{image_files, is_image};
use crate::error::OpenError;
use crate::read::Extent;
use error::MediumError;
use raw::Raw;
use std::error::Error;
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use unit::Unit;

/// An opened image.
pub(crate) struct Container {
    files: Vec<PathBuf>,
    source: Source,
    length: u64,
    acquisition: Acquisition,
    missing: Vec<Missing>,
}

enum Source {
    Raw(Raw),
    /// The medium is stored in some other form than its own bytes.
    Stored(Box<dyn Medium>),
}

/// A medium inside a container.
trait Medium {
    /// Returns the size of the medium in bytes.
    fn length(&self) -> u64;

    /// Reads at least one byte of a buffer that is not empty and ends within the medium, and as many contiguous
    /// ones as possible.
    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<usize>;

    /// Returns the parts of the medium that the container should hold but does not.
    fn missing(&self) -> Vec<Missing>;
}

impl Container {
    /// Opens the image that begins with the file `path`, with its further segments.
    pub(crate) fn open(path: &Path, label: &str) -> Result<Container, OpenError> {
        let io = |source| OpenError::Io { label: label.to_owned(), path: path.to_owned(), source };
        if !path.metadata().map_err(io)?.is_file() || !is_image(path).map_err(io)? {
            return Err(OpenError::NotAnImage { label: label.to_owned(), path: path.to_owned() });
        }
        let files = image_files(path);
        let format = match recognise(path).map_err(io)? {
            Some(format) => format,
            None => {
                let raw = Raw::open(&files).map_err(io)?;
                let (length, acquisition) = (raw.length(), raw.describe());
                let missing = raw.missing();
                return Ok(Container { files, source: Source::Raw(raw), length, acquisition, missing });
            }
        };
        let opened = catch_unwind(|| {
            let (medium, acquisition) = open_stored(format, path, &files)?;
            let missing = medium.missing();
            Ok((medium, acquisition, missing))
        });
        let stopped = |_| OpenError::Stopped { label: label.to_owned(), path: path.to_owned() };
        let (medium, acquisition, missing) =
            opened.map_err(stopped)?.map_err(|source: Box<dyn Error + Send + Sync>| {
                OpenError::Container {
                    label: label.to_owned(),
                    path: path.to_owned(),
                    format: format.describe(),
                    source,
                }
            })?;
        Ok(Container { files, length: medium.length(), source: Source::Stored(medium), acquisition, missing })
    }

    /// Returns the files of the examiner's machine, in order.
    pub(crate) fn files(&self) -> &[PathBuf] {
        &self.files
    }

    /// Returns the size of the medium in bytes.
    pub(crate) fn length(&self) -> u64 {
        self.length
    }

    /// Returns the parts of the medium that the container should hold but does not.
    pub(crate) fn missing(&self) -> &[Missing] {
        &self.missing
    }

    /// Returns what the container says about itself.
    pub(crate) fn acquisition(&self) -> &Acquisition {
        &self.acquisition
    }

    /// Reads up to `buffer.len()` bytes; 0 only at or past the end, or for an empty buffer.
    pub(crate) fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<usize> {
        let buffer = piece(buffer, self.length.saturating_sub(offset));
        if buffer.is_empty() {
            return Ok(0);
        }
        match &self.source {
            Source::Raw(raw) => raw.read_at(offset, buffer),
            Source::Stored(medium) => {
                let read = catch_unwind(AssertUnwindSafe(|| medium.read_at(offset, buffer)));
                let stopped = |_| io::Error::other("the reader of containers stopped on damage");
                let failed = |source: io::Error| MediumError { offset, source: source.into() };
                Ok(read.unwrap_or_else(|panic| Err(stopped(panic))).map_err(failed)?)
            }
        }
    }

    /// Fills `buffer`, or fails.
    pub(crate) fn read_exact_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<()> {
        let mut filled = 0;
        while let Some(rest) = buffer.get_mut(filled..).filter(|rest| !rest.is_empty()) {
            match self.read_at(offset.saturating_add(filled as u64), rest)? {
                0 => return Err(io::ErrorKind::UnexpectedEof.into()),
                read => filled += read,
            }
        }
        Ok(())
    }

    /// Returns the extents of bytes of the medium: in the parts of a raw image, or in the medium itself for any
    /// other container.
    pub(crate) fn extents(&self, offset: u64, length: u64) -> Vec<Extent> {
        let name = |index: usize| {
            let file = self.files.get(index).and_then(|file| file.file_name()).unwrap_or_default();
            file.to_string_lossy().into_owned()
        };
        let end = offset.saturating_add(length).min(self.length);
        if offset >= end {
            return Vec::new();
        }
        match &self.source {
            Source::Stored(_) => vec![Extent { container: name(0), offset, length: end - offset }],
            Source::Raw(raw) => raw.extents(offset, end, name),
        }
    }
}

type Opened = Result<(Box<dyn Medium>, Acquisition), Box<dyn Error + Send + Sync>>;

fn open_stored(format: ContainerFormat, path: &Path, files: &[PathBuf]) -> Opened {
    fn boxed<M: Medium + 'static>((medium, acquisition): (M, Acquisition)) -> (Box<dyn Medium>, Acquisition) {
        (Box::new(medium), acquisition)
    }
    Ok(match format {
        ContainerFormat::Ewf => boxed(ewf::open(files)?),
        ContainerFormat::Vmdk => boxed(vmdk::open(path)?),
        ContainerFormat::Vhdx => boxed(vhdx::open(path)?),
        ContainerFormat::Vhd => boxed(vhd::open(path)?),
        ContainerFormat::Qcow2 => boxed(qcow2::open(path)?),
        ContainerFormat::Raw | ContainerFormat::SplitRaw => {
            let raw = Raw::open(files)?;
            let acquisition = raw.describe();
            boxed((raw, acquisition))
        }
    })
}

/// Returns the first bytes of `buffer`, at most `length`.
fn piece(buffer: &mut [u8], length: u64) -> &mut [u8] {
    let length = usize::try_from(length).unwrap_or(usize::MAX).min(buffer.len());
    buffer.get_mut(..length).unwrap_or_default()
}

/// Fills `part` with zeros, which the container does not store, and returns its length.
fn zeros(part: &mut [u8]) -> usize {
    part.fill(0);
    part.len()
}
