//! Bonded beams, disks and columns of the scenarios against structural mechanics.

use nalgebra::{DMatrix, DVector};

use arenite::record::{BodyRef, GrainRow};
use arenite::system::Setup;

use crate::setups::planar;
use crate::support::{close, driven, run};

/// Disks of the cantilever, and those between its plates.
const DISKS: usize = 26;
const HELD: usize = 6;
const RADIUS: f64 = 0.01;
const LENGTH: f64 = 2.0 * RADIUS;

/// Stiffness matrix of the cantilever: Timoshenko's elements between the disks, plates that give way as contacts do. Deflections and
/// rotations alternate.
fn stiffness() -> DMatrix<f64> {
    let (young, poisson, plates) = (3e8, 0.2, 1e8);
    let (area, moment) = (2.0 * RADIUS, 2.0 / 3.0 * RADIUS.powi(3));
    let shear = 10.0 * (1.0 + poisson) / (12.0 + 11.0 * poisson) * young / (2.0 * (1.0 + poisson));
    let l = LENGTH;
    let f = 12.0 * young * moment / (shear * area * l * l);
    let scale = young * moment / (l * l * l * (1.0 + f));
    let element = [
        [12.0, 6.0 * l, -12.0, 6.0 * l],
        [6.0 * l, (4.0 + f) * l * l, -6.0 * l, (2.0 - f) * l * l],
        [-12.0, -6.0 * l, 12.0, -6.0 * l],
        [6.0 * l, (2.0 - f) * l * l, -6.0 * l, (4.0 + f) * l * l],
    ];
    let mut all = DMatrix::zeros(2 * DISKS, 2 * DISKS);
    for first in 0..DISKS - 1 {
        for (i, row) in element.iter().enumerate() {
            for (j, entry) in row.iter().enumerate() {
                all[(2 * first + i, 2 * first + j)] += scale * entry;
            }
        }
    }
    for held in 0..HELD {
        all[(2 * held, 2 * held)] += plates;
    }
    all
}

fn mass() -> f64 {
    2500.0 * std::f64::consts::PI * RADIUS * RADIUS
}

fn tip(setup: &Setup<arenite::geometry::Planar>) -> f64 {
    let (system, _) = run(setup);
    system.grains_at(setup.run.end_time)[DISKS - 1].position[1]
}

#[test]
fn a_cantilever_sags_as_the_beam_of_theory() {
    let load = DVector::from_fn(
        2 * DISKS,
        |k, _| if k % 2 == 0 { -9.81 * mass() } else { 0.0 },
    );
    let bent = stiffness().lu().solve(&load).expect("a solution");
    let wanted = bent[2 * (DISKS - 1)];
    assert!((-0.01..-0.003).contains(&wanted), "{wanted}");
    close("deflection", tip(&planar("beam", &[])) / wanted, 1.0, 1e-3);
}

/// Without drag the weight that is put on at time 0 lets the beam swing about its sag: its first mode is the farthest down after half a
/// period.
#[test]
fn a_cantilever_swings_at_its_first_frequency() {
    let inertia = 0.5 * mass() * RADIUS * RADIUS;
    let root = |k: usize| if k.is_multiple_of(2) { mass() } else { inertia }.sqrt();
    let stiffness = stiffness();
    let modes = DMatrix::from_fn(2 * DISKS, 2 * DISKS, |i, j| {
        stiffness[(i, j)] / (root(i) * root(j))
    })
    .symmetric_eigen();
    let first = modes.eigenvalues.imin();
    let half = std::f64::consts::PI / modes.eigenvalues[first].sqrt();
    let end = format!("run.end_time={:?}", 1.2 * half);
    let (_, sink) = run(&planar(
        "beam",
        &[
            "field.drag=0",
            "law[0].bond.damping=0",
            "log.snapshots=1e-3",
            &end,
        ],
    ));
    let amplitude = |grains: &[GrainRow]| {
        let parts = grains.iter().enumerate().map(|(k, grain)| {
            let part = |of: usize, x: f64| root(of) * modes.eigenvectors[(of, first)] * x;
            part(2 * k, grain.position[1]) + part(2 * k + 1, grain.rotation[0])
        });
        parts.sum::<f64>().abs()
    };
    let swing: Vec<f64> = sink
        .snapshots
        .iter()
        .map(|(grains, _)| amplitude(grains))
        .collect();
    let greatest = (0..swing.len()).max_by(|&a, &b| swing[a].total_cmp(&swing[b]));
    let row = greatest.expect("rows");
    // Between snapshots by the parabola through three.
    let [a, b, c] = [swing[row - 1], swing[row], swing[row + 1]];
    let time = sink.snapshots[row].0[0].time + 1e-3 * 0.5 * (a - c) / (a - 2.0 * b + c);
    close("half a period", time / half, 1.0, 2e-3);
}

/// A disk on the densest lattice between two plates that press it with a force (Hertz 1883; the Brazilian test): at its centre it is drawn
/// across them by 2 P / (pi D) and pressed along them by three times that, whatever its elastic constants.
#[test]
fn a_pressed_disk_has_the_stresses_of_theory() {
    const LOAD: f64 = 100.0;
    const PART: f64 = 2e-3;
    // One grain is in the uppermost row, the 14th: where the plates touch it.
    let highest = (14.0 * 3.0_f64.sqrt() + 1.0) * PART;
    let text = format!(
        "name = \"disk\"\ndimension = 2\n[field]\ndrag = 20.0\n[run]\nend_time = 0.08\n[log]\nseries = 0.02\nsnapshots = 0.08\n\
         [material.rock]\ndensity = 2500.0\n[material.steel]\n\
         [[law]]\nbetween = [\"rock\", \"rock\"]\nlinear = {{ normal_stiffness = 1e3, tangential_stiffness = 0.0, normal_damping = 1.0, \
         tangential_damping = 0.0, friction = 0.0 }}\n[law.bond]\ngap = 1e-6\nbeam = {{ young = 1e7 }}\ndamping = 0.1\n\
         [[law]]\nbetween = [\"rock\", \"steel\"]\nlinear = {{ normal_stiffness = 1e7, tangential_stiffness = 0.0, normal_damping = 300.0, \
         tangential_damping = 0.0, friction = 0.0 }}\n\
         [[boundary]]\nname = \"lower\"\nmaterial = \"steel\"\nplane = {{ point = [0.0, {:?}], normal = [0.0, 1.0] }}\n\
         [[boundary]]\nname = \"upper\"\nmaterial = \"steel\"\nplane = {{ point = [0.0, {:?}], normal = [0.0, -1.0] }}\n\
         [boundary.motion.guided]\nalong = [0.0, -1.0]\nmass = 1.0\nweight = false\nforce = {LOAD:?}\ndamping = 3000.0\n\
         [shape.disk]\nbonded = true\npacked = {{ ball = {:?}, radius = {PART:?} }}\n\
         [[fill]]\nmaterial = \"rock\"\nshape = \"disk\"\ngrains = [{{ position = [0.0, 0.0] }}]\n",
        -highest,
        highest,
        highest + 1e-5
    );
    let (sink, summary) = driven(&text).expect("to run");
    assert!(summary.energy.kinetic < 1e-6 * summary.energy.elastic_bonds);
    let (grains, links) = sink.snapshots.last().expect("snapshots");
    let place = |body: BodyRef| match body {
        BodyRef::Grain(id) => Some(grains[id as usize].position),
        _ => None,
    };
    // Of grains about the centre, by the branches of their links, each half; a grain has its cell of the lattice.
    let near = |x: [f64; 3]| x[0].hypot(x[1]) < 0.25 * highest;
    let mut stress = [0.0; 2];
    for link in links {
        let (Some(a), Some(b)) = (place(link.body_a), place(link.body_b)) else {
            continue;
        };
        let share = [a, b].into_iter().filter(|x| near(*x)).count() as f64;
        for (k, sum) in stress.iter_mut().enumerate() {
            let on_a = link.tangential_force[k] - link.normal_force * link.normal[k];
            *sum += 0.5 * share * on_a * (b[k] - a[k]);
        }
    }
    let count = grains.iter().filter(|grain| near(grain.position)).count() as f64;
    let area = count * 2.0 * 3.0_f64.sqrt() * PART * PART;
    let tension = 2.0 * LOAD / (std::f64::consts::PI * 2.0 * highest);
    close("across", stress[0] / (area * tension), 1.0, 0.05);
    close("along", stress[1] / (area * tension), -3.0, 0.15);
}
