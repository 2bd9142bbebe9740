//! Every way of changing a run that both verifiers are held against.

use super::log::Log;
use super::{events, facts, files, outputs};
use crate::random::Random;
use crate::tamper;
use std::io;
use std::path::Path;
use std::sync::LazyLock;

/// What `docs/run-format.md` says of what a change breaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Page {
    /// All of it: what one verifier finds the other one must find.
    Whole,
    /// Some of it: `locard verify` may find what the page says that it does not check.
    Part,
}

/// Changes a copy that always can be.
type OfCopy = fn(&Path, &mut Random) -> io::Result<String>;
/// Changes a copy, where it has what is changed.
type MaybeOfCopy = fn(&Path, &mut Random) -> io::Result<Option<String>>;
/// Changes a log, where it has what is changed; it is chained and sealed anew then.
type OfLog = fn(&mut Log, &mut Random) -> Option<String>;

#[derive(Clone, Copy)]
pub(super) enum Change {
    Copy(OfCopy),
    Maybe(MaybeOfCopy),
    Log(OfLog),
}

/// One way.
pub(super) struct Kind {
    name: String,
    page: Page,
    change: Change,
}

impl Kind {
    pub(super) fn name(&self) -> &str {
        &self.name
    }

    pub(super) fn page(&self) -> Page {
        self.page
    }

    pub(super) fn change(&self) -> Change {
        self.change
    }
}

/// A change to files, by its name.
pub(super) type OfFiles = (&'static str, Page, MaybeOfCopy);
/// A forged log, by its name.
pub(super) type Forged = (&'static str, Page, OfLog);

pub(super) static KINDS: LazyLock<Vec<Kind>> = LazyLock::new(|| {
    let kind = |name: &str, page, change| Kind { name: name.to_owned(), page, change };
    // The page says all of bytes, rows and columns; of the manifest's members only of some.
    let page = |name: &str| if name.starts_with("manifest.json") { Page::Part } else { Page::Whole };
    let blind = tamper::KINDS.iter().map(|it| kind(it.name, page(it.name), Change::Copy(it.change)));
    let files = files::KINDS.iter().map(|(name, page, change)| kind(name, *page, Change::Maybe(*change)));
    let forged = [events::KINDS, facts::KINDS, outputs::KINDS].concat();
    let forged = forged
        .into_iter()
        .map(|(name, page, change)| kind(&format!("sealed anew: {name}"), page, Change::Log(change)));
    blind.chain(files).chain(forged).collect()
});
