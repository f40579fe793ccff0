//! Fillings whose links have a stiffness that goes with the load, a pull, or a memory of their load.

use std::f64::consts::PI;

use arenite::event::EventKind;
use arenite::record::{LinkRow, MemorySink, Summary};

use crate::support::{close, driven};

/// Young's modulus (Pa) and Poisson's ratio of all, friction.
const YOUNG: f64 = 1e7;
const POISSON: f64 = 0.3;
const RADIUS: f64 = 0.01;
const GRAVITY: f64 = 9.81;

fn effective() -> f64 {
    0.5 * YOUNG / (1.0 - POISSON * POISSON)
}

fn run(text: &str) -> (MemorySink, Summary) {
    driven(text).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

/// Laws by name, with friction.
const HERTZ: &str = "hertz = { restitution = 0.5, friction = 0.5 }";
const VISCOELASTIC: &str = "viscoelastic = { dissipation = 1e-5, friction = 0.5 }";
const HYSTERETIC: &str =
    "hertz_hysteretic = { squared_restitution = 0.5, friction = 0.5, smoothing_speed = 1e-3 }";
const YIELDING: &str = "thornton_ning = { yield_pressure = 1e5, friction = 0.5 }";
const LINEAR: &str = "linear = { normal_stiffness = 1e4, tangential_stiffness = 5e3, normal_damping = 1.0, tangential_damping = 1.0, friction = 0.5 }";

/// A scene in space of one material with a law, walls as planes of a point and a normal, and balls of one radius at places.
fn scene(law: &str, walls: &[([f64; 3], [f64; 3])], balls: &[[f64; 3]], more: &str) -> String {
    let mut text = format!(
        r#"
name = "laws"
dimension = 3
[run]
end_time = {:?}
[field]
gravity = [0.0, 0.0, {:?}]
[log]
series = 1.0
snapshots = 1.0
events = "links"
[material.a]
density = 2500.0
young = {YOUNG:?}
poisson = {POISSON:?}
[[law]]
between = ["a", "a"]
{law}
{more}
"#,
        balls.len() as f64 + 0.5,
        -GRAVITY,
    );
    for (k, (point, normal)) in walls.iter().enumerate() {
        text += &format!(
            "[[boundary]]\nname = \"wall-{k}\"\nmaterial = \"a\"\nplane = {{ point = {point:?}, normal = {normal:?} }}\n"
        );
    }
    if !balls.is_empty() {
        text += "[[fill]]\nmaterial = \"a\"\n";
    }
    for ball in balls {
        text += &format!("[[fill.grains]]\nposition = {ball:?}\nradius = {RADIUS:?}\n");
    }
    text
}

fn weight() -> f64 {
    2500.0 * 4.0 / 3.0 * PI * RADIUS.powi(3) * GRAVITY
}

/// Links of the last snapshot, from below.
fn links(sink: &MemorySink) -> Vec<LinkRow> {
    let mut links = sink.snapshots.last().expect("a snapshot").1.clone();
    links.sort_by(|a, b| a.point[2].total_cmp(&b.point[2]));
    links
}

/// A column on a floor: each contact is pressed as Hertz has it under all that lies on it, and half of the work of a spring, three fifths of that of such a
/// contact are left over.
#[test]
fn a_column_is_pressed_as_hertz_has_it() {
    let floor = [([0.0; 3], [0.0, 0.0, 1.0])];
    for law in [HERTZ, VISCOELASTIC] {
        for settings in [
            "",
            "solver = \"rima\"",
            "solver = \"cg\"",
            "solver = \"factor\"",
        ] {
            let column: Vec<[f64; 3]> = (0..4)
                .map(|k| [0.0, 0.0, RADIUS * (1.0 + 2.0 * f64::from(k))])
                .collect();
            let text = scene(
                law,
                &floor,
                &column,
                &format!("[quasi_static]\n{settings}\n"),
            );
            let (sink, summary) = run(&text);
            let links = links(&sink);
            assert_eq!(links.len(), 4);
            for (k, link) in links.iter().enumerate() {
                let bears = (4 - k) as f64 * weight();
                close("force", link.normal_force, bears, 1e-9 * bears);
                let radius = if k == 0 { RADIUS } else { 0.5 * RADIUS };
                let overlap = (0.75 * bears / (effective() * radius.sqrt())).powf(2.0 / 3.0);
                close("overlap", link.overlap, overlap, 1e-6 * overlap);
            }
            assert!(summary.energy.balance_error_max < 1e-9);
        }
        // One grain alone.
        let text = scene(law, &floor, &[[0.0, 0.0, RADIUS]], "[quasi_static]\n");
        let (sink, summary) = run(&text);
        let work = weight() * links(&sink)[0].overlap;
        close("elastic", summary.energy.elastic, 0.4 * work, 1e-5 * work);
        close(
            "left",
            summary.energy.dissipated.morph,
            0.6 * work,
            1e-5 * work,
        );
    }
}

/// A ball in a hollow of more flat sides than it needs: what each bears follows from Hertz's law alone, by Newton's method on the forces.
#[test]
fn more_supports_than_needed_share_by_their_law() {
    let sides = [
        [0.0, 0.0, 1.0],
        [0.8, 0.0, 0.6],
        [-0.6, 0.0, 0.8],
        [0.0, 0.96, 0.28],
        [0.3, -0.9, 0.316_227_766_016_837_94],
    ];
    let walls: Vec<([f64; 3], [f64; 3])> =
        sides.iter().map(|n| (n.map(|x| -RADIUS * x), *n)).collect();
    for law in [
        HYSTERETIC,
        &HERTZ.replace("friction = 0.5", "friction = 0.0"),
    ] {
        let text = scene(law, &walls, &[[0.0; 3]], "[quasi_static]\n");
        let (sink, _) = run(&text);
        let found = &sink.snapshots.last().expect("a snapshot").1;
        // The least of the energy of the contacts less the work of the weight.
        let stiff = 4.0 / 3.0 * effective() * RADIUS.sqrt();
        let mut place = [0.0, 0.0, -1e-5];
        for _ in 0..100 {
            let mut force = nalgebra::Vector3::new(0.0, 0.0, -weight());
            let mut slope = nalgebra::Matrix3::zeros();
            for side in sides {
                let n = nalgebra::Vector3::from(side);
                let overlap = -n.dot(&nalgebra::Vector3::from(place));
                if overlap > 0.0 {
                    force += n * stiff * overlap.powf(1.5);
                    slope += n * n.transpose() * 1.5 * stiff * overlap.sqrt();
                }
            }
            let step = slope.try_inverse().expect("a hollow") * force;
            (0..3).for_each(|k| place[k] += step[k]);
        }
        let mut bear = 0;
        for (k, side) in sides.iter().enumerate() {
            let overlap: f64 = -(0..3).map(|i| side[i] * place[i]).sum::<f64>();
            let bears = stiff * overlap.max(0.0).powf(1.5);
            let link = found.iter().find(|link| {
                let along: f64 = (0..3).map(|i| link.normal[i] * side[i]).sum();
                along.abs() > 1.0 - 1e-9
            });
            bear += usize::from(link.is_some());
            let force = link.map_or(0.0, |link| link.normal_force);
            close(&format!("side {k}"), force, bears, 1e-5 * weight());
        }
        assert!(bear >= 4, "{bear} sides bear");
    }
}

/// Pulls press: overlaps are those of weight and pull together; a ball hangs under a ceiling from less than its pull, and friction goes with what presses.
#[test]
fn pulls_press_and_hold() {
    let pull = 3.0 * weight();
    let work = pull / (2.0 * PI * RADIUS);
    let floor = [([0.0; 3], [0.0, 0.0, 1.0])];
    let ceiling = [([0.0; 3], [0.0, 0.0, -1.0])];
    let hertz = |bears: f64| (0.75 * bears / (effective() * RADIUS.sqrt())).powf(2.0 / 3.0);
    for (law, more, overlap) in [
        (
            LINEAR,
            format!("cohesion = {{ force = {pull:?} }}"),
            [4e-4 * weight(), 2e-4 * weight()],
        ),
        (
            LINEAR,
            format!("cohesion = {{ dmt = {work:?} }}"),
            [4e-4 * weight(), 2e-4 * weight()],
        ),
        (
            HERTZ,
            format!("cohesion = {{ dmt = {work:?} }}"),
            [hertz(4.0 * weight()), hertz(2.0 * weight())],
        ),
    ] {
        let law = format!("{law}\n{more}");
        for (walls, height, overlap) in [
            (&floor, RADIUS, overlap[0]),
            (&ceiling, -RADIUS, overlap[1]),
        ] {
            let text = scene(&law, walls, &[[0.0, 0.0, height]], "[quasi_static]\n");
            let (sink, summary) = run(&text);
            let link = links(&sink)[0];
            let sign = height.signum();
            close("force", link.normal_force, sign * weight(), 1e-9 * weight());
            close("overlap", link.overlap, overlap, 1e-6 * overlap);
            assert!(summary.energy.balance_error_max < 1e-9);
            // Stored is what the law stores: that of the spring less the work of the pull.
            let elastic = if law.contains("linear") {
                0.5 * 1e4 * overlap * overlap
            } else {
                0.4 * (weight() * sign + pull) * overlap
            };
            close(
                "elastic",
                summary.energy.elastic,
                elastic - pull * overlap,
                1e-5 * pull * overlap,
            );
        }
        // Too heavy for the pull.
        let heavy = scene(&law, &ceiling, &[[0.0, 0.0, -RADIUS]], "[quasi_static]\n")
            .replace("density = 2500.0", "density = 7600.0");
        let error = driven(&heavy).map(|_| ());
        let held = error.is_err() || {
            let (_, summary) = run(&heavy);
            summary
                .corrections
                .iter()
                .any(|(name, count)| name == "parts_held" && *count > 0)
        };
        assert!(held, "{law}");
        // On a slope: the weight along it, friction of weight and pull across it.
        for (share, slides) in [(0.95, false), (1.05, true)] {
            // W sin = share mu (W cos + P).
            let angle = {
                let (mut low, mut high) = (0.0_f64, PI / 2.0);
                for _ in 0..200 {
                    let middle = 0.5 * (low + high);
                    let over = middle.sin() - share * 0.1 * (middle.cos() + 3.0);
                    if over > 0.0 {
                        high = middle
                    } else {
                        low = middle
                    }
                }
                low
            };
            let normal = [-angle.sin(), 0.0, angle.cos()];
            let slope = [([0.0; 3], normal)];
            let law = law.replace("friction = 0.5", "friction = 0.1");
            let text = scene(
                &law,
                &slope,
                &[normal.map(|n| n * RADIUS)],
                "[quasi_static]\n",
            );
            let (sink, summary) = match driven(&text) {
                Ok(done) => done,
                Err(error) => {
                    assert!(slides, "{error}");
                    continue;
                }
            };
            let slips = sink
                .events
                .iter()
                .filter(|e| e.kind == EventKind::SlipLink)
                .count();
            let held = summary
                .corrections
                .iter()
                .any(|(name, count)| name == "parts_held" && *count > 0);
            assert_eq!(slips > 0 || held, slides, "{law}");
        }
    }
}

/// A column whose top is taken away again: what was crushed stays so, by the branch of unloading of its law.
#[test]
fn what_was_crushed_stays_so() {
    let floor = [([0.0; 3], [0.0, 0.0, 1.0])];
    let column: Vec<[f64; 3]> = (0..3)
        .map(|k| [0.0, 0.0, RADIUS * (1.0 + 2.0 * f64::from(k))])
        .collect();
    let more = "plastic = { unloading_stiffness = 4e4 }";
    for (law, more) in [(LINEAR, more), (YIELDING, "")] {
        let law = format!("{law}\n{more}");
        let taken = format!(
            "[quasi_static]\n[[perturb]]\ntime = 3.25\nremove = {{ near = [0.0, 0.0, {:?}] }}\n",
            5.0 * RADIUS
        );
        let text = scene(&law, &floor, &column, &taken).replace("end_time = 3.5", "end_time = 4.0");
        let (sink, summary) = run(&text);
        assert_eq!(summary.grains.last, 2);
        let whole = &sink.snapshots[sink.snapshots.len() - 2].1;
        let lowest = whole
            .iter()
            .min_by(|a, b| a.point[2].total_cmp(&b.point[2]));
        let deepest = lowest.expect("a link").overlap;
        let now = links(&sink)[0];
        close("bears", now.normal_force, 2.0 * weight(), 1e-9 * weight());
        let overlap = if law.contains("linear") {
            close("pressed", deepest, 3e-4 * weight(), 1e-9 * deepest);
            0.75 * deepest + 2.0 * weight() / 4e4
        } else {
            // Thornton and Ning 1998: a^2 = (2 F + F_y) / (2 pi p_y), x_e = 3 F / (4 E a), and unloading by the power of Hertz.
            let (slope, force) = (PI * 1e5, 3.0 * weight());
            let yields = RADIUS * (0.5 * slope / effective()).powi(2);
            let yield_force = 2.0 / 3.0 * slope * (0.5 * slope / effective() * RADIUS).powi(2);
            close(
                "pressed",
                deepest,
                yields + (force - yield_force) / (slope * RADIUS),
                1e-6 * deepest,
            );
            let a = ((2.0 * force + yield_force) / (2.0 * slope)).sqrt();
            let elastic = 0.75 * force / (effective() * a);
            deepest - elastic + elastic * (2.0_f64 / 3.0).powf(2.0 / 3.0)
        };
        close("overlap", now.overlap, overlap, 1e-6 * overlap);
        assert!(
            summary.energy.balance_error_max < 1e-9,
            "{:?}",
            summary.energy
        );
    }
}

/// Beds in the plane and in space: walls bear all that weighs, the book is closed, and each link has the force of its law at its overlap.
#[test]
fn beds_by_all_laws() {
    let sticky = |law: &str, more: &str| format!("{law}\ncohesion = {{ {more} }}");
    let walls = [
        ([0.0; 3], [0.6, 0.0, 0.8]),
        ([0.0; 3], [-0.3, 0.519_615, 0.8]),
        ([0.0; 3], [-0.3, -0.519_615, 0.8]),
    ];
    for law in [
        HERTZ.to_string(),
        VISCOELASTIC.to_string(),
        HYSTERETIC.to_string(),
        YIELDING.to_string(),
        format!("{LINEAR}\nplastic = {{ unloading_stiffness = 3e4, cohesion_stiffness = 1e3 }}"),
        format!("{LINEAR}\nrolling = {{ friction = 0.1, smoothing_speed = 1e-3 }}"),
        sticky(LINEAR, "area = 1e4"),
        sticky(HERTZ, "jkr = 0.05"),
        sticky(HERTZ, "area = 1e5"),
    ] {
        let text = scene(&law, &walls, &[], "[quasi_static]\n")
            .replace("end_time = 0.5", "end_time = 25.0")
            + &format!(
                "[[fill]]\nmaterial = \"a\"\nroll_down = {{ count = 24, radius = {{ mean = {RADIUS:?}, spread = 0.1 }}, min = [-0.1, -0.1, 0.0], max = [0.1, 0.1, 0.5] }}\n"
            );
        let (sink, summary) = run(&text);
        assert_eq!(summary.grains.last, 24, "{law}");
        // Of what resists speeds alone it is told that it does nothing.
        // A part that only dynamics could solve may be held, above all without friction.
        let told = |warning: &&String| {
            let held = warning.contains("was held as it was");
            !warning.contains("has no use for") && !held
        };
        let held = summary.corrections.get("parts_held").copied();
        assert!(
            held.unwrap_or(0) <= if law == HYSTERETIC { 12 } else { 1 },
            "{law}"
        );
        let warnings: Vec<_> = summary.warnings.iter().filter(told).collect();
        assert!(warnings.is_empty(), "{law}: {warnings:?}");
        assert!(
            summary.energy.balance_error_max < 1e-9,
            "{law}: {:?}",
            summary.energy
        );
        let (grains, links) = sink.snapshots.last().expect("a snapshot");
        let weights: f64 = grains.iter().map(|g| g.mass).sum::<f64>() * GRAVITY;
        let borne: f64 = sink
            .series
            .last()
            .expect("a row")
            .walls
            .iter()
            .map(|w| w[2])
            .sum();
        close(&law, borne, -weights, 1e-8 * weights);
        if law.starts_with("hertz =") && !law.contains("cohesion") {
            let radius = |body: arenite::record::BodyRef| match body {
                arenite::record::BodyRef::Grain(id) => {
                    grains.iter().find(|g| g.grain == id).map(|g| g.radius)
                }
                _ => None,
            };
            for link in links {
                let radius = match (radius(link.body_a), radius(link.body_b)) {
                    (Some(a), Some(b)) => a * b / (a + b),
                    (a, b) => a.or(b).expect("a grain"),
                };
                let force =
                    4.0 / 3.0 * effective() * radius.sqrt() * link.overlap.max(0.0).powf(1.5);
                close("force", link.normal_force, force, 2e-6 * weights / 24.0);
            }
        }
    }
}
