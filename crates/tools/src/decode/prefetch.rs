//! Prefetch files: programs that were started, and the files that they used then.

mod mam;

use super::parts::Base;
use super::{Decoder, Head, Source};
use crate::intake::Flow;
use crate::row::Row;
use crate::spec;
use artifacts::prefetch::{self, Prefetch, Volume};
use evidence::ReadError;
use ledger::FieldType::{Integer, Name, Path, Time};
use ledger::{ByteSpan, FieldValue, RecordType};
use std::ops::ControlFlow;

const KIND: &str = "prefetch";
const FILE: &str = "prefetch_file";

/// The longest file that is read, and the longest expanded size; Windows writes far less than 1 MiB.
const LONGEST: u64 = 16 << 20;

/// The fields of the run times, the latest first.
const RUNS: [&str; 8] = [
    "last_run",
    "last_run_2",
    "last_run_3",
    "last_run_4",
    "last_run_5",
    "last_run_6",
    "last_run_7",
    "last_run_8",
];

pub(crate) const DECODER: Decoder = Decoder {
    name: "prefetch",
    about: "programs that were started, how often and when, and the files they used at that",
    names: &["*.pf"],
    common_names: &[],
    fits,
    records,
    read,
};

fn fits(head: &Head<'_>) -> bool {
    prefetch::version(head.bytes).is_some() || mam::holds_prefetch(head.bytes)
}

fn records() -> Vec<RecordType> {
    let run = |name| (name, &[Time][..], "when it was started before that");
    let mut fields: Vec<(&str, &[ledger::FieldType], &str)> = vec![
        ("executable", &[Name], "name of the program, at most 29 characters of it"),
        (
            "program_path",
            &[Path],
            "device path of the program, where only one of the files it used has its name",
        ),
        ("run_count", &[Integer], "how often it was started"),
        ("last_run", &[Time], "when it was last started"),
        ("path_hash", &[Name], "hash of the path of the program, in hex digits as in the name of the file"),
        ("version", &[Integer], "17 is of Windows XP, 23 of Vista and 7, 26 of 8, 30 of 10, 31 of 11"),
        ("volume_path", &[Path], "device path of the volume of the program, or of the only volume it used"),
        ("volume_serial", &[Name], "serial number of that volume, in hex digits"),
        ("volume_created", &[Time], "when that volume was made"),
        ("volume_count", &[Integer], "how many volumes it used"),
        ("file_count", &[Integer], "how many files it used in the first seconds"),
        ("path", &[Path], "path of the prefetch file in the evidence"),
    ];
    fields.extend(RUNS.iter().skip(1).map(|name| run(*name)));
    vec![
        spec::record(
            KIND,
            "a program that was started, with its last eight starts (before Windows 8 the last one); not by whom, nor that it did anything; a wiped or disabled prefetch folder has none",
            "executable",
            &fields,
        ),
        spec::record(
            FILE,
            "a file or folder that a program used in the first seconds of one of its last starts; not that it was run or changed, nor when",
            "file",
            &[
                ("file", &[Path], "its device path"),
                ("executable", &[Name], "name of the program"),
                ("path", &[Path], "path of the prefetch file in the evidence"),
            ],
        ),
    ]
}

fn read(source: &mut Source<'_, '_>) -> Result<Flow, ReadError> {
    let stored = source.bytes(LONGEST)?;
    let whole = Some(ByteSpan::new(0, stored.len() as u64));
    let Some((bytes, base)) = expanded(source, stored) else { return Ok(ControlFlow::Continue(())) };
    let Some(found) = prefetch::read(&bytes) else {
        source.damage(Some(0), "expected a prefetch file of a known version");
        return Ok(ControlFlow::Continue(()));
    };
    if found.executable.value.is_empty() {
        source.damage(Some(16), "expected the name of a program, found none");
        return Ok(ControlFlow::Continue(()));
    }
    Ok(rows(source, &found, base, whole))
}

fn rows(source: &mut Source<'_, '_>, found: &Prefetch, base: Base, whole: Option<ByteSpan>) -> Flow {
    let row = source.row(KIND, whole).defects(base.defects(source, &found.damage));
    let row = volume(program(row, base, found), base, found);
    source.push(row.field("path", path(source)))?;
    for file in &found.files {
        let row = source.row(FILE, base.place(file).or(whole));
        let row = base.part(row, "file", Some(file), FieldValue::Path);
        let row = base.part(row, "executable", Some(&found.executable), FieldValue::Name);
        source.push(row.field("path", path(source)))?;
    }
    ControlFlow::Continue(())
}

/// Returns the bytes of a prefetch file and their base offset; expanded bytes have no place in the evidence.
fn expanded(source: &mut Source<'_, '_>, stored: Vec<u8>) -> Option<(Vec<u8>, Base)> {
    if !mam::is_compressed(&stored) {
        return Some((stored, Base(Some(0))));
    }
    match mam::expand(&stored, LONGEST) {
        Ok((bytes, wrong)) => {
            if let Some(wrong) = wrong {
                source.damage(Some(8), wrong);
            }
            Some((bytes, Base(None)))
        }
        Err(wrong) => {
            source.damage(Some(0), wrong);
            None
        }
    }
}

fn program(row: Row, base: Base, found: &Prefetch) -> Row {
    let row = base.part(row, "executable", Some(&found.executable), FieldValue::Name);
    let row = base.part(row, "program_path", found.program(), FieldValue::Path);
    let row = base.number(row, "run_count", found.run_count.as_ref());
    let row = base.part(row, "path_hash", found.hash.as_ref(), hex);
    let row = base.number(row, "version", Some(&found.version));
    let row = row.field("file_count", FieldValue::Integer(found.files.len() as i128));
    let runs = RUNS.iter().zip(&found.runs);
    runs.fold(row, |row, (name, run)| base.time(row, name, Some(run)))
}

fn volume(row: Row, base: Base, found: &Prefetch) -> Row {
    let row = row.field("volume_count", FieldValue::Integer(found.volumes.len() as i128));
    let Some(volume) = volume_of(found) else { return row };
    let row = base.part(row, "volume_path", volume.path.as_ref(), FieldValue::Path);
    let row = base.part(row, "volume_serial", volume.serial.as_ref(), hex);
    base.time(row, "volume_created", volume.created.as_ref())
}

/// Returns the volume of the program, or the only volume.
fn volume_of(found: &Prefetch) -> Option<&Volume> {
    let program = found.program().map(|program| program.value.as_str());
    let holds = |volume: &&Volume| {
        let prefix = volume.path.as_ref().map(|path| path.value.as_str());
        let rest = program.zip(prefix).and_then(|(program, prefix)| program.strip_prefix(prefix));
        rest.is_some_and(|rest| rest.starts_with('\\'))
    };
    let only = || match found.volumes.as_slice() {
        [only] => Some(only),
        _ => None,
    };
    found.volumes.iter().find(holds).or_else(only)
}

fn hex(number: u32) -> FieldValue {
    FieldValue::Name(format!("{number:08X}"))
}

fn path(source: &Source<'_, '_>) -> FieldValue {
    FieldValue::Path(source.node.path.as_str().to_owned())
}
