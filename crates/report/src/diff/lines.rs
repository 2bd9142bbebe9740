//! The lists of what only one of two runs has.

use crate::inert::terminal;
use graph::{
    ChangedPhenomenon, ChangedTask, Diff, HypothesisView, RefusedClaim, Run, TaskView, Told,
    derivation_title, fact_title, phenomenon_title, standing, value_text,
};
use ledger::event::{EntityAdded, RelationAdded};
use ledger::{BoundValue, Claim, FactEntry, NodeId, Reading};
use std::fmt::Write;

/// The maximum length of a line, in characters; `facts` and JSON show it in full.
const LONGEST: usize = 160;

/// The number of facts listed below a changed phenomenon, on each side.
const SHOWN_FACTS: usize = 5;

/// The lists under construction.
pub(super) struct Lines<'o> {
    out: &'o mut String,
    most: usize,
    /// Whether anything was left out.
    cut: bool,
}

impl<'o> Lines<'o> {
    pub(super) fn new(out: &'o mut String, most: usize) -> Lines<'o> {
        Lines { out, most, cut: false }
    }

    /// Lists everything that differs; returns whether something was left out.
    pub(super) fn everything(mut self, diff: &Diff<'_>) -> bool {
        let runs @ [_, new] = [diff.before, diff.after];
        self.list("tasks", '~', &diff.tasks, task);
        let phenomena = [&diff.phenomena.removed, &diff.phenomena.added];
        self.sides(runs, "phenomena", phenomena, |run, told| {
            let facts: Vec<_> = told.what.facts.iter().filter_map(|id| run.fact(*id)).collect();
            vec![said(told.agent, &phenomenon_title(&facts))]
        });
        self.list("phenomena with different facts", '~', &diff.changed_phenomena, |it| {
            changed_phenomenon(new, it)
        });
        self.sides(runs, "facts", [&diff.facts.removed, &diff.facts.added], |_, told| fact(told));
        self.list("facts with different values", '~', &diff.changed_facts, |(was, is)| changed_fact(was, is));
        self.beside_facts(diff);
        let rejections = [&diff.rejections.removed, &diff.rejections.added];
        self.sides(runs, "rejections", rejections, |run, refused| vec![refusal(run, refused)]);
        self.cut
    }

    fn beside_facts(&mut self, diff: &Diff<'_>) {
        let runs @ [old, new] = [diff.before, diff.after];
        let absences = [&diff.absences.removed, &diff.absences.added];
        self.sides(runs, "absences", absences, |_, told| {
            vec![said(told.agent, &told.what.absence.absence.to_string())]
        });
        let derivations = [&diff.derivations.removed, &diff.derivations.added];
        self.sides(runs, "derivations", derivations, |run, told| {
            let title = derivation_title(&told.what.derivation.derivation, |id| run.fact(id));
            vec![said(told.agent, &title)]
        });
        let entities = [&diff.entities.removed, &diff.entities.added];
        self.sides(runs, "entities", entities, |_, told| {
            vec![said(told.agent, &format!("{} {}", told.what.kind, told.what.name))]
        });
        let relations = [&diff.relations.removed, &diff.relations.added];
        self.sides(runs, "relations", relations, |run, told| {
            vec![said(told.agent, &relation(run, told.what))]
        });
        let hypotheses = [&diff.hypotheses.removed, &diff.hypotheses.added];
        self.sides(runs, "hypotheses", hypotheses, |run, told| {
            let stands = weighed(run, told.what);
            vec![said(told.agent, &format!("{} ({stands})", told.what.proposed.statement))]
        });
        self.list("hypotheses assessed differently", '~', &diff.changed_hypotheses, |(was, is)| {
            let [before, after] = [weighed(old, was.what), weighed(new, is.what)];
            vec![said(is.agent, &is.what.proposed.statement), format!("  {before} → {after}")]
        });
    }

    /// Lists what only the first run has and what only the second has; `lines` receives that run.
    fn sides<T>(
        &mut self,
        [old, new]: [&Run; 2],
        kind: &str,
        [removed, added]: [&Vec<T>; 2],
        lines: impl Fn(&Run, &T) -> Vec<String>,
    ) {
        self.list(&format!("{kind} only before"), '-', removed, |item| lines(old, item));
        self.list(&format!("{kind} only after"), '+', added, |item| lines(new, item));
    }

    fn list<T>(&mut self, title: &str, mark: char, items: &[T], lines: impl Fn(&T) -> Vec<String>) {
        if items.is_empty() {
            return;
        }
        let _ = writeln!(self.out, "\n{title}");
        for item in items.iter().take(self.most) {
            for (line, mark) in
                lines(item).into_iter().zip(std::iter::once(mark).chain(std::iter::repeat(' ')))
            {
                let _ = writeln!(self.out, "  {mark} {}", clipped(&line));
            }
        }
        if items.len() > self.most {
            self.cut = true;
            let _ = writeln!(self.out, "  … and {} more", items.len() - self.most);
        }
    }
}

fn clipped(line: &str) -> String {
    match line.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}…", line.get(..end).unwrap_or_default()),
        None => line.to_owned(),
    }
}

fn said(agent: &str, what: &str) -> String {
    format!("{}: {}", terminal(agent), terminal(what))
}

fn fact(told: &Told<'_, FactEntry>) -> Vec<String> {
    vec![said(told.agent, &fact_title(told.what)), format!("  {}", terminal(&told.what.locator.to_string()))]
}

/// Lists the values that only one of the two facts states.
fn changed_fact(was: &Told<'_, FactEntry>, is: &Told<'_, FactEntry>) -> Vec<String> {
    let values = |fact: &FactEntry| -> Vec<String> {
        let said = |value: &BoundValue| match &value.quotation {
            Some(words) => format!("{} = “{words}”", value.field),
            None => format!("{} = {}", value.field, value_text(&value.value.to_text())),
        };
        fact.values.iter().map(|value| terminal(&said(value))).collect()
    };
    let (before, after) = (values(was.what), values(is.what));
    let mut lines = vec![said(is.agent, &fact_title(is.what))];
    for (mark, ours, theirs) in [('-', &before, &after), ('+', &after, &before)] {
        lines.extend(ours.iter().filter(|it| !theirs.contains(it)).map(|it| format!("  {mark} {it}")));
    }
    lines
}

fn changed_phenomenon(after: &Run, changed: &ChangedPhenomenon<'_>) -> Vec<String> {
    let facts: Vec<_> = changed.after.what.facts.iter().filter_map(|id| after.fact(*id)).collect();
    let mut lines = vec![said(changed.after.agent, &phenomenon_title(&facts))];
    for (mark, facts) in [('-', &changed.removed), ('+', &changed.added)] {
        let titles = facts.iter().take(SHOWN_FACTS).map(|fact| terminal(&fact_title(fact)));
        lines.extend(titles.map(|title| format!("  {mark} {title}")));
        if facts.len() > SHOWN_FACTS {
            lines.push(format!("  {mark} and {} more facts", facts.len() - SHOWN_FACTS));
        }
    }
    lines
}

fn relation(run: &Run, relation: &RelationAdded) -> String {
    let end = |id: NodeId| {
        let entity = |entity: &&EntityAdded| NodeId::Entity(entity.entity) == id;
        let entity = run.tasks.values().flat_map(|view| &view.entities).find(entity);
        match (entity, id) {
            (Some(entity), _) => entity.name.clone(),
            (None, NodeId::Fact(fact)) => run.fact(fact).map_or_else(|| id.to_string(), fact_title),
            (None, _) => id.to_string(),
        }
    };
    format!("{} {} {}", end(relation.from), relation.kind, end(relation.to))
}

fn weighed(run: &Run, hypothesis: &HypothesisView) -> String {
    let standing = standing(run, hypothesis);
    match standing.assessment {
        None => "not assessed".to_owned(),
        Some(word) => {
            format!("{word}, {} for it, {} against it", standing.supporting, standing.contradicting)
        }
    }
}

fn refusal(run: &Run, refused: &RefusedClaim<'_>) -> String {
    let claimed = match refused.stated {
        Claim::Reading(reading) => read(reading),
        Claim::Absence(absence) => absence.absence.to_string(),
        Claim::Derivation(derivation) => derivation_title(derivation, |id| run.fact(id)),
        Claim::Sentence(sentence) => sentence.text.clone(),
        Claim::Statement(statement) => statement.to_string(),
    };
    said(refused.agent, &format!("{}: {claimed}", refused.rejection.code))
}

fn read(reading: &Reading) -> String {
    let value = |value: &ledger::ClaimedValue| match &value.field {
        Some(field) => format!("{field} = {}", value.value),
        None => value.value.clone(),
    };
    let values: Vec<_> = reading.values.iter().map(value).collect();
    let subject = if reading.subject.is_empty() { String::new() } else { format!(" {}:", reading.subject) };
    format!("{}{subject} {}", reading.predicate, values.join(", "))
}

fn task(changed: &ChangedTask<'_>) -> Vec<String> {
    let end = |view: Option<&TaskView>| match view {
        None => "no task",
        Some(view) => view.ended.as_ref().map_or("did not end", |ended| crate::status(ended.status)),
    };
    let (before, after) = (end(changed.before), end(changed.after));
    let ended = if before == after { format!("{after} in both") } else { format!("{before} → {after}") };
    let mut lines = vec![format!("{}: {ended}", terminal(changed.agent))];
    let facts = |facts: Option<usize>| match facts {
        None => "not asked".to_owned(),
        Some(0) => "no fact".to_owned(),
        Some(1) => "1 fact".to_owned(),
        Some(facts) => format!("{facts} facts"),
    };
    lines.extend(
        changed
            .objectives
            .iter()
            .map(|it| format!("  {}: {} → {}", terminal(it.id), facts(it.before), facts(it.after))),
    );
    lines
}
