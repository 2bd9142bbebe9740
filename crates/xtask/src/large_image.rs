//! Generates a large NTFS image for measurements: many small files with generated content, and copies of a folder tree.
//!
//! `mkntfs` and `ntfs-3g` (through FUSE, as root) write it, so that our own code does not determine the layout of the volume.
//! Equal seeds give files with equal names and contents; the driver decides where they are on the volume.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::Command;

/// The number of folders with small files.
const FOLDERS: u32 = 400;
/// The minimum size of a small file in bytes, and the range above it.
const SHORTEST: usize = 64;
const SPREAD: u64 = 600;

/// The parameters of the image.
pub(crate) struct LargeImage {
    /// The path of the image, which must not exist yet.
    pub(crate) path: PathBuf,
    /// The size of the volume in GiB; the file is sparse.
    pub(crate) gibibytes: u64,
    /// The number of small files.
    pub(crate) files: u32,
    /// The folder whose tree is copied, if any.
    pub(crate) tree: Option<PathBuf>,
    /// The number of copies.
    pub(crate) copies: u32,
    pub(crate) seed: u64,
}

/// Writes the image, using a temporary mount point next to it.
pub(crate) fn write(image: &LargeImage) -> io::Result<()> {
    let mount = image.path.with_extension("mount");
    File::create_new(&image.path)?.set_len(image.gibibytes << 30)?;
    run(program("mkntfs").args(["-F", "-Q", "-q"]).arg(&image.path))?;
    fs::create_dir(&mount)?;
    run(program("ntfs-3g").args(["-o", "big_writes"]).arg(&image.path).arg(&mount))?;
    let filled = fill(image, &mount);
    let unmounted = run(program("umount").arg(&mount));
    filled.and(unmounted)?;
    fs::remove_dir(&mount)
}

fn fill(image: &LargeImage, volume: &Path) -> io::Result<()> {
    let mut random = Random(image.seed);
    for folder in 0..FOLDERS {
        let folder_path = volume.join(format!("data/{folder:03}"));
        fs::create_dir_all(&folder_path)?;
        // The numbers of the files in this folder.
        for number in (folder..image.files).step_by(FOLDERS as usize) {
            let mut file =
                File::create_new(folder_path.join(format!("{number:06}-{:08x}.dat", random.next())))?;
            file.write_all(&random.bytes())?;
        }
    }
    for copy in 0..image.copies {
        if let Some(tree) = &image.tree {
            run(program("cp").args(["-r", "--"]).arg(tree).arg(volume.join(format!("host-{copy}"))))?;
        }
    }
    Ok(())
}

#[expect(clippy::disallowed_methods, reason = "the chore has other programs write the volume")]
fn program(name: &str) -> Command {
    Command::new(name)
}

fn run(command: &mut Command) -> io::Result<()> {
    let status = command.status()?;
    if status.success() { Ok(()) } else { Err(io::Error::other(format!("{command:?} ended with {status}"))) }
}

/// Reproducible pseudo-random numbers (SplitMix64: Steele, Lea, Flood, "Fast splittable pseudorandom number generators", 2014).
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// Returns the content of a small file: letters, as in a log.
    fn bytes(&mut self) -> Vec<u8> {
        let length = SHORTEST + usize::try_from(self.next() % SPREAD).unwrap_or_default();
        let letter = |byte: u8| b'a' + byte % 26;
        let mut bytes = Vec::with_capacity(length + 8);
        while bytes.len() < length {
            bytes.extend(self.next().to_le_bytes().map(letter));
        }
        bytes.truncate(length);
        bytes
    }
}
