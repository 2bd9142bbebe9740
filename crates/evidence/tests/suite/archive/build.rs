//! Archives built by the crates that usually read them, and by hand where they must be odd.

use std::io::{Cursor, Write};

pub(crate) type Files<'a> = [(&'a str, Vec<u8>)];

pub(crate) fn zip(files: &Files<'_>) -> Vec<u8> {
    let mut writer = zip::ZipWriter::new(Cursor::new(Vec::new()));
    for (name, content) in files {
        writer.start_file(*name, zip::write::SimpleFileOptions::default()).unwrap();
        writer.write_all(content).unwrap();
    }
    writer.finish().unwrap().into_inner()
}

/// Returns a solid 7z.
pub(crate) fn seven(files: &Files<'_>) -> Vec<u8> {
    use sevenz_rust2::{ArchiveEntry, ArchiveWriter, SourceReader};
    let mut writer = ArchiveWriter::new(Cursor::new(Vec::new())).unwrap();
    let full = || files.iter().filter(|(_, content)| !content.is_empty());
    let entries = full().map(|(name, _)| ArchiveEntry::new_file(name)).collect();
    let readers = full().map(|(_, content)| SourceReader::new(Cursor::new(content.clone()))).collect();
    writer.push_archive_entries(entries, readers).unwrap();
    for (name, _) in files.iter().filter(|(_, content)| content.is_empty()) {
        writer.push_archive_entry::<Cursor<Vec<u8>>>(ArchiveEntry::new_file(name), None).unwrap();
    }
    writer.finish().unwrap().into_inner()
}

pub(crate) fn gz(bytes: &[u8]) -> Vec<u8> {
    let mut writer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    writer.write_all(bytes).unwrap();
    writer.finish().unwrap()
}

pub(crate) fn zst(bytes: &[u8]) -> Vec<u8> {
    zstd::encode_all(bytes, 1).unwrap()
}

pub(crate) fn tar_gz(files: &Files<'_>) -> Vec<u8> {
    gz(&Tar::of(files))
}

/// A tar under construction.
#[derive(Default)]
pub(crate) struct Tar(Vec<u8>);

impl Tar {
    pub(crate) fn of(files: &Files<'_>) -> Vec<u8> {
        files.iter().fold(Tar::default(), |tar, (name, content)| tar.file(name, content)).done()
    }

    pub(crate) fn file(self, name: &str, content: &[u8]) -> Tar {
        self.entry(name, b'0', content, "")
    }

    pub(crate) fn entry(mut self, name: &str, kind: u8, content: &[u8], target: &str) -> Tar {
        let mut block = [0; 512];
        let mut put = |at: usize, text: &[u8]| block[at..at + text.len()].copy_from_slice(text);
        put(0, name.as_bytes());
        put(124, format!("{:011o}\0", content.len()).as_bytes());
        put(136, b"11736741120\0");
        put(148, b"        ");
        put(156, &[kind]);
        put(157, target.as_bytes());
        put(257, b"ustar\x0000");
        let sum: u32 = block.iter().map(|byte| u32::from(*byte)).sum();
        block[148..156].copy_from_slice(format!("{sum:06o}\0 ").as_bytes());
        self.0.extend_from_slice(&block);
        self.0.extend_from_slice(content);
        self.0.resize(self.0.len().next_multiple_of(512), 0);
        self
    }

    pub(crate) fn done(mut self) -> Vec<u8> {
        self.0.extend_from_slice(&[0; 1024]);
        self.0
    }
}

/// An entry of a zip made by hand.
#[derive(Clone)]
pub(crate) struct Entry {
    name: Vec<u8>,
    data: Vec<u8>,
    size: u32,
    crc: u32,
    flags: u16,
    method: u16,
    host: u8,
    mode: u32,
    /// DOS attributes.
    attributes: u32,
    time: u32,
    extra: Vec<u8>,
    /// Offset of the local header according to the central record, if it is wrong.
    header: Option<u32>,
    /// The name in its local header, if it differs.
    local: Option<Vec<u8>>,
    /// Whether the central directory lists it.
    listed: bool,
    /// Whether it has a local header, or is just bytes.
    is_entry: bool,
}

impl Entry {
    pub(crate) fn new(name: &[u8], content: &[u8]) -> Entry {
        Entry {
            name: name.to_vec(),
            data: content.to_vec(),
            size: u32::try_from(content.len()).unwrap(),
            crc: crc32fast::hash(content),
            flags: 0,
            method: 0,
            host: 0,
            mode: 0,
            attributes: 0,
            time: 0,
            extra: Vec::new(),
            header: None,
            local: None,
            listed: true,
            is_entry: true,
        }
    }

    pub(crate) fn flags(self, flags: u16) -> Entry {
        Entry { flags, ..self }
    }

    pub(crate) fn method(self, method: u16) -> Entry {
        Entry { method, ..self }
    }

    pub(crate) fn made_by(self, host: u8) -> Entry {
        Entry { host, ..self }
    }

    pub(crate) fn mode(self, mode: u32) -> Entry {
        Entry { mode, ..self }
    }

    pub(crate) fn local(self, name: &[u8]) -> Entry {
        Entry { local: Some(name.to_vec()), ..self }
    }

    pub(crate) fn followed_by(mut self, more: &[u8]) -> Entry {
        self.data.extend_from_slice(more);
        self
    }

    pub(crate) fn unlisted(self) -> Entry {
        Entry { listed: false, ..self }
    }

    pub(crate) fn padding(self) -> Entry {
        Entry { listed: false, is_entry: false, ..self }
    }

    pub(crate) fn attributes(self, attributes: u32) -> Entry {
        Entry { attributes, ..self }
    }

    pub(crate) fn at(self, time: u32) -> Entry {
        Entry { time, ..self }
    }

    pub(crate) fn size(self, size: u32) -> Entry {
        Entry { size, ..self }
    }

    pub(crate) fn crc(self, crc: u32) -> Entry {
        Entry { crc, ..self }
    }

    pub(crate) fn header(self, header: u32) -> Entry {
        Entry { header: Some(header), ..self }
    }

    pub(crate) fn extra(mut self, id: u16, data: &[u8]) -> Entry {
        self.extra.extend_from_slice(&id.to_le_bytes());
        self.extra.extend_from_slice(&u16::try_from(data.len()).unwrap().to_le_bytes());
        self.extra.extend_from_slice(data);
        self
    }
}

pub(crate) fn deflated(name: &[u8], content: &[u8]) -> Entry {
    let mut writer = flate2::write::DeflateEncoder::new(Vec::new(), flate2::Compression::fast());
    writer.write_all(content).unwrap();
    Entry { data: writer.finish().unwrap(), ..Entry::new(name, content) }.method(8)
}

pub(crate) fn zip_by_hand(entries: &[Entry]) -> Vec<u8> {
    let mut file = Vec::new();
    let mut directory = Vec::new();
    let put = |to: &mut Vec<u8>, numbers: &[u16]| to.extend(numbers.iter().flat_map(|n| n.to_le_bytes()));
    for entry in entries {
        if !entry.is_entry {
            file.extend_from_slice(&entry.data);
            continue;
        }
        let header = u32::try_from(file.len()).unwrap();
        let local = entry.local.as_ref().unwrap_or(&entry.name);
        let lengths = [u16::try_from(entry.name.len()).unwrap(), u16::try_from(entry.extra.len()).unwrap()];
        let sums = [entry.crc, u32::try_from(entry.data.len()).unwrap(), entry.size];
        let sums: Vec<u8> = sums.iter().flat_map(|number| number.to_le_bytes()).collect();
        file.extend_from_slice(b"PK\x03\x04");
        put(&mut file, &[20, entry.flags, entry.method]);
        file.extend_from_slice(&entry.time.to_le_bytes());
        file.extend_from_slice(&sums);
        put(&mut file, &[u16::try_from(local.len()).unwrap(), 0]);
        file.extend_from_slice(local);
        file.extend_from_slice(&entry.data);
        if !entry.listed {
            continue;
        }

        directory.extend_from_slice(b"PK\x01\x02");
        directory.extend_from_slice(&[20, entry.host, 20, 0]);
        put(&mut directory, &[entry.flags, entry.method]);
        directory.extend_from_slice(&entry.time.to_le_bytes());
        directory.extend_from_slice(&sums);
        put(&mut directory, &[lengths[0], lengths[1], 0, 0, 0]);
        directory.extend_from_slice(&(entry.mode << 16 | entry.attributes).to_le_bytes());
        directory.extend_from_slice(&entry.header.unwrap_or(header).to_le_bytes());
        directory.extend_from_slice(&entry.name);
        directory.extend_from_slice(&entry.extra);
    }
    let (at, size) = (u32::try_from(file.len()).unwrap(), u32::try_from(directory.len()).unwrap());
    file.append(&mut directory);
    let count = u16::try_from(entries.iter().filter(|entry| entry.listed).count()).unwrap();
    file.extend_from_slice(b"PK\x05\x06");
    put(&mut file, &[0, 0, count, count]);
    file.extend_from_slice(&size.to_le_bytes());
    file.extend_from_slice(&at.to_le_bytes());
    file.extend_from_slice(&[0, 0]);
    file
}
