//! Forges events: members, positions, ids, verdicts, seals.

use super::edit::{another, another_type, leaf, not_canonical, remove};
use super::kinds::{Forged, Page};
use super::log::Log;
use crate::random::Random;
use serde_json::{Value, json};

/// The members of events that the page uses, from its table.
const USED: &[(&str, &[&str])] = &[
    ("run_opened", &["format"]),
    ("task_assigned", &["task"]),
    ("turn_replied", &["reply"]),
    ("invocation_started", &["invocation", "tool", "arguments"]),
    ("invocation_ended", &["invocation", "outcome", "output", "bytes", "records"]),
    ("claim_submitted", &["claim", "stated"]),
    ("claim_accepted", &["claim", "fact", "healing"]),
    ("run_sealed", &["heads", "payloads"]),
];

/// The verdicts, according to the page.
const VERDICTS: [&str; 7] = [
    "claim_accepted",
    "claim_rejected",
    "claim_repeated",
    "absence_accepted",
    "derivation_accepted",
    "sentence_accepted",
    "statement_told",
];

pub(super) const KINDS: &[Forged] = &[
    ("a member of an event: another value", Page::Part, |log, random| {
        let at = log.any_of(random, |row| row.name != "run_sealed")?;
        at_leaf(log, at, random, |value, pointer, random| {
            another(value.pointer_mut(pointer)?, random);
            Some(())
        })
    }),
    ("a member of an event: another type", Page::Part, |log, random| {
        let at = log.any_of(random, |_| true)?;
        at_leaf(log, at, random, |value, pointer, random| {
            let place = value.pointer_mut(pointer)?;
            *place = another_type(place, random);
            Some(())
        })
    }),
    ("a member of an event: gone", Page::Part, |log, random| {
        let at = log.any_of(random, |_| true)?;
        at_leaf(log, at, random, |value, pointer, _| remove(value, pointer).map(drop))
    }),
    ("a member of an event: that of its like", Page::Part, exchange_member),
    ("fields of an event: one more", Page::Part, |log, random| {
        let at = log.any_of(random, |_| true)?;
        log.rows.get_mut(at)?.change(|value| {
            value["fields"].as_object_mut()?.insert("zz".to_owned(), 1.into());
            Some(())
        })?;
        Some(at.to_string())
    }),
    ("an event: a third member", Page::Whole, |log, random| {
        let at = log.any_of(random, |_| true)?;
        log.rows.get_mut(at)?.change(|value| {
            value.as_object_mut()?.insert("z".to_owned(), 1.into());
            Some(())
        })?;
        Some(at.to_string())
    }),
    ("an event: not canonical", Page::Whole, |log, random| {
        let at = log.any_of(random, |row| row.name != "run_sealed")?;
        let row = log.rows.get_mut(at)?;
        let (event, how) = not_canonical(&row.event, random)?;
        row.event = event;
        Some(format!("{at}: {how}"))
    }),
    ("a circumstance: not canonical", Page::Whole, |log, random| {
        let at = log.any_of(random, |_| true)?;
        let row = log.rows.get_mut(at)?;
        let (circumstance, how) = not_canonical(&row.circumstance, random)?;
        row.circumstance = circumstance;
        Some(format!("{at}: {how}"))
    }),
    ("a circumstance: another value", Page::Part, |log, random| {
        let at = log.any_of(random, |_| true)?;
        let row = log.rows.get_mut(at)?;
        let mut value: Value = serde_json::from_slice(&row.circumstance).ok()?;
        let pointer = leaf(&value, random)?;
        another(value.pointer_mut(&pointer)?, random);
        row.circumstance = ledger::canonical::to_vec(&value).ok()?;
        Some(format!("{at}{pointer}"))
    }),
    ("the run's name beside the first event", Page::Whole, |log, _| {
        let row = log.rows.first_mut()?;
        let mut value: Value = serde_json::from_slice(&row.circumstance).ok()?;
        value["run"] = format!("{}x", value["run"].as_str()?).into();
        row.circumstance = ledger::canonical::to_vec(&value).ok()?;
        Some("another name than the manifest's".to_owned())
    }),
    ("the column name: another", Page::Whole, |log, random| {
        let at = log.any_of(random, |row| row.name != "run_sealed")?;
        log.rows.get_mut(at)?.name.push('x');
        Some(at.to_string())
    }),
    ("an event of an unknown name", Page::Part, |log, random| {
        let at = 1 + random.below(log.rows.len().checked_sub(2)?);
        let mut row = log.rows.get(at)?.clone();
        row.name = "something_else".to_owned();
        row.put(&json!({"event": "something_else", "fields": {}}));
        log.rows.insert(at, row);
        Some(at.to_string())
    }),
    ("a member that the page uses: gone", Page::Whole, |log, random| {
        used(log, random, |fields, member, _| fields.as_object_mut()?.remove(member).map(drop))
    }),
    ("a member that the page uses: another type", Page::Whole, |log, random| {
        used(log, random, |fields, member, random| {
            // The page specifies no form for these.
            if ["arguments", "stated"].contains(&member) {
                return None;
            }
            let value = fields.get_mut(member)?;
            let other = another_type(value, random);
            // A member that may be null may also be an object or a text: that is a different change.
            let is_either = |one: &Value| one.is_null() || one.is_object() || one.is_string();
            (!(is_either(value) && is_either(&other))).then(|| *value = other)
        })
    }),
    ("an event deleted", Page::Part, |log, random| {
        let at = log.any_of(random, |row| row.name != "run_sealed")?;
        let row = log.rows.remove(at);
        Some(format!("{at}, {}", row.name))
    }),
    ("an event doubled", Page::Part, |log, random| {
        let at = log.any_of(random, |row| row.name != "run_sealed")?;
        let row = log.rows.get(at)?.clone();
        let what = format!("{at}, {}", row.name);
        log.rows.insert(at + 1, row);
        Some(what)
    }),
    ("two neighbours exchanged", Page::Part, |log, random| {
        let at = random.below(log.rows.len().checked_sub(1)?);
        log.rows.swap(at, at + 1);
        Some(at.to_string())
    }),
    ("an event moved", Page::Part, |log, random| {
        let at = log.any_of(random, |row| row.name != "run_sealed")?;
        let to = 1 + random.below(log.rows.len().checked_sub(2)?);
        let row = log.rows.remove(at);
        log.rows.insert(to, row);
        (at != to).then(|| format!("from {at} to {to}"))
    }),
    ("an event of another task", Page::Part, |log, random| {
        let at = log.any_of(random, |row| row.stream != 0)?;
        let other = log.any_of(random, |row| row.stream != 0)?;
        let stream = log.rows.get(other)?.stream;
        let row = log.rows.get_mut(at)?;
        (row.stream != stream).then(|| row.stream = stream)?;
        Some(format!("{at} in {stream}"))
    }),
    ("an event of the run in a task, or of a task in the run", Page::Whole, |log, random| {
        let used = |row: &super::log::Row| USED.iter().any(|(name, _)| *name == row.name);
        let at = log.any_of(random, |row| used(row) && row.name != "run_sealed")?;
        let row = log.rows.get_mut(at)?;
        row.stream = if row.stream == 0 { 1 } else { 0 };
        Some(format!("{at}, {}", row.name))
    }),
    ("a task that nobody assigned", Page::Whole, |log, random| {
        let at = log.any_of(random, |row| row.stream != 0)?;
        let row = log.rows.get_mut(at)?;
        row.stream = 60_000;
        Some(at.to_string())
    }),
    ("a task assigned twice", Page::Whole, |log, random| twice(log, "task_assigned", random)),
    ("a run opened twice", Page::Whole, |log, random| twice(log, "run_opened", random)),
    ("a call begun twice", Page::Whole, |log, random| twice(log, "invocation_started", random)),
    ("a call ended twice", Page::Whole, |log, random| twice(log, "invocation_ended", random)),
    ("a claim stated twice", Page::Whole, |log, random| twice(log, "claim_submitted", random)),
    ("a claim judged twice", Page::Whole, |log, random| {
        let at = log.any_of(random, |row| VERDICTS.contains(&row.name.as_str()))?;
        let row = log.rows.get(at)?.clone();
        log.rows.insert(at + 1, row);
        Some(at.to_string())
    }),
    ("the verdict of another claim", Page::Whole, |log, random| {
        let at = log.any_of(random, |row| VERDICTS.contains(&row.name.as_str()))?;
        let other = log.any("claim_submitted", random)?;
        let claim = log.rows.get(other)?.value()["fields"]["claim"].clone();
        log.rows.get_mut(at)?.change(|value| {
            value["fields"]["claim"] = claim;
            Some(())
        })?;
        Some(at.to_string())
    }),
    ("a verdict before its claim", Page::Whole, |log, random| {
        let at = log.any_of(random, |row| VERDICTS.contains(&row.name.as_str()))?;
        let claim = log.rows.get(at)?.value()["fields"]["claim"].clone();
        let stated = log.find("claim_submitted", "claim", &claim)?;
        let row = log.rows.remove(at);
        log.rows.insert(stated, row);
        Some(at.to_string())
    }),
    ("a verdict of another kind", Page::Part, |log, random| {
        let at = log.any_of(random, |row| VERDICTS.contains(&row.name.as_str()))?;
        let name = random.pick(&VERDICTS)?;
        let row = log.rows.get_mut(at)?;
        row.change(|value| {
            value["event"] = (*name).into();
            Some(())
        })?;
        row.name = (*name).to_owned();
        Some(format!("{at}, {name}"))
    }),
    ("a verdict gone", Page::Part, |log, random| {
        let at = log.any_of(random, |row| VERDICTS.contains(&row.name.as_str()))?;
        log.rows.remove(at);
        Some(at.to_string())
    }),
    ("the end of another call", Page::Whole, |log, random| {
        let (at, other) = (log.any("invocation_ended", random)?, log.any("invocation_started", random)?);
        let invocation = log.rows.get(other)?.value()["fields"]["invocation"].clone();
        set(log, at, "invocation", invocation)
    }),
    ("an outcome: another word", Page::Part, |log, random| {
        let at = log.any("invocation_ended", random)?;
        let words = ["ok", "empty", "failed", "timeout", "denied", "fine"];
        let word = *random.pick(&words)?;
        set(log, at, "outcome", word.into())
    }),
    ("bytes or records of an output: another number", Page::Whole, |log, random| {
        let at = log.any("invocation_ended", random)?;
        let member = if random.below(2) == 0 { "bytes" } else { "records" };
        let number = log.rows.get(at)?.value()["fields"][member].as_u64()?;
        let by = 1 + random.below(40) as u64;
        set(log, at, member, if random.below(2) == 0 { number + by } else { number.abs_diff(by) }.into())
    }),
    ("the output of another call", Page::Whole, |log, random| {
        let ok = |row: &super::log::Row| {
            row.name == "invocation_ended" && row.value()["fields"]["outcome"] == "ok"
        };
        let (at, other) = (log.any_of(random, ok)?, log.any_of(random, ok)?);
        let output = log.rows.get(other)?.value()["fields"]["output"].clone();
        set(log, at, "output", output)
    }),
    ("the reply of another turn", Page::Part, |log, random| {
        let (at, other) = (log.any("turn_replied", random)?, log.any("turn_replied", random)?);
        let reply = log.rows.get(other)?.value()["fields"]["reply"].clone();
        set(log, at, "reply", reply)
    }),
    ("the format: another than the file's", Page::Whole, |log, random| {
        let minor = random.below(70) as u64;
        let row = log.rows.first_mut()?;
        row.change(|value| {
            value["fields"]["format"]["minor"] = minor.into();
            Some(())
        })?;
        Some(minor.to_string())
    }),
    ("the seal: a head, a number or an entry of its own", Page::Whole, |log, random| {
        log.true_seal();
        let at = log.rows.len().checked_sub(1)?;
        at_leaf(log, at, random, |value, pointer, random| match random.below(3) {
            0 => remove(value, pointer).map(drop),
            _ => {
                another(value.pointer_mut(pointer)?, random);
                Some(())
            }
        })
    }),
    ("an event behind the seal", Page::Whole, |log, random| {
        log.true_seal();
        let at = log.any_of(random, |row| row.stream != 0)?;
        let row = log.rows.get(at)?.clone();
        log.rows.push(row);
        Some(at.to_string())
    }),
    ("sealed twice", Page::Whole, |log, _| {
        let row = log.rows.last()?.clone();
        log.rows.push(row);
        Some("the last event".to_owned())
    }),
    ("no seal in the log", Page::Whole, |log, _| {
        log.rows.pop()?;
        Some("the last event".to_owned())
    }),
    ("the first event in another place", Page::Whole, |log, random| {
        let to = 1 + random.below(5.min(log.rows.len().checked_sub(2)?));
        let row = log.rows.remove(0);
        log.rows.insert(to, row);
        Some(to.to_string())
    }),
    ("a word changed wherever it stands", Page::Part, super::outputs::everywhere),
];

/// Sets a member of an event.
fn set(log: &mut Log, at: usize, member: &str, to: Value) -> Option<String> {
    log.rows.get_mut(at)?.change(|value| {
        value["fields"][member] = to;
        Some(())
    })?;
    Some(format!("{at}, {member}"))
}

/// Changes a leaf of an event's fields.
pub(super) fn at_leaf(
    log: &mut Log,
    at: usize,
    random: &mut Random,
    change: impl FnOnce(&mut Value, &str, &mut Random) -> Option<()>,
) -> Option<String> {
    let row = log.rows.get_mut(at)?;
    let pointer = format!("/fields{}", leaf(&row.value()["fields"], random)?);
    row.change(|value| change(value, &pointer, random))?;
    Some(format!("{at}, {}{pointer}", row.name))
}

/// Changes a member, used by the page, of an event.
fn used(
    log: &mut Log,
    random: &mut Random,
    change: impl FnOnce(&mut Value, &str, &mut Random) -> Option<()>,
) -> Option<String> {
    let (name, members) = random.pick(USED)?;
    let member = *random.pick(members)?;
    if *name == "run_sealed" {
        log.true_seal();
    }
    let at = log.any(name, random)?;
    log.rows.get_mut(at)?.change(|value| change(&mut value["fields"], member, random))?;
    Some(format!("{at}, {name}.{member}"))
}

/// Repeats an event with this name directly after itself.
fn twice(log: &mut Log, name: &str, random: &mut Random) -> Option<String> {
    let at = log.any(name, random)?;
    let row = log.rows.get(at)?.clone();
    log.rows.insert(at + 1, row);
    Some(at.to_string())
}

/// Copies a member of one event to the same place in another event with the same name.
fn exchange_member(log: &mut Log, random: &mut Random) -> Option<String> {
    let at = log.any_of(random, |row| row.name != "run_sealed")?;
    let name = log.rows.get(at)?.name.clone();
    let other = log.any(&name, random)?;
    let from = log.rows.get(other)?.value();
    at_leaf(log, at, random, |value, pointer, _| {
        *value.pointer_mut(pointer)? = from.pointer(pointer)?.clone();
        Some(())
    })
}
