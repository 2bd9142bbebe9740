//! The metafiles of NTFS 3.1 and their streams.

use super::attributes::{
    Attribute, BITMAP, DATA, INDEX_ROOT, Mapped, VOLUME_INFORMATION, VOLUME_NAME, le_units, utf16,
};
use super::boot::BOOT;
use super::error::BuildError;
use super::index::{self, Entry, Kind, Shape};
use super::item::{BOTH, Item, Name};
use super::journal;
use super::plan::ROOT;
use super::record::{DIRECTORY, EXTENDED, RECORD, VIEW_INDEX};
use super::runs::Run;
use super::secure::{BY_HASH, BY_IDENTIFIER, SYSTEM, secure};
use super::space::{Space, bitmap_size};
use super::spec::{Content, NtfsTimes, VolumeSpec, attribute};
use super::stream::Store;
use super::upcase::UpCase;
use crate::medium::Medium;

const EXTEND: (u64, u16) = (11, 11);

/// The first record of a file in `$Extend`.
const FIRST_EXTENDED: u64 = 24;

/// Returns the first record that no metafile uses.
pub(crate) fn first_user(spec: &VolumeSpec) -> u64 {
    FIRST_EXTENDED + 3 + u64::from(spec.journal.is_some())
}

/// Clusters that are filled once everything else is known.
pub(crate) struct Places {
    pub(crate) mft: Vec<Run>,
    pub(crate) mft_bitmap: Vec<Run>,
    pub(crate) mirror: Vec<Run>,
    pub(crate) bitmap: Vec<Run>,
    /// The number of records in the mirror.
    pub(crate) mirrored: u64,
}

/// Returns the number of records in the mirror: four, or as many as fit in a cluster.
pub(crate) fn mirrored(cluster: u64) -> u64 {
    (cluster / RECORD as u64).max(4)
}

impl Places {
    /// Allocates the clusters of an `$MFT` with this many records.
    pub(crate) fn take(spec: &VolumeSpec, space: &mut Space, records: u64) -> Result<Places, BuildError> {
        let record = RECORD as u64;
        let mirrored = mirrored(space.cluster);
        let boot = space.count(BOOT);
        space.skip_to(boot);
        let mft_bitmap = space.take(space.count(bitmap_size(records)), 1)?;
        let mft = space.take(space.count(records * record), spec.mft_extents)?;
        let mirror = space.take(space.count(mirrored * record), 1)?;
        let bitmap = space.take(space.count(bitmap_size(space.total)), 1)?;
        Ok(Places { mft, mft_bitmap, mirror, bitmap, mirrored })
    }
}

/// Builds the metafiles of one volume.
struct Maker<'a> {
    spec: &'a VolumeSpec,
    store: Store<'a>,
    items: Vec<Item>,
}

/// The inputs for metafiles other than the description.
pub(crate) struct Inputs<'a> {
    pub(crate) places: &'a Places,
    pub(crate) records: u64,
    pub(crate) upcase: &'a UpCase,
    pub(crate) journal: Option<&'a Content>,
    /// The tag and file reference of every reparse point in use.
    pub(crate) reparse: Vec<(u32, u64)>,
}

/// Builds all metafiles, except the content of the root.
pub(crate) fn items(
    spec: &VolumeSpec,
    inputs: &Inputs<'_>,
    space: &mut Space,
    medium: &mut Medium,
) -> Result<Vec<Item>, BuildError> {
    let store = Store { space, medium, extents: 1, over: Vec::new() };
    let mut maker = Maker { spec, store, items: Vec::new() };
    maker.tables(inputs)?;
    maker.volume();
    maker.folders();
    maker.streams(inputs)?;
    maker.reserved();
    maker.extended(inputs)?;
    Ok(maker.items)
}

impl Maker<'_> {
    fn add(&mut self, number: u64, parent: (u64, u16), name: &str, content: Vec<Attribute>) -> &mut Item {
        let sequence = if number < FIRST_EXTENDED { u16::try_from(number.max(1)).unwrap_or(1) } else { 1 };
        let name = Name { parent: parent.0, parent_sequence: parent.1, text: utf16(name), namespace: BOTH };
        self.items.push(Item {
            number,
            sequence,
            live: true,
            flags: 0,
            names: vec![name],
            times: NtfsTimes::all(self.spec.time),
            attributes: attribute::HIDDEN | attribute::SYSTEM,
            security: SYSTEM,
            usn: 0,
            reparse_tag: 0,
            content,
            attribute_list: false,
            stale: false,
        });
        let last = self.items.len() - 1;
        &mut self.items[last]
    }

    fn mapped(&self, runs: &[Run], size: u64) -> Mapped {
        Mapped::plain(runs.to_vec(), self.store.space.cluster, size)
    }

    fn data(&mut self, bytes: Vec<u8>) -> Result<Vec<Attribute>, BuildError> {
        Ok(vec![self.store.attribute(DATA, "", &Content::Clusters(bytes))?])
    }

    /// Adds the tables that are filled last.
    fn tables(&mut self, inputs: &Inputs<'_>) -> Result<(), BuildError> {
        let places = inputs.places;
        let record = RECORD as u64;
        let mft = self.mapped(&places.mft, inputs.records * record);
        let bits = self.mapped(&places.mft_bitmap, bitmap_size(inputs.records));
        let content = vec![Attribute::clusters(DATA, "", mft), Attribute::clusters(BITMAP, "", bits)];
        self.add(0, ROOT, "$MFT", content);
        let mirror = self.mapped(&places.mirror, places.mirrored * record);
        self.add(1, ROOT, "$MFTMirr", vec![Attribute::clusters(DATA, "", mirror)]);
        let total = self.store.space.total;
        let bitmap = self.mapped(&places.bitmap, bitmap_size(total));
        self.add(6, ROOT, "$Bitmap", vec![Attribute::clusters(DATA, "", bitmap)]);
        let clusters = self.store.space.count(BOOT);
        let boot = self.mapped(&[Run { lcn: Some(0), length: clusters }], BOOT);
        self.add(7, ROOT, "$Boot", vec![Attribute::clusters(DATA, "", boot)]);
        let whole = self.mapped(&[Run { lcn: None, length: total }], total * self.store.space.cluster);
        let bad = Mapped { initialised: 0, ..whole };
        let content = vec![Attribute::resident(DATA, "", Vec::new()), Attribute::clusters(DATA, "$Bad", bad)];
        self.add(8, ROOT, "$BadClus", content);
        Ok(())
    }

    fn volume(&mut self) {
        let dirty = u8::from(self.spec.dirty);
        let mut content = vec![
            Attribute::resident(VOLUME_INFORMATION, "", vec![0, 0, 0, 0, 0, 0, 0, 0, 3, 1, dirty, 0]),
            Attribute::resident(DATA, "", Vec::new()),
        ];
        if !self.spec.label.is_empty() {
            content.push(Attribute::resident(VOLUME_NAME, "", le_units(&utf16(&self.spec.label))));
        }
        self.add(3, ROOT, "$Volume", content);
    }

    fn folders(&mut self) {
        self.add(ROOT.0, ROOT, ".", Vec::new()).flags = DIRECTORY;
        self.add(EXTEND.0, ROOT, "$Extend", Vec::new()).flags = DIRECTORY;
    }

    fn streams(&mut self, inputs: &Inputs<'_>) -> Result<(), BuildError> {
        // A log of all ones was reset when the volume was closed; readers require at least 50 pages.
        let log = if self.spec.size < 64 << 20 { 256 << 10 } else { 2 << 20 };
        let content = self.data(vec![0xff; log])?;
        self.add(2, ROOT, "$LogFile", content);
        let content = self.data(super::attrdef::bytes())?;
        self.add(4, ROOT, "$AttrDef", content);
        let content = self.data(inputs.upcase.bytes())?;
        self.add(10, ROOT, "$UpCase", content);
        let secure = secure();
        let content = vec![
            self.store.attribute(DATA, "$SDS", &Content::Clusters(secure.stream))?,
            self.view("$SDH", BY_HASH, &secure.hashes),
            self.view("$SII", BY_IDENTIFIER, &secure.identifiers),
        ];
        self.add(9, ROOT, "$Secure", content).flags = VIEW_INDEX;
        Ok(())
    }

    /// Builds an index that fits in its record.
    fn view(&self, name: &str, kind: Kind, entries: &[Entry]) -> Attribute {
        let shape = Shape { kind, room: usize::MAX, cluster: self.store.space.cluster };
        Attribute::resident(INDEX_ROOT, name, index::build(&shape, entries, &[]).root)
    }

    /// Adds the records that are reserved for later versions.
    fn reserved(&mut self) {
        for number in 12..16 {
            self.add(number, ROOT, "", vec![Attribute::resident(DATA, "", Vec::new())]).names.clear();
        }
    }

    fn extended(&mut self, inputs: &Inputs<'_>) -> Result<(), BuildError> {
        const IDENTIFIERS: Kind = Kind { attribute: 0, collation: 0x13 };
        const OWNERS: Kind = Kind { attribute: 0, collation: 0x11 };
        let mut points = inputs.reparse.clone();
        points.sort_unstable();
        let points: Vec<Entry> = points
            .iter()
            .map(|(tag, file)| {
                let mut key = tag.to_le_bytes().to_vec();
                key.extend(file.to_le_bytes());
                Entry::view(key, Vec::new())
            })
            .collect();
        let quota = vec![self.view("$O", OWNERS, &[]), self.view("$Q", BY_IDENTIFIER, &[])];
        let identifiers = vec![self.view("$O", IDENTIFIERS, &[])];
        let reparse = vec![self.view("$R", IDENTIFIERS, &points)];
        for (number, name, content) in
            [(24, "$Quota", quota), (25, "$ObjId", identifiers), (26, "$Reparse", reparse)]
        {
            let item = self.add(number, EXTEND, name, content);
            item.flags = EXTENDED | VIEW_INDEX;
            item.attributes |= attribute::ARCHIVE;
        }
        if let (Some(stream), Some(journal)) = (inputs.journal, &self.spec.journal) {
            let content = vec![
                self.store.attribute(DATA, "$J", stream)?,
                Attribute::resident(DATA, "$Max", journal::max(journal)),
            ];
            let item = self.add(27, EXTEND, "$UsnJrnl", content);
            item.flags = EXTENDED;
            item.attributes |= attribute::ARCHIVE | attribute::SPARSE;
        }
        Ok(())
    }
}
