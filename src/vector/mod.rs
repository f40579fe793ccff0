//! Eight numbers at a time: the one place where the processor's vector units are named.
//!
//! A kernel is written once over [`Lanes`] and run by [`run`] at the best level that the
//! processor has. Each level does the same operations in the same order, without fused
//! multiply-add, so that all levels give the same bits.

mod plain;
mod sincos;
mod soon;
#[cfg(all(test, target_arch = "x86_64"))]
mod tests;
#[cfg(target_arch = "x86_64")]
mod x86;

pub use plain::Plain;
pub use sincos::sincos;
pub use soon::Soon;

/// Number of lanes.
pub const LANES: usize = 8;

/// Eight numbers in memory, on a cache line of their own.
#[derive(Clone, Copy, Debug, Default, PartialEq, serde::Serialize, serde::Deserialize)]
#[repr(C, align(64))]
pub struct Row(pub [f64; LANES]);

/// Half a row in registers.
pub trait Half: Copy {
    /// All lanes alike.
    fn splat(value: f64) -> Self;
    /// From an array.
    fn from_array(values: [f64; 4]) -> Self;
    /// As an array.
    fn to_array(self) -> [f64; 4];
    /// The first half of a row.
    fn load_low(row: &Row) -> Self;
    /// The second half of a row.
    fn load_high(row: &Row) -> Self;
    /// To the first half of a row.
    fn store_low(self, row: &mut Row);
    /// To the second half of a row.
    fn store_high(self, row: &mut Row);
    /// Sum.
    fn add(self, other: Self) -> Self;
    /// Product.
    fn mul(self, other: Self) -> Self;
    /// The greater; `other` where either is not a number.
    fn max(self, other: Self) -> Self;
    /// The last number in all lanes.
    fn last(self) -> Self;
    /// The sum of the squares of the first two numbers, in the first number.
    fn square_of_two(self) -> Self;
    /// The sum of the squares of the first three numbers, in the first number.
    fn square_of_three(self) -> Self;
    /// The last number from another.
    fn with_last(self, other: Self) -> Self;
}

/// Eight numbers in registers.
pub trait Lanes: Copy {
    /// Eight truth values.
    type Mask: Copy;
    /// Four numbers.
    type Half: Half;

    /// All lanes alike.
    fn splat(value: f64) -> Self;
    /// From memory.
    fn load(row: &Row) -> Self;
    /// To memory.
    fn store(self, row: &mut Row);
    /// Asks for the line in which something starts that will be wanted soon; changes nothing.
    #[inline(always)]
    fn prefetch<T>(_at: &T) {}
    /// Asks for the line at an address, which may be any, to be brought into the second cache; changes nothing.
    #[inline(always)]
    fn ask(_address: usize) {}
    /// Sum.
    fn add(self, other: Self) -> Self;
    /// Difference.
    fn sub(self, other: Self) -> Self;
    /// Product.
    fn mul(self, other: Self) -> Self;
    /// Quotient.
    fn div(self, other: Self) -> Self;
    /// Square root.
    fn sqrt(self) -> Self;
    /// The lesser; `other` where either is not a number.
    fn min(self, other: Self) -> Self;
    /// The greater; `other` where either is not a number.
    fn max(self, other: Self) -> Self;
    /// Signs flipped where `signs` is -0.0.
    fn flip(self, signs: Self) -> Self;
    /// Magnitude.
    fn abs(self) -> Self;
    /// Where self < other.
    fn less(self, other: Self) -> Self::Mask;
    /// The lane of `self` where true, that of `other` elsewhere.
    fn select(self, other: Self, mask: Self::Mask) -> Self;
    /// Zero where the mask is false.
    fn only(self, mask: Self::Mask) -> Self;
    /// A mask as bits, lane 0 lowest.
    fn bits(mask: Self::Mask) -> u8;
    /// A mask from bits.
    fn mask(bits: u8) -> Self::Mask;
    /// Rows to columns.
    fn transpose(rows: [Self; LANES]) -> [Self; LANES];

    /// Columns 2 and 3, and 6 and 7, of a row exchanged.
    fn exchanged(self) -> Self;

    /// Both columns of a table of two by index; panics where an index lies beyond the table.
    fn gather_two(table: &[[f64; 2]], indices: &[u32; LANES]) -> [Self; 2];
    /// Rows of a table by index; panics where an index lies beyond the table.
    fn gather(table: &[Row], indices: &[u32; LANES]) -> [Self; LANES];
    /// Adds to rows of a table, one after the other; panics where an index lies beyond the table.
    fn scatter_add(rows: [Self; LANES], table: &mut [Row], indices: &[u32; LANES]);
    /// The same with the first halves of rows only, to first halves; those after them must be 0.
    fn scatter_add_low(rows: [Self; LANES], table: &mut [Row], indices: &[u32; LANES]);

    /// From an array.
    #[inline(always)]
    fn from_array(values: [f64; LANES]) -> Self {
        Self::load(&Row(values))
    }
    /// As an array.
    #[inline(always)]
    fn to_array(self) -> [f64; LANES] {
        let mut row = Row::default();
        self.store(&mut row);
        row.0
    }
    /// Sum of the lanes, in a fixed order.
    #[inline(always)]
    fn total(self) -> f64 {
        let a = self.to_array();
        ((a[0] + a[4]) + (a[2] + a[6])) + ((a[1] + a[5]) + (a[3] + a[7]))
    }
}

/// A piece of work written over [`Lanes`]. `run` must be `#[inline(always)]`.
pub trait Kernel {
    /// What it gives.
    type Output;
    /// The work.
    fn run<L: Lanes>(self) -> Self::Output;
}

/// Levels of vector units.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    /// What every processor of the target has.
    Plain,
    /// AVX2.
    Avx2,
    /// AVX-512 F, DQ and VL.
    Avx512,
}

impl Level {
    /// The best level here.
    pub fn best() -> Level {
        #[cfg(target_arch = "x86_64")]
        {
            if is_x86_feature_detected!("avx512f")
                && is_x86_feature_detected!("avx512dq")
                && is_x86_feature_detected!("avx512vl")
                && is_x86_feature_detected!("avx2")
            {
                return Level::Avx512;
            }
            if is_x86_feature_detected!("avx2") {
                return Level::Avx2;
            }
        }
        Level::Plain
    }
}

/// Runs a kernel at a level; a level that the processor lacks falls back to the best it has.
#[inline(always)]
pub fn run<K: Kernel>(level: Level, kernel: K) -> K::Output {
    #[cfg(target_arch = "x86_64")]
    match level.min(*BEST) {
        Level::Avx512 => return x86::run_avx512(kernel),
        Level::Avx2 => return x86::run_avx2(kernel),
        Level::Plain => {}
    }
    let _ = level;
    kernel.run::<Plain>()
}

static BEST: std::sync::LazyLock<Level> = std::sync::LazyLock::new(Level::best);
