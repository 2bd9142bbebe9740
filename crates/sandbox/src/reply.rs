//! What a call's process hands back.

use std::fs::File;

/// The reply to a call: the bytes of a file, where there is one, and further bytes behind them.
#[derive(Debug, Default)]
pub struct Reply {
    /// Sent from its beginning, without passing through memory.
    pub file: Option<File>,
    /// Sent behind it.
    pub bytes: Vec<u8>,
}

impl From<Vec<u8>> for Reply {
    fn from(bytes: Vec<u8>) -> Reply {
        Reply { file: None, bytes }
    }
}
