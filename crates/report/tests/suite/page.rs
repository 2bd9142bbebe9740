//! Tests of the page as a browser gets it: its policy, its links, its packed parts.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use ledger::Digest;
use report::html::{Material, Verified, VerifiedLevel, page};
use std::collections::BTreeSet;
use std::io::Read;
use testkit::history::{History, fact, reading};

fn drawn(run: &graph::Run, verified: Option<&Verified>) -> String {
    let attack = detect::Attack::shipped().unwrap();
    page(run, &Material { outputs: &|_| None, attack: &attack, verified })
}

/// Builds a run of one agent with this many facts, each in its own phenomenon, and one refused claim.
fn run(facts: u32) -> graph::Run {
    let mut history = History::opened("The case");
    history.assigned(1, "registry").invoked(1, 0);
    history.claimed(1, 0, 1, reading("configured", &["v"], None));
    history.refused(1, 0, ledger::RejectionCode::ValueAbsent);
    for number in 1..=facts {
        let stated = fact(1, number, &format!("key {number}"), &[("data", "d")]);
        history.claimed(1, number, 2, reading("configured", &["d"], None));
        history.accepted(1, number, stated.clone()).phenomenon(1, number, &[stated.id], "");
    }
    graph::fold(history.events()).unwrap()
}

/// Returns the text after each `before`, up to the next quotation mark.
fn all<'p>(page: &'p str, before: &str) -> Vec<&'p str> {
    page.split(before).skip(1).filter_map(|rest| rest.split('"').next()).collect()
}

fn between<'p>(page: &'p str, from: &str, to: &str) -> &'p str {
    page.split(from).nth(1).unwrap().split(to).next().unwrap()
}

#[test]
fn every_link_leads_to_one_place_of_the_page() {
    let page = drawn(&run(40), None);
    let ids = all(&page, " id=\"");
    let places: BTreeSet<&str> = ids.iter().copied().collect();
    assert_eq!(places.len(), ids.len(), "an id stands twice");
    let links = all(&page, " href=\"#");
    assert!(links.len() > 40);
    for link in links {
        assert!(places.contains(link), "{link}");
    }
}

#[test]
fn the_policy_allows_the_style_and_the_script_of_the_page_and_nothing_else() {
    let page = drawn(&run(1), None);
    let policy = between(&page, "Content-Security-Policy\" content=\"", "\"");
    let hash =
        |text: &str| format!("&#39;sha256-{}&#39;", STANDARD.encode(Digest::of(text.as_bytes()).as_bytes()));
    let policy = policy.replace('\'', "&#39;");
    assert!(
        policy.contains(&format!("style-src {};", hash(between(&page, "<style>", "</style>")))),
        "{policy}"
    );
    assert!(
        policy.contains(&format!("script-src {};", hash(between(&page, "<script>", "</script>")))),
        "{policy}"
    );
    assert!(policy.starts_with("default-src &#39;none&#39;;"), "{policy}");
    assert!(!policy.contains("unsafe"), "{policy}");
}

#[test]
fn of_more_than_two_thousand_facts_those_after_the_first_are_packed_and_all_there() {
    let page = drawn(&run(2_450), None);
    assert_eq!(page.matches("<article class=\"fact").count(), 500);
    let mut unpacked = String::new();
    for piece in page.split("<script class=\"packed\" type=\"application/gzip\">").skip(1) {
        let bytes = STANDARD.decode(piece.split('<').next().unwrap()).unwrap();
        flate2::read::GzDecoder::new(bytes.as_slice()).read_to_string(&mut unpacked).unwrap();
    }
    assert_eq!(unpacked.matches("<article class=\"fact").count(), 1_950);
    let ids: BTreeSet<&str> =
        all(&page, "id=\"proof-").into_iter().chain(all(&unpacked, "id=\"proof-")).collect();
    assert_eq!(ids.len(), 2_450);
    assert!(page.contains("1950 more are stored in it, compressed"));
}

#[test]
fn what_a_verification_found_is_told_first() {
    let level = VerifiedLevel {
        name: "log consistent".into(),
        holds: Some(false),
        because: Some("findings: 1".into()),
    };
    let verified = Verified {
        head: None,
        levels: vec![level],
        findings: vec![("event 7".into(), "its link is another".into())],
    };
    let page = drawn(&run(1), Some(&verified));
    let head = page.split("<main").next().unwrap();
    assert!(head.contains("verification failed"), "{head}");
    assert!(page.contains("its link is another"));
    assert!(drawn(&run(1), None).contains("The run was not verified for this page"));
}

#[test]
fn how_far_a_run_is_verified_is_told_first_and_what_nobody_looked_at() {
    let level = |name: &str, holds| VerifiedLevel { name: name.into(), holds, because: None };
    let levels = vec![level("log consistent", Some(true)), level("raw spans read again", None)];
    let verified = Verified { head: None, levels, findings: Vec::new() };
    let mut history = History::opened("The case");
    let sealed = ledger::event::RunSealed { heads: Vec::new(), payloads: 0, connections: None };
    history.push(ledger::Stream::Run, ledger::Event::RunSealed(sealed));
    let page = drawn(&graph::fold(history.events()).unwrap(), Some(&verified));
    let head = page.split("<main").next().unwrap();
    assert!(head.contains("sealed; verified: log consistent<"), "{head}");
    assert!(head.contains("not examined: raw spans read again<"), "{head}");
}

#[test]
fn every_cited_fact_stands_in_the_page_as_it_is_and_first() {
    let page = drawn(&run(2_450), None);
    let facts: Vec<&str> = page.split("<article class=\"").skip(1).collect();
    let cited = facts.iter().take_while(|it| it.starts_with("fact cited")).count();
    // The first thirty findings have one fact each.
    assert_eq!(cited, 30);
    assert_eq!(facts.iter().filter(|it| it.starts_with("fact cited")).count(), cited);
    assert!(page.contains(&format!("\"cited\":{cited},")));
}

#[test]
fn a_proof_says_what_its_hash_is_of_and_why_there_are_no_evidence_bytes() {
    let page = drawn(&run(1), None);
    assert!(page.contains("No evidence bytes: "), "{page}");
    for word in all(&page, " href=\"#word-") {
        assert!(page.contains(&format!(" id=\"word-{word}\"")), "{word}");
    }
}

#[test]
fn a_missing_output_is_told_in_the_place_of_its_proof() {
    assert!(drawn(&run(1), None).contains("The stored output is not in the run folder"));
}
