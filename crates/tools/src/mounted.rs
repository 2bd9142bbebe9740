//! Opens a piece of evidence, with the help of its name index.

use crate::catalogue::Indexes;
use crate::name_index::NameIndex;
use crate::wire::Mount;
use evidence::{FoldersIn, OpenError, Tree, open_directory};
use ledger::EvidenceKind;
use std::sync::{Mutex, PoisonError};

/// Opens a piece of evidence as a call does.
///
/// With a name index, an archive is not listed again, and a folder is not read only to learn its subfolders.
/// An unreadable index fails the call that asks it for names.
pub fn open(mount: &Mount, indexes: &Indexes) -> Result<Box<dyn Tree>, OpenError> {
    let Mount { kind, path, label, expansion, .. } = mount;
    let index = indexes.get(label);
    match (kind, index.and_then(|index| NameIndex::open(index).ok())) {
        (EvidenceKind::Directory, Some(index)) => {
            Ok(Box::new(open_directory(path, label)?.knowing(folders_by(index))))
        }
        (EvidenceKind::Archive, Some(index)) => {
            let listing = index.listing().ok().flatten();
            evidence::open_listed(*kind, path, label, listing.as_deref(), *expansion)
        }
        (EvidenceKind::Directory | EvidenceKind::Archive | EvidenceKind::Image, _) => {
            evidence::open_listed(*kind, path, label, None, *expansion)
        }
    }
}

/// Returns the subfolders of a folder from an index; if the index cannot give them without an error, they are read from the evidence.
fn folders_by(index: NameIndex) -> Box<FoldersIn> {
    let index = Mutex::new(index);
    Box::new(move |path| index.lock().unwrap_or_else(PoisonError::into_inner).folders_in(path).ok().flatten())
}
