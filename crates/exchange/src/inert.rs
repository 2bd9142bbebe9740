//! JSON that is safe to display: its text cannot move, hide or break anything.

use serde::Serialize;
use serde_json::ser::Formatter;
use serde_json::{Serializer, Value};
use std::io::{self, Write};

/// Writes `value` as one line of JSON, without the line end.
///
/// Unprintable characters (controls, directions, invisible blanks: `graph::is_printable`) are written as `\u…`,
/// which JSON parsers read unchanged.
pub fn write_json(out: &mut impl Write, value: &impl Serialize) -> io::Result<()> {
    let mut serializer = Serializer::with_formatter(out, Inert);
    value.serialize(&mut serializer).map_err(io::Error::from)
}

struct Inert;

impl Formatter for Inert {
    fn write_string_fragment<W: ?Sized + Write>(&mut self, writer: &mut W, fragment: &str) -> io::Result<()> {
        let mut written = 0;
        let others = fragment.char_indices().filter(|(_, c)| !graph::is_printable(*c));
        for (at, c) in others {
            writer.write_all(fragment.get(written..at).unwrap_or_default().as_bytes())?;
            for unit in c.encode_utf16(&mut [0; 2]) {
                write!(writer, "\\u{unit:04x}")?;
            }
            written = at + c.len_utf8();
        }
        writer.write_all(fragment.get(written..).unwrap_or_default().as_bytes())
    }
}

/// A JSON array of objects, one per line, with a fixed prefix and suffix.
pub(crate) struct Objects<'o, W> {
    out: &'o mut W,
    /// The number of objects so far.
    pub(crate) count: u64,
}

impl<'o, W: Write> Objects<'o, W> {
    /// Writes the prefix: everything up to the array's `[`.
    pub(crate) fn begin(out: &'o mut W, beginning: &[u8]) -> io::Result<Objects<'o, W>> {
        out.write_all(beginning)?;
        Ok(Objects { out, count: 0 })
    }

    /// Adds an object.
    pub(crate) fn put(&mut self, object: &Value) -> io::Result<()> {
        self.out.write_all(if self.count == 0 { b"\n" } else { b",\n" })?;
        self.count += 1;
        write_json(&mut self.out, object)
    }

    /// Writes the suffix.
    pub(crate) fn end(self) -> io::Result<u64> {
        self.out.write_all(b"\n]}\n")?;
        Ok(self.count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn written(text: &str) -> String {
        let mut out = Vec::new();
        write_json(&mut out, &text).unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn what_moves_or_hides_text_is_escaped() {
        assert_eq!(written("a\u{202e}b\u{7f}\u{9b}\n\"\\é"), r#""a\u202eb\u007f\u009b\n\"\\é""#);
    }

    proptest! {
        #[test]
        fn a_reader_gets_the_same_text(text: String) {
            prop_assert_eq!(serde_json::from_str::<String>(&written(&text)).unwrap(), text);
        }
    }
}
