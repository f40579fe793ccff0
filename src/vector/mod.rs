//! Vector arithmetic on eight numbers at a time; the only module that names the processor's vector units.
//!
//! A kernel is written once over [`Lanes`], and [`run`] executes it at the best level that the
//! processor supports. Each level performs the same operations in the same order, without fused
//! multiply-add, so that all levels give the same bits.

mod plain;
mod prefetch;
mod sincos;
#[cfg(all(test, target_arch = "x86_64"))]
mod tests;
#[cfg(target_arch = "x86_64")]
mod x86;

pub use plain::Plain;
pub use prefetch::Prefetch;
pub use sincos::sincos;

/// Number of lanes.
pub const LANES: usize = 8;

/// Eight numbers in memory, aligned to a cache line.
#[derive(Clone, Copy, Debug, Default, PartialEq, serde::Serialize, serde::Deserialize)]
#[repr(C, align(64))]
pub struct Row(pub [f64; LANES]);

/// Half a row in registers.
pub trait Half: Copy {
    /// Copies a value to all lanes.
    fn splat(value: f64) -> Self;
    /// Loads an array.
    fn from_array(values: [f64; 4]) -> Self;
    /// Returns the lanes as an array.
    fn to_array(self) -> [f64; 4];
    /// Loads the first half of a row.
    fn load_low(row: &Row) -> Self;
    /// Loads the second half of a row.
    fn load_high(row: &Row) -> Self;
    /// Stores to the first half of a row.
    fn store_low(self, row: &mut Row);
    /// Stores to the second half of a row.
    fn store_high(self, row: &mut Row);
    /// Sum.
    fn add(self, other: Self) -> Self;
    /// Product.
    fn mul(self, other: Self) -> Self;
    /// The greater; `other` where either is NaN.
    fn max(self, other: Self) -> Self;
    /// Copies the last number to all lanes.
    fn last(self) -> Self;
    /// The sum of the squares of the first two numbers, in the first number.
    fn square_of_two(self) -> Self;
    /// The sum of the squares of the first three numbers, in the first number.
    fn square_of_three(self) -> Self;
    /// Replaces the last number by that of `other`.
    fn with_last(self, other: Self) -> Self;
}

/// Eight numbers in registers.
pub trait Lanes: Copy {
    /// Eight truth values.
    type Mask: Copy;
    /// Four numbers.
    type Half: Half;

    /// Copies a value to all lanes.
    fn splat(value: f64) -> Self;
    /// Loads a row.
    fn load(row: &Row) -> Self;
    /// Stores to a row.
    fn store(self, row: &mut Row);
    /// Prefetches the cache line in which an object starts; changes no data.
    #[inline(always)]
    fn prefetch<T>(_at: &T) {}
    /// Prefetches the line at any address into the second-level cache; changes no data.
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
    /// The lesser; `other` where either is NaN.
    fn min(self, other: Self) -> Self;
    /// The greater; `other` where either is NaN.
    fn max(self, other: Self) -> Self;
    /// Flips signs where `signs` is -0.0.
    fn flip(self, signs: Self) -> Self;
    /// Magnitude.
    fn abs(self) -> Self;
    /// Where self < other.
    fn less(self, other: Self) -> Self::Mask;
    /// The lane of `self` where the mask is true, that of `other` elsewhere.
    fn select(self, other: Self, mask: Self::Mask) -> Self;
    /// Zero where the mask is false.
    fn only(self, mask: Self::Mask) -> Self;
    /// A mask as bits; lane 0 is the lowest.
    fn bits(mask: Self::Mask) -> u8;
    /// A mask from bits.
    fn mask(bits: u8) -> Self::Mask;
    /// Transposes rows to columns.
    fn transpose(rows: [Self; LANES]) -> [Self; LANES];

    /// Exchanges columns 2 and 3, and 6 and 7, of a row.
    fn exchanged(self) -> Self;

    /// Both columns of a table of two by index; panics if an index is beyond the table.
    fn gather_two(table: &[[f64; 2]], indices: &[u32; LANES]) -> [Self; 2];
    /// Rows of a table by index; panics if an index is beyond the table.
    fn gather(table: &[Row], indices: &[u32; LANES]) -> [Self; LANES];
    /// Adds to rows of a table, one after the other; panics if an index is beyond the table.
    fn scatter_add(rows: [Self; LANES], table: &mut [Row], indices: &[u32; LANES]);
    /// Like [`scatter_add`](Self::scatter_add), but adds only the first halves of rows; the second halves must be 0.
    fn scatter_add_low(rows: [Self; LANES], table: &mut [Row], indices: &[u32; LANES]);

    /// Loads an array.
    #[inline(always)]
    fn from_array(values: [f64; LANES]) -> Self {
        Self::load(&Row(values))
    }
    /// Returns the lanes as an array.
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

/// A computation written over [`Lanes`]. `run` must be `#[inline(always)]`.
pub trait Kernel {
    /// Result of the computation.
    type Output;
    /// Runs the computation.
    fn run<L: Lanes>(self) -> Self::Output;
}

/// Levels of vector units.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    /// Instructions of every processor of the target.
    Plain,
    /// AVX2.
    Avx2,
    /// AVX-512 F, DQ and VL.
    Avx512,
}

impl Level {
    /// The best level that this processor supports.
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

/// Runs a kernel at a level, or at the best supported level if the processor lacks it.
#[inline(always)]
pub fn run<K: Kernel>(level: Level, kernel: K) -> K::Output {
    #[cfg(target_arch = "x86_64")]
    match level.min(*BEST) {
        Level::Avx512 => return x86::run_avx512(kernel),
        Level::Avx2 => return x86::run_avx2(kernel),
        Level::Plain => {}
    }
    let _ = level;
    run_plain(kernel)
}

/// Runs a kernel in plain Rust, as a function of its own: where a kernel is chosen by contact law, those of all laws
/// would else be compiled as one function, which takes longer than each alone.
#[inline(never)]
fn run_plain<K: Kernel>(kernel: K) -> K::Output {
    kernel.run::<Plain>()
}

#[cfg(target_arch = "x86_64")]
static BEST: std::sync::LazyLock<Level> = std::sync::LazyLock::new(Level::best);
