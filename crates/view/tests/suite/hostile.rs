//! Checks that text from evidence, models and case files is text on every page.

use crate::client::{Opened, links};
use crate::made::{Made, name, output};
use ledger::event::{HypothesisProposed, NoteWritten, NothingToRecord, TurnFailed};
use ledger::{CallId, Event, HypothesisId, RejectionCode, TaskId};
use testkit::history;

/// Text that tries to close its context, adds an element, and reverses text.
const HOSTILE: &str = "\"'><img src=x onerror=alert(1)></script></title>\u{202e}\u{1b}[31m";

fn hostile_run(runs: &std::path::Path) {
    let mut made = Made::by(HOSTILE);
    made.history = {
        let mut opened = history::History::opened(HOSTILE);
        opened.assigned_with(1, HOSTILE, HOSTILE, vec![]).asked(1, 1);
        opened
    };
    let stored = output(HOSTILE, &[HOSTILE, "harmless"]);
    let output = made.called_with(0, HOSTILE, serde_json::json!({HOSTILE: HOSTILE}), stored);
    let fact = made.found(0, &output, 0);
    made.history.phenomenon(1, 0, &[fact.id], HOSTILE);
    made.history.claimed(1, 1, 1, history::reading(HOSTILE, &[HOSTILE], Some(HOSTILE)));
    made.history.refused(1, 1, RejectionCode::ValueAbsent);
    let hypothesis = HypothesisId::assign(&history::ids(), TaskId(1), 0).unwrap();
    made.push(Event::HypothesisProposed(HypothesisProposed { hypothesis, statement: HOSTILE.into() }));
    let note = NoteWritten { turn: 1, call: CallId(HOSTILE.into()), text: HOSTILE.into(), chapter: None };
    made.push(Event::NoteWritten(note));
    let nothing = NothingToRecord { turn: 1, call: CallId(HOSTILE.into()), reason: HOSTILE.into() };
    made.push(Event::NothingToRecord(nothing));
    made.push(Event::TurnFailed(TurnFailed { turn: 1, reason: HOSTILE.into(), exchange: None }));
    made.write(runs, &name(1));
}

fn is_inert(body: &str, address: &str) {
    for active in
        ["<img", "</script></title>", "\u{202e}", "\u{1b}", "onerror=\"", "style=\"", "<style", "onclick"]
    {
        assert!(!body.contains(active), "{address} holds {active:?}");
    }
    // The only scripts are ours.
    assert_eq!(
        body.matches("<script").count(),
        body.matches("<script src=\"/view.js\" defer></script>").count()
    );
}

#[test]
fn hostile_text_is_shown_on_every_page_and_is_markup_on_none() {
    let runs = tempfile::tempdir().unwrap();
    hostile_run(runs.path());
    let mut other = Made::by("other");
    other.called(0, &["harmless"]);
    other.write(runs.path(), &name(2));
    let opened = Opened::over(runs.path());
    let run = format!("/run/{}", name(1));
    let (inv, fact) = (history::invocation(1, 0), history::fact(1, 0, "", &[]).id);
    for (address, shown) in [
        ("/".to_owned(), true),
        (run.clone(), true),
        (format!("{run}/facts"), true),
        (format!("{run}/fact/{fact}"), true),
        (format!("{run}/calls"), true),
        (format!("{run}/inv/{inv}"), true),
        (format!("{run}/refused"), true),
        (format!("{run}/follow?from=0"), true),
        ("/search?q=onerror".to_owned(), true),
        (format!("/search?q=harmless&run={}", name(1)), true),
        (format!("/search?q={}", form(HOSTILE)), true),
        (format!("/compare?before={}&after={}", name(2), name(1)), true),
        (format!("/run/{}", form(HOSTILE)), true),
        (format!("{run}/inv/{}", form(HOSTILE)), true),
        (format!("{run}/graph"), false),
        (format!("{run}/graph?q={}", form(HOSTILE)), true),
        (format!("{run}/graph?kind={}", form(HOSTILE)), true),
        (format!("{run}/path?from={}&to=x", form(HOSTILE)), true),
        (format!("{run}/entity/{}", form(HOSTILE)), true),
        (format!("{run}/picture?of={}", form(HOSTILE)), true),
    ] {
        let body = opened.get(&address).body;
        is_inert(&without_search_field(&body), &address);
        assert_eq!(body.contains("&lt;img src=x"), shown, "{address}\n{body}");
        for link in links(&body) {
            assert!(link.starts_with('/') || link.starts_with('?'), "{address} links to {link}");
        }
    }
}

#[test]
fn names_of_entities_are_text_in_lists_pictures_and_paths() {
    let runs = tempfile::tempdir().unwrap();
    testkit::hub::write(&runs.path().join(name(1)), 20).unwrap();
    let opened = Opened::over(runs.path());
    let run = format!("/run/{}", name(1));
    let of = |text: &str| {
        let reply = opened.get(&format!("{run}/graph?q={}", form(text)));
        reply.header("location").unwrap().rsplit('/').next().unwrap().to_owned()
    };
    let (file, account) = (of("\u{202e}fdp."), of(testkit::hub::HUB));
    for address in [
        format!("{run}/graph?kind=program"),
        format!("{run}/entity/{file}"),
        format!("{run}/entity/{file}?part=timeline"),
        format!("{run}/entity/{account}"),
        format!("{run}/picture?of={file}"),
        format!("{run}/picture?of={account}&open={account}.ran.out.program.240"),
        format!("{run}/path?from={file}&to={account}"),
    ] {
        let body = opened.page(&address);
        is_inert(&without_search_field(&body), &address);
        assert!(body.contains("\\u{202e}fdp.") && body.contains("&lt;img src=x"), "{address}\n{body}");
    }
}

#[test]
fn the_report_is_sent_with_a_policy_that_allows_what_is_ours_in_it_alone() {
    let runs = tempfile::tempdir().unwrap();
    hostile_run(runs.path());
    let opened = Opened::over(runs.path());
    let reply = opened.get(&format!("/run/{}/report", name(1)));
    assert_eq!(reply.status, 200, "{}", reply.body);
    let policy = reply.header("content-security-policy").unwrap();
    let own = policy.strip_suffix("; frame-ancestors 'none'").unwrap();
    assert!(
        own.contains("script-src 'sha256-") && !own.contains("unsafe") && !own.contains("'self'"),
        "{policy}"
    );
    assert!(reply.body.contains(own), "the page says the same of itself");
    for active in ["<img src=x", "</script></title>", "\u{202e}"] {
        assert!(!reply.body.contains(active), "{active:?}");
    }
}

#[test]
fn the_stored_output_is_sent_as_it_is_and_as_text() {
    let runs = tempfile::tempdir().unwrap();
    hostile_run(runs.path());
    let opened = Opened::over(runs.path());
    let reply = opened.get(&format!("/run/{}/inv/{}/output", name(1), history::invocation(1, 0)));
    assert_eq!((reply.status, reply.header("content-type")), (200, Some("text/plain; charset=utf-8")));
    assert_eq!(reply.body.as_bytes(), output(HOSTILE, &[HOSTILE, "harmless"]).bytes());
}

#[test]
fn what_a_fact_states_is_highlighted_where_it_stands() {
    let runs = tempfile::tempdir().unwrap();
    hostile_run(runs.path());
    let opened = Opened::over(runs.path());
    let run = format!("/run/{}", name(1));
    let (inv, fact) = (history::invocation(1, 0), history::fact(1, 0, "", &[]).id);
    let body = opened.page(&format!("{run}/inv/{inv}"));
    assert!(body.contains("<mark>&quot;'&gt;&lt;img src=x"), "{body}");
    assert_eq!(body.matches("class=\"rests\"").count(), 1, "only one of the records has a fact");
    assert!(body.contains(&format!("{run}/fact/{fact}")));
    // In the stored line, the value has its type next to it.
    let body = opened.page(&format!("{run}/fact/{fact}"));
    assert!(body.contains("<mark>{&quot;type&quot;:&quot;text&quot;"), "{body}");
    assert!(body.contains(&format!("{run}/inv/{inv}#r0")));
}

/// Returns the page without its search fields: they keep the text exactly as typed, so that it can be searched again.
fn without_search_field(body: &str) -> String {
    let mut body = body.to_owned();
    for id in ["q", "entity", "from", "to"] {
        let Some((before, rest)) = body.split_once(&format!("<input id=\"{id}\"")) else { continue };
        // In an attribute, `>` is escaped.
        let (field, after) = rest.split_once('>').unwrap();
        assert!(!field.contains('<'), "{field}");
        body = format!("{before}{after}");
    }
    body
}

/// Escapes a text for use in an address.
fn form(text: &str) -> String {
    text.bytes().map(|byte| format!("%{byte:02x}")).collect()
}
