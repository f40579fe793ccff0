//! A bed at rest whose grains grow or shrink while the walls stand: what a change of temperature
//! does to grains and walls that expand differently (thesis 4.7; Claudin & Bouchaud 1997).

use crate::geometry::{Dimension, Vector};
use crate::stress::{Element, Link, LinkState, Packing, Solver};

/// Gaps under this share of a radius were contacts, as where grains come to lie.
const TOUCH: f64 = 1e-6;

/// The packing as it is now, with all radii greater by `share` of themselves (less, if negative):
/// loads, forces and open pairs are those of `packing`, places too. Not yet in equilibrium:
/// [`Packing::relax`] brings it there; with a share of 0 it is there already. Links that were held
/// because they need dynamics are free again.
///
/// To first order: every pair comes nearer by `share` times the sum of its radii. Nodes of walls
/// stay where they are.
pub fn expanded<D: Dimension>(
    packing: &Packing<D>,
    share: f64,
    solver: Box<dyn Solver<D> + Send>,
) -> Packing<D> {
    let old = packing.network();
    let m = old.per_node();
    let mut new = Packing::new(old.freedom(), solver);
    let mut loads = Vec::with_capacity(old.nodes().len());
    for (key, node) in old.nodes().iter().enumerate() {
        let load = match old.row(key) {
            Some(row) => packing.loads()[row * m..(row + 1) * m].to_vec(),
            None => Vec::new(),
        };
        new.add_node(*node, &load);
        loads.push(load);
    }
    let moved = |node| {
        let row = old.row(node)?;
        Some(&packing.displacements()[row * m..(row + 1) * m])
    };
    for (key, link) in old.links().iter().enumerate() {
        let stress = packing.stress(key);
        let [a, b] = [link.a, link.b].map(|node| &old.nodes()[node]);
        let nearer = share * (a.radius + b.radius);
        // A pressed link is a gap below zero, so that it opens where its force ends.
        let gap = if stress.on {
            -stress.normal / link.kn
        } else {
            let apart = (b.position - a.position).norm() - a.radius - b.radius;
            let apart = if apart <= TOUCH * a.radius.max(b.radius) {
                0.0
            } else {
                apart
            };
            let strain = Element::in_state(link, LinkState::Grip, old.freedom())
                .strain(moved(link.a), moved(link.b));
            (apart - strain[0]).max(0.0)
        };
        let state = if stress.on {
            LinkState::Grip
        } else {
            LinkState::Off
        };
        let added = new.add_link(Link { state, ..*link }, gap - nearer);
        if !stress.on {
            continue;
        }
        // Friction is history: it goes over as it is, and the loads with it, which a prestress
        // alone would take for balanced.
        new.set_prestress(added, 0.0, stress.tangential);
        let on_a = -stress.tangential;
        for (node, force, arm) in [(link.a, on_a, link.arms[0]), (link.b, -on_a, link.arms[1])] {
            let load = &mut loads[node];
            if load.is_empty() {
                continue;
            }
            for k in 0..D::N {
                load[k] += force[k];
            }
            let moment = D::moment(arm, force);
            for k in D::N..m {
                load[k] += D::spin_component(moment, k - D::N);
            }
        }
    }
    for (key, load) in loads.iter().enumerate() {
        new.set_load(key, load);
    }
    new
}
