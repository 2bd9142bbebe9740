//! Use cases and wiring: everything that a command of Locard does, apart from the terminal.
//!
//! The adapters (`tools`, `llm`, `store`, `sandbox`) depend neither on each other nor on the engine.
//! The glue that connects them to the engine is here, in one small file for each.

mod agents;
mod asked;
mod audit;
mod audit_state;
mod bench_gate;
mod borrowed;
mod brought;
mod case_file;
mod causes;
mod check_report;
mod clock;
mod course;
mod crew;
mod door;
mod drive;
mod export;
mod fetched;
mod finder;
mod follow;
mod given;
mod head_log;
mod init;
mod interrupt;
mod judge;
mod list;
mod loopback;
mod made_tables;
mod memory;
mod name_cache;
mod names;
mod naming_rows;
mod open;
mod output_file;
mod outputs;
mod outside;
mod outside_evidence;
mod place;
mod platform;
mod progress;
mod publish;
mod purse;
mod raw;
mod record;
mod recorded;
mod regular;
mod rejudge;
mod replay;
mod report_page;
mod reproduce;
mod run;
mod run_key;
mod seal;
mod search;
mod shared;
mod shown;
mod siblings;
mod stored;
mod strangers;
mod tables;
mod techniques;
mod truth;
mod unchanged;
mod verify;
mod waiting;
mod walk;
mod worker;

pub use crate::memory::{Memory, MemoryError, MemoryUse, StoredLessons};
pub use ::exchange::{CsvCell, rows_csv};
pub use agents::{
    Agent, AgentError, shipped_agents, shipped_asker, shipped_crew, shipped_examiner, shipped_lead,
};
pub use ask::{
    Answer as AskAnswer, EXCHANGES, Exchange, Follow, Question, Reason, Row as AskRow, Verdict, World,
    completed, first_reading, follow as follow_up,
};
pub use asked::{AskError, Asked, asked, known_names, question_to_record, read_question};
pub use audit::{AuditOf, AuditRunError, Audited, audit_runs, folders_of_runs};
pub use audit_state::{AuditState, AuditStateError};
pub use bench_gate::{
    Ending, Example, GateBench, GateBenchRequest, KindResult, LooksAt, Matching, MaterialError, RuleSet,
    RuleSetError, RuleSetResult, Side, Totals, WrongAnswer, bench_gate, gate_table, rule_sets,
};
pub use borrowed::{fits, named};
pub use brought::{Brought, BroughtError, Naming, RulePaths, brought, known_good};
pub use case_file::{Case, CaseError, NoEvidence, load_case};
pub use causes::{causes, with_causes};
pub use check_report::{CheckReportError, CheckedReport, check_report};
pub use clock::{Clock, SystemClock};
pub use door::{Door, Guest, admit};
pub use drive::DriveError;
pub use engine::{SoFar, ToolReturn};
pub use export::{
    Conversion, ConvertRequest, Converted, ExportError, ExportRequest, Packed, archive_name, convert_file,
    convert_to, converted_name, export_file, export_to,
};
pub use follow::{Followed, Happened, follow, recorded_length};
pub use given::{GivenError, evidence_of};
pub use head_log::{HeadLog, HeadLogError, NotedHead};
pub use init::{InitError, NewCase, hash_case, new_case, write_case};
pub use interrupt::Interrupt;
pub use list::{ListError, Listed, State, list_run, list_runs, run_folders};
pub use loopback::{Loopback, Token};
pub use naming_rows::{NamingRow, NamingRows, rows_naming};
pub use open::{FoundRun, OpenRunError, find_run, find_sealed, load_run};
pub use output_file::{OutputFileError, Overwrite, room_for, write_output};
pub use outputs::{OutputError, read_output};
pub use outside::{outside_rules, outside_tools};
pub use outside_evidence::{OutsideError, refuse_file_inside};
pub use place::{nearest, nearest_known};
pub use progress::Progress;
pub use raw::{RawFact, RawFound, RawRequest, RawSpans, RawTotals, RawValue, ValueFound, read_raw};
pub use recorded::{RecordedError, RecordedRun, recorded};
pub use redact::{Profile, ProfileError};
pub use rejudge::{
    Became, ClaimChange, Counted, FirstOtherwise, LogEnds, ObjectiveChange, OtherRules, Otherwise,
    RejudgeError, Rejudged, RejudgedTask, RejudgedTotals, RuleChange, TaskSide, Unjudged, rejudge,
};
pub use replay::{Divergence, ReplayError, ReplayRequest, Replayed, replay};
pub use report_page::{ReportPageError, report_page};
pub use reproduce::{
    Again, AgainError, CallDiffers, Difference, EvidenceAgain, FieldDiffers, NotCompared, Part, RecordChange,
    RecordDiffers, RecordsDiffer, ReproduceRequest, Reproduced, TablesDiffer, TextsDiffer, reproduce,
};
pub use run::{
    Answerer, AskBranch, Finished, ForkRequest, KeepHead, Models, ModelsByName, NoModel, ResumeRequest,
    RunError, RunRequest, ToAsk, Workplace, ask_case, asker_of, branch_to_ask, conclude, fork,
    refuse_runs_inside, resume, run,
};
pub use run::{Recorded, Session, session_again, session_of_case, session_of_run};
pub use run_key::{kept_key, key_file, leave_key};
pub use seal::{MANIFEST, Manifest};
pub use search::{Found, FoundRecord, Hit, SearchFrom, SearchLimits, Sought, search_outputs};
pub use shown::{Comments, ShowError, Shown as RunShown, Wording, show_run};
pub use tables::{CaseTables, TablesError, TablesRequest, Unread, WithSources, case_tables, check_rules};
pub use techniques::TechniquesError;
pub use tools::Expansion;
pub use truth::{TruthError, load_truth};
pub use unchanged::Change;
pub use verify::{
    CallsAgain, Certificate, Checker, EvidenceLooked, EvidenceOf, Finding, HEAD_ALONE, HeadError,
    IntegrityOf, Keep, KeepError, KeptHead, Level, Reach, SignatureError, Signer, Standing, keep_certificate,
    timestamp_request, verify, verify_against, verify_over_evidence,
};
pub use walk::{Seen, Shown, WalkRequest, WalkedTask, WalkedTurn, walk};
pub use worker::{
    StatementError, ToolError, WorkerRequest, call_tool, describe_confinement, sequences, try_confinement,
    worker_main,
};
