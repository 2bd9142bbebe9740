//! Checks that text for users is plain English: it must not contain the phrases in `banned.txt` (docs/style.md).
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::fs::read_to_string;
use std::path::{Path, PathBuf};

/// The crates whose strings users read, and whether they also read its doc comments, from which `--help` is generated.
const CRATES: [(&str, bool); 4] = [("cli", true), ("mcp", false), ("report", false), ("view", false)];

/// Returns each banned phrase, in lower case, with what to write instead.
fn banned() -> Vec<(String, String)> {
    let text = read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/banned.txt")).unwrap();
    let pair = |line: &str| {
        let (phrase, instead) = line.split_once('\t').unwrap();
        assert!(!phrase.trim().is_empty() && !instead.trim().is_empty(), "{line:?}");
        (phrase.to_lowercase(), instead.to_owned())
    };
    text.lines().map(pair).collect()
}

fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            sources(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
}

/// Returns the string literals of Rust source, without their escapes and line breaks, and optionally the `///` comments.
fn texts(source: &str, with_docs: bool) -> Vec<String> {
    let mut texts = Vec::new();
    let mut rest = source;
    while let Some(first) = rest.chars().next() {
        let line = rest.lines().next().unwrap_or_default();
        if rest.starts_with("//") {
            if let Some(doc) = line.strip_prefix("///").filter(|_| with_docs) {
                texts.push(doc.to_owned());
            }
            rest = &rest[line.len()..];
        } else if let Some(raw) = raw(rest) {
            texts.push(raw.to_owned());
            // It is surrounded by `r`, the marks on both sides and both quotation marks.
            let marks = rest[1..].chars().take_while(|c| *c == '#').count();
            rest = &rest[raw.len() + 2 * marks + 3..];
        } else if first == '"' {
            let end = closing(&rest[1..]);
            texts.push(rest[1..1 + end].to_owned());
            rest = rest.get(end + 2..).unwrap_or_default();
        } else if first == '\'' {
            rest = &rest[character(rest)..];
        } else if first.is_alphanumeric() || first == '_' {
            let end = rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len());
            rest = &rest[end..];
        } else {
            rest = &rest[first.len_utf8()..];
        }
    }
    texts.iter().map(|text| plain(text)).collect()
}

/// Returns the content of a raw string literal that starts here.
fn raw(rest: &str) -> Option<&str> {
    let behind = rest.strip_prefix('r')?;
    let text = behind.trim_start_matches('#');
    let end = format!("\"{}", "#".repeat(behind.len() - text.len()));
    let text = text.strip_prefix('"')?;
    text.get(..text.find(&end)?)
}

/// Returns the position of the quotation mark that ends a string literal.
fn closing(text: &str) -> usize {
    let mut is_escaped = false;
    for (place, c) in text.char_indices() {
        match c {
            '"' if !is_escaped => return place,
            _ => is_escaped = c == '\\' && !is_escaped,
        }
    }
    text.len()
}

/// Returns the length of a character literal, or of a lifetime's apostrophe.
fn character(rest: &str) -> usize {
    let behind = &rest[1..];
    let first = behind.chars().next().map_or(0, char::len_utf8);
    match behind.starts_with('\\') {
        true => behind.get(2..).and_then(|end| end.find('\'')).map_or(1, |end| end + 4),
        false if behind.get(first..).is_some_and(|end| end.starts_with('\'')) => first + 2,
        false => 1,
    }
}

/// Returns a text in lower case, with single spaces in place of escapes, line breaks and indentation.
fn plain(text: &str) -> String {
    let text = text.replace("\\n", " ").replace("\\\n", " ").replace("\\\"", "\"");
    text.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase()
}

/// Checks whether a phrase occurs in a text, as whole words.
fn holds(text: &str, phrase: &str) -> bool {
    let is_word = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() || c == '_');
    text.match_indices(phrase).any(|(place, _)| {
        !is_word(text[..place].chars().next_back()) && !is_word(text[place + phrase.len()..].chars().next())
    })
}

#[test]
fn what_users_read_has_none_of_the_banned_phrases() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut read: Vec<(String, String)> = Vec::new();
    for (name, with_docs) in CRATES {
        let mut files = Vec::new();
        sources(&root.join("crates").join(name).join("src"), &mut files);
        for file in files {
            let texts = texts(&read_to_string(&file).unwrap(), with_docs);
            read.extend(texts.into_iter().map(|text| (file.display().to_string(), text)));
        }
    }
    assert!(read.len() > 2_000, "{} texts", read.len());
    let page = read_to_string(root.join("README.md")).unwrap();
    read.push(("README.md".to_owned(), plain(&page)));
    let page = read_to_string(root.join("docs/style.md")).unwrap();
    let outside: Vec<&str> = page.lines().filter(|line| !line.starts_with('|')).collect();
    read.push(("docs/style.md".to_owned(), plain(&outside.join("\n"))));
    let mut wrong = Vec::new();
    for (phrase, instead) in banned() {
        for (place, text) in read.iter().filter(|(_, text)| holds(text, &phrase)) {
            wrong.push(format!("{place}: {phrase:?}; write {instead:?}: {text:.160}"));
        }
    }
    assert!(wrong.is_empty(), "docs/style.md says why:\n{}", wrong.join("\n"));
}

#[test]
fn phrases_are_found_in_strings_and_doc_comments_and_not_elsewhere() {
    let source = r##"
        /// Told By nobody
        // told by a comment
        fn told<'a>(by: &'a str) -> char { let _ = ('"', '\'', '\u{22}', "x \"told \
            by\" y", r#"a "raw" told by"#, b"bytes"); told_by!("untold by", 'r') }
    "##;
    let found = |with_docs| texts(source, with_docs).iter().filter(|text| holds(text, "told by")).count();
    assert_eq!((found(true), found(false)), (3, 2));
    assert_eq!(texts(source, false).len(), 4, "{:?}", texts(source, false));
}
