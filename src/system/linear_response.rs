//! Loads that are known in advance. While all grains are at rest and gravity turns slowly on its prescribed
//! path, the response of the bed is proportional to the change of gravity. The responses to a change along each
//! axis are solved for once; they give the time at which the first link reaches Coulomb's bound, opens or closes,
//! or at which the response is no longer proportional. Until then no solve is made: the bed is displaced
//! along the responses now and then, and an equilibrium solve follows when that time has come
//! (docs/morphing.md).

use serde::{Deserialize, Serialize};

use super::avalanche::Carried;
use super::carry::{ITERATIONS, LIMITS};
use super::journal::Journal;
use super::perturb::{PerturbState, SLOW};
use super::rest::RestState;
use super::{MorphSetup, Setup, System, SystemError, avalanche, carry, cost, perturb};
use crate::cluster;
use crate::cluster::integrate::Integrate;
use crate::cluster::{Part, Shift, World};
use crate::event::EventKind;
use crate::geometry::Vector;
use crate::record::Sink;
use crate::stress::Bed;

/// Residual that a solve for a response may leave, over the load.
const FINE: f64 = 1e-9;
/// Time to move in such a solve, over the pace of other solves: loosely held grains must show.
const LONG: f64 = 1e3;
/// Relative excess over Coulomb's bound at which a link slides for certain: more than solves leave.
const OVER: f64 = 1e-6;
/// Displacement of a grain up to which the response is proportional, over that at which gaps may close.
const SMALL: f64 = 0.5;
/// Deficit of a sliding link to Coulomb's bound at which loads are solved anew, in weights of its
/// grain: the solve keeps its friction as it was.
const SLACK: f64 = 0.01;
/// Turn of gravity between two checks for the first event, rad. An excess that appears and vanishes
/// between two checks is some 1e-5 of the load.
const LOOK: f64 = 0.01;
/// Greatest number of checks: more than a full turn.
const LOOKS: usize = 700;
/// Greatest number of halvings of the time between two checks.
const HALVINGS: usize = 48;
/// After a plan in vain none is made for so many times `carry_every`, doubled each time up to the second number.
const WAIT: [u32; 2] = [4, 256];

/// Responses of the bed, and the time for which they hold.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Plan {
    slots: Vec<u32>,
    /// By grain, displacement (m) and turn times radius (m): first the response that balances the residual, then
    /// those to gravity greater by 1 m/s^2 along each axis.
    responses: Vec<Vec<f64>>,
    /// Gravity under which the bed was last displaced, m/s^2, and the time of that, s.
    gravity: [f64; 3],
    since: f64,
    /// Time of the first event, s.
    until: f64,
}

/// State of known loads that the driver keeps.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(super) struct LinearResponseState {
    pub plan: Option<Plan>,
    /// Number of plans in vain in a row, and time until which none is made, s.
    vain: u32,
    wait: f64,
}

/// Strain of a link by a displacement: along its normal, and across, m.
type Strain = (f64, [f64; 3]);

/// A quantity that is proportional to the change of gravity.
#[derive(Clone, Copy)]
struct Line {
    at: f64,
    by: [f64; 3],
}

impl Line {
    /// Takes the value now, the part added at once, and the part added for each axis.
    fn new(now: f64, added: f64, by: impl Fn(usize) -> f64, axes: usize) -> Self {
        Line {
            at: now + added,
            by: std::array::from_fn(|k| if k < axes { by(k) } else { 0.0 }),
        }
    }

    fn value(&self, change: &[f64; 3]) -> f64 {
        self.at + (0..3).map(|k| self.by[k] * change[k]).sum::<f64>()
    }
}

/// A condition that holds while its excess is not positive.
enum Bound {
    /// A link that grips, with Coulomb's coefficient.
    Grip(Line, [Line; 3], f64),
    /// A link that slides, with its coefficient, its normal force now, how far it is strained back, and
    /// the deficit that it may have, N.
    Slide(Line, f64, f64, Line, f64),
    /// A gap.
    Gap(Line),
    /// Displacement of a grain, and its limit, m.
    Way(Vec<Line>, f64),
}

impl Bound {
    fn is_passed(&self, change: &[f64; 3]) -> bool {
        let excess = self.excess(change);
        // NaN fulfils no condition.
        excess > 0.0 || excess.is_nan()
    }

    fn excess(&self, change: &[f64; 3]) -> f64 {
        let length = |lines: &[Line]| {
            let squares = lines.iter().map(|line| line.value(change).powi(2));
            squares.sum::<f64>().sqrt()
        };
        match self {
            Bound::Grip(normal, pull, friction) => {
                let normal = normal.value(change);
                (length(pull) - (1.0 + OVER) * friction * normal).max(-normal)
            }
            Bound::Slide(normal, friction, then, back, slack) => {
                let normal = normal.value(change);
                let lacks = (friction * (normal - then)).abs().max(back.value(change));
                (lacks - slack).max(-normal)
            }
            Bound::Gap(width) => -width.value(change),
            Bound::Way(way, most) => length(way) - most,
        }
    }
}

/// Returns when loads are to be solved next, or the bed is to be displaced, while no grain is stepped, s;
/// `None` where that is the next `tick` of solves.
pub(super) fn foresee<D: Integrate>(
    system: &mut System<D>,
    morph: &MorphSetup,
    tick: f64,
) -> Option<f64> {
    let now = system.dem.world.clock.time();
    // The bounds below are those of spring and friction, under gravity alone.
    let plain = !system.setup.matter.laws.composed() && system.uniform;
    let Some(rate) = perturb::gravity_rate(&system.setup, &system.s.perturb)
        .filter(|_| plain && perturb::gravity_is_slow(&system.setup, &system.s.perturb))
    else {
        system.s.known.plan = None;
        return None;
    };
    let new = system.s.known.plan.is_none();
    if new {
        if !system.s.rest.balanced || now < system.s.known.wait {
            return None;
        }
        system.s.known.plan = respond(
            &system.setup,
            &system.dem.world,
            &mut system.s.journal,
            &mut system.s.rest,
            &system.s.perturb,
            morph,
            rate,
        );
    }
    let later = system
        .s
        .known
        .plan
        .as_ref()
        .filter(|plan| !new || plan.until > tick);
    let Some(plan) = later else {
        let known = &mut system.s.known;
        let [least, most] = WAIT;
        let carries = least.saturating_mul(1 << known.vain.min(16)).min(most);
        known.plan = None;
        known.vain += 1;
        known.wait = now + f64::from(carries) * morph.carry_every;
        return None;
    };
    let time = plan.until.min(plan.since + SLOW * morph.residual / rate);
    if new {
        system.s.known.vain = 0;
    }
    Some(time)
}

/// Returns the change of gravity, at a time, from that of the plan, m/s^2.
fn change_at<D: Integrate>(
    setup: &Setup<D>,
    perturb: &PerturbState,
    time: f64,
    from: &[f64; 3],
) -> [f64; 3] {
    let gravity: D::Vector = perturb.gravity_then(&setup.sources.perturbs, time);
    std::array::from_fn(|k| if k < D::N { gravity[k] - from[k] } else { 0.0 })
}

/// Solves for the responses, and finds the time of the first event.
fn respond<D: Integrate>(
    setup: &Setup<D>,
    world: &World<D>,
    journal: &mut Journal,
    rest: &mut RestState,
    perturb: &PerturbState,
    morph: &MorphSetup,
    rate: f64,
) -> Option<Plan> {
    let slots = world.grains.standing();
    let mut part = Part::new(slots.clone(), world.grains.arrays.slots());
    let links = cluster::part::still_links_of(&world.sleeping, &part);
    let ground = carry::inertia(world, &part, [LONG * morph.solve_time; 2]);
    let bed: Bed<D, f64> = carry::struts(setup, world, &part, &links).bed(&ground);
    let m = D::N + D::SPINS;
    rest.work += cost::assembly(slots.len() * m);
    let mut responses = Vec::with_capacity(1 + D::N);
    for which in 0..=D::N {
        let mut load = vec![0.0; slots.len() * m];
        for (&slot, load) in slots.iter().zip(load.chunks_exact_mut(m)) {
            if which == 0 {
                let residual =
                    cluster::held::residual(&world.physics, &world.grains, &world.sleeping, slot);
                load[..D::N].copy_from_slice(&residual[..D::N]);
                load[D::N..].copy_from_slice(&residual[3..3 + D::SPINS]);
            } else {
                load[which - 1] = 1.0 / world.grains.arrays.inverse_mass(slot as usize);
            }
        }
        journal.count(EventKind::AnalyzeInternalForces);
        let mut moved = vec![0.0; load.len()];
        let solved = bed.solve(&load, &mut moved, FINE, ITERATIONS);
        rest.solved(solved.unwrap_or(ITERATIONS), load.len());
        solved?;
        responses.push(moved);
    }
    let now = world.clock.time();
    let mut plan = Plan {
        slots,
        responses,
        gravity: std::array::from_fn(|k| {
            if k < D::N {
                world.physics.gravity[k]
            } else {
                0.0
            }
        }),
        since: now,
        until: now,
    };
    let bounds = bounds(world, &plan, &mut part);
    plan.until = first_beyond(setup, world, perturb, &bounds, rate, &plan.gravity)?;
    Some(plan)
}

/// Returns all conditions that must hold while the response is proportional.
fn bounds<D: Integrate>(world: &World<D>, plan: &Plan, part: &mut Part<D>) -> Vec<Bound> {
    let arrays = &world.grains.arrays;
    let m = D::N + D::SPINS;
    let least = plan.slots.iter().map(|&slot| arrays.radius(slot as usize));
    let small = SMALL * LIMITS.closing * least.fold(f64::INFINITY, f64::min);
    let courses = cluster::course::courses(world);
    // Each of the two bodies may move so far towards the other.
    let gaps = cluster::course::gaps(world, 2.0 * small);
    let (mut strains, mut widths) = (Vec::new(), Vec::new());
    for response in &plan.responses {
        displace(part, response);
        strains.push(cluster::course::course_strains(world, part));
        widths.push(cluster::course::gap_strains(world, part, &gaps));
    }
    let mut bounds = Vec::with_capacity(courses.len() + gaps.len() + plan.slots.len());
    for (i, course) in courses.iter().enumerate() {
        let line = |now: f64, of: &dyn Fn(&Strain) -> f64| {
            Line::new(now, of(&strains[0][i]), |k| of(&strains[1 + k][i]), D::N)
        };
        let normal = line(course.normal, &|s| -course.kn * s.0);
        if course.slides {
            let pull = course.pull.iter().map(|p| p * p).sum::<f64>().sqrt();
            let along = |s: &Strain| -> f64 {
                let sum: f64 = (0..3).map(|j| course.pull[j] * s.1[j]).sum();
                -course.kt * sum / pull.max(f64::MIN_POSITIVE)
            };
            let slack = SLACK * cluster::field_loads::weight(world, course.a);
            let back = line(0.0, &along);
            bounds.push(Bound::Slide(
                normal,
                course.friction,
                course.normal,
                back,
                slack,
            ));
        } else {
            let pull = std::array::from_fn(|j| line(course.pull[j], &|s| course.kt * s.1[j]));
            bounds.push(Bound::Grip(normal, pull, course.friction));
        }
    }
    for (i, gap) in gaps.iter().enumerate() {
        let line = Line::new(gap.width, widths[0][i], |k| widths[1 + k][i], D::N);
        bounds.push(Bound::Gap(line));
    }
    for place in 0..plan.slots.len() {
        let line = |p: usize| {
            let of = |which: usize| plan.responses[which][place * m + p];
            Line::new(0.0, of(0), |k| of(1 + k), D::N)
        };
        bounds.push(Bound::Way((0..D::N).map(line).collect(), small));
        bounds.push(Bound::Way((D::N..m).map(line).collect(), small));
    }
    bounds
}

/// Returns when the first of some bounds is passed, or the path of gravity bends, s; `None`: at once.
fn first_beyond<D: Integrate>(
    setup: &Setup<D>,
    world: &World<D>,
    perturb: &PerturbState,
    bounds: &[Bound],
    rate: f64,
    from: &[f64; 3],
) -> Option<f64> {
    let now = world.clock.time();
    let last = perturb.turns_until(&setup.sources.perturbs);
    let last = last.min(setup.run.end_time);
    let beyond = |time: f64| -> Vec<&Bound> {
        let change = change_at(setup, perturb, time, from);
        bounds
            .iter()
            .filter(|bound| bound.is_passed(&change))
            .collect()
    };
    if !beyond(now).is_empty() {
        return None;
    }
    let mut low = now;
    for _ in 0..LOOKS {
        if low >= last {
            break;
        }
        let mut high = (low + LOOK / rate).min(last);
        let passed = beyond(high);
        if passed.is_empty() {
            low = high;
            continue;
        }
        for _ in 0..HALVINGS {
            let middle = 0.5 * (low + high);
            let change = change_at(setup, perturb, middle, from);
            if passed.iter().any(|bound| bound.is_passed(&change)) {
                high = middle;
            } else {
                low = middle;
            }
        }
        return Some(high);
    }
    Some(low)
}

/// Returns the displacement of the bed, by the plan, under the present gravity, and ends the plan: a solve
/// balances the rest.
pub(super) fn foreseen<D: Integrate>(
    world: &World<D>,
    known: &mut LinearResponseState,
) -> Option<Part<D>> {
    let plan = known.plan.take()?;
    Some(along(world, &plan))
}

fn along<D: Integrate>(world: &World<D>, plan: &Plan) -> Part<D> {
    let change = D::Vector::from_fn(|k| world.physics.gravity[k] - plan.gravity[k]);
    let mut moved = plan.responses[0].clone();
    for (k, response) in plan.responses[1..].iter().enumerate() {
        for (sum, part) in moved.iter_mut().zip(response) {
            *sum += change[k] * part;
        }
    }
    let mut part = Part::new(plan.slots.clone(), world.grains.arrays.slots());
    displace(&mut part, &moved);
    part
}

/// Follows a turn of gravity while no grain is stepped: displaces the bed along its plan; where the plan is over,
/// or there is none, requests a solve.
pub(super) fn follow_plan<D: Integrate>(
    system: &mut System<D>,
    sink: &mut dyn Sink,
) -> Result<(), SystemError> {
    let now = system.dem.world.clock.time();
    let goes_on = |plan: &Plan| now < plan.until;
    let Some(mut plan) = system.s.known.plan.take_if(|plan| goes_on(plan)) else {
        system.s.rest.balanced = false;
        return Ok(());
    };
    let mut part = along(&system.dem.world, &plan);
    let mut avalanche = Carried::new(None);
    if carry::descend(
        &mut system.dem,
        &system.fields,
        &mut system.s.rest,
        &mut part,
    ) {
        avalanche::note_changes(system, sink, &mut avalanche)?;
        plan.gravity = std::array::from_fn(|k| {
            if k < D::N {
                system.dem.world.physics.gravity[k]
            } else {
                0.0
            }
        });
        plan.since = now;
        plan.responses[0].fill(0.0);
        system.s.known.plan = Some(plan);
    } else {
        system.s.rest.balanced = false;
    }
    avalanche::close_avalanche(
        &system.dem.world,
        &system.s.stage,
        &mut system.s.journal,
        &mut system.s.rest,
        sink,
        avalanche,
    )
}

/// Displaces a part by numbers of its grains.
fn displace<D: Integrate>(part: &mut Part<D>, moved: &[f64]) {
    let m = D::N + D::SPINS;
    for (shift, moved) in part.shifts.iter_mut().zip(moved.chunks_exact(m)) {
        *shift = Shift {
            way: D::Vector::from_fn(|j| moved[j]),
            ..Shift::default()
        };
        shift.turn[..D::SPINS].copy_from_slice(&moved[D::N..]);
    }
}
