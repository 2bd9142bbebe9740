//! `recycle_bin`: what users moved to the Recycle Bin, and content there of which nothing is told.

use crate::catalogue::Call;
use crate::decode::recycle_bin::orphan;
use crate::error::CallError;
use crate::gather::{self, Gathered};
use crate::intake::Intake;
use crate::returned::Return;
use crate::source_files;

pub(crate) const RECYCLE_BIN: Gathered = Gathered {
    tool: "recycle_bin",
    about: "Gives what users moved to the Recycle Bin, and content there ($R) without the file that tells where it stood ($I).",
    decoders: &["info2", "recycle_bin"],
    artifacts: &[],
};

pub(crate) fn run(call: &Call<'_>) -> Result<Return, CallError> {
    gather::run_with(&RECYCLE_BIN, call, |scope, sink| {
        if call.arguments.optional_text("source").is_some_and(|source| source != "recycle_bin") {
            return Ok(());
        }
        for (tree, node) in source_files::named(scope, call.indexes, "$R*")? {
            if let Some(record) = orphan(tree, &node)?
                && sink.push(record).is_break()
            {
                break;
            }
        }
        Ok(())
    })
}
