//! What Windows starts automatically because the registry says so, except services and drivers.
//!
//! The places are a table, [`LOCATIONS`].

mod locations;
mod switches;

use super::Artifact;
use super::draft::{Draft, record_type, text_of, value_path};
use super::reader::Reader;
use super::values::Held;
use crate::hive_file::key_name;
use crate::intake::Flow;
use artifacts::registry::{HiveType, Key, ValueData};
use ledger::FieldType::{Bytes, Integer, Name, RegistryPath, Text, Time};
use ledger::{FieldType, FieldValue, RecordType};
use locations::{LOCATIONS, Location, Root};
use std::ops::ControlFlow;
use switches::{State, Switches};

const KIND: &str = "autostart";
const ONCE: &str = "once_autostart";
const DISABLED: &str = "disabled_autostart";

/// The classes of a user, which take precedence over those of the host.
const USER_CLASSES: [&str; 2] = ["CLSID", "Wow6432Node\\CLSID"];

/// The subkeys of a class whose default value names what is loaded or started.
const SERVERS: [&str; 5] = ["InprocServer32", "LocalServer32", "InprocServer", "TreatAs", "ScriptletURL"];

pub(crate) const ARTIFACT: Artifact = Artifact {
    name: "autostarts",
    about: "Run keys and the other places from which programs and DLLs are started by themselves, for the host and for each user; entries that are switched off, or that nothing reads, are disabled_autostart, those that start one time and go then (RunOnce and its like) once_autostart",
    hives: &[HiveType::Software, HiveType::System, HiveType::NtUser, HiveType::UsrClass],
    records,
    read,
};

fn records() -> Vec<RecordType> {
    let approved: Declared = (
        "approved",
        &[Name],
        "enabled, where the task manager or the settings say so; none where nothing is stored of it, and it starts",
    );
    let disabled: [Declared; 2] = [
        (
            "disabled_by",
            &[Name],
            "what keeps it from starting: StartupApproved (the task manager), LoadAppInit_DLLs, a policy such as DisableLocalMachineRun; GlobalFlag or ReportingMode where a flag that the place needs is not set there; IsInstalled, Enabled, UseFilter or ScreenSaveActive where it is 0; type where the value is no command; no_logon in a hive under which nobody logs on (of new profiles, of accounts of the system); not_read where this Windows does not read the place",
        ),
        ("disabled_at", &[Time], "when it was switched off"),
    ];
    vec![
        record_type(
            KIND,
            "one command or DLL that Windows starts by itself, or the folder whose content it starts",
            "value_path",
            &[&common()[..], &[approved]].concat(),
        ),
        record_type(
            ONCE,
            "one command that Windows starts by itself the next time, and removes from here; not that it ever started",
            "value_path",
            &common()[..],
        ),
        record_type(
            DISABLED,
            "one command or DLL that stands among those that start by themselves, but is switched off or lacks what it needs to start",
            "value_path",
            &[&common()[..], &disabled].concat(),
        ),
    ]
}

/// Name, types and meaning of a field.
type Declared = (&'static str, &'static [FieldType], &'static str);

/// Returns the fields that both record types have.
fn common() -> [Declared; 6] {
    [
        ("value_path", &[RegistryPath], "path of the key, \\ and the name of the value"),
        ("location", &[Name], "what starts it, such as run or winlogon"),
        ("name", &[Name], "name of the value; (default) for the unnamed one"),
        (
            "entry",
            &[Name],
            "name of the subkey in which the value stands, where each subkey is an entry of its own: a program with a debugger, a component, a class",
        ),
        (
            "command",
            &[Text, Integer, Bytes],
            "command, program or DLL as stored; one item where the value is a list; no text where the value is none",
        ),
        ("item", &[Integer], "number of the item in a list, from 0"),
    ]
}

fn read(reader: &mut Reader<'_, '_>) -> Flow {
    for location in LOCATIONS {
        for top in tops(reader, location) {
            if let Some(key) = reader.below(&top, location.key) {
                visit(reader, location, &key, location.levels)?;
            }
        }
    }
    if reader.hive_type == HiveType::UsrClass { user_classes(reader) } else { ControlFlow::Continue(()) }
}

/// Reads the COM classes that a user has registered: programs that ask for them load these.
fn user_classes(reader: &mut Reader<'_, '_>) -> Flow {
    for path in USER_CLASSES {
        let Some(classes) = reader.key(path) else { continue };
        for class in reader.children(&classes) {
            for server in SERVERS {
                let Some(key) = reader.below(&class, server) else { continue };
                let values = reader.values(&key);
                let Some(held) = values.get("").filter(|held| !is_empty(held)) else { continue };
                let record = Draft::of_value(reader, KIND, &key, held)
                    .set("value_path", value_path(&key, held), None)
                    .set("location", FieldValue::Name("user_com_class".to_owned()), None)
                    .value_name(reader, "name", held, FieldValue::Name)
                    .key_name(reader, "entry", &class, FieldValue::Name)
                    .data("command", held)
                    .done();
                reader.push(record)?;
            }
        }
    }
    ControlFlow::Continue(())
}

/// Returns the keys below which a location is in this hive.
fn tops<'h>(reader: &mut Reader<'_, 'h>, location: &Location) -> Vec<Key<'h>> {
    let wow = |software: &str| vec![software.to_owned(), format!("{software}\\Wow6432Node")];
    let plain = || vec![String::new()];
    // A hive of unknown type, read because it was asked for, is tried as each type.
    let is = |wanted| reader.hive_type == wanted || reader.hive_type == HiveType::Other;
    let (software, user, system) = (is(HiveType::Software), is(HiveType::NtUser), is(HiveType::System));
    let (of_software, of_user) =
        (|| if software { wow("") } else { Vec::new() }, || if user { wow("Software") } else { Vec::new() });
    let paths = match location.root {
        Root::Software => of_software(),
        Root::User => of_user(),
        Root::Both => [of_software(), of_user()].concat(),
        Root::Profile => {
            if user {
                plain()
            } else {
                Vec::new()
            }
        }
        Root::System => {
            if system {
                plain()
            } else {
                Vec::new()
            }
        }
        Root::ControlSet if system => return reader.control_set().into_iter().collect(),
        Root::ControlSet => Vec::new(),
    };
    paths.iter().filter_map(|path| reader.key(path)).collect()
}

/// Visits the values of a key, or of the keys `levels` below it.
fn visit<'h>(reader: &mut Reader<'_, 'h>, location: &Location, key: &Key<'h>, levels: u32) -> Flow {
    if let Some(levels) = levels.checked_sub(1) {
        for child in reader.children(key) {
            visit(reader, location, &child, levels)?;
        }
        return ControlFlow::Continue(());
    }
    let values = reader.values(key);
    let switches = Switches::of(reader, location, key, &values);
    for held in &values.0 {
        let name = &held.value.name;
        let named = location.values.iter().any(|wanted| wanted.eq_ignore_ascii_case(name));
        // An empty setting starts nothing; in a list of values without fixed names every value counts.
        let every = location.values.is_empty() && !(name.is_empty() && is_empty(held));
        if every || (named && !is_empty(held)) {
            commands(reader, location, key, held, &switches)?;
        }
    }
    ControlFlow::Continue(())
}

fn commands(
    reader: &mut Reader<'_, '_>,
    location: &Location,
    key: &Key<'_>,
    held: &Held<'_>,
    switches: &Switches<'_>,
) -> Flow {
    let ValueData::MultiText(items) = &held.value.data else {
        let record = start(reader, location, key, held, switches).data("command", held).done();
        return reader.push(record);
    };
    for (number, (item, at)) in items.iter().zip(held.items()).enumerate() {
        let record = start(reader, location, key, held, switches)
            .set("command", FieldValue::Text(item.clone()), at.map(|at| at.0))
            .set("item", FieldValue::Integer(number as i128), None)
            .done();
        reader.push(record)?;
    }
    ControlFlow::Continue(())
}

fn start(
    reader: &Reader<'_, '_>,
    location: &Location,
    key: &Key<'_>,
    held: &Held<'_>,
    switches: &Switches<'_>,
) -> Draft {
    let (entry, at) = match location.is_filter() {
        true => (key.path.rsplit('\\').nth(1).map(str::to_owned), None),
        false => ((location.levels > 0).then(|| key.name.clone()), key_name(reader.bytes, key.offset)),
    };
    let state = switches.state(held);
    let kind = match state {
        State::Disabled { .. } => DISABLED,
        State::Plain | State::Enabled(_) if location.is_once() => ONCE,
        State::Plain | State::Enabled(_) => KIND,
    };
    let draft = Draft::of_value(reader, kind, key, held)
        .set("value_path", value_path(key, held), None)
        .set("location", FieldValue::Name(location.name.to_owned()), None)
        .value_name(reader, "name", held, FieldValue::Name)
        .maybe("entry", entry.map(FieldValue::Name), at);
    state.tell(draft)
}

fn is_empty(held: &Held<'_>) -> bool {
    text_of(Some(held)) == Some("") && !held.value.trailing
}
