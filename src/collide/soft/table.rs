//! The soft mapping as a table: built once per law, evaluated in tens of nanoseconds.

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use serde::{Deserialize, Serialize};

use super::grid::{Axis, Grid};
use crate::collide::resolved::{Frictionless, Mapping, ResolvedError};
use crate::collide::scaled::{FINE, ScaledLaw, solve};

/// The pairs that a table covers: ranges of their sizes, and the greatest approach speed. If all pairs
/// are alike the table has two dimensions instead of three, and takes negligible time to build.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Population {
    /// Least and greatest effective mass, kg.
    pub effective_mass: [f64; 2],
    /// Least and greatest sum of two radii, m.
    pub reach: [f64; 2],
    /// Greatest normal approach speed, m/s; faster contacts are solved one by one.
    pub approach: f64,
}

/// Ranges of the contacts of a table, in scaled numbers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(in crate::collide) struct Ranges {
    /// Whether the force is proportional to the overlap to the power 1.5.
    pub hertz: bool,
    /// Least and greatest damping.
    pub damping: [f64; 2],
    /// Greatest compression.
    pub compression: f64,
    /// Whether damping and compression are both functions of the speed, with the greatest values of
    /// one pair.
    pub alike: bool,
}

/// Reason why a table cannot be built.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
pub enum TableError {
    /// An invalid number.
    #[error("{what} must be greater than 0 and finite, not {value}")]
    Range {
        /// Name of the number.
        what: &'static str,
        /// Value of the number.
        value: f64,
    },
    /// A contact within the ranges has no end.
    #[error(transparent)]
    Contact(#[from] ResolvedError),
    /// The grid would become too large.
    #[error(
        "the tolerance {tolerance} is not reached with {nodes} nodes (error {error}); allow more, or a smaller range"
    )]
    TooFine {
        /// Requested tolerance.
        tolerance: f64,
        /// Error reached.
        error: f64,
        /// Number of nodes used.
        nodes: usize,
    },
}

/// Greatest swing of tables. Beyond it the tangential speed is so much greater than the normal one
/// that the spheres separate before they are compressed: for stiff grains one collision in a
/// million.
const SWING: f64 = 1.0;
/// Greatest compression of tables: overlaps of half the distance are outside the validity of a
/// contact law, and those near 1 have no end.
const COMPRESSION: f64 = 0.5;
/// Greatest damping of a table that has to cover a range; corresponds to a restitution of 0.3 for
/// the linear and 0.4 for the viscoelastic law.
const DAMPING: f64 = 1.0;
/// Greatest number of nodes of a table: 32 MB.
const NODES: usize = 1_000_000;

/// Coordinates of a table in addition to swing / (1 + swing).
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
enum Form {
    /// Linear: damping and compression.
    Linear,
    /// Hertz and viscoelastic: the square root of the damping, in which the mapping is a series
    /// (Schwager and Poeschel 2008), and the compression.
    Hertz,
    /// Viscoelastic pairs that are all alike: only the square root of the damping. It is proportional to the speed to the
    /// power 0.1, and the compression to the speed to the power 0.8: this number times the eighth power of the root.
    Alike(f64),
}

/// The mapping of a type of law over its scaled parameters, in which it is smooth, including the edges.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MappingTable {
    form: Form,
    axes: [Axis; 3],
    grid: Grid,
    error: f64,
}

/// A contact in the table's coordinates.
#[derive(Clone, Copy, Debug)]
struct Place {
    damping: f64,
    compression: f64,
    turning: f64,
    swing: f64,
}

impl MappingTable {
    /// The table of a law for a population. The absolute error of each number of the mapping is at
    /// most `tolerance` at 4000 random points of the table's range.
    pub fn build(
        law: &Frictionless,
        population: &Population,
        tolerance: f64,
    ) -> Result<Self, TableError> {
        let positive = |what: &'static str, value: f64| {
            if value > 0.0 && value.is_finite() {
                Ok(value)
            } else {
                Err(TableError::Range { what, value })
            }
        };
        let [light, heavy] = population.effective_mass;
        positive("the effective mass", light)?;
        positive("the effective mass", heavy)?;
        let [near, far] = population.reach;
        positive("the reach", near)?;
        positive("the reach", far)?;
        positive("the approach speed", population.approach)?;
        positive("the tolerance", tolerance)?;
        let speed = population.approach;
        let damping_of = |mass: f64| law.scaled(mass, law.time_scale(mass, speed)).damping;
        let compression = speed * law.time_scale(light.max(heavy), speed) / near.min(far);
        let hertz = law.is_hertz();
        let damping = if hertz {
            // Slow contacts have the least damping: 0 in the limit.
            [0.0, damping_of(light.min(heavy))]
        } else {
            let ends = [damping_of(light), damping_of(heavy)];
            [ends[0].min(ends[1]), ends[0].max(ends[1])]
        };
        let ranges = Ranges {
            hertz,
            damping,
            compression,
            alike: light == heavy && near == far,
        };
        Self::cover(&ranges, tolerance)
    }

    /// The table over ranges of scaled numbers, see [`build`](Self::build).
    pub(in crate::collide) fn cover(ranges: &Ranges, tolerance: f64) -> Result<Self, TableError> {
        let Ranges {
            hertz,
            damping,
            compression,
            alike,
        } = *ranges;
        let most = damping[1];
        let form = if !hertz {
            Form::Linear
        } else if alike && most > 0.0 {
            Form::Alike(compression / (most * most * most * most))
        } else {
            Form::Hertz
        };
        let damping = if damping[0] < damping[1] && !matches!(form, Form::Alike(_)) {
            [damping[0].min(DAMPING), damping[1].min(DAMPING)]
        } else {
            damping
        };
        let mut axes = [
            Axis::new(form.coordinate(damping[0]), form.coordinate(damping[1]), 8),
            Axis::new(0.0, compression.min(COMPRESSION), 6),
            Axis::new(0.0, SWING / (1.0 + SWING), 8),
        ];
        if let Form::Alike(scale) = form {
            let root = libm::pow(COMPRESSION / scale, 0.125);
            axes[1] = Axis::new(0.0, form.coordinate(damping[1]).min(root), 8);
            axes[0] = Axis::new(0.0, 0.0, 1);
        }
        Self::refined(form, axes, tolerance)
    }

    /// Finds the number of nodes that each axis requires along single lines, then builds and checks the table.
    fn refined(form: Form, mut axes: [Axis; 3], tolerance: f64) -> Result<Self, TableError> {
        let mut random = ChaCha8Rng::seed_from_u64(0x50f7);
        for axis in 0..3 {
            while axes[axis].nodes() > 1 {
                let error = line_error(form, &axes, axis, tolerance, &mut random)?;
                // There are three axes, and lines miss the worst point.
                if error < tolerance / 3.0 {
                    break;
                }
                check_size(&axes, tolerance, error)?;
                axes[axis] = axes[axis].with_nodes(axes[axis].nodes() * 5 / 4 + 1);
            }
        }
        loop {
            let grid = Grid::build(axes, |point| values(form, point, tolerance))?;
            let mut table = MappingTable {
                form,
                axes,
                grid,
                error: 0.0,
            };
            for _ in 0..4000 {
                let point = draw(&axes, &mut random);
                let exact = values(form, point, tolerance)?;
                let error = difference(form, point, &table.grid.at(point), &exact);
                table.error = table.error.max(error);
            }
            if table.error <= tolerance {
                return Ok(table);
            }
            check_size(&axes, tolerance, table.error)?;
            axes = axes.map(|axis| axis.with_nodes(axis.nodes() * 5 / 4 + 1));
        }
    }

    /// Greatest error of a number of the mapping found when the table was checked.
    pub fn error(&self) -> f64 {
        self.error
    }
    /// Nodes along damping, compression and swing.
    pub fn shape(&self) -> [usize; 3] {
        self.axes.map(|axis| axis.nodes())
    }
    /// Number of nodes; each takes 32 bytes.
    pub fn nodes(&self) -> usize {
        self.grid.nodes()
    }

    /// The mapping of a contact, see [`collide`](crate::collide::resolved::collide); none outside
    /// the table. The law is of the type that the table was built for.
    #[inline]
    pub fn mapping(
        &self,
        law: &Frictionless,
        effective_mass: f64,
        time: f64,
        reach: f64,
        approach: f64,
        tangential: f64,
    ) -> Option<Mapping> {
        let compression = approach * time / reach;
        let turning = tangential * time / reach;
        self.at(Place {
            damping: law.scaled(effective_mass, time).damping,
            compression,
            turning,
            swing: turning / compression * turning,
        })
    }

    #[inline]
    fn at(&self, place: Place) -> Option<Mapping> {
        let damping = self.form.coordinate(place.damping);
        let share = place.swing / (1.0 + place.swing);
        let point = match self.form {
            Form::Alike(scale) => {
                // A different pair from the table's: the deviation exceeds rounding.
                let expected = scale * eighth(damping);
                if (place.compression - expected).abs() > 1e-12 * expected {
                    return None;
                }
                [0.0, damping, share]
            }
            _ => [damping, place.compression, share],
        };
        // A single damping equals that of the law and the pair up to rounding.
        let damping_fits = match self.axes[0].nodes() {
            1 => (point[0] - self.axes[0].node(0)).abs() <= 1e-12 * point[0],
            _ => self.axes[0].contains(point[0]),
        };
        if !damping_fits || !self.axes[1].contains(point[1]) || !self.axes[2].contains(point[2]) {
            return None;
        }
        let [overlap, rate, turn, tau] = self.grid.at(point);
        Some(Mapping {
            eps_r: 1.0 - place.compression * overlap,
            eps_phi: place.turning * turn,
            eps_rdot: rate,
            tau,
        })
    }
}

impl Form {
    #[inline]
    fn coordinate(self, damping: f64) -> f64 {
        match self {
            Form::Linear => damping,
            Form::Hertz | Form::Alike(_) => damping.sqrt(),
        }
    }
    /// Law, compression and swing of a point.
    fn problem(self, [first, second, share]: [f64; 3]) -> (ScaledLaw, f64, f64) {
        let (damping, compression) = match self {
            Form::Linear => (first, second),
            Form::Hertz => (first * first, second),
            Form::Alike(scale) => (second * second, scale * eighth(second)),
        };
        let law = ScaledLaw {
            damping,
            hertz: self != Form::Linear,
        };
        (law, compression, share / (1.0 - share))
    }
}

#[inline]
fn eighth(x: f64) -> f64 {
    let square = x * x;
    let fourth = square * square;
    fourth * fourth
}

/// Values of a table of a given tolerance at a point of its axes: overlap, rate, turn, time.
fn values(form: Form, point: [f64; 3], tolerance: f64) -> Result<[f64; 4], ResolvedError> {
    let (law, compression, swing) = form.problem(point);
    // Some hundred steps: a hundredth of the tolerance in total.
    let step = (1e-4 * tolerance).max(FINE);
    let end = solve(law, compression, swing.max(f64::MIN_POSITIVE), step)?;
    Ok([end.overlap, end.rate, end.turn, end.time])
}

/// Greatest absolute difference of two mappings.
fn difference(form: Form, point: [f64; 3], a: &[f64; 4], b: &[f64; 4]) -> f64 {
    let (_, compression, swing) = form.problem(point);
    let scales = [compression, 1.0, (compression * swing).sqrt(), 1.0];
    let parts = (0..4).map(|k| (a[k] - b[k]).abs() * scales[k]);
    parts.fold(0.0, f64::max)
}

fn draw(axes: &[Axis; 3], random: &mut ChaCha8Rng) -> [f64; 3] {
    axes.map(|axis| axis.at_share(random.random()))
}

/// Greatest interpolation error along one axis, at 24 points with exact values along the others;
/// half of them in the two end cells, where the nodes are to one side.
fn line_error(
    form: Form,
    axes: &[Axis; 3],
    axis: usize,
    tolerance: f64,
    random: &mut ChaCha8Rng,
) -> Result<f64, ResolvedError> {
    let mut worst: f64 = 0.0;
    for round in 0..24 {
        let mut point = draw(axes, random);
        let end_cell = 1.0 / (axes[axis].nodes() - 1) as f64;
        match round % 4 {
            0 => point[axis] = axes[axis].at_share(0.45 * end_cell),
            1 => point[axis] = axes[axis].at_share(1.0 - 0.45 * end_cell),
            _ => {}
        }
        let (first, weights) = axes[axis].stencil(point[axis]);
        let mut sum = [0.0; 4];
        for (j, weight) in weights.iter().enumerate() {
            let mut node = point;
            node[axis] = axes[axis].node(first + j);
            let values = values(form, node, tolerance)?;
            for k in 0..4 {
                sum[k] += weight * values[k];
            }
        }
        worst = worst.max(difference(
            form,
            point,
            &sum,
            &values(form, point, tolerance)?,
        ));
    }
    Ok(worst)
}

fn check_size(axes: &[Axis; 3], tolerance: f64, error: f64) -> Result<(), TableError> {
    let nodes = axes.iter().map(Axis::nodes).product();
    if nodes > NODES {
        return Err(TableError::TooFine {
            tolerance,
            error,
            nodes,
        });
    }
    Ok(())
}
