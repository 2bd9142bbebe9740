//! `registry_artifact`: one named artifact, decoded from every hive that can hold it.
//!
//! An artifact is one file below this module: its record types, and a function that reads them out of one hive.
//! A new one is that file, its `mod` line and its line in [`ARTIFACTS`].

mod autostarts;
mod bam;
mod computer_name;
mod control_sets;
mod decoded;
mod draft;
mod group_members;
mod installed_programs;
mod last_logged_on;
mod mount_points;
mod mounted_devices;
mod mru_list;
mod network_interfaces;
mod network_profiles;
mod office_recent;
mod open_save;
mod os_version;
mod reader;
mod recent_documents;
mod services;
mod shares;
mod shutdown;
mod sink;
mod time_zone;
mod typed_entries;
mod usb_storage;
mod user_accounts;
mod user_assist;
mod user_profiles;
mod values;

use crate::catalogue::Call;
use crate::error::CallError;
use crate::hives::{HiveFile, HiveSearch, MAX_HIVES};
use crate::returned::Return;
use crate::{hive_file, place, remains, spec};
use artifacts::registry::{HiveType, identify};
use evidence::{EvidencePath, ReadError};
use ledger::{RecordType, ToolSpec};
use reader::{Flow, Reader};
use serde_json::json;
use sink::Sink;

/// One artifact of the registry.
pub(crate) struct Artifact {
    /// Its name in the argument `artifact`.
    pub(crate) name: &'static str,
    /// What its records tell, in a few words.
    pub(crate) about: &'static str,
    /// The types of hives that can hold it.
    pub(crate) hives: &'static [HiveType],
    /// The types of its records.
    pub(crate) records: fn() -> Vec<RecordType>,
    /// Reads it out of one hive of one of these types; ends early where no more records are wanted.
    pub(crate) read: fn(&mut Reader<'_, '_>) -> Flow,
}

/// Sorted by name.
const ARTIFACTS: &[Artifact] = &[
    autostarts::ARTIFACT,
    bam::ARTIFACT,
    computer_name::ARTIFACT,
    control_sets::ARTIFACT,
    group_members::ARTIFACT,
    installed_programs::ARTIFACT,
    last_logged_on::ARTIFACT,
    mount_points::ARTIFACT,
    mounted_devices::ARTIFACT,
    network_interfaces::ARTIFACT,
    network_profiles::ARTIFACT,
    office_recent::ARTIFACT,
    open_save::ARTIFACT,
    os_version::ARTIFACT,
    recent_documents::ARTIFACT,
    services::ARTIFACT,
    shares::ARTIFACT,
    shutdown::ARTIFACT,
    time_zone::ARTIFACT,
    typed_entries::ARTIFACT,
    usb_storage::ARTIFACT,
    user_accounts::ARTIFACT,
    user_assist::ARTIFACT,
    user_profiles::ARTIFACT,
];

pub(crate) fn spec() -> ToolSpec {
    let names: Vec<_> = ARTIFACTS.iter().map(|artifact| artifact.name).collect();
    let about: Vec<_> =
        ARTIFACTS.iter().map(|artifact| format!("{}: {}", artifact.name, artifact.about)).collect();
    let records = ARTIFACTS.iter().flat_map(|artifact| (artifact.records)()).collect();
    spec::tool(
        "registry_artifact",
        "Decodes one artifact of the Windows registry from every hive of the evidence that can hold it; hives are found by content, and each record names its hive. \
         Transaction logs are not applied. An empty and complete answer means that these hives do not have the artifact.",
        vec![
            ("artifact", spec::choice(&format!("what to decode. {}", about.join("; ")), &names)),
            (
                "hive",
                spec::text("path of the only hive to read; all that can hold the artifact when left out"),
            ),
            ("evidence", spec::text("label of the evidence to search; all when left out")),
            (
                "name",
                spec::text(
                    "pattern of the subject of the records, such as the name of a service: * for any characters, ? for one, letter case aside; all records when left out",
                ),
            ),
            ("limit", spec::number("most records to return", 1000, 1, 10_000)),
            ("offset", spec::offset()),
        ],
        &["artifact"],
        records,
    )
}

pub(crate) fn run(call: &Call<'_>) -> Result<Return, CallError> {
    let arguments = call.arguments;
    let name = arguments.text("artifact")?;
    let artifact = ARTIFACTS.iter().find(|artifact| artifact.name == name);
    let artifact = artifact.ok_or(CallError::Schema { tool: "registry_artifact".to_owned() })?;
    let mut sink = Sink::new(arguments, (artifact.records)())?;
    let mut normalised = Vec::new();
    let search = match arguments.optional_text("hive") {
        Some(path) => {
            let place = remains::whole(place::find(call.trees, arguments.optional_text("evidence"), path)?)?;
            normalised.push(("hive", json!(place.node.path.as_str())));
            normalised.push(("evidence", json!(place.tree.label())));
            one(artifact, &place, &mut sink)?;
            HiveSearch::default()
        }
        None => every(artifact, call, &mut sink)?,
    };
    let mut returned = Return::found(Vec::new(), arguments.normalised(&normalised));
    if !sink.looked_at_any() {
        returned = Return::failed(&CallError::NoHive { wanted: type_names(artifact) });
    }
    (returned.defects, returned.gaps) = (search.defects, search.gaps);
    returned.incomplete_for_gaps();
    if search.more {
        returned.truncate(format!("stopped after {MAX_HIVES} hives: name one with \"hive\""));
    }
    sink.fill(&mut returned);
    Ok(returned)
}

/// Reads the one hive that was asked for; one of no known type may be what damage has left, and is read, too.
fn one(artifact: &Artifact, place: &place::Place<'_>, sink: &mut Sink) -> Result<(), CallError> {
    let node = &place.node;
    let bytes = hive_file::bytes(place.tree, node)?;
    let hive = hive_file::open(node, &bytes)?;
    let found = identify(&hive);
    if found != HiveType::Other && !artifact.hives.contains(&found) {
        let (path, found) = (node.path.clone(), hive_file::type_name(found));
        return Err(CallError::WrongHive { path, found, wanted: type_names(artifact) });
    }
    Ok(read(artifact, &HiveFile { tree: place.tree, node, bytes: &bytes, hive }, found, sink)?)
}

/// Reads every hive of a wanted type.
fn every(artifact: &Artifact, call: &Call<'_>, sink: &mut Sink) -> Result<HiveSearch, CallError> {
    let mut search = HiveSearch::default();
    let mut visit = |file: &HiveFile<'_>, _: &mut HiveSearch| {
        let found = identify(&file.hive);
        if artifact.hives.contains(&found) { read(artifact, file, found, sink) } else { Ok(()) }
    };
    for tree in place::scope(call.trees, call.arguments.optional_text("evidence"))? {
        let path = EvidencePath::root();
        let root = tree.node(&path)?.ok_or(ReadError::Absent { path })?;
        search.run(tree, &root, &mut visit)?;
    }
    Ok(search)
}

fn read(
    artifact: &Artifact,
    file: &HiveFile<'_>,
    hive_type: HiveType,
    sink: &mut Sink,
) -> Result<(), ReadError> {
    let dirty = hive_file::dirty(file.tree, file.node, &file.hive)?;
    sink.begin(file, hive_type, dirty);
    // Whether the artifact was read to its end is in the sink's page.
    let _: Flow = (artifact.read)(&mut Reader::new(file, hive_type, sink));
    Ok(())
}

fn type_names(artifact: &Artifact) -> Vec<&'static str> {
    artifact.hives.iter().map(|hive| hive_file::type_name(*hive)).collect()
}

#[cfg(test)]
mod tests {
    use super::ARTIFACTS;

    #[test]
    fn artifacts_are_sorted_and_have_hives_and_records() {
        assert!(ARTIFACTS.iter().map(|artifact| artifact.name).is_sorted());
        for artifact in ARTIFACTS {
            assert!(!artifact.hives.is_empty() && !(artifact.records)().is_empty(), "{}", artifact.name);
        }
    }
}
