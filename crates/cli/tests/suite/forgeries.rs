//! A log that was changed, chained and sealed again still contradicts itself, and `verify` finds every such contradiction.

use crate::support::{Logged, Place, facts, invocations, nodes, rechained, script, str};
use app::{Level, Standing};
use ledger::event::{RecordRange, Refusal, Spent, TaskStatus};
use ledger::{
    Absence, Assessment, Claim, ClaimId, Derivation, Digest, Event, FactId, IdSpace, NodeId, RecordId,
    RelationKind, Rules, Seed, Stream, TaskId,
};
use serde_json::json;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use testkit::scripted::calls;

/// A run that contains nearly every kind of event.
pub(crate) fn of_all_kinds(place: &Place) -> PathBuf {
    let known = Arc::new(Mutex::new(Vec::new()));
    let (found, cited) = (Arc::clone(&known), Arc::clone(&known));
    let search = || ("find_files", json!({"name": "no-such-thing.xyz"}));
    let script = script(vec![
        Box::new(move |_| {
            let hive = "p1/Windows/System32/config/SYSTEM";
            let key = r"ControlSet001\Control\ComputerName\ComputerName";
            let key = ("parse_registry_key", json!({"hive": hive, "key": key}));
            calls(1, &[key, search(), ("no_such_tool", json!({}))])
        }),
        Box::new(move |request| {
            let [key, files] = [0, 1].map(|at| invocations(request)[at].clone());
            let reading =
                |values| json!({"predicate": "configured", "values": values, "invocation": key.clone()});
            let readings = [
                reading(json!({"name": "ComputerName", "data": "ALDER-07"})),
                reading(json!({"data": "ALDER-07"})),
                reading(json!({"name": "ComputerName", "data": "MALLORY-07"})),
            ];
            let absence = json!({"form": "file", "name": "no-such-thing.xyz", "searches": [files],
                "interpretation": "it is not there"});
            calls(
                2,
                &[
                    search(),
                    ("read_output", json!({"invocation": key.clone(), "first": "r0"})),
                    ("record_phenomenon", json!({"readings": readings, "interpretation": "its name"})),
                    ("record_absence", absence),
                ],
            )
        }),
        Box::new(move |request| {
            *found.lock().unwrap() = facts(request);
            let fact = found.lock().unwrap()[0].clone();
            let terms = ["name", "data"].map(|field| json!({"fact": fact, "field": field}));
            let entity = |kind: &str, name: &str| {
                ("add_entity", json!({"kind": kind, "name": name, "facts": [fact.clone()]}))
            };
            calls(
                3,
                &[
                    ("record_derivation", json!({"form": "different", "terms": terms})),
                    entity("host", "ALDER-07"),
                    entity("host", "alder-07"),
                    entity("registry_key", "ComputerName"),
                    ("propose_hypothesis", json!({"statement": "it is the host"})),
                    ("list_phenomena", json!({})),
                ],
            )
        }),
        Box::new(move |request| {
            let (facts, nodes) = (cited.lock().unwrap().clone(), nodes(request));
            let [host, key, hypothesis] = [0, 2, 3].map(|at| nodes[at].clone());
            let link =
                json!({"from": key.clone(), "kind": "used", "to": host.clone(), "facts": [facts[0].clone()]});
            let assess = json!({"hypothesis": hypothesis, "assessment": "supported",
                "supporting": [facts[0].clone()], "reason": "it says so"});
            let refused = json!({"from": key, "kind": "adores", "to": host, "facts": [facts[0].clone()]});
            calls(4, &[("link", link), ("link", refused), ("assess_hypothesis", assess)])
        }),
        Box::new(|_| {
            let notes = ["its owner should be asked", " Besitzer fragen "];
            let asked = json!({"question": "Which host is it?", "answered_by":
                {"predicate": "configured", "record": "computer_name", "field": "name"}});
            let note = |note| ("record_phenomenon", json!({"note": note}));
            calls(5, &[note(notes[0]), note(notes[1]), ("propose_hypothesis", asked)])
        }),
        Box::new(|_| calls(6, &[("nothing_to_record", json!({"reason": " that is all "}))])),
    ]);
    let (finished, run) = place.investigate(Rules::default(), vec![("registry", script)]);
    assert_eq!((run.facts().count(), run.absences().count(), run.derivations().count()), (2, 1, 1));
    finished.folder
}

/// Applies `take` to the events until it changes one.
fn first(log: &mut Logged, take: impl Fn(&mut Event) -> Option<()>) {
    assert!(log.iter_mut().any(|(_, event, _)| take(event).is_some()), "no such event");
}

/// Changes the first event of a kind.
macro_rules! change {
    ($variant:ident, |$it:ident| $change:expr) => {
        |log| {
            first(log, |event| match event {
                Event::$variant($it) => {
                    $change;
                    Some(())
                }
                _ => None,
            })
        }
    };
    ($variant:ident, $change:ident) => {
        change!($variant, |it| $change(it))
    };
}

fn second_fact(log: &Logged) -> FactId {
    let facts = log.iter().filter_map(|(_, event, _)| match event {
        Event::ClaimAccepted(accepted) => Some(accepted.fact.id),
        _ => None,
    });
    facts.collect::<Vec<_>>()[1]
}

type Forgery = (&'static str, fn(&mut Logged), &'static str);

/// The forgery's name, the change, and what `verify` says about it.
const FORGERIES: &[Forgery] = &[
    ("claim id", other_claim_id, "is not the id of number 0"),
    ("connections", change!(RunSealed, other_connections), "with the digest"),
    ("no connections", change!(RunSealed, |it| it.connections = None), "no digest of the run's entities"),
    ("rules of connections", change!(RunSealed, other_rules), "by the rules 2, found 3"),
    ("seed", change!(RunOpened, |it| it.seed = Seed(Digest::of(b"another"))), "is not the id of number 0"),
    ("nothing", change!(NothingToRecord, |it| it.reason.push('!')), "its words"),
    ("note", change!(NoteWritten, |it| it.text = "it was MALLORY-07".into()), "its words"),
    ("note's chapter", change!(NoteWritten, |it| it.chapter = Some(ledger::Chapter::Ran)), "another tool"),
    (
        "note's call",
        change!(NoteWritten, |it| it.call = ledger::CallId("call-6-0".into())),
        "no call of its turn's",
    ),
    ("lost note", without_note, "a call before it in its turn's reply was not answered"),
    (
        "own question",
        change!(ObjectiveAdded, |it| it.objective.question.push('!')),
        "it is not what its call asks",
    ),
    (
        "own name",
        change!(ObjectiveAdded, |it| it.objective.id = "computer-name".into()),
        "its name is not a new one",
    ),
    (
        "own condition",
        change!(ObjectiveAdded, |it| it.objective.condition.value = Some("ALDER*".into())),
        "it is not what its call asks",
    ),
    (
        "own search",
        change!(ObjectiveAdded, |it| it.objective.searched.clear()),
        "it is not what its call asks",
    ),
    (
        "own answer",
        change!(TaskEnded, |it| {
            let needed = vec!["a hive".to_owned()];
            it.own[0].without = Some(ledger::event::WithoutFact::NotDeterminable { needed });
        }),
        "how a question of its own stands",
    ),
    ("turns", change!(TaskEnded, |it| it.turns += 1), "its number of turns"),
    ("spent", change!(TaskEnded, |it| it.spent = Some(Spent::Turns)), "the budget that ended it"),
    ("status", change!(TaskEnded, |it| it.status = TaskStatus::Incomplete), "its status"),
    ("served", served_by_another, "it was answered by another call"),
    ("page", change!(OutputPaged, |it| it.shown.end.0 += 1), "what it shows of the output"),
    (
        "shown",
        change!(InvocationEnded, |it| it.shown = shown_twice(&it.shown)),
        "what it shows of its output",
    ),
    ("arguments", change!(InvocationStarted, |it| it.arguments["key"] = "Select".into()), "its arguments"),
    ("carried", change!(PhenomenonRecorded, |it| it.facts.truncate(1)), "does not carry the facts"),
    ("words", change!(PhenomenonRecorded, |it| it.interpretation = "murder".into()), "its words"),
    ("claim", change!(ClaimSubmitted, other_reading), "not what its call states"),
    ("refused claim", change!(ClaimRejected, |it| it.rejection.reason.push('!')), "judged again"),
    ("lost claim", lost_claim, "a reading of the call before it was not judged"),
    ("absence", change!(AbsenceAccepted, other_absence), "judged again"),
    ("absence's words", change!(AbsenceAccepted, |it| it.interpretation.clear()), "its words"),
    ("search", other_search, "is of a tool that shows no such absence"),
    ("derivation", other_derivation, "its values are not the same"),
    ("entity", change!(EntityAdded, |it| it.name = "MALLORY-07".into()), "does not name \"MALLORY-07\""),
    ("relation", change!(RelationAdded, |it| it.kind = RelationKind::Created), "no call of its turn's reply"),
    ("ends", change!(RelationAdded, |it| std::mem::swap(&mut it.from, &mut it.to)), "no call of its turn's"),
    ("hypothesis", change!(HypothesisProposed, |it| it.statement.push('!')), "no call of its turn's reply"),
    (
        "word",
        change!(HypothesisAssessed, |it| it.assessment = Assessment::Undecided),
        "no call of its turn's",
    ),
    ("ground", other_ground, "no call of its turn's reply"),
    ("surface", change!(PhaseEntered, |it| it.surface.clear()), "its surface is not that"),
    ("refusal", change!(CallRefused, |it| it.refusal = Refusal::Repeated), "had to be refused otherwise"),
    ("graph read", change!(GraphRead, |it| it.tool = "get_node".into()), "names another tool"),
    ("promised", change!(EvidenceHashed, other_promise), "the case promises"),
    ("not hashed", without_hash, "the evidence was not hashed"),
    ("not ended", without_end, "a task of the run has not ended"),
    ("other's answer", served_by_itself, "it was not answered by the invocation that it names"),
    ("unanswered", without_read, "a call of the turn before it was not answered"),
    ("not refused", without_refused_link, "a call before it in its turn's reply was not answered"),
    (
        "confined",
        change!(RunOpened, |it| it.confined = false),
        "what held its tools is not what the run says",
    ),
];

fn other_claim_id(log: &mut Logged) {
    let Event::RunOpened(opened) = &log[0].1 else { panic!() };
    let other = ClaimId::assign(&IdSpace::new(opened.seed), TaskId(1), 77).unwrap();
    first(log, |event| match event {
        Event::ClaimSubmitted(it) => {
            it.claim = other;
            Some(())
        }
        _ => None,
    });
    first(log, |event| match event {
        Event::ClaimAccepted(it) => {
            it.claim = other;
            Some(())
        }
        _ => None,
    });
}

fn served_by_another(log: &mut Logged) {
    let invocation = first_invocation(log);
    first(log, |event| match event {
        Event::CallServed(it) => {
            it.invocation = invocation;
            Some(())
        }
        _ => None,
    });
}

fn first_invocation(log: &Logged) -> ledger::InvocationId {
    let started = log.iter().find_map(|(_, event, _)| match event {
        Event::InvocationStarted(started) => Some(started.invocation),
        _ => None,
    });
    started.unwrap()
}

fn shown_twice(shown: &[RecordRange]) -> Vec<RecordRange> {
    assert!(!shown.is_empty());
    let none = RecordRange { first: RecordId(0), end: RecordId(0) };
    shown.iter().copied().chain([none]).collect()
}

fn other_reading(it: &mut ledger::event::ClaimSubmitted) {
    let Claim::Reading(reading) = &mut it.stated else { panic!() };
    reading.subject = "another".to_owned();
}

/// Removes the refused claim and lowers the count of refused claims.
fn lost_claim(log: &mut Logged) {
    let at = log.iter().position(|(_, event, _)| matches!(event, Event::ClaimRejected(_))).unwrap();
    assert!(matches!(log[at - 1].1, Event::ClaimSubmitted(_)));
    log.drain(at - 1..=at);
    let fewer: fn(&mut Logged) = change!(TaskEnded, |it| it.rejections -= 1);
    fewer(log);
}

/// Removes the first note.
fn without_note(log: &mut Logged) {
    let at = log.iter().position(|(_, event, _)| matches!(event, Event::NoteWritten(_))).unwrap();
    log.remove(at);
}

fn other_absence(it: &mut ledger::event::AbsenceAccepted) {
    let Absence::File { name, .. } = &mut it.absence.absence else { panic!() };
    *name = "evil.exe".to_owned();
}

fn other_search(log: &mut Logged) {
    let invocation = first_invocation(log);
    first(log, |event| match event {
        Event::AbsenceAccepted(it) => {
            it.absence.searches = vec![invocation];
            Some(())
        }
        _ => None,
    });
}

fn other_derivation(log: &mut Logged) {
    let same = |derivation: &Derivation| Derivation::Same { terms: derivation.terms().to_vec() };
    first(log, |event| match event {
        Event::ClaimSubmitted(it) => match &mut it.stated {
            Claim::Derivation(derivation) => {
                *derivation = same(derivation);
                Some(())
            }
            _ => None,
        },
        _ => None,
    });
    first(log, |event| match event {
        Event::DerivationAccepted(it) => {
            it.derivation.derivation = same(&it.derivation.derivation);
            Some(())
        }
        _ => None,
    });
}

fn other_ground(log: &mut Logged) {
    let fact = second_fact(log);
    first(log, |event| match event {
        Event::HypothesisAssessed(it) => {
            it.supporting = vec![NodeId::Fact(fact)];
            Some(())
        }
        _ => None,
    });
}

fn other_connections(it: &mut ledger::event::RunSealed) {
    it.connections.as_mut().unwrap().digest = Digest::of(b"another");
}

fn other_rules(it: &mut ledger::event::RunSealed) {
    it.connections.as_mut().unwrap().rules += 1;
}

fn other_promise(it: &mut ledger::event::EvidenceHashed) {
    it.as_expected = if it.as_expected.is_some() { None } else { Some(true) };
}

fn without_hash(log: &mut Logged) {
    log.retain(|(_, event, _)| !matches!(event, Event::EvidenceHashed(_)));
}

fn without_end(log: &mut Logged) {
    log.retain(|(_, event, _)| !matches!(event, Event::TaskEnded(_)));
}

fn without_read(log: &mut Logged) {
    log.retain(|(_, event, _)| !matches!(event, Event::GraphRead(_)));
}

fn without_refused_link(log: &mut Logged) {
    log.retain(|(_, event, _)| !matches!(event, Event::CallRefused(refused) if refused.tool == "link"));
}

fn served_by_itself(log: &mut Logged) {
    let ended = log.iter_mut().find_map(|(_, event, beside)| match event {
        Event::InvocationEnded(ended) => Some((ended.invocation, beside)),
        _ => None,
    });
    let (invocation, beside) = ended.unwrap();
    beside.cost.get_or_insert_default().served_from = Some(invocation);
}

#[test]
fn each_contradiction_in_a_log_that_was_chained_and_sealed_anew_is_found() {
    let place = Place::new();
    let run = of_all_kinds(&place);
    let untouched = app::verify(&rechained(&place, &run, "untouched", |_| ()));
    assert!(untouched.holds(), "{:?}", untouched.findings);
    assert_eq!(untouched.to_bytes().unwrap(), app::verify(&run).to_bytes().unwrap());
    let missed = |(name, forge, expected): &&Forgery| {
        let certificate = app::verify(&rechained(&place, &run, name, forge));
        let reached = (certificate.failed(), certificate.level, certificate.standing(Level::FactsStand));
        let as_expected =
            reached == (Some(Level::FactsStand), Some(Level::LogConsistent), Standing::NotReached);
        let told = certificate.findings.iter().any(|finding| finding.what.contains(expected));
        if !(as_expected && told) {
            println!("{name}: {:#?}", certificate.findings);
        }
        !(as_expected && told)
    };
    let missed: Vec<&str> = FORGERIES.iter().filter(missed).map(|(name, ..)| *name).collect();
    assert_eq!(missed, [""; 0]);
    let out = place.locard_ends(33, &["verify", str(&place.path("carried"))]);
    assert!(out.contains("NOT VERIFIED beyond: log consistent (sealed)"), "{out}");
}

#[test]
fn an_event_of_another_task_is_found() {
    let place = Place::new();
    let run = of_all_kinds(&place);
    let moved = rechained(&place, &run, "moved", |log| {
        let turn = log.iter_mut().find(|(_, event, _)| matches!(event, Event::HypothesisProposed(_)));
        turn.unwrap().0 = Stream::Task(TaskId(2));
    });
    let certificate = app::verify(&moved);
    assert_eq!(certificate.failed(), Some(Level::FactsStand), "{:?}", certificate.findings);
}

/// A run that recalls a lesson: a certain call failed before. The call is refused at first, and then made
/// with a reason given.
fn of_a_lesson(place: &Place) -> PathBuf {
    let memory = Arc::new(app::Memory::new(place.path("memory")).unwrap());
    let run = |turns: Vec<crate::support::Turn>| {
        let mut request = place.request(Rules::default(), vec![("registry", script(turns))]);
        request.work.memory = app::MemoryUse::Of(Arc::clone(&memory));
        let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
        runtime.block_on(app::run(request)).unwrap().folder
    };
    let call = |turn: u32, reason: Option<&str>| {
        let mut arguments = json!({"path": "p1/none.txt"});
        if let Some(reason) = reason {
            arguments["reason"] = reason.into();
        }
        calls(turn, &[("read_file", arguments)])
    };
    run(vec![Box::new(move |_| call(1, None))]);
    run(vec![Box::new(move |_| call(1, None)), Box::new(move |_| call(2, Some("it was written since")))])
}

#[test]
fn what_a_log_says_of_lessons_of_earlier_runs_is_checked() {
    let place = Place::new();
    let run = of_a_lesson(&place);
    let untouched = app::verify(&run);
    assert!(untouched.holds(), "{:?}", untouched.findings);
    let forgeries: [Forgery; 4] = [
        (
            "reason",
            change!(InvocationStarted, |it| it.insists.as_mut().unwrap().reason.push('!')),
            "what it says of a lesson is not what its call says",
        ),
        (
            "no reason",
            change!(InvocationStarted, |it| it.insists = None),
            "what it says of a lesson is not what its call says",
        ),
        (
            "lesson",
            change!(CallRefused, |it| it.lesson = Some("c-000000000000".into())),
            "no lesson of earlier runs refuses its call so",
        ),
        (
            "forgotten lesson",
            change!(RunOpened, |it| it.remembered.clear()),
            "no lesson of earlier runs refuses its call so",
        ),
    ];
    for (name, forge, expected) in forgeries {
        let certificate = app::verify(&rechained(&place, &run, name, forge));
        let told = certificate.findings.iter().any(|finding| finding.what.contains(expected));
        assert!(told, "{name}: {:#?}", certificate.findings);
    }
}
