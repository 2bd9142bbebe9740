//! Minimal hives for the trials.

use testkit::hive::{HiveSpec, KeySpec, ValueSpec as Value};

/// 2025-09-16T09:47:31Z.
pub(super) const TIME: u64 = 134_024_896_510_000_000;

/// The same time in seconds since 1970.
pub(super) const UNIX_TIME: u32 = 1_758_016_051;

/// A key without a name yet, for [`KeySpec::path`].
pub(super) fn key() -> KeySpec {
    KeySpec::new("").written(TIME)
}

fn built(root: KeySpec) -> Vec<u8> {
    HiveSpec::new(root.written(TIME)).build().bytes
}

fn control_sets() -> KeySpec {
    KeySpec::new("ROOT").path("Select", key().value(Value::dword("Current", 1)))
}

/// A SYSTEM hive with one control set.
pub(super) fn system(set: KeySpec) -> Vec<u8> {
    built(control_sets().path("ControlSet001", set))
}

/// A SYSTEM hive with a current control set and another one.
pub(super) fn system_of_two(current: KeySpec, other: KeySpec) -> Vec<u8> {
    built(control_sets().path("ControlSet001", current).path("ControlSet002", other))
}

/// A SYSTEM hive with an empty control set, and a key outside of it.
pub(super) fn system_beside(path: &str, beside: KeySpec) -> Vec<u8> {
    built(control_sets().path("ControlSet001", key()).path(path, beside))
}

/// A SOFTWARE hive with these keys.
pub(super) fn software<const N: usize>(keys: [(&str, KeySpec); N]) -> Vec<u8> {
    built(with(KeySpec::new("ROOT").path("Classes", key()).path("Microsoft", key()), keys))
}

/// An Amcache hive with these parts of the program inventory.
pub(super) fn amcache<const N: usize>(parts: [(&str, KeySpec); N]) -> Vec<u8> {
    built(KeySpec::new("ROOT").path("Root", with(key(), parts)))
}

/// A user's hive with these keys.
pub(super) fn ntuser<const N: usize>(keys: [(&str, KeySpec); N]) -> Vec<u8> {
    built(with(KeySpec::new("ROOT").path("Environment", key()).path("Software", key()), keys))
}

fn with<const N: usize>(root: KeySpec, keys: [(&str, KeySpec); N]) -> KeySpec {
    keys.into_iter().fold(root, |root, (path, key)| root.path(path, key))
}

/// A SAM hive with a group and no accounts.
pub(super) fn sam_of_nobody() -> Vec<u8> {
    let group = [0x220_u32.to_le_bytes().to_vec(), vec![0; 48]].concat();
    let root = KeySpec::new("ROOT")
        .path("SAM\\Domains\\Account\\Users\\Names", key())
        .path("SAM\\Domains\\Builtin\\Aliases\\00000220", key().value(Value::binary("C", &group)))
        .path(
            "SAM\\Domains\\Builtin\\Aliases\\Names\\Administrators",
            key().value(Value::raw("", 0x220, &[])),
        );
    built(root)
}

/// A SAM hive with one account, with the times of its last logon and last failed logon (0: never).
pub(super) fn sam(last_logon: u64, last_failure: u64) -> Vec<u8> {
    const RID: u32 = 1001;
    let mut fixed = vec![0; 80];
    fixed[8..16].copy_from_slice(&last_logon.to_le_bytes());
    fixed[40..48].copy_from_slice(&last_failure.to_le_bytes());
    fixed[48..52].copy_from_slice(&RID.to_le_bytes());
    // The logon count is nonzero even if the time of the last logon is unknown.
    fixed[66] = 7;
    let account = key().value(Value::binary("F", &fixed)).value(Value::binary("V", &[0; 0xCC]));
    let root = KeySpec::new("ROOT")
        .path(&format!("SAM\\Domains\\Account\\Users\\{RID:08X}"), account)
        .path("SAM\\Domains\\Account\\Users\\Names\\mara", key().value(Value::raw("", RID, &[])));
    built(root)
}

/// UTF-16LE with a terminating NUL.
pub(super) fn utf16z(text: &str) -> Vec<u8> {
    text.encode_utf16().chain([0]).flat_map(u16::to_le_bytes).collect()
}

/// An `MRUListEx` value for this many entries, the last one first.
pub(super) fn recency(entries: u32) -> Value {
    let order = (0..entries).rev().chain([u32::MAX]);
    Value::binary("MRUListEx", &order.flat_map(u32::to_le_bytes).collect::<Vec<_>>())
}
