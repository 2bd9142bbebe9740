//! Collects the records, the damage and the gaps of one call.

mod conditions;
mod counts;
mod dating;
mod fields;
mod filter;
mod standout;

pub(crate) use conditions::{Condition, ConditionError, Conditions, Literal, Sign, Test};
pub(crate) use counts::{
    Counts, KIND as COUNT_KIND, Unread, record_type as count_type, record_types as count_types,
};
pub(crate) use dating::{Dating, dating_field, is_of_host};
pub(crate) use fields::{nearest_names, told as told_fields};
pub(crate) use filter::Excluded;
pub(crate) use standout::{LEVEL, Standout};

use crate::arguments::Arguments;
use crate::error::CallError;
use crate::intake::{Brief, Flow, Intake, Taken};
use crate::page::Page;
use crate::returned::Return;
use crate::spec;
use filter::{Dated, Filter};
use ledger::{Defect, FieldValue, Gap, Record, RecordType};
use serde_json::Value;
use std::collections::BTreeSet;
use std::ops::ControlFlow;

/// The most bytes of values in the records of one call: the keys of a hostile hive can share one large piece of data.
const MAX_DATA: usize = 32 << 20;

/// The most damage of one call that belongs to no record.
const MAX_DEFECTS: usize = 1000;

/// The most files that an empty answer names.
const MAX_NAMED: usize = 20;

/// Reads the `where` conditions on records of these types.
pub(crate) fn conditions(arguments: &Arguments, records: &[RecordType]) -> Result<Conditions, CallError> {
    Conditions::of(arguments, records).map_err(CallError::Where)
}

/// Returns the arguments of every tool that returns decoded records: conditions and paging.
pub(crate) fn arguments() -> Vec<(&'static str, Value)> {
    vec![
        (
            "name",
            spec::text(
                "pattern of the subject of the records, such as the name of a service: * for any characters, ? for one, {a,b} for either, letter case aside; all records when left out",
            ),
        ),
        (
            "where",
            spec::text(
                "what fields of the record must be like, as SQL writes it: event_id IN (4624, 4625) AND account <> 'SYSTEM'. Conditions are joined with AND and use =, <>, <, <=, >, >=, BETWEEN, IN, LIKE ('%' and '_'), NOT IN, NOT LIKE, IS NULL, IS NOT NULL; texts stand in single quotes and are compared letter case aside, times look like '2025-03-01T00:00:00Z' (UTC where no zone stands there), flags are true or false",
            ),
        ),
        (
            "text",
            spec::text(
                "what some field of the record must contain, letter case aside; several of which one is enough are separated by ||",
            ),
        ),
        ("exclude", exclude()),
        ("from", spec::instant("first instant in which a time of the record must lie")),
        ("to", spec::instant("last instant in which a time of the record must lie")),
        ("record", spec::text("the only record type to give")),
        (
            "count_by",
            spec::text(
                "fields, separated by commas: give no records but how many have each combination of their values, by file and record type, with first and last time; \"record\" alone counts by type",
            ),
        ),
        ("sum", spec::text("field with whole numbers to add up in each count")),
        ("limit", spec::number("most records to return", 1000, 1, 10_000)),
        ("offset", spec::offset()),
    ]
}

/// Returns the argument that chooses records that stand out.
pub(crate) fn level() -> Value {
    let about = "give only records that fit a rule of this level or above, by which code tells what stands out; a rule is no proof of what it names, and an empty answer none that nothing happened";
    spec::choice(about, &standout::choices())
}

/// Returns the argument that leaves out records.
pub(crate) fn exclude() -> Value {
    spec::text(
        "leave out records in which, or in the path of whose file, this text occurs, letter case aside; several are separated by ||",
    )
}

/// Adds the types of counts to record types; each once, sorted by name.
pub(crate) fn with_counts(mut types: Vec<RecordType>) -> Vec<RecordType> {
    types.extend(count_types());
    types.sort_by(|a, b| a.name.cmp(&b.name));
    types.dedup_by(|a, b| a.name == b.name);
    types
}

/// What one call has found so far.
pub(crate) struct Sink {
    filter: Filter,
    into: Into,
    /// How many bytes of values are in the records.
    data: usize,
    too_much: bool,
    /// Files that could not be read completely: they cannot show an absence, and counts of them are partial.
    unread: Unread,
    defects: BTreeSet<Defect>,
    more_defects: bool,
    gaps: BTreeSet<Gap>,
    notes: BTreeSet<String>,
    /// What was read.
    sources: Vec<String>,
}

/// What is done with a record.
enum Into {
    Page(Page),
    Counts(Counts, Page),
}

impl Sink {
    /// Makes a sink for a call with [`arguments`] that returns records of these types.
    pub(crate) fn new(arguments: &Arguments, records: Vec<RecordType>) -> Result<Sink, CallError> {
        let page = Page::new(arguments.count("offset")?, arguments.count("limit")?);
        let counts = Counts::read(arguments, &records)?;
        let filter = Filter::read(arguments, records)?;
        let into = match counts {
            Some(counts) => Into::Counts(counts.narrowed_by(&filter.narrowing()?), page),
            None => Into::Page(page),
        };
        Ok(Sink {
            filter,
            into,
            data: 0,
            too_much: false,
            unread: Unread::default(),
            defects: BTreeSet::new(),
            more_defects: false,
            gaps: BTreeSet::new(),
            notes: BTreeSet::new(),
            sources: Vec::new(),
        })
    }

    /// Returns how many files were read.
    pub(crate) fn looked_at(&self) -> usize {
        self.sources.len()
    }

    /// Checks whether a record did not fit: more follow.
    pub(crate) fn is_full(&self) -> bool {
        match &self.into {
            Into::Page(page) => page.is_over() || self.too_much,
            Into::Counts(counts, _) => counts.refused().is_some(),
        }
    }

    /// Hands everything to `returned`.
    pub(crate) fn fill(self, returned: &mut Return) {
        let Sink { filter, into, too_much, unread, defects, more_defects, gaps, mut notes, sources, .. } =
            self;
        returned.defects.extend(defects);
        returned.gaps.extend(gaps);
        match into {
            Into::Page(page) => page.fill(returned, "records"),
            Into::Counts(counts, mut page) => {
                if let Some(reason) = counts.refused() {
                    returned.truncate(reason.to_owned());
                }
                for record in counts.records(&unread) {
                    if !page.take(|| record) {
                        break;
                    }
                }
                page.fill(returned, "counts");
            }
        }
        if returned.records.is_empty() && !sources.is_empty() {
            let more = sources.len().saturating_sub(MAX_NAMED);
            let named = sources.into_iter().take(MAX_NAMED).collect::<Vec<_>>().join(", ");
            let more = if more > 0 { format!(" and {more} more") } else { String::new() };
            returned.notes.push(format!("looked at {named}{more}"));
        }
        notes.extend(filter.left_out());
        returned.notes.extend(notes);
        if !unread.is_empty() {
            returned.truncate("damage or gaps may hide records: see gaps and defects".to_owned());
        }
        if too_much {
            let count = returned.records.len();
            returned.truncate(format!(
                "stopped after {count} records of very much data: ask for one file, or with \"name\""
            ));
        }
        if more_defects {
            returned.truncate(format!("only {MAX_DEFECTS} defects are listed; there are more"));
        }
    }
}

impl Intake for Sink {
    fn takes(&self) -> Taken<'_> {
        let fields = match &self.into {
            Into::Page(_) => None,
            Into::Counts(counts, _) => self.filter.fields().map(|own| [counts.fields(), own].concat()),
        };
        Taken { fields, ..self.filter.takes() }
    }

    fn begin(&mut self, source: String) {
        self.sources.push(source);
    }

    fn passes_over(&mut self, brief: &Brief<'_>) -> bool {
        match (self.filter.wants_brief(brief), &mut self.into) {
            (Some(false), _) => true,
            (Some(true), Into::Page(page)) => page.passes_over(),
            (Some(true), Into::Counts(..)) | (None, _) => false,
        }
    }

    fn push(&mut self, record: Record) -> Flow {
        if !self.filter.wants(&record) {
            return ControlFlow::Continue(());
        }
        let page = match &mut self.into {
            Into::Counts(counts, _) => {
                return match self.filter.dates(&record, counts.dating()) {
                    Dated::Inside => counts.add(&record),
                    Dated::Outside => ControlFlow::Continue(()),
                    Dated::Never => counts.refuse(),
                };
            }
            Into::Page(page) => page,
        };
        if self.data > MAX_DATA {
            self.too_much = true;
            return ControlFlow::Break(());
        }
        self.data = self.data.saturating_add(size(&record));
        if page.take(|| record) { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    }

    fn defect(&mut self, defect: Defect) {
        if self.defects.len() < MAX_DEFECTS || self.defects.contains(&defect) {
            self.defects.insert(defect);
        } else {
            self.more_defects = true;
        }
    }

    fn hidden(&mut self, defect: Defect) {
        self.unread.damaged.insert(defect.path.clone());
        self.defect(defect);
    }

    fn gap(&mut self, gap: Gap) {
        self.unread.gaps.insert(gap.path.clone());
        self.gaps.insert(gap);
    }

    fn note(&mut self, note: String) {
        self.notes.insert(note);
    }
}

/// Returns roughly how many bytes the values of a record have.
pub(crate) fn size(record: &Record) -> usize {
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
