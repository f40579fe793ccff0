//! The state of one link.

use super::super::network::{Link, LinkState};
use super::rules::{Dissipated, Rules, Tension};
use crate::contact::lasting;
use crate::contact::slow::Line;
use crate::geometry::Dimension;

/// Strains and forces of the bars of a link: the first along the normal, the others across it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bond {
    /// Of the nodes, m.
    pub strain: [f64; 3],
    /// Strain without stress: the gap, then the slide, m.
    pub offset: [f64; 3],
    /// Displacement at which the link was made: strains count from there, m.
    pub origin: [f64; 3],
    /// The spring that it is; without stiffness across when it resists along its normal only.
    pub line: Line,
    /// Force that was there before, N.
    pub prestress: [f64; 3],
    /// The lesser radius of those at its ends that have one, m.
    pub radius: f64,
    /// Not apart.
    pub on: bool,
    /// Does not slide, whatever its stress.
    pub held: bool,
    /// Does not let go, whatever its stress.
    pub clamped: bool,
}

/// What is wrong with a link, if anything.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Fault {
    /// Nothing: the stress that it could lose or gain before there is, N.
    None(f64),
    /// It is apart and would press with this stress, N.
    Overlap(f64),
    /// It is in more tension than it bears: its stress, N.
    Tension(f64),
    /// It is beyond Coulomb's bound by this stress, N.
    Excess(f64),
}

/// One slide of a link.
pub(super) struct Slide {
    /// Across the normal: what it no longer gives, N.
    pub force: [f64; 3],
    /// How far, m.
    pub step: f64,
    /// Turned to heat.
    pub energy: Dissipated,
}

impl Bond {
    pub fn new<D: Dimension>(link: &Link<D>, radius: f64) -> Self {
        Bond {
            strain: [0.0; 3],
            offset: [0.0; 3],
            origin: [0.0; 3],
            line: Line {
                stiffness: link.kn,
                free: 0.0,
                touches: 0.0,
                pull: 0.0,
                grip: 0.0,
                friction: link.friction,
                tangential: if link.state == LinkState::Slide {
                    0.0
                } else {
                    link.kt
                },
                ends: true,
            },
            prestress: [0.0; 3],
            radius,
            on: link.state != LinkState::Off,
            held: false,
            clamped: false,
        }
    }

    #[inline]
    pub fn stiffness(&self, bar: usize) -> f64 {
        if bar == 0 {
            self.line.stiffness
        } else {
            self.line.tangential
        }
    }

    /// The overlap, m; under 0 a gap.
    #[inline]
    pub fn overlap(&self) -> f64 {
        self.strain[0] - self.offset[0]
    }

    /// What an elastic link that is apart would press with if it were on, N.
    #[inline]
    fn projected(&self) -> f64 {
        self.line.stiffness * (self.overlap() - self.line.touches) + self.prestress[0]
    }

    /// Strain of a bar without stress, m.
    #[inline]
    pub fn unstressed(&self, bar: usize) -> f64 {
        self.offset[bar] + if bar == 0 { self.line.free } else { 0.0 }
    }

    /// Stress of a bar, N.
    #[inline]
    pub fn bar(&self, bar: usize) -> f64 {
        if !self.on {
            return 0.0;
        }
        self.stiffness(bar) * (self.strain[bar] - self.unstressed(bar)) + self.prestress[bar]
    }

    #[inline]
    pub fn normal(&self) -> f64 {
        self.bar(0)
    }

    #[inline]
    pub fn tangential(&self) -> [f64; 2] {
        [self.bar(1), self.bar(2)]
    }

    /// Becomes a spring of its own; one across that grows stiffer keeps its force.
    pub fn follow(&mut self, line: &Line) {
        let before = self.line.tangential;
        self.line = *line;
        if before == 0.0 {
            self.line.tangential = 0.0;
            return;
        }
        let kept = lasting(before, line.tangential);
        for k in 1..3 {
            self.offset[k] = self.strain[k] - kept * (self.strain[k] - self.offset[k]);
        }
    }

    /// Elastic energy, J.
    pub fn energy(&self) -> f64 {
        let t = self.tangential();
        let normal = self.normal() * self.normal() / self.line.stiffness;
        let across = (t[0] * t[0] + t[1] * t[1]) / self.line.tangential;
        0.5 * (normal
            + if self.line.tangential > 0.0 {
                across
            } else {
                0.0
            })
    }

    /// Magnitude of the tangential stress, N.
    #[inline]
    pub fn shear<D: Dimension>(&self) -> f64 {
        let s = self.bar(1);
        if D::N == 2 {
            return s.abs();
        }
        let t = self.bar(2);
        if t == 0.0 {
            return s.abs();
        }
        (s * s + t * t).sqrt()
    }

    /// Whether it bears so much tension that it lets go.
    #[inline]
    pub fn parts(&self) -> bool {
        self.normal() < -self.line.pull
    }

    /// Coulomb's bound, N. A tension within the tolerance counts as it is, so that the bound stays
    /// smooth there; a greater one, of a link that holds, gives none.
    #[inline]
    pub fn bound(&self, rules: &Rules) -> f64 {
        let presses = self.normal() + self.line.grip;
        if presses < -rules.tolerance {
            0.0
        } else {
            self.line.friction * presses
        }
    }

    /// What is wrong with it.
    #[inline]
    pub fn fault<D: Dimension>(&self, rules: &Rules) -> Fault {
        let tolerance = rules.tolerance;
        if !self.on {
            let projected = self.projected();
            return if projected > tolerance {
                Fault::Overlap(projected)
            } else {
                Fault::None(tolerance - projected)
            };
        }
        let mut margin = f64::INFINITY;
        if rules.tension == Tension::Break && !self.clamped {
            let normal = self.normal();
            if normal < -tolerance - self.line.pull {
                return Fault::Tension(normal);
            }
            margin = normal + tolerance + self.line.pull;
        }
        if rules.slides && self.line.tangential > 0.0 && !self.held {
            let excess = self.shear::<D>() - self.bound(rules);
            if excess > tolerance {
                return Fault::Excess(excess);
            }
            margin = margin.min(tolerance - excess);
        }
        Fault::None(margin)
    }

    /// Slides until it is at its bound, its nodes standing still.
    #[inline]
    pub fn slide<D: Dimension>(&mut self, excess: f64) -> Slide {
        let tangential = self.tangential();
        let shear = self.shear::<D>();
        let bound = shear - excess;
        let step = excess / self.line.tangential;
        let mut force = [0.0; 3];
        for k in 1..D::N {
            // In the plane the quotient is this to the bit.
            let part = if D::N == 2 {
                tangential[0].signum()
            } else {
                tangential[k - 1] / shear
            };
            self.offset[k] += step * part;
            force[k] = excess * part;
        }
        Slide {
            force,
            step,
            energy: Dissipated {
                elastic: 0.5 * (shear + bound) * step,
                friction: bound * step,
                literal: shear * step,
            },
        }
    }

    /// How much the margin may change for given changes of strain, m, of any sign.
    #[inline]
    pub fn sway(&self, strain: &[f64]) -> f64 {
        let normal = self.line.stiffness * strain[0].abs();
        let mut across = 0.0;
        for s in &strain[1..] {
            across += s.abs();
        }
        normal.max(self.line.tangential * across + self.line.friction * normal)
    }
}
