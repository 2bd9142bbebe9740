//! STIX 2.1 bundles: indicators with simple patterns, and observables.

use crate::kind::Kind;
use crate::read::{Lines, Taken};
use serde_json::Value;

pub(crate) fn is_bundle(value: &Value) -> bool {
    value.get("type").and_then(Value::as_str) == Some("bundle")
}

pub(crate) fn read(bundle: &Value, lines: &Lines<'_>, taken: &mut Taken<'_>) {
    let objects = bundle.get("objects").and_then(Value::as_array);
    for object in objects.into_iter().flatten() {
        one(object, lines, taken);
    }
}

fn text<'v>(value: &'v Value, name: &str) -> Option<&'v str> {
    value.get(name).and_then(Value::as_str)
}

fn one(object: &Value, lines: &Lines<'_>, taken: &mut Taken<'_>) {
    let line = lines.of_id(text(object, "id"));
    let kind = text(object, "type").unwrap_or_default();
    let label = text(object, "name").or_else(|| text(object, "description"));
    match kind {
        "indicator" => match text(object, "pattern_type").unwrap_or("stix") {
            "stix" => pattern(text(object, "pattern").unwrap_or_default(), line, label, taken),
            other => taken.skip(format!("an indicator with a pattern of type {other}"), line),
        },
        "ipv4-addr" | "ipv6-addr" | "domain-name" | "url" => {
            taken.take(Kind::of_word(kind), text(object, "value").unwrap_or_default(), line, None);
        }
        "file" => {
            let hashes = object.get("hashes").and_then(Value::as_object);
            for (name, value) in hashes.into_iter().flatten() {
                match Kind::of_word(name) {
                    Some(_) => taken.take(
                        Some(Kind::Hash),
                        value.as_str().unwrap_or_default(),
                        line,
                        text(object, "name"),
                    ),
                    None => taken.skip(format!("a hash of kind {name}"), line),
                }
            }
            if hashes.is_none_or(serde_json::Map::is_empty)
                && let Some(name) = text(object, "name")
            {
                taken.take(Some(Kind::FileName), name, line, None);
            }
        }
        "windows-registry-key" => {
            taken.take(Some(Kind::RegistryKey), text(object, "key").unwrap_or_default(), line, None);
        }
        "directory" => taken.take(Some(Kind::Path), text(object, "path").unwrap_or_default(), line, None),
        "" => taken.skip("an object without a type".to_owned(), line),
        "email-addr" | "mutex" | "process" | "user-account" | "x509-certificate" | "artifact"
        | "network-traffic" => {
            taken.skip(format!("an observable of type {kind}"), line);
        }
        // Reports, malware, relations and the like name nothing that could be found.
        _ => {}
    }
}

/// A token of a pattern.
#[derive(Debug, PartialEq, Eq)]
enum Token {
    Word(String),
    Text(String),
    Sign(char),
}

/// Reads a pattern of comparisons by `=` or `IN` joined by `OR`.
/// Any other pattern is left out, because a part of it is not what it says.
fn pattern(pattern: &str, line: Option<u64>, label: Option<&str>, taken: &mut Taken<'_>) {
    let Some(tokens) = tokens(pattern) else {
        return taken.skip("a pattern that cannot be read".to_owned(), line);
    };
    match comparisons(&tokens) {
        Ok(found) => {
            for (object, value) in found {
                match kind(&object) {
                    Some(kind) => taken.take(Some(kind), &value, line, label),
                    None => taken.skip(format!("a pattern over {object}"), line),
                }
            }
        }
        Err(word) => taken.skip(format!("a pattern with {word}"), line),
    }
}

fn kind(object: &str) -> Option<Kind> {
    let object = object.to_ascii_lowercase();
    Some(match object.as_str() {
        "ipv4-addr:value"
        | "ipv6-addr:value"
        | "network-traffic:dst_ref.value"
        | "network-traffic:src_ref.value" => Kind::Address,
        "domain-name:value" => Kind::Domain,
        "url:value" => Kind::Url,
        "file:name" => Kind::FileName,
        "directory:path" | "file:parent_directory_ref.path" => Kind::Path,
        "windows-registry-key:key" => Kind::RegistryKey,
        other => return Kind::of_word(other.strip_prefix("file:hashes.")?),
    })
}

fn tokens(pattern: &str) -> Option<Vec<Token>> {
    let mut all = Vec::new();
    let mut signs = pattern.chars().peekable();
    while let Some(sign) = signs.next() {
        match sign {
            '\'' => {
                let mut text = String::new();
                loop {
                    match signs.next()? {
                        '\\' => text.push(signs.next()?),
                        '\'' => break,
                        other => text.push(other),
                    }
                }
                // A part of an object path can be in quotation marks: file:hashes.'SHA-256'.
                match all.last_mut() {
                    Some(Token::Word(word)) if word.ends_with('.') => word.push_str(&text),
                    _ => all.push(Token::Text(text)),
                }
            }
            '[' | ']' | '(' | ')' | ',' | '=' => all.push(Token::Sign(sign)),
            _ if sign.is_whitespace() => {}
            _ => {
                let mut word = sign.to_string();
                while let Some(next) = signs.next_if(|next| {
                    !next.is_whitespace() && !matches!(next, '[' | ']' | '(' | ')' | ',' | '=' | '\'')
                }) {
                    word.push(next);
                }
                all.push(Token::Word(word));
            }
        }
    }
    Some(all)
}

/// Returns the objects and values that are compared, or the word that is not understood.
fn comparisons(tokens: &[Token]) -> Result<Vec<(String, String)>, String> {
    let mut found = Vec::new();
    let mut left = tokens.iter().peekable();
    let unread = |token: Option<&Token>| match token {
        Some(Token::Word(word)) => word.clone(),
        Some(Token::Sign(sign)) => sign.to_string(),
        Some(Token::Text(_)) => "a text that nothing is compared with".to_owned(),
        None => "no end".to_owned(),
    };
    while let Some(token) = left.next() {
        match token {
            Token::Sign('[' | ']' | '(' | ')') => {}
            Token::Word(word) if word == "OR" => {}
            Token::Word(object) if object.contains(':') => match (left.next(), left.peek()) {
                (Some(Token::Sign('=')), Some(Token::Text(value))) => {
                    found.push((object.clone(), value.clone()));
                    left.next();
                }
                (Some(Token::Word(word)), Some(Token::Sign('('))) if word == "IN" => {
                    left.next();
                    loop {
                        match left.next() {
                            Some(Token::Text(value)) => found.push((object.clone(), value.clone())),
                            Some(Token::Sign(',')) => {}
                            Some(Token::Sign(')')) => break,
                            other => return Err(unread(other)),
                        }
                    }
                }
                (other, _) => return Err(unread(other)),
            },
            other => return Err(unread(Some(other))),
        }
    }
    Ok(found)
}
