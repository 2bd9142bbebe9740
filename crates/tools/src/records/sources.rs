//! Resolves what a call of `records` reads: the name of a source, a subject or a record type.

use crate::arguments::Arguments;
use crate::decode::{self, DECODERS, Decoder};
use crate::error::CallError;
use crate::events::LOGONS;
use crate::registry_artifact::{self, Artifact, artifacts};
use crate::sink::{self, Standout};
use crate::tables::TableGroup;
use crate::units::Origin;
use detect::{Level, shipped};
use ledger::{FieldType, RecordType};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::OnceLock;

/// A subject that several sources cover.
struct Subject {
    name: &'static str,
    about: &'static str,
    decoders: &'static [&'static str],
    artifacts: &'static [&'static str],
    /// The only types of records; empty for all types of the sources.
    only: &'static [&'static str],
}

/// Sorted by name.
const SUBJECTS: [Subject; 6] = [
    Subject {
        name: "browsing",
        about: "pages, downloads and searches that browsers kept, and addresses that users typed",
        decoders: &["chromium_history", "firefox_history", "index_dat", "web_cache"],
        artifacts: &["typed_entries"],
        only: &[],
    },
    Subject {
        name: "logons",
        about: "logons, failed logons, logoffs, explicit credentials, privileged sessions and remote desktop sessions of all event logs",
        decoders: &["event_log"],
        artifacts: &[],
        only: LOGONS,
    },
    Subject {
        name: "persistence",
        about: "what the system starts by itself: scheduled tasks, startup folders, WMI event subscriptions, services and the registry's autostarts",
        // A startup folder may contain a file of any kind: its items come first.
        decoders: &["startup_folder", "job_file", "scheduled_task", "wmi_repository"],
        artifacts: &["autostarts", "services", "task_cache"],
        only: &[],
    },
    Subject {
        name: "program_execution",
        about: "programs that ran or were there; each source proves something else, and inventories prove no run",
        decoders: &["error_report", "pca", "powershell_history", "powershell_transcript", "prefetch", "srum"],
        artifacts: &["amcache", "bam", "mui_cache", "recent_apps", "shim_cache", "user_assist"],
        only: &[],
    },
    Subject {
        name: "recycled",
        about: "what users moved to the Recycle Bin, and content there ($R) without the file that tells where it stood ($I)",
        decoders: &["info2", "recycle_bin"],
        artifacts: &[],
        only: &[],
    },
    Subject {
        name: "user_activity",
        about: "what users opened, started and typed, by shortcuts, jump lists, Windows Timeline and the registry",
        decoders: &["jump_list", "lnk", "windows_timeline"],
        artifacts: &[
            "mount_points",
            "office_recent",
            "open_save",
            "recent_apps",
            "recent_documents",
            "shell_bags",
            "typed_entries",
            "user_assist",
        ],
        only: &[],
    },
];

/// The sources to read, in this order.
#[derive(Default)]
pub(crate) struct Sources {
    pub(crate) decoders: Vec<&'static Decoder>,
    pub(crate) artifacts: Vec<&'static Artifact>,
    /// Whether change journals are read name by name.
    pub(crate) names: bool,
    only: &'static [&'static str],
}

impl Sources {
    /// Reads what a call asks for with `source` and `record`.
    pub(crate) fn read(arguments: &Arguments) -> Result<Sources, CallError> {
        let text = |name| arguments.optional_text(name);
        let standout = Standout::read(arguments)?;
        let sources = match (text("source"), text("record")) {
            (None, None) if standout.is_some() => Ok(Sources::all()),
            (None, None) => Err(CallError::OneOf { one: "source", other: "record" }),
            (Some(source), record) => {
                let sources =
                    Sources::named(source).ok_or_else(|| not_one_of("source", choices(), source))?;
                sources.giving(record)
            }
            (None, record) => Sources::all().giving(record),
        }?;
        Ok(match standout {
            Some(standout) => sources.giving_any(&standout.kinds()),
            None => sources,
        })
    }

    /// Returns all sources with records of their own.
    pub(crate) fn all() -> Sources {
        let (decoders, artifacts) = (DECODERS.iter().collect(), artifacts().iter().collect());
        Sources { decoders, artifacts, names: true, only: &[] }
    }

    /// Returns the source with this name: a subject, a decoder, an artifact, or the names of change journals.
    fn named(source: &str) -> Option<Sources> {
        if let Some(subject) = SUBJECTS.iter().find(|subject| subject.name == source) {
            let artifacts = subject.artifacts.iter().filter_map(|name| registry_artifact::named(name));
            let decoders = subject.decoders.iter().filter_map(|name| decode::named(name));
            let (decoders, artifacts) = (decoders.collect(), artifacts.collect());
            return Some(Sources { decoders, artifacts, names: false, only: subject.only });
        }
        let decoders: Vec<_> = decode::named(source).into_iter().collect();
        let artifacts: Vec<_> = registry_artifact::named(source).into_iter().collect();
        let names = source == Origin::Names.source();
        let is_any = names || !decoders.is_empty() || !artifacts.is_empty();
        is_any.then_some(Sources { decoders, artifacts, names, only: &[] })
    }

    /// Keeps the sources that can give records of this type; all if none is asked for.
    fn giving(mut self, record: Option<&str>) -> Result<Sources, CallError> {
        let Some(record) = record else { return Ok(self) };
        let known = self.type_names();
        if !known.contains(record) {
            let known = known.into_iter().map(str::to_owned).collect();
            return Err(not_one_of("record", known, record));
        }
        self.decoders.retain(|decoder| gives(decoder.name, record));
        self.artifacts.retain(|artifact| gives(artifact.name, record));
        self.names = self.names && gives(Origin::Names.source(), record);
        Ok(self)
    }

    /// Keeps the sources that can give records of one of these types.
    fn giving_any(mut self, kinds: &BTreeSet<&str>) -> Sources {
        let gives_any = |source: &str| kinds.iter().any(|kind| gives(source, kind));
        self.decoders.retain(|decoder| gives_any(decoder.name));
        self.artifacts.retain(|artifact| gives_any(artifact.name));
        self.names = self.names && gives_any(Origin::Names.source());
        self
    }

    /// Returns the names of their record types.
    fn type_names(&self) -> BTreeSet<&'static str> {
        let decoders = self.decoders.iter().map(|decoder| decoder.name);
        let artifacts = self.artifacts.iter().map(|artifact| artifact.name);
        let sources = decoders.chain(artifacts).chain(self.names.then(|| Origin::Names.source()));
        let names = sources.filter_map(|source| given().get(source)).flatten().map(String::as_str);
        names.filter(|name| self.only.is_empty() || self.only.contains(name)).collect()
    }

    /// Returns their record types, each once, sorted by name.
    pub(crate) fn types(&self) -> Vec<RecordType> {
        let mut types: Vec<_> = self.decoders.iter().flat_map(|decoder| decode::gathered(decoder)).collect();
        types.extend(self.artifacts.iter().flat_map(|artifact| (artifact.records)()));
        types.extend(self.names.then(|| Origin::Names.records()).into_iter().flatten());
        types.retain(|kind| self.only.is_empty() || self.only.contains(&kind.name.as_str()));
        types.sort_by(|a, b| a.name.cmp(&b.name));
        types.dedup_by(|a, b| a.name == b.name);
        types
    }

    /// Checks whether nothing but hives is read.
    pub(crate) fn is_of_registry(&self) -> bool {
        self.decoders.is_empty() && !self.names
    }

    /// Returns the case tables with their records.
    /// Tables of single change journal records are not made for a call: there are very many, and few are asked for.
    fn groups(&self) -> BTreeSet<TableGroup> {
        let decoders = self.decoders.iter().filter(|decoder| decoder.name != "usn_journal");
        let origins = decoders.map(|decoder| Origin::Decoder(decoder));
        let artifacts = self.artifacts.iter().map(|artifact| Origin::Artifact(artifact));
        let names = self.names.then_some(Origin::Names);
        origins.chain(artifacts).chain(names).filter_map(TableGroup::of).collect()
    }
}

/// Returns the names of the record types of each decoder, each artifact and the names of change journals.
///
/// Built once: the types themselves have descriptions, which cost more than most calls.
pub(crate) fn given() -> &'static HashMap<&'static str, BTreeSet<String>> {
    static GIVEN: OnceLock<HashMap<&str, BTreeSet<String>>> = OnceLock::new();
    GIVEN.get_or_init(|| {
        let names = |types: Vec<RecordType>| types.into_iter().map(|kind| kind.name).collect();
        let decoders = DECODERS.iter().map(|decoder| (decoder.name, names(decode::gathered(decoder))));
        let artifacts = artifacts().iter().map(|artifact| (artifact.name, names((artifact.records)())));
        let journal = (Origin::Names.source(), names(Origin::Names.records()));
        decoders.chain(artifacts).chain([journal]).collect()
    })
}

/// Checks whether a source gives records of this type.
fn gives(source: &str, record: &str) -> bool {
    given().get(source).is_some_and(|types| types.contains(record))
}

/// Returns the types of the records that `records` can give, with that of counts.
pub(super) fn record_types() -> Vec<RecordType> {
    sink::with_counts(Sources::all().types())
}

/// Returns the case tables that a call reads; none if its arguments are wrong.
pub(crate) fn groups(arguments: &Value) -> Vec<TableGroup> {
    let text = |name: &str| arguments.get(name).and_then(Value::as_str);
    let sources = text("source").map_or_else(|| Some(Sources::all()), Sources::named);
    let level = text(sink::LEVEL).and_then(Level::of_name);
    let is_any = text("source").or(text("record")).is_some() || level.is_some();
    let sources = sources.filter(|_| is_any).and_then(|sources| sources.giving(text("record")).ok());
    let sources = sources.map(|sources| match level {
        Some(level) => sources.giving_any(&shipped().record_types(level)),
        None => sources,
    });
    sources.map(|sources| sources.groups().into_iter().collect()).unwrap_or_default()
}

/// Checks whether no record of a source has a time.
pub(crate) fn is_timeless(source: &str) -> bool {
    let has_time =
        |kind: &RecordType| kind.fields.values().any(|field| field.types.contains(&FieldType::Time));
    Sources::named(source).is_some_and(|sources| !sources.types().iter().any(has_time))
}

/// Returns the names of all sources, sorted.
pub(super) fn choices() -> Vec<String> {
    let subjects = SUBJECTS.iter().map(|subject| subject.name);
    let own = DECODERS.iter().map(|decoder| decoder.name).chain(artifacts().iter().map(|one| one.name));
    let all: BTreeSet<&str> = subjects.chain(own).chain([Origin::Names.source()]).collect();
    all.into_iter().map(str::to_owned).collect()
}

/// Returns the record types of each source.
pub(super) fn types_by_source() -> BTreeMap<String, BTreeSet<String>> {
    let names = |source: &str| {
        let names = Sources::named(source).map(|sources| sources.type_names()).unwrap_or_default();
        names.into_iter().map(str::to_owned).collect()
    };
    choices().into_iter().map(|source| (source.clone(), names(&source))).collect()
}

/// Says what each source has, for the description of the tool.
pub(super) fn about() -> String {
    let line = |(name, about): (&str, &str)| format!("{name}: {about}");
    let list = |names: Vec<String>| names.join("; ");
    let subjects = SUBJECTS.iter().map(|subject| line((subject.name, subject.about))).collect();
    let files = DECODERS.iter().map(|decoder| line((decoder.name, decoder.about)));
    let names = line((Origin::Names.source(), "what became of each name, by a change journal"));
    let files = files.chain([names]).collect();
    let hives = artifacts().iter().map(|artifact| line((artifact.name, artifact.about))).collect();
    format!(
        "Subjects that gather several sources: {}. Files: {}. Registry: {}.",
        list(subjects),
        list(files),
        list(hives)
    )
}

fn not_one_of(argument: &str, allowed: Vec<String>, found: &str) -> CallError {
    CallError::ArgumentChoice { argument: argument.to_owned(), allowed, found: found.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn subjects_are_sorted_and_name_sources_and_types_that_there_are() {
        assert!(SUBJECTS.is_sorted_by_key(|subject| subject.name));
        let types = Sources::all().types();
        for subject in &SUBJECTS {
            assert!(subject.decoders.iter().all(|name| decode::named(name).is_some()), "{}", subject.name);
            assert!(subject.artifacts.iter().all(|name| registry_artifact::named(name).is_some()));
            assert!(subject.only.iter().all(|name| types.iter().any(|kind| kind.name == **name)));
        }
    }

    #[test]
    fn no_two_sources_have_one_name() {
        let all = SUBJECTS.len() + DECODERS.len() + artifacts().len() + 1;
        assert_eq!(choices().len(), all);
    }
}
