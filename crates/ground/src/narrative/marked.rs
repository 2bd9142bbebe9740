//! Marks which parts of a free text are values of a node, and which are values that the node does not have.

use super::cited::{Cited, Known};
use super::values::{self, Found};
use ledger::NodeId;
use ledger::escapes::unescaped;

/// A piece of a text; the pieces in order make up the text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Marked {
    /// The piece.
    pub text: String,
    /// Whether the node states it; `None` for plain words, about which nothing is said.
    pub stands: Option<bool>,
}

/// Splits a text into words and values, and says for each value whether the node, or a fact behind it, states it.
///
/// Values are recognised as in sentences; plain words are not checked.
pub fn marked(text: &str, node: NodeId, known: &Known<'_>) -> Vec<Marked> {
    let text = &*unescaped(text);
    let cited = Cited::of(&[node], known);
    let mut pieces = Vec::new();
    let mut at = 0;
    for (found, chunks) in values::found(text, &cited) {
        let stands = match found {
            Found::Word => continue,
            Found::Stated => true,
            Found::Unfounded => false,
        };
        let ends = chunks.first().zip(chunks.last());
        let Some((from, to)) = ends.map(|(first, last)| (first.bare_range().0, last.bare_range().1)) else {
            continue;
        };
        let (before, value) = (text.get(at..from), text.get(from..to));
        if let Some((before, value)) = before.zip(value).filter(|(_, value)| !value.is_empty()) {
            push(&mut pieces, before, None);
            push(&mut pieces, value, Some(stands));
            at = to;
        }
    }
    push(&mut pieces, text.get(at..).unwrap_or_default(), None);
    pieces
}

fn push(pieces: &mut Vec<Marked>, text: &str, stands: Option<bool>) {
    if !text.is_empty() {
        pieces.push(Marked { text: text.to_owned(), stands });
    }
}
