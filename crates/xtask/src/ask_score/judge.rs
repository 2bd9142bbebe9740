//! Compares one answer with the correct one.

use serde_json::Value;

/// The correct answer to a question.
#[derive(Debug)]
pub(super) struct Right {
    /// `values`, `yes`, `no` or `not_determinable`.
    pub(super) answer: String,
    /// One spelling from each list must occur among the cited values.
    pub(super) expect: Vec<Vec<String>>,
    /// Values that must not be cited.
    pub(super) must_not: Vec<String>,
    /// The reason why it cannot be determined.
    pub(super) reason: Option<String>,
}

/// The score of an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Judged {
    Right,
    RightUnsupported,
    RightNotDeterminable,
    RightForAnotherReason,
    Partly,
    WronglyNotDeterminable,
    NotUnderstood,
    Wrong,
    WronglyDetermined,
}

impl Judged {
    pub(super) const fn name(self) -> &'static str {
        match self {
            Judged::Right => "right",
            Judged::RightUnsupported => "right, unsupported",
            Judged::RightNotDeterminable => "rightly not determinable",
            Judged::RightForAnotherReason => "rightly not determinable, another reason",
            Judged::Partly => "partly right",
            Judged::WronglyNotDeterminable => "wrongly not determinable",
            Judged::NotUnderstood => "not understood",
            Judged::Wrong => "wrong",
            Judged::WronglyDetermined => "wrongly determined",
        }
    }

    pub(super) const fn is_right(self) -> bool {
        matches!(
            self,
            Judged::Right
                | Judged::RightUnsupported
                | Judged::RightNotDeterminable
                | Judged::RightForAnotherReason
        )
    }

    pub(super) const fn is_wrong(self) -> bool {
        matches!(self, Judged::Wrong | Judged::WronglyDetermined)
    }
}

/// Judges the output of `locard ask --json`.
pub(super) fn judge(right: &Right, answer: &Value) -> Judged {
    let said = answer.get("answer").and_then(Value::as_str).unwrap_or("not_determinable");
    let cited = cited(answer);
    let line = answer.get("count").and_then(Value::as_u64).map(|count| count.to_string()).unwrap_or_default();
    let met =
        right.expect.iter().filter(|spellings| spellings.iter().any(|it| stands(it, &cited, &line))).count();
    let is_met = met == right.expect.len();
    let is_bad = right.must_not.iter().any(|it| stands(it, &cited, ""));
    match (right.answer.as_str(), said) {
        ("not_determinable", "not_determinable") => {
            let is_same = right.reason.as_deref() == answer.get("reason").and_then(Value::as_str);
            if is_same { Judged::RightNotDeterminable } else { Judged::RightForAnotherReason }
        }
        ("not_determinable", _) => Judged::WronglyDetermined,
        (_, "not_determinable") => {
            let is_read = answer.get("topic").is_some_and(Value::is_string);
            if is_read { Judged::WronglyNotDeterminable } else { Judged::NotUnderstood }
        }
        ("values", "values") if is_bad => Judged::Wrong,
        ("values", "values") if is_met => Judged::Right,
        ("values", "values") if met > 0 => Judged::Partly,
        ("yes", "yes") | ("no", "no") if is_bad => Judged::Wrong,
        ("yes", "yes") | ("no", "no") if is_met => Judged::Right,
        ("yes", "yes") | ("no", "no") => Judged::RightUnsupported,
        _ => Judged::Wrong,
    }
}

fn cited(answer: &Value) -> Vec<String> {
    let lines = answer.get("cited").and_then(Value::as_array).into_iter().flatten();
    let values = lines.filter_map(|line| line.get("values")?.as_object()).flat_map(|values| values.values());
    values.map(|value| normal(value.as_str().unwrap_or_default())).collect()
}

fn normal(text: &str) -> String {
    text.to_lowercase().replace('\\', "/")
}

/// Checks whether a spelling occurs in a cited value or, if it is a number, as a whole number in a value or in the answer's own line.
fn stands(spelling: &str, cited: &[String], line: &str) -> bool {
    let sought = normal(spelling);
    match sought.bytes().all(|it| it.is_ascii_digit()) {
        true => cited
            .iter()
            .map(String::as_str)
            .chain([line])
            .any(|value| value.split(|it: char| !it.is_ascii_digit()).any(|number| number == sought)),
        false => cited.iter().any(|value| value.contains(&sought)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn right(answer: &str, expect: &[&str], must_not: &[&str]) -> Right {
        Right {
            answer: answer.to_owned(),
            expect: expect.iter().map(|it| vec![(*it).to_owned()]).collect(),
            must_not: must_not.iter().map(|it| (*it).to_owned()).collect(),
            reason: Some("no_source".to_owned()),
        }
    }

    #[test]
    fn answers_are_judged_as_the_table_says() {
        let said = |answer: &str, value: &str| json!({"answer": answer, "topic": "t", "reason": "no_source", "cited": [{"values": {"a": value}}]});
        for (right, answer, expected) in [
            (right("values", &["c:\\A"], &[]), said("values", "C:/a/b"), Judged::Right),
            (right("values", &["12"], &[]), said("values", "x 12 y"), Judged::Right),
            (right("values", &["12"], &[]), said("values", "x 312"), Judged::Wrong),
            (right("values", &["a", "z"], &[]), said("values", "a"), Judged::Partly),
            (right("values", &["a"], &["b"]), said("values", "ab"), Judged::Wrong),
            (right("values", &["a"], &[]), said("not_determinable", ""), Judged::WronglyNotDeterminable),
            (right("yes", &["a"], &[]), said("yes", "q"), Judged::RightUnsupported),
            (right("yes", &[], &[]), said("no", ""), Judged::Wrong),
            (right("not_determinable", &[], &[]), said("no", ""), Judged::WronglyDetermined),
            (right("not_determinable", &[], &[]), said("not_determinable", ""), Judged::RightNotDeterminable),
        ] {
            assert_eq!(judge(&right, &answer), expected, "{right:?} {answer}");
        }
    }
}
