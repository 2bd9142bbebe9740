//! The program, as a chore starts it.

use std::path::Path;
use std::process::Command;

/// The program, which notes no head of a run that the chore throws away, and knows of none that somebody noted; nor has it the memory of whoever starts the chore.
#[expect(clippy::disallowed_methods, reason = "a chore starts the program as a person does")]
pub(crate) fn locard(program: &Path) -> Command {
    let mut command = Command::new(program);
    noting_no_heads(&mut command);
    command
}

/// The same for a command that starts the program.
pub(crate) fn noting_no_heads(command: &mut Command) -> &mut Command {
    command.env("LOCARD_NO_HEAD_LOG", "1").env("LOCARD_NO_MEMORY", "1")
}
