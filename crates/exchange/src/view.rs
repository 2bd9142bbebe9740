//! What several formats ask of a run besides its facts.

use detect::{Attack, Technique, Trace};
use graph::Run;
use ledger::event::ClaimAccepted;
use ledger::{BoundValue, FactEntry, FactId, FieldType, FieldValue, TaskId, Tier, Writer};
use std::borrow::Cow;
use std::collections::BTreeMap;

/// A run with what is looked up in it for each fact.
pub(crate) struct View<'r> {
    pub(crate) run: &'r Run,
    attack: &'r Attack,
    /// What the fields of record types mean, by the tools that return them.
    meanings: BTreeMap<&'r str, BTreeMap<&'r str, Meaning<'r>>>,
    /// The objectives that a fact meets, as `agent/objective`.
    answers: BTreeMap<FactId, Vec<String>>,
    /// What the host of each piece of evidence is called.
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

    /// What a field of a record type means; its own name where the run's tools do not say.
    pub(crate) fn meaning<'n>(&'n self, kind: &str, field: &'n str) -> &'n str {
        self.meanings.get(kind).and_then(|fields| fields.get(field)).map_or(field, |meaning| meaning.words)
    }

    /// Whether a field is one that the tools declare, and not one that the evidence names.
    pub(crate) fn is_declared(&self, kind: &str, field: &str) -> bool {
        let known = self.meanings.get(kind).and_then(|fields| fields.get(field));
        known.is_some_and(|meaning| !meaning.types.is_empty())
    }

    /// The objectives that a fact meets.
    pub(crate) fn answered(&self, fact: FactId) -> &[String] {
        self.answers.get(&fact).map_or(&[], Vec::as_slice)
    }

    /// The techniques that a fact fits.
    pub(crate) fn techniques(&self, fact: &FactEntry) -> Vec<&'r Technique> {
        self.attack.techniques(&Trace::of_fact(fact))
    }

    /// The ids of the techniques that a fact fits, with the version of ATT&CK; nothing where it fits none.
    pub(crate) fn technique_ids(&self, fact: &FactEntry) -> String {
        let ids: Vec<String> = self.techniques(fact).iter().map(|it| it.id.to_string()).collect();
        match ids.is_empty() {
            true => String::new(),
            false => format!("{} (ATT&CK {})", ids.join("; "), self.attack.version()),
        }
    }

    /// The data of ATT&CK.
    pub(crate) const fn attack(&self) -> &'r Attack {
        self.attack
    }

    /// What the host is called of whose evidence a fact is.
    pub(crate) fn host<'f>(&'f self, fact: &'f FactEntry) -> &'f str {
        let label = fact.locator.evidence.as_str();
        self.hosts.get(label).map_or(label, AsRef::as_ref)
    }

    /// The account that a fact tells of; nothing where it states none.
    pub(crate) fn account<'f>(&self, fact: &'f FactEntry) -> Cow<'f, str> {
        graph::account(fact).unwrap_or_default()
    }

    /// The name of a task's agent.
    pub(crate) fn agent(&self, task: TaskId) -> &'r str {
        self.run.tasks.get(&task).map_or("", |view| &view.assigned.agent.name)
    }

    /// The digest of the output that a fact stands in; a word where it is withheld.
    pub(crate) fn output(&self, fact: &FactEntry) -> String {
        self.run.told_output(fact.output).map_or_else(|| "withheld".to_owned(), |output| output.to_string())
    }

    /// The tool that an invocation called.
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

/// The weakest tier by which a value of the fact matched.
pub(crate) fn weakest(fact: &FactEntry) -> Tier {
    fact.values.iter().map(|value| value.tier).fold(fact.subject.tier, Tier::max)
}

/// The word for a tier.
pub(crate) const fn tier_name(tier: Tier) -> &'static str {
    match tier {
        Tier::Exact => "exact",
        Tier::Normalised => "normalised",
        Tier::Typed => "typed",
        Tier::Quoted => "quoted",
    }
}

/// The word for the least trusted who could have written a value; nothing where the run does not say.
pub(crate) fn writer_name(fact: &FactEntry) -> &'static str {
    fact.writer().map_or("", Writer::name)
}

/// A value as lines of a text: each item of a list is one.
pub(crate) fn lines(value: &BoundValue) -> Vec<String> {
    match (&value.value, &value.quotation) {
        (FieldValue::List(items), None) if !items.is_empty() => {
            items.iter().map(|item| format!("{} = {item}", value.field)).collect()
        }
        _ => vec![format!("{} = {}", value.field, value_text(value))],
    }
}

/// The most characters of the line around a quotation.
const CONTEXT: usize = 500;

/// A value as text: of a quotation the quoted words, and the line in which they stand.
pub(crate) fn value_text(value: &BoundValue) -> std::borrow::Cow<'_, str> {
    match &value.quotation {
        Some(quotation) => std::borrow::Cow::Owned(match value.line(CONTEXT) {
            Some(line) => format!("\u{201c}{quotation}\u{201d} in \u{201c}{line}\u{201d}"),
            None => format!("\u{201c}{quotation}\u{201d}"),
        }),
        None => value.value.to_text(),
    }
}

/// The id as the agent had it, where its citation was healed.
pub(crate) fn healed_from(accepted: &ClaimAccepted) -> &str {
    accepted.healing.as_ref().map_or("", |healing| &healing.cited)
}
