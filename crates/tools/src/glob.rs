//! Patterns of names and paths: `*`, `?`, `**` and `{a,b}`, ignoring case.

use crate::drives;
use crate::error::CallError;
use crate::place;
use evidence::{EvidencePath, Node, NodeKind, ReadError, Tree};
use ledger::pattern::{self, fits};
use std::collections::BTreeSet;

/// The most characters of a pattern: because names and paths are bounded, too, so is the work for one entry.
const MAX_PATTERN: usize = 1024;

/// The most patterns that alternatives expand to.
const MAX_ALTERNATIVES: usize = 64;

/// A pattern for the names or paths of entries.
///
/// `{a,b}` means either; a name that is literally written so is found, too.
/// Braces without a comma are literal, because names in Windows contain GUIDs.
/// After a dot or a star, as in `*.{exe}`, they can also mean what is inside them.
/// `[` and `]` are always literal: browsers create names such as `copy[1].htm`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Glob {
    /// The pattern in normal form, which parses to the same pattern.
    written: String,
    /// One of these must match.
    alternatives: Vec<Alternative>,
}

/// A pattern without alternatives.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Alternative {
    /// A name: `*` for any run of characters, `?` for one.
    Name(String),
    /// A whole path from the root of the evidence, one pattern per name; `**` alone means any number of names, including none.
    Path(Vec<String>),
}

/// A pattern as it applies to one tree.
pub(crate) struct Resolved {
    /// `None` if none of its drives is in the tree.
    pub(crate) glob: Option<Glob>,
    /// The letters of drives that are not in the tree; the pattern was not searched there.
    pub(crate) unmapped: Vec<char>,
    /// Set if no alternative can match because the folders at its beginning do not exist: the deepest ones that do.
    pub(crate) nowhere: Option<Vec<EvidencePath>>,
}

/// The result of applying a pattern to a tree.
enum Here {
    /// One pattern for each folder that its drive can mean, or for each volume, if it names no drive.
    In(Vec<Alternative>),
    /// The folders at its beginning do not exist; `meant` is what it would be if they did.
    Nowhere { meant: Vec<Alternative>, deepest: Vec<EvidencePath> },
}

impl Glob {
    /// Parses the argument `argument`; with a separator it becomes a pattern of paths.
    pub(crate) fn read(argument: &'static str, text: &str) -> Result<Glob, CallError> {
        let error = |expected| CallError::Argument { argument, expected, found: text.to_owned() };
        if text.chars().count() > MAX_PATTERN {
            return Err(error("at most 1024 characters"));
        }
        if text.chars().any(char::is_control) {
            return Err(error("no control characters: names of evidence are written without them"));
        }
        if is_left_open(text) {
            let (expected, found) = ("braces that are closed, as in {a,b}", text.to_owned());
            return Err(CallError::Unfitting { argument, expected, found });
        }
        let stripped = place::without_device(text);
        let is_path = text.contains(['/', '\\']);
        let mut texts = Vec::new();
        if !expand(stripped, &mut texts) {
            return Err(error("at most 64 combinations of alternatives"));
        }
        if texts != [stripped] {
            texts.push(stripped.to_owned());
        }
        let mut alternatives = Vec::new();
        for text in &texts {
            let one = Alternative::read(text, is_path);
            alternatives.push(one.map_err(&error)?);
        }
        let written = match alternatives.as_slice() {
            [one] => one.written(),
            _ => stripped.to_owned(),
        };
        Ok(Glob { written, alternatives })
    }

    /// Resolves the pattern for `tree`: a drive letter becomes the folders that the drive can mean.
    pub(crate) fn resolve(&self, tree: &dyn Tree) -> Result<Resolved, ReadError> {
        let (mut alternatives, mut unmapped) = (Vec::new(), Vec::new());
        let (mut stand, mut nearest) = (false, BTreeSet::new());
        for one in &self.alternatives {
            match one.resolve(tree)? {
                Here::In(here) => {
                    stand = true;
                    unmapped.extend(one.letter().filter(|_| here.is_empty()));
                    alternatives.extend(here);
                }
                Here::Nowhere { meant, deepest } => {
                    alternatives.extend(meant);
                    nearest.extend(deepest);
                }
            }
        }
        unmapped.sort_unstable();
        unmapped.dedup();
        let nowhere = (!stand).then(|| nearest.into_iter().collect());
        let written = match (alternatives.as_slice(), self.alternatives.len()) {
            ([], _) => return Ok(Resolved { glob: None, unmapped, nowhere }),
            ([one], 1) => one.written(),
            _ => self.written.clone(),
        };
        Ok(Resolved { glob: Some(Glob { written, alternatives }), unmapped, nowhere })
    }

    /// Returns the pattern in normal form, which parses to the same pattern.
    pub(crate) fn written(&self) -> String {
        self.written.clone()
    }

    /// Returns the patterns, one of which must match.
    pub(crate) fn alternatives(&self) -> &[Alternative] {
        &self.alternatives
    }

    /// Checks whether it is a pattern of names only.
    pub(crate) fn is_name(&self) -> bool {
        self.alternatives.iter().all(|one| matches!(one, Alternative::Name(_)))
    }

    /// Checks whether the entry at `path` matches.
    pub(crate) fn fits(&self, path: &EvidencePath) -> bool {
        self.alternatives.iter().any(|one| one.fits(path))
    }

    /// Checks whether something below `folder` can match.
    pub(crate) fn reaches_below(&self, folder: &EvidencePath) -> bool {
        self.alternatives.iter().any(|one| match one {
            Alternative::Name(_) => true,
            Alternative::Path(names) => reaches_below(names, folder.components()),
        })
    }

    /// Returns a pattern for the folders on its way; `None` if it names none: a pattern of names, or of everything below `**`.
    pub(crate) fn folders(&self) -> Option<Glob> {
        let of_path = |one: &Alternative| match one {
            Alternative::Name(_) => Vec::new(),
            Alternative::Path(names) => {
                let ends = 1..names.len();
                let named = ends.filter(|end| names.get(end - 1).is_some_and(|name| name != "**"));
                named.filter_map(|end| Some(Alternative::Path(names.get(..end)?.to_vec()))).collect()
            }
        };
        let alternatives: Vec<_> = self.alternatives.iter().flat_map(of_path).collect();
        (!alternatives.is_empty()).then(|| Glob { written: self.written.clone(), alternatives })
    }

    /// Returns what was expected, if the pattern seems to be meant for another program, so that hardly any name can match.
    pub(crate) fn otherwise(&self) -> Option<&'static str> {
        let names = self.alternatives.iter().filter_map(|one| match one {
            Alternative::Name(name) => Some(name),
            Alternative::Path(names) => names.last().filter(|_| names.len() > 1),
        });
        let expected = names.map(|name| otherwise(name)).collect::<Option<Vec<_>>>();
        expected?.first().copied()
    }
}

/// Returns what was expected instead of a name with characters that Windows names never have, or with another pattern language's syntax.
fn otherwise(name: &str) -> Option<&'static str> {
    let is_file = |part: &str| {
        let part = part.trim();
        part.contains('*') || part.rsplit_once('.').is_some_and(|(_, end)| (1..=4).contains(&end.len()))
    };
    let is_list = |sign: char| name.contains(sign) && name.split(sign).all(is_file);
    match name {
        name if name.contains(':') => Some(
            "a name that is here; a drive is written with what is asked for in it, as C:/*, and a stream is asked for with \"with_stream\"",
        ),
        name if name.contains(['|', '<', '>', '"', '“', '”'])
            || is_list(',')
            || is_list(';')
            || name.contains(" OR ")
            || name.contains(" or ") =>
        {
            Some("one pattern, without quotes; alternatives are written {a,b}")
        }
        name if name.starts_with('^') || name.len() > 1 && name.ends_with('$') || name.starts_with("(?") => {
            Some("a pattern with * for any characters and ? for one, not a regular expression")
        }
        name if name.starts_with('!') || name.starts_with("-i") || name.starts_with("-n") => {
            Some("what the name is like; nothing leaves names out")
        }
        name if name.len() > 1 && (name.starts_with('%') || name.ends_with('%')) => {
            Some("a pattern with * for any characters; a variable is followed by a slash, as in %TEMP%/*")
        }
        _ => None,
    }
}

/// Checks whether a path pattern continues below a folder.
fn reaches_below<'p>(names: &[String], mut folder: impl Iterator<Item = &'p str>) -> bool {
    let mut names = names.iter();
    loop {
        match (names.next(), folder.next()) {
            (None, _) => return false,
            (Some(name), _) if name == "**" => return true,
            (Some(_), None) => return true,
            (Some(name), Some(part)) if fits(name, part) => {}
            (Some(_), Some(_)) => return false,
        }
    }
}

/// Checks whether a brace with alternatives is not closed.
fn is_left_open(text: &str) -> bool {
    // For each open brace, whether it contains alternatives.
    let mut open: Vec<bool> = Vec::new();
    for letter in text.chars() {
        match letter {
            '{' => open.push(false),
            '}' => drop(open.pop()),
            ',' => open.iter_mut().last().into_iter().for_each(|has| *has = true),
            _ => {}
        }
    }
    open.contains(&true)
}

impl Alternative {
    fn read(text: &str, is_path: bool) -> Result<Alternative, &'static str> {
        let names: Vec<_> =
            text.split(['/', '\\']).filter(|name| !name.is_empty()).map(str::to_owned).collect();
        if names.is_empty() {
            return Err("a pattern of a name or a path");
        }
        if names.iter().any(|name| matches!(name.as_str(), "." | "..")) {
            return Err("names and no . or ..");
        }
        Ok(if is_path { Alternative::Path(names) } else { Alternative::Name(text.to_owned()) })
    }

    /// Resolves the pattern for `tree`.
    fn resolve(&self, tree: &dyn Tree) -> Result<Here, ReadError> {
        let as_is = || Ok(Here::In(vec![self.clone()]));
        let Alternative::Path(names) = self else { return as_is() };
        let Some((first, below)) = names.split_first() else { return as_is() };
        let any_drive = matches!(first.as_str(), "?:" | "*:");
        if self.letter().is_some() || any_drive {
            let tops = match self.letter() {
                Some(letter) => drives::of_letter(tree, letter)?,
                None => drives::volumes(tree)?,
            };
            return Ok(in_one_of(tree, tops, fixed(below), below));
        }
        if first == "**" {
            return as_is();
        }
        if first.contains(['*', '?']) {
            return below_each_top(tree, first, below);
        }
        let root = EvidencePath::root();
        // A pattern of a single name is searched for where that name exists.
        let folders = match fixed(names) {
            [] => std::slice::from_ref(first),
            folders => folders,
        };
        if deepest(tree, &root, folders, names.len() > 1).1 {
            return as_is();
        }
        // A path such as `Users/…` is meant from the root of a volume, and volumes are below the root here.
        Ok(in_one_of(tree, tops(tree)?, folders, names))
    }

    /// Checks whether the pattern's leading folders are those on the way to `path`, or `path` itself.
    pub(crate) fn leads_to(&self, path: &EvidencePath) -> bool {
        let Alternative::Path(names) = self else { return true };
        let mut parts = path.components();
        fixed(names).iter().all(|name| parts.next().is_some_and(|part| pattern::same(name, part)))
    }

    /// Returns the drive letter that it begins with.
    fn letter(&self) -> Option<char> {
        match self {
            Alternative::Name(_) => None,
            Alternative::Path(names) => names.first().and_then(|name| drives::letter(name)),
        }
    }

    fn written(&self) -> String {
        match self {
            Alternative::Name(name) => name.clone(),
            // Without the leading slash, a single name would no longer be a pattern of paths.
            Alternative::Path(names) => format!("/{}", names.join("/")),
        }
    }

    fn fits(&self, path: &EvidencePath) -> bool {
        match self {
            Alternative::Name(name) => fits(name, path.name()),
            Alternative::Path(names) => fits_path(names, &path.components().collect::<Vec<_>>()),
        }
    }
}

/// Returns the literal folders at the beginning of a path pattern, if wildcards follow; else its first name.
fn fixed(names: &[String]) -> &[String] {
    let is_pattern = |name: &String| name.contains(['*', '?']);
    let folders = names.iter().position(is_pattern).unwrap_or(1);
    names.get(..folders.min(names.len().saturating_sub(1))).unwrap_or_default()
}

/// Returns the root and the volumes.
fn tops(tree: &dyn Tree) -> Result<Vec<EvidencePath>, ReadError> {
    let tops: BTreeSet<_> = drives::volumes(tree)?.into_iter().chain([EvidencePath::root()]).collect();
    Ok(tops.into_iter().collect())
}

/// Resolves a path pattern whose first name has wildcards: below the root and each volume that has folders which it can lead through.
fn below_each_top(tree: &dyn Tree, first: &str, below: &[String]) -> Result<Here, ReadError> {
    let tops = tops(tree)?;
    let names: Vec<String> = std::iter::once(first.to_owned()).chain(below.iter().cloned()).collect();
    let (mut found, mut nearest) = (Vec::new(), BTreeSet::new());
    for top in &tops {
        let Some(node) = tree.node(top)? else { continue };
        // A folder that cannot be listed may contain a match; the walk reports it.
        let Ok(listing) = tree.children(&node) else {
            found.push(inside(top, &names));
            continue;
        };
        let leads_on = |child: &Node| below.is_empty() || child.kind != NodeKind::File;
        let fitting = listing.nodes.iter().filter(|child| fits(first, &child.name) && leads_on(child));
        let reached: Vec<_> = fitting.map(|child| deepest(tree, &child.path, fixed(below), true)).collect();
        if reached.iter().any(|(_, is_whole)| *is_whole) {
            found.push(inside(top, &names));
        }
        nearest.extend(reached.into_iter().map(|(path, _)| path));
    }
    if !found.is_empty() {
        return Ok(Here::In(found));
    }
    if nearest.is_empty() {
        nearest.extend(tops.iter().cloned());
    }
    let meant = tops.iter().map(|top| inside(top, &names)).collect();
    Ok(Here::Nowhere { meant, deepest: nearest.into_iter().collect() })
}

/// Returns the pattern below a folder.
fn inside(top: &EvidencePath, names: &[String]) -> Alternative {
    let top = top.components().map(str::to_owned);
    Alternative::Path(top.chain(names.iter().cloned()).collect())
}

/// Returns the pattern below each of `tops` that has the folders at its beginning; if none has, below the likeliest ones.
fn in_one_of(tree: &dyn Tree, tops: Vec<EvidencePath>, folders: &[String], names: &[String]) -> Here {
    let leads_on = names.len() > folders.len();
    let reached: Vec<_> = tops.into_iter().map(|top| (deepest(tree, &top, folders, leads_on), top)).collect();
    let whole = reached.iter().filter(|((_, is_whole), _)| *is_whole);
    let found: Vec<_> = whole.map(|(_, top)| inside(top, names)).collect();
    if reached.is_empty() || !found.is_empty() {
        return Here::In(found);
    }
    let is_begun = |((path, _), top): &&((EvidencePath, bool), EvidencePath)| path != top;
    let begun: Vec<_> = reached.iter().filter(is_begun).collect();
    let likely = if begun.is_empty() { reached.iter().collect() } else { begun };
    let meant = likely.iter().map(|(_, top)| inside(top, names)).collect();
    Here::Nowhere { meant, deepest: likely.into_iter().map(|((path, _), _)| path.clone()).collect() }
}

/// Returns how far a chain of folders exists, and whether all of it does; what cannot be read counts as existing.
///
/// If something is to follow below the last name, a file does not count.
fn deepest(tree: &dyn Tree, top: &EvidencePath, names: &[String], leads_on: bool) -> (EvidencePath, bool) {
    let mut path = top.clone();
    for name in names {
        let Ok(next) = path.child(name) else { return (path, true) };
        let is_dead_end = match tree.node(&next) {
            Ok(None) => true,
            Ok(Some(node)) => leads_on && node.kind == NodeKind::File,
            Err(_) => false,
        };
        if is_dead_end {
            return (path, false);
        }
        path = next;
    }
    (path, true)
}

/// Returns the pattern and the expansions of `{a,b}` in it; `None` if there are too many.
pub(crate) fn alternatives(text: &str) -> Option<Vec<String>> {
    let mut all = Vec::new();
    expand(text, &mut all).then_some(())?;
    if all != [text] {
        all.push(text.to_owned());
    }
    Some(all)
}

/// Expands `{a,b}`, also nested; `false` if there are too many.
fn expand(text: &str, all: &mut Vec<String>) -> bool {
    let Some((before, choices, after)) = choices(text) else {
        all.push(text.to_owned());
        return all.len() <= MAX_ALTERNATIVES;
    };
    // People write lists with spaces after the commas.
    choices.iter().all(|choice| expand(&format!("{before}{}{after}", choice.trim()), all))
}

/// Returns the first pair of braces that has a comma of its own, or follows a dot or a star.
fn choices(text: &str) -> Option<(&str, Vec<&str>, &str)> {
    text.match_indices('{').find_map(|(start, _)| {
        let inside = text.get(start + 1..)?;
        let (mut depth, mut from, mut found) = (0, 0, Vec::new());
        for (at, letter) in inside.char_indices() {
            match letter {
                '{' => depth += 1,
                '}' if depth > 0 => depth -= 1,
                ',' if depth == 0 => {
                    found.push(inside.get(from..at)?);
                    from = at + 1;
                }
                '}' if found.is_empty() && !text.get(..start)?.ends_with(['.', '*']) => return None,
                '}' => {
                    found.push(inside.get(from..at)?);
                    return Some((text.get(..start)?, found, inside.get(at + 1..)?));
                }
                _ => {}
            }
        }
        None
    })
}

/// Refuses a regular expression, which would silently match nothing.
///
/// A file whose name looks like one is still found with `?` for one of its characters, or with `/` as separator.
pub(crate) fn no_expression(argument: &str, text: &str) -> Result<(), CallError> {
    let starts = text.starts_with('^') && (text.contains('*') || text.ends_with('$'));
    let ends = text.ends_with('$') && (text.contains(".*") || text.contains("\\."));
    let dots =
        text.contains(".*\\.") || text.contains(".+\\.") || text.contains("\\d+") || text.contains("\\w+");
    let group = text.contains('|') && text.contains('(') && text.contains(')');
    if starts || ends || dots || group || has_class(text) || is_list(text) {
        let (argument, found) = (argument.to_owned(), text.to_owned());
        return Err(CallError::Expression { argument, found });
    }
    Ok(())
}

/// Checks for a list as in file dialogs, `*.exe;*.dll`; the syntax here is `{*.exe,*.dll}`.
fn is_list(text: &str) -> bool {
    let begins_another =
        |separator: char| text.split(separator).skip(1).any(|next| next.trim_start().starts_with("*."));
    !text.contains('{') && [',', ';', '|', ' '].into_iter().any(begins_another)
}

/// Checks for a character class such as `[a-z]` or `[^0-9]`.
fn has_class(text: &str) -> bool {
    text.split('[').skip(1).any(|after| {
        let mut class = after.strip_prefix(['^', '!']).unwrap_or(after).chars();
        let range = (class.next(), class.next(), class.next());
        matches!(range, (Some('a'..='z' | 'A'..='Z'), Some('-'), Some('a'..='z' | 'A'..='Z')) | (Some('0'), Some('-'), Some('9')))
    })
}

/// Matches a path. It backtracks to the last `**` only.
/// That is enough, because what precedes it has already matched as early as possible.
/// At most `pattern.len() * path.len()` names are compared.
fn fits_path(pattern: &[String], path: &[&str]) -> bool {
    let (mut at, mut of) = (0, 0);
    // The position of the last `**`, and how many names of the path come before what follows it.
    let mut any: Option<(usize, usize)> = None;
    while let Some(name) = path.get(at) {
        match pattern.get(of) {
            Some(wanted) if wanted == "**" => {
                any = Some((of, at));
                of += 1;
            }
            Some(wanted) if fits(wanted, name) => {
                at += 1;
                of += 1;
            }
            _ => {
                let Some((place, taken)) = any else { return false };
                any = Some((place, taken + 1));
                at = taken + 1;
                of = place + 1;
            }
        }
    }
    pattern.iter().skip(of).all(|wanted| wanted == "**")
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn matches(pattern: &str, path: &str) -> bool {
        Glob::read("name", pattern).unwrap().fits(&EvidencePath::parse(path).unwrap())
    }

    #[test]
    fn a_separator_makes_a_pattern_of_whole_paths() {
        for (pattern, path, expected) in [
            ("*.EXE", "C/Users/Ann/tool.exe", true),
            ("tool", "C/Users/Ann/tool.exe", false),
            ("t??l.*", "C/Users/Ann/tool.exe", true),
            ("**", "C/Users", true),
            ("users\\*\\NTUSER.DAT", "C/Users/Ann/NTUSER.DAT", false),
            ("**\\users\\*\\ntuser.dat", "C/Users/Ann/NTUSER.DAT", true),
            ("**/ntuser.dat", "NTUSER.DAT", true),
            ("C/*/NTUSER.DAT", "C/Users/Ann/NTUSER.DAT", false),
            ("C/**/NTUSER.DAT", "C/Users/Ann/NTUSER.DAT", true),
            ("C/**/Ann/**", "C/Users/Ann/NTUSER.DAT", true),
            ("C/**/Ann/**/a/**/b", "C/Ann/a/x/Ann/b/a/b", true),
            ("C/**/Ann/**/a/**/b", "C/Ann/x/Ann/b/b", false),
            ("/*", "C", true),
            ("/*", "C/Users", false),
            ("C//Users/", "c/users", true),
            ("C/U*s/A**n", "C/Users/Ann", true),
            ("C/Users/*/{NTUSER.DAT,notes.txt}", "C/Users/Ann/ntuser.dat", true),
            ("C/{Users,x{1,2}}/*", "C/x2/a", true),
            ("C/{Users,x{1,2}}/*", "C/x/a", false),
            ("/{C/Users,D}/a", "C/Users/a", true),
            ("*.{exe,dll}", "C/x.DLL", true),
            ("*.{exe,dll}", "C/x.sys", false),
            ("*.{exe}", "C/x.exe", true),
            ("*.{exe}", "C/x.{exe}", true),
            ("a{1,2}.txt", "C/a{1,2}.txt", true),
            ("{20D04FE0}", "C/{20d04fe0}", true),
            ("{20D04FE0}", "C/20D04FE0", false),
            ("{20D04FE0}.{exe,dll}", "C/{20d04fe0}.dll", true),
            ("copy[1].htm", "C/copy[1].htm", true),
            ("copy[1].htm", "C/copy1.htm", false),
            ("a{b", "C/a{b", true),
        ] {
            assert_eq!(matches(pattern, path), expected, "{pattern} on {path}");
        }
    }

    #[test]
    fn what_could_fit_nothing_is_refused() {
        for text in ["", "/", "\\\\", "a/../b", "./a", "a\0", &"x".repeat(1025), &"{a,b}".repeat(7)] {
            assert!(Glob::read("name", text).is_err(), "{text:?}");
        }
    }

    #[test]
    fn regular_expressions_are_refused_and_names_are_not() {
        for text in [".*\\.exe$", "^evil.*", "(a|b).exe", "^evil\\.exe$", ".+\\.dll", "x\\d+.log"] {
            assert!(no_expression("name", text).is_err(), "{text}");
        }
        for text in ["$MFT", "*.exe", "C$", "^a", "a+b.txt", "C:\\Users\\*\\.ssh", "(1).txt", "*.*"] {
            assert!(no_expression("name", text).is_ok(), "{text}");
        }
    }

    #[test]
    fn many_stars_on_a_long_path_come_to_an_end() {
        // Trying every way to distribute the stars would take longer than the evidence is old.
        let path = vec!["aaaaaaaaaaaaaaaa"; 120].join("/");
        assert!(!matches(&format!("{}b", "**/*a*a*/".repeat(100)), &path));
        assert!(!matches(&format!("{}b", "*a".repeat(500)), &"a".repeat(255)));
    }

    /// Matches by trying every way to read the pattern.
    fn slow(pattern: &[String], path: &[&str]) -> bool {
        match (pattern.split_first(), path.split_first()) {
            (None, rest) => rest.is_none(),
            (Some((first, more)), rest) if first == "**" => {
                slow(more, path) || rest.is_some_and(|(_, below)| slow(pattern, below))
            }
            (Some((first, more)), Some((name, below))) => fits(first, name) && slow(more, below),
            (Some(_), None) => false,
        }
    }

    proptest! {
        #[test]
        fn paths_fit_as_the_definition_says(
            pattern in prop::collection::vec(prop::sample::select(vec!["**", "*", "a", "b", "a*", "?"]), 1..7),
            path in prop::collection::vec(prop::sample::select(vec!["a", "b", "ab"]), 1..8),
        ) {
            let pattern: Vec<_> = pattern.into_iter().map(str::to_owned).collect();
            prop_assert_eq!(fits_path(&pattern, &path), slow(&pattern, &path));
        }

        #[test]
        fn the_written_form_reads_as_the_same_pattern(text in "[ab*?/\\\\:C{},]{1,12}") {
            if let Ok(glob) = Glob::read("name", &text) {
                prop_assert_eq!(Glob::read("name", &glob.written()).unwrap(), glob);
            }
        }
    }
}
