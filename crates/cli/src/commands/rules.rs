//! Files of rules, as arguments name them.

use crate::failure::Failure;
use ledger::Rules;
use std::path::Path;

/// The text of a rules file.
pub(super) fn text(path: &Path) -> Result<String, Failure> {
    std::fs::read_to_string(path).map_err(|source| Failure::RulesFile { path: path.to_owned(), source })
}

/// A rules file that cannot be read as one.
pub(super) fn wrong(path: &Path, source: toml::de::Error) -> Failure {
    Failure::Rules { path: path.to_owned(), source: Box::new(source) }
}

/// The text of a rules file for a new run, with its members: it may have no rule that new runs no longer follow.
fn of_new_run(path: &Path) -> Result<(String, toml::Table), Failure> {
    let text = text(path)?;
    let members: toml::Table = toml::from_str(&text).map_err(|source| wrong(path, source))?;
    match members.get("recovery").is_some_and(|recovery| recovery.get("confidence_below").is_some()) {
        true => Err(Failure::RetiredRule { path: path.to_owned(), rule: "recovery.confidence_below" }),
        false => Ok((text, members)),
    }
}

/// The rules of a file for a new run; what it leaves out is as in `ours`.
pub(super) fn over(ours: Rules, path: &Path) -> Result<Rules, Failure> {
    let (text, given) = of_new_run(path)?;
    // Misspelt rules are told with their place in the file.
    toml::from_str::<Rules>(&text).map_err(|source| wrong(path, source))?;
    let ours = toml::Table::try_from(ours).map_err(|_| Failure::Panicked)?;
    in_place(ours, given).try_into().map_err(|source| wrong(path, source))
}

/// Members of `given` in place of those of `ours`.
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
