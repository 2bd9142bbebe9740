//! The medium itself, in one file or several.

use super::Medium;
use super::acquisition::{Acquisition, ContainerFormat};
use super::missing::Missing;
use crate::image::segments::{absent_segment, open_named};
use crate::platform::FileExt;
use crate::read::Extent;
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

pub(super) struct Raw {
    /// The parts: where each begins, its file, and its index among the image's files.
    parts: Vec<(u64, File, usize)>,
    length: u64,
    files: usize,
    /// The segment that is missing, and one with a higher number that is present.
    absent: Option<(PathBuf, PathBuf)>,
}

impl Raw {
    pub(super) fn open(files: &[PathBuf]) -> io::Result<Raw> {
        let mut raw = Raw { parts: Vec::new(), length: 0, files: files.len(), absent: absent_segment(files) };
        for (index, path) in files.iter().enumerate() {
            let file = open_named(path)?;
            let size = file.metadata()?.len();
            // An empty part would have the same start as the next one.
            if size > 0 {
                raw.parts.push((raw.length, file, index));
                raw.length = raw.length.saturating_add(size);
            }
        }
        Ok(raw)
    }

    pub(super) fn describe(&self) -> Acquisition {
        let format = if self.files > 1 { ContainerFormat::SplitRaw } else { ContainerFormat::Raw };
        Acquisition::new(format, self.length)
    }

    /// Returns the extents of the bytes from `offset` to `end`.
    pub(super) fn extents(&self, offset: u64, end: u64, name: impl Fn(usize) -> String) -> Vec<Extent> {
        let ends = self.parts.iter().skip(1).map(|(start, ..)| *start).chain([self.length]);
        let spans = self.parts.iter().zip(ends);
        spans
            .filter_map(|((start, _, index), stop)| {
                let (from, to) = (offset.max(*start), end.min(stop));
                (from < to).then(|| Extent {
                    container: name(*index),
                    offset: from - start,
                    length: to - from,
                })
            })
            .collect()
    }
}

impl Medium for Raw {
    fn length(&self) -> u64 {
        self.length
    }

    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<usize> {
        let index = self.parts.partition_point(|(start, ..)| *start <= offset);
        match index.checked_sub(1).and_then(|index| self.parts.get(index)) {
            Some((start, file, _)) => file.read_at(buffer, offset - start),
            None => Ok(0),
        }
    }

    fn missing(&self) -> Vec<Missing> {
        let name = |path: &Path| path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let missing = self.absent.iter().map(|(absent, beside)| Missing {
            start: self.length,
            end: None,
            reason: format!("segment {} is missing, {} lies beside it", name(absent), name(beside)),
        });
        missing.collect()
    }
}
