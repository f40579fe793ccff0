//! Loads the scenario that the arguments name.

use super::ScenarioArgs;
use super::failure::Failure;
use crate::scenario::{Override, Problem, Resolved, Scenario};
use crate::system::{Plan, System, SystemError};

/// Loads and resolves the scenario of the arguments.
pub(super) fn load(args: &ScenarioArgs) -> Result<(Scenario, Resolved), Failure> {
    let mut overrides = args.set.clone();
    if let Some(seed) = args.seed {
        overrides.push(Override::option("--seed", "seed", &seed.to_string()));
    }
    if let Some(time) = args.until {
        overrides.push(Override::option("--until", "run.end_time", &number(time)));
    }
    let scenario = Scenario::load(&args.scenario, &overrides)?;
    let resolved = scenario.resolve()?;
    Ok((scenario, resolved))
}

/// Formats a number for TOML.
fn number(value: f64) -> String {
    if value.is_nan() {
        "nan".into()
    } else if value.is_infinite() {
        if value > 0.0 {
            "inf".into()
        } else {
            "-inf".into()
        }
    } else {
        format!("{value:?}")
    }
}

/// Returns the driver's plan for the setup; a fault points to the step, which the plan depends on.
pub(super) fn plan<D: crate::cluster::integrate::Integrate>(
    scenario: &Scenario,
    setup: &crate::system::Setup<D>,
) -> Result<Plan, Failure> {
    System::plan(setup).map_err(|error| match error {
        SystemError::Setup(text) => {
            let place = crate::scenario::path::Place::of("run").key("step");
            scenario.locate(Problem::at(&place, text)).into()
        }
        other => other.into(),
    })
}
