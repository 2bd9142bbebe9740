//! The story in the form shared by all formats: code's sentences for what agents chose, and next to them the agents' comments.

mod arranged;

pub(crate) use arranged::{Group, OfHost, arranged};

use graph::{Run, Statement, Weighed, phrase, story, weight_of};
use ground::{Citable, Known, Marked, marked};
use ledger::{Precision, TaskId, Utc};
use phrases::Phrase;
use serde_json::{Value, json};

/// The heading above everything that is an agent's interpretation.
pub const READING: &str = "the agent's reading, not checked";

/// A statement with its words.
pub(crate) struct Line<'r> {
    pub(crate) statement: Statement<'r>,
    /// Code's sentence.
    pub(crate) words: Phrase,
    /// How much it stands out, and why.
    pub(crate) weighed: Weighed,
    /// The agents' comments.
    pub(crate) remarks: Vec<Remark<'r>>,
}

/// An agent's comment.
pub(crate) struct Remark<'r> {
    pub(crate) task: TaskId,
    /// The agent's name.
    pub(crate) agent: &'r str,
    /// Its text as it was recorded.
    pub(crate) text: &'r str,
    /// The text in pieces, marked by which of its values are in the statements.
    pub(crate) pieces: Vec<Marked>,
}

/// Returns the lines of a run's story, in order.
pub(crate) fn lines<'r>(run: &'r Run) -> Vec<Line<'r>> {
    let statements = story(run);
    let has_comments = statements.iter().any(|it| !it.comments.is_empty());
    let known = if has_comments { known(run) } else { Known::default() };
    let line = |statement: Statement<'r>| {
        let remarks = statement.comments.iter().map(|comment| Remark {
            task: comment.task,
            agent: run.tasks.get(&comment.task).map_or("", |view| &view.assigned.agent.name),
            text: comment.text,
            pieces: marked(comment.text, statement.node, &known),
        });
        Line {
            words: phrase(run, &statement),
            weighed: weight_of(run, statement.node),
            remarks: remarks.collect(),
            statement,
        }
    };
    statements.into_iter().map(line).collect()
}

/// Returns code's sentence for a statement.
pub fn words(run: &Run, statement: &Statement<'_>) -> String {
    phrase(run, statement).text()
}

/// Returns what the facts, absences and derivations of a run state.
fn known(run: &Run) -> Known<'_> {
    let facts = run.facts().map(|(_, accepted)| Citable::Fact(&accepted.fact));
    let absences = run.absences().map(|(_, covered)| Citable::Absence(&covered.absence));
    let derivations = run.derivations().map(|(_, derived)| Citable::Derivation(&derived.derivation));
    facts.chain(absences).chain(derivations).collect()
}

impl Line<'_> {
    /// Formats its time as the source keeps it: an instant in UTC, or a local time marked as such.
    pub(crate) fn moment(&self) -> Option<String> {
        let (time, _) = self.statement.dated?;
        let zone = match (time.zone, self.statement.zone) {
            (None, _) => "",
            (Some(_), Some(_)) => " time",
            (Some(_), None) => " time, zone not known",
        };
        Some(format!("{}{zone}", time.to_text()))
    }

    /// Formats the range of its local time by the host's zone, and returns the fact that states the zone.
    pub(crate) fn zoned(&self) -> Option<(String, ledger::FactId)> {
        let (earliest, latest) = self.statement.between?;
        let text = |utc: Utc| utc.to_text(Precision::Second);
        Some((format!("between {} and {}", text(earliest), text(latest)), self.statement.zone?))
    }

    /// Returns the field that dates it.
    pub(crate) fn dated_by(&self) -> Option<&str> {
        self.statement.dated.map(|(_, field)| field)
    }

    /// Returns its pieces of evidence, if the case has several.
    pub(crate) fn host(&self, run: &Run) -> Option<String> {
        let hosts: Vec<&str> = self.statement.hosts.iter().copied().collect();
        (run.opened.case.evidence.len() > 1 && !hosts.is_empty()).then(|| hosts.join(", "))
    }

    /// Returns the names of the agents that stated it, with their tasks.
    pub(crate) fn tellers(&self, run: &Run) -> String {
        let teller = |task: &TaskId| match run.tasks.get(task) {
            Some(view) => format!("{} ({task})", view.assigned.agent.name),
            None => task.to_string(),
        };
        self.statement.tellers.iter().map(teller).collect::<Vec<_>>().join(", ")
    }
}

/// Returns the story as JSON, in order.
pub(crate) fn json(run: &Run) -> Vec<Value> {
    let lines = lines(run);
    let mut placed: Vec<Place> = vec![Place::default(); lines.len()];
    let (mut episodes, mut groups) = (0, 0);
    for of in arranged(run, &lines) {
        let episodes_of = of.episodes.iter().map(|it| (it.is_one_go, &it.groups));
        for (is_episode, of) in episodes_of.chain([(false, &of.machine)]) {
            let episode = is_episode.then_some(episodes);
            episodes += usize::from(is_episode);
            for group in of {
                let heading = group.heading.as_ref().map(|it| (groups, it.text()));
                groups += usize::from(heading.is_some());
                for place in &group.members {
                    if let Some(placed) = placed.get_mut(*place) {
                        *placed = Place { episode, group: heading.clone() };
                    }
                }
            }
        }
    }
    lines.iter().zip(placed).map(|(line, place)| one(line, &place)).collect()
}

/// The position of a statement.
#[derive(Debug, Clone, Default)]
struct Place {
    /// The number of its episode.
    episode: Option<usize>,
    /// The number of the combined line that contains it, and the words of that line.
    group: Option<(usize, String)>,
}

fn one(line: &Line<'_>, place: &Place) -> Value {
    let it = &line.statement;
    let values = |remark: &Remark<'_>| {
        let values = remark.pieces.iter().filter_map(|piece| Some((piece, piece.stands?)));
        values.map(|(piece, stands)| json!({"text": piece.text, "stands": stands})).collect::<Vec<_>>()
    };
    let comment = |remark: &Remark<'_>| json!({"task": remark.task.to_string(), "text": remark.text, "values": values(remark)});
    json!({
        "statement": it.id,
        "tasks": it.tellers.iter().map(ToString::to_string).collect::<Vec<_>>(),
        "node": it.node,
        "fields": it.fields,
        "chapter": it.chapter,
        "level": line.weighed.level.name(),
        "evidence": it.hosts,
        "text": line.words.text(),
        "time": it.dated.map(|(time, _)| time),
        "dated_by": it.dated.map(|(_, field)| field),
        "between": it.between.map(|(earliest, latest)| [earliest.to_string(), latest.to_string()]),
        "zone": it.zone,
        "stood_twice": it.twice,
        "episode": place.episode,
        "group": place.group.as_ref().map(|(number, text)| json!({"number": number, "text": text})),
        "comments": line.remarks.iter().map(comment).collect::<Vec<_>>(),
    })
}
