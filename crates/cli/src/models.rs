//! Resolves the names of models, as typed or as found in a log.
//!
//! Only this module reads keys from the environment. A key goes into a header of requests to its own server, and nowhere else.

use crate::arguments::ModelArguments;
use crate::commands::passed_over;
use crate::printer::complain;
use app::{Agent, Models, NoModel, RecordedRun};
use ledger::event::TaskAssigned;
use ledger::{Prices, Seed, TaskId};
use llm::api::{
    Address, AddressError, ApiError, ApiKey, Dialect, KeyError, Provider, Retries, Settings, SetupError,
};
use llm::{Model, Outside, Sloppy};
use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Duration;
use thiserror::Error;

/// How the names of models begin.
pub(crate) const NAMES: [&str; 5] = ["playbook", "sloppy", "anthropic", "openai", "recorded"];

/// Why there is no such model.
#[derive(Debug, Error)]
pub(crate) enum ModelFailure {
    #[error(
        "choose a model: expected `playbook`, `sloppy`, `sloppy:SEED`, `anthropic:MODEL`, `openai:MODEL@URL` or `recorded:RUN`, found {found:?}"
    )]
    Name { found: String },
    #[error("choose a model: {option} fits models over a network alone, found {found:?}")]
    NotRemote { option: &'static str, found: String },
    #[error(transparent)]
    Address(AddressError),
    #[error("set up the model {model}: the environment variable {variable} holds no key")]
    Key {
        model: String,
        variable: &'static str,
        #[source]
        source: KeyError,
    },
    #[error(transparent)]
    Setup(SetupError),
    #[error(transparent)]
    Find(app::OpenRunError),
    #[error(transparent)]
    Recorded(app::RecordedError),
}

/// Options for models that are reached over a network.
#[derive(Debug, Clone, Default)]
pub(crate) struct Given {
    pub(crate) context: Option<u32>,
    pub(crate) prices: Option<Prices>,
    pub(crate) patience: Option<Duration>,
}

impl From<&ModelArguments> for Given {
    fn from(arguments: &ModelArguments) -> Given {
        Given {
            context: arguments.context_tokens,
            prices: arguments.price,
            patience: arguments.patience.map(Duration::from_secs),
        }
    }
}

/// Resolves models by name, and keeps what the tasks of a command share: connections and recordings.
#[derive(Debug)]
pub(crate) struct Chooser {
    given: Given,
    /// The folder with runs that `recorded:RUN` refers to.
    runs: PathBuf,
    providers: Mutex<Vec<(Address, Settings, Provider)>>,
    recordings: Mutex<BTreeMap<String, Arc<RecordedRun>>>,
    listener: Arc<Listener>,
}

/// The callback for notices that a model is asked again.
#[derive(Default)]
struct Listener {
    say: OnceLock<Box<Say>>,
    /// The last notice. The agents of a run hit the same problem at the same time, and it should be shown once.
    last: Mutex<String>,
}

type Say = dyn Fn(&str) + Send + Sync;

impl fmt::Debug for Listener {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Listener").finish_non_exhaustive()
    }
}

impl Listener {
    fn hear(&self, model: &str, why: &ApiError) {
        let note = format!("note: {model}: {why}; asking again");
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(say) = self.say.get().filter(|_| *last != note) {
            say(&note);
            *last = note;
        }
    }
}

/// A parsed and resolved model name.
enum Chosen {
    Playbook,
    Sloppy(u64),
    Remote(Provider),
    Recorded(Arc<RecordedRun>),
    /// The agent of another program, which is no longer connected.
    Outside(String),
}

impl Chooser {
    pub(crate) fn new(given: Given, runs: &Path) -> Chooser {
        let (providers, recordings, listener) = (Mutex::default(), Mutex::default(), Arc::default());
        Chooser { given, runs: runs.to_owned(), providers, recordings, listener }
    }

    /// Sets the callback for notices that a model is asked again; only the first call has an effect.
    pub(crate) fn tell(&self, say: impl Fn(&str) + Send + Sync + 'static) {
        // A callback is already set.
        drop(self.listener.say.set(Box::new(say)));
    }

    /// The models for a new run, and the recorded run that they repeat, if any.
    /// The new run takes over the recorded run's seed and what that run recalled of earlier runs.
    pub(crate) fn of_new(&self, name: &str) -> Result<(Box<Models>, Option<Arc<RecordedRun>>), ModelFailure> {
        let Given { context, prices, .. } = self.given;
        let chosen = self.chosen(name, context, prices)?;
        let recorded = match &chosen {
            Chosen::Recorded(run) => Some(Arc::clone(run)),
            Chosen::Playbook | Chosen::Sloppy(_) | Chosen::Remote(_) | Chosen::Outside(_) => None,
        };
        Ok((models(chosen), recorded))
    }

    /// The model for a task, according to a log.
    pub(crate) fn of_task(&self, assigned: &TaskAssigned) -> Result<Box<Models>, NoModel> {
        // The outside agent is gone and decides nothing any more: the task ends, and the run can be sealed.
        if assigned.model.starts_with(mcp::MODEL_PREFIX) {
            return Ok(models(Chosen::Outside(assigned.model.clone())));
        }
        let context = assigned.window.map(|window| window.context);
        no_model(self.chosen(&assigned.model, context, assigned.prices))
    }

    /// The model for a task that branches off, at the prices given on the command line, or else at those in the log.
    pub(crate) fn of_branch(&self, assigned: &TaskAssigned) -> Result<Box<Models>, NoModel> {
        let context = assigned.window.map(|window| window.context);
        no_model(self.chosen(&assigned.model, context, self.given.prices.or(assigned.prices)))
    }

    fn chosen(
        &self,
        name: &str,
        context: Option<u32>,
        prices: Option<Prices>,
    ) -> Result<Chosen, ModelFailure> {
        let wrong = || ModelFailure::Name { found: before_address(name) };
        let (provider, rest) = name.split_once(':').unwrap_or((name, ""));
        let dialects = [Dialect::Anthropic, Dialect::OpenAi];
        if dialects.iter().any(|dialect| dialect.name() == provider) && name != provider {
            let address = name.parse().map_err(ModelFailure::Address)?;
            return self.provider(address, context, prices).map(Chosen::Remote);
        }
        let chosen = match (provider, rest) {
            ("playbook", _) if name == provider => Chosen::Playbook,
            ("sloppy", _) if name == provider => Chosen::Sloppy(1),
            ("sloppy", seed) => Chosen::Sloppy(seed.parse().map_err(|_| wrong())?),
            ("recorded", run) if !run.is_empty() => Chosen::Recorded(self.recording(run)?),
            _ => return Err(wrong()),
        };
        let options =
            [(self.given.context.is_some(), "--context-tokens"), (self.given.prices.is_some(), "--price")];
        match options.into_iter().find(|(given, _)| *given) {
            Some((_, option)) => Err(ModelFailure::NotRemote { option, found: before_address(name) }),
            None => Ok(chosen),
        }
    }

    /// The provider at an address; tasks with the same settings share one.
    fn provider(
        &self,
        address: Address,
        context: Option<u32>,
        prices: Option<Prices>,
    ) -> Result<Provider, ModelFailure> {
        let context = context.unwrap_or_else(|| address.usual_context());
        let settings = Settings::for_context(context).map_err(ModelFailure::Setup)?;
        let retries = self.given.patience.map_or_else(Retries::default, Retries::lasting);
        let settings = Settings { prices, retries, ..settings };
        let mut providers = self.providers.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((.., known)) = providers.iter().find(|(of, with, _)| (of, with) == (&address, &settings))
        {
            return Ok(known.clone());
        }
        let key = key(&address)?;
        let (listener, model) = (Arc::clone(&self.listener), address.to_string());
        let notice = Arc::new(move |why: &ApiError, _: Duration| listener.hear(&model, why));
        let provider =
            Provider::telling(&address, key, settings.clone(), notice).map_err(ModelFailure::Setup)?;
        providers.push((address, settings, provider.clone()));
        Ok(provider)
    }

    /// The recording of a run, looked up and read only once, because `latest` changes as soon as another run begins.
    fn recording(&self, run: &str) -> Result<Arc<RecordedRun>, ModelFailure> {
        let mut recordings = self.recordings.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = recordings.get(run) {
            return Ok(Arc::clone(known));
        }
        let found = app::find_sealed(run, &self.runs).map_err(ModelFailure::Find)?;
        if let Some(told) = passed_over(&found) {
            complain(&told);
        }
        let folder = found.folder;
        let recorded = Arc::new(app::recorded(&folder).map_err(ModelFailure::Recorded)?);
        recordings.insert(run.to_owned(), Arc::clone(&recorded));
        Ok(recorded)
    }
}

/// The part of a model name that messages may repeat: after an `@`, there may be an address with a password.
fn before_address(name: &str) -> String {
    name.split('@').next().unwrap_or_default().to_owned()
}

fn no_model(chosen: Result<Chosen, ModelFailure>) -> Result<Box<Models>, NoModel> {
    match chosen {
        Ok(chosen) => Ok(models(chosen)),
        Err(ModelFailure::Name { .. }) => Err(NoModel::Unknown),
        Err(failure) => Err(NoModel::Unavailable(Box::new(failure))),
    }
}

fn models(chosen: Chosen) -> Box<Models> {
    if let Chosen::Recorded(run) = &chosen {
        return run.models();
    }
    Box::new(move |agent: &Agent, _: TaskId, _: Seed| -> Box<dyn Model> {
        let playbook = || agent.playbook();
        match &chosen {
            Chosen::Sloppy(seed) => Box::new(Sloppy::new(playbook(), *seed)),
            Chosen::Remote(provider) => Box::new(provider.model()),
            Chosen::Outside(name) => Box::new(Outside::nobody(name.clone())),
            Chosen::Playbook | Chosen::Recorded(_) => Box::new(playbook()),
        }
    })
}

/// The key for an address; an empty variable counts as unset.
#[expect(clippy::disallowed_methods, reason = "keys stand in the environment, and are read here alone")]
fn key(address: &Address) -> Result<Option<ApiKey>, ModelFailure> {
    let variable = address.dialect.key_variable();
    let Some(text) = std::env::var_os(variable).filter(|text| !text.is_empty()) else { return Ok(None) };
    let key = ApiKey::new(&text.to_string_lossy());
    key.map(Some).map_err(|source| ModelFailure::Key { model: address.to_string(), variable, source })
}
