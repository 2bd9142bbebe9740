//! Which clusters are in use (`$Bitmap`), and what that means for a deleted entry.

use super::entry::{DATA, MftEntry, Stored};
use super::stream::Stream;
use super::{NtfsDamage, Volume};
use crate::deleted::Recovery;
use crate::read::read_full_at;
use std::collections::HashMap;

const BITMAP_ENTRY: u64 = 6;

/// Bytes of the bitmap that are read at once, and the number of such pieces that are kept.
const PIECE: u64 = 16 << 10;
const KEPT: usize = 256;

/// The bitmap of the volume, read piece by piece.
pub(super) struct ClusterMap {
    stream: Option<Stream>,
    clusters: u64,
    pieces: HashMap<u64, Vec<u8>>,
}

impl ClusterMap {
    pub(super) fn open(volume: &Volume) -> Result<ClusterMap, NtfsDamage> {
        let data = volume.entry(BITMAP_ENTRY)?.data(volume, DATA, None)?;
        let stream = data.map(|data| Stream::new(data, volume.place.clone()));
        Ok(ClusterMap { stream, clusters: volume.clusters(), pieces: HashMap::new() })
    }

    /// Creates a map of which nothing is known.
    pub(super) fn unknown() -> ClusterMap {
        ClusterMap { stream: None, clusters: 0, pieces: HashMap::new() }
    }

    /// Returns how many of `count` clusters from `first` on are in use; unknown clusters count as in use.
    pub(super) fn in_use(&mut self, first: u64, count: u64) -> u64 {
        let end = first.saturating_add(count).min(self.clusters).max(first);
        let mut used = count - (end - first).min(count);
        let mut at = first;
        while at < end {
            let number = at / 8 / PIECE;
            let stop = ((number + 1) * PIECE * 8).min(end);
            let within = at - number * PIECE * 8..stop - number * PIECE * 8;
            used = used.saturating_add(count_bits(self.piece(number), within));
            at = stop;
        }
        used
    }

    fn piece(&mut self, number: u64) -> &[u8] {
        if !self.pieces.contains_key(&number) {
            if self.pieces.len() >= KEPT {
                self.pieces.clear();
            }
            let mut bytes = vec![0; usize::try_from(PIECE).unwrap_or(0)];
            let read = self.stream.as_mut().and_then(|s| read_full_at(s, number * PIECE, &mut bytes).ok());
            bytes.truncate(read.unwrap_or(0));
            self.pieces.insert(number, bytes);
        }
        self.pieces.get(&number).map(Vec::as_slice).unwrap_or_default()
    }
}

/// Counts the set bits in a range of bits; past the end, all bits count as set.
fn count_bits(bytes: &[u8], range: std::ops::Range<u64>) -> u64 {
    let mut count = 0;
    let mut at = range.start;
    while at < range.end {
        let stop = (at / 8 + 1).saturating_mul(8).min(range.end);
        let byte = usize::try_from(at / 8).ok().and_then(|index| bytes.get(index)).copied().unwrap_or(0xff);
        let bits = stop - at;
        let mask = (u16::from(u8::MAX) >> (8 - bits)) << (at % 8);
        count += u64::from((u16::from(byte) & mask).count_ones());
        at = stop;
    }
    count
}

/// Decides whether the bytes of an entry can still be its own; without a map, no cluster counts as another's.
pub(super) fn recovery(volume: &Volume, entry: &MftEntry, mut map: Option<&mut ClusterMap>) -> Recovery {
    let (streams, damage) = entry.streams();
    let mut missing = entry.missing || !damage.is_empty();
    let (mut clusters, mut reused, mut bytes, mut resident) = (0u64, 0u64, 0u64, 0u64);
    for (name, size) in streams {
        bytes = bytes.saturating_add(size);
        match entry.data(volume, DATA, name.as_deref()) {
            Ok(Some(data)) => match &data.stored {
                Stored::Resident(..) => resident = resident.saturating_add(size),
                Stored::Clusters(runs) => {
                    let covered = runs.iter().map(|(_, length)| length).fold(0, u64::saturating_add);
                    let needed = data.allocated.div_ceil(volume.place.cluster.max(1));
                    let gone = needed.saturating_sub(covered);
                    clusters = clusters.saturating_add(gone);
                    reused = reused.saturating_add(gone);
                    // A damaged run may be longer than the volume.
                    for (first, length) in runs.iter().filter_map(|(first, length)| Some((first?, length))) {
                        clusters = clusters.saturating_add(length);
                        if let Some(map) = &mut map {
                            reused = reused.saturating_add(map.in_use(first, length));
                        }
                    }
                }
            },
            Ok(None) => {}
            Err(_) => missing = true,
        }
    }
    judge(entry.is_directory, missing, bytes, resident, (reused, clusters))
}

fn judge(
    directory: bool,
    missing: bool,
    bytes: u64,
    resident: u64,
    (reused, clusters): (u64, u64),
) -> Recovery {
    match (reused, clusters) {
        _ if bytes == 0 && !missing => Recovery::Nothing,
        _ if bytes == 0 && directory => Recovery::Nothing,
        // Only holes, or everything is in the record.
        (0, _) if !missing => Recovery::Whole,
        (_, 0) if resident == 0 => Recovery::Lost,
        (reused, clusters) if reused == clusters && resident == 0 => Recovery::Lost,
        (reused, clusters) => Recovery::Partial { reused, clusters },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bits_are_counted_from_the_lowest_and_unknown_ones_are_in_use() {
        let map = [0b1000_0001, 0xff, 0];
        assert_eq!(count_bits(&map, 0..24), 10);
        assert_eq!(count_bits(&map, 1..7), 0);
        assert_eq!(count_bits(&map, 7..9), 2);
        assert_eq!(count_bits(&map, 23..30), 6);
    }

    #[test]
    fn what_is_left_of_a_file_is_told() {
        assert_eq!(judge(false, false, 0, 0, (0, 0)), Recovery::Nothing);
        assert_eq!(judge(false, false, 9, 9, (0, 0)), Recovery::Whole);
        assert_eq!(judge(false, false, 9, 0, (0, 4)), Recovery::Whole);
        assert_eq!(judge(false, false, 9, 0, (1, 4)), Recovery::Partial { reused: 1, clusters: 4 });
        assert_eq!(judge(false, false, 9, 0, (4, 4)), Recovery::Lost);
        assert_eq!(judge(false, false, 9, 1, (4, 4)), Recovery::Partial { reused: 4, clusters: 4 });
        assert_eq!(judge(false, true, 0, 0, (0, 0)), Recovery::Lost);
    }
}
