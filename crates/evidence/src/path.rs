//! Paths in the evidence: validated and lossless.
//!
//! A file name in evidence is a string of bytes, and not always text.
//! Its written form escapes what a text path cannot contain: `%{HH}` stands for the byte with these two
//! upper-case hex digits.
//! Escaped are bytes that are not UTF-8, control characters, `/` and `\` inside a name, the `%` of a literal
//! `%{`, and the dots of a name that is `.` or `..`.
//! Nothing else is escaped, so `C%3A` and `Operational%4.evtx` read as they are stored.
//! A written form that [`escape_name`] would not produce is refused: one name has one spelling, and two names
//! never share one.

use crate::error::PathError;
use ledger::digest::hex;
use std::fmt;

/// A path from the root of a piece of evidence: written names separated by `/`, without a leading one; empty for
/// the root.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct EvidencePath(String);

impl fmt::Debug for EvidencePath {
    /// Formats the path as quoted text, because errors show paths to agents and people.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}", self.0)
    }
}

impl EvidencePath {
    /// Returns the root.
    pub const fn root() -> EvidencePath {
        EvidencePath(String::new())
    }

    /// Parses a path with either kind of slash; leading, trailing and doubled slashes have no meaning.
    pub fn parse(text: &str) -> Result<EvidencePath, PathError> {
        if let Some(character) = text.chars().find(|character| character.is_control()) {
            return Err(PathError::Control { character, found: text.to_owned() });
        }
        let mut path = String::with_capacity(text.len());
        for component in text.split(['/', '\\']).filter(|component| !component.is_empty()) {
            if matches!(component, "." | "..") {
                return Err(PathError::Relative { component: component.to_owned(), found: text.to_owned() });
            }
            unescape_name(component)?;
            if !path.is_empty() {
                path.push('/');
            }
            path.push_str(component);
        }
        Ok(EvidencePath(path))
    }

    /// Returns the child whose name on the medium is these bytes.
    pub fn child_raw(&self, name: &[u8]) -> Result<EvidencePath, PathError> {
        if name.is_empty() {
            return Err(PathError::NotAName { found: String::new() });
        }
        Ok(match plain(name) {
            Some(written) => self.join_written(written),
            None => self.join_written(&escape_name(name)),
        })
    }

    /// Returns the child with this written name.
    pub fn child(&self, name: &str) -> Result<EvidencePath, PathError> {
        let child = EvidencePath::parse(name)?;
        if child.0 != name || child.components().count() != 1 {
            return Err(PathError::NotAName { found: name.to_owned() });
        }
        Ok(self.join_written(name))
    }

    fn join_written(&self, name: &str) -> EvidencePath {
        if self.is_root() {
            EvidencePath(name.to_owned())
        } else {
            let mut path = String::with_capacity(self.0.len() + 1 + name.len());
            path.push_str(&self.0);
            path.push('/');
            path.push_str(name);
            EvidencePath(path)
        }
    }

    /// Returns the written form.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Checks whether this is the root.
    pub fn is_root(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns the written names, from the root down.
    pub fn components(&self) -> impl Iterator<Item = &str> {
        self.0.split('/').filter(|component| !component.is_empty())
    }

    /// Returns the written name of the last component; empty for the root.
    pub fn name(&self) -> &str {
        self.0.rsplit('/').next().unwrap_or_default()
    }

    /// Checks whether the entry is in that folder, or in one below it.
    pub fn is_below(&self, folder: &EvidencePath) -> bool {
        let rest = self.0.strip_prefix(&folder.0);
        rest.is_some_and(|rest| if folder.is_root() { !rest.is_empty() } else { rest.starts_with('/') })
    }

    /// Returns the folder that holds the entry; `None` for the root.
    pub fn parent(&self) -> Option<EvidencePath> {
        if self.is_root() {
            return None;
        }
        let parent = self.0.rsplit_once('/').map_or("", |(parent, _)| parent);
        Some(EvidencePath(parent.to_owned()))
    }
}

impl fmt::Display for EvidencePath {
    /// Formats the written form; `/` for the root.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.is_root() { "/" } else { &self.0 })
    }
}

/// Returns the written form of a name; see the module for what is escaped.
pub fn escape_name(name: &[u8]) -> String {
    if matches!(name, b"." | b"..") {
        return name.iter().map(|byte| escape(*byte)).collect();
    }
    escape_part(name)
}

/// Returns the written form of a link's target: `/` separates, and dots have their usual meaning.
pub(crate) fn escape_target(target: &[u8]) -> String {
    let parts: Vec<_> = target.split(|byte| *byte == b'/').map(escape_part).collect();
    parts.join("/")
}

fn escape_part(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len());
    for chunk in bytes.utf8_chunks() {
        let mut characters = chunk.valid().chars().peekable();
        while let Some(character) = characters.next() {
            let opens = character == '%' && characters.peek() == Some(&'{');
            if opens || matches!(character, '/' | '\\') || character.is_control() {
                let mut buffer = [0; 4];
                text.extend(character.encode_utf8(&mut buffer).bytes().map(escape));
            } else {
                text.push(character);
            }
        }
        text.extend(chunk.invalid().iter().map(|byte| escape(*byte)));
    }
    text
}

/// Returns a name that is its own written form, as most are.
fn plain(name: &[u8]) -> Option<&str> {
    let plain = |byte: &u8| matches!(byte, b' '..=b'~') && !matches!(byte, b'%' | b'/' | b'\\');
    let dots = matches!(name, b"." | b"..");
    std::str::from_utf8(name).ok().filter(|_| !dots && name.iter().all(plain))
}

fn escape(byte: u8) -> String {
    format!("%{{{}}}", hex(&[byte]).to_ascii_uppercase())
}

/// Returns the bytes of a name from its written form.
pub fn unescape_name(written: &str) -> Result<Vec<u8>, PathError> {
    let error = || PathError::Escape { component: written.to_owned() };
    let mut bytes = Vec::with_capacity(written.len());
    let mut rest = written;
    while let Some((plain, escape)) = rest.split_once("%{") {
        let (digits, after) = escape.split_once('}').ok_or_else(error)?;
        if digits.len() != 2 {
            return Err(error());
        }
        bytes.extend_from_slice(plain.as_bytes());
        bytes.push(u8::from_str_radix(digits, 16).map_err(|_| error())?);
        rest = after;
    }
    bytes.extend_from_slice(rest.as_bytes());
    if escape_name(&bytes) == written { Ok(bytes) } else { Err(error()) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn both_slashes_and_doubled_ones_give_one_path() {
        for text in ["C/Windows/System32", "\\C\\Windows\\System32\\", "//C//Windows\\/System32"] {
            assert_eq!(EvidencePath::parse(text).unwrap().as_str(), "C/Windows/System32");
        }
        assert!(EvidencePath::parse("/").unwrap().is_root());
    }

    #[test]
    fn dots_controls_and_foreign_escapes_are_refused() {
        assert!(matches!(EvidencePath::parse("a/../b"), Err(PathError::Relative { .. })));
        assert!(matches!(EvidencePath::parse("./a"), Err(PathError::Relative { .. })));
        assert!(matches!(EvidencePath::parse("a\nb"), Err(PathError::Control { .. })));
        for text in ["%{41}", "%{f", "%{zz}", "%{ff}", "%{C3}%{A9}", "%{+1}"] {
            assert!(matches!(EvidencePath::parse(text), Err(PathError::Escape { .. })), "{text}");
        }
    }

    #[test]
    fn names_seen_on_real_media_are_written_as_they_are() {
        for name in ["C%3A", "Microsoft-Windows-AppModel-Runtime%4Admin.evtx", "100%", "ごみ箱", "a{b}"] {
            assert_eq!(escape_name(name.as_bytes()), name);
        }
        assert_eq!(escape_name(b"a\\b\xff%{41}"), "a%{5C}b%{FF}%{25}{41}");
        assert_eq!(escape_name(b".."), "%{2E}%{2E}");
    }

    proptest! {
        #[test]
        fn every_name_comes_back_from_its_written_form(name in prop::collection::vec(any::<u8>(), 1..12)) {
            let path = EvidencePath::root().child_raw(&name).unwrap();
            prop_assert_eq!(unescape_name(path.as_str()).unwrap(), name);
            prop_assert_eq!(EvidencePath::parse(path.as_str()).unwrap(), path);
        }

        #[test]
        fn names_of_percents_and_braces_come_back(name in "[%{}2F5C.\\\\]{1,9}") {
            let written = escape_name(name.as_bytes());
            prop_assert_eq!(unescape_name(&written).unwrap(), name.into_bytes());
        }

        #[test]
        fn what_parses_is_its_own_written_form(text in "[a.%{}2F/\\\\]{0,12}") {
            if let Ok(path) = EvidencePath::parse(&text) {
                prop_assert_eq!(EvidencePath::parse(path.as_str()).unwrap(), path);
            }
        }
    }
}
