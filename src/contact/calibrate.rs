//! From what is measured on two equal grains (restitution, friction, moduli) to the parameters of a law.

use super::{Linear, damping_ratio};

/// What is known of two equal grains, and how deep they may go into each other.
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
    /// Speed at which they meet, m/s.
    pub speed: f64,
    /// Force that presses them together at rest, N.
    pub load: f64,
    /// Greatest overlap that is let, over the radius.
    pub overlap: f64,
}

/// A modulus that may be taken for the real one, and what that does.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Softened {
    /// The modulus, Pa: the real one where that lets no more overlap than is asked.
    pub young: f64,
    /// Overlaps in impacts and contact times, and about the step, times those of the real one: (E / E')^(2/5).
    pub longer: f64,
    /// Overlaps under a load times those of the real one: (E / E')^(2/3).
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

    /// Spring and dashpot. Stiffness: an impact without loss goes v sqrt(m / k) deep, a load F / k. Damping: that of the
    /// restitution ([`damping_ratio()`]). Tangential: the same period and damping ratio as along the normal, where a
    /// contact's mass is less by 1 + 1/b for a moment of inertia b m r^2 (so that kt = 2/7 kn of spheres, 1/3 kn of disks).
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

    /// Time that an impact of the linear law lasts without loss, s: pi sqrt(m / k).
    pub fn linear_time(&self, stiffness: f64) -> f64 {
        std::f64::consts::PI * (self.effective_mass() / stiffness).sqrt()
    }

    /// Greatest overlaps, m, of an impact and under the load, by Hertz with a modulus (Pa) and Poisson's ratio.
    pub fn hertz_overlaps(&self, young: f64, poisson: f64) -> [f64; 2] {
        let scale = effective(young, poisson) * self.effective_radius().sqrt();
        let energy = self.effective_mass() * self.speed * self.speed;
        [
            libm::pow(15.0 / 16.0 * energy / scale, 0.4),
            libm::pow(0.75 * self.load / scale, 2.0 / 3.0),
        ]
    }

    /// Time that an impact by Hertz lasts without loss, s: 2.94 overlap / speed (Johnson 1985, eq. 11.24).
    pub fn hertz_time(&self, overlap: f64) -> f64 {
        2.94 * overlap / self.speed
    }

    /// The modulus with which neither impact nor load goes deeper than is let.
    pub fn softened(&self, young: f64, poisson: f64) -> Softened {
        let [impact, load] = self.hertz_overlaps(young, poisson);
        let depth = self.depth();
        // Overlaps go as E^(-2/5) and E^(-2/3).
        let share = libm::pow(impact / depth, 2.5).max(libm::pow(load / depth, 1.5));
        let share = share.min(1.0);
        Softened {
            young: young * share,
            longer: libm::pow(share, -0.4),
            deeper: libm::pow(share, -2.0 / 3.0),
        }
    }
}

/// Effective modulus of two bodies of the same material, Pa.
fn effective(young: f64, poisson: f64) -> f64 {
    young / (2.0 * (1.0 - poisson * poisson))
}
