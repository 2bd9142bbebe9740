//! A database with what the others lack: a tree of two levels, keys with shared prefixes, a long value, compressed values.

use super::*;

/// The root page of the table's tree.
pub const ROOT: u32 = 5;
/// The leaf pages below it, in order.
pub const LEAVES: [u32; 2] = [6, 7];
/// The file offsets of the leaf page numbers.
pub const CHILDREN: [usize; 2] = [child(0), child(1)];
/// The text of the long value.
pub const TEXT: &str =
    "a text that is too long for a record, which stands in two pieces of a tree of its own";
/// The text of the compressed values.
pub const PACKED: &str = "abc";

const LONG_ROOT: u32 = 8;
const INNER: u32 = 0x2005;
const LEAF: u32 = 0x2002;
/// The size of an entry on the inner page: key length, key, page number.
const STEP: usize = 2 + 4 + 4;

const fn child(index: usize) -> usize {
    (ROOT as usize + 1) * PAGE + HEADER + 16 + index * STEP + 6
}

/// Builds four records on two leaves; the third has a long value and the fourth has compressed ones.
pub fn deep() -> Vec<u8> {
    let table = Table {
        name: "deep",
        columns: vec![
            ("Number", Type::I32),
            ("Gap", Type::I64),
            ("Plain", Type::Text),
            ("Long", Type::Text),
            ("Seven", Type::Text),
            ("Lz", Type::Binary),
        ],
        rows: vec![
            vec![Value::Number(1), Value::Number(-1)],
            vec![Value::Number(2), Value::Null, Value::Text("two".into())],
            vec![Value::Number(3), Value::Null, Value::Null, Value::Long(9)],
            vec![Value::Number(4), Value::Null, Value::Null, Value::Null, seven(), lz()],
        ],
    };
    let rows = (1u32..).zip(&table.rows);
    let rows: Vec<_> = rows.map(|(key, row)| (key.to_be_bytes().to_vec(), record(&table, row))).collect();
    let (first, second) = rows.split_at(2);
    let mut bytes = database(&[Table { rows: Vec::new(), ..table }]);
    let catalog = catalog();
    let at = 5 * PAGE;
    bytes.splice(at..at + PAGE, page(4, &catalog));
    bytes.truncate((ROOT as usize + 1) * PAGE);
    let children: Vec<_> = (2u32..).step_by(2).zip(LEAVES).collect();
    let children =
        children.iter().map(|(key, child)| (key.to_be_bytes().to_vec(), child.to_le_bytes().to_vec()));
    bytes.extend(page_of(ROOT, INNER, &[0; 16], &children.collect::<Vec<_>>()));
    for (number, rows) in LEAVES.into_iter().zip([first, second]) {
        bytes.extend(page_of(number, LEAF, &[0, 0, 0], rows));
    }
    bytes.extend(page_of(LONG_ROOT, FLAGS, &[0; 16], &long()));
    bytes
}

/// Builds the same database with all entries of the first leaf at the same position, as many as there is room for tags.
pub fn overlapping() -> Vec<u8> {
    let mut bytes = deep();
    let number = LEAVES[0];
    let from = (number as usize + 1) * PAGE;
    let Some(page) = bytes.get_mut(from..from + PAGE) else { return bytes };
    let tag: Vec<u8> = page.iter().skip(PAGE - 8).take(4).copied().collect();
    let count = 1_500;
    (0..count).for_each(|index| put(page, PAGE - 8 - index * 4, &tag));
    put(page, 34, &(count as u16 + 1).to_le_bytes());
    seal(number, page);
    bytes
}

/// Builds the table's catalog, with its tree of long values.
fn catalog() -> Vec<Vec<u8>> {
    let types = [
        ("Number", Type::I32, 1, 4),
        ("Gap", Type::I64, 2, 8),
        ("Plain", Type::Text, 256, 0),
        ("Long", Type::Text, 257, 0),
        ("Seven", Type::Text, 258, 0),
        ("Lz", Type::Binary, 259, 0),
    ];
    let mut catalog = vec![item(10, 1, 10, ROOT, 0, 0, "deep")];
    for (name, kind, id, offset) in types {
        let (coltyp, size, _) = kind.facts();
        catalog.push(item(10, 2, id, coltyp, size as u32, offset, name));
    }
    catalog.push(item(10, 4, 11, LONG_ROOT, 0, 0, "LV"));
    catalog
}

/// Builds long value 9 in two pieces.
fn long() -> Vec<(Vec<u8>, Vec<u8>)> {
    let bytes: Vec<u8> = TEXT.encode_utf16().flat_map(u16::to_le_bytes).collect();
    let (first, second) = bytes.split_at(bytes.len() / 4 * 2);
    let key = |offset: Option<usize>| {
        let offset = offset.map(|offset| (offset as u32).to_be_bytes());
        [9u32.to_be_bytes().as_slice(), offset.as_ref().map_or(&[], |offset| offset.as_slice())].concat()
    };
    let head = [1u32.to_le_bytes(), (bytes.len() as u32).to_le_bytes()].concat();
    vec![(key(None), head), (key(Some(0)), first.to_vec()), (key(Some(first.len())), second.to_vec())]
}

/// Packs [`PACKED`] as 7-bit letters that stand for UTF-16: 21 bits, 5 of them in the last byte.
fn seven() -> Value {
    let bits =
        (0u32..).zip(PACKED.bytes()).fold(0, |bits, (place, byte)| bits | u32::from(byte) << (7 * place));
    Value::Packed([&[2 << 3 | 4], bits.to_le_bytes().get(..3).unwrap_or_default()].concat())
}

/// Packs [`PACKED`] twice: three literals, and a copy of three bytes from three bytes back ([MS-XCA] 2.4).
fn lz() -> Value {
    let flags = 0b0001u32 << 28;
    let copy = 2u16 << 3;
    let size = 2 * PACKED.len() as u16;
    Value::Packed(
        [&[3 << 3][..], &size.to_le_bytes(), &flags.to_le_bytes(), PACKED.as_bytes(), &copy.to_le_bytes()]
            .concat(),
    )
}
