//! Templates: the elements of an event, with placeholders for its values.

use super::Event;
use super::chunk::Chunk;

/// Value types ([MS-EVEN6] 2.2.12).
pub(super) const NULL: u8 = 0x00;
pub(super) const TEXT: u8 = 0x01;
pub(super) const U8: u8 = 0x04;
pub(super) const U16: u8 = 0x06;
pub(super) const U32: u8 = 0x08;
pub(super) const U64: u8 = 0x0A;
pub(super) const GUID: u8 = 0x0F;
pub(super) const FILETIME: u8 = 0x11;
pub(super) const SID: u8 = 0x13;
pub(super) const HEX64: u8 = 0x15;

/// The types of the placeholders in the system part; those of the data follow.
pub(super) const SYSTEM: [u8; 11] = [TEXT, GUID, U16, U8, HEX64, FILETIME, U64, U32, TEXT, TEXT, SID];

const EVENT: &str = "http://schemas.microsoft.com/win/2004/08/events/event";

/// The value of an attribute, or the content of an element.
enum Value<'a> {
    Text(&'a str),
    /// The index of a value, which may be absent.
    Place(u16),
}

/// An element with its content.
struct Element<'a> {
    name: &'a str,
    attributes: Vec<(&'a str, Value<'a>)>,
    content: Option<Value<'a>>,
    children: Vec<Element<'a>>,
}

fn element<'a>(name: &'a str, content: Option<Value<'a>>) -> Element<'a> {
    Element { name, attributes: Vec::new(), content, children: Vec::new() }
}

/// Creates an element that contains others.
fn frame<'a>(name: &'a str, children: Vec<Element<'a>>) -> Element<'a> {
    Element { children, ..element(name, None) }
}

/// Creates an empty element with attributes.
fn leaf<'a>(name: &'a str, attributes: Vec<(&'a str, Value<'a>)>) -> Element<'a> {
    Element { attributes, ..element(name, None) }
}

/// Writes the template for events with data like this one's.
pub(super) fn write(chunk: &mut Chunk, event: &Event<'_>) {
    chunk.bytes.extend([0x0F, 1, 1, 0]);
    let root = Element {
        attributes: vec![("xmlns", Value::Text(EVENT))],
        ..frame("Event", vec![system(), data(event)])
    };
    put(chunk, &root);
    chunk.bytes.push(0);
}

fn system<'a>() -> Element<'a> {
    let place = |name, number| element(name, Some(Value::Place(number)));
    let provider = vec![("Name", Value::Place(0)), ("Guid", Value::Place(1))];
    let all = vec![
        leaf("Provider", provider),
        place("EventID", 2),
        place("Level", 3),
        place("Keywords", 4),
        leaf("TimeCreated", vec![("SystemTime", Value::Place(5))]),
        place("EventRecordID", 6),
        leaf("Execution", vec![("ProcessID", Value::Place(7))]),
        place("Channel", 8),
        place("Computer", 9),
        leaf("Security", vec![("UserID", Value::Place(10))]),
    ];
    frame("System", all)
}

fn data<'a>(event: &Event<'a>) -> Element<'a> {
    let places = SYSTEM.len() as u16..;
    let all = event.data.iter().zip(places).map(|((name, _), place)| {
        let content = Some(Value::Place(place));
        match (event.user_data, *name) {
            (Some(_), name) => element(name, content),
            (None, "") => element("Data", content),
            (None, name) => {
                Element { attributes: vec![("Name", Value::Text(name))], ..element("Data", content) }
            }
        }
    });
    match event.user_data {
        Some(name) => frame("UserData", vec![frame(name, all.collect())]),
        None => frame("EventData", all.collect()),
    }
}

fn put(chunk: &mut Chunk, element: &Element<'_>) {
    let with = !element.attributes.is_empty();
    chunk.bytes.push(if with { 0x41 } else { 0x01 });
    chunk.bytes.extend([0xFF, 0xFF]);
    let size = chunk.gap();
    chunk.name(element.name);
    if with {
        let list = chunk.gap();
        for (number, (name, value)) in element.attributes.iter().enumerate() {
            chunk.bytes.push(if number + 1 < element.attributes.len() { 0x46 } else { 0x06 });
            chunk.name(name);
            put_value(chunk, value);
        }
        chunk.close(list);
    }
    if element.content.is_none() && element.children.is_empty() {
        chunk.bytes.push(0x03);
    } else {
        chunk.bytes.push(0x02);
        element.content.iter().for_each(|value| put_value(chunk, value));
        element.children.iter().for_each(|child| put(chunk, child));
        chunk.bytes.push(0x04);
    }
    chunk.close(size);
}

fn put_value(chunk: &mut Chunk, value: &Value<'_>) {
    match value {
        Value::Text(text) => {
            let units: Vec<u16> = text.encode_utf16().collect();
            chunk.bytes.extend([0x05, TEXT]);
            chunk.bytes.extend((units.len() as u16).to_le_bytes());
            chunk.bytes.extend(units.into_iter().flat_map(u16::to_le_bytes));
        }
        Value::Place(number) => {
            chunk.bytes.push(0x0E);
            chunk.bytes.extend(number.to_le_bytes());
            chunk.bytes.push(SYSTEM.get(usize::from(*number)).copied().unwrap_or(TEXT));
        }
    }
}
