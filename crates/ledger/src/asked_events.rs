//! Recognises a `where` search that asks only for event ids of one channel.

use std::collections::BTreeSet;

/// Events with certain ids in one channel.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AskedEvents {
    /// The channel, ignoring letter case.
    pub channel: String,
    /// The provider of the events, ignoring letter case; `None` for any provider.
    pub provider: Option<String>,
    /// Their ids.
    pub ids: BTreeSet<u32>,
}

/// Reads `channel = 'Security' AND provider = 'Microsoft-Windows-Eventlog' AND event_id IN (1102, 4719)`.
/// The parts may be in any order, with `=` or `IN`, and without a provider; `None` for any other condition.
///
/// A further condition would narrow the search, and a condition that the tool reads differently would be another search.
/// So a condition in any other form covers nothing.
pub fn asked_events(condition: &str) -> Option<AskedEvents> {
    let (mut channel, mut provider, mut ids) = (None, None, None);
    for part in split(condition)? {
        // A second condition on the same field would narrow the search.
        let is_new = if let Some(name) = named(part, "channel") {
            channel.replace(name).is_none()
        } else if let Some(name) = named(part, "provider") {
            provider.replace(name).is_none()
        } else {
            ids.replace(self::ids(part)?).is_none()
        };
        if !is_new {
            return None;
        }
    }
    Some(AskedEvents { channel: channel?, provider, ids: ids? })
}

/// Splits a condition at each AND outside quotes.
fn split(text: &str) -> Option<Vec<&str>> {
    let mut parts = Vec::new();
    let (mut begin, mut quoted) = (0, false);
    for (at, letter) in text.char_indices() {
        quoted ^= letter == '\'';
        let is_and = !quoted && at >= begin && letter.is_whitespace() && {
            let mut words = text.get(at..)?.split_whitespace();
            words.next().is_some_and(|word| word.eq_ignore_ascii_case("and"))
        };
        if is_and {
            let rest = text.get(at..)?;
            parts.push(text.get(begin..at)?);
            begin = at + (rest.len() - rest.trim_start().len()) + "and".len();
        }
    }
    parts.push(text.get(begin..)?);
    Some(parts.into_iter().map(str::trim).collect())
}

/// Returns the text of `FIELD = '…'` or `FIELD IN ('…')`.
fn named(condition: &str, field: &str) -> Option<String> {
    let rest = after(condition, field)?;
    let value = match rest.strip_prefix('=') {
        Some(value) => value.trim(),
        None => after(rest, "in")?.strip_prefix('(')?.strip_suffix(')')?.trim(),
    };
    let inside = value.strip_prefix('\'')?.strip_suffix('\'')?;
    let plain = inside.replace("''", "");
    (!inside.trim().is_empty() && !plain.contains('\'')).then(|| inside.replace("''", "'"))
}

/// Returns the ids of `event_id = …` or `event_id IN (…)`.
fn ids(condition: &str) -> Option<BTreeSet<u32>> {
    let rest = after(condition, "event_id")?;
    // A number in quotes is compared as a number.
    let id = |text: &str| {
        let text = text.trim();
        let bare = text.strip_prefix('\'').and_then(|text| text.strip_suffix('\'')).unwrap_or(text);
        bare.parse::<u32>().ok()
    };
    if let Some(value) = rest.strip_prefix('=') {
        return Some(BTreeSet::from([id(value)?]));
    }
    let inside = after(rest, "in")?.strip_prefix('(')?.strip_suffix(')')?;
    inside.split(',').map(id).collect()
}

/// Returns what follows a word at the beginning of a text.
fn after<'t>(text: &'t str, word: &str) -> Option<&'t str> {
    let text = text.trim();
    let (first, rest) = text.split_at_checked(word.len())?;
    let ends = rest.starts_with(|letter: char| letter.is_whitespace() || matches!(letter, '=' | '('));
    (first.eq_ignore_ascii_case(word) && ends).then(|| rest.trim())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_ids_of_one_channel_are_read() {
        let asked = |channel: &str, ids: &[u32]| {
            let (channel, ids) = (channel.to_owned(), ids.iter().copied().collect());
            Some(AskedEvents { channel, provider: None, ids })
        };
        let of = |provider: &str, asked: Option<AskedEvents>| {
            asked.map(|asked| AskedEvents { provider: Some(provider.to_owned()), ..asked })
        };
        for (condition, expected) in [
            ("channel = 'Security' AND event_id = 1102", asked("Security", &[1102])),
            ("event_id IN (1102, 4719) and channel='Security'", asked("Security", &[1102, 4719])),
            ("event_id in(1) AND channel = 'O''Neil and sons'", asked("O'Neil and sons", &[1])),
            ("channel IN ('Security') AND event_id IN ('1102', 4719)", asked("Security", &[1102, 4719])),
            ("channel = 'Security' AND event_id = '1102'", asked("Security", &[1102])),
            (
                "channel = 'System' AND provider = 'Service Control Manager' AND event_id = 7045",
                of("Service Control Manager", asked("System", &[7045])),
            ),
            (
                "event_id = 7045 AND provider IN ('x and y') AND channel = 'System'",
                of("x and y", asked("System", &[7045])),
            ),
            ("channel = 'System' AND provider = 'x'", None),
            ("provider = 'x' AND event_id = 7045", None),
            ("channel = 'System' AND provider = 'x' AND provider = 'y' AND event_id = 7045", None),
            ("channel = 'System' AND event_id = 7045 AND event_id = 7036", None),
            ("channel = 'System' AND provider LIKE 'x%' AND event_id = 7045", None),
            ("channel = 'System' AND provider IN ('x', 'y') AND event_id = 7045", None),
            ("channel = 'System' AND provider = '' AND event_id = 7045", None),
            ("channel = 'System' AND AND event_id = 7045", None),
            ("channel IN ('Security', 'System') AND event_id = 1102", None),
            ("channel IN () AND event_id = 1102", None),
            ("channel = 'Security' AND event_id = ''1102''", None),
            ("channel = 'Security'", None),
            ("event_id = 1102", None),
            ("channel = 'Security' AND event_id = 1102 AND account = 'x'", None),
            ("channel = 'Security' AND event_id <> 1102", None),
            ("channel LIKE 'S%' AND event_id = 1102", None),
            ("channel = 'Security' AND event_id IN (1102, 'x')", None),
            ("channel = 'Security' AND event_id IN ()", None),
            ("channel = 'a' OR 'b' AND event_id = 1", None),
            ("channel = 'a' AND channel = 'b'", None),
            ("channelx = 'a' AND event_id = 1", None),
            ("channel = '' AND event_id = 1", None),
            ("", None),
        ] {
            assert_eq!(asked_events(condition), expected, "{condition}");
        }
    }
}
