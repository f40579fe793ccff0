//! Adhesion of elastic spheres (Johnson, Kendall and Roberts 1971).

/// Adhesion of elastic spheres by the radius a of their contact: x = a^2 / R - k sqrt(a),
/// F = 4/3 E a^3 / R - 2 E k a^1.5, with k = sqrt(2 pi w / E) (Johnson, Kendall and Roberts 1971).
#[derive(Clone, Copy, Debug, PartialEq)]
pub(in crate::contact) struct Jkr {
    pub work: f64,
    pub young: f64,
    pub k: f64,
}

impl Jkr {
    pub fn new(work: f64, young: f64) -> Self {
        let k = (2.0 * std::f64::consts::PI * work / young).sqrt();
        Jkr { work, young, k }
    }

    /// Returns the greatest attraction 1.5 pi w R, N.
    pub fn pull_off(&self, radius: f64) -> f64 {
        1.5 * std::f64::consts::PI * self.work * radius
    }

    /// Returns the square root of the contact radius at which a link breaks: there the overlap is least.
    pub fn least_root(&self, radius: f64) -> f64 {
        libm::cbrt(0.25 * self.k * radius)
    }

    /// Returns the gap at which a link breaks, m.
    pub fn gap(&self, radius: f64) -> f64 {
        let a = self.least_root(radius).powi(2);
        3.0 * a * a / radius
    }

    /// Returns the contact radius at an overlap, m; the least one if there is none.
    ///
    /// With x_c the gap at which links break and t the root of the contact radius over its least, t^4 - 4 t = 3 x /
    /// x_c. Newton's iteration from above: t is less than both 1 + sqrt((x / x_c + 1) / 2) and (3 x / x_c)^(1/4) +
    /// 4^(1/3).
    pub fn contact_radius(&self, overlap: f64, radius: f64) -> f64 {
        /// From these starts nothing changes after five iterations.
        const STEPS: usize = 7;
        let least = self.least_root(radius);
        let gap = 3.0 * least * least * least * least / radius;
        let x = (overlap / gap).max(-1.0);
        let near = 1.0 + (0.5 * (x + 1.0)).sqrt();
        let far = (3.0 * x.max(0.0)).sqrt().sqrt() + 1.588;
        let mut t = near.min(far);
        for _ in 0..STEPS {
            let cube = t * t * t;
            let value = cube * t - 4.0 * t - 3.0 * x;
            let slope = 4.0 * cube - 4.0;
            t = (t - value / slope.max(1e-12)).max(1.0);
        }
        let root = least * t;
        root * root
    }

    /// Returns the work done by the pair from contact radius 0 to a, J.
    fn energy_of(&self, a: f64, radius: f64) -> f64 {
        let (e, k, r) = (self.young, self.k, radius);
        let root = a.sqrt();
        8.0 / 15.0 * e / (r * r) * a.powi(5) - 4.0 / 3.0 * e * k / r * a.powi(3) * root
            + 0.5 * e * k * k * a * a
    }

    /// Returns the energy stored at a contact radius, J, relative to first contact (overlap 0).
    pub fn stored(&self, a: f64, radius: f64) -> f64 {
        let touch = libm::cbrt(self.k * radius).powi(2);
        self.energy_of(a, radius) - self.energy_of(touch, radius)
    }
}
