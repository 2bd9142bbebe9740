//! `cargo xtask slow` and `cargo xtask slow-run`: generates evidence that is slow to process, and measures runs over it.
//!
//! `slow FOLDER [--seed N] [--scale N] [--only NAME]…` writes each input of [`INPUTS`] into the folder, as one piece of evidence each;
//! `--scale 100` writes a hundredth of each.
//! `slow-run LOCARD FOLDER [--only NAME]… [-- OPTION…]` runs `locard run` over every input in the folder and prints a line for each.
//! Equal seeds give equal names and contents.

mod archives;
mod campaign;
mod files;
mod folders;
mod plain;

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use testkit::random::Random;

/// A kind of evidence that is slow to process.
pub(super) struct Input {
    /// Its name, and that of its file or folder.
    pub(super) name: &'static str,
    /// What makes it slow.
    about: &'static str,
    write: fn(&mut Site) -> io::Result<()>,
}

/// Sorted by what they stress: walks, archive directories, decompression, holes, decoders.
pub(super) const INPUTS: &[Input] = &[
    Input { name: "many-files", about: "100,000 files in 100 folders", write: folders::many },
    Input { name: "million-files", about: "1,000,000 files in 1,000 folders", write: folders::million },
    Input { name: "one-folder", about: "1,000,000 files in one folder", write: folders::one },
    Input { name: "deep", about: "folders in folders, 2,000 deep", write: folders::deep },
    Input { name: "many-hives", about: "2,000 hives of a few keys", write: folders::hives },
    Input { name: "entries.zip", about: "200,000 entries", write: archives::entries },
    Input { name: "overlap.zip", about: "50,000 entries over the same bytes", write: archives::overlap },
    Input { name: "nested.zip", about: "zips in zips, 1,000 deep", write: archives::nested },
    Input {
        name: "bomb.zip",
        about: "8 MB that expand to 8 GB: a hive, logs, a journal",
        write: archives::bomb_zip,
    },
    Input {
        name: "many-bombs.zip",
        about: "16 MB that expand to 16 GB: 1,000 prefetch files",
        write: archives::bombs_zip,
    },
    Input { name: "bomb.tar.gz", about: "8 MB that expand to 8 GB", write: archives::bomb_gzip },
    Input { name: "bomb.tar.zst", about: "less than a MB that expands to 8 GB", write: archives::bomb_zstd },
    Input { name: "bomb.7z", about: "some 100 KB that expand to 1 GB", write: archives::bomb_seven },
    Input { name: "hole-journal", about: "a $J of 20 GB, all but its end a hole", write: files::journal },
    Input {
        name: "hole-log",
        about: "an event log of 20 GB, all but its first chunks a hole",
        write: files::log,
    },
    Input {
        name: "hole-old-log",
        about: "an event log of the old kind, 500 MB, nearly all a hole",
        write: files::old_log,
    },
    Input { name: "hole-hive", about: "a hive of 4 GB, nearly all a hole", write: files::hive },
    Input { name: "hole-mft", about: "a $MFT of 20 GB, nearly all a hole", write: files::mft },
    Input { name: "hole-prefetch", about: "20 prefetch files of 1 GB, holes", write: files::prefetch },
    Input { name: "hole-disk.raw", about: "a disk of 20 GB that holds nothing", write: files::disk },
    Input { name: "zero-journal", about: "a $J of 1 GB of zeros that are stored", write: files::zeros },
    Input { name: "long-history", about: "a PowerShell history of 500 MB", write: files::history },
    Input { name: "long-line", about: "text files of one line of 500 MB", write: files::line },
];

/// The place where an input is written, and its scale.
pub(super) struct Site {
    /// Its file or folder, which does not exist yet.
    path: PathBuf,
    random: Random,
    /// Only one in this many items is written.
    scale: u64,
}

impl Site {
    /// Returns a number, scaled.
    fn of(&self, many: u64) -> u64 {
        many.div_ceil(self.scale)
    }

    /// Returns a random name.
    fn word(&mut self) -> String {
        format!("{:08x}", self.random.below(1 << 32))
    }

    /// Creates a file in the input's folder, with its parent folders.
    fn file(&self, path: &str) -> io::Result<File> {
        let path = self.path.join(path);
        path.parent().map_or(Ok(()), fs::create_dir_all)?;
        File::create_new(path)
    }
}

/// Writes the requested inputs.
pub(crate) fn write(say: fn(String)) -> io::Result<()> {
    let mut words = std::env::args().skip(2);
    let folder = words.next().filter(|word| !word.starts_with('-'));
    let folder = PathBuf::from(folder.ok_or_else(|| io::Error::other("expected a folder"))?);
    let (mut seed, mut scale, mut only) = (1, 1, Vec::new());
    while let Some(word) = words.next() {
        let value = words.next().ok_or_else(|| io::Error::other(format!("{word} needs a value")))?;
        let number = || value.parse::<u64>().map_err(|_| io::Error::other(format!("{word} needs a number")));
        match word.as_str() {
            "--seed" => seed = number()?,
            "--scale" => scale = number()?.max(1),
            "--only" => only.push(value),
            _ => return Err(io::Error::other(format!("no option {word}"))),
        }
    }
    fs::create_dir_all(&folder)?;
    for input in asked(&only)? {
        say(format!("{}: {}", input.name, input.about));
        write_one(input, &folder, seed, scale)?;
    }
    Ok(())
}

/// Writes one input.
fn write_one(input: &Input, folder: &Path, seed: u64, scale: u64) -> io::Result<()> {
    (input.write)(&mut Site { path: folder.join(input.name), random: Random::new(seed), scale })
}

/// Runs over the inputs in a folder.
pub(crate) fn run(say: fn(String)) -> io::Result<()> {
    let mut words = std::env::args().skip(2);
    let wrong = || io::Error::other("expected the program and the folder of the inputs");
    let (locard, folder) = (words.next().ok_or_else(wrong)?, words.next().ok_or_else(wrong)?);
    let (mut only, mut options) = (Vec::new(), Vec::new());
    while let Some(word) = words.next() {
        match word.as_str() {
            "--only" => only.extend(words.next()),
            "--" => options.extend(words.by_ref()),
            _ => return Err(io::Error::other(format!("no option {word}"))),
        }
    }
    let inputs = asked(&only)?.into_iter().map(|input| input.name);
    campaign::run(Path::new(&locard), Path::new(&folder), inputs, &options, say)
}

fn asked(only: &[String]) -> io::Result<Vec<&'static Input>> {
    let unknown = only.iter().find(|name| INPUTS.iter().all(|input| input.name != **name));
    if let Some(name) = unknown {
        return Err(io::Error::other(format!("no input is called {name:?}")));
    }
    let wanted = |input: &&Input| only.is_empty() || only.iter().any(|name| name == input.name);
    Ok(INPUTS.iter().filter(wanted).collect())
}

#[cfg(test)]
mod tests {
    use super::{INPUTS, write_one};
    use std::path::Path;

    fn size(path: &Path) -> u64 {
        let metadata = path.symlink_metadata().unwrap();
        let below = if metadata.is_dir() {
            path.read_dir().unwrap().map(|entry| size(&entry.unwrap().path())).sum()
        } else {
            0
        };
        metadata.len() + below
    }

    #[test]
    fn every_input_is_written_alike_each_time() {
        for input in INPUTS {
            let (one, two) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
            write_one(input, one.path(), 1, 10_000).unwrap();
            write_one(input, two.path(), 1, 10_000).unwrap();
            let [one, two] = [one, two].map(|place| size(&place.path().join(input.name)));
            assert!(one > 0 && one == two, "{}: {one}, {two}", input.name);
        }
    }
}
