//! Paths of folders, from the `$MFT` of the same volume if it is beside the journal.
//!
//! They are the present paths: a folder that was renamed since has its later name; one whose entry was reused has none.

use super::Source;
use artifacts::usn::FileId;
use evidence::{EvidencePath, MftFile, Node, NodeKind};

/// How collections name the file.
const NAMES: [&str; 2] = ["$MFT", "%24MFT"];

#[derive(Default)]
pub(super) struct Paths {
    table: Table,
}

#[derive(Default)]
enum Table {
    #[default]
    /// Not looked for yet: most calls need no path.
    Unopened,
    Open(Box<MftFile>, EvidencePath),
    Missing,
}

impl Paths {
    /// Looks for the `$MFT`, once; if there is none, a note says so.
    pub(super) fn look(&mut self, source: &mut Source<'_, '_>) {
        if matches!(self.table, Table::Unopened) {
            self.table = open(source);
        }
    }

    /// Returns the path of a name in this folder.
    pub(super) fn path(&mut self, source: &mut Source<'_, '_>, folder: FileId, name: &str) -> Option<String> {
        self.look(source);
        let Table::Open(file, root) = &mut self.table else { return None };
        let folder = file.folder(folder.mft()?, root)?;
        let name = evidence::escape_name(name.as_bytes());
        Some(if folder.is_empty() { name } else { format!("{folder}/{name}") })
    }
}

/// Opens the `$MFT` in the folder of the journal, or in its parent: the journal's own folder is `$Extend`.
fn open(source: &mut Source<'_, '_>) -> Table {
    let own = source.node.path.parent();
    let above = own.as_ref().and_then(EvidencePath::parent);
    for folder in own.into_iter().chain(above) {
        for name in NAMES {
            let node = folder.child(name).ok().and_then(|path| source.tree.node(&path).ok().flatten());
            let Some(node) = node.filter(|node| node.kind == NodeKind::File) else { continue };
            match read(source, &node) {
                Some(file) => return Table::Open(Box::new(file), folder),
                None => source.note(&format!("{} could not be read: records have no path", node.path)),
            }
        }
    }
    source.note("no $MFT of the same volume is in the evidence: records have no path");
    Table::Missing
}

fn read(source: &Source<'_, '_>, node: &Node) -> Option<MftFile> {
    MftFile::open(source.tree.open(node, None).ok()?).ok().flatten()
}
