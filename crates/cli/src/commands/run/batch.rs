//! Investigates cases in parallel; a failure of one does not affect the others.

use super::account::{Account, Asked, Outcome};
use super::{Begin, Opened, Plan};
use crate::failure::{Failure, describe};
use app::{Finished, RunError};
use report::Language;
use std::collections::HashMap;
use std::sync::Arc;
use tokio::task::{Id, JoinSet};

/// Investigates the cases and returns them with their outcomes, in order. They are started in order, at most `jobs` at once.
///
/// After an interrupt, no further case is started.
pub(super) async fn investigate(plan: Arc<Plan>, cases: Vec<Opened>, jobs: usize) -> Vec<Asked> {
    let several = cases.len() > 1;
    let mut asked: Vec<Asked> = Vec::new();
    let mut waiting = Vec::new();
    for (index, (case, opened)) in cases.into_iter().enumerate() {
        let outcome = match opened {
            Ok(opened) => {
                waiting.push((index, opened));
                Outcome::NotBegun
            }
            Err(failure) => Outcome::Failed(failure),
        };
        asked.push(Asked { case, outcome });
        if let Some(Asked { outcome: Outcome::Failed(_), .. }) = asked.last() {
            plan.board().end(index, false);
            complain(&plan, asked.last(), several);
        }
    }
    let mut waiting = waiting.into_iter();
    let mut running: JoinSet<Outcome> = JoinSet::new();
    let mut indices: HashMap<Id, usize> = HashMap::new();
    loop {
        while running.len() < jobs
            && !plan.interrupt.is_interrupted()
            && let Some((index, case)) = waiting.next()
        {
            let task = running.spawn(one(Arc::clone(&plan), index, case));
            indices.insert(task.id(), index);
        }
        let Some(joined) = running.join_next_with_id().await else { break };
        let (id, outcome) = match joined {
            Ok((id, outcome)) => (id, outcome),
            Err(error) => (error.id(), Outcome::Failed(Failure::Panicked)),
        };
        let Some(index) = indices.remove(&id) else { continue };
        plan.board().end(index, matches!(outcome, Outcome::Sealed(_)));
        if let Some(asked) = asked.get_mut(index) {
            asked.outcome = outcome;
        }
        complain(&plan, asked.get(index), several);
    }
    asked
}

/// Reports warnings and failures of a case at once, without waiting for the others.
fn complain(plan: &Plan, asked: Option<&Asked>, several: bool) {
    let Some(Asked { case, outcome }) = asked else { return };
    let texts = match outcome {
        Outcome::Sealed(account) => {
            account.warnings.iter().map(|warning| report::terminal(warning)).collect()
        }
        Outcome::Failed(failure) if failure.is_closed_pipe() => Vec::new(),
        Outcome::Failed(failure) => vec![describe(failure)],
        Outcome::Interrupted(folder) => {
            let folder = report::terminal(&folder.display().to_string());
            vec![format!(
                "interrupted: {folder} is not sealed; `locard resume` resumes it; facts, report and verify --unsealed read what it holds"
            )]
        }
        Outcome::NotBegun => Vec::new(),
    };
    for text in texts {
        match several {
            true => plan.screen.say(&format!("{}: {text}", report::terminal(&case.display().to_string()))),
            false => plan.screen.say(&text),
        }
    }
}

async fn one(plan: Arc<Plan>, index: usize, begin: Begin) -> Outcome {
    let finished = match begin {
        Begin::New { case, new } => {
            plan.begin(index, &case.entry.name);
            match plan.request(index, case, &new) {
                Ok(request) => app::run(request).await,
                Err(failure) => return Outcome::Failed(failure),
            }
        }
        Begin::BrokenOff { folder, evidence } => {
            let name = folder.file_name().unwrap_or(folder.as_os_str()).to_string_lossy();
            plan.begin(index, &name);
            let request = plan.resume_request(index, folder.clone(), evidence);
            app::resume(request).await
        }
    };
    let language = plan.language;
    match finished {
        Ok(finished) => match tokio::task::spawn_blocking(move || account(finished, language)).await {
            Ok(Ok(account)) => Outcome::Sealed(Box::new(account)),
            Ok(Err(failure)) => Outcome::Failed(failure),
            Err(_) => Outcome::Failed(Failure::Panicked),
        },
        Err(RunError::Interrupted { folder }) => Outcome::Interrupted(folder),
        Err(error) => Outcome::Failed(Failure::Run(Box::new(error))),
    }
}

fn account(finished: Finished, language: Language) -> Result<Account, Failure> {
    let mut run = app::load_run(&finished.folder).map_err(Failure::Open)?;
    run.tell_in(language);
    Ok(Account::of(finished, &run))
}
