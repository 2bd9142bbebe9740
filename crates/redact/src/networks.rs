//! IP addresses in a text, as distinguished from version numbers.

use crate::addresses::by_parts;
use std::net::{Ipv4Addr, Ipv6Addr};
use std::ops::Range;

/// What follows a version in the name of a package or of a Windows component.
const PACKAGES: [&str; 6] = ["__", "_x86", "_x64", "_arm", "_neutral", "_none"];
/// What follows a version in the name of a program.
const PROGRAMS: [&str; 7] = [".exe", ".dll", ".msi", ".msu", ".sys", ".cab", ".nupkg"];
/// Words directly before a version.
const VERSIONS: [&str; 6] = ["v", "ver", "r", "rev", "build", "release"];
/// The end of a word that is followed by a version, with or without a colon in between.
const VERSION: &str = "version";

/// Finds addresses in a folded text.
pub(crate) fn addresses(text: &str) -> Vec<Range<usize>> {
    let mut found = apart(text);
    found.extend(joined(text));
    found
}

/// Finds addresses without a letter next to them, except for a label before a colon.
fn apart(text: &str) -> Vec<Range<usize>> {
    let part = |c: char| c.is_ascii_hexdigit() || matches!(c, '.' | ':' | 'x');
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(start) = text.get(at..).and_then(|rest| rest.find(part)).map(|start| at + start) {
        let rest = text.get(start..).unwrap_or_default();
        let length = rest.find(|c: char| !part(c)).unwrap_or(rest.len());
        found.extend(in_run(text, start..start + length));
        at = start + length;
    }
    found
}

/// Returns the address in a run of hex digits, dots, colons and `x`.
fn in_run(text: &str, run: Range<usize>) -> Option<Range<usize>> {
    let digits = text.get(run.clone())?;
    // Most runs are hashes and numbers.
    if !digits.contains(['.', ':']) {
        return None;
    }
    let before = text.get(..run.start)?.chars().next_back();
    let after = text.get(run.end..)?.chars().next();
    let is_letter = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
    // Letters may extend up to the colon: `/node:192.0.2.1`, `192.0.2.1:rdp`; after a dot another name begins.
    let from = if is_letter(before) { run.start + digits.find(':')? + 1 } else { run.start };
    let to = if is_letter(after) { run.start + digits.rfind([':', '.'])? } else { run.end };
    let it = address(text.get(from..to)?)?;
    let found = from + it.start..from + it.end;
    let joins = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() || matches!(c, '_' | '.'));
    let left = text.get(..found.start)?;
    let is_joined = (from == run.start && found.start == run.start && before == Some('_'))
        || left.strip_suffix(':').is_some_and(|label| label.ends_with(VERSION))
        || (found.end == to
            && joins(text.get(to..)?.trim_start_matches('.').chars().next())
            && !text.get(to..)?.starts_with(':'));
    // Four parts that are joined to something may be a version.
    (!is_joined || text.get(found.clone())?.contains(':')).then_some(found)
}

/// Returns the address in a run of hex digits, dots and colons, ignoring a port or a full stop after it.
fn address(run: &str) -> Option<Range<usize>> {
    if !run.contains(['.', ':']) {
        return None;
    }
    let trimmed = run.trim_end_matches(['.', ':']);
    let host = trimmed.rsplit_once(':').map_or(trimmed, |(host, _)| host);
    for candidate in [trimmed, host] {
        let tells = match (by_parts(candidate), candidate.parse::<Ipv6Addr>()) {
            (Some(address), _) => tells(address),
            (_, Ok(address)) => {
                let digits = candidate.chars().any(|c| c.is_ascii_digit());
                candidate.len() >= 6 && digits && !(address.is_loopback() || address.is_unspecified())
            }
            _ => false,
        };
        if tells {
            return Some(0..candidate.len());
        }
    }
    // `::ffff:192.0.2.1` was handled above; `x:192.0.2.1` is a label before an address.
    let (label, rest) = trimmed.split_once(':')?;
    let inner = address(rest)?;
    Some(label.len() + 1 + inner.start..label.len() + 1 + inner.end)
}

/// Checks whether an address belongs to a particular host.
const fn tells(address: Ipv4Addr) -> bool {
    !(address.is_loopback() || address.is_unspecified() || address.octets()[0] == 255)
}

/// Finds four decimal parts that are joined to a letter or `_`, directly or by a dot, and are hardly a version.
fn joined(text: &str) -> Vec<Range<usize>> {
    let bytes = text.as_bytes();
    let other = |byte: &u8| !byte.is_ascii_digit() && *byte != b'.';
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(dot) = text.get(at..).and_then(|rest| rest.find('.')).map(|dot| at + dot) {
        let start = bytes.get(at..dot).and_then(|it| it.iter().rposition(other)).map_or(at, |it| at + it + 1);
        let end =
            bytes.get(dot..).and_then(|it| it.iter().position(other)).map_or(bytes.len(), |it| dot + it);
        found.extend(joined_in(text, start..end));
        at = end.max(dot + 1);
    }
    found
}

/// Returns such an address in a run of digits and dots.
fn joined_in(text: &str, run: Range<usize>) -> Option<Range<usize>> {
    let digits = text.get(run.clone())?;
    let quad = digits.trim_matches('.');
    let address: Ipv4Addr = quad.parse().ok()?;
    let start = run.start + (digits.len() - digits.trim_start_matches('.').len());
    let found = start..start + quad.len();
    let (before, after) = (text.get(..found.start)?, text.get(found.end..)?);
    let beside = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() || matches!(c, '_' | '.'));
    let label = before.strip_suffix(':').filter(|label| label.ends_with(VERSION));
    let is_joined = label.is_some()
        || beside(before.chars().next_back())
        || beside(after.trim_start_matches('.').chars().next());
    let word = before.get(before.trim_end_matches(char::is_alphabetic).len()..).unwrap_or_default();
    let is_versioned = label.is_some()
        || word.ends_with(VERSION)
        || VERSIONS.contains(&word)
        || PROGRAMS.iter().any(|name| after.starts_with(name));
    let is_package = PACKAGES.iter().any(|name| after.starts_with(name));
    (is_joined && !is_package && tells(address) && is_no_version(address, is_versioned)).then_some(found)
}

/// Checks that it is unlikely to be a version: those begin with small numbers, and often end in zero.
fn is_no_version(address: Ipv4Addr, is_versioned: bool) -> bool {
    let octets = address.octets();
    let [first, .., last] = octets;
    let long = octets.iter().filter(|octet| **octet >= 100).count();
    last != 0 && if is_versioned { first >= 100 } else { first == 10 || first >= 32 || long >= 2 }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str) -> Vec<String> {
        let text = crate::fold::folded(text);
        let mut all: Vec<_> = addresses(&text).into_iter().map(|range| text[range].to_owned()).collect();
        all.sort();
        all.dedup();
        all
    }

    #[test]
    fn a_label_before_a_colon_hides_no_address() {
        for (text, expected) in [
            ("mstsc /v:198.51.100.11", "198.51.100.11"),
            ("mstsc /v:198.51.100.12:3389 /f", "198.51.100.12"),
            ("wmic /node:198.51.100.18 process", "198.51.100.18"),
            ("x /server:10.1.1.1", "10.1.1.1"),
            ("schtasks /s:198.51.100.19", "198.51.100.19"),
            ("connectaddress:198.51.100.20", "198.51.100.20"),
            ("socks5:198.51.100.21:1080", "198.51.100.21"),
            ("tcp:198.51.100.22,1433", "198.51.100.22"),
            ("a_d:198.51.100.23", "198.51.100.23"),
            ("198.51.100.24:rdp", "198.51.100.24"),
            ("Адрес:198.51.100.25", "198.51.100.25"),
            ("/v:0300.0.2.07", "0300.0.2.07"),
            ("mstsc /v:2001:db8::77", "2001:db8::77"),
            ("tcp:[2001:db8::78]:80", "2001:db8::78"),
            ("log_2001:db8::79.txt", "2001:db8::79"),
            ("2001:db8::7a_log", "2001:db8::7a"),
        ] {
            assert_eq!(found(text), [expected], "{text}");
        }
        for text in ["at T12:34:56", "std::fade::abc", "FileVersion:1.2.3.4", "/v:127.0.0.1", "Data::Face"] {
            assert!(found(text).is_empty(), "{text}: {:?}", found(text));
        }
    }

    #[test]
    fn an_address_is_told_from_a_version_where_something_joins_it() {
        for (text, expected) in [
            ("203.0.113.83_log.txt", "203.0.113.83"),
            ("log_203.0.113.84", "203.0.113.84"),
            ("log 203.0.113.85.txt", "203.0.113.85"),
            ("ver203.0.113.86", "203.0.113.86"),
            ("ip10.20.4.37x", "10.20.4.37"),
            ("host.45.33.32.15.example", "45.33.32.15"),
            ("…203.0.113.87", "203.0.113.87"),
            ("Version:203.0.113.88", "203.0.113.88"),
            ("_5.188.206.13_", "5.188.206.13"),
        ] {
            assert_eq!(found(text), [expected], "{text}");
        }
        for text in [
            "v1.2.3.4x, version1.2.3.4, v10.1.1.45, setup_10.1.1.45.exe, Tool_4.2.1.3.zip",
            "amd64_x_31bf3856ad364e35_10.0.19041.1_none_0123",
            r"C:\Windows\GAC_MSIL\System\v4.0_4.0.0.0__b77a5c561934e089\System.dll",
            "Microsoft.SkypeApp_14.53.77.0_x64__kzf8qxf38zg5c",
            "App_10.1.2.3_neutral__x, App_96.0.216.0_x",
            "1.3.6.1.4.1.311.21.8a, a1.2.3.4.5, mask_255.255.255.0, x_127.0.0.1",
        ] {
            assert!(found(text).is_empty(), "{text}: {:?}", found(text));
        }
    }
}
