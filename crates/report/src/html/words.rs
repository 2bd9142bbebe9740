//! The words of the page that are not plain English, explained once: where they stand first they lead here.

use crate::sources::ONE;
use crate::writers;
use ledger::Writer;
use maud::{Markup, html};

/// Word, its place on the page, what it means.
const WORDS: [(&str, &str, &str); 17] = [
    (
        "agent, task, turn",
        "agent",
        "An agent is an investigator, a program that a model or fixed rules direct. A task is one assignment of an agent. A turn is one request to its model and the reply.",
    ),
    (
        "citation healed",
        "healed",
        "The agent cited a call in which the value does not stand. It stands in exactly one other call of the same agent, so the gateway put that in its place.",
    ),
    (
        "claim",
        "claim",
        "What an agent asks to have recorded. It becomes a fact where the gateway finds every value in the cited output, or else is refused.",
    ),
    (
        "code",
        "code",
        "The reason for which a claim was refused, by a fixed name, as value_absent: the value does not stand in the cited output.",
    ),
    (
        "corrected, abandoned",
        "corrected",
        "A refused claim is corrected when the agent then makes it in a way that holds, abandoned when that does not happen.",
    ),
    (
        "evidence bytes, output bytes",
        "bytes",
        "Where a value stands: 0x1f00+96 means 96 bytes from offset 0x1f00, counted from 0. Output bytes count in the stored output of the tool, evidence bytes in the file of the evidence that the record was read from.",
    ),
    (
        "fact",
        "fact",
        "A claim whose values all stand in one record of the stored output of a real tool call, checked by code.",
    ),
    (
        "finding",
        "finding",
        "One or more facts that belong together, as an agent put them; its title is made by code from their values.",
    ),
    ("gap", "gap", "Something that was not examined, with the reason."),
    ("gateway", "gateway", "The part of Locard that checks claims. No model has a say in it."),
    (
        "head of the chain",
        "head",
        "Each event of the log carries the hash of the one before it; the head is the last of these hashes. Whoever kept it elsewhere can tell whether the log was changed later.",
    ),
    (
        "matched: exact, normalised, typed, quoted",
        "matched",
        "How the claimed text agrees with the record. Exact: byte for byte. Normalised: the same but for what does not matter in such a value, as upper and lower case in a Windows path. Typed: the same instant, number or address, written another way. Quoted: a part of a longer text, word for word; it proves the quotation and no more.",
    ),
    (
        "not shown to the agent",
        "shown",
        "The value stands in the stored output, in a part that the agent was not given to read.",
    ),
    (
        "one source",
        "one",
        "All facts behind the statement were read from one file, and no other kind of source in this run names the same thing. That does not make it wrong; nothing else supports it.",
    ),
    (
        "record",
        "record",
        "One row of evidence in the output of a tool: a directory entry, a registry value, an event, a row of a table, a line of text.",
    ),
    (
        "sealed",
        "sealed",
        "The run ended in order, and its log was closed: nothing can be added to it unnoticed.",
    ),
    (
        "turns lost",
        "lost",
        "Turns in which claims were refused and nothing else came about: no claim was accepted, and no tool ran.",
    ),
];

/// A word that leads to what it means.
pub(super) fn word(text: &str, place: &str) -> Markup {
    html! { a.word href=(format!("#word-{place}")) { (text) } }
}

/// The tag of statements that nothing else supports.
pub(super) fn one_source() -> Markup {
    word(ONE, "one")
}

pub(super) fn section() -> Markup {
    html! {
        section #words aria-labelledby="words-title" {
            h2 #words-title { "Words" }
            dl {
                @for (name, place, meaning) in WORDS {
                    dt id=(format!("word-{place}")) { (name) }
                    dd { (meaning) }
                }
                dt #word-writer { "writable by" }
                dd {
                    (writers::LEAD)
                    ul { @for writer in Writer::ALL { li { (writer) ": " (writer.meaning()) } } }
                }
            }
        }
    }
}
