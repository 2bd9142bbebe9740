//! The kind of thing that an indicator names.

use serde::{Deserialize, Serialize};
use std::net::IpAddr;

/// The kind of thing that an indicator names.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// MD5, SHA-1 or SHA-256 in hex digits.
    Hash,
    /// An IPv4 or IPv6 address, or a network (CIDR).
    Address,
    /// A domain, with all its subdomains.
    Domain,
    /// A URL.
    Url,
    /// The name of a file.
    FileName,
    /// The path of a file or folder.
    Path,
    /// A registry key.
    RegistryKey,
}

/// File name extensions that are not domains, for lists without kinds.
const ENDINGS: [&str; 42] = [
    "exe", "dll", "sys", "scr", "ps1", "psm1", "bat", "cmd", "vbs", "vbe", "js", "jse", "wsf", "hta", "lnk",
    "doc", "docx", "docm", "xls", "xlsx", "xlsm", "ppt", "pptx", "rtf", "pdf", "zip", "rar", "7z", "iso",
    "img", "msi", "jar", "tmp", "dat", "bin", "txt", "log", "aspx", "php", "asp", "jsp", "ocx",
];

impl Kind {
    /// Returns its name, for people and formats.
    pub const fn name(self) -> &'static str {
        match self {
            Kind::Hash => "hash",
            Kind::Address => "address",
            Kind::Domain => "domain",
            Kind::Url => "url",
            Kind::FileName => "file name",
            Kind::Path => "path",
            Kind::RegistryKey => "registry key",
        }
    }

    /// Returns the kind that a word of a list names, as used by MISP, CSV files and people.
    pub(crate) fn of_word(word: &str) -> Option<Kind> {
        Some(match word.trim().to_ascii_lowercase().as_str() {
            "md5" | "sha1" | "sha-1" | "sha256" | "sha-256" | "hash" | "filehash" | "file_hash"
            | "filehash-md5" | "filehash-sha1" | "filehash-sha256" => Kind::Hash,
            "ip" | "ipv4" | "ipv6" | "ip-src" | "ip-dst" | "ipaddress" | "ip_address" | "address"
            | "cidr" | "ipv4-addr" | "ipv6-addr" => Kind::Address,
            "domain" | "hostname" | "host" | "fqdn" | "domain-name" => Kind::Domain,
            "url" | "uri" | "link" => Kind::Url,
            "filename" | "file_name" | "file" | "file name" => Kind::FileName,
            "path" | "filepath" | "file_path" | "directory" => Kind::Path,
            "regkey" | "registry" | "registry_key" | "registry key" | "regkey|value" => Kind::RegistryKey,
            _ => return None,
        })
    }

    /// Returns the kind that a value has by its form; `None` if the form fits no kind.
    pub(crate) fn of_value(value: &str) -> Option<Kind> {
        if is_hash(value) {
            return Some(Kind::Hash);
        }
        if network(value).is_some() {
            return Some(Kind::Address);
        }
        if value.contains("://") {
            return Some(Kind::Url);
        }
        let lower = value.to_ascii_lowercase();
        if ["hkey_", "hklm\\", "hkcu\\", "hku\\", "hkcr\\"].iter().any(|root| lower.starts_with(root)) {
            return Some(Kind::RegistryKey);
        }
        if value.contains('\\') || value.starts_with('/') || value.starts_with('%') {
            return Some(Kind::Path);
        }
        let (_, ending) = lower.rsplit_once('.')?;
        if ENDINGS.contains(&ending) {
            return Some(Kind::FileName);
        }
        if is_domain(&lower) {
            return Some(Kind::Domain);
        }
        (!value.contains(['/', ' ', ':'])).then_some(Kind::FileName)
    }

    /// Checks whether a value can be of this kind.
    pub(crate) fn fits(self, value: &str) -> bool {
        match self {
            Kind::Hash => is_hash(value),
            Kind::Address => network(value).is_some(),
            Kind::Domain => is_domain(&value.to_ascii_lowercase()),
            Kind::Url => value.len() > 7 && value.contains('.'),
            Kind::FileName => value.len() > 2 && !value.contains(['\\', '/']),
            Kind::Path => value.len() > 4,
            Kind::RegistryKey => value.contains('\\') && value.len() > 8,
        }
    }
}

fn is_hash(value: &str) -> bool {
    matches!(value.len(), 32 | 40 | 64) && value.bytes().all(|byte| byte.is_ascii_hexdigit())
}

fn is_domain(value: &str) -> bool {
    let value = value.strip_prefix("*.").unwrap_or(value).trim_end_matches('.');
    let is_label = |label: &str| {
        (1..=63).contains(&label.len())
            && label.chars().all(|it| it.is_alphanumeric() || matches!(it, '-' | '_'))
            && !label.starts_with('-')
    };
    let last = value.rsplit('.').next().unwrap_or_default();
    value.len() <= 253
        && value.contains('.')
        && value.split('.').all(is_label)
        && last.len() >= 2
        && !last.bytes().any(|byte| byte.is_ascii_digit() && !last.starts_with("xn--"))
}

/// Reads a network, or an address as a network of one: the address and its number of significant bits.
pub(crate) fn network(value: &str) -> Option<(IpAddr, u8)> {
    let (address, bits) = match value.split_once('/') {
        Some((address, bits)) => (address, Some(bits.parse::<u8>().ok()?)),
        None => (value, None),
    };
    let address: IpAddr = address.parse().ok()?;
    let all = if address.is_ipv4() { 32 } else { 128 };
    let bits = bits.unwrap_or(all);
    (bits <= all).then(|| (masked(address, bits), bits))
}

/// Returns the first bits of an address.
pub(crate) fn masked(address: IpAddr, bits: u8) -> IpAddr {
    match address {
        IpAddr::V4(four) => {
            let mask = u32::MAX.checked_shl(32_u32.saturating_sub(bits.into())).unwrap_or(0);
            IpAddr::V4((u32::from(four) & mask).into())
        }
        IpAddr::V6(six) => {
            let mask = u128::MAX.checked_shl(128_u32.saturating_sub(bits.into())).unwrap_or(0);
            IpAddr::V6((u128::from(six) & mask).into())
        }
    }
}
