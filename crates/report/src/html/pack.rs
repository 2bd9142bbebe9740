//! Parts of the page that are unpacked on demand: a large run has more facts than a browser lays out quickly.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use flate2::Compression;
use flate2::write::GzEncoder;
use maud::{Markup, PreEscaped, html};
use std::io::{self, Write};

/// Packs rendered HTML: gzip (RFC 1952) in base64 (RFC 4648), which browsers can unpack.
///
/// If packing fails, which only a lack of memory could cause, the HTML is inserted as it is.
pub(super) fn packed(drawn: &str) -> Markup {
    match gzip(drawn.as_bytes()) {
        Ok(bytes) => html! { script.packed type="application/gzip" { (PreEscaped(STANDARD.encode(bytes))) } },
        Err(_) => PreEscaped(drawn.to_owned()),
    }
}

fn gzip(bytes: &[u8]) -> io::Result<Vec<u8>> {
    let mut packing = GzEncoder::new(Vec::new(), Compression::default());
    packing.write_all(bytes)?;
    packing.finish()
}
