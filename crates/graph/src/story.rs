//! The story of a run: the statements of its tasks combined, host by host in chronological order.

use crate::narrative::{Clocks, Place};
use crate::run::Run;
use ledger::statement::fields_of;
use ledger::{
    Chapter, Clock, Dates, FactEntry, FactId, FieldValue, NodeId, StatementId, TaskId, Time, Utc, dates,
    is_of_container,
};
use phrases::{Choice, Phrase, Piece};
use std::collections::{BTreeMap, BTreeSet};

/// A statement and its position in the story.
#[derive(Debug, Clone)]
pub struct Statement<'r> {
    /// The id of the first statement that says it.
    pub id: StatementId,
    /// What it says: a fact, a derivation or an absence.
    pub node: NodeId,
    /// The fields that any task chose to say, in the order of the fact; empty means those that the phrase book chooses.
    pub fields: Vec<&'r str>,
    /// The chapter that it belongs to.
    pub chapter: Chapter,
    /// The tasks that stated it, in order.
    pub tellers: Vec<TaskId>,
    /// Agents' comments on it, which nobody checked.
    pub comments: Vec<Comment<'r>>,
    /// The pieces of evidence that its facts were read from.
    pub hosts: BTreeSet<&'r str>,
    /// Its time, and the field that states it.
    pub dated: Option<(&'r Time, &'r str)>,
    /// The instant used for sorting: its own, or its local time converted with the host's last known offset; `None` if neither is known.
    pub at: Option<Utc>,
    /// The earliest and the latest possible instant; `None` if it has no time.
    pub between: Option<(Utc, Utc)>,
    /// For a local time: the fact that gives the host's time zone, if any.
    pub zone: Option<FactId>,
    /// The fact that shows that the clock was set back across this time: it occurred twice, and its position is uncertain.
    pub twice: Option<FactId>,
}

/// An agent's comment on a statement.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Comment<'r> {
    /// The task of the agent.
    pub task: TaskId,
    /// The agent's words, which may say anything.
    pub text: &'r str,
}

/// Returns the statements of the run, host by host in the order of the case. Each host's statements are in chronological order,
/// followed by local times of unknown zone and then statements without a time.
///
/// A statement by several tasks appears once, and so do their facts that say the same about one record.
pub fn story(run: &Run) -> Vec<Statement<'_>> {
    let clocks = Clocks::of(run);
    let mut statements: Vec<Statement<'_>> = Vec::new();
    let mut places: BTreeMap<NodeId, usize> = BTreeMap::new();
    for (task, told) in run.statements() {
        let told = &told.statement;
        let node = same_fact(run, &statements, told.node).unwrap_or(told.node);
        let place = *places.entry(node).or_insert(statements.len());
        if place == statements.len() {
            let recorded = told.time.as_ref().zip(told.dated_by.as_deref());
            let dated = said_time(run, node, &told.fields).or(recorded);
            let Place { at, between, zone, twice } = clocks.place(run, &[node], dated.map(|(time, _)| time));
            let facts = run.facts_of(node).into_iter().filter_map(|id| run.fact(id));
            let mut hosts: BTreeSet<&str> = facts.map(|fact| fact.locator.evidence.as_str()).collect();
            hosts.extend(searched(run, node));
            statements.push(Statement {
                id: told.id,
                node,
                fields: Vec::new(),
                chapter: chapter(run, node, told.chapter),
                tellers: Vec::new(),
                comments: Vec::new(),
                hosts,
                dated,
                at,
                between,
                zone,
                twice,
            });
        }
        if let Some(statement) = statements.get_mut(place) {
            statement.also(run, task, told);
        }
    }
    let order: BTreeMap<&str, usize> =
        run.opened.case.evidence.iter().enumerate().map(|(place, it)| (it.label.as_str(), place)).collect();
    statements.sort_by_key(|it| {
        let host = it.hosts.iter().filter_map(|host| order.get(host)).min().copied();
        let earliest = it.between.map(|(earliest, _)| earliest);
        (host.unwrap_or(usize::MAX), it.at.is_none(), it.between.is_none(), it.at.or(earliest))
    });
    statements
}

/// Writes a statement with the phrase book, in the language that the run is shown in.
///
/// A node that the run lacks is shown by its id: a redacted run can lack one.
pub fn phrase(run: &Run, statement: &Statement<'_>) -> Phrase {
    let language = run.language();
    let unknown = || Phrase { pieces: vec![Piece::Words(statement.node.to_string())] };
    match statement.node {
        NodeId::Fact(_) => fact(run, statement.node).map_or_else(unknown, |fact| {
            let choice = match statement.fields.as_slice() {
                [] => Choice::Usual,
                fields => Choice::Fields(fields),
            };
            phrases::fact(language, fact, choice)
        }),
        NodeId::Derivation(id) => {
            let mut derivations = run.derivations().map(|(_, derived)| &derived.derivation);
            derivations.find(|it| it.id == id).map_or_else(unknown, |it| {
                let facts: Vec<&FactEntry> =
                    it.derivation.facts().into_iter().filter_map(|id| run.fact(id)).collect();
                phrases::derivation(language, &it.derivation, &facts)
            })
        }
        NodeId::Absence(id) => {
            let mut absences = run.absences().map(|(_, covered)| &covered.absence);
            absences.find(|it| it.id == id).map_or_else(unknown, |it| phrases::absence(language, it))
        }
        NodeId::Invocation(_)
        | NodeId::Phenomenon(_)
        | NodeId::Entity(_)
        | NodeId::Relation(_)
        | NodeId::Hypothesis(_) => unknown(),
    }
}

/// Returns the time, among those that a statement says, that best dates its fact; the earliest if several do.
fn said_time<'r>(run: &'r Run, node: NodeId, fields: &[String]) -> Option<(&'r Time, &'r str)> {
    let fact = fact(run, node)?;
    let fields: Vec<&str> = fields.iter().map(String::as_str).collect();
    let choice = if fields.is_empty() { Choice::Usual } else { Choice::Fields(&fields) };
    let phrase = phrases::fact(run.language(), fact, choice);
    let said: BTreeSet<&str> = phrase.fields().collect();
    let times = fact.values.iter().filter(|bound| said.contains(bound.field.as_str()));
    let times = times.filter_map(|bound| match &bound.value {
        FieldValue::Time(time) => Some((bound.field.as_str(), time)),
        _ => None,
    });
    let rank = |field: &str| (dates(&fact.predicate.0, &fact.kind, field), is_of_container(field));
    let dating = times.filter(|(field, time)| rank(field).0 != Dates::Nothing && time.clock == Clock::Host);
    dating.min_by_key(|(field, time)| (rank(field), time.utc)).map(|(field, time)| (time, field))
}

impl<'r> Statement<'r> {
    /// Adds another task that said this, and the fields that it said.
    fn also(&mut self, run: &'r Run, task: TaskId, told: &'r ledger::StatementEntry) {
        if !self.tellers.contains(&task) {
            self.tellers.push(task);
        }
        let said: BTreeSet<&str> =
            self.fields.iter().copied().chain(told.fields.iter().map(String::as_str)).collect();
        let stated = fact(run, self.node).map(fields_of).unwrap_or_default();
        self.fields = stated.into_iter().filter(|field| said.contains(field)).collect();
        let comment = told.comment.as_deref().map(|text| Comment { task, text });
        self.comments.extend(comment.filter(|comment| !self.comments.contains(comment)));
    }
}

/// Returns the piece of evidence that was searched for an absence, if it names one.
fn searched(run: &Run, node: NodeId) -> Option<&str> {
    let NodeId::Absence(id) = node else { return None };
    let mut absences = run.absences().map(|(_, covered)| &covered.absence);
    absences.find(|it| it.id == id)?.absence.evidence()
}

fn fact(run: &Run, node: NodeId) -> Option<&FactEntry> {
    match node {
        NodeId::Fact(id) => run.fact(id),
        _ => None,
    }
}

/// Returns the fact among those already told that says the same about the same record.
fn same_fact(run: &Run, told: &[Statement<'_>], node: NodeId) -> Option<NodeId> {
    let new = fact(run, node)?;
    let mut known = told.iter().filter_map(|it| fact(run, it.node));
    known.find(|known| known.says_the_same(new)).map(|known| NodeId::Fact(known.id))
}

/// Returns the chapter of a node: the one that the agent chose if the node fits there, or the usual one otherwise.
fn chapter(run: &Run, node: NodeId, given: Option<Chapter>) -> Chapter {
    let facts = run.facts_of(node);
    let mut fitting =
        facts.iter().filter_map(|id| run.fact(*id)).flat_map(|fact| chapters(&fact.predicate.0, &fact.kind));
    let first = fitting.next().copied();
    match given {
        Some(given) if first == Some(given) || fitting.any(|it| *it == given) => given,
        _ => first.unwrap_or(Chapter::Machine),
    }
}

/// Returns the chapters in which a predicate can appear, the usual one first. An agent cannot call a program start a removal.
fn chapters(predicate: &str, kind: &str) -> &'static [Chapter] {
    use Chapter::{Accounts, Entry, Machine, Ran, Removed, Stayed, Taken};
    match predicate {
        "downloaded" => &[Entry, Taken, Machine],
        "executed" | "detected" => &[Ran, Entry, Stayed, Machine],
        "persists" => &[Stayed, Machine],
        "registered" | "installed" => &[Stayed, Entry, Ran, Machine],
        "logged_on" | "failed_logon" => &[Accounts, Entry, Machine],
        "granted" => &[Accounts, Stayed, Machine],
        "typed" => &[Ran, Taken, Machine],
        "opened" | "visited" | "listed" => &[Taken, Entry, Ran, Machine],
        "sent" => &[Taken, Entry, Machine],
        "connected" => &[Taken, Entry, Accounts, Machine],
        "cleared" | "deleted" => &[Removed, Machine],
        "created" | "present" => &[Machine, Entry, Stayed, Accounts, Taken],
        "recorded" if matches!(kind, "log_cleared" | "timestomp_indicator") => &[Removed, Machine],
        "configured" | "modified" | "recorded" | "quoted" | "renamed" | "shut_down" => {
            &[Machine, Entry, Ran, Stayed, Accounts, Taken]
        }
        _ => &[Machine],
    }
}
