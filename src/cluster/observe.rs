//! Looking at links one by one: for logs, energies and the stability of links. Nothing here
//! changes the motion.

use serde::{Deserialize, Serialize};

use super::coefficients::coefficients_after;
use super::engine::Engine;
use super::integrate::Integrate;
use super::kernel::Change;
use super::kinematics::Kinematics;
use super::lists::{History, each_link};
use super::state::{LinkEvent, Other};
use crate::contact::LinkLaw;
use crate::event::EventKind;
use crate::geometry::{Dimension, Vector};

/// Elastic energy of links, J.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Elastic {
    /// Of normal springs.
    pub normal: f64,
    /// That tangential springs can give back.
    pub tangential: f64,
}

impl Elastic {
    /// Both, J.
    pub fn sum(&self) -> f64 {
        self.normal + self.tangential
    }

    /// A part of both.
    pub fn times(self, part: f64) -> Elastic {
        Elastic {
            normal: part * self.normal,
            tangential: part * self.tangential,
        }
    }
}

impl std::ops::AddAssign for Elastic {
    fn add_assign(&mut self, other: Self) {
        self.normal += other.normal;
        self.tangential += other.tangential;
    }
}

impl std::ops::SubAssign for Elastic {
    fn sub_assign(&mut self, other: Self) {
        self.normal -= other.normal;
        self.tangential -= other.tangential;
    }
}

/// A link as logs see it; of grains of several parts the grain is told, the place is that of the part.
#[derive(Clone, Copy, Debug)]
pub struct LinkView<D: Dimension> {
    /// Slot of the first body.
    pub a: u32,
    /// Second body.
    pub b: Other,
    /// Slots of the balls in touch: of the grains, or of parts of them; of walls 0.
    pub balls: [u32; 2],
    /// Geometry and motion.
    pub kinematics: Kinematics<D>,
    /// Normal force, N.
    pub normal_force: f64,
    /// Tangential force on the first body, N.
    pub tangential_force: D::Vector,
    /// Elastic energy.
    pub elastic: Elastic,
    /// Whether it slides.
    pub slipping: bool,
    /// Whether it has been at rest long enough.
    pub stable: bool,
}

impl<D: Dimension> LinkView<D> {
    /// Its end, since a body goes and not since the two part.
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

impl<D: Integrate> Engine<D> {
    pub(super) fn view(
        &self,
        a: u32,
        b: Other,
        law: &LinkLaw,
        k: Kinematics<D>,
        spring: [f64; 3],
        slip: bool,
        calm: u8,
    ) -> LinkView<D> {
        self.view_with(a, b, law, k, spring, slip, calm, [0.0; 5])
    }

    /// The same of a link with slots that remembers something.
    pub(super) fn view_with(
        &self,
        a: u32,
        b: Other,
        law: &LinkLaw,
        k: Kinematics<D>,
        spring: [f64; 3],
        slip: bool,
        calm: u8,
        memory: [f64; 5],
    ) -> LinkView<D> {
        let c = coefficients_after(law, &k, memory[4]);
        let (normal_force, pressing) = c.normal(k.speed);
        // The history stands `after` a part of the step later than the positions.
        let after = self.spring_lead() * self.options.step;
        let spring: [f64; 3] = std::array::from_fn(|i| spring[i] - after * k.sliding[i]);
        let mut force: [f64; 3] =
            std::array::from_fn(|i| -(c.kt * spring[i] + c.ct * k.sliding[i]));
        let cap = c.friction * pressing;
        // Where a damper passes the limit by itself, the law keeps a spring that would give more
        // than the limit the other way; what it can give back is only up to the limit.
        let pull = (c.kt * size(spring)).min(cap);
        let mut tangential = if c.kt > 0.0 {
            0.5 * pull * pull / c.kt
        } else {
            0.0
        };
        if !c.terms.are_empty() {
            tangential += c.turning_energy(&k, memory, after, pressing);
        }
        let mut f = size(force);
        if c.terms.spring_limited {
            // Beyond the limit the spring pulls alone; below it nothing limits the sum.
            f = c.kt * size(spring);
            // Of a link that slides the spring was set back to the limit, to which nothing is added.
            if slip || f > cap {
                force = spring.map(|x| -c.kt * x);
            }
        }
        if f > cap {
            force = force.map(|x| x * cap / f);
        }
        LinkView {
            a: self.owner(a),
            b: match b {
                Other::Slot(b) => Other::Slot(self.owner(b)),
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
            elastic: Elastic {
                normal: c.normal_energy,
                tangential,
            },
            slipping: slip,
            stable: calm >= self.options.looks,
        }
    }

    /// Calls back with every link in touch, in a fixed order.
    pub fn each_link_view(&self, mut f: impl FnMut(LinkView<D>)) {
        self.each_list_link(&mut f);
        self.each_still_link(f);
    }

    /// Calls back with every link in touch but those between grains that stand still.
    pub fn each_list_link(&self, mut f: impl FnMut(LinkView<D>)) {
        for class in &self.state.pairs {
            let law = self.law(class.materials[0], class.materials[1]);
            let l = &class.lists;
            each_link(&l.flags, |i, k| {
                let (a, b) = (l.batches[i].a[k], l.batches[i].b[k]);
                let kinematics = self.pair_kinematics(a, b);
                let slip = l.flags[i].slip >> k & 1 == 1;
                f(self.view_with(
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
        for (index, class) in self.state.walls.iter().enumerate() {
            let material = self.boundaries[usize::from(class.boundary)]
                .boundary
                .material;
            let law = self.law(class.material, material);
            let l = &class.lists;
            each_link(&l.flags, |i, k| {
                let a = l.batches[i].a[k];
                let Some(kinematics) = self.wall_kinematics(index, l.batches[i].of(k)) else {
                    return;
                };
                let slip = l.flags[i].slip >> k & 1 == 1;
                let b = Other::Boundary(class.boundary);
                f(self.view_with(
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

    /// Looks at which links rest (thesis eq. 5.10) and counts for how long; to be called every
    /// `look_every` steps.
    pub fn look(&mut self) {
        let bound = self.options.stable_speed;
        let looks = self.options.looks;
        let time = self.time();
        let mut stabilized = Vec::new();
        for class in 0..self.state.pairs.len() {
            let mut lists = std::mem::take(&mut self.state.pairs[class].lists);
            each_link(&lists.flags, |i, k| {
                let (a, b) = (lists.batches[i].a[k], lists.batches[i].b[k]);
                let slips = lists.flags[i].slip >> k & 1 == 1;
                let rest = !slips && {
                    let kin = self.pair_kinematics(a, b);
                    kin.speed.abs() + size(kin.sliding) < bound
                };
                if grown(&mut lists.calm[i][k], rest, looks) && !self.is_ghost(a) {
                    stabilized.push((a, Other::Slot(b)));
                }
            });
            self.state.pairs[class].lists = lists;
        }
        for class in 0..self.state.walls.len() {
            let mut lists = std::mem::take(&mut self.state.walls[class].lists);
            let boundary = self.state.walls[class].boundary;
            each_link(&lists.flags, |i, k| {
                let a = lists.batches[i].a[k];
                let slips = lists.flags[i].slip >> k & 1 == 1;
                let rest = !slips
                    && self
                        .wall_kinematics(class, lists.batches[i].of(k))
                        .is_some_and(|kin| kin.speed.abs() + size(kin.sliding) < bound);
                if grown(&mut lists.calm[i][k], rest, looks) {
                    stabilized.push((a, Other::Boundary(boundary)));
                }
            });
            self.state.walls[class].lists = lists;
        }
        self.state.counts.stabilized += stabilized.len() as u64;
        if self.options.log_links {
            for (a, b) in stabilized {
                self.link_events.push(LinkEvent {
                    kind: EventKind::StabilizeLink,
                    time,
                    a,
                    b,
                    energy: f64::NAN,
                });
            }
        }
    }

    /// Books the changes of the last evaluation of a pair class.
    pub(super) fn note_pairs(&mut self, class: usize, time: f64) {
        for index in 0..self.changed.len() {
            let change = self.changed[index];
            let batch = self.state.pairs[class].lists.batches[change.batch as usize];
            let (opened, closed) = (
                change.after.touch & !change.before.touch,
                change.before.touch & !change.after.touch,
            );
            for k in lanes_of(opened | closed) {
                let (a, b) = (self.owner(batch.a[k]), self.owner(batch.b[k]));
                self.note_encounter(class, [batch.a[k], batch.b[k]], opened >> k & 1 == 1);
                if opened >> k & 1 == 1 {
                    self.state.clusters.insert_link(a, b);
                } else {
                    self.state.clusters.remove_link(a, b);
                    self.state.pairs[class].lists.calm[change.batch as usize][k] = 0;
                }
            }
            let counted = self.counted(change, &batch.a);
            self.count(&counted);
            if self.options.log_links {
                for k in 0..8 {
                    let kinds = kinds(&change, k);
                    if kinds != [None, None] {
                        let kin = self.pair_kinematics(batch.a[k], batch.b[k]);
                        let crossed = match kinds[1] {
                            Some(kind) => self.pair_crossed(class, &change, k, kind, &kin),
                            None => 0.0,
                        };
                        let b = Other::Slot(batch.b[k]);
                        self.log(kinds, &kin, crossed, time, batch.a[k], b);
                    }
                }
            }
        }
    }

    /// Books the changes of the last evaluation of a wall class.
    pub(super) fn note_walls(&mut self, class: usize, time: f64) {
        for index in 0..self.changed.len() {
            let change = self.changed[index];
            let wall = &mut self.state.walls[class];
            let batch = wall.lists.batches[change.batch as usize];
            let boundary = wall.boundary;
            for k in lanes_of(change.before.touch & !change.after.touch) {
                wall.lists.calm[change.batch as usize][k] = 0;
            }
            self.count(&change);
            if self.options.log_links {
                for k in 0..8 {
                    let kinds = kinds(&change, k);
                    if kinds == [None, None] {
                        continue;
                    }
                    let (a, b) = (batch.a[k], Other::Boundary(boundary));
                    let Some(kin) = self.wall_kinematics(class, batch.of(k)) else {
                        // Where the surface ends nothing tells when in the step the two parted.
                        self.log_at(kinds, time, a, b);
                        continue;
                    };
                    let crossed = match kinds[1] {
                        Some(kind) => self.wall_crossed(class, &change, k, kind, &kin),
                        None => 0.0,
                    };
                    self.log(kinds, &kin, crossed, time, a, b);
                }
            }
        }
    }

    fn count(&mut self, change: &Change) {
        let (before, after) = (change.before, change.after);
        let counts = &mut self.state.counts;
        counts.opened += u64::from((after.touch & !before.touch).count_ones());
        counts.closed += u64::from((before.touch & !after.touch).count_ones());
        for k in lanes_of(after.touch & !before.touch) {
            // What two walls on their ways meet with has no end.
            if change.approach.0[k].is_finite() {
                self.state.flows.met += change.approach.0[k];
            }
        }
        counts.slipped += u64::from((after.slip & !before.slip).count_ones());
        counts.gripped += u64::from((before.slip & !after.slip & after.touch).count_ones());
    }

    /// Logs what happened to one link. The moment of contact and of parting is that at which the
    /// gap closed, at the normal speed of now; that of slip or grip lies `crossed` seconds back, but
    /// never before the contact.
    fn log(
        &mut self,
        kinds: [Option<EventKind>; 2],
        kin: &Kinematics<D>,
        crossed: f64,
        time: f64,
        a: u32,
        b: Other,
    ) {
        let h = self.options.step;
        let contact = (kin.overlap / -kin.speed).clamp(0.0, h);
        let opened = kinds[0] == Some(EventKind::InsertLink);
        for kind in kinds.into_iter().flatten() {
            let back = match kind {
                EventKind::InsertLink => contact,
                EventKind::RemoveLink => (-kin.overlap / kin.speed).clamp(0.0, h),
                _ if opened => contact.min(crossed),
                _ => crossed,
            };
            let back = if back.is_nan() { 0.0 } else { back };
            let energy = if kind == EventKind::InsertLink {
                0.5 * kin.speed * kin.speed / kin.inverse_mass
            } else {
                f64::NAN
            };
            self.link_events.push(LinkEvent {
                kind,
                time: time - back,
                a,
                b,
                energy,
            });
        }
    }

    /// The same of a link without geometry: what happened to it, at that time.
    fn log_at(&mut self, kinds: [Option<EventKind>; 2], time: f64, a: u32, b: Other) {
        let event = |kind| LinkEvent {
            kind,
            time,
            a,
            b,
            energy: f64::NAN,
        };
        self.link_events
            .extend(kinds.into_iter().flatten().map(event));
    }

    /// The shortest of the images of a difference of two places, m.
    pub fn shortest(&self, mut d: D::Vector) -> D::Vector {
        if let Some(cell) = &self.state.cell {
            return d - cell.edges.image::<D::Vector>(cell.edges.turns(d));
        }
        for (k, axis) in self.periodic.iter().enumerate() {
            if let Some(axis) = axis {
                d[k] -= axis.length * (d[k] / axis.length).round();
            }
        }
        d
    }

    fn spring_lead(&self) -> f64 {
        self.timing().after
    }
}

pub(super) fn lanes_of(bits: u8) -> impl Iterator<Item = usize> {
    (0..8).filter(move |k| bits >> k & 1 == 1)
}

/// Counts looks at rest up to one beyond what makes a link stable; true when it just became so.
fn grown(calm: &mut u8, rest: bool, looks: u8) -> bool {
    if !rest {
        *calm = 0;
        return false;
    }
    let before = *calm;
    *calm = (*calm + 1).min(looks);
    before + 1 == looks
}

/// What happened in a lane: opening or closing, and slipping or gripping.
fn kinds(change: &Change, k: usize) -> [Option<EventKind>; 2] {
    let bit = |x: u8| x >> k & 1 == 1;
    let (before, after) = (change.before, change.after);
    let link = match (bit(before.touch), bit(after.touch)) {
        (false, true) => Some(EventKind::InsertLink),
        (true, false) => Some(EventKind::RemoveLink),
        _ => None,
    };
    let slip = match (bit(before.slip), bit(after.slip)) {
        (false, true) => Some(EventKind::SlipLink),
        (true, false) if bit(after.touch) => Some(EventKind::GripLink),
        _ => None,
    };
    [link, slip]
}
