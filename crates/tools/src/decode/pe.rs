//! Programs and libraries: their own metadata, and what they import.

use super::parts::Base;
use super::{Decoder, Head, Source};
use crate::intake::Flow;
use crate::row::Row;
use crate::spec;
use artifacts::pe::{self, Imports, PeFile};
use evidence::ReadError;
use ledger::FieldType::{Flag, Hash, Integer, List, Name, Path, Size, Text};
use ledger::digest::hex;
use ledger::{ByteSpan, FieldValue, Precision, RecordType, Utc};
use md5::{Digest, Md5};
use std::ops::ControlFlow;

const KIND: &str = "pe_file";

/// The longest file that is read.
const LONGEST: u64 = 128 << 20;

/// Not found by name: every host has tens of thousands of them.
pub(crate) const DECODER: Decoder = Decoder {
    name: "pe",
    about: "programs and libraries (exe, dll, sys): headers, imports, version texts, symbols, overlay",
    names: &[],
    common_names: &[],
    fits,
    records,
    read,
};

fn fits(head: &Head<'_>) -> bool {
    pe::is_pe(head.bytes)
}

fn records() -> Vec<RecordType> {
    vec![spec::record(
        KIND,
        "a program or library as it tells of itself: its maker chose names, versions and times, and no signature was verified; not that it ran",
        "path",
        &[
            ("path", &[Path], "path of the file in the evidence"),
            ("machine", &[Name], "the machine it is for: x86, x64, arm64, or its number"),
            ("bits", &[Integer], "32 or 64"),
            ("is_library", &[Flag], "whether it is a library (DLL)"),
            ("subsystem", &[Name], "what starts it: native, windows, console, efi, or its number"),
            ("entry_point", &[Integer], "address of its first instruction from its own beginning"),
            (
                "link_timestamp",
                &[Integer],
                "seconds since 1970 by the clock of its builder, or a hash in its place; no time of the host",
            ),
            ("link_time", &[Text], "the same as a time"),
            ("sections", &[List], "names of its sections"),
            ("libraries", &[List], "libraries that it uses"),
            ("import_count", &[Integer], "how many functions it uses of them"),
            (
                "imphash",
                &[Hash],
                "MD5 of the list of these functions; none where a function is told by a number of oleaut32, ws2_32 or wsock32",
            ),
            ("export_count", &[Integer], "how many functions it offers"),
            ("export_name", &[Name], "its own name as a library"),
            ("company_name", &[Text], "company, by its version resource"),
            ("product_name", &[Text], "product, by its version resource"),
            ("file_description", &[Text], "description, by its version resource"),
            ("original_filename", &[Name], "its name at its maker's, by its version resource"),
            ("internal_name", &[Name], "its internal name, by its version resource"),
            ("file_version", &[Text], "version of the file, by its version resource"),
            ("product_version", &[Text], "version of the product, by its version resource"),
            ("pdb_path", &[Path], "path of its symbols on the machine of its builder"),
            (
                "certificate_size",
                &[Size],
                "bytes of its table of certificates; none where it has none; not verified",
            ),
            ("overlay_size", &[Size], "bytes behind its sections, but for the certificates"),
        ],
    )]
}

fn read(source: &mut Source<'_, '_>) -> Result<Flow, ReadError> {
    let bytes = source.bytes(LONGEST)?;
    let Some(found) = pe::read(&bytes) else {
        source.damage(Some(0), "expected the header of a program, found none");
        return Ok(ControlFlow::Continue(()));
    };
    let base = Base(Some(0));
    let row = source
        .row(KIND, Some(ByteSpan::new(0, bytes.len() as u64)))
        .defects(base.defects(source, &found.damage))
        .field("path", FieldValue::Path(source.node.path.as_str().to_owned()));
    let row = version(headers(row, base, &found), &found);
    let row = match &found.imports {
        Some(imports) => imported(row, imports),
        None => row,
    };
    Ok(source.push(row))
}

fn headers(row: Row, base: Base, found: &PeFile) -> Row {
    let row = base.part(row, "machine", found.machine.as_ref(), |number| FieldValue::Name(machine(number)));
    let row =
        base.part(row, "subsystem", found.subsystem.as_ref(), |number| FieldValue::Name(subsystem(number)));
    let row = base.number(row, "entry_point", found.entry_point.as_ref());
    let row = base.number(row, "link_timestamp", found.timestamp.as_ref());
    let row = base.part(row, "link_time", found.timestamp.as_ref(), |seconds| {
        let time = Utc::from_unix_nanoseconds(i128::from(seconds) * 1_000_000_000);
        FieldValue::Text(time.map(|time| time.to_text(Precision::Second)).unwrap_or_default())
    });
    let size = |size: u32| FieldValue::Size(size.into());
    row.field("bits", FieldValue::Integer(found.bits.into()))
        .field("is_library", FieldValue::Flag(found.is_library))
        .field("sections", FieldValue::List(found.sections.clone()))
        .field("export_count", FieldValue::Integer(found.exports as i128))
        .maybe("export_name", found.export_name.clone().map(FieldValue::Name), None)
        .maybe("pdb_path", found.symbols.clone().map(FieldValue::Path), None)
        .maybe("certificate_size", found.certificates.map(size), None)
        .field("overlay_size", FieldValue::Size(found.overlay))
}

fn version(row: Row, found: &PeFile) -> Row {
    let text = |text: &Option<String>| text.clone().map(FieldValue::Text);
    let name = |text: &Option<String>| text.clone().map(FieldValue::Name);
    let version = &found.version;
    row.maybe("company_name", text(&version.company_name), None)
        .maybe("product_name", text(&version.product_name), None)
        .maybe("file_description", text(&version.file_description), None)
        .maybe("original_filename", name(&version.original_filename), None)
        .maybe("internal_name", name(&version.internal_name), None)
        .maybe("file_version", text(&version.file_version), None)
        .maybe("product_version", text(&version.product_version), None)
}

fn imported(row: Row, imports: &Imports) -> Row {
    let hash = imports.list.as_ref().map(|list| {
        let digest = Md5::digest(list.as_bytes());
        FieldValue::Hash(hex(&digest))
    });
    row.field("libraries", FieldValue::List(imports.libraries.clone()))
        .field("import_count", FieldValue::Integer(imports.count as i128))
        .maybe("imphash", hash, None)
}

/// Names the common `IMAGE_FILE_MACHINE_…` values.
fn machine(number: u16) -> String {
    match number {
        0x014C => "x86".to_owned(),
        0x8664 => "x64".to_owned(),
        0xAA64 => "arm64".to_owned(),
        0x01C4 => "arm".to_owned(),
        0x0200 => "ia64".to_owned(),
        other => format!("{other:#06x}"),
    }
}

/// Names the common `IMAGE_SUBSYSTEM_…` values.
fn subsystem(number: u16) -> String {
    match number {
        1 => "native".to_owned(),
        2 => "windows".to_owned(),
        3 => "console".to_owned(),
        10..=13 => "efi".to_owned(),
        16 => "boot".to_owned(),
        other => other.to_string(),
    }
}
