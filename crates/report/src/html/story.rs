//! What happened, in the order of time, host by host: each statement with what it rests on, and beside it what agents made of it.

use super::{Scene, fact_link, say};
use crate::sources::ONE;
use crate::story::{Line, READING, Remark, by_host};
use crate::synthesis::title;
use graph::{Answered, Ranked, Run, fact_title};
use ledger::{NodeId, Weight};
use maud::{Markup, html};
use phrases::{Phrase, Piece};
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

/// The statements that are marked: those that rest on what matters most.
const MARKED: usize = 16;

/// The statements that are shown at once, where a story has more.
const SHOWN: usize = 60;

pub(super) fn section(scene: &Scene<'_>) -> Markup {
    let lines = &scene.told;
    let order = order(scene, lines);
    let among = |most: usize| order.iter().copied().take(most).collect::<BTreeSet<usize>>();
    // Where there are few, none is marked.
    let marked = if lines.len() > MARKED { among(MARKED) } else { BTreeSet::new() };
    let shown = among(SHOWN);
    let list = |is_shown: bool| {
        html! {
            @for (host, part) in by_host(scene.run, lines) {
                @let part: Vec<_> = part.into_iter().filter(|(place, _)| shown.contains(place) == is_shown).collect();
                @if !part.is_empty() {
                    @if let Some(host) = host { h3 { (say(&host)) } }
                    ol.told { @for (place, line) in part { (told(scene, line, marked.contains(&place))) } }
                }
            }
        }
    };
    html! {
        section #happened aria-labelledby="happened-title" {
            h2 #happened-title { "What happened" }
            @if lines.is_empty() {
                p { "This run has no story. The " a href="#timeline" { "timeline" } " has the times of its facts." }
            } @else {
                p.note {
                    "Agents chose what is told, and the chapter; code wrote the words, from one fact each or from what code derived of several. "
                    "A time is that of the fact and of what it dates. What agents make of it stands beside it in a box of its own, as " em { (READING) } ". "
                    @if lines.len() > MARKED { "The " (MARKED) " with a " strong { "bar" } " before them rank first, of each kind of question the best: a place to begin, no verdict. " }
                }
                (list(true))
                @if lines.len() > SHOWN {
                    details {
                        summary { (lines.len() - SHOWN) " more statements" }
                        (list(false))
                    }
                }
                @let (untold, all) = untold(scene, lines);
                @if untold > 0 {
                    p.note {
                        "It is a choice: of " (all) " facts that answer what an examiner asks first, no statement tells " (untold)
                        ". They stand under " a href="#answers" { "Answers" } "."
                    }
                }
            }
        }
    }
}

/// How many facts that answer the heaviest objectives no statement tells, and how many there are.
fn untold(scene: &Scene<'_>, lines: &[Line<'_>]) -> (usize, usize) {
    let mut answering: BTreeSet<NodeId> = BTreeSet::new();
    for question in scene.questions.iter().filter(|it| it.objective.weight == Weight::Finding) {
        answering.extend(question.stands.facts().iter().copied().map(NodeId::Fact));
    }
    let told: BTreeSet<NodeId> = lines.iter().map(|line| line.statement.node).collect();
    (answering.difference(&told).count(), answering.len())
}

/// The places of the statements, what matters most first.
///
/// Of the heaviest objectives each has its best sentence before one has its second: many alike say less than one of each kind.
/// The best names the program that statements of the most other objectives name, too.
fn order(scene: &Scene<'_>, lines: &[Line<'_>]) -> Vec<usize> {
    let told: Vec<Told<'_>> = lines.iter().map(|line| Told::of(scene, line)).collect();
    let mut naming: BTreeMap<&str, BTreeSet<Answered<'_>>> = BTreeMap::new();
    for one in &told {
        for program in &one.programs {
            naming.entry(program).or_default().extend(one.objective);
        }
    }
    let echoed = |one: &Told<'_>| {
        let others = |program: &String| naming.get(program.as_str()).map_or(0, BTreeSet::len);
        one.programs.iter().map(others).max().unwrap_or(0)
    };
    let mut order: Vec<(usize, &Told<'_>)> = told.iter().enumerate().collect();
    order.sort_by_cached_key(|(_, one)| Reverse((one.is_dated, echoed(one), one.points)));
    let mut so_far = BTreeMap::new();
    let mut keyed: Vec<_> = order
        .into_iter()
        .map(|(place, one)| {
            let before = so_far.entry(one.objective).and_modify(|count| *count += 1).or_insert(0);
            ((Reverse((one.is_dated, one.objective.map(|it| it.weight))), *before), place)
        })
        .collect();
    keyed.sort_by_key(|(key, _)| *key);
    keyed.into_iter().map(|(_, place)| place).collect()
}

/// What orders a statement among others.
struct Told<'s> {
    is_dated: bool,
    /// The points of the best phenomenon that it rests on, and the objective that this answers.
    points: Option<u32>,
    objective: Option<Answered<'s>>,
    programs: BTreeSet<String>,
}

impl<'s> Told<'s> {
    fn of(scene: &'s Scene<'_>, line: &Line<'_>) -> Told<'s> {
        let best = best(scene, line.statement.node);
        Told {
            is_dated: line.statement.between.is_some(),
            points: best.map(|it| it.rank.points),
            objective: best.and_then(|it| it.rank.objective),
            programs: programs(&line.words.text()),
        }
    }
}

/// The files that a text names, each with the folder before it, in lower case; those of Windows' own folders tell nothing from another.
fn programs(text: &str) -> BTreeSet<String> {
    let pieces = text.split(|c: char| c.is_whitespace() || matches!(c, '"' | '\'' | ',' | ';' | '='));
    let named = pieces.filter_map(|piece| {
        let piece = piece.trim_end_matches(['.', ':', ')']).to_lowercase().replace('\\', "/");
        let (path, file) = piece.rsplit_once('/')?;
        let (stem, end) = file.rsplit_once('.')?;
        let is_file = !stem.is_empty() && (2..=4).contains(&end.len());
        let folder = path.rsplit('/').next().unwrap_or(path);
        let is_system = matches!(folder, "system32" | "syswow64" | "v1.0" | "wbem");
        (is_file && !is_system).then(|| format!("{folder}/{file}"))
    });
    named.collect()
}

/// The phenomenon with the most points of those that carry what a statement tells.
fn best<'s>(scene: &'s Scene<'_>, node: NodeId) -> Option<&'s Ranked<'s>> {
    let facts = scene.run.facts_of(node);
    let numbers = facts.iter().filter_map(|fact| scene.carried.get(fact));
    numbers.filter_map(|number| scene.ranked.get(*number)).max_by_key(|ranked| ranked.rank.points)
}

fn told(scene: &Scene<'_>, line: &Line<'_>, is_marked: bool) -> Markup {
    let statement = &line.statement;
    let single = scene.corroborated.is_single(scene.run, [statement.node]);
    html! {
        li.heavy[is_marked] id=(statement.id) {
            @match line.moment() {
                Some(time) => time { (say(&time)) },
                None => span.undated { "without a time" },
            }
            div {
                @if is_marked { span.hidden { "Among what matters most: " } }
                (said(&line.words))
                " " span.tag { (statement.chapter.title()) }
                @if single { " " span.tag.one { (ONE) } }
                @if let Some(step) = statement.twice {
                    " " a.tag href=(format!("#proof-{step}")) title="A log continues with earlier times over this time: the clock was set back, or records came late." { "order not certain" }
                }
                div.by {
                    @if let Some(field) = line.dated_by() { "dated by " code { (say(field)) } "; " }
                    "based on " (place(scene.run, statement.node))
                    @if let Some((between, zone)) = line.zoned() {
                        "; " (between) " by the " a href=(format!("#proof-{zone}")) { "time zone of its host" }
                    }
                    "; chosen by " (say(&line.tellers(scene.run)))
                }
                @for remark in &line.remarks { (reading(remark)) }
            }
        }
    }
}

/// The words of code, the values of the evidence apart from them.
fn said(phrase: &Phrase) -> Markup {
    html! {
        @for piece in &phrase.pieces {
            @match piece {
                Piece::Words(text) => (say(text)),
                Piece::Value { text, .. } => b.value { (say(text)) },
                Piece::Told { value, text, .. } => b.value title=(say(value)) { (say(text)) },
                Piece::Computed { text } => b.value title="worked out by code" { (say(text)) },
            }
        }
    }
}

/// An agent's comment: never among what happened, and each value in it with whether it stands in what is told.
fn reading(remark: &Remark<'_>) -> Markup {
    html! {
        aside.reading {
            span.head { (READING) " (" (say(remark.agent)) ", " (remark.task) ")" }
            " "
            @for piece in &remark.pieces {
                @match piece.stands {
                    None => (say(&piece.text)),
                    Some(true) => span.stands title="This value stands in what is told." { (say(&piece.text)) },
                    Some(false) => { span.stray title="This value does not stand in what is told." { (say(&piece.text)) } span.not { " [not found]" } },
                }
            }
        }
    }
}

/// What is cited: a fact by its proof, anything else by where it stands on the page.
pub(super) fn cited(run: &Run, id: NodeId) -> Markup {
    match id {
        NodeId::Fact(fact) => fact_link(run, fact),
        other => html! { a href=(format!("#{other}")) { (say(&title(run, other))) } },
    }
}

/// What is told, where the statement has its words already: a fact by where it stands.
fn place(run: &Run, id: NodeId) -> Markup {
    let fact = match id {
        NodeId::Fact(id) => run.fact(id),
        _ => None,
    };
    let Some(fact) = fact else { return cited(run, id) };
    let place = format!("{} in {}:{}", fact.kind, fact.locator.evidence, fact.locator.path);
    html! { a href=(format!("#proof-{}", fact.id)) title=(fact_title(fact)) { (say(&place)) } }
}

#[cfg(test)]
mod tests {
    use super::programs;

    #[test]
    fn a_program_is_named_with_its_folder_however_its_path_is_spelled() {
        let of = |text: &str| programs(text).into_iter().collect::<Vec<_>>();
        assert_eq!(
            of(r"The Run key entry X starts this by itself: C:\A\Sub\Tool.EXE -k y."),
            ["sub/tool.exe"]
        );
        assert_eq!(of("p1/A/Sub/tool.exe is a file of 80 bytes."), ["sub/tool.exe"]);
        assert_eq!(of(r#"cmd /c "C:\TMP\m.exe" > C:\TMP\o.txt"#), ["tmp/m.exe", "tmp/o.txt"]);
        assert!(
            of(r"%SystemRoot%\system32\svchost.exe -k print at 2024-03-01T12:00:00.5Z, tool.exe").is_empty()
        );
    }
}
