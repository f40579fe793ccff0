//! Conversion between restitution and damping ratio of dashpots that never pull.
//!
//! A linear contact m x'' = -(k x + c x') with damping ratio b = c / (2 sqrt(k m)) ends where its force does, before
//! the overlap is gone (Schwager and Poeschel 2007, eqs. 15 to 21). Hertz's force with the damper 2 sqrt(5/6) b
//! sqrt(S m), S = dF/dx, has the same restitution: with y = x^(5/4) the path v(x) of such an impact obeys v dv/dy =
//! -(4/5) (y + 5^(1/2) b v) in scaled units, which is the path of the linear contact of that damping ratio, and its
//! force too vanishes where y + 5^(1/2) b v does (the transform is that of Antypov and Elliott 2011, whose force
//! pulls until x = 0).

/// Returns the restitution coefficient of a head-on impact at a damping ratio b >= 0, for the linear dashpot and for
/// Hertz's force with the damping of [`Hertz`](super::Hertz); any speed and size. exp(-2 b / w atan(w / b)) with w^2
/// = 1 - b^2, and its continuation beyond b = 1.
pub fn restitution(damping_ratio: f64) -> f64 {
    let b = damping_ratio;
    if b <= 0.0 {
        return 1.0;
    }
    let square = (1.0 - b) * (1.0 + b);
    let ratio = square / (b * b);
    let exponent = if ratio.abs() < 1e-5 {
        // atan(t) / t with t^2 = `ratio`; the omitted terms are below 1e-15.
        1.0 - ratio / 3.0 + ratio * ratio / 5.0
    } else if square > 0.0 {
        let w = square.sqrt();
        b / w * libm::atan2(w, b)
    } else {
        // (b + w) (b - w) = 1, which avoids a difference of nearly equal numbers.
        let w = (-square).sqrt();
        b / w * libm::log(b + w)
    };
    libm::exp(-2.0 * exponent)
}

/// Returns the damping ratio b >= 0 for a restitution coefficient greater than 0 and at most 1: the inverse of
/// [`restitution`], by bisection to the last bits.
pub fn damping_ratio(nominal: f64) -> f64 {
    if nominal >= 1.0 {
        return 0.0;
    }
    let (mut low, mut high) = (0.0, 1.0);
    while restitution(high) > nominal && high < 1e150 {
        low = high;
        high *= 2.0;
    }
    loop {
        let middle = 0.5 * (low + high);
        if middle <= low || middle >= high {
            return middle;
        }
        if restitution(middle) > nominal {
            low = middle;
        } else {
            high = middle;
        }
    }
}
