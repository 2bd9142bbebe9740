//! Texts of XML elements and the locations of their bytes in the file.

use crate::fields::Located;
use roxmltree::Node;

/// The conversion of offsets in the decoded text to offsets in the file.
pub(super) struct Reader<'a> {
    text: &'a str,
    /// Bytes in the file before the text; `None` if offsets cannot be converted for its encoding.
    mark: Option<usize>,
    wide: bool,
}

impl<'a> Reader<'a> {
    /// Creates a reader for `text`, which was decoded from `bytes`.
    pub(super) fn new(bytes: &[u8], text: &'a str) -> Reader<'a> {
        let wide = bytes.starts_with(&[0xFF, 0xFE]);
        // Undecodable bytes have another length in the file.
        let mark = match bytes {
            _ if text.contains(char::REPLACEMENT_CHARACTER) => None,
            [0xFF, 0xFE, ..] => Some(2),
            [0xEF, 0xBB, 0xBF, ..] => Some(3),
            [0xFE, 0xFF, ..] => None,
            _ => Some(0),
        };
        Reader { text, mark, wide }
    }

    /// Returns offset and length in the file of a range of the text.
    pub(super) fn place(&self, start: usize, end: usize) -> Option<(usize, usize)> {
        let mark = self.mark?;
        let length = |text: &str| if self.wide { text.encode_utf16().count() * 2 } else { text.len() };
        let before = length(self.text.get(..start)?);
        Some((mark + before, length(self.text.get(start..end)?)))
    }

    /// Returns the text of the child of this name, if it has any, without surrounding white space.
    pub(super) fn text_of(&self, node: Node<'_, '_>, name: &str) -> Option<Located<String>> {
        self.text(named(node, name)?)
    }

    fn text(&self, node: Node<'_, '_>) -> Option<Located<String>> {
        let mut found = node.children().filter(Node::is_text);
        let value: String = found.clone().filter_map(|part| part.text()).collect();
        let (first, last) = (found.clone().next()?.range(), found.next_back()?.range());
        let inner = self.text.get(first.start..last.end)?;
        let start = first.start + (inner.len() - inner.trim_start().len());
        let end = start + inner.trim().len();
        let value = value.trim();
        if value.is_empty() {
            return None;
        }
        let (offset, length) = self.place(start, end).unwrap_or((0, 0));
        Some(Located::new(value.to_owned(), offset, length))
    }
}

/// Returns the child element of this name.
pub(super) fn named<'a, 'i>(node: Node<'a, 'i>, name: &str) -> Option<Node<'a, 'i>> {
    node.children().find(|child| child.is_element() && child.tag_name().name() == name)
}

/// Reads an XML Schema boolean.
pub(super) fn flag(reader: &Reader<'_>, node: Node<'_, '_>) -> Option<Located<bool>> {
    let found = reader.text(node)?;
    let value = match found.value.as_str() {
        "true" | "1" => true,
        "false" | "0" => false,
        _ => return None,
    };
    Some(Located { value, offset: found.offset, length: found.length })
}
