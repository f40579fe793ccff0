//! AVX2 and AVX-512 lanes. The only unsafe code of the program. Each block calls an intrinsic whose
//! processor feature was detected before [`run_avx2`] or [`run_avx512`] was called: the lane types
//! are private to this module and constructed only here. Memory is accessed only through references
//! to whole rows.
#![allow(unsafe_code)]

use std::arch::x86_64::*;

use super::{Half, Kernel, LANES, Lanes, Row};

#[derive(Clone, Copy)]
struct Avx512(__m512d);

#[derive(Clone, Copy)]
struct Avx2(__m256d, __m256d);

#[derive(Clone, Copy)]
struct AvxHalf(__m256d);

/// Entry points of a kernel. They are methods of the kernel, not functions generic over it, so that
/// the compiler keeps the machine code of each kernel with the module of the kernel: it then
/// compiles kernels of several modules in parallel.
trait Enter: Kernel {
    /// # Safety
    /// The processor has the features.
    unsafe fn enter_avx512(self) -> Self::Output;
    /// # Safety
    /// The processor has the feature.
    unsafe fn enter_avx2(self) -> Self::Output;
}

impl<K: Kernel> Enter for K {
    #[target_feature(enable = "avx512f,avx512dq,avx512vl,avx2,bmi1,bmi2,popcnt")]
    unsafe fn enter_avx512(self) -> K::Output {
        align_frame();
        self.run::<Avx512>()
    }
    #[target_feature(enable = "avx2")]
    unsafe fn enter_avx2(self) -> K::Output {
        align_frame();
        self.run::<Avx2>()
    }
}

/// As long as a cache line.
#[repr(align(64))]
struct Line([u8; 64]);

/// Aligns the stack frame of the function into which it is inlined to a cache line. A kernel spills whole vectors to
/// the frame; the compiler aligns them only if it knows before register allocation that the frame is aligned.
/// Otherwise each load of a 64-byte vector touches two lines (`bed-10000`: docs/notes/performance.md).
#[inline(always)]
fn align_frame() {
    let mut line = Line([0; 64]);
    std::hint::black_box(&mut line.0);
}

/// Runs a kernel on AVX-512. Only [`super::run`] calls it, after detection.
#[inline(always)]
pub(super) fn run_avx512<K: Kernel>(kernel: K) -> K::Output {
    // SAFETY: the caller has detected the features.
    unsafe { kernel.enter_avx512() }
}

/// Runs a kernel on AVX2. Only [`super::run`] calls it, after detection.
#[inline(always)]
pub(super) fn run_avx2<K: Kernel>(kernel: K) -> K::Output {
    // SAFETY: the caller has detected the feature.
    unsafe { kernel.enter_avx2() }
}

/// Panics unless all indices are within a table. The compiler generates eight branches; one
/// comparison in vector units was no faster (docs/notes/performance.md).
#[inline(always)]
fn check(length: usize, indices: &[u32; LANES]) {
    let mut within = true;
    for k in 0..LANES {
        within &= (indices[k] as usize) < length;
    }
    assert!(within, "an index lies beyond the table");
}

// The shuffle steps are always inlined functions, never closures: code that the compiler does not
// inline is compiled without the vector units, and then calls a function for each intrinsic.

/// The first of every two lanes.
#[inline(always)]
fn firsts(a: Avx512, b: Avx512) -> __m512d {
    unsafe { _mm512_unpacklo_pd(a.0, b.0) }
}

/// The second of every two lanes.
#[inline(always)]
fn seconds(a: Avx512, b: Avx512) -> __m512d {
    unsafe { _mm512_unpackhi_pd(a.0, b.0) }
}

/// Quarters 0 and 2.
#[inline(always)]
fn even(a: __m512d, b: __m512d) -> __m512d {
    unsafe { _mm512_shuffle_f64x2::<0x88>(a, b) }
}

/// Quarters 1 and 3.
#[inline(always)]
fn odd(a: __m512d, b: __m512d) -> __m512d {
    unsafe { _mm512_shuffle_f64x2::<0xdd>(a, b) }
}

/// Joins four quarters.
#[inline(always)]
fn quarters(a: __m128d, b: __m128d, c: __m128d, d: __m128d) -> __m512d {
    unsafe {
        let low = _mm512_insertf64x2::<1>(_mm512_castpd128_pd512(a), b);
        _mm512_insertf64x2::<3>(_mm512_insertf64x2::<2>(low, c), d)
    }
}

/// Joins two halves.
#[inline(always)]
fn halves(a: __m128d, b: __m128d) -> __m256d {
    unsafe { _mm256_insertf128_pd::<1>(_mm256_castpd128_pd256(a), b) }
}

/// Transposes four rows of four.
#[inline(always)]
fn square(a: __m256d, b: __m256d, c: __m256d, d: __m256d) -> [__m256d; 4] {
    unsafe {
        let (ab0, ab1) = (_mm256_unpacklo_pd(a, b), _mm256_unpackhi_pd(a, b));
        let (cd0, cd1) = (_mm256_unpacklo_pd(c, d), _mm256_unpackhi_pd(c, d));
        [
            _mm256_permute2f128_pd::<0x20>(ab0, cd0),
            _mm256_permute2f128_pd::<0x20>(ab1, cd1),
            _mm256_permute2f128_pd::<0x31>(ab0, cd0),
            _mm256_permute2f128_pd::<0x31>(ab1, cd1),
        ]
    }
}

/// Two numbers of a table; the caller has checked the index.
#[inline(always)]
unsafe fn two(table: &[[f64; 2]], index: u32) -> __m128d {
    unsafe { _mm_loadu_pd(table.get_unchecked(index as usize).as_ptr()) }
}

/// A row of a table; the caller has checked the index.
#[inline(always)]
unsafe fn row_of<L: Lanes>(table: &[Row], index: u32) -> L {
    L::load(unsafe { table.get_unchecked(index as usize) })
}

impl Lanes for Avx512 {
    type Mask = __mmask8;
    type Half = AvxHalf;

    #[inline(always)]
    fn splat(value: f64) -> Self {
        Avx512(unsafe { _mm512_set1_pd(value) })
    }
    #[inline(always)]
    fn load(row: &Row) -> Self {
        Avx512(unsafe { _mm512_load_pd(row.0.as_ptr()) })
    }
    #[inline(always)]
    fn store(self, row: &mut Row) {
        unsafe { _mm512_store_pd(row.0.as_mut_ptr(), self.0) }
    }
    #[inline(always)]
    fn prefetch<T>(at: &T) {
        unsafe { _mm_prefetch::<_MM_HINT_T0>(std::ptr::from_ref(at).cast()) }
    }
    #[inline(always)]
    fn ask(address: usize) {
        // A prefetch hint reads nothing and cannot fail.
        unsafe { _mm_prefetch::<_MM_HINT_T1>(std::ptr::without_provenance(address)) }
    }
    #[inline(always)]
    fn add(self, o: Self) -> Self {
        Avx512(unsafe { _mm512_add_pd(self.0, o.0) })
    }
    #[inline(always)]
    fn sub(self, o: Self) -> Self {
        Avx512(unsafe { _mm512_sub_pd(self.0, o.0) })
    }
    #[inline(always)]
    fn mul(self, o: Self) -> Self {
        Avx512(unsafe { _mm512_mul_pd(self.0, o.0) })
    }
    #[inline(always)]
    fn div(self, o: Self) -> Self {
        Avx512(unsafe { _mm512_div_pd(self.0, o.0) })
    }
    #[inline(always)]
    fn sqrt(self) -> Self {
        Avx512(unsafe { _mm512_sqrt_pd(self.0) })
    }
    #[inline(always)]
    fn min(self, o: Self) -> Self {
        Avx512(unsafe { _mm512_min_pd(self.0, o.0) })
    }
    #[inline(always)]
    fn max(self, o: Self) -> Self {
        Avx512(unsafe { _mm512_max_pd(self.0, o.0) })
    }
    #[inline(always)]
    fn flip(self, signs: Self) -> Self {
        Avx512(unsafe { _mm512_xor_pd(self.0, signs.0) })
    }
    #[inline(always)]
    fn abs(self) -> Self {
        Avx512(unsafe { _mm512_abs_pd(self.0) })
    }
    #[inline(always)]
    fn less(self, o: Self) -> Self::Mask {
        unsafe { _mm512_cmp_pd_mask::<_CMP_LT_OQ>(self.0, o.0) }
    }
    #[inline(always)]
    fn select(self, o: Self, mask: Self::Mask) -> Self {
        Avx512(unsafe { _mm512_mask_blend_pd(mask, o.0, self.0) })
    }
    #[inline(always)]
    fn only(self, mask: Self::Mask) -> Self {
        Avx512(unsafe { _mm512_maskz_mov_pd(mask, self.0) })
    }
    #[inline(always)]
    fn bits(mask: Self::Mask) -> u8 {
        mask
    }
    #[inline(always)]
    fn mask(bits: u8) -> Self::Mask {
        bits
    }
    #[inline(always)]
    fn exchanged(self) -> Self {
        Avx512(unsafe { _mm512_permute_pd::<0b0110_0110>(self.0) })
    }
    #[inline(always)]
    fn gather_two(table: &[[f64; 2]], indices: &[u32; LANES]) -> [Self; 2] {
        check(table.len(), indices);
        unsafe {
            // SAFETY: all indices were checked.
            let [a, b, c, d, e, f, g, h] = *indices;
            let even = quarters(two(table, a), two(table, c), two(table, e), two(table, g));
            let odd = quarters(two(table, b), two(table, d), two(table, f), two(table, h));
            [
                Avx512(_mm512_unpacklo_pd(even, odd)),
                Avx512(_mm512_unpackhi_pd(even, odd)),
            ]
        }
    }
    #[inline(always)]
    fn gather(table: &[Row], indices: &[u32; LANES]) -> [Self; LANES] {
        check(table.len(), indices);
        // SAFETY: all indices were checked.
        unsafe {
            [
                row_of(table, indices[0]),
                row_of(table, indices[1]),
                row_of(table, indices[2]),
                row_of(table, indices[3]),
                row_of(table, indices[4]),
                row_of(table, indices[5]),
                row_of(table, indices[6]),
                row_of(table, indices[7]),
            ]
        }
    }
    #[inline(always)]
    fn scatter_add(rows: [Self; LANES], table: &mut [Row], indices: &[u32; LANES]) {
        check(table.len(), indices);
        for k in 0..LANES {
            // SAFETY: all indices were checked.
            let at = unsafe { table.get_unchecked_mut(indices[k] as usize) };
            Self::load(at).add(rows[k]).store(at);
        }
    }
    #[inline(always)]
    fn scatter_add_low(rows: [Self; LANES], table: &mut [Row], indices: &[u32; LANES]) {
        check(table.len(), indices);
        for k in 0..LANES {
            // SAFETY: all indices were checked.
            let at = unsafe { table.get_unchecked_mut(indices[k] as usize) };
            AvxHalf::load_low(at)
                .add(AvxHalf(unsafe { _mm512_castpd512_pd256(rows[k].0) }))
                .store_low(at);
        }
    }
    #[inline(always)]
    fn transpose(r: [Self; LANES]) -> [Self; LANES] {
        let (a0, a1) = (firsts(r[0], r[1]), seconds(r[0], r[1]));
        let (a2, a3) = (firsts(r[2], r[3]), seconds(r[2], r[3]));
        let (a4, a5) = (firsts(r[4], r[5]), seconds(r[4], r[5]));
        let (a6, a7) = (firsts(r[6], r[7]), seconds(r[6], r[7]));
        // Pairs of quarters: even columns from the low parts, odd ones from the high parts.
        let (b0, b2) = (even(a0, a2), odd(a0, a2));
        let (b1, b3) = (even(a1, a3), odd(a1, a3));
        let (c0, c2) = (even(a4, a6), odd(a4, a6));
        let (c1, c3) = (even(a5, a7), odd(a5, a7));
        [
            Avx512(even(b0, c0)),
            Avx512(even(b1, c1)),
            Avx512(even(b2, c2)),
            Avx512(even(b3, c3)),
            Avx512(odd(b0, c0)),
            Avx512(odd(b1, c1)),
            Avx512(odd(b2, c2)),
            Avx512(odd(b3, c3)),
        ]
    }
}

impl Lanes for Avx2 {
    type Mask = (__m256d, __m256d);
    type Half = AvxHalf;

    #[inline(always)]
    fn splat(value: f64) -> Self {
        let v = unsafe { _mm256_set1_pd(value) };
        Avx2(v, v)
    }
    #[inline(always)]
    fn load(row: &Row) -> Self {
        let p = row.0.as_ptr();
        unsafe { Avx2(_mm256_load_pd(p), _mm256_load_pd(p.add(4))) }
    }
    #[inline(always)]
    fn store(self, row: &mut Row) {
        let p = row.0.as_mut_ptr();
        unsafe {
            _mm256_store_pd(p, self.0);
            _mm256_store_pd(p.add(4), self.1);
        }
    }
    #[inline(always)]
    fn prefetch<T>(at: &T) {
        unsafe { _mm_prefetch::<_MM_HINT_T0>(std::ptr::from_ref(at).cast()) }
    }
    #[inline(always)]
    fn ask(address: usize) {
        // A prefetch hint reads nothing and cannot fail.
        unsafe { _mm_prefetch::<_MM_HINT_T1>(std::ptr::without_provenance(address)) }
    }
    #[inline(always)]
    fn add(self, o: Self) -> Self {
        unsafe { Avx2(_mm256_add_pd(self.0, o.0), _mm256_add_pd(self.1, o.1)) }
    }
    #[inline(always)]
    fn sub(self, o: Self) -> Self {
        unsafe { Avx2(_mm256_sub_pd(self.0, o.0), _mm256_sub_pd(self.1, o.1)) }
    }
    #[inline(always)]
    fn mul(self, o: Self) -> Self {
        unsafe { Avx2(_mm256_mul_pd(self.0, o.0), _mm256_mul_pd(self.1, o.1)) }
    }
    #[inline(always)]
    fn div(self, o: Self) -> Self {
        unsafe { Avx2(_mm256_div_pd(self.0, o.0), _mm256_div_pd(self.1, o.1)) }
    }
    #[inline(always)]
    fn sqrt(self) -> Self {
        unsafe { Avx2(_mm256_sqrt_pd(self.0), _mm256_sqrt_pd(self.1)) }
    }
    #[inline(always)]
    fn min(self, o: Self) -> Self {
        unsafe { Avx2(_mm256_min_pd(self.0, o.0), _mm256_min_pd(self.1, o.1)) }
    }
    #[inline(always)]
    fn max(self, o: Self) -> Self {
        unsafe { Avx2(_mm256_max_pd(self.0, o.0), _mm256_max_pd(self.1, o.1)) }
    }
    #[inline(always)]
    fn flip(self, s: Self) -> Self {
        unsafe { Avx2(_mm256_xor_pd(self.0, s.0), _mm256_xor_pd(self.1, s.1)) }
    }
    #[inline(always)]
    fn abs(self) -> Self {
        unsafe {
            let sign = _mm256_set1_pd(-0.0);
            Avx2(
                _mm256_andnot_pd(sign, self.0),
                _mm256_andnot_pd(sign, self.1),
            )
        }
    }
    #[inline(always)]
    fn less(self, o: Self) -> Self::Mask {
        unsafe {
            (
                _mm256_cmp_pd::<_CMP_LT_OQ>(self.0, o.0),
                _mm256_cmp_pd::<_CMP_LT_OQ>(self.1, o.1),
            )
        }
    }
    #[inline(always)]
    fn select(self, o: Self, m: Self::Mask) -> Self {
        unsafe {
            Avx2(
                _mm256_blendv_pd(o.0, self.0, m.0),
                _mm256_blendv_pd(o.1, self.1, m.1),
            )
        }
    }
    #[inline(always)]
    fn only(self, m: Self::Mask) -> Self {
        unsafe { Avx2(_mm256_and_pd(self.0, m.0), _mm256_and_pd(self.1, m.1)) }
    }
    #[inline(always)]
    fn bits(m: Self::Mask) -> u8 {
        unsafe { (_mm256_movemask_pd(m.0) | _mm256_movemask_pd(m.1) << 4) as u8 }
    }
    #[inline(always)]
    fn mask(bits: u8) -> Self::Mask {
        unsafe {
            let b = _mm256_set1_epi64x(i64::from(bits));
            let lo = _mm256_set_epi64x(8, 4, 2, 1);
            let hi = _mm256_set_epi64x(128, 64, 32, 16);
            let is =
                |which| _mm256_castsi256_pd(_mm256_cmpeq_epi64(_mm256_and_si256(b, which), which));
            (is(lo), is(hi))
        }
    }
    #[inline(always)]
    fn exchanged(self) -> Self {
        unsafe {
            Avx2(
                _mm256_permute_pd::<0b0110>(self.0),
                _mm256_permute_pd::<0b0110>(self.1),
            )
        }
    }
    #[inline(always)]
    fn gather_two(table: &[[f64; 2]], indices: &[u32; LANES]) -> [Self; 2] {
        check(table.len(), indices);
        unsafe {
            // SAFETY: all indices were checked.
            let [a, b, c, d, e, f, g, h] = *indices;
            let p = halves(two(table, a), two(table, c));
            let q = halves(two(table, b), two(table, d));
            let r = halves(two(table, e), two(table, g));
            let s = halves(two(table, f), two(table, h));
            [
                Avx2(_mm256_unpacklo_pd(p, q), _mm256_unpacklo_pd(r, s)),
                Avx2(_mm256_unpackhi_pd(p, q), _mm256_unpackhi_pd(r, s)),
            ]
        }
    }
    #[inline(always)]
    fn gather(table: &[Row], indices: &[u32; LANES]) -> [Self; LANES] {
        check(table.len(), indices);
        // SAFETY: all indices were checked.
        unsafe {
            [
                row_of(table, indices[0]),
                row_of(table, indices[1]),
                row_of(table, indices[2]),
                row_of(table, indices[3]),
                row_of(table, indices[4]),
                row_of(table, indices[5]),
                row_of(table, indices[6]),
                row_of(table, indices[7]),
            ]
        }
    }
    #[inline(always)]
    fn scatter_add(rows: [Self; LANES], table: &mut [Row], indices: &[u32; LANES]) {
        check(table.len(), indices);
        for k in 0..LANES {
            // SAFETY: all indices were checked.
            let at = unsafe { table.get_unchecked_mut(indices[k] as usize) };
            Self::load(at).add(rows[k]).store(at);
        }
    }
    #[inline(always)]
    fn scatter_add_low(rows: [Self; LANES], table: &mut [Row], indices: &[u32; LANES]) {
        check(table.len(), indices);
        for k in 0..LANES {
            // SAFETY: all indices were checked.
            let at = unsafe { table.get_unchecked_mut(indices[k] as usize) };
            AvxHalf::load_low(at).add(AvxHalf(rows[k].0)).store_low(at);
        }
    }
    #[inline(always)]
    fn transpose(r: [Self; LANES]) -> [Self; LANES] {
        let p = square(r[0].0, r[1].0, r[2].0, r[3].0);
        let q = square(r[4].0, r[5].0, r[6].0, r[7].0);
        let s = square(r[0].1, r[1].1, r[2].1, r[3].1);
        let t = square(r[4].1, r[5].1, r[6].1, r[7].1);
        [
            Avx2(p[0], q[0]),
            Avx2(p[1], q[1]),
            Avx2(p[2], q[2]),
            Avx2(p[3], q[3]),
            Avx2(s[0], t[0]),
            Avx2(s[1], t[1]),
            Avx2(s[2], t[2]),
            Avx2(s[3], t[3]),
        ]
    }
}

impl Half for AvxHalf {
    #[inline(always)]
    fn splat(value: f64) -> Self {
        AvxHalf(unsafe { _mm256_set1_pd(value) })
    }
    #[inline(always)]
    fn from_array(values: [f64; 4]) -> Self {
        AvxHalf(unsafe { _mm256_loadu_pd(values.as_ptr()) })
    }
    #[inline(always)]
    fn to_array(self) -> [f64; 4] {
        let mut out = [0.0; 4];
        unsafe { _mm256_storeu_pd(out.as_mut_ptr(), self.0) };
        out
    }
    #[inline(always)]
    fn load_low(row: &Row) -> Self {
        AvxHalf(unsafe { _mm256_load_pd(row.0.as_ptr()) })
    }
    #[inline(always)]
    fn load_high(row: &Row) -> Self {
        AvxHalf(unsafe { _mm256_load_pd(row.0.as_ptr().add(4)) })
    }
    #[inline(always)]
    fn store_low(self, row: &mut Row) {
        unsafe { _mm256_store_pd(row.0.as_mut_ptr(), self.0) }
    }
    #[inline(always)]
    fn store_high(self, row: &mut Row) {
        unsafe { _mm256_store_pd(row.0.as_mut_ptr().add(4), self.0) }
    }
    #[inline(always)]
    fn add(self, o: Self) -> Self {
        AvxHalf(unsafe { _mm256_add_pd(self.0, o.0) })
    }
    #[inline(always)]
    fn mul(self, o: Self) -> Self {
        AvxHalf(unsafe { _mm256_mul_pd(self.0, o.0) })
    }
    #[inline(always)]
    fn max(self, o: Self) -> Self {
        AvxHalf(unsafe { _mm256_max_pd(self.0, o.0) })
    }
    #[inline(always)]
    fn last(self) -> Self {
        AvxHalf(unsafe { _mm256_permute4x64_pd::<0xff>(self.0) })
    }
    #[inline(always)]
    fn square_of_two(self) -> Self {
        unsafe {
            let square = _mm256_mul_pd(self.0, self.0);
            AvxHalf(_mm256_add_pd(square, _mm256_permute_pd::<0b0101>(square)))
        }
    }
    #[inline(always)]
    fn square_of_three(self) -> Self {
        unsafe {
            let square = _mm256_mul_pd(self.0, self.0);
            let low = _mm256_castpd256_pd128(square);
            let sum = _mm_add_sd(low, _mm_unpackhi_pd(low, low));
            let sum = _mm_add_sd(sum, _mm256_extractf128_pd::<1>(square));
            AvxHalf(_mm256_castpd128_pd256(sum))
        }
    }
    #[inline(always)]
    fn with_last(self, other: Self) -> Self {
        AvxHalf(unsafe { _mm256_blend_pd::<0b1000>(self.0, other.0) })
    }
}
