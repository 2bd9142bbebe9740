//! Searches for a text in everything that the calls of a run returned.

use crate::outputs::{OutputError, bytes, open};
use graph::{InvocationView, Run};
use ledger::{FieldValue, InvocationId, Locator, Output, Record, RecordId, TaskId};
use memchr::memmem::Finder;
use std::borrow::Cow;
use std::path::Path;

/// A text to search for, ignoring case.
#[derive(Debug)]
pub struct Sought {
    folded: Vec<char>,
    /// Parts of it that appear unchanged in the stored form: an output that lacks one of them has no hit.
    plain: Vec<Finder<'static>>,
}

/// Where a search continues: at a record of an invocation.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct SearchFrom {
    /// The number of the task.
    pub task: u16,
    /// The index of the invocation in its task, from 0.
    pub place: usize,
    /// The first record to search.
    pub record: u32,
}

/// The limits of one search; the next search continues where it ended.
#[derive(Debug, Clone, Copy)]
pub struct SearchLimits {
    /// The most records to find.
    pub records: usize,
    /// The most bytes of outputs to read; the output that exceeds it is still searched completely.
    pub bytes: u64,
}

/// The result of a search.
#[derive(Debug, Default)]
pub struct Found {
    /// The records that contain the text, in the order of tasks, calls and records.
    pub records: Vec<FoundRecord>,
    /// Where to continue; `None` if everything was searched.
    pub next: Option<SearchFrom>,
    /// The number of bytes of outputs that were read.
    pub bytes: u64,
    /// Outputs that could not be searched, and why.
    pub unread: Vec<OutputError>,
}

/// A record that contains the text.
#[derive(Debug)]
pub struct FoundRecord {
    /// The task of the invocation.
    pub task: TaskId,
    /// The invocation.
    pub invocation: InvocationId,
    /// Its tool.
    pub tool: String,
    /// The record.
    pub record: RecordId,
    /// The record's type.
    pub kind: String,
    /// Its place in the evidence.
    pub locator: Locator,
    /// The first place of the text in each field, at most [`HITS`].
    pub hits: Vec<Hit>,
}

/// A place of the text in a record.
#[derive(Debug, PartialEq, Eq)]
pub struct Hit {
    /// The field; `None` for the record's path in the evidence.
    pub field: Option<String>,
    /// The text before it, at most [`AROUND`] characters.
    pub before: String,
    /// The matching text with its original case.
    pub text: String,
    /// The text after it, at most [`AROUND`] characters.
    pub after: String,
}

/// The most fields of a record that are shown.
const HITS: usize = 5;

/// Characters shown on each side of a hit.
const AROUND: usize = 80;

impl Sought {
    /// Prepares a text to search for; `None` if it is empty.
    pub fn new(text: &str) -> Option<Sought> {
        let folded: Vec<char> = text.chars().map(fold).collect();
        // The stored form escapes quotation marks, backslashes and control characters.
        let as_it_is = |c: &char| (' '..='~').contains(c) && !matches!(c, '"' | '\\');
        let stretches = folded.split(|c| !as_it_is(c));
        let stretches = stretches.filter(|stretch| !stretch.is_empty() && !may_be_of_a_time(stretch));
        let finder = |stretch: &[char]| Finder::new(&stretch.iter().collect::<String>()).into_owned();
        let plain = stretches.map(finder).collect();
        (!folded.is_empty()).then_some(Sought { folded, plain })
    }

    /// Whether the stored bytes may contain the text.
    fn may_be_in(&self, stored: &[u8]) -> bool {
        let lower = stored.to_ascii_lowercase();
        self.plain.iter().all(|stretch| stretch.find(&lower).is_some())
    }

    /// Returns the index of the first match in a text, in characters.
    fn find(&self, text: &str) -> Option<usize> {
        let folded: Vec<char> = text.chars().map(fold).collect();
        folded.windows(self.folded.len()).position(|window| window == self.folded)
    }

    fn hit(&self, field: Option<&str>, text: &str) -> Option<Hit> {
        let at = self.find(text)?;
        let part = |from: usize, to: usize| text.chars().skip(from).take(to - from).collect::<String>();
        let end = at + self.folded.len();
        Some(Hit {
            field: field.map(str::to_owned),
            before: part(at.saturating_sub(AROUND), at),
            text: part(at, end),
            after: part(end, end + AROUND),
        })
    }
}

/// Whether a part may appear in the text of a time but not in its stored form, which lacks trailing zeros of the fraction.
fn may_be_of_a_time(stretch: &[char]) -> bool {
    match stretch.iter().all(char::is_ascii_digit) {
        true => stretch.ends_with(&['0']),
        false => stretch.iter().all(|c| c.is_ascii_digit() || "-:.tz local".contains(*c)),
    }
}

/// Returns the character in lower case, if that is a single character and both or neither are ASCII.
fn fold(c: char) -> char {
    let mut lower = c.to_lowercase();
    match (lower.next(), lower.next()) {
        (Some(one), None) if one.is_ascii() == c.is_ascii() => one,
        _ => c,
    }
}

/// Searches the outputs of the run in `folder`: every value of every record, each item of a list separately, and the record's path.
///
/// Outputs are read from the file one after another and checked against their
/// digests. An output that cannot be read is listed in [`Found::unread`].
///
/// # Errors
///
/// Fails if the run cannot be opened.
pub fn search_outputs(
    folder: &Path,
    run: &Run,
    sought: &Sought,
    from: SearchFrom,
    limits: SearchLimits,
) -> Result<Found, OutputError> {
    let reader = open(folder)?;
    let mut found = Found::default();
    let calls = run.tasks.iter().flat_map(|(task, view)| {
        view.invocations.iter().enumerate().map(move |(place, call)| (*task, place, call))
    });
    for (task, place, call) in calls {
        let at = SearchFrom { task: task.0, place, record: 0 };
        if (at.task, at.place) < (from.task, from.place) {
            continue;
        }
        let Some(digest) = call.ended.as_ref().and_then(|ended| ended.output) else { continue };
        if found.bytes >= limits.bytes {
            found.next = Some(at);
            return Ok(found);
        }
        let stored = match bytes(&reader, call.started.invocation, digest) {
            Ok(stored) => stored,
            Err(error) => {
                found.unread.push(error);
                continue;
            }
        };
        found.bytes = found.bytes.saturating_add(stored.len() as u64);
        if !sought.may_be_in(&stored) {
            continue;
        }
        let output = match Output::decode_digested(stored, digest) {
            Ok(output) => output,
            Err(source) => {
                let invocation = call.started.invocation;
                found.unread.push(OutputError::Decode { invocation, source: Box::new(source) });
                continue;
            }
        };
        let first = if (at.task, at.place) == (from.task, from.place) { from.record } else { 0 };
        if let Some(record) = look_through(&output, sought, first, (task, call), limits.records, &mut found) {
            found.next = Some(SearchFrom { record, ..at });
            return Ok(found);
        }
    }
    Ok(found)
}

/// Adds the matching records of an output; returns the first match that exceeds the limit.
fn look_through(
    output: &Output,
    sought: &Sought,
    first: u32,
    (task, call): (TaskId, &InvocationView),
    most: usize,
    found: &mut Found,
) -> Option<u32> {
    for record in output.records().iter().skip(first as usize) {
        let hits = hits(record, sought);
        if hits.is_empty() {
            continue;
        }
        if found.records.len() >= most {
            return Some(record.id.0);
        }
        found.records.push(FoundRecord {
            task,
            invocation: call.started.invocation,
            tool: call.started.tool.clone(),
            record: record.id,
            kind: record.kind.clone(),
            locator: record.locator.clone(),
            hits,
        });
    }
    None
}

fn hits(record: &Record, sought: &Sought) -> Vec<Hit> {
    let fields = record
        .fields
        .iter()
        .filter_map(|(name, field)| texts(&field.value).iter().find_map(|text| sought.hit(Some(name), text)));
    let place = std::iter::once_with(|| sought.hit(None, &record.locator.path)).flatten();
    fields.chain(place).take(HITS).collect()
}

/// Returns the texts of a value, each of which is one text or number in the stored form.
fn texts(value: &FieldValue) -> Vec<Cow<'_, str>> {
    match value {
        FieldValue::List(items) => items.iter().map(|item| Cow::Borrowed(item.as_str())).collect(),
        FieldValue::Time(time) => vec![value.to_text(), Cow::Borrowed(time.raw.as_str())],
        FieldValue::Text(_)
        | FieldValue::Name(_)
        | FieldValue::Path(_)
        | FieldValue::RegistryPath(_)
        | FieldValue::Integer(_)
        | FieldValue::Size(_)
        | FieldValue::Sid(_)
        | FieldValue::Guid(_)
        | FieldValue::Hash(_)
        | FieldValue::Bytes(_)
        | FieldValue::Flag(_) => vec![value.to_text()],
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ledger::{ByteSpan, Field};

    fn sought(text: &str) -> Sought {
        Sought::new(text).unwrap()
    }

    fn output(value: FieldValue) -> Output {
        let field = Field { at: None, value };
        let locator = Locator {
            evidence: "host".into(),
            path: "a/b".into(),
            stream: None,
            span: Some(ByteSpan::new(0, 1)),
        };
        let record = Record {
            placement: None,
            defects: vec![],
            fields: [("field".to_owned(), field)].into(),
            id: RecordId(0),
            kind: "text_line".into(),
            locator,
        };
        Output::new(vec![record]).unwrap()
    }

    #[test]
    fn a_text_is_found_where_it_stands_whatever_its_case_and_only_there() {
        let text = |text: &str| FieldValue::Text(text.into());
        for (value, text, expected) in [
            (text(r"C:\Users\Bob"), r"c:\users\bob", Some(r"C:\Users\Bob")),
            (text("say \"Hello\"\nworld"), "\"hello\"\nW", Some("\"Hello\"\nw")),
            (text("Ärger im Bü"), "äRGER", Some("Ärger")),
            (text("\u{212a}elvin"), "kelvin", None),
            (text("İx"), "x", Some("x")),
            (text("ab"), "abc", None),
            (FieldValue::List(vec!["one".into(), "two".into()]), "TWO", Some("two")),
            (FieldValue::List(vec!["one".into(), "two".into()]), "one; two", None),
            (FieldValue::Integer(4624), "4624", Some("4624")),
            (
                FieldValue::Time(ledger::Time::from_filetime(133_000_000_000_000_000)),
                "40.0000000z",
                Some("40.0000000Z"),
            ),
            (
                FieldValue::Time(ledger::Time::from_filetime(133_000_000_000_000_000)),
                "1330000",
                Some("1330000"),
            ),
            (FieldValue::Flag(true), "True", Some("true")),
            // Names of fields and types are in the stored bytes but are not values.
            (text("x"), "text_line", None),
            (text("x"), "field", None),
            (text("x"), "A/B", Some("a/b")),
        ] {
            let (output, sought) = (output(value), sought(text));
            let found = output.records().iter().flat_map(|record| hits(record, &sought)).next();
            assert_eq!(found.map(|hit| hit.text).as_deref(), expected, "{text}");
            let may = sought.may_be_in(output.bytes());
            assert!(may || expected.is_none(), "{text} would be passed over");
        }
        assert!(Sought::new("").is_none());
    }

    #[test]
    fn an_excerpt_holds_what_stands_around_the_hit() {
        let text = format!("{}needle{}", "a".repeat(200), "b".repeat(200));
        let hit = sought("NEEDLE").hit(None, &text).unwrap();
        assert_eq!((hit.before.len(), hit.text.as_str(), hit.after.len()), (AROUND, "needle", AROUND));
    }
}
