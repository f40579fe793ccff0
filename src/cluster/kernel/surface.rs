//! Surfaces in the form used by the kernels of the plane and of space.

use crate::vector::{Lanes, Row};

/// Sums of the forces at a wall.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct WallSums {
    /// Energy dissipated by tangential forces, J.
    pub friction: f64,
    /// Force on the grains, N.
    pub force: [f64; 3],
    /// Moment of that force about the reference point, N m.
    pub moment: [f64; 3],
    /// Power of that force at the wall's velocity, W: work done by the wall.
    pub power: f64,
    /// Power of the dampers' share at the wall's velocity, W.
    pub damper_power: f64,
}

impl std::ops::AddAssign for WallSums {
    fn add_assign(&mut self, other: Self) {
        self.friction += other.friction;
        for k in 0..3 {
            self.force[k] += other.force[k];
            self.moment[k] += other.moment[k];
        }
        self.power += other.power;
        self.damper_power += other.damper_power;
    }
}

/// Geometry of eight grains relative to a surface.
pub struct WallLanes {
    /// Distance of the centre, m; very large without contact.
    pub distance: Row,
    /// Normal from the wall to the grain.
    pub normal: [Row; 3],
    /// Velocity of the wall at the contact, m/s.
    pub velocity: [Row; 3],
    /// Curvature for laws, 1/m ([`crate::contact::curved::equivalent`]); 0 if laws treat it as flat.
    pub curvature: Row,
}

/// Source of the geometry of a wall.
pub enum WallGeometry<'a> {
    /// A fixed flat piece: normal (2 or 3 components), offset; extent along a direction.
    Flat {
        /// Normal.
        normal: [f64; 3],
        /// Offset, m.
        offset: f64,
        /// Direction of the extent; `low` and `high` are infinite if it is unbounded.
        along: [f64; 3],
        /// Least coordinate along that direction, m.
        low: f64,
        /// Greatest coordinate, m.
        high: f64,
    },
    /// Precomputed lanes, one per batch.
    Lanes(&'a [WallLanes]),
}

/// Positions of eight centres relative to a surface, in N dimensions.
pub(super) struct Facing<L: Lanes, const N: usize> {
    /// From the surface to the centre.
    pub normal: [L; N],
    pub distance: L,
    /// Velocity of the surface at the contact.
    pub velocity: [L; N],
    /// Curvature of the surface for laws; 0 if it counts as flat.
    pub curvature: L,
    /// Lanes that face the surface between its ends.
    pub inside: u8,
}

impl<L: Lanes, const N: usize> Facing<L, N> {
    /// Lanes in which balls of these radii touch the surface.
    #[inline(always)]
    pub fn touch(&self, radius: L) -> u8 {
        L::bits(self.distance.less(radius)) & L::bits(L::splat(0.0).less(radius)) & self.inside
    }

    /// Effective radius in laws for balls of these radii: R r / (R + r).
    #[inline(always)]
    pub fn effective(&self, radius: L) -> L {
        radius.div(L::splat(1.0).add(self.curvature.mul(radius)))
    }
}

impl WallGeometry<'_> {
    /// Positions of the centres of a batch relative to the surface.
    #[inline(always)]
    pub(super) fn facing<L: Lanes, const N: usize>(
        &self,
        batch: usize,
        centre: [L; N],
    ) -> Facing<L, N> {
        let zero = L::splat(0.0);
        let mut facing = Facing {
            normal: [zero; N],
            distance: zero,
            velocity: [zero; N],
            curvature: zero,
            inside: 0xff,
        };
        match self {
            WallGeometry::Flat {
                normal,
                offset,
                along,
                low,
                high,
            } => {
                let mut place = zero;
                for k in 0..N {
                    facing.normal[k] = L::splat(normal[k]);
                    let across = facing.normal[k].mul(centre[k]);
                    let along = L::splat(along[k]).mul(centre[k]);
                    if k == 0 {
                        (facing.distance, place) = (across, along);
                    } else {
                        facing.distance = facing.distance.add(across);
                        place = place.add(along);
                    }
                }
                facing.distance = facing.distance.sub(L::splat(*offset));
                facing.inside =
                    L::bits(place.less(L::splat(*high))) & !L::bits(place.less(L::splat(*low)));
            }
            WallGeometry::Lanes(all) => {
                let lanes = &all[batch];
                for k in 0..N {
                    facing.normal[k] = L::load(&lanes.normal[k]);
                    facing.velocity[k] = L::load(&lanes.velocity[k]);
                }
                facing.distance = L::load(&lanes.distance);
                facing.curvature = L::load(&lanes.curvature);
            }
        }
        facing
    }
}
