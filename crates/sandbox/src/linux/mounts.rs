//! Determines which file systems evidence is on.

use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt;
use std::path::{Path, PathBuf};

/// The kernel's own file systems, which check rights themselves.
/// Whoever has the capability to read everything may read everything there, whichever user that is.
/// Others ask another machine, or another program, who may read what (`fuse`, `nfs`, `cifs`, `9p`).
const LOCAL: &[&str] = &[
    "bcachefs", "btrfs", "devtmpfs", "erofs", "exfat", "ext2", "ext3", "ext4", "f2fs", "hfs", "hfsplus",
    "iso9660", "jfs", "msdos", "nilfs2", "ntfs", "ntfs3", "overlay", "ramfs", "reiserfs", "squashfs",
    "tmpfs", "udf", "ufs", "vfat", "xfs", "zfs",
];

/// A line of `/proc/self/mountinfo`.
struct Mount {
    at: PathBuf,
    kind: String,
}

/// Checks whether everything at and below these paths is on such file systems; `false` if that is unknown.
pub(crate) fn are_local(paths: &[PathBuf]) -> bool {
    let Ok(text) = std::fs::read("/proc/self/mountinfo") else { return false };
    let mounts: Vec<_> = text.split(|byte| *byte == b'\n').filter_map(parse).collect();
    paths.iter().all(|path| path.canonicalize().is_ok_and(|path| is_local(&path, &mounts)))
}

fn is_local(path: &Path, mounts: &[Mount]) -> bool {
    // Of several mounts at one place, the last one counts.
    let around = mounts.iter().filter(|mount| path.starts_with(&mount.at));
    let around = around.max_by_key(|mount| mount.at.components().count());
    let below = mounts.iter().filter(|mount| mount.at.starts_with(path));
    around.is_some() && around.into_iter().chain(below).all(|mount| LOCAL.contains(&mount.kind.as_str()))
}

/// Parses `ID PARENT DEVICE ROOT PLACE OPTIONS … - KIND …`.
fn parse(line: &[u8]) -> Option<Mount> {
    let mut fields = line.split(|byte| *byte == b' ');
    let at = PathBuf::from(OsString::from_vec(unescaped(fields.nth(4)?)));
    let kind = fields.skip_while(|field| *field != b"-").nth(1)?;
    Some(Mount { at, kind: String::from_utf8_lossy(kind).into_owned() })
}

/// Decodes spaces, tabs, line ends and backslashes, which are written as a backslash and three octal digits.
fn unescaped(mut field: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::new();
    while let Some((first, rest)) = field.split_first() {
        let octal =
            rest.get(..3).filter(|_| *first == b'\\').and_then(|digits| std::str::from_utf8(digits).ok());
        match octal.and_then(|digits| u8::from_str_radix(digits, 8).ok()) {
            Some(byte) => {
                bytes.push(byte);
                field = rest.get(3..).unwrap_or_default();
            }
            None => {
                bytes.push(*first);
                field = rest;
            }
        }
    }
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "\
1 0 8:1 / / rw,relatime - ext4 /dev/sda1 rw
2 1 0:5 / /mnt/a\\040b rw shared:3 - fuse.ewf /dev/fuse rw
3 1 0:6 / /mnt/disk rw - ntfs3 /dev/sdb1 rw
4 3 0:7 / /mnt/disk/share rw - nfs4 server:/ rw
5 1 0:8 / /twice rw - nfs4 server:/ rw
6 1 0:9 / /twice rw - ext4 /dev/sdc1 rw
";

    #[test]
    fn a_file_system_that_asks_another_is_not_local_and_neither_is_what_it_lies_in() {
        let mounts: Vec<_> = TEXT.as_bytes().split(|byte| *byte == b'\n').filter_map(parse).collect();
        assert_eq!(mounts.len(), 6);
        for (path, local) in [
            ("/home/case", true),
            ("/mnt/a b/ewf1", false),
            ("/mnt/a", true),
            ("/mnt/disk/Windows", true),
            ("/mnt/disk", false),
            ("/mnt", false),
            ("/", false),
            ("/twice/x", true),
        ] {
            assert_eq!(is_local(Path::new(path), &mounts), local, "{path}");
        }
        assert!(!is_local(Path::new("/x"), &[]));
    }
}
