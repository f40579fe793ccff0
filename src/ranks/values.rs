//! Numbers as messages, and what all ranks work out together.

use super::{Message, RankError, Ranks, Source, Tag};

/// A number that messages can hold; little-endian there, so that ranks may be on machines of different kinds.
pub trait Item: Copy {
    /// Its length.
    const BYTES: usize;
    /// Writes it to so many bytes.
    fn put(self, to: &mut [u8]);
    /// Reads it from so many bytes.
    fn take(from: &[u8]) -> Self;
}

macro_rules! item {
    ($($type:ty),*) => {$(
        impl Item for $type {
            const BYTES: usize = size_of::<$type>();
            #[inline]
            fn put(self, to: &mut [u8]) {
                to.copy_from_slice(&self.to_le_bytes());
            }
            #[inline]
            fn take(from: &[u8]) -> Self {
                let mut bytes = [0; size_of::<$type>()];
                bytes.copy_from_slice(from);
                <$type>::from_le_bytes(bytes)
            }
        }
    )*};
}

item!(f64, u64, i64, u32, u8);

/// Numbers as bytes.
pub fn pack<T: Item>(values: &[T]) -> Vec<u8> {
    let mut bytes = vec![0; values.len() * T::BYTES];
    for (to, value) in bytes.chunks_exact_mut(T::BYTES).zip(values) {
        value.put(to);
    }
    bytes
}

/// Bytes as numbers; none if they do not come out even.
pub fn unpack<T: Item>(bytes: &[u8]) -> Option<Vec<T>> {
    let whole = bytes.len().is_multiple_of(T::BYTES);
    whole.then(|| bytes.chunks_exact(T::BYTES).map(T::take).collect())
}

/// Messages of numbers, for all that has ranks.
pub trait Values: Ranks {
    /// Sends numbers: see [`Ranks::send`].
    ///
    /// # Errors
    /// As there.
    fn send_values<T: Item>(&self, to: usize, tag: Tag, values: &[T]) -> Result<(), RankError> {
        self.send(to, tag, &pack(values))
    }

    /// Waits for numbers, with who sent them: see [`Ranks::receive`].
    ///
    /// # Errors
    /// As there, and a message that does not hold whole numbers.
    fn receive_values<T: Item>(
        &self,
        from: Source,
        tag: Tag,
    ) -> Result<(usize, Vec<T>), RankError> {
        let Message { from, bytes } = self.receive(from, tag)?;
        Ok((from, whole(from, &bytes)?))
    }

    /// Brings the numbers of `root` to all. Collective.
    ///
    /// # Errors
    /// As of [`Ranks::broadcast`], and a message that does not hold whole numbers.
    fn broadcast_values<T: Item>(&self, root: usize, values: &mut Vec<T>) -> Result<(), RankError> {
        let mut bytes = match self.rank() == root {
            true => pack(values),
            false => Vec::new(),
        };
        self.broadcast(root, &mut bytes)?;
        if self.rank() != root {
            *values = whole(root, &bytes)?;
        }
        Ok(())
    }

    /// The numbers of each rank, by rank, to all. Collective.
    ///
    /// # Errors
    /// As of [`Ranks::all_gather`], and a message that does not hold whole numbers.
    fn all_gather_values<T: Item>(&self, values: &[T]) -> Result<Vec<Vec<T>>, RankError> {
        let all = self.all_gather(&pack(values))?;
        (0..).zip(&all).map(|(rank, b)| whole(rank, b)).collect()
    }

    /// Sums of numbers over all ranks, each added in the order of the ranks: the same bits on every rank and over every
    /// implementation. Collective.
    ///
    /// # Errors
    /// As of [`Ranks::all_gather`], and a rank that gives another number of them.
    fn sum(&self, values: &mut [f64]) -> Result<(), RankError> {
        let all = self.all_gather_values(values)?;
        for (rank, theirs) in all.iter().enumerate() {
            if theirs.len() != values.len() {
                return Err(garbled(rank, theirs.len() * f64::BYTES));
            }
            for (value, theirs) in values.iter_mut().zip(theirs) {
                *value = if rank == 0 { *theirs } else { *value + theirs };
            }
        }
        Ok(())
    }

    /// The least of all ranks' numbers; not a number if one is none. Collective.
    ///
    /// # Errors
    /// As of [`Ranks::all_gather`].
    fn least(&self, value: f64) -> Result<f64, RankError> {
        let all = self.all_gather_values(&[value])?;
        let of = |a: f64, b: f64| if b < a || b.is_nan() { b } else { a };
        Ok(all.into_iter().flatten().fold(value, of))
    }

    /// Whether something is so on any rank. Collective.
    ///
    /// # Errors
    /// As of [`Ranks::all_gather`].
    fn any(&self, holds: bool) -> Result<bool, RankError> {
        let all = self.all_gather(&[u8::from(holds)])?;
        Ok(all.iter().flatten().any(|told| *told != 0))
    }
}

impl<R: Ranks + ?Sized> Values for R {}

fn whole<T: Item>(rank: usize, bytes: &[u8]) -> Result<Vec<T>, RankError> {
    unpack(bytes).ok_or_else(|| garbled(rank, bytes.len()))
}

fn garbled(rank: usize, bytes: usize) -> RankError {
    RankError::Garbled { rank, bytes }
}
