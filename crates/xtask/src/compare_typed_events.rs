//! `cargo xtask compare-typed-events`: compares our records of typed events with how libevtx reads the same events.
//!
//! It needs `evtxexport`. Every field of a record with its own type must occur in that event's data as rendered by libevtx:
//! a number as the same number, an address and its port within a text that contains both.
//! For each kind of event (type, provider, id), it prints a line to standard output: how many records there are, and how many differ.

use artifacts::evtx::filetime;
use ledger::{FieldValue, Record};
use serde_json::json;
use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::Path;

/// The maximum number of differences printed for a log.
const SHOWN: usize = 5;

/// The number of records requested in one call.
const PAGE: usize = 10_000;

/// The ticks in a microsecond: no rendering of a time is more precise.
const MICROSECOND: u64 = 10;

/// The number of characters in a time to 100 ns.
const TICKS: usize = 27;

/// Fields that state what the id means, or a number in words.
const WORDS: [&str; 2] = ["action", "logon_type_name"];

/// The results by kind of event (type, provider and id): the number of records, and of those that differ.
pub(crate) type Kinds = BTreeMap<(String, String, String), (usize, usize)>;

/// Compares one log and adds up the results; returns the number of records that differ.
pub(crate) fn compare(log: &Path, kinds: &mut Kinds, say: &mut dyn FnMut(String)) -> io::Result<usize> {
    let theirs = theirs(log)?;
    let (mut different, mut compared, mut unread, mut shown) = (0, 0, 0, 0);
    for record in ours(log)? {
        let text = |field: &str| record.fields.get(field).map(|held| held.value.to_text().into_owned());
        let number = text("record_id").unwrap_or_default();
        let id = text("event_id").unwrap_or_default();
        let Some(events) = theirs.get(&name_of(&id, &text("time").unwrap_or_default())) else {
            unread += 1;
            continue;
        };
        compared += 1;
        let wrong =
            events.iter().map(|texts| untold(&record, texts)).min_by_key(Vec::len).unwrap_or_default();
        let key =
            (record.kind.clone(), text("provider").unwrap_or_default(), text("event_id").unwrap_or_default());
        let sums = kinds.entry(key).or_default();
        sums.0 += 1;
        if !wrong.is_empty() {
            sums.1 += 1;
            different += 1;
            if shown < SHOWN {
                shown += 1;
                say(format!("  record {number} ({}): {}", record.kind, wrong.join(", ")));
            }
        }
    }
    let name = log.file_name().unwrap_or_default().display();
    say(format!(
        "{name}: {compared} typed records compared, {different} differ; {unread} that libevtx does not read"
    ));
    Ok(different)
}

/// Returns the records with their own type.
fn ours(log: &Path) -> io::Result<Vec<Record>> {
    let mut records = records(log)?;
    records.retain(|record| record.kind != "event");
    Ok(records)
}

/// Returns all records of a log.
pub(crate) fn records(log: &Path) -> io::Result<Vec<Record>> {
    let folder = log.parent().unwrap_or(Path::new("."));
    let name = evidence::escape_name(log.file_name().unwrap_or_default().as_encoded_bytes());
    let tree = evidence::open_directory(folder, "files").map_err(io::Error::other)?;
    let trees: [Box<dyn evidence::Tree>; 1] = [Box::new(tree)];
    let mut records = Vec::new();
    loop {
        let arguments = json!({ "path": name, "limit": PAGE, "offset": records.len() });
        let page = tools::run("parse_file", &arguments, &trees, folder).records;
        let ends = page.len() < PAGE;
        records.extend(page);
        if ends {
            return Ok(records);
        }
    }
}

/// Returns the fields of a record that do not occur in the event, each with its value.
fn untold(record: &Record, texts: &BTreeSet<String>) -> Vec<String> {
    let base = ["record_id", "time", "more", "channel", "computer", "provider", "event_id"];
    let is_derived = |field: &str, value: &FieldValue| {
        let is_name = matches!(value, FieldValue::Name(_));
        WORDS.contains(&field)
            || field == "reason" && is_name && record.kind == "logon_failed"
            || field.ends_with("_name") && is_code(record, field)
    };
    let fields = record
        .fields
        .iter()
        .filter(|(field, held)| !base.contains(&field.as_str()) && !is_derived(field, &held.value));
    let wrong = fields.filter(|(_, held)| !texts.iter().any(|text| tells(text, &held.value)));
    wrong.map(|(field, held)| format!("{field} = {}", held.value.to_text())).collect()
}

/// Checks whether a field names a code from a neighbouring field.
fn is_code(record: &Record, field: &str) -> bool {
    field.strip_suffix("_name").is_some_and(|code| record.fields.contains_key(&format!("{code}_hex")))
}

/// Checks whether a text of the event expresses a value.
fn tells(text: &str, value: &FieldValue) -> bool {
    let bare = |text: &str| text.trim().trim_matches(['{', '}']).to_lowercase();
    match value {
        FieldValue::Integer(number) => tells_number(text, *number),
        FieldValue::Size(number) => tells_number(text, (*number).into()),
        FieldValue::Time(time) => filetime(text).is_some_and(|ticks| {
            time.to_text().get(..26)
                == ledger::Time::from_filetime(ticks / MICROSECOND * MICROSECOND).to_text().get(..26)
        }),
        FieldValue::Flag(flag) => matches!(text, "true" | "True" | "1") == *flag,
        FieldValue::List(items) => items.iter().all(|item| text.contains(item.as_str())),
        FieldValue::Guid(guid) => bare(text) == bare(guid),
        FieldValue::Hash(hash) | FieldValue::Bytes(hash) => text.to_lowercase().contains(hash.as_str()),
        FieldValue::Name(own)
        | FieldValue::Text(own)
        | FieldValue::Path(own)
        | FieldValue::RegistryPath(own)
        | FieldValue::Sid(own) => {
            let plain = |text: &str| text.replace('\r', "").trim().to_owned();
            let (text, own) = (plain(text), plain(own));
            let number = ledger::value::read_whole_number(&own);
            text == own || is_part(&text, &own) || number.is_some_and(|number| tells_number(&text, number))
        }
    }
}

/// Checks whether a value is a whole part of a text: an address with its port, one of several lines, an address in bytes.
fn is_part(text: &str, own: &str) -> bool {
    let edges = |c: char| c.is_whitespace() || matches!(c, ':' | '[' | ']' | '=');
    let is_whole = text.split_once(own).is_some_and(|(before, after)| {
        before.chars().last().is_none_or(edges) && after.chars().next().is_none_or(edges)
    });
    let bytes = own.parse::<std::net::IpAddr>().ok().map(|address| match address {
        std::net::IpAddr::V4(address) => address.octets().to_vec(),
        std::net::IpAddr::V6(address) => address.octets().to_vec(),
    });
    let hex = bytes.map(|bytes| bytes.iter().map(|byte| format!("{byte:02X}")).collect::<String>());
    let mapped = text.parse::<std::net::Ipv6Addr>().ok().and_then(|address| address.to_ipv4_mapped());
    own.len() > 1 && is_whole
        || hex.is_some_and(|hex| text.to_uppercase().contains(&hex))
        || mapped.is_some_and(|address| address.to_string() == own)
}

fn tells_number(text: &str, number: i128) -> bool {
    let read = |text: &str| ledger::value::read_whole_number(text.trim().trim_start_matches("%%"));
    let unsigned = |number: i128| if number < 0 { number + (1 << 32) } else { number };
    read(text).is_some_and(|own| unsigned(own) == unsigned(number))
        || text.rsplit_once([':', ' ']).and_then(|(_, end)| read(end)).is_some_and(|own| own == number)
        || text
            .split(" port ")
            .skip(1)
            .any(|rest| rest.split(|c: char| !c.is_ascii_digit()).next().and_then(read) == Some(number))
        || is_port(text, number)
}

/// Checks whether a number is the port of a socket address in hex digits.
fn is_port(text: &str, number: i128) -> bool {
    let is_hex = text.len() >= 32 && text.bytes().all(|byte| byte.is_ascii_hexdigit());
    let port = u16::try_from(number).ok().map(|port| format!("{port:04X}"));
    is_hex && port.is_some() && text.get(4..8).map(str::to_uppercase) == port
}

/// Returns the key of an event: its record number differs in an exported log.
fn name_of(id: &str, time: &str) -> String {
    format!("{id} {}", time.get(..TICKS).unwrap_or(time))
}

/// Reads with libevtx: returns the texts of each event by its id and time.
#[expect(clippy::disallowed_methods, reason = "the chore compares with another program")]
fn theirs(log: &Path) -> io::Result<BTreeMap<String, Vec<BTreeSet<String>>>> {
    let output = std::process::Command::new("evtxexport").args(["-f", "xml"]).arg(log).output()?;
    let text = String::from_utf8_lossy(&output.stdout);
    let mut events: BTreeMap<String, Vec<BTreeSet<String>>> = BTreeMap::new();
    for event in text.split("<Event ").skip(1) {
        let id = event.split_once("<EventID").and_then(|(_, rest)| rest.split_once('>')?.1.split_once('<'));
        let time = event.split_once("SystemTime=\"").and_then(|(_, rest)| rest.split_once('"'));
        let (Some((id, _)), Some((time, _))) = (id, time) else { continue };
        events.entry(name_of(id.trim(), time)).or_default().push(texts(event));
    }
    Ok(events)
}

/// Returns all texts between tags, and all attribute values.
fn texts(event: &str) -> BTreeSet<String> {
    let mut texts = BTreeSet::new();
    for piece in event.split('<') {
        let (tag, text) = piece.split_once('>').unwrap_or((piece, ""));
        texts.insert(plain(text));
        texts.extend(tag.split('"').skip(1).step_by(2).map(plain));
    }
    texts
}

/// Removes XML escapes from a text.
fn plain(text: &str) -> String {
    let mut plain = text.to_owned();
    for (escape, letter) in
        [("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&apos;", "'"), ("&#13;", "\r"), ("&amp;", "&")]
    {
        plain = plain.replace(escape, letter);
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::{tells, texts};
    use ledger::FieldValue;

    #[test]
    fn a_value_is_told_only_by_a_text_that_has_it_as_a_whole() {
        let name = |text: &str| FieldValue::Name(text.to_owned());
        assert!(tells("10.0.0.1:3389", &name("10.0.0.1")));
        assert!(!tells("10.0.0.12:3389", &name("10.0.0.1")));
        assert!(tells("0xc000006a", &FieldValue::Integer(3_221_225_578)));
        assert!(tells("10.0.0.1:3389", &FieldValue::Integer(3389)));
        assert!(!tells("4", &FieldValue::Integer(5)));
        assert!(tells("0200C5E60A00020F", &name("10.0.2.15")));
        assert!(!tells("4294967295", &name("a name")));
        assert!(tells("0200C5E60A00020F0000000000000000", &FieldValue::Integer(50_662)));
    }

    #[test]
    fn texts_and_attributes_of_an_event_are_read() {
        let texts = texts("x=\"1\">\n<Data Name=\"A\">a &amp;lt; b</Data></Event>");
        assert!(["1", "A", "a &lt; b"].into_iter().all(|text| texts.contains(text)));
    }
}
