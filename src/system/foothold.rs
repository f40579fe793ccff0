//! Whether a grain of several parts that is in equilibrium is so for good: a rod upright on one end is too,
//! and slow, before it falls (docs/morphing.md).

use crate::cluster;
use crate::cluster::integrate::Integrate;
use crate::cluster::{ContactRef, Other, World};
use crate::geometry::{Dimension, Vector};

/// Two places at which a grain of several parts is held are two if they lie so far apart, over its radius.
const APART: f64 = 1e-3;
/// How much too high the centre of such a grain may lie to stay on one place, over its radius: less than what
/// it may lack moves it.
const LEVEL: f64 = 1e-3;

/// How a grain of several parts is held. Two places hold it in the plane, in space three that are not on one
/// line. One does where rolling there would lift it. So do two in space on walls, with the line of the
/// middles of the rounds in touch not below its centre.
#[derive(Clone, Copy)]
pub(super) struct Hold<D: Dimension> {
    /// Places, and where the middles of the rounds in touch there are from its centre, over its radius.
    places: [Option<[D::Vector; 2]>; 2],
    spans: bool,
    /// Another grain is one of those on which it stands.
    on_grains: bool,
    /// By how much the centre could lie higher before it would roll down at the first place, over the radius.
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

    /// Whether it stays where it is, as long as what it stands on does.
    pub fn is_held(&self, up: D::Vector) -> bool {
        match self.places {
            _ if self.spans => true,
            [None, _] => false,
            [Some(_), None] => self.room >= -LEVEL,
            [Some([_, first]), Some([_, second])] => {
                // Where the line of the two middles passes the centre.
                let line = second - first;
                let share = first.dot(&line) / line.norm_squared().max(f64::MIN_POSITIVE);
                !self.on_grains && (first - line * share).dot(&up) >= -LEVEL
            }
        }
    }
}

/// By slot: how the grains of several parts are held by what presses on them.
pub(super) fn held_shapes<D: Integrate>(world: &World<D>, up: D::Vector) -> Vec<Hold<D>> {
    let arrays = &world.grains.arrays;
    let mut holds = vec![Hold::NOT; arrays.slots()];
    cluster::observe::each_list_link(world, |view: ContactRef<D>| {
        if view.normal_force <= 0.0 {
            return;
        }
        let k = &view.kinematics;
        let [of_a, of_b] = cluster::bodies::levers(&world.shapes, &world.grains, &view);
        // A body on another one that stays where it is rolls down if its centre is higher above the
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
            let room = if stays {
                (normal * k.rolling - (centre - k.point)).dot(&up) / radius
            } else {
                f64::NEG_INFINITY
            };
            holds[slot as usize].add(k.point, arm, APART * radius, on_wall, room);
        };
        see(view.a, view.b, of_a.arm, k.normal);
        if let Other::Slot(b) = view.b {
            see(b, Other::Slot(view.a), of_b.arm, -k.normal);
        }
    });
    holds
}
