//! Tests with a small local language model: it invents and repeats itself, but nothing that it says may become a fact without proof.

use crate::service::{Service, free_port};
use crate::stranger::{Trial, tried};
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The command line arguments.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Campaign {
    /// The `locard` program.
    pub(crate) locard: PathBuf,
    /// The case to investigate.
    pub(crate) case: PathBuf,
    /// The location of the model.
    pub(crate) server: Server,
}

/// The location of the model.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Server {
    /// At an address, such as `http://127.0.0.1:8080`.
    Url(String),
    /// In a folder of `scripts/local-model`, which is served from there.
    Folder(PathBuf),
}

/// One agent, with the few tools that answer its questions. With all tools, a request starts with about 20,000 tokens, which such a model
/// reads for a quarter of an hour on two processors, without understanding them.
const AGENT: [&str; 4] = ["--agent", "filesystem", "--context-tokens", "8192"];

/// Budgets that end the run within minutes.
const RULES: &str = r#"
[budgets]
investigate_turns = 8
record_turns = 3
calls_per_turn = 4
rejected_claims = 24
wall_seconds = 1200

[view]
head_bytes = 3000
tail_bytes = 1000

[surfaces]
tools = [
    "find_files", "hash_file", "list_directory", "nothing_to_record", "record_absence", "record_phenomenon",
    "list_deleted",
]
"#;

/// Parses the arguments: the program, a case, and the location of the model; the default is `preset`.
pub(crate) fn campaign(arguments: Vec<String>, preset: Option<String>) -> Option<Campaign> {
    let mut arguments = arguments.into_iter();
    let (locard, case) = (arguments.next()?.into(), arguments.next()?.into());
    let server = match (arguments.next().as_deref(), arguments.next()) {
        (Some("--url"), Some(url)) => Server::Url(url),
        (Some("--folder"), Some(folder)) => Server::Folder(folder.into()),
        (None, None) => Server::Url(preset?),
        _ => return None,
    };
    match arguments.next() {
        None => Some(Campaign { locard, case, server }),
        Some(_) => None,
    }
}

/// Tests the model with both protocols; returns the number of failed checks.
pub(crate) fn held(campaign: &Campaign, root: &Path, tell: &mut dyn FnMut(String)) -> io::Result<usize> {
    let (url, _service) = match &campaign.server {
        Server::Url(url) => (url.clone(), None),
        Server::Folder(folder) => {
            let service = serve(folder, root)?;
            (format!("http://127.0.0.1:{}", service.port()), Some(service))
        }
    };
    let place = crate::place::Place::new("local-model")?;
    let rules = place.file("rules.toml", RULES)?;
    let (mut broken, mut rows) = (0, Vec::new());
    for model in models(&url) {
        let runs = place.path().join(model.split(':').next().unwrap_or_default());
        let trial = Trial {
            locard: &campaign.locard,
            case: &campaign.case,
            runs: &runs,
            model: model.clone(),
            arguments: &AGENT,
            rules: &rules,
            mend: &|| Ok(()),
        };
        let tried = tried(&trial, tell)?;
        tell(format!("  the run stays in {}", tried.run.display()));
        broken += tried.broken.len();
        rows.push(tried.figures.row(&model));
    }
    tell(format!("{TABLE}\n{}", rows.join("\n")));
    Ok(broken)
}

const TABLE: &str = "| model | turns | calls | claims | accepted | refused | tokens in | tokens out | seconds |\n\
    |---|---|---|---|---|---|---|---|---|";

/// Returns the model's names in both protocols. The server has a single model, whatever its name.
fn models(url: &str) -> [String; 2] {
    let base = url.trim_end_matches('/').trim_end_matches("/v1");
    [format!("openai:local@{base}/v1"), format!("anthropic:local@{base}")]
}

#[expect(clippy::disallowed_methods, reason = "the server is a program of its own")]
fn serve(folder: &Path, root: &Path) -> io::Result<Service> {
    let port = free_port()?;
    let mut command = Command::new(root.join("scripts/local-model"));
    command.arg(folder).arg(port.to_string());
    Service::start(command, port, "/health")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(arguments: &[&str], preset: Option<&str>) -> Option<Server> {
        let arguments = arguments.iter().map(|text| (*text).to_owned()).collect();
        campaign(arguments, preset.map(str::to_owned)).map(|campaign| campaign.server)
    }

    #[test]
    fn the_server_is_named_or_preset() {
        let url = |url: &str| Some(Server::Url(url.to_owned()));
        assert_eq!(read(&["l", "c", "--url", "http://h"], Some("http://x")), url("http://h"));
        assert_eq!(read(&["l", "c"], Some("http://x")), url("http://x"));
        assert_eq!(read(&["l", "c", "--folder", "d"], None), Some(Server::Folder("d".into())));
        for wrong in [&["l", "c"][..], &["l"], &["l", "c", "--url"], &["l", "c", "--url", "u", "v"]] {
            assert_eq!(read(wrong, None), None);
        }
    }

    #[test]
    fn both_protocols_are_asked_at_one_address() {
        let expected = ["openai:local@http://h:1/v1", "anthropic:local@http://h:1"];
        for url in ["http://h:1", "http://h:1/", "http://h:1/v1"] {
            assert_eq!(models(url), expected);
        }
    }

    #[test]
    fn the_rules_are_rules() {
        let rules: ledger::Rules = toml::from_str(RULES).unwrap();
        assert_eq!(rules.budgets.investigate_turns, 8);
        let tools = rules.surfaces.tools.unwrap();
        let of_evidence = tools::catalogue();
        let own = ["nothing_to_record", "record_absence", "record_phenomenon"];
        for name in &tools {
            let is_known = own.contains(&name.as_str()) || of_evidence.iter().any(|tool| tool.name == *name);
            assert!(is_known, "{name}");
        }
    }
}
