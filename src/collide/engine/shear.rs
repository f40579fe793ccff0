//! Sheared boxes: images above the box move along the first axis (Lees and Edwards 1972).
//!
//! Grains have velocities in space. The image of a grain above the box is displaced by the height of the box and by an
//! offset that grows with time, and is faster by rate times height; so paths of images are straight, too, and times of
//! collisions are exact. [`across`](super::across) finds the collisions of pairs across the border.

use serde::{Deserialize, Serialize};

use super::bent;
use super::state::{self, SPEED};
use super::{Core, Engine, Observer, Setup, SetupError, Stopped};
use crate::collide::soft::Collision as Outcome;
use crate::geometry::{Dimension, Vector};

/// A rate of shear from a time on.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct ShearRate {
    /// Beginning, s.
    pub from: f64,
    /// Rate dv_x / dy, 1/s.
    pub rate: f64,
}

/// The present place of the images above a sheared box.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Shearing {
    /// Rate of shear, 1/s.
    pub rate: f64,
    /// Displacement of the image above along x, m; at most half a length.
    pub offset: f64,
    /// Shear so far.
    pub sheared: f64,
}

/// State of a sheared box. Times are relative to the epoch.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Shear {
    /// Present rate, 1/s.
    pub(super) rate: f64,
    /// Lower border of the box, where the flow stands, m.
    origin: f64,
    /// Length of the box along the flow, m.
    pub(super) length: f64,
    /// Height of the box across the flow, m.
    pub(super) height: f64,
    /// Displacement of the images above at the epoch, m.
    offset: f64,
    /// Shear up to the epoch.
    sheared: f64,
    /// Rates to come, the next one last; with times on the engine's clock.
    to_come: Vec<ShearRate>,
    /// For each slot the time up to which its last search across the border holds, s; infinite away from the border.
    pub(super) looks: Vec<f64>,
}

impl Shear {
    /// The shear of a setup; none where the box stands still all the time.
    pub(super) fn of<D: Dimension>(setup: &Setup<D>) -> Option<Shear> {
        let rates = setup.shear.as_ref()?;
        if rates.iter().all(|step| step.rate == 0.0) {
            return None;
        }
        let begun = |step: &&ShearRate| step.from <= setup.time;
        let mut to_come: Vec<ShearRate> =
            rates.iter().filter(|step| !begun(step)).copied().collect();
        to_come.reverse();
        Some(Shear {
            rate: rates.iter().rfind(begun).map_or(0.0, |step| step.rate),
            origin: setup.min[1],
            length: setup.max[0] - setup.min[0],
            height: setup.max[1] - setup.min[1],
            offset: 0.0,
            sheared: 0.0,
            to_come,
            looks: vec![f64::INFINITY; setup.bodies.len()],
        })
    }

    /// Speed of the images above the box, m/s.
    #[inline(always)]
    pub(super) fn speed(&self) -> f64 {
        self.rate * self.height
    }

    /// A distance along the flow to the nearest image, m.
    #[inline(always)]
    pub(super) fn nearest(&self, way: f64) -> f64 {
        way - self.length * (way / self.length).round()
    }

    /// Displacement of the images above t s after the epoch, m; at most half a length.
    #[inline(always)]
    pub(super) fn offset_at(&self, t: f64) -> f64 {
        self.nearest(self.offset + self.speed() * t)
    }

    /// Velocity of the flow at a place along the second axis, m/s.
    #[inline(always)]
    pub(super) fn flow(&self, y: f64) -> f64 {
        self.rate * (y - self.origin)
    }

    /// Moves the epoch forward by `shift`, s.
    pub(super) fn shift(&mut self, shift: f64) {
        self.offset = self.offset_at(shift);
        self.sheared += self.rate * shift;
        for look in &mut self.looks {
            *look -= shift;
        }
    }

    /// Changes the rate t s after the epoch.
    fn change(&mut self, rate: f64, t: f64) {
        let (offset, sheared) = (self.offset_at(t), self.sheared + self.rate * t);
        self.rate = rate;
        self.offset = self.nearest(offset - self.speed() * t);
        self.sheared = sheared - rate * t;
    }

    /// The image of a vector between two grains that is nearest t s after the epoch, and its velocity.
    #[inline(always)]
    pub(super) fn image<V: Vector>(&self, [mut d, mut v]: [V; 2], t: f64) -> [V; 2] {
        let turns = (d[1] / self.height).round();
        if turns != 0.0 {
            d[1] -= turns * self.height;
            d[0] -= turns * self.offset_at(t);
            v[0] -= turns * self.speed();
        }
        d[0] = self.nearest(d[0]);
        [d, v]
    }
}

/// Checks that a setup with a shear has nothing that a sheared box does not know.
pub(super) fn check<D: Dimension>(setup: &Setup<D>) -> Result<(), SetupError> {
    let Some(rates) = &setup.shear else {
        return Ok(());
    };
    let height = setup.max[1] - setup.min[1];
    let finite = |step: &ShearRate| step.from.is_finite() && (step.rate * height).is_finite();
    let faults = [
        (
            (0..D::N).any(|k| !setup.periodic[k]),
            "is periodic in all directions",
        ),
        (
            setup.gravity != D::Vector::default() || setup.fields.is_some(),
            "is the same everywhere, and knows no fields",
        ),
        (!setup.walls.is_empty(), "has no walls"),
        (!setup.coming.is_empty(), "takes in no grains"),
        (
            !rates.iter().all(finite) || !rates.is_sorted_by(|a, b| a.from <= b.from),
            "needs finite rates, in order of time",
        ),
    ];
    match faults.iter().find(|(fault, _)| *fault) {
        Some((_, why)) => Err(SetupError::Rules(format!("a sheared box {why}"))),
        None => Ok(()),
    }
}

impl<D: Dimension> Engine<D> {
    /// Place and motion of the images above a sheared box now; none where none ever moves.
    pub fn shearing(&self) -> Option<Shearing> {
        let (shear, t) = (self.core.shear.as_ref()?, self.time - self.core.clock.epoch);
        Some(Shearing {
            rate: shear.rate,
            offset: shear.offset_at(t),
            sheared: shear.sheared + shear.rate * t,
        })
    }

    /// Velocity of the flow of a sheared box at a position, m/s; 0 elsewhere.
    pub fn flow_at(&self, position: D::Vector) -> D::Vector {
        let mut flow = D::Vector::default();
        if let Some(shear) = &self.core.shear {
            flow[0] = shear.flow(position[1]);
        }
        flow
    }

    /// Runs like [`Engine::run`], and changes the rate of shear at its times.
    #[cold]
    #[inline(never)]
    pub(super) fn run_sheared<O: Observer<D>>(
        &mut self,
        until: f64,
        collisions: u64,
        observer: &mut O,
    ) -> Stopped {
        loop {
            let next = self
                .core
                .shear
                .as_ref()
                .and_then(|s| s.to_come.last().copied());
            let Some(next) = next.filter(|next| next.from < until) else {
                return self.run_steadily(until, collisions, observer);
            };
            let stopped = self.run_steadily(next.from, collisions, observer);
            if stopped != Stopped::Until {
                return stopped;
            }
            self.change_rate(next.rate);
        }
    }

    /// Changes the rate of shear now: all grains take on the flow that is new, and keep their velocity against it.
    fn change_rate(&mut self, rate: f64) {
        let t = (self.time - self.core.clock.epoch).max(self.core.clock.now);
        self.core.end_all_fluxes(t);
        if let Some(shear) = &mut self.core.shear {
            shear.to_come.pop();
            let change = rate - shear.rate;
            shear.change(rate, t);
            let gravity = self.core.gravity;
            for (row, &id) in self.core.bodies.rows.iter_mut().zip(&self.core.bodies.ids) {
                if id == super::change::GONE {
                    continue;
                }
                let y = state::place_at::<D>(row, gravity, t)[1];
                let mut kick = D::Vector::default();
                kick[0] = change * (y - shear.origin);
                state::kick::<D>(row, kick, t);
            }
        }
        self.foresee_all();
    }
}

/// Whether a grain that leaves its place through a face leaves the box across the flow.
#[inline(always)]
pub(super) fn leaves<D: Dimension>(core: &Core<D>, grain: u32, face: u32) -> bool {
    let (axis, up) = ((face / 2) as usize, face % 2 == 1);
    axis == 1
        && core
            .cells
            .beside(core.bodies.slots[grain as usize].at, 1, up)
            .1
}

/// Turns a grain beyond the upper border (`turns` 1) or the lower one (-1) into its image in the box; returns its position.
fn cross_border<D: Dimension>(core: &mut Core<D>, i: usize, turns: f64, t: f64) -> D::Vector {
    let row = &mut core.bodies.rows[i];
    if let Some(shear) = &core.shear {
        let mut kick = D::Vector::default();
        kick[0] = -turns * shear.speed();
        state::kick::<D>(row, kick, t);
        row.0[1] -= turns * shear.height;
        row.0[0] -= turns * shear.offset_at(t);
        let x = state::place_at::<D>(row, core.gravity, t);
        let around = ((x[0] - core.cells.origin[0]) / shear.length).floor();
        row.0[0] -= around * shear.length;
        let wraps = &mut core.bodies.wraps[i];
        wraps[1] += turns as i32;
        wraps[0] += around as i32;
    }
    state::place_at::<D>(row, core.gravity, t)
}

/// Brings a grain that a contact displaced back into the box across the flow.
#[cold]
#[inline(never)]
pub(super) fn bring_back<D: Dimension>(core: &mut Core<D>, i: usize, t: f64) {
    let Some(shear) = &core.shear else {
        return;
    };
    let y = state::place_at::<D>(&core.bodies.rows[i], core.gravity, t)[1];
    let turns = ((y - shear.origin) / shear.height).floor();
    if turns != 0.0 {
        cross_border(core, i, turns, t);
    }
}

/// Lets a grain that leaves the box across the flow come in on the other side, t s after the epoch: as the image that is
/// there, displaced along the flow and with another velocity.
#[cold]
#[inline(never)]
pub(super) fn carry<D: Dimension>(core: &mut Core<D>, grain: u32, face: u32, t: f64) {
    let (i, up) = (grain as usize, face % 2 == 1);
    core.tally.work.crossings += 1;
    let x = cross_border(core, i, if up { 1.0 } else { -1.0 }, t);
    let from = core.bodies.slots[i].at;
    let mut to = from;
    to[0] = core.cells.locate::<D>(x)[0];
    to[1] = core.cells.beside(from, 1, up).0;
    core.bodies.slots[i].at = to;
    core.cells.remove(core.cells.index(from), grain);
    core.cells.insert(core.cells.index(to), grain);
}

impl<D: Dimension> Core<D> {
    /// Present vector from one grain to another in a sheared box, by the nearest image, and its velocity.
    #[inline(never)]
    pub(super) fn between_sheared(
        &self,
        shear: &Shear,
        [a, b]: [usize; 2],
        t: f64,
    ) -> [D::Vector; 2] {
        let (a, b) = (&self.bodies.rows[a], &self.bodies.rows[b]);
        let v = state::speed::<D>(b) - state::speed::<D>(a);
        let d = state::place::<D>(b) - state::place::<D>(a) + v * t;
        let [d, v] = shear.image([d, v], t);
        [bent::nearest_image(self, d), v]
    }

    /// The nearest image of a vector between two positions.
    pub(super) fn nearest_sheared(&self, shear: &Shear, d: D::Vector, t: f64) -> D::Vector {
        let [d, _] = shear.image([d, D::Vector::default()], t);
        bent::nearest_image(self, d)
    }

    /// For two grains that a contact puts to their places at its end, where they go with one velocity, as the first has
    /// it: their velocities relative to the flow, and by how much the second is faster in space, being an image.
    pub(super) fn seen_by_flow(
        &self,
        [i, j]: [usize; 2],
        velocity: D::Vector,
        outcome: &Outcome<D>,
        t: f64,
    ) -> ([D::Vector; 2], f64) {
        let mut seen = [velocity; 2];
        let Some(shear) = &self.shear else {
            return (seen, 0.0);
        };
        let at = |k: usize| state::place_at::<D>(&self.bodies.rows[k], self.gravity, t)[1];
        let (y, other) = (at(i), at(j));
        for (seen, placed) in seen.iter_mut().zip(outcome.placed) {
            seen[0] -= shear.flow(y + placed[1]);
        }
        let turns = ((other - y) / shear.height).round();
        (seen, turns * shear.speed())
    }

    /// Adds the flow at the start to the velocity of a grain.
    pub(super) fn take_on_flow(&mut self, i: usize) {
        if let Some(shear) = &self.shear {
            let row = &mut self.bodies.rows[i];
            row.0[SPEED] += shear.flow(row.0[1]);
        }
    }
}
