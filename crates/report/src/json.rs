//! The report as JSON.

use crate::costs::cost;
use crate::select::Selection;
use crate::story;
use crate::synthesis;
use detect::{Hit, Level};
use graph::{
    Disclosure, Foremost, Judged, Raised, Rank, Ranked, Redaction, Run, TaskView, derivation_title,
    fact_title, foremost, phenomenon_title, ranked, refused_claims,
};
use ledger::commitment::SCHEME;
use ledger::event::{ClaimAccepted, ObjectiveResult};
use ledger::{FactEntry, TaskId, Time};
use serde_json::{Value, json};
use std::fmt::Write;

/// The version of this schema; raised when a member changes its meaning or is removed.
pub const SCHEMA: u32 = 1;

/// Returns `value` as JSON that is safe on a terminal: control characters and the like are escaped in its strings.
pub fn json_text(value: &Value) -> String {
    let mut out = String::new();
    // Outside of strings, JSON contains none of these characters.
    for c in value.to_string().chars() {
        match graph::printable(c.encode_utf8(&mut [0; 4])).chars().eq([c]) {
            true => out.push(c),
            false => {
                for unit in c.encode_utf16(&mut [0; 2]) {
                    let _ = write!(out, "\\u{unit:04x}");
                }
            }
        }
    }
    out
}

/// Returns the whole run as one JSON value.
pub fn json(run: &Run) -> Value {
    let mut report = of_run(run);
    // A run without them has no such members, as before.
    if let (Some(brought), Some(members)) = (crate::brought::json(run), report.as_object_mut()) {
        members.insert("brought".to_owned(), brought);
    }
    if let (Some(in_words), Some(members)) = (crate::in_words::json(run), report.as_object_mut()) {
        members.insert("questions_in_words".to_owned(), in_words);
    }
    if let (Some(remembered), Some(members)) = (crate::remembered::json(run), report.as_object_mut()) {
        members.insert("remembered".to_owned(), remembered);
    }
    report
}

fn of_run(run: &Run) -> Value {
    json!({
        "locard_report": SCHEMA,
        "run": run.circumstance.run,
        "opened_at": run.circumstance.at,
        "program": run.opened.program,
        "format": run.opened.format.to_string(),
        "confined": run.opened.confined,
        "confinement": run.circumstance.confinement,
        "sealed": run.sealed.is_some(),
        "parent": run.opened.parent,
        "resumed": run.resumed.iter().map(|(resumed, circumstance)| json!({
            "at": circumstance.at,
            "program": resumed.program,
        })).collect::<Vec<_>>(),
        "case": run.opened.case,
        "names": run.names,
        "timelines": run.timelines,
        "tables": run.tables,
        "integrity": run.integrity,
        "tasks": run.tasks.iter().map(|(task, view)| self::task(*task, view)).collect::<Vec<_>>(),
        "answers": synthesis::answers_json(run),
        "story": story::json(run),
        "narrative": synthesis::narrative_json(run),
        "dispatched": synthesis::dispatched_json(run),
        "facts": run.facts().map(|(task, accepted)| fact(run, task, accepted)).collect::<Vec<_>>(),
        "commitments": run.disclosure.as_ref().map(commitments),
        "redaction": run.disclosure.as_ref().and_then(|it| it.redaction.as_ref()).map(redaction),
        "foremost": foremost(run).iter().filter(|it| it.rank.level > Level::Ordinary).map(|it| of_rank(run, it)).collect::<Vec<_>>(),
        "phenomena": ranked(run).iter().map(|ranked| phenomenon(run, ranked)).collect::<Vec<_>>(),
        "absences": run.absences().map(|(task, covered)| json!({
            "task": task.to_string(),
            "title": covered.absence.absence.to_string(),
            "as_it_stands": covered.absence.absence.is_as_it_stands(),
            "absence": covered.absence,
            "interpretation": covered.interpretation,
        })).collect::<Vec<_>>(),
        "derivations": run.derivations().map(|(task, derived)| json!({
            "task": task.to_string(),
            "title": derivation_title(&derived.derivation.derivation, |id| run.fact(id)),
            "derivation": derived.derivation,
            "interpretation": derived.interpretation,
        })).collect::<Vec<_>>(),
        "entities": run.tasks.values().flat_map(|view| &view.entities).collect::<Vec<_>>(),
        "relations": run.tasks.values().flat_map(|view| &view.relations).collect::<Vec<_>>(),
        "hypotheses": run.tasks.values().flat_map(|view| &view.hypotheses).map(|view| json!({
            "proposed": view.proposed,
            "assessments": view.assessments,
            "counted": crate::nodes::counted_json(run, view),
        })).collect::<Vec<_>>(),
        "contradictions": crate::contradictions::json(run),
        "notes": crate::notes::json(run),
        "confidence": graph::objective_confidences(run).into_iter().map(|((task, objective), sure)| json!({
            "task": task.to_string(), "objective": objective,
            "thousandths": sure.thousandths(), "level": sure.level().name(),
        })).collect::<Vec<_>>(),
        "unexamined": graph::unexamined(run)
            .into_iter()
            .map(|it| json!({"invocation": it.invocation, "place": it.place, "reason": it.reason}))
            .collect::<Vec<_>>(),
        "rejections": refused_claims(run),
        "invocations": run.tasks.iter().flat_map(|(task, view)| invocations(*task, view)).collect::<Vec<_>>(),
    })
}

/// Returns the selected facts in the report's form, with their date, level, account and host added.
///
/// The facts in a report lack these members, because programs that validate a report reject unknown members.
pub fn facts_json(run: &Run, selection: &Selection) -> Vec<Value> {
    let (levels, hosts) = (graph::levels(run), graph::hosts(run));
    let brought = graph::rules_of_facts(run);
    let fact = |(task, accepted): (TaskId, &ClaimAccepted)| {
        let mut told = self::fact(run, task, accepted);
        if let Some(members) = told.as_object_mut() {
            if let Some(rules) = brought.get(&accepted.fact.id) {
                members.insert("brought".to_owned(), json!(crate::brought::rules_of(run, rules)));
            }
            members.insert("level".to_owned(), json!(levels.get(&accepted.fact.id)));
            let dated = graph::dated_field(&accepted.fact);
            members.insert("time".to_owned(), json!(dated.map(|(_, time)| Time::to_text(time))));
            members.insert("time_field".to_owned(), json!(dated.map(|(field, _)| field)));
            members.insert("host".to_owned(), json!(hosts.get(accepted.fact.locator.evidence.as_str())));
            members.insert("account".to_owned(), json!(graph::account(&accepted.fact)));
        }
        told
    };
    selection.facts(run).into_iter().map(fact).collect()
}

fn fact(run: &Run, task: TaskId, accepted: &ClaimAccepted) -> Value {
    json!({
        "task": task.to_string(),
        "title": fact_title(&accepted.fact),
        "healing": accepted.healing,
        "writer": accepted.fact.writer(),
        "fact": accepted.fact,
        "opening": run.disclosure.as_ref().and_then(|it| it.openings.get(&accepted.fact.id)),
    })
}

/// Returns the commitment for verifying the facts.
fn commitments(disclosure: &Disclosure) -> Value {
    json!({
        "scheme": SCHEME,
        "root": disclosure.root,
        "facts": disclosure.openings.len(),
    })
}

/// Returns what was withheld, and how.
fn redaction(redaction: &Redaction) -> Value {
    json!({
        "profile": redaction.profile,
        "profile_sha256": redaction.digest,
        "facts": redaction.facts,
        "members": redaction.members,
        "outputs": redaction.outputs,
        "values": redaction.values,
        "places": redaction.places,
        "not_sought": redaction.not_sought,
        "stand_ins": redaction.stand_ins,
    })
}

fn task(task: TaskId, view: &TaskView) -> Value {
    let rejected =
        view.claims.iter().filter(|claim| matches!(claim.judged, Some(Judged::Rejected(_)))).count();
    json!({
        "task": task.to_string(),
        "agent": view.assigned.agent.name,
        "model": view.assigned.model,
        "status": view.ended.as_ref().map(|ended| ended.status),
        "objectives": view.ended.as_ref().map(|ended| ended.objectives.iter().map(objective).collect::<Vec<_>>()),
        "turns": view.turns,
        "cost": cost(view),
        "phases": view.phases,
        "dispatch": view.assigned.dispatch,
        "recoveries": synthesis::recoveries_json(&view.recoveries),
        "artifacts": synthesis::artifacts_json(&view.artifacts),
        "reports": view.reports,
        "refused_calls": view.refusals,
        "refused_claims": rejected,
        "failure": view.failed,
        "nothing_to_record": view.nothing,
    })
}

/// Returns how an objective was answered, with the word for it.
fn objective(result: &ObjectiveResult) -> Value {
    let mut told = json!(result);
    if let Some(members) = told.as_object_mut() {
        members.insert("answer".to_owned(), json!(result.answer()));
    }
    told
}

/// Returns the rules that facts match, highest level first.
fn rules(run: &Run, rank: &Rank<'_>) -> Vec<Value> {
    let rule = |hit: &Hit<'_>| {
        let techniques: Vec<String> = hit.techniques.iter().map(|it| it.id.to_string()).collect();
        json!({"rule": hit.rule, "level": hit.level, "note": hit.note, "techniques": techniques})
    };
    let brought = rank.weighed.brought.iter().filter_map(|rule| run.brought.as_ref()?.fit(*rule));
    let brought = brought.map(|fit| {
        json!({
            "rule": fit.rule, "level": fit.level, "note": fit.title, "techniques": fit.techniques,
            "whose": fit.kind, "file": fit.file,
        })
    });
    rank.weighed.hits.iter().map(rule).chain(brought).collect()
}

/// Returns a fact with how much it stands out.
fn of_rank(run: &Run, it: &Foremost<'_>) -> Value {
    json!({
        "fact": it.fact.id,
        "level": it.rank.level,
        "points": it.rank.points,
        "rules": rules(run, &it.rank),
        "raised": it.rank.raised.map(raised),
        "more": it.more,
    })
}

const fn raised(raised: Raised) -> &'static str {
    match raised {
        Raised::SameThing => "same_thing",
        Raised::SameFolder => "same_folder",
        Raised::SameTime => "same_time",
        Raised::Said => "said",
    }
}

fn phenomenon(run: &Run, ranked: &Ranked<'_>) -> Value {
    let phenomenon = ranked.phenomenon;
    let facts: Vec<&FactEntry> = ranked.facts.iter().filter_map(|id| run.fact(*id)).collect();
    json!({
        "phenomenon": phenomenon.id,
        "task": ranked.task.to_string(),
        "title": phenomenon_title(&facts),
        "facts": ranked.facts,
        "interpretation": phenomenon.interpretation,
        "level": ranked.rank.level,
        "rules": rules(run, &ranked.rank),
        "ordinary": ranked.rank.weighed.ordinary,
        "points": ranked.rank.points,
        "answers": ranked.rank.objective.map(|it| json!({
            "weight": it.weight, "agent": it.agent, "objective": it.id,
        })),
        "corroborated_by": ranked.rank.corroborated_by,
        "linked_to": ranked.linked_to,
        "close_to": ranked.close_to,
        "alike": ranked.rank.alike,
    })
}

fn invocations(task: TaskId, view: &TaskView) -> Vec<Value> {
    let invocation = |invocation: &graph::InvocationView| {
        json!({
            "task": task.to_string(),
            "started": invocation.started,
            "ended": invocation.ended,
            "cost": invocation.cost,
        })
    };
    view.invocations.iter().map(invocation).collect()
}
