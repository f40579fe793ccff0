//! Messages between ranks: processes of an MPI job, threads of one process, or a single rank.
//!
//! A rank is a worker with a number, from 0; all ranks run the same code on their own part and communicate by
//! messages of bytes. Code that works over ranks is written for the trait [`Ranks`] and runs unchanged over
//!
//! - [`One`]: a single rank, the common case;
//! - [`Threads`]: ranks that are threads of this process, so that the code is tested without MPI;
//! - `World` (with the feature `mpi`): the processes that `mpirun` started.
//!
//! **Deadlocks.** A [`Ranks::send`] may wait until the other side receives, as MPI's may for long messages. Two ranks
//! that send to each other would then both wait. Code that sends and receives at once therefore calls
//! [`Ranks::exchange`], which hands over all outgoing messages before it waits. `Threads::strict` makes every send
//! wait: code that passes there deadlocks on no MPI.
//!
//! **Bits.** Messages move bytes and change none. Sums go in the order of the ranks ([`Values::sum`]) in every
//! implementation of the trait: MPI's own reductions may associate in any order, and are not used.

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

/// Subject of a message: a receive accepts only messages of its tag.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Tag(u16);

impl Tag {
    /// Returns a tag for a user of ranks.
    pub const fn new(number: u8) -> Tag {
        Tag(number as u16)
    }

    /// Tag of this module's own messages.
    const OWN: Tag = Tag(256);
}

/// Sender of an awaited message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    /// This rank.
    Rank(usize),
    /// Any rank; the first message that arrives.
    Any,
}

/// A received message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Message {
    /// The rank that sent it.
    pub from: usize,
    /// The contents.
    pub bytes: Vec<u8>,
}

/// Reason why a message cannot be sent or received.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RankError {
    /// The rank has ended, and no awaited message of it is left. (MPI does not report this: there the job ends.)
    #[error("rank {rank} has ended")]
    Gone {
        /// The rank that has ended.
        rank: usize,
    },
    /// No rank is left that could send.
    #[error("all other ranks have ended")]
    Alone,
    /// A rank that does not exist, or the own rank where another one is meant.
    #[error("rank {rank} cannot be asked by rank {own} of {size}")]
    NoSuch {
        /// The rank that was named.
        rank: usize,
        /// The rank that made the call.
        own: usize,
        /// Number of ranks.
        size: usize,
    },
    /// A message that does not have the expected form.
    #[error("rank {rank} sent {bytes} bytes, which are not what was awaited")]
    Garbled {
        /// The rank that sent it.
        rank: usize,
        /// Length of the message, bytes.
        bytes: usize,
    },
    /// A message longer than the maximum.
    #[error("{bytes} bytes are too many for one message; at most {}", i32::MAX)]
    TooLong {
        /// Length of the message, bytes.
        bytes: usize,
    },
    /// Every rank waits for another; reported only by `Threads::strict`.
    #[error("rank {own} has waited in vain: the ranks wait for each other")]
    Stuck {
        /// The rank that detected it.
        own: usize,
    },
    /// MPI can be initialized only once in a process.
    #[error("MPI was begun before in this process")]
    Twice,
}

/// Messages between ranks, as seen by one rank. Messages from one rank to another with one tag arrive in the order in
/// which they were sent. All ranks call the collective methods (broadcast, all-gather, barrier), in the same order.
pub trait Ranks {
    /// Returns the number of this rank, from 0.
    fn rank(&self) -> usize;

    /// Returns the number of ranks.
    fn size(&self) -> usize;

    /// Sends to another rank. May wait until that rank receives.
    ///
    /// # Errors
    /// A rank that does not exist or has ended, or a message that is too long.
    fn send(&self, to: usize, tag: Tag, bytes: &[u8]) -> Result<(), RankError>;

    /// Waits for a message of another rank.
    ///
    /// # Errors
    /// A rank that does not exist, or that ended without sending it.
    fn receive(&self, from: Source, tag: Tag) -> Result<Message, RankError>;

    /// Returns a message that has already arrived, if any. Does not wait.
    ///
    /// # Errors
    /// As of [`Ranks::receive`].
    fn try_receive(&self, from: Source, tag: Tag) -> Result<Option<Message>, RankError>;

    /// Sends messages to ranks and receives one message from each rank of `from`, returned in that order; calls
    /// `meanwhile` while the messages are under way. Never deadlocks if every message sent is awaited in an exchange
    /// of the same tag. The own rank may be among both: a domain may be its own neighbour.
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

    /// Exchanges messages with no work meanwhile.
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

    /// Sends the bytes of `root` to all ranks. Collective.
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

    /// Returns the bytes of every rank, by rank, on all ranks. Collective.
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

    /// Replaces each number by the greatest over all ranks, which does not depend on the order; NaN counts as
    /// infinity. Collective.
    ///
    /// # Errors
    /// As of [`Ranks::all_gather`], and a rank that gives a different count of numbers.
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

    /// Waits until all ranks have called it. Collective.
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

/// Refuses a rank that does not exist.
fn known<R: Ranks + ?Sized>(ranks: &R, rank: usize, own_too: bool) -> Result<(), RankError> {
    let (own, size) = (ranks.rank(), ranks.size());
    match rank < size && (own_too || rank != own) {
        true => Ok(()),
        false => Err(RankError::NoSuch { rank, own, size }),
    }
}
