//! The two levels that need the evidence: the tools run again, and raw bytes are read again.

use super::{CallsAgain, Certificate, Level, Standing};
use crate::raw::{RawFound, RawRequest, RawSpans, read_raw};
use crate::reproduce::{AgainError, EvidenceAgain, ReproduceRequest, Reproduced, reproduce};
use ledger::event::TablesRead;
use std::path::Path;

/// The results of examining the evidence again.
#[derive(Debug, Clone)]
pub struct EvidenceLooked {
    /// The results of running the tools again.
    pub reproduced: Reproduced,
    /// The results of reading the raw bytes again.
    pub raw: RawSpans,
}

/// Runs the tools of a verified run again over its evidence, and reads the
/// bytes behind its facts again; adds the results to the certificate.
///
/// Returns `None` and does nothing if [`Level::FactsStand`] is not reached: the results would prove nothing.
///
/// # Errors
///
/// Fails if the evidence cannot be examined.
pub async fn verify_over_evidence(
    certificate: &mut Certificate,
    folder: &Path,
    request: ReproduceRequest,
) -> Result<Option<EvidenceLooked>, AgainError> {
    if certificate.standing(Level::FactsStand) != Standing::Reached {
        return Ok(None);
    }
    certificate.evidence_paths.extend(request.case.paths.iter().cloned());
    let raw = RawRequest {
        case: request.case.clone(),
        worker: request.worker.clone(),
        observe: request.observe.clone(),
        interrupt: request.interrupt.clone(),
    };
    let reproduced = reproduce(folder, &request).await?;
    certificate.examine(Level::OutputsReproduced, other_outputs(&reproduced));
    certificate.calls_again = Some(CallsAgain {
        invocations: reproduced.invocations,
        same: reproduced.invocations_same,
        not_compared: reproduced.not_compared.len() as u64,
    });
    let raw = read_raw(folder, &raw).await?;
    certificate.examine(Level::SpansReadAgain, unreadable(&raw));
    certificate.raw = Some(raw.all);
    Ok(Some(EvidenceLooked { reproduced, raw }))
}

fn other_outputs(reproduced: &Reproduced) -> Vec<(String, String)> {
    let other = reproduced.evidence.iter().filter(|evidence| evidence.is_other());
    let other = other.map(|EvidenceAgain { label, path, .. }| {
        let what = format!("what lies at {} does not have the hash that the run took", path.display());
        (format!("evidence {label}"), what)
    });
    let calls = reproduced.differing.iter().map(|call| {
        let what = "the tool says something else now (`replay --tools live` shows what)".to_owned();
        (format!("{} ({})", call.invocation, call.tool), what)
    });
    let tables = reproduced.tables_differing.iter().map(|tables| {
        let TablesRead { evidence, group, .. } = &tables.recorded;
        let what = "the evidence gives other rows now than the run's calls have read".to_owned();
        (format!("case tables of {evidence} ({group})"), what)
    });
    other.chain(tables).chain(calls).collect()
}

fn unreadable(raw: &RawSpans) -> Vec<(String, String)> {
    let found = raw.facts.iter().filter_map(|fact| match &fact.found {
        RawFound::Unreadable { because } => Some((fact.fact.to_string(), because.clone())),
        RawFound::Literal | RawFound::Partly | RawFound::Decoded | RawFound::NoSpan => None,
    });
    found.collect()
}
