//! Recognises the container format of a file by its content, never by its name.

use super::acquisition::ContainerFormat;
use super::{ewf, qcow2, vhd, vhdx, vmdk};
use crate::image::segments::open_named;
use crate::platform::FileExt;
use std::fs::File;
use std::io;
use std::path::Path;

/// Distances from the end of a VHD to its footer; files of old programs lack the last byte.
const FOOTERS: [u64; 2] = [512, 511];

/// Returns the container format of `path`; `None` if it is the bare medium, or not an image at all.
pub(in crate::image) fn recognise(path: &Path) -> io::Result<Option<ContainerFormat>> {
    let file = open_named(path)?;
    let mut head = [0; 32];
    let read = fill(&file, 0, &mut head)?;
    let head = head.get(..read).unwrap_or_default();
    Ok(if ewf::SIGNATURES.iter().any(|signature| head.starts_with(*signature)) {
        Some(ContainerFormat::Ewf)
    } else if head.starts_with(vhdx::SIGNATURE) {
        Some(ContainerFormat::Vhdx)
    } else if head.starts_with(qcow2::MAGIC) {
        Some(ContainerFormat::Qcow2)
    } else if head.starts_with(vmdk::SPARSE) || head.starts_with(vmdk::COW) || vmdk::is_descriptor(head) {
        Some(ContainerFormat::Vmdk)
    } else if head.starts_with(vhd::COOKIE) || ends_with_footer(&file)? {
        Some(ContainerFormat::Vhd)
    } else {
        None
    })
}

fn ends_with_footer(file: &File) -> io::Result<bool> {
    let length = file.metadata()?.len();
    for offset in FOOTERS.into_iter().filter_map(|back| length.checked_sub(back)) {
        let mut cookie = [0; 8];
        if fill(file, offset, &mut cookie)? == cookie.len() && cookie == *vhd::COOKIE {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Reads until the end of the file at most.
fn fill(file: &File, offset: u64, buffer: &mut [u8]) -> io::Result<usize> {
    let mut filled = 0;
    while let Some(rest) = buffer.get_mut(filled..).filter(|rest| !rest.is_empty()) {
        match file.read_at(rest, offset + filled as u64)? {
            0 => break,
            read => filled += read,
        }
    }
    Ok(filled)
}
