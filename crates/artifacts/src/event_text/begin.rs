//! How an exported log begins.

/// The notation of the events.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// As elements.
    Xml,
    /// As objects.
    Json,
}

/// What the first bytes of an exported log show.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Begun {
    /// The notation of the events.
    pub form: Form,
    /// Whether the text is UTF-16LE; otherwise it is UTF-8.
    pub wide: bool,
    /// Size of the byte order mark in bytes.
    pub mark: u8,
}

/// The namespace of events (the event schema).
pub(super) const SCHEMA: &str = "schemas.microsoft.com/win/2004/08/events/event";

/// Member names near the beginning of an event, by shape: a name that must be there, how many of the others must
/// be, and the others.
const SHAPES: [(&str, usize, &[&str]); 5] = [
    // evtx_dump; also with attributes next to the elements.
    ("Event", 1, &["System", "EventData", "UserData", "#attributes", "Event_attributes"]),
    // Winlogbeat, from version 7 on and before.
    (
        "winlog",
        1,
        &["event_id", "provider_name", "channel", "computer_name", "event_data", "record_id", "api"],
    ),
    ("event_data", 2, &["provider_guid", "source_name", "log_name", "computer_name", "record_number"]),
    // NXLog, flattened.
    (
        "EventID",
        2,
        &[
            "SourceName",
            "ProviderGuid",
            "Channel",
            "Hostname",
            "EventTime",
            "RecordNumber",
            "TimeCreated",
            "ExecutionProcessID",
            "SourceModuleType",
            "OpcodeValue",
            "SeverityValue",
        ],
    ),
    // ConvertTo-Json of Get-WinEvent.
    (
        "ProviderName",
        3,
        &["Id", "LogName", "MachineName", "TimeCreated", "RecordId", "ProviderId", "Properties", "Opcode"],
    ),
];

/// Checks whether a file begins like an exported log, by its first bytes.
pub fn begins(head: &[u8]) -> Option<Begun> {
    let (mark, wide) = match head {
        [0xFF, 0xFE, ..] => (2, true),
        [0xEF, 0xBB, 0xBF, ..] => (3, false),
        // Two letters of UTF-16 without a byte order mark; no other text has zeros like these.
        [1..=255, 0, 1..=255, 0, ..] => (0, true),
        _ => (0, false),
    };
    let (text, _) = super::decoded(head.get(usize::from(mark)..)?, wide);
    let form = form(text.trim_start())?;
    Some(Begun { form, wide, mark })
}

fn form(text: &str) -> Option<Form> {
    // evtx_dump numbers its records.
    let text = match text.strip_prefix("Record ") {
        Some(rest) => rest.trim_start_matches(|c: char| c.is_ascii_digit()).trim_start(),
        None => text,
    };
    if text.starts_with('<') {
        let event = text.match_indices("<Event").find(|(at, _)| {
            let next = text.get(at + "<Event".len()..).and_then(|rest| rest.chars().next());
            next.is_some_and(|next| next == '>' || next.is_ascii_whitespace())
        });
        let rest = text.get(event?.0..)?;
        return (rest.contains(SCHEMA) || rest.contains("<System>") && rest.contains("<Provider"))
            .then_some(Form::Xml);
    }
    // An array begins in the same way.
    let object = text.trim_start_matches(['[', ' ', '\t', '\r', '\n']);
    if !object.starts_with('{') {
        return None;
    }
    let has = |name: &str| is_a_name(object, name);
    let fits = |(must, least, others): &(&str, usize, &[&str])| {
        has(must) && others.iter().filter(|name| has(name)).count() >= *least
    };
    SHAPES.iter().any(fits).then_some(Form::Json)
}

/// Checks whether a name is in quotation marks and followed by a colon.
fn is_a_name(text: &str, name: &str) -> bool {
    let quoted = format!("\"{name}\"");
    text.match_indices(&quoted)
        .any(|(at, _)| text.get(at + quoted.len()..).is_some_and(|rest| rest.trim_start().starts_with(':')))
}
