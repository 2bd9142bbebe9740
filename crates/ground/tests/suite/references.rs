//! Readings that name a record and fields: what is copied, what is completed, and what a refusal offers.

use crate::world::{World, at, reading};
use ground::Verdict;
use ledger::vocabulary::Vocabulary;
use ledger::{FactEntry, Reading, Rejection, RejectionCode};

/// Returns a reading of a record whose fields are to be copied.
fn copies(predicate: &str, cited: impl ToString, record: &str, fields: &[&str]) -> Reading {
    let fields = fields.iter().map(|field| (*field).to_owned()).collect();
    Reading { fields, ..at(record, reading(predicate, cited, &[])) }
}

fn fact(verdict: Verdict) -> FactEntry {
    match verdict {
        Verdict::Grounded { fact, .. } => fact.into_entry(),
        Verdict::Refused(rejection) => panic!("{rejection:?}"),
    }
}

fn refusal(verdict: Verdict) -> Rejection {
    match verdict {
        Verdict::Grounded { fact, .. } => panic!("{:?}", fact.entry()),
        Verdict::Refused(rejection) => rejection,
    }
}

fn stated(fact: &FactEntry) -> Vec<(&str, String)> {
    fact.values.iter().map(|value| (value.field.as_str(), value.value.to_text().into_owned())).collect()
}

#[test]
fn values_are_copied_from_the_record_that_is_named() {
    let world = World::new();
    let held = world.shelf.held().first().unwrap();
    let record = held.output.as_ref().unwrap().records().first().unwrap();
    let names: Vec<&str> = record.fields.keys().map(String::as_str).collect();
    let fact = fact(world.judge(&copies("configured", held.invocation, "r0", &names)));
    let expected: Vec<_> = record
        .fields
        .iter()
        .map(|(name, field)| (name.as_str(), field.value.to_text().into_owned()))
        .collect();
    assert_eq!(stated(&fact), expected);
    assert_eq!(fact.record, record.id);
}

#[test]
fn a_reading_that_leaves_the_fields_to_the_gateway_says_what_its_record_is_about() {
    let world = World::new();
    let cited = world.shelf.held().first().unwrap().invocation;
    let fact = fact(world.judge(&copies("configured", cited, "r0", &[ground::MOST_TELLING])));
    let names: Vec<&str> = fact.values.iter().map(|value| value.field.as_str()).collect();
    assert_eq!(names, ["key", "data", "name"], "its subject first");
    let nothing = refusal(world.judge(&copies("configured", cited, "r0", &[])));
    assert_eq!(nothing.code, RejectionCode::Malformed, "a reading that states nothing says nothing");
}

#[test]
fn what_cannot_be_copied_is_refused_with_what_is_there() {
    let world = World::new();
    let cited = world.shelf.held().first().unwrap().invocation;
    let missing = refusal(world.judge(&copies("configured", cited, "r0", &["colour"])));
    assert_eq!(missing.code, RejectionCode::WrongField);
    assert!(missing.hint.contains("`key`"), "{}", missing.hint);
    let no_record = refusal(world.judge(&copies("configured", cited, "r99", &["key"])));
    assert_eq!(no_record.code, RejectionCode::ValueAbsent);
    assert!(no_record.hint.contains("r0 to r"), "{}", no_record.hint);
    let invented = refusal(world.judge(&copies("configured", "inv-00000000", "r0", &["key"])));
    assert_eq!(invented.code, RejectionCode::UnknownInvocation);
    let unnamed =
        refusal(world.judge(&Reading { record: None, ..copies("configured", cited, "", &["key"]) }));
    assert_eq!(unnamed.code, RejectionCode::Malformed);
}

#[test]
fn a_value_that_is_stated_beside_copied_ones_must_be_what_the_record_holds() {
    let world = World::new();
    let cited = world.shelf.held().first().unwrap().invocation;
    let values = reading("configured", cited, &[("data", "no such value")]).values;
    let wrong = refusal(world.judge(&Reading { values, ..copies("configured", cited, "r0", &["key"]) }));
    assert!(matches!(wrong.code, RejectionCode::ValueAbsent | RejectionCode::WrongField), "{wrong:?}");
}

#[test]
fn without_the_behaviour_nothing_is_copied() {
    let world = World::new();
    let cited = world.shelf.held().first().unwrap().invocation;
    let before = ground::Setting { by_reference: false, ..world.setting() };
    let reading = copies("configured", cited, "r0", &["key"]);
    let refused = refusal(ground::judge(&reading, crate::world::fact_id(), &world.shelf, &before));
    assert_eq!(refused.code, RejectionCode::Malformed);
}

/// A vocabulary in which both predicates apply to a registry value; `persists` needs its `data`, and `off` there says the opposite.
const NEEDS: &str = "[predicate.configured]\nmeaning = \"set\"\n[predicate.persists]\nmeaning = \"starts\"\n\
    [record.registry_value]\nconfigured = {}\npersists = { states = \"data\", unless = [\"off\"] }";

#[test]
fn the_field_that_a_predicate_needs_is_stated_with_the_record_that_is_cited() {
    let world = World { vocabulary: Vocabulary::from_toml(NEEDS).unwrap(), ..World::new() };
    let cited = world.shelf.held().first().unwrap().invocation;
    let record =
        world.shelf.held().first().unwrap().output.as_ref().unwrap().records().first().unwrap().clone();
    let needed = record.fields["data"].value.to_text();
    let key = record.fields["key"].value.to_text();
    let values = [("key", &*key)];
    let fact = fact(world.judge(&at("r0", reading("persists", cited, &values))));
    assert!(stated(&fact).contains(&("data", needed.into_owned())), "{fact:?}");
    let before = ground::Setting { by_reference: false, ..world.setting() };
    let refused = ground::judge(
        &at("r0", reading("persists", cited, &values)),
        crate::world::fact_id(),
        &world.shelf,
        &before,
    );
    assert_eq!(refusal(refused).code, RejectionCode::Overclaim);
}

#[test]
fn a_refused_predicate_offers_those_that_the_record_proves() {
    let world = World::new();
    let cited = world.shelf.held().first().unwrap().invocation;
    let refused = refusal(world.judge(&copies("executed", cited, "r0", &["key"])));
    assert_eq!(refused.code, RejectionCode::Overclaim);
    let offered: Vec<&str> = refused.hint.split('`').skip(1).step_by(2).collect();
    assert!(!offered.is_empty(), "{}", refused.hint);
    for predicate in offered {
        fact(world.judge(&copies(predicate, cited, "r0", &["key"])));
    }
}

/// Returns a world whose first call returned a record with a list, a time and more fields than fit, with names that sort first.
fn wide_world() -> (World, ledger::InvocationId) {
    use ledger::{Field, FieldValue, Output, Time};
    let mut world = World::new();
    let first = world.shelf.held().first().unwrap();
    let (cited, mut records) = (first.invocation, first.output.as_ref().unwrap().records().to_vec());
    let fields = &mut records.first_mut().unwrap().fields;
    let field = |value| Field { value, at: None };
    fields.extend((0..40).map(|number| (format!("a{number:02}"), field(FieldValue::Integer(number)))));
    let flags = vec!["NORMAL".to_owned(), "USER_ACCOUNT_DISABLED".to_owned()];
    fields.insert("flags".to_owned(), field(FieldValue::List(flags)));
    fields.insert("listed".to_owned(), field(FieldValue::List(vec!["x".repeat(150), "y".repeat(150)])));
    fields.insert("time".to_owned(), field(FieldValue::Time(Time::from_filetime(133_000_000_000_000_000))));
    let mut held = first.clone();
    held.output = Some(std::sync::Arc::new(Output::new(records).unwrap()));
    world.shelf = ground::Shelf::default();
    world.shelf.push(held);
    (world, cited)
}

#[test]
fn the_time_of_a_wide_record_is_copied_and_so_is_a_short_list() {
    let (world, cited) = wide_world();
    let all = copies("configured", cited, "r0", &[ground::MOST_TELLING]);
    let told = fact(world.judge(&all));
    let names: Vec<&str> = told.values.iter().map(|value| value.field.as_str()).collect();
    assert!(names.contains(&"time"), "{names:?}");
    assert!(!names.contains(&"listed"), "a long list is left to who claims it: {names:?}");
    assert!(names.len() >= 32, "{names:?}");
    let before = ground::Setting { dated: false, ..world.setting() };
    let then = match ground::judge(&all, crate::world::fact_id(), &world.shelf, &before) {
        Verdict::Grounded { fact, .. } => fact.into_entry(),
        Verdict::Refused(rejection) => panic!("{rejection:?}"),
    };
    assert_eq!(then.values.len(), 16, "earlier runs keep the first sixteen by their names");
    assert!(!then.values.iter().any(|value| value.field == "time"));
}

#[test]
fn a_list_that_bounds_a_record_is_carried_by_each_fact_of_it() {
    let (mut world, cited) = wide_world();
    world.types.get_mut("registry_value").unwrap().scope = vec!["flags".to_owned()];
    let told = fact(world.judge(&copies("configured", cited, "r0", &["key"])));
    let flags = told.values.iter().find(|value| value.field == "flags").unwrap();
    assert!(flags.value.to_text().contains("USER_ACCOUNT_DISABLED"), "{flags:?}");
}
