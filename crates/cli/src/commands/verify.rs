//! `locard verify`.

mod report;

use crate::arguments::VerifyArguments;
use crate::commands::{UNCONFINED, any_run_folder, ended, live, print, run_folder};
use crate::failure::{Failure, describe};
use crate::heads;
use crate::printer::Printer;
use ::report::terminal;
use app::{Certificate, Checker, Keep, KeptHead, Level, MANIFEST, NotedHead, Signer, Standing};
use serde_json::{Value, json};
use std::fmt::Write;
use std::path::Path;

pub(super) fn execute(arguments: &VerifyArguments, printer: &mut Printer) -> Result<u8, Failure> {
    let find = if arguments.unsealed { any_run_folder } else { run_folder };
    let folder = arguments.run.as_ref().map(|run| find(run, &arguments.runs)).transpose()?;
    if let Some(file) = &arguments.report {
        return report::execute(file, folder.as_deref(), arguments.format, printer);
    }
    // clap requires a run if there is no report.
    let folder = folder.unwrap_or_default();
    let head = head(arguments, &folder)?;
    let keep = keep(arguments)?;
    let mut certificate = app::verify_against(&folder, head.as_ref());
    let noted = if head.is_some() { Vec::new() } else { noted(arguments, &folder, &certificate, printer) };
    let noted = certificate.against_noted(&noted).cloned();
    if !arguments.evidence.is_empty() && !over_evidence(arguments, &folder, &mut certificate)? {
        printer.complain("the evidence was not checked: the recording does not hold");
    }
    let code = code(&certificate, arguments.unsealed);
    let kept = keep.map(|keep| app::keep_certificate(&certificate, &keep).map_err(Failure::Keep));
    let printed = print(
        printer,
        arguments.format,
        || text(&certificate, code, head, noted.as_ref()),
        || value(&certificate, code, noted.as_ref()),
    );
    let code = ended(printer, printed, code);
    match kept {
        Some(Err(failure)) => {
            printer.complain(&describe(&failure));
            Ok(code.max(failure.code()))
        }
        Some(Ok(())) | None => Ok(code),
    }
}

/// Checks the evidence, too. Returns `false` without doing so if the recording does not hold.
fn over_evidence(
    arguments: &VerifyArguments,
    folder: &Path,
    certificate: &mut Certificate,
) -> Result<bool, Failure> {
    let given: Vec<_> =
        arguments.evidence.iter().filter(|path| !path.as_os_str().is_empty()).cloned().collect();
    live::over_evidence(folder, &given, arguments.unconfined, |request| async {
        app::verify_over_evidence(certificate, folder, request).await.map(|looked| looked.is_some())
    })
}

/// The head to compare with.
fn head(arguments: &VerifyArguments, folder: &Path) -> Result<Option<KeptHead>, Failure> {
    let own = folder.join(MANIFEST);
    // With a key, the manifest in the run's own folder will do, because its signature vouches for it.
    let Some(path) = arguments.head.as_ref().or_else(|| arguments.key.as_ref().map(|_| &own)) else {
        return Ok(None);
    };
    let within = path.canonicalize().ok().zip(folder.canonicalize().ok());
    if arguments.key.is_none() && within.is_some_and(|(path, folder)| path.starts_with(folder)) {
        return Err(Failure::OwnHead { path: path.clone() });
    }
    let key = arguments.key.as_deref().map(Checker::read).transpose().map_err(Failure::Key)?;
    KeptHead::of_argument(path, key.as_ref()).map(Some).map_err(Failure::Head)
}

/// The heads noted when the run was sealed; empty, after a warning, if the log of heads cannot be read.
fn noted(
    arguments: &VerifyArguments,
    folder: &Path,
    certificate: &Certificate,
    printer: &Printer,
) -> Vec<NotedHead> {
    let Some(log) = heads::log(arguments.no_head_log) else { return Vec::new() };
    let folder = folder.canonicalize().unwrap_or_else(|_| folder.to_owned());
    let name = folder.file_name().unwrap_or_default().to_string_lossy();
    log.noted(certificate.run.as_ref(), &name).unwrap_or_else(|error| {
        let told = app::with_causes(&error, ": ");
        printer.complain(&terminal(&format!("warning: failed to {told}")));
        Vec::new()
    })
}

/// What to write; reads the key early, before anything is verified.
fn keep(arguments: &VerifyArguments) -> Result<Option<Keep>, Failure> {
    let Some(certificate) = arguments.certificate.clone() else { return Ok(None) };
    let signer = arguments.sign.as_deref().map(Signer::read).transpose().map_err(Failure::Key)?;
    let overwrite = arguments.writing.overwrite();
    Ok(Some(Keep { certificate, signer, timestamp_request: arguments.timestamp_request.clone(), overwrite }))
}

/// The exit code for the lowest level that does not hold: the levels above it mean nothing then.
fn code(certificate: &Certificate, unsealed: bool) -> u8 {
    match certificate.failed() {
        Some(Level::LogConsistent) => Failure::TAMPERED,
        // A run whose seal and manifest were removed must not pass for one that broke off, unless --unsealed allows that.
        _ if !certificate.sealed && !unsealed => Failure::UNSEALED,
        Some(Level::FactsStand) => Failure::UNFOUNDED,
        Some(Level::OutputsReproduced) => Failure::NOT_REPRODUCED,
        Some(Level::SpansReadAgain) => Failure::OTHER_BYTES,
        Some(Level::HeadAnchored) => Failure::OTHER_HEAD,
        None => 0,
    }
}

fn value(certificate: &Certificate, code: u8, noted: Option<&NotedHead>) -> Value {
    json!({
        "locard_verify": 1,
        "verified": code == 0,
        "exit_code": code,
        "confined": certificate.confined,
        "noted_at": noted.map(|noted| &noted.at),
        "certificate": certificate,
    })
}

fn text(certificate: &Certificate, code: u8, kept: Option<KeptHead>, noted: Option<&NotedHead>) -> String {
    let mut out = String::new();
    for finding in &certificate.findings {
        let _ = writeln!(out, "does not hold: {}: {}", terminal(&finding.place), terminal(&finding.what));
    }
    let _ = writeln!(
        out,
        "{} events, {} payloads, {} facts found in their outputs, {} verdicts confirmed",
        certificate.events, certificate.payloads, certificate.facts, certificate.verdicts
    );
    if let Some(again) = certificate.calls_again {
        let _ = writeln!(
            out,
            "{} invocations repeated: {} the same, {} not compared",
            again.invocations, again.same, again.not_compared
        );
    }
    if let Some(raw) = certificate.raw {
        let _ = writeln!(
            out,
            "{} facts compared with raw bytes: {} found whole, {} in part, {} only after decoding, which the repeated invocations compare; {} have no bytes of their own, {} have bytes that cannot be read",
            raw.facts, raw.literal, raw.partly, raw.decoded, raw.no_span, raw.unreadable
        );
    }
    if let Some(head) = certificate.head {
        let _ = writeln!(out, "head {head}");
    }
    if let Some(root) = certificate.facts_root {
        let _ = writeln!(out, "root of the facts {root}");
    }
    if let (true, Some(kept)) = (is_anchored(certificate), kept) {
        let signed = if kept.signed { ", and the signature over it verifies" } else { "" };
        let _ = writeln!(out, "it is the head kept elsewhere{signed}");
    }
    if certificate.confined == Some(false) {
        let _ = writeln!(out, "{UNCONFINED}");
    }
    if !certificate.sealed {
        let _ = writeln!(out, "not sealed: events may be missing at its end");
        if code == Failure::UNSEALED && certificate.holds() {
            let _ = writeln!(out, "(--unsealed accepts a run that broke off)");
        }
    }
    let _ = writeln!(out, "{}", verdict(certificate, code, noted));
    out
}

fn is_anchored(certificate: &Certificate) -> bool {
    certificate.standing(Level::HeadAnchored) == Standing::Reached
}

/// The last line: the level that was reached.
fn verdict(certificate: &Certificate, code: u8, noted: Option<&NotedHead>) -> String {
    let sealed = if certificate.sealed { "sealed" } else { "not sealed" };
    match (code, certificate.level) {
        (0, Some(level)) if noted.is_some() => {
            let at = noted.map(|noted| terminal(&noted.at)).unwrap_or_default();
            format!("verified: {level} ({sealed}; head matches the one noted at sealing on {at})")
        }
        (0, Some(level)) if is_anchored(certificate) => {
            format!("verified: {level}, {} ({sealed})", Level::HeadAnchored)
        }
        (0, Some(level)) => format!(
            "verified: {level} ({sealed}; nothing outside this folder vouches for its head: compare it with a copy kept elsewhere)"
        ),
        (_, Some(level)) => format!("NOT VERIFIED beyond: {level} ({sealed})"),
        (_, None) => format!("NOT VERIFIED ({sealed})"),
    }
}
