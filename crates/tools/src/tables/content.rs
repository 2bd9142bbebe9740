//! What determines the tables of a group: the bytes of the files that its decoders read.
//!
//! Tables are stored under this digest. A folder can change without a trace, so its tables must never be used for other content.

use super::TABLES_MAKER;
use super::error::TableError;
use super::file_digest::Contents;
use super::group::TableGroup;
use crate::catalogue::Indexes;
use crate::intake::{Flow, Intake};
use crate::survey::{Ground, Surveyed, Surveyor, survey};
use crate::units::Origin;
use evidence::{Node, Tree};
use ledger::{Defect, Digest, Gap, Record};
use sha2::{Digest as _, Sha256};
use std::ops::ControlFlow;
use std::path::Path;

/// Hashes the files that a group of tables is made from, and what the search for them met; `None` if one of them cannot be read.
///
/// # Errors
///
/// If the root of the evidence cannot be read.
pub(crate) fn digest_sources(
    tree: &dyn Tree,
    names: &Indexes,
    group: TableGroup,
) -> Result<Option<Digest>, TableError> {
    // Nothing is decoded, so nothing is written there.
    let mut ground = Ground::whole(tree, names, Path::new(""))?;
    ground.decoders = group.decoders();
    let mut hasher = Sha256::new();
    for part in ["locard tables", TABLES_MAKER, tree.label(), group.name()] {
        text(&mut hasher, part);
    }
    let mut seen = Seen { group, contents: Contents::new(tree), hasher, is_whole: true };
    survey(&ground, &mut seen)?;
    Ok(seen.is_whole.then(|| Digest::from_bytes(seen.hasher.finalize().into())))
}

fn text(hasher: &mut Sha256, text: &str) {
    hasher.update((text.len() as u64).to_le_bytes());
    hasher.update(text);
}

/// A surveyor that hashes files instead of decoding them.
struct Seen<'t> {
    group: TableGroup,
    contents: Contents<'t>,
    hasher: Sha256,
    is_whole: bool,
}

impl Surveyor for Seen<'_> {
    fn wants(&self, origin: Origin) -> bool {
        TableGroup::of(origin) == Some(self.group)
    }

    fn knows(&mut self, node: &Node, stream: Option<&str>, _: &dyn Fn(Origin) -> bool) -> bool {
        match self.contents.of(node, stream) {
            Some(digest) => self.hasher.update(digest.as_bytes()),
            None => self.is_whole = false,
        }
        true
    }

    fn unit(&mut self, _: &Surveyed<'_>, decode: &mut dyn FnMut(&mut dyn Intake)) {
        decode(self);
    }
}

/// Receives what a search met, and the entries of folders.
impl Intake for Seen<'_> {
    fn begin(&mut self, _: String) {}

    fn push(&mut self, record: Record) -> Flow {
        text(&mut self.hasher, &format!("{record:?}"));
        ControlFlow::Continue(())
    }

    fn defect(&mut self, defect: Defect) {
        text(&mut self.hasher, &format!("{defect:?}"));
    }

    fn hidden(&mut self, defect: Defect) {
        self.defect(defect);
    }

    fn gap(&mut self, gap: Gap) {
        text(&mut self.hasher, &format!("{gap:?}"));
    }

    fn note(&mut self, _: String) {}
}
