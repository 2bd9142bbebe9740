//! Converts an archive's name for an entry to a path in the evidence.
//!
//! Nothing is ever written under these names. Still, an entry must have exactly one path, and none may be lost:
//! - leading, doubled and trailing separators, `.`, and a `\\?\` at the start have no meaning;
//! - a drive such as `C:` is a folder of that name;
//! - `..`, NUL and bytes that are not UTF-8 are escaped, as in [`escape_name`].
//!
//! A name that is not UTF-8 keeps its bytes: APPNOTE says code page 437, tools write the code page of their
//! machine, and nothing shows which one it is.

use crate::path::{escape_name, unescape_name};

/// The written parts of a path.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Name {
    /// Empty for the root.
    pub(super) parts: Vec<String>,
    /// Parts of the name that cannot be part of a path.
    pub(super) odd: Option<&'static str>,
}

/// Reads a name; if `backslashes` is set, both kinds of slash are separators.
pub(super) fn read(bytes: &[u8], backslashes: bool) -> Name {
    let backslashes = backslashes || is_windows_path(bytes);
    let devices: [&[u8]; 2] = [b"\\\\?\\", b"\\\\.\\"];
    let device = |prefix: &&[u8]| bytes.strip_prefix(*prefix).filter(|_| backslashes);
    let bytes = devices.iter().find_map(device).unwrap_or(bytes);
    let separates = |byte: &u8| *byte == b'/' || (backslashes && *byte == b'\\');
    let mut name = Name { parts: Vec::new(), odd: None };
    for part in bytes.split(separates) {
        if part.is_empty() || part == b"." {
            continue;
        }
        if part == b".." {
            name.odd = Some("its name climbs with `..`");
        } else if part.contains(&0) {
            name.odd = Some("its name holds a NUL");
        }
        name.parts.push(escape_name(part));
    }
    name
}

/// Checks whether a name begins like an absolute Windows path: `C:\` or `\\`.
fn is_windows_path(bytes: &[u8]) -> bool {
    matches!(bytes, [letter, b':', b'\\', ..] if letter.is_ascii_alphabetic()) || bytes.starts_with(b"\\\\")
}

/// Returns the name for an entry that has none, or whose name another entry needs: it ends in NUL, as no real
/// name does.
///
/// The whole name is escaped again, because dots are escaped only if the name consists of nothing else.
pub(super) fn aside(name: &str) -> String {
    let mut bytes = unescape_name(name).unwrap_or_else(|_| name.as_bytes().to_vec());
    bytes.push(0);
    escape_name(&bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn path(bytes: &[u8], backslashes: bool) -> String {
        read(bytes, backslashes).parts.join("/")
    }

    #[test]
    fn separators_are_those_of_the_tool_that_wrote_the_name() {
        assert_eq!(path(b"C\\Windows\\a", true), "C/Windows/a");
        assert_eq!(path(b"a\\b/c", false), "a%{5C}b/c");
        for absolute in [&b"C:\\Windows\\a"[..], b"\\\\?\\C:\\Windows\\a", b"\\\\.\\C:\\Windows\\a"] {
            assert_eq!(path(absolute, false), "C:/Windows/a");
        }
        assert_eq!(path(b"\\\\server\\share\\a", false), "server/share/a");
        assert_eq!(path(b"//./a//b/", false), "a/b");
    }

    #[test]
    fn what_cannot_be_part_of_a_path_is_escaped_and_told() {
        assert_eq!(path(b"../../etc/a", false), "%{2E}%{2E}/%{2E}%{2E}/etc/a");
        assert!(read(b"a/../b", false).odd.is_some() && read(b"a\0b", false).odd.is_some());
        assert!(read(b"a..b/...", false).odd.is_none());
        assert_eq!(path(b"a\x81b", false), "a%{81}b");
        assert_eq!(read(b"./", false), Name { parts: Vec::new(), odd: None });
    }

    #[test]
    fn a_name_set_aside_is_one_that_a_path_can_have() {
        for bytes in [&b".."[..], b".", b"...", b"a%", b"a%{", b"caf\x82", b"a\0", b"a\\b", b""] {
            let written = aside(&escape_name(bytes));
            let mut expected = bytes.to_vec();
            expected.push(0);
            assert_eq!(unescape_name(&written).unwrap(), expected, "{written}");
        }
    }
}
