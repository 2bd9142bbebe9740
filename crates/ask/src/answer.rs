//! The answer to a question.

use std::fmt;

/// An answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answer {
    /// Its verdict.
    pub verdict: Verdict,
    /// The topic that the question was read as; `None` if it was not understood.
    pub topic: Option<&'static str>,
    /// The rows that support it, in the order in which they are shown.
    pub cited: Vec<Cited>,
    /// The number of things, if that was asked and all of them were found.
    pub count: Option<u64>,
    /// Whether more rows fit than are cited.
    pub more: bool,
    /// Notes on what the rows do not say.
    pub notes: Vec<String>,
    /// What to ask the person back, at most two questions.
    pub questions: Vec<String>,
}

/// A row, with the fields that answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cited {
    /// Its place among the rows that were found.
    pub row: usize,
    /// The names of the fields, each once.
    pub fields: Vec<String>,
}

/// The verdict of an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// The values of the cited rows.
    Values,
    /// Yes.
    Yes,
    /// No.
    No,
    /// It cannot be determined.
    NotDeterminable(Reason),
}

/// Why something cannot be determined.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reason {
    /// The evidence holds no source that could show it.
    NoSource,
    /// There is a source, and it does not record this.
    NotRecorded,
    /// Intent, identity or opinion.
    NoQuestionOfEvidence,
    /// It can be meant in several ways, or was not understood.
    Ambiguous,
}

impl Reason {
    /// Its name for programs.
    pub const fn name(self) -> &'static str {
        match self {
            Reason::NoSource => "no_source",
            Reason::NotRecorded => "not_recorded",
            Reason::NoQuestionOfEvidence => "not_a_question_of_evidence",
            Reason::Ambiguous => "ambiguous",
        }
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Reason::NoSource => "the evidence holds no source that could show it",
            Reason::NotRecorded => "it is not recorded",
            Reason::NoQuestionOfEvidence => "it is not a question that evidence answers",
            Reason::Ambiguous => "it can be understood in several ways",
        })
    }
}

impl Answer {
    pub(crate) fn not_determinable(reason: Reason, topic: Option<&'static str>, note: String) -> Answer {
        Answer {
            verdict: Verdict::NotDeterminable(reason),
            topic,
            cited: Vec::new(),
            count: None,
            more: false,
            notes: if note.is_empty() { Vec::new() } else { vec![note] },
            questions: Vec::new(),
        }
    }

    pub(crate) fn asking(mut self, question: String) -> Answer {
        self.questions.push(question);
        self
    }
}
