//! Messages of numbers, and reductions over all ranks.

use super::{Message, RankError, Ranks, Source, Tag};

/// A number that messages can hold, in little-endian order, so that ranks may run on machines of different kinds.
pub trait Item: Copy {
    /// Length in a message, bytes.
    const BYTES: usize;
    /// Writes it to [`Item::BYTES`] bytes.
    fn put(self, to: &mut [u8]);
    /// Reads it from [`Item::BYTES`] bytes.
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

/// Converts numbers to bytes.
pub fn pack<T: Item>(values: &[T]) -> Vec<u8> {
    let mut bytes = vec![0; values.len() * T::BYTES];
    for (to, value) in bytes.chunks_exact_mut(T::BYTES).zip(values) {
        value.put(to);
    }
    bytes
}

/// Converts bytes to numbers; none if the length is not a multiple of the item's.
pub fn unpack<T: Item>(bytes: &[u8]) -> Option<Vec<T>> {
    let whole = bytes.len().is_multiple_of(T::BYTES);
    whole.then(|| bytes.chunks_exact(T::BYTES).map(T::take).collect())
}

/// Messages of numbers, for every implementation of [`Ranks`].
pub trait Values: Ranks {
    /// Sends numbers: see [`Ranks::send`].
    ///
    /// # Errors
    /// As of [`Ranks::send`].
    fn send_values<T: Item>(&self, to: usize, tag: Tag, values: &[T]) -> Result<(), RankError> {
        self.send(to, tag, &pack(values))
    }

    /// Waits for numbers, returned with their sender: see [`Ranks::receive`].
    ///
    /// # Errors
    /// As of [`Ranks::receive`], and a message that does not hold whole numbers.
    fn receive_values<T: Item>(
        &self,
        from: Source,
        tag: Tag,
    ) -> Result<(usize, Vec<T>), RankError> {
        let Message { from, bytes } = self.receive(from, tag)?;
        Ok((from, whole(from, &bytes)?))
    }

    /// Sends the numbers of `root` to all ranks. Collective.
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

    /// Returns the numbers of every rank, by rank, on all ranks. Collective.
    ///
    /// # Errors
    /// As of [`Ranks::all_gather`], and a message that does not hold whole numbers.
    fn all_gather_values<T: Item>(&self, values: &[T]) -> Result<Vec<Vec<T>>, RankError> {
        let all = self.all_gather(&pack(values))?;
        (0..).zip(&all).map(|(rank, b)| whole(rank, b)).collect()
    }

    /// Sums numbers over all ranks, added in the order of the ranks: the same bits on every rank and in every
    /// implementation. Collective.
    ///
    /// # Errors
    /// As of [`Ranks::all_gather`], and a rank that gives a different count of numbers.
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

    /// Returns the least number of all ranks; NaN if one of them is NaN. Collective.
    ///
    /// # Errors
    /// As of [`Ranks::all_gather`].
    fn least(&self, value: f64) -> Result<f64, RankError> {
        let all = self.all_gather_values(&[value])?;
        let of = |a: f64, b: f64| if b < a || b.is_nan() { b } else { a };
        Ok(all.into_iter().flatten().fold(value, of))
    }

    /// Whether `holds` is true on any rank. Collective.
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
