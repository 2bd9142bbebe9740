//! What a run says about its questions: nothing reassuring that was not shown.

use crate::support::{Place, script, str};
use graph::{Run, Stands};
use ledger::{Field, FieldType, FieldValue, Locator, Record, RecordId, Rules};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use testkit::scripted::{calls, words};

/// The demo, examined by an agent with its shipped objectives that makes these calls and records nothing.
fn looked(place: &Place, agent: &str, made: &[(&str, Value)]) -> Run {
    let made: Vec<(String, Value)> =
        made.iter().map(|(tool, given)| ((*tool).to_owned(), given.clone())).collect();
    let replies = script(vec![
        Box::new(move |_| {
            let made: Vec<(&str, Value)> =
                made.iter().map(|(tool, given)| (tool.as_str(), given.clone())).collect();
            if made.is_empty() { words("the computer is clean") } else { calls(1, &made) }
        }),
        Box::new(|_| words("the computer is clean")),
    ]);
    let mut rules = Rules::default();
    rules.recovery.attempts = 0;
    rules.budgets.calls_per_turn = 200;
    let mut request = place.request(rules, vec![(agent, replies)]);
    let shipped = app::shipped_agents().unwrap();
    let shipped = shipped.into_iter().find(|shipped| shipped.spec.name == agent).unwrap();
    request.agents[0].spec.objectives = shipped.spec.objectives;
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
    let folder = runtime.block_on(app::run(request)).unwrap().folder;
    let certificate = app::verify(&folder);
    assert!(certificate.holds(), "{certificate:#?}");
    app::load_run(&folder).unwrap()
}

fn stands(run: &Run, agent: &str, id: &str) -> Stands {
    let questions = graph::questions(run);
    questions.into_iter().find(|it| it.agent == agent && it.objective.id == id).unwrap().stands
}

#[test]
fn a_record_that_would_answer_and_was_not_recorded_is_told() {
    let run = looked(&Place::new(), "eventlog", &[("records", json!({"record": "log_cleared"}))]);
    let Stands::Seen { records, number } = stands(&run, "eventlog", "cleared") else { panic!() };
    assert_eq!((records.len() as u64, records[0].record), (number, ledger::RecordId(0)));
    assert!(
        report::markdown(&run).contains("Was the Security log cleared, and by whom? | seen, not recorded: ")
    );
}

#[test]
fn a_search_that_is_too_narrow_leaves_a_question_open_and_a_listing_is_none() {
    for (agent, id, call, expected) in [
        (
            "eventlog",
            "cleared",
            ("records", json!({"record": "log_cleared", "to": "1999-12-31T00:00:00Z"})),
            "partly",
        ),
        ("persistence", "services", ("records", json!({"source": "services", "name": "zzz"})), "partly"),
        // The argument leaves out every record that contains this text, which is all of them.
        ("persistence", "services", ("records", json!({"source": "services", "exclude": "p1"})), "partly"),
        ("eventlog", "cleared", ("records", json!({"record": "log_cleared", "exclude": "log"})), "partly"),
        // Rows of a folded timeline and records of an overview answer nothing, and neither counts as a search.
        (
            "eventlog",
            "cleared",
            ("timeline", json!({"source": "event_log", "fold": true, "exclude": "log"})),
            "not_asked",
        ),
        ("eventlog", "cleared", ("timeline", json!({"source": "prefetch", "rare_first": true})), "not_asked"),
        ("persistence", "services", ("overview", json!({})), "not_asked"),
        ("registry", "remote-desktop", ("list_hives", json!({})), "not_asked"),
        // That a file exists says nothing about its content.
        ("filesystem", "hosts", ("find_files", json!({"name": "**/drivers/etc/hosts"})), "not_asked"),
        ("filesystem", "streams", ("find_files", json!({"with_stream": "*"})), "not_asked"),
    ] {
        let run = looked(&Place::new(), agent, &[call]);
        assert_eq!(stands(&run, agent, id).word(), expected, "{id}");
    }
}

#[test]
fn what_nobody_was_handed_is_not_asked_and_an_idle_agent_leaves_everything_open() {
    let run = looked(&Place::new(), "persistence", &[]);
    let questions = graph::questions(&run);
    assert!(questions.iter().all(|it| it.stands == Stands::NotAsked));
    assert_eq!(questions.iter().filter(|it| !it.tasks.is_empty()).count(), 7);
    for page in [report::markdown(&run), report::answers(&run)] {
        assert!(!page.contains("no open questions") && page.contains("open questions remain"), "{page}");
    }
    let page = report::markdown(&run);
    for question in [
        "Which services start by themselves? | not asked",
        "Was the Security log cleared, and by whom? | not asked",
    ] {
        assert!(page.contains(question), "{question}");
    }
    assert!(report::answers(&run).contains("standard questions (14 of eventlog, "));
}

#[test]
fn a_question_of_the_case_file_stands_in_every_result() {
    let place = Place::new();
    let case = "title = \"T\"\n[[evidence]]\npath = \"evidence\"\nkind = \"directory\"\n[[objectives]]\nagent = \"registry\"\n\
        [objectives.objective]\nid = \"own\"\nquestion = \"Which compiler was used?\"\n[objectives.objective.condition]\n\
        predicate = \"configured\"\nrecord = \"registry_value\"\nsubject = \"*compiler*\"\nfield = \"data\"\n";
    place.file("case/case.toml", case);
    place.file("case/evidence/a.txt", "a");
    place.locard_ends(25, &["run", "case", "--fail-on", "open"]);
    let out = place.locard_ends(0, &["answers", "latest"]);
    assert!(out.contains("Which compiler was used?\n         asked by the case file"), "{out}");
    let page = place.locard_ends(0, &["report", str(&place.only_run()), "--format", "markdown"]);
    assert!(page.contains("Which compiler was used? (asked by the case file) |"), "{page}");
}

/// A row of a table as a record, complete enough for conditions; times are texts.
fn record(kind: &str, columns: &[String], row: &[Value]) -> Record {
    let table = tools::tables().iter().find(|table| table.name == kind).unwrap();
    let value = |name: &str, cell: &Value| {
        let column = table.columns.iter().find(|column| column.name == name)?;
        Some(match cell {
            Value::Null => return None,
            Value::Number(number) if column.types.contains(&FieldType::Flag) => {
                FieldValue::Flag(number.as_i64() == Some(1))
            }
            Value::String(text) if column.types.contains(&FieldType::List) => {
                let text = FieldValue::Text(text.clone());
                serde_json::from_str(&text.to_text()).map_or(text, FieldValue::List)
            }
            Value::String(text) => FieldValue::Text(text.clone()),
            other => FieldValue::Text(other.to_string()),
        })
    };
    let fields = columns.iter().zip(row).filter_map(|(name, cell)| Some((name.clone(), value(name, cell)?)));
    Record {
        placement: None,
        defects: vec![],
        fields: fields.map(|(name, value)| (name, Field { at: None, value })).collect(),
        id: RecordId(0),
        kind: kind.to_owned(),
        locator: Locator { evidence: String::new(), path: String::new(), stream: None, span: None },
    }
}

/// The number of rows per query.
const PAGE: usize = 50_000;

/// Checks every question that counts as searched without a result against all records of its type in the evidence.
/// Returns the number of such questions.
fn none_is_there(place: &Place, case: &str) -> usize {
    place.locard_ends(0, &["run", case, "--no-cache", "--quiet"]);
    let folder = place.runs().pop().unwrap();
    let run = app::load_run(&folder).unwrap();
    let questions = graph::questions(&run);
    // File hashes are only computed on request, and are in no table.
    let has_table = |kind: &str| tools::tables().iter().any(|table| table.name == kind);
    let searched: Vec<_> = questions
        .iter()
        .filter(|it| {
            matches!(it.stands, Stands::Searched { .. }) && has_table(&it.objective.condition.record)
        })
        .collect();
    for question in &searched {
        let condition = &question.objective.condition;
        let catalogue = tools::catalogue();
        let kind = catalogue.iter().flat_map(|tool| &tool.records).find(|kind| kind.name == condition.record);
        let mut at = 0;
        loop {
            let table = &condition.record;
            let statement = format!("SELECT * FROM \"{table}\" ORDER BY _row LIMIT {PAGE} OFFSET {at}");
            let page =
                place.locard_ends(0, &["sql", case, "--cache", "tables", "--format", "json", &statement]);
            let page: Value = serde_json::from_str(&page).unwrap();
            let columns: Vec<String> = serde_json::from_value(page["columns"].clone()).unwrap();
            let rows = page["rows"].as_array().unwrap();
            for row in rows {
                let record = record(&condition.record, &columns, row.as_array().unwrap());
                let holds = condition.would_hold(&record, &kind.unwrap().subject, true);
                assert!(!holds, "{case}: {} is told as not there: {row}", question.objective.question);
            }
            at += PAGE;
            if rows.len() < PAGE {
                break;
            }
        }
    }
    searched.len()
}

/// With `LOCARD_CASES`, it also checks the evidence of each unpacked case in that folder.
#[test]
fn what_is_told_as_searched_and_not_there_is_in_no_record_of_the_evidence() {
    assert!(none_is_there(&Place::new(), str(&crate::support::demo_folder())) > 4);
    #[expect(clippy::disallowed_methods, reason = "where the developer keeps unpacked cases")]
    let cases = std::env::var_os("LOCARD_CASES").map(PathBuf::from);
    let listed = |folder: &Path| -> Vec<PathBuf> {
        std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect()
    };
    for case in cases.iter().flat_map(|cases| listed(cases)) {
        let evidence = case.join("evidence");
        // Images are named one by one.
        let files = listed(&evidence);
        let pieces = if files.iter().any(|file| file.is_dir()) { vec![evidence] } else { files };
        for piece in pieces {
            let place = Place::new();
            match place.locard(&["run", str(&piece), "--no-cache", "--quiet"]).status.code() {
                Some(2) => println!("skipped: {} is no evidence", piece.display()),
                _ => println!("{} of {}", none_is_there(&Place::new(), str(&piece)), piece.display()),
            }
        }
    }
}

/// Whether somebody could consider the question closed.
fn is_reassuring(stands: &Stands) -> bool {
    matches!(stands, Stands::Searched { .. } | Stands::CannotBeTold(_))
}

#[test]
fn leaving_calls_out_never_makes_a_question_look_better() {
    let place = Place::new();
    place.has_demo_run(&[]);
    let whole = app::load_run(&place.only_run()).unwrap();
    let mut compared = 0;
    for agent in ["eventlog", "persistence", "registry"] {
        let task = whole.tasks.values().find(|view| view.assigned.agent.name == agent).unwrap();
        let made =
            task.invocations.iter().map(|made| (made.started.tool.as_str(), made.started.arguments.clone()));
        let calls: Vec<(&str, Value)> = made.collect();
        let all = looked(&Place::new(), agent, &calls);
        for left_out in 2..5 {
            let some: Vec<_> = calls
                .iter()
                .enumerate()
                .filter(|(at, _)| at % left_out != 1)
                .map(|(_, call)| call.clone())
                .collect();
            let part = looked(&Place::new(), agent, &some);
            for question in graph::questions(&part).iter().filter(|it| it.agent == agent) {
                let with_all = stands(&all, agent, &question.objective.id);
                let is_worse = !is_reassuring(&question.stands) || is_reassuring(&with_all);
                assert!(
                    is_worse,
                    "{}: {:?}, with all calls {with_all:?}",
                    question.objective.id, question.stands
                );
                compared += 1;
            }
        }
    }
    assert!(compared > 80, "{compared}");
}
