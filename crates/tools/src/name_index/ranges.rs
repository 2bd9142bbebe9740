//! Sets of numbers, as ascending ranges that do not touch.

use std::ops::Range;

/// Adds a number that is not smaller than any in the set.
pub(super) fn push(set: &mut Vec<Range<u32>>, number: u32) {
    match set.last_mut() {
        Some(last) if number < last.end => {}
        Some(last) if number == last.end => last.end = number.saturating_add(1),
        _ => set.push(number..number.saturating_add(1)),
    }
}

/// Makes the set of one range.
pub(super) fn one(range: Range<u32>) -> Vec<Range<u32>> {
    std::iter::once(range).filter(|range| !range.is_empty()).collect()
}

/// Makes the set of these numbers, which are smaller than `bound`.
pub(super) fn set(mut numbers: Vec<u32>, bound: u32) -> Vec<Range<u32>> {
    let mut set = Vec::new();
    let words = usize::try_from(bound.div_ceil(64)).unwrap_or(usize::MAX);
    if numbers.len() < words {
        numbers.sort_unstable();
        numbers.into_iter().for_each(|number| push(&mut set, number));
        return set;
    }
    // For many numbers, setting a bit for each is faster than sorting.
    let mut bits = vec![0u64; words];
    for number in numbers {
        if let Some(word) = usize::try_from(number / 64).ok().and_then(|at| bits.get_mut(at)) {
            *word |= 1 << (number % 64);
        }
    }
    for (start, mut word) in (0u32..).step_by(64).zip(bits) {
        while word != 0 {
            push(&mut set, start + word.trailing_zeros());
            word &= word - 1;
        }
    }
    set
}

/// Returns the union of the ranges.
pub(super) fn merge(mut ranges: Vec<Range<u32>>) -> Vec<Range<u32>> {
    ranges.retain(|range| !range.is_empty());
    ranges.sort_unstable_by_key(|range| (range.start, range.end));
    let mut merged: Vec<Range<u32>> = Vec::with_capacity(ranges.len());
    for range in ranges {
        match merged.last_mut() {
            Some(last) if range.start <= last.end => last.end = last.end.max(range.end),
            _ => merged.push(range),
        }
    }
    merged
}

/// Returns the intersection of both sets.
pub(super) fn intersect(one: &[Range<u32>], other: &[Range<u32>]) -> Vec<Range<u32>> {
    let (mut one, mut other) = (one.iter().peekable(), other.iter().peekable());
    let mut both = Vec::new();
    while let (Some(a), Some(b)) = (one.peek(), other.peek()) {
        let (start, end) = (a.start.max(b.start), a.end.min(b.end));
        if start < end {
            both.push(start..end);
        }
        if a.end <= b.end {
            one.next()
        } else {
            other.next()
        };
    }
    both
}

/// Checks whether the set has the number.
pub(super) fn holds(set: &[Range<u32>], number: u32) -> bool {
    let behind = set.partition_point(|range| range.start <= number);
    behind.checked_sub(1).and_then(|at| set.get(at)).is_some_and(|range| number < range.end)
}

/// Counts the numbers in the set.
pub(super) fn count(set: &[Range<u32>]) -> u64 {
    set.iter().map(|range| u64::from(range.end.saturating_sub(range.start))).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    fn set(ranges: &[Range<u32>]) -> BTreeSet<u32> {
        ranges.iter().cloned().flatten().collect()
    }

    proptest! {
        #[test]
        fn ranges_are_the_sets_that_they_stand_for(
            one in prop::collection::vec((0u32..40, 0u32..6), 0..8),
            other in prop::collection::vec((0u32..40, 0u32..6), 0..8),
        ) {
            let ranges = |parts: &[(u32, u32)]| parts.iter().map(|(start, length)| *start..start + length).collect::<Vec<_>>();
            let (one, other) = (ranges(&one), ranges(&other));
            let (a, b) = (merge(one.clone()), merge(other.clone()));
            prop_assert_eq!(set(&a), set(&one));
            prop_assert_eq!(set(&intersect(&a, &b)), set(&one).intersection(&set(&other)).copied().collect());
            prop_assert_eq!(count(&a), set(&one).len() as u64);
            let mut pushed = Vec::new();
            set(&one).into_iter().for_each(|number| push(&mut pushed, number));
            prop_assert_eq!(&pushed, &a);
            // Few numbers out of many, and many out of few.
            let numbers: Vec<u32> = one.iter().rev().cloned().flatten().collect();
            prop_assert_eq!(&super::set(numbers.clone(), 10_000), &a);
            prop_assert_eq!(&super::set(numbers, 64), &a);
            for number in 0..50 {
                prop_assert_eq!(holds(&a, number), set(&one).contains(&number));
            }
        }
    }
}
