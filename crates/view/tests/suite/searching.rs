//! Tests of searching all outputs.

use crate::client::{Opened, links};
use crate::made::{Made, name};
use std::collections::BTreeSet;

#[test]
fn what_stands_in_an_output_is_found_and_nothing_else() {
    let runs = tempfile::tempdir().unwrap();
    let mut made = Made::by("needle-agent");
    made.called(0, &[r"C:\Users\Bob\notes.txt", "nothing here"]);
    made.called_with(
        1,
        "needle-tool",
        serde_json::json!({"path": "needle"}),
        crate::made::output("a", &["A NEEDLE <b>"]),
    );
    made.write(runs.path(), &name(1));
    let opened = Opened::over(runs.path());
    let found = |query: &str| opened.page(&format!("/search?q={query}")).matches("class=\"item\"").count();
    assert_eq!(found("needle"), 1, "arguments, agents and tools are no outputs");
    assert_eq!(found("c%3a%5Cusers%5CBOB"), 1);
    assert_eq!(found("text_line"), 0);
    assert_eq!(found("haystack"), 0);
    let body = opened.page("/search?q=needle");
    assert!(body.contains("A <mark>NEEDLE</mark> &lt;b&gt;"), "{body}");
    assert!(body.contains(&format!("{}#r0", testkit::history::invocation(1, 1))), "{body}");
    assert!(opened.page("/search?q=haystack").contains("No record contains"));
}

#[test]
fn many_results_come_page_by_page_each_once() {
    let runs = tempfile::tempdir().unwrap();
    let texts: Vec<String> = (0..60).map(|number| format!("line {number} of it")).collect();
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    for number in 1..=2 {
        let mut made = Made::by("registry");
        made.called(0, &texts);
        made.called(1, &["not this"]);
        made.write(runs.path(), &name(number));
    }
    let opened = Opened::over(runs.path());
    let (mut address, mut seen, mut pages) = ("/search?q=LINE".to_owned(), BTreeSet::new(), Vec::new());
    loop {
        let body = opened.page(&address);
        let results: Vec<&str> = body.split("class=\"item\" href=\"").skip(1).collect();
        pages.push(results.len());
        for result in results {
            assert!(seen.insert(result.split('"').next().unwrap().to_owned()), "twice: {result}");
        }
        match links(&body).into_iter().find(|link| link.contains("after=")) {
            Some(next) => address = next,
            None => break,
        }
    }
    assert_eq!((pages, seen.len()), (vec![50, 50, 20], 120));
    // One run alone.
    let body = opened.page(&format!("/search?q=line+59&run={}", name(2)));
    assert_eq!(body.matches("class=\"item\"").count(), 1);
    assert!(body.contains("r59") && body.contains("?from=50#r59"), "{body}");
}

#[test]
fn a_search_that_cannot_be_understood_says_so() {
    let runs = tempfile::tempdir().unwrap();
    Made::by("registry").write(runs.path(), &name(1));
    let opened = Opened::over(runs.path());
    assert_eq!(opened.get("/search").status, 200);
    assert_eq!(opened.get("/search?q=").status, 200);
    for (query, status) in [
        (format!("q={}", "a".repeat(201)), 400),
        ("q=a&after=nonsense".to_owned(), 400),
        ("q=a&after=1.0.0.no-such-run".to_owned(), 404),
        ("q=a&run=no-such-run".to_owned(), 404),
    ] {
        assert_eq!(opened.get(&format!("/search?{query}")).status, status, "{query}");
    }
}
