//! Transition matrix of mass down the baskets, computed by squaring with positive terms alone.
//!
//! The closed sum of the thesis (3.29) takes differences of nearly equal numbers: trace masses lose all digits, and
//! equal probabilities divide by zero. Here nothing is subtracted. A matrix over a short time is squared up to the
//! required time; the diagonal, where the errors of squaring would double each time, is replaced by its closed form,
//! and all entries below it are then sums of products whose errors only add up: s squarings and k baskets leave s k
//! roundings.

/// Lower triangle of a matrix: the fraction `get(i, j)` of the initial content of basket `j` is in basket `i` at the
/// end.
#[derive(Clone, Debug)]
pub(super) struct Chain {
    size: usize,
    /// Columns one after another: entry (i, j) at j * size + i.
    shares: Vec<f64>,
}

impl Chain {
    pub fn get(&self, to: usize, from: usize) -> f64 {
        self.shares[from * self.size + to]
    }
    pub fn size(&self) -> usize {
        self.size
    }

    /// Builds a matrix from its entries on and below the diagonal.
    pub fn from_fn(size: usize, mut share: impl FnMut(usize, usize) -> f64) -> Self {
        let mut shares = vec![0.0; size * size];
        for from in 0..size {
            for to in from..size {
                shares[from * size + to] = share(to, from);
            }
        }
        Chain { size, shares }
    }

    /// Returns the chain over twice the time, with the given diagonal.
    pub fn squared(&self, diagonal: impl Fn(usize) -> f64) -> Self {
        Chain::from_fn(self.size, |to, from| {
            if to == from {
                diagonal(from)
            } else {
                (from..=to)
                    .map(|via| self.get(to, via) * self.get(via, from))
                    .sum()
            }
        })
    }

    /// Returns the chain over a time t for rates a_i = lambda p_i (given as `decay` = a_i t), in continuous time.
    pub fn continuous(decay: &[f64]) -> Self {
        let size = decay.len();
        let fastest = decay.iter().copied().fold(0.0, f64::max);
        // Number of doublings from a time in which at most half of any basket leaves.
        let doublings = if fastest > 0.5 {
            libm::ceil(libm::log2(fastest)) as i32 + 1
        } else {
            0
        };
        let scale = libm::exp2(-f64::from(doublings));
        let mut chain = Self::short(&decay.iter().map(|d| d * scale).collect::<Vec<_>>());
        for round in (0..doublings).rev() {
            let scale = libm::exp2(-f64::from(round));
            chain = chain.squared(|i| libm::exp(-decay[i] * scale));
        }
        debug_assert_eq!(chain.size(), size);
        chain
    }

    /// Returns the chain over a short time by uniformisation: exp(-f) times the series of (f Q)^n / n!, f the fastest
    /// decay and Q the matrix of single steps, whose entries are not negative.
    fn short(decay: &[f64]) -> Self {
        let size = decay.len();
        let fastest = decay.iter().copied().fold(0.0, f64::max);
        let mut chain = Chain::from_fn(size, |_, _| 0.0);
        for from in 0..size {
            let column = &mut chain.shares[from * size..(from + 1) * size];
            column[from] = 1.0;
            let mut term = column.to_vec();
            // A half to the 16th over 16! is below rounding of the first entry; each further basket down begins one
            // term later.
            for n in 1..(size - from + 20) {
                for to in (from..size).rev() {
                    let fed = if to > from {
                        term[to - 1] * decay[to - 1]
                    } else {
                        0.0
                    };
                    term[to] = (term[to] * (fastest - decay[to]) + fed) / n as f64;
                    column[to] += term[to];
                }
            }
            let all = libm::exp(-fastest);
            column[from] = libm::exp(-decay[from]);
            for share in &mut column[from + 1..] {
                *share *= all;
            }
        }
        chain
    }
}
