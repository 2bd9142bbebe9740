//! When two texts might be taken for the same: far more loosely than any gateway should.
//!
//! A seeded falsehood must not be true in any sense, so that this errs on the side of sameness.
//! It is written from the description of the rules alone and uses nothing of `ground`.

use ledger::{FieldValue, Time, Utc};

/// The roots of the registry with their short names.
const ROOTS: [(&str, &str); 5] = [
    ("hkey_local_machine", "hklm"),
    ("hkey_current_user", "hkcu"),
    ("hkey_users", "hku"),
    ("hkey_classes_root", "hkcr"),
    ("hkey_current_config", "hkcc"),
];

/// Where the hives of the machine are mounted.
const MOUNTS: [&str; 4] = ["hklm\\software\\", "hklm\\system\\", "hklm\\sam\\", "hklm\\security\\"];

/// Whether a claim of `text` might be said to state `value`.
pub(super) fn alike(text: &str, value: &FieldValue) -> bool {
    if let (FieldValue::Time(time), Some((instant, decimals))) = (value, instant(text)) {
        return same_instant(instant, decimals, time);
    }
    let claimed = text_keys(text);
    value_keys(value).iter().any(|key| claimed.contains(key))
}

/// What a claimed text can be looked up by.
pub(super) fn text_keys(text: &str) -> Vec<String> {
    let mut keys = forms(text);
    if let Some((instant, _)) = instant(text) {
        keys.push(second(instant));
    }
    keys
}

/// What a value of the evidence is found by: a key in common with a text that is [`alike`].
pub(super) fn value_keys(value: &FieldValue) -> Vec<String> {
    match value {
        FieldValue::Text(text)
        | FieldValue::Name(text)
        | FieldValue::Path(text)
        | FieldValue::RegistryPath(text)
        | FieldValue::Sid(text)
        | FieldValue::Guid(text)
        | FieldValue::Hash(text)
        | FieldValue::Bytes(text) => forms(text),
        FieldValue::Time(time) => time_keys(time),
        FieldValue::Integer(number) => vec![number_key(*number)],
        FieldValue::Size(number) => vec![number_key(i128::from(*number))],
        FieldValue::Flag(flag) => vec![flag.to_string()],
        FieldValue::List(items) => {
            let mut keys: Vec<String> = items.iter().flat_map(|item| forms(item)).collect();
            keys.extend(forms(&items.join("; ")));
            keys
        }
    }
}

/// White space in runs of one, letter case folded.
pub(super) fn flat(text: &str) -> String {
    // Letter by letter: of a whole text a sigma at the end of a word would become another letter than inside.
    let lower: String = text.chars().flat_map(char::to_lowercase).collect();
    lower.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The text as it may be meant: without marks around it, escapes undone, roots and drives in one form, as a number.
fn forms(text: &str) -> Vec<String> {
    let mut forms = vec![squash(text)];
    if text.contains('\\')
        && let Ok(plain) = serde_json::from_str::<String>(&format!("\"{}\"", bare(text)))
    {
        forms.push(squash(&plain));
    }
    for place in 0..forms.len() {
        let more = forms.get(place).map(|form| placed(form)).unwrap_or_default();
        forms.extend(more);
    }
    forms.extend(whole_number(bare(text)).map(number_key));
    forms
}

/// Without the white space, quotation marks and braces around it.
fn bare(text: &str) -> &str {
    let pairs = [('"', '"'), ('\'', '\''), ('`', '`'), ('{', '}')];
    let mut text = text.trim();
    loop {
        let inside = |(open, close): (char, char)| text.strip_prefix(open)?.strip_suffix(close);
        match pairs.into_iter().find_map(inside) {
            Some(inner) => text = inner.trim(),
            None => return text,
        }
    }
}

fn squash(text: &str) -> String {
    let turned = flat(bare(text)).replace('/', "\\");
    turned.split('\\').filter(|part| !part.is_empty()).collect::<Vec<_>>().join("\\")
}

/// Other ways to write the place that a folded path names.
fn placed(form: &str) -> Vec<String> {
    let mut more = Vec::new();
    let mut short = form.to_owned();
    for (long, alias) in ROOTS {
        if let Some(rest) = form.strip_prefix(long)
            && (rest.is_empty() || rest.starts_with('\\'))
        {
            short = format!("{alias}{rest}");
            more.push(short.clone());
        }
    }
    more.extend(MOUNTS.iter().filter_map(|mount| short.strip_prefix(mount)).map(str::to_owned));
    // The namespace of devices before a drive names nothing.
    let plain = ["??\\", "?\\"].into_iter().find_map(|device| form.strip_prefix(device)).unwrap_or(form);
    if let Some((drive, rest)) = plain.split_once(":\\")
        && drive.len() == 1
    {
        more.extend([plain.to_owned(), format!("{drive}\\{rest}")]);
    }
    more
}

/// A whole number in decimal or hex digits, with or without separators of thousands and the word "bytes".
fn whole_number(text: &str) -> Option<i128> {
    let text = text.to_ascii_lowercase();
    let plain = text.strip_suffix("bytes").unwrap_or(&text).trim_end().replace(',', "");
    let (sign, digits) = match plain.strip_prefix('-') {
        Some(digits) => (-1, digits),
        None => (1, plain.as_str()),
    };
    let number = match digits.strip_prefix("0x") {
        Some(digits) => i128::from_str_radix(digits, 16),
        None => digits.parse(),
    };
    number.ok().and_then(|number| number.checked_mul(sign))
}

fn number_key(number: i128) -> String {
    format!("number {number}")
}

fn second(utc: Utc) -> String {
    format!("second {}", utc.unix_nanoseconds().div_euclid(1_000_000_000))
}

/// The instant that a text states, and the decimal places of its second.
fn instant(text: &str) -> Option<(Utc, usize)> {
    let text = bare(text);
    let utc: Utc = text.parse().ok()?;
    let fraction = text.split_once('.').map_or("", |(_, rest)| rest);
    Some((utc, fraction.bytes().take_while(u8::is_ascii_digit).count().min(9)))
}

/// Whether the instant is the time, cut to the places that are claimed.
fn same_instant(instant: Utc, decimals: usize, time: &Time) -> bool {
    let Some(utc) = time.utc else { return false };
    let step = (decimals..9).fold(1i128, |step, _| step * 10);
    let cut = |utc: Utc| utc.unix_nanoseconds().div_euclid(step);
    cut(utc) == cut(instant)
}

fn time_keys(time: &Time) -> Vec<String> {
    let mut keys = forms(&time.raw);
    keys.extend(forms(&time.to_text()));
    if let Some(utc) = time.utc {
        let nanoseconds = utc.unix_nanoseconds();
        keys.push(second(utc));
        keys.extend([1_000, 1_000_000, 1_000_000_000].map(|unit| number_key(nanoseconds.div_euclid(unit))));
        keys.push(number_key(nanoseconds.div_euclid(100) + 116_444_736_000_000_000));
    }
    keys
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ways_to_write_the_same_value_are_alike() {
        let path = FieldValue::Path("C/Users/mara/a b.txt".into());
        for text in
            ["c:\\users\\MARA\\a b.txt", "`C/Users/mara/a  b.txt`", "C:\\\\Users\\\\mara\\\\a b.txt\n"]
        {
            assert!(alike(text, &path), "{text}");
        }
        let key = FieldValue::RegistryPath("Microsoft\\Windows".into());
        assert!(alike("HKEY_LOCAL_MACHINE\\SOFTWARE\\Microsoft\\Windows", &key));
        assert!(alike("0x2000", &FieldValue::Size(8192)) && alike("8,192 bytes", &FieldValue::Size(8192)));
        let time = FieldValue::Time(Time::from_filetime(129_779_783_208_392_490));
        for text in
            ["2012-04-04T03:58:40+02:00", "129779783208392490", "1333504720", "2012-04-04T01:58:40.839Z"]
        {
            assert!(alike(text, &time), "{text}");
        }
    }

    #[test]
    fn other_values_are_not_alike() {
        let path = FieldValue::Path("C/Users/mara/a.txt".into());
        for text in ["C/Users/mara", "C/Users/mara/b.txt", "C/Users/m\u{430}ra/a.txt"] {
            assert!(!alike(text, &path), "{text}");
        }
        let time = FieldValue::Time(Time::from_filetime(129_779_783_208_392_490));
        for text in ["2012-04-04T01:58:41Z", "2012-04-04T01:58:40.838Z", "129779783208392491"] {
            assert!(!alike(text, &time), "{text}");
        }
    }
}
