//! What a step of a body's rotation costs, by method and by the angle of a step.
//! `cargo bench --bench rotation`

use std::hint::black_box;
use std::time::Instant;

use arenite::body::rotation::{PrincipalMoments, Rotation, RotationMethod};
use nalgebra::{UnitQuaternion, Vector3};

/// Bodies stepped in turn, as an engine does: no step waits for the one before.
const BODIES: usize = 1000;

/// Steps of each in one timing.
const ROUNDS: usize = 100;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    println!("method, angle of a step in rad: kick and drift ns, spin at the positions ns");
    let shapes = [
        ("T-bar", [5.393, 5.655, 10.629]),
        ("rod", [1.0, 60.0, 60.5]),
        ("ball", [1.0; 3]),
    ];
    for (name, moments) in shapes {
        let body = PrincipalMoments::new(moments)?;
        for method in [
            RotationMethod::MoserVeselov,
            RotationMethod::MidpointMomentum,
            RotationMethod::MidpointRepaired,
            RotationMethod::MidpointPrinted,
            RotationMethod::Iterated { rounds: 3 },
        ] {
            for angle in [1e-5, 1e-3, 0.1] {
                let [step, look] = cost(method, &body, angle);
                println!("{name:5} {method:?}, {angle}: {step:.0}, {look:.0}");
            }
        }
    }
    Ok(())
}

/// Best times of five runs.
fn cost(method: RotationMethod, body: &PrincipalMoments, angle: f64) -> [f64; 2] {
    let none = Vector3::zeros();
    let start = |k: usize| {
        let at = k as f64;
        let turn = UnitQuaternion::from_euler_angles(at, 2.0 * at, 3.0 * at);
        let spin = Vector3::new(at.sin(), at.cos(), 0.3).normalize();
        Rotation::begin(method, body, turn, spin, none, angle)
    };
    let mut states: Vec<Rotation> = (0..BODIES).map(start).collect();
    let torque = black_box(Vector3::new(0.1, -0.2, 0.1));
    let mut best = [f64::INFINITY; 2];
    for _ in 0..5 {
        let begin = Instant::now();
        for round in 0..ROUNDS {
            // To and fro, so that the spin stays what it was.
            let pull = if round % 2 == 0 { torque } else { -torque };
            for state in &mut states {
                state.kick_drift(method, body, pull, angle);
            }
        }
        best[0] = best[0].min(begin.elapsed().as_secs_f64());
        let begin = Instant::now();
        for _ in 0..ROUNDS {
            let spins = states.iter().map(|s| s.spin(method, body, torque, angle));
            black_box(spins.sum::<Vector3<f64>>());
        }
        best[1] = best[1].min(begin.elapsed().as_secs_f64());
    }
    best.map(|b| b / (ROUNDS * BODIES) as f64 * 1e9)
}
