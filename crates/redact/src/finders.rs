//! Values recognised by their form, wherever they are.

use crate::macs::macs;
use crate::networks::addresses;
use crate::search::Way;
use serde::Deserialize;
use std::ops::Range;

/// A form of values.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Finder {
    /// SIDs of accounts of a computer, a domain or a tenant: `S-1-5-21-…`, `S-1-12-1-…`.
    Sid,
    /// E-mail addresses.
    Mail,
    /// IP addresses, except those that mean every host, or the host itself.
    Address,
    /// MAC addresses of network cards.
    Mac,
    /// Names of profile folders: what follows `\Users\`, `\Documents and Settings\`, `/home/`.
    ProfileFolder,
    /// Host names in UNC paths: `\\HOST\`.
    UncHost,
    /// People identified by their role in the texts of the case file and in the input of an acquisition tool:
    /// `examiner: …`.
    Role,
    /// Host names in labels of evidence.
    LabelHost,
}

impl Finder {
    /// Returns the report's name for what it finds.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Finder::Sid => "SIDs",
            Finder::Mail => "e-mail addresses",
            Finder::Address => "IP addresses",
            Finder::Mac => "hardware addresses",
            Finder::ProfileFolder => "names of profile folders",
            Finder::UncHost => "hosts of UNC paths",
            Finder::Role => "people named by their role",
            Finder::LabelHost => "hosts in labels of evidence",
        }
    }

    /// Checks whether it is applied to readings of this kind: in bytes that are not text, loose forms match by
    /// chance.
    pub(crate) const fn looks_into(self, way: Way) -> bool {
        match (way, self) {
            (Way::Written, _)
            | (Way::Packed(_), Finder::Sid | Finder::Address | Finder::Mac | Finder::ProfileFolder) => true,
            (Way::Packed(_), Finder::Mail | Finder::UncHost | Finder::Role | Finder::LabelHost)
            | (Way::Looks, _) => false,
        }
    }

    /// Finds such values in a folded text (lower case, single backslashes).
    pub(crate) fn find(self, text: &str) -> Vec<Range<usize>> {
        match self {
            Finder::Sid => SIDS.iter().flat_map(|(start, between)| sids(text, start, *between)).collect(),
            Finder::Mail => mails(text),
            Finder::Address => addresses(text),
            Finder::Mac => macs(text),
            Finder::ProfileFolder => FOLDERS.iter().flat_map(|folder| profiles(text, folder)).collect(),
            // Folding turns two backslashes into one and removes capitals: these forms are searched for in
            // unfolded texts.
            Finder::UncHost | Finder::Role | Finder::LabelHost => Vec::new(),
        }
    }
}

/// Text before the name of a profile folder.
const FOLDERS: [&str; 3] = ["\\users\\", "\\documents and settings\\", "\\home\\"];

/// Folders next to those of people.
const NOBODY: [&str; 9] = [
    "public",
    "default",
    "default user",
    "all users",
    "default.migrated",
    "desktop.ini",
    "localservice",
    "networkservice",
    "defaultapppool",
];

/// The beginning of a SID, and the separator of its numbers.
const SIDS: [(&str, char); 4] =
    [("s-1-5-21-", '-'), ("s-1-12-1-", '-'), ("s_1_5_21_", '_'), ("s_1_12_1_", '_')];

fn sids(text: &str, start: &str, between: char) -> Vec<Range<usize>> {
    let of = |(at, _): (usize, &str)| {
        let rest = text.get(at + start.len()..)?;
        let length = rest.find(|c: char| !c.is_ascii_digit() && c != between).unwrap_or(rest.len());
        let digits = rest.get(..length)?.trim_end_matches(between).len();
        (digits > 0).then(|| at..at + start.len() + digits)
    };
    text.match_indices(start).filter_map(of).collect()
}

fn mails(text: &str) -> Vec<Range<usize>> {
    let local = |c: char| c.is_alphanumeric() || "._%+-".contains(c);
    let host = |c: char| c.is_alphanumeric() || ".-".contains(c);
    let of = |(at, _): (usize, &str)| {
        let (before, after) = (text.get(..at)?, text.get(at + 1..)?);
        let start = before.trim_end_matches(local).len();
        let length = after.find(|c: char| !host(c)).unwrap_or(after.len());
        let domain = after.get(..length)?.trim_end_matches(['.', '-']);
        let (name, last) = domain.rsplit_once('.')?;
        let whole = !name.is_empty() && last.chars().count() >= 2 && last.chars().all(char::is_alphabetic);
        (start < at && whole).then(|| start..at + 1 + domain.len())
    };
    text.match_indices('@').filter_map(of).collect()
}

fn profiles(text: &str, folder: &str) -> Vec<Range<usize>> {
    let of = |(at, _): (usize, &str)| {
        let start = at + folder.len();
        let rest = text.get(start..)?;
        let length = rest
            .find([
                '\\', '"', '\'', '<', '>', '|', ':', '*', '?', '\n', '\r', '\t', ';', ',', '`', '“', '”',
                ')', ']',
            ])
            .unwrap_or(rest.len());
        let name = rest.get(..length)?.trim_end();
        // The SAM has a key of this name, whose subkeys are numbers.
        let key = text.get(..at)?.ends_with("account");
        let known = key || NOBODY.contains(&name) || name.starts_with(['%', '[']);
        (name.chars().count() >= 2 && !known).then(|| start..start + name.len())
    };
    text.match_indices(folder).filter_map(of).collect()
}

/// Returns the host names in UNC paths of an unfolded text.
pub(crate) fn unc_hosts(text: &str) -> Vec<&str> {
    let of = |(at, _): (usize, &str)| {
        let rest = text.get(at + 2..)?;
        let before = text.get(..at).and_then(|text| text.chars().next_back());
        let begins = before.is_none_or(|c| c.is_whitespace() || "\"'(=,;<".contains(c));
        let length = rest.find(|c: char| !c.is_alphanumeric() && !"-_.".contains(c)).unwrap_or(rest.len());
        let name = rest.get(..length).filter(|name| name.chars().count() >= 2 && *name != ".")?;
        // The whole value is just a host, or the account of one.
        let ends = at == 0 && matches!(rest.get(length..), Some("" | "$"));
        (begins && (ends || rest.get(length..)?.starts_with('\\'))).then_some(name)
    };
    text.match_indices("\\\\").filter_map(of).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(finder: Finder, text: &str) -> Vec<String> {
        let text = crate::fold::folded(text);
        finder.find(&text).into_iter().map(|range| text[range].to_owned()).collect()
    }

    #[test]
    fn values_are_known_by_their_form() {
        for (finder, text, expected) in [
            (
                Finder::Sid,
                "S-1-5-21-1-2-3-1001 (S-1-5-18), S-1-5-21-4-5-6.",
                &["s-1-5-21-1-2-3-1001", "s-1-5-21-4-5-6"][..],
            ),
            (Finder::Sid, "S-1-5-21-", &[]),
            (Finder::Mail, "to <Ann.B+x@mail.example.org>, @home, a@b, x@1.2", &["ann.b+x@mail.example.org"]),
            (Finder::Address, "from 0300.0.2.07, x:0xc0.0.0x2.0x7:80.", &["0300.0.2.07", "0xc0.0.0x2.0x7"]),
            (Finder::Address, "from 192.0.2.7:3389, 127.0.0.1, 10.0.19041.1, 0.0.0.0.", &["192.0.2.7"]),
            (
                Finder::Address,
                "2001:db8::1; fe80::1%3 12:34:56 ::1 add:: v1.2.3.4x",
                &["2001:db8::1", "fe80::1"],
            ),
            (
                Finder::ProfileFolder,
                "C:/Users/Ann B/x; \"C:\\Users\\bob\" \\Users\\Public\\y /home/eve/.ssh",
                &["ann b", "bob", "eve"],
            ),
            (
                Finder::ProfileFolder,
                r"C:\Documents and Settings\carl\x D:\Users\*\x SAM\Domains\Account\Users\000001F4",
                &["carl"],
            ),
        ] {
            let mut all = found(finder, text);
            all.sort();
            let mut expected = expected.to_vec();
            expected.sort();
            assert_eq!(all, expected, "{finder:?} in {text}");
        }
        assert_eq!(unc_hosts(r"\\FILES-1\share and C:\\x\y, (\\srv\d$) \\.\pipe"), ["FILES-1", "srv"]);
        assert_eq!([unc_hosts(r"\\ALDER-07$"), unc_hosts(r"\\ALDER-07")], [["ALDER-07"]; 2]);
    }
}
