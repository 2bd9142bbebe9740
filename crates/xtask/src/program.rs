//! The `locard` program, as started by a chore.

use std::path::Path;
use std::process::Command;

/// Creates a command for the program. It notes no heads of runs that the chore throws away, ignores heads noted earlier,
/// and does not use the user's memory.
#[expect(clippy::disallowed_methods, reason = "a chore starts the program as a person does")]
pub(crate) fn locard(program: &Path) -> Command {
    let mut command = Command::new(program);
    noting_no_heads(&mut command);
    command
}

/// Sets these options for a command that starts the program.
pub(crate) fn noting_no_heads(command: &mut Command) -> &mut Command {
    command.env("LOCARD_NO_HEAD_LOG", "1").env("LOCARD_NO_MEMORY", "1")
}
