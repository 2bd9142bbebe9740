//! The stored form of an event and of its circumstance, written and read here alone.
//!
//! Derived code for an enum of forty variants is long, and generic: each crate that named a serialiser would compile a copy of its own.
//! So the functions of [`Stored`] are no generic ones, and a table says which variant has which name.

use super::Event;
use crate::canonical::{self, CanonicalError};
use crate::chain::Circumstance;
use crate::fact::Healing;
use serde::Deserialize;
use serde::de::{DeserializeOwned, Error};
use serde_json::value::RawValue;
use std::borrow::Cow;

/// What stands in a log as canonical JSON.
pub trait Stored: Sized {
    /// The canonical bytes.
    ///
    /// # Errors
    ///
    /// Where a number in it is no integer.
    fn to_stored(&self) -> Result<Vec<u8>, CanonicalError>;

    /// The value of stored bytes; they need not be canonical.
    ///
    /// # Errors
    ///
    /// Where the bytes are no JSON, or not of this type.
    fn from_stored(bytes: &[u8]) -> serde_json::Result<Self>;
}

/// An event as it is stored: its fields are read once its name is known.
#[derive(Deserialize)]
struct Parts<'b> {
    #[serde(borrow)]
    event: Cow<'b, str>,
    #[serde(borrow)]
    fields: Option<&'b RawValue>,
}

impl Stored for Event {
    fn to_stored(&self) -> Result<Vec<u8>, CanonicalError> {
        canonical::to_vec(self)
    }

    fn from_stored(bytes: &[u8]) -> serde_json::Result<Event> {
        let parts: Parts<'_> = serde_json::from_slice(bytes)?;
        Event::from_parts(&parts.event, parts.fields)
    }
}

impl Stored for Circumstance {
    fn to_stored(&self) -> Result<Vec<u8>, CanonicalError> {
        canonical::to_vec(self)
    }

    fn from_stored(bytes: &[u8]) -> serde_json::Result<Circumstance> {
        serde_json::from_slice(bytes)
    }
}

impl Stored for Option<Healing> {
    fn to_stored(&self) -> Result<Vec<u8>, CanonicalError> {
        canonical::to_vec(self)
    }

    fn from_stored(bytes: &[u8]) -> serde_json::Result<Option<Healing>> {
        serde_json::from_slice(bytes)
    }
}

fn fields<T: DeserializeOwned>(stored: Option<&RawValue>) -> serde_json::Result<T> {
    let stored = stored.ok_or_else(|| serde_json::Error::missing_field("fields"))?;
    serde_json::from_slice(stored.get().as_bytes())
}

/// Makes of the table of names the functions that go by it: a variant without a line does not compile.
macro_rules! names {
    (
        with fields { $($variant:ident = $name:literal,)+ }
        without { $($plain:ident = $bare:literal,)+ }
    ) => {
        impl Event {
            /// The event's name, as it stands in its stored form.
            pub const fn name(&self) -> &'static str {
                match self {
                    $(Event::$variant(_) => $name,)+
                    $(Event::$plain => $bare,)+
                }
            }

            fn from_parts(name: &str, stored: Option<&RawValue>) -> serde_json::Result<Event> {
                match name {
                    $($name => fields(stored).map(Event::$variant),)+
                    $($bare => Ok(Event::$plain),)+
                    _ => Err(serde_json::Error::unknown_variant(name, NAMES)),
                }
            }
        }

        /// The names of all events.
        const NAMES: &[&str] = &[$($name,)+ $($bare,)+];
    };
}

names! {
    with fields {
        RunOpened = "run_opened",
        RunResumed = "run_resumed",
        NamesIndexed = "names_indexed",
        TimelineIndexed = "timeline_indexed",
        TaskAssigned = "task_assigned",
        EvidenceHashed = "evidence_hashed",
        RunSealed = "run_sealed",
        PhaseEntered = "phase_entered",
        TurnRequested = "turn_requested",
        TurnReplied = "turn_replied",
        TurnFailed = "turn_failed",
        RequestTooLong = "request_too_long",
        InvocationStarted = "invocation_started",
        InvocationEnded = "invocation_ended",
        CallRefused = "call_refused",
        CallServed = "call_served",
        OutputPaged = "output_paged",
        ClaimSubmitted = "claim_submitted",
        ClaimAccepted = "claim_accepted",
        AbsenceAccepted = "absence_accepted",
        DerivationAccepted = "derivation_accepted",
        ClaimRejected = "claim_rejected",
        PhenomenonRecorded = "phenomenon_recorded",
        NothingToRecord = "nothing_to_record",
        EntityAdded = "entity_added",
        RelationAdded = "relation_added",
        HypothesisProposed = "hypothesis_proposed",
        HypothesisAssessed = "hypothesis_assessed",
        GraphRead = "graph_read",
        Recalled = "recalled",
        TasksDispatched = "tasks_dispatched",
        TaskReported = "task_reported",
        ArtifactStored = "artifact_stored",
        ArtifactRetrieved = "artifact_retrieved",
        RecoveryBegun = "recovery_begun",
        RecoveryEnded = "recovery_ended",
        SentenceAccepted = "sentence_accepted",
        PurseSpent = "purse_spent",
        TaskEnded = "task_ended",
    }
    without {
        Cancelled = "cancelled",
        TimeSpent = "time_spent",
    }
}
