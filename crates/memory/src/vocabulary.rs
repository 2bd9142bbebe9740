//! The shipped vocabulary: the only names and words that the general memory can hold.

use crate::words::words;
use ledger::{AgentSpec, CallForm, KnownTool, ToolSpec, ValueKind};
use std::collections::{BTreeMap, BTreeSet};

/// Names and words that this program brings along; nothing of it comes from evidence, models or users.
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
    /// The vocabulary of these agents, with their questions.
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

    /// The same with these tools: their names, arguments, choices, record types and fields.
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

    /// The same with these predicates.
    #[must_use]
    pub fn with_predicates<'p>(mut self, predicates: impl IntoIterator<Item = &'p str>) -> Vocabulary {
        for predicate in predicates {
            self.predicates.insert(predicate.to_owned());
            self.add_words(predicate);
        }
        self
    }

    /// The same with these strategies of recovery.
    #[must_use]
    pub fn with_strategies<'s>(mut self, strategies: impl IntoIterator<Item = &'s str>) -> Vocabulary {
        for strategy in strategies {
            self.strategies.insert(strategy.to_owned());
            self.add_words(strategy);
        }
        self
    }

    /// The same with the words of these texts, which are shipped, too.
    #[must_use]
    pub fn with_texts<'t>(mut self, texts: impl IntoIterator<Item = &'t str>) -> Vocabulary {
        for text in texts {
            self.add_words(text);
        }
        self
    }

    /// The same with these shipped questions, as `agent/objective`.
    #[must_use]
    pub fn with_questions<'q>(mut self, questions: impl IntoIterator<Item = &'q str>) -> Vocabulary {
        self.questions.extend(questions.into_iter().map(str::to_owned));
        self
    }

    fn add_words(&mut self, text: &str) {
        self.words.extend(words(text));
    }

    /// Whether a word is shipped, as it is cut.
    pub fn has_word(&self, word: &str) -> bool {
        self.words.contains(word)
    }

    /// A form with names that are shipped alone; `None` where its tool is not.
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
