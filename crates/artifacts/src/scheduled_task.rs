//! Scheduled tasks since Windows Vista: XML files below `System32\Tasks`, one for each task.
//!
//! Source of the format: [MS-TSCH] 2.5, the XML schema of tasks. Windows writes them as UTF-16LE with a byte
//! order mark; other tools also write UTF-8.

mod element;

use crate::due::{Due, FOR_GOOD_DAYS, is_never};
use crate::fields::Located;
use element::{Reader, flag, named};
use encoding_rs::{Encoding, UTF_8};
use roxmltree::{Document, Node, ParsingOptions};

/// The namespace of tasks ([MS-TSCH] 2.5.1).
const NAMESPACE: &str = "schemas.microsoft.com/windows/2004/02/mit/task";

/// The most nodes of one document that are read.
const NODES: u32 = 20_000;

/// The most actions, triggers and principals of one task that are read; the schema allows 32, 48 and 1.
const MOST: usize = 64;

/// Why a file is not a task.
#[derive(Debug, thiserror::Error)]
pub enum TaskError {
    /// It is not well-formed XML.
    #[error("read the XML of a task")]
    Xml(#[source] roxmltree::Error),
    /// It has another root element.
    #[error("read a task: the root element should be Task but is {0:?}")]
    Root(Box<str>),
}

/// A task as described in its file; all texts as spelled there.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Task {
    /// The path that the file itself gives the task.
    pub uri: Option<Located<String>>,
    /// Who registered it.
    pub author: Option<Located<String>>,
    /// The component that registered it.
    pub source: Option<Located<String>>,
    /// A description of it.
    pub description: Option<Located<String>>,
    /// When it was registered, by the clock of that machine and mostly without a zone.
    pub date: Option<Located<String>>,
    /// Its access rights, in SDDL.
    pub security_descriptor: Option<Located<String>>,
    /// Whether it is enabled; true if the file does not say.
    pub enabled: Option<Located<bool>>,
    /// Whether tools hide it.
    pub hidden: Option<Located<bool>>,
    /// Whether Windows starts it repeatedly during automatic maintenance, without a trigger.
    pub maintained: bool,
    /// The triggers that start it.
    pub triggers: Vec<Trigger>,
    /// The accounts it runs as.
    pub principals: Vec<Principal>,
    /// What it does.
    pub actions: Vec<Action>,
}

/// A trigger of a task.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Trigger {
    /// The element, such as `TimeTrigger`.
    pub kind: String,
    /// False if the file says so.
    pub enabled: bool,
    /// When it becomes effective.
    pub start: Option<Located<String>>,
    /// When it stops being effective.
    pub end: Option<Located<String>>,
    /// The time between two starts.
    pub interval: Option<Located<String>>,
    /// How long it is repeated.
    pub duration: Option<Located<String>>,
    /// How long to wait before the start.
    pub delay: Option<Located<String>>,
    /// The user whose logon or session triggers it.
    pub user: Option<Located<String>>,
    /// The event query that triggers it.
    pub subscription: Option<Located<String>>,
    /// The session change that triggers it.
    pub state_change: Option<Located<String>>,
    /// The kind of a calendar schedule, such as `ScheduleByDay`.
    pub schedule: Option<String>,
}

impl Trigger {
    /// Returns how long it is effective: a trigger for a time, or for the registration, fires once unless it
    /// repeats indefinitely ([MS-TSCH] 2.5.3).
    pub fn due(&self) -> Due {
        let is_one_time = matches!(self.kind.as_str(), "TimeTrigger" | "RegistrationTrigger");
        let for_good = |duration: &Located<String>| days(&duration.value) >= Some(FOR_GOOD_DAYS);
        let is_repeated = self.interval.is_some() && self.duration.as_ref().is_none_or(for_good);
        match self.end.as_ref().filter(|end| !is_never(&end.value)) {
            Some(_) => Due::Ending,
            None if is_one_time && !is_repeated => Due::Once,
            None => Due::Lasting,
        }
    }

    /// Formats the trigger in one line.
    pub fn render(&self) -> String {
        let mut text = self.kind.clone();
        let mut add = |word: &str, value: Option<&str>| {
            if let Some(value) = value {
                text.push_str(&format!(" {word} {value}"));
            }
        };
        let value = |found: &Option<Located<String>>| found.as_ref().map(|found| found.value.clone());
        add("by", self.schedule.as_deref());
        add("on", value(&self.state_change).as_deref());
        add("of", value(&self.user).as_deref());
        add("start", value(&self.start).as_deref());
        add("end", value(&self.end).as_deref());
        add("every", value(&self.interval).as_deref());
        add("for", value(&self.duration).as_deref());
        add("delay", value(&self.delay).as_deref());
        add("query", value(&self.subscription).as_deref());
        if !self.enabled {
            text.push_str(" (disabled)");
        }
        text
    }
}

/// Returns the whole days of an XML duration such as `P3DT4H`; hours and minutes alone also count.
fn days(duration: &str) -> Option<u64> {
    let (days, times) =
        duration.strip_prefix('P')?.split_once('T').unwrap_or((duration.strip_prefix('P')?, ""));
    let mut minutes: u64 = 0;
    for (part, units) in [
        (days, &[('Y', 525_600), ('M', 43_200), ('W', 10_080), ('D', 1440)][..]),
        (times, &[('H', 60), ('M', 1)]),
    ] {
        let mut number: u64 = 0;
        for c in part.chars() {
            match (c.to_digit(10), units.iter().find(|(unit, _)| *unit == c)) {
                (Some(digit), _) => number = number.saturating_mul(10).saturating_add(digit.into()),
                (None, Some((_, worth))) => {
                    minutes = minutes.saturating_add(number.saturating_mul(*worth));
                    number = 0;
                }
                // Seconds and fractions are less than a day.
                (None, None) => number = 0,
            }
        }
    }
    Some(minutes / 1440)
}

/// An account that a task runs as.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Principal {
    /// The name by which actions refer to it.
    pub id: String,
    /// A SID, or the name of an account.
    pub user: Option<Located<String>>,
    /// A SID, or the name of a group.
    pub group: Option<Located<String>>,
    /// How it logs on.
    pub logon_type: Option<Located<String>>,
    /// The privileges it runs with.
    pub run_level: Option<Located<String>>,
}

/// An action of a task.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Action {
    /// The element, such as `Exec`.
    pub kind: String,
    /// The location of the element.
    pub at: Option<Located<()>>,
    /// The program.
    pub command: Option<Located<String>>,
    /// Its arguments.
    pub arguments: Option<Located<String>>,
    /// The folder in which it is started.
    pub working_directory: Option<Located<String>>,
    /// The class of a COM handler.
    pub class_id: Option<Located<String>>,
    /// The data passed to the COM handler.
    pub data: Option<Located<String>>,
}

impl Task {
    /// Returns the principal of the task's actions: the one named by their context, or else the first.
    pub fn principal(&self) -> Option<&Principal> {
        self.principals.first()
    }
}

/// Checks whether a file that begins with `head` is a task.
pub fn fits(head: &[u8]) -> bool {
    let encoding = Encoding::for_bom(head).map_or(UTF_8, |(encoding, _)| encoding);
    let (text, _, _) = encoding.decode(head);
    text.find("<Task").is_some_and(|at| text.get(at..).is_some_and(|rest| rest.contains(NAMESPACE)))
}

/// Reads the file of a task.
pub fn read(bytes: &[u8]) -> Result<Task, TaskError> {
    let encoding = Encoding::for_bom(bytes).map_or(UTF_8, |(encoding, _)| encoding);
    let (text, _, _) = encoding.decode(bytes);
    let text = text.trim_end_matches('\0');
    let options = ParsingOptions { nodes_limit: NODES, ..ParsingOptions::default() };
    let document = Document::parse_with_options(text, options).map_err(TaskError::Xml)?;
    let root = document.root_element();
    if root.tag_name().name() != "Task" {
        return Err(TaskError::Root(root.tag_name().name().into()));
    }
    let reader = Reader::new(bytes, text);
    let mut task = Task::default();
    for part in root.children().filter(Node::is_element) {
        match part.tag_name().name() {
            "RegistrationInfo" => registration(&reader, part, &mut task),
            "Triggers" => task.triggers = each(part, |node| trigger(&reader, node)),
            "Principals" => task.principals = each(part, |node| principal(&reader, node)),
            "Settings" => {
                task.enabled = named(part, "Enabled").and_then(|node| flag(&reader, node));
                task.hidden = named(part, "Hidden").and_then(|node| flag(&reader, node));
                task.maintained = named(part, "MaintenanceSettings").is_some();
            }
            "Actions" => task.actions = each(part, |node| action(&reader, node)),
            _ => {}
        }
    }
    // The principal that the actions name comes first.
    if let Some(context) = named(root, "Actions").and_then(|node| node.attribute("Context")) {
        task.principals.sort_by_key(|principal| principal.id != context);
    }
    Ok(task)
}

fn each<T>(part: Node<'_, '_>, read: impl FnMut(Node<'_, '_>) -> T) -> Vec<T> {
    part.children().filter(Node::is_element).take(MOST).map(read).collect()
}

fn registration(reader: &Reader<'_>, node: Node<'_, '_>, task: &mut Task) {
    let text = |name| reader.text_of(node, name);
    task.uri = text("URI");
    task.author = text("Author");
    task.source = text("Source");
    task.description = text("Description");
    task.date = text("Date");
    task.security_descriptor = text("SecurityDescriptor");
}

fn trigger(reader: &Reader<'_>, node: Node<'_, '_>) -> Trigger {
    let text = |name| reader.text_of(node, name);
    let repeated = named(node, "Repetition");
    let schedule = node.children().find(|child| child.tag_name().name().starts_with("ScheduleBy"));
    Trigger {
        kind: node.tag_name().name().to_owned(),
        enabled: named(node, "Enabled").and_then(|node| flag(reader, node)).is_none_or(|flag| flag.value),
        start: text("StartBoundary"),
        end: text("EndBoundary"),
        interval: repeated.and_then(|node| reader.text_of(node, "Interval")),
        duration: repeated.and_then(|node| reader.text_of(node, "Duration")),
        delay: text("Delay"),
        user: text("UserId"),
        subscription: text("Subscription"),
        state_change: text("StateChange"),
        schedule: schedule.map(|node| node.tag_name().name().to_owned()),
    }
}

fn principal(reader: &Reader<'_>, node: Node<'_, '_>) -> Principal {
    let text = |name| reader.text_of(node, name);
    Principal {
        id: node.attribute("id").unwrap_or_default().to_owned(),
        user: text("UserId"),
        group: text("GroupId"),
        logon_type: text("LogonType"),
        run_level: text("RunLevel"),
    }
}

fn action(reader: &Reader<'_>, node: Node<'_, '_>) -> Action {
    let text = |name| reader.text_of(node, name);
    let range = node.range();
    Action {
        kind: node.tag_name().name().to_owned(),
        at: reader.place(range.start, range.end).map(|(offset, length)| Located::new((), offset, length)),
        command: text("Command"),
        arguments: text("Arguments"),
        working_directory: text("WorkingDirectory"),
        class_id: text("ClassId"),
        data: text("Data"),
    }
}

#[cfg(test)]
mod tests;
