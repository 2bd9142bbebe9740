//! What Explorer stores about a user: shell items, most-recently-used lists, UserAssist.
//!
//! Shell items follow Joachim Metz's "Windows Shell Item format specification" (libyal/libfwsi), in their minimal form.

use super::clock::Time;
use super::parts::{guid, rot13, utf16z};
use crate::hive::{KeySpec, ValueSpec as Value};

/// Builds `MRUListEx`: value numbers, most recent first, terminated by -1.
pub(crate) fn recency(order: &[u32]) -> Value {
    let data: Vec<u8> = order.iter().chain(&[u32::MAX]).flat_map(|number| number.to_le_bytes()).collect();
    Value::binary("MRUListEx", &data)
}

/// Builds a RecentDocs list, most recent first.
pub(crate) fn recent_documents(key: KeySpec, names: &[&str], time: Time) -> KeySpec {
    let order: Vec<u32> = (0..names.len() as u32).rev().collect();
    // The oldest item has number 0.
    names
        .iter()
        .rev()
        .enumerate()
        .fold(key, |key, (number, name)| {
            let mut data = utf16z(name);
            let stem = name.rsplit_once('.').map_or(*name, |(stem, _)| stem);
            data.extend(file(&format!("{stem}.lnk"), 0x32, time));
            data.extend([0, 0]);
            key.value(Value::binary(&number.to_string(), &data))
        })
        .value(recency(&order))
}

/// Builds the file list of the common dialogue, most recent first; each item list starts at "This PC".
pub(crate) fn dialogue_files(key: KeySpec, paths: &[&str], time: Time) -> KeySpec {
    let order: Vec<u32> = (0..paths.len() as u32).rev().collect();
    paths
        .iter()
        .rev()
        .enumerate()
        .fold(key, |key, (number, path)| {
            key.value(Value::binary(&number.to_string(), &item_list(path, time)))
        })
        .value(recency(&order))
}

/// Builds the item list of a path with a drive letter: "This PC", drive, folders, file.
fn item_list(path: &str, time: Time) -> Vec<u8> {
    let mut list = item(0x1f, &[&[0x50][..], &guid("{20D04FE0-3AEA-1069-A2D8-08002B30309D}")].concat());
    let mut parts = path.split('\\').peekable();
    let mut drive = parts.next().unwrap_or_default().as_bytes().to_vec();
    drive.push(b'\\');
    drive.resize(22, 0);
    list.extend(item(0x2f, &drive));
    while let Some(part) = parts.next() {
        list.extend(file(part, if parts.peek().is_some() { 0x31 } else { 0x32 }, time));
    }
    list.extend([0, 0]);
    list
}

/// Builds a folder item (0x31) or file item (0x32): FAT times, the short name, and a block with the full name.
fn file(name: &str, kind: u8, time: Time) -> Vec<u8> {
    let attributes: u16 = if kind == 0x31 { 0x10 } else { 0x20 };
    let mut body = vec![0];
    body.extend([0; 4]);
    body.extend(time.fat());
    body.extend(attributes.to_le_bytes());
    body.extend(name.as_bytes());
    body.push(0);
    // The block starts at an even offset in the item; size and class take three bytes before the body.
    if body.len().is_multiple_of(2) {
        body.push(0);
    }
    let start = body.len() as u16 + 3;
    let mut block = Vec::new();
    block.extend(9_u16.to_le_bytes());
    block.extend(0xbeef_0004_u32.to_le_bytes());
    block.extend(time.fat());
    block.extend(time.fat());
    block.extend(0x2e_u16.to_le_bytes());
    // Version 9: no file reference, no long strings, then the name.
    block.extend([0; 28]);
    block.extend(utf16z(name));
    block.extend(start.to_le_bytes());
    body.extend((block.len() as u16 + 2).to_le_bytes());
    body.extend(block);
    item(kind, &body)
}

fn item(kind: u8, body: &[u8]) -> Vec<u8> {
    let mut item = (body.len() as u16 + 3).to_le_bytes().to_vec();
    item.push(kind);
    item.extend(body);
    item
}

/// A program in UserAssist.
pub(crate) struct Used {
    /// The name in UserAssist, before ROT13.
    pub(crate) name: &'static str,
    pub(crate) runs: u32,
    pub(crate) focused: u32,
    /// Milliseconds in focus.
    pub(crate) focus_time: u32,
    pub(crate) last: Time,
}

impl Used {
    /// Builds a version 5 value: 72 bytes.
    pub(crate) fn value(&self) -> Value {
        let mut data: Vec<u8> = [0, self.runs, self.focused, self.focus_time]
            .iter()
            .flat_map(|field| field.to_le_bytes())
            .collect();
        data.extend((-1.0_f32).to_le_bytes().repeat(10));
        data.extend(u32::MAX.to_le_bytes());
        data.extend(self.last.bytes());
        data.extend([0; 4]);
        Value::binary(&rot13(self.name), &data)
    }
}
