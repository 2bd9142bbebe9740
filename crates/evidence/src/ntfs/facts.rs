//! What a volume says about itself: boot sector and `$Volume`.

use super::Volume;
use super::bytes::u16_at;
use super::entry::{VOLUME_INFORMATION, VOLUME_NAME};
use super::record::name_bytes;
use crate::path::escape_name;
use crate::volume::VolumeFacts;

/// The entry of `$Volume`.
const VOLUME: u64 = 3;

/// The volume was not unmounted.
const DIRTY: u16 = 1;

impl Volume {
    /// Returns the facts of the volume. The serial is the 64-bit one, as `fsutil` shows it; `vol` and LNK files
    /// show its low 32 bits.
    pub(super) fn facts(&self) -> VolumeFacts {
        let mut facts = VolumeFacts {
            serial: Some(format!("{:016X}", self.boot.serial)),
            sector: Some(self.boot.sector),
            cluster: Some(self.place.cluster),
            clusters: Some(self.clusters()),
            created: self.entry(0).ok().and_then(|mft| mft.times().born).filter(|time| time.utc.is_some()),
            shadow_copies: self.has_shadow_copies(),
            ..VolumeFacts::default()
        };
        let Ok(volume) = self.entry(VOLUME) else { return facts };
        let value = |kind| volume.attributes(kind).find_map(|found| found.value().ok()).map(|found| found.0);
        let label = value(VOLUME_NAME).filter(|label| !label.is_empty());
        facts.label = label.map(|label| escape_name(&name_bytes(label)));
        // Eight bytes of zeros, the version numbers, then flags.
        if let Some(information) = value(VOLUME_INFORMATION)
            && let Some([major, minor]) = information.get(8..).and_then(|rest| rest.first_chunk::<2>())
        {
            facts.version = Some(format!("{major}.{minor}"));
            facts.dirty = u16_at(information, 10).map(|flags| flags & DIRTY != 0);
        }
        facts.created = facts.created.or_else(|| volume.times().born);
        facts
    }
}
