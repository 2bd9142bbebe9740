//! People and hosts in the free text of a case, where no field identifies them.

/// Words for people's roles in a case, which come before their names.
const ROLES: [&str; 13] = [
    "examiner",
    "investigator",
    "analyst",
    "custodian",
    "suspect",
    "acquired by",
    "collected by",
    "examined by",
    "imaged by",
    "analysed by",
    "analyzed by",
    "prepared by",
    "requested by",
];
/// The same; these also come before other words, so they count only with a colon or `=`.
const STATED: [&str; 5] = ["client", "employee", "owner", "user", "victim"];
/// Small words inside names.
const PARTICLES: [&str; 10] = ["al", "bin", "da", "de", "del", "den", "der", "la", "van", "von"];
/// The most words in a name.
const WORDS: usize = 5;
/// First parts of labels that name a thing and not a host.
const THINGS: [&str; 22] = [
    "archive",
    "backup",
    "case",
    "collection",
    "copy",
    "disk",
    "disc",
    "drive",
    "dump",
    "evidence",
    "exhibit",
    "hdd",
    "host",
    "image",
    "item",
    "part",
    "partition",
    "ssd",
    "stick",
    "triage",
    "usb",
    "volume",
];
/// First parts of the names that Windows gives to unnamed computers.
const UNNAMED: [&str; 3] = ["desktop", "laptop", "win"];

/// Finds names after a role: `Examiner: Jane Doe`, `imaged by J. Doe`.
pub(crate) fn people(text: &str) -> Vec<&str> {
    let lower = text.to_ascii_lowercase();
    let of = |(role, stated): (&'static str, bool)| -> Vec<&str> {
        let named = |(at, role): (usize, &str)| {
            let apart = |c: Option<char>| !c.is_some_and(char::is_alphanumeric);
            let rest = text.get(at + role.len()..)?;
            let begins = apart(text.get(..at)?.chars().next_back()) && apart(rest.chars().next());
            begins.then(|| name(rest, stated)).flatten()
        };
        lower.match_indices(role).filter_map(named).collect()
    };
    ROLES.map(|role| (role, false)).into_iter().chain(STATED.map(|role| (role, true))).flat_map(of).collect()
}

/// Returns the name at the beginning of what follows a role; without a colon or `=`, it must have two words.
fn name(rest: &str, only_stated: bool) -> Option<&str> {
    let rest = rest.trim_start_matches([' ', '\t']);
    let stated = rest.strip_prefix([':', '=']);
    let rest = stated.unwrap_or(rest).trim_start_matches([' ', '\t', '"', '“']);
    let is_inside = |c: char| c.is_alphanumeric() || " .'’-_".contains(c);
    let line = rest.get(..rest.find(|c| !is_inside(c)).unwrap_or(rest.len()))?;
    let is_capital = |word: &str| word.chars().next().is_some_and(char::is_uppercase);
    let (first, capital) = (line.split(' ').next()?, is_capital(line));
    if stated.is_none() && (only_stated || !capital) {
        return None;
    }
    let goes_on = |word: &&str| match capital {
        true => is_capital(word) || PARTICLES.contains(word),
        false => !word.is_empty(),
    };
    let more = line.split(' ').skip(1).take(WORDS - 1).take_while(goes_on);
    let length = more.fold(first.len(), |length, word| length + 1 + word.len());
    let name = line.get(..length)?.trim_end_matches([' ', '.', '-', '\'']);
    (name.chars().count() >= 3 && (stated.is_some() || name.contains(' '))).then_some(name)
}

/// Finds hosts in a label of evidence: `ALDER-07`, also in `ALDER-07-backup` and `ALDER-07_disk.E01`.
pub(crate) fn hosts(label: &str) -> Vec<&str> {
    let tokens = label.split(|c: char| !c.is_alphanumeric() && c != '-');
    tokens.flat_map(|token| host(token).into_iter().chain(longer(token))).collect()
}

/// Returns the token up to its last part with a digit.
fn host(token: &str) -> Option<&str> {
    let (first, rest) = token.split_once('-')?;
    let folded = first.to_lowercase();
    if UNNAMED.contains(&folded.as_str()) && rest.len() >= 6 {
        return Some(token);
    }
    let last = rest.split('-').rfind(|part| part.chars().any(|c| c.is_ascii_digit()))?;
    let end = token.rfind(last)? + last.len();
    let named = first.chars().any(char::is_alphabetic) && !THINGS.contains(&folded.as_str());
    token.get(..end).filter(|host| named && host.chars().count() >= 5)
}

/// Returns the whole token, if more follows the host.
fn longer(token: &str) -> Option<&str> {
    host(token).filter(|host| host.len() < token.len()).map(|_| token.trim_end_matches('-'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn people_are_known_by_their_role() {
        for (text, expected) in [
            ("Theft at Alderbrook, examiner: Jane Doe", &["Jane Doe"][..]),
            (
                "Examiner Ana de la Cruz looked; custodian = m. ellingsen, HR",
                &["Ana de la Cruz", "m. ellingsen"],
            ),
            ("imaged by J. Doe on Monday", &["J. Doe"]),
            ("user: Bo Li, the owner Of It, User Account Control", &["Bo Li"]),
            ("the examiner looked, Examiner Report, Users: 7, reexaminer: X Y, examiner:", &[]),
        ] {
            assert_eq!(people(text), expected, "{text}");
        }
    }

    #[test]
    fn hosts_are_known_by_the_form_of_a_label() {
        for (label, expected) in [
            ("ALDER-07", &["ALDER-07"][..]),
            ("alder-07-backup", &["alder-07", "alder-07-backup"]),
            ("ALDER-FS01_disk.E01", &["ALDER-FS01"]),
            ("WIN-ABCDEFGHIJK", &["WIN-ABCDEFGHIJK"]),
            ("disk-1", &[]),
            ("triage-2025-03", &[]),
            ("host", &[]),
        ] {
            assert_eq!(hosts(label), expected, "{label}");
        }
    }
}
