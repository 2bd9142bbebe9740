//! The known truth of a case, which runs are compared with.

use ledger::pattern;
use ledger::value::read_whole_number;
use ledger::{FactEntry, Predicate};

/// The published or planted answers of one case.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Truth {
    /// The case's name; empty if not given.
    pub case: String,
    /// What happened, for people.
    pub scenario: String,
    /// The maximum difference of two equal times, in nanoseconds.
    pub tolerance: i128,
    /// What a run should find, each with a unique id.
    pub facts: Vec<TruthFact>,
    /// Conclusions from the facts.
    pub findings: Vec<TruthFinding>,
    /// Claims that must not be made.
    pub must_not_claim: Vec<Forbidden>,
    /// What the evidence lacks.
    pub not_present: Vec<String>,
    /// Whether nothing happened, so that any finding of compromise would be wrong.
    pub benign: bool,
}

/// One answer: a fact of the truth.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TruthFact {
    /// Its id.
    pub id: String,
    /// The agent responsible for it.
    pub agent: String,
    /// The question that it answers.
    pub question: String,
    /// The values that a fact must carry, all of them.
    pub values: Vec<TruthValue>,
    /// Its place in the evidence, in words; it decides only if the values are too common (see [`TruthFact::is_weak`]).
    pub artifact: String,
    /// How its texts are compared.
    pub manner: Manner,
}

/// The way in which the texts of an answer are compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Manner {
    /// By the type of the fact's value.
    ByType,
    /// By type, or as words within any text, name or path, ignoring case.
    Contained,
    /// Not at all: that something did not happen is not a reading of one record.
    Negative,
}

/// One value of an answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TruthValue {
    /// A text, which may be a time, a number, a path, ….
    Text(String),
    /// A whole number.
    Number(i128),
    /// True or false.
    Flag(bool),
}

/// A conclusion from several facts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TruthFinding {
    /// The finding, as a sentence.
    pub finding: String,
    /// The ids of the facts that must all be found.
    pub facts: Vec<String>,
}

/// A claim that must not be made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Forbidden {
    /// The claim, as a sentence.
    pub claim: String,
    /// The condition under which a fact makes the claim; `None` if only a person can judge.
    pub condition: Option<ForbiddenCondition>,
}

/// A condition on one fact; all members that are given must hold.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ForbiddenCondition {
    /// The fact's predicate.
    pub predicate: Predicate,
    /// The type of its record.
    pub record: Option<String>,
    /// The pattern that its subject must fit ([`ledger::pattern`]).
    pub subject: Option<String>,
    /// The pattern that one of its values must fit.
    pub value: Option<String>,
}

/// Shorter texts are not significant enough to be searched for inside others, or to be enough alone.
pub(crate) const TELLING: usize = 4;

impl TruthFact {
    /// Returns the reason why no single fact can match it; `None` if one can.
    pub fn unscored(&self) -> Option<&'static str> {
        match (self.manner, self.values.is_empty()) {
            (Manner::Negative, _) => Some("that something did not happen is no reading of one record"),
            (Manner::ByType | Manner::Contained, true) => Some("it names no value"),
            (Manner::ByType | Manner::Contained, false) => None,
        }
    }

    /// Checks whether its values are so common that they count only in the place that `artifact` names: nothing but numbers, flags, bare dates
    /// and texts of fewer than four characters, or a single time in whole seconds.
    pub fn is_weak(&self) -> bool {
        // Much happens in one second: a time alone does not identify an event, unless it has a fraction of a second.
        let lone_time = match self.values.as_slice() {
            [TruthValue::Text(text)] => {
                super::time::Span::read(text).is_some_and(|time| !time.has_fraction())
            }
            _ => false,
        };
        lone_time || self.values.iter().all(TruthValue::is_weak)
    }
}

impl TruthValue {
    pub(crate) fn is_weak(&self) -> bool {
        match self {
            TruthValue::Number(_) | TruthValue::Flag(_) => true,
            TruthValue::Text(text) => {
                let text = text.trim();
                let number = read_whole_number(text).is_some();
                let date = super::time::is_date(text);
                let flag = ["true", "false"].iter().any(|flag| flag.eq_ignore_ascii_case(text));
                text.chars().count() < TELLING || number || date || flag
            }
        }
    }

    /// Returns the value as text, for people.
    pub fn to_text(&self) -> String {
        match self {
            TruthValue::Text(text) => text.clone(),
            TruthValue::Number(number) => number.to_string(),
            TruthValue::Flag(flag) => flag.to_string(),
        }
    }
}

impl ForbiddenCondition {
    /// Checks whether `fact` makes the forbidden claim.
    pub fn holds(&self, fact: &FactEntry) -> bool {
        let fits = |wanted: &Option<String>, text: &str| {
            wanted.as_deref().is_none_or(|wanted| pattern::fits(wanted, text))
        };
        fact.predicate == self.predicate
            && self.record.as_ref().is_none_or(|record| *record == fact.kind)
            && fits(&self.subject, &fact.subject.value.to_text())
            && (self.value.is_none()
                || fact.values.iter().any(|bound| {
                    fits(&self.value, &bound.value.to_text())
                        || bound.quotation.as_deref().is_some_and(|words| fits(&self.value, words))
                }))
    }
}
