//! Comparison of two runs: forces, curves, paths.

use std::collections::BTreeMap;

use serde::Serialize;

use super::RunsError;
use super::run::Run;
use crate::record::read::{Snapshot, Snapshots};
use crate::study::samples::{CurveDistance, curve_distance, sample_distance};

/// Comparison of a run with its reference run.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Pair {
    /// Index of the run, from 0 in the given order.
    pub run: usize,
    /// Index of the reference run: the first one of the same scenario and seed, else the first.
    pub reference: usize,
    /// Greatest distance of the distributions of normal force relative to its mean, at the end.
    pub forces: Option<f64>,
    /// Distance of the discharge curves, grains; none where nothing leaves.
    pub discharged: Option<CurveDistance>,
    /// Distance of the curves of kinetic energy, J.
    pub kinetic: Option<CurveDistance>,
    /// Distance of the curves of dissipated energy, J.
    pub dissipated: Option<CurveDistance>,
    /// Distance of the paths of the same grains; none for different seeds.
    pub trajectories: Option<Trajectories>,
}

/// Separation of grains with the same number in two runs, at the snapshots that both have.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Trajectories {
    /// Times, s.
    pub time: Vec<f64>,
    /// Number of grains that both runs have then.
    pub grains: Vec<usize>,
    /// Root mean square separation, m.
    pub rms: Vec<f64>,
    /// Greatest separation, m.
    pub largest: Vec<f64>,
    /// First time at which some grains are separated by more than the mean radius, s; none if there is none.
    pub parted: Option<f64>,
}

/// Compares a run with another.
///
/// # Errors
/// Records that cannot be read.
pub(super) fn pair(runs: &[Run], run: usize, reference: usize) -> Result<Pair, RunsError> {
    let (a, b) = (&runs[reference], &runs[run]);
    let leaves = |run: &Run| run.discharged.iter().any(|[_, count]| *count > 0.0);
    let same = a.seed == b.seed && a.scenario == b.scenario;
    Ok(Pair {
        run,
        reference,
        forces: sample_distance(&a.forces, &b.forces).ok(),
        discharged: (leaves(a) || leaves(b))
            .then(|| curve_distance(&a.discharged, &b.discharged).ok())
            .flatten(),
        kinetic: curve_distance(&a.kinetic, &b.kinetic).ok(),
        dissipated: curve_distance(&a.dissipated, &b.dissipated).ok(),
        trajectories: if same { trajectories(a, b)? } else { None },
    })
}

/// Relative difference of times that counts as the same snapshot: rounding of a count times an interval.
const SAME_TIME: f64 = 1e-9;

fn trajectories(a: &Run, b: &Run) -> Result<Option<Trajectories>, RunsError> {
    let (mut first, mut second) = (Snapshots::open(&a.folder)?, Snapshots::open(&b.folder)?);
    let mut found = Trajectories::default();
    let (mut p, mut q) = (first.next_snapshot()?, second.next_snapshot()?);
    while let (Some(one), Some(other)) = (&p, &q) {
        let gap = one.time - other.time;
        if gap.abs() <= SAME_TIME * one.time.abs().max(other.time.abs()) {
            found.look(one, other, &a.meta.periodic);
            p = first.next_snapshot()?;
            q = second.next_snapshot()?;
        } else if gap < 0.0 {
            p = first.next_snapshot()?;
        } else {
            q = second.next_snapshot()?;
        }
    }
    Ok((!found.time.is_empty()).then_some(found))
}

impl Trajectories {
    fn look(&mut self, one: &Snapshot, other: &Snapshot, periodic: &[Option<[f64; 2]>; 3]) {
        let there: BTreeMap<u32, [f64; 3]> =
            other.grains.iter().map(|g| (g.grain, g.position)).collect();
        let (mut count, mut squares, mut largest, mut radii) = (0usize, 0.0, 0.0f64, 0.0);
        for grain in &one.grains {
            let Some(place) = there.get(&grain.grain) else {
                continue;
            };
            let mut square = 0.0;
            for k in 0..3 {
                let mut apart = (grain.position[k] - place[k]).abs();
                if let Some([_, length]) = periodic[k] {
                    // The shorter of both directions.
                    apart %= length;
                    apart = apart.min(length - apart);
                }
                square += apart * apart;
            }
            count += 1;
            squares += square;
            largest = largest.max(square.sqrt());
            radii += grain.radius;
        }
        if count == 0 {
            return;
        }
        let n = count as f64;
        self.time.push(one.time);
        self.grains.push(count);
        self.rms.push((squares / n).sqrt());
        self.largest.push(largest);
        if largest > radii / n && self.parted.is_none() {
            self.parted = Some(one.time);
        }
    }
}
