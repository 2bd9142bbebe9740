//! Near misses of a search: a name that reads the same, a deleted entry, a stream, a value instead of a key.
//!
//! An absence is based on such a search, and a near miss can look the same in print as what was sought.
//! So the call that shows an absence names the near misses, and the absence carries them.

use crate::arguments::Arguments;
use crate::catalogue::{Call, Run};
use crate::error::CallError;
use crate::glob::alternatives;
use crate::name_index::{KnownFolders, NameIndex};
use crate::returned::Return;
use crate::{find_files, list_deleted, parse_registry_key, place};
use evidence::{EvidencePath, Step, walk};
use ledger::absence::{NEAR, UnreadLogs, unread_logs};
use ledger::escapes::{is_unseen, without_small_cherokee};
use ledger::pattern;
use ledger::{AbsenceForm, Completeness, FieldValue, Outcome, Record, ToolSpec};
use serde_json::{Map, Value, json};
use std::collections::BTreeSet;
use std::sync::OnceLock;
use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;
use unicode_security::confusable_detection::skeleton;

/// The name of control sets, before their three digits, and that of the current one.
const SET: &str = "ControlSet";
const CURRENT: &str = "CurrentControlSet";

/// The most keys beside the control sets of a hive that are examined.
const SETS: usize = 100;

/// The most near misses of each kind that are named.
const MOST: usize = 3;

/// The fewest characters of a name for which look-alikes are reported: shorter names resemble anything.
const SHORTEST: usize = 3;

/// Adds the near misses to an empty and complete answer that can show an absence.
pub(crate) fn tell(spec: &ToolSpec, call: &Call<'_>, returned: &mut Return) -> Result<(), CallError> {
    let is_whole = returned.completeness == Completeness::Complete;
    let nothing_unread = returned.gaps.is_empty() || read_as_it_stands(returned);
    let found_nothing = returned.outcome == Outcome::Empty && is_whole && nothing_unread;
    if !found_nothing || !may_show_absence(spec, returned.normalised.as_ref()) {
        return Ok(());
    }
    let near = match spec.covers.first().map(|coverage| coverage.form) {
        Some(AbsenceForm::File) => of_file(call)?,
        Some(AbsenceForm::RegistryKey) => of_key(call, returned.normalised.as_ref()),
        Some(AbsenceForm::Text | AbsenceForm::Events) | None => Vec::new(),
    };
    returned.notes.extend(near.into_iter().map(|near| format!("{NEAR}{near}")));
    Ok(())
}

/// Checks whether a call left nothing unread but the transaction logs of its hive.
/// Such a call can show what the hive file lacks as it stands.
fn read_as_it_stands(returned: &Return) -> bool {
    let hive = returned.normalised.as_ref().and_then(|used| used.get("hive")?.as_str());
    let unread = hive.and_then(|hive| unread_logs(hive, &returned.gaps, &returned.defects));
    unread.is_some_and(UnreadLogs::is_as_it_stands)
}

/// Checks whether the call has only arguments that its coverage names.
fn may_show_absence(spec: &ToolSpec, used: Option<&Value>) -> bool {
    let is_named = |name: &String| {
        spec.covers.iter().any(|covers| {
            covers.members.values().any(|member| member == name)
                || covers.required.contains_key(name)
                || covers.free.contains(name)
        })
    };
    let named = |(name, value): (&String, &Value)| value.is_null() || is_named(name);
    used.and_then(Value::as_object).is_some_and(|used| used.iter().all(named))
}

fn of_file(call: &Call<'_>) -> Result<Vec<String>, CallError> {
    let pattern = call.arguments.optional_text("name").unwrap_or_default();
    // Slashes inside braces do not separate names.
    let name =
        pattern.rsplit(['/', '\\']).next().filter(|_| !pattern.contains(['{', '}'])).unwrap_or(pattern);
    let Some(wanted) = Wanted::of(name) else { return Ok(Vec::new()) };
    let mut near = alike(call, &wanted)?;
    near.extend(elsewhere(call, name));
    Ok(near)
}

/// The readings of a name, or of a pattern of names.
struct Wanted(Vec<String>);

impl Wanted {
    /// Returns the readings; `None` if fewer than `SHORTEST` characters of the name are fixed, because it would resemble anything.
    fn of(name: &str) -> Option<Wanted> {
        let letters = name.chars().filter(|c| !matches!(c, '*' | '?' | '{' | '}' | ',')).count();
        let all = alternatives(name).filter(|_| letters >= SHORTEST)?;
        Some(Wanted(all.iter().flat_map(|name| readings(name)).collect()))
    }

    /// Checks whether a file's name reads the same, or a part that some collectors join to it: `notes.txt:hidden.exe` is a stream.
    fn reads_as_file(&self, found: &str) -> bool {
        let parts = || found.split(':').flat_map(|part| part.split("%3A"));
        self.reads_as(found) || found.contains([':', '%']) && parts().any(|part| self.reads_as(part))
    }

    fn reads_as(&self, found: &str) -> bool {
        let found = plain_readings(found).unwrap_or_else(|| readings(found));
        self.0.iter().any(|wanted| found.iter().any(|found| pattern::fits(wanted, found)))
    }
}

/// The letters with which an ASCII name can begin and end if it reads as wanted. These two rule out most names.
struct Ends {
    first: [bool; 128],
    last: [bool; 128],
}

impl Ends {
    fn of(wanted: &Wanted) -> Ends {
        let fits = |end: Option<char>, letter: Option<char>| match (end, letter) {
            // A letter with an empty reading rules nothing out.
            (None | Some('*' | '?'), _) | (_, None) => true,
            (Some(end), Some(letter)) => pattern::same_letter(end, letter),
        };
        let (mut first, mut last) = ([true; 128], [true; 128]);
        for (letter, (first, last)) in (0..128u8).zip(first.iter_mut().zip(&mut last)) {
            // A folded letter can come from either case.
            let both = [letter, letter.to_ascii_uppercase()];
            let read = both.iter().filter_map(|letter| letters().get(usize::from(*letter))).flatten();
            // Dots at the end of a name are not part of its reading.
            let read: Vec<&str> = read.map(|reading| reading.trim_end_matches('.')).collect();
            let any = |fits: &dyn Fn(&str, &str) -> bool| {
                wanted.0.iter().any(|wanted| read.iter().any(|letter| fits(wanted, letter)))
            };
            *first = any(&|wanted, letter| fits(wanted.chars().next(), letter.chars().next()));
            *last = any(&|wanted, letter| fits(wanted.chars().next_back(), letter.chars().next_back()));
        }
        Ends { first, last }
    }

    fn may_be(&self, folded: &[u8]) -> bool {
        let of = |table: &[bool; 128], letter: Option<&u8>| {
            letter.is_none_or(|letter| table.get(usize::from(*letter)).copied().unwrap_or(true))
        };
        // A name with a joined part, or one cut at a NUL, can end in anything.
        memchr::memchr3(b':', b'%', 0, folded).is_some()
            || !folded.is_ascii()
            || of(&self.first, folded.first()) && of(&self.last, folded.last())
    }
}

/// Returns the entries whose names read the same but differ.
fn alike(call: &Call<'_>, wanted: &Wanted) -> Result<Vec<String>, CallError> {
    let under = call.arguments.text("under")?;
    let scope = place::under(call.trees, call.arguments.optional_text("evidence"), under)?;
    let (mut found, ends) = (Vec::new(), Ends::of(wanted));
    for place in &scope.places {
        let index = call.indexes.get(place.tree.label()).map(|path| NameIndex::open(path)).transpose()?;
        if let Some(mut index) = index
            && let Some(below) = index.below(&place.node.path)?
        {
            let mut folders = KnownFolders::new();
            for row in index
                .named(&below, |folded| ends.may_be(folded), |name| wanted.reads_as_file(name))?
                .into_iter()
                .flatten()
            {
                found.push(index.whereabouts(row, &mut folders)?.path);
            }
            continue;
        }
        for step in walk(place.tree, &place.node) {
            match step {
                Step::Node(node) if wanted.reads_as_file(&node.name) => found.push(node.path),
                Step::Node(_) | Step::Defect(_) | Step::Gap(_) => {}
            }
        }
    }
    let told = |path: &EvidencePath| format!("a name that reads the same: {}", unmistakable(path.as_str()));
    let mut near: Vec<String> = found.iter().take(MOST).map(told).collect();
    if let Some(more) = found.len().checked_sub(MOST).filter(|more| *more > 0) {
        near.push(format!("{more} more whose names read the same"));
    }
    Ok(near)
}

/// Returns how a name reads: without case, spaces, accents, invisible characters and trailing dots; look-alike letters become one letter.
///
/// A capital I looks like a small l, so case is removed both before and after.
/// Text after a right-to-left override is also read backwards.
fn readings(name: &str) -> Vec<String> {
    let bare = |text: String| -> String {
        let kept = text.nfkd().filter(|c| !is_combining_mark(*c) && !c.is_whitespace() && !is_unseen(*c));
        kept.flat_map(char::to_lowercase).collect()
    };
    let like = |text: &str| skeleton(text).collect::<String>();
    let plain: String = without_escapes(name).nfkc().collect();
    let turned = plain
        .split_once('\u{202e}')
        .map(|(before, after)| before.chars().chain(after.chars().rev()).collect::<String>());
    let read = |plain: &String| [bare(like(&bare(plain.clone()))), bare(like(plain))];
    // Unicode composition can change what a text looks like.
    let raw = without_escapes(name);
    // Small Cherokee letters look like capital ones. Some letters look like a third one only after a change of case.
    let twice = |plain: &str| {
        swapped(&bare(like(&bare(like(&plain.chars().map(without_small_cherokee).collect::<String>())))))
    };
    let (digits, ended) = ([twice(&plain), twice(&raw)], ended(name));
    let all = [&plain, &raw].into_iter().chain(&turned).chain(&ended).flat_map(read).chain(digits);
    all.map(|reading| reading.trim_end_matches('.').to_owned()).collect()
}

/// Replaces digits with the letters that they usually stand for: `m1mi` reads as `mimi`, `5etup` as `setup`.
fn swapped(text: &str) -> String {
    let swap = |c: char| match c {
        '1' | 'i' | '|' => 'l',
        '0' => 'o',
        '5' => 's',
        c => c,
    };
    text.chars().map(swap).collect()
}

/// Returns a name as read by programs for which it ends at a NUL.
fn ended(name: &str) -> Option<String> {
    let ends = ["\0", "%{00}", "%{0}"].map(|nul| name.find(nul));
    let end = ends.into_iter().flatten().min()?;
    name.get(..end).filter(|name| !name.is_empty()).map(|name| name.nfkc().collect())
}

/// Returns the readings of a pure ASCII name without escapes, letter by letter.
/// Nearly all names are like that, and an absence reads every name of the evidence.
fn plain_readings(name: &str) -> Option<Vec<String>> {
    if !name.is_ascii() || name.contains("%{") || name.contains('\0') {
        return None;
    }
    let letters = letters();
    let reading = |which: usize| {
        let parts = name.bytes().filter_map(|letter| letters.get(usize::from(letter))?.get(which));
        let whole: String = parts.map(String::as_str).collect();
        whole.trim_end_matches('.').to_owned()
    };
    Some((0..3).map(reading).collect())
}

/// Returns the readings of each ASCII letter; built once, before workers are forked for calls.
pub(crate) fn letters() -> &'static [Vec<String>] {
    static LETTERS: OnceLock<Vec<Vec<String>>> = OnceLock::new();
    let of = |letter: u8| {
        let readings = readings(&format!("{}{SEPARATOR}", char::from(letter)));
        // Composed and decomposed forms are the same in ASCII, so readings that differ only in this are left out.
        let [plain, cased, _, _, digits, _] = <[String; 6]>::try_from(readings).unwrap_or_default();
        let of_letter = |reading: String| reading.strip_suffix(SEPARATOR).unwrap_or(&reading).to_owned();
        [plain, cased, digits].map(of_letter).to_vec()
    };
    LETTERS.get_or_init(|| (0..128).map(of).collect())
}

/// The character that is put after a single one while its readings are made, so that a dot does not count as a trailing dot.
const SEPARATOR: char = '-';

/// Removes from a name the characters that tools write as `%{0A}`.
fn without_escapes(name: &str) -> String {
    let mut parts = name.split("%{");
    let mut out = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        match part.split_once('}').filter(|(code, _)| code.bytes().all(|byte| byte.is_ascii_hexdigit())) {
            Some((_, rest)) => out.push_str(rest),
            None => {
                out.push_str("%{");
                out.push_str(part);
            }
        }
    }
    out
}

/// Writes non-ASCII characters of a path as `\u{…}`, and also spaces that follow a space, or begin or end a name.
fn unmistakable(path: &str) -> String {
    let mut told = String::new();
    let mut rest = path.chars().peekable();
    while let Some(c) = rest.next() {
        let is_inside = || !told.is_empty() && !told.ends_with([' ', '}', '/']);
        let goes_on = |rest: &mut std::iter::Peekable<std::str::Chars<'_>>| {
            rest.peek().is_some_and(|next| *next != '/')
        };
        match c.is_ascii_graphic() || c == ' ' && is_inside() && goes_on(&mut rest) {
            true => told.push(c),
            false => told.extend(c.escape_unicode()),
        }
    }
    told
}

/// Returns deleted entries and streams with exactly this name.
fn elsewhere(call: &Call<'_>, name: &str) -> Vec<String> {
    let with = |more: Value| {
        let mut given = Map::new();
        let evidence = call.arguments.optional_text("evidence");
        given.extend(evidence.map(|label| ("evidence".to_owned(), json!(label))));
        given.extend(more.as_object().cloned().unwrap_or_default());
        Value::Object(given)
    };
    let under = call.arguments.text("under").unwrap_or_default();
    let streams = with(json!({ "with_stream": name, "under": under, "limit": MOST }));
    let deleted = with(json!({ "name": name, "under": under, "limit": MOST }));
    let mut near = Vec::new();
    for record in asked(&list_deleted::spec(), list_deleted::run, call, &deleted) {
        near.push(format!("a deleted entry: {}", unmistakable(&record.locator.path)));
    }
    if name.contains(['/', '\\', ':']) {
        return near;
    }
    for record in asked(&find_files::spec(), find_files::run, call, &streams) {
        near.push(format!("a stream: {}:{}", unmistakable(&record.locator.path), unmistakable(name)));
    }
    near
}

/// Returns values and keys that resemble the first missing name of the key's path.
fn of_key(call: &Call<'_>, used: Option<&Value>) -> Vec<String> {
    let Some(used) = used.and_then(Value::as_object) else { return Vec::new() };
    let key = used.get("key").and_then(Value::as_str).unwrap_or_default();
    let at = |key: &str, limit: usize| {
        let mut given = used.clone();
        given.extend(
            [("key", json!(key)), ("depth", json!(0)), ("limit", json!(limit))]
                .map(|(n, v)| (n.to_owned(), v)),
        );
        asked(&parse_registry_key::spec(), parse_registry_key::run, call, &Value::Object(given))
    };
    let ends = key.match_indices('\\').map(|(end, _)| end).chain([key.len()]);
    let missing = ends.into_iter().find(|end| at(key.get(..*end).unwrap_or_default(), 1).is_empty());
    let missing = missing.and_then(|end| key.get(..end)).unwrap_or(key);
    let (parent, name) = missing.rsplit_once('\\').unwrap_or(("", missing));
    let Some(wanted) = Wanted::of(name) else { return Vec::new() };
    let mut near = Vec::new();
    for record in at(parent, 10_000) {
        let value = || Some(record.fields.get("name")?.value.to_text().into_owned());
        let (what, found) = match record.kind.as_str() {
            "registry_value" => ("a value", value()),
            _ => ("a key that reads the same", last_of(&record)),
        };
        let found = found.filter(|found| wanted.reads_as(found));
        near.extend(found.map(|found| format!("{what}: {}", unmistakable(&joined(parent, &found)))));
    }
    near.truncate(MOST);
    near.extend(in_other_sets(key, &at));
    near.truncate(MOST);
    near
}

/// Returns the same key in other control sets than the one searched.
fn in_other_sets(key: &str, at: &impl Fn(&str, usize) -> Vec<Record>) -> Vec<String> {
    let is_set = |name: &str| {
        let digits = name.get(..SET.len()).filter(|begin| begin.eq_ignore_ascii_case(SET));
        let digits = digits.and_then(|_| name.get(SET.len()..)).unwrap_or_default();
        digits.len() == 3 && digits.bytes().all(|byte| byte.is_ascii_digit())
    };
    let mut parts: Vec<&str> = key.split('\\').collect();
    let place = parts.iter().position(|part| is_set(part) || part.eq_ignore_ascii_case(CURRENT));
    let Some(place) = place else { return Vec::new() };
    let parent = parts.get(..place).unwrap_or_default().join("\\");
    let own = parts.get(place).copied().unwrap_or_default();
    let sets = at(&parent, SETS).iter().filter_map(last_of).collect::<BTreeSet<String>>();
    let mut near = Vec::new();
    for set in sets.iter().filter(|set| is_set(set) && !set.eq_ignore_ascii_case(own)) {
        if let Some(part) = parts.get_mut(place) {
            *part = set;
        }
        let other = parts.join("\\");
        if !at(&other, 1).is_empty() {
            near.push(format!("the same key in another control set: {}", unmistakable(&other)));
        }
    }
    near
}

fn joined(parent: &str, name: &str) -> String {
    if parent.is_empty() { name.to_owned() } else { format!("{parent}\\{name}") }
}

/// Returns the last name of a key's path.
fn last_of(record: &Record) -> Option<String> {
    let mut paths = record.fields.values().rev().filter_map(|field| match &field.value {
        FieldValue::RegistryPath(path) => path.rsplit('\\').next().map(str::to_owned),
        _ => None,
    });
    paths.next()
}

/// Returns what a call of another tool finds; nothing if the call fails.
fn asked(spec: &ToolSpec, run: Run, call: &Call<'_>, given: &Value) -> Vec<Record> {
    let Ok(arguments) = Arguments::check(spec, given) else { return Vec::new() };
    let returned = run(&Call { arguments: &arguments, ..*call });
    returned.map(|returned| returned.records).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_read_the_same_have_a_reading_in_common() {
        for (one, other) in [
            ("csrss.exe", "\u{3f2}srss.exe"),
            ("anno.exe", "an\u{fff9}no.exe"),
            ("scan.exe", "sc\u{430}n.exe"),
        ] {
            let known = readings(one);
            assert!(readings(other).iter().any(|reading| known.contains(reading)), "{one} {other:?}");
        }
        assert!(!readings("csrss.exe").iter().any(|reading| readings("lsass.exe").contains(reading)));
    }

    #[test]
    fn a_name_of_ascii_has_the_readings_that_any_name_has() {
        let mut random = testkit::random::Random::new(1);
        for _ in 0..2000 {
            let letters = (0..random.below(12)).map(|_| u8::try_from(random.below(128)).unwrap_or_default());
            let name: String = letters.map(char::from).collect();
            let Some(plain) = plain_readings(&name) else { continue };
            let mut all = readings(&name);
            all.dedup();
            assert!(
                all.iter().all(|it| plain.contains(it)) && plain.iter().all(|it| all.contains(it)),
                "{name:?} {all:?} {plain:?}"
            );
        }
    }

    #[test]
    fn names_that_read_as_wanted_have_the_ends_that_are_looked_for() {
        const LETTERS: &str = "aIl10oOm. %{*?S5|\u{212a}";
        let mut random = testkit::random::Random::new(2);
        let mut letters = |most| -> String {
            let count = random.below(most);
            (0..count).filter_map(|_| LETTERS.chars().nth(random.below(LETTERS.len()))).collect()
        };
        let mut alike = 0;
        for _ in 0..10_000 {
            let (wanted, name) = (letters(4), letters(4));
            let wanted = Wanted(readings(&wanted));
            if wanted.reads_as_file(&name) {
                alike += 1;
                let folded = pattern::fold(&name);
                assert!(Ends::of(&wanted).may_be(folded.as_bytes()), "{:?} {name:?}", wanted.0);
            }
        }
        assert!(alike > 100, "{alike}");
    }

    #[test]
    fn blanks_at_the_ends_of_a_name_are_written_out() {
        assert_eq!(unmistakable("C/a b/trail.exe "), r"C/a b/trail.exe\u{20}");
        assert_eq!(unmistakable("C/ lead /x"), r"C/\u{20}lead\u{20}/x");
    }

    #[test]
    fn names_that_read_the_same_are_told_by_what_sets_them_apart() {
        let same = |one: &str, other: &str| readings(one).iter().any(|it| readings(other).contains(it));
        for (one, other) in [
            ("ScanToPdf-Setup.exe", "Sc\u{430}nToPdf-Setup.exe"),
            ("Ledgerline Backup", "Ledgerline  Backup"),
            ("deleted.txt", "deIeted.txt"),
            ("resume.doc", "r\u{e9}sum\u{e9}.doc"),
            ("svchost.exe", "svc\u{ad}host.exe"),
            ("svchost.exe", "\u{ff53}vchost.exe"),
            ("svchost.exe", "svch0st.exe"),
            ("a.exe", "A\u{a0}.EXE"),
            ("budget.txt", "budget.txt."),
            ("invexe.jpg", "inv\u{202e}gpj.exe"),
            ("report.doc", "re\u{1}port.doc"),
            ("report.doc", "re%{0A}port.doc"),
            ("mimi8.exe", "m1mi8.exe"),
            ("mimi6.exe", "mirni6.exe"),
            ("sales.exe", "5a1es.exe"),
            ("mimi20.exe", "\u{ab87}imi20.exe"),
            ("evilsvc3", "evilsvc3\0x"),
            ("evilsvc3", "evilsvc3%{00}x"),
        ] {
            assert!(same(one, other), "{one:?} {other:?}");
        }
        for (one, other) in [("svchost.exe", "svchosts.exe"), ("a.exe", "b.exe"), ("a.exe", "a.ex")] {
            assert!(!same(one, other), "{one:?} {other:?}");
        }
        let reads =
            |pattern: &str, found: &str| Wanted::of(pattern).is_some_and(|wanted| wanted.reads_as(found));
        for pattern in ["sec?et.txt", "{secret,foo}.txt", "*ecret*", "secret.t?t"] {
            assert!(reads(pattern, "s\u{435}cret.txt"), "{pattern}");
        }
        let file = |found: &str| Wanted::of("mimi16.exe").unwrap().reads_as_file(found);
        assert!(
            file("host.txt:mimi16.exe") && file("host.txt%3Am1mi16.exe") && !file("host.txt:mimi16.exe.bak")
        );
        assert!(!reads("*", "secret.txt") && !reads("sec?et.txt", "sec.txt"));
        assert_eq!(unmistakable("p1/Sc\u{430}n  A"), "p1/Sc\\u{430}n \\u{20}A");
    }
}
