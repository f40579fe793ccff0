//! Planar grains bounded by circular arcs that join without corners (Potapov and Campbell 1998): ovals,
//! quasi-polygons, any closed chain.

mod chain;
mod contact;
mod shapes;

use std::f64::consts::{FRAC_PI_2, PI, TAU};

use nalgebra::Vector2;

use super::Region;
use super::mass::{Integrals, MassProperties, arc};
use crate::geometry::Planar;

pub use contact::{ArcContact, ArcPose, ArcProfile, LineContact};

/// An arc of a boundary, from one angle to another about its centre: counter-clockwise if `to` is greater, with the
/// grain on the side of its centre; clockwise for a hollow arc, with the grain on the far side.
#[derive(Clone, Debug, PartialEq)]
pub struct Arc {
    /// Name, which contacts report.
    pub name: String,
    /// Centre in the grain's own frame, m.
    pub centre: Vector2<f64>,
    /// Radius of curvature, m.
    pub radius: f64,
    /// Start angle, rad.
    pub from: f64,
    /// End angle, rad.
    pub to: f64,
}

impl Arc {
    /// Returns the point at an angle about its centre, m.
    pub fn point(&self, angle: f64) -> Vector2<f64> {
        let (sine, cosine) = libm::sincos(angle);
        self.centre + Vector2::new(cosine, sine) * self.radius
    }
    /// Whether it runs clockwise: the grain is hollow there.
    pub fn is_hollow(&self) -> bool {
        self.to < self.from
    }
    /// Whether it contains the direction of an angle from its centre.
    fn passes(&self, angle: f64) -> bool {
        let (low, high) = (self.from.min(self.to), self.from.max(self.to));
        let turns = ((angle - low) / TAU).floor() * TAU;
        angle - turns <= high
    }
}

/// Faults of a chain of arcs; names are those of the arcs.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum ArcsError {
    /// There are no arcs.
    #[error("there is no arc; at least one is needed")]
    Empty,
    /// Two arcs have the same name.
    #[error("two arcs have the name `{0}`")]
    Name(String),
    /// A number is not finite, the radius is not positive, or the angles span no arc.
    #[error(
        "arc `{0}` needs finite numbers, a radius greater than 0, and two different angles at most a turn apart"
    )]
    Numbers(String),
    /// A radius out of proportion to the size of the grain.
    #[error(
        "the radius {radius:e} of arc `{name}` is {ratio:.1e} times the size of the grain; from 1e-6 to 1e6 keep the digits of an overlap"
    )]
    Radius {
        /// Name of the arc.
        name: String,
        /// Radius of the arc, m.
        radius: f64,
        /// Radius relative to the size of the grain.
        ratio: f64,
    },
    /// The chain has a gap.
    #[error(
        "arc `{next}` does not begin where `{name}` ends: {gap:.1e} apart, {share:.1e} of the grain's size; 1e-6 are allowed"
    )]
    Gap {
        /// Name of the previous arc.
        name: String,
        /// Name of the next arc.
        next: String,
        /// Width of the gap, m.
        gap: f64,
        /// Width relative to the size of the grain.
        share: f64,
    },
    /// The chain has a corner.
    #[error(
        "arcs `{name}` and `{next}` make a corner of {angle:.1e} rad where they join; arcs must be tangent, within 1e-6 rad"
    )]
    Corner {
        /// Name of the previous arc.
        name: String,
        /// Name of the next arc.
        next: String,
        /// The angle, rad.
        angle: f64,
    },
    /// The chain runs clockwise.
    #[error("the arcs run clockwise around the grain; give them counter-clockwise")]
    Clockwise,
    /// The chain winds around more than once, or not at all.
    #[error(
        "the chain crosses itself: its direction turns by {0:.2} turns on the way around instead of 1"
    )]
    Turns(f64),
    /// Two arcs intersect.
    #[error("the chain crosses itself: arcs `{0}` and `{1}` cut each other near {2:?}")]
    Crossing(String, String, [f64; 2]),
    /// A hollow grain where only a convex one is supported.
    #[error(
        "arc `{0}` is hollow (it runs clockwise); contacts are for convex grains, since others touch in several places: make such a grain of disks"
    )]
    Hollow(String),
    /// Invalid dimensions of a shape.
    #[error("{0}")]
    Measures(&'static str),
}

/// A grain bounded by a closed chain of tangent arcs.
#[derive(Clone, Debug, PartialEq)]
pub struct ArcGrain {
    arcs: Vec<Arc>,
    /// The chain in pieces that do not turn back along x, each with its ends; neighbours share them.
    pieces: Vec<Piece>,
}

/// A part of an arc that is the upper or the lower half of its circle.
#[derive(Clone, Debug, PartialEq)]
struct Piece {
    arc: usize,
    upper: bool,
    ends: [f64; 2],
}

impl ArcGrain {
    /// Returns a grain from arcs in order, counter-clockwise.
    ///
    /// # Errors
    /// When the arcs are not closed, tangent and free of crossings, or a radius is out of proportion.
    pub fn new(arcs: Vec<Arc>) -> Result<Self, ArcsError> {
        chain::check(&arcs)?;
        let pieces = pieces(&arcs);
        Ok(ArcGrain { arcs, pieces })
    }
    /// Returns the arcs.
    pub fn arcs(&self) -> &[Arc] {
        &self.arcs
    }
    /// Returns the length of the boundary, m.
    pub fn perimeter(&self) -> f64 {
        self.arcs
            .iter()
            .map(|a| a.radius * (a.to - a.from).abs())
            .sum()
    }
    /// Returns area, centroid and second moments, exact.
    pub fn mass(&self) -> MassProperties<Planar> {
        let (min, max) = self.bounds();
        let mut integrals = Integrals::new((min + max) * 0.5);
        for a in &self.arcs {
            arc(&mut integrals, a.centre, a.radius, a.from, a.to);
        }
        integrals.properties(0.0)
    }
}

/// Splits arcs where they turn back along x.
fn pieces(arcs: &[Arc]) -> Vec<Piece> {
    let mut pieces: Vec<Piece> = Vec::new();
    for (i, arc) in arcs.iter().enumerate() {
        let (low, high) = (arc.from.min(arc.to), arc.from.max(arc.to));
        let mut cuts = vec![low];
        let mut turn = (low / PI).floor() + 1.0;
        while turn * PI < high {
            cuts.push(turn * PI);
            turn += 1.0;
        }
        cuts.push(high);
        let first = pieces.len();
        for ends in cuts.windows(2) {
            pieces.push(Piece {
                arc: i,
                upper: libm::sin(0.5 * (ends[0] + ends[1])) > 0.0,
                ends: [ends[0], ends[1]].map(|angle| arc.point(angle).x),
            });
        }
        if arc.is_hollow() {
            pieces[first..].reverse();
            for piece in &mut pieces[first..] {
                piece.ends.reverse();
            }
        }
    }
    // The end of each piece equals the start of the next to the last bit: a line meets exactly one of them.
    for i in 0..pieces.len() {
        pieces[i].ends[1] = pieces[(i + 1) % pieces.len()].ends[0];
    }
    pieces
}

impl Region<Planar> for ArcGrain {
    fn bounds(&self) -> (Vector2<f64>, Vector2<f64>) {
        let mut min = self.arcs[0].point(self.arcs[0].from);
        let mut max = min;
        for arc in &self.arcs {
            let extremes = [0.0, FRAC_PI_2, PI, -FRAC_PI_2];
            let extremes = extremes.into_iter().filter(|&angle| arc.passes(angle));
            for angle in extremes.chain([arc.from, arc.to]) {
                let point = arc.point(angle);
                (min, max) = (min.inf(&point), max.sup(&point));
            }
        }
        (min, max)
    }
    fn spans(&self, at: Vector2<f64>, spans: &mut Vec<[f64; 2]>) {
        spans.clear();
        let mut heights: Vec<f64> = Vec::new();
        for piece in &self.pieces {
            if (piece.ends[0] <= at.x) == (piece.ends[1] <= at.x) {
                continue;
            }
            let arc = &self.arcs[piece.arc];
            let x = at.x - arc.centre.x;
            let height = ((arc.radius - x) * (arc.radius + x)).max(0.0).sqrt();
            heights.push(arc.centre.y + if piece.upper { height } else { -height });
        }
        heights.sort_by(f64::total_cmp);
        spans.extend(heights.chunks_exact(2).map(|pair| [pair[0], pair[1]]));
    }
    fn reach(&self, from: Vector2<f64>) -> f64 {
        let mut most = 0.0_f64;
        for arc in &self.arcs {
            let arm = arc.centre - from;
            let farthest = libm::atan2(arm.y, arm.x);
            let through = Some(farthest).filter(|&angle| arc.passes(angle));
            for angle in through.into_iter().chain([arc.from, arc.to]) {
                most = most.max((arc.point(angle) - from).norm());
            }
        }
        most
    }
}
