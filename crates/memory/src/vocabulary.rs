//! The shipped vocabulary: the only names and words that the general memory can hold.

use crate::words::words;
use ledger::{AgentSpec, CallForm, KnownTool, ToolSpec, ValueKind};
use std::collections::{BTreeMap, BTreeSet};

/// Names and words that come with this program; none of them comes from evidence, models or users.
#[derive(Debug, Clone, Default)]
pub struct Vocabulary {
    pub(crate) agents: BTreeSet<String>,
    /// The shipped questions, as `agent/objective`.
    pub(crate) questions: BTreeSet<String>,
    pub(crate) predicates: BTreeSet<String>,
    pub(crate) strategies: BTreeSet<String>,
    pub(crate) sources: BTreeSet<String>,
    pub(crate) words: BTreeSet<String>,
    tools: BTreeMap<String, KnownTool>,
}

impl Vocabulary {
    /// Adds these agents, with their questions.
    #[must_use]
    pub fn with_agents<'a>(mut self, agents: impl IntoIterator<Item = &'a AgentSpec>) -> Vocabulary {
        for agent in agents {
            self.agents.insert(agent.name.clone());
            self.add_words(&agent.name);
            for objective in &agent.objectives {
                self.questions.insert(format!("{}/{}", agent.name, objective.id));
                self.add_words(&objective.id);
                self.add_words(&objective.question);
            }
        }
        self
    }

    /// Adds these tools: their names, arguments, choices, record types and fields.
    #[must_use]
    pub fn with_tools<'t>(mut self, tools: impl IntoIterator<Item = &'t ToolSpec>) -> Vocabulary {
        for spec in tools {
            let known = KnownTool::of(spec);
            self.sources.extend(spec.sources.keys().cloned());
            self.words.extend(words(&spec.name));
            for name in known.names() {
                self.words.extend(words(name));
            }
            for record in &spec.records {
                self.words.extend(words(&record.name));
                self.words.extend(words(&record.meaning));
                self.words.extend(record.fields.keys().flat_map(|field| words(field)));
            }
            self.tools.insert(spec.name.clone(), known);
        }
        self
    }

    /// Adds these predicates.
    #[must_use]
    pub fn with_predicates<'p>(mut self, predicates: impl IntoIterator<Item = &'p str>) -> Vocabulary {
        for predicate in predicates {
            self.predicates.insert(predicate.to_owned());
            self.add_words(predicate);
        }
        self
    }

    /// Adds these recovery strategies.
    #[must_use]
    pub fn with_strategies<'s>(mut self, strategies: impl IntoIterator<Item = &'s str>) -> Vocabulary {
        for strategy in strategies {
            self.strategies.insert(strategy.to_owned());
            self.add_words(strategy);
        }
        self
    }

    /// Adds the words of these texts, which are shipped, too.
    #[must_use]
    pub fn with_texts<'t>(mut self, texts: impl IntoIterator<Item = &'t str>) -> Vocabulary {
        for text in texts {
            self.add_words(text);
        }
        self
    }

    /// Adds these shipped questions, as `agent/objective`.
    #[must_use]
    pub fn with_questions<'q>(mut self, questions: impl IntoIterator<Item = &'q str>) -> Vocabulary {
        self.questions.extend(questions.into_iter().map(str::to_owned));
        self
    }

    fn add_words(&mut self, text: &str) {
        self.words.extend(words(text));
    }

    /// Checks whether a word is shipped, in the form in which `words` returns it.
    pub fn has_word(&self, word: &str) -> bool {
        self.words.contains(word)
    }

    /// Returns a form with only shipped names; `None` if its tool is not shipped.
    pub(crate) fn form(&self, form: &CallForm) -> Option<CallForm> {
        let known = self.tools.get(&form.tool)?;
        let arguments = form.arguments.iter().filter_map(|(name, kind)| {
            let choices = known.choices(name)?;
            let kind = match kind {
                ValueKind::Choice(choice) if !choices.contains(choice) => ValueKind::Text,
                other => other.clone(),
            };
            Some((name.clone(), kind))
        });
        Some(CallForm { tool: form.tool.clone(), arguments: arguments.collect() })
    }
}
