//! The nodes and edges that agents add to the evidence graph, besides facts.
//!
//! They are an agent's interpretation of its facts; each is based on facts and never replaces one.

use crate::id::{
    AbsenceId, DerivationId, EntityId, FactId, HypothesisId, IdError, InvocationId, PhenomenonId, RelationId,
};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

/// A node or edge of the evidence graph, by its id.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub enum NodeId {
    /// A tool call.
    Invocation(InvocationId),
    /// A grounded reading.
    Fact(FactId),
    /// An observation.
    Phenomenon(PhenomenonId),
    /// A negative finding.
    Absence(AbsenceId),
    /// What facts say together.
    Derivation(DerivationId),
    /// A thing that facts name.
    Entity(EntityId),
    /// An edge between two nodes.
    Relation(RelationId),
    /// An explanation under test.
    Hypothesis(HypothesisId),
}

impl FromStr for NodeId {
    type Err = IdError;

    fn from_str(text: &str) -> Result<NodeId, IdError> {
        match text.split('-').next() {
            Some("inv") => text.parse().map(NodeId::Invocation),
            Some("fact") => text.parse().map(NodeId::Fact),
            Some("phen") => text.parse().map(NodeId::Phenomenon),
            Some("abs") => text.parse().map(NodeId::Absence),
            Some("der") => text.parse().map(NodeId::Derivation),
            Some("ent") => text.parse().map(NodeId::Entity),
            Some("rel") => text.parse().map(NodeId::Relation),
            Some("hyp") => text.parse().map(NodeId::Hypothesis),
            _ => Err(IdError::Form {
                expected: "an id that begins with inv-, fact-, phen-, abs-, der-, ent-, rel- or hyp-",
                found: text.to_owned(),
            }),
        }
    }
}

impl TryFrom<String> for NodeId {
    type Error = IdError;

    fn try_from(text: String) -> Result<NodeId, IdError> {
        text.parse()
    }
}

impl From<NodeId> for String {
    fn from(id: NodeId) -> String {
        id.to_string()
    }
}

impl fmt::Display for NodeId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            NodeId::Invocation(id) => id.fmt(f),
            NodeId::Fact(id) => id.fmt(f),
            NodeId::Phenomenon(id) => id.fmt(f),
            NodeId::Absence(id) => id.fmt(f),
            NodeId::Derivation(id) => id.fmt(f),
            NodeId::Entity(id) => id.fmt(f),
            NodeId::Relation(id) => id.fmt(f),
            NodeId::Hypothesis(id) => id.fmt(f),
        }
    }
}

macro_rules! closed_words {
    ($(#[$doc:meta])* $name:ident { $($(#[$variant_doc:meta])* $variant:ident = $word:literal,)+ }) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(rename_all = "snake_case")]
        pub enum $name { $($(#[$variant_doc])* $variant,)+ }

        impl $name {
            /// All variants.
            pub const ALL: &[$name] = &[$($name::$variant),+];

            /// Returns the word used in calls and in the log.
            pub const fn name(self) -> &'static str {
                match self { $($name::$variant => $word,)+ }
            }

            /// Returns the variant with this word.
            pub fn of_name(word: &str) -> Option<$name> {
                $name::ALL.iter().copied().find(|one| one.name() == word)
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(self.name())
            }
        }
    };
}

closed_words! {
    /// The kind of an entity.
    EntityKind {
        /// A computer.
        Host = "host",
        /// An account of a computer, a domain or a service.
        Account = "account",
        /// A person, as far as the evidence names one.
        Person = "person",
        /// A device, such as a USB stick.
        Device = "device",
        /// A file or folder.
        File = "file",
        /// A program, wherever its file is.
        Program = "program",
        /// A service or driver.
        Service = "service",
        /// A scheduled task.
        ScheduledTask = "scheduled_task",
        /// A registry key or value.
        RegistryKey = "registry_key",
        /// A network address.
        Address = "address",
        /// A domain, share or URL.
        Domain = "domain",
    }
}

closed_words! {
    /// How one node relates to another, read from left to right.
    RelationKind {
        /// The first node is the second, under another name.
        SameAs = "same_as",
        /// The first node belongs to the second.
        PartOf = "part_of",
        /// The first node used, opened or ran the second.
        Used = "used",
        /// The first node made or wrote the second.
        Created = "created",
        /// The first node starts the second.
        Starts = "starts",
        /// The first node was connected to the second.
        ConnectedTo = "connected_to",
        /// The first node came from the second.
        CameFrom = "came_from",
        /// The first node happened before the second.
        Before = "before",
        /// The first node supports the second.
        Supports = "supports",
        /// The first node contradicts the second.
        Contradicts = "contradicts",
    }
}

impl RelationKind {
    /// The relations that an agent can state: interpretations that no code decides.
    ///
    /// Sameness, order, and which path contains another follow from values: code derives them, and agents cannot state them.
    pub const INTERPRETED: [RelationKind; 7] = [
        RelationKind::Used,
        RelationKind::Created,
        RelationKind::Starts,
        RelationKind::ConnectedTo,
        RelationKind::CameFrom,
        RelationKind::Supports,
        RelationKind::Contradicts,
    ];
}

closed_words! {
    /// An agent's assessment of a hypothesis.
    Assessment {
        /// The facts support it.
        Supported = "supported",
        /// The facts contradict it.
        Contradicted = "contradicted",
        /// The facts do not decide.
        Undecided = "undecided",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_is_read_as_the_kind_that_its_prefix_names() {
        for text in
            ["inv-00000001", "fact-0a1b2c3d", "phen-00000000", "abs-ffffffff", "der-00000001", "ent-00000001"]
        {
            assert_eq!(text.parse::<NodeId>().unwrap().to_string(), text);
        }
        for text in ["", "node-00000001", "fact-1", "inv", "ent-0000000G"] {
            assert!(text.parse::<NodeId>().is_err(), "{text}");
        }
    }

    #[test]
    fn words_are_those_of_the_stored_form() {
        for kind in EntityKind::ALL {
            assert_eq!(serde_json::to_value(kind).unwrap(), kind.name());
        }
        for kind in RelationKind::ALL {
            assert_eq!(serde_json::to_value(kind).unwrap(), kind.name());
        }
        for kind in Assessment::ALL {
            assert_eq!(Assessment::of_name(kind.name()), Some(*kind));
        }
    }
}
