//! Where the records, the damage and the gaps of one call come together.

use super::reader::Flow;
use crate::arguments::Arguments;
use crate::error::CallError;
use crate::hive_file;
use crate::hives::HiveFile;
use crate::page::Page;
use crate::returned::Return;
use artifacts::registry::HiveType;
use ledger::pattern::fits;
use ledger::{Defect, FieldValue, Gap, Record, RecordType};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::ControlFlow;

/// Most bytes of values in the records of one call: keys of a hostile hive can share one large piece of data.
const MAX_DATA: usize = 32 << 20;

/// Most damage of one call that belongs to no record.
const MAX_DEFECTS: usize = 1000;

/// Most characters of a pattern.
const MAX_PATTERN: usize = 1024;

/// What one call has found so far.
pub(crate) struct Sink {
    page: Page,
    /// The pattern that subjects must fit.
    name: Option<String>,
    /// The subject field of each record type.
    subjects: BTreeMap<String, String>,
    /// Bytes of values in the records.
    data: usize,
    too_much: bool,
    /// Whether something could not be looked up, so that an absence means nothing.
    unseen: bool,
    defects: BTreeSet<Defect>,
    more_defects: bool,
    gaps: BTreeSet<Gap>,
    notes: BTreeSet<String>,
    hives: Vec<String>,
}

impl Sink {
    /// For a call with these arguments, which gives records of these types.
    pub(crate) fn new(arguments: &Arguments, records: Vec<RecordType>) -> Result<Sink, CallError> {
        let name = arguments.optional_text("name").map(str::to_owned);
        if let Some(found) = name.as_ref().filter(|name| name.chars().count() > MAX_PATTERN) {
            let (expected, found) = ("at most 1024 characters", found.clone());
            return Err(CallError::Argument { argument: "name", expected, found });
        }
        Ok(Sink {
            page: Page::new(arguments.count("offset")?, arguments.count("limit")?),
            name,
            subjects: records.into_iter().map(|record| (record.name, record.subject)).collect(),
            data: 0,
            too_much: false,
            unseen: false,
            defects: BTreeSet::new(),
            more_defects: false,
            gaps: BTreeSet::new(),
            notes: BTreeSet::new(),
            hives: Vec::new(),
        })
    }

    /// Notes the hive that is read next and what is wrong with it as a whole.
    pub(crate) fn begin(&mut self, file: &HiveFile<'_>, hive_type: HiveType, dirty: Option<Gap>) {
        let path = file.node.path.as_str();
        self.hives.push(format!("{path} of {} ({})", file.tree.label(), hive_file::type_name(hive_type)));
        for defect in hive_file::base_defects(&file.node.path, &file.hive) {
            self.defect(defect);
        }
        if let Some(gap) = dirty {
            self.notes.insert(format!("{}: {}", gap.path, gap.reason));
            self.gaps.insert(gap);
        }
    }

    /// Whether a hive was read.
    pub(crate) fn looked_at_any(&self) -> bool {
        !self.hives.is_empty()
    }

    /// Takes the next record, unless its subject does not fit the pattern.
    pub(crate) fn push(&mut self, record: Record) -> Flow {
        if !self.wanted(&record) {
            return ControlFlow::Continue(());
        }
        if self.data > MAX_DATA {
            self.too_much = true;
            return ControlFlow::Break(());
        }
        self.data = self.data.saturating_add(size(&record));
        if self.page.take(|| record) { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    }

    /// Damage that belongs to no record; the same damage met twice is told once.
    pub(crate) fn defect(&mut self, defect: Defect) {
        if self.defects.len() < MAX_DEFECTS || self.defects.contains(&defect) {
            self.defects.insert(defect);
        } else {
            self.more_defects = true;
        }
    }

    /// Something that could not be looked up.
    pub(crate) fn gap(&mut self, gap: Gap) {
        self.unseen = true;
        self.gaps.insert(gap);
    }

    /// Damage that may hide what was looked for.
    pub(crate) fn hidden(&mut self, defect: Defect) {
        self.unseen = true;
        self.defect(defect);
    }

    /// Words for the agent; the same words are said once.
    pub(crate) fn note(&mut self, note: String) {
        self.notes.insert(note);
    }

    /// Hands everything to `returned`.
    pub(crate) fn fill(self, returned: &mut Return) {
        returned.defects.extend(self.defects);
        returned.gaps.extend(self.gaps);
        if self.hives.is_empty() {
            return;
        }
        self.page.fill(returned, "records");
        if returned.records.is_empty() {
            returned.notes.push(format!("looked at {}", self.hives.join(", ")));
        }
        returned.notes.extend(self.notes);
        if self.unseen {
            returned.truncate("damage or gaps may hide records: see gaps and defects".to_owned());
        }
        if self.too_much {
            let count = returned.records.len();
            returned.truncate(format!(
                "stopped after {count} records of very much data: ask for one hive, or with \"name\""
            ));
        }
        if self.more_defects {
            returned.truncate(format!("only {MAX_DEFECTS} defects are listed; there are more"));
        }
    }

    fn wanted(&self, record: &Record) -> bool {
        let Some(pattern) = &self.name else { return true };
        let subject = self.subjects.get(&record.kind).and_then(|subject| record.fields.get(subject));
        subject.is_some_and(|subject| fits(pattern, &subject.value.to_text()))
    }
}

/// About how many bytes the values of a record have.
fn size(record: &Record) -> usize {
    record.fields.values().map(|field| length(&field.value)).fold(0, usize::saturating_add)
}

fn length(value: &FieldValue) -> usize {
    match value {
        FieldValue::Text(text)
        | FieldValue::Name(text)
        | FieldValue::Path(text)
        | FieldValue::RegistryPath(text)
        | FieldValue::Sid(text)
        | FieldValue::Guid(text)
        | FieldValue::Hash(text)
        | FieldValue::Bytes(text) => text.len(),
        FieldValue::List(texts) => texts.iter().map(|text| text.len() + 24).sum(),
        FieldValue::Time(_) | FieldValue::Integer(_) | FieldValue::Size(_) | FieldValue::Flag(_) => 16,
    }
}
