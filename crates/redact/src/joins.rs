//! Names of several words, joined in other ways: `ann_bell`, `annbell`, `Bell, Ann`.

use crate::parts::initials;

/// Characters that separate the words of a name without blanks.
const PARTING: [char; 3] = ['.', '_', '-'];
/// Separators of the words in their original order.
const IN_ORDER: [&str; 5] = [" ", ".", "_", "-", ""];
/// Separators between the last words and the first ones.
const TURNED: [&str; 7] = [", ", ",", " ", ".", "_", "-", ""];
/// The most words in a name.
const WORDS: usize = 4;
/// The fewest letters in a name.
const LETTERS: usize = 4;

/// The other spellings of a value that is a name of several words; none if it is not.
#[derive(Debug, Default)]
pub(crate) struct Joins {
    /// In the original word order.
    pub(crate) in_order: Vec<String>,
    /// With the last words first.
    pub(crate) turned: Vec<String>,
    /// One word, and the first letter of another.
    pub(crate) initials: Vec<String>,
}

/// Returns the other spellings of a value; initials leave out words for which `is_common` is true.
pub(crate) fn joins(value: &str, is_common: impl Fn(&str) -> bool) -> Joins {
    let words = words(value);
    // Hosts have numbers: `ALDER-07`, `ALDER 07`.
    let is_inside = |c: char| c.is_alphanumeric() || "'’.-".contains(c);
    let has_digits = value.contains(|c: char| c.is_ascii_digit());
    let is_word = |word: &&str| word.chars().all(is_inside) && word.chars().any(char::is_alphanumeric);
    let letters: usize = words.iter().map(|word| word.chars().filter(|c| c.is_alphabetic()).count()).sum();
    if !(2..=WORDS).contains(&words.len()) || letters < LETTERS || !words.iter().all(is_word) {
        return Joins::default();
    }
    let mut in_order: Vec<String> = IN_ORDER.iter().map(|between| words.join(between)).collect();
    let mut turned = Vec::new();
    // In a domain, no other part comes first.
    let is_person = (words.len() == 2 || value.contains(' ')) && !has_digits;
    for at in (1..words.len()).filter(|_| is_person) {
        let Some((first, last)) = words.split_at_checked(at) else { continue };
        turned.extend(TURNED.iter().map(|between| {
            // After a comma the words are unchanged, otherwise all are joined in the same way.
            let inner = if between.starts_with(',') { " " } else { between };
            format!("{}{between}{}", last.join(inner), first.join(inner))
        }));
    }
    let initials = if is_person { initials(&words, is_common) } else { Vec::new() };
    in_order.retain(|form| form != value);
    turned.retain(|form| form != value);
    Joins { in_order, turned, initials }
}

fn words(value: &str) -> Vec<&str> {
    let has_blanks = value.contains(' ');
    let parts = |c: char| if has_blanks { matches!(c, ' ' | ',') } else { PARTING.contains(&c) };
    value.split(parts).filter(|word| !word.is_empty()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(value: &str) -> Vec<String> {
        let Joins { in_order, turned, .. } = joins(value, |_| false);
        in_order.iter().chain(&turned).map(|form| form.to_lowercase()).collect()
    }

    #[test]
    fn a_name_is_joined_in_every_way() {
        for (value, expected) in [
            (
                "Ann Bell",
                &["Ann_Bell", "Ann-Bell", "AnnBell", "Ann.Bell", "Bell, Ann", "Bell Ann", "bell.ann"][..],
            ),
            ("ann.bell", &["ann bell", "annbell", "bell, ann", "bell_ann"]),
            ("Bell, Ann", &["Ann Bell", "ann_bell", "Bell Ann"]),
            ("Ana de la Cruz", &["Cruz, Ana de la", "de la Cruz, Ana", "ana.de.la.cruz"]),
            ("corp.alder.example", &["corp_alder_example"]),
            ("ALDER-07", &["alder 07", "alder07", "alder_07"]),
        ] {
            let all = all(value);
            for form in expected {
                assert!(all.contains(&form.to_lowercase()), "{form}: {all:?}");
            }
            assert!(all.len() <= 26, "{value}: {all:?}");
        }
        assert!(!all("corp.alder.example").iter().any(|form| form.starts_with("example")));
        assert_eq!(all("ALDER-07").len(), 4);
        for value in
            ["Ann", "SRV-07", "1.2.3", "a b", "one two three four five", r"C:\a b", "x@y.example", ""]
        {
            assert!(all(value).is_empty(), "{value}");
        }
    }
}
