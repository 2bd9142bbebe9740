//! Compares the present answer of a tool with the recorded one.

use super::records::{self, RecordsDiffer, Subjects};
use engine::{ToolReturn, recorded_defects};
use ledger::absence::NEAR;
use ledger::event::InvocationEnded;
use ledger::{Completeness, Defect, Digest, Gap, Outcome, Output};
use serde::Serialize;
use serde_json::Value;
use std::collections::BTreeMap;
use std::sync::Arc;

/// One difference between two answers of a tool.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "what", rename_all = "snake_case")]
pub enum Difference {
    /// How the call ended.
    Outcome {
        /// In the recording.
        recorded: Outcome,
        /// Now.
        now: Outcome,
    },
    /// Whether everything that was requested was returned.
    Completeness {
        /// In the recording.
        recorded: Completeness,
        /// Now.
        now: Completeness,
    },
    /// The arguments after normalisation.
    Arguments {
        /// In the recording.
        recorded: Option<Value>,
        /// Now.
        now: Option<Value>,
    },
    /// Defects.
    Defects(TextsDiffer),
    /// Gaps: what was not examined.
    Gaps(TextsDiffer),
    /// Notes of the tool about its work.
    Notes(TextsDiffer),
    /// The records.
    Output {
        /// The digest of the recorded output.
        recorded: Option<Digest>,
        /// The digest of the new output.
        now: Option<Digest>,
        /// How the records differ; `None` if one side has no output, or the recorded one cannot be read.
        records: Option<RecordsDiffer>,
        /// Why the recorded output cannot be read.
        unreadable: Option<String>,
    },
}

/// How two lists of remarks differ.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct TextsDiffer {
    /// The number of remarks that are missing now.
    pub missing: u64,
    /// The number of new remarks.
    pub added: u64,
    /// Whether only their order differs.
    pub moved: bool,
    /// The first of the missing remarks.
    pub missing_examples: Vec<String>,
    /// The first of the new remarks.
    pub added_examples: Vec<String>,
}

/// What the comparison needs besides the two answers.
pub(crate) struct Measure<'m> {
    /// The subject field of each record type.
    pub(crate) subjects: &'m Subjects,
    /// The most examples of one kind of change.
    pub(crate) examples: usize,
    /// Whether the call was translated to another tool, so that the tool's own notes and arguments are not compared.
    pub(crate) translated: bool,
    /// Whether some recorded calls that found nothing to read did not say so.
    pub(crate) untold: bool,
    /// Whether recorded searches did not list what is similar to the thing that they did not find.
    pub(crate) nearless: bool,
    /// Whether refusals of the tool name other arguments and fields today.
    pub(crate) reworded: bool,
}

/// Compares a recorded answer with a new one; `stored` reads the recorded output if it is needed.
pub(crate) fn differences(
    recorded: &InvocationEnded,
    now: &ToolReturn,
    stored: impl FnOnce(&Digest) -> Result<Arc<Output>, String>,
    measure: &Measure<'_>,
) -> Vec<Difference> {
    let mut found = Vec::new();
    if recorded.outcome != now.outcome {
        found.push(Difference::Outcome { recorded: recorded.outcome, now: now.outcome });
    }
    if recorded.completeness != now.completeness {
        let (recorded, now) = (recorded.completeness, now.completeness);
        found.push(Difference::Completeness { recorded, now });
    }
    if recorded.normalised != now.normalised && !measure.translated {
        let (recorded, now) = (recorded.normalised.clone(), now.normalised.clone());
        found.push(Difference::Arguments { recorded, now });
    }
    found.extend(outputs(recorded, now, stored, measure));
    let most = measure.examples;
    let lists = |a: Vec<String>, b: Vec<String>| texts(&a, &b, most);
    let damage = |defects: &[Defect]| defects.iter().map(defect).collect();
    found.extend(lists(damage(&recorded.defects), damage(&recorded_defects(now))).map(Difference::Defects));
    let gaps = |gaps: &[Gap]| gaps.iter().map(|gap| format!("{}: {}", gap.path, gap.reason)).collect();
    found.extend(lists(gaps(&recorded.gaps), gaps(&now.gaps)).map(Difference::Gaps));
    let are_refusals = [recorded.outcome, now.outcome] == [Outcome::Failed; 2];
    if !(measure.translated || measure.reworded && are_refusals) {
        let told = |notes: &[String]| -> Vec<String> {
            let counts = |note: &&String| {
                !(measure.untold && tools::tells_why_nothing(note)
                    || measure.nearless && note.starts_with(NEAR))
            };
            notes.iter().filter(counts).cloned().collect()
        };
        found.extend(lists(told(&recorded.notes), told(&now.notes)).map(Difference::Notes));
    }
    found
}

fn outputs(
    recorded: &InvocationEnded,
    now: &ToolReturn,
    stored: impl FnOnce(&Digest) -> Result<Arc<Output>, String>,
    measure: &Measure<'_>,
) -> Option<Difference> {
    let new = now.output.as_ref().map(|output| output.digest());
    if recorded.output == new {
        return None;
    }
    let stored = recorded.output.as_ref().map(stored);
    // In the form that both versions share, the output may be the same.
    if let Some(Ok(stored)) = &stored
        && Some(stored.digest()) == new
    {
        return None;
    }
    let stored = stored.zip(now.output.as_ref()).map(|(stored, now)| {
        let differ = |old: Arc<Output>| records::differences(&old, now, measure.subjects, measure.examples);
        stored.map(differ)
    });
    let (records, unreadable) = match stored {
        Some(Ok(records)) => (Some(records), None),
        Some(Err(because)) => (None, Some(because)),
        None => (None, None),
    };
    Some(Difference::Output { recorded: recorded.output, now: new, records, unreadable })
}

/// Returns how two lists of texts differ, including repetitions.
fn texts(recorded: &[String], now: &[String], most: usize) -> Option<TextsDiffer> {
    if recorded == now {
        return None;
    }
    let mut counts: BTreeMap<&str, i64> = BTreeMap::new();
    now.iter().for_each(|text| *counts.entry(text).or_default() += 1);
    recorded.iter().for_each(|text| *counts.entry(text).or_default() -= 1);
    let mut told = TextsDiffer {
        missing: 0,
        added: 0,
        moved: counts.values().all(|count| *count == 0),
        missing_examples: Vec::new(),
        added_examples: Vec::new(),
    };
    for (text, count) in counts.into_iter().filter(|(_, count)| *count != 0) {
        let (total, examples) = match count > 0 {
            true => (&mut told.added, &mut told.added_examples),
            false => (&mut told.missing, &mut told.missing_examples),
        };
        *total += count.unsigned_abs();
        if examples.len() < most {
            examples.push(text.to_owned());
        }
    }
    Some(told)
}

/// Describes a defect.
pub(crate) fn defect(defect: &Defect) -> String {
    match defect.offset {
        Some(offset) => format!("{} at {offset:#x}: {}", defect.path, defect.what),
        None => format!("{}: {}", defect.path, defect.what),
    }
}
