//! Counts of the results of changes.

use super::Total;
use super::scope::Rule;
use std::collections::BTreeMap;

/// The result of one changed copy.
#[derive(Debug)]
pub(super) enum Came {
    /// Neither verifier accepts it.
    BothFound,
    /// `locard export` refuses the damaged run, so the script has nothing to read.
    Refused,
    /// Both accept it: the same run in different bytes.
    Meaningless,
    /// Both accept it, and it has a different head.
    HeadAlone,
    /// `locard verify` finds something that the page says it does not check.
    Beyond(Vec<Rule>),
    /// One finds what the other does not.
    Disagreed(String),
    /// Both accept it, although it says something else under the same head.
    Missed(String),
}

impl Came {
    pub(super) fn word(&self) -> &'static str {
        match self {
            Came::Disagreed(_) => "DISAGREEMENT",
            Came::Missed(_) => "MISSED",
            _ => "note",
        }
    }
}

/// The results of one way of changing a run.
#[derive(Debug)]
pub(super) struct Row {
    name: String,
    found: u32,
    refused: u32,
    meaningless: u32,
    head: u32,
    beyond: u32,
    disagreed: u32,
    missed: u32,
    rules: BTreeMap<Rule, u32>,
}

impl Row {
    pub(super) fn new(name: &str) -> Row {
        Row {
            name: name.to_owned(),
            found: 0,
            refused: 0,
            meaningless: 0,
            head: 0,
            beyond: 0,
            disagreed: 0,
            missed: 0,
            rules: BTreeMap::new(),
        }
    }

    pub(super) fn count(&mut self, came: &Came) {
        let number = match came {
            Came::BothFound => &mut self.found,
            Came::Refused => &mut self.refused,
            Came::Meaningless => &mut self.meaningless,
            Came::HeadAlone => &mut self.head,
            Came::Beyond(_) => &mut self.beyond,
            Came::Disagreed(_) => &mut self.disagreed,
            Came::Missed(_) => &mut self.missed,
        };
        *number += 1;
        if let Came::Beyond(rules) = came {
            rules.iter().for_each(|rule| *self.rules.entry(rule).or_default() += 1);
        }
    }

    fn add(&mut self, other: &Row) {
        self.found += other.found;
        self.refused += other.refused;
        self.meaningless += other.meaningless;
        self.head += other.head;
        self.beyond += other.beyond;
        self.disagreed += other.disagreed;
        self.missed += other.missed;
        other.rules.iter().for_each(|(rule, number)| *self.rules.entry(rule).or_default() += number);
    }

    /// Returns the number of copies that both judged.
    fn copies(&self) -> u32 {
        self.found + self.meaningless + self.head + self.beyond + self.disagreed + self.missed
    }

    fn line(&self) -> String {
        format!(
            "| {} | {} | {} | {} | {} | {} | {} | {} |",
            self.name,
            self.copies(),
            self.found,
            self.meaningless,
            self.head,
            self.beyond,
            self.disagreed + self.missed,
            self.refused
        )
    }
}

/// All ways, in the order of their use.
#[derive(Debug, Default)]
pub(super) struct Table {
    rows: Vec<Row>,
}

impl Table {
    pub(super) fn add(&mut self, row: Row) {
        match self.rows.iter_mut().find(|known| known.name == row.name) {
            Some(known) => known.add(&row),
            None => self.rows.push(row),
        }
    }

    fn sum(&self) -> Row {
        let mut sum = Row::new("all");
        self.rows.iter().for_each(|row| sum.add(row));
        sum
    }

    pub(super) fn tell(&self, tell: &mut dyn FnMut(String)) {
        tell("| change | copies | both found | both passed: the same run | both passed: another head | only locard, beyond the page | disagreements | export refuses |\n|---|---|---|---|---|---|---|---|".to_owned());
        self.rows.iter().for_each(|row| tell(row.line()));
        let sum = self.sum();
        tell(sum.line());
        tell("| what only `locard verify` found, and the page says that it does not check | copies |\n|---|---|".to_owned());
        sum.rules.iter().for_each(|(rule, number)| tell(format!("| {rule} | {number} |")));
    }

    pub(super) fn total(&self) -> Total {
        let sum = self.sum();
        Total { copies: sum.copies(), disagreements: sum.disagreed, missed: sum.missed }
    }
}
