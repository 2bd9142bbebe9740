//! Forges facts: what they bind, where it is, what was stated.

use super::edit::{another, other_text};
use super::kinds::{Forged, Page};
use super::log::Log;
use crate::random::Random;
use serde_json::{Value, json};

/// Record types, according to the page, whose stated values are followed by further ones.
const ADDED: [&str; 3] = ["record_count", "scheduled_task", "scheduled_job"];

pub(super) const KINDS: &[Forged] = &[
    ("a fact's value", Page::Whole, |log, random| {
        bound(log, random, |bound, random| {
            let inner = bound["value"].get_mut("value")?;
            let place = if inner.is_object() { inner.get_mut("raw")? } else { inner };
            another(place, random);
            Some("value")
        })
    }),
    ("a fact's value and what was stated", Page::Whole, |log, random| {
        let at = log.any("claim_accepted", random)?;
        let accepted = log.rows.get(at)?.value();
        let bounds = accepted["fields"]["fact"]["values"].as_array()?.len();
        let number = random.below(bounds);
        let path = format!("/fields/fact/values/{number}/value/value");
        let text = accepted.pointer(&path)?.as_str()?;
        let other = Value::from(other_text(text, random));
        let claim = log.find("claim_submitted", "claim", &accepted["fields"]["claim"])?;
        log.rows.get_mut(claim)?.change(|value| {
            *value.pointer_mut(&format!("/fields/stated/reading/values/{number}/value"))? = other.clone();
            Some(())
        })?;
        log.rows.get_mut(at)?.change(|value| {
            *value.pointer_mut(&path)? = other;
            Some(())
        })?;
        Some(format!("{at}{path}"))
    }),
    ("a span shifted", Page::Whole, |log, random| {
        bound(log, random, |bound, random| {
            let member = if random.below(2) == 0 { "offset" } else { "length" };
            another(bound["span"].get_mut(member)?, random);
            Some("span")
        })
    }),
    ("a span of another value", Page::Whole, |log, random| {
        let other = {
            let at = log.any("claim_accepted", random)?;
            log.rows.get(at)?.value()["fields"]["fact"]["subject"]["span"].clone()
        };
        bound(log, random, |bound, _| {
            bound["span"] = other;
            Some("span")
        })
    }),
    ("a place in the evidence", Page::Whole, |log, random| {
        bound(log, random, |bound, random| {
            match bound.get_mut("at") {
                None => bound["at"] = json!({"length": 4, "offset": 4}),
                Some(_) if random.below(3) == 0 => drop(bound.as_object_mut()?.remove("at")),
                Some(at) => another(at.get_mut("offset")?, random),
            }
            Some("at")
        })
    }),
    ("a bound field: another name", Page::Whole, |log, random| {
        bound(log, random, |bound, random| {
            another(bound.get_mut("field")?, random);
            Some("field")
        })
    }),
    ("the tier: another word of the page", Page::Part, |log, random| {
        bound(log, random, |bound, random| {
            let tiers = ["exact", "typed", "normalised", "quoted"];
            bound["tier"] = (*random.pick(&tiers)?).into();
            Some("tier")
        })
    }),
    ("the tier: no word of the page", Page::Whole, |log, random| {
        bound(log, random, |bound, _| {
            bound["tier"] = "sure".into();
            Some("tier")
        })
    }),
    ("quoted, and nothing is quoted", Page::Whole, |log, random| {
        bound(log, random, |bound, random| {
            bound["tier"] = "quoted".into();
            match random.below(2) {
                0 => drop(bound.as_object_mut()?.remove("quotation")),
                _ => bound["quotation"] = "no such words stand there".into(),
            }
            Some("quotation")
        })
    }),
    ("a bound value: one more member", Page::Part, |log, random| {
        bound(log, random, |bound, _| {
            bound["zz"] = 1.into();
            Some("a member")
        })
    }),
    ("who could have written a value", Page::Part, |log, random| {
        bound(log, random, |bound, random| {
            another(bound.get_mut("writer")?, random);
            Some("writer")
        })
    }),
    ("values doubled or exchanged", Page::Whole, |log, random| {
        fact(log, random, |fact, random| {
            // In these, the stated values are followed by others that nobody stated.
            if ADDED.contains(&fact["kind"].as_str()?) {
                return None;
            }
            let values = fact["values"].as_array_mut()?;
            match random.below(2) {
                0 => values.push(values.last()?.clone()),
                _ => values.rotate_left(1),
            }
            Some("values")
        })
    }),
    ("a value less", Page::Part, |log, random| {
        fact(log, random, |fact, _| fact["values"].as_array_mut()?.pop().map(|_| "values"))
    }),
    ("another record of the output", Page::Whole, |log, random| {
        fact(log, random, |fact, random| {
            another(fact.get_mut("record")?, random);
            Some("record")
        })
    }),
    ("the invocation or the output of another fact", Page::Whole, |log, random| {
        let other = log.any("claim_accepted", random)?;
        let other = log.rows.get(other)?.value()["fields"]["fact"].clone();
        fact(log, random, |fact, random| {
            let member = if random.below(2) == 0 { "invocation" } else { "output" };
            fact[member] = other[member].clone();
            Some("invocation or output")
        })
    }),
    ("the kind or the locator of the record", Page::Whole, |log, random| {
        fact(log, random, |fact, random| {
            let place = match random.below(3) {
                0 => fact.get_mut("kind")?,
                1 => fact["locator"].get_mut("evidence")?,
                _ => fact["locator"].get_mut("path")?,
            };
            another(place, random);
            Some("kind or locator")
        })
    }),
    ("the placement of the record", Page::Whole, |log, random| {
        fact(log, random, |fact, random| {
            match (fact.get("placement").is_some(), random.below(2)) {
                (true, 0) => drop(fact.as_object_mut()?.remove("placement")),
                (true, _) => another(fact.get_mut("placement")?, random),
                (false, _) => fact["placement"] = "x".into(),
            }
            Some("placement")
        })
    }),
    ("the predicate", Page::Whole, |log, random| {
        fact(log, random, |fact, random| {
            another(fact.get_mut("predicate")?, random);
            Some("predicate")
        })
    }),
    ("a stated text of a value that matches exactly", Page::Whole, |log, random| {
        stated_of(log, random, &["exact"], other_text)
    }),
    ("a stated text of a value that matches by type", Page::Whole, |log, random| {
        stated_of(log, random, &["typed"], |text, random| {
            // Another digit is a different number or instant; blanks and letters may not be.
            let digit = |c: char| if c == '9' { '1' } else { char::from(c as u8 + 1) };
            let digits: Vec<usize> =
                text.char_indices().filter(|(_, c)| c.is_ascii_digit()).map(|(at, _)| at).collect();
            let at = random.pick(&digits).copied();
            text.char_indices().map(|(i, c)| if Some(i) == at { digit(c) } else { c }).collect()
        })
    }),
    ("a stated text of a value that matches otherwise", Page::Part, |log, random| {
        stated_of(log, random, &["normalised", "quoted"], other_text)
    }),
    ("the same number or instant, stated in another way", Page::Part, |log, random| {
        stated_of(log, random, &["exact", "typed"], respelt)
    }),
    ("the stated field of a value", Page::Whole, |log, random| {
        reading(log, random, |reading, random| {
            let values = reading["values"].as_array_mut()?;
            let length = values.len();
            let value = values.get_mut(random.below(length))?;
            match value.get("field").is_some_and(|field| field.is_string()) {
                true => another(value.get_mut("field")?, random),
                false => value["field"] = "no_such_field".into(),
            }
            Some("field")
        })
    }),
    ("the stated predicate", Page::Whole, |log, random| {
        reading(log, random, |reading, random| {
            another(reading.get_mut("predicate")?, random);
            Some("predicate")
        })
    }),
    ("the cited invocation or record", Page::Whole, |log, random| {
        reading(log, random, |reading, random| {
            let member = if random.below(2) == 0 { "invocation" } else { "record" };
            another(reading.get_mut(member)?, random);
            Some("invocation or record")
        })
    }),
    ("a stated value more or less", Page::Whole, |log, random| {
        reading(log, random, |reading, random| {
            let values = reading["values"].as_array_mut()?;
            match random.below(2) {
                0 => values.push(json!({"field": null, "value": "x"})),
                _ => values.insert(0, json!({"field": null, "value": "x"})),
            }
            Some("values")
        })
    }),
    ("a healing where none was, or none where one was", Page::Part, |log, random| {
        let at = log.any("claim_accepted", random)?;
        log.rows.get_mut(at)?.change(|value| {
            let healing = &mut value["fields"]["healing"];
            *healing = match healing.is_null() {
                true => json!({"because": "unknown_invocation", "cited": "inv-00000000", "healed": "inv-00000000"}),
                false => Value::Null,
            };
            Some(())
        })?;
        Some(at.to_string())
    }),
];

/// Changes a fact.
fn fact(
    log: &mut Log,
    random: &mut Random,
    change: impl FnOnce(&mut Value, &mut Random) -> Option<&'static str>,
) -> Option<String> {
    let at = log.any("claim_accepted", random)?;
    let mut what = "";
    log.rows.get_mut(at)?.change(|value| {
        what = change(value.pointer_mut("/fields/fact")?, random)?;
        Some(())
    })?;
    Some(format!("{at}, {what}"))
}

/// Changes a value that a fact binds.
fn bound(
    log: &mut Log,
    random: &mut Random,
    change: impl FnOnce(&mut Value, &mut Random) -> Option<&'static str>,
) -> Option<String> {
    fact(log, random, |fact, random| {
        let values = fact["values"].as_array().map_or(0, Vec::len);
        match random.below(values + 1) {
            0 => change(fact.get_mut("subject")?, random),
            number => change(fact.pointer_mut(&format!("/values/{}", number - 1))?, random),
        }
    })
}

/// Changes the reading that a fact was made from.
fn reading(
    log: &mut Log,
    random: &mut Random,
    change: impl FnOnce(&mut Value, &mut Random) -> Option<&'static str>,
) -> Option<String> {
    let accepted = log.any_of(random, |row| {
        let is_plain = || {
            let value = row.value();
            let kind = value["fields"]["fact"]["kind"].as_str().unwrap_or_default().to_owned();
            value["fields"]["healing"].is_null() && !ADDED.contains(&&*kind)
        };
        row.name == "claim_accepted" && is_plain()
    })?;
    let claim = log.rows.get(accepted)?.value()["fields"]["claim"].clone();
    let at = log.find("claim_submitted", "claim", &claim)?;
    let mut what = "";
    log.rows.get_mut(at)?.change(|value| {
        what = change(value.pointer_mut("/fields/stated/reading")?, random)?;
        Some(())
    })?;
    Some(format!("{at}, stated {what}"))
}

/// Changes the text stated for a bound value of one of these tiers.
fn stated_of(
    log: &mut Log,
    random: &mut Random,
    tiers: &[&str],
    change: impl FnOnce(&str, &mut Random) -> String,
) -> Option<String> {
    let at =
        log.any_of(random, |row| row.name == "claim_accepted" && !bounds(&row.value(), tiers).is_empty())?;
    let accepted = log.rows.get(at)?.value();
    let fitting = bounds(&accepted, tiers);
    let number = *random.pick(&fitting)?;
    let claim = log.find("claim_submitted", "claim", &accepted["fields"]["claim"])?;
    let mut told = String::new();
    log.rows.get_mut(claim)?.change(|value| {
        let text = value.pointer_mut(&format!("/fields/stated/reading/values/{number}/value"))?;
        let other = change(text.as_str()?, random);
        told = format!("{claim}, {text} as {other:?}");
        *text = other.into();
        Some(())
    })?;
    Some(told)
}

/// Returns the indexes of the stated values of one of these tiers that are not lists, because any item of a list may be stated.
fn bounds(accepted: &Value, tiers: &[&str]) -> Vec<usize> {
    let values = accepted["fields"]["fact"]["values"].as_array().into_iter().flatten().enumerate();
    let fits = |bound: &Value| {
        bound["tier"].as_str().is_some_and(|tier| tiers.contains(&tier)) && bound["value"]["type"] != "list"
    };
    values.filter(|(_, bound)| fits(bound)).map(|(number, _)| number).collect()
}

/// Rewrites the text in one of the ways in which the page allows numbers, times and quoted texts to be stated.
fn respelt(text: &str, random: &mut Random) -> String {
    let number = text.parse::<u64>().ok();
    match (number, random.below(8)) {
        (Some(number), 0) => format!("0x{number:x}"),
        (Some(number), 1) => format!("0X{number:X}"),
        (Some(_), 2) => format!("+{text}"),
        (Some(_), 3) => format!("0{text}"),
        (Some(_), 4) => format!("{text} bytes"),
        (_, 0) => text.replacen('T', " ", 1),
        (_, 1) => text.replacen('Z', "+00:00", 1),
        (_, 2) => text.replacen('Z', " UTC", 1),
        (_, 3) => text.replacen(".0000000Z", "Z", 1),
        (_, 4) => text.replacen("0Z", "Z", 1),
        (_, 5) => format!(" {text}\t"),
        (_, 6) => format!("\"{text}\""),
        (_, _) => format!("`{}`", text.replace('/', "\\/")),
    }
}
