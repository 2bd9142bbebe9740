//! Opening a piece of evidence with what its index of names knows.

use crate::catalogue::Indexes;
use crate::name_index::NameIndex;
use crate::wire::Mount;
use evidence::{FoldersIn, OpenError, Tree, open_directory};
use ledger::EvidenceKind;
use std::sync::{Mutex, PoisonError};

/// Opens a piece of evidence as a call does.
///
/// With its index of names an archive is not listed again, and a folder is not read to learn which folders are in it.
/// An index that cannot be read fails the call that asks it for names.
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

/// The folders in a folder by an index; what it cannot tell, or not without an error, is read from the evidence.
fn folders_by(index: NameIndex) -> Box<FoldersIn> {
    let index = Mutex::new(index);
    Box::new(move |path| index.lock().unwrap_or_else(PoisonError::into_inner).folders_in(path).ok().flatten())
}
