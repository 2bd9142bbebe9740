//! The withheld values of a run, and the forms in which they are searched for.

use crate::addresses::{address, spellings};
use crate::case;
use crate::events::tree;
use crate::finders::{Finder, unc_hosts};
use crate::fold::folded;
use crate::garbled::lost;
use crate::joins::{Joins, joins};
use crate::profile::{Profile, Rule};
use crate::search::{Beside, Needle, ascii_look, written};
use crate::{Events, Outputs, output_digests};
use crate::{macs, parts, sids};
use graph::Run;
use ledger::event::AskedBy;
use ledger::pattern::Patterns;
use ledger::{FieldValue, Output, Precision, Record};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// The report's name for values found through their field.
pub(crate) const OF_FIELDS: &str = "values of withheld fields";
/// Its name for values given in the profile itself.
pub(crate) const NAMED: &str = "values that the profile names";
/// Its name for parts of withheld values.
const PARTS: &str = "parts of withheld values";

/// Its name for parts of withheld names, which count as words.
const NAME_PARTS: &str = "parts of withheld names";

/// Its name for names with the last words first.
pub(crate) const TURNED: &str = "names in another order";

/// The fewest characters of a value that is searched for in texts at all.
const SOUGHT: usize = 3;
/// The most characters of a value that counts only as a whole word.
const SHORT: usize = 4;
/// The fewest characters of the last part of a path that are distinctive.
const TELLING: usize = 5;
/// The fewest characters of a part of a name that counts inside a word.
const WITHIN: usize = 8;
/// The most characters of a NetBIOS host name; longer names are truncated.
const NETBIOS: usize = 15;
/// The fewest characters of an address in an alternative spelling: shorter ones look like ordinary numbers.
const SPELLED: usize = 7;
/// The fewest characters of a name joined in another way that counts inside a word.
const JOINED: usize = 8;

/// The record type of a disk image; its texts were entered in an acquisition tool.
const IMAGE: &str = "image";

/// What is withheld in a run.
#[derive(Debug, Default)]
pub(crate) struct Gathered {
    /// The values as written, and what found them first.
    pub(crate) values: BTreeMap<String, &'static str>,
    /// Our own words: a value that is one of them counts only as a whole word.
    pub(crate) words: BTreeSet<String>,
}

impl Gathered {
    fn add(&mut self, profile: &Profile, value: &str, rule: &'static str) {
        let value = value.trim();
        if !profile.excepts(value) {
            let known = self.values.entry(value.to_owned()).or_insert(rule);
            // A value that is withheld as a whole counts in more places than a part of a name.
            if *known == NAME_PARTS {
                *known = rule;
            }
        }
    }

    /// Adds the value of a field that a rule names.
    fn add_ruled(&mut self, profile: &Profile, kind: &str, field: &str, value: &FieldValue) {
        let Some(rule) = profile.rule(kind, field).filter(|rule| rule.sought) else { return };
        self.add_field(profile, value);
        for text in texts(value).filter(|text| !profile.excepts(text)) {
            self.add_parts(profile, rule, text);
        }
    }

    /// Adds parts of a value that, according to its rule, reveal as much.
    fn add_parts(&mut self, profile: &Profile, rule: &Rule, text: &str) {
        if rule.words {
            self.add_account_words(profile, text);
        }
        let first = text.trim_start_matches('\\').split('.').next().unwrap_or_default();
        if rule.hosts && address(text).is_none() && first.chars().any(char::is_alphabetic) {
            self.add(profile, first, PARTS);
            self.add_words(profile, first);
            let cut = first.char_indices().nth(NETBIOS).and_then(|(at, _)| first.get(..at));
            cut.into_iter().for_each(|cut| self.add(profile, cut, PARTS));
        }
    }

    /// Adds the parts of a name, except common words.
    fn add_words(&mut self, profile: &Profile, text: &str) {
        let words = parts::parts(text).filter(|word| !profile.is_common(word));
        words.for_each(|word| self.add(profile, word, NAME_PARTS));
    }

    /// Adds the parts of an account and of its domain, unless Windows itself defines the domain.
    fn add_account_words(&mut self, profile: &Profile, text: &str) {
        let (domain, account) = text.split_once('\\').unwrap_or(("", text));
        let account = account.split_once('@').map_or(account, |(account, _)| account);
        if (domain.is_empty() || !profile.excepts(domain)) && !account.contains(['\\', '/', ':']) {
            self.add_words(profile, account);
            self.add_words(profile, domain);
        }
    }

    /// Adds people whom a text identifies by their role.
    fn add_people(&mut self, profile: &Profile, text: &str) {
        if profile.finders.contains(&Finder::Role) {
            for name in case::people(text) {
                self.add(profile, name, Finder::Role.name());
                self.add_words(profile, name);
            }
        }
    }

    /// Adds what the case file names, and the people named in its owner's questions.
    fn add_case(&mut self, profile: &Profile, run: &Run) {
        let opened = &run.opened;
        self.add_people(profile, &opened.case.title);
        let asked = opened.questions.iter().filter(|asked| asked.by == AskedBy::Owner);
        asked.for_each(|asked| self.add_people(profile, &asked.objective.question));
        let labels = opened.case.evidence.iter().filter(|_| profile.finders.contains(&Finder::LabelHost));
        for host in labels.flat_map(|entry| case::hosts(&entry.label)) {
            self.add(profile, host, Finder::LabelHost.name());
            self.add_words(profile, host);
        }
    }

    /// Adds what a record of an output names.
    fn add_record(&mut self, profile: &Profile, record: &Record) {
        for (name, field) in &record.fields {
            self.add_ruled(profile, &record.kind, name, &field.value);
            if profile.beside(&record.kind, name).any(|other| is_withheld(profile, record, other)) {
                self.add_items(profile, &field.value);
            }
            for text in texts(&field.value) {
                self.look_at_value(profile, text);
                if record.kind == IMAGE {
                    self.add_people(profile, text);
                }
            }
        }
        self.look(profile, &record.locator.path);
    }

    /// Adds each text of a value unchanged.
    fn add_items(&mut self, profile: &Profile, value: &FieldValue) {
        texts(value).for_each(|text| self.add(profile, text, OF_FIELDS));
    }

    /// Adds a withheld value, and parts of it that reveal as much: account and domain, the last part of a path.
    fn add_field(&mut self, profile: &Profile, value: &FieldValue) {
        match value {
            FieldValue::List(items) => items.iter().for_each(|item| self.add(profile, item, OF_FIELDS)),
            FieldValue::Flag(_) => {}
            FieldValue::Time(time) => {
                self.add(profile, &time.to_text(), OF_FIELDS);
                if let Some(utc) = time.utc {
                    let text = utc.to_text(Precision::Second);
                    let text = text.trim_end_matches('Z');
                    self.add(profile, text, PARTS);
                    self.add(profile, &text.replace('T', " "), PARTS);
                }
            }
            FieldValue::Path(path) | FieldValue::RegistryPath(path) => {
                self.add(profile, path, OF_FIELDS);
                let last = path.trim_end_matches(['\\', '/']).rsplit(['\\', '/']).next().unwrap_or_default();
                if last.chars().count() >= TELLING {
                    self.add(profile, last, PARTS);
                }
            }
            FieldValue::Name(name) | FieldValue::Text(name) => {
                self.add(profile, name, OF_FIELDS);
                // The account of a computer is its name and `$`.
                let name = name.strip_suffix('$').unwrap_or(name);
                self.add(profile, name, PARTS);
                let parts = name.split_once('\\').or_else(|| name.split_once('@'));
                let plain = |part: &str| !part.contains(['\\', '/', '@', ' ', ':']);
                if let Some((one, other)) = parts.filter(|(one, other)| plain(one) && plain(other)) {
                    self.add(profile, one, PARTS);
                    self.add(profile, other, PARTS);
                }
            }
            FieldValue::Integer(_)
            | FieldValue::Size(_)
            | FieldValue::Sid(_)
            | FieldValue::Guid(_)
            | FieldValue::Hash(_)
            | FieldValue::Bytes(_) => self.add(profile, &value.to_text(), OF_FIELDS),
        }
    }

    /// Adds what the finders of the profile find in a text.
    fn look(&mut self, profile: &Profile, text: &str) {
        if profile.finders.is_empty() || text.len() < SOUGHT {
            return;
        }
        for folded in written(text) {
            for finder in &profile.finders {
                for range in finder.find(&folded.text) {
                    let value = folded.text.get(range).unwrap_or_default().to_owned();
                    self.add(profile, &value, finder.name());
                    if *finder == Finder::ProfileFolder && !profile.excepts(&value) {
                        self.add_words(profile, &value);
                    }
                }
            }
        }
    }

    /// The same for a value of the evidence, where two backslashes really are two: this finds the hosts of UNC paths, too.
    fn look_at_value(&mut self, profile: &Profile, text: &str) {
        self.look(profile, text);
        if profile.finders.contains(&Finder::UncHost) {
            for host in unc_hosts(text) {
                self.add(profile, host, Finder::UncHost.name());
                if address(host).is_none() {
                    self.add_words(profile, host.split('.').next().unwrap_or_default());
                }
            }
        }
    }

    fn look_into(&mut self, profile: &Profile, value: &Value) {
        match value {
            Value::String(text) => self.look(profile, text),
            Value::Array(items) => items.iter().for_each(|item| self.look_into(profile, item)),
            Value::Object(members) => {
                for (name, member) in members {
                    self.look(profile, name);
                    self.look_into(profile, member);
                }
            }
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }
}

/// Checks whether a record has a withheld value in one of these fields.
fn is_withheld(profile: &Profile, record: &Record, fields: &Patterns) -> bool {
    record.fields.iter().filter(|(name, _)| fields.fit(name)).any(|(name, field)| {
        profile.rule(&record.kind, name).is_some() && texts(&field.value).any(|text| !profile.excepts(text))
    })
}

/// Gathers what the profile withholds from the facts, outputs and texts of the run.
pub(crate) fn gather(events: &Events, run: &Run, stored: &Outputs<'_>, profile: &Profile) -> Gathered {
    let mut gathered = Gathered { words: words(run), ..Gathered::default() };
    for value in &profile.values {
        gathered.values.insert(value.clone(), NAMED);
    }
    gathered.add_case(profile, run);
    for (_, accepted) in run.facts() {
        let fact = &accepted.fact;
        for bound in fact.values.iter().chain([&fact.subject]) {
            gathered.add_ruled(profile, &fact.kind, &bound.field, &bound.value);
        }
    }
    for digest in &output_digests(run) {
        let Some(output) = stored(digest).and_then(|bytes| Output::decode(&bytes).ok()) else { continue };
        output.records().iter().for_each(|record| gathered.add_record(profile, record));
    }
    if !profile.finders.is_empty() {
        for (_, event, circumstance) in events {
            for value in [tree(event), tree(circumstance)].into_iter().flatten() {
                gathered.look_into(profile, &value);
            }
        }
    }
    gathered
}

/// Returns the words that are our own and not the evidence's: names of predicates, record types, fields, tools,
/// agents, objectives.
pub(crate) fn words(run: &Run) -> BTreeSet<String> {
    let mut words = BTreeSet::new();
    for tool in &run.opened.tools {
        words.insert(tool.name.clone());
        for record in &tool.records {
            words.insert(record.name.clone());
            words.extend(record.fields.keys().cloned());
        }
    }
    let agents = run.tasks.values().map(|view| &view.assigned.agent).chain(&run.opened.roster);
    for agent in agents {
        words.insert(agent.name.clone());
        for objective in &agent.objectives {
            words.insert(objective.id.clone());
            words.extend(objective.ways().map(|way| way.condition.predicate.0.clone()));
            words.extend(objective.ways().map(|way| way.condition.record.clone()));
        }
    }
    words.extend(run.facts().map(|(_, accepted)| accepted.fact.predicate.0.clone()));
    words.extend(run.facts().map(|(_, accepted)| accepted.fact.kind.clone()));
    words
}

/// Returns the needles for what was gathered, and how many values are too short to search for.
pub(crate) fn needles(gathered: &Gathered, profile: &Profile) -> (Vec<Needle>, u64) {
    let mut all: BTreeMap<String, Needle> = BTreeMap::new();
    let mut not_sought = 0;
    let known: Vec<String> =
        gathered.words.iter().map(String::as_str).chain(profile.excepted()).map(folded).collect();
    let all_known = known.join("\n");
    for (value, rule) in &gathered.values {
        let text = folded(value);
        let letters = text.chars().count();
        let number = text.chars().all(|c| c.is_ascii_digit());
        if letters < SOUGHT || (number && letters <= SOUGHT) {
            not_sought += 1;
            continue;
        }
        // A value that is a part of one of our own words would mutilate that word everywhere.
        let alone = *rule != NAMED && (number || letters <= SHORT || all_known.contains(&text));
        let beside = if alone { Beside::NoLetter } else { Beside::Anything };
        let is_part = *rule == NAME_PARTS && letters < WITHIN && !all_known.contains(&text);
        let beside = if is_part { Beside::Capital } else { beside };
        let mut all_of = forms(value, rule, beside);
        all_of.extend(joined(value, rule, profile, &all_known));
        all_of.extend(others(value, rule, profile));
        all_of.push(Needle { text, beside, rule });
        for needle in all_of {
            let known = all.entry(needle.text.clone()).or_insert_with(|| needle.clone());
            known.beside = known.beside.min(needle.beside);
            known.rule = if known.rule == TURNED { needle.rule } else { known.rule };
        }
    }
    (all.into_values().collect(), not_sought)
}

/// Returns a value in ROT13, as look-alike or lost letters, and as an address in its other spellings.
fn forms(value: &str, rule: &'static str, beside: Beside) -> Vec<Needle> {
    let look = ascii_look(value).filter(|look| look.len() >= SHORT).map(|look| (look, Beside::NoLetter));
    let lost = lost(value).into_iter().map(|it| (folded(&it), beside));
    let spelled = address(value).map(spellings).unwrap_or_default().into_iter();
    let spelled = spelled.filter(|it| it.len() >= SPELLED).map(|it| (spelled_beside(&it), it));
    let all = std::iter::once((folded(&rot13(value)), beside)).chain(look).chain(lost);
    let all = all.chain(spelled.map(|(beside, it)| (it, beside)));
    all.map(|(text, beside)| Needle { text, beside, rule }).collect()
}

/// Returns other representations of a value: a SID or a MAC address in another spelling, a short name, the value
/// reversed.
fn others(value: &str, rule: &'static str, profile: &Profile) -> Vec<Needle> {
    let needle = |text: &str, beside| Needle { text: folded(text), beside, rule };
    let sid = sids::spellings(value);
    let mut all: Vec<Needle> = sid.numbers.iter().map(|it| needle(it, Beside::NoDigit)).collect();
    all.extend(sid.bytes.iter().map(|it| needle(it, Beside::Anything)));
    all.extend(macs::spellings(value).iter().map(|it| needle(it, Beside::NoLetter)));
    if !value.contains(['\\', '/', '@', ':']) {
        let short = parts::short_names(value, |word| profile.is_common(word));
        all.extend(short.iter().map(|it| needle(it, Beside::NoLetter)));
    }
    let turned = parts::turned(value).map(|it| folded(&it));
    let alone = |it: &str| if it.chars().count() < JOINED { Beside::NoLetter } else { Beside::NoDigit };
    all.extend(turned.iter().map(|it| needle(it, alone(it))));
    all
}

/// Returns a name of several words joined in other ways, except those that occur in our own words.
fn joined(value: &str, rule: &'static str, profile: &Profile, all_known: &str) -> Vec<Needle> {
    let Joins { in_order, turned, initials } = joins(value, |word| profile.is_common(word));
    let in_order = in_order.iter().map(|form| (folded(form), rule));
    let forms = in_order.chain(turned.iter().map(|form| (folded(form), TURNED)));
    let forms = forms.filter(|(form, _)| !all_known.contains(form));
    let initials =
        initials.into_iter().map(|form| Needle { text: folded(&form), beside: Beside::NoLetter, rule });
    let initials: Vec<Needle> = initials.filter(|needle| !all_known.contains(&needle.text)).collect();
    let joined = forms.map(|(text, rule)| {
        let is_short = text.chars().count() < JOINED;
        Needle { text, beside: if is_short { Beside::NoLetter } else { Beside::Anything }, rule }
    });
    joined.chain(initials).collect()
}

/// Returns what may be next to an address in an alternative spelling. Without separators between its parts, it looks
/// like an ordinary number.
fn spelled_beside(spelling: &str) -> Beside {
    let is_parted = spelling.matches(['-', '_']).count() == 3;
    let is_decimal = spelling.chars().all(|c| c.is_ascii_digit() || matches!(c, '-' | '_'));
    if is_parted && is_decimal { Beside::NoDigit } else { Beside::NoLetter }
}

/// Returns the texts of a value.
fn texts(value: &FieldValue) -> impl Iterator<Item = &str> {
    let items = match value {
        FieldValue::List(items) => items.as_slice(),
        _ => &[],
    };
    items.iter().map(String::as_str).chain(value.as_text())
}

/// Encodes with ROT13, which hides paths in registry value names (UserAssist).
fn rot13(text: &str) -> String {
    let turn = |c: char| match c {
        'a'..='m' | 'A'..='M' => char::from_u32(u32::from(c) + 13).unwrap_or(c),
        'n'..='z' | 'N'..='Z' => char::from_u32(u32::from(c) - 13).unwrap_or(c),
        _ => c,
    };
    text.chars().map(turn).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use ledger::{Field, Locator, RecordId};

    #[test]
    fn parts_of_values_that_tell_as_much_are_gathered() {
        let profile = Profile::parse("p", "find = [\"sid\"]\nexcept = [\"WORKGROUP\"]").unwrap();
        let mut gathered = Gathered::default();
        for value in [
            FieldValue::Name("CORP\\ann".into()),
            FieldValue::Name("bob@corp.example".into()),
            FieldValue::Name("WORKGROUP\\eve".into()),
            FieldValue::Path("p1/Users/carl/letter.docx".into()),
            FieldValue::Text("a b@c".into()),
        ] {
            gathered.add_field(&profile, &value);
        }
        let values: Vec<&str> = gathered.values.keys().map(String::as_str).collect();
        assert_eq!(
            values,
            [
                "CORP",
                "CORP\\ann",
                "WORKGROUP\\eve",
                "a b@c",
                "ann",
                "bob",
                "bob@corp.example",
                "corp.example",
                "eve",
                "letter.docx",
                "p1/Users/carl/letter.docx"
            ]
        );
    }

    fn people() -> Profile {
        let (name, text) = crate::SHIPPED[0];
        Profile::parse(name, text).unwrap()
    }

    #[test]
    fn what_stands_for_a_host_is_gathered_with_it() {
        let mut gathered = Gathered::default();
        for (kind, field, value) in [
            ("logon", "computer", "ALDER-WORKSTATION-07.corp.example"),
            ("computer_name", "name", "10.20.4.37"),
            ("logon", "account", "CORP\\ALDER-FS01$"),
        ] {
            gathered.add_ruled(&people(), kind, field, &FieldValue::Text(value.into()));
        }
        for expected in ["ALDER-WORKSTATION-07", "ALDER-WORKSTATI", "ALDER-FS01", "CORP"] {
            assert!(gathered.values.contains_key(expected), "{expected}: {gathered:?}");
        }
        assert!(!gathered.values.contains_key("10"), "{gathered:?}");
    }

    #[test]
    fn parts_of_accounts_are_gathered_but_for_words_like_others() {
        let mut gathered = Gathered::default();
        for value in [
            "CORP\\Zacharias.Quendelberg",
            "svc-backup",
            "it-admin",
            "TestUser",
            "NT SERVICE\\TrustedInstaller Helper",
            "DROSSELHOF-PC9\\Pia Menosi",
            "jane.doerr@mail.example",
        ] {
            gathered.add_ruled(&people(), "logon", "account", &FieldValue::Text(value.into()));
        }
        let parts: Vec<&str> =
            gathered.values.iter().filter(|it| *it.1 == NAME_PARTS).map(|it| it.0.as_str()).collect();
        assert_eq!(parts, ["DROSSELHOF", "Menosi", "Quendelberg", "Zacharias", "doerr", "jane"]);
    }

    #[test]
    fn what_else_stands_for_a_name_is_withheld_and_words_like_it_stay() {
        let mut gathered = Gathered::default();
        for value in ["Hugh.Grant", "svc-backup", "DROSSELHOF-PC9", "Zacharias.Quendelberg"] {
            gathered.add_ruled(&people(), "logon", "account", &FieldValue::Text(value.into()));
        }
        let redactor = crate::Redactor::new(gathered, &people()).unwrap();
        for (text, expected) in [
            ("Mr Quendelberg, Quendelberg_Report.exe", "Mr [withheld], [withheld]_Report.exe"),
            ("a ZQuendelberg --first Zacharias", "a [withheld] --first [withheld]"),
            (r"C:\Users\ZACHAR~1.QUE\a, ZACHAR~1", r"C:\Users\[withheld]\a, [withheld]"),
            ("Zach^arias, 'Zach'+'arias'", "[withheld], '[withheld]'"),
            ("DROSSELHOF PC9 of DROSSELHOF", "[withheld] of [withheld]"),
            ("HGrant, GrantReport, grant", "[withheld], [withheld]Report, [withheld]"),
            ("granted, the backup service, Immigrant", "granted, the backup service, Immigrant"),
            ("card 00-1A-2B-3C-4D-5E", "card [withheld]"),
        ] {
            assert_eq!(redactor.text(text), expected);
        }
    }

    fn hosts_entry(address: &str, names: &[&str]) -> Record {
        let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
        let field = |value| Field { at: None, value };
        let fields = [
            ("address", FieldValue::Name(address.into())),
            ("name", FieldValue::Name(names[0].clone())),
            ("names", FieldValue::List(names)),
        ];
        Record {
            defects: Vec::new(),
            fields: fields.map(|(name, value)| (name.to_owned(), field(value))).into(),
            id: RecordId(1),
            kind: "hosts_entry".into(),
            locator: Locator { evidence: "disk".into(), path: "etc/hosts".into(), stream: None, span: None },
            placement: None,
        }
    }

    #[test]
    fn hosts_of_a_hosts_file_are_gathered_where_their_address_is() {
        let mut gathered = Gathered::default();
        gathered.add_record(&people(), &hosts_entry("10.77.31.9", &["intern.vogelfirma.example", "kasse"]));
        gathered.add_record(&people(), &hosts_entry("127.0.0.1", &["update.example"]));
        gathered.add_record(&people(), &hosts_entry("0.0.0.0", &["ads.example"]));
        let values: Vec<&str> = gathered.values.keys().map(String::as_str).collect();
        assert_eq!(values, ["10.77.31.9", "intern.vogelfirma.example", "kasse"]);
    }

    #[test]
    fn whoever_the_case_names_is_gathered() {
        let events = testkit::history::History::opened("Theft, examiner: Pia Menosi").events();
        let mut run = graph::fold(events).unwrap();
        run.opened.case.evidence[0].label = "ALDER-07-backup".into();
        let mut gathered = Gathered::default();
        gathered.add_case(&people(), &run);
        let values: Vec<&str> = gathered.values.keys().map(String::as_str).collect();
        assert_eq!(values, ["ALDER", "ALDER-07", "ALDER-07-backup", "Menosi", "Pia Menosi"]);
    }

    #[test]
    fn an_address_has_needles_that_stand_alone_and_what_is_not_seen_has_none() {
        let mut gathered = Gathered::default();
        for value in ["192.168.1.1", "\u{200b}\u{200b}\u{200b}\u{200b}", "\u{308}\u{308}\u{308}x"] {
            gathered.values.insert(value.into(), NAMED);
        }
        let (needles, not_sought) = needles(&gathered, &people());
        let alone =
            |text: &str| needles.iter().find(|it| it.text == text).map(|it| it.beside == Beside::NoLetter);
        assert_eq!(not_sought, 2);
        assert_eq!(
            [alone("192.168.1.1"), alone("3232235777"), alone("0xc0a80101")],
            [Some(false), Some(true), Some(true)]
        );
    }
}
