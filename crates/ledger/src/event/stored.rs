//! The stored form of events and circumstances; only this module writes and reads it.
//!
//! Derived code for an enum of forty variants is long and generic: each crate that named a serialiser would compile its own copy.
//! So the functions of [`Stored`] are not generic, and a table maps variants to names.

use super::Event;
use crate::canonical::{self, CanonicalError};
use crate::chain::Circumstance;
use crate::fact::Healing;
use serde::Deserialize;
use serde::de::{Deserializer, Error, MapAccess, Visitor};
use std::borrow::Cow;
use std::fmt;

/// A value that is stored in a log as canonical JSON.
pub trait Stored: Sized {
    /// Returns the canonical bytes.
    ///
    /// # Errors
    ///
    /// If it contains a number that is not an integer.
    fn to_stored(&self) -> Result<Vec<u8>, CanonicalError>;

    /// Reads a value from stored bytes; they need not be canonical, except that an event's own two members must be in order.
    ///
    /// # Errors
    ///
    /// If the bytes are not JSON, or not of this type.
    fn from_stored(bytes: &[u8]) -> serde_json::Result<Self>;
}

impl Stored for Event {
    fn to_stored(&self) -> Result<Vec<u8>, CanonicalError> {
        canonical::to_vec(self)
    }

    fn from_stored(bytes: &[u8]) -> serde_json::Result<Event> {
        let mut text = serde_json::Deserializer::from_slice(bytes);
        let event = text.deserialize_map(EventVisitor)?;
        text.end()?;
        Ok(event)
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

/// Reads an event in the order of its canonical form: its name, then its fields, whose type depends on the name.
struct EventVisitor;

impl<'de> Visitor<'de> for EventVisitor {
    type Value = Event;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an event: its name, then its fields")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Event, A::Error> {
        expect_member("event", &mut members)?;
        let name: Cow<'_, str> = members.next_value()?;
        let event = Event::from_members(&name, &mut members)?;
        match members.next_key::<Cow<'_, str>>()? {
            None => Ok(event),
            Some(other) => Err(A::Error::unknown_field(&other, &["event", "fields"])),
        }
    }
}

fn expect_member<'de, A: MapAccess<'de>>(name: &'static str, members: &mut A) -> Result<(), A::Error> {
    match members.next_key::<Cow<'_, str>>()? {
        Some(found) if found == name => Ok(()),
        Some(found) => Err(A::Error::custom(format_args!("expected `{name}`, found `{found}`"))),
        None => Err(A::Error::missing_field(name)),
    }
}

fn fields<'de, T: Deserialize<'de>, A: MapAccess<'de>>(members: &mut A) -> Result<T, A::Error> {
    expect_member("fields", members)?;
    members.next_value()
}

/// Generates from the table of names the functions that use it: a variant without a line does not compile.
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

            fn from_members<'de, A: MapAccess<'de>>(name: &str, members: &mut A) -> Result<Event, A::Error> {
                match name {
                    $($name => fields(members).map(Event::$variant),)+
                    $($bare => Ok(Event::$plain),)+
                    _ => Err(A::Error::unknown_variant(name, NAMES)),
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
        TablesRead = "tables_read",
        RulesMatched = "rules_matched",
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
        ClaimRepeated = "claim_repeated",
        AbsenceAccepted = "absence_accepted",
        DerivationAccepted = "derivation_accepted",
        ClaimRejected = "claim_rejected",
        PhenomenonRecorded = "phenomenon_recorded",
        NothingToRecord = "nothing_to_record",
        NoteWritten = "note_written",
        ObjectiveAdded = "objective_added",
        QuestionsDeclined = "questions_declined",
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
        StatementTold = "statement_told",
        PurseSpent = "purse_spent",
        TaskEnded = "task_ended",
    }
    without {
        Cancelled = "cancelled",
        TimeSpent = "time_spent",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::event::{NothingToRecord, Spent};
    use crate::id::CallId;

    #[test]
    fn what_was_stored_is_read_again_and_nothing_else_is() {
        let nothing = NothingToRecord { turn: 1, call: CallId("c".into()), reason: "none".into() };
        for event in [Event::NothingToRecord(nothing), Event::Cancelled, Event::PurseSpent(Spent::Turns)] {
            let stored = event.to_stored().unwrap();
            assert_eq!(Event::from_stored(&stored).unwrap(), event);
            for cut in 0..stored.len() {
                assert!(Event::from_stored(&stored[..cut]).is_err(), "{cut} bytes of {}", event.name());
            }
        }
        for wrong in [
            r#"{"event":"unheard_of"}"#,
            r#"{"event":"nothing_to_record"}"#,
            r#"{"event":"cancelled","fields":{}}"#,
            r#"{"event":"cancelled"} {}"#,
            r#"{"event":"cancelled","event":"cancelled"}"#,
            r#"{"fields":{},"event":"cancelled"}"#,
            r#"["cancelled"]"#,
            "null",
        ] {
            assert!(Event::from_stored(wrong.as_bytes()).is_err(), "{wrong}");
        }
    }
}
