//! Why bytes from a pipe are not a message.

/// Why bytes are not a frame, or its payload not a message.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FrameError {
    /// The first four bytes are not ours: something else was written to the pipe.
    #[error("frame begins with {actual:02x?}, not with the magic")]
    Magic {
        /// The bytes found.
        actual: [u8; 4],
    },
    /// The frame is of another version of the format.
    #[error("frame has version {actual}, expected {VERSION}")]
    Version {
        /// The version found.
        actual: u8,
    },
    /// The kind is unknown, or not expected here.
    #[error("frame has the unexpected kind {actual}")]
    Kind {
        /// The kind found.
        actual: u8,
    },
    /// The header announces more than is allowed.
    #[error("frame announces {actual} bytes, at most {limit} are allowed")]
    TooLong {
        /// Bytes announced.
        actual: u64,
        /// Bytes allowed.
        limit: u64,
    },
    /// The bytes end inside a header, a payload or a field, or continue after it.
    #[error("frame has {actual} bytes where {expected} are expected")]
    Length {
        /// Bytes expected.
        expected: u64,
        /// Bytes found.
        actual: u64,
    },
    /// A field has a number without a meaning.
    #[error("field `{field}` holds the unknown number {actual}")]
    Field {
        /// Name of the field.
        field: &'static str,
        /// The number found.
        actual: u64,
    },
    /// The pipe could not be read.
    #[error("pipe cannot be read (os error {errno})")]
    Pipe {
        /// The system's error number.
        errno: i32,
    },
}

/// The version of the frame format.
pub(crate) const VERSION: u8 = 1;
