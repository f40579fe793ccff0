//! Transition from motion to equilibrium: the links of a moving system as a network with their
//! present forces.
//!
//! Frictional forces are history: a solve from unstressed links would invent others. The forces are
//! therefore kept as they are, and only increments are solved from then on (`Handover::load` is
//! the part not yet balanced).

use super::jam_watch::JamWatch;
use super::{Setup, field_loads, outlet};
use crate::body::Lever;
use crate::cluster;
use crate::cluster::integrate::Integrate;
use crate::cluster::{Other, World};
use crate::field::FieldSet;
use crate::geometry::Dimension;
use crate::record::BodyRef;
use crate::stress::{Freedom, Link, LinkState, Network, Node};

/// A network with the forces of its links.
#[derive(Clone, Debug)]
pub struct Handover<D: Dimension> {
    /// Grains as free nodes in order of number, then a fixed node for each contact with a wall.
    pub network: Network<D>,
    /// Body of each node.
    pub bodies: Vec<BodyRef>,
    /// For each link the normal force (N, positive in compression) and the tangential force on
    /// its first node (N).
    pub forces: Vec<(f64, D::Vector)>,
    /// By rows of the network: sum of weight and link forces, N and N m. Zero in a
    /// system at rest.
    pub load: Vec<f64>,
}

/// Returns the links in touch as a network of full freedom, with their present forces.
pub(super) fn handover<D: Integrate>(
    setup: &Setup<D>,
    world: &World<D>,
    fields: &FieldSet<D>,
    watch: &JamWatch,
) -> Handover<D> {
    let mut network = Network::new(Freedom::Full);
    let mut bodies = Vec::new();
    let mut grains = outlet::grains_at(world, watch, world.clock.time());
    grains.sort_by_key(|grain| grain.id);
    for grain in &grains {
        network.add_node(Node {
            position: grain.position,
            radius: grain.radius,
            fixed: false,
        });
        bodies.push(BodyRef::Grain(grain.id));
    }
    let node = |id: u32| grains.partition_point(|grain| grain.id < id);
    let arrays = &world.grains.arrays;
    let mut forces = Vec::new();
    cluster::observe::each_contact(world, |view| {
        let k = &view.kinematics;
        let a = node(arrays.id[view.a as usize]);
        // The engine's normal points from the second body to the first.
        let normal = -k.normal;
        let levers = cluster::bodies::levers(&world.shapes, &world.grains, &view);
        // Vector from the centre of a grain to its surface in a direction, by the part that is in touch.
        let arm = |grain: usize, lever: &Lever<D>, direction: D::Vector| {
            let radius = grains[grain].radius;
            lever.arm * radius + direction * (lever.share * radius)
        };
        let (b, other, arm_b) = match view.b {
            Other::Slot(slot) => {
                let b = node(arrays.id[slot as usize]);
                (b, grains[b].material, arm(b, &levers[1], -normal))
            }
            Other::Boundary(wall) => {
                let (b, _) = network.add_node(Node {
                    position: k.point,
                    radius: 0.0,
                    fixed: true,
                });
                bodies.push(BodyRef::Boundary(wall));
                let material = setup.boundaries[usize::from(wall)].material;
                (b, material, D::Vector::default())
            }
        };
        let law = setup.matter.laws.get(grains[a].material, other);
        // Links exist for pairs with a law only.
        let Some(stiffness) = law.map(|law| law.stiffness(k.overlap, k.radius)) else {
            return;
        };
        network.add_link(Link {
            a,
            b,
            normal,
            arms: [arm(a, &levers[0], normal), arm_b],
            kn: stiffness.normal,
            kt: stiffness.tangential,
            friction: stiffness.friction,
            state: LinkState::Grip,
        });
        forces.push((view.normal_force, view.tangential_force));
    });
    let mut load = vec![0.0; network.len()];
    let m = network.per_node();
    for (row, grain) in grains.iter().enumerate() {
        for k in 0..D::N {
            load[row * m + k] = grain.mass * setup.fields.gravity[k];
        }
    }
    let slots: Vec<u32> = world.grains.own().collect();
    for (&slot, field) in slots.iter().zip(field_loads::of(world, fields, &slots)) {
        let row = node(arrays.id[slot as usize]);
        let radius = arrays.radius(slot as usize);
        for k in 0..D::N {
            load[row * m + k] += field.load[k];
        }
        for k in 0..D::SPINS {
            load[row * m + D::N + k] += radius * field.load[3 + k];
        }
    }
    for (link, (normal, tangential)) in network.links().iter().zip(&forces) {
        let on_a: D::Vector = link.normal * -*normal + *tangential;
        for (node, force, arm) in [(link.a, on_a, link.arms[0]), (link.b, -on_a, link.arms[1])] {
            let Some(row) = network.row(node) else {
                continue;
            };
            for k in 0..D::N {
                load[row * m + k] += force[k];
            }
            let moment = D::moment(arm, force);
            for k in 0..D::SPINS {
                load[row * m + D::N + k] += D::spin_component(moment, k);
            }
        }
    }
    Handover {
        network,
        bodies,
        forces,
        load,
    }
}
