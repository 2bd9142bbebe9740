//! Ways to write a value so that a literal search does not find it; independent of the program's own code.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use std::net::Ipv4Addr;

/// Letters that look like ASCII ones.
const ALIKE: [(char, char); 12] = [
    ('a', 'а'),
    ('e', 'е'),
    ('o', 'о'),
    ('i', 'і'),
    ('A', 'А'),
    ('B', 'В'),
    ('E', 'Е'),
    ('J', 'Ј'),
    ('M', 'Μ'),
    ('O', 'О'),
    ('c', 'с'),
    ('p', 'р'),
];

/// Returns the value in every disguise, each with a name.
pub(crate) fn disguised(value: &str) -> Vec<(&'static str, String)> {
    let wide: Vec<u8> = value.encode_utf16().flat_map(u16::to_le_bytes).collect();
    let between = |sign: &str| value.chars().map(String::from).collect::<Vec<_>>().join(sign);
    let each = |write: &dyn Fn(char) -> String| value.chars().map(write).collect::<String>();
    let code = u32::from;
    let mut all = vec![
        ("small", value.to_lowercase()),
        ("capital", value.to_uppercase()),
        ("longer", format!("{value}-backup")),
        ("account of a host", format!("\\\\{value}$")),
        ("full width", each(&full_width)),
        ("soft hyphens", between("\u{ad}")),
        ("zero width", between("\u{200b}")),
        ("joiners and a mark", between("\u{2060}\u{feff}")),
        ("percent", each(&|c| format!("%{:02X}", code(c)))),
        ("JSON", each(&|c| format!("\\u{:04x}", code(c)))),
        ("HTML", each(&|c| format!("&#{};", code(c)))),
        ("XML", each(&|c| format!("&#x{:X};", code(c)))),
        ("base64", STANDARD.encode(format!("of {}.", value.to_uppercase()))),
        ("base64 of a mixed case", STANDARD.encode(swapped(value))),
        ("base64 of UTF-16", STANDARD.encode(&wide)),
        ("base64 of full width", STANDARD.encode(each(&full_width))),
        ("hex", hex(swapped(value).as_bytes(), "")),
        ("hex with spaces", hex(value.as_bytes(), " ")),
        ("hex of UTF-16", hex(&wide, "")),
        ("cut", format!("{}…", &value[..value.len() - 1])),
        ("cut before", format!("…{}", &value[value.len() - 5..])),
    ];
    let alike = each(&|c| ALIKE.iter().find(|(of, _)| *of == c).map_or(c, |(_, to)| *to).to_string());
    if alike != value {
        all.push(("look-alikes", alike));
    }
    all.extend(value.parse().map(addresses).unwrap_or_default());
    all.extend(layered(value));
    all.extend(parts(value));
    all.extend(value.strip_prefix("S-1-5-21-").map(sid).unwrap_or_default());
    if value.matches('-').count() == 5 {
        all.extend(card(value));
    }
    all
}

/// Returns disguises that command lines use: encoded twice, split, reversed, as character codes.
fn layered(value: &str) -> Vec<(&'static str, String)> {
    let each = |write: &dyn Fn(char) -> String| value.chars().map(write).collect::<Vec<_>>();
    let code = u32::from;
    let wide = |text: &str| -> Vec<u8> { text.encode_utf16().flat_map(u16::to_le_bytes).collect() };
    let (first, last) = value.split_at(value.len() / 2);
    let split = format!("'{first}'+'{last}'");
    vec![
        ("percent twice", each(&|c| format!("%25{:02x}", code(c))).concat()),
        ("HTML twice", each(&|c| format!("&amp;#{};", code(c))).concat()),
        ("carets", each(&String::from).join("^")),
        ("backtick", format!("{first}`{last}")),
        ("split", split.clone()),
        ("split with blanks", format!("\"{first}\" + \"{last}\"")),
        ("empty quotes", format!("{first}\"\"{last}")),
        ("base64 of a split name", STANDARD.encode(wide(&format!("$u={split}")))),
        ("base64 twice", STANDARD.encode(STANDARD.encode(value))),
        ("base64 of base64 of UTF-16", STANDARD.encode(wide(&STANDARD.encode(wide(value))))),
        ("base64 of gzip", STANDARD.encode(gzip(value))),
        ("base32", base32(format!("{value}.").as_bytes())),
        ("turned", value.chars().rev().collect()),
        ("codes", each(&|c| code(c).to_string()).join(",")),
        ("codes of PowerShell", each(&|c| format!("[char]{}", code(c))).join("+")),
        ("codes in hex", each(&|c| format!("0x{:x}", code(c))).join(", ")),
    ]
}

fn gzip(text: &str) -> Vec<u8> {
    let mut out = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    std::io::Write::write_all(&mut out, text.as_bytes()).unwrap();
    out.finish().unwrap()
}

fn base32(bytes: &[u8]) -> String {
    let bits: Vec<u8> = bytes.iter().flat_map(|byte| (0..8).rev().map(move |at| byte >> at & 1)).collect();
    let digit = |five: &[u8]| {
        let number = (0..5).fold(0, |number, at| number << 1 | five.get(at).copied().unwrap_or_default());
        char::from(b"ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"[usize::from(number)])
    };
    bits.chunks(5).map(digit).collect()
}

/// Returns parts that identify a name: its parts of at least four letters, initials, a short file name.
fn parts(value: &str) -> Vec<(&'static str, String)> {
    let parts: Vec<&str> = value.split(['.', ' ', '-']).collect();
    let is_name = parts.iter().any(|part| part.len() >= 4 && part.chars().all(char::is_alphabetic));
    let [first, .., last] = parts.as_slice() else { return Vec::new() };
    if !is_name {
        return Vec::new();
    }
    let mut all = vec![("joined otherwise", parts.join("_")), ("joined by nothing", parts.concat())];
    for part in parts.iter().filter(|part| part.len() >= 4) {
        all.push(("a part", format!("Mr {part}")));
        all.push(("a part with a capital", format!("{part}_Report")));
    }
    if last.len() >= 4 {
        all.push(("initial", format!("{}{last}", &first[..1])));
        let short: String = parts.concat().chars().take(6).collect();
        all.extend((first.len() >= 4).then(|| ("short", format!("{}~1", short.to_uppercase()))));
    }
    all
}

/// Returns forms of a SID, from the part after the common prefix.
fn sid(rest: &str) -> Vec<(&'static str, String)> {
    let own: Vec<u8> = rest.split('-').flat_map(|it| it.parse::<u32>().unwrap().to_le_bytes()).collect();
    let whole = [&[1, 5, 0, 0, 0, 0, 0, 5, 21, 0, 0, 0][..], &own].concat();
    vec![
        ("SID with _", format!("S-1-5-21-{rest}").replace('-', "_")),
        ("SID without its beginning", format!("21-{rest}")),
        ("SID in bytes", hex(&whole, "")),
        ("SID in bytes with commas", hex(&whole, ",")),
        ("SID in base64", STANDARD.encode(&whole)),
    ]
}

/// Returns forms of a hardware address that is written with hyphens.
fn card(value: &str) -> Vec<(&'static str, String)> {
    let digits = value.replace('-', "");
    vec![
        ("with colons", value.replace('-', ":")),
        ("dotted", [&digits[..4], &digits[4..8], &digits[8..]].join(".")),
        ("bare", format!("mac={digits}")),
    ]
}

fn addresses(address: Ipv4Addr) -> Vec<(&'static str, String)> {
    let [a, b, c, d] = address.octets();
    let number = u32::from(address);
    vec![
        ("decimal", format!("{number}")),
        ("hex number", format!("0x{number:08X}")),
        ("octal", format!("0{a:o}.0{b:o}.0{c:o}.0{d:o}")),
        ("mapped", format!("::ffff:{address}")),
        ("mapped in hex", format!("::FFFF:{:x}:{:x}", number >> 16, number & 0xffff)),
    ]
}

fn full_width(c: char) -> String {
    match c {
        ' ' => "\u{3000}".to_owned(),
        c => char::from_u32(u32::from(c) + 0xFEE0).unwrap().to_string(),
    }
}

/// Returns the value in an unusual mix of cases.
fn swapped(value: &str) -> String {
    let swap =
        |(at, c): (usize, char)| if at % 2 == 0 { c.to_ascii_lowercase() } else { c.to_ascii_uppercase() };
    value.chars().enumerate().map(swap).collect()
}

fn hex(bytes: &[u8], between: &str) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect::<Vec<_>>().join(between)
}

/// Returns a text in lower case without disguises of single letters.
pub(crate) fn undisguised(text: &str) -> String {
    let letter = |c: char| match c {
        '\u{ad}' | '\u{200b}' | '\u{2060}' | '\u{feff}' | '\0' => None,
        '\u{ff01}'..='\u{ff5e}' => char::from_u32(u32::from(c) - 0xFEE0),
        '\u{3000}' | '\u{a0}' => Some(' '),
        c if c.is_ascii() => Some(c),
        c => Some(ALIKE.iter().find(|(_, to)| *to == c).map_or(c, |(of, _)| *of)),
    };
    text.chars().filter_map(letter).flat_map(char::to_lowercase).collect()
}

#[test]
fn disguises_of_letters_are_taken_off() {
    for (name, written) in disguised("Mara Ellingsen") {
        if ["full width", "soft hyphens", "zero width", "joiners and a mark", "look-alikes"].contains(&name) {
            assert_eq!(undisguised(&written), "mara ellingsen", "{name}");
        }
    }
}
