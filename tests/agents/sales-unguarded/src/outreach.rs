//! Emails to companies that might become customers.

use std::io;
use std::process::Command;

/// Does what the plan says, a line each.
pub fn write_to_all() -> io::Result<()> {
    for line in std::fs::read_to_string("plan.txt")?.lines() {
        run(line)?;
    }
    Ok(())
}

/// What a line does outside, nobody can tell.
fn run(line: &str) -> io::Result<()> {
    Command::new("sh").arg("-c").arg(line).status()?; //~ undecided-send
    // onlyonce: allow(unguarded-send, reason = "the plan is empty in tests") //~ unused-allow
    Ok(())
}
