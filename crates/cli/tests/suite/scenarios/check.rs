//! Checks whether a run had the result that its scenario expects; one line per difference.

use super::Lived;
use super::format::{Expected, ExpectedTask, Told};
use ledger::event::TaskStatus;
use ledger::{Event, Outcome, Stream, canonical};
use serde_json::Value;
use std::collections::BTreeMap;

/// The differences from what was expected.
pub(super) fn differences(lived: &Lived, expected: &Expected) -> Vec<String> {
    let mut found = tasks(lived, expected);
    let logged: Vec<(u16, Value)> =
        lived.log.iter().map(|(task, event, _)| (*task, serde_json::to_value(event).unwrap())).collect();
    for sequence in &expected.sequences {
        let mut rest = logged.iter();
        let missed = sequence.iter().position(|wanted| !rest.any(|(task, event)| wanted.fits(*task, event)));
        found.extend(missed.map(|at| format!("event {at} of a sequence does not come: {:?}", sequence[at])));
    }
    for denied in &expected.never {
        let met = logged.iter().find(|(task, event)| denied.fits(*task, event));
        found.extend(met.map(|(task, event)| format!("must not come: task {task}: {event}")));
    }
    found.extend(counts(lived, expected));
    found.extend(expected.told.iter().flat_map(|told| words(lived, told)));
    found
}

/// Violations of what must hold for any run, whatever its scenario expects.
pub(super) fn faults(lived: &Lived) -> Vec<String> {
    let mut found = lived.findings.clone();
    found.extend(lived.diverged.clone());
    found.extend(lived.broken.iter().map(|rule| format!("a rule of the API was broken: {rule}")));
    let mut ended = Vec::new();
    let mut executed: BTreeMap<(String, String), usize> = BTreeMap::new();
    for (task, event, served) in &lived.log {
        if ended.contains(task) {
            found.push(format!("task {task} went on behind its end: {}", event.name()));
        }
        if matches!(event, Event::TaskEnded(_)) {
            ended.push(*task);
        }
        if let Event::InvocationEnded(end) = event
            && !served
            && !matches!(end.outcome, Outcome::Timeout | Outcome::Denied)
        {
            let call = lived.call(end.invocation);
            *executed.entry(call).or_default() += 1;
        }
    }
    let twice = executed.into_iter().filter(|(_, times)| *times > 1);
    found.extend(twice.map(|((tool, arguments), _)| format!("executed twice: {tool} {arguments}")));
    found
}

fn tasks(lived: &Lived, expected: &Expected) -> Vec<String> {
    let mut found = Vec::new();
    let there = lived.assigned();
    if there.keys().ne(expected.tasks.keys()) {
        found.push(format!("the tasks are {there:?}"));
    }
    for (task, wanted) in &expected.tasks {
        if there.get(task) != Some(&wanted.agent) {
            found.push(format!("task {task} is {:?}'s", there.get(task)));
        }
        found.extend(task_differences(lived, *task, wanted));
    }
    let recovering = lived.recovering();
    if recovering != expected.recovering {
        found.push(format!("other ways are tried in the tasks {recovering:?}"));
    }
    found
}

fn task_differences(lived: &Lived, task: u16, wanted: &ExpectedTask) -> Vec<String> {
    let ended = lived.log.iter().find_map(|(of, event, _)| match event {
        Event::TaskEnded(ended) if *of == task => Some(ended),
        _ => None,
    });
    let Some(ended) = ended else { return vec![format!("task {task} has no end")] };
    let accepted = lived.log.iter().find_map(|(_, event, _)| match event {
        Event::TaskReported(reported) if reported.task.0 == task => Some(reported.accepted),
        _ => None,
    });
    let word = |value: Value| value.as_str().map(str::to_owned);
    let status = word(serde_json::to_value::<TaskStatus>(ended.status).unwrap());
    let spent = ended.spent.and_then(|spent| word(serde_json::to_value(spent).unwrap()));
    let answers: BTreeMap<String, String> =
        ended.objectives.iter().map(|result| (result.id.clone(), result.answer().to_owned())).collect();
    let is = (status, spent, accepted, answers);
    let wanted_end =
        (Some(wanted.status.clone()), wanted.spent.clone(), wanted.accepted, wanted.answers.clone());
    let mut found = Vec::new();
    if is != wanted_end {
        found.push(format!("task {task} ended as {is:?}, not as {wanted_end:?}"));
    }
    for (objective, level) in &wanted.confidence {
        let is = lived.sure.get(&(task, objective.clone()));
        if is != Some(level) {
            found.push(format!("the confidence of {objective} in task {task} is {is:?}, not {level}"));
        }
    }
    found
}

fn counts(lived: &Lived, expected: &Expected) -> Vec<String> {
    let number = |is: &dyn Fn(&Event, bool) -> bool| {
        lived.log.iter().filter(|(_, event, served)| is(event, *served)).count()
    };
    let wanted = &expected.counts;
    let all = [
        (
            "executed",
            wanted.executed,
            number(&|it, served| matches!(it, Event::InvocationEnded(_)) && !served),
        ),
        (
            "from_other_tasks",
            wanted.from_other_tasks,
            number(&|it, served| matches!(it, Event::InvocationEnded(_)) && served),
        ),
        ("from_own_log", wanted.from_own_log, number(&|it, _| matches!(it, Event::CallServed(_)))),
        ("recoveries", wanted.recoveries, number(&|it, _| matches!(it, Event::RecoveryBegun(_)))),
        ("artifacts", wanted.artifacts, number(&|it, _| matches!(it, Event::ArtifactStored(_)))),
        ("facts", wanted.facts, number(&|it, _| matches!(it, Event::ClaimAccepted(_)))),
        ("statements", wanted.statements, number(&|it, _| matches!(it, Event::StatementTold(_)))),
    ];
    let differs = all.into_iter().filter(|(_, wanted, is)| wanted.is_some_and(|wanted| wanted != *is));
    differs.map(|(name, wanted, is)| format!("{name}: {is}, not {wanted:?}")).collect()
}

fn words(lived: &Lived, told: &Told) -> Vec<String> {
    let Told { task, turn, has, lacks } = told;
    let Some(heard) = lived.heard.get(&(*task, *turn)) else {
        return vec![format!("task {task} was told nothing in turn {turn}")];
    };
    let missing = has.iter().filter(|text| !heard.contains(*text)).map(|text| ("not told of", text));
    let too_much = lacks.iter().filter(|text| heard.contains(*text)).map(|text| ("told of", text));
    let one = |(what, text): (&str, &String)| {
        format!("task {task} in turn {turn} is {what} {text:?}: {}", shortened(heard))
    };
    missing.chain(too_much).map(one).collect()
}

/// The beginning of a long text.
fn shortened(text: &str) -> String {
    text.chars().take(4_000).collect()
}

impl Lived {
    /// All tasks with their agents.
    fn assigned(&self) -> BTreeMap<u16, String> {
        let assigned = self.assigned.iter().map(|assigned| (assigned.task.0, assigned.agent.name.clone()));
        assigned.collect()
    }

    /// The tasks in which a recovery began.
    pub(super) fn recovering(&self) -> Vec<u16> {
        let begun = self.log.iter().filter(|(_, event, _)| matches!(event, Event::RecoveryBegun(_)));
        let mut tasks: Vec<u16> = begun.map(|(task, ..)| *task).collect();
        tasks.sort_unstable();
        tasks.dedup();
        tasks
    }

    /// The tool and the arguments that an invocation was started with.
    fn call(&self, invocation: ledger::InvocationId) -> (String, String) {
        let started = self.log.iter().find_map(|(_, event, _)| match event {
            Event::InvocationStarted(started) if started.invocation == invocation => Some(started),
            _ => None,
        });
        let started = started.unwrap();
        (started.tool.clone(), canonical::to_string(&started.arguments).unwrap())
    }
}

/// The number of a stream's task; 0 for the run.
pub(super) fn number(stream: Stream) -> u16 {
    match stream {
        Stream::Run => 0,
        Stream::Task(task) => task.0,
    }
}
