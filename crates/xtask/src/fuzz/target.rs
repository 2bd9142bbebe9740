//! The programs of the fuzz targets: building, running, and merging corpora.

use super::ledger::Entry;
use crate::place::Place;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// The coverage flags that cargo-fuzz sets (`docs/fuzzing.md`).
const FLAGS: &str = "--cfg fuzzing -Cpasses=sancov-module -Cllvm-args=-sanitizer-coverage-level=4 \
     -Cllvm-args=-sanitizer-coverage-inline-8bit-counters -Cllvm-args=-sanitizer-coverage-pc-table \
     -Cllvm-args=-sanitizer-coverage-trace-compares";

/// An explicit target, so that build scripts are built without these flags.
const TRIPLE: &str = "x86_64-unknown-linux-gnu";

/// The limits for every target: bytes of an input, seconds for one, MB of memory.
const BOUNDS: [&str; 3] = ["-max_len=65536", "-timeout=20", "-rss_limit_mb=2048"];

/// The locations of the targets and their inputs.
pub(super) struct Site {
    programs: PathBuf,
    /// `fuzz/corpus`, with inputs kept from earlier runs.
    kept: PathBuf,
    place: Place,
}

impl Site {
    /// Builds the targets, and writes the samples as initial inputs.
    #[expect(clippy::disallowed_methods, reason = "the chore runs cargo and writes inputs")]
    pub(super) fn build(root: &Path) -> io::Result<Site> {
        let fuzz = root.join("fuzz");
        let built = Command::new("cargo")
            .args(["+nightly", "build", "--release", "--locked", "--target", TRIPLE])
            .env("RUSTFLAGS", FLAGS)
            .current_dir(&fuzz)
            .status()?;
        if !built.success() {
            return Err(io::Error::other("the fuzz targets do not build"));
        }
        let place = Place::new("fuzz")?;
        for (number, (target, bytes)) in crate::seeds().enumerate() {
            let folder = place.path().join("inputs").join(target);
            fs::create_dir_all(&folder)?;
            fs::write(folder.join(format!("sample-{number}")), bytes)?;
        }
        let programs = fuzz.join("target").join(TRIPLE).join("release");
        Ok(Site { programs, kept: root.join(super::CORPUS), place })
    }

    /// Returns the folder of inputs that ended a target.
    pub(super) fn artifacts(&self) -> PathBuf {
        self.place.path().join("artifacts")
    }

    /// Runs a target for this many seconds, on one core.
    #[expect(clippy::disallowed_methods, reason = "the chore runs the targets")]
    pub(super) fn run(&self, name: &str, seconds: u64) -> io::Result<Entry> {
        let (inputs, kept) = (self.place.path().join("inputs").join(name), self.kept.join(name));
        let artifacts = self.artifacts().join(name);
        let timed = self.place.path().join("time");
        for folder in [&inputs, &artifacts] {
            fs::create_dir_all(folder)?;
        }
        let mut command = Command::new("time");
        command.args(["-f", "%U %S", "-o"]).arg(&timed).arg(self.program(name)).arg(&inputs);
        command.args(Some(kept).filter(|kept| kept.is_dir()));
        command.args(BOUNDS).arg(format!("-max_total_time={seconds}")).arg("-print_final_stats=1");
        command.arg(format!("-artifact_prefix={}/", artifacts.display()));
        let output = self.of(name, &mut command).output()?;
        let timed = fs::read_to_string(&timed)?;
        let taken =
            timed.lines().last().unwrap_or_default().split(' ').filter_map(|word| word.parse::<f64>().ok());
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "seconds of a run")]
        let cpu_seconds = taken.sum::<f64>().round() as u64;
        let crashes = fs::read_dir(&artifacts)?.count() as u64;
        let day = jiff::Timestamp::now().strftime("%Y-%m-%d").to_string();
        Ok(Entry::of(name, day, cpu_seconds, crashes, &String::from_utf8_lossy(&output.stderr)))
    }

    /// Returns a folder with the fewest inputs of at most `largest` bytes that reach what all such inputs do.
    #[expect(clippy::disallowed_methods, reason = "the chore runs the targets")]
    pub(super) fn merged(&self, name: &str, largest: u64) -> io::Result<PathBuf> {
        let (inputs, kept) = (self.place.path().join("inputs").join(name), self.kept.join(name));
        let merged = self.place.path().join("merged").join(name);
        fs::create_dir_all(&merged)?;
        let mut command = Command::new(self.program(name));
        command.arg("-merge=1").arg(format!("-max_len={largest}")).arg(&merged).arg(&inputs);
        command.args(Some(kept).filter(|kept| kept.is_dir()));
        let status = self.of(name, &mut command).status()?;
        match status.success() {
            true => Ok(merged),
            false => Err(io::Error::other(format!("{name} cannot merge its inputs"))),
        }
    }

    fn program(&self, name: &str) -> PathBuf {
        self.programs.join(if name == "hive" { "hive" } else { "decoder" })
    }

    fn of<'c>(&self, name: &str, command: &'c mut Command) -> &'c mut Command {
        command.env("LOCARD_DECODER", name).current_dir(self.place.path()).stdin(Stdio::null())
    }
}
