//! The figures of a run, computed from its log alone.

use ledger::event::TaskStatus;
use ledger::{Claim, Event, Rules, Usage};
use std::collections::BTreeMap;
use std::fmt::Write;

/// The figures of a run.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Figures {
    /// How each task ended.
    pub(crate) ended: Vec<(TaskStatus, Option<String>)>,
    /// The number of turns that were answered.
    pub(crate) turns: u32,
    /// The number of requests sent, including repeated ones.
    pub(crate) attempts: u32,
    /// The number of tool calls that ran.
    pub(crate) calls: u32,
    /// The number of calls answered from the log.
    pub(crate) served: u32,
    /// The number of refused calls, by reason.
    pub(crate) refused_calls: BTreeMap<String, u32>,
    /// The number of claims submitted.
    pub(crate) claims: u32,
    /// The number of facts, absences and derivations accepted.
    pub(crate) accepted: u32,
    /// The number of citations healed.
    pub(crate) healed: u32,
    /// The number of claims refused, by code.
    pub(crate) rejected: BTreeMap<String, u32>,
    /// Tokens.
    pub(crate) usage: Usage,
    /// The duration of `locard run` in seconds.
    pub(crate) seconds: u64,
}

impl Figures {
    /// Counts the events of a run.
    pub(crate) fn of(events: &[Event]) -> Figures {
        let mut all = Figures::default();
        for event in events {
            all.count(event);
        }
        all
    }

    fn count(&mut self, event: &Event) {
        let exchange = match event {
            Event::TurnReplied(replied) => replied.exchange.as_ref(),
            Event::TurnFailed(failed) => failed.exchange.as_ref(),
            Event::RequestTooLong(refused) => refused.exchange.as_ref(),
            _ => None,
        };
        if let Some(exchange) = exchange {
            self.attempts += exchange.attempts;
            self.usage = self.usage.plus(exchange.usage);
        }
        match event {
            Event::TurnReplied(_) => self.turns += 1,
            Event::InvocationStarted(_) => self.calls += 1,
            Event::CallServed(_) => self.served += 1,
            Event::CallRefused(refused) => {
                *self.refused_calls.entry(format!("{:?}", refused.refusal)).or_default() += 1;
            }
            Event::ClaimSubmitted(_) => self.claims += 1,
            Event::ClaimAccepted(accepted) => {
                self.accepted += 1;
                self.healed += u32::from(accepted.healing.is_some());
            }
            Event::AbsenceAccepted(_) | Event::DerivationAccepted(_) => self.accepted += 1,
            Event::ClaimRejected(rejected) => {
                *self.rejected.entry(format!("{:?}", rejected.rejection.code)).or_default() += 1;
            }
            Event::TaskEnded(ended) => {
                self.ended.push((ended.status, ended.spent.map(|spent| format!("{spent:?}"))));
            }
            _ => {}
        }
    }

    /// Returns the number of refused claims.
    pub(crate) fn refusals(&self) -> u32 {
        self.rejected.values().sum()
    }

    /// Formats the figures for people.
    pub(crate) fn text(&self) -> String {
        let mut text = String::new();
        let Figures { turns, attempts, calls, served, claims, accepted, healed, usage, .. } = self;
        let _ = writeln!(text, "ended: {:?}", self.ended);
        let _ = writeln!(
            text,
            "{turns} turns in {attempts} requests, {} s; {} tokens in ({} of them cached), {} out",
            self.seconds, usage.input, usage.cached, usage.output
        );
        let _ = writeln!(text, "{calls} calls ran, {served} were served, refused: {:?}", self.refused_calls);
        let _ = write!(
            text,
            "{claims} claims: {accepted} accepted ({healed} healed), {} refused: {:?}",
            self.refusals(),
            self.rejected
        );
        text
    }

    /// Formats a table row: turns, calls, claims, accepted, refused, tokens in and out, seconds.
    pub(crate) fn row(&self, name: &str) -> String {
        let Figures { turns, calls, claims, accepted, usage, seconds, .. } = self;
        let (refused, input, output) = (self.refusals(), usage.input, usage.output);
        format!(
            "| {name} | {turns} | {calls} | {claims} | {accepted} | {refused} | {input} | {output} | {seconds} |"
        )
    }
}

/// Returns what exceeded the rules with which the run started.
pub(crate) fn over_budget(events: &[Event], figures: &Figures) -> Vec<String> {
    let opened = events.first().and_then(|event| match event {
        Event::RunOpened(opened) => Some(&opened.rules),
        _ => None,
    });
    let Some(Rules { budgets, .. }) = opened else { return vec!["the log begins with no rules".to_owned()] };
    let tasks = figures.ended.len() as u64;
    // A turn in which claims were only refused is given back, at the cost of at least one of them.
    let turns = u64::from(budgets.investigate_turns)
        + u64::from(budgets.record_turns)
        + u64::from(budgets.rejected_claims);
    let checks = [
        ("turns", u64::from(figures.turns), turns * tasks),
        ("refused claims", u64::from(figures.refusals()), u64::from(budgets.rejected_claims) * tasks),
        ("facts", u64::from(figures.accepted), u64::from(budgets.accepted_facts) * tasks),
    ];
    let over = checks.iter().filter(|(_, found, most)| found > most);
    over.map(|(what, found, most)| format!("{found} {what}, and at most {most} were allowed")).collect()
}

/// Lists the refused claims and the reasons, in the order of the log.
pub(crate) fn refused(events: &[Event]) -> Vec<String> {
    let mut claims = BTreeMap::new();
    let mut told = Vec::new();
    for event in events {
        match event {
            Event::ClaimSubmitted(submitted) => {
                claims.insert(submitted.claim, &submitted.stated);
            }
            Event::ClaimRejected(rejected) => {
                let claim = claims.get(&rejected.claim).map_or_else(String::new, |claim| stated(claim));
                told.push(format!("{claim}: {}", rejected.rejection.reason));
            }
            _ => {}
        }
    }
    told
}

/// Lists the refused calls, and what the agent was told.
pub(crate) fn refused_calls(events: &[Event]) -> Vec<String> {
    let refused = events.iter().filter_map(|event| match event {
        Event::CallRefused(refused) => {
            Some(format!("turn {}, {}: {}", refused.turn, refused.tool, refused.told))
        }
        _ => None,
    });
    refused.collect()
}

fn stated(claim: &Claim) -> String {
    match claim {
        Claim::Reading(reading) => {
            let values = reading.values.iter();
            let values: Vec<_> = values
                .map(|value| format!("{} = {:?}", value.field.as_deref().unwrap_or("?"), value.value))
                .collect();
            format!("{} {:?} ({})", reading.predicate, reading.subject, values.join(", "))
        }
        Claim::Absence(absence) => format!("absent: {absence:?}"),
        Claim::Derivation(derivation) => format!("derived: {derivation:?}"),
        Claim::Sentence(sentence) => format!("told: {sentence:?}"),
        Claim::Statement(statement) => format!("told: {statement:?}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ledger::{Digest, Exchange};

    fn replied(turn: u32, input: u64) -> Event {
        let exchange = Exchange {
            request: Digest::of(b"r"),
            attempts: 2,
            usage: Usage { input, output: 5, ..Usage::default() },
            sent: None,
            request_id: None,
        };
        Event::TurnReplied(ledger::event::TurnReplied {
            turn,
            reply: Digest::of(b"x"),
            calls: 0,
            exchange: Some(exchange),
        })
    }

    #[test]
    fn turns_and_tokens_add_up() {
        let figures = Figures::of(&[replied(1, 100), replied(2, 120)]);
        assert_eq!((figures.turns, figures.attempts), (2, 4));
        assert_eq!((figures.usage.input, figures.usage.output), (220, 10));
        assert_eq!(figures.row("m"), "| m | 2 | 0 | 0 | 0 | 0 | 220 | 10 | 0 |");
    }

    #[test]
    fn a_log_without_rules_holds_no_budget() {
        let events = [replied(1, 100)];
        let broken = over_budget(&events, &Figures::of(&events));
        assert_eq!(broken, ["the log begins with no rules"]);
    }
}
