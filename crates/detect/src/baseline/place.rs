//! Where a program is, however its path is written.
//!
//! Environment variables and prefixes: Microsoft Learn, "Recognized environment variables", "Naming Files, Paths, and Namespaces".
//! A driver's path without a drive is below the Windows folder ("CreateServiceW").

/// A folder below which programs are expected.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Root {
    Windows,
    Programs,
    ProgramData,
    LocalData,
    RoamingData,
    /// Any other: the parts are the whole path.
    Other,
}

/// A path, separated into its root and the rest.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Place {
    pub(super) root: Root,
    /// The rest of the path, in lower case.
    pub(super) parts: Vec<String>,
    /// Whether it is written as Windows and installers write paths, on their drive.
    pub(super) is_plain: bool,
}

/// The path beginnings that lead to a root; `<user>` means one folder.
const BEGINNINGS: [(&[&str], Root); 24] = [
    (&["%systemroot%"], Root::Windows),
    (&["%windir%"], Root::Windows),
    (&["", "systemroot"], Root::Windows),
    (&["c:", "windows"], Root::Windows),
    (&["%systemdrive%", "windows"], Root::Windows),
    (&["%programfiles%"], Root::Programs),
    (&["%programfiles(x86)%"], Root::Programs),
    (&["%programw6432%"], Root::Programs),
    (&["c:", "program files"], Root::Programs),
    (&["c:", "program files (x86)"], Root::Programs),
    (&["%systemdrive%", "program files"], Root::Programs),
    (&["%systemdrive%", "program files (x86)"], Root::Programs),
    (&["%programdata%"], Root::ProgramData),
    (&["%allusersprofile%"], Root::ProgramData),
    (&["c:", "programdata"], Root::ProgramData),
    (&["%localappdata%"], Root::LocalData),
    (&["%userprofile%", "appdata", "local"], Root::LocalData),
    (&["c:", "users", "<user>", "appdata", "local"], Root::LocalData),
    (&["c:", "documents and settings", "<user>", "local settings", "application data"], Root::LocalData),
    (&["%userprofile%", "local settings", "application data"], Root::LocalData),
    (&["%appdata%"], Root::RoamingData),
    (&["%userprofile%", "appdata", "roaming"], Root::RoamingData),
    (&["c:", "users", "<user>", "appdata", "roaming"], Root::RoamingData),
    (&["c:", "documents and settings", "<user>", "application data"], Root::RoamingData),
];

/// Reads a path. If `from_windows`, a path without a drive is below the Windows folder, as for drivers.
pub(super) fn read(path: &str, from_windows: bool) -> Place {
    let lower = path.to_ascii_lowercase();
    // The kernel's form of a DOS path.
    let lower = lower.strip_prefix("\\??\\").unwrap_or(&lower);
    let written: Vec<&str> = lower.split('\\').collect();
    let (all, mut is_plain) = tidied(&written);
    let (all, is_usual) = on_drive_c(all);
    is_plain &= is_usual;
    let begins = |beginning: &[&str]| {
        beginning.len() < all.len()
            && beginning.iter().zip(&all).all(|(asked, part)| *asked == "<user>" || asked == part)
    };
    let found = BEGINNINGS.iter().find(|(beginning, _)| begins(beginning));
    let (root, skipped) = match found {
        Some((beginning, root)) => (*root, beginning.len()),
        None if all.first().is_some_and(|first| matches!(first.as_str(), "system32" | "syswow64")) => {
            is_plain &= from_windows;
            (Root::Windows, 0)
        }
        None => (Root::Other, 0),
    };
    Place { root, parts: all.into_iter().skip(skipped).collect(), is_plain }
}

/// Returns the parts of a path as Windows interprets them, and whether they were written this way.
fn tidied(written: &[&str]) -> (Vec<String>, bool) {
    let mut parts: Vec<String> = Vec::new();
    let mut is_plain = true;
    for (number, part) in written.iter().flat_map(|part| part.split('/')).enumerate() {
        let trimmed = part.trim_end_matches([' ', '.']).trim_start();
        is_plain &= trimmed == part && is_plain_part(part) && (number == 0 || !part.is_empty());
        match part.trim() {
            ".." => {
                parts.pop();
            }
            "" if number > 0 => {}
            "." => {}
            _ => parts.push(trimmed.to_owned()),
        }
    }
    (parts, is_plain && !written.iter().any(|part| part.contains('/')))
}

/// Checks whether a part is written out: no short name (8.3), no stream, no character that names cannot contain.
fn is_plain_part(part: &str) -> bool {
    let is_short = part.split('~').nth(1).is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()));
    let is_drive = part.len() == 2 && part.ends_with(':');
    !is_short
        && (is_drive || !part.contains([':', '*', '?', '"', '<', '>', '|']))
        && !part.contains(char::is_control)
}

/// Replaces the drive of the path by the drive of Windows, and returns whether it was that drive.
fn on_drive_c(mut all: Vec<String>) -> (Vec<String>, bool) {
    let is_volume = |part: &String| part.starts_with("harddiskvolume");
    if all.first().is_some_and(String::is_empty)
        && all.get(1).is_some_and(|it| it == "device")
        && all.get(2).is_some_and(is_volume)
    {
        all.splice(..3, ["c:".to_owned()]);
        return (all, false);
    }
    let is_other = |drive: &String| drive.len() == 2 && drive.ends_with(':') && drive != "c:";
    match all.first_mut() {
        Some(drive) if is_other(drive) => {
            *drive = "c:".to_owned();
            (all, false)
        }
        _ => (all, true),
    }
}

impl Place {
    /// Returns the name of the file.
    pub(super) fn file(&self) -> &str {
        self.parts.last().map_or("", String::as_str)
    }

    /// Checks whether it has a short name (8.3), whose long name is unknown.
    pub(super) fn is_short(&self) -> bool {
        self.parts.iter().any(|part| part.contains('~'))
    }

    /// Checks whether it is where only an administrator can write.
    pub(super) const fn is_guarded(&self) -> bool {
        matches!(self.root, Root::Windows | Root::Programs)
    }
}
