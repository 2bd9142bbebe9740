//! The page of a run with so many facts that most of them are packed.

use crate::redaction::forms::stands;
use crate::redaction::written::unpacked;
use detect::Attack;
use graph::{Disclosure, Run};
use ledger::KeyMaker;
use redact::{Profile, redact};
use report::html::{Material, page};
use testkit::history::{History, fact, reading};

/// More facts than the page shows at once.
const FACTS: u32 = 2_040;

const SECRET: &str = "Jörg \"Ännchen\" <M&N>";

fn history() -> History {
    let mut history = History::opened("T");
    history.assigned(1, "a").invoked(1, 0);
    for number in 0..FACTS {
        let stated =
            fact(1, number, &format!("key {number}"), &[("data", &format!("of {SECRET}, {number}"))]);
        history.claimed(1, number, 1, reading("configured", &[SECRET], None)).accepted(
            1,
            number,
            stated.clone(),
        );
        history.phenomenon(1, number, &[stated.id], &format!("{SECRET} did it"));
    }
    history
}

fn drawn(run: &Run) -> String {
    let attack = Attack::shipped().unwrap();
    page(run, &Material { outputs: &|_| None, attack: &attack, verified: None })
}

#[test]
fn what_is_packed_in_a_page_holds_nothing_that_is_withheld() {
    let events = history().events();
    let recorded = graph::fold(events.iter().cloned()).unwrap();
    let packed = |page: &String| unpacked(page.clone()).len() > page.len();
    let whole = drawn(&recorded);
    assert!(packed(&whole) && stands("Ännchen", &unpacked(whole)));
    let profile = Profile::parse("own", &format!("values = ['{SECRET}', 'Ännchen']")).unwrap();
    let key = KeyMaker::default().finish();
    let root = Disclosure::whole(&recorded, &key).unwrap().root;
    let redacted = redact(&events, recorded, &key, &|_| None, &profile).unwrap();
    let disclosure = redacted.run.disclosure.as_ref().unwrap();
    assert_eq!(disclosure.root, root);
    assert_eq!(disclosure.redaction.as_ref().unwrap().facts, u64::from(FACTS));
    let told = drawn(&redacted.run);
    assert!(packed(&told));
    let told = unpacked(told);
    assert!(told.contains("of [withheld], 2039"));
    for secret in [SECRET, "Ännchen", "Jörg"] {
        assert!(!stands(secret, &told), "{secret}");
    }
}
