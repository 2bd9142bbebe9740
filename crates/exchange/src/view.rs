//! What several formats need from a run in addition to its facts.

use detect::{Attack, Technique, Trace};
use graph::Run;
use ledger::event::ClaimAccepted;
use ledger::{BoundValue, FactEntry, FactId, FieldType, FieldValue, TaskId, Tier, Writer};
use std::borrow::Cow;
use std::collections::BTreeMap;

/// A run with lookups for each fact.
pub(crate) struct View<'r> {
    pub(crate) run: &'r Run,
    attack: &'r Attack,
    /// The meanings of the fields of record types, according to the tools that return them.
    meanings: BTreeMap<&'r str, BTreeMap<&'r str, Meaning<'r>>>,
    /// The objectives that a fact meets, as `agent/objective`.
    answers: BTreeMap<FactId, Vec<String>>,
    /// The name of the host of each piece of evidence.
    hosts: BTreeMap<&'r str, Cow<'r, str>>,
}

struct Meaning<'r> {
    words: &'r str,
    types: &'r [FieldType],
}

impl<'r> View<'r> {
    pub(crate) fn new(run: &'r Run, attack: &'r Attack) -> View<'r> {
        let mut meanings: BTreeMap<&str, BTreeMap<&str, Meaning<'_>>> = BTreeMap::new();
        for record in run.opened.tools.iter().flat_map(|tool| &tool.records) {
            let fields = meanings.entry(&record.name).or_default();
            for (name, field) in &record.fields {
                fields.entry(name).or_insert(Meaning { words: &field.meaning, types: &field.types });
            }
        }
        View { run, attack, meanings, answers: answers(run), hosts: graph::hosts(run) }
    }

    /// Returns the meaning of a field of a record type, or the field's name if the run's tools do not describe it.
    pub(crate) fn meaning<'n>(&'n self, kind: &str, field: &'n str) -> &'n str {
        self.meanings.get(kind).and_then(|fields| fields.get(field)).map_or(field, |meaning| meaning.words)
    }

    /// Checks whether a field is declared by the tools rather than named by the evidence.
    pub(crate) fn is_declared(&self, kind: &str, field: &str) -> bool {
        let known = self.meanings.get(kind).and_then(|fields| fields.get(field));
        known.is_some_and(|meaning| !meaning.types.is_empty())
    }

    /// Returns the objectives that a fact meets.
    pub(crate) fn answered(&self, fact: FactId) -> &[String] {
        self.answers.get(&fact).map_or(&[], Vec::as_slice)
    }

    /// Returns the techniques that a fact fits.
    pub(crate) fn techniques(&self, fact: &FactEntry) -> Vec<&'r Technique> {
        self.attack.techniques(&Trace::of_fact(fact))
    }

    /// Returns the ids of the techniques that a fact fits, with the ATT&CK version; empty if it fits none.
    pub(crate) fn technique_ids(&self, fact: &FactEntry) -> String {
        let ids: Vec<String> = self.techniques(fact).iter().map(|it| it.id.to_string()).collect();
        match ids.is_empty() {
            true => String::new(),
            false => format!("{} (ATT&CK {})", ids.join("; "), self.attack.version()),
        }
    }

    /// Returns the ATT&CK data.
    pub(crate) const fn attack(&self) -> &'r Attack {
        self.attack
    }

    /// Returns the name of the host that a fact's evidence comes from.
    pub(crate) fn host<'f>(&'f self, fact: &'f FactEntry) -> &'f str {
        let label = fact.locator.evidence.as_str();
        self.hosts.get(label).map_or(label, AsRef::as_ref)
    }

    /// Returns the account that a fact concerns; empty if it states none.
    pub(crate) fn account<'f>(&self, fact: &'f FactEntry) -> Cow<'f, str> {
        graph::account(fact).unwrap_or_default()
    }

    /// Returns the name of a task's agent.
    pub(crate) fn agent(&self, task: TaskId) -> &'r str {
        self.run.tasks.get(&task).map_or("", |view| &view.assigned.agent.name)
    }

    /// Returns the digest of the output that contains a fact, or a word if it is withheld.
    pub(crate) fn output(&self, fact: &FactEntry) -> String {
        self.run.told_output(fact.output).map_or_else(|| "withheld".to_owned(), |output| output.to_string())
    }

    /// Returns the tool that returned a fact's record.
    pub(crate) fn tool(&self, fact: &FactEntry) -> &'r str {
        self.run.invocation(fact.invocation).map_or("", |(_, made)| &made.started.tool)
    }
}

fn answers(run: &Run) -> BTreeMap<FactId, Vec<String>> {
    let mut answers: BTreeMap<FactId, Vec<String>> = BTreeMap::new();
    for question in graph::questions(run) {
        for fact in question.stands.facts() {
            answers.entry(*fact).or_default().push(format!("{}/{}", question.agent, question.objective.id));
        }
    }
    answers
}

/// Returns the weakest tier by which a value of the fact matched.
pub(crate) fn weakest(fact: &FactEntry) -> Tier {
    fact.values.iter().map(|value| value.tier).fold(fact.subject.tier, Tier::max)
}

/// Returns the word for a tier.
pub(crate) const fn tier_name(tier: Tier) -> &'static str {
    match tier {
        Tier::Exact => "exact",
        Tier::Normalised => "normalised",
        Tier::Typed => "typed",
        Tier::Quoted => "quoted",
    }
}

/// Returns the word for the least trusted party that could have written a value; empty if the run does not say.
pub(crate) fn writer_name(fact: &FactEntry) -> &'static str {
    fact.writer().map_or("", Writer::name)
}

/// Formats a value as lines of text, one for each item of a list.
pub(crate) fn lines(value: &BoundValue) -> Vec<String> {
    match (&value.value, &value.quotation) {
        (FieldValue::List(items), None) if !items.is_empty() => {
            items.iter().map(|item| format!("{} = {item}", value.field)).collect()
        }
        _ => vec![format!("{} = {}", value.field, value_text(value))],
    }
}

/// The maximum length of the line around a quotation, in characters.
const CONTEXT: usize = 500;

/// Formats a value as text; for a quotation, the quoted words and their line.
pub(crate) fn value_text(value: &BoundValue) -> std::borrow::Cow<'_, str> {
    match &value.quotation {
        Some(quotation) => std::borrow::Cow::Owned(match value.line(CONTEXT) {
            Some(line) => format!("\u{201c}{quotation}\u{201d} in \u{201c}{line}\u{201d}"),
            None => format!("\u{201c}{quotation}\u{201d}"),
        }),
        None => value.value.to_text(),
    }
}

/// Returns the id that the agent cited, if the citation was healed.
pub(crate) fn healed_from(accepted: &ClaimAccepted) -> &str {
    accepted.healing.as_ref().map_or("", |healing| &healing.cited)
}
