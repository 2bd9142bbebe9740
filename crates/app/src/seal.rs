//! The manifest: a small file next to the log that describes a sealed run.

use crate::publish::publish_in;
use crate::regular::read_regular;
use ledger::canonical::{self, CanonicalError};
use ledger::event::{Format, RunOpened, TaskAssigned};
use ledger::{Digest, RunId};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use thiserror::Error;

/// The file's name in the run folder.
pub const MANIFEST: &str = "manifest.json";

/// The description of a sealed run.
///
/// Anyone who keeps `head` elsewhere can check later whether the run is still the one that was sealed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Manifest {
    /// The name of the run.
    pub run: RunId,
    /// The format of its log.
    pub format: Format,
    /// The version of Locard that sealed it.
    pub program: String,
    /// The last link of its chain.
    pub head: Digest,
    /// The number of its events.
    pub events: u64,
    /// The number of its stored outputs and replies.
    pub payloads: u64,
    /// The digest of the catalogue of tools that it offered.
    pub tools: Digest,
    /// The digest of its rules.
    pub rules: Digest,
    /// The digest of its vocabulary of predicates.
    pub vocabulary: Digest,
    /// The digest of each tool's specification, by name; empty before format 2.4.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub each_tool: BTreeMap<String, Digest>,
    /// The digest of the tables of who could have written which field; absent before format 2.4.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub writers: Option<Digest>,
    /// The digest of the list of rule files that were supplied; absent if there were none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub brought: Option<Digest>,
    /// The behaviour flags in force; absent before format 2.4.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub behaviour: Option<Vec<u16>>,
    /// The agents, by task.
    pub agents: BTreeMap<String, AgentSeal>,
}

/// The first format whose manifest lists single tools, prompts, tables of writers and behaviour flags.
const IN_DETAIL: Format = Format { major: 2, minor: 4 };

/// The versions of one task's agent and model.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AgentSeal {
    /// The agent's name.
    pub agent: String,
    /// The digest of its specification: prompt, surface, objectives.
    pub spec: Digest,
    /// The digest of the text of its prompt alone; absent before format 2.4.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prompt: Option<Digest>,
    /// The name of the model.
    pub model: String,
    /// The digest of the model's data, such as the playbook's file.
    pub model_digest: Option<Digest>,
}

/// The end of the log that a manifest seals.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Sealing {
    pub(crate) head: Digest,
    pub(crate) events: u64,
    pub(crate) payloads: u64,
}

impl Manifest {
    /// Makes the manifest of a run, from the log alone.
    pub(crate) fn of<'a>(
        run: &RunId,
        opened: &RunOpened,
        assigned: impl IntoIterator<Item = &'a TaskAssigned>,
        seal: Sealing,
    ) -> Result<Manifest, CanonicalError> {
        let in_detail = opened.format >= IN_DETAIL;
        let agent = |assigned: &TaskAssigned| {
            let seal = AgentSeal {
                agent: assigned.agent.name.clone(),
                spec: digest(&assigned.agent)?,
                prompt: in_detail.then(|| Digest::of(assigned.agent.prompt.as_bytes())),
                model: assigned.model.clone(),
                model_digest: assigned.model_digest,
            };
            Ok((assigned.task.to_string(), seal))
        };
        let tools = opened.tools.iter().filter(|_| in_detail);
        let each_tool = tools.map(|tool| Ok((tool.name.clone(), digest(tool)?)));
        Ok(Manifest {
            run: run.clone(),
            format: opened.format,
            program: opened.program.clone(),
            head: seal.head,
            events: seal.events,
            payloads: seal.payloads,
            tools: digest(&opened.tools)?,
            rules: digest(&opened.rules)?,
            vocabulary: digest(&opened.vocabulary)?,
            each_tool: each_tool.collect::<Result<_, _>>()?,
            writers: in_detail.then(|| digest(&opened.writers)).transpose()?,
            brought: (!opened.brought.is_empty()).then(|| digest(&opened.brought)).transpose()?,
            behaviour: in_detail.then(|| opened.behaviour.clone()),
            agents: assigned.into_iter().map(agent).collect::<Result<_, _>>()?,
        })
    }
}

/// Returns the digest of a value's canonical form.
fn digest(of: &impl Serialize) -> Result<Digest, CanonicalError> {
    Ok(Digest::of(&canonical::to_vec(of)?))
}

/// Why the manifest cannot be written or read.
#[derive(Debug, Error)]
pub enum ManifestError {
    /// The file cannot be written or read.
    #[error("open the manifest {}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// The error of the operating system.
        #[source]
        source: std::io::Error,
    },
    /// The file is not a valid manifest.
    #[error("read the manifest {}", path.display())]
    Malformed {
        /// The file.
        path: PathBuf,
        /// Line, column and what was expected.
        #[source]
        source: serde_json::Error,
    },
}

/// Writes the manifest, completely or not at all; once this returns, it survives a loss of power.
pub(crate) fn write_manifest(folder: &Path, manifest: &Manifest) -> Result<(), ManifestError> {
    let path = folder.join(MANIFEST);
    let mut text = serde_json::to_string_pretty(manifest)
        .map_err(|source| ManifestError::Malformed { path: path.clone(), source })?;
    text.push('\n');
    publish_in(folder, MANIFEST, text.as_bytes())
        .map_err(|source| ManifestError::File { path: path.clone(), source })
}

/// The most bytes of a manifest, which has some lines for each tool, agent and task.
pub(crate) const LONGEST_MANIFEST: u64 = 16 << 20;

/// Reads the manifest; `None` if the run was not sealed.
pub(crate) fn read_manifest(folder: &Path) -> Result<Option<Manifest>, ManifestError> {
    let path = folder.join(MANIFEST);
    let text = match read_regular(&path, LONGEST_MANIFEST) {
        Ok(text) => text,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        Err(source) => return Err(ManifestError::File { path, source }),
    };
    serde_json::from_slice(&text).map(Some).map_err(|source| ManifestError::Malformed { path, source })
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test fails by panicking")]
mod tests {
    use super::*;

    #[test]
    fn a_manifest_of_an_older_format_reads_and_writes_as_it_was() {
        let digest = Digest::of(b"x");
        let text = format!(
            "{{\"run\":\"r\",\"format\":{{\"major\":2,\"minor\":3}},\"program\":\"0.1.0\",\"head\":\"{digest}\",\"events\":1,\"payloads\":0,\"tools\":\"{digest}\",\"rules\":\"{digest}\",\"vocabulary\":\"{digest}\",\"agents\":{{\"task-1\":{{\"agent\":\"a\",\"spec\":\"{digest}\",\"model\":\"m\",\"model_digest\":null}}}}}}"
        );
        let manifest: Manifest = serde_json::from_str(&text).unwrap();
        assert_eq!(serde_json::to_string(&manifest).unwrap(), text);
    }
}
