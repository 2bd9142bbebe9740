//! Paths of the examiner's machine in requests: as text if they are valid text, else as bytes.

use evidence::platform::{from_name_bytes, name_bytes};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::path::{Path, PathBuf};

#[derive(Deserialize)]
#[serde(untagged)]
enum Stored {
    Text(PathBuf),
    Bytes(Vec<u8>),
}

pub(crate) fn serialize<S: Serializer>(path: &Path, serializer: S) -> Result<S::Ok, S::Error> {
    match path.to_str() {
        Some(text) => serializer.serialize_str(text),
        None => name_bytes(path.as_os_str()).serialize(serializer),
    }
}

pub(crate) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<PathBuf, D::Error> {
    match Stored::deserialize(deserializer)? {
        Stored::Text(path) => Ok(path),
        Stored::Bytes(bytes) => from_name_bytes(bytes).map(PathBuf::from).map_err(serde::de::Error::custom),
    }
}
