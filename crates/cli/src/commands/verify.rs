//! `locard verify`.

use crate::arguments::RunFolder;
use crate::commands::{print, run_folder};
use crate::failure::Failure;
use crate::printer::Printer;
use app::Certificate;
use std::fmt::Write;

pub(super) fn execute(arguments: &RunFolder, printer: &mut Printer) -> Result<u8, Failure> {
    let folder = run_folder(&arguments.run, &arguments.runs)?;
    let certificate = app::verify(&folder);
    print(printer, arguments.format, || text(&certificate), &certificate)?;
    Ok(if certificate.holds() { 0 } else { Failure::TAMPERED })
}

fn text(certificate: &Certificate) -> String {
    let mut out = String::new();
    for finding in &certificate.findings {
        let _ = writeln!(out, "does not hold: {}: {}", finding.place, finding.what);
    }
    let _ = writeln!(
        out,
        "{} events, {} payloads, {} facts in their outputs, {} verdicts the same again",
        certificate.events, certificate.payloads, certificate.facts, certificate.verdicts
    );
    if let Some(head) = certificate.head {
        let _ = writeln!(out, "head {head}");
    }
    let sealed = if certificate.sealed { "sealed" } else { "not sealed" };
    let _ = match (certificate.holds(), certificate.level) {
        (true, Some(level)) => writeln!(
            out,
            "verified: {level} ({sealed}; nobody outside this folder vouches for its head, compare it with one kept elsewhere)"
        ),
        (false, Some(level)) => writeln!(out, "NOT VERIFIED beyond: {level} ({sealed})"),
        (_, None) => writeln!(out, "NOT VERIFIED ({sealed})"),
    };
    out
}
