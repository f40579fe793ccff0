//! Meters, which count grains that pass a plane, or enter a box.
//!
//! At each check a meter compares the position of the centre of each grain with that at the check before, along the
//! straight line between. Its count through an endless plane, or into a box, equals the grains there now less
//! those there before, whatever happened between two checks: a grain that passes and comes back changes
//! nothing. Checks change nothing in the run and read positions that it has anyway.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::Setup;
use super::driver::Stage;
use crate::cluster::World;
use crate::cluster::integrate::Integrate;
use crate::geometry::{Dimension, Vector};
use crate::neighbor::PeriodicAxis;
use crate::record::{MeterFigures, MeterShare, SizeClass};

/// A meter.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(bound = "")]
pub struct MeterSetup<D: Dimension> {
    /// Name of the meter.
    pub name: String,
    /// Place at which it counts.
    pub place: MeterPlace<D>,
    /// Time between two checks, s; the shortest of all meters counts for all.
    pub every: f64,
}

/// Place at which a meter counts.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(bound = "")]
pub enum MeterPlace<D: Dimension> {
    /// Counts grains that pass a plane, forward along its normal.
    Plane {
        /// A point of the plane, m.
        point: D::Vector,
        /// Unit normal.
        normal: D::Vector,
        /// Greatest distance from the point at which grains count, m.
        radius: Option<f64>,
    },
    /// Counts grains that enter a box (forward) or leave it.
    Inside {
        /// Least corner, m.
        min: D::Vector,
        /// Greatest corner, m.
        max: D::Vector,
    },
}

/// Passes of grains of one material, form and size.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
struct Passed {
    forward: u64,
    back: u64,
    /// Mass of each grain, kg.
    mass: f64,
}

/// Material, form (0 for none), and the bits of the radius, whose order is that of the (positive) radii.
type Sort = (u16, u32, u64);

/// Counts of all meters.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct MeterState {
    /// Position of each grain by number at the last check; NaN before its first.
    places: Vec<[f64; 3]>,
    passed: Vec<BTreeMap<Sort, Passed>>,
}

/// A sort of grains that passed a meter.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Metered {
    /// Index of the material.
    pub material: u16,
    /// Diameter, m; for a form, that of the circle or sphere around it.
    pub size: f64,
    /// Number of grains that passed, forward less back.
    pub count: i64,
    /// Mass of these, kg.
    pub mass: f64,
}

/// Shifts a coordinate next to another by whole periods.
fn near(x: f64, other: f64, axis: PeriodicAxis) -> f64 {
    x - axis.length * ((x - other) / axis.length).round()
}

impl<D: Dimension> MeterPlace<D> {
    /// Returns how often the path from one place to another passes, forward less back: -1, 0 or 1.
    fn passes(&self, from: D::Vector, to: D::Vector, periodic: &[Option<PeriodicAxis>]) -> i64 {
        let axis = |k: usize| periodic.get(k).copied().flatten();
        match self {
            MeterPlace::Plane {
                point,
                normal,
                radius,
            } => {
                // Puts the end of the path beside its beginning, not on the other side of the box.
                let to = D::Vector::from_fn(|k| axis(k).map_or(to[k], |a| near(to[k], from[k], a)));
                // Along a periodic direction the plane repeats; its normal is then along that axis.
                let across = (0..D::N).find_map(|k| axis(k).filter(|_| normal[k] != 0.0));
                let [before, after] = [from, to].map(|x| (x - *point).dot(normal));
                let side = |u: f64| match across {
                    Some(axis) => (u / axis.length).floor() as i64,
                    None => i64::from(u >= 0.0),
                };
                let passed = side(after) - side(before);
                let Some(radius) = radius.filter(|_| passed != 0) else {
                    return passed;
                };
                let level = across.map_or(0.0, |axis| {
                    axis.length * side(after).max(side(before)) as f64
                });
                let part = ((level - before) / (after - before)).clamp(0.0, 1.0);
                let way = from + (to - from) * part - *point;
                let way = D::Vector::from_fn(|k| axis(k).map_or(way[k], |a| near(way[k], 0.0, a)));
                if way.norm() <= radius { passed } else { 0 }
            }
            MeterPlace::Inside { min, max } => {
                let inside = |x: D::Vector| {
                    let within = |k: usize| {
                        let above = x[k] - min[k];
                        let above = axis(k).map_or(above, |a| above.rem_euclid(a.length));
                        above >= 0.0 && above <= max[k] - min[k]
                    };
                    i64::from((0..D::N).all(within))
                };
                inside(to) - inside(from)
            }
        }
    }
}

impl MeterState {
    /// Creates the state of so many meters that have counted nothing.
    pub fn new(meters: usize) -> Self {
        MeterState {
            passed: vec![BTreeMap::new(); meters],
            ..MeterState::default()
        }
    }

    /// Returns the number of meters.
    pub fn meters(&self) -> usize {
        self.passed.len()
    }

    /// Sets the position of a grain; returns that at the last check.
    fn place<V: Vector>(&mut self, id: u32, x: V) -> Option<V> {
        let index = id as usize;
        if self.places.len() <= index {
            self.places.resize(index + 1, [f64::NAN; 3]);
        }
        let place = &mut self.places[index];
        let before = V::from_fn(|k| place[k]);
        for (k, value) in x.components().enumerate() {
            place[k] = value;
        }
        before.is_finite().then_some(before)
    }

    /// Returns the count of a meter, forward less back.
    pub fn count(&self, meter: usize) -> i64 {
        self.sum(meter).0
    }

    /// Returns the sums of a meter: forward less back, and the mass of that, kg.
    fn sum(&self, meter: usize) -> (i64, f64) {
        let all = self.passed.get(meter).into_iter().flatten();
        all.fold((0, 0.0), |(count, mass), (_, passed)| {
            let more = passed.forward as i64 - passed.back as i64;
            (count + more, mass + more as f64 * passed.mass)
        })
    }
}

/// Records the position of a new grain.
pub(super) fn meet_meters<D: Dimension>(
    setup: &Setup<D>,
    meters: &mut MeterState,
    id: u32,
    x: D::Vector,
) {
    if !setup.sources.meters.is_empty() {
        meters.place(id, x);
    }
}

/// A grain at its present position, as meters need it.
pub(super) struct Seen<D: Dimension> {
    pub id: u32,
    pub place: D::Vector,
    pub material: u16,
    pub form: Option<u16>,
    /// Radius, m.
    pub radius: f64,
    /// Mass, kg.
    pub mass: f64,
}

/// Updates all meters with the positions of all grains. A stepped grain is where the last step before `time` left it.
pub(super) fn look_at_meters<D: Integrate>(
    setup: &Setup<D>,
    world: &World<D>,
    stage: &Stage,
    meters: &mut MeterState,
    time: f64,
) {
    if setup.sources.meters.is_empty() || stage.settling {
        return;
    }
    let arrays = &world.grains.arrays;
    let there = (1..arrays.slots()).filter(|&slot| arrays.status[slot].is_grain());
    let seen = there.map(|slot| Seen {
        id: arrays.id[slot],
        place: world.position_at(slot, time),
        material: arrays.material[slot],
        form: world.grains.form_index(slot as u32),
        radius: arrays.radius(slot),
        mass: 1.0 / arrays.inverse_mass(slot),
    });
    look(setup, meters, seen);
}

/// Compares, for all meters, the positions of grains with those at the check before.
pub(super) fn look<D: Dimension>(
    setup: &Setup<D>,
    meters: &mut MeterState,
    seen: impl Iterator<Item = Seen<D>>,
) {
    for grain in seen {
        let Some(before) = meters.place(grain.id, grain.place) else {
            continue;
        };
        for (meter, passed) in setup.sources.meters.iter().zip(&mut meters.passed) {
            let way = (meter.place).passes(before, grain.place, &setup.space.periodic);
            if way == 0 {
                continue;
            }
            let sort = (
                grain.material,
                grain.form.map_or(0, |form| u32::from(form) + 1),
                grain.radius.to_bits(),
            );
            let entry = passed.entry(sort).or_default();
            entry.mass = grain.mass;
            if way > 0 {
                entry.forward += 1;
            } else {
                entry.back += 1;
            }
        }
    }
}

/// Returns, for each meter, the grains that passed so far, forward less back, and their mass, kg.
pub(super) fn metered<D: Dimension>(setup: &Setup<D>, meters: &MeterState) -> Vec<(i64, f64)> {
    let all = 0..setup.sources.meters.len();
    all.map(|meter| meters.sum(meter)).collect()
}

/// Returns the grains that passed a meter, by material and size, in order of both.
pub(super) fn meter(meters: &MeterState, index: usize) -> Vec<Metered> {
    let all = meters.passed.get(index).into_iter().flatten();
    all.map(|(&(material, _, bits), passed)| {
        let count = passed.forward as i64 - passed.back as i64;
        Metered {
            material,
            size: 2.0 * f64::from_bits(bits),
            count,
            mass: count as f64 * passed.mass,
        }
    })
    .collect()
}

/// Returns the figures of all meters.
pub(super) fn meter_figures<D: Dimension>(
    setup: &Setup<D>,
    meters: &MeterState,
) -> Vec<MeterFigures> {
    let all = setup.sources.meters.iter().enumerate();
    all.map(|(index, one)| {
        let passed = meters.passed.get(index);
        let passes =
            |of: fn(&Passed) -> u64| passed.into_iter().flatten().map(move |(_, p)| of(p)).sum();
        let (count, mass) = meters.sum(index);
        let sorts = meter(meters, index);
        let mut materials = BTreeMap::new();
        for sort in &sorts {
            let name = setup.matter.materials.get(usize::from(sort.material));
            let name = name.cloned().unwrap_or_default();
            let share: &mut MeterShare = materials.entry(name).or_default();
            share.count += sort.count;
            share.mass += sort.mass;
        }
        let sizes = Sizes::new(&sorts, count < 0);
        MeterFigures {
            name: one.name.clone(),
            forward: passes(|p| p.forward),
            back: passes(|p| p.back),
            count,
            mass,
            d10: sizes.quantile(0.1),
            d50: sizes.quantile(0.5),
            d90: sizes.quantile(0.9),
            materials,
            sizes: sizes.classes(),
        }
    })
    .collect()
}

/// Sizes of grains that passed in the prevailing direction: diameter (m), count, mass (kg), ascending.
struct Sizes(Vec<(f64, u64, f64)>);

/// Number of classes of sizes, equal on a logarithmic scale.
const CLASSES: usize = 20;

impl Sizes {
    fn new(sorts: &[Metered], backward: bool) -> Self {
        let sign = if backward { -1 } else { 1 };
        let along = sorts.iter().filter(|sort| sign * sort.count > 0);
        let mut all: Vec<_> = along
            .map(|sort| (sort.size, sort.count.unsigned_abs(), sort.mass.abs()))
            .collect();
        all.sort_by(|a, b| a.0.total_cmp(&b.0));
        Sizes(all)
    }

    /// Returns the size than which this share of the mass is finer, or equal, m.
    fn quantile(&self, share: f64) -> Option<f64> {
        let all: f64 = self.0.iter().map(|(.., mass)| mass).sum();
        let mut sum = 0.0;
        let found = self.0.iter().find(|(.., mass)| {
            sum += mass;
            sum >= share * all
        });
        found.map(|(size, ..)| *size)
    }

    fn classes(&self) -> Vec<SizeClass> {
        let (Some((least, ..)), Some((greatest, ..))) = (self.0.first(), self.0.last()) else {
            return Vec::new();
        };
        let count = if least < greatest { CLASSES } else { 1 };
        let end = |k: usize| match k {
            0 => *least,
            k if k == count => *greatest,
            k => least * libm::pow(greatest / least, k as f64 / count as f64),
        };
        let mut classes: Vec<SizeClass> = (0..count)
            .map(|k| SizeClass {
                from: end(k),
                to: end(k + 1),
                ..SizeClass::default()
            })
            .collect();
        let mut k = 0;
        for (size, number, mass) in &self.0 {
            while k + 1 < count && *size >= classes[k].to {
                k += 1;
            }
            classes[k].count += number;
            classes[k].mass += mass;
        }
        classes
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::Planar;
    use nalgebra::Vector2 as V;

    const BOX: [Option<PeriodicAxis>; 2] = [
        Some(PeriodicAxis {
            origin: 0.0,
            length: 1.0,
        }),
        None,
    ];

    #[test]
    fn a_disc_counts_who_passes_within() {
        let place = MeterPlace::<Planar>::Plane {
            point: V::new(0.0, 1.0),
            normal: V::new(0.0, -1.0),
            radius: Some(0.5),
        };
        let passes = |a, b| place.passes(a, b, &[None; 2]);
        assert_eq!(passes(V::new(0.4, 1.1), V::new(0.4, 0.9)), 1);
        assert_eq!(passes(V::new(0.4, 0.9), V::new(0.4, 1.1)), -1);
        assert_eq!(passes(V::new(0.6, 1.1), V::new(0.6, 0.9)), 0);
        // The place of passing counts, not the one before or after.
        assert_eq!(passes(V::new(1.0, 2.0), V::new(0.3, 0.9)), 1);
        assert_eq!(passes(V::new(0.4, 1.1), V::new(0.4, 1.05)), 0);
    }

    #[test]
    fn in_a_periodic_box_the_seam_is_no_wall_and_a_plane_may_lie_on_it() {
        for x in [0.0, 0.3, 1.0] {
            let place = MeterPlace::<Planar>::Plane {
                point: V::new(x, 0.0),
                normal: V::new(1.0, 0.0),
                radius: None,
            };
            // One round in steps, wrapped into the box, passes once; a round back does so in the other direction.
            let at = |k: i32| V::new((f64::from(k) * 0.07 + 0.01).rem_euclid(1.0), 0.0);
            let way = |from, to| place.passes(at(from), at(to), &BOX);
            // 300 steps of 0.07 are 21 rounds.
            assert_eq!((0..300).map(|k| way(k, k + 1)).sum::<i64>(), 21);
            assert_eq!((0..300).map(|k| way(k + 1, k)).sum::<i64>(), -21);
        }
        let place = MeterPlace::<Planar>::Inside {
            min: V::new(0.9, 0.0),
            max: V::new(1.1, 1.0),
        };
        let passes = |a: f64, b: f64| place.passes(V::new(a, 0.5), V::new(b, 0.5), &BOX);
        assert_eq!(passes(0.8, 0.95), 1);
        assert_eq!(passes(0.95, 0.05), 0);
        assert_eq!(passes(0.05, 0.15), -1);
    }

    #[test]
    fn quantiles_are_by_mass() {
        let sort = |size, count, mass| Metered {
            material: 0,
            size,
            count,
            mass,
        };
        // Many fine grains of little mass, few coarse ones; one class passed in the other direction.
        let sorts = [sort(1.0, 90, 9.0), sort(2.0, 10, 91.0), sort(3.0, -1, -5.0)];
        let sizes = Sizes::new(&sorts, false);
        assert_eq!(sizes.quantile(0.05), Some(1.0));
        assert_eq!(sizes.quantile(0.1), Some(2.0));
        let classes = sizes.classes();
        assert_eq!(classes.len(), CLASSES);
        assert_eq!((classes[0].count, classes[CLASSES - 1].count), (90, 10));
        assert!(Sizes::new(&[], false).quantile(0.5).is_none());
    }
}
