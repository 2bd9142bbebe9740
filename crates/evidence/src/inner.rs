//! Disk images and archives that are files within evidence: they are recognised by their first bytes, and not opened.
//!
//! In a folder of files or in an archive, a container next to the drive folders is evidence that nobody
//! examined. Within a drive, it is a file of the host.

use crate::archive::{kind, tar};
use crate::image::begins_like_an_image;
use crate::read::read_full_at;
use crate::tree::{Node, NodeKind, Tree};
use flate2::read::GzDecoder;
use ledger::Gap;
use std::io::Read;

/// The kind of a container.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Inner {
    Image,
    Archive,
}

impl Inner {
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Inner::Image => "a disk image",
            Inner::Archive => "an archive",
        }
    }
}

/// File extensions of disk images.
pub(crate) const IMAGES: [&str; 10] =
    ["e01", "ex01", "vmdk", "vhd", "vhdx", "qcow2", "dd", "raw", "img", "001"];

/// File extensions of archives.
pub(crate) const ARCHIVES: [&str; 6] = ["zip", "7z", "tar", "gz", "tgz", "zst"];

/// The minimum size: a smaller file cannot be a container with evidence.
pub(crate) const LEAST: u64 = 64 << 10;

/// Bytes needed to recognise a container or a medium.
pub(crate) const HEAD: usize = 4608;

/// Returns the gap for an entry that is a disk image by its name and its first bytes: its content is not examined.
pub(crate) fn image(tree: &dyn Tree, node: &Node) -> Option<Gap> {
    (is_named(node, &IMAGES) && node.size >= LEAST).then(|| gap(tree, node, Inner::Image)).flatten()
}

/// Returns the same for an archive.
pub(crate) fn archive(tree: &dyn Tree, node: &Node) -> Option<Gap> {
    (is_named(node, &ARCHIVES) && !is_one_text(tree, node)).then(|| gap(tree, node, Inner::Archive)).flatten()
}

/// Endings of compressed texts, which are not archives: exported logs are read directly.
const TEXTS: [&str; 4] = [".xml.gz", ".json.gz", ".jsonl.gz", ".ndjson.gz"];

/// Checks whether a file is named like a compressed text that may be an exported log.
pub fn names_a_compressed_text(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    TEXTS.iter().any(|end| name.ends_with(end))
}

/// Checks whether a file is named like a compressed text and does not hold a tar.
fn is_one_text(tree: &dyn Tree, node: &Node) -> bool {
    if !names_a_compressed_text(&node.name) {
        return false;
    }
    let mut head = vec![0; HEAD];
    let read = tree.open(node, None).and_then(|mut reader| read_full_at(reader.as_mut(), 0, &mut head));
    let Ok(read) = read else { return false };
    let packed = head.get(..read).unwrap_or_default();
    let mut expanded = Vec::new();
    // The head ends within the compressed data; whatever was expanded before that counts.
    let _ = GzDecoder::new(packed).take(HEAD as u64).read_to_end(&mut expanded);
    packed.starts_with(&[0x1F, 0x8B]) && !tar::is_header(&expanded)
}

/// Folders found at the top of a volume, in lower case: their content belongs to a host.
const TOPS: [&str; 12] = [
    "windows",
    "winnt",
    "users",
    "documents and settings",
    "program files",
    "program files (x86)",
    "programdata",
    "$recycle.bin",
    "home",
    "etc",
    "var",
    "root",
];

/// Checks whether a folder of this name is usually found at the top of a volume.
pub fn is_top(name: &str) -> bool {
    TOPS.contains(&name.to_lowercase().as_str())
}

fn is_named(node: &Node, extensions: &[&str]) -> bool {
    let extension = node.name.rsplit_once('.').map_or("", |(_, extension)| extension);
    node.kind == NodeKind::File && extensions.iter().any(|known| known.eq_ignore_ascii_case(extension))
}

fn gap(tree: &dyn Tree, node: &Node, inner: Inner) -> Option<Gap> {
    let mut head = vec![0; HEAD];
    let read = tree.open(node, None).and_then(|mut reader| read_full_at(reader.as_mut(), 0, &mut head));
    if recognise(head.get(..read.ok()?).unwrap_or_default()) != Some(inner) {
        return None;
    }
    let (what, path) = (inner.as_str(), node.path.as_str().to_owned());
    let reason = format!(
        "{what} among files: what stands in it was not examined; give it by itself, as in `locard run …/{path}`"
    );
    Some(Gap { path, reason })
}

/// Recognises a container by its signature: EWF and EWF 2 (libewf), VMDK (Virtual Disk Format 5.0), VHDX
/// ([MS-VHDX] 2.2.1), VHD (its copied footer), QCOW (QEMU, `qcow2.txt`).
pub(crate) fn recognise(head: &[u8]) -> Option<Inner> {
    const SIGNATURES: [&[u8]; 6] =
        [b"EVF\x09\r\n\xff\0", b"EVF2\r\n\x81\0", b"KDMV", b"vhdxfile", b"conectix", b"QFI\xfb"];
    if kind::recognise(head).is_some() {
        return Some(Inner::Archive);
    }
    let is_image = SIGNATURES.iter().any(|signature| head.starts_with(signature));
    (is_image || begins_like_an_image(head)).then_some(Inner::Image)
}
