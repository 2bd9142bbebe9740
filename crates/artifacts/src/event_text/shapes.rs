//! Events as JSON objects, in the shapes of several programs.

use super::TextDamageKind;
use super::exported::{Exported, Ground};
use super::json::{Object, items, scalar};
use super::time::{SourceTime, source_time};
use crate::evtx::System;
use std::borrow::Cow;

/// The content of an event: its system part, its data and their places; nothing if the object only frames events.
pub(super) type Read<'a> =
    Result<Option<(System<'a>, Vec<(Cow<'a, str>, Cow<'a, str>)>, Exported<'a>)>, TextDamageKind>;

/// An event under construction.
struct Made<'a, 'g> {
    ground: &'g Ground<'g>,
    system: System<'a>,
    data: Vec<(Cow<'a, str>, Cow<'a, str>)>,
    exported: Exported<'a>,
}

/// Reads an object.
pub(super) fn read<'a>(
    text: &'a str,
    ground: &Ground<'_>,
    damage: &mut dyn FnMut(TextDamageKind) -> std::ops::ControlFlow<()>,
) -> Read<'a> {
    let mut object = Object::read(text).map_err(TextDamageKind::Json)?;
    // The wrapper that Elasticsearch puts around a document.
    if let Some(own) = object.object("_source") {
        object = own;
    }
    if let ([(name, _)], true) = (object.0.as_slice(), object.get("Event").is_none())
        && matches!(name.as_ref(), "index" | "create")
    {
        return Ok(None);
    }
    if let Some(name) = object.twice() {
        let told = damage(TextDamageKind::Twice { name: name.to_owned() });
        if told.is_break() {
            return Ok(None);
        }
    }
    let (system, data, exported) = (System::default(), Vec::new(), Exported::default());
    let mut made = Made { ground, system, data, exported };
    let id = match shape(&object) {
        Some(Shape::Elements(event)) => made.elements(&event)?,
        Some(Shape::Winlog(winlog)) => made.winlog(&object, &winlog),
        Some(Shape::Beats) => made.beats(&object),
        Some(Shape::PowerShell) => made.powershell(&object),
        Some(Shape::Flat) => made.flat(object),
        None => return Err(TextDamageKind::Lacks("part that every event has")),
    };
    made.system.event_id = id.ok_or(TextDamageKind::Lacks("event id"))?;
    let Made { system, data, exported, .. } = made;
    Ok(Some((system, data, exported)))
}

enum Shape<'a> {
    /// evtx_dump: elements as members.
    Elements(Object<'a>),
    /// Winlogbeat, from version 7 on.
    Winlog(Object<'a>),
    /// Winlogbeat before version 7.
    Beats,
    /// `ConvertTo-Json` of `Get-WinEvent`.
    PowerShell,
    /// Everything in one object.
    Flat,
}

fn shape<'a>(object: &Object<'a>) -> Option<Shape<'a>> {
    let has = |name: &str| object.get(name).is_some();
    if let Some(event) = object.object("Event") {
        return Some(Shape::Elements(event));
    }
    if object.object("System").is_some() {
        return Some(Shape::Elements(object.clone()));
    }
    if let Some(winlog) = object.object("winlog") {
        return Some(Shape::Winlog(winlog));
    }
    if has("event_data") && has("event_id") {
        return Some(Shape::Beats);
    }
    if has("ProviderName") && has("Id") {
        return Some(Shape::PowerShell);
    }
    (has("EventID") && (has("SourceName") || has("Channel"))).then_some(Shape::Flat)
}

impl<'a> Made<'a, '_> {
    /// Reads a value of the system part, with its place; `None` if it is missing or empty.
    fn own(&mut self, object: &Object<'a>, member: &str, name: &'static str) -> Option<Cow<'a, str>> {
        let (value, raw) = scalar(object.get(member)?)?;
        self.exported.place(self.ground, name, value.clone(), raw);
        (!value.is_empty()).then_some(value)
    }

    fn number<T: std::str::FromStr>(
        &mut self,
        object: &Object<'a>,
        member: &str,
        name: &'static str,
    ) -> Option<T> {
        self.own(object, member, name)?.parse().ok()
    }

    fn created(&mut self, time: Option<SourceTime>) {
        self.system.created = time.as_ref().map(|time| time.ticks);
        self.exported.time = time;
    }

    /// Adds a datum; if it contains others, adds those under the combined names.
    fn datum(&mut self, name: Cow<'a, str>, raw: &'a str) {
        if let Some((value, raw)) = scalar(raw) {
            self.exported.place(self.ground, name.clone(), value.clone(), raw);
            self.data.push((name, value));
            return;
        }
        if let Some(items) = items(raw) {
            let names = items.iter().map(|item| (name.clone(), *item)).collect::<Vec<_>>();
            return names.into_iter().for_each(|(name, item)| self.datum(name, item));
        }
        let Some(inner) = Object::of(raw) else { return };
        for (key, raw) in inner.0 {
            match key.as_ref() {
                "#text" => self.datum(name.clone(), raw),
                "#attributes" => {
                    for (key, raw) in Object::of(raw).unwrap_or_default().0 {
                        if key != "xmlns" {
                            self.datum(format!("{name}.{key}").into(), raw);
                        }
                    }
                }
                _ => self.datum(below(&name, key), raw),
            }
        }
    }

    /// Adds the members of `EventData`; those that have no names in the log are counted.
    fn event_data(&mut self, object: Object<'a>) {
        let mut unnamed = 0;
        for (name, raw) in object.0 {
            match name.as_ref() {
                "#attributes" => self.attributes(raw),
                "Data" => self.unnamed(raw, &mut unnamed),
                _ => self.datum(name, raw),
            }
        }
    }

    fn attributes(&mut self, raw: &'a str) {
        for (key, raw) in Object::of(raw).unwrap_or_default().0 {
            if key != "xmlns" {
                self.datum(key, raw);
            }
        }
    }

    fn unnamed(&mut self, raw: &'a str, counted: &mut usize) {
        if let Some(text) = Object::of(raw).and_then(|object| object.get("#text")) {
            return self.unnamed(text, counted);
        }
        if let Some(items) = items(raw) {
            return items.into_iter().for_each(|item| self.unnamed(item, counted));
        }
        let name = format!("data{counted}");
        *counted += 1;
        self.datum(name.into(), raw);
    }

    /// Adds the content of the only element of `UserData`, whose name has no meaning.
    fn user_data(&mut self, object: Object<'a>) {
        for (_, raw) in object.0.into_iter().filter(|(name, _)| name != "#attributes") {
            for (name, raw) in Object::of(raw).unwrap_or_default().0 {
                match name.as_ref() {
                    "#attributes" => self.attributes(raw),
                    _ => self.datum(name, raw),
                }
            }
        }
    }

    /// Reads the shape of evtx_dump: each element is a member, with its attributes in `#attributes` in it or in
    /// `…_attributes` next to it.
    fn elements(&mut self, event: &Object<'a>) -> Result<Option<u32>, TextDamageKind> {
        let own = event.object("System").ok_or(TextDamageKind::Lacks("system part"))?;
        let of = |name: &str| {
            let within = own.object(name).and_then(|element| element.object("#attributes"));
            within.or_else(|| own.object(&format!("{name}_attributes"))).unwrap_or_default()
        };
        let provider = of("Provider");
        self.system.provider = self.own(&provider, "Name", "Provider@Name").unwrap_or_default();
        self.system.guid = self.own(&provider, "Guid", "Provider@Guid");
        self.system.old_provider = self.own(&provider, "EventSourceName", "Provider@EventSourceName");
        self.system.qualifiers = self.number(&of("EventID"), "Qualifiers", "EventID@Qualifiers");
        let id = match own.object("EventID") {
            Some(element) => self.number(&element, "#text", "EventID"),
            None => self.number(&own, "EventID", "EventID"),
        };
        self.system.version = self.number(&own, "Version", "Version");
        self.system.level = self.number(&own, "Level", "Level");
        self.system.task = self.number(&own, "Task", "Task");
        self.system.opcode = self.number(&own, "Opcode", "Opcode");
        self.system.keywords = self.own(&own, "Keywords", "Keywords");
        self.system.record_id = self.number(&own, "EventRecordID", "EventRecordID");
        self.system.channel = self.own(&own, "Channel", "Channel").unwrap_or_default();
        self.system.computer = self.own(&own, "Computer", "Computer").unwrap_or_default();
        self.system.activity = self.own(&of("Correlation"), "ActivityID", "Correlation@ActivityID");
        let execution = of("Execution");
        self.system.process_id = self.number(&execution, "ProcessID", "Execution@ProcessID");
        self.system.thread_id = self.number(&execution, "ThreadID", "Execution@ThreadID");
        self.system.user = self.own(&of("Security"), "UserID", "Security@UserID");
        let time = self.own(&of("TimeCreated"), "SystemTime", "TimeCreated@SystemTime");
        let time = time.and_then(|text| source_time(&text));
        // The schema uses UTC, whether or not the text says so.
        self.created(time.map(|time| SourceTime { has_zone: true, ..time }));
        for (name, raw) in &event.0 {
            match (name.as_ref(), Object::of(raw)) {
                ("EventData", Some(data)) => self.event_data(data),
                ("UserData", Some(data)) => self.user_data(data),
                (
                    "System"
                    | "#attributes"
                    | "Event_attributes"
                    | "EventData_attributes"
                    | "xmlns"
                    | "EventData"
                    | "UserData",
                    _,
                ) => {}
                (_, _) => self.datum(name.clone(), raw),
            }
        }
        Ok(id)
    }

    /// Reads the shape of Winlogbeat: `winlog`, and the time next to it.
    fn winlog(&mut self, object: &Object<'a>, own: &Object<'a>) -> Option<u32> {
        self.system.provider = self.own(own, "provider_name", "Provider@Name").unwrap_or_default();
        self.system.guid = self.own(own, "provider_guid", "Provider@Guid");
        self.system.channel = self.own(own, "channel", "Channel").unwrap_or_default();
        self.system.computer = self.own(own, "computer_name", "Computer").unwrap_or_default();
        self.system.record_id = self.number(own, "record_id", "EventRecordID");
        self.system.version = self.number(own, "version", "Version");
        self.system.activity = self.own(own, "activity_id", "Correlation@ActivityID");
        let process = own.object("process").unwrap_or_default();
        self.system.process_id = self.number(&process, "pid", "Execution@ProcessID");
        let thread = process.object("thread").unwrap_or_default();
        self.system.thread_id = self.number(&thread, "id", "Execution@ThreadID");
        let user = own.object("user").unwrap_or_default();
        self.system.user = self.own(&user, "identifier", "Security@UserID");
        let time = self.own(object, "@timestamp", "TimeCreated@SystemTime");
        self.created(time.and_then(|text| source_time(&text)));
        let log = object.object("log").unwrap_or_default();
        self.system.level = self.own(&log, "level", "Level").and_then(|text| level(&text));
        self.winlog_data(own);
        self.number(own, "event_id", "EventID").or_else(|| {
            let event = object.object("event").unwrap_or_default();
            self.number(&event, "code", "EventID")
        })
    }

    fn winlog_data(&mut self, own: &Object<'a>) {
        for (name, raw) in own.object("event_data").unwrap_or_default().0 {
            self.datum(name, raw);
        }
        for (name, raw) in own.object("user_data").unwrap_or_default().0 {
            if name != "xml_name" {
                self.datum(name, raw);
            }
        }
    }

    /// Reads the shape of Winlogbeat before version 7: everything at the top level.
    fn beats(&mut self, own: &Object<'a>) -> Option<u32> {
        self.system.provider = self.own(own, "source_name", "Provider@Name").unwrap_or_default();
        self.system.guid = self.own(own, "provider_guid", "Provider@Guid");
        self.system.channel = self.own(own, "log_name", "Channel").unwrap_or_default();
        self.system.computer = self.own(own, "computer_name", "Computer").unwrap_or_default();
        self.system.record_id = self.number(own, "record_number", "EventRecordID");
        self.system.version = self.number(own, "version", "Version");
        self.system.process_id = self.number(own, "process_id", "Execution@ProcessID");
        self.system.thread_id = self.number(own, "thread_id", "Execution@ThreadID");
        self.system.level = self.own(own, "level", "Level").and_then(|text| level(&text));
        let user = own.object("user").unwrap_or_default();
        self.system.user = self.own(&user, "identifier", "Security@UserID");
        let time = self.own(own, "@timestamp", "TimeCreated@SystemTime");
        self.created(time.and_then(|text| source_time(&text)));
        self.winlog_data(own);
        self.number(own, "event_id", "EventID")
    }

    /// Reads an `EventLogRecord`: its data are values without their names.
    fn powershell(&mut self, own: &Object<'a>) -> Option<u32> {
        self.system.provider = self.own(own, "ProviderName", "Provider@Name").unwrap_or_default();
        self.system.guid = self.own(own, "ProviderId", "Provider@Guid");
        self.system.channel = self.own(own, "LogName", "Channel").unwrap_or_default();
        self.system.computer = self.own(own, "MachineName", "Computer").unwrap_or_default();
        self.system.record_id = self.number(own, "RecordId", "EventRecordID");
        self.system.version = self.number(own, "Version", "Version");
        self.system.level = self.number(own, "Level", "Level");
        self.system.task = self.number(own, "Task", "Task");
        self.system.opcode = self.number(own, "Opcode", "Opcode");
        self.system.process_id = self.number(own, "ProcessId", "Execution@ProcessID");
        self.system.thread_id = self.number(own, "ThreadId", "Execution@ThreadID");
        self.system.activity = self.own(own, "ActivityId", "Correlation@ActivityID");
        self.system.user = match own.object("UserId") {
            Some(sid) => self.own(&sid, "Value", "Security@UserID"),
            None => self.own(own, "UserId", "Security@UserID"),
        };
        let time = match own.object("TimeCreated") {
            Some(time) => self.own(&time, "value", "TimeCreated@SystemTime"),
            None => self.own(own, "TimeCreated", "TimeCreated@SystemTime"),
        };
        // JSON may escape the slashes around a date.
        self.created(time.and_then(|text| source_time(&text)));
        let properties = own.get("Properties").and_then(items).unwrap_or_default();
        let mut counted = 0;
        for item in properties {
            let value = Object::of(item).and_then(|object| object.get("Value")).unwrap_or(item);
            let name = format!("data{counted}");
            counted += 1;
            self.datum(name.into(), value);
        }
        if counted == 0
            && let Some(message) = own.get("Message")
        {
            self.datum("Message".into(), message);
        }
        self.number(own, "Id", "EventID")
    }

    /// Reads NXLog's fields, with the data among them; or what is left after a forwarder's fields were dropped.
    fn flat(&mut self, own: Object<'a>) -> Option<u32> {
        self.system.provider = self.own(&own, "SourceName", "Provider@Name").unwrap_or_default();
        self.system.guid = self.own(&own, "ProviderGuid", "Provider@Guid");
        self.system.leaves_out_guid =
            !["ProviderGuid", "SourceModuleType", "RecordNumber"].iter().any(|name| own.get(name).is_some());
        self.system.channel = self.own(&own, "Channel", "Channel").unwrap_or_default();
        self.system.computer = self.own(&own, "Hostname", "Computer").unwrap_or_default();
        self.system.record_id = self.number(&own, "RecordNumber", "EventRecordID");
        self.system.version = self.number(&own, "Version", "Version");
        self.system.task = self.number(&own, "Task", "Task");
        self.system.opcode = self.number(&own, "OpcodeValue", "Opcode");
        self.system.process_id = self.number(&own, "ExecutionProcessID", "Execution@ProcessID");
        self.system.thread_id = self.number(&own, "ExecutionThreadID", "Execution@ThreadID");
        self.system.activity = self.own(&own, "ActivityID", "Correlation@ActivityID");
        self.system.user = self.own(&own, "UserID", "Security@UserID");
        self.flat_time(&own);
        let id = self.number(&own, "EventID", "EventID");
        for (name, raw) in own.0 {
            if !FRAME.contains(&name.as_ref()) {
                self.datum(name, raw);
            }
        }
        id
    }

    /// Reads the event's time if it has a zone, or else the time that a forwarder gives it; a local time only if
    /// there is no other.
    fn flat_time(&mut self, own: &Object<'a>) {
        let mut local = None;
        for member in ["EventTime", "TimeCreated", "@timestamp"] {
            let Some((text, raw)) = own.get(member).and_then(scalar) else { continue };
            let Some(time) = source_time(&text) else { continue };
            if time.has_zone {
                self.exported.place(self.ground, "TimeCreated@SystemTime", text, raw);
                return self.created(Some(time));
            }
            local = local.or(Some((time, text, raw)));
        }
        if let Some((time, text, raw)) = local {
            self.exported.place(self.ground, "TimeCreated@SystemTime", text, raw);
            self.created(Some(time));
        }
    }
}

/// Fields of NXLog and of forwarders that are not data of the event (NXLog, `im_msvistalog`).
const FRAME: [&str; 38] = [
    "SourceName",
    "ProviderGuid",
    "Channel",
    "Hostname",
    "RecordNumber",
    "Version",
    "Task",
    "OpcodeValue",
    "Opcode",
    "ExecutionProcessID",
    "ExecutionThreadID",
    "ThreadID",
    "ActivityID",
    "RelatedActivityID",
    "UserID",
    "EventTime",
    "TimeCreated",
    "@timestamp",
    "@version",
    "EventID",
    "EventReceivedTime",
    "Keywords",
    "EventType",
    "Severity",
    "SeverityValue",
    "Category",
    "Domain",
    "AccountName",
    "AccountType",
    "SourceModuleName",
    "SourceModuleType",
    "Message",
    "tags",
    "host",
    "port",
    "type",
    "Level",
    "MessageSourceAddress",
];

/// Returns a name with the name around it as its prefix.
fn below<'a>(outer: &str, name: Cow<'a, str>) -> Cow<'a, str> {
    if outer.is_empty() { name } else { format!("{outer}.{name}").into() }
}

/// Returns the level for Winlogbeat's English word.
fn level(text: &str) -> Option<u32> {
    Some(match text.to_ascii_lowercase().as_str() {
        "critical" => 1,
        "error" => 2,
        "warning" => 3,
        "information" => 4,
        "verbose" => 5,
        number => number.parse().ok()?,
    })
}
