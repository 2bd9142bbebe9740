//! Profiles must name existing record types and fields.

use ledger::pattern::Patterns;
use redact::{Profile, SHIPPED};

fn each(patterns: &Patterns) -> Vec<Patterns> {
    match patterns {
        Patterns::One(_) => vec![patterns.clone()],
        Patterns::Any(all) => all.iter().cloned().map(Patterns::One).collect(),
    }
}

#[test]
fn shipped_profiles_name_no_field_and_no_record_type_that_no_tool_returns() {
    let tools = tools::catalogue();
    let known: Vec<(&str, &str)> = tools
        .iter()
        .flat_map(|tool| &tool.records)
        .flat_map(|record| record.fields.keys().map(|field| (record.name.as_str(), field.as_str())))
        .collect();
    let mut missing = Vec::new();
    for (name, text) in SHIPPED {
        for (records, fields) in Profile::parse(name, text).unwrap().rules() {
            for record in each(records) {
                if !known.iter().any(|(kind, _)| record.fit(kind)) {
                    missing.push(format!("{name}: {record:?}"));
                }
            }
            for field in each(fields) {
                if !known.iter().any(|(kind, known)| records.fit(kind) && field.fit(known)) {
                    missing.push(format!("{name}: {field:?} of {records:?}"));
                }
            }
        }
    }
    assert!(missing.is_empty(), "{missing:#?}");
}
