//! One contact with friction, followed from touch to separation along a fixed normal.
//!
//! What a cluster does with a short contact of two grains: normal spring and damper, tangential spring
//! and damper under Coulomb's limit, a sliding link keeping the spring that gives the limit (thesis
//! 5.5.2), and one that grows stiffer keeping its force (Thornton and Randall 1988). The normal does not turn, as in a hard collision. In units of the approach speed v, the
//! effective mass m and the law's time scale, all the laws of [`ContactLaw`] look alike at any speed: the
//! outcome depends on the ratio of sliding to approach speed alone.

use crate::contact::{ContactLaw, Elastic, Loss};

/// What a contact with friction does.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rough {
    /// Normal relative speed after over before.
    pub restitution: f64,
    /// Tangential impulse against the sliding, in units of effective mass times approach speed.
    pub impulse: f64,
    /// Duration in units of the law's [`time_scale`](crate::contact::Elastic::time_scale).
    pub duration: f64,
}

/// The number by which the dampers of a law scale: with it the outcome depends on the ratio of sliding
/// to approach speed alone. The effective mass (kg) decides it for linear laws, for viscoelastic ones the
/// effective radius (m) and the approach speed (m/s) too.
pub fn damping_unit(law: &ContactLaw, effective_mass: f64, radius: f64, approach: f64) -> f64 {
    let time = || law.elastic().time_scale(effective_mass, radius, approach);
    match law.loss() {
        Loss::Dashpot { per_mass: true, .. } => time(),
        Loss::Dashpot { .. } => time() / effective_mass,
        Loss::Ratio(_) | Loss::Unloading(_) => 1.0,
        Loss::Dissipation(_) => 1.0 / time(),
    }
}

/// How stiffness and damping go with the overlap.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Profile {
    /// Both the same throughout.
    Linear,
    /// As its root, and as the root of that.
    Hertz,
    /// Both as its root.
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
    /// What a tangential force does to the sliding over what a normal one does to the approach.
    mobility: f64,
}

/// A step of a contact, as far as the normal motion decides it: that does not depend on the sliding.
#[derive(Clone, Copy, Debug)]
struct Step {
    /// Its first half and all of it.
    times: [f64; 2],
    /// Tangential stiffness and damping at the middle.
    stiffness: f64,
    damping: f64,
    /// What is left of the spring: one that grows stiffer keeps its force, one that grows softer its extension.
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

/// Steps of a contact for its best outcome: an error of some 1e-7, see tests/it/rough.rs.
const STEPS: u32 = 4000;
/// Steps of a contact at least; doubled five times they are those.
const FEWEST: u32 = STEPS / 32;
/// Ratios of sliding to approach speed at which a number of steps is tried.
const TRIED: u32 = 24;

/// The strongest normal damper that tables are made for, in units of effective mass over time scale. Its
/// restitution is under 1e-6 by any law; the steps are right up to ten times as much, and at a
/// hundred times those of a linear law are unstable.
pub const STRONGEST: f64 = 1e4;

impl ScaledRough {
    /// With a [`damping_unit`], of grains whose moments of inertia are `inertia` m r^2.
    pub fn new(law: &ContactLaw, unit: f64, inertia: f64) -> Self {
        let tangential_stiffness = law.tangential_ratio();
        // The normal stiffness is this times the overlap's function.
        let steepest = match law.elastic() {
            Elastic::Linear(_) => 1.0,
            Elastic::Hertz(_) => 1.5f64,
            // No table is made of such a law.
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
                // Dampers of the stiffnesses 1.5 x^0.5 and 6 G*/E* x^0.5 times the dissipation.
                let time = dissipation * unit;
                (
                    Profile::Viscoelastic,
                    [steepest * time, tangential_stiffness * time],
                )
            }
            // Scenarios with friction of this law have no collisions at once: its friction does not scale.
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
    /// Of the normal damper, in units of effective mass over time scale.
    pub fn damping(&self) -> f64 {
        self.damping
    }

    /// Stiffness and damping go as these functions of the overlap.
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

    /// Half a step of the normal motion by Runge and Kutta in s, where t = s^2: forces that start as
    /// roots of the time are smooth in s.
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

    /// The normal motion in so many steps at most.
    pub fn course(&self, steps: u32) -> Course {
        // No contact of these laws lasts longer than the undamped one: pi, or 3.22 for Hertz.
        let h = 3.3f64.sqrt() / f64::from(steps);
        let over = |y: [f64; 2]| y[1] < 0.0 && self.normal_force(y) <= 0.0;
        let (mut s, mut y, mut stiffness) = (0.0, [0.0, 1.0], 0.0);
        let mut list = Vec::with_capacity(steps as usize);
        for _ in 0..steps {
            let (step, next) = self.step(s, y, h, stiffness);
            // Of a damper beyond all measure the state may not be a number.
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

    /// The normal motion in steps whose number is doubled until outcomes change by no more than `error`, in units of effective mass times approach
    /// speed, or there are as many as for the best outcome.
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
    /// The contact that begins with a ratio of sliding to approach speed: in each step the tangential force at its middle, limited there.
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
            // Of a link that grips: by the mean sliding speed of the whole step.
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

/// The contact of two grains, or of one and a wall, with a ratio of sliding to approach speed; the
/// moments of inertia are `inertia` m r^2, the same of both (2/5 for spheres, 1/2 for disks). Of
/// viscoelastic spheres those of an effective radius of 1 m that approach at 1 m/s: see [`collide_at`].
/// With a damper beyond [`STRONGEST`] it is no outcome at all; tables of such laws are refused.
pub fn collide(law: &ContactLaw, effective_mass: f64, inertia: f64, ratio: f64) -> Rough {
    collide_at(
        law,
        damping_unit(law, effective_mass, 1.0, 1.0),
        inertia,
        ratio,
    )
}

/// The same with a [`damping_unit`].
pub fn collide_at(law: &ContactLaw, unit: f64, inertia: f64, ratio: f64) -> Rough {
    let scaled = ScaledRough::new(law, unit, inertia);
    scaled.course(STEPS).collide(ratio)
}
