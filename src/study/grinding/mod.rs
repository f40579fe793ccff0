//! Grinding in a ball mill by colliding balls (thesis 3.6.2, 3.6.3).
//!
//! Particles are sorted into baskets of equal size, each of half the volume of the one before. At every collision of
//! balls each particle of basket i is caught with probability p_i and breaks into two of the next basket; those of
//! the last are not ground further. [`Analytical`] gives the mean masses in continuous time, [`Statistical`] a sample
//! with whole particles, [`Mill`] the probabilities of a vessel with balls.

mod analytical;
mod binomial;
mod calc;
mod chain;
mod mill;
mod statistical;

pub use analytical::Analytical;
#[doc(hidden)]
pub use calc::calc;
pub use mill::Mill;
pub use statistical::Statistical;

use super::StudyError;
use super::error::check;

/// Checks that the probabilities p_0 to p_k are between 0 and 1, at least one, and the last is 0.
fn check_probabilities(probabilities: &[f64]) -> Result<(), StudyError> {
    let Some((&last, others)) = probabilities.split_last() else {
        return Err(StudyError::TooFew {
            what: "probabilities",
            have: 0,
            need: 1,
        });
    };
    for &p in others {
        check("a probability of grinding", p, "from 0 to 1", |p| {
            (0.0..=1.0).contains(&p)
        })?;
    }
    let must = "0: particles of the last basket are not ground";
    check("the last probability", last, must, |p| p == 0.0)?;
    Ok(())
}
