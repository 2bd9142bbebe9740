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
    let verdict = match confined {
        _ if sandbox::check_system().is_err() => {
            "tools do not run here, with --unconfined neither: investigate on Linux; a finished run can be read, verified and replayed here"
        }
        true => "tools run confined here",
        false => {
            "tools cannot be confined here: investigations need --unconfined, and every report will say so"
        }
    };
    let _ = writeln!(out, "{verdict}");
    printer.result(&out)?;
    Ok(0)
}
