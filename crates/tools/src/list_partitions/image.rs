//! The record of an image: its container and the medium as a whole.

use super::record_types::{DATES, HEADER, IMAGE};
use super::with_disk;
use crate::error::CallError;
use crate::row::Row;
use evidence::{Acquisition, HashAlgorithm, HashCheck, Layout, Tree};
use ledger::{Clock, FieldValue, Precision, Record, Time, Utc};

pub(super) fn record(tree: &dyn Tree, layout: &Layout, verify: bool) -> Result<Record, CallError> {
    let names: Vec<_> = tree
        .container()
        .iter()
        .map(|file| file.file_name().unwrap_or_default().to_string_lossy().into_owned())
        .collect();
    let row = Row::at(IMAGE, tree, "", None)
        .field("image", FieldValue::Name(names.first().cloned().unwrap_or_default()))
        .maybe("files", (names.len() > 1).then_some(FieldValue::List(names)), None);
    let mut row = with_disk(row, layout);
    let told = tree.acquisition().and_then(|found| found.sector_size).map(u64::from);
    row = row.maybe("sector_size", told.or(layout.disk.sector).map(FieldValue::Size), None);
    if let Some(found) = tree.acquisition() {
        row = with_acquisition(row, found);
    }
    if verify {
        let error = |source| CallError::Medium { label: tree.label().to_owned(), source };
        row = with_checks(row, &tree.verify_medium().map_err(error)?);
    }
    Ok(row.done())
}

fn with_acquisition(row: Row, found: &Acquisition) -> Row {
    let size = |size: Option<u32>| size.map(|size| FieldValue::Size(size.into()));
    let created = found.created.map(container_time).map(FieldValue::Time);
    let unread: u64 = found.unread.iter().map(|sectors| sectors.count).fold(0, u64::saturating_add);
    let mut row = row
        .field("format", FieldValue::Name(found.format.describe().to_owned()))
        .field("length", FieldValue::Size(found.length))
        .maybe("chunk_size", size(found.chunk_size), None)
        .maybe("compressed", found.compressed.map(FieldValue::Flag), None)
        .maybe("container_created", created, None)
        .maybe("unread_sectors", (unread > 0).then(|| FieldValue::Integer(unread.into())), None);
    for hash in &found.hashes {
        row = row.field(stored(hash.algorithm), FieldValue::Hash(hash.hex.clone()));
    }
    let mut others = Vec::new();
    for (name, text) in &found.values {
        match HEADER.iter().find(|(value, ..)| value == name) {
            Some((_, field, _)) => row = row.field(field, header_value(field, text)),
            None => others.push(format!("{name}: {text}")),
        }
    }
    let identifiers: Vec<_> = found.identifiers.iter().map(|(name, id)| format!("{name}: {id}")).collect();
    row.maybe("header", (!others.is_empty()).then_some(FieldValue::List(others)), None).maybe(
        "identifiers",
        (!identifiers.is_empty()).then_some(FieldValue::List(identifiers)),
        None,
    )
}

/// Returns the text as it is; a date stored as seconds since 1970 becomes RFC 3339.
fn header_value(field: &str, text: &str) -> FieldValue {
    let seconds: Option<u32> = text.parse().ok().filter(|_| DATES.contains(&field));
    let utc = seconds.and_then(|seconds| Utc::from_unix_nanoseconds(i128::from(seconds) * 1_000_000_000));
    FieldValue::Text(utc.map_or_else(|| text.to_owned(), |utc| utc.to_text(Precision::Second)))
}

/// Makes a time by the clock of the computer that made the container, which is not the examined one.
fn container_time(utc: Utc) -> Time {
    Time {
        utc: Some(utc),
        raw: utc.to_string(),
        clock: Clock::CollectionCopy,
        precision: Precision::Second,
        zone: None,
    }
}

fn with_checks(mut row: Row, checks: &[HashCheck]) -> Row {
    for check in checks {
        row = row.field(computed(check.algorithm), FieldValue::Hash(check.computed.clone()));
    }
    // One that differs is a finding, whatever the others show.
    let compared: Vec<_> = checks.iter().filter_map(|check| check.matches).collect();
    let matches = (!compared.is_empty()).then(|| compared.iter().all(|same| *same));
    row.maybe("hash_matches", matches.map(FieldValue::Flag), None)
}

const fn stored(algorithm: HashAlgorithm) -> &'static str {
    match algorithm {
        HashAlgorithm::Md5 => "stored_md5",
        HashAlgorithm::Sha1 => "stored_sha1",
        HashAlgorithm::Sha256 => "stored_sha256",
    }
}

const fn computed(algorithm: HashAlgorithm) -> &'static str {
    match algorithm {
        HashAlgorithm::Md5 => "computed_md5",
        HashAlgorithm::Sha1 => "computed_sha1",
        HashAlgorithm::Sha256 => "computed_sha256",
    }
}
