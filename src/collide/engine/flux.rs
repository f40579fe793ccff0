//! Flux of momentum in a periodic box: what collisions carry over the distance of centres, and what grains carry with them, relative
//! to the flow of a sheared box. Over volume and time it is the mean pressure (Irving and Kirkwood 1950).
//!
//! The pressure works on the flow: that is what a sheared box gives its grains. Between two collisions a grain keeps its
//! velocity in space, and its velocity relative to the flow changes evenly as it goes across; both integrals are exact.

use serde::{Deserialize, Serialize};

use super::change::GONE;
use super::state;
use super::{Core, Engine};
use crate::collide::soft::Collision as Outcome;
use crate::geometry::Dimension;

/// Integral over time of the flux of momentum times the volume, J s: direction of transport first, that of the momentum
/// second.
pub type FluxTensor = [[f64; 3]; 3];

/// Fluxes of momentum since the start.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct FluxTally {
    /// By collisions: vector from the first to the second grain, and momentum given to the second.
    pub collisions: FluxTensor,
    /// By motion relative to the flow.
    pub motion: FluxTensor,
    /// Work of the pressure on the flow of a sheared box, J: what the grains received.
    pub work: f64,
}

/// Fluxes up to the last collision of each grain.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Flux {
    tally: FluxTally,
    /// For each slot the time up to which its motion is in the sums, s since the epoch.
    since: Vec<f64>,
}

impl Flux {
    /// Sums for so many grains.
    pub(super) fn new(grains: usize) -> Self {
        Flux {
            tally: FluxTally::default(),
            since: vec![0.0; grains],
        }
    }

    /// Adds a slot.
    pub(super) fn grow(&mut self) {
        self.since.push(0.0);
    }

    /// Moves the epoch forward by `shift`, s.
    pub(super) fn shift(&mut self, shift: f64) {
        for since in &mut self.since {
            *since -= shift;
        }
    }
}

impl FluxTally {
    /// Adds momentum that went a way at once, by a collision or with a grain, at a rate of shear.
    fn carry<D: Dimension>(
        &mut self,
        rate: f64,
        way: D::Vector,
        momentum: D::Vector,
        collided: bool,
    ) {
        let sums = if collided {
            &mut self.collisions
        } else {
            &mut self.motion
        };
        for k in 0..D::N {
            for l in 0..D::N {
                sums[k][l] += way[k] * momentum[l];
            }
        }
        self.work -= rate * way[1] * momentum[0];
    }

    /// Sum of both parts, J s.
    pub fn total(&self) -> FluxTensor {
        std::array::from_fn(|i| std::array::from_fn(|j| self.collisions[i][j] + self.motion[i][j]))
    }
}

impl<D: Dimension> Engine<D> {
    /// Fluxes of momentum up to now; none where the setup does not ask for them.
    pub fn flux(&self) -> Option<FluxTally> {
        let core = &self.core;
        let flux = core.flux.as_ref()?;
        let (t, mut tally) = (self.time - core.clock.epoch, flux.tally);
        for (_, slot) in self.present() {
            core.add_flight(&mut tally, slot as usize, flux.since[slot as usize], t);
        }
        Some(tally)
    }
}

impl<D: Dimension> Core<D> {
    /// Adds the motion of a grain from one time to another, s since the epoch.
    fn add_flight(&self, tally: &mut FluxTally, i: usize, from: f64, to: f64) {
        let lasted = to - from;
        let (row, mass) = (&self.bodies.rows[i], self.bodies.masses[i]);
        let y = state::place_at::<D>(row, self.gravity, from + 0.5 * lasted)[1];
        let mut c = state::speed::<D>(row);
        let mut rate = 0.0;
        if let Some(shear) = &self.shear {
            rate = shear.rate;
            c[0] -= shear.flow(y);
        }
        let share = mass * lasted;
        for k in 0..D::N {
            for l in 0..D::N {
                tally.motion[k][l] += share * (c[k] * c[l]);
            }
        }
        let change = rate * c[1] * lasted;
        tally.motion[0][0] += share * (change * change) / 12.0;
        tally.work -= rate * share * (c[0] * c[1]);
    }

    /// Adds the motion of a grain up to now, s since the epoch: before its path changes.
    pub(super) fn end_flux(&mut self, i: usize, t: f64) {
        if self.bodies.ids[i] == GONE {
            return;
        }
        let Some(mut flux) = self.flux.take() else {
            return;
        };
        if let Some(since) = flux.since.get(i).copied() {
            self.add_flight(&mut flux.tally, i, since, t);
            flux.since[i] = t;
        }
        self.flux = Some(flux);
    }

    /// The same for all grains.
    pub(super) fn end_all_fluxes(&mut self, t: f64) {
        for i in 0..self.bodies.rows.len() {
            self.end_flux(i, t);
        }
    }

    /// Adds a collision: `d` from the first grain to the second, the impulse on the second.
    #[cold]
    #[inline(never)]
    pub(super) fn add_collision(
        &mut self,
        [i, j]: [usize; 2],
        [d, impulse]: [D::Vector; 2],
        t: f64,
    ) {
        self.end_flux(i, t);
        self.end_flux(j, t);
        let rate = self.shear.as_ref().map_or(0.0, |shear| shear.rate);
        if let Some(flux) = &mut self.flux {
            flux.tally.carry::<D>(rate, d, impulse, true);
        }
    }

    /// Adds a contact that lasts, at its beginning, after both grains were put to their places at its end: the impulse by which they
    /// came to go together, their ways, and the impulse at the end, which is stored.
    #[cold]
    #[inline(never)]
    pub(super) fn add_contact(
        &mut self,
        pair: [usize; 2],
        d: D::Vector,
        outcome: &Outcome<D>,
        t: f64,
    ) {
        let (touch, placed) = (&outcome.touch, outcome.placed);
        let rate = self.shear.as_ref().map_or(0.0, |shear| shear.rate);
        let seen = pair.map(|i| {
            let row = &self.bodies.rows[i];
            let (y, mut c) = (
                state::place_at::<D>(row, self.gravity, t)[1],
                state::speed::<D>(row) + self.gravity * t,
            );
            c[0] -= self.shear.as_ref().map_or(0.0, |shear| shear.flow(y));
            c
        });
        let Some(flux) = &mut self.flux else {
            return;
        };
        let mass = touch.masses[1];
        let first = (touch.centre_velocity - touch.velocities[1]) * mass;
        flux.tally.carry::<D>(rate, d, first, true);
        flux.tally.carry::<D>(
            rate,
            placed[1] - placed[0],
            outcome.relative[1] * mass,
            true,
        );
        for (k, way) in [placed[0], placed[1] - d].into_iter().enumerate() {
            let mut c = seen[k];
            // On the mean of its way.
            c[0] += 0.5 * rate * way[1];
            flux.tally.carry::<D>(rate, way, c * touch.masses[k], false);
        }
    }
}
