//! A record being built: fields from values, and unexpected values as damage.
//!
//! A value of another type than the artifact has is never dropped silently: it becomes a defect of the record that says what was found.

use super::reader::Reader;
use super::values::{Held, Values};
use crate::hive_file::{key_name, record_span, value_name};
use crate::hive_state;
use crate::row::Row;
use crate::spec;
use artifacts::registry::{Key, ValueData};
use ledger::digest::hex;
use ledger::{ByteSpan, Clock, Defect, FieldType, FieldValue, Precision, Record, RecordType, Time, Utc};

/// The most bytes of binary data in a field.
const SHOWN: usize = 4096;

/// The most characters or bytes of an unexpected value in a defect.
const QUOTED: usize = 100;

/// The path of the root key, whose own name is not part of any path.
const ROOT: &str = "\\";

/// Makes a record type of an artifact: its own fields, and those that [`Draft`] gives every record.
pub(crate) fn record_type(
    name: &str,
    meaning: &str,
    subject: &str,
    fields: &[(&str, &[FieldType], &str)],
) -> RecordType {
    let common: [(&str, &[FieldType], &str); 5] = [
        hive_state::FIELD,
        ("key_path", &[FieldType::RegistryPath], "path of the key from the root of the hive"),
        (
            "key_last_written",
            &[FieldType::Time],
            "when the key, its values or the list of its subkeys was last changed; values have no times of their own",
        ),
        ("hive", &[FieldType::Path], "path of the hive in the evidence"),
        (
            "trailing",
            &[FieldType::Flag],
            "true where bytes other than NUL stand behind the end of a text of this record",
        ),
    ];
    spec::record(name, meaning, subject, &[&common, fields].concat())
}

/// A text of a record: the field, the name of the value, and how it is typed.
pub(crate) type TextField = (&'static str, &'static str, fn(String) -> FieldValue);

/// A record being built.
pub(crate) struct Draft {
    row: Row,
    path: String,
    offset: u64,
    defects: Vec<Defect>,
    trailing: bool,
}

impl Draft {
    /// Begins a record about a key.
    pub(crate) fn of_key(reader: &Reader<'_, '_>, kind: &str, key: &Key<'_>) -> Draft {
        let span = record_span(key.offset, key_name(reader.bytes, key.offset), 0x4C);
        Draft::new(reader, kind, key, span)
    }

    /// Begins a record about one value of a key.
    pub(crate) fn of_value(reader: &Reader<'_, '_>, kind: &str, key: &Key<'_>, held: &Held<'_>) -> Draft {
        let offset = held.value.offset;
        let draft =
            Draft::new(reader, kind, key, record_span(offset, value_name(reader.bytes, offset), 0x14));
        draft.own(held)
    }

    /// Begins a record about a part of one value's data; damage of the value concerns it, too.
    pub(crate) fn of_part(
        reader: &Reader<'_, '_>,
        kind: &str,
        key: &Key<'_>,
        held: &Held<'_>,
        part: Option<ByteSpan>,
    ) -> Draft {
        match part {
            Some(span) => Draft::new(reader, kind, key, span),
            None => Draft::of_value(reader, kind, key, held),
        }
    }

    fn new(reader: &Reader<'_, '_>, kind: &str, key: &Key<'_>, span: ByteSpan) -> Draft {
        let path = reader.node.path.as_str().to_owned();
        let row = Row::new(kind, reader.tree, reader.node, Some(span))
            .field("key_path", FieldValue::RegistryPath(key_path(key)))
            .field_at(
                "key_last_written",
                FieldValue::Time(Time::from_filetime(key.last_written.0)),
                Some(ByteSpan::new(key.last_written_offset, 8)),
            )
            .field("hive", FieldValue::Path(path.clone()));
        Draft { row, path, offset: span.offset, defects: Vec::new(), trailing: false }
    }

    /// Removes the key's last-write time, because it could be taken for the time of this record.
    pub(crate) fn undated(mut self) -> Draft {
        self.row = self.row.without("key_last_written");
        self
    }

    /// Adds a field with the place of its bytes, if they are in one piece.
    pub(crate) fn set(mut self, field: &str, value: FieldValue, at: Option<ByteSpan>) -> Draft {
        self.row = self.row.field_at(field, value, at);
        self
    }

    /// Adds a field, if there is a value.
    pub(crate) fn maybe(self, field: &str, value: Option<FieldValue>, at: Option<ByteSpan>) -> Draft {
        match value {
            Some(value) => self.set(field, value, at),
            None => self,
        }
    }

    /// Adds the name of a key, typed by `make`.
    pub(crate) fn key_name(
        self,
        reader: &Reader<'_, '_>,
        field: &str,
        key: &Key<'_>,
        make: fn(String) -> FieldValue,
    ) -> Draft {
        self.set(field, make(key.name.clone()), key_name(reader.bytes, key.offset))
    }

    /// Adds the name of a value, typed by `make`; `(default)` for the unnamed one.
    pub(crate) fn value_name(
        self,
        reader: &Reader<'_, '_>,
        field: &str,
        held: &Held<'_>,
        make: fn(String) -> FieldValue,
    ) -> Draft {
        let at = value_name(reader.bytes, held.value.offset);
        self.set(field, make(shown_name(held).to_owned()), at)
    }

    /// Adds a text, typed by `make`; a list of one text counts as that text.
    pub(crate) fn text(self, field: &str, held: Option<&Held<'_>>, make: fn(String) -> FieldValue) -> Draft {
        let Some(held) = held else { return self };
        match &held.value.data {
            ValueData::Text(text) => self.own(held).set(field, make(text.clone()), held.at()),
            ValueData::MultiText(texts) if texts.len() == 1 => {
                self.own(held).set(field, make(texts.concat()), held.at())
            }
            ValueData::MultiText(_)
            | ValueData::Dword(_)
            | ValueData::Qword(_)
            | ValueData::Bytes
            | ValueData::Unreadable => self.unfit(held, "a text"),
        }
    }

    /// Adds several text fields.
    pub(crate) fn texts(self, values: &Values<'_>, fields: &[TextField]) -> Draft {
        fields.iter().fold(self, |draft, (field, value, make)| draft.text(field, values.get(value), *make))
    }

    /// Adds a list of texts; a single text is a list of one.
    pub(crate) fn list(self, field: &str, held: Option<&Held<'_>>) -> Draft {
        let Some(held) = held else { return self };
        let texts = match &held.value.data {
            ValueData::MultiText(texts) => texts.clone(),
            ValueData::Text(text) => Some(text.clone()).filter(|text| !text.is_empty()).into_iter().collect(),
            ValueData::Dword(_) | ValueData::Qword(_) | ValueData::Bytes | ValueData::Unreadable => {
                return self.unfit(held, "texts");
            }
        };
        self.own(held).set(field, FieldValue::List(texts), held.at())
    }

    /// Adds a whole number.
    pub(crate) fn number(self, field: &str, held: Option<&Held<'_>>) -> Draft {
        self.integer(field, held, i128::from)
    }

    /// Adds a whole number that `change` makes from the stored one.
    pub(crate) fn integer(self, field: &str, held: Option<&Held<'_>>, change: fn(u64) -> i128) -> Draft {
        let Some(held) = held else { return self };
        match number(held) {
            Some(number) => self.own(held).set(field, FieldValue::Integer(change(number)), held.at()),
            None => self.unfit(held, "a number"),
        }
    }

    /// Adds a flag: true for 1 and false for 0.
    pub(crate) fn flag(self, field: &str, held: Option<&Held<'_>>) -> Draft {
        let Some(held) = held else { return self };
        match number(held) {
            Some(number @ (0 | 1)) => self.own(held).set(field, FieldValue::Flag(number == 1), held.at()),
            _ => self.unfit(held, "0 or 1"),
        }
    }

    /// Adds a time stored as seconds since 1970-01-01 UTC.
    pub(crate) fn unix(self, field: &str, held: Option<&Held<'_>>) -> Draft {
        let Some(held) = held else { return self };
        match number(held) {
            Some(seconds) => self.own(held).set(field, FieldValue::Time(unix_seconds(seconds)), held.at()),
            None => self.unfit(held, "seconds since 1970"),
        }
    }

    /// Adds a FILETIME stored in eight bytes or a 64-bit number.
    pub(crate) fn filetime(self, field: &str, held: Option<&Held<'_>>) -> Draft {
        let Some(held) = held else { return self };
        let ticks = match (&held.value.data, held.value.raw.as_ref().try_into()) {
            (ValueData::Qword(ticks), _) => Some(*ticks),
            (ValueData::Bytes, Ok(bytes)) => Some(u64::from_le_bytes(bytes)),
            _ => None,
        };
        match ticks {
            Some(ticks) => self.own(held).set(field, FieldValue::Time(Time::from_filetime(ticks)), held.at()),
            None => self.unfit(held, "a FILETIME"),
        }
    }

    /// Adds a FILETIME stored in two numbers whose names end in `Low` and `High`; both must be present.
    pub(crate) fn halves(self, field: &str, values: &Values<'_>, name: &str) -> Draft {
        let half = |end: &str| values.get(&format!("{name}{end}"));
        let word = |held: &Held<'_>| number(held).and_then(|number| u32::try_from(number).ok());
        match (half("Low"), half("High")) {
            (None, None) => self,
            (Some(low), Some(high)) => match (word(low), word(high)) {
                (Some(low), Some(high)) => {
                    let ticks = u64::from(high) << 32 | u64::from(low);
                    self.set(field, FieldValue::Time(Time::from_filetime(ticks)), None)
                }
                (Some(_), None) => self.unfit(high, "half of a FILETIME"),
                (None, _) => self.unfit(low, "half of a FILETIME"),
            },
            (Some(half), None) | (None, Some(half)) => {
                self.unfit(half, "one of two halves of a FILETIME, of which the other is missing,")
            }
        }
    }

    /// Adds the value's data by its type; of binary data only the first 4096 bytes.
    pub(crate) fn data(self, field: &str, held: &Held<'_>) -> Draft {
        let at = held.at();
        let value = match &held.value.data {
            ValueData::Text(text) => FieldValue::Text(text.clone()),
            ValueData::MultiText(texts) => FieldValue::List(texts.clone()),
            ValueData::Dword(number) => FieldValue::Integer(i128::from(*number)),
            ValueData::Qword(number) => FieldValue::Integer(i128::from(*number)),
            ValueData::Bytes => return self.bytes(field, held),
            ValueData::Unreadable => return self.own(held),
        };
        self.own(held).set(field, value, at)
    }

    /// Adds the first 4096 bytes of the raw data; a defect says if there is more.
    pub(crate) fn bytes(self, field: &str, held: &Held<'_>) -> Draft {
        let raw = &held.value.raw;
        let shown = raw.get(..SHOWN).unwrap_or(raw);
        let at = held.at().map(|span| ByteSpan::new(span.offset, span.length.min(SHOWN as u64)));
        let draft = self.own(held).set(field, FieldValue::Bytes(hex(shown)), at);
        if raw.len() > SHOWN {
            let what =
                format!("only the first {SHOWN} of {} bytes of {:?} are given", raw.len(), shown_name(held));
            return draft.defect(Some(held.value.offset), what);
        }
        draft
    }

    /// Reports that a value is not as expected, and what was found.
    pub(crate) fn unfit(self, held: &Held<'_>, expected: &str) -> Draft {
        let offset = held.value.data_extents.first().map_or(held.value.offset, |extent| extent.offset);
        let what = format!(
            "value {:?} should be {expected} but is {} {}",
            shown_name(held),
            held.value.kind,
            quoted(held)
        );
        self.own(held).defect(Some(offset), what)
    }

    /// Adds damage; with an offset of `None` it is reported at the record itself.
    pub(crate) fn defect(mut self, offset: Option<u64>, what: String) -> Draft {
        let offset = Some(offset.unwrap_or(self.offset));
        self.defects.push(Defect { path: self.path.clone(), offset, what });
        self
    }

    /// Completes the record.
    pub(crate) fn done(mut self) -> Record {
        self.defects.sort();
        self.defects.dedup();
        let trailing = self.trailing.then_some(FieldValue::Flag(true));
        self.row.maybe("trailing", trailing, None).defects(self.defects).done()
    }

    /// Takes over the damage of a value that the record is made from.
    pub(crate) fn own(mut self, held: &Held<'_>) -> Draft {
        self.trailing |= held.value.trailing;
        self.defects.extend(held.defects.iter().cloned());
        self
    }
}

/// Returns the path of a key from the root.
pub(crate) fn key_path(key: &Key<'_>) -> String {
    if key.path.is_empty() { ROOT.to_owned() } else { key.path.clone() }
}

/// Returns the path of a key, `\` and the name of a value.
pub(crate) fn value_path(key: &Key<'_>, held: &Held<'_>) -> FieldValue {
    FieldValue::RegistryPath(format!("{}\\{}", key.path, shown_name(held)))
}

/// Returns the name under which registry editors show a value.
pub(crate) fn shown_name<'v>(held: &'v Held<'_>) -> &'v str {
    if held.value.name.is_empty() { "(default)" } else { &held.value.name }
}

/// Returns the value's number, if it is one.
pub(crate) fn number(held: &Held<'_>) -> Option<u64> {
    match &held.value.data {
        ValueData::Dword(number) => Some(u64::from(*number)),
        ValueData::Qword(number) => Some(*number),
        ValueData::Text(_) | ValueData::MultiText(_) | ValueData::Bytes | ValueData::Unreadable => None,
    }
}

/// Returns the value's text, if it is one.
pub(crate) fn text_of<'v>(held: Option<&'v Held<'_>>) -> Option<&'v str> {
    match &held?.value.data {
        ValueData::Text(text) => Some(text),
        ValueData::MultiText(_)
        | ValueData::Dword(_)
        | ValueData::Qword(_)
        | ValueData::Bytes
        | ValueData::Unreadable => None,
    }
}

/// Converts seconds since 1970-01-01 UTC to a time; 0 is "not set".
pub(crate) fn unix_seconds(seconds: u64) -> Time {
    let utc = Utc::from_unix_nanoseconds(i128::from(seconds) * 1_000_000_000).filter(|_| seconds != 0);
    Time { utc, raw: seconds.to_string(), clock: Clock::Host, precision: Precision::Second, zone: None }
}

/// Quotes an unexpected value, shortened.
fn quoted(held: &Held<'_>) -> String {
    let cut = |text: &str| text.chars().take(QUOTED).collect::<String>();
    match &held.value.data {
        ValueData::Text(text) => format!("{:?}", cut(text)),
        ValueData::MultiText(texts) => format!("{:?}", cut(&texts.join("; "))),
        ValueData::Dword(number) => number.to_string(),
        ValueData::Qword(number) => number.to_string(),
        ValueData::Bytes => {
            let raw = &held.value.raw;
            format!("of {} bytes: {}", raw.len(), hex(raw.get(..QUOTED / 2).unwrap_or(raw)))
        }
        ValueData::Unreadable => "that cannot be read".to_owned(),
    }
}
