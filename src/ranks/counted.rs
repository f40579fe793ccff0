//! Counts the messages of a rank.

use std::cell::Cell;

use super::{Message, RankError, Ranks, Source, Tag};

/// Number of calls and bytes of one rank.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Volume {
    /// Calls that send or receive something, a collective call counting once: each costs at least one latency.
    pub calls: u64,
    /// Bytes received, in any kind of call.
    pub received: u64,
}

/// Ranks that count their messages.
#[derive(Debug)]
pub struct Counted<'a> {
    ranks: &'a dyn Ranks,
    volume: Cell<Volume>,
}

impl<'a> Counted<'a> {
    /// Wraps ranks, with all counts at zero.
    pub fn new(ranks: &'a dyn Ranks) -> Self {
        let volume = Cell::default();
        Counted { ranks, volume }
    }

    /// Returns the counts since the start, or since the last call.
    pub fn take(&self) -> Volume {
        self.volume.take()
    }

    fn note(&self, received: usize) {
        let Volume {
            calls,
            received: before,
        } = self.volume.get();
        self.volume.set(Volume {
            calls: calls + 1,
            received: before + received as u64,
        });
    }
}

impl Ranks for Counted<'_> {
    fn rank(&self) -> usize {
        self.ranks.rank()
    }

    fn size(&self) -> usize {
        self.ranks.size()
    }

    fn send(&self, to: usize, tag: Tag, bytes: &[u8]) -> Result<(), RankError> {
        self.note(0);
        self.ranks.send(to, tag, bytes)
    }

    fn receive(&self, from: Source, tag: Tag) -> Result<Message, RankError> {
        let message = self.ranks.receive(from, tag)?;
        self.note(message.bytes.len());
        Ok(message)
    }

    fn try_receive(&self, from: Source, tag: Tag) -> Result<Option<Message>, RankError> {
        let message = self.ranks.try_receive(from, tag)?;
        if let Some(message) = &message {
            self.note(message.bytes.len());
        }
        Ok(message)
    }

    fn exchange_while(
        &self,
        tag: Tag,
        out: &[(usize, &[u8])],
        from: &[usize],
        meanwhile: &mut dyn FnMut(),
    ) -> Result<Vec<Vec<u8>>, RankError> {
        let all = self.ranks.exchange_while(tag, out, from, meanwhile)?;
        if !(out.is_empty() && from.is_empty()) {
            self.note(all.iter().map(Vec::len).sum());
        }
        Ok(all)
    }

    fn broadcast(&self, root: usize, bytes: &mut Vec<u8>) -> Result<(), RankError> {
        self.ranks.broadcast(root, bytes)?;
        self.note(if self.rank() == root { 0 } else { bytes.len() });
        Ok(())
    }

    fn all_gather(&self, bytes: &[u8]) -> Result<Vec<Vec<u8>>, RankError> {
        let all = self.ranks.all_gather(bytes)?;
        let others = all
            .iter()
            .enumerate()
            .filter(|(rank, _)| *rank != self.rank());
        self.note(others.map(|(_, bytes)| bytes.len()).sum());
        Ok(all)
    }

    fn greatest(&self, values: &mut [f64]) -> Result<(), RankError> {
        self.note(size_of_val(values));
        self.ranks.greatest(values)
    }

    fn barrier(&self) -> Result<(), RankError> {
        self.note(0);
        self.ranks.barrier()
    }
}
