//! Contact laws that a program brings: as those of this crate where they are the same, right where they are others.

use arenite::contact::Law;
use arenite::prelude::*;
use arenite::vector::{Lanes, Plain};

/// Springs and dashpots, written anew.
#[derive(Debug)]
struct Springs;

const KN: f64 = 1e5;
const KT: f64 = 4e4;
const CN: f64 = 3.0;
const CT: f64 = 2.0;

impl OwnLaw for Springs {
    fn name(&self) -> &str {
        "springs"
    }
    fn friction(&self) -> f64 {
        0.4
    }
    fn respond(&self, contact: &Contact<Eight>) -> Response<Eight> {
        Response {
            elastic: contact.overlap.map(|x| KN * x),
            normal_damping: [CN; 8],
            tangential_stiffness: [KT; 8],
            tangential_compliance: [1.0 / KT; 8],
            tangential_damping: [CT; 8],
        }
    }
    fn elastic(&self) -> Elastic {
        Elastic::Linear(KN)
    }
    fn loss(&self) -> Loss {
        Loss::Dashpot {
            normal: CN,
            tangential: CT,
            per_mass: false,
        }
    }
    fn tangential_stiffness(&self, _: f64, _: f64) -> f64 {
        KT
    }
}

/// F = k x + c x^3 without loss, which is none of the laws of this crate.
#[derive(Debug)]
struct Hardening;

const CUBIC: f64 = 4e10;

impl OwnLaw for Hardening {
    fn name(&self) -> &str {
        "hardening"
    }
    fn friction(&self) -> f64 {
        0.0
    }
    fn respond(&self, contact: &Contact<Eight>) -> Response<Eight> {
        Response {
            elastic: contact.overlap.map(|x| KN * x + CUBIC * x.powi(3)),
            normal_damping: [0.0; 8],
            tangential_stiffness: [0.0; 8],
            tangential_compliance: [0.0; 8],
            tangential_damping: [0.0; 8],
        }
    }
    // As stiff as at the greatest overlap of these tests, 2 mm.
    fn elastic(&self) -> Elastic {
        Elastic::Linear(KN + 3.0 * CUBIC * 4e-6)
    }
    fn loss(&self) -> Loss {
        Loss::Dashpot {
            normal: 0.0,
            tangential: 0.0,
            per_mass: false,
        }
    }
    fn tangential_stiffness(&self, _: f64, _: f64) -> f64 {
        0.0
    }
    fn energy(&self, x: f64, _: f64) -> f64 {
        0.5 * KN * x * x + 0.25 * CUBIC * x.powi(4)
    }
    fn stiffness(&self, x: f64, _: f64) -> f64 {
        KN + 3.0 * CUBIC * x * x
    }
}

/// Forty balls that fall into a box and come to rest there.
fn scene(models: &str) -> String {
    format!(
        r#"
name = "box"
dimension = 3
{models}
[field]
gravity = [0.0, 0.0, -9.81]
[log]
series = 0.05
[material.ball]
density = 2500.0
[[law]]
between = ["ball", "ball"]
linear = {{ normal_stiffness = {KN:?}, tangential_stiffness = {KT:?}, normal_damping = {CN:?}, tangential_damping = {CT:?}, friction = 0.4 }}
[[boundary]]
name = "box"
material = "ball"
box = {{ min = [0.0, 0.0, 0.0], max = [0.1, 0.1, 1.0], grains = "inside" }}
[[fill]]
material = "ball"
[fill.lattice]
count = 40
radius = 0.01
min = [0.0, 0.0, 0.01]
max = [0.1, 0.1, 0.13]
speed = 0.2
"#
    )
}

/// The same springs as this crate's: figures agree to rounding.
#[test]
fn the_same_law_gives_the_same_motion() {
    let text = scene("[run]\nend_time = 0.2\n");
    let run = |own: bool| {
        let builder = Simulation::builder().text("box", text.clone());
        let builder = match own {
            true => builder.law("ball", "ball", Springs),
            false => builder,
        };
        let mut run = builder.build().unwrap_or_else(|why| panic!("{why}"));
        run.run_until(0.12).unwrap();
        let early = run.moment();
        let links = run.summary().events.by_kind["insert-link"];
        run.run().unwrap();
        (early, links, run.summary())
    };
    let ((theirs, links, a), (ours, also, b)) = (run(false), run(true));
    assert!(links > 30, "{links} contacts");
    assert_eq!(links, also);
    for (x, y) in theirs.grains.iter().zip(&ours.grains) {
        for k in 0..3 {
            assert!((x.position[k] - y.position[k]).abs() < 1e-9, "{x:?}\n{y:?}");
        }
    }
    let (book, ours) = (a.energy.balance_error, b.energy.balance_error);
    assert!((book - ours).abs() < 0.1 * book, "{book}, {ours}");
    let (lost, ours) = (a.energy.dissipated, b.energy.dissipated);
    let sum = |d: &arenite::record::Dissipated| d.damping + d.slip + d.collision;
    assert!((sum(&lost) - sum(&ours)).abs() < 0.02 * sum(&lost));
}

/// Two balls that meet head-on: how deep they come, by energy; and they part as fast as they came.
#[test]
fn a_law_of_another_shape_is_right() {
    let text = r#"
name = "pair"
dimension = 3
[run]
end_time = 0.003
[log]
series = 1e-5
[material.ball]
density = 2500.0
[[law]]
between = ["ball", "ball"]
linear = { normal_stiffness = 1e5, tangential_stiffness = 0.0, normal_damping = 0.0, tangential_damping = 0.0, friction = 0.0 }
[[fill]]
material = "ball"
[[fill.grains]]
position = [-0.0101, 0.0, 0.0]
velocity = [6.0, 0.0, 0.0]
radius = 0.01
[[fill.grains]]
position = [0.0101, 0.0, 0.0]
velocity = [-6.0, 0.0, 0.0]
radius = 0.01
"#;
    let mut deepest: f64 = 0.0;
    let mut run = Simulation::builder()
        .text("pair", text)
        .law("ball", "ball", Hardening)
        .observe(1e-6, |moment| {
            let apart = moment.grains[1].position[0] - moment.grains[0].position[0];
            deepest = deepest.max(0.02 - apart);
        })
        .build()
        .unwrap();
    run.run().unwrap();
    let moment = run.moment();
    let energy = run.summary().energy;
    drop(run);
    // Two of m v^2 / 2 are the energy at the turn.
    let mass = 2500.0 * 4.0 / 3.0 * std::f64::consts::PI * 1e-6;
    let kinetic = mass * 6.0f64.powi(2);
    let square = (-0.5 * KN + (0.25 * KN * KN + CUBIC * kinetic).sqrt()) / (0.5 * CUBIC);
    let depth = square.sqrt();
    assert!(
        (deepest / depth - 1.0).abs() < 2e-3,
        "{deepest} m, {depth} m"
    );
    // Not that of the springs alone.
    assert!(depth < 0.75 * (2.0 * kinetic / KN).sqrt());
    let speed = moment.grains[1].velocity[0];
    assert!((speed - 6.0).abs() < 1e-2, "{speed} m/s");
    assert!(energy.balance_error < 1e-3, "{}", energy.balance_error);
}

/// States have its name: they go on where the program has such a law.
#[test]
fn a_saved_run_goes_on_with_the_law_of_its_name() {
    let text = scene("[run]\nend_time = 0.12\n");
    let build = || Simulation::builder().text("box", text.clone());
    let mut first = build().law("ball", "ball", Springs).build().unwrap();
    first.run_until(0.07).unwrap();
    let state = first.save().unwrap();
    first.run().unwrap();
    let again = build().law("ball", "ball", Springs).resume(state);
    let mut again = again.build().unwrap();
    again.run().unwrap();
    assert_eq!(first.summary().state_hash, again.summary().state_hash);
    let mut saved = build().law("ball", "ball", Springs).build().unwrap();
    saved.run_until(0.07).unwrap();
    let without = build().resume(saved.save().unwrap()).build();
    let why = without.expect_err("the law is missing").to_string();
    assert!(
        why.contains("the law `springs` between `ball` and `ball`"),
        "{why}"
    );
}

/// Laws without fields of their own may lie at one address, and are two laws all the same.
#[test]
fn laws_are_told_apart_by_name() {
    #[derive(Debug)]
    struct Softer;
    impl OwnLaw for Softer {
        fn name(&self) -> &str {
            "softer"
        }
        fn friction(&self) -> f64 {
            0.0
        }
        fn respond(&self, contact: &Contact<Eight>) -> Response<Eight> {
            Springs.respond(contact)
        }
        fn elastic(&self) -> Elastic {
            Elastic::Linear(0.5 * KN)
        }
        fn loss(&self) -> Loss {
            Springs.loss()
        }
        fn tangential_stiffness(&self, overlap: f64, radius: f64) -> f64 {
            Springs.tangential_stiffness(overlap, radius)
        }
    }
    let [one, other] = [
        arenite::contact::OwnLawHandle::new(Springs),
        arenite::contact::OwnLawHandle::new(Softer),
    ];
    assert_eq!(one, one);
    assert_ne!(one, other);
}

/// A column of a filling: overlaps under its weight are those of the law.
#[test]
fn a_filling_bears_by_it() {
    let text = r#"
name = "column"
dimension = 3
[run]
end_time = 4.0
[log]
series = 1.0
[field]
gravity = [0.0, 0.0, -9.81]
[quasi_static]
freedom = "translational"
[material.ball]
density = 2500.0
[[law]]
between = ["ball", "ball"]
linear = { normal_stiffness = 1e5, tangential_stiffness = 1e4, normal_damping = 0.0, tangential_damping = 0.0, friction = 0.0 }
[[boundary]]
name = "east"
material = "ball"
plane = { point = [0.0, 0.0, 0.0], normal = [1.0, 0.0, 1.0] }
[[boundary]]
name = "north-west"
material = "ball"
plane = { point = [0.0, 0.0, 0.0], normal = [-0.5, 0.8660254037844386, 1.0] }
[[boundary]]
name = "south-west"
material = "ball"
plane = { point = [0.0, 0.0, 0.0], normal = [-0.5, -0.8660254037844386, 1.0] }
[[fill]]
material = "ball"
[[fill.grains]]
position = [0.0, 0.0, 0.0707106781186548]
radius = 0.05
"#;
    let mut run = Simulation::builder().text("column", text);
    run = run.law("ball", "ball", Hardening);
    match run.build() {
        Ok(mut run) => {
            run.run().unwrap();
            // Each of three planes that lean by 45 degrees bears a third of the weight over the cosine.
            let sunk = 0.0707106781186548 - run.moment().grains[0].position[2];
            let overlap = sunk * 0.5f64.sqrt();
            let weight = 9.81 * 2500.0 * 4.0 / 3.0 * std::f64::consts::PI * 0.05f64.powi(3);
            let force = KN * overlap + CUBIC * overlap.powi(3);
            let bears = weight / 3.0 / 0.5f64.sqrt();
            assert!((force / bears - 1.0).abs() < 1e-4, "{force} N, {bears} N");
        }
        Err(why) => panic!("{why}"),
    }
}

#[test]
fn what_a_law_cannot_go_with_is_refused() {
    let refused = |text: String, a: &str| {
        let built = Simulation::builder()
            .text("box", text)
            .law(a, "ball", Springs);
        built.build().expect_err("refused").to_string()
    };
    let why = refused(scene("[run]\nend_time = 1.0\n[morph]\n"), "ball");
    assert!(
        why.contains("`springs`") && why.contains("[morph]"),
        "{why}"
    );
    let why = refused(scene("[run]\nend_time = 1.0\n[events]\n"), "ball");
    assert!(why.contains("[events]"), "{why}");
    let why = refused(scene("[run]\nend_time = 1.0\ncollisions = true\n"), "ball");
    assert!(why.contains("run.collisions"), "{why}");
    let why = refused(scene("[run]\nend_time = 1.0\n"), "bal");
    assert!(why.contains("did you mean `ball`"), "{why}");
}

/// The law as the kernels of any vector level see it.
#[test]
fn lanes_are_evaluated_together() {
    let law = arenite::contact::OwnLawHandle::new(Hardening);
    let contact = Contact {
        overlap: Plain::from_array(std::array::from_fn(|k| 1e-3 * k as f64)),
        inverse_mass: Plain::splat(1.0),
        radius: Plain::splat(0.01),
        speed: Plain::splat(0.0),
        sliding: Plain::splat(0.0),
    };
    let force = law.respond(contact).elastic.to_array();
    for (k, force) in force.into_iter().enumerate() {
        let x = 1e-3 * k as f64;
        assert_eq!(force, KN * x + CUBIC * x.powi(3));
    }
}

/// The springs of the scenario `hopper` as a law of the program: what a call through a pointer costs. Every disk is stepped.
#[test]
#[ignore = "measures time: cargo test --release --test it own_law_costs -- --ignored --nocapture"]
fn own_law_costs() {
    #[derive(Debug)]
    struct Scaled(&'static str, f64, f64);
    impl OwnLaw for Scaled {
        fn name(&self) -> &str {
            self.0
        }
        fn friction(&self) -> f64 {
            self.2
        }
        fn respond(&self, contact: &Contact<Eight>) -> Response<Eight> {
            Response {
                elastic: contact.overlap.map(|x| 1e6 * self.1 * x),
                normal_damping: [1e3 * self.1; 8],
                tangential_stiffness: [1e5 * self.1; 8],
                tangential_compliance: [1e-5 / self.1; 8],
                tangential_damping: [1e3 * self.1; 8],
            }
        }
        fn elastic(&self) -> Elastic {
            Elastic::Linear(1e6 * self.1)
        }
        fn loss(&self) -> Loss {
            Loss::Dashpot {
                normal: 1e3 * self.1,
                tangential: 1e3 * self.1,
                per_mass: false,
            }
        }
        fn tangential_stiffness(&self, _: f64, _: f64) -> f64 {
            1e5 * self.1
        }
    }
    let text = include_str!("../../../scenarios/hopper.toml");
    let (before, after) = text.split_once("[morph]").unwrap();
    let after = after.split_once("\n\n").unwrap().1;
    let text = format!("{before}{after}");
    for _ in 0..3 {
        for own in [false, true] {
            let mut builder = Simulation::builder()
                .text("hopper", text.clone())
                .set("run.end_time=2.0");
            if own {
                builder = builder
                    .law("thesis-disk", "thesis-disk", Scaled("disks", 1.0, 0.43))
                    .law("thesis-disk", "thesis-wall", Scaled("walls", 1.5, 0.33));
            }
            let mut run = builder.build().unwrap();
            run.run().unwrap();
            let summary = run.summary();
            let steps = summary.work.grain_steps as f64;
            let each = 1e9 * summary.time.wall / steps;
            println!("own {own}: {each:.1} ns a grain-step, {steps:.0} of them");
        }
    }
}
