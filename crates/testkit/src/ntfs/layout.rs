//! Assembles a volume.

use super::attributes::{Attribute, BITMAP, Body, INDEX_ALLOCATION, INDEX_ROOT, Mapped, put, reference};
use super::boot::{self, BOOT, INDEX_BLOCK, SECTOR};
use super::error::BuildError;
use super::index::{self, Entry, FILE_NAMES, NAMES, Shape};
use super::item::Item;
use super::journal;
use super::metafiles::{self, Inputs, Places};
use super::pack::{Packed, Supply, pack};
use super::plan::plan;
use super::planted::Planted;
use super::record::{self, Header, IN_USE, RECORD};
use super::runs::Run;
use super::space::{Space, bitmap_size, set_bit};
use super::spec::VolumeSpec;
use super::upcase::UpCase;
use super::{Built, users};
use crate::medium::Medium;
use std::collections::{BTreeMap, BTreeSet};

/// Builds a volume.
pub(crate) fn build(spec: &VolumeSpec) -> Result<Built, BuildError> {
    let cluster = u64::from(spec.cluster);
    if !spec.cluster.is_power_of_two() || !(SECTOR..=2 << 20).contains(&cluster) {
        return Err(BuildError::Cluster { found: spec.cluster });
    }
    let upcase = UpCase::new();
    let mut records = 0;
    loop {
        // The number of records is known only after all of them are packed, so this is repeated.
        match attempt(spec, &upcase, records)? {
            Attempt::Built(built) => return Ok(*built),
            Attempt::Records(needed) => records = needed,
        }
    }
}

enum Attempt {
    Built(Box<Built>),
    Records(u64),
}

fn attempt(spec: &VolumeSpec, upcase: &UpCase, records: u64) -> Result<Attempt, BuildError> {
    let cluster = u64::from(spec.cluster);
    let sectors = (spec.size / SECTOR).saturating_sub(1);
    let plan = plan(spec, metafiles::first_user(spec), upcase)?;
    let records = records.max(plan.end()).max(metafiles::mirrored(cluster));
    let mut space = Space::new(cluster, sectors * SECTOR / cluster);
    let mut medium = Medium::new((sectors + 1) * SECTOR);
    let places = Places::take(spec, &mut space, records)?;
    let numbers = journal::write(spec, &plan)?;
    let stored = users::store(&plan, &numbers, &mut space, &mut medium)?;
    let (mut items, mut planted): (Vec<Item>, Vec<Planted>) = stored.into_iter().unzip();
    let points = items.iter().filter(|item| item.live && item.reparse_tag != 0);
    let inputs = Inputs {
        places: &places,
        records,
        upcase,
        journal: numbers.stream.as_ref(),
        reparse: points.map(|item| (item.reparse_tag, item.reference())).collect(),
    };
    items.extend(metafiles::items(spec, &inputs, &mut space, &mut medium)?);
    folders(&mut items, upcase, &mut space, &mut medium)?;
    let (packed, needed) = pack_all(&items, plan.end(), &mut space, &mut medium)?;
    if needed > records {
        return Ok(Attempt::Records(needed));
    }
    for (planted, packed) in planted.iter_mut().zip(&packed) {
        planted.extensions = packed.records.iter().skip(1).map(|(number, _)| *number).collect();
    }
    let volume = Volume { spec, places: &places, records, sectors };
    volume.write_records(&items, &packed, &mut medium);
    volume.write_bitmap(&items, &packed, &mut space, &mut medium);
    volume.write_boot(&space, &mut medium);
    Ok(Attempt::Built(Box::new(Built {
        medium,
        cluster,
        clusters: space.total,
        planted,
        mft: places.mft.clone(),
    })))
}

/// Packs every file and counts the records; those from `end` on are for extensions.
fn pack_all(
    items: &[Item],
    end: u64,
    space: &mut Space,
    medium: &mut Medium,
) -> Result<(Vec<Packed>, u64), BuildError> {
    let mut next = end;
    let mut supply = Supply { space, medium, next_record: &mut next };
    let one = |item: &Item| {
        pack(item.number, item.sequence, item.all_attributes(), item.attribute_list, &mut supply)
    };
    let packed = items.iter().map(one).collect::<Result<_, _>>()?;
    Ok((packed, next))
}

/// The names in a folder, in use and left behind, each with its sort key.
#[derive(Default)]
struct Names {
    used: Vec<(Vec<u16>, Entry)>,
    stale: Vec<Entry>,
}

/// Builds the index of every folder.
fn folders(
    items: &mut [Item],
    upcase: &UpCase,
    space: &mut Space,
    medium: &mut Medium,
) -> Result<(), BuildError> {
    let mut all: BTreeMap<u64, Names> = BTreeMap::new();
    for item in items.iter() {
        for name in &item.names {
            let names = all.entry(reference(name.parent, name.parent_sequence)).or_default();
            if item.live {
                names.used.push((upcase.fold(&name.text), item.index_entry(name)));
            } else if item.stale {
                names.stale.push(item.index_entry(name));
            }
        }
    }
    for item in items.iter_mut().filter(|item| item.is_directory()) {
        let mut names = all.remove(&item.reference()).unwrap_or_default();
        names.used.sort_by(|a, b| a.0.cmp(&b.0));
        let used: Vec<Entry> = names.used.into_iter().map(|(_, entry)| entry).collect();
        let added = folder(item, &used, &names.stale, space, medium)?;
        item.content.extend(added);
    }
    Ok(())
}

/// Builds the attributes of an index of names.
fn folder(
    item: &Item,
    used: &[Entry],
    stale: &[Entry],
    space: &mut Space,
    medium: &mut Medium,
) -> Result<Vec<Attribute>, BuildError> {
    // The overhead in bytes of the root attribute, and of the additional attributes of an index in blocks.
    const ROOT: usize = 32;
    const BLOCKS: usize = 96 + 32 + 64;
    let shape = |room: usize| Shape { kind: FILE_NAMES, room, cluster: space.cluster };
    let room = item.room().saturating_sub(ROOT);
    let mut tree = index::build(&shape(room), used, stale);
    if tree.blocks.is_empty() {
        return Ok(vec![Attribute::resident(INDEX_ROOT, NAMES, tree.root)]);
    }
    tree = index::build(&shape(room.saturating_sub(BLOCKS)), used, stale);
    let bytes = tree.blocks.concat();
    let runs = space.take(space.count(bytes.len() as u64), 1)?;
    medium.put_runs(&runs, space.cluster, 0, &bytes);
    let count = tree.blocks.len() as u64;
    let mut bits = vec![0; usize::try_from(bitmap_size(count)).unwrap_or(0)];
    (0..count).for_each(|bit| set_bit(&mut bits, bit));
    let mapped = Mapped::plain(runs, space.cluster, count * INDEX_BLOCK as u64);
    Ok(vec![
        Attribute::resident(INDEX_ROOT, NAMES, tree.root),
        Attribute::clusters(INDEX_ALLOCATION, NAMES, mapped),
        Attribute::resident(BITMAP, NAMES, bits),
    ])
}

/// A volume whose parts are known.
struct Volume<'a> {
    spec: &'a VolumeSpec,
    places: &'a Places,
    records: u64,
    sectors: u64,
}

impl Volume<'_> {
    fn write_records(&self, items: &[Item], packed: &[Packed], medium: &mut Medium) {
        let mut bits = vec![0; usize::try_from(bitmap_size(self.records)).unwrap_or(0)];
        let mut unused: BTreeSet<u64> = (0..self.records).collect();
        for (item, packed) in items.iter().zip(packed) {
            for (index, (number, attributes)) in packed.records.iter().enumerate() {
                let header = header(item, index, *number);
                if header.flags & IN_USE != 0 {
                    set_bit(&mut bits, *number);
                }
                unused.remove(number);
                self.write_record(*number, &record::encode(&header, attributes), medium);
            }
        }
        for number in unused {
            self.write_record(number, &record::unused(number), medium);
        }
        medium.put_runs(&self.places.mft_bitmap, u64::from(self.spec.cluster), 0, &bits);
    }

    /// Writes a record, and its copy if it is mirrored.
    fn write_record(&self, number: u64, bytes: &[u8], medium: &mut Medium) {
        let (cluster, at) = (u64::from(self.spec.cluster), number * RECORD as u64);
        medium.put_runs(&self.places.mft, cluster, at, bytes);
        if number < self.places.mirrored {
            medium.put_runs(&self.places.mirror, cluster, at, bytes);
        }
    }

    /// Marks the clusters of files in use, and no others.
    fn write_bitmap(&self, items: &[Item], packed: &[Packed], space: &mut Space, medium: &mut Medium) {
        for (item, packed) in items.iter().zip(packed).filter(|(item, _)| item.live) {
            for attribute in &item.content {
                if let Body::Clusters(mapped) = &attribute.body {
                    space.mark(&mapped.runs);
                }
            }
            if let Some(list) = &packed.list {
                space.mark(&list.runs);
            }
        }
        let bits = space.bitmap();
        medium.put_runs(&self.places.bitmap, space.cluster, 0, &bits);
    }

    fn write_boot(&self, space: &Space, medium: &mut Medium) {
        let first = |runs: &[Run]| runs.first().and_then(|run| run.lcn).unwrap_or(0);
        let sector = boot::sector(&boot::Facts {
            cluster: space.cluster,
            sectors: self.sectors,
            mft: first(&self.places.mft),
            mirror: first(&self.places.mirror),
            serial: self.spec.serial,
            hidden_sectors: self.spec.hidden_sectors,
        });
        let mut whole = vec![0; usize::try_from(BOOT).unwrap_or(0)];
        put(&mut whole, 0, &sector);
        if let Some(catalogue) = self.spec.shadow_catalogue {
            let at = usize::try_from(boot::SHADOW_HEADER).unwrap_or(0);
            put(&mut whole, at, &boot::shadow_header(catalogue));
        }
        medium.put(0, whole);
        medium.put(self.sectors * SECTOR, sector);
    }
}

/// Returns the header of the base record or of an extension record.
fn header(item: &Item, index: usize, number: u64) -> Header {
    if index == 0 {
        let links = u16::try_from(item.names.len()).unwrap_or(u16::MAX);
        let sequence = item.sequence_now();
        return Header { number, sequence, links, flags: item.record_flags(), base: 0 };
    }
    let sequence = 1 + u16::from(!item.live);
    let flags = if item.live { IN_USE } else { 0 };
    Header { number, sequence, links: 0, flags, base: item.reference() }
}
