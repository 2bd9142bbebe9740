//! Which entity a text means.

use super::super::model::{Connections, EntityId, EntityRef};
use ledger::pattern::fold;

/// What a text comes to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Found {
    /// The one entity that it fits best.
    One(EntityRef),
    /// Several that it fits alike.
    Several(Vec<EntityRef>),
    /// None.
    Nothing,
}

/// How well a name fits, the best first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Fit {
    /// The whole name or key.
    Whole,
    /// The last part of a path, or a name without its domain.
    Simple,
    /// It stands in it.
    Within,
}

/// Finds the entity that an id, a name or a part of a name means; letter case is ignored.
///
/// Of those that fit alike one that strong keys tell stands before those that only bear the name.
pub fn find(of: &Connections, text: &str) -> Found {
    if let Some(entity) = text.parse::<EntityId>().ok().and_then(|id| of.with_id(id)) {
        return Found::One(entity);
    }
    let wanted = fold(text.trim());
    if wanted.is_empty() {
        return Found::Nothing;
    }
    let mut best: Option<Fit> = None;
    let mut fitting: Vec<EntityRef> = Vec::new();
    for entity in of.entities() {
        let Some(fit) = fit(of, entity, &wanted) else { continue };
        if best.is_none_or(|best| fit < best) {
            (best, fitting) = (Some(fit), Vec::new());
        }
        if best == Some(fit) {
            fitting.push(entity);
        }
    }
    let strong: Vec<EntityRef> = fitting.iter().copied().filter(|it| of.key(*it).2).collect();
    match (fitting.as_slice(), strong.as_slice()) {
        ([], _) => Found::Nothing,
        ([only], _) | (_, [only]) => Found::One(*only),
        _ => Found::Several(fitting),
    }
}

fn fit(of: &Connections, entity: EntityRef, wanted: &str) -> Option<Fit> {
    let kind = of.kind(entity).prefix();
    // A name without a folder or domain is what several may be called, as much as the last part of a longer one.
    let of_name = |name: &str| {
        let folded = fold(name);
        match simple(kind, name) {
            Some(simple) if simple == wanted => Some(Fit::Simple),
            _ if folded == wanted => Some(Fit::Whole),
            _ => folded.contains(wanted).then_some(Fit::Within),
        }
    };
    let (_, key, is_strong) = of.key(entity);
    let key = fold(key);
    let is_key = is_strong && key == wanted;
    let by_key = if is_key { Some(Fit::Whole) } else { key.contains(wanted).then_some(Fit::Within) };
    let mut last = None;
    let names = of
        .names(entity)
        .map(|(name, _)| name)
        .filter(move |name| last.replace(name.to_owned()) != Some(*name));
    names.filter_map(of_name).chain(by_key).min()
}

/// The part of a name by which people call such a thing.
pub(super) fn simple(kind: &str, name: &str) -> Option<String> {
    let name = match kind {
        "file" | "account" | "process" => name.rsplit(['\\', '/']).next()?,
        "task" => name.trim_start_matches('\\'),
        "host" => name.split('.').next()?,
        _ => name,
    };
    (!name.is_empty()).then(|| fold(name))
}
