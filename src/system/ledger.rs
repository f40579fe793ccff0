//! The energy ledger.

use crate::geometry::three;
use serde::{Deserialize, Serialize};

use super::filled::Filling;
use crate::cluster;
use crate::cluster::integrate::Integrate;
use crate::cluster::{Counts, Dem, Elastic, Flows, GrainState, World};
use crate::contact::{Law, with_law};
use crate::field::{Crowd, FieldPoint, FieldSet};
use crate::geometry::Vector;
use crate::record::{Dissipated, EnergyFigures, FieldFigures};

/// Energies held now, J.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Held {
    /// Kinetic.
    pub kinetic: f64,
    /// Potential in gravity, from the origin.
    pub potential: f64,
    /// Elastic.
    pub elastic: Elastic,
    /// Sum of mass times position, kg m.
    pub moment: [f64; 3],
    /// Sum of mass times diameter, kg m.
    pub size: f64,
    /// In a cell whose edges move, where kinetic energy is that of motion against the flow: what that of the whole
    /// motion is more.
    pub carried: f64,
}

impl Held {
    fn sum(&self) -> f64 {
        self.kinetic + self.potential + self.elastic.sum()
    }
}

/// What passed since the start, J.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Ledger {
    /// Whether the book was opened.
    pub begun: bool,
    /// Held at the start.
    pub start: Held,
    /// Dem's flows at the start, to be taken off.
    pub flows_at_start: Flows,
    /// Energy taken by morphs at the start, to be taken off.
    pub morph_at_start: f64,
    /// Dem's counts at the start.
    pub counts_at_start: Counts,
    /// Brought by feeds: kinetic and potential.
    pub fed: f64,
    /// Potential share of it.
    pub fed_potential: f64,
    /// Taken away with removed grains.
    pub removed: f64,
    /// Potential share of it.
    pub removed_potential: f64,
    /// Share of it that tangential springs held.
    pub removed_tangential: f64,
    /// Given by kicks, and by a gravity that is not the scenario's any more: that work is this plus
    /// (gravity now - gravity at the start) . (sum of mass times position).
    pub perturbed: f64,
    /// Mass times diameter of what was taken away, kg m.
    pub removed_size: f64,
    /// The largest error of a row so far (`balance_error_max`).
    pub worst: f64,
    /// Gravity at the start, of which potential energy is told, m/s^2.
    pub gravity: [f64; 3],
}

/// Energy of a stepped grain that turns, J.
pub fn turning_energy<D: Integrate>(world: &World<D>, slot: usize, s: [f64; 3]) -> f64 {
    let arrays = &world.grains.arrays;
    match (
        cluster::bodies::body_spin(&world.clock, &world.shapes, &world.grains, slot as u32),
        cluster::bodies::principal_moments(&world.shapes, &world.grains, slot as u32),
    ) {
        (Some(spin), Some(moments)) => D::turning_energy(arrays.rotation[slot], spin, moments),
        _ => 0.5 / arrays.inverse_inertia(slot) * (s[0] * s[0] + s[1] * s[1] + s[2] * s[2]),
    }
}

/// Energies held at a time; `time` lies within a step of the time of evaluation.
pub fn held<D: Integrate>(world: &World<D>, fields: &FieldSet<D>, time: f64) -> Held {
    let arrays = &world.grains.arrays;
    let mut held = Held::default();
    let mut crowd = Crowd::new();
    for slot in 1..arrays.slots() {
        if !arrays.status[slot].is_grain() {
            continue;
        }
        let mass = 1.0 / arrays.inverse_mass(slot);
        let GrainState {
            position: x,
            velocity: v,
            surface_spin: s,
        } = world.state_at(slot, time);
        let own =
            0.5 * mass * (v - cluster::cell::drive::flow_at::<D>(&world.cell, x)).norm_squared();
        held.kinetic += own;
        held.carried += 0.5 * mass * v.norm_squared() - own;
        held.kinetic += turning_energy(world, slot, s);
        let radius = arrays.radius(slot);
        held.size += mass * 2.0 * radius;
        let at = FieldPoint {
            mass,
            radius,
            volume: fields.volume(arrays.material[slot], mass, radius),
            position: x,
            velocity: v,
            time,
            source: cluster::afar::source(
                &world.shapes,
                &world.grains,
                slot as u32,
                fields.source(arrays.material[slot]),
            ),
        };
        held.potential += fields.potential_energy(&at);
        if fields.reaches_between() {
            crowd.push(&super::afar::member(&at));
        }
        for k in 0..D::N {
            held.moment[k] += mass * x[k];
        }
    }
    held.potential += fields.energy_between(&crowd);
    cluster::observe::each_contact(world, |link| {
        held.elastic += link
            .elastic
            .times(cluster::border::share_of(&world.grains, &link))
    });
    held
}

impl Ledger {
    /// Books what links that are taken away held.
    pub fn remove_elastic(&mut self, elastic: Elastic) {
        self.removed += elastic.sum();
        self.removed_tangential += elastic.tangential;
    }

    /// What gravity does to a mass at a place beyond the scenario's, over mass times position: the
    /// difference of the two, m/s^2.
    pub fn added_gravity<D: Integrate>(&self, world: &World<D>) -> D::Vector {
        D::Vector::from_fn(|k| world.physics.gravity[k] - self.gravity[k])
    }

    /// Begins the book.
    pub fn begin<D: Integrate>(
        dem: &Dem<D>,
        fields: &FieldSet<D>,
        time: f64,
        morph: f64,
    ) -> Ledger {
        Ledger {
            begun: true,
            start: held(&dem.world, fields, time),
            flows_at_start: passed(dem),
            morph_at_start: morph,
            counts_at_start: dem.book.counts,
            gravity: std::array::from_fn(|k| {
                if k < D::N {
                    dem.world.physics.gravity[k]
                } else {
                    0.0
                }
            }),
            ..Ledger::default()
        }
    }

    /// A filling in equilibrium came before: what grains came with and what was lost since are its entries, and so is what the change to
    /// motion took. To be told right after the book was begun.
    pub fn go_on_from(&mut self, filling: &Filling) {
        let held = std::mem::take(&mut self.start);
        self.fed = filling.fed;
        self.fed_potential = filling.fed;
        self.flows_at_start.friction -= filling.slip + held.elastic.tangential;
        self.morph_at_start -= filling.morph + filling.held - held.sum();
        self.worst = filling.worst;
    }

    /// What fields of a place gave since the book was opened.
    pub fn given_by_fields<D: Integrate>(
        &self,
        dem: &Dem<D>,
        fields: &FieldSet<D>,
    ) -> FieldFigures {
        let mut given = passed(dem).fields;
        given.add(-1.0, &self.flows_at_start.fields);
        FieldFigures {
            work: given.work,
            drag: given.drag,
            momentum: given.momentum,
            stream: fields.stream(stream_to_come(&dem.world)).map(three),
        }
    }

    /// The figures now.
    pub fn figures<D: Integrate>(&self, dem: &Dem<D>, held: &Held, morph: f64) -> EnergyFigures {
        self.figures_of(&dem.world, held, &passed(dem), morph, rounding(&dem.world))
    }

    /// The same of what is held and has passed on several ranks, and with what rounding can leave there.
    pub fn figures_of<D: Integrate>(
        &self,
        world: &World<D>,
        held: &Held,
        flows: &Flows,
        morph: f64,
        rounding: [f64; 2],
    ) -> EnergyFigures {
        let begin = &self.flows_at_start;
        let mut given = flows.fields;
        given.add(-1.0, &begin.fields);
        let damping = flows.damping - begin.damping + given.drag;
        // What went into tangential springs and is there no longer was lost in sliding.
        let sprung =
            held.elastic.tangential + self.removed_tangential - self.start.elastic.tangential;
        let slip = flows.friction - begin.friction - sprung;
        let added = self.added_gravity(world);
        let beyond: f64 = (0..D::N).map(|k| added[k] * held.moment[k]).sum();
        let injected = flows.walls - begin.walls + given.work + self.fed + self.perturbed + beyond
            - (held.carried - self.start.carried);
        let released =
            self.start.potential + self.fed_potential - self.removed_potential - held.potential;
        let collision = flows.collision - begin.collision;
        let morph = morph - self.morph_at_start;
        let lost = damping + slip + collision;
        let error = held.sum() + lost + morph + self.removed - injected - self.start.sum();
        let entries = [damping, slip, collision, morph, self.removed, injected];
        let entries = entries.iter().map(|x| x.abs()).sum::<f64>();
        let whole = held.kinetic
            + held.elastic.sum().abs()
            + self.start.kinetic
            + self.start.elastic.sum().abs()
            + entries;
        // What rounding alone can leave is no error of the integration.
        let [overlaps, places] = rounding;
        let error = (error.abs() - (overlaps + UNITS * (whole + places))).max(0.0);
        let mut flowed = self.start.kinetic + released.max(0.0) + injected.abs();
        // What drives a periodic cell gives its flow too.
        flowed += (held.carried - self.start.carried).abs();
        if world.physics.has_slots() {
            // What draws grains together gives energy as gravity does.
            flowed += (self.start.elastic.sum() - held.elastic.sum()).max(0.0);
        }
        // Where springs alone drive the run, nothing of the above need flow.
        let scale = if flowed > 0.0 {
            flowed
        } else {
            self.start.elastic.sum().abs()
        };
        // What contacts, walls and drag have done: no body that falls or flies elsewhere is part of it.
        let met = flows.met - begin.met;
        let walls = (flows.walls - begin.walls).abs() + (given.work - given.drag).abs();
        let stored = (held.elastic.sum() - self.start.elastic.sum()).abs();
        let worked = met + damping.abs() + slip.abs() + collision.abs() + walls + stored;
        let g: f64 = self.gravity.iter().map(|g| g * g).sum::<f64>().sqrt();
        let rest = match g > 0.0 {
            true => g * (held.size + self.removed_size),
            false if self.start.kinetic > 0.0 => self.start.kinetic,
            // Where all starts from rest, what moved it.
            false => scale,
        };
        let share = |over: f64| {
            if error == 0.0 || !self.begun {
                0.0
            } else {
                (error / over).min(f64::MAX)
            }
        };
        EnergyFigures {
            kinetic: held.kinetic,
            potential: held.potential,
            elastic: held.elastic.sum(),
            dissipated: Dissipated {
                damping,
                slip,
                collision,
                morph,
            },
            injected,
            removed: self.removed,
            // Before the book is opened (while settling) there is no balance; and what is told
            // is a number even where nothing flowed.
            balance_error: share(scale),
            balance_error_max: self.worst.max(share(worked + rest)),
        }
    }
}

/// An entry of the book is a sum of rounded parts, an overlap a difference of positions that were rounded
/// each step: a few units in the last place.
const UNITS: f64 = 8.0 * f64::EPSILON;

/// What the rounding of numbers can leave in the balance beside that of its entries, J: of overlaps, which are differences of positions;
/// and what counts like an entry: potential energies, as if all mass were as far from the origin as the farthest grain is.
pub fn rounding<D: Integrate>(world: &World<D>) -> [f64; 2] {
    let arrays = &world.grains.arrays;
    let (mut reach, mut radius, mut mass, mut grains) = (0.0f64, 0.0f64, 0.0, 0.0);
    for slot in 1..arrays.slots() {
        if arrays.status[slot].is_grain() {
            let r = arrays.radius(slot);
            reach = reach.max(arrays.position(slot).norm() + r);
            radius = radius.max(r);
            mass += 1.0 / arrays.inverse_mass(slot);
            grains += 1.0;
        }
    }
    let pairs = world.contacts.pairs.iter().map(|class| class.materials);
    let walls = world.contacts.walls.iter().map(|class| {
        let wall = &world.walls.boundaries[usize::from(class.boundary)].boundary;
        [class.material, wall.material]
    });
    let overlap = UNITS * reach;
    let energy = pairs.chain(walls).map(|[a, b]| {
        let law = world.physics.law(a, b);
        with_law!(law, law => {
            let drawn = law.stored(overlap, radius, 0.0).abs();
            law.normal_energy(overlap, radius).max(drawn)
        })
    });
    [
        grains * energy.fold(0.0, f64::max),
        mass * world.physics.gravity.norm() * reach,
    ]
}

/// The share of what the last evaluation booked that lies after it.
fn to_come<D: Integrate>(world: &World<D>) -> f64 {
    use super::IntegratorName::{Euler, Heun};
    match world.clock.integrator {
        Euler | Heun => 1.0,
        _ => 0.5,
    }
}

/// The same of what a stream lost. The midpoint rule evaluates before the time of the grains.
fn stream_to_come<D: Integrate>(world: &World<D>) -> f64 {
    match world.clock.integrator {
        super::IntegratorName::Midpoint => 0.0,
        _ => to_come(world),
    }
}

/// Flows up to the time of evaluation. The leapfrog's evaluation works over half a step before and
/// half a step after it: the half before of the dampers' work between grains is added, the half
/// after of what was booked at once is taken off. The other integrators' evaluation works wholly
/// in the step to come.
pub fn passed<D: Integrate>(dem: &Dem<D>) -> Flows {
    let mut flows = dem.book.flows;
    let to_come = to_come(&dem.world);
    let leapfrog = to_come < 1.0;
    let [friction, damping, walls] = flows.last;
    flows.friction -= to_come * friction;
    flows.damping -= to_come * damping;
    flows.walls -= to_come * walls;
    let last = flows.last_fields;
    flows.fields.add(-to_come, &last);
    if !leapfrog {
        return flows;
    }
    let arrays = &dem.world.grains.arrays;
    let half = 0.5 * dem.world.clock.step;
    let mut work = 0.0;
    for &slot in &dem.world.grains.active {
        let slot = slot as usize;
        let (v, s) = dem.world.velocity_now(slot);
        let (f, t) = D::damper(arrays, slot);
        for k in 0..D::N {
            work += f[k] * v[k];
        }
        match cluster::bodies::body_spin(
            &dem.world.clock,
            &dem.world.shapes,
            &dem.world.grains,
            slot as u32,
        ) {
            Some(spin) => {
                let radius = arrays.radius(slot);
                let moment = D::spin_from_fn(|k| t[k] * radius);
                work += D::spin_dot(moment, spin);
            }
            None => work += (0..D::SPINS).map(|k| t[k] * s[k]).sum::<f64>(),
        }
    }
    flows.damping -= half * work;
    flows
}
