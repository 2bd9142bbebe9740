//! `list_partitions`: images, how their media are partitioned, and what the volumes say of themselves.

mod image;
mod record_types;

use crate::catalogue::Call;
use crate::error::CallError;
use crate::returned::Return;
use crate::row::Row;
use crate::{place, spec, volume};
use evidence::{Disk, Layout, PartitionType, Region, Scheme, Tree, Volume};
use ledger::{ByteSpan, FieldValue, Record, ToolSpec};
use record_types::{PARTITION, VOLUME};
use serde_json::json;

pub(crate) fn spec() -> ToolSpec {
    spec::tool(
        "list_partitions",
        "Describes disk images: the container with the hashes and notes of its acquisition, the partition table region by region with what lies in no partition, \
         and each volume with its file system, serial number and sizes. \
         With `verify` the whole medium is read and its hashes are compared with those that the container stores; that takes as long as reading all of it.",
        vec![
            ("evidence", spec::text("label of the image; all images when left out")),
            (
                "verify",
                json!({ "type": "boolean", "description": "compute the hashes of the whole medium", "default": false }),
            ),
        ],
        &[],
        record_types::all(),
    )
}

pub(crate) fn run(call: &Call<'_>) -> Result<Return, CallError> {
    let arguments = call.arguments;
    let scope = place::scope(call.trees, arguments.optional_text("evidence"))?;
    let verify = arguments.flag("verify")?;
    let mut returned = Return::found(Vec::new(), arguments.normalised(&[]));
    let mut records = Vec::new();
    for tree in scope {
        let Some(layout) = tree.layout() else {
            returned.notes.push(format!("{} is no disk image", tree.label()));
            continue;
        };
        records.push(image::record(tree, layout, verify)?);
        let sector = layout.disk.sector.unwrap_or(SECTOR);
        records.extend(layout.regions.iter().map(|region| partition(tree, region, sector)));
        records.extend(tree.volumes().iter().map(|volume| volume_record(tree, volume)));
        returned.defects.extend(layout.defects.iter().cloned());
    }
    returned.set_records(records);
    Ok(returned)
}

/// The bytes of a sector if nothing gives another number.
const SECTOR: u64 = 512;

fn partition(tree: &dyn Tree, region: &Region, sector: u64) -> Record {
    let number = |number: u64| FieldValue::Integer(number.into());
    let text = |text: &str| FieldValue::Name(text.to_owned());
    let guid = |guid: String| FieldValue::Guid(guid);
    let span = ByteSpan::new(region.offset, region.length);
    let row = Row::at(PARTITION, tree, "", Some(span))
        .field("region", FieldValue::Name(volume::region_name(region)))
        .maybe("number", region.number.map(|found| number(found.into())), None)
        .field("offset", number(region.offset))
        .field("length", FieldValue::Size(region.length))
        .maybe("first_sector", region.offset.checked_div(sector).map(number), None)
        .maybe("sectors", region.length.checked_div(sector).map(number), None);
    let Some(found) = &region.partition else { return row.done() };
    let (code, type_guid) = match found.kind {
        PartitionType::Mbr(code) => (Some(format!("{code:#04x}")), None),
        PartitionType::Gpt(guid) => (None, Some(guid.to_string())),
    };
    row.maybe("type_code", code.as_deref().map(text), None)
        .maybe("type_guid", type_guid.map(guid), None)
        .maybe("type", found.kind.name().map(text), None)
        .maybe("name", found.name.as_deref().map(text), None)
        .maybe("guid", found.guid.map(|own| guid(own.to_string())), None)
        .field("active", FieldValue::Flag(found.active))
        .maybe("attributes", found.attributes.map(|bits| text(&format!("{bits:#x}"))), None)
        .done()
}

fn volume_record(tree: &dyn Tree, volume: &Volume) -> Record {
    let text = |text: &str| FieldValue::Name(text.to_owned());
    let row = Row::at(VOLUME, tree, volume.path.as_str(), None)
        .field("path", FieldValue::Path(volume.path.as_str().to_owned()))
        .field("offset", FieldValue::Integer(volume.offset.into()))
        .field("length", FieldValue::Size(volume.length))
        .maybe("file_system", volume.file_system.map(text), None)
        .maybe("unread", volume.unread.as_deref().map(|why| FieldValue::Text(why.to_owned())), None);
    let Some(facts) = &volume.facts else { return row.done() };
    row.maybe("serial", facts.serial.as_deref().map(text), None)
        .maybe("label", facts.label.as_deref().map(text), None)
        .maybe("version", facts.version.as_deref().map(text), None)
        .maybe("sector_size", facts.sector.map(FieldValue::Size), None)
        .maybe("cluster_size", facts.cluster.map(FieldValue::Size), None)
        .maybe("clusters", facts.clusters.map(|count| FieldValue::Integer(count.into())), None)
        .maybe("created", facts.created.clone().map(FieldValue::Time), None)
        .maybe("dirty", facts.dirty.map(FieldValue::Flag), None)
        .field("shadow_copies", FieldValue::Flag(facts.shadow_copies))
        .done()
}

/// Adds what the partition table says of the medium: scheme, disk signature, disk GUID.
fn with_disk(row: Row, layout: &Layout) -> Row {
    let Disk { sector: _, signature, guid } = layout.disk;
    let scheme = match layout.scheme {
        Scheme::None => "none",
        Scheme::Mbr => "MBR",
        Scheme::Gpt => "GPT",
    };
    let signature = signature.map(|signature| FieldValue::Name(format!("{signature:08x}")));
    row.field("scheme", FieldValue::Name(scheme.to_owned())).maybe("disk_signature", signature, None).maybe(
        "disk_guid",
        guid.map(|guid| FieldValue::Guid(guid.to_string())),
        None,
    )
}
