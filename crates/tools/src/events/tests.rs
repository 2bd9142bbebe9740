//! The rules and the types hold together.

use super::kinds::{BASE, KINDS};
use super::rules::RULES;

#[test]
fn rules_name_kinds_and_their_fields_only() {
    for rule in RULES {
        let kind = KINDS.iter().find(|kind| kind.name == rule.kind);
        let kind = kind.unwrap_or_else(|| panic!("{} is no kind", rule.kind));
        let fields = rule.map.iter().map(|(_, field)| field).chain(rule.fixed.iter().map(|(field, _)| field));
        for field in fields.filter(|field| !field.starts_with('*')) {
            assert!(kind.fields.iter().any(|(name, ..)| name == field), "{}.{field} is no field", kind.name);
        }
        let taken = kind.subject == "host_application";
        let named = |field: &&str| {
            rule.map.iter().any(|(_, to)| to == field) || rule.fixed.iter().any(|(to, _)| to == field)
        };
        assert!(
            taken || named(&kind.subject) || BASE.iter().any(|(name, ..)| *name == kind.subject),
            "{} has no subject",
            kind.name
        );
    }
}

#[test]
fn kinds_are_sorted_and_each_has_a_rule() {
    assert!(KINDS.iter().map(|kind| kind.name).is_sorted());
    for kind in KINDS {
        assert!(RULES.iter().any(|rule| rule.kind == kind.name), "{} has no rule", kind.name);
    }
}
