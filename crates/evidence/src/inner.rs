//! Disk images and archives that lie in evidence as files: they are told by their first bytes, and not opened.
//!
//! In a folder of files, or in an archive, what lies beside the folders of drives is evidence as these are, and nobody examined it. What lies in a drive is a file of the host.

use crate::archive::{kind, tar};
use crate::image::begins_like_an_image;
use crate::read::read_full_at;
use crate::tree::{Node, NodeKind, Tree};
use flate2::read::GzDecoder;
use ledger::Gap;
use std::io::Read;

/// What a container is told as.
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

/// Names of disk images.
pub(crate) const IMAGES: [&str; 10] =
    ["e01", "ex01", "vmdk", "vhd", "vhdx", "qcow2", "dd", "raw", "img", "001"];

/// Names of archives.
pub(crate) const ARCHIVES: [&str; 6] = ["zip", "7z", "tar", "gz", "tgz", "zst"];

/// A smaller file is no container that could hold evidence.
pub(crate) const LEAST: u64 = 64 << 10;

/// Bytes that tell a container or a medium.
pub(crate) const HEAD: usize = 4608;

/// What is not examined where an entry is a disk image by its name and by its first bytes: whatever stands in it.
pub(crate) fn image(tree: &dyn Tree, node: &Node) -> Option<Gap> {
    (is_named(node, &IMAGES) && node.size >= LEAST).then(|| gap(tree, node, Inner::Image)).flatten()
}

/// The same of an archive.
pub(crate) fn archive(tree: &dyn Tree, node: &Node) -> Option<Gap> {
    (is_named(node, &ARCHIVES) && !is_one_text(tree, node)).then(|| gap(tree, node, Inner::Archive)).flatten()
}

/// How the names of compressed texts end, which are no archives: exported logs are read as they are.
const TEXTS: [&str; 4] = [".xml.gz", ".json.gz", ".jsonl.gz", ".ndjson.gz"];

/// Whether a file is named as a compressed text that may be an exported log.
pub fn names_a_compressed_text(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    TEXTS.iter().any(|end| name.ends_with(end))
}

/// Whether a file is named as a compressed text, and holds no tar.
fn is_one_text(tree: &dyn Tree, node: &Node) -> bool {
    if !names_a_compressed_text(&node.name) {
        return false;
    }
    let mut head = vec![0; HEAD];
    let read = tree.open(node, None).and_then(|mut reader| read_full_at(reader.as_mut(), 0, &mut head));
    let Ok(read) = read else { return false };
    let packed = head.get(..read).unwrap_or_default();
    let mut expanded = Vec::new();
    // The head ends within what is compressed: what was expanded before counts.
    let _ = GzDecoder::new(packed).take(HEAD as u64).read_to_end(&mut expanded);
    packed.starts_with(&[0x1F, 0x8B]) && !tar::is_header(&expanded)
}

/// Folders that stand at the top of a volume, in lower case: what is in them is a host's.
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

/// Whether a folder of this name stands at the top of a volume.
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

/// Signatures: EWF and EWF 2 (libewf), VMDK (Virtual Disk Format 5.0), VHDX ([MS-VHDX] 2.2.1), VHD (its copied footer), QCOW (QEMU, `qcow2.txt`).
pub(crate) fn recognise(head: &[u8]) -> Option<Inner> {
    const SIGNATURES: [&[u8]; 6] =
        [b"EVF\x09\r\n\xff\0", b"EVF2\r\n\x81\0", b"KDMV", b"vhdxfile", b"conectix", b"QFI\xfb"];
    if kind::recognise(head).is_some() {
        return Some(Inner::Archive);
    }
    let is_image = SIGNATURES.iter().any(|signature| head.starts_with(signature));
    (is_image || begins_like_an_image(head)).then_some(Inner::Image)
}
