//! The scratch folder of one call.

use std::fs::{self, Permissions};
use std::io;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

/// Creates the folder `path`, empty.
/// A folder left there by an earlier process with the same number is removed first.
pub(crate) fn make(path: &Path) -> io::Result<()> {
    match fs::create_dir(path) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
            clear(path)?;
            fs::create_dir(path)
        }
        other => other,
    }
}

/// Removes the folder `path` with everything in it; a missing folder is fine.
///
/// The content is hostile: it may be nested deeper than a recursive removal has stack or descriptors for.
/// So folders are moved up to the first level before they are emptied, and symbolic links are never followed.
/// The process that wrote here must be dead.
pub fn clear(path: &Path) -> io::Result<()> {
    match fs::remove_dir(path) {
        Ok(()) => return Ok(()),
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        Err(_) => {}
    }
    let mut moved = 0;
    // Each round removes the folders of the first level and moves up those of the second.
    while empty_once(path, path, &mut moved)? {
        for entry in list(path)? {
            let entry = entry?;
            if entry.file_type()?.is_dir() {
                empty_once(&entry.path(), path, &mut moved)?;
                fs::remove_dir(entry.path())?;
            }
        }
    }
    fs::remove_dir(path)
}

/// Unlinks the files of `folder` and moves its folders into `top` under new names.
/// If `folder` is `top`, returns whether `top` still contains a folder.
fn empty_once(folder: &Path, top: &Path, moved: &mut u64) -> io::Result<bool> {
    let mut folders = false;
    for entry in list(folder)? {
        let entry = entry?;
        if !entry.file_type()?.is_dir() {
            fs::remove_file(entry.path())?;
            continue;
        }
        folders = true;
        if folder != top {
            move_up(&entry.path(), top, moved)?;
        }
    }
    Ok(folders)
}

fn move_up(folder: &Path, top: &Path, moved: &mut u64) -> io::Result<()> {
    loop {
        *moved += 1;
        let target = top.join(format!("removed-{moved}"));
        match fs::symlink_metadata(&target) {
            Ok(_) => {}
            Err(error) if error.kind() == io::ErrorKind::NotFound => return rename(folder, &target),
            Err(error) => return Err(error),
        }
    }
}

/// Renames a folder; makes it accessible first if needed, because its entry `..` changes.
fn rename(folder: &Path, target: &Path) -> io::Result<()> {
    match fs::rename(folder, target) {
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied => {
            fs::set_permissions(folder, Permissions::from_mode(0o700))?;
            fs::rename(folder, target)
        }
        other => other,
    }
}

/// Lists a folder; makes it accessible first if its creator has locked everybody out.
fn list(folder: &Path) -> io::Result<fs::ReadDir> {
    match fs::read_dir(folder) {
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied => {
            fs::set_permissions(folder, Permissions::from_mode(0o700))?;
            fs::read_dir(folder)
        }
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::symlink;

    #[test]
    fn a_nested_tree_is_removed_and_links_are_not_followed() {
        let home = tempfile::tempdir().unwrap();
        let outside = home.path().join("outside");
        fs::create_dir_all(outside.join("kept")).unwrap();
        let scratch = home.path().join("scratch");
        fs::create_dir_all(scratch.join("a/b/c/d/e")).unwrap();
        fs::create_dir_all(scratch.join("removed-1/removed-2")).unwrap();
        fs::File::create(scratch.join("a/b/file")).unwrap();
        symlink(&outside, scratch.join("a/b/c/link")).unwrap();
        clear(&scratch).unwrap();
        assert!(!scratch.exists());
        assert!(outside.join("kept").exists());
    }

    #[test]
    fn a_tree_deeper_than_the_longest_path_is_removed() {
        let home = tempfile::tempdir().unwrap();
        let scratch = home.path().join("scratch");
        fs::create_dir(&scratch).unwrap();
        // Built from the inside out, because no path of that length can be named.
        for _ in 0..3000 {
            fs::create_dir(scratch.join("outer")).unwrap();
            if scratch.join("inner").exists() {
                fs::rename(scratch.join("inner"), scratch.join("outer/inner")).unwrap();
            }
            fs::rename(scratch.join("outer"), scratch.join("inner")).unwrap();
        }
        clear(&scratch).unwrap();
        assert!(!scratch.exists());
    }

    #[test]
    fn making_empties_what_was_left_there() {
        let home = tempfile::tempdir().unwrap();
        let scratch = home.path().join("1-1");
        fs::create_dir_all(scratch.join("old")).unwrap();
        make(&scratch).unwrap();
        assert_eq!(fs::read_dir(&scratch).unwrap().count(), 0);
    }
}
