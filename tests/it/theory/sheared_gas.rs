//! Sheared boxes from collision to collision (Lees and Edwards 1972): exact meetings across the border, conservation,
//! and the steady state of inelastic grains against kinetic theory.
//!
//! References: Lun, Savage, Jeffrey and Chepurniy 1984 (spheres); Gass 1971 and Jenkins and Richman 1985 (disks).

use arenite::collide::engine::{
    Body, ByLaw, Collision, Engine, FluxTally, Laws, Other, Rule, Setup, ShearRate,
};
use arenite::contact::{ContactLaw, ContactTerms, Linear, LinearPerMass};
use arenite::geometry::{Dimension, Planar, Spatial, Vector};
use arenite::vector::Level;

use super::gas::{body, empty, lattice};
use crate::support::close;

/// A vector by its first parts.
fn parts<D: Dimension>(all: [f64; 3]) -> D::Vector {
    D::Vector::from_fn(|k| all[k])
}

fn steady<D: Dimension>(mut setup: Setup<D>, rate: f64) -> Setup<D> {
    setup.shear = Some(vec![ShearRate { from: 0.0, rate }]);
    setup
}

/// The vector between two places by its nearest image in the sheared box.
fn shortest<D: Dimension>(engine: &Engine<D>, setup: &Setup<D>, mut d: D::Vector) -> D::Vector {
    let length = setup.max - setup.min;
    let turns = (d[1] / length[1]).round();
    d[1] -= turns * length[1];
    d[0] -= turns * engine.shearing().unwrap().offset;
    for k in [0, 2] {
        if k < D::N {
            d[k] -= length[k] * (d[k] / length[k]).round();
        }
    }
    d
}

/// Greatest overlap now of any two grains, over the sum of radii, by brute force.
fn deepest<D: Dimension>(engine: &Engine<D>, setup: &Setup<D>) -> f64 {
    let mut worst = f64::NEG_INFINITY;
    for i in 0..engine.len() {
        for j in 0..i {
            let d = engine.moment(i).position - engine.moment(j).position;
            let reach = engine.radius(i) + engine.radius(j);
            worst = worst.max(1.0 - shortest(engine, setup, d).norm() / reach);
        }
    }
    worst
}

/// Velocity of a grain relative to the flow.
fn own<D: Dimension>(engine: &Engine<D>, i: usize) -> D::Vector {
    let now = engine.moment(i);
    now.velocity - engine.flow_at(now.position)
}

/// Two grains that stand still in space, near either border: the image of the lower one comes along above at rate times
/// height. The gap along the flow closes at that speed; the impulse is along the line of centres.
fn meeting<D: Dimension>(restitution: f64, sign: f64) {
    let (side, rate) = (8.0, 0.5 * sign);
    let (low, x) = ([4.0, 0.2, 4.0], [4.0 + sign * 3.0, 7.6, 4.3]);
    let mut setup = empty::<D>(D::Vector::default(), D::Vector::from_fn(|_| side), true);
    setup.rules = vec![Rule::smooth(restitution)];
    for place in [x, low] {
        // Minus the flow: at rest in space.
        let against = parts::<D>([-rate * place[1], 0.0, 0.0]);
        setup
            .bodies
            .push(body::<D>(parts::<D>(place), against, 0.5));
    }
    let setup = steady(setup, rate);
    let mut engine = Engine::new(setup).unwrap();
    assert_eq!(engine.moment(0).velocity, D::Vector::default());
    let mut met = Vec::new();
    let mut watch = |collision: &Collision<D>| met.push(*collision);
    let speed = rate * side;
    // From the upper grain to the image of the lower one.
    let across = [
        0.0,
        low[1] + side - x[1],
        if D::N == 3 { low[2] - x[2] } else { 0.0 },
    ];
    let along = (1.0 - across[1] * across[1] - across[2] * across[2]).sqrt();
    let time = (3.0 - along) / speed.abs();
    engine.run_with(time + 0.5, u64::MAX, &mut watch);
    assert_eq!(met.len(), 1, "{met:?}");
    close("time", met[0].time, time, 1e-13);
    let normal = parts::<D>([-sign * along, across[1], across[2]]);
    close("approach", met[0].approach, speed.abs() * along, 1e-13);
    let (first, toward) = match met[0].a {
        0 => (0, 1.0),
        _ => (1, -1.0),
    };
    assert_eq!(met[0].b, Other::Grain(1 - first));
    assert!((met[0].normal - normal * toward).norm() < 1e-13);
    // Each of two equal grains takes on half of (1 + e) times the approach.
    let size = 0.5 * (1.0 + restitution) * speed * -sign * along;
    for (i, sign) in [(0, 1.0), (1, -1.0)] {
        let off = engine.moment(i).velocity - normal * (size * sign);
        assert!(off.norm() < 1e-13, "{off:?}");
    }
    let lost = 0.25 * (1.0 - restitution * restitution) * (speed * along) * (speed * along);
    close("loss", engine.tally().lost, lost, 1e-13);
}

#[test]
fn two_grains_meet_across_the_border_when_and_as_worked_out() {
    for restitution in [1.0, 0.6] {
        for sign in [1.0, -1.0] {
            meeting::<Planar>(restitution, sign);
            meeting::<Spatial>(restitution, sign);
        }
    }
}

/// A grain that leaves above comes in below slower by rate times height, displaced against the flow by the offset of
/// the images; its velocity across stays, to the bit.
fn ways<D: Dimension>(rate: f64) {
    let side = [9.0, 6.0, 7.0];
    let low = parts::<D>([-1.0, 2.0, 0.5]);
    let mut setup = empty::<D>(low, low + parts::<D>(side), true);
    let (start, own) = (
        parts::<D>([1.0, 1.5, 2.0]) + low,
        parts::<D>([0.2, 1.7, -0.4]),
    );
    setup.bodies.push(body::<D>(start, own, 0.5));
    let mut engine = Engine::new(steady(setup.clone(), rate)).unwrap();
    let whole = own + parts::<D>([rate * 1.5, 0.0, 0.0]);
    for step in 1..200 {
        // Never at the moment of a way.
        let time = 0.2501 * f64::from(step);
        engine.run(time, u64::MAX);
        let now = engine.moment(0);
        let turns = ((1.5 + 1.7 * time) / 6.0).floor();
        close(
            "along",
            now.velocity[0],
            whole[0] - turns * rate * 6.0,
            1e-12,
        );
        assert_eq!(now.velocity[1], 1.7);
        let d = now.position - start - whole * time;
        assert!(shortest(&engine, &setup, d).norm() < 1e-11);
        for k in 0..D::N {
            let inside = low[k] - 1e-9..low[k] + side[k] + 1e-9;
            assert!(inside.contains(&now.position[k]), "{now:?}");
        }
        let shearing = engine.shearing().unwrap();
        close("shear", shearing.sheared, rate * time, 1e-12);
        let off = shearing.offset - rate * 6.0 * time;
        close("offset", off, 9.0 * (off / 9.0).round(), 1e-11);
        assert!(shearing.offset.abs() <= 4.5 + 1e-12);
    }
}

#[test]
fn each_way_over_the_border_changes_the_velocity_by_rate_times_height() {
    for rate in [3.0, -0.7] {
        ways::<Planar>(rate);
        ways::<Spatial>(rate);
    }
}

/// Grains of several sizes and masses in a box that is no cube.
fn mixture<D: Dimension>(restitution: f64, rough: bool) -> Setup<D> {
    let mut setup = lattice::<D>(if D::N == 2 { 14 } else { 7 }, 0.3, 5);
    let stretch = parts::<D>([1.0, 1.1, 1.3]);
    let times = |a: D::Vector| D::Vector::from_fn(|k| a[k] * stretch[k]);
    setup.max = times(setup.max);
    for (k, body) in setup.bodies.iter_mut().enumerate() {
        body.position = times(body.position);
        if k % 3 == 0 {
            (body.radius, body.mass) = (0.3, 0.4);
        }
    }
    setup.rules = vec![Rule {
        rough: rough.then_some(arenite::collide::engine::Rough {
            restitution: 0.2,
            friction: 0.3,
        }),
        ..Rule::smooth(restitution)
    }];
    rest(&mut setup.bodies);
    setup
}

/// Takes away the mean velocity.
fn rest<D: Dimension>(bodies: &mut [Body<D>]) {
    let mass: f64 = bodies.iter().map(|b| b.mass).sum();
    let sum = bodies
        .iter()
        .fold(D::Vector::default(), |sum, b| sum + b.velocity * b.mass);
    bodies
        .iter_mut()
        .for_each(|b| b.velocity -= sum * (1.0 / mass));
}

fn energy<D: Dimension>(engine: &Engine<D>) -> f64 {
    let (motion, spin) = engine.kinetic();
    motion + spin
}

/// The work of the stress on the flow is what closes the balance; no momentum comes about; no two grains ever overlap.
fn balances<D: Dimension>(restitution: f64, rough: bool, rate: f64) {
    let setup = mixture::<D>(restitution, rough);
    let mut sheared = setup.clone();
    // Also while the rate changes, and turns round.
    sheared.shear = Some(vec![
        ShearRate { from: 0.0, rate },
        ShearRate {
            from: 1.5,
            rate: 2.0 * rate,
        },
        ShearRate {
            from: 2.5,
            rate: -rate,
        },
    ]);
    let mut engine = Engine::new(sheared).unwrap();
    let start = energy(&engine);
    let mut most = start;
    for step in 1..=12 {
        engine.run(f64::from(step) * 0.33, u64::MAX);
        let (now, lost, work) = (
            energy(&engine),
            engine.tally().lost,
            engine.flux().unwrap().work,
        );
        most = most.max(lost + now);
        // Rounding: some thousand terms.
        close("energy", (now + lost - start - work) / most, 0.0, 2e-13);
        let momentum = (0..engine.len())
            .map(|i| own(&engine, i) * engine.mass(i))
            .fold(D::Vector::default(), |sum, p| sum + p);
        assert!(momentum.norm() < 1e-9 * most, "{momentum:?}");
        let overlap = deepest(&engine, &setup);
        assert!(overlap < 1e-11, "{overlap} at step {step}");
    }
    assert!(engine.tally().collisions > 500, "{:?}", engine.tally());
    assert!(engine.tally().deepest < 1e-10, "{:?}", engine.tally());
}

#[test]
fn energy_and_momentum_are_kept_and_no_two_grains_overlap() {
    for (restitution, rough) in [(1.0, false), (0.8, true)] {
        for rate in [1.0, 20.0] {
            balances::<Planar>(restitution, rough, rate);
            balances::<Spatial>(restitution, rough, rate);
        }
    }
}

/// The same with contacts that last, some of which are interrupted or have no room: what is to come from them belongs to the
/// balance, and grains that are put beside each other overlap by what their contacts leave.
fn soft_balances<D: Dimension>(rate: f64) {
    let mut setup = steady(softly(mixture::<D>(1.0, false)), rate);
    setup.shear.iter_mut().for_each(|rates| {
        rates.push(ShearRate {
            from: 1.5,
            rate: -rate,
        });
    });
    let mut engine = Engine::new(setup).unwrap();
    let start = energy(&engine);
    let mut most = start;
    for step in 1..=10 {
        engine.run(f64::from(step) * 0.3, u64::MAX);
        let now = energy(&engine) + engine.hidden();
        let (tally, work) = (engine.tally(), engine.flux().unwrap().work);
        most = most.max(tally.lost + now);
        let error = now + tally.lost + tally.soft.mismatch - start - work;
        close("energy", error / most, 0.0, 1e-12);
    }
    let soft = engine.tally().soft;
    assert!(soft.ended > 200 && soft.interrupted > 10, "{soft:?}");
    // What the flow changes meanwhile in the share of a grain alone is little.
    assert!(soft.mismatch.abs() < 0.05 * most, "{soft:?} of {most}");
}

#[test]
fn contacts_that_last_are_in_the_balance() {
    for rate in [1.0, 8.0] {
        soft_balances::<Planar>(rate);
        soft_balances::<Spatial>(rate);
    }
}

/// Contacts of pairs last some thousandths of the unit of time.
fn softly<D: Dimension>(mut setup: Setup<D>) -> Setup<D> {
    let law = ContactLaw::LinearPerMass(LinearPerMass(Linear {
        normal_stiffness: 1e5,
        tangential_stiffness: 0.0,
        normal_damping: 30.0,
        tangential_damping: 0.0,
        friction: 0.0,
    }));
    setup.laws = Laws {
        pairs: vec![Some(ByLaw {
            law,
            terms: ContactTerms::default(),
            soft: true,
        })],
        tolerance: 1e-4,
    };
    setup
}

/// A collision by its time and its two grains.
type Met = (f64, u32, u32);

/// The first collisions.
fn history<D: Dimension>(setup: &Setup<D>, count: usize) -> (Vec<Met>, Engine<D>) {
    let mut met = Vec::new();
    let mut watch = |hit: &Collision<D>| {
        if let Other::Grain(b) = hit.b {
            met.push((hit.time, hit.a.min(b), hit.a.max(b)));
        }
    };
    let mut engine = Engine::new(setup.clone()).unwrap();
    engine.run_with(f64::INFINITY, count as u64, &mut watch);
    (met, engine)
}

fn same(one: &[Met], other: &[Met], tolerance: f64) {
    assert_eq!(one.len(), other.len());
    for (k, (a, b)) in one.iter().zip(other).enumerate() {
        assert_eq!((a.1, a.2), (b.1, b.2), "collision {k}: {a:?}, {b:?}");
        close("time", a.0, b.0, tolerance);
    }
}

/// Where the border lies makes no difference to an endless sheared gas: the same collisions with the box elsewhere, so that
/// other grains meet across its border; and mirrored, with the
/// flow the other way.
fn anywhere<D: Dimension>(soft: bool) {
    let setup = steady(mixture::<D>(0.9, false), 5.0);
    let setup = if soft { softly(setup) } else { setup };
    let count = 2 * setup.bodies.len();
    let (met, _) = history(&setup, count);
    let size = setup.max - setup.min;
    for by in [[0.0, 0.37, 0.0], [0.21, 0.5, 0.77], [0.4, -0.83, 0.1]] {
        let mut moved = setup.clone();
        let way = D::Vector::from_fn(|k| by[k] * size[k]);
        (moved.min, moved.max) = (moved.min + way, moved.max + way);
        // Rounding grows some tenfold with each collision of a grain, of which there are four.
        same(&met, &history(&moved, count).0, 1e-7);
    }
    let mut mirrored = steady(setup.clone(), -5.0);
    for body in &mut mirrored.bodies {
        body.position[0] = setup.max[0] - body.position[0];
        body.velocity[0] = -body.velocity[0];
    }
    let (other, engine) = history(&mirrored, count);
    same(&met, &other, 1e-7);
    // Stresses across change their sign, others stay.
    let (a, b) = (
        history(&setup, count).1.flux().unwrap(),
        engine.flux().unwrap(),
    );
    let scale = a.total()[1][1];
    close("xy", (a.total()[0][1] + b.total()[0][1]) / scale, 0.0, 1e-6);
    close("yy", (a.total()[1][1] - b.total()[1][1]) / scale, 0.0, 1e-6);
    close("work", (a.work - b.work) / a.work, 0.0, 1e-6);
}

#[test]
fn the_border_may_lie_anywhere() {
    for soft in [false, true] {
        anywhere::<Planar>(soft);
        anywhere::<Spatial>(soft);
    }
}

/// Boxes as small as they may be, in which each grain has itself in all directions.
#[test]
fn the_smallest_boxes_are_sheared() {
    fn small<D: Dimension>() {
        let side = 3.001;
        let mut setup = empty::<D>(D::Vector::default(), D::Vector::from_fn(|_| side), true);
        for k in 0..4 {
            let place = [
                [0.1, 0.2, 0.3],
                [1.6, 0.4, 0.2],
                [0.5, 1.7, 0.1],
                [2.0, 1.9, 1.5],
            ][k];
            let own = [
                [0.3, 0.8, 0.1],
                [-0.4, 0.3, -0.2],
                [0.2, -0.6, 0.5],
                [-0.1, -0.5, -0.4],
            ][k];
            setup
                .bodies
                .push(body::<D>(parts::<D>(place), parts::<D>(own), 0.5));
        }
        setup.rules = vec![Rule::smooth(0.9)];
        let setup = steady(setup, 3.0);
        let mut engine = Engine::new(setup.clone()).unwrap();
        for step in 1..=2_000 {
            engine.run(0.01 * f64::from(step), u64::MAX);
            let overlap = deepest(&engine, &setup);
            assert!(overlap < 1e-11, "{overlap} at step {step}");
        }
        assert!(engine.tally().collisions > 200, "{:?}", engine.tally());
    }
    small::<Planar>();
    small::<Spatial>();
}

/// A rate of 0 changes no bit of a periodic gas, in cells or with lists; parts of a run, levels and a saved state none of a
/// sheared one.
#[test]
fn no_rate_is_no_shear_and_parts_change_no_bit() {
    fn check<D: Dimension>() {
        for filled in [0.2, 0.5] {
            let plain = lattice::<D>(12, filled, 3);
            let still = steady(plain.clone(), 0.0);
            let run = |setup: &Setup<D>| {
                let mut engine = Engine::new(setup.clone()).unwrap();
                engine.run(2.0, u64::MAX);
                engine
            };
            let (one, other) = (run(&plain), run(&still));
            assert_eq!(one.tally(), other.tally());
            for i in 0..one.len() {
                assert_eq!(one.moment(i), other.moment(i));
            }
            // The flux by collisions is that of the virial.
            let flux: FluxTally = other.flux().unwrap();
            let trace: f64 = (0..D::N).map(|k| flux.collisions[k][k]).sum();
            close("virial", trace / other.tally().virial, 1.0, 1e-10);
            let carried: f64 = (0..D::N).map(|k| flux.motion[k][k]).sum();
            // Without loss it is twice the energy, times the time.
            close("motion", carried / (4.0 * one.kinetic().0), 1.0, 1e-10);
        }
        let mut setup = mixture::<D>(0.9, true);
        setup.shear = Some(vec![
            ShearRate {
                from: 0.0,
                rate: 2.0,
            },
            ShearRate {
                from: 0.61,
                rate: 5.0,
            },
        ]);
        let mut whole = Engine::new(setup.clone()).unwrap();
        whole.run(2.0, u64::MAX);
        let mut cut = Engine::new(setup).unwrap();
        cut.set_level(Level::Plain);
        for part in 1..=20 {
            cut.run(0.1 * f64::from(part), u64::MAX);
            let bytes = postcard::to_stdvec(&cut).unwrap();
            cut = postcard::from_bytes(&bytes).unwrap();
        }
        assert_eq!(whole.tally(), cut.tally());
        for i in 0..whole.len() {
            assert_eq!(whole.moment(i), cut.moment(i));
        }
        assert_eq!(whole.flux(), cut.flux());
        assert_eq!(whole.shearing(), cut.shearing());
    }
    check::<Planar>();
    check::<Spatial>();
}

/// Steady simple shear in units of diameter, mass of a grain and rate: temperature, pressure across the flow and shear
/// stress, means over a time and their spread over seeds.
pub fn simple_shear<D: Dimension>(
    (n, filled, restitution): (usize, f64, f64),
    seeds: std::ops::Range<u64>,
    [warm, measured]: [f64; 2],
) -> [(f64, f64); 3] {
    let mut all = [Vec::new(), Vec::new(), Vec::new()];
    for seed in seeds {
        let mut setup = lattice::<D>(n, filled, seed);
        setup.rules = vec![Rule::smooth(restitution)];
        let mut engine = Engine::new(steady(setup, 1.0)).unwrap();
        engine.run(warm, u64::MAX);
        let before = engine.flux().unwrap();
        let (mut heat, mut looks) = (0.0, 0.0);
        while engine.time() < warm + measured {
            engine.run(engine.time() + 0.5, u64::MAX);
            heat += 2.0 * engine.kinetic().0 / (D::N * engine.len()) as f64;
            looks += 1.0;
        }
        let (after, over) = (
            engine.flux().unwrap(),
            engine.volume() * (engine.time() - warm),
        );
        let mean = |i: usize, j: usize| (after.total()[i][j] - before.total()[i][j]) / over;
        all[0].push(heat / looks);
        all[1].push(mean(1, 1));
        all[2].push(-mean(1, 0));
    }
    all.map(|values| {
        let count = values.len() as f64;
        let mean = values.iter().sum::<f64>() / count;
        let spread = values.iter().map(|v| (v - mean) * (v - mean)).sum::<f64>();
        (mean, (spread / (count - 1.0) / count).sqrt())
    })
}

/// Temperature, pressure and shear stress of smooth spheres in steady simple shear (Lun et al. 1984), in units of
/// diameter, mass and rate.
fn lun(phi: f64, e: f64) -> [f64; 3] {
    let pi = std::f64::consts::PI;
    let h = 0.5 * (1.0 + e);
    let g = (2.0 - phi) / (2.0 * (1.0 - phi) * (1.0 - phi) * (1.0 - phi));
    let viscosity = 5.0 * pi.sqrt() / 96.0
        * (1.0 / (h * (2.0 - h) * g)
            + 1.6 * (3.0 * h - 1.0) / (2.0 - h) * phi
            + 2.56 * h * ((3.0 * h - 2.0) / (2.0 - h) + 12.0 / pi) * phi * phi * g);
    let loss = 48.0 / pi.sqrt() * h * (1.0 - h) * phi * phi * g;
    let heat = viscosity / loss;
    // Density of the material over mass of a grain.
    let dense = 6.0 / pi;
    let pressure = dense * phi * (1.0 + 4.0 * h * phi * g) * heat;
    [heat, pressure, dense * viscosity * heat.sqrt()]
}

/// The same of smooth disks without much loss: viscosity by Enskog's theory (Gass 1971), loss by Jenkins and Richman 1985.
fn jenkins(phi: f64, e: f64) -> [f64; 3] {
    let pi = std::f64::consts::PI;
    let g = (16.0 - 7.0 * phi) / (16.0 * (1.0 - phi) * (1.0 - phi));
    let viscosity = (1.0 / g + 2.0 * phi + (1.0 + 8.0 / pi) * phi * phi * g) / (2.0 * pi.sqrt());
    let number = 4.0 * phi / pi;
    let loss = number * number * g * pi.sqrt() * (1.0 - e * e);
    let heat = viscosity / loss;
    let pressure = number * (1.0 + (1.0 + e) * phi * g) * heat;
    [heat, pressure, viscosity * heat.sqrt()]
}

/// With little loss the steady state is that of kinetic theory, to the few percent by which loss makes the temperature
/// unlike in directions.
#[test]
fn simple_shear_is_that_of_kinetic_theory() {
    fn check(what: &str, found: [(f64, f64); 3], theory: [f64; 3], within: f64) {
        println!("{what}: {found:?}, theory {theory:?}");
        for ((found, error), theory) in found.into_iter().zip(theory) {
            assert!(error < 0.03 * found, "{what}: {found} varies by {error}");
            assert!(
                (found / theory - 1.0).abs() < within,
                "{what}: {found}, not {theory}"
            );
        }
    }
    // What the theories leave out goes with the loss: found are 0.97 and 0.99 (e = 0.98), 0.93 and 0.98 (0.95), 0.85 and 0.94 (0.9), 0.71
    // and 0.87 (0.8) of the temperature of disks and of spheres.
    for (e, within) in [(0.98, 0.04), (0.95, 0.1)] {
        let disks = simple_shear::<Planar>((16, 0.3, e), 1..5, [40.0, 200.0]);
        check("disks", disks, jenkins(0.3, e), within);
        let spheres = simple_shear::<Spatial>((7, 0.3, e), 1..5, [40.0, 100.0]);
        check("spheres", spheres, lun(0.3, e), within);
    }
    let spheres = simple_shear::<Spatial>((7, 0.3, 0.9), 1..5, [40.0, 100.0]);
    check("spheres", spheres, lun(0.3, 0.9), 0.1);
}

/// Temperature and shear stress of a dilute gas in uniform shear, whatever its loss, by the kinetic model of Santos and
/// Astillero 2005 (Phys. Rev. E 72, 031308), which is close to Boltzmann's equation: with the frequency nu of relaxation of the stress
/// without loss, beta its ratio with loss, zeta the rate of cooling over nu, (rate / nu)^2 = d zeta (beta + zeta)^2 / (2 beta).
fn santos<D: Dimension>(phi: f64, e: f64) -> [f64; 2] {
    let (pi, d) = (std::f64::consts::PI, D::N as f64);
    let zeta = (d + 2.0) / (4.0 * d) * (1.0 - e * e);
    let beta = 0.5 * (1.0 + e) * (1.0 - (d - 1.0) / (2.0 * d) * (1.0 - e));
    let number = phi / D::ball_measure(0.5);
    // Collisions are more frequent than without volume (Enskog).
    let (bare, crowd) = match D::N {
        2 => (2.0 * pi.sqrt(), 1.0 + 25.0 / 16.0 * phi),
        _ => (3.2 * pi.sqrt(), 1.0 + 2.5 * phi),
    };
    let per_root = bare * number * crowd;
    let root = 1.0 / (per_root * (0.5 * d * zeta * (beta + zeta) * (beta + zeta) / beta).sqrt());
    let heat = root * root;
    [heat, 0.5 * d * zeta * per_root * root * number * heat]
}

/// A dilute gas that loses much, where the temperature differs by direction.
#[test]
fn a_dilute_gas_is_sheared_as_boltzmanns_equation_has_it() {
    fn check<D: Dimension>(n: usize, measured: f64) {
        let phi = 0.01;
        for e in [0.9, 0.7] {
            let [heat, _, stress] = simple_shear::<D>((n, phi, e), 1..4, [60.0, measured]);
            let theory = santos::<D>(phi, e);
            println!("{} {e}: {heat:?} {stress:?}, {theory:?}", D::N);
            // The model and what is left of the volume; without what loss does to the viscosity the temperature would be 1.13 and 1.38
            // (disks), 1.08 and 1.25 (spheres) times that.
            let within = if e == 0.9 { 0.05 } else { 0.1 };
            for (found, theory) in [(heat.0, theory[0]), (stress.0, theory[1])] {
                assert!(
                    (found / theory - 1.0).abs() < within,
                    "{found}, not {theory}"
                );
            }
        }
    }
    check::<Planar>(16, 300.0);
    check::<Spatial>(7, 200.0);
}
