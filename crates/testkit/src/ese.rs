//! ESE databases with one page for the catalog and one for each table: enough for a few records.
//!
//! Source of the format: Joachim Metz, libesedb, "Extensible Storage Engine (ESE) Database File (EDB) format specification".

mod deep;

pub use deep::{CHILDREN, LEAVES, PACKED, ROOT, TEXT, deep, overlapping};

/// The size of a page in bytes.
pub const PAGE: usize = 8192;
const HEADER: usize = 40;
const SIGNATURE: u32 = 0x89AB_CDEF;
/// Page flags: root and leaf, with an ECC.
const FLAGS: u32 = 0x2003;
/// Tag flag: its key shares a prefix with the first tag.
const HAS_COMMON: u16 = 4 << 13;

/// A table of a database; values are in the order of the columns.
pub struct Table {
    /// Its name.
    pub name: &'static str,
    /// The names and types of its columns.
    pub columns: Vec<(&'static str, Type)>,
    /// Its records.
    pub rows: Vec<Vec<Value>>,
}

/// The type of a column.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Type {
    /// A byte.
    U8,
    /// Four bytes.
    I32,
    /// Eight bytes.
    I64,
    /// A time of eight bytes.
    DateTime,
    /// Binary data of any length, tagged.
    Binary,
    /// UTF-16 text, tagged.
    Text,
}

/// A value in a record.
pub enum Value {
    /// No value.
    Null,
    /// A whole number, of the size of its column.
    Number(i64),
    /// A time as a double.
    Days(f64),
    /// Bytes.
    Bytes(Vec<u8>),
    /// A text.
    Text(String),
    /// The number of a long value.
    Long(u32),
    /// Compressed bytes.
    Packed(Vec<u8>),
}

/// Flags in front of a value.
const LONG: u8 = 0x04;
const COMPRESSED: u8 = 0x02;
const HAS_FLAGS: u16 = 0x4000;
/// The filler of a fixed-size NULL, which only the bitmap distinguishes from a value.
const FILL: u8 = 0x2A;

impl Type {
    /// Returns the type number, the size of a value, and the first number of columns of this type.
    fn facts(self) -> (u32, usize, u32) {
        match self {
            Type::U8 => (2, 1, 1),
            Type::I32 => (4, 4, 1),
            Type::I64 => (15, 8, 1),
            Type::DateTime => (8, 8, 1),
            Type::Binary => (11, 0, 256),
            Type::Text => (12, 0, 256),
        }
    }
}

/// Builds a database that was closed cleanly.
pub fn database(tables: &[Table]) -> Vec<u8> {
    let mut header = vec![0; PAGE];
    for (at, field) in [(4, SIGNATURE), (8, 0x620), (52, 3), (232, 0x14), (236, PAGE as u32)] {
        put(&mut header, at, &field.to_le_bytes());
    }
    let sum = xor(SIGNATURE, header.get(4..).unwrap_or_default());
    put(&mut header, 0, &sum.to_le_bytes());
    let mut bytes = [header.clone(), header].concat();
    let mut catalog = Vec::new();
    for (index, table) in tables.iter().enumerate() {
        let (id, root) = (index as u32 + 10, index as u32 + 5);
        catalog.push(item(id, 1, id, root, 0, 0, table.name));
        for (name, kind, number, offset) in columns(table) {
            let (coltyp, size, _) = kind.facts();
            catalog.push(item(id, 2, number, coltyp, size as u32, offset as u16, name));
        }
    }
    (1..4).for_each(|number| bytes.extend(page(number, &[])));
    bytes.extend(page(4, &catalog));
    for (index, table) in tables.iter().enumerate() {
        let rows: Vec<_> = table.rows.iter().map(|row| record(table, row)).collect();
        bytes.extend(page(index as u32 + 5, &rows));
    }
    bytes
}

/// Returns the name, type, number and record offset of each column.
fn columns(table: &Table) -> Vec<(&'static str, Type, u32, usize)> {
    let (mut fixed, mut tagged, mut at) = (1, 256, 4);
    let number = |(name, kind): &(&'static str, Type)| {
        let (_, size, first) = kind.facts();
        let next = if first == 1 { &mut fixed } else { &mut tagged };
        *next += 1;
        at += size;
        (*name, *kind, *next - 1, if first == 1 { at - size } else { 0 })
    };
    table.columns.iter().map(number).collect()
}

/// Builds a catalog entry: nine fixed-size columns and the name.
fn item(table: u32, kind: u16, id: u32, number: u32, size: u32, offset: u16, name: &str) -> Vec<u8> {
    let mut data = vec![9, 128, 0, 0];
    data.extend(table.to_le_bytes());
    data.extend(kind.to_le_bytes());
    for field in [id, number, size, 0, 1200] {
        data.extend(field.to_le_bytes());
    }
    data.push(0);
    data.extend(offset.to_le_bytes());
    data.extend([0, 0]);
    let ends = data.len() as u16;
    put(&mut data, 2, &ends.to_le_bytes());
    data.extend((name.len() as u16).to_le_bytes());
    data.extend(name.as_bytes());
    data
}

fn record(table: &Table, row: &[Value]) -> Vec<u8> {
    let (mut fixed, mut nulls, mut tagged) = (Vec::new(), Vec::new(), Vec::new());
    for ((_, kind, number, _), value) in columns(table).into_iter().zip(row) {
        let (_, size, first) = kind.facts();
        let bytes = match value {
            Value::Null => None,
            Value::Number(number) => Some(number.to_le_bytes().to_vec()),
            Value::Days(days) => Some(days.to_le_bytes().to_vec()),
            Value::Bytes(bytes) => Some(bytes.clone()),
            Value::Text(text) => Some(text.encode_utf16().chain([0]).flat_map(u16::to_le_bytes).collect()),
            Value::Long(number) => Some([&[LONG][..], &number.to_le_bytes()].concat()),
            Value::Packed(packed) => Some([&[COMPRESSED][..], packed].concat()),
        };
        if first == 1 {
            nulls.push(bytes.is_none());
            let fill = if bytes.is_none() { FILL } else { 0 };
            let mut bytes = bytes.unwrap_or_default();
            bytes.resize(size, fill);
            fixed.extend(bytes);
        } else {
            let flags = if matches!(value, Value::Long(_) | Value::Packed(_)) { HAS_FLAGS } else { 0 };
            tagged.extend(bytes.map(|bytes| (number as u16, flags, bytes)));
        }
    }
    let mut bits = vec![0; nulls.len().div_ceil(8)];
    for (index, null) in nulls.iter().enumerate() {
        if let Some(byte) = bits.get_mut(index / 8) {
            *byte |= u8::from(*null) << (index % 8);
        }
    }
    let ends = (4 + fixed.len() + bits.len()) as u16;
    let mut data = vec![nulls.len() as u8, 127];
    data.extend(ends.to_le_bytes());
    data.extend(fixed);
    data.extend(bits);
    let mut at = tagged.len() * 4;
    for (number, flags, bytes) in &tagged {
        data.extend(number.to_le_bytes());
        data.extend((at as u16 | flags).to_le_bytes());
        at += bytes.len();
    }
    data.extend(tagged.into_iter().flat_map(|(_, _, bytes)| bytes));
    data
}

/// Builds a page that is both root and only leaf of a tree.
fn page(number: u32, entries: &[Vec<u8>]) -> Vec<u8> {
    let keyed = (0u32..).zip(entries).map(|(index, data)| (index.to_be_bytes().to_vec(), data.clone()));
    page_of(number, FLAGS, &[0; 16], &keyed.collect::<Vec<_>>())
}

/// Builds a page with `first` as its first tag, and entries of key and data; unless it is a root page,
/// keys share their common prefix with `first`.
fn page_of(number: u32, flags: u32, first: &[u8], entries: &[(Vec<u8>, Vec<u8>)]) -> Vec<u8> {
    let mut page = vec![0; PAGE];
    put(&mut page, 36, &flags.to_le_bytes());
    put(&mut page, 34, &(entries.len() as u16 + 1).to_le_bytes());
    let mut at = first.len() as u16;
    put(&mut page, HEADER, first);
    put(&mut page, PAGE - 4, &at.to_le_bytes());
    for (index, (key, data)) in entries.iter().enumerate() {
        let shares = flags & 1 == 0 && !first.is_empty() && key.starts_with(first);
        let local = if shares { key.get(first.len()..).unwrap_or_default() } else { key };
        let head = if shares { (first.len() as u16).to_le_bytes().to_vec() } else { Vec::new() };
        let value = [&head, &(local.len() as u16).to_le_bytes()[..], local, data].concat();
        put(&mut page, HEADER + usize::from(at), &value);
        let place = at | if shares { HAS_COMMON } else { 0 };
        let tag = [(value.len() as u16).to_le_bytes(), place.to_le_bytes()].concat();
        put(&mut page, PAGE - 8 - index * 4, &tag);
        at += value.len() as u16;
    }
    seal(number, &mut page);
    page
}

/// Sets the checksum of a page.
fn seal(number: u32, page: &mut [u8]) {
    let sum = xor(number, page.get(8..).unwrap_or_default());
    put(page, 0, &sum.to_le_bytes());
}

fn xor(seed: u32, bytes: &[u8]) -> u32 {
    bytes.as_chunks().0.iter().fold(seed, |sum, word| sum ^ u32::from_le_bytes(*word))
}

fn put(bytes: &mut [u8], at: usize, field: &[u8]) {
    bytes.iter_mut().skip(at).zip(field).for_each(|(slot, byte)| *slot = *byte);
}

/// Builds a SRUM database with one application, its resource usage and its network usage.
pub fn srum() -> Vec<u8> {
    let wide = |text: &str| text.encode_utf16().chain([0]).flat_map(u16::to_le_bytes).collect::<Vec<u8>>();
    let sid = vec![1, 1, 0, 0, 0, 0, 0, 5, 18, 0, 0, 0];
    let number = Value::Number;
    // 2025-03-01T12:00:00Z.
    let common = || vec![number(1), Value::Days(45_717.5), number(1), number(2)];
    let with = |own: Vec<Value>| vec![common().into_iter().chain(own).collect()];
    let of = |own: &[(&'static str, Type)]| {
        let head = [
            ("AutoIncId", Type::I32),
            ("TimeStamp", Type::DateTime),
            ("AppId", Type::I32),
            ("UserId", Type::I32),
        ];
        head.iter().chain(own).copied().collect::<Vec<_>>()
    };
    let ids = Table {
        name: "SruDbIdMapTable",
        columns: vec![("IdType", Type::U8), ("IdIndex", Type::I32), ("IdBlob", Type::Binary)],
        rows: vec![
            vec![number(0), number(1), Value::Bytes(wide("\\Device\\HarddiskVolume2\\Tools\\copy.exe"))],
            vec![number(3), number(2), Value::Bytes(sid)],
        ],
    };
    let used = [("ForegroundCycleTime", Type::I64), ("BackgroundBytesRead", Type::I64)];
    let sent = [("InterfaceLuid", Type::I64), ("BytesSent", Type::I64), ("BytesRecvd", Type::I64)];
    database(&[
        ids,
        Table {
            name: "{D10CA2FE-6FCF-4F6D-848E-B2E99266FA89}",
            columns: of(&used),
            rows: with(vec![number(5_000), Value::Null]),
        },
        Table {
            name: "{973F5D5C-1D90-4944-BE8E-24B94231A174}",
            columns: of(&sent),
            rows: with(vec![number(6 << 48), number(7_340_032), number(1_024)]),
        },
    ])
}

/// Builds a WebCache database with a page, a file and a host in the history.
pub fn web_cache(visited: u64) -> Vec<u8> {
    database(&[
        Table {
            name: "Containers",
            columns: vec![("ContainerId", Type::I64), ("Name", Type::Text)],
            rows: vec![vec![Value::Number(1), Value::Text("History".into())]],
        },
        Table {
            name: "Container_1",
            columns: vec![
                ("EntryId", Type::I64),
                ("AccessCount", Type::I32),
                ("AccessedTime", Type::I64),
                ("Url", Type::Text),
            ],
            rows: [(1, "https://docs.example/Page"), (2, "file:///C:/plan.txt"), (3, ":Host: docs.example")]
                .into_iter()
                .map(|(entry, url)| {
                    vec![
                        Value::Number(entry),
                        Value::Number(2),
                        Value::Number(visited.cast_signed()),
                        Value::Text(format!("Visited: ann@{url}")),
                    ]
                })
                .collect(),
        },
    ])
}

/// Builds a database that is neither of these.
pub fn plain() -> Vec<u8> {
    let columns = vec![("Number", Type::I32), ("Text", Type::Text)];
    let rows = vec![vec![Value::Number(1), Value::Text("one".into())], vec![Value::Number(2), Value::Null]];
    database(&[Table { name: "things", columns, rows }])
}
