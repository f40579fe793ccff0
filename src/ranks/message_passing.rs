//! Ranks that are the processes of an MPI job.

use mpi::collective::SystemOperation;
use mpi::datatype::PartitionMut;
use mpi::environment::Universe;
use mpi::point_to_point::MatchedReceiveVec;
use mpi::request::WaitGuard;
use mpi::topology::SimpleCommunicator;
use mpi::traits::{Communicator, CommunicatorCollectives, Destination, Root, Source as From};
use mpi::{Count, Rank, Threading};

use super::{Message, RankError, Ranks, Source, Tag, known};

/// All processes that were started together; a single one without `mpirun`.
///
/// A process that panics ends the whole job, since the others would wait for it for ever. Where a process is killed,
/// or a machine is lost, `mpirun` ends the others.
pub struct World {
    world: SimpleCommunicator,
    /// Finalizes MPI when dropped, so it stands after all other fields.
    _universe: Universe,
}

impl World {
    /// Initializes MPI. The number of processes comes from MPI; the environment is not read. Only the thread that
    /// calls this may use the result.
    ///
    /// # Errors
    /// When MPI was initialized before.
    pub fn begin() -> Result<World, RankError> {
        let begun = mpi::initialize_with_threading(Threading::Funneled);
        let (universe, _) = begun.ok_or(RankError::Twice)?;
        Ok(World {
            world: universe.world(),
            _universe: universe,
        })
    }

    /// Refuses to wait for a message that no other rank could send.
    fn somebody(&self, from: Source) -> Result<(), RankError> {
        match from {
            Source::Rank(rank) => known(self, rank, false),
            Source::Any if self.size() == 1 => Err(RankError::Alone),
            Source::Any => Ok(()),
        }
    }

    /// Returns the name of the MPI library and its version.
    pub fn library() -> String {
        let text = mpi::environment::library_version().unwrap_or_default();
        let line = text.lines().next().unwrap_or_default();
        line.trim_end_matches(['\0', ' ']).to_owned()
    }
}

impl std::fmt::Debug for World {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "process {} of {}", self.rank(), self.size())
    }
}

impl Drop for World {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.world.abort(101);
        }
    }
}

/// Converts a rank to MPI's type, which has 32 bits.
fn number(rank: usize) -> Rank {
    Rank::try_from(rank).unwrap_or(Rank::MAX)
}

/// Refuses a message that is too long for MPI.
fn fits(bytes: usize) -> Result<Count, RankError> {
    Count::try_from(bytes).map_err(|_| RankError::TooLong { bytes })
}

fn message((bytes, status): (Vec<u8>, mpi::point_to_point::Status)) -> Message {
    let from = usize::try_from(status.source_rank()).unwrap_or(0);
    Message { from, bytes }
}

impl Ranks for World {
    fn rank(&self) -> usize {
        usize::try_from(self.world.rank()).unwrap_or(0)
    }

    fn size(&self) -> usize {
        usize::try_from(self.world.size()).unwrap_or(1)
    }

    fn send(&self, to: usize, tag: Tag, bytes: &[u8]) -> Result<(), RankError> {
        known(self, to, false)?;
        fits(bytes.len())?;
        let to = self.world.process_at_rank(number(to));
        to.send_with_tag(bytes, tag.0.into());
        Ok(())
    }

    fn receive(&self, from: Source, tag: Tag) -> Result<Message, RankError> {
        self.somebody(from)?;
        Ok(message(match from {
            Source::Any => self.world.any_process().receive_vec_with_tag(tag.0.into()),
            Source::Rank(rank) => {
                let from = self.world.process_at_rank(number(rank));
                from.receive_vec_with_tag(tag.0.into())
            }
        }))
    }

    fn try_receive(&self, from: Source, tag: Tag) -> Result<Option<Message>, RankError> {
        self.somebody(from)?;
        let tag = tag.0.into();
        let found = match from {
            Source::Any => {
                let any = self.world.any_process();
                any.immediate_matched_probe_with_tag(tag)
            }
            Source::Rank(rank) => {
                let from = self.world.process_at_rank(number(rank));
                from.immediate_matched_probe_with_tag(tag)
            }
        };
        Ok(found.map(|found| message(found.matched_receive_vec())))
    }

    fn exchange_while(
        &self,
        tag: Tag,
        out: &[(usize, &[u8])],
        from: &[usize],
        meanwhile: &mut dyn FnMut(),
    ) -> Result<Vec<Vec<u8>>, RankError> {
        for rank in out.iter().map(|(to, _)| to).chain(from) {
            known(self, *rank, true)?;
        }
        for (_, bytes) in out {
            fits(bytes.len())?;
        }
        let tag = tag.0.into();
        mpi::request::scope(|scope| {
            let mut under_way = Vec::with_capacity(out.len());
            for (to, bytes) in out {
                let to = self.world.process_at_rank(number(*to));
                let request = to.immediate_send_with_tag(scope, *bytes, tag);
                under_way.push(WaitGuard::from(request));
            }
            meanwhile();
            let come = |rank: &usize| {
                let from = self.world.process_at_rank(number(*rank));
                from.receive_vec_with_tag::<u8>(tag).0
            };
            Ok(from.iter().map(come).collect())
            // Every send completes here.
        })
    }

    fn broadcast(&self, root: usize, bytes: &mut Vec<u8>) -> Result<(), RankError> {
        known(self, root, true)?;
        let root = self.world.process_at_rank(number(root));
        let mut length = bytes.len() as u64;
        root.broadcast_into(&mut length);
        // The length is the same on all ranks, and so is a refusal.
        let length = usize::try_from(length).unwrap_or(usize::MAX);
        fits(length)?;
        bytes.resize(length, 0);
        // Open MPI treats an empty send as an error.
        if length > 0 {
            root.broadcast_into(&mut bytes[..]);
        }
        Ok(())
    }

    fn all_gather(&self, bytes: &[u8]) -> Result<Vec<Vec<u8>>, RankError> {
        let mut lengths = vec![0_u64; self.size()];
        self.world
            .all_gather_into(&(bytes.len() as u64), &mut lengths[..]);
        let lengths: Vec<usize> = lengths.iter().map(|n| *n as usize).collect();
        let all = lengths
            .iter()
            .fold(0_usize, |sum, n| sum.saturating_add(*n));
        fits(all)?;
        let counts: Vec<Count> = lengths.iter().map(|n| fits(*n)).collect::<Result<_, _>>()?;
        let starts: Vec<Count> = counts
            .iter()
            .scan(0, |at, count| {
                let start = *at;
                *at += count;
                Some(start)
            })
            .collect();
        let mut together = vec![0_u8; all];
        if all > 0 {
            let mut parts = PartitionMut::new(&mut together[..], counts, starts);
            self.world.all_gather_varcount_into(bytes, &mut parts);
        }
        let mut rest = &together[..];
        Ok(lengths
            .iter()
            .map(|length| {
                let (part, after) = rest.split_at(*length);
                rest = after;
                part.to_vec()
            })
            .collect())
    }

    fn greatest(&self, values: &mut [f64]) -> Result<(), RankError> {
        let number = |x: &f64| if x.is_nan() { f64::INFINITY } else { *x };
        let own: Vec<f64> = values.iter().map(number).collect();
        if !own.is_empty() {
            self.world
                .all_reduce_into(&own[..], values, SystemOperation::max());
        }
        Ok(())
    }

    fn barrier(&self) -> Result<(), RankError> {
        self.world.barrier();
        Ok(())
    }
}
