//! A set of fields that acts as one field.

use super::{
    Action, BetweenGrains, Drag, Electrostatics, FieldPoint, FieldStateError, ForceField,
    Gravitation, Gravity, LongRangeSetup, Magnetostatics, Member, NonUniformFields,
    ParticleColumns, SourceDensity, TurningFrame, ViscousDrag,
};
use crate::geometry::{Dimension, Vector};

/// The sum of fields, in the order in which they were added.
#[derive(Debug, Default)]
pub struct FieldSet<D: Dimension> {
    fields: Vec<Box<dyn ForceField<D>>>,
    between: Vec<Box<dyn BetweenGrains>>,
    /// Charges and moments per mass, by material.
    carried: LongRangeSetup,
    /// Densities by material.
    densities: Vec<f64>,
    /// Whether the work of fields is booked grain by grain.
    booked: bool,
}

impl<D: Dimension> FieldSet<D> {
    /// Returns an empty set.
    pub fn new() -> Self {
        FieldSet {
            fields: Vec::new(),
            between: Vec::new(),
            carried: LongRangeSetup::default(),
            densities: Vec::new(),
            booked: false,
        }
    }

    /// Returns a set of gravity (m/s^2) and viscous drag (N s/m); zero ones are omitted.
    pub fn with_gravity_and_drag(acceleration: D::Vector, coefficient: f64) -> Self {
        let mut set = Self::new();
        if acceleration.norm_squared() > 0.0 {
            set.add(Gravity::<D> { acceleration });
        }
        if coefficient > 0.0 {
            set.add(ViscousDrag { coefficient });
        }
        set
    }

    /// Adds forces between grains; those that act on no grain are omitted.
    pub fn with_long_range(mut self, setup: &LongRangeSetup) -> Self {
        let carried = setup.carried();
        if setup.gravitation != 0.0 {
            self.add_between(Gravitation {
                constant: setup.gravitation,
            });
        }
        let (charges, dipoles) = (carried.charges, carried.electric);
        if charges || dipoles {
            self.add_between(Electrostatics { charges, dipoles });
        }
        if carried.magnetic {
            self.add_between(Magnetostatics);
        }
        self.carried = setup.clone();
        self
    }

    /// Adds other fields, which act on the charges and moments given before.
    pub fn with_place(mut self, setup: &NonUniformFields<D>, gravity: D::Vector) -> Self {
        let carried = std::mem::take(&mut self.carried);
        setup.put_into(&mut self, gravity, &carried);
        self.carried = carried;
        self.densities.clone_from(&setup.densities);
        self.booked = !setup.is_none();
        self
    }

    /// Whether the work of the fields is booked grain by grain, and there may be drag.
    pub fn is_booked(&self) -> bool {
        self.booked
    }

    /// Returns the volume of a grain, m^3; in the plane area, m^2.
    pub fn volume(&self, material: u16, mass: f64, radius: f64) -> f64 {
        match self.densities.get(usize::from(material)) {
            Some(density) => mass / density,
            None => D::ball_measure(radius),
        }
    }

    /// Returns the total drag of all fluids.
    pub fn drag(&self, at: &FieldPoint<D>) -> Drag<D> {
        let (mut coefficient, mut pull) = (0.0, D::Vector::default());
        for field in &self.fields {
            let drag = field.drag(at);
            coefficient += drag.coefficient;
            pull += drag.velocity * drag.coefficient;
        }
        Drag {
            coefficient,
            velocity: if coefficient > 0.0 {
                pull * (1.0 / coefficient)
            } else {
                pull
            },
        }
    }

    /// Returns the rate at which spins turn by themselves, 1/s (see [`ForceField::spin_turning`]).
    pub fn spin_turning(&self) -> [f64; 3] {
        let mut sum = [0.0; 3];
        for field in &self.fields {
            let rate = field.spin_turning();
            for k in 0..3 {
                sum[k] += rate[k];
            }
        }
        sum
    }

    /// Returns charge and moments per mass of a material.
    pub fn source(&self, material: u16) -> SourceDensity {
        self.carried.source(material)
    }

    /// Whether grains have moments, so that forces depend on their orientations.
    pub fn has_moments(&self) -> bool {
        self.carried.has_moments()
    }

    /// Adds a force between grains.
    pub fn add_between(&mut self, force: impl BetweenGrains + 'static) {
        self.between.push(Box::new(force));
    }

    /// Returns the forces between grains, in order.
    pub fn between(&self) -> impl Iterator<Item = &dyn BetweenGrains> {
        self.between.iter().map(|force| force.as_ref())
    }

    /// Whether there are forces between grains.
    pub fn reaches_between(&self) -> bool {
        !self.between.is_empty()
    }

    /// Adds the actions of grains on each other; `actions` has an entry per grain.
    pub fn act(&self, crowd: &ParticleColumns, actions: &mut [Action]) {
        for force in &self.between {
            force.act(crowd, actions);
        }
    }

    /// Returns the energy of all pairs, J.
    pub fn energy_between(&self, crowd: &ParticleColumns) -> f64 {
        self.between().map(|force| force.energy(crowd)).sum()
    }

    /// Returns the energy of one more grain with a whole crowd, J.
    pub fn energy_with(&self, crowd: &ParticleColumns, one: &Member) -> f64 {
        let with = |force: &dyn BetweenGrains| force.energy_with(crowd, one);
        self.between().map(with).sum()
    }

    /// Returns the rate at which velocities turn, 1/s (see [`ForceField::gyration`]).
    pub fn gyration(&self, at: &FieldPoint<D>) -> [f64; 3] {
        let mut sum = [0.0; 3];
        for field in &self.fields {
            let rate = field.gyration(at);
            for k in 0..3 {
                sum[k] += rate[k];
            }
        }
        sum
    }

    /// Adds a field.
    pub fn add(&mut self, field: impl ForceField<D> + 'static) {
        self.fields.push(Box::new(field));
    }

    /// Returns the fields, in order.
    pub fn iter(&self) -> impl Iterator<Item = &dyn ForceField<D>> {
        self.fields.iter().map(|field| field.as_ref())
    }

    /// Returns the acceleration of a grain, m/s^2.
    pub fn acceleration(&self, at: &FieldPoint<D>) -> D::Vector {
        match self.uniform_acceleration() {
            Some(uniform) => uniform,
            None => self.force(at) * (1.0 / at.mass),
        }
    }

    /// Returns the inner states of all fields, in order, for a checkpoint.
    pub fn states(&self) -> Vec<Vec<f64>> {
        self.iter().map(|field| field.state()).collect()
    }

    /// Restores the inner states of all fields.
    pub fn restore_states(&mut self, states: &[Vec<f64>]) -> Result<(), FieldStateError> {
        if states.len() != self.fields.len() {
            return Err(FieldStateError {
                name: "all fields".to_owned(),
                expected: self.fields.len(),
                found: states.len(),
            });
        }
        self.fields
            .iter_mut()
            .zip(states)
            .try_for_each(|(field, state)| field.restore(state))
    }

    /// Returns the total force, N.
    pub fn force(&self, at: &FieldPoint<D>) -> D::Vector {
        let mut sum = D::Vector::default();
        for field in &self.fields {
            sum += field.force(at);
        }
        sum
    }

    /// Returns the potential energy, J, zero at the origin.
    pub fn potential_energy(&self, at: &FieldPoint<D>) -> f64 {
        self.iter().map(|field| field.potential_energy(at)).sum()
    }

    /// Returns the dissipated power, W.
    pub fn dissipated_power(&self, at: &FieldPoint<D>) -> f64 {
        self.iter().map(|field| field.dissipated_power(at)).sum()
    }

    /// Returns the acceleration, m/s^2, if that of every field is uniform and there are no forces between grains;
    /// zero without fields.
    pub fn uniform_acceleration(&self) -> Option<D::Vector> {
        if self.reaches_between() {
            return None;
        }
        let mut sum = D::Vector::default();
        for field in &self.fields {
            sum += field.uniform_acceleration()?;
        }
        Some(sum)
    }

    /// Returns the sum of the accelerations that are uniform, m/s^2.
    pub fn uniform_part(&self) -> D::Vector {
        let uniform = self.iter().filter_map(|field| field.uniform_acceleration());
        uniform.fold(D::Vector::default(), |sum, one| sum + one)
    }

    /// Whether grains may fly in the fields, on paths that depend on nothing but the grain: not where grains act on each other or on a fluid,
    /// where moments turn them, and in the frame of a vessel.
    pub fn leave_paths_alone(&self) -> bool {
        self.own_frame().is_none()
            && !self.reaches_between()
            && !self.has_moments()
            && self.stream(0.0).is_none()
    }

    /// Returns the rate at which all fields together damp a velocity, 1/s.
    pub fn damping_rate(&self, mass: f64, radius: f64) -> f64 {
        let rate = |field: &dyn ForceField<D>| field.damping_rate(mass, radius);
        self.iter().map(rate).sum()
    }

    /// Returns when a field next changes by itself, s. A time not later than `now` is not an event: a field cannot
    /// stop the clock.
    pub fn next_event(&self, now: f64) -> Option<f64> {
        self.iter()
            .filter_map(|field| field.next_event(now))
            .filter(|&time| time > now)
            .min_by(f64::total_cmp)
    }

    /// Returns the frame in which a vessel that turns as a whole is computed, with its rate now: gravity is then the only other field.
    pub fn own_frame(&self) -> Option<TurningFrame<D>> {
        self.fields.iter().find_map(|field| field.own_frame())
    }

    /// Begins in all fields what waits until grains have settled, at time 0.
    pub fn begin(&mut self) {
        for field in &mut self.fields {
            field.begin();
        }
    }

    /// Passes to all fields the momentum that drag gave to grains at an evaluation, N s.
    pub fn react(&mut self, given: D::Vector, time: f64) {
        for field in &mut self.fields {
            field.react(given, time);
        }
    }

    /// Returns the velocity of a fluid on which grains act, m/s, without a fraction `to_come` of their effect at the
    /// last evaluation.
    pub fn stream(&self, to_come: f64) -> Option<D::Vector> {
        self.iter().find_map(|field| field.stream(to_come))
    }

    /// Advances all fields to `now`.
    pub fn handle_event(&mut self, now: f64) {
        for field in &mut self.fields {
            field.handle_event(now);
        }
    }
}
