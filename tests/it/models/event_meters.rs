//! Meters in runs from collision to collision.

use std::sync::atomic::AtomicBool;

use arenite::record::{MemorySink, Summary};
use arenite::system::Control;

use crate::support::{Checkpoints, driven, driver};

/// Balls that fly about in a box of 0.2 m, without loss and without weight.
fn gas(dimension: usize, more: &str) -> String {
    let vector = |x: f64| format!("{:?}", vec![x; dimension]);
    format!(
        r#"
name = "gas"
dimension = {dimension}
[run]
end_time = 4.0
[events]
restitution = 1.0
[log]
series = 0.5
snapshots = 0.5
checkpoint = 0.7
[material.ball]
density = 2500.0
[[boundary]]
name = "box"
material = "ball"
box = {{ min = {}, max = {}, grains = "inside" }}
[[fill]]
material = "ball"
lattice = {{ count = 200, radius = 0.001, min = {}, max = {}, jitter = 0.9, speed = 0.2 }}
{more}
"#,
        vector(0.0),
        vector(0.2),
        vector(0.0),
        vector(0.2),
    )
}

/// A plane through the middle, and a box in a corner.
fn meters(dimension: usize) -> String {
    let (mut point, mut normal) = (vec![0.0; dimension], vec![0.0; dimension]);
    (point[0], normal[0]) = (0.1, 1.0);
    format!(
        "[[meter]]\nname = \"half\"\nplane = {{ point = {point:?}, normal = {normal:?} }}\nevery = 0.002\n\
         [[meter]]\nname = \"corner\"\ninside = {{ min = {:?}, max = {:?} }}\nevery = 0.002\n",
        vec![0.0; dimension],
        vec![0.08; dimension],
    )
}

/// Grains beyond the plane and within the box in a snapshot.
fn there(sink: &MemorySink, index: usize, dimension: usize) -> [i64; 2] {
    let grains = &sink.snapshots[index].0;
    let count = |is: &dyn Fn(&[f64]) -> bool| {
        let found = grains.iter().filter(|g| is(&g.position[..dimension]));
        found.count() as i64
    };
    [
        count(&|x| x[0] >= 0.1),
        count(&|x| x.iter().all(|&x| (0.0..=0.08).contains(&x))),
    ]
}

/// What a meter counts is who is beyond it now less who was before, at each row; and meters move no bit of the run.
#[test]
fn meters_count_in_a_gas() {
    for dimension in [2, 3] {
        let text = gas(dimension, &meters(dimension));
        let (sink, summary): (MemorySink, Summary) = driven(&text).unwrap();
        let before = there(&sink, 0, dimension);
        for (index, row) in sink.series.iter().enumerate() {
            let now = there(&sink, index, dimension);
            let counts: Vec<i64> = row.meters.iter().map(|meter| meter.0).collect();
            assert_eq!(
                counts,
                [now[0] - before[0], now[1] - before[1]],
                "{}",
                row.time
            );
        }
        let (_, without) = driven(&gas(dimension, "")).unwrap();
        assert_eq!(summary.state_hash, without.state_hash);
        let half = &summary.meters[0];
        assert_eq!(half.forward as i64 - half.back as i64, half.count);
        assert!(half.forward > 50, "{}", half.forward);
        // From any checkpoint on it counts the same.
        let never = AtomicBool::new(false);
        let mut kept = Checkpoints::default();
        let mut run = driver(&text, None).unwrap();
        run.run(&mut kept, &mut Control::new(&never)).unwrap();
        assert_eq!(kept.states.len(), 5);
        for state in &kept.states {
            let mut run = driver(&text, Some(state)).unwrap();
            run.run(&mut MemorySink::default(), &mut Control::new(&never))
                .unwrap();
            assert_eq!(run.summary().meters, summary.meters);
        }
    }
}
