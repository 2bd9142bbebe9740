//! A phrase as pieces: words of the book, and values.

use std::fmt;

/// A sentence.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Phrase {
    /// Its pieces, in order.
    pub pieces: Vec<Piece>,
}

/// A piece of a sentence.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Piece {
    /// Words of the phrase book.
    Words(String),
    /// A value as in the evidence, with hidden characters escaped; a long one is shortened and marked.
    Value {
        /// The field that holds it; for other parts of the fact, a name that begins with `@`.
        field: String,
        /// The text.
        text: String,
    },
    /// A value that the book puts into words: for a flag, that something is enabled.
    Told {
        /// The field that holds it.
        field: String,
        /// The field's value, as in the evidence.
        value: String,
        /// The words for it.
        text: String,
    },
    /// Text that code computed from values: a span between two times.
    Computed {
        /// The text.
        text: String,
    },
}

impl Piece {
    /// Returns the text to read.
    pub fn text(&self) -> &str {
        match self {
            Piece::Words(text)
            | Piece::Value { text, .. }
            | Piece::Told { text, .. }
            | Piece::Computed { text } => text,
        }
    }

    /// Returns the field of the fact that it says.
    pub fn field(&self) -> Option<&str> {
        match self {
            Piece::Value { field, .. } | Piece::Told { field, .. } => Some(field),
            Piece::Words(_) | Piece::Computed { .. } => None,
        }
    }
}

impl Phrase {
    /// Returns the whole sentence.
    pub fn text(&self) -> String {
        self.pieces.iter().map(Piece::text).collect()
    }

    /// Returns the fields that it says, in order; a field may occur more than once.
    pub fn fields(&self) -> impl Iterator<Item = &str> {
        self.pieces.iter().filter_map(Piece::field)
    }

    pub(crate) fn words(&mut self, words: &str) {
        if words.is_empty() {
            return;
        }
        match self.pieces.last_mut() {
            Some(Piece::Words(last)) => last.push_str(words),
            _ => self.pieces.push(Piece::Words(words.to_owned())),
        }
    }

    /// Appends another phrase without its final full stop.
    pub(crate) fn clause(&mut self, other: Phrase) {
        for piece in other.pieces {
            match piece {
                Piece::Words(words) => self.words(&words),
                piece => self.pieces.push(piece),
            }
        }
        if let Some(Piece::Words(last)) = self.pieces.last_mut()
            && last.ends_with('.')
        {
            last.pop();
        }
    }
}

impl fmt::Display for Phrase {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.pieces.iter().try_for_each(|piece| f.write_str(piece.text()))
    }
}
