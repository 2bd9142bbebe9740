//! One event as a record.

use super::kinds::{BASE, EVENT, KINDS, Kind};
use super::rules::{HASHES, HOST, RULES, Rule};
use crate::decode::Source;
use crate::row::Row;
use artifacts::evtx::{Event, System, filetime};
use ledger::{ByteSpan, FieldType, FieldValue, Time};
use std::borrow::Cow;

/// Least characters of a text whose bytes are looked for in the record.
const LEAST: usize = 4;

/// Where the number and the time stand in a record of a log of Vista and later.
const NUMBER: u64 = 8;
const WRITTEN: u64 = 16;

/// Names and values of an event.
type Data<'a> = [(Cow<'a, str>, Cow<'a, str>)];

/// The rule of an event, and whether the event can be of its provider.
fn rule(system: &System<'_>) -> Option<(&'static Rule, bool)> {
    let same = |a: &str, b: &str| a.eq_ignore_ascii_case(b);
    let rule = RULES.iter().find(|rule| {
        rule.may(system.event_id, &system.channel) && same(rule.writer.provider, &system.provider)
    })?;
    let bare = system.guid.as_deref().map(|guid| guid.trim_matches(['{', '}']));
    let own = rule.writer.guid.is_none_or(|guid| bare.is_some_and(|bare| same(guid, bare)));
    Some((rule, own))
}

/// The type of its own that an event has by its provider and id, and whether it can be of that provider.
pub(crate) fn standing(system: &System<'_>) -> Option<(&'static str, bool)> {
    rule(system).map(|(rule, own)| (rule.kind, own))
}

/// The record of an event.
pub(crate) fn row(source: &Source<'_, '_>, event: &Event<'_>, data: &Data<'_>) -> Row {
    match rule(&event.system) {
        Some((rule, true)) => KINDS
            .iter()
            .find(|kind| kind.name == rule.kind)
            .and_then(|kind| special(source, event, data, rule, kind))
            .unwrap_or_else(|| general(source, event, data, None)),
        Some((rule, false)) => general(source, event, data, Some(rule.kind)),
        None => general(source, event, data, None),
    }
}

fn base(source: &Source<'_, '_>, event: &Event<'_>, kind: &str) -> Row {
    let system = &event.system;
    let span = ByteSpan::new(event.offset, event.raw.len() as u64);
    let at = |by: u64| (event.chunk > 0).then(|| ByteSpan::new(event.offset.saturating_add(by), 8));
    let ticks = ticks_of(event);
    let place = at(WRITTEN).filter(|_| ticks == event.written);
    // The channel is the best that is left where no provider is named.
    let provider = [&system.provider, &system.channel].into_iter().find(|name| !name.is_empty());
    let name = |text: &Cow<'_, str>| (!text.is_empty()).then(|| FieldValue::Name(text.clone().into_owned()));
    let row = source
        .row(kind, Some(span))
        .field("event_id", FieldValue::Integer(system.event_id.into()))
        .field("provider", FieldValue::Name(provider.map_or("unknown", |name| name).to_owned()))
        .maybe("channel", name(&system.channel), None)
        .maybe("computer", name(&system.computer), found(event, &system.computer))
        .field_at("record_id", FieldValue::Integer(event.record_id.into()), at(NUMBER));
    row.maybe("time", time_of(event).map(FieldValue::Time), place)
}

/// When an event was created, or else written, as a FILETIME; 0 where neither is known.
pub(crate) fn ticks_of(event: &Event<'_>) -> u64 {
    event.system.created.filter(|ticks| *ticks != 0).unwrap_or(event.written)
}

/// The same as a time; logs before Vista keep seconds.
pub(crate) fn time_of(event: &Event<'_>) -> Option<Time> {
    let time = Some(ticks_of(event)).filter(|ticks| *ticks != 0).map(Time::from_filetime)?;
    Some(if event.chunk > 0 {
        time
    } else {
        Time { precision: ledger::Precision::Second, raw: event.written.to_string(), ..time }
    })
}

fn general(source: &Source<'_, '_>, event: &Event<'_>, data: &Data<'_>, imitates: Option<&str>) -> Row {
    let system = &event.system;
    let values: Vec<&str> =
        data.iter().map(|(_, value)| value.as_ref()).filter(|value| !value.is_empty()).collect();
    let text = values.join("\n");
    let place = found(event, &text);
    base(source, event, EVENT)
        .maybe("level", system.level.map(|level| FieldValue::Integer(level.into())), None)
        .maybe("sid", system.user.clone().map(|sid| FieldValue::Sid(sid.into_owned())), None)
        .maybe("process_id", system.process_id.map(|pid| FieldValue::Integer(pid.into())), None)
        .maybe("activity", system.activity.clone().map(|guid| FieldValue::Guid(guid.into_owned())), None)
        .maybe("data", list(data.iter().map(|(name, value)| (name.as_ref(), value.as_ref()))), None)
        .maybe("message_data", (!text.is_empty()).then_some(FieldValue::Text(text)), place)
        .maybe("imitates", imitates.map(|kind| FieldValue::Name(kind.to_owned())), None)
}

fn list<'a>(pairs: impl Iterator<Item = (&'a str, &'a str)>) -> Option<FieldValue> {
    let items: Vec<_> = pairs.map(|(name, value)| format!("{name}={value}")).collect();
    (!items.is_empty()).then_some(FieldValue::List(items))
}

/// The record of the type of its own; `None` where its subject lacks.
fn special(
    source: &Source<'_, '_>,
    event: &Event<'_>,
    data: &Data<'_>,
    rule: &Rule,
    kind: &Kind,
) -> Option<Row> {
    let mut row = base(source, event, kind.name);
    let mut subject =
        BASE.iter().any(|(name, ..)| *name == kind.subject) && !event.system.computer.is_empty();
    for (field, text) in rule.fixed {
        row = row.field(field, FieldValue::Name((*text).to_owned()));
    }
    let mut set = Vec::new();
    for (from, to) in rule.map {
        let Some(text) = value(event, data, from).filter(|text| !matches!(text.as_ref(), "" | "-")) else {
            continue;
        };
        if *to == HASHES {
            for (name, digest) in digests(&text) {
                row = row.field_at(name, FieldValue::Hash(digest.to_lowercase()), found(event, digest));
            }
        } else if *to == HOST {
            let line = text.lines().find_map(|line| line.trim_start().strip_prefix("HostApplication="));
            if let Some(line) = line.map(str::trim).filter(|line| !line.is_empty()) {
                subject |= kind.subject == "host_application";
                row = row.field_at("host_application", FieldValue::Text(line.to_owned()), found(event, line));
            }
        } else if let Some(typed) = typed(kind, to, &text) {
            subject |= *to == kind.subject;
            set.push(*from);
            row = row.field_at(to, typed, found(event, &text));
            if let Some((field, word)) = word(to, &text)
                && kind.fields.iter().any(|(name, ..)| *name == field)
            {
                row = row.field(field, FieldValue::Name(word.to_owned()));
            }
            continue;
        } else {
            // What is not of its type stays with the rest.
            continue;
        }
        set.push(*from);
    }
    let rest = data
        .iter()
        .filter(|(name, value)| !set.contains(&name.as_ref()) && !value.is_empty() && value != "-");
    let row = row.maybe("more", list(rest.map(|(name, value)| (name.as_ref(), value.as_ref()))), None);
    subject.then_some(row)
}

fn value<'a>(event: &Event<'a>, data: &Data<'a>, from: &str) -> Option<Cow<'a, str>> {
    match from {
        "@user" => event.system.user.clone(),
        "@channel" => Some(event.system.channel.clone()),
        "@process" => event.system.process_id.map(|pid| Cow::Owned(pid.to_string())),
        _ => data.iter().find(|(name, _)| name == from).map(|(_, value)| value.clone()),
    }
}

fn typed(kind: &Kind, field: &str, text: &str) -> Option<FieldValue> {
    let (_, field_type, _) = kind.fields.iter().find(|(name, ..)| *name == field)?;
    let own = || text.trim().to_owned();
    Some(match field_type {
        FieldType::Text => FieldValue::Text(text.to_owned()),
        FieldType::Name => FieldValue::Name(own()),
        FieldType::Path => FieldValue::Path(own()),
        FieldType::RegistryPath => FieldValue::RegistryPath(own()),
        FieldType::Time => FieldValue::Time(Time::from_filetime(filetime(text).filter(|ticks| *ticks != 0)?)),
        FieldType::Integer => FieldValue::Integer(ledger::value::read_whole_number(text.trim())?),
        FieldType::Size => {
            FieldValue::Size(u64::try_from(ledger::value::read_whole_number(text.trim())?).ok()?)
        }
        // S-1-0-0 is nobody.
        FieldType::Sid => {
            FieldValue::Sid(Some(own()).filter(|sid| sid.starts_with("S-1-") && sid != "S-1-0-0")?)
        }
        FieldType::Guid => FieldValue::Guid(own()),
        FieldType::Hash => FieldValue::Hash(own().to_lowercase()),
        FieldType::Bytes => FieldValue::Bytes(own().to_lowercase()),
        FieldType::Flag => FieldValue::Flag(text.eq_ignore_ascii_case("true")),
        FieldType::List => FieldValue::List(text.split_whitespace().map(str::to_owned).collect()),
    })
}

fn digests(text: &str) -> impl Iterator<Item = (&'static str, &str)> {
    text.split(',').filter_map(|one| {
        let (name, digest) = one.split_once('=')?;
        let field = [("MD5", "md5"), ("SHA1", "sha1"), ("SHA256", "sha256"), ("IMPHASH", "imphash")];
        let (_, field) = field.into_iter().find(|(known, _)| name.trim().eq_ignore_ascii_case(known))?;
        Some((field, digest.trim()))
    })
}

/// A number in words, and the field for them.
fn word(field: &str, text: &str) -> Option<(&'static str, &'static str)> {
    let number = ledger::value::read_whole_number(text.trim())?;
    // The types of SECURITY_LOGON_TYPE (ntsecapi.h), and NTSTATUS codes ([MS-ERREF] 2.3.1).
    let word = match (field, number) {
        ("logon_type", 0) => "system",
        ("logon_type", 2) => "interactive",
        ("logon_type", 3) => "network",
        ("logon_type", 4) => "batch",
        ("logon_type", 5) => "service",
        ("logon_type", 7) => "unlock",
        ("logon_type", 8) => "network cleartext",
        ("logon_type", 9) => "new credentials",
        ("logon_type", 10) => "remote interactive",
        ("logon_type", 11) => "cached interactive",
        ("logon_type", 12) => "cached remote interactive",
        ("logon_type", 13) => "cached unlock",
        ("sub_status" | "status", 0xC000_0064) => "no such account",
        ("sub_status", 0xC000_006A) => "wrong password",
        ("sub_status" | "status", 0xC000_006F) => "outside the hours allowed",
        ("sub_status" | "status", 0xC000_0070) => "from a computer not allowed",
        ("sub_status" | "status", 0xC000_0071) => "password expired",
        ("sub_status" | "status", 0xC000_0072) => "account disabled",
        ("sub_status" | "status", 0xC000_0193) => "account expired",
        ("sub_status" | "status", 0xC000_0224) => "password must change",
        ("sub_status" | "status", 0xC000_0234) => "account locked out",
        ("sub_status" | "status", 0xC000_015B) => "type of logon not granted",
        _ => return None,
    };
    Some((if field == "logon_type" { "logon_type_name" } else { "reason" }, word))
}

/// Where the text stands in the record, in UTF-16LE: where it stands there once, and is no rendering of something else.
fn found(event: &Event<'_>, text: &str) -> Option<ByteSpan> {
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

/// Where `wanted` stands in `bytes`, where it stands there once.
fn only_place(bytes: &[u8], wanted: &[u8]) -> Option<usize> {
    /// Most places that are compared one by one. Records are short: to prepare a search costs more than most comparisons.
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
            // What overlaps a place is no other one.
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
