//! The cost of language models: requests, tokens, money.

use crate::inert::terminal;
use graph::{Run, TaskView};
use ledger::MicroDollars;
use serde_json::{Value, json};
use std::fmt::Write;

/// Formats a line for each agent whose model was asked over a network, and a total if there are several; empty if there is none.
pub fn costs(run: &Run) -> String {
    let tasks: Vec<&TaskView> = run.tasks.values().filter(|task| task.requests > 0).collect();
    let mut out = String::new();
    for task in &tasks {
        let name = terminal(&task.assigned.agent.name);
        let _ = writeln!(out, "{name}: {}", line(&Sum::of([*task])));
    }
    if tasks.len() > 1 {
        let _ = writeln!(out, "all: {}", line(&Sum::of(tasks)));
    }
    out
}

/// Returns the cost of one task as JSON; null if its model was not asked over a network.
pub fn cost(task: &TaskView) -> Value {
    if task.requests == 0 {
        return Value::Null;
    }
    let sum = Sum::of([task]);
    json!({
        "turns": sum.turns,
        "requests": sum.requests,
        "input": sum.input,
        "cached": sum.cached,
        "cache_written": task.usage.cache_written,
        "output": sum.output,
        "micro_dollars": sum.cost,
    })
}

/// The sum over tasks.
#[derive(Default)]
struct Sum {
    turns: u64,
    requests: u64,
    input: u64,
    cached: u64,
    output: u64,
    /// `None` if one of them has no price.
    cost: Option<MicroDollars>,
}

impl Sum {
    fn of<'r>(tasks: impl IntoIterator<Item = &'r TaskView>) -> Sum {
        let mut sum = Sum { cost: Some(MicroDollars(0)), ..Sum::default() };
        for task in tasks {
            sum.turns += u64::from(task.turns);
            sum.requests += u64::from(task.requests);
            sum.input = sum.input.saturating_add(task.usage.input);
            sum.cached = sum.cached.saturating_add(task.usage.cached);
            sum.output = sum.output.saturating_add(task.usage.output);
            let cost = sum.cost.zip(task.cost);
            sum.cost = cost.map(|(all, its)| MicroDollars(all.0.saturating_add(its.0)));
        }
        sum
    }
}

fn line(sum: &Sum) -> String {
    let mut out = format!(
        "{} turns, {} requests, {} tokens in ({} cached), {} out",
        sum.turns, sum.requests, sum.input, sum.cached, sum.output
    );
    if let Some(cost) = sum.cost {
        let _ = write!(out, ", {}", dollars(cost));
    }
    out
}

/// Formats an amount of money with as many decimal places as needed, but at least two.
pub fn dollars(money: MicroDollars) -> String {
    let text = format!("{:06}", money.0 % 1_000_000);
    let fraction = text.trim_end_matches('0');
    format!("${}.{fraction:0<2}", money.0 / 1_000_000)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn money_has_the_digits_that_it_needs_and_no_more() {
        let cases = [
            (0, "$0.00"),
            (1_500_000, "$1.50"),
            (12_000_000, "$12.00"),
            (1, "$0.000001"),
            (720_100, "$0.7201"),
        ];
        for (micro, text) in cases {
            assert_eq!(dollars(MicroDollars(micro)), text);
        }
    }
}
