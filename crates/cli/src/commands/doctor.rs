//! `locard doctor`.

use crate::failure::Failure;
use crate::printer::Printer;
use std::fmt::Write;

pub(super) fn execute(printer: &mut Printer) -> Result<u8, Failure> {
    let confinement = sandbox::probe();
    let mut out = String::new();
    let _ = writeln!(out, "locard {}", env!("CARGO_PKG_VERSION"));
    for line in app::describe_confinement(&confinement) {
        let _ = writeln!(out, "  {line}");
    }
    let confined = confinement.missing().is_empty();
    if let Err(error) = sandbox::check_system() {
        let _ = writeln!(
            out,
            "tools do not run here, not even with --unconfined ({error}); a finished run can be read, verified and replayed here"
        );
        printer.result(&out)?;
        return Ok(Failure::SANDBOX);
    }
    let verdict = match confined {
        true => "tools run confined here",
        false => {
            "tools cannot be confined here: investigations need --unconfined, and every report will say so"
        }
    };
    let _ = writeln!(out, "{verdict}");
    printer.result(&out)?;
    Ok(if confined { 0 } else { Failure::SANDBOX })
}
