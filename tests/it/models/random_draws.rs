//! Scenarios drawn at random, as a user would write them: closed boxes of grains that fly, collide and come to rest.
//! Their walls are drawn by `random_walls`.

use std::fmt::Write;

use arenite::geometry::{Planar, Spatial};
use arenite::system::Setup;

use crate::models::random_walls::{Moved, Walls, boundaries, motion};
use crate::support::{Dice, written_planar, written_spatial};

/// Side of the box, m.
pub const SIDE: f64 = 0.2;
/// Simulated time, s: grains fall through the box about twice.
pub const FINISH: f64 = 0.3;

/// What a case has that its checks must know.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Kind {
    pub space: bool,
    pub walls: Walls,
    pub law: LawKind,
    pub slot: Slot,
    pub shape: Option<&'static str>,
    pub drag: bool,
    pub still: bool,
    pub flight: bool,
    /// Whether flyers collide at once.
    pub collisions: bool,
    /// How all walls move together.
    pub moved: Moved,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum LawKind {
    Linear,
    Hertz,
    Viscoelastic,
    HertzHysteretic,
}

/// What acts beside spring, dashpot and friction.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Slot {
    None,
    Rolling,
    Cohesion,
    Plastic,
}

impl Kind {
    pub fn drawn(dice: &mut Dice, space: bool) -> Kind {
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
                LawKind::HertzHysteretic,
            ],
        );
        let slot = match (law, one_of(dice, &[0, 0, 1, 2, 3])) {
            (LawKind::HertzHysteretic, _) | (_, 0) => Slot::None,
            (_, 1) => Slot::Rolling,
            (LawKind::Linear, 3) => Slot::Plastic,
            _ => Slot::Cohesion,
        };
        let walls = {
            use Walls::*;
            let all = [Planes, Shaken, Thin, Box, Round, Periodic, Can, Vessel];
            *one_of(dice, if space { &all } else { &all[..6] })
        };
        let mut toss = |share: f64| dice.roll() < share;
        let (shaped, drag) = (toss(0.3), toss(0.3));
        // What stands still knows spring and friction only, no walls that move, and no periodic directions.
        let plain = slot == Slot::None && law != LawKind::HertzHysteretic;
        let fixed = plain && !drag && !matches!(walls, Walls::Shaken | Walls::Periodic);
        let (still, flight) = (toss(0.4) && fixed, toss(0.7));
        let shape = shaped.then(|| *one_of(dice, shapes));
        // Grains of arcs, all of the plane here, know spring, dashpot and friction only.
        let slot = match shape {
            Some(_) if !space => Slot::None,
            _ => slot,
        };
        let short = plain && slot == Slot::None && flight && !drag;
        let collisions = short && dice.roll() < 0.4;
        let moved = match still || walls == Walls::Shaken {
            true => Moved::No,
            false => Moved::drawn(dice, walls),
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
            collisions,
            moved,
        }
    }
}

pub fn one_of<'a, T>(dice: &mut Dice, from: &'a [T]) -> &'a T {
    &from[((from.len() as f64 * dice.roll()) as usize).min(from.len() - 1)]
}

/// A vector by what its components are, as a scenario has it.
pub fn written(dimension: usize, of: &dyn Fn(usize) -> f64) -> String {
    let parts: Vec<String> = (0..dimension).map(|k| format!("{:?}", of(k))).collect();
    format!("[{}]", parts.join(", "))
}

/// A closed box of grains that fly, collide and come to rest.
fn scenario(seed: u64, kind: Kind) -> String {
    let mut dice = Dice(seed);
    let mut text = String::new();
    let dimension = if kind.space { 3 } else { 2 };
    let vector = |of: &dyn Fn(usize) -> f64| written(dimension, of);
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
        "[run]\nend_time = {FINISH}\nintegrator = \"{integrator}\"\nflight = {}\ncollisions = {}\n[log]\nseries = 0.01\ncheckpoint = \"never\"\n",
        kind.flight, kind.collisions
    );
    let _ = writeln!(text, "[morph]\nrigid = {}", kind.still);
    let density = dice.between(500.0, 3000.0);
    let _ = writeln!(text, "[material.stuff]\ndensity = {density}");
    if kind.law != LawKind::Linear {
        text += "young = 2e8\npoisson = 0.25\n";
    }
    text += &law(&mut dice, kind);
    text += &boundaries(
        kind.space,
        kind.walls,
        &motion(seed, kind.space, kind.moved),
    );
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
        LawKind::HertzHysteretic => write!(
            text,
            "[law.hertz_hysteretic]\nsquared_restitution = {}\nfriction = {friction}\nsmoothing_speed = 0.1\n",
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

pub fn planar(seed: u64, kind: Kind) -> Setup<Planar> {
    written_planar(&scenario(seed, kind))
}

pub fn spatial(seed: u64, kind: Kind) -> Setup<Spatial> {
    written_spatial(&scenario(seed, kind))
}
