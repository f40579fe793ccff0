//! Cost by the share of grains that move: disks in two compartments, of which one is shaken and what is in the other
//! stands still (`[morph]`).

use arenite::body::Grain;
use arenite::geometry::Planar;
use arenite::scenario::AnySetup;
use arenite::system::Setup;
use arenite::walls::shapes;
use arenite::walls::{Motion, Shape};
use nalgebra::Vector2;

use super::ours::{self, Marks};
use super::size::{PITCH, RADIUS, STEP, setup};
use super::{Fallible, spread};

/// Until what will come to rest has done so, and then measured, s.
const REST: f64 = 1.2;
const MEASURED: f64 = 0.2;
/// Rows of the series while it is measured.
const ROWS: usize = 10;

/// A compartment of some `count` disks from `left` on, in rows that lie in each other's gaps, with so much room beside them.
fn compartment(
    left: f64,
    count: u64,
    room: f64,
    motion: Motion<Planar>,
    grains: &mut Vec<Grain<Planar>>,
) -> (Shape<Planar>, Motion<Planar>) {
    let columns = count.isqrt().max(10);
    let rows = (count as f64 / (columns as f64 - 0.5)).round() as u64;
    let right = left + 2.0 * RADIUS + (columns - 1) as f64 * PITCH + room;
    let up = PITCH * 0.75_f64.sqrt();
    let top = 10.0 * RADIUS + rows as f64 * up;
    for row in 0..rows {
        let short = row % 2;
        for n in 0..columns - short {
            let x = left + RADIUS + (n as f64 + 0.5 * short as f64) * PITCH;
            let place = Vector2::new(x, RADIUS + row as f64 * up);
            grains.push(Grain::new(grains.len() as u32, 0, RADIUS, 1190.0, place));
        }
    }
    let corners = [(left, 0.0), (right, 0.0), (right, top), (left, top)];
    let points = corners.map(|(x, y)| Vector2::new(x, y)).to_vec();
    let closed = true;
    (Shape::Polyline(shapes::Polyline { points, closed }), motion)
}

/// Some `count` disks, and how many of them are shaken.
fn two(count: u64, share: f64) -> Fallible<(Setup<Planar>, u64)> {
    let wanted = (count as f64 * share).round() as u64;
    let mut grains = Vec::new();
    let mut walls = Vec::new();
    if wanted < count {
        let still = compartment(0.0, count - wanted, 0.0, Motion::Fixed, &mut grains);
        walls.push(still);
    }
    let motion = Motion::Harmonic {
        amplitude: Vector2::new(0.004, 0.0),
        frequency: 20.0,
        phase: 0.0,
    };
    let left = count.isqrt() as f64 * PITCH + 0.2;
    let before = grains.len();
    let room = 6.0 * RADIUS;
    walls.push(compartment(left, wanted, room, motion, &mut grains));
    let shaken = (grains.len() - before) as u64;
    let AnySetup::Planar(fill) = ours::scenario("silo-fill", &[])? else {
        return Err("a planar scenario".into());
    };
    let finish = REST + MEASURED;
    let setup = setup(
        grains,
        walls,
        finish,
        MEASURED / ROWS as f64,
        fill.models.morph,
    );
    Ok((setup, shaken))
}

pub fn table(count: u64, pairs: u64) -> Fallible {
    println!(
        "disks that are shaken: processor time a simulated second; ns for each of them and step"
    );
    for share in [0.01, 0.03, 0.1, 0.3, 1.0] {
        let (mut costs, mut tells) = (Vec::new(), String::new());
        let mut each = f64::NAN;
        for _ in 0..pairs {
            let (setup, shaken) = two(count, share)?;
            let all = setup.grains.len();
            let (marks, _, end) = ours::run(setup, Marks::default())?;
            let from = marks.rows.iter().rfind(|(time, _)| *time < REST + 1e-9);
            let (time, begin) = *from.ok_or("no row")?;
            costs.push((end - begin) / (REST + MEASURED - time));
            each = 1e9 * STEP / shaken as f64;
            let stepped: u64 = marks.moving.iter().rev().take(ROWS).sum();
            tells = format!("{shaken} of {all}, {} stepped", stepped / ROWS as u64);
        }
        let [median, least, greatest] = spread(&costs);
        let each = median * each;
        println!("{tells}: {median:.2} s ({least:.2} to {greatest:.2}); {each:.1} ns");
    }
    Ok(())
}
