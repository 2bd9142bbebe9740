//! `locard bench gate`: claims seeded into a run of the demo.

use crate::support::{Place, str, text};
use serde_json::Value;

fn place_with_run() -> Place {
    let place = Place::new();
    place.has_demo_run(&["--model", "sloppy:3"]);
    place
}

fn bench(place: &Place, arguments: &[&str]) -> String {
    let command = ["bench", "gate", "latest", "--format", "json"];
    let output = place.locard(&[&command, arguments].concat());
    let code = output.status.code().unwrap();
    // Whether the gateway passes is checked by a separate test.
    assert!(code <= 1, "{code}: {}", text(&output.stderr));
    text(&output.stdout)
}

#[test]
fn equal_seeds_give_equal_results_and_other_seeds_other_claims() {
    let place = place_with_run();
    let arguments = |seed: &'static str| ["--claims", "1000", "--examples", "2", "--seed", seed];
    let first = bench(&place, &arguments("1"));
    assert_eq!(first, bench(&place, &arguments("1")));
    assert_ne!(first, bench(&place, &arguments("2")));
}

#[test]
fn no_falsehood_is_accepted_and_nothing_is_put_at_a_wrong_place() {
    let place = place_with_run();
    let out = bench(&place, &["--claims", "6000", "--examples", "2"]);
    let bench: Value = serde_json::from_str(&out).unwrap();
    let run = &bench["runs"][0];
    let total = |name: &str| run["totals"][name].as_u64().unwrap();
    let errors = ["false_accepts", "wrong_places", "untold"].map(total);
    assert_eq!(errors, [0; 3], "{}", run["wrong"]);
    assert_eq!(bench["holds"], true);
    assert!(total("truths") > 1000 && total("falsehoods") > 1000 && total("omissions") > 100);
}

#[test]
fn every_kind_has_claims_or_says_what_the_run_lacks_and_adds_up() {
    let place = place_with_run();
    let bench: Value = serde_json::from_str(&bench(&place, &["--claims", "3000"])).unwrap();
    let run = &bench["runs"][0];
    let kinds = run["kinds"].as_array().unwrap();
    let count = |kind: &Value, name: &str| kind[name].as_u64().unwrap();
    for kind in kinds {
        let claims = count(kind, "claims");
        assert_eq!(claims == 0, kind["lacks"].is_string(), "{kind}");
        assert_eq!(
            claims,
            count(kind, "accepted") + count(kind, "ambiguous") + count(kind, "refused"),
            "{kind}"
        );
        assert!(
            count(kind, "healed_right") + count(kind, "healed_wrong") <= count(kind, "accepted"),
            "{kind}"
        );
        assert!(count(kind, "told") <= count(kind, "accepted"), "{kind}");
        assert_eq!(kind["passed"]["locard"], kind["accepted"]);
    }
    assert!(kinds.iter().filter(|kind| count(kind, "claims") > 0).count() > kinds.len() / 2, "{kinds:?}");
    assert_eq!(kinds.iter().map(|kind| count(kind, "claims")).sum::<u64>(), count(run, "claims"));
    let told = place.locard(&["bench", "gate", "latest", "--claims", "3000"]);
    let told = text(&told.stdout);
    for kind in kinds {
        assert!(told.contains(kind["kind"].as_str().unwrap()), "{kind} is not in\n{told}");
    }
}

#[test]
fn claims_of_every_form_are_seeded_and_the_true_ones_are_taken() {
    let place = place_with_run();
    let bench: Value = serde_json::from_str(&bench(&place, &["--claims", "4000"])).unwrap();
    let kinds = bench["runs"][0]["kinds"].as_array().unwrap();
    let of = |name: &str| kinds.iter().find(|kind| kind["kind"] == name).unwrap();
    let count = |name: &str, what: &str| of(name)[what].as_u64().unwrap();
    for name in ["counts_apart", "order_across_step", "absence_searched"] {
        // The true claims of these kinds must be accepted. Otherwise the false ones beside them might be refused
        // for some reason other than being false.
        assert_eq!(count(name, "claims"), count(name, "accepted"), "{}", of(name));
    }
    for name in [
        "counts_apart",
        "order_across_step",
        "absence_searched",
        "expired_disabled",
        "expired_on_demand",
        "expired_once",
        "expired_until_end",
        "narrowed_count_other",
        "narrowed_sum",
        "crossed_order",
        "crossed_span",
        "look_alike_searched",
        "narrowed_count",
        "out_of_context",
        "look_alike_absence",
    ] {
        assert!(count(name, "claims") > 20, "{}", of(name));
    }
    for name in ["narrowed_count", "out_of_context", "look_alike_absence"] {
        assert!(count(name, "told") > 0, "{}", of(name));
    }
}

#[test]
fn rules_that_only_ask_for_the_id_let_false_claims_pass() {
    let place = place_with_run();
    let file = place
        .file("ours.toml", "[[ruleset]]\nname = \"anywhere\"\nlooks_at = \"any\"\nmatch = \"substring\"\n");
    let out = bench(&place, &["--claims", "2000", "--rulesets", str(&file)]);
    let bench: Value = serde_json::from_str(&out).unwrap();
    let sets = bench["runs"][0]["rulesets"].as_array().unwrap();
    let of = |name: &str| sets.iter().find(|set| set["name"] == name).unwrap();
    for name in ["id-exists", "substring-strict", "substring-normalised", "substring-rescue", "anywhere"] {
        assert!(of(name)["truths"].as_u64() > Some(0) && of(name)["falsehoods"].as_u64() > Some(0), "{name}");
    }
    let falsehoods = |name: &str| of(name)["falsehoods"].as_u64().unwrap();
    assert!(falsehoods("substring-strict") <= falsehoods("substring-normalised"));
    assert!(falsehoods("substring-normalised") <= falsehoods("substring-rescue"));
}

#[test]
fn a_broken_file_of_rule_sets_is_told_with_its_place() {
    let place = place_with_run();
    let set = |looks_at: &str, matching: &str| {
        format!("[[ruleset]]\nname = \"x\"\nlooks_at = \"{looks_at}\"\nmatch = \"{matching}\"\n")
    };
    for (rules, expected) in [
        (set("cited", "substrings"), "line 4"),
        (set("everything", "substring"), "line 3"),
        (set("nothing", "substring"), "rule set \"x\": expected `match = \"none\"`"),
        (set("any", "substring").replace('x', "locard"), "a name other than `locard`"),
        ("[[ruleset]\n".to_owned(), "line 1"),
    ] {
        let file = place.file("ours.toml", rules);
        let output = place.locard(&["bench", "gate", "latest", "--rulesets", str(&file)]);
        let told = text(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{told}");
        assert!(told.contains("ours.toml") && told.contains(expected), "{told}");
    }
    let output = place.locard(&["bench", "gate", "latest", "--rulesets", "gone.toml"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output.stderr).contains("gone.toml"));
}

#[test]
fn a_run_that_cannot_be_read_is_not_measured() {
    let place = place_with_run();
    let run = place.only_run();
    std::fs::remove_file(run.join("run.db")).unwrap();
    let output = place.locard(&["bench", "gate", str(&run), "--claims", "10"]);
    assert_eq!(output.status.code(), Some(31), "{}", text(&output.stderr));
}
