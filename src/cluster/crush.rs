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
            // Parts of clumps are by themselves, arcs are not (as below).
            let size = |ball: u32| arrays.radius(self.candidate(ball) as usize);
            let (radius, other) = match link.b {
                Other::Slot(b) => (size(link.balls[1]), arrays.material[b as usize]),
                Other::Boundary(wall) => (
                    f64::INFINITY,
                    self.boundaries[usize::from(wall)].boundary.material,
                ),
            };
            see(Deepest {
                a: link.a,
                b: link.b,
                share: link.kinematics.overlap / size(link.balls[0]).min(radius),
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
        for class in &self.state.pairs {
            let lists = &class.lists;
            each_link(&lists.flags, |i, k| {
                let (a, b) = (lists.batches[i].a[k], lists.batches[i].b[k]);
                let d = self.motion(a as usize).position - self.motion(b as usize).position;
                let d = self.shortest(d);
                let (ra, rb) = (arrays.radius(a as usize), arrays.radius(b as usize));
                let size = arrays.radius(self.candidate(a) as usize);
                let size = size.min(arrays.radius(self.candidate(b) as usize));
                see(Deepest {
                    a: self.owner(a),
                    b: Other::Slot(self.owner(b)),
                    // Arcs are not by themselves: flat ones have larger radii than their grain, and the
                    // round ones of corners may go in deeper than theirs.
                    share: (ra + rb - d.norm()) / size,
                    materials: class.materials,
                });
            });
        }
        for (index, class) in self.state.walls.iter().enumerate() {
            let wall = &self.boundaries[usize::from(class.boundary)].boundary;
            each_link(&class.lists.flags, |i, k| {
                let a = class.lists.batches[i].a[k];
                if let Some(link) = self.wall_kinematics(index, class.lists.batches[i].of(k)) {
                    let size = arrays.radius(self.candidate(a) as usize);
                    see(Deepest {
                        a: self.owner(a),
                        b: Other::Boundary(class.boundary),
                        share: link.overlap / size,
                        materials: [class.material, wall.material],
                    });
                }
            });
        }
        deepest
    }
}
