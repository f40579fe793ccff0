//! Grains bounded by arcs: checks of the chain, closed forms, contacts.

use std::f64::consts::{FRAC_PI_2, PI, TAU};
use std::path::Path;

use arenite::body::arcs::{ArcContact, ArcPose, ArcProfile};
use arenite::body::calc::{contact, grain};
use arenite::body::mass::{MonteCarlo, monte_carlo};
use arenite::body::{Arc, ArcGrain, ArcsError, SHAPES};
use nalgebra::Vector2;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use serde_json::{Value, json};

const REFERENCE: &str = include_str!("../../data/arc_particles.json");

fn reference() -> Value {
    serde_json::from_str(REFERENCE).unwrap()
}

fn numbers(value: &Value) -> Vec<f64> {
    value
        .as_array()
        .unwrap()
        .iter()
        .map(|v| v.as_f64().unwrap())
        .collect()
}

fn arc(name: &str, centre: [f64; 2], radius: f64, from: f64, to: f64) -> Arc {
    Arc {
        name: name.into(),
        centre: centre.into(),
        radius,
        from,
        to,
    }
}

/// A shape of the reference.
fn shape(name: &str) -> ArcGrain {
    let rows = reference()["shapes"][name]["arcs"].clone();
    let arcs = rows.as_array().unwrap().iter().map(|row| {
        let number = |key: &str| row[key].as_f64().unwrap();
        let centre = numbers(&row["centre"]);
        arc(
            row["name"].as_str().unwrap(),
            [centre[0], centre[1]],
            number("radius"),
            number("from_angle"),
            number("to_angle"),
        )
    });
    ArcGrain::new(arcs.collect()).unwrap()
}

/// 40-digit closed forms, whose tolerance is stated there.
#[test]
fn areas_and_moments_are_exact() {
    for (name, case) in reference()["shapes"].as_object().unwrap() {
        let (grain, want) = (shape(name), &case["expected"]);
        let found = grain.mass();
        let close = |what: &str, got: f64| {
            let want = want[what].as_f64().unwrap();
            assert!(
                (got / want - 1.0).abs() < 1e-12,
                "{name} {what}: {got}, want {want}"
            );
        };
        close("area", found.measure);
        close("perimeter", grain.perimeter());
        close("polar_moment_unit_density", found.polar());
        close("Iyy_int_x2", found.second[0][0]);
        close("Ixx_int_y2", found.second[1][1]);
        assert!(found.centroid.norm() < 1e-14 && found.error_estimate == 0.0);
    }
}

/// The constructors make the reference's shapes, and the shapes that come with the program are checked
/// chains too.
#[test]
fn shapes_by_their_measures() {
    let pairs = [
        (shape("ovalA"), ArcGrain::oval(1.5, 0.4, 0.7).unwrap()),
        (shape("ovalB"), ArcGrain::oval(3.0, 0.25, 2.4).unwrap()),
        (
            shape("qtri"),
            ArcGrain::quasi_polygon(3, 4.0, 0.2, 0.8).unwrap(),
        ),
        (
            shape("qsq"),
            ArcGrain::quasi_polygon(4, 6.0, 0.15, 0.9).unwrap(),
        ),
        (
            shape("qpent"),
            ArcGrain::quasi_polygon(5, 5.0, 0.2, 0.8).unwrap(),
        ),
    ];
    for (reference, made) in pairs {
        for (a, b) in reference.arcs().iter().zip(made.arcs()) {
            assert!(
                (a.centre - b.centre).norm() < 1e-14 && a.radius == b.radius,
                "{a:?} {b:?}"
            );
            assert!((a.from - b.from).abs() < 1e-14 && (a.to - b.to).abs() < 1e-14);
        }
    }
    for (name, _, _) in SHAPES {
        grain(json!({"density": 1.0, "name": name}), Path::new("")).unwrap();
    }
    assert!(matches!(
        ArcGrain::oval(1.0, 0.4, 0.7),
        Err(ArcsError::Measures(_))
    ));
    assert!(matches!(
        ArcGrain::quasi_polygon(2, 4.0, 0.2, 0.8),
        Err(ArcsError::Measures(_))
    ));
    assert!(matches!(
        ArcGrain::quasi_polygon(5, 0.9, 0.2, 0.8),
        Err(ArcsError::Measures(_))
    ));
}

/// A peanut: two disks of radius 1, centres at x = -1.2 and 1.2, joined by hollow arcs of radius 2.
fn peanut() -> Vec<Arc> {
    let height = (9.0_f64 - 1.44).sqrt();
    let lean = height.atan2(1.2);
    vec![
        arc("right", [1.2, 0.0], 1.0, lean - PI, PI - lean),
        arc("top", [0.0, height], 2.0, -lean, lean - PI),
        arc("left", [-1.2, 0.0], 1.0, lean, TAU - lean),
        arc("bottom", [0.0, -height], 2.0, PI - lean, lean),
    ]
}

/// Hollow arcs: the area by elementary geometry, all by random lines (within 4.5 standard errors).
#[test]
fn hollow_grains_have_mass() {
    let peanut = ArcGrain::new(peanut()).unwrap();
    let found = peanut.mass();
    // The rhombus of the four centres, less what the hollow circles take of it, plus what the
    // disks have outside of it.
    let height = (9.0_f64 - 1.44).sqrt();
    let at_disk = 2.0 * height.atan2(1.2);
    let at_hollow = PI - at_disk;
    let area = 2.0 * 1.2 * height - 4.0 * at_hollow + (TAU - at_disk);
    assert!(
        (found.measure / area - 1.0).abs() < 1e-14,
        "{} {area}",
        found.measure
    );
    let how = MonteCarlo {
        samples: 100_000,
        seed: 1,
        tolerance: None,
    };
    let lines = monte_carlo(&peanut, how).unwrap();
    assert!(lines.distance(&found) < 4.5 * lines.error_estimate);
    assert_eq!(
        ArcProfile::new(&peanut),
        Err(ArcsError::Hollow("top".into()))
    );
}

/// Each fault of a chain is told by its own error.
#[test]
fn faulty_chains_are_refused() {
    let oval = shape("ovalA").arcs().to_vec();
    let with = |change: &dyn Fn(&mut Vec<Arc>)| {
        let mut arcs = oval.clone();
        change(&mut arcs);
        ArcGrain::new(arcs).unwrap_err()
    };
    assert_eq!(ArcGrain::new(Vec::new()), Err(ArcsError::Empty));
    let open = with(&|arcs| drop(arcs.pop()));
    assert!(matches!(open, ArcsError::Gap { .. }), "{open}");
    let shifted = with(&|arcs| arcs[1].centre.y += 1e-3);
    assert!(matches!(shifted, ArcsError::Gap { .. }), "{shifted}");
    let named = with(&|arcs| arcs[1].name = arcs[0].name.clone());
    assert_eq!(named, ArcsError::Name("right_small".into()));
    for radius in [0.0, -0.4, f64::NAN, f64::INFINITY] {
        assert!(matches!(
            with(&|arcs| arcs[0].radius = radius),
            ArcsError::Numbers(_)
        ));
    }
    let nothing = with(&|arcs| arcs[2].to = arcs[2].from);
    assert_eq!(nothing, ArcsError::Numbers("left_small".into()));
    let long = with(&|arcs| arcs[2].to = arcs[2].from + 7.0);
    assert_eq!(long, ArcsError::Numbers("left_small".into()));

    // A lens of two arcs is closed, but has corners.
    let lens = vec![
        arc("left", [1.0, 0.0], 2f64.sqrt(), 0.75 * PI, 1.25 * PI),
        arc("right", [-1.0, 0.0], 2f64.sqrt(), -0.25 * PI, 0.25 * PI),
    ];
    let corner = ArcGrain::new(lens).unwrap_err();
    assert!(matches!(corner, ArcsError::Corner { angle, .. } if (angle - FRAC_PI_2).abs() < 1e-12));

    // The same oval the other way around: its arcs are then hollow, and turn clockwise.
    let mut back = oval.clone();
    back.reverse();
    for arc in &mut back {
        (arc.from, arc.to) = (arc.to, arc.from);
    }
    assert_eq!(ArcGrain::new(back), Err(ArcsError::Clockwise));

    // A disk run around twice, and a figure of eight.
    let disk = |name: &str| arc(name, [0.0, 0.0], 1.0, 0.0, TAU);
    let twice = ArcGrain::new(vec![disk("first"), disk("second")]).unwrap_err();
    assert!(matches!(twice, ArcsError::Turns(turns) if (turns - 2.0).abs() < 1e-12));
    let eight = vec![
        arc("left", [-1.0, 0.0], 1.0, 0.0, TAU),
        arc("right", [1.0, 0.0], 1.0, PI, -PI),
    ];
    let eight = ArcGrain::new(eight).unwrap_err();
    assert!(
        matches!(eight, ArcsError::Turns(turns) if turns.abs() < 1e-12),
        "{eight}"
    );

    // A peanut so slim that its hollows cut each other: it turns once, but crosses itself.
    let (reach, hollow) = (2.9, 2.0);
    let height = (9.0_f64 - reach * reach).sqrt();
    let lean = height.atan2(reach);
    let slim = vec![
        arc("right", [reach, 0.0], 1.0, lean - PI, PI - lean),
        arc("top", [0.0, height], hollow, -lean, lean - PI),
        arc("left", [-reach, 0.0], 1.0, lean, TAU - lean),
        arc("bottom", [0.0, -height], hollow, PI - lean, lean),
    ];
    let slim = ArcGrain::new(slim).unwrap_err();
    assert!(
        matches!(&slim, ArcsError::Crossing(a, b, _) if a == "top" && b == "bottom"),
        "{slim}"
    );

    // An arc of no size, smooth but for Hertz's law worthless.
    let flat = 1e8_f64;
    let half = (1.0 / flat).asin();
    let slab = vec![
        arc(
            "top",
            [0.0, -flat],
            flat,
            FRAC_PI_2 - half,
            FRAC_PI_2 + half,
        ),
        arc("left", [-1.0, 0.0], 0.5, FRAC_PI_2 + half, 1.5 * PI - half),
        arc(
            "bottom",
            [0.0, flat],
            flat,
            1.5 * PI - half,
            1.5 * PI + half,
        ),
        arc(
            "right",
            [1.0, 0.0],
            0.5,
            1.5 * PI + half,
            TAU + FRAC_PI_2 - half,
        ),
    ];
    let slab = ArcGrain::new(slab).unwrap_err();
    assert!(
        matches!(&slab, ArcsError::Radius { name, .. } if name == "top"),
        "{slab}"
    );
}

fn pose(row: &[f64]) -> ArcPose {
    ArcPose::new(Vector2::new(row[0], row[1]), row[2])
}

/// Contacts of the reference: the tolerance of the overlap is stated there, and normal and point
/// share it.
#[test]
fn contacts_are_those_of_the_reference() {
    for (number, case) in reference()["contacts"]
        .as_array()
        .unwrap()
        .iter()
        .enumerate()
    {
        let grains = ["shapeA", "shapeB"].map(|key| shape(case[key].as_str().unwrap()));
        let poses = ["poseA_x_y_theta", "poseB_x_y_theta"].map(|key| pose(&numbers(&case[key])));
        let [a, b] = grains
            .each_ref()
            .map(|grain| ArcProfile::new(grain).unwrap());
        let found = a.contact(&poses[0], &b, &poses[1], None);
        let want = &case["expected"];
        let vector = |key: &str| Vector2::from_row_slice(&numbers(&want[key]));
        let name = |k: usize| Value::from(grains[k].arcs()[found.arcs[k]].name.clone());
        assert!(
            (found.overlap - want["overlap"].as_f64().unwrap()).abs() < 1e-12,
            "{number}"
        );
        assert!(
            (found.normal - vector("normal_A_to_B")).norm() < 1e-12,
            "{number}"
        );
        assert!(
            (found.point - vector("contact_point")).norm() < 1e-12,
            "{number}"
        );
        assert_eq!(
            [name(0), name(1)],
            [want["arcA"].clone(), want["arcB"].clone()],
            "{number}"
        );
        let radii = [0, 1].map(|k| grains[k].arcs()[found.arcs[k]].radius);
        assert_eq!(found.radii, radii);
        // Seen from the other grain it is the same contact.
        let back = b.contact(&poses[1], &a, &poses[0], None);
        assert!((back.normal + found.normal).norm() < 1e-13);
        assert!((back.overlap - found.overlap).abs() < 1e-13);
        assert!((back.point - found.point).norm() < 1e-13);
    }
}

/// How far a grain reaches in a direction, by points all along its boundary.
fn support(grain: &ArcGrain, pose: &ArcPose, n: Vector2<f64>, steps: usize) -> f64 {
    let (s, c) = (pose.sine, pose.cosine);
    let points = grain.arcs().iter().flat_map(|arc| {
        (0..=steps).map(|k| arc.point(arc.from + (arc.to - arc.from) * k as f64 / steps as f64))
    });
    let turned = points.map(|p| Vector2::new(c * p.x - s * p.y, s * p.x + c * p.y));
    turned
        .map(|p| (pose.position + p).dot(&n))
        .fold(f64::NEG_INFINITY, f64::max)
}

/// Random pairs, apart and deep in each other, with and without a pair that was last: the overlap is the least
/// over all directions. Points every 1/200 of an arc lie at most r (a / 400)^2 / 2 inside the
/// boundary, a the arc's opening, under 2e-5 for these; directions every 2 pi / 720 miss the
/// least by less than half a step squared times the size, 3e-5.
#[test]
fn overlaps_are_the_least_of_all_directions() {
    let names = ["ovalA", "ovalB", "qtri", "qsq", "qpent"];
    let grains = names.map(shape);
    let profiles = grains
        .each_ref()
        .map(|grain| ArcProfile::new(grain).unwrap());
    let mut random = ChaCha8Rng::seed_from_u64(7);
    let mut touching = 0;
    for _ in 0..150 {
        let [i, j] = [0, 1].map(|_| random.random_range(0..5));
        let mut turned = || TAU * random.random::<f64>();
        let angles = [turned(), turned(), turned()];
        let distance = 0.8 + 2.0 * random.random::<f64>();
        let first = ArcPose::new(Vector2::new(0.3, -0.2), angles[0]);
        let away = Vector2::new(angles[2].cos(), angles[2].sin()) * distance;
        let second = ArcPose::new(first.position + away, angles[1]);
        let found = profiles[i].contact(&first, &profiles[j], &second, None);
        touching += usize::from(found.overlap > 0.0);
        let least = (0..720)
            .map(|k| {
                let (s, c) = (TAU * f64::from(k) / 720.0).sin_cos();
                let n = Vector2::new(c, s);
                support(&grains[i], &first, n, 200) + support(&grains[j], &second, -n, 200)
            })
            .fold(f64::INFINITY, f64::min);
        assert!(
            (found.overlap - least).abs() < 1e-4,
            "{names:?} {i} {j}: {found:?} {least}"
        );
        // The pair found is found again, and a wrong one does not mislead.
        for last in [found.arcs, [0, 0], [3, 2], [99, 99]] {
            let again = profiles[i].contact(&first, &profiles[j], &second, Some(last));
            assert!(
                (again.overlap - found.overlap).abs() < 1e-12,
                "{again:?} {found:?}"
            );
        }
    }
    assert!((40..120).contains(&touching), "{touching}");
}

/// Grains in one place: the overlap is the least width; that of disks has no line of centres at all.
#[test]
fn grains_in_one_place_have_an_overlap() {
    let profile = ArcProfile::new(&shape("ovalA")).unwrap();
    let there = pose(&[0.5, 0.5, 0.2]);
    let found = profile.contact(&there, &profile, &there, None);
    assert!((found.overlap - 1.6).abs() < 1e-12, "{found:?}");
    let disk = ArcProfile::new(&ArcGrain::disk(0.5, Vector2::zeros()).unwrap()).unwrap();
    let found = disk.contact(&there, &disk, &there, None);
    assert!((found.overlap - 1.0).abs() < 1e-15 && (found.normal.norm() - 1.0).abs() < 1e-15);
}

/// Grains that roll past each other: the contact goes from arc to arc without a jump.
#[test]
fn contacts_go_over_joints_smoothly() {
    let a = ArcProfile::new(&shape("qtri")).unwrap();
    let b = ArcProfile::new(&shape("ovalA")).unwrap();
    let mut before: Option<ArcContact> = None;
    let (mut pairs, mut last) = (Vec::new(), None);
    let step = 1e-4;
    for k in 0..62832 {
        let angle = step * f64::from(k);
        let first = pose(&[0.0, 0.0, angle]);
        let second = pose(&[0.3, 1.45, -0.7 * angle]);
        let found = a.contact(&first, &b, &second, last);
        if let Some(before) = before {
            // No point of the surfaces moves by more than the greatest distance from a centre times the turn,
            // and normals turn with the grains by that over the least radius.
            assert!(
                (found.overlap - before.overlap).abs() < 3.0 * step,
                "{k}: {found:?}"
            );
            assert!(
                (found.normal - before.normal).norm() < 6.0 * step,
                "{k}: {found:?}"
            );
        }
        if pairs.last() != Some(&found.arcs) {
            pairs.push(found.arcs);
        }
        (before, last) = (Some(found), Some(found.arcs));
    }
    // The first turns past its six arcs, the second by 0.7 turns past two of its four.
    assert!(pairs.len() > 8, "{pairs:?}");
}

/// The round limit: disks, and an oval with both radii nearly the same.
#[test]
fn round_grains_touch_as_disks() {
    let nearly = ArcGrain::oval(1.0 + 2e-6, 1.0, 1e-6).unwrap();
    let grains = [ArcGrain::disk(1.0, Vector2::zeros()).unwrap(), nearly];
    let profiles = grains
        .each_ref()
        .map(|grain| ArcProfile::new(grain).unwrap());
    for k in 0..50 {
        let angle = f64::from(k) * 0.37;
        let n = Vector2::new(angle.cos(), angle.sin());
        let first = ArcPose::new(Vector2::new(1.0, 2.0), 0.1 * angle);
        let second = ArcPose::new(first.position + n * 1.9, angle * angle);
        let exact = profiles[0].contact(&first, &profiles[0], &second, None);
        assert!((exact.overlap - 0.1).abs() < 1e-14 && (exact.normal - n).norm() < 1e-14);
        assert!((exact.point - first.position - n * 0.95).norm() < 1e-14);
        let near = profiles[1].contact(&first, &profiles[1], &second, None);
        // The boundary of the other lies within 2e-6 of a circle, its centres within 2e-6.
        assert!((near.overlap - 0.1).abs() < 5e-6 && (near.normal - n).norm() < 5e-6);
    }
}

/// A wall is met by the arc that faces it, and is the limit of a very large disk.
#[test]
fn lines_are_the_limit_of_large_disks() {
    for name in ["ovalA", "qtri", "qpent"] {
        let profile = ArcProfile::new(&shape(name)).unwrap();
        let large = 1e5;
        for k in 0..40 {
            let angle = f64::from(k) * 0.53;
            let normal = Vector2::new(angle.cos(), angle.sin());
            let point = Vector2::new(0.4, -0.3);
            let there = ArcPose::new(point + normal * 0.8, 0.9 * angle);
            let line = profile.line_contact(&there, point, normal);
            let disk = ArcGrain::disk(large, point - normal * large).unwrap();
            let disk = ArcProfile::new(&disk).unwrap();
            let origin = pose(&[0.0, 0.0, 0.0]);
            let ball = profile.contact(&there, &disk, &origin, None);
            // A point at most 1.5 aside lies 1.5^2 / 2e5 = 1.2e-5 off the disk.
            assert!(
                (line.overlap - ball.overlap).abs() < 1.2e-5,
                "{line:?} {ball:?}"
            );
            assert!((line.point - ball.point).norm() < 1e-4, "{line:?} {ball:?}");
            assert!((ball.normal + normal).norm() < 1e-4);
            assert_eq!(line.radius, ball.radii[0]);
        }
    }
}

fn ask(case: Value) -> Result<Value, String> {
    contact(case, Path::new("")).map_err(|why| why.to_string())
}

/// Clumps, disks against arcs, named shapes, quaternions.
#[test]
fn calc_contact_of_every_shape() -> Result<(), String> {
    let ball = |x: f64, radius: f64| json!({"centre": [x, 0.0, 0.0], "radius": radius});
    // Two rods of two spheres side by side, and a sphere inside one of the others that never touches.
    let rod = json!([ball(-0.5, 0.5), ball(0.5, 0.5), ball(0.5, 0.2)]);
    let turn = [0.0, 0.0, (0.5_f64).sqrt(), (0.5_f64).sqrt()];
    let found = ask(json!({
        "a": {"spheres": rod, "position": [0.0, 0.0, 0.0]},
        "b": {"spheres": rod, "position": [0.9, -0.5, 0.0], "rotation": turn},
    }))?;
    // Turned by a quarter, b's centres lie at y = -1 and 0, both at x = 0.9: only the second is near.
    let contacts = found["contacts"].as_array().unwrap();
    assert_eq!(contacts.len(), 1, "{found}");
    assert_eq!(
        (&contacts[0]["feature_a"], &contacts[0]["feature_b"]),
        (&json!(1), &json!(1))
    );
    assert!((contacts[0]["overlap"].as_f64().unwrap() - 0.6).abs() < 1e-14);
    assert!((contacts[0]["point"][0].as_f64().unwrap() - 0.7).abs() < 1e-14);

    let disks = json!([{"centre": [0, 0], "radius": 0.5}, {"centre": [0, 5], "radius": 0.5}]);
    let found = ask(json!({
        "a": {"disks": disks, "position": [2.0, 0.0], "rotation": 0.0},
        "b": {"name": "oval", "position": [0.3, 0.0]},
    }))?;
    let row = &found["contacts"][0];
    // The oval's end lies at 0.3 + 1.2485, the disk's rim at 1.5.
    let overlap = 0.3 + 0.72_f64.sqrt() + 0.4 - 1.5;
    assert!(
        (row["overlap"].as_f64().unwrap() - overlap).abs() < 1e-14,
        "{found}"
    );
    assert_eq!(
        (&row["feature_a"], &row["feature_b"]),
        (&json!(0), &json!("right"))
    );
    assert_eq!(found["contacts"].as_array().unwrap().len(), 1);
    let apart = ask(json!({
        "a": {"name": "t-bar", "position": [0, 0, 0]}, "b": {"name": "dimer", "position": [0, 9, 0]},
    }))?;
    assert_eq!(apart, json!({"contacts": []}));
    Ok(())
}

#[test]
fn calc_contact_tells_what_is_wrong() {
    let oval = json!({"name": "oval", "position": [0, 0]});
    let rows: Vec<Value> = peanut()
        .iter()
        .map(|a| {
            json!({"name": a.name, "centre": [a.centre.x, a.centre.y], "radius": a.radius,
                   "from_angle": a.from, "to_angle": a.to})
        })
        .collect();
    let surface = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/box.stl");
    for (b, says) in [
        (
            json!({"arcs": rows, "position": [0, 0]}),
            "b.arcs: arc `top` is hollow",
        ),
        (
            json!({"name": "dimer", "position": [0, 0, 0]}),
            "not of the dimension",
        ),
        (json!({"name": "oval"}), "position"),
        (
            json!({"name": "oval", "position": [0, 0, 0]}),
            "b.position: has 3 numbers",
        ),
        (json!({"position": [0, 0]}), "b: has no shape"),
        (
            json!({"name": "oval", "position": [0, 0], "rotation": [0, 0, 0, 1]}),
            "b.rotation: must be an angle",
        ),
        (
            json!({"name": "oval", "position": [0, 0], "speed": 1}),
            "b.speed: unknown field",
        ),
        (
            json!({"stl": surface, "position": [0, 0, 0]}),
            "b.stl: contacts of surfaces",
        ),
        (
            json!({"arcs": [], "position": [0, 0]}),
            "b.arcs: there is no arc",
        ),
    ] {
        let why = ask(json!({"a": oval, "b": b})).unwrap_err();
        assert!(why.contains(says), "{b}: {why}");
    }
    let ball = json!({"name": "dimer", "position": [0, 0, 0], "rotation": [0, 0, 0, 2]});
    let why = ask(json!({"a": ball, "b": ball})).unwrap_err();
    assert!(why.contains("a.rotation: must have length 1"), "{why}");
}
