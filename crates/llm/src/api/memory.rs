//! What a provider said, as it said it.
//!
//! Thinking goes back with its signature or not at all, and a signature fits nothing but the very bytes it was made for; so what came is kept, and no message is rebuilt while it is there.
//! A task that was resumed has no memory of before: its messages are rebuilt from what is recorded, without thinking.

use super::transcript::{Part, Role, Turn};
use serde_json::value::RawValue;

/// Messages of the assistant in the order in which they came.
#[derive(Debug, Default)]
pub(crate) struct Memory {
    kept: Vec<Kept>,
}

#[derive(Debug)]
struct Kept {
    view: Vec<Seen>,
    verbatim: Box<RawValue>,
}

/// What of a part tells one message from another. Arguments do not: the record writes them in its own way.
#[derive(Debug, PartialEq, Eq)]
enum Seen {
    Text(String),
    Call(String),
}

impl Memory {
    /// Keeps what was said: the parts as the engine will repeat them, and the message for the wire.
    pub(crate) fn keep(&mut self, parts: &[Part], verbatim: Box<RawValue>) {
        self.kept.push(Kept { view: view(parts), verbatim });
    }

    /// The ids of all calls that were kept, also of those that no request shows any more.
    pub(crate) fn ids(&self) -> impl Iterator<Item = &str> {
        self.kept.iter().flat_map(|kept| &kept.view).filter_map(|seen| match seen {
            Seen::Call(call) => Some(call.as_str()),
            Seen::Text(_) => None,
        })
    }

    /// For each turn what was kept of it. Both are in one order, so that a message said twice is not taken for its double.
    pub(crate) fn of<'m>(&'m self, turns: &[Turn]) -> Vec<Option<&'m RawValue>> {
        let mut next = 0;
        let mut find = |turn: &Turn| match turn.role {
            Role::User => None,
            Role::Assistant => {
                let view = view(&turn.parts);
                let rest = self.kept.get(next..)?;
                let at = rest.iter().position(|kept| kept.view == view)?;
                next += at + 1;
                rest.get(at).map(|kept| kept.verbatim.as_ref())
            }
        };
        turns.iter().map(&mut find).collect()
    }
}

fn view(parts: &[Part]) -> Vec<Seen> {
    let seen = |part: &Part| match part {
        Part::Text(text) => Some(Seen::Text(text.clone())),
        Part::Call { call, .. } => Some(Seen::Call(call.clone())),
        Part::Result { .. } => None,
    };
    parts.iter().filter_map(seen).collect()
}
