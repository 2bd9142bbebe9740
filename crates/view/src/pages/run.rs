//! One run: its status, its answers, and which agent did what.

use crate::house::House;
use crate::lines::status;
use crate::page::{Answer, Page};
use crate::pages::runs::state;
use crate::shelf::Book;
use crate::text::{clipped, count, segment, to_the_second};
use app::State;
use graph::{
    Question, Run, Stands, TaskView, answer_title, damage, phenomenon_title, ranked, refused_claims,
    unexamined,
};
use ledger::{FactId, Objective, TaskId};
use maud::{Markup, html};
use report::terminal as inert;

/// The number of facts shown for each objective.
const SHOWN_FACTS: usize = 3;
/// The most facts that are linked for a question in words.
const QUESTION_FACTS: usize = 10;

/// The number of characters of a fact shown below an objective; its page shows it in full.
const LONGEST: usize = 160;

/// The number of findings, gaps and places of damage shown; the report has all of them.
const SHOWN: usize = 25;

pub(crate) fn page(house: &House, name: &str) -> Answer {
    let book = house.shelf.open(name)?;
    let run = &book.run;
    let base = format!("/run/{}", segment(name));
    let body = html! {
        h1 { (inert(&run.opened.case.title)) }
        (standing(&book, &base))
        (counts(run, &base))
        (in_words(run, &base))
        section aria-labelledby="answers" {
            h2 #answers { "Answers" }
            @let questions = graph::questions(run);
            @for (task, view) in &run.tasks { (answers(run, &questions, *task, view, &base)) }
            (handed_to_nobody(run, &questions, &base))
        }
        (told(run, &base))
        (findings(run, &base))
        (notes(run))
        (tasks(run, &base))
        (not_examined(run, &base))
        (remembered(run, &base))
    };
    Ok(Page::of(name, "Run", body))
}

/// Renders the questions that people asked in words.
fn in_words(run: &Run, base: &str) -> Markup {
    let all = graph::questions_in_words(run);
    html! {
        @if !all.is_empty() {
            section aria-labelledby="in-words" {
                h2 #in-words { "Questions in words" }
                ul {
                    @for it in &all {
                        li {
                            (inert(it.question)) " "
                            span.note { "answered by " (inert(it.answered_by())) ": " a href={ (base) "/calls?task=" (it.view.assigned.task.0) } { (it.view.assigned.task) } }
                            @for fact in it.facts().take(QUESTION_FACTS) { " " a href={ (base) "/fact/" (fact) } { (fact) } }
                        }
                    }
                }
            }
        }
    }
}

/// Renders the lessons of earlier runs that the run was given, and the calls that were refused because of them.
fn remembered(run: &Run, base: &str) -> Markup {
    let told = graph::told_lessons(run);
    html! {
        @if !told.is_empty() {
            section aria-labelledby="remembered" {
                h2 #remembered { "Remembered from earlier runs" }
                p { "Advice on how to look; no fact is based on it." }
                ul {
                    @for it in &told {
                        li {
                            code { (inert(&it.lesson.id)) } " " (it.lesson.rule.words()) ": " (inert(&it.lesson.text))
                            @for (task, refused) in &it.refused { " · a call to " code { (inert(&refused.tool)) } " was refused because of it in " (task) }
                            @for (task, invocation, insists) in &it.insisted {
                                " · " a href={ (base) "/inv/" (invocation) } { (invocation) } " was made anyway in " (task) ", because: " (inert(&insists.reason))
                            }
                        }
                    }
                }
            }
        }
    }
}

fn standing(book: &Book, base: &str) -> Markup {
    let run = &book.run;
    let sealed = if run.sealed.is_some() { State::Sealed } else { State::Unsealed };
    html! {
        dl.facts {
            dt { "State" }
            dd {
                (state(sealed))
                @if run.sealed.is_none() {
                    " it broke off, was interrupted, or is under way: "
                    a href={ (base) "/follow" } { "follow its log" }
                }
            }
            @if !run.opened.confined { dt { "Confined" } dd { span.tag.bad { "no" } " tools ran unconfined, at the request of whoever started the run" } }
            dt { "Case" } dd { (inert(&run.opened.case.name)) }
            dt { "Evidence" }
            dd { @for (place, evidence) in run.opened.case.evidence.iter().enumerate() { @if place > 0 { ", " } code { (inert(&evidence.label)) } } }
            dt { "Begun" } dd { (to_the_second(&run.circumstance.at)) " UTC, by locard " (inert(&run.opened.program)) }
            dt { "Folder" } dd { code { (inert(&book.folder.to_string_lossy())) } }
            dt { "Report" } dd { a href={ (base) "/report" } { "the report of this run" } }
        }
    }
}

fn counts(run: &Run, base: &str) -> Markup {
    let sum = |of: fn(&TaskView) -> usize| run.tasks.values().map(of).sum::<usize>();
    let (facts, refused) = (run.facts().count(), refused_claims(run).len());
    let cards: [(usize, &str, Option<&str>); 9] = [
        (facts, "facts", Some("facts")),
        (sum(|view| view.phenomena.len()), "phenomena", Some("#findings")),
        (run.absences().count(), "absences", None),
        (run.derivations().count(), "derivations", None),
        (sum(|view| view.hypotheses.len()), "hypotheses", None),
        (sum(|view| view.invocations.len()), "calls", Some("calls")),
        (refused, "claims refused", Some("refused")),
        (unexamined(run).len(), "not examined", Some("#unexamined")),
        (damage(run).len(), "damaged", Some("#unexamined")),
    ];
    html! {
        ul.cards {
            @for (number, name, link) in cards {
                li {
                    @match link {
                        Some(anchor) if anchor.starts_with('#') => a href=(anchor) { b { (number) } (name) },
                        Some(part) => a href={ (base) "/" (part) } { b { (number) } (name) },
                        None => span { b { (number) } (name) },
                    }
                }
            }
        }
    }
}

fn answers(run: &Run, questions: &[Question<'_>], task: TaskId, view: &TaskView, base: &str) -> Markup {
    let agent = &view.assigned.agent;
    let said = view.ended.as_ref().map_or("has not ended", |ended| status(ended.status));
    let own: Vec<_> = questions.iter().filter(|it| it.tasks.first() == Some(&task)).collect();
    html! {
        @if !own.is_empty() {
            (table(run, &own, &agent.name, html! { " (" (task) "): " (said) }, base))
        }
    }
}

/// Renders the questions that no task was assigned.
fn handed_to_nobody(run: &Run, questions: &[Question<'_>], base: &str) -> Markup {
    let nobody: Vec<_> = questions.iter().filter(|it| it.tasks.is_empty()).collect();
    html! {
        @if !nobody.is_empty() {
            (table(run, &nobody, "nobody", html! { ": not assigned to any agent" }, base))
        }
    }
}

fn table(run: &Run, questions: &[&Question<'_>], whose: &str, said: Markup, base: &str) -> Markup {
    html! {
        div.wide tabindex="0" role="region" aria-label={ "Answers of " (inert(whose)) } {
            table.answers {
                caption { b { (inert(whose)) } (said) }
                tbody { @for it in questions { (answer(run, it, base)) } }
            }
        }
    }
}

fn answer(run: &Run, it: &Question<'_>, base: &str) -> Markup {
    let class = match &it.stands {
        Stands::Answered(_) => "good",
        Stands::Searched { .. } => "plain",
        Stands::CannotBeTold(_) | Stands::NotAsked => "warn",
        Stands::Seen { .. } | Stands::Partly { .. } => "bad",
    };
    html! {
        tr {
            td.nowrap { span.tag.(class) { (report::standing_word(&it.stands)) } }
            td {
                (inert(&it.objective.question))
                @for remark in report::remarks(it) { " " span.note { "(" (inert(&remark)) ")" } }
                (answering(run, it.stands.facts(), it.objective, base))
            }
        }
    }
}

/// Renders the first facts that answer an objective, each with its answer.
fn answering(run: &Run, facts: &[FactId], objective: &Objective, base: &str) -> Markup {
    html! {
        @if !facts.is_empty() {
            ul.plain {
                @for fact in facts.iter().take(SHOWN_FACTS).filter_map(|id| run.fact(*id)) {
                    @let title = answer_title(fact, objective);
                    @let (shown, whole) = clipped(&title, LONGEST);
                    li { a.item href={ (base) "/fact/" (fact.id) } { (inert(shown)) @if !whole { "…" } } }
                }
                @if facts.len() > SHOWN_FACTS { li.note { "and " (facts.len() - SHOWN_FACTS) " more" } }
            }
        }
    }
}

/// Renders what happened in code's words and, kept apart, what agents made of it.
fn told(run: &Run, base: &str) -> Markup {
    let story = graph::story(run);
    let sentences = graph::narrative(run);
    let contradictions = report::Contradictions::of(run);
    html! {
        @if !story.is_empty() {
            section aria-labelledby="story" {
                h2 #story { "What happened" }
                p.note { "Agents chose the facts; code wrote the sentences." }
                ol.told {
                    @for statement in &story {
                        li {
                            @if let Some((time, _)) = statement.dated { time { (inert(&time.to_text())) } " " }
                            (inert(&report::words(run, statement)))
                            span.cites { " " (cited(statement.node, base)) }
                            @for comment in &statement.comments {
                                p.reading { em { (report::READING) ": " } (inert(comment.text)) }
                            }
                        }
                    }
                }
            }
        }
        @if !sentences.is_empty() {
            section aria-labelledby="readings" {
                h2 #readings { "What an agent made of it" }
                p.note { "Sentences of a run of an earlier version: " (report::READING) "." }
                ol.told {
                    @for placed in &sentences {
                        li.reading {
                            (inert(&placed.sentence.text))
                            span.cites {
                                @for node in &placed.sentence.cites { " " (cited(*node, base)) }
                            }
                            @if let Some(remark) = contradictions.remark(placed) { " " strong { "(" (remark) ")" } }
                        }
                    }
                }
            }
        }
    }
}

/// Renders a link to a node that has a page, or its id otherwise.
fn cited(node: ledger::NodeId, base: &str) -> Markup {
    match node {
        ledger::NodeId::Fact(id) => html! { a href={ (base) "/fact/" (id) } { code { (id) } } },
        ledger::NodeId::Invocation(id) => html! { a href={ (base) "/inv/" (id) } { code { (id) } } },
        other => html! { code { (other) } },
    }
}

fn findings(run: &Run, base: &str) -> Markup {
    let ranked = ranked(run);
    html! {
        @if !ranked.is_empty() {
            section aria-labelledby="findings" {
                h2 #findings { "Findings" }
                p.note { "What stands out most comes first; " a href={ (base) "/report" } { "the report" } " has all of them." }
                ol {
                    @for ranked in ranked.iter().take(SHOWN) {
                        @let facts = ranked.phenomenon.facts.iter().filter_map(|id| run.fact(*id)).collect::<Vec<_>>();
                        li {
                            @match facts.first() {
                                Some(first) => a.item href={ (base) "/fact/" (first.id) } { (inert(&phenomenon_title(&facts))) },
                                None => code { (ranked.phenomenon.id) },
                            }
                            @if !ranked.phenomenon.interpretation.is_empty() {
                                br; span.note { "in the agent’s words: " (inert(&ranked.phenomenon.interpretation)) }
                            }
                        }
                    }
                }
                @if ranked.len() > SHOWN { p.note { "and " (ranked.len() - SHOWN) " more" } }
            }
        }
    }
}

/// Renders the agents' notes: they are not facts, and are kept apart from everything that code says.
fn notes(run: &Run) -> Markup {
    let written =
        || run.tasks.iter().flat_map(|(task, view)| view.notes.iter().map(move |note| (task, view, note)));
    let number = written().count();
    html! {
        @if number > 0 {
            section aria-labelledby="notes" {
                h2 #notes { "Agents’ notes (not checked)" }
                p.note { "Remarks in an agent’s own words. They are not facts, nothing is based on them, and nobody has checked them." }
                ul {
                    @for (task, view, note) in written().take(SHOWN) {
                        li { (inert(&view.assigned.agent.name)) " (" (task) "): " q { (inert(&note.text)) } }
                    }
                }
                @if number > SHOWN { p.note { "and " (number - SHOWN) " more, in the report" } }
            }
        }
    }
}

fn tasks(run: &Run, base: &str) -> Markup {
    html! {
        section aria-labelledby="tasks" {
            h2 #tasks { "Tasks" }
            div.wide tabindex="0" role="region" aria-label="Tasks" {
                table {
                    thead { tr {
                        th scope="col" { "Task" } th scope="col" { "Agent" } th scope="col" { "Model" } th scope="col" { "State" }
                        th.number scope="col" { "Turns" } th.number scope="col" { "Calls" }
                        th.number scope="col" { "Facts" } th.number scope="col" { "Refused" }
                    } }
                    tbody {
                        @for (task, view) in &run.tasks {
                            tr {
                                th scope="row" { a.item href={ (base) "/calls?task=" (task.0) } { (task) } }
                                td { (inert(&view.assigned.agent.name))
                                    @if let Some(dispatch) = &view.assigned.dispatch { span.note { " for " (dispatch.by) } } }
                                td { (inert(&view.assigned.model)) }
                                td { (view.ended.as_ref().map_or("has not ended", |ended| status(ended.status)))
                                    @if let Some(failed) = &view.failed { br; span.note { (inert(&failed.reason)) } } }
                                td.number { (view.turns) }
                                td.number { (view.invocations.len()) }
                                td.number { (view.accepted().count()) }
                                td.number { (view.claims.iter().filter(|claim| matches!(claim.judged, Some(graph::Judged::Rejected(_)))).count()) }
                            }
                        }
                    }
                }
            }
        }
    }
}

fn not_examined(run: &Run, base: &str) -> Markup {
    let (gaps, damaged) = (unexamined(run), damage(run));
    html! {
        section aria-labelledby="unexamined" {
            h2 #unexamined { "Not examined, and damaged" }
            @if gaps.is_empty() && damaged.is_empty() { p { "No gaps and no damage were reported." } }
            @if !gaps.is_empty() {
                h3 { (count(gaps.len(), "item was not examined", "items were not examined")) }
                ul {
                    @for gap in gaps.iter().take(SHOWN) {
                        li {
                            @if let Some(id) = gap.invocation { a.item href={ (base) "/inv/" (id) } { code { (id) } } " " }
                            code { (inert(&gap.place)) } ": " (inert(&gap.reason))
                        }
                    }
                    @if gaps.len() > SHOWN { li.note { "and " (gaps.len() - SHOWN) " more" } }
                }
            }
            @if !damaged.is_empty() {
                h3 { (count(damaged.len(), "place is damaged", "places are damaged")) }
                ul {
                    @for defect in damaged.iter().take(SHOWN) {
                        li { code { (inert(&defect.path)) @if let Some(at) = defect.offset { " @ " (at) } } ": " (inert(&defect.what)) }
                    }
                    @if damaged.len() > SHOWN { li.note { "and " (damaged.len() - SHOWN) " more" } }
                }
            }
        }
    }
}
