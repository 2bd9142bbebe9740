//! The type of a hive, recognised by its content and never by its file name.
//!
//! If damage hides the keys that would show it, the path under which Windows loaded the hive is used, which is
//! in the base block.

use super::Hive;

/// The hive types that are recognised.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum HiveType {
    /// `SYSTEM`
    System,
    /// `SOFTWARE`
    Software,
    /// `SAM`
    Sam,
    /// `SECURITY`
    Security,
    /// `NTUSER.DAT`, also of service accounts, and `DEFAULT`
    NtUser,
    /// `UsrClass.dat`
    UsrClass,
    /// `Amcache.hve`
    Amcache,
    /// `BCD`
    Bcd,
    /// `DRIVERS`
    Drivers,
    /// `COMPONENTS`
    Components,
    /// None of these.
    Other,
}

/// Recognises a hive by the first keys below its root; if these are inconclusive, perhaps because of damage, by
/// the path in its base block.
pub fn identify(hive: &Hive<'_>) -> HiveType {
    match by_content(hive) {
        HiveType::Other => by_path(&hive.header().file_name),
        told => told,
    }
}

/// Returns the type for the end of a path under which Windows loads hives.
fn by_path(path: &str) -> HiveType {
    let name = path.rsplit(['\\', '/']).next().unwrap_or_default().to_ascii_lowercase();
    match name.as_str() {
        "system" => HiveType::System,
        "software" => HiveType::Software,
        "sam" => HiveType::Sam,
        "security" => HiveType::Security,
        "ntuser.dat" | "default" => HiveType::NtUser,
        "usrclass.dat" => HiveType::UsrClass,
        "amcache.hve" => HiveType::Amcache,
        "bcd" => HiveType::Bcd,
        "drivers" => HiveType::Drivers,
        "components" => HiveType::Components,
        _ => HiveType::Other,
    }
}

fn by_content(hive: &Hive<'_>) -> HiveType {
    let Ok(root) = hive.root() else { return HiveType::Other };
    let (children, _) = hive.children(&root);
    let names: Vec<String> = children.into_iter().map(|key| key.name.to_ascii_lowercase()).collect();
    let has = |name: &str| names.iter().any(|found| found == name);
    let holds = |path: &str| matches!(hive.key(path), Ok(Some(_)));
    if has("select") && names.iter().any(|name| is_control_set(name)) {
        HiveType::System
    } else if has("sam") && holds("SAM\\Domains") {
        HiveType::Sam
    } else if has("policy") {
        HiveType::Security
    } else if has("root") && (holds("Root\\InventoryApplicationFile") || holds("Root\\File")) {
        HiveType::Amcache
    } else if has("software") && (has("environment") || has("control panel")) {
        HiveType::NtUser
    } else if has("microsoft") && (has("classes") || holds("Microsoft\\Windows NT\\CurrentVersion")) {
        HiveType::Software
    } else if has("local settings") {
        HiveType::UsrClass
    } else if has("objects") && has("description") {
        HiveType::Bcd
    } else if has("driverdatabase") {
        HiveType::Drivers
    } else if has("deriveddata") || has("canonicaldata") {
        HiveType::Components
    } else {
        HiveType::Other
    }
}

/// Checks for `ControlSet` and three digits.
fn is_control_set(name: &str) -> bool {
    name.strip_prefix("controlset")
        .is_some_and(|digits| digits.len() == 3 && digits.bytes().all(|digit| digit.is_ascii_digit()))
}
