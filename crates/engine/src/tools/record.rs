//! The descriptions of the RECORD tools, and of the tool that reads the caller's own outputs, for models.

use super::{About, about, text};
use crate::claims::{MOST_READINGS, MOST_SENTENCES, MOST_STATEMENTS};
use crate::notes::{LONGEST_NOTE, NOTE};
use ledger::derivation::MOST_TERMS;
use ledger::{AbsenceForm, Chapter, DerivationForm, Vocabulary};
use serde_json::{Value, json};

pub(super) fn phenomenon(vocabulary: &Vocabulary) -> About {
    about(
        "Record one observation as readings of records you have seen: which record, what it proves, which of its fields. \
         The values are copied from the record, those that you state are compared with it; what holds is recorded, the rest comes back with the reason. \
         Example: {\"readings\": [{\"record\": \"inv-0a1b2c3d r3\", \"predicate\": \"executed\", \"fields\": [\"name\", \"last_run\"]}]}",
        &[
            (
                "readings",
                json!({"type": "array", "minItems": 1, "maxItems": MOST_READINGS, "items": reading(vocabulary)}),
            ),
            ("interpretation", text("your own words; kept beside the facts, marked as interpretation")),
            (
                NOTE,
                text(&format!(
                    "in place of readings: a remark that is no fact, at most {LONGEST_NOTE} characters; shown apart, checked by nobody"
                )),
            ),
        ],
        0,
    )
}

fn reading(vocabulary: &Vocabulary) -> Value {
    let predicates: Vec<_> = vocabulary.entries().map(|(name, _)| name.0.clone()).collect();
    let meanings: Vec<_> =
        vocabulary.entries().map(|(name, entry)| format!("{name}: {}", entry.meaning)).collect();
    json!({
        "type": "object",
        "additionalProperties": false,
        "required": ["predicate", "record"],
        "properties": {
            "predicate": {"type": "string", "enum": predicates, "description": format!("one of what the record `proves`; {}", meanings.join("; "))},
            "record": text("the invocation and the record that it returned, as in \"inv-0a1b2c3d r3\"; several: r3-r9, or r1,r4, or all: a fact each"),
            "fields": {"type": "array", "items": {"type": "string"}, "description": "the fields whose values are copied; without it and without values the gateway chooses"},
            "where": {
                "type": "object",
                "additionalProperties": {"type": "string"},
                "description": "of several records only those whose fields fit these patterns (* and ?)"
            },
            "values": {
                "type": "object",
                "additionalProperties": {"type": ["string", "integer", "boolean"]},
                "description": "field -> value, where you state values yourself; of a text a part, with predicate quoted"
            },
            "subject": text("what the reading is about, as the record has it; may be left out"),
            "invocation": text("the invocation, where `record` does not name it")
        }
    })
}

pub(super) fn absence() -> About {
    let forms: Vec<_> = AbsenceForm::ALL.into_iter().map(AbsenceForm::name).collect();
    about(
        "Record that something is absent: no file of a name under a folder, no key in a hive, no text in files, no events of some ids in a channel. \
         The cited searches must have looked for just that or for more, to the end, and found nothing.",
        &[
            ("form", json!({"type": "string", "enum": forms})),
            (
                "searches",
                json!({"type": "array", "minItems": 1, "items": {"type": "string"}, "description": "invocation ids of your searches that found nothing"}),
            ),
            ("name", text("form file: the name of the file, or a pattern that was searched for")),
            ("under", text("forms file and text: the folder; empty for everything")),
            ("hive", text("form registry_key: the path of the hive")),
            ("key", text("form registry_key: the path of the key from the root of the hive")),
            (
                "as_it_stands",
                json!({"type": "boolean", "description": "form registry_key, where the hive is not clean and its transaction logs were not read: says it of its file alone"}),
            ),
            ("text", text("form text: the text")),
            ("channel", text("form events: the channel; list_event_channels must have listed it")),
            ("provider", text("form events: who writes them, where the search names it; may be left out")),
            (
                "ids",
                json!({"type": "array", "items": {"type": "integer"}, "description": "form events: the event ids"}),
            ),
            ("from", text("form events: the first instant; may be left out")),
            ("to", text("form events: the last one")),
            ("evidence", text("the label of the evidence; may be left out")),
            ("interpretation", text("your own words; kept beside the absence, marked as interpretation")),
        ],
        2,
    )
}

pub(super) fn derivation() -> About {
    let forms: Vec<_> = DerivationForm::ALL.into_iter().map(DerivationForm::name).collect();
    let term = json!({
        "type": "object",
        "additionalProperties": false,
        "required": ["fact", "field"],
        "properties": {
            "fact": text("the id of a fact of yours, as its recording was answered: fact- and what follows"),
            "field": text("a field that the fact states"),
        }
    });
    about(
        "Record what facts of yours say together: values are the same or different, times lie in this order or within so many seconds, paths below each other, numbers add up to a total. \
         Code compares the values as facts state them.",
        &[
            ("form", json!({"type": "string", "enum": forms})),
            (
                "terms",
                json!({"type": "array", "minItems": 2, "maxItems": MOST_TERMS, "items": term, "description": "the values, for the form order from the earliest on"}),
            ),
            ("seconds", json!({"type": "integer", "minimum": 0, "description": "form within: the span"})),
            ("total", json!({"type": "integer", "description": "form sum: the total"})),
            ("interpretation", text("your own words; kept beside the derivation, marked as interpretation")),
        ],
        2,
    )
}

pub(super) fn tell() -> About {
    let chapters = Chapter::ALL.map(Chapter::name);
    let statement = json!({
        "type": "object",
        "additionalProperties": false,
        "required": ["node"],
        "properties": {
            "node": text("the id of a fact, derivation or absence, yours or handed over to you"),
            "fields": {"type": "array", "items": {"type": "string"}, "description": "the fields of the fact that are said; without it code chooses; what must be said is said in any case"},
            "chapter": {"type": "string", "enum": chapters, "description": "where it belongs; without it code chooses"},
            "comment": text("your reading of it, in any language; shown apart, as unchecked"),
        }
    });
    about(
        "Tell the story of the case: name what happened by ids, code writes the words. \
         Who, what, when and how often come from what you name, and stand in the order of time; only a comment is yours. \
         Example: {\"statements\": [{\"node\": \"fact-0a1b2c3d\", \"chapter\": \"ran\"}]}",
        &[
            (
                "statements",
                json!({"type": "array", "minItems": 1, "maxItems": MOST_STATEMENTS, "items": statement}),
            ),
            (
                "chapter",
                json!({"type": "string", "enum": chapters, "description": "in place of statements: the chapter that `comment` is on"}),
            ),
            ("comment", text("your reading of a chapter, in any language; shown apart, as unchecked")),
        ],
        0,
    )
}

pub(super) fn narrative() -> About {
    let sentence = json!({
        "type": "object",
        "additionalProperties": false,
        "required": ["text", "cites"],
        "properties": {
            "text": text("one sentence, in English"),
            "cites": json!({"type": "array", "minItems": 1, "items": {"type": "string"}, "description": "ids of the facts, derivations and absences that it rests on, yours or handed over to you"}),
        }
    });
    about(
        "Record sentences of the narrative of the case. Code checks each: every path, name of a file, number, time, address and quoted text must stand in what it cites, \
         and what it says was done (executed, deleted, downloaded, logged on, ...) must be what a cited fact says. \
         Times carry a zone, as in 2024-03-01T12:00:05Z or 2024-03-01 UTC. What was not done needs an absence. Say what is uncertain in a hypothesis.",
        &[(
            "sentences",
            json!({"type": "array", "minItems": 1, "maxItems": MOST_SENTENCES, "items": sentence}),
        )],
        1,
    )
}

pub(super) fn nothing() -> About {
    about(
        "Say that you found nothing to record, or nothing more, and why. The honest way out.",
        &[("reason", json!({"type": "string", "minLength": 1}))],
        1,
    )
}

pub(super) fn read_output() -> About {
    about(
        "Show a page of one of your own outputs, from a record on: for outputs that were shown in part.",
        &[
            ("invocation", json!({"type": "string"})),
            ("first", text("the first record to show: r and its number")),
        ],
        2,
    )
}
