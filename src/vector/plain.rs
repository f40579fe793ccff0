//! Lanes in plain Rust: the reference for the other levels.

use super::{Half, LANES, Lanes, Row};

/// Eight numbers in an array.
#[derive(Clone, Copy, Debug)]
pub struct Plain([f64; LANES]);

macro_rules! each {
    ($k:ident => $value:expr) => {{
        let mut out = [0.0; LANES];
        for $k in 0..LANES {
            out[$k] = $value;
        }
        Plain(out)
    }};
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
        each!(k => self.0[k] + o.0[k])
    }
    #[inline(always)]
    fn sub(self, o: Self) -> Self {
        each!(k => self.0[k] - o.0[k])
    }
    #[inline(always)]
    fn mul(self, o: Self) -> Self {
        each!(k => self.0[k] * o.0[k])
    }
    #[inline(always)]
    fn div(self, o: Self) -> Self {
        each!(k => self.0[k] / o.0[k])
    }
    #[inline(always)]
    fn sqrt(self) -> Self {
        each!(k => self.0[k].sqrt())
    }
    // Written out instead of `f64::min`: the vector units return the second operand if the two
    // compare equal or unordered.
    #[inline(always)]
    fn min(self, o: Self) -> Self {
        each!(k => if self.0[k] < o.0[k] { self.0[k] } else { o.0[k] })
    }
    #[inline(always)]
    fn max(self, o: Self) -> Self {
        each!(k => if self.0[k] > o.0[k] { self.0[k] } else { o.0[k] })
    }
    #[inline(always)]
    fn flip(self, signs: Self) -> Self {
        each!(k => f64::from_bits(self.0[k].to_bits() ^ signs.0[k].to_bits()))
    }
    #[inline(always)]
    fn abs(self) -> Self {
        each!(k => self.0[k].abs())
    }
    #[inline(always)]
    fn less(self, o: Self) -> Self::Mask {
        let mut out = [false; LANES];
        for k in 0..LANES {
            out[k] = self.0[k] < o.0[k];
        }
        out
    }
    #[inline(always)]
    fn select(self, o: Self, mask: Self::Mask) -> Self {
        each!(k => if mask[k] { self.0[k] } else { o.0[k] })
    }
    #[inline(always)]
    fn only(self, mask: Self::Mask) -> Self {
        each!(k => if mask[k] { self.0[k] } else { 0.0 })
    }
    #[inline(always)]
    fn bits(mask: Self::Mask) -> u8 {
        let mut bits = 0;
        for (k, &m) in mask.iter().enumerate() {
            bits |= u8::from(m) << k;
        }
        bits
    }
    #[inline(always)]
    fn mask(bits: u8) -> Self::Mask {
        let mut out = [false; LANES];
        for (k, m) in out.iter_mut().enumerate() {
            *m = bits >> k & 1 == 1;
        }
        out
    }
    #[inline(always)]
    fn exchanged(self) -> Self {
        let r = self.0;
        Plain([r[0], r[1], r[3], r[2], r[4], r[5], r[7], r[6]])
    }
    #[inline(always)]
    fn gather_two(table: &[[f64; 2]], indices: &[u32; LANES]) -> [Self; 2] {
        [0, 1].map(|k| Plain(indices.map(|i| table[i as usize][k])))
    }
    #[inline(always)]
    fn gather(table: &[Row], indices: &[u32; LANES]) -> [Self; LANES] {
        indices.map(|i| Plain(table[i as usize].0))
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
        let mut out = [Plain([0.0; LANES]); LANES];
        for (j, column) in out.iter_mut().enumerate() {
            for (k, row) in rows.iter().enumerate() {
                column.0[k] = row.0[j];
            }
        }
        out
    }
}

/// Four numbers in an array.
#[derive(Clone, Copy, Debug)]
pub struct PlainHalf([f64; 4]);

macro_rules! four {
    ($k:ident => $value:expr) => {{
        let mut out = [0.0; 4];
        for $k in 0..4 {
            out[$k] = $value;
        }
        PlainHalf(out)
    }};
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
        four!(k => row.0[k])
    }
    #[inline(always)]
    fn load_high(row: &Row) -> Self {
        four!(k => row.0[4 + k])
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
        four!(k => self.0[k] + o.0[k])
    }
    #[inline(always)]
    fn mul(self, o: Self) -> Self {
        four!(k => self.0[k] * o.0[k])
    }
    #[inline(always)]
    fn max(self, o: Self) -> Self {
        four!(k => if self.0[k] > o.0[k] { self.0[k] } else { o.0[k] })
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
