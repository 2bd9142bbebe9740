//! The Mann-Kendall test for a trend: whether later values tend to be larger, or smaller, than earlier ones.
//!
//! `S` is the number of pairs in which the later value is larger, minus the number in which it is smaller.
//! Under the null hypothesis that order means nothing, its distribution is counted exactly for up to [`EXACT`] values, including ties:
//! the permutations of a multiset with `k` inversions are the coefficients of a product of Gaussian binomials
//! (Stanley, *Enumerative Combinatorics* 1, §1.7), and `S` is the number of untied pairs minus twice the inversions.
//! Longer series use the normal approximation, with the corrections for ties and for continuity (Kendall 1975).

use std::collections::BTreeMap;

/// The maximum number of values that are counted exactly: 25! is below 2^84.
pub const EXACT: usize = 25;

/// The result of the test for a series.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Tested {
    /// Rising pairs minus falling pairs.
    pub s: i64,
    /// The two-sided probability of an `S` at least as far from 0 if order means nothing.
    pub p: f64,
    /// The smallest `p` that any order of these values has.
    pub least: f64,
    /// Whether `p` was counted rather than approximated.
    pub exact: bool,
}

/// Tests a series in chronological order.
pub fn mann_kendall(values: &[u64]) -> Tested {
    let mut s = 0_i64;
    for (place, earlier) in values.iter().enumerate() {
        for later in values.iter().skip(place + 1) {
            s += match later.cmp(earlier) {
                std::cmp::Ordering::Greater => 1,
                std::cmp::Ordering::Less => -1,
                std::cmp::Ordering::Equal => 0,
            };
        }
    }
    let mut ties: BTreeMap<u64, usize> = BTreeMap::new();
    values.iter().for_each(|value| *ties.entry(*value).or_default() += 1);
    let ties: Vec<usize> = ties.into_values().collect();
    if values.len() <= EXACT { counted(s, &ties) } else { approximated(s, values.len(), &ties) }
}

fn counted(s: i64, ties: &[usize]) -> Tested {
    let orders = inversions(ties);
    let all: u128 = orders.iter().sum();
    let untied = i64::try_from(orders.len()).unwrap_or(i64::MAX).saturating_sub(1);
    let as_far = |limit: u64| -> u128 {
        let far = |(inversions, _): &(i64, &u128)| (untied - 2 * inversions).unsigned_abs() >= limit;
        (0_i64..).zip(&orders).filter(far).map(|(_, orders)| orders).sum()
    };
    let p = |orders: u128| ratio(orders, all);
    Tested { s, p: p(as_far(s.unsigned_abs())), least: p(as_far(untied.unsigned_abs())), exact: true }
}

#[expect(clippy::cast_precision_loss, reason = "a quotient of two counts, to some sixteen digits")]
fn ratio(part: u128, of: u128) -> f64 {
    part as f64 / of as f64
}

/// Returns how many permutations of a multiset have 0, 1, 2, … inversions; `ties` holds the multiplicity of each value.
fn inversions(ties: &[usize]) -> Vec<u128> {
    let (mut orders, mut placed) = (vec![1], 0);
    for tied in ties {
        placed += tied;
        orders = product(&orders, &gaussian(placed, *tied));
    }
    orders
}

/// Returns the coefficients of the Gaussian binomial of `of` over `over`, by Pascal's rule: `[n, k] = [n-1, k-1] + q^k [n-1, k]`.
fn gaussian(of: usize, over: usize) -> Vec<u128> {
    // The row for one n, for each k.
    let mut row: Vec<Vec<u128>> = vec![vec![1]];
    for n in 1..=of {
        let before = |k: usize| if k < n { row.get(k).map(Vec::as_slice) } else { None };
        let next = (0..=n.min(over)).map(|k| {
            let with = k.checked_sub(1).and_then(before).unwrap_or_default();
            let shifted = [vec![0; k], before(k).unwrap_or_default().to_vec()].concat();
            let shifted = if before(k).is_none() { Vec::new() } else { shifted };
            sum(with, &shifted)
        });
        row = next.collect();
    }
    row.pop().unwrap_or_default()
}

fn sum(one: &[u128], other: &[u128]) -> Vec<u128> {
    let at = |of: &[u128], place: usize| of.get(place).copied().unwrap_or(0);
    (0..one.len().max(other.len())).map(|place| at(one, place) + at(other, place)).collect()
}

fn product(one: &[u128], other: &[u128]) -> Vec<u128> {
    let mut product = vec![0; (one.len() + other.len()).saturating_sub(1)];
    for (place, factor) in one.iter().enumerate() {
        for (sum, coefficient) in product.iter_mut().skip(place).zip(other) {
            *sum += factor * coefficient;
        }
    }
    product
}

#[expect(clippy::cast_precision_loss, reason = "counts of pairs are far below 2^52")]
fn approximated(s: i64, number: usize, ties: &[usize]) -> Tested {
    let spread = |n: usize| (n * n.saturating_sub(1) * (2 * n + 5)) as f64;
    let variance = (spread(number) - ties.iter().map(|tied| spread(*tied)).sum::<f64>()) / 18.0;
    let pairs = |n: usize| (n * n.saturating_sub(1) / 2) as f64;
    let untied = pairs(number) - ties.iter().map(|tied| pairs(*tied)).sum::<f64>();
    let p = |s: f64| match variance > 0.0 {
        true => erfc((s - 1.0).max(0.0) / variance.sqrt() / std::f64::consts::SQRT_2).min(1.0),
        false => 1.0,
    };
    Tested { s, p: p(s.unsigned_abs() as f64), least: p(untied), exact: false }
}

/// Returns the complementary error function of a non-negative number: by its series below 2, by its continued fraction above
/// (Abramowitz and Stegun, 7.1.6 and 7.1.14).
fn erfc(x: f64) -> f64 {
    let root = std::f64::consts::PI.sqrt();
    if x < 2.0 {
        let (mut term, mut sum, mut n) = (x, x, 0.0);
        while term > sum * 1e-17 {
            n += 1.0;
            term *= 2.0 * x * x / (2.0 * n + 1.0);
            sum += term;
        }
        return 1.0 - 2.0 / root * (-x * x).exp() * sum;
    }
    // From the inside out; this many steps are more than enough above 2.
    let inner = (1..=120).rev().fold(0.0, |inner, step| f64::from(step) / 2.0 / (x + inner));
    (-x * x).exp() / root / (x + inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns every permutation of some values; equal values count as distinct.
    fn orders(values: &[u64]) -> Vec<Vec<u64>> {
        if values.len() < 2 {
            return vec![values.to_vec()];
        }
        let mut all = Vec::new();
        for (place, first) in values.iter().enumerate() {
            let mut rest = values.to_vec();
            rest.remove(place);
            all.extend(orders(&rest).into_iter().map(|rest| [vec![*first], rest].concat()));
        }
        all
    }

    #[test]
    fn p_is_the_share_of_all_orders_that_rise_or_fall_as_much() {
        let series: [&[u64]; 7] = [
            &[1, 2, 3, 4, 5],
            &[3, 1, 2, 5, 4, 6],
            &[1, 1, 2, 2, 3],
            &[0, 0, 0, 0, 7],
            &[4, 4, 4, 4],
            &[5, 3, 3, 2, 9, 9, 1],
            &[2],
        ];
        for values in series {
            let tested = mann_kendall(values);
            let all: Vec<i64> = orders(values).iter().map(|order| mann_kendall(order).s).collect();
            let share =
                |limit: i64| all.iter().filter(|s| s.abs() >= limit).count() as f64 / all.len() as f64;
            assert!((tested.p - share(tested.s.abs())).abs() < 1e-12, "{values:?}: {tested:?}");
            let most = all.iter().map(|s| s.abs()).max().unwrap();
            assert!((tested.least - share(most)).abs() < 1e-12, "{values:?}: {tested:?}");
        }
    }

    #[test]
    fn published_values_come_out() {
        // Kendall, Rank Correlation Methods, table of the distribution of S, one-sided: 0.0083 at n = 5 and S = 10; 0.054 at n = 8 and S = 13 or more
        // (S = 14: 0.054).
        let rising: Vec<u64> = (0..5).collect();
        assert!((mann_kendall(&rising).p - 2.0 / 120.0).abs() < 1e-12);
        let mut swapped: Vec<u64> = (0..8).collect();
        // Seven inversions among 28 pairs: S = 14.
        for (one, other) in [(0, 1), (2, 3), (4, 5), (6, 7), (1, 2), (3, 4), (5, 6)] {
            swapped.swap(one, other);
        }
        let tested = mann_kendall(&swapped);
        assert_eq!(tested.s, 14);
        assert!((tested.p - 2.0 * 0.0543).abs() < 2e-4, "{tested:?}");
        // The counts of permutations of ten values, by inversions, add up to 10!.
        assert_eq!(inversions(&[1; 10]).iter().sum::<u128>(), 3_628_800);
        assert_eq!(gaussian(4, 2), [1, 1, 2, 1, 1]);
    }

    #[test]
    fn the_complement_of_the_error_function_is_that_of_the_tables() {
        let table = [
            (0.0, 1.0),
            (0.5, 0.479_500_122_186_953_5),
            (1.0, 0.157_299_207_050_285_13),
            (1.5, 0.033_894_853_524_689_27),
            (2.0, 0.004_677_734_981_047_266),
            (3.0, 2.209_049_699_858_544_4e-5),
            (5.0, 1.537_459_794_428_035e-12),
        ];
        for (x, expected) in table {
            let relative = (erfc(x) - expected).abs() / expected;
            assert!(relative < 1e-10, "erfc({x}) = {}", erfc(x));
        }
    }

    #[test]
    fn the_approximation_begins_where_it_is_close_to_the_count() {
        let values: Vec<u64> = (0..25).map(|place| (place * 7 + 3) % 11 + place / 5).collect();
        let counted = mann_kendall(&values);
        let mut ties: BTreeMap<u64, usize> = BTreeMap::new();
        values.iter().for_each(|value| *ties.entry(*value).or_default() += 1);
        let near = approximated(counted.s, values.len(), &ties.into_values().collect::<Vec<_>>());
        assert!(counted.exact && !near.exact);
        assert!((counted.p - near.p).abs() < 0.005, "{counted:?} {near:?}");
    }
}
