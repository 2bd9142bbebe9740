//! `search_text`: lines of files that contain a text.
//!
//! A file is read in windows of 1 MiB, each with enough of its neighbours to include the whole line around a hit.

use crate::arguments::Arguments;
use crate::catalogue::Call;
use crate::error::CallError;
use crate::glob::Glob;
use crate::needle::Needle;
use crate::page::Page;
use crate::returned::{Return, chain};
use crate::search_registry::as_it_stands;
use crate::surround::{self, slice};
use crate::text::{Encoding, Line, PIECE, decode, detect};
use crate::{place, remains, spec, text_line};
use evidence::{Node, NodeKind, ReadAt, ReadError, Step, Tree, read_full_at, walk};
use ledger::{AbsenceForm, ByteSpan, Defect, Gap, ToolSpec};
use memchr::memchr_iter;
use serde_json::json;
use std::ops::Range;

/// How many bytes of a window hits can begin in; even, as UTF-16 needs.
const WINDOW: usize = 1 << 20;

/// How many bytes are read on either side of a window: room for a hit and a line around it; even.
const MARGIN: usize = 2 * PIECE;

/// How many bytes decide whether a file is text.
const HEAD: usize = 64 << 10;

/// The most characters to look for; in bytes they fit [`PIECE`].
const MAX_TEXT: usize = 256;

pub(crate) fn spec() -> ToolSpec {
    ToolSpec {
        covers: vec![spec::covers(
            AbsenceForm::Text,
            &[("text", "text"), ("under", "under"), ("evidence", "evidence")],
            &[("offset", json!(0)), ("ignore_case", json!(true))],
            &["limit"],
        )],
        ..described()
    }
}

fn described() -> ToolSpec {
    spec::tool(
        "search_text",
        "Finds the lines that contain a text, in files of any kind and in their named (alternate) streams; in those that are no text the printable characters around it. \
         The text is looked for as UTF-8 and as UTF-16LE; characters other than ASCII are not found in other encodings. \
         Compressed and encrypted content is not searched as what it means.",
        vec![
            ("text", spec::text("what to look for, as it is written: at least two characters, no patterns")),
            ("under", spec::text_or("folder or file in which to search; empty for everything", "")),
            (
                "name",
                spec::text(
                    "pattern of the names of files to search: * for any characters, ? for one, {a,b} for either; letter case aside",
                ),
            ),
            (
                "ignore_case",
                json!({ "type": "boolean", "description": "take upper and lower case for the same", "default": true }),
            ),
            ("evidence", spec::text("label of the evidence to search; all when left out")),
            ("limit", spec::number("most lines to return", 200, 1, 2000)),
            ("offset", spec::offset()),
        ],
        &["text"],
        vec![text_line::record_type()],
    )
}

pub(crate) fn run(call: &Call<'_>) -> Result<Return, CallError> {
    let arguments = call.arguments;
    let mut search = Search::new(arguments)?;
    let name = arguments.optional_text("name").map(name).transpose()?;
    let scope = place::under(call.trees, arguments.optional_text("evidence"), arguments.text("under")?)?;
    for place in &scope.places {
        let (tree, start) = (place.tree, &place.node);
        if start.kind == NodeKind::Directory {
            search.folder(tree, start, name.as_ref())?;
        } else if name.as_ref().is_none_or(|name| name.fits(&start.path)) {
            search.file(tree, start, None)?;
            search.streams(tree, start);
        }
    }
    let Search { page, defects, gaps, looked, .. } = search;
    if let (Some(name), false, true) = (arguments.optional_text("name"), looked, gaps.is_empty()) {
        let folder = |place: &place::Place<'_>| format!("{} of {}", place.node.path, place.tree.label());
        let looked = scope.places.iter().map(folder).collect();
        return Err(CallError::Nowhere { argument: "name".to_owned(), asked: name.to_owned(), looked });
    }
    let mut returned =
        Return { defects, gaps, ..Return::found(Vec::new(), arguments.normalised(&scope.normalised())) };
    returned.notes.extend(as_it_stands(arguments.text("text")?));
    page.fill(&mut returned, "lines");
    Ok(match scope.places.as_slice() {
        [place] => remains::mark(returned, place),
        _ => returned,
    })
}

fn name(text: &str) -> Result<Glob, CallError> {
    let name = Glob::read("name", text)?;
    if name.is_name() {
        return Ok(name);
    }
    let expected = "a pattern of a name without separators; \"under\" tells the folder";
    Err(CallError::Argument { argument: "name", expected, found: text.to_owned() })
}

struct Search {
    needles: [(Encoding, Needle); 2],
    page: Page,
    defects: Vec<Defect>,
    gaps: Vec<Gap>,
    /// Whether a file or stream was searched.
    looked: bool,
    more: bool,
}

impl Search {
    fn new(arguments: &Arguments) -> Result<Search, CallError> {
        let (text, ignore_case) = (arguments.text("text")?, arguments.flag("ignore_case")?);
        let error = |expected| CallError::Argument { argument: "text", expected, found: text.to_owned() };
        if !(2..=MAX_TEXT).contains(&text.chars().count()) {
            return Err(error("2 to 256 characters"));
        }
        if text.chars().any(|letter| letter.is_control() && letter != '\t') {
            return Err(error("text of one line, without control characters"));
        }
        let needle = |encoding| (encoding, Needle::new(text, encoding, ignore_case));
        Ok(Search {
            needles: [needle(Encoding::Utf8), needle(Encoding::Utf16Le)],
            page: Page::new(arguments.count("offset")?, arguments.count("limit")?),
            defects: Vec::new(),
            gaps: Vec::new(),
            looked: false,
            more: true,
        })
    }

    fn folder(&mut self, tree: &dyn Tree, start: &Node, name: Option<&Glob>) -> Result<(), CallError> {
        // A start that cannot be read fails the call; inside the walk it would only be a gap.
        tree.children(start)?;
        for step in walk(tree, start) {
            if !self.more {
                break;
            }
            match step {
                Step::Node(node) if name.is_none_or(|name| name.fits(&node.path)) => {
                    let path = || node.path.as_str().to_owned();
                    match node.kind {
                        NodeKind::File => {
                            if let Err(error) = self.file(tree, &node, None) {
                                self.gaps.push(Gap { path: path(), reason: chain(&error) });
                            }
                        }
                        // On a live system a pipe or device may have something to read; in an image or archive it is only a name.
                        NodeKind::Other if tree.container().is_empty() => {
                            let reason = "not a regular file, so it was not searched".to_owned();
                            self.gaps.push(Gap { path: path(), reason });
                        }
                        // The target of a link is searched in its own place; the walk reports links that lead elsewhere.
                        NodeKind::Directory | NodeKind::Symlink { .. } | NodeKind::Other => {}
                    }
                    self.streams(tree, &node);
                }
                Step::Node(_) => {}
                Step::Defect(defect) => self.defects.push(defect),
                Step::Gap(gap) => self.gaps.push(gap),
            }
        }
        Ok(())
    }

    /// Searches the named streams of a file or folder, which can also contain text.
    fn streams(&mut self, tree: &dyn Tree, node: &Node) {
        for stream in &node.streams {
            if !self.more {
                return;
            }
            if let Err(error) = self.file(tree, node, Some(&stream.name)) {
                let path = format!("{}:{}", node.path, stream.name);
                self.gaps.push(Gap { path, reason: chain(&error) });
            }
        }
    }

    fn file(&mut self, tree: &dyn Tree, node: &Node, stream: Option<&str>) -> Result<(), ReadError> {
        self.looked = true;
        let mut reader = tree.open(node, stream)?;
        let mut window = Window::new(reader.as_mut())?;
        let mut lines = Lines::default();
        while self.more && window.next(reader.as_mut())? {
            for hit in window.hits(&self.needles, &mut lines) {
                let number = hit.numbered.then(|| lines.before(&window, hit.at));
                let record =
                    || text_line::record(tree, node, stream, window.line(&hit, number), hit.numbered);
                self.more = self.page.take(record);
                if !self.more {
                    return Ok(());
                }
            }
            lines.before(&window, window.core.end);
        }
        Ok(())
    }
}

/// The part of a file that is in memory.
struct Window {
    bytes: Vec<u8>,
    /// The offset of `bytes` in the file.
    base: u64,
    /// The part of `bytes` in which hits may begin; the bytes around it belong to the neighbours.
    core: Range<usize>,
    /// How the file is read as text; [`Encoding::Hex`] if it is not text.
    encoding: Encoding,
    /// The offset of the next window in the file.
    next: u64,
}

/// A hit, with what is needed to show it.
struct Hit {
    /// The offset of the hit in the window.
    at: usize,
    /// The place of its line in the window.
    line: Range<usize>,
    /// How the line is read.
    encoding: Encoding,
    /// Whether it is a line of a text file.
    numbered: bool,
}

/// What is kept from one window to the next.
#[derive(Default)]
struct Lines {
    /// How many line feeds are before `counted`.
    feeds: usize,
    /// The file offset up to which line feeds were counted.
    counted: u64,
    /// The last line shown for each needle, as a place in the file.
    last: [Range<u64>; 2],
}

impl Window {
    fn new(reader: &mut dyn ReadAt) -> Result<Window, ReadError> {
        let mut head = vec![0; HEAD];
        let read = read_full_at(reader, 0, &mut head)?;
        head.truncate(read);
        Ok(Window { bytes: Vec::new(), base: 0, core: 0..0, encoding: detect(&head, &head), next: 0 })
    }

    /// Reads the next window; `false` at the end of the file.
    fn next(&mut self, reader: &mut dyn ReadAt) -> Result<bool, ReadError> {
        let size = reader.len();
        if self.next >= size {
            return Ok(false);
        }
        self.base = self.next.saturating_sub(MARGIN as u64);
        let end = self.next.saturating_add((WINDOW + MARGIN) as u64).min(size);
        // At most WINDOW and two MARGINs.
        let length = usize::try_from(end - self.base).unwrap_or_default();
        self.bytes.resize(length, 0);
        let read = read_full_at(reader, self.base, &mut self.bytes)?;
        if read < length {
            let (path, offset) = (reader.path().clone(), self.base);
            return Err(ReadError::Short { path, offset, expected: length as u64, actual: read as u64 });
        }
        let start = usize::try_from(self.next - self.base).unwrap_or_default();
        self.core = start..length.min(start + WINDOW);
        self.next = self.base + self.core.end as u64;
        Ok(true)
    }

    /// Returns the hits that begin in the core, in order, one for each line.
    fn hits(&self, needles: &[(Encoding, Needle); 2], lines: &mut Lines) -> Vec<Hit> {
        let mut hits = Vec::new();
        for ((encoding, needle), last) in needles.iter().zip(&mut lines.last) {
            let mut from = self.core.start;
            while let Some((start, end)) =
                needle.find(&self.bytes, from).filter(|(start, _)| *start < self.core.end)
            {
                from = end;
                let at = self.base + start as u64..self.base + end as u64;
                if last.start <= at.start && at.end <= last.end {
                    continue;
                }
                let hit = self.surround(start..end, *encoding);
                *last = self.base + hit.line.start as u64..self.base + hit.line.end as u64;
                hits.push(hit);
            }
        }
        hits.sort_by_key(|hit| hit.at);
        hits
    }

    fn surround(&self, hit: Range<usize>, found_as: Encoding) -> Hit {
        let of_text = match (self.encoding, found_as) {
            (Encoding::Utf16Le, Encoding::Utf16Le) => hit.start.is_multiple_of(2),
            (Encoding::Utf8 | Encoding::Latin1, Encoding::Utf8) => true,
            _ => false,
        };
        let at = hit.start;
        if of_text {
            let line = surround::line(&self.bytes, self.base, &hit, self.encoding);
            let content = slice(&self.bytes, line.clone());
            // A line that runs into binary data is shown like binary data.
            if found_as == Encoding::Utf16Le || !content.contains(&0) {
                let is_utf8 = self.encoding == Encoding::Latin1 && std::str::from_utf8(content).is_ok();
                let encoding = if is_utf8 { Encoding::Utf8 } else { self.encoding };
                return Hit { at, line, encoding, numbered: true };
            }
        }
        Hit { at, line: surround::run(&self.bytes, &hit, found_as), encoding: found_as, numbered: false }
    }

    /// Returns the evidence's own text around a hit.
    fn line(&self, hit: &Hit, number: Option<usize>) -> Line {
        let content = slice(&self.bytes, hit.line.clone());
        let (text, damaged) = decode(content, hit.encoding);
        let span = ByteSpan::new(self.base + hit.line.start as u64, content.len() as u64);
        Line { number: number.unwrap_or_default(), part: None, span, text, damaged }
    }
}

impl Lines {
    /// Counts the line feeds before `at` in the window; `at` must never decrease.
    fn before(&mut self, window: &Window, at: usize) -> usize {
        let from = usize::try_from(self.counted.saturating_sub(window.base)).unwrap_or(at);
        let new = slice(&window.bytes, from..at.max(from));
        self.feeds += match window.encoding {
            Encoding::Utf16Le => {
                memchr_iter(b'\n', new).filter(|at| at % 2 == 0 && new.get(at + 1) == Some(&0)).count()
            }
            Encoding::Utf8 | Encoding::Latin1 => memchr_iter(b'\n', new).count(),
            Encoding::Hex => 0,
        };
        self.counted = self.counted.max(window.base + at as u64);
        self.feeds
    }
}
