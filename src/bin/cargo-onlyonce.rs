//! The same program under the name that `cargo onlyonce` looks for.
fn main() -> std::process::ExitCode {
    onlyonce::cli::main()
}
