//! Permanent WMI event subscriptions, carved from the WMI repository.

use super::{Decoder, Head, Source, parts};
use crate::intake::Flow;
use crate::row::Row;
use crate::spec;
use artifacts::Located;
use artifacts::wmi_repository::{self, Class, Instance};
use evidence::ReadError;
use ledger::FieldType::{Flag, List, Name, Path, Sid, Text};
use ledger::{FieldValue, RecordType};
use std::collections::BTreeSet;
use std::ops::ControlFlow;

const FILTER: &str = "wmi_filter";
const CONSUMER: &str = "wmi_consumer";
const BINDING: &str = "wmi_binding";

const LONGEST: u64 = 512 << 20;

pub(crate) const DECODER: Decoder = Decoder {
    name: "wmi_repository",
    about: "permanent event subscriptions of WMI: filters, consumers and bindings",
    names: &["**/wbem/Repository/OBJECTS.DATA", "**/wbem/Repository/FS/OBJECTS.DATA"],
    common_names: &[],
    fits: |head: &Head<'_>| head.name.eq_ignore_ascii_case("OBJECTS.DATA"),
    records,
    read,
};

fn records() -> Vec<RecordType> {
    let common = [
        ("texts", &[List][..], "its texts in their order"),
        ("creator", &[Sid], "who made it"),
        ("cut", &[Flag], "true where it goes on elsewhere and was read only so far"),
        ("path", &[Path], "path of the repository in the evidence"),
    ];
    let filter = [
        ("name", &[Name][..], "name of the filter"),
        ("query", &[Text], "query of events that it waits for"),
        ("language", &[Name], "language of the query"),
        ("namespace", &[Name], "namespace of the events"),
    ];
    let consumer = [
        ("name", &[Name][..], "name of the consumer"),
        (
            "class",
            &[Name],
            "class of the consumer: CommandLineEventConsumer starts a program, ActiveScriptEventConsumer runs a script",
        ),
        ("command_line", &[Text], "command line that it starts"),
        ("executable", &[Path], "program that it starts"),
        ("script", &[Text], "script that it runs"),
        ("language", &[Name], "language of the script"),
        ("script_file", &[Path], "file of the script"),
    ];
    let binding = [
        ("consumer", &[Name][..], "name of the consumer"),
        ("filter", &[Name], "name of the filter"),
        ("consumer_class", &[Name], "class of the consumer"),
        ("consumer_path", &[Text], "the consumer as it is spelled"),
        ("filter_path", &[Text], "the filter as it is spelled"),
    ];
    let with = |own: &[(&'static str, &'static [ledger::FieldType], &'static str)]| [own, &common].concat();
    vec![
        spec::record(
            FILTER,
            "an event filter carved from WMI's repository; it may be of a deleted instance, and proves no run",
            "name",
            &with(&filter),
        ),
        spec::record(
            CONSUMER,
            "an event consumer carved from WMI's repository; it may be of a deleted instance, and proves no run. Which text is which follows from their usual order",
            "name",
            &with(&consumer),
        ),
        spec::record(
            BINDING,
            "a binding of a filter and a consumer carved from WMI's repository: the consumer was set up to act on the filter's events; the binding may be deleted by now, and proves no run",
            "consumer",
            &with(&binding),
        ),
    ]
}

fn read(source: &mut Source<'_, '_>) -> Result<Flow, ReadError> {
    let bytes = source.bytes(LONGEST)?;
    let (found, more) = wmi_repository::carve(&bytes);
    if more {
        source.gap("more instances of one class than are read");
    }
    if found.is_empty() && !names_classes(&bytes) {
        source.damage(None, "no class of WMI is named in it: it is no repository, or nothing of it is left");
    }
    source.note("instances are carved: they may be deleted ones, and only those of the usual classes of consumers are known");
    let bound: BTreeSet<String> = found.iter().filter_map(consumer_of).map(|(_, name)| name.value).collect();
    for one in &found {
        let row = source.row(kind(one.class), Some(parts::place(0, &one.at)));
        let row = match one.class {
            Class::Filter => filter(row, one),
            Class::Binding => binding(row, one),
            Class::CommandLine => command(row, one, &bound),
            Class::Script => script(row, one),
            Class::EventLog | Class::LogFile | Class::Mail => other(row, one, &bound),
        };
        let Some(row) = row else { continue };
        let path = source.node.path.as_str().to_owned();
        let row = row
            .field("texts", FieldValue::List(one.texts.iter().map(|text| text.value.clone()).collect()))
            .field("cut", FieldValue::Flag(one.cut))
            .field("path", FieldValue::Path(path));
        let creator = one.creator.as_ref().map(|(creator, _)| creator);
        let row = parts::part(row, "creator", 0, creator, FieldValue::Sid);
        if let ControlFlow::Break(()) = source.push(row) {
            return Ok(ControlFlow::Break(()));
        }
    }
    Ok(ControlFlow::Continue(()))
}

/// Checks whether the bytes name a class that every repository defines.
fn names_classes(bytes: &[u8]) -> bool {
    let classes = [&b"__EventFilter"[..], b"__NAMESPACE", b"__SystemClass", b"Win32_"];
    classes.iter().any(|class| memchr::memmem::find(bytes, class).is_some())
}

const fn kind(class: Class) -> &'static str {
    match class {
        Class::Filter => FILTER,
        Class::Binding => BINDING,
        Class::CommandLine | Class::Script | Class::EventLog | Class::LogFile | Class::Mail => CONSUMER,
    }
}

/// Reads namespace, name, query and query language, which are stored in the order of these properties' names.
/// The query is recognised by its first word.
fn filter(row: Row, one: &Instance) -> Option<Row> {
    let is_query = |text: &&Located<String>| {
        text.value.trim_start().get(..7).is_some_and(|word| word.eq_ignore_ascii_case("select "))
    };
    let at = one.texts.iter().position(|text| is_query(&text))?;
    let (before, behind) = one.texts.split_at_checked(at)?;
    let name = before.last()?;
    let row = parts::part(row, "name", 0, Some(name), FieldValue::Name);
    let row = parts::part(row, "query", 0, behind.first(), FieldValue::Text);
    let row = parts::part(row, "language", 0, behind.get(1), FieldValue::Name);
    let namespace = before.len().checked_sub(2).and_then(|at| before.get(at));
    Some(parts::part(row, "namespace", 0, namespace, FieldValue::Name))
}

/// Splits `\\.\root\subscription:CommandLineEventConsumer.Name="name"` into the class and the name.
fn reference(text: &Located<String>) -> Option<(String, Located<String>)> {
    let (path, rest) = text.value.split_once(".Name=\"")?;
    let name = rest.strip_suffix('"').unwrap_or(rest);
    let class = path.rsplit([':', '\\', '/']).next().unwrap_or(path).to_owned();
    // The place is that of the whole text: in UTF-16 the name's own place depends on what precedes it.
    let mut place = text.clone();
    place.value = name.replace("\\\"", "\"").replace("\\\\", "\\");
    (!place.value.is_empty()).then_some((class, place))
}

fn consumer_of(one: &Instance) -> Option<(String, Located<String>)> {
    let bound = one.texts.iter().filter(|_| one.class == Class::Binding).filter_map(reference);
    bound.into_iter().find(|(class, _)| class != Class::Filter.name())
}

fn binding(row: Row, one: &Instance) -> Option<Row> {
    let (class, name) = consumer_of(one)?;
    let spelled = |is: fn(&str) -> bool| {
        one.texts.iter().find(|text| reference(text).is_some_and(|(class, _)| is(&class)))
    };
    let filter_path = spelled(|class| class == Class::Filter.name());
    let filter = filter_path.and_then(reference).map(|(_, name)| name);
    let row = parts::part(row, "consumer", 0, Some(&name), FieldValue::Name);
    let row = row.field("consumer_class", FieldValue::Name(class));
    let row = parts::part(row, "filter", 0, filter.as_ref(), FieldValue::Name);
    let row = parts::part(
        row,
        "consumer_path",
        0,
        spelled(|class| class != Class::Filter.name()),
        FieldValue::Text,
    );
    Some(parts::part(row, "filter_path", 0, filter_path, FieldValue::Text))
}

/// Reads command line, creator, program, name, folder; the name is the text that a binding names, or else the last one that is not a path.
fn command(row: Row, one: &Instance, bound: &BTreeSet<String>) -> Option<Row> {
    let name = named(one, bound)?;
    let at = one.texts.iter().position(|text| text.offset == name.offset)?;
    let before = one.texts.get(..at).unwrap_or_default();
    let first = one.creator.as_ref().map_or(1, |(_, before)| *before);
    let command = before.get(..first.min(before.len())).and_then(|texts| texts.first());
    let program =
        before.iter().skip(first).find(|text| text.value.contains('\\') || text.value.contains('.'));
    let row = parts::part(row, "name", 0, Some(name), FieldValue::Name);
    let row = row.field("class", FieldValue::Name(one.class.name().to_owned()));
    let row = parts::part(row, "command_line", 0, command, FieldValue::Text);
    Some(parts::part(row, "executable", 0, program, FieldValue::Path))
}

/// Reads name, file, engine and text of the script.
fn script(row: Row, one: &Instance) -> Option<Row> {
    let engines = ["vbscript", "jscript", "javascript"];
    let is_engine = |text: &Located<String>| engines.contains(&text.value.to_ascii_lowercase().as_str());
    let engine = one.texts.iter().position(is_engine);
    let name = one.texts.first()?;
    let file = engine.filter(|at| *at > 1).and_then(|at| one.texts.get(at - 1));
    let row = parts::part(row, "name", 0, Some(name), FieldValue::Name);
    let row = row.field("class", FieldValue::Name(one.class.name().to_owned()));
    let row = parts::part(row, "language", 0, engine.and_then(|at| one.texts.get(at)), FieldValue::Name);
    let row = parts::part(row, "script_file", 0, file, FieldValue::Path);
    let text = engine.and_then(|at| one.texts.get(at + 1));
    Some(parts::part(row, "script", 0, text, FieldValue::Text))
}

fn other(row: Row, one: &Instance, bound: &BTreeSet<String>) -> Option<Row> {
    let row = parts::part(row, "name", 0, Some(named(one, bound)?), FieldValue::Name);
    Some(row.field("class", FieldValue::Name(one.class.name().to_owned())))
}

/// Returns the name: the text that a binding names; else the first text after the creator that is not a path; else the last text.
fn named<'i>(one: &'i Instance, bound: &BTreeSet<String>) -> Option<&'i Located<String>> {
    let behind = one.creator.as_ref().map_or(1, |(_, before)| *before);
    let by_binding = one.texts.iter().find(|text| bound.contains(&text.value));
    let plain = || one.texts.iter().skip(behind).find(|text| !text.value.contains(['\\', '/']));
    by_binding.or_else(plain).or_else(|| one.texts.last())
}
