//! Parsers for values in the data of events.

use super::codes::{self, Family};
use super::index::Field;
use artifacts::evtx::filetime;
use ledger::{FieldType, FieldValue, Time};
use std::net::{Ipv4Addr, Ipv6Addr, SocketAddr};

/// Converts the text to the field's type; `None` if it is not of that type.
pub(super) fn typed(field: &Field, text: &str) -> Option<FieldValue> {
    let own = || text.trim().to_owned();
    let number = || ledger::value::read_whole_number(text.trim());
    Some(match field.field_type {
        FieldType::Text => FieldValue::Text(text.to_owned()),
        FieldType::Name => FieldValue::Name(own()),
        FieldType::Path => FieldValue::Path(own()),
        FieldType::RegistryPath => FieldValue::RegistryPath(own()),
        FieldType::Time => FieldValue::Time(Time::from_filetime(filetime(text).filter(|ticks| *ticks != 0)?)),
        FieldType::Integer if field.code.is_some() => FieldValue::Integer(code(text)?),
        FieldType::Integer => FieldValue::Integer(number()?),
        FieldType::Size => FieldValue::Size(u64::try_from(number()?).ok()?),
        // S-1-0-0 is nobody.
        FieldType::Sid => {
            FieldValue::Sid(Some(own()).filter(|sid| sid.starts_with("S-1-") && sid != "S-1-0-0")?)
        }
        FieldType::Guid => FieldValue::Guid(own()),
        FieldType::Hash => FieldValue::Hash(own().to_lowercase()),
        FieldType::Bytes => FieldValue::Bytes(own().to_lowercase()),
        FieldType::Flag => FieldValue::Flag(text.eq_ignore_ascii_case("true")),
        FieldType::List => FieldValue::List(items(text)),
    })
}

/// Reads a code: a number, or a reference to a Windows message (`%%1053`).
fn code(text: &str) -> Option<i128> {
    let text = text.trim();
    ledger::value::read_whole_number(text.strip_prefix("%%").unwrap_or(text))
}

/// Splits a list, one item per line, or one per word if there is one line; braces around SIDs are removed.
fn items(text: &str) -> Vec<String> {
    let bare = |item: &str| {
        let sid = item.strip_prefix("%{").and_then(|item| item.strip_suffix('}'));
        sid.unwrap_or(item).to_owned()
    };
    match text.trim().contains('\n') {
        true => text.lines().map(str::trim).filter(|line| !line.is_empty()).map(bare).collect(),
        false => text.split_whitespace().map(bare).collect(),
    }
}

/// Returns a code in hex and by name; `None` if it has no 32 bits.
pub(super) fn told(value: &FieldValue, family: Family) -> Option<(String, Option<&'static str>)> {
    let FieldValue::Integer(number) = value else { return None };
    // Some events write them as signed numbers.
    let code = u32::try_from(*number).or_else(|_| i32::try_from(*number).map(i32::cast_unsigned)).ok()?;
    Some((format!("{code:#x}"), codes::name(family, code)))
}

/// Returns the fields and digests in a text such as `MD5=…,SHA256=…`.
pub(super) fn digests(text: &str) -> impl Iterator<Item = (&'static str, &str)> {
    text.split(',').filter_map(|one| {
        let (name, digest) = one.split_once('=')?;
        let field = [("MD5", "md5"), ("SHA1", "sha1"), ("SHA256", "sha256"), ("IMPHASH", "imphash")];
        let (_, field) = field.into_iter().find(|(known, _)| name.trim().eq_ignore_ascii_case(known))?;
        Some((field, digest.trim()))
    })
}

/// An address, and the port if given.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Endpoint {
    pub(super) address: String,
    pub(super) port: Option<u16>,
}

/// Reads `10.0.0.1:3389`, `[fe80::1%5]:445`, an address alone, or a socket address in hex digits.
pub(super) fn endpoint(text: &str) -> Option<Endpoint> {
    let text = text.trim();
    if let Some(socket) = socket_address(text) {
        return Some(socket);
    }
    if let Some((address, rest)) = text.strip_prefix('[').and_then(|text| text.split_once(']')) {
        let port = rest.strip_prefix(':').and_then(|port| port.parse().ok());
        return Some(Endpoint { address: address.to_owned(), port });
    }
    let port = match text.split_once(':') {
        // With more than one colon it is an IPv6 address without a port.
        Some((_, port)) if !port.contains(':') => Some(port.parse().ok()?),
        _ => None,
    };
    let address = port.map_or(text, |_| text.split_once(':').map_or(text, |(address, _)| address));
    (!address.is_empty()).then(|| Endpoint { address: address.to_owned(), port })
}

/// Reads `SOCKADDR_IN` and `SOCKADDR_IN6` (ws2def.h, ws2ipdef.h): family, port in network byte order, address.
fn socket_address(digits: &str) -> Option<Endpoint> {
    let bytes = bytes(digits)?;
    let (family, rest) = bytes.split_first_chunk::<2>()?;
    let (port, rest) = rest.split_first_chunk::<2>()?;
    let address = match u16::from_le_bytes(*family) {
        2 => Ipv4Addr::from(*rest.first_chunk::<4>()?).to_string(),
        23 => Ipv6Addr::from(*rest.get(4..)?.first_chunk::<16>()?).to_string(),
        _ => return None,
    };
    Some(Endpoint { address, port: Some(u16::from_be_bytes(*port)).filter(|port| *port != 0) })
}

/// Returns the IPv4 address in an IPv4-mapped IPv6 address (RFC 4291, 2.5.5.2).
pub(super) fn mapped(text: &str) -> Option<String> {
    text.trim().parse::<Ipv6Addr>().ok()?.to_ipv4_mapped().map(|address| address.to_string())
}

/// Reads an IPv4 address in network byte order that a little-endian computer wrote as a number.
pub(super) fn ipv4(text: &str) -> Option<String> {
    let number: u32 = text.trim().parse().ok()?;
    (number != 0).then(|| Ipv4Addr::from(number.to_le_bytes()).to_string())
}

/// Returns account, address and port of an sshd message.
/// Forms: `… for [invalid user] ACCOUNT from ADDRESS port PORT …`, `… user ACCOUNT ADDRESS port PORT …`.
pub(super) fn ssh(line: &str) -> Option<(Option<&str>, Endpoint)> {
    let (before, after) = line.split_once(" port ")?;
    let port = after.split(|c: char| !c.is_ascii_digit()).next()?.parse().ok()?;
    let (before, address) = before.rsplit_once(' ')?;
    // If this is not an address, the line has neither form.
    format!("[{address}]:1")
        .parse::<SocketAddr>()
        .ok()
        .map(drop)
        .or_else(|| address.parse::<Ipv4Addr>().ok().map(drop))?;
    let before = before.strip_suffix(" from").unwrap_or(before);
    let account = [" for invalid user ", " for ", " invalid user ", " authenticating user ", " user "]
        .into_iter()
        .find_map(|mark| Some(before.rsplit_once(mark)?.1));
    let account = account.filter(|account| !account.is_empty() && !account.contains(' '));
    Some((account, Endpoint { address: address.to_owned(), port: Some(port) }))
}

/// The fewest bytes in hex digits that can be a text.
const LEAST: usize = 4;

/// Decodes hex digits as UTF-16LE or ASCII text, without trailing zeros; `None` if they are neither.
pub(super) fn text_of(digits: &str) -> Option<String> {
    let bytes = bytes(digits).filter(|bytes| bytes.len() >= LEAST)?;
    let is_letter = |c: char| !c.is_control() || matches!(c, '\t' | '\n' | '\r');
    let good = |text: &str| {
        let count = text.chars().count();
        let plain = text.chars().filter(char::is_ascii_graphic).count();
        count >= LEAST && text.chars().all(is_letter) && plain * 2 >= count
    };
    let units: Vec<u16> = bytes.as_chunks::<2>().0.iter().map(|pair| u16::from_le_bytes(*pair)).collect();
    let wide = bytes.len().is_multiple_of(2).then(|| String::from_utf16(&units).ok()).flatten();
    let wide = wide.map(|text| text.trim_end_matches('\0').replace('\0', "\n")).filter(|text| good(text));
    wide.or_else(|| {
        let end = bytes.iter().rposition(|byte| *byte != 0)?;
        let narrow = std::str::from_utf8(bytes.get(..=end)?).ok().filter(|text| text.is_ascii())?;
        good(narrow).then(|| narrow.to_owned())
    })
}

/// Reads bytes in upper-case hex digits, as binary data is rendered; digits too short for that are numbers.
fn bytes(digits: &str) -> Option<Vec<u8>> {
    let digit = |byte: u8| match byte {
        b'0'..=b'9' => Some(byte - b'0'),
        b'A'..=b'F' => Some(byte - b'A' + 10),
        _ => None,
    };
    let (pairs, []) = digits.as_bytes().as_chunks::<2>() else { return None };
    let read = |[high, low]: &[u8; 2]| Some(digit(*high)? << 4 | digit(*low)?);
    pairs.iter().map(read).collect::<Option<Vec<u8>>>().filter(|bytes| bytes.len() >= 8)
}

/// Returns a number in words, and the field for the words.
pub(super) fn word(field: &str, text: &str) -> Option<(&'static str, &'static str)> {
    let number = ledger::value::read_whole_number(text.trim())?;
    // The types of SECURITY_LOGON_TYPE (ntsecapi.h), and NTSTATUS codes ([MS-ERREF] 2.3.1).
    let word = match (field, number) {
        ("logon_type", 0) => "system",
        ("logon_type", 2) => "interactive",
        ("logon_type", 3) => "network",
        ("logon_type", 4) => "batch",
        ("logon_type", 5) => "service",
        ("logon_type", 7) => "unlock",
        ("logon_type", 8) => "network cleartext",
        ("logon_type", 9) => "new credentials",
        ("logon_type", 10) => "remote interactive",
        ("logon_type", 11) => "cached interactive",
        ("logon_type", 12) => "cached remote interactive",
        ("logon_type", 13) => "cached unlock",
        ("sub_status" | "status", 0xC000_0064) => "no such account",
        ("sub_status", 0xC000_006A) => "wrong password",
        ("sub_status" | "status", 0xC000_006F) => "outside the hours allowed",
        ("sub_status" | "status", 0xC000_0070) => "from a computer not allowed",
        ("sub_status" | "status", 0xC000_0071) => "password expired",
        ("sub_status" | "status", 0xC000_0072) => "account disabled",
        ("sub_status" | "status", 0xC000_0193) => "account expired",
        ("sub_status" | "status", 0xC000_0224) => "password must change",
        ("sub_status" | "status", 0xC000_0234) => "account locked out",
        ("sub_status" | "status", 0xC000_015B) => "type of logon not granted",
        _ => return None,
    };
    Some((if field == "logon_type" { "logon_type_name" } else { "reason" }, word))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn both(text: &str) -> Option<(String, Option<u16>)> {
        endpoint(text).map(|endpoint| (endpoint.address, endpoint.port))
    }

    #[test]
    fn an_address_is_told_from_its_port() {
        let own = |address: &str, port| Some((address.to_owned(), port));
        assert_eq!(both("10.0.0.1:3389"), own("10.0.0.1", Some(3389)));
        assert_eq!(both("[10.0.2.17]:56873"), own("10.0.2.17", Some(56873)));
        assert_eq!(both("[fe80::1%5]:445"), own("fe80::1%5", Some(445)));
        assert_eq!(both("fe80::1%5"), own("fe80::1%5", None));
        assert_eq!(both("10.0.0.1"), own("10.0.0.1", None));
        assert_eq!(both("server:none"), None);
        assert_eq!(both(""), None);
        assert_eq!(both("0200C5E60A00020F0000000000000000"), own("10.0.2.15", Some(50_662)));
        let six = "1700BD01000000002001067C000000000000000000000007";
        assert_eq!(both(six), own("2001:67c::7", Some(48_385)));
    }

    #[test]
    fn an_address_of_ipv4_is_read_in_its_other_forms() {
        assert_eq!(mapped("::ffff:10.0.0.1").unwrap(), "10.0.0.1");
        assert_eq!(mapped("fe80::1"), None);
        assert_eq!(ipv4("16777343").unwrap(), "127.0.0.1");
        assert_eq!(ipv4("0"), None);
    }

    #[test]
    fn hex_digits_are_told_as_text_only_where_they_are_one() {
        assert_eq!(text_of("570069006E0044006500660065006E0064002F0034000000").unwrap(), "WinDefend/4");
        assert_eq!(text_of("7B35373244434431307D").unwrap(), "{572DCD10}");
        assert_eq!(text_of("31002E003100000030000000").unwrap(), "1.1\n0");
        for none in ["E303000003000100", "22000000C0000000", "1234567812345678", "0061006200630064", ""] {
            assert_eq!(text_of(none), None, "{none}");
        }
    }

    #[test]
    fn lines_of_sshd_name_account_address_and_port() {
        let read = |line| ssh(line).map(|(account, at)| (account, at.address, at.port));
        let at = |account, address: &str, port| Some((account, address.to_owned(), Some(port)));
        assert_eq!(
            read("Accepted password for ann from 192.0.2.7 port 50111 ssh2"),
            at(Some("ann"), "192.0.2.7", 50111)
        );
        assert_eq!(
            read("Failed password for invalid user eva from fe80::1%3 port 1 ssh2"),
            at(Some("eva"), "fe80::1%3", 1)
        );
        assert_eq!(
            read("Disconnecting invalid user eva 192.0.2.7 port 2: Too many"),
            at(Some("eva"), "192.0.2.7", 2)
        );
        assert_eq!(read("Server listening on 0.0.0.0 port 22."), at(None, "0.0.0.0", 22));
        assert_eq!(read("error: something else"), None);
    }

    #[test]
    fn a_list_has_its_items_by_lines_or_words() {
        assert_eq!(items("SeA\n\t\t\tSeB"), ["SeA", "SeB"]);
        assert_eq!(items("%%1538 %%1541"), ["%%1538", "%%1541"]);
        assert_eq!(items("\n\t\t%{S-1-5-32-544}\n\t\ta b\n"), ["S-1-5-32-544", "a b"]);
    }
}
