//! Marks of the web on downloaded files: the stream `Zone.Identifier`, or the file in which a collection kept it.

use super::parts::Base;
use super::{Decoder, Head, Source};
use crate::intake::Flow;
use crate::spec;
use artifacts::zone_identifier;
use evidence::ReadError;
use ledger::FieldType::{Integer, Name, Path, Text};
use ledger::{ByteSpan, FieldValue, RecordType};
use std::ops::ControlFlow;

const KIND: &str = "download_mark";

const STREAM: &str = "Zone.Identifier";

/// The longest stream that is read.
const LONGEST: u64 = 1 << 20;

pub(crate) const DECODER: Decoder = Decoder {
    name: "download_mark",
    about: "from where downloaded files came (Zone.Identifier)",
    names: &["*:Zone.Identifier", "*?Zone.Identifier"],
    common_names: &[],
    fits,
    records,
    read,
};

fn fits(head: &Head<'_>) -> bool {
    head.name.to_lowercase().ends_with("zone.identifier") && zone_identifier::is_zone_identifier(head.bytes)
}

fn records() -> Vec<RecordType> {
    vec![spec::record(
        KIND,
        "a mark that a file came from another computer; whoever may write the file can write the mark, and nothing says when, or that the file is as it came",
        "file",
        &[
            ("file", &[Path], "the file that is marked"),
            ("zone_id", &[Integer], "0 this computer, 1 intranet, 2 trusted, 3 internet, 4 restricted"),
            ("zone", &[Name], "the name of the zone, where it is one of these"),
            ("host_url", &[Text], "address that it came from"),
            ("referrer_url", &[Text], "address of the page that led there"),
            ("host_ip", &[Name], "address of the computer that it came from"),
            ("package", &[Name], "family name of the package that wrote it"),
            ("path", &[Path], "path of the file in the evidence that holds the mark"),
        ],
    )]
}

fn read(source: &mut Source<'_, '_>) -> Result<Flow, ReadError> {
    let bytes = source.bytes(LONGEST)?;
    let Some(found) = zone_identifier::read(&bytes) else {
        source.damage(Some(0), "expected a section ZoneTransfer, found none");
        return Ok(ControlFlow::Continue(()));
    };
    let base = Base(Some(0));
    let path = source.node.path.as_str().to_owned();
    let zone = found.zone.as_ref().and_then(|zone| name(zone.value));
    let row = source
        .row(KIND, Some(ByteSpan::new(0, bytes.len() as u64)))
        .defects(base.defects(source, &found.damage))
        .field("file", FieldValue::Path(marked(&path, source.stream)))
        .field("path", FieldValue::Path(path))
        .maybe("zone", zone.map(|zone| FieldValue::Name(zone.to_owned())), None);
    let row = base.number(row, "zone_id", found.zone.as_ref());
    let row = base.part(row, "host_url", found.host_url.as_ref(), FieldValue::Text);
    let row = base.part(row, "referrer_url", found.referrer_url.as_ref(), FieldValue::Text);
    let row = base.part(row, "host_ip", found.host_ip.as_ref(), FieldValue::Name);
    Ok(source.push(base.part(row, "package", found.package.as_ref(), FieldValue::Name)))
}

/// Returns the marked file: the stream's file, or the path without the suffix that the collection added.
fn marked(path: &str, stream: Option<&str>) -> String {
    if stream.is_some() {
        return path.to_owned();
    }
    let cut = path.len().saturating_sub(STREAM.len());
    let bare = path.get(..cut).unwrap_or(path);
    let ends = ["%3A", "%3a", ":", "_", "."];
    ends.iter()
        .find_map(|end| bare.strip_suffix(end))
        .filter(|bare| !bare.is_empty())
        .unwrap_or(path)
        .to_owned()
}

/// Names a `URLZONE`, according to Microsoft's documentation.
fn name(zone: u32) -> Option<&'static str> {
    match zone {
        0 => Some("this_computer"),
        1 => Some("intranet"),
        2 => Some("trusted"),
        3 => Some("internet"),
        4 => Some("restricted"),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::marked;

    #[test]
    fn the_marked_file_is_that_of_the_stream_or_of_the_name() {
        assert_eq!(marked("C/a.zip", Some("Zone.Identifier")), "C/a.zip");
        for kept in ["C/a.zip:Zone.Identifier", "C/a.zip%3AZone.Identifier", "C/a.zip_Zone.Identifier"] {
            assert_eq!(marked(kept, None), "C/a.zip");
        }
        assert_eq!(marked("Zone.Identifier", None), "Zone.Identifier");
    }
}
