//! Transition of a filling to motion: places of its grains at which overlaps and springs give the forces that the filling found.
//!
//! A filling computes forces from displacements since each link began, which differ from link to link: a grain that comes finds a bed that
//! has settled. In motion a normal force follows from the overlap alone. So places are found at which overlaps are those of the forces, as
//! near as can be where more links press than places can follow. From there, with tangential forces as they are, equilibrium is found by the
//! same rules as for each grain, with the geometry updated until nothing changes.

use super::bearing::law_of;
use super::contacts::{Beside, Body, Surroundings};
use super::pressed::{Placed, Pressed, across, known, known_at, order};
use super::{QuasiStatic, mean_load};
use crate::body::{Formed, Grain};
use crate::contact::slow::{Line, SlowLink};
use crate::geometry::{Dimension, Vector};
use crate::record::BodyRef;
use crate::stress::{
    ConjugateGradient, Freedom, Iteration, Link, LinkKey, LinkState, Network, Node, NodeKey,
    Packing, Rules, Tension,
};
use crate::system::SystemError;

/// Greatest number of solves that fit overlaps to forces.
const FITS: usize = 30;
/// Displacement of a grain in such a solve, over the least radius, that counts as zero.
const FITTED: f64 = 1e-13;
/// Greatest number of times that links whose bodies do not touch are left out, and places are fitted anew.
const REFITS: usize = 20;
/// Share of a radius above which a gap means that bodies are apart.
const APART: f64 = 1e-7;
/// Stiffness across a link in these solves, over that along it: it holds grains that no normal force would.
const ACROSS: f64 = 1e-3;
/// Stiffness that ties each grain to its place in the search for equilibrium, over that of its stiffest link: a grain that may roll stays.
const TIE: f64 = 1e-6;
/// Residual of a solve over its load: the next geometry finds the rest.
const ENOUGH: f64 = 1e-9;
/// Greatest number of geometries in the search for equilibrium.
const GEOMETRIES: usize = 30;
/// Residual that a grain may have in the end, over the mean weight.
const LEFT: f64 = 1e-10;

/// Returns the greatest magnitude of some numbers.
fn greatest(values: &[f64]) -> f64 {
    values.iter().fold(0.0, |most, value| most.max(value.abs()))
}

impl<D: Formed> QuasiStatic<'_, D> {
    /// Returns the filling so far as grains and links of motion.
    ///
    /// # Errors
    /// A part that nothing holds; numbers that are none.
    pub(in crate::system) fn placed(&self) -> Result<Placed<D>, SystemError> {
        let mut places: Vec<D::Vector> = Vec::with_capacity(self.nodes.len());
        for (&node, grain) in self.nodes.iter().zip(&self.setup.grains) {
            places.push(grain.position + self.displacement(node).0);
        }
        let found = places.clone();
        let mut links = self.pressed();
        let grains = self.setup.grains.iter();
        let least = grains.fold(f64::INFINITY, |least, grain| least.min(grain.radius));
        for _ in 0..REFITS {
            for _ in 0..FITS {
                // Where nothing holds a grain motion starts from the places so far.
                let moved = self.fit(&mut places, &links)?;
                if moved.is_none_or(|moved| moved <= FITTED * least) {
                    break;
                }
            }
            let apart = self.apart(&places, &links)?;
            if apart.is_empty() {
                break;
            }
            let mut index = 0;
            links.retain(|_| {
                index += 1;
                apart.binary_search(&(index - 1)).is_err()
            });
        }
        let weight = self.scale(&links);
        // Where slides do not end nothing improves: motion starts from the best state found.
        let (mut best, mut slides) = (None, 0);
        let mut left = f64::INFINITY;
        for _ in 0..GEOMETRIES {
            let (lacks, next) = self.balance(&places, &links, weight)?;
            let better = lacks <= 0.5 * left;
            if lacks < left {
                left = lacks;
                best = Some((places.clone(), links.clone(), slides));
            }
            let Some(next) = next.filter(|_| better && left > LEFT * weight) else {
                break;
            };
            (places, links) = (next.places, next.links);
            slides += next.slides;
        }
        let Some((places, links, slides)) = best else {
            return Err(SystemError::Numerical(
                "the filling has no finite places as a bed of motion".into(),
            ));
        };
        let ways = self.setup.grains.iter().zip(found.iter().zip(&places));
        let ways = ways.map(|(grain, (from, to))| (*to - *from).norm() / grain.radius);
        let moved = ways.fold(0.0, f64::max);
        let grains = self.setup.grains.iter().zip(&self.nodes).zip(&places);
        let grains = grains.map(|((grain, &node), &place)| Grain {
            position: place,
            velocity: D::Vector::default(),
            rotation: D::turned(grain.rotation, self.displacement(node).1),
            spin: D::Spin::default(),
            ..*grain
        });
        Ok(Placed {
            grains: grains.collect(),
            links,
            left: left / weight,
            moved,
            slides,
        })
    }

    /// Returns the force to which others are relative, N: the mean load, or where nothing loads grains the mean force of links.
    fn scale(&self, links: &[Pressed<D>]) -> f64 {
        let load = mean_load(&self.setup);
        if load > 0.0 {
            return load;
        }
        let sum: f64 = links.iter().map(|link| link.pressure.abs()).sum();
        let mean = sum / links.len().max(1) as f64;
        if mean > 0.0 { mean } else { 1.0 }
    }

    /// Returns the links of the filling that press, each seen from the grain that came later.
    fn pressed(&self) -> Vec<Pressed<D>> {
        let network = self.packing.network();
        let mut index = vec![0; network.nodes().len()];
        for (grain, &node) in self.nodes.iter().enumerate() {
            index[node] = grain;
        }
        let mut links = Vec::new();
        for (key, link) in network.links().iter().enumerate() {
            let stress = self.packing.stress(key);
            if !stress.on {
                continue;
            }
            // A grain that comes is the first node of its links.
            let with = match self.bodies[link.b] {
                BodyRef::Boundary(wall) => Body::Wall(usize::from(wall)),
                _ => Body::Grain(index[link.b]),
            };
            links.push(Pressed {
                grain: index[link.a],
                with,
                normal: link.normal,
                pressure: stress.normal,
                shear: -stress.tangential,
                deepest: self.bearings.deepest_of(key),
            });
        }
        links.sort_by_key(|link| (link.grain, order(link.with)));
        links
    }

    /// Returns the bodies beside each grain at some places; of grains, those that came before it.
    fn beside(&self, places: &[D::Vector]) -> Result<Vec<Vec<Beside<D>>>, SystemError> {
        let reach = self.setup.models.quasi_static.map_or(0.0, |s| s.reach);
        let mut around = Surroundings::new(&self.setup)?.exact();
        let grains = self.setup.grains.iter().zip(places);
        Ok(grains
            .map(|(grain, &position)| around.add(&Grain { position, ..*grain }, reach))
            .collect())
    }

    /// Moves grains so that overlaps come nearer to those of the forces; returns the greatest displacement, m, or `None` if the solve fails.
    fn fit(
        &self,
        places: &mut [D::Vector],
        links: &[Pressed<D>],
    ) -> Result<Option<f64>, SystemError> {
        let mut packing = self.empty(Freedom::Translational);
        let nodes = self.nodes_at(&mut packing, places);
        let mut load = vec![D::Vector::default(); places.len()];
        let all = self.beside(places)?;
        for (grain, around) in all.iter().enumerate() {
            for beside in around {
                let Some(slow) = self.law(grain, beside) else {
                    continue;
                };
                let (pressure, deepest) = match known(links, grain, beside.body, beside.direction) {
                    Some(link) => (link.pressure, link.deepest),
                    // A pair that is apart in the filling.
                    None if beside.gap < 0.0 => (0.0, 0.0),
                    None => continue,
                };
                let line = slow.line(
                    pressure,
                    deepest,
                    self.bearings.floor(pressure.abs()),
                    false,
                );
                let kn = line.stiffness;
                let lacks = beside.direction * (pressure + kn * line.free + kn * beside.gap);
                load[grain] += lacks;
                if let Body::Grain(other) = beside.body {
                    load[other] += -lacks;
                }
                let stiffness = [kn, ACROSS * kn, 0.0];
                self.join(&mut packing, &nodes, (grain, beside), stiffness, 0.0);
            }
        }
        for (&node, load) in nodes.iter().zip(&load) {
            let load: Vec<f64> = load.components().collect();
            packing.set_load(node, &load);
        }
        tie(&mut packing, &nodes);
        if packing.settle().is_err() {
            return Ok(None);
        }
        Ok(Some(shift(&packing, &nodes, places)))
    }

    /// Returns the links that press in the filling, but whose bodies are apart at some places, the widest of each grain, by index in order. A
    /// grain that hovered where the filling put it may be held by more links than bodies can touch it.
    fn apart(&self, places: &[D::Vector], links: &[Pressed<D>]) -> Result<Vec<usize>, SystemError> {
        let mut widest = Vec::new();
        for (grain, around) in self.beside(places)?.iter().enumerate() {
            let gaps = around.iter().filter_map(|beside| {
                let index = known_at(links, grain, beside.body, beside.direction)?;
                // A link that releases only over a gap may be that far apart.
                let end = self
                    .law(grain, beside)
                    .map_or(0.0, |slow| slow.end(links[index].deepest).0);
                let gap = beside.gap + end.min(0.0);
                (gap > APART * self.setup.grains[grain].radius).then_some((gap, index))
            });
            widest.extend(
                gaps.max_by(|a, b| a.0.total_cmp(&b.0))
                    .map(|(_, index)| index),
            );
        }
        widest.sort_unstable();
        Ok(widest)
    }

    /// Returns the greatest residual, N, of the grains at some places with their present springs, and the places of equilibrium, as far as
    /// one geometry gives them; `weight` is the force to which others are relative, N.
    fn balance(
        &self,
        places: &[D::Vector],
        links: &[Pressed<D>],
        weight: f64,
    ) -> Result<(f64, Option<Balanced<D>>), SystemError> {
        let freedom = self.packing.network().freedom();
        let mut packing = self.empty(freedom);
        let nodes = self.nodes_at(&mut packing, places);
        let m = packing.network().per_node();
        let mut load: Vec<Vec<f64>> = self.setup.grains.iter().map(|_| vec![0.0; m]).collect();
        if self.loads.are_weights() {
            for (load, grain) in load.iter_mut().zip(&self.setup.grains) {
                for k in 0..D::N {
                    load[k] = grain.mass * self.setup.fields.gravity[k];
                }
            }
        } else {
            // At the present places of the grains, when motion begins.
            let here = self.setup.grains.iter().zip(places);
            let here: Vec<Grain<D>> = here
                .map(|(grain, &position)| Grain { position, ..*grain })
                .collect();
            let (found, _) = self.loads.of(&self.setup, &here, self.setup.run.end_time);
            for (load, found) in load.iter_mut().zip(&found) {
                *load = found.by_freedom(m);
            }
        }
        let all = self.beside(places)?;
        let mut made = Vec::new();
        for (grain, around) in all.iter().enumerate() {
            for beside in around {
                let Some(slow) = self.law(grain, beside) else {
                    continue;
                };
                let known = known(links, grain, beside.body, beside.direction);
                let deepest = known.map_or(0.0, |link| link.deepest);
                let held = slow.at(-beside.gap, deepest);
                // A link that overlaps, or holds over its gap, acts already: its force is known, and only increments are solved for.
                let gap = match known.is_some() && slow.end(deepest).0 <= -beside.gap {
                    true => 0.0,
                    false => beside.gap.max(0.0),
                };
                let bears = if gap > 0.0 { weight } else { held.force };
                let floor = self.bearings.floor(bears.abs());
                let line = slow.line(bears, deepest, floor, gap == 0.0);
                let stiffness = [line.stiffness, line.tangential, line.friction];
                let key = self.join(&mut packing, &nodes, (grain, beside), stiffness, gap);
                made.push((key, grain, *beside, deepest));
                if gap > 0.0 {
                    continue;
                }
                if !self.bearings.are_plain() {
                    let free = 0.0;
                    let line = Line {
                        free,
                        ends: true,
                        ..line
                    };
                    packing.begin_lines(&[(key, line)]);
                }
                let pressure = held.force;
                // The part of the shear that motion would cut at once is left out.
                let bound = slow.friction() * held.presses;
                let shear =
                    known.map_or(D::Vector::default(), |link| across(link, beside.direction));
                let shear = match shear.norm() {
                    size if size > bound => shear * (bound / size),
                    _ => shear,
                };
                packing.set_prestress(key, pressure, -shear);
                let link = packing.network().links()[key];
                let force = beside.direction * -pressure + shear;
                let of =
                    |index: usize, force: D::Vector, arm: D::Vector, load: &mut Vec<Vec<f64>>| {
                        for k in 0..D::N {
                            load[index][k] += force[k];
                        }
                        let moment = D::moment(arm, force);
                        for k in 0..(m - D::N) {
                            load[index][D::N + k] += D::spin_component(moment, k);
                        }
                    };
                of(grain, force, link.arms[0], &mut load);
                if let Body::Grain(other) = beside.body {
                    of(other, -force, link.arms[1], &mut load);
                }
            }
        }
        if freedom == Freedom::Full {
            tie(&mut packing, &nodes);
        }
        let left = load.iter().map(|load| greatest(&load[..D::N]));
        let left = left.fold(0.0, f64::max);
        for (&node, load) in nodes.iter().zip(&load) {
            packing.set_load(node, load);
        }
        // As in motion, whatever the filling allowed.
        let rules = Rules {
            slides: true,
            tension: Tension::Break,
            ..self.rules.clone()
        };
        let Ok(relaxation) = packing.relax(&rules) else {
            return Ok((left, None));
        };
        let links = made
            .into_iter()
            .filter_map(|(key, grain, beside, deepest)| {
                let stress = packing.stress(key);
                stress.on.then_some(Pressed {
                    grain,
                    with: beside.body,
                    normal: beside.direction,
                    pressure: stress.normal,
                    shear: -stress.tangential,
                    deepest,
                })
            });
        let links: Vec<Pressed<D>> = links.collect();
        let mut places = places.to_vec();
        shift(&packing, &nodes, &mut places);
        let next = Balanced {
            places,
            links,
            slides: relaxation.slides,
        };
        Ok((left, Some(next)))
    }

    fn empty(&self, freedom: Freedom) -> Packing<'static, D> {
        let iteration = Iteration {
            tolerance: ENOUGH,
            probe: false,
            ..Iteration::default()
        };
        let network = Network::<D>::new(freedom);
        Packing::new(
            freedom,
            Box::new(ConjugateGradient::new(&network, iteration)),
        )
    }

    /// Adds a node for each grain.
    fn nodes_at(&self, packing: &mut Packing<D>, places: &[D::Vector]) -> Vec<NodeKey> {
        let grains = self.setup.grains.iter().zip(places);
        grains
            .map(|(grain, &position)| {
                let node = Node {
                    position,
                    radius: grain.radius,
                    fixed: false,
                };
                packing.add_node(node, &[])
            })
            .collect()
    }

    /// Returns the law of the link of a grain with a body beside it.
    fn law(&self, grain: usize, beside: &Beside<D>) -> Option<SlowLink> {
        law_of(&self.setup, &self.setup.grains[grain], beside)
    }

    /// Adds a link between a grain and a body beside it, open where there is a gap, m.
    fn join(
        &self,
        packing: &mut Packing<D>,
        nodes: &[NodeKey],
        (grain, beside): (usize, &Beside<D>),
        [kn, kt, friction]: [f64; 3],
        gap: f64,
    ) -> LinkKey {
        let radius = self.setup.grains[grain].radius;
        let (other, arm) = match beside.body {
            Body::Grain(other) => (
                nodes[other],
                beside.direction * -self.setup.grains[other].radius,
            ),
            Body::Wall(_) => {
                let position = packing.network().nodes()[nodes[grain]].position
                    + beside.direction * (radius + beside.gap);
                let wall = Node {
                    position,
                    radius: 0.0,
                    fixed: true,
                };
                (packing.add_node(wall, &[]), D::Vector::default())
            }
        };
        let link = Link {
            a: nodes[grain],
            b: other,
            normal: beside.direction,
            arms: [beside.direction * radius, arm],
            kn,
            kt,
            friction,
            state: match gap > 0.0 {
                true => LinkState::Off,
                false => LinkState::Grip,
            },
        };
        packing.add_link(link, gap)
    }
}

/// Result of one geometry.
struct Balanced<D: Dimension> {
    places: Vec<D::Vector>,
    links: Vec<Pressed<D>>,
    slides: usize,
}

/// Ties grains to their places, each by a small share of the stiffness of its stiffest link, or of any link where it has none.
fn tie<D: Dimension>(packing: &mut Packing<D>, nodes: &[NodeKey]) {
    let of = |packing: &Packing<D>, links: &mut dyn Iterator<Item = LinkKey>| {
        links.fold(0.0, |most, key| {
            f64::max(most, packing.network().links()[key].kn)
        })
    };
    let any = of(packing, &mut (0..packing.network().links().len()));
    for &node in nodes {
        let own = of(
            packing,
            &mut packing.network().links_of(node).iter().copied(),
        );
        packing.tie(node, TIE * if own > 0.0 { own } else { any });
    }
}

/// Moves grains by the displacements of a packing; returns the greatest, m.
fn shift<D: Dimension>(packing: &Packing<D>, nodes: &[NodeKey], places: &mut [D::Vector]) -> f64 {
    let mut most = 0.0_f64;
    let network = packing.network();
    let m = network.per_node();
    for (&node, place) in nodes.iter().zip(places) {
        if let Some(row) = network.row(node) {
            let moved = &packing.displacements()[row * m..row * m + D::N];
            let moved = D::Vector::from_fn(|k| moved[k]);
            most = most.max(moved.norm());
            *place += moved;
        }
    }
    most
}
