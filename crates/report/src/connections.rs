//! Questions about the connections of runs, and their answers: tables for people, JSON, and graph formats for other programs.

mod context;
mod drawn;
mod lists;
mod path;
mod readings;
mod story;
mod thing;

pub use context::Context;
pub use drawn::{cytoscape, dot, graphml};
pub use path::{doubt, weakest};
pub use readings::AgentLink;

use graph::Run;
use graph::connections::readings::Readings;
use graph::connections::{Connections, EntityRef, Filter, Found, RelationRef, find};
use serde_json::{Value, json};
use std::collections::BTreeSet;

/// A question about connections.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Question {
    /// The number of entities and relations, by kind.
    Summary,
    /// An entity with its names and relations.
    Node,
    /// The neighbours of an entity.
    Neighbours,
    /// How two entities are connected.
    Path,
    /// The hosts and the evidence in which an entity was found.
    WhereElse,
    /// What the facts say about an entity, in chronological order.
    Timeline,
    /// Where an entity came from, and what happened to it.
    Story,
    /// The entities with the most neighbours.
    Hubs,
    /// The connected components.
    Islands,
    /// Facts that contradict each other.
    Contradictions,
}

impl Question {
    /// All questions.
    pub const ALL: [Question; 10] = [
        Question::Summary,
        Question::Node,
        Question::Neighbours,
        Question::Path,
        Question::WhereElse,
        Question::Timeline,
        Question::Story,
        Question::Hubs,
        Question::Islands,
        Question::Contradictions,
    ];

    /// Returns its name.
    pub const fn name(self) -> &'static str {
        match self {
            Question::Summary => "summary",
            Question::Node => "node",
            Question::Neighbours => "neighbours",
            Question::Path => "path",
            Question::WhereElse => "where-else",
            Question::Timeline => "timeline",
            Question::Story => "story",
            Question::Hubs => "hubs",
            Question::Islands => "islands",
            Question::Contradictions => "contradictions",
        }
    }

    /// Returns how many entities it takes.
    pub const fn ends(self) -> usize {
        match self {
            Question::Path => 2,
            Question::Node
            | Question::Neighbours
            | Question::WhereElse
            | Question::Timeline
            | Question::Story => 1,
            Question::Summary | Question::Hubs | Question::Islands | Question::Contradictions => 0,
        }
    }
}

/// A request: a question with its parameters.
#[derive(Debug, Clone)]
pub struct Ask {
    /// The question.
    pub question: Question,
    /// The ids or names of the entities that it is about.
    pub ends: Vec<String>,
    /// The maximum distance in relations, for neighbours and stories.
    pub depth: u32,
    /// The number of paths wanted.
    pub ways: usize,
    /// The maximum number of rows in a list.
    pub most: usize,
    /// Which relations count.
    pub filter: Filter,
    /// The minimum confidence of a relation, in thousandths ([`graph::Confidence`]).
    pub least: u16,
}

/// The result of a request.
#[derive(Debug)]
pub enum Asked {
    /// An answer.
    Answer(Box<Answer>),
    /// A text matches several entities equally well.
    Several {
        /// The text.
        text: String,
        /// The entities, one line each.
        candidates: Vec<String>,
    },
    /// A text matches no entity.
    Nothing {
        /// The text.
        text: String,
    },
    /// The time range ends before it begins.
    Span,
    /// The filter cannot be applied to this question, which is about facts or names.
    Filter {
        /// The question.
        question: Question,
        /// The filter.
        by: FilterBy,
    },
    /// The question takes a different number of entities.
    Ends {
        /// The question.
        question: Question,
    },
}

/// A kind of filter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FilterBy {
    /// By the kinds of relations.
    Relation,
    /// By a minimum confidence.
    Confidence,
}

/// An answer.
#[derive(Debug)]
pub struct Answer {
    /// The text for people.
    pub text: String,
    /// The JSON value for programs.
    pub value: Value,
    /// The entities to draw.
    pub entities: BTreeSet<EntityRef>,
    /// The relations between these entities to draw.
    pub relations: BTreeSet<RelationRef>,
    /// The relations that agents added between them: interpretations.
    pub links: Vec<AgentLink>,
    /// The filter for the facts that show the relations.
    pub filter: Filter,
}

/// Answers a request over runs of one case and their connections.
pub fn ask(runs: &[&Run], of: &Connections, ask: &Ask) -> Asked {
    if ask.ends.len() != ask.question.ends() {
        return Asked::Ends { question: ask.question };
    }
    if ask.filter.since.zip(ask.filter.until).is_some_and(|(since, until)| since > until) {
        return Asked::Span;
    }
    if let Some(by) = unfit(ask) {
        return Asked::Filter { question: ask.question, by };
    }
    let mut filter = ask.filter.clone();
    if ask.least > 0 {
        let context = Context::new(runs, of, &ask.filter);
        let is_sure = |relation: &RelationRef| context.confidence(*relation).thousandths() >= ask.least;
        filter.only = Some(of.relations().filter(is_sure).collect());
        filter.naming = Some(context.facts_of_confidence(ask.least));
    }
    let context = Context::new(runs, of, &filter);
    let mut ends = Vec::new();
    for text in &ask.ends {
        match find(of, text) {
            Found::One(entity) => ends.push(entity),
            Found::Nothing => return Asked::Nothing { text: text.clone() },
            Found::Several(several) => {
                let candidates = several.into_iter().map(|entity| context.shown(entity)).collect();
                return Asked::Several { text: text.clone(), candidates };
            }
        }
    }
    let readings: Vec<Readings> = runs.iter().map(|run| Readings::of(run, of)).collect();
    let answer = match (ask.question, ends.as_slice()) {
        (Question::Path, [from, to]) => path::answer(&context, (*from, *to), ask.ways),
        (Question::Node, [entity]) => readings::add(&readings, *entity, thing::node(&context, *entity)),
        (Question::Neighbours, [entity]) => thing::neighbours(&context, *entity, ask.depth),
        (Question::WhereElse, [entity]) => thing::where_else(&context, *entity),
        (Question::Timeline, [entity]) => story::timeline(&context, *entity),
        (Question::Story, [entity]) => story::answer(&context, *entity, ask.depth),
        (Question::Hubs, _) => lists::hubs(&context, ask.most),
        (Question::Islands, _) => lists::islands(&context, ask.most),
        (Question::Contradictions, _) => lists::contradictions(&context),
        (Question::Summary, _) => lists::summary(&context),
        _ => return Asked::Ends { question: ask.question },
    };
    let links = readings::drawn(&readings, &answer.entities);
    Asked::Answer(Box::new(Answer { links, filter: filter.clone(), ..answer }.with_head(ask)))
}

/// Returns the filter that does not apply to the question: where an entity was found, and contradictions, depend on facts.
fn unfit(ask: &Ask) -> Option<FilterBy> {
    let has_kinds = !ask.filter.kinds.is_empty();
    match ask.question {
        Question::WhereElse | Question::Contradictions if has_kinds => Some(FilterBy::Relation),
        Question::Contradictions if ask.least > 0 => Some(FilterBy::Confidence),
        _ => None,
    }
}

impl Answer {
    fn new(text: String, value: Value) -> Answer {
        Answer {
            text,
            value,
            entities: BTreeSet::new(),
            relations: BTreeSet::new(),
            links: Vec::new(),
            filter: Filter::default(),
        }
    }

    /// Adds the entities and relations to draw.
    fn drawing(
        mut self,
        of: &Connections,
        entities: impl IntoIterator<Item = EntityRef>,
        relations: impl IntoIterator<Item = RelationRef>,
    ) -> Answer {
        self.entities.extend(entities);
        self.relations.extend(relations);
        for relation in &self.relations {
            if let Some((from, _, to)) = of.relation(*relation) {
                self.entities.extend([from, to]);
            }
        }
        self
    }

    fn with_head(mut self, ask: &Ask) -> Answer {
        let answer = self.value.take();
        self.value = json!({
            "locard_graph": 1,
            "question": ask.question.name(),
            "about": ask.ends,
            "answer": answer,
        });
        self
    }
}
