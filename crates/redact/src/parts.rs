//! Parts of names: those parts of a withheld name that reveal as much on their own.

/// The fewest letters of a part that is a word.
const WORD: usize = 4;
/// The fewest characters of a part made of letters and digits, like the names that Windows generates for computers.
const MIXED: usize = 6;
/// The number of characters of a long name that its short name (8.3) keeps.
const SHORT: usize = 6;
/// The last number that Windows gives to short names before it switches to another form.
const NUMBERS: u32 = 4;
/// The fewest characters of a value that is searched for in reverse: shorter ones match by chance.
const TURNED: usize = 6;

/// Returns the parts of a name that are long enough to be distinctive.
pub(crate) fn parts(name: &str) -> impl Iterator<Item = &str> {
    name.split(|c: char| !c.is_alphanumeric()).filter(|part| is_telling(part))
}

fn is_telling(part: &str) -> bool {
    let digits = part.chars().filter(|c| c.is_numeric()).count();
    let letters = part.chars().count() - digits;
    match digits {
        0 => letters >= WORD,
        _ => letters + digits >= MIXED && letters >= 2,
    }
}

/// Returns a name with all words but one shortened to their first letters: `abell`, `a.bell`, `bella`.
pub(crate) fn initials(words: &[&str], is_common: impl Fn(&str) -> bool) -> Vec<String> {
    let (Some(first), Some(last)) = (words.first(), words.last()) else { return Vec::new() };
    let mut all = Vec::new();
    for (long, short) in [(last, first), (first, last)] {
        let Some(initial) = short.chars().next().filter(|_| is_telling(long) && !is_common(long)) else {
            continue;
        };
        for between in ["", ".", "_", "-", ". ", " "] {
            all.extend([format!("{initial}{between}{long}"), format!("{long}{between}{initial}")]);
        }
    }
    all
}

/// Returns the short names (8.3) of files and folders of this name.
pub(crate) fn short_names(name: &str, is_common: impl Fn(&str) -> bool) -> Vec<String> {
    let stem = name.trim_start_matches('.').rsplit_once('.').map_or(name, |(stem, _)| stem);
    let fits = |c: char| c.is_ascii_alphanumeric() || "_-$&!'()@^`{}~#%".contains(c);
    let kept = |text: &str| text.chars().filter(|c| *c != ' ' && *c != '.').collect::<String>();
    let first: String = kept(stem).chars().take(SHORT).collect();
    let letters = first.chars().filter(char::is_ascii_alphabetic).count();
    let is_long =
        name.contains(' ') || name.matches('.').count() > 1 || stem.chars().count() > 8 || name != stem;
    if letters < WORD || !is_long || !first.chars().all(fits) || is_common(&first) {
        return Vec::new();
    }
    (1..=NUMBERS).map(|number| format!("{first}~{number}")).collect()
}

/// Returns a value reversed, if it is long enough and not a number.
pub(crate) fn turned(value: &str) -> Option<String> {
    let is_name = value.chars().any(char::is_alphabetic) || value.parse::<std::net::Ipv4Addr>().is_ok();
    (is_name && value.chars().nth(TURNED - 1).is_some()).then(|| value.chars().rev().collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_that_tell_a_name_are_long_enough() {
        for (name, expected) in [
            ("Zacharias.Quendelberg", &["Zacharias", "Quendelberg"][..]),
            ("Bell, Ann_Marie", &["Bell", "Marie"]),
            ("DROSSELHOF-PC9", &["DROSSELHOF"]),
            ("DESKTOP-4K7Q2MN", &["DESKTOP", "4K7Q2MN"]),
            ("WIN-123456", &[]),
        ] {
            assert_eq!(parts(name).collect::<Vec<_>>(), expected, "{name}");
        }
    }

    #[test]
    fn names_are_known_by_initials_and_short_names() {
        let all = initials(&["Ann", "Quendelberg"], |_| false);
        assert!(
            ["AQuendelberg", "QuendelbergA", "A.Quendelberg"].iter().all(|it| all.contains(&(*it).into()))
        );
        assert!(initials(&["Ann", "Backup"], |word| word == "Backup").is_empty());
        for (name, expected) in [
            ("Zacharias.Quendelberg", "Zachar~1"),
            ("Mara Ellingsen", "MaraEl~2"),
            ("Quendelberg", "Quende~4"),
        ] {
            assert!(short_names(name, |_| false).contains(&expected.to_owned()), "{name}");
        }
        for name in ["mara", "zacharia", "10.20.4.37", "Жанна Иванова", ""] {
            assert!(short_names(name, |_| false).is_empty(), "{name}");
        }
        assert_eq!(turned("ALDER-07").as_deref(), Some("70-REDLA"));
        assert_eq!((turned("mara"), turned("1234567")), (None, None));
    }
}
