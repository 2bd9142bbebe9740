//! Files in places where anybody could have put them: their content is reported, but proves nothing about the host.

use crate::support::{Place, invocations, script, str};
use graph::{Run, Stands};
use ledger::{FactEntry, Objective, Placement, Vocabulary, placement};
use serde_json::json;
use std::collections::BTreeSet;
use testkit::samples::samples;
use testkit::scripted::{calls, words};

/// A host without files in the places of Windows, and copies of all formats in two folders that users can write to.
fn decoys(place: &Place) {
    place.file("case/evidence/Windows/notepad.exe", "MZ");
    for (number, sample) in samples().iter().enumerate() {
        place.file(&format!("case/evidence/Backup/old-pc/{}", sample.path), &sample.bytes);
        let name = sample.path.rsplit('/').next().unwrap();
        place.file(&format!("case/evidence/Users/mara/Downloads/{number}/{name}"), &sample.bytes);
    }
}

fn case(place: &Place, more: &str) {
    let case = "title = \"Decoys\"\n[[evidence]]\npath = \"evidence\"\nkind = \"directory\"\n";
    place.file("case/case.toml", format!("{case}{more}"));
}

fn belongs(fact: &&FactEntry) -> bool {
    fact.placement.is_some() && fact.kind != "dir_entry"
}

fn facts(run: &Run) -> impl Iterator<Item = &FactEntry> {
    run.facts().map(|(_, accepted)| &accepted.fact)
}

fn of_host(run: &Run) -> Vec<String> {
    let vocabulary = Vocabulary::shipped().unwrap();
    let facts = facts(run).filter(|fact| fact.placement == Some(Placement::Elsewhere));
    let facts = facts.filter(|fact| !vocabulary.meaning(&fact.predicate).is_some_and(|it| it.anywhere));
    facts.map(graph::fact_title).collect()
}

/// The questions about the host that count as searched without a result.
fn searched(run: &Run) -> Vec<String> {
    let questions = graph::questions(run);
    let of_host = |objective: &Objective| placement::of(&objective.condition.record).is_some();
    let searched = questions.iter().filter(|it| matches!(it.stands, Stands::Searched { .. }));
    searched.filter(|it| of_host(it.objective)).map(|it| it.objective.id.clone()).collect()
}

fn answered(run: &Run) -> BTreeSet<String> {
    let questions = graph::questions(run);
    let answered = questions.iter().filter(|it| matches!(it.stands, Stands::Answered(_)));
    answered.map(|it| it.objective.id.clone()).collect()
}

#[test]
fn files_outside_their_places_answer_no_question_about_the_host() {
    let place = Place::new();
    decoys(&place);
    case(&place, "");
    place.locard_ends(0, &["run", "case"]);
    let folder = place.only_run();
    let run = app::load_run(&folder).unwrap();
    assert_eq!(of_host(&run), [""; 0]);
    let told: Vec<_> = facts(&run).filter(belongs).collect();
    assert!(told.len() > 40, "{}", told.len());
    assert!(told.iter().all(|fact| fact.placement == Some(Placement::Elsewhere)));
    // A copy is not a source that could be searched for an answer about the host.
    assert_eq!(searched(&run), [""; 0]);
    // Questions about files as such are answered.
    let of_files = ["downloads", "profiles", "programs", "users"];
    let others: Vec<_> = answered(&run).into_iter().filter(|id| !of_files.contains(&id.as_str())).collect();
    assert_eq!(others, [""; 0]);
    let page = place.locard_ends(0, &["report", str(&folder), "--format", "markdown"]);
    assert!(page.contains("file at Users/mara/Downloads/"), "{page}");
    assert!(page.contains("files outside the places where Windows keeps such files"), "{page}");
    place.locard_ends(0, &["verify", str(&folder), "--evidence"]);
    place.locard_ends(0, &["replay", str(&folder)]);
}

#[test]
fn the_case_file_can_say_that_files_are_the_hosts_own() {
    let place = Place::new();
    decoys(&place);
    case(&place, "in_place = ['Backup\\old-pc']\n");
    let found = place.locard(&["run", "case"]);
    assert!(crate::support::text(&found.stderr).contains("name the file itself"));
    place.locard_ends(0, &["run", "case/case.toml"]);
    let folder = place.only_run();
    let run = app::load_run(&folder).unwrap();
    let own = |fact: &&FactEntry| fact.locator.path.starts_with("Backup/old-pc/");
    let (own, others): (Vec<_>, Vec<_>) = facts(&run).filter(belongs).partition(own);
    assert!(own.iter().all(|fact| fact.placement == Some(Placement::Stated)));
    assert!(others.iter().all(|fact| fact.placement == Some(Placement::Elsewhere)));
    let found = answered(&run);
    for id in ["tasks", "services", "startup", "subscriptions"] {
        assert!(found.contains(id), "{id}: {found:?}");
    }
    let page = place.locard_ends(0, &["report", str(&folder), "--format", "markdown"]);
    assert!(page.contains("(place stated by the case file)"), "{page}");
    place.locard_ends(0, &["verify", str(&folder), "--evidence"]);
}

#[test]
fn a_case_file_cannot_state_a_place_that_is_not_there() {
    let place = Place::new();
    place.file("case/evidence/a.txt", "a");
    for path in ["nowhere", "../case", ""] {
        case(&place, &format!("in_place = [\"{path}\"]\n"));
        let ended = place.locard(&["run", "case/case.toml"]);
        let told = crate::support::text(&ended.stderr);
        assert_eq!(ended.status.code(), Some(2), "{told}");
        assert!(told.contains("case.toml") && told.contains("from its root"), "{told}");
    }
}

#[test]
fn a_claim_about_the_host_from_a_file_elsewhere_is_refused_with_what_it_proves() {
    let place = Place::new();
    decoys(&place);
    case(&place, "");
    let replies = script(vec![
        Box::new(|_| calls(1, &[("records", json!({ "source": "prefetch" }))])),
        Box::new(|request| {
            let cited = invocations(request)[0].clone();
            let reading = |predicate: &str| {
                let values = json!({"executable": "NOTEPAD.EXE", "last_run": "2012-04-04T01:58:40.8392490Z"});
                json!({"predicate": predicate, "values": values, "invocation": cited, "record": "r0"})
            };
            let readings = [reading("executed"), reading("recorded")];
            calls(2, &[("record_phenomenon", json!({"readings": readings}))])
        }),
        Box::new(|_| words("done")),
    ]);
    let request = app::RunRequest {
        case: app::load_case(&place.path("case")).unwrap(),
        ..place.request(ledger::Rules { sweep: false, ..Default::default() }, vec![("execution", replies)])
    };
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
    let folder = runtime.block_on(app::run(request)).unwrap().folder;
    let run = app::load_run(&folder).unwrap();
    let page = place.locard_ends(0, &["rejections", str(&folder)]);
    let predicates: Vec<_> = facts(&run).map(|fact| fact.predicate.0.as_str()).collect();
    assert_eq!(predicates, ["recorded"], "{page}");
    assert!(page.contains("is not where Windows keeps"), "{page}");
}
