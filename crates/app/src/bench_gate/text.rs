//! The outputs of a run as text, as rules that compare substrings see them.

use super::material::TaskMaterial;
use super::rulesets::flat_path;
use ledger::{Digest, InvocationId, Output};
use std::collections::BTreeMap;
use std::fmt::Write;
use std::ops::Range;

/// Bytes of text from which on a segment is closed; it ends with a record.
const SEGMENT: usize = 64 * 1024;

/// Bits of a segment's table of four-byte sequences.
const BITS: usize = 1 << 18;

/// The texts of the outputs of a run, or of one in another world.
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
    /// Which sequences of four bytes stand in `folded`, by their hash: what is missing here need not be looked for.
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

    /// Whether a folded text, and where one is given the text as it was written, stand in the output of `id`.
    pub(super) fn cited_holds(&self, id: InvocationId, folded: &str, exact: Option<&str>) -> bool {
        let segments = self.invocations.get(&id).and_then(|range| self.segments.get(range.clone()));
        segments.unwrap_or_default().iter().any(|segment| segment.holds(folded, exact))
    }

    /// The same in any output of the run.
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
        // Folding the whole text folds each of its parts alike, so that what is missing there is missing here.
        bits(folded).all(set)
            && match exact {
                Some(exact) => self.text.contains(exact),
                None => self.folded.contains(folded),
            }
    }
}

/// The place in the table of each sequence of four bytes.
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
