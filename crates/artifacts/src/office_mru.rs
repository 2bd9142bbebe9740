//! Entries in the lists of recent files and places of Microsoft Office.
//!
//! Source: Joachim Metz, winreg-kb, "Microsoft Office", section "Item MRU keys" (github.com/libyal/winreg-kb):
//! `[F00000000][T<FILETIME in hexadecimal>][O00000000]*<path>`, from Office 2007 on.

use crate::fields::Located;
use crate::registry::Filetime;

/// An entry; offsets are those in the text as UTF-16, as in a `REG_SZ`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// When the file or place was last used through Office.
    pub used: Option<Located<Filetime>>,
    /// The path or address.
    pub path: Located<String>,
}

/// Parses an entry; `None` if the text has another form.
pub fn entry(text: &str) -> Option<Entry> {
    let (head, path) = text.split_once("]*")?;
    if path.is_empty() || !head.starts_with('[') {
        return None;
    }
    let head_length = units(head) + 2;
    let (mut at, mut used) = (0, None);
    for group in head.split(']') {
        let inner = group.strip_prefix('[')?;
        if let Some(ticks) = inner.strip_prefix('T').and_then(filetime) {
            used.get_or_insert(Located::new(ticks, (at + 2) * 2, 32));
        }
        at += units(group) + 1;
    }
    let path = Located::new(path.to_owned(), head_length * 2, units(path) * 2);
    Some(Entry { used, path })
}

fn filetime(digits: &str) -> Option<Filetime> {
    let whole = digits.len() == 16 && digits.bytes().all(|digit| digit.is_ascii_hexdigit());
    u64::from_str_radix(digits, 16).ok().filter(|_| whole).map(Filetime)
}

fn units(text: &str) -> usize {
    text.encode_utf16().count()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn an_entry_has_a_time_and_a_path() {
        let path = "C:\\Users\\a\\ä]*.xlsx";
        for (head, time_at) in [
            ("[F00000000][T01CD1279A729A700]", Some(26)),
            ("[F00000000][T01CD1279A729A700][O00000000]", Some(26)),
            ("[F00000000][T00]", None),
            ("[F00000000]", None),
        ] {
            let text = format!("{head}*{path}");
            let entry = entry(&text).unwrap();
            let expected = time_at.map(|at| Located::new(Filetime(0x01CD_1279_A729_A700), at, 32));
            assert_eq!(entry.used, expected, "{head}");
            let units: Vec<u16> = text.encode_utf16().collect();
            let (begin, end) = (entry.path.offset / 2, (entry.path.offset + entry.path.length) / 2);
            assert_eq!(String::from_utf16(&units[begin..end]).unwrap(), path);
            assert_eq!(entry.path.value, path);
            if let Some(used) = entry.used {
                assert_eq!(&text[used.offset / 2..][..16], "01CD1279A729A700");
            }
        }
    }

    #[test]
    fn other_texts_are_no_entries() {
        for text in ["", "25", "C:\\a.docx", "[F00000000][T01CD1279A729A700]", "[F0]x[T0]*C:\\a", "[F0]*"] {
            assert_eq!(entry(text), None, "{text}");
        }
    }

    proptest! {
        #[test]
        fn nothing_panics(text in "[\\[\\]*FTO0-9a-zä𝄞]{0,60}") {
            let _ = entry(&text);
        }
    }
}
