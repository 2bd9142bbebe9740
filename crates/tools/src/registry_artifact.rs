//! Registry artifacts: each is decoded from every hive that can have it.
//!
//! An artifact is one file below this module: its record types, and a function that reads them from one hive.
//! To add one, write the file, its `mod` line and its line in [`ARTIFACTS`].

mod account_policy;
mod amcache;
mod app_compat_flags;
mod autostarts;
mod bam;
mod computer_name;
mod connected_volumes;
mod control_sets;
mod decoded;
mod defender_exclusions;
mod draft;
mod firewall_rules;
mod group_members;
mod installed_programs;
mod last_logged_on;
mod mount_points;
mod mounted_devices;
mod mru_list;
mod mui_cache;
mod names;
mod network_interfaces;
mod network_profiles;
mod office_recent;
mod open_save;
mod os_version;
mod reader;
mod recent_apps;
mod recent_documents;
mod security_settings;
mod services;
mod shares;
mod shell_bags;
mod shim_cache;
mod shutdown;
mod task_cache;
mod time_zone;
mod typed_entries;
mod usb_storage;
mod user_accounts;
mod user_assist;
mod user_profiles;
mod values;

use crate::catalogue::Call;
use crate::error::CallError;
use crate::hive_file;
use crate::hive_state::{self, Loaded, Logs};
use crate::hives::{HiveFile, HiveSearch};
use crate::intake::Flow;
use crate::intake::Intake;
use crate::place::{Place, Scope};
use crate::survey::Surveyed;
use crate::tables::TableGroup;
use crate::units::Origin;
use artifacts::registry::{HiveType, identify};
use evidence::EvidencePath;
use ledger::RecordType;
use reader::Reader;

/// A registry artifact.
pub(crate) struct Artifact {
    /// The name of its source.
    pub(crate) name: &'static str,
    /// What its records show, in a few words.
    pub(crate) about: &'static str,
    /// The types of hives that can have it.
    pub(crate) hives: &'static [HiveType],
    /// The types of its records.
    pub(crate) records: fn() -> Vec<RecordType>,
    /// Reads it from one hive of one of these types; ends early when no more records are wanted.
    pub(crate) read: fn(&mut Reader<'_, '_>) -> Flow,
}

/// Sorted by name.
const ARTIFACTS: &[Artifact] = &[
    account_policy::ARTIFACT,
    amcache::ARTIFACT,
    app_compat_flags::ARTIFACT,
    autostarts::ARTIFACT,
    bam::ARTIFACT,
    computer_name::ARTIFACT,
    connected_volumes::ARTIFACT,
    control_sets::ARTIFACT,
    defender_exclusions::ARTIFACT,
    firewall_rules::ARTIFACT,
    group_members::ARTIFACT,
    installed_programs::ARTIFACT,
    last_logged_on::ARTIFACT,
    mount_points::ARTIFACT,
    mounted_devices::ARTIFACT,
    mui_cache::ARTIFACT,
    network_interfaces::ARTIFACT,
    network_profiles::ARTIFACT,
    office_recent::ARTIFACT,
    open_save::ARTIFACT,
    os_version::ARTIFACT,
    recent_apps::ARTIFACT,
    recent_documents::ARTIFACT,
    security_settings::ARTIFACT,
    services::ARTIFACT,
    shares::ARTIFACT,
    shell_bags::ARTIFACT,
    shim_cache::ARTIFACT,
    shutdown::ARTIFACT,
    task_cache::ARTIFACT,
    time_zone::ARTIFACT,
    typed_entries::ARTIFACT,
    usb_storage::ARTIFACT,
    user_accounts::ARTIFACT,
    user_assist::ARTIFACT,
    user_profiles::ARTIFACT,
];

/// Reads the one hive that was asked for. A hive of unknown type is read, too: damage may have hidden its type.
pub(crate) fn one(
    call: &Call<'_>,
    artifact: &'static Artifact,
    place: &Place<'_>,
    logs: Logs,
    sink: &mut dyn Intake,
) -> Result<(), CallError> {
    let node = &place.node;
    let unit = Surveyed { origin: Origin::Artifact(artifact), path: node.path.as_str(), stream: None };
    if logs == Logs::Applied && call.tables.replay(place.tree.label(), &unit, sink)?.is_some() {
        return Ok(());
    }
    let Loaded { bytes, state } = hive_state::load(place.tree, node, logs)?;
    let hive = hive_file::open(node, &bytes)?;
    let found = identify(&hive);
    if found != HiveType::Other && !artifact.hives.contains(&found) {
        let (path, found) = (node.path.clone(), hive_file::type_name(found));
        return Err(CallError::WrongHive { path, found, wanted: type_names(artifact) });
    }
    let file = HiveFile { tree: place.tree, node, bytes: &bytes, hive, state: &state };
    read(artifact, &file, found, sink);
    Ok(())
}

/// Returns all artifacts.
pub(crate) fn artifacts() -> &'static [Artifact] {
    ARTIFACTS
}

/// Returns the artifact of this name.
pub(crate) fn named(name: &str) -> Option<&'static Artifact> {
    ARTIFACTS.iter().find(|artifact| artifact.name == name)
}

/// Reads the artifact from every hive of a wanted type in scope.
pub(crate) fn below(
    call: &Call<'_>,
    artifact: &'static Artifact,
    scope: &Scope<'_>,
    logs: Logs,
    out: &mut dyn Intake,
) -> Result<HiveSearch, CallError> {
    let mut search = HiveSearch::of(logs);
    let visit = |file: &HiveFile<'_>, search: &mut HiveSearch, out: &mut dyn Intake| {
        let found = identify(&file.hive);
        if artifact.hives.contains(&found) {
            read(artifact, file, found, out);
        } else if found == HiveType::Other {
            // A hive made unrecognisable by damage, or by logs that were not applied, may have been of a wanted type.
            let damage = hive_file::base_defects(&file.node.path, &file.hive);
            damage.into_iter().for_each(|defect| search.hidden(defect));
            file.state.gaps().into_iter().for_each(|gap| search.gap(gap));
        }
        Ok(())
    };
    for place in &scope.places {
        if logs == Logs::Applied && stored(call, artifact, place, &mut search, out)? {
            continue;
        }
        search.run(place.tree, &place.node, call.indexes, &mut |file, search| visit(file, search, out))?;
    }
    Ok(search)
}

/// Reads the artifact of all hives of a piece of evidence from its case tables; `false` if there are none.
fn stored(
    call: &Call<'_>,
    artifact: &'static Artifact,
    place: &Place<'_>,
    search: &mut HiveSearch,
    out: &mut dyn Intake,
) -> Result<bool, CallError> {
    let (origin, label) = (Origin::Artifact(artifact), place.tree.label());
    let Some(group) = TableGroup::of(origin).filter(|_| place.node.path == EvidencePath::root()) else {
        return Ok(false);
    };
    let Some(kept) = call.tables.kept(label, group)? else { return Ok(false) };
    for path in kept.paths(origin) {
        // The intake's page knows whether there is room for more.
        let _ = kept.replay(&Surveyed { origin, path, stream: None }, out)?;
    }
    // What prevented reading a hive is stored with the hives and their keys.
    kept.remarks(Origin::Hives, search);
    kept.remarks(Origin::Keys, search);
    Ok(true)
}

/// Reads the artifact from a hive that can have it.
pub(crate) fn read(artifact: &Artifact, file: &HiveFile<'_>, hive_type: HiveType, out: &mut dyn Intake) {
    let path = file.node.path.as_str();
    out.begin(format!("{path} of {} ({})", file.tree.label(), hive_file::type_name(hive_type)));
    for defect in hive_file::base_defects(&file.node.path, &file.hive).into_iter().chain(file.state.defects())
    {
        out.defect(defect);
    }
    for gap in file.state.gaps() {
        out.note(format!("{}: {}", gap.path, gap.reason));
        out.gap(gap);
    }
    // The intake's page knows whether the artifact was read to its end.
    let _: Flow = (artifact.read)(&mut Reader::new(file, hive_type, out));
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
