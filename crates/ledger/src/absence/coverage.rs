//! Which absences an empty call shows.

use super::form::AbsenceForm;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;

/// Which absences an empty, complete call of a tool shows.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Coverage {
    /// The form.
    pub form: AbsenceForm,
    /// The tool's arguments for the members of the form, by member.
    pub members: BTreeMap<String, String>,
    /// Arguments that must have this value, because another value searches less.
    pub required: BTreeMap<String, Value>,
    /// Arguments that do not narrow a search that found nothing.
    pub free: Vec<String>,
    /// The listing that shows how far the searched logs reach; `None` if the form needs none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reach: Option<Listing>,
}

/// A call that lists event logs, each with its channel and the times of its first and last record.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Listing {
    /// The tool.
    pub tool: String,
    /// The type of its records, with the fields `channel`, `first` and `last`.
    pub kind: String,
    /// The argument that names the evidence; without it, the call lists all evidence.
    pub evidence: String,
    /// Arguments that must have this value, because another value lists less.
    pub required: BTreeMap<String, Value>,
    /// Arguments that leave nothing out of a complete listing.
    pub free: Vec<String>,
}

impl Listing {
    /// Checks whether a call of the tool with these arguments lists all logs of the evidence with this label, or of all evidence.
    pub fn lists(&self, tool: &str, arguments: &Value, evidence: Option<&str>) -> bool {
        let leaves_nothing_out = |(name, value): (&String, &Value)| {
            value.is_null()
                || self.required.get(name).is_some_and(|required| required == value)
                || (*name == self.evidence && value.as_str() == evidence)
                || self.free.contains(name)
        };
        tool == self.tool && arguments.as_object().is_some_and(|given| given.iter().all(leaves_nothing_out))
    }
}
