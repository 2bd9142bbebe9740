//! Decides which keys belong to one entity: strong keys that one record states together, and names that only one of them has.

use super::collect::{Collected, Edge, Late, Life, Mention};
use super::keys::{Key, Space};
use super::model::{Connections, Entity, EntityId, Kept, Named, Relation, Shown};
use petgraph::unionfind::UnionFind;
use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

/// Folders of a Windows volume: a path below one of them is complete even if only the volume's number is known.
const USUAL: [&str; 5] =
    ["users\\", "programdata\\", "program files\\", "program files (x86)\\", "windows\\"];

/// Builds entities and relations from the collected keys.
pub(super) fn resolve(collected: Collected<'_>) -> Connections {
    let canonical = Canonical::new(&collected);
    let Entities { mut entities, places } = entities(&collected, &canonical);
    let place = |key: u32| canonical.of(key).and_then(|key| places.get(&key)).copied();
    let order = order_of_facts(&collected);
    let (texts, text_places) = sorted_texts(&collected);
    let mut named: Vec<(u32, u32, u32)> = Vec::with_capacity(collected.mentions.len());
    for Mention { key, fact, alias } in &collected.mentions {
        let (Some(entity), Some(fact)) = (place(*key), order.get(index(*fact))) else { continue };
        named.push((entity, text_places.get(index(*alias)).copied().unwrap_or(0), *fact));
    }
    named.sort_unstable();
    named.dedup();
    name(&mut entities, &named);
    for program in &collected.programs {
        if let Some(entity) = place(*program).and_then(|place| entities.get_mut(index(place))) {
            entity.is_program = true;
        }
    }
    let edges = collected.edges.iter().copied().chain(same_contents(&collected, &canonical));
    let mut drawn: Vec<(u32, u32, Edge)> = Vec::new();
    for edge in edges {
        let (Some(from), Some(to)) = (place(edge.from), place(edge.to)) else { continue };
        let Some(fact) = order.get(index(edge.fact)).copied() else { continue };
        if from != to {
            drawn.push((from, to, Edge { fact, ..edge }));
        }
    }
    let (relations, shown) = related(drawn);
    let mut facts: Vec<Kept> = vec![Kept::default(); collected.facts.len()];
    for (kept, at) in collected.facts.iter().zip(&order) {
        if let Some(place) = facts.get_mut(index(*at)) {
            *place = Kept { fact: Some(kept.fact), host: kept.host, at: kept.at, writer: kept.writer };
        }
    }
    let named = named.into_iter().map(|(_, text, fact)| Named { text, fact }).collect();
    let rules = collected.version();
    Connections::new(rules, entities, named, texts, facts, collected.hosts, relations, shown)
}

fn index(number: u32) -> usize {
    usize::try_from(number).unwrap_or(usize::MAX)
}

/// The representative of each key.
struct Canonical {
    by_key: Vec<Option<u32>>,
}

impl Canonical {
    fn of(&self, key: u32) -> Option<u32> {
        self.by_key.get(index(key)).copied().flatten()
    }

    fn new(collected: &Collected<'_>) -> Canonical {
        let mut by_key = merged(collected);
        for (from, to) in devices(collected) {
            let target = by_key.get(index(to)).copied();
            if let Some((key, target)) = by_key.get_mut(index(from)).zip(target) {
                *key = target;
            }
        }
        let without: Canonical = Canonical { by_key };
        let found: Vec<(u32, Option<u32>)> =
            collected.late.iter().map(|(key, late)| (*key, alive(collected, &without, late))).collect();
        let mut by_key = without.by_key;
        for (key, found) in found {
            if let Some(place) = by_key.get_mut(index(key)) {
                *place = found;
            }
        }
        Canonical { by_key }
    }
}

/// Merges strong keys that records state together; the first in text order represents them.
/// A name resolves to its strong key if it has only one.
fn merged(collected: &Collected<'_>) -> Vec<Option<u32>> {
    let space = |key: u32| collected.keys.get(key).map(|key| key.space);
    let is_strong = |key: u32| space(key).is_some_and(Space::is_strong);
    let mut sets = UnionFind::<u32>::new(collected.keys.len());
    for (one, other) in &collected.bound {
        if is_strong(*one) && is_strong(*other) {
            sets.union(*one, *other);
        }
    }
    let mut first: HashMap<u32, u32> = HashMap::new();
    for (number, key) in collected.keys.iter().filter(|(_, key)| key.space.is_strong()) {
        let stands = first.entry(sets.find(number)).or_insert(number);
        let is_other = *stands != number;
        if is_other && collected.keys.get(*stands).is_none_or(|stands| before(collected, key, stands)) {
            *stands = number;
        }
    }
    let representative = |key: u32| first.get(&sets.find(key)).copied().unwrap_or(key);
    let mut bears: BTreeMap<u32, BTreeSet<u32>> = BTreeMap::new();
    for (one, other) in &collected.bound {
        for (name, strong) in [(*one, *other), (*other, *one)] {
            if is_strong(strong) && space(name).is_some_and(|it| !it.is_strong() && it.can_resolve()) {
                bears.entry(name).or_default().insert(representative(strong));
            }
        }
    }
    let comes_to = |number: u32, key: &Key| {
        if key.space.is_strong() {
            return representative(number);
        }
        match bears.get(&number) {
            Some(borne) if borne.len() == 1 => borne.first().copied().unwrap_or(number),
            _ => number,
        }
    };
    collected.keys.iter().map(|(number, key)| Some(comes_to(number, key))).collect()
}

/// Compares two keys, independently of the order of facts.
fn before(collected: &Collected<'_>, one: &Key, other: &Key) -> bool {
    (one.space, written(collected, one)) < (other.space, written(collected, other))
}

/// Formats a key as text, including its host.
fn written(collected: &Collected<'_>, key: &Key) -> String {
    let host = collected.hosts.get(key.host).map_or("", |host| host.key.as_str());
    format!("{}\0{host}\0{}", key.space.word(), key.text)
}

/// Pairs each path on a volume known only by its number with the only path on the same host that it can mean.
fn devices(collected: &Collected<'_>) -> Vec<(u32, u32)> {
    let rest = |key: &Key| key.text.split_once('\\').map(|(_, rest)| rest.to_owned());
    let of_device = |key: &&(u32, &Key)| key.1.space == Space::FilePath && key.1.text.starts_with("device ");
    let usual = || {
        let keys = collected.keys.iter().filter(|it| of_device(&it));
        keys.filter_map(|(number, key)| Some((number, key, rest(key)?)))
            .filter(|(.., rest)| USUAL.iter().any(|usual| rest.starts_with(usual)))
    };
    // If several volumes with the same kind of name have such folders, nothing shows which one is meant.
    let mut volumes: BTreeMap<(u32, bool), BTreeSet<String>> = BTreeMap::new();
    for (_, key, _) in usual() {
        let name = device_name(key);
        volumes.entry((key.host, is_guid(&name))).or_default().insert(name);
    }
    let is_only = |key: &Key| {
        let of_naming = volumes.get(&(key.host, is_guid(&device_name(key))));
        let known = collected.hosts.get(key.host);
        let is_known = known.is_some_and(|host| {
            host.devices.iter().any(|device| is_guid(device) == is_guid(&device_name(key)))
        });
        collected.version() == 1 || (of_naming.is_some_and(|names| names.len() == 1) && !is_known)
    };
    let mut wanted: BTreeMap<(u32, String), Vec<u32>> = BTreeMap::new();
    for (number, key, rest) in usual().filter(|(_, key, _)| is_only(key)) {
        let of_path = wanted.entry((key.host, rest)).or_default();
        if collected.version() == 1 {
            of_path.clear();
        }
        of_path.push(number);
    }
    if wanted.is_empty() {
        return Vec::new();
    }
    let mut found: BTreeMap<(u32, String), Vec<u32>> = BTreeMap::new();
    let paths = collected.keys.iter().filter(|(_, key)| key.space == Space::FilePath);
    for (number, key) in paths.filter(|it| !of_device(&it)) {
        let place = rest(key).map(|rest| (key.host, rest)).filter(|place| wanted.contains_key(place));
        if let Some(place) = place {
            found.entry(place).or_default().push(number);
        }
    }
    let only = |(place, to): ((u32, String), Vec<u32>)| match to.as_slice() {
        [to] => wanted.get(&place).map(|all| all.iter().map(|from| (*from, *to)).collect::<Vec<_>>()),
        _ => None,
    };
    found.into_iter().filter_map(only).flatten().collect()
}

/// Returns the system's name for the volume of a path.
fn device_name(key: &Key) -> String {
    let name = key.text.strip_prefix("device ").and_then(|rest| rest.split('\\').next());
    name.unwrap_or_default().to_owned()
}

/// Checks whether a volume is named by its GUID: the same volume has another name by number.
fn is_guid(name: &str) -> bool {
    name.starts_with("volume{")
}

/// Returns the process or session that had a number at a time: the last one that started before, if its program or account agrees and no record
/// says that it had ended. Otherwise a process resolves to its program, and a session to nothing.
fn alive(collected: &Collected<'_>, canonical: &Canonical, late: &Late) -> Option<u32> {
    let place = (late.host, late.number);
    let fallback = if is_session(late.number) { None } else { late.with.and_then(|with| canonical.of(with)) };
    let begun = collected.lives.get(&place).into_iter().flatten().filter(|life| life.start <= late.at);
    let text = |life: &Life| collected.keys.get(life.key).map(|key| written(collected, key));
    let last = begun.reduce(|one, other| match other.start.cmp(&one.start) {
        Ordering::Greater => other,
        Ordering::Less => one,
        Ordering::Equal if one.key == other.key || text(other) <= text(one) => one,
        Ordering::Equal => other,
    });
    let Some(last) = last else { return fallback };
    let has_ended = collected.ends.get(&place).into_iter().flatten();
    let has_ended = has_ended.into_iter().any(|end| (last.start..late.at).contains(end));
    let agrees = match (late.with, last.with) {
        (Some(one), Some(other)) => canonical.of(one) == canonical.of(other),
        _ => false,
    };
    if agrees && !has_ended { canonical.of(last.key) } else { fallback }
}

const fn is_session(number: u64) -> bool {
    number >> 63 == 1
}

struct Entities {
    entities: Vec<Entity>,
    /// The index of the entity for each canonical key.
    places: HashMap<u32, u32>,
}

/// Builds the entities, in the order of their keys.
fn entities(collected: &Collected<'_>, canonical: &Canonical) -> Entities {
    let mut met: Vec<u32> =
        collected.mentions.iter().filter_map(|mention| canonical.of(mention.key)).collect();
    met.sort_unstable();
    met.dedup();
    let mut all: Vec<(String, u32)> = met
        .into_iter()
        .filter_map(|number| {
            let key = collected.keys.get(number)?;
            Some((format!("{}\0{}", key.space.kind().prefix(), written(collected, key)), number))
        })
        .collect();
    all.sort_unstable();
    let mut entities = Vec::with_capacity(all.len());
    let mut places = HashMap::with_capacity(all.len());
    for (place, (text, number)) in (0..).zip(all) {
        let Some(key) = collected.keys.get(number) else { continue };
        places.insert(number, place);
        entities.push(Entity {
            id: EntityId::of(key.space.kind().prefix(), &text),
            kind: key.space.kind(),
            is_program: false,
            told_by: key.space.word(),
            is_strong: key.space.is_strong(),
            key: Arc::clone(&key.text),
            host: collected.hosts.get(key.host).map(|_| key.host),
            title: 0,
            named: (0, 0),
        });
    }
    Entities { entities, places }
}

/// Returns the position of each fact when sorted by run and id.
fn order_of_facts(collected: &Collected<'_>) -> Vec<u32> {
    let mut by_id: Vec<u32> = (0..).zip(&collected.facts).map(|(number, _)| number).collect();
    by_id.sort_unstable_by_key(|number| collected.facts.get(index(*number)).map(|kept| kept.fact));
    let mut order = vec![0; by_id.len()];
    for (place, number) in (0..).zip(by_id) {
        if let Some(at) = order.get_mut(index(number)) {
            *at = place;
        }
    }
    order
}

/// Returns the texts in sorted order, and the new index of each.
fn sorted_texts(collected: &Collected<'_>) -> (Vec<Arc<str>>, Vec<u32>) {
    let texts = collected.texts.all();
    let mut by_text: Vec<u32> = (0..).zip(texts).map(|(number, _)| number).collect();
    by_text.sort_unstable_by_key(|number| texts.get(index(*number)));
    let mut places = vec![0; by_text.len()];
    let mut sorted = Vec::with_capacity(by_text.len());
    for (place, number) in (0..).zip(by_text) {
        sorted.extend(texts.get(index(number)).cloned());
        if let Some(at) = places.get_mut(index(number)) {
            *at = place;
        }
    }
    (sorted, places)
}

/// Gives each entity its mentions, and the name that most facts give it as its title.
fn name(entities: &mut [Entity], named: &[(u32, u32, u32)]) {
    let mut at = 0;
    while let Some((entity, ..)) = named.get(at) {
        let rest = named.get(at..).unwrap_or_default();
        let end = at + rest.iter().take_while(|it| it.0 == *entity).count();
        let own = named.get(at..end).unwrap_or_default();
        let mut title: Option<(usize, u32)> = None;
        for group in own.chunk_by(|one, other| one.1 == other.1) {
            let Some((_, text, _)) = group.first() else { continue };
            if title.is_none_or(|(most, _)| group.len() > most) {
                title = Some((group.len(), *text));
            }
        }
        if let Some(place) = entities.get_mut(index(*entity)) {
            place.named = (at, end);
            place.title = title.map_or(0, |(_, text)| text);
        }
        at = end;
    }
}

/// Relates files with the same content, each to the first of them, based on the facts that state their hashes.
fn same_contents(collected: &Collected<'_>, canonical: &Canonical) -> Vec<Edge> {
    let mut by_hash: BTreeMap<u32, BTreeMap<u32, u32>> = BTreeMap::new();
    let id = |fact: u32| collected.facts.get(index(fact)).map(|kept| kept.fact);
    for (content, key, fact) in &collected.hashes {
        let Some(key) = canonical.of(*key) else { continue };
        let first = by_hash.entry(*content).or_default().entry(key).or_insert(*fact);
        if id(*fact) < id(*first) {
            *first = *fact;
        }
    }
    let mut edges = Vec::new();
    for files in by_hash.into_values().filter(|files| files.len() > 1) {
        let text = |key: u32| collected.keys.get(key).map(|key| written(collected, key));
        let mut files: Vec<(Option<String>, u32, u32)> =
            files.into_iter().map(|(key, fact)| (text(key), key, fact)).collect();
        files.sort();
        let Some((_, first, first_fact)) = files.first().cloned() else { continue };
        for (_, other, fact) in files.into_iter().skip(1) {
            let kind = super::kind::RelationKind::SameContentAs;
            edges.extend([first_fact, fact].map(|fact| Edge {
                from: first,
                to: other,
                kind,
                fact,
                at: None,
            }));
        }
    }
    edges
}

/// Builds the relations in the order of their ends, each with the facts that show it.
fn related(mut drawn: Vec<(u32, u32, Edge)>) -> (Vec<Relation>, Vec<Shown>) {
    // For the same fact, entries with a time come before those without.
    drawn.sort_unstable_by_key(|(from, to, edge)| {
        (*from, *to, edge.kind, edge.fact, edge.at.is_none(), edge.at)
    });
    let (mut relations, mut shown) = (Vec::new(), Vec::new());
    for group in drawn.chunk_by(|one, other| (one.0, one.1, one.2.kind) == (other.0, other.1, other.2.kind)) {
        let Some((from, to, edge)) = group.first() else { continue };
        let begin = shown.len();
        let mut last: Option<Shown> = None;
        for (_, _, edge) in group {
            let it = Shown { fact: edge.fact, at: edge.at };
            let says_less =
                last.is_some_and(|last| last.fact == it.fact && (it.at.is_none() || last.at == it.at));
            if !says_less {
                shown.push(it);
                last = Some(it);
            }
        }
        relations.push(Relation { from: *from, to: *to, kind: edge.kind, shown: (begin, shown.len()) });
    }
    (relations, shown)
}
