//! The faults, and how their handling was graded.

use serde_json::Value;

/// The faults of one run.
pub(crate) struct Scenario {
    /// Its name.
    pub(crate) name: &'static str,
    /// The queued behaviours, as JSON.
    pub(crate) behaviours: Option<&'static str>,
    /// Grades that are lowered for intended behaviour; docs/models.md explains it.
    pub(crate) meant: &'static [&'static str],
    /// The minimum number of requests: a fault that affected no request tests nothing.
    pub(crate) requests: u64,
}

/// Starts with a call that can be answered, so that there is a second turn in which faults can occur.
macro_rules! with_a_call {
    ($faults:literal) => {
        Some(concat!(
            r#"[{"type": "reply", "tool_calls": [{"name": "list_hives", "arguments": {}}]}, "#,
            $faults,
            "]"
        ))
    };
}

/// All scenarios.
pub(crate) const SCENARIOS: [Scenario; 16] = [
    scenario("plain", None, 2),
    scenario(
        "rate-limit",
        with_a_call!(r#"{"type": "fail", "status": 429, "retry_after": 3, "times": 2}"#),
        4,
    ),
    scenario(
        "rate-limit-fraction",
        with_a_call!(r#"{"type": "fail", "status": 429, "retry_after": 1.5, "times": 2}"#),
        4,
    ),
    scenario(
        "errors",
        with_a_call!(
            r#"{"type": "fail", "status": 500}, {"type": "fail", "status": 502}, {"type": "fail", "status": 503, "retry_after": 2}, {"type": "fail", "status": 529}"#
        ),
        6,
    ),
    scenario(
        "timeouts",
        with_a_call!(r#"{"type": "fail", "status": 408}, {"type": "fail", "status": 504}"#),
        4,
    ),
    scenario(
        "disconnect",
        with_a_call!(r#"{"type": "stream_fault", "kind": "disconnect", "after_chunks": 2, "times": 2}"#),
        4,
    ),
    scenario(
        "disconnect-at-once",
        with_a_call!(r#"{"type": "stream_fault", "kind": "disconnect", "after_chunks": 0}"#),
        3,
    ),
    scenario(
        "truncate",
        with_a_call!(r#"{"type": "stream_fault", "kind": "truncate", "after_chunks": 3, "times": 2}"#),
        4,
    ),
    scenario(
        "malformed",
        with_a_call!(r#"{"type": "stream_fault", "kind": "malformed", "after_chunks": 2, "times": 2}"#),
        4,
    ),
    Scenario {
        meant: &["no_read_timeout"],
        ..scenario(
            "stall",
            with_a_call!(
                r#"{"type": "stream_fault", "kind": "stall", "after_chunks": 2, "stall_seconds": 4}, {"type": "slow_first_token", "seconds": 3}"#
            ),
            2,
        )
    },
    scenario("malformed-arguments", Some(r#"[{"type": "tool_fault", "kind": "malformed_arguments"}]"#), 2),
    scenario("unknown-tool", Some(r#"[{"type": "tool_fault", "kind": "unknown_tool", "times": 2}]"#), 2),
    scenario("bad-request", with_a_call!(r#"{"type": "fail", "status": 422}"#), 1),
    scenario(
        "full-context",
        with_a_call!(r#"{"type": "fail", "status": 400, "code": "context_length_exceeded"}"#),
        1,
    ),
    scenario("wrong-key", Some(r#"[{"type": "fail", "status": 401}]"#), 2),
    scenario("outage", Some(r#"[{"type": "fail", "status": 503, "times": null}]"#), 10),
];

const fn scenario(name: &'static str, behaviours: Option<&'static str>, requests: u64) -> Scenario {
    Scenario { name, behaviours, meant: &[], requests }
}

impl Scenario {
    /// Returns the findings that count against the client.
    pub(crate) fn against(&self, verdict: &Verdict) -> Vec<String> {
        let found = verdict.findings.iter().filter(|finding| !self.meant.contains(&finding.code.as_str()));
        let mut against: Vec<_> =
            found.map(|finding| format!("{}: {}", finding.code, finding.title)).collect();
        if verdict.attempts < self.requests {
            against.push(format!(
                "{} requests came, and {} were to come: a fault struck nobody",
                verdict.attempts, self.requests
            ));
        }
        against
    }
}

/// The grading of a client.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Verdict {
    /// The number of requests received.
    pub(crate) attempts: u64,
    findings: Vec<Finding>,
}

#[derive(Debug, PartialEq, Eq)]
struct Finding {
    code: String,
    title: String,
}

impl Verdict {
    /// Parses the response to `GET /_llmock/verdict`.
    pub(crate) fn read(text: &str) -> Option<Verdict> {
        let said: Value = serde_json::from_str(text).ok()?;
        let finding = |finding: &Value| {
            let member = |name| finding.get(name)?.as_str().map(str::to_owned);
            Some(Finding { code: member("code")?, title: member("title")? })
        };
        let findings = said.get("findings")?.as_array()?.iter().map(finding).collect::<Option<_>>()?;
        Some(Verdict { attempts: said.get("attempts")?.as_u64()?, findings })
    }

    /// Combines two verdicts.
    pub(crate) fn after(mut self, before: Option<Verdict>) -> Verdict {
        if let Some(before) = before {
            self.attempts += before.attempts;
            self.findings.extend(before.findings);
        }
        self
    }

    /// Returns the codes of all findings.
    pub(crate) fn codes(&self) -> Vec<String> {
        self.findings.iter().map(|finding| finding.code.clone()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const VERDICT: &str = r#"{"passed": true, "calls": 2, "attempts": 3, "faults_injected": 1, "errors": 0,
        "warnings": 1, "findings": [{"severity": "warning", "code": "no_read_timeout", "title": "t",
        "advice": "a", "call": 1, "requests": [1], "path": "POST /v1"}]}"#;

    #[test]
    fn what_is_meant_does_not_count_and_a_fault_that_struck_nobody_does() {
        let verdict = Verdict::read(VERDICT).unwrap();
        let found = |name| SCENARIOS.iter().find(|scenario| scenario.name == name).unwrap().against(&verdict);
        assert!(found("stall").is_empty());
        assert_eq!(found("plain"), ["no_read_timeout: t"]);
        assert_eq!(found("outage").len(), 2);
        assert!(Verdict::read("{\"attempts\": 1}").is_none());
    }

    #[test]
    fn verdicts_before_and_after_add_up() {
        let both = Verdict::read(VERDICT).unwrap().after(Verdict::read(VERDICT));
        assert_eq!((both.attempts, both.codes().len()), (6, 2));
    }

    #[test]
    fn behaviours_are_json_and_names_are_unique() {
        for scenario in &SCENARIOS {
            let behaviours = scenario.behaviours.unwrap_or("[]");
            assert!(serde_json::from_str::<Vec<Value>>(behaviours).is_ok(), "{}", scenario.name);
            assert_eq!(SCENARIOS.iter().filter(|other| other.name == scenario.name).count(), 1);
        }
    }
}
