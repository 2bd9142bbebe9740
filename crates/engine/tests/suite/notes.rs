//! An agent's remarks that are not facts: they are kept unchanged, and nothing is based on them.

use crate::life;

use ledger::event::Refusal;
use ledger::turn::Answer;
use ledger::{Behaviour, Event, Outcome, Rules};
use life::{Lived, answers, call, live_up_to, returned, says, words};
use serde_json::{Value, json};

/// Runs a task whose agent makes these record calls, one a turn.
fn lived(made: &[Value]) -> (Lived, Vec<Answer>) {
    let (mut turn, mut told) = (0, Vec::new());
    let lived = live_up_to(
        Behaviour::SaidApart,
        vec![],
        Rules::default(),
        vec![],
        |request| {
            told.extend(answers(request));
            let arguments = made.get(turn).cloned();
            turn += 1;
            match arguments {
                Some(arguments) => says(vec![call(&format!("c{turn}"), "record_phenomenon", arguments)]),
                None => words(),
            }
        },
        |_| returned(Outcome::Empty, ""),
    );
    (lived, told)
}

fn notes(lived: &Lived) -> Vec<&str> {
    let notes = lived.events.iter().filter_map(|event| match event {
        Event::NoteWritten(note) => Some(note.text.as_str()),
        _ => None,
    });
    notes.collect()
}

#[test]
fn a_note_in_any_language_is_kept_and_is_no_claim() {
    let (lived, told) = lived(&[
        json!({"note": " Dem Besitzer gehört auch ein Notebook. "}),
        json!({"note": "端末の所有者に確認する", "readings": null, "interpretation": null}),
    ]);
    assert_eq!(notes(&lived), ["Dem Besitzer gehört auch ein Notebook.", "端末の所有者に確認する"]);
    assert!(matches!(&told[0], Answer::Noted { text } if text.contains("checked by nobody")), "{told:?}");
    assert_eq!((lived.ended.facts, lived.ended.rejections), (0, 0));
    let claims = lived.events.iter().filter(|event| matches!(event, Event::ClaimSubmitted(_)));
    assert_eq!(claims.count(), 0);
}

#[test]
fn a_note_that_is_none_or_stands_beside_readings_is_refused() {
    let reading = json!([{"predicate": "quoted", "record": "inv-00000000 r0"}]);
    let (lived, _) = lived(&[
        json!({"note": "  "}),
        json!({"note": 7}),
        json!({"note": "x".repeat(1_001)}),
        json!({"note": "so it is", "readings": reading}),
        json!({"note": "so it is", "interpretation": "so it is"}),
        json!({"note": "ä".repeat(1_000)}),
    ]);
    assert_eq!(notes(&lived).len(), 1);
    assert_eq!(lived.refusals(), [Refusal::BadArguments; 5]);
}

#[test]
fn a_task_writes_fifty_notes_at_most() {
    let rules = Rules::default();
    let mut blocks: Vec<_> = Vec::new();
    for number in 0..51 {
        let arguments = json!({"note": format!("note {number}")});
        blocks.push(call(&format!("c{number}"), "record_phenomenon", arguments));
    }
    let most = rules.budgets.calls_per_turn as usize;
    let mut turns = blocks.chunks(most).map(<[_]>::to_vec).collect::<Vec<_>>().into_iter();
    let lived = live_up_to(
        Behaviour::SaidApart,
        vec![],
        rules,
        vec![],
        |_| turns.next().map_or_else(words, says),
        |_| returned(Outcome::Empty, ""),
    );
    assert_eq!(notes(&lived).len(), 50);
    assert_eq!(lived.refusals(), [Refusal::BadArguments]);
}

#[test]
fn a_run_from_before_knows_no_notes() {
    let mut asked = false;
    let lived = live_up_to(
        Behaviour::ByReference,
        vec![],
        Rules::default(),
        vec![],
        |_| match std::mem::replace(&mut asked, true) {
            false => says(vec![call("c1", "record_phenomenon", json!({"note": "so it is"}))]),
            true => words(),
        },
        |_| returned(Outcome::Empty, ""),
    );
    assert!(notes(&lived).is_empty());
    let told = lived.events.iter().find_map(|event| match event {
        Event::CallRefused(refused) => Some(refused.told.as_str()),
        _ => None,
    });
    assert_eq!(told, Some("read arguments.note: expected one of readings, interpretation"));
}

#[test]
fn a_comment_on_a_chapter_is_kept_as_a_note_and_stands_alone_in_its_call() {
    let calls = [
        json!({"chapter": "Entry", "comment": " Vermutlich über eine Mail. "}),
        json!({"chapter": "entry"}),
        json!({"chapter": "prologue", "comment": "so it is"}),
        json!({"comment": "so it is"}),
        json!({"chapter": "entry", "comment": "so it is", "statements": [{"node": "fact-0a1b2c3d"}]}),
        json!({"chapter": null, "comment": null, "statements": []}),
    ];
    let mut turn = 0;
    let lived = live_up_to(
        Behaviour::OnChapters,
        vec![],
        Rules::default(),
        vec![],
        |_| {
            turn += 1;
            match calls.get(turn - 1) {
                Some(arguments) => says(vec![call(&format!("c{turn}"), "tell", arguments.clone())]),
                None => words(),
            }
        },
        |_| returned(Outcome::Empty, ""),
    );
    let chapters: Vec<_> = lived
        .events
        .iter()
        .filter_map(|event| match event {
            Event::NoteWritten(note) => Some((note.chapter, note.text.as_str())),
            _ => None,
        })
        .collect();
    assert_eq!(chapters, [(Some(ledger::Chapter::Entry), "Vermutlich über eine Mail.")]);
    assert_eq!(lived.refusals(), [Refusal::BadArguments; 5]);
    assert_eq!(lived.ended.rejections, 0);
}
