//! JSON as language models write it: accepted if there is only one way to read it, refused otherwise.

use ledger::ToolSpec;
use serde_json::{Map, Value};
use thiserror::Error;

/// The most calls that are taken from one text.
const MOST_CALLS: usize = 16;

/// Why a text is not read as a JSON object; the model is told.
#[derive(Debug, Error, Clone, PartialEq, Eq)]
pub enum Unreadable {
    /// It is not JSON, and contains none.
    #[error("expected a JSON object, found no JSON (line {line}, column {column})")]
    NotJson {
        /// The line of the first character that does not fit, from 1.
        line: usize,
        /// Its column, from 1.
        column: usize,
    },
    /// It is JSON of another type.
    #[error("expected a JSON object, found {found}")]
    NotAnObject {
        /// The type.
        found: &'static str,
    },
    /// It ends inside an object.
    #[error("expected a JSON object, found one that is cut off")]
    Cut,
    /// It contains several different objects.
    #[error("expected one JSON object, found {count} different ones")]
    Several {
        /// How many.
        count: usize,
    },
}

/// Reads the only object in a text.
///
/// These are accepted as they are meant: nothing at all (no arguments), prose and code fences around an object,
/// the same object twice, commas after the last member, line ends inside texts, and an object written as a text.
pub fn read_object(text: &str) -> Result<Map<String, Value>, Unreadable> {
    read(text, true)
}

fn read(text: &str, unwrap_text: bool) -> Result<Map<String, Value>, Unreadable> {
    if text.trim().is_empty() {
        return Ok(Map::new());
    }
    let error = match serde_json::from_str(text) {
        Ok(Value::Object(members)) => return Ok(members),
        Ok(Value::Null) => return Ok(Map::new()),
        Ok(Value::String(inner)) if unwrap_text => return read(&inner, false),
        Ok(other) => return Err(Unreadable::NotAnObject { found: kind(&other) }),
        Err(error) => Unreadable::NotJson { line: error.line(), column: error.column() },
    };
    let mut found: Vec<Map<String, Value>> = Vec::new();
    for piece in objects(text) {
        let members = match piece {
            Piece::Whole(piece) => parse(piece).ok_or_else(|| error.clone())?,
            Piece::Cut(_) => return Err(Unreadable::Cut),
        };
        if !found.contains(&members) {
            found.push(members);
        }
    }
    let count = found.len();
    match (found.pop(), count) {
        (Some(members), 1) => Ok(members),
        (Some(_), count) => Err(Unreadable::Several { count }),
        (None, _) => Err(error),
    }
}

const fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "true or false",
        Value::Number(_) => "a number",
        Value::String(_) => "a text",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}

/// A part of a text in braces.
#[derive(Debug, PartialEq)]
enum Piece<'t> {
    Whole(&'t str),
    Cut(&'t str),
}

/// Returns the outermost parts in braces, in order.
fn objects(text: &str) -> Vec<Piece<'_>> {
    let (mut pieces, mut start, mut depth) = (Vec::new(), 0, 0u32);
    let (mut quoted, mut escaped) = (false, false);
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if quoted => escaped = true,
            // Quotes in prose are ignored.
            b'"' if depth > 0 => quoted = !quoted,
            _ if quoted => {}
            b'{' => {
                if depth == 0 {
                    start = at;
                }
                depth += 1;
            }
            b'}' if depth > 0 => {
                depth -= 1;
                if depth == 0 {
                    pieces.extend(text.get(start..=at).map(Piece::Whole));
                }
            }
            _ => {}
        }
    }
    if depth > 0 {
        pieces.extend(text.get(start..).map(Piece::Cut));
    }
    pieces
}

fn parse(piece: &str) -> Option<Map<String, Value>> {
    let strict = serde_json::from_str(piece).ok();
    strict.or_else(|| serde_json::from_str(&mended(piece)).ok())
}

/// Removes commas after the last member, and escapes line ends and tabs inside texts.
fn mended(piece: &str) -> String {
    let mut out = String::with_capacity(piece.len());
    let (mut quoted, mut escaped) = (false, false);
    for (at, c) in piece.char_indices() {
        let closes = || {
            let rest = piece.get(at + c.len_utf8()..).unwrap_or_default().trim_start();
            rest.starts_with(['}', ']'])
        };
        match c {
            _ if escaped => {
                escaped = false;
                out.push(c);
            }
            '\\' if quoted => {
                escaped = true;
                out.push(c);
            }
            '"' => {
                quoted = !quoted;
                out.push(c);
            }
            '\n' if quoted => out.push_str("\\n"),
            '\r' if quoted => out.push_str("\\r"),
            '\t' if quoted => out.push_str("\\t"),
            ',' if !quoted && closes() => {}
            c => out.push(c),
        }
    }
    out
}

/// Returns the calls that a text contains instead of making them: `{"name": …, "arguments": {…}}` for a tool that is offered.
///
/// If such a call names a tool but cannot be read, its arguments are a text that says why.
pub(crate) fn encoded_calls(text: &str, tools: &[ToolSpec]) -> Vec<(String, Value)> {
    let call = |piece: Piece<'_>| match piece {
        Piece::Whole(piece) => match parse(piece) {
            Some(members) => call_of(&members, tools),
            None => half_call(piece, tools),
        },
        Piece::Cut(piece) => half_call(piece, tools),
    };
    objects(text).into_iter().filter_map(call).take(MOST_CALLS).collect()
}

fn call_of(members: &Map<String, Value>, tools: &[ToolSpec]) -> Option<(String, Value)> {
    const KNOWN: [&str; 6] = ["name", "arguments", "parameters", "input", "id", "type"];
    let name = members.get("name").and_then(Value::as_str)?;
    let is_call = tools.iter().any(|tool| tool.name == name)
        && members.keys().all(|member| KNOWN.contains(&member.as_str()));
    let mut given = ["arguments", "parameters", "input"].iter().filter_map(|name| members.get(*name));
    let arguments = match (is_call, given.next(), given.next()) {
        (true, Some(arguments), None) => arguments,
        _ => return None,
    };
    let arguments = match arguments {
        Value::Object(_) => arguments.clone(),
        Value::String(text) => super::received::arguments(text),
        other => Value::String(Unreadable::NotAnObject { found: kind(other) }.to_string()),
    };
    Some((name.to_owned(), arguments))
}

fn half_call(piece: &str, tools: &[ToolSpec]) -> Option<(String, Value)> {
    let (_, after) = piece.split_once("\"name\"")?;
    let name = after.trim_start().strip_prefix(':')?.trim_start().strip_prefix('"')?.split('"').next()?;
    let tool = tools.iter().find(|tool| tool.name == name)?;
    let why = match read_object(piece) {
        Ok(_) => return None,
        Err(why) => why,
    };
    Some((tool.name.clone(), Value::String(why.to_string())))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::json;

    fn tool(name: &str) -> ToolSpec {
        ToolSpec {
            name: name.into(),
            class: ledger::ToolClass::Investigate,
            description: String::new(),
            arguments: json!({"type": "object"}),
            records: vec![],
            sources: Default::default(),
            counts: None,
            covers: vec![],
        }
    }

    #[test]
    fn what_can_mean_one_thing_only_is_read() {
        let meant = json!({"path": "C:\\a {b}", "n": [1, 2]});
        let plain = meant.to_string();
        let cases = [
            plain.clone(),
            format!("```json\n{plain}\n```"),
            format!("Sure! I call it with {plain}. Shall I go on?"),
            format!("{plain}\n{plain}"),
            r#"{"path": "C:\\a {b}", "n": [1, 2,],}"#.to_owned(),
            json!(plain).to_string(),
        ];
        for case in cases {
            assert_eq!(Value::Object(read_object(&case).unwrap()), meant, "{case}");
        }
        assert_eq!(read_object(" ").unwrap(), Map::new());
        assert_eq!(read_object("null").unwrap(), Map::new());
        assert_eq!(read_object("{\"a\": \"x\n,}y\"}").unwrap()["a"], "x\n,}y");
    }

    #[test]
    fn what_cannot_be_read_is_told() {
        let cases = [
            ("find it", Unreadable::NotJson { line: 1, column: 2 }),
            ("[1]", Unreadable::NotAnObject { found: "a list" }),
            ("{\"a\": 1} or {\"a\": 2}", Unreadable::Several { count: 2 }),
            ("{\"a\": {\"b\": \"}", Unreadable::Cut),
            ("{\"a\": 1} {a}", Unreadable::NotJson { line: 1, column: 10 }),
        ];
        for (text, expected) in cases {
            assert_eq!(read_object(text).unwrap_err(), expected, "{text}");
        }
    }

    #[test]
    fn a_text_that_is_a_call_is_taken_for_one() {
        let tools = [tool("find_files"), tool("parse_file")];
        let call = |name: &str, arguments: Value| (name.to_owned(), arguments);
        let text = "First:\n```json\n{\"name\": \"find_files\", \"arguments\": {\"name\": \"a\"}}\n```\n\
                    <tool_call>{\"name\": \"parse_file\", \"parameters\": \"{\\\"path\\\": \\\"b\\\"}\"}</tool_call>";
        let expected = [call("find_files", json!({"name": "a"})), call("parse_file", json!({"path": "b"}))];
        assert_eq!(encoded_calls(text, &tools), expected);
        for none in [
            "I found {\"name\": \"find_files\"} in the list.",
            "{\"name\": \"rm\", \"arguments\": {}}",
            "{\"name\": \"find_files\", \"arguments\": {}, \"result\": 3}",
            "Nothing here.",
        ] {
            assert_eq!(encoded_calls(none, &tools), [], "{none}");
        }
        let half = encoded_calls("{\"name\": \"find_files\", \"arguments\": {\"name\": \"a", &tools);
        assert_eq!(half, [call("find_files", json!("expected a JSON object, found one that is cut off"))]);
    }

    proptest! {
        #[test]
        fn any_text_is_read_or_refused(text in "[{}\\[\\]\",:\\\\a \n\u{e9}]{0,40}") {
            let _ = read_object(&text);
            let _ = encoded_calls(&text, &[tool("a")]);
        }

        #[test]
        fn an_object_in_prose_is_the_object(key in ".{0,8}", value in ".{0,20}", before in "[^{}]{0,20}") {
            let object = json!({ key: value });
            let read = read_object(&format!("x{before}{object}{}", before.replace('\\', "")));
            prop_assert_eq!(Value::Object(read.unwrap()), object);
        }
    }
}
