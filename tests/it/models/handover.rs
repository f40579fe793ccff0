//! From motion to equilibrium: forces go over as they are, and increments agree with the dynamics.

use std::sync::atomic::AtomicBool;

use arenite::geometry::Planar;
use arenite::record::NullSink;
use arenite::scenario::{AnySetup, Override, Scenario};
use arenite::stress::Dense;
use arenite::system::{Control, Handover, Setup, System};

/// Disks that have come to rest in a box, by the laws of the hopper.
const BOX: &str = r#"
name = "box"
dimension = 2
[field]
gravity = [0.0, -9.8]
[run]
end_time = 3.0
[log]
series = "never"
snapshots = "never"
checkpoint = "never"
events = "none"
[morph]
rigid = false
[[boundary]]
name = "box"
material = "thesis-wall"
box = { min = [0.0, 0.0], max = [0.11, 1.0], grains = "inside" }
[[fill]]
material = "thesis-disk"
[fill.lattice]
count = 40
radius = { mean = 0.01, spread = 0.05 }
min = [0.0, 0.0]
max = [0.11, 0.5]
jitter = 1.0
speed = 0.1
"#;

fn box_of_disks() -> Setup<Planar> {
    let scenario = Scenario::parse("box", BOX, None, &[] as &[Override]).expect("it is sound");
    match scenario.resolve().expect("it resolves").setup {
        AnySetup::Planar(setup) => setup,
        AnySetup::Spatial(_) => panic!("the box is planar"),
    }
}

fn run(system: &mut System<Planar>) {
    let never = AtomicBool::new(false);
    let mut control = Control::new(&never);
    system
        .run(&mut NullSink, &mut control)
        .expect("the run goes through");
}

/// The bed at rest, and the same bed at rest again under a little more gravity.
fn before_and_after(more: f64) -> (System<Planar>, System<Planar>) {
    let mut setup = box_of_disks();
    let mut first = System::new(setup.clone()).expect("it starts");
    run(&mut first);
    setup.run.end_time += 3.0;
    let mut again = System::restore(setup.clone(), &first.save().unwrap()).expect("it goes on");
    again.extend(setup.run.end_time);
    setup.fields.gravity *= 1.0 + more;
    let mut second = System::restore(setup.clone(), &first.save().unwrap()).expect("it goes on");
    second.extend(setup.run.end_time);
    run(&mut second);
    run(&mut again);
    (again, second)
}

/// Increments of the forces of all links under a load: normal, and tangential on the first node.
fn increments(from: &Handover<Planar>, load: &[f64]) -> Vec<(f64, nalgebra::Vector2<f64>)> {
    // A disk on a single contact may roll without strain: no force of a bed at rest drives that
    // motion, so it is left out, by eigenvectors.
    let eigen = nalgebra::SymmetricEigen::new(Dense::stiffness(&from.network));
    let stiffest = eigen.eigenvalues.max();
    let load = nalgebra::DVector::from_column_slice(load);
    let mut u = nalgebra::DVector::zeros(from.network.len());
    for (value, vector) in eigen
        .eigenvalues
        .iter()
        .zip(eigen.eigenvectors.column_iter())
    {
        if *value > 1e-12 * stiffest {
            u += vector * (vector.dot(&load) / value);
        }
    }
    let u = u.as_slice();
    let m = from.network.per_node();
    from.network
        .links()
        .iter()
        .map(|link| {
            let of = |node| from.network.row(node).map(|row| &u[row * m..(row + 1) * m]);
            let element = arenite::stress::Element::new(link, from.network.freedom());
            let strain = element.strain(of(link.a), of(link.b));
            let across = nalgebra::Vector2::new(-link.normal.y, link.normal.x);
            (link.kn * strain[0], across * (-link.kt * strain[1]))
        })
        .collect()
}

#[test]
fn a_bed_at_rest_asks_for_no_increments() {
    let (rest, _) = before_and_after(1e-4);
    let handover = rest.handover();
    let greatest = handover.forces.iter().map(|f| f.0).fold(0.0, f64::max);
    for (normal, tangential) in increments(&handover, &handover.load) {
        // What moves still dies out by dampers: over six seconds, thousands of contact times, to
        // less than this part of the forces.
        assert!(normal.abs() < 1e-9 * greatest, "{normal:e} of {greatest:e}");
        assert!(
            tangential.norm() < 1e-9 * greatest,
            "{:e}",
            tangential.norm()
        );
    }
}

#[test]
fn increments_are_those_of_the_dynamics_while_no_link_slips() {
    let more = 1e-4;
    let (rest, heavier) = before_and_after(more);
    let (from, to) = (rest.handover(), heavier.handover());
    assert_eq!(from.bodies, to.bodies, "the same contacts");
    let m = from.network.per_node();
    let mut load = from.load.clone();
    for (row, chunk) in load.chunks_mut(m).enumerate() {
        let weight = rest.grains_at(rest.time())[row].mass * rest.setup().fields.gravity.y;
        chunk[1] += more * weight;
    }
    let (mut off, mut size) = (0.0, 0.0);
    for (k, (normal, tangential)) in increments(&from, &load).into_iter().enumerate() {
        let (dn, dt) = (
            to.forces[k].0 - from.forces[k].0,
            to.forces[k].1 - from.forces[k].1,
        );
        off += (normal - dn).powi(2) + (tangential - dt).norm_squared();
        size += dn * dn + dt.norm_squared();
    }
    let ratio = (off / size).sqrt();
    assert!(ratio < 0.02, "increments are off by {ratio}");
}

#[test]
fn a_total_load_from_unstressed_links_invents_other_forces() {
    let (rest, _) = before_and_after(1e-4);
    let from = rest.handover();
    let m = from.network.per_node();
    let mut load = vec![0.0; from.network.len()];
    for (row, chunk) in load.chunks_mut(m).enumerate() {
        chunk[1] = rest.grains_at(rest.time())[row].mass * rest.setup().fields.gravity.y;
    }
    let (mut off, mut size) = (0.0, 0.0);
    for ((normal, tangential), (n, t)) in increments(&from, &load).into_iter().zip(&from.forces) {
        off += (normal - n).powi(2) + (tangential - t).norm_squared();
        size += n * n + t.norm_squared();
    }
    let ratio = (off / size).sqrt();
    // Both balance the weight; how the forces share it is history (docs/validation.md).
    assert!(ratio > 0.05, "history makes no difference: {ratio}");
    println!(
        "a total load is off by {:.1} % of the forces",
        100.0 * ratio
    );
}
