//! All formats show the same figures, and the same things first.

use crate::support::{Place, text};
use serde_json::Value;
use std::collections::BTreeMap;

/// The number directly before these words, which must follow a number exactly once.
fn before(text: &str, words: &str) -> usize {
    let numbers: Vec<usize> = text
        .match_indices(words)
        .filter_map(|(at, _)| text[..at].rsplit(|c: char| !c.is_ascii_digit()).next()?.parse().ok())
        .collect();
    assert_eq!(numbers.len(), 1, "{words:?} in {text}");
    numbers[0]
}

/// The five numbers in a line of limits, such as "4 gaps, 1 incomplete call".
fn not_told(line: &str) -> Vec<usize> {
    let numbers = line.split(", ").map(|part| part.split(' ').next().unwrap().parse().unwrap());
    let numbers: Vec<usize> = numbers.collect();
    assert_eq!(numbers.len(), 5, "{line}");
    numbers
}

fn of_markdown(markdown: &str) -> Vec<usize> {
    let line = markdown
        .lines()
        .find(|line| line.starts_with(|c: char| c.is_ascii_digit()) && line.contains("cannot be answered, "));
    let line = line.unwrap().trim_end_matches('.');
    not_told(line.rsplit("Limits: ").next().unwrap())
}

fn of_page(page: &str) -> Vec<usize> {
    let section = page.split("id=\"limits\"").nth(1).unwrap();
    let key = section.split("<p class=\"key\">").nth(1).unwrap().split("</p>").next().unwrap();
    let spans = key.split("<span class=\"state\">").skip(1);
    let spans: Vec<&str> = spans.map(|span| span.split("</span>").next().unwrap()).collect();
    not_told(&spans.join(", "))
}

#[test]
fn terminal_markdown_page_and_json_have_the_same_figures() {
    let models: [&[&str]; 2] = [&[], &["--model", "sloppy:4"]];
    for model in models {
        let place = Place::new();
        let out = place.has_demo_run(model);
        let markdown = place.locard_ends(0, &["report", "latest"]);
        let page = place.locard_ends(0, &["report", "latest", "--format", "html"]);
        let json = |arguments: &[&str]| -> Value {
            serde_json::from_str(&place.locard_ends(0, &[arguments, &["--format", "json"]].concat())).unwrap()
        };
        let report = json(&["report", "latest"]);
        let number = |member: &str| report[member].as_array().unwrap().len();
        let listed = json(&["runs"]);
        let listed = &listed["runs"][0];

        let facts = number("facts");
        assert_eq!(before(&out, " facts ("), facts);
        assert!(place.locard_ends(0, &["facts", "latest"]).contains(&format!("\n{facts} facts\n")));
        assert_eq!(before(&markdown, " facts have the root"), facts);
        assert_eq!(before(&page, " facts; those behind answers"), facts);
        assert_eq!(listed["facts"], facts);
        assert_eq!(json(&["facts", "latest"])["of"], facts);

        let refused = number("rejections");
        assert_eq!(before(&out, " claims refused"), refused, "{out}");
        assert_eq!(json(&["rejections", "latest"])["rejections"].as_array().unwrap().len(), refused);
        assert_eq!(listed["refused"], refused);
        assert_eq!(refused > 0, !model.is_empty());

        let mut states: BTreeMap<&str, usize> = BTreeMap::new();
        let answers = report["answers"].as_array().unwrap().iter();
        let of_case: Vec<_> =
            answers.filter(|it| ["standard", "owner"].contains(&it["by"].as_str().unwrap())).collect();
        of_case.iter().for_each(|it| *states.entry(it["answer"].as_str().unwrap()).or_default() += 1);
        let line = out.lines().find(|line| line.contains(" questions: ")).unwrap();
        assert_eq!(before(line, " questions: "), of_case.len());
        for (state, words) in [
            ("met", " answered"),
            ("empty", " searched, nothing found"),
            ("not_determinable", " cannot be answered"),
        ] {
            assert_eq!(before(line, words), states[state], "{line}");
        }
        let (in_markdown, in_page) = (of_markdown(&markdown), of_page(&page));
        assert_eq!(in_markdown, in_page);
        assert_eq!(in_page[0], states["not_determinable"]);
        let open: usize = ["partly", "seen", "not_asked"].iter().filter_map(|state| states.get(state)).sum();
        assert_eq!(in_page[1], open);
        assert_eq!(listed["unmet"], open);
        assert_eq!(in_page[2] + in_page[3], number("unexamined"));
        assert_eq!(before(&out, " items were not examined"), number("unexamined"));
    }
}

#[test]
fn evidence_that_holds_nothing_is_said_first_and_is_not_examined() {
    let place = Place::new();
    place.folder("host");
    let output = place.locard(&["run", "host", "--fail-on", "gaps"]);
    assert_eq!(output.status.code(), Some(10), "{}", text(&output.stderr));
    assert!(
        text(&output.stdout).starts_with("not examined: host holds no file\n"),
        "{}",
        text(&output.stdout)
    );
    let report = place.locard_ends(0, &["report", "latest", "--format", "json"]);
    let report: Value = serde_json::from_str(&report).unwrap();
    let gap = &report["unexamined"][0];
    assert_eq!((&gap["place"], &gap["reason"]), (&"host".into(), &"the evidence holds no file".into()));
    let markdown = place.locard_ends(0, &["report", "latest"]);
    assert!(markdown.contains("the evidence holds no file"), "{markdown}");
    // Evidence that cannot be opened at all begins no run.
    place.file("nothing.zip", "");
    let output = place.locard(&["run", "nothing.zip"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output.stderr).contains("nothing.zip: it is empty"), "{}", text(&output.stderr));
    assert_eq!(place.runs().len(), 1);
}
