//! Grains at rest in periodic boxes: a bed across the border stands as one in the midst of the box, and as one that is stepped.

use std::collections::BTreeMap;

use arenite::record::{BodyRef, GrainRow, MemorySink, Regime};

use super::laws_asleep::{laws, linear, outcome};
use crate::support::Dice;

const GRAVITY: f64 = 9.81;
const LONG: f64 = 0.2;
const MIDST: f64 = 0.1;

fn vector(dimension: usize, x: f64, y: f64, z: f64) -> String {
    match dimension {
        2 => format!("[{x:?}, {z:?}]"),
        _ => format!("[{x:?}, {y:?}, {z:?}]"),
    }
}

/// A body in the middle of a floor, at `at` along the periodic directions, and these grains: positions relative to it, and radii.
fn scene(dimension: usize, at: f64, slope: f64, grains: &[([f64; 3], f64)], more: &str) -> String {
    let v = |x, y, z| vector(dimension, x, y, z);
    let wrapped = |x: f64| (x + at).rem_euclid(LONG);
    let mut list = String::new();
    for ([x, y, z], radius) in grains {
        let y = if dimension == 2 { 0.0 } else { wrapped(*y) };
        let place = v(wrapped(*x), y, *z);
        list += &format!("[[fill.grains]]\nposition = {place}\nradius = {radius:?}\n");
    }
    let axes = if dimension == 2 { "x" } else { "xy" };
    let axes: String = axes
        .chars()
        .map(|axis| format!("{axis} = [0.0, {LONG:?}]\n"))
        .collect();
    let centre = v(at, at, -0.01);
    let round = if dimension == 2 { "circle" } else { "sphere" };
    let law = if dimension == 2 {
        laws(&linear(), "rolling = { friction = 0.1, damping = 20.0 }")
    } else {
        laws(
            "hertz = { restitution = 0.1, friction = 0.5 }",
            "rolling = { friction = 0.1, damping = 0.05 }",
        )
    };
    format!(
        "name = \"border\"\ndimension = {dimension}\n[field]\ngravity = {}\n[run]\nend_time = 1.8\n[log]\nseries = 0.05\n[morph]\n\
         [periodic]\n{axes}[material.a]\ndensity = 1000.0\nyoung = 5e6\npoisson = 0.25\n[material.w]\nyoung = 5e6\npoisson = 0.25\n{law}\
         [[boundary]]\nname = \"floor\"\nmaterial = \"w\"\nplane = {{ point = {}, normal = {} }}\n\
         [[boundary]]\nname = \"body\"\nmaterial = \"w\"\n{round} = {{ centre = {centre}, radius = 0.03, grains = \"outside\" }}\n\
         [[fill]]\nmaterial = \"a\"\n{list}{more}",
        v(GRAVITY * slope.sin(), 0.0, -GRAVITY * slope.cos()),
        v(0.0, 0.0, 0.0),
        v(0.0, 0.0, 1.0),
    )
}

/// Grains above the floor that will fall, with one that comes when the others lie.
fn heap(dimension: usize) -> Vec<([f64; 3], f64)> {
    let mut dice = Dice(5);
    let (rows, layers) = if dimension == 2 { (1, 3) } else { (4, 2) };
    let mut grains = Vec::new();
    for layer in 0..layers {
        for j in 0..rows {
            for i in 0..4 {
                let mut off = || 0.004 * (dice.roll() - 0.5);
                let [x, y] = [i, j].map(|k| -0.045 + 0.03 * f64::from(k) + off());
                let z = 0.036 + 0.024 * f64::from(layer) + off();
                grains.push(([x, y, z], 0.01 + 0.1 * off()));
            }
        }
    }
    grains.push(([0.002, 0.003, 0.3], 0.01));
    grains
}

fn still(records: &MemorySink) -> f64 {
    let (grains, _) = records.snapshots.last().unwrap();
    let stands = |g: &&GrainRow| [Regime::Rest, Regime::Rigid].contains(&g.regime);
    grains.iter().filter(stands).count() as f64 / grains.len() as f64
}

/// Force of walls on all grains at the end over their weight.
fn borne(records: &MemorySink) -> [f64; 3] {
    let (grains, links) = records.snapshots.last().unwrap();
    let weight = GRAVITY * grains.iter().map(|g| g.mass).sum::<f64>();
    let mut sum = [0.0; 3];
    for link in links
        .iter()
        .filter(|link| matches!(link.body_b, BodyRef::Boundary(_)))
    {
        for (k, sum) in sum.iter_mut().enumerate() {
            *sum += (link.tangential_force[k] - link.normal_force * link.normal[k]) / weight;
        }
    }
    sum
}

/// Normal force of each link at the end, by its bodies, over the mean weight; and each position relative to a point of the box.
type End = (BTreeMap<[i64; 2], f64>, Vec<[f64; 3]>);

fn end(records: &MemorySink, at: f64, dimension: usize) -> End {
    let (grains, links) = records.snapshots.last().unwrap();
    let mean = GRAVITY * grains.iter().map(|g| g.mass).sum::<f64>() / grains.len() as f64;
    let forces = links.iter().map(|link| {
        let mut key = [link.body_a.code(), link.body_b.code()];
        key.sort_unstable();
        (key, link.normal_force / mean)
    });
    let mut grains: Vec<&GrainRow> = grains.iter().collect();
    grains.sort_by_key(|g| g.grain);
    let relative = |g: &&GrainRow| {
        std::array::from_fn(|k| match k + 1 < dimension {
            true => {
                let d = g.position[k] - at;
                d - LONG * (d / LONG).round()
            }
            false => g.position[k],
        })
    };
    (forces.collect(), grains.iter().map(relative).collect())
}

/// A bed that has come to rest elsewhere goes on in the midst of the box, and across its border, under a gravity that turns slowly.
#[test]
fn a_bed_across_the_border_stands_as_in_the_midst() {
    for dimension in [2, 3] {
        let stepped = ["morph.rigid=false".to_string()];
        let (before, _) = outcome(
            &scene(dimension, MIDST, 0.0, &heap(dimension), ""),
            &stepped,
        );
        let (_, places) = end(&before, MIDST, dimension);
        let mut rows: Vec<&GrainRow> = before.snapshots.last().unwrap().0.iter().collect();
        rows.sort_by_key(|g| g.grain);
        let grains: Vec<_> = places
            .into_iter()
            .zip(&rows)
            .map(|(x, g)| ([x[0], x[1], x[dimension - 1]], g.radius))
            .collect();
        let angle = if dimension == 2 {
            "0.02"
        } else {
            "[0.01, 0.02, 0.0]"
        };
        let tilt =
            format!("[[perturb]]\ntime = 0.5\ntilt = {{ angle = {angle}, duration = 1.0 }}\n");
        for rigid in [false, true] {
            let run = |at: f64| {
                let set = [format!("morph.rigid={rigid}")];
                outcome(&scene(dimension, at, 0.0, &grains, &tilt), &set)
            };
            let (midst, _) = run(MIDST);
            let (forces, places) = end(&midst, MIDST, dimension);
            for at in [0.0, 0.003, LONG - 0.007] {
                let (border, summary) = run(at);
                let case = format!("{dimension}, {at}, {rigid}");
                let stands = still(&border);
                assert!(!rigid || stands > 0.9, "{case}: {stands}");
                assert!(
                    summary.energy.balance_error.abs() < 1e-3,
                    "{case}: {:?}",
                    summary.energy
                );
                let (found, now) = end(&border, at, dimension);
                let far = places
                    .iter()
                    .zip(&now)
                    .flat_map(|(a, b)| (0..3).map(move |k| (a[k] - b[k]).abs()));
                let far = far.fold(0.0, f64::max);
                let off = found
                    .iter()
                    .map(|(key, f)| (f - forces.get(key).unwrap_or(&0.0)).abs());
                let off = off.fold(0.0, f64::max);
                // In space solves end at a twentieth of the load, with an order of sweeps that follows the places of the grains:
                // moved within the midst of the box a bed differs by 3e-6 m and 0.005 as well.
                let rough = rigid && dimension == 3;
                let [way, force] = if rough { [2e-5, 0.05] } else { [1e-9, 1e-5] };
                assert!(far < way, "{case}: {far:e}");
                assert!(off < force, "{case}: {off:e}");
            }
        }
    }
}

#[test]
fn a_bed_in_a_periodic_box_stands_as_stepped() {
    for dimension in [2, 3] {
        for slope in [0.0, 0.08_f64] {
            for seen in [true, false] {
                let text = scene(dimension, 0.0, slope, &heap(dimension), "");
                let (records, summary) = outcome(&text, &[format!("morph.rigid={seen}")]);
                let borne = borne(&records);
                let case = format!(
                    "{dimension}, {slope}, {seen}: {borne:?}, {} still",
                    still(&records)
                );
                let least = if dimension == 2 { 0.9 } else { 0.4 };
                assert!(!seen || still(&records) > least, "{case}");
                assert!((borne[0] + slope.sin()).abs() < 0.01, "{case}");
                assert!((borne[dimension - 1] - slope.cos()).abs() < 0.01, "{case}");
                assert!(
                    summary.energy.balance_error.abs() < 1e-3,
                    "{case}: {:?}",
                    summary.energy
                );
            }
        }
    }
}
