//! What a call's process returns.

use std::fs::File;

/// The reply to a call: the content of a file, if there is one, followed by further bytes.
#[derive(Debug, Default)]
pub struct Reply {
    /// Sent from its beginning, without passing through memory.
    pub file: Option<File>,
    /// Sent after the file.
    pub bytes: Vec<u8>,
}

impl From<Vec<u8>> for Reply {
    fn from(bytes: Vec<u8>) -> Reply {
        Reply { file: None, bytes }
    }
}
