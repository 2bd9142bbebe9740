//! Tests of runs that are missing, incomplete or damaged.

use crate::client::{Opened, links};
use crate::made::{Made, name};
use std::collections::BTreeSet;
use std::path::Path;
use view::Which;

#[expect(clippy::disallowed_methods, reason = "a test writes a file that is no run")]
fn write(path: &Path, bytes: &[u8]) {
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, bytes).unwrap();
}

#[test]
fn what_is_not_there_is_not_found_and_no_path_is_ever_followed() {
    let runs = tempfile::tempdir().unwrap();
    Made::by("registry").write(runs.path(), &name(1));
    write(&runs.path().join("20260101T000009Z-secret/notes.txt"), b"x");
    let opened = Opened::over(runs.path());
    let run = format!("/run/{}", name(1));
    for (address, named) in [
        ("/run/other".to_owned(), "run"),
        ("/run/..".to_owned(), "run"),
        (format!("/run/..%2f{}", name(1)), "run"),
        (format!("/run/%2e%2e%2f{}%2finv", name(1)), "run"),
        (format!("/run/{}", &name(1)[..10]), "run"),
        (format!("{run}/inv/inv-00000000"), "invocation"),
        (format!("{run}/inv/nonsense"), "invocation"),
        (format!("{run}/inv/nonsense/output"), "invocation"),
        (format!("{run}/fact/fact-00000000"), "fact"),
        (format!("{run}/calls?task=9"), "task"),
        ("/somewhere".to_owned(), "page"),
    ] {
        let reply = opened.get(&address);
        assert_eq!(reply.status, 404, "{address}");
        assert!(reply.body.contains(&format!("there is no {named} ")), "{address}: {}", reply.body);
        assert!(reply.body.contains("All runs"), "{address}");
    }
}

#[test]
fn a_run_that_broke_off_is_readable() {
    let runs = tempfile::tempdir().unwrap();
    let mut made = Made::by("registry");
    let output = made.called(0, &["one"]);
    made.found(0, &output, 0);
    made.history.started(1, 1, "list_hives");
    made.write(runs.path(), &name(1));
    let opened = Opened::over(runs.path());
    assert!(opened.page("/").contains("not sealed"));
    let run = opened.page(&format!("/run/{}", name(1)));
    assert!(run.contains("has not ended") && run.contains("the run broke off"), "{run}");
    let call = opened.page(&format!("/run/{}/inv/{}", name(1), testkit::history::invocation(1, 1)));
    assert!(call.contains("has not ended") && call.contains("The call has no output."), "{call}");
}

#[test]
fn every_link_leads_somewhere() {
    let runs = tempfile::tempdir().unwrap();
    for number in 1..=2 {
        let mut made = Made::by("registry");
        let output = made.called(0, &["one", "two"]);
        let fact = made.found(0, &output, 0);
        made.history.phenomenon(1, 0, &[fact.id], "words");
        made.write(runs.path(), &name(number));
    }
    let opened = Opened::over(runs.path());
    let (mut seen, mut waiting) = (BTreeSet::new(), vec!["/".to_owned(), "/search?q=one".to_owned()]);
    while let Some(address) = waiting.pop() {
        if seen.insert(address.clone()) {
            let reply = opened.get(&address);
            assert_eq!(reply.status, 200, "{address}");
            waiting.extend(links(&reply.body));
        }
    }
    assert!(seen.len() > 20, "{seen:?}");
}

#[test]
fn a_damaged_run_is_told_with_its_file_and_harms_no_other() {
    let runs = tempfile::tempdir().unwrap();
    let mut made = Made::by("registry");
    made.called(0, &["needle"]);
    made.write(runs.path(), &name(1));
    write(
        &runs.path().join(name(2)).join("run.db"),
        b"this is no database, and longer than a header of one has to be, which is a hundred bytes and some",
    );
    std::fs::create_dir(runs.path().join(name(3))).unwrap();
    let whole = std::fs::read(made.write(runs.path(), &name(4)).join("run.db")).unwrap();
    write(&runs.path().join(name(5)).join("run.db"), &whole[..whole.len() / 2]);
    let opened = Opened::over(runs.path());
    let list = opened.page("/");
    assert_eq!(list.matches(">unreadable<").count(), 3, "{list}");
    for number in [2, 3, 5] {
        for part in ["", "/follow", "/news", "/report", "/inv/inv-00000000"] {
            let reply = opened.get(&format!("/run/{}{part}", name(number)));
            assert_eq!(reply.status, 500, "{number} {part}");
            assert!(
                reply.body.contains(&format!("{}/run.db", name(number))),
                "{number} {part}: {}",
                reply.body
            );
        }
    }
    // A search over all runs says which ones could not be searched.
    let found = opened.page("/search?q=needle");
    assert_eq!(found.matches("class=\"item\"").count(), 2, "{found}");
    assert_eq!(found.matches("run.db").count(), 3, "{found}");
}

#[test]
fn runs_that_are_named_alone_are_shown_even_under_one_name() {
    let [one, other] = [(); 2].map(|()| tempfile::tempdir().unwrap());
    let mut folders = Vec::new();
    for runs in [&one, &other] {
        folders.push(Made::by("registry").write(runs.path(), &name(1)));
    }
    Made::by("hidden").write(one.path(), &name(2));
    let opened = Opened::of(Which::These(folders));
    let list = opened.page("/");
    assert!(list.contains(&format!("/run/{}~2", name(1))) && !list.contains(&name(2)), "{list}");
    opened.page(&format!("/run/{}~2", name(1)));
    assert_eq!(opened.get(&format!("/run/{}", name(2))).status, 404);
}

#[test]
fn a_folder_without_runs_says_so() {
    let runs = tempfile::tempdir().unwrap();
    let opened = Opened::over(runs.path());
    assert!(opened.page("/").contains("There are none yet."));
    drop(runs);
    assert_eq!(opened.get("/").status, 500);
}
