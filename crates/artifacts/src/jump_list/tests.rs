//! Jump lists built here, undamaged and damaged.

use super::*;
use proptest::prelude::*;
use testkit::jump_list::{self as made, Entry};

const TICKS: u64 = 129_779_783_208_392_490;

fn entries() -> Vec<Entry> {
    vec![Entry::new(0x1A, "C:\\Users\\ann\\plan.txt", TICKS), Entry::new(2, "D:\\old.txt", TICKS - 5)]
}

#[test]
fn an_automatic_list_of_each_version_tells_its_entries() {
    for version in [1, 3, 4] {
        let found = automatic(&made::automatic(version, &entries()).unwrap()).unwrap();
        assert_eq!((found.list.version, found.list.damage.len()), (version, 0));
        let first = &found.list.entries[0];
        assert_eq!((first.number.value, first.path.value.as_str()), (0x1A, "C:\\Users\\ann\\plan.txt"));
        assert_eq!(first.used.as_ref().unwrap().value.0, TICKS);
        assert_eq!(first.count.as_ref().unwrap().value, 3);
        assert_eq!(first.host.as_ref().unwrap().value, "wks-1");
        assert_eq!(first.pinned, None);
        let links: Vec<_> =
            found.links.iter().map(|link| link.as_ref().unwrap().target().unwrap().value).collect();
        assert_eq!(links, ["C:\\Users\\ann\\plan.txt", "D:\\old.txt"]);
        assert!(found.others.is_empty() && found.unread.is_empty());
    }
}

#[test]
fn a_link_without_entry_is_kept_and_a_list_that_is_cut_says_so() {
    let data = made::dest_list(3, &entries());
    let cut = dest_list::read(&data[..data.len() - 10]).unwrap();
    assert_eq!((cut.entries.len(), cut.count), (1, 2));
    assert_eq!(cut.damage.len(), 2);
    let all = made::compound(&made::dest_list(3, &entries()[..1]), &entries()).unwrap();
    let found = automatic(&all).unwrap();
    assert_eq!(found.others[0].0, "2");
    let emptied = automatic(&made::compound(&[], &entries()[..1]).unwrap()).unwrap();
    assert_eq!((emptied.list.version, emptied.list.damage.len(), emptied.others.len()), (0, 0, 1));
    assert!(matches!(automatic(b"no compound file"), Err(AutomaticError::Compound(_))));
}

#[test]
fn a_custom_list_tells_categories_and_what_stands_behind_damage() {
    let data = made::custom();
    assert!(is_custom(&data, data.len() as u64));
    let found = custom(&data);
    assert_eq!((found.entries.len(), found.damage.len()), (2, 0));
    assert!(matches!(&found.entries[0].category, Some(Category::Named(name)) if name.value == "Often"));
    assert_eq!(found.entries[1].category, Some(Category::Tasks));
    let mut damaged = data.clone();
    damaged[12] = 9;
    let found = custom(&damaged);
    assert_eq!((found.entries.len(), found.damage.len()), (2, 1));
    assert!(found.entries.iter().all(|entry| entry.category.is_none()));
}

proptest! {
    #[test]
    fn damaged_lists_are_read_without_panic(seed in 0u64..60) {
        let whole = made::automatic(3, &entries()).unwrap();
        for mutant in testkit::mutate::mutants(&whole, seed + 1).skip(seed as usize) {
            let _ = automatic(&mutant);
        }
        for mutant in testkit::mutate::mutants(&made::custom(), seed + 1) {
            let _ = (is_custom(&mutant, mutant.len() as u64), custom(&mutant));
        }
    }
}
