//! Forges outputs and payloads, and recomputes their digests wherever they occur.

use super::edit::{another, another_type, leaf, not_canonical};
use super::kinds::{Forged, Page};
use super::log::{Log, replaced};
use crate::random::Random;
use ledger::{Digest, canonical};
use serde_json::{Value, json};

pub(super) const KINDS: &[Forged] = &[
    ("an output: another value", Page::Part, |log, random| {
        record(log, random, |record, random| {
            let pointer = leaf(record, random)?;
            another(record.pointer_mut(&pointer)?, random);
            Some(pointer)
        })
    }),
    ("an output: a record's id", Page::Whole, |log, random| {
        record(log, random, |record, random| {
            another(record.get_mut("id")?, random);
            Some("id".to_owned())
        })
    }),
    ("an output: a record's member gone, added or of another type", Page::Whole, |log, random| {
        record(log, random, |record, random| {
            let members = record.as_object_mut()?;
            let names = ["defects", "fields", "id", "kind", "locator"];
            let name = *random.pick(&names)?;
            match random.below(3) {
                0 => drop(members.remove(name)),
                1 => drop(members.insert("zz".to_owned(), 1.into())),
                _ => drop(members.insert(name.to_owned(), another_type(members.get(name)?, random))),
            }
            Some(name.to_owned())
        })
    }),
    ("an output: a field's member gone, added or of another type", Page::Whole, |log, random| {
        field(log, random, |field, random| {
            let members = field.as_object_mut()?;
            let at = [true.into(), json!([]), json!({"length": 1}), json!({"length": -1, "offset": 0})];
            match random.below(4) {
                0 => drop(members.remove("at")?),
                1 => drop(members.insert("zz".to_owned(), 1.into())),
                2 => drop(members.remove("value")?),
                _ => drop(members.insert("at".to_owned(), random.pick(&at)?.clone())),
            }
            Some("a member")
        })
    }),
    ("an output: a value's type", Page::Whole, |log, random| {
        field(log, random, |field, random| {
            let value = field.get_mut("value")?;
            match random.below(2) {
                0 => value["type"] = "number".into(),
                _ => {
                    let inner = value.get_mut("value")?;
                    *inner = another_type(inner, random);
                }
            }
            Some("value")
        })
    }),
    ("an output: a time that is none", Page::Whole, |log, random| {
        let is_time = |field: &Value| field["value"]["type"] == "time";
        field_of(log, random, is_time, |field, random| {
            let time = field["value"].get_mut("value")?;
            let wrong = [
                "2025-13-01T00:00:00Z",
                "2025-02-30T00:00:00Z",
                "2025-02-03T24:00:00Z",
                "2025-02-03T00:61:00Z",
                "2025-02-03 00:00:00Z",
                "2025-02-03T00:00:00",
                "yesterday",
                "",
            ];
            match random.below(4) {
                0 => drop(time.as_object_mut()?.remove("raw")),
                1 => time["zz"] = 1.into(),
                _ => time["utc"] = (*random.pick(&wrong)?).into(),
            }
            Some("time")
        })
    }),
    ("an output: not canonical", Page::Whole, |log, random| {
        let digest = output(log, random)?;
        let body = log.payloads.get(&digest)?.clone();
        let mut lines: Vec<&[u8]> = body.split_inclusive(|byte| *byte == b'\n').collect();
        let at = random.below(lines.len());
        let (line, how) = not_canonical(lines.get(at)?.strip_suffix(b"\n")?, random)?;
        let line = [line, b"\n".to_vec()].concat();
        *lines.get_mut(at)? = &line;
        let what = format!("{digest}, line {at}: {how}");
        follow(log, &digest, lines.concat());
        Some(what)
    }),
    ("an output: its first line", Page::Whole, |log, random| {
        let digest = output(log, random)?;
        let body = log.payloads.get(&digest)?;
        let end = body.iter().position(|byte| *byte == b'\n')?;
        let mut header: Value = serde_json::from_slice(body.get(..end)?).ok()?;
        match random.below(3) {
            0 => header["records"] = 77.into(),
            1 => header["locard_output"] = 2.into(),
            _ => header["zz"] = 1.into(),
        }
        let bytes = [canonical::to_vec(&header).ok()?, body.get(end..)?.to_vec()].concat();
        log.replace(&digest, bytes);
        Some(digest.to_string())
    }),
    ("an output: line ends", Page::Whole, |log, random| {
        let digest = output(log, random)?;
        let mut body = log.payloads.get(&digest)?.clone();
        match random.below(4) {
            0 => drop(body.pop()?),
            1 => body.push(b'\n'),
            2 => body = replaced(&body, b"\n", b"\r\n"),
            _ => body.insert(0, b'\n'),
        }
        follow(log, &digest, body);
        Some(digest.to_string())
    }),
    ("an output: a record less, counted anew", Page::Part, |log, random| {
        let digest = output(log, random)?;
        let body = log.payloads.get(&digest)?.clone();
        let mut lines: Vec<&[u8]> = body.split_inclusive(|byte| *byte == b'\n').collect();
        if lines.len() < 2 {
            return None;
        }
        lines.pop()?;
        let header = format!("{{\"locard_output\":1,\"records\":{}}}\n", lines.len() - 1);
        *lines.first_mut()? = header.as_bytes();
        let records = lines.len() - 1;
        let bytes = lines.concat();
        let new = Digest::of(&bytes).to_string();
        follow(log, &digest, bytes);
        for row in &mut log.rows {
            // Several calls may have the same output.
            let _ = row.change(|value| {
                (value["fields"]["output"] == new.as_str()).then_some(())?;
                value["fields"]["records"] = records.into();
                Some(())
            });
        }
        Some(digest.to_string())
    }),
    ("a reply: another word", Page::Part, |log, random| {
        let at = log.any("turn_replied", random)?;
        let digest: Digest = log.rows.get(at)?.value()["fields"]["reply"].as_str()?.parse().ok()?;
        let mut reply: Value = serde_json::from_slice(log.payloads.get(&digest)?).ok()?;
        let pointer = leaf(&reply, random)?;
        another(reply.pointer_mut(&pointer)?, random);
        log.replace(&digest, canonical::to_vec(&reply).ok()?);
        Some(format!("{digest}{pointer}"))
    }),
    ("a payload that nobody names", Page::Whole, |log, random| {
        let body = format!("{}", random.below(1 << 30)).into_bytes();
        log.payloads.insert(Digest::of(&body), body);
        Some("one more".to_owned())
    }),
    ("a payload gone", Page::Whole, |log, random| {
        let digest = *log.payloads.keys().nth(random.below(log.payloads.len()))?;
        log.payloads.remove(&digest)?;
        Some(digest.to_string())
    }),
    ("a payload under another digest", Page::Whole, |log, random| {
        let digest = *log.payloads.keys().nth(random.below(log.payloads.len()))?;
        let other = Digest::of(digest.as_bytes());
        for row in &mut log.rows {
            row.event = replaced(&row.event, digest.to_string().as_bytes(), other.to_string().as_bytes());
        }
        log.misnamed.insert(digest, other);
        Some(digest.to_string())
    }),
];

/// Picks the digest of an output with records.
fn output(log: &Log, random: &mut Random) -> Option<Digest> {
    let at =
        log.any_of(random, |row| row.name == "invocation_ended" && row.value()["fields"]["outcome"] == "ok")?;
    log.rows.get(at)?.value()["fields"]["output"].as_str()?.parse().ok()
}

/// Replaces an output, and its length and digest in the log.
fn follow(log: &mut Log, old: &Digest, bytes: Vec<u8>) {
    let (length, new) = (bytes.len(), Digest::of(&bytes).to_string());
    log.replace(old, bytes);
    for row in log.rows.iter_mut().filter(|row| row.name == "invocation_ended") {
        let _ = row.change(|value| {
            (value["fields"]["output"] == new.as_str()).then_some(())?;
            value["fields"]["bytes"] = length.into();
            Some(())
        });
    }
}

/// Changes a record of an output, usually one that a fact names.
fn record(
    log: &mut Log,
    random: &mut Random,
    change: impl FnOnce(&mut Value, &mut Random) -> Option<String>,
) -> Option<String> {
    let named = log.any("claim_accepted", random).filter(|_| random.below(3) > 0);
    let (digest, number): (Digest, usize) = match named {
        Some(at) => {
            let fact = log.rows.get(at)?.value()["fields"]["fact"].clone();
            (fact["output"].as_str()?.parse().ok()?, fact["record"].as_u64()? as usize)
        }
        None => (output(log, random)?, 0),
    };
    let body = log.payloads.get(&digest)?.clone();
    let mut lines: Vec<&[u8]> = body.split_inclusive(|byte| *byte == b'\n').collect();
    let mut record: Value = serde_json::from_slice(lines.get(number + 1)?).ok()?;
    let before = record.clone();
    let what = change(&mut record, random)?;
    if record == before {
        return None;
    }
    let line = [canonical::to_vec(&record).ok()?, b"\n".to_vec()].concat();
    *lines.get_mut(number + 1)? = &line;
    follow(log, &digest, lines.concat());
    Some(format!("{digest}, record {number}, {what}"))
}

fn field(
    log: &mut Log,
    random: &mut Random,
    change: impl FnOnce(&mut Value, &mut Random) -> Option<&'static str>,
) -> Option<String> {
    field_of(log, random, |_| true, change)
}

/// Changes a field of a record for which `wanted` returns true.
fn field_of(
    log: &mut Log,
    random: &mut Random,
    wanted: impl Fn(&Value) -> bool,
    change: impl FnOnce(&mut Value, &mut Random) -> Option<&'static str>,
) -> Option<String> {
    record(log, random, |record, random| {
        let mut fields: Vec<(&String, &mut Value)> =
            record["fields"].as_object_mut()?.iter_mut().filter(|(_, field)| wanted(field)).collect();
        let length = fields.len();
        let (name, field) = fields.get_mut(random.below(length))?;
        let what = change(field, random)?;
        Some(format!("{name}, {what}"))
    })
}

/// Replaces a word by another of the same length everywhere: in events, outputs and replies.
pub(super) fn everywhere(log: &mut Log, random: &mut Random) -> Option<String> {
    let at = log.any("claim_accepted", random)?;
    let subject =
        log.rows.get(at)?.value()["fields"]["fact"]["subject"]["value"]["value"].as_str()?.to_owned();
    let words: Vec<&str> =
        subject.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| word.len() > 4).collect();
    let word = *random.pick(&words)?;
    let other: String =
        word.chars().rev().map(|c| if c.is_ascii_lowercase() { c } else { c.to_ascii_lowercase() }).collect();
    if other == word {
        return None;
    }
    let (from, to) = (word.as_bytes(), other.as_bytes());
    for row in &mut log.rows {
        row.event = replaced(&row.event, from, to);
    }
    for digest in log.payloads.keys().copied().collect::<Vec<_>>() {
        let bytes = replaced(log.payloads.get(&digest)?, from, to);
        log.replace(&digest, bytes);
    }
    // The members may now be in a different order.
    for row in &mut log.rows {
        row.put(&row.value());
    }
    Some(format!("{word} as {other}"))
}
