//! The free top by Jacobi's elliptic functions: the reference for integrators.

use nalgebra::Vector3;

use super::{Jacobi, PrincipalMoments, complete_integral, incomplete_integral};

/// The exact spin of a free body as a function of time (Landau and Lifshitz, Mechanics, section 37).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FreeTop {
    /// Axes with the functions dn (along which the spin never changes its sign) and cn, and the middle one with sn.
    axes: [usize; 3],
    /// Amplitudes along these, signed, rad/s.
    amplitudes: [f64; 3],
    /// Complement of the parameter, 1 - m.
    rest: f64,
    /// Argument per time, 1/s; 0 if the spin does not change.
    rate: f64,
    /// Argument at time 0.
    start: f64,
    spin: Vector3<f64>,
}

impl FreeTop {
    /// Returns the top of a body that has this spin (rad/s, in its own frame) at time 0.
    pub fn new(body: &PrincipalMoments, spin: Vector3<f64>) -> Self {
        let moments = body.moments();
        let mut order = [0, 1, 2];
        order.sort_by(|&a, &b| moments[a].total_cmp(&moments[b]));
        let [a, b, c] = order;
        let [small, middle, large] = order.map(|k| moments[k]);
        let weight = |k: usize| moments[k] * spin[k] * spin[k];
        // L^2 - 2 E I for each of the moments I, as sums without cancellation where possible.
        let over_small = weight(b) * (middle - small) + weight(c) * (large - small);
        let over_middle = weight(c) * (large - middle) - weight(a) * (middle - small);
        let under_large = weight(a) * (large - small) + weight(b) * (large - middle);
        let product = small * middle * large;
        let (along_c, along_a) = (
            (large - middle) * over_small,
            (middle - small) * under_large,
        );
        let about_large = over_middle > 0.0 || (over_middle == 0.0 && along_c >= along_a);
        // Which of the other two axes has cn, and the squares of all amplitudes.
        let (axes, square_rate, rest, squares) = if about_large {
            let rest = (large - small) * over_middle / along_c;
            let outer = over_small / (large * (large - small));
            let inner = under_large / (small * (large - small));
            let swing = under_large / (middle * (large - middle));
            ([c, a, b], along_c, rest, [outer, inner, swing])
        } else {
            let rest = (large - small) * -over_middle / along_a;
            let outer = under_large / (small * (large - small));
            let inner = over_small / (large * (large - small));
            let swing = over_small / (middle * (middle - small));
            ([a, c, b], along_a, rest, [outer, inner, swing])
        };
        let still = Self {
            axes,
            amplitudes: [0.0; 3],
            rest: 1.0,
            rate: 0.0,
            start: 0.0,
            spin,
        };
        if square_rate.is_nan() || square_rate <= 0.0 || squares[1] <= 0.0 {
            return still;
        }
        let sign = if spin[axes[0]] < 0.0 { -1.0 } else { 1.0 };
        // Euler's equation of the cn axis gives the sign of sn: cn decreases where sn and dn are positive.
        let cyclic = (axes[1] + 1) % 3 == axes[2];
        let swing = if cyclic == about_large { sign } else { -sign };
        let amplitudes = [
            sign * squares[0].sqrt(),
            squares[1].sqrt(),
            swing * squares[2].sqrt(),
        ];
        let amplitude = libm::atan2(spin[axes[2]] / amplitudes[2], spin[axes[1]] / amplitudes[1]);
        Self {
            amplitudes,
            rest,
            rate: (square_rate / product).sqrt(),
            start: incomplete_integral(amplitude, rest),
            ..still
        }
    }

    /// Returns the spin in the body's frame at a time (s), rad/s.
    pub fn spin(&self, time: f64) -> Vector3<f64> {
        if self.rate == 0.0 {
            return self.spin;
        }
        let at = Jacobi::new(self.start + self.rate * time, self.rest);
        let mut spin = Vector3::zeros();
        for (k, value) in [at.dn, at.cn, at.sn].into_iter().enumerate() {
            spin[self.axes[k]] = self.amplitudes[k] * value;
        }
        spin
    }

    /// Returns the period of the spin, s: 4 K over the rate. Infinite on the separatrix, none if the spin does not
    /// change.
    pub fn period(&self) -> Option<f64> {
        (self.rate > 0.0).then(|| 4.0 * complete_integral(self.rest) / self.rate)
    }

    /// Returns the time between two flips, s: changes of sign of the spin about the middle axis.
    pub fn flip_interval(&self) -> Option<f64> {
        self.period().map(|period| 0.5 * period)
    }
}
