//! Parses the names in records and normalises them for comparison.

use ledger::pattern::fold;
use std::net::IpAddr;
use url::{Host, Url};

/// Checks whether a text is the SID of an account or group.
pub(super) fn is_sid(text: &str) -> bool {
    let parts = text.strip_prefix("S-1-").map(|rest| rest.split('-'));
    let is_form = parts.is_some_and(|mut parts| {
        parts.all(|part| !part.is_empty() && part.bytes().all(|c| c.is_ascii_digit()))
    });
    is_form && text != "S-1-0-0"
}

/// Checks whether a SID was issued by a machine, a domain or a tenant; all others are the same on every host.
pub(super) fn is_of_machine_or_domain(sid: &str) -> bool {
    sid.starts_with("S-1-5-21-") || sid.starts_with("S-1-12-1-")
}

/// Checks whether a text is a real name and not a placeholder.
pub(super) fn is_name(text: &str) -> bool {
    !matches!(text.trim(), "" | "-" | "\\" | "N/A" | "(null)")
}

/// Checks whether a text can be a domain and an account: neither contains a character that Windows forbids in names but uses in paths
/// and resources.
pub(super) fn is_account(text: &str) -> bool {
    let mut parts = text.split('\\');
    let is_part = |part: &str| !part.trim().is_empty() && !part.contains(FORBIDDEN);
    parts.by_ref().take(2).all(is_part) && parts.next().is_none()
}

/// Characters that no account name contains ("User Accounts", Microsoft), and those that start resources and variables.
const FORBIDDEN: [char; 17] =
    ['"', '/', '[', ']', ':', ';', '|', '=', ',', '+', '*', '?', '<', '>', '%', '@', '('];

/// Checks whether a GUID is all zeros.
pub(super) fn is_nothing(guid: &str) -> bool {
    guid.chars().all(|c| matches!(c, '0' | '-' | '{' | '}'))
}

/// Normalises a host name, without the leading backslashes of a share.
pub(super) fn host(text: &str) -> Option<String> {
    let text = fold(text.trim().trim_start_matches('\\'));
    let is_here = matches!(text.as_str(), "localhost" | "*" | "-" | "");
    (!is_here && address(&text).is_none() && !text.contains([' ', '/', '\\'])).then_some(text)
}

/// Normalises an IP address; `None` for addresses that every host has.
pub(super) fn address(text: &str) -> Option<String> {
    let text = text.trim();
    let bare = text.strip_prefix("::ffff:").unwrap_or(text);
    let address: IpAddr = bare.split('%').next()?.parse().ok()?;
    let is_told = !address.is_loopback() && !address.is_unspecified();
    is_told.then(|| address.to_string())
}

/// Normalises a DNS name.
pub(super) fn domain(text: &str) -> Option<String> {
    let text = fold(text.trim().trim_end_matches('.'));
    let is_form = text.len() > 1 && text.chars().all(|c| c.is_alphanumeric() || matches!(c, '.' | '-' | '_'));
    let is_told = text != "localhost" && text.chars().any(char::is_alphabetic);
    (is_form && is_told && address(&text).is_none()).then_some(text)
}

/// Normalises a URL: scheme and server in lower case.
pub(super) fn url(text: &str) -> Option<String> {
    let text = text.trim();
    let (scheme, rest) = text.split_once("://")?;
    let is_scheme = !scheme.is_empty()
        && scheme.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '+' | '.' | '-'));
    let (server, path) = rest.split_at(rest.find(['/', '?', '#']).unwrap_or(rest.len()));
    (is_scheme && !rest.is_empty()).then(|| format!("{}://{}{path}", fold(scheme), fold(server)))
}

/// Schemes in which `://` is followed by a server; in others, a program, a browser page or a resource of a file follows.
const OF_SERVERS: [&str; 46] = [
    "amqp",
    "amqps",
    "cifs",
    "file",
    "ftp",
    "ftps",
    "git",
    "gopher",
    "http",
    "https",
    "imap",
    "imaps",
    "ipp",
    "irc",
    "ircs",
    "ldap",
    "ldaps",
    "mms",
    "mongodb",
    "mqtt",
    "mqtts",
    "mysql",
    "nfs",
    "nntp",
    "pop3",
    "pop3s",
    "postgres",
    "postgresql",
    "rdp",
    "redis",
    "rsync",
    "rtmp",
    "rtsp",
    "scp",
    "sftp",
    "smb",
    "smtp",
    "smtps",
    "socks5",
    "ssh",
    "svn",
    "telnet",
    "tftp",
    "vnc",
    "ws",
    "wss",
];

/// Returns the server that a web address names, as browsers parse it.
fn server(url: &str) -> Option<String> {
    let url = Url::parse(url.trim()).ok()?;
    let host = url.host().filter(|_| OF_SERVERS.contains(&url.scheme()))?;
    Some(match host {
        Host::Domain(name) => name.to_owned(),
        Host::Ipv4(address) => address.to_string(),
        Host::Ipv6(address) => address.to_string(),
    })
}

/// Checks whether a web address refers to the host that uses it: it names no other computer, or no server at all.
pub(super) fn is_of_its_host(url: &str) -> bool {
    server(url).is_none_or(|server| {
        let is_local = fold(&server).rsplit('.').next() == Some("localhost");
        is_local || (server.parse::<IpAddr>().is_ok() && address(&server).is_none())
    })
}

/// Returns the server of a web address or of a share; `None` if the address refers to its own host.
pub(super) fn site(text: &str) -> Option<String> {
    let server = match text.contains("://") {
        true => server(text).filter(|_| !is_of_its_host(text))?,
        false => text.strip_prefix("\\\\")?.split('\\').next()?.to_owned(),
    };
    address(&server).or_else(|| domain(&server))
}

/// Returns the server by the first version of the rules, which took what follows an `@` as the server, whatever came before it.
pub(super) fn first_site(text: &str) -> Option<String> {
    let server = match text.split_once("://") {
        Some((_, rest)) => {
            let rest = rest.split(['/', '?', '#']).next()?;
            let rest = rest.rsplit('@').next()?;
            match rest.strip_prefix('[') {
                Some(rest) => rest.split(']').next()?,
                None => rest.split(':').next()?,
            }
        }
        None => text.strip_prefix("\\\\")?.split('\\').next()?,
    };
    address(server).or_else(|| domain(server))
}

/// Returns the server and the share of `\\server\share`.
pub(super) fn share(text: &str) -> Option<(String, String)> {
    let rest = text.trim().strip_prefix("\\\\")?;
    let (server, rest) = rest.trim_start_matches("?\\").split_once('\\')?;
    let share = rest.split('\\').next()?;
    let is_own = matches!(server, "." | "?");
    (!server.is_empty() && !share.is_empty() && !is_own).then(|| (fold(server), fold(share)))
}

/// Normalises an e-mail address.
pub(super) fn email(text: &str) -> Option<String> {
    let text = fold(text.trim());
    let (name, server) = text.split_once('@')?;
    let is_form = !name.is_empty() && server.contains('.') && !text.contains([' ', '\\', '/', ':']);
    is_form.then_some(text)
}

/// Checks whether a hash identifies content: that of empty content is shared by all empty files.
pub(super) fn is_telling_hash(hash: &str) -> bool {
    let empty = [
        "d41d8cd98f00b204e9800998ecf8427e",
        "da39a3ee5e6b4b0d3255bfef95601890afd80709",
        "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
    ];
    let is_form = hash.len() >= 32 && hash.bytes().all(|c| c.is_ascii_hexdigit());
    is_form && !empty.contains(&hash) && hash.bytes().any(|c| c != b'0')
}

/// Returns a serial number without the trailing unit number.
pub(super) fn serial(text: &str) -> String {
    let text = text.trim();
    let unit = text.rsplit_once('&').filter(|(_, unit)| unit.len() == 1);
    unit.map_or(text, |(serial, _)| serial).to_ascii_uppercase()
}

/// Checks whether a serial number identifies a device: Windows did not make it up for a device without one (second character `&`),
/// and it is no placeholder that manufacturers leave in.
pub(super) fn is_telling_serial(text: &str) -> bool {
    let serial = serial(text);
    let is_made_up = serial.as_bytes().get(1) == Some(&b'&');
    let mut letters: Vec<u8> = serial.bytes().collect();
    let is_counted = serial.len() >= 6 && "0123456789ABCDEF0123456789".contains(&serial);
    letters.sort_unstable();
    letters.dedup();
    !is_made_up && !is_counted && serial.len() >= 6 && letters.len() >= 3 && serial.is_ascii()
}

/// Returns the serial number in a device path, such as `USBSTOR\Disk&Ven_X\SERIAL&0` or `_??_USBSTOR#Disk&Ven_X#SERIAL&0#{…}`.
pub(super) fn serial_of_instance(text: &str) -> Option<String> {
    let mut parts = text.split(['#', '\\']).filter(|part| !part.is_empty() && !part.starts_with('{'));
    let upper = text.to_ascii_uppercase();
    let is_usb = ["USB", "VEN_", "VID_"].iter().any(|it| upper.contains(it));
    let last = parts.next_back().filter(|_| is_usb)?;
    let is_kind = ["VEN_", "VID_"].iter().any(|it| last.to_ascii_uppercase().contains(it));
    (!is_kind).then(|| last.to_owned())
}

/// Returns the GUID of a volume, from `\??\Volume{…}` or on its own.
pub(super) fn volume(text: &str) -> Option<String> {
    let at = text.find('{')?;
    let guid = text.get(at..)?.split_inclusive('}').next()?;
    let is_volume = at == 0 || fold(text).contains("volume{");
    (is_volume && guid.len() == 38 && guid.ends_with('}')).then(|| fold(guid))
}

/// Checks whether a volume's serial number identifies it on a host.
pub(super) fn is_telling_volume_serial(text: &str) -> bool {
    let digits: Vec<u8> = text.bytes().filter(u8::is_ascii_hexdigit).collect();
    digits.len() >= 8 && digits.iter().any(|digit| *digit != b'0')
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test fails by panicking")]
mod tests {
    use super::*;

    #[test]
    fn texts_are_compared_by_what_they_name() {
        assert_eq!(address("::ffff:10.0.0.5").as_deref(), Some("10.0.0.5"));
        assert_eq!(address("FE80::1%4").as_deref(), Some("fe80::1"));
        for nothing in ["127.0.0.1", "::1", "0.0.0.0", "-", "LOCAL", ""] {
            assert_eq!(address(nothing), None, "{nothing}");
        }
        assert_eq!(url("HTTP://CDN.Example/A?b").as_deref(), Some("http://cdn.example/A?b"));
        assert_eq!(url("services.msc"), None);
        assert_eq!(site("https://a@CDN.example:8443/x").as_deref(), Some("cdn.example"));
        assert_eq!(site("http://[2001:db8::1]:80/").as_deref(), Some("2001:db8::1"));
        assert_eq!(site(r"\\fs01\x").as_deref(), Some("fs01"));
        assert_eq!(site("calc"), None);
        assert!(is_account(r"CORP\boss") && is_account(r"NT AUTHORITY\SYSTEM"));
        assert!(
            !is_account(r"$(@%SystemRoot%\system32\x.dll,-1)") && !is_account(r"a\b\c") && !is_account(r"a\")
        );
        assert_eq!(site(r"http://evil.example\@good.example/").as_deref(), Some("evil.example"));
        assert_eq!(first_site(r"http://evil.example\@good.example/").as_deref(), Some("good.example"));
        assert_eq!(site("http://0x7f.1/").as_deref(), None, "the host itself");
        assert_eq!(site("http://3232235777/x").as_deref(), Some("192.168.1.1"));
        for own in [
            "file:///C:/Users/bob/a.docx",
            "http://127.0.0.1/x",
            "http://localhost:8080/admin",
            "http://app.localhost/",
            "http://[::1]/",
            "http://0x7f.1/",
            "chrome-extension://abc/x.html",
            "res://ieframe.dll/x",
            "ms-gamingoverlay:///",
        ] {
            assert!(is_of_its_host(own) && site(own).is_none(), "{own}");
        }
        for everywhere in ["https://cdn.example/a", "http://203.0.113.7/", "file://fs01/ledgers/a.xlsx"] {
            assert!(!is_of_its_host(everywhere) && site(everywhere).is_some(), "{everywhere}");
        }
        assert_eq!(share(r"\\FS01\Ledgers\2025"), Some(("fs01".to_owned(), "ledgers".to_owned())));
        assert_eq!(share(r"\\.\pipe\x"), None);
        assert_eq!(host(r"\\FS01").as_deref(), Some("fs01"));
        assert_eq!(host("10.0.0.5"), None);
        assert_eq!(email("Mara@Example.org").as_deref(), Some("mara@example.org"));
        assert_eq!(email("mara@localhost"), None);
        assert!(is_sid("S-1-5-18") && !is_sid("S-1-0-0") && !is_sid("S-1-5-x") && !is_sid("mara"));
    }

    #[test]
    fn a_serial_number_tells_devices_apart_only_where_makers_gave_one() {
        for telling in ["E0D55EA574BCF3A1&0", "4C530001230915117142"] {
            assert!(is_telling_serial(telling), "{telling}");
        }
        for not in ["6&1a2b3c4d&0&1", "0000000000", "0123456789ABCDEF", "AB12", "1212121212"] {
            assert!(!is_telling_serial(not), "{not}");
        }
        assert_eq!(serial("e0d55ea574bcf3a1&0"), "E0D55EA574BCF3A1");
        let path = "_??_USBSTOR#Disk&Ven_Kingston&Prod_X&Rev_1#E0D55EA574BCF3A1&0#{53f56307-b6bf-11d0-94f2-00a0c91efb8b}";
        assert_eq!(serial_of_instance(path).as_deref(), Some("E0D55EA574BCF3A1&0"));
        assert_eq!(serial_of_instance(r"USB\VID_0951&PID_1666"), None);
        assert_eq!(serial_of_instance("DMIO:ID:abc"), None);
        let guid = "{7f3c2d91-92f5-11f0-a1b4-3c7c3f2a9e05}";
        assert_eq!(volume(&format!(r"\??\Volume{guid}")).as_deref(), Some(guid));
        assert_eq!(volume(r"\DosDevices\E:"), None);
    }
}
