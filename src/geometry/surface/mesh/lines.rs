//! Ridges and tips of a mesh, where facets meet or end: collinear edges are merged to ridges, and the ends of these
//! are tips.

use std::sync::Arc;

use super::facet::{Border, Facet, Limit, Ridge, Tip};
use super::{Edge, Net, Plane};
use crate::geometry::Vector;
use crate::geometry::surface::SpatialSurface;

type V3 = nalgebra::Vector3<f64>;

/// Cosine of 3 degrees. In the hollow of a ridge with an angle a the second facet is touched when the overlap with
/// the first exceeds r a^2 / 2: at a smaller angle a link would begin at a finite overlap.
const NEARLY_STRAIGHT: f64 = 0.998_63;
/// Distance from an edge, in hairs, at which the facet is tested if there is a sliver.
const ASIDE: f64 = 16.0;
/// Greatest number of collinear sides that form one ridge.
const LONGEST_CHAIN: usize = 4096;

/// An edge that grains can touch: where facets meet or end.
pub(super) struct Felt {
    ends: [u32; 2],
    /// Facets, ascending.
    facets: Vec<u32>,
    borders: Vec<Border>,
}

/// Returns for each facet those that meet it nearly straight.
pub(super) fn beside(planes: &[Plane], felt: &[Felt]) -> Vec<Vec<u32>> {
    let mut beside: Vec<Vec<u32>> = vec![Vec::new(); planes.len()];
    for edge in felt {
        for &a in &edge.facets {
            for &b in edge.facets.iter().filter(|&&b| b != a) {
                let cosine = Vector::dot(&planes[a as usize].0, &planes[b as usize].0);
                if cosine.abs() > NEARLY_STRAIGHT && !beside[a as usize].contains(&b) {
                    beside[a as usize].push(b);
                }
            }
        }
    }
    beside
}

impl Net {
    /// Returns the edges where facets meet or end, and the others: within a facet, or hidden in it.
    pub(super) fn felt(
        &self,
        facet_of: &[u32],
        borders: &[[Border; 3]],
        facets: &[Facet],
    ) -> (Vec<Felt>, Vec<[u32; 2]>) {
        let (mut felt, mut seams) = (Vec::new(), Vec::new());
        for edge in &self.edges {
            let of = |&(face, _): &(u32, u8)| facet_of[face as usize];
            let mut meeting: Vec<u32> = edge.sides.iter().map(of).collect();
            meeting.sort_unstable();
            meeting.dedup();
            let mut limits = Some(Vec::new());
            for &facet in &meeting {
                let own = edge.sides.iter().filter(|side| of(side) == facet);
                let found = self.limits(edge, own, borders, &facets[facet as usize]);
                limits = limits.zip(found).map(|(mut all, mut found)| {
                    all.append(&mut found);
                    all
                });
            }
            match limits {
                None => seams.push(edge.ends),
                Some(borders) => felt.push(Felt {
                    ends: edge.ends,
                    facets: meeting,
                    borders,
                }),
            }
        }
        (felt, seams)
    }

    /// Returns the borders of a facet at an edge; none where it continues beyond it.
    fn limits<'a>(
        &self,
        edge: &Edge,
        sides: impl Iterator<Item = &'a (u32, u8)>,
        borders: &[[Border; 3]],
        facet: &Facet,
    ) -> Option<Vec<Border>> {
        let sides: Vec<(u32, u8)> = sides.copied().collect();
        let border = |(face, side): (u32, u8)| borders[face as usize][side as usize];
        let own: Vec<Border> = sides.iter().map(|&side| border(side)).collect();
        let opposite = |a: &Border, b: &Border| Vector::dot(&a.inward, &b.inward) < 0.0;
        if own.iter().any(|a| opposite(a, &own[0])) {
            return None;
        }
        if !sides.iter().any(|&(face, _)| self.thin[face as usize]) {
            return Some(own);
        }
        // A sliver may be turned over: the facet is therefore tested slightly off the edge.
        let [p, q] = edge.ends.map(|i| self.corners[i as usize]);
        let lies = |sign: f64| {
            let way = own[0].inward * (sign * ASIDE * self.hair);
            let at = |share: f64| p + (q - p) * share + way;
            [0.25, 0.5, 0.75]
                .iter()
                .all(|&share| facet.covers(at(share)))
        };
        match [lies(1.0), lies(-1.0)] {
            [true, true] => None,
            [false, true] => Some(vec![Border {
                inward: -own[0].inward,
                from: -Vector::dot(&own[0].inward, &p) - self.rounding,
            }]),
            _ => Some(own),
        }
    }

    /// Merges collinear edges to ridges; edges that end in a corner limit its tip.
    pub(super) fn ridges_and_tips(
        &self,
        felt: &[Felt],
        seams: &[[u32; 2]],
        pieces: &mut Vec<SpatialSurface>,
    ) {
        let at = |i: u32| self.corners[i as usize];
        let mut limits: Vec<Vec<Limit>> = vec![Vec::new(); self.corners.len()];
        let mut is_end = vec![false; self.corners.len()];
        for chain in self.chains(felt) {
            let (from, to) = (chain[0].0, chain[chain.len() - 1].1);
            let stretches = chain.iter().map(|&(_, far, edge)| {
                let borders = felt[edge as usize].borders.clone();
                (at(far), borders)
            });
            let ridge = Ridge::new(at(from), at(to), stretches.collect());
            for (corner, at_end) in [(from, false), (to, true)] {
                is_end[corner as usize] = true;
                limits[corner as usize].push(ridge.limit(at_end));
            }
            pieces.push(SpatialSurface::Ridge(Arc::new(ridge)));
        }
        for &[from, to] in seams {
            for (corner, at_end) in [(from, false), (to, true)] {
                if is_end[corner as usize] {
                    let limit = Limit::of(at(from), at(to), at_end);
                    limits[corner as usize].push(limit);
                }
            }
        }
        let tips = limits.into_iter().zip(is_end).enumerate();
        pieces.extend(
            tips.filter(|(_, (_, is_end))| *is_end)
                .map(|(corner, (limits, _))| {
                    SpatialSurface::Tip(Arc::new(Tip::new(at(corner as u32), limits)))
                }),
        );
    }

    /// Returns chains of collinear edges between the same facets: from corner, to corner, number.
    fn chains(&self, felt: &[Felt]) -> Vec<Vec<(u32, u32, u32)>> {
        let mut at_corner: Vec<Vec<u32>> = vec![Vec::new(); self.corners.len()];
        for (k, edge) in felt.iter().enumerate() {
            for corner in edge.ends {
                at_corner[corner as usize].push(k as u32);
            }
        }
        // Returns the edge that continues an edge in line beyond one of its corners.
        let after = |edge: u32, corner: u32| {
            let [a, b] = *at_corner[corner as usize].as_slice() else {
                return None;
            };
            let other = if a == edge { b } else { a };
            (felt[a as usize].facets == felt[b as usize].facets).then_some(other)
        };
        let other_end = |edge: u32, corner: u32| {
            let [a, b] = felt[edge as usize].ends;
            if a == corner { b } else { a }
        };
        let at = |i: u32| self.corners[i as usize];
        let near = self.hair;
        let mut used = vec![false; felt.len()];
        // Follows each edge as far as it is straight: first in one direction, to find an end, then in the other.
        let walk = |edge: u32, from: u32, used: &[bool]| {
            let mut chain = vec![(from, other_end(edge, from), edge)];
            while chain.len() < LONGEST_CHAIN {
                let (_, corner, last) = chain[chain.len() - 1];
                let Some(next) = after(last, corner) else {
                    break;
                };
                let far = other_end(next, corner);
                let chord = at(far) - at(from);
                let square = chord.norm_squared();
                let in_line = |x: V3| {
                    let share = Vector::dot(&(x - at(from)), &chord) / square;
                    let off = Vector::norm(&(x - (at(from) + chord * share)));
                    0.0 < share && share < 1.0 && off <= near
                };
                let new = !used[next as usize] && chain.iter().all(|link| link.2 != next);
                if !new || square == 0.0 || !chain.iter().all(|link| in_line(at(link.1))) {
                    break;
                }
                chain.push((corner, far, next));
            }
            chain
        };
        let mut chains = Vec::new();
        for edge in 0..felt.len() as u32 {
            // Repeated where the backward chain is longer in line than the forward one.
            while !used[edge as usize] {
                let back = walk(edge, felt[edge as usize].ends[1], &used);
                let (_, start, first) = back[back.len() - 1];
                let chain = walk(first, start, &used);
                for &(_, _, edge) in &chain {
                    used[edge as usize] = true;
                }
                chains.push(chain);
            }
        }
        chains
    }
}
