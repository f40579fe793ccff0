//! Coarse-grained fields: sums over space are the totals, and momentum balances at every place.

use std::fs;
use std::sync::atomic::AtomicBool;

use arenite::body::Formed;
use arenite::record::read::Snapshot;
use arenite::record::{
    BodyRef, CellRow, GrainRow, LinkRow, MemorySink, RunFolder, RunMeta, Status,
};
use arenite::scenario::AnySetup;
use arenite::study::coarse::{Contact, Field, Grid, Lattice, Lucy, Particle, Scene, Sums, scene};
use arenite::system::run_meta;
use arenite::system::{Control, Driver, QuasiStatic, Setup};
use arenite::view::{FieldOptions, export_fields};

use crate::cli_tools::{arenite, run_well, said};
use crate::record_sample::{meta, summary};
use crate::records::export::{decode, walk};
use crate::support::*;

/// What is left of the balance of momentum at a place, by component, and how large its terms are: the divergence of
/// the contact pressure, by central differences, less the force of walls and that which grains feel besides.
fn unbalanced(
    kernel: Lucy,
    moment: &Scene,
    place: [f64; 3],
    others: impl Fn(&Field) -> [f64; 3],
) -> ([f64; 3], f64) {
    let n = kernel.dimensions();
    let step = 1e-4 * kernel.reach();
    let mut points = vec![place];
    for axis in 0..n {
        for side in [-step, step] {
            let mut point = place;
            point[axis] += side;
            points.push(point);
        }
    }
    let mut sums = Sums::new(kernel, points).unwrap();
    sums.add(moment).unwrap();
    let fields = sums.fields();
    let here = &fields[0];
    let besides = others(here);
    let (mut left, mut size) = ([0.0; 3], 0.0f64);
    for k in 0..n {
        let mut divergence = 0.0;
        for axis in 0..n {
            let [below, above] = [1 + 2 * axis, 2 + 2 * axis].map(|p| fields[p].contact[axis][k]);
            let slope = (above - below) / (2.0 * step);
            divergence += slope;
            size = size.max(slope.abs());
        }
        left[k] = divergence - here.boundary[k] - besides[k];
        size = size.max(here.boundary[k].abs()).max(besides[k].abs());
    }
    (left, size)
}

/// Momentum balances at all these places to a part of the greatest term of any.
fn balances(
    kernel: Lucy,
    moment: &Scene,
    places: Vec<[f64; 3]>,
    others: impl Fn(usize, &Field) -> [f64; 3],
) {
    let all: Vec<_> = (places.iter().enumerate())
        .map(|(k, place)| unbalanced(kernel, moment, *place, |f| others(k, f)))
        .collect();
    let greatest = all.iter().map(|b| b.1).fold(0.0, f64::max);
    assert!(2 * all.iter().filter(|b| b.1 > 0.01 * greatest).count() > all.len());
    for ((left, _), place) in all.iter().zip(places) {
        for left in left {
            assert!(
                left.abs() <= 1e-6 * greatest,
                "{place:?}: {left} of {greatest}"
            );
        }
    }
}

/// Places all over the grains and around them.
fn strewn(moment: &Scene, dimensions: usize, margin: f64, count: usize) -> Vec<[f64; 3]> {
    let mut dice = Dice(7);
    let mut low = [f64::INFINITY; 3];
    let mut high = [f64::NEG_INFINITY; 3];
    for p in &moment.particles {
        for k in 0..dimensions {
            low[k] = low[k].min(p.position[k] - margin);
            high[k] = high[k].max(p.position[k] + margin);
        }
    }
    let place = |_| {
        std::array::from_fn(|k| match k < dimensions {
            true => dice.between(low[k], high[k]),
            false => 0.0,
        })
    };
    (0..count).map(place).collect()
}

fn snapshot(rows: &(Vec<GrainRow>, Vec<LinkRow>)) -> Snapshot {
    Snapshot {
        number: 0,
        time: rows.0[0].time,
        grains: rows.0.clone(),
        links: rows.1.clone(),
    }
}

/// A quasi-static filling: forces in equilibrium to rounding.
fn filled<D: Formed>(setup: Setup<D>) -> MemorySink {
    let never = AtomicBool::new(false);
    let mut run = QuasiStatic::new(setup, None).unwrap();
    let mut sink = MemorySink::default();
    run.run(&mut sink, &mut Control::new(&never)).unwrap();
    sink
}

/// Momentum balances wherever it is asked, at the walls and beyond them too: in a bed in equilibrium the divergence of
/// the pressure is the force of the walls and the weight. Differences err by the third derivative times a sixth of
/// the step squared: some sixty times 1e-8 of the terms. Forces themselves are right to rounding.
fn beds_balance(name: &str, options: &[&str]) {
    let (sink, meta, gravity) = match embedded(name, options) {
        AnySetup::Planar(setup) => {
            let meta = run_meta(&setup, "");
            let g = setup.fields.gravity;
            (filled(setup), meta, [g.x, g.y, 0.0])
        }
        AnySetup::Spatial(setup) => {
            let meta = run_meta(&setup, "");
            let g = setup.fields.gravity;
            (filled(setup), meta, [g.x, g.y, g.z])
        }
    };
    let last = snapshot(sink.snapshots.last().unwrap());
    assert!(last.links.len() > 100);
    let moment = scene(&last, &meta, Lattice::default());
    let diameter = 2.0 * last.grains[0].radius;
    let kernel = Lucy::new(diameter, meta.dimensions).unwrap();
    let places = strewn(&moment, meta.dimensions, 0.5 * kernel.reach(), 400);
    balances(kernel, &moment, places, |_, f| {
        gravity.map(|g| f.density * g)
    });
}

#[test]
fn momentum_balances_everywhere_in_a_bed_of_disks() {
    beds_balance("silo", &["run.end_time=150.0", "log.snapshots=150.0"]);
}

#[test]
fn momentum_balances_everywhere_in_a_bed_of_spheres() {
    beds_balance("silo-3d", &["run.end_time=150.0", "log.snapshots=150.0"]);
}

/// In motion it is the forces on grains that the divergence and the walls make up, of clumps that touch in several
/// places too.
#[test]
fn momentum_balances_in_a_flow_of_clumps() {
    let setup = planar("hopper-clumps", &["run.end_time=0.3", "log.snapshots=0.3"]);
    let meta = run_meta(&setup, "");
    let (_, sink) = run(&setup);
    let last = snapshot(sink.snapshots.last().unwrap());
    balanced_with_forces(&last, &meta, Lattice::default());
}

/// So it is across the border of a box whose image above slides along, in the plane and in space.
#[test]
fn momentum_balances_across_borders_that_move() {
    let setup = planar("simple-shear", &["run.end_time=0.2", "log.snapshots=0.2"]);
    let (_, sink) = run(&setup);
    let (cell, last) = (
        sink.series.last().unwrap().cell.unwrap(),
        snapshot(sink.snapshots.last().unwrap()),
    );
    assert!(cell.offset.abs() > 0.01);
    balanced_with_forces(&last, &run_meta(&setup, ""), lattice(&cell, 2));
    let setup = spatial(
        "triaxial-cell",
        &["run.end_time=0.04", "log.snapshots=0.04"],
    );
    let (_, sink) = run(&setup);
    let (cell, last) = (
        sink.series.last().unwrap().cell.unwrap(),
        snapshot(sink.snapshots.last().unwrap()),
    );
    balanced_with_forces(&last, &run_meta(&setup, ""), lattice(&cell, 3));
}

fn lattice(cell: &CellRow, dimensions: usize) -> Lattice {
    Lattice {
        lengths: std::array::from_fn(|k| (k < dimensions).then_some(cell.lengths[k])),
        offset: cell.offset,
        ..Lattice::default()
    }
}

fn balanced_with_forces(last: &Snapshot, meta: &RunMeta, lattice: Lattice) {
    let moment = scene(last, meta, lattice);
    // Forces take the place of velocity: the sum of F W is what the field of momentum then tells.
    let mut forces = scene(last, meta, lattice);
    for (particle, grain) in forces.particles.iter_mut().zip(&last.grains) {
        particle.mass = 1.0;
        particle.velocity = [0.0; 3];
        for link in &last.links {
            let sign = match BodyRef::Grain(grain.grain) {
                body if body == link.body_a => 1.0,
                body if body == link.body_b => -1.0,
                _ => continue,
            };
            for (k, sum) in particle.velocity.iter_mut().enumerate() {
                *sum += sign * (link.tangential_force[k] - link.normal_force * link.normal[k]);
            }
        }
    }
    assert!(last.links.len() > 50);
    let kernel = Lucy::new(2.0 * last.grains[0].radius, meta.dimensions).unwrap();
    let places = strewn(&moment, meta.dimensions, 0.0, 200);
    let mut sums = Sums::new(kernel, places.clone()).unwrap();
    sums.add(&forces).unwrap();
    let besides = sums.fields();
    balances(kernel, &moment, places, |k, _| {
        besides[k].momentum.map(|f| -f)
    });
}

fn total(grid: &Grid, fields: &[Field], of: impl Fn(&Field) -> f64) -> f64 {
    grid.cell() * fields.iter().map(of).sum::<f64>()
}

/// Grains and contacts at random, with walls.
fn heap(dimensions: usize, seed: u64) -> Scene {
    let mut dice = Dice(seed);
    let mut vector = |size: f64| {
        let mut v = [0.0; 3];
        v.iter_mut()
            .take(dimensions)
            .for_each(|x| *x = dice.between(-size, size));
        v
    };
    let particles: Vec<Particle> = (0..30)
        .map(|k| Particle {
            position: vector(1.0),
            velocity: vector(2.0),
            mass: 1.0 + 0.1 * f64::from(k),
            volume: 0.01,
        })
        .collect();
    let contacts = (0..40)
        .map(|k| Contact {
            point: vector(1.0),
            first: vector(0.3),
            second: (k % 3 > 0).then(|| vector(0.3)),
            force: vector(5.0),
            sliding: k % 4 == 0,
        })
        .collect();
    Scene {
        particles,
        contacts,
        lattice: Lattice::default(),
    }
}

/// Integrals over space are the totals: mass, volume, momentum, sum of way times force, momentum carried, force of
/// walls, number of contacts. Sums over a grid err as the kernel's spectrum falls: with cells of an eighth of the width in the plane by
/// 1e-7, of a fourth in space by 1e-5 of what is summed.
#[test]
fn integrals_are_the_totals() {
    for (dimensions, cell, off) in [(2, 0.125, 1e-6), (3, 0.25, 2e-5)] {
        let width = 0.4;
        let moment = heap(dimensions, 3);
        let grid = Grid::over([-2.2; 3], [2.2; 3], cell * width, dimensions).unwrap();
        let mut sums = Sums::new(Lucy::new(width, dimensions).unwrap(), grid.points()).unwrap();
        sums.add(&moment).unwrap();
        let fields = sums.fields();
        let (p, c) = (&moment.particles, &moment.contacts);
        let mass: f64 = p.iter().map(|p| p.mass).sum();
        close(
            "mass",
            total(&grid, &fields, |f| f.density),
            mass,
            off * mass,
        );
        close(
            "volume",
            total(&grid, &fields, |f| f.fraction),
            0.3,
            off * 0.3,
        );
        close(
            "contacts",
            total(&grid, &fields, |f| f.contacts),
            40.0,
            off * 40.0,
        );
        close(
            "sliding",
            total(&grid, &fields, |f| f.sliding),
            10.0,
            off * 10.0,
        );
        for i in 0..dimensions {
            let sum: f64 = p.iter().map(|p| p.mass * p.velocity[i]).sum();
            close(
                "momentum",
                total(&grid, &fields, |f| f.momentum[i]),
                sum,
                off * 2.0 * mass,
            );
            let walls = c.iter().filter(|c| c.second.is_none());
            let sum: f64 = walls.map(|c| c.force[i]).sum();
            close(
                "walls",
                total(&grid, &fields, |f| f.boundary[i]),
                sum,
                off * 40.0,
            );
            for j in 0..dimensions {
                let virial =
                    |c: &Contact| (c.first[i] - c.second.map_or(0.0, |s| s[i])) * c.force[j];
                let sum: f64 = c.iter().map(virial).sum();
                close(
                    "contact pressure",
                    total(&grid, &fields, |f| f.contact[i][j]),
                    sum,
                    off * 40.0,
                );
                let sum: f64 = p
                    .iter()
                    .map(|p| p.mass * p.velocity[i] * p.velocity[j])
                    .sum();
                let carried = |f: &Field| {
                    let v = f.velocity.unwrap_or_default();
                    f.kinetic[i][j] + f.density * v[i] * v[j]
                };
                close(
                    "kinetic pressure",
                    total(&grid, &fields, carried),
                    sum,
                    off * 4.0 * mass,
                );
            }
        }
    }
}

/// Along periodic directions the sum over one period is the total, wherever grains are and however far the kernel
/// reaches; the fields repeat.
#[test]
fn periodic_fields_repeat_and_sum_up() {
    for dimensions in [2, 3] {
        let mut moment = heap(dimensions, 5);
        moment.lattice = Lattice {
            lengths: std::array::from_fn(|k| (k < dimensions).then_some([0.9, 0.7, 0.8][k])),
            offset: 0.25,
            ..Lattice::default()
        };
        let mut high = [0.9, 0.7, 0.8];
        high.iter_mut().skip(dimensions).for_each(|x| *x = 0.0);
        let grid = Grid::over([0.0; 3], high, 0.1, dimensions).unwrap();
        let mut sums = Sums::new(Lucy::new(0.4, dimensions).unwrap(), grid.points()).unwrap();
        sums.add(&moment).unwrap();
        let fields = sums.fields();
        let mass: f64 = moment.particles.iter().map(|p| p.mass).sum();
        close(
            "mass",
            total(&grid, &fields, |f| f.density),
            mass,
            1e-3 * mass,
        );
        let virial = |c: &Contact| (c.first[0] - c.second.map_or(0.0, |s| s[0])) * c.force[1];
        let sum: f64 = moment.contacts.iter().map(virial).sum();
        close(
            "pressure",
            total(&grid, &fields, |f| f.contact[0][1]),
            sum,
            0.04,
        );
        // The image above is shifted.
        let shifted = grid
            .points()
            .iter()
            .map(|p| [p[0] + 0.25, p[1] + 0.7, p[2]])
            .collect();
        let mut above = Sums::new(Lucy::new(0.4, dimensions).unwrap(), shifted).unwrap();
        above.add(&moment).unwrap();
        for (here, there) in fields.iter().zip(above.fields()) {
            close("repeats", here.density, there.density, 1e-9 * mass);
            close("repeats", here.contact[1][0], there.contact[1][0], 1e-8);
        }
    }
}

/// Disks on a square lattice, pressed together with a force f on every contact: density m / a^2, pressure f / a, on
/// the average over a cell exactly; with a kernel of three diameters everywhere, to the 1e-4 that are left of the lattice.
#[test]
fn a_square_lattice_has_its_density_and_pressure() {
    let (a, f, m) = (0.1, 3.0, 2.0);
    let contact = |axis: usize| {
        let unit = |size: f64| std::array::from_fn(|k| if k == axis { size } else { 0.0 });
        Contact {
            point: unit(0.5 * a),
            first: unit(-0.5 * a),
            second: Some(unit(0.5 * a)),
            force: unit(-f),
            sliding: false,
        }
    };
    let moment = Scene {
        particles: vec![Particle {
            mass: m,
            volume: std::f64::consts::PI * a * a / 4.0,
            velocity: [1.0, -2.0, 0.0],
            ..Particle::default()
        }],
        contacts: vec![contact(0), contact(1)],
        lattice: Lattice {
            lengths: [Some(a), Some(a), None],
            ..Lattice::default()
        },
    };
    let grid = Grid::over([0.0; 3], [a, a, 0.0], a / 16.0, 2).unwrap();
    let mut sums = Sums::new(Lucy::new(3.0 * a, 2).unwrap(), grid.points()).unwrap();
    sums.add(&moment).unwrap();
    let fields = sums.fields();
    let mean =
        |of: &dyn Fn(&Field) -> f64| fields.iter().map(of).sum::<f64>() / fields.len() as f64;
    close("mean density", mean(&|f| f.density) * a * a / m, 1.0, 1e-9);
    close(
        "mean pressure",
        mean(&|f| f.contact[0][0]) * a / f,
        1.0,
        1e-9,
    );
    for field in &fields {
        close("density", field.density * a * a / m, 1.0, 2e-4);
        close(
            "fraction",
            field.fraction,
            std::f64::consts::FRAC_PI_4,
            4e-3,
        );
        for i in 0..2 {
            close("pressure", field.contact[i][i] * a / f, 1.0, 2e-4);
            close("shear", field.contact[i][1 - i], 0.0, 1e-12);
            // All go alike: no pressure of motion.
            close("kinetic", field.kinetic[i][i], 0.0, 1e-9);
        }
        close("velocity", field.velocity.unwrap()[1], -2.0, 1e-12);
    }
}

#[test]
fn wrong_fields_are_refused() {
    let kernel = Lucy::new(0.1, 2).unwrap();
    assert!(Grid::over([0.0; 3], [1.0; 3], 0.0, 2).is_err());
    assert!(Grid::over([0.0; 3], [1.0; 3], f64::NAN, 2).is_err());
    assert!(Grid::over([0.0; 3], [1.0; 3], 1e-4, 2).is_err());
    assert!(Sums::new(kernel, vec![[f64::NAN; 3]]).is_err());
    assert!(Sums::new(kernel, Vec::new()).is_err());
    let mut sums = Sums::new(kernel, vec![[0.0; 3]]).unwrap();
    let mut bad = heap(2, 1);
    bad.particles[3].velocity[0] = f64::INFINITY;
    assert!(sums.add(&bad).is_err());
    assert_eq!((sums.moments(), sums.fields()[0]), (0, Field::default()));
}

/// A column of a table of comma-separated values.
fn column(text: &str, name: &str) -> Vec<f64> {
    let mut lines = text.lines();
    let place = lines.next().unwrap().split(',').position(|n| n == name);
    let place = place.unwrap_or_else(|| panic!("no column {name}"));
    lines
        .map(|line| {
            line.split(',')
                .nth(place)
                .unwrap()
                .parse()
                .unwrap_or(f64::NAN)
        })
        .collect()
}

/// `--to fields` writes what sums up to the run's totals, for periodic boxes and others, and says what it does not
/// take.
#[test]
fn fields_are_exported() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    let hopper = [
        "run",
        "hopper",
        "-q",
        "--until",
        "0.2",
        "-o",
        "hopper",
        "--set",
        "log.snapshots=0.1",
    ];
    run_well(at, &hopper);
    run_well(at, &["export", "hopper", "--to", "fields"]);
    let out = at.join("hopper/export");
    for name in [
        "fields.csv",
        "fields-mean.vti",
        "fields.pvd",
        "fields/00000.vti",
        "fields/00000.csv",
    ] {
        assert!(out.join(name).is_file(), "{name}");
    }
    let image = walk(&fs::read_to_string(out.join("fields-mean.vti")).unwrap());
    let extent: Vec<usize> = image.iter().find(|e| e.0 == "Piece").unwrap().1["Extent"]
        .split(' ')
        .map(|n| n.parse().unwrap())
        .collect();
    assert_eq!([extent[0], extent[2], extent[4], extent[5]], [0; 4]);
    let arrays = image.iter().filter(|e| e.0 == "DataArray");
    for array in arrays {
        let components: usize = array.1["NumberOfComponents"].parse().unwrap();
        assert_eq!(
            decode(array.2.trim()).len(),
            8 * components * extent[1] * extent[3]
        );
    }
    let snapshots = fs::read_dir(out.join("fields")).unwrap().count() / 2;
    assert_eq!(
        fs::read_to_string(out.join("fields.pvd"))
            .unwrap()
            .matches("<DataSet")
            .count(),
        snapshots
    );
    run_well(
        at,
        &[
            "export", "hopper", "--to", "fields", "--time", "0.2", "--cell", "0.004", "-o", "one",
        ],
    );
    let text = fs::read_to_string(at.join("one/fields.csv")).unwrap();
    let grains =
        arenite::record::read::table(&at.join("hopper"), arenite::record::Table::Grains).unwrap();
    let (time, mass) = (
        grains.floats("time").unwrap(),
        grains.floats("mass").unwrap(),
    );
    let rows = time
        .iter()
        .zip(mass)
        .filter(|(t, _)| (**t - 0.2).abs() < 1e-9);
    let all: f64 = rows.map(|(_, m)| m).sum();
    let mut xs = column(&text, "x");
    xs.sort_by(f64::total_cmp);
    xs.dedup();
    let mut ys = column(&text, "y");
    ys.sort_by(f64::total_cmp);
    ys.dedup();
    let cell = (xs[1] - xs[0]) * (ys[1] - ys[0]);
    let sum = cell * column(&text, "density").iter().sum::<f64>();
    close("mass on the grid", sum / all, 1.0, 1e-3);
    assert!(
        column(&text, "time")
            .iter()
            .all(|t| (*t - 0.2).abs() < 1e-9)
    );
    assert!(
        column(&text, "contact_pressure_xy")
            .iter()
            .any(|p| *p != 0.0)
    );

    let shear = ["run", "simple-shear", "-q", "--until", "0.1", "-o", "shear"];
    run_well(at, &shear);
    run_well(at, &["export", "shear", "--to", "fields", "-o", "sheared"]);
    let text = fs::read_to_string(at.join("sheared/fields.csv")).unwrap();
    // The flow goes with the box: its mean velocity grows by the height.
    assert!(column(&text, "velocity_x").iter().all(|v| v.is_finite()));

    let refused = |options: &[&str], words: &str| {
        let output = arenite(at, &[&["export", "hopper", "--to"], options].concat());
        assert_eq!(output.status.code(), Some(2), "{options:?}");
        assert!(
            said(&output).contains(words),
            "{options:?}: {}",
            said(&output)
        );
    };
    for width in ["0", "-1", "NaN", "inf", "wide"] {
        refused(
            &["fields", "--kernel", width],
            "is not a number greater than 0",
        );
        refused(
            &["fields", "--cell", width],
            "is not a number greater than 0",
        );
    }
    refused(
        &["fields", "--cell", "1e-5"],
        "points, more than 1e6: take wider cells",
    );
    refused(&["csv", "--kernel", "0.1"], "belong to fields");
    refused(&["fields", "--show", "stagnant"], "--show chooses");
    // A run without snapshots.
    let empty = at.join("empty");
    let run = RunFolder::create(&empty, &meta(2), 1, false).unwrap();
    run.finish(&summary(Status::Finished)).unwrap();
    let why = export_fields(&empty, None, &FieldOptions::default()).unwrap_err();
    assert!(why.to_string().contains("recorded no snapshot"), "{why}");
}
