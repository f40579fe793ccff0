//! Links that are pressed deeper than any law means.

use super::arrays::Arrays;
use super::integrate::Integrate;
use super::lists::each_link;
use super::{Engine, Other};
use crate::geometry::Vector;

/// The link that is pressed deepest, in proportion to its grains.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Deepest {
    /// Slot of the first grain.
    pub a: u32,
    /// The other body.
    pub b: Other,
    /// Overlap over the smaller radius.
    pub share: f64,
    /// Materials of the two.
    pub materials: [u16; 2],
}

impl<D: Integrate> Engine<D> {
    /// The deepest of all links, those between grains that stand still included; of equals, the first
    /// in the order of links, theirs last.
    pub fn deepest(&self) -> Option<Deepest> {
        let arrays: &Arrays<D> = &self.state.arrays;
        let mut deepest = self.deepest_stepped();
        let mut see = |link: Deepest| {
            if deepest.is_none_or(|d| link.share > d.share) {
                deepest = Some(link);
            }
        };
        self.each_still_link(|link| {
            let a = link.a as usize;
            let (radius, other) = match link.b {
                Other::Slot(b) => (arrays.radius(b as usize), arrays.material[b as usize]),
                Other::Boundary(wall) => (
                    f64::INFINITY,
                    self.boundaries[usize::from(wall)].boundary.material,
                ),
            };
            see(Deepest {
                a: link.a,
                b: link.b,
                share: link.kinematics.overlap / arrays.radius(a).min(radius),
                materials: [arrays.material[a], other],
            });
        });
        deepest
    }

    /// The deepest of the links of stepped grains that were in touch at the last evaluation, where it
    /// stands now; of equals, the first in the order of links. Cheap, but not for every step. Links
    /// between grains that stand still get deeper only when loads are carried.
    pub fn deepest_stepped(&self) -> Option<Deepest> {
        let arrays: &Arrays<D> = &self.state.arrays;
        let mut deepest: Option<Deepest> = None;
        let mut see = |link: Deepest| {
            if deepest.is_none_or(|d| link.share > d.share) {
                deepest = Some(link);
            }
        };
        let lengths = self.lengths();
        for class in &self.state.pairs {
            let lists = &class.lists;
            each_link(&lists.flags, |i, k| {
                let (a, b) = (lists.batches[i].a[k], lists.batches[i].b[k]);
                let mut d = arrays.position(a as usize) - arrays.position(b as usize);
                if let Some(lengths) = lengths {
                    for k in 0..D::N {
                        if lengths[k] > 0.0 {
                            d[k] -= lengths[k] * (d[k] / lengths[k]).round();
                        }
                    }
                }
                let (ra, rb) = (arrays.radius(a as usize), arrays.radius(b as usize));
                // A flat arc has a radius larger than its grain.
                let (a, b) = (self.owner(a), self.owner(b));
                let whole = arrays.radius(a as usize).min(arrays.radius(b as usize));
                see(Deepest {
                    a,
                    b: Other::Slot(b),
                    share: (ra + rb - d.norm()) / ra.min(rb).min(whole),
                    materials: class.materials,
                });
            });
        }
        for (index, class) in self.state.walls.iter().enumerate() {
            let wall = &self.boundaries[usize::from(class.boundary)].boundary;
            each_link(&class.lists.flags, |i, k| {
                let a = class.lists.batches[i].a[k];
                if let Some(link) = self.wall_kinematics(index, a) {
                    let grain = self.owner(a);
                    let whole = arrays.radius(grain as usize);
                    see(Deepest {
                        a: grain,
                        b: Other::Boundary(class.boundary),
                        share: link.overlap / arrays.radius(a as usize).min(whole),
                        materials: [class.material, wall.material],
                    });
                }
            });
        }
        deepest
    }
}
