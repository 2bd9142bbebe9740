//! Opening recorded runs.

use crate::seal::MANIFEST;
use graph::{FoldError, Run};
use ledger::{Circumstance, Digest, Event, KeyMaker, Link, RunKey, Stream, UnknownBehaviour};
use std::collections::BTreeSet;
use std::path::{Component, Path, PathBuf, is_separator};
use store::{OpenError, ReadError, Reader};
use thiserror::Error;

/// Why a run cannot be shown.
#[derive(Debug, Error)]
pub enum OpenRunError {
    /// No run has such a name.
    #[error("find the run {name:?}: no folder under {} has this name or a name that begins with it", runs.display())]
    NotFound {
        /// What was asked for.
        name: String,
        /// Where it was looked for.
        runs: PathBuf,
    },
    /// Several runs have such a name.
    #[error("find the run {name:?}: {found} folders under {} fit: {}{}", runs.display(), fitting.join(", "), if *found > fitting.len() { ", …" } else { "" })]
    Ambiguous {
        /// What was asked for.
        name: String,
        /// Where it was looked for.
        runs: PathBuf,
        /// The first of the folders that fit, in the order of their names; at most five.
        fitting: Vec<String>,
        /// Folders that fit.
        found: usize,
    },
    /// There is no folder at the path.
    #[error("find the run: there is no folder {}", path.display())]
    NoFolder {
        /// The path that was given.
        path: PathBuf,
    },
    /// The folder is none of a run.
    #[error("open the run {}: the folder holds neither a run.db nor a manifest.json", folder.display())]
    NotARun {
        /// The folder.
        folder: PathBuf,
    },
    /// `run.db` cannot be opened.
    #[error("open the run {}", folder.display())]
    Open {
        /// The run folder.
        folder: PathBuf,
        /// Why.
        #[source]
        source: Box<OpenError>,
    },
    /// Its log does not hold.
    #[error("read the run {}", folder.display())]
    Read {
        /// The run folder.
        folder: PathBuf,
        /// Where, and why.
        #[source]
        source: Box<ReadError>,
    },
    /// A newer version made it with a behaviour that this one does not have.
    #[error("read the run {}", folder.display())]
    Behaviour {
        /// The run folder.
        folder: PathBuf,
        /// Which.
        #[source]
        source: UnknownBehaviour,
    },
    /// Its events are not those of a run.
    #[error("read the run {}", folder.display())]
    Fold {
        /// The run folder.
        folder: PathBuf,
        /// Where, and why.
        #[source]
        source: FoldError,
    },
}

/// The name of the run that was begun last.
const LATEST: &str = "latest";

/// The most folders that an ambiguous name is told.
const MAX_LISTED: usize = 5;

/// What stands before a case's name where its newest run is meant.
const LATEST_OF: &str = "latest:";

/// The folder that `name` means: a path where it has a separator in it; otherwise a run under `runs`, by its name or a unique beginning of it.
///
/// An exact name wins over beginnings, so that `X` can be meant where `X-2` exists.
/// `latest` is the run under `runs` that was begun last, `latest:<case>` the one of the case with exactly this name; a run of which nothing was recorded is neither.
pub fn find_run(name: &str, runs: &Path) -> Result<PathBuf, OpenRunError> {
    let folder = find_folder(name, runs)?;
    // A run that lost one of the two is a damaged one.
    let is_there = |file: &str| folder.join(file).symlink_metadata().is_ok();
    match is_there(store::FILE_NAME) || is_there(MANIFEST) {
        true => Ok(folder),
        false => Err(OpenRunError::NotARun { folder }),
    }
}

fn find_folder(name: &str, runs: &Path) -> Result<PathBuf, OpenRunError> {
    let path = Path::new(name);
    if !is_plain(name) {
        return match path.is_dir() {
            true => Ok(path.to_owned()),
            false => Err(OpenRunError::NoFolder { path: path.to_owned() }),
        };
    }
    let exact = [runs.join(name), path.to_owned()];
    if let Some(folder) = exact.into_iter().find(|folder| folder.is_dir()) {
        return Ok(folder);
    }
    let newest = match name.strip_prefix(LATEST_OF) {
        Some(case) => newest_first(runs).into_iter().find(|folder| is_of_case(folder, case)),
        None if name == LATEST => newest_first(runs).into_iter().find(|folder| !is_empty(folder)),
        None => None,
    };
    if let Some(folder) = newest {
        return Ok(folder);
    }
    let mut fitting = beginning_with(name, runs);
    match fitting.len() {
        0 => Err(OpenRunError::NotFound { name: name.to_owned(), runs: runs.to_owned() }),
        1 => Ok(runs.join(fitting.remove(0))),
        found => {
            fitting.truncate(MAX_LISTED);
            Err(OpenRunError::Ambiguous { name: name.to_owned(), runs: runs.to_owned(), fitting, found })
        }
    }
}

/// The run folders under `runs`, the one begun last first; of those begun within one second, the one numbered last.
pub(crate) fn newest_first(runs: &Path) -> Vec<PathBuf> {
    let names: Vec<String> = beginning_with("", runs).into_iter().filter(|name| is_stamped(name)).collect();
    let known: BTreeSet<&String> = names.iter().collect();
    let begun = |name: &&String| {
        let (base, number) = name.rsplit_once('-').unwrap_or((name, ""));
        let time = name.split('-').next().unwrap_or_default().to_owned();
        let number = number.parse::<u32>().ok().filter(|_| known.contains(&base.to_owned()));
        (time, number.unwrap_or(1))
    };
    let mut sorted: Vec<&String> = names.iter().collect();
    sorted.sort_by_cached_key(|name| std::cmp::Reverse(begun(name)));
    sorted.into_iter().map(|name| runs.join(name)).collect()
}

/// Whether a folder's name begins as those of runs do: `20260101T120000Z-`.
fn is_stamped(name: &str) -> bool {
    let stamp = name.split_once('-').map_or("", |(stamp, _)| stamp).as_bytes();
    stamp.len() == 16
        && stamp.iter().enumerate().all(|(at, byte)| match at {
            8 => *byte == b'T',
            15 => *byte == b'Z',
            _ => byte.is_ascii_digit(),
        })
}

/// Whether the run in `folder` investigates the case of this name.
///
/// A run of that name whose log cannot be read counts: passing it over would show an older one as the newest.
fn is_of_case(folder: &Path, case: &str) -> bool {
    let name = folder.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    let rest = name.split_once('-').map_or("", |(_, rest)| rest);
    let Some(number) = rest.strip_prefix(case) else { return false };
    if !number.is_empty() && number.strip_prefix('-').is_none_or(|number| number.parse::<u32>().is_err()) {
        return false;
    }
    let first = Reader::open(folder).ok().and_then(|reader| reader.events().next());
    match first {
        Some(Ok((_, Event::RunOpened(opened), _))) => opened.case.name == case,
        _ => !is_empty(folder),
    }
}

/// Whether a run broke off before anything was recorded, or was removed but for its folder; one that cannot be read is not empty.
fn is_empty(folder: &Path) -> bool {
    match Reader::open(folder) {
        Ok(reader) => reader.events().next().is_none(),
        Err(OpenError::NoRun { .. }) => folder.join(MANIFEST).symlink_metadata().is_err(),
        Err(_) => false,
    }
}

/// Whether `name` is one name, and not a path.
fn is_plain(name: &str) -> bool {
    let mut components = Path::new(name).components();
    let first = components.next();
    matches!(first, Some(Component::Normal(_))) && components.next().is_none() && !name.contains(is_separator)
}

/// The names of the folders under `runs` that begin with `name`, sorted; run names are ASCII.
fn beginning_with(name: &str, runs: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(runs).into_iter().flatten().flatten();
    let mut names: Vec<String> = entries
        .filter(|entry| entry.path().is_dir())
        .filter_map(|entry| entry.file_name().into_string().ok())
        .filter(|found| found.starts_with(name))
        .collect();
    names.sort();
    names
}

/// Reads a run, checking its chain, and folds it.
pub fn load_run(folder: &Path) -> Result<Run, OpenRunError> {
    let fold = |source| OpenRunError::Fold { folder: folder.to_owned(), source };
    graph::fold(read_events(folder, |_| {})?.events).map_err(fold)
}

/// A log whose chain holds.
pub(crate) struct Read {
    pub(crate) events: Vec<(Stream, Event, Circumstance)>,
    /// The last link of its chain.
    pub(crate) head: Digest,
    /// Events in it.
    pub(crate) count: u64,
}

/// The same with what the salts of commitments to its facts are made with.
pub(crate) fn read_with_key(folder: &Path) -> Result<(Read, RunKey), OpenRunError> {
    let mut maker = KeyMaker::default();
    let read = read_events(folder, |link| maker.take(link))?;
    Ok((read, maker.finish()))
}

/// Reads the events of a run, checking its chain; `each` sees every link.
fn read_events(folder: &Path, mut each: impl FnMut(&Link)) -> Result<Read, OpenRunError> {
    let open = |source| OpenRunError::Open { folder: folder.to_owned(), source: Box::new(source) };
    let reader = Reader::open(folder).map_err(open)?;
    let mut stored = reader.events();
    let events: Result<Vec<(Stream, Event, Circumstance)>, ReadError> = stored
        .by_ref()
        .map(|event| {
            event.map(|(link, event, circumstance)| {
                each(&link);
                (link.stream, event, circumstance)
            })
        })
        .collect();
    let events = events
        .map_err(|source| OpenRunError::Read { folder: folder.to_owned(), source: Box::new(source) })?;
    let (head, count) = (stored.so_far().head(), stored.so_far().len());
    let nothing = FoldError::NotOpened { found: "nothing" };
    let head = head.ok_or(OpenRunError::Fold { folder: folder.to_owned(), source: nothing })?;
    Ok(Read { events, head, count })
}
