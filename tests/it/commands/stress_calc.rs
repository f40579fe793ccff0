//! `arenite calc stress`: forms, names, errors.

use arenite::stress::calc;
use serde_json::{Value, json};

/// A disk on two posts 60 degrees apart, the first reference assembly.
fn groove(method: &str) -> Value {
    json!({
        "dof": "translational", "method": method, "slides": false, "tension": "keep",
        "nodes": [
            {"id": "A", "position": [0.0, 0.0], "radius": 0.01, "fixed": false, "load": [0.0, -3.6632]},
            {"id": "G1", "position": [-0.008660254037844387, -0.005], "fixed": true},
            {"id": 7, "position": [0.008660254037844387, -0.005], "fixed": true},
        ],
        "links": [
            {"a": "G1", "b": "A", "kn": 1.5e6, "kt": 1.5e5, "friction": 0.3},
            {"a": "A", "b": 7, "kn": 1.5e6, "kt": 1.5e5, "friction": 0.3},
        ],
    })
}

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap()
}

/// Exact by symmetry: the weight sinks by F / (2 (kn sin^2 + kt cos^2)), with 30 degrees.
#[test]
fn a_groove_holds_a_disk() {
    for method in ["rima", "cg", "factor", "auto"] {
        let result = calc(groove(method)).unwrap();
        let stiffness = 2.0 * (1.5e6 * 0.25 + 1.5e5 * 0.75);
        let sunk = number(&result["displacements"][0]["u"][1]);
        // The iteration stops at a residual of 1e-12.
        assert!(
            (sunk * stiffness / -3.6632 - 1.0).abs() < 1e-11,
            "{method}: {sunk}"
        );
        let first = &result["links"][0];
        assert!((number(&first["normal"]) - 2.817846153846154).abs() < 1e-11);
        assert!((number(&first["tangential"]) - 0.48806527063740857).abs() < 1e-11);
        let second = &result["links"][1];
        assert!((number(&second["tangential"]) + 0.48806527063740857).abs() < 1e-11);
        assert_eq!(second["b"], 7);
        assert_eq!(
            result["displacements"][2],
            json!({"id": 7, "u": [0.0, 0.0]})
        );
        assert_eq!(
            (&result["stable"], &result["iterations"]),
            (&json!(true), &json!(1))
        );
    }
}

/// With what the links carry already given, a load is an increment: the weight halved takes half of
/// the stresses away.
#[test]
fn prestress_is_added() {
    let mut case = groove("factor");
    case["nodes"][0]["load"] = json!([0.0, 3.6632 / 2.0]);
    case["links"][0]["prestress"] = json!([2.817846153846154, 0.48806527063740857]);
    case["links"][1]["prestress"] = json!([2.817846153846154, -0.48806527063740857]);
    let result = calc(case).unwrap();
    for (link, sign) in [(0, 1.0), (1, -1.0)] {
        let link = &result["links"][link];
        assert!((number(&link["normal"]) - 2.817846153846154 / 2.0).abs() < 1e-11);
        let half = sign * 0.48806527063740857 / 2.0;
        assert!((number(&link["tangential"]) - half).abs() < 1e-11);
    }
}

/// Full freedom as the contract has it: r_a rotation_a + r_b rotation_b counts in the tangential
/// difference. A disk that touches the floor and gets a moment turns about the contact: the
/// tangential force is nothing, since a single contact balances no moment; it rolls. A wall at its
/// side holds it: f (floor) and g (wall) with f + g = M / r and each balanced by the other link.
#[test]
fn full_freedom_balances_moments() {
    let case = json!({
        "dof": "full", "method": "factor",
        "nodes": [
            {"id": 1, "position": [0.0, 0.0], "radius": 0.5, "load": [0.0, 0.0, 3.0]},
            {"id": 2, "position": [0.0, -0.5], "fixed": true},
            {"id": 3, "position": [0.5, 0.0], "fixed": true},
        ],
        "links": [
            {"a": 1, "b": 2, "kn": 1e5, "kt": 1e5},
            {"a": 1, "b": 3, "kn": 1e5, "kt": 1e5},
        ],
    });
    let result = calc(case).unwrap();
    let u: Vec<f64> = serde_json::from_value(result["displacements"][0]["u"].clone()).unwrap();
    let [x, y, turn] = u[..] else { panic!() };
    // Link to the floor: normal (0, -1), across (1, 0); to the wall: normal (1, 0), across (0, 1).
    let forces = [-y, x + 0.5 * turn, x, y + 0.5 * turn].map(|v| 1e5 * v);
    for (link, pair) in [(0, &forces[..2]), (1, &forces[2..])] {
        assert!((number(&result["links"][link]["normal"]) - pair[0]).abs() < 1e-9);
        assert!((number(&result["links"][link]["tangential"]) - pair[1]).abs() < 1e-9);
    }
    assert!((0.5 * (forces[1] + forces[3]) - 3.0).abs() < 1e-9);
    // Balance along both axes.
    assert!((forces[1] + forces[2]).abs() < 1e-9 && (forces[3] - forces[0]).abs() < 1e-9);
}

/// In space what acts across a link is a vector, and a sphere pushed sideways on a floor feels all
/// of the push there.
#[test]
fn in_space_tangential_is_a_vector() {
    let case = json!({
        "dof": "translational", "method": "cg",
        "nodes": [
            {"id": 1, "position": [0, 0, 1], "radius": 1, "load": [0.5, -0.25, -2]},
            {"id": 0, "position": [0, 0, 0], "fixed": true},
        ],
        "links": [{"a": 1, "b": 0, "kn": 1e5, "kt": 1e4, "prestress": [1.0, [0.0, 1.0, 0.0]]}],
    });
    let link = &calc(case).unwrap()["links"][0];
    assert!((number(&link["normal"]) - 3.0).abs() < 1e-10);
    for (k, want) in [0.5, 0.75, 0.0].into_iter().enumerate() {
        assert!((number(&link["tangential"][k]) - want).abs() < 1e-10);
    }
}

/// What is wrong is told with the key, the value and the names of nodes.
#[test]
fn nonsense_is_refused_by_name() {
    let change = |path: &str, value: Value| {
        let mut case = groove("factor");
        *case.pointer_mut(path).unwrap() = value;
        calc(case).unwrap_err().to_string()
    };
    let says = |error: String, words: &[&str]| {
        for word in words {
            assert!(error.contains(word), "`{word}` is missing in: {error}");
        }
    };
    says(change("/links/1/b", json!("X")), &["links[1].b", "`X`"]);
    says(
        change("/nodes/1/id", json!("A")),
        &["nodes[1].id", "nodes[0]"],
    );
    says(change("/links/0/b", json!("G1")), &["links[0]", "itself"]);
    says(
        change("/nodes/1/position", json!([0.0, 0.0])),
        &["coincide", "`G1`", "`A`"],
    );
    says(change("/links/0/kn", json!(-1.0)), &["links[0].kn", "-1"]);
    says(
        change("/links/0/kn", json!(0.0)),
        &["links[0].kn", "greater than 0"],
    );
    says(change("/links/0/kt", json!(-1.0)), &["links[0].kt", "-1"]);
    says(
        change("/links/0/friction", json!(-1.0)),
        &["links[0].friction"],
    );
    says(change("/nodes/0/radius", json!(-1.0)), &["nodes[0].radius"]);
    says(
        change("/nodes/0/load", json!([1.0])),
        &["nodes[0].load", "1 numbers"],
    );
    says(
        change("/nodes/0/load", json!([1.0, 0.0, 1.0])),
        &["moment", "full"],
    );
    says(
        change("/nodes/0/load", json!([1.0, null])),
        &["nodes[0].load"],
    );
    says(
        change("/nodes/2/position", json!([1.0, 0.0, 0.0])),
        &["nodes[2].position", "3"],
    );
    says(
        change("/nodes/0/position", json!([1.0])),
        &["nodes[0].position", "1 numbers"],
    );
    says(change("/nodes", json!([])), &["nodes", "empty"]);
    says(change("/method", json!("lu")), &["method", "lu", "factor"]);
    says(change("/dof", json!("some")), &["dof", "translational"]);
    says(change("/nodes/0/id", json!(1.5)), &["nodes[0].id"]);
    for method in ["rima", "factor", "cg"] {
        let with = |change: &dyn Fn(&mut Value)| {
            let mut case = groove(method);
            change(&mut case);
            calc(case).unwrap_err().to_string()
        };
        // Nothing is fixed; one disk has no link; a bar alone holds one direction only.
        says(
            with(&|case| {
                for node in [1, 2] {
                    case["nodes"][node]["fixed"] = json!(false);
                }
            }),
            &["`A`, `G1`, 7", "fixed"],
        );
        says(
            with(&|case| {
                let nodes = case["nodes"].as_array_mut().unwrap();
                nodes.push(json!({"id": "far", "position": [9.0, 9.0]}));
            }),
            &["`far`", "fixed"],
        );
        says(
            with(&|case| {
                case["links"].as_array_mut().unwrap().pop();
                case["links"][0]["kt"] = json!(0.0);
            }),
            &["`A`", "singular"],
        );
    }
    let mut unknown = groove("cg");
    unknown["link"] = json!([]);
    says(calc(unknown).unwrap_err().to_string(), &["unknown field"]);
    let error = calc(json!([groove("cg"), {"dof": "full"}])).unwrap_err();
    says(error.to_string(), &["case 2", "nodes"]);
}

/// Stiffnesses (N/m) and friction of the floor under a pushed disk.
const KN: f64 = 1e6;
const KT: f64 = 1e5;
const MU: f64 = 0.3;

/// A disk of a weight (N) pushed (N) along a floor towards a post that has no friction.
fn pushed(method: &str, push: f64, weight: f64) -> Value {
    json!({
        "dof": "translational", "method": method, "slides": true, "tension": "break",
        "nodes": [
            {"id": 1, "position": [0.0, 0.01], "radius": 0.01, "load": [push, -weight]},
            {"id": "floor", "position": [0.0, 0.0], "fixed": true},
            {"id": "post", "position": [0.01, 0.01], "fixed": true},
        ],
        "links": [
            {"a": 1, "b": "floor", "kn": KN, "kt": KT, "friction": MU},
            {"a": 1, "b": "post", "kn": KN, "kt": 0.0, "friction": 0.0},
        ],
    })
}

/// Friction holds a disk pushed along a floor, since a post takes most of the push.
#[test]
fn friction_holds_what_it_can() {
    let (weight, push) = (10.0, 8.0);
    for method in ["rima", "cg", "factor", "auto"] {
        let result = calc(pushed(method, push, weight)).unwrap();
        assert_eq!(result["stable"], true, "{method}");
        // Before the slide the floor would take push kt / (kn + kt) = 0.73 N: less than 3 N.
        let floor = &result["links"][0];
        assert!((number(&floor["normal"]) - weight).abs() < 1e-9);
        assert!((number(&floor["tangential"]).abs() - push * KT / (KN + KT)).abs() < 1e-9);
        assert_eq!(number(&floor["slip"]), 0.0);
    }
}

/// Under a tenth of that weight the same push passes Coulomb's bound: the floor keeps mu N, the
/// post takes the rest, and the slide is what the springs say.
#[test]
fn what_friction_cannot_hold_slides() {
    let (weight, push) = (1.0, 8.0);
    for method in ["rima", "cg", "factor", "auto"] {
        let result = calc(pushed(method, push, weight)).unwrap();
        assert_eq!((&result["stable"], method), (&json!(true), method));
        let [floor, post] = [&result["links"][0], &result["links"][1]];
        // The iteration stops within 1e-10 of the greatest load.
        let near = |value: f64, want: f64| assert!((value - want).abs() < 1e-8, "{value} {want}");
        near(number(&floor["tangential"]).abs(), MU * weight);
        near(number(&post["normal"]), push - MU * weight);
        let moved = (push - MU * weight) / KN;
        let slide = moved - MU * weight / KT;
        assert!((number(&floor["slip"]).abs() / slide - 1.0).abs() < 1e-6);
        assert!(number(&result["dissipated"]) > 0.0);
        assert!(number(&result["iterations"]) > 1.0);
    }
}

/// A link that would pull lets go; what then hangs on nothing is told by `stable`.
#[test]
fn links_in_tension_break() {
    let case = |tension: &str| {
        json!({
            "dof": "translational", "method": "factor", "slides": false, "tension": tension,
            "nodes": [
                {"id": 1, "position": [0.0, 0.01], "radius": 0.01, "load": [0.0, 1.0]},
                {"id": "floor", "position": [0.0, 0.0], "fixed": true},
            ],
            "links": [{"a": 1, "b": "floor", "kn": 1e6, "kt": 1e5, "friction": 0.3}],
        })
    };
    let kept = calc(case("keep")).unwrap();
    assert!((number(&kept["links"][0]["normal"]) + 1.0).abs() < 1e-12);
    assert_eq!(kept["stable"], true);
    let broken = calc(case("break")).unwrap();
    assert_eq!(broken["stable"], false);
}
