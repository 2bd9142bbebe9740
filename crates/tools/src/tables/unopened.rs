//! Folder entries that the pass neither opens nor descends into: each is a gap.

use crate::intake::{Flow, Intake, hands_on_remarks};
use ledger::{FieldValue, Gap, Record};

/// Name extensions of archives, compressed files and images, which are evidence of their own.
const CONTAINERS: [&str; 23] = [
    ".001", ".7z", ".ad1", ".bz2", ".cab", ".dd", ".e01", ".ex01", ".gz", ".img", ".iso", ".ova", ".qcow2",
    ".rar", ".raw", ".tar", ".tgz", ".vhd", ".vhdx", ".vmdk", ".wim", ".xz", ".zip",
];

/// An intake that passes on the entries of folders, and a gap for each that is not opened.
pub(super) struct Unopened<'o> {
    out: &'o mut dyn Intake,
}

impl<'o> Unopened<'o> {
    pub(super) fn new(out: &'o mut dyn Intake) -> Unopened<'o> {
        Unopened { out }
    }
}

impl Intake for Unopened<'_> {
    hands_on_remarks!(out);

    fn push(&mut self, record: Record) -> Flow {
        if let Some(reason) = reason(&record) {
            self.out.gap(Gap { path: record.locator.path.clone(), reason });
        }
        self.out.push(record)
    }
}

/// Returns why an entry is not opened.
fn reason(record: &Record) -> Option<String> {
    let text = |name: &str| record.fields.get(name).and_then(|field| field.value.as_text());
    match text("kind")? {
        "symlink" => Some(match text("target") {
            Some(target) => format!("a link, not followed: it points to {target}"),
            None => "a link, not followed".to_owned(),
        }),
        "other" => Some("a pipe, a socket or a device: not opened".to_owned()),
        "file" if is_container(text("name")?) && !is_empty(record) => Some(
            "an archive, a compressed file or an image inside the evidence: not opened; it is evidence of its own".to_owned(),
        ),
        _ => None,
    }
}

fn is_container(name: &str) -> bool {
    let name = name.to_lowercase();
    CONTAINERS.iter().any(|ending| name.ends_with(ending))
}

fn is_empty(record: &Record) -> bool {
    record.fields.get("size").is_some_and(|field| field.value == FieldValue::Size(0))
}

#[cfg(test)]
mod tests {
    use super::*;
    use ledger::{Field, Locator, RecordId};

    fn entry(kind: &str, name: &str, size: u64) -> Record {
        let field = |value| Field { at: None, value };
        let fields = [
            ("kind".to_owned(), field(FieldValue::Name(kind.to_owned()))),
            ("name".to_owned(), field(FieldValue::Name(name.to_owned()))),
            ("size".to_owned(), field(FieldValue::Size(size))),
        ];
        let locator = Locator { evidence: "e".to_owned(), path: name.to_owned(), stream: None, span: None };
        Record {
            placement: None,
            defects: Vec::new(),
            fields: fields.into(),
            id: RecordId(0),
            kind: "dir_entry".to_owned(),
            locator,
        }
    }

    #[test]
    fn links_special_files_and_containers_are_gaps_and_other_entries_are_not() {
        for (kind, name, size, is_gap) in [
            ("symlink", "link", 0, true),
            ("other", "pipe", 0, true),
            ("file", "Backup.ZIP", 9, true),
            ("file", "disk.E01", 9, true),
            ("file", "disk.raw.gz", 9, true),
            ("file", "empty.zip", 0, false),
            ("file", "report.docx", 9, false),
            ("file", "zip", 9, false),
            ("directory", "old.zip", 0, false),
        ] {
            assert_eq!(reason(&entry(kind, name, size)).is_some(), is_gap, "{kind} {name}");
        }
    }
}
