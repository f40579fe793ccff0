//! Grains at rest are woken in time: by walls that turn, by what flies across a periodic border, by blows that come through links; and groups
//! that nothing holds are not put to rest.

use arenite::record::{GrainRow, MemorySink, Summary};

use super::laws_asleep::{laws, linear, outcome};

/// A scene in the plane: what `more` gives, and grains of 10 mm (position, velocity, spin).
fn scene(field: &str, end: f64, more: &str, grains: &[([f64; 2], [f64; 2], f64)]) -> String {
    let mut list = String::new();
    for (x, v, spin) in grains {
        list += &format!(
            "[[fill.grains]]\nposition = {x:?}\nradius = 0.01\nvelocity = {v:?}\nspin = {spin:?}\n"
        );
    }
    format!(
        "name = \"scene\"\ndimension = 2\n[field]\n{field}\n[run]\nend_time = {end:?}\n[log]\nseries = 0.05\n[morph]\n[material.a]\ndensity = 1000.0\n\
         [material.w]\n{}{more}[[fill]]\nmaterial = \"a\"\n{list}",
        laws(&linear(), "")
    )
}

const DOWN: &str = "gravity = [0.0, -9.81]";
const FLOOR: &str = "[[boundary]]\nname = \"floor\"\nmaterial = \"w\"\nplane = { point = [0.0, 0.0], normal = [0.0, 1.0] }\n";

/// Asleep and stepped.
fn twins(text: &str) -> [(MemorySink, Summary); 2] {
    [true, false].map(|rigid| outcome(text, &[format!("morph.rigid={rigid}")]))
}

fn last(records: &MemorySink) -> &[GrainRow] {
    &records.snapshots.last().unwrap().0
}

/// Momentum along the floor, N s.
fn momentum(records: &MemorySink) -> f64 {
    last(records).iter().map(|g| g.mass * g.velocity[0]).sum()
}

fn lying(x: f64) -> ([f64; 2], [f64; 2], f64) {
    ([x, 0.00999], [0.0; 2], 0.0)
}

#[test]
fn a_blade_that_turns_meets_a_disk_at_rest() {
    for (spin, end) in [(-2.0, 2.15), (-8.0, 0.52)] {
        let blade = format!(
            "{FLOOR}[[boundary]]\nname = \"blade\"\nmaterial = \"w\"\nsegment = {{ from = [0.0, 0.25], to = [0.0, 0.49] }}\n\
             motion = {{ rotation = {{ centre = [0.0, 0.25], spin = {spin:?} }} }}\n"
        );
        let [asleep, stepped] = twins(&scene(DOWN, end, &blade, &[lying(0.05)]));
        let [a, b] = [&asleep, &stepped].map(|(records, summary)| {
            assert!(summary.energy.balance_error < 1e-2, "{:?}", summary.energy);
            last(records)[0].position[0]
        });
        assert!(
            (b - 0.05).abs() > 0.01 && (a / b - 1.0).abs() < 0.02,
            "{a} {b}"
        );
    }
}

/// A blade in a bed makes no energy.
#[test]
fn a_blade_turns_in_a_bed() {
    let blade = format!(
        "{FLOOR}[[boundary]]\nname = \"left\"\nmaterial = \"w\"\nplane = {{ point = [-0.12, 0.0], normal = [1.0, 0.0] }}\n\
         [[boundary]]\nname = \"right\"\nmaterial = \"w\"\nplane = {{ point = [0.12, 0.0], normal = [-1.0, 0.0] }}\n\
         [[boundary]]\nname = \"blade\"\nmaterial = \"w\"\nsegment = {{ from = [0.0, 0.3], to = [0.0, 0.58] }}\n\
         motion = {{ rotation = {{ centre = [0.0, 0.3], spin = 2.0 }} }}\n"
    );
    let mut grains = Vec::new();
    for row in 0..6 {
        for k in 0..11 {
            let x = -0.1 + 0.02 * f64::from(k) + 0.003 * f64::from(row % 2);
            grains.push(([x, 0.012 + 0.021 * f64::from(row)], [0.0; 2], 0.0));
        }
    }
    for (_, summary) in twins(&scene(DOWN, 2.5, &blade, &grains)) {
        assert!(summary.energy.balance_error < 5e-3, "{:?}", summary.energy);
        assert!(summary.energy.injected > 0.1, "{:?}", summary.energy);
    }
}

#[test]
fn a_flyer_meets_a_disk_at_rest_across_the_border() {
    let box_ = format!("[periodic]\nx = [0.0, 0.24]\n{FLOOR}");
    let flyer = ([0.081, 0.8148], [1.0, 0.0], 0.0);
    let grains = [lying(0.001), lying(0.021), lying(0.2209), flyer];
    let text = scene(DOWN, 0.5, &box_, &grains);
    let run = |set: &[&str]| {
        let set: Vec<String> = set.iter().map(ToString::to_string).collect();
        let (records, summary) = outcome(&text, &set);
        let energy = &summary.energy;
        let worst = energy.balance_error.max(energy.balance_error_max);
        assert!(worst < 5e-3, "{set:?}: {energy:?}");
        let mut grains = last(&records).to_vec();
        grains.sort_by_key(|g| g.grain);
        grains.iter().map(|g| g.velocity[0]).collect::<Vec<f64>>()
    };
    let stepped = run(&["morph.rigid=false"]);
    for set in [&[][..], &["run.flight=false"], &["run.collisions=true"]] {
        let asleep = run(set);
        for (a, b) in asleep.iter().zip(&stepped) {
            assert!((a - b).abs() < 0.01, "{set:?}: {asleep:?} {stepped:?}");
        }
    }
}

/// A row of disks that touch is struck by a disk, and by a plate: none is thrown back by those that sleep behind.
#[test]
fn a_blow_goes_through_a_row_at_rest() {
    let row = |apart: f64| (1..=8).map(move |k| lying(0.02 + apart * f64::from(k - 1)));
    let rolling = ([-0.2, 0.00999], [1.0, 0.0], -100.0);
    let grains: Vec<_> = row(0.019_999).chain([rolling]).collect();
    let [a, b] = twins(&scene(DOWN, 0.24, FLOOR, &grains)).map(|(records, _)| momentum(&records));
    assert!((a - b).abs() < 0.03 && b > 0.06, "{a} {b}");
    let plate = format!(
        "{FLOOR}[[boundary]]\nname = \"plate\"\nmaterial = \"w\"\nsegment = {{ from = [-0.3, -0.1], to = [-0.3, 0.2] }}\n\
         motion = {{ guided = {{ along = [1.0, 0.0], mass = 1.0, force = 0.0, speed = 1.0, weight = false, from = 0.5 }} }}\n"
    );
    let grains: Vec<_> = row(0.02).collect();
    let [a, b] = twins(&scene(DOWN, 1.2, &plate, &grains)).map(|(records, _)| momentum(&records));
    assert!((a - b).abs() < 0.06 && b > 0.4, "{a} {b}");
}

/// Seven disks that attract each other fall as one body, and drift on, asleep or not.
#[test]
fn a_group_that_nothing_holds_is_not_put_to_rest() {
    let far = "[[boundary]]\nname = \"far\"\nmaterial = \"w\"\nplane = { point = [0.0, -5.0], normal = [0.0, 1.0] }\n";
    for (field, velocity, way) in [
        ("gravitation = 1e-2\ngravity = [0.3, 0.0]", 0.0, 1.35),
        ("gravitation = 1e-2", 0.002, 0.006),
    ] {
        let mut grains = vec![([0.0, 0.0], [velocity, 0.0], 0.0)];
        for k in 0..6 {
            let (sin, cos) = (f64::from(k) * std::f64::consts::FRAC_PI_3).sin_cos();
            grains.push(([0.02 * cos, 0.02 * sin], [velocity, 0.0], 0.0));
        }
        let (records, _) = outcome(&scene(field, 3.0, far, &grains), &[]);
        let grains = last(&records);
        let x = grains.iter().map(|g| g.position[0]).sum::<f64>() / grains.len() as f64;
        assert!((x / way - 1.0).abs() < 1e-3, "{field}: {x}");
    }
}

/// What is logged changes no bits, though walls move while nobody is stepped.
#[test]
fn what_is_logged_changes_nothing_beside_a_moving_wall() {
    let walls = format!(
        "{FLOOR}[[boundary]]\nname = \"left\"\nmaterial = \"w\"\nplane = {{ point = [0.0, 0.0], normal = [1.0, 0.0] }}\n\
         [[boundary]]\nname = \"right\"\nmaterial = \"w\"\nplane = {{ point = [0.1, 0.0], normal = [-1.0, 0.0] }}\n\
         [[boundary]]\nname = \"lid\"\nmaterial = \"w\"\nplane = {{ point = [0.0, 1.0], normal = [0.0, -1.0] }}\n\
         motion = {{ pieces = [{{ from = 0.5, velocity = [0.0, -0.5] }}, {{ from = 2.35, velocity = [0.0, 0.0] }}] }}\n"
    );
    let mut grains = Vec::new();
    for row in 0..4 {
        for k in 0..4 {
            let x = 0.015 + 0.022 * f64::from(k) + 0.003 * f64::from(row % 2);
            grains.push(([x, 0.012 + 0.021 * f64::from(row)], [0.0; 2], 0.0));
        }
    }
    let text = scene(DOWN, 3.0, &walls, &grains);
    let hashes = ["0.05", "0.013"].map(|series| {
        let (_, summary) = outcome(&text, &[format!("log.series={series}")]);
        summary.state_hash
    });
    assert_eq!(hashes[0], hashes[1]);
}

/// Disks fall through a hole in a floor, past the ends of both of its flat pieces, while others beside it are woken and put to rest: each stays on its
/// side, and nothing brings energy in.
#[test]
fn disks_pass_the_edges_of_a_hole_while_a_bed_beside_them_wakes() {
    let walls: String = [
        "plane = { point = [0.0, 0.0], normal = [1.0, 0.0] }",
        "plane = { point = [0.4, 0.0], normal = [-1.0, 0.0] }",
        "segment = { from = [-0.1, 0.0], to = [0.17, 0.0] }",
        "segment = { from = [0.5, 0.0], to = [0.23, 0.0] }",
        "plane = { point = [0.0, 0.0], normal = [0.0, 1.0] }\nopens_at = 0.0",
    ]
    .iter()
    .enumerate()
    .map(|(k, shape)| {
        format!("[[boundary]]\nname = \"w{k}\"\nmaterial = \"thesis-wall\"\n{shape}\n")
    })
    .collect();
    let text = format!(
        "name = \"hole\"\ndimension = 2\n[field]\ngravity = [0.0, -9.8]\n[run]\nend_time = 0.7\n[settle]\nat_most = 2.0\n[log]\n\
         snapshots = \"never\"\n[morph]\n{walls}[[fill]]\nmaterial = \"thesis-disk\"\n[fill.lattice]\ncount = 200\n\
         radius = {{ mean = 0.01, spread = 0.05 }}\nmin = [0.0, 0.03]\nmax = [0.4, 1.0]\njitter = 1.0\nspeed = 0.3\n[[outlet]]\n\
         plane = {{ point = [0.0, -0.05], normal = [0.0, 1.0] }}\n"
    );
    let mut passed = 0;
    for seed in 1..=6 {
        let (_, summary) = outcome(&text, &[format!("seed={seed}")]);
        passed += summary.discharge.map_or(0, |out| out.count);
        assert!(summary.regimes.rest + summary.regimes.rigid > 0.02);
        let error = summary.energy.balance_error;
        assert!(error < 1e-3, "seed {seed}: {error}");
    }
    assert!(passed > 25, "{passed}");
}
