//! Profiles that belong to no person: the template for new ones, and those of system accounts.
//! Nobody logs on with them, so nothing in them starts at a logon.

/// The folders of such profiles in lower case, the innermost last; `*` is any folder.
const PROFILES: [&[&str]; 6] = [
    &["users", "default"],
    &["*", "default user"],
    &["serviceprofiles", "*"],
    &["*", "localservice"],
    &["*", "networkservice"],
    &["config", "systemprofile"],
];

/// Checks whether a profile folder belongs to no person.
pub(crate) fn is_profile(folder: &str) -> bool {
    let lower = folder.to_lowercase();
    let own: Vec<&str> = lower.rsplit('/').collect();
    let fits = |profile: &&[&str]| {
        let mut pairs = profile.iter().rev().zip(&own);
        own.len() >= profile.len() && pairs.all(|(wanted, own)| *wanted == "*" || wanted == own)
    };
    PROFILES.iter().any(fits)
}

/// Checks whether a hive belongs to no person: it is in such a profile, or it is `config\DEFAULT`, the system's own.
pub(crate) fn is_hive(path: &str) -> bool {
    let Some((folder, name)) = path.rsplit_once('/') else { return false };
    let is_of_system = name.eq_ignore_ascii_case("DEFAULT") && folder.to_lowercase().ends_with("config");
    is_of_system || is_profile(folder)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hives_of_no_person_are_told_by_their_folders() {
        for path in [
            "C/Users/Default/NTUSER.DAT",
            "Documents and Settings/Default User/NTUSER.DAT",
            "Documents and Settings/LocalService/NTUSER.DAT",
            "p1/Windows/ServiceProfiles/NetworkService/NTUSER.DAT",
            "p1/Windows/System32/config/systemprofile/NTUSER.DAT",
            "p1/Windows/System32/config/DEFAULT",
        ] {
            assert!(is_hive(path), "{path}");
        }
        for path in
            ["C/Users/default.ann/NTUSER.DAT", "Users/Ann/NTUSER.DAT", "NTUSER.DAT", "Users/a/DEFAULT"]
        {
            assert!(!is_hive(path), "{path}");
        }
    }
}
