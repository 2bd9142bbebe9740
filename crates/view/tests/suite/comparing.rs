//! Tests of two runs side by side.

use crate::client::Opened;
use crate::made::{Made, name};

#[test]
fn what_only_one_run_has_is_told_with_the_run() {
    let runs = tempfile::tempdir().unwrap();
    for (number, texts) in [(1, ["same", "old"]), (2, ["same", "new"])] {
        let mut made = Made::by("registry");
        let output = made.called(0, &texts);
        made.found(0, &output, 0);
        made.found(1, &output, 1);
        made.write(runs.path(), &name(number));
    }
    let opened = Opened::over(runs.path());
    let body = opened.page(&format!("/compare?before={}&after={}", name(1), name(2)));
    assert!(body.contains("The runs recorded different things"), "{body}");
    let facts = body.split("<th scope=\"row\">Facts</th>").nth(1).unwrap();
    let numbers: Vec<&str> = facts
        .split("<td class=\"number\">")
        .skip(1)
        .take(4)
        .map(|it| it.split('<').next().unwrap())
        .collect();
    assert_eq!(numbers, ["1", "1", "1", "0"], "{body}");
    for (run, text) in [(1, "configured old"), (2, "configured new")] {
        let link = format!("/run/{}/fact/", name(run));
        let found = body
            .split("class=\"item\" href=\"")
            .filter(|part| part.starts_with(&link) && part.contains(text));
        assert_eq!(found.count(), 1, "{text}");
    }
    let body = opened.page(&format!("/compare?before={}&after={}", name(1), name(1)));
    assert!(body.contains("Both runs recorded the same"), "{body}");
    // The list of runs has a form for it, with the older run as "before".
    let body = opened.page("/");
    let form = body.split("action=\"/compare\"").nth(1).unwrap();
    let before = form.split("id=\"after\"").next().unwrap();
    assert!(before.contains(&format!("<option value=\"{}\" selected>", name(1))), "{form}");
}

#[test]
fn a_comparison_that_lacks_a_run_says_so() {
    let runs = tempfile::tempdir().unwrap();
    Made::by("registry").write(runs.path(), &name(1));
    let opened = Opened::over(runs.path());
    assert_eq!(opened.get("/compare").status, 400);
    assert_eq!(opened.get(&format!("/compare?before={}", name(1))).status, 400);
    assert_eq!(opened.get(&format!("/compare?before={}&after=other", name(1))).status, 404);
}
