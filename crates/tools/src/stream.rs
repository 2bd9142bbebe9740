//! Named (alternate) streams of files.

use crate::error::CallError;
use crate::place::Place;
use evidence::Node;

/// Returns the stream that is asked for in the evidence's spelling: with this exact name, or else the only one that differs only in case.
///
/// `None` if none is asked for: the file's own content.
pub(crate) fn named<'p>(place: &'p Place<'_>, asked: Option<&str>) -> Result<Option<&'p str>, CallError> {
    let Some(asked) = asked.map(bare).filter(|asked| !asked.is_empty()) else { return Ok(None) };
    let names = || place.node.streams.iter().map(|stream| stream.name.as_str());
    if let Some(same) = names().find(|name| *name == asked) {
        return Ok(Some(same));
    }
    let lower = asked.to_lowercase();
    let mut folded = names().filter(|name| name.to_lowercase() == lower);
    match (folded.next(), folded.next()) {
        (Some(only), None) => Ok(Some(only)),
        (None, _) | (Some(_), Some(_)) => Err(CallError::NoStream {
            path: place.node.path.clone(),
            asked: asked.to_owned(),
            streams: names().map(str::to_owned).collect(),
        }),
    }
}

/// Returns the name, also from `:name` and `name:$DATA`, as Windows writes it after a path.
fn bare(asked: &str) -> &str {
    let asked = asked.strip_prefix(':').unwrap_or(asked);
    asked.strip_suffix(":$DATA").unwrap_or(asked)
}

/// Returns the size in bytes of a stream, or of the file's own content.
pub(crate) fn size(node: &Node, stream: Option<&str>) -> u64 {
    match stream {
        None => node.size,
        Some(name) => node.streams.iter().find(|stream| stream.name == name).map_or(0, |stream| stream.size),
    }
}
