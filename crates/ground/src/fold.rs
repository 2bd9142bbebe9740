//! Equivalences of names, paths and registry keys.
//!
//! Both sides are converted to Unicode NFC and lower case, character by character.
//! NFKC is never used: a fullwidth or Cyrillic letter is another letter, and a name written with it is another name.

use unicode_normalization::{IsNormalized, UnicodeNormalization, is_nfc_quick};

/// The short and long name of each registry root.
const HIVES: [(&str, &str); 5] = [
    ("HKLM", "HKEY_LOCAL_MACHINE"),
    ("HKCU", "HKEY_CURRENT_USER"),
    ("HKU", "HKEY_USERS"),
    ("HKCR", "HKEY_CLASSES_ROOT"),
    ("HKCC", "HKEY_CURRENT_CONFIG"),
];

/// Folds `text` as a name: letter case.
pub(crate) fn name(text: &str) -> String {
    lower(text).collect()
}

/// Checks whether `field` folds to the name `folded`.
pub(crate) fn is_name(folded: &str, field: &str) -> bool {
    if field.is_ascii() { folded.eq_ignore_ascii_case(field) } else { lower(field).eq(folded.chars()) }
}

/// Folds `text` as a path: letter case, slash direction, repeated and trailing separators, and the namespace before a drive.
pub(crate) fn path(text: &str) -> String {
    squeeze(lower(without_trailing(without_device(text))), true).collect()
}

/// Checks whether `field` folds to the path `folded`.
pub(crate) fn is_path(folded: &str, field: &str) -> bool {
    let field = without_trailing(without_device(field));
    if field.is_ascii() {
        squeeze(ascii_lower(field), true).eq(folded.chars())
    } else {
        squeeze(lower(field), true).eq(folded.chars())
    }
}

/// Folds `text` as a text: NFC and nothing else.
pub(crate) fn text(text: &str) -> String {
    if is_disguised(text) { text.to_owned() } else { text.nfc().collect() }
}

/// Checks whether `field` folds to one of the texts `folded`, ignoring white space at its ends, which means nothing in free text.
pub(crate) fn is_text(folded: &[String], field: &str) -> bool {
    let plain = field.trim_ascii();
    let same = |field: &str| folded.iter().any(|form| form == field);
    match is_nfc_quick(field.chars()) {
        IsNormalized::Yes => same(field) || same(plain),
        // Converted to NFC once, whatever the number of forms.
        IsNormalized::No | IsNormalized::Maybe => same(&text(field)) || same(&text(plain)),
    }
}

/// Checks whether two GUIDs are equal except for braces and letter case.
pub(crate) fn is_guid(form: &str, field: &str) -> bool {
    fn bare(text: &str) -> &str {
        text.strip_prefix('{').and_then(|text| text.strip_suffix('}')).unwrap_or(text)
    }
    bare(form).eq_ignore_ascii_case(bare(field))
}

/// The folded path of a registry key; its root is separate because it has two names.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Key {
    hive: Option<&'static str>,
    rest: String,
}

impl Key {
    /// Returns the keys that a claim may mean.
    /// They are the text as written, with slashes as separators, and with its root as shells and editors show it.
    ///
    /// Paths of the evidence keep their slashes, because a key name may contain one.
    pub(crate) fn of_claim(text: &str) -> impl Iterator<Item = Key> {
        // A separator before the first name means nothing.
        let text = text.strip_prefix('\\').filter(|rest| !rest.starts_with('\\')).unwrap_or(text);
        // If the text has a backslash, a slash is part of a name.
        let slashes = text.contains('/') && !text.contains('\\');
        let turned = slashes.then(|| text.replace('/', "\\"));
        let shown = shown_root(turned.as_deref().unwrap_or(text));
        let keys = [Some(Key::new(text)), turned.as_deref().map(Key::new), shown.as_deref().map(Key::new)];
        keys.into_iter().flatten()
    }

    fn new(text: &str) -> Key {
        let (hive, rest) = split_hive(text);
        Key { hive, rest: squeeze_key(lower(rest)).collect() }
    }

    /// Checks whether `field` is the path of this key.
    /// `place` is the file of the hive that it was read from; paths in a hive begin at its root.
    pub(crate) fn is(&self, field: &str, place: &str) -> bool {
        let (hive, rest) = split_hive(field);
        if hive.is_none() && self.hive.is_some() {
            return mount(place).and_then(|mount| self.below(mount)).is_some_and(|own| is_rest(own, rest));
        }
        hive == self.hive && is_rest(&self.rest, rest)
    }

    /// Returns the rest of the path below the root of each hive that Windows mounts there.
    pub(crate) fn relative(&self) -> impl Iterator<Item = &str> {
        MOUNTS.iter().filter_map(|mount| self.below(mount))
    }

    fn below(&self, mount: &Mount) -> Option<&str> {
        let rest = self.rest.as_str();
        let below =
            if mount.below.is_empty() { rest } else { rest.strip_prefix(mount.below)?.strip_prefix('\\')? };
        (self.hive == Some(mount.hive) && !below.is_empty()).then_some(below)
    }
}

/// Folds a key path to lower case, with the short name of its root in front if it has one; `None` if it names nothing.
pub(crate) fn key_parts(text: &str) -> Option<String> {
    let key = Key::of_claim(text).last()?;
    let root = key.hive.map(|hive| format!("{}\\", hive.to_ascii_lowercase())).unwrap_or_default();
    let parts = format!("{root}{}", key.rest);
    (!parts.trim_matches('\\').is_empty()).then_some(parts)
}

/// Checks whether two differently written key paths may mean one key:
/// one begins at the root of its hive, or names the current control set.
pub(crate) fn may_be_one_key(one: &str, other: &str) -> bool {
    let (one, other) = (Key::new(one), Key::new(other));
    let last = |key: &Key| key.rest.rsplit('\\').next().map(str::to_owned);
    let current = |key: &Key| key.rest.split('\\').any(|part| part == "currentcontrolset");
    let rooted = one.hive.is_some() != other.hive.is_some();
    last(&one) == last(&other) && (rooted || current(&one) != current(&other))
}

/// Checks whether two differently written paths may mean one file: they have different roots, variables or short names.
pub(crate) fn may_be_one_path(one: &str, other: &str) -> bool {
    let (one, other) = (path(one.trim()), path(other.trim()));
    let vague = |text: &str| text.contains(['~', '%']);
    let ends = |text: &str| {
        let first = text.split('\\').next().unwrap_or_default();
        (first.to_owned(), text.rsplit('\\').next().unwrap_or_default().to_owned())
    };
    let ((root, last), (other_root, other_last)) = (ends(&one), ends(&other));
    let drives = [&root, &other_root].iter().all(|root| root.len() == 2 && root.ends_with(':'));
    let named = last == other_last || vague(&last) || vague(&other_last);
    one == other || named && (vague(&one) || vague(&other) || root != other_root && !drives)
}

/// Where Windows mounts a hive.
struct Mount {
    /// The hive's file name, in lower case.
    file: &'static str,
    hive: &'static str,
    /// The key below the root, in lower case.
    below: &'static str,
}

/// The hives that Windows mounts in only one place, on every computer ("Registry Hives", Microsoft Learn).
///
/// A user's hive counts as the current user's if it is the hive that was read.
const MOUNTS: [Mount; 7] = [
    Mount { file: "software", hive: "HKLM", below: "software" },
    Mount { file: "system", hive: "HKLM", below: "system" },
    Mount { file: "sam", hive: "HKLM", below: "sam" },
    Mount { file: "security", hive: "HKLM", below: "security" },
    Mount { file: "default", hive: "HKU", below: ".default" },
    Mount { file: "ntuser.dat", hive: "HKCU", below: "" },
    Mount { file: "usrclass.dat", hive: "HKCU", below: "software\\classes" },
];

/// Folders that hold older hives: Windows mounts them nowhere.
const ASIDE: [&str; 3] = ["RegBack", "repair", "Windows.old"];

/// Returns where the hive of this file is mounted.
fn mount(place: &str) -> Option<&'static Mount> {
    let aside = |part: &str| ASIDE.iter().any(|folder| folder.eq_ignore_ascii_case(part));
    if place.split(['/', '\\']).any(aside) {
        return None;
    }
    let name = place.rsplit(['/', '\\']).next().unwrap_or(place);
    MOUNTS.iter().find(|mount| mount.file.eq_ignore_ascii_case(name))
}

/// Checks whether the rest of a stored path folds to `folded`.
fn is_rest(folded: &str, rest: &str) -> bool {
    if rest.is_ascii() {
        squeeze_key(ascii_lower(rest)).eq(folded.chars())
    } else {
        squeeze_key(lower(rest)).eq(folded.chars())
    }
}

/// Splits off the registry root, and removes separators at the end of the path.
fn split_hive(text: &str) -> (Option<&'static str>, &str) {
    let text = text.trim_end_matches('\\');
    let (first, rest) = text.split_once('\\').unwrap_or((text, ""));
    let is_first = |name: &str| name.eq_ignore_ascii_case(first);
    match HIVES.iter().find(|(short, long)| is_first(short) || is_first(long)) {
        Some((short, _)) => (Some(short), rest.trim_start_matches('\\')),
        None => (None, text),
    }
}

/// Returns the path without `Computer\`, which the registry editor shows before its roots,
/// or without the colon after a root that is a PowerShell drive.
fn shown_root(text: &str) -> Option<String> {
    let (first, rest) = text.split_once('\\')?;
    let root = rest.split('\\').next().unwrap_or(rest);
    if first.eq_ignore_ascii_case("computer") && HIVES.iter().any(|(_, long)| long.eq_ignore_ascii_case(root))
    {
        return Some(rest.to_owned());
    }
    let (short, _) =
        HIVES.iter().find(|(short, _)| Some(*short) == first.to_ascii_uppercase().strip_suffix(':'))?;
    Some(format!("{short}\\{rest}"))
}

fn lower(text: &str) -> impl Iterator<Item = char> {
    let disguised = is_disguised(text);
    let composed = (!disguised).then(|| text.nfc()).into_iter().flatten();
    let plain = disguised.then(|| text.chars()).into_iter().flatten();
    composed.chain(plain).flat_map(|c| {
        let same = DISGUISES.contains(&c);
        let cased = (!same).then(|| c.to_lowercase()).into_iter().flatten();
        same.then_some(c).into_iter().chain(cased)
    })
}

/// Characters that NFC, or lower case for the Kelvin sign, turns into ASCII: a name with one of them is another name.
const DISGUISES: [char; 3] = ['\u{212a}', '\u{37e}', '\u{1fef}'];

/// Checks whether NFC would turn characters of a text into different ones.
pub(crate) fn is_disguised(text: &str) -> bool {
    !text.is_ascii() && text.contains(DISGUISES)
}

fn ascii_lower(text: &str) -> impl Iterator<Item = char> {
    text.chars().map(|c| c.to_ascii_lowercase())
}

/// Turns each run of separators into one `\`.
///
/// If `rooted`, two at the start stay two: `\\host\share` is not `\host\share`.
fn squeeze(chars: impl Iterator<Item = char>, rooted: bool) -> impl Iterator<Item = char> {
    let turned = chars.map(|c| if c == '/' { '\\' } else { c });
    collapse(turned, if rooted { 2 } else { 0 })
}

fn squeeze_key(chars: impl Iterator<Item = char>) -> impl Iterator<Item = char> {
    collapse(chars, 0)
}

/// Drops each `\` that follows another, once `kept` characters have passed.
fn collapse(chars: impl Iterator<Item = char>, kept: usize) -> impl Iterator<Item = char> {
    let mut passed = 0usize;
    let mut previous = None;
    chars.filter(move |c| {
        let repeated = *c == '\\' && previous == Some('\\') && passed >= kept;
        previous = Some(*c);
        passed += usize::from(!repeated);
        !repeated
    })
}

/// Removes the namespace that Windows writes before a drive: `\??\C:\` and `\\?\C:\` become `C:\`.
pub(crate) fn without_device(text: &str) -> &str {
    let is = |byte: u8| byte == b'\\' || byte == b'/';
    let [first, second, b'?', last, letter, b':', root, ..] = text.as_bytes() else { return text };
    let device = is(*first) && (*second == b'?' || is(*second)) && is(*last);
    match device && letter.is_ascii_alphabetic() && is(*root) {
        true => text.get(4..).unwrap_or(text),
        false => text,
    }
}

/// Removes trailing separators, except the one that makes `\` or `C:\` a root.
fn without_trailing(text: &str) -> &str {
    let body = text.trim_end_matches(['\\', '/']);
    let drive = body.len() == 2 && body.ends_with(':');
    let length = match body.len() {
        0 => text.len().min(1),
        2 if drive => text.len().min(3),
        length => length,
    };
    text.get(..length).unwrap_or(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn same_path(claim: &str, field: &str) -> bool {
        is_path(&path(claim), field)
    }

    fn same_key(claim: &str, field: &str) -> bool {
        same_key_in(claim, field, "p1/Users/mara/notes.txt")
    }

    fn same_key_in(claim: &str, field: &str, place: &str) -> bool {
        Key::of_claim(claim).any(|key| key.is(field, place))
    }

    #[test]
    fn paths_are_equal_but_for_case_slashes_and_superfluous_separators() {
        assert!(same_path("c:/windows//System32/", r"C:\Windows\System32"));
        assert!(same_path(r"C:\", "c:/"));
        assert!(same_path("/Users/É", "/users/e\u{301}"));
    }

    #[test]
    fn paths_that_mean_other_places_stay_apart() {
        assert!(!same_path("C:", r"C:\"));
        assert!(!same_path(r"\\host\share", r"\host\share"));
        assert!(!same_path(r"C:\Windows", r"C:\Windows\System32"));
        assert!(!same_path(r"C:\a", "C:\\\u{ff41}"));
        assert!(!same_path(r"C:\a\..\b", r"C:\b"));
    }

    #[test]
    fn a_hive_has_two_names_and_no_more() {
        assert!(same_key(r"hklm\software\Run\", r"HKEY_LOCAL_MACHINE\SOFTWARE\Run"));
        assert!(same_key("HKCU/Software", r"HKEY_CURRENT_USER\Software"));
        assert!(!same_key(r"HKLM\SOFTWARE", r"HKCU\SOFTWARE"));
        assert!(!same_key(r"HKLMX\SOFTWARE", r"HKEY_LOCAL_MACHINE\SOFTWARE"));
        assert!(!same_key("SOFTWARE", r"HKLM\SOFTWARE"));
    }

    #[test]
    fn a_path_below_the_root_of_a_hive_is_that_below_its_mount() {
        let run = r"Microsoft\Windows\CurrentVersion\Run";
        let software = "p1/Windows/System32/config/SOFTWARE";
        assert!(same_key_in(r"HKLM\SOFTWARE\Microsoft\Windows\CurrentVersion\Run", run, software));
        assert!(same_key_in(r"HKEY_CURRENT_USER\Software\Run", r"Software\Run", "Users/mara/NTUSER.DAT"));
        assert!(same_key_in(r"\Software\Run", r"Software\Run", "Users/mara/NTUSER.DAT"));
        // The same path in another hive is another key.
        assert!(!same_key_in(r"HKLM\SOFTWARE\Microsoft\Windows\CurrentVersion\Run", run, "config/SYSTEM"));
        assert!(!same_key_in(r"HKLM\SYSTEM\CurrentControlSet\x", r"ControlSet001\x", "config/SYSTEM"));
        assert!(!same_key_in(r"HKLM\SOFTWARE", "", software));
    }

    #[test]
    fn the_namespace_before_a_drive_names_nothing() {
        assert!(same_path(r"\??\C:\a", r"c:\a"));
        assert!(same_path(r"C:\a", r"\\?\c:\a"));
        assert!(same_path("/??/C:/a", r"\??\C:\a"));
        assert!(!same_path(r"\\?\UNC\a", r"UNC\a"));
        assert!(!same_path(r"\??\C:\a", r"D:\a"));
    }

    #[test]
    fn a_slash_in_the_name_of_a_key_is_no_separator() {
        assert!(same_key("HKLM/a/b", r"HKLM\a\b"));
        assert!(!same_key(r"HKLM\a\b", r"HKLM\a/b"));
    }

    #[test]
    fn a_capital_and_a_small_letter_are_one_but_never_two_alphabets() {
        assert!(is_name(&name("ÉTUDE.exe"), "étude.EXE"));
        assert!(!is_name(&name("p\u{430}ypal.exe"), "paypal.exe"));
        assert!(!is_name(&name("\u{ff43}md.exe"), "cmd.exe"));
    }

    #[test]
    fn guids_are_equal_but_for_whole_pairs_of_braces() {
        assert!(is_guid("{AB-1}", "ab-1"));
        assert!(!is_guid("{AB-1", "ab-1"));
    }
}
