//! Turns one event into a record.

use super::index::{Entry, Target, entry};
use super::kinds::EVENT;
use super::rules::Form;
use super::values;
use crate::decode::Source;
use crate::row::Row;
use artifacts::event_text::SourceTime;
use artifacts::evtx::{Event, System};
use ledger::{AssumedZone, ByteSpan, FieldType, FieldValue, Precision, Time};
use std::borrow::Cow;

/// The least number of characters for a text to be looked for in the record's bytes.
const LEAST: usize = 4;

/// The offsets of the record number and the time in a log record of Vista and later.
const NUMBER: u64 = 8;
const WRITTEN: u64 = 16;

/// The name of the time among the places of an exported event.
const CREATED: &str = "TimeCreated@SystemTime";

/// Names and values of an event.
type Data<'a> = [(Cow<'a, str>, Cow<'a, str>)];

/// Returns the specific type for an event's provider and id, and whether that provider can really have written the event.
pub(crate) fn standing(system: &System<'_>) -> Option<(&'static str, bool)> {
    entry(system).map(|(entry, own)| (entry.rule.kind, own))
}

/// Makes the record of an event.
pub(crate) fn row(source: &Source<'_, '_>, event: &Event<'_>, data: &Data<'_>) -> Row {
    match entry(&event.system) {
        Some((entry, true)) => {
            special(source, event, data, entry).unwrap_or_else(|| general(source, event, data, None))
        }
        Some((entry, false)) => general(source, event, data, Some(entry.rule.kind)),
        None => general(source, event, data, None),
    }
}

fn base(source: &Source<'_, '_>, event: &Event<'_>, kind: &str) -> Row {
    let system = &event.system;
    // Compressed data has no place of its own in the file.
    let is_there = event.exported.as_ref().is_none_or(|exported| exported.is_there);
    let span = is_there.then(|| ByteSpan::new(event.offset, event.raw.len() as u64));
    let at = |by: u64| (event.chunk > 0).then(|| ByteSpan::new(event.offset.saturating_add(by), 8));
    let ticks = ticks_of(event);
    let place = at(WRITTEN).filter(|_| ticks == event.written).or_else(|| stands(event, CREATED, None));
    // If no provider is named, the channel is the best substitute.
    let provider = [&system.provider, &system.channel].into_iter().find(|name| !name.is_empty());
    let name = |text: &Cow<'_, str>| (!text.is_empty()).then(|| FieldValue::Name(text.clone().into_owned()));
    let row = source
        .row(kind, span)
        .field("event_id", FieldValue::Integer(system.event_id.into()))
        .field("provider", FieldValue::Name(provider.map_or("unknown", |name| name).to_owned()))
        .maybe("channel", name(&system.channel), None)
        .maybe("computer", name(&system.computer), found(event, Some("Computer"), &system.computer));
    // Every record of a log has a number; some export formats drop it.
    let has_number = event.exported.is_none() || system.record_id.is_some();
    let number = has_number.then(|| FieldValue::Integer(event.record_id.into()));
    let row = row.maybe("record_id", number, at(NUMBER).or_else(|| stands(event, "EventRecordID", None)));
    row.maybe("time", time_of(event).map(FieldValue::Time), place)
}

/// Returns when an event was created, or else written, as a FILETIME; 0 if neither is known.
pub(crate) fn ticks_of(event: &Event<'_>) -> u64 {
    event.system.created.filter(|ticks| *ticks != 0).unwrap_or(event.written)
}

/// Returns the same as a time; logs before Vista keep seconds.
pub(crate) fn time_of(event: &Event<'_>) -> Option<Time> {
    let time = Some(ticks_of(event)).filter(|ticks| *ticks != 0).map(Time::from_filetime)?;
    Some(match event.exported.as_ref().and_then(|exported| exported.time.as_ref()) {
        Some(source) => exported_time(source, time),
        None if event.is_old() => {
            Time { precision: Precision::Second, raw: event.written.to_string(), ..time }
        }
        None => time,
    })
}

/// Returns a time as precise as the text gives it; if the text names no zone, the zone is unknown.
fn exported_time(source: &SourceTime, time: Time) -> Time {
    let precision = match source.decimals {
        0 => Precision::Second,
        1..=3 => Precision::Millisecond,
        4..=6 => Precision::Microsecond,
        _ => Precision::Filetime,
    };
    let time = Time { precision, ..time };
    match source.has_zone {
        true => time,
        false => Time { raw: source.text.clone(), zone: Some(AssumedZone::Utc), ..time },
    }
}

fn general(source: &Source<'_, '_>, event: &Event<'_>, data: &Data<'_>, imitates: Option<&str>) -> Row {
    let system = &event.system;
    let values: Vec<&str> =
        data.iter().map(|(_, value)| value.as_ref()).filter(|value| !value.is_empty()).collect();
    let text = values.join("\n");
    let place = found(event, None, &text);
    let binary: Vec<String> = data.iter().filter_map(|(_, value)| values::text_of(value)).collect();
    let binary = (!binary.is_empty()).then(|| binary.join("\n"));
    let told = binary.as_deref().and_then(|text| found(event, None, text));
    base(source, event, EVENT)
        .maybe("level", system.level.map(|level| FieldValue::Integer(level.into())), None)
        .maybe("sid", system.user.clone().map(|sid| FieldValue::Sid(sid.into_owned())), None)
        .maybe("process_id", system.process_id.map(|pid| FieldValue::Integer(pid.into())), None)
        .maybe("activity", system.activity.clone().map(|guid| FieldValue::Guid(guid.into_owned())), None)
        .maybe("data", list(data.iter().map(|(name, value)| (name.as_ref(), value.as_ref()))), None)
        .maybe("message_data", (!text.is_empty()).then_some(FieldValue::Text(text)), place)
        .maybe("binary_text", binary.map(FieldValue::Text), told)
        .maybe("imitates", imitates.map(|kind| FieldValue::Name(kind.to_owned())), None)
}

fn list<'a>(pairs: impl Iterator<Item = (&'a str, &'a str)>) -> Option<FieldValue> {
    let items: Vec<_> = pairs.map(|(name, value)| format!("{name}={value}")).collect();
    (!items.is_empty()).then_some(FieldValue::List(items))
}

/// Makes the record of the specific type; `None` if its subject is missing.
fn special(source: &Source<'_, '_>, event: &Event<'_>, data: &Data<'_>, entry: &Entry) -> Option<Row> {
    let mut row = base(source, event, entry.kind.name);
    if !entry.rule.action.is_empty() {
        row = row.field("action", FieldValue::Name(entry.rule.action.to_owned()));
    }
    let mut made = Made { event, entry, row, subject: false, set: Vec::with_capacity(entry.map.len()) };
    made.subject = entry.is_about_computer && !event.system.computer.is_empty();
    for (from, target) in &entry.map {
        let Some(text) = value(event, data, from).filter(|text| !matches!(text.as_ref(), "" | "-")) else {
            continue;
        };
        made = made.with(from, target, &text);
    }
    let Made { row, subject, set, .. } = made;
    let rest = data
        .iter()
        .filter(|(name, value)| !set.contains(&name.as_ref()) && !value.is_empty() && value != "-");
    let row = row.maybe("more", list(rest.map(|(name, value)| (name.as_ref(), value.as_ref()))), None);
    subject.then_some(row)
}

/// A record being built.
struct Made<'e> {
    event: &'e Event<'e>,
    entry: &'e Entry,
    row: Row,
    /// Whether the record has its subject.
    subject: bool,
    /// The data that have fields of their own.
    set: Vec<&'static str>,
}

impl Made<'_> {
    /// Adds the fields for one datum. A value that is not of the field's type stays in `more`.
    fn with(mut self, from: &'static str, target: &Target, text: &str) -> Self {
        let place = |text: &str| found(self.event, Some(from), text);
        match target {
            Target::Field(field) => {
                let Some(typed) = values::typed(field, text) else { return self };
                let code = field.code.and_then(|code| {
                    let family = self.entry.family(self.event.system.event_id);
                    values::told(&typed, family).map(|told| (code, told))
                });
                let at = place(text);
                if !field.later {
                    self.set.push(from);
                }
                self = self.field(field.name, typed, at);
                if let Some((code, (hex, name))) = code {
                    self = self.field(code.hex, FieldValue::Name(hex), None);
                    if let Some(name) = name {
                        self = self.field(code.name, FieldValue::Name(name.to_owned()), None);
                    }
                }
                self.beside(field.name, text)
            }
            Target::Ipv4(field) => {
                let Some(address) = values::ipv4(text) else { return self };
                self.set.push(from);
                self.field(field, FieldValue::Name(address), None)
            }
            Target::Form(form) => self.form(*form, from, text),
        }
    }

    /// Adds a value in words, or as an IPv4 address, if the type has a field for that.
    fn beside(self, field: &str, text: &str) -> Self {
        if let Some((to, word)) = values::word(field, text)
            && self.entry.kind.fields.iter().any(|(name, of, _)| *name == to && *of == FieldType::Name)
        {
            return self.field(to, FieldValue::Name(word.to_owned()), None);
        }
        if field == "address"
            && self.entry.has("ipv4")
            && let Some(address) = values::mapped(text)
        {
            return self.field("ipv4", FieldValue::Name(address), None);
        }
        self
    }

    /// Adds the fields made from one datum.
    fn form(mut self, form: Form, from: &'static str, text: &str) -> Self {
        match form {
            Form::Hashes => {
                for (name, digest) in values::digests(text) {
                    let at = found(self.event, Some(from), digest);
                    self = self.field(name, FieldValue::Hash(digest.to_lowercase()), at);
                }
            }
            Form::Host => {
                let line = text.lines().find_map(|line| line.trim_start().strip_prefix("HostApplication="));
                if let Some(line) = line.map(str::trim).filter(|line| !line.is_empty()) {
                    let at = found(self.event, Some(from), line);
                    self = self.field("host_application", FieldValue::Text(line.to_owned()), at);
                }
            }
            Form::Endpoint => {
                let whole = self.entry.has("endpoint").then(|| text.trim().to_owned());
                let alone = || whole.clone().map(|address| values::Endpoint { address, port: None });
                let Some(endpoint) = values::endpoint(text).or_else(alone) else { return self };
                if let Some(whole) = whole {
                    let at = found(self.event, Some(from), &whole);
                    self = self.field("endpoint", FieldValue::Name(whole), at);
                }
                self = self.endpoint(from, endpoint);
            }
            Form::Ssh => {
                let Some((account, endpoint)) = values::ssh(text) else { return self };
                if let Some(account) = account {
                    let at = found(self.event, Some(from), account);
                    self = self.field("account", FieldValue::Name(account.to_owned()), at);
                }
                self = self.endpoint(from, endpoint);
            }
        }
        self.set.push(from);
        self
    }

    fn endpoint(self, from: &str, endpoint: values::Endpoint) -> Self {
        let at = found(self.event, Some(from), &endpoint.address);
        let made = self.field("address", FieldValue::Name(endpoint.address), at);
        match endpoint.port {
            Some(port) => made.field("port", FieldValue::Integer(port.into()), None),
            None => made,
        }
    }

    fn field(mut self, name: &str, value: FieldValue, at: Option<ByteSpan>) -> Self {
        self.subject |= name == self.entry.kind.subject;
        self.row = self.row.field_at(name, value, at);
        self
    }
}

fn value<'a>(event: &Event<'a>, data: &Data<'a>, from: &str) -> Option<Cow<'a, str>> {
    match from {
        "@user" => event.system.user.clone(),
        "@channel" => Some(event.system.channel.clone()),
        "@process" => event.system.process_id.map(|pid| Cow::Owned(pid.to_string())),
        _ => {
            let named = |name: &str| data.iter().find(|(own, _)| own == name).map(|(_, value)| value.clone());
            named(from).or_else(|| named(&counted_from_one(event, from)?))
        }
    }
}

/// Returns Winlogbeat's name for a datum that has no name in the log: `param1` and so on.
fn counted_from_one(event: &Event<'_>, from: &str) -> Option<String> {
    event.exported.as_ref()?;
    let number: u32 = from.strip_prefix("data")?.parse().ok()?;
    Some(format!("param{}", number.checked_add(1)?))
}

/// Returns the place of a value of an exported event, or of part of the value, in its file.
fn stands(event: &Event<'_>, name: &str, text: Option<&str>) -> Option<ByteSpan> {
    let exported = event.exported.as_ref()?;
    let (offset, length) = exported.find(name, text)?;
    Some(ByteSpan::new(offset, length))
}

/// Returns the place of the text in the record, in UTF-16LE, if it occurs only once and is not a rendering of something else.
/// In an exported event the value of that name knows its place.
fn found(event: &Event<'_>, name: Option<&str>, text: &str) -> Option<ByteSpan> {
    if let Some(exported) = &event.exported {
        let name = match name {
            Some("@user") => "Security@UserID",
            Some("@channel") => "Channel",
            Some("@process") => "Execution@ProcessID",
            Some(name) => name,
            None => return exported.find_text(text).map(|(offset, length)| ByteSpan::new(offset, length)),
        };
        return stands(event, name, Some(text))
            .or_else(|| stands(event, &counted_from_one(event, name)?, Some(text)));
    }
    let rendered = text.starts_with("S-1-")
        || text.starts_with('{')
        || text.bytes().all(|byte| byte.is_ascii_hexdigit() || byte == b'x');
    if rendered && text.len() < 32 || text.chars().count() < LEAST || text.starts_with("S-1-") {
        return None;
    }
    let wanted: Vec<u8> = text.encode_utf16().flat_map(u16::to_le_bytes).collect();
    let at = only_place(event.raw, &wanted)?;
    Some(ByteSpan::new(event.offset.saturating_add(at as u64), wanted.len() as u64))
}

/// Returns the offset of `wanted` in `bytes`, if it occurs only once.
fn only_place(bytes: &[u8], wanted: &[u8]) -> Option<usize> {
    /// The most places compared one by one. Records are short: preparing a search costs more than most comparisons.
    const FEW: usize = 64;
    let first = *wanted.first()?;
    let stands_at = |at: usize| bytes.get(at..).is_some_and(|rest| rest.starts_with(wanted));
    let mut place: Option<usize> = None;
    for (compared, at) in memchr::memchr_iter(first, bytes).enumerate() {
        if compared == FEW {
            let mut places = memchr::memmem::find_iter(bytes, wanted);
            return places.next().filter(|_| places.next().is_none());
        }
        match place {
            // An occurrence that overlaps the first one does not count.
            Some(place) if at < place.saturating_add(wanted.len()) => {}
            Some(_) if stands_at(at) => return None,
            None if stands_at(at) => place = Some(at),
            Some(_) | None => {}
        }
    }
    place
}

#[cfg(test)]
mod tests {
    use super::only_place;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn a_text_is_found_where_it_stands_once_whatever_the_way_of_searching(
            bytes in prop::collection::vec(prop::sample::select(b"aab".to_vec()), 0..400),
            wanted in prop::collection::vec(prop::sample::select(b"aab".to_vec()), 1..9),
        ) {
            let mut places = memchr::memmem::find_iter(&bytes, &wanted);
            let once = places.next().filter(|_| places.next().is_none());
            prop_assert_eq!(only_place(&bytes, &wanted), once);
        }
    }
}
