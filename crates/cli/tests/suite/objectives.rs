//! Every shipped objective is met by evidence that answers it, and stays unmet with evidence that only seems to.
//!
//! Each objective has a tempting and an answering folder. All tempting folders of an agent are one piece of evidence, and so are
//! all answering ones, so that each folder also tempts the agent's other objectives (except for those that any true source answers).

mod eventlog;
mod execution;
mod filesystem;
mod hives;
mod images;
mod persistence;
mod registry;
mod sources;
mod timeline;
mod user_activity;

use crate::support::{Place, str};
use app::{Agent, Finished, RunRequest};
use graph::Run;
use ledger::{EvidenceKind, FactEntry, Rules, Weight};
use llm::{Model, Playbook};
use std::path::Path;

/// The evidence to test an objective with.
struct Trial {
    /// The objective's id within its agent.
    objective: &'static str,
    /// Evidence that seems to answer the question and does not.
    tempting: fn(&Folder<'_>),
    /// The minimal evidence that answers it.
    answering: fn(&Folder<'_>),
}

/// The folder that a trial puts its files into.
struct Folder<'p> {
    place: &'p Place,
    /// The folder's path within the place.
    path: String,
}

impl Folder<'_> {
    fn file(&self, path: &str, bytes: impl AsRef<[u8]>) {
        self.place.file(&format!("{}/{path}", self.path), bytes);
    }

    fn folder(&self, path: &str) {
        self.place.folder(&format!("{}/{path}", self.path));
    }
}

/// The trials of each shipped agent.
fn trials(agent: &str) -> &'static [Trial] {
    match agent {
        "eventlog" => eventlog::TRIALS,
        "execution" => execution::TRIALS,
        "filesystem" => filesystem::TRIALS,
        "persistence" => persistence::TRIALS,
        "registry" => registry::TRIALS,
        "timeline" => timeline::TRIALS,
        "user-activity" => user_activity::TRIALS,
        _ => &[],
    }
}

/// Runs one agent's playbook over a folder of evidence.
fn investigated(place: &Place, agent: &Agent, evidence: &Path) -> (Finished, Run) {
    let request = RunRequest {
        case: app::load_case(evidence).unwrap(),
        agents: vec![agent.clone()],
        models: Box::new(|agent, _, _| -> Box<dyn Model> {
            Box::new(Playbook::new(agent.steps.clone(), agent.digest))
        }),
        ..place.request(Rules::default(), Vec::new())
    };
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
    let finished = runtime.block_on(app::run(request)).unwrap();
    let run = app::load_run(&finished.folder).unwrap();
    (finished, run)
}

/// The facts that meet an objective of the run's only agent.
fn meeting<'r>(finished: &Finished, run: &'r Run, objective: &str) -> Vec<&'r FactEntry> {
    let (_, ended) = &finished.tasks[0];
    let result = ended.objectives.iter().find(|result| result.id == objective).unwrap();
    result.facts.iter().map(|id| run.fact(*id).unwrap()).collect()
}

/// Creates a folder for each trial, and returns the folder that contains them.
fn laid_out<'t>(
    place: &Place,
    name: &str,
    trials: impl IntoIterator<Item = &'t Trial>,
    files: fn(&Trial) -> fn(&Folder<'_>),
) -> String {
    for trial in trials {
        files(trial)(&Folder { place, path: format!("{name}/of-{}", trial.objective) });
    }
    str(&place.path(name)).to_owned()
}

fn shipped(name: &str) -> Agent {
    app::shipped_agents().unwrap().into_iter().find(|agent| agent.spec.name == name).unwrap()
}

#[test]
fn every_shipped_objective_is_tried() {
    for agent in app::shipped_agents().unwrap() {
        let of = |kind: Option<EvidenceKind>| {
            let objectives = agent.spec.objectives.iter().filter(move |objective| objective.applies == kind);
            objectives.map(|objective| objective.id.as_str()).collect::<Vec<_>>()
        };
        let tried: Vec<_> = trials(&agent.spec.name).iter().map(|trial| trial.objective).collect();
        assert_eq!(tried, of(None), "{}: trials, in the order of the objectives", agent.spec.name);
        let on_images = if agent.spec.name == "filesystem" { images::TRIALS } else { &[] };
        let tried: Vec<_> = on_images.iter().map(|trial| trial.objective).collect();
        assert_eq!(tried, of(Some(EvidenceKind::Image)), "{}: trials of images", agent.spec.name);
    }
}

/// Any true source meets the objectives that give context. Their trials are run separately, because the tempting evidence
/// of the others would meet them.
fn nothing_is_met_by_what_only_looks_like_an_answer(agent: &str) {
    let agent = shipped(agent);
    let (apart, together): (Vec<_>, Vec<_>) =
        trials(&agent.spec.name).iter().partition(|trial| gives_context(&agent, trial));
    let pieces = std::iter::once(together).chain(apart.into_iter().map(|trial| vec![trial]));
    for trials in pieces.filter(|trials| !trials.is_empty()) {
        let place = Place::new();
        let evidence = laid_out(&place, "tempting", trials.iter().copied(), |trial| trial.tempting);
        let (finished, run) = investigated(&place, &agent, Path::new(&evidence));
        let met = trials.iter().flat_map(|trial| {
            let facts = meeting(&finished, &run, trial.objective);
            facts
                .into_iter()
                .map(|fact| format!("{} by {}", trial.objective, shown(fact)))
                .collect::<Vec<_>>()
        });
        let met: Vec<_> = met.collect();
        assert!(met.is_empty(), "{}: {met:#?}", agent.spec.name);
    }
}

fn gives_context(agent: &Agent, trial: &Trial) -> bool {
    let mut objectives = agent.spec.objectives.iter();
    objectives.any(|objective| objective.id == trial.objective && objective.weight == Weight::Context)
}

fn everything_is_met_by_its_answer(agent: &str) {
    let place = Place::new();
    let evidence = laid_out(&place, "answering", trials(agent), |trial| trial.answering);
    let (finished, run) = investigated(&place, &shipped(agent), Path::new(&evidence));
    for trial in trials(agent) {
        let facts = meeting(&finished, &run, trial.objective);
        let own = format!("of-{}/", trial.objective);
        assert!(
            facts.iter().any(|fact| fact.locator.path.starts_with(&own)),
            "{agent}: {} is not met by its own evidence but by {:#?}",
            trial.objective,
            facts.iter().map(|fact| shown(fact)).collect::<Vec<_>>()
        );
    }
}

fn shown(fact: &FactEntry) -> String {
    let values: Vec<_> =
        fact.values.iter().map(|bound| format!("{} = {}", bound.field, bound.value.to_text())).collect();
    format!("{:?} {}: {}", fact.subject.value.to_text(), fact.locator.path, values.join(", "))
}

#[test]
fn no_objective_is_met_by_what_only_looks_like_an_answer() {
    for agent in app::shipped_agents().unwrap() {
        nothing_is_met_by_what_only_looks_like_an_answer(&agent.spec.name);
    }
}

#[test]
fn every_objective_is_met_by_its_answer() {
    for agent in app::shipped_agents().unwrap() {
        everything_is_met_by_its_answer(&agent.spec.name);
    }
}

/// Evidence that answers one of an agent's objectives does not answer another, wherever it is.
#[test]
fn what_was_typed_is_no_command_of_a_task_though_it_lies_in_a_folder_of_that_name() {
    let place = Place::new();
    let file = "evidence/C/Backup/Tasks/ConsoleHost_history.txt";
    place.file(file, "Get-Content drivers/etc/hosts\r\n");
    let (finished, run) = investigated(&place, &shipped("execution"), &place.path("evidence"));
    // It is not a command typed on this computer either, because PowerShell keeps no history in such a folder.
    assert_eq!((meeting(&finished, &run, "commands").len(), run.facts().count()), (0, 2));
    let (finished, run) = investigated(&place, &shipped("persistence"), &place.path("evidence"));
    assert!(meeting(&finished, &run, "tasks").is_empty());
}
