//! Stability of grains of several parts in equilibrium: a rod upright on one end is in equilibrium too,
//! and slow, before it falls (docs/morphing.md).

use std::collections::BTreeMap;

use super::field_loads;
use crate::cluster;
use crate::cluster::integrate::Integrate;
use crate::cluster::{ContactRef, Other, World};
use crate::field::FieldSet;
use crate::geometry::{Dimension, Vector};

/// Least distance of two places that hold a grain of several parts, over its radius.
const APART: f64 = 1e-3;
/// Height above the stable one that the centre of such a grain may have on one place, over its radius: less than
/// the admissible residual moves it.
const LEVEL: f64 = 1e-3;

/// Support of a grain of several parts. Two places hold it in the plane, in space three that are not on one
/// line. One place holds it where rolling there would lift it. So do two in space on walls, with the line of the
/// middles of the rounds in touch not below its centre.
#[derive(Clone, Copy)]
pub(super) struct Hold<D: Dimension> {
    /// Places, and the middles of the rounds in touch there relative to its centre, over its radius.
    places: [Option<[D::Vector; 2]>; 2],
    spans: bool,
    /// Whether one of its supports is another grain.
    on_grains: bool,
    /// Height by which the centre could be raised before the grain would roll down at the first place, over the radius.
    room: f64,
}

impl<D: Dimension> Hold<D> {
    const NOT: Self = Hold {
        places: [None; 2],
        spans: false,
        on_grains: false,
        room: f64::INFINITY,
    };

    fn add(&mut self, place: D::Vector, arm: D::Vector, apart: f64, on_wall: bool, room: f64) {
        self.on_grains |= !on_wall;
        self.room = self.room.min(room);
        match self.places {
            [None, _] => self.places[0] = Some([place, arm]),
            [Some([first, _]), _] if (place - first).norm() <= apart => {}
            [Some(_), None] => {
                self.places[1] = Some([place, arm]);
                self.spans |= D::N == 2;
            }
            [Some([first, _]), Some([second, _])] => {
                let (line, arm) = (second - first, place - first);
                let across = D::moment(line, arm);
                self.spans |= D::spin_dot(across, across).sqrt() > apart * line.norm();
            }
        }
    }

    /// Returns whether the grain stays where it is, as long as its supports do.
    pub fn is_held(&self, up: D::Vector) -> bool {
        match self.places {
            _ if self.spans => true,
            [None, _] => false,
            [Some(_), None] => self.room >= -LEVEL,
            [Some([_, first]), Some([_, second])] => {
                // Point of the line of the two middles nearest to the centre.
                let line = second - first;
                let share = first.dot(&line) / line.norm_squared().max(f64::MIN_POSITIVE);
                !self.on_grains && (first - line * share).dot(&up) >= -LEVEL
            }
        }
    }
}

/// Directions against the loads of grains.
pub(super) enum Up<D: Integrate> {
    /// One for all.
    Same(D::Vector),
    /// By slot.
    Each(BTreeMap<u32, D::Vector>),
}

impl<D: Integrate> Up<D> {
    /// Returns the direction of a slot; zero where nothing loads it.
    pub fn of(&self, slot: u32) -> D::Vector {
        match self {
            Up::Same(up) => *up,
            Up::Each(each) => each.get(&slot).copied().unwrap_or_default(),
        }
    }
}

/// Returns the directions against the loads of some slots.
pub(super) fn up<D: Integrate>(world: &World<D>, fields: &FieldSet<D>, slots: &[u32]) -> Up<D> {
    let gravity = world.physics.gravity;
    let against = |pull: D::Vector| {
        let size = pull.norm();
        if size > 0.0 {
            pull * (-1.0 / size)
        } else {
            pull
        }
    };
    if fields.uniform_acceleration().is_some() {
        return Up::Same(against(gravity));
    }
    let loads = field_loads::of(world, fields, slots);
    let each = slots.iter().zip(&loads).map(|(&slot, load)| {
        let over = world.grains.arrays.inverse_mass(slot as usize);
        let pull = D::Vector::from_fn(|k| gravity[k] + load.load[k] * over);
        (slot, against(pull))
    });
    Up::Each(each.collect())
}

/// Returns, by slot, how pressing contacts hold the grains of several parts.
pub(super) fn held_shapes<D: Integrate>(world: &World<D>, up: &Up<D>) -> Vec<Hold<D>> {
    let arrays = &world.grains.arrays;
    let mut holds = vec![Hold::NOT; arrays.slots()];
    cluster::observe::each_list_link(world, |view: ContactRef<D>| {
        if view.normal_force <= 0.0 {
            return;
        }
        let k = &view.kinematics;
        let [of_a, of_b] = cluster::bodies::levers(&world.shapes, &world.grains, &view);
        // A body on another one that stays in place rolls down if its centre is higher above the
        // place than (1/r + 1/s)^-1 times the cosine of the slope there (Routh).
        let mut see = |slot: u32, other: Other, arm: D::Vector, normal: D::Vector| {
            if world.grains.form_index(slot).is_none() {
                return;
            }
            let (on_wall, stays) = match other {
                Other::Slot(other) => (false, world.grains.stands(other)),
                Other::Boundary(_) => (true, true),
            };
            let (centre, radius) = (arrays.position(slot as usize), arrays.radius(slot as usize));
            // Beyond a border of a periodic box the point is an image.
            let away = k.point - centre;
            let away = cluster::observe::shortest(&world.physics, &world.cell, away);
            let room = if stays {
                (normal * k.rolling + away).dot(&up.of(slot)) / radius
            } else {
                f64::NEG_INFINITY
            };
            holds[slot as usize].add(centre + away, arm, APART * radius, on_wall, room);
        };
        see(view.a, view.b, of_a.arm, k.normal);
        if let Other::Slot(b) = view.b {
            see(b, Other::Slot(view.a), of_b.arm, -k.normal);
        }
    });
    holds
}
