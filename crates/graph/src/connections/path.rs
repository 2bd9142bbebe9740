//! Paths in comparable form: the volume of a host, and the rest in lower case.
//!
//! The same file is `C:\Users\mara\a.exe` in a registry value, `p1/Users/mara/a.exe` in an image and
//! `\Device\HarddiskVolume3\Users\mara\a.exe` in a driver's list.

use ledger::Writers;
use ledger::pattern::{fits, fold};
use std::sync::LazyLock;

/// The volume of a path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Volume {
    /// The volume with the host's Windows.
    System,
    /// A drive by its letter.
    Letter(char),
    /// A volume of the evidence, by its name there.
    Evidence(String),
    /// A volume by the name that the system gave it, which does not reveal its drive letter.
    Device(String),
    /// A share of another computer.
    Server(String),
}

/// A path, split into volume and rest.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Path {
    pub(super) volume: Volume,
    /// The path below the root, in lower case, with backslashes.
    pub(super) rest: String,
}

/// What the root of a drive looks like in evidence.
static ROOTS: LazyLock<Vec<Vec<String>>> = LazyLock::new(|| {
    let roots = Writers::shipped().map(|writers| writers.root).unwrap_or_default();
    roots.iter().map(|root| root.split('/').map(str::to_owned).collect()).collect()
});

/// Parses a path as a record states it; `None` if it is not a full path.
pub(super) fn read(text: &str, folders: &[(String, String)]) -> Option<Path> {
    let text = text.trim().trim_matches('"');
    if text.contains('/') && !text.contains('\\') && !text.starts_with('/') {
        return Some(in_evidence(text));
    }
    let folded = fold(text);
    if let Some(rest) = in_folder(&folded, folders) {
        return path(Volume::System, &rest);
    }
    let bare = ["\\\\?\\", "\\??\\", "\\\\.\\"].iter().find_map(|it| folded.strip_prefix(it));
    windows(bare.unwrap_or(&folded), bare.is_some())
}

/// Parses a path within the evidence, starting with its volume.
pub(super) fn in_evidence(text: &str) -> Path {
    let components: Vec<&str> = text.split('/').filter(|component| !component.is_empty()).collect();
    let taken = ROOTS.iter().find_map(|root| {
        let fits = root.len() < components.len()
            && root.iter().zip(&components).all(|(pattern, component)| fits(pattern, component));
        fits.then_some(root.len())
    });
    let (root, rest) = components.split_at(taken.unwrap_or(0));
    let volume = match root.last().map(|last| last.trim_end_matches("%3A").trim_end_matches(':')) {
        Some(letter) if is_letter(letter) => letter.chars().next().map(|it| it.to_ascii_lowercase()),
        _ => None,
    };
    let volume = volume.map_or_else(|| Volume::Evidence(fold(&root.join("/"))), Volume::Letter);
    Path { volume, rest: fold(&rest.join("\\")) }
}

/// Returns the account folder that a path in the evidence is in.
pub(super) fn profile_of(path: &Path) -> Option<&str> {
    let mut components = path.rest.split('\\');
    let of_users = ["users", "documents and settings", "dokumente und einstellungen"];
    let is_of_users = components.next().is_some_and(|first| of_users.contains(&first));
    components.next().filter(|_| is_of_users && components.next().is_some())
}

/// Returns the program that a command line starts; `None` if its end cannot be determined.
pub(super) fn program_of(command: &str) -> Option<&str> {
    let command = command.trim();
    if let Some(quoted) = command.strip_prefix('"') {
        return quoted.split('"').next().filter(|it| !it.is_empty());
    }
    let lower = command.to_ascii_lowercase();
    let ends =
        [".exe", ".com", ".bat", ".cmd", ".sys", ".scr", ".dll", ".ps1", ".vbs", ".js", ".msi", ".lnk"];
    let end = ends.iter().filter_map(|end| ended(&lower, end)).min();
    match end {
        Some(end) => command.get(..end),
        None => command.split_whitespace().next(),
    }
}

/// Returns the end of the first name with this extension.
fn ended(text: &str, ending: &str) -> Option<usize> {
    text.match_indices(ending).map(|(at, _)| at + ending.len()).find(|end| {
        let next = text.get(*end..).and_then(|rest| rest.chars().next());
        next.is_none_or(|next| next.is_whitespace() || matches!(next, ',' | '"' | '\''))
    })
}

/// Returns the name of a file: the last component of its path.
pub(super) fn name_of(path: &str) -> &str {
    path.rsplit(['\\', '/']).next().unwrap_or(path)
}

fn windows(folded: &str, was_marked: bool) -> Option<Path> {
    let mut characters = folded.chars();
    if let (Some(letter), Some(':'), Some('\\')) = (characters.next(), characters.next(), characters.next())
        && letter.is_ascii_alphabetic()
    {
        return path(Volume::Letter(letter), characters.as_str());
    }
    if let Some(rest) =
        folded.strip_prefix("\\device\\").or_else(|| folded.strip_prefix("volume").filter(|_| was_marked))
    {
        let (volume, rest) = rest.split_once('\\')?;
        return path(Volume::Device(volume.to_owned()), rest);
    }
    if let Some(rest) = folded.strip_prefix("\\volume{") {
        let (volume, rest) = rest.split_once("}\\")?;
        return path(Volume::Device(format!("volume{{{volume}}}")), rest);
    }
    let rest = folded.strip_prefix("\\\\")?;
    let (server, rest) = rest.split_once('\\')?;
    let is_own = matches!(server, "" | "." | "?" | "localhost" | "127.0.0.1" | "tsclient");
    (!is_own).then(|| path(Volume::Server(server.to_owned()), rest))?
}

fn path(volume: Volume, rest: &str) -> Option<Path> {
    let rest = rest.trim_matches('\\');
    let is_named = !rest.is_empty() && !rest.contains(['*', '?', '<', '>', '|', '\n']);
    is_named.then(|| Path { volume, rest: single(rest) })
}

/// Collapses repeated backslashes into one, as Windows does.
fn single(rest: &str) -> String {
    match rest.contains("\\\\") {
        true => rest.split('\\').filter(|part| !part.is_empty()).collect::<Vec<_>>().join("\\"),
        false => rest.to_owned(),
    }
}

/// Expands a prefix such as `%windir%`.
fn in_folder(folded: &str, folders: &[(String, String)]) -> Option<String> {
    let (begin, rest) = folded.split_at(folded.char_indices().skip(1).find(|(_, c)| *c == '\\')?.0);
    let (_, folder) = folders.iter().find(|(from, _)| from == begin)?;
    let rest = rest.trim_start_matches('\\');
    Some(if folder.is_empty() { rest.to_owned() } else { format!("{folder}\\{rest}") })
}

fn is_letter(text: &str) -> bool {
    text.len() == 1 && text.chars().all(|c| c.is_ascii_alphabetic())
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test fails by panicking")]
mod tests {
    use super::*;

    fn folders() -> Vec<(String, String)> {
        super::super::rules::shipped(super::super::RULES).unwrap().folders.clone()
    }

    fn said(text: &str) -> String {
        match read(text, &folders()) {
            None => "no full path".to_owned(),
            Some(Path { volume, rest }) => format!("{volume:?} {rest}"),
        }
    }

    #[test]
    fn paths_are_read_in_the_forms_that_records_hold() {
        for (text, expected) in [
            (r"C:\Users\Mara\a.EXE", r"Letter('c') users\mara\a.exe"),
            (r"\??\C:\a.exe", r"Letter('c') a.exe"),
            (r"C:\x\\a.exe", r"Letter('c') x\a.exe"),
            (r"\\?\D:\a.exe", r"Letter('d') a.exe"),
            ("p1/Users/mara/a.exe", r#"Evidence("p1") users\mara\a.exe"#),
            ("uploads/auto/C%3A/Users/x/a.exe", r"Letter('c') users\x\a.exe"),
            ("Windows/a.exe", r#"Evidence("") windows\a.exe"#),
            (r"\Device\HarddiskVolume3\Windows\a.exe", r#"Device("harddiskvolume3") windows\a.exe"#),
            (r"\VOLUME{01d0}\USERS\A.EXE", r#"Device("volume{01d0}") users\a.exe"#),
            (r"%SystemRoot%\System32\a.exe", r"System windows\system32\a.exe"),
            (r"\SystemRoot\System32\a.sys", r"System windows\system32\a.sys"),
            (r"system32\drivers\a.sys", r"System windows\system32\drivers\a.sys"),
            (r"SYSVOL\tool.exe", r"System tool.exe"),
            (r"{1AC14E77-02E7-4E5D-B744-2EB1AE5198B7}\mmc.exe", r"System windows\system32\mmc.exe"),
            (r"\\fs01\ledgers\a.csv", r#"Server("fs01") ledgers\a.csv"#),
            (r"\\tsclient\C\a.csv", "no full path"),
            ("explorer.exe", "no full path"),
            ("Microsoft.Windows.Explorer", "no full path"),
            (r"C:\", "no full path"),
        ] {
            assert_eq!(said(text), expected, "{text}");
        }
    }

    #[test]
    fn the_program_of_a_command_line_ends_where_its_name_does() {
        for (command, expected) in [
            (r#""C:\Program Files\a b.exe" -x"#, Some(r"C:\Program Files\a b.exe")),
            (r"C:\Program Files\a b.exe -x", Some(r"C:\Program Files\a b.exe")),
            (r"C:\a.exe.d\b.exe -x", Some(r"C:\a.exe.d\b.exe")),
            (r"rundll32.exe C:\a.dll,Run", Some("rundll32.exe")),
            ("calc", Some("calc")),
            ("", None),
        ] {
            assert_eq!(program_of(command), expected, "{command}");
        }
    }

    #[test]
    fn a_file_of_a_profile_is_one_below_the_folder_of_an_account() {
        let of = |text: &str| profile_of(&in_evidence(text)).map(str::to_owned);
        assert_eq!(of("p1/Users/mara/NTUSER.DAT").as_deref(), Some("mara"));
        assert_eq!(of("Documents and Settings/x/NTUSER.DAT").as_deref(), Some("x"));
        assert_eq!(of("p1/Users/mara"), None);
        assert_eq!(of("p1/Windows/Users/a/b"), None);
    }
}
