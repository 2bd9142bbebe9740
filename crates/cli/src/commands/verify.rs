//! `locard verify`.

use crate::arguments::VerifyArguments;
use crate::commands::{UNCONFINED, ended, print, run_folder};
use crate::failure::Failure;
use crate::printer::Printer;
use app::Certificate;
use report::terminal;
use serde_json::{Value, json};
use std::fmt::Write;

pub(super) fn execute(arguments: &VerifyArguments, printer: &mut Printer) -> Result<u8, Failure> {
    let folder = run_folder(&arguments.run, &arguments.runs)?;
    let certificate = app::verify(&folder);
    // Whoever strips the seal and the manifest must not pass for a run that broke off, unless that is expected.
    let verified = certificate.holds() && (certificate.sealed || arguments.unsealed);
    let printed =
        print(printer, arguments.format, || text(&certificate, verified), || value(&certificate, verified));
    Ok(ended(printer, printed, if verified { 0 } else { Failure::TAMPERED }))
}

fn value(certificate: &Certificate, verified: bool) -> Value {
    json!({
        "locard_verify": 1,
        "verified": verified,
        "confined": certificate.confined,
        "certificate": certificate,
    })
}

fn text(certificate: &Certificate, verified: bool) -> String {
    let mut out = String::new();
    for finding in &certificate.findings {
        let _ = writeln!(out, "does not hold: {}: {}", terminal(&finding.place), terminal(&finding.what));
    }
    let _ = writeln!(
        out,
        "{} events, {} payloads, {} facts in their outputs, {} verdicts the same again",
        certificate.events, certificate.payloads, certificate.facts, certificate.verdicts
    );
    if let Some(head) = certificate.head {
        let _ = writeln!(out, "head {head}");
    }
    if certificate.confined == Some(false) {
        let _ = writeln!(out, "{UNCONFINED}");
    }
    if !certificate.sealed {
        let _ = writeln!(out, "not sealed: nothing tells whether events are missing at its end");
        if certificate.holds() && !verified {
            let _ = writeln!(out, "(--unsealed accepts a run that broke off)");
        }
    }
    let _ = writeln!(out, "{}", verdict(certificate, verified));
    out
}

/// The last line: what was reached.
fn verdict(certificate: &Certificate, verified: bool) -> String {
    let sealed = if certificate.sealed { "sealed" } else { "not sealed" };
    match (verified, certificate.level) {
        (true, Some(level)) => format!(
            "verified: {level} ({sealed}; nobody outside this folder vouches for its head, compare it with one kept elsewhere)"
        ),
        (false, Some(level)) => format!("NOT VERIFIED beyond: {level} ({sealed})"),
        (_, None) => format!("NOT VERIFIED ({sealed})"),
    }
}
