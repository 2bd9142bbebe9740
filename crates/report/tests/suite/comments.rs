//! Tests of which values in a comment are in the statements.

use ground::{Citable, Known, Marked, marked};
use ledger::{FactEntry, NodeId};
use testkit::history::fact;

fn told(text: &str, fact: &FactEntry) -> Vec<(String, bool)> {
    let known: Known<'_> = [Citable::Fact(fact)].into_iter().collect();
    let pieces = marked(text, NodeId::Fact(fact.id), &known);
    let whole: String = pieces.iter().map(|piece| piece.text.as_str()).collect();
    assert_eq!(whole, text, "the pieces are the text");
    pieces.into_iter().filter_map(|Marked { text, stands }| Some((text, stands?))).collect()
}

#[test]
fn values_of_a_comment_are_told_apart_by_whether_they_stand_in_the_fact() {
    let fact = fact(1, 0, r"Run\evil", &[("command", r"C:\Users\eve\evil.exe"), ("run_count", "12")]);
    let of = |text: &str| told(text, &fact);
    let pair = |text: &str, stands| (text.to_owned(), stands);
    assert_eq!(of("evil.exe ran 212 times"), [pair("evil.exe", true), pair("212", false)]);
    assert_eq!(of("Das Programm evil.exe ist böse."), [pair("evil.exe", true)]);
    assert_eq!(
        of("svil.exe, at 2031-01-01T00:00:00Z"),
        [pair("svil.exe", false), pair("2031-01-01T00:00:00Z", false)]
    );
    assert_eq!(of("nothing that looks like a value"), []);
    assert_eq!(of(""), []);
    assert_eq!(of("  \u{202e} – (evil.exe)"), [pair("evil.exe", true)]);
}
