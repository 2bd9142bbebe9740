//! Rules that a team brings to a run: their findings are in the log, and become facts in the ordinary way.

use crate::support::{Place, script, str};
use app::{Naming, Progress, ResumeRequest, RulePaths, RunError, RunRequest, Workplace};
use ledger::{HUNT, Rules};
use llm::Model;
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use testkit::scripted::{Scripted, words};

const SERVICE: &str = "title: A Service in ProgramData
id: 6a1e1b3e-6c36-4a3c-9f39-0a4d2b8d9f10
level: critical
tags: [attack.persistence, attack.t1543.003]
logsource: { product: windows, service: system }
detection:
    sel: { Provider_Name: Service Control Manager, EventID: 7045, ImagePath|contains: '\\ProgramData\\' }
    condition: sel
";

const LOGON: &str = "title: Any Logon
level: low
logsource: { product: windows, service: security }
detection:
    sel: { EventID: [4624, 4625] }
    condition: sel
";

fn idle() -> Scripted {
    script(vec![Box::new(|_| words("the computer is clean")), Box::new(|_| words("the computer is clean"))])
}

fn brought(place: &Place) -> RunRequest {
    place.file("rules/service.yml", SERVICE);
    place.file("rules/deep/logon.yml", LOGON);
    place.file("rules/broken.yml", "title: none\ndetection:\n    s: [\n");
    let paths = RulePaths { sigma: vec![place.path("rules")], ..RulePaths::default() };
    let mut rules = Rules::default();
    rules.recovery.attempts = 0;
    RunRequest {
        brought: Arc::new(app::brought(&paths, Naming::Short).unwrap()),
        ..place.request(rules, vec![("registry", idle())])
    }
}

fn block_on<T>(future: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap().block_on(future)
}

#[test]
fn a_run_records_what_its_rules_find_and_a_fact_over_such_a_record_has_their_level() {
    let place = Place::new();
    let folder = block_on(app::run(brought(&place))).unwrap().folder;
    place.locard_ends(0, &["verify", str(&folder), "--evidence"]);
    place.locard_ends(0, &["replay", str(&folder)]);
    let run = app::load_run(&folder).unwrap();
    let names: Vec<&str> = run.opened.brought.iter().map(|file| file.name.as_str()).collect();
    assert_eq!(names, ["rules/broken.yml", "rules/deep/logon.yml", "rules/service.yml"]);
    let matched = &run.brought.as_ref().unwrap().matched;
    assert_eq!((matched.rules, matched.unusable[0].file.as_str()), (2, "rules/broken.yml"));
    let (service, logon) = (&matched.fits[0], &matched.fits[1]);
    assert_eq!((service.title.as_str(), service.records), ("A Service in ProgramData", 1));
    assert!(logon.records > 0, "{logon:?}");
    let hunted: Vec<_> = run.tasks.values().filter(|view| view.assigned.hunt).collect();
    assert_eq!((hunted.len(), hunted[0].assigned.model.as_str()), (1, HUNT));
    // Each fact is based on the matching record, which a call in the log returned.
    let of_rules = graph::rules_of_facts(&run);
    let of_service: Vec<_> = of_rules.iter().filter(|(_, rules)| rules.contains(&0)).collect();
    assert_eq!(of_service.len(), 1, "{of_rules:?}");
    let fact = run.fact(*of_service[0].0).unwrap();
    assert_eq!((fact.predicate.0.as_str(), fact.kind.as_str()), ("installed", "service_installed"));
    assert_eq!(graph::levels(&run)[&fact.id], detect::Level::Critical);
    let of_logon = of_rules.values().filter(|rules| rules.contains(&1)).count();
    assert!((1..=20).contains(&of_logon), "{of_logon}");
    let said = "a rule that you brought: A Service in ProgramData (sigma, critical, rules/service.yml)";
    for page in [report::markdown(&run), report::facts(&run), report::summary(&run)] {
        assert!(page.contains("A Service in ProgramData"), "{page}");
    }
    assert!(report::facts(&run).contains(said));
    assert!(report::markdown(&run).contains("## Rules that you brought"));
    let json: Value = report::json(&run);
    assert_eq!(json["brought"]["rules"][0]["facts"][0], fact.id.to_string());
    assert_eq!(json["brought"]["hits"][0]["record"], "service_installed");
}

#[test]
fn a_run_without_rules_says_nothing_of_them() {
    let place = Place::new();
    let (finished, run) = place.investigate(Rules::default(), vec![("registry", idle())]);
    assert!(run.opened.brought.is_empty() && run.brought.is_none());
    assert!(run.tasks.values().all(|view| !view.assigned.hunt));
    assert!(report::json(&run).get("brought").is_none());
    let manifest = std::fs::read_to_string(finished.folder.join("manifest.json")).unwrap();
    assert!(!manifest.contains("brought"), "{manifest}");
    assert!(report::brought_text(&run).is_empty());
}

/// A run that was interrupted right after it was opened.
fn broken_off(place: &Place) -> (PathBuf, Workplace) {
    let mut request = brought(place);
    let work = request.work.clone();
    let interrupt = request.work.interrupt.clone();
    request.work.observe = Arc::new(move |event| {
        if matches!(event, Progress::Opened { .. }) {
            interrupt.interrupt();
        }
    });
    assert!(matches!(block_on(app::run(request)), Err(RunError::Interrupted { .. })));
    let folder = std::fs::read_dir(place.path("runs")).unwrap().next().unwrap().unwrap().path();
    (folder, Workplace { interrupt: app::Interrupt::new(), ..work })
}

fn goes_on(folder: &Path, work: Workplace) -> ResumeRequest {
    let models = || -> Box<app::Models> { Box::new(|_, _, _| -> Box<dyn Model> { Box::new(idle()) }) };
    ResumeRequest {
        folder: folder.to_owned(),
        evidence: Vec::new(),
        agents: Vec::new(),
        models: Box::new(move |_| Ok(models())),
        work,
    }
}

#[test]
fn a_run_goes_on_with_the_rules_that_it_was_begun_with_or_names_the_one_that_changed() {
    let place = Place::new();
    let (folder, work) = broken_off(&place);
    place.file("rules/deep/logon.yml", LOGON.replace("low", "high"));
    let error = block_on(app::resume(goes_on(&folder, work.clone()))).unwrap_err();
    assert!(error.to_string().contains("rules/deep/logon.yml is not what it was"), "{error}");
    place.file("rules/deep/logon.yml", LOGON);
    block_on(app::resume(goes_on(&folder, work))).unwrap();
    let run = app::load_run(&folder).unwrap();
    assert_eq!(run.brought.as_ref().unwrap().matched.fits.len(), 2);
    place.locard_ends(0, &["verify", str(&folder)]);
    place.locard_ends(0, &["replay", str(&folder)]);
}
