//! What an untouched Windows of each version includes, and updaters of known makers:
//! services, drivers, tasks, values of Run keys, processes.
//!
//! An entry is a whole shape, which a trace either has or not.
//! A name alone makes nothing ordinary, and a known name with a different program is what rules look for (`differs`).

mod data;
mod form;
mod line;
mod place;
mod subject;
mod version;

pub use data::BaselineError;
pub use version::{Edition, Generation, Windows};

use crate::trace::Trace;
use form::fits;
use place::{Place, Root};
use serde::Deserialize;
use std::collections::BTreeMap;
use subject::Subject;

/// The maker of an entry if the data names no other.
const WINDOWS: &str = "Windows";

/// The baseline of Windows.
#[derive(Debug, Clone, Default)]
pub struct Baseline {
    entries: Vec<Entry>,
    /// The entries with a fixed name, by kind and name in lower case.
    named: BTreeMap<(Kind, String), Vec<usize>>,
    /// The entries whose names have variable parts.
    formed: Vec<usize>,
    /// Programs that run what their arguments say.
    hosts: Vec<String>,
    /// The ends of keys whose values start a program at logon.
    keys: Vec<String>,
    /// Folders in which setup and servicing keep copies.
    copies: Vec<Vec<String>>,
}

/// What an entry is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// A service that is a process, or runs in one.
    Service,
    /// A driver.
    Driver,
    /// A scheduled task.
    Task,
    /// A value of a Run key.
    Autostart,
    /// A process.
    Process,
}

/// An entry of the baseline.
#[derive(Debug, Clone)]
pub struct Entry {
    /// What it is about.
    pub kind: Kind,
    /// Its name, with forms for parts that differ from computer to computer.
    pub name: String,
    /// Its maker.
    pub maker: String,
    /// The possible programs, as the data writes them.
    pub programs: Vec<String>,
    /// The possible arguments.
    pub arguments: Vec<String>,
    /// The libraries that it may load.
    pub libraries: Vec<String>,
    /// The COM classes that it may call.
    pub classes: Vec<String>,
    /// The accounts it may run as: `system`, `local service`, `network service`, `user`.
    pub accounts: Vec<String>,
    /// The names of the programs that may start it.
    pub parents: Vec<String>,
    /// The first Windows that has it.
    pub since: Option<Generation>,
    /// The last Windows that has it.
    pub until: Option<Generation>,
    /// The only edition that has it.
    pub edition: Option<Edition>,
    /// Why it is ordinary: its maker and its purpose.
    pub reason: String,
    places: Vec<Place>,
    library_places: Vec<Place>,
    /// Whether it runs in the service host, which needs a library.
    is_hosted: bool,
    /// Whether its path is written without quotation marks although it contains a space.
    is_unquoted: bool,
    /// Whether it only describes the program's place: a program that does what its arguments say is never ordinary.
    is_host: bool,
}

/// How a trace differs from all entries with its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Difference {
    /// It is a different program, in the folders of Windows or of programs.
    Program,
    /// It is a different program in another place, or one that runs what its arguments say.
    ProgramElsewhere,
    /// It is the same program, which does what its arguments say, with different arguments.
    Arguments,
    /// It loads a different library, from the folders of Windows or of programs.
    Library,
    /// It loads a different library from another place.
    LibraryElsewhere,
    /// It is in a different folder, of Windows or of programs.
    Folder,
    /// It is in a folder in another place.
    FolderElsewhere,
    /// A different program started it.
    Parent,
}

/// How a trace compares with the baseline.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Standing<'a> {
    /// The baseline has no entry with its name.
    Unknown,
    /// It has the whole shape of an entry, with this reason.
    Same(&'a str),
    /// It neither has the whole shape nor clearly differs.
    Near,
    /// It has the name but differs in this.
    Differs(Difference),
}

impl Baseline {
    /// Reads and checks the data of these texts: docs/baseline.md describes the form.
    pub fn from_toml(texts: &[&str]) -> Result<Baseline, BaselineError> {
        data::read(texts)
    }

    /// Returns all entries, in the order of the data.
    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// Compares a trace with the baseline.
    pub(crate) fn standing(&self, trace: &Trace<'_>) -> Standing<'_> {
        let Some(subject) = Subject::of(trace, &self.keys) else { return Standing::Unknown };
        let mut least: Option<Difference> = None;
        let mut is_known = false;
        for entry in self.candidates(&subject, trace.windows()) {
            is_known = true;
            match self.compared(entry, &subject) {
                Standing::Differs(difference) => {
                    least = Some(least.map_or(difference, |it| it.min(difference)))
                }
                Standing::Same(reason) => return Standing::Same(reason),
                Standing::Near | Standing::Unknown => {
                    return self.same(&subject, trace).unwrap_or(Standing::Near);
                }
            }
        }
        match least {
            Some(difference) => Standing::Differs(difference),
            None if is_known => Standing::Near,
            None => Standing::Unknown,
        }
    }

    /// Returns the result for the entry whose whole shape the trace has.
    fn same<'a>(&'a self, subject: &Subject<'_>, trace: &Trace<'_>) -> Option<Standing<'a>> {
        let mut standings =
            self.candidates(subject, trace.windows()).map(|entry| self.compared(entry, subject));
        standings.find(|standing| matches!(standing, Standing::Same(_)))
    }

    fn candidates<'a>(
        &'a self,
        subject: &Subject<'_>,
        windows: Option<Windows>,
    ) -> impl Iterator<Item = &'a Entry> {
        let (kind, name) = (subject.kind, subject.name.clone());
        let named = self.named.get(&(kind, name.to_ascii_lowercase())).into_iter().flatten();
        let formed = self.formed.iter();
        let entries = named.chain(formed).filter_map(|number| self.entries.get(*number));
        entries.filter(move |entry| entry.kind == kind && fits(&entry.name, &name) && entry.is_of(windows))
    }

    fn compared<'a>(&self, entry: &'a Entry, subject: &Subject<'_>) -> Standing<'a> {
        if let Some(difference) = self.difference(entry, subject) {
            return Standing::Differs(difference);
        }
        if !entry.is_host && entry.has_shape_of(subject) {
            Standing::Same(&entry.reason)
        } else {
            Standing::Near
        }
    }

    /// Returns how a trace differs from the entry; short names, unknown variables and values that are not stated decide nothing.
    fn difference(&self, entry: &Entry, subject: &Subject<'_>) -> Option<Difference> {
        if let Some(place) = &subject.program {
            let is_same = is_one_of(&entry.places, place)
                || (place.is_short() && entry.places.iter().any(|expected| expected.file() == place.file()));
            if !is_same && !place.file().is_empty() {
                return self.other_program(entry, subject.kind, place);
            }
        }
        if self.has_other_arguments(entry, subject) {
            return Some(Difference::Arguments);
        }
        if let Some(place) = &subject.library
            && !entry.library_places.is_empty()
            && !place.is_short()
            && !is_one_of(&entry.library_places, place)
        {
            return Some(if place.is_guarded() { Difference::Library } else { Difference::LibraryElsewhere });
        }
        if let Some(parent) = &subject.parent
            && !entry.parents.is_empty()
            && !entry.parents.iter().any(|known| known.eq_ignore_ascii_case(parent))
        {
            return Some(Difference::Parent);
        }
        None
    }

    /// Checks whether the program does what its arguments say, and the arguments are not those that Windows uses.
    fn has_other_arguments(&self, entry: &Entry, subject: &Subject<'_>) -> bool {
        let is_host = |place: &Place| self.hosts.iter().any(|host| host == place.file());
        matches!(entry.kind, Kind::Task | Kind::Autostart)
            && entry.maker == WINDOWS
            && subject.program.as_ref().is_some_and(is_host)
            && subject
                .arguments
                .as_ref()
                .is_some_and(|given| !entry.arguments.iter().any(|form| are_of(form, given)))
    }

    fn other_program(&self, entry: &Entry, kind: Kind, place: &Place) -> Option<Difference> {
        if kind == Kind::Process {
            let is_copy = self.copies.iter().any(|folder| holds(folder, place));
            let elsewhere = (!is_copy).then_some(Difference::FolderElsewhere);
            return if place.is_guarded() && !is_copy { Some(Difference::Folder) } else { elsewhere };
        }
        // A task that calls a class names no program; a task that starts a program instead is a different one.
        let is_host = self.hosts.iter().any(|host| host == place.file());
        let is_own = entry.places.iter().any(|expected| expected.file() == place.file());
        if !place.is_guarded() || (is_host && !is_own) {
            return Some(Difference::ProgramElsewhere);
        }
        // Drivers and other makers' programs move and get other names from version to version.
        (kind != Kind::Driver && entry.maker == WINDOWS).then_some(Difference::Program)
    }
}

/// Checks whether a place is one of the expected places, however it is written.
fn is_one_of(expected: &[Place], place: &Place) -> bool {
    expected.iter().any(|expected| leads_to(expected, place))
}

/// Checks whether a place is the expected place, however it is written.
fn leads_to(expected: &Place, place: &Place) -> bool {
    expected.root == place.root
        && expected.parts.len() == place.parts.len()
        && expected.parts.iter().zip(&place.parts).all(|(form, part)| fits(form, part))
}

/// Checks whether the folder, by its first parts, contains the place.
fn holds(folder: &[String], place: &Place) -> bool {
    let root = match place.root {
        Root::Windows => &["c:", "windows"][..],
        Root::ProgramData => &["c:", "programdata"],
        Root::Programs | Root::LocalData | Root::RoamingData | Root::Other => &[],
    };
    let whole: Vec<&str> = root.iter().copied().chain(place.parts.iter().map(String::as_str)).collect();
    whole.len() > folder.len() && folder.iter().zip(&whole).all(|(form, part)| fits(form, part))
}

impl Entry {
    /// Checks whether this Windows has it; if the version is unknown, any may have it.
    pub fn is_of(&self, windows: Option<Windows>) -> bool {
        windows.is_none_or(|windows| {
            let is_edition =
                self.edition.is_none_or(|edition| (edition == Edition::Server) == windows.is_server);
            self.since.is_none_or(|since| since <= windows.generation)
                && self.until.is_none_or(|until| windows.generation <= until)
                && is_edition
        })
    }

    /// Checks whether it only describes the program's place: a program that does what its arguments say is never ordinary.
    pub const fn is_never_ordinary(&self) -> bool {
        self.is_host
    }

    /// Checks whether a trace says everything that the entry does, in its words.
    fn has_shape_of(&self, subject: &Subject<'_>) -> bool {
        self.has_program_of(subject) && self.has_library_of(subject) && self.has_account_of(subject)
    }

    fn has_program_of(&self, subject: &Subject<'_>) -> bool {
        if let Some(class) = &subject.class {
            return subject.program.is_none()
                && self.classes.iter().any(|known| known.eq_ignore_ascii_case(class));
        }
        subject.is_whole
            && (self.is_unquoted || !subject.has_blank)
            && subject.program.as_ref().is_some_and(|place| place.is_plain && is_one_of(&self.places, place))
            && subject
                .arguments
                .as_ref()
                .is_none_or(|given| self.arguments.iter().any(|form| are_of(form, given)))
    }

    fn has_library_of(&self, subject: &Subject<'_>) -> bool {
        match &subject.library {
            // If the record could name a library, Windows does not leave it out.
            None => !self.is_hosted || !subject.tells_library || self.library_places.is_empty(),
            Some(place) => place.is_plain && is_one_of(&self.library_places, place),
        }
    }

    fn has_account_of(&self, subject: &Subject<'_>) -> bool {
        let known = |account: &String| self.accounts.iter().any(|known| known == account);
        self.accounts.is_empty() || subject.account.as_ref().is_none_or(known)
    }
}

/// Checks whether arguments match the form, word by word.
fn are_of(form: &str, given: &[&str]) -> bool {
    let asked = line::words(form);
    form == "<any>"
        || (asked.len() == given.len() && asked.iter().zip(given).all(|(form, word)| fits(form, word)))
}
