//! The `hosts` file: names that the system resolves to an address without asking a server.
//!
//! Source of the format: hosts(5); Windows reads the same lines. An address, white space, one or more names; `#`
//! begins a comment.
//! A line that does not begin with an address names no host.

use crate::fields::Located;
use std::net::IpAddr;

/// The most lines that are read.
const LINES: usize = 200_000;

/// A line that names a host.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HostsLine {
    /// Its number, from 1.
    pub number: usize,
    /// The address.
    pub address: Located<String>,
    /// The names; never empty.
    pub names: Vec<Located<String>>,
}

/// Returns the lines that name hosts, and whether more lines follow that were not read.
pub fn read(text: &[u8]) -> (Vec<HostsLine>, bool) {
    let mut found = Vec::new();
    let mut start = if text.starts_with(&[0xef, 0xbb, 0xbf]) { 3 } else { 0 };
    for number in 1..=LINES {
        let Some(rest) = text.get(start..).filter(|rest| !rest.is_empty()) else { return (found, false) };
        let end = rest.iter().position(|byte| matches!(byte, b'\n' | b'\r')).unwrap_or(rest.len());
        found.extend(line(rest.get(..end).unwrap_or_default(), start, number));
        let ends = rest.get(end..).unwrap_or_default();
        start = start + end + if ends.starts_with(b"\r\n") { 2 } else { 1 };
    }
    (found, text.len() > start)
}

fn line(line: &[u8], start: usize, number: usize) -> Option<HostsLine> {
    let end = line.iter().position(|byte| *byte == b'#').unwrap_or(line.len());
    let mut at = 0;
    let mut words =
        line.get(..end)?.split(|byte| byte.is_ascii_whitespace() || *byte == 0).filter_map(|word| {
            let place = start + at;
            at += word.len() + 1;
            let text = || String::from_utf8_lossy(word).into_owned();
            (!word.is_empty()).then(|| Located::new(text(), place, word.len()))
        });
    let address = words.next()?;
    let names: Vec<_> = words.collect();
    // `fe80::1%5`: the zone is not part of an IPv6 address.
    let bare = address.value.split('%').next().unwrap_or_default();
    bare.parse::<IpAddr>().ok()?;
    (!names.is_empty()).then_some(HostsLine { number, address, names })
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test fails by panicking")]
mod tests {
    use super::*;

    #[test]
    fn a_line_gives_its_address_and_names_with_their_places() {
        let text = b"\xef\xbb\xbf# comment 1.2.3.4 x\r\n\r\n 10.0.0.7\tupdate.example  www # here\r\n::1 localhost\nlonely\nnotanip word\n999.1.1.1 bad\n1.2.3 short";
        let (lines, more) = read(text);
        assert!(!more);
        let shown: Vec<_> = lines
            .iter()
            .map(|line| {
                (
                    line.number,
                    line.address.value.as_str(),
                    line.names.iter().map(|n| n.value.as_str()).collect::<Vec<_>>(),
                )
            })
            .collect();
        assert_eq!(shown, [(3, "10.0.0.7", vec!["update.example", "www"]), (4, "::1", vec!["localhost"])]);
        for part in lines.iter().flat_map(|line| line.names.iter().chain([&line.address])) {
            assert_eq!(&text[part.offset..][..part.length], part.value.as_bytes());
        }
    }

    #[test]
    fn bytes_that_are_no_text_do_not_stop_it() {
        assert_eq!(read(&[0xff, 0xfe, b' ', 0, b'\n']).0.len(), 0);
        assert_eq!(read(b"").0, []);
    }
}
