//! Why a container cannot be opened, or bytes of its medium cannot be read.

use std::error::Error;
use std::io;
use thiserror::Error;

/// An error in a container format that our own code reads.
#[derive(Debug, Error)]
pub(crate) enum ContainerError {
    /// A structure cannot be read.
    #[error("{what}: {source}")]
    Read {
        what: &'static str,
        #[source]
        source: io::Error,
    },
    /// The file ends before the bytes that its structures name.
    #[error("byte {offset}: expected {expected} bytes, and the container ends at byte {length}")]
    Cut { offset: u64, expected: u64, length: u64 },
    /// A field does not have a valid value.
    #[error("byte {offset}: {what}: expected {expected}, found {found:#x}")]
    Value { offset: u64, what: &'static str, expected: &'static str, found: u64 },
    /// A checksum is wrong.
    #[error("byte {offset}: the checksum of {what} is wrong")]
    Checksum { offset: u64, what: &'static str },
    /// The image holds only the differences from another one.
    #[error("it holds only the changes to its parent {parent:?}; merge both into one image to read it")]
    Parent { parent: String },
    /// The image uses a feature that is not supported.
    #[error("{what}, which is not read")]
    Unsupported { what: &'static str },
    /// A file that the descriptor of a VMDK names is not acceptable.
    #[error("extent {name:?}: {reason}")]
    Extent { name: String, reason: &'static str },
    /// The descriptor of a VMDK lacks an entry.
    #[error("the descriptor has no {what}")]
    Missing { what: &'static str },
    /// The container holds only a part of the medium, and these bytes are not in it.
    #[error("{reason}")]
    NotHeld { reason: String },
    /// Compressed bytes do not expand to what they must.
    #[error("byte {offset}: {source}")]
    Compressed {
        offset: u64,
        #[source]
        source: io::Error,
    },
}

impl From<ContainerError> for io::Error {
    fn from(error: ContainerError) -> io::Error {
        let kind = match &error {
            ContainerError::Cut { .. } | ContainerError::NotHeld { .. } => io::ErrorKind::UnexpectedEof,
            ContainerError::Read { source, .. } | ContainerError::Compressed { source, .. } => source.kind(),
            ContainerError::Value { .. }
            | ContainerError::Checksum { .. }
            | ContainerError::Missing { .. } => io::ErrorKind::InvalidData,
            ContainerError::Parent { .. } | ContainerError::Unsupported { .. } => io::ErrorKind::Unsupported,
            ContainerError::Extent { .. } => io::ErrorKind::InvalidInput,
        };
        io::Error::new(kind, error)
    }
}

/// Where on the medium reading stopped, and why.
#[derive(Debug, Error)]
#[error("byte {offset} of the medium: {source}")]
pub(super) struct MediumError {
    pub(super) offset: u64,
    #[source]
    pub(super) source: Box<dyn Error + Send + Sync>,
}

impl From<MediumError> for io::Error {
    fn from(error: MediumError) -> io::Error {
        let kind = error.source.downcast_ref::<io::Error>().map_or(io::ErrorKind::Other, io::Error::kind);
        io::Error::new(kind, error)
    }
}
