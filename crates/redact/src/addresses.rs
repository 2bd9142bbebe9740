//! IP addresses in every spelling that programs use.

use std::fmt::Write;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// Parses an address in the usual form, or with parts in octal or hex digits.
pub(crate) fn address(text: &str) -> Option<IpAddr> {
    text.parse().ok().or_else(|| by_parts(text).map(IpAddr::V4))
}

/// Parses four parts, some of which may be octal (`0300`) or hex (`0xc0`), as in `inet_aton`.
pub(crate) fn by_parts(text: &str) -> Option<Ipv4Addr> {
    let mut parts = text.split('.').map(|part| {
        let hex = part.strip_prefix("0x").or_else(|| part.strip_prefix("0X"));
        let is_plain =
            |digits: &str| digits.bytes().all(|byte| byte.is_ascii_hexdigit()) && digits.len() <= 4;
        match (hex, part.strip_prefix('0')) {
            (Some(digits), _) if is_plain(digits) => u8::from_str_radix(digits, 16).ok(),
            // With leading zeros but not a valid octal number, it is a decimal one: some logs pad that way.
            (None, Some(digits)) if is_plain(digits) && !digits.is_empty() => {
                u8::from_str_radix(digits, 8).or_else(|_| digits.parse()).ok()
            }
            _ => part.parse().ok().filter(|_| is_plain(part)),
        }
    });
    let mut part = || parts.next().flatten();
    let octets = [part()?, part()?, part()?, part()?];
    parts.next().is_none().then(|| octets.into())
}

/// Returns the spellings of an address, in lower case; none is a part of a longer number.
pub(crate) fn spellings(address: IpAddr) -> Vec<String> {
    match address {
        IpAddr::V4(address) => of_v4(address),
        IpAddr::V6(address) => {
            let mapped = address.to_ipv4_mapped().map(of_v4).unwrap_or_default();
            mapped.into_iter().chain(of_v6(address)).collect()
        }
    }
}

fn of_v4(address: Ipv4Addr) -> Vec<String> {
    let [a, b, c, d] = address.octets();
    let number = u32::from(address);
    let turned = number.swap_bytes();
    let mut all = vec![
        format!("{a}.{b}.{c}.{d}"),
        // Host names assigned by providers, and reverse DNS zones.
        format!("{a}-{b}-{c}-{d}"),
        // File names.
        format!("{a}_{b}_{c}_{d}"),
        format!("{d}.{c}.{b}.{a}.in-addr.arpa"),
        format!("{a:03}.{b:03}.{c:03}.{d:03}"),
        format!("0{a:o}.0{b:o}.0{c:o}.0{d:o}"),
        format!("{a:03o}.{b:03o}.{c:03o}.{d:03o}"),
        format!("{a:04o}.{b:04o}.{c:04o}.{d:04o}"),
        format!("0{number:o}"),
        format!("{a:#x}.{b:#x}.{c:#x}.{d:#x}"),
        format!("{a:#04x}.{b:#04x}.{c:#04x}.{d:#04x}"),
    ];
    // As a number in either byte order: the registry has both.
    for number in [number, turned] {
        all.extend([
            format!("{number}"),
            format!("{number:08x}"),
            format!("0x{number:08x}"),
            format!("{number:#x}"),
        ]);
    }
    all.extend(of_v6(address.to_ipv6_mapped()));
    all
}

fn of_v6(address: Ipv6Addr) -> Vec<String> {
    let groups = address.segments();
    let joined = |between: &str, padded: bool| {
        let group = |it: &u16| if padded { format!("{it:04x}") } else { format!("{it:x}") };
        groups.iter().map(group).collect::<Vec<_>>().join(between)
    };
    let mut all = vec![
        address.to_string(),
        joined(":", false),
        joined(":", true),
        joined("", true),
        // `….ipv6-literal.net`, in host names of UNC paths.
        address.to_string().replace(':', "-"),
        joined("-", false),
        address.to_string().replace(':', "_"),
        joined("_", false),
    ];
    if let [0, 0, 0, 0, 0, 0xffff, high, low] = groups {
        let v4 = Ipv4Addr::from((u32::from(high) << 16) | u32::from(low));
        all.extend([format!("::ffff:{high:x}:{low:x}"), format!("0:0:0:0:0:ffff:{v4}")]);
    }
    all.push(bytes(&address.octets()));
    all
}

fn bytes(octets: &[u8]) -> String {
    octets.iter().fold("0x".to_owned(), |mut all, octet| {
        let _ = write!(all, "{octet:02x}");
        all
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_spelled_in_every_way() {
        let all = spellings("192.168.1.1".parse().unwrap());
        for expected in [
            "192.168.1.1",
            "3232235777",
            "0xc0a80101",
            "c0a80101",
            "192-168-1-1",
            "192_168_1_1",
            "0300.0250.01.01",
            "0300.0250.0001.0001",
            "0xc0.0xa8.0x1.0x1",
            "::ffff:192.168.1.1",
            "::ffff:c0a8:101",
            "0000:0000:0000:0000:0000:ffff:c0a8:0101",
            "1.1.168.192.in-addr.arpa",
        ] {
            assert!(all.iter().any(|it| it == expected), "{expected}: {all:?}");
        }
        let all = spellings("2001:db8::1".parse().unwrap());
        assert!(all.contains(&"2001:0db8:0000:0000:0000:0000:0000:0001".to_owned()), "{all:?}");
    }

    #[test]
    fn parts_are_read_as_programs_read_them() {
        for text in ["192.168.1.1", "0300.0250.01.01", "0xC0.0xa8.1.0x1", "0300.168.001.1"] {
            assert_eq!(by_parts(text), Some(Ipv4Addr::new(192, 168, 1, 1)), "{text}");
        }
        for text in ["", "1.2.3", "1.2.3.4.5", "0xx1.2.3.4", "1.2.3.256", "0x.1.2.3", "+1.2.3.4"] {
            assert_eq!(by_parts(text), None, "{text}");
        }
    }
}
