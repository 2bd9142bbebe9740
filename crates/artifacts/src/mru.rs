//! The order of "most recently used" lists: `MRUList` and `MRUListEx`.
//!
//! Source: Joachim Metz, winreg-kb, "Most recently used (MRU)" (github.com/libyal/winreg-kb).

use crate::damage::{Damage, DamageKind};
use crate::fields::{Located, u32_at, utf16_to_nul};
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

/// The most entries of a list that are read; Windows keeps at most a few hundred.
const LIMIT: usize = 4096;

/// The end mark of an `MRUListEx`.
const END: u32 = u32::MAX;

/// The names of values, most recent first.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Order {
    /// The position of each name in the list, by the name in lower case.
    places: BTreeMap<String, Located<usize>>,
}

impl Order {
    /// Returns the position of a value in the list, and where the list names it; 0 is the most recent.
    ///
    /// `None` if the list does not name the value.
    pub fn position(&self, name: &str) -> Option<Located<usize>> {
        self.places.get(&name.to_ascii_lowercase()).cloned()
    }

    fn push(&mut self, name: &str, offset: usize, length: usize, damage: &mut Vec<Damage>) {
        let place = Located::new(self.places.len(), offset, length);
        match self.places.entry(name.to_ascii_lowercase()) {
            Entry::Vacant(free) => {
                free.insert(place);
            }
            Entry::Occupied(_) => {
                damage.push(Damage::at(offset, DamageKind::Twice { what: "entry of the list" }));
            }
        }
    }
}

/// Reads an `MRUListEx`: little-endian numbers of 4 bytes, ended by 0xffffffff; each is the name of a value.
pub fn list_ex(data: &[u8]) -> (Order, Vec<Damage>) {
    let (mut order, mut damage) = (Order::default(), Vec::new());
    for offset in (0..LIMIT * 4).step_by(4) {
        match u32_at(data, offset) {
            Some(END) => return (order, damage),
            Some(number) => order.push(&number.to_string(), offset, 4, &mut damage),
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
        order.push(&letter.to_string(), index * 2, 2, &mut damage);
    }
    (order, damage)
}

/// Returns the UTF-16 text at the start of an entry's data, and the offset after its NUL.
pub fn text(data: &[u8]) -> (Located<String>, usize, Vec<Damage>) {
    let mut damage = Vec::new();
    let text = utf16_to_nul(data, 0, "text", &mut damage);
    let text = text.unwrap_or_else(|| Located::new(String::new(), 0, 0));
    let behind = text.length.saturating_add(2).min(data.len());
    (text, behind, damage)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn names(order: &Order) -> Vec<&str> {
        let mut places: Vec<_> = order.places.iter().collect();
        places.sort_by_key(|(_, place)| place.value);
        places.into_iter().map(|(name, _)| name.as_str()).collect()
    }

    fn position(order: &Order, name: &str) -> Option<usize> {
        order.position(name).map(|place| place.value)
    }

    fn ex(numbers: &[u32]) -> Vec<u8> {
        numbers.iter().flat_map(|number| number.to_le_bytes()).collect()
    }

    #[test]
    fn the_first_number_is_the_most_recent() {
        let (order, damage) = list_ex(&ex(&[9, 10, 0, END, 7]));
        assert_eq!(names(&order), ["9", "10", "0"]);
        assert_eq!(order.position("10"), Some(Located::new(1, 4, 4)));
        assert_eq!(order.position("7"), None);
        assert!(damage.is_empty());
    }

    #[test]
    fn letters_are_names_of_values() {
        let (order, damage) = list("bca");
        assert_eq!((position(&order, "B"), position(&order, "a")), (Some(0), Some(2)));
        assert!(damage.is_empty());
    }

    #[test]
    fn a_cut_or_repeated_list_is_read_and_says_so() {
        let (order, damage) = list_ex(&ex(&[1, 1, 2]));
        assert_eq!(names(&order), ["1", "2"]);
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
        assert_eq!((order.places.len(), damage.len()), (LIMIT, 1));
    }

    #[test]
    fn a_text_says_where_what_follows_it_begins() {
        let (found, behind, damage) = text(&[0x41, 0, 0, 0, 9, 9]);
        assert_eq!((found, behind, damage.len()), (Located::new("A".to_owned(), 0, 2), 4, 0));
        let (found, behind, damage) = text(&[0x41, 0]);
        assert_eq!((found.value.as_str(), behind, damage.len()), ("A", 2, 1));
        assert_eq!(text(&[]).1, 0);
    }

    proptest! {
        #[test]
        fn nothing_panics(data in proptest::collection::vec(any::<u8>(), 0..200)) {
            let (order, _) = list_ex(&data);
            let _ = text(&data);
            prop_assert!(order.places.len() <= data.len() / 4);
        }
    }
}
