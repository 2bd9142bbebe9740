//! A forger who knows how the chain works: one time in a log is changed, and all later links are recomputed.

use ledger::{Event, Stream};
use std::io;
use std::path::Path;
use std::sync::Arc;
use store::{Durability, Entry, Reader, Writer};
use testkit::random::Random;

/// Makes `copy` a run whose log is that of `run` with a different time on one event; it has no manifest.
pub(super) fn rechain(run: &Path, copy: &Path, random: &mut Random) -> io::Result<()> {
    if copy.exists() {
        std::fs::remove_dir_all(copy)?;
    }
    let reader = Reader::open(run).map_err(io::Error::other)?;
    let writer = Writer::create(copy).map_err(io::Error::other)?;
    let at = random.below(reader.links().count());
    for (position, event) in reader.events().enumerate() {
        let (link, event, mut circumstance) = event.map_err(io::Error::other)?;
        if position == at {
            // A different hour of the day is what a forger might want.
            circumstance.at = circumstance.at.replacen('T', "T0", 1).chars().take(30).collect();
        }
        let payload = match event.payload() {
            Some(digest) => reader.payload(&digest).map_err(io::Error::other)?.map(Arc::from),
            None => None,
        };
        let sealed = matches!(event, Event::RunSealed(_)) && link.stream == Stream::Run;
        let entry = Entry { stream: link.stream, event, circumstance, payload };
        match sealed {
            true => drop(writer.seal(vec![entry]).map_err(io::Error::other)?),
            false => drop(writer.append(vec![entry], Durability::Buffered).map_err(io::Error::other)?),
        }
    }
    Ok(())
}
