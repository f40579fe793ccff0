//! Ranks that are threads of one process.

use std::collections::VecDeque;
use std::sync::{Arc, Condvar, Mutex, MutexGuard};
use std::thread;
use std::time::{Duration, Instant};

use super::{Message, RankError, Ranks, Source, Tag, known};

/// How long a strict rank waits before it reports a deadlock.
const PATIENCE: Duration = Duration::from_secs(20);

/// A rank that is a thread: see [`Threads::run`].
#[derive(Debug)]
pub struct Threads {
    rank: usize,
    shared: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    /// Mailboxes, by rank.
    boxes: Vec<Mailbox>,
    /// Whether a send waits until it is received.
    strict: bool,
}

#[derive(Debug, Default)]
struct Mailbox {
    inside: Mutex<Inside>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct Inside {
    /// Messages that have arrived, in order.
    messages: VecDeque<(Tag, Message)>,
    /// Which ranks have ended.
    ended: Vec<bool>,
    /// Own messages not received yet, by the rank that they were sent to.
    unread: Vec<usize>,
}

impl Mailbox {
    fn lock(&self) -> MutexGuard<'_, Inside> {
        // A panic while the lock was held cannot leave the contents half changed: each change is one step.
        self.inside.lock().unwrap_or_else(|e| e.into_inner())
    }
}

impl Threads {
    /// Runs `work` on `size` ranks, each a thread; returns the results by rank.
    ///
    /// # Panics
    /// When the work of a rank panics: after all have ended, with the message of the first.
    pub fn run<T: Send>(size: usize, work: impl Fn(&Threads) -> T + Sync) -> Vec<T> {
        Self::start(size, false, work)
    }

    /// Like [`Threads::run`], but every send waits until it is received, as MPI's may, and a rank that waits for long
    /// gets [`RankError::Stuck`]: for tests.
    ///
    /// # Panics
    /// As [`Threads::run`].
    pub fn strict<T: Send>(size: usize, work: impl Fn(&Threads) -> T + Sync) -> Vec<T> {
        Self::start(size, true, work)
    }

    fn start<T: Send>(size: usize, strict: bool, work: impl Fn(&Threads) -> T + Sync) -> Vec<T> {
        let mailbox = || Mailbox {
            inside: Mutex::new(Inside {
                ended: vec![false; size],
                unread: vec![0; size],
                ..Inside::default()
            }),
            changed: Condvar::new(),
        };
        let shared = Arc::new(Shared {
            boxes: (0..size).map(|_| mailbox()).collect(),
            strict,
        });
        // All ranks are made before any runs, so that a rank that ends early still counts as having existed.
        let members: Vec<Threads> = (0..size)
            .map(|rank| Threads {
                rank,
                shared: Arc::clone(&shared),
            })
            .collect();
        let work = &work;
        let ended: Vec<thread::Result<T>> = thread::scope(|scope| {
            let threads: Vec<_> = members
                .into_iter()
                // The rank is dropped with its thread, however that ends.
                .map(|member| scope.spawn(move || work(&member)))
                .collect();
            threads.into_iter().map(|thread| thread.join()).collect()
        });
        ended
            .into_iter()
            .map(|result| result.unwrap_or_else(|what| std::panic::resume_unwind(what)))
            .collect()
    }

    /// Puts a message into the mailbox of a rank.
    fn post(&self, to: usize, tag: Tag, bytes: &[u8]) -> Result<(), RankError> {
        if self.shared.strict {
            self.own().lock().unread[to] += 1;
        }
        let mailbox = &self.shared.boxes[to];
        let mut inside = mailbox.lock();
        if inside.ended[to] {
            return Err(RankError::Gone { rank: to });
        }
        let from = self.rank;
        let bytes = bytes.to_vec();
        inside.messages.push_back((tag, Message { from, bytes }));
        drop(inside);
        mailbox.changed.notify_all();
        Ok(())
    }

    /// Waits until every message sent is received, if sends wait.
    fn until_read(&self) -> Result<(), RankError> {
        if !self.shared.strict {
            return Ok(());
        }
        self.wait(|inside| {
            let open = (0..inside.unread.len()).find(|rank| inside.unread[*rank] > 0);
            match open {
                None => Some(Ok(())),
                Some(rank) if inside.ended[rank] => Some(Err(RankError::Gone { rank })),
                Some(_) => None,
            }
        })
    }

    fn own(&self) -> &Mailbox {
        &self.shared.boxes[self.rank]
    }

    /// Waits until `find` returns something in the own mailbox.
    fn wait<T>(
        &self,
        mut find: impl FnMut(&mut Inside) -> Option<Result<T, RankError>>,
    ) -> Result<T, RankError> {
        let mailbox = self.own();
        let since = Instant::now();
        let mut inside = mailbox.lock();
        loop {
            if let Some(found) = find(&mut inside) {
                return found;
            }
            if !self.shared.strict {
                inside = (mailbox.changed.wait(inside)).unwrap_or_else(|e| e.into_inner());
                continue;
            }
            let left = PATIENCE.saturating_sub(since.elapsed());
            if left.is_zero() {
                return Err(RankError::Stuck { own: self.rank });
            }
            let woken = mailbox.changed.wait_timeout(inside, left);
            inside = woken.unwrap_or_else(|e| e.into_inner()).0;
        }
    }

    /// Takes a message out of the own mailbox; an error if none can arrive any more.
    fn take(
        &self,
        inside: &mut Inside,
        from: Source,
        tag: Tag,
    ) -> Option<Result<Message, RankError>> {
        let wanted = |(of, message): &(Tag, Message)| {
            *of == tag && (from == Source::Any || from == Source::Rank(message.from))
        };
        if let Some(index) = inside.messages.iter().position(wanted) {
            return inside
                .messages
                .remove(index)
                .map(|(_, message)| Ok(message));
        }
        let mut others = (0..inside.ended.len()).filter(|rank| *rank != self.rank);
        match from {
            Source::Rank(rank) if inside.ended[rank] => Some(Err(RankError::Gone { rank })),
            Source::Any if others.all(|rank| inside.ended[rank]) => Some(Err(RankError::Alone)),
            _ => None,
        }
    }

    /// Marks a message as received at its sender. The own mailbox is not locked meanwhile, since two ranks may do
    /// this for each other.
    fn tell_read(&self, message: Message) -> Message {
        if self.shared.strict {
            let sender = &self.shared.boxes[message.from];
            sender.lock().unread[self.rank] -= 1;
            sender.changed.notify_all();
        }
        message
    }

    fn check(&self, from: Source) -> Result<(), RankError> {
        match from {
            Source::Rank(rank) => known(self, rank, false),
            Source::Any => Ok(()),
        }
    }

    fn taken(&self, from: Source, tag: Tag) -> Result<Message, RankError> {
        let message = self.wait(|inside| self.take(inside, from, tag))?;
        Ok(self.tell_read(message))
    }
}

impl Drop for Threads {
    fn drop(&mut self) {
        // The own mailbox is closed first: a rank that learns of the end from another mailbox finds it closed.
        let own = std::iter::once(&self.shared.boxes[self.rank]);
        for mailbox in own.chain(&self.shared.boxes) {
            mailbox.lock().ended[self.rank] = true;
            mailbox.changed.notify_all();
        }
    }
}

impl Ranks for Threads {
    fn rank(&self) -> usize {
        self.rank
    }

    fn size(&self) -> usize {
        self.shared.boxes.len()
    }

    fn send(&self, to: usize, tag: Tag, bytes: &[u8]) -> Result<(), RankError> {
        known(self, to, false)?;
        self.post(to, tag, bytes)?;
        self.until_read()
    }

    fn receive(&self, from: Source, tag: Tag) -> Result<Message, RankError> {
        self.check(from)?;
        self.taken(from, tag)
    }

    fn try_receive(&self, from: Source, tag: Tag) -> Result<Option<Message>, RankError> {
        self.check(from)?;
        let found = self.take(&mut self.own().lock(), from, tag).transpose()?;
        Ok(found.map(|message| self.tell_read(message)))
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
        for (to, bytes) in out {
            self.post(*to, tag, bytes)?;
        }
        meanwhile();
        let come = |rank: &usize| Ok(self.taken(Source::Rank(*rank), tag)?.bytes);
        let all = from.iter().map(come).collect::<Result<_, _>>()?;
        self.until_read()?;
        Ok(all)
    }
}
