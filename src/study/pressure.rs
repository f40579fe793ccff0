//! Loads on walls and bottom: pressure in layers, fractions of the weight.
//!
//! The pressure of a layer is the sum of the normal forces on the walls within it over their area;
//! the thesis takes layers of ten mean radii (4.7.3).

use serde::Serialize;

use super::ensemble::{Spread, spread};
use super::error::{StudyError, check, enough, finite, positive};
use super::janssen_fit::WallPressure;
use crate::geometry::{Dimension, Vector};

/// Mean radii in the height of a layer (thesis 4.7.3).
pub const LAYER_RADII: f64 = 10.0;

/// Kind of a boundary of the filling.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Part {
    /// A vertical wall.
    Wall,
    /// The bottom, whatever its slope.
    Floor,
}

/// A contact force on a boundary.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BoundaryForce<D: Dimension> {
    /// Kind of the boundary.
    pub part: Part,
    /// Point of contact, m.
    pub point: D::Vector,
    /// Unit vector out of the grains, into the boundary.
    pub normal: D::Vector,
    /// Force on the boundary, N.
    pub force: D::Vector,
}

/// Reference from which layers are counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Origin {
    /// From the bottom, as in the thesis; the layer at the surface may be thinner than the others.
    Floor,
    /// From the surface, as depth in Janssen's theory; the layer at the bottom may be thinner.
    Surface,
}

/// Geometry of a filled silo and of its layers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Layering<D: Dimension> {
    /// Unit vector upwards.
    pub up: D::Vector,
    /// Height of the bottom along `up`, m.
    pub floor: f64,
    /// Height of the surface along `up`, m.
    pub surface: f64,
    /// Wall area per height: in the plane the number of walls, in space the perimeter, m.
    pub girth: f64,
    /// Height of a layer, m.
    pub layer: f64,
    /// Reference from which layers are counted.
    pub origin: Origin,
}

/// The walls in one layer.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Layer {
    /// Lower end above the bottom, m.
    pub low: f64,
    /// Upper end above the bottom, m.
    pub high: f64,
    /// Depth of the upper end below the surface, m.
    pub top: f64,
    /// Depth of the lower end below the surface, m.
    pub bottom: f64,
    /// Normal force over area: Pa, in the plane N/m.
    pub pressure: f64,
    /// Downward friction on the wall over area: Pa, in the plane N/m.
    pub shear: f64,
    /// Number of contacts.
    pub contacts: usize,
}

/// Returns the wall pressure in layers from the forces of one filling; layers in the order of `origin`.
///
/// A contact beyond the ends, for instance of a grain that protrudes from the surface, counts in the layer at that
/// end, so that no force is lost.
pub fn wall_pressure<D: Dimension>(
    forces: &[BoundaryForce<D>],
    layering: &Layering<D>,
) -> Result<Vec<Layer>, StudyError> {
    let height = positive("height of the filling", layering.surface - layering.floor)?;
    let step = positive("height of a layer", layering.layer)?;
    let girth = positive("wall area per height", layering.girth)?;
    check("number of layers", height / step, "at most 1e6", |n| {
        n <= 1e6
    })?;
    // A remainder of the size of rounding errors is no layer of its own.
    let count = ((height / step - 1e-9).ceil() as usize).max(1);
    let mut layers: Vec<Layer> = (0..count)
        .map(|k| {
            let near = step * k as f64;
            let far = if k + 1 == count {
                height
            } else {
                step * (k + 1) as f64
            };
            let (low, high) = match layering.origin {
                Origin::Floor => (near, far),
                Origin::Surface => (height - far, height - near),
            };
            Layer {
                low,
                high,
                top: height - high,
                bottom: height - low,
                pressure: 0.0,
                shear: 0.0,
                contacts: 0,
            }
        })
        .collect();
    for contact in forces.iter().filter(|c| c.part == Part::Wall) {
        let at = contact.point.dot(&layering.up) - layering.floor;
        let normal = contact.force.dot(&contact.normal);
        let across = contact.force - contact.normal * normal;
        let down = -across.dot(&layering.up);
        finite("wall force or its place", &[at, normal, down])?;
        let from = match layering.origin {
            Origin::Floor => at,
            Origin::Surface => height - at,
        };
        let layer = &mut layers[((from / step).max(0.0) as usize).min(count - 1)];
        let area = girth * (layer.high - layer.low);
        layer.pressure += normal / area;
        layer.shear += down / area;
        layer.contacts += 1;
    }
    Ok(layers)
}

/// A layer averaged over several fillings.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct LayerMean {
    /// Mean lower end above the bottom, m.
    pub low: f64,
    /// Mean upper end above the bottom, m.
    pub high: f64,
    /// Mean depth of the upper end, m.
    pub top: f64,
    /// Mean depth of the lower end, m.
    pub bottom: f64,
    /// Pressure: mean, spread and standard error, Pa or N/m.
    pub pressure: Spread,
    /// Friction: mean, spread and standard error, Pa or N/m.
    pub shear: Spread,
}

/// Returns means over fillings with the same layers, in the same order from the same origin.
///
/// Fillings differ in height: a layer that fewer than two have is omitted, and its `count` is the number of fillings
/// that have it.
pub fn mean_wall_pressure(fillings: &[Vec<Layer>]) -> Result<Vec<LayerMean>, StudyError> {
    enough("fillings to average", fillings.len(), 2)?;
    let longest = fillings.iter().map(Vec::len).max().unwrap_or(0);
    let mut means = Vec::with_capacity(longest);
    for k in 0..longest {
        let same: Vec<&Layer> = fillings.iter().filter_map(|f| f.get(k)).collect();
        if same.len() < 2 {
            break;
        }
        let of = |value: fn(&Layer) -> f64| -> Result<Spread, StudyError> {
            spread(&same.iter().map(|l| value(l)).collect::<Vec<_>>())
        };
        means.push(LayerMean {
            low: of(|l| l.low)?.mean,
            high: of(|l| l.high)?.mean,
            top: of(|l| l.top)?.mean,
            bottom: of(|l| l.bottom)?.mean,
            pressure: of(|l| l.pressure)?,
            shear: of(|l| l.shear)?,
        });
    }
    Ok(means)
}

impl LayerMean {
    /// Returns the layer as a point for [`super::janssen_fit::fit_janssen`].
    pub fn point(&self) -> WallPressure {
        WallPressure {
            top: self.top,
            bottom: self.bottom,
            pressure: self.pressure.mean,
            error: (self.pressure.error > 0.0).then_some(self.pressure.error),
        }
    }
}

/// Distribution of the weight of the filling on bottom and walls.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Support {
    /// Weight of all grains, N.
    pub weight: f64,
    /// Fraction of it that the bottom carries.
    pub floor: f64,
    /// Fraction that the walls carry.
    pub walls: f64,
    /// Support less weight, over weight: 0 in equilibrium.
    pub excess: f64,
    /// Friction over pressure, summed over the walls: the mobilised friction, to be compared with the coefficient.
    /// None without pressure.
    pub mobilised: Option<f64>,
}

/// Returns the fractions of the weight (N) that bottom and walls carry.
pub fn support<D: Dimension>(
    forces: &[BoundaryForce<D>],
    up: D::Vector,
    weight: f64,
) -> Result<Support, StudyError> {
    positive("weight of the filling", weight)?;
    let (mut floor, mut walls, mut pressed, mut rubbed) = (0.0, 0.0, 0.0, 0.0);
    for contact in forces {
        let down = -contact.force.dot(&up);
        let normal = contact.force.dot(&contact.normal);
        finite("boundary force", &[down, normal])?;
        match contact.part {
            Part::Floor => floor += down,
            Part::Wall => {
                walls += down;
                pressed += normal;
                rubbed -= (contact.force - contact.normal * normal).dot(&up);
            }
        }
    }
    Ok(Support {
        weight,
        floor: floor / weight,
        walls: walls / weight,
        excess: (floor + walls - weight) / weight,
        mobilised: (pressed > 0.0).then(|| rubbed / pressed),
    })
}
