//! Free groups without a fixed node: D'Alembert loads and a fictitious ground (thesis 5.7.8, 5.7.9).
//!
//! In the frame of the group the inertia force on each member is -m (a + alpha x r + w x (w x r)):
//! translation, the Euler force (omitted in the thesis) and the centrifugal force; with rotations also the
//! moment -I alpha. With these the loads balance, and the links that ground the group carry no force.

use nalgebra::{Matrix3, SymmetricEigen, Vector3};

use super::element::{Element, frame};
use super::network::{Change, Freedom, Link, LinkKey, LinkState, Network, Node, NodeKey};
use super::solver::{Solver, StressError};
use crate::geometry::{Dimension, Vector};

/// Principal moments below this fraction of the greatest count as zero: members on one line.
const FLAT: f64 = 1e-12;

/// Mass properties of a member.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Member {
    /// Mass, kg.
    pub mass: f64,
    /// Moment of inertia about any axis through its centre, kg m^2; used with full freedom only.
    pub inertia: f64,
}

/// Reason why a group cannot be treated as free.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FreeError {
    /// A node of the group is fixed.
    #[error("node {0} is fixed: the group is not free")]
    Fixed(NodeKey),
    /// No nodes, or a different number of members.
    #[error("{nodes} node(s) need as many members, not {members}")]
    Members {
        /// Number of nodes.
        nodes: usize,
        /// Number of members.
        members: usize,
    },
    /// A mass that is not positive, or an inertia that is negative.
    #[error("member {0} needs a mass greater than 0 and an inertia of 0 or more, both finite")]
    Mass(NodeKey),
}

/// A group without a fixed node, grounded by a fictitious link. With full freedom that link resists
/// all rigid motions of one node. With displacements only, a rotation of the group strains its
/// links, and a link that resists displacements is sufficient; if no link has tangential stiffness,
/// further bars prevent the rotation.
#[derive(Clone, Debug)]
pub struct FreeGroup<D: Dimension> {
    network: Network<D>,
    members: Vec<Member>,
    fictional: Vec<LinkKey>,
    /// Whether the group can rotate without strain.
    turns: bool,
    centre: D::Vector,
    mass: f64,
    inverse_inertia: Matrix3<f64>,
}

/// Acceleration of a free group.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Acceleration<D: Dimension> {
    /// Acceleration of the centre of mass, m/s^2.
    pub linear: D::Vector,
    /// Angular acceleration, rad/s^2.
    pub angular: D::Spin,
}

impl<D: Dimension> FreeGroup<D> {
    /// Grounds a network of free nodes; keys of its nodes and links stay. Arms of a link that do not meet because of
    /// an overlap are adjusted to meet in the middle: otherwise a rotation of the whole would strain the link.
    ///
    /// # Errors
    /// If a node is fixed, or the members do not match.
    pub fn new(network: Network<D>, members: Vec<Member>) -> Result<Self, FreeError> {
        let nodes = network.nodes().len();
        if nodes == 0 || nodes != members.len() {
            let members = members.len();
            return Err(FreeError::Members { nodes, members });
        }
        for (node, member) in members.iter().enumerate() {
            if network.nodes()[node].fixed {
                return Err(FreeError::Fixed(node));
            }
            let fine = member.mass > 0.0 && member.inertia >= 0.0;
            if !(fine && (member.mass + member.inertia).is_finite()) {
                return Err(FreeError::Mass(node));
            }
        }
        let full = network.freedom() == Freedom::Full;
        let bars = |link: &Link<D>| Element::new(link, network.freedom()).bars;
        let turns = full || network.links().iter().all(|link| bars(link) <= 1);
        let mass: f64 = members.iter().map(|member| member.mass).sum();
        let mut centre = D::Vector::default();
        for (node, member) in network.nodes().iter().zip(&members) {
            centre += node.position * (member.mass / mass);
        }
        let inverse_inertia = inverse_inertia(&network, &members, centre);
        let mut network = meeting(&network);
        let fictional = ground(&mut network, turns);
        Ok(FreeGroup {
            network,
            members,
            fictional,
            turns,
            centre,
            mass,
            inverse_inertia,
        })
    }

    /// The grounded network.
    pub fn network(&self) -> &Network<D> {
        &self.network
    }

    /// Changes the state of a link; returns none if it is unchanged.
    pub fn set_state(&mut self, link: LinkKey, state: LinkState) -> Option<Change> {
        self.network.set_state(link, state)
    }

    /// Centre of mass, m.
    pub fn centre(&self) -> D::Vector {
        self.centre
    }

    /// Switches the fictitious links off, as before a merge with another group, and returns the
    /// network and its changes; the ground node stays.
    pub fn release(mut self) -> (Network<D>, Vec<Change>) {
        let mut changes = Vec::new();
        for &link in &self.fictional {
            changes.extend(self.network.set_state(link, LinkState::Off));
        }
        (self.network, changes)
    }

    /// Acceleration of the group under a load (rows of the network; N, N m) while it spins.
    pub fn acceleration(&self, load: &[f64], spin: D::Spin) -> Acceleration<D> {
        let (m, full) = (self.network.per_node(), self.full());
        let mut force = D::Vector::default();
        let mut moment = D::Spin::default();
        for (node, part) in load.chunks_exact(m).enumerate() {
            let f = D::Vector::from_fn(|k| part[k]);
            force += f;
            moment += D::moment(self.arm(node), f);
            if full {
                moment += D::spin_from_fn(|k| part[D::N + k]);
            }
            // Centrifugal forces have a moment if the spin is not along a principal axis.
            moment += D::moment(self.arm(node), self.centrifugal(node, spin));
        }
        Acceleration {
            linear: force * (1.0 / self.mass),
            angular: self.turn(moment),
        }
    }

    /// The load plus the inertia forces: it is balanced (thesis 5.7.8 with the Euler force).
    pub fn balanced(&self, load: &[f64], spin: D::Spin) -> Vec<f64> {
        let acceleration = self.acceleration(load, spin);
        let m = self.network.per_node();
        let mut all = load.to_vec();
        for (node, part) in all.chunks_exact_mut(m).enumerate() {
            let euler = D::cross_spin(acceleration.angular, self.arm(node));
            let member = self.members[node];
            let inertial =
                self.centrifugal(node, spin) - (acceleration.linear + euler) * member.mass;
            for k in 0..D::N {
                part[k] += inertial[k];
            }
            if self.full() {
                for k in 0..D::SPINS {
                    part[D::N + k] -= member.inertia * D::spin_component(acceleration.angular, k);
                }
            }
        }
        all
    }

    /// Greatest force in a bar of the fictitious links, N: only rounding, if the load is balanced.
    pub fn fictional_force(&self, displacement: &[f64]) -> f64 {
        let m = self.network.per_node();
        let mut greatest: f64 = 0.0;
        for &key in &self.fictional {
            let link = &self.network.links()[key];
            let element = Element::new(link, self.network.freedom());
            let part = |node: NodeKey| {
                let row = self.network.row(node);
                row.map(|row| &displacement[row * m..row * m + m])
            };
            let strain = element.strain(part(link.a), part(link.b));
            for bar in 0..element.bars {
                greatest = greatest.max((element.stiffness[bar] * strain[bar]).abs());
            }
        }
        greatest
    }

    /// Stiffness of the group between its centre of mass and a member, N/m, for a force along a
    /// unit vector on that member which inertia forces balance (thesis 5.7.9). Displacements are
    /// relative to the mean motion of the group, so that the choice of the ground does not matter.
    ///
    /// # Errors
    /// The errors of the solver.
    pub fn rim_stiffness(
        &self,
        solver: &mut dyn Solver<D>,
        node: NodeKey,
        direction: D::Vector,
    ) -> Result<f64, StressError> {
        let m = self.network.per_node();
        let mut load = vec![0.0; self.network.len()];
        for k in 0..D::N {
            load[node * m + k] = direction[k];
        }
        let load = self.balanced(&load, D::Spin::default());
        let mut x = vec![0.0; load.len()];
        solver.solve(&self.network, &load, &mut x)?;
        let own = D::Vector::from_fn(|k| x[node * m + k]);
        let (shift, turn) = self.mean_motion(&x);
        let relative = own - shift - D::cross_spin(turn, self.arm(node));
        Ok(1.0 / relative.dot(&direction))
    }

    /// Mean translation and rotation of the group contained in displacements, from the
    /// corresponding momentum.
    fn mean_motion(&self, x: &[f64]) -> (D::Vector, D::Spin) {
        let m = self.network.per_node();
        let mut shift = D::Vector::default();
        let mut momentum = D::Spin::default();
        for (node, part) in x.chunks_exact(m).enumerate() {
            let member = self.members[node];
            let u = D::Vector::from_fn(|k| part[k]);
            shift += u * (member.mass / self.mass);
            momentum += D::moment(self.arm(node), u * member.mass);
            if self.full() {
                momentum += D::spin_from_fn(|k| member.inertia * part[D::N + k]);
            }
        }
        if self.turns {
            (shift, self.turn(momentum))
        } else {
            (shift, D::Spin::default())
        }
    }

    fn full(&self) -> bool {
        self.network.freedom() == Freedom::Full
    }

    fn arm(&self, node: NodeKey) -> D::Vector {
        self.network.nodes()[node].position - self.centre
    }

    /// -m w x (w x r), N.
    fn centrifugal(&self, node: NodeKey, spin: D::Spin) -> D::Vector {
        let speed = D::cross_spin(spin, self.arm(node));
        D::cross_spin(spin, speed) * -self.members[node].mass
    }

    /// Inertia^-1 times a moment or an angular momentum.
    fn turn(&self, moment: D::Spin) -> D::Spin {
        let v = padded::<D>(moment);
        let turned = self.inverse_inertia * v;
        D::spin_from_fn(|k| turned[3 - D::SPINS + k])
    }
}

/// Stiffness of springs in series, such as two rims and the link between them (thesis 5.7.9), N/m.
pub fn in_series(stiffnesses: &[f64]) -> f64 {
    1.0 / stiffnesses.iter().map(|k| 1.0 / k).sum::<f64>()
}

/// A spin as a vector in space; a planar spin is about the third axis.
fn padded<D: Dimension>(spin: D::Spin) -> Vector3<f64> {
    let mut v = Vector3::zeros();
    for k in 0..D::SPINS {
        v[3 - D::SPINS + k] = D::spin_component(spin, k);
    }
    v
}

/// Inverse of the moment of inertia about the centre of mass; zero about an axis on which all mass
/// lies.
fn inverse_inertia<D: Dimension>(
    network: &Network<D>,
    members: &[Member],
    centre: D::Vector,
) -> Matrix3<f64> {
    let mut inertia = Matrix3::zeros();
    for (node, member) in network.nodes().iter().zip(members) {
        let arm = node.position - centre;
        let mut r = Vector3::zeros();
        for k in 0..D::N {
            r[k] = arm[k];
        }
        inertia += (Matrix3::identity() * r.norm_squared() - r * r.transpose()) * member.mass;
        if network.freedom() == Freedom::Full {
            inertia += Matrix3::identity() * member.inertia;
        }
    }
    if D::N == 2 {
        // Rotation in the plane only.
        let own = inertia[(2, 2)];
        inertia = Matrix3::zeros();
        inertia[(2, 2)] = own;
    }
    let eigen = SymmetricEigen::new(inertia);
    let least = FLAT * eigen.eigenvalues.max();
    let inverse = eigen
        .eigenvalues
        .map(|v| if v > least { 1.0 / v } else { 0.0 });
    eigen.eigenvectors * Matrix3::from_diagonal(&inverse) * eigen.eigenvectors.transpose()
}

/// The network with the arms of each link meeting in one point.
fn meeting<D: Dimension>(network: &Network<D>) -> Network<D> {
    let mut met = Network::new(network.freedom());
    for node in network.nodes() {
        met.add_node(*node);
    }
    for link in network.links() {
        let [from, to] = [link.a, link.b].map(|node| network.nodes()[node].position);
        let gap = (to + link.arms[1]) - (from + link.arms[0]);
        let arms = [link.arms[0] + gap * 0.5, link.arms[1] - gap * 0.5];
        met.add_link(Link { arms, ..*link });
    }
    met
}

/// Adds the fictitious ground and its links.
fn ground<D: Dimension>(network: &mut Network<D>, turns: bool) -> Vec<LinkKey> {
    let count = network.links().len().max(1) as f64;
    let sum: f64 = network.links().iter().map(|link| link.kn).sum();
    // Any stiffness works; one like the others keeps the matrix well conditioned.
    let stiffness = if sum > 0.0 { sum / count } else { 1.0 };
    let origin = network.nodes()[0];
    let (ground, _) = network.add_node(Node {
        fixed: true,
        ..origin
    });
    let zero = D::Vector::default();
    let axis = |k: usize| D::Vector::from_fn(|i| f64::from(u8::from(i == k)));
    let mut bars = vec![(0, axis(0), zero, LinkState::Grip)];
    if turns && network.freedom() == Freedom::Full {
        let reach = if origin.radius > 0.0 {
            origin.radius
        } else {
            1.0
        };
        // A bar off the centre prevents the rotation from one axis to the next.
        let pairs: &[(usize, usize)] = if D::N == 2 {
            &[(0, 1)]
        } else {
            &[(0, 1), (1, 2), (2, 0)]
        };
        let beside = |&(arm, along)| (0, axis(along), axis(arm) * reach, LinkState::Slide);
        bars.extend(pairs.iter().map(beside));
    } else if turns {
        let others = network.nodes()[..ground].iter().enumerate();
        let from = |node: &Node<D>| node.position - origin.position;
        let far = others
            .clone()
            .max_by(|x, y| from(x.1).norm().total_cmp(&from(y.1).norm()));
        if let Some((far, node)) = far
            && from(node).norm() > 0.0
        {
            let line = from(node) * (1.0 / from(node).norm());
            for across in &frame::<D>(line)[1..D::N] {
                bars.push((far, *across, zero, LinkState::Slide));
            }
            let off = |node: &Node<D>| from(node) - line * from(node).dot(&line);
            let wide = others.max_by(|x, y| off(x.1).norm().total_cmp(&off(y.1).norm()));
            if let Some((wide, node)) = wide
                && D::N == 3
                && off(node).norm() > 0.0
            {
                let plane = frame::<D>(line);
                let side = off(node) * (1.0 / off(node).norm());
                // Perpendicular to the plane of the three nodes.
                let (c, s) = (side.dot(&plane[1]), side.dot(&plane[2]));
                let across = plane[2] * c - plane[1] * s;
                bars.push((wide, across, zero, LinkState::Slide));
            }
        }
    }
    bars.into_iter()
        .map(|(node, normal, arm, state)| {
            let link = Link {
                a: ground,
                b: node,
                normal,
                arms: [arm, arm],
                kn: stiffness,
                kt: stiffness,
                friction: 0.0,
                state,
            };
            network.add_link(link).0
        })
        .collect()
}
