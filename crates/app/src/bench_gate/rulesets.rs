//! The rules by which other tools let a claim pass, as data, and how they would judge the seeded claims.

use super::alike::flat;
use super::posed::Wording;
use super::text::RunText;
use ledger::InvocationId;
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};
use thiserror::Error;

/// The name of the rule set that is the gateway.
pub(super) const OWN: &str = "locard";

/// One rule set.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RuleSet {
    /// Its name, which is the heading of its column.
    pub name: String,
    /// A description of what it requires of a claim.
    #[serde(default)]
    pub meaning: String,
    /// Where it looks for the values.
    pub looks_at: LooksAt,
    /// How it compares values.
    #[serde(rename = "match")]
    pub matching: Matching,
}

/// Where a rule set looks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum LooksAt {
    /// In no output: the cited id only has to belong to the run.
    Nothing,
    /// In the output of the cited id.
    Cited,
    /// In every output of the run.
    Any,
}

/// How a rule set compares a value with an output.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Matching {
    /// Nothing is compared.
    None,
    /// The text of the output contains the value.
    Substring,
    /// The same, ignoring case, white space and the direction of slashes.
    FoldedSubstring,
    /// The gateway of the run decides.
    Gateway,
}

/// Why rule sets cannot be used.
#[derive(Debug, Error)]
pub enum RuleSetError {
    /// The file cannot be read.
    #[error("read the rule sets {}", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// The error of the operating system.
        #[source]
        source: std::io::Error,
    },
    /// The file is not valid TOML of this form; the source gives the line.
    #[error("read the rule sets {}", path.display())]
    Toml {
        /// The file.
        path: PathBuf,
        /// Line, column and what was expected.
        #[source]
        source: Box<toml::de::Error>,
    },
    /// A rule set is contradictory or has no valid name.
    #[error("read the rule sets {}: rule set {name:?}: expected {expected}", path.display())]
    Content {
        /// The file.
        path: PathBuf,
        /// The name of the rule set.
        name: String,
        /// What was expected.
        expected: &'static str,
    },
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RuleSetFile {
    #[serde(default)]
    ruleset: Vec<RuleSet>,
}

/// Returns the shipped rule sets (`data/gate_rulesets.toml`) and those of a file;
/// a rule set in the file replaces a shipped one with the same name.
///
/// # Errors
///
/// Fails if the file cannot be read, or a rule set in it is invalid.
pub fn rule_sets(file: Option<&Path>) -> Result<Vec<RuleSet>, RuleSetError> {
    let shipped = include_str!("../../data/gate_rulesets.toml");
    let mut sets = read(Path::new("gate_rulesets.toml"), shipped)?;
    if let Some(path) = file {
        let text = std::fs::read_to_string(path)
            .map_err(|source| RuleSetError::Unreadable { path: path.to_owned(), source })?;
        for set in read(path, &text)? {
            if set.name == OWN {
                let expected = "a name other than `locard`, which is the gateway's";
                return Err(RuleSetError::Content { path: path.to_owned(), name: set.name, expected });
            }
            match sets.iter_mut().find(|known| known.name == set.name) {
                Some(known) => *known = set,
                None => sets.push(set),
            }
        }
    }
    Ok(sets)
}

fn read(path: &Path, text: &str) -> Result<Vec<RuleSet>, RuleSetError> {
    let file: RuleSetFile = toml::from_str(text)
        .map_err(|source| RuleSetError::Toml { path: path.to_owned(), source: Box::new(source) })?;
    for (place, set) in file.ruleset.iter().enumerate() {
        let wrong =
            |expected| Err(RuleSetError::Content { path: path.to_owned(), name: set.name.clone(), expected });
        if set.name.trim().is_empty() || set.name.chars().any(char::is_control) {
            return wrong("a name");
        }
        if file.ruleset.iter().take(place).any(|other| other.name == set.name) {
            return wrong("a name that no other has");
        }
        match (set.looks_at, set.matching) {
            (LooksAt::Nothing, Matching::None) => {}
            (LooksAt::Nothing, _) => return wrong("`match = \"none\"`, since it looks at nothing"),
            (LooksAt::Cited | LooksAt::Any, Matching::None) => {
                return wrong("`looks_at = \"nothing\"`, since it compares nothing");
            }
            (LooksAt::Cited, Matching::Gateway) => {
                return wrong("`looks_at = \"any\"`, since the gateway looks where it must");
            }
            (LooksAt::Cited | LooksAt::Any, Matching::Substring | Matching::FoldedSubstring)
            | (LooksAt::Any, Matching::Gateway) => {}
        }
    }
    Ok(file.ruleset)
}

/// Whether a rule set lets a claim pass; `gateway` is the gateway's answer.
///
/// If a claim cites several ids, each must belong to the run, and a value may be in the
/// output of any of them. What the claim says is absent must not be found.
pub(super) fn passes(set: &RuleSet, wording: &Wording<'_>, text: &RunText, gateway: bool) -> bool {
    let is_known = |id: &InvocationId| text.has(*id) || wording.own.contains(id);
    let cited: Option<Vec<InvocationId>> = wording.cites.iter().map(|cited| cited.filter(is_known)).collect();
    let folded = match set.matching {
        Matching::None => return cited.is_some(),
        Matching::Gateway => return gateway,
        Matching::Substring => false,
        Matching::FoldedSubstring => true,
    };
    let stands = |said: &str, cited: &[InvocationId]| {
        let plain = flat_path(said);
        let exact = (!folded).then_some(said);
        match set.looks_at {
            LooksAt::Nothing => false,
            LooksAt::Cited => cited.iter().any(|id| text.cited_holds(*id, &plain, exact)),
            LooksAt::Any => text.any_holds(&plain, exact),
        }
    };
    let looked = match (set.looks_at, &cited) {
        (LooksAt::Cited, None) => return false,
        (_, cited) => cited.as_deref().unwrap_or_default(),
    };
    wording.says.iter().all(|said| stands(said, looked))
        && wording.denies.is_none_or(|denied| !stands(denied, looked))
}

/// Normalises a text for a folded comparison: case, white space and the direction of slashes.
pub(super) fn flat_path(text: &str) -> String {
    flat(text).replace('\\', "/")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_shipped_rule_sets_begin_with_the_gateway() {
        let sets = rule_sets(None).unwrap();
        assert_eq!((sets[0].name.as_str(), sets[0].matching), ("locard", Matching::Gateway));
        assert!(sets.iter().all(|set| !set.meaning.is_empty()));
    }

    #[test]
    fn a_rule_set_that_contradicts_itself_is_refused_by_name() {
        let set = |looks_at: &str, matching: &str| {
            format!("[[ruleset]]\nname = \"x\"\nlooks_at = \"{looks_at}\"\nmatch = \"{matching}\"\n")
        };
        for (looks_at, matching) in [("nothing", "substring"), ("cited", "none"), ("cited", "gateway")] {
            let error = read(Path::new("f"), &set(looks_at, matching)).unwrap_err();
            assert!(matches!(error, RuleSetError::Content { ref name, .. } if name == "x"), "{error}");
        }
        let twice = set("any", "substring").repeat(2);
        assert!(matches!(read(Path::new("f"), &twice), Err(RuleSetError::Content { .. })));
        assert!(matches!(read(Path::new("f"), &set("some", "none")), Err(RuleSetError::Toml { .. })));
    }
}
