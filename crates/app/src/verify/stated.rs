//! Checks the statements of the narrative against the nodes that they name, without code of the gateway.
//!
//! The wording is not part of the log; only the node, the fields and the time can be wrong.

use super::told::{Node, dated};
use ledger::{Chapter, FactEntry, FieldValue, NodeId, StatementClaim, StatementEntry};

/// The longest comment that is kept, in characters.
const MOST_COMMENT: usize = 1000;

/// Checks that a statement is the one that was claimed, and matches its node.
pub(super) fn holds<'l>(
    statement: &StatementEntry,
    claim: Option<&StatementClaim>,
    known: impl Fn(NodeId) -> Option<Node<'l>>,
) -> Result<(), &'static str> {
    let claim = claim.ok_or("no claim of its task states it")?;
    if claim.node.trim() != statement.node.to_string() {
        return Err("it tells another node than its claim names");
    }
    let node = known(statement.node).ok_or("it tells what its task did not know by then")?;
    let (facts, fields) = match node {
        Node::Fact(fact) => (vec![fact], said(claim, fact)?),
        Node::Absence(_) => (Vec::new(), whole(claim)?),
        Node::Derivation(entry) => {
            let facts = entry.derivation.facts().into_iter().map(|id| known(NodeId::Fact(id)));
            let facts = facts.filter_map(|node| match node {
                Some(Node::Fact(fact)) => Some(fact),
                Some(Node::Absence(_) | Node::Derivation(_)) | None => None,
            });
            (facts.collect(), whole(claim)?)
        }
    };
    if statement.fields != fields {
        return Err("it does not say the fields that its claim names, in the order of its fact");
    }
    worded(statement, claim)?;
    is_dated(statement, &facts)
}

/// Returns the fields of a fact that a claim asks for, in the order of the fact.
fn said(claim: &StatementClaim, fact: &FactEntry) -> Result<Vec<String>, &'static str> {
    let mut stated: Vec<&str> = vec![&fact.subject.field];
    for bound in &fact.values {
        if !stated.contains(&bound.field.as_str()) {
            stated.push(&bound.field);
        }
    }
    let asked = claim.fields.iter().map(|field| match field.trim() {
        "subject" if !stated.contains(&"subject") => fact.subject.field.as_str(),
        field => field,
    });
    let asked: Vec<&str> = asked.collect();
    match asked.iter().all(|field| stated.contains(field)) {
        true => Ok(stated.iter().filter(|it| asked.contains(it)).map(|it| (*it).to_owned()).collect()),
        false => Err("its claim names a field that the fact does not state"),
    }
}

/// Checks that a claim about a node without fields names none.
fn whole(claim: &StatementClaim) -> Result<Vec<String>, &'static str> {
    match claim.fields.is_empty() {
        true => Ok(Vec::new()),
        false => Err("its claim names fields of what has none"),
    }
}

/// Checks that chapter and comment are those of the claim; an invalid one in the claim counts as none.
fn worded(statement: &StatementEntry, claim: &StatementClaim) -> Result<(), &'static str> {
    let chapter = claim.chapter.as_deref().unwrap_or_default().trim().to_lowercase();
    let chapter = Chapter::ALL.into_iter().find(|it| it.name() == chapter);
    let comment = claim.comment.as_deref().map(str::trim);
    let comment = comment.filter(|text| !text.is_empty() && text.chars().count() <= MOST_COMMENT);
    match (statement.chapter == chapter, statement.comment.as_deref() == comment) {
        (true, true) => Ok(()),
        (false, _) => Err("it stands in another chapter than its claim names"),
        (true, false) => Err("its comment is not that of its claim"),
    }
}

fn is_dated(statement: &StatementEntry, facts: &[&FactEntry]) -> Result<(), &'static str> {
    let (time, field) = (&statement.time, statement.dated_by.as_deref());
    let expected = dated(facts, true, true);
    if (time.as_ref(), field.is_some()) != (expected, expected.is_some()) {
        return Err("its time is not the one that dates what it tells");
    }
    let states = |fact: &FactEntry| {
        let mut stated = std::iter::once(&fact.subject).chain(&fact.values);
        stated.any(|bound| {
            Some(bound.field.as_str()) == field
                && matches!((&bound.value, time), (FieldValue::Time(a), Some(b)) if a == b)
        })
    };
    match field.is_none() || facts.iter().any(|fact| states(fact)) {
        true => Ok(()),
        false => Err("the field that it is dated by does not state its time"),
    }
}
