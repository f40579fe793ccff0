//! Expansion of the grains of a bed at rest between walls that stay: the effect of a change of temperature
//! on grains and walls that expand differently (thesis 4.7; Claudin & Bouchaud 1997).

use crate::geometry::{Dimension, Vector};
use crate::stress::{Element, Link, LinkState, Node, Packing, Solver};

/// Share of a radius below which a gap counts as a contact, as where grains come to lie.
const TOUCH: f64 = 1e-6;

/// Returns the present packing with all radii increased by `share` of themselves (reduced, if negative): loads, forces and open pairs
/// are those of `packing`, positions are the displaced ones. It is not in equilibrium until [`Packing::relax`] brings it there; with a
/// share of 0 it already is. Links that were held because they require dynamics are free again.
///
/// To first order: every pair comes nearer by `share` times the sum of its radii. Nodes of walls
/// stay where they are.
pub fn expanded<D: Dimension>(
    packing: &Packing<D>,
    share: f64,
    solver: Box<dyn Solver<D> + Send>,
) -> Packing<'static, D> {
    let old = packing.network();
    let m = old.per_node();
    let mut new = Packing::new(old.freedom(), solver);
    // All loads, including those that prestress balances: the residual, less the forces of links.
    // Tangential forces become prestress, which balances its part of them again.
    let mut loads = packing.residual();
    let moved = |node| {
        let row = old.row(node)?;
        Some(&packing.displacements()[row * m..(row + 1) * m])
    };
    // Displacements begin at zero; open pairs must include those so far.
    for (key, node) in old.nodes().iter().enumerate() {
        let position = match moved(key) {
            Some(u) => node.position + D::Vector::from_fn(|k| u[k]),
            None => node.position,
        };
        new.add_node(Node { position, ..*node }, &[]);
    }
    for (key, link) in old.links().iter().enumerate() {
        let stress = packing.stress(key);
        let [a, b] = [link.a, link.b].map(|node| &old.nodes()[node]);
        let nearer = share * (a.radius + b.radius);
        // A pressed link has a negative gap, so that it opens where its force ends.
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
        // Friction is history: the tangential force is kept as it is.
        new.set_prestress(added, 0.0, stress.tangential);
        let on_a = link.normal * -stress.normal;
        for (node, force, arm) in [(link.a, on_a, link.arms[0]), (link.b, -on_a, link.arms[1])] {
            let Some(row) = old.row(node) else {
                continue;
            };
            let load = &mut loads[row * m..(row + 1) * m];
            let moment = D::moment(arm, force);
            for k in 0..m {
                load[k] -= if k < D::N {
                    force[k]
                } else {
                    D::spin_component(moment, k - D::N)
                };
            }
        }
    }
    for key in 0..old.nodes().len() {
        if let Some(row) = old.row(key) {
            new.set_load(key, &loads[row * m..(row + 1) * m]);
        }
    }
    new
}
