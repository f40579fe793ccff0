//! Composition of a fill or a feed: one sort of grains, or several with their shares.

use rand::RngExt as _;
use rand_chacha::ChaCha8Rng;
use serde::{Deserialize, Serialize};

use super::RadiusLaw;
use crate::body::ShapeTemplate;
use crate::geometry::Dimension;

/// A sort of grains.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Component {
    /// Share of all grains, by number; the shares of a mixture are taken relative to their sum.
    pub share: f64,
    /// Material.
    pub material: u16,
    /// Density, kg/m^2 or kg/m^3.
    pub density: f64,
    /// ShapeTemplate; `None`: disks or spheres.
    pub form: Option<u16>,
    /// Radii; for a form, those of the circle or sphere around each grain.
    pub radius: RadiusLaw,
}

impl Component {
    /// Returns the mean mass of the component's grains, kg.
    pub fn mean_mass<D: Dimension>(&self, forms: &[ShapeTemplate<D>]) -> f64 {
        let measure = match self.form {
            Some(form) => forms[usize::from(form)].measure,
            None => D::ball_measure(1.0),
        };
        self.density * measure * self.radius.moment(D::N as u8)
    }
}

/// One component or more.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Mixture {
    components: Vec<Component>,
}

impl Mixture {
    /// Creates a mixture of disks or spheres of one material.
    pub fn one(material: u16, density: f64, radius: RadiusLaw) -> Self {
        Mixture {
            components: vec![Component {
                share: 1.0,
                material,
                density,
                form: None,
                radius,
            }],
        }
    }

    /// Creates a mixture of these components; `None` if there is none, or if shares are not over 0.
    pub fn new(components: Vec<Component>) -> Option<Self> {
        let sound = |c: &Component| c.share > 0.0 && c.share.is_finite();
        (!components.is_empty() && components.iter().all(sound)).then_some(Mixture { components })
    }

    /// Converts shares by mass to shares by number: those over the mean masses.
    pub fn shares_by_mass<D: Dimension>(mut self, forms: &[ShapeTemplate<D>]) -> Self {
        // In units of the greatest mass, so that no mass however small makes a share overflow.
        let masses: Vec<f64> = self
            .components
            .iter()
            .map(|component| component.mean_mass(forms))
            .collect();
        let greatest = masses.iter().copied().fold(0.0, f64::max);
        for (component, mass) in self.components.iter_mut().zip(masses) {
            component.share *= greatest / mass;
        }
        self
    }

    /// Returns the components.
    pub fn components(&self) -> &[Component] {
        &self.components
    }

    /// Returns the mean over all grains of a quantity, given its mean for each component.
    pub fn mean_over(&self, of: impl Fn(&Component) -> f64) -> f64 {
        let shares: f64 = self.components.iter().map(|sort| sort.share).sum();
        let part = |sort: &Component| sort.share / shares * of(sort);
        self.components.iter().map(part).sum()
    }

    /// Draws a sort and a radius, m. The sort of each grain is drawn independently: of n grains the number of a sort with
    /// share p is binomial, its standard deviation sqrt(n p (1 - p)). A single sort requires no draw.
    pub fn draw(&self, rng: &mut ChaCha8Rng) -> (&Component, f64) {
        let sort = match self.components.as_slice() {
            [only] => only,
            list => {
                let all: f64 = list.iter().map(|component| component.share).sum();
                let mut left = all * rng.random::<f64>();
                let found = list.iter().find(|component| {
                    left -= component.share;
                    left < 0.0
                });
                // Rounding may leave a remainder after the last.
                found.unwrap_or(&list[list.len() - 1])
            }
        };
        (sort, sort.radius.draw(rng))
    }

    /// Returns the least radius, m.
    pub fn least(&self) -> f64 {
        let all = self.components.iter().map(|c| c.radius.least());
        all.fold(f64::INFINITY, f64::min)
    }

    /// Returns the greatest radius, m.
    pub fn greatest(&self) -> f64 {
        let all = self.components.iter().map(|c| c.radius.greatest());
        all.fold(0.0, f64::max)
    }

    /// Returns the mean radius by number, m.
    pub fn mean(&self) -> f64 {
        let part = |c: &Component| c.share * c.radius.mean();
        let all: f64 = self.components.iter().map(|c| c.share).sum();
        self.components.iter().map(part).sum::<f64>() / all
    }
}
