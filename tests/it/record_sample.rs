//! A made-up run for the tests of records and pictures: disks or spheres in a hopper.

use arenite::event::{EventKind, Regime};
use arenite::record::{
    BodyRef, EventRow, GrainRow, GroupRow, LinkRow, RunMeta, SeriesRow, Sink, Status, Summary,
    WallDrawing,
};

const RADIUS: f64 = 0.01;

pub fn meta(dimensions: usize) -> RunMeta {
    let wall = |name: &str, points: &[[f64; 3]], closed: bool| WallDrawing {
        name: name.into(),
        points: points.to_vec(),
        closed,
        endless: false,
        opens_at: None,
    };
    let walls = if dimensions == 2 {
        let mut gate = wall("gate", &[[-0.04, 0.0, 0.0], [0.04, 0.0, 0.0]], false);
        gate.opens_at = Some(0.5);
        vec![
            wall(
                "left",
                &[[-0.16, 0.42, 0.0], [-0.16, 0.16, 0.0], [-0.04, 0.0, 0.0]],
                false,
            ),
            wall(
                "right",
                &[[0.16, 0.42, 0.0], [0.16, 0.16, 0.0], [0.04, 0.0, 0.0]],
                false,
            ),
            gate,
        ]
    } else {
        let ring = |radius: f64, z: f64| -> Vec<[f64; 3]> {
            let turn = |k: usize| std::f64::consts::TAU * k as f64 / 48.0;
            (0..48)
                .map(|k| [radius * turn(k).cos(), radius * turn(k).sin(), z])
                .collect()
        };
        vec![
            wall("cone", &ring(0.04, 0.0), true),
            wall("cone", &ring(0.16, 0.16), true),
            wall("cone", &ring(0.16, 0.42), true),
        ]
    };
    RunMeta {
        dimensions,
        scenario_toml: "name = \"sample\"\nseed = 3\n".into(),
        boundaries: vec!["left".into(), "right".into(), "gate".into()],
        meters: vec!["below".into()],
        version: "0.1.0".into(),
        walls,
        shapes: Vec::new(),
        periodic: [None; 3],
        cell: false,
        bonds: false,
        cell_corner: None,
    }
}

pub fn event(k: u64) -> EventRow {
    let morph = k % 7 == 3;
    EventRow {
        seq: k + 1,
        time: 1e-3 * k as f64,
        kind: EventKind::ALL[(k * 5 % 20) as usize],
        regime_from: morph.then_some(Regime::Flight),
        regime_to: morph.then_some(Regime::Cluster),
        body_a: BodyRef::Grain((k % 50) as u32),
        body_b: match k % 3 {
            0 => BodyRef::None,
            1 => BodyRef::Boundary((k % 3) as u16),
            _ => BodyRef::Grain((k % 49) as u32),
        },
        link: k % 11,
        position: [0.1 * k as f64, -0.5, 0.25],
        energy: if k.is_multiple_of(2) {
            f64::NAN
        } else {
            1.0 / (k as f64)
        },
        cause: k / 2,
    }
}

pub fn series(k: u64) -> SeriesRow {
    let x = k as f64;
    SeriesRow {
        time: 0.01 * x - 0.05,
        grains: 100 - k,
        by_regime: [k, 100u64.saturating_sub(2 * k), 0, k],
        clusters: 3,
        links: 40,
        sliding: 2,
        discharged: k,
        kinetic: 0.1 * x,
        potential: -0.2 * x,
        elastic: 1e-6,
        elastic_bonds: 0.0,
        dissipated: [1.0, 2.0, 3.0, -4.0, 0.0],
        injected: 0.5,
        removed: 0.25,
        balance_error: 1e-9,
        collisions: [3 * k, k],
        dissipated_at_walls: 0.125 * x,
        groups: GroupRow {
            rest: 2 + k,
            rigid: 1,
            largest: 10 * k,
        },
        work: std::array::from_fn(|m| 0.5 * x + m as f64),
        events: (0..20).map(|kind| kind * k).collect(),
        walls: (0..3)
            .map(|w| std::array::from_fn(|c| (w * 10 + c) as f64 + x))
            .collect(),
        shifts: (0..3).map(|w| [w as f64 - x, x, 0.5]).collect(),
        meters: vec![(k as i64, 0.5 * x)],
        cell: None,
        bonds: None,
    }
}

/// Grains and links of snapshot `k`, an ever emptier hopper.
pub fn snapshot(k: u64, dimensions: usize) -> (Vec<GrainRow>, Vec<LinkRow>) {
    let time = 0.25 * k as f64;
    let mut grains = Vec::new();
    let layers = if dimensions == 2 { 1 } else { 9 };
    let mut id = 0;
    for row in 0..19 - 4 * k.min(4) {
        let height = 0.012 + 0.0172 * row as f64;
        let half = 0.04 + 0.75 * height.min(0.16) - RADIUS;
        for depth in 0..layers {
            for column in 0..14 {
                let x = -half + 0.01 * (row % 2) as f64 + 0.0199 * column as f64;
                let y = 0.0199 * (depth as f64 - 4.0);
                let inside = if dimensions == 2 {
                    x.abs() <= half
                } else {
                    x.hypot(y) <= half
                };
                if !inside {
                    continue;
                }
                let jitter = 2e-4 * ((id * 37 % 11) as f64 / 11.0 - 0.5);
                let (x, h) = (x + jitter, height - jitter);
                grains.push(grain(
                    id,
                    time,
                    if dimensions == 2 {
                        [x, h, 0.0]
                    } else {
                        [x, y, h]
                    },
                ));
                id += 1;
            }
        }
    }
    let mut links = Vec::new();
    for a in &grains {
        for b in &grains {
            if b.grain <= a.grain {
                continue;
            }
            let d: [f64; 3] = std::array::from_fn(|c| b.position[c] - a.position[c]);
            let length = (d[0] * d[0] + d[1] * d[1] + d[2] * d[2]).sqrt();
            if length < 2.015 * RADIUS {
                links.push(link(links.len() as u64 + 1, a, b, d, length, dimensions));
            }
        }
    }
    (grains, links)
}

fn grain(id: u32, time: f64, position: [f64; 3]) -> GrainRow {
    let angle = 0.1 * f64::from(id);
    let planar = position[2] == 0.0;
    GrainRow {
        time,
        grain: id,
        shape: None,
        radius: RADIUS * (1.0 - 0.02 * f64::from(id % 3)),
        mass: 0.3,
        material: (id % 2) as u16,
        position,
        velocity: [0.01 * f64::from(id), -0.5, if planar { 0.0 } else { 0.1 }],
        rotation: if planar {
            [angle, 0.0, 0.0, 0.0]
        } else {
            [0.0, (0.5 * angle).sin(), 0.0, (0.5 * angle).cos()]
        },
        spin: if planar {
            [3.0, 0.0, 0.0]
        } else {
            [3.0, 2.0, 1.0]
        },
        force: [0.5, 0.25, if planar { 0.0 } else { -0.1 }],
        moment: if planar {
            [0.01, 0.0, 0.0]
        } else {
            [0.01, 0.02, 0.03]
        },
        regime: if id.is_multiple_of(9) {
            Regime::Flight
        } else {
            Regime::Cluster
        },
        cluster: if id.is_multiple_of(9) { -1 } else { 1 },
        group: if id.is_multiple_of(4) { 4 } else { -1 },
        force_error: if id.is_multiple_of(4) { 0.03 } else { 0.0 },
        fragment: id,
    }
}

fn link(
    number: u64,
    a: &GrainRow,
    b: &GrainRow,
    d: [f64; 3],
    length: f64,
    dimensions: usize,
) -> LinkRow {
    let height = a.position[dimensions - 1];
    let scatter = (number * 7919 % 101) as f64 / 101.0;
    LinkRow {
        time: a.time,
        link: number,
        body_a: BodyRef::Grain(a.grain),
        body_b: BodyRef::Grain(b.grain),
        point: std::array::from_fn(|c| a.position[c] + 0.5 * d[c]),
        normal: d.map(|x| x / length),
        overlap: 0.02 - length,
        normal_force: (0.4 - height) * 20.0 * scatter * scatter,
        tangential_force: [0.1, -0.1, 0.0],
        slipping: number.is_multiple_of(5),
        stable: number.is_multiple_of(2),
        bond: None,
    }
}

/// Part `k` of the run, as a driver would hand it over.
pub fn feed(sink: &mut dyn Sink, k: u64, dimensions: usize) {
    for e in 0..400 {
        sink.event(&event(400 * k + e)).unwrap();
    }
    for s in 0..5 {
        sink.series(&series(5 * k + s)).unwrap();
    }
    let (grains, links) = snapshot(k, dimensions);
    sink.snapshot(&grains, &links).unwrap();
}

pub fn summary(status: Status) -> Summary {
    Summary {
        arenite: "0.1.0".into(),
        scenario: "sample".into(),
        status,
        ..Summary::default()
    }
}
