//! Checks the rules of connections against the record types of the tools and the vocabulary.

use graph::connections::named_by_rules;
use ledger::{Predicate, Vocabulary};
use std::collections::{BTreeMap, BTreeSet};

#[test]
fn every_record_type_field_and_predicate_that_rules_of_connections_name_exists() {
    let named = named_by_rules().unwrap();
    let mut fields: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for record in tools::catalogue().into_iter().flat_map(|tool| tool.records) {
        fields.entry(record.name).or_default().extend(record.fields.into_keys());
    }
    for (record, field) in &named.fields {
        let known = fields.get(record).unwrap_or_else(|| panic!("no record type {record}"));
        assert!(known.contains(field), "{record} has no field {field}");
    }
    let vocabulary = Vocabulary::shipped().unwrap();
    for (record, says) in &named.predicates {
        let meaning = vocabulary.meaning(&Predicate(says.clone()));
        assert!(meaning.is_some(), "no predicate {says}");
        let others = named.predicates.iter().filter(|(other, _)| other == record);
        let proved = others.filter(|(_, says)| vocabulary.proved_by(record).any(|it| it.0 == *says)).count();
        assert!(proved > 0, "{record} proves none of what its rule asks for");
    }
    assert!(named.fields.len() > 100);
}
