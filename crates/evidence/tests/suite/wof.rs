//! Files compressed by the Windows Overlay Filter, on volumes built here.

mod pack;

use evidence::{
    EvidencePath, ImageTree, Node, NodeKind, ReadError, Tree, open_image, read_all, read_full_at,
};
use ledger::ByteSpan;
use std::error::Error;
use std::fs::File;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use tempfile::TempDir;
use testkit::ntfs::sample::{self, noise};
use testkit::ntfs::{Built, Content, EntrySpec, VolumeSpec};

const LZX: u32 = 1;
const STREAM: &str = "WofCompressedData";

/// Chunk sizes in bytes, by the number of the algorithm.
const CHUNKS: [usize; 4] = [4096, 32_768, 8192, 16_384];

/// Returns the chunks of a file, each compressed if that makes it smaller.
fn chunks(algorithm: u32, bytes: &[u8]) -> Vec<Vec<u8>> {
    let pack = |chunk: &[u8]| match chunk.iter().all(|byte| pack::LETTERS.contains(byte)) {
        true if algorithm == LZX => pack::lzx(chunk, 0),
        true => pack::xpress(chunk),
        // LZX stores bytes that are not text in a block of their own.
        false if algorithm == LZX => {
            let letters = chunk.iter().rev().take_while(|byte| pack::LETTERS.contains(byte)).count();
            pack::lzx(chunk, chunk.len() - letters)
        }
        false => chunk.to_vec(),
    };
    let smaller = |chunk: &[u8]| Some(pack(chunk)).filter(|packed| packed.len() < chunk.len());
    bytes.chunks(CHUNKS[algorithm as usize]).map(|chunk| smaller(chunk).unwrap_or(chunk.to_vec())).collect()
}

/// Returns the stream: the ends of all chunks except the last, and the chunks.
fn stream(chunks: &[Vec<u8>]) -> Vec<u8> {
    let ends = chunks.iter().scan(0, |end, chunk| {
        *end += u32::try_from(chunk.len()).unwrap();
        Some(*end)
    });
    let table = ends.take(chunks.len().saturating_sub(1)).flat_map(u32::to_le_bytes);
    table.chain(chunks.concat()).collect()
}

fn point(provider: u32, algorithm: u32) -> Vec<u8> {
    [0x8000_0017, 16, 1, provider, 1, algorithm].into_iter().flat_map(u32::to_le_bytes).collect()
}

fn entry(path: &str, algorithm: u32, size: usize, stream: &[u8]) -> EntrySpec {
    EntrySpec::file(path, b"")
        .content(Content::Sparse { size: size as u64, parts: Vec::new() })
        .stream(STREAM, stream)
        .reparse(&point(2, algorithm))
}

fn open(built: &Built) -> (TempDir, PathBuf, ImageTree) {
    let folder = tempfile::tempdir().unwrap();
    let image = folder.path().join("a.dd");
    built.write_to(&mut File::create(&image).unwrap()).unwrap();
    let tree = open_image(&image, "disk").unwrap();
    (folder, image, tree)
}

fn node(tree: &ImageTree, name: &str) -> Node {
    tree.node(&EvidencePath::parse(&format!("p0/{name}")).unwrap()).unwrap().unwrap()
}

fn read(tree: &ImageTree, name: &str) -> Result<Vec<u8>, ReadError> {
    read_all(tree.open(&node(tree, name), None)?.as_mut(), 1 << 30)
}

/// Returns text, noise with calls, text, and a remainder.
fn content(algorithm: u32) -> Vec<u8> {
    let chunk = CHUNKS[algorithm as usize];
    let mut binary = noise(3, 1001);
    (0..90).for_each(|n| binary[n * 11] = 0xe8);
    // Targets that are translated both ways: near ones, and those near the assumed size.
    (0..45).for_each(|n| binary[n * 22 + 3..][..2].fill(0));
    (0..9).for_each(|n| binary[n * 110 + 1..][..4].copy_from_slice(&11_999_999u32.to_le_bytes()));
    [
        pack::text(1, chunk),
        binary,
        pack::text(2, 2 * chunk - 1001),
        noise(4, chunk),
        pack::text(5, chunk / 2 + 1),
    ]
    .concat()
}

fn bytes_at(image: &Path, tree: &ImageTree, name: &str, span: ByteSpan) -> Vec<u8> {
    let reader = tree.open(&node(tree, name), None).unwrap();
    let image = File::open(image).unwrap();
    let mut all = Vec::new();
    for extent in reader.provenance(span) {
        let mut bytes = vec![0; extent.length as usize];
        image.read_exact_at(&mut bytes, extent.offset).unwrap();
        all.extend(bytes);
    }
    all
}

#[test]
fn every_algorithm_gives_the_bytes_and_the_place_of_their_chunks() {
    for algorithm in 0..4 {
        let (whole, chunk) = (content(algorithm), CHUNKS[algorithm as usize]);
        let packed = chunks(algorithm, &whole);
        assert_eq!(
            packed.iter().filter(|packed| packed.len() == chunk).count(),
            if algorithm == LZX { 1 } else { 2 }
        );
        let large = entry("large", algorithm, whole.len(), &stream(&packed)).extents(3);
        let mut spec = VolumeSpec::new("C").entry(large);
        let sizes = [0, 1, 700, chunk - 1, chunk, chunk + 1];
        for size in sizes {
            let bytes = pack::text(9, size);
            let packed = stream(&chunks(algorithm, &bytes));
            spec = spec.entry(entry(&size.to_string(), algorithm, size, &packed));
        }
        let (_folder, image, tree) = open(&spec.build().unwrap());
        for size in sizes {
            assert_eq!(
                read(&tree, &size.to_string()).unwrap(),
                pack::text(9, size),
                "{algorithm}: {size} bytes"
            );
        }
        let found = node(&tree, "large");
        assert_eq!((found.kind.clone(), found.size), (NodeKind::File, whole.len() as u64));
        assert_eq!(found.streams.iter().map(|stream| stream.name.as_str()).collect::<Vec<_>>(), [STREAM]);
        assert!(read(&tree, "large").unwrap() == whole, "algorithm {algorithm}");
        let stored = read_all(tree.open(&found, Some(STREAM)).unwrap().as_mut(), 1 << 20).unwrap();
        assert!(stored == stream(&packed));

        let mut reader = tree.open(&found, None).unwrap();
        let mut piece = [0; 40];
        for offset in [4 * chunk - 20, chunk - 1, 3, whole.len() - 40] {
            assert_eq!(read_full_at(reader.as_mut(), offset as u64, &mut piece).unwrap(), 40);
            assert_eq!(piece, whole[offset..offset + 40]);
        }
        assert_eq!(reader.read_at(whole.len() as u64, &mut piece).unwrap(), 0);
        let across = ByteSpan { offset: 2 * chunk as u64 - 1, length: 2 };
        assert!(bytes_at(&image, &tree, "large", across) == packed[1..3].concat());
        let behind = ByteSpan { offset: whole.len() as u64, length: 9 };
        assert!(bytes_at(&image, &tree, "large", behind).is_empty());
    }
}

#[test]
fn damage_in_a_chunk_or_the_table_fails_what_it_meets_only() {
    let whole = content(0);
    let mut packed = chunks(0, &whole);
    packed[0][300..].fill(0);
    packed[0].truncate(320);
    let mut damaged = stream(&packed);
    // The end of the third chunk is past the end of the stream, so neither it nor the fourth has a valid place.
    damaged[8..12].copy_from_slice(&0x7fff_ffffu32.to_le_bytes());
    let cut = stream(&chunks(0, &whole))[..10].to_vec();
    let mut spec = VolumeSpec::new("C").entry(entry("damaged", 0, whole.len(), &damaged));
    spec = spec.entry(entry("cut", 0, whole.len(), &cut));
    let (_folder, _image, tree) = open(&spec.build().unwrap());
    let message = |name: &str, chunk: u64| {
        let mut reader = tree.open(&node(&tree, name), None).unwrap();
        let mut bytes = vec![0; 4096];
        let error = read_full_at(reader.as_mut(), chunk * 4096, &mut bytes).err()?;
        assert!(matches!(error, ReadError::Damaged { .. }), "{error}");
        Some(error.source().unwrap().to_string())
    };
    assert!(message("damaged", 0).unwrap().ends_with("byte 0 of the stream: the compressed data is damaged"));
    assert_eq!(message("damaged", 1), None);
    for chunk in [2, 3] {
        let found = message("damaged", chunk).unwrap();
        assert!(
            found.contains(&format!("byte {} of the stream: its chunk of at most 4096", chunk * 4096)),
            "{found}"
        );
    }
    assert_eq!(message("damaged", 4), None);
    assert!((0..5).all(|chunk| message("cut", chunk).is_some()));
}

#[test]
fn what_is_not_compressed_so_is_told() {
    let packed = stream(&chunks(0, b"abc"));
    let hole = || EntrySpec::file("a", b"").content(Content::Sparse { size: 3, parts: Vec::new() });
    let built = |entry: EntrySpec| open(&VolumeSpec::new("C").entry(entry).build().unwrap());
    let (_folder, _, tree) = built(hole().stream(STREAM, &packed).reparse(&point(1, 0)));
    assert!(matches!(read(&tree, "a"), Err(ReadError::Unsupported { found, .. }) if found.contains("WIM")));
    let (_folder, _, tree) = built(hole().stream(STREAM, &packed).reparse(&point(2, 4)));
    assert!(
        matches!(read(&tree, "a"), Err(ReadError::Unsupported { found, .. }) if found.contains("unknown"))
    );
    let (_folder, _, tree) = built(hole().reparse(&point(2, 0)));
    assert!(matches!(read(&tree, "a"), Err(ReadError::Damaged { .. })));
}

#[test]
fn no_change_of_chunks_or_table_stops_the_reader() {
    let mut spec = VolumeSpec::new("C").size(4 << 20);
    let wholes: Vec<_> = (0..4).map(content).collect();
    for (algorithm, whole) in (0u32..).zip(&wholes) {
        let packed = stream(&chunks(algorithm, whole));
        spec = spec.entry(entry(&algorithm.to_string(), algorithm, whole.len(), &packed));
    }
    let built = spec.build().unwrap();
    let (_folder, image, tree) = open(&built);
    let file = File::options().write(true).open(&image).unwrap();
    let bytes = built.bytes();
    let mut random = sample::noise(77, 500 * 8).into_iter();
    let (mut failed, mut same) = (0, 0);
    for round in 0..500usize {
        let draw: Vec<u8> = random.by_ref().take(8).collect();
        let name = (round % 4).to_string();
        let planted = &built.planted(&name).unwrap().streams[1];
        let run = planted.runs[0];
        let start = run.lcn.unwrap() * built.cluster;
        // Half of the changes hit the table or the first codes.
        let reach = if round % 8 < 4 { 600 } else { planted.size };
        let at = start + u64::from(u32::from_le_bytes(*draw.first_chunk().unwrap())) % reach;
        let patch = &[draw[4], draw[5] & draw[6], 0xff, 0][..1 + usize::from(draw[7]) % 4];
        file.write_all_at(patch, at).unwrap();
        match read(&tree, &name) {
            Ok(found) => {
                assert_eq!(found.len(), wholes[round % 4].len());
                same += usize::from(found == wholes[round % 4]);
            }
            Err(error) => {
                assert!(matches!(error, ReadError::Damaged { .. }), "{error}");
                failed += 1;
            }
        }
        let from = usize::try_from(at).unwrap();
        file.write_all_at(&bytes[from..from + patch.len()], at).unwrap();
    }
    assert!(failed > 100 && same < 100, "{failed} failed, {same} unchanged");
}
