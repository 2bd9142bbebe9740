//! The question back if a program's name alone fits one of Windows and another one.

use crate::decide::{Found, role};
use crate::matching::{normal, program_of};
use crate::question::Name;
use std::collections::BTreeSet;

const WINDOWS: &str = "windows";

/// Returns the question back if a program's name may mean one of Windows or another one.
pub(super) fn several_places(found: &Found<'_>) -> Option<String> {
    let wants = found.question.wants;
    let is_bare = |name: &Name| !name.text.contains(['\\', '/']);
    let is_asked = (wants.is_of_one() || wants.count) && found.reading.names.iter().all(is_bare);
    let has_programs = found.sources().any(|source| !source.program.is_empty());
    if !is_asked || !has_programs || found.question.span.is_some() {
        return None;
    }
    let folders: BTreeSet<String> = found.chosen.iter().filter_map(|at| folder(found, *at)).collect();
    (folders.contains(WINDOWS) && folders.len() > 1).then(|| {
        let listed: Vec<&str> = folders.iter().map(String::as_str).take(3).collect();
        format!("Which one is meant, by its folder: {}?", listed.join(", "))
    })
}

/// Returns the folder of a row's program if the question names the program.
fn folder(found: &Found<'_>, at: usize) -> Option<String> {
    let (row, source) = found.row(at)?;
    let paths = role(row, &source.program);
    let path = paths.into_iter().map(|it| it.1).find(|path| path.contains(['\\', '/']))?;
    let path = normal(path);
    let (folder, program) = path.rsplit_once('/').unwrap_or(("", path.as_str()));
    let is_it = |name: &Name| name.spellings.iter().any(|spelling| is_program(spelling, program));
    let is_named = program_of(program).is_none() && found.reading.names.iter().any(is_it);
    is_named.then(|| place(folder))
}

fn is_program(spelling: &str, name: &str) -> bool {
    let spelling = normal(spelling);
    name == spelling || name.strip_suffix(".exe") == Some(spelling.as_str())
}

/// Returns the folder without its volume. All folders of Windows are one.
fn place(folder: &str) -> String {
    match folder.find("/windows/system32").or_else(|| folder.find("/windows/syswow64")) {
        Some(_) => WINDOWS.to_owned(),
        None if folder.ends_with("/windows") || folder.starts_with('{') => WINDOWS.to_owned(),
        None => folder.rsplit_once(':').map_or(folder, |(_, behind)| behind).to_owned(),
    }
}
