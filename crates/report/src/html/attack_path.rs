//! The attack path: the entities that the most significant statements name, in chronological order, as a picture and as a list.

use super::network::{NAME, short};
use super::{Scene, say};
use detect::Level;
use graph::connections::{Connections, EntityKind, EntityRef, RelationKind, RelationRef, Told};
use ledger::FactId;
use maud::{Markup, html};
use std::collections::BTreeMap;

/// The maximum number of relations that are drawn.
const DRAWN: usize = 16;
/// The dimensions of the picture, in its own units.
const COLUMN: f64 = 290.0;
const BOX: f64 = 190.0;
const ROW: f64 = 34.0;
const HIGH: f64 = 22.0;
const HEAD: f64 = 22.0;
const BEND: f64 = 45.0;
const LOOP: f64 = 34.0;
/// The number of passes that reduce crossings in the columns.
const SWEEPS: usize = 6;

/// A relation on the path, with the fact of the story that shows it and the time.
struct Step {
    relation: RelationRef,
    told: Told,
}

/// Renders the figure; empty if the facts of the story show no relation.
pub(super) fn figure(scene: &Scene<'_>) -> Markup {
    let of = scene.run.connections();
    let (steps, more) = steps(scene, of);
    html! {
        @if !steps.is_empty() {
            figure.path id="path" aria-labelledby="path-title" {
                figcaption #path-title { "How what stands out hangs together" }
                p.note {
                    "Code drew this from the facts of the statements that stand out: each box is something that a fact names, each arrow a relation that a fact shows, numbered by time. "
                    @if steps.iter().any(|step| step.told.when.is_some_and(|when| when.is_latest)) {
                        "“Until” names the latest time at which it can have been. "
                    }
                    @if steps.iter().any(|step| step.told.when.is_some_and(|when| when.is_local)) {
                        "Local times of an unknown zone are numbered after those in UTC, since their place among them is not known. "
                    }
                    @if more > 0 { (more) " more relations of these facts are not drawn; " code { "locard graph" } " has all." }
                }
                div.scroll tabindex="0" role="region" aria-label="The path as a picture, can be scrolled" { (drawn(of, &steps)) }
                ol.hops { @for step in &steps { li { (hop(of, step)) } } }
            }
        }
    }
}

/// Returns the relations shown by facts of statements that stand out, by time, and how many more there are.
fn steps(scene: &Scene<'_>, of: &Connections) -> (Vec<Step>, usize) {
    let mut levels: BTreeMap<FactId, Level> = BTreeMap::new();
    for line in scene.told.iter().filter(|line| line.weighed.level >= Level::Medium) {
        for fact in scene.run.facts_of(line.statement.node) {
            let level = levels.entry(fact).or_insert(line.weighed.level);
            *level = (*level).max(line.weighed.level);
        }
    }
    let mut found: Vec<(Level, Step)> = Vec::new();
    // `RunsAs` is excluded: its account is mentioned anyway, and it would draw an arrow to nearly everything.
    let is_drawn = |relation: &RelationRef| {
        of.relation(*relation).is_some_and(|(_, kind, _)| kind != RelationKind::RunsAs)
    };
    for relation in of.relations().filter(is_drawn) {
        let shown = of.shown_by(relation).filter_map(|told| Some((*levels.get(&told.fact.fact)?, told)));
        let best = shown.min_by_key(|(level, told)| {
            (std::cmp::Reverse(*level), told.when.is_none(), told.when, told.fact)
        });
        found.extend(best.map(|(level, told)| (level, Step { relation, told })));
    }
    // If there is not room for all, the highest levels are drawn; then time decides.
    found.sort_by_key(|(level, step)| {
        (std::cmp::Reverse(*level), step.told.when.is_none(), step.told.when, step.relation)
    });
    let more = found.len().saturating_sub(DRAWN);
    let mut steps: Vec<Step> = found.into_iter().take(DRAWN).map(|(_, step)| step).collect();
    // The position of a local time among UTC times is unknown.
    let is_local = |step: &Step| step.told.when.is_some_and(|when| when.is_local);
    steps.sort_by_key(|step| (step.told.when.is_none(), is_local(step), step.told.when, step.relation));
    (steps, more)
}

/// The columns: origin, actor, what ran or was written, what was set up.
const COLUMNS: [&str; 4] = ["where from", "who", "programs and files", "set up or changed"];

const fn column(kind: EntityKind) -> usize {
    match kind {
        EntityKind::Url
        | EntityKind::Domain
        | EntityKind::Address
        | EntityKind::Email
        | EntityKind::Device
        | EntityKind::Share => 0,
        EntityKind::Account | EntityKind::Host | EntityKind::LogonSession => 1,
        EntityKind::Program | EntityKind::File | EntityKind::Process => 2,
        EntityKind::Service | EntityKind::ScheduledTask | EntityKind::RunEntry | EntityKind::RegistryKey => 3,
    }
}

/// Assigns the entities to their columns, in an order with few crossing arrows.
fn columns(of: &Connections, steps: &[Step]) -> Vec<(&'static str, Vec<EntityRef>)> {
    let ends: Vec<(EntityRef, EntityRef)> =
        steps.iter().filter_map(|step| of.relation(step.relation).map(|(from, _, to)| (from, to))).collect();
    let mut columns: Vec<(&'static str, Vec<EntityRef>)> =
        COLUMNS.into_iter().map(|name| (name, Vec::new())).collect();
    for entity in ends.iter().flat_map(|(from, to)| [*from, *to]) {
        if let Some((_, column)) = columns.get_mut(column(of.kind(entity)))
            && !column.contains(&entity)
        {
            column.push(entity);
        }
    }
    columns.retain(|(_, column)| !column.is_empty());
    for _ in 0..SWEEPS {
        let rows: BTreeMap<EntityRef, usize> =
            columns.iter().flat_map(|(_, column)| column.iter().copied().zip(0..)).collect();
        let middle = |entity: EntityRef| {
            let others = ends.iter().filter_map(|(from, to)| match entity {
                _ if *from == entity => rows.get(to),
                _ if *to == entity => rows.get(from),
                _ => None,
            });
            let others: Vec<usize> = others.copied().collect();
            // In hundredths: whole numbers sort the same on every machine.
            others.iter().sum::<usize>() * 100 / others.len().max(1)
        };
        for (_, column) in &mut columns {
            column.sort_by_key(|entity| (middle(*entity), rows.get(entity).copied()));
        }
    }
    columns
}

fn drawn(of: &Connections, steps: &[Step]) -> Markup {
    let columns = columns(of, steps);
    let places: BTreeMap<EntityRef, (usize, usize)> = (0..)
        .zip(&columns)
        .flat_map(|(column, (_, entities))| (0..).zip(entities).map(move |(row, it)| (*it, (column, row))))
        .collect();
    let highest = columns.iter().map(|(_, column)| column.len()).max().unwrap_or(0);
    let width = COLUMN * columns.len().saturating_sub(1) as f64 + BOX + 2.0 + LOOP;
    let height = HEAD + ROW * highest as f64 + 6.0;
    let at = |entity: EntityRef| {
        let (column, row) = places.get(&entity).copied().unwrap_or_default();
        (COLUMN * column as f64 + 1.0, HEAD + ROW * row as f64 + 2.0)
    };
    let arrows: Vec<Arrow> = {
        let ends = steps.iter().filter_map(|step| of.relation(step.relation));
        let mut taken = Vec::new();
        ends.map(|(from, _, to)| arrow(at(from), at(to), &mut taken)).collect()
    };
    html! {
        svg.way viewBox=(format!("0 0 {width:.0} {height:.0}")) width=(format!("{width:.0}")) height=(format!("{height:.0}")) role="img" aria-label="The relations of the list below as arrows between boxes" {
            defs { marker #tip viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto" { path.tip d="M0 0L8 4L0 8z" {} } }
            @for (at, (name, _)) in columns.iter().enumerate() {
                text.column x=(format!("{:.0}", COLUMN * at as f64 + 1.0)) y="14" { (name) }
            }
            @for arrow in &arrows { path class=(if arrow.is_far { "edge far" } else { "edge" }) d=(arrow.curve) marker-end="url(#tip)" {} }
            @for (number, Arrow { number_at: (x, y), .. }) in (1..).zip(&arrows) {
                circle.number cx=(format!("{x:.0}")) cy=(format!("{y:.0}")) r="8" {}
                text.number x=(format!("{x:.0}")) y=(format!("{:.0}", y + 4.0)) text-anchor="middle" { (number) }
            }
            @for entity in places.keys() {
                @let (x, y) = at(*entity);
                g class=(format!("node {}", of.kind(*entity).name())) {
                    title { (say(&format!("{} {}", of.kind(*entity).words(), of.title(*entity)))) }
                    rect x=(format!("{x:.0}")) y=(format!("{y:.0}")) width=(BOX) height=(HIGH) rx="4" {}
                    // A nested picture clips text that is too wide, because letters differ in width.
                    svg x=(format!("{:.0}", x + 6.0)) y=(format!("{y:.0}")) width=(BOX - 10.0) height=(HIGH) {
                        @let is_cut = is_path(of, *entity) && say(of.title(*entity)).chars().count() > NAME;
                        text x=(if is_cut { BOX - 10.0 } else { 0.0 }) y="15" text-anchor=(if is_cut { "end" } else { "start" }) { (short(of.title(*entity), is_path(of, *entity))) }
                    }
                }
            }
        }
    }
}

/// An arrow from one box to another.
struct Arrow {
    /// The path data in SVG notation.
    curve: String,
    /// The position of its number.
    number_at: (f64, f64),
    /// Whether it passes behind a column.
    is_far: bool,
}

/// The minimum distance between two numbers.
const APART: f64 = 17.0;

/// Draws an arrow, placing its number away from those in `taken`.
fn arrow((x1, y1): (f64, f64), (x2, y2): (f64, f64), taken: &mut Vec<(f64, f64)>) -> Arrow {
    let half = HIGH / 2.0;
    // From edge to edge; within a column, around the right side of both boxes.
    let (start, end, out, back) = if x2 > x1 {
        (x1 + BOX, x2, BEND, -BEND)
    } else if x2 < x1 {
        (x1, x2 + BOX, -BEND, BEND)
    } else {
        (x1 + BOX, x2 + BOX, LOOP, LOOP)
    };
    let is_far = (x2 - x1).abs() > COLUMN + 1.0;
    // An arrow behind a column leaves and arrives lower, so that it does not seem to end at the box in front of it.
    let (leaves, arrives) = if is_far { (HIGH - 2.0, HIGH - 7.0) } else { (half, half) };
    let (y1, y2) = (y1 + leaves, y2 + arrives);
    let (one, other) = (start + out, end + back);
    let on = |part: f64, a: f64, b: f64, c: f64, d: f64| {
        let rest: f64 = 1.0 - part;
        rest.powi(3) * a + 3.0 * rest * rest * part * b + 3.0 * rest * part * part * c + part.powi(3) * d
    };
    // The number of an arrow behind a column is placed in front of that column.
    let parts = match is_far {
        true => [0.10, 0.13, 0.16, 0.07, 0.19, 0.04, 0.22, 0.25, 0.9],
        false => [0.5, 0.4, 0.6, 0.3, 0.7, 0.2, 0.8, 0.12, 0.88],
    };
    let places = parts.map(|part| (on(part, start, one, other, end), on(part, y1, y1, y2, y2)));
    let room = |place: &(f64, f64)| {
        let gaps = taken.iter().map(|other| (place.0 - other.0).hypot(place.1 - other.1));
        gaps.fold(f64::INFINITY, f64::min)
    };
    let free = places.iter().find(|place| room(place) >= APART);
    let roomiest = || places.iter().max_by(|a, b| room(a).total_cmp(&room(b)));
    let number_at = free.or_else(roomiest).copied().unwrap_or((start, y1));
    taken.push(number_at);
    let curve = format!("M{start:.0} {y1:.0}C{one:.0} {y1:.0} {other:.0} {y2:.0} {end:.0} {y2:.0}");
    Arrow { curve, number_at, is_far }
}

fn is_path(of: &Connections, entity: EntityRef) -> bool {
    of.title(entity).contains(['\\', '/'])
}

/// Renders a line of the list: the time, the relation and the fact.
fn hop(of: &Connections, step: &Step) -> Markup {
    let ends = of.relation(step.relation);
    html! {
        @if let Some((from, kind, to)) = ends {
            @if let Some(when) = step.told.when { span.when { (when.to_string()) } " " }
            (of.kind(from).words()) " " code { (say(of.title(from))) } " "
            strong { (kind.words()) } " "
            (of.kind(to).words()) " " code { (say(of.title(to))) } " "
            a href=(format!("#proof-{}", step.told.fact.fact)) { (step.told.fact.fact) }
        }
    }
}
