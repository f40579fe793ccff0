//! Micro-avalanches of a filling: how large, where, how often (thesis 4.7.2).

use serde::Serialize;

use super::correlation::{Correlation, spearman};
use super::error::{StudyError, check, enough};
use crate::geometry::{Dimension, Vector};

/// Where a link slid: the three places that the thesis names, and all others.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Place {
    /// In the upper layers of grains.
    Top,
    /// At a wall.
    Wall,
    /// At a grain whose supports are almost parallel (thesis Fig. 4.9).
    Irregular,
    /// Anywhere else.
    Bulk,
}

impl Place {
    /// All places, in the order in which counts are held.
    pub const ALL: [Place; 4] = [Place::Top, Place::Wall, Place::Irregular, Place::Bulk];
}

/// One slide of a link.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Slide<D: Dimension> {
    /// Place of the contact, m.
    pub point: D::Vector,
    /// Kind of place.
    pub place: Place,
    /// Energy turned to heat, J.
    pub energy: f64,
}

/// What was set off by adding one grain.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Avalanche {
    /// Number of the addition, from 0.
    pub addition: u64,
    /// Height of the filling, m.
    pub height: f64,
    /// Size: number of slides; 0 when nothing slid.
    pub size: u64,
    /// Energy turned to heat, J.
    pub energy: f64,
    /// Greatest distance of two slides, m.
    pub extent: f64,
    /// Slides by place, as in [`Place::ALL`].
    pub slides: [u64; 4],
    /// Energy by place, J.
    pub heat: [f64; 4],
}

impl Avalanche {
    /// Gathers the slides of one addition.
    pub fn gather<D: Dimension>(addition: u64, height: f64, slides: &[Slide<D>]) -> Self {
        let mut all = Avalanche {
            addition,
            height,
            size: slides.len() as u64,
            energy: 0.0,
            extent: 0.0,
            slides: [0; 4],
            heat: [0.0; 4],
        };
        let mut square: f64 = 0.0;
        for (i, slide) in slides.iter().enumerate() {
            all.energy += slide.energy;
            all.slides[slide.place as usize] += 1;
            all.heat[slide.place as usize] += slide.energy;
            for other in &slides[..i] {
                square = square.max((slide.point - other.point).norm_squared());
            }
        }
        all.extent = square.sqrt();
        all
    }
}

/// Where a contact lies: its surroundings in figures.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Surroundings {
    /// Depth under the surface, m.
    pub depth: f64,
    /// One partner is a wall.
    pub wall: bool,
    /// The least [`firmness`] of the grains in contact.
    pub firmness: f64,
}

/// The place of a contact: at the top within `top` (m) of the surface, else at a wall, else
/// irregular when less firm than `firm`, else in the bulk. Slides count once, by this order.
pub fn place(contact: &Surroundings, top: f64, firm: f64) -> Place {
    if contact.depth < top {
        Place::Top
    } else if contact.wall {
        Place::Wall
    } else if contact.firmness < firm {
        Place::Irregular
    } else {
        Place::Bulk
    }
}

/// How firmly a grain is held by its supports, 0 to 1, from the directions to them: in the plane,
/// for two, the square of the sine of their angle. It is 0 where they leave it a way to go.
///
/// The determinant of the mean of n n^T, over that of directions spread evenly.
pub fn firmness<D: Dimension>(supports: &[D::Vector]) -> f64 {
    let mut sum = [[0.0; 3]; 3];
    let mut count = 0.0;
    for n in supports {
        let square = n.norm_squared();
        if square <= 0.0 {
            continue;
        }
        count += 1.0;
        for i in 0..D::N {
            for j in 0..D::N {
                sum[i][j] += n[i] * n[j] / square;
            }
        }
    }
    if count == 0.0 {
        return 0.0;
    }
    let [a, b, c] = sum;
    let (det, even) = if D::N == 2 {
        (a[0] * b[1] - a[1] * b[0], count / 2.0)
    } else {
        let minor = |i: usize, j: usize| b[i] * c[j] - b[j] * c[i];
        let det = a[0] * minor(1, 2) - a[1] * minor(0, 2) + a[2] * minor(0, 1);
        (det, count / 3.0)
    };
    (0..D::N).fold(det, |det, _| det / even).clamp(0.0, 1.0)
}

/// Figures of the avalanches of one filling.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct AvalancheSummary {
    /// Grains added.
    pub additions: usize,
    /// Additions that set off nothing.
    pub quiet: usize,
    /// Slides in all.
    pub slides: u64,
    /// Slides by place, as in [`Place::ALL`].
    pub slides_by_place: [u64; 4],
    /// Energy turned to heat in all, J.
    pub energy: f64,
    /// Energy by place, J.
    pub energy_by_place: [f64; 4],
    /// Avalanches that reached each place.
    pub avalanches_by_place: [usize; 4],
    /// Mean size of those that were not quiet, none if there were none.
    pub mean_size: Option<f64>,
    /// The avalanche of most slides, the first of equals.
    pub largest: Option<Avalanche>,
    /// The avalanche of most energy, the first of equals.
    pub hottest: Option<Avalanche>,
    /// The avalanche of greatest extent, the first of equals.
    pub widest: Option<Avalanche>,
    /// How size goes with the height of the filling, by ranks, quiet additions among them. None
    /// where either never changes.
    pub size_with_height: Option<Correlation>,
}

/// Sums up the avalanches of one filling, quiet additions among them.
pub fn summarise(avalanches: &[Avalanche]) -> Result<AvalancheSummary, StudyError> {
    enough("additions", avalanches.len(), 1)?;
    for a in avalanches {
        check("energy of an avalanche", a.energy, "a number", |_| true)?;
        check("extent of an avalanche", a.extent, "at least 0", |v| {
            v >= 0.0
        })?;
    }
    let loud: Vec<&Avalanche> = avalanches.iter().filter(|a| a.size > 0).collect();
    let slides: u64 = loud.iter().map(|a| a.size).sum();
    let mut summary = AvalancheSummary {
        additions: avalanches.len(),
        quiet: avalanches.len() - loud.len(),
        slides,
        slides_by_place: [0; 4],
        energy: loud.iter().map(|a| a.energy).sum(),
        energy_by_place: [0.0; 4],
        avalanches_by_place: [0; 4],
        mean_size: (!loud.is_empty()).then(|| slides as f64 / loud.len() as f64),
        largest: greatest(&loud, |a| a.size as f64),
        hottest: greatest(&loud, |a| a.energy),
        widest: greatest(&loud, |a| a.extent),
        size_with_height: None,
    };
    for a in &loud {
        for k in 0..4 {
            summary.slides_by_place[k] += a.slides[k];
            summary.energy_by_place[k] += a.heat[k];
            summary.avalanches_by_place[k] += usize::from(a.slides[k] > 0);
        }
    }
    let column = |f: fn(&Avalanche) -> f64| avalanches.iter().map(f).collect::<Vec<_>>();
    summary.size_with_height = spearman(&column(|a| a.height), &column(|a| a.size as f64)).ok();
    Ok(summary)
}

fn greatest(avalanches: &[&Avalanche], of: fn(&Avalanche) -> f64) -> Option<Avalanche> {
    let mut best: Option<&Avalanche> = None;
    for &a in avalanches {
        if best.is_none_or(|b| of(a) > of(b)) {
            best = Some(a);
        }
    }
    best.copied()
}

/// Sizes above 0 as numbers, for a histogram or the fit of a law.
pub fn sizes(avalanches: &[Avalanche]) -> Vec<f64> {
    let sizes = avalanches.iter().filter(|a| a.size > 0);
    sizes.map(|a| a.size as f64).collect()
}

/// Energies above 0, J.
pub fn energies(avalanches: &[Avalanche]) -> Vec<f64> {
    let energies = avalanches.iter().map(|a| a.energy);
    energies.filter(|&e| e > 0.0).collect()
}

/// Additions from each avalanche of at least `size` slides to the next: the waits between large
/// ones. Avalanches in the order of their additions.
pub fn waits(avalanches: &[Avalanche], size: u64) -> Vec<u64> {
    let large: Vec<u64> = avalanches
        .iter()
        .filter(|a| a.size >= size.max(1))
        .map(|a| a.addition)
        .collect();
    large
        .windows(2)
        .map(|w| w[1].saturating_sub(w[0]))
        .collect()
}
