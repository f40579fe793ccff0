//! Sums over grains and contacts at the points of a field.

use super::kernel::Lucy;
use super::places::Places;
use super::scene::{Contact, Particle, Scene};
use crate::study::StudyError;

/// The fields at a point.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Field {
    /// Mass per volume, kg/m^3; in the plane per area, kg/m^2.
    pub density: f64,
    /// Solid fraction.
    pub fraction: f64,
    /// Density of momentum, kg/(m^2 s); in the plane kg/(m s).
    pub momentum: [f64; 3],
    /// Momentum over density, m/s; none where there is no mass.
    pub velocity: Option<[f64; 3]>,
    /// Pressure tensor of motion relative to the mean velocity, Pa; in the plane N/m. Row: plane across the axis,
    /// column: force along it.
    pub kinetic: [[f64; 3]; 3],
    /// Pressure tensor of contacts, likewise.
    pub contact: [[f64; 3]; 3],
    /// Density of the forces by walls, N/m^3; in the plane N/m^2.
    pub boundary: [f64; 3],
    /// Number of contacts per volume or area.
    pub contacts: f64,
    /// Number of sliding contacts per volume or area.
    pub sliding: f64,
}

impl Field {
    /// Returns the mean of the normal components of both pressures.
    pub fn pressure(&self, dimensions: usize) -> f64 {
        let trace = (0..dimensions).map(|k| self.kinetic[k][k] + self.contact[k][k]);
        trace.sum::<f64>() / dimensions as f64
    }
}

#[derive(Clone, Copy, Debug, Default)]
struct Sum {
    mass: f64,
    volume: f64,
    momentum: [f64; 3],
    /// Transported momentum: xx, yy, zz, xy, xz, yz.
    carried: [f64; 6],
    contact: [[f64; 3]; 3],
    boundary: [f64; 3],
    contacts: f64,
    sliding: f64,
}

/// Axes of the six components of a symmetric tensor.
const PAIRS: [[usize; 2]; 6] = [[0, 0], [1, 1], [2, 2], [0, 1], [0, 2], [1, 2]];

/// Fields at given points, at one time or averaged over several.
#[derive(Clone, Debug)]
pub struct Sums {
    kernel: Lucy,
    places: Places,
    sums: Vec<Sum>,
    moments: usize,
}

impl Sums {
    /// Returns empty sums at these points.
    ///
    /// # Errors
    /// No points, too many, or coordinates that are not finite.
    pub fn new(kernel: Lucy, points: Vec<[f64; 3]>) -> Result<Sums, StudyError> {
        let places = Places::new(points, kernel.reach())?;
        Ok(Sums {
            kernel,
            sums: vec![Sum::default(); places.points.len()],
            places,
            moments: 0,
        })
    }

    /// Returns the points.
    pub fn points(&self) -> &[[f64; 3]] {
        &self.places.points
    }

    /// Returns the number of states added.
    pub fn moments(&self) -> usize {
        self.moments
    }

    /// Resets the sums.
    pub fn clear(&mut self) {
        self.sums.fill(Sum::default());
        self.moments = 0;
    }

    /// Adds the state at one time. The points are fixed: for a moving box, see [`Sums::add_at`].
    ///
    /// # Errors
    /// Numbers that are not finite; then nothing is added.
    pub fn add(&mut self, scene: &Scene) -> Result<(), StudyError> {
        scene.checked()?;
        for particle in &scene.particles {
            self.add_particle(scene, particle);
        }
        for contact in &scene.contacts {
            self.add_contact(scene, contact);
        }
        self.moments += 1;
        Ok(())
    }

    /// Moves the points, keeping their number, and adds the state at one time.
    ///
    /// # Errors
    /// A different number of points, or numbers that are not finite.
    pub fn add_at(&mut self, points: Vec<[f64; 3]>, scene: &Scene) -> Result<(), StudyError> {
        if points.len() != self.sums.len() {
            return Err(StudyError::Unequal {
                what: "points of a field",
                first: self.sums.len(),
                second: points.len(),
            });
        }
        self.places = Places::new(points, self.kernel.reach())?;
        self.add(scene)
    }

    /// Returns the average over the states that were added. Velocities are mean momentum over mean density, and
    /// kinetic pressure is that of motion relative to these, so that the averages also satisfy the balances.
    pub fn fields(&self) -> Vec<Field> {
        let share = 1.0 / self.moments.max(1) as f64;
        let field = |sum: &Sum| {
            let velocity = (sum.mass > 0.0).then(|| sum.momentum.map(|p| p / sum.mass));
            let mut kinetic = [[0.0; 3]; 3];
            if let Some(v) = velocity {
                for ([i, j], carried) in PAIRS.into_iter().zip(sum.carried) {
                    let own = share * (carried - sum.momentum[i] * v[j]);
                    // Negative values come from rounding.
                    let own = if i == j { own.max(0.0) } else { own };
                    kinetic[i][j] = own;
                    kinetic[j][i] = own;
                }
            }
            Field {
                density: share * sum.mass,
                fraction: share * sum.volume,
                momentum: sum.momentum.map(|p| share * p),
                velocity,
                kinetic,
                contact: sum.contact.map(|row| row.map(|p| share * p)),
                boundary: sum.boundary.map(|f| share * f),
                contacts: share * sum.contacts,
                sliding: share * sum.sliding,
            }
        };
        self.sums.iter().map(field).collect()
    }

    /// Calls `visit` for each image of a line piece that reaches a point: the sum there, the piece relative to the
    /// point, and the velocity change of the image.
    fn spread(
        &mut self,
        scene: &Scene,
        ends: [[f64; 3]; 2],
        mut visit: impl FnMut(&Lucy, &mut Sum, [[f64; 3]; 2], [f64; 3]),
    ) {
        let reach = self.kernel.reach();
        let low: [f64; 3] = std::array::from_fn(|k| ends[0][k].min(ends[1][k]) - reach);
        let high: [f64; 3] = std::array::from_fn(|k| ends[0][k].max(ends[1][k]) + reach);
        let (kernel, places, sums) = (&self.kernel, &self.places, &mut self.sums);
        let bounds = places.bounds;
        scene.lattice.images([low, high], bounds, |shift, turn| {
            let moved = |p: [f64; 3]| std::array::from_fn(|k| p[k] + shift[k]);
            places.near(moved(low), moved(high), |point, at| {
                let seen = ends.map(|end| std::array::from_fn(|k| end[k] + shift[k] - at[k]));
                visit(kernel, &mut sums[point], seen, turn);
            });
        });
    }

    fn add_particle(&mut self, scene: &Scene, particle: &Particle) {
        let place = particle.position;
        self.spread(scene, [place, place], |kernel, sum, [seen, _], turn| {
            let weight = kernel.at(seen[0] * seen[0] + seen[1] * seen[1] + seen[2] * seen[2]);
            if weight == 0.0 {
                return;
            }
            let mass = particle.mass * weight;
            let v: [f64; 3] = std::array::from_fn(|k| particle.velocity[k] + turn[k]);
            sum.mass += mass;
            sum.volume += particle.volume * weight;
            for k in 0..3 {
                sum.momentum[k] += mass * v[k];
            }
            for (carried, [i, j]) in sum.carried.iter_mut().zip(PAIRS) {
                *carried += mass * v[i] * v[j];
            }
        });
    }

    fn add_contact(&mut self, scene: &Scene, contact: &Contact) {
        let point = contact.point;
        let force = contact.force;
        let opposite = force.map(|f| -f);
        let mut branch = |way: [f64; 3], force: [f64; 3]| {
            let grain = std::array::from_fn(|k| point[k] + way[k]);
            self.spread(scene, [point, grain], |kernel, sum, [from, to], _| {
                let weight = kernel.along(from, to);
                if weight == 0.0 {
                    return;
                }
                for (row, way) in sum.contact.iter_mut().zip(way) {
                    for (entry, force) in row.iter_mut().zip(force) {
                        *entry += weight * way * force;
                    }
                }
            });
        };
        branch(contact.first, force);
        if let Some(second) = contact.second {
            branch(second, opposite);
        }
        self.spread(scene, [point, point], |kernel, sum, [seen, _], _| {
            let weight = kernel.at(seen[0] * seen[0] + seen[1] * seen[1] + seen[2] * seen[2]);
            if contact.second.is_none() {
                for (sum, force) in sum.boundary.iter_mut().zip(force) {
                    *sum += weight * force;
                }
            }
            sum.contacts += weight;
            if contact.sliding {
                sum.sliding += weight;
            }
        });
    }
}
