//! A record as rules see it: the names that Windows gives to event data, and the field names of a log source.

use crate::mapping::Source;
use crate::template::{Part, Style, Template};
use ledger::{FieldValue, Record};
use rsigma_eval::{Event, EventValue};
use std::borrow::Cow;

/// The names of event data that are in fields of records.
#[derive(Debug, Clone, Copy)]
pub struct Names {
    /// Returns the data names of an event, by record type and event id, with the fields that hold them.
    ///
    /// A field can have a prefix: `+` if the datum is also among the other data, `4:` if it is an address as a number.
    /// `*hashes` means several fields of digests; any other name with `*` means data that are not put together again.
    pub of_record: fn(&str, u32) -> &'static [(&'static str, &'static str)],
    /// Returns the data names for which events of this channel (in lower case) and id have fields.
    pub of_channel: fn(&str, u32) -> Vec<&'static str>,
}

/// The field name that means digests.
const HASHES: &str = "*hashes";

/// The digests of a file as Sysmon names them, with the fields that hold them.
const DIGESTS: [(&str, &str); 4] =
    [("SHA1", "sha1"), ("MD5", "md5"), ("SHA256", "sha256"), ("IMPHASH", "imphash")];

/// The most characters of a reported value.
const TOLD: usize = 512;

/// A record with the names that Windows gives to its data.
#[derive(Debug)]
pub(crate) struct View<'r> {
    record: &'r Record,
    /// The channel, in lower case, and the id of an event.
    pub(crate) event: Option<(String, u32)>,
    /// Sorted by name.
    fields: Vec<(Cow<'r, str>, EventValue<'r>)>,
}

fn text(record: &Record, field: &str) -> Option<String> {
    record.fields.get(field).map(|field| field.value.to_text().into_owned())
}

impl<'r> View<'r> {
    pub(crate) fn of(record: &'r Record, names: &Names) -> View<'r> {
        let id = record.fields.get("event_id").and_then(|field| match field.value {
            FieldValue::Integer(id) => u32::try_from(id).ok(),
            _ => None,
        });
        // Records made from several events have no provider.
        let id = id.filter(|_| record.fields.contains_key("provider"));
        let mut view = View { record, event: None, fields: Vec::new() };
        match id {
            Some(id) => view.read_event(id, (names.of_record)(&record.kind, id)),
            None => view.read_fields(),
        }
        view.fields.sort_by(|a, b| a.0.cmp(&b.0));
        view
    }

    fn read_fields(&mut self) {
        let own = self.record.fields.iter();
        self.fields = own.map(|(name, field)| (Cow::Borrowed(name.as_str()), plain(&field.value))).collect();
    }

    fn read_event(&mut self, id: u32, natives: &[(&'static str, &'static str)]) {
        let record = self.record;
        let channel = text(record, "channel").unwrap_or_default().to_lowercase();
        self.event = Some((channel, id));
        self.add("EventID", EventValue::Int(id.into()));
        let base = [
            ("Provider_Name", "provider"),
            ("Channel", "channel"),
            ("Computer", "computer"),
            ("ComputerName", "computer"),
            ("EventRecordID", "record_id"),
            ("Level", "level"),
        ];
        for (name, field) in base {
            if let Some(held) = record.fields.get(field) {
                self.add(name, plain(&held.value));
            }
        }
        for (_, field) in DIGESTS {
            if let Some(digest) = text(record, field) {
                self.add(field, EventValue::Str(Cow::Owned(digest)));
            }
        }
        for (native, field) in natives {
            self.add_native(native, field);
        }
        for list in ["data", "more"] {
            self.add_list(list);
        }
        self.add_unnamed();
    }

    fn add(&mut self, name: impl Into<Cow<'r, str>>, value: EventValue<'r>) {
        let name = name.into();
        if !self.fields.iter().any(|(own, _)| *own == name) {
            self.fields.push((name, value));
        }
    }

    /// Adds a datum that has a field of its own, as Windows writes it.
    fn add_native(&mut self, native: &'static str, field: &'static str) {
        if native.starts_with('@') {
            return;
        }
        if field == HASHES {
            let digests = DIGESTS.iter().filter_map(|(name, field)| Some((name, text(self.record, field)?)));
            let digests: Vec<String> =
                digests.map(|(name, digest)| format!("{name}={}", digest.to_uppercase())).collect();
            if !digests.is_empty() {
                self.add(native, EventValue::Str(Cow::Owned(digests.join(","))));
            }
            return;
        }
        let field = field.trim_start_matches('+').trim_start_matches("4:");
        let Some(held) = self.record.fields.get(field) else { return };
        // Data names with spaces are also written without them, or with other characters instead.
        if native.contains(' ') {
            self.add(native.replace(' ', ""), native_value(&held.value));
            self.add(native.replace(' ', "_"), native_value(&held.value));
        }
        self.add(native, native_value(&held.value));
    }

    /// Adds data that have no field of their own.
    fn add_list(&mut self, list: &str) {
        let Some(FieldValue::List(items)) = self.record.fields.get(list).map(|field| &field.value) else {
            return;
        };
        for item in items {
            let Some((name, value)) = item.split_once('=') else { continue };
            if value.is_empty() || value == "-" {
                continue;
            }
            if name.contains(' ') {
                self.add(name.replace(' ', ""), EventValue::Str(Cow::Borrowed(value)));
                self.add(name.replace(' ', "_"), EventValue::Str(Cow::Borrowed(value)));
            }
            self.add(Cow::Borrowed(name), EventValue::Str(Cow::Borrowed(value)));
        }
    }

    /// Adds data without names, which are all called `Data`.
    fn add_unnamed(&mut self) {
        let is_unnamed = |name: &str| {
            name.strip_prefix("data")
                .is_some_and(|rest| !rest.is_empty() && rest.bytes().all(|it| it.is_ascii_digit()))
        };
        let unnamed = self.fields.iter().filter(|(name, _)| is_unnamed(name));
        let values: Vec<EventValue<'r>> = unnamed.map(|(_, value)| value.clone()).collect();
        if !values.is_empty() {
            self.add("Data", EventValue::Array(values));
        }
    }

    fn get(&self, name: &str) -> Option<&EventValue<'r>> {
        let at = self.fields.binary_search_by(|(own, _)| own.as_ref().cmp(name)).ok()?;
        self.fields.get(at).map(|(_, value)| value)
    }

    fn filled(&self, template: &Template) -> Option<EventValue<'_>> {
        if let Some(name) = template.alone() {
            return self.get(name).map(shared);
        }
        let mut filled = String::new();
        for part in &template.parts {
            match part {
                Part::Text(text) => filled.push_str(text),
                Part::Field(name) => filled.push_str(&first_text(self.get(name)?)?),
            }
        }
        let filled = match template.style {
            Style::Plain => filled,
            Style::Dos => dos(&self.record.locator.path, &self.record.kind, &filled),
            Style::Hive => hive_key(&text(self.record, "hive").unwrap_or_default(), &filled),
            Style::Registry => kernel_key(&filled),
            Style::Details => {
                return details(&text(self.record, "value_type").unwrap_or_default(), filled);
            }
        };
        Some(EventValue::Str(Cow::Owned(filled)))
    }
}

/// Returns a value unchanged.
fn plain(value: &FieldValue) -> EventValue<'_> {
    match value {
        FieldValue::Integer(number) => {
            i64::try_from(*number).map_or_else(|_| EventValue::Str(value.to_text()), EventValue::Int)
        }
        FieldValue::Size(number) => {
            i64::try_from(*number).map_or_else(|_| EventValue::Str(value.to_text()), EventValue::Int)
        }
        FieldValue::List(items) => {
            EventValue::Array(items.iter().map(|item| EventValue::Str(Cow::Borrowed(item))).collect())
        }
        other => EventValue::Str(other.to_text()),
    }
}

/// Returns an event's datum in every form that Windows uses: a number also in hex digits and as a message number.
fn native_value(value: &FieldValue) -> EventValue<'_> {
    match value {
        FieldValue::Integer(number) if *number >= 0 => {
            let hex = EventValue::Str(Cow::Owned(format!("{number:#x}")));
            let message = EventValue::Str(Cow::Owned(format!("%%{number}")));
            EventValue::Array(vec![plain(value), hex, message])
        }
        other => plain(other),
    }
}

/// Borrows the same value.
fn shared<'s>(value: &'s EventValue<'_>) -> EventValue<'s> {
    match value {
        EventValue::Str(text) => EventValue::Str(Cow::Borrowed(text)),
        EventValue::Int(number) => EventValue::Int(*number),
        EventValue::Float(number) => EventValue::Float(*number),
        EventValue::Bool(flag) => EventValue::Bool(*flag),
        EventValue::Null => EventValue::Null,
        EventValue::Array(items) => EventValue::Array(items.iter().map(shared).collect()),
        EventValue::Map(items) => EventValue::Map(
            items.iter().map(|(name, value)| (Cow::Borrowed(name.as_ref()), shared(value))).collect(),
        ),
    }
}

fn first_text<'s>(value: &'s EventValue<'_>) -> Option<Cow<'s, str>> {
    match value {
        EventValue::Array(items) => items.first().and_then(first_text),
        other => other.as_str(),
    }
}

/// Passes every text of a value to the predicate until it accepts one.
pub(crate) fn any_text(value: &EventValue<'_>, pred: &mut dyn FnMut(&str) -> bool) -> bool {
    match value {
        EventValue::Array(items) => items.iter().any(|item| any_text(item, pred)),
        other => other.as_str().is_some_and(|text| pred(&text)),
    }
}

/// Returns a path of the evidence as Windows writes it.
/// It gets the drive if its first folder is a letter, else the drive of the file that mentions it.
fn dos(file: &str, kind: &str, path: &str) -> String {
    let drive = |path: &str| {
        let (first, _) = path.split_once('/').unwrap_or((path, ""));
        let letter = first.chars().next().filter(char::is_ascii_alphabetic)?;
        (first.len() == 1).then_some(letter.to_ascii_uppercase())
    };
    let path = path.replace('/', "\\");
    if kind == "dir_entry" {
        return match drive(file) {
            Some(letter) => format!("{letter}:{}", path.get(1..).unwrap_or_default()),
            None => format!("\\{}", path.split_once('\\').map_or(path.as_str(), |(_, rest)| rest)),
        };
    }
    let path = path.trim_start_matches('\\');
    match drive(file) {
        Some(letter) => format!("{letter}:\\{path}"),
        None => format!("\\{path}"),
    }
}

/// Returns the key of a hive as Sysmon names it.
/// The file does not show under which name a user's hive is loaded, so the name of the profile folder is used.
pub fn hive_key(hive: &str, path: &str) -> String {
    let mut parts = hive.rsplit(['/', '\\']);
    let file = parts.next().unwrap_or_default().to_ascii_uppercase();
    let folder = parts.next().unwrap_or_default();
    let path = path.trim_start_matches('\\');
    let profile = || {
        let after_users = hive.split(['/', '\\']).skip_while(|part| !part.eq_ignore_ascii_case("users"));
        after_users.skip(1).map(str::to_owned).next().unwrap_or_else(|| folder.to_owned())
    };
    match file.as_str() {
        "SYSTEM" => {
            let set = path.split('\\').next().unwrap_or_default();
            let is_set = set.len() == 13 && set.to_ascii_lowercase().starts_with("controlset");
            let rest = path.get(set.len()..).filter(|_| is_set);
            match rest {
                Some(rest) => format!("HKLM\\System\\CurrentControlSet{rest}"),
                None => format!("HKLM\\System\\{path}"),
            }
        }
        "SOFTWARE" | "SAM" | "SECURITY" => format!("HKLM\\{file}\\{path}"),
        "DEFAULT" => format!("HKU\\.DEFAULT\\{path}"),
        "NTUSER.DAT" => format!("HKU\\{}\\{path}", profile()),
        "USRCLASS.DAT" => format!("HKU\\{}_Classes\\{path}", profile()),
        _ => format!("\\{path}"),
    }
}

/// Returns a kernel registry key as Sysmon names it.
fn kernel_key(path: &str) -> String {
    let roots = [("\\REGISTRY\\MACHINE\\", "HKLM\\"), ("\\REGISTRY\\USER\\", "HKU\\")];
    let shortened = roots.iter().find_map(|(long, short)| {
        let head = path.get(..long.len()).filter(|head| head.eq_ignore_ascii_case(long))?;
        path.get(head.len()..).map(|rest| format!("{short}{rest}"))
    });
    shortened.unwrap_or_else(|| path.to_owned())
}

/// Returns the data of a value as Sysmon writes it.
fn details(value_type: &str, data: String) -> Option<EventValue<'static>> {
    let number = || data.parse::<u64>().ok();
    Some(EventValue::Str(Cow::Owned(match value_type {
        "REG_DWORD" => format!("DWORD ({:#010x})", number()?),
        "REG_QWORD" => {
            let number = number()?;
            format!("QWORD ({:#010x}-{:#010x})", number >> 32, number & 0xffff_ffff)
        }
        "REG_SZ" | "REG_EXPAND_SZ" => data,
        _ => "Binary Data".to_owned(),
    })))
}

/// A record as rules of one log source see it.
#[derive(Debug)]
pub(crate) struct Seen<'v, 'r> {
    view: &'v View<'r>,
    /// The fields that the log source names differently.
    named: Vec<(&'v str, Option<EventValue<'v>>)>,
}

impl<'v, 'r> Seen<'v, 'r> {
    /// Returns the record as seen by a log source; `None` if it is not one of its records.
    pub(crate) fn of(view: &'v View<'r>, source: &'v Source) -> Option<Seen<'v, 'r>> {
        let event = view.event.as_ref().map(|(channel, id)| (channel.as_str(), *id));
        if !source.takes(&view.record.kind, event) {
            return None;
        }
        let filled = |forms: &'v Vec<Template>| forms.iter().find_map(|form| view.filled(form));
        let named = source.fields.iter().map(|(name, forms)| (name.as_str(), filled(forms))).collect();
        let seen = Seen { view, named };
        let holds = |(field, values): (&String, &Vec<String>)| {
            seen.get_field(field).is_some_and(|value| {
                any_text(&value, &mut |text| values.iter().any(|wanted| wanted.eq_ignore_ascii_case(text)))
            })
        };
        source.only.iter().all(holds).then_some(seen)
    }

    /// Returns the text of a field, shortened for a hit.
    pub(crate) fn told(&self, field: &str) -> Option<String> {
        let value = self.get_field(field)?;
        let text = match &value {
            // A number in several forms is one value.
            EventValue::Array(items) if matches!(items.first(), Some(EventValue::Int(_))) => {
                first_text(&value)?.into_owned()
            }
            EventValue::Array(items) => items.iter().filter_map(first_text).collect::<Vec<_>>().join("; "),
            other => other.as_str()?.into_owned(),
        };
        let cut: String = text.chars().take(TOLD).collect();
        Some(if cut.len() < text.len() { format!("{cut}…") } else { text })
    }

    /// Checks whether the record gives the name of a file but not its folder.
    pub(crate) fn is_name_alone(&self) -> bool {
        self.view.event.is_none()
            && self.view.record.fields.contains_key("name")
            && self.view.record.kind.starts_with("usn_")
            && !self.view.record.fields.contains_key("path")
    }

    /// Returns one value of a field, for grouping.
    pub(crate) fn one(&self, field: &str) -> Option<String> {
        first_text(&self.get_field(field)?).map(Cow::into_owned)
    }
}

impl Event for Seen<'_, '_> {
    fn get_field(&self, path: &str) -> Option<EventValue<'_>> {
        match self.named.iter().find(|(name, _)| *name == path) {
            Some((_, value)) => value.as_ref().map(shared),
            None => self.view.get(path).map(shared),
        }
    }

    fn any_string_value(&self, pred: &dyn Fn(&str) -> bool) -> bool {
        self.view.fields.iter().any(|(_, value)| any_text(value, &mut |text| pred(text)))
    }

    fn all_string_values(&self) -> Vec<Cow<'_, str>> {
        let mut all = Vec::new();
        for (_, value) in &self.view.fields {
            any_text(value, &mut |text| {
                all.push(Cow::Owned(text.to_owned()));
                false
            });
        }
        all
    }

    fn to_json(&self) -> serde_json::Value {
        let fields = self.view.fields.iter().map(|(name, value)| (name.to_string(), value.to_json()));
        serde_json::Value::Object(fields.collect())
    }
}
