//! What a soft mapping costs: read from its table against solved, and building the table.
//! `cargo bench --bench collide`

use std::hint::black_box;
use std::time::Instant;

use arenite::collide::resolved::{self, Frictionless};
use arenite::collide::soft::{Counters, Population, SoftLaw, Touch};
use arenite::collide::table::RoughTable;
use arenite::contact::{ContactLaw, Hertz, Linear, Viscoelastic};
use arenite::geometry::Spatial;
use nalgebra::Vector3;

fn linear(kn: f64, cn: f64) -> Frictionless {
    let law = ContactLaw::Linear(Linear {
        normal_stiffness: kn,
        tangential_stiffness: 0.0,
        normal_damping: cn,
        tangential_damping: 0.0,
        friction: 0.0,
    });
    Frictionless::of(&law, 1.0).expect("a linear law can be scaled")
}

fn viscoelastic(kh: f64, a: f64) -> Frictionless {
    let law = ContactLaw::Viscoelastic(Viscoelastic {
        young: 0.75 * kh,
        shear: 0.0,
        dissipation: a,
        friction: 0.0,
    });
    Frictionless::of(&law, 1.0).expect("a viscoelastic law can be scaled")
}

/// Best time of five runs for one of `count` calls, ns.
fn best(count: u32, mut call: impl FnMut(f64) -> f64) -> f64 {
    let run = |_| {
        let start = Instant::now();
        let mut sum = 0.0;
        for i in 0..count {
            sum += call(f64::from(i) / f64::from(count));
        }
        black_box(sum);
        start.elapsed().as_secs_f64() / f64::from(count) * 1e9
    };
    (0..5).map(run).fold(f64::INFINITY, f64::min)
}

fn main() {
    println!("law, tolerance: nodes, error, build ms, mapping ns, collision ns, solved us");
    for (law, heavy) in [
        (linear(2e5, 3.0), 2e-3),
        (linear(2e5, 3.0), 8e-3),
        (viscoelastic(1e7, 0.0), 8e-3),
        (viscoelastic(1e7, 1e-5), 2e-3),
    ] {
        for tolerance in [1e-6, 1e-8] {
            let far = if heavy == 2e-3 { 0.01 } else { 0.02 };
            let population = Population {
                effective_mass: [2e-3, heavy],
                reach: [0.01, far],
                approach: 20.0,
            };
            let start = Instant::now();
            let Ok(soft) = SoftLaw::build(law, &population, tolerance) else {
                continue;
            };
            let built = start.elapsed().as_secs_f64() * 1e3;
            let mut counters = Counters::default();
            let mapping = best(200_000, |x| {
                let got = soft.mapping(2e-3, 0.01, 2.0 + 15.0 * x, 3.0 * x, &mut counters);
                got.map_or(0.0, |(mapping, _)| mapping.eps_phi)
            });
            let collision = best(200_000, |x| {
                let positions = [Vector3::zeros(), Vector3::new(0.01, 0.0, 0.0)];
                let velocities = [Vector3::new(3.0 + 10.0 * x, 1.0, 0.0), Vector3::z()];
                Touch::<Spatial>::new([4e-3; 2], positions, velocities)
                    .and_then(|touch| soft.collide(&touch, &mut counters).ok())
                    .map_or(0.0, |collision| collision.placed[0].x)
            });
            assert_eq!(counters.solved, 0);
            let solved = best(300, |x| {
                resolved::collide(&law, 2e-3, 0.01, 2.0 + 15.0 * x, 3.0 * x)
                    .map_or(0.0, |mapping| mapping.tau)
            });
            println!(
                "{law:?}, masses to {heavy}, {tolerance:e}: {}, {:.1e}, {built:.0}, {mapping:.0}, {collision:.0}, {:.0}",
                soft.table().nodes(),
                soft.table().error(),
                solved * 1e-3
            );
        }
    }
    let law = ContactLaw::Hertz(Hertz {
        young: 3e10,
        shear: 1e10,
        damping_ratio: 0.2,
        friction: 0.6,
    });
    let start = Instant::now();
    if let Ok(table) = RoughTable::build(&law, 0.1, 0.4, 1e-5) {
        let built = start.elapsed().as_secs_f64() * 1e3;
        let read = best(200_000, |x| table.outcome(4.0 * x).impulse);
        println!(
            "friction: {} pieces, {built:.0} ms, {read:.0} ns",
            table.pieces()
        );
    }
}
