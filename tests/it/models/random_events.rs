//! Runs from collision to collision, drawn at random: energy falls by what restitution takes and by nothing else, walls
//! give what momentum and energy come in, nobody leaves or overlaps, the same bits come out whatever is logged and from
//! each saved state, and what is turned, mirrored or numbered anew moves as what is not.
//!
//! `cargo test --release --test it random_events -- --ignored` draws many more.

use std::fmt::Write;

use arenite::body::Grain;
use arenite::cluster::integrate::Integrate;
use arenite::collide::engine::{Collision, Engine, Other, Stopped};
use arenite::geometry::{Dimension, Vector};
use arenite::record::{MemorySink, Sink, Summary};
use arenite::system::events::engine_setup;
use arenite::system::{Control, Driver, EventLog, Events, Setup};

use crate::models::random_draws::{SIDE, one_of, written};
use crate::models::random_walls::{Moved, Walls, boundaries, in_vessel, motion, work_is_booked};
use crate::support::{Checkpoints, Dice, close, written_planar, written_spatial};
use crate::theory::symmetries::{ROUNDING, Way, apart, renumbered};

/// Simulated time, s: some tens of collisions of each grain.
const FINISH: f64 = 0.5;

/// Share by which sums of some ten thousand terms may be off by rounding.
const SUMS: f64 = 1e-9;

/// What a case has that its checks must know.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Kind {
    space: bool,
    walls: Walls,
    moved: Moved,
    rule: Rule,
    gravity: bool,
}

/// What becomes of a collision.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Rule {
    /// The restitution of grains, and with walls.
    Smooth([f64; 2]),
    /// The same, with this friction and tangential restitution.
    Rough([f64; 2], [f64; 2]),
    /// Hertz's law with a restitution, for all.
    ByLaw(f64),
    /// Contacts that last.
    Soft,
}

impl Rule {
    /// Restitution with another grain, or with a wall; none where a law decides by mass and speed.
    fn restitution(self, wall: bool) -> Option<f64> {
        match self {
            Rule::Smooth(both) | Rule::Rough(both, _) => Some(both[usize::from(wall)]),
            Rule::ByLaw(restitution) => Some(restitution),
            Rule::Soft => None,
        }
    }

    fn friction(self) -> f64 {
        match self {
            Rule::Rough(_, [friction, _]) => friction,
            _ => 0.0,
        }
    }
}

impl Kind {
    fn drawn(dice: &mut Dice, space: bool) -> Kind {
        use Walls::*;
        let walls = match space {
            true => *one_of(dice, &[Planes, Shaken, Box, Round, Periodic, Can, Vessel]),
            false => *one_of(dice, &[Planes, Shaken, Box, Round, Periodic]),
        };
        let restitution = [0; 2].map(|_| dice.between(0.5, 1.0));
        let tangential = [dice.between(0.05, 0.8), dice.between(-1.0, 1.0)];
        let rule = match one_of(dice, &[0, 0, 1, 1, 2, 3]) {
            0 => Rule::Smooth(restitution),
            1 => Rule::Rough(restitution, tangential),
            2 => Rule::ByLaw(restitution[0]),
            _ => Rule::Soft,
        };
        let moved = match (walls, Moved::drawn(dice, walls)) {
            (Shaken, _) => Moved::No,
            // Walls that turn are refused.
            (_, Moved::Turning) => Moved::Velocity,
            (_, moved) => moved,
        };
        Kind {
            space,
            walls,
            moved,
            rule,
            gravity: dice.roll() < 0.5,
        }
    }

    /// The scenario.
    fn text(self, seed: u64) -> String {
        let dice = &mut Dice(seed);
        let dimension = if self.space { 3 } else { 2 };
        let mut text = format!(
            "name = \"random\"\ndimension = {dimension}\nseed = {seed}\n[run]\nend_time = {FINISH}\n"
        );
        if self.gravity {
            let (across, down) = (dice.between(-2.0, 2.0), dice.between(-12.0, -6.0));
            let pull = written(dimension, &|k| match k {
                0 => across,
                _ if k == dimension - 1 => down,
                _ => 0.3,
            });
            let _ = writeln!(text, "[field]\ngravity = {pull}");
        }
        text += "[log]\nseries = 0.02\nevents = \"none\"\ncheckpoint = \"never\"\n\
                 [events]\ntolerance = 0.01\ncontact_time = 1e-3\ncollapse = \"elastic\"\n";
        let pair = |other: &str, restitution: f64| {
            let rough = match self.rule {
                Rule::Rough(_, [friction, back]) => {
                    format!("friction = {friction}\ntangential_restitution = {back}\n")
                }
                _ => String::new(),
            };
            format!(
                "[[events.rule]]\nbetween = [\"stuff\", \"{other}\"]\nrestitution = {restitution}\n{rough}"
            )
        };
        text += &match self.rule {
            Rule::Smooth([grains, walls]) | Rule::Rough([grains, walls], _) => {
                pair("stuff", grains) + &pair("wall", walls)
            }
            Rule::ByLaw(_) => String::new(),
            Rule::Soft => "collisions = \"soft\"\n".to_string() + &pair("wall", 0.9),
        };
        text += "[material.stuff]\ndensity = 1000.0\nyoung = 2e8\npoisson = 0.25\n\
                 [material.wall]\nyoung = 2e8\npoisson = 0.25\n";
        let law = match self.rule {
            Rule::ByLaw(restitution) => {
                format!("hertz = {{ restitution = {restitution}, friction = 0.0 }}\n")
            }
            _ => "linear = { normal_stiffness = 2e5, tangential_stiffness = 0.0, normal_damping = 50.0, \
                  tangential_damping = 0.0, friction = 0.0, per_mass = true }\n"
                .into(),
        };
        for other in ["stuff", "wall"] {
            let _ = write!(text, "[[law]]\nbetween = [\"stuff\", \"{other}\"]\n{law}");
        }
        let walls = boundaries(
            self.space,
            self.walls,
            &motion(seed, self.space, self.moved),
        );
        // Walls are of a material of their own.
        text += &walls.replace("material = \"stuff\"", "material = \"wall\"");
        let _ = write!(
            text,
            "[[fill]]\nmaterial = \"stuff\"\n[fill.lattice]\ncount = {}\nradius = {{ mean = 0.008, spread = {} }}\n\
             min = {}\nmax = {}\njitter = 0.9\nspeed = {}\n",
            20 + (25.0 * dice.roll()) as usize,
            dice.between(0.0, 0.25),
            written(dimension, &|_| 0.0),
            written(dimension, &|_| SIDE),
            dice.between(0.3, 1.0)
        );
        text
    }
}

fn events<D: Integrate>(setup: &Setup<D>, state: Option<&[u8]>, sink: &mut dyn Sink) -> Events<D> {
    let never = std::sync::atomic::AtomicBool::new(false);
    let mut run = Events::new(setup.clone(), state).unwrap();
    run.run(sink, &mut Control::new(&never)).unwrap();
    run
}

/// The grains where an engine has them now.
fn grains<D: Dimension>(setup: &Setup<D>, engine: &Engine<D>) -> Vec<Grain<D>> {
    let now = |(index, grain): (usize, &Grain<D>)| {
        let now = engine.moment(index);
        Grain {
            position: now.position,
            velocity: now.velocity,
            rotation: now.rotation,
            spin: now.spin,
            ..*grain
        }
    };
    setup.grains.iter().enumerate().map(now).collect()
}

/// Energy, momentum, work, box.
fn books_close<D: Integrate>(setup: &Setup<D>, kind: Kind, what: &str) {
    let mut sink = MemorySink::default();
    let run = events(setup, None, &mut sink);
    let summary = run.summary();
    let error = summary.energy.balance_error;
    assert!(error < SUMS, "{what}: balance {error}");
    // Laws are drawn beside the rules that decide.
    let ruled = |text: &&String| !text.starts_with("[events] has no use for `law[");
    let others: Vec<&String> = summary.warnings.iter().filter(ruled).collect();
    assert_eq!(others, Vec::<&String>::new(), "{what}");
    let how = (kind.walls, kind.moved);
    work_is_booked(setup, how, &summary, &sink, SUMS, what);
    let end = grains(setup, run.engine());
    for (k, one) in end.iter().enumerate() {
        assert!(
            in_vessel(setup, kind.walls, one.position),
            "{what}: grain {k} left to {:?}",
            one.position
        );
        // Contacts that last overlap.
        for other in end[..k].iter().filter(|_| kind.rule != Rule::Soft) {
            let mut way = one.position - other.position;
            for axis in (0..D::N).filter(|&axis| setup.space.periodic[axis].is_some()) {
                way[axis] -= SIDE * (way[axis] / SIDE).round();
            }
            let gap = way.norm() - one.radius - other.radius;
            assert!(gap > -SUMS * SIDE, "{what}: grain {k} overlaps by {}", -gap);
        }
    }
    // Who was met amid a contact that lasts has momentum still to get, which is nobody's meanwhile.
    let pending = summary.soft.is_some_and(|soft| soft.interrupted > 0);
    if !pending {
        momentum_is_accounted_for(setup, &end, &sink, what);
    }
}

/// The change of momentum is what gravity gave less what walls took.
fn momentum_is_accounted_for<D: Dimension>(
    setup: &Setup<D>,
    end: &[Grain<D>],
    sink: &MemorySink,
    what: &str,
) {
    for axis in 0..D::N {
        let total =
            |grains: &[Grain<D>]| -> f64 { grains.iter().map(|g| g.mass * g.velocity[axis]).sum() };
        let mass: f64 = end.iter().map(|g| g.mass).sum();
        let (mut taken, mut flowed, mut before) = (0.0, 0.0, 0.0);
        for row in &sink.series {
            for wall in &row.walls {
                taken += wall[axis] * (row.time - before);
                flowed += (wall[axis] * (row.time - before)).abs();
            }
            before = row.time;
        }
        close(
            &format!("{what}: momentum {axis}"),
            total(end) - total(&setup.grains),
            mass * setup.fields.gravity[axis] * setup.run.end_time - taken,
            SUMS * flowed.max(mass),
        );
    }
}

/// Each collision takes what its restitution takes of the energy of approach, and its impulse is what that needs;
/// friction takes more, by an impulse across of at most its share.
fn restitution_takes_its_share<D: Integrate>(setup: &Setup<D>, kind: Kind, what: &str) {
    let mut engine = Engine::new(engine_setup(setup).unwrap()).unwrap();
    let (mut lasting, mut resting) = (0, 0);
    let mut lost = 0.0;
    let mut look = |met: &Collision<D>| {
        lost += met.lost;
        let first = setup.grains[met.a as usize].mass;
        let mass = match met.b {
            Other::Wall(_) => first,
            Other::Grain(other) => {
                let second = setup.grains[other as usize].mass;
                first * second / (first + second)
            }
        };
        let Some(back) = kind.rule.restitution(matches!(met.b, Other::Wall(_))) else {
            return;
        };
        let energy = 0.5 * mass * met.approach * met.approach;
        let along = met.impulse.dot(&met.normal);
        // Who is pressed against a wall parts from it with a least speed, whatever it came with.
        let parting = along / mass - met.approach;
        let walls = setup
            .boundaries
            .iter()
            .map(|wall| wall.motion.acceleration(met.time).norm());
        let pressing = setup.fields.gravity.norm() + walls.fold(0.0, f64::max);
        let least = 0.25 * setup.models.events.as_ref().unwrap().contact_time * pressing;
        if matches!(met.b, Other::Wall(_))
            && parting <= least * (1.0 + 1e-9)
            && back * met.approach < parting
        {
            let gained = 0.5 * mass * parting * parting - energy;
            close(
                &format!("{what}: loss of who rests"),
                met.lost,
                -gained,
                1e-9 * energy.max(gained.abs()),
            );
            resting += 1;
            return;
        }
        let across = (met.impulse - met.normal * along).norm();
        let rounding = 1e-9 * mass * met.approach.max(1e-3);
        // Who meets again within the contact time collides without loss.
        let elastic = (along - 2.0 * mass * met.approach).abs() < rounding && back < 1.0 - 1e-6;
        lasting += u64::from(elastic);
        let back = if elastic { 1.0 } else { back };
        close(
            &format!("{what}: impulse"),
            along,
            (1.0 + back) * mass * met.approach,
            rounding,
        );
        assert!(
            across <= kind.rule.friction() * along + rounding,
            "{what}: {met:?}"
        );
        let taken = (1.0 - back * back) * energy;
        match kind.rule.friction() > 0.0 {
            false => close(&format!("{what}: loss"), met.lost, taken, rounding),
            true => assert!(met.lost >= taken - rounding, "{what}: {met:?}"),
        }
    };
    let stopped = engine.run_with(setup.run.end_time, u64::MAX, &mut look);
    assert_eq!(stopped, Stopped::Until, "{what}");
    let tally = engine.tally();
    if kind.rule != Rule::Soft {
        let told = tally.lasting[0] + tally.lasting[1];
        assert!((lasting..=lasting + resting).contains(&told), "{what}");
    }
    close(
        &format!("{what}: lost"),
        lost,
        tally.lost,
        SUMS * tally.lost,
    );
    assert!(tally.collisions + tally.wall_hits > 20, "{what}: {tally:?}");
}

/// The same end whatever is logged, and from a saved state.
fn bits_are_the_same<D: Integrate>(setup: &Setup<D>, what: &str) {
    let hash = |summary: Summary| summary.state_hash;
    let first = hash(events(setup, None, &mut MemorySink::default()).summary());
    let mut loud = setup.clone();
    loud.log.series = Some(0.003);
    loud.log.snapshots = Some(0.007);
    loud.log.events = EventLog::Links;
    loud.log.impacts = true;
    loud.log.checkpoint = Some(0.11);
    let mut kept = Checkpoints::default();
    let again = hash(events(&loud, None, &mut kept).summary());
    assert_eq!(again, first, "{what}: all logged");
    assert!(kept.states.len() >= 4, "{what}");
    for state in &kept.states {
        let again = events(&loud, Some(state), &mut MemorySink::default());
        assert_eq!(hash(again.summary()), first, "{what}: from a saved state");
    }
}

/// Turned, mirrored, in another order: until each grain has collided some times.
fn turns_and_order_agree<D: Integrate>(setup: &Setup<D>, kind: Kind, ways: &[&[Way]], what: &str) {
    let start = |setup: &Setup<D>| Engine::new(engine_setup(setup).unwrap()).unwrap();
    let mut times = Vec::new();
    let note = &mut |met: &Collision<D>| times.push(met.time);
    start(setup).run_with(setup.run.end_time, u64::MAX, note);
    // Between two collisions: at one, the last bit would tell who has collided already.
    let enough = (2 * setup.grains.len()).min(times.len() - 2);
    let until = 0.5 * (times[enough] + times[enough + 1]);
    let end = |setup: &Setup<D>| {
        let mut engine = start(setup);
        assert_eq!(engine.run(until, u64::MAX), Stopped::Until);
        grains(setup, &engine)
    };
    let seen = end(setup);
    let rough = kind.rule.friction() > 0.0;
    for ways in ways {
        let (mut turned, mut image) = (setup.clone(), seen.clone());
        for way in *ways {
            turned = way.setup(&turned);
            image = image.iter().map(|g| way.grain(g)).collect();
        }
        let surfaces = rough && !ways.contains(&Way::Mirror);
        let off = apart(&turned, [&end(&turned), &image], surfaces);
        assert!(off < ROUNDING, "{what}: {ways:?} is off by {off:e} m");
    }
    let mut reversed = end(&renumbered(setup));
    reversed.reverse();
    let off = apart(setup, [&reversed, &seen], rough);
    assert!(off < ROUNDING, "{what}: another order is off by {off:e} m");
}

fn every_check<D: Integrate>(setup: &Setup<D>, kind: Kind, ways: &[&[Way]], what: &str) {
    books_close(setup, kind, what);
    restitution_takes_its_share(setup, kind, what);
    bits_are_the_same(setup, what);
    turns_and_order_agree(setup, kind, ways, what);
}

fn all(seeds: impl Iterator<Item = u64>) {
    for seed in seeds {
        let mut dice = Dice(7_000_003 * seed);
        for space in [false, true] {
            let kind = Kind::drawn(&mut dice, space);
            let (text, what) = (kind.text(seed), format!("seed {seed}, {kind:?}"));
            let quarters = [0; 2].map(|_| Way::Quarter(*one_of(&mut dice, &[0, 1, 2])));
            match space {
                true => {
                    let ways: [&[Way]; 2] = [&quarters, &[Way::Mirror]];
                    every_check(&written_spatial(&text), kind, &ways, &what);
                }
                false => {
                    let ways: [&[Way]; 2] = [&[Way::Quarter(2)], &[Way::Mirror]];
                    every_check(&written_planar(&text), kind, &ways, &what);
                }
            }
        }
    }
}

#[test]
fn any_run_of_collisions_keeps_the_laws() {
    all(0..12);
}

#[test]
#[ignore = "minutes"]
fn any_of_many_runs_of_collisions_keeps_the_laws() {
    all(12..500);
}
