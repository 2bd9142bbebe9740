//! Models by the names that a person types or a log holds.
//!
//! This is the only place that reads a key from the environment; it goes into a header of requests to that one server and nowhere else.

use crate::failure::Failure;
use app::{Agent, Models, NoModel};
use ledger::event::TaskAssigned;
use ledger::{Seed, TaskId};
use llm::api::{Address, AddressError, ApiKey, Dialect, KeyError, Provider, Settings, SetupError};
use llm::{Model, Playbook, Sloppy};
use std::sync::{Mutex, PoisonError};
use thiserror::Error;

/// Why there is no such model.
#[derive(Debug, Error)]
pub(crate) enum ModelFailure {
    #[error(
        "choose a model: expected `playbook`, `sloppy`, `sloppy:SEED`, `anthropic:MODEL` or `openai:MODEL@URL`, found {found:?}"
    )]
    Name { found: String },
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
}

/// What finds models by their names, and keeps the connections that the tasks of a command share.
#[derive(Debug, Default)]
pub(crate) struct Chooser {
    providers: Mutex<Vec<(Address, Settings, Provider)>>,
}

/// A model's name, understood.
enum Chosen {
    Playbook,
    Sloppy(u64),
    Remote(Provider),
}

impl Chooser {
    /// The models of a new run.
    pub(crate) fn of_new(&self, name: &str) -> Result<Box<Models>, Failure> {
        self.chosen(name).map(models).map_err(Failure::Model)
    }

    /// The model of a task that a log has.
    pub(crate) fn of_task(&self, assigned: &TaskAssigned) -> Result<Box<Models>, NoModel> {
        match self.chosen(&assigned.model) {
            Ok(chosen) => Ok(models(chosen)),
            Err(ModelFailure::Name { .. }) => Err(NoModel::Unknown),
            Err(failure) => Err(NoModel::Unavailable(Box::new(failure))),
        }
    }

    fn chosen(&self, name: &str) -> Result<Chosen, ModelFailure> {
        let is_remote = [Dialect::Anthropic, Dialect::OpenAi]
            .iter()
            .any(|dialect| name.split(':').next() == Some(dialect.name()));
        // It may be an address with a password.
        let wrong = || ModelFailure::Name { found: name.split('@').next().unwrap_or_default().to_owned() };
        match name.split_once(':') {
            None if name == "playbook" => Ok(Chosen::Playbook),
            None if name == "sloppy" => Ok(Chosen::Sloppy(1)),
            Some(("sloppy", seed)) => seed.parse().map(Chosen::Sloppy).map_err(|_| wrong()),
            Some(_) if is_remote => {
                self.provider(name.parse().map_err(ModelFailure::Address)?).map(Chosen::Remote)
            }
            Some(_) | None => Err(wrong()),
        }
    }

    /// The provider at an address: one for all tasks that ask it alike.
    fn provider(&self, address: Address) -> Result<Provider, ModelFailure> {
        let settings = Settings::default();
        let mut providers = self.providers.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((.., known)) = providers.iter().find(|(of, with, _)| (of, with) == (&address, &settings))
        {
            return Ok(known.clone());
        }
        let key = key(&address)?;
        let provider = Provider::new(&address, key, settings.clone()).map_err(ModelFailure::Setup)?;
        providers.push((address, settings, provider.clone()));
        Ok(provider)
    }
}

fn models(chosen: Chosen) -> Box<Models> {
    Box::new(move |agent: &Agent, _: TaskId, _: Seed| -> Box<dyn Model> {
        let playbook = || Playbook::new(agent.steps.clone(), agent.digest);
        match &chosen {
            Chosen::Playbook => Box::new(playbook()),
            Chosen::Sloppy(seed) => Box::new(Sloppy::new(playbook(), *seed)),
            Chosen::Remote(provider) => Box::new(provider.model()),
        }
    })
}

/// The key for an address; a variable that is set to nothing counts as unset.
#[expect(clippy::disallowed_methods, reason = "keys stand in the environment, and are read here alone")]
fn key(address: &Address) -> Result<Option<ApiKey>, ModelFailure> {
    let variable = address.dialect.key_variable();
    let Some(text) = std::env::var_os(variable).filter(|text| !text.is_empty()) else { return Ok(None) };
    let key = ApiKey::new(&text.to_string_lossy());
    key.map(Some).map_err(|source| ModelFailure::Key { model: address.to_string(), variable, source })
}
