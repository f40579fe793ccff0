//! The `arenite` program: see [`arenite::cli`].

use std::process::ExitCode;

fn main() -> ExitCode {
    let r = arenite::cli::main();
    let c: Vec<u64> = arenite::stress::packing::near::COUNT.iter().map(|c| c.load(std::sync::atomic::Ordering::Relaxed)).collect();
    eprintln!("sessions {} passes {} redo {} rounds {} slides {} watched-rounds {} axpy {} dots {} halves {} watched at look {} lost {} lost rounds {}", c[0],c[1],c[2],c[3],c[4],c[5],c[6],c[7],c[8],c[9],c[10],c[11]);
    r
}
