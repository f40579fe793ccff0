//! Runs of any kind, drawn at random, keep what every run must keep: the ledger closes, momentum is accounted for,
//! nobody leaves a closed box, the same bits come out whatever is logged and however often it is stopped, and what is
//! turned or mirrored moves as what is not.
//!
//! Each case is a scenario as a user would write it. `cargo test --release --test it random_runs -- --ignored` draws
//! many more.

use std::fmt::Write;

use arenite::body::Grain;
use arenite::cluster::integrate::Integrate;
use arenite::geometry::{Planar, Spatial, Vector};
use arenite::record::MemorySink;
use arenite::system::{EventLog, Setup, System};

use crate::support::{Checkpoints, Dice, close, finish, run, written_planar, written_spatial};

/// Side of the box, m.
const SIDE: f64 = 0.2;
/// Simulated time, s: grains fall through the box about twice.
const FINISH: f64 = 0.3;

/// How far a shaken floor goes up and down, m.
const SHAKEN: f64 = 0.002;

/// Rounding, m, grown by some collisions of each grain; a contact that begins a step later is off by more before it has
/// grown.
const ROUNDING: f64 = 1e-7;

/// What a case has that its checks must know.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Kind {
    space: bool,
    walls: Walls,
    law: LawKind,
    slot: Slot,
    shape: Option<&'static str>,
    drag: bool,
    still: bool,
    flight: bool,
}

/// What keeps the grains in: closed, and its own mirror image.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Walls {
    /// Each side a plane.
    Planes,
    /// As planes, the floor moves up and down.
    Shaken,
    /// Thin walls: a chain of segments, in space a mesh of triangles.
    Thin,
    Box,
    /// A circle or a sphere about the box.
    Round,
    /// Floor and lid; along x, in space along y too, the box repeats itself.
    Periodic,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum LawKind {
    Linear,
    Hertz,
    Viscoelastic,
    Mutze,
}

/// What acts beside spring, dashpot and friction.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Slot {
    None,
    Rolling,
    Cohesion,
    Plastic,
}

impl Kind {
    fn drawn(dice: &mut Dice, space: bool) -> Kind {
        let shapes: &[&str] = match space {
            true => &["dimer"],
            false => &["quasi-triangle", "oval", "quasi-heptagon"],
        };
        let law = *one_of(
            dice,
            &[
                LawKind::Linear,
                LawKind::Linear,
                LawKind::Hertz,
                LawKind::Viscoelastic,
                LawKind::Mutze,
            ],
        );
        let slot = match (law, one_of(dice, &[0, 0, 1, 2, 3])) {
            (LawKind::Mutze, _) | (_, 0) => Slot::None,
            (_, 1) => Slot::Rolling,
            (LawKind::Linear, 3) => Slot::Plastic,
            _ => Slot::Cohesion,
        };
        let walls = *one_of(
            dice,
            &[
                Walls::Planes,
                Walls::Shaken,
                Walls::Thin,
                Walls::Box,
                Walls::Round,
                Walls::Periodic,
            ],
        );
        let mut toss = |share: f64| dice.roll() < share;
        let (shaped, drag) = (toss(0.3), toss(0.3));
        // What stands still knows spring and friction only.
        let plain = slot == Slot::None && law != LawKind::Mutze;
        let (still, flight) = (toss(0.4) && !drag && plain, toss(0.7));
        let shape = shaped.then(|| *one_of(dice, shapes));
        // Grains of arcs, all of the plane here, know spring, dashpot and friction only.
        let slot = match shape {
            Some(_) if !space => Slot::None,
            _ => slot,
        };
        Kind {
            space,
            walls,
            law,
            slot,
            shape,
            drag,
            still,
            flight,
        }
    }
}

fn one_of<'a, T>(dice: &mut Dice, from: &'a [T]) -> &'a T {
    &from[((from.len() as f64 * dice.roll()) as usize).min(from.len() - 1)]
}

/// A closed box of grains that fly, collide and come to rest.
fn scenario(seed: u64, kind: Kind) -> String {
    let mut dice = Dice(seed);
    let mut text = String::new();
    let dimension = if kind.space { 3 } else { 2 };
    let vector = |of: &dyn Fn(usize) -> f64| -> String {
        let parts: Vec<String> = (0..dimension).map(|k| format!("{:?}", of(k))).collect();
        format!("[{}]", parts.join(", "))
    };
    let (zero, side) = (vector(&|_| 0.0), vector(&|_| SIDE));
    // Gravity down, so that heaps come about, and a little askew.
    let (across, down) = (dice.between(-2.0, 2.0), dice.between(-12.0, -6.0));
    let last = dimension - 1;
    let gravity = vector(&|k| match k {
        _ if k == last => down,
        0 => across,
        _ => 0.3,
    });
    let _ = write!(
        text,
        "name = \"random\"\ndimension = {dimension}\nseed = {seed}\n[field]\ngravity = {gravity}\n"
    );
    if kind.drag {
        let _ = writeln!(text, "drag = {}", dice.between(0.1, 3.0));
    }
    let integrator = if kind.drag || kind.still || dice.roll() < 0.7 {
        "verlet"
    } else {
        "midpoint"
    };
    let _ = write!(
        text,
        "[run]\nfinish = {FINISH}\nintegrator = \"{integrator}\"\nflight = {}\n[log]\nseries = 0.01\ncheckpoint = \"never\"\n",
        kind.flight
    );
    if kind.still {
        text += "[morph]\nrigid = true\n";
    }
    let density = dice.between(500.0, 3000.0);
    let _ = writeln!(text, "[material.stuff]\ndensity = {density}");
    if kind.law != LawKind::Linear {
        text += "young = 2e8\npoisson = 0.25\n";
    }
    text += &law(&mut dice, kind);
    text += &walls(kind, &vector);
    let shape = kind
        .shape
        .map_or(String::new(), |name| format!("shape = \"{name}\"\n"));
    let _ = write!(
        text,
        "[[fill]]\nmaterial = \"stuff\"\n{shape}[fill.lattice]\ncount = {}\nradius = {{ mean = 0.008, spread = {} }}\n\
         min = {zero}\nmax = {side}\njitter = 0.9\nspeed = {}\n",
        20 + (25.0 * dice.roll()) as usize,
        dice.between(0.0, 0.25),
        dice.between(0.0, 1.0)
    );
    text
}

/// The law of all pairs, and what acts beside it.
fn law(dice: &mut Dice, kind: Kind) -> String {
    let mut text = "[[law]]\nbetween = [\"stuff\", \"stuff\"]\n".to_string();
    let friction = dice.between(0.0, 0.9);
    let stiffness = if kind.space { 2e4 } else { 2e5 };
    let _ = match kind.law {
        LawKind::Linear => write!(
            text,
            "[law.linear]\nnormal_stiffness = {stiffness}\ntangential_stiffness = {}\nnormal_damping = {}\n\
             tangential_damping = {}\nfriction = {friction}\nper_mass = true\n",
            stiffness * dice.between(0.2, 1.0),
            dice.between(0.0, 300.0),
            dice.between(0.0, 150.0),
        ),
        LawKind::Hertz => write!(
            text,
            "[law.hertz]\nrestitution = {}\nfriction = {friction}\n",
            dice.between(0.2, 0.95)
        ),
        LawKind::Viscoelastic => write!(
            text,
            "[law.viscoelastic]\ndissipation = {}\nfriction = {friction}\n",
            dice.between(1e-6, 1e-4)
        ),
        LawKind::Mutze => write!(
            text,
            "[law.mutze]\nsquared_restitution = {}\nfriction = {friction}\nsmoothing_speed = 0.1\n",
            dice.between(0.1, 0.9)
        ),
    };
    let _ = match kind.slot {
        Slot::None => Ok(()),
        Slot::Rolling => write!(
            text,
            "[law.rolling]\nfriction = {}\n",
            dice.between(0.01, 0.3)
        ),
        // Up to some weights of a grain.
        Slot::Cohesion => {
            let weight = if kind.space { 0.05 } else { 5.0 };
            write!(
                text,
                "[law.cohesion]\nforce = {}\n",
                weight * dice.between(0.1, 2.0)
            )
        }
        Slot::Plastic => write!(
            text,
            "[law.plastic]\nunloading_stiffness = {}\n",
            stiffness * dice.between(1.1, 2.0)
        ),
    };
    text
}

/// Writes a vector by what its components are.
type Written<'a> = &'a dyn Fn(&dyn Fn(usize) -> f64) -> String;

fn walls(kind: Kind, vector: Written) -> String {
    let mut text = String::new();
    let last = if kind.space { 2 } else { 1 };
    let mut plane = |axis: usize, end: usize, motion: &str| {
        let at = |value: f64| vector(&|k| if k == axis { value } else { 0.0 });
        let (point, normal) = match end {
            0 => (at(0.0), at(1.0)),
            _ => (at(SIDE), at(-1.0)),
        };
        let _ = write!(
            text,
            "[[boundary]]\nname = \"side{axis}{end}\"\nmaterial = \"stuff\"\nplane = {{ point = {point}, normal = \
             {normal} }}\n{motion}"
        );
    };
    let (zero, side) = (vector(&|_| 0.0), vector(&|_| SIDE));
    let named =
        |what: String| format!("[[boundary]]\nname = \"vessel\"\nmaterial = \"stuff\"\n{what}\n");
    match kind.walls {
        Walls::Planes | Walls::Shaken | Walls::Periodic => {
            let first = if kind.walls == Walls::Periodic {
                last
            } else {
                0
            };
            for axis in first..=last {
                for end in 0..2 {
                    let floor = axis == last && end == 0;
                    let motion = match kind.walls == Walls::Shaken && floor {
                        true => format!(
                            "motion = {{ harmonic = {{ amplitude = {}, frequency = 8.0 }} }}\n",
                            vector(&|k| if k == last { SHAKEN } else { 0.0 })
                        ),
                        false => String::new(),
                    };
                    plane(axis, end, &motion);
                }
            }
            if kind.walls == Walls::Periodic {
                for axis in &["x", "y"][..last] {
                    let head = if *axis == "x" { "[periodic]\n" } else { "" };
                    let _ = writeln!(text, "{head}{axis} = [0.0, {SIDE}]");
                }
            }
            text
        }
        Walls::Thin if !kind.space => named(format!(
            "polyline = {{ points = [[0.0, 0.0], [{SIDE}, 0.0], [{SIDE}, {SIDE}], [0.0, {SIDE}]], closed = true }}"
        )),
        Walls::Thin => {
            let corner = |k: usize| vector(&|axis| if k >> axis & 1 == 1 { SIDE } else { 0.0 });
            let corners: Vec<String> = (0..8).map(corner).collect();
            // Each side of the box by two triangles.
            let triangles = [
                [0, 1, 2],
                [1, 3, 2],
                [4, 6, 5],
                [5, 6, 7],
                [0, 4, 1],
                [1, 4, 5],
                [2, 3, 6],
                [3, 7, 6],
                [0, 2, 4],
                [2, 6, 4],
                [1, 5, 3],
                [3, 5, 7],
            ];
            named(format!(
                "mesh = {{ corners = [{}], triangles = {triangles:?} }}",
                corners.join(", ")
            ))
        }
        Walls::Box => named(format!(
            "box = {{ min = {zero}, max = {side}, grains = \"inside\" }}"
        )),
        Walls::Round => named(format!(
            "{} = {{ centre = {}, radius = {}, grains = \"inside\" }}",
            if kind.space { "sphere" } else { "circle" },
            vector(&|_| 0.5 * SIDE),
            around(kind.space)
        )),
    }
}

/// Radius of the circle or the sphere about the box.
fn around(space: bool) -> f64 {
    0.5 * SIDE * if space { 3.0_f64 } else { 2.0 }.sqrt()
}

fn planar(seed: u64, kind: Kind) -> Setup<Planar> {
    written_planar(&scenario(seed, kind))
}

fn spatial(seed: u64, kind: Kind) -> Setup<Spatial> {
    written_spatial(&scenario(seed, kind))
}

/// Ledger, momentum, box.
fn laws_hold<D: Integrate>(setup: &Setup<D>, kind: Kind, what: &str) {
    let (system, sink) = run(setup);
    let summary = system.summary();
    // What the program itself calls a bad run is over 1e-2.
    assert!(
        summary.energy.balance_error < 1e-2,
        "{what}: balance {}",
        summary.energy.balance_error
    );
    assert_eq!(summary.warnings, Vec::<String>::new(), "{what}");
    let grains = system.grains_at(setup.finish);
    assert_eq!(grains.len(), setup.grains.len(), "{what}");
    for grain in &grains {
        let from_middle = grain.position - D::Vector::from_fn(|_| 0.5 * SIDE);
        let inside = match kind.walls {
            Walls::Round => from_middle.norm() <= around(kind.space),
            _ => (0..D::N).all(|axis| from_middle[axis].abs() <= 0.5 * SIDE + SHAKEN),
        };
        assert!(
            inside,
            "{what}: grain {} left to {:?}",
            grain.id, grain.position
        );
    }
    momentum_is_accounted_for(setup, kind, &grains, &sink, what);
}

/// The change of momentum is what gravity and drag gave, less what walls took, tick by tick.
fn momentum_is_accounted_for<D: Integrate>(
    setup: &Setup<D>,
    kind: Kind,
    grains: &[Grain<D>],
    sink: &MemorySink,
    what: &str,
) {
    if setup.drag > 0.0 {
        return;
    }
    let mass: f64 = setup.grains.iter().map(|g| g.mass).sum();
    let total = |grains: &[Grain<D>], axis: usize| -> f64 {
        grains.iter().map(|g| g.mass * g.velocity[axis]).sum()
    };
    let mut before = 0.0;
    let (mut taken, mut flowed) = ([0.0; 3], 0.0);
    for row in &sink.series {
        for wall in &row.walls {
            for axis in 0..D::N {
                let impulse = wall[axis] * (row.time - before);
                taken[axis] += impulse;
                flowed += impulse.abs();
            }
        }
        before = row.time;
    }
    // Forces act from step to step, rows and grains are told between them: half a step of the largest forces. What
    // stands still may each lack a tenth of its weight (100 tolerance), in all directions: 2e-3 of what flowed was
    // the most in 40 seeds.
    let share = if kind.still { 1e-2 } else { 2e-3 };
    for axis in 0..D::N {
        let change = total(grains, axis) - total(&setup.grains, axis);
        let given = mass * setup.gravity[axis] * setup.finish - taken[axis];
        close(
            &format!("{what}: momentum {axis}"),
            change,
            given,
            share * flowed.max(mass * 0.1),
        );
    }
}

/// The same end whatever is logged, on a second run, and from a saved state.
fn bits_are_the_same<D: Integrate>(setup: &Setup<D>, what: &str) {
    let hash = |setup: &Setup<D>| run(setup).0.state_hash();
    let first = hash(setup);
    let mut quiet = setup.clone();
    quiet.log.series = None;
    assert_eq!(hash(&quiet), first, "{what}: nothing logged");
    let mut loud = setup.clone();
    loud.log.series = Some(0.003);
    loud.log.snapshots = Some(0.007);
    loud.log.events = EventLog::Links;
    loud.log.checkpoint = Some(0.11);
    let mut system = System::new(loud.clone()).unwrap();
    let mut kept = Checkpoints::default();
    finish(&mut system, &mut kept);
    assert_eq!(system.state_hash(), first, "{what}: all logged");
    assert!(!kept.states.is_empty(), "{what}");
    for state in &kept.states {
        let mut system = System::restore(loud.clone(), state).unwrap();
        finish(&mut system, &mut MemorySink::default());
        assert_eq!(system.state_hash(), first, "{what}: from a saved state");
    }
}

/// A mirror across the middle of the box, along x.
fn mirrored<D: Integrate>(setup: &Setup<D>) -> Setup<D> {
    let mut other = setup.clone();
    let flip =
        |v: D::Vector, about: f64| D::Vector::from_fn(|k| if k == 0 { about - v[k] } else { v[k] });
    other.gravity = flip(setup.gravity, 0.0);
    for grain in &mut other.grains {
        grain.position = flip(grain.position, SIDE);
        grain.velocity = flip(grain.velocity, 0.0);
    }
    other
}

/// Over a time in which rounding has not grown yet, the mirror image moves as the mirror of what moves.
fn mirrors_agree<D: Integrate>(setup: &Setup<D>, what: &str) {
    let mut setup = setup.clone();
    setup.finish = 0.06;
    // The step that a run chooses may differ in its second digit.
    setup.motion.step = Some(System::<D>::plan(&setup).unwrap().step);
    let end = |setup: &Setup<D>| run(setup).0.grains_at(setup.finish);
    let (seen, mirror) = (end(&setup), end(&mirrored(&setup)));
    for (a, b) in seen.iter().zip(&mirror) {
        for axis in 0..D::N {
            let image = if axis == 0 {
                SIDE - b.position[axis]
            } else {
                b.position[axis]
            };
            close(
                &format!("{what}: grain {} along {axis}", a.id),
                a.position[axis],
                image,
                ROUNDING,
            );
        }
    }
}

/// Grains in another order move as before.
fn order_does_not_matter<D: Integrate>(setup: &Setup<D>, what: &str) {
    let mut setup = setup.clone();
    setup.finish = 0.06;
    // The step that a run chooses may differ in its second digit.
    setup.motion.step = Some(System::<D>::plan(&setup).unwrap().step);
    let mut other = setup.clone();
    other.grains.reverse();
    for (k, grain) in other.grains.iter_mut().enumerate() {
        grain.id = k as u32;
    }
    let end = |setup: &Setup<D>| run(setup).0.grains_at(setup.finish);
    let (one, mut reversed) = (end(&setup), end(&other));
    reversed.reverse();
    for (a, b) in one.iter().zip(&reversed) {
        for axis in 0..D::N {
            close(
                &format!("{what}: grain {} along {axis}", a.id),
                a.position[axis],
                b.position[axis],
                ROUNDING,
            );
        }
    }
}

fn every_check<D: Integrate>(setup: &Setup<D>, kind: Kind, what: &str) {
    laws_hold(setup, kind, what);
    bits_are_the_same(setup, what);
    order_does_not_matter(setup, what);
    // A shape that is mirrored is another shape.
    if kind.shape.is_none() {
        mirrors_agree(setup, what);
    }
}

fn all(seeds: impl Iterator<Item = u64>) {
    for seed in seeds {
        let mut dice = Dice(1_000_003 * seed);
        for space in [false, true] {
            let kind = Kind::drawn(&mut dice, space);
            let what = format!("seed {seed}, {kind:?}");
            match space {
                true => every_check(&spatial(seed, kind), kind, &what),
                false => every_check(&planar(seed, kind), kind, &what),
            }
        }
    }
}

#[test]
fn any_run_keeps_the_laws() {
    all(0..6);
}

#[test]
#[ignore = "half an hour"]
fn any_of_many_runs_keeps_the_laws() {
    all(6..200);
}
