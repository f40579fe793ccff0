//! Whether a command is run by several processes that were started together.

use super::failure::Failure;
use crate::ranks::Ranks;

/// What those who start processes together tell each of them: how many there are.
const TOLD: [&str; 3] = [
    // Open MPI.
    "OMPI_COMM_WORLD_SIZE",
    // MPICH, Intel MPI.
    "PMI_SIZE",
    // MVAPICH.
    "MV2_COMM_WORLD_SIZE",
];

/// What the processes are to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Job {
    /// One run.
    Run,
    /// A sweep.
    Sweep,
    /// A part of a sweep that each has for itself.
    Part,
}

/// The processes that were started together, as MPI says.
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

/// This process alone: the program has no MPI to ask.
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

/// Refuses many processes that do not know of each other, each of which would do it all. With a part of its own each is
/// right.
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

/// What went well on all ranks; else all fail, those where it did with their own reason.
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
