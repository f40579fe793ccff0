//! 2,000 rigid clumps of five spheres (a T) that fall into a box; `fix rigid/small` is given their masses and moments, those
//! of the union of the spheres, so that both move the same bodies.

use std::fmt::Write as _;

use arenite::body::Grain;
use arenite::geometry::Spatial;
use arenite::scenario::AnySetup;
use arenite::system::Setup;
use nalgebra::{Matrix3, UnitQuaternion, Vector3};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::lammps::{Atom, data};
use super::{Fallible, Job, Place, Run, ours};

const WIDTH: f64 = 0.32;
const STEPS: u64 = 15_000;
const STEP: f64 = 1e-5;
const DENSITY: f64 = 2500.0;

const SCENARIO: &str = r#"
name = "clumps"
description = "clumps of five spheres fall into a box"
dimension = 3
[field]
gravity = [0.0, 0.0, -9.81]
[run]
end_time = 0.3
[log]
series = 0.05
snapshots = "never"
checkpoint = "never"
[material.bead]
density = 2500.0
[material.wall]
[[law]]
between = ["bead", "bead"]
[law.linear]
normal_stiffness = 1e5
tangential_stiffness = 2.857142857e4
normal_damping = 1247.8
tangential_damping = 623.9
friction = 0.5
per_mass = true
[[law]]
between = ["bead", "wall"]
[law.linear]
normal_stiffness = 1e5
tangential_stiffness = 2.857142857e4
normal_damping = 1247.8
tangential_damping = 623.9
friction = 0.5
per_mass = true
[[boundary]]
name = "floor"
material = "wall"
plane = { point = [0.0, 0.0, 0.0], normal = [0.0, 0.0, 1.0] }
[[boundary]]
name = "left"
material = "wall"
plane = { point = [0.0, 0.0, 0.0], normal = [1.0, 0.0, 0.0] }
[[boundary]]
name = "right"
material = "wall"
plane = { point = [0.32, 0.0, 0.0], normal = [-1.0, 0.0, 0.0] }
[[boundary]]
name = "front"
material = "wall"
plane = { point = [0.0, 0.0, 0.0], normal = [0.0, 1.0, 0.0] }
[[boundary]]
name = "back"
material = "wall"
plane = { point = [0.0, 0.32, 0.0], normal = [0.0, -1.0, 0.0] }
# In metres.
[shape.tee]
spheres = [
  { centre = [-0.005, 0.0, 0.0], radius = 0.005 },
  { centre = [0.0, 0.0, 0.0], radius = 0.005 },
  { centre = [0.005, 0.0, 0.0], radius = 0.005 },
  { centre = [0.0, -0.005, 0.0], radius = 0.005 },
  { centre = [0.0, -0.01, 0.0], radius = 0.005 },
]
[[fill]]
material = "bead"
shape = "tee"
[fill.lattice]
count = 2
radius = 0.012
min = [0.0, 0.0, 0.0]
max = [0.3, 0.3, 0.3]
"#;

/// Twelve by twelve in a layer, lying flat, turned about the vertical and moving at random: by the number of the pair.
fn setup(seed: u64) -> Fallible<Setup<Spatial>> {
    let AnySetup::Spatial(mut setup) = ours::written(SCENARIO)? else {
        return Err("clumps are in space".into());
    };
    let form = setup
        .matter
        .forms
        .first()
        .ok_or("the shape is lost")?
        .clone();
    let material = setup.grains.first().ok_or("the grain is lost")?.material;
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    let grain = |n: u32| {
        let cell = [n % 12, n / 12 % 12, n / 144].map(|k| f64::from(k) + 0.5);
        let [across, up] = [WIDTH / 12.0, 0.014];
        let place = Vector3::new(cell[0] * across, cell[1] * across, cell[2] * up);
        let mut grain = Grain::new(n, material, form.reach, DENSITY, place);
        grain.shape(0, &form, DENSITY);
        let turn = random.random_range(0.0..std::f64::consts::TAU);
        grain.rotation = UnitQuaternion::from_axis_angle(&Vector3::z_axis(), turn) * form.axes;
        grain.velocity = Vector3::from_fn(|_, _| random.random_range(-0.1..0.1));
        grain
    };
    setup.grains = (0..2000).map(grain).collect();
    setup.run.end_time = STEPS as f64 * STEP;
    Ok(setup)
}

fn peer(place: &Place, seed: u64) -> Fallible<Run> {
    let setup = setup(seed)?;
    let form = &setup.matter.forms[0];
    let mut atoms = Vec::new();
    let mut bodies = format!("{}\n", setup.grains.len());
    for (n, grain) in setup.grains.iter().enumerate() {
        for ball in form.balls(grain.position, grain.rotation, grain.radius) {
            atoms.push(Atom {
                radius: ball.radius,
                density: DENSITY,
                position: ball.centre.into(),
                velocity: grain.velocity.into(),
                spin: [0.0; 3],
                molecule: n + 1,
            });
        }
        let turn = grain.rotation.to_rotation_matrix();
        let own = Matrix3::from_diagonal(&Vector3::from(grain.moments()));
        let i = turn * own * turn.transpose();
        let ([x, y, z], [u, v, w]): ([f64; 3], [f64; 3]) =
            (grain.position.into(), grain.velocity.into());
        let (xx, yy, zz, xy, xz, yz) = (i.m11, i.m22, i.m33, i.m12, i.m13, i.m23);
        let mass = grain.mass;
        writeln!(
            bodies,
            "{} {mass} {x} {y} {z} {xx} {yy} {zz} {xy} {xz} {yz} {u} {v} {w} 0 0 0 0 0 0",
            n + 1
        )?;
    }
    std::fs::write(place.folder.join("clumps.bodies"), bodies)?;
    let file = place.folder.join("clumps.data");
    data(&file, &atoms, 1, [0.0, 0.0, -0.001], [WIDTH, WIDTH, 0.32])?;
    let variables = [
        ("init", "clumps.data".into()),
        ("bodies", "clumps.bodies".into()),
        ("width", WIDTH.to_string()),
        ("steps", STEPS.to_string()),
    ];
    let told = place.lammps.run(&place.folder, "clumps", &variables)?;
    Ok(told.last_loop(0.2))
}

pub fn job(_: &Place) -> Fallible<Job> {
    Ok(Job {
        peer: Box::new(peer),
        ours: vec![
            (
                "1e-5 s",
                Box::new(|_, seed| {
                    let mut setup = setup(seed)?;
                    setup.motion.step = Some(STEP);
                    ours::from_time_0(setup)
                }),
            ),
            (
                "own step",
                Box::new(|_, seed| ours::from_time_0(setup(seed)?)),
            ),
        ],
    })
}
