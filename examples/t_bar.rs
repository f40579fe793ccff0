//! A free T-bar that turns about its middle axis flips over and over: time between flips and error of
//! the energy by method and step, beside the exact solution.
//! `cargo run --release --example t_bar`

use arenite::body::rotation::{FreeTop, PrincipalMoments, Rotation, RotationMethod};
use nalgebra::{UnitQuaternion, Vector3};

const FLIPS: usize = 8;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    // Eight spheres of radius 1/2 and density 1, a bar of five and a stem of three: kg m^2.
    let body = PrincipalMoments::new([
        5.393_067_388_662_478,
        5.654_866_776_461_628,
        10.629_055_144_645_466,
    ])?;
    let spin = Vector3::new(0.001, 1.0, 0.002);
    let interval = FreeTop::new(&body, spin)
        .flip_interval()
        .unwrap_or(f64::NAN);
    println!("exact time between flips: {interval:.9} s");
    println!(
        "method, step in s: energy off, of its size; time between flips off, of the exact one"
    );
    for method in [
        RotationMethod::MoserVeselov,
        RotationMethod::MidpointMomentum,
        RotationMethod::MidpointRepaired,
        RotationMethod::MidpointPrinted,
        RotationMethod::Iterated { rounds: 3 },
    ] {
        for step in [1.8e-4, 2e-3, 2e-2] {
            let (energy, mean) = flips(method, &body, spin, step);
            println!(
                "{method:?}, {step:e}: {energy:.1e}, {:+.1e}",
                mean / interval - 1.0
            );
        }
    }
    Ok(())
}

/// Greatest error of the energy and mean time between flips.
fn flips(
    method: RotationMethod,
    body: &PrincipalMoments,
    spin: Vector3<f64>,
    step: f64,
) -> (f64, f64) {
    let none = Vector3::zeros();
    let still = UnitQuaternion::identity();
    let mut state = Rotation::begin(method, body, still, spin, none, step);
    let first = 0.5 * spin.dot(&body.momentum(spin));
    let middle = |state: &Rotation| state.inward(state.spin(method, body, none, step)).y;
    let (mut times, mut worst, mut before) = (Vec::new(), 0.0_f64, middle(&state));
    // Twice as long as it should take: then it does not flip.
    for n in 1..=(1500.0 / step) as u32 {
        state.kick_drift(method, body, none, step);
        let now = middle(&state);
        if before * now < 0.0 {
            times.push(step * (f64::from(n) - now / (now - before)));
        }
        before = now;
        worst = worst.max((state.energy(method, body, none, step) / first - 1.0).abs());
        if times.len() > FLIPS {
            return (worst, (times[FLIPS] - times[0]) / FLIPS as f64);
        }
    }
    (worst, f64::NAN)
}
