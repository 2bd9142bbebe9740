//! The version of Windows, and the previous versions that upgrades have recorded.
//!
//! `InstallDate` is seconds since 1970, `InstallTime` a FILETIME; a feature update resets both
//! and keeps the previous version's values in `SYSTEM\Setup\Source OS (Updated on …)`.
//! `ProductName` still says "Windows 10" on Windows 11, whose builds begin with 22000 (Microsoft Learn, "Windows 11 release information").

use super::Artifact;
use super::draft::{Draft, TextField, record_type, text_of};
use super::reader::Reader;
use super::values::Values;
use crate::intake::Flow;
use artifacts::registry::{HiveType, Key};
use ledger::FieldType::{Flag, Integer, Name, Path, Text, Time};
use ledger::{FieldValue, RecordType};
use std::ops::ControlFlow;

const KIND: &str = "os_version";

/// The first build of Windows 11.
const WINDOWS_11: u32 = 22_000;

pub(crate) const ARTIFACT: Artifact = Artifact {
    name: "os_version",
    about: "version of Windows, its owner and when it was installed, with versions before upgrades",
    hives: &[HiveType::Software, HiveType::System],
    records,
    read,
};

const TEXTS: &[TextField] = &[
    ("product_name", "ProductName", FieldValue::Text),
    ("display_version", "DisplayVersion", FieldValue::Name),
    ("release_id", "ReleaseId", FieldValue::Name),
    ("version", "CurrentVersion", FieldValue::Name),
    ("build", "CurrentBuild", FieldValue::Name),
    ("build_number", "CurrentBuildNumber", FieldValue::Name),
    ("build_lab", "BuildLab", FieldValue::Text),
    ("build_lab_ex", "BuildLabEx", FieldValue::Text),
    ("edition", "EditionID", FieldValue::Name),
    ("service_pack", "CSDVersion", FieldValue::Text),
    ("owner", "RegisteredOwner", FieldValue::Text),
    ("organization", "RegisteredOrganization", FieldValue::Text),
    ("product_id", "ProductId", FieldValue::Name),
    ("system_root", "SystemRoot", FieldValue::Path),
];

fn records() -> Vec<RecordType> {
    vec![record_type(
        KIND,
        "one installation of Windows on this host: the present one, or one that an upgrade replaced",
        "key_path",
        &[
            ("previous", &[Flag], "true for a version that was replaced by an upgrade"),
            ("product_name", &[Text], "name of the product as stored; Windows 11 says Windows 10 here"),
            ("display_version", &[Name], "feature version, such as 21H2"),
            ("release_id", &[Name], "feature version of older releases, such as 1909"),
            ("version", &[Name], "version of the kernel; 6.3 for every later version, too"),
            ("build", &[Name], "build, from CurrentBuild"),
            ("build_number", &[Name], "build, from CurrentBuildNumber"),
            ("update_revision", &[Integer], "revision of the build, from UBR"),
            ("build_lab", &[Text], "build, branch and time of the build"),
            ("build_lab_ex", &[Text], "the same with revision and processor"),
            ("edition", &[Name], "edition, such as Professional"),
            ("service_pack", &[Text], "service pack"),
            ("owner", &[Text], "registered owner"),
            ("organization", &[Text], "registered organization"),
            ("product_id", &[Name], "product id"),
            ("system_root", &[Path], "folder of Windows on the running system"),
            ("install_date", &[Time], "when this version was installed; a feature update sets it anew"),
            ("install_time", &[Time], "the same more precisely, from InstallTime"),
        ],
    )]
}

fn read(reader: &mut Reader<'_, '_>) -> Flow {
    if reader.hive_type != HiveType::System
        && let Some((key, values)) = reader.key_and_values("Microsoft\\Windows NT\\CurrentVersion")
    {
        if is_windows_11(&values) {
            reader.note("the build is one of Windows 11 (22000 and later), whatever ProductName says");
        }
        version(reader, &key, &values, false)?;
    }
    if reader.hive_type != HiveType::Software
        && let Some(setup) = reader.key("Setup")
    {
        for key in reader.children(&setup) {
            if key.name.to_ascii_lowercase().starts_with("source os") {
                let values = reader.values(&key);
                version(reader, &key, &values, true)?;
            }
        }
    }
    ControlFlow::Continue(())
}

fn version(reader: &mut Reader<'_, '_>, key: &Key<'_>, values: &Values<'_>, previous: bool) -> Flow {
    let record = Draft::of_key(reader, KIND, key)
        .set("previous", FieldValue::Flag(previous), None)
        .texts(values, TEXTS)
        .number("update_revision", values.get("UBR"))
        .unix("install_date", values.get("InstallDate"))
        .filetime("install_time", values.get("InstallTime"))
        .done();
    reader.push(record)
}

fn is_windows_11(values: &Values<'_>) -> bool {
    let build = text_of(values.get("CurrentBuild")).and_then(|build| build.parse::<u32>().ok());
    let product = text_of(values.get("ProductName")).unwrap_or_default();
    build.is_some_and(|build| build >= WINDOWS_11) && product.contains("Windows 10")
}
