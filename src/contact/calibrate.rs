//! Computes the parameters of a law from properties measured on two equal grains (restitution, friction, moduli).

use super::{Linear, damping_ratio};

/// Properties of two equal grains, and their allowed overlap.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pair {
    /// Mass of each, kg.
    pub mass: f64,
    /// Radius of each, m.
    pub radius: f64,
    /// Moment of inertia over mass and radius squared.
    pub inertia: f64,
    /// Restitution coefficient, over 0 and up to 1.
    pub restitution: f64,
    /// Friction coefficient.
    pub friction: f64,
    /// Impact speed, m/s.
    pub speed: f64,
    /// Static force between them, N.
    pub load: f64,
    /// Greatest allowed overlap, relative to the radius.
    pub overlap: f64,
}

/// A softened modulus that may replace the real one, and its effects.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Softened {
    /// The modulus, Pa: the real one if it keeps the overlap within the limit.
    pub young: f64,
    /// Factor on overlaps in impacts, contact times and approximately the step, relative to the real modulus: (E /
    /// E')^(2/5).
    pub longer: f64,
    /// Factor on overlaps under a load, relative to the real modulus: (E / E')^(2/3).
    pub deeper: f64,
}

impl Pair {
    fn effective_mass(&self) -> f64 {
        0.5 * self.mass
    }
    fn effective_radius(&self) -> f64 {
        0.5 * self.radius
    }
    fn depth(&self) -> f64 {
        self.overlap * self.radius
    }

    /// Returns spring and dashpot. Stiffness: an impact without loss reaches the overlap v sqrt(m / k), a load F / k.
    /// Damping: from the restitution ([`damping_ratio()`]). Tangential: the same period and damping ratio as along
    /// the normal, where a contact's mass is smaller by 1 + 1/b for a moment of inertia b m r^2 (so that kt = 2/7 kn
    /// of spheres, 1/3 kn of disks).
    pub fn linear(&self) -> Linear {
        let (mass, depth) = (self.effective_mass(), self.depth());
        let stiffness = (mass * (self.speed / depth).powi(2)).max(self.load / depth);
        let damping = 2.0 * damping_ratio(self.restitution) * (stiffness * mass).sqrt();
        let lighter = 1.0 + 1.0 / self.inertia;
        Linear {
            normal_stiffness: stiffness,
            tangential_stiffness: stiffness / lighter,
            normal_damping: damping,
            tangential_damping: damping / lighter,
            friction: self.friction,
        }
    }

    /// Returns the duration of an impact of the linear law without loss, s: pi sqrt(m / k).
    pub fn linear_time(&self, stiffness: f64) -> f64 {
        std::f64::consts::PI * (self.effective_mass() / stiffness).sqrt()
    }

    /// Returns the greatest overlaps, m, in an impact and under the load, by Hertz with a modulus (Pa) and Poisson's
    /// ratio.
    pub fn hertz_overlaps(&self, young: f64, poisson: f64) -> [f64; 2] {
        let scale = effective(young, poisson) * self.effective_radius().sqrt();
        let energy = self.effective_mass() * self.speed * self.speed;
        [
            libm::pow(15.0 / 16.0 * energy / scale, 0.4),
            libm::pow(0.75 * self.load / scale, 2.0 / 3.0),
        ]
    }

    /// Returns the duration of an impact by Hertz without loss, s: 2.94 overlap / speed (Johnson 1985, eq. 11.24).
    pub fn hertz_time(&self, overlap: f64) -> f64 {
        2.94 * overlap / self.speed
    }

    /// Returns the modulus with which neither impact nor load exceeds the allowed overlap.
    pub fn softened(&self, young: f64, poisson: f64) -> Softened {
        let [impact, load] = self.hertz_overlaps(young, poisson);
        let depth = self.depth();
        // Overlaps scale as E^(-2/5) and E^(-2/3).
        let share = libm::pow(impact / depth, 2.5).max(libm::pow(load / depth, 1.5));
        let share = share.min(1.0);
        Softened {
            young: young * share,
            longer: libm::pow(share, -0.4),
            deeper: libm::pow(share, -2.0 / 3.0),
        }
    }
}

/// Returns the effective modulus of two bodies of the same material, Pa.
fn effective(young: f64, poisson: f64) -> f64 {
    young / (2.0 * (1.0 - poisson * poisson))
}
