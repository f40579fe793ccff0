//! Threads that share the work of a step.

use std::sync::{Mutex, PoisonError};

/// The thread of a run, and others of its pool.
#[derive(Clone, Copy, Debug)]
pub struct Team {
    threads: usize,
}

impl Team {
    /// A team of so many threads, if the caller belongs to a pool of them; results never depend on their number.
    pub fn new(threads: usize) -> Self {
        Team { threads }
    }

    /// Whether there may be more than one thread.
    pub fn is_of_many(self) -> bool {
        self.threads > 1
    }

    /// Performs each job once. Jobs start in order, so that one may wait for those before it.
    pub fn each<J: Send>(self, jobs: Vec<J>, work: impl Fn(J) + Sync) {
        let helpers = self.threads.min(jobs.len()).saturating_sub(1);
        if helpers == 0 || rayon::current_thread_index().is_none() {
            jobs.into_iter().for_each(work);
            return;
        }
        let jobs = Mutex::new(jobs.into_iter());
        let next = || jobs.lock().unwrap_or_else(PoisonError::into_inner).next();
        let go = || {
            while let Some(job) = next() {
                work(job);
            }
        };
        // A thread of the pool that is not free in time finds no work left, and no other thread waits for it.
        rayon::scope(|scope| {
            for _ in 0..helpers {
                scope.spawn(|_| go());
            }
            go();
        });
    }
}
