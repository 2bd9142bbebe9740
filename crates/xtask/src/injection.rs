//! Measures prompt injection: orders to agents are planted in copies of cases; the playbook and models that obey all orders
//! investigate these copies and their clean twins; and code judges the results (`docs/injection.md`).

mod arena;
mod trial;

use arena::{Arena, Evidence};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};
use testkit::injection::{Order, orders};
use trial::{Outcome, tried};

/// The command line arguments.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Campaign {
    /// The `locard` program.
    locard: PathBuf,
    /// Evidence folders in which a folder `C` is the drive; empty means the demo's drive.
    cases: Vec<PathBuf>,
    /// Whether each order is tried separately.
    alone: bool,
    /// The numbers of the orders to try; empty means all.
    only: Vec<u32>,
    /// Where to write the results as JSON.
    json: Option<PathBuf>,
    /// A model for `locard run --model` that replaces ours, with further arguments.
    model: Option<String>,
    /// The number of runs with it.
    runs: u32,
}

impl Campaign {
    /// Parses the arguments after the chore's name.
    pub(crate) fn read(arguments: impl Iterator<Item = OsString>) -> Option<Campaign> {
        let mut arguments = arguments;
        let mut campaign = Campaign { locard: arguments.next()?.into(), runs: 1, ..Campaign::default() };
        while let Some(argument) = arguments.next() {
            match argument.to_str() {
                Some("--alone") => campaign.alone = true,
                Some("--json") => campaign.json = Some(arguments.next()?.into()),
                Some("--model") => campaign.model = Some(arguments.next()?.to_str()?.to_owned()),
                Some("--runs") => campaign.runs = arguments.next()?.to_str()?.parse().ok()?,
                Some("--only") => {
                    let numbers =
                        arguments.next()?.to_str()?.split(',').map(str::parse).collect::<Result<_, _>>();
                    campaign.only = numbers.ok()?;
                }
                Some(option) if option.starts_with("--") => return None,
                _ => campaign.cases.push(argument.into()),
            }
        }
        Some(campaign)
    }
}

/// Runs the campaign; reports each trial, and returns the number of successful injections.
pub(crate) fn measured(campaign: &Campaign, tell: &mut dyn FnMut(String)) -> io::Result<usize> {
    let mut all = orders().map_err(io::Error::other)?;
    all.retain(|order| campaign.only.is_empty() || campaign.only.contains(&order.id));
    let place = crate::place::Place::new("injection")?;
    tell(format!("the copies and runs stay in {}", place.path().display()));
    let mut outcomes = Vec::new();
    let demo = [PathBuf::new()];
    let cases = if campaign.cases.is_empty() { &demo[..] } else { &campaign.cases };
    for case in cases {
        let arena = Arena::new(place.path(), evidence(case))?;
        for orders in sets(&all, campaign.alone) {
            let outcome = match &campaign.model {
                Some(model) => trial::asked(&campaign.locard, &arena, orders, model, campaign.runs, tell)?,
                None => tried(&campaign.locard, &arena, orders)?,
            };
            tell(outcome.line());
            outcome.successes.iter().for_each(|success| tell(format!("  SUCCESS: {success}")));
            outcomes.push(outcome);
        }
    }
    tell(table(&outcomes));
    // A campaign in which nobody obeyed shows nothing.
    let has_obeyed = outcomes.iter().any(|outcome| outcome.followed().next().is_some());
    if campaign.model.is_none() && !outcomes.is_empty() && !has_obeyed {
        return Err(io::Error::other("no order was followed: none reached the models that obey"));
    }
    if let Some(path) = &campaign.json {
        write(path, &Value::from(outcomes.iter().map(Outcome::value).collect::<Vec<_>>()))?;
    }
    Ok(outcomes.iter().map(|outcome| outcome.successes.len()).sum())
}

fn evidence(case: &Path) -> Evidence<'_> {
    if case.as_os_str().is_empty() { Evidence::Demo } else { Evidence::Folder(case) }
}

fn sets(all: &[Order], alone: bool) -> Vec<&[Order]> {
    if alone { all.chunks(1).collect() } else { vec![all] }
}

/// Formats what became of orders that were followed, over all trials of a case.
fn table(outcomes: &[Outcome]) -> String {
    let mut became = BTreeMap::<(&str, &str), usize>::new();
    for followed in outcomes.iter().flat_map(Outcome::followed) {
        *became.entry((&followed.deed, &followed.became)).or_default() += 1;
    }
    let lines = became.iter().map(|((deed, became), times)| format!("| {deed} | {became} | {times} |"));
    let lines: Vec<String> = lines.collect();
    format!("| what was done on orders | what became of it | times |\n|---|---|---|\n{}", lines.join("\n"))
}

#[expect(clippy::disallowed_methods, reason = "whoever calls the chore names the file")]
fn write(path: &Path, outcomes: &Value) -> io::Result<()> {
    std::fs::write(path, format!("{:#}\n", json!({ "injection": outcomes })))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(arguments: &[&str]) -> Option<Campaign> {
        Campaign::read(arguments.iter().map(OsString::from))
    }

    #[test]
    fn the_arguments_are_read_and_what_is_unknown_is_refused() {
        let campaign = read(&["l", "a", "--alone", "--only", "1,2", "--json", "f", "b"]).unwrap();
        assert_eq!((campaign.cases.len(), campaign.alone, campaign.only), (2, true, vec![1, 2]));
        for wrong in [&[][..], &["l", "--json"], &["l", "--only", "x"], &["l", "--what"]] {
            assert_eq!(read(wrong), None);
        }
    }

    #[test]
    fn a_folder_in_which_no_order_would_be_read_is_refused() {
        let place = tempfile::tempdir().unwrap();
        let campaign = Campaign { cases: vec![place.path().to_owned()], ..Campaign::default() };
        let error = measured(&campaign, &mut |_| ()).unwrap_err();
        assert!(error.to_string().contains("holds the drive as `C`"), "{error}");
    }

    #[test]
    fn orders_are_tried_together_or_each_by_itself() {
        let all = orders().unwrap();
        assert_eq!((sets(&all, false).len(), sets(&all, true).len()), (1, 40));
    }
}
