//! Finds the records that name indicators.

use crate::kind::{Kind, masked, network};
use crate::read::Indicator;
use aho_corasick::{AhoCorasick, AhoCorasickBuilder, MatchKind};
use ledger::{FieldValue, Record};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, HashMap};
use std::net::IpAddr;

/// The most characters of a reported value.
const TOLD: usize = 512;

/// The most bytes of a value that are searched.
const LOOKED_AT: usize = 1 << 20;

/// An indicator that a record names.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Hit {
    /// The number of the indicator.
    pub indicator: usize,
    /// The field that names it.
    pub field: String,
    /// The value of that field, shortened.
    pub value: String,
}

/// Indicators prepared for searching.
#[derive(Debug)]
pub struct Matcher {
    hashes: HashMap<String, usize>,
    /// By whether they are IPv4, and by the number of significant bits.
    networks: BTreeMap<(bool, u8), HashMap<IpAddr, usize>>,
    texts: Option<AhoCorasick>,
    needles: Vec<Needle>,
}

#[derive(Debug)]
struct Needle {
    indicator: usize,
    kind: Kind,
    /// The drive of a path, in lower case.
    drive: Option<char>,
    /// Whether a key belongs to users and not to the computer.
    of_users: bool,
}

/// The form of a record's value, as far as it decides what counts as a whole word in it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Form {
    /// A name or a path: backslashes separate its parts.
    Path,
    /// Words of any kind.
    Words,
}

impl Matcher {
    /// Prepares indicators.
    pub fn of(indicators: &[Indicator]) -> Matcher {
        let mut matcher =
            Matcher { hashes: HashMap::new(), networks: BTreeMap::new(), texts: None, needles: Vec::new() };
        let mut texts = Vec::new();
        for (number, indicator) in indicators.iter().enumerate() {
            let kind = indicator.kind;
            match kind {
                Kind::Hash => {
                    matcher.hashes.entry(indicator.value.to_lowercase()).or_insert(number);
                }
                Kind::Address => {
                    if let Some((address, bits)) = network(&indicator.value) {
                        let of_length = matcher.networks.entry((address.is_ipv4(), bits)).or_default();
                        of_length.entry(address).or_insert(number);
                    }
                }
                Kind::Domain | Kind::Url | Kind::FileName | Kind::Path | Kind::RegistryKey => {
                    let (text, drive, of_users) = needle(kind, &indicator.value);
                    if text.len() > 2 {
                        texts.push(text);
                        matcher.needles.push(Needle { indicator: number, kind, drive, of_users });
                    }
                }
            }
        }
        matcher.texts = AhoCorasickBuilder::new()
            .match_kind(MatchKind::Standard)
            .build(&texts)
            .ok()
            .filter(|_| !texts.is_empty());
        matcher
    }

    /// Returns the indicators that a record names, each once; `further` are other forms of the record's texts, each with its field.
    pub fn hits(&self, record: &Record, further: &[(&str, String)]) -> Vec<Hit> {
        let mut hits: BTreeMap<usize, Hit> = BTreeMap::new();
        for (field, held) in &record.fields {
            self.of_value(field, &held.value, &mut hits);
        }
        for (field, text) in further {
            self.of_text(field, text, Form::Path, &mut hits);
        }
        hits.into_values().collect()
    }

    fn of_value(&self, field: &str, value: &FieldValue, hits: &mut BTreeMap<usize, Hit>) {
        match value {
            FieldValue::Text(text) => self.of_text(field, text, Form::Words, hits),
            FieldValue::Name(text) | FieldValue::Path(text) | FieldValue::RegistryPath(text) => {
                self.of_text(field, text, Form::Path, hits);
            }
            FieldValue::Hash(text) => self.of_hashes(field, text, &text.to_lowercase(), hits),
            FieldValue::List(items) => {
                for item in items {
                    self.of_text(field, item, Form::Words, hits);
                }
            }
            FieldValue::Time(_)
            | FieldValue::Integer(_)
            | FieldValue::Size(_)
            | FieldValue::Sid(_)
            | FieldValue::Guid(_)
            | FieldValue::Bytes(_)
            | FieldValue::Flag(_) => {}
        }
    }

    fn of_text(&self, field: &str, text: &str, form: Form, hits: &mut BTreeMap<usize, Hit>) {
        let looked_at = text.get(..text.floor_char_boundary(LOOKED_AT)).unwrap_or_default();
        let lower = looked_at.to_lowercase().replace('/', "\\");
        self.of_hashes(field, text, &lower, hits);
        // The four numbers of a version look like an address.
        if !field.contains("version") {
            self.of_addresses(field, text, &lower, hits);
        }
        let Some(automaton) = &self.texts else { return };
        for found in automaton.find_overlapping_iter(&lower) {
            let Some(needle) = self.needles.get(found.pattern().as_usize()) else { continue };
            let (before, after) = (lower.get(..found.start()), lower.get(found.end()..));
            if let (Some(before), Some(after)) = (before, after)
                && stands_alone(needle, before, after, form)
            {
                add(hits, needle.indicator, field, text);
            }
        }
    }

    fn of_hashes(&self, field: &str, text: &str, lower: &str, hits: &mut BTreeMap<usize, Hit>) {
        if self.hashes.is_empty() || lower.len() < 32 {
            return;
        }
        for word in lower.split(|it: char| !it.is_alphanumeric()) {
            if matches!(word.len(), 32 | 40 | 64)
                && let Some(indicator) = self.hashes.get(word)
            {
                add(hits, *indicator, field, text);
            }
        }
    }

    fn of_addresses(&self, field: &str, text: &str, lower: &str, hits: &mut BTreeMap<usize, Hit>) {
        if self.networks.is_empty() {
            return;
        }
        let words = lower.split(|it: char| !(it.is_alphanumeric() || matches!(it, '.' | ':')));
        for address in words.filter(|word| word.len() > 2).filter_map(address) {
            let address = match address {
                IpAddr::V6(six) => six.to_ipv4_mapped().map_or(address, IpAddr::V4),
                IpAddr::V4(_) => address,
            };
            for ((is_four, bits), networks) in &self.networks {
                if *is_four == address.is_ipv4()
                    && let Some(indicator) = networks.get(&masked(address, *bits))
                {
                    add(hits, *indicator, field, text);
                }
            }
        }
    }
}

fn add(hits: &mut BTreeMap<usize, Hit>, indicator: usize, field: &str, text: &str) {
    hits.entry(indicator).or_insert_with(|| {
        let short: String = text.chars().take(TOLD).collect();
        let cut = if short.len() < text.len() { "…" } else { "" };
        Hit { indicator, field: field.to_owned(), value: format!("{short}{cut}") }
    });
}

/// Reads a word as an address, with or without a port.
fn address(word: &str) -> Option<IpAddr> {
    let word = word.trim_end_matches(['.', ':']);
    let plain = word.parse().ok();
    plain.or_else(|| word.rsplit_once(':').and_then(|(address, _)| address.parse().ok()))
}

/// Returns the text to search for, in lower case with backslashes; also the drive of a path, and whether a key belongs to users.
fn needle(kind: Kind, value: &str) -> (String, Option<char>, bool) {
    let lower = value.to_lowercase().replace('/', "\\");
    match kind {
        Kind::Domain => (lower.trim_start_matches("*.").trim_end_matches('.').to_owned(), None, false),
        Kind::Url => (lower.trim_end_matches('\\').to_owned(), None, false),
        Kind::Path => path(&lower),
        Kind::RegistryKey => key(&lower),
        Kind::FileName | Kind::Hash | Kind::Address => (lower, None, false),
    }
}

fn path(lower: &str) -> (String, Option<char>, bool) {
    let lower = lower.trim_end_matches('\\');
    // A variable means an unknown folder.
    if let Some((_, rest)) = lower.strip_prefix('%').and_then(|rest| rest.split_once('%')) {
        return (rest.to_owned(), None, false);
    }
    match lower.split_once(':') {
        Some((drive, rest)) if drive.len() == 1 && rest.starts_with('\\') => {
            (rest.to_owned(), drive.chars().next(), false)
        }
        _ => (lower.to_owned(), None, false),
    }
}

fn key(lower: &str) -> (String, Option<char>, bool) {
    let lower = lower.trim_end_matches('\\');
    let (root, rest) = lower.split_once('\\').unwrap_or(("", lower));
    let text = match root {
        "hklm" | "hkey_local_machine" => (format!("\\{rest}"), false),
        "hkcu" | "hkey_current_user" => (format!("\\{rest}"), true),
        "hku" | "hkey_users" => (format!("\\{}", rest.split_once('\\').map_or(rest, |(_, rest)| rest)), true),
        "hkcr" | "hkey_classes_root" => (format!("\\software\\classes\\{rest}"), false),
        _ => (lower.to_owned(), false),
    };
    let (text, of_users) = text;
    (with_current_set(&text), None, of_users)
}

/// Replaces a numbered control set in a key by the current one.
fn with_current_set(key: &str) -> String {
    let Some((before, behind)) = key.split_once("\\controlset00") else { return key.to_owned() };
    let rest = behind.trim_start_matches(|it: char| it.is_ascii_digit());
    format!("{before}\\currentcontrolset{rest}")
}

/// Checks whether the text found is not part of a longer word.
fn stands_alone(needle: &Needle, before: &str, after: &str, form: Form) -> bool {
    let is_word = |it: char| it.is_alphanumeric() || matches!(it, '-' | '_');
    let (last, mut behind) = (before.chars().next_back(), after.chars());
    let (next, second) = (behind.next(), behind.next());
    // A dot ends a sentence, or continues with an extension or a parent domain.
    let goes_on = match next {
        Some('.') => second.is_some_and(is_word),
        Some(next) => is_word(next),
        None => false,
    };
    match needle.kind {
        Kind::Domain => !goes_on && !last.is_some_and(is_word),
        Kind::Url => !goes_on && next != Some('%') && !last.is_some_and(char::is_alphanumeric),
        Kind::FileName => {
            let begins = match (form, last) {
                (_, None | Some('\\')) => true,
                (Form::Path, Some(_)) => false,
                (Form::Words, Some(last)) => {
                    !is_word(last) && !matches!(last, '.' | '~' | '$' | '%' | '@' | '+')
                }
            };
            begins && !goes_on
        }
        Kind::Path => !goes_on && is_on_drive(needle.drive, before),
        Kind::RegistryKey => {
            let root = before.rsplit([' ', '"', '\'', '=']).next().unwrap_or_default();
            let is_of_users = ["hku", "hkcu", "hkey_users", "hkey_current_user", "\\registry\\user"]
                .iter()
                .any(|users| root.starts_with(users));
            let is_known = root.starts_with("hk") || root.starts_with("\\registry");
            !goes_on && (!is_known || is_of_users == needle.of_users)
        }
        Kind::Hash | Kind::Address => false,
    }
}

/// Checks whether the text before a path names no other drive.
fn is_on_drive(drive: Option<char>, before: &str) -> bool {
    let Some(drive) = drive else { return true };
    let mut before = before.chars().rev();
    match (before.next(), before.next()) {
        (Some(':'), Some(own)) => own == drive,
        // A path of the evidence has its drive without a colon.
        (Some(own), None | Some('\\')) if own.is_ascii_alphabetic() => own == drive,
        _ => true,
    }
}
