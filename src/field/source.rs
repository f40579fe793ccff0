//! Charges and moments of grains, the sources of long-range forces.

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

/// Charge and moments per mass of a material. Moments are fixed in the grain, in the frame in which its shape is
/// given.
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
    /// Whether there is neither charge nor moment.
    pub fn is_none(&self) -> bool {
        *self == SourceDensity::default()
    }

    /// Whether there is a moment.
    pub fn has_moment(&self) -> bool {
        self.electric != [0.0; 3] || self.magnetic != [0.0; 3]
    }

    /// Returns charge and moments of a grain of a mass (kg) and an orientation; `axes` rotates from the frame of the
    /// principal axes to the given one.
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
            // A moment normal to the plane does not turn with the grain.
            std::array::from_fn(|k| if k < D::N { there[k] } else { moment[k] * mass })
        };
        Source {
            charge: self.charge * mass,
            electric: turned(self.electric),
            magnetic: turned(self.magnetic),
        }
    }
}

/// Which kinds of charge and moment any grain has.
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
    /// Returns the kinds that occur in these materials.
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

/// Charges and moments of grains, and the gravitation between them.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct LongRangeSetup {
    /// Gravitational constant between grains, N m^2/kg^2; 0 for none.
    pub gravitation: f64,
    /// Charges and moments by material; materials beyond the end of the list have none.
    pub sources: Vec<SourceDensity>,
}

impl LongRangeSetup {
    /// Whether there are no long-range forces.
    pub fn is_none(&self) -> bool {
        self.gravitation == 0.0 && self.carried() == Carried::default()
    }

    /// Returns the kinds of charge and moment that occur.
    pub fn carried(&self) -> Carried {
        Carried::of(self.sources.iter())
    }

    /// Whether a material has a moment, so that orientations matter.
    pub fn has_moments(&self) -> bool {
        self.sources.iter().any(SourceDensity::has_moment)
    }

    /// Returns charge and moments per mass of a material.
    pub fn source(&self, material: u16) -> SourceDensity {
        let density = self.sources.get(usize::from(material));
        density.copied().unwrap_or_default()
    }
}

/// Length of a vector in space.
pub(super) fn size(v: [f64; 3]) -> f64 {
    dot(v, v).sqrt()
}
