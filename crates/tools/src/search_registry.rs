//! `search_registry`: keys and values that contain a text, over all hives.

use crate::arguments::Arguments;
use crate::catalogue::Call;
use crate::error::{AS_IT_STANDS, CallError};
use crate::hive_choice::{Asked, by_prefix};
use crate::hive_file::type_name;
use crate::needle::Needle;
use crate::page::Page;
use crate::parse_registry_key::{MAX_DATA, lies_in};
use crate::registry_records;
use crate::registry_scan::{EVERYWHERE, Met, Scan};
use crate::returned::Return;
use crate::text::Encoding;
use crate::{hive_file, hive_state, span, spec};
use artifacts::registry::{HiveType, Key, Value, ValueData};
use ledger::ToolSpec;
use serde_json::json;
use std::collections::BTreeSet;
use std::ops::ControlFlow;

/// The most characters to look for.
const MAX_TEXT: usize = 256;

pub(crate) fn spec() -> ToolSpec {
    spec::tool(
        "search_registry",
        "Finds registry keys and values that contain a text: in names of keys, names of values and data. \
         Data is searched as text of UTF-16LE and of UTF-8, in binary types too; numbers are not searched. \
         A text with \\ in it is looked for in the paths of keys, where it must reach into the last name; one that begins as in a live registry, such as HKLM\\SOFTWARE\\Microsoft, also without that beginning in the hives that it names.",
        vec![
            ("text", spec::text("what to look for, as it is written: at least two characters, no patterns")),
            (
                "in",
                json!({
                    "type": "string",
                    "description": "where to look",
                    "enum": ["any", "key_name", "value_name", "data"],
                    "default": "any",
                }),
            ),
            ("hive", spec::text("hive to search, as list_hives gives it; all when left out")),
            (
                "key",
                spec::text(
                    "key at and below which to search, from the root of the hive or as HKLM\\SYSTEM and the like",
                ),
            ),
            (
                "ignore_case",
                json!({ "type": "boolean", "description": "take upper and lower case for the same", "default": true }),
            ),
            ("written_after", spec::instant("only keys, and values of keys, last written then or later")),
            ("written_before", spec::instant("only keys, and values of keys, last written then or earlier")),
            ("evidence", spec::text("label of the evidence to search; all when left out")),
            hive_state::argument(),
            ("limit", spec::number("most records to return", 200, 1, 2000)),
            ("offset", spec::offset()),
        ],
        &["text"],
        vec![registry_records::key_type(), registry_records::value_type()],
    )
}

pub(crate) fn run(call: &Call<'_>) -> Result<Return, CallError> {
    let arguments = call.arguments;
    let wanted = Wanted::read(arguments)?;
    let mut scan = Scan::new(call, EVERYWHERE)?;
    let mut page = Page::new(arguments.count("offset")?, arguments.count("limit")?);
    let mut data = 0;
    let mut types = BTreeSet::new();
    scan.each(|_, met| {
        types.insert(type_name(met.hive_type));
        wanted.take(met, &mut page, &mut data)
    })?;
    let mut returned = Return::found(Vec::new(), arguments.normalised(&scan.normalised()));
    let is_any = scan.has_hives() || !scan.gaps.is_empty();
    (returned.defects, returned.gaps, returned.notes) = (scan.defects, scan.gaps, scan.notes);
    returned.notes.extend((!is_any).then(|| CallError::NoHives.to_string()));
    returned.notes.extend(as_it_stands(arguments.text("text")?));
    returned.notes.dedup();
    returned.notes.extend(wanted.mounted.as_ref().map(|mounted| mounted.note(&types)));
    page.fill(&mut returned, "records");
    Ok(returned)
}

/// Returns the note for a text that looks like a pattern or a list: it is searched for literally.
pub(crate) fn as_it_stands(text: &str) -> Option<String> {
    let is_quoted = text.len() > 2 && text.starts_with(['"', '\'']) && text.ends_with(['"', '\'']);
    (text.contains(['*', '|']) || is_quoted).then(|| format!("{text:?}{AS_IT_STANDS}"))
}

/// The conditions that a key or a value must meet.
struct Wanted {
    narrow: Needle,
    wide: Needle,
    /// Whether the text spans several names of a path.
    path: bool,
    places: [bool; 3],
    span: span::Span,
    mounted: Option<Mounted>,
}

/// A text that begins like a path of a live registry.
struct Mounted {
    hive_type: HiveType,
    /// What follows the name of the hive, or of the control set.
    rest: String,
    needle: Needle,
}

impl Mounted {
    fn read(text: &str, ignore_case: bool) -> Option<Mounted> {
        let (Asked::Type(hive_type), rest) = by_prefix(&text.replace('/', "\\"))? else { return None };
        let (first, below) = rest.split_once('\\').unwrap_or((&rest, ""));
        let rest = if first.eq_ignore_ascii_case("CurrentControlSet") { below } else { &rest };
        let needle = Needle::new(rest, Encoding::Utf8, ignore_case);
        (rest.chars().count() > 1).then(|| Mounted { hive_type, rest: rest.to_owned(), needle })
    }

    /// Returns the note on how the text was read, if hives of these types were searched.
    fn note(&self, types: &BTreeSet<&'static str>) -> String {
        let hive = type_name(self.hive_type);
        if !types.contains(hive) {
            return CallError::NoHive { wanted: vec![hive] }.to_string();
        }
        format!(
            "paths in a hive begin below its root: {:?} was looked for in the keys of {hive} hives, too, in any control set",
            self.rest
        )
    }
}

impl Wanted {
    fn read(arguments: &Arguments) -> Result<Wanted, CallError> {
        let (text, ignore_case) = (arguments.text("text")?, arguments.flag("ignore_case")?);
        let error = |expected| CallError::Argument { argument: "text", expected, found: text.to_owned() };
        if !(2..=MAX_TEXT).contains(&text.chars().count()) {
            return Err(error("2 to 256 characters"));
        }
        if text.chars().any(|letter| letter.is_control() && letter != '\t') {
            return Err(error("text of one line, without control characters"));
        }
        let within = arguments.text("in")?;
        Ok(Wanted {
            narrow: Needle::new(text, Encoding::Utf8, ignore_case),
            wide: Needle::new(text, Encoding::Utf16Le, ignore_case),
            path: text.contains('\\') || by_prefix(&text.replace('/', "\\")).is_some(),
            places: ["key_name", "value_name", "data"].map(|place| within == "any" || within == place),
            span: span::Span::read(arguments, "written_after", "written_before")?,
            mounted: Mounted::read(text, ignore_case),
        })
    }

    /// Takes what matches at one key.
    fn take(&self, met: Met<'_, '_>, page: &mut Page, data: &mut usize) -> ControlFlow<()> {
        let Met { source, hive_type, key, values, defects } = met;
        if !self.span.holds(&registry_records::last_written(key)) {
            return ControlFlow::Continue(());
        }
        if self.names(key, hive_type) && !page.take(|| source.key(key)) {
            return ControlFlow::Break(());
        }
        for value in values.iter().filter(|value| self.fits(value)) {
            if *data > MAX_DATA {
                page.cut();
                return ControlFlow::Break(());
            }
            let record = || {
                let own = defects.extract_if(.., |defect| lies_in(defect, value));
                let own = own.map(|own| hive_file::defect(&source.node.path, &own)).collect();
                *data = data.saturating_add(value.raw.len());
                source.value(key, value, own)
            };
            if !page.take(record) {
                return ControlFlow::Break(());
            }
        }
        ControlFlow::Continue(())
    }

    fn names(&self, key: &Key<'_>, hive_type: HiveType) -> bool {
        let [in_name, ..] = self.places;
        if !in_name {
            return false;
        }
        if !self.path {
            return self.narrow.find(key.name.as_bytes(), 0).is_some();
        }
        let mounted = self.mounted.as_ref().filter(|mounted| mounted.hive_type == hive_type);
        ends_in_name(&self.narrow, key) || mounted.is_some_and(|mounted| ends_in_name(&mounted.needle, key))
    }

    fn fits(&self, value: &Value<'_>) -> bool {
        let [_, in_name, in_data] = self.places;
        let narrow = |text: &str| self.narrow.find(text.as_bytes(), 0).is_some();
        if in_name && narrow(&value.name) {
            return true;
        }
        in_data
            && match &value.data {
                ValueData::Text(text) => narrow(text) || self.raw(value),
                ValueData::MultiText(texts) => texts.iter().any(|text| narrow(text)) || self.raw(value),
                ValueData::Bytes => self.raw(value),
                ValueData::Dword(_) | ValueData::Qword(_) | ValueData::Unreadable => false,
            }
    }

    fn raw(&self, value: &Value<'_>) -> bool {
        self.wide.find(&value.raw, 0).is_some() || self.narrow.find(&value.raw, 0).is_some()
    }
}

/// Checks whether a hit in a key's path is its own: a hit that ends before the last name belongs to a parent key.
fn ends_in_name(needle: &Needle, key: &Key<'_>) -> bool {
    let last = key.path.rfind('\\').map_or(0, |at| at + 1);
    let mut from = 0;
    while let Some((start, end)) = needle.find(key.path.as_bytes(), from) {
        if end > last {
            return true;
        }
        from = start + 1;
    }
    false
}
