//! `locard rules check`.

use crate::arguments::{RulesArguments, RulesCheckArguments, RulesCommand};
use crate::commands::borrowed::{fieldless, rules_in_words, unmatched, wrong};
use crate::commands::{ended, print, worker};
use crate::failure::Failure;
use crate::printer::Printer;
use app::{Naming, RulePaths};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fmt::Write;
use tools::{Check, SigmaRule};

pub(super) fn execute(arguments: &RulesArguments, printer: &mut Printer) -> Result<u8, Failure> {
    match &arguments.command {
        RulesCommand::Check(arguments) => check(arguments, printer),
    }
}

fn check(arguments: &RulesCheckArguments, printer: &mut Printer) -> Result<u8, Failure> {
    let paths = RulePaths { sigma: arguments.paths.clone(), ..RulePaths::default() };
    let brought = app::brought(&paths, Naming::Typed).map_err(Failure::Brought)?;
    let (request, _scratch) = worker(arguments.unconfined, &[])?;
    let mut checked = app::check_rules(&request, &brought.rules).map_err(Failure::Tables)?.sigma;
    checked.broken.splice(0..0, brought.broken);
    let printed = print(printer, arguments.format, || text(&checked), || value(&checked));
    let code = if checked.broken.is_empty() { 0 } else { Failure::USAGE };
    Ok(ended(printer, printed, code))
}

fn text(check: &Check) -> String {
    let mut out = String::new();
    for broken in &check.broken {
        let _ = writeln!(out, "broken: {}", report::terminal(&wrong(broken)));
    }
    for line in unmatched(check).into_iter().chain(fieldless(check)) {
        let _ = writeln!(out, "{}", report::terminal(&line));
    }
    let idle: usize = check.no_records.values().map(Vec::len).sum();
    let _ = writeln!(
        out,
        "{} read, {} of them can match records; {} broken",
        rules_in_words(check.rules.len()),
        check.rules.len() - idle,
        check.broken.len()
    );
    out
}

fn value(check: &Check) -> Value {
    let name = |rule: &SigmaRule| app::named(rule).to_owned();
    let named = |all: &BTreeMap<String, Vec<usize>>| -> BTreeMap<String, Vec<String>> {
        let names =
            |rules: &Vec<usize>| rules.iter().filter_map(|rule| check.rules.get(*rule)).map(name).collect();
        all.iter().map(|(place, rules)| (place.clone(), names(rules))).collect()
    };
    json!({
        "locard_rules": 1,
        "rules": check.rules,
        "broken": check.broken,
        "no_records": named(&check.no_records),
        "no_field": named(&check.no_field),
    })
}
