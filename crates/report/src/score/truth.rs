//! What is known to be true of a case: the other side of the comparison.

use ledger::pattern;
use ledger::value::read_whole_number;
use ledger::{FactEntry, Predicate};

/// The published or planted answers of one case.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Truth {
    /// The case's name; empty where it is not given.
    pub case: String,
    /// What happened, for people.
    pub scenario: String,
    /// How far two times may lie apart and still be one, in nanoseconds.
    pub tolerance: i128,
    /// What a run should find, each with an id of its own.
    pub facts: Vec<TruthFact>,
    /// What the facts add up to.
    pub findings: Vec<TruthFinding>,
    /// What must not be claimed.
    pub must_not_claim: Vec<Forbidden>,
    /// What the evidence lacks.
    pub not_present: Vec<String>,
    /// Whether nothing happened: any finding of compromise would be wrong.
    pub benign: bool,
}

/// One answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TruthFact {
    /// Its id.
    pub id: String,
    /// The agent whose matter it is.
    pub agent: String,
    /// The question that it answers.
    pub question: String,
    /// What a fact must carry, all of it.
    pub values: Vec<TruthValue>,
    /// Where it stands in the evidence, in words; decides only where the values are too common to (see [`TruthFact::is_weak`]).
    pub artifact: String,
    /// How its texts are compared.
    pub manner: Manner,
}

/// How the texts of an answer are compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Manner {
    /// By the type of what the fact holds.
    ByType,
    /// Besides, as words of any text, name or path, letter case aside.
    Contained,
    /// Not at all: that something did not happen is no reading of one record.
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

/// What some facts add up to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TruthFinding {
    /// A sentence.
    pub finding: String,
    /// The ids of the facts that must all be found.
    pub facts: Vec<String>,
}

/// Something that must not be claimed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Forbidden {
    /// A sentence.
    pub claim: String,
    /// What a fact says that claims it; `None`: only a person can judge.
    pub condition: Option<ForbiddenCondition>,
}

/// A condition over one fact; all members given must hold.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ForbiddenCondition {
    /// The fact's predicate.
    pub predicate: Predicate,
    /// The type of its record.
    pub record: Option<String>,
    /// The pattern that its subject fits ([`ledger::pattern`]).
    pub subject: Option<String>,
    /// The pattern that one of its values fits.
    pub value: Option<String>,
}

/// Texts that are shorter say too little to be looked for inside others, or to stand alone.
pub(crate) const TELLING: usize = 4;

impl TruthFact {
    /// Why no single fact can be held against it; `None` where one can.
    pub fn unscored(&self) -> Option<&'static str> {
        match (self.manner, self.values.is_empty()) {
            (Manner::Negative, _) => Some("that something did not happen is no reading of one record"),
            (Manner::ByType | Manner::Contained, true) => Some("it names no value"),
            (Manner::ByType | Manner::Contained, false) => None,
        }
    }

    /// Whether its values are so common that they are found only where `artifact` says: nothing but numbers, flags, bare dates and texts of fewer than four characters, or a single time in whole seconds.
    pub fn is_weak(&self) -> bool {
        // Much happens in one second: a time alone does not say what happened, unless it tells fractions of one.
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

    /// The value as text, for people.
    pub fn to_text(&self) -> String {
        match self {
            TruthValue::Text(text) => text.clone(),
            TruthValue::Number(number) => number.to_string(),
            TruthValue::Flag(flag) => flag.to_string(),
        }
    }
}

impl ForbiddenCondition {
    /// Whether `fact` claims what must not be claimed.
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
