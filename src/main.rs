//! The program; everything is in the library.

/// A scan makes and drops millions of small nodes on all cores.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> std::process::ExitCode {
    onlyonce::cli::main()
}
