//! Grains of several parts that stand still: clumps, and grains of arcs. References are statics by hand, the
//! balance of forces on whole beds, the energy book, and the same beds with every grain stepped.

use arenite::body::{ArcGrain, Ball, Clump, Formed, Grain, ShapeTemplate};
use arenite::cluster::integrate::Integrate;
use arenite::cluster::{Dem, Other};
use arenite::event::Regime;
use arenite::geometry::{Planar, Spatial};
use arenite::neighbor::Cells;
use arenite::record::{BodyRef, MemorySink, NullSink, Summary};
use arenite::scenario::{AnySetup, Scenario};
use arenite::system::{MorphSetup, Setup, System};
use arenite::walls::Wall;

use crate::support::{self, Dice, close, empty, finish, floor, linear, place};

const G: f64 = 9.8;

fn clump<D: Formed>(balls: &[(f64, f64, f64)]) -> ShapeTemplate<D> {
    let ball = |&(along, up, radius): &(f64, f64, f64)| Ball {
        centre: place::<D>(along, up),
        radius,
    };
    D::clump(
        "clump",
        &Clump::new(balls.iter().map(ball).collect()).unwrap(),
    )
    .unwrap()
}

fn oval() -> ShapeTemplate<Planar> {
    Planar::arcs("oval", &ArcGrain::oval(1.5, 0.4, 0.7).unwrap()).unwrap()
}

/// One grain of a form (radius around it 1 cm, mass 0.1 kg) a hair above a floor, with gravity and rest as they
/// are usually.
fn on_a_floor<D: Formed>(form: ShapeTemplate<D>, friction: f64, turn: f64) -> Setup<D> {
    // An overlap of 1e-4 radii; damped at a tenth of critical.
    let mut setup = empty::<D>(linear(1e6, 3e5, 60.0, 30.0, friction), 1e-5, 1.0);
    setup.fields.gravity = place::<D>(0.0, -G);
    setup.models.morph = Some(MorphSetup {
        by_default: false,
        own_frame: true,
        kinetic: 1e-4,
        creep: 1e-4,
        dwell: 4e-3,
        residual: 0.1,
        residual_share: 0.02,
        wake: 10.0,
        strike: 0.05,
        wake_share: 0.2,
        carry_every: 0.075,
        pending: 0.1,
        solve_time: 0.015,
        residual_after_solve: 0.2,
    });
    floor(&mut setup);
    let mut grain = Grain::new(0, 0, 0.01, 1.0, place::<D>(0.0, 0.0));
    grain.mass = 0.1;
    grain.form = Some(0);
    grain.inertia = form.inertia;
    let tilt = D::spin_from_fn(|k| if D::N == 2 || k == 1 { turn } else { 0.0 });
    grain.rotation = D::turned(form.axes, tilt);
    let low = form.parts.iter().map(|part| {
        let centre = support::up::<D>(D::rotate(grain.rotation, part.centre));
        let down = match part.ends {
            None => true,
            Some(ends) => {
                let cross = |a: D::Vector, b: D::Vector| a[0] * b[1] - a[1] * b[0];
                let below = D::unrotate(grain.rotation, place::<D>(0.0, -1.0));
                cross(ends[0], below) >= 0.0 && cross(below, ends[1]) >= 0.0
            }
        };
        if down {
            centre - part.radius
        } else {
            f64::INFINITY
        }
    });
    let low = low.fold(f64::INFINITY, f64::min);
    // In touch at its lowest place, with the overlap of its weight on one contact.
    let height = -low * grain.radius - 0.1 * G / 1e6;
    grain.position = place::<D>(0.0, height);
    setup.grains.push(grain);
    setup.matter.forms.push(form);
    setup
}

fn run<D: Integrate>(setup: &Setup<D>) -> (System<D>, MemorySink, Summary) {
    let (system, records) = support::run(setup);
    let summary = system.summary();
    (system, records, summary)
}

/// Normal forces on the floor with where they act along it, by that.
fn feet<D: Integrate>(system: &System<D>) -> Vec<(f64, f64)> {
    let mut feet = Vec::new();
    arenite::cluster::observe::each_contact(&system.dem().world, |view| {
        feet.push((view.kinematics.point[0], view.normal_force));
    });
    feet.sort_by(|a, b| a.0.total_cmp(&b.0));
    feet
}

/// A bar of three disks whose middle one is off the floor: two feet, and the lever rule for a centre of mass
/// that is not between them in the middle.
#[test]
fn a_bar_on_two_feet_bears_what_the_lever_rule_says() {
    for friction in [0.5, 0.0] {
        let bar = clump::<Planar>(&[(-1.0, 0.0, 0.5), (-0.5, 0.3, 0.6), (1.7, 0.0, 0.5)]);
        let mut setup = on_a_floor(bar, friction, 0.0);
        setup.models.morph = Some(support::finely());
        let (system, _, summary) = run(&setup);
        let rows = system.dem().world.grains.standing();
        assert_eq!(rows.len(), 1, "it stands still");
        let [(left, on_left), (right, on_right)] = feet(&system)[..] else {
            panic!("two feet: {:?}", feet(&system));
        };
        let (weight, x) = (0.1 * G, system.grains_at(1.0)[0].position.x);
        assert!(left < x && x < right && (right - left) > 0.005);
        let share = (right - x) / (right - left);
        assert!((share - 0.5).abs() > 0.02, "{share}");
        // It may lack 1e-3 of its weight, as a force and as a moment over its radius of half the base.
        close("left", on_left / weight, share, 3e-3);
        close("right", on_right / weight, 1.0 - share, 3e-3);
        assert!(summary.energy.balance_error < 1e-3);
        // On two feet that grip it is rigid with the floor; where both slide, it can go along.
        let rigid = system.rigid_groups().grounded;
        assert_eq!(rigid.len(), usize::from(friction > 0.0), "{friction}");
        // Once it stands, nothing is stepped.
        setup.run.end_time = 5.0;
        let later = run(&setup).2;
        assert_eq!(later.work.grain_steps, summary.work.grain_steps);
    }
}

/// An oval upright on its tip, and a rod of two balls on one of them, a hair out of balance: slow at first,
/// and in equilibrium to 2e-3 of the weight. They must fall as if nobody could stand still, bit for bit,
/// until they lie; then they stand still.
fn falls<D: Formed + Integrate>(form: ShapeTemplate<D>, upright: f64, lies: bool) {
    let mut setup = on_a_floor(form, 0.5, upright + 2e-3);
    setup.run.end_time = 0.12;
    let mut free = setup.clone();
    free.models.morph = None;
    let [still, stepped] = [&setup, &free].map(|setup| run(setup).0);
    let [a, b] = [&still, &stepped].map(|system| system.grains_at(0.12)[0]);
    assert!(still.dem().world.grains.standing().is_empty());
    assert_eq!(a, b, "it falls as if it were alone");
    assert!(support::up::<D>(a.position) < setup.grains[0].position[D::N - 1]);
    setup.run.end_time = 3.0;
    let (system, _, summary) = run(&setup);
    let height = support::up::<D>(system.grains_at(3.0)[0].position) / 0.01;
    assert!(summary.energy.balance_error < 1e-3);
    if lies {
        assert_eq!(
            system.dem().world.grains.standing().len(),
            1,
            "it lies, at {height}"
        );
        assert!(height < 0.66, "{height} radii high");
    } else {
        // Nothing takes its energy: it rolls end over end, slow each time that it is upright.
        assert_eq!(summary.work.stops, 0);
    }
}

#[test]
fn what_is_balanced_on_one_place_falls() {
    falls(oval(), std::f64::consts::FRAC_PI_2, false);
    let rod = [(-0.6, 0.0, 0.5), (0.6, 0.0, 0.5)];
    falls(clump::<Planar>(&rod), std::f64::consts::FRAC_PI_2, true);
    falls(clump::<Spatial>(&rod), std::f64::consts::FRAC_PI_2, true);
}

/// On its flat side an oval rests on one contact: rolling would lift it. It bears its weight there.
#[test]
fn an_oval_on_its_flat_side_stands_still() {
    let setup = on_a_floor(oval(), 0.5, 0.0);
    let (system, _, summary) = run(&setup);
    assert_eq!(system.dem().world.grains.standing().len(), 1);
    let [(_, force)] = feet(&system)[..] else {
        panic!("one foot: {:?}", feet(&system));
    };
    close("weight", force / (0.1 * G), 1.0, 1e-2);
    assert!(system.rigid_groups().grounded.is_empty(), "it can roll");
    assert!(summary.regimes.rest > 0.9, "{:?}", summary.regimes);
}

/// A bed of a shape in a box of the thesis's disks' material; `more` is appended.
fn box_of(shape: &str, count: u32, more: &str) -> Setup<Planar> {
    let text = format!(
        r#"
        name = "bed"
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
        [shape.bar]
        disks = [{{ centre = [-1.0, 0.0], radius = 0.6 }}, {{ centre = [0.0, 0.2], radius = 0.7 }},
            {{ centre = [1.0, 0.0], radius = 0.6 }}]
        [[boundary]]
        name = "left"
        material = "thesis-wall"
        plane = {{ point = [0.0, 0.0], normal = [1.0, 0.0] }}
        [[boundary]]
        name = "right"
        material = "thesis-wall"
        plane = {{ point = [0.25, 0.0], normal = [-1.0, 0.0] }}
        [[boundary]]
        name = "floor"
        material = "thesis-wall"
        plane = {{ point = [0.0, 0.0], normal = [0.0, 1.0] }}
        [[fill]]
        material = "thesis-disk"
        shape = "{shape}"
        equal_measure = true
        [fill.lattice]
        count = {count}
        radius = {{ mean = 0.01, spread = 0.05 }}
        min = [0.0, 0.0]
        max = [0.25, 3.0]
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

const SHAPES: [&str; 3] = ["oval", "quasi-triangle", "bar"];

/// The state of a bed that has settled with every grain stepped, and the rules of rest for what comes after.
fn settled(setup: &mut Setup<Planar>) -> (Vec<u8>, MorphSetup) {
    let morph = setup.models.morph.take().expect("a section [morph]");
    setup.run.end_time = 0.5;
    let mut system = System::new(setup.clone()).unwrap();
    finish(&mut system, &mut NullSink);
    (system.save().unwrap(), morph)
}

/// A run that goes on from a state to a later end.
fn go_on(
    setup: &Setup<Planar>,
    state: &[u8],
    morph: Option<MorphSetup>,
    end: f64,
) -> System<Planar> {
    let mut setup = setup.clone();
    setup.models.morph = morph;
    let mut system = System::restore(setup, state).expect("its own");
    system.extend(end);
    finish(&mut system, &mut NullSink);
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
    engine.world.shapes.set_forms(&setup.matter.forms);
    engine.set_state(system.dem().state().into_owned());
    arenite::cluster::bodies::put_all_parts(
        &engine.world.physics,
        &mut engine.world.shapes,
        &mut engine.world.grains,
        &mut engine.skin,
    );
    arenite::cluster::still::sort_still(&mut engine.world);
    engine
}

/// What a link is between (grains by slot, or a boundary), where, and its forces on the lesser slot.
type Link = (u32, u32, [f64; 5]);

fn forces(engine: &Dem<Planar>) -> Vec<Link> {
    let mut links = Vec::new();
    arenite::cluster::observe::each_contact(&engine.world, |view| {
        let (t, x) = (view.tangential_force, view.kinematics.point);
        let (a, b, sign) = match view.b {
            Other::Slot(b) if b < view.a => (b, view.a, -1.0),
            Other::Slot(b) => (view.a, b, 1.0),
            Other::Boundary(w) => (view.a, u32::MAX - u32::from(w), 1.0),
        };
        let force = [view.normal_force, sign * t[0], sign * t[1], x[0], x[1]];
        links.push((a, b, force));
    });
    links.sort_by(|p, q| (p.0, p.1).cmp(&(q.0, q.1)).then(p.2[3].total_cmp(&q.2[3])));
    links
}

/// A bed at rest; again and again a random set of its grains is woken and stopped at once. Nothing was in
/// between, so nothing may change but by rounding.
#[test]
fn freezing_and_thawing_shapes_changes_nothing() {
    for shape in SHAPES {
        let mut setup = box_of(shape, 60, "");
        let (state, morph) = settled(&mut setup);
        let system = go_on(&setup, &state, Some(morph), 1.0);
        let mut engine = engine_of(&system);
        engine.renew();
        engine.world.sleeping.begin_look();
        let all = engine.world.grains.standing();
        assert!(all.len() >= 57, "{} of 60 {shape}s at rest", all.len());
        let before = forces(&engine);
        let lacks: Vec<_> = all
            .iter()
            .map(|&slot| {
                arenite::cluster::held::residual(
                    &engine.world.physics,
                    &engine.world.grains,
                    &engine.world.sleeping,
                    slot,
                )
            })
            .collect();
        let rows = engine.world.grains.arrays.rows.clone();
        let greatest = before.iter().map(|l| l.2[0]).fold(0.0, f64::max);
        let mut dice = Dice(7);
        let mut woken = 0;
        for _ in 0..200 {
            let share = dice.between(0.0, 0.5);
            let set: Vec<u32> = all
                .iter()
                .copied()
                .filter(|_| dice.roll() < share)
                .collect();
            woken += set.len();
            arenite::cluster::still::wake(&mut engine.world, &mut engine.border, &set);
            engine.renew();
            assert_eq!(engine.world.grains.standing().len(), all.len() - set.len());
            arenite::cluster::still::stop(
                &mut engine.world,
                &mut engine.book,
                &mut engine.border,
                &set,
            );
            engine.renew();
        }
        assert!(woken > 1_000, "{woken}");
        engine.world.sleeping.begin_look();
        let after = forces(&engine);
        assert_eq!(before.len(), after.len(), "as many links");
        for (p, q) in before.iter().zip(&after) {
            assert_eq!((p.0, p.1), (q.0, q.1));
            for k in 0..4 {
                close("force", q.2[k], p.2[k], 1e-9 * greatest);
            }
            assert_eq!(p.2[3..], q.2[3..], "the place");
        }
        for (&slot, was) in all.iter().zip(&lacks) {
            let is = arenite::cluster::held::residual(
                &engine.world.physics,
                &engine.world.grains,
                &engine.world.sleeping,
                slot,
            );
            for k in 0..6 {
                close("residual", is[k], was[k], 1e-9 * greatest);
            }
        }
        assert_eq!(rows, engine.world.grains.arrays.rows, "nobody moved");
    }
}

/// Mean normal force, and what floor and walls bear, N.
fn loads(system: &System<Planar>) -> [f64; 3] {
    let (mut mean, mut count, mut floor, mut walls) = (0.0, 0.0, 0.0, 0.0);
    arenite::cluster::observe::each_contact(&system.dem().world, |view| {
        let [on_a, _] = arenite::cluster::held::pushes(
            &system.dem().world.shapes,
            &system.dem().world.grains,
            &view,
        );
        match view.b {
            Other::Boundary(2) => floor += on_a[1],
            Other::Boundary(_) => walls += on_a[1],
            Other::Slot(_) => {}
        }
        mean += view.normal_force;
        count += 1.0;
    });
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
    shape = "bar"
    radius = 0.015
    count = 1
    every = 1.0
    start = 0.6
    min = [0.12, 0.2]
    max = [0.13, 0.201]
"#;

/// A heavy bar falls on a bed at rest, from the very same state with all stepped and with those at rest
/// standing still, at four places in beds of three shapes. What a bed comes to depends on a hair of where the
/// bar falls: mean forces of single beds differ by 5 to 9 %. So the mean of the twelve ratios is held against
/// its own standard error: 2 to 3.7 % by that, and an estimate from twelve is off by a fifth.
#[test]
fn an_added_load_is_borne_by_shapes_as_when_they_are_stepped() {
    let mut ratios: Vec<[f64; 2]> = Vec::new();
    for shape in SHAPES {
        let mut setup = box_of(shape, 70, HEAVY);
        let (state, morph) = settled(&mut setup);
        for k in 0..4 {
            let mut setup = setup.clone();
            let feed = &mut setup.sources.feeds[0];
            for corner in [&mut feed.min, &mut feed.max] {
                corner[0] += 0.015 * (f64::from(k) - 1.5);
            }
            let both = [None, Some(morph)];
            let [stepped, still] = both.map(|morph| go_on(&setup, &state, morph, 2.5));
            let [p, q] = [&stepped, &still].map(loads);
            let mass: f64 = stepped.grains_at(2.5).iter().map(|grain| grain.mass).sum();
            // Who lacks less than 0.2 weights after a solve is left: the bar, 0.13 of all weight, may by
            // itself lack 2.6 %. A good third of that.
            for [_, floor, walls] in [p, q] {
                close("borne", (floor + walls) / (G * mass), 1.0, 1e-2);
            }
            ratios.push([q[0] / p[0], q[1] / p[1]]);
            let summary = still.summary();
            let lost = summary.energy.balance_error;
            println!("{shape} {k}: balance {lost:.1e}");
            assert!(lost < 1e-4, "{shape} {k}: {lost:e}");
            let all = stepped.summary().work.grain_steps;
            assert!(summary.work.grain_steps < all, "{all}");
        }
    }
    for (k, what) in ["mean force", "floor"].into_iter().enumerate() {
        let n = ratios.len() as f64;
        let mean = ratios.iter().map(|r| r[k]).sum::<f64>() / n;
        let scatter: f64 = ratios.iter().map(|r| (r[k] - mean).powi(2)).sum();
        let error = (scatter / (n * (n - 1.0))).sqrt();
        println!("{what}: still over stepped {mean:.4} +- {error:.4}");
        assert!(error < 0.045, "{error}");
        close(what, mean, 1.0, 3.0 * error);
    }
}

/// Shapes rain into a box one by one: what has come to rest stands still, and all weight arrives.
#[test]
fn a_bed_of_shapes_that_rained_bears_its_weight() {
    for shape in SHAPES {
        let mut setup = box_of(shape, 1, &rain(shape, 60));
        setup.run.settle = None;
        setup.run.end_time = 2.5;
        (setup.log.series, setup.log.snapshots) = (Some(0.05), Some(2.5));
        let (_, records, summary) = run(&setup);
        let (grains, links) = records.snapshots.last().expect("the end");
        assert_eq!(grains.len(), 61);
        let stands =
            |g: &&arenite::record::GrainRow| matches!(g.regime, Regime::Rest | Regime::Rigid);
        let still = grains.iter().filter(stands).count();
        let weight: f64 = grains.iter().map(|g| g.mass * G).sum();
        let borne: f64 = links
            .iter()
            .filter(|link| matches!(link.body_b, BodyRef::Boundary(_)))
            .map(|link| link.tangential_force[1] - link.normal[1] * link.normal_force)
            .sum();
        let work = &summary.work;
        let share = work.grain_steps as f64 / work.grain_steps_if_all_stepped as f64;
        println!("{shape}: {still} stand still, {borne} of {weight} N, {share} of the steps");
        println!("{shape}: {:?}", summary.energy);
        assert!(still >= 57, "{still} of 61 {shape}s stand still");
        close("borne", borne / weight, 1.0, 5e-3);
        assert!(summary.energy.balance_error < 1e-3);
        assert!(share < 0.6, "{share}");
        assert!(summary.regimes.rigid > 0.1, "{:?}", summary.regimes);
    }
}

fn rain(shape: &str, count: u32) -> String {
    format!(
        "[[feed]]\nmaterial = \"thesis-disk\"\nshape = \"{shape}\"\nequal_measure = true\n\
         radius = 0.01\ncount = {count}\nevery = 0.02\nmin = [0.05, 0.2]\nmax = [0.2, 0.22]\n"
    )
}

/// Rods of two unlike balls rain into a box in space.
#[test]
fn clumps_in_space_stand_still_as_well() {
    let text = r#"
        name = "box"
        dimension = 3
        [field]
        gravity = [0.0, 0.0, -9.8]
        [run]
        end_time = 1.5
        [log]
        snapshots = 1.5
        [morph]
        [material.bead]
        density = 2500.0
        [[law]]
        between = ["bead", "bead"]
        [law.linear]
        normal_stiffness = 1e4
        tangential_stiffness = 3e3
        normal_damping = 1.5
        tangential_damping = 0.5
        friction = 0.4
        [shape.rod]
        spheres = [{ centre = [0.0, 0.0, 0.0], radius = 1.0 }, { centre = [1.2, 0.0, 0.0], radius = 0.8 }]
        [[boundary]]
        name = "box"
        material = "bead"
        box = { min = [0.0, 0.0, 0.0], max = [0.05, 0.05, 0.3], grains = "inside" }
        [[feed]]
        material = "bead"
        shape = "rod"
        radius = 0.007
        count = 50
        every = 0.01
        min = [0.01, 0.01, 0.1]
        max = [0.04, 0.04, 0.12]
    "#;
    let resolved = Scenario::parse("box", text, None, &[])
        .and_then(|scenario| scenario.resolve())
        .unwrap_or_else(|problem| panic!("{}", problem.render(false)));
    let AnySetup::Spatial(setup) = resolved.setup else {
        panic!("spatial");
    };
    let (_, records, summary) = run(&setup);
    println!("{:?} {:?}", summary.regimes, summary.energy);
    assert!(summary.energy.balance_error < 1e-3);
    assert!(summary.regimes.rest > 0.2, "{:?}", summary.regimes);
    let (grains, links) = records.snapshots.last().expect("the end");
    let weight: f64 = grains.iter().map(|g| g.mass * G).sum();
    let borne: f64 = links
        .iter()
        .filter(|link| matches!(link.body_b, BodyRef::Boundary(_)))
        .map(|link| link.tangential_force[2] - link.normal[2] * link.normal_force)
        .sum();
    close("borne", borne / weight, 1.0, 5e-3);
}

/// A grain that rests on one other is held where rolling lifts it, by Routh's rule: on the flat side of an oval
/// (radius 1.20 of its own) a quasi-triangle with its side down (4.00; 0.66 high, under 0.92), not another oval
/// (0.64 high, over 0.60).
#[test]
fn one_place_holds_where_rolling_there_lifts() {
    let shape = ArcGrain::quasi_polygon(3, 4.0, 0.2, 0.8).unwrap();
    let triangle = Planar::arcs("triangle", &shape).unwrap();
    for stands in [true, false] {
        let mut setup = on_a_floor(oval(), 0.5, 0.0);
        setup.matter.forms.push(triangle.clone());
        let low = setup.grains[0];
        let half = low.position.y + 0.1 * G / 1e6;
        let (mut high, mut under) = (low, half);
        high.id = 1;
        if stands {
            let side = triangle.parts[3];
            (high.form, high.inertia) = (Some(1), triangle.inertia);
            high.rotation = std::f64::consts::FRAC_PI_2;
            under = (side.radius - side.centre.norm()) * high.radius;
        }
        high.rotation += 1e-4;
        high.position.y = 2.0 * half + under - 2e-7;
        setup.grains.push(high);
        setup.run.end_time = 0.1;
        let standing = run(&setup).0.dem().world.grains.standing().len();
        assert_eq!(standing, if stands { 2 } else { 1 });
    }
}

#[test]
fn a_saved_state_with_shapes_at_rest_goes_on_with_the_same_bits() {
    for shape in SHAPES {
        let mut setup = box_of(shape, 1, &rain(shape, 30));
        setup.run.settle = None;
        setup.run.end_time = 1.0;
        let mut system = run(&setup).0;
        assert!(system.dem().world.grains.standing().len() > 5);
        system.extend(1.4);
        setup.run.end_time = 1.4;
        let mut again = System::restore(setup, &system.save().unwrap()).expect("its own");
        for system in [&mut system, &mut again] {
            finish(system, &mut NullSink);
        }
        assert_eq!(system.state_hash(), again.state_hash(), "{shape}");
        assert_eq!(
            system.summary().work.grain_steps,
            again.summary().work.grain_steps
        );
    }
}

/// A tap sets a bed that stands still in motion as it does one whose grains are stepped: it takes up the same
/// energy, loses it, and stands still again. All grains at rest get the same velocity, so what is injected
/// is known: half the mass times its square.
#[test]
fn a_tap_wakes_shapes_that_stand_still() {
    for shape in SHAPES {
        let tap = "[[perturb]]\ntime = 1.0\ntap = { velocity = [0.0, 0.3] }\n";
        let mut setup = box_of(shape, 60, tap);
        setup.run.end_time = 3.0;
        let (system, _, summary) = run(&setup);
        let mass: f64 = system.grains_at(3.0).iter().map(|grain| grain.mass).sum();
        let energy = &summary.energy;
        close("injected", energy.injected / (0.5 * mass * 0.09), 1.0, 1e-2);
        assert!(energy.balance_error < 1e-3, "{}", energy.balance_error);
        let still = system.dem().world.grains.standing().len();
        println!("{shape}: {still} stand still, {:?}", summary.work);
        assert!(still >= 57, "{still}");
        let [_, floor, walls] = loads(&system);
        close("borne", (floor + walls) / (G * mass), 1.0, 5e-3);
    }
}

/// A bed of ovals that stands still in a hopper is woken by a gate that opens, and flows as one whose ovals
/// are stepped. Four fillings each: of one, which may arch for a moment, 30 % more or less flow.
#[test]
fn shapes_that_stand_still_are_woken_by_a_gate_that_opens() {
    let out = |seed: u32, still: bool| {
        let overrides = [
            &format!("seed={seed}"),
            "run.end_time=0.8",
            "log.snapshots=never",
            "log.series=0.05",
            "fill[0].lattice.count=250",
            &format!("morph.rigid={still}"),
        ];
        let (system, _, summary) = run(&support::planar("hopper-ovals", &overrides));
        let energy = &summary.energy;
        assert!(energy.balance_error < 1e-3, "{}", energy.balance_error);
        let regimes = summary.regimes;
        println!("{regimes:?} {:?}", summary.work);
        assert_eq!(regimes.rest + regimes.rigid > 0.0, still, "{regimes:?}");
        system.summary().discharge.map_or(0, |flow| flow.count)
    };
    let sum = |still: bool| (1..5).map(|seed| out(seed, still)).sum::<u64>();
    let (some, all) = (sum(true), sum(false));
    let ratio = f64::from(some as u32) / f64::from(all as u32);
    assert!((0.8..1.25).contains(&ratio), "{some} out, {all} if stepped");
}
