//! A record: its system part, and its data as names and values.

use super::filetime;
use super::xml::{Token, Tokens, attribute, attributes, plain};
use crate::event_text::Exported;
use std::borrow::Cow;

/// The elements that hold the provider's own data ([MS-EVEN6] 2.2.13, event schema).
const EVENT_DATA: &str = "EventData";
const USER_DATA: &str = "UserData";

/// A record of an event log.
#[derive(Clone, Debug)]
pub struct Event<'a> {
    /// Where the record begins in the file.
    pub offset: u64,
    /// Where its chunk begins in the file; 0 in logs without chunks.
    pub chunk: u64,
    /// The number in the record header.
    pub record_id: u64,
    /// The FILETIME in the record header: when it was written.
    pub written: u64,
    /// The bytes of the record.
    pub raw: &'a [u8],
    /// The fields that every event has.
    pub system: System<'a>,
    /// The places of its values, if it is text exported from a log.
    pub exported: Option<Exported<'a>>,
    /// Everything after the system part.
    pub(super) body: Body<'a>,
}

/// The data of an event: not yet read, or names and values.
#[derive(Clone, Debug)]
pub(super) enum Body<'a> {
    Rendered(&'a str),
    Read(Vec<(Cow<'a, str>, Cow<'a, str>)>),
}

/// The system part of an event; a missing or empty field is `None`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct System<'a> {
    /// Name of the provider; empty if there is none.
    pub provider: Cow<'a, str>,
    /// GUID of the provider; only providers with a manifest have one.
    pub guid: Option<Cow<'a, str>>,
    /// The provider's name as a source of classic events.
    pub old_provider: Option<Cow<'a, str>>,
    /// The event id.
    pub event_id: u32,
    /// The upper half of the id of a classic event.
    pub qualifiers: Option<u32>,
    /// Version of the event.
    pub version: Option<u32>,
    /// 0 always, 1 critical, 2 error, 3 warning, 4 information, 5 verbose.
    pub level: Option<u32>,
    /// Task of the provider.
    pub task: Option<u32>,
    /// Operation of the provider.
    pub opcode: Option<u32>,
    /// Bits of keywords, as hex digits.
    pub keywords: Option<Cow<'a, str>>,
    /// When the event was raised, as FILETIME.
    pub created: Option<u64>,
    /// Its number according to the event itself.
    pub record_id: Option<u64>,
    /// The activity it belongs to.
    pub activity: Option<Cow<'a, str>>,
    /// The process that raised it.
    pub process_id: Option<u64>,
    /// The thread that raised it.
    pub thread_id: Option<u64>,
    /// The channel; empty if there is none.
    pub channel: Cow<'a, str>,
    /// The computer; empty if there is none.
    pub computer: Cow<'a, str>,
    /// SID of the user on whose behalf it was raised.
    pub user: Option<Cow<'a, str>>,
    /// Whether provider GUIDs are always left out, because this shape of exported logs does not keep them.
    pub leaves_out_guid: bool,
}

impl<'a> Event<'a> {
    /// Creates an event whose data are known.
    pub(crate) fn of(
        system: System<'a>,
        data: Vec<(Cow<'a, str>, Cow<'a, str>)>,
        raw: &'a [u8],
        offset: u64,
    ) -> Event<'a> {
        let record_id = system.record_id.unwrap_or_default();
        let body = Body::Read(data);
        Event { offset, chunk: 0, record_id, written: 0, raw, system, exported: None, body }
    }

    /// Checks whether it is from a log of Windows before Vista, which stores whole seconds.
    pub fn is_old(&self) -> bool {
        self.chunk == 0 && self.exported.is_none()
    }

    /// Reads the system part of a rendered record; the error says what is missing. Offsets are still to be set.
    pub(super) fn read(text: &'a str) -> Result<Event<'a>, &'static str> {
        let mut tokens = Tokens { rest: text };
        tokens
            .find(|token| matches!(token, Token::Start { name: "System", empty: false, .. }))
            .ok_or("system part")?;
        let system = system(&mut tokens)?;
        let body = Body::Rendered(tokens.rest);
        let (offset, chunk, record_id, written) = (0, 0, 0, 0);
        Ok(Event { offset, chunk, record_id, written, raw: &[], system, exported: None, body })
    }

    /// Returns the data: names and values in record order. A value without a name is called `data0` and so on,
    /// one in a nested element `outer.inner`.
    pub fn data(&self) -> Vec<(Cow<'a, str>, Cow<'a, str>)> {
        match &self.body {
            Body::Rendered(text) => flatten::<false>(Tokens { rest: text }),
            Body::Read(data) => data.clone(),
        }
    }
}

/// Reads the elements of a system part, up to its end.
pub(crate) fn system<'a>(tokens: &mut impl Iterator<Item = Token<'a>>) -> Result<System<'a>, &'static str> {
    let mut system = System::default();
    let (mut current, mut depth, mut has_id) = ("", 0, false);
    for token in tokens.by_ref() {
        match token {
            Token::Start { name, attributes, empty } => {
                element(&mut system, name, attributes);
                depth += usize::from(!empty);
                current = if empty { "" } else { name };
            }
            Token::Text(text) | Token::Literal(text) => has_id |= content(&mut system, current, text),
            Token::End if depth == 0 => return if has_id { Ok(system) } else { Err("event id") },
            Token::End => {
                depth -= 1;
                current = "";
            }
        }
    }
    Err("end of its system part")
}

fn element<'a>(system: &mut System<'a>, name: &str, text: &'a str) {
    let number = |wanted| attribute(text, wanted).and_then(|value| value.parse().ok());
    match name {
        "Provider" => {
            for (name, value) in attributes(text).filter(|(_, value)| !value.is_empty()) {
                match name {
                    "Name" => system.provider = plain(value),
                    "Guid" => system.guid = Some(plain(value)),
                    "EventSourceName" => system.old_provider = Some(plain(value)),
                    _ => {}
                }
            }
        }
        "EventID" => system.qualifiers = attribute(text, "Qualifiers").and_then(|value| value.parse().ok()),
        "TimeCreated" => {
            system.created = attribute(text, "SystemTime").and_then(|value| filetime(&value));
        }
        "Correlation" => system.activity = attribute(text, "ActivityID"),
        "Execution" => (system.process_id, system.thread_id) = (number("ProcessID"), number("ThreadID")),
        "Security" => system.user = attribute(text, "UserID"),
        _ => {}
    }
}

/// Reads the text of an element; returns whether it was the event id.
fn content<'a>(system: &mut System<'a>, name: &str, text: &'a str) -> bool {
    let number = || text.parse().ok();
    match name {
        "EventID" => match text.parse() {
            Ok(id) => {
                system.event_id = id;
                return true;
            }
            Err(_) => return false,
        },
        "Version" => system.version = number(),
        "Level" => system.level = number(),
        "Task" => system.task = number(),
        "Opcode" => system.opcode = number(),
        "Keywords" => system.keywords = Some(plain(text)),
        "EventRecordID" => system.record_id = text.parse().ok(),
        "Channel" => system.channel = plain(text),
        "Computer" => system.computer = plain(text),
        _ => {}
    }
    false
}

/// An open element.
struct Open<'a> {
    /// The name of its value; empty if it only frames others.
    name: Cow<'a, str>,
    /// Index of its value in the list, once it has one.
    value: Option<usize>,
    /// Whether it contains elements, so that blanks between them are not a value.
    parent: bool,
}

/// Returns the data after a system part. With `RAW`, a value that is one piece of the text is returned as
/// written there, with its escapes, and borrowed.
pub(crate) fn flatten<'a, const RAW: bool>(
    tokens: impl Iterator<Item = Token<'a>>,
) -> Vec<(Cow<'a, str>, Cow<'a, str>)> {
    let mut data: Vec<(Cow<'_, str>, Cow<'_, str>)> = Vec::with_capacity(16);
    let mut open: Vec<Open<'_>> = Vec::with_capacity(8);
    let (mut section, mut unnamed) = ("", 0_usize);
    for token in tokens {
        match token {
            Token::Start { name, attributes: all, empty } => {
                let called = match open.last_mut() {
                    None => {
                        section = name;
                        // The frames have no values of their own; other sections keep their name.
                        Cow::Borrowed(if matches!(name, EVENT_DATA | USER_DATA) { "" } else { name })
                    }
                    Some(outer) => {
                        outer.parent = true;
                        // The provider's name for the only element of its UserData has no meaning.
                        let frame = section == USER_DATA && open.len() == 1;
                        if frame { Cow::Borrowed("") } else { call(&open, name, all, &mut unnamed) }
                    }
                };
                let named = name == "Data" && section == EVENT_DATA;
                // Usually there is only a name.
                let rest = if named && sole_name(all).is_some() { "" } else { all };
                for (key, value) in attributes(rest) {
                    if key == "xmlns" || named && key == "Name" {
                        continue;
                    }
                    let key = if called.is_empty() { key.into() } else { format!("{called}.{key}").into() };
                    data.push((key, if RAW { Cow::Borrowed(value) } else { plain(value) }));
                }
                let one = Open { name: called, value: None, parent: false };
                if empty { close(one, section, &mut data) } else { open.push(one) }
            }
            Token::Text(text) | Token::Literal(text) => {
                let Some(inner) = open.last_mut().filter(|inner| !inner.name.is_empty()) else { continue };
                let is_literal = matches!(token, Token::Literal(_));
                let own = || if is_literal { Cow::Owned(text.to_owned()) } else { plain(text) };
                match inner.value.and_then(|at| data.get_mut(at)) {
                    Some((_, value)) => {
                        if RAW && let Cow::Borrowed(first) = *value {
                            *value = Cow::Owned(plain(first).into_owned());
                        }
                        value.to_mut().push_str(&own());
                    }
                    None if inner.parent && text.trim().is_empty() => {}
                    None => {
                        inner.value = Some(data.len());
                        let is_raw = RAW && !is_literal;
                        data.push((inner.name.clone(), if is_raw { Cow::Borrowed(text) } else { own() }));
                    }
                }
            }
            Token::End => match open.pop() {
                Some(one) => close(one, section, &mut data),
                // The end of the event.
                None => break,
            },
        }
    }
    data
}

/// Returns the value of the attribute `Name` if that is the only one, and not empty.
fn sole_name(attributes: &str) -> Option<&str> {
    let quoted = attributes.strip_prefix("Name=")?;
    let quote = quoted.chars().next().filter(|quote| matches!(quote, '"' | '\''))?;
    let value = quoted.strip_prefix(quote)?.strip_suffix(quote)?;
    (!value.is_empty() && value.chars().all(|c| c != quote)).then_some(value)
}

/// Returns the name of a value: that of the datum, or that of its element after those around it.
fn call<'a>(open: &[Open<'a>], name: &'a str, attributes: &'a str, unnamed: &mut usize) -> Cow<'a, str> {
    let outer = open.last().map_or("", |outer| outer.name.as_ref());
    let own = if name != "Data" {
        Cow::Borrowed(name)
    } else if let Some(given) = sole_name(attributes).map(plain).or_else(|| attribute(attributes, "Name")) {
        given
    } else {
        *unnamed += 1;
        Cow::Owned(format!("data{}", *unnamed - 1))
    };
    if outer.is_empty() { own } else { format!("{outer}.{own}").into() }
}

/// Adds an empty value for an element that ends without a value and without elements.
fn close<'a>(one: Open<'a>, section: &str, data: &mut Vec<(Cow<'a, str>, Cow<'a, str>)>) {
    if one.value.is_none() && !one.parent && !one.name.is_empty() && one.name != section {
        data.push((one.name, Cow::Borrowed("")));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pairs(text: &str) -> Vec<(String, String)> {
        flatten::<false>(Tokens { rest: text })
            .into_iter()
            .map(|(name, value)| (name.into_owned(), value.into_owned()))
            .collect()
    }

    fn own(pairs: &[(&str, &str)]) -> Vec<(String, String)> {
        pairs.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect()
    }

    #[test]
    fn data_are_named_by_their_attribute_or_numbered() {
        let text = "<EventData><Data Name=\"A\">1 &amp; 2</Data><Data>x</Data><Data/><Binary>00FF</Binary></EventData></Event>";
        assert_eq!(pairs(text), own(&[("A", "1 & 2"), ("data0", "x"), ("data1", ""), ("Binary", "00FF")]));
    }

    #[test]
    fn the_frame_of_user_data_is_no_part_of_names() {
        let text = "<UserData><EventXML xmlns=\"n\"><User>a</User><Inner id=\"7\"><X>1</X>\n<X>2</X></Inner></EventXML></UserData></Event>";
        let expected = [("User", "a"), ("Inner.id", "7"), ("Inner.X", "1"), ("Inner.X", "2")];
        assert_eq!(pairs(text), own(&expected));
    }

    #[test]
    fn a_system_part_is_read_with_what_it_has() {
        let text = "<Event><System><Provider Name=\"P\" Guid=\"{g}\"/><EventID Qualifiers=\"16384\">7045</EventID><Level>4</Level><TimeCreated SystemTime=\"2012-04-04T01:58:40.8392490Z\"/><EventRecordID>9</EventRecordID><Correlation/><Execution ProcessID=\"704\" ThreadID=\"3\"/><Channel>System</Channel><Computer>PC</Computer><Security/></System></Event>";
        let event = Event::read(text).unwrap();
        let System { provider, event_id, qualifiers, created, channel, process_id, user, .. } =
            event.system.clone();
        assert_eq!((provider.as_ref(), event_id, qualifiers, user), ("P", 7045, Some(16384), None));
        assert_eq!(
            (created, channel.as_ref(), process_id),
            (Some(129_779_783_208_392_490), "System", Some(704))
        );
        assert_eq!(event.data(), []);
        assert_eq!(Event::read("<Event><System></System></Event>").unwrap_err(), "event id");
    }
}
