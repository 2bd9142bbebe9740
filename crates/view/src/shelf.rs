//! The runs that are shown, and a cache of those that were read last.

use crate::connected::Connected;
use crate::error::Trouble;
use app::{Listed, OpenRunError};
use graph::Run;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::SystemTime;

/// The choice of runs to show.
#[derive(Debug, Clone)]
pub enum Which {
    /// All runs in a folder, including those that are added later.
    All(PathBuf),
    /// The runs in these folders.
    These(Vec<PathBuf>),
}

/// The number of runs that are kept in memory.
const KEPT: usize = 4;

/// The runs.
pub(crate) struct Shelf {
    which: Which,
    /// The cached runs; the most recently read one is last.
    kept: Mutex<Vec<Kept>>,
}

struct Kept {
    stamp: Stamp,
    book: Arc<Book>,
}

/// A run that was read.
pub(crate) struct Book {
    /// The name under which it is shown.
    pub(crate) name: String,
    /// Its folder.
    pub(crate) folder: PathBuf,
    /// Its contents.
    pub(crate) run: Run,
    connected: OnceLock<Connected>,
}

impl Book {
    /// Returns its graph, computed on first use and kept as long as the run.
    pub(crate) fn connected(&self) -> &Connected {
        self.connected.get_or_init(|| Connected::new(&self.run))
    }
}

/// Identifies the version of a run that was read.
#[derive(Debug, PartialEq, Eq)]
struct Stamp {
    length: u64,
    file: Option<(u64, SystemTime)>,
}

impl Stamp {
    fn of(folder: &Path) -> Result<Stamp, OpenRunError> {
        let file = std::fs::metadata(folder.join("run.db")).ok();
        let file = file.and_then(|meta| Some((meta.len(), meta.modified().ok()?)));
        Ok(Stamp { length: app::recorded_length(folder)?, file })
    }
}

impl Shelf {
    pub(crate) fn new(which: Which) -> Shelf {
        Shelf { which, kept: Mutex::default() }
    }

    /// Returns the names of the runs with their folders, in display order.
    ///
    /// Only these can be requested: no part of an address is ever used as a path.
    pub(crate) fn names(&self) -> Result<Vec<(String, PathBuf)>, Trouble> {
        let folders = match &self.which {
            Which::All(runs) => app::run_folders(runs)?,
            Which::These(folders) => folders.clone(),
        };
        let mut names: Vec<(String, PathBuf)> = Vec::new();
        for folder in folders {
            let name = folder.canonicalize().ok().and_then(|path| Some(path.file_name()?.to_owned()));
            let name = name.or_else(|| folder.file_name().map(ToOwned::to_owned));
            let name = name.map_or_else(|| "run".to_owned(), |name| name.to_string_lossy().into_owned());
            let taken = |name: &str| names.iter().any(|(other, _)| other == name);
            let numbered = (2..).map(|number| format!("{name}~{number}"));
            let name = std::iter::once(name.clone()).chain(numbered).find(|name| !taken(name));
            names.extend(name.map(|name| (name, folder)));
        }
        Ok(names)
    }

    /// Returns the runs with the information for a list, each under its name.
    pub(crate) fn list(&self) -> Result<Vec<(String, Listed)>, Trouble> {
        let names = self.names()?;
        Ok(names.into_iter().map(|(name, folder)| (name, app::list_run(&folder))).collect())
    }

    /// Returns the folder that contains the runs.
    pub(crate) fn place(&self) -> Option<&Path> {
        match &self.which {
            Which::All(runs) => Some(runs),
            Which::These(_) => None,
        }
    }

    /// Returns the folder of the run with this name.
    pub(crate) fn folder(&self, name: &str) -> Result<PathBuf, Trouble> {
        let found = self.names()?.into_iter().find(|(known, _)| known == name);
        found.map(|(_, folder)| folder).ok_or_else(|| Trouble::no_such("run", name, None))
    }

    /// Opens the run with this name, as it is now.
    pub(crate) fn open(&self, name: &str) -> Result<Arc<Book>, Trouble> {
        let folder = self.folder(name)?;
        // Taken before the run is read: if the run changes meanwhile, it is read again.
        let stamp = Stamp::of(&folder)?;
        if let Some(book) = self.kept(&folder, &stamp) {
            return Ok(book);
        }
        let run = app::load_run(&folder)?;
        let book = Arc::new(Book { name: name.to_owned(), folder, run, connected: OnceLock::new() });
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.retain(|kept| kept.book.folder != book.folder);
        if kept.len() >= KEPT {
            kept.remove(0);
        }
        kept.push(Kept { stamp, book: Arc::clone(&book) });
        Ok(book)
    }

    fn kept(&self, folder: &Path, stamp: &Stamp) -> Option<Arc<Book>> {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        let place = kept.iter().position(|kept| kept.book.folder == folder && kept.stamp == *stamp)?;
        let found = kept.remove(place);
        let book = Arc::clone(&found.book);
        kept.push(found);
        Some(book)
    }
}
