//! Exports a run as a graph in CASE 1.5.0 and UCO 1.5.0, as JSON-LD.
//!
//! Each invocation is an `InvestigativeAction`: a tool examined evidence, and its results are an output (a file, by its digest),
//! the observables that facts state, and provenance records.
//! What agents concluded is kept separate, as assertions: nothing that an agent wrote becomes an observable.
//!
//! All classes and properties are declared by the ontologies; `docs/exchange.md` lists them.

mod assertions;
mod connections;
mod facets;

use crate::ids::Ids;
use crate::inert::Objects;
use crate::related::Related;
use crate::times::{bound, standing, times};
use crate::view::{View, healed_from, lines, tier_name, weakest, writer_name};
use crate::{LeftOut, Written};
use detect::Attack;
use graph::{InvocationView, Run, fact_title};
use ledger::event::ClaimAccepted;
use ledger::{
    AbsenceId, Digest, EvidenceEntry, EvidenceKind, FactEntry, FactId, IntegrityLevel, InvocationId, NodeId,
    TaskId, Utc,
};
use serde_json::{Value, json};
use std::cell::Cell;
use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Write};

/// The namespace prefixes; `kb` is only a name, not a location.
const CONTEXT: &str = r#"{"@context":{
"kb":"https://locard.invalid/kb/",
"action":"https://ontology.unifiedcyberontology.org/uco/action/",
"analysis":"https://ontology.unifiedcyberontology.org/uco/analysis/",
"core":"https://ontology.unifiedcyberontology.org/uco/core/",
"investigation":"https://ontology.caseontology.org/case/investigation/",
"observable":"https://ontology.unifiedcyberontology.org/uco/observable/",
"tool":"https://ontology.unifiedcyberontology.org/uco/tool/",
"types":"https://ontology.unifiedcyberontology.org/uco/types/",
"xsd":"http://www.w3.org/2001/XMLSchema#"
},"@graph":["#;

/// Writes the graph; returns the number of its top-level nodes.
///
/// Times that cannot be an `xsd:dateTime` (local times, and those of a copy) are in the descriptions.
pub fn case_uco(run: &Run, attack: &Attack, out: &mut impl Write) -> io::Result<Written> {
    let graph = Graph::new(run, attack);
    let mut left_out = LeftOut::default();
    let mut objects = Objects::begin(out, CONTEXT.as_bytes())?;
    objects.put(&graph.investigation())?;
    for entry in &run.opened.case.evidence {
        objects.put(&graph.evidence(entry))?;
    }
    for node in graph.tools() {
        objects.put(&node)?;
    }
    let mut outputs = BTreeSet::new();
    for (task, view) in &run.tasks {
        let mut before = Chained::default();
        for made in &view.invocations {
            objects.put(&graph.action(*task, made, before.of(made)))?;
            let output = made.ended.as_ref().and_then(|ended| Some((ended.output?, ended.bytes)));
            if let Some((output, bytes)) = output.filter(|(digest, _)| outputs.insert(*digest)) {
                objects.put(&graph.output(output, bytes))?;
            }
            if let Some(record) = graph.provenance(made) {
                objects.put(&record)?;
            }
        }
        for accepted in view.accepted() {
            times(&accepted.fact).for_each(|(_, time)| left_out.count(standing(time)));
            for node in graph.fact(*task, accepted) {
                objects.put(&node)?;
            }
        }
        for node in assertions::of(&graph, *task, view) {
            objects.put(&node)?;
        }
    }
    for node in assertions::of_questions(&graph) {
        objects.put(&node)?;
    }
    for node in connections::of(&graph, &Related::new(run)) {
        objects.put(&node)?;
    }
    Ok(Written { items: objects.end()?, left_out })
}

/// Tracks the action that informed a task's call: the last one of an earlier turn.
#[derive(Default)]
struct Chained {
    turn: u32,
    last: Option<InvocationId>,
    of_turns_before: Option<InvocationId>,
}

impl Chained {
    fn of(&mut self, made: &InvocationView) -> Option<InvocationId> {
        if made.started.turn != self.turn {
            self.of_turns_before = self.last;
            self.turn = made.started.turn;
        }
        self.last = Some(made.started.invocation);
        self.of_turns_before
    }
}

/// Returns a literal of type `xsd:dateTime`.
fn date_time(text: &str) -> Value {
    json!({"@type": "xsd:dateTime", "@value": text})
}

/// Returns a literal of type `xsd:integer`.
fn integer(text: &str) -> Value {
    json!({"@type": "xsd:integer", "@value": text})
}

/// A node and its parts, each with its own id.
struct Node<'g> {
    ids: Ids,
    own: &'g str,
    parts: Cell<u32>,
}

impl Node<'_> {
    /// Creates a part of this class.
    fn part(&self, class: &str, members: Value) -> Value {
        let number = self.parts.replace(self.parts.get() + 1);
        let name = class.rsplit(':').next().unwrap_or_default().to_ascii_lowercase();
        let id = self.ids.of(&name, &format!("{}\n{number}", self.own));
        with(json!({"@id": format!("kb:{name}-{id}"), "@type": class}), members)
    }

    fn hash(&self, method: &str, hex: &str) -> Value {
        let value = json!({"@type": "xsd:hexBinary", "@value": hex.to_ascii_uppercase()});
        self.part("types:Hash", json!({"types:hashMethod": method, "types:hashValue": value}))
    }
}

/// Returns `object` with the members of another object added.
fn with(mut object: Value, members: Value) -> Value {
    if let (Some(object), Value::Object(members)) = (object.as_object_mut(), members) {
        object.extend(members);
    }
    object
}

/// The context that the nodes of a graph share.
struct Graph<'r> {
    run: &'r Run,
    view: View<'r>,
    ids: Ids,
    /// The facts of each invocation, in order.
    facts: BTreeMap<InvocationId, Vec<&'r FactEntry>>,
    /// The absences that each invocation shows.
    absences: BTreeMap<InvocationId, Vec<AbsenceId>>,
}

impl<'r> Graph<'r> {
    fn new(run: &'r Run, attack: &'r Attack) -> Graph<'r> {
        let mut facts: BTreeMap<InvocationId, Vec<&FactEntry>> = BTreeMap::new();
        for (_, accepted) in run.facts() {
            facts.entry(accepted.fact.invocation).or_default().push(&accepted.fact);
        }
        let mut absences: BTreeMap<InvocationId, Vec<AbsenceId>> = BTreeMap::new();
        for (_, covered) in run.absences() {
            for search in &covered.absence.searches {
                absences.entry(*search).or_default().push(covered.absence.id);
            }
        }
        Graph { run, view: View::new(run, attack), ids: Ids::new(run), facts, absences }
    }

    fn id(&self, kind: &str, own: &str) -> String {
        format!("kb:{kind}-{}", self.ids.of(kind, own))
    }

    fn reference(&self, kind: &str, own: &str) -> Value {
        json!({"@id": self.id(kind, own)})
    }

    /// Returns a reference to the observable of a fact.
    fn observable(&self, fact: FactId) -> Value {
        self.reference("observable", &fact.to_string())
    }

    /// Returns a reference to one of our nodes, if the graph contains it.
    fn of_node(&self, node: NodeId) -> Option<Value> {
        match node {
            NodeId::Fact(id) => Some(self.observable(id)),
            NodeId::Derivation(id) => Some(self.reference("analyticresult", &id.to_string())),
            NodeId::Absence(id) => Some(self.reference("assertion", &id.to_string())),
            NodeId::Phenomenon(id) => Some(self.reference("analyticresult", &id.to_string())),
            NodeId::Invocation(id) => Some(self.reference("action", &id.to_string())),
            NodeId::Entity(_) | NodeId::Relation(_) | NodeId::Hypothesis(_) => None,
        }
    }

    fn node<'g>(&self, own: &'g str) -> Node<'g> {
        Node { ids: self.ids, own, parts: Cell::new(0) }
    }

    fn new_node(&self, kind: &str, class: &str, own: &str, members: Value) -> Value {
        with(json!({"@id": self.id(kind, own), "@type": class, "core:name": own}), members)
    }

    /// Returns an external reference with our own id of a node.
    fn external(&self, node: &Node<'_>, own: &str) -> Value {
        node.part(
            "core:ExternalReference",
            json!({
                "core:definingContext": format!("Locard run {}", self.run.name()),
                "core:externalIdentifier": own,
            }),
        )
    }

    fn investigation(&self) -> Value {
        let case = &self.run.opened.case;
        let evidence = case.evidence.iter().map(|entry| self.reference("evidence", &entry.label));
        let made = self.run.tasks.values().flat_map(|view| &view.invocations);
        let actions = made.map(|made| self.reference("action", &made.started.invocation.to_string()));
        let mut investigation = json!({
            "@id": self.id("investigation", "investigation"),
            "@type": "investigation:Investigation",
            "core:name": case.name,
            "core:description": [
                format!("run {}, {}, by Locard {}", self.run.name(), self.sealed(), self.run.opened.program),
            ],
            "core:object": evidence.chain(actions).collect::<Vec<_>>(),
        });
        let focus = Some(&case.title).filter(|title| !title.is_empty());
        if let Some(members) = investigation.as_object_mut() {
            members.extend(focus.map(|title| ("investigation:focus".to_owned(), json!(title))));
            members.extend(recorded(&self.run.circumstance.at).map(|at| ("core:startTime".to_owned(), at)));
        }
        investigation
    }

    fn sealed(&self) -> &'static str {
        if self.run.sealed.is_some() { "sealed" } else { "not sealed" }
    }

    /// Returns a piece of evidence, with the hash of its bytes if the run hashed them directly.
    fn evidence(&self, entry: &EvidenceEntry) -> Value {
        let own = entry.label.as_str();
        let node = self.node(own);
        let hashed = self.run.integrity.iter().find(|hashed| hashed.evidence == entry.label);
        let mut facets = vec![node.part(
            "observable:FileFacet",
            json!({
                "observable:fileName": own,
                "observable:isDirectory": {"@type": "xsd:boolean", "@value": (entry.kind == EvidenceKind::Directory).to_string()},
            }),
        )];
        let mut described = vec![format!("evidence {own}")];
        if let Some(expected) = entry.expected_sha256 {
            described.push(format!("acquisition SHA-256 by the case: {expected}"));
        }
        if let Some(it) = hashed.map(|hashed| &hashed.integrity) {
            match (entry.kind, it.level) {
                (EvidenceKind::Image, IntegrityLevel::Full) => {
                    let members = json!({
                        "observable:hash": node.hash("SHA256", &it.sha256.to_string()),
                        "observable:sizeInBytes": integer(&it.bytes.to_string()),
                    });
                    facets.push(node.part("observable:ContentDataFacet", members));
                }
                // A digest over a listing is not a digest of the content.
                _ => described.push(format!(
                    "SHA-256 over a listing of {} files of {} bytes: {}",
                    it.files, it.bytes, it.sha256
                )),
            }
        }
        let class = match entry.kind {
            EvidenceKind::Directory => "observable:Directory",
            EvidenceKind::Archive | EvidenceKind::Image => "observable:File",
        };
        let members = json!({"core:description": described, "core:hasFacet": facets});
        self.new_node("evidence", class, own, members)
    }

    /// Returns the tools that were called, and the agents.
    fn tools(&self) -> Vec<Value> {
        let version = &self.run.opened.program;
        let made = self.run.tasks.values().flat_map(|view| &view.invocations);
        let called: BTreeSet<&str> = made.map(|made| made.started.tool.as_str()).collect();
        let tool = |name: &&str| {
            let members = json!({"tool:toolType": "reads evidence", "tool:version": version});
            self.new_node("tool", "tool:AnalyticTool", name, members)
        };
        let agent = |(task, view): (&TaskId, &graph::TaskView)| {
            let described = format!("{} as agent {}", view.assigned.model, view.assigned.agent.name);
            let members = json!({
                "core:description": [described],
                "tool:toolType": "agent",
                "tool:version": version,
            });
            self.new_node("agent", "tool:AnalyticTool", &task.to_string(), members)
        };
        called.iter().map(tool).chain(self.run.tasks.iter().map(agent)).collect()
    }

    /// Returns the evidence that a call examined: the piece that its arguments name, or all.
    fn examined(&self, made: &InvocationView) -> Vec<Value> {
        let used = made.ended.as_ref().and_then(|ended| ended.normalised.as_ref());
        let named = used.unwrap_or(&made.started.arguments).get("evidence").and_then(Value::as_str);
        let all = self.run.opened.case.evidence.iter().map(|entry| entry.label.as_str());
        let is_known = named.is_some_and(|named| all.clone().any(|label| label == named));
        let examined = all.filter(|label| !is_known || Some(*label) == named);
        examined.map(|label| self.reference("evidence", label)).collect()
    }

    fn action(&self, task: TaskId, made: &InvocationView, before: Option<InvocationId>) -> Value {
        let own = made.started.invocation.to_string();
        let outcome = made.ended.as_ref().map(|ended| json!(ended.outcome));
        let outcome = outcome.as_ref().and_then(Value::as_str).unwrap_or("not ended");
        let call = format!(
            "{own} of {task}, turn {}: {}({}), {outcome}",
            made.started.turn, made.started.tool, made.started.arguments
        );
        let mut action = json!({
            "@id": self.id("action", &own),
            "@type": "investigation:InvestigativeAction",
            "core:name": made.started.tool,
            "core:description": [call],
            "core:externalReference": self.external(&self.node(&own), &own),
            "action:instrument": self.reference("tool", &made.started.tool),
            "action:performer": self.reference("agent", &task.to_string()),
            "action:object": self.examined(made),
            "action:result": self.results(made),
        });
        let served = made.cost.as_ref().and_then(|cost| cost.served_from);
        let informed: Vec<Value> =
            before.into_iter().chain(served).map(|id| self.reference("action", &id.to_string())).collect();
        if let Some(members) = action.as_object_mut() {
            if !informed.is_empty() {
                members.insert("investigation:wasInformedBy".to_owned(), json!(informed));
            }
            let ended = made.ended_at.as_deref().and_then(recorded);
            members.extend(recorded(&made.begun_at).map(|at| ("action:startTime".to_owned(), at)));
            members.extend(ended.map(|at| ("action:endTime".to_owned(), at)));
        }
        action
    }

    fn results(&self, made: &InvocationView) -> Vec<Value> {
        let id = made.started.invocation;
        let output = made.ended.as_ref().and_then(|ended| ended.output);
        let mut results: Vec<Value> =
            output.map(|digest| self.reference("output", &digest.to_string())).into_iter().collect();
        if let Some(facts) = self.facts.get(&id) {
            results.push(self.reference("provenance", &id.to_string()));
            for fact in facts {
                results.push(self.observable(fact.id));
                results.push(self.reference("provenance", &fact.id.to_string()));
            }
        }
        let shown = self.absences.get(&id).into_iter().flatten();
        results.extend(shown.map(|absence| self.reference("assertion", &absence.to_string())));
        results
    }

    /// Returns a stored output, by its digest.
    fn output(&self, digest: Digest, bytes: u64) -> Value {
        let own = digest.to_string();
        let node = self.node(&own);
        let mut members = json!({"observable:sizeInBytes": integer(&bytes.to_string())});
        if self.run.told_output(digest).is_some() {
            members = with(members, json!({"observable:hash": node.hash("SHA256", &own)}));
        }
        let facet = node.part("observable:ContentDataFacet", members);
        let described = "the stored output of a tool: records, as canonical JSON";
        let members = json!({"core:description": [described], "core:hasFacet": [facet]});
        self.new_node("output", "observable:File", &own, members)
    }

    /// Returns the provenance record of an invocation's output, with the exhibits that it came from.
    fn provenance(&self, made: &InvocationView) -> Option<Value> {
        let facts = self.facts.get(&made.started.invocation)?;
        let own = made.started.invocation.to_string();
        let exhibits: BTreeSet<&str> = facts.iter().map(|fact| fact.locator.evidence.as_str()).collect();
        let mut record = self.new_node(
            "provenance",
            "investigation:ProvenanceRecord",
            &own,
            json!({
                "core:description": [format!("what facts state of the output of {own}")],
                "core:object": facts.iter().map(|fact| self.observable(fact.id)).collect::<Vec<_>>(),
                "investigation:rootExhibitNumber": exhibits,
            }),
        );
        if let (Some(members), Some(first), 1) = (record.as_object_mut(), exhibits.first(), exhibits.len()) {
            members.insert("investigation:exhibitNumber".to_owned(), json!(first));
        }
        Some(record)
    }

    /// Returns a fact as three nodes: its observable, its location in the evidence, and its proof.
    fn fact(&self, task: TaskId, accepted: &ClaimAccepted) -> [Value; 3] {
        let fact = &accepted.fact;
        let own = fact.id.to_string();
        let node = self.node(&own);
        let (class, facets) = facets::of(fact, &node);
        let mut observable = json!({
            "@id": self.id("observable", &own),
            "@type": class,
            "core:name": fact_title(fact),
            "core:tag": self.tags(fact),
            "core:description": bound(fact)
                .flat_map(lines)
                .collect::<BTreeSet<_>>(),
            "core:externalReference": self.external(&node, &own),
        });
        if let (Some(members), false) = (observable.as_object_mut(), facets.is_empty()) {
            members.insert("core:hasFacet".to_owned(), json!(facets));
        }
        [observable, self.contained(fact, &node), self.proof(task, accepted)]
    }

    /// Returns the tags of a fact: predicate, record type, and matching ATT&CK techniques.
    fn tags(&self, fact: &FactEntry) -> Vec<String> {
        let version = self.view.attack().version();
        let techniques = self.view.techniques(fact).into_iter();
        [format!("predicate: {}", fact.predicate), format!("record type: {}", fact.kind)]
            .into_iter()
            .chain(techniques.map(|it| format!("fits ATT&CK {version} {}: {}", it.id, it.name)))
            .collect()
    }

    /// Returns where the record is located: path and bytes within the evidence.
    fn contained(&self, fact: &FactEntry, node: &Node<'_>) -> Value {
        let locator = &fact.locator;
        let path = match &locator.stream {
            Some(stream) => format!("{}:{stream}", locator.path),
            None => locator.path.clone(),
        };
        let mut facets = vec![node.part("observable:PathRelationFacet", json!({"observable:path": [path]}))];
        if let Some(span) = locator.span {
            let members = json!({
                "observable:rangeOffset": integer(&span.offset.to_string()),
                "observable:rangeSize": integer(&span.length.to_string()),
            });
            facets.push(node.part("observable:DataRangeFacet", members));
        }
        json!({
            "@id": self.id("relationship", &fact.id.to_string()),
            "@type": "observable:ObservableRelationship",
            "core:source": self.observable(fact.id),
            "core:target": self.reference("evidence", &locator.evidence),
            "core:isDirectional": {"@type": "xsd:boolean", "@value": "true"},
            "core:kindOfRelationship": "Contained_Within",
            "core:hasFacet": facets,
        })
    }

    /// Returns what a fact is based on.
    fn proof(&self, task: TaskId, accepted: &ClaimAccepted) -> Value {
        let fact = &accepted.fact;
        let own = fact.id.to_string();
        let mut described = vec![
            format!(
                "{own} rests on record {} of {} (output SHA-256 {}), its subject on bytes {} of that output",
                fact.record,
                fact.invocation,
                self.view.output(fact),
                fact.subject.span
            ),
            format!("stated by agent {} ({task}), grounded by code", self.view.agent(task)),
            format!("match: {}", tier_name(weakest(fact))),
        ];
        if !writer_name(fact).is_empty() {
            described.push(format!("could have been written by: {}", writer_name(fact)));
        }
        if accepted.healing.is_some() {
            described.push(format!("the agent had cited {}", healed_from(accepted)));
        }
        if !fact.shown {
            described.push("the agent had not been shown the record".to_owned());
        }
        described.extend(self.view.answered(fact.id).iter().map(|it| format!("answers {it}")));
        let members = json!({
            "core:description": described,
            "core:object": [self.observable(fact.id), self.reference("output", &fact.output.to_string())],
            "investigation:exhibitNumber": fact.locator.evidence,
        });
        self.new_node("provenance", "investigation:ProvenanceRecord", &own, members)
    }
}

/// Returns a recorded wall time as a literal.
fn recorded(at: &str) -> Option<Value> {
    let utc: Utc = at.parse().ok()?;
    Some(date_time(&utc.to_text(ledger::Precision::Microsecond)))
}
