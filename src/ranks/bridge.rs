//! Lends ranks that only one thread may use to another thread: the first thread does all sending and receiving.

use std::sync::mpsc::{self, Receiver, Sender};
use std::thread;

use super::{Message, RankError, Ranks, Source, Tag};

/// Work for the thread that may use the ranks.
type Job = Box<dyn FnOnce(&dyn Ranks) + Send>;

/// The ranks as the other thread sees them.
#[derive(Debug)]
pub struct Bridge {
    rank: usize,
    size: usize,
    jobs: Sender<Job>,
}

impl Bridge {
    /// Runs `work` in a thread of its own, for which the calling thread sends and receives.
    ///
    /// # Panics
    /// When the work does, with the same message.
    pub fn lend<T: Send>(ranks: &dyn Ranks, work: impl FnOnce(&Bridge) -> T + Send) -> T {
        let (jobs, asked) = mpsc::channel::<Job>();
        let bridge = Bridge {
            rank: ranks.rank(),
            size: ranks.size(),
            jobs,
        };
        thread::scope(|scope| {
            // The loop over jobs ends when the work has ended and dropped the bridge.
            let worker = scope.spawn(move || work(&bridge));
            for job in asked {
                job(ranks);
            }
            let done = worker.join();
            done.unwrap_or_else(|what| std::panic::resume_unwind(what))
        })
    }

    /// Sends a job to the thread that owns the ranks; returns the receiver of its result.
    fn ask<T: Send + 'static>(
        &self,
        what: impl FnOnce(&dyn Ranks) -> T + Send + 'static,
    ) -> Result<Receiver<T>, RankError> {
        let (answer, told) = mpsc::channel();
        let job = move |ranks: &dyn Ranks| {
            // The asking thread waits for the answer, unless it panics.
            let _ = answer.send(what(ranks));
        };
        self.jobs.send(Box::new(job)).map_err(|_| self.gone())?;
        Ok(told)
    }

    /// Sends a job and waits for its result.
    fn done<T: Send + 'static>(
        &self,
        what: impl FnOnce(&dyn Ranks) -> Result<T, RankError> + Send + 'static,
    ) -> Result<T, RankError> {
        self.ask(what)?.recv().map_err(|_| self.gone())?
    }

    fn gone(&self) -> RankError {
        RankError::Gone { rank: self.rank }
    }
}

impl Ranks for Bridge {
    fn rank(&self) -> usize {
        self.rank
    }

    fn size(&self) -> usize {
        self.size
    }

    fn send(&self, to: usize, tag: Tag, bytes: &[u8]) -> Result<(), RankError> {
        let bytes = bytes.to_vec();
        self.done(move |ranks| ranks.send(to, tag, &bytes))
    }

    fn receive(&self, from: Source, tag: Tag) -> Result<Message, RankError> {
        self.done(move |ranks| ranks.receive(from, tag))
    }

    fn try_receive(&self, from: Source, tag: Tag) -> Result<Option<Message>, RankError> {
        self.done(move |ranks| ranks.try_receive(from, tag))
    }

    fn exchange_while(
        &self,
        tag: Tag,
        out: &[(usize, &[u8])],
        from: &[usize],
        meanwhile: &mut dyn FnMut(),
    ) -> Result<Vec<Vec<u8>>, RankError> {
        let out: Vec<(usize, Vec<u8>)> = out.iter().map(|(to, b)| (*to, b.to_vec())).collect();
        let from = from.to_vec();
        let answer = self.ask(move |ranks| {
            let out: Vec<(usize, &[u8])> = out.iter().map(|(to, b)| (*to, &b[..])).collect();
            ranks.exchange(tag, &out, &from)
        })?;
        meanwhile();
        answer.recv().map_err(|_| self.gone())?
    }

    fn broadcast(&self, root: usize, bytes: &mut Vec<u8>) -> Result<(), RankError> {
        let mut all = std::mem::take(bytes);
        *bytes = self.done(move |ranks| ranks.broadcast(root, &mut all).map(|()| all))?;
        Ok(())
    }

    fn all_gather(&self, bytes: &[u8]) -> Result<Vec<Vec<u8>>, RankError> {
        let bytes = bytes.to_vec();
        self.done(move |ranks| ranks.all_gather(&bytes))
    }

    fn barrier(&self) -> Result<(), RankError> {
        self.done(|ranks| ranks.barrier())
    }
}
