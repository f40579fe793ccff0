//! Convergence of runs of the same scenario as their step is halved: distance of synchronous states, error of the
//! energy, and the resulting orders.
//!
//! A run with step h is compared with the next, with h / 2: where errors scale as h^p, so do these distances, and no
//! exact solution is needed (Mutze, Polyspherical grains and their dynamics, feature viii).

use serde::Serialize;

use super::ensemble::Interval;
use super::error::{StudyError, check, enough, positive};
use super::special::student_quantile;

/// Confidence level of the intervals of orders.
const LEVEL: f64 = 0.95;

/// A body at one time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Placed {
    /// Number of the body.
    pub body: u32,
    /// Mass, kg.
    pub mass: f64,
    /// Centre, m.
    pub position: [f64; 3],
    /// Orientation: quaternion x, y, z, w.
    pub turn: [f64; 4],
    /// Length that weights its orientation, m: the radius of gyration (in space its mean over all axes); 0 for a
    /// round body, whose orientation does not matter.
    pub arm: f64,
}

/// All bodies at one time, in order of number.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct State {
    /// Time, s.
    pub time: f64,
    /// The bodies.
    pub bodies: Vec<Placed>,
    /// Sum of all entries of the energy balance, J: it should be constant.
    pub energy: f64,
    /// Sum of their magnitudes, J: the scale of rounding errors.
    pub turnover: f64,
}

/// One run: its states at times common to all runs.
#[derive(Clone, Debug, PartialEq)]
pub struct Course {
    /// Step, s.
    pub step: f64,
    /// States, by ascending time.
    pub states: Vec<State>,
}

/// An order from a straight line fitted to logarithms.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct OrderFit {
    /// The order.
    pub order: f64,
    /// Standard error, from the scatter about the line; none from two points.
    pub error: Option<f64>,
    /// Interval of the order at a level of 0.95, by Student's t; none from two points.
    pub interval: Option<Interval>,
    /// Error at a step of 1 s on the line.
    pub factor: f64,
    /// Number of points.
    pub points: usize,
}

/// A run compared with the one with half its step.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct StepRow {
    /// The step, s.
    pub step: f64,
    /// Root mean square, over times, of the distance to the next run's states, m; none for the finest.
    pub distance: Option<f64>,
    /// Order from this distance and the next.
    pub order: Option<f64>,
    /// Root mean square of the energy's error over times, J.
    pub energy: f64,
    /// Order from this error and the next.
    pub energy_order: Option<f64>,
    /// Whether the distance is of the size of rounding errors: it is excluded from the fit.
    pub distance_is_rounding: bool,
    /// Whether the energy's error is of the size of rounding errors.
    pub energy_is_rounding: bool,
}

/// Distances at one time.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct TimeRow {
    /// Time, s.
    pub time: f64,
    /// Distance of each run from the next, m, the coarsest first.
    pub distances: Vec<f64>,
    /// Order from those above rounding errors; none where fewer than two are.
    pub order: Option<f64>,
}

/// A series of runs with the step halved.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Convergence {
    /// The runs, the coarsest first.
    pub steps: Vec<StepRow>,
    /// Order of the distance; none where fewer than two are above rounding errors.
    pub distance: Option<OrderFit>,
    /// Order of the energy's error.
    pub energy: Option<OrderFit>,
    /// Distances by time.
    pub times: Vec<TimeRow>,
    /// Range of times used, s.
    pub window: [f64; 2],
}

/// Compares runs with each other; `periodic` are lengths of the box, m, and only times within the window (s, ends
/// included) are used for the orders.
///
/// # Errors
/// Fewer than three runs; steps that are not halved each time; runs without a common time in the window.
pub fn convergence(
    courses: &[Course],
    periodic: [Option<f64>; 3],
    window: [f64; 2],
) -> Result<Convergence, StudyError> {
    enough("runs of a series", courses.len(), 3)?;
    for pair in courses.windows(2) {
        positive("step", pair[1].step)?;
        check(
            "step over the next run's",
            pair[0].step / pair[1].step,
            "2",
            |ratio| (ratio - 2.0).abs() < 1e-9,
        )?;
    }
    let times = common_times(courses);
    let inside = |time: f64| time >= window[0] && time <= window[1];
    enough(
        "times within the window that all runs have",
        times.iter().filter(|(time, _)| inside(*time)).count(),
        1,
    )?;
    let steps: Vec<f64> = courses.iter().map(|course| course.step).collect();
    let state = |run: usize, at: &[usize]| &courses[run].states[at[run]];
    let mut floors = vec![0.0_f64; courses.len()];
    let mut rows = Vec::new();
    for (time, at) in &times {
        let mut distances = Vec::new();
        for run in 0..courses.len() - 1 {
            let (a, b) = (state(run, at), state(run + 1, at));
            distances.push(distance(a, b, periodic));
            floors[run] = floors[run].max(rounding(b, time / steps[run + 1]));
        }
        let above = above(&steps, &distances, &floors);
        rows.push(TimeRow {
            time: *time,
            order: fit_order(&above.0, &above.1).ok().map(|fit| fit.order),
            distances,
        });
    }
    let counted: Vec<usize> = (0..rows.len()).filter(|&k| inside(rows[k].time)).collect();
    let mean_square = |values: &mut dyn Iterator<Item = f64>| {
        (values.map(|v| v * v).sum::<f64>() / counted.len() as f64).sqrt()
    };
    let distances: Vec<f64> = (0..courses.len() - 1)
        .map(|run| mean_square(&mut counted.iter().map(|&k| rows[k].distances[run])))
        .collect();
    let mut energies = Vec::new();
    let mut turnovers = Vec::new();
    for (run, course) in courses.iter().enumerate() {
        let first = course.states.first().map_or(0.0, |state| state.energy);
        let at = |k: &usize| state(run, &times[*k].1);
        energies.push(mean_square(
            &mut counted.iter().map(|k| at(k).energy - first),
        ));
        let whole = counted.iter().map(|k| at(k).turnover).fold(0.0, f64::max);
        let end = counted.iter().map(|k| at(k).time).fold(0.0, f64::max);
        turnovers.push(UNITS * f64::EPSILON * whole * (end / course.step).max(1.0).sqrt());
    }
    let (d, e) = (
        above(&steps, &distances, &floors),
        above(&steps, &energies, &turnovers),
    );
    let local = |values: &[f64], floors: &[f64], run: usize| {
        let next = values.get(run + 1)?;
        (values[run] > floors[run] && *next > floors[run + 1])
            .then(|| libm::log2(values[run] / next))
    };
    let row = |run: usize| StepRow {
        step: steps[run],
        distance: distances.get(run).copied(),
        order: local(&distances, &floors, run),
        energy: energies[run],
        energy_order: local(&energies, &turnovers, run),
        distance_is_rounding: distances.get(run).is_some_and(|d| *d <= floors[run]),
        energy_is_rounding: energies[run] <= turnovers[run],
    };
    Ok(Convergence {
        steps: (0..courses.len()).map(row).collect(),
        distance: fit_order(&d.0, &d.1).ok(),
        energy: fit_order(&e.0, &e.1).ok(),
        times: rows,
        window,
    })
}

/// Rounding error of one step, in units of the last place of the rounded number.
const UNITS: f64 = 4.0;

/// Returns the rounding error of a state's positions after this many steps, m: a random walk.
fn rounding(state: &State, steps: f64) -> f64 {
    let sizes = state.bodies.iter().flat_map(|body| body.position);
    let reach = sizes.fold(0.0_f64, |most, x| most.max(x.abs()));
    UNITS * f64::EPSILON * reach * steps.max(1.0).sqrt()
}

/// Returns steps and values of the runs whose value is above the rounding error.
fn above(steps: &[f64], values: &[f64], floors: &[f64]) -> (Vec<f64>, Vec<f64>) {
    let points = steps.iter().zip(values).zip(floors);
    let kept = points.filter(|((_, value), floor)| value > floor);
    kept.map(|((step, value), _)| (*step, *value)).unzip()
}

/// Returns the times common to all runs, with the index of the state in each.
fn common_times(courses: &[Course]) -> Vec<(f64, Vec<usize>)> {
    // Tolerance for rounding of a count times an interval.
    let room = |a: f64, b: f64| 1e-9 * a.abs().max(b.abs());
    let mut found = Vec::new();
    // Times go up in each run: one pass through all.
    let mut next = vec![0; courses.len()];
    for (first, state) in courses[0].states.iter().enumerate() {
        next[0] = first;
        let mut all = true;
        for (course, at) in courses.iter().zip(&mut next) {
            let before = |s: &State| s.time < state.time - room(s.time, state.time);
            while course.states.get(*at).is_some_and(before) {
                *at += 1;
            }
            let there = course.states.get(*at);
            all &= there.is_some_and(|s| (s.time - state.time).abs() <= room(s.time, state.time));
        }
        if all {
            found.push((state.time, next.clone()));
        }
    }
    found
}

/// Returns the distance of two states, m: the mass-weighted root mean square, over bodies in both, of their
/// separation plus their angle times their arm.
pub fn distance(a: &State, b: &State, periodic: [Option<f64>; 3]) -> f64 {
    let (mut squares, mut mass) = (0.0, 0.0);
    let mut others = b.bodies.iter().peekable();
    for body in &a.bodies {
        while others.next_if(|other| other.body < body.body).is_some() {}
        let Some(other) = others.next_if(|other| other.body == body.body) else {
            continue;
        };
        let mut square = 0.0;
        for k in 0..3 {
            let mut apart = (body.position[k] - other.position[k]).abs();
            if let Some(length) = periodic[k] {
                // The shorter of both directions.
                apart %= length;
                apart = apart.min(length - apart);
            }
            square += apart * apart;
        }
        if body.arm > 0.0 {
            let turned = body.arm * angle(body.turn, other.turn);
            square += turned * turned;
        }
        squares += body.mass * square;
        mass += body.mass;
    }
    if mass > 0.0 {
        (squares / mass).sqrt()
    } else {
        0.0
    }
}

/// Returns the angle between two orientations, rad: from the vector part of the relative rotation, since an arc
/// cosine would lose half the digits of a small angle.
fn angle(a: [f64; 4], b: [f64; 4]) -> f64 {
    let real = a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3];
    let cross = |i: usize, j: usize| a[i] * b[j] - a[j] * b[i];
    let along = |k: usize, i: usize, j: usize| a[3] * b[k] - a[k] * b[3] - cross(i, j);
    let [x, y, z] = [along(0, 1, 2), along(1, 2, 0), along(2, 0, 1)];
    2.0 * libm::atan2((x * x + y * y + z * z).sqrt(), real.abs())
}

/// Fits the order of values that follow a power of the step: least squares in logarithms.
///
/// # Errors
/// Fewer than two points, lists of different length, numbers that are not positive, equal steps.
pub fn fit_order(steps: &[f64], values: &[f64]) -> Result<OrderFit, StudyError> {
    if steps.len() != values.len() {
        return Err(StudyError::Unequal {
            what: "steps and values",
            first: steps.len(),
            second: values.len(),
        });
    }
    enough("points of an order", steps.len(), 2)?;
    let mut points = Vec::new();
    for (&step, &value) in steps.iter().zip(values) {
        points.push([
            libm::log(positive("step", step)?),
            libm::log(positive("value", value)?),
        ]);
    }
    let n = points.len() as f64;
    let mean = |k: usize| points.iter().map(|p| p[k]).sum::<f64>() / n;
    let [x, y] = [mean(0), mean(1)];
    let (mut xx, mut xy) = (0.0, 0.0);
    for p in &points {
        xx += (p[0] - x) * (p[0] - x);
        xy += (p[0] - x) * (p[1] - y);
    }
    if xx <= 1e-20 * x * x {
        return Err(StudyError::Undetermined { what: "the order" });
    }
    let order = xy / xx;
    let off = |p: &[f64; 2]| p[1] - y - order * (p[0] - x);
    let scatter: f64 = points.iter().map(|p| off(p) * off(p)).sum();
    let freedom = n - 2.0;
    let error = (freedom > 0.0).then(|| (scatter / freedom / xx).sqrt());
    let interval = error.map(|error| {
        let room = student_quantile(0.5 + 0.5 * LEVEL, freedom) * error;
        Interval {
            low: order - room,
            high: order + room,
            level: LEVEL,
        }
    });
    Ok(OrderFit {
        order,
        error,
        interval,
        factor: libm::exp(y - order * x),
        points: points.len(),
    })
}
