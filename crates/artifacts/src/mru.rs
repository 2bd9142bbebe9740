//! The order of "most recently used" lists: `MRUList` and `MRUListEx`.
//!
//! Source: Joachim Metz, winreg-kb, "Most recently used (MRU)" (github.com/libyal/winreg-kb).

use crate::damage::{Damage, DamageKind};
use crate::fields::u32_at;

/// Most entries of a list that are read; Windows keeps at most some hundreds.
const LIMIT: usize = 4096;

/// The end mark of an `MRUListEx`.
const END: u32 = u32::MAX;

/// The names of values, most recent first.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Order {
    names: Vec<String>,
}

impl Order {
    /// The names, most recent first.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// The place of a value in the list; 0 is the most recent. `None` where the list does not name it.
    pub fn position(&self, name: &str) -> Option<usize> {
        self.names.iter().position(|listed| listed.eq_ignore_ascii_case(name))
    }

    fn push(&mut self, name: String, offset: usize, damage: &mut Vec<Damage>) {
        if self.names.contains(&name) {
            damage.push(Damage::at(offset, DamageKind::Twice { what: "entry of the list" }));
        } else {
            self.names.push(name);
        }
    }
}

/// Reads an `MRUListEx`: little-endian numbers of 4 bytes, ended by 0xffffffff; each is the name of a value.
pub fn list_ex(data: &[u8]) -> (Order, Vec<Damage>) {
    let (mut order, mut damage) = (Order::default(), Vec::new());
    for offset in (0..LIMIT * 4).step_by(4) {
        match u32_at(data, offset) {
            Some(END) => return (order, damage),
            Some(number) => order.push(number.to_string(), offset, &mut damage),
            None => {
                damage.push(Damage::at(offset, DamageKind::Unended { what: "list" }));
                return (order, damage);
            }
        }
    }
    damage.push(Damage::at(LIMIT * 4, DamageKind::TooMany { what: "entries", limit: LIMIT }));
    (order, damage)
}

/// Reads an `MRUList`: each character is the name of a value.
pub fn list(text: &str) -> (Order, Vec<Damage>) {
    let (mut order, mut damage) = (Order::default(), Vec::new());
    for (index, letter) in text.chars().take(LIMIT).enumerate() {
        order.push(letter.to_string(), index * 2, &mut damage);
    }
    (order, damage)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn ex(numbers: &[u32]) -> Vec<u8> {
        numbers.iter().flat_map(|number| number.to_le_bytes()).collect()
    }

    #[test]
    fn the_first_number_is_the_most_recent() {
        let (order, damage) = list_ex(&ex(&[9, 10, 0, END, 7]));
        assert_eq!(order.names(), ["9", "10", "0"]);
        assert_eq!((order.position("10"), order.position("7")), (Some(1), None));
        assert!(damage.is_empty());
    }

    #[test]
    fn letters_are_names_of_values() {
        let (order, damage) = list("bca");
        assert_eq!((order.position("B"), order.position("a")), (Some(0), Some(2)));
        assert!(damage.is_empty());
    }

    #[test]
    fn a_cut_or_repeated_list_is_read_and_says_so() {
        let (order, damage) = list_ex(&ex(&[1, 1, 2]));
        assert_eq!(order.names(), ["1", "2"]);
        let found: Vec<_> = damage.iter().map(|damage| (damage.offset, damage.what)).collect();
        let expected = [
            (4, DamageKind::Twice { what: "entry of the list" }),
            (12, DamageKind::Unended { what: "list" }),
        ];
        assert_eq!(found, expected);
        assert!(matches!(list_ex(&[1, 0]).1[0].what, DamageKind::Unended { .. }));
    }

    #[test]
    fn a_list_that_never_ends_is_bounded() {
        let numbers: Vec<u32> = (0..10_000).collect();
        let (order, damage) = list_ex(&ex(&numbers));
        assert_eq!((order.names().len(), damage.len()), (LIMIT, 1));
    }

    proptest! {
        #[test]
        fn nothing_panics(data in proptest::collection::vec(any::<u8>(), 0..200)) {
            let (order, _) = list_ex(&data);
            prop_assert!(order.names().len() <= data.len() / 4);
        }
    }
}
