//! Integrates one contact with friction from touch to separation along a fixed normal.
//!
//! The contact model of a cluster, for a short contact of two grains: normal spring and damper, tangential spring and
//! damper under Coulomb's limit; a sliding link keeps the spring that corresponds to the limit (thesis 5.5.2), and
//! one that becomes stiffer keeps its force (Thornton and Randall 1988). The normal does not turn, as in a hard
//! collision. In units of the approach speed v, the effective mass m and the law's time scale, each law of
//! [`ContactLaw`] is independent of the speed: the outcome depends only on the ratio of sliding to approach speed.

use crate::contact::{ContactLaw, Elastic, Loss};

/// Outcome of a contact with friction.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rough {
    /// Ratio of the normal relative speeds after and before.
    pub restitution: f64,
    /// Tangential impulse opposite to the sliding, in units of effective mass times approach speed.
    pub impulse: f64,
    /// Duration in units of the law's [`time_scale`](crate::contact::Elastic::time_scale).
    pub duration: f64,
}

/// The number by which the dampers of a law scale: for a given number the outcome depends only on
/// the ratio of sliding to approach speed. It depends on the effective mass (kg) for linear laws,
/// for viscoelastic ones also on the effective radius (m) and the approach speed (m/s).
pub fn damping_unit(law: &ContactLaw, effective_mass: f64, radius: f64, approach: f64) -> f64 {
    let time = || law.elastic().time_scale(effective_mass, radius, approach);
    match law.loss() {
        Loss::Dashpot { per_mass: true, .. } => time(),
        Loss::Dashpot { .. } => time() / effective_mass,
        Loss::Ratio(_) | Loss::Unloading(_) => 1.0,
        Loss::Dissipation(_) => 1.0 / time(),
    }
}

/// Dependence of stiffness and damping on the overlap.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Profile {
    /// Both constant.
    Linear,
    /// Proportional to its square root, and to its fourth root.
    Hertz,
    /// Both proportional to its square root.
    Viscoelastic,
}

/// A law in scaled units, in which the normal stiffness is 1.
#[derive(Clone, Copy, Debug)]
pub(super) struct ScaledRough {
    profile: Profile,
    damping: f64,
    tangential_stiffness: f64,
    tangential_damping: f64,
    friction: f64,
    /// Ratio of the effect of a tangential force on the sliding to that of a normal force on the approach.
    mobility: f64,
}

/// The part of a step that follows from the normal motion, which does not depend on the sliding.
#[derive(Clone, Copy, Debug)]
struct Step {
    /// Duration of its first half and of the whole step.
    times: [f64; 2],
    /// Tangential stiffness and damping at the midpoint.
    stiffness: f64,
    damping: f64,
    /// Fraction of the spring that remains: one that becomes stiffer keeps its force, one that becomes softer its extension.
    lasting: f64,
    /// Coulomb's limit.
    cap: f64,
}

/// The normal motion of a contact from touch to separation.
#[derive(Clone, Debug)]
pub(super) struct Course {
    steps: Vec<Step>,
    mobility: f64,
    restitution: f64,
    duration: f64,
}

/// Number of steps for the most accurate outcome: an error of about 1e-7, see tests/it/theory/rough_collisions.rs.
const STEPS: u32 = 4000;
/// Least number of steps of a contact; five doublings give `STEPS`.
const FEWEST: u32 = STEPS / 32;
/// Number of ratios of sliding to approach speed at which a number of steps is tested.
const TRIED: u32 = 24;

/// The strongest normal damper that tables support, in units of effective mass over time scale. Its
/// restitution is under 1e-6 by any law; the integration is accurate up to ten times as much, and
/// for a linear law unstable at a hundred times as much.
pub const STRONGEST: f64 = 1e4;

impl ScaledRough {
    /// The law for a [`damping_unit`], of grains whose moments of inertia are `inertia` m r^2.
    pub fn new(law: &ContactLaw, unit: f64, inertia: f64) -> Self {
        let tangential_stiffness = law.tangential_ratio();
        // The normal stiffness is this times the function of the overlap.
        let steepest = match law.elastic() {
            Elastic::Linear(_) => 1.0,
            Elastic::Hertz(_) => 1.5f64,
            // Tables do not support this law.
            Elastic::Power { exponent, .. } => exponent,
        };
        let by_ratio = |ratio: f64| {
            let factor = 2.0 * (5.0f64 / 6.0).sqrt() * ratio;
            // The damper 2 sqrt(5/6) b sqrt(S m) with S = 1.5 x^0.5 and 6 G*/E* x^0.5.
            [
                factor * steepest.sqrt(),
                factor * tangential_stiffness.sqrt(),
            ]
        };
        let (profile, [damping, tangential_damping]) = match law.loss() {
            Loss::Dashpot {
                normal, tangential, ..
            } => (Profile::Linear, [normal * unit, tangential * unit]),
            Loss::Ratio(ratio) => (Profile::Hertz, by_ratio(ratio)),
            Loss::Dissipation(dissipation) => {
                // Dampers: the stiffnesses 1.5 x^0.5 and 6 G*/E* x^0.5 times the dissipation.
                let time = dissipation * unit;
                (
                    Profile::Viscoelastic,
                    [steepest * time, tangential_stiffness * time],
                )
            }
            // Scenarios with friction of this law have no instantaneous collisions: its friction does not scale.
            Loss::Unloading(share) => {
                let ratio = crate::contact::damping_ratio(share.sqrt());
                (Profile::Hertz, by_ratio(ratio))
            }
        };
        ScaledRough {
            profile,
            damping,
            tangential_stiffness,
            tangential_damping,
            friction: law.friction(),
            mobility: 1.0 + 1.0 / inertia,
        }
    }
    pub fn friction(&self) -> f64 {
        self.friction
    }
    /// Coefficient of the normal damper, in units of effective mass over time scale.
    pub fn damping(&self) -> f64 {
        self.damping
    }

    /// The functions of the overlap to which stiffness and damping are proportional.
    fn profile(&self, overlap: f64) -> [f64; 2] {
        let root = || overlap.max(0.0).sqrt();
        match self.profile {
            Profile::Linear => [1.0; 2],
            Profile::Hertz => {
                let root = root();
                [root, root.sqrt()]
            }
            Profile::Viscoelastic => [root(); 2],
        }
    }
    fn normal_force(&self, [overlap, rate]: [f64; 2]) -> f64 {
        let [stiffness, damping] = self.profile(overlap);
        stiffness * overlap + self.damping * damping * rate
    }

    /// A step of the normal motion by the Runge-Kutta method in s, where t = s^2: forces that start
    /// as roots of the time are smooth in s.
    fn normal_step(&self, s: f64, y: [f64; 2], h: f64) -> [f64; 2] {
        let slope = |s: f64, y: [f64; 2]| [2.0 * s * y[1], -2.0 * s * self.normal_force(y)];
        let along = |k: [f64; 2], h: f64| [y[0] + h * k[0], y[1] + h * k[1]];
        let k1 = slope(s, y);
        let k2 = slope(s + 0.5 * h, along(k1, 0.5 * h));
        let k3 = slope(s + 0.5 * h, along(k2, 0.5 * h));
        let k4 = slope(s + h, along(k3, h));
        let mean = |i: usize| (k1[i] + 2.0 * (k2[i] + k3[i]) + k4[i]) / 6.0;
        along([mean(0), mean(1)], h)
    }

    /// A step from a normal state, and the state after it.
    fn step(&self, s: f64, y: [f64; 2], h: f64, before: f64) -> (Step, [f64; 2]) {
        let half = 0.5 * h;
        let middle = self.normal_step(s, y, half);
        let [stiffness, damping] = self.profile(middle[0]);
        let stiffness = self.tangential_stiffness * stiffness;
        let step = Step {
            times: [half * (2.0 * s + half), h * (2.0 * s + h)],
            stiffness,
            damping: self.tangential_damping * damping,
            lasting: if before < stiffness {
                before / stiffness
            } else {
                1.0
            },
            cap: self.friction * self.normal_force(middle).max(0.0),
        };
        (step, self.normal_step(s + half, middle, half))
    }

    /// The normal motion in at most `steps` steps.
    pub fn course(&self, steps: u32) -> Course {
        // No contact of these laws lasts longer than the undamped one: pi, or 3.22 for Hertz.
        let h = 3.3f64.sqrt() / f64::from(steps);
        let over = |y: [f64; 2]| y[1] < 0.0 && self.normal_force(y) <= 0.0;
        let (mut s, mut y, mut stiffness) = (0.0, [0.0, 1.0], 0.0);
        let mut list = Vec::with_capacity(steps as usize);
        for _ in 0..steps {
            let (step, next) = self.step(s, y, h, stiffness);
            // Extremely strong dampers may give NaN.
            if over(next) || next[0] <= 0.0 || next[0].is_nan() {
                break;
            }
            list.push(step);
            (s, y, stiffness) = (s + h, next, step.stiffness);
        }
        let (mut low, mut high) = (0.0, h);
        for _ in 0..40 {
            let middle = 0.5 * (low + high);
            if over(self.step(s, y, middle, stiffness).1) {
                high = middle;
            } else {
                low = middle;
            }
        }
        let (step, end) = self.step(s, y, high, stiffness);
        list.push(step);
        Course {
            steps: list,
            mobility: self.mobility,
            restitution: -end[1],
            duration: (s + high) * (s + high),
        }
    }

    /// The normal motion in steps whose number is doubled until outcomes change by at most `error`, in units
    /// of effective mass times approach speed, or the number for the most accurate outcome is reached.
    pub fn course_to(&self, error: f64) -> Course {
        let outcomes = |course: &Course| -> Vec<Rough> {
            let ratio = |k: u32| {
                let share = (f64::from(k) + 0.5) / f64::from(TRIED);
                self.friction * share / (1.0 - share)
            };
            (0..TRIED).map(|k| course.collide(ratio(k))).collect()
        };
        let near = |a: &Rough, b: &Rough| {
            (a.impulse - b.impulse).abs() <= error && (a.restitution - b.restitution).abs() <= error
        };
        let mut steps = FEWEST;
        let mut course = self.course(steps);
        let mut coarse = outcomes(&course);
        while steps < STEPS {
            steps *= 2;
            course = self.course(steps);
            let fine = outcomes(&course);
            if coarse.iter().zip(&fine).all(|(a, b)| near(a, b)) {
                break;
            }
            coarse = fine;
        }
        course
    }
}

impl Course {
    /// Integrates the contact for an initial ratio of sliding to approach speed: each step
    /// evaluates and limits the tangential force at its midpoint.
    pub fn collide(&self, ratio: f64) -> Rough {
        let (mut spring, mut sliding, mut impulse) = (0.0, ratio, 0.0);
        for step in &self.steps {
            let [first, time] = step.times;
            let (kt, ct) = (step.stiffness, step.damping);
            let half_turn = 0.5 * self.mobility * time;
            let stretched = spring * step.lasting + sliding * first;
            let trial = -(kt * stretched + ct * sliding) / (1.0 + ct * half_turn);
            let force = trial.clamp(-step.cap, step.cap);
            let middle = sliding + force * half_turn;
            let kept = if force == trial {
                stretched
            } else if kt > 0.0 {
                -(force + ct * middle) / kt
            } else {
                0.0
            };
            // For a link that grips: by the mean sliding speed of the whole step.
            spring = kept + (middle * time - sliding * first);
            sliding += 2.0 * force * half_turn;
            impulse -= force * time;
        }
        Rough {
            restitution: self.restitution,
            impulse,
            duration: self.duration,
        }
    }
}

/// The contact of two grains, or of a grain and a wall, for a ratio of sliding to approach speed; the
/// moments of inertia are `inertia` m r^2, the same for both (2/5 for spheres, 1/2 for disks). For
/// viscoelastic spheres the effective radius is 1 m and the approach speed 1 m/s: see [`collide_at`].
/// With a damper beyond [`STRONGEST`] the result is meaningless; tables of such laws are rejected.
pub fn collide(law: &ContactLaw, effective_mass: f64, inertia: f64, ratio: f64) -> Rough {
    collide_at(
        law,
        damping_unit(law, effective_mass, 1.0, 1.0),
        inertia,
        ratio,
    )
}

/// The same for a [`damping_unit`].
pub fn collide_at(law: &ContactLaw, unit: f64, inertia: f64, ratio: f64) -> Rough {
    let scaled = ScaledRough::new(law, unit, inertia);
    scaled.course(STEPS).collide(ratio)
}
