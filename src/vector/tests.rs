use super::{Half, Kernel, Lanes, Level, Row, run};

struct Probe([Row; 8]);
impl Kernel for Probe {
    type Output = Vec<u64>;
    #[inline(always)]
    fn run<L: Lanes>(self) -> Vec<u64> {
        let rows = self.0.map(|r| L::load(&r));
        let t = L::transpose(rows);
        let mut out = Vec::new();
        let mut keep = |x: L| out.extend(x.to_array().map(f64::to_bits));
        for k in 0..8 {
            keep(t[k]);
            let j = (k + 3) % 8;
            let m = t[k].less(t[j]);
            keep(t[k].add(t[j]).sub(t[(k + 1) % 8]));
            keep(t[k].mul(t[j]).div(t[(k + 2) % 8]));
            keep(t[k].abs().sqrt().min(t[j]).max(t[k].flip(L::splat(-0.0))));
            keep(t[k].select(t[j], m));
            keep(t[k].only(L::mask(L::bits(m) ^ 0xa5)));
        }
        // Halves, and additions to rows of a table.
        let half = |k: usize| {
            (
                L::Half::load_low(&self.0[k]),
                L::Half::load_high(&self.0[k]),
            )
        };
        for k in 0..7 {
            let ((low, high), (next, _)) = (half(k), half(k + 1));
            let squares = [low.square_of_two(), next.square_of_three().max(high)];
            out.extend(squares.map(|square| square.to_array()[0].to_bits()));
            out.extend(low.with_last(high).to_array().map(f64::to_bits));
        }
        let indices = [3, 1, 1, 4, 7, 0, 3, 2];
        let mut table = self.0;
        L::scatter_add(rows, &mut table, &indices);
        L::scatter_add_low(t, &mut table, &indices);
        L::scatter_add_low(rows, &mut table, &indices);
        out.extend(table.iter().flat_map(|row| row.0).map(f64::to_bits));
        out
    }
}

/// Access methods of a table.
#[derive(Clone, Copy, Debug)]
enum Way {
    Gather,
    GatherTwo,
    Add,
    AddLow,
}

/// Accesses a table of the given length, in one lane at the given index.
struct Far(Way, usize, u32);
impl Kernel for Far {
    type Output = ();
    #[inline(always)]
    fn run<L: Lanes>(self) {
        let Far(way, length, index) = self;
        let indices = [0, 0, 0, index, 0, 0, 0, 0];
        let mut rows = vec![Row::default(); length];
        let ones = [L::splat(1.0); 8];
        match way {
            Way::Gather => _ = L::gather(&rows, &indices).map(L::total),
            Way::GatherTwo => {
                _ = L::gather_two(&vec![[0.0; 2]; length], &indices).map(L::total);
            }
            Way::Add => L::scatter_add(ones, &mut rows, &indices),
            Way::AddLow => L::scatter_add_low(ones, &mut rows, &indices),
        }
    }
}

#[test]
fn an_index_beyond_the_table_stops_at_every_level() {
    for way in [Way::Gather, Way::GatherTwo, Way::Add, Way::AddLow] {
        for level in [Level::Plain, Level::Avx2, Level::Avx512] {
            let stops = |length, index| {
                std::panic::catch_unwind(|| run(level, Far(way, length, index))).is_err()
            };
            assert!(!stops(9, 8), "{way:?}, {level:?}");
            for (length, index) in [(8, 8), (0, 0), (8, u32::MAX)] {
                assert!(
                    stops(length, index),
                    "{way:?}, {level:?}: {index} of {length}"
                );
            }
        }
    }
}

#[test]
fn all_levels_give_the_same_bits() {
    let mut state = 7u64;
    let mut next = || {
        state = state
            .wrapping_mul(6364136223846793005)
            .wrapping_add(1442695040888963407);
        (state >> 11) as f64 / (1u64 << 53) as f64 - 0.5
    };
    let rows: [Row; 8] = std::array::from_fn(|_| Row(std::array::from_fn(|_| next())));
    let plain = run(Level::Plain, Probe(rows));
    for level in [Level::Avx2, Level::Avx512] {
        assert_eq!(plain, run(level, Probe(rows)), "{level:?}");
    }
    // Checks one entry of the transpose itself.
    assert_eq!(plain[3], rows[3].0[0].to_bits());
}
