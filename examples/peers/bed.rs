//! Spheres in a box with a floor and four walls, settled or dropping; the law of `gran/hooke/history`, whose dampers go with
//! the mass. The settled bed is made once by Arenite (with drag, a longer step) and given to both; neither knows
//! the springs of friction that it had.

use std::path::Path;

use arenite::body::Grain;
use arenite::geometry::{Spatial, Vector};
use arenite::scenario::AnySetup;
use arenite::system::Setup;
use nalgebra::Vector3;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::lammps::{Atom, data};
use super::ours::{self, Marks};
use super::{Fallible, Job, Place, Run};

const RADIUS: f64 = 0.005;
const DENSITY: f64 = 2500.0;
const STEP: f64 = 6.4e-6;
/// Width of a cell of the lattice from which spheres drop, m.
const CELL: f64 = 0.0104;

/// Columns of the lattice.
fn columns(count: u64) -> [u64; 2] {
    if count > 20_000 { [100, 40] } else { [20, 20] }
}

fn widths(count: u64) -> [f64; 2] {
    columns(count).map(|n| n as f64 * CELL)
}

/// The box without grains.
fn empty(count: u64) -> Fallible<Setup<Spatial>> {
    let [width, depth] = widths(count);
    let walls = [
        ([0.0, 0.0], [0.0, 0.0, 1.0]),
        ([0.0, 0.0], [1.0, 0.0, 0.0]),
        ([width, 0.0], [-1.0, 0.0, 0.0]),
        ([0.0, 0.0], [0.0, 1.0, 0.0]),
        ([0.0, depth], [0.0, -1.0, 0.0]),
    ];
    let mut text = String::from(
        "name = 'bed'\ndescription = 'spheres in a box'\ndimension = 3\n[field]\ngravity = [0.0, 0.0, -9.81]\n\
         [run]\nend_time = 1.0\n[log]\nseries = 0.032\ncheckpoint = 'never'\nsnapshots = 'never'\n\
         [material.bead]\ndensity = 2500.0\n[material.wall]\n",
    );
    for pair in ["bead", "wall"] {
        text += &format!(
            "[[law]]\nbetween = ['bead', '{pair}']\n[law.linear]\nnormal_stiffness = 1e5\n\
             tangential_stiffness = 2.857142857e4\nnormal_damping = 2788.9\ntangential_damping = 1394.45\n\
             friction = 0.5\nper_mass = true\n"
        );
    }
    for (k, ([x, y], normal)) in walls.iter().enumerate() {
        text += &format!(
            "[[boundary]]\nname = 'wall-{k}'\nmaterial = 'wall'\n\
             plane = {{ point = [{x:?}, {y:?}, 0.0], normal = {normal:?} }}\n"
        );
    }
    // Two grains: a law of a pair that cannot meet would be left out.
    text += "[[fill]]\nmaterial = 'bead'\n[fill.lattice]\ncount = 2\nradius = 0.005\nmin = [0.01, 0.01, 0.1]\n\
             max = [0.05, 0.05, 0.2]\n";
    match ours::written(&text)? {
        AnySetup::Spatial(setup) => Ok(setup),
        AnySetup::Planar(_) => Err("a box in space".into()),
    }
}

/// A shaken lattice of spheres that move at random.
fn lattice(count: u64) -> Vec<Grain<Spatial>> {
    let mut random = ChaCha8Rng::seed_from_u64(7);
    let [nx, ny] = columns(count);
    let slack = 0.95 * (0.5 * CELL - RADIUS);
    let grain = |n: u64| {
        let cell = [n % nx, n / nx % ny, n / (nx * ny)];
        let mut draw = || random.random_range(-1.0..1.0);
        let place = Vector3::from_fn(|k, _| (cell[k] as f64 + 0.5) * CELL + slack * draw());
        let mut grain = Grain::new(n as u32, 0, RADIUS, DENSITY, place);
        grain.velocity = <Vector3<f64> as Vector>::from_fn(|_| 0.1 * draw());
        grain
    };
    (0..count).map(grain).collect()
}

/// A box with these grains, of the material of the grain that stood for them.
fn filled(grains: &[Grain<Spatial>]) -> Fallible<Setup<Spatial>> {
    let mut setup = empty(grains.len() as u64)?;
    let material = setup.grains.first().ok_or("the grain is lost")?.material;
    setup.grains = grains.to_vec();
    for grain in &mut setup.grains {
        grain.material = material;
    }
    Ok(setup)
}

/// Grains in a file: nine numbers a line.
fn load(path: &Path) -> Fallible<Vec<Grain<Spatial>>> {
    let text = std::fs::read_to_string(path)?;
    let mut grains = Vec::new();
    for line in text.lines() {
        let v: Vec<f64> = line.split(',').map(str::parse).collect::<Result<_, _>>()?;
        let three = |k: usize| Vector3::new(v[k], v[k + 1], v[k + 2]);
        let mut grain = Grain::new(grains.len() as u32, 0, RADIUS, DENSITY, three(0));
        (grain.velocity, grain.spin) = (three(3), three(6));
        grains.push(grain);
    }
    Ok(grains)
}

/// The settled bed, made if it is not there. Ten times as many are ten of it, mirrored at the walls between them.
fn bed(place: &Place, count: u64) -> Fallible<Vec<Grain<Spatial>>> {
    if count > 20_000 {
        let one = bed(place, count / 10)?;
        let mut all = Vec::new();
        let [width, depth] = widths(count / 10);
        for (k, grain) in (0..10).flat_map(|k| one.iter().map(move |grain| (k, grain))) {
            let mut grain = *grain;
            for (axis, (number, length)) in [(k % 5, width), (k / 5, depth)].into_iter().enumerate()
            {
                let x = &mut grain.position[axis];
                if number % 2 == 1 {
                    *x = length - *x;
                    grain.velocity[axis] *= -1.0;
                    // A mirrored spin keeps its component across the mirror.
                    grain.spin[(axis + 1) % 3] *= -1.0;
                    grain.spin[(axis + 2) % 3] *= -1.0;
                }
                *x += f64::from(number) * length;
            }
            grain.id = all.len() as u32;
            all.push(grain);
        }
        return Ok(all);
    }
    let path = place.folder.join(format!("bed-{count}.csv"));
    if !path.exists() {
        let mut setup = filled(&lattice(count))?;
        (setup.fields.drag, setup.run.end_time, setup.motion.step) = (0.02, 0.5, Some(2e-5));
        setup.log.snapshots = Some(setup.run.end_time);
        let keep = Marks {
            keep: true,
            ..Default::default()
        };
        let (marks, ..) = ours::run(setup, keep)?;
        let mut text = String::new();
        for row in marks.snapshots.last().into_iter().flatten() {
            let numbers = row.position.iter().chain(&row.velocity).chain(&row.spin);
            let words: Vec<String> = numbers.map(f64::to_string).collect();
            text += &(words.join(",") + "\n");
        }
        std::fs::write(&path, text)?;
    }
    load(&path)
}

fn peer(place: &Place, grains: &[Grain<Spatial>], steps: u64, skin: f64) -> Fallible<Run> {
    let count = grains.len() as u64;
    let atoms: Vec<Atom> = grains.iter().map(Atom::of).collect();
    let top = atoms.iter().fold(0.0_f64, |top, a| top.max(a.position[2])) + 0.05;
    let [width, depth] = widths(count);
    let file = place.folder.join("bed.data");
    data(&file, &atoms, 1, [0.0, 0.0, -0.001], [width, depth, top])?;
    let variables = [
        ("init", "bed.data".into()),
        ("width", width.to_string()),
        ("depth", depth.to_string()),
        ("steps", steps.to_string()),
        ("skin", skin.to_string()),
    ];
    let told = place.lammps.run(&place.folder, "box", &variables)?;
    Ok(told.last_loop(1.0))
}

fn run(grains: &[Grain<Spatial>], steps: u64, own: bool) -> Fallible<Run> {
    let mut setup = filled(grains)?;
    setup.run.end_time = steps as f64 * STEP;
    if !own {
        setup.motion.step = Some(STEP);
    }
    ours::from_time_0(setup)
}

fn both(grains: Vec<Grain<Spatial>>, steps: u64, skin: f64) -> Job {
    let (equal, own) = (grains.clone(), grains.clone());
    Job {
        peer: Box::new(move |place, _| peer(place, &grains, steps, skin)),
        ours: vec![
            ("6.4e-6 s", Box::new(move |_, _| run(&equal, steps, false))),
            ("own step", Box::new(move |_, _| run(&own, steps, true))),
        ],
    }
}

/// All grains are stepped all the time.
pub fn settled(place: &Place, count: u64) -> Fallible<Job> {
    let usual = if count > 20_000 { 1000 } else { 5000 };
    let steps = place.first.unwrap_or(usual);
    Ok(both(bed(place, count)?, steps, 0.0006))
}

/// 0.16 s, if not told otherwise.
pub fn dropping(place: &Place, count: u64) -> Fallible<Job> {
    Ok(both(lattice(count), place.first.unwrap_or(25_000), 0.001))
}
