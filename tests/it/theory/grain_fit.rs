//! Clumps that stand for bodies: each method's own promise, and fidelity against what is known.

use std::path::Path;
use std::process::{Command, Output, Stdio};

use arenite::body::fit::{AlongAxis, Body, FitError, Inscribed, Measured, Random, Tangent};
use arenite::body::mass::tetrahedra;
use arenite::body::{Ball, Clump, Mesh};
use arenite::geometry::{Planar, Spatial};
use nalgebra::Vector3;
use serde_json::Value;

type Triangles = Vec<[Vector3<f64>; 3]>;

/// A surface of revolution about x, with poles at both ends: radii over places along x.
fn turned(profile: &[[f64; 2]], around: usize) -> Triangles {
    let ring = |k: usize, n: usize| {
        let [x, r] = profile[k];
        let angle = std::f64::consts::TAU * (n % around) as f64 / around as f64;
        let (sine, cosine) = libm::sincos(angle);
        Vector3::new(x, r * cosine, r * sine)
    };
    let last = profile.len() - 1;
    let pole = |k: usize| Vector3::new(profile[k][0], 0.0, 0.0);
    let mut triangles = Vec::new();
    for n in 0..around {
        triangles.push([pole(0), ring(1, n + 1), ring(1, n)]);
        triangles.push([pole(last), ring(last - 1, n), ring(last - 1, n + 1)]);
        for k in 1..last - 1 {
            let [a, b] = [ring(k, n), ring(k, n + 1)];
            let [c, d] = [ring(k + 1, n), ring(k + 1, n + 1)];
            triangles.push([a, b, d]);
            triangles.push([a, d, c]);
        }
    }
    triangles
}

fn ellipsoid(long: f64, wide: f64, rings: usize) -> Triangles {
    let at = |k: usize| {
        let angle = std::f64::consts::PI * k as f64 / rings as f64;
        let r = if k == 0 || k == rings {
            0.0
        } else {
            wide * libm::sin(angle)
        };
        [-long * libm::cos(angle), r]
    };
    turned(&(0..=rings).map(at).collect::<Vec<_>>(), 2 * rings)
}

/// Two spheres of radius 1, three apart, with a neck of radius about 0.4.
fn dumbbell() -> Triangles {
    let places = 60;
    let at = |k: usize| {
        let x = -2.5 + 5.0 * k as f64 / places as f64;
        let off = x.abs() - 1.5;
        let ball = (1.0 - off * off).max(0.0).sqrt();
        let neck = if x.abs() < 1.5 { 0.4 } else { 0.0 };
        [
            x,
            if k == 0 || k == places {
                0.0
            } else {
                ball.max(neck)
            },
        ]
    };
    turned(&(0..=places).map(at).collect::<Vec<_>>(), 40)
}

fn slab() -> Triangles {
    let corner = |k: usize| {
        let side = |bit: usize, half: f64| if k >> bit & 1 == 1 { half } else { -half };
        Vector3::new(side(0, 1.0), side(1, 0.6), side(2, 0.4))
    };
    let faces = [
        [0, 2, 3, 1],
        [4, 5, 7, 6],
        [0, 1, 5, 4],
        [2, 6, 7, 3],
        [0, 4, 6, 2],
        [1, 3, 7, 5],
    ];
    let halves = |f: [usize; 4]| [[f[0], f[1], f[2]], [f[0], f[2], f[3]]];
    let all = faces.into_iter().flat_map(halves);
    all.map(|f| f.map(corner)).collect()
}

fn body(triangles: &Triangles) -> Body {
    Body::new(Mesh::new(triangles).unwrap())
}

fn shapes() -> Vec<(&'static str, Body)> {
    vec![
        ("slab", body(&slab())),
        ("ellipsoid", body(&ellipsoid(2.0, 1.0, 24))),
        ("dumbbell", body(&dumbbell())),
    ]
}

const INSCRIBED: Inscribed = Inscribed {
    overlap: 0.6,
    least: 0.02,
    voxels: 40,
};

fn tangent(seed: u64) -> Tangent {
    Tangent {
        least: 0.1,
        distance: 0.05,
        coverage: 0.95,
        points: 5000,
        seed,
    }
}

const ALONG: AlongAxis = AlongAxis {
    axis: None,
    least: 0.02,
};

/// No sphere sticks out: its centre is inside and no point of the surface nearer than its radius.
/// Tolerance: far above rounding, far below what a mesh may miss.
fn all_inside(name: &str, body: &Body, balls: &[Ball<Spatial>]) {
    for ball in balls {
        assert!(body.holds(ball.centre), "{name}: {ball:?}");
        let least = body.nearest().distance(ball.centre);
        assert!(
            least >= ball.radius - 1e-8 * body.size(),
            "{name}: {ball:?} sticks out by {}",
            ball.radius - least
        );
    }
}

/// A sphere's surface gives one sphere. Edges of the mesh take pi / 48 of a turn both ways, so that its faces
/// lie between cos(pi / 96)^2 = 0.9989 and 1 times the radius from the middle.
#[test]
fn a_sphere_gives_itself() {
    let round = body(&ellipsoid(3.0, 3.0, 48));
    let middle = round.nearest().distance(Vector3::zeros());
    assert!((3.0 * 0.9989..3.0).contains(&middle));
    let one = INSCRIBED.spheres(&round, 1).unwrap();
    let axis = ALONG.spheres(&round, 1).unwrap();
    let against = tangent(1).spheres(&round, 1).unwrap();
    let error = 3.0 - middle;
    // Off the middle the insphere gains less than the mesh's own error; a sphere that touches at a point
    // may miss it by 0.002 of 6 besides, which moves it by as much.
    for (ball, more) in [(one[0], 0.0), (axis[0], 0.012), (against[0], 0.012)] {
        assert!(ball.centre.norm() <= 2.0 * error + more, "{ball:?}");
        assert!((ball.radius - 3.0).abs() <= 2.0 * error + more, "{ball:?}");
    }
    // The largest of all is no smaller than that about the middle, but for what the search passes over: gains
    // below 1e-4 of steps that are halved from half a voxel of 6 / 40 on.
    assert!(
        one[0].radius >= middle - 1e-4 * 6.0 / 40.0,
        "{one:?}, {middle}"
    );
    let found = Measured::new(&round, &one, 1).fidelity(&one);
    // 0.9989^3 of the volume at least, and 0.9989^5 of the inertia.
    assert!(found.overlap > 0.996 && found.overlap <= 1.0, "{found:?}");
    assert!(found.excess < 1e-12 && found.inertia < 0.006, "{found:?}");
}

/// More spheres cover more, stay inside, and bring the inertia nearer to the exact one.
#[test]
fn more_spheres_are_more_faithful() {
    for (name, body) in shapes() {
        let measured = Measured::new(&body, &[], 1);
        let volume = tetrahedra(body.mesh()).measure;
        for (method, balls) in [
            ("inscribed", INSCRIBED.spheres(&body, 60).unwrap()),
            ("tangent", tangent(1).spheres(&body, 60).unwrap()),
        ] {
            all_inside(&format!("{name}, {method}"), &body, &balls);
            let rows = [1, 4, 16, 60].map(|n| measured.fidelity(&balls[..n.min(balls.len())]));
            for pair in rows.windows(2) {
                // Inside the body, so what is missing can only shrink, and nothing is in excess.
                assert!(
                    pair[1].missing <= pair[0].missing + 1e-12,
                    "{name}, {method}: {rows:?}"
                );
                assert!(pair[1].surface.mean <= pair[0].surface.mean + 1e-12);
            }
            let (first, last) = (rows[0], rows[3]);
            assert!(last.excess < 1e-6, "{name}, {method}: {last:?}");
            assert!(
                last.missing < 0.5 * first.missing,
                "{name}, {method}: {rows:?}"
            );
            assert!(
                last.inertia < 0.5 * first.inertia,
                "{name}, {method}: {rows:?}"
            );
            assert!((last.overlap + last.missing - 1.0).abs() < 1e-6);
            // One sphere has its closed form: volume and tensor against the tetrahedra of the body.
            let ball = balls[0];
            let own = 4.0 / 3.0 * std::f64::consts::PI * ball.radius.powi(3);
            assert!((first.volume - own / volume).abs() <= 2.0 * first.volume_error.max(1e-3));
        }
    }
}

/// One sphere in a long ellipsoid: inertia and volume from closed forms.
#[test]
fn errors_are_those_of_closed_forms() {
    let (long, wide) = (2.0, 1.0);
    let body = body(&ellipsoid(long, wide, 96));
    let balls = [Ball::<Spatial> {
        centre: Vector3::zeros(),
        radius: 1.0,
    }];
    let found = Measured::new(&body, &balls, 1).fidelity(&balls);
    // Volumes 4/3 pi of 1 and 2; moments m/5 (b^2 + c^2): (2, 2, 2) of the ball, of mass 1, and
    // 2 (2, 5, 5) of the ellipsoid, over 5.
    let off = |scale: f64| {
        let (x, y) = (2.0 * scale - 4.0, 2.0 * scale - 10.0);
        ((x * x + 2.0 * y * y) / (16.0 + 200.0)).sqrt()
    };
    // The mesh is smaller than the ellipsoid by up to (pi / 96)^2 / 2 in length, 3 times that in volume.
    assert!((found.volume - 0.5).abs() < 2e-3, "{found:?}");
    assert!((found.overlap - 0.5).abs() < 2e-3, "{found:?}");
    assert!((found.inertia - off(1.0)).abs() < 4e-3, "{found:?}");
    assert!(
        (found.inertia_equal_mass - off(2.0)).abs() < 4e-3,
        "{found:?}"
    );
    assert!(found.centroid < 1e-6, "{found:?}");
    // The tip is as far from the ball as it is longer.
    assert!(
        (found.surface.max - (long - wide)).abs() < 0.02,
        "{found:?}"
    );
    // A ball twice as large as a small body: what sticks out is counted.
    let large = [Ball::<Spatial> {
        centre: Vector3::zeros(),
        radius: 2.0,
    }];
    let found = Measured::new(&body, &large, 1).fidelity(&large);
    assert!((found.volume - 4.0).abs() < 0.02, "{found:?}");
    assert!((found.excess - 3.0).abs() < 0.02 && found.missing < 1e-3);
    assert!((found.clump_surface.max - 1.0).abs() < 0.02, "{found:?}");
}

/// The errors that are told for the volumes hold against a clump whose volume is exact.
#[test]
fn told_errors_hold() {
    let body = body(&ellipsoid(2.0, 1.0, 24));
    let balls = ALONG.spheres(&body, 4).unwrap();
    let found = Measured::new(&body, &balls, 1).fidelity(&balls);
    let exact = arenite::body::mass::slices(&Clump::new(balls).unwrap(), 1e-9).unwrap();
    let volume = exact.measure / tetrahedra(body.mesh()).measure;
    assert!(
        (found.volume - volume).abs() <= found.volume_error,
        "{} {} {}",
        found.volume,
        volume,
        found.volume_error
    );
    assert!(found.volume_error < 3e-3);
}

/// Inscribed spheres reach no deeper into each other than allowed, and fall in size.
#[test]
fn overlaps_are_bounded() {
    for (name, body) in shapes() {
        for overlap in [0.0, 0.5, 0.9] {
            let how = Inscribed {
                overlap,
                ..INSCRIBED
            };
            let balls = how.spheres(&body, 30).unwrap();
            for (k, later) in balls.iter().enumerate() {
                for earlier in &balls[..k] {
                    let distance = (later.centre - earlier.centre).norm();
                    let depth = earlier.radius + later.radius - distance;
                    // Rounding of sums of lengths of about the body's size.
                    assert!(
                        depth <= overlap * earlier.radius + 1e-12,
                        "{name}, {overlap}"
                    );
                }
            }
            assert!(
                balls
                    .iter()
                    .all(|b| b.radius <= balls[0].radius * (1.0 + 1e-2))
            );
        }
        let short = INSCRIBED.spheres(&body, 5).unwrap();
        assert_eq!(short, INSCRIBED.spheres(&body, 9).unwrap()[..5]);
    }
    // The two ends of a dumbbell come first, with the radius of its balls; rings are 1 / 12 apart, so that
    // the outermost chord passes the middle of its ball at 0.979.
    let two = INSCRIBED.spheres(&body(&dumbbell()), 2).unwrap();
    let mut ends = [two[0].centre.x, two[1].centre.x];
    ends.sort_by(f64::total_cmp);
    assert!(
        (ends[0] + 1.5).abs() < 0.05 && (ends[1] - 1.5).abs() < 0.05,
        "{two:?}"
    );
    assert!(
        two.iter().all(|b| (0.979..1.0).contains(&b.radius)),
        "{two:?}"
    );
}

/// Every point of the surface that is tangent touches it: the centre is one radius from it. Points
/// that are covered are as many as asked for.
#[test]
fn tangent_spheres_touch_and_cover() {
    for (name, body) in shapes() {
        let balls = tangent(3).spheres(&body, usize::MAX).unwrap();
        for ball in &balls {
            let distance = body.nearest().distance(ball.centre);
            assert!(
                (distance - ball.radius).abs() < 1e-8 * body.size(),
                "{name}"
            );
            assert!(ball.radius >= 0.1);
        }
        let near = |way: &Tangent, p: Vector3<f64>| {
            balls
                .iter()
                .any(|b| (p - b.centre).norm() - b.radius <= way.distance)
        };
        // Other points than those of the method: middles of the triangles of a round body.
        if name == "ellipsoid" {
            let (mut seen, mut all) = (0.0, 0.0);
            for [a, b, c] in body.mesh().triangles() {
                let area = (b - a).cross(&(c - a)).norm();
                all += area;
                seen += area * f64::from(u8::from(near(&tangent(3), (a + b + c) / 3.0)));
            }
            // 5000 points leave a standard error of 0.003 of a share of 0.95.
            assert!(seen / all > 0.93, "{}", seen / all);
        }
    }
    // Favier et al. (1999) make an ellipsoid of spheres along its long axis: the end spheres have the
    // radius of curvature b^2 / a = 0.5 of the tip, as far as the faces of the mesh are as round.
    let body = body(&ellipsoid(2.0, 1.0, 96));
    let balls = ALONG.spheres(&body, 5).unwrap();
    all_inside("axis", &body, &balls);
    assert_eq!(balls.len(), 5);
    for end in [balls[0], balls[4]] {
        // A sphere may miss the tip by 0.002 of 4: past the middle of curvature by m the gap is
        // 4/3 m^2, so that m is below 0.08.
        let gap = 2.0 - end.centre.x.abs() - end.radius;
        assert!((-1e-9..=0.008 + 1e-9).contains(&gap), "{end:?}");
        assert!((0.49..0.58).contains(&end.radius), "{end:?}");
    }
    for ball in &balls {
        // Distance of a point of the long axis from an ellipse, within (a^2 - b^2) / a of the middle:
        // b sqrt(1 - x^2 / (a^2 - b^2)).
        let x = ball.centre.x;
        let wanted = (1.0 - x * x / 3.0).max(0.0).sqrt();
        assert!((ball.radius - wanted).abs() < 3e-3, "{ball:?}, {wanted}");
        assert!(ball.centre.y.hypot(ball.centre.z) < 1e-6);
    }
}

/// More spheres on an axis cover more of a body of revolution.
#[test]
fn more_spheres_on_the_axis() {
    for (name, body) in shapes() {
        let measured = Measured::new(&body, &[], 1);
        let rows = [1, 3, 9, 27].map(|n| {
            let balls = ALONG.spheres(&body, n).unwrap();
            all_inside(name, &body, &balls);
            measured.fidelity(&balls)
        });
        assert!(rows[3].missing < rows[0].missing, "{name}: {rows:?}");
        if name == "ellipsoid" {
            // The envelope of all spheres is the ellipsoid itself.
            assert!(rows[3].overlap > 0.98, "{rows:?}");
            assert!(rows[3].inertia < 0.03, "{rows:?}");
        }
    }
}

/// Numbers out of range, spheres that fit nowhere, an axis that misses.
#[test]
fn impossible_wishes_say_why() {
    let slab = body(&slab());
    let large = Inscribed {
        least: 1.0,
        ..INSCRIBED
    };
    assert_eq!(large.spheres(&slab, 3), Err(FitError::NoSphere(1.0)));
    for overlap in [-0.1, 1.0, f64::NAN] {
        let how = Inscribed {
            overlap,
            ..INSCRIBED
        };
        assert!(matches!(how.spheres(&slab, 3), Err(FitError::Overlap(_))));
    }
    let how = Tangent {
        coverage: 1.5,
        ..tangent(1)
    };
    assert_eq!(how.spheres(&slab, 3), Err(FitError::Coverage(1.5)));
    let how = AlongAxis {
        axis: Some(Vector3::zeros()),
        least: 0.01,
    };
    assert_eq!(how.spheres(&slab, 3), Err(FitError::Axis));
    // Between two bodies that do not touch: the centroid lies outside.
    let shifted = |by: f64| slab_at(Vector3::new(0.0, 0.0, by));
    let both: Triangles = [shifted(-2.0), shifted(2.0)].concat();
    let two = body(&both);
    let across = AlongAxis {
        axis: Some(Vector3::x()),
        least: 0.01,
    };
    assert_eq!(across.spheres(&two, 3), Err(FitError::Missed));
    // Along the line through both, no sphere is strung over the gap.
    let along = AlongAxis {
        axis: Some(Vector3::z()),
        least: 0.01,
    };
    let balls = along.spheres(&two, 9).unwrap();
    all_inside("two", &two, &balls);
    assert!(balls.len() < 9);
}

fn slab_at(by: Vector3<f64>) -> Triangles {
    slab().into_iter().map(|t| t.map(|v| v + by)).collect()
}

/// Random clumps hang together, hide nothing, and are the same for the same seed.
#[test]
fn random_clumps() {
    for seed in 0..20 {
        let how = Random {
            count: 12,
            least: 0.4,
            overlap: 0.5,
            seed,
        };
        let clump = how.clump::<Spatial>().unwrap();
        assert_eq!(clump, how.clump::<Spatial>().unwrap());
        assert_eq!(clump.balls().len(), 12);
        assert!(clump.buried().is_empty());
        assert!(
            clump
                .balls()
                .iter()
                .all(|b| (0.4..=1.0).contains(&b.radius))
        );
        let balls = clump.balls();
        for (k, ball) in balls.iter().enumerate().skip(1) {
            let touches = |other: &Ball<Spatial>| {
                (ball.centre - other.centre).norm() < ball.radius + other.radius
            };
            assert!(balls[..k].iter().any(touches));
        }
        assert_eq!(how.clump::<Planar>().unwrap().balls().len(), 12);
    }
    let how = |count, least, overlap| Random {
        count,
        least,
        overlap,
        seed: 1,
    };
    assert_eq!(how(0, 0.5, 0.5).clump::<Planar>(), Err(FitError::Count));
    assert_eq!(
        how(2, 0.0, 0.5).clump::<Planar>(),
        Err(FitError::Least(0.0))
    );
    assert_eq!(
        how(2, 0.5, 1.0).clump::<Planar>(),
        Err(FitError::Overlap(1.0))
    );
}

fn stl(triangles: &Triangles) -> String {
    let mut text = String::from("solid body\n");
    for t in triangles {
        text += "facet normal 0 0 0\nouter loop\n";
        for v in t {
            text += &format!("vertex {:?} {:?} {:?}\n", v.x, v.y, v.z);
        }
        text += "endloop\nendfacet\n";
    }
    text + "endsolid body\n"
}

fn arenite(folder: &Path, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_arenite"))
        .args(arguments)
        .current_dir(folder)
        .stdin(Stdio::null())
        .output()
        .unwrap()
}

fn good(folder: &Path, arguments: &[&str]) -> String {
    let output = arenite(folder, arguments);
    let error = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{error}");
    assert_eq!(error, "");
    String::from_utf8_lossy(&output.stdout).into_owned()
}

fn bad(folder: &Path, arguments: &[&str]) -> String {
    let output = arenite(folder, arguments);
    assert_eq!(output.status.code(), Some(2), "{arguments:?}");
    assert_eq!(String::from_utf8_lossy(&output.stdout), "");
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// From an STL to a shape that `calc grain` and a scenario read, with JSON and pictures.
#[test]
fn the_command_makes_shapes() -> Result<(), Box<dyn std::error::Error>> {
    let folder = tempfile::tempdir()?;
    let at = folder.path();
    std::fs::write(at.join("egg.stl"), stl(&ellipsoid(20.0, 10.0, 16)))?;
    for method in ["inscribed", "ferrellec-mcdowell", "favier"] {
        let toml = format!("{method}.toml");
        let base = [
            "grain",
            "egg.stl",
            "--method",
            method,
            "--spheres",
            "8",
            "--scale",
            "1e-3",
        ];
        let more = ["--density", "2500", "-o", &toml, "--json"];
        let text = good(at, &[&base[..], &more[..]].concat());
        let told: Value = serde_json::from_str(&text)?;
        let made = told["spheres"].as_array().map_or(0, Vec::len);
        assert_eq!(told["fidelity"]["spheres"], made);
        // Tangent spheres end when the surface is covered.
        let enough = method == "ferrellec-mcdowell" && made >= 3;
        assert!(made == 8 || enough && made < 8, "{method}: {made}");
        let rows = told["table"].as_array().map_or(0, Vec::len);
        assert!(rows >= 3, "{method}: {rows}");
        // What is written is what is told, digit by digit.
        let weighed: Value = serde_json::from_str(&good(at, &["calc", "grain", &toml]))?;
        assert_eq!(weighed["mass"], told["properties"]["mass"]);
        // 4/3 pi 2 cm^3 times 2500 kg/m^3 is the mass of the whole egg.
        let whole = 4.0 / 3.0 * std::f64::consts::PI * 2e-6 * 2500.0;
        let mass = weighed["mass"].as_f64().ok_or("mass")?;
        assert!((0.5 * whole..whole).contains(&mass), "{mass} of {whole}");
        // The same again, to standard output, is the same text.
        let again = [&base[..], &["--density", "2500", "-o", "-"][..]].concat();
        assert_eq!(good(at, &again), std::fs::read_to_string(at.join(&toml))?);
        assert!(bad(at, &[&base[..], &more[..]].concat()).contains("--force"));
    }
    // As many as it takes.
    let text = good(at, &["grain", "egg.stl", "--fidelity", "0.8", "--json"]);
    let told: Value = serde_json::from_str(&text)?;
    assert!(told["fidelity"]["overlap"].as_f64() >= Some(0.8));
    let table = told["table"].as_array().ok_or("table")?;
    let before = &table[table.len() - 2];
    assert!(before["overlap"].as_f64() < Some(0.8));
    // A list compared with the body says what the making of it said.
    let text = good(
        at,
        &[
            "grain",
            "egg.stl",
            "--spheres",
            "6",
            "-o",
            "six.toml",
            "--json",
        ],
    );
    let made: Value = serde_json::from_str(&text)?;
    let against = ["grain", "six.toml", "--against", "egg.stl", "--json"];
    let told: Value = serde_json::from_str(&good(at, &against))?;
    assert_eq!(told["fidelity"], made["fidelity"]);
    // A scenario takes it.
    let shape = ["grain", "six.toml", "--shape", "egg", "-o", "-"];
    let scenario = format!(
        "name = \"egg\"\ndimension = 3\nrun.end_time = 1e-4\n[[fill]]\nmaterial = \"glass\"\n\
         shape = \"egg\"\ngrains = [{{ position = [0, 0, 0], radius = 0.01 }}]\n{}",
        good(at, &shape)
    );
    std::fs::write(at.join("egg.toml"), scenario)?;
    let plan = good(at, &["check", "egg.toml", "--json"]);
    assert!(plan.contains("\"grains\""), "{plan}");
    // Pictures.
    let text = good(
        at,
        &["grain", "egg.stl", "--spheres", "12", "--plot", "egg.svg"],
    );
    assert!(text.contains("12 spheres, method inscribed"), "{text}");
    let svg = std::fs::read_to_string(at.join("egg.svg"))?;
    assert_eq!(svg.matches("<circle").count(), 12);
    assert!(svg.contains("volume in both over volume in either"));
    good(at, &["grain", "quasi-square", "--plot", "square.png"]);
    assert!(std::fs::read(at.join("square.png"))?.starts_with(b"\x89PNG"));
    Ok(())
}

/// Embedded shapes and random ones are told.
#[test]
fn shapes_are_inspected() -> Result<(), Box<dyn std::error::Error>> {
    let folder = tempfile::tempdir()?;
    let at = folder.path();
    let list = good(at, &["grain", "--list"]);
    let known = good(at, &["list"]);
    for (name, text, _) in arenite::body::SHAPES {
        let shown = |list: &str| {
            list.lines()
                .any(|line| line.trim_start().starts_with(name) && line.ends_with(text))
        };
        assert!(shown(&list), "{name} is not in\n{list}");
        assert!(shown(&known), "{name} is not in\n{known}");
        let told: Value = serde_json::from_str(&good(at, &["grain", name, "--json"]))?;
        assert!(told["properties"]["mass"].as_f64() > Some(0.0));
    }
    // Eight touching spheres of radius 1/2.
    let bar: Value = serde_json::from_str(&good(at, &["grain", "t-bar", "--json"]))?;
    let volume = bar["properties"]["measure"].as_f64().ok_or("measure")?;
    assert!((volume / (8.0 * std::f64::consts::PI / 6.0) - 1.0).abs() < 1e-12);
    let lump = ["grain", "--random", "5", "--seed", "7", "-o", "lump.toml"];
    good(at, &lump);
    let told = good(at, &["grain", "lump.toml"]);
    assert!(told.starts_with("lump.toml: 5 spheres\n"), "{told}");
    let disks = good(at, &["grain", "--random", "3", "--planar", "-o", "-"]);
    assert!(disks.contains("disks = ["), "{disks}");
    Ok(())
}

/// Wrong inputs are told with what is wrong and what to do.
#[test]
fn wrong_inputs_say_why() -> Result<(), Box<dyn std::error::Error>> {
    let folder = tempfile::tempdir()?;
    let at = folder.path();
    let whole = slab();
    std::fs::write(at.join("whole.stl"), stl(&whole))?;
    std::fs::write(at.join("open.stl"), stl(&whole[1..].to_vec()))?;
    let turned: Triangles = whole.iter().map(|[a, b, c]| [*a, *c, *b]).collect();
    std::fs::write(at.join("turned.stl"), stl(&turned))?;
    let flat: Triangles = whole
        .iter()
        .map(|t| t.map(|v| Vector3::new(v.x, v.y, 0.0)))
        .collect();
    std::fs::write(at.join("flat.stl"), stl(&flat))?;
    std::fs::write(at.join("wrong.toml"), "sphere = []\n")?;
    std::fs::write(at.join("more.toml"), "mass = 1\nname = \"dimer\"\n")?;
    for (arguments, wanted) in [
        (&["open.stl"][..], "the surface is open: 3 edges"),
        (&["turned.stl"], "the surface is inside out"),
        (&["flat.stl"], "the surface is closed, but flat"),
        (&["none.stl"], "cannot read none.stl"),
        (&["t-baar"], "did you mean `t-bar`?"),
        (&["wrong.toml"], "has no shape"),
        (&["more.toml"], "`mass` is no key of a shape"),
        (
            &["whole.stl", "--least", "2"],
            "no sphere of radius 2e0 or more",
        ),
        (&["whole.stl", "--least", "-2"], "greater than 0"),
        (&["whole.stl", "--overlap", "1"], "below 1"),
        (
            &["whole.stl", "--axis", "1,0,0"],
            "--axis is not for this method",
        ),
        (
            &["whole.stl", "--method", "favier", "--fidelity", "0.9"],
            "an overlap of 0.9 is out of reach",
        ),
        (
            &["t-bar", "--spheres", "3"],
            "making spheres from an STL file",
        ),
        (&["oval", "--against", "whole.stl"], "planar"),
        (
            &["whole.stl", "--against", "whole.stl"],
            "both are STL files",
        ),
        (&["t-bar", "--list"], "cannot be used with"),
        (&[], "required"),
    ] {
        let message = bad(at, &[&["grain"][..], arguments].concat());
        assert!(message.contains(wanted), "{arguments:?}: {message}");
    }
    Ok(())
}
