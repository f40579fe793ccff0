//! The analytical grinding model: mean masses in continuous time (thesis eqs. 3.24 to 3.28).

use super::chain::Chain;
use super::{StudyError, check_probabilities};
use crate::study::error::{check, positive};

/// Mean masses of the baskets: dX_i/dt = rate (p_(i-1) X_(i-1) - p_i X_i), with (3.27) corrected.
#[derive(Clone, Debug, PartialEq)]
pub struct Analytical {
    rate: f64,
    probabilities: Vec<f64>,
}

impl Analytical {
    /// Returns the model for a collision rate (1/s) and the probabilities p_0 to p_k, the last of them 0.
    pub fn new(rate: f64, probabilities: Vec<f64>) -> Result<Self, StudyError> {
        positive("the rate of collisions", rate)?;
        check_probabilities(&probabilities)?;
        Ok(Analytical {
            rate,
            probabilities,
        })
    }

    /// Returns the masses (kg) in all baskets at a time (s), for a mass in the first one at time 0.
    ///
    /// Every mass is accurate (relative error some 1e-13, plus that of rate and time in exp(-rate p time)), and the
    /// sum is the mass to rounding.
    pub fn masses(&self, mass: f64, time: f64) -> Result<Vec<f64>, StudyError> {
        positive("the mass", mass)?;
        check("the time", time, "0 or more and finite", |t| t >= 0.0)?;
        let decay: Vec<f64> = self
            .probabilities
            .iter()
            .map(|p| self.rate * p * time)
            .collect();
        if let Some(&value) = decay.iter().find(|d| !d.is_finite()) {
            let (what, must) = ("rate times probability times time", "finite");
            return Err(StudyError::Range { what, value, must });
        }
        let chain = Chain::continuous(&decay);
        let mut masses: Vec<f64> = (0..decay.len()).map(|to| mass * chain.get(to, 0)).collect();
        close(&mut masses, mass);
        Ok(masses)
    }
}

/// Adds the rounding residual to the greatest mass, to which it makes no difference.
fn close(masses: &mut [f64], whole: f64) {
    let greatest = (0..masses.len())
        .max_by(|&a, &b| masses[a].total_cmp(&masses[b]))
        .unwrap_or(0);
    let others: f64 = masses
        .iter()
        .enumerate()
        .filter(|(i, _)| *i != greatest)
        .map(|(_, m)| m)
        .sum();
    if let Some(mass) = masses.get_mut(greatest) {
        *mass = whole - others;
    }
}
