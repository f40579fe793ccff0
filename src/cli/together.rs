//! Detects whether several processes that were started together run the command.

use super::failure::Failure;
use crate::ranks::Ranks;

/// Environment variables in which process launchers give the number of processes.
const TOLD: [&str; 3] = [
    // Open MPI.
    "OMPI_COMM_WORLD_SIZE",
    // MPICH, Intel MPI.
    "PMI_SIZE",
    // MVAPICH.
    "MV2_COMM_WORLD_SIZE",
];

/// Task of the processes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Job {
    /// One run.
    Run,
    /// A sweep.
    Sweep,
    /// A part of a sweep, different for each process.
    Part,
}

/// Returns the processes that were started together, from MPI.
#[cfg(feature = "mpi")]
pub(super) fn begin(job: Job) -> Result<crate::ranks::World, Failure> {
    let ranks = crate::ranks::World::begin().map_err(failed)?;
    alone(
        job,
        &ranks,
        "the program found none of the others: `mpirun` is of another MPI library than the one that the program was built with",
    )?;
    Ok(ranks)
}

/// Returns a single process: the program was built without MPI.
#[cfg(not(feature = "mpi"))]
pub(super) fn begin(job: Job) -> Result<crate::ranks::One, Failure> {
    let ranks = crate::ranks::One;
    alone(
        job,
        &ranks,
        "this program was built without MPI: build it with `cargo build --release --features mpi` (docs/ranks.md)",
    )?;
    Ok(ranks)
}

/// Refuses several processes that do not know of each other, each of which would do all the work. It is correct if
/// each has a part of its own.
fn alone(job: Job, ranks: &dyn Ranks, why: &str) -> Result<(), Failure> {
    if ranks.size() > 1 || job == Job::Part {
        return Ok(());
    }
    let told = TOLD.iter().find_map(|name| {
        let count: u32 = std::env::var(name).ok()?.trim().parse().ok()?;
        (count > 1).then_some((name, count))
    });
    match told {
        None => Ok(()),
        Some((name, count)) => {
            let or = match job {
                Job::Run => String::new(),
                _ => format!(
                    "; or give each a part with --shard I/{count}, or --shard 1/1 to have each run a sweep of its own"
                ),
            };
            Err(Failure::Input(format!(
                "{count} processes were started together ({name}), but {why}{or}"
            )))
        }
    }
}

/// Returns the value if all ranks succeeded; else all fail, and failed ranks keep their own reason.
pub(super) fn agreed<T>(ranks: &dyn Ranks, own: Result<T, Failure>) -> Result<T, Failure> {
    if ranks.size() == 1 {
        return own;
    }
    let said = own.as_ref().err().map_or(String::new(), Failure::text);
    let all = ranks.all_gather(said.as_bytes()).map_err(failed)?;
    let own = own?;
    match all.iter().position(|said| !said.is_empty()) {
        None => Ok(own),
        Some(rank) => {
            let said = String::from_utf8_lossy(&all[rank]);
            Err(Failure::Run(format!("rank {rank}: {said}")))
        }
    }
}

fn failed(error: crate::ranks::RankError) -> Failure {
    Failure::Run(format!("messages between ranks failed: {error}"))
}
