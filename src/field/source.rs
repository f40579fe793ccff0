//! What acts from afar: charges and moments of grains.

use serde::{Deserialize, Serialize};

use crate::geometry::{Dimension, Vector, dot};

/// Charge and moments of one grain, at its centre. The plane is the plane z = 0 of space.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Source {
    /// Electric charge, C.
    pub charge: f64,
    /// Electric dipole moment, C m.
    pub electric: [f64; 3],
    /// Magnetic dipole moment, A m^2.
    pub magnetic: [f64; 3],
}

/// What grains of a material carry per mass. Moments are fixed in the grain, in the frame in which its
/// shape is given.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct SourceDensity {
    /// Charge, C/kg.
    pub charge: f64,
    /// Electric dipole moment, C m/kg.
    pub electric: [f64; 3],
    /// Magnetic dipole moment, A m^2/kg.
    pub magnetic: [f64; 3],
}

impl SourceDensity {
    /// Whether there is nothing.
    pub fn is_none(&self) -> bool {
        *self == SourceDensity::default()
    }

    /// Whether there is a moment.
    pub fn has_moment(&self) -> bool {
        self.electric != [0.0; 3] || self.magnetic != [0.0; 3]
    }

    /// That of a grain of a mass (kg) and an orientation; `axes` leads from the frame of the principal axes
    /// to the one as given.
    pub fn of<D: Dimension>(
        &self,
        mass: f64,
        rotation: D::Rotation,
        axes: Option<D::Rotation>,
    ) -> Source {
        let turned = |moment: [f64; 3]| {
            if moment == [0.0; 3] {
                return moment;
            }
            let given = D::Vector::from_fn(|k| moment[k] * mass);
            let own = axes.map_or(given, |axes| D::unrotate(axes, given));
            let there = D::rotate(rotation, own);
            // What stands on the plane does not turn with the grain.
            std::array::from_fn(|k| if k < D::N { there[k] } else { moment[k] * mass })
        };
        Source {
            charge: self.charge * mass,
            electric: turned(self.electric),
            magnetic: turned(self.magnetic),
        }
    }
}

/// Which of all that may be carried is carried by somebody.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Carried {
    /// Charges.
    pub charges: bool,
    /// Electric dipoles.
    pub electric: bool,
    /// Magnetic dipoles.
    pub magnetic: bool,
}

impl Carried {
    /// By materials of such densities.
    pub fn of<'a>(sources: impl Iterator<Item = &'a SourceDensity>) -> Self {
        let mut carried = Carried::default();
        for source in sources {
            carried.charges |= source.charge != 0.0;
            carried.electric |= source.electric != [0.0; 3];
            carried.magnetic |= source.magnetic != [0.0; 3];
        }
        carried
    }
}

/// What grains carry, and the forces between them.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct LongRangeSetup {
    /// Constant of gravitation between grains, N m^2/kg^2; 0 for none.
    pub gravitation: f64,
    /// By material; those beyond the end of the list carry nothing.
    pub sources: Vec<SourceDensity>,
}

impl LongRangeSetup {
    /// Whether there is nothing of all that.
    pub fn is_none(&self) -> bool {
        self.gravitation == 0.0 && self.carried() == Carried::default()
    }

    /// What is carried.
    pub fn carried(&self) -> Carried {
        Carried::of(self.sources.iter())
    }

    /// Whether a material has a moment, so that orientations matter.
    pub fn has_moments(&self) -> bool {
        self.sources.iter().any(SourceDensity::has_moment)
    }

    /// What grains of a material carry.
    pub fn source(&self, material: u16) -> SourceDensity {
        let density = self.sources.get(usize::from(material));
        density.copied().unwrap_or_default()
    }
}

/// Length of a vector in space.
pub(super) fn size(v: [f64; 3]) -> f64 {
    dot(v, v).sqrt()
}
