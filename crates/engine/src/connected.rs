//! `connections`: how the things that a task's facts name are related, as code derives it (`graph::connections`).

use crate::arguments::{Arguments, Malformed};
use crate::task::Task;
use graph::connections::{
    Connections, EntityRef, Filter, Found, Moment, Piece, RelationRef, Seen, Told, connections_of, find,
    neighbours, paths, timeline, where_else,
};
use graph::printable;
use ledger::turn::{NodeView, ToolCall};
use ledger::{FactEntry, FactId, NodeId};
use serde_json::Value;

/// The possible questions: what is next to a thing, how two are connected, what happened to one and when, and on which hosts it was seen.
pub(crate) const ASKED: [&str; 4] = ["neighbours", "path", "timeline", "where_else"];

/// The arguments.
const MEMBERS: [&str; 4] = ["question", "of", "to", "depth"];

/// The greatest distance of a neighbour.
pub(crate) const FARTHEST: u32 = 4;

/// The most candidates that are named if a text matches several things.
const CANDIDATES: usize = 10;

impl Task {
    /// Returns the relations that answer a call. Each is listed as one fact that shows it, with the other facts that do.
    pub(crate) fn connected(&self, call: &ToolCall) -> Result<Vec<NodeView>, Malformed> {
        let labels = self.setting.evidence.iter().map(|entry| entry.label.as_str());
        let pieces: Vec<Piece> = labels.map(Piece::labelled).collect();
        let handed = self.handed.iter().flat_map(|handed| &handed.facts);
        let facts: Vec<&FactEntry> = self.facts.iter().chain(handed).collect();
        let facts = facts.into_iter().map(|fact| (0, fact));
        answered(&connections_of(self.setting.connection_rules, &pieces, facts), &call.arguments)
    }
}

fn answered(of: &Connections, arguments: &Value) -> Result<Vec<NodeView>, Malformed> {
    let arguments = Arguments::of(arguments, &MEMBERS)?;
    let one = match thing(of, "of", &arguments)? {
        Ok(one) => one,
        Err(candidates) => return Ok(candidates),
    };
    let all = Filter::default();
    Ok(match arguments.text("question")? {
        "path" => {
            let other = match thing(of, "to", &arguments)? {
                Ok(other) => other,
                Err(candidates) => return Ok(candidates),
            };
            let ways = paths(of, (one, other), 1, &all, |_| 1);
            ways.first().into_iter().flatten().filter_map(|hop| related(of, hop.by)).collect()
        }
        "neighbours" => {
            let depth = arguments.number("depth", 1)?.clamp(1, FARTHEST);
            neighbours(of, one, depth, &all).iter().filter_map(|it| related(of, it.by)).collect()
        }
        "timeline" => {
            timeline(of, one, &all).iter().filter_map(|moment| moment_of(of, one, moment)).collect()
        }
        "where_else" => where_else(of, one, &all).iter().filter_map(|seen| seen_on(of, one, seen)).collect(),
        _ => return Err(Malformed::new("question", format!("one of {}", ASKED.join(", ")))),
    })
}

fn moment_of(of: &Connections, entity: EntityRef, moment: &Moment) -> Option<NodeView> {
    let Told { fact, when } = moment.told;
    match moment.relation {
        Some(by) => dated(of, by, fact.fact),
        None => {
            let when = when.map(|when| format!(", {when}")).unwrap_or_default();
            Some(view(fact.fact, format!("{} is named{when}", called(of, entity)), &[]))
        }
    }
}

fn seen_on(of: &Connections, entity: EntityRef, seen: &Seen<'_>) -> Option<NodeView> {
    let ids: Vec<FactId> = seen.facts.iter().map(|told| told.fact.fact).collect();
    let (first, others) = ids.split_first()?;
    let title = format!("{} is named by facts of {}", called(of, entity), printable(seen.host));
    Some(view(*first, title, others))
}

/// Returns the one thing that a text names; if it matches several, a fact of each, with its id.
fn thing(
    of: &Connections,
    argument: &str,
    arguments: &Arguments<'_>,
) -> Result<Result<EntityRef, Vec<NodeView>>, Malformed> {
    match find(of, arguments.text(argument)?) {
        Found::One(entity) => Ok(Ok(entity)),
        Found::Nothing => {
            Err(Malformed::new(argument, "a name that a fact of yours states, or the id of such a thing"))
        }
        Found::Several(several) => Ok(Err(several
            .into_iter()
            .take(CANDIDATES)
            .filter_map(|entity| {
                let (_, told) = of.names(entity).next()?;
                let id = of.id(entity)?;
                Some(view(
                    told.fact.fact,
                    format!("one of several of this name: {} [{id}]", called(of, entity)),
                    &[],
                ))
            })
            .collect())),
    }
}

fn called(of: &Connections, entity: EntityRef) -> String {
    let kind = of.kind(entity).words();
    let title = printable(of.title(entity));
    match of.host(entity) {
        Some(host) => format!("{kind} {title} ({})", printable(host)),
        None => format!("{kind} {title}"),
    }
}

/// Lists a relation as the first fact that shows it.
fn related(of: &Connections, by: RelationRef) -> Option<NodeView> {
    dated(of, by, of.shown_by(by).next()?.fact.fact)
}

/// Lists a relation as the given fact that shows it, with the time that this fact gives.
fn dated(of: &Connections, by: RelationRef, fact: FactId) -> Option<NodeView> {
    let (from, kind, to) = of.relation(by)?;
    let shown: Vec<_> = of.shown_by(by).collect();
    let when = shown.iter().find(|told| told.fact.fact == fact).and_then(|told| told.when);
    let when = when.map(|when| format!(", {when}")).unwrap_or_default();
    let title = format!("{} {} {}{when}", called(of, from), kind.words(), called(of, to));
    let others: Vec<FactId> = shown.iter().map(|told| told.fact.fact).filter(|id| *id != fact).collect();
    Some(view(fact, title, &others))
}

fn view(fact: FactId, title: String, others: &[FactId]) -> NodeView {
    let nodes = others.iter().copied().map(NodeId::Fact).collect();
    NodeView { id: NodeId::Fact(fact), title, nodes, words: String::new() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use graph::connections::RULES;
    use serde_json::json;
    use testkit::five_hosts;

    fn ask(arguments: &Value) -> Vec<String> {
        let pieces: Vec<Piece> = five_hosts::HOSTS.into_iter().map(Piece::labelled).collect();
        let facts = five_hosts::facts();
        let of = connections_of(RULES, &pieces, facts.iter().map(|fact| (0, fact)));
        let known = |id: NodeId| facts.iter().any(|fact| NodeId::Fact(fact.id) == id);
        let nodes = answered(&of, arguments).unwrap();
        assert!(nodes.iter().all(|node| known(node.id) && node.nodes.iter().all(|id| known(*id))));
        nodes.into_iter().map(|node| node.title).collect()
    }

    #[test]
    fn each_hop_of_a_way_is_a_relation_with_a_fact_that_shows_it() {
        let hops = ask(&json!({"question": "path", "of": "http://cdn.example/tool.exe", "to": "fs1"}));
        assert_eq!(hops.len(), 5, "{hops:#?}");
        assert!(hops[0].contains("downloaded from url http://cdn.example/tool.exe"), "{hops:#?}");
        assert!(hops[4].contains("host fs1"), "{hops:#?}");
    }

    #[test]
    fn neighbours_timelines_and_hosts_of_a_thing_are_told() {
        for question in ["neighbours", "timeline", "where_else"] {
            let told = ask(&json!({"question": question, "of": "http://cdn.example/tool.exe"}));
            assert!(told.iter().any(|line| line.contains("tool.exe")), "{question}: {told:#?}");
        }
    }

    #[test]
    fn a_name_of_several_things_gives_one_fact_of_each_with_its_id() {
        let told = ask(&json!({"question": "neighbours", "of": "admin"}));
        assert!(told.len() > 1 && told.iter().all(|line| line.contains(" [")), "{told:#?}");
    }

    #[test]
    fn what_no_fact_names_and_what_cannot_be_asked_is_said() {
        let of = connections_of(RULES, &[], std::iter::empty());
        for (arguments, place) in [
            (json!({"question": "neighbours", "of": "nobody"}), "of"),
            (json!({"question": "neighbours"}), "of"),
            (json!({"question": "neighbours", "of": "x", "deep": 1}), "arguments.deep"),
        ] {
            assert_eq!(answered(&of, &arguments).unwrap_err().place, place);
        }
    }
}
