//! The record types of images, regions and volumes.

use crate::spec;
use ledger::{FieldType, RecordType};

pub(super) const IMAGE: &str = "image";
pub(super) const PARTITION: &str = "partition";
pub(super) const VOLUME: &str = "volume";

const NUMBER: &[FieldType] = &[FieldType::Integer];
const SIZE: &[FieldType] = &[FieldType::Size];
const FLAG: &[FieldType] = &[FieldType::Flag];
const NAME: &[FieldType] = &[FieldType::Name];
const GUID: &[FieldType] = &[FieldType::Guid];
const HASH: &[FieldType] = &[FieldType::Hash];
const TEXT: &[FieldType] = &[FieldType::Text];
const LIST: &[FieldType] = &[FieldType::List];
const TIME: &[FieldType] = &[FieldType::Time];

/// Fields of [`HEADER`] that contain dates.
///
/// They are texts: the clock is that of the computer that made the image, so they are not times of the examined host.
pub(super) const DATES: [&str; 2] = ["acquired", "system_date"];

/// Header values of acquisition tools that have fields of their own: name in the container, field, meaning.
pub(super) const HEADER: [(&str, &str, &str); 12] = [
    ("case number", "case_number", "case number that the acquisition tool was given"),
    ("evidence number", "evidence_number", "evidence number that the acquisition tool was given"),
    ("description", "description", "description that the acquisition tool was given"),
    ("examiner", "examiner", "examiner that the acquisition tool was given"),
    ("notes", "notes", "notes that the acquisition tool was given"),
    ("acquisition software", "acquisition_software", "what made the image, as it says"),
    ("operating system", "acquisition_system", "the system on which the image was made, as its tool says"),
    ("acquisition date", "acquired", "date of the acquisition, as its tool wrote it"),
    ("system date", "system_date", "date of the acquiring system, as its tool wrote it"),
    ("model", "model", "model of the drive, as the acquisition tool wrote it"),
    ("serial number", "drive_serial", "serial number of the drive, as the acquisition tool wrote it"),
    ("device label", "device_label", "label of the drive, as the acquisition tool wrote it"),
];

pub(super) fn all() -> Vec<RecordType> {
    vec![image(), partition(), volume()]
}

fn image() -> RecordType {
    let mut fields = vec![
        ("image", NAME, "name of the first file of the image"),
        ("files", LIST, "names of its files in order, where there are several"),
        ("format", NAME, "raw, split raw, EWF-E01, VMDK, VHDX, VHD or QCOW2, by the content of the file"),
        ("length", SIZE, "bytes of the medium"),
        ("sector_size", SIZE, "bytes of a sector, as the container or the partition table says"),
        ("scheme", NAME, "partition table: MBR, GPT or none"),
        ("disk_signature", NAME, "signature of the disk in its MBR, 8 hex digits"),
        ("disk_guid", GUID, "GUID of the disk in its GPT"),
        ("chunk_size", SIZE, "bytes of the container's unit"),
        ("compressed", FLAG, "whether the units are stored compressed"),
        ("stored_md5", HASH, "MD5 of the medium that the container stores"),
        ("stored_sha1", HASH, "SHA-1 of the medium that the container stores"),
        ("stored_sha256", HASH, "SHA-256 of the medium that the container stores"),
        ("computed_md5", HASH, "MD5 of the medium as it reads now"),
        ("computed_sha1", HASH, "SHA-1 of the medium as it reads now"),
        ("computed_sha256", HASH, "SHA-256 of the medium as it reads now"),
        ("hash_matches", FLAG, "whether every stored hash is that of the medium as it reads now"),
        ("container_created", TIME, "when the container was made, by the clock of the computer that made it"),
        ("unread_sectors", NUMBER, "sectors that the acquisition tool could not read"),
        ("header", LIST, "what else the container tells of itself, as name: text"),
        ("identifiers", LIST, "identifiers of the container, as name: text"),
    ];
    fields.extend(HEADER.map(|(_, field, meaning)| (field, TEXT, meaning)));
    spec::record(
        IMAGE,
        "a disk image: its container and the medium in it; what the container tells are claims of the tool that wrote it",
        "image",
        &fields,
    )
}

fn partition() -> RecordType {
    spec::record(
        PARTITION,
        "one region of a medium: a partition as the table tells it, or what lies in none",
        "region",
        &[
            ("region", NAME, "p and the number of the partition, or unpartitioned@ and its first byte"),
            ("number", NUMBER, "number of the partition; 0 for a medium without a table"),
            ("offset", NUMBER, "first byte on the medium"),
            ("length", SIZE, "bytes, cut at the end of the medium"),
            ("first_sector", NUMBER, "first sector on the medium"),
            ("sectors", NUMBER, "number of sectors"),
            ("type_code", NAME, "type in an MBR, in hex"),
            ("type_guid", GUID, "type in a GPT"),
            ("type", NAME, "what partitions of the type usually hold"),
            ("name", NAME, "name in a GPT"),
            ("guid", GUID, "the partition's own GUID in a GPT"),
            ("active", FLAG, "whether it is marked to start from"),
            ("attributes", NAME, "attribute bits of a GPT, in hex"),
        ],
    )
}

fn volume() -> RecordType {
    spec::record(
        VOLUME,
        "one volume of an image, as its file system describes it",
        "path",
        &[
            ("path", &[FieldType::Path], "its folder in the evidence"),
            ("offset", NUMBER, "first byte on the medium"),
            ("length", SIZE, "bytes of the volume"),
            ("file_system", NAME, "which file system its first bytes name"),
            ("serial", NAME, "volume serial number or UUID, as its own system shows it"),
            ("label", NAME, "volume label"),
            ("version", NAME, "version of the file system"),
            ("sector_size", SIZE, "bytes of a sector, as the file system says"),
            ("cluster_size", SIZE, "bytes of a cluster or block"),
            ("clusters", NUMBER, "clusters or blocks of the file system"),
            ("created", TIME, "when the file system was made"),
            ("dirty", FLAG, "whether it was left without being unmounted"),
            ("shadow_copies", FLAG, "whether a catalogue of volume shadow copies stands in it"),
            ("unread", TEXT, "why its files are not read"),
        ],
    )
}
