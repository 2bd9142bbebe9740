//! A value in every form in which it may be written; independent of the program's own search.

use crate::redaction::disguises::undisguised;
use base64::Engine;
use base64::engine::general_purpose::STANDARD_NO_PAD;
use std::collections::BTreeSet;
use std::fmt::Write;

/// Returns the values that a text contains in any form.
pub(crate) fn found<'v>(values: &[&'v str], text: &str) -> Vec<&'v str> {
    let (lower, plain) = (text.to_lowercase(), undisguised(text));
    let stands = |value: &&str| in_either(value, text, &lower) || plain.contains(&value.to_lowercase());
    values.iter().copied().filter(stands).collect()
}

/// Whether a text contains a value.
pub(crate) fn stands(value: &str, text: &str) -> bool {
    in_either(value, text, &text.to_lowercase())
}

fn in_either(value: &str, text: &str, lower: &str) -> bool {
    least(folded(value)).iter().any(|form| lower.contains(form))
        || least(exact(value)).iter().any(|form| text.contains(form))
}

/// Returns the forms that contain no other form: if none of these is found, no other is.
fn least(forms: Vec<String>) -> BTreeSet<String> {
    let all: BTreeSet<String> = forms.into_iter().collect();
    all.iter()
        .filter(|form| !all.iter().any(|other| other != *form && form.contains(other)))
        .cloned()
        .collect()
}

/// Returns the forms that are compared without case.
fn folded(value: &str) -> Vec<String> {
    let mut forms = Vec::new();
    for value in [value.to_lowercase(), value.to_lowercase().replace('/', "\\")] {
        let json = |text: &str| {
            let quoted = serde_json::to_string(text).unwrap();
            quoted[1..quoted.len() - 1].to_owned()
        };
        let html = value.replace('&', "&amp;").replace('<', "&lt;").replace('"', "&quot;");
        let mut percent = String::new();
        for byte in value.bytes() {
            match byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) {
                true => percent.push(char::from(byte)),
                false => write!(percent, "%{byte:02x}").unwrap(),
            }
        }
        let escaped: String = value
            .chars()
            .map(|c| if c.is_ascii() { c.to_string() } else { format!("\\u{{{:x}}}", u32::from(c)) })
            .collect();
        let ascii: String = value
            .encode_utf16()
            .map(|unit| match unit {
                0x20..0x7f => char::from(unit as u8).to_string(),
                unit => format!("\\u{unit:04x}"),
            })
            .collect();
        let shown = json(&escaped);
        forms.extend([json(&value), json(&json(&value)), html, percent, escaped, shown, ascii, value]);
    }
    forms
}

/// Returns hex and Base64 at each of its three alignments, of UTF-8 and of UTF-16LE.
fn exact(value: &str) -> Vec<String> {
    let mut forms = Vec::new();
    for value in [value.to_owned(), value.to_lowercase(), value.to_uppercase()] {
        let wide: Vec<u8> = value.encode_utf16().flat_map(u16::to_le_bytes).collect();
        for bytes in [value.as_bytes(), &wide].into_iter().filter(|bytes| bytes.len() >= 6) {
            forms.push(hex(bytes));
            for before in 0..3 {
                let padded = [&[0u8; 2][..before], bytes].concat();
                let encoded = STANDARD_NO_PAD.encode(&padded);
                let skipped = [0, 2, 3][before];
                forms.push(encoded[skipped..padded.len() * 8 / 6].to_owned());
            }
        }
    }
    forms
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[test]
fn a_value_is_known_in_every_form() {
    let value = "C:/Users/Ann";
    let wide: Vec<u8> = value.encode_utf16().flat_map(u16::to_le_bytes).collect();
    for text in [
        "c:/users/ann".to_owned(),
        "C:\\\\Users\\\\Ann".to_owned(),
        "c%3A%5Cusers%5cann".to_owned(),
        hex(&wide),
        STANDARD_NO_PAD.encode([b"xyz", &wide[..]].concat()),
        STANDARD_NO_PAD.encode(format!("k{value}")),
    ] {
        assert!(stands(value, &text), "{text}");
    }
    assert!(!stands(value, "C:/Users/Eve, C:/User/Ann"));
}
