//! Messages between ranks: processes of an MPI job, threads of one process, or one rank alone.
//!
//! A rank is a worker with a number, from 0; all ranks run the same code on what is theirs and talk by messages of bytes.
//! What works over ranks is written over the trait [`Ranks`] and runs unchanged over
//!
//! - [`One`]: a single rank, the everyday case;
//! - [`Threads`]: ranks that are threads of this process, so that all of it is tested without MPI;
//! - `World` (with the feature `mpi`): the processes that `mpirun` started.
//!
//! **Deadlocks.** A [`Ranks::send`] may wait until the other side receives, as MPI's may for long messages. Two ranks that send to each
//! other both wait then. So who sends and receives at once calls [`Ranks::exchange`], which hands over all that goes out before
//! it waits. `Threads::strict` has every send wait: what passes there hangs on no MPI.
//!
//! **Bits.** Messages move bytes and change none. Sums go in the order of the ranks ([`Values::sum`]), whoever made the
//! trait's methods: MPI's own reductions may associate as they like, and are not used.

mod bridge;
mod counted;
#[cfg(feature = "mpi")]
mod message_passing;
mod one;
mod threads;
mod values;

pub use bridge::Bridge;
pub use counted::{Counted, Volume};
#[cfg(feature = "mpi")]
pub use message_passing::World;
pub use one::One;
pub use threads::Threads;
pub use values::{Item, Values, pack, unpack};

/// What a message is about: a receive takes only messages of its tag.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Tag(u16);

impl Tag {
    /// A tag of a user of ranks.
    pub const fn new(number: u8) -> Tag {
        Tag(number as u16)
    }

    /// Of this module's own messages.
    const OWN: Tag = Tag(256);
}

/// Whose message is awaited.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    /// This rank's.
    Rank(usize),
    /// The first that is there.
    Any,
}

/// A message that came.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Message {
    /// Who sent it.
    pub from: usize,
    /// What it says.
    pub bytes: Vec<u8>,
}

/// Why a message cannot go or come.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RankError {
    /// The rank has ended, and nothing of what is awaited is left of it. (MPI does not tell: there the job ends.)
    #[error("rank {rank} has ended")]
    Gone {
        /// Which.
        rank: usize,
    },
    /// Nobody is left who could send.
    #[error("all other ranks have ended")]
    Alone,
    /// A rank that is not there, or the own one where another is meant.
    #[error("rank {rank} cannot be asked by rank {own} of {size}")]
    NoSuch {
        /// Which.
        rank: usize,
        /// Who asked.
        own: usize,
        /// How many there are.
        size: usize,
    },
    /// A message that is not of the form that was awaited.
    #[error("rank {rank} sent {bytes} bytes, which are not what was awaited")]
    Garbled {
        /// Who sent it.
        rank: usize,
        /// Its length.
        bytes: usize,
    },
    /// More than one message can hold.
    #[error("{bytes} bytes are too many for one message; at most {}", i32::MAX)]
    TooLong {
        /// Its length.
        bytes: usize,
    },
    /// Every rank waits for another; told only by `Threads::strict`.
    #[error("rank {own} has waited in vain: the ranks wait for each other")]
    Stuck {
        /// Who noticed.
        own: usize,
    },
    /// MPI can be begun once in the life of a process.
    #[error("MPI was begun before in this process")]
    Twice,
}

/// Messages between ranks, as seen by one of them. Messages of one rank to another with one tag come in the order in which they
/// were sent. Collective methods (broadcast, all-gather, barrier) are called by all ranks, in the same order.
pub trait Ranks {
    /// The own number, from 0.
    fn rank(&self) -> usize;

    /// How many ranks there are.
    fn size(&self) -> usize;

    /// Sends to another rank. May wait until that one receives.
    ///
    /// # Errors
    /// A rank that is not there or has ended, or a message that is too long.
    fn send(&self, to: usize, tag: Tag, bytes: &[u8]) -> Result<(), RankError>;

    /// Waits for a message of another rank.
    ///
    /// # Errors
    /// A rank that is not there, or that ended without sending it.
    fn receive(&self, from: Source, tag: Tag) -> Result<Message, RankError>;

    /// A message that is there already; none if there is none. Does not wait.
    ///
    /// # Errors
    /// As of [`Ranks::receive`].
    fn try_receive(&self, from: Source, tag: Tag) -> Result<Option<Message>, RankError>;

    /// Sends messages to ranks and receives one of each rank of `from`, given back in that order; `meanwhile` is done while the
    /// messages are under way. Never deadlocks if every message sent is awaited in an exchange of the same tag. The own rank may be
    /// among both: a domain may be its own neighbour.
    ///
    /// # Errors
    /// As of [`Ranks::send`] and [`Ranks::receive`].
    fn exchange_while(
        &self,
        tag: Tag,
        out: &[(usize, &[u8])],
        from: &[usize],
        meanwhile: &mut dyn FnMut(),
    ) -> Result<Vec<Vec<u8>>, RankError>;

    /// The same, with nothing to do meanwhile.
    ///
    /// # Errors
    /// As of [`Ranks::exchange_while`].
    fn exchange(
        &self,
        tag: Tag,
        out: &[(usize, &[u8])],
        from: &[usize],
    ) -> Result<Vec<Vec<u8>>, RankError> {
        self.exchange_while(tag, out, from, &mut || {})
    }

    /// Brings what `root` has to all ranks. Collective.
    ///
    /// # Errors
    /// As of [`Ranks::send`] and [`Ranks::receive`].
    fn broadcast(&self, root: usize, bytes: &mut Vec<u8>) -> Result<(), RankError> {
        if self.rank() == root {
            for to in (0..self.size()).filter(|to| *to != root) {
                self.send(to, Tag::OWN, bytes)?;
            }
        } else {
            *bytes = self.receive(Source::Rank(root), Tag::OWN)?.bytes;
        }
        Ok(())
    }

    /// What each rank gives, by rank, to all. Collective.
    ///
    /// # Errors
    /// As of [`Ranks::exchange`].
    fn all_gather(&self, bytes: &[u8]) -> Result<Vec<Vec<u8>>, RankError> {
        let others: Vec<usize> = (0..self.size())
            .filter(|rank| *rank != self.rank())
            .collect();
        let out: Vec<(usize, &[u8])> = others.iter().map(|to| (*to, bytes)).collect();
        let mut all = self.exchange(Tag::OWN, &out, &others)?;
        all.insert(self.rank(), bytes.to_vec());
        Ok(all)
    }

    /// Number by number the greatest of all ranks, which is the same in any order; what is no number counts as infinity. Collective.
    ///
    /// # Errors
    /// As of [`Ranks::all_gather`], and a rank that gives another number of them.
    fn greatest(&self, values: &mut [f64]) -> Result<(), RankError> {
        let number = |x: f64| if x.is_nan() { f64::INFINITY } else { x };
        for (rank, bytes) in self.all_gather(&pack(values))?.iter().enumerate() {
            let theirs: Option<Vec<f64>> =
                unpack(bytes).filter(|v: &Vec<f64>| v.len() == values.len());
            let theirs = theirs.ok_or(RankError::Garbled {
                rank,
                bytes: bytes.len(),
            })?;
            for (value, theirs) in values.iter_mut().zip(theirs) {
                *value = number(*value).max(number(theirs));
            }
        }
        Ok(())
    }

    /// Waits until all ranks are here. Collective.
    ///
    /// # Errors
    /// As of [`Ranks::all_gather`].
    fn barrier(&self) -> Result<(), RankError> {
        self.all_gather(&[]).map(drop)
    }
}

impl std::fmt::Debug for dyn Ranks + Sync + '_ {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "rank {} of {}", self.rank(), self.size())
    }
}

impl std::fmt::Debug for dyn Ranks + '_ {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "rank {} of {}", self.rank(), self.size())
    }
}

/// Refuses a rank that is not among all.
fn known<R: Ranks + ?Sized>(ranks: &R, rank: usize, own_too: bool) -> Result<(), RankError> {
    let (own, size) = (ranks.rank(), ranks.size());
    match rank < size && (own_too || rank != own) {
        true => Ok(()),
        false => Err(RankError::NoSuch { rank, own, size }),
    }
}
