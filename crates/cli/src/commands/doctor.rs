//! `locard doctor`.

use super::worker;
use crate::failure::Failure;
use crate::printer::Printer;
use std::fmt::Write;

pub(super) fn execute(printer: &mut Printer) -> Result<u8, Failure> {
    let probed = sandbox::probe();
    let mut out = String::new();
    let _ = writeln!(out, "locard {}", env!("CARGO_PKG_VERSION"));
    if let Err(error) = sandbox::check_system() {
        describe(&mut out, &probed);
        let _ = writeln!(
            out,
            "tools do not run here, not even with --unconfined ({error}); a finished run can be read, verified and replayed here"
        );
        printer.result(&out)?;
        return Ok(Failure::SANDBOX);
    }
    if !probed.missing().is_empty() {
        describe(&mut out, &probed);
        let _ = writeln!(
            out,
            "tools cannot be confined here: investigations need --unconfined, and every report will say so"
        );
        printer.result(&out)?;
        return Ok(Failure::SANDBOX);
    }
    // What the system offers is one question; whether a worker really gets it is another.
    let (request, _scratch) = worker(false, &[])?;
    let confinement = app::try_confinement(&request).map_err(Failure::Tool)?;
    describe(&mut out, &confinement);
    let _ = writeln!(out, "tools run confined here");
    printer.result(&out)?;
    Ok(0)
}

fn describe(out: &mut String, confinement: &sandbox::Confinement) {
    for line in app::describe_confinement(confinement) {
        let _ = writeln!(out, "  {line}");
    }
}
