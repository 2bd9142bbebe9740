//! Patterns of names and paths: `*`, `?` and `**`, letter case aside.

use crate::error::CallError;
use crate::place;
use evidence::{EvidencePath, ReadError, Tree};
use ledger::pattern::fits;

/// Most characters of a pattern: with names and paths of bounded length, the work for one entry is bounded, too.
const MAX_PATTERN: usize = 1024;

/// What the names or paths of entries must fit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Glob {
    /// The name: `*` for any run of characters, `?` for one.
    Name(String),
    /// The whole path from the root of the evidence, a pattern for each name; `**` alone stands for any number of names, none included.
    Path(Vec<String>),
}

impl Glob {
    /// Reads the argument `argument`; a separator makes a pattern of paths of it.
    pub(crate) fn read(argument: &'static str, text: &str) -> Result<Glob, CallError> {
        let error = |expected| CallError::Argument { argument, expected, found: text.to_owned() };
        let stripped = place::without_device(text);
        let names: Vec<_> =
            stripped.split(['/', '\\']).filter(|name| !name.is_empty()).map(str::to_owned).collect();
        if names.is_empty() {
            return Err(error("a pattern of a name or a path"));
        }
        if text.chars().count() > MAX_PATTERN {
            return Err(error("at most 1024 characters"));
        }
        if text.chars().any(char::is_control) {
            return Err(error("no control characters: names of evidence are written without them"));
        }
        if names.iter().any(|name| matches!(name.as_str(), "." | "..")) {
            return Err(error("names and no . or .."));
        }
        Ok(if text.contains(['/', '\\']) { Glob::Path(names) } else { Glob::Name(stripped.to_owned()) })
    }

    /// The pattern as it applies to `tree`: a drive letter becomes the folder that stands for the drive; `None` where none does.
    pub(crate) fn resolve(&self, tree: &dyn Tree) -> Result<Option<Glob>, ReadError> {
        let Glob::Path(names) = self else { return Ok(Some(self.clone())) };
        let Some((drive, below)) =
            names.split_first().filter(|(first, _)| place::drive_letter(first).is_some())
        else {
            return Ok(Some(self.clone()));
        };
        // The letter and its colon are a path.
        let drive = EvidencePath::parse(drive).unwrap_or_default();
        let top = place::locate(tree, &drive)?.map(|node| node.path);
        Ok(top.map(|top| {
            let top: Vec<_> = top.components().map(str::to_owned).collect();
            Glob::Path(top.into_iter().chain(below.iter().cloned()).collect())
        }))
    }

    /// The pattern in one spelling, which is read as the same pattern.
    pub(crate) fn written(&self) -> String {
        match self {
            Glob::Name(name) => name.clone(),
            // The slash in front keeps a pattern of one name a pattern of paths.
            Glob::Path(names) => format!("/{}", names.join("/")),
        }
    }

    /// Whether the entry at `path` fits.
    pub(crate) fn fits(&self, path: &EvidencePath) -> bool {
        match self {
            Glob::Name(name) => fits(name, path.name()),
            Glob::Path(names) => fits_path(names, &path.components().collect::<Vec<_>>()),
        }
    }
}

/// Goes back to the last `**` only, which is enough, for what stands before it fits already as early as it can: at most `pattern.len() * path.len()` names are compared.
fn fits_path(pattern: &[String], path: &[&str]) -> bool {
    let (mut at, mut of) = (0, 0);
    // Where the last `**` stands and how many names of the path stand before what it is followed by.
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
        ] {
            assert_eq!(matches(pattern, path), expected, "{pattern} on {path}");
        }
    }

    #[test]
    fn what_could_fit_nothing_is_refused() {
        for text in ["", "/", "\\\\", "a/../b", "./a", "a\0", &"x".repeat(1025)] {
            assert!(Glob::read("name", text).is_err(), "{text:?}");
        }
    }

    #[test]
    fn many_stars_on_a_long_path_come_to_an_end() {
        // Trying every way to spread the stars would take longer than the age of the evidence.
        let path = vec!["aaaaaaaaaaaaaaaa"; 120].join("/");
        assert!(!matches(&format!("{}b", "**/*a*a*/".repeat(100)), &path));
        assert!(!matches(&format!("{}b", "*a".repeat(500)), &"a".repeat(255)));
    }

    /// Every way to read the pattern, tried one by one.
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
        fn the_written_form_reads_as_the_same_pattern(text in "[ab*?/\\\\:C]{1,12}") {
            if let Ok(glob) = Glob::read("name", &text) {
                prop_assert_eq!(Glob::read("name", &glob.written()).unwrap(), glob);
            }
        }
    }
}
