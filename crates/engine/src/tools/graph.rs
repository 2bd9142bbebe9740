//! The descriptions of the GRAPH_WRITE and GRAPH_READ tools for models.

use super::{About, ReadTool, WriteTool, about, text};
use crate::connected::{ASKED, FARTHEST};
use crate::graph_read::{MOST_NODES, SOME_NODES};
use crate::own::{ANSWERED_BY, QUESTION};
use ledger::{Assessment, EntityKind, RelationKind};
use serde_json::{Value, json};

pub(super) fn write(tool: WriteTool) -> About {
    match tool {
        WriteTool::AddEntity => about(
            "Add a thing that your facts name: a host, an account, a device, a program. \
             Its name must stand in each of the facts, as a value or a whole part of a path.",
            &[
                ("kind", words(EntityKind::ALL.iter().map(|kind| kind.name()))),
                ("name", text("its name, as the facts have it")),
                ("facts", ids("fact ids that name it")),
            ],
            3,
        ),
        WriteTool::Link => about(
            "Relate two nodes of yours: from, kind, to, read from left to right. How they relate is kept as your interpretation; the facts are what shows it. What is the same and what came first: record_derivation.",
            &[
                ("from", text("id of a node")),
                ("kind", words(RelationKind::INTERPRETED.iter().map(|kind| kind.name()))),
                ("to", text("id of a node")),
                ("facts", ids("fact ids that show it; an entity at an end must be named by one of them")),
            ],
            4,
        ),
        WriteTool::ProposeHypothesis => about(
            "Put an explanation up for test, in your own words, or a question of your own with what would answer it. An explanation is no finding: assess it by facts for and against. \
             How a question stands code decides, as for those that you were given; it stays marked as yours, and answers none of them.",
            &[
                ("statement", text("the explanation: one sentence")),
                (QUESTION, text("in place of it: a question of your own")),
                (ANSWERED_BY, answered_by()),
            ],
            0,
        ),
        WriteTool::AssessHypothesis => about(
            "Weigh a hypothesis by facts, absences and derivations. Look for what speaks against it, too.",
            &[
                ("hypothesis", text("its id, as its proposal was answered: hyp- and what follows")),
                ("assessment", words(Assessment::ALL.iter().map(|word| word.name()))),
                ("supporting", ids("ids of facts, absences and derivations that speak for it")),
                ("contradicting", ids("ids of facts, absences and derivations that speak against it")),
                ("reason", text("your own words; kept as interpretation")),
            ],
            2,
        ),
    }
}

/// Returns the schema for what a fact must say to answer an agent's own question.
fn answered_by() -> Value {
    json!({
        "type": "object",
        "additionalProperties": false,
        "required": ["predicate", "record", "field"],
        "description": "what a fact must say to answer it",
        "properties": {
            "predicate": text("a predicate that the record proves"),
            "record": text("the type of the record"),
            "field": text("a field that must be among its values"),
            "value": text("a pattern that this value fits; may be left out"),
            "subject": text("a pattern that its subject fits; may be left out"),
        }
    })
}

pub(super) fn read(tool: ReadTool) -> About {
    match tool {
        ReadTool::ListPhenomena => about("List what you have recorded so far.", &pages(), 0),
        ReadTool::GetNode => about(
            "Show a node of yours, the nodes that it is based on, and those that are based on it.",
            &[("id", text("its id, as an answer had it: fact-, phen-, ent-, hyp- or inv- and what follows"))],
            1,
        ),
        ReadTool::Connections => about(
            "Ask how what your facts name is connected: accounts, programs, files, services, devices, addresses. Each relation is one that a fact shows.",
            &[
                ("question", words(ASKED.into_iter())),
                ("of", text("a name that a fact states, or the id of such a thing")),
                ("to", text("for path: the other end")),
                ("depth", json!({"type": "integer", "minimum": 1, "maximum": FARTHEST, "default": 1})),
            ],
            2,
        ),
        ReadTool::SearchGraph => {
            let [offset, limit] = pages();
            let sought = ("text", text("text in titles and words, letter case aside"));
            about("Find nodes of yours whose title or words contain a text.", &[sought, offset, limit], 1)
        }
        ReadTool::ListInvocations => {
            about("List the tool calls that you have made, with their ids and how each ended.", &pages(), 0)
        }
    }
}

pub(super) fn recall() -> About {
    let sought = text("words, or a text as it stands there: a name, a path, an address");
    about(
        "Search the records of all your earlier results, also of those that are no longer shown in this conversation. \
         Each hit says its invocation and record, how many records that result has, and how many of them are not shown; read_output shows them.",
        &[("text", sought)],
        1,
    )
}

pub(super) fn help() -> About {
    about(
        "Tell everything about a tool, with all its arguments, or about a type of record: its fields, what they mean and what such a record proves.",
        &[("about", text("the name of a tool, or of a type of record"))],
        1,
    )
}

fn pages() -> [(&'static str, Value); 2] {
    [
        ("offset", json!({"type": "integer", "minimum": 0, "default": 0, "description": "nodes to skip"})),
        ("limit", json!({"type": "integer", "minimum": 1, "maximum": MOST_NODES, "default": SOME_NODES})),
    ]
}

fn words(names: impl Iterator<Item = &'static str>) -> Value {
    json!({"type": "string", "enum": names.collect::<Vec<_>>()})
}

fn ids(description: &str) -> Value {
    json!({"type": "array", "items": {"type": "string"}, "description": description})
}
