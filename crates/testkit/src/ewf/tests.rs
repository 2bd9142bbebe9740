//! Reads written images with a third-party reader.

use super::*;
use crate::ntfs::sample::{noise, text};
use ::ewf::EwfReader;
use std::io::Write as _;
use std::path::PathBuf;

/// Returns 40 chunks, some of which shrink.
fn medium() -> Vec<u8> {
    [text(20 * CHUNK), noise(1, 19 * CHUNK), vec![0; CHUNK]].concat()
}

fn read(segments: &[Vec<u8>]) -> (Vec<u8>, EwfReader) {
    let folder = tempfile::tempdir().unwrap();
    let paths: Vec<PathBuf> =
        (0..segments.len()).map(|index| folder.path().join(format!("a.{}", extension(index)))).collect();
    for (path, bytes) in paths.iter().zip(segments) {
        let mut file = std::fs::File::create(path).unwrap();
        file.write_all(bytes).unwrap();
    }
    let reader = EwfReader::open_segments(&paths).unwrap();
    let mut bytes = vec![0; usize::try_from(reader.total_size()).unwrap()];
    let mut at = 0;
    while at < bytes.len() {
        let read = reader.read_at(&mut bytes[at..], at as u64).unwrap();
        assert!(read > 0);
        at += read;
    }
    (bytes, reader)
}

#[test]
fn every_way_of_writing_gives_the_medium_and_its_hashes() {
    let medium = medium();
    let base = EwfSpec::default();
    let specs = [
        (1, base.clone()),
        (1, EwfSpec { compressed: false, ..base.clone() }),
        (5, EwfSpec { segment: Some(5 * CHUNK), ..base.clone() }),
        (40, EwfSpec { segment: Some(1), ..base }),
    ];
    for (count, spec) in specs {
        let segments = spec.write(&medium);
        assert_eq!(segments.len(), count);
        let (bytes, reader) = read(&segments);
        assert!(bytes == medium);
        let stored = reader.stored_hashes();
        assert_eq!(stored.md5, Some(Md5::digest(&medium).into()));
        assert_eq!(stored.sha1, Some(Sha1::digest(&medium).into()));
        assert_eq!(spec.write(&medium), segments);
    }
}

#[test]
fn a_last_chunk_that_is_not_whole_is_stored_short() {
    let short = [text(CHUNK), vec![7; 3 * 512]].concat();
    let (bytes, _) = read(&EwfSpec::default().write(&short));
    assert!(bytes == short);
    // `ewf` 0.4.10 expects 32 KiB even for the last uncompressed chunk, where libewf writes and reads only the remainder.
    let plain = EwfSpec { compressed: false, ..EwfSpec::default() }.write(&short);
    let whole = EwfSpec { compressed: false, ..EwfSpec::default() }
        .write(&[&short[..], &[0; CHUNK - 3 * 512]].concat());
    assert_eq!(whole[0].len() - plain[0].len(), CHUNK - 3 * 512);
}

#[test]
fn a_wrong_hash_is_stored_on_purpose_and_nothing_else_is_changed() {
    let medium = medium();
    let (bytes, reader) = read(&EwfSpec { wrong_hash: true, ..EwfSpec::default() }.write(&medium));
    assert!(bytes == medium);
    assert!(reader.stored_hashes().md5 != Some(Md5::digest(&medium).into()));
    assert!(reader.stored_hashes().sha1 != Some(Sha1::digest(&medium).into()));
}

#[test]
fn segments_are_named_on_past_ninety_nine() {
    assert_eq!([0, 98, 99, 124, 125].map(extension), ["E01", "E99", "EAA", "EAZ", "EBA"]);
}

#[test]
fn the_checksum_is_that_of_the_standard() {
    assert_eq!(adler32(b"Wikipedia"), 0x11e6_0398);
}
