//! Distributions of the radii of grains.

use rand::RngExt as _;
use rand_chacha::ChaCha8Rng;
use serde::{Deserialize, Serialize};

/// Law from which radii are drawn.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum RadiusLaw {
    /// All equal, m.
    Equal(f64),
    /// Normal with a mean (m) and a relative spread, cut at three spreads.
    Normal {
        /// Mean, m.
        mean: f64,
        /// Standard deviation over mean.
        spread: f64,
    },
    /// Uniform between two radii, m.
    Uniform {
        /// Least, m.
        min: f64,
        /// Greatest, m.
        max: f64,
    },
    /// The logarithm is normal; cut at three spreads.
    LogNormal {
        /// Median, m.
        median: f64,
        /// Standard deviation of the natural logarithm.
        spread: f64,
    },
    /// By classes, as from sieves.
    Classes(SizeClasses),
}

impl RadiusLaw {
    /// Draws a radius, m. Normal deviates beyond three spreads are drawn again.
    pub fn draw(&self, rng: &mut ChaCha8Rng) -> f64 {
        match self {
            RadiusLaw::Equal(radius) => *radius,
            RadiusLaw::Uniform { min, max } => min + (max - min) * rng.random::<f64>(),
            RadiusLaw::Normal { mean, spread } => mean * (1.0 + spread * deviate(rng)),
            RadiusLaw::LogNormal { median, spread } => median * libm::exp(spread * deviate(rng)),
            RadiusLaw::Classes(classes) => classes.at(rng.random()),
        }
    }

    /// Returns the least radius that the law can give, m.
    pub fn least(&self) -> f64 {
        match self {
            RadiusLaw::Equal(radius) => *radius,
            RadiusLaw::Normal { mean, spread } => mean * (1.0 - 3.0 * spread),
            RadiusLaw::Uniform { min, .. } => *min,
            RadiusLaw::LogNormal { median, spread } => median * libm::exp(-3.0 * spread),
            RadiusLaw::Classes(classes) => classes.edges[0],
        }
    }

    /// Returns the greatest radius that the law can give, m.
    pub fn greatest(&self) -> f64 {
        match self {
            RadiusLaw::Equal(radius) => *radius,
            RadiusLaw::Normal { mean, spread } => mean * (1.0 + 3.0 * spread),
            RadiusLaw::Uniform { max, .. } => *max,
            RadiusLaw::LogNormal { median, spread } => median * libm::exp(3.0 * spread),
            RadiusLaw::Classes(classes) => classes.edges[classes.edges.len() - 1],
        }
    }

    /// Returns the mean by number, m; of the log-normal law without its cut, which takes up to 1 % off at spreads
    /// up to 0.5.
    pub fn mean(&self) -> f64 {
        match self {
            RadiusLaw::Equal(radius) => *radius,
            RadiusLaw::Normal { mean, .. } => *mean,
            RadiusLaw::Uniform { min, max } => 0.5 * (min + max),
            RadiusLaw::LogNormal { median, spread } => median * libm::exp(0.5 * spread * spread),
            RadiusLaw::Classes(classes) => classes.mean(),
        }
    }

    /// Returns the mean of a power of the radius (2 or 3), by number, m to that power, with the cuts at three spreads.
    pub fn moment(&self, power: u8) -> f64 {
        let n = f64::from(power);
        // Share of normal deviates with mean m that lie between -3 and 3, over that of mean 0.
        let within = |m: f64| {
            let root = std::f64::consts::SQRT_2;
            let below = |x: f64| 0.5 * libm::erfc(-x / root);
            (below(3.0 - m) - below(-3.0 - m)) / (below(3.0) - below(-3.0))
        };
        let raised = |r: f64| libm::pow(r, n);
        match self {
            RadiusLaw::Equal(radius) => raised(*radius),
            RadiusLaw::Normal { mean, spread } => {
                // Odd moments vanish; the second of the cut deviate is 1 - 6 phi(3) / (share within three).
                let density = libm::exp(-4.5) / std::f64::consts::TAU.sqrt();
                let share = libm::erf(3.0 / std::f64::consts::SQRT_2);
                let second = 1.0 - 6.0 * density / share;
                let pairs = if power == 2 { 1.0 } else { 3.0 };
                raised(*mean) * (1.0 + pairs * spread * spread * second)
            }
            RadiusLaw::Uniform { min, max } => even(*min, *max, power),
            RadiusLaw::LogNormal { median, spread } => {
                let s = n * spread;
                raised(*median) * libm::exp(0.5 * s * s) * within(s)
            }
            RadiusLaw::Classes(classes) => classes.moment(power),
        }
    }

    /// Returns the same law with all radii times a number.
    pub fn scaled(self, by: f64) -> Self {
        match self {
            RadiusLaw::Equal(radius) => RadiusLaw::Equal(by * radius),
            RadiusLaw::Normal { mean, spread } => RadiusLaw::Normal {
                mean: by * mean,
                spread,
            },
            RadiusLaw::Uniform { min, max } => RadiusLaw::Uniform {
                min: by * min,
                max: by * max,
            },
            RadiusLaw::LogNormal { median, spread } => RadiusLaw::LogNormal {
                median: by * median,
                spread,
            },
            RadiusLaw::Classes(mut classes) => {
                for edge in &mut classes.edges {
                    *edge *= by;
                }
                RadiusLaw::Classes(classes)
            }
        }
    }
}

/// Returns the mean of r^2 or r^3 for r uniform from a to b.
fn even(a: f64, b: f64, power: u8) -> f64 {
    if power == 2 {
        (a * a + a * b + b * b) / 3.0
    } else {
        0.25 * (a + b) * (a * a + b * b)
    }
}

/// Draws a normal deviate, at most three (Box and Muller 1958, by libm so that the bits are the same everywhere).
fn deviate(rng: &mut ChaCha8Rng) -> f64 {
    loop {
        let u = 1.0 - rng.random::<f64>();
        let angle = std::f64::consts::TAU * rng.random::<f64>();
        let deviate = (-2.0 * libm::log(u)).sqrt() * libm::cos(angle);
        if deviate.abs() <= 3.0 {
            return deviate;
        }
    }
}

/// Quantity that the shares of a distribution count.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Counted {
    /// Number of grains.
    Number,
    /// Mass of grains, proportional to the radius to this power: 2 for disks, 3 for spheres.
    Mass(u8),
}

/// A distribution by classes of radius: within each class the share that is counted is uniform over the radius.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SizeClasses {
    /// Ends of the classes, m, ascending; a class of one size has two equal ones.
    edges: Vec<f64>,
    /// Share of all grains, by number, that is finer than each end.
    finer: Vec<f64>,
    counted: Counted,
}

/// Reason why a distribution is invalid.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum ClassError {
    /// Fewer than two ends.
    #[error("a distribution needs two sizes at least")]
    Short,
    /// A radius that is not a positive number, or not above the one before.
    #[error(
        "radius {radius} (row {row}) must be greater than 0, finite, and not below that of the row before"
    )]
    Radius {
        /// Row, from 1.
        row: usize,
        /// Radius, m.
        radius: f64,
    },
    /// A share out of order.
    #[error(
        "share {share} (row {row}) must lie between that of the row before and 1; the first is 0 and the last 1"
    )]
    Share {
        /// Row, from 1.
        row: usize,
        /// Share of that row.
        share: f64,
    },
}

/// Number of classes into which a smooth distribution is cut.
const SMOOTH: u32 = 256;

impl SizeClasses {
    /// Creates classes from rows of a radius (m) and the counted share that is finer.
    pub fn new(rows: &[[f64; 2]], counted: Counted) -> Result<Self, ClassError> {
        if rows.len() < 2 {
            return Err(ClassError::Short);
        }
        let mut before = [0.0; 2];
        for (k, &[radius, share]) in rows.iter().enumerate() {
            let row = k + 1;
            if !(radius > 0.0 && radius.is_finite() && radius >= before[0]) {
                return Err(ClassError::Radius { row, radius });
            }
            let last = row == rows.len();
            let fits = share >= before[1] && share <= 1.0;
            if !fits || (k == 0 && share != 0.0) || (last && share != 1.0) {
                return Err(ClassError::Share { row, share });
            }
            before = [radius, share];
        }
        let mut finer = vec![0.0];
        let mut sum = 0.0;
        for pair in rows.windows(2) {
            let ([a, from], [b, to]) = (pair[0], pair[1]);
            // Grains per unit of the counted quantity, over sizes in units of the greatest: the mean of 1 / r^power.
            let (x, y) = (a / before[0], b / before[0]);
            let each = match counted {
                Counted::Number => 1.0,
                Counted::Mass(2) => 1.0 / (x * y),
                Counted::Mass(_) => (x + y) / (2.0 * x * x * y * y),
            };
            sum += (to - from) * each;
            finer.push(sum);
        }
        let edges = rows.iter().map(|row| row[0]).collect();
        finer.iter_mut().for_each(|share| *share /= sum);
        Ok(SizeClasses {
            edges,
            finer,
            counted,
        })
    }

    /// Creates classes from a smooth share that is finer than a radius, cut off beyond a least and a greatest one, m, and
    /// normalized between them.
    pub fn smooth(
        [min, max]: [f64; 2],
        counted: Counted,
        finer: impl Fn(f64) -> f64,
    ) -> Result<Self, ClassError> {
        let (low, high) = (finer(min), finer(max));
        // Rounding must not take rows out of order where all sizes are nearly equal.
        let mut before = [min, 0.0];
        let rows: Vec<[f64; 2]> = (0..=SMOOTH)
            .map(|k| match k {
                0 => [min, 0.0],
                SMOOTH => [max, 1.0],
                _ => {
                    let part = f64::from(k) / f64::from(SMOOTH);
                    let radius = (min * libm::pow(max / min, part)).clamp(before[0], max);
                    let share = (finer(radius) - low) / (high - low);
                    // NaN stays NaN, and is reported.
                    let share = if share > 1.0 { 1.0 } else { share };
                    before = [radius, if share < before[1] { before[1] } else { share }];
                    before
                }
            })
            .collect();
        Self::new(&rows, counted)
    }

    /// Returns the radius, m, that a share of all grains, by number, from 0 to below 1, is finer than.
    fn at(&self, share: f64) -> f64 {
        let last = self.finer.len() - 1;
        // The first class that ends above the share; empty classes are skipped.
        let end = self.finer.partition_point(|&f| f <= share).clamp(1, last);
        let (a, b) = (self.edges[end - 1], self.edges[end]);
        let (from, to) = (self.finer[end - 1], self.finer[end]);
        let part = ((share - from) / (to - from)).clamp(0.0, 1.0);
        let radius = match self.counted {
            Counted::Number => a + part * (b - a),
            // Grains within a class go as 1 / r^2: 1 / r is uniform.
            Counted::Mass(2) => a * b / (b - part * (b - a)),
            Counted::Mass(_) => {
                let (x, y) = (1.0 / (a * a), 1.0 / (b * b));
                1.0 / (x - part * (x - y)).sqrt()
            }
        };
        radius.clamp(a, b)
    }

    /// Returns the mean of r^2 or r^3, by number; where mass is counted, of the power that belongs to it.
    fn moment(&self, power: u8) -> f64 {
        let classes = self.edges.windows(2).zip(self.finer.windows(2));
        classes
            .map(|(edges, finer)| {
                let (a, b) = (edges[0], edges[1]);
                let each = match self.counted {
                    Counted::Number => even(a, b, power),
                    Counted::Mass(2) => a * b,
                    Counted::Mass(_) => 2.0 * a * a * b * b / (a + b),
                };
                (finer[1] - finer[0]) * each
            })
            .sum()
    }

    fn mean(&self) -> f64 {
        let classes = self.edges.windows(2).zip(self.finer.windows(2));
        classes
            .map(|(edges, finer)| {
                let (a, b) = (edges[0], edges[1]);
                let middle = match self.counted {
                    Counted::Number => 0.5 * (a + b),
                    Counted::Mass(2) if b > a * (1.0 + 1e-9) => a * b * libm::log(b / a) / (b - a),
                    Counted::Mass(_) => 2.0 * a * b / (a + b),
                };
                (finer[1] - finer[0]) * middle
            })
            .sum()
    }
}
