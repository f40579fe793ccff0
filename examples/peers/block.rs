//! A block of 4,631 spheres on a face-centred lattice with 25,200 bonds that shivers. LAMMPS' package BPM leaves out the contacts of bonded
//! spheres; ours has both.

use arenite::body::Grain;
use arenite::geometry::Spatial;
use arenite::scenario::AnySetup;
use arenite::system::Setup;
use nalgebra::Vector3;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::{Fallible, Job, Place, Run, ours};

/// Cells of the lattice along an edge.
const CELLS: u32 = 10;
const STEPS: u64 = 1000;
const STEP: f64 = 0.03;
/// Greatest component of the velocities at the start.
const SPEED: f64 = 1e-3;

const SCENARIO: &str = r#"
name = "block"
dimension = 3
[run]
end_time = 30.0
[log]
series = 10.0
snapshots = "never"
checkpoint = "never"
[material.bead]
density = 1.0
[[law]]
between = ["bead", "bead"]
linear = { normal_stiffness = 1.0, tangential_stiffness = 0.5, normal_damping = 0.05, tangential_damping = 0.05, friction = 0.1 }
[law.bond]
gap = 0.05
stiffness = { normal = 1.0, shear = 0.2, bending = 0.02, twisting = 0.02 }
loads = { tension = 2.0, shear = 2.0, bending = 2.0, twisting = 2.0 }
damping = 0.05
[[fill]]
material = "bead"
lattice = { count = 2, radius = 0.5, min = [0.0, 0.0, 0.0], max = [3.0, 3.0, 3.0] }
"#;

fn setup(seed: u64) -> Fallible<Setup<Spatial>> {
    let AnySetup::Spatial(mut setup) = ours::written(SCENARIO)? else {
        return Err("the block is in space".into());
    };
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    let material = setup.grains.first().ok_or("the grains are lost")?.material;
    let half = 0.5 * f64::sqrt(2.0);
    let cells = 0..=2 * CELLS;
    let places = cells.clone().flat_map(|i| {
        let cells = cells.clone();
        cells
            .clone()
            .flat_map(move |j| cells.clone().map(move |k| [i, j, k]))
    });
    let places = places.filter(|place| place.iter().sum::<u32>() % 2 == 0);
    let grain = |(id, place): (u32, [u32; 3])| {
        let place = Vector3::from(place.map(|k| half * f64::from(k)));
        let mut grain = Grain::new(id, material, 0.5, 1.0, place);
        grain.velocity = Vector3::from_fn(|_, _| random.random_range(-SPEED..SPEED));
        grain
    };
    setup.grains = (0..).zip(places).map(grain).collect();
    setup.run.end_time = STEPS as f64 * STEP;
    setup.motion.step = Some(STEP);
    Ok(setup)
}

fn peer(place: &Place, seed: u64) -> Fallible<Run> {
    let variables = [("seed", seed.to_string()), ("steps", STEPS.to_string())];
    let told = place.lammps.run(&place.folder, "block", &variables)?;
    Ok(told.last_loop(1.0))
}

pub fn job() -> Job {
    Job {
        peer: Box::new(peer),
        ours: vec![(
            "contacts and bonds",
            Box::new(|_, seed| ours::from_time_0(setup(seed)?)),
        )],
    }
}
