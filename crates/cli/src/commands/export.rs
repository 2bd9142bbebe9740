//! `locard export`.

use crate::arguments::Format;
use crate::commands::{ended, print, run_folder};
use crate::failure::Failure;
use crate::printer::Printer;
use crate::scratch::Scratch;
use crate::signals::Signals;
use app::{ExportRequest, Interrupt, Packed};
use serde_json::{Value, json};
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};
use tokio::runtime::Runtime;

#[derive(Debug, clap::Args)]
pub(crate) struct ExportArguments {
    /// A run folder, the beginning of its name, latest, or latest:CASE
    pub(crate) run: String,
    /// The archive, which must not exist; - is standard output
    ///
    /// Without it: the run's name with .tar, in this folder.
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    /// Pack a run that is not sealed too
    #[arg(long)]
    pub(crate) unsealed: bool,
    /// Where run folders are looked for
    #[arg(long, value_name = "FOLDER", default_value = "runs")]
    pub(crate) runs: PathBuf,
    /// How the summary is printed
    #[arg(long, value_enum, default_value = "text")]
    pub(crate) format: Format,
}

pub(super) fn execute(arguments: &ExportArguments, printer: &mut Printer) -> Result<u8, Failure> {
    let folder = run_folder(&arguments.run, &arguments.runs)?;
    let interrupt = Interrupt::new();
    let request = ExportRequest { folder, unsealed: arguments.unsealed, interrupt: interrupt.clone() };
    if arguments.output.as_deref() == Some(Path::new("-")) {
        // Scratch folders of programs that were killed are removed by the next one: no signal is caught.
        let scratch = Scratch::new(&[])?;
        let packed = app::export_to(&request, scratch.calls(), printer.bytes()?).map_err(Failure::Export)?;
        printer.complain(text(&packed, "standard output").trim_end());
        return Ok(0);
    }
    let to = arguments.output.clone().unwrap_or_else(|| app::archive_name(&request.folder).into());
    let (runtime, signal) = listen(interrupt)?;
    let packed = match app::export_file(&request, &to) {
        Err(app::ExportError::Interrupted { .. }) => return Ok(signal.load(Ordering::Acquire)),
        packed => packed.map_err(Failure::Export)?,
    };
    drop(runtime);
    let (text, value) = (|| text(&packed, &report::terminal(&to.to_string_lossy())), || value(&packed, &to));
    let printed = print(printer, arguments.format, text, value);
    Ok(ended(printer, printed, 0))
}

/// From here on a signal interrupts the packing, and nothing of it is left; gives where the signal's exit code will stand.
fn listen(interrupt: Interrupt) -> Result<(Runtime, Arc<AtomicU8>), Failure> {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build();
    let runtime = runtime.map_err(Failure::Runtime)?;
    let mut signals = runtime.block_on(async { Signals::listen() })?;
    let code = Arc::new(AtomicU8::new(0));
    let told = Arc::clone(&code);
    runtime.spawn(async move {
        told.store(signals.next().await, Ordering::Release);
        interrupt.interrupt();
    });
    Ok((runtime, code))
}

fn text(packed: &Packed, to: &str) -> String {
    let mut out = String::new();
    let Packed { run, sealed, head, events, payloads, bytes } = packed;
    let _ = writeln!(out, "packed {run} into {to}: {events} events, {payloads} payloads, {bytes} bytes");
    let _ = writeln!(out, "head {head}");
    if !sealed {
        let _ = writeln!(out, "the run is not sealed: nothing tells whether events are missing at its end");
    }
    out
}

fn value(packed: &Packed, to: &Path) -> Value {
    json!({ "locard_export": 1, "file": to, "packed": packed })
}
