//! The spellings that records use for a path which people write in one way.
//! They differ in the slashes, in a drive written as a device or as a folder of the evidence, and in a key written from the root of its hive.

use crate::hive_choice::by_prefix;
use crate::key_lookup::live;

/// The name under which a live registry shows the current control set.
const CURRENT: &str = "CurrentControlSet";

/// Returns the pattern as it is written, and other spellings that mean the same in some record.
///
/// Not every record's way of writing a drive is known: after a drive letter, anything may precede the path.
pub(crate) fn path_spellings(pattern: &str) -> Vec<String> {
    let mut all = vec![pattern.to_owned()];
    if !pattern.contains(['/', '\\']) {
        // Names of tasks begin with a backslash, the root of their folders.
        all.push(format!("\\{pattern}"));
        return all;
    }
    if let Some(below) = below_drive(pattern) {
        all.push(format!("*\\{below}"));
    }
    all.extend(key_spellings(pattern, "???"));
    let slashes = |from: char, to: &str| -> Vec<String> {
        all.iter().filter(|one| one.contains(from)).map(|one| one.replace(from, to)).collect()
    };
    let more = [slashes('\\', "/"), slashes('/', "\\")].concat();
    all.extend(more);
    all
}

/// Converts a key of a live registry to a path from the root of its hive; `set` replaces the number of the control set.
pub(crate) fn key_spellings(text: &str, set: &str) -> Option<String> {
    let plain = live(text).replace('/', "\\");
    let key = match by_prefix(&plain) {
        Some((_, rest)) => rest,
        None => plain,
    };
    let start = key.get(..CURRENT.len()).filter(|start| start.eq_ignore_ascii_case(CURRENT));
    let key = match start.and(key.get(CURRENT.len()..)) {
        Some(rest) if rest.is_empty() || rest.starts_with('\\') => format!("ControlSet{set}{rest}"),
        Some(_) | None => key,
    };
    (key != text && !key.is_empty()).then_some(key)
}

/// Returns what follows the drive letter.
fn below_drive(pattern: &str) -> Option<&str> {
    let (drive, below) = pattern.split_once(':')?;
    let is_drive =
        drive.len() == 1 && drive.chars().all(|letter| letter.is_ascii_alphabetic() || "?*".contains(letter));
    below.strip_prefix(['/', '\\']).filter(|below| is_drive && !below.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;
    use ledger::pattern::fits;

    #[test]
    fn a_path_means_what_records_write_for_it() {
        for (pattern, subject, expected) in [
            ("C:\\Users\\mara\\*", "p1/Users/mara/NTUSER.DAT", true),
            ("C:/Users/mara/*", "C:\\Users\\mara\\a.txt", true),
            ("c:\\Windows\\x.exe", "\\Device\\HarddiskVolume3\\Windows\\x.exe", true),
            ("*\\mara\\*", "p1/Users/mara/a", true),
            ("C:\\Users\\mara", "C:\\Users\\maraX", false),
            ("HKLM\\SOFTWARE\\Microsoft\\Run\\*", "Microsoft\\Run\\Updater", true),
            ("HKLM\\SYSTEM\\CurrentControlSet\\Services\\a", "ControlSet001\\Services\\a", true),
            ("CurrentControlSet\\Services\\a", "ControlSet002\\Services\\a", true),
            ("name", "C:\\name", false),
            ("Updater", "\\Updater", true),
            ("Updater", "\\Microsoft\\Updater", false),
        ] {
            let is_met = path_spellings(pattern).iter().any(|one| fits(one, subject));
            assert_eq!(is_met, expected, "{pattern} {subject}");
        }
    }
}
