//! Lanes in plain Rust: the reference for the other levels.

use super::{Half, LANES, Lanes, Row};

/// Eight numbers in an array.
#[derive(Clone, Copy, Debug)]
pub struct Plain([f64; LANES]);

/// An array with a value for each lane. Written out: as a loop for each operation, kernels, into which all operations
/// are inlined before any loop is unrolled, take the compiler several times as long.
macro_rules! lanes {
    ($k:ident => $value:expr) => {
        lanes!(@ $k, $value, 0 1 2 3 4 5 6 7)
    };
    (@ $k:ident, $value:expr, $($lane:literal)+) => {
        [$({
            const $k: usize = $lane;
            $value
        }),+]
    };
}

/// Eight numbers by their lane.
macro_rules! each {
    ($k:ident => $value:expr) => {
        Plain(lanes!($k => $value))
    };
}

impl Lanes for Plain {
    type Mask = [bool; LANES];
    type Half = PlainHalf;

    #[inline(always)]
    fn splat(value: f64) -> Self {
        Plain([value; LANES])
    }
    #[inline(always)]
    fn load(row: &Row) -> Self {
        Plain(row.0)
    }
    #[inline(always)]
    fn store(self, row: &mut Row) {
        row.0 = self.0;
    }
    #[inline(always)]
    fn add(self, o: Self) -> Self {
        each!(K => self.0[K] + o.0[K])
    }
    #[inline(always)]
    fn sub(self, o: Self) -> Self {
        each!(K => self.0[K] - o.0[K])
    }
    #[inline(always)]
    fn mul(self, o: Self) -> Self {
        each!(K => self.0[K] * o.0[K])
    }
    #[inline(always)]
    fn div(self, o: Self) -> Self {
        each!(K => self.0[K] / o.0[K])
    }
    #[inline(always)]
    fn sqrt(self) -> Self {
        each!(K => self.0[K].sqrt())
    }
    // Written out instead of `f64::min`: the vector units return the second operand if the two
    // compare equal or unordered.
    #[inline(always)]
    fn min(self, o: Self) -> Self {
        each!(K => if self.0[K] < o.0[K] { self.0[K] } else { o.0[K] })
    }
    #[inline(always)]
    fn max(self, o: Self) -> Self {
        each!(K => if self.0[K] > o.0[K] { self.0[K] } else { o.0[K] })
    }
    #[inline(always)]
    fn flip(self, signs: Self) -> Self {
        each!(K => f64::from_bits(self.0[K].to_bits() ^ signs.0[K].to_bits()))
    }
    #[inline(always)]
    fn abs(self) -> Self {
        each!(K => self.0[K].abs())
    }
    #[inline(always)]
    fn less(self, o: Self) -> Self::Mask {
        lanes!(K => self.0[K] < o.0[K])
    }
    #[inline(always)]
    fn select(self, o: Self, mask: Self::Mask) -> Self {
        each!(K => if mask[K] { self.0[K] } else { o.0[K] })
    }
    #[inline(always)]
    fn only(self, mask: Self::Mask) -> Self {
        each!(K => if mask[K] { self.0[K] } else { 0.0 })
    }
    #[inline(always)]
    fn bits(mask: Self::Mask) -> u8 {
        let [a, b, c, d, e, f, g, h] = lanes!(K => u8::from(mask[K]) << K);
        a | b | c | d | e | f | g | h
    }
    #[inline(always)]
    fn mask(bits: u8) -> Self::Mask {
        lanes!(K => bits >> K & 1 == 1)
    }
    #[inline(always)]
    fn exchanged(self) -> Self {
        let r = self.0;
        Plain([r[0], r[1], r[3], r[2], r[4], r[5], r[7], r[6]])
    }
    #[inline(always)]
    fn gather_two(table: &[[f64; 2]], indices: &[u32; LANES]) -> [Self; 2] {
        [
            each!(K => table[indices[K] as usize][0]),
            each!(K => table[indices[K] as usize][1]),
        ]
    }
    #[inline(always)]
    fn gather(table: &[Row], indices: &[u32; LANES]) -> [Self; LANES] {
        lanes!(K => Plain(table[indices[K] as usize].0))
    }
    #[inline(always)]
    fn scatter_add(rows: [Self; LANES], table: &mut [Row], indices: &[u32; LANES]) {
        for (row, &i) in rows.iter().zip(indices) {
            let at = &mut table[i as usize];
            Plain(at.0).add(*row).store(at);
        }
    }
    #[inline(always)]
    fn scatter_add_low(rows: [Self; LANES], table: &mut [Row], indices: &[u32; LANES]) {
        for (row, &i) in rows.iter().zip(indices) {
            let at = &mut table[i as usize];
            for k in 0..4 {
                at.0[k] += row.0[k];
            }
        }
    }
    #[inline(always)]
    fn transpose(rows: [Self; LANES]) -> [Self; LANES] {
        lanes!(J => each!(K => rows[K].0[J]))
    }
}

/// Four numbers in an array.
#[derive(Clone, Copy, Debug)]
pub struct PlainHalf([f64; 4]);

/// Four numbers by their lane.
macro_rules! four {
    ($k:ident => $value:expr) => {
        PlainHalf(lanes!(@ $k, $value, 0 1 2 3))
    };
}

impl Half for PlainHalf {
    #[inline(always)]
    fn splat(value: f64) -> Self {
        PlainHalf([value; 4])
    }
    #[inline(always)]
    fn from_array(values: [f64; 4]) -> Self {
        PlainHalf(values)
    }
    #[inline(always)]
    fn to_array(self) -> [f64; 4] {
        self.0
    }
    #[inline(always)]
    fn load_low(row: &Row) -> Self {
        four!(K => row.0[K])
    }
    #[inline(always)]
    fn load_high(row: &Row) -> Self {
        four!(K => row.0[4 + K])
    }
    #[inline(always)]
    fn store_low(self, row: &mut Row) {
        row.0[..4].copy_from_slice(&self.0);
    }
    #[inline(always)]
    fn store_high(self, row: &mut Row) {
        row.0[4..].copy_from_slice(&self.0);
    }
    #[inline(always)]
    fn add(self, o: Self) -> Self {
        four!(K => self.0[K] + o.0[K])
    }
    #[inline(always)]
    fn mul(self, o: Self) -> Self {
        four!(K => self.0[K] * o.0[K])
    }
    #[inline(always)]
    fn max(self, o: Self) -> Self {
        four!(K => if self.0[K] > o.0[K] { self.0[K] } else { o.0[K] })
    }
    #[inline(always)]
    fn last(self) -> Self {
        PlainHalf([self.0[3]; 4])
    }
    #[inline(always)]
    fn square_of_two(self) -> Self {
        let v = self.0;
        PlainHalf([v[0] * v[0] + v[1] * v[1]; 4])
    }
    #[inline(always)]
    fn square_of_three(self) -> Self {
        let v = self.0;
        PlainHalf([v[0] * v[0] + v[1] * v[1] + v[2] * v[2]; 4])
    }
    #[inline(always)]
    fn with_last(self, other: Self) -> Self {
        let v = self.0;
        PlainHalf([v[0], v[1], v[2], other.0[3]])
    }
}
