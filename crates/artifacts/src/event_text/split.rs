//! Splits a text into its events, byte by byte, without holding more than one.
//!
//! A broken event is abandoned where the next one begins: at a tag `<Event` of the schema, at a brace where no
//! value can be, or after a line that ends within a string.

use super::begin::{Begun, Form, SCHEMA};
use super::{DEEPEST, LONGEST, TextDamageKind};
use std::ops::ControlFlow;

/// A piece of the split text.
pub(super) enum Piece<'a> {
    /// The bytes of an event, and where they begin.
    Event(&'a [u8], u64),
    /// Something that is not an event, and where it begins.
    Damage(u64, TextDamageKind),
}

type Take<'v> = dyn FnMut(Piece<'_>) -> ControlFlow<()> + 'v;

/// Splits the bytes fed to it.
pub(super) struct Splitter {
    wide: bool,
    /// Bytes of the byte order mark still to be skipped.
    mark: u8,
    /// Offset of the next unit.
    at: u64,
    /// The first byte of a two-byte unit.
    half: Option<u8>,
    /// Where the event being read begins.
    start: u64,
    /// Its bytes so far.
    event: Vec<u8>,
    /// Whether it is too long to be kept.
    is_long: bool,
    /// Text between events that is not an event: its start, and its length.
    between: Option<(u64, u64)>,
    machine: Machine,
}

enum Machine {
    Json(Json),
    Xml(Xml),
}

/// What a unit means for the event being read.
enum Turn {
    /// It is between events, and belongs there.
    Frame,
    /// It is between events, and does not belong there.
    Between,
    /// An event begins with this many of the last units.
    Begins(usize),
    /// It belongs to the event.
    Within,
    /// The event ends with it.
    Ends,
    /// The event is broken, for this reason; another one begins with this many of the last units.
    Breaks(&'static str, Option<usize>),
}

impl Splitter {
    pub(super) fn new(begun: Begun) -> Splitter {
        let machine = match begun.form {
            Form::Json => Machine::Json(Json::default()),
            Form::Xml => Machine::Xml(Xml::default()),
        };
        Splitter {
            wide: begun.wide,
            mark: begun.mark,
            at: 0,
            half: None,
            start: 0,
            event: Vec::new(),
            is_long: false,
            between: None,
            machine,
        }
    }

    /// Reads the next bytes.
    pub(super) fn feed(&mut self, bytes: &[u8], take: &mut Take<'_>) -> ControlFlow<()> {
        for byte in bytes {
            if self.mark > 0 {
                self.mark -= 1;
                self.at += 1;
                continue;
            }
            if !self.wide {
                self.unit(*byte, &[*byte], take)?;
                continue;
            }
            match self.half.take() {
                None => self.half = Some(*byte),
                // Every letter with a meaning is ASCII.
                Some(low) => self.unit(if *byte == 0 { low } else { 0x80 }, &[low, *byte], take)?,
            }
        }
        ControlFlow::Continue(())
    }

    /// Reports whatever is unfinished at the end.
    pub(super) fn end(&mut self, take: &mut Take<'_>) -> ControlFlow<()> {
        self.tell_between(take)?;
        let is_open = match &self.machine {
            Machine::Json(json) => !json.open.is_empty(),
            Machine::Xml(xml) => xml.depth > 0,
        };
        if is_open {
            let what = if self.is_long { TextDamageKind::Long } else { TextDamageKind::Cut };
            take(Piece::Damage(self.start, what))?;
        }
        ControlFlow::Continue(())
    }

    fn unit(&mut self, letter: u8, raw: &[u8], take: &mut Take<'_>) -> ControlFlow<()> {
        let size = raw.len() as u64;
        let turn = match &mut self.machine {
            Machine::Json(json) => json.next(letter),
            Machine::Xml(xml) => xml.next(letter),
        };
        // A tag is recognised only when it ends, so anything that may begin an event is kept.
        let length = self.event.len() + raw.len();
        match turn {
            Turn::Frame | Turn::Between => {
                if let (Turn::Between, between) = (&turn, &mut self.between) {
                    between.get_or_insert((self.at, 0)).1 += size;
                }
                if self.machine.may_begin() { self.keep(raw) } else { self.event.clear() }
            }
            Turn::Begins(units) => {
                self.tell_between(take)?;
                self.begin(units, raw);
            }
            Turn::Within => {
                self.is_long |= length > LONGEST;
                if self.is_long && !self.machine.may_begin() { self.event.clear() } else { self.keep(raw) }
            }
            Turn::Ends => {
                self.keep(raw);
                let piece = match self.is_long || length > LONGEST {
                    true => Piece::Damage(self.start, TextDamageKind::Long),
                    false => Piece::Event(&self.event, self.start),
                };
                let flow = take(piece);
                self.event.clear();
                self.is_long = false;
                flow?;
            }
            Turn::Breaks(because, next) => {
                take(Piece::Damage(self.start, TextDamageKind::Broken { because }))?;
                match next {
                    Some(units) => self.begin(units, raw),
                    None => self.event.clear(),
                }
                self.is_long = false;
            }
        }
        self.at += size;
        ControlFlow::Continue(())
    }

    fn keep(&mut self, raw: &[u8]) {
        self.event.extend_from_slice(raw);
    }

    /// Begins an event with the last `units` units, the last of which is `raw`.
    fn begin(&mut self, units: usize, raw: &[u8]) {
        self.keep(raw);
        let bytes = units * raw.len();
        let from = self.event.len().saturating_sub(bytes);
        self.event.drain(..from);
        self.start = (self.at + raw.len() as u64).saturating_sub(self.event.len() as u64);
        self.is_long = false;
    }

    fn tell_between(&mut self, take: &mut Take<'_>) -> ControlFlow<()> {
        match self.between.take() {
            Some((offset, length)) => take(Piece::Damage(offset, TextDamageKind::Between { length })),
            None => ControlFlow::Continue(()),
        }
    }
}

impl Machine {
    /// Checks whether the bytes being read may turn out to be the beginning of an event.
    fn may_begin(&self) -> bool {
        match self {
            Machine::Json(_) => false,
            Machine::Xml(xml) => xml.state == Within::Tag,
        }
    }
}

/// The current line between events, as far as it may be one in which evtx_dump numbers them.
#[derive(Default)]
struct Line(Vec<u8>);

/// The beginning of the line that evtx_dump writes before an event.
const NUMBERED: &[u8] = b"Record ";

impl Line {
    /// Classifies a letter between events.
    fn next(&mut self, letter: u8) -> Turn {
        if letter == b'\n' {
            self.0.clear();
            return Turn::Frame;
        }
        if letter.is_ascii_whitespace() && (self.0.is_empty() || letter == b'\r') {
            return Turn::Frame;
        }
        let is_number = self.0 == NUMBERED;
        if !is_number {
            // A line that does not begin like this can never match.
            self.0.truncate(NUMBERED.len());
            self.0.push(letter);
        }
        let belongs = if is_number { letter.is_ascii_digit() } else { NUMBERED.starts_with(&self.0) };
        if belongs { Turn::Frame } else { Turn::Between }
    }
}

/// Objects that are not inside another one.
#[derive(Default)]
struct Json {
    /// The open brackets, by their first letter.
    open: Vec<u8>,
    in_text: bool,
    is_escaped: bool,
    /// The last letter that is not blank and not in a string.
    last: u8,
    line: Line,
}

impl Json {
    fn next(&mut self, letter: u8) -> Turn {
        if self.open.is_empty() {
            return self.outside(letter);
        }
        if self.in_text {
            return self.within_text(letter);
        }
        let last = self.last;
        if !letter.is_ascii_whitespace() {
            self.last = letter;
        }
        match letter {
            b'"' => self.in_text = true,
            b'{' | b'[' => {
                let is_in_list = self.open.last() == Some(&b'[');
                let is_a_place = last == b':' || is_in_list && matches!(last, b'[' | b',');
                if !is_a_place && letter == b'{' {
                    self.open = vec![b'{'];
                    return Turn::Breaks("an object begins where no value can stand", Some(1));
                }
                if !is_a_place || self.open.len() >= DEEPEST {
                    self.open.clear();
                    return Turn::Breaks("its values do not stand as values of JSON do", None);
                }
                self.open.push(letter);
            }
            b'}' | b']' => {
                let opened = self.open.pop();
                if opened != Some(if letter == b'}' { b'{' } else { b'[' }) {
                    self.open.clear();
                    return Turn::Breaks("what closes it did not open it", None);
                }
                if self.open.is_empty() {
                    return Turn::Ends;
                }
            }
            _ => {}
        }
        Turn::Within
    }

    fn outside(&mut self, letter: u8) -> Turn {
        match letter {
            b'{' => {
                self.open = vec![b'{'];
                (self.last, self.in_text, self.is_escaped) = (b'{', false, false);
                self.line.0.clear();
                Turn::Begins(1)
            }
            b'[' | b']' | b',' => Turn::Frame,
            _ => self.line.next(letter),
        }
    }

    fn within_text(&mut self, letter: u8) -> Turn {
        match letter {
            b'\n' => {
                self.open.clear();
                return Turn::Breaks("a text in it goes beyond the end of its line", None);
            }
            _ if self.is_escaped => self.is_escaped = false,
            b'\\' => self.is_escaped = true,
            b'"' => self.in_text = false,
            _ => {}
        }
        Turn::Within
    }
}

#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum Within {
    #[default]
    Text,
    Tag,
    Comment,
    Literal,
}

/// `Event` elements, wherever they are.
#[derive(Default)]
struct Xml {
    /// Number of open elements, including that of the event; 0 between events.
    depth: usize,
    state: Within,
    /// The tag so far, from its angle bracket on, or the last letters of a comment or literal.
    tag: Vec<u8>,
    /// Its number of letters, including those not kept.
    length: usize,
    /// The previous letter.
    before: u8,
    quote: Option<u8>,
    line: Line,
}

/// Letters of a tag that are kept to recognise it.
const TAG: usize = 512;

/// The longest tag.
const LONGEST_TAG: usize = 1 << 16;

impl Xml {
    fn next(&mut self, letter: u8) -> Turn {
        let before = std::mem::replace(&mut self.before, letter);
        match self.state {
            Within::Text if letter == b'<' => {
                self.state = Within::Tag;
                self.tag.clear();
                self.tag.push(letter);
                (self.length, self.quote) = (1, None);
                self.here()
            }
            Within::Text if self.depth == 0 => self.line.next(letter),
            Within::Text => Turn::Within,
            Within::Comment => self.until(b"-->", letter),
            Within::Literal => self.until(b"]]>", letter),
            Within::Tag => self.tag(letter, before),
        }
    }

    fn here(&self) -> Turn {
        if self.depth > 0 { Turn::Within } else { Turn::Frame }
    }

    fn until(&mut self, end: &[u8], letter: u8) -> Turn {
        self.tag.push(letter);
        if self.tag.len() > end.len() {
            self.tag.remove(0);
        }
        if self.tag == end {
            self.state = Within::Text;
        }
        self.here()
    }

    fn tag(&mut self, letter: u8, before: u8) -> Turn {
        self.length += 1;
        if self.tag.len() < TAG {
            self.tag.push(letter);
        }
        if self.length > LONGEST_TAG {
            self.state = Within::Text;
            let was_open = std::mem::take(&mut self.depth) > 0;
            return if was_open { Turn::Breaks("a tag that does not end", None) } else { Turn::Frame };
        }
        match (self.tag.as_slice(), self.quote, letter) {
            (b"<!--", ..) => {
                self.state = Within::Comment;
                self.tag.clear();
            }
            (b"<![CDATA[", ..) => {
                self.state = Within::Literal;
                self.tag.clear();
            }
            (_, None, b'>') => return self.close(before == b'/'),
            // Another tag begins where this one should have ended.
            (_, None, b'<') => {
                self.tag = vec![b'<'];
                self.length = 1;
            }
            (_, None, b'"' | b'\'') => self.quote = Some(letter),
            (_, Some(open), _) if open == letter => self.quote = None,
            _ => {}
        }
        self.here()
    }

    /// Handles a complete tag.
    fn close(&mut self, is_empty: bool) -> Turn {
        self.state = Within::Text;
        self.line.0.clear();
        let name_ends = |byte: &u8| byte.is_ascii_whitespace() || matches!(byte, b'>' | b'/');
        let name = self.tag.get(1..).unwrap_or_default();
        let name = name.get(..name.iter().skip(1).position(name_ends).map_or(name.len(), |at| at + 1));
        let name = name.unwrap_or_default();
        let is_event = name == b"Event";
        let has_schema = || memchr::memmem::find(&self.tag, SCHEMA.as_bytes()).is_some();
        match (self.depth, name) {
            (_, [b'?' | b'!', ..]) => self.here(),
            (0, _) if is_event && !is_empty => {
                self.depth = 1;
                Turn::Begins(self.length)
            }
            (0, _) => Turn::Frame,
            (_, b"Events" | b"/Events") => {
                self.depth = 0;
                Turn::Breaks("the list of events begins or ends within it", None)
            }
            _ if is_event && has_schema() => {
                self.depth = 1;
                Turn::Breaks("the next one begins within it", Some(self.length))
            }
            (_, [b'/', ..]) => {
                self.depth -= 1;
                if self.depth == 0 { Turn::Ends } else { Turn::Within }
            }
            _ if is_empty => Turn::Within,
            (depth, _) if depth >= DEEPEST => {
                self.depth = 0;
                Turn::Breaks("its elements stand too deep in each other", None)
            }
            _ => {
                self.depth += 1;
                Turn::Within
            }
        }
    }
}
