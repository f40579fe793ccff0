//! Bonds against beam theory: stretching, shear, bending, twisting, strength; and what has to be kept when they break.

use std::f64::consts::PI;

use arenite::cluster::integrate::Integrate;
use arenite::event::EventKind;
use arenite::geometry::{Planar, Spatial, Vector};
use arenite::record::SeriesRow;
use arenite::system::{EventLog, Setup};

use crate::support::{close, momenta, run, same_bits, up, written_planar, written_spatial};

const RADIUS: f64 = 0.01;
const DENSITY: f64 = 2500.0;
const YOUNG: f64 = 2e8;

/// A grain of a chain along x: place, velocity across (along the last axis), spin about the axis across both.
struct Bead {
    x: f64,
    along: f64,
    across: f64,
    spin: String,
}

impl Bead {
    fn at(x: f64) -> Self {
        Bead {
            x,
            along: 0.0,
            across: 0.0,
            spin: String::new(),
        }
    }
}

fn vector(dimension: usize, along: f64, up: f64) -> String {
    let mut all = vec![0.0; dimension];
    all[0] = along;
    all[dimension - 1] = up;
    format!("{all:?}")
}

/// A chain of bonded grains without contacts. `bond` has the keys of the bonds.
fn chain(
    dimension: usize,
    beads: &[Bead],
    bond: &str,
    gravity: f64,
    end: f64,
    more: &str,
) -> String {
    let grains: String = beads
        .iter()
        .map(|bead| {
            let place = vector(dimension, bead.x, RADIUS);
            let velocity = vector(dimension, bead.along, bead.across);
            format!(
                "{{ position = {place}, velocity = {velocity}, radius = {RADIUS}{} }},\n",
                bead.spin
            )
        })
        .collect();
    format!(
        "name = \"chain\"\ndimension = {dimension}\n[field]\ngravity = {}\n{more}\n[run]\nend_time = {end:?}\n[log]\nseries = {:?}\n\
         snapshots = \"never\"\n[material.rock]\ndensity = {DENSITY}\n[material.steel]\n[[law]]\nbetween = [\"rock\", \"rock\"]\n{LINEAR}\
         [law.bond]\ngap = 0.0021\n{bond}\n[[law]]\nbetween = [\"rock\", \"steel\"]\n{LINEAR}\n[[fill]]\nmaterial = \"rock\"\ngrains = [{grains}]\n",
        vector(dimension, 0.0, -gravity),
        end / 40.0,
    )
}

const LINEAR: &str = "[law.linear]\nnormal_stiffness = 1e5\ntangential_stiffness = 0.0\nnormal_damping = 20.0\ntangential_damping = 0.0\nfriction = 0.0\n";

fn beam(damping: f64) -> String {
    format!("beam = {{ young = {YOUNG:?}, poisson = 0.2 }}\ndamping = {damping:?}")
}

/// Area, moment of area, and factor of shear of a beam as wide as the grains.
fn section(dimension: usize) -> [f64; 3] {
    let nu = 0.2;
    if dimension == 2 {
        [
            2.0 * RADIUS,
            2.0 / 3.0 * RADIUS.powi(3),
            10.0 * (1.0 + nu) / (12.0 + 11.0 * nu),
        ]
    } else {
        let area = PI * RADIUS * RADIUS;
        [
            area,
            0.25 * area * RADIUS * RADIUS,
            6.0 * (1.0 + nu) / (7.0 + 6.0 * nu),
        ]
    }
}

fn mass(dimension: usize) -> f64 {
    DENSITY
        * if dimension == 2 {
            PI * RADIUS * RADIUS
        } else {
            4.0 / 3.0 * PI * RADIUS.powi(3)
        }
}

/// Two grains that move apart along their bond oscillate at sqrt(2 E A / (l m)).
fn stretches<D: Integrate>(written: impl Fn(&str) -> Setup<D>) {
    let length = 0.022;
    let [area, ..] = section(D::N);
    let frequency = (2.0 * YOUNG * area / length / mass(D::N)).sqrt();
    let speed = 1e-4;
    let end = 2.25 * 2.0 * PI / frequency;
    let mut beads = [Bead::at(0.0), Bead::at(length)];
    (beads[0].along, beads[1].along) = (-0.5 * speed, 0.5 * speed);
    let setup = written(&chain(D::N, &beads, &beam(0.0), 0.0, end, ""));
    let (system, _) = run(&setup);
    let grains = system.grains_at(end);
    let found = grains[1].position[0] - grains[0].position[0] - length;
    close("stretch", found * frequency / speed, 1.0, 2e-3);
}

#[test]
fn a_bond_stretches_as_a_bar() {
    stretches::<Planar>(written_planar);
    stretches::<Spatial>(written_spatial);
}

/// Two spheres that spin against each other about their bond oscillate at sqrt(2 G J / (l I)).
#[test]
fn a_bond_twists_as_a_shaft() {
    let length = 0.022;
    let stiffness = YOUNG / 2.4 * 0.5 * PI * RADIUS.powi(4) / length;
    let frequency = (2.0 * stiffness / (0.4 * mass(3) * RADIUS * RADIUS)).sqrt();
    let end = 2.0 * PI / frequency * 3.0;
    let spin = 1e-2;
    let mut beads = [Bead::at(0.0), Bead::at(length)];
    beads[0].spin = format!(", spin = [{spin:?}, 0.0, 0.0]");
    beads[1].spin = format!(", spin = [{:?}, 0.0, 0.0]", -spin);
    let setup = written_spatial(&chain(3, &beads, &beam(0.0), 0.0, end, ""));
    let (system, _) = run(&setup);
    let found = system.grains_at(end)[0].spin[0];
    close("spin after three periods", found / spin, 1.0, 2e-3);
    let setup = written_spatial(&chain(3, &beads, &beam(0.0), 0.0, 1.25 / 3.0 * end, ""));
    let (system, _) = run(&setup);
    let found = system.grains_at(1.25 / 3.0 * end)[0].spin[0];
    close("spin a quarter later", found / spin, 0.0, 4e-3);
}

/// The first mode of a free beam: cosh - like, zero moment and force at both ends.
fn free_mode(x: f64) -> f64 {
    let k: f64 = 4.730_040_744_862_704;
    let ratio = (k.cosh() - k.cos()) / (k.sinh() - k.sin());
    (k * x).cosh() + (k * x).cos() - ratio * ((k * x).sinh() + (k * x).sin())
}

/// A slender free chain bends at the first frequency of Euler's beam, 22.373 / L^2 sqrt(E I / mass per length).
fn bends<D: Integrate>(written: impl Fn(&str) -> Setup<D>) {
    let (count, distance) = (60, 0.022);
    let [_, moment, _] = section(D::N);
    let length = count as f64 * distance;
    let frequency =
        22.373_285 / (length * length) * (YOUNG * moment * distance / mass(D::N)).sqrt();
    let speed = 1e-3;
    let beads: Vec<Bead> = (0..count)
        .map(|k| {
            let x = (k as f64 + 0.5) / count as f64;
            Bead {
                across: speed * free_mode(x),
                ..Bead::at(k as f64 * distance)
            }
        })
        .collect();
    let end = PI / frequency;
    let setup = written(&chain(D::N, &beads, &beam(0.02), 0.0, end, ""));
    let (system, sink) = run(&setup);
    let last = &system.grains_at(end)[0];
    // How much later or earlier than expected the end comes through its place at rest, over half a period.
    let late = (up::<D>(last.position) - RADIUS) / (speed * free_mode(0.5 / count as f64)) / end;
    println!("{} dimensions: off by {late:.1e}", D::N);
    assert!(late.abs() < 1e-3, "{late:e}");
    let worst = sink.series.last().expect("a row").balance_error;
    assert!(worst < 1e-3, "{worst:e}");
}

#[test]
fn a_slender_chain_bends_at_the_frequency_of_euler() {
    bends::<Planar>(written_planar);
    bends::<Spatial>(written_spatial);
}

/// A chain on two supports sags under its weight as a beam with shear (Timoshenko): by the unit load theorem, exact between the loads.
fn sags<D: Integrate>(written: impl Fn(&str) -> Setup<D>) {
    let (count, distance, gravity) = (11, 0.022, 9.81);
    let [area, moment, shear] = section(D::N);
    let span = (count - 1) as f64 * distance;
    let weight = mass(D::N) * gravity;
    // Moment and shear force at x from the left support, by all loads, and by a unit load in the middle.
    let by = |x: f64, at: f64, load: f64| {
        let left = load * (1.0 - at / span);
        if x < at {
            [left * x, left]
        } else {
            [left * x - load * (x - at), left - load]
        }
    };
    let rigidity = [YOUNG * moment, shear * YOUNG / 2.4 * area];
    let mut sag = 0.0;
    for element in 0..count - 1 {
        // Moments are linear between grains: Simpson's rule is exact.
        for (share, part) in [(1e-9, 1.0 / 6.0), (0.5, 4.0 / 6.0), (1.0 - 1e-9, 1.0 / 6.0)] {
            let x = (element as f64 + share) * distance;
            let mut whole = [0.0; 2];
            for load in 0..count {
                let one = by(x, load as f64 * distance, weight);
                (0..2).for_each(|k| whole[k] += one[k]);
            }
            let unit = by(x, 0.5 * span, 1.0);
            for k in 0..2 {
                sag += part * distance * whole[k] * unit[k] / rigidity[k];
            }
        }
    }
    let beads: Vec<Bead> = (0..count).map(|k| Bead::at(k as f64 * distance)).collect();
    let supports: String = [0.0, span]
        .map(|x| {
            let low = {
                let mut low = vec![-0.2; D::N];
                low[0] = x - 0.009;
                low
            };
            let high = {
                let mut high = vec![0.2; D::N];
                (high[0], high[D::N - 1]) = (x + 0.009, 0.0);
                high
            };
            format!(
                "[[boundary]]\nname = \"support-{x}\"\nmaterial = \"steel\"\nbox = {{ min = {low:?}, max = {high:?}, grains = \"outside\" }}\n"
            )
        })
        .concat();
    // Critical for the first mode of a beam on two supports.
    let first = PI * PI / (span * span) * (YOUNG * moment * distance / mass(D::N)).sqrt();
    let drag = format!("drag = {:?}\n", mass(D::N) * first);
    // The supports are softer than the beam.
    let end = 150.0 / first;
    let text = chain(D::N, &beads, &beam(0.1), gravity, end, &drag) + &supports;
    let (system, _) = run(&written(&text));
    let grains = system.grains_at(end);
    let height = |k: usize| up::<D>(grains[k].position);
    let found = 0.5 * (height(0) + height(count - 1)) - height(count / 2);
    println!(
        "{} dimensions: sag {found:.6e} m, by theory {sag:.6e}",
        D::N
    );
    close("sag", found / sag, 1.0, 1e-6);
}

#[test]
fn a_chain_on_two_supports_sags_as_a_beam() {
    sags::<Planar>(written_planar);
    sags::<Spatial>(written_spatial);
}

/// Two grains that go round each other: the greatest tension is known from momentum and energy.
fn whirling<D: Integrate>(written: impl Fn(&str) -> Setup<D>, strength: f64) -> (Setup<D>, u64) {
    let length = 0.022;
    let mut beads = [Bead::at(0.0), Bead::at(length)];
    (beads[0].across, beads[1].across) = (-1.0, 1.0);
    // As one body, so that nothing bends.
    let spin = 2.0 / length;
    let about = if D::N == 2 {
        format!(", spin = {spin:?}")
    } else {
        format!(", spin = [0.0, {:?}, 0.0]", -spin)
    };
    for bead in &mut beads {
        bead.spin.clone_from(&about);
    }
    let bond = format!("{}\nloads = {{ tension = {strength:?} }}", beam(0.0));
    let mut setup = written(&chain(D::N, &beads, &bond, 0.0, 0.02, ""));
    setup.log.events = EventLog::Links;
    let (system, sink) = run(&setup);
    let breaks = sink
        .events
        .iter()
        .filter(|row| row.kind == EventKind::BreakBond)
        .count();
    let grains = system.grains_at(0.02);
    let ((linear, before), (_, after)) = (momenta(&grains), momenta(&setup.grains));
    assert!(linear.norm() < 1e-14 * grains[0].mass, "{linear:?}");
    let size = |spin: D::Spin| D::spin_dot(spin, spin).sqrt();
    close("angular momentum", size(before) / size(after), 1.0, 1e-6);
    let energy = sink.series.iter().map(|row: &SeriesRow| row.balance_error);
    let worst = energy.fold(0.0, f64::max);
    assert!(worst < 1e-3, "{worst:e}");
    (setup, breaks as u64)
}

/// The greatest tension of two grains that begin to go round each other at a speed of 1 m/s on an unstretched bond.
fn greatest_tension(dimension: usize) -> f64 {
    let length: f64 = 0.022;
    let [area, ..] = section(dimension);
    let stiffness = YOUNG * area / length;
    // In the frame of the pair: m / 2 mass, speed 2 m/s; where the distance is greatest the energy of the bond is what the
    // rotation lost. The spins go on as they were, but for bending, which is small.
    let reduced = 0.5 * mass(dimension);
    let lost = |r: f64| 0.5 * reduced * 4.0 * (1.0 - (length / r).powi(2));
    let gap = |r: f64| 0.5 * stiffness * (r - length).powi(2) - lost(r);
    let (mut low, mut high) = (length * (1.0 + 1e-9), 2.0 * length);
    for _ in 0..100 {
        let middle = 0.5 * (low + high);
        if gap(middle) < 0.0 {
            low = middle
        } else {
            high = middle
        }
    }
    stiffness * (low - length)
}

fn breaks_at_its_strength<D: Integrate>(written: impl Fn(&str) -> Setup<D>) {
    let greatest = greatest_tension(D::N);
    let (_, holds) = whirling::<D>(&written, 1.02 * greatest);
    assert_eq!(holds, 0);
    let (_, breaks) = whirling::<D>(&written, 0.98 * greatest);
    assert_eq!(breaks, 1);
}

#[test]
fn bonds_break_at_their_strength() {
    breaks_at_its_strength::<Planar>(written_planar);
    breaks_at_its_strength::<Spatial>(written_spatial);
}

/// A chain that tumbles, bends and twists by wide angles keeps its energy for some hundred oscillations.
#[test]
fn tumbling_chains_keep_their_energy() {
    let beads = || {
        let mut beads: Vec<Bead> = (0..4).map(|k| Bead::at(0.022 * f64::from(k))).collect();
        beads[0].across = 0.3;
        beads[3].along = 0.1;
        beads[0].spin = ", spin = [30.0, 10.0, -5.0]".into();
        beads[2].spin = ", spin = [-20.0, 0.0, 15.0]".into();
        beads
    };
    let soft = "beam = { young = 5e5, poisson = 0.2 }";
    let setup = written_spatial(&chain(3, &beads(), soft, 0.0, 2.0, ""));
    let (system, _) = run(&setup);
    let energy = system.summary().energy;
    assert!(
        energy.balance_error_max < 1e-4,
        "{:e}",
        energy.balance_error_max
    );
    assert!(energy.elastic > 0.0);
}

/// A chain that is hit at one end breaks, with the same bits however the run is logged, stopped and resumed.
#[test]
fn broken_chains_have_the_same_bits() {
    let text = |dimension: usize| {
        let mut beads: Vec<Bead> = (0..12).map(|k| Bead::at(0.022 * f64::from(k))).collect();
        beads[0].across = 3.0;
        beads[5].along = -2.0;
        let bond = format!(
            "{}\nstrength = {{ tension = 2e5, shear = 2e5 }}\nscatter = {{ weibull = 4.0 }}",
            beam(0.05)
        );
        chain(dimension, &beads, &bond, 0.0, 0.01, "")
    };
    let planar = written_planar(&text(2));
    let (system, sink) = run(&planar);
    let last = sink.series.last().and_then(|row| row.bonds).expect("bonds");
    assert!(last.torn + last.sheared > 2, "{last:?}");
    assert_eq!(last.holding + last.torn + last.sheared, 11);
    let row = sink.series.last().expect("a row");
    let figures = system.summary();
    close(
        "released",
        figures.energy.dissipated.breakage,
        row.dissipated[4],
        1e-12,
    );
    // Counted whether they are logged or not.
    assert_eq!(
        figures.events.by_kind["break-bond"],
        last.torn + last.sheared
    );
    assert!(system.summary().energy.balance_error_max < 1e-3);
    same_bits(&planar, "a broken chain in the plane");
    same_bits(&written_spatial(&text(3)), "a broken chain in space");
}

/// A grain that is taken away takes its bonds along, with what they store.
#[test]
fn removed_grains_take_their_bonds_along() {
    fn check<D: Integrate>(mut setup: Setup<D>) {
        // The chain rings at its highest frequencies.
        setup.motion.safety *= 0.5;
        let (system, sink) = run(&setup);
        let last = sink.series.last().and_then(|row| row.bonds).expect("bonds");
        assert_eq!(
            (last.formed, last.holding, last.torn + last.sheared),
            (6, 4, 0)
        );
        let energy = system.summary().energy;
        assert!(energy.removed > 1e-3 * energy.elastic, "{energy:?}");
        assert!(energy.balance_error < 1e-3, "{:e}", energy.balance_error);
    }
    let text = |dimension: usize| {
        let mut beads: Vec<Bead> = (0..7).map(|k| Bead::at(0.022 * f64::from(k))).collect();
        (beads[0].across, beads[3].across, beads[6].across) = (1.0, -1.0, 1.0);
        let more = format!(
            "[[perturb]]\ntime = 1e-3\nremove = {{ near = {} }}\n",
            vector(dimension, 0.066, 0.0)
        );
        chain(dimension, &beads, &beam(0.0), 0.0, 0.004, "") + &more
    };
    check(written_planar(&text(2)));
    check(written_spatial(&text(3)));
}

/// What makes no sense is refused at its key.
#[test]
fn senseless_bonds_are_refused() {
    let refused = |bond: &str, dimension: usize, why: &str| {
        let text = chain(
            dimension,
            &[Bead::at(0.0), Bead::at(0.022)],
            bond,
            0.0,
            1.0,
            "",
        );
        let problem = arenite::scenario::Scenario::parse("bonds", &text, None, &[])
            .and_then(|scenario| scenario.resolve())
            .map(|_| ())
            .expect_err(bond)
            .render(false);
        let flowing = problem.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(flowing.contains(why), "{problem}");
        assert!(flowing.contains("bond"), "{problem}");
    };
    refused("", 2, "how stiff the bonds are");
    refused("beam = { young = -1.0 }", 2, "greater than 0");
    refused("beam = { young = 1e9, poisson = 0.7 }", 3, "from 0 to 0.5");
    refused(
        "beam = { young = 1e9 }\nstiffness = { normal = 1.0 }",
        2,
        "`beam`",
    );
    refused(
        "stiffness = { normal = 1.0, twisting = 1.0 }",
        2,
        "nothing twists",
    );
    refused(
        "stiffness = { normal = 1.0 }\nstrength = { tension = 1.0, shear = 1.0 }",
        2,
        "cross-section",
    );
    refused(
        "beam = { young = 1e9 }\nscatter = { weibull = 3.0 }",
        2,
        "nothing scatters",
    );
    refused(
        "beam = { young = 1e9 }\nstrength = { tension = 1.0, shear = 1.0 }\nloads = { tension = 1.0 }",
        2,
        "give one",
    );
    refused("beam = { young = 1e9 }\ndamping = nan", 2, "0 or more");
    refused(
        "beam = { young = 1e9 }\nstrenght = { tension = 1.0 }",
        2,
        "strength",
    );
}

/// A block in which each sphere is bonded to up to 26 others, at random speeds, with strong dampers: the chosen step is for all bonds of a
/// grain together.
#[test]
fn many_bonds_of_a_grain_are_stable() {
    let side = |k: usize| 0.02 * (k % 3) as f64;
    // Multiples of the golden ratio are spread evenly.
    let speed = |k: usize| 0.1 * ((k as f64 * 0.618_033_988_7).fract() - 0.5);
    let grains: String = (0..27)
        .map(|k| {
            format!(
                "{{ position = [{:?}, {:?}, {:?}], velocity = [{:?}, {:?}, {:?}], spin = [{:?}, 0.0, 3.0], radius = {RADIUS} }},\n",
                side(k),
                side(k / 3),
                side(k / 9),
                speed(3 * k),
                speed(3 * k + 1),
                speed(3 * k + 2),
                100.0 * speed(7 * k),
            )
        })
        .collect();
    for damping in [0.5, 1.0, 3.0] {
        let text = chain(3, &[Bead::at(0.0)], &beam(damping), 0.0, 0.01, "")
            .replace("gap = 0.0021", "gap = 0.0147");
        let at = text.find("grains = [").expect("a list");
        let setup = written_spatial(&format!("{}grains = [{grains}]\n", &text[..at]));
        let begin: f64 = setup
            .grains
            .iter()
            .map(|grain| grain.kinetic_energy())
            .sum();
        let (system, sink) = run(&setup);
        let bonds = sink.series.last().and_then(|row| row.bonds).expect("bonds");
        assert!(bonds.formed > 150, "{bonds:?}");
        let energy = system.summary().energy;
        println!("damping {damping}: balance to {:.1e}", energy.balance_error);
        assert!(energy.kinetic + energy.elastic < begin, "{energy:?}");
    }
}

/// Explicit Euler would let bonds swing ever more.
#[test]
fn euler_takes_no_bonds() {
    let text = chain(
        2,
        &[Bead::at(0.0), Bead::at(0.022)],
        &beam(0.0),
        0.0,
        1.0,
        "",
    )
    .replace("[run]\n", "[run]\nintegrator = \"euler\"\n");
    let problem = arenite::scenario::Scenario::parse("bonds", &text, None, &[])
        .and_then(|scenario| scenario.resolve())
        .map(|_| ())
        .expect_err("euler");
    assert!(problem.render(false).contains("swing ever more"));
}
