//! Tests the client against a third-party fault injector: `llmock` breaks responses in the ways that providers do,
//! and grades how the client handles it.
//!
//! Source: <https://pypi.org/project/llmock/> 0.2.2 (MIT), its README and the messages of its server.

mod scenario;

use crate::place::Place;
use crate::service::{Service, free_port, get, post};
use crate::stranger::{Trial, tried};
use scenario::{SCENARIOS, Scenario, Verdict};
use std::cell::RefCell;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// The package to install.
const PACKAGE: &str = "llmock==0.2.2";

/// The command line arguments.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Campaign {
    /// The `locard` program.
    pub(crate) locard: PathBuf,
    /// The case to investigate.
    pub(crate) case: PathBuf,
    /// A virtual environment with llmock; created if not given.
    pub(crate) folder: Option<PathBuf>,
    /// The only scenario to play, if given.
    pub(crate) only: Option<String>,
}

/// One agent, so that faults occur in a known order; it has few tools, because the mock reads none of their descriptions.
const AGENT: [&str; 2] = ["--agent", "registry"];

const RULES: &str = r#"
[budgets]
investigate_turns = 6
record_turns = 3

[surfaces]
tools = ["list_hives", "nothing_to_record", "record_phenomenon"]
"#;

/// Parses the arguments: the program, a case, `--folder DIR`, `--only SCENARIO`.
pub(crate) fn campaign(arguments: Vec<String>) -> Option<Campaign> {
    let mut arguments = arguments.into_iter();
    let (locard, case) = (arguments.next()?.into(), arguments.next()?.into());
    let mut campaign = Campaign { locard, case, folder: None, only: None };
    while let Some(option) = arguments.next() {
        match (option.as_str(), arguments.next()?) {
            ("--folder", folder) => campaign.folder = Some(folder.into()),
            ("--only", name) if SCENARIOS.iter().any(|scenario| scenario.name == name) => {
                campaign.only = Some(name);
            }
            _ => return None,
        }
    }
    Some(campaign)
}

/// Plays every scenario in both protocols; returns the number of failed checks.
pub(crate) fn held(campaign: &Campaign, tell: &mut dyn FnMut(String)) -> io::Result<usize> {
    let place = Place::new("llmock")?;
    let folder = campaign.folder.clone().unwrap_or_else(|| place.path().join("venv"));
    let port = free_port()?;
    let _service = Service::start(serve(&install(&folder, tell)?, port), port, "/health")?;
    let rules = place.file("rules.toml", RULES)?;
    let mut rows =
        vec!["| scenario | protocol | requests | graded down | held |\n|---|---|---|---|---|".to_owned()];
    let mut all = 0;
    let played =
        SCENARIOS.iter().filter(|scenario| campaign.only.as_deref().is_none_or(|only| only == scenario.name));
    for scenario in played {
        for model in models(port) {
            let dialect = model.split(':').next().unwrap_or_default().to_owned();
            tell(format!("== {} ({dialect})", scenario.name));
            let runs = place.path().join(format!("{}-{dialect}", scenario.name));
            let trial = (campaign, rules.as_path(), runs.as_path());
            let (broken, verdict) = play(scenario, trial, model, port, tell)?;
            broken.iter().for_each(|broken| tell(format!("  BROKEN: {broken}")));
            all += broken.len();
            let held = if broken.is_empty() { "yes" } else { "NO" };
            rows.push(format!(
                "| {} | {dialect} | {} | {} | {held} |",
                scenario.name,
                verdict.attempts,
                verdict.codes().join(", ")
            ));
        }
    }
    tell(rows.join("\n"));
    Ok(all)
}

fn play(
    scenario: &Scenario,
    (campaign, rules, runs): (&Campaign, &Path, &Path),
    model: String,
    port: u16,
    tell: &mut dyn FnMut(String),
) -> io::Result<(Vec<String>, Verdict)> {
    said(post(port, "/_llmock/reset", "")?)?;
    if let Some(behaviours) = scenario.behaviours {
        said(post(port, "/_llmock/scenario", &format!("{{\"behaviors\": {behaviours}}}"))?)?;
    }
    // A resumed run repeats the failed request, as it should; the earlier grades are kept.
    let before = RefCell::new(None);
    let mend = || {
        *before.borrow_mut() = Some(verdict(port)?);
        said(post(port, "/_llmock/reset", "")?).map(drop)
    };
    let trial = Trial {
        locard: &campaign.locard,
        case: &campaign.case,
        runs,
        model,
        arguments: &AGENT,
        rules,
        mend: &mend,
    };
    let tried = tried(&trial, tell)?;
    let verdict = verdict(port)?.after(before.take());
    let mut broken = tried.broken;
    broken.extend(scenario.against(&verdict));
    Ok((broken, verdict))
}

fn verdict(port: u16) -> io::Result<Verdict> {
    let text = said(get(port, "/_llmock/verdict")?)?;
    Verdict::read(&text).ok_or_else(|| io::Error::other(format!("this is no verdict: {text}")))
}

fn said(answer: crate::service::Answer) -> io::Result<String> {
    match answer.status {
        200..=299 => Ok(answer.body),
        status => Err(io::Error::other(format!("llmock answered with status {status}: {}", answer.body))),
    }
}

fn models(port: u16) -> [String; 2] {
    let base = format!("http://127.0.0.1:{port}");
    [format!("openai:gpt-4o-mini@{base}/v1"), format!("anthropic:claude-sonnet-4-5@{base}/anthropic")]
}

/// Returns the program, installing it if needed.
#[expect(clippy::disallowed_methods, reason = "somebody else's program is installed as a person does it")]
fn install(folder: &Path, tell: &mut dyn FnMut(String)) -> io::Result<PathBuf> {
    let program = folder.join("bin/llmock");
    if program.exists() {
        return Ok(program);
    }
    tell(format!("installs {PACKAGE} into {}", folder.display()));
    let made = Command::new("python3").args(["-m", "venv"]).arg(folder).status()?;
    let mut pip = Command::new(folder.join("bin/python"));
    pip.args([
        "-m",
        "pip",
        "install",
        "--quiet",
        "--disable-pip-version-check",
        "--only-binary=:all:",
        PACKAGE,
    ]);
    match made.success() && pip.status()?.success() {
        true => Ok(program),
        false => Err(io::Error::other(format!("{PACKAGE} could not be installed"))),
    }
}

#[expect(clippy::disallowed_methods, reason = "the server is a program of its own")]
fn serve(program: &Path, port: u16) -> Command {
    let mut command = Command::new(program);
    command.args(["serve", "--host", "127.0.0.1", "--log-level", "warning", "--port", &port.to_string()]);
    command.stdout(Stdio::null()).stderr(Stdio::null());
    command
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_scenario_that_is_not_there_is_refused() {
        let read = |arguments: &[&str]| campaign(arguments.iter().map(|text| (*text).to_owned()).collect());
        assert_eq!(read(&["l", "c", "--only", "rate-limit"]).unwrap().only.as_deref(), Some("rate-limit"));
        assert_eq!(read(&["l", "c", "--folder", "f"]).unwrap().folder, Some("f".into()));
        assert!(read(&["l", "c", "--only", "sunshine"]).is_none());
        assert!(read(&["l", "c", "--only"]).is_none() && read(&["l"]).is_none());
    }

    #[test]
    fn the_rules_are_rules() {
        let rules: ledger::Rules = toml::from_str(RULES).unwrap();
        assert_eq!(rules.surfaces.tools.unwrap().len(), 3);
    }
}
