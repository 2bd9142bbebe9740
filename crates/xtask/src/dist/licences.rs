//! `THIRD-PARTY.txt`: the licences of everything that is linked, with their texts.
//!
//! The texts are those in the packages' sources, including those of embedded C libraries; equal texts appear once.

use super::bundled::Bundled;
use super::packages::Package;
use std::collections::BTreeMap;
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};

/// The prefixes of licence file names.
const BEGINNINGS: [&str; 7] =
    ["LICENSE", "LICENCE", "COPYING", "COPYRIGHT", "NOTICE", "UNLICENSE", "PATENTS"];

/// Extensions of files that have such a prefix but are not licences.
const OTHERS: [&str; 10] = ["rs", "c", "h", "py", "sh", "json", "toml", "html", "tmpl", "yml"];

/// The maximum depth below a package's folder: `c_src/library/LICENSE`.
const DEPTH: usize = 3;

/// The licence if there is no SPDX expression.
const UNNAMED: &str = "no expression, see the texts";

const RULE: &str = "--------------------------------------------------------------------------------";

/// Returns the whole text: first the software with its licences, then the numbered texts.
pub(super) fn third_party(packages: &[Package], besides: &[Bundled]) -> String {
    let mut texts = Texts::default();
    let mut out = String::from(
        "Locard links the following software. Each entry names its licence as an SPDX expression\n\
         and, by their numbers below, the texts that come with it.\n\n",
    );
    for bundled in besides {
        let mut own: Vec<(String, String)> =
            bundled.files.iter().filter_map(|path| Some((name(path), read(path)?))).collect();
        own.extend(bundled.notice.map(|notice| ("notice".to_owned(), notice.to_owned())));
        let carrier = packages.iter().find(|package| bundled.within == Some(package.key()));
        own.extend(carrier.into_iter().flat_map(found));
        let numbers = texts.add(own);
        entry(&mut out, &bundled.title(), bundled.licence.unwrap_or(UNNAMED), None, &numbers);
    }
    for package in packages.iter().filter(|package| !package.ours) {
        let numbers = texts.add(found(package));
        let licence = package.licence.as_deref().unwrap_or(UNNAMED);
        let title = format!("{} {}", package.name, package.version);
        entry(&mut out, &title, licence, package.repository.as_deref(), &numbers);
    }
    for (text, number) in texts.in_order() {
        let _ = write!(out, "\n{RULE}\n[{number}]\n\n{text}\n");
    }
    out
}

fn entry(out: &mut String, title: &str, licence: &str, repository: Option<&str>, numbers: &[String]) {
    let _ = writeln!(out, "{title}\n  licence: {licence}");
    if let Some(repository) = repository {
        let _ = writeln!(out, "  source:  {repository}");
    }
    match numbers {
        [] => out.push_str("  texts:   none: it comes without the text of its licence\n"),
        numbers => {
            let _ = writeln!(out, "  texts:   {}", numbers.join(", "));
        }
    }
}

/// The texts so far, with their numbers.
#[derive(Default)]
struct Texts(BTreeMap<String, usize>);

impl Texts {
    /// Adds texts; returns their references: `[3] LICENSE-MIT`.
    fn add(&mut self, found: Vec<(String, String)>) -> Vec<String> {
        let mut named = Vec::new();
        for (name, text) in found {
            let next = self.0.len() + 1;
            let number = *self.0.entry(text).or_insert(next);
            named.push(format!("[{number}] {name}"));
        }
        named
    }

    fn in_order(&self) -> Vec<(&str, usize)> {
        let mut texts: Vec<_> = self.0.iter().map(|(text, number)| (text.as_str(), *number)).collect();
        texts.sort_by_key(|(_, number)| *number);
        texts
    }
}

/// Returns the texts of a package, each with its path within the package's folder.
fn found(package: &Package) -> Vec<(String, String)> {
    let mut paths = Vec::new();
    gather(&package.folder, DEPTH, &mut paths);
    paths.extend(package.licence_file.clone());
    paths.sort();
    paths.dedup();
    let shown = |path: &PathBuf| {
        let inner = path.strip_prefix(&package.folder).unwrap_or(path);
        Some((inner.to_string_lossy().into_owned(), read(path)?))
    };
    paths.iter().filter_map(shown).collect()
}

/// Collects licence files. A folder that cannot be read has none: its package is then reported to have none.
fn gather(folder: &Path, depth: usize, paths: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        match entry.file_type() {
            Ok(kind) if kind.is_dir() && depth > 0 => gather(&path, depth - 1, paths),
            Ok(kind) if kind.is_file() && holds_a_licence(&name(&path)) => paths.push(path),
            _ => {}
        }
    }
}

fn holds_a_licence(name: &str) -> bool {
    let upper = name.to_ascii_uppercase();
    let other = Path::new(name).extension().is_some_and(|end| OTHERS.iter().any(|other| end == *other));
    !other && BEGINNINGS.iter().any(|beginning| upper.starts_with(beginning))
}

fn name(path: &Path) -> String {
    path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default()
}

/// Reads a text with normalised line ends, so that equal licences are equal texts; `None` if there is none.
fn read(path: &Path) -> Option<String> {
    let mut text = String::from_utf8_lossy(&fs::read(path).ok()?).replace('\r', "");
    if path.extension().is_some_and(|end| end == "html") {
        text = plain(&text);
    }
    let lines: Vec<_> = text.trim_matches('\n').lines().map(str::trim_end).collect();
    Some(lines.join("\n")).filter(|text| !text.trim().is_empty())
}

/// Returns the words of a page without its tags.
fn plain(page: &str) -> String {
    let mut words = String::new();
    for (number, part) in page.split('<').enumerate() {
        let text = if number == 0 { part } else { part.split_once('>').map_or("", |(_, text)| text) };
        words.push_str(text);
    }
    let marks = [("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&#39;", "'"), ("&amp;", "&")];
    marks.into_iter().fold(words, |words, (mark, letter)| words.replace(mark, letter))
}

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "a test writes its packages")]
mod tests {
    use super::*;
    use crate::dist::packages::tests::package;

    fn put(folder: &Path, name: &str, text: &str) {
        let path = folder.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    #[test]
    fn each_text_stands_once_and_is_named_by_all_who_come_with_it() {
        let home = tempfile::tempdir().unwrap();
        let (one, two) = (home.path().join("one"), home.path().join("two"));
        put(&one, "LICENSE-MIT", "the same\nwords\n");
        put(&one, "c_src/library/COPYING", "of the library");
        put(&two, "license.txt", "\r\nthe same\r\nwords  \r\n");
        put(&two, "licenses.rs", "fn code() {}");
        let packages = [package("one", Some("MIT"), &one), package("two", Some("MIT"), &two)];
        let text = third_party(&packages, &[]);
        assert_eq!(text.matches("the same\nwords").count(), 1, "{text}");
        assert!(text.contains("[1] LICENSE-MIT, [2] c_src/library/COPYING"), "{text}");
        assert!(text.contains("two 1.0.0\n  licence: MIT\n  texts:   [1] license.txt\n"), "{text}");
        assert!(!text.contains("code"), "{text}");
    }

    #[test]
    fn what_comes_without_a_text_says_so() {
        let home = tempfile::tempdir().unwrap();
        let mut own = package("ours", Some("GPL-3.0-or-later"), home.path());
        own.ours = true;
        let library = Bundled {
            name: "libx",
            version: String::new(),
            licence: Some("MIT"),
            cpe: None,
            within: None,
            notice: None,
            files: vec![home.path().join("gone")],
        };
        let text = third_party(&[package("bare", None, home.path()), own], &[library]);
        let bare = "bare 1.0.0\n  licence: no expression, see the texts\n  texts:   none: ";
        assert!(text.contains(bare) && text.contains("libx\n  licence: MIT\n  texts:   none: "), "{text}");
        assert!(!text.contains("ours"), "{text}");
    }

    #[test]
    fn a_page_is_read_without_its_tags() {
        assert_eq!(plain("<p class=\"a\">A &amp; B &lt;c@d&gt;</p>"), "A & B <c@d>");
    }
}
