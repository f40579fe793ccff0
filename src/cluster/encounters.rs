//! Contacts between a grain that stands still and a stepped one, at the step in which they begin or end; and how
//! far a wave comes among those that stand still.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};

use super::engine::Engine;
use super::integrate::Integrate;
use super::kinematics::Kinematics;

/// A contact of a grain that stands still with a stepped one that began or ended in the last evaluation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Encounter {
    /// Class of pairs.
    pub class: usize,
    /// Slot of the grain that stands still.
    pub still: u32,
    /// Slot of the stepped one.
    pub stepped: u32,
    /// Slots of the balls in touch.
    pub balls: [u32; 2],
    /// Whether it began.
    pub began: bool,
}

/// A blow on a grain that stands still.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Strike {
    /// Speed of approach, m/s.
    pub speed: f64,
    /// How long what strikes would be in touch if that which it strikes held still, s.
    pub duration: f64,
    /// How deep it would go in then, m.
    pub depth: f64,
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

impl<D: Integrate> Engine<D> {
    /// Notes that a link of two balls began or ended, if one of them stands still and the other is stepped.
    pub(super) fn note_encounter(&mut self, class: usize, balls: [u32; 2], began: bool) {
        if self.state.still.count == 0 {
            return;
        }
        let stand = balls.map(|ball| self.stands(ball));
        if stand[0] == stand[1] {
            return;
        }
        let [a, b] = balls.map(|ball| self.owner(ball));
        let (still, stepped) = if stand[0] { (a, b) } else { (b, a) };
        self.encounters.push(Encounter {
            class,
            still,
            stepped,
            balls,
            began,
        });
    }

    /// Contacts between grains that stand still and stepped ones that began or ended in the last evaluation. Told once.
    pub fn take_encounters(&mut self) -> Vec<Encounter> {
        std::mem::take(&mut self.encounters)
    }

    /// The blow of a contact that began; none of bodies that do not approach each other.
    pub fn strike(&self, encounter: &Encounter) -> Option<Strike> {
        let [a, b] = encounter.balls;
        let kinematics: Kinematics<D> = self.pair_kinematics(a, b);
        let speed = -kinematics.speed;
        if speed.is_nan() || speed <= 0.0 {
            return None;
        }
        let [a, b] = self.state.pairs[encounter.class].materials;
        let mass = 1.0 / self.state.arrays.inverse_mass(encounter.stepped as usize);
        let duration = self
            .laws
            .get(a, b)?
            .contact_time(mass, kinematics.radius, speed);
        // Of a linear spring it is the duration times the speed over pi, of Hertz's that over 2.94.
        let depth = duration * speed / std::f64::consts::PI;
        Some(Strike {
            speed,
            duration,
            depth,
        })
    }

    /// Grains that stand still and to which a wave comes within a time (s) from one of them, along links between
    /// grains that stand still, itself included; ascending. A link passes it on in sqrt(m / k), m the reduced mass of its grains and
    /// k its stiffness at its own overlap or at `depth` (m), if that is more: in a row of equal grains 0.71 of the time that
    /// long waves take, in a close packing about that time.
    pub fn within_reach(&self, from: u32, time: f64, depth: f64) -> Vec<u32> {
        let pairs = &self.state.still.pairs;
        let mut arrivals: BTreeMap<u32, f64> = BTreeMap::from([(from, 0.0)]);
        let mut front = BinaryHeap::from([Reverse((Arrival(0.0), from))]);
        while let Some(Reverse((Arrival(at), slot))) = front.pop() {
            if arrivals.get(&slot).is_some_and(|&earlier| earlier < at) {
                continue;
            }
            for index in pairs.of(slot) {
                let (class, link) = pairs.get(index);
                let [a, b] = self.state.pairs[class].materials;
                let kinematics = self.pair_kinematics(link.a, link.b);
                let Some(law) = self.laws.get(a, b) else {
                    continue;
                };
                let stiffness = law
                    .stiffness(kinematics.overlap.max(depth), kinematics.radius)
                    .normal;
                let arrival = at + 1.0 / (stiffness * kinematics.inverse_mass).sqrt();
                let other = pairs.beyond(index, slot);
                let earlier = arrivals.get(&other).is_none_or(|&known| arrival < known);
                if arrival <= time && earlier {
                    arrivals.insert(other, arrival);
                    front.push(Reverse((Arrival(arrival), other)));
                }
            }
        }
        arrivals.into_keys().collect()
    }

    /// A contact of a grain that stands still has ended: what the other pushed since the last look is no load. Means of what
    /// still pushes are taken from the last evaluation.
    pub fn drop_push(&mut self, slot: u32) {
        let s = slot as usize;
        let (f, m) = D::force(&self.state.arrays, s);
        let evaluations = f64::from(self.state.still.evaluations);
        let now = [f[0], f[1], f[2], m[0], m[1], m[2]];
        self.state.still.pushed[s] = now.map(|part| evaluations * part);
    }
}
