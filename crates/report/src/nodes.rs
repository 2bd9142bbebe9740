//! What stands in the graph beside facts: absences, derivations, things that facts name, relations, hypotheses.

use crate::inert::{code, prose, terminal};
use crate::story::{self, READING};
use crate::synthesis::title;
use graph::{HypothesisView, Placed, Run, Sources, Standing, derivation_title, narrative, standing};
use ledger::event::{EntityAdded, RelationAdded};
use ledger::{EntityKind, FactId, NodeId};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

/// What is said where an absence speaks of a hive as it stands.
pub(crate) const OF_ITS_FILE: &str = "What is absent from a hive “as it stands” may still be on the host: the hive is dirty, and its transaction logs were not searched.";

/// For the terminal; empty where there is nothing of the kind.
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

/// For the report.
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
        let last = hypothesis.assessments.last();
        let sides = last.map(|last| [("for", &last.supporting), ("against", &last.contradicting)]);
        for (side, nodes) in sides.into_iter().flatten() {
            for id in nodes {
                let _ = writeln!(out, "  - {side} it: {} (`{id}`)", code(&title(run, *id)));
            }
        }
    }
}

/// The things that facts name, one for each kind and name, whichever tasks added it.
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

/// What a relation's end is called: an entity by its name, anything else by its id.
pub(crate) fn end(run: &Run, id: NodeId) -> String {
    let entity = |entity: &&EntityAdded| NodeId::Entity(entity.entity) == id;
    let found = run.tasks.values().flat_map(|view| &view.entities).find(entity);
    found.map_or_else(|| id.to_string(), |entity| entity.name.clone())
}

fn counted(facts: usize) -> String {
    if facts == 1 { "1 fact".to_owned() } else { format!("{facts} facts") }
}

pub(crate) fn stands(standing: Standing) -> String {
    match standing.assessment {
        None => "not assessed".to_owned(),
        Some(assessment) => format!(
            "{assessment}; {}, {}",
            side(standing.supporting, "for it", standing.supporting_sources),
            side(standing.contradicting, "against it", standing.contradicting_sources)
        ),
    }
}

/// How much speaks for or against it: what one component wrote into many files is of one kind.
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
