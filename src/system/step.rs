//! Choice of the step of clusters, with its reasons.

use super::{Setup, SystemError, bonded};
use crate::cluster::dimension::ClusterDimension;
use crate::contact::{ContactLaw, ContactTerms, LawTable};
use crate::field::{FieldSet, Smallest};
use crate::geometry::Vector;
use crate::walls::{Boundary, Drive, Motion, placed};

/// Damping rate of the densest packing over that of one pair, in the plane and in space. All
/// grains spinning alike is the fastest mode: each of z neighbours resists with twice the rim
/// speed, so that its rate is 2 z (N - 1) / (N b) c / m for moments of inertia b m r^2, z = 6 or
/// 12; one pair has 2 (1 + 1 / b) c / m. In the hopper of equal disks, which pack like that at the
/// walls, the settled bed rests up to a little more than this limit and shakes from a third above
/// it on.
const PACKED: [f64; 2] = [4.0, 40.0 / 7.0];
/// Factor over a limit at which a step is refused.
const BEYOND_REASON: f64 = 4.0;
/// Step times damping rate at which the scheme loses stability (see `cluster::integrate`).
const DAMPING_LIMIT: f64 = 2.0;
/// Step times angular frequency above which contacts are resolved by fewer than 16 steps.
const STIFFNESS_LIMIT: f64 = 0.2;
/// Share of that limit that a chosen step uses: 31 steps a contact at the usual safety.
const STIFFNESS_SHARE: f64 = 0.625;
/// Each impact leaves an error in proportion to the square of the step, which lasts longer by one
/// over the share of its energy that the link takes. The square of the step is therefore proportional to that share,
/// times this for links that take next to nothing; critical damping keeps the step. The value is
/// fitted, not derived: at a damping ratio of 0.06 a bed on a shaken floor is off by 3.1e-3 with the
/// full step, by 1.8e-3 with 1.4 here and by 0.7e-3 with this
/// (`steps::weakly_damped_links_keep_the_balance`).
const SHARE_OF_WEAK: f64 = 0.5;
/// Least factor on a step for that reason: links that take nothing keep adding up their errors.
const LEAST_FACTOR: f64 = 1.0 / 8.0;
/// Share of the smallest radius that walls and grains may move in a step: over a whole radius
/// they pass through each other undetected.
const WAY_LIMIT: f64 = 0.25;
/// Step times rate of drag above which the drag of a step reverses a good part of a velocity.
const DRAG_LIMIT: f64 = 0.5;
/// Greatest number of steps: more do not end in a lifetime, and the clock would stand still, since a step is then
/// lost in the rounding of the time.
const MOST_STEPS: f64 = 1e12;

/// Factor over the chosen step at which a step leaves ten times its error, and a run warns.
const UNBALANCED: f64 = 3.2;
/// The same for weakly damped links, whose chosen step is short because their errors add up: it is relative to the step of damped ones.
const UNBALANCED_WEAK: f64 = 1.8;

const SHAKES: &str = "settled grains do not come to rest";
const PASSES: &str = "walls pass through grains unseen";
/// The drag of a fluid is stable in any step.
const LAGS: &str = "grains do not come to the velocity of the fluid as fast as they should";
/// Concerns only grains near each other, if there are any: gives a warning, never an error.
const OFF: &str = "paths of neighbours are off";

/// The chosen step, and its reasons.
#[derive(Clone, Debug, PartialEq)]
pub struct StepChoice {
    /// Step, s.
    pub step: f64,
    /// One line for each limit, the strictest first.
    pub reasons: Vec<String>,
    /// Warnings.
    pub warnings: Vec<String>,
}

struct Limit {
    step: f64,
    /// Additional factor on the step above which a warning is given.
    lenient: f64,
    limit: f64,
    text: String,
    /// Effect of a step above the limit.
    harm: &'static str,
}

/// Returns the lightest grain of each material: mass and radius.
fn lightest<D: ClusterDimension>(setup: &Setup<D>) -> Vec<Option<(f64, f64)>> {
    let mut out: Vec<Option<(f64, f64)>> = vec![None; setup.matter.laws.materials];
    // A grain with ends yields to a push on one of them as if it were lighter.
    let light = |form: Option<u16>| form.map(|form| &setup.matter.forms[usize::from(form)]);
    let mut see = |material: u16, mass: f64, radius: f64| {
        let entry = &mut out[usize::from(material)];
        if entry.is_none_or(|(m, _)| mass < m) {
            *entry = Some((mass, radius));
        }
    };
    for g in &setup.grains {
        match light(g.form) {
            Some(form) => see(
                g.material,
                g.mass / form.mobility(),
                g.radius * form.flattest(),
            ),
            None => see(g.material, g.mass, g.radius),
        }
    }
    for sort in setup
        .sources
        .feeds
        .iter()
        .flat_map(|feed| feed.what.components())
    {
        let radius = sort.radius.least();
        match light(sort.form) {
            Some(form) => {
                let size: f64 = (0..D::N).map(|_| radius).product();
                let mass = sort.density * form.measure * size;
                see(
                    sort.material,
                    mass / form.mobility(),
                    radius * form.flattest(),
                );
            }
            None => see(
                sort.material,
                sort.density * D::ball_measure(radius),
                radius,
            ),
        }
    }
    out
}

/// Returns the speed of impact to expect, m/s: that of the fastest grain at the start, or of a fall through the
/// height that grains and feeds span, or down to a wall; and that of the fastest wall.
pub fn impact_speed<D: ClusterDimension>(setup: &Setup<D>) -> f64 {
    let mut fastest = 0.0f64;
    let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
    let g = setup.fields.gravity.norm();
    let up = |x: D::Vector| {
        if g > 0.0 {
            -x.dot(&setup.fields.gravity) / g
        } else {
            0.0
        }
    };
    for grain in &setup.grains {
        fastest = fastest.max(grain.velocity.norm());
        low = low.min(up(grain.position));
        high = high.max(up(grain.position));
    }
    for feed in &setup.sources.feeds {
        fastest = fastest.max(feed.velocity.norm());
        for corner in [feed.min, feed.max] {
            low = low.min(up(corner));
            high = high.max(up(corner));
        }
    }
    for wall in &setup.boundaries {
        if let Some((a, b)) = wall.shape.extent() {
            low = low.min(up(a).min(up(b)));
        }
    }
    // Grains that lie on each other are compressed too: as if each fell through its diameter.
    let sizes = setup.grains.iter().map(|grain| grain.radius);
    let sizes = sizes.chain(setup.sources.feeds.iter().map(|feed| feed.what.least()));
    let mut height = (high - low).max(2.0 * sizes.fold(0.0, f64::max));
    for wall in &setup.boundaries {
        let Some([point, normal]) = wall.shape.plane() else {
            continue;
        };
        // A plane has no extent: the height above it at which grains begin counts.
        let slope = up(normal) / normal.norm();
        if slope > 0.0 {
            let places = setup.grains.iter().map(|grain| grain.position);
            let corners = setup
                .sources
                .feeds
                .iter()
                .flat_map(|feed| [feed.min, feed.max]);
            for x in places.chain(corners) {
                height = height.max((x - point).dot(&normal) / normal.norm() / slope);
            }
        }
    }
    if height.is_finite() {
        fastest = fastest.max((2.0 * g * height).sqrt());
    }
    let belts = setup.boundaries.iter().map(|wall| wall.belt.norm());
    let placed = super::place::speed(setup);
    fastest + wall_speed(setup) + belts.fold(0.0, f64::max) + placed + cell_speed(setup)
}

/// Returns the speed at which neighbours meet in a driven periodic cell, m/s. A pressure p of grains of density rho presses
/// them less deep into each other than an impact at sqrt(p / rho) does.
fn cell_speed<D: ClusterDimension>(setup: &Setup<D>) -> f64 {
    let Some(cell) = &setup.space.cell else {
        return 0.0;
    };
    let (rate, pressure) = cell.greatest();
    let sizes = setup.grains.iter().map(|grain| grain.radius);
    let densities = setup.grains.iter();
    let densities = densities.map(|grain| grain.mass / D::ball_measure(grain.radius));
    let least = densities.fold(f64::INFINITY, f64::min);
    2.0 * rate * sizes.fold(0.0, f64::max) + (pressure / least).sqrt()
}

/// Returns the speed of the fastest point of a moving wall during the run, m/s. A turning wall without an end
/// (a plane) counts as far as grains are.
fn wall_speed<D: ClusterDimension>(setup: &Setup<D>) -> f64 {
    let start = setup.run.settle.map_or(0.0, |s| -s.at_most);
    let mut fastest = 0.0f64;
    for wall in &setup.boundaries {
        let end = wall
            .opens_at
            .map_or(setup.run.end_time, |t| t.min(setup.run.end_time));
        let (mut speed, spin) = wall.motion.speed_bounds(start, end);
        if let (true, Motion::Rotation { centre, .. }) = (spin > 0.0, &wall.motion) {
            let far = |x: D::Vector| (x - *centre).norm();
            let reach = match wall.shape.extent() {
                Some((low, high)) => D::Vector::from_fn(|k| {
                    (low[k] - centre[k]).abs().max((high[k] - centre[k]).abs())
                })
                .norm(),
                None => setup
                    .grains
                    .iter()
                    .map(|g| far(g.position))
                    .fold(0.0, f64::max),
            };
            speed += spin * reach;
        }
        fastest = fastest.max(speed);
    }
    fastest
}

fn rates(
    law: &ContactLaw,
    slots: &ContactTerms,
    mass: f64,
    radius: f64,
    inverse_mass: f64,
    speed: f64,
    inertia: f64,
) -> (f64, f64) {
    let overlap = law.overlap_at(mass, radius, speed);
    let drawn = slots.overlap(law, radius);
    let overlap = overlap.max(if drawn.is_finite() { drawn } else { 0.0 });
    let link = law.rates(inverse_mass, radius, overlap, inertia);
    let beside = slots.rates(law, inverse_mass, radius, overlap, inertia, speed);
    (
        link.frequency.max(beside.frequency),
        link.damping.max(beside.damping),
    )
}

/// Returns the factor on a step for a link's normal damping ratio: up to 1.
fn factor(ratio: f64) -> f64 {
    if ratio >= 1.0 {
        return 1.0;
    }
    // Share of the energy that a free oscillator loses in half a period.
    let taken = -libm::expm1(-std::f64::consts::TAU * ratio / (1.0 - ratio * ratio).sqrt());
    let share = SHARE_OF_WEAK + (1.0 - SHARE_OF_WEAK) * ratio;
    (taken * share).sqrt().clamp(LEAST_FACTOR, 1.0)
}

/// Returns the number of grains of a radius (m) that may touch a wall moved by forces, over its mass, 1/kg; 0 for all other walls.
fn wall_share<D: ClusterDimension>(setup: &Setup<D>, wall: &Boundary<D>, radius: f64) -> f64 {
    let Motion::Guided(guided) = &wall.motion else {
        return 0.0;
    };
    let across: f64 = (1..D::N).map(|_| 2.0 * radius).product();
    let all = setup.grains.len() as f64 + setup.to_come();
    let room = match &guided.drive {
        Drive::Pressure { area, .. } => {
            let plane = |index: u16| placed(&setup.boundaries[usize::from(index)], 0.0);
            area.size::<D>(plane) / across
        }
        // As many as lie in one layer of a bed as high as it is wide.
        Drive::Force(_) => libm::pow(all, (D::N - 1) as f64 / D::N as f64),
    };
    room.min(all).max(1.0) / guided.mass
}

/// Chooses the step of a setup, or checks the one that it gives.
pub fn choose<D: ClusterDimension>(setup: &Setup<D>) -> Result<StepChoice, SystemError> {
    let lightest = lightest(setup);
    let speed = impact_speed(setup);
    let packed = PACKED[usize::from(D::N == 3)];
    let mut limits: Vec<Limit> = Vec::new();
    let mut see =
        |what: String, law: (&ContactLaw, ContactTerms), mass: f64, radius: f64, inverse: f64| {
            let (law, slots) = law;
            let (frequency, damping) =
                rates(law, &slots, mass, radius, inverse, speed, D::BALL_INERTIA);
            if frequency > 0.0 {
                let factor = factor(law.damping_ratio(inverse));
                let weak = if factor < 1.0 { ", weakly damped" } else { "" };
                limits.push(Limit {
                    lenient: (UNBALANCED_WEAK / (UNBALANCED * factor)).max(1.0),
                    step: setup.motion.safety * factor * STIFFNESS_SHARE * STIFFNESS_LIMIT
                        / frequency,
                    limit: STIFFNESS_LIMIT / frequency,
                    text: format!("{what}: fastest oscillation {frequency:.4e} 1/s{weak}"),
                    harm: SHAKES,
                });
            }
            let damping = damping * packed;
            if damping > 0.0 {
                limits.push(Limit {
                    lenient: 1.0,
                    step: setup.motion.safety * DAMPING_LIMIT / damping,
                    limit: DAMPING_LIMIT / damping,
                    text: format!("{what}: fastest damping in a packing {damping:.4e} 1/s"),
                    harm: SHAKES,
                });
            }
        };
    let name = |m: usize| setup.matter.materials.get(m).map_or("?", String::as_str);
    let laws: &LawTable = &setup.matter.laws;
    for a in 0..laws.materials {
        let Some((ma, ra)) = lightest[a] else {
            continue;
        };
        for b in a..laws.materials {
            let (Some((mb, rb)), Some(law)) = (lightest[b], laws.get(a as u16, b as u16)) else {
                continue;
            };
            let inverse = 1.0 / ma + 1.0 / mb;
            see(
                format!("link {}-{}", name(a), name(b)),
                (law, laws.terms(a as u16, b as u16)),
                1.0 / inverse,
                ra * rb / (ra + rb),
                inverse,
            );
        }
        for wall in &setup.boundaries {
            if let Some(law) = laws.get(a as u16, wall.material) {
                // A wall with mass oscillates on all grains that touch it at once: each feels its part of it.
                let inverse = 1.0 / ma + wall_share::<D>(setup, wall, ra);
                see(
                    format!("link {}-wall `{}`", name(a), wall.name),
                    (law, laws.terms(a as u16, wall.material)),
                    1.0 / inverse,
                    wall.shape.effective_radius(ra),
                    inverse,
                );
            }
        }
    }
    for bonds in bonded::rates(setup, &lightest) {
        let [a, b] = bonds.materials.map(name);
        let limit = STIFFNESS_LIMIT / bonds.frequency;
        limits.push(Limit {
            lenient: 1.0,
            step: setup.motion.safety * STIFFNESS_SHARE * limit,
            limit,
            text: format!(
                "bonds {a}-{b}: fastest oscillation {:.4e} 1/s",
                bonds.frequency
            ),
            harm: SHAKES,
        });
        let damping = bonds.damping;
        if damping > 0.0 {
            let limit = DAMPING_LIMIT / damping;
            limits.push(Limit {
                lenient: 1.0,
                step: setup.motion.safety * limit,
                limit,
                text: format!("bonds {a}-{b}: fastest damping of all of a grain {damping:.4e} 1/s"),
                harm: SHAKES,
            });
        }
    }
    let fields = FieldSet::<D>::with_gravity_and_drag(setup.fields.gravity, setup.fields.drag);
    let drag = lightest.iter().flatten();
    let drag = drag.map(|&(mass, radius)| fields.damping_rate(mass, radius));
    let drag = drag.fold(0.0, f64::max);
    if drag > 0.0 {
        limits.push(Limit {
            lenient: 1.0,
            step: setup.motion.safety * STIFFNESS_SHARE * DRAG_LIMIT / drag,
            limit: DRAG_LIMIT / drag,
            text: format!("fastest damping by drag {drag:.4e} 1/s"),
            harm: "grains do not keep to the speed at which they sink",
        });
    }
    let fluid = super::place::damping(setup, &lightest, speed);
    if fluid > 0.0 {
        limits.push(Limit {
            lenient: 1.0,
            step: setup.motion.safety * STIFFNESS_SHARE * DRAG_LIMIT / fluid,
            limit: DRAG_LIMIT / fluid,
            text: format!("fastest damping by the fluid {fluid:.4e} 1/s"),
            harm: LAGS,
        });
    }
    let smallest: Vec<Option<Smallest>> = lightest
        .iter()
        .enumerate()
        .map(|(material, entry)| {
            let is = |of: u16| usize::from(of) == material;
            let grains = setup.grains.iter().filter(|grain| is(grain.material));
            let made = |feed: &&super::FeedSetup<D>| {
                let mut sorts = feed.what.components().iter();
                sorts.any(|sort| is(sort.material))
            };
            let fed = setup.sources.feeds.iter().filter(made);
            let count =
                grains.count() as u64 + fed.fold(0u64, |sum, feed| sum.saturating_add(feed.count));
            entry.map(|(mass, radius)| Smallest {
                mass,
                radius,
                many: count > 1,
            })
        })
        .collect();
    let strengths = setup.fields.place.strengths();
    let afar = setup
        .fields
        .long_range
        .fastest(&smallest, D::BALL_INERTIA, strengths);
    for fastest in afar.into_iter().chain(super::place::fastest(setup)) {
        let limit = STIFFNESS_LIMIT / fastest.frequency;
        limits.push(Limit {
            lenient: 1.0,
            step: setup.motion.safety * STIFFNESS_SHARE * LEAST_FACTOR * limit,
            limit,
            text: format!("{}, {:.4e} 1/s,", fastest.what, fastest.frequency),
            harm: OFF,
        });
    }
    let moving = wall_speed(setup);
    let grains = setup.grains.iter().map(|g| (g.form, g.radius));
    let fed = setup
        .sources
        .feeds
        .iter()
        .flat_map(|feed| feed.what.components());
    let feeds = fed.map(|sort| (sort.form, sort.radius.least()));
    let parts = grains.chain(feeds).filter_map(|(form, radius)| {
        let form = &setup.matter.forms[usize::from(form?)];
        Some(radius * form.finest())
    });
    let least = lightest.iter().flatten().map(|&(_, radius)| radius);
    let least = least.chain(parts).fold(f64::INFINITY, f64::min);
    if moving > 0.0 && least.is_finite() {
        let limit = WAY_LIMIT * least / moving;
        limits.push(Limit {
            lenient: 1.0,
            step: setup.motion.safety * limit,
            limit,
            text: format!("fastest wall {moving:.4e} m/s"),
            harm: PASSES,
        });
    }
    limits.sort_by(|a, b| a.step.total_cmp(&b.step));
    limits.dedup_by(|a, b| a.text == b.text);
    if setup.motion.step.is_none() && speed > 0.0 && least.is_finite() {
        // Links may be too soft, or missing: contacts must be detected all the same.
        let limit = WAY_LIMIT * least / speed;
        let step = setup.motion.safety * limit;
        if limits.first().is_none_or(|strictest| step < strictest.step) {
            let fastest = Limit {
                lenient: 1.0,
                step,
                limit,
                text: format!("fastest grain to expect, {speed:.4e} m/s,"),
                harm: PASSES,
            };
            limits.insert(0, fastest);
        }
    }
    let mut warnings = Vec::new();
    let strictest = limits.first();
    let step = match (setup.motion.step, strictest) {
        (Some(step), _) => step,
        (None, Some(limit)) => two_digits(limit.step),
        // Nothing can touch: any step does.
        (None, None) => 1e-3,
    };
    if step > setup.run.end_time && setup.run.end_time > 0.0 {
        warnings.push(format!(
            "the step of {step:.3e} s is longer than the run: nothing will have moved but what flies"
        ));
    }
    // A filling takes no steps before it goes on as motion.
    let moves = match &setup.models.quasi_static {
        Some(settings) => super::filled::motion_begins(setup, settings)
            .map_or(0.0, |begin| setup.run.end_time - begin),
        None => setup.run.end_time,
    };
    let span = moves + setup.run.settle.map_or(0.0, |s| s.at_most);
    let steps = span / step;
    if steps.is_nan() || steps > MOST_STEPS {
        let why = limits.first().filter(|_| setup.motion.step.is_none());
        return Err(SystemError::Setup(format!(
            "{span:.3e} s in steps of {step:.3e} s are more than {MOST_STEPS:.0e} steps{}; make the run shorter or {}",
            why.map_or(String::new(), |l| format!(" ({})", l.text)),
            if why.is_some() {
                "its links softer"
            } else {
                "the step longer"
            },
        )));
    }
    let reasons = limits
        .iter()
        .take(4)
        .map(|l| format!("{} requires a step of {:.3e} s", l.text, l.step))
        .collect();
    if let Some(l) = limits.iter().min_by(|a, b| a.limit.total_cmp(&b.limit))
        && step > l.limit * (1.0 + 1e-12)
    {
        let text = format!(
            "the step of {step:.3e} s is too large: {} allows {:.3e} s at most; above it, {}",
            l.text, l.limit, l.harm
        );
        let refused = limits.iter().filter(|l| l.harm != OFF && l.harm != LAGS);
        if refused.map(|l| l.limit).fold(f64::INFINITY, f64::min) < step / BEYOND_REASON {
            return Err(SystemError::Setup(format!(
                "{text}{}",
                if l.harm == SHAKES {
                    ", and this far above it the run would blow up"
                } else {
                    ""
                }
            )));
        }
        warnings.push(text);
    } else if let (Some(step), Some(strictest)) = (setup.motion.step, strictest)
        && step > UNBALANCED * strictest.lenient * strictest.step
    {
        warnings.push(format!(
            "the step of {step:.3e} s is {:.1} times as long as the one that would be chosen, {:.3e} s ({}): the energy balance may be off by more than 1 %",
            step / strictest.step,
            strictest.step,
            strictest.text
        ));
    }
    Ok(StepChoice {
        step,
        reasons,
        warnings,
    })
}

/// Rounds down to two digits, for the reader.
fn two_digits(x: f64) -> f64 {
    let scale = libm::pow(10.0, libm::floor(libm::log10(x)) - 1.0);
    let digits = libm::floor(x / scale * (1.0 + 1e-12));
    // Through text: the nearest number to what the reader sees.
    format!("{:.1e}", digits * scale).parse().unwrap_or(x)
}
