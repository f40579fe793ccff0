//! One contact followed to its end, against references exact to 25 digits
//! (tests/data/softsphere_states.json, softsphere_mapping.json, thesis_links_and_tracks.json).

use arenite::collide::{calc, resolved};
use serde_json::{Value, json};

use crate::theory::soft_collisions::{linear, viscoelastic};
use crate::theory::times_of_contact::{apart, data, number, numbers};

fn states() -> Value {
    data(include_str!("../../data/softsphere_states.json"))
}

fn case(reference: &Value, model: &str) -> Value {
    let grains = [1, 2].map(|i| {
        json!({"mass": reference[format!("m{i}")], "radius": number(&reference["l"]) / 2.0,
            "position": reference[format!("p{i}")], "velocity": reference[format!("v{i}")]})
    });
    let expected = &reference["expected"];
    if model == "hard" {
        return json!({"model": model, "restitution": -number(&expected["eps_rdot"]), "grains": grains});
    }
    let law = if reference["law"] == "linear" {
        json!({"kind": "linear", "kn": reference["k"], "cn": reference["gamma"]})
    } else if number(&reference["A"]) == 0.0 {
        json!({"kind": "hertz", "kh": reference["kH"]})
    } else {
        json!({"kind": "viscoelastic", "kh": reference["kH"], "a": reference["A"]})
    };
    json!({"model": model, "law": law, "grains": grains})
}

/// Steps of error 1e-14 over some thousand steps: 1e-10 at worst is kept.
const TOLERANCE: f64 = 1e-10;

#[test]
fn states_after_contact() {
    let reference = states();
    let cases = reference["cases"].as_array().unwrap();
    assert_eq!(cases.len(), 10);
    for model in ["resolved", "soft"] {
        for reference in cases {
            let label = &reference["label"];
            let got = calc::collision(case(reference, model)).unwrap();
            let wanted = &reference["expected"];
            let close = |got: &Value, want: &Value, scale: f64| {
                let error = (number(got) - number(want)).abs() / scale;
                assert!(error < TOLERANCE, "{label}: {got} against {want}");
            };
            close(&got["duration"], &wanted["tau"], number(&wanted["tau"]));
            close(&got["eps_r"], &wanted["eps_r"], 1.0);
            close(&got["eps_phi"], &wanted["eps_phi"], 1.0);
            close(&got["eps_rdot"], &wanted["eps_rdot"], 1.0);
            let speed = apart(&numbers(&reference["v1"]), &numbers(&reference["v2"]));
            for i in [1, 2] {
                let grain = &got["grains"][i - 1];
                let x = apart(
                    &numbers(&grain["position"]),
                    &numbers(&wanted[format!("p{i}")]),
                );
                let v = apart(
                    &numbers(&grain["velocity"]),
                    &numbers(&wanted[format!("v{i}")]),
                );
                assert!(
                    x < TOLERANCE * number(&reference["l"]),
                    "{label}: position {i}: {x}"
                );
                assert!(v < TOLERANCE * speed, "{label}: velocity {i}: {v}");
            }
        }
    }
}

#[test]
fn hard_collisions_of_the_same_cases() {
    for reference in states()["cases"].as_array().unwrap() {
        let got = calc::collision(case(reference, "hard")).unwrap();
        let wanted = &reference["expected"];
        assert_eq!(got["duration"], 0.0);
        assert_eq!(got["tau"], 0.0);
        assert_eq!(got["eps_r"], 1.0);
        assert_eq!(got["eps_phi"], 0.0);
        assert_eq!(number(&got["eps_rdot"]), number(&wanted["eps_rdot"]));
        for i in [1, 2] {
            let grain = &got["grains"][i - 1];
            assert_eq!(grain["position"], reference[format!("p{i}")]);
            // A closed form of a few products.
            let v = apart(
                &numbers(&grain["velocity"]),
                &numbers(&wanted[format!("hs_v{i}")]),
            );
            assert!(v < 1e-13, "{}: {v}", reference["label"]);
        }
    }
}

#[test]
fn scaled_linear_mapping() {
    let reference = data(include_str!("../../data/softsphere_mapping.json"));
    let cases = reference["cases"].as_array().unwrap();
    assert_eq!(cases.len(), 14);
    for case in cases {
        let [l, c_phi, c_dis] = ["l", "c_phi", "c_dis"].map(|key| number(&case[key]));
        let got = calc::mapping(json!({"l": l, "c_phi": c_phi, "c_dis": c_dis})).unwrap();
        for (key, reference) in [
            ("eps_r", "eps_r"),
            ("eps_phi", "eps_phi"),
            ("eps_rdot", "eps_rdot"),
            ("tau", "eps_t_tau"),
        ] {
            let (got, want) = (number(&got[key]), number(&case[reference]));
            assert!(
                (got - want).abs() < TOLERANCE * want.abs().max(1.0),
                "{case}: {key} {got}"
            );
        }
    }
}

/// The hopper's own links, overdamped and not: restitution and duration in closed form.
#[test]
fn normal_impacts_of_the_hopper() {
    let reference = data(include_str!("../../data/thesis_links_and_tracks.json"));
    for link in reference["thesis_normal_impacts"].as_array().unwrap() {
        let law = linear(number(&link["K_normal"]), number(&link["C_normal"]));
        let mass = number(&link["m_eff"]);
        let got = resolved::collide(&law, mass, 0.02, 0.7, 0.0).unwrap();
        assert!((-got.eps_rdot - number(&link["restitution"])).abs() < TOLERANCE);
        let duration = got.tau * law.time_scale(mass, 0.7);
        let wanted = number(&link["contact_time"]);
        assert!(
            (duration - wanted).abs() < TOLERANCE * wanted,
            "{duration} against {wanted}"
        );
        let left = (1.0 - got.eps_r) * 0.02 / 0.7;
        assert!((left - number(&link["residual_overlap_per_unit_speed"])).abs() < 1e-12);
    }
}

/// Undamped contacts keep energy and reverse in time: the rate comes back as it went.
#[test]
fn undamped_contacts_are_elastic() {
    for tangential in [0.0, 0.3, 2.0] {
        let law = viscoelastic(1e7, 0.0);
        let got = resolved::collide(&law, 1e-3, 0.01, 0.5, tangential).unwrap();
        assert!((got.eps_r - 1.0).abs() < 1e-12);
        assert!((got.eps_rdot + 1.0).abs() < TOLERANCE);
        if tangential == 0.0 {
            // Twice the integral of dx / sqrt(1 - x^2.5) up to 1, times the greatest overlap
            // (5/4)^(2/5) (Hertz 1882; Landau and Lifshitz, Theory of Elasticity, 9).
            let gammas = libm::tgamma(1.4) / libm::tgamma(0.9);
            let exact = 2.0 * std::f64::consts::PI.sqrt() * gammas * libm::pow(1.25, 0.4);
            assert!((got.tau - exact).abs() < TOLERANCE * exact, "{}", got.tau);
        }
    }
}

#[test]
fn bad_collisions_say_why() {
    let reference = &states()["cases"][1];
    let message = |change: &dyn Fn(&mut Value)| {
        let mut case = case(reference, "resolved");
        change(&mut case);
        calc::collision(case).unwrap_err().to_string()
    };
    assert_eq!(
        message(&|case| case["grains"][1]["velocity"] = json!([9.0, 0.0, 0.0])),
        "grains: do not approach each other, so they do not collide"
    );
    assert_eq!(
        message(&|case| case["grains"][1]["mass"] = json!(0.0)),
        "grains[1].mass: must be greater than 0 and finite, not 0"
    );
    assert_eq!(
        message(&|case| case["law"] = Value::Null),
        "law: is missing; one of the kinds linear, hertz and viscoelastic is needed"
    );
    assert_eq!(
        message(&|case| case["restitution"] = json!(0.5)),
        "restitution: belongs to the model hard; soft and resolved take law"
    );
    assert!(
        message(&|case| case["law"]["kind"] = json!("herz")).contains("unknown variant `herz`")
    );
    assert!(
        message(&|case| case["grains"][0]["radius"] = json!(0.2))
            .starts_with("grains: must just touch")
    );
    assert_eq!(
        message(&|case| {
            case["law"]["kn"] = json!(1.0);
            case["grains"][1]["position"] = json!([0.2, 0.0, 0.0]);
        }),
        "the case: the law is too soft for this approach: the grains would pass through each other"
    );
}
