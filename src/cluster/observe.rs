//! Inspection of single links: for logs, energies and the stability of links. Nothing here changes
//! the motion.

use serde::{Deserialize, Serialize};

use super::coefficients::coefficients_after;
use super::integrate::Integrate;
use super::kinematics::Kinematics;
use super::lists::{History, each_link};
use super::resistance::{Turned, Turns};
use super::state::{LinkEvent, Other};
use super::world::{Cell, Physics, World};
use super::{evaluate, held, kinematics};
use crate::contact::LinkLaw;
use crate::event::EventKind;
use crate::geometry::{Dimension, Vector};
use crate::neighbor::nearest;

/// Elastic energy of links, J.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Elastic {
    /// Energy of normal springs.
    pub normal: f64,
    /// Recoverable energy of tangential springs.
    pub tangential: f64,
    /// Energy of bonds.
    pub bonds: f64,
}

impl Elastic {
    /// Sum, J.
    pub fn sum(&self) -> f64 {
        self.normal + self.tangential + self.bonds
    }

    /// A fraction of each.
    pub fn times(self, part: f64) -> Elastic {
        Elastic {
            normal: part * self.normal,
            tangential: part * self.tangential,
            bonds: part * self.bonds,
        }
    }
}

impl std::ops::AddAssign for Elastic {
    fn add_assign(&mut self, other: Self) {
        self.normal += other.normal;
        self.tangential += other.tangential;
        self.bonds += other.bonds;
    }
}

impl std::ops::SubAssign for Elastic {
    fn sub_assign(&mut self, other: Self) {
        self.normal -= other.normal;
        self.tangential -= other.tangential;
        self.bonds -= other.bonds;
    }
}

/// A link in the form of logs; for grains of several parts it names the grain, and the position is that of the part.
#[derive(Clone, Copy, Debug)]
pub struct ContactRef<D: Dimension> {
    /// Slot of the first body.
    pub a: u32,
    /// Second body.
    pub b: Other,
    /// Slots of the balls in contact: of the grains, or of parts of them; 0 for walls.
    pub balls: [u32; 2],
    /// Geometry and motion.
    pub kinematics: Kinematics<D>,
    /// Normal force, N.
    pub normal_force: f64,
    /// Tangential force on the first body, N.
    pub tangential_force: D::Vector,
    /// Overlap to which it was loaded, m, if it remembers that.
    pub deepest: f64,
    /// Moments over the radius of the resistance to rolling and twisting, N: on the first ball and on the second, in
    /// the plane the first number.
    pub resistance: [[f64; 3]; 2],
    /// Stiffness of rolling and of twisting, N/m; 0 at the bound.
    pub turning_stiffness: [f64; 2],
    /// Rolling radius over the radius of each ball.
    pub arms: [f64; 2],
    /// Elastic energy.
    pub elastic: Elastic,
    /// Whether the link slides.
    pub slipping: bool,
    /// Whether the link has been at rest long enough.
    pub stable: bool,
}

impl<D: Dimension> ContactRef<D> {
    /// End of the link because a body is removed, not because the two separate.
    pub(super) fn end(&self, time: f64) -> LinkEvent {
        LinkEvent {
            kind: EventKind::RemoveLink,
            time,
            a: self.balls[0],
            b: match self.b {
                Other::Slot(_) => Other::Slot(self.balls[1]),
                wall => wall,
            },
            energy: f64::NAN,
        }
    }
}

pub(super) fn size(v: [f64; 3]) -> f64 {
    (v[0] * v[0] + v[1] * v[1] + v[2] * v[2]).sqrt()
}

/// A tangential quantity of the kernels as a vector.
fn tangent<D: Integrate>(value: [f64; 3], n: D::Vector) -> D::Vector {
    if D::N == 2 {
        D::Vector::from_fn(|k| {
            if k == 0 {
                -n[1] * value[0]
            } else {
                n[0] * value[0]
            }
        })
    } else {
        D::Vector::from_fn(|k| value[k])
    }
}

/// A tangential vector of a link as a tangential quantity of the kernels.
pub(super) fn kernel_tangent<D: Integrate>(value: D::Vector, n: D::Vector) -> [f64; 3] {
    if D::N == 2 {
        [n[0] * value[1] - n[1] * value[0], 0.0, 0.0]
    } else {
        std::array::from_fn(|k| value[k])
    }
}

pub(super) fn view<D: Integrate>(
    world: &World<D>,
    a: u32,
    b: Other,
    law: &LinkLaw,
    k: Kinematics<D>,
    spring: [f64; 3],
    slip: bool,
    calm: u8,
    memory: [f64; 5],
) -> ContactRef<D> {
    let c = coefficients_after(law, &k, memory[4]);
    let (normal_force, pressing) = c.normal(k.speed);
    // The springs are `after` a part of the step ahead of the positions.
    let after = spring_lead(world) * world.clock.step;
    let spring: [f64; 3] = std::array::from_fn(|i| spring[i] - after * k.sliding[i]);
    let mut force: [f64; 3] = std::array::from_fn(|i| -(c.kt * spring[i] + c.ct * k.sliding[i]));
    let cap = c.friction * pressing;
    // If a damper exceeds the limit by itself, the law keeps a spring that would give more than the
    // limit in the opposite direction; its recoverable energy is limited to that at the limit.
    let pull = (c.kt * size(spring)).min(cap);
    let mut tangential = if c.kt > 0.0 {
        0.5 * pull * pull / c.kt
    } else {
        0.0
    };
    let mut turned = Turned::default();
    if !c.terms.are_empty() {
        let speed = Turns::of::<D>(k.turning, k.normal);
        let springs = Turns::kept(memory).plus(-after, speed);
        tangential += c.turning_energy(springs, pressing);
        turned = c.turned::<D>(springs, speed, k.normal, pressing);
    }
    let arms = match b {
        Other::Slot(b) => [a, b].map(|ball| k.rolling / world.grains.arrays.radius(ball as usize)),
        Other::Boundary(_) => [1.0, 0.0],
    };
    let mut f = size(force);
    if c.terms.spring_limited {
        // Beyond the limit only the spring acts; below it the sum is not limited.
        f = c.kt * size(spring);
        // The spring of a sliding link was set back to the limit, to which nothing is added.
        if slip || f > cap {
            force = spring.map(|x| -c.kt * x);
        }
    }
    if f > cap {
        force = force.map(|x| x * cap / f);
    }
    ContactRef {
        a: world.grains.owner(a),
        b: match b {
            Other::Slot(b) => Other::Slot(world.grains.owner(b)),
            wall => wall,
        },
        balls: [
            a,
            match b {
                Other::Slot(b) => b,
                Other::Boundary(_) => 0,
            },
        ],
        kinematics: k,
        normal_force,
        tangential_force: tangent::<D>(force, k.normal),
        deepest: memory[4],
        resistance: [arms[0], -arms[1]].map(|arm| turned.force.map(|f| arm * f)),
        turning_stiffness: turned.stiffness,
        arms,
        elastic: Elastic {
            normal: c.normal_energy,
            tangential,
            bonds: 0.0,
        },
        slipping: slip,
        stable: calm >= world.physics.options.looks,
    }
}

/// Calls back with every link in contact, in a fixed order.
pub fn each_contact<D: Integrate>(world: &World<D>, mut f: impl FnMut(ContactRef<D>)) {
    each_list_link(world, &mut f);
    held::each_still_link(world, f);
}

/// Calls back with every link in contact except those between grains at rest.
pub fn each_list_link<D: Integrate>(world: &World<D>, mut f: impl FnMut(ContactRef<D>)) {
    for class in &world.contacts.pairs {
        let law = world.physics.law(class.materials[0], class.materials[1]);
        let l = &class.lists;
        each_link(&l.flags, |i, k| {
            let (a, b) = (l.batches[i].a[k], l.batches[i].b[k]);
            let kinematics = kinematics::pair_kinematics(world, a, b);
            let slip = l.flags[i].slip >> k & 1 == 1;
            f(view(
                world,
                a,
                Other::Slot(b),
                law,
                kinematics,
                l.history[i].lane(k),
                slip,
                l.calm[i][k],
                l.memory_of(i, k).slots,
            ));
        });
    }
    for (index, class) in world.contacts.walls.iter().enumerate() {
        let material = world.walls.boundaries[usize::from(class.boundary)]
            .boundary
            .material;
        let law = world.physics.law(class.material, material);
        let l = &class.lists;
        each_link(&l.flags, |i, k| {
            let a = l.batches[i].a[k];
            let Some(kinematics) = kinematics::wall_kinematics(world, index, l.batches[i].of(k))
            else {
                return;
            };
            let slip = l.flags[i].slip >> k & 1 == 1;
            let b = Other::Boundary(class.boundary);
            f(view(
                world,
                a,
                b,
                law,
                kinematics,
                l.history[i].lane(k),
                slip,
                l.calm[i][k],
                l.memory_of(i, k).slots,
            ));
        });
    }
}

/// The shortest image of a difference of two positions, m.
pub fn shortest<D: Integrate>(physics: &Physics<D>, cell: &Cell, d: D::Vector) -> D::Vector {
    if let Some(cell) = &cell.state {
        return d - cell.edges.image::<D::Vector>(cell.edges.turns(d));
    }
    nearest::<D>(&physics.periodic, d)
}

fn spring_lead<D: Integrate>(world: &World<D>) -> f64 {
    evaluate::timing(world).after
}
