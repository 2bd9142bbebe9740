//! Use cases and wiring: what a command of Locard does, without a terminal.
//!
//! The adapters (`tools`, `llm`, `store`, `sandbox`) do not know each other or the engine; the glue that fits them to it is here, a small file each.

mod agents;
mod bench_gate;
mod case_file;
mod clock;
mod drive;
mod fetched;
mod init;
mod interrupt;
mod judge;
mod list;
mod name_cache;
mod names;
mod open;
mod place;
mod publish;
mod record;
mod replay;
mod run;
mod seal;
mod shared;
mod stored;
mod timelines;
mod truth;
mod unchanged;
mod verify;
mod worker;

pub use agents::{Agent, AgentError, shipped_agents};
pub use bench_gate::{
    Ending, Example, GateBench, GateBenchRequest, KindResult, LooksAt, Matching, MaterialError, RuleSet,
    RuleSetError, RuleSetResult, Side, Totals, WrongAnswer, bench_gate, gate_table, rule_sets,
};
pub use case_file::{Case, CaseError, NoEvidence, load_case};
pub use clock::{Clock, SystemClock};
pub use drive::{DriveError, Progress};
pub use init::{InitError, NewCase, hash_case, new_case, write_case};
pub use interrupt::Interrupt;
pub use list::{ListError, Listed, State, list_runs};
pub use open::{OpenRunError, find_run, load_run};
pub use place::nearest_known;
pub use replay::{Divergence, ReplayError, ReplayRequest, Replayed, replay};
pub use run::{
    Finished, ForkRequest, Models, ModelsByName, ResumeRequest, RunError, RunRequest, Workplace, fork,
    refuse_runs_inside, resume, run,
};
pub use seal::{MANIFEST, Manifest};
pub use truth::{TruthError, load_truth};
pub use unchanged::Change;
pub use verify::{Certificate, Finding, Level, verify};
pub use worker::{ToolError, WorkerRequest, call_tool, describe_confinement, worker_main};
