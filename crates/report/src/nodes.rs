//! The nodes of the graph other than facts: absences, derivations, entities, relations, hypotheses.

use crate::inert::{code, prose, terminal};
use crate::story::{self, READING};
use crate::synthesis::title;
use graph::{
    HypothesisView, Placed, Run, Sources, Standing, derivation_title, is_telling, looked_for, narrative,
    standing,
};
use ledger::event::{EntityAdded, RelationAdded};
use ledger::{EntityKind, FactId, NodeId};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

/// The remark for an absence in a hive as it stands.
pub(crate) const OF_ITS_FILE: &str = "What is absent from a hive “as it stands” may still be on the host: the hive is dirty, and its transaction logs were not searched.";

/// Formats the nodes for the terminal; empty if there are none.
pub(crate) fn text(run: &Run) -> String {
    let mut out = String::new();
    for (task, covered) in run.absences() {
        let _ = writeln!(out, "{}  {}", covered.absence.id, terminal(&covered.absence.absence.to_string()));
        let _ = writeln!(out, "  searched by {} of {task}", joined(&covered.absence.searches));
    }
    for (_, derived) in run.derivations() {
        let entry = &derived.derivation;
        let title = derivation_title(&entry.derivation, |id| run.fact(id));
        let _ = writeln!(out, "{}  {}", entry.id, terminal(&title));
        let _ = writeln!(out, "  derived from {}", joined(&entry.derivation.facts()));
        if !entry.clocks.is_empty() {
            let _ = writeln!(out, "  by the clock steps that {} lists", joined(&entry.clocks));
        }
    }
    for ((kind, name), facts) in entities(run) {
        let _ = writeln!(out, "{kind} {}: named by {}", graph::value_text(&name), counted(facts.len()));
    }
    for relation in relations(run) {
        let (from, to) = (end(run, relation.from), end(run, relation.to));
        let _ =
            writeln!(out, "{}  {} {} {}", relation.relation, terminal(&from), relation.kind, terminal(&to));
    }
    for hypothesis in hypotheses(run) {
        let proposed = &hypothesis.proposed;
        let _ = writeln!(out, "{}  {}", proposed.hypothesis, stands(standing(run, hypothesis)));
        let _ = writeln!(out, "  an agent's words: {}", terminal(&proposed.statement));
        for line in test_of(run, hypothesis) {
            let _ = writeln!(out, "  {}", terminal(&line));
        }
    }
    for line in story::lines(run) {
        let it = &line.statement;
        let _ = writeln!(out, "{}  chosen by {}, based on {}", it.id, terminal(&line.tellers(run)), it.node);
        let _ = writeln!(out, "  {}", terminal(&line.words.text()));
        for remark in &line.remarks {
            let _ = writeln!(out, "  {READING}: {}", terminal(remark.text));
        }
    }
    for Placed { task, sentence, .. } in narrative(run) {
        let _ = writeln!(out, "{}  written by {task}, based on {}", sentence.id, joined(&sentence.cites));
        let _ = writeln!(out, "  an agent's words: {}", terminal(&sentence.text));
    }
    out
}

/// Formats the nodes for the Markdown report.
pub(crate) fn markdown(out: &mut String, run: &Run) {
    if run.absences().next().is_some() {
        let _ = writeln!(out, "\n## Absences\n\nEach is based on a complete search that found nothing.\n");
    }
    if run.absences().any(|(_, covered)| covered.absence.absence.is_as_it_stands()) {
        let _ = writeln!(out, "{OF_ITS_FILE}\n");
    }
    for (_, covered) in run.absences() {
        let absence = &covered.absence;
        let _ = writeln!(
            out,
            "- {} (`{}`, searched by {})",
            code(&absence.absence.to_string()),
            absence.id,
            joined(&absence.searches)
        );
    }
    if run.derivations().next().is_some() {
        let _ = writeln!(out, "\n## Derivations\n\nCode checked each one against the facts that it cites.\n");
    }
    for (_, derived) in run.derivations() {
        let entry = &derived.derivation;
        let title = derivation_title(&entry.derivation, |id| run.fact(id));
        let by = match entry.clocks.as_slice() {
            [] => String::new(),
            listed => format!(", by the clock steps that {} lists", joined(listed)),
        };
        let facts = joined(&entry.derivation.facts());
        let _ = writeln!(out, "- {} (`{}`, from {facts}{by})", code(&title), entry.id);
    }
    let entities = entities(run);
    if !entities.is_empty() {
        let _ = writeln!(out, "\n## What the facts name\n");
    }
    for ((kind, name), facts) in entities {
        let _ = writeln!(out, "- {} {}: {}", prose(kind.name()), code(&name), counted(facts.len()));
    }
    for relation in relations(run) {
        let (from, to) = (end(run, relation.from), end(run, relation.to));
        let _ =
            writeln!(out, "- {} {} {} (interpretation)", code(&from), prose(relation.kind.name()), code(&to));
    }
    if hypotheses(run).next().is_some() {
        let _ = writeln!(
            out,
            "\n## Hypotheses\n\nAn agent's own words, with what it cites for and against each hypothesis.\n"
        );
    }
    for hypothesis in hypotheses(run) {
        let standing = stands(standing(run, hypothesis));
        let _ = writeln!(out, "- {}: {}", code(&hypothesis.proposed.statement), prose(&standing));
        for line in test_of(run, hypothesis) {
            let _ = writeln!(out, "  - {}", prose(&line));
        }
        let last = hypothesis.assessments.last();
        let sides = last.map(|last| [("for", &last.supporting), ("against", &last.contradicting)]);
        for (side, nodes) in sides.into_iter().flatten() {
            for id in nodes {
                let side = match side {
                    "for" if !is_telling(run, *id) => "not counted",
                    "for" => "for it",
                    _ => "against it",
                };
                let _ = writeln!(out, "  - {side}: {} (`{id}`)", code(&title(run, *id)));
            }
        }
    }
}

/// Returns the entities that agents added, merged by kind and name over all tasks.
pub(crate) fn entities(run: &Run) -> BTreeMap<(EntityKind, String), BTreeSet<FactId>> {
    let mut entities: BTreeMap<(EntityKind, String), (String, BTreeSet<FactId>)> = BTreeMap::new();
    for EntityAdded { kind, name, facts, .. } in run.tasks.values().flat_map(|view| &view.entities) {
        let known =
            entities.entry((*kind, name.to_lowercase())).or_insert_with(|| (name.clone(), BTreeSet::new()));
        known.1.extend(facts);
    }
    entities.into_iter().map(|((kind, _), (name, facts))| ((kind, name), facts)).collect()
}

pub(crate) fn relations(run: &Run) -> impl Iterator<Item = &RelationAdded> {
    run.tasks.values().flat_map(|view| &view.relations)
}

pub(crate) fn hypotheses(run: &Run) -> impl Iterator<Item = &HypothesisView> {
    run.tasks.values().flat_map(|view| &view.hypotheses)
}

/// Names the end of a relation: an entity by its name, anything else by its id.
pub(crate) fn end(run: &Run, id: NodeId) -> String {
    let entity = |entity: &&EntityAdded| NodeId::Entity(entity.entity) == id;
    let found = run.tasks.values().flat_map(|view| &view.entities).find(entity);
    found.map_or_else(|| id.to_string(), |entity| entity.name.clone())
}

fn counted(facts: usize) -> String {
    if facts == 1 { "1 fact".to_owned() } else { format!("{facts} facts") }
}

pub(crate) fn stands(standing: Standing) -> String {
    let ordinary = match standing.ordinary {
        0 => String::new(),
        number => format!("; {number} ordinary or low, not counted"),
    };
    match standing.assessment {
        None => "not assessed".to_owned(),
        Some(assessment) => format!(
            "{assessment}; {}, {}{ordinary}",
            side(standing.supporting, "for it", standing.supporting_sources),
            side(standing.contradicting, "against it", standing.contradicting_sources)
        ),
    }
}

/// The maximum number of reasons and questions shown for a hypothesis.
const TOLD: usize = 4;

/// Describes which of the searched-for traces distinguish this computer from an untouched one, and what would refute a hypothesis,
/// one line each, in code's words.
pub(crate) fn test_of(run: &Run, hypothesis: &HypothesisView) -> Vec<String> {
    let standing = standing(run, hypothesis);
    if standing.assessment.is_none() {
        return Vec::new();
    }
    let (looked, reasons) = looked_for(run, hypothesis);
    let questions: Vec<String> = looked
        .iter()
        .take(TOLD)
        .map(|it| format!("{} ({} of {} stand out)", it.question, it.telling, it.named))
        .collect();
    let mut lines = Vec::new();
    if !questions.is_empty() {
        let more = further(looked.len());
        lines
            .push(format!("looked for what stands out among the answers to: {}{more}", questions.join("; ")));
    }
    lines.push(match (standing.supporting, reasons.is_empty()) {
        (0, _) => "would be borne out by a fact that an untouched computer does not have; none was found, so nothing is left to refute".to_owned(),
        (_, true) => "would be refuted by an innocent explanation of each thing that counts for it".to_owned(),
        (_, false) => {
            let more = further(reasons.len());
            let told: Vec<&str> = reasons.iter().take(TOLD).copied().collect();
            format!("would be refuted by an innocent explanation of each of: {}{more}", told.join("; "))
        }
    });
    lines
}

/// Returns as JSON what supports and contradicts a hypothesis, and how it could be tested.
pub(crate) fn counted_json(run: &Run, hypothesis: &HypothesisView) -> Value {
    let standing = standing(run, hypothesis);
    let side = |nodes: usize, sources: Sources| json!({"nodes": nodes, "places": sources.places, "kinds": sources.kinds});
    let (looked, _) = looked_for(run, hypothesis);
    let looked =
        looked.iter().map(|it| json!({"question": it.question, "named": it.named, "stand_out": it.telling}));
    json!({
        "for": side(standing.supporting, standing.supporting_sources),
        "against": side(standing.contradicting, standing.contradicting_sources),
        "ordinary": standing.ordinary,
        "looked_for": looked.collect::<Vec<_>>(),
        "refuted_by": test_of(run, hypothesis).pop(),
    })
}

fn further(all: usize) -> String {
    match all.saturating_sub(TOLD) {
        0 => String::new(),
        more => format!("; and {more} more"),
    }
}

/// Describes the support on one side. Many files written by one component count as one kind.
fn side(nodes: usize, which: &str, Sources { places, kinds }: Sources) -> String {
    match (nodes, places, kinds) {
        (0, ..) => format!("none {which}"),
        (_, 1, _) => format!("{nodes} {which} from 1 source"),
        (.., 1) => format!("{nodes} {which} from {places} sources of 1 kind"),
        _ => format!("{nodes} {which} from {places} sources of {kinds} kinds"),
    }
}

fn joined<I: std::fmt::Display>(ids: &[I]) -> String {
    ids.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
}
