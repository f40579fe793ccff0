//! Times of contact and hard collisions, against closed forms computed with 50 digits
//! (tests/data/hard_collisions.json).

use arenite::collide::{calc, hard};
use arenite::geometry::path::{Path, parabola, sphere_plane, spheres};
use arenite::geometry::{Dimension, Planar, Spatial, Vector};
use arenite::system::Setup;
use arenite::walls::{Meeting, Motion, Wall, Way};
use nalgebra::{Vector2, Vector3};
use proptest::prelude::*;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use serde_json::{Value, json};

use crate::support::{empty, floor, linear};

type V2 = Vector2<f64>;
type V3 = Vector3<f64>;

pub fn data(text: &str) -> Value {
    serde_json::from_str(text).unwrap()
}

fn reference() -> Value {
    data(include_str!("../../data/hard_collisions.json"))
}

/// A number, or a decimal in quotes.
pub fn number(value: &Value) -> f64 {
    value
        .as_f64()
        .unwrap_or_else(|| value.as_str().unwrap().parse().unwrap())
}

pub fn numbers(value: &Value) -> Vec<f64> {
    value.as_array().unwrap().iter().map(number).collect()
}

/// Distance of two lists of numbers.
pub fn apart(a: &[f64], b: &[f64]) -> f64 {
    assert_eq!(a.len(), b.len());
    a.iter()
        .zip(b)
        .map(|(a, b)| (a - b) * (a - b))
        .sum::<f64>()
        .sqrt()
}

/// Closed forms reach 1e-14 in double precision; a graze loses the root of its discriminant, and a
/// gap of 1e-12 between coordinates of size 1 is itself rounded at 1e-4.
fn tolerance(label: &str) -> f64 {
    if label.contains("grazing") {
        1e-6
    } else if label.contains("near_contact") {
        1e-3
    } else {
        1e-12
    }
}

fn path<D: Dimension>(case: &Value, x: &str, v: &str, a: &str) -> Path<D> {
    let vector = |key: &str| D::Vector::from_slice(&numbers(&case[key])).unwrap();
    Path {
        position: vector(x),
        velocity: vector(v),
        acceleration: vector(a),
    }
}

fn list<D: Dimension>(v: &D::Vector) -> Vec<f64> {
    v.components().collect()
}

fn check_pair<D: Dimension>(case: &Value) {
    let label = case["label"].as_str().unwrap();
    let a = path::<D>(case, "x1", "v1", "g");
    let b = path::<D>(case, "x2", "v2", "g");
    let expected = &case["expected"];
    let time = spheres(&a, &b, number(&case["r1"]) + number(&case["r2"]));
    if expected["collides"] != true {
        assert_eq!(time, None, "{label}");
        return;
    }
    let (time, wanted) = (time.unwrap(), number(&expected["t"]));
    let tolerance = tolerance(label);
    assert!(
        (time - wanted).abs() <= tolerance * wanted,
        "{label}: {time} against {wanted}"
    );
    // From the reference's own normal on, so that the graze's lost digits do not enter.
    let normal = -D::Vector::from_slice(&numbers(&expected["normal_2to1"])).unwrap();
    let masses = [number(&case["m1"]), number(&case["m2"])];
    let before = [a.velocity_at(wanted), b.velocity_at(wanted)];
    let after = hard::spheres::<D>(masses, before, normal, number(&case["eps"]));
    for (v, key) in after.iter().zip(["v1_after", "v2_after"]) {
        assert!(
            apart(&list::<D>(v), &numbers(&expected[key])) < 1e-12,
            "{label}"
        );
    }
    let energy = |v: &[D::Vector; 2]| {
        0.5 * masses[0] * v[0].norm_squared() + 0.5 * masses[1] * v[1].norm_squared()
    };
    let lost = energy(&before) - energy(&after);
    assert!((lost - number(&expected["energy_lost"])).abs() < 1e-12 * energy(&before));
}

#[test]
fn spheres_meet_on_time() {
    let reference = reference();
    let cases = reference["sphere_sphere"].as_array().unwrap();
    assert_eq!(cases.len(), 9);
    for case in cases {
        match case["x1"].as_array().unwrap().len() {
            2 => check_pair::<Planar>(case),
            _ => check_pair::<Spatial>(case),
        }
    }
}

#[test]
fn spheres_meet_planes_on_time() {
    let reference = reference();
    let cases = reference["sphere_plane"].as_array().unwrap();
    assert_eq!(cases.len(), 7);
    for case in cases {
        let label = case["label"].as_str().unwrap();
        let ball = path::<Spatial>(case, "x", "v", "a");
        let wall = path::<Spatial>(case, "xq", "vq", "aq");
        let normal = V3::from_column_slice(&numbers(&case["n"]));
        let time = sphere_plane(&ball, number(&case["r"]), &wall, normal);
        let expected = &case["expected"];
        if expected["collides"] != true {
            assert_eq!(time, None, "{label}");
            continue;
        }
        let (time, wanted) = (time.unwrap(), number(&expected["t"]));
        assert!(
            (time - wanted).abs() <= 1e-12 * wanted,
            "{label}: {time} against {wanted}"
        );
        assert!(
            apart(
                &list::<Spatial>(&ball.position_at(time)),
                &numbers(&expected["p"])
            ) < 1e-12
        );
        let (v, w) = (ball.velocity_at(time), wall.velocity_at(time));
        let e = number(&case["eps"]);
        let after = hard::sphere_plane::<Spatial>(v, w, normal, e);
        assert!(
            apart(&list::<Spatial>(&after), &numbers(&expected["v_after"])) < 1e-11,
            "{label}"
        );
        let work = hard::wall_work(number(&case["m"]), v.dot(&normal), w.dot(&normal), e);
        let wanted = number(&expected["energy_from_wall_C"]);
        assert!(
            (work - wanted).abs() <= 1e-11 * wanted.abs().max(1.0),
            "{label}: {work}"
        );
    }
}

/// Newton's cradle: pairs and times of all collisions, found among the paths one after another.
#[test]
fn newtons_cradle() {
    for case in reference()["newtons_cradle"].as_array().unwrap() {
        let (masses, gaps) = (numbers(&case["masses"]), numbers(&case["gaps"]));
        let (radius, e) = (number(&case["radius"]), number(&case["eps"]));
        let expected = &case["expected"];
        let mut x = vec![0.0];
        for gap in gaps {
            x.push(x[x.len() - 1] + 2.0 * radius + gap);
        }
        let mut v = numbers(&case["v0"]);
        let (mut now, mut times, mut pairs) = (0.0, Vec::new(), Vec::new());
        let ball = |x: f64, v: f64| Path::<Planar> {
            position: V2::new(x, 0.0),
            velocity: V2::new(v, 0.0),
            acceleration: V2::zeros(),
        };
        loop {
            let next = (0..4)
                .filter_map(|i| {
                    let pair = (ball(x[i], v[i]), ball(x[i + 1], v[i + 1]));
                    Some((spheres(&pair.0, &pair.1, 2.0 * radius)?, i))
                })
                .min_by(|a, b| a.0.total_cmp(&b.0));
            let Some((wait, i)) = next else { break };
            now += wait;
            for k in 0..5 {
                x[k] += v[k] * wait;
            }
            let after = hard::spheres::<Planar>(
                [masses[i], masses[i + 1]],
                [V2::new(v[i], 0.0), V2::new(v[i + 1], 0.0)],
                V2::x(),
                e,
            );
            (v[i], v[i + 1]) = (after[0].x, after[1].x);
            times.push(now);
            pairs.push(i as f64);
            assert!(times.len() < 100, "the cradle does not come to an end");
        }
        // Times add up ten rounded gaps between coordinates of size 0.1: 1e-13 and more room.
        assert!(
            apart(&times, &numbers(&expected["collision_times"])) < 1e-11,
            "{times:?}"
        );
        assert_eq!(pairs, numbers(&expected["pairs_left_index"]));
        assert!(apart(&v, &numbers(&expected["v_final"])) < 1e-12);
    }
}

/// Thirty bounces up to near the accumulation: no bounce is lost or found twice by rounding.
#[test]
fn bouncing_ball() {
    let reference = reference();
    let case = &reference["bouncing_ball"][0];
    let (g, e) = (number(&case["g"]), number(&case["eps"]));
    let (mut x, mut v, mut now) = (number(&case["h"]), number(&case["v0"]), 0.0);
    let wanted = numbers(&case["expected"]["bounce_times"]);
    for time in wanted {
        let wait = parabola(x, v, -g).unwrap();
        now += wait;
        x += (v - 0.5 * g * wait) * wait;
        v = -e * (v - g * wait);
        // Positions after a bounce are off by rounding, 1e-16 m at speeds down to 5 mm/s.
        assert!(x.abs() < 1e-15);
        assert!((now - time).abs() < 1e-12 * time, "{now} against {time}");
    }
}

/// A ball on a floor that moves in parabolic arcs (thesis eq. 3.19, second half-period from T/2).
#[test]
fn ball_on_a_vibrating_floor() {
    let reference = reference();
    let case = &reference["ball_on_vibrating_floor"][0];
    let [a, f, g, e] = ["A", "f", "g", "eps"].map(|key| number(&case[key]));
    let up = |value: f64| V2::new(0.0, value);
    let (mut now, mut x, mut v) = (0.0, number(&case["z0"]), number(&case["v0"]));
    let mut arc = 0_u32;
    for (j, bounce) in case["expected"].as_array().unwrap().iter().enumerate() {
        let w = loop {
            let sign = if arc.is_multiple_of(2) { 1.0 } else { -1.0 };
            let (start, end) = (f64::from(arc) / (2.0 * f), f64::from(arc + 1) / (2.0 * f));
            let since = now - start;
            let floor = Path::<Planar> {
                position: up(sign * (8.0 * a * f * since - 16.0 * a * f * f * since * since)),
                velocity: up(sign * (8.0 * a * f - 32.0 * a * f * f * since)),
                acceleration: up(sign * -32.0 * a * f * f),
            };
            let ball = Path::<Planar> {
                position: up(x),
                velocity: up(v),
                acceleration: up(-g),
            };
            let hit = sphere_plane(&ball, 0.0, &floor, V2::y()).filter(|t| now + t < end);
            let wait = hit.unwrap_or(end - now);
            (x, v) = (ball.position_at(wait).y, ball.velocity_at(wait).y);
            now += wait;
            if hit.is_some() {
                break floor.velocity_at(wait).y;
            }
            (now, arc) = (end, arc + 1);
        };
        // An error of the time of a bounce changes the wall's speed there, and so the time of the
        // next: by up to 2 (1 + e) 32 A f^2 / g, nearly 400 times.
        let growth = 2.0 * (1.0 + e) * 32.0 * a * f * f / g;
        let tolerance = 1e-15 * growth.powi(j as i32);
        let wanted = number(&bounce["t"]);
        assert!(
            (now - wanted).abs() < tolerance * wanted,
            "bounce {j}: {now} against {wanted}"
        );
        v = hard::sphere_plane::<Planar>(up(v), up(w), V2::y(), e).y;
        if tolerance > 1e-3 {
            break;
        }
    }
}

#[test]
fn overlaps_touch_at_once_only_when_they_approach() {
    assert_eq!(parabola(-1e-9, -1.0, 0.0), Some(0.0));
    assert_eq!(parabola(0.0, -1.0, 9.0), Some(0.0));
    assert_eq!(parabola(-1e-9, 1.0, 0.0), None);
    assert_eq!(parabola(0.0, 0.0, 0.0), None);
    assert_eq!(parabola(0.0, 0.0, 1.0), None);
    assert_eq!(parabola(0.0, 0.0, -1.0), Some(0.0));
    // A tangent touch from above is none.
    assert_eq!(parabola(0.5, -1.0, 1.0), None);
    // Just bounced: up and down again, not at once.
    assert_eq!(parabola(0.0, 1.0, -2.0), Some(1.0));
    assert!((parabola(-1e-16, 1.0, -2.0).unwrap() - 1.0).abs() < 1e-15);
    // Too deep to come apart: from the turn on it approaches.
    assert_eq!(parabola(-1.0, 1.0, -2.0), Some(0.5));
}

fn pair(x: V3, v: V3, a: V3) -> [Path<Spatial>; 2] {
    let still = Path {
        position: V3::new(0.3, -0.1, 0.2),
        velocity: V3::new(1.0, 0.0, -1.0),
        acceleration: V3::new(0.0, 0.0, -9.81),
    };
    let moving = Path {
        position: still.position + x,
        velocity: still.velocity + v,
        acceleration: still.acceleration + a,
    };
    [still, moving]
}

proptest! {
    #![proptest_config(crate::same_cases(256))]

    /// The quartic against a walk in steps of a thousandth: the first step that ends closer than
    /// the reach, having started farther, holds the contact.
    #[test]
    fn accelerated_spheres_meet_where_a_walk_finds_them(
        x in prop::array::uniform3(-2.0..2.0),
        v in prop::array::uniform3(-2.0..2.0),
        a in prop::array::uniform3(-2.0..2.0),
    ) {
        let [first, second] = pair(V3::from(x), V3::from(v), V3::from(a));
        let distance = |t: f64| (second.position_at(t) - first.position_at(t)).norm();
        let found = spheres(&first, &second, 0.5);
        prop_assume!(distance(0.0) > 0.5);
        let walk = (0..10_000).map(|k| f64::from(k) * 1e-3);
        let step = walk.clone().find(|&t| distance(t + 1e-3) < 0.5);
        if let Some(t) = step {
            let found = found.unwrap();
            prop_assert!(found <= t + 1e-3);
            // A dip of less than a step may lie before what the walk saw.
            prop_assert!(found >= t - 1e-12 || distance(found + 1e-7) < 0.5);
        }
        if let Some(t) = found {
            prop_assert!(t > 0.0 && t.is_finite());
            // 1e-15 of coordinates that grow to t^2.
            prop_assert!((distance(t) - 0.5).abs() < 1e-14 * (1.0 + t * t) * 10.0);
            let before = second.position_at(t) - first.position_at(t);
            let rate = before.dot(&(second.velocity_at(t) - first.velocity_at(t)));
            prop_assert!(rate < 0.0);
        }
    }

    /// With an acceleration that hardly differs the quartic gives the quadratic's time.
    #[test]
    fn quartic_tends_to_the_quadratic(
        x in prop::array::uniform3(-2.0..2.0),
        v in prop::array::uniform3(-2.0..2.0),
    ) {
        let [first, second] = pair(V3::from(x), V3::from(v), V3::zeros());
        let plain = spheres(&first, &second, 0.5);
        let [_, pulled] = pair(V3::from(x), V3::from(v), V3::new(1e-14, 0.0, 0.0));
        if let (Some(plain), Some(t)) = (plain, spheres(&first, &pulled, 0.5)) {
            // A graze amplifies the pull by the root of its depth.
            prop_assert!((plain - t).abs() < 1e-6 * (1.0 + plain));
        }
    }
}

#[test]
fn accelerated_spheres_in_special_places() {
    let contact = |x: V3, v: V3, a: V3| {
        let [first, second] = pair(x, v, a);
        spheres(&first, &second, 1.0)
    };
    let (x, zero) = (V3::x(), V3::zeros());
    // Closed form: 3 - t^2 / 2 = 1.
    assert!((contact(x * 3.0, zero, -x).unwrap() - 2.0).abs() < 1e-15);
    // Thrown away and drawn back: 2 + 2 t - t^2 / 2 = 1.
    assert!((contact(x * 2.0, x * 2.0, -x).unwrap() - (2.0 + 6_f64.sqrt())).abs() < 1e-14);
    assert_eq!(contact(x * 3.0, zero, x), None);
    assert_eq!(contact(x * 0.9, -x, x), Some(0.0));
    assert_eq!(contact(x * 0.9, x, x), None);
    // Overlapping and separating, but turned back before it is apart.
    assert!((contact(x * 0.5, x * 0.5, -x).unwrap() - 0.5).abs() < 1e-15);
    // A tangent touch: past at the distance 1 exactly, the pull being along the way.
    assert_eq!(contact(V3::new(-4.0, 1.0, 0.0), zero, x), None);
}

#[test]
fn calc_flight_takes_one_case_or_many() {
    let sphere = json!({"kind": "sphere", "position": [0.0, 1.0], "velocity": [0.0, 0.0],
        "acceleration": [0.0, -9.81], "radius": 0.1});
    let floor = json!({"kind": "plane", "position": [0.0, 0.0], "velocity": [0.0, 0.0],
        "acceleration": [0.0, 0.0], "normal": [0.0, 2.0]});
    let case = json!({ "bodies": [sphere, floor] });
    let swapped = json!({ "bodies": [floor, sphere] });
    let one = calc::flight(case.clone()).unwrap();
    assert!((one["time"].as_f64().unwrap() - (1.8_f64 / 9.81).sqrt()).abs() < 1e-15);
    assert_eq!(
        calc::flight(json!([case, swapped])).unwrap(),
        json!([one, one])
    );
    let message = |case: Value| calc::flight(case).unwrap_err().to_string();
    assert_eq!(
        message(json!({ "bodies": [floor, floor] })),
        "bodies: at least one of the two must be a sphere"
    );
    let mut flat = sphere.clone();
    flat["radius"] = json!(-1.0);
    assert_eq!(
        message(json!([{ "bodies": [sphere, floor] }, { "bodies": [flat, floor] }])),
        "case 2: bodies[0].radius: must be 0 or more and finite, not -1"
    );
    let mut long = floor.clone();
    long["normal"] = json!([0.0, 0.0, 1.0]);
    assert_eq!(
        message(json!({ "bodies": [sphere, long] })),
        "bodies[1].normal: has 3 numbers where the first position has 2; all vectors need 2, or all 3"
    );
    let mut named = sphere.clone();
    named["radios"] = json!(1.0);
    assert!(message(json!({ "bodies": [named, floor] })).contains("unknown field `radios`"));
}

/// Spheres that leave a floor that swings, a little faster than it: the gap grows, closes, and would open again some milliseconds later. What a
/// search finds is held against 4,000 samples of the gap. A search that takes a gap for open between two times at which it is open misses a
/// tenth of these contacts.
#[test]
fn contacts_with_a_floor_that_swings_are_not_stepped_over() {
    let (radius, amplitude, pull) = (5e-4, 2e-4, 9.81);
    let rate = 100.0 * std::f64::consts::PI;
    let mut setup: Setup<Spatial> = empty(linear(1e5, 0.0, 0.0, 0.0, 0.0), 1e-6, 1.0);
    floor(&mut setup).motion = Motion::Harmonic {
        amplitude: V3::new(0.0, 0.0, amplitude),
        frequency: 50.0,
        phase: 0.0,
    };
    let wall = Wall::new(&setup.boundaries[0], &[]).expect("a wall");
    let mut random = ChaCha8Rng::seed_from_u64(1);
    let mut met = 0;
    for _ in 0..2000 {
        let now = random.random_range(0.0..1e-3);
        let gap = libm::pow(10.0, random.random_range(-7.0..-6.0));
        let faster = random.random_range(0.0..4e-3);
        let length = random.random_range(2e-3..6e-3);
        let height = |t: f64| amplitude * libm::sin(rate * (now + t));
        let speed = amplitude * rate * libm::cos(rate * now) + faster;
        let above = |t: f64| height(0.0) + gap + (speed - 0.5 * pull * t) * t - height(t);
        let way = Way {
            path: Path {
                position: V3::new(0.0, 0.0, height(0.0) + gap + radius),
                velocity: V3::new(0.0, 0.0, speed),
                acceleration: V3::new(0.0, 0.0, -pull),
            },
            radius,
            now,
            length,
            least: 1e-9,
        };
        let closed = |k: u32| {
            let t = length * f64::from(k) / 4000.0;
            (above(t) < -1e-12).then_some(t)
        };
        let sampled = (1..=4000).find_map(closed);
        let open_until = match way.first_meeting(way.seen_from(&wall).as_ref(), &wall, 0) {
            Meeting::None => length,
            Meeting::NotBefore(t) => t,
            Meeting::In(t) => {
                met += 1;
                assert!(above(t).abs() < 1e-10, "{} at {t}", above(t));
                t
            }
        };
        if let Some(t) = sampled {
            assert!(open_until <= t, "closed at {t}, found {open_until}");
        }
    }
    assert!(met > 200, "{met}");
}
