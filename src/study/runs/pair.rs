//! One run beside another: forces, curves, paths.

use std::collections::BTreeMap;

use serde::Serialize;

use super::RunsError;
use super::run::Run;
use crate::record::read::{Snapshot, Snapshots};
use crate::study::samples::{CurveDistance, curve_distance, sample_distance};

/// A run beside the one that it is measured against.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Pair {
    /// Which run, from 0 in the order given.
    pub run: usize,
    /// Against which: the first one of the same scenario and seed, else the first.
    pub reference: usize,
    /// Greatest distance of the distributions of normal force over its mean, at the end.
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

/// How far grains of the same number are apart in two runs, at the snapshots that both have.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Trajectories {
    /// Times, s.
    pub time: Vec<f64>,
    /// Grains that both have then.
    pub grains: Vec<usize>,
    /// Root of their mean square distance, m.
    pub rms: Vec<f64>,
    /// Greatest distance, m.
    pub largest: Vec<f64>,
    /// First of the times at which some grain is more than the mean radius away, s; none where they
    /// stay together.
    pub parted: Option<f64>,
}

/// Measures a run against another.
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

/// Times this near are the same snapshot, s over the time: rounding of a count times an interval.
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
                    // The nearer way round.
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
