//! The bytes of the imaged medium, whatever contains them.

use super::segments::{image_files, is_ewf, is_image};
use crate::error::OpenError;
use crate::read::Extent;
use ewf::{EwfError, EwfReader};
use std::fs::File;
use std::io::{self, Read};
use std::os::unix::fs::FileExt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use thiserror::Error;

/// Why bytes of the medium cannot be had from its container.
#[derive(Debug, Error)]
#[error("byte {offset} of the medium: {source}")]
struct MediumError {
    offset: u64,
    #[source]
    source: EwfError,
}

/// An opened image.
pub(crate) struct Container {
    files: Vec<PathBuf>,
    source: Source,
    length: u64,
}

enum Source {
    /// The parts, and where each begins.
    Raw(Vec<(u64, File)>),
    Ewf(Box<EwfReader>),
}

impl Container {
    /// Opens the image that begins with the file `path`, with its further segments.
    pub(crate) fn open(path: &Path, label: &str) -> Result<Container, OpenError> {
        let io = |source| OpenError::Io { label: label.to_owned(), path: path.to_owned(), source };
        if !path.metadata().map_err(io)?.is_file() || !is_image(path).map_err(io)? {
            return Err(OpenError::NotAnImage { label: label.to_owned(), path: path.to_owned() });
        }
        let mut head = [0; 8];
        let read = File::open(path).map_err(io)?.read(&mut head).map_err(io)?;
        let files = image_files(path);
        let (source, length) = match is_ewf(head.get(..read).unwrap_or_default()) {
            true => open_ewf(&files, label)?,
            false => open_raw(&files).map_err(io)?,
        };
        Ok(Container { files, source, length })
    }

    /// The files of the examiner's machine, in order.
    pub(crate) fn files(&self) -> &[PathBuf] {
        &self.files
    }

    /// Bytes of the medium.
    pub(crate) fn length(&self) -> u64 {
        self.length
    }

    /// Reads up to `buffer.len()` bytes; 0 only at or past the end, or for an empty buffer.
    pub(crate) fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<usize> {
        let left = usize::try_from(self.length.saturating_sub(offset)).unwrap_or(usize::MAX);
        let wanted = left.min(buffer.len());
        let Some(buffer) = buffer.get_mut(..wanted).filter(|buffer| !buffer.is_empty()) else { return Ok(0) };
        match &self.source {
            Source::Raw(parts) => {
                let index = parts.partition_point(|(start, _)| *start <= offset);
                let Some((start, file)) = index.checked_sub(1).and_then(|index| parts.get(index)) else {
                    return Ok(0);
                };
                file.read_at(buffer, offset - start)
            }
            Source::Ewf(reader) => {
                let read = catch_unwind(AssertUnwindSafe(|| reader.read_at(buffer, offset)));
                let stopped = |_| io::Error::other("the reader of containers stopped on damage");
                let failed = |source| io::Error::other(MediumError { offset, source });
                read.map_err(stopped)?.map_err(failed)
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

    /// Where the bytes of the medium stand: for a raw image its parts, for E01 the medium that the container holds.
    pub(crate) fn extents(&self, offset: u64, length: u64) -> Vec<Extent> {
        let name = |index: usize| {
            let file = self.files.get(index).and_then(|file| file.file_name()).unwrap_or_default();
            file.to_string_lossy().into_owned()
        };
        let end = offset.saturating_add(length).min(self.length);
        if offset >= end {
            return Vec::new();
        }
        let Source::Raw(parts) = &self.source else {
            return vec![Extent { container: name(0), offset, length: end - offset }];
        };
        let ends = parts.iter().skip(1).map(|(start, _)| *start).chain([self.length]);
        let spans = parts.iter().zip(ends).enumerate();
        spans
            .filter_map(|(index, ((start, _), stop))| {
                let (from, to) = (offset.max(*start), end.min(stop));
                (from < to).then(|| Extent {
                    container: name(index),
                    offset: from - start,
                    length: to - from,
                })
            })
            .collect()
    }
}

fn open_raw(files: &[PathBuf]) -> io::Result<(Source, u64)> {
    let mut parts = Vec::new();
    let mut length: u64 = 0;
    for path in files {
        let file = File::open(path)?;
        let size = file.metadata()?.len();
        // An empty part would share its start with the next one.
        if size > 0 {
            parts.push((length, file));
            length = length.saturating_add(size);
        }
    }
    Ok((Source::Raw(parts), length))
}

fn open_ewf(files: &[PathBuf], label: &str) -> Result<(Source, u64), OpenError> {
    let (label, path) = (label.to_owned(), files.first().cloned().unwrap_or_default());
    match catch_unwind(|| EwfReader::open_segments(files)) {
        Ok(Ok(reader)) => {
            let length = reader.total_size();
            Ok((Source::Ewf(Box::new(reader)), length))
        }
        Ok(Err(source)) => Err(OpenError::Ewf { label, path, source }),
        Err(_) => Err(OpenError::Stopped { label, path }),
    }
}
