//! Lessons: what a task showed about how to investigate.
//!
//! A lesson has closed fields. Only the memory of a single case also holds values of the evidence and words of people ([`Detail`]).

use crate::vocabulary::Vocabulary;
use ledger::event::Refusal;
use ledger::{CallForm, Cause, Digest, EvidenceKind, LessonRule, RejectionCode, canonical};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::collections::BTreeSet;

/// The versions of Windows that a lesson can name.
const WINDOWS: [&str; 7] = ["XP", "Vista", "7", "8", "8.1", "10", "11"];

/// The result of something that a task did.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// Facts of this call answered the question.
    Met,
    /// Another way was tried for an unanswered question, and answered it.
    Recovered,
    /// A complete search found nothing.
    Empty,
    /// The question stayed open, or the evidence has no source for it.
    Open,
    /// The task was interrupted, or a budget cut it short: nothing follows.
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
    /// Returns its name, as stored and searched.
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

    /// Returns what it asks of later runs; `None` if it asks nothing: a complete search that found nothing is not a failure.
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
    /// The tool reported the cause.
    Cause(Cause),
    /// It was stopped at a time limit.
    Timeout,
    /// The cause is not known.
    Unknown,
    /// The engine refused the call.
    Refusal(Refusal),
    /// The gateway refused the claim.
    Rejection(RejectionCode),
}

impl Trouble {
    /// Returns its name, as searched.
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

    /// Checks whether it concerns only this evidence, so that nothing follows for other cases.
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
    /// The version of Windows, if a fact of the run states it: one of those that a lesson can name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub windows: Option<String>,
    /// The sources that returned records in the task.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub sources: BTreeSet<String>,
}

/// A kind of evidence, with an order.
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
    /// Returns its name, as searched.
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
    /// Arguments of the call as the tool read them: paths, keys, labels and choices, but no free text.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub arguments: Map<String, Value>,
    /// The digest of the exact call that failed, including its free texts.
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
    /// The call read everything it asked for.
    ReadsAll,
    /// A claim of this shape was accepted.
    Accepted,
}

impl Shows {
    /// Returns what contradicts a lesson with this outcome; for a lesson that something works, what the lesson itself shows.
    const fn against(outcome: Outcome) -> Option<Shows> {
        match outcome {
            Outcome::Met | Outcome::Recovered | Outcome::Failed | Outcome::Refused => Some(Shows::Runs),
            Outcome::Gap => Some(Shows::ReadsAll),
            Outcome::Rejected => Some(Shows::Accepted),
            Outcome::Empty | Outcome::Open | Outcome::Unfinished => None,
        }
    }

    /// Returns its subject as one text.
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
    /// The result.
    pub outcome: Outcome,
    /// The agent; `None` if it is not a shipped one.
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
    /// The predicate of refused claims.
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
    /// What belongs only to this case; never in the general memory.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub detail: Option<Detail>,
}

impl Lesson {
    /// Makes an empty lesson with this outcome.
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

    /// Returns the part that other cases may know: only closed fields and shipped words. `None` if nothing helpful is left.
    ///
    /// This is the only way into the general memory, for written and for imported lessons.
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

    /// Checks whether it says something that may hold for other evidence.
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

    /// Returns the key that identifies a lesson: everything except its words and conditions.
    pub(crate) fn key(&self) -> Digest {
        let what = (self.outcome, &self.agent, &self.question, &self.call, &self.trouble);
        let more =
            (&self.predicate, &self.strategy, self.detail.as_ref().map(|it| (&it.question, &it.arguments)));
        // This is plain data: its canonical JSON cannot fail, and two failures would only be counted together.
        let key = match self.very() {
            Some(very) => canonical::to_vec(&(what, more, very)),
            None => canonical::to_vec(&(what, more)),
        };
        Digest::of(&key.unwrap_or_default())
    }

    /// Returns what another task would have to show to contradict this lesson.
    pub(crate) fn subject(&self) -> Option<String> {
        self.subject_of(self.very())
    }

    /// For a lesson that a call does not work, returns the subject that it contradicts: that a call of its form works.
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

    /// Returns the digest of the exact call that it is about, if this memory may hold it.
    pub(crate) fn very(&self) -> Option<&Digest> {
        self.detail.as_ref()?.call.as_ref()
    }

    /// Checks whether its conditions hold; unknown conditions do not count against it.
    /// A lesson about arguments that a tool cannot use holds on any evidence.
    pub(crate) fn holds_under(&self, known: &Conditions) -> bool {
        let own = &self.conditions;
        let same_windows = own.windows.is_none() || known.windows.is_none() || own.windows == known.windows;
        let same_sources = known.sources.is_empty() || own.sources.is_subset(&known.sources);
        self.trouble == Some(Trouble::Cause(Cause::Arguments))
            || (own.kinds == known.kinds && same_windows && same_sources)
    }

    /// Returns its tags for the index, besides its words: outcome, agent, tool, cause, kinds of evidence.
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
