//! Contacts between a grain at rest and a stepped one, in the step in which they begin or end; and
//! the reach of a wave among grains at rest.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, BinaryHeap, VecDeque};

use super::integrate::Integrate;
use super::kinematics::Kinematics;
use super::state::Effects;
use super::still::Wrench;
use super::world::{Contacts, Grains, Shapes, Sleeping, World};
use super::{bodies, crossing, field_loads, held, kinematics, observe};
use crate::contact::restitution;
use crate::geometry::Vector;

/// A contact of a stepped grain with another grain, possibly at rest, that began or ended in the last evaluation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Encounter {
    /// Class of pairs.
    pub class: usize,
    /// Slot of the grain at rest; if there is none, of the slower one.
    pub struck: u32,
    /// Slot of the other grain, which is stepped.
    pub striker: u32,
    /// Whether the struck grain is at rest.
    pub stands: bool,
    /// Slots of the balls in contact.
    pub balls: [u32; 2],
    /// Whether the contact began.
    pub began: bool,
}

/// Gap that a push closes, over the radius of a grain.
const NARROW: f64 = 0.01;

/// A grain that loses this fraction of its support falls.
const MOST: f64 = 0.75;

/// A struck grain slower than this fraction of the impact speed counts as lying in place.
const SLOW: f64 = 0.1;

/// Links of the lists from each of their grains: the grain, the grain at the other end, class of
/// pairs, and the balls in contact; ascending.
#[derive(Clone, Debug, Default)]
pub struct ListLinks(Vec<(u32, u32, usize, [u32; 2])>);

impl ListLinks {
    fn of(&self, slot: u32) -> impl Iterator<Item = &(u32, u32, usize, [u32; 2])> {
        let first = self.0.partition_point(|link| link.0 < slot);
        self.0[first..]
            .iter()
            .take_while(move |link| link.0 == slot)
    }
}

/// An impact on a grain.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Strike {
    /// Speed of approach, m/s.
    pub speed: f64,
    /// Duration of the contact if the struck body were fixed, s.
    pub duration: f64,
    /// Greatest overlap in that case, m.
    pub depth: f64,
    /// Energy of the approach, J.
    pub energy: f64,
    /// Coefficient of restitution of the contact by itself.
    pub restitution: f64,
}

/// A time, ordered.
#[derive(Clone, Copy, PartialEq)]
struct Arrival(f64);

impl Eq for Arrival {}

impl PartialOrd for Arrival {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Arrival {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.0.total_cmp(&other.0)
    }
}

/// Records that a link of two balls began or ended, if any grain is at rest; between two grains at rest there are no such links.
pub(super) fn note_encounter<D: Integrate>(
    shapes: &Shapes<D>,
    grains: &Grains<D>,
    sleeping: &Sleeping,
    effects: &mut Effects<D>,
    class: usize,
    balls: [u32; 2],
    began: bool,
) {
    if sleeping.still.count == 0 {
        return;
    }
    let stand = balls.map(|ball| grains.stands(ball));
    let [a, b] = balls.map(|ball| grains.owner(ball));
    let (struck, striker) = match stand {
        [true, true] => return,
        [true, false] => (a, b),
        [false, true] => (b, a),
        // If a contact of two stepped grains ended, each of them falls by itself.
        [false, false] if !began => return,
        [false, false] => {
            let speed = |slot: u32| {
                crossing::motion(shapes, grains, slot as usize)
                    .velocity
                    .norm_squared()
            };
            if speed(a) < speed(b) { (a, b) } else { (b, a) }
        }
    };
    effects.encounters.push(Encounter {
        class,
        struck,
        striker,
        stands: stand[0] || stand[1],
        balls,
        began,
    });
}

/// Whether a struck grain, awake but slow compared with the impact, is so near to a grain at rest that touches stepped ones that a
/// wave may reach that one during the contact of the striker: a bound by the time in which the new link transmits the wave.
pub fn lies_near<D: Integrate>(world: &World<D>, encounter: &Encounter, strike: &Strike) -> bool {
    let struck = crossing::motion(&world.shapes, &world.grains, encounter.struck as usize).velocity;
    if struck.norm() > SLOW * strike.speed {
        return false;
    }
    let [a, b] = encounter.balls;
    let materials = world.contacts.pairs[encounter.class].materials;
    let Some(law) = world.physics.laws.get(materials[0], materials[1]) else {
        return false;
    };
    let kinematics = kinematics::pair_kinematics(world, a, b);
    let stiffness = law.stiffness(strike.depth, kinematics.radius).normal;
    let links = strike.duration * (stiffness * kinematics.inverse_mass).sqrt();
    let arrays = &world.grains.arrays;
    let radius = |slot: u32| arrays.radius(slot as usize);
    let own = radius(encounter.struck).max(radius(encounter.striker));
    world.sleeping.still.rim.iter().any(|&slot| {
        let reach = (links + 2.0) * 2.0 * own.max(radius(slot));
        let away = observe::shortest(
            &world.physics,
            &world.cell,
            arrays.position(slot as usize) - kinematics.point,
        );
        away.norm_squared() < reach * reach
    })
}

/// Links between grains of which at least one is stepped.
pub fn list_links<D: Integrate>(grains: &Grains<D>, contacts: &Contacts<D>) -> ListLinks {
    let mut links = Vec::new();
    for (class, pairs) in contacts.pairs.iter().enumerate() {
        let lists = &pairs.lists;
        for (batch, flags) in lists.batches.iter().zip(&lists.flags) {
            for lane in (0..8).filter(|lane| flags.touch >> lane & 1 == 1) {
                let balls = [batch.a[lane], batch.b[lane]];
                let [a, b] = balls.map(|ball| grains.owner(ball));
                links.push((a, b, class, balls));
                links.push((b, a, class, balls));
            }
        }
    }
    links.sort_unstable();
    ListLinks(links)
}

/// The impact of a contact that began; none if the bodies do not approach each other.
pub fn strike<D: Integrate>(world: &World<D>, encounter: &Encounter) -> Option<Strike> {
    let [a, b] = encounter.balls;
    let kinematics: Kinematics<D> = kinematics::pair_kinematics(world, a, b);
    let speed = -kinematics.speed;
    if speed.is_nan() || speed <= 0.0 {
        return None;
    }
    let [a, b] = world.contacts.pairs[encounter.class].materials;
    let mass = 1.0 / world.grains.arrays.inverse_mass(encounter.striker as usize);
    let law = world.physics.laws.get(a, b)?;
    let duration = law.contact_time(mass, kinematics.radius, speed);
    // For a linear spring the overlap is the duration times the speed over pi, for Hertz's law that over 2.94.
    let depth = duration * speed / std::f64::consts::PI;
    Some(Strike {
        speed,
        duration,
        depth,
        energy: 0.5 / kinematics.inverse_mass * speed.powi(2),
        restitution: restitution(law.damping_ratio(kinematics.inverse_mass)),
    })
}

/// Grains at rest that a wave from one grain reaches within a time (s), along links between grains at
/// rest and those of `lists`; ascending. Links are compressed by at least `depth` (m): in a row of
/// equal grains the computed time is 0.71 of that of long waves, in a close packing about that time.
pub fn within_reach<D: Integrate>(
    world: &World<D>,
    from: u32,
    time: f64,
    depth: f64,
    lists: &ListLinks,
) -> Vec<u32> {
    let pairs = &world.sleeping.still.pairs;
    let mut arrivals: BTreeMap<u32, f64> = BTreeMap::from([(from, 0.0)]);
    let mut front = BinaryHeap::from([Reverse((Arrival(0.0), from))]);
    while let Some(Reverse((Arrival(at), slot))) = front.pop() {
        if arrivals.get(&slot).is_some_and(|&earlier| earlier < at) {
            continue;
        }
        let mut go = |other: u32, passes: f64| {
            let arrival = at + passes;
            let earlier = arrivals.get(&other).is_none_or(|&known| arrival < known);
            if arrival <= time && earlier {
                arrivals.insert(other, arrival);
                front.push(Reverse((Arrival(arrival), other)));
            }
        };
        for index in pairs.of(slot) {
            let (class, link) = pairs.get(index);
            go(
                pairs.beyond(index, slot),
                passes(world, class, [link.a, link.b], depth),
            );
        }
        for &(_, other, class, balls) in lists.of(slot) {
            go(other, passes(world, class, balls, depth));
        }
    }
    arrivals.retain(|&slot, _| world.grains.stands(slot));
    arrivals.into_keys().collect()
}

/// Grains at rest nearest to one of them, until these have a mass (kg) together; with that one, ascending. They are found from grain to
/// grain, by links and across gaps so narrow (`NARROW`) that a push closes them before it moves anything far.
pub fn around<D: Integrate>(world: &World<D>, from: u32, mass: f64) -> Vec<u32> {
    let pairs = &world.sleeping.still.pairs;
    let arrays = &world.grains.arrays;
    let of = |slot: u32| 1.0 / arrays.inverse_mass(slot as usize);
    let mut found = BTreeSet::from([from]);
    let (mut sum, mut front) = (of(from), VecDeque::from([from]));
    while let Some(slot) = front.pop_front() {
        // In an order that does not depend on when links were made.
        let mut beyond: Vec<u32> = pairs
            .of(slot)
            .map(|index| pairs.beyond(index, slot))
            .collect();
        for touching in bodies::touching_of(&world.shapes, &world.grains, slot) {
            let (x, r) = (
                arrays.position(touching as usize),
                arrays.radius(touching as usize) * (1.0 + NARROW),
            );
            world.sleeping.cells.near(x, r, |other| {
                let d = x - arrays.position(other as usize);
                let d = observe::shortest(&world.physics, &world.cell, d);
                let reach = r + arrays.radius(other as usize);
                let other = world.grains.owner(other);
                if other != slot && d.norm_squared() < reach * reach {
                    beyond.push(other);
                }
            });
        }
        beyond.sort_unstable();
        for other in beyond {
            if sum >= mass {
                break;
            }
            if found.insert(other) {
                sum += of(other);
                front.push_back(other);
            }
        }
    }
    found.retain(|&slot| world.grains.stands(slot));
    found.into_iter().collect()
}

/// The nearest grains at rest to a grain that may itself be stepped: so many that their links with others at rest store at most this energy (J),
/// none farther away than so many of its diameters; ascending.
pub fn within_stored<D: Integrate>(
    world: &World<D>,
    from: u32,
    energy: f64,
    diameters: f64,
) -> Vec<u32> {
    let arrays = &world.grains.arrays;
    let (x, radius) = (arrays.position(from as usize), arrays.radius(from as usize));
    let pairs = &world.sleeping.still.pairs;
    let mut reach = 4.0 * radius;
    loop {
        let mut found: Vec<(f64, u32, u32)> = Vec::new();
        world.sleeping.cells.near(x, reach, |touching| {
            let slot = world.grains.owner(touching);
            let d = observe::shortest(
                &world.physics,
                &world.cell,
                arrays.position(slot as usize) - x,
            );
            let away = d.norm();
            if away <= reach {
                found.push((away, arrays.id[slot as usize], slot));
            }
        });
        found.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        found.dedup_by_key(|&mut (.., slot)| slot);
        let mut sum = 0.0;
        let mut stores = |&(.., slot): &(f64, u32, u32)| {
            for index in pairs.of(slot) {
                let (class, kept) = pairs.get(index);
                sum += 0.5 * held::kept_view(world, class, kept).elastic.sum();
            }
            sum <= energy
        };
        let count = found.iter().take_while(|&one| stores(one)).count();
        let is_all = found.len() == world.sleeping.still.count;
        if count < found.len() || is_all || reach >= 2.0 * radius * diameters {
            let mut slots: Vec<u32> = found[..count].iter().map(|&(.., slot)| slot).collect();
            slots.sort_unstable();
            return slots;
        }
        reach = (2.0 * reach).min(2.0 * radius * diameters);
    }
}

/// Grains at rest, next to stepped ones, whose residual force at the last evaluation is over so many times their
/// [`weight`](super::field_loads::weight), ascending.
pub fn pushed_hard<D: Integrate>(world: &World<D>, most: f64) -> Vec<u32> {
    let is_hard = |&slot: &u32| {
        // Grains that no stepped one pushes are left to the checks.
        let (pushed, _) = D::force(&world.grains.arrays, slot as usize);
        if pushed == [0.0; 3] {
            return false;
        }
        let [x, y, z, ..] = held::residual_now(world, slot);
        observe::size([x, y, z]) > most * field_loads::weight(world, slot)
    };
    let rim = world.sleeping.still.rim.iter();
    rim.copied().filter(is_hard).collect()
}

/// Grains at rest that rest on a falling one, or on others of these: they lose most of their support,
/// and the wave of [`within_reach`] reaches them within a time (s). `up`: direction against gravity.
pub fn rest_on<D: Integrate>(world: &World<D>, from: u32, time: f64, up: D::Vector) -> Vec<u32> {
    let pairs = &world.sleeping.still.pairs;
    let mut falls: BTreeMap<u32, f64> = BTreeMap::from([(from, 0.0)]);
    let mut front = BinaryHeap::from([Reverse((Arrival(0.0), from))]);
    while let Some(Reverse((Arrival(at), slot))) = front.pop() {
        for index in pairs.of(slot) {
            let (class, link) = pairs.get(index);
            let other = pairs.beyond(index, slot);
            let arrival = at + passes(world, class, [link.a, link.b], 0.0);
            if arrival.is_nan() || arrival > time || falls.contains_key(&other) {
                continue;
            }
            let borne = borne_by(world, other, up, |by| falls.contains_key(&by));
            if borne >= MOST {
                falls.insert(other, arrival);
                front.push(Reverse((Arrival(arrival), other)));
            }
        }
    }
    falls.remove(&from);
    falls.into_keys().collect()
}

/// The fraction of the support of a grain at rest that comes from certain other grains at rest; 0 without support.
fn borne_by<D: Integrate>(
    world: &World<D>,
    slot: u32,
    up: D::Vector,
    of: impl Fn(u32) -> bool,
) -> f64 {
    let pairs = &world.sleeping.still.pairs;
    let along = |push: &Wrench| (0..D::N).map(|k| push[k] * up[k]).sum::<f64>().max(0.0);
    let (f, m) = D::force(&world.grains.arrays, slot as usize);
    let mut all = along(&[f[0], f[1], f[2], m[0], m[1], m[2]]);
    let mut part = 0.0;
    for index in pairs.of(slot) {
        let (class, kept) = pairs.get(index);
        let view = held::kept_view(world, class, kept);
        let [on_a, on_b] = held::pushes(&world.shapes, &world.grains, &view);
        let push = along(if world.grains.owner(kept.a) == slot {
            &on_a
        } else {
            &on_b
        });
        all += push;
        if of(pairs.beyond(index, slot)) {
            part += push;
        }
    }
    if all > 0.0 { part / all } else { 0.0 }
}

/// Time in which a link of two balls of a class transmits a wave, s: sqrt(m / k), with the reduced mass m and
/// the stiffness k at its own overlap or at `depth` (m), if that is greater. Infinite without a law.
fn passes<D: Integrate>(world: &World<D>, class: usize, [a, b]: [u32; 2], depth: f64) -> f64 {
    let materials = world.contacts.pairs[class].materials;
    let Some(law) = world.physics.laws.get(materials[0], materials[1]) else {
        return f64::INFINITY;
    };
    let kinematics = kinematics::pair_kinematics(world, a, b);
    let overlap = kinematics.overlap.max(depth);
    let stiffness = law.stiffness(overlap, kinematics.radius).normal;
    1.0 / (stiffness * kinematics.inverse_mass).sqrt()
}

/// A contact of a grain at rest has ended: the force of the other grain since the last check is not
/// a load. The means of the remaining forces restart from the last evaluation.
pub fn drop_push<D: Integrate>(grains: &Grains<D>, sleeping: &mut Sleeping, slot: u32) {
    let s = slot as usize;
    let (f, m) = D::force(&grains.arrays, s);
    let evaluations = f64::from(sleeping.still.evaluations);
    let now = [f[0], f[1], f[2], m[0], m[1], m[2]];
    sleeping.still.pushed[s] = now.map(|part| evaluations * part);
}
