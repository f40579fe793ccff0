//! Grains of several parts in motion: clumps and grains of arcs. References are laws of conservation, the
//! impulse of an eccentric impact, and disks, which shapes become in their limits.

use arenite::body::arcs::{ArcPose, ArcProfile};
use arenite::body::{Arc, ArcGrain, Ball, Clump, Formed, Grain, ShapeTemplate};
use arenite::cluster::integrate::Integrate;
use arenite::geometry::{Dimension, Planar, Spatial, Vector};
use arenite::neighbor::Levels;
use arenite::record::BodyRef;
use arenite::system::{PeriodicAxis, Setup, System};
use arenite::vector::Level;
use nalgebra::{Vector2, Vector3};

use crate::support::{
    Checkpoints, Dice, add, close, empty, end, finish, floor, kinetic, linear, momenta, place,
    planar, run, spatial, stepped,
};

fn ball<D: Dimension>(along: f64, up: f64, radius: f64) -> Ball<D> {
    let centre = place::<D>(along, up);
    Ball { centre, radius }
}

fn clump<D: Formed>(balls: Vec<Ball<D>>) -> ShapeTemplate<D> {
    D::clump("clump", &Clump::new(balls).unwrap()).unwrap()
}

fn dumbbell<D: Formed>() -> ShapeTemplate<D> {
    clump(vec![ball(-1.0, 0.0, 0.5), ball(1.0, 0.0, 0.5)])
}

/// The T-bar of eight spheres.
fn tee() -> ShapeTemplate<Spatial> {
    let places = [
        (-2.0, 0.0),
        (-1.0, 0.0),
        (0.0, 0.0),
        (1.0, 0.0),
        (2.0, 0.0),
        (0.0, -1.0),
        (0.0, -2.0),
        (0.0, -3.0),
    ];
    clump(places.map(|(x, z)| ball(x, z, 0.5)).to_vec())
}

/// Adds a grain of a form, by the radius around it (m) and its mass (kg).
fn shaped<D: Formed>(
    setup: &mut Setup<D>,
    form: ShapeTemplate<D>,
    radius: f64,
    mass: f64,
    position: D::Vector,
) -> &mut Grain<D> {
    let (index, inertia, axes) = (setup.matter.forms.len() as u16, form.inertia, form.axes);
    setup.matter.forms.push(form);
    let grain = add(setup, radius, mass, position, D::Vector::default());
    (grain.form, grain.inertia, grain.rotation) = (Some(index), inertia, axes);
    grain
}

fn size<D: Dimension>(spin: D::Spin) -> f64 {
    D::spin_dot(spin, spin).sqrt()
}

/// A tilt of a body by an angle in the plane of x and up, counter-clockwise as one looks along y.
fn tilt<D: Dimension>(angle: f64) -> D::Spin {
    let axis = if D::N == 2 { 0 } else { 1 };
    let angle = if D::N == 2 { angle } else { -angle };
    D::spin_from_fn(|k| if k == axis { angle } else { 0.0 })
}

/// A rod of two balls meets a smooth elastic floor with one end, at a lever c across. The impulse is
/// J = 2 v / (1/m + c^2/I) (Routh), which gives speed and spin after. A contact that lasts turns the rod
/// meanwhile, for a time that goes as one over the root of the stiffness: a thousand times the stiffness
/// must take 30 times off the error.
fn eccentric<D: Integrate>() {
    let (mass, radius, angle, speed) = (2.0, 0.03, 0.5_f64, 1.0);
    let error = |stiffness: f64| {
        let mut setup = empty::<D>(linear(stiffness, 0.0, 0.0, 0.0, 0.0), 1e-3, 0.02);
        setup.motion.step = Some(0.02 * (mass / stiffness).sqrt());
        floor(&mut setup);
        let form = dumbbell::<D>();
        let part = form.parts[0];
        let (arm, tip) = (radius * part.centre.norm(), radius * part.radius);
        let height = arm * angle.sin() + tip + 0.005;
        let grain = shaped(&mut setup, form, radius, mass, place::<D>(0.0, height));
        grain.rotation = D::turned(grain.rotation, tilt::<D>(angle));
        grain.velocity = place::<D>(0.0, -speed);
        let [.., inertia] = grain.moments();
        let across = arm * angle.cos();
        let impulse = 2.0 * speed / (1.0 / mass + across * across / inertia);
        let last = end(&setup)[0];
        let (rises, turns) = (impulse / mass - speed, across * impulse / inertia);
        let rise = (last.velocity[D::N - 1] - rises).abs() / speed;
        let turn = (size::<D>(last.spin) / turns - 1.0).abs();
        let balance = run(&setup).0.summary().energy.balance_error;
        assert!(balance < 1e-4, "{balance}");
        rise.max(turn)
    };
    let (soft, stiff) = (error(1e5), error(1e8));
    println!("{soft:e} {stiff:e}");
    assert!(stiff < soft / 20.0 && soft < 0.1, "{soft} {stiff}");
}

#[test]
fn a_rod_bounces_as_the_eccentric_impulse_says() {
    eccentric::<Planar>();
    eccentric::<Spatial>();
}

/// Shapes of all kinds thrown at each other, with damping, and with friction or without; gives by how much
/// the angular momentum is off, relatively.
fn crowd<D: Integrate>(forms: &[ShapeTemplate<D>], stiffness: f64, friction: f64) -> f64 {
    let mut setup = empty::<D>(
        linear(stiffness, 0.5 * stiffness, 3.0, 1.0, friction),
        0.0,
        0.05,
    );
    setup.motion.step = Some(2e-6 * (1e5 / stiffness).sqrt());
    let mut dice = Dice(7);
    for (k, form) in forms.iter().cycle().take(8).enumerate() {
        let mut position = dice.vector::<D>(-0.005, 0.005);
        position[0] += 0.045 * (k % 4) as f64 - 0.07;
        position[1] += 0.045 * (k / 4) as f64 - 0.02;
        let grain = shaped(&mut setup, form.clone(), 0.02, 0.01, position);
        grain.rotation = D::any_rotation([0.0; 3].map(|_| dice.roll()));
        grain.spin = dice.spin::<D>(-30.0, 30.0);
        grain.velocity = position * -15.0;
    }
    let before = momenta(&setup.grains);
    let (system, _) = run(&setup);
    let after = momenta(&system.grains_at(setup.run.end_time));
    let summary = system.summary();
    let links = system.dem().book.counts.opened;
    assert!(links > 10, "{links}");
    assert!(summary.energy.dissipated.damping > 0.0);
    let balance = summary.energy.balance_error;
    assert!(balance < 1e-4, "{balance:e}");
    let scale: f64 = setup
        .grains
        .iter()
        .map(|g| g.mass * g.velocity.norm())
        .sum();
    let off = (after.0 - before.0).norm() / scale;
    assert!(off < 1e-12, "momentum {off:e}");
    size::<D>(after.1 - before.1) / size::<D>(before.1)
}

/// Normal forces go through the centres of both parts: they leave the angular momentum as it was, to what
/// rounding of 25,000 steps adds up to. Tangential ones act on each at its own surface (docs/architecture.md), the two of which are
/// an overlap apart, and that goes as one over the root of the stiffness.
fn turning_is_kept<D: Integrate>(forms: &[ShapeTemplate<D>]) {
    let smooth = crowd(forms, 1e5, 0.0);
    assert!(smooth < 1e-11, "{smooth:e}");
    let (soft, stiff) = (crowd(forms, 1e5, 0.4), crowd(forms, 1e7, 0.4));
    println!("{smooth:e} {soft:e} {stiff:e}");
    assert!(stiff < soft / 3.0 && soft < 0.05, "{soft:e} {stiff:e}");
}

#[test]
fn shapes_keep_momentum_angular_momentum_and_energy() {
    turning_is_kept::<Planar>(&[
        dumbbell(),
        Planar::arcs("oval", &ArcGrain::oval(1.5, 0.4, 0.7).unwrap()).unwrap(),
        Planar::arcs(
            "square",
            &ArcGrain::quasi_polygon(4, 6.0, 0.15, 0.9).unwrap(),
        )
        .unwrap(),
        clump(vec![
            ball(0.0, 0.0, 1.0),
            ball(0.9, 0.4, 0.5),
            ball(-0.3, 1.0, 0.4),
        ]),
    ]);
    turning_is_kept::<Spatial>(&[dumbbell(), tee()]);
}

/// A disk made of four arcs about one centre is a disk: same motion among disks and walls, but for the
/// rounding of its rotation.
#[test]
fn arcs_about_one_centre_are_a_disk() {
    let quarter = |k: usize| Arc {
        name: k.to_string(),
        centre: Vector2::zeros(),
        radius: 1.0,
        from: std::f64::consts::FRAC_PI_2 * k as f64,
        to: std::f64::consts::FRAC_PI_2 * (k + 1) as f64,
    };
    let grain = ArcGrain::new((0..4).map(quarter).collect()).unwrap();
    let form = Planar::arcs("disk", &grain).unwrap();
    close("moment", form.inertia[2], 0.5, 1e-14);
    let fall = |of_arcs: bool| {
        let mut setup = empty::<Planar>(linear(1e5, 5e4, 30.0, 20.0, 0.4), 1e-5, 0.2);
        setup.fields.gravity = Vector2::new(1.0, -9.8);
        floor(&mut setup);
        for k in 0..5 {
            let x = Vector2::new(0.021 * k as f64, 0.03 + 0.002 * k as f64);
            let grain = if of_arcs {
                shaped(&mut setup, form.clone(), 0.01, 0.1, x)
            } else {
                add(&mut setup, 0.01, 0.1, x, Vector2::zeros())
            };
            grain.spin = 40.0;
            grain.velocity = Vector2::new(-0.3 * k as f64, 0.0);
        }
        end(&setup)
    };
    for (disk, arcs) in fall(false).iter().zip(&fall(true)) {
        let off = (disk.position - arcs.position).norm();
        assert!(off < 1e-12, "{off:e}");
        close("rotation", arcs.rotation, disk.rotation, 1e-10);
    }
}

/// The T-bar spun about its middle axis turns over again and again; nothing acts on it, so that angular
/// momentum stays to rounding and the energy comes back to what it was.
#[test]
fn a_t_bar_turns_over_without_drift() {
    let mut setup = empty::<Spatial>(linear(1e5, 0.0, 0.0, 0.0, 0.0), 1e-4, 30.0);
    let form = tee();
    let middle = form.axes * Vector3::y();
    let grain = shaped(&mut setup, form, 0.1, 1.0, Vector3::zeros());
    grain.spin = middle * 10.0 + Vector3::new(0.01, 0.01, 0.01);
    let (spin, first) = (grain.spin, momenta(&setup.grains).1);
    let start = setup.grains[0].kinetic_energy();
    let (mut least, mut worst) = (f64::INFINITY, 0.0_f64);
    let mut system = System::new(setup.clone()).unwrap();
    for k in 1..=30 {
        let never = std::sync::atomic::AtomicBool::new(false);
        let mut control = arenite::system::Control::new(&never);
        system.extend(f64::from(k));
        system
            .run(&mut arenite::record::NullSink, &mut control)
            .unwrap();
        let grain = system.grains_at(f64::from(k))[0];
        let own = grain.rotation.inverse() * grain.spin;
        least = least.min(own.y * (setup.grains[0].rotation.inverse() * spin).y);
        worst = worst.max((grain.kinetic_energy() / start - 1.0).abs());
        let off = (momenta(&[grain]).1 - first).norm() / first.norm();
        assert!(off < 1e-12, "{off:e}");
    }
    println!("{least} {worst:e}");
    // It points the other way at times.
    assert!(least < -50.0, "{least}");
    assert!(worst < 1e-6, "{worst:e}");
}

/// What happens across a periodic border is what happens in the middle of the box.
#[test]
fn clumps_collide_across_a_periodic_border() {
    let run_at = |shift: f64| {
        let mut setup = empty::<Planar>(linear(1e5, 5e4, 3.0, 1.0, 0.4), 2e-6, 0.03);
        let axis = PeriodicAxis {
            origin: 0.0,
            length: 0.2,
        };
        setup.space.periodic = vec![Some(axis), None];
        for side in [-1.0, 1.0] {
            let x = Vector2::new(axis.wrap(shift + side * 0.022), 0.004 * side);
            let grain = shaped(&mut setup, dumbbell(), 0.02, 0.01, x);
            grain.velocity = Vector2::new(-side, 0.0);
            grain.rotation = 0.7 * side;
        }
        let (system, _) = run(&setup);
        assert!(system.dem().book.counts.opened >= 1);
        system.grains_at(setup.run.end_time)
    };
    for (a, b) in run_at(0.1).iter().zip(&run_at(0.0)) {
        let off = (a.velocity - b.velocity).norm();
        assert!(off < 1e-9, "{off:e}");
        close("spin", a.spin, b.spin, 1e-7);
    }
}

/// A thin oval and a row of disks along its outline: what is nearly the same shape meets a wall and
/// another body in nearly the same way.
#[test]
fn an_oval_of_arcs_bounces_as_one_of_many_disks() {
    let oval = ArcGrain::oval(1.5, 0.4, 0.7).unwrap();
    let arcs = Planar::arcs("arcs", &oval).unwrap();
    // Disks inside that touch the outline: at each place of the axis the largest that fits.
    let row = |count: usize| {
        let half = 0.848_528_137_423_857_1;
        let disk = |k: usize| {
            let x = half * (2.0 * k as f64 / (count - 1) as f64 - 1.0);
            // Tangent to the flat arcs from inside.
            let radius = 1.5 - (x * x + 0.49_f64).sqrt();
            ball::<Planar>(x, 0.0, radius)
        };
        clump((0..count).map(disk).collect())
    };
    let bounce = |form: ShapeTemplate<Planar>| {
        let mut setup = empty::<Planar>(linear(1e9, 0.0, 0.0, 0.0, 0.0), 5e-7, 0.03);
        floor(&mut setup);
        let grain = shaped(&mut setup, form, 0.02, 0.5, Vector2::new(0.0, 0.025));
        grain.rotation = 0.3;
        grain.velocity = Vector2::new(0.0, -1.0);
        let last = end(&setup)[0];
        (last.velocity.y, last.spin)
    };
    let exact = bounce(arcs);
    let off = |count: usize| {
        let got = bounce(row(count));
        (got.0 - exact.0).abs().max((got.1 / exact.1 - 1.0).abs())
    };
    let (rough, fine) = (off(9), off(65));
    println!("{rough:e} {fine:e}");
    assert!(fine < 2e-3 && fine < rough, "{rough} {fine}");
}

/// Contacts that a run finds against those that a search over all pairs of arcs finds.
#[test]
fn arcs_that_face_each_other_are_those_of_the_search() {
    let shapes = [
        ArcGrain::oval(1.5, 0.4, 0.7).unwrap(),
        ArcGrain::quasi_polygon(3, 4.0, 0.2, 0.8).unwrap(),
        ArcGrain::quasi_polygon(4, 6.0, 0.15, 0.9).unwrap(),
    ];
    let mut setup = empty::<Planar>(linear(1e6, 0.0, 0.0, 0.0, 0.0), 2e-6, 0.2);
    let axis = PeriodicAxis {
        origin: 0.0,
        length: 0.36,
    };
    setup.space.periodic = vec![Some(axis); 2];
    let mut dice = Dice(3);
    for k in 0..144 {
        let shape = &shapes[k % 3];
        let form = Planar::arcs("arcs", shape).unwrap();
        let x = Vector2::new(0.03 * (k % 12) as f64 + 0.01, 0.03 * (k / 12) as f64 + 0.01);
        let grain = shaped(&mut setup, form, 0.014, 0.5, x);
        grain.rotation = dice.between(0.0, 6.0);
        grain.spin = dice.between(-20.0, 20.0);
        grain.velocity = dice.vector::<Planar>(-1.0, 1.0);
    }
    let mut system = System::new(setup.clone()).unwrap();
    let mut seen = 0;
    for k in 1..=100 {
        let never = std::sync::atomic::AtomicBool::new(false);
        let mut control = arenite::system::Control::new(&never);
        system.extend(2e-3 * f64::from(k));
        system
            .run(&mut arenite::record::NullSink, &mut control)
            .unwrap();
        let time = system.dem().world.clock.time();
        let grains = system.grains_at(time);
        let links = system.link_rows(time);
        let mut count = 0;
        for (i, a) in grains.iter().enumerate() {
            for (j, b) in grains.iter().enumerate().skip(i + 1) {
                let near = |g: &Grain<Planar>, shift: Vector2<f64>| {
                    let form = &setup.matter.forms[g.form.unwrap() as usize];
                    let turned = Planar::rotate(g.rotation, form.centroid * (1.0 / form.reach));
                    ArcPose::new((g.position + shift) / g.radius - turned / 1.0, g.rotation)
                };
                let mut shift = a.position - b.position;
                shift = Vector2::from_fn(|k, _| 0.36 * (shift[k] / 0.36).round());
                let scale = |k: usize| 1.0 / setup.matter.forms[k].reach;
                let profile = |k: usize| {
                    let arcs = shapes[k % 3].arcs().iter().map(|arc| Arc {
                        centre: arc.centre * scale(k),
                        radius: arc.radius * scale(k),
                        ..arc.clone()
                    });
                    ArcProfile::new(&ArcGrain::new(arcs.collect()).unwrap()).unwrap()
                };
                if (a.position - b.position - shift).norm() > 0.028 {
                    continue;
                }
                let contact = profile(i).contact(
                    &near(a, Vector2::zeros()),
                    &profile(j),
                    &near(b, shift),
                    None,
                );
                let overlap = contact.overlap * 0.014;
                let found = links
                    .iter()
                    .find(|l| l.body_a == BodyRef::Grain(a.id) && l.body_b == BodyRef::Grain(b.id));
                if overlap > 1e-9 {
                    count += 1;
                    let link = found.unwrap_or_else(|| panic!("{i} {j} {contact:?}"));
                    close("overlap", link.overlap, overlap, 1e-12);
                    close("normal", link.normal[0], contact.normal.x, 1e-9);
                } else if overlap < -1e-9 {
                    assert!(found.is_none(), "{i} {j} {contact:?} {found:?}");
                }
            }
        }
        seen += count;
    }
    assert!(seen > 100, "{seen}");
    let balance = system.summary().energy.balance_error;
    assert!(balance < 1e-3, "{balance:e}");
}

/// A run with shapes that is saved and goes on ends with the same bits, whatever it logs.
#[test]
fn shapes_resume_with_the_same_bits() {
    for name in ["hopper-ovals", "hopper-clumps"] {
        let options = [
            "settle.at_most=0.5",
            "run.end_time=0.2",
            "fill[0].lattice.count=150",
            "log.checkpoint=0.08",
        ];
        let setup = planar(name, &options);
        let mut sink = Checkpoints::default();
        let mut system = System::new(setup.clone()).unwrap();
        finish(&mut system, &mut sink);
        let end = system.state_hash();
        assert!(sink.states.len() >= 2, "{}", sink.states.len());
        for state in &sink.states {
            let mut again = System::restore(setup.clone(), state).unwrap();
            finish(&mut again, &mut arenite::record::NullSink);
            assert_eq!(again.state_hash(), end, "{name}");
        }
        let quiet = planar(
            name,
            &[&options[..], &["log.series=never", "log.snapshots=never"]].concat(),
        );
        assert_eq!(run(&quiet).0.state_hash(), end, "{name}");
    }
}

/// A shape of one disk is a disk, to the last bit.
#[test]
fn a_clump_of_one_disk_is_a_disk() {
    let fall = |shape: &str| {
        let shape: Vec<String> = if shape.is_empty() {
            Vec::new()
        } else {
            vec![format!("shape.one={shape}"), "fill[0].shape=\"one\"".into()]
        };
        let mut options: Vec<&str> = shape.iter().map(String::as_str).collect();
        options.extend([
            "run.end_time=0.1",
            "settle.at_most=0.3",
            "morph.rigid=false",
        ]);
        run(&planar("hopper", &options)).0.state_hash()
    };
    let one = "{disks=[{centre=[0.0,0.0],radius=2.0}]}";
    // One that is buried does not count.
    let two = "{disks=[{centre=[0.0,0.0],radius=2.0},{centre=[0.5,0.0],radius=1.0}]}";
    assert_eq!(fall(one), fall(""));
    assert_eq!(fall(two), fall(""));
}

/// Collisions without loss share the energy of T-bars out: to turning as much as to motion
/// (equipartition). 600 grains share 1800 ways to move and as many to turn; the share of turning scatters by
/// sqrt(1 / (2 x 1800)) / 2 or 0.8 %, more while collisions are still few: 4 % are allowed.
#[test]
#[ignore = "some two minutes"]
fn motion_and_turning_of_t_bars_come_to_share_the_energy() {
    let options = ["log.series=never", "log.snapshots=never"];
    let setup = spatial("t-gas", &options);
    let grains = end(&setup);
    let moving: f64 = grains
        .iter()
        .map(|g| 0.5 * g.mass * g.velocity.norm_squared())
        .sum();
    let all = kinetic(&grains);
    let start = kinetic(&setup.grains);
    println!(
        "turning {} of all, {} of the start",
        1.0 - moving / all,
        all / start
    );
    close("share of turning", 1.0 - moving / all, 0.5, 0.04);
}

/// Grains of a shape that are fed keep to a step as small as those that are there from the start.
#[test]
fn a_feed_of_shapes_asks_for_their_step() {
    let with = |options: &[&str]| {
        let setup = planar("settle-shapes", options);
        System::plan(&setup).unwrap().step
    };
    let placed = ["fill[0].lattice.count=1"];
    let feed = "feed=[{material=\"stone\",shape=\"quasi-triangle\",equal_measure=true,radius=0.01,\
                count=1,every=1.0,min=[0.1,0.5],max=[0.4,0.6]}]";
    // The grain of the fill is the larger: the fed one decides.
    let fed = [
        "fill[0].lattice.count=1",
        "fill[0].lattice.radius=0.02",
        feed,
    ];
    let (placed, fed) = (with(&placed), with(&fed));
    assert!((fed / placed - 1.0).abs() < 0.05, "{placed:e} {fed:e}");
}

fn levels<D: Integrate>(setup: &Setup<D>, step: f64, steps: usize) {
    let at = |level| {
        let search = Box::new(Levels::new());
        stepped(setup, (step, steps), (1e-2, 2e-3), search, level)
    };
    let want = at(Level::Plain);
    assert!(want.book.counts.opened > 30, "{:?}", want.book.counts);
    for level in [Level::Avx2, Level::Avx512] {
        let got = at(level);
        assert!(
            format!("{:?}", got.state()) == format!("{:?}", want.state()),
            "{level:?}"
        );
    }
}

/// Grains of arcs among each other, and T-bars in a periodic box: levels that the processor lacks fall back
/// to what it has, so that there this test says less.
#[test]
fn all_vector_levels_give_the_same_bits_of_shapes() {
    let few = "fill[0].lattice.count=30";
    levels(&planar("settle-shapes", &[few]), 5e-6, 40_000);
    let dense = [
        "periodic.x=[0.0,0.5]",
        "periodic.y=[0.0,0.5]",
        "periodic.z=[0.0,0.5]",
    ];
    let fill = "fill[0].lattice.max=[0.5,0.5,0.5]";
    let options = [&[few, fill][..], &dense].concat();
    levels(&spatial("t-gas", &options), 5e-5, 10_000);
}

/// A turning dumbbell that bounces over a floor: with and without collisions in flight.
fn bounces_where_flyers_collide<D: Integrate>() {
    let mut setup: Setup<D> = empty(linear(1e6, 5e5, 5.0, 5.0, 0.3), 1e-6, 0.05);
    floor(&mut setup);
    setup.motion.stable_dwell = 1e-4;
    let grain = shaped(&mut setup, dumbbell(), 0.01, 0.01, place::<D>(0.0, 0.016));
    grain.velocity = place::<D>(0.1, -0.5);
    grain.spin = crate::support::rolling::<D>(120.0);
    setup.motion.flight = false;
    let stepped = end(&setup);
    setup.motion.flight = true;
    setup.motion.collisions = Some(0.05);
    let (system, _) = run(&setup);
    let summary = system.summary();
    assert!(summary.regimes.flight > 0.5, "{:?}", summary.regimes);
    assert_eq!(summary.work.collisions, 0);
    assert!(summary.energy.balance_error < 1e-3, "{:?}", summary.energy);
    assert!(
        stepped[0].velocity[D::N - 1] > 0.1,
        "{:?}",
        stepped[0].velocity
    );
    let ended = system.grains_at(setup.run.end_time);
    let apart = |a: D::Vector, b: D::Vector| (a - b).norm();
    let off = apart(ended[0].position, stepped[0].position);
    assert!(off < 1e-6, "{off:e}");
    let off = apart(ended[0].velocity, stepped[0].velocity);
    assert!(off < 1e-4, "{off:e}");
}

/// Grains of several parts without a link were let go as if they were round where flyers collide, and
/// were called back amid a wall: they fly while the sphere around them is clear, and their contacts are stepped.
#[test]
fn contacts_of_clumps_are_stepped_where_flyers_collide() {
    bounces_where_flyers_collide::<Planar>();
    bounces_where_flyers_collide::<Spatial>();
}
