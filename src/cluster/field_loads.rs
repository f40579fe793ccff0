//! Loads on grains at rest: gravity, and fields that are not uniform as they were last evaluated.

use serde::{Deserialize, Serialize};

use super::driven::FieldFlows;
use super::integrate::Integrate;
use super::still::{Wrench, add};
use super::world::{Grains, Physics, Sleeping, World};
use crate::geometry::{Vector, three};

/// Action of fields that are not uniform on a grain that does not move.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct FieldLoad {
    /// Force, N; moment over the radius, N.
    pub load: Wrench,
    /// The part without a potential, whose work is booked as given from outside.
    pub given: Wrench,
    /// The part by the drag of fluids, N.
    pub drag: [f64; 3],
    /// Power that fluids spend on the grain and lose by drag, W.
    pub stirred: f64,
}

/// Loads of fields on all grains at rest.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct FieldLoads {
    /// By slot; empty where all fields are uniform.
    each: Vec<FieldLoad>,
    /// Mean load of a grain over its mass, m/s^2; `None`: gravity.
    scale: Option<f64>,
    /// Work and momentum given to grains at rest until `since`, s.
    passed: FieldFlows,
    since: f64,
    /// Whether a fluid on which grains act flows past grains at rest.
    pub stirs: bool,
}

impl FieldLoads {
    /// Load of a slot, beside that of gravity.
    pub fn of(&self, slot: u32) -> Wrench {
        let found = self.each.get(slot as usize);
        found.map_or([0.0; 6], |found| found.load)
    }

    /// Sets the mean load of a grain over its mass, m/s^2.
    pub fn set_scale(&mut self, scale: f64) {
        self.scale = Some(scale);
    }

    /// Whether the mean load has been set.
    pub fn has_scale(&self) -> bool {
        self.scale.is_some()
    }

    /// Applies a change of the clock's origin, s.
    pub fn shift_clock(&mut self, by: f64) {
        self.since += by;
    }

    /// Applies new numbers of slots; `order` lists the old slot of each new one.
    pub(super) fn renumber(&mut self, order: &[u32]) {
        if !self.each.is_empty() {
            let each = |&old: &u32| self.each.get(old as usize).copied().unwrap_or_default();
            self.each = order.iter().map(each).collect();
        }
    }
}

/// Acceleration by which loads are judged, m/s^2: gravity, or the mean load of a grain over its mass.
pub fn scale<D: Integrate>(physics: &Physics<D>, sleeping: &Sleeping) -> f64 {
    let scale = sleeping.still.fields.scale;
    scale.unwrap_or_else(|| physics.gravity.norm())
}

/// Load by which that of a grain is judged, N: its mass times [`scale`].
pub fn weight<D: Integrate>(world: &World<D>, slot: u32) -> f64 {
    scale(&world.physics, &world.sleeping) / world.grains.arrays.inverse_mass(slot as usize)
}

/// Force of gravity and fields on a grain at rest over its mass, m/s^2.
pub fn pull<D: Integrate>(
    physics: &Physics<D>,
    grains: &Grains<D>,
    sleeping: &Sleeping,
    slot: u32,
) -> D::Vector {
    let load = sleeping.still.fields.of(slot);
    let over = grains.arrays.inverse_mass(slot as usize);
    D::Vector::from_fn(|k| physics.gravity[k] + load[k] * over)
}

/// Sets the loads of some slots at rest.
pub fn set<D: Integrate>(world: &mut World<D>, slots: &[u32], loads: &[FieldLoad]) {
    pass(world);
    let slot_count = world.grains.arrays.slots();
    let fields = &mut world.sleeping.still.fields;
    fields.each.resize(slot_count, FieldLoad::default());
    for (&slot, load) in slots.iter().zip(loads) {
        fields.each[slot as usize] = *load;
    }
}

/// Books what fields have given to the grains at rest until now; these, or their loads, are about to change.
pub(super) fn pass<D: Integrate>(world: &mut World<D>) {
    let passed = given(world);
    let fields = &mut world.sleeping.still.fields;
    (fields.passed, fields.since) = (passed, world.clock.time());
}

/// Work and momentum that fields have given to grains at rest. A fluid that flows past them loses all its work.
pub fn given<D: Integrate>(world: &World<D>) -> FieldFlows {
    let fields = &world.sleeping.still.fields;
    let mut given = fields.passed;
    let lasted = world.clock.time() - fields.since;
    if fields.each.is_empty() || lasted == 0.0 || world.sleeping.still.count == 0 {
        return given;
    }
    let mut rates = FieldFlows::default();
    let gravity = three(world.physics.gravity);
    for slot in world.grains.standing() {
        let found = fields.each.get(slot as usize).copied();
        let FieldLoad { load, stirred, .. } = found.unwrap_or_default();
        let mass = 1.0 / world.grains.arrays.inverse_mass(slot as usize);
        rates.work += stirred;
        rates.drag += stirred;
        for k in 0..3 {
            rates.momentum[k] += load[k] + mass * gravity[k];
        }
    }
    given.add(lasted, &rates);
    given
}

/// Sum of the drag of fluids on grains at rest, N.
pub fn drag<D: Integrate>(world: &World<D>) -> D::Vector {
    let each = &world.sleeping.still.fields.each;
    let mut sum = D::Vector::default();
    for slot in world.grains.standing() {
        if let Some(found) = each.get(slot as usize) {
            sum += D::Vector::from_fn(|k| found.drag[k]);
        }
    }
    sum
}

/// Sum of loads.
impl std::ops::AddAssign for FieldLoad {
    fn add_assign(&mut self, other: Self) {
        add(&mut self.load, 1.0, &other.load);
        add(&mut self.given, 1.0, &other.given);
        (0..3).for_each(|k| self.drag[k] += other.drag[k]);
        self.stirred += other.stirred;
    }
}
