//! Folders with many entries, and with few entries at great depth.

use super::Site;
use std::fs::{self, File};
use std::io::{self, Write};
use testkit::hive::{HiveSpec, KeySpec, ValueSpec};

/// Writes files of a few bytes into folders.
fn spread(site: &mut Site, files: u64, folders: u64) -> io::Result<()> {
    let (files, folders) = (site.of(files), site.of(folders));
    for folder in 0..folders {
        let place = site.path.join(format!("data/{folder:04}"));
        fs::create_dir_all(&place)?;
        for number in (folder..files).step_by(usize::try_from(folders).unwrap_or(usize::MAX)) {
            let name = format!("{number:07}-{}.dat", site.word());
            File::create_new(place.join(name))?.write_all(b"slow")?;
        }
    }
    Ok(())
}

pub(super) fn many(site: &mut Site) -> io::Result<()> {
    spread(site, 100_000, 100)
}

pub(super) fn million(site: &mut Site) -> io::Result<()> {
    spread(site, 1_000_000, 1000)
}

/// Writes empty files: the names alone make it slow.
pub(super) fn one(site: &mut Site) -> io::Result<()> {
    let place = site.path.join("Windows/Prefetch");
    fs::create_dir_all(&place)?;
    for number in 0..site.of(1_000_000) {
        File::create_new(place.join(format!("{number:07}-{}.tmp", site.word())))?;
    }
    Ok(())
}

/// Writes nested folders, deeper than any path that a system accepts at once, with a file at the bottom.
pub(super) fn deep(site: &mut Site) -> io::Result<()> {
    fs::create_dir(&site.path)?;
    let mut bottom = site.path.join("inside");
    fs::create_dir(&bottom)?;
    File::create_new(bottom.join("notes.txt"))?.write_all(b"the bottom")?;
    // From the inside out: each step moves what exists into a new folder, so that no path becomes long.
    for _ in 0..site.of(2000) {
        let above = site.path.join("above");
        fs::create_dir(&above)?;
        fs::rename(&bottom, above.join("d"))?;
        bottom = site.path.join("inside");
        fs::rename(above, &bottom)?;
    }
    Ok(())
}

pub(super) fn hives(site: &mut Site) -> io::Result<()> {
    for number in 0..site.of(2000) {
        let value = ValueSpec::sz("updater", &format!("C:\\Tools\\{}.exe", site.word()));
        let run = KeySpec::new("Run").value(value);
        let root = KeySpec::new("ROOT").path("Software\\Microsoft\\Windows\\CurrentVersion\\Run", run);
        site.file(&format!("Users/u{number:04}/NTUSER.DAT"))?
            .write_all(&HiveSpec::new(root).build().bytes)?;
    }
    Ok(())
}
