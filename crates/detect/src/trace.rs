//! What a rule looks at: a fact, or a record that could become one.

use crate::baseline::Windows;
use ledger::vocabulary::Meaning;
use ledger::{BoundValue, FactEntry, FieldValue, Record, Vocabulary, is_earlier};
use std::collections::BTreeMap;
use std::sync::LazyLock;

/// Embedded, and read by tests: it is never missing.
static VOCABULARY: LazyLock<Option<Vocabulary>> = LazyLock::new(|| Vocabulary::shipped().ok());

/// What records of each type can prove.
static PROVES: LazyLock<BTreeMap<&str, Vec<(&str, &Meaning)>>> = LazyLock::new(|| {
    let mut proves: BTreeMap<&str, Vec<(&str, &Meaning)>> = BTreeMap::new();
    for (predicate, meaning) in VOCABULARY.iter().flat_map(Vocabulary::entries) {
        for kind in &meaning.proved_by {
            proves.entry(kind).or_default().push((&predicate.0, meaning));
        }
    }
    proves
});

/// The field as which a line that was put together is looked at: its name in the record types that have whole command lines.
const LINE: &str = "command_line";

/// The fields that hold a program whose arguments stand in a field of their own.
const PROGRAMS: [&str; 2] = ["command", "target"];

/// A trace of something that happened or stands on a host, as rules look at it.
#[derive(Debug, Clone)]
pub struct Trace<'a> {
    /// Its record type.
    kind: &'a str,
    /// What a fact says, or what a record proves.
    predicates: Vec<&'a str>,
    values: Vec<Stated<'a>>,
    /// The whole command line, where a record keeps a program and its arguments apart, as tasks and shortcuts do.
    line: Option<FieldValue>,
    /// The Windows that it is of, where that is known.
    windows: Option<Windows>,
}

/// A field and what it holds.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Stated<'a> {
    pub(crate) field: &'a str,
    pub(crate) value: &'a FieldValue,
    /// The words of it that were quoted, which are then all that counts.
    pub(crate) quotation: Option<&'a str>,
}

impl<'a> Trace<'a> {
    /// What a fact states: its subject counts like any value.
    pub fn of_fact(fact: &'a FactEntry) -> Trace<'a> {
        let bound = std::iter::once(&fact.subject).chain(&fact.values);
        let stated = |bound: &'a BoundValue| Stated {
            field: &bound.field,
            value: &bound.value,
            quotation: bound.quotation.as_deref(),
        };
        Trace::new(&fact.kind, vec![&fact.predicate.0], bound.map(stated).collect())
    }

    /// All that a record says, and what it proves or, where its file lies elsewhere, what it says.
    pub fn of_record(record: &'a Record) -> Trace<'a> {
        let stated = |(field, held): (&'a String, &'a ledger::Field)| Stated {
            field,
            value: &held.value,
            quotation: None,
        };
        let proved = PROVES.get(record.kind.as_str()).into_iter().flatten();
        let proved = proved.filter(|(_, meaning)| meaning.is_said_by(record)).map(|it| it.0);
        Trace::new(&record.kind, proved.collect(), record.fields.iter().map(stated).collect())
    }

    fn new(kind: &'a str, predicates: Vec<&'a str>, values: Vec<Stated<'a>>) -> Trace<'a> {
        let line = whole_line(&values);
        Trace { kind, predicates, values, line, windows: None }
    }

    /// The same trace on this Windows: what other versions bring along is not expected of it.
    #[must_use]
    pub const fn on(mut self, windows: Option<Windows>) -> Trace<'a> {
        self.windows = windows;
        self
    }

    pub(crate) const fn windows(&self) -> Option<Windows> {
        self.windows
    }

    /// The whole value of a field; `None` where it is not stated, or only words of it are.
    pub(crate) fn whole(&self, field: &str) -> Option<&FieldValue> {
        self.values.iter().find(|it| it.field == field && it.quotation.is_none()).map(|it| it.value)
    }

    /// Its record type.
    pub const fn kind(&self) -> &'a str {
        self.kind
    }

    pub(crate) fn says(&self, predicate: &str) -> bool {
        self.predicates.contains(&predicate)
    }

    /// What it says, but for the whole line that was put together.
    pub(crate) fn stated(&self) -> &[Stated<'a>] {
        &self.values
    }

    /// What it says, with those values in place of its own that are cut to what is run, by their places.
    pub(crate) fn values<'t>(&'t self, cut: &'t [(usize, FieldValue)]) -> impl Iterator<Item = Stated<'t>> {
        let line = self.line.as_ref().map(|value| Stated { field: LINE, value, quotation: None });
        let own = self.values.iter().enumerate().map(|(place, stated)| {
            let left = cut.iter().find(|(of, _)| *of == place).map(|(_, value)| value);
            Stated { value: left.unwrap_or(stated.value), ..*stated }
        });
        own.chain(line)
    }

    /// Whether both fields hold an instant, and that of the first is the earlier one.
    pub(crate) fn is_earlier(&self, fields: &[String; 2]) -> bool {
        is_earlier(fields, |name| self.values.iter().find(|it| it.field == name).map(|it| it.value))
    }
}

/// A program and its arguments, where both are stated and neither is a quotation: of that only its words count.
fn whole_line(values: &[Stated<'_>]) -> Option<FieldValue> {
    let stated =
        |names: &[&str]| values.iter().find(|it| names.contains(&it.field) && it.quotation.is_none());
    let (program, arguments) = (stated(&PROGRAMS)?, stated(&["arguments"])?);
    Some(FieldValue::Text(format!("{} {}", program.value.to_text(), arguments.value.to_text())))
}
