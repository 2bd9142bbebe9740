//! Server-sent events: takes pieces of bytes, returns the data of events (WHATWG HTML, section 9.2.6).

use super::error::StreamError;

/// The most bytes of one event.
const LARGEST: usize = 8 * 1024 * 1024;

/// A reader of one stream. Names of events are ignored: the APIs repeat them in the data, or have none.
#[derive(Debug, Default)]
pub(crate) struct Events {
    /// The beginning of a line that has not ended.
    line: Vec<u8>,
    data: Option<String>,
    /// Whether the last byte was a carriage return: a line feed after it does not end another line.
    returned: bool,
}

impl Events {
    /// Processes the next piece; returns the data of each event that ended in it.
    pub(crate) fn push(&mut self, piece: &[u8]) -> Result<Vec<String>, StreamError> {
        let mut events = Vec::new();
        for byte in piece {
            match byte {
                b'\n' if self.returned => self.returned = false,
                b'\n' | b'\r' => {
                    self.returned = *byte == b'\r';
                    events.extend(self.end_line()?);
                }
                byte => {
                    self.returned = false;
                    self.line.push(*byte);
                    if self.line.len() + self.data.as_ref().map_or(0, String::len) > LARGEST {
                        return Err(StreamError::TooLarge { most: LARGEST });
                    }
                }
            }
        }
        Ok(events)
    }

    fn end_line(&mut self) -> Result<Option<String>, StreamError> {
        let line = String::from_utf8(std::mem::take(&mut self.line)).map_err(|_| StreamError::NotUtf8)?;
        if line.is_empty() {
            return Ok(self.data.take());
        }
        // A line that begins with a colon is a comment.
        let (name, value) = line.split_once(':').unwrap_or((&line, ""));
        if name.trim_start_matches('\u{feff}') == "data" {
            let value = value.strip_prefix(' ').unwrap_or(value);
            match &mut self.data {
                Some(data) => {
                    data.push('\n');
                    data.push_str(value);
                }
                None => self.data = Some(value.to_owned()),
            }
        }
        Ok(None)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn all(pieces: &[&[u8]]) -> Vec<String> {
        let mut events = Events::default();
        pieces.iter().flat_map(|piece| events.push(piece).unwrap()).collect()
    }

    #[test]
    fn events_end_with_a_blank_line_of_any_kind() {
        let stream =
            ": hello\r\nevent: a\r\ndata: 1\r\n\r\ndata:2\ndata: 3\n\nid: 7\n\ndata: 4\r\rdata: cut\n";
        assert_eq!(all(&[stream.as_bytes()]), ["1", "2\n3", "4"]);
    }

    #[test]
    fn what_is_no_text_is_told() {
        assert!(matches!(Events::default().push(b"data: \xff\n"), Err(StreamError::NotUtf8)));
    }

    proptest! {
        #[test]
        fn pieces_may_end_anywhere(cuts in prop::collection::vec(0usize..60, 0..8)) {
            let stream = "data: {\"a\": \"\u{e9}\u{1f600}\"}\r\n\r\nevent: x\ndata: y\n\n".as_bytes();
            let mut cuts: Vec<_> = cuts.into_iter().map(|cut| cut.min(stream.len())).collect();
            cuts.extend([0, stream.len()]);
            cuts.sort_unstable();
            let pieces: Vec<_> = cuts.windows(2).map(|pair| &stream[pair[0]..pair[1]]).collect();
            prop_assert_eq!(all(&pieces), vec!["{\"a\": \"\u{e9}\u{1f600}\"}".to_owned(), "y".to_owned()]);
        }
    }
}
