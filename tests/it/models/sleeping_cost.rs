//! What standing still does to a bed at rest: nothing by itself, and no more than stepping does when a load
//! is added; and what a landing on it costs.

use std::time::Instant;

use arenite::cluster::{Dem, Other};
use arenite::geometry::Planar;
use arenite::neighbor::Cells;
use arenite::record::NullSink;
use arenite::scenario::{AnySetup, Scenario};
use arenite::system::{MorphSetup, Setup, System};
use arenite::walls::Wall;

use crate::support::{self, Dice};

/// Disks of the thesis in a box that settle without standing still; then one more is to come.
fn bed(count: u32, width: f64, more: &str) -> Setup<Planar> {
    bed_of_seed(1, count, width, more)
}

fn bed_of_seed(seed: u64, count: u32, width: f64, more: &str) -> Setup<Planar> {
    let text = format!(
        r#"
        name = "bed"
        seed = {seed}
        dimension = 2
        [field]
        gravity = [0.0, -9.8]
        [run]
        end_time = 20.0
        [log]
        series = "never"
        snapshots = "never"
        checkpoint = "never"
        events = "none"
        [morph]
        [settle]
        at_most = 4.0
        [[boundary]]
        name = "left"
        material = "thesis-wall"
        plane = {{ point = [0.0, 0.0], normal = [1.0, 0.0] }}
        [[boundary]]
        name = "right"
        material = "thesis-wall"
        plane = {{ point = [{width}, 0.0], normal = [-1.0, 0.0] }}
        [[boundary]]
        name = "floor"
        material = "thesis-wall"
        plane = {{ point = [0.0, 0.0], normal = [0.0, 1.0] }}
        [[fill]]
        material = "thesis-disk"
        [fill.lattice]
        count = {count}
        radius = {{ mean = 0.01, spread = 0.05 }}
        min = [0.0, 0.0]
        max = [{width}, 2.0]
        jitter = 1.0
        speed = 0.3
        {more}
        "#
    );
    let resolved = Scenario::parse("bed", &text, None, &[])
        .and_then(|scenario| scenario.resolve())
        .unwrap_or_else(|problem| panic!("{}", problem.render(false)));
    match resolved.setup {
        AnySetup::Planar(setup) => setup,
        AnySetup::Spatial(_) => panic!("planar"),
    }
}

/// The state of a bed that has settled with each disk stepped, and the rules of rest for what comes
/// after.
fn settled(setup: &mut Setup<Planar>) -> (Vec<u8>, MorphSetup) {
    let morph = setup.models.morph.take().expect("a section [morph]");
    setup.run.end_time = 1.0;
    let mut system = System::new(setup.clone()).unwrap();
    support::finish(&mut system, &mut NullSink);
    (system.save().unwrap(), morph)
}

/// A run that goes on from a state to a later end.
fn go_on(
    setup: &Setup<Planar>,
    state: &[u8],
    morph: Option<MorphSetup>,
    finish: f64,
) -> System<Planar> {
    let mut setup = setup.clone();
    setup.models.morph = morph;
    let mut system = System::restore(setup, state).expect("its own");
    system.extend(finish);
    support::finish(&mut system, &mut NullSink);
    system
}

/// An engine by itself in the state of a system's.
fn engine_of(system: &System<Planar>) -> Dem<Planar> {
    let setup = system.setup();
    let walls = setup
        .boundaries
        .iter()
        .map(|b| Wall::new(b, &setup.space.periodic).unwrap());
    let mut engine = Dem::new(
        system.dem().world.clock,
        system.dem().world.physics.options,
        setup.matter.laws.clone(),
        walls.collect(),
        setup.fields.gravity,
        setup.space.periodic.clone(),
        Box::new(Cells::new()),
    );
    engine.set_state(system.dem().state().into_owned());
    arenite::cluster::still::sort_still(&mut engine.world);
    engine
}

/// All links with their forces, in order of their bodies.
fn forces(engine: &Dem<Planar>) -> Vec<(u32, String, [f64; 3])> {
    let mut links = Vec::new();
    arenite::cluster::observe::each_contact(&engine.world, |view| {
        let t = view.tangential_force;
        // Tangential force on the lesser slot.
        let (a, b, sign) = match view.b {
            Other::Slot(b) if b < view.a => (b, format!("slot {}", view.a), -1.0),
            Other::Slot(b) => (view.a, format!("slot {b}"), 1.0),
            Other::Boundary(w) => (view.a, format!("wall {w}"), 1.0),
        };
        links.push((a, b, [view.normal_force, sign * t[0], sign * t[1]]));
    });
    links.sort_by(|p, q| (p.0, &p.1).cmp(&(q.0, &q.1)));
    links
}

/// A bed of 400 disks, all at rest; a thousand times a random set of them is woken and stopped again
/// at once. Nothing was in between, so nothing may change but by rounding: forces to 1e-9 of the
/// greatest, residuals as well, positions not at all.
#[test]
fn freezing_and_thawing_changes_nothing() {
    let mut setup = bed(400, 0.5, "");
    let (state, morph) = settled(&mut setup);
    let system = go_on(&setup, &state, Some(morph), 1.5);
    let mut engine = engine_of(&system);
    assert_eq!(engine.world.grains.standing().len(), 400, "all at rest");
    let before = forces(&engine);
    let lacks: Vec<_> = (1..=400)
        .map(|slot| {
            arenite::cluster::held::residual(
                &engine.world.physics,
                &engine.world.grains,
                &engine.world.sleeping,
                slot,
            )
        })
        .collect();
    let places: Vec<_> = (1..=400)
        .map(|s| engine.world.grains.arrays.position(s))
        .collect();
    let greatest = before.iter().map(|l| l.2[0]).fold(0.0, f64::max);
    let mut dice = Dice(7);
    let mut woken = 0;
    for _ in 0..1000 {
        // A patch about a disk, or scattered ones.
        let share = dice.between(0.0, 0.3);
        let far = dice.between(0.02, 0.15);
        let centre = places[(dice.roll() * 400.0) as usize];
        let patch = dice.roll() < 0.5;
        let set: Vec<u32> = (1..=400u32)
            .filter(|&slot| {
                if patch {
                    (places[slot as usize - 1] - centre).norm() < far
                } else {
                    dice.roll() < share
                }
            })
            .collect();
        woken += set.len();
        arenite::cluster::still::wake(&mut engine.world, &mut engine.border, &set);
        engine.renew();
        assert_eq!(engine.world.grains.standing().len(), 400 - set.len());
        arenite::cluster::still::stop(
            &mut engine.world,
            &mut engine.book,
            &mut engine.border,
            &set,
        );
        engine.renew();
    }
    assert!(woken > 10_000, "{woken}");
    assert_eq!(engine.world.grains.standing().len(), 400);
    let after = forces(&engine);
    assert_eq!(before.len(), after.len(), "as many links");
    for (p, q) in before.iter().zip(&after) {
        assert_eq!((p.0, &p.1), (q.0, &q.1));
        for k in 0..3 {
            support::close("force", q.2[k], p.2[k], 1e-9 * greatest);
        }
    }
    for slot in 1..=400u32 {
        let (was, is) = (
            lacks[slot as usize - 1],
            arenite::cluster::held::residual(
                &engine.world.physics,
                &engine.world.grains,
                &engine.world.sleeping,
                slot,
            ),
        );
        for k in 0..6 {
            support::close("residual", is[k], was[k], 1e-9 * greatest);
        }
        assert_eq!(
            places[slot as usize - 1],
            engine.world.grains.arrays.position(slot as usize)
        );
    }
}

/// A link: numbers of its disks, or of one and minus that of a wall; normal force; force upwards on the
/// first, N.
type Borne = ([i64; 2], f64, f64);

fn links(system: &System<Planar>) -> Vec<Borne> {
    let mut links = Vec::new();
    let id = |slot: u32| i64::from(system.dem().world.grains.arrays.id[slot as usize]);
    arenite::cluster::observe::each_contact(&system.dem().world, |view| {
        let bodies = match view.b {
            Other::Slot(b) => [id(view.a).min(id(b)), id(view.a).max(id(b))],
            Other::Boundary(wall) => [id(view.a), -i64::from(wall) - 1],
        };
        let [on_a, _] = arenite::cluster::held::pushes(
            &system.dem().world.shapes,
            &system.dem().world.grains,
            &view,
        );
        links.push((bodies, view.normal_force, on_a[1]));
    });
    links.sort_by_key(|link| link.0);
    links
}

/// Mean normal force between disks, and what the floor and the side walls bear, N.
fn loads(links: &[Borne]) -> [f64; 3] {
    let (mut mean, mut count, mut floor, mut walls) = (0.0, 0.0, 0.0, 0.0);
    for &([_, other], normal, up) in links {
        match other {
            -3 => floor += up,
            -2 | -1 => walls += up,
            _ => {
                mean += normal;
                count += 1.0;
            }
        }
    }
    [mean / count, floor, walls]
}

const HEAVY: &str = r#"
    [material.lead]
    density = 11900.0
    [[law]]
    between = ["lead", "thesis-disk"]
    [law.linear]
    normal_stiffness = 1e6
    tangential_stiffness = 1e5
    normal_damping = 1e3
    tangential_damping = 1e3
    friction = 0.43
    [[law]]
    between = ["lead", "thesis-wall"]
    [law.linear]
    normal_stiffness = 1.5e6
    tangential_stiffness = 1.5e5
    normal_damping = 1.5e3
    tangential_damping = 1.5e3
    friction = 0.33
    [[law]]
    between = ["lead", "lead"]
    [law.linear]
    normal_stiffness = 1e6
    tangential_stiffness = 1e5
    normal_damping = 1e3
    tangential_damping = 1e3
    friction = 0.43
    [[feed]]
    material = "lead"
    radius = 0.01
    count = 1
    every = 1.0
    start = 1.5
    min = [0.24, 0.34]
    max = [0.26, 0.341]
"#;

/// A disk as heavy as ten is laid (from a centimetre or two) on a bed at rest, from the very same state with
/// all stepped and with those at rest standing still.
#[test]
fn an_added_load_is_borne_as_by_stepped_disks() {
    let mut setup = bed(400, 0.5, HEAVY);
    let (state, morph) = settled(&mut setup);
    let [stepped, still] = [None, Some(morph)].map(|morph| go_on(&setup, &state, morph, 4.0));
    let before = System::restore(setup.clone(), &state).expect("its own");
    let [was, a, b] = [&before, &stepped, &still].map(links);
    println!("before {:?}", loads(&was));
    println!("stepped {:?}", loads(&a));
    println!("still {:?}", loads(&b));
    let weight = 9.8 * 1190.0 * std::f64::consts::PI * 1e-4;
    let of = |links: &[Borne], p: &Borne| {
        let found = links.binary_search_by_key(&p.0, |link| link.0);
        found.map_or(0.0, |k| links[k].1)
    };
    let rms = |p: &[Borne], q: &[Borne]| {
        let sum: f64 = p.iter().map(|l| (l.1 - of(q, l)).powi(2)).sum();
        (sum / p.len() as f64).sqrt() / weight
    };
    println!(
        "rms in weights: stepped-before {}, still-stepped {}, still-before {}",
        rms(&a, &was),
        rms(&a, &b),
        rms(&b, &was)
    );
    // All weight arrives: 400 disks and one of ten.
    for system in [&stepped, &still] {
        assert_eq!(system.grains_at(4.0).len(), 401);
    }
    let mass: f64 = stepped.grains_at(4.0).iter().map(|grain| grain.mass).sum();
    for links in [&a, &b] {
        let [_, floor, walls] = loads(links);
        support::close("borne", (floor + walls) / (9.8 * mass), 1.0, 5e-3);
    }
    // What is borne where: within the 3 % that forces of still beds are to keep to.
    let [p, q] = [loads(&a), loads(&b)];
    support::close("mean force", q[0] / p[0], 1.0, 0.03);
    support::close("floor", q[1] / p[1], 1.0, 0.03);
    assert!(still.summary().work.grain_steps < stepped.summary().work.grain_steps);
}

/// Three disks fall onto a wide bed, one after the other. What lies far from them stays where it is, to the bit, unless what the whole bed lacks sums up
/// to a solve of all (in three of ten beds), which moves nobody far; the weight of each arrives, and a saved state goes on with the same bits.
#[test]
fn a_landing_on_a_wide_bed_is_borne_where_it_lands() {
    let untouched = (1..=3).filter(|&seed| far_ones_stay(seed));
    assert!(untouched.count() >= 2);
}

/// Returns whether nobody far away moved at all.
fn far_ones_stay(seed: u64) -> bool {
    let feed = "[[feed]]\nmaterial = \"thesis-disk\"\nradius = 0.01\ncount = 3\nevery = 1.0\n\
                start = 2.0\nmin = [5.9, 0.2]\nmax = [6.1, 0.21]\n";
    let mut setup = bed_of_seed(seed, 4_800, 12.0, feed);
    let (state, morph) = settled(&mut setup);
    let mut first = go_on(&setup, &state, Some(morph), 2.95);
    let state = first.save().unwrap();
    let last = go_on(&setup, &state, Some(morph), 5.5);
    assert_eq!(last.dem().world.grains.standing().len(), 4_803);
    let solves = |system: &System<Planar>| system.summary().work.stress_solves;
    assert!(solves(&last) > solves(&first) + 2);
    let far = |system: &System<Planar>| {
        let mut grains = system.grains_at(system.time());
        grains.retain(|grain| (grain.position[0] - 6.0).abs() > 1.2);
        grains.sort_by_key(|grain| grain.id);
        grains
    };
    let (before, after) = (far(&first), far(&last));
    assert!(before.len() > 3_000 && after.len() == before.len());
    let pairs = before.iter().zip(&after);
    let moved: Vec<f64> = pairs
        .map(|(a, b)| (a.position - b.position).norm())
        .collect();
    let most = moved.iter().copied().fold(0.0, f64::max);
    println!("{seed}: {most:e} m");
    assert!(most < 1e-6, "{most:e} m");
    let mass: f64 = last.grains_at(5.5).iter().map(|grain| grain.mass).sum();
    let [_, floor, walls] = loads(&links(&last));
    support::close("borne", (floor + walls) / (9.8 * mass), 1.0, 1e-3);
    // The floor below bears what has come.
    let below = |system: &System<Planar>| -> f64 {
        let id: std::collections::BTreeMap<_, _> = system
            .grains_at(system.time())
            .iter()
            .map(|grain| (i64::from(grain.id), grain.position[0]))
            .collect();
        let borne = links(system);
        let floor = borne.iter().filter(|link| link.0[1] == -3);
        let near = floor.filter(|link| (id[&link.0[0]] - 6.0).abs() < 0.6);
        near.map(|link| link.2).sum()
    };
    let come = 2.0 * 9.8 * 1190.0 * std::f64::consts::PI * 1e-4;
    support::close("below", (below(&last) - below(&first)) / come, 1.0, 0.05);
    if seed == 1 {
        let mut cut = go_on(&setup, &state, Some(morph), 4.3);
        let state = cut.save().unwrap();
        let resumed = go_on(&setup, &state, Some(morph), 5.5);
        assert_eq!(resumed.summary().state_hash, last.summary().state_hash);
    }
    most == 0.0
}

/// What landings cost, in grain-seconds and processor time, on beds 20 layers deep:
/// `cargo test --release --test it landings_cost -- --ignored --nocapture`.
#[test]
#[ignore = "a bed of 100,000 disks settles, some 6 minutes"]
fn landings_cost_the_same_on_any_bed() {
    let landings = 8.0;
    for count in [1_000u32, 10_000, 100_000] {
        // Twenty layers: 0.36 m at a packing fraction of 0.84.
        let width = f64::from(count) * std::f64::consts::PI * 1e-4 / 0.84 / 0.36;
        let (low, high) = (0.5 * width - 0.45, 0.5 * width + 0.45);
        let feed = format!(
            "[[feed]]\nmaterial = \"thesis-disk\"\nradius = 0.01\ncount = {landings}\nevery = 0.5\n\
             start = 4.0\nmin = [{low}, 0.42]\nmax = [{high}, 0.43]\n"
        );
        let mut setup = bed(count, width, &feed);
        let from = Instant::now();
        let (state, morph) = settled(&mut setup);
        println!("{count}: settled in {:.1} s", from.elapsed().as_secs_f64());
        let from = Instant::now();
        let mut rest = go_on(&setup, &state, Some(morph), 3.99);
        let top = rest.grains_at(rest.time());
        let top = top
            .iter()
            .filter(|grain| (low..high).contains(&grain.position[0]))
            .map(|grain| grain.position[1] + grain.radius)
            .fold(0.0, f64::max);
        println!(
            "{count}: {} of them stand still after {:.1} s; surface at {top:.3} m",
            rest.dem().world.grains.standing().len(),
            from.elapsed().as_secs_f64()
        );
        let state = rest.save().unwrap();
        let steps =
            |system: &System<Planar>| system.summary().work.grain_steps as f64 * system.step_size();
        let before = steps(&rest);
        for speed in [0.0, 0.5, 1.0, 2.0, 3.0] {
            let mut setup = setup.clone();
            // So high that it lands at that speed on the top of the surface, from a place just above.
            let above = 0.0125;
            let feed = &mut setup.sources.feeds[0];
            feed.min[1] = top + above + 0.0101;
            feed.max[1] = top + above + 0.0102;
            feed.velocity[1] = -(speed * speed - 2.0 * 9.8 * above).max(0.0).sqrt();
            if speed == 0.0 {
                // Nobody lands.
                feed.start = 100.0;
                feed.count = 0;
            }
            let from = Instant::now();
            let system = go_on(&setup, &state, Some(morph), 8.0);
            let wall = from.elapsed().as_secs_f64();
            let seconds = (steps(&system) - before) / landings;
            let solves = system.summary().work.stress_solves as f64
                - rest.summary().work.stress_solves as f64;
            println!(
                "{count}, {speed} m/s: {seconds:.3} grain-seconds a landing, {:.4} s of time, {:.1} solves; \
                 {} stand still, balance {:.1e}",
                wall / landings,
                solves / landings,
                system.dem().world.grains.standing().len(),
                system.summary().energy.balance_error
            );
        }
    }
}
