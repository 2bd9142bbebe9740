//! The last step of every call, whatever the tool.

use crate::normalise::{Role, role};
use crate::returned::Return;
use serde_json::{Map, Value};

/// The most gaps, and the most defects, that are passed on.
pub(crate) const MOST: usize = 1000;

/// The most characters of an argument in a note.
const SHOWN: usize = 200;

/// Completes a call that was given `given`: anything unexamined makes it incomplete, and a note says which arguments were read differently.
pub(crate) fn settle(mut returned: Return, given: &Value, notes: Vec<String>) -> Return {
    returned.incomplete_for_gaps();
    bound(&mut returned);
    returned.notes.extend(notes);
    if let (Some(given), Some(used)) =
        (given.as_object(), returned.normalised.as_ref().and_then(Value::as_object))
    {
        let changed = changed(given, used);
        returned.notes.extend(changed);
    }
    returned
}

/// Lists the arguments that differ from what was used by more than slashes and case.
fn changed(given: &Map<String, Value>, used: &Map<String, Value>) -> Vec<String> {
    let mut notes = Vec::new();
    for (name, value) in given {
        let Some(used) = used.get(name).filter(|used| *used != value) else { continue };
        let plain = |value: &Value| value.as_str().map(|text| fold(name, text));
        if plain(value).is_none() || plain(value) != plain(used) {
            notes.push(format!("{name}: read {} as {}", shown(value), shown(used)));
        }
    }
    notes
}

fn fold(argument: &str, text: &str) -> String {
    match role(argument) {
        Some(Role::Path | Role::Pattern | Role::Hive | Role::Key) => {
            text.replace('\\', "/").trim_matches('/').to_lowercase()
        }
        Some(Role::Label | Role::Volume | Role::Instant | Role::Verbatim) | None => text.to_owned(),
    }
}

fn shown(value: &Value) -> String {
    let text = value.to_string();
    match text.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or_default()),
        None => text,
    }
}

fn bound(returned: &mut Return) {
    let (gaps, defects) = (returned.gaps.len(), returned.defects.len());
    returned.gaps.truncate(MOST);
    returned.defects.truncate(MOST);
    for (what, all) in [("gaps", gaps), ("defects", defects)] {
        if all > MOST {
            returned.truncate(format!("more than {MOST} {what} were met; the first are told"));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ledger::{Completeness, Gap};
    use serde_json::json;

    #[test]
    fn whatever_was_not_examined_makes_a_call_incomplete() {
        let gap = |n: usize| Gap { path: n.to_string(), reason: "x".to_owned() };
        let whole = settle(Return::found(Vec::new(), json!({})), &json!({}), Vec::new());
        assert_eq!((whole.completeness, whole.notes.len()), (Completeness::Complete, 0));
        let holed = Return { gaps: (0..MOST + 5).map(gap).collect(), ..whole };
        let settled = settle(holed, &json!({}), Vec::new());
        assert_eq!((settled.completeness, settled.gaps.len()), (Completeness::Truncated, MOST));
        assert!(settled.notes[0].contains("more than 1000 gaps were met"), "{:?}", settled.notes);
    }

    #[test]
    fn only_more_than_another_spelling_is_told() {
        let given = json!({ "path": "c\\X", "limit": "5", "text": "A" });
        let used = json!({ "path": "C/x", "limit": 5, "text": "A", "offset": 0 });
        let told = changed(given.as_object().unwrap(), used.as_object().unwrap());
        assert_eq!(told, ["limit: read \"5\" as 5"]);
    }
}
