//! The `arenite` program: see [`arenite::cli`].

use std::process::ExitCode;

fn main() -> ExitCode {
    arenite::cli::main()
}
