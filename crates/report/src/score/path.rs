//! Paths of files and registry keys, compared by whole components from the end.

use unicode_normalization::UnicodeNormalization;

/// A path split into components, in lower case.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Components {
    /// The drive letter or the root of the registry.
    root: Option<String>,
    /// Whether the text is only a name.
    bare: bool,
    parts: Vec<String>,
}

/// Returns `text` in NFC and lower case; nothing is folded that could make two names equal.
pub(crate) fn lower(text: &str) -> String {
    match text.is_ascii() {
        true => text.to_ascii_lowercase(),
        false => text.nfc().flat_map(char::to_lowercase).collect(),
    }
}

/// Parses the path of a file. Drive letters with and without colon, both slashes, and the NT prefixes of a volume are equivalent.
pub(crate) fn file(text: &str) -> Components {
    let folded = lower(text).replace('/', "\\");
    let plain = ["\\??\\", "\\\\?\\", "\\\\.\\"].iter().find_map(|prefix| folded.strip_prefix(prefix));
    let plain = plain.unwrap_or(&folded);
    let mut parts: Vec<String> =
        plain.split('\\').filter(|part| !part.is_empty()).map(str::to_owned).collect();
    let bare = parts.len() == 1 && !plain.starts_with('\\') && !is_drive(plain);
    if is_volume(&parts) {
        let length = if parts.first().is_some_and(|part| part == "device") { 2 } else { 1 };
        parts.drain(..length);
        return Components { root: None, bare: false, parts };
    }
    let letter = parts.first().filter(|first| is_drive(first) || is_letter(first) && parts.len() > 1);
    let root = letter.map(|letter| letter.trim_end_matches(':').to_owned());
    parts.drain(..usize::from(root.is_some()));
    Components { root, bare, parts }
}

fn is_letter(part: &str) -> bool {
    part.len() == 1 && part.bytes().all(|b| b.is_ascii_alphabetic())
}

fn is_drive(part: &str) -> bool {
    part.strip_suffix(':').is_some_and(is_letter)
}

/// Checks for a volume without a letter: `\Device\HarddiskVolume2\…`, `\Volume{…}\…`, or `p2/…` of an image.
fn is_volume(parts: &[String]) -> bool {
    let numbered = |part: &str| {
        part.strip_prefix('p')
            .is_some_and(|number| !number.is_empty() && number.bytes().all(|b| b.is_ascii_digit()))
    };
    match parts {
        [device, volume, ..] if device == "device" => volume.starts_with("harddiskvolume"),
        [volume, _, ..] if numbered(volume) => true,
        [volume, ..] => volume.starts_with("volume{"),
        [] => false,
    }
}

/// The short and the long name of each registry root.
const ROOTS: [(&str, &str); 5] = [
    ("hklm", "hkey_local_machine"),
    ("hkcu", "hkey_current_user"),
    ("hku", "hkey_users"),
    ("hkcr", "hkey_classes_root"),
    ("hkcc", "hkey_current_config"),
];

/// Parses the path of a registry key or value as in the evidence, where a slash is part of a name.
pub(crate) fn key(text: &str) -> Components {
    let folded = lower(text);
    let mut parts: Vec<String> =
        folded.split('\\').filter(|part| !part.is_empty()).map(str::to_owned).collect();
    let bare = parts.len() == 1 && !folded.starts_with('\\');
    let first = parts.first().cloned().unwrap_or_default();
    let root = ROOTS.iter().find(|(short, long)| *short == first || *long == first);
    let root = root.map(|(short, _)| (*short).to_owned());
    parts.drain(..usize::from(root.is_some()));
    Components { root, bare, parts }
}

/// Parses the path of a registry key as people write it: slashes are separators if there is no backslash.
pub(crate) fn written_key(text: &str) -> Components {
    match text.contains('\\') {
        true => key(text),
        false => key(&text.replace('/', "\\")),
    }
}

impl Components {
    /// Returns the last component.
    pub(crate) fn last(&self) -> Option<&str> {
        self.parts.last().map(String::as_str)
    }

    /// Checks whether the truth's path `self` is the evidence's path `held`: the shorter must be the end of the longer,
    /// with a name and at least one parent.
    ///
    /// A bare name in the truth matches the last component.
    /// Two absolute paths are equal only as a whole.
    pub(crate) fn is(&self, held: &Components) -> bool {
        if self.bare {
            return self.parts.last().is_some() && self.parts.last() == held.parts.last();
        }
        let rooted = self.root.is_some() && held.root.is_some();
        if rooted && self.root != held.root {
            return false;
        }
        let (own, other) = (self.parts.len(), held.parts.len());
        let common = self.parts.iter().rev().zip(held.parts.iter().rev()).take_while(|(a, b)| a == b).count();
        common == own.min(other) && (own == other || (common >= 2 && !rooted))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_one_by_whole_components_from_the_end() {
        for (truth, held, expected) in [
            (r"C:\Windows\System32\net.exe", "C/Windows/System32/net.exe", true),
            (r"\Windows\System32\net.exe", "C/Windows/System32/net.exe", true),
            (r"\??\C:\Windows\TopLZAGU.exe", "c:/windows/toplzagu.exe", true),
            (r"\Device\HarddiskVolume2\Windows\a.exe", r"C:\Windows\a.exe", true),
            (r"C:\Windows\a.exe", "Windows/a.exe", true),
            (r"C:\Windows\a.exe", "Partition1/Windows/a.exe", true),
            ("a.exe", "C/Windows/a.exe", true),
            (r"\res1.dat", "res1.dat", true),
            (r"\res1.dat", "C/res1.dat", true),
            (r"\res1.dat", "p0/res1.dat", true),
            (r"\res1.dat", "p1/dir1/res1.dat", false),
            // A different place.
            (r"D:\Windows\a.exe", "C/Windows/a.exe", false),
            (r"C:\Windows\a.exe", "C/Old/Windows/a.exe", false),
            (r"C:\Windows\a.exe", "a.exe", false),
            (r"\res1.dat", "dir1/res1.dat", false),
            (r"C:\pagefile.sys", "Windows/pagefile.sys", false),
            // Part of a component.
            ("a.exe", "C/Windows/aa.exe", false),
            (r"\ndows\a.exe", "C/Windows/a.exe", false),
            ("", "C/a", false),
        ] {
            assert_eq!(file(truth).is(&file(held)), expected, "{truth} {held}");
        }
    }

    #[test]
    fn keys_are_one_by_whole_components_from_the_end() {
        for (truth, held, expected) in [
            (r"HKLM\SOFTWARE\Microsoft\Run", r"Microsoft\Run", true),
            (r"hkey_local_machine\Software\Run", r"HKLM\SOFTWARE\Run", true),
            ("HKCU/Software/Run", r"Software\Run", true),
            ("svchost", r"CurrentVersion\Run\svchost", true),
            (r"HKCU\Software\Run", r"HKLM\Software\Run", false),
            (r"Software\Run", "Run", false),
            (r"Select\Current", r"Select\CurrentVersion", false),
            (r"a\b", "a/b", false),
        ] {
            assert_eq!(written_key(truth).is(&key(held)), expected, "{truth} {held}");
        }
    }
}
