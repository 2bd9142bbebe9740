//! Opens recorded runs.

use crate::place::nearest;
use crate::regular::read_regular;
use crate::seal::{LONGEST_MANIFEST, MANIFEST};
use graph::{FoldError, Run};
use ledger::{Circumstance, Digest, Event, KeyMaker, Link, RunKey, Stream, UnknownBehaviour};
use std::collections::BTreeSet;
use std::path::{Component, Path, PathBuf, is_separator};
use store::{OpenError, ReadError, Reader};
use thiserror::Error;

/// Why a run cannot be opened.
#[derive(Debug, Error)]
pub enum OpenRunError {
    /// No run has this name.
    #[error("find the run {name:?}: no folder under {} has this name or a name that begins with it", runs.display())]
    NotFound {
        /// The name that was asked for.
        name: String,
        /// The folder that was searched.
        runs: PathBuf,
        /// The name of a case or a run there that was probably meant.
        nearest: Option<String>,
    },
    /// Several runs match this name.
    #[error("find the run {name:?}: {found} folders under {} fit: {}{}", runs.display(), fitting.join(", "), if *found > fitting.len() { ", …" } else { "" })]
    Ambiguous {
        /// The name that was asked for.
        name: String,
        /// The folder that was searched.
        runs: PathBuf,
        /// The first matching folders, in the order of their names; at most five.
        fitting: Vec<String>,
        /// The number of matching folders.
        found: usize,
    },
    /// There is no folder at the path.
    #[error("find the run: there is no folder {}", path.display())]
    NoFolder {
        /// The path that was given.
        path: PathBuf,
    },
    /// The path is not a folder.
    #[error("open the run {}: it is a file, and a run is a folder", path.display())]
    AFile {
        /// The path that was given.
        path: PathBuf,
    },
    /// The folder is not the folder of a run.
    #[error("open the run {}: the folder holds neither a run.db nor a manifest.json of a run", folder.display())]
    NotARun {
        /// The folder.
        folder: PathBuf,
        /// Whether it contains run folders.
        holds_runs: bool,
    },
    /// The latest run was asked for, but no run is sealed.
    #[error("find the run {name:?}: no run under {} is sealed; {} was begun last", runs.display(), newest.display())]
    NoneSealed {
        /// The name that was asked for.
        name: String,
        /// The folder that was searched.
        runs: PathBuf,
        /// The run that was begun last.
        newest: PathBuf,
    },
    /// `run.db` cannot be opened.
    #[error("open the run {}", folder.display())]
    Open {
        /// The run folder.
        folder: PathBuf,
        /// The cause.
        #[source]
        source: Box<OpenError>,
    },
    /// The log cannot be read, or its chain is broken.
    #[error("read the run {}", folder.display())]
    Read {
        /// The run folder.
        folder: PathBuf,
        /// The cause, with its position.
        #[source]
        source: Box<ReadError>,
    },
    /// The run uses a behaviour of a newer version.
    #[error("read the run {}", folder.display())]
    Behaviour {
        /// The run folder.
        folder: PathBuf,
        /// The behaviour.
        #[source]
        source: UnknownBehaviour,
    },
    /// The events do not form a run.
    #[error("read the run {}", folder.display())]
    Fold {
        /// The run folder.
        folder: PathBuf,
        /// The cause, with its position.
        #[source]
        source: FoldError,
    },
}

/// The name of the newest run.
const LATEST: &str = "latest";

/// The most folders that the error about an ambiguous name lists.
const MAX_LISTED: usize = 5;

/// The prefix before a case's name, for the newest run of this case.
const LATEST_OF: &str = "latest:";

/// Returns the folder that `name` means: a path if it contains a separator; otherwise a run under `runs`, by its name or a unique prefix.
///
/// An exact name has priority over prefixes, so that `X` can be found even if `X-2` exists.
/// `latest` is the run under `runs` that was begun last, `latest:<case>` the last one of the case with exactly this name; runs without
/// any recorded event are skipped.
///
/// # Errors
///
/// Fails if no run or several runs match, or if the folder is not a run's.
pub fn find_run(name: &str, runs: &Path) -> Result<PathBuf, OpenRunError> {
    let newest = || newest_of(name, runs).find(|folder| !is_empty(folder));
    of_a_run(find_folder(name, runs, || Ok(newest()))?)
}

/// A run, with the newer ones that were skipped.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FoundRun {
    /// The folder of the run.
    pub folder: PathBuf,
    /// The folders of newer runs that are not sealed or that recorded nothing, the newest first.
    pub passed_over: Vec<PathBuf>,
}

/// Works like [`find_run`], except that `latest` and `latest:<case>` mean the
/// last sealed run, because a run under way changes while it is read.
///
/// A run that cannot be read is not skipped; otherwise an older one would appear as the newest.
///
/// # Errors
///
/// Fails like [`find_run`], or if there are runs but none of them is sealed.
pub fn find_sealed(name: &str, runs: &Path) -> Result<FoundRun, OpenRunError> {
    let mut passed_over = Vec::new();
    let newest = || {
        let mut newest = newest_of(name, runs);
        let found = newest.find(|folder| {
            let is_passed = is_empty(folder) || is_unsealed(folder);
            if is_passed {
                passed_over.push(folder.clone());
            }
            !is_passed
        });
        match (found, passed_over.first()) {
            (None, Some(newest)) => Err(OpenRunError::NoneSealed {
                name: name.to_owned(),
                runs: runs.to_owned(),
                newest: newest.clone(),
            }),
            (found, _) => Ok(found),
        }
    };
    let folder = of_a_run(find_folder(name, runs, newest)?)?;
    Ok(FoundRun { folder, passed_over })
}

/// Returns the folder if it contains a log or a manifest of a run: a run that lost one of the two is damaged, but is still a run.
fn of_a_run(folder: PathBuf) -> Result<PathBuf, OpenRunError> {
    let is_there = |file: &str| folder.join(file).symlink_metadata().is_ok();
    if is_there(store::FILE_NAME) || (is_there(MANIFEST) && !is_of_others(&folder)) {
        return Ok(folder);
    }
    let holds_runs = std::fs::read_dir(&folder)
        .into_iter()
        .flatten()
        .flatten()
        .any(|entry| entry.path().join(store::FILE_NAME).is_file());
    Err(OpenRunError::NotARun { folder, holds_runs })
}

/// Whether the manifest belongs to another program, as in folders of web
/// pages and packages: a JSON object with members, but none of ours.
fn is_of_others(folder: &Path) -> bool {
    const OURS: [&str; 4] = ["run", "head", "payloads", "vocabulary"];
    let text = read_regular(&folder.join(MANIFEST), LONGEST_MANIFEST);
    let value = text.ok().and_then(|text| serde_json::from_slice::<serde_json::Value>(&text).ok());
    let members = value.as_ref().and_then(serde_json::Value::as_object);
    members.is_some_and(|members| !members.is_empty() && !OURS.iter().any(|name| members.contains_key(*name)))
}

/// Returns the candidates for `latest` or `latest:<case>`, the newest first; empty for any other name.
fn newest_of(name: &str, runs: &Path) -> impl Iterator<Item = PathBuf> {
    let case = name.strip_prefix(LATEST_OF);
    let all = if case.is_some() || name == LATEST { newest_first(runs) } else { Vec::new() };
    all.into_iter().filter(move |folder| case.is_none_or(|case| is_of_case(folder, case)))
}

/// Whether the log is readable and has no seal.
fn is_unsealed(folder: &Path) -> bool {
    let glanced = Reader::open(folder).ok().and_then(|reader| reader.glance().ok());
    glanced.is_some_and(|events| !events.iter().any(|(_, event, _)| matches!(event, Event::RunSealed(_))))
}

fn find_folder(
    name: &str,
    runs: &Path,
    newest: impl FnOnce() -> Result<Option<PathBuf>, OpenRunError>,
) -> Result<PathBuf, OpenRunError> {
    let path = Path::new(name);
    let refused = |path: &Path| match path.is_file() {
        true => OpenRunError::AFile { path: path.to_owned() },
        false => OpenRunError::NoFolder { path: path.to_owned() },
    };
    if !is_plain(name) {
        return if path.is_dir() { Ok(path.to_owned()) } else { Err(refused(path)) };
    }
    let exact = [runs.join(name), path.to_owned()];
    if let Some(folder) = exact.into_iter().find(|folder| folder.is_dir()) {
        return Ok(folder);
    }
    if let Some(folder) = newest()? {
        return Ok(folder);
    }
    let mut fitting = beginning_with(name, runs);
    match fitting.len() {
        0 if path.is_file() => Err(refused(path)),
        0 => Err(OpenRunError::NotFound {
            name: name.to_owned(),
            runs: runs.to_owned(),
            nearest: meant(name, runs),
        }),
        1 => Ok(runs.join(fitting.remove(0))),
        found => {
            fitting.truncate(MAX_LISTED);
            Err(OpenRunError::Ambiguous { name: name.to_owned(), runs: runs.to_owned(), fitting, found })
        }
    }
}

/// Guesses what was meant by a wrong name: for `latest:<case>` the nearest case, otherwise the nearest run.
fn meant(name: &str, runs: &Path) -> Option<String> {
    let runs: Vec<String> = beginning_with("", runs).into_iter().filter(|name| is_stamped(name)).collect();
    let case = |run: &'_ str| run.split_once('-').map_or(String::new(), |(_, case)| case.to_owned());
    match name.split_once(':') {
        Some((latest, wanted)) if nearest(latest, [LATEST].into_iter()).is_some() => {
            let cases: BTreeSet<String> = runs.iter().map(|run| case(run)).collect();
            let found = nearest(wanted, cases.iter().map(String::as_str));
            found.map(|case| format!("{LATEST_OF}{case}"))
        }
        // The first few characters of a run's name are not enough for a guess.
        _ => {
            let runs = runs.iter().map(String::as_str).filter(|_| name.len() > 8);
            nearest(name, runs.chain([LATEST])).filter(|found| *found != name).map(str::to_owned)
        }
    }
}

/// Returns the run folders under `runs`, the most recently begun first; of those begun within one second, the highest number first.
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

/// Whether a folder's name begins like that of a run: `20260101T120000Z-`.
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
/// A run of that name whose log cannot be read counts; otherwise an older one would appear as the newest.
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

/// Whether a run broke off before anything was recorded, or only its folder is left; a run that cannot be read does not count as empty.
fn is_empty(folder: &Path) -> bool {
    match Reader::open(folder) {
        Ok(reader) => reader.events().next().is_none(),
        Err(OpenError::NoRun { .. }) => folder.join(MANIFEST).symlink_metadata().is_err(),
        Err(_) => false,
    }
}

/// Whether `name` is a single name, not a path.
fn is_plain(name: &str) -> bool {
    let mut components = Path::new(name).components();
    let first = components.next();
    matches!(first, Some(Component::Normal(_))) && components.next().is_none() && !name.contains(is_separator)
}

/// Returns the names of the folders under `runs` that begin with `name`, sorted; run names are ASCII.
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

/// Reads a run, checks its chain, and folds it.
///
/// # Errors
///
/// Fails if the run cannot be read, its chain is broken, or its events do not form a run.
pub fn load_run(folder: &Path) -> Result<Run, OpenRunError> {
    let fold = |source| OpenRunError::Fold { folder: folder.to_owned(), source };
    graph::fold(read_events(folder, |_| {})?.events).map_err(fold)
}

/// Works like [`load_run`], and also returns the last link of the chain.
pub(crate) fn load_with_head(folder: &Path) -> Result<(Run, Digest), OpenRunError> {
    let fold = |source| OpenRunError::Fold { folder: folder.to_owned(), source };
    let read = read_events(folder, |_| {})?;
    Ok((graph::fold(read.events).map_err(fold)?, read.head))
}

/// A log whose chain is intact.
pub(crate) struct Read {
    pub(crate) events: Vec<(Stream, Event, Circumstance)>,
    /// The last link of the chain.
    pub(crate) head: Digest,
    /// The number of events.
    pub(crate) count: u64,
}

/// Reads the events, and also returns the key that derives the salts of the commitments to its facts.
pub(crate) fn read_with_key(folder: &Path) -> Result<(Read, RunKey), OpenRunError> {
    let mut maker = KeyMaker::default();
    let read = read_events(folder, |link| maker.take(link))?;
    Ok((read, maker.finish()))
}

/// Reads the events of a run and checks its chain; `each` receives every link.
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
