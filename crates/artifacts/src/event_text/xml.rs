//! Events as XML elements, as written by programs other than the library.

use super::TextDamageKind;
use super::exported::{Exported, Ground};
use super::shapes::Read;
use super::time::source_time;
use crate::evtx::event::{flatten, system};
use crate::evtx::xml::{Token, attributes, plain, start};
use std::borrow::Cow;

/// The rest of an element: comments and declarations are skipped, and blanks before a tag do not count as text.
#[derive(Clone, Copy)]
struct Pieces<'a> {
    rest: &'a str,
}

impl<'a> Iterator for Pieces<'a> {
    type Item = Token<'a>;

    fn next(&mut self) -> Option<Token<'a>> {
        loop {
            let Some(tag) = self.rest.strip_prefix('<') else {
                let end = memchr::memchr(b'<', self.rest.as_bytes()).unwrap_or(self.rest.len());
                let (text, rest) = self.rest.split_at_checked(end)?;
                self.rest = rest;
                if text.is_empty() {
                    return None;
                }
                if text.trim_ascii().is_empty() && !rest.starts_with("</") {
                    continue;
                }
                return Some(Token::Text(text));
            };
            if let Some(literal) = tag.strip_prefix("![CDATA[") {
                let (text, rest) = literal.split_once("]]>")?;
                self.rest = rest;
                return Some(Token::Literal(text));
            }
            if let Some(comment) = tag.strip_prefix("!--") {
                self.rest = comment.split_once("-->")?.1;
                continue;
            }
            let (inner, rest) = tag.split_at_checked(end_of_tag(tag)?)?;
            self.rest = rest.get(1..)?;
            match inner.as_bytes().first() {
                Some(b'?' | b'!') => {}
                Some(b'/') => return Some(Token::End),
                _ => return Some(start(inner)),
            }
        }
    }
}

/// Returns the end of a tag, ignoring anything in quotes.
fn end_of_tag(tag: &str) -> Option<usize> {
    let mut quote = None;
    for (at, byte) in tag.bytes().enumerate() {
        match (quote, byte) {
            (None, b'>') => return Some(at),
            (None, b'"' | b'\'') => quote = Some(byte),
            (Some(open), byte) if open == byte => quote = None,
            _ => {}
        }
    }
    None
}

/// Reads the text of an event.
pub(super) fn read<'a>(text: &'a str, ground: &Ground<'_>) -> Read<'a> {
    let mut pieces = Pieces { rest: text };
    let is_system = |token: &Token<'_>| matches!(token, Token::Start { name: "System", empty: false, .. });
    if !pieces.any(|token| is_system(&token)) {
        return Err(TextDamageKind::Lacks("system part"));
    }
    let own = pieces;
    let mut system = system(&mut pieces).map_err(TextDamageKind::Lacks)?;
    let mut exported = Exported::default();
    for (name, raw) in parts(own) {
        let value = plain(raw);
        if name == "TimeCreated@SystemTime" {
            // The schema uses UTC, whether or not the text says so.
            exported.time = source_time(&value).map(|time| super::SourceTime { has_zone: true, ..time });
            system.created = exported.time.as_ref().map(|time| time.ticks);
        }
        exported.place(ground, name, value, raw);
    }
    let mut data = Vec::new();
    for (name, value) in flatten::<true>(pieces) {
        let value = match value {
            Cow::Borrowed(raw) => {
                let value = plain(raw);
                exported.place(ground, name.clone(), value.clone(), raw);
                value
            }
            // Assembled from several pieces.
            Cow::Owned(value) => Cow::Owned(value),
        };
        data.push((name, value));
    }
    Ok(Some((system, data, exported)))
}

/// Returns the source of the texts and attributes of a system part, by the names of their elements.
fn parts(pieces: Pieces<'_>) -> Vec<(String, &str)> {
    let (mut parts, mut open) = (Vec::new(), Vec::new());
    for token in pieces {
        match token {
            Token::Start { name, attributes: all, empty } => {
                parts.extend(attributes(all).map(|(key, value)| (format!("{name}@{key}"), value)));
                if !empty {
                    open.push(name);
                }
            }
            Token::Text(text) => parts.extend(open.last().map(|name| ((*name).to_owned(), text))),
            Token::Literal(_) => {}
            Token::End => {
                if open.pop().is_none() {
                    break;
                }
            }
        }
    }
    parts
}
