//! Exports events of [`evtx`](crate::evtx) as programs do: XML, and JSON in several shapes.

use crate::evtx::Event;
use serde_json::{Map, Value, json};
use std::fmt::Write;

/// An export format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// `wevtutil qe /f:xml /e:Events`: one document, with apostrophes around values.
    Wevtutil,
    /// `Get-WinEvent | ForEach-Object ToXml`, redirected by PowerShell: UTF-16LE, one event per line.
    ToXml,
    /// `evtx_dump`: a declaration before each event, indented.
    DumpXml,
    /// `evtx_dump -o json`: a number before each object, indented.
    DumpJson,
    /// `evtx_dump -o jsonl`.
    DumpLines,
    /// The same as an array, with attributes separate from elements.
    DumpSeparate,
    /// Winlogbeat, one event per line.
    Winlogbeat,
    /// NXLog, flattened, one event per line.
    Nxlog,
    /// `Get-WinEvent | ConvertTo-Json`.
    PowerShell,
}

impl Shape {
    /// All shapes.
    pub const ALL: [Shape; 9] = [
        Shape::Wevtutil,
        Shape::ToXml,
        Shape::DumpXml,
        Shape::DumpJson,
        Shape::DumpLines,
        Shape::DumpSeparate,
        Shape::Winlogbeat,
        Shape::Nxlog,
        Shape::PowerShell,
    ];
}

/// Exports a log with these events.
pub fn exported(events: &[Event<'_>], shape: Shape) -> Vec<u8> {
    let each = |text: fn(&Event<'_>) -> String| events.iter().map(text).collect::<Vec<_>>();
    let lines = |value: fn(&Event<'_>) -> Value| {
        events.iter().map(|event| value(event).to_string() + "\n").collect::<String>()
    };
    let pretty = |value: Value| serde_json::to_string_pretty(&value).unwrap_or_default();
    let text = match shape {
        Shape::Wevtutil => format!("<Events>\r\n{}\r\n</Events>\r\n", each(flat_xml).join("\r\n")),
        Shape::ToXml => {
            let text = each(flat_xml).join("\r\n");
            return [0xFEFF].into_iter().chain(text.encode_utf16()).flat_map(u16::to_le_bytes).collect();
        }
        Shape::DumpXml => each(dump_xml).concat(),
        Shape::DumpJson => events.iter().fold(String::new(), |mut text, event| {
            let _ = writeln!(text, "Record {}\n{}", event.record_id, pretty(dump(event)));
            text
        }),
        Shape::DumpLines => lines(dump),
        Shape::DumpSeparate => pretty(events.iter().map(separate).collect()),
        Shape::Winlogbeat => lines(winlog),
        Shape::Nxlog => lines(nxlog),
        Shape::PowerShell => pretty(events.iter().map(powershell).collect()),
    };
    text.into_bytes()
}

/// Splits a FILETIME into seconds since 1970 and 100 ns ticks.
fn unix(ticks: u64) -> (u64, u64) {
    let since = ticks.saturating_sub(116_444_736_000_000_000);
    (since / 10_000_000, since % 10_000_000)
}

/// Formats `YYYY-MM-DDThh:mm:ss` with this many decimal places.
fn time(ticks: u64, decimals: usize) -> String {
    let (seconds, rest) = unix(ticks);
    let (days, second) = (seconds / 86_400, seconds % 86_400);
    // Counts days in 400-year eras that start in March.
    let shifted = days + 719_468;
    let (era, day) = (shifted / 146_097, shifted % 146_097);
    let year = (day - day / 1_460 + day / 36_524 - day / 146_096) / 365;
    let of_year = day - (365 * year + year / 4 - year / 100);
    let month = (5 * of_year + 2) / 153;
    let date = of_year - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    let year = era * 400 + year + u64::from(month <= 2);
    let (hour, minute) = (second / 3_600, second / 60 % 60);
    let fraction: String = format!("{rest:07}00").chars().take(decimals).collect();
    let second = second % 60;
    format!("{year:04}-{month:02}-{date:02}T{hour:02}:{minute:02}:{second:02}.{fraction}")
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
        .replace('"', "&quot;")
        .replace('\'', "&apos;")
}

/// Formats the system part with this quotation mark, and this gap between elements.
fn system(event: &Event<'_>, quote: char, gap: &str) -> String {
    let q = quote;
    let guid = event.guid.map_or(String::new(), |guid| format!(" Guid={q}{guid}{q}"));
    let user = event.user_sid.map_or(String::new(), |sid| format!(" UserID={q}{sid}{q}"));
    let provider = format!("<Provider Name={q}{}{q}{guid}/>", escaped(event.provider));
    let created = format!("<TimeCreated SystemTime={q}{}Z{q}/>", time(event.time, 7));
    [
        "<System>".to_owned(),
        provider,
        format!("<EventID>{}</EventID>", event.event_id),
        format!("<Level>{}</Level>", event.level),
        created,
        format!("<EventRecordID>{}</EventRecordID>", event.record_id),
        format!("<Channel>{}</Channel>", escaped(event.channel)),
        format!("<Computer>{}</Computer>", escaped(event.computer)),
        format!("<Security{user}/>"),
        "</System>".to_owned(),
    ]
    .join(gap)
}

fn body(event: &Event<'_>, quote: char, gap: &str) -> String {
    let q = quote;
    let data = event.data.iter().map(|(name, value)| match (event.user_data, *name) {
        (Some(_), name) => format!("<{name}>{}</{name}>", escaped(value)),
        (None, "") => format!("<Data>{}</Data>", escaped(value)),
        (None, name) => format!("<Data Name={q}{name}{q}>{}</Data>", escaped(value)),
    });
    let data: Vec<String> = data.collect();
    match event.user_data {
        Some(frame) => {
            format!("<UserData>{gap}<{frame}>{gap}{}{gap}</{frame}>{gap}</UserData>", data.join(gap))
        }
        None => format!("<EventData>{gap}{}{gap}</EventData>", data.join(gap)),
    }
}

const NAMESPACE: &str = "http://schemas.microsoft.com/win/2004/08/events/event";

fn flat_xml(event: &Event<'_>) -> String {
    format!("<Event xmlns='{NAMESPACE}'>{}{}</Event>", system(event, '\'', ""), body(event, '\'', ""))
}

fn dump_xml(event: &Event<'_>) -> String {
    let gap = "\n    ";
    format!(
        "Record {}\n<?xml version=\"1.0\" encoding=\"utf-8\"?>\n<Event xmlns=\"{NAMESPACE}\">{gap}{}{gap}{}\n</Event>\n",
        event.record_id,
        system(event, '"', gap),
        body(event, '"', gap)
    )
}

/// Returns the data as members; unnamed data go into an array.
fn members(event: &Event<'_>) -> Map<String, Value> {
    let mut members: Map<String, Value> = Map::new();
    let unnamed: Vec<&str> =
        event.data.iter().filter(|(name, _)| name.is_empty()).map(|(_, value)| *value).collect();
    if !unnamed.is_empty() {
        members.insert("Data".to_owned(), json!({ "#text": unnamed }));
    }
    let named = event.data.iter().filter(|(name, _)| !name.is_empty());
    members.extend(named.map(|(name, value)| ((*name).to_owned(), json!(value))));
    members
}

fn dump(event: &Event<'_>) -> Value {
    let data = match event.user_data {
        Some(frame) => json!({ "UserData": { frame: members(event) } }),
        None => json!({ "EventData": members(event) }),
    };
    let security = event.user_sid.map_or(Value::Null, |sid| json!({ "#attributes": { "UserID": sid } }));
    let mut own = json!({
        "#attributes": { "xmlns": NAMESPACE },
        "System": {
            "Provider": { "#attributes": { "Name": event.provider, "Guid": event.guid } },
            "EventID": event.event_id,
            "Level": event.level,
            "TimeCreated": { "#attributes": { "SystemTime": time(event.time, 6) + "Z" } },
            "EventRecordID": event.record_id,
            "Channel": event.channel,
            "Computer": event.computer,
            "Security": security,
        },
    });
    if let (Some(own), Value::Object(data)) = (own.as_object_mut(), data) {
        own.extend(data);
    }
    json!({ "Event": own })
}

fn separate(event: &Event<'_>) -> Value {
    let mut value = dump(event);
    if let Some(system) = value.pointer_mut("/Event/System").and_then(Value::as_object_mut) {
        for name in ["Provider", "TimeCreated", "Security"] {
            let attributes = system.remove(name).and_then(|element| element.get("#attributes").cloned());
            system.insert(format!("{name}_attributes"), attributes.unwrap_or_default());
        }
    }
    value
}

fn winlog(event: &Event<'_>) -> Value {
    let mut unnamed = 0;
    let mut data: Map<String, Value> = Map::new();
    for (name, value) in event.data {
        unnamed += usize::from(name.is_empty());
        let name = if name.is_empty() { format!("param{unnamed}") } else { (*name).to_owned() };
        data.insert(name, json!(value));
    }
    let mut winlog = json!({
        "api": "wineventlog",
        "provider_name": event.provider,
        "event_id": event.event_id.to_string(),
        "channel": event.channel,
        "computer_name": event.computer,
        "record_id": event.record_id,
        (if event.user_data.is_some() { "user_data" } else { "event_data" }): data,
    });
    if let Some(winlog) = winlog.as_object_mut() {
        winlog.extend(event.guid.map(|guid| ("provider_guid".to_owned(), json!(guid))));
        winlog.extend(event.user_sid.map(|sid| ("user".to_owned(), json!({ "identifier": sid }))));
    }
    json!({
        "@timestamp": time(event.time, 3) + "Z",
        "message": "words of Windows: {\"EventID\":1}",
        "winlog": winlog,
    })
}

fn nxlog(event: &Event<'_>) -> Value {
    let mut value = json!({
        "EventTime": time(event.time, 0).trim_end_matches('.').replace('T', " "),
        "Hostname": event.computer,
        "Keywords": -9_214_364_837_600_034_816_i64,
        "EventID": event.event_id,
        "SourceName": event.provider,
        "RecordNumber": event.record_id,
        "Channel": event.channel,
        "Message": "words of Windows",
        "@timestamp": time(event.time, 3) + "Z",
    });
    if let Some(value) = value.as_object_mut() {
        value.extend(event.guid.map(|guid| ("ProviderGuid".to_owned(), json!(guid))));
        value.extend(event.user_sid.map(|sid| ("UserID".to_owned(), json!(sid))));
        value.extend(event.data.iter().map(|(name, value)| ((*name).to_owned(), json!(value))));
    }
    value
}

fn powershell(event: &Event<'_>) -> Value {
    let (seconds, rest) = unix(event.time);
    let values: Vec<Value> = event.data.iter().map(|(_, value)| json!({ "Value": value })).collect();
    json!({
        "Id": event.event_id,
        "Level": event.level,
        "RecordId": event.record_id,
        "ProviderName": event.provider,
        "ProviderId": event.guid.map(|guid| guid.trim_matches(['{', '}'])),
        "LogName": event.channel,
        "MachineName": event.computer,
        "UserId": event.user_sid.map(|sid| json!({ "BinaryLength": 28, "Value": sid })),
        "TimeCreated": format!("/Date({})/", seconds * 1_000 + rest / 10_000),
        "Properties": values,
        "Message": "words of Windows",
    })
}

#[cfg(test)]
mod tests {
    use super::time;

    #[test]
    fn a_time_is_written_as_its_date() {
        assert_eq!(time(129_779_783_208_392_490, 7), "2012-04-04T01:58:40.8392490");
        assert_eq!(time(116_444_736_000_000_000, 0), "1970-01-01T00:00:00.");
    }
}
