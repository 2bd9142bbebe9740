//! Whether a row has a name of the question.

use crate::question::Name;
use crate::topic::Source;
use crate::world::{Row, World};
use std::collections::BTreeSet;

/// How closely a spelling fits a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Fit {
    /// The value has its letters and digits, in their order.
    Loose,
    /// It is the value, or a whole part of the value.
    Whole,
}

/// The shortest spelling, in characters, that is searched inside words.
const INSIDE: usize = 4;

/// A name of a question, with what it is in the case.
#[derive(Debug)]
pub(crate) struct Sought<'q> {
    pub(crate) name: &'q Name,
    /// The names and the SID of the account that it is.
    pub(crate) accounts: BTreeSet<String>,
    /// The labels of the evidence that lists this account.
    pub(crate) hosts_of_account: BTreeSet<String>,
    /// The labels of the evidence that it names.
    pub(crate) hosts: BTreeSet<String>,
}

impl Sought<'_> {
    /// Whether it is neither an account nor a host.
    pub(crate) fn is_thing(&self) -> bool {
        self.accounts.is_empty() && self.hosts.is_empty() && self.name.ending.is_none()
    }
}

/// Looks a name up in the case.
pub(crate) fn sought<'q>(name: &'q Name, world: &World) -> Sought<'q> {
    let low = name.text.to_lowercase();
    let mut accounts = BTreeSet::new();
    let mut hosts_of_account = BTreeSet::new();
    for account in &world.accounts {
        let is_it = account.names.contains(&low) || account.sid.as_deref() == Some(low.as_str());
        if is_it {
            accounts.extend(account.names.iter().cloned().chain(account.sid.clone()));
            hosts_of_account.extend(account.hosts.iter().cloned());
        }
    }
    let is_host = |host: &&crate::world::Host| {
        host.label.to_lowercase() == low || host.names.iter().any(|known| known.to_lowercase() == low)
    };
    let hosts = world.hosts.iter().filter(is_host).map(|host| host.label.clone()).collect();
    Sought { name, accounts, hosts_of_account, hosts }
}

/// Whether a name is an account or a host.
pub(crate) fn is_of_world(name: &Name, world: &World) -> bool {
    let sought = sought(name, world);
    !sought.accounts.is_empty() || !sought.hosts.is_empty() || name.ending.is_some()
}

/// Returns how closely a row has a name; `None` if it does not have it.
pub(crate) fn fit(sought: &Sought<'_>, source: &Source, row: &Row) -> Option<Fit> {
    // A command line that holds the path of a program is no run of that program.
    let is_program =
        !source.program.is_empty() && sought.name.spellings.iter().any(|it| it.ends_with(".exe"));
    let of_program = |field: &String| source.name.contains(field) || source.program.contains(field);
    let does = |field: &String| source.by.contains(field) || source.who.contains(field);
    let searched = source
        .searched()
        .chain(source.by.iter().filter(|_| sought.name.is_doer))
        .filter(|field| !is_program || of_program(field))
        .filter(|field| !sought.name.is_doer || does(field));
    let spelled: Vec<&str> = searched.filter_map(|field| row.get(field)).collect();
    // A prefetch file in a listing is named after its program.
    let is_prefetch = source.only.as_deref().is_some_and(|only| only.contains("'pf'"));
    let of_prefetch =
        |value: &&str| program_of(value).is_some_and(|program| sought.name.spellings.contains(&program));
    let by_prefetch = (is_prefetch && spelled.iter().any(of_prefetch)).then_some(Fit::Whole);
    // If a program is named without a path, a folder of that name is not the program.
    let is_of_runs =
        source.name.iter().any(|field| matches!(field.as_str(), "program" | "image" | "executable"));
    let is_bare = !sought.name.text.contains(['/', '\\']);
    let whole_name = |value: &str| {
        let normal = normal(value);
        let own = normal.rsplit('/').next().unwrap_or_default();
        sought.name.spellings.iter().any(|spelling| fits_whole(own, spelling))
    };
    let fit_of = |value: &&str| {
        let fit = best(sought, value)?;
        let is_folder = is_of_runs && is_bare && sought.is_thing() && !whole_name(value);
        Some(if is_folder { Fit::Loose } else { fit })
    };
    let by_value = spelled.iter().filter_map(fit_of).max().max(by_prefetch);
    let owner = row.owner().filter(|owner| is_owner(sought, owner)).map(|_| Fit::Whole);
    by_value.max(owner).max(of_folder(sought, source, row))
}

/// Whether a hive of a user lies in a folder that was named after the user, such as one of a collection.
fn of_folder(sought: &Sought<'_>, source: &Source, row: &Row) -> Option<Fit> {
    let path = normal(&row.path);
    let (folder, file) = path.rsplit_once('/')?;
    let is_hive = source.is_owned() && (file.starts_with("ntuser") || file.starts_with("usrclass"));
    let name = sought.name.text.to_lowercase();
    let mut words = folder.split(|it: char| !it.is_alphanumeric());
    (is_hive && row.owner().is_none() && words.any(|word| word == name)).then_some(Fit::Whole)
}

fn is_owner(sought: &Sought<'_>, owner: &str) -> bool {
    sought.accounts.contains(owner) || sought.name.text.to_lowercase() == owner
}

fn best(sought: &Sought<'_>, value: &str) -> Option<Fit> {
    // A word of speech occurs in many values and names none of them.
    if sought.name.is_word && sought.accounts.is_empty() {
        return None;
    }
    let whole = normal(value);
    let is_whole = |spelling: &String| fits_whole(&whole, spelling);
    let ends = |ending: &String| whole.starts_with("s-1-5-21-") && whole.ends_with(ending.as_str());
    let is_account = sought.accounts.iter().any(is_whole) || sought.name.ending.as_ref().is_some_and(ends);
    if is_account || sought.name.spellings.iter().any(is_whole) {
        return Some(Fit::Whole);
    }
    let is_inside = |spelling: &String| {
        let spelling = squeezed(spelling);
        spelling.chars().count() >= INSIDE && begins_a_word(value, &spelling)
    };
    // A file name with an ending fits only as a whole.
    let is_loose = |spelling: &String| !has_known_ending(spelling) && is_inside(spelling);
    if sought.accounts.is_empty() && sought.name.spellings.iter().any(is_loose) {
        return Some(Fit::Loose);
    }
    let parts = &sought.name.parts;
    // A short word occurs in too many others.
    let stands = |part: &String| {
        let squeezed = squeezed(part);
        let is_short = squeezed.chars().count() < INSIDE;
        squeezed.is_empty() || fits_whole(&whole, part) || !is_short && begins_a_word(value, &squeezed)
    };
    let all = !parts.is_empty() && parts.iter().all(stands);
    all.then_some(Fit::Loose)
}

/// Returns a text in small letters, with `/` for `\`.
pub(crate) fn normal(text: &str) -> String {
    text.to_lowercase().replace('\\', "/")
}

fn squeezed(text: &str) -> String {
    text.chars().filter(|it| it.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

/// Whether a text is a file name with a usual ending.
fn has_known_ending(text: &str) -> bool {
    let ending = text.rsplit_once('.').map_or("", |(_, ending)| ending);
    !text.starts_with('.') && ENDINGS.contains(&ending)
}

const ENDINGS: [&str; 30] = [
    "exe", "dll", "sys", "com", "scr", "txt", "doc", "docx", "xls", "xlsx", "ppt", "pptx", "pdf", "zip",
    "rar", "7z", "ps1", "bat", "cmd", "js", "vbs", "csv", "lnk", "log", "dat", "ini", "jpg", "png", "db",
    "evtx",
];

/// Whether a value has these letters and digits in a row, beginning where a word begins: after a mark, at a capital, or where letters and digits meet.
fn begins_a_word(value: &str, squeezed: &str) -> bool {
    let mut text = String::new();
    let mut begins = Vec::new();
    let mut before = None;
    for it in value.chars() {
        if it.is_alphanumeric() {
            let is_begin = before.is_none_or(|before: char| {
                !before.is_alphanumeric()
                    || it.is_uppercase() && before.is_lowercase()
                    || it.is_numeric() != before.is_numeric()
            });
            if is_begin {
                begins.push(text.len());
            }
            text.extend(it.to_lowercase());
        }
        before = Some(it);
    }
    begins.into_iter().any(|at| text.get(at..).is_some_and(|rest| rest.starts_with(squeezed)))
}

/// Returns a path without its drive and without slashes at its ends.
fn bare(path: &str) -> &str {
    let behind =
        path.split_once(":/").filter(|(drive, _)| drive.len() == 1).map_or(path, |(_, behind)| behind);
    behind.trim_matches('/')
}

fn fits_whole(value: &str, spelling: &str) -> bool {
    let sought = normal(spelling);
    let sought = sought.trim_matches('"');
    if value == sought {
        return true;
    }
    if let Some(exact) = sought.strip_prefix('=') {
        return value == exact;
    }
    if sought.starts_with('.') && !sought.contains('/') {
        let words = value.split(|it: char| it.is_whitespace() || matches!(it, '"' | '\'' | ',' | ';'));
        return value.ends_with(sought) || words.into_iter().any(|word| word.ends_with(sought));
    }
    if sought.contains('/') || sought.ends_with(':') {
        let sought = if sought.contains('/') { bare(sought) } else { sought };
        return !sought.is_empty() && is_part(value, sought);
    }
    let words = value.split(|it: char| {
        it.is_whitespace() || matches!(it, '"' | '\'' | ',' | ';' | '=' | '(' | ')' | '#' | '&' | '|')
    });
    let mut pieces = words.flat_map(|word| word.split('/').chain([word]));
    pieces.any(|piece| piece == sought || stem(piece) == sought)
        || value.split('/').any(|part| part == sought || stem(part) == sought)
}

/// Whether a value holds a text between marks or at one of its ends.
fn is_part(value: &str, sought: &str) -> bool {
    value.match_indices(sought).any(|(at, found)| {
        let before = value.get(..at).and_then(|text| text.chars().next_back());
        let behind = value.get(at + found.len()..).and_then(|text| text.chars().next());
        let ends = |it: Option<char>| it.is_none_or(|it| !it.is_alphanumeric());
        ends(before) && (ends(behind) || sought.ends_with(':'))
    })
}

/// Returns a file name without its ending, and without the hash of a prefetch file.
fn stem(name: &str) -> &str {
    let name = match name.strip_suffix(".pf").and_then(|name| name.rsplit_once('-')) {
        Some((program, hash)) if hash.len() == 8 => program,
        _ => name,
    };
    match name.rsplit_once('.') {
        Some((stem, ending)) if !stem.is_empty() && (1..=4).contains(&ending.len()) => stem,
        _ => name,
    }
}

/// Returns the file name of the program that a prefetch file belongs to.
pub(crate) fn program_of(path: &str) -> Option<String> {
    let low = normal(path);
    let name = low.rsplit('/').next()?;
    let (program, hash) = name.strip_suffix(".pf")?.rsplit_once('-')?;
    (hash.len() == 8).then(|| program.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_fits_whole_parts_of_values() {
        for (value, spelling, expected) in [
            ("C:\\Windows\\System32\\notepad.exe", "notepad", true),
            ("C:\\Program Files\\Notepad++\\notepad++.exe", "notepad", false),
            ("C:\\TMP\\nc.ps1", "C:\\TMP", true),
            ("C:\\TMP2\\nc.ps1", "C:\\TMP", false),
            ("p1/ProgramData/ScanToPdf/stage.ps1", "c:\\programdata\\scantopdf\\", true),
            ("\\DosDevices\\E:", "e:", true),
            ("Copy-Item a.zip E:\\", "e:", true),
            ("net localgroup administrators guest", "guest", true),
            ("WORDPAD.EXE-24533991.pf", "wordpad", true),
            ("PSEXESVC", "psexec", false),
        ] {
            assert_eq!(fits_whole(&normal(value), spelling), expected, "{value} {spelling}");
        }
    }
}
