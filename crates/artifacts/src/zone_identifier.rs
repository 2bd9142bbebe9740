//! `Zone.Identifier` streams: the Internet Explorer zone that a file came from, and usually the address.
//!
//! Source of the format: [MS-FSCC] 5.6.1 ("Zone.Identifier Stream Name"); the keys of section `ZoneTransfer`
//! from Microsoft's documentation of `IZoneIdentifier2` and from observation.

use crate::damage::{Damage, DamageKind};
use crate::fields::Located;

/// The most bytes of a line that are read.
const LONGEST: usize = 64 << 10;

/// The content of a stream.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ZoneIdentifier {
    /// The zone: 0 this computer, 1 intranet, 2 trusted, 3 internet, 4 restricted.
    pub zone: Option<Located<u32>>,
    /// The address of the content.
    pub host_url: Option<Located<String>>,
    /// The address of the referring page.
    pub referrer_url: Option<Located<String>>,
    /// The IP address of the computer that it came from.
    pub host_ip: Option<Located<String>>,
    /// The family name of the package that wrote the file.
    pub package: Option<Located<String>>,
    /// The damage found in it.
    pub damage: Vec<Damage>,
}

/// Checks whether the bytes contain the section of such a stream.
pub fn is_zone_identifier(head: &[u8]) -> bool {
    lines(head).any(|(_, line)| line.eq_ignore_ascii_case(b"[ZoneTransfer]"))
}

/// Reads a stream; `None` if it does not contain the section.
pub fn read(data: &[u8]) -> Option<ZoneIdentifier> {
    let mut found = ZoneIdentifier::default();
    let mut inside = false;
    for (at, line) in lines(data) {
        if line.starts_with(b"[") {
            inside = line.eq_ignore_ascii_case(b"[ZoneTransfer]");
        } else if inside && let Some(equals) = line.iter().position(|byte| *byte == b'=') {
            let (key, value) = (line.get(..equals)?, line.get(equals + 1..)?);
            found.entry(&key.to_ascii_lowercase(), value, at + equals + 1);
        }
    }
    is_zone_identifier(data).then_some(found)
}

/// Returns the lines with their offsets, without blanks around them.
fn lines(data: &[u8]) -> impl Iterator<Item = (usize, &[u8])> {
    let data_at = |line: &[u8]| line.as_ptr().addr() - data.as_ptr().addr();
    let whole = data.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(data);
    whole.split(|byte| matches!(byte, b'\r' | b'\n')).map(move |line| {
        let line = line.trim_ascii();
        (data_at(line), line.get(..LONGEST).unwrap_or(line))
    })
}

impl ZoneIdentifier {
    fn entry(&mut self, key: &[u8], value: &[u8], at: usize) {
        let slot = match key {
            b"zoneid" => return self.zone(value, at),
            b"hosturl" => &mut self.host_url,
            b"referrerurl" => &mut self.referrer_url,
            b"hostipaddress" => &mut self.host_ip,
            b"lastwriterpackagefamilyname" => &mut self.package,
            _ => return,
        };
        let text = String::from_utf8_lossy(value);
        let count = text.chars().filter(|letter| *letter == char::REPLACEMENT_CHARACTER).count();
        if count > 0 {
            self.damage.push(Damage::at(at, DamageKind::Text { what: "value", count }));
        }
        if slot.is_some() {
            self.damage.push(Damage::at(at, DamageKind::Twice { what: "key" }));
        } else if !value.is_empty() {
            *slot = Some(Located::new(text.into_owned(), at, value.len()));
        }
    }

    fn zone(&mut self, value: &[u8], at: usize) {
        let digits = std::str::from_utf8(value).ok().map(str::trim);
        match digits.and_then(|digits| digits.parse().ok()) {
            Some(_) if self.zone.is_some() => {
                self.damage.push(Damage::at(at, DamageKind::Twice { what: "key" }))
            }
            Some(zone) => self.zone = Some(Located::new(zone, at, value.len())),
            None => self.damage.push(Damage::at(at, DamageKind::Text { what: "ZoneId", count: value.len() })),
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test fails by panicking")]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const STREAM: &[u8] = b"[ZoneTransfer]\r\nZoneId=3\r\nReferrerUrl=https://a.example/\r\nHostUrl=https://b.example/x=1.zip\r\n";

    #[test]
    fn zone_and_addresses_stand_where_they_are_said_to() {
        let found = read(STREAM).unwrap();
        assert_eq!(found.damage, []);
        assert_eq!(found.zone.unwrap().value, 3);
        let host = found.host_url.unwrap();
        assert_eq!(host.value, "https://b.example/x=1.zip");
        assert_eq!(STREAM.get(host.offset..host.offset + host.length).unwrap(), host.value.as_bytes());
        assert_eq!(found.referrer_url.unwrap().value, "https://a.example/");
    }

    #[test]
    fn other_sections_are_none_and_a_second_key_is_damage() {
        assert_eq!(read(b"[Other]\nZoneId=3"), None);
        let found =
            read(b"\xEF\xBB\xBF[zonetransfer]\nzoneid=3\nZoneId=0\nHostUrl=\n[B]\nHostUrl=x").unwrap();
        assert_eq!((found.zone.unwrap().value, found.host_url, found.damage.len()), (3, None, 1));
        assert_eq!(read(b"[ZoneTransfer]\nZoneId=drei").unwrap().damage.len(), 1);
    }

    proptest! {
        #[test]
        fn any_bytes_are_read_without_panic(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
            let _ = read(&[STREAM, &bytes].concat());
            let _ = read(&bytes);
        }
    }
}
