//! Checks that the pages of `docs/` are a book (`book.toml`), and that the links of the documentation lead somewhere.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::collections::{BTreeMap, BTreeSet};
use std::fs::read_to_string;
use std::path::{Component, Path, PathBuf};

/// The pages outside of the book whose links are checked.
const BESIDE: [&str; 5] = ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "SECURITY.md", "CHANGELOG.md"];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Collects the Markdown files of a folder, with their paths from the root of the workspace.
fn collect(folder: &Path, found: &mut BTreeSet<PathBuf>) {
    for entry in std::fs::read_dir(root().join(folder)).unwrap() {
        let entry = entry.unwrap();
        let path = folder.join(entry.file_name());
        if entry.path().is_dir() {
            collect(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "md") {
            found.insert(path);
        }
    }
}

/// Returns the Markdown files of `docs/`.
fn docs() -> BTreeSet<PathBuf> {
    let mut found = BTreeSet::new();
    collect(Path::new("docs"), &mut found);
    found
}

/// Returns the lines outside of fenced code blocks.
fn outside_fences(text: &str) -> Vec<&str> {
    let mut fence = None;
    let mut lines = Vec::new();
    for line in text.lines() {
        let start = line.trim_start();
        let marks = start.len() - start.trim_start_matches('`').len();
        match fence {
            Some(opened) if marks >= opened && start[marks..].trim().is_empty() => fence = None,
            Some(_) => {}
            None if marks >= 3 => fence = Some(marks),
            None => lines.push(line),
        }
    }
    lines
}

/// Returns a line without its code spans.
fn without_code(line: &str) -> String {
    let mut out = String::new();
    let mut rest = line;
    while let Some(begin) = rest.find('`') {
        out.push_str(&rest[..begin]);
        let behind = rest[begin..].trim_start_matches('`');
        let marks = &rest[begin..rest.len() - behind.len()];
        let mut searched = behind;
        rest = loop {
            let Some(place) = searched.find(marks) else { break behind };
            let end = searched[place..].trim_start_matches('`');
            if searched.len() - place - end.len() == marks.len() {
                break end;
            }
            searched = end;
        };
    }
    out + rest
}

/// Returns the targets of the links in a page, without those that lead to another host.
fn links(text: &str) -> Vec<String> {
    let lines: Vec<String> = outside_fences(text).into_iter().map(without_code).collect();
    let targets = lines.iter().flat_map(|line| line.split("](").skip(1));
    let targets = targets.filter_map(|rest| rest.split_once(')')).map(|(target, _)| target);
    targets.filter(|target| !target.contains("://")).map(str::to_owned).collect()
}

/// Returns the anchor of a heading, by the rules of GitHub and of mdBook.
fn anchor(heading: &str) -> String {
    let mut words = String::new();
    let mut rest = heading;
    // Of a link in a heading, only its words count.
    while let Some((before, (_, after))) =
        rest.split_once("](").and_then(|(b, a)| Some((b, a.split_once(')')?)))
    {
        words.push_str(before);
        rest = after;
    }
    words.push_str(rest);
    words
        .trim()
        .chars()
        .filter_map(|c| match c {
            '-' | '_' => Some(c.to_string()),
            _ if c.is_whitespace() => Some('-'.to_string()),
            _ if c.is_alphanumeric() => Some(c.to_lowercase().to_string()),
            _ => None,
        })
        .collect()
}

/// Returns the anchors of a page; a heading that occurs again gets a number.
fn anchors(text: &str) -> BTreeSet<String> {
    let mut times: BTreeMap<String, usize> = BTreeMap::new();
    let headings = outside_fences(text).into_iter().filter_map(|line| {
        let words = line.trim_start_matches('#');
        let level = line.len() - words.len();
        (1..=6).contains(&level).then(|| words.strip_prefix(' ')).flatten()
    });
    let mut found = BTreeSet::new();
    for heading in headings {
        let name = anchor(heading);
        let before = times.entry(name.clone()).or_default();
        found.insert(if *before == 0 { name } else { format!("{name}-{before}") });
        *before += 1;
    }
    found
}

/// Returns the path to which a link leads, from the root of the workspace.
fn target(page: &Path, path: &str) -> PathBuf {
    if path.is_empty() {
        return page.to_owned();
    }
    let mut found = PathBuf::new();
    for part in page.parent().unwrap().join(path).components() {
        match part {
            Component::ParentDir => assert!(found.pop(), "{} links to {path}", page.display()),
            Component::CurDir => {}
            _ => found.push(part),
        }
    }
    found
}

#[test]
fn the_summary_lists_every_page_once_and_no_page_that_does_not_exist() {
    let summary = Path::new("docs/SUMMARY.md");
    let text = read_to_string(root().join(summary)).unwrap();
    let mut pages = docs();
    assert!(pages.remove(summary));
    let mut listed = BTreeSet::new();
    for link in links(&text) {
        let page = target(summary, &link);
        assert!(pages.contains(&page), "docs/SUMMARY.md lists {}, which does not exist", page.display());
        assert!(listed.insert(page.clone()), "docs/SUMMARY.md lists {} twice", page.display());
    }
    let missing: Vec<_> = pages.difference(&listed).collect();
    assert!(missing.is_empty(), "docs/SUMMARY.md does not list {missing:?}");
}

#[test]
fn every_link_of_the_documentation_leads_to_a_file_and_a_heading_that_exist() {
    let mut checked = 0;
    let mut wrong = Vec::new();
    let mut known: BTreeMap<PathBuf, BTreeSet<String>> = BTreeMap::new();
    let beside = BESIDE.iter().map(PathBuf::from);
    for page in docs().into_iter().chain(beside) {
        let text = read_to_string(root().join(&page)).unwrap();
        for link in links(&text) {
            checked += 1;
            let (path, heading) = link.split_once('#').unwrap_or((&link, ""));
            let found = target(&page, path);
            if !root().join(&found).exists() {
                wrong.push(format!("{}: {link}: no such file", page.display()));
                continue;
            }
            let anchors = || anchors(&read_to_string(root().join(&found)).unwrap());
            if !heading.is_empty() && !known.entry(found.clone()).or_insert_with(anchors).contains(heading) {
                wrong.push(format!("{}: {link}: no such heading", page.display()));
            }
        }
    }
    assert!(checked > 300, "{checked} links");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// A book holds only what is in its folder: a link to anything else is broken there.
#[test]
fn no_page_of_the_book_links_to_a_file_outside_of_the_book() {
    for page in docs() {
        for link in links(&read_to_string(root().join(&page)).unwrap()) {
            let found = target(&page, link.split('#').next().unwrap());
            assert!(found.starts_with("docs"), "{}: name {link} as code", page.display());
        }
    }
}

/// A decision says what was to be decided; all decisions are for the same readers, whom their list names.
#[test]
fn every_page_begins_with_who_needs_it() {
    let mut wrong = Vec::new();
    for page in docs() {
        if page.ends_with("SUMMARY.md") || page.starts_with("docs/decisions") {
            continue;
        }
        let text = read_to_string(root().join(&page)).unwrap();
        let first = text.split("\n\n").nth(1).unwrap_or_default();
        if !["For ", "This page is for "].iter().any(|words| first.starts_with(words)) {
            wrong.push(format!("{}: {first}", page.display()));
        }
    }
    assert!(wrong.is_empty(), "no word of whom they are for:\n{}", wrong.join("\n"));
}

#[test]
fn links_in_code_do_not_count() {
    let text = "[a](a.md), `[b](b.md)` and ``[`c`](c.md)``, ` [d](d.md#e)\n\
        ```text\n[f](f.md)\n````\n[g](g.md) [h](https://example.org/h)\n  ```\n[i](i.md)\n```x\n  ```\n[j](#j)";
    assert_eq!(links(text), ["a.md", "d.md#e", "g.md", "#j"]);
}

#[test]
fn anchors_are_made_of_headings_as_github_and_mdbook_make_them() {
    let text = "# Who, and `what-is` it?\n## A [link](a.md#b) – and_more\n## Twice\n### Twice\n#hash\n\
        ```\n# code\n```\n## The “$MFT” (2)";
    let expected = ["who-and-what-is-it", "a-link--and_more", "twice", "twice-1", "the-mft-2"];
    assert_eq!(anchors(text), expected.map(str::to_owned).into());
}
