//! Edits JSON like a forger who wants it to look valid.

use crate::random::Random;
use serde_json::Value;

/// Returns the pointers of everything in a value that is not an object.
pub(super) fn leaves(value: &Value) -> Vec<String> {
    let mut found = Vec::new();
    gather(value, String::new(), &mut found);
    found
}

fn gather(value: &Value, pointer: String, found: &mut Vec<String>) {
    match value {
        Value::Object(members) => {
            for (name, member) in members {
                let name = name.replace('~', "~0").replace('/', "~1");
                gather(member, format!("{pointer}/{name}"), found);
            }
        }
        Value::Array(items) => {
            found.push(pointer.clone());
            for (number, item) in items.iter().enumerate() {
                gather(item, format!("{pointer}/{number}"), found);
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => found.push(pointer),
    }
}

/// Picks a leaf of a value.
pub(super) fn leaf(value: &Value, random: &mut Random) -> Option<String> {
    let all = leaves(value);
    random.pick(&all).cloned()
}

/// Replaces a value by another one of the same type.
pub(super) fn another(value: &mut Value, random: &mut Random) {
    match value {
        Value::Null => *value = "x".into(),
        Value::Bool(flag) => *flag = !*flag,
        Value::Number(number) => {
            let by = 1 + random.below(300) as u64;
            let other = number.as_u64().map_or(by, |number| match random.below(2) {
                0 => number.wrapping_add(by),
                _ => number.saturating_sub(by.min(number)).wrapping_add(u64::from(number == 0)),
            });
            *value = other.into();
        }
        Value::String(text) => *text = other_text(text, random),
        Value::Array(items) => match (items.len(), random.below(3)) {
            (0, _) => items.push("x".into()),
            (_, 0) => drop(items.pop()),
            (1, _) | (_, 1) => items.extend(items.first().cloned()),
            (length, _) => {
                let at = random.below(length - 1);
                items.swap(at, at + 1);
            }
        },
        Value::Object(members) => {
            members.insert("x".to_owned(), "x".into());
        }
    }
}

/// Returns another text: with one character replaced by one of its kind, or longer or shorter.
pub(super) fn other_text(text: &str, random: &mut Random) -> String {
    let mut characters: Vec<char> = text.chars().collect();
    let at = random.below(characters.len());
    match (characters.get_mut(at), random.below(4)) {
        (None, _) | (_, 0) => characters.push('x'),
        (Some(_), 1) => drop(characters.remove(at)),
        (Some(character), _) => {
            *character = match character {
                '0'..='8' | 'a'..='e' | 'g'..='y' | 'A'..='Y' => char::from(*character as u8 + 1),
                '9' => '0',
                'f' => 'a',
                'z' => 'a',
                'Z' => 'A',
                _ => 'x',
            }
        }
    }
    characters.into_iter().collect()
}

/// Returns a value of another JSON type.
pub(super) fn another_type(value: &Value, random: &mut Random) -> Value {
    let all = [Value::Null, true.into(), 7.into(), "7".into(), Value::Array(vec![]), serde_json::json!({})];
    let others: Vec<Value> =
        all.into_iter().filter(|one| std::mem::discriminant(one) != std::mem::discriminant(value)).collect();
    random.pick(&others).cloned().unwrap_or_default()
}

/// Removes the member or item at a pointer.
pub(super) fn remove(value: &mut Value, pointer: &str) -> Option<Value> {
    let (above, name) = pointer.rsplit_once('/')?;
    match value.pointer_mut(above)? {
        Value::Object(members) => members.remove(&name.replace("~1", "/").replace("~0", "~")),
        Value::Array(items) => {
            name.parse().ok().filter(|at| *at < items.len()).map(|at: usize| items.remove(at))
        }
        _ => None,
    }
}

/// Returns the text with one deviation from canonical form; `None` if it has no place for one.
pub(super) fn not_canonical(text: &[u8], random: &mut Random) -> Option<(Vec<u8>, &'static str)> {
    let text = std::str::from_utf8(text).ok()?;
    let first = text.find(':')?;
    let changed = match random.below(9) {
        0 => (text.replacen(':', ": ", 1), "a blank"),
        1 => (format!("{text} "), "a blank at the end"),
        2 => (format!("{text}\n"), "a line feed at the end"),
        3 => (text.replacen('{', "{\"~\":1,", 1), "a member out of its place"),
        4 => (doubled(text)?, "a member twice"),
        5 => (escaped(text, first)?, "a letter as an escape"),
        6 => (number(text, ".0")?, "a fraction"),
        7 => (number(text, "e0")?, "an exponent"),
        _ => (text.replacen('/', "\\/", 1), "an escaped solidus"),
    };
    let read: Option<Value> = serde_json::from_str(&changed.0).ok();
    let canonical = read.and_then(|value| ledger::canonical::to_string(&value).ok());
    (canonical.as_deref() != Some(&*changed.0)).then(|| (changed.0.into_bytes(), changed.1))
}

/// Duplicates the first member.
fn doubled(text: &str) -> Option<String> {
    let value: serde_json::Map<String, Value> = serde_json::from_str(text).ok()?;
    let (name, member) = value.iter().next()?;
    let written = format!("{}:{member}", Value::from(name.as_str()));
    Some(text.replacen('{', &format!("{{{written},"), 1))
}

/// Writes the first letter of the first name as an escape.
fn escaped(text: &str, colon: usize) -> Option<String> {
    let quote = text.get(..colon)?.rfind('"')?;
    let start = text.get(..quote)?.rfind('"')? + 1;
    let letter = text.get(start..)?.chars().next()?;
    Some(format!("{}\\u{:04x}{}", text.get(..start)?, letter as u32, text.get(start + letter.len_utf8()..)?))
}

/// Adds something after the first number.
fn number(text: &str, behind: &str) -> Option<String> {
    let at = text
        .match_indices(':')
        .map(|(at, _)| at + 1)
        .find(|at| text.get(*at..).is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit())))?;
    let end = at + text.get(at..)?.find(|c: char| !c.is_ascii_digit())?;
    // Inside a text it would not be a number.
    text.get(end..)?.starts_with([',', '}']).then(|| format!("{}{behind}{}", &text[..end], &text[end..]))
}
