//! Finds the entity that a text means.

use super::super::model::{Connections, EntityId, EntityRef};
use ledger::pattern::fold;

/// The result of a search for an entity.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Found {
    /// The one entity that fits best.
    One(EntityRef),
    /// Several entities that fit equally well.
    Several(Vec<EntityRef>),
    /// No entity.
    Nothing,
}

/// The quality of a name's fit, best first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Fit {
    /// The whole name or key.
    Whole,
    /// The last part of a path, or a name without its domain.
    Simple,
    /// The text occurs within the name.
    Within,
}

/// Finds the entity that an id, a name or part of a name means, ignoring case.
///
/// Among equal fits, an entity with a strong key comes before one that only has the name.
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
    // A name without a folder or domain may be shared by several entities, so it ranks no higher than the last part of a longer one.
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

/// Returns the part of a name that people use for such an entity.
pub(super) fn simple(kind: &str, name: &str) -> Option<String> {
    let name = match kind {
        "file" | "account" | "process" => name.rsplit(['\\', '/']).next()?,
        "task" => name.trim_start_matches('\\'),
        "host" => name.split('.').next()?,
        _ => name,
    };
    (!name.is_empty()).then(|| fold(name))
}
