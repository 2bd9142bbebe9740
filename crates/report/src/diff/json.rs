//! The comparison as JSON: everything, in full.

use graph::{
    ChangedPhenomenon, ChangedTask, Changes, Diff, Effort, HypothesisView, PhenomenonView, Run, TaskView,
    Told, derivation_title, fact_title, phenomenon_title,
};
use ledger::FactEntry;
use serde_json::{Map, Value, json};

/// The version of this schema; raised when a member changes its meaning or is removed.
const SCHEMA: u32 = 1;

/// Returns the comparison as one JSON value.
pub fn diff_json(diff: &Diff<'_>) -> Value {
    let runs = [diff.before, diff.after];
    let mut phenomena = changes(&diff.phenomena, runs, |told, run| phenomenon(run, told));
    add(&mut phenomena, "changed", diff.changed_phenomena.iter().map(|it| changed_phenomenon(runs, it)));
    let mut facts = changes(&diff.facts, runs, |told, _| fact(told));
    let restated = diff.changed_facts.iter();
    add(&mut facts, "changed", restated.map(|(a, b)| json!({"before": fact(a), "after": fact(b)})));
    let mut hypotheses = changes(&diff.hypotheses, runs, |told, _| hypothesis(told));
    let restated = diff.changed_hypotheses.iter();
    add(
        &mut hypotheses,
        "changed",
        restated.map(|(a, b)| json!({"before": hypothesis(a), "after": hypothesis(b)})),
    );
    json!({
        "locard_diff": SCHEMA,
        "before": run(diff.before),
        "after": run(diff.after),
        "recorded_the_same": diff.recorded_the_same(),
        "not_the_same": diff.setup.iter().map(|it| it.name()).collect::<Vec<_>>(),
        "facts": facts,
        "phenomena": phenomena,
        "absences": changes(&diff.absences, runs, |told, _| json!({
            "agent": told.agent, "title": told.what.absence.absence.to_string(), "absence": told.what.absence,
        })),
        "derivations": changes(&diff.derivations, runs, |told, run| json!({
            "agent": told.agent,
            "title": derivation_title(&told.what.derivation.derivation, |id| run.fact(id)),
            "derivation": told.what.derivation,
        })),
        "entities": changes(&diff.entities, runs, |told, _| json!({"agent": told.agent, "entity": told.what})),
        "relations": changes(&diff.relations, runs, |told, _| json!({"agent": told.agent, "relation": told.what})),
        "hypotheses": hypotheses,
        "rejections": changes(&diff.rejections, runs, |refused, _| json!(refused)),
        "tasks": diff.tasks.iter().map(task).collect::<Vec<_>>(),
        "cost": cost(&diff.effort),
        "cost_by_agent": diff.effort_by_agent.iter().map(|(agent, effort)| {
            ((*agent).to_owned(), cost(effort))
        }).collect::<Map<_, _>>(),
    })
}

fn cost([before, after]: &[Effort; 2]) -> Value {
    json!({"before": before, "after": after})
}

fn run(run: &Run) -> Value {
    json!({
        "run": run.circumstance.run,
        "case": run.opened.case.name,
        "program": run.opened.program,
        "format": run.opened.format.to_string(),
        "sealed": run.sealed.is_some(),
        "models": run.tasks.values().map(|view| {
            (view.assigned.agent.name.clone(), json!(view.assigned.model))
        }).collect::<Map<_, _>>(),
    })
}

/// Returns the items that only one run has; `one` receives that run.
fn changes<T>(changes: &Changes<T>, [old, new]: [&Run; 2], one: impl Fn(&T, &Run) -> Value) -> Value {
    let list = |items: &[T], run| items.iter().map(|item| one(item, run)).collect::<Vec<_>>();
    json!({
        "both": changes.both,
        "by_another_agent": changes.by_another_agent,
        "only_before": list(&changes.removed, old),
        "only_after": list(&changes.added, new),
    })
}

fn add(value: &mut Value, name: &str, items: impl Iterator<Item = Value>) {
    if let Some(members) = value.as_object_mut() {
        members.insert(name.to_owned(), items.collect());
    }
}

fn fact(told: &Told<'_, FactEntry>) -> Value {
    json!({"agent": told.agent, "title": fact_title(told.what), "fact": told.what})
}

fn phenomenon(run: &Run, told: &Told<'_, PhenomenonView>) -> Value {
    let facts: Vec<_> = told.what.facts.iter().filter_map(|id| run.fact(*id)).collect();
    json!({
        "agent": told.agent,
        "phenomenon": told.what.id,
        "title": phenomenon_title(&facts),
        "facts": told.what.facts,
        "interpretation": told.what.interpretation,
    })
}

fn changed_phenomenon([old, new]: [&Run; 2], changed: &ChangedPhenomenon<'_>) -> Value {
    let facts = |facts: &[&FactEntry]| {
        facts.iter().map(|fact| json!({"title": fact_title(fact), "fact": fact})).collect::<Vec<_>>()
    };
    json!({
        "before": phenomenon(old, &changed.before),
        "after": phenomenon(new, &changed.after),
        "kept": changed.kept,
        "removed": facts(&changed.removed),
        "added": facts(&changed.added),
    })
}

fn hypothesis(told: &Told<'_, HypothesisView>) -> Value {
    json!({"agent": told.agent, "proposed": told.what.proposed, "assessments": told.what.assessments})
}

fn task(changed: &ChangedTask<'_>) -> Value {
    let end = |view: Option<&TaskView>| {
        view.map(|view| {
            json!({
                "task": view.assigned.task.to_string(),
                "model": view.assigned.model,
                "status": view.ended.as_ref().map(|ended| ended.status),
            })
        })
    };
    let objectives: Vec<_> = changed
        .objectives
        .iter()
        .map(|it| json!({"id": it.id, "facts_before": it.before, "facts_after": it.after}))
        .collect();
    json!({
        "agent": changed.agent,
        "before": end(changed.before),
        "after": end(changed.after),
        "objectives": objectives,
    })
}
