//! Absences of names that exist under a look-alike, and of names for which only a look-alike was searched.
//!
//! The evidence is not available, so the searches are made up in the form of a log, with the notes that list similar names.
//! A file or key is known to exist from a record that was read from it.

use super::draw::Draw;
use super::mutate::LOOKALIKES;
use super::posed::{Posed, Searched};
use super::seed::{Maker, Seeded};
use super::told::LeftOut;
use ledger::absence::NEAR;
use ledger::event::{InvocationEnded, InvocationStarted};
use ledger::{Absence, AbsenceClaim, AbsenceForm, CallId, Completeness, FieldValue, InvocationId, Outcome};
use serde_json::{Map, Value};

/// The number of the first made-up search of a task.
const FIRST_SEARCH: u32 = 4_000;

/// The most similar names of each kind that a search lists, as in the tools.
const MOST: usize = 3;

/// A file or key that exists.
struct There {
    task: usize,
    evidence: String,
    place: Place,
}

enum Place {
    File { folder: String, name: String },
    Key { hive: String, parent: String, name: String },
}

/// Makes a claim that a look-alike of an existing name is absent, with searches that list the existing name as similar.
pub(super) fn look_alike(maker: &mut Maker<'_>) -> Option<Seeded> {
    let there = there(maker)?;
    let twin = disguised(there.name(), &mut maker.draw)?;
    let number = 1 + maker.draw.below(3);
    let (mut searches, mut near) = (Vec::new(), Vec::new());
    for search in 0..number {
        let notes = notes(maker, &there, &twin)?;
        near.extend(notes.iter().filter_map(|note| note.strip_prefix(NEAR)).map(str::to_owned));
        searches.push(there.searched(maker, search as u32, &twin, notes)?);
    }
    near.sort();
    near.dedup();
    let claim = there.claim(maker, &twin, &searches);
    let seeded = Seeded::of(there.task, Posed::Absence { claim, searches });
    Some(seeded.leaving_out(LeftOut::Near(near)))
}

/// Makes a claim that an existing name is absent, with a search for its look-alike.
pub(super) fn searched_look_alike(maker: &mut Maker<'_>) -> Option<Seeded> {
    let there = there(maker)?;
    let twin = disguised(there.name(), &mut maker.draw)?;
    let notes = match maker.draw.once_in(1, 2) {
        true => notes(maker, &there, &twin)?,
        false => Vec::new(),
    };
    let searches = vec![there.searched(maker, 0, &twin, notes)?];
    let claim = there.claim(maker, there.name(), &searches);
    Some(Seeded::of(there.task, Posed::Absence { claim, searches }))
}

/// Makes a claim that a name nothing has is absent, with searches that found nothing similar.
pub(super) fn searched(maker: &mut Maker<'_>) -> Option<Seeded> {
    let there = there(maker)?;
    let name = format!("{:08x}.bin", maker.draw.next() as u32);
    if maker.scans.get(there.task)?.knows(&name) {
        return None;
    }
    let searches = vec![there.searched(maker, 0, &name, Vec::new())?];
    let claim = there.claim(maker, &name, &searches);
    Some(Seeded::of(there.task, Posed::Absence { claim, searches }))
}

/// Draws a file that a record was read from, or a registry key that a record names.
fn there(maker: &mut Maker<'_>) -> Option<There> {
    let task = maker.draw.below(maker.material.tasks.len());
    let scan = maker.scans.get(task)?;
    let record = scan.get(maker.draw.below(scan.len()) as u32)?.record;
    let (evidence, path) = (record.locator.evidence.clone(), record.locator.path.as_str());
    let is_deleted = path.contains('$') || record.kind.contains("deleted");
    if is_deleted || path.is_empty() {
        return None;
    }
    let key = record.fields.get("key_path").map(|field| &field.value);
    let place = match key.filter(|_| maker.draw.once_in(1, 2)) {
        Some(FieldValue::RegistryPath(key)) => {
            let (parent, name) = key.rsplit_once('\\').unwrap_or(("", key));
            let hive = match record.fields.get("hive").map(|field| &field.value) {
                Some(FieldValue::Path(hive)) => hive.clone(),
                _ => path.to_owned(),
            };
            Place::Key { hive, parent: parent.to_owned(), name: name.to_owned() }
        }
        _ => {
            let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
            Place::File { folder: folder.to_owned(), name: name.to_owned() }
        }
    };
    let there = There { task, evidence, place };
    let letters = there.name().chars().count();
    ((3..=200).contains(&letters) && !there.name().chars().any(char::is_control)).then_some(there)
}

impl There {
    fn name(&self) -> &str {
        match &self.place {
            Place::File { name, .. } | Place::Key { name, .. } => name,
        }
    }

    /// Returns the path of another name in the same folder or parent key.
    fn beside(&self, name: &str) -> String {
        let (parent, separator) = match &self.place {
            Place::File { folder, .. } => (folder, '/'),
            Place::Key { parent, .. } => (parent, '\\'),
        };
        if parent.is_empty() { name.to_owned() } else { format!("{parent}{separator}{name}") }
    }

    /// Returns the claim that nothing has this name.
    fn claim(&self, maker: &mut Maker<'_>, name: &str, searches: &[Searched]) -> AbsenceClaim {
        let evidence = maker.draw.once_in(1, 2).then(|| self.evidence.clone());
        let absence = match &self.place {
            Place::File { folder, .. } => {
                let under = if maker.draw.once_in(1, 2) { folder.clone() } else { String::new() };
                Absence::File { name: name.to_owned(), under, evidence, near: Vec::new() }
            }
            Place::Key { hive, .. } => {
                let (hive, key) = (hive.clone(), self.beside(name));
                Absence::RegistryKey { hive, key, evidence, as_it_stands: false, near: Vec::new() }
            }
        };
        let searches = searches.iter().map(|search| search.ended.invocation.to_string()).collect();
        AbsenceClaim { absence, searches }
    }

    /// Returns a complete search for this name that found nothing, by a tool of the run that searches for such things.
    fn searched(&self, maker: &Maker<'_>, number: u32, name: &str, notes: Vec<String>) -> Option<Searched> {
        let (form, sought) = match &self.place {
            Place::File { .. } => (AbsenceForm::File, vec![("name", name.to_owned())]),
            Place::Key { hive, .. } => {
                let key = self.beside(name);
                (AbsenceForm::RegistryKey, vec![("hive", hive.clone()), ("key", key)])
            }
        };
        let all = maker.material.bench.coverage().iter();
        let (tool, rule) = all
            .flat_map(|(tool, rules)| rules.iter().map(move |rule| (tool, rule)))
            .find(|(_, rule)| rule.form == form)?;
        let mut used = Map::new();
        for (member, value) in sought.into_iter().chain([("evidence", self.evidence.clone())]) {
            used.insert(rule.members.get(member)?.clone(), Value::String(value));
        }
        used.extend(rule.required.iter().map(|(name, value)| (name.clone(), value.clone())));
        let own = maker.task(self.task)?.task;
        let invocation =
            InvocationId::assign(&maker.material.setting.ids, own, FIRST_SEARCH + number).ok()?;
        let arguments = Value::Object(used);
        let started = InvocationStarted {
            invocation,
            turn: 0,
            call: CallId("made up".into()),
            tool: tool.clone(),
            arguments: arguments.clone(),
            insists: None,
        };
        let ended = InvocationEnded {
            invocation,
            outcome: Outcome::Empty,
            completeness: Completeness::Complete,
            normalised: Some(arguments),
            output: None,
            records: 0,
            bytes: 0,
            shown: Vec::new(),
            defects: Vec::new(),
            gaps: Vec::new(),
            notes,
        };
        Some(Searched { started, ended })
    }
}

/// Returns the notes of a search for `twin`: the existing name, and perhaps
/// deleted entries, streams, values and others that look the same.
fn notes(maker: &mut Maker<'_>, there: &There, twin: &str) -> Option<Vec<String>> {
    let draw = &mut maker.draw;
    let mut near = Vec::new();
    let alike = 1 + draw.below(MOST);
    for other in 0..alike {
        let name = if other == 0 { there.name().to_owned() } else { disguised(there.name(), draw)? };
        near.push(match &there.place {
            Place::File { .. } => format!("a name that reads the same: {}", there.beside(&name)),
            Place::Key { .. } if draw.once_in(1, 3) => format!("a value: {}", there.beside(&name)),
            Place::Key { .. } => format!("a key that reads the same: {}", there.beside(&name)),
        });
    }
    if let Place::File { folder, .. } = &there.place {
        if alike == MOST && draw.once_in(1, 2) {
            near.push(format!("{} more whose names read the same", 1 + draw.below(90)));
        }
        for entry in 0..draw.below(MOST + 1) {
            near.push(format!("a deleted entry: {folder}/$Deleted/{}/{twin}", 30 + entry * 7));
        }
        for _ in 0..draw.below(MOST + 1) {
            near.push(format!("a stream: {folder}/{:04x}.txt:{twin}", draw.below(1 << 16)));
        }
    }
    let other = "the index of names was used".to_owned();
    Some(near.into_iter().map(|near| format!("{NEAR}{near}")).chain([other]).collect())
}

/// Returns a different name that looks like this one.
fn disguised(name: &str, draw: &mut Draw) -> Option<String> {
    const INVISIBLE: [char; 3] = ['\u{200b}', '\u{ad}', '\u{2060}'];
    const ACCENTED: [(char, char); 5] = [('a', 'á'), ('e', 'é'), ('i', 'í'), ('o', 'ó'), ('u', 'ú')];
    let how = draw.below(5);
    let mut characters: Vec<char> = name.chars().collect();
    let other = |c: char, draw: &mut Draw| match how {
        0 => {
            let like: Vec<char> = LOOKALIKES.iter().filter(|pair| pair.0 == c).map(|pair| pair.1).collect();
            draw.pick(&like).map(|like| like.to_string())
        }
        1 => ACCENTED.iter().find(|pair| pair.0 == c).map(|pair| pair.1.to_string()),
        2 => c.is_ascii_alphanumeric().then(|| char::from_u32(u32::from(c) + 0xfee0).map(String::from))?,
        3 => draw.pick(&INVISIBLE).map(|hidden| format!("{c}{hidden}")),
        _ => (c == ' ').then(|| "  ".to_owned()),
    };
    let places: Vec<(usize, String)> =
        characters.iter().enumerate().filter_map(|(place, c)| Some((place, other(*c, draw)?))).collect();
    let (place, text) = draw.pick(&places)?;
    characters.splice(place..=place, text.chars());
    Some(characters.into_iter().collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_disguised_name_is_another() {
        let mut draw = Draw::new(1, "names");
        let made: Vec<String> =
            (0..200).filter_map(|_| disguised("Ledgerline Backup.exe", &mut draw)).collect();
        assert!(made.len() > 100);
        assert!(made.iter().all(|name| name.to_lowercase() != "ledgerline backup.exe"), "{made:?}");
        assert!(
            made.iter().any(|name| name.contains("  ")) && made.iter().any(|name| name.contains('\u{ad}'))
        );
        assert_eq!(disguised("123", &mut Draw::new(4, "none")).filter(|name| name == "123"), None);
    }
}
