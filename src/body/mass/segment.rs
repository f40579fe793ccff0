//! Contribution of a boundary arc to the integrals over an area.
//!
//! Green's theorem converts integrals over an area to integrals along its boundary. Each arc is split into its chord,
//! which bounds a triangle with the origin, and the segment between chord and arc. A flat arc with a distant centre
//! then keeps its digits, unlike the integral of the arc itself, whose terms grow with the fourth power of the
//! radius.

use nalgebra::Vector2;

use super::Integrals;
use crate::geometry::Planar;

/// Adds the part of an area under an arc, relative to the origin of the integrals: an arc about `centre` from one
/// angle to another (rad), counter-clockwise around the inside if `to` is greater. All arcs of a closed boundary
/// together give the area.
pub fn arc(
    integrals: &mut Integrals<Planar>,
    centre: Vector2<f64>,
    radius: f64,
    from: f64,
    to: f64,
) {
    let middle = centre - integrals.origin;
    let end = |angle: f64| {
        let (sine, cosine) = libm::sincos(angle);
        middle + Vector2::new(cosine, sine) * radius
    };
    triangle(integrals, end(from), end(to));
    segment(
        integrals,
        middle,
        radius,
        0.5 * (from + to),
        0.5 * (to - from),
    );
}

/// Adds the signed triangle of the origin and a chord.
fn triangle(integrals: &mut Integrals<Planar>, p: Vector2<f64>, q: Vector2<f64>) {
    let area = 0.5 * (p.x * q.y - p.y * q.x);
    integrals.measure += area;
    integrals.first += (p + q) * (area / 3.0);
    for i in 0..2 {
        for j in 0..2 {
            // For a simplex with a corner at the origin: twice the corners, and their sum.
            let sum = (p[i] + q[i]) * (p[j] + q[j]);
            integrals.second[i][j] += area / 12.0 * (p[i] * p[j] + q[i] * q[j] + sum);
        }
    }
}

/// Adds the segment between an arc and its chord, by its middle angle and half its opening; a negative opening is a
/// hollow arc, whose segment is subtracted.
fn segment(
    integrals: &mut Integrals<Planar>,
    middle: Vector2<f64>,
    radius: f64,
    angle: f64,
    half: f64,
) {
    let (sign, half) = (half.signum(), half.abs());
    let (sine, cosine) = libm::sincos(half);
    let square = radius * radius;
    // About the centre of the circle, u towards the arc and v along the chord.
    let area = 0.5 * square * lag(2.0 * half);
    let first = 2.0 / 3.0 * square * radius * sine * sine * sine;
    let uu = square * square / 16.0 * lag(4.0 * half);
    // The integral of sin^4 up to the half angle.
    let fourth = 0.1875 * lag(2.0 * half) - 0.25 * sine * sine * sine * cosine;
    let vv = 2.0 / 3.0 * square * square * fourth;
    // About the middle of the chord, which is near the segment.
    let back = radius * cosine;
    let first_chord = first - area * back;
    let uu_chord = uu - back * (2.0 * first - back * area);
    let (s, c) = libm::sincos(angle);
    let (u, v) = (Vector2::new(c, s), Vector2::new(-s, c));
    let base = middle + u * back;
    integrals.measure += sign * area;
    integrals.first += (base * area + u * first_chord) * sign;
    for i in 0..2 {
        for j in 0..2 {
            let own = uu_chord * u[i] * u[j] + vv * v[i] * v[j];
            let shift = first_chord * (base[i] * u[j] + u[i] * base[j]) + area * base[i] * base[j];
            integrals.second[i][j] += sign * (own + shift);
        }
    }
}

/// Returns x - sin x, to full relative accuracy also near 0.
fn lag(x: f64) -> f64 {
    if x.abs() > 1.0 {
        return x - libm::sin(x);
    }
    let square = x * x;
    let (mut term, mut sum) = (x * square / 6.0, 0.0);
    let mut n = 3.0;
    while sum + term != sum {
        sum += term;
        term *= -square / ((n + 1.0) * (n + 2.0));
        n += 2.0;
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A whole circle is one arc: it gives the disk's own integrals, about a point other than its centre.
    #[test]
    fn a_circle_is_a_disk() {
        let centre = Vector2::new(0.3, -0.7);
        let (mut by_arc, mut disk) = (
            Integrals::new(Vector2::new(1.0, 2.0)),
            Integrals::new(Vector2::new(1.0, 2.0)),
        );
        arc(&mut by_arc, centre, 1.3, -1.0, -1.0 + std::f64::consts::TAU);
        disk.add_ball(centre, 1.3);
        let (a, b) = (by_arc.properties(0.0), disk.properties(0.0));
        assert!(a.distance(&b) < 1e-14, "{a:?} {b:?}");
    }

    /// Two flat arcs of radius 1000 on a chord of length 2, against the series in the opening: the
    /// lens has the height h = r (1 - cos a), and to the next order in a an area of 8 h / 3.
    #[test]
    fn flat_arcs_keep_their_digits() {
        let radius = 1e3;
        let half = libm::asin(1.0 / radius);
        let back = radius * libm::cos(half);
        let up = std::f64::consts::FRAC_PI_2;
        let mut lens = Integrals::new(Vector2::zeros());
        arc(
            &mut lens,
            Vector2::new(0.0, -back),
            radius,
            up - half,
            up + half,
        );
        arc(
            &mut lens,
            Vector2::new(0.0, back),
            radius,
            -up - half,
            -up + half,
        );
        let properties = lens.properties(0.0);
        // Parabola of the same height plus the fourth order: area 2 (2/3 r a^3 r)(1 - a^2 / 5 ...).
        let area = 2.0 * radius * radius * (2.0 / 3.0) * half.powi(3) * (1.0 - half * half / 5.0);
        assert!((properties.measure / area - 1.0).abs() < 1e-12);
        // For a parabola, the integral of v^2 over the area is a fifth of the square of half the chord.
        let length = properties.second[0][0] / properties.measure;
        assert!((length - 0.2).abs() < 1e-6, "{length}");
    }

    #[test]
    fn the_lag_of_a_sine_is_smooth_where_its_form_changes() {
        for x in [1.0 - 1e-9, 1.0 + 1e-9] {
            assert!((lag(x) - (x - libm::sin(x))).abs() < 1e-15);
        }
        assert!((lag(1e-5) / (1e-15 / 6.0) - 1.0).abs() < 1e-10);
    }
}
