//! Checks that layers for the ATT&CK Navigator have the members and types that the format's specification requires.

use detect::Attack;
use graph::{Run, fold};
use ledger::{FactEntry, Predicate};
use report::navigator_layer;
use serde_json::{Map, Value};
use testkit::history::{History, fact, reading};

/// A type in the specification.
#[derive(Clone, Copy)]
enum Type {
    String,
    Number,
    Boolean,
    Strings,
    Object(&'static [Member]),
    Objects(&'static [Member]),
}

/// A member: name, type, whether it is required.
type Member = (&'static str, Type, bool);

const METADATA: &[Member] = &[("name", Type::String, true), ("value", Type::String, true)];
const LINK: &[Member] = &[("label", Type::String, true), ("url", Type::String, true)];

/// `layers/spec/v4.5/layerformat.md` of the Navigator, without dividers.
const LAYER: &[Member] = &[
    (
        "versions",
        Type::Object(&[
            ("attack", Type::String, false),
            ("navigator", Type::String, true),
            ("layer", Type::String, true),
        ]),
        false,
    ),
    ("name", Type::String, true),
    ("description", Type::String, false),
    ("domain", Type::String, true),
    ("customDataURL", Type::String, false),
    ("filters", Type::Object(&[("platforms", Type::Strings, false)]), false),
    ("sorting", Type::Number, false),
    (
        "layout",
        Type::Object(&[
            ("layout", Type::String, false),
            ("showID", Type::Boolean, false),
            ("showName", Type::Boolean, false),
            ("showAggregateScores", Type::Boolean, false),
            ("countUnscored", Type::Boolean, false),
            ("aggregateFunction", Type::String, false),
            ("expandedSubtechniques", Type::String, false),
        ]),
        false,
    ),
    ("hideDisabled", Type::Boolean, false),
    (
        "techniques",
        Type::Objects(&[
            ("techniqueID", Type::String, true),
            ("tactic", Type::String, false),
            ("comment", Type::String, false),
            ("enabled", Type::Boolean, false),
            ("score", Type::Number, false),
            ("color", Type::String, false),
            ("metadata", Type::Objects(METADATA), false),
            ("links", Type::Objects(LINK), false),
            ("showSubtechniques", Type::Boolean, false),
        ]),
        false,
    ),
    (
        "gradient",
        Type::Object(&[
            ("colors", Type::Strings, true),
            ("minValue", Type::Number, true),
            ("maxValue", Type::Number, true),
        ]),
        false,
    ),
    ("legendItems", Type::Objects(&[("label", Type::String, true), ("color", Type::String, true)]), false),
    ("showTacticRowBackground", Type::Boolean, false),
    ("tacticRowBackground", Type::String, false),
    ("selectTechniquesAcrossTactics", Type::Boolean, false),
    ("selectSubtechniquesWithParent", Type::Boolean, false),
    ("selectVisibleTechniques", Type::Boolean, false),
    ("metadata", Type::Objects(METADATA), false),
    ("links", Type::Objects(LINK), false),
];

/// Lists where an object differs from the specification.
fn wrong(at: &str, object: &Map<String, Value>, members: &[Member], found: &mut Vec<String>) {
    for name in object.keys().filter(|name| !members.iter().any(|(known, ..)| known == name)) {
        found.push(format!("{at}: no member {name}"));
    }
    for (name, of, required) in members {
        let at = format!("{at}.{name}");
        match (object.get(*name), of) {
            (None, _) if *required => found.push(format!("{at} is missing")),
            (None, _)
            | (Some(Value::String(_)), Type::String)
            | (Some(Value::Number(_)), Type::Number)
            | (Some(Value::Bool(_)), Type::Boolean) => {}
            (Some(Value::Array(items)), Type::Strings) if items.iter().all(Value::is_string) => {}
            (Some(Value::Object(inner)), Type::Object(members)) => wrong(&at, inner, members, found),
            (Some(Value::Array(items)), Type::Objects(members)) if items.iter().all(Value::is_object) => {
                items.iter().filter_map(Value::as_object).for_each(|item| wrong(&at, item, members, found));
            }
            (Some(other), _) => found.push(format!("{at} is {other}")),
        }
    }
}

/// Builds a run with a phenomenon for each number, which counts its Run keys.
fn run(phenomena: &[u32]) -> Run {
    let mut history = History::opened("T");
    history.assigned(1, "a").asked(1, 1).invoked(1, 0);
    let mut ordinal = 0;
    for (number, keys) in (0..).zip(phenomena) {
        let mut ids = Vec::new();
        for _ in 0..*keys {
            let key = format!("R\\Microsoft\\Windows\\CurrentVersion\\Run\\u{ordinal}");
            let stated = fact(1, ordinal, &key, &[("data", "C:\\u.exe <script>")]);
            let stated = FactEntry { predicate: Predicate("configured".into()), ..stated };
            history.claimed(1, ordinal, 1, reading("configured", &["v"], None));
            history.accepted(1, ordinal, stated.clone());
            ids.push(stated.id);
            ordinal += 1;
        }
        history.phenomenon(1, number, &ids, "evil words");
    }
    fold(history.events()).unwrap()
}

#[test]
fn a_layer_has_the_members_and_types_of_the_specification() {
    for run in [run(&[2, 1]), run(&[])] {
        let layer = navigator_layer(&run, &Attack::shipped().unwrap());
        let mut found = Vec::new();
        wrong("layer", layer.as_object().unwrap(), LAYER, &mut found);
        assert!(found.is_empty(), "{}", found.join("\n"));
        assert_eq!(layer["versions"]["layer"], "4.5");
        assert_eq!(layer["domain"], "enterprise-attack");
        assert!(layer["gradient"]["maxValue"].as_u64() > layer["gradient"]["minValue"].as_u64());
        assert!(layer["gradient"]["colors"].as_array().unwrap().len() >= 2);
    }
}

#[test]
fn a_technique_stands_under_each_of_its_tactics_scored_by_phenomena() {
    let layer = navigator_layer(&run(&[2, 1]), &Attack::shipped().unwrap());
    let told: Vec<_> = layer["techniques"]
        .as_array()
        .unwrap()
        .iter()
        .map(|it| {
            (
                it["techniqueID"].as_str().unwrap(),
                it["tactic"].as_str().unwrap(),
                it["score"].as_u64().unwrap(),
            )
        })
        .collect();
    assert_eq!(told, [("T1547.001", "persistence", 2), ("T1547.001", "privilege-escalation", 2)]);
    let comment = layer["techniques"][0]["comment"].as_str().unwrap();
    assert_eq!(comment.matches("fact-").count(), 3, "{comment}");
}

#[test]
fn a_comment_names_twenty_facts_and_says_how_many_more_there_are() {
    let layer = navigator_layer(&run(&[25]), &Attack::shipped().unwrap());
    let comment = layer["techniques"][0]["comment"].as_str().unwrap();
    assert_eq!(comment.matches("fact-").count(), 20, "{comment}");
    assert!(comment.ends_with(" and 5 more"), "{comment}");
}

#[test]
fn nothing_of_the_evidence_and_no_words_of_an_agent_stand_in_a_layer() {
    let layer = navigator_layer(&run(&[1]), &Attack::shipped().unwrap()).to_string();
    assert!(!layer.contains("<script") && !layer.contains("evil"), "{layer}");
}

#[test]
fn every_tactic_of_the_shipped_data_can_stand_in_a_layer() {
    let attack = Attack::shipped().unwrap();
    for technique in attack.all_techniques() {
        assert_eq!(attack.tactics_of(technique).count(), technique.tactics.len(), "{}", technique.id);
        assert!(!technique.tactics.is_empty(), "{}", technique.id);
    }
}
