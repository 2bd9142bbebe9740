//! ESE databases built by hand: trees of two levels, long and packed values, and damage to each.

use artifacts::DamageKind;
use artifacts::ese::{Cell, Database, Value};
use testkit::ese;

/// Returns the column Number of every record, and what is wrong with the tree.
fn numbers(bytes: &[u8]) -> (Vec<i128>, Vec<DamageKind>) {
    let database = Database::open(bytes).unwrap();
    let mut rows = database.rows(database.table("deep").unwrap());
    let numbers = rows.by_ref().map(|mut row| row.integer("Number").unwrap().value).collect();
    (numbers, rows.take_damage().into_iter().map(|damage| damage.what).collect())
}

fn with_child(index: usize, page: u32) -> Vec<u8> {
    let mut bytes = ese::deep();
    let at = ese::CHILDREN[index];
    bytes[at..at + 4].copy_from_slice(&page.to_le_bytes());
    bytes
}

#[test]
fn records_of_a_tree_come_from_left_to_right() {
    let bytes = ese::deep();
    assert_eq!(Database::open(&bytes).unwrap().damage, []);
    assert_eq!(numbers(&bytes), (vec![1, 2, 3, 4], vec![]));
}

#[test]
fn long_values_are_put_together_and_packed_ones_unpacked() {
    let bytes = ese::deep();
    let database = Database::open(&bytes).unwrap();
    let mut rows: Vec<_> = database.rows(database.table("deep").unwrap()).collect();
    assert_eq!(rows[1].text("Plain").unwrap().value, "two");
    assert_eq!(rows[2].text("Long").unwrap().value, ese::TEXT);
    assert_eq!(rows[3].text("Seven").unwrap().value, ese::PACKED);
    assert_eq!(rows[3].bytes("Lz").unwrap().value.as_ref(), ese::PACKED.repeat(2).as_bytes());
    assert!(rows.iter().all(|row| row.damage.is_empty()));
}

#[test]
fn a_fixed_value_is_null_by_its_bit_whatever_fills_it() {
    let bytes = ese::deep();
    let database = Database::open(&bytes).unwrap();
    let rows = database.rows(database.table("deep").unwrap());
    let gaps: Vec<_> = rows.map(|mut row| row.integer("Gap").map(|gap| gap.value)).collect();
    assert_eq!(gaps, [Some(-1), None, None, None]);
    // These bytes are in the file, but are not a valid value.
    assert!(bytes.windows(8).any(|bytes| bytes == [0x2A; 8]));
}

#[test]
fn pages_that_lead_back_end_the_walk() {
    for back in [ese::ROOT, ese::LEAVES[0]] {
        let (found, damage) = numbers(&with_child(1, back));
        assert_eq!(found, [1, 2]);
        assert!(damage.contains(&DamageKind::Twice { what: "a page of a tree" }), "{damage:?}");
    }
    // Turns the first leaf into an inner page, both of whose values lead back to the root.
    let mut bytes = ese::deep();
    let page = (ese::LEAVES[0] as usize + 1) * ese::PAGE;
    bytes.copy_within(ese::CHILDREN[0] - 62..ese::CHILDREN[0] - 62 + ese::PAGE, page);
    for step in [0, 10] {
        bytes[page + 62 + step..page + 66 + step].copy_from_slice(&ese::ROOT.to_le_bytes());
    }
    let (found, damage) = numbers(&bytes);
    assert_eq!(found, [3, 4]);
    assert!(damage.contains(&DamageKind::Twice { what: "a page of a tree" }), "{damage:?}");
}

#[test]
fn a_page_outside_is_told_and_the_others_are_read() {
    let (found, damage) = numbers(&with_child(0, 0x7FFF_FFFF));
    assert_eq!(found, [3, 4]);
    assert!(damage.iter().any(|damage| matches!(damage, DamageKind::Outside { .. })), "{damage:?}");
}

#[test]
fn entries_upon_each_other_end_with_the_bytes_of_the_page() {
    let (found, damage) = numbers(&ese::overlapping());
    let read = found.iter().filter(|number| **number == 1).count();
    assert!((2..ese::PAGE / 16).contains(&read), "{read}");
    assert!(found.ends_with(&[3, 4]));
    assert!(damage.iter().any(|damage| matches!(damage, DamageKind::TooMany { .. })), "{damage:?}");
}

#[test]
fn a_long_value_without_its_tree_is_missing_and_the_tree_is_told() {
    let mut bytes = ese::deep();
    let last = bytes.len() - ese::PAGE;
    bytes.truncate(last);
    let database = Database::open(&bytes).unwrap();
    let table = database.table("deep").unwrap();
    let mut rows = database.rows(table);
    let third = rows.by_ref().nth(2).unwrap();
    let value = third.cell(table.column("Long").unwrap()).map(|Cell { value, .. }| value);
    assert_eq!(value, Some(Value::Missing { id: 9 }));
    rows.by_ref().for_each(drop);
    assert!(!rows.take_damage().is_empty());
}

/// Reads every column of every record; the work is bounded by the number of bytes.
fn read_all(bytes: &[u8]) {
    let Some(database) = Database::open(bytes) else { return };
    for table in &database.tables {
        let mut rows = database.rows(table);
        let mut count = 0;
        for mut row in rows.by_ref() {
            count += 1;
            for column in row.columns() {
                let _ = (row.integer(&column.name), row.text(&column.name), row.filetime(&column.name));
            }
        }
        assert!(count <= bytes.len() / 4, "{count}");
        rows.take_damage();
    }
}

#[test]
fn any_damage_is_read_without_panic() {
    let bytes = ese::deep();
    testkit::mutate::mutants(&bytes, 3_000).for_each(|mutant| read_all(&mutant));
    // Only the pages of the table, because most of the file is empty.
    for page in [4, ese::ROOT, ese::LEAVES[0], ese::LEAVES[1], 8] {
        let from = (page as usize + 1) * ese::PAGE;
        for mutant in testkit::mutate::mutants(&bytes[from..from + ese::PAGE], 400) {
            let mut whole = bytes.clone();
            whole[from..from + mutant.len()].copy_from_slice(&mutant);
            read_all(&whole);
        }
        // Changes every byte that is not empty.
        for at in (from..from + ese::PAGE).filter(|at| bytes[*at] != 0) {
            let mut whole = bytes.clone();
            whole[at] ^= 0xFF;
            read_all(&whole);
        }
    }
}
