//! Energy ledger: energies held, and energies exchanged since the start.

use crate::geometry::three;
use serde::{Deserialize, Serialize};

use super::filled::Filling;
use crate::cluster;
use crate::cluster::integrate::Integrate;
use crate::cluster::{Counts, Dem, Elastic, FieldFlows, Flows, GrainState, World};
use crate::contact::{Law, with_law};
use crate::field::{FieldPoint, FieldSet, ParticleColumns};
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
    /// In a cell whose edges move, where kinetic energy is that of motion relative to the flow: by how much that of
    /// the whole motion is greater.
    pub carried: f64,
    /// What fields gave to flyers on pieces of paths that are not booked yet.
    pub flown: FieldFlows,
}

impl Held {
    fn sum(&self) -> f64 {
        self.kinetic + self.potential + self.elastic.sum()
    }
}

/// Energies exchanged since the start, J.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Ledger {
    /// Whether the balance was opened.
    pub begun: bool,
    /// Energies held at the start.
    pub start: Held,
    /// Flows of the engine at the start, to be subtracted.
    pub flows_at_start: Flows,
    /// Energy taken by morphs at the start, to be subtracted.
    pub morph_at_start: f64,
    /// Counts of the engine at the start.
    pub counts_at_start: Counts,
    /// Energy brought by feeds: kinetic and potential.
    pub fed: f64,
    /// Potential share of `fed`.
    pub fed_potential: f64,
    /// Energy removed with grains.
    pub removed: f64,
    /// Potential share of `removed`.
    pub removed_potential: f64,
    /// Share of `removed` that tangential springs held.
    pub removed_tangential: f64,
    /// Energy given by kicks, and by a gravity that is no longer the scenario's: that work is this plus
    /// (gravity now - gravity at the start) . (sum of mass times position).
    pub perturbed: f64,
    /// Mass times diameter of the removed grains, kg m.
    pub removed_size: f64,
    /// The largest error of a row so far (`balance_error_max`).
    pub worst: f64,
    /// Gravity at the start, to which potential energy refers, m/s^2.
    pub gravity: [f64; 3],
}

/// Returns the rotational energy of a stepped grain, J.
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

/// Returns the energies held at a time; `time` lies within a step of the time of evaluation.
pub fn held<D: Integrate>(world: &World<D>, fields: &FieldSet<D>, time: f64) -> Held {
    let arrays = &world.grains.arrays;
    let mut held = Held {
        flown: super::air::in_progress(world, fields, time),
        ..Held::default()
    };
    let mut crowd = ParticleColumns::new();
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
    held.elastic.bonds = cluster::bonds::energy(world);
    cluster::observe::each_contact(world, |link| {
        held.elastic += link
            .elastic
            .times(cluster::border::share_of(&world.grains, &link))
    });
    held
}

impl Ledger {
    /// Books the energy of links that are removed.
    pub fn remove_elastic(&mut self, elastic: Elastic) {
        self.removed += elastic.sum();
        self.removed_tangential += elastic.tangential;
    }

    /// Returns the difference of gravity from the scenario's, m/s^2: the additional force on a mass, over the
    /// mass.
    pub fn added_gravity<D: Integrate>(&self, world: &World<D>) -> D::Vector {
        D::Vector::from_fn(|k| world.physics.gravity[k] - self.gravity[k])
    }

    /// Opens the balance.
    pub fn begin<D: Integrate>(
        dem: &Dem<D>,
        fields: &FieldSet<D>,
        time: f64,
        morph: f64,
    ) -> Ledger {
        let start = held(&dem.world, fields, time);
        let mut flows_at_start = passed(dem);
        flows_at_start.fields.add(1.0, &start.flown);
        Ledger {
            begun: true,
            start,
            flows_at_start,
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

    /// Includes the filling in equilibrium that came before: the energy that its grains brought, its losses, and the energy that the
    /// change to motion took are entries. Must be called right after the balance was opened.
    pub fn go_on_from(&mut self, filling: &Filling) {
        let held = std::mem::take(&mut self.start);
        self.fed = filling.fed;
        self.fed_potential = filling.fed;
        self.flows_at_start.friction -= filling.slip + held.elastic.tangential;
        self.morph_at_start -= filling.morph + filling.held - held.sum();
        self.worst = filling.worst;
    }

    /// Returns the energy that fields of a place gave since the balance was opened.
    pub fn given_by_fields<D: Integrate>(
        &self,
        dem: &Dem<D>,
        fields: &FieldSet<D>,
        time: f64,
    ) -> FieldFigures {
        let mut given = passed(dem).fields;
        given.add(1.0, &super::air::in_progress(&dem.world, fields, time));
        given.add(-1.0, &self.flows_at_start.fields);
        FieldFigures {
            work: given.work,
            drag: given.drag,
            momentum: given.momentum,
            stream: fields.stream(stream_to_come(&dem.world)).map(three),
        }
    }

    /// Returns the figures now. Walls gave more energy than the flows tell, by an amount `more`, J, to grains that are held to have it.
    pub fn figures<D: Integrate>(
        &self,
        dem: &Dem<D>,
        held: &Held,
        more: f64,
        morph: f64,
    ) -> EnergyFigures {
        let rounding = rounding(&dem.world);
        self.figures_of(&dem.world, held, &passed(dem), more, morph, rounding)
    }

    /// Returns the same figures from the energies held and the flows of several ranks, and from the rounding errors there.
    pub fn figures_of<D: Integrate>(
        &self,
        world: &World<D>,
        held: &Held,
        flows: &Flows,
        more: f64,
        morph: f64,
        rounding: [f64; 3],
    ) -> EnergyFigures {
        let begin = &self.flows_at_start;
        let mut given = flows.fields;
        given.add(1.0, &held.flown);
        given.add(-1.0, &begin.fields);
        let damping = flows.damping - begin.damping + given.drag;
        // Energy that went into tangential springs and is no longer there was lost in sliding.
        let sprung =
            held.elastic.tangential + self.removed_tangential - self.start.elastic.tangential;
        let slip = flows.friction - begin.friction - sprung;
        let added = self.added_gravity(world);
        let beyond: f64 = (0..D::N).map(|k| added[k] * held.moment[k]).sum();
        let injected =
            flows.walls - begin.walls + more + given.work + self.fed + self.perturbed + beyond
                - (held.carried - self.start.carried);
        let released =
            self.start.potential + self.fed_potential - self.removed_potential - held.potential;
        let collision = flows.collision - begin.collision;
        let breakage = flows.breakage - begin.breakage;
        let morph = morph - self.morph_at_start;
        let lost = damping + slip + collision + breakage;
        let error = held.sum() + lost + morph + self.removed - injected - self.start.sum();
        let entries = [
            damping,
            slip,
            collision,
            breakage,
            morph,
            self.removed,
            injected,
        ];
        let entries = entries.iter().map(|x| x.abs()).sum::<f64>();
        let whole = held.kinetic
            + held.elastic.sum().abs()
            + self.start.kinetic
            + self.start.elastic.sum().abs()
            + entries;
        // The part that rounding alone can leave is no error of the integration.
        let [overlaps, places, still] = rounding;
        let error = (error.abs() - (overlaps + UNITS * (whole + places))).max(0.0);
        let mut flowed = self.start.kinetic + released.max(0.0) + injected.abs();
        // The drive of a periodic cell adds to the flow too.
        flowed += (held.carried - self.start.carried).abs();
        if world.physics.has_slots() || !world.contacts.bonds.slots.is_empty() || breakage != 0.0 {
            // Attraction of grains, and bonds under stress, release energy as gravity does.
            flowed += (self.start.elastic.sum() - held.elastic.sum()).max(0.0);
        }
        // Where springs alone drive the run, all of the above may be zero.
        let scale = if flowed > 0.0 {
            flowed
        } else {
            self.start.elastic.sum().abs()
        };
        // Work of contacts, walls and drag: bodies that fall or fly elsewhere take no part in it.
        let met = flows.met - begin.met;
        let walls = (flows.walls - begin.walls).abs() + (given.work - given.drag).abs();
        let stored = (held.elastic.sum() - self.start.elastic.sum()).abs();
        let worked =
            met + damping.abs() + slip.abs() + collision.abs() + breakage.abs() + walls + stored;
        let g: f64 = self.gravity.iter().map(|g| g * g).sum::<f64>().sqrt();
        let rest = match g > 0.0 {
            true => g * (held.size + self.removed_size),
            false if self.start.kinetic > 0.0 => self.start.kinetic,
            // Where all grains start from rest, the energy that moved them, if that is more than what counts as rest.
            false => scale + still,
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
            elastic_bonds: held.elastic.bonds,
            dissipated: Dissipated {
                damping,
                slip,
                collision,
                morph,
                breakage,
            },
            injected,
            removed: self.removed,
            // Before the balance is opened (while settling) there is none; and the result
            // is a number even where nothing flowed.
            balance_error: share(scale),
            balance_error_max: self.worst.max(share(worked + rest)),
        }
    }
}

/// An entry of the balance is a sum of rounded parts, an overlap a difference of positions that were rounded
/// each step: a few units in the last place.
const UNITS: f64 = 8.0 * f64::EPSILON;

/// Returns the errors that rounding can leave in the balance beside those of its entries, J: that of overlaps, which are differences of
/// positions; a term that counts as an entry: potential energy, as if all mass were as far from the origin as the farthest grain; and the
/// energy of all grains at the speed that counts as rest.
pub fn rounding<D: Integrate>(world: &World<D>) -> [f64; 3] {
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
        0.5 * mass * world.physics.options.stable_speed.powi(2),
    ]
}

/// Returns the share of the flows booked at the last evaluation that lies after it.
fn to_come<D: Integrate>(world: &World<D>) -> f64 {
    use super::IntegratorName::{Euler, Heun};
    match world.clock.integrator {
        Euler | Heun => 1.0,
        _ => 0.5,
    }
}

/// Returns the same share for the losses of a stream. The midpoint rule evaluates before the time of the grains.
fn stream_to_come<D: Integrate>(world: &World<D>) -> f64 {
    match world.clock.integrator {
        super::IntegratorName::Midpoint => 0.0,
        _ => to_come(world),
    }
}

/// Returns the flows up to the time of evaluation. The leapfrog's evaluation acts over half a step before and
/// half a step after it: the half before of the dampers' work between grains is added, the half
/// after of the flows booked at once is subtracted. The other integrators' evaluation acts wholly
/// in the step to come.
pub fn passed<D: Integrate>(dem: &Dem<D>) -> Flows {
    let mut flows = dem.book.flows;
    let at_rest = cluster::field_loads::given(&dem.world);
    flows.fields.add(1.0, &at_rest);
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
    work += cluster::rigid::damping_power(dem);
    flows.damping -= half * work;
    flows
}
