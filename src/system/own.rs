//! Laws and fields of the calling program in a setup. Saved states contain only their names, so that a run that resumes must be given them again.

use super::{Setup, SystemError};
use crate::contact::ContactLaw;
use crate::geometry::Dimension;

/// Returns the names of all laws and fields of the calling program in a setup, with the materials of the laws.
pub(super) fn names<D: Dimension>(setup: &Setup<D>) -> Vec<String> {
    let matter = &setup.matter;
    let mut names = Vec::new();
    for (k, law) in matter.laws.laws.iter().enumerate() {
        let [a, b] = [k / matter.laws.materials, k % matter.laws.materials];
        if let (Some(ContactLaw::Own(law)), true) = (law, a <= b) {
            let [a, b] = [a, b].map(|k| &matter.materials[k]);
            names.push(format!("the law `{}` between `{a}` and `{b}`", law.name()));
        }
    }
    let fields = setup.fields.place.own.iter();
    names.extend(fields.map(|field| format!("the field `{}`", field.0.name())));
    names
}

/// Checks that a setup has the laws and fields of the calling program that a saved run had.
///
/// # Errors
/// The setup lacks one of them, or has another.
pub(super) fn check<D: Dimension>(setup: &Setup<D>, saved: &[String]) -> Result<(), SystemError> {
    let given = names(setup);
    if given == saved {
        return Ok(());
    }
    let list = |names: &[String]| match names {
        [] => "none".to_owned(),
        names => names.join(", "),
    };
    Err(SystemError::Saved(format!(
        "of laws and fields of the program the saved run had {}, this one has {}",
        list(saved),
        list(&given)
    )))
}
