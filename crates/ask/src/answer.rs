//! What a question comes to.

use std::fmt;

/// An answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answer {
    /// What it says.
    pub verdict: Verdict,
    /// The topic that it was taken to be about; `None` where it was not understood.
    pub topic: Option<&'static str>,
    /// The rows that it rests on, in the order in which they are shown.
    pub cited: Vec<Cited>,
    /// How many there are, where that was asked and the rows are all.
    pub count: Option<u64>,
    /// Whether more rows fit than are cited.
    pub more: bool,
    /// What it does not say, in words of ours.
    pub notes: Vec<String>,
    /// What the person may be asked back; at most two.
    pub questions: Vec<String>,
}

/// A row, and which of its fields are the answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cited {
    /// Its place among the rows that were looked at.
    pub row: usize,
    /// Names of fields, each once.
    pub fields: Vec<String>,
}

/// What an answer says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// What the cited rows hold.
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
    /// Its name, for programs.
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
