//! `locard export`.

use crate::arguments::{Format, OutputArguments};
use crate::commands::{any_run_folder, ended, print, run_folder};
use crate::failure::Failure;
use crate::platform::Signals;
use crate::printer::Printer;
use crate::scratch::Scratch;
use app::{
    Conversion, ConvertRequest, Converted, ExportRequest, Interrupt, Packed, Profile, Signer, Wording,
};
use clap::ValueEnum;
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
    /// What is written
    #[arg(long = "as", value_enum, default_value = "tar", value_name = "FORMAT")]
    pub(crate) format_of_file: FileFormat,
    /// The new file; - is standard output
    ///
    /// By default the run's name with the extension of the format (.tar), in this folder.
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) writing: OutputArguments,
    /// Write a run that is not sealed too; never a statement about one
    #[arg(long)]
    pub(crate) unsealed: bool,
    /// Store payloads uncompressed in the archive, for readers without zstd (docs/run-format.md)
    #[arg(long, hide_short_help = true)]
    pub(crate) plain: bool,
    /// Take the names of techniques and tactics from a newer MITRE bundle (enterprise-attack.json)
    #[arg(long, value_name = "FILE", hide_short_help = true)]
    pub(crate) attack: Option<PathBuf>,
    /// The ed25519 key that signs the statement of --as in-toto
    ///
    /// PEM over PKCS#8, as `openssl genpkey -algorithm ed25519` writes it.
    #[arg(long, value_name = "PEM")]
    pub(crate) sign: Option<PathBuf>,
    /// Another file that the statement of --as in-toto covers, such as a report
    #[arg(long, value_name = "FILE")]
    pub(crate) subject: Vec<PathBuf>,
    /// Withhold what a profile names: people, or a TOML file (docs/redaction.md); not for an archive
    #[arg(long, value_name = "PROFILE")]
    pub(crate) redact: Option<PathBuf>,
    /// Leave out agents' comments and notes, which nobody has checked; not of an archive
    #[arg(long, hide_short_help = true)]
    pub(crate) no_comments: bool,
    /// Folder that holds the run folders
    #[arg(long, value_name = "FOLDER", default_value = "runs")]
    pub(crate) runs: PathBuf,
    /// How the summary is printed
    #[arg(long, value_enum, default_value = "text")]
    pub(crate) format: Format,
}

/// What a run can be written as.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum FileFormat {
    /// An archive that verifies and replays elsewhere
    Tar,
    /// JSON lines for Timesketch: instants only
    Timesketch,
    /// CASE and UCO 1.5.0, as JSON-LD
    CaseUco,
    /// A STIX 2.1 bundle
    Stix,
    /// A table: a row for each fact
    CsvFacts,
    /// A table: a row for each time
    CsvTimeline,
    /// A layer for the ATT&CK Navigator
    Navigator,
    /// A signed statement about the run: in-toto Statement v1 in a DSSE envelope
    InToto,
}

pub(super) fn execute(arguments: &ExportArguments, printer: &mut Printer) -> Result<u8, Failure> {
    match conversion(arguments)? {
        None => pack(arguments, printer),
        Some(conversion) => convert(arguments, conversion, printer),
    }
}

/// The requested format of another tool; `None` for an archive.
fn conversion(arguments: &ExportArguments) -> Result<Option<Conversion>, Failure> {
    let format = arguments.format_of_file;
    if format != FileFormat::InToto && (arguments.sign.is_some() || !arguments.subject.is_empty()) {
        return Err(Failure::NothingToSign);
    }
    if matches!(format, FileFormat::Tar | FileFormat::InToto) && arguments.attack.is_some() {
        return Err(Failure::NoTechniques { belongs: "not to --as tar and in-toto" });
    }
    Ok(Some(match format {
        FileFormat::Tar if arguments.redact.is_some() => return Err(Failure::RedactedArchive),
        FileFormat::Tar if arguments.no_comments => return Err(Failure::CommentsOfArchive),
        FileFormat::Tar => return Ok(None),
        FileFormat::Timesketch => Conversion::Timesketch,
        FileFormat::CaseUco => Conversion::CaseUco,
        FileFormat::Stix => Conversion::Stix,
        FileFormat::CsvFacts => Conversion::CsvFacts,
        FileFormat::CsvTimeline => Conversion::CsvTimeline,
        FileFormat::Navigator => Conversion::Navigator,
        FileFormat::InToto => {
            let key = arguments.sign.as_ref().ok_or(Failure::NoSigner)?;
            let signer = Signer::read(key).map_err(Failure::Key)?;
            Conversion::InToto { signer: Box::new(signer), files: arguments.subject.clone() }
        }
    }))
}

fn convert(
    arguments: &ExportArguments,
    conversion: Conversion,
    printer: &mut Printer,
) -> Result<u8, Failure> {
    let folder = folder(arguments)?;
    let interrupt = Interrupt::new();
    let unsealed = arguments.unsealed;
    let redact = arguments.redact.as_deref().map(Profile::of_argument).transpose();
    let redact = redact.map_err(Failure::Profile)?;
    let attack = arguments.attack.clone();
    let interrupted = interrupt.clone();
    let comments = super::report::comments(arguments.no_comments);
    let wording = Wording { comments, ..Wording::default() };
    let request =
        ConvertRequest { folder, conversion, unsealed, attack, redact, wording, interrupt: interrupted };
    if arguments.output.as_deref() == Some(Path::new("-")) {
        let converted = app::convert_to(&request, printer.stream()).map_err(Failure::Export)?;
        printer.complain(converted_text(&converted, "standard output").trim_end());
        return Ok(0);
    }
    let to = arguments.output.clone();
    let to = to.unwrap_or_else(|| app::converted_name(&request).into());
    app::refuse_file_inside(&request.folder, &to).map_err(Failure::InEvidence)?;
    let (runtime, signal) = listen(interrupt)?;
    let converted = match app::convert_file(&request, &to, arguments.writing.overwrite()) {
        Err(app::ExportError::Interrupted { .. }) => return Ok(signal.load(Ordering::Acquire)),
        converted => converted.map_err(Failure::Export)?,
    };
    drop(runtime);
    let text = || converted_text(&converted, &report::terminal(&to.to_string_lossy()));
    let value = || {
        let format = arguments.format_of_file.to_possible_value();
        let format = format.map(|format| format.get_name().to_owned());
        json!({ "locard_export": 1, "file": to, "as": format, "written": converted })
    };
    let printed = print(printer, arguments.format, text, value);
    Ok(ended(printer, printed, 0))
}

/// The folder of the named run.
fn folder(arguments: &ExportArguments) -> Result<PathBuf, Failure> {
    let find = if arguments.unsealed { any_run_folder } else { run_folder };
    find(&arguments.run, &arguments.runs)
}

fn converted_text(converted: &Converted, to: &str) -> String {
    let mut out = String::new();
    let Converted { run, sealed, head, items, left_out, bytes } = converted;
    let items = if *items == 1 { "1 item".to_owned() } else { format!("{items} items") };
    let _ = writeln!(out, "wrote {run} into {to}: {items}, {bytes} bytes");
    let _ = writeln!(out, "head {head}");
    if left_out.total() > 0 {
        let _ = writeln!(
            out,
            "left out, because the format cannot hold them, times: {} (local times without a zone: {}, no instant: {}, of the machine that holds a copy: {})",
            left_out.total(),
            left_out.local,
            left_out.no_instant,
            left_out.of_copy
        );
    }
    if !sealed {
        let _ = writeln!(out, "{UNSEALED}");
    }
    out
}

const UNSEALED: &str = "the run is not sealed: events may be missing at its end";

fn pack(arguments: &ExportArguments, printer: &mut Printer) -> Result<u8, Failure> {
    let folder = folder(arguments)?;
    let interrupt = Interrupt::new();
    let bodies = if arguments.plain { store::Bodies::Plain } else { store::Bodies::Compressed };
    let request =
        ExportRequest { folder, unsealed: arguments.unsealed, bodies, interrupt: interrupt.clone() };
    if arguments.output.as_deref() == Some(Path::new("-")) {
        // No signal is caught here: if the program is killed, the next one removes its scratch folder.
        let scratch = Scratch::new(&[])?;
        let packed = app::export_to(&request, scratch.calls(), printer.bytes()?).map_err(Failure::Export)?;
        printer.complain(text(&packed, "standard output").trim_end());
        return Ok(0);
    }
    let to = arguments.output.clone().unwrap_or_else(|| app::archive_name(&request.folder).into());
    app::refuse_file_inside(&request.folder, &to).map_err(Failure::InEvidence)?;
    let (runtime, signal) = listen(interrupt)?;
    let packed = match app::export_file(&request, &to, arguments.writing.overwrite()) {
        Err(app::ExportError::Interrupted { .. }) => return Ok(signal.load(Ordering::Acquire)),
        packed => packed.map_err(Failure::Export)?,
    };
    drop(runtime);
    let (text, value) = (|| text(&packed, &report::terminal(&to.to_string_lossy())), || value(&packed, &to));
    let printed = print(printer, arguments.format, text, value);
    Ok(ended(printer, printed, 0))
}

/// From now on, a signal interrupts the export, which then leaves no file.
/// The signal's exit code appears in the returned value.
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
        let _ = writeln!(out, "{UNSEALED}");
    }
    out
}

fn value(packed: &Packed, to: &Path) -> Value {
    json!({ "locard_export": 1, "file": to, "packed": packed })
}
