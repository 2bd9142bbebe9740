//! The forms of an absence.

use serde::{Deserialize, Serialize};

/// The form of an [`Absence`](super::Absence).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[expect(missing_docs, reason = "each variant is documented at the variant of `Absence` of the same name")]
pub enum AbsenceForm {
    File,
    RegistryKey,
    Text,
    Events,
}

impl AbsenceForm {
    /// Every form.
    pub const ALL: [AbsenceForm; 4] =
        [AbsenceForm::File, AbsenceForm::RegistryKey, AbsenceForm::Text, AbsenceForm::Events];

    /// Returns the name used in claims.
    pub const fn name(self) -> &'static str {
        match self {
            AbsenceForm::File => "file",
            AbsenceForm::RegistryKey => "registry_key",
            AbsenceForm::Text => "text",
            AbsenceForm::Events => "events",
        }
    }
}
