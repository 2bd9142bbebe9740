//! Ids of techniques and tactics.

use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;
use thiserror::Error;

/// A text that is not the id of a technique or tactic.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{text:?} is no id of a {of} of ATT&CK")]
pub struct UnknownId {
    /// The text.
    pub text: String,
    /// What it should be the id of.
    pub of: &'static str,
}

/// The id of a technique (`T` and four digits) or of a sub-technique (followed by a dot and three digits).
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct TechniqueId(String);

impl TechniqueId {
    /// Checks the form of an id, but not whether such a technique exists.
    pub fn new(text: &str) -> Result<TechniqueId, UnknownId> {
        let (technique, sub) = match text.split_once('.') {
            Some((technique, sub)) => (technique, Some(sub)),
            None => (text, None),
        };
        let is_one = technique.strip_prefix('T').is_some_and(|number| is_number(number, 4));
        match is_one && sub.is_none_or(|sub| is_number(sub, 3)) {
            true => Ok(TechniqueId(text.to_owned())),
            false => Err(UnknownId { text: text.to_owned(), of: "technique" }),
        }
    }

    /// Returns the id as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Returns the id of a sub-technique's technique; `None` for a technique.
    pub fn parent(&self) -> Option<TechniqueId> {
        self.0.split_once('.').map(|(technique, _)| TechniqueId(technique.to_owned()))
    }

    /// Returns the URL of MITRE's description: `https://attack.mitre.org/techniques/T1547/001/`.
    pub fn url(&self) -> String {
        format!("https://attack.mitre.org/techniques/{}/", self.0.replace('.', "/"))
    }
}

/// The id of a tactic: `TA` and four digits.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct TacticId(String);

impl TacticId {
    /// Checks the form of an id, but not whether such a tactic exists.
    pub fn new(text: &str) -> Result<TacticId, UnknownId> {
        match text.strip_prefix("TA").is_some_and(|number| is_number(number, 4)) {
            true => Ok(TacticId(text.to_owned())),
            false => Err(UnknownId { text: text.to_owned(), of: "tactic" }),
        }
    }

    /// Returns the id as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Returns the URL of MITRE's description: `https://attack.mitre.org/tactics/TA0003/`.
    pub fn url(&self) -> String {
        format!("https://attack.mitre.org/tactics/{}/", self.0)
    }
}

fn is_number(text: &str, digits: usize) -> bool {
    text.len() == digits && text.bytes().all(|byte| byte.is_ascii_digit())
}

macro_rules! as_text {
    ($name:ident) => {
        impl FromStr for $name {
            type Err = UnknownId;
            fn from_str(text: &str) -> Result<$name, UnknownId> {
                $name::new(text)
            }
        }

        impl TryFrom<String> for $name {
            type Error = UnknownId;
            fn try_from(text: String) -> Result<$name, UnknownId> {
                $name::new(&text)
            }
        }

        impl From<$name> for String {
            fn from(id: $name) -> String {
                id.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }
    };
}

as_text!(TechniqueId);
as_text!(TacticId);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_ids_of_their_form_are_ids() {
        for good in ["T1053", "T1547.001"] {
            assert_eq!(TechniqueId::new(good).unwrap().as_str(), good);
        }
        for bad in [
            "",
            "T",
            "T105",
            "T10533",
            "T1053.",
            "T1053.01",
            "T1053.001.1",
            "t1053",
            "TA0003",
            "T1053.0x1",
            "T١٠٥٣",
        ] {
            assert!(TechniqueId::new(bad).is_err(), "{bad}");
        }
        assert!(TacticId::new("TA0112").is_ok());
        for bad in ["TA112", "T0112", "TA01122", "TA011a", "stealth"] {
            assert!(TacticId::new(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn a_sub_technique_has_its_own_page_below_that_of_its_technique() {
        let sub = TechniqueId::new("T1547.001").unwrap();
        assert_eq!(sub.url(), "https://attack.mitre.org/techniques/T1547/001/");
        assert_eq!(sub.parent().unwrap().url(), "https://attack.mitre.org/techniques/T1547/");
        assert_eq!(sub.parent().unwrap().parent(), None);
    }
}
