//! The rules for which fields name entities and which of these a fact relates: data that is validated when read.

use super::kind::{EntityKind, RelationKind};
use serde::Deserialize;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::LazyLock;
use thiserror::Error;

/// A recipe for identifying the entities of one role by the fields of a record.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct Recipe {
    pub(super) is: Option<EntityKind>,
    /// The entity is the host that the fact is about.
    pub(super) here: bool,
    /// The entity is the account whose profile folder contains the record's file.
    pub(super) owner: bool,
    /// The account is one of the host's own accounts.
    pub(super) local: bool,
    /// The name counts only with its domain; without it, anybody could have written the name.
    pub(super) qualified: bool,
    /// The record ends the process.
    pub(super) ends: bool,
    /// The same value in another hive is another entity.
    pub(super) hive: bool,
    /// The same bare name in a record from a file with another name is another entity.
    pub(super) per_file: bool,
    pub(super) sid: Option<String>,
    pub(super) name: Option<String>,
    pub(super) or_name: Option<String>,
    pub(super) domain: Option<String>,
    pub(super) profile: Option<String>,
    pub(super) group: Option<String>,
    pub(super) path: Option<String>,
    pub(super) or_path: Option<String>,
    pub(super) command: Option<String>,
    pub(super) log: Option<String>,
    pub(super) entry: Option<String>,
    pub(super) sequence: Option<String>,
    pub(super) sha256: Option<String>,
    pub(super) sha1: Option<String>,
    pub(super) md5: Option<String>,
    pub(super) guid: Option<String>,
    pub(super) pid: Option<String>,
    pub(super) start: Option<String>,
    pub(super) at: Option<String>,
    pub(super) image: Option<String>,
    pub(super) logon: Option<String>,
    /// The role with the account that a session must belong to.
    pub(super) of: Option<String>,
    pub(super) value: Option<String>,
    pub(super) or_value: Option<String>,
    pub(super) site: Option<String>,
    pub(super) shared: Option<String>,
    pub(super) serial: Option<String>,
    pub(super) instance: Option<String>,
    pub(super) volume: Option<String>,
    pub(super) volume_serial: Option<String>,
    /// A field and the value that it must have.
    pub(super) when: Option<[String; 2]>,
}

impl Recipe {
    /// Returns the fields that it reads.
    fn fields(&self) -> impl Iterator<Item = &str> {
        let when = self.when.as_ref().map(|[field, _]| field);
        [
            &self.sid,
            &self.name,
            &self.or_name,
            &self.domain,
            &self.profile,
            &self.group,
            &self.path,
            &self.or_path,
            &self.command,
            &self.log,
            &self.entry,
            &self.sequence,
            &self.sha256,
            &self.sha1,
            &self.md5,
            &self.guid,
            &self.pid,
            &self.start,
            &self.at,
            &self.image,
            &self.logon,
            &self.value,
            &self.or_value,
            &self.site,
            &self.shared,
            &self.serial,
            &self.instance,
            &self.volume,
            &self.volume_serial,
        ]
        .into_iter()
        .flatten()
        .chain(when)
        .map(String::as_str)
    }
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    folders: BTreeMap<String, String>,
    authorities: Authorities,
    record: Vec<Table>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Authorities {
    domains: BTreeSet<String>,
    sids: BTreeMap<String, String>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Table {
    types: Vec<String>,
    /// The first version of the rules that contains it.
    #[serde(default = "first")]
    since: u16,
    /// The last such version; `None` means the current one.
    until: Option<u16>,
    /// Anybody can write the record's time, so it does not date anything.
    #[serde(default)]
    undated: bool,
    starts: Option<Starts>,
    #[serde(default)]
    says: Vec<String>,
    roles: BTreeMap<String, Recipe>,
    relations: Vec<Vec<String>>,
}

const fn first() -> u16 {
    1
}

/// The field and the words by which a record shows that Windows starts something automatically.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Starts {
    pub(super) field: String,
    /// The words for that, in lower case.
    pub(super) words: BTreeSet<String>,
}

/// A rule in the form used for matching facts.
#[derive(Debug)]
pub(super) struct Rule {
    /// Whether it dates nothing.
    pub(super) undated: bool,
    /// What shows that Windows starts a program automatically; `None` means the state of the record does.
    pub(super) starts: Option<Starts>,
    /// The predicates that a fact must have one of; empty means any.
    pub(super) says: Vec<String>,
    pub(super) roles: Vec<(EntityKind, Recipe)>,
    /// The index of the role whose account a session must belong to.
    pub(super) of: Vec<Option<usize>>,
    pub(super) relations: Vec<Related>,
}

/// Two roles that are related.
#[derive(Debug)]
pub(super) struct Related {
    pub(super) from: usize,
    pub(super) kind: RelationKind,
    pub(super) to: usize,
    pub(super) time: Option<String>,
}

/// The rules for finding entities and relations.
#[derive(Debug, Default)]
pub(super) struct Rules {
    /// Their version.
    pub(super) version: u16,
    rules: Vec<Rule>,
    by_type: HashMap<String, Vec<usize>>,
    /// Path prefixes in lower case, longest first, with the folders of the system drive that they stand for.
    pub(super) folders: Vec<(String, String)>,
    pub(super) authorities: BTreeSet<String>,
    pub(super) sids: BTreeMap<String, String>,
}

/// The reason why the rules cannot be used.
#[derive(Debug, Error, PartialEq, Eq)]
pub enum RulesError {
    /// The text cannot be parsed.
    #[error("read the rules of connections: {0}")]
    Read(String),
    /// A role does not state its kind.
    #[error("read the rules of connections: records {records:?}: role {role:?} has no `is`")]
    NoKind {
        /// The record types.
        records: Vec<String>,
        /// The role.
        role: String,
    },
    /// A relation names roles that its table lacks, or an unknown relation.
    #[error("read the rules of connections: records {records:?}: {relation:?} relates nothing")]
    Relation {
        /// The record types.
        records: Vec<String>,
        /// The relation as written.
        relation: Vec<String>,
    },
}

impl Rules {
    /// Checks whether they are the first version, which runs with behaviours 27 and 28 use.
    pub(super) const fn is_first(&self) -> bool {
        self.version == 1
    }

    /// Reads the rules of a version.
    pub(super) fn read(text: &str, version: u16) -> Result<Rules, RulesError> {
        let file: File = toml::from_str(text).map_err(|error| RulesError::Read(error.to_string()))?;
        let mut folders: Vec<(String, String)> = file.folders.into_iter().collect();
        folders.sort_by_key(|(from, _)| std::cmp::Reverse(from.len()));
        let mut by_type: HashMap<String, Vec<usize>> = HashMap::new();
        let mut rules = Vec::new();
        let has = |table: &Table| (table.since..=table.until.unwrap_or(u16::MAX)).contains(&version);
        for table in file.record.into_iter().filter(has) {
            for record in &table.types {
                by_type.entry(record.clone()).or_default().push(rules.len());
            }
            rules.push(rule(table)?);
        }
        let Authorities { domains, sids } = file.authorities;
        Ok(Rules { version, rules, by_type, folders, authorities: domains, sids })
    }

    /// Returns the rules for facts about records of this type.
    pub(super) fn of<'r>(&'r self, kind: &str) -> impl Iterator<Item = &'r Rule> + Clone + use<'r> {
        let places = self.by_type.get(kind).map(Vec::as_slice).unwrap_or_default();
        places.iter().filter_map(|place| self.rules.get(*place))
    }
}

fn rule(table: Table) -> Result<Rule, RulesError> {
    let names: Vec<String> = table.roles.keys().cloned().collect();
    let place = |name: &str| names.iter().position(|it| it == name);
    let relation = |written: &Vec<String>| {
        let read = match written.as_slice() {
            [from, kind, to] => Some((from, kind, to, None)),
            [from, kind, to, time] => Some((from, kind, to, Some(time.clone()))),
            _ => None,
        };
        let related = read.and_then(|(from, kind, to, time)| {
            Some(Related { from: place(from)?, kind: RelationKind::of_name(kind)?, to: place(to)?, time })
        });
        related
            .ok_or_else(|| RulesError::Relation { records: table.types.clone(), relation: written.clone() })
    };
    let relations = table.relations.iter().map(relation).collect::<Result<_, _>>()?;
    let of = table.roles.values().map(|recipe| recipe.of.as_deref().and_then(place)).collect();
    let kind = |(role, recipe): (String, Recipe)| match recipe.is {
        Some(kind) => Ok((kind, recipe)),
        None => Err(RulesError::NoKind { records: table.types.clone(), role }),
    };
    let roles = table.roles.into_iter().map(kind).collect::<Result<_, _>>()?;
    let Table { undated, starts, says, .. } = table;
    Ok(Rule { undated, starts, says, roles, of, relations })
}

/// Returns the rules of a version; `None` if they cannot be read, which is a bug in this program that a test finds.
pub(super) fn shipped(version: u16) -> Option<&'static Rules> {
    type Read = LazyLock<Option<Rules>>;
    fn of(version: u16) -> Option<Rules> {
        Rules::read(include_str!("../../data/connections.toml"), version).ok()
    }
    static FIRST: Read = LazyLock::new(|| of(1));
    static SECOND: Read = LazyLock::new(|| of(2));
    let rules = if version == 1 { &FIRST } else { &SECOND };
    rules.as_ref()
}

/// Returns the fields of a record type that name one account together: name, domain and SID, each if the record has it.
pub fn accounts_of(kind: &str) -> impl Iterator<Item = AccountFields<'static>> + use<> {
    let rules = shipped(super::RULES).into_iter();
    let roles = rules.flat_map({
        let kind = kind.to_owned();
        move |rules| rules.of(&kind).flat_map(|rule| &rule.roles).collect::<Vec<_>>()
    });
    // A name that counts only with its domain may not be an account at all.
    roles.filter(|(kind, recipe)| *kind == EntityKind::Account && !recipe.qualified).map(|(_, recipe)| {
        AccountFields {
            name: recipe.name.as_deref(),
            domain: recipe.domain.as_deref(),
            sid: recipe.sid.as_deref(),
        }
    })
}

/// The fields that name one account.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct AccountFields<'r> {
    /// The field of its name, which may include a domain.
    pub name: Option<&'r str>,
    /// The field of its domain.
    pub domain: Option<&'r str>,
    /// The field of its SID.
    pub sid: Option<&'r str>,
}

/// Returns every record type that a rule names, with a field or predicate that the rule expects.
/// A test compares these with the tools' record types.
///
/// # Errors
///
/// Fails if the rules cannot be read.
pub fn named_by_rules() -> Result<Named, RulesError> {
    let file: File = toml::from_str(include_str!("../../data/connections.toml"))
        .map_err(|error| RulesError::Read(error.to_string()))?;
    let mut named = Named::default();
    for table in &file.record {
        let times = table.relations.iter().filter_map(|relation| relation.get(3).map(String::as_str));
        let fields: BTreeSet<&str> = table.roles.values().flat_map(Recipe::fields).chain(times).collect();
        for record in &table.types {
            let owned = |it: &str| (record.clone(), it.to_owned());
            named.fields.extend(fields.iter().map(|field| owned(field)));
            named.fields.extend(table.starts.iter().map(|starts| owned(&starts.field)));
            named.predicates.extend(table.says.iter().map(|says| owned(says)));
        }
    }
    Ok(named)
}

/// The names that the rules use, each with its record type.
#[derive(Debug, Default)]
pub struct Named {
    /// Fields, each after its record type.
    pub fields: BTreeSet<(String, String)>,
    /// Predicates, each after its record type.
    pub predicates: BTreeSet<(String, String)>,
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test fails by panicking")]
mod tests {
    use super::*;

    #[test]
    fn the_shipped_rules_read_and_draw_each_relation() {
        let rules = Rules::read(include_str!("../../data/connections.toml"), super::super::RULES).unwrap();
        let drawn: BTreeSet<RelationKind> =
            rules.rules.iter().flat_map(|rule| rule.relations.iter().map(|related| related.kind)).collect();
        // One is derived from the hashes of files; the other replaces a relation for what does not start automatically.
        let worked_out = [RelationKind::SameContentAs, RelationKind::SetToRun];
        let missing: Vec<_> = RelationKind::ALL
            .into_iter()
            .filter(|kind| !drawn.contains(kind) && !worked_out.contains(kind))
            .collect();
        assert_eq!(missing, []);
    }

    #[test]
    fn what_relates_nothing_is_refused() {
        let text = |relation: &str, is: &str| {
            format!(
                "[folders]\n[authorities]\ndomains = []\nsids = {{}}\n[[record]]\ntypes = [\"t\"]\n\
                 roles.a = {{ {is} value = \"v\" }}\nrelations = [{relation}]\n"
            )
        };
        let is = "is = \"url\",";
        assert!(Rules::read(&text("", is), 1).is_ok());
        for relation in ["[\"a\", \"ran\", \"b\"]", "[\"a\", \"liked\", \"a\"]", "[\"a\", \"ran\"]"] {
            assert!(
                matches!(Rules::read(&text(relation, is), 1), Err(RulesError::Relation { .. })),
                "{relation}"
            );
        }
        assert!(matches!(Rules::read(&text("", ""), 1), Err(RulesError::NoKind { .. })));
        assert!(matches!(Rules::read(&text("", "is = \"ship\","), 1), Err(RulesError::Read(_))));
    }
}
