//! What SQLite says, in words that fit a note.

use rusqlite::ErrorCode;

/// Most bytes of a note, a defect or a gap; a log takes no more than 4,096.
const LONGEST: usize = 3000;

/// The text, cut at a character where it is too long for a note.
pub(crate) fn short(mut text: String) -> String {
    if text.len() > LONGEST {
        text.truncate(text.floor_char_boundary(LONGEST));
        text.push('…');
    }
    text
}

/// SQLite's own message, without the statement that it may repeat.
pub(crate) fn words(error: &rusqlite::Error) -> String {
    match error {
        rusqlite::Error::SqlInputError { msg, .. } => msg.clone(),
        other => other.to_string(),
    }
}

/// The same as damage of a database; `None` where the budget was the reason.
pub(crate) fn defect_words(error: &rusqlite::Error) -> Option<String> {
    (error.sqlite_error_code() != Some(ErrorCode::OperationInterrupted)).then(|| words(error))
}
