//! Glue: the engine's tool calls to the sandbox, and the worker's end of it.

use crate::case_file::Case;
use engine::{Invoke, ToolReturn};
use ledger::chain::Cost;
use ledger::{Completeness, EvidenceKind, Integrity, IntegrityLevel, Outcome, Output, OutputError};
use sandbox::{
    CallError, Config, Confinement, Ending, Holding, LayerName, Limits, Policy, Report, ServeError,
    SpawnError, Zygote,
};
use serde_json::Value;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use thiserror::Error;
use tools::{Mount, Request, Return, WireError};

/// Where tools run.
#[derive(Debug, Clone)]
pub struct WorkerRequest {
    /// The program that serves as the worker when it is called with [`sandbox::WORKER_ARGUMENT`].
    pub program: PathBuf,
    /// Whether tools may run unconfined.
    pub unconfined: bool,
    /// A folder of ours for scratch folders; outside the evidence.
    pub scratch: PathBuf,
    /// What one call may use.
    pub limits: Limits,
}

/// Why no tool can be run at all; what happens to a single call is its outcome.
#[derive(Debug, Error)]
pub enum ToolError {
    /// No worker starts, or none can be confined.
    #[error("start a tool worker")]
    Spawn(#[source] SpawnError),
    /// Workers die faster than they can be replaced.
    #[error("call a tool worker")]
    Call(#[source] CallError),
    /// The worker's call to hash evidence did not end in order.
    #[error("hash evidence in a tool worker: {ending}")]
    Hash {
        /// How it ended.
        ending: String,
    },
    /// The worker's answer cannot be read.
    #[error("read a tool worker's answer")]
    Wire(#[source] WireError),
}

/// The longest that hashing one piece of evidence may take.
const HASHING: Duration = Duration::from_secs(24 * 3600);

/// A worker that tools run in, one call at a time.
#[derive(Clone)]
pub(crate) struct Worker {
    zygote: Arc<Mutex<Zygote>>,
    confinement: Confinement,
    mounts: Arc<[Mount]>,
    limits: Limits,
}

impl Worker {
    pub(crate) fn start(request: &WorkerRequest, case: &Case) -> Result<Worker, ToolError> {
        let zygote = Zygote::spawn(Config {
            program: request.program.clone(),
            readable: case.paths.clone(),
            scratch_root: request.scratch.clone(),
            confinement: if request.unconfined { Policy::Unconfined } else { Policy::Required },
        })
        .map_err(ToolError::Spawn)?;
        let mounts = case.entry.evidence.iter().zip(&case.paths).map(|(entry, path)| Mount {
            label: entry.label.clone(),
            path: path.clone(),
            kind: entry.kind,
        });
        Ok(Worker {
            confinement: *zygote.confinement(),
            zygote: Arc::new(Mutex::new(zygote)),
            mounts: mounts.collect(),
            limits: request.limits,
        })
    }

    /// What holds its calls, a line each.
    pub(crate) fn confinement(&self) -> Vec<String> {
        describe_confinement(&self.confinement)
    }

    /// Runs one tool; a crash, a hang or a memory kill is an outcome.
    pub(crate) fn call(&self, invoke: &Invoke) -> Result<(ToolReturn, Cost), ToolError> {
        let request = Request::Call {
            tool: invoke.tool.clone(),
            arguments: invoke.arguments.clone(),
            evidence: self.mounts.to_vec(),
        };
        let report = self.send(&request, &self.limits)?;
        let cost = cost(&report);
        Ok((returned(report, &self.limits), cost))
    }

    /// Hashes the evidence with this label.
    pub(crate) fn hash(&self, label: &str, level: IntegrityLevel) -> Result<Integrity, ToolError> {
        let unknown = || ToolError::Hash { ending: format!("no evidence is labelled {label:?}") };
        let mount = self.mounts.iter().find(|mount| mount.label == label).ok_or_else(unknown)?.clone();
        let limits = Limits { wall: HASHING, cpu_seconds: HASHING.as_secs(), ..self.limits };
        let report = self.send(&Request::Hash { mount, level }, &limits)?;
        match report.ending {
            Ending::Replied(bytes) => tools::decode_hash_reply(&bytes).map_err(ToolError::Wire)?.integrity(),
            ending => Err(ToolError::Hash { ending: ending.describe(&limits) }),
        }
    }

    fn send(&self, request: &Request, limits: &Limits) -> Result<Report, ToolError> {
        let bytes = tools::encode_request(request).map_err(ToolError::Wire)?;
        // A panic of another caller leaves no half-made call behind: the zygote replaces itself.
        let mut zygote = self.zygote.lock().unwrap_or_else(PoisonError::into_inner);
        zygote.call(&bytes, limits).map_err(ToolError::Call)
    }
}
