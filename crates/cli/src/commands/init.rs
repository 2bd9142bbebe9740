//! `locard init`.

use crate::arguments::Format;
use crate::commands::{print, worker};
use crate::failure::Failure;
use crate::printer::Printer;
use app::NewCase;
use report::terminal;
use serde_json::{Value, json};
use std::fmt::Write;
use std::path::{Path, PathBuf};

#[derive(Debug, clap::Args)]
pub(crate) struct InitArguments {
    /// Evidence (folder, archive, image); it is neither copied nor changed
    #[arg(required = true)]
    pub(crate) evidence: Vec<PathBuf>,
    /// The case folder; by default NAME-case here, named after the first evidence
    #[arg(long, value_name = "FOLDER")]
    pub(crate) case: Option<PathBuf>,
    /// Compute the hash of the evidence, which every run will check
    #[arg(long)]
    pub(crate) hash: bool,
    /// Hash the evidence even where that cannot be confined
    #[arg(long)]
    pub(crate) unconfined: bool,
    /// How it is printed
    #[arg(long, value_enum, default_value = "text")]
    pub(crate) format: Format,
}

pub(super) fn execute(arguments: &InitArguments, printer: &mut Printer) -> Result<u8, Failure> {
    let mut new = app::new_case(&arguments.evidence, arguments.case.as_deref()).map_err(Failure::Init)?;
    if arguments.hash {
        let (request, _scratch) = worker(arguments.unconfined, &new.case.paths)?;
        for gap in app::hash_case(&request, &mut new).map_err(Failure::Init)? {
            printer.complain(&terminal(&format!("not in the hash: {}: {}", gap.path, gap.reason)));
        }
    }
    let file = app::write_case(&new).map_err(Failure::Init)?;
    print(printer, arguments.format, || text(&new, &file), || value(&new, &file))?;
    Ok(0)
}

/// What to pass to `locard run`: the folder, or the case file itself if it names evidence outside the folder.
fn case<'a>(new: &'a NewCase, file: &'a Path) -> &'a Path {
    match new.case.paths.iter().all(|path| path.starts_with(&new.folder)) {
        true => &new.folder,
        false => file,
    }
}

fn text(new: &NewCase, file: &Path) -> String {
    let shown = |path: &Path| terminal(&path.display().to_string());
    let mut out = format!("wrote {}\n", shown(file));
    for (entry, path) in new.case.entry.evidence.iter().zip(&new.case.paths) {
        let _ = writeln!(out, "  {}: {}", terminal(&entry.label), shown(path));
        if let Some(digest) = entry.expected_sha256 {
            let _ = writeln!(out, "    sha256 {digest}");
        }
    }
    let _ = writeln!(out, "next: set title and time_zone there, then locard run {}", shown(case(new, file)));
    out
}

fn value(new: &NewCase, file: &Path) -> Value {
    let evidence = new.case.entry.evidence.iter().zip(&new.case.paths);
    json!({
        "locard_init": 1,
        "file": file.display().to_string(),
        "run": case(new, file).display().to_string(),
        "evidence": evidence.map(|(entry, path)| json!({
            "label": entry.label,
            "kind": entry.kind,
            "path": path.display().to_string(),
            "expected_sha256": entry.expected_sha256,
        })).collect::<Vec<_>>(),
    })
}
