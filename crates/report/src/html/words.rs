//! The page's technical terms, each explained once; the first use of a term links here.

use crate::sources::ONE;
use crate::writers;
use ledger::Writer;
use maud::{Markup, html};

/// The term, its anchor on the page, and its meaning.
const WORDS: [(&str, &str, &str); 17] = [
    (
        "agent, task, turn",
        "agent",
        "An agent is an investigator: a program that a model or fixed rules direct. A task is one assignment of an agent. A turn is one request to its model and the reply.",
    ),
    (
        "citation healed",
        "healed",
        "The agent cited a call whose output does not contain the value. Exactly one other call of the same agent contains it, so the gateway replaced the citation.",
    ),
    (
        "claim",
        "claim",
        "What an agent asks to have recorded. It becomes a fact if the gateway finds every value in the cited output; otherwise it is refused.",
    ),
    (
        "code",
        "code",
        "A fixed name for the reason why a claim was refused, such as value_absent: the cited output does not contain the value.",
    ),
    (
        "corrected, abandoned",
        "corrected",
        "A refused claim is corrected if the agent later makes it in a form that is accepted; otherwise it is abandoned.",
    ),
    (
        "evidence bytes, output bytes",
        "bytes",
        "Where a value was found: 0x1f00+96 means 96 bytes from offset 0x1f00, counted from 0. Output bytes count in the stored output of the tool, evidence bytes in the file of the evidence that the record was read from.",
    ),
    (
        "fact",
        "fact",
        "A claim whose values are all in one record of the stored output of a real tool call, as checked by code.",
    ),
    (
        "finding",
        "finding",
        "One or more facts that belong together, as an agent grouped them; code makes its title from their values.",
    ),
    ("gap", "gap", "Something that was not examined, with the reason."),
    ("gateway", "gateway", "The part of Locard that checks claims. No model has a say in it."),
    (
        "head of the chain",
        "head",
        "Each event of the log carries the hash of the one before it; the head is the last of these hashes. Anyone who kept it elsewhere can check whether the log was changed later.",
    ),
    (
        "matched: exact, normalised, typed, quoted",
        "matched",
        "How the claimed text agrees with the record. Exact: byte for byte. Normalised: the same except for differences that do not matter in such a value, such as upper and lower case in a Windows path. Typed: the same instant, number or address, written another way. Quoted: a part of a longer text, word for word; it proves only the quotation.",
    ),
    (
        "not shown to the agent",
        "shown",
        "The value is in the stored output, in a part that was not shown to the agent.",
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
        "The run ended properly and its log was closed: nothing can be added to it unnoticed.",
    ),
    (
        "turns lost",
        "lost",
        "Turns in which claims were refused and nothing else happened: no claim was accepted, and no tool ran.",
    ),
];

/// Renders a term as a link to its explanation.
pub(super) fn word(text: &str, place: &str) -> Markup {
    html! { a.word href=(format!("#word-{place}")) { (text) } }
}

/// Renders the tag of statements that nothing else supports.
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
