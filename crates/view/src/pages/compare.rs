//! Two runs side by side: the contents of `locard diff` as tables.

use crate::error::Trouble;
use crate::house::House;
use crate::page::{Answer, Page};
use crate::pages::lists::claimed;
use crate::pages::runs::form;
use crate::routes::Asked;
use crate::shelf::Book;
use crate::text::{query, segment};
use graph::{
    Changes, Diff, Effort, HypothesisView, derivation_title, fact_title, phenomenon_title, standing,
};
use ledger::{FactEntry, FactId};
use maud::{Markup, html};
use report::terminal as inert;

/// The number of items of a kind that are listed, unless all are requested.
const SHOWN: usize = 25;

/// The two runs, and how many differences are listed.
struct Sides<'b> {
    before: &'b Book,
    after: &'b Book,
    most: usize,
}

pub(crate) fn page(house: &House, asked: &Asked) -> Answer {
    let [Some(before), Some(after)] = ["before", "after"].map(|side| asked.text(side)) else {
        return Err(Trouble::Asked { because: "two runs are compared: `before` and `after` name them" });
    };
    let all = asked.text("all").is_some();
    let names: Vec<String> = house.shelf.names()?.into_iter().map(|(name, _)| name).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let (old, new) = (house.shelf.open(before)?, house.shelf.open(after)?);
    let sides = Sides { before: &old, after: &new, most: if all { usize::MAX } else { SHOWN } };
    let diff = graph::diff(&old.run, &new.run);
    let body = html! {
        h1 { "Two runs compared" }
        (form(&names, [Some(before), Some(after)]))
        (verdict(&diff, &sides))
        (totals(&diff))
        (differences(&diff, &sides))
        (effort(&diff))
        @if !all && is_cut(&diff) {
            p { a href={ "/compare?" (query(&[("before", before), ("after", after), ("all", "1")])) } { "List everything that differs" } }
        }
    };
    Ok(Page::new("Two runs compared", body))
}

fn verdict(diff: &Diff<'_>, sides: &Sides<'_>) -> Markup {
    let same = diff.recorded_the_same();
    html! {
        p {
            @if same { span.tag.good { "the same" } " Both runs recorded the same." }
            @else { span.tag.warn { "different" } " The runs recorded different things." }
        }
        dl.facts {
            @for (side, book) in [("Before", sides.before), ("After", sides.after)] {
                dt { (side) }
                dd {
                    a href={ "/run/" (segment(&book.name)) } { (inert(&book.name)) }
                    " (" (inert(&models(book)))
                    @if book.run.sealed.is_none() { ", not sealed" }
                    @if !book.run.opened.confined { ", tools ran unconfined" }
                    ")"
                }
            }
            @if !diff.setup.is_empty() {
                dt { "Different in the two runs" }
                dd { (diff.setup.iter().map(|it| it.name()).collect::<Vec<_>>().join(", ")) }
            }
        }
    }
}

/// Returns the models of a run, without repeats.
fn models(book: &Book) -> String {
    let mut models: Vec<&str> = book.run.tasks.values().map(|view| view.assigned.model.as_str()).collect();
    models.sort_unstable();
    models.dedup();
    if models.is_empty() { "no task".to_owned() } else { models.join(", ") }
}

fn totals(diff: &Diff<'_>) -> Markup {
    html! {
        div.wide tabindex="0" role="region" aria-label="Totals" {
            table {
                caption { "What was recorded and refused" }
                thead { tr {
                    th scope="col" { "" } th.number scope="col" { "The same" } th.number scope="col" { "Only before" }
                    th.number scope="col" { "Only after" } th.number scope="col" { "Changed" }
                } }
                tbody {
                    (row("Phenomena", &diff.phenomena, Some(diff.changed_phenomena.len())))
                    (row("Facts", &diff.facts, Some(diff.changed_facts.len())))
                    (row("Absences", &diff.absences, None))
                    (row("Derivations", &diff.derivations, None))
                    (row("Entities", &diff.entities, None))
                    (row("Relations", &diff.relations, None))
                    (row("Hypotheses", &diff.hypotheses, Some(diff.changed_hypotheses.len())))
                    (row("Refused claims", &diff.rejections, None))
                }
            }
        }
    }
}

fn row<T>(name: &str, changes: &Changes<T>, changed: Option<usize>) -> Markup {
    html! {
        tr {
            th scope="row" { (name) @if changes.by_another_agent > 0 { span.note { " (" (changes.by_another_agent) " by another agent)" } } }
            td.number { (changes.both) }
            td.number { (changes.removed.len()) }
            td.number { (changes.added.len()) }
            td.number { @match changed { Some(changed) => (changed), None => "–" } }
        }
    }
}

fn differences(diff: &Diff<'_>, sides: &Sides<'_>) -> Markup {
    html! {
        @if !diff.tasks.is_empty() { (tasks(diff)) }
        (sides.both("Phenomena", &diff.phenomena, |book, told| {
            said(told.agent, phenomenon(book, &told.what.facts))
        }))
        @if !diff.changed_phenomena.is_empty() {
            h2 { "Phenomena with different facts" }
            ul.rows {
                @for changed in diff.changed_phenomena.iter().take(sides.most) {
                    li {
                        (said(changed.after.agent, phenomenon(sides.after, &changed.after.what.facts)))
                        ul.changes {
                            @for fact in changed.removed.iter().take(sides.most) { li.removed { del { (fact_link(sides.before, fact)) } } }
                            @for fact in changed.added.iter().take(sides.most) { li.added { ins { (fact_link(sides.after, fact)) } } }
                        }
                    }
                }
                (more(diff.changed_phenomena.len(), sides.most))
            }
        }
        (sides.both("Facts", &diff.facts, |book, told| said(told.agent, fact_link(book, told.what))))
        @if !diff.changed_facts.is_empty() {
            h2 { "Facts with different values" }
            ul.rows {
                @for (was, is) in diff.changed_facts.iter().take(sides.most) {
                    li { ul.changes {
                        li.removed { del { (said(was.agent, fact_link(sides.before, was.what))) } }
                        li.added { ins { (said(is.agent, fact_link(sides.after, is.what))) } }
                    } }
                }
                (more(diff.changed_facts.len(), sides.most))
            }
        }
        (beside_facts(diff, sides))
    }
}

fn beside_facts(diff: &Diff<'_>, sides: &Sides<'_>) -> Markup {
    html! {
        (sides.both("Absences", &diff.absences, |_, told| {
            said(told.agent, plain(&told.what.absence.absence.to_string()))
        }))
        (sides.both("Derivations", &diff.derivations, |book, told| {
            said(told.agent, plain(&derivation_title(&told.what.derivation.derivation, |id| book.run.fact(id))))
        }))
        (sides.both("Entities", &diff.entities, |_, told| {
            said(told.agent, plain(&format!("{} {}", told.what.kind, told.what.name)))
        }))
        (sides.both("Relations", &diff.relations, |_, told| {
            said(told.agent, plain(&format!("{} {} {}", told.what.from, told.what.kind, told.what.to)))
        }))
        (sides.both("Hypotheses", &diff.hypotheses, |book, told| {
            said(told.agent, plain(&format!("{} ({})", told.what.proposed.statement, weighed(book, told.what))))
        }))
        @if !diff.changed_hypotheses.is_empty() {
            h2 { "Hypotheses assessed differently" }
            ul.rows {
                @for (was, is) in diff.changed_hypotheses.iter().take(sides.most) {
                    li {
                        (said(is.agent, plain(&is.what.proposed.statement)))
                        ": " del { (weighed(sides.before, was.what)) } " → " ins { (weighed(sides.after, is.what)) }
                    }
                }
            }
        }
        (sides.both("Refused claims", &diff.rejections, |_, refused| {
            said(refused.agent, plain(&format!("{}: {}", refused.rejection.code, claimed(refused.stated))))
        }))
    }
}

impl Sides<'_> {
    /// Renders what only the first run has and what only the second has.
    fn both<T>(&self, kind: &str, changes: &Changes<T>, one: impl Fn(&Book, &T) -> Markup) -> Markup {
        let lists = [
            ("only before", "removed", &changes.removed, self.before),
            ("only after", "added", &changes.added, self.after),
        ];
        html! {
            @for (when, class, items, book) in lists {
                @if !items.is_empty() {
                    h2 { (kind) " " (when) }
                    ul.rows.changes {
                        @for item in items.iter().take(self.most) { li.(class) { (one(book, item)) } }
                        (more(items.len(), self.most))
                    }
                }
            }
        }
    }
}

fn more(all: usize, most: usize) -> Markup {
    html! { @if all > most { li.note { "and " (all - most) " more" } } }
}

fn said(agent: &str, what: Markup) -> Markup {
    html! { span.who { (inert(agent)) } " " (what) }
}

fn plain(text: &str) -> Markup {
    html! { (inert(text)) }
}

fn fact_link(book: &Book, fact: &FactEntry) -> Markup {
    html! {
        a.item href={ "/run/" (segment(&book.name)) "/fact/" (fact.id) } { (inert(&fact_title(fact))) }
        " " span.note { code { (inert(&fact.locator.to_string())) } }
    }
}

fn phenomenon(book: &Book, facts: &[FactId]) -> Markup {
    let facts: Vec<&FactEntry> = facts.iter().filter_map(|id| book.run.fact(*id)).collect();
    match facts.first() {
        Some(first) => html! {
            a.item href={ "/run/" (segment(&book.name)) "/fact/" (first.id) } { (inert(&phenomenon_title(&facts))) }
        },
        None => html! { "a phenomenon without facts" },
    }
}

fn weighed(book: &Book, hypothesis: &HypothesisView) -> String {
    let standing = standing(&book.run, hypothesis);
    match standing.assessment {
        None => "not assessed".to_owned(),
        Some(word) => {
            format!("{word}, {} for it, {} against it", standing.supporting, standing.contradicting)
        }
    }
}

fn tasks(diff: &Diff<'_>) -> Markup {
    let end = |view: Option<&graph::TaskView>| match view {
        None => "no task",
        Some(view) => view.ended.as_ref().map_or("has not ended", |ended| report::status(ended.status)),
    };
    let facts = |facts: Option<usize>| facts.map_or("not asked".to_owned(), |facts| facts.to_string());
    html! {
        h2 { "Tasks" }
        div.wide tabindex="0" role="region" aria-label="Tasks" {
            table {
                thead { tr { th scope="col" { "Agent" } th scope="col" { "Before" } th scope="col" { "After" } th scope="col" { "Facts that meet an objective" } } }
                tbody {
                    @for changed in &diff.tasks {
                        tr {
                            th scope="row" { (inert(changed.agent)) }
                            td { (end(changed.before)) }
                            td { (end(changed.after)) }
                            td { ul.plain { @for it in &changed.objectives { li { (inert(it.id)) ": " (facts(it.before)) " → " (facts(it.after)) } } } }
                        }
                    }
                }
            }
        }
    }
}

fn effort(diff: &Diff<'_>) -> Markup {
    let [before, after] = &diff.effort;
    type Row = (&'static str, fn(&Effort) -> u64);
    let rows: [Row; 9] = [
        ("Turns", |it| it.turns),
        ("Tool calls", |it| it.invocations),
        ("Calls served again", |it| it.served),
        ("Calls refused", |it| it.refused_calls),
        ("Claims", |it| it.claims),
        ("Claims refused", |it| it.refused_claims),
        ("Bytes returned", |it| it.output_bytes),
        ("Tools, wall time (ms)", |it| it.tool_wall_microseconds / 1000),
        ("Tools, CPU time (ms)", |it| it.tool_cpu_microseconds / 1000),
    ];
    html! {
        div.wide tabindex="0" role="region" aria-label="Cost" {
            table {
                caption { "Cost" }
                thead { tr { th scope="col" { "" } th.number scope="col" { "Before" } th.number scope="col" { "After" } } }
                tbody {
                    @for (name, of) in rows {
                        @if (of(before), of(after)) != (0, 0) {
                            tr { th scope="row" { (name) } td.number { (of(before)) } td.number { (of(after)) } }
                        }
                    }
                }
            }
        }
    }
}

/// Checks whether a list has more items than are shown.
fn is_cut(diff: &Diff<'_>) -> bool {
    fn longest<T>(changes: &Changes<T>) -> usize {
        changes.removed.len().max(changes.added.len())
    }
    let lists = [
        longest(&diff.phenomena),
        longest(&diff.facts),
        longest(&diff.absences),
        longest(&diff.derivations),
        longest(&diff.entities),
        longest(&diff.relations),
        longest(&diff.hypotheses),
        longest(&diff.rejections),
        diff.changed_phenomena.len(),
        diff.changed_facts.len(),
        diff.changed_hypotheses.len(),
    ];
    lists.into_iter().any(|length| length > SHOWN)
}
