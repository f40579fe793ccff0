//! Estimate of the cost of a run before it starts, to plan studies, within a factor of two or three.
//!
//! Measured on a common machine (docs/notes/performance.md lists others): a step of a ball in a settled bed takes a fixed time, links
//! included. A grain of several parts costs a ball, and for each part a search for contacts; of a grain of arcs only those that face each
//! other are checked.

use super::bonded::bonds_at_start;
use super::{EventsSetup, QuasiStaticSetup, Setup, SolverName};
use crate::body::{Grain, ShapeTemplate};
use crate::contact::ContactLaw;
use crate::geometry::{Dimension, Vector};
use crate::stress::CostModel;

/// Seconds of one core for a step of a ball, in 2 and 3 dimensions.
const BALL: [f64; 2] = [1.0 / 60e6, 1.0 / 12e6];
/// The same for each part of a clump.
const PART: [f64; 2] = [1.0 / 11e6, 1.0 / 60e6];
/// Extra seconds for a grain of arcs beyond those of a ball.
const ARCS: f64 = 1.0 / 25e6;
/// The same for a bond.
const BOND: [f64; 2] = [28e-9, 66e-9];
/// Seconds for a collision of an event-driven run, with all predictions around it.
const COLLISION: [f64; 2] = [1.8e-6, 2.3e-6];
/// The same where contacts last.
const SOFT: f64 = 4e-6;
/// Seconds for a grain of a quasi-static filling without its slides.
const PLACED: [f64; 2] = [3e-4, 1e-3];
/// Slides of such a filling: seconds for so many grains in so many layers whose links slide once they are sheared as far as they are
/// compressed, and the exponents of growth with each. Fitted to 60 fillings of boxes, 50 to 5,000 disks and 60 to 400 spheres in 5 to 110
/// layers, friction 0.2 to 0.8, tangential stiffness 0.1 to 1 of the normal one: a factor of 1.5 between fit and measurement, 2.5 at most.
const SLIDES: [Slides; 2] = [
    Slides {
        seconds: 0.54,
        grains: 300.0,
        layers: 20.0,
        by_grains: 1.7,
        by_layers: 1.7,
    },
    Slides {
        seconds: 0.66,
        grains: 100.0,
        layers: 6.0,
        by_grains: 3.0,
        by_layers: 1.4,
    },
];
/// Exponent of growth with how easily a link slides: the ratio of its stiffnesses over the coefficient of friction.
const BY_EASE: f64 = 1.2;
/// Factor of conjugate gradients alone on that time.
const CONJUGATE: f64 = 6.0;

/// Seconds of an iteration of a solve for increments, per displacement; its matrix takes as long as [`ASSEMBLY`] iterations (`cargo bench
/// --bench stress`, beds of 500 and 5,000 disks in single precision: 7 and 9 ns, 61 and 71 ns).
const ITERATION: f64 = 8e-9;
const ASSEMBLY: usize = 8;

/// Returns the seconds of one core for a step of a ball.
pub(super) fn step<D: Dimension>() -> f64 {
    BALL[D::N - 2]
}

/// Returns the seconds of one core for a collision in flight.
pub(super) fn collision<D: Dimension>() -> f64 {
    COLLISION[D::N - 2]
}

/// Returns the seconds of one core for the matrix of a solve for increments of so many displacements.
pub(super) fn assembly(displacements: usize) -> f64 {
    iterations(ASSEMBLY, displacements)
}

/// Returns the seconds of one core for `count` iterations of such a solve.
pub(super) fn iterations(count: usize, displacements: usize) -> f64 {
    ITERATION * count as f64 * displacements as f64
}

/// Returns the seconds of one core for `count` solves of a filling for so many displacements.
pub(super) fn solves(count: usize, displacements: usize) -> f64 {
    let n = displacements.max(2) as f64;
    CostModel::MEASURED.substitution * count as f64 * n * libm::log2(n)
}

/// Cost of the slides of a filling: see [`SLIDES`].
struct Slides {
    seconds: f64,
    grains: f64,
    layers: f64,
    by_grains: f64,
    by_layers: f64,
}

impl<D: Dimension> Setup<D> {
    /// Returns the seconds of one core for all grains, with a step of `step`, s.
    pub fn stepped_cost(&self, step: f64) -> f64 {
        let settles = self.run.settle.map_or(0.0, |settle| settle.at_most);
        let steps = (self.run.end_time - self.run.begin + settles) / step;
        let given = self.grains.iter().map(|grain| self.grain_cost(grain.form));
        let fed = self.sources.feeds.iter().map(|feed| {
            let last = feed.last_due(&self.matter.forms, self.run.end_time);
            let lasts = (self.run.end_time - 0.5 * (feed.start + last)).max(0.0);
            let each = feed.what.mean_over(|sort| self.grain_cost(sort.form));
            each * self.likely(feed, last).count * lasts / step
        });
        let bonds = bonds_at_start(self).unwrap_or(0) as f64 * BOND[D::N - 2];
        (given.sum::<f64>() + bonds) * steps + fed.sum::<f64>()
    }

    /// Returns the seconds of one core for a step of a grain.
    fn grain_cost(&self, form: Option<u16>) -> f64 {
        let k = D::N - 2;
        let more = |form: &ShapeTemplate<D>| {
            if form.arcs {
                ARCS
            } else {
                form.parts.len() as f64 * PART[k]
            }
        };
        BALL[k] + form.map_or(0.0, |form| more(&self.matter.forms[usize::from(form)]))
    }

    /// Returns the expected number of collisions of an event-driven run, and the seconds of one core, from the speeds at the start, which
    /// only fall where nothing drives the grains.
    pub fn event_cost(&self, events: &EventsSetup) -> (f64, f64) {
        let count = self.grains.len() as f64;
        let soft = events.laws.pairs.iter().flatten().any(|law| law.soft);
        let rate = self.collision_rate();
        let collisions = match self.cooling(events, rate) {
            // Haff 1983: the rate falls as 1 / (1 + t / tau).
            Some(tau) => rate * tau * libm::log1p(self.run.end_time / tau),
            None => rate * self.run.end_time,
        };
        // Each grain's events are predicted at least once.
        let each = if soft { SOFT } else { COLLISION[D::N - 2] };
        (collisions, each * (collisions + 2.0 * count))
    }

    /// Returns the cooling time of a gas that nothing drives, s; `None` where it is driven, or no loss is known beforehand.
    fn cooling(&self, events: &EventsSetup, rate: f64) -> Option<f64> {
        let driven =
            self.fields.gravity.norm() > 0.0 || self.boundaries.iter().any(|wall| !wall.stands());
        let by_law = events.laws.pairs.iter().any(Option::is_some);
        if driven || by_law || events.rules.is_empty() {
            return None;
        }
        let sum: f64 = events.rules.iter().map(|rule| rule.restitution).sum();
        let mean = sum / events.rules.len() as f64;
        let lost = 1.0 - mean * mean;
        // Per grain; two take part in a collision.
        let each = 2.0 * rate / self.grains.len() as f64;
        (lost > 0.0 && each > 0.0).then(|| 2.0 * D::N as f64 / (lost * each))
    }

    /// Returns the collision rate of pairs in a dilute gas, with the packing's correction (Enskog; Carnahan and Starling 1969,
    /// Henderson 1975), 1/s.
    fn collision_rate(&self) -> f64 {
        let count = self.grains.len() as f64;
        if count < 2.0 {
            return 0.0;
        }
        let radius = self.grains.iter().map(|grain| grain.radius).sum::<f64>() / count;
        let measure: f64 = self.grains.iter().map(|g| D::ball_measure(g.radius)).sum();
        let mean = self
            .grains
            .iter()
            .fold(D::Vector::default(), |sum, grain| sum + grain.velocity)
            * (1.0 / count);
        let square = self
            .grains
            .iter()
            .map(|grain| (grain.velocity - mean).norm_squared())
            .sum::<f64>()
            / count;
        let room = self.room(radius, square);
        let filled = (measure / room).clamp(1e-9, 0.6);
        // The energy that gravity or a moving wall supplies is not included; that of a fall through the room is.
        let fall = self.fields.gravity.norm() * libm::pow(room, 1.0 / D::N as f64);
        let speed = (square + fall).sqrt();
        let density = count / room;
        let pi = std::f64::consts::PI;
        let each = if D::N == 2 {
            let pair = (1.0 - 7.0 * filled / 16.0) / ((1.0 - filled) * (1.0 - filled));
            // Mean relative speed of two grains of a Maxwell distribution: sqrt(pi / 2) times the root mean square.
            2.0 * 2.0 * radius * density * (pi / 2.0).sqrt() * speed * pair
        } else {
            let pair = (1.0 - filled / 2.0) / libm::pow(1.0 - filled, 3.0);
            pi * 4.0 * radius * radius * density * (16.0 / (3.0 * pi)).sqrt() * speed * pair
        };
        0.5 * count * each
    }

    /// Returns the room of grains with this mean square of the speed, m^2 or m^3: the periodic box, or the extent of the grains, or that of
    /// the walls as far as the grains spread in it (a gas under gravity: to twice its scale height).
    fn room(&self, radius: f64, square: f64) -> f64 {
        let gravity = self.fields.gravity.norm();
        let walls = self.boundaries.iter();
        let walls: Vec<(D::Vector, D::Vector)> =
            walls.filter_map(|wall| wall.shape.extent()).collect();
        let rises = 2.0 * square / (D::N as f64 * gravity);
        let side = |k: usize| {
            if let Some(axis) = self.space.periodic.get(k).copied().flatten() {
                return axis.length;
            }
            let grains = self.grains.iter().map(|grain| grain.position[k]);
            let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
            for x in grains {
                (low, high) = (low.min(x - radius), high.max(x + radius));
            }
            let spans = high - low;
            for (from, to) in &walls {
                (low, high) = (low.min(from[k]), high.max(to[k]));
            }
            // Across gravity, or without it, nothing keeps the grains from the walls.
            let along = self.fields.gravity[k].abs() > 0.5 * gravity;
            match along {
                true => (high - low).min(rises.max(spans)),
                false => high - low,
            }
        };
        (0..D::N).map(side).product()
    }

    /// Returns the seconds of one core for a quasi-static filling.
    pub fn filling_cost(&self, settings: &QuasiStaticSetup) -> f64 {
        let (k, grains) = (D::N - 2, self.grains.len() as f64);
        let slides = &SLIDES[k];
        let sliding = slides.seconds
            * libm::pow(grains / slides.grains, slides.by_grains)
            * libm::pow(self.layers() / slides.layers, slides.by_layers)
            * libm::pow(self.ease_of_slides(), BY_EASE);
        let times = match settings.solver {
            SolverName::Cg => CONJUGATE,
            _ => 1.0,
        };
        let slides = f64::from(u8::from(settings.slides));
        times * (PLACED[k] * grains + slides * sliding)
    }

    /// Returns the number of layers of grains of the mean size.
    fn layers(&self) -> f64 {
        let height = |grain: &Grain<D>| {
            -self.fields.gravity.dot(&grain.position) / self.fields.gravity.norm()
        };
        let heights = self.grains.iter().map(height);
        let (low, high) = heights.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), h| {
            (low.min(h), high.max(h))
        });
        let diameters = self.grains.iter().map(|grain| 2.0 * grain.radius);
        let mean = diameters.sum::<f64>() / self.grains.len() as f64;
        1.0 + ((high - low) / mean).max(0.0)
    }

    /// Returns tangential over normal stiffness over the coefficient of friction, the mean of the laws; 0 where nothing grips or all holds.
    fn ease_of_slides(&self) -> f64 {
        let radius = self.grains.first().map_or(0.0, |grain| grain.radius);
        let ease = |law: &ContactLaw| {
            let stiffness = law.stiffness(0.0, radius);
            let ease = stiffness.tangential / stiffness.normal / stiffness.friction;
            if ease.is_finite() { ease } else { 0.0 }
        };
        let all: Vec<f64> = self.matter.laws.laws.iter().flatten().map(ease).collect();
        all.iter().sum::<f64>() / all.len().max(1) as f64
    }
}
