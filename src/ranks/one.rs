//! A single rank without others.

use super::{Message, RankError, Ranks, Source, Tag, known};

/// A single rank, which sends and receives no messages.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct One;

impl Ranks for One {
    fn rank(&self) -> usize {
        0
    }

    fn size(&self) -> usize {
        1
    }

    fn send(&self, to: usize, _tag: Tag, _bytes: &[u8]) -> Result<(), RankError> {
        known(self, to, false)
    }

    fn receive(&self, from: Source, _tag: Tag) -> Result<Message, RankError> {
        if let Source::Rank(rank) = from {
            known(self, rank, false)?;
        }
        Err(RankError::Alone)
    }

    fn try_receive(&self, from: Source, tag: Tag) -> Result<Option<Message>, RankError> {
        self.receive(from, tag).map(Some)
    }

    fn exchange_while(
        &self,
        _tag: Tag,
        out: &[(usize, &[u8])],
        from: &[usize],
        meanwhile: &mut dyn FnMut(),
    ) -> Result<Vec<Vec<u8>>, RankError> {
        for rank in out.iter().map(|(to, _)| to).chain(from) {
            known(self, *rank, true)?;
        }
        meanwhile();
        if from.len() > out.len() {
            return Err(RankError::Alone);
        }
        Ok(out[..from.len()]
            .iter()
            .map(|(_, bytes)| bytes.to_vec())
            .collect())
    }
}
