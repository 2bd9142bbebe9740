//! `locard resume`.

use super::run::{Begin, Opened, begin_all};
use super::run_folder;
use crate::arguments::ResumeArguments;
use crate::failure::Failure;
use crate::printer::Printer;
use std::path::PathBuf;
use std::sync::Arc;

pub(super) fn execute(arguments: &ResumeArguments, printer: &mut Printer) -> Result<u8, Failure> {
    let open = |name: &String| -> Opened {
        let begin = run_folder(name, &arguments.runs)
            .map(|folder| Begin::BrokenOff { folder, evidence: arguments.evidence.clone() });
        (PathBuf::from(name), begin)
    };
    let runs: Vec<Opened> = arguments.names.iter().map(open).collect();
    begin_all(runs, &arguments.evidence, None, &arguments.work, Arc::default(), printer)
}
