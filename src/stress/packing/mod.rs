//! A packing under load: its stresses, the history of slides, and the iteration to equilibrium.
//!
//! The stress of bar k of a link is k (strain - offset) + prestress. The normal offset is the gap
//! of the link at its creation, the tangential offset the slide so far (thesis eq. 4.35). Prestress
//! is a force that the link had before and that balances loads not included here: the loads here
//! are then increments. A link that opens turns its prestress into a load.

mod avalanche;
mod bond;
mod columns;
mod endless;
mod front;
mod near;
mod relax;
mod rules;
mod slide;

use super::element::{Element, frame};
use super::network::{Freedom, Link, LinkKey, LinkState, Network, Node, NodeKey};
use super::solver::{Solver, StressError};
use crate::contact::slow::Line;
use crate::geometry::{Dimension, Vector};
pub use avalanche::{Avalanche, Place, Surface};
use bond::Bond;
use columns::Columns;
use near::Near;
pub use rules::{
    Disconnecting, Dissipated, Handling, Outcome, Reason, Relaxation, Rules, Slid, Sliding,
    Tension, Topological, Unresolved,
};

/// A body that a grain touches.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum With<D: Dimension> {
    /// Another node.
    Node(NodeKey),
    /// A point of a fixed boundary; it becomes a fixed node.
    Boundary(D::Vector),
}

/// A contact of a new grain.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Touch<D: Dimension> {
    /// The body that it touches.
    pub with: With<D>,
    /// Normal stiffness, N/m.
    pub kn: f64,
    /// Tangential stiffness, N/m.
    pub kt: f64,
    /// Coefficient of friction.
    pub friction: f64,
    /// Distance between the surfaces, m: 0 is a contact, a positive value a pair that may connect later.
    pub gap: f64,
}

/// Stress of a link.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Stress<D: Dimension> {
    /// Normal stress, N; positive in compression.
    pub normal: f64,
    /// Overlap of the bodies, m; negative for a gap.
    pub overlap: f64,
    /// Tangential stress, N; the right node acts on the left one with minus this.
    pub tangential: D::Vector,
    /// Slide so far, m.
    pub slide: D::Vector,
    /// Whether the link is closed.
    pub on: bool,
    /// Whether the link is held in its state, since it requires dynamics.
    pub held: bool,
}

/// A network under load, with its solver and the state of its links.
pub struct Packing<'s, D: Dimension> {
    network: Network<D>,
    solver: Box<dyn Solver<D> + Send + 's>,
    load: Vec<f64>,
    displacement: Vec<f64>,
    bonds: Vec<Bond>,
    /// Compatibility rows: for each link and bar the row of the left, then of the right node.
    rows: Vec<f64>,
    /// Start of the rows of each link's two nodes in the vectors; none for fixed ones.
    starts: Vec<[Option<usize>; 2]>,
    columns: Columns,
    near: Near,
    /// Whether the displacements are out of date with loads and links.
    stale: bool,
    /// Energy released by sudden changes when all came to rest, J: the energy that dampers would dissipate.
    settled: f64,
}

impl<'s, D: Dimension> Packing<'s, D> {
    /// An empty packing.
    pub fn new(freedom: Freedom, solver: Box<dyn Solver<D> + Send + 's>) -> Self {
        Packing {
            network: Network::new(freedom),
            solver,
            load: Vec::new(),
            displacement: Vec::new(),
            bonds: Vec::new(),
            rows: Vec::new(),
            starts: Vec::new(),
            columns: Columns::default(),
            near: Near::default(),
            stale: false,
            settled: 0.0,
        }
    }

    /// The network.
    pub fn network(&self) -> &Network<D> {
        &self.network
    }

    /// The solver.
    pub fn solver(&self) -> &(dyn Solver<D> + Send + 's) {
        &*self.solver
    }

    /// Adds a node with its load by degrees of freedom (N, N m); the load of a fixed one is ignored.
    pub fn add_node(&mut self, node: Node<D>, load: &[f64]) -> NodeKey {
        let fixed = node.fixed;
        let (key, change) = self.network.add_node(node);
        if !fixed {
            let m = self.network.per_node();
            let start = self.load.len();
            self.load.resize(start + m, 0.0);
            for (to, from) in self.load[start..].iter_mut().zip(load) {
                *to = *from;
            }
            self.displacement.resize(start + m, 0.0);
        }
        self.change(change);
        key
    }

    /// Adds a link in its state before any displacement; `gap` as in [`Touch`].
    ///
    /// # Panics
    /// If a node does not exist, or both are the same.
    pub fn add_link(&mut self, link: Link<D>, gap: f64) -> LinkKey {
        let n = D::N;
        let m = self.network.per_node();
        let element = Element::in_state(
            &Link { kt: 1.0, ..link },
            LinkState::Grip,
            self.network.freedom(),
        );
        for bar in 0..n {
            self.rows.extend_from_slice(&element.a[bar][..m]);
            self.rows.extend_from_slice(&element.b[bar][..m]);
        }
        let radius = [link.a, link.b]
            .map(|node| self.network.nodes()[node].radius)
            .into_iter()
            .filter(|radius| *radius > 0.0)
            .fold(f64::INFINITY, f64::min);
        let mut bond = Bond::new(&link, radius);
        bond.offset[0] = gap;
        let (key, change) = self.network.add_link(link);
        self.starts
            .push([link.a, link.b].map(|node| self.network.row(node).map(|row| row * m)));
        bond.strain = self.strain(key, &self.displacement);
        // A link to displaced nodes is strained from the start.
        self.settled -= bond.energy();
        self.bonds.push(bond);
        if link.state == LinkState::Off {
            self.columns.clear();
            self.near.clear();
        } else {
            self.change(change);
        }
        key
    }

    /// Adds a round grain with a force at its centre (N) and its contacts; returns the key of the grain
    /// and those of the links, in order. None if its centre coincides with that of a body it touches.
    pub fn add_grain(
        &mut self,
        position: D::Vector,
        radius: f64,
        force: D::Vector,
        touches: &[Touch<D>],
    ) -> Option<(NodeKey, Vec<LinkKey>)> {
        let apart = |other: &D::Vector| (*other - position).norm() > 0.0;
        let sound = touches.iter().all(|touch| match touch.with {
            With::Node(node) => self
                .network
                .nodes()
                .get(node)
                .is_some_and(|n| apart(&n.position)),
            With::Boundary(point) => apart(&point),
        });
        if !sound {
            return None;
        }
        let node = Node {
            position,
            radius,
            fixed: false,
        };
        let force: Vec<f64> = force.components().collect();
        let grain = self.add_node(node, &force);
        let mut links = Vec::with_capacity(touches.len());
        for touch in touches {
            links.push(self.touch(grain, touch)?);
        }
        Some((grain, links))
    }

    /// Adds one more link to a round grain, the left node; it refers to the reference positions,
    /// whatever the displacements. None if centres coincide.
    pub fn touch(&mut self, grain: NodeKey, touch: &Touch<D>) -> Option<LinkKey> {
        let other = match touch.with {
            With::Node(node) => node,
            With::Boundary(position) => self.add_node(
                Node {
                    position,
                    radius: 0.0,
                    fixed: true,
                },
                &[],
            ),
        };
        let mut link = self
            .network
            .between(grain, other, touch.kn, touch.kt, touch.friction)?;
        if touch.gap > 0.0 {
            link.state = LinkState::Off;
        }
        Some(self.add_link(link, touch.gap))
    }

    /// Makes a new link refer to the present displaced positions instead of the reference
    /// positions: it is without stress, or has the given gap, here.
    pub fn start_here(&mut self, link: LinkKey) {
        let strain = self.strain(link, &self.displacement);
        let bond = &mut self.bonds[link];
        self.settled += bond.energy();
        bond.origin = strain;
        bond.strain = [0.0; 3];
        self.settled -= bond.energy();
        self.stale = true;
    }

    /// Ties a node to its position by a spring of some stiffness (N/m), at its centre and at its surface, that
    /// neither breaks nor slides: for nodes that nothing else holds, such as a ball that may roll on a floor.
    pub fn tie(&mut self, node: NodeKey, stiffness: f64) {
        let Node {
            position, radius, ..
        } = self.network.nodes()[node];
        let (ground, change) = self.network.add_node(Node {
            position,
            radius: 0.0,
            fixed: true,
        });
        self.change(change);
        for axis in 0..D::N {
            let normal = D::Vector::from_fn(|k| f64::from(u8::from(k == axis)));
            let link = self.add_link(
                Link {
                    a: node,
                    b: ground,
                    normal,
                    arms: [normal * radius, D::Vector::default()],
                    kn: stiffness,
                    kt: stiffness,
                    friction: 0.0,
                    state: LinkState::Grip,
                },
                0.0,
            );
            let bond = &mut self.bonds[link];
            (bond.held, bond.clamped) = (true, true);
        }
    }

    /// The greatest magnitude of the normal force of any link, N.
    pub fn greatest_normal(&self) -> f64 {
        let all = self.bonds.iter().map(|bond| bond.normal().abs());
        all.fold(0.0, f64::max)
    }

    /// Sets the laws of new links whose network stiffnesses are already those of the lines.
    pub fn begin_lines(&mut self, lines: &[(LinkKey, Line)]) {
        for (key, line) in lines {
            let bond = &mut self.bonds[*key];
            self.settled += bond.energy();
            bond.follow(line);
            self.settled -= bond.energy();
        }
        self.stale = true;
    }

    /// Sets the linearized laws of links about their present forces and positions. A tangential spring that becomes stiffer keeps its
    /// force, one that becomes softer its extension (Thornton and Randall 1988). If stiffnesses change, `solver` makes a new solver.
    pub fn set_lines(
        &mut self,
        lines: &[(LinkKey, Line)],
        solver: impl FnOnce(&Network<D>) -> Box<dyn Solver<D> + Send + 's>,
    ) {
        let mut others = false;
        for (key, line) in lines {
            others |= self
                .network
                .set_stiffness(*key, line.stiffness, line.tangential);
        }
        self.begin_lines(lines);
        if others {
            self.solver = solver(&self.network);
            self.columns.clear();
            self.near.clear();
        }
        self.stale = true;
    }

    /// Sets the initial force of a link, N; loads that it balances are not included in the packing's loads.
    pub fn set_prestress(&mut self, link: LinkKey, normal: f64, tangential: D::Vector) {
        let across = self.across(link);
        let bond = &mut self.bonds[link];
        bond.prestress = [normal, 0.0, 0.0];
        for k in 1..D::N {
            bond.prestress[k] = across[k].dot(&tangential);
        }
        self.stale = true;
    }

    /// Moves a fixed node, m; returns the energy that this adds to its links while all others are fixed, J.
    pub fn move_fixed(&mut self, node: NodeKey, by: D::Vector) -> f64 {
        let mut given = 0.0;
        for key in self.network.links_of(node).to_vec() {
            let side = usize::from(self.network.links()[key].b == node);
            let mut moved = [0.0; 3];
            for (bar, moved) in moved.iter_mut().enumerate().take(D::N) {
                let row = self.row(key, bar, side);
                *moved = (0..D::N).map(|k| row[k] * by[k]).sum();
            }
            let bond = &mut self.bonds[key];
            let before = bond.energy();
            for (bar, moved) in moved.iter().enumerate() {
                bond.origin[bar] -= moved;
                bond.strain[bar] += moved;
            }
            given += bond.energy() - before;
        }
        self.stale = true;
        given
    }

    /// Opens the links of a node permanently; returns those that were closed. Their energy is released.
    pub fn sever(&mut self, node: NodeKey) -> Vec<LinkKey> {
        let mut bore = Vec::new();
        for key in self.network.links_of(node).to_vec() {
            let bond = &mut self.bonds[key];
            if bond.on {
                bore.push(key);
                self.settled += bond.energy();
            }
            // The infinite gap keeps the link open.
            (bond.on, bond.held) = (false, false);
            (bond.prestress, bond.offset[0]) = ([0.0; 3], f64::INFINITY);
            if let Some(change) = self.network.set_state(key, LinkState::Off) {
                self.change(change);
            }
        }
        self.stale = true;
        bore
    }

    /// Removes a free node: its links open permanently, its load is zero, and a tie holds it in
    /// place, since the rows of others stay. Returns the links that were closed.
    pub fn drop_node(&mut self, node: NodeKey, stiffness: f64) -> Vec<LinkKey> {
        let bore = self.sever(node);
        let none = vec![0.0; self.network.per_node()];
        self.set_load(node, &none);
        let first = self.bonds.len();
        self.tie(node, stiffness);
        for link in first..self.bonds.len() {
            self.start_here(link);
        }
        bore
    }

    /// Sets the load of a node by degrees of freedom (N, N m); no effect for a fixed one.
    pub fn set_load(&mut self, node: NodeKey, load: &[f64]) {
        if let Some(row) = self.network.row(node) {
            let m = self.network.per_node();
            for (to, from) in self.load[row * m..(row + 1) * m].iter_mut().zip(load) {
                *to = *from;
            }
            self.stale = true;
        }
    }

    /// Loads by rows of the network, N and N m.
    pub fn loads(&self) -> &[f64] {
        &self.load
    }

    /// Displacements by rows of the network, m and rad, relative to the reference positions.
    pub fn displacements(&self) -> &[f64] {
        &self.displacement
    }

    /// Stress of a link at the last [`Packing::settle`] or [`Packing::relax`].
    pub fn stress(&self, link: LinkKey) -> Stress<D> {
        let across = self.across(link);
        let bond = &self.bonds[link];
        let in_space = |t: [f64; 2]| {
            let mut sum = D::Vector::default();
            for k in 1..D::N {
                sum += across[k] * t[k - 1];
            }
            sum
        };
        Stress {
            normal: bond.normal(),
            overlap: bond.overlap(),
            tangential: in_space(bond.tangential()),
            slide: in_space([bond.offset[1], bond.offset[2]]),
            on: bond.on,
            held: bond.held || bond.clamped,
        }
    }

    /// Tangential stress (N) and slide (m) of a planar link along the normal rotated to the left.
    pub fn turned(&self, link: LinkKey) -> (f64, f64) {
        let bond = &self.bonds[link];
        (bond.tangential()[0], bond.offset[1])
    }

    /// Imbalance at each free node with the present stresses, by rows, N and N m.
    pub fn residual(&self) -> Vec<f64> {
        let mut residual = self.load.clone();
        for (key, bond) in self.bonds.iter().enumerate() {
            let mut stress = [0.0; 3];
            for k in 0..D::N {
                // The change of the link's stress: the initial stress is balanced.
                stress[k] = bond.prestress[k] - bond.bar(k);
            }
            self.spread(key, stress, &mut residual);
        }
        residual
    }

    /// Reaction of a fixed node on the packing: force (N) and moment (N m) by degrees of freedom.
    pub fn reaction(&self, node: NodeKey) -> Vec<f64> {
        let m = self.network.per_node();
        let mut sum = vec![0.0; m];
        for &key in self.network.links_of(node) {
            let side = usize::from(self.network.links()[key].b == node);
            for k in 0..D::N {
                let stress = self.bonds[key].bar(k);
                let row = self.row(key, k, side);
                for (sum, row) in sum.iter_mut().zip(row) {
                    *sum += stress * row;
                }
            }
        }
        sum
    }

    /// Elastic energy of the links, J.
    pub fn elastic_energy(&self) -> f64 {
        self.bonds.iter().map(Bond::energy).sum()
    }

    /// Solves for the displacements, with links and slides unchanged.
    ///
    /// # Errors
    /// If the links do not hold every free node.
    pub fn settle(&mut self) -> Result<(), StressError> {
        let mut load = self.load.clone();
        for key in 0..self.bonds.len() {
            let bond = &self.bonds[key];
            let mut force = [0.0; 3];
            for k in 0..D::N {
                force[k] = if bond.on {
                    bond.stiffness(k) * (bond.unstressed(k) + bond.origin[k])
                } else {
                    bond.prestress[k]
                };
            }
            if force != [0.0; 3] {
                self.spread(key, force, &mut load);
            }
        }
        let unbalanced = self.residual();
        let before = self.displacement.clone();
        self.solver
            .solve(&self.network, &load, &mut self.displacement)?;
        // On springs, the elastic energy takes half the work of an unbalanced force; the other half is released.
        let moved = self.displacement.iter().zip(&before).map(|(u, b)| u - b);
        self.settled += 0.5
            * unbalanced
                .iter()
                .zip(moved)
                .map(|(f, d)| f * d)
                .sum::<f64>();
        for key in 0..self.bonds.len() {
            let strain = self.strain(key, &self.displacement);
            let bond = &mut self.bonds[key];
            for k in 0..D::N {
                bond.strain[k] = strain[k] - bond.origin[k];
            }
        }
        self.stale = false;
        Ok(())
    }

    /// A compatibility row.
    fn row(&self, link: LinkKey, bar: usize, side: usize) -> &[f64] {
        let m = self.network.per_node();
        let start = ((link * D::N + bar) * 2 + side) * m;
        &self.rows[start..start + m]
    }

    /// Directions of the bars of a link.
    fn across(&self, link: LinkKey) -> [D::Vector; 3] {
        frame::<D>(self.network.links()[link].normal)
    }

    /// Strain of each bar under some displacements.
    #[inline]
    fn strain(&self, link: LinkKey, displacement: &[f64]) -> [f64; 3] {
        let m = self.network.per_node();
        let mut strain = [0.0; 3];
        if D::N == 2 && m == 2 {
            // The case used most in fillings, without a loop.
            let rows = &self.rows[link * 8..link * 8 + 8];
            for (side, start) in self.starts[link].iter().enumerate() {
                if let Some([x, y]) = start.and_then(|s| displacement.get(s..s + 2)) {
                    strain[0] += rows[2 * side] * x + rows[2 * side + 1] * y;
                    strain[1] += rows[4 + 2 * side] * x + rows[4 + 2 * side + 1] * y;
                }
            }
            return strain;
        }
        for (side, start) in self.starts[link].iter().enumerate() {
            let Some(start) = *start else { continue };
            let moved = &displacement[start..start + m];
            for k in 0..D::N {
                let row = self.row(link, k, side);
                strain[k] += row.iter().zip(moved).map(|(r, q)| r * q).sum::<f64>();
            }
        }
        strain
    }

    /// Adds a force along each bar to the rows of its nodes.
    fn spread(&self, link: LinkKey, force: [f64; 3], load: &mut [f64]) {
        let m = self.network.per_node();
        for (side, start) in self.starts[link].iter().enumerate() {
            let Some(start) = *start else { continue };
            for k in 0..D::N {
                let row = self.row(link, k, side);
                for (load, row) in load[start..start + m].iter_mut().zip(row) {
                    *load += force[k] * row;
                }
            }
        }
    }

    /// Notifies the solver of a change, and invalidates the columns of the inverse.
    fn change(&mut self, change: super::network::Change) {
        self.solver.changed(&self.network, change);
        self.columns.clear();
        self.near.clear();
        self.stale = true;
    }
}
