//! The values of a run that are withheld, and the forms in which they are sought.

use crate::events::tree;
use crate::finders::{Finder, unc_hosts};
use crate::profile::Profile;
use crate::search::{Needle, folded, foldings};
use crate::{Events, Outputs, output_digests};
use base64::Engine;
use base64::engine::general_purpose::STANDARD_NO_PAD;
use graph::Run;
use ledger::digest::hex;
use ledger::{FieldValue, Output, Precision};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// How the report calls what is found by its field.
pub(crate) const OF_FIELDS: &str = "values of withheld fields";
/// How it calls what the profile names itself.
pub(crate) const NAMED: &str = "values that the profile names";
/// How it calls what is a part of a withheld value.
const PARTS: &str = "parts of withheld values";

/// Fewest characters of a value that is sought in texts at all.
const SOUGHT: usize = 3;
/// Most characters of a value that counts only where it stands as a word.
const SHORT: usize = 4;
/// Fewest characters of the last part of a path that tells one from another.
const TELLING: usize = 5;
/// Fewest letters of a word of a person's name.
const WORD: usize = 4;

/// What is withheld of a run.
#[derive(Debug, Default)]
pub(crate) struct Gathered {
    /// The values as they are written, and what found them first.
    pub(crate) values: BTreeMap<String, &'static str>,
    /// Words of ours: a value that is one counts only where it stands as a word.
    pub(crate) words: BTreeSet<String>,
}

impl Gathered {
    fn add(&mut self, profile: &Profile, value: &str, rule: &'static str) {
        let value = value.trim();
        if !profile.excepts(value) {
            self.values.entry(value.to_owned()).or_insert(rule);
        }
    }

    /// What a field that a rule names holds.
    fn add_ruled(&mut self, profile: &Profile, kind: &str, field: &str, value: &FieldValue) {
        let Some(rule) = profile.rule(kind, field).filter(|rule| rule.sought) else { return };
        self.add_field(profile, value);
        let whole = value.as_text().filter(|text| rule.words && !profile.excepts(text)).unwrap_or_default();
        let words = whole.split(|c: char| !c.is_alphanumeric());
        words.filter(|word| word.chars().count() >= WORD).for_each(|word| self.add(profile, word, PARTS));
    }

    /// A withheld value, and what of it tells as much: account and domain, the last part of a path.
    fn add_field(&mut self, profile: &Profile, value: &FieldValue) {
        match value {
            FieldValue::List(items) => items.iter().for_each(|item| self.add(profile, item, OF_FIELDS)),
            FieldValue::Flag(_) => {}
            FieldValue::Time(time) => {
                self.add(profile, &time.to_text(), OF_FIELDS);
                if let Some(utc) = time.utc {
                    let text = utc.to_text(Precision::Second);
                    let text = text.trim_end_matches('Z');
                    self.add(profile, text, PARTS);
                    self.add(profile, &text.replace('T', " "), PARTS);
                }
            }
            FieldValue::Path(path) | FieldValue::RegistryPath(path) => {
                self.add(profile, path, OF_FIELDS);
                let last = path.trim_end_matches(['\\', '/']).rsplit(['\\', '/']).next().unwrap_or_default();
                if last.chars().count() >= TELLING {
                    self.add(profile, last, PARTS);
                }
            }
            FieldValue::Name(name) | FieldValue::Text(name) => {
                self.add(profile, name, OF_FIELDS);
                let parts = name.split_once('\\').or_else(|| name.split_once('@'));
                let plain = |part: &str| !part.contains(['\\', '/', '@', ' ', ':']);
                if let Some((one, other)) = parts.filter(|(one, other)| plain(one) && plain(other)) {
                    self.add(profile, one, PARTS);
                    self.add(profile, other, PARTS);
                }
            }
            FieldValue::Integer(_)
            | FieldValue::Size(_)
            | FieldValue::Sid(_)
            | FieldValue::Guid(_)
            | FieldValue::Hash(_)
            | FieldValue::Bytes(_) => self.add(profile, &value.to_text(), OF_FIELDS),
        }
    }

    /// What the finders of the profile find in a text.
    fn look(&mut self, profile: &Profile, text: &str) {
        if profile.finders.is_empty() || text.len() < SOUGHT {
            return;
        }
        for folded in foldings(text) {
            for finder in &profile.finders {
                for range in finder.find(&folded.text) {
                    let value = folded.text.get(range).unwrap_or_default().to_owned();
                    self.add(profile, &value, finder.name());
                }
            }
        }
    }

    /// The same in a value of the evidence: only there two backslashes are two.
    fn look_at_value(&mut self, profile: &Profile, text: &str) {
        self.look(profile, text);
        if profile.finders.contains(&Finder::UncHost) {
            for host in unc_hosts(text) {
                self.add(profile, host, Finder::UncHost.name());
            }
        }
    }

    fn look_into(&mut self, profile: &Profile, value: &Value) {
        match value {
            Value::String(text) => self.look(profile, text),
            Value::Array(items) => items.iter().for_each(|item| self.look_into(profile, item)),
            Value::Object(members) => {
                for (name, member) in members {
                    self.look(profile, name);
                    self.look_into(profile, member);
                }
            }
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }
}

/// Gathers from facts, outputs and texts of the run what the profile withholds.
pub(crate) fn gather(events: &Events, run: &Run, stored: &Outputs<'_>, profile: &Profile) -> Gathered {
    let mut gathered = Gathered { words: words(run), ..Gathered::default() };
    for value in &profile.values {
        gathered.values.insert(value.clone(), NAMED);
    }
    for (_, accepted) in run.facts() {
        let fact = &accepted.fact;
        for bound in fact.values.iter().chain([&fact.subject]) {
            gathered.add_ruled(profile, &fact.kind, &bound.field, &bound.value);
        }
    }
    for digest in &output_digests(run) {
        let Some(output) = stored(digest).and_then(|bytes| Output::decode(&bytes).ok()) else { continue };
        for record in output.records() {
            for (name, field) in &record.fields {
                gathered.add_ruled(profile, &record.kind, name, &field.value);
                match &field.value {
                    FieldValue::List(items) => {
                        items.iter().for_each(|item| gathered.look_at_value(profile, item))
                    }
                    value => {
                        value.as_text().into_iter().for_each(|text| gathered.look_at_value(profile, text))
                    }
                }
            }
            gathered.look(profile, &record.locator.path);
        }
    }
    if !profile.finders.is_empty() {
        for (_, event, circumstance) in events {
            for value in [tree(event), tree(circumstance)].into_iter().flatten() {
                gathered.look_into(profile, &value);
            }
        }
    }
    gathered
}

/// The words that are ours and no evidence's: names of predicates, record types, fields, tools, agents, objectives.
pub(crate) fn words(run: &Run) -> BTreeSet<String> {
    let mut words = BTreeSet::new();
    for tool in &run.opened.tools {
        words.insert(tool.name.clone());
        for record in &tool.records {
            words.insert(record.name.clone());
            words.extend(record.fields.keys().cloned());
        }
    }
    let agents = run.tasks.values().map(|view| &view.assigned.agent).chain(&run.opened.roster);
    for agent in agents {
        words.insert(agent.name.clone());
        for objective in &agent.objectives {
            words.insert(objective.id.clone());
            words.extend(objective.ways().map(|way| way.condition.predicate.0.clone()));
            words.extend(objective.ways().map(|way| way.condition.record.clone()));
        }
    }
    words.extend(run.facts().map(|(_, accepted)| accepted.fact.predicate.0.clone()));
    words.extend(run.facts().map(|(_, accepted)| accepted.fact.kind.clone()));
    words
}

/// The needles of what was gathered, and how many values are too short to be sought.
pub(crate) fn needles(gathered: &Gathered, profile: &Profile) -> (Vec<Needle>, u64) {
    let mut all: BTreeMap<String, Needle> = BTreeMap::new();
    let mut not_sought = 0;
    let known: Vec<String> =
        gathered.words.iter().cloned().chain(profile.excepted().map(str::to_owned)).collect();
    for (value, rule) in &gathered.values {
        let letters = value.chars().count();
        let number = value.chars().all(|c| c.is_ascii_digit());
        if letters < SOUGHT || (number && letters <= SOUGHT) {
            not_sought += 1;
            continue;
        }
        let text = folded(value);
        // A value that is a part of a word of ours would tear that word apart wherever it stands.
        let alone =
            *rule != NAMED && (number || letters <= SHORT || known.iter().any(|word| word.contains(&text)));
        all.entry(text.clone()).or_insert(Needle { text, alone, rule });
        let turned = folded(&rot13(value));
        all.entry(turned.clone()).or_insert(Needle { text: turned, alone, rule });
        for text in written_as_bytes(value) {
            all.entry(text.clone()).or_insert(Needle { text, alone: false, rule });
        }
    }
    (all.into_values().collect(), not_sought)
}

/// What the names of values in the registry hide paths by (UserAssist).
fn rot13(text: &str) -> String {
    let turn = |c: char| match c {
        'a'..='m' | 'A'..='M' => char::from_u32(u32::from(c) + 13).unwrap_or(c),
        'n'..='z' | 'N'..='Z' => char::from_u32(u32::from(c) - 13).unwrap_or(c),
        _ => c,
    };
    text.chars().map(turn).collect()
}

/// The value as hex digits and as base64 at each of the three places that it can have in it: of UTF-8 and of UTF-16LE, as it is and in one case.
fn written_as_bytes(value: &str) -> BTreeSet<String> {
    let mut forms = BTreeSet::new();
    let letters = value.chars().count();
    for text in [value.to_owned(), value.to_lowercase(), value.to_uppercase()] {
        let wide: Vec<u8> = text.encode_utf16().flat_map(u16::to_le_bytes).collect();
        for bytes in [text.as_bytes(), &wide] {
            if letters >= 4 {
                forms.insert(hex(bytes));
            }
            if letters >= 5 {
                forms.extend((0..3).map(|before| folded(&base64_inside(bytes, before))));
            }
        }
    }
    forms
}

/// The characters of base64 that these bytes alone decide, with so many bytes before them.
fn base64_inside(bytes: &[u8], before: usize) -> String {
    let mut padded = vec![0; before];
    padded.extend_from_slice(bytes);
    let whole = padded.len() * 8 / 6;
    let encoded = STANDARD_NO_PAD.encode(padded);
    encoded.chars().take(whole).skip((before * 8).div_ceil(6)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base64_of_a_value_is_found_wherever_it_stands_in_more_bytes() {
        let value = b"Ann Bell";
        for before in 0..6 {
            for after in 0..4 {
                let text = [&b"012345"[..before], value, &b"6789"[..after]].concat();
                let encoded = STANDARD_NO_PAD.encode(text);
                let inside = base64_inside(value, before % 3);
                assert!(
                    inside.len() >= 9 && encoded.contains(&inside),
                    "{before} {after}: {inside} in {encoded}"
                );
            }
        }
    }

    #[test]
    fn parts_of_values_that_tell_as_much_are_gathered() {
        let profile = Profile::parse("p", "find = [\"sid\"]\nexcept = [\"WORKGROUP\"]").unwrap();
        let mut gathered = Gathered::default();
        for value in [
            FieldValue::Name("CORP\\ann".into()),
            FieldValue::Name("bob@corp.example".into()),
            FieldValue::Name("WORKGROUP\\eve".into()),
            FieldValue::Path("p1/Users/carl/letter.docx".into()),
            FieldValue::Text("a b@c".into()),
        ] {
            gathered.add_field(&profile, &value);
        }
        let values: Vec<&str> = gathered.values.keys().map(String::as_str).collect();
        assert_eq!(
            values,
            [
                "CORP",
                "CORP\\ann",
                "WORKGROUP\\eve",
                "a b@c",
                "ann",
                "bob",
                "bob@corp.example",
                "corp.example",
                "eve",
                "letter.docx",
                "p1/Users/carl/letter.docx"
            ]
        );
    }
}
