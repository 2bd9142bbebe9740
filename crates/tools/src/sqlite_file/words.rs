//! SQLite's messages, short enough for a note.

use rusqlite::ErrorCode;

/// The most bytes of a note, a defect or a gap; a log accepts no more than 4,096.
const LONGEST: usize = 3000;

/// Cuts a text that is too long for a note, at a character.
pub(crate) fn short(mut text: String) -> String {
    if text.len() > LONGEST {
        text.truncate(text.floor_char_boundary(LONGEST));
        text.push('…');
    }
    text
}

/// Returns SQLite's own message, without the statement that it may repeat.
pub(crate) fn words(error: &rusqlite::Error) -> String {
    match error {
        rusqlite::Error::SqlInputError { msg, .. } => msg.clone(),
        other => other.to_string(),
    }
}

/// Returns the message as damage of a database; `None` if the budget was the reason.
pub(crate) fn defect_words(error: &rusqlite::Error) -> Option<String> {
    (error.sqlite_error_code() != Some(ErrorCode::OperationInterrupted)).then(|| words(error))
}
