//! A root that contains only what calls may read and where they write.
//!
//! Landlock denies the content of other files, but not asking whether they exist; without a name they cannot be asked about.
//! Paths mean the same as before: the links on the way to the visible files exist, too.

use crate::linux::sys;
use std::collections::VecDeque;
use std::ffi::OsString;
use std::fs::{self, OpenOptions};
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::fs::{FileTypeExt, symlink};
use std::path::{Component, Path, PathBuf};

/// The most links that the system follows on one path.
const MOST_LINKS: usize = 40;

/// Where a path leads.
struct Way {
    /// The links on the way, with their targets.
    links: Vec<(PathBuf, PathBuf)>,
    /// Its end, without links.
    end: PathBuf,
}

/// Keeps of all mounts only `readable`, to read, and the scratch root, to write.
///
/// The caller has mounts of its own. After an error they are unchanged.
pub(crate) fn hide(readable: &[PathBuf], scratch_root: &Path) -> io::Result<()> {
    let mut ways = readable.iter().map(|path| way(path)).collect::<io::Result<Vec<_>>>()?;
    let scratch = way(scratch_root)?;
    let mut ends: Vec<_> = ways.iter().map(|way| way.end.clone()).collect();
    // An enclosing folder comes before what is in it.
    ends.sort_by_key(|end| end.components().count());
    let mut shown: Vec<(PathBuf, OwnedFd)> = Vec::new();
    for end in ends {
        let within = |(other, _): &(PathBuf, OwnedFd)| end.starts_with(other);
        if !shown.iter().any(within) && !end.starts_with(&scratch.end) {
            let copy = sys::copy_of(&end)?;
            sys::set_copies(&copy, libc::MOUNT_ATTR_RDONLY | plain(&end))?;
            shown.push((end, copy));
        }
    }
    let copy = sys::copy_of(&scratch.end)?;
    sys::set_copies(&copy, plain(&scratch.end))?;
    shown.push((scratch.end.clone(), copy));
    // The new root is built at a place that certainly exists until it becomes the root.
    let root = scratch.end.clone();
    ways.push(scratch);
    sys::cover(&root)?;
    furnish(&root, &ways, &shown).and_then(|()| enter(&root)).inspect_err(|_| {
        // A process inside would keep it busy; calls change to their own folders anyway.
        let _ = std::env::set_current_dir("/");
        let _ = sys::uncover(&root);
    })
}

/// Returns the mount attributes that forbid what no evidence and no scratch file needs.
fn plain(path: &Path) -> u64 {
    let devices = if is_device(path) { 0 } else { libc::MOUNT_ATTR_NODEV };
    libc::MOUNT_ATTR_NOSUID | libc::MOUNT_ATTR_NOEXEC | devices
}

/// Checks whether evidence is read from a disk device itself: then devices must exist.
pub(crate) fn is_device(path: &Path) -> bool {
    path.metadata().is_ok_and(|metadata| {
        let kind = metadata.file_type();
        kind.is_block_device() || kind.is_char_device()
    })
}

/// Creates the folders and links on the ways below `root`, and attaches the copies at their ends.
fn furnish(root: &Path, ways: &[Way], shown: &[(PathBuf, OwnedFd)]) -> io::Result<()> {
    for (link, target) in ways.iter().flat_map(|way| &way.links) {
        let place = below(root, link);
        make_parents(&place)?;
        match symlink(target, &place) {
            Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(error),
            Ok(()) | Err(_) => {}
        }
    }
    for (end, copy) in shown {
        let place = below(root, end);
        // It exists already if it is inside something visible.
        if place.symlink_metadata().is_err() {
            make_parents(&place)?;
            match end_is_folder(copy)? {
                true => fs::create_dir(&place)?,
                false => drop(OpenOptions::new().write(true).create_new(true).open(&place)?),
            }
        }
        sys::attach(copy, &place)?;
    }
    sys::set_mounts(root, false, libc::MOUNT_ATTR_RDONLY, 0)
}

fn end_is_folder(copy: &OwnedFd) -> io::Result<bool> {
    Ok(fs::File::from(copy.try_clone()?).metadata()?.is_dir())
}

fn make_parents(place: &Path) -> io::Result<()> {
    place.parent().map_or(Ok(()), fs::create_dir_all)
}

fn enter(root: &Path) -> io::Result<()> {
    std::env::set_current_dir(root)?;
    sys::swap_roots()
}

fn below(root: &Path, path: &Path) -> PathBuf {
    root.join(path.strip_prefix("/").unwrap_or(path))
}

/// Follows an absolute path as the system does, and records the links that it meets.
fn way(path: &Path) -> io::Result<Way> {
    let mut left: VecDeque<_> = parts(path).collect();
    let mut way = Way { links: Vec::new(), end: PathBuf::from("/") };
    while let Some(part) = left.pop_front() {
        match part {
            Part::Root => way.end = PathBuf::from("/"),
            Part::Up => drop(way.end.pop()),
            Part::Name(name) => {
                let next = way.end.join(name);
                if !next.symlink_metadata()?.is_symlink() {
                    way.end = next;
                    continue;
                }
                if way.links.len() == MOST_LINKS {
                    return Err(io::Error::from_raw_os_error(libc::ELOOP));
                }
                let target = next.read_link()?;
                for part in parts(&target).rev() {
                    left.push_front(part);
                }
                way.links.push((next, target));
            }
        }
    }
    Ok(way)
}

/// A step on a path.
enum Part {
    Root,
    Up,
    Name(OsString),
}

fn parts(path: &Path) -> impl DoubleEndedIterator<Item = Part> + '_ {
    path.components().filter_map(|component| match component {
        Component::RootDir => Some(Part::Root),
        Component::ParentDir => Some(Part::Up),
        Component::Normal(name) => Some(Part::Name(name.to_owned())),
        Component::CurDir | Component::Prefix(_) => None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_way_keeps_every_link_that_the_system_follows() {
        let home = tempfile::tempdir().unwrap();
        let home = home.path().canonicalize().unwrap();
        fs::create_dir_all(home.join("disk/case")).unwrap();
        drop(fs::File::create(home.join("disk/case/file")).unwrap());
        symlink("disk", home.join("first")).unwrap();
        symlink(home.join("first/case"), home.join("second")).unwrap();
        symlink("../second/file", home.join("disk/third")).unwrap();
        let way = way(&home.join("first/../disk/third")).unwrap();
        assert_eq!(way.end, home.join("disk/case/file"));
        let links: Vec<_> = way.links.iter().map(|(link, _)| link.clone()).collect();
        assert_eq!(links, ["first", "disk/third", "second", "first"].map(|name| home.join(name)));
    }

    #[test]
    fn a_way_in_a_circle_ends_as_the_system_ends_it() {
        let home = tempfile::tempdir().unwrap();
        symlink("circle", home.path().join("circle")).unwrap();
        let error = way(&home.path().join("circle")).err().unwrap();
        assert_eq!(error.raw_os_error(), Some(libc::ELOOP));
    }
}
