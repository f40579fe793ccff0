//! The state of one link.

use super::super::network::{Link, LinkState};
use super::rules::{Dissipated, Rules, Tension};
use crate::contact::lasting;
use crate::contact::slow::Line;
use crate::geometry::Dimension;

/// Strains and forces of the bars of a link: the first along the normal, the others tangential.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bond {
    /// Strain by the displacements of the nodes, m.
    pub strain: [f64; 3],
    /// Strain without stress: the gap, then the slide, m.
    pub offset: [f64; 3],
    /// Strain at the creation of the link: strains are relative to it, m.
    pub origin: [f64; 3],
    /// Linearized contact law; without tangential stiffness if it resists along its normal only.
    pub line: Line,
    /// Initial force, N.
    pub prestress: [f64; 3],
    /// Lesser of the nonzero radii at its ends, m.
    pub radius: f64,
    /// Whether the link is closed.
    pub on: bool,
    /// Whether the link never slides, whatever its stress.
    pub held: bool,
    /// Whether the link never opens, whatever its stress.
    pub clamped: bool,
}

/// Violation of a link's bounds, if any.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Fault {
    /// None; with the margin, N: the change of stress before a violation.
    None(f64),
    /// The link is open, and its stress if closed would be compressive, N.
    Overlap(f64),
    /// The tension exceeds the limit: the stress, N.
    Tension(f64),
    /// Stress in excess of Coulomb's bound, N.
    Excess(f64),
}

/// One slide of a link.
pub(super) struct Slide {
    /// Reduction of the tangential force, N.
    pub force: [f64; 3],
    /// Slide distance, m.
    pub step: f64,
    /// Energy dissipated.
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

    /// The overlap, m; negative for a gap.
    #[inline]
    pub fn overlap(&self) -> f64 {
        self.strain[0] - self.offset[0]
    }

    /// Compressive stress that an open elastic link would have if it were closed, N.
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

    /// Adopts a new linearized law; a tangential spring that becomes stiffer keeps its force.
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

    /// Whether the tension is so great that the link opens.
    #[inline]
    pub fn parts(&self) -> bool {
        self.normal() < -self.line.pull
    }

    /// Coulomb's bound for the normal stress plus the grip, N. A tension within the tolerance enters the bound
    /// unchanged, so that the bound is smooth there; for a greater tension, in a link that stays closed, it is zero.
    #[inline]
    pub fn bound(&self, rules: &Rules) -> f64 {
        let presses = self.normal() + self.line.grip;
        if presses < -rules.tolerance {
            0.0
        } else {
            self.line.friction * presses
        }
    }

    /// The violation of its bounds.
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

    /// Slides to the bound while its nodes are fixed.
    #[inline]
    pub fn slide<D: Dimension>(&mut self, excess: f64) -> Slide {
        let tangential = self.tangential();
        let shear = self.shear::<D>();
        let bound = shear - excess;
        let step = excess / self.line.tangential;
        let mut force = [0.0; 3];
        for k in 1..D::N {
            // In the plane the quotient equals this to the bit.
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

    /// Greatest change of the margin for given changes of strain, m, of any sign.
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
