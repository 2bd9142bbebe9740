//! Which records of an output an agent is shown at once: its beginning and its end, in whole records.

use ledger::event::RecordRange;
use ledger::{Output, RecordId, ViewRules};

/// Returns the records shown first: from the start within `head_bytes`, from the end within `tail_bytes`;
/// all of them if they fit together.
///
/// At least one record is shown, however long.
pub(crate) fn first_view(output: &Output, rules: &ViewRules) -> Vec<RecordRange> {
    let count = output.count() as u32;
    let length = |index: u32| output.line_length(RecordId(index)).unwrap_or(0) as u64;
    let total: u64 = (0..count).map(length).sum();
    if total <= rules.head_bytes.saturating_add(rules.tail_bytes) {
        return range(0, count).into_iter().collect();
    }
    let head = fitting(0..count, length, rules.head_bytes).max(1);
    let tail = fitting((head..count).rev(), length, rules.tail_bytes);
    range(0, head).into_iter().chain(range(count - tail, count)).collect()
}

/// Returns a page of records from `first` within `bytes`; at least one record, `None` past the end.
pub(crate) fn page(output: &Output, first: RecordId, bytes: u64) -> Option<RecordRange> {
    let count = output.count() as u32;
    let length = |index: u32| output.line_length(RecordId(index)).unwrap_or(0) as u64;
    let number = fitting(first.0..count, length, bytes).max(1);
    range(first.0, first.0.saturating_add(number).min(count))
}

/// Returns how many records, taken in order, fit into `bytes`.
fn fitting(indexes: impl Iterator<Item = u32>, length: impl Fn(u32) -> u64, bytes: u64) -> u32 {
    let mut used = 0u64;
    indexes
        .take_while(|index| {
            used = used.saturating_add(length(*index));
            used <= bytes
        })
        .count() as u32
}

fn range(first: u32, end: u32) -> Option<RecordRange> {
    (first < end).then_some(RecordRange { first: RecordId(first), end: RecordId(end) })
}

#[cfg(test)]
mod tests {
    use super::*;
    use ledger::{Field, FieldValue, Locator, Record};
    use proptest::prelude::*;

    fn output(lengths: &[usize]) -> Output {
        let record = |length: &usize| Record {
            placement: None,
            defects: vec![],
            fields: [("text".to_owned(), Field { at: None, value: FieldValue::Text("x".repeat(*length)) })]
                .into(),
            id: RecordId(0),
            kind: "text_line".into(),
            locator: Locator { evidence: "e".into(), path: "p".into(), stream: None, span: None },
        };
        Output::new(lengths.iter().map(record).collect()).unwrap()
    }

    proptest! {
        #[test]
        fn paging_on_from_the_first_view_shows_every_record_once(
            lengths in prop::collection::vec(0usize..600, 0..40), head in 0u64..2000, tail in 0u64..2000
        ) {
            let output = output(&lengths);
            let rules = ViewRules { head_bytes: head, tail_bytes: tail };
            let mut seen = vec![0; lengths.len()];
            let mut shown = first_view(&output, &rules);
            loop {
                let hidden = (0..lengths.len() as u32).find(|i| !shown.iter().any(|r| r.contains(RecordId(*i))));
                let Some(hidden) = hidden else { break };
                let mut next = page(&output, RecordId(hidden), head + tail).unwrap();
                // A page may reach into the tail that was already shown.
                if let Some(tail) = shown.iter().find(|range| range.first.0 > hidden) {
                    next.end = next.end.min(tail.first);
                }
                shown.push(next);
            }
            for range in &shown {
                for index in range.first.0..range.end.0 {
                    seen[index as usize] += 1;
                }
            }
            prop_assert!(seen.iter().all(|times| *times == 1));
        }
    }

    #[test]
    fn a_record_longer_than_the_view_is_shown_whole() {
        let output = output(&[5000, 1]);
        let shown = first_view(&output, &ViewRules { head_bytes: 10, tail_bytes: 0 });
        assert_eq!(shown, vec![RecordRange { first: RecordId(0), end: RecordId(1) }]);
    }

    #[test]
    fn an_empty_output_shows_nothing() {
        assert!(first_view(&output(&[]), &ViewRules::default()).is_empty());
        assert_eq!(page(&output(&[]), RecordId(0), 10), None);
    }
}
