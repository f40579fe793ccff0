//! Force fields: force against potential and power, sums, and events of their own.

use arenite::field::{
    FieldPoint, FieldSet, FieldStateError, ForceField, Gravity, Source, ViscousDrag,
};
use arenite::geometry::{Dimension, Planar, Spatial, Vector};

/// A push along x that is on in every other interval: it keeps the number of its switches.
#[derive(Debug)]
struct Gusts {
    interval: f64,
    acceleration: f64,
    switches: f64,
}

impl<D: Dimension> ForceField<D> for Gusts {
    fn name(&self) -> &str {
        "gusts"
    }
    fn force(&self, at: &FieldPoint<D>) -> D::Vector {
        let push = self.acceleration * at.mass * (self.switches % 2.0);
        D::Vector::from_fn(|k| if k == 0 { push } else { 0.0 })
    }
    fn uniform_acceleration(&self) -> Option<D::Vector> {
        let push = self.acceleration * (self.switches % 2.0);
        Some(D::Vector::from_fn(|k| if k == 0 { push } else { 0.0 }))
    }
    fn next_event(&self, _now: f64) -> Option<f64> {
        Some((self.switches + 1.0) * self.interval)
    }
    fn handle_event(&mut self, now: f64) {
        while (self.switches + 1.0) * self.interval <= now {
            self.switches += 1.0;
        }
    }
    fn state(&self) -> Vec<f64> {
        vec![self.switches]
    }
    fn restore(&mut self, state: &[f64]) -> Result<(), FieldStateError> {
        let [switches] = state else {
            return Err(FieldStateError {
                name: "gusts".to_owned(),
                expected: 1,
                found: state.len(),
            });
        };
        self.switches = *switches;
        Ok(())
    }
}

fn gusts() -> Gusts {
    Gusts {
        interval: 0.25,
        acceleration: 3.0,
        switches: 0.0,
    }
}

fn somewhere<D: Dimension>() -> FieldPoint<D> {
    FieldPoint {
        mass: 0.3,
        radius: 0.01,
        volume: 1e-4,
        position: D::Vector::from_fn(|k| [0.7, -1.1, 2.3][k]),
        velocity: D::Vector::from_fn(|k| [-0.4, 1.9, 0.6][k]),
        time: 0.0,
        source: Source::default(),
    }
}

/// The power of a force is what potential energy gives less what is dissipated, so that the ledger
/// closes. The potential is linear, so its difference quotient has rounding errors only.
fn power_balances<D: Dimension>() {
    let gravity = D::Vector::from_fn(|k| [0.3, -9.81, 1.2][k]);
    let set = FieldSet::<D>::with_gravity_and_drag(gravity, 0.8);
    let at = somewhere::<D>();
    let step = 1e-3;
    let mut later = at;
    later.position += at.velocity * step;
    let given = (set.potential_energy(&at) - set.potential_energy(&later)) / step;
    let power = set.force(&at).dot(&at.velocity);
    let dissipated = set.dissipated_power(&at);
    assert!(dissipated > 0.1);
    assert!(
        (power - (given - dissipated)).abs() < 1e-10,
        "{power} {given} {dissipated}"
    );
    let origin = FieldPoint {
        position: D::Vector::default(),
        ..at
    };
    assert_eq!(set.potential_energy(&origin), 0.0);
}

#[test]
fn power_is_potential_less_dissipation() {
    power_balances::<Planar>();
    power_balances::<Spatial>();
}

/// Fall through a viscous fluid from rest: v(t) = (m g / c) (1 - exp(-c t / m)) (Stokes 1851, the
/// linear law). Heun's method with 1e-3 of the time constant is right to about (1e-3)^2 / 6.
#[test]
fn fall_in_a_fluid_approaches_its_final_speed() {
    let (g, c) = (9.81, 0.6);
    let gravity = Vector::from_fn(|k| if k == 1 { -g } else { 0.0 });
    let set = FieldSet::<Planar>::with_gravity_and_drag(gravity, c);
    assert_eq!(set.uniform_acceleration(), None);
    let mut at = somewhere::<Planar>();
    at.velocity = Vector::from_fn(|_| 0.0);
    assert_eq!(set.damping_rate(at.mass, at.radius), c / at.mass);
    let (step, rate) = (0.5e-3, c / at.mass);
    for k in 1..=2000 {
        let first = set.acceleration(&at);
        let mut end = at;
        end.velocity += first * step;
        at.velocity += (first + set.acceleration(&end)) * (0.5 * step);
        let exact = -g / rate * (1.0 - libm::exp(-rate * step * f64::from(k)));
        assert!((at.velocity[1] - exact).abs() < 1e-6 * g / rate);
    }
}

#[test]
fn gravity_alone_is_uniform_and_no_field_is_no_acceleration() {
    let acceleration: <Spatial as Dimension>::Vector = Vector::from_fn(|k| k as f64 - 1.5);
    let mut set = FieldSet::<Spatial>::new();
    assert_eq!(set.uniform_acceleration(), Some(Default::default()));
    set.add(Gravity { acceleration });
    assert_eq!(set.uniform_acceleration(), Some(acceleration));
    assert_eq!(set.acceleration(&somewhere()), acceleration);
    set.add(ViscousDrag { coefficient: 0.0 });
    assert_eq!(set.uniform_acceleration(), Some(acceleration));
    set.add(ViscousDrag { coefficient: 0.1 });
    assert_eq!(set.uniform_acceleration(), None);
    assert_eq!(set.next_event(0.0), None);
}

#[test]
fn a_field_schedules_its_own_events() {
    let mut set = FieldSet::<Planar>::new();
    set.add(gusts());
    set.add(Gusts {
        interval: 0.6,
        ..gusts()
    });
    let push = |set: &FieldSet<Planar>| set.uniform_acceleration().map(|a| a[0]);
    let (mut now, mut seen) = (0.0, Vec::new());
    while let Some(next) = set.next_event(now).filter(|&t| t < 1.1) {
        now = next;
        set.handle_event(now);
        seen.push((now, push(&set)));
    }
    let expected = [(0.25, 3.0), (0.5, 0.0), (0.6, 3.0), (0.75, 6.0), (1.0, 3.0)];
    assert_eq!(seen, expected.map(|(t, a)| (t, Some(a))));

    let states = set.states();
    let mut resumed = FieldSet::<Planar>::new();
    resumed.add(gusts());
    assert!(
        resumed.restore_states(&states).is_err(),
        "two states, one field"
    );
    resumed.add(gusts());
    resumed.restore_states(&states).expect("as saved");
    assert_eq!(push(&resumed), push(&set));
    let error = resumed
        .restore_states(&[vec![], vec![1.0]])
        .expect_err("too short");
    let message = "the saved state of field `gusts` has 0 numbers, not 1";
    assert_eq!(error.to_string(), message);
}

/// A field that asks for the present again and again is not heard.
#[test]
fn a_field_cannot_hold_the_clock() {
    #[derive(Debug)]
    struct Stuck(f64);
    impl ForceField<Planar> for Stuck {
        fn name(&self) -> &str {
            "stuck"
        }
        fn force(&self, _at: &FieldPoint<Planar>) -> <Planar as Dimension>::Vector {
            Vector::from_fn(|_| 0.0)
        }
        fn next_event(&self, _now: f64) -> Option<f64> {
            Some(self.0)
        }
    }
    let mut set = FieldSet::<Planar>::new();
    set.add(Stuck(1.0));
    set.add(Stuck(f64::NAN));
    assert_eq!(set.next_event(1.0), None);
    assert_eq!(set.next_event(0.5), Some(1.0));
}
