//! The outputs of a run as text, for rule sets that compare substrings.

use super::material::TaskMaterial;
use super::rulesets::flat_path;
use ledger::{Digest, InvocationId, Output};
use std::collections::BTreeMap;
use std::fmt::Write;
use std::ops::Range;

/// The size in bytes at which a segment is closed, after a complete record.
const SEGMENT: usize = 64 * 1024;

/// The number of bits in a segment's table of four-byte sequences.
const BITS: usize = 1 << 18;

/// The texts of the outputs of a run, in its own world or another one.
pub(super) struct RunText {
    /// Every invocation of the run, with the segments of its output.
    invocations: BTreeMap<InvocationId, Range<usize>>,
    segments: Vec<Segment>,
    known: BTreeMap<Digest, Range<usize>>,
}

/// Some records of one output.
struct Segment {
    text: String,
    folded: String,
    /// The hashed four-byte sequences of `folded`: a text with a sequence that is missing here need not be searched.
    grams: Vec<u64>,
}

impl RunText {
    pub(super) fn new(tasks: &[TaskMaterial]) -> RunText {
        let mut text = RunText { invocations: BTreeMap::new(), segments: Vec::new(), known: BTreeMap::new() };
        for held in tasks.iter().flat_map(|task| task.shelf.held()) {
            let segments = held.output.as_deref().map_or(0..0, |output| text.add(output));
            text.invocations.insert(held.invocation, segments);
        }
        text
    }

    fn add(&mut self, output: &Output) -> Range<usize> {
        if let Some(known) = self.known.get(&output.digest()) {
            return known.clone();
        }
        let start = self.segments.len();
        let mut text = String::new();
        for record in output.records() {
            for (name, field) in &record.fields {
                let _ = writeln!(text, "{name}: {}", field.value.to_text());
            }
            text.push('\n');
            if text.len() >= SEGMENT {
                self.segments.push(Segment::new(std::mem::take(&mut text)));
            }
        }
        if !text.is_empty() {
            self.segments.push(Segment::new(text));
        }
        self.known.insert(output.digest(), start..self.segments.len());
        start..self.segments.len()
    }

    /// Whether the run has this invocation.
    pub(super) fn has(&self, id: InvocationId) -> bool {
        self.invocations.contains_key(&id)
    }

    /// Whether the output of `id` contains the text; compares the exact text if it is given, otherwise the folded one.
    pub(super) fn cited_holds(&self, id: InvocationId, folded: &str, exact: Option<&str>) -> bool {
        let segments = self.invocations.get(&id).and_then(|range| self.segments.get(range.clone()));
        segments.unwrap_or_default().iter().any(|segment| segment.holds(folded, exact))
    }

    /// Does the same for all outputs of the run.
    pub(super) fn any_holds(&self, folded: &str, exact: Option<&str>) -> bool {
        self.segments.iter().any(|segment| segment.holds(folded, exact))
    }
}

impl Segment {
    fn new(text: String) -> Segment {
        let folded = flat_path(&text);
        let mut grams = vec![0u64; BITS / 64];
        for bit in bits(&folded) {
            if let Some(word) = grams.get_mut(bit / 64) {
                *word |= 1 << (bit % 64);
            }
        }
        Segment { text, folded, grams }
    }

    fn holds(&self, folded: &str, exact: Option<&str>) -> bool {
        let set = |bit: usize| self.grams.get(bit / 64).is_some_and(|word| word & (1 << (bit % 64)) != 0);
        // Folding a whole text folds each of its parts in the same way, so a
        // sequence missing from the folded text is missing from the original.
        bits(folded).all(set)
            && match exact {
                Some(exact) => self.text.contains(exact),
                None => self.folded.contains(folded),
            }
    }
}

/// Returns the table index of each four-byte sequence.
fn bits(text: &str) -> impl Iterator<Item = usize> {
    text.as_bytes().windows(4).map(|gram| {
        let number = gram.iter().fold(0u32, |number, byte| number << 8 | u32::from(*byte));
        (number.wrapping_mul(0x9e37_79b1) >> 14) as usize
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_segment_holds_what_its_text_contains() {
        let segment = Segment::new("path: C:\\Users\\Mara\\a  b.txt\n".into());
        let holds = |text: &str, folded: bool| segment.holds(&flat_path(text), (!folded).then_some(text));
        assert!(holds("Users\\Mara", false) && holds("c:/users/mara/A b.TXT", true) && holds("x", true));
        assert!(!holds("users\\mara", false) && !holds("Maria", true) && !holds("Users\\Maria", false));
    }
}
