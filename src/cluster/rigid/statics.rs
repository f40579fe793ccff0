//! The loads of the bonds of a free body: thesis 5.7.8, with beams as bars.
//!
//! A beam is a bundle of bars: along it side by side, so that they resist bending too, and across at its middle, off the axis, so
//! that they resist twisting. In the plane two along and one across; in space three and three, in triangles.

use super::load::{BodyLoad, PRODUCTS, TieLoad, products};
use super::template::{Template, Tie};
use crate::geometry::{Dimension, Vector};
use crate::stress::{
    Element, Factor, FreeGroup, Freedom, Link, LinkKey, LinkState, Member as FreeMember, Network,
    Node, Solver, StressError, frame,
};

/// Numbers in the tables of responses of a template, at most; where they would be more, loads are solved for one by one.
const TABLES: usize = 1 << 22;

/// Number of bars of a beam, at most.
const BARS: usize = 6;

/// A bar of a beam: its link, and what a unit of its compression gives to the load of the bond.
#[derive(Clone, Copy, Debug)]
struct TieBar {
    link: LinkKey,
    gives: [f64; 6],
}

/// Solves of the loads of bonds.
pub struct Statics<D: Dimension> {
    group: FreeGroup<D>,
    factor: Factor,
    /// Bars of each tie.
    bars: Vec<Vec<TieBar>>,
    /// Length of each tie, m.
    lengths: Vec<f64>,
    /// Frame of each tie, in that of the body: along it, then across.
    pub frames: Vec<[D::Vector; 3]>,
    /// Responses to loads of unit size: to the products of spins, then to those on each member.
    responses: Vec<Option<Response>>,
    /// Whether the tables of all responses are kept.
    has_tables: bool,
}

/// Response to loads on a member, or to spins.
#[derive(Clone, Debug)]
struct Response {
    /// Greatest tension or compression, shear, bending and twisting of any bond for a force of 1 N in any direction, and for a moment of
    /// 1 N m; for spins the first alone, for products whose squares add up to 1.
    most: [[f64; 4]; 2],
    /// By component of the load and tie; empty where tables are not kept.
    table: Vec<Vec<TieLoad>>,
}

impl<D: Dimension> std::fmt::Debug for Statics<D> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Statics")
            .field("ties", &self.bars.len())
            .finish_non_exhaustive()
    }
}

/// Direction, distance from the axis and stiffness of each bar of a beam, in its frame.
fn bundle(dimension: usize, tie: &Tie) -> Vec<([f64; 3], [f64; 3], f64)> {
    let beam = &tie.beam;
    let (along, shear) = (beam.stretching, beam.shear_stiffness());
    if dimension == 2 {
        let off = (beam.bending_stiffness() / along).sqrt();
        return vec![
            ([1.0, 0.0, 0.0], [0.0, off, 0.0], 0.5 * along),
            ([1.0, 0.0, 0.0], [0.0, -off, 0.0], 0.5 * along),
            ([0.0, 1.0, 0.0], [0.0; 3], shear),
        ];
    }
    let off = (2.0 * beam.bending_stiffness() / along).sqrt();
    let around = (0.5 * beam.twisting / shear).sqrt();
    let half = 0.75_f64.sqrt();
    let corners = [[1.0, 0.0], [-0.5, half], [-0.5, -half]];
    let mut bars = Vec::with_capacity(BARS);
    for [c, s] in corners {
        bars.push(([1.0, 0.0, 0.0], [0.0, off * c, off * s], along / 3.0));
    }
    for [c, s] in corners {
        let place = [0.0, around * c, around * s];
        bars.push(([0.0, -s, c], place, shear / 1.5));
    }
    bars
}

impl<D: Dimension> Statics<D> {
    /// Sets the body free, grounded by a fictitious link.
    ///
    /// # Errors
    /// If a mass or place is not finite.
    pub fn new(template: &Template<D>) -> Result<Self, StressError> {
        let mut network = Network::<D>::new(Freedom::Full);
        for member in &template.members {
            network.add_node(Node {
                position: member.place,
                // For the arms of the fictitious link only.
                radius: (member.inertia / member.mass).sqrt(),
                fixed: false,
            });
        }
        let (mut bars, mut frames, mut lengths) = (Vec::new(), Vec::new(), Vec::new());
        for tie in &template.ties {
            let [a, b] = tie.ends.map(|end| end as usize);
            let apart = template.members[b].place - template.members[a].place;
            let length = apart.norm();
            let axes = frame::<D>(apart * (1.0 / length));
            let vector = |own: [f64; 3]| {
                let flat = axes[0] * own[0] + axes[1] * own[1];
                if D::N == 2 {
                    flat
                } else {
                    flat + axes[2] * own[2]
                }
            };
            let of_tie = bundle(D::N, tie).into_iter().map(|(way, off, stiffness)| {
                let (direction, place) = (vector(way), vector(off));
                let link = Link {
                    a,
                    b,
                    normal: direction,
                    arms: [apart * 0.5 + place, place - apart * 0.5],
                    kn: stiffness,
                    kt: 0.0,
                    friction: 0.0,
                    state: LinkState::Slide,
                };
                let (link, _) = network.add_link(link);
                // Moment about the middle, of a force along the bar.
                let moment = crate::geometry::cross(off, way);
                let gives = match D::N {
                    2 => [-way[0], way[1], 0.0, 0.0, moment[2], 0.0],
                    _ => [-way[0], way[1], way[2], moment[1], moment[2], moment[0]],
                };
                TieBar { link, gives }
            });
            bars.push(of_tie.collect());
            frames.push(axes);
            lengths.push(length);
        }
        let members = template.members.iter().map(|member| FreeMember {
            mass: member.mass,
            inertia: member.inertia,
        });
        let group = FreeGroup::new(network, members.collect());
        let group = group.map_err(|_| StressError::NotFinite)?;
        let factor = Factor::new(group.network());
        let sources = template.members.len() + 1;
        let numbers = sources * Freedom::Full.per_node::<D>() * 6 * bars.len();
        Ok(Statics {
            group,
            factor,
            bars,
            lengths,
            frames,
            responses: vec![None; sources],
            has_tables: numbers <= TABLES,
        })
    }

    /// Takes the bars of a bond that broke out of the body.
    pub fn break_tie(&mut self, tie: usize) {
        for bar in &self.bars[tie] {
            if let Some(change) = self.group.set_state(bar.link, LinkState::Off) {
                self.factor.changed(self.group.network(), change);
            }
        }
        self.bars[tie].clear();
        self.responses.fill(None);
    }

    /// Solves for the loads of all bonds under a load by rows of the network while the body spins.
    fn solve(&mut self, rows: &[f64], spin: D::Spin) -> Result<Vec<TieLoad>, StressError> {
        let balanced = self.group.balanced(rows, spin);
        let mut moved = vec![0.0; balanced.len()];
        let network = self.group.network();
        self.factor.solve(network, &balanced, &mut moved)?;
        let per_node = network.per_node();
        let part = |node: usize| {
            let row = network.row(node);
            row.map(|row| &moved[row * per_node..(row + 1) * per_node])
        };
        let loads = self.bars.iter().map(|bars| {
            let mut load = TieLoad::default();
            for bar in bars {
                let link = &network.links()[bar.link];
                let element = Element::new(link, Freedom::Full);
                let strain = element.strain(part(link.a), part(link.b));
                load.add(&TieLoad(bar.gives), element.stiffness[0] * strain[0]);
            }
            load
        });
        Ok(loads.collect())
    }

    /// Rows of a load on one member.
    fn unit(&self, member: usize, component: usize) -> Vec<f64> {
        let mut rows = vec![0.0; self.group.network().len()];
        rows[member * Freedom::Full.per_node::<D>() + component] = 1.0;
        rows
    }

    /// Solves for the response to the products of spins (source 0), or to loads on a member (its number plus 1).
    fn respond(&mut self, source: usize) -> Result<(), StressError> {
        if self.responses[source].is_some() {
            return Ok(());
        }
        let mut table = Vec::new();
        if source == 0 {
            let none = vec![0.0; self.group.network().len()];
            let unit =
                |k: usize, j: usize| D::spin_from_fn(|i| if i == k || i == j { 1.0 } else { 0.0 });
            for k in 0..D::SPINS {
                table.push(self.solve(&none, unit(k, k))?);
            }
            if D::N == 3 {
                for (k, j) in [(1, 2), (2, 0), (0, 1)] {
                    let mut both = self.solve(&none, unit(k, j))?;
                    for one in [k, j] {
                        for (sum, load) in both.iter_mut().zip(&table[one]) {
                            sum.add(load, -1.0);
                        }
                    }
                    table.push(both);
                }
            }
        } else {
            for component in 0..Freedom::Full.per_node::<D>() {
                let rows = self.unit(source - 1, component);
                table.push(self.solve(&rows, D::Spin::default())?);
            }
        }
        let split = if source == 0 { table.len() } else { D::N };
        let mut most = [[0.0_f64; 4]; 2];
        for tie in 0..self.bars.len() {
            let (first, second) = table.split_at(split);
            for (most, part) in most.iter_mut().zip([first, second]) {
                let loads: Vec<TieLoad> = part.iter().map(|of| of[tie]).collect();
                let found = TieLoad::most_of(&loads, self.lengths[tie]);
                (0..4).for_each(|k| most[k] = most[k].max(found[k]));
            }
        }
        if !self.has_tables {
            table = Vec::new();
        }
        self.responses[source] = Some(Response { most, table });
        Ok(())
    }

    /// Returns a bound of tension or compression, shear, bending and twisting of any bond under a load, or under the difference of two.
    ///
    /// # Errors
    /// Those of the solver.
    pub fn bound(
        &mut self,
        load: &BodyLoad<D>,
        before: Option<&BodyLoad<D>>,
    ) -> Result<[f64; 4], StressError> {
        let mut sums = [0.0; 4];
        let mut add = |most: &[f64; 4], size: f64| {
            (0..4).for_each(|k| sums[k] += most[k] * size);
        };
        let old = before.map_or([0.0; PRODUCTS], |before| products::<D>(before.spin));
        let new = products::<D>(load.spin);
        let square: f64 = (0..PRODUCTS).map(|k| (new[k] - old[k]).powi(2)).sum();
        if square > 0.0 {
            self.respond(0)?;
            if let Some(response) = &self.responses[0] {
                add(&response.most[0], square.sqrt());
            }
        }
        for (member, force, moment) in differences(load, before) {
            let source = member as usize + 1;
            self.respond(source)?;
            if let Some(response) = &self.responses[source] {
                add(&response.most[0], force.norm());
                add(&response.most[1], D::spin_dot(moment, moment).sqrt());
            }
        }
        Ok(sums)
    }

    /// Returns the loads of all bonds.
    ///
    /// # Errors
    /// Those of the solver.
    pub fn loads(&mut self, load: &BodyLoad<D>) -> Result<Vec<TieLoad>, StressError> {
        if !self.has_tables {
            return self.loads_at_once(load);
        }
        let mut sums = vec![TieLoad::default(); self.bars.len()];
        let spins = products::<D>(load.spin);
        if spins != [0.0; PRODUCTS] {
            self.superpose(0, &spins, &mut sums)?;
        }
        for (member, force, moment) in &load.on {
            let mut parts = [0.0; 6];
            (0..D::N).for_each(|k| parts[k] = force[k]);
            (0..D::SPINS).for_each(|k| parts[D::N + k] = D::spin_component(*moment, k));
            self.superpose(*member as usize + 1, &parts, &mut sums)?;
        }
        Ok(sums)
    }

    /// Returns the same by one solve.
    ///
    /// # Errors
    /// Those of the solver.
    pub fn loads_at_once(&mut self, load: &BodyLoad<D>) -> Result<Vec<TieLoad>, StressError> {
        let mut rows = vec![0.0; self.group.network().len()];
        for (member, force, moment) in &load.on {
            let first = *member as usize * Freedom::Full.per_node::<D>();
            (0..D::N).for_each(|k| rows[first + k] += force[k]);
            (0..D::SPINS).for_each(|k| rows[first + D::N + k] += D::spin_component(*moment, k));
        }
        self.solve(&rows, load.spin)
    }

    fn superpose(
        &mut self,
        source: usize,
        parts: &[f64; 6],
        sums: &mut [TieLoad],
    ) -> Result<(), StressError> {
        self.respond(source)?;
        let Some(response) = &self.responses[source] else {
            return Ok(());
        };
        for (&part, loads) in parts.iter().zip(&response.table) {
            if part != 0.0 {
                for (sum, load) in sums.iter_mut().zip(loads) {
                    sum.add(load, part);
                }
            }
        }
        Ok(())
    }
}

/// Returns the differences of the loads on members.
fn differences<D: Dimension>(
    load: &BodyLoad<D>,
    before: Option<&BodyLoad<D>>,
) -> Vec<(u32, D::Vector, D::Spin)> {
    let old = before.map_or(&[][..], |before| &before.on);
    let mut all: Vec<(u32, D::Vector, D::Spin)> = load.on.clone();
    for &(member, force, moment) in old {
        match all.binary_search_by_key(&member, |of| of.0) {
            Ok(place) => {
                all[place].1 -= force;
                all[place].2 = all[place].2 - moment;
            }
            Err(place) => all.insert(place, (member, -force, -moment)),
        }
    }
    all
}
