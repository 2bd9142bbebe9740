//! `cargo xtask compare`: compares how we and sleuthkit read a disk image.
//!
//! It needs `fls` and `icat`. It compares everything that both list: kind, size, the four times to the second, and the SHA-256 of the content.
//! It prints each difference on one line, and fails if there is any.

mod difference;
mod entry;
mod ours;
mod sleuthkit;

use difference::{Counts, differences};
use std::path::Path;
use thiserror::Error;

/// The reason why an image cannot be compared.
#[derive(Debug, Error)]
pub(crate) enum CompareError {
    /// It cannot be opened.
    #[error("compare {image}: {source}")]
    Open {
        image: String,
        #[source]
        source: evidence::OpenError,
    },
    /// Something in it cannot be listed.
    #[error("compare: {0}")]
    Read(#[from] evidence::ReadError),
    /// A sleuthkit program cannot be started.
    #[error("compare: start {program}: {source}")]
    Start {
        program: &'static str,
        #[source]
        source: std::io::Error,
    },
}

/// Compares one image; returns the number of differences.
pub(crate) fn compare(image: &Path, say: &mut dyn FnMut(String)) -> Result<usize, CompareError> {
    let name = image.display().to_string();
    let opened = evidence::open_image(image, "image");
    let tree = opened.map_err(|source| CompareError::Open { image: name.clone(), source })?;
    let mut total = 0;
    for volume in evidence::Tree::volumes(&tree) {
        let place = format!("{name} {}", volume.path);
        if let Some(why) = &volume.unread {
            say(format!("{place}: not compared: {why}"));
            continue;
        }
        let listing = match sleuthkit::list(image, volume.offset)? {
            Ok(listing) => listing,
            Err(why) => {
                say(format!("{place}: not compared: {why}"));
                continue;
            }
        };
        let ours = ours::list(&tree, &volume)?;
        let mut content = |key: &entry::Key, theirs: &entry::Entry| {
            Ok::<_, CompareError>((
                ours::content(&tree, &ours, key),
                sleuthkit::content(image, volume.offset, &theirs.id)?,
            ))
        };
        let (counts, found) = differences(&ours, &listing, &mut content)?;
        let Counts { both, contents, deleted } = counts;
        say(format!(
            "{place}: {both} entries in both, {deleted} of them deleted; {contents} contents equal; {} differences",
            found.len()
        ));
        found.iter().for_each(|line| say(format!("  {line}")));
        total += found.len();
    }
    Ok(total)
}
