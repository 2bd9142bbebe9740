//! A STIX 2.1 bundle.
//!
//! Each fact becomes an `observed-data` object over the things that its record names, and a `note` with all of its values, including those
//! for which STIX has no property.
//! `first_observed` and `last_observed` are the time that dates the fact or, if it is undated, the time in which the tool read it;
//! a label says which.
//! Nothing is exported as an indicator, because no fact says that something is bad.

mod notes;
mod observables;
mod relations;

use crate::ids::Ids;
use crate::inert::Objects;
use crate::times::{Standing, bound, standing, times};
use crate::view::{View, healed_from, lines, tier_name, weakest, writer_name};
use crate::{LeftOut, Written};
use detect::{Attack, Technique};
use graph::{Run, attack_fits, dated_field, fact_title};
use ledger::event::ClaimAccepted;
use ledger::{FactEntry, FactId, Precision, TaskId, Utc, is_of_container};
use observables::Observables;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::io::{self, Write};

/// Writes the bundle; returns the number of its objects.
///
/// Times that observables cannot represent (local times, and those of a copy) are in the notes.
pub fn stix(run: &Run, attack: &Attack, out: &mut impl Write) -> io::Result<Written> {
    let bundle = Bundle::new(run, attack);
    let mut observables = Observables::default();
    let mut left_out = LeftOut::default();
    let beginning =
        format!("{{\"type\":\"bundle\",\"id\":\"bundle--{}\",\"objects\":[", bundle.ids.of("bundle", ""));
    let mut objects = Objects::begin(out, beginning.as_bytes())?;
    let mut refs = vec![bundle.tool()];
    objects.put(&bundle.identity())?;
    for (task, accepted) in run.facts() {
        times(&accepted.fact).for_each(|(_, time)| left_out.count(standing(time)));
        let things = observables.of(&accepted.fact, &bundle.ids);
        let observed = [bundle.observed(accepted, &things), bundle.note_of(task, accepted)];
        for object in observed.into_iter().chain(bundle.fits(&accepted.fact)) {
            refs.push(id_of(&object));
            objects.put(&object)?;
        }
    }
    let patterns = attack_fits(attack, run).into_iter().map(|fit| bundle.pattern(fit.technique));
    for object in notes::told(&bundle).into_iter().chain(patterns) {
        refs.push(id_of(&object));
        objects.put(&object)?;
    }
    for object in relations::of(&bundle, &mut observables) {
        refs.push(id_of(&object));
        objects.put(&object)?;
    }
    for object in observables.into_objects() {
        refs.push(id_of(&object));
        objects.put(&object)?;
    }
    objects.put(&bundle.report(&refs))?;
    Ok(Written { items: objects.end()?, left_out })
}

fn id_of(object: &Value) -> String {
    object.get("id").and_then(Value::as_str).unwrap_or_default().to_owned()
}

/// Labels of observed data: what `first_observed` and `last_observed` mean.
const BY_EVENT: &str = "observed-when-it-happened";
const BY_HOLDER: &str = "observed-when-its-key-was-written";
const BY_LOCAL_TIME: &str = "observed-by-local-time";
const BY_READING: &str = "observed-when-read";

/// The context that the objects of a bundle share.
struct Bundle<'r> {
    view: View<'r>,
    ids: Ids,
    /// When the run was opened; every object has this creation time.
    created: String,
    /// When each invocation's start and end were recorded.
    read: BTreeMap<ledger::InvocationId, [Utc; 2]>,
    opened: Utc,
}

impl<'r> Bundle<'r> {
    fn new(run: &'r Run, attack: &'r Attack) -> Bundle<'r> {
        let opened = run.circumstance.at.parse().unwrap_or(Utc::UNIX_EPOCH);
        let created = opened.to_text(Precision::Millisecond);
        let made = run.tasks.values().flat_map(|view| &view.invocations);
        let read = made.filter_map(|made| {
            let begun: Utc = made.begun_at.parse().ok()?;
            let ended = made.ended_at.as_ref().and_then(|at| at.parse().ok()).unwrap_or(begun);
            Some((made.started.invocation, [begun, ended.max(begun)]))
        });
        Bundle { ids: Ids::new(run), created, read: read.collect(), opened, view: View::new(run, attack) }
    }

    fn id(&self, kind: &str, own: &str) -> String {
        format!("{kind}--{}", self.ids.of(kind, own))
    }

    fn tool(&self) -> String {
        self.id("identity", "tool")
    }

    /// Returns the id of a fact's observed data.
    fn observed_id(&self, fact: FactId) -> String {
        self.id("observed-data", &fact.to_string())
    }

    /// Returns an object of this kind, with the members that all objects have.
    fn object(&self, kind: &str, own: &str, members: Value) -> Value {
        let mut object = json!({
            "type": kind,
            "spec_version": "2.1",
            "id": self.id(kind, own),
            "created": self.created,
            "modified": self.created,
        });
        if kind != "identity"
            && let Some(object) = object.as_object_mut()
        {
            object.insert("created_by_ref".to_owned(), json!(self.tool()));
        }
        if let (Some(object), Value::Object(members)) = (object.as_object_mut(), members) {
            object.extend(members);
        }
        object
    }

    fn identity(&self) -> Value {
        let version = &self.view.run.opened.program;
        let members = json!({
            "name": format!("Locard {version}"),
            "description": "a forensic engine; what it states stands in the recorded output of a tool",
            "identity_class": "system",
        });
        self.object("identity", "tool", members)
    }

    fn reference(&self, own: &str, description: String) -> Value {
        json!([{
            "source_name": format!("Locard run {}", self.view.run.name()),
            "external_id": own,
            "description": description,
        }])
    }

    fn observed(&self, accepted: &ClaimAccepted, things: &[String]) -> Value {
        let fact = &accepted.fact;
        let (window, dated) = self.observed_in(fact);
        let proof = format!(
            "record {} ({}) of {} ({}), output SHA-256 {}, bytes {}; read from {}",
            fact.record,
            fact.kind,
            fact.invocation,
            self.view.tool(fact),
            self.view.output(fact),
            fact.subject.span,
            fact.locator,
        );
        let own = fact.id.to_string();
        let members = json!({
            "first_observed": window[0],
            "last_observed": window[1],
            "labels": [dated],
            "number_observed": 1,
            "object_refs": things,
            "external_references": self.reference(&own, proof),
        });
        self.object("observed-data", &own, members)
    }

    /// Returns the time window of a fact, and the label that says where it comes from.
    ///
    /// STIX requires a window. A local time gets the range of all possible zones; an undated fact gets the time in which the tool read it.
    fn observed_in(&self, fact: &FactEntry) -> ([String; 2], &'static str) {
        let stamps = |times: [Utc; 2], precision| times.map(|time| time.to_text(precision));
        let dating = dated_field(fact).map(|(field, time)| (field, time, standing(time)));
        match dating {
            Some((field, time, Standing::Instant(utc))) => {
                let label = if is_of_container(field) { BY_HOLDER } else { BY_EVENT };
                (stamps([utc; 2], time.precision), label)
            }
            Some((_, time, Standing::Local)) if let Some((from, to)) = time.bounds() => {
                (stamps([from, to], time.precision), BY_LOCAL_TIME)
            }
            Some(_) | None => {
                let read = self.read.get(&fact.invocation).copied().unwrap_or([self.opened; 2]);
                (stamps(read, Precision::Millisecond), BY_READING)
            }
        }
    }

    /// Returns a note with everything that a fact states.
    fn note_of(&self, task: TaskId, accepted: &ClaimAccepted) -> Value {
        let fact = &accepted.fact;
        let own = fact.id.to_string();
        let mut lines = vec![
            format!("{own}: {}", fact.predicate),
            format!("stated by {} ({task}), grounded by code", self.view.agent(task)),
            format!("match {}; could have been written by: {}", tier_name(weakest(fact)), writer_name(fact)),
        ];
        if accepted.healing.is_some() {
            lines.push(format!("the agent had cited {}", healed_from(accepted)));
        }
        lines.extend(self.view.answered(fact.id).iter().map(|answered| format!("answers {answered}")));
        lines.extend(bound(fact).flat_map(self::lines));
        let members = json!({
            "abstract": fact_title(fact),
            "content": lines.join("\n"),
            "object_refs": [self.observed_id(fact.id)],
            "external_references": self.reference(&own, "the fact that this note tells".to_owned()),
        });
        self.object("note", &own, members)
    }

    /// Returns the attack pattern of a technique, by its id and the ATT&CK version.
    fn pattern(&self, technique: &Technique) -> Value {
        let attack = self.view.attack();
        let own = technique.id.to_string();
        let phases: Vec<Value> = attack
            .tactics_of(technique)
            .map(|tactic| json!({"kill_chain_name": "mitre-attack", "phase_name": tactic.shortname}))
            .collect();
        let members = json!({
            "name": technique.name,
            "external_references": [{
                "source_name": "mitre-attack",
                "external_id": own,
                "description": format!("ATT&CK {}", attack.version()),
            }],
            "kill_chain_phases": phases,
        });
        self.object("attack-pattern", &own, members)
    }

    /// Relates a fact to the techniques that it fits; this does not say that they were used.
    fn fits(&self, fact: &FactEntry) -> Vec<Value> {
        let relationship = |technique: &&Technique| {
            let members = json!({
                "relationship_type": "related-to",
                "description": "such a trace fits the technique; ordinary software leaves such traces, too",
                "source_ref": self.observed_id(fact.id),
                "target_ref": self.id("attack-pattern", &technique.id.to_string()),
            });
            self.object("relationship", &format!("{}\n{}", fact.id, technique.id), members)
        };
        self.view.techniques(fact).iter().map(relationship).collect()
    }

    fn report(&self, refs: &[String]) -> Value {
        let run = self.view.run;
        let case = &run.opened.case;
        let name = if case.title.is_empty() { &case.name } else { &case.title };
        let sealed = if run.sealed.is_some() { "sealed" } else { "not sealed" };
        let members = json!({
            "name": name,
            "description": format!("run {} of the case {} ({sealed}), by Locard {}", run.name(), case.name, run.opened.program),
            "report_types": ["observed-data"],
            "published": self.created,
            "object_refs": refs,
            "external_references": self.reference(run.name(), "the run".to_owned()),
        });
        self.object("report", "report", members)
    }
}
