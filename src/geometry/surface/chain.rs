//! Chains of segments in a plane, cut into pieces and corners whose zones fit together.
//!
//! A piece owns the strip across it, `lo <= along . x < hi`; a corner owns the region beyond the end of the piece
//! before it *and* before the start of the piece after it. Both test the same expressions, so that rounding leaves no
//! point without an owner or with two. On the concave side of a corner the strips of both pieces overlap: there a
//! grain has two contacts.

use nalgebra::Vector2;

use super::ShapeError;
use crate::geometry::Vector;

/// Sine of the angle below which two consecutive segments are merged as straight.
const STRAIGHT: f64 = 1e-9;

/// Prevents that a piece which meets another at an acute angle is touched *through* that other one.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Cut {
    corner: Vector2<f64>,
    /// Unit vector that bisects the angle between the two pieces, away from the corner.
    middle: Vector2<f64>,
    /// Cosine of half the angle.
    half: f64,
    /// From the piece after the corner towards the piece before it.
    across: Vector2<f64>,
    /// Whether this is the piece before the corner.
    before: bool,
    /// The other piece's strip.
    other: (Vector2<f64>, f64, f64),
}

impl Cut {
    /// Whether the other piece lies between this one and `x`.
    fn hides(&self, x: Vector2<f64>) -> bool {
        let arm = x - self.corner;
        let between = Vector::dot(&arm, &self.middle) > self.half * Vector::norm(&arm);
        let on_before = Vector::dot(&arm, &self.across) >= 0.0;
        let (along, lo, hi) = self.other;
        let t = Vector::dot(&along, &x);
        !between && on_before != self.before && lo <= t && t < hi
    }
}

/// A straight piece of a chain, thin and two-sided.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Piece {
    start: Vector2<f64>,
    end: Vector2<f64>,
    along: Vector2<f64>,
    normal: Vector2<f64>,
    offset: f64,
    lo: f64,
    hi: f64,
    cuts: [Option<Cut>; 2],
}

impl Piece {
    fn new(start: Vector2<f64>, end: Vector2<f64>) -> Self {
        let chord = end - start;
        let length = Vector::norm(&chord);
        let along = Vector2::new(chord.x / length, chord.y / length);
        let normal = Vector2::new(-along.y, along.x);
        Piece {
            start,
            end,
            along,
            normal,
            offset: Vector::dot(&normal, &start),
            lo: Vector::dot(&along, &start),
            hi: Vector::dot(&along, &end),
            cuts: [None; 2],
        }
    }
    /// Returns distance and unit normal towards `x`; none outside of the strip across the piece.
    #[inline]
    pub fn probe(&self, x: Vector2<f64>) -> Option<(f64, Vector2<f64>)> {
        let t = Vector::dot(&self.along, &x);
        if !(self.lo <= t && t < self.hi) || self.cuts.iter().flatten().any(|c| c.hides(x)) {
            return None;
        }
        let (normal, offset) = self.side(x);
        Some((Vector::dot(&normal, &x) - offset, normal))
    }
    /// Returns normal and offset as seen from `x`.
    #[inline]
    pub fn side(&self, x: Vector2<f64>) -> (Vector2<f64>, f64) {
        if Vector::dot(&self.normal, &x) - self.offset >= 0.0 {
            (self.normal, self.offset)
        } else {
            (-self.normal, -self.offset)
        }
    }
    /// Returns the strip across it: direction, least and greatest coordinate along it; none if a neighbour at an
    /// acute angle cuts it.
    pub fn strip(&self) -> Option<(Vector2<f64>, f64, f64)> {
        (self.cuts == [None; 2]).then_some((self.along, self.lo, self.hi))
    }
    /// Returns the distance of `x` from the piece, m.
    pub fn distance(&self, x: Vector2<f64>) -> f64 {
        let t = Vector::dot(&self.along, &x);
        let across = Vector::dot(&self.normal, &x) - self.offset;
        let beyond = (self.lo - t).max(t - self.hi).max(0.0);
        if beyond > 0.0 {
            (across * across + beyond * beyond).sqrt()
        } else {
            across.abs()
        }
    }
    /// Returns the first end.
    pub fn start(&self) -> Vector2<f64> {
        self.start
    }
    /// Returns the second end.
    pub fn end(&self) -> Vector2<f64> {
        self.end
    }
}

/// A corner or an end of a chain: owns the region that no adjacent piece owns.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Corner {
    point: Vector2<f64>,
    /// Direction and end of the piece before.
    before: Option<(Vector2<f64>, f64)>,
    /// Direction and start of the piece after.
    after: Option<(Vector2<f64>, f64)>,
}

impl Corner {
    /// Returns distance and unit normal towards `x`; none where an adjacent piece owns it.
    #[inline]
    pub fn probe(&self, x: Vector2<f64>) -> Option<(f64, Vector2<f64>)> {
        if let Some((along, hi)) = self.before
            && Vector::dot(&along, &x) < hi
        {
            return None;
        }
        if let Some((along, lo)) = self.after
            && Vector::dot(&along, &x) >= lo
        {
            return None;
        }
        let arm = x - self.point;
        let distance = Vector::norm(&arm);
        let normal = if distance > 0.0 {
            Vector2::new(arm.x / distance, arm.y / distance)
        } else {
            Vector2::new(0.0, 1.0)
        };
        Some((distance, normal))
    }
    /// Returns the distance of `x` from the corner, m.
    pub fn distance(&self, x: Vector2<f64>) -> f64 {
        Vector::norm(&(x - self.point))
    }
    /// Returns its position.
    pub fn point(&self) -> Vector2<f64> {
        self.point
    }
    /// Whether its zone lies wholly at negative first coordinates: the end of a profile that meets its axis at a
    /// right angle.
    pub(super) fn is_beyond_axis(&self) -> bool {
        let flat = |along: Vector2<f64>, sign: f64| sign * along.x > 0.0 && along.y == 0.0;
        self.point.x == 0.0
            && match (self.before, self.after) {
                (Some((along, _)), None) => flat(along, -1.0),
                (None, Some((along, _))) => flat(along, 1.0),
                _ => false,
            }
    }
}

/// Whether a chain continues straight at `b` between `a` and `c`; none if it doubles back.
fn is_straight(a: Vector2<f64>, b: Vector2<f64>, c: Vector2<f64>) -> Option<bool> {
    let (before, after) = (b - a, c - b);
    let limit = STRAIGHT * Vector::norm(&before) * Vector::norm(&after);
    if before.perp(&after).abs() > limit {
        Some(false)
    } else if Vector::dot(&before, &after) > 0.0 {
        Some(true)
    } else {
        None
    }
}

/// Returns the corners of a chain without those at which it is straight, and whether it is closed (also if its last
/// corner repeats the first).
pub(super) fn corners(
    points: &[Vector2<f64>],
    closed: bool,
) -> Result<(Vec<Vector2<f64>>, bool), ShapeError> {
    if !points.iter().all(Vector::is_finite) {
        return Err(ShapeError::NotFinite("the corners' coordinates"));
    }
    let ring = points.len() > 3 && points.first() == points.last();
    let points = if ring {
        &points[..points.len() - 1]
    } else {
        points
    };
    let closed = closed || ring;
    let (n, need) = (points.len(), if closed { 3 } else { 2 });
    if n < need {
        return Err(ShapeError::TooFewCorners { need, got: n });
    }
    for i in 0..if closed { n } else { n - 1 } {
        if points[i] == points[(i + 1) % n] {
            return Err(ShapeError::RepeatedCorner(i + 1, (i + 1) % n + 1));
        }
    }
    let turn = |a: usize, b: usize, c: usize| {
        is_straight(points[a], points[b], points[c]).ok_or(ShapeError::DoublesBack(b + 1))
    };
    // A closed chain starts at a true corner, so that a point on an edge changes nothing.
    let mut first = 0;
    if closed {
        while first < n && turn((first + n - 1) % n, first, (first + 1) % n)? {
            first += 1;
        }
        if first == n {
            return Err(ShapeError::TooFewCorners { need: 3, got: 0 });
        }
    }
    let mut kept = vec![first];
    for step in 1..n {
        let i = (first + step) % n;
        let is_end = !closed && step == n - 1;
        let last = kept[kept.len() - 1];
        if is_end || !turn(last, i, (i + 1) % n)? {
            kept.push(i);
        }
    }
    Ok((kept.into_iter().map(|i| points[i]).collect(), closed))
}

/// Cuts a chain into its pieces and corners, merging straight continuations.
pub(super) fn cut(
    points: &[Vector2<f64>],
    closed: bool,
) -> Result<(Vec<Piece>, Vec<Corner>), ShapeError> {
    let (points, closed) = corners(points, closed)?;
    let n = points.len();
    let count = if closed { n } else { n - 1 };
    let mut pieces: Vec<Piece> = (0..count)
        .map(|i| Piece::new(points[i], points[(i + 1) % n]))
        .collect();
    let mut ends = Vec::with_capacity(n);
    for (i, &point) in points.iter().enumerate() {
        let before = if i > 0 {
            Some(i - 1)
        } else {
            closed.then_some(count - 1)
        };
        let after = (i < count).then_some(i);
        ends.push(Corner {
            point,
            before: before.map(|k| (pieces[k].along, pieces[k].hi)),
            after: after.map(|k| (pieces[k].along, pieces[k].lo)),
        });
        if let (Some(b), Some(a)) = (before, after) {
            separate(&mut pieces, b, a, point);
        }
    }
    Ok((pieces, ends))
}

/// Where two pieces meet at an acute angle, makes each hide the other from outside.
fn separate(pieces: &mut [Piece], before: usize, after: usize, corner: Vector2<f64>) {
    let (u, w) = (-pieces[before].along, pieces[after].along);
    if Vector::dot(&u, &w) <= 0.0 {
        return;
    }
    let sum = u + w;
    let length = Vector::norm(&sum);
    let strip = |p: &Piece| (p.along, p.lo, p.hi);
    let cut = Cut {
        corner,
        middle: Vector2::new(sum.x / length, sum.y / length),
        half: 0.5 * length,
        across: u - w,
        before: true,
        other: strip(&pieces[after]),
    };
    let opposite = Cut {
        before: false,
        other: strip(&pieces[before]),
        ..cut
    };
    pieces[before].cuts[1] = Some(cut);
    pieces[after].cuts[0] = Some(opposite);
}
