//! The story of a run: what its tasks told, as one, host by host in the order of time.

use crate::narrative::{Clocks, Place};
use crate::run::Run;
use ledger::statement::fields_of;
use ledger::{
    Chapter, Clock, Dates, FactEntry, FactId, FieldValue, NodeId, StatementId, TaskId, Time, Utc, dates,
    is_of_container,
};
use phrases::{Choice, Phrase, Piece};
use std::collections::{BTreeMap, BTreeSet};

/// A statement in its place.
#[derive(Debug, Clone)]
pub struct Statement<'r> {
    /// The id of the first that told it.
    pub id: StatementId,
    /// What is told: a fact, a derivation or an absence.
    pub node: NodeId,
    /// The fields that are said, of all who told it, in the order of the fact; none: those that the phrase book says by itself.
    pub fields: Vec<&'r str>,
    /// The chapter in which it is told.
    pub chapter: Chapter,
    /// Who told it, in the order of their tasks.
    pub tellers: Vec<TaskId>,
    /// What agents said of it, which nobody has checked.
    pub comments: Vec<Comment<'r>>,
    /// The pieces of evidence that its facts were read from.
    pub hosts: BTreeSet<&'r str>,
    /// When it was, and the field that states that.
    pub dated: Option<(&'r Time, &'r str)>,
    /// Where it stands among the others: its instant, or what its local time was by the offset that the host last had; `None` where neither is known.
    pub at: Option<Utc>,
    /// The earliest and the latest instant that its time can be; `None` where it has none.
    pub between: Option<(Utc, Utc)>,
    /// Of a local time the fact that tells the zone of its host, where one does.
    pub zone: Option<FactId>,
    /// The fact that tells of a clock that was set back over this time: it stood twice, and its place is not certain.
    pub twice: Option<FactId>,
}

/// An agent's reading of what is told.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Comment<'r> {
    /// Whose it is.
    pub task: TaskId,
    /// Its words, which may say anything.
    pub text: &'r str,
}

/// The statements of the run: host by host in the order of the case, each in the order of time, then local times whose zone nothing tells, then what no time dates.
///
/// What several tasks told stands once; facts of theirs that say the same of one record do, too.
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

/// What code says of a statement, in the words of the phrase book, in the language that the run is shown in.
///
/// A node that the run does not hold is said by its id: a redacted run can lack one.
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

/// The time that dates a fact best of those that its sentence says, the earliest of several: a statement stands where what it says was.
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
    /// Adds who else told it, and what of it.
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

/// The piece of evidence that an absence was looked for in, where it names one.
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

/// The fact among those told that says the same of the same record.
fn same_fact(run: &Run, told: &[Statement<'_>], node: NodeId) -> Option<NodeId> {
    let new = fact(run, node)?;
    let mut known = told.iter().filter_map(|it| fact(run, it.node));
    known.find(|known| known.says_the_same(new)).map(|known| NodeId::Fact(known.id))
}

/// The chapter of a node: the one that its teller gave, where what it says can stand there, or else the first of these.
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

/// The chapters in which a predicate can be told, the usual one first: an agent cannot call a start of a program a removal.
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
