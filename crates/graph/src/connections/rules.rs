//! Which fields name entities, and which of these a fact relates: data, checked when it is read.

use super::kind::{EntityKind, RelationKind};
use serde::Deserialize;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::LazyLock;
use thiserror::Error;

/// How the entities of one role are told by the fields of a record.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct Recipe {
    pub(super) is: Option<EntityKind>,
    /// The host that the fact tells of.
    pub(super) here: bool,
    /// The account in whose profile folder the record's file stands.
    pub(super) owner: bool,
    /// The account is one of the host's own.
    pub(super) local: bool,
    /// The name counts only with its domain: others are anybody's words.
    pub(super) qualified: bool,
    /// The record ends the process.
    pub(super) ends: bool,
    /// The value is told apart by the hive that it stands in.
    pub(super) hive: bool,
    /// A bare name is told apart by the name of the file that the record was read from.
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
    /// The role with the account that a session has to be of.
    pub(super) of: Option<String>,
    pub(super) value: Option<String>,
    pub(super) or_value: Option<String>,
    pub(super) site: Option<String>,
    pub(super) shared: Option<String>,
    pub(super) serial: Option<String>,
    pub(super) instance: Option<String>,
    pub(super) volume: Option<String>,
    pub(super) volume_serial: Option<String>,
    /// A field and the value that it has to have.
    pub(super) when: Option<[String; 2]>,
}

impl Recipe {
    /// The fields that it reads.
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
    /// The first version of the rules that has it.
    #[serde(default = "first")]
    since: u16,
    /// The last one; none: that of this program.
    until: Option<u16>,
    /// Anybody can write the time of the record: it dates nothing.
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

/// How a record says that Windows starts something by itself.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Starts {
    pub(super) field: String,
    /// Words in lower case.
    pub(super) words: BTreeSet<String>,
}

/// A table as facts are held against it.
#[derive(Debug)]
pub(super) struct Rule {
    /// Whether nothing of it has a time.
    pub(super) undated: bool,
    /// What says that Windows starts a program by itself; none: the state of the record does.
    pub(super) starts: Option<Starts>,
    /// The predicates of which a fact has one; empty: any.
    pub(super) says: Vec<String>,
    pub(super) roles: Vec<(EntityKind, Recipe)>,
    /// The place of the role whose account a session has to be of.
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

/// The rules by which entities and relations are found.
#[derive(Debug, Default)]
pub(super) struct Rules {
    /// Which version they are of.
    pub(super) version: u16,
    rules: Vec<Rule>,
    by_type: HashMap<String, Vec<usize>>,
    /// Beginnings of paths in lower case, the longest first, with the folders of the system drive that they stand for.
    pub(super) folders: Vec<(String, String)>,
    pub(super) authorities: BTreeSet<String>,
    pub(super) sids: BTreeMap<String, String>,
}

/// Why the rules cannot be used.
#[derive(Debug, Error, PartialEq, Eq)]
pub enum RulesError {
    /// The text has another form.
    #[error("read the rules of connections: {0}")]
    Read(String),
    /// A role says nothing of what it is.
    #[error("read the rules of connections: records {records:?}: role {role:?} has no `is`")]
    NoKind {
        /// The record types.
        records: Vec<String>,
        /// The role.
        role: String,
    },
    /// A relation names no roles of its table, or no relation.
    #[error("read the rules of connections: records {records:?}: {relation:?} relates nothing")]
    Relation {
        /// The record types.
        records: Vec<String>,
        /// The relation as it is written.
        relation: Vec<String>,
    },
}

impl Rules {
    /// Whether they are of the first version, which runs of behaviour 27 and 28 have.
    pub(super) const fn is_first(&self) -> bool {
        self.version == 1
    }

    /// Those of a version.
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

    /// The rules for facts of records of this type.
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

/// The rules of a version; `None` where they cannot be read: a defect of this program, which a test finds.
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

/// The fields of a record type that name one account together: name, domain and SID, each where the record has it.
pub fn accounts_of(kind: &str) -> impl Iterator<Item = AccountFields<'static>> + use<> {
    let rules = shipped(super::RULES).into_iter();
    let roles = rules.flat_map({
        let kind = kind.to_owned();
        move |rules| rules.of(&kind).flat_map(|rule| &rule.roles).collect::<Vec<_>>()
    });
    // What counts only with its domain may be no account at all.
    roles.filter(|(kind, recipe)| *kind == EntityKind::Account && !recipe.qualified).map(|(_, recipe)| {
        AccountFields {
            name: recipe.name.as_deref(),
            domain: recipe.domain.as_deref(),
            sid: recipe.sid.as_deref(),
        }
    })
}

/// Fields that name one account.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct AccountFields<'r> {
    /// Its name, which may have a domain before it.
    pub name: Option<&'r str>,
    /// Its domain.
    pub domain: Option<&'r str>,
    /// Its SID.
    pub sid: Option<&'r str>,
}

/// Every record type that a rule names, with a field of it or a predicate that a fact of it has to have: what a test holds against the record types of the tools.
///
/// # Errors
///
/// Where the rules cannot be read.
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

/// What the rules name, each with its record type.
#[derive(Debug, Default)]
pub struct Named {
    /// Fields.
    pub fields: BTreeSet<(String, String)>,
    /// Predicates.
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
        // The one is worked out of the hashes of files, the other stands for what does not start by itself.
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
