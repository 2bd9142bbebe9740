//! What rules examine: a fact, or a record that could become one.

use crate::baseline::Windows;
use ledger::vocabulary::Meaning;
use ledger::{BoundValue, FactEntry, FieldValue, Record, Vocabulary, is_earlier};
use std::collections::BTreeMap;
use std::sync::LazyLock;

/// The embedded vocabulary. Tests read it, so it is never missing.
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

/// The field name for a composed command line, as in record types with whole command lines.
const LINE: &str = "command_line";

/// The fields with a program whose arguments are in a separate field.
const PROGRAMS: [&str; 2] = ["command", "target"];

/// A trace of an event or a state on a host, as rules see it.
#[derive(Debug, Clone)]
pub struct Trace<'a> {
    /// Its record type.
    kind: &'a str,
    /// What a fact says, or what a record proves.
    predicates: Vec<&'a str>,
    values: Vec<Stated<'a>>,
    /// The whole command line, if a record keeps a program and its arguments separate, as tasks and shortcuts do.
    line: Option<FieldValue>,
    /// The Windows that it is from, if it is known.
    windows: Option<Windows>,
}

/// A field and its value.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Stated<'a> {
    pub(crate) field: &'a str,
    pub(crate) value: &'a FieldValue,
    /// The words quoted from it; if set, only they count.
    pub(crate) quotation: Option<&'a str>,
}

impl<'a> Trace<'a> {
    /// Makes a trace of what a fact states: its subject counts like any value.
    pub fn of_fact(fact: &'a FactEntry) -> Trace<'a> {
        let bound = std::iter::once(&fact.subject).chain(&fact.values);
        let stated = |bound: &'a BoundValue| Stated {
            field: &bound.field,
            value: &bound.value,
            quotation: bound.quotation.as_deref(),
        };
        Trace::new(&fact.kind, vec![&fact.predicate.0], bound.map(stated).collect())
    }

    /// Makes a trace of everything that a record says, with what it proves or, if its file is elsewhere, what it says.
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

    /// Sets the Windows of the trace: what only other versions include is not expected on it.
    #[must_use]
    pub const fn on(mut self, windows: Option<Windows>) -> Trace<'a> {
        self.windows = windows;
        self
    }

    pub(crate) const fn windows(&self) -> Option<Windows> {
        self.windows
    }

    /// Returns the whole value of a field; `None` if it is not stated, or only quoted in part.
    pub(crate) fn whole(&self, field: &str) -> Option<&FieldValue> {
        self.values.iter().find(|it| it.field == field && it.quotation.is_none()).map(|it| it.value)
    }

    /// Returns its record type.
    pub const fn kind(&self) -> &'a str {
        self.kind
    }

    pub(crate) fn says(&self, predicate: &str) -> bool {
        self.predicates.contains(&predicate)
    }

    /// Returns what it says, without the composed command line.
    pub(crate) fn stated(&self) -> &[Stated<'a>] {
        &self.values
    }

    /// Returns what it says, with some of its values replaced, by position, by the lines that are run.
    pub(crate) fn values<'t>(&'t self, cut: &'t [(usize, FieldValue)]) -> impl Iterator<Item = Stated<'t>> {
        let line = self.line.as_ref().map(|value| Stated { field: LINE, value, quotation: None });
        let own = self.values.iter().enumerate().map(|(place, stated)| {
            let left = cut.iter().find(|(of, _)| *of == place).map(|(_, value)| value);
            Stated { value: left.unwrap_or(stated.value), ..*stated }
        });
        own.chain(line)
    }

    /// Checks whether both fields hold an instant and the first is earlier.
    pub(crate) fn is_earlier(&self, fields: &[String; 2]) -> bool {
        is_earlier(fields, |name| self.values.iter().find(|it| it.field == name).map(|it| it.value))
    }
}

/// Joins a program and its arguments, if both are stated and neither is a quotation, of which only the words count.
fn whole_line(values: &[Stated<'_>]) -> Option<FieldValue> {
    let stated =
        |names: &[&str]| values.iter().find(|it| names.contains(&it.field) && it.quotation.is_none());
    let (program, arguments) = (stated(&PROGRAMS)?, stated(&["arguments"])?);
    Some(FieldValue::Text(format!("{} {}", program.value.to_text(), arguments.value.to_text())))
}
