//! `arenite calc grinding`: masses of the baskets over time.

use serde::Deserialize;
use serde_json::{Value, json};

use super::{Analytical, Mill, Statistical};
use crate::cases::{CalcError, each, not_negative, parse, positive, wrong};

#[derive(Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Model {
    #[default]
    Analytical,
    Statistical,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct GrindingCase {
    rate: f64,
    probabilities: Option<Vec<f64>>,
    mill: Option<Mill>,
    mass: f64,
    times: Vec<f64>,
    #[serde(default)]
    model: Model,
    particles: Option<u64>,
    seed: Option<u64>,
}

/// `{"rate": 1/s, "probabilities": [p0..pk] | "mill": {...}, "mass": kg, "times": [s]}` gives
/// `{"mass": [[X0..Xk] for each time]}`; with `"model": "statistical"` and `"particles"` (and
/// `"seed"`) those of one sample.
pub fn calc(input: Value) -> Result<Value, CalcError> {
    each(input, |case| one(parse(case)?))
}

fn one(case: GrindingCase) -> Result<Value, CalcError> {
    positive(case.rate, "rate")?;
    positive(case.mass, "mass")?;
    for (i, time) in case.times.iter().enumerate() {
        not_negative(*time, &format!("times[{i}]"))?;
    }
    let (probabilities, place) = match (case.probabilities, case.mill) {
        (Some(probabilities), None) => (probabilities, "probabilities"),
        (None, Some(mill)) => {
            let found = mill.probabilities();
            let found = found.map_err(|error| wrong("mill", error.to_string()))?;
            (found, "mill")
        }
        (Some(_), Some(_)) => {
            let message = "cannot stand beside probabilities; give one of the two";
            return Err(wrong("mill", message));
        }
        (None, None) => {
            return Err(wrong(
                "probabilities",
                "is missing; give it, or mill, from which it follows",
            ));
        }
    };
    let at = |error: crate::study::StudyError| wrong(place, error.to_string());
    if case.model == Model::Analytical {
        for (key, given) in [
            ("particles", case.particles.is_some()),
            ("seed", case.seed.is_some()),
        ] {
            if given {
                return Err(wrong(key, "belongs to the model statistical"));
            }
        }
        let model = Analytical::new(case.rate, probabilities).map_err(at)?;
        let masses: Result<Vec<_>, _> = case
            .times
            .iter()
            .map(|time| model.masses(case.mass, *time))
            .collect();
        return Ok(json!({ "mass": masses.map_err(|error| wrong("times", error.to_string()))? }));
    }
    let particles = case.particles.filter(|n| *n > 0).ok_or_else(|| {
        let message = "must be given and above 0: how many the statistical model begins with";
        wrong("particles", message)
    })?;
    sample(&case.times, case.rate, case.mass, || {
        Statistical::new(probabilities, particles, case.seed.unwrap_or(1)).map_err(at)
    })
}

/// Returns one sample at ascending times.
fn sample(
    times: &[f64],
    rate: f64,
    mass: f64,
    model: impl FnOnce() -> Result<Statistical, CalcError>,
) -> Result<Value, CalcError> {
    let mut model = model()?;
    let (mut now, mut rows) = (0.0, Vec::with_capacity(times.len()));
    for (i, &time) in times.iter().enumerate() {
        let place = format!("times[{i}]");
        if time < now {
            return Err(wrong(&place, "must not be before the one ahead of it"));
        }
        let collisions = rate * (time - now);
        if collisions > 9e15 {
            return Err(wrong(
                &place,
                format!(
                    "asks for {collisions:e} collisions; the statistical model takes at most 9e15"
                ),
            ));
        }
        model.pass(collisions);
        now = time;
        rows.push(model.masses(mass));
    }
    Ok(json!({ "mass": rows }))
}
