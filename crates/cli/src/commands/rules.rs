//! Reads rules files named on the command line.

use crate::failure::Failure;
use ledger::Rules;
use std::path::Path;

/// The text of a rules file.
pub(super) fn text(path: &Path) -> Result<String, Failure> {
    std::fs::read_to_string(path).map_err(|source| Failure::RulesFile { path: path.to_owned(), source })
}

/// The failure for a file that cannot be parsed as rules.
pub(super) fn wrong(path: &Path, source: toml::de::Error) -> Failure {
    Failure::Rules { path: path.to_owned(), source: Box::new(source) }
}

/// The text and the members of a rules file for a new run. Fails on a rule that only earlier runs had.
fn of_new_run(path: &Path) -> Result<(String, toml::Table), Failure> {
    let text = text(path)?;
    let members: toml::Table = toml::from_str(&text).map_err(|source| wrong(path, source))?;
    match members.get("recovery").is_some_and(|recovery| recovery.get("confidence_below").is_some()) {
        true => Err(Failure::RetiredRule { path: path.to_owned(), rule: "recovery.confidence_below" }),
        false => Ok((text, members)),
    }
}

/// The rules for a new run: those in the file, and `ours` for whatever it leaves out.
pub(super) fn over(ours: Rules, path: &Path) -> Result<Rules, Failure> {
    let (text, given) = of_new_run(path)?;
    // Parsing the text first makes errors show the place in the file.
    toml::from_str::<Rules>(&text).map_err(|source| wrong(path, source))?;
    let ours = toml::Table::try_from(ours).map_err(|_| Failure::Panicked)?;
    in_place(ours, given).try_into().map_err(|source| wrong(path, source))
}

/// Merges `given` into `ours`, where it takes precedence.
fn in_place(mut ours: toml::Table, given: toml::Table) -> toml::Table {
    for (key, value) in given {
        let value = match (ours.remove(&key), value) {
            (Some(toml::Value::Table(ours)), toml::Value::Table(given)) => {
                toml::Value::Table(in_place(ours, given))
            }
            (_, value) => value,
        };
        ours.insert(key, value);
    }
    ours
}
