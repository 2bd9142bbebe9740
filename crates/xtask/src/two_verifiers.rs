//! Runs `locard verify` and `scripts/verify.py` over the same tampered copies of runs.

use crate::place::Place;
use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};
use testkit::two_verifiers::{Campaign, Programs, campaign};

/// The command line arguments.
pub(crate) struct Arguments {
    locard: PathBuf,
    times: u32,
    runs: Vec<PathBuf>,
    seed: u64,
}

impl Arguments {
    /// Parses the program, a number, runs and a seed.
    pub(crate) fn read(mut arguments: impl Iterator<Item = OsString>) -> Option<Arguments> {
        let locard = arguments.next()?.into();
        let times = arguments.next()?.to_str()?.parse().ok()?;
        let (mut runs, mut seed) = (Vec::new(), 11);
        while let Some(argument) = arguments.next() {
            match argument.to_str() {
                Some("--seed") => seed = arguments.next()?.to_str()?.parse().ok()?,
                _ => runs.push(argument.into()),
            }
        }
        (!runs.is_empty()).then_some(Arguments { locard, times, runs, seed })
    }
}

/// Compares the verifiers; returns the number of disagreements plus the number of changes that both missed.
pub(crate) fn held(arguments: &Arguments, root: &Path, tell: &mut dyn FnMut(String)) -> io::Result<usize> {
    let place = Place::new("two-verifiers")?;
    let mut runs = Vec::new();
    for (number, run) in arguments.runs.iter().enumerate() {
        runs.push(match run.is_dir() {
            true => run.clone(),
            false => stored(run, root, &place.path().join(format!("history-{number}")))?,
        });
    }
    let python = PathBuf::from("python3");
    let programs =
        Programs { locard: arguments.locard.clone(), python, script: root.join("scripts/verify.py") };
    let (times, seed) = (arguments.times, arguments.seed);
    let total = campaign(
        &Campaign { programs, runs, times, every: 1, seed, place: place.path().join("copies") },
        tell,
    )?;
    tell(format!("{} copies, {} disagreements, {} missed", total.copies, total.disagreements, total.missed));
    std::fs::remove_dir_all(place.path())?;
    Ok((total.disagreements + total.missed) as usize)
}

/// Creates the run of a stored history in `folder`.
fn stored(history: &Path, root: &Path, folder: &Path) -> io::Result<PathBuf> {
    let text = std::fs::read_to_string(history)?;
    testkit::stored_history::run_of(&text, &root.join("fixtures/histories"), folder)?;
    app::conclude(folder).map_err(io::Error::other)?;
    Ok(folder.to_owned())
}
