//! What happened, in the order of time, each sentence with what it rests on.

use super::{Scene, fact_link, say};
use crate::sources::ONE;
use crate::synthesis::{moment, title, zoned};
use graph::{Answered, Placed, Ranked, Run, fact_title, sentence_text};
use ledger::{NodeId, SentenceEntry, Weight};
use maud::{Markup, html};
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

/// The sentences that are marked: those that rest on what matters most.
const MARKED: usize = 16;

/// The sentences that are shown at once, where a narrative has more.
const SHOWN: usize = 60;

pub(super) fn section(scene: &Scene<'_>) -> Markup {
    let sentences = &scene.told;
    let order = order(scene, sentences);
    let among = |most: usize| order.iter().copied().take(most).collect::<BTreeSet<usize>>();
    // Where there are few, none is marked.
    let marked = if sentences.len() > MARKED { among(MARKED) } else { BTreeSet::new() };
    let shown = among(SHOWN);
    let of = |is_shown: bool| {
        let all = sentences.iter().enumerate();
        all.filter(|(place, _)| shown.contains(place) == is_shown).collect::<Vec<_>>()
    };
    let list = |part: Vec<(usize, &Placed<'_>)>| {
        html! { ol.told { @for (place, placed) in part { (told(scene, placed, marked.contains(&place))) } } }
    };
    html! {
        section #happened aria-labelledby="happened-title" {
            h2 #happened-title { "What happened" }
            @if sentences.is_empty() {
                p { "No narrative was told in this run. The " a href="#timeline" { "timeline" } " has the times of its facts." }
            } @else {
                p.note {
                    "The words are an agent’s. Code checked that every value which a sentence names stands in what it cites, and that one of these facts says what a verb of its list says was done (executed, deleted, downloaded, …). Who did what, why, and all other words were checked by nobody; "
                    "a time is that of a cited fact and of what it dates. "
                    @if sentences.len() > MARKED { "The " (MARKED) " with a " strong { "bar" } " before them rank first, of each kind of question the best: a place to begin, no verdict. " }
                }
                (list(of(true)))
                @if sentences.len() > SHOWN {
                    details {
                        summary { (sentences.len() - SHOWN) " more sentences" }
                        (list(of(false)))
                    }
                }
                @let (untold, all) = untold(scene, sentences);
                @if untold > 0 {
                    p.note {
                        "It is a choice: of " (all) " facts that answer what an examiner asks first, no sentence tells " (untold)
                        ". They stand under " a href="#answers" { "Answers" } "."
                    }
                }
            }
        }
    }
}

/// How many facts that answer the heaviest objectives no sentence cites, and how many there are.
fn untold(scene: &Scene<'_>, sentences: &[Placed<'_>]) -> (usize, usize) {
    let mut answering: BTreeSet<NodeId> = BTreeSet::new();
    for question in scene.questions.iter().filter(|it| it.objective.weight == Weight::Finding) {
        answering.extend(question.stands.facts().iter().copied().map(NodeId::Fact));
    }
    let told: BTreeSet<NodeId> =
        sentences.iter().flat_map(|placed| &placed.sentence.cites).copied().collect();
    (answering.difference(&told).count(), answering.len())
}

/// The places of the sentences, what matters most first.
///
/// Of the heaviest objectives each has its best sentence before one has its second: many alike say less than one of each kind.
/// The best names the program that sentences of the most other objectives name, too.
fn order(scene: &Scene<'_>, sentences: &[Placed<'_>]) -> Vec<usize> {
    let told: Vec<Told<'_>> = sentences.iter().map(|placed| Told::of(scene, placed)).collect();
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

/// What orders a sentence among others.
struct Told<'s> {
    is_dated: bool,
    /// The points of the best phenomenon that it rests on, and the objective that this answers.
    points: Option<u32>,
    objective: Option<Answered<'s>>,
    programs: BTreeSet<String>,
}

impl<'s> Told<'s> {
    fn of(scene: &'s Scene<'_>, placed: &Placed<'_>) -> Told<'s> {
        let best = best(scene, placed.sentence);
        Told {
            is_dated: placed.between.is_some(),
            points: best.map(|it| it.rank.points),
            objective: best.and_then(|it| it.rank.objective),
            programs: programs(&placed.sentence.text),
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

/// The phenomenon with the most points of those that carry what a sentence cites.
fn best<'s>(scene: &'s Scene<'_>, sentence: &SentenceEntry) -> Option<&'s Ranked<'s>> {
    let facts = sentence.cites.iter().filter_map(|id| match id {
        NodeId::Fact(fact) => scene.carried.get(fact),
        _ => None,
    });
    facts.filter_map(|number| scene.ranked.get(*number)).max_by_key(|ranked| ranked.rank.points)
}

fn told(scene: &Scene<'_>, placed: &Placed<'_>, is_marked: bool) -> Markup {
    let sentence = placed.sentence;
    let single = scene.corroborated.is_single(scene.run, sentence.cites.iter().copied());
    html! {
        li.heavy[is_marked] id=(sentence.id) {
            @match moment(placed) {
                Some(time) => time { (say(&time)) },
                None => span.undated { "without a time" },
            }
            div {
                @if is_marked { span.hidden { "Among what matters most: " } }
                (say(&sentence_text(&sentence.text)))
                @if single { " " span.tag.one { (ONE) } }
                @for fact in scene.contradictions.to(placed) {
                    " " strong.tag { "the sweep found otherwise: " (fact_link(scene.run, fact)) }
                }
                @if let Some(step) = placed.twice {
                    " " a.tag href=(format!("#proof-{step}")) title="A log goes on with earlier times over this time: the clock was set back, or records came late." { "order not certain" }
                }
                div.by {
                    @if let Some(field) = &sentence.dated_by { "dated by " code { (say(field)) } "; " }
                    "rests on "
                    @for (number, id) in sentence.cites.iter().enumerate() {
                        @if number > 0 { ", " }
                        (place(scene.run, *id))
                    }
                    @if let Some((between, zone)) = zoned(placed) {
                        "; " (between) " by the " a href=(format!("#proof-{zone}")) { "time zone of its host" }
                    }
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

/// What is cited, where the sentence has its words already: a fact by where it stands.
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
