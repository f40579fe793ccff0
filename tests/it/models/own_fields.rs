//! Fields that a program brings: right under each model, booked, refused where they cannot be.

use arenite::prelude::*;

/// Springs to the origin of all grains alike: an angular frequency w about it, 1/s.
#[derive(Debug)]
struct Trap {
    rate: f64,
    potential: bool,
}

impl OwnField for Trap {
    fn name(&self) -> &str {
        "trap"
    }
    fn force(&self, grain: &GrainPoint) -> [f64; 3] {
        grain.position.map(|x| -grain.mass * self.rate.powi(2) * x)
    }
    fn has_potential(&self) -> bool {
        self.potential
    }
    fn potential_energy(&self, grain: &GrainPoint) -> f64 {
        let square: f64 = grain.position.iter().map(|x| x * x).sum();
        0.5 * grain.mass * self.rate.powi(2) * square
    }
    fn frequency(&self) -> f64 {
        self.rate
    }
    fn speed(&self) -> f64 {
        self.rate
    }
}

/// Two balls without gravity, on ellipses about the origin that never meet.
fn scene(models: &str) -> String {
    format!(
        r#"
name = "trap"
dimension = 3
[run]
end_time = 3.0
[log]
series = 0.1
{models}
[[fill]]
material = "glass"
[[fill.grains]]
position = [0.5, 0.0, 0.0]
velocity = [0.0, 0.4, 0.1]
radius = 0.01
[[fill.grains]]
position = [0.0, 0.0, -0.3]
velocity = [0.2, 0.0, 0.0]
radius = 0.02
"#
    )
}

fn runs_of(models: &str, potential: bool) -> Simulation<'static> {
    Simulation::builder()
        .text("trap", scene(models))
        .field(Trap {
            rate: 2.0,
            potential,
        })
        .build()
        .unwrap()
}

#[test]
fn balls_go_about_the_middle_of_a_trap() {
    for (models, near) in [("", 2e-5), ("[events]\n", 5e-6)] {
        for potential in [true, false] {
            let mut run = runs_of(models, potential);
            let start = run.moment();
            for moment in run.steps(0.3, 2.7) {
                let moment = moment.unwrap();
                for (grain, from) in moment.grains.iter().zip(&start.grains) {
                    let (sin, cos) = (2.0 * moment.time).sin_cos();
                    for k in 0..3 {
                        let x = from.position[k] * cos + from.velocity[k] / 2.0 * sin;
                        let off = (grain.position[k] - x).abs();
                        assert!(off < near, "{models:?} at {} s: {off}", moment.time);
                    }
                }
            }
            run.run().unwrap();
            let energy = run.summary().energy;
            assert!(energy.balance_error < 1e-4, "{models:?}: {energy:?}");
            // What has a potential gives nothing from outside.
            assert_eq!(energy.potential > 0.0, potential, "{models:?}: {energy:?}");
        }
    }
}

/// A state has no field: who goes on brings it again, and the bits are as in one go.
#[test]
fn a_run_that_goes_on_is_given_its_field_anew() {
    for models in ["", "[events]\n"] {
        let mut whole = runs_of(models, true);
        whole.run_until(1.1).unwrap();
        let state = whole.save().unwrap();
        whole.run().unwrap();
        let again = Simulation::builder().text("trap", scene(models));
        let field = Trap {
            rate: 2.0,
            potential: true,
        };
        let mut again = again.field(field).resume(state.clone()).build().unwrap();
        again.run().unwrap();
        assert_eq!(
            again.summary().state_hash,
            whole.summary().state_hash,
            "{models:?}"
        );
        let without = Simulation::builder()
            .text("trap", scene(models))
            .resume(state);
        let why = without.build().expect_err("no field").to_string();
        assert!(why.contains("the field `trap`"), "{models:?}: {why}");
    }
}

/// A filling under a push to the right: its walls bear it.
#[test]
fn a_filling_bears_a_field() {
    #[derive(Debug)]
    struct Wind(f64);
    impl OwnField for Wind {
        fn name(&self) -> &str {
            "wind"
        }
        fn force(&self, grain: &GrainPoint) -> [f64; 3] {
            [self.0 * grain.mass, 0.0, 0.0]
        }
        fn has_potential(&self) -> bool {
            true
        }
        fn potential_energy(&self, grain: &GrainPoint) -> f64 {
            -self.0 * grain.mass * grain.position[0]
        }
    }
    let loads = |push: f64| {
        let mut records = MemorySink::default();
        let mut silo = Simulation::builder()
            .scenario("silo")
            .set("run.end_time=80")
            .set("fill.0.roll_down.count=80")
            .field(Wind(push))
            .sink(&mut records)
            .build()
            .unwrap();
        silo.run().unwrap();
        let mass: f64 = silo.moment().grains.iter().map(|grain| grain.mass).sum();
        assert!(silo.summary().energy.balance_error < 1e-6);
        drop(silo);
        let last = records.series.pop().expect("rows");
        (last.walls.iter().map(|wall| wall[0]).sum::<f64>(), mass)
    };
    for push in [0.0, 1.5] {
        let (load, mass) = loads(push);
        let bears = push * mass;
        assert!(
            (load - bears).abs() < 1e-6 * mass,
            "{push}: {load}, {bears}"
        );
    }
}

#[test]
fn what_cannot_be_is_refused() {
    let periodic = scene("[periodic]\nx = [-1.0, 1.0]\n");
    let field = || Trap {
        rate: 1.0,
        potential: true,
    };
    let refused = Simulation::builder().text("trap", periodic).field(field());
    let why = refused.build().unwrap_err().to_string();
    assert!(why.contains("`trap` changes along x"), "{why}");
}

/// Commands that come of looks: a lid over rising balls opens once one of them is near.
#[test]
fn who_looks_can_act() {
    let text = r#"
name = "lid"
dimension = 2
[run]
end_time = 1.0
[log]
series = 0.1
[[boundary]]
name = "lid"
material = "glass"
plane = { point = [0.0, 1.0], normal = [0.0, -1.0] }
[[fill]]
material = "glass"
[[fill.grains]]
position = [0.0, 0.0]
velocity = [0.0, 2.0]
radius = 0.01
"#;
    for models in ["", "[events]\n"] {
        let text = format!("{text}{models}");
        let end = |near: f64| {
            let mut open = false;
            let mut run = Simulation::builder()
                .text("lid", text.clone())
                .act(0.01, move |moment| {
                    if open || moment.grains[0].position[1] < near {
                        return Vec::new();
                    }
                    open = true;
                    let boundary = "lid".into();
                    vec![Command::Open { boundary }]
                })
                .build()
                .unwrap();
            run.run().unwrap();
            (run.moment().grains[0].position[1], run.summary().commands)
        };
        let (height, commands) = end(0.9);
        assert!((height - 2.0).abs() < 1e-9, "{models:?}: {height}");
        assert_eq!(commands.len(), 1);
        assert!((commands[0].time - 0.45).abs() < 1e-12);
        let (height, commands) = end(5.0);
        assert!(height < 1.0 && commands.is_empty(), "{models:?}: {height}");
    }
}
