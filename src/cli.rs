//! The command line: arguments, environment, terminal and exit codes. One file a command under `cli/`.

use std::process::ExitCode;

/// Runs the program on the process's own arguments.
#[must_use]
pub fn main() -> ExitCode {
    ExitCode::SUCCESS
}
