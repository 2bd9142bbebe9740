//! Scheduled tasks since Windows Vista: one record for each action of a task.

use super::{Decoder, Head, Source, parts};
use crate::intake::Flow;
use crate::row::Row;
use crate::spec;
use artifacts::Located;
use artifacts::civil_time;
use artifacts::due;
use artifacts::scheduled_task::{self, Action, Task, Trigger};
use evidence::ReadError;
use ledger::FieldType::{Flag, Guid, Integer, List, Name, Path, Sid, Text, Time};
use ledger::{ByteSpan, FieldValue, RecordType};
use std::error::Error;
use std::ops::ControlFlow;

const KIND: &str = "scheduled_task";

/// The longest file that is read.
const LONGEST: u64 = 4 << 20;

pub(crate) const DECODER: Decoder = Decoder {
    name: "scheduled_task",
    about: "scheduled tasks with what they start, when and as whom",
    names: &["**/System32/Tasks/**", "**/SysWOW64/Tasks/**", "**/System32/Tasks_Migrated/**"],
    common_names: &[],
    fits,
    records,
    read,
};

fn fits(head: &Head<'_>) -> bool {
    scheduled_task::fits(head.bytes)
}

fn records() -> Vec<RecordType> {
    vec![spec::record(
        KIND,
        "one action of a scheduled task, as the task's file tells it; not that the task ever ran, nor that the scheduler still knows it",
        "task",
        &[
            ("task", &[Path], "path of the task below the folder Tasks, with backslashes"),
            ("path", &[Path], "path of the file in the evidence"),
            ("uri", &[Path], "path by which the file itself calls the task"),
            (
                "author",
                &[Name],
                "who registered it, as the file says; anybody can write there what they like",
            ),
            ("source", &[Text], "what registered it"),
            ("description", &[Text], "words about it"),
            (
                "registration_date",
                &[Name],
                "when it was registered, as spelled; local time where no zone stands there",
            ),
            ("registered", &[Time], "the same as a time"),
            ("security_descriptor", &[Text], "its rights, in SDDL"),
            ("action", &[Name], "kind of the action: Exec, ComHandler, SendEmail, ShowMessage"),
            ("action_number", &[Integer], "place of the action in the task, from 1"),
            ("command", &[Path], "program of the action, as spelled"),
            ("arguments", &[Text], "what it is given"),
            ("working_directory", &[Path], "where it is started"),
            ("class_id", &[Guid], "class of a COM handler"),
            ("data", &[Text], "what the COM handler is given"),
            ("triggers", &[List], "what starts the task, a line each"),
            ("trigger", &[Name, List], "kinds of its triggers"),
            ("start_boundary", &[Name, List], "from when on its triggers count, as spelled"),
            ("end_boundary", &[Name, List], "until when its triggers count, as spelled"),
            ("interval", &[Name, List], "time between two starts, as spelled: PT5M is five minutes"),
            ("subscription", &[Text, List], "query of events that it waits for"),
            ("user_id", &[Sid, Name], "account as which it runs"),
            ("group_id", &[Sid, Name], "group whose members it runs as"),
            ("logon_type", &[Name], "how it logs on"),
            ("run_level", &[Name], "HighestAvailable for an elevated task"),
            ("hidden", &[Flag], "whether tools hide it"),
            ("enabled", &[Flag], "whether it may run; true where the file does not say"),
            ("starts", &[Name], due::STARTS),
        ],
    )]
}

fn read(source: &mut Source<'_, '_>) -> Result<Flow, ReadError> {
    let bytes = source.bytes(LONGEST)?;
    let task = match scheduled_task::read(&bytes) {
        Ok(task) => task,
        Err(error) => {
            let cause = error.source().map(|cause| format!(": {cause}")).unwrap_or_default();
            source.damage(None, format!("failed to {error}{cause}"));
            return Ok(ControlFlow::Continue(()));
        }
    };
    let whole = ByteSpan::new(0, bytes.len() as u64);
    if task.actions.is_empty() {
        let row = of_task(source.row(KIND, Some(whole)), source, &task);
        return Ok(source.push(row));
    }
    for (number, action) in (1i128..).zip(&task.actions) {
        let at = action.at.as_ref().map_or(whole, |at| parts::place(0, at));
        let row = of_task(source.row(KIND, Some(at)), source, &task);
        let row = of_action(row, action).field("action_number", FieldValue::Integer(number));
        if let ControlFlow::Break(()) = source.push(row) {
            return Ok(ControlFlow::Break(()));
        }
    }
    Ok(ControlFlow::Continue(()))
}

fn of_task(row: Row, source: &Source<'_, '_>, task: &Task) -> Row {
    let path = source.node.path.as_str();
    let row = row
        .field("path", FieldValue::Path(path.to_owned()))
        .field("task", FieldValue::Path(name(path, task)));
    let row = put(row, "uri", &task.uri, FieldValue::Path);
    let row = put(row, "author", &task.author, FieldValue::Name);
    let row = put(row, "source", &task.source, FieldValue::Text);
    let row = put(row, "description", &task.description, FieldValue::Text);
    let row = put(row, "registration_date", &task.date, FieldValue::Name);
    let row = put(row, "security_descriptor", &task.security_descriptor, FieldValue::Text);
    let row = match task.date.as_ref().and_then(|date| Some((date, civil_time::read(&date.value)?))) {
        Some((date, time)) => {
            row.maybe("registered", parts::civil_value(&time, parts::Unzoned::Local), span(date))
        }
        None => row,
    };
    let row = of_triggers(row, task);
    let row = match task.principal() {
        Some(principal) => {
            let row = put(row, "user_id", &principal.user, parts::account);
            let row = put(row, "group_id", &principal.group, parts::account);
            let row = put(row, "logon_type", &principal.logon_type, FieldValue::Name);
            put(row, "run_level", &principal.run_level, FieldValue::Name)
        }
        None => row,
    };
    let enabled = task.enabled.as_ref();
    row.maybe(
        "hidden",
        task.hidden.as_ref().map(|flag| FieldValue::Flag(flag.value)),
        task.hidden.as_ref().and_then(span),
    )
    .field_at("enabled", FieldValue::Flag(enabled.is_none_or(|flag| flag.value)), enabled.and_then(span))
}

fn of_triggers(row: Row, task: &Task) -> Row {
    let enabled = task.enabled.as_ref().is_none_or(|flag| flag.value);
    let counting = task.triggers.iter().filter(|trigger| trigger.enabled);
    let maintained = task.maintained.then_some(due::Due::Lasting);
    let starts = due::starts(enabled, counting.map(Trigger::due).chain(maintained));
    let row = row.field("starts", FieldValue::Name(starts.to_owned()));
    if task.triggers.is_empty() {
        return row;
    }
    let row = row.field("triggers", FieldValue::List(task.triggers.iter().map(Trigger::render).collect()));
    let kinds: Vec<_> = task.triggers.iter().map(|trigger| trigger.kind.clone()).collect();
    let row = match kinds.as_slice() {
        [kind] => row.field("trigger", FieldValue::Name(kind.clone())),
        _ => row.field("trigger", FieldValue::List(kinds)),
    };
    let all = |pick: fn(&Trigger) -> &Option<Located<String>>| -> Vec<&Located<String>> {
        task.triggers.iter().filter_map(|trigger| pick(trigger).as_ref()).collect()
    };
    let row = several(row, "start_boundary", &all(|trigger| &trigger.start), FieldValue::Name);
    let row = several(row, "end_boundary", &all(|trigger| &trigger.end), FieldValue::Name);
    let row = several(row, "interval", &all(|trigger| &trigger.interval), FieldValue::Name);
    several(row, "subscription", &all(|trigger| &trigger.subscription), FieldValue::Text)
}

fn of_action(row: Row, action: &Action) -> Row {
    let row = row.field("action", FieldValue::Name(action.kind.clone()));
    let row = put(row, "command", &action.command, FieldValue::Path);
    let row = put(row, "arguments", &action.arguments, FieldValue::Text);
    let row = put(row, "working_directory", &action.working_directory, FieldValue::Path);
    let row = put(row, "class_id", &action.class_id, FieldValue::Guid);
    put(row, "data", &action.data, FieldValue::Text)
}

/// Adds one value as itself with its place, several as a list.
fn several(row: Row, field: &str, all: &[&Located<String>], make: fn(String) -> FieldValue) -> Row {
    match all {
        [] => row,
        [one] => row.field_at(field, make(one.value.clone()), span(one)),
        _ => row.field(field, FieldValue::List(all.iter().map(|one| one.value.clone()).collect())),
    }
}

fn put(row: Row, field: &str, found: &Option<Located<String>>, make: fn(String) -> FieldValue) -> Row {
    let value = found.as_ref().map(|found| make(found.value.clone()));
    row.maybe(field, value, found.as_ref().and_then(span))
}

/// Returns the place of a value; a length of 0 means that the place is unknown.
fn span<T>(found: &Located<T>) -> Option<ByteSpan> {
    (found.length > 0).then(|| parts::place(0, found))
}

/// Returns the path of a task below `Tasks`, or else the name that the file gives.
fn name(path: &str, task: &Task) -> String {
    let parts: Vec<&str> = path.split('/').collect();
    let is = |part: Option<&&str>, names: [&str; 2]| {
        part.is_some_and(|part| names.iter().any(|name| part.eq_ignore_ascii_case(name)))
    };
    // A folder further up may have the same name: the scheduler's is the one in the system's folder.
    let tasks = (1..parts.len()).find(|at| {
        is(parts.get(*at), ["Tasks", "Tasks_Migrated"]) && is(parts.get(at - 1), ["System32", "SysWOW64"])
    });
    if let Some(below) = tasks.and_then(|at| parts.get(at + 1..)) {
        return format!("\\{}", below.join("\\"));
    }
    let uri = task.uri.as_ref().map(|uri| uri.value.clone());
    uri.unwrap_or_else(|| path.rsplit('/').next().unwrap_or(path).to_owned())
}
