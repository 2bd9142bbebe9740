//! Every way of changing a run with which both verifiers are compared.

use super::log::Log;
use super::{events, facts, files, outputs};
use crate::random::Random;
use crate::tamper;
use std::io;
use std::path::Path;
use std::sync::LazyLock;

/// The coverage of `docs/run-format.md` for what a change breaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Page {
    /// All of it: what one verifier finds, the other must find.
    Whole,
    /// Part of it: `locard verify` may find things that the page says it does not check.
    Part,
}

/// A change that is always possible.
type OfCopy = fn(&Path, &mut Random) -> io::Result<String>;
/// A change of a copy; `None` if the copy lacks what it would change.
type MaybeOfCopy = fn(&Path, &mut Random) -> io::Result<Option<String>>;
/// A change of a log, which is then rechained and resealed; `None` if the log lacks what it would change.
type OfLog = fn(&mut Log, &mut Random) -> Option<String>;

#[derive(Clone, Copy)]
pub(super) enum Change {
    Copy(OfCopy),
    Maybe(MaybeOfCopy),
    Log(OfLog),
}

/// One way of changing a run.
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

/// A named change to files.
pub(super) type OfFiles = (&'static str, Page, MaybeOfCopy);
/// A named change to a log.
pub(super) type Forged = (&'static str, Page, OfLog);

pub(super) static KINDS: LazyLock<Vec<Kind>> = LazyLock::new(|| {
    let kind = |name: &str, page, change| Kind { name: name.to_owned(), page, change };
    // The page covers bytes, rows and columns completely, but only some of the manifest's members.
    let page = |name: &str| if name.starts_with("manifest.json") { Page::Part } else { Page::Whole };
    let blind = tamper::KINDS.iter().map(|it| kind(it.name, page(it.name), Change::Copy(it.change)));
    let files = files::KINDS.iter().map(|(name, page, change)| kind(name, *page, Change::Maybe(*change)));
    let forged = [events::KINDS, facts::KINDS, outputs::KINDS].concat();
    let forged = forged
        .into_iter()
        .map(|(name, page, change)| kind(&format!("sealed anew: {name}"), page, Change::Log(change)));
    blind.chain(files).chain(forged).collect()
});
