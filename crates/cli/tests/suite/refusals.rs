//! `locard rejections`: the refused claims of one run, and of several.

use crate::support::Place;
use serde_json::Value;

fn place_with_runs(models: &[&'static [&'static str]]) -> (Place, Vec<String>) {
    let place = Place::new();
    for model in models {
        place.has_demo_run(model);
    }
    let entries = std::fs::read_dir(place.path("runs")).unwrap();
    let mut names: Vec<String> = entries.map(|it| it.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    (place, names)
}

fn json(place: &Place, arguments: &[&str]) -> Value {
    let out = place.locard_ends(0, &[&["rejections", "--format", "json"], arguments].concat());
    serde_json::from_str(&out).unwrap()
}

#[test]
fn of_one_run_the_summary_stands_above_the_claims_and_agrees_with_them() {
    let (place, names) = place_with_runs(&[&["--model", "sloppy:3"]]);
    let told = place.locard_ends(0, &["rejections", "latest"]);
    let (summary, claims) = (told.find("refusals cost ").unwrap(), told.find("\nclaim-").unwrap());
    assert!(told.starts_with("by code") && summary < claims, "{told}");
    let json = json(&place, &["latest"]);
    let rejections = json["rejections"].as_array().unwrap();
    let all = &json["summary"]["all"];
    assert_eq!(all["refused"], rejections.len());
    let fate = |name: &str| rejections.iter().filter(|it| it["fate"]["fate"] == name).count();
    assert_eq!(
        (&all["corrected"], &all["abandoned"]),
        (&fate("corrected").into(), &fate("abandoned").into())
    );
    assert!(rejections.iter().all(|it| it["run"] == names[0].as_str()));
    let of_agents = json["summary"]["by_agent"].as_object().unwrap().values();
    let of_agents: i64 = of_agents.map(|it| it["refused"].as_i64().unwrap()).sum();
    assert_eq!(all["refused"], of_agents);
    let tools: i64 = json["summary"]["by_tool"]
        .as_object()
        .unwrap()
        .values()
        .map(|it| it["refused"].as_i64().unwrap())
        .sum();
    assert_eq!(all["refused"], tools);
    assert!(all["model_tokens"].is_null());
}

#[test]
fn several_runs_are_counted_together_and_their_claims_listed_on_demand() {
    let (place, names) = place_with_runs(&[&["--model", "sloppy:3"], &["--model", "sloppy:4"]]);
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let (one, other, both) = (json(&place, &names[..1]), json(&place, &names[1..]), json(&place, &names));
    let count = |json: &Value| json["summary"]["all"]["refused"].as_i64().unwrap();
    assert_eq!(count(&both), count(&one) + count(&other));
    assert_eq!(both["rejections"].as_array().unwrap().len(), 0);
    let told = place.locard_ends(0, &[&["rejections"], &names[..]].concat());
    assert!(!told.contains("\nclaim-"), "{told}");
    let told = place.locard_ends(0, &[&["rejections", "--details"], &names[..]].concat());
    assert_eq!(told.matches("\nclaim-").count() as i64, count(&both));
    assert!(names.iter().all(|name| told.contains(name)), "{told}");
}

#[test]
fn a_run_without_refusals_has_an_empty_summary() {
    let (place, _) = place_with_runs(&[&[]]);
    let json = json(&place, &["latest"]);
    assert_eq!(json["summary"]["all"]["refused"], 0);
    assert_eq!(json["summary"]["all"]["refused_percent_of_all_claims"], 0.0);
}

#[test]
fn the_page_lists_each_refused_claim_and_fetches_nothing() {
    let (place, names) = place_with_runs(&[&["--model", "sloppy:3"], &["--model", "sloppy:4"]]);
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let page = place.locard_ends(0, &[&["rejections", "--format", "html"], &names[..]].concat());
    let refused = json(&place, &names)["summary"]["all"]["refused"].as_u64().unwrap();
    assert!(page.starts_with("<!DOCTYPE html>") && page.contains("default-src 'none'"), "{page}");
    assert_eq!(page.matches("<details class=\"refused\"").count() as u64, refused);
    assert!(names.iter().all(|name| page.contains(name)));
    for outside in ["<script", "<link", "<img", "url(", "@import", "src=", "href="] {
        assert!(!page.contains(outside), "{outside}");
    }
}
