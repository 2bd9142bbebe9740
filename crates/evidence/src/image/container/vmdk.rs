//! VMDK: virtual disks of VMware.
//!
//! Source: Virtual Disk Format 5.0 (VMware technical note, 2011). All numbers are little-endian.
//! A VMDK is one file that holds grains, or a text that names the files that do. Those must be in the same
//! folder, under plain names.

mod descriptor;
mod sparse;

pub(in crate::image) use descriptor::extent_files;

use super::acquisition::{Acquisition, ContainerFormat, shown};
use super::error::ContainerError;
use super::missing::{Missing, Ranges};
use super::store::Store;
use super::{Medium, zeros};
use descriptor::{Descriptor, ExtentKind, ExtentLine};
use sparse::Sparse;
use std::io;
use std::path::Path;

pub(super) const SPARSE: &[u8; 4] = b"KDMV";
pub(super) const COW: &[u8; 4] = b"COWD";

const SECTOR: u64 = 512;

/// The content id that means no parent.
const NO_PARENT: &str = "ffffffff";

pub(super) struct Vmdk {
    /// The start and the end of each extent on the medium.
    extents: Vec<(u64, u64, Extent)>,
    length: u64,
}

enum Extent {
    /// The medium itself, from this byte of the file on.
    Flat(Store, u64),
    Sparse(Box<Sparse>),
    Zero,
    /// The descriptor forbids reading it.
    NoAccess,
}

/// Checks whether these are the first bytes of a descriptor.
pub(super) fn is_descriptor(head: &[u8]) -> bool {
    descriptor::begins(head)
}

pub(super) fn open(path: &Path) -> Result<(Vmdk, Acquisition), ContainerError> {
    let store = Store::open(path)?;
    let magic: [u8; 4] = store.array(0, "the signature")?;
    if [SPARSE, COW].contains(&&magic) {
        let sparse = Sparse::open(store)?;
        let descriptor = sparse.descriptor()?;
        refuse_parent(&descriptor)?;
        let (length, grain, packed) = (sparse.length(), sparse.grain(), sparse.is_compressed());
        let extents = vec![(0, length, Extent::Sparse(Box::new(sparse)))];
        let mut acquisition = describe(&descriptor, length, 1);
        (acquisition.chunk_size, acquisition.compressed) = (Some(grain), Some(packed));
        return Ok((Vmdk { extents, length }, acquisition));
    }
    let descriptor = Descriptor::read(&store)?;
    refuse_parent(&descriptor)?;
    let mut extents = Vec::new();
    let mut length: u64 = 0;
    for line in &descriptor.extents {
        let end = line.sectors.checked_mul(SECTOR).and_then(|bytes| length.checked_add(bytes));
        let end = end.filter(|end| *end <= 1 << 62).ok_or(ContainerError::Value {
            offset: 0,
            what: "sectors of an extent",
            expected: "at most 2^53 in all",
            found: line.sectors,
        })?;
        // An empty extent would have the same start as the next one.
        if end > length {
            extents.push((length, end, extent(path, line)?));
        }
        length = end;
    }
    if extents.is_empty() {
        return Err(ContainerError::Missing { what: "extent" });
    }
    let acquisition = describe(&descriptor, length, extents.len());
    Ok((Vmdk { extents, length }, acquisition))
}

impl Medium for Vmdk {
    fn length(&self) -> u64 {
        self.length
    }

    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<usize> {
        let index = self.extents.partition_point(|(start, ..)| *start <= offset);
        let Some((start, end, extent)) = index.checked_sub(1).and_then(|index| self.extents.get(index))
        else {
            return Ok(0);
        };
        let (part, within) = (super::piece(buffer, end.saturating_sub(offset)), offset - start);
        match extent {
            Extent::Flat(store, first) => {
                store.read_exact_at(first.saturating_add(within), part)?;
                Ok(part.len())
            }
            Extent::Sparse(sparse) => sparse.read_at(within, part),
            Extent::Zero => Ok(zeros(part)),
            Extent::NoAccess => {
                Err(ContainerError::Unsupported { what: "the extent is marked NOACCESS" }.into())
            }
        }
    }

    fn missing(&self) -> Vec<Missing> {
        let mut missing = Vec::new();
        for (start, end, extent) in &self.extents {
            if let Extent::Flat(store, first) = extent {
                let held = start.saturating_add(store.length().saturating_sub(*first));
                let mut ranges = Ranges::default();
                if held < *end {
                    ranges.add(held, *end);
                }
                missing.extend(ranges.cut(store.length()));
            }
            if let Extent::Sparse(sparse) = extent {
                missing.extend(sparse.missing(*start));
            }
        }
        missing
    }
}

fn extent(path: &Path, line: &ExtentLine) -> Result<Extent, ContainerError> {
    let open = || Store::open(&descriptor::beside(path, &line.name)?);
    match line.kind {
        ExtentKind::Flat => Ok(Extent::Flat(open()?, line.offset.saturating_mul(SECTOR))),
        ExtentKind::Sparse => Ok(Extent::Sparse(Box::new(Sparse::open(open()?)?))),
        ExtentKind::Zero => Ok(Extent::Zero),
        ExtentKind::NoAccess => Ok(Extent::NoAccess),
        ExtentKind::SeSparse => Err(ContainerError::Unsupported { what: "an extent is of type SESPARSE" }),
        ExtentKind::Device => Err(ContainerError::Unsupported { what: "an extent is a device" }),
    }
}

fn refuse_parent(descriptor: &Descriptor) -> Result<(), ContainerError> {
    match descriptor.text("parentCID") {
        Some(id) if !id.eq_ignore_ascii_case(NO_PARENT) => {
            let hint = descriptor.text("parentFileNameHint").unwrap_or(id);
            Err(ContainerError::Parent { parent: shown(hint) })
        }
        Some(_) | None => Ok(()),
    }
}

fn describe(descriptor: &Descriptor, length: u64, extents: usize) -> Acquisition {
    let mut acquisition = Acquisition::new(ContainerFormat::Vmdk, length);
    acquisition.sector_size = Some(512);
    let text = |key| descriptor.text(key).unwrap_or_default();
    acquisition.value("create type", text("createType"));
    acquisition.value("adapter type", text("ddb.adapterType"));
    acquisition.value("virtual hardware version", text("ddb.virtualHWVersion"));
    acquisition.value("tools version", text("ddb.toolsVersion"));
    acquisition.value("extents", &extents.to_string());
    acquisition.identifier("content id", text("CID"));
    acquisition.identifier("long content id", text("ddb.longContentID"));
    acquisition.identifier("uuid", text("ddb.uuid"));
    acquisition
}
