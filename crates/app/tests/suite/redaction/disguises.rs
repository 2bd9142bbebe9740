//! Ways to write a value so that a search for it as it stands finds nothing; none of this is the program's own.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use std::net::Ipv4Addr;

/// Letters that look like those of ASCII.
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

/// The value in every disguise, by what it is called.
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
    all
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

/// In a case that nobody writes it in.
fn swapped(value: &str) -> String {
    let swap =
        |(at, c): (usize, char)| if at % 2 == 0 { c.to_ascii_lowercase() } else { c.to_ascii_uppercase() };
    value.chars().enumerate().map(swap).collect()
}

fn hex(bytes: &[u8], between: &str) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect::<Vec<_>>().join(between)
}

/// A text with disguises of single letters taken off, in small letters.
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
