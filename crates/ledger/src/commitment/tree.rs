//! Computes one digest over the hashes of a run's facts.

use crate::digest::Digest;
use sha2::{Digest as _, Sha256};

/// Returns the root over the hashes of facts, in the order of the run.
/// It covers the number of facts and their Merkle tree hash (RFC 6962, section 2.1), whose leaves are the hashes.
pub fn root(hashes: &[Digest]) -> Digest {
    let number = (hashes.len() as u64).to_le_bytes();
    Digest::of_parts(&[b"locard facts 1", &number, tree(hashes).as_bytes()])
}

/// Computes the Merkle tree hash of RFC 6962: leaves and nodes cannot be confused.
fn tree(leaves: &[Digest]) -> Digest {
    match leaves {
        [] => Digest::of(b""),
        [leaf] => prefixed(0, &[leaf]),
        _ => {
            // The largest power of two that is smaller than the number of leaves.
            let half = leaves.len().next_power_of_two() / 2;
            let (left, right) = leaves.split_at(half);
            prefixed(1, &[&tree(left), &tree(right)])
        }
    }
}

fn prefixed(prefix: u8, parts: &[&Digest]) -> Digest {
    let mut hasher = Sha256::new_with_prefix([prefix]);
    parts.iter().for_each(|part| hasher.update(part.as_bytes()));
    Digest::from_bytes(hasher.finalize().into())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn of(number: u8) -> Vec<Digest> {
        (0..number).map(|it| Digest::of(&[it])).collect()
    }

    #[test]
    fn the_tree_is_that_of_rfc_6962() {
        let [a, b, c] = of(3).try_into().unwrap();
        let leaf = |digest: &Digest| prefixed(0, &[digest]);
        assert_eq!(tree(&[]).to_string(), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
        // Three leaves: two on the left, one on the right.
        let left = prefixed(1, &[&leaf(&a), &leaf(&b)]);
        assert_eq!(tree(&[a, b, c]), prefixed(1, &[&left, &leaf(&c)]));
        let five = of(5);
        let four = prefixed(1, &[&tree(&five[..2]), &tree(&five[2..4])]);
        assert_eq!(tree(&five), prefixed(1, &[&four, &leaf(&five[4])]));
    }

    proptest! {
        #[test]
        fn any_change_of_a_list_changes_its_root(number in 1u8..40, at: prop::sample::Index, other: prop::sample::Index) {
            let hashes = of(number);
            let (at, other) = (at.index(hashes.len()), other.index(hashes.len()));
            let before = root(&hashes);
            let mut changed = hashes.clone();
            changed[at] = Digest::of(b"another");
            prop_assert_ne!(root(&changed), before);
            let mut left_out = hashes.clone();
            left_out.remove(at);
            prop_assert_ne!(root(&left_out), before);
            let mut twice = hashes.clone();
            twice.insert(at, hashes[at]);
            prop_assert_ne!(root(&twice), before);
            let mut turned = hashes.clone();
            turned.swap(at, other);
            prop_assert_eq!(root(&turned) == before, at == other);
        }
    }
}
