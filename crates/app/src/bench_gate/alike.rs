//! Decides whether two texts might count as the same, far more loosely than any gateway should.
//!
//! A seeded false claim must not be true in any sense, so this errs towards sameness.
//! It is written from the description of the rules alone and uses no code of `ground`.

use ledger::{FieldValue, Time, Utc};

/// The registry roots with their abbreviations.
const ROOTS: [(&str, &str); 5] = [
    ("hkey_local_machine", "hklm"),
    ("hkey_current_user", "hkcu"),
    ("hkey_users", "hku"),
    ("hkey_classes_root", "hkcr"),
    ("hkey_current_config", "hkcc"),
];

/// The mount points of the machine's hives.
const MOUNTS: [&str; 4] = ["hklm\\software\\", "hklm\\system\\", "hklm\\sam\\", "hklm\\security\\"];

/// Whether a claimed `text` might count as stating `value`.
pub(super) fn alike(text: &str, value: &FieldValue) -> bool {
    if let (FieldValue::Time(time), Some((instant, decimals))) = (value, instant(text)) {
        return same_instant(instant, decimals, time);
    }
    let claimed = text_keys(text);
    value_keys(value).iter().any(|key| claimed.contains(key))
}

/// Returns the keys under which a claimed text is looked up.
pub(super) fn text_keys(text: &str) -> Vec<String> {
    let mut keys = forms(text);
    if let Some((instant, _)) = instant(text) {
        keys.push(second(instant));
    }
    keys
}

/// Returns the keys of a value; it shares at least one with every text that is [`alike`].
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

/// Returns a text in lower case, with runs of white space merged.
pub(super) fn flat(text: &str) -> String {
    // Character by character, because `str::to_lowercase` maps a sigma at the end of a word differently.
    let lower: String = text.chars().flat_map(char::to_lowercase).collect();
    lower.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Returns the possible meanings of a text: without enclosing marks, with
/// escapes resolved, with roots and drives in one form, and as a number.
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

/// Strips enclosing white space, quotation marks and braces.
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

/// Returns other spellings of the place that a normalised path names.
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
    // The device namespace before a drive carries no meaning.
    let plain = ["??\\", "?\\"].into_iter().find_map(|device| form.strip_prefix(device)).unwrap_or(form);
    if let Some((drive, rest)) = plain.split_once(":\\")
        && drive.len() == 1
    {
        more.extend([plain.to_owned(), format!("{drive}\\{rest}")]);
    }
    more
}

/// Parses a whole number in decimal or hex digits, optionally with thousands separators and the word "bytes".
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

/// Parses an instant; also returns the number of decimal places of its second.
fn instant(text: &str) -> Option<(Utc, usize)> {
    let text = bare(text);
    let utc: Utc = text.parse().ok()?;
    let fraction = text.split_once('.').map_or("", |(_, rest)| rest);
    Some((utc, fraction.bytes().take_while(u8::is_ascii_digit).count().min(9)))
}

/// Whether the instant equals the time, cut to the claimed decimal places.
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
