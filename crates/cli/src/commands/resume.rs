//! `locard resume`.

use super::any_run_folder;
use super::run::{Begin, Opened, begin_all};
use crate::arguments::ResumeArguments;
use crate::failure::Failure;
use crate::models::{Chooser, Given};
use crate::printer::Printer;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

pub(super) fn execute(arguments: &ResumeArguments, printer: &mut Printer) -> Result<u8, Failure> {
    let open = |name: &String| -> Opened {
        let begin = any_run_folder(name, &arguments.runs)
            .map(|folder| Begin::BrokenOff { folder, evidence: arguments.evidence.clone() });
        (PathBuf::from(name), begin)
    };
    let runs: Vec<Opened> = arguments.names.iter().map(open).collect();
    let given = Given { patience: arguments.patience.map(Duration::from_secs), ..Given::default() };
    let chooser = Arc::new(Chooser::new(given, &arguments.runs));
    begin_all(runs, &arguments.evidence, None, &arguments.work, chooser, printer)
}
