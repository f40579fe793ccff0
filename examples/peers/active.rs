//! Cost by the share of grains that move: a lattice of disks in two compartments of one width, of which one is shaken and the
//! other stands still.

use arenite::body::{Grain, Motion, Shape};
use arenite::geometry::Planar;
use arenite::system::{MorphSetup, Setup};
use nalgebra::Vector2;

use super::ours::{self, Marks};
use super::size::{PITCH, RADIUS, STEP, setup};
use super::{Fallible, spread};

/// Until it has come to rest what will, and then measured, s.
const REST: f64 = 0.2;
const MEASURED: f64 = 0.1;

/// A compartment of columns from `left` on.
fn compartment(
    left: f64,
    columns: u64,
    rows: u64,
    motion: Motion<Planar>,
    grains: &mut Vec<Grain<Planar>>,
) -> (Shape<Planar>, Motion<Planar>) {
    let right = left + 2.0 * RADIUS + (columns - 1) as f64 * PITCH;
    let top = 4.0 * RADIUS + (rows - 1) as f64 * PITCH;
    for n in 0..columns * rows {
        let (x, y) = ((n % columns) as f64 * PITCH, (n / columns) as f64 * PITCH);
        let place = Vector2::new(left + RADIUS + x, RADIUS + y);
        grains.push(Grain::new(grains.len() as u32, 0, RADIUS, 1190.0, place));
    }
    let corners = [(left, 0.0), (right, 0.0), (right, top), (left, top)];
    let points = corners.map(|(x, y)| Vector2::new(x, y)).to_vec();
    let closed = true;
    (Shape::Polyline { points, closed }, motion)
}

/// As many disks as there are whole columns for; how many of them are shaken.
fn two(count: u64, share: f64) -> Fallible<(Setup<Planar>, u64)> {
    let side = count.isqrt();
    let shaken = ((side as f64 * share).round() as u64).clamp(1, side);
    let mut grains = Vec::new();
    let still = side - shaken;
    let mut walls = Vec::new();
    if still > 0 {
        walls.push(compartment(0.0, still, side, Motion::Fixed, &mut grains));
    }
    let motion = Motion::Harmonic {
        amplitude: Vector2::new(0.002, 0.0),
        frequency: 20.0,
        phase: 0.0,
    };
    let left = side as f64 * PITCH + 0.2;
    walls.push(compartment(left, shaken, side, motion, &mut grains));
    let morph = match ours::scenario("silo-fill", &[])? {
        arenite::scenario::AnySetup::Planar(setup) => setup.morph,
        arenite::scenario::AnySetup::Spatial(_) => None::<MorphSetup>,
    };
    let finish = REST + MEASURED;
    let setup = setup(grains, walls, finish, MEASURED, morph);
    Ok((setup, shaken * side))
}

pub fn table(count: u64, pairs: u64) -> Fallible {
    println!(
        "disks that are shaken: processor time a simulated second; ns for each of them and step"
    );
    for share in [0.01, 0.03, 0.1, 0.3, 1.0] {
        let (mut costs, mut moving, mut stepped) = (Vec::new(), 0, 0.0);
        for _ in 0..pairs {
            let (setup, shaken) = two(count, share)?;
            let (marks, summary, end) = ours::run(setup, Marks::default())?;
            let (time, begin) = marks
                .rows
                .iter()
                .rev()
                .find(|(t, _)| *t < REST + 0.5 * MEASURED)
                .copied()
                .ok_or("no row")?;
            costs.push((end - begin) / (REST + MEASURED - time));
            moving = shaken;
            stepped = summary.work.grain_steps as f64
                / summary.work.grain_steps_if_all_stepped.max(1) as f64;
        }
        let [median, least, greatest] = spread(&costs);
        let each = 1e9 * STEP / moving as f64;
        println!(
            "{moving} of {count} ({stepped:.3} of all grain-steps): {median:.2} s ({least:.2} to {greatest:.2}); {:.1} ns",
            median * each
        );
    }
    Ok(())
}
