//! Judges a statement of the story: whether its node is known, and whether the node states the requested fields.
//!
//! Only the comment is in the agent's words, and it is not judged: the story says what the node says.
//! The rules, with examples, are in `docs/narrative.md`.

use crate::narrative::{Citable, Dating, Known};
use crate::refusal::{list, quote, refuse};
use ledger::statement::{MOST_COMMENT, fields_of};
use ledger::{
    Chapter, FactEntry, NodeId, Rejection, RejectionCode, StatementClaim, StatementEntry, StatementId,
};

/// The most nodes that a hint searches for the intended one.
const MOST_SEARCHED: usize = 2000;

/// The most nodes and fields that a hint names.
const MOST_NAMED: usize = 4;

/// A statement that passed its check. It is the only proof of that, and only this module makes it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GroundedStatement(StatementEntry);

impl GroundedStatement {
    /// Returns the persisted form.
    pub fn entry(&self) -> &StatementEntry {
        &self.0
    }

    /// Converts into the persisted form and gives up the proof.
    pub fn into_entry(self) -> StatementEntry {
        self.0
    }
}

/// The verdict on a statement.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StatementVerdict {
    /// It becomes part of the story.
    Told {
        /// The statement.
        statement: GroundedStatement,
        /// Why a part of it was not accepted: its comment, or its chapter.
        left_out: Option<String>,
    },
    /// It names an unknown node, or fields that the node does not state.
    Refused(Rejection),
}

/// Judges a statement by what its task knows up to the claim.
/// This means its own facts, absences and derivations, and those that were handed over to it.
pub fn judge_statement(claim: &StatementClaim, id: StatementId, known: &Known<'_>) -> StatementVerdict {
    let named = node(claim, known).and_then(|(node, citable)| Ok((node, said(claim, node, citable)?)));
    let (node, fields) = match named {
        Ok(named) => named,
        Err(rejection) => return StatementVerdict::Refused(rejection),
    };
    let (chapter, no_chapter) = chapter(claim);
    let (comment, no_comment) = comment(claim);
    let dated = Dating::Told.of(&known.facts_of(node));
    let left_out: Vec<String> = no_chapter.into_iter().chain(no_comment).collect();
    StatementVerdict::Told {
        statement: GroundedStatement(StatementEntry {
            id,
            node,
            fields,
            chapter,
            comment,
            time: dated.as_ref().map(|(_, time)| time.clone()),
            dated_by: dated.map(|(field, _)| field),
        }),
        left_out: (!left_out.is_empty()).then(|| left_out.join("; ")),
    }
}

/// Returns the node that a statement names.
fn node<'k>(claim: &StatementClaim, known: &Known<'k>) -> Result<(NodeId, Citable<'k>), Rejection> {
    let named = claim.node.trim();
    let id = named.parse::<NodeId>().ok();
    id.and_then(|id| Some((id, known.get(id)?))).ok_or_else(|| {
        let reason = format!("{} is no fact, derivation or absence that this task knows", quote(named));
        refuse(RejectionCode::UnknownFact, reason, nearest(named, known), Vec::new())
    })
}

/// Lists the nodes whose ids are most similar to a name.
fn nearest(named: &str, known: &Known<'_>) -> String {
    if known.is_empty() {
        return "There is nothing to tell yet: facts come first.".to_owned();
    }
    let named: String = named.to_lowercase().chars().take(64).collect();
    let mut ids: Vec<(usize, NodeId)> = known
        .ids()
        .take(MOST_SEARCHED)
        .map(|id| (strsim::levenshtein(&named, &id.to_string()), id))
        .collect();
    ids.sort();
    let ids: Vec<String> = ids.iter().take(MOST_NAMED).map(|(_, id)| id.to_string()).collect();
    format!("The nearest ids are {}.", list(ids.iter().map(String::as_str), MOST_NAMED))
}

/// Returns the requested fields, each once and in the fact's order.
fn said(claim: &StatementClaim, node: NodeId, citable: Citable<'_>) -> Result<Vec<String>, Rejection> {
    let wrong = |reason: String, hint: String| refuse(RejectionCode::WrongField, reason, hint, Vec::new());
    let fact = match citable {
        Citable::Fact(fact) => fact,
        Citable::Absence(_) | Citable::Derivation(_) if claim.fields.is_empty() => return Ok(Vec::new()),
        Citable::Absence(_) | Citable::Derivation(_) => {
            let reason = format!("{node} has no fields: it is told whole");
            return Err(wrong(reason, "Leave out `fields`.".to_owned()));
        }
    };
    let stated = fields_of(fact);
    let mut asked = Vec::new();
    for field in claim.fields.iter().map(|field| field.trim()) {
        let field = meant(field, fact);
        if !stated.contains(&field) {
            let reason = format!("{node} states no field {}", quote(field));
            let fields = list(stated.iter().copied(), stated.len());
            return Err(wrong(reason, format!("It states {fields}.")));
        }
        asked.push(field);
    }
    Ok(stated.into_iter().filter(|field| asked.contains(field)).map(str::to_owned).collect())
}

/// Resolves `subject` to the subject's field, unless a field has that name.
fn meant<'a>(field: &'a str, fact: &'a FactEntry) -> &'a str {
    match field == "subject" && !fields_of(fact).contains(&"subject") {
        true => &fact.subject.field,
        false => field,
    }
}

/// Returns the chapter, or why the named chapter is not accepted.
fn chapter(claim: &StatementClaim) -> (Option<Chapter>, Option<String>) {
    let named = claim.chapter.as_deref().map(str::trim).filter(|name| !name.is_empty());
    let Some(name) = named else { return (None, None) };
    let chapter = Chapter::of_name(name);
    let none = || {
        let names = Chapter::ALL.map(Chapter::name);
        format!("{} is no chapter: {}", quote(name), list(names, names.len()))
    };
    (chapter, chapter.is_none().then(none))
}

/// Returns the comment, or why it is not kept.
fn comment(claim: &StatementClaim) -> (Option<String>, Option<String>) {
    let said = claim.comment.as_deref().map(str::trim).filter(|text| !text.is_empty());
    let Some(text) = said else { return (None, None) };
    match text.chars().count() {
        0..=MOST_COMMENT => (Some(text.to_owned()), None),
        length => (
            None,
            Some(format!("the comment has {length} characters, {MOST_COMMENT} are the most: it is not kept")),
        ),
    }
}
