//! Lessons: what a task showed about how to investigate.
//!
//! A lesson has closed fields. Only what the memory of one case alone holds has values of the evidence and words of people besides ([`Detail`]).

use crate::vocabulary::Vocabulary;
use ledger::event::Refusal;
use ledger::{CallForm, Cause, Digest, EvidenceKind, LessonRule, RejectionCode, canonical};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::collections::BTreeSet;

/// The versions of Windows that a lesson can name.
const WINDOWS: [&str; 7] = ["XP", "Vista", "7", "8", "8.1", "10", "11"];

/// What came of something that a task did.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// Facts of this call answered the question.
    Met,
    /// Another way was tried where the question was unanswered, and answered it.
    Recovered,
    /// A complete search found nothing.
    Empty,
    /// The question stayed open, or the evidence holds no source of it.
    Open,
    /// The task did not come to its end, or a budget cut it short: nothing follows.
    Unfinished,
    /// The call could not do what was asked.
    Failed,
    /// The call was refused without running.
    Refused,
    /// Claims of this shape were refused.
    Rejected,
    /// The call ran and left something unread.
    Gap,
}

impl Outcome {
    /// Its name, as it is stored and searched.
    pub const fn name(self) -> &'static str {
        match self {
            Outcome::Met => "met",
            Outcome::Recovered => "recovered",
            Outcome::Empty => "empty",
            Outcome::Open => "open",
            Outcome::Unfinished => "unfinished",
            Outcome::Failed => "failed",
            Outcome::Refused => "refused",
            Outcome::Rejected => "rejected",
            Outcome::Gap => "gap",
        }
    }

    /// What it asks of later runs; `None` where it asks nothing: that a complete search found nothing is no failure.
    pub const fn rule(self) -> Option<LessonRule> {
        match self {
            Outcome::Met | Outcome::Recovered => Some(LessonRule::ShouldPrefer),
            Outcome::Failed | Outcome::Refused | Outcome::Rejected | Outcome::Gap => {
                Some(LessonRule::MustNot)
            }
            Outcome::Empty | Outcome::Open | Outcome::Unfinished => None,
        }
    }
}

/// Why something did not work.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(tag = "by", content = "is", rename_all = "snake_case", deny_unknown_fields)]
pub enum Trouble {
    /// The tool told the cause.
    Cause(Cause),
    /// It was stopped at a limit of time.
    Timeout,
    /// The cause is not known.
    Unknown,
    /// The engine refused the call.
    Refusal(Refusal),
    /// The gateway refused the claim.
    Rejection(RejectionCode),
}

impl Trouble {
    /// Its name, as it is searched.
    pub const fn name(self) -> &'static str {
        match self {
            Trouble::Cause(cause) => match cause {
                Cause::NoSuchPath => "no_such_path",
                Cause::NoSuchKey => "no_such_key",
                Cause::NoSource => "no_source",
                Cause::AccessDenied => "access_denied",
                Cause::Unsupported => "unsupported",
                Cause::Unreadable => "unreadable",
                Cause::Arguments => "arguments",
            },
            Trouble::Timeout => "timeout",
            Trouble::Unknown => "unknown",
            Trouble::Refusal(refusal) => refusal.name(),
            Trouble::Rejection(code) => code.name(),
        }
    }

    /// Whether it is a matter of this very evidence, of which nothing follows for other cases.
    const fn is_of_evidence(self) -> bool {
        matches!(
            self,
            Trouble::Cause(Cause::NoSuchPath | Cause::NoSuchKey | Cause::NoSource | Cause::AccessDenied)
        )
    }
}

/// What a lesson depends on.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Conditions {
    /// The kinds of evidence of the case.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub kinds: BTreeSet<KindOfEvidence>,
    /// The version of Windows, where a fact of the run told it: one of those that a lesson can name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub windows: Option<String>,
    /// The sources that gave records in the task.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub sources: BTreeSet<String>,
}

/// A kind of evidence, in an order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum KindOfEvidence {
    /// A folder.
    Directory,
    /// A triage archive.
    Archive,
    /// A disk image.
    Image,
}

impl From<EvidenceKind> for KindOfEvidence {
    fn from(kind: EvidenceKind) -> KindOfEvidence {
        match kind {
            EvidenceKind::Directory => KindOfEvidence::Directory,
            EvidenceKind::Archive => KindOfEvidence::Archive,
            EvidenceKind::Image => KindOfEvidence::Image,
        }
    }
}

impl KindOfEvidence {
    /// Its name, as it is searched.
    pub const fn name(self) -> &'static str {
        match self {
            KindOfEvidence::Directory => "directory",
            KindOfEvidence::Archive => "archive",
            KindOfEvidence::Image => "image",
        }
    }
}

/// What only the memory of the same evidence holds.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Detail {
    /// The question in the words of the case's owner.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub question: Option<String>,
    /// Arguments of the call, as the tool read them: paths, keys, labels and choices, no free text.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub arguments: Map<String, Value>,
    /// The very call that failed, its free texts included, as a digest alone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub call: Option<Digest>,
    /// What was not examined, in the words of the tool.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gap: Option<String>,
}

/// What a call or a claim showed by working.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Shows {
    /// The call could run.
    Runs,
    /// The call read everything that it asked for.
    ReadsAll,
    /// A claim of this shape was accepted.
    Accepted,
}

impl Shows {
    /// What speaks against a lesson of this outcome, or, of one that something works, what it says.
    const fn against(outcome: Outcome) -> Option<Shows> {
        match outcome {
            Outcome::Met | Outcome::Recovered | Outcome::Failed | Outcome::Refused => Some(Shows::Runs),
            Outcome::Gap => Some(Shows::ReadsAll),
            Outcome::Rejected => Some(Shows::Accepted),
            Outcome::Empty | Outcome::Open | Outcome::Unfinished => None,
        }
    }

    /// What it is about, in one text.
    pub(crate) fn subject(
        self,
        call: &CallForm,
        predicate: Option<&str>,
        values: Option<&Map<String, Value>>,
        very: Option<&Digest>,
    ) -> String {
        let what = match self {
            Shows::Runs => "runs",
            Shows::ReadsAll => "reads all",
            Shows::Accepted => "accepted",
        };
        let values = values.filter(|values| !values.is_empty());
        let subject = match very {
            Some(very) => canonical::to_vec(&(what, very)),
            None => canonical::to_vec(&(what, call, predicate, values)),
        };
        Digest::of(&subject.unwrap_or_default()).to_string()
    }
}

/// What one task showed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Lesson {
    /// What came.
    pub outcome: Outcome,
    /// The agent; `None` where it is none of the shipped ones.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent: Option<String>,
    /// The shipped question, as `agent/objective`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub question: Option<String>,
    /// The call: tool, names of arguments, kinds of their values.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub call: Option<CallForm>,
    /// Why it did not work.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trouble: Option<Trouble>,
    /// What refused claims said of their subjects.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub predicate: Option<String>,
    /// The strategy that found another way.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub strategy: Option<String>,
    /// What it depends on.
    #[serde(default)]
    pub conditions: Conditions,
    /// The content words of the question and of what was not examined.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub words: BTreeSet<String>,
    /// What is of this very case; never in the general memory.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub detail: Option<Detail>,
}

impl Lesson {
    /// A lesson of this outcome that says nothing yet.
    pub fn of(outcome: Outcome) -> Lesson {
        Lesson {
            outcome,
            agent: None,
            question: None,
            call: None,
            trouble: None,
            predicate: None,
            strategy: None,
            conditions: Conditions::default(),
            words: BTreeSet::new(),
            detail: None,
        }
    }

    /// What of it other cases may know: closed fields and shipped words alone. `None` where nothing is left that helps.
    ///
    /// This is the only way into the general memory, for lessons that are written and for those that are imported.
    pub fn generalised(&self, vocabulary: &Vocabulary) -> Option<Lesson> {
        let known =
            |name: &Option<String>, names: &BTreeSet<String>| name.clone().filter(|it| names.contains(it));
        let call = self.call.as_ref().and_then(|call| vocabulary.form(call));
        let lesson = Lesson {
            outcome: self.outcome,
            agent: known(&self.agent, &vocabulary.agents),
            question: known(&self.question, &vocabulary.questions),
            call,
            trouble: self.trouble,
            predicate: known(&self.predicate, &vocabulary.predicates),
            strategy: known(&self.strategy, &vocabulary.strategies),
            conditions: Conditions {
                kinds: self.conditions.kinds.clone(),
                windows: self.conditions.windows.clone().filter(|it| WINDOWS.contains(&it.as_str())),
                sources: self.conditions.sources.intersection(&vocabulary.sources).cloned().collect(),
            },
            words: self.words.intersection(&vocabulary.words).cloned().collect(),
            detail: None,
        };
        lesson.is_general().then_some(lesson)
    }

    /// Whether it says something that may hold for other evidence.
    fn is_general(&self) -> bool {
        match self.outcome {
            Outcome::Met | Outcome::Recovered | Outcome::Empty => {
                self.call.is_some() && self.question.is_some()
            }
            Outcome::Open => self.question.is_some(),
            Outcome::Unfinished => self.agent.is_some(),
            Outcome::Failed | Outcome::Refused | Outcome::Gap => {
                self.call.is_some() && !self.trouble.is_some_and(Trouble::is_of_evidence)
            }
            Outcome::Rejected => self.call.is_some() && self.predicate.is_some(),
        }
    }

    /// What makes two lessons the same one, seen twice: everything but its words, and what it depends on.
    pub(crate) fn key(&self) -> Digest {
        let what = (self.outcome, &self.agent, &self.question, &self.call, &self.trouble);
        let more =
            (&self.predicate, &self.strategy, self.detail.as_ref().map(|it| (&it.question, &it.arguments)));
        // Plain data: canonical JSON of it cannot fail, and two that failed would only be counted together.
        let key = match self.very() {
            Some(very) => canonical::to_vec(&(what, more, very)),
            None => canonical::to_vec(&(what, more)),
        };
        Digest::of(&key.unwrap_or_default())
    }

    /// What another task would have to show for this lesson to be contradicted.
    pub(crate) fn subject(&self) -> Option<String> {
        self.subject_of(self.very())
    }

    /// What this lesson contradicts where it says that a call does not work: that one of its form does.
    pub(crate) fn against(&self) -> Option<String> {
        self.subject_of(None)
    }

    fn subject_of(&self, very: Option<&Digest>) -> Option<String> {
        let of = self.call.as_ref().zip(Shows::against(self.outcome));
        of.map(|(call, shows)| {
            let values = self.detail.as_ref().map(|it| &it.arguments);
            shows.subject(call, self.predicate.as_deref(), values, very)
        })
    }

    /// The very call that it is about, where this memory may know it.
    pub(crate) fn very(&self) -> Option<&Digest> {
        self.detail.as_ref()?.call.as_ref()
    }

    /// Whether what it depends on is there; what is not known speaks against nothing, and of arguments that a tool cannot follow the evidence has no part.
    pub(crate) fn holds_under(&self, known: &Conditions) -> bool {
        let own = &self.conditions;
        let same_windows = own.windows.is_none() || known.windows.is_none() || own.windows == known.windows;
        let same_sources = known.sources.is_empty() || own.sources.is_subset(&known.sources);
        self.trouble == Some(Trouble::Cause(Cause::Arguments))
            || (own.kinds == known.kinds && same_windows && same_sources)
    }

    /// What it is besides its words, for the index: outcome, agent, tool, cause, kinds of evidence.
    pub(crate) fn tags(&self) -> BTreeSet<String> {
        let mut tags = BTreeSet::from([self.outcome.name().to_owned()]);
        let texts = [
            self.agent.as_deref(),
            self.question.as_deref(),
            self.predicate.as_deref(),
            self.strategy.as_deref(),
        ];
        let texts = texts.into_iter().flatten().chain(self.trouble.map(Trouble::name));
        let texts = texts.chain(self.call.iter().flat_map(CallForm::names));
        tags.extend(texts.flat_map(crate::words::words));
        tags.extend(self.conditions.kinds.iter().map(|kind| kind.name().to_owned()));
        tags.extend(
            self.conditions.windows.iter().flat_map(|it| crate::words::words(&format!("Windows {it}"))),
        );
        tags
    }
}
