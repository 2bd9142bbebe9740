//! Fields that limit what a record says: a fact or sentence that left one out would say more than the record does.
//!
//! They are data (`data/bounds.toml`), each with its reason. The field that says whether a thing is in force
//! ([`state_field`](crate::state_field)) is also one of them.

use serde::Deserialize;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

/// The fields and the reasons.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Bounds {
    /// Fields by name, in every record type that has them.
    #[serde(default)]
    pub field: BTreeMap<String, Bound>,
    /// Fields of one record type.
    #[serde(default)]
    pub record: BTreeMap<String, BoundsOfType>,
}

/// A field that limits what records say.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Bound {
    /// The reason.
    pub because: String,
    /// Record types in which the field means something else.
    #[serde(default)]
    pub unless: BTreeSet<String>,
}

/// Fields that limit what the records of one type say.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BoundsOfType {
    /// The fields.
    pub fields: BTreeSet<String>,
    /// The reason.
    pub because: String,
    /// Whether their values are never shortened.
    #[serde(default)]
    pub whole: bool,
}

impl Bounds {
    /// Reads the data.
    ///
    /// # Errors
    ///
    /// If the data is not TOML of this form: a bug in this program, which a test finds.
    pub fn read() -> Result<Bounds, toml::de::Error> {
        toml::from_str(include_str!("../data/bounds.toml"))
    }
}

/// The embedded data. A test reads it, so it is never empty.
static BOUNDS: LazyLock<Bounds> = LazyLock::new(|| Bounds::read().unwrap_or_default());

/// Returns why a field limits what records of this type say; `None` if it does not.
pub fn bound(record: &str, field: &str) -> Option<&'static str> {
    let own = BOUNDS.record.get(record).filter(|of| of.fields.contains(field)).map(|of| of.because.as_str());
    let by_name = BOUNDS.field.get(field).filter(|bound| !bound.unless.contains(record));
    own.or(by_name.map(|bound| bound.because.as_str()))
}

/// Checks whether a value of this field is shown whole, however long it is.
pub fn is_shown_whole(record: &str, field: &str) -> bool {
    BOUNDS.record.get(record).is_some_and(|of| of.whole && of.fields.contains(field))
}

#[cfg(test)]
mod tests {
    use super::{Bounds, bound};

    #[test]
    fn the_data_are_read_and_give_a_reason_each() {
        let bounds = Bounds::read().unwrap();
        let because = bounds.field.values().map(|bound| &bound.because);
        let mut because = because.chain(bounds.record.values().map(|of| &of.because));
        assert!(because.all(|reason| reason.len() > 20));
        assert!(bound("user_account", "flags").is_some() && bound("user_account", "name").is_none());
        assert!(bound("logon_failed", "status").is_some(), "by the name of the field");
        assert!(bound("scheduled_task", "action").is_none(), "there it is the program");
    }
}
