//! Packings and flows in periodic cells whose edges move, against what is known of them.

use arenite::geometry::Planar;
use arenite::neighbor::PeriodicAxis;
use arenite::record::{BodyRef, LinkRow};
use arenite::system::{CellControl, CellDrive, CellSetup, Setup, Span};

use crate::support::*;

const STIFFNESS: f64 = 1e4;

/// Disks of two sizes, 1 : 1.4, as many of each, without friction, strewn over a square; pressed to the first of these
/// pressures (N/m), then let out from one to the next, each for `lasts` seconds.
fn packing(count: usize, seed: u64, pressures: &[f64], lasts: f64) -> Setup<Planar> {
    let law = linear(STIFFNESS, 0.0, 20.0, 0.0, 0.0);
    let mut setup: Setup<Planar> = empty(law, 1.5e-4, lasts * pressures.len() as f64);
    let radius = |k: usize| if k < count / 2 { 0.007 } else { 0.005 };
    let area: f64 = (0..count)
        .map(|k| std::f64::consts::PI * radius(k) * radius(k))
        .sum();
    let length = (area / 0.55).sqrt();
    setup.space.periodic = vec![
        Some(PeriodicAxis {
            origin: 0.0,
            length
        });
        2
    ];
    let mut dice = Dice(seed);
    while setup.grains.len() < count {
        let r = radius(setup.grains.len());
        let x = dice.vector::<Planar>(0.0, length);
        let free = |g: &arenite::body::Grain<Planar>| {
            let d = (g.position - x).map(|d| d - length * (d / length).round());
            d.norm() > g.radius + r
        };
        if setup.grains.iter().all(free) {
            let mass = 1000.0 * std::f64::consts::PI * r * r;
            add(&mut setup, r, mass, x, place::<Planar>(0.0, 0.0));
        }
    }
    let drives = pressures
        .iter()
        .enumerate()
        .map(|(k, &pressure)| CellDrive {
            axes: [true, true, false],
            control: CellControl::Pressure {
                pressure,
                mass: [1.0, 1.0, 0.0],
                rate: 1.0,
            },
            span: Span {
                from: k as f64 * lasts,
                until: None,
            },
        });
    setup.space.cell = Some(CellSetup {
        drives: drives.collect(),
        shears: Vec::new(),
    });
    setup.log.series = Some(lasts);
    setup.log.snapshots = Some(lasts);
    setup
}

/// Grains that carry, those with three links and more to such grains, and the links between them.
fn carrying(count: usize, links: &[LinkRow]) -> (usize, usize) {
    let ends: Vec<[usize; 2]> = links
        .iter()
        .filter_map(|link| match (link.body_a, link.body_b) {
            (BodyRef::Grain(a), BodyRef::Grain(b)) => Some([a as usize, b as usize]),
            _ => None,
        })
        .collect();
    let mut carries = vec![true; count];
    loop {
        let mut links = vec![0; count];
        let mut all = 0;
        for [a, b] in &ends {
            if carries[*a] && carries[*b] {
                links[*a] += 1;
                links[*b] += 1;
                all += 1;
            }
        }
        let mut changed = false;
        for (carries, links) in carries.iter_mut().zip(links) {
            if *carries && links < 3 {
                *carries = false;
                changed = true;
            }
        }
        if !changed {
            return (carries.iter().filter(|c| **c).count(), all);
        }
    }
}

/// A packing at rest: solid fraction, pressure over stiffness, carrying grains and the links between them.
struct Rest {
    fraction: f64,
    pressure: f64,
    grains: usize,
    links: usize,
}

impl Rest {
    fn coordination(&self) -> f64 {
        2.0 * self.links as f64 / self.grains as f64
    }
}

/// The packings at the end of each stage.
fn rests(setup: &Setup<Planar>, pressures: &[f64]) -> Vec<Rest> {
    let (system, sink) = run(setup);
    assert!(system.summary().energy.balance_error < 2e-3);
    let rows = sink.series.iter().zip(&sink.snapshots).skip(1);
    let rests = rows.zip(pressures).map(|((row, (grains, links)), asked)| {
        let cell = row.cell.unwrap();
        for k in 0..2 {
            // The servo at rest: on each axis what was asked for, over the whole last stage even in the mean that begins
            // with the step from one pressure to the next.
            let now = system.dem().world.cell.state.unwrap();
            if row.time == setup.run.end_time {
                close("pressure", now.stress.pressure[k][k] / asked, 1.0, 1e-3);
            }
        }
        let (carrying, between) = carrying(grains.len(), links);
        Rest {
            fraction: cell.fraction,
            pressure: asked / STIFFNESS,
            grains: carrying,
            links: between,
        }
    });
    rests.collect()
}

/// The fraction at which the line through the two loosest packings loses its pressure.
fn jamming(rests: &[Rest]) -> f64 {
    let [a, b] = [&rests[rests.len() - 2], &rests[rests.len() - 1]];
    b.fraction - b.pressure * (a.fraction - b.fraction) / (a.pressure - b.pressure)
}

/// What O'Hern, Silbert, Liu and Nagel 2003 found for packings of such disks: they jam at a fraction of 0.842, with a
/// width of the distribution of about 0.01 for 256 (their Fig. 5); above it the pressure grows as the first power of the
/// excess fraction, and the coordination of carrying grains as z - 4 = 3.6(5) (excess)^(1/2). A packing at rest has no fewer
/// links than its grains and the two lengths under pressure have ways to move, but for the two of the whole.
fn as_known(setup: &Setup<Planar>, pressures: &[f64], width: f64, linear: f64, factor: f64) {
    let rests = rests(setup, pressures);
    assert_eq!(rests.len(), pressures.len());
    let jammed = jamming(&rests);
    close("jamming", jammed, 0.842, width);
    let loosest = rests.last().unwrap();
    let slope = loosest.pressure / (loosest.fraction - jammed);
    for rest in &rests {
        let excess = rest.fraction - jammed;
        close("pressure", rest.pressure / excess / slope, 1.0, linear);
        assert!(rest.links >= 2 * rest.grains, "{}", rest.links);
        // Where the square root is under a tenth a few links make up what is sought.
        if excess > 4e-3 {
            let found = (rest.coordination() - 4.0) / excess.sqrt();
            close("coordination", found, 3.6, factor);
        }
    }
}

/// 200 disks at three pressures. At 1/100 of the stiffness, 2 percent over jamming, the next neighbours begin to touch and the
/// pressure is 10 to 18 percent over the line (their Fig. 7 bends alike); the factor's 0.5 is theirs, and four links of
/// two hundred are as much again.
#[test]
fn disks_jam_as_known() {
    let pressures = [100.0, 20.0, 5.0];
    let setup = packing(200, 11, &pressures, 8.0);
    as_known(&setup, &pressures, 0.01, 0.18, 1.0);
}

/// 1,024 disks at seven pressures, two decades: the fraction within a third of the width, the factor within theirs.
#[test]
#[ignore = "a minute: cargo test --release --test it -- --ignored two_decades"]
fn disks_jam_as_known_over_two_decades() {
    let pressures = [100.0, 50.0, 20.0, 10.0, 5.0, 2.0, 1.0];
    let setup = packing(1024, 5, &pressures, 8.0);
    as_known(&setup, &pressures, 0.005, 0.2, 0.5);
}

/// `simple-shear`: da Cruz, Emam, Prochnow, Roux and Chevoir 2005 found for disks of friction 0.4 between rough plates
/// mu = 0.25 + 1.1 I and a solid fraction 0.81 - 0.3 I; at I = 0.05 that is 0.305 and 0.795. Tolerances are ours: their
/// points scatter by 0.02 about the line, and grains near plates move otherwise than here, where there are none. The mean
/// pressure across y is that asked for: within 0.5 percent over 4.6 shear in a sample of 400, which fluctuates by 10.
#[test]
fn disks_in_simple_shear_flow_as_known() {
    let setup = planar("simple-shear", &[]);
    let (system, sink) = run(&setup);
    let summary = system.summary();
    assert!(summary.energy.balance_error < 1e-3);
    let cell = summary.cell.unwrap();
    close("friction", cell.friction.unwrap(), 0.305, 0.04);
    close("pressure", cell.mean_pressure[1][1], 1e3, 5.0);
    // Contact moments balance in the mean.
    let [xy, yx] = [cell.mean_pressure[0][1], cell.mean_pressure[1][0]];
    close("symmetry", xy / yx, 1.0, 1e-3);
    let late = sink.series.iter().filter(|row| row.time > 1.0);
    let fractions: Vec<f64> = late.map(|row| row.cell.unwrap().fraction).collect();
    let fraction = fractions.iter().sum::<f64>() / fractions.len() as f64;
    close("fraction", fraction, 0.795, 0.01);
}

/// `triaxial-cell`: the sides keep their pressure on the average while the sample swells, within 1 percent (the resistance
/// to swelling takes 0.5). The angle of internal friction, sin a = (q - 1) / (q + 1) for the mean ratio q of the pressures,
/// is that of spheres with friction 0.3 to 0.5, about 17 to 25 degrees (the range is ours, after Thornton 2000 and Suiker and
/// Fleck 2004). A dense sample comes to a peak, falls, and swells; by how much is not known, only that it does.
#[test]
#[ignore = "half a minute: cargo test --release --test it -- --ignored triaxial_cell"]
fn a_triaxial_cell_yields_as_known() {
    let setup = spatial("triaxial-cell", &[]);
    let (system, sink) = run(&setup);
    assert!(system.summary().energy.balance_error < 1e-3);
    let rows = sink.series.iter().filter(|row| row.time > 0.15);
    let cells: Vec<_> = rows.map(|row| row.cell.unwrap()).collect();
    let mean = |k: usize| cells.iter().map(|c| c.pressure[k][k]).sum::<f64>() / cells.len() as f64;
    for k in 0..2 {
        close("side", mean(k) / 1e4, 1.0, 0.01);
    }
    let ratio = mean(2) / 1e4;
    let angle = ((ratio - 1.0) / (ratio + 1.0)).asin().to_degrees();
    assert!((17.0..25.0).contains(&angle), "{angle}");
    // Of five rows each, a fiftieth of the strain.
    let loads: Vec<f64> = cells
        .windows(5)
        .map(|five| five.iter().map(|c| c.pressure[2][2]).sum::<f64>() / 5e4)
        .collect();
    let peak = loads.iter().copied().fold(0.0, f64::max);
    assert!(*loads.last().unwrap() < 0.9 * peak, "{loads:?}");
    let volumes = cells.iter().map(|c| c.lengths.iter().product::<f64>());
    let least = volumes.fold(f64::INFINITY, f64::min);
    let last = cells.last().unwrap().lengths.iter().product::<f64>();
    assert!(last > 1.01 * least, "{}", last / least);
}
