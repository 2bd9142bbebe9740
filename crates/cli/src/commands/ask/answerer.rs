//! Who answers what code cannot: nobody, or a language model that the user chose.

use crate::arguments::ModelArguments;
use crate::failure::Failure;
use crate::models::{Chooser, Given, ModelFailure};
use app::{Answerer, ToAsk};
use ledger::AskedQuestion;
use std::path::Path;
use std::sync::Arc;

/// The name that means that code alone answers.
const CODE: &str = "playbook";

#[derive(Debug, clap::Args)]
pub(crate) struct AnswererArguments {
    /// A language model for what code cannot answer: anthropic:MODEL or openai:MODEL@URL
    ///
    /// Code always tries first. By default, `playbook`, nothing else answers.
    /// Keys are read from ANTHROPIC_API_KEY and OPENAI_API_KEY (docs/models.md).
    #[arg(long, default_value = CODE)]
    pub(crate) model: String,
    #[command(flatten)]
    pub(crate) language_model: ModelArguments,
}

/// What makes the models of questions.
pub(crate) struct Answerers {
    pub(crate) chooser: Arc<Chooser>,
    /// The name of the model; `None` if code alone answers.
    model: Option<String>,
}

impl Answerers {
    /// Checks the name of the model before anything is read.
    pub(crate) fn new(arguments: &AnswererArguments, runs: &Path) -> Result<Answerers, Failure> {
        let AnswererArguments { model, language_model } = arguments;
        let chooser = Chooser::new(Given::from(language_model), runs);
        // `sloppy` and `recorded` repeat steps of agents that have a playbook; the asker has none.
        if ["sloppy", "recorded"].iter().any(|name| model.split(':').next() == Some(name)) {
            return Err(Failure::Model(ModelFailure::Name { found: model.clone() }));
        }
        drop(chooser.of_new(model).map_err(Failure::Model)?);
        let model = (model != CODE).then(|| model.clone());
        Ok(Answerers { chooser: Arc::new(chooser), model })
    }

    /// Checks whether a model answers what code cannot.
    pub(crate) const fn has_model(&self) -> bool {
        self.model.is_some()
    }

    /// Returns the task of the model, if there is one. `records` are the types of records that could answer the question.
    pub(super) fn model(
        &self,
        text: &str,
        records: &[String],
        question: AskedQuestion,
    ) -> Result<Option<ToAsk>, Failure> {
        let Some(model) = &self.model else { return Ok(None) };
        let (models, _) = self.chooser.of_new(model).map_err(Failure::Model)?;
        let agent = app::asker_of(text, records).map_err(|error| Failure::Run(Box::new(error)))?;
        let by = Answerer::Model { agent: Box::new(agent), models };
        Ok(Some(ToAsk { question: AskedQuestion { rows: Vec::new(), ..question }, by }))
    }
}
