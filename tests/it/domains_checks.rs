//! Checks of one system over many ranks, made over threads by `cargo test` and over processes of MPI by `tests/mpi`.
//!
//! References: the same run on one rank, to the bit; a run without ranks, to the bit where nobody flies or rests.

use std::sync::atomic::AtomicBool;

use arenite::cluster::integrate::Integrate;
use arenite::geometry::{Planar, Spatial, Vector};
use arenite::ranks::{One, Ranks};
use arenite::record::{MemorySink, SeriesRow};
use arenite::system::{Control, MorphSetup, Outcome, PeriodicAxis, Setup, System};

use crate::setups::{Dice, add, empty, linear, planar};

/// What a run ends with.
pub struct End<D: Integrate> {
    pub system: System<D>,
    pub outcome: Outcome,
    pub sink: MemorySink,
}

/// Runs a setup over ranks; on rank 0 what it ends with.
pub fn over<D: Integrate>(
    ranks: &dyn Ranks,
    setup: &Setup<D>,
    domains: Option<[usize; 3]>,
) -> Option<End<D>> {
    let never = AtomicBool::new(false);
    let mut sink = MemorySink::default();
    let mut control = Control::new(&never);
    let end = System::run_over(setup.clone(), domains, ranks, &mut sink, &mut control);
    let (system, outcome) = end.unwrap()?;
    Some(End {
        system,
        outcome,
        sink,
    })
}

pub const RADIUS: f64 = 0.01;
const PITCH: f64 = 2.0 * RADIUS * (1.0 - 1e-3);
pub const STEP: f64 = 1e-5;

/// Grains of three sizes on a square lattice, `across` to a row, some pressed into each other, that go all ways; images all around
/// if so wanted.
pub fn crowd<D: Integrate>(count: usize, across: usize, steps: usize, images: bool) -> Setup<D> {
    let law = linear(1e5, 5e4, 2.0, 1.0, 0.4);
    let mut setup: Setup<D> = empty(law, STEP, steps as f64 * STEP);
    setup.motion.flight = false;
    let mut dice = Dice(11);
    for n in 0..count {
        let at = |k: usize| match k + 1 == D::N {
            true => n / across.pow(k as u32),
            false => n / across.pow(k as u32) % across,
        };
        let position = D::Vector::from_fn(|k| RADIUS + PITCH * at(k) as f64);
        let velocity = dice.vector::<D>(-1.0, 1.0);
        let radius = RADIUS * [1.0, 0.9, 0.95][n % 3];
        add(&mut setup, radius, 0.01, position, velocity).spin = dice.spin::<D>(-20.0, 20.0);
    }
    if images {
        let up = count.div_ceil(across.pow(D::N as u32 - 1));
        setup.space.periodic = (0..D::N)
            .map(|k| {
                let cells = if k + 1 == D::N { up } else { across };
                Some(PeriodicAxis {
                    origin: 0.0,
                    length: PITCH * cells as f64,
                })
            })
            .collect();
    }
    setup.log.series = Some(100.0 * STEP);
    setup.log.snapshots = Some(500.0 * STEP);
    setup
}

/// Without flight and rest a run over ranks is the run of its own, to the bit; and all told is the same but for the order of sums.
fn as_by_itself<D: Integrate>(ranks: &dyn Ranks, setup: &Setup<D>, domains: Option<[usize; 3]>) {
    let Some(shared) = over(ranks, setup, domains) else {
        return;
    };
    let mut own = System::new(setup.clone()).unwrap();
    let mut sink = MemorySink::default();
    let never = AtomicBool::new(false);
    own.run(&mut sink, &mut Control::new(&never)).unwrap();
    let (size, bits) = (ranks.size(), own.state_hash());
    assert_eq!(shared.system.state_hash(), bits, "{size} ranks");
    assert_eq!(shared.sink.series.len(), sink.series.len());
    for (shared, own) in shared.sink.series.iter().zip(&sink.series) {
        same_rows(shared, own);
    }
    assert_eq!(shared.sink.snapshots.len(), sink.snapshots.len());
    for (shared, own) in shared.sink.snapshots.iter().zip(&sink.snapshots) {
        assert_eq!(shared.0, own.0, "grains of a snapshot, {size} ranks");
        assert_eq!(shared.1, own.1, "links of a snapshot, {size} ranks");
    }
    let (a, b) = (shared.system.summary(), own.summary());
    assert_eq!(a.work.grain_steps, b.work.grain_steps);
    assert_eq!(a.grains, b.grains);
}

/// Rows of the series: counts alike; sums as rounding lets them, some 1e6 parts, whose roundings add up to 1e-13 of the whole by chance and to 1e-10 at worst.
fn same_rows(a: &SeriesRow, b: &SeriesRow) {
    let counts = |row: &SeriesRow| {
        let links = [
            row.clusters,
            row.links,
            row.sliding,
            row.grains,
            row.discharged,
        ];
        (row.time.to_bits(), row.by_regime, links)
    };
    assert_eq!(counts(a), counts(b), "at {} s", a.time);
    let lost = |row: &SeriesRow| row.dissipated.iter().sum::<f64>();
    let sums = |row: &SeriesRow| {
        [
            row.kinetic,
            row.potential,
            row.elastic,
            // How it is divided between dampers and sliding is told otherwise across borders.
            lost(row),
            row.injected,
            row.removed,
        ]
    };
    let whole: f64 = sums(b).iter().map(|x| x.abs()).sum();
    for (x, y) in sums(a).into_iter().zip(sums(b)) {
        assert!((x - y).abs() <= 1e-11 * whole, "{x} {y} at {} s", a.time);
    }
}

/// A hopper that settles, opens and empties, with grains that come to stand still.
pub fn hopper(finish: f64) -> Setup<Planar> {
    planar("hopper", &[&format!("run.end_time={finish}")])
}

/// One system over all ranks there are.
pub fn domains(ranks: &dyn Ranks) {
    let size = ranks.size();
    as_by_itself(ranks, &crowd::<Planar>(400, 20, 1500, false), None);
    as_by_itself(
        ranks,
        &crowd::<Planar>(400, 20, 1500, true),
        Some([size, 1, 1]),
    );
    as_by_itself(ranks, &crowd::<Spatial>(512, 8, 1500, true), None);
    as_by_itself(
        ranks,
        &crowd::<Spatial>(512, 8, 1500, false),
        Some([1, 1, size]),
    );
    // Enough grains for slots to be sorted by place; a run without ranks sorts them otherwise.
    same_as_one(ranks, &crowd::<Planar>(4_900, 70, 1000, true));
    let mut setup = hopper(0.3);
    setup.models.morph = None;
    setup.motion.flight = false;
    as_by_itself(ranks, &setup, None);
    // Who would stand still or collide in flight is stepped, and that is told.
    let mut asked = hopper(0.3);
    asked.motion.flight = false;
    asked.motion.collisions = planar("rain", &["run.end_time=0.1"]).motion.collisions;
    assert!(asked.models.morph.is_some() && asked.motion.collisions.is_some());
    if let Some(shared) = over(ranks, &asked, None) {
        let told = |part: &str| {
            let warnings = shared.system.summary().warnings;
            warnings.iter().any(|w| w.contains(part))
        };
        assert!(told("every grain is stepped") && told("[morph]") && told("run.collisions"));
        let mut own = System::new(setup.clone()).unwrap();
        let never = AtomicBool::new(false);
        own.run(&mut MemorySink::default(), &mut Control::new(&never))
            .unwrap();
        assert_eq!(shared.system.state_hash(), own.state_hash());
    }
    // What nobody asked for goes without a word.
    let mut by_default = setup;
    by_default.models.morph = asked.models.morph.map(|morph| MorphSetup {
        by_default: true,
        ..morph
    });
    if let Some(shared) = over(ranks, &by_default, None) {
        let warnings = shared.system.summary().warnings;
        assert!(
            !warnings.iter().any(|w| w.contains("stepped")),
            "{warnings:?}"
        );
    }
}

/// As many ranks as there are and one give the same bits.
pub fn same_as_one<D: Integrate>(ranks: &dyn Ranks, setup: &Setup<D>) {
    let Some(shared) = over(ranks, setup, None) else {
        return;
    };
    let one = over(&One, setup, None).unwrap();
    let size = ranks.size();
    assert_eq!(shared.outcome, one.outcome);
    assert_eq!(
        shared.system.state_hash(),
        one.system.state_hash(),
        "{size} ranks"
    );
    for (shared, one) in shared.sink.series.iter().zip(&one.sink.series) {
        same_rows(shared, one);
    }
}
