//! Rattlers: grains that move in a jam although nothing that bears the load moves.
//!
//! Above an arch single grains swing in their pockets for long, since little damps a grain that rolls. They do not count
//! in the question whether anything can move: their supports bear their weight and no more, now as before.

use std::collections::BTreeMap;

use petgraph::unionfind::UnionFind;
use serde::{Deserialize, Serialize};

/// Upper bound of a rattler's kinetic energy over m g d: it rises by a quarter of its diameter, and leaves no pocket. A
/// grain that falls or rolls down has more before half of the checks are over.
pub(super) const SWINGS: f64 = 0.25;
/// Share of the grains that may be rattlers, besides two.
const SHARE: f64 = 0.05;
/// Greatest force on rattlers from above, over the weight of one.
const PRESSED: f64 = 0.1;
/// Greatest sum of all forces on rattlers, over their weight: two supports of a disk give 1.2 in the densest packing, 2
/// where they are 60 degrees off the vertical, and 3 or more if another grain lies on top.
const HELD: f64 = 3.0;

/// A contact of a moving grain.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Touch {
    /// Number of the other grain; `None`: a wall.
    pub other: Option<u32>,
    /// Component along gravity of the force on the grain, N.
    pub down: f64,
    /// Magnitude of that force, N.
    pub force: f64,
}

/// A moving grain.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Mover {
    /// Number of the grain.
    pub id: u32,
    /// Kinetic energy over m g d.
    pub energy: f64,
    /// Distance from its position at the first calm check, over its diameter; and whether it is on its way back.
    pub gone: f64,
    pub returns: bool,
    /// Weight, N.
    pub weight: f64,
    /// Contacts.
    pub touches: Vec<Touch>,
}

/// Returns whether so few of all grains move that they can be rattlers.
pub(super) fn are_few(movers: usize, grains: usize) -> bool {
    movers as f64 <= 2.0 + SHARE * grains as f64
}

/// Returns whether all moving grains are rattlers, in so many dimensions. Moving grains in touch count as one body. A body is a
/// rattler if it bears nothing but itself; or if it is a single grain with so few contacts that it turns about
/// them while they stay (one in the plane, two in space), whatever forces they carry. A hopping grain has no contact for moments.
pub(super) fn all_rattle(movers: &[Mover], dimensions: usize) -> bool {
    let place: BTreeMap<u32, usize> = movers.iter().zip(0..).map(|(m, k)| (m.id, k)).collect();
    if movers
        .iter()
        .any(|m| m.energy.is_nan() || m.energy >= SWINGS)
    {
        return false;
    }
    let among = |touch: &Touch| touch.other.and_then(|id| place.get(&id).copied());
    let mut joined = UnionFind::new(movers.len());
    for (at, mover) in movers.iter().enumerate() {
        for other in mover.touches.iter().filter_map(among) {
            joined.union(at, other);
        }
    }
    let mut groups: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for (at, label) in joined.into_labeling().into_iter().enumerate() {
        groups.entry(label).or_default().push(at);
    }
    for group in groups.into_values() {
        let (mut weight, mut least) = (0.0, f64::INFINITY);
        let (mut pressed, mut held) = (0.0, 0.0);
        for &at in &group {
            let mover = &movers[at];
            weight += mover.weight;
            least = mover.weight.min(least);
            for touch in mover.touches.iter().filter(|touch| among(touch).is_none()) {
                pressed += touch.down.max(0.0);
                held += touch.force;
            }
        }
        let bears_nothing = pressed <= PRESSED * least && held <= HELD * weight;
        let alone = &movers[group[0]];
        let hinged = group.len() == 1 && alone.touches.len() < dimensions;
        if !bears_nothing && !hinged {
            return false;
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mover(id: u32, energy: f64, touches: &[(Option<u32>, f64, f64)]) -> Mover {
        let touch = |&(other, down, force): &(Option<u32>, f64, f64)| Touch { other, down, force };
        Mover {
            id,
            energy,
            gone: 0.0,
            returns: false,
            weight: 2.0,
            touches: touches.iter().map(touch).collect(),
        }
    }

    #[test]
    fn what_bears_nothing_may_swing() {
        // One on two others, one on a wall alone, and two beside each other.
        let lies = mover(3, 1e-3, &[(Some(7), -1.0, 1.2), (Some(9), -1.0, 1.2)]);
        let rolls = mover(4, 1e-2, &[(None, -2.0, 2.0)]);
        let pair = [
            mover(5, 1e-4, &[(Some(6), 0.4, 0.9), (None, -2.4, 2.5)]),
            mover(6, 1e-4, &[(Some(5), -0.4, 0.9), (Some(11), -1.6, 1.7)]),
        ];
        let mut all = vec![lies.clone(), rolls.clone()];
        all.extend(pair);
        for dimensions in [2, 3] {
            assert!(all_rattle(&[], dimensions));
            assert!(all_rattle(&all, dimensions));
        }
        // In the air for a moment; with too much energy, in touch or not.
        let hops = mover(8, 1e-3, &[]);
        assert!(all_rattle(&[hops, lies.clone()], 2));
        assert!(!all_rattle(&[mover(8, 0.3, &[])], 2));
        assert!(!all_rattle(&[mover(4, 0.3, &[(None, -2.0, 2.0)])], 2));
        assert!(!all_rattle(&[mover(4, f64::NAN, &[(None, -2.0, 2.0)])], 2));
        // With a grain on top it bears that grain.
        let under = mover(
            3,
            1e-3,
            &[
                (Some(7), -2.0, 2.3),
                (Some(9), -2.0, 2.3),
                (Some(8), 2.0, 2.0),
            ],
        );
        assert!(!all_rattle(&[lies, under], 2));
    }

    #[test]
    fn what_is_wedged_moves_only_about_its_contacts() {
        let hinge = |energy| mover(1, energy, &[(Some(2), 79.0, 80.0), (None, -81.0, 82.0)]);
        assert!(all_rattle(&[hinge(5e-3)], 3));
        assert!(!all_rattle(&[hinge(0.3)], 3));
        // A disk that slides between two others is no hinge.
        assert!(!all_rattle(&[hinge(5e-3)], 2));
        // Nor is a ball with which a neighbour moves.
        let other = mover(2, 1e-5, &[(Some(1), -79.0, 80.0), (None, 77.0, 78.0)]);
        assert!(!all_rattle(&[hinge(5e-3), other], 3));
    }

    #[test]
    fn many_that_move_are_no_rattlers() {
        assert!(are_few(2, 3) && are_few(7, 100) && !are_few(8, 100));
    }
}
