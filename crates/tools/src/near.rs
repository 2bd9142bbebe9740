//! What is near a thing that a search did not find: a name that reads the same, a deleted entry, a stream, a value in place of a key.
//!
//! An absence rests on such a search, and prints like the presence of what is near. So the call that shows an absence names it, and the absence carries it.

use crate::arguments::Arguments;
use crate::catalogue::{Call, Run};
use crate::error::CallError;
use crate::name_index::{Asked, KnownFolders, NameIndex};
use crate::returned::Return;
use crate::{find_files, list_deleted, parse_registry_key, place};
use evidence::{Step, walk};
use ledger::absence::NEAR;
use ledger::{AbsenceForm, Completeness, FieldValue, Outcome, Record, ToolSpec};
use serde_json::{Map, Value, json};
use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;
use unicode_security::confusable_detection::skeleton;

/// Most things of each kind that are named.
const MOST: usize = 3;

/// Fewest characters of a name for which look-alikes are told: shorter ones read like anything.
const SHORTEST: usize = 3;

/// Adds to an empty and complete answer that can show an absence what is near the thing that was looked for.
pub(crate) fn tell(spec: &ToolSpec, call: &Call<'_>, returned: &mut Return) -> Result<(), CallError> {
    let is_whole = returned.completeness == Completeness::Complete;
    let found_nothing = returned.outcome == Outcome::Empty && is_whole && returned.gaps.is_empty();
    if !found_nothing || !may_show_absence(spec, returned.normalised.as_ref()) {
        return Ok(());
    }
    let near = match spec.covers.first().map(|coverage| coverage.form) {
        Some(AbsenceForm::File) => of_file(call)?,
        Some(AbsenceForm::RegistryKey) => of_key(call, returned.normalised.as_ref()),
        Some(AbsenceForm::Text | AbsenceForm::Events) | None => Vec::new(),
    };
    returned.notes.extend(near.into_iter().map(|near| format!("{NEAR}{near}")));
    Ok(())
}

/// Whether the call has no argument that its coverage does not name.
fn may_show_absence(spec: &ToolSpec, used: Option<&Value>) -> bool {
    let is_named = |name: &String| {
        spec.covers.iter().any(|covers| {
            covers.members.values().any(|member| member == name)
                || covers.required.contains_key(name)
                || covers.free.contains(name)
        })
    };
    let named = |(name, value): (&String, &Value)| value.is_null() || is_named(name);
    used.and_then(Value::as_object).is_some_and(|used| used.iter().all(named))
}

fn of_file(call: &Call<'_>) -> Result<Vec<String>, CallError> {
    let pattern = call.arguments.optional_text("name").unwrap_or_default();
    let name = pattern.rsplit(['/', '\\']).next().unwrap_or_default();
    // What is looked for anywhere in a name may be near any part of one.
    let part = name.trim_matches('*');
    if part.chars().count() < SHORTEST || part.contains(['*', '?', '{', '[']) {
        return Ok(Vec::new());
    }
    let mut near = alike(call, part, part != name)?;
    near.extend(elsewhere(call, name));
    Ok(near)
}

/// The entries whose names read the same, and are others.
fn alike(call: &Call<'_>, name: &str, anywhere: bool) -> Result<Vec<String>, CallError> {
    let wanted = readings(name);
    let reads = |it: &String| wanted.iter().any(|wanted| it == wanted || anywhere && it.contains(wanted));
    let is_alike = |found: &str| found != name && readings(found).iter().any(reads);
    let under = call.arguments.text("under")?;
    let scope = place::under(call.trees, call.arguments.optional_text("evidence"), under)?;
    let mut near = Vec::new();
    let mut add = |path: &str| near.push(format!("a name that reads the same: {}", unmistakable(path)));
    for place in &scope.places {
        let mut left = MOST;
        let label = place.tree.label();
        let index = call.indexes.get(label).map(|path| NameIndex::open(path)).transpose()?;
        if let Some(mut index) = index
            && let Some(below) = index.below(&place.node.path)?
        {
            let mut folders = KnownFolders::new();
            for row in index.find(&Asked::default(), &below)?.into_iter().flatten() {
                let path = index.whereabouts(row, &mut folders)?.path;
                if left > 0 && path.components().last().is_some_and(&is_alike) {
                    left -= 1;
                    add(path.as_str());
                }
            }
            continue;
        }
        for step in walk(place.tree, &place.node) {
            match step {
                Step::Node(node) if left > 0 && is_alike(&node.name) => {
                    left -= 1;
                    add(node.path.as_str());
                }
                Step::Node(_) | Step::Defect(_) | Step::Gap(_) => {}
            }
        }
    }
    Ok(near)
}

/// How a name reads: without letter case, blanks, accents and invisible characters, letters that look alike as one.
///
/// A large I reads as a small l, so that letter case is taken away before and after.
fn readings(name: &str) -> [String; 2] {
    let bare = |text: String| -> String {
        let kept = text.nfkd().filter(|c| !is_combining_mark(*c) && !c.is_whitespace() && is_visible(*c));
        kept.flat_map(char::to_lowercase).collect()
    };
    let like = |text: &str| skeleton(text).collect::<String>();
    let plain: String = name.nfkc().collect();
    [bare(like(&bare(plain.clone()))), bare(like(&plain))]
}

const fn is_visible(c: char) -> bool {
    !matches!(c, '\u{ad}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fe00}'..='\u{fe0f}')
}

/// A path whose characters beyond ASCII are written as `\u{…}`, and so are blanks that follow a blank.
fn unmistakable(path: &str) -> String {
    let mut told = String::new();
    for c in path.chars() {
        match c.is_ascii_graphic() || c == ' ' && !told.ends_with([' ', '}']) {
            true => told.push(c),
            false => told.extend(c.escape_unicode()),
        }
    }
    told
}

/// Deleted entries and streams of this very name.
fn elsewhere(call: &Call<'_>, name: &str) -> Vec<String> {
    let with = |more: Value| {
        let mut given = Map::new();
        let evidence = call.arguments.optional_text("evidence");
        given.extend(evidence.map(|label| ("evidence".to_owned(), json!(label))));
        given.extend(more.as_object().cloned().unwrap_or_default());
        Value::Object(given)
    };
    let under = call.arguments.text("under").unwrap_or_default();
    let streams = with(json!({ "with_stream": name, "under": under, "limit": MOST }));
    let deleted = with(json!({ "name": name, "under": under, "limit": MOST }));
    let mut near = Vec::new();
    for record in asked(&list_deleted::spec(), list_deleted::run, call, &deleted) {
        near.push(format!("a deleted entry: {}", unmistakable(&record.locator.path)));
    }
    if name.contains(['/', '\\', ':']) {
        return near;
    }
    for record in asked(&find_files::spec(), find_files::run, call, &streams) {
        near.push(format!("a stream: {}:{}", unmistakable(&record.locator.path), unmistakable(name)));
    }
    near
}

/// Values of the key's name in the key above it, and keys beside it that read the same.
fn of_key(call: &Call<'_>, used: Option<&Value>) -> Vec<String> {
    let Some(used) = used.and_then(Value::as_object) else { return Vec::new() };
    let key = used.get("key").and_then(Value::as_str).unwrap_or_default();
    let Some((parent, name)) = key.rsplit_once('\\') else { return Vec::new() };
    let mut above = used.clone();
    above.insert("key".to_owned(), json!(parent));
    above.insert("depth".to_owned(), json!(0));
    above.insert("limit".to_owned(), json!(10_000));
    let wanted = readings(name);
    let reads_the_same = |found: &str| readings(found).iter().any(|it| wanted.contains(it));
    let mut near = Vec::new();
    for record in asked(&parse_registry_key::spec(), parse_registry_key::run, call, &Value::Object(above)) {
        let text = |field: &str| record.fields.get(field).map(|field| field.value.to_text().into_owned());
        let what = match record.kind.as_str() {
            "registry_value" => {
                text("name").filter(|name| reads_the_same(name)).map(|name| ("a value", name))
            }
            _ => last_of(&record)
                .filter(|name| reads_the_same(name))
                .map(|name| ("a key that reads the same", name)),
        };
        near.extend(
            what.map(|(what, name)| format!("{what}: {}\\{}", unmistakable(parent), unmistakable(&name))),
        );
    }
    near.truncate(MOST);
    near
}

/// The last name of the path of a key.
fn last_of(record: &Record) -> Option<String> {
    let mut paths = record.fields.values().rev().filter_map(|field| match &field.value {
        FieldValue::RegistryPath(path) => path.rsplit('\\').next().map(str::to_owned),
        _ => None,
    });
    paths.next()
}

/// What a call of another tool finds; nothing where it cannot be made.
fn asked(spec: &ToolSpec, run: Run, call: &Call<'_>, given: &Value) -> Vec<Record> {
    let Ok(arguments) = Arguments::check(spec, given) else { return Vec::new() };
    let returned = run(&Call { arguments: &arguments, ..*call });
    returned.map(|returned| returned.records.into_iter().take(MOST.max(10_000)).collect()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_read_the_same_are_told_by_what_sets_them_apart() {
        let same = |one: &str, other: &str| readings(one).iter().any(|it| readings(other).contains(it));
        for (one, other) in [
            ("ScanToPdf-Setup.exe", "Sc\u{430}nToPdf-Setup.exe"),
            ("Ledgerline Backup", "Ledgerline  Backup"),
            ("deleted.txt", "deIeted.txt"),
            ("resume.doc", "r\u{e9}sum\u{e9}.doc"),
            ("svchost.exe", "svc\u{ad}host.exe"),
            ("svchost.exe", "\u{ff53}vchost.exe"),
            ("svchost.exe", "svch0st.exe"),
            ("a.exe", "A\u{a0}.EXE"),
        ] {
            assert!(same(one, other), "{one:?} {other:?}");
        }
        for (one, other) in [("svchost.exe", "svchosts.exe"), ("a.exe", "b.exe"), ("a.exe", "a.ex")] {
            assert!(!same(one, other), "{one:?} {other:?}");
        }
        assert_eq!(unmistakable("p1/Sc\u{430}n  A"), "p1/Sc\\u{430}n \\u{20}A");
    }
}
