//! Rigid groups of spheres at rest, from the stiffness of their links: in space counting does not decide (hinges, twists
//! about a line of contacts).

use crate::cluster;
use crate::cluster::integrate::Integrate;
use crate::cluster::{ContactRef, Other, World};
use crate::rigidity::{Certificate, DiskGroups};
use crate::stress::{Freedom, Link, LinkState, Network, Node};

/// Greatest number of spheres that are analysed: the cost of a factorization for each grows as the square of the width of a bed.
const MOST: usize = 500;

/// Returns the groups by slots: rigid with walls, and free ones. Empty where there are too many grains, or grains of other shapes.
pub(super) fn groups<D: Integrate>(world: &World<D>) -> DiskGroups {
    let standing = world.grains.standing();
    if standing.is_empty() || standing.len() > MOST || world.grains.has_bodies() {
        return DiskGroups::default();
    }
    let mut network = Network::<D>::new(Freedom::Full);
    let mut nodes = vec![usize::MAX; world.grains.arrays.slots()];
    let mut slots = Vec::with_capacity(standing.len());
    for &slot in &standing {
        let s = slot as usize;
        let (key, _) = network.add_node(Node {
            position: world.grains.arrays.position(s),
            radius: world.grains.arrays.radius(s),
            fixed: false,
        });
        nodes[s] = key;
        slots.push(Some(slot));
    }
    cluster::held::each_still_link(world, |view: ContactRef<D>| {
        // From the second body to the first.
        let normal = -view.kinematics.normal;
        let (a, radius) = (
            nodes[view.a as usize],
            world.grains.arrays.radius(view.a as usize),
        );
        let (b, arm) = match view.b {
            Other::Slot(b) => (
                nodes[b as usize],
                normal * -world.grains.arrays.radius(b as usize),
            ),
            Other::Boundary(_) => {
                let (ground, _) = network.add_node(Node {
                    position: network.nodes()[a].position + normal * radius,
                    radius: 0.0,
                    fixed: true,
                });
                slots.push(None);
                (ground, D::Vector::default())
            }
        };
        network.add_link(Link {
            a,
            b,
            normal,
            arms: [normal * radius, arm],
            // Rigidity does not depend on the stiffness of the links.
            kn: 1.0,
            kt: 1.0,
            friction: 0.0,
            state: match view.slipping {
                true => LinkState::Slide,
                false => LinkState::Grip,
            },
        });
    });
    let all: Vec<usize> = (0..network.nodes().len()).collect();
    let certificate = Certificate::new(&network, &all, &[]);
    let mut groups = DiskGroups::default();
    for group in certificate.groups() {
        let grounded = group.iter().any(|&node| slots[node].is_none());
        let mut members: Vec<u32> = group.iter().filter_map(|&node| slots[node]).collect();
        members.sort_unstable();
        match grounded {
            true => groups.grounded.extend(members),
            false if members.len() > 1 => groups.free.push(members),
            false => {}
        }
    }
    groups
}
