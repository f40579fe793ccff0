//! Loads on grains that stand still are carried down to where they are borne: a solve for the
//! increments of all displacements, from the forces as they are.
//!
//! The network has the links of all grains in touch as they are strained now; those at Coulomb's bound
//! resist along their normals only. Stepped grains bear no load of their own in it but go along: were
//! they held fast, they would take over the loads that they are the cause of. A step is taken as far as it lowers the energy, potential and elastic together, so that the solve cannot
//! pump; who would go too far is woken instead, and so is who is left without balance.

use super::rest::size;
use super::{MorphSetup, System, SystemError};
use crate::cluster::integrate::Integrate;
use crate::cluster::{Elastic, LinkView, Other, Shift};
use crate::event::EventKind;
use crate::geometry::Vector;
use crate::record::Sink;
use crate::stress::{
    ConjugateGradient, Freedom, Iteration, Link, LinkState, Network, Node, Solver, StressError,
};

/// Passes: links that slide change the stiffness.
const PASSES: usize = 3;
/// Solves in all: those after which somebody was woken are made again.
const TRIES: usize = 40;
/// Halvings of a step that does not lower the energy.
const HALVINGS: usize = 4;
/// Residual of the linear solve over the load: what is left is found again by the next.
const ROUGH: f64 = 1e-2;
/// Mean residual that is left alone, over that at which grains may be stopped.
const ENOUGH: f64 = 0.1;
/// A spring between each grain and the ground, over the stiffness of a link: enough that what can
/// move without strain is found as a long way, not as a failure.
const GROUND: f64 = 1e-5;
/// Greatest strain of a link in one pass, in radii: beyond it the geometry has changed.
const FAR: f64 = 0.01;
/// Greatest way in one pass, in radii: what goes farther hangs on nothing.
const LOOSE: f64 = 0.02;

/// Potential energy of the grains and elastic energy of all links, J.
#[derive(Clone, Copy, Default)]
struct Energy {
    potential: f64,
    elastic: Elastic,
}

impl Energy {
    fn sum(&self) -> f64 {
        self.potential + self.elastic.sum()
    }
}

impl<D: Integrate> System<D> {
    /// Carries down what still grains bear without balance. True when the lists are to be
    /// renewed.
    pub(super) fn carry(
        &mut self,
        sink: &mut dyn Sink,
        morph: &MorphSetup,
    ) -> Result<bool, SystemError> {
        self.s.rest.carried = self.engine.time();
        let mut changed = false;
        let (mut passes, mut tries) = (0, 0);
        while passes < PASSES && tries < TRIES {
            tries += 1;
            let standing = self.engine.standing();
            let mut grains = standing.clone();
            grains.extend(&self.engine.state.active);
            grains.sort_unstable();
            let before = self.unrest(&standing);
            if before < ENOUGH * morph.residual {
                break;
            }
            self.count(EventKind::AnalyzeInternalForces);
            self.s.rest.solves += 1;
            let shifts = match self.increments(&standing, &grains) {
                Ok(shifts) => shifts,
                Err(loose) => {
                    changed |= self.rouse(sink, &[loose])?;
                    self.engine.renew();
                    continue;
                }
            };
            let far = self.engine.far(&shifts, FAR, LOOSE);
            if !far.is_empty() {
                changed |= self.rouse(sink, &far)?;
                self.engine.renew();
                continue;
            }
            passes += 1;
            if !self.descend(&grains, &shifts) {
                break;
            }
            // Who flies was foreseen against still grains where they were.
            changed |= !self.flying().is_empty();
        }
        let left: Vec<u32> = self
            .engine
            .standing()
            .into_iter()
            .filter(|&slot| size(&self.engine.residual(slot)) > morph.left * self.weight(slot))
            .collect();
        changed |= self.rouse(sink, &left)?;
        Ok(changed)
    }

    /// Root of the mean square of residuals over weights.
    fn unrest(&self, standing: &[u32]) -> f64 {
        let share = |&slot: &u32| size(&self.engine.residual(slot)) / self.weight(slot);
        let sum: f64 = standing.iter().map(share).map(|r| r * r).sum();
        (sum / standing.len().max(1) as f64).sqrt()
    }

    fn energy(&self, grains: &[u32]) -> Energy {
        let arrays = &self.engine.state.arrays;
        let mut energy = Energy::default();
        self.engine
            .each_link_view(|view| energy.elastic += view.elastic);
        energy.elastic.normal += self.engine.unseen_elastic();
        for &slot in grains {
            let s = slot as usize;
            energy.potential -=
                self.setup.gravity.dot(&arrays.position(s)) / arrays.inverse_mass(s);
        }
        energy
    }

    /// Displacements that balance the residuals, by slot; or a slot that nothing holds.
    fn increments(&self, standing: &[u32], grains: &[u32]) -> Result<Vec<Shift<D>>, u32> {
        let arrays = &self.engine.state.arrays;
        let mut network = Network::<D>::new(Freedom::Full);
        let mut row = vec![usize::MAX; arrays.slots()];
        for (k, &slot) in grains.iter().enumerate() {
            row[slot as usize] = k;
            network.add_node(Node {
                position: arrays.position(slot as usize),
                radius: arrays.radius(slot as usize),
                fixed: false,
            });
        }
        let mut stiffest = 0.0_f64;
        let mut add = |network: &mut Network<D>, view: LinkView<D>| {
            let k = &view.kinematics;
            let normal = -k.normal;
            let of = |slot: u32| row[slot as usize];
            let material = |slot: u32| arrays.material[slot as usize];
            let radius = |slot: u32| arrays.radius(slot as usize);
            let other = match view.b {
                Other::Slot(b) => material(b),
                Other::Boundary(wall) => self.setup.boundaries[usize::from(wall)].material,
            };
            let Some(law) = self.setup.laws.get(material(view.a), other) else {
                return;
            };
            let stiffness = law.stiffness(k.overlap, k.radius);
            stiffest = stiffest.max(stiffness.normal);
            let (a, arm_a) = (of(view.a), normal * radius(view.a));
            let (b, arm_b) = match view.b {
                Other::Slot(slot) => (of(slot), normal * -radius(slot)),
                // A wall is ground.
                Other::Boundary(_) => {
                    let (ground, _) = network.add_node(Node {
                        position: k.point,
                        radius: 0.0,
                        fixed: true,
                    });
                    (ground, D::Vector::default())
                }
            };
            network.add_link(Link {
                a,
                b,
                normal,
                arms: [arm_a, arm_b],
                kn: stiffness.normal,
                kt: stiffness.tangential,
                friction: stiffness.friction,
                state: if view.slipping {
                    LinkState::Slide
                } else {
                    LinkState::Grip
                },
            });
        };
        self.engine.each_still_link(|view| add(&mut network, view));
        self.engine.each_list_link(|view| add(&mut network, view));
        for (k, &slot) in grains.iter().enumerate() {
            let s = slot as usize;
            let (node, _) = network.add_node(Node {
                position: arrays.position(s),
                radius: 0.0,
                fixed: true,
            });
            // One along each axis: together they hold rotations too.
            for axis in 0..D::N {
                let normal = D::Vector::from_fn(|j| f64::from(u8::from(j == axis)));
                network.add_link(Link {
                    a: k,
                    b: node,
                    normal,
                    arms: [normal * arrays.radius(s), D::Vector::default()],
                    kn: GROUND * stiffest,
                    kt: GROUND * stiffest,
                    friction: 0.0,
                    state: LinkState::Grip,
                });
            }
        }
        let m = network.per_node();
        let mut load = vec![0.0; network.len()];
        for (k, &slot) in grains.iter().enumerate() {
            if !self.engine.stands(slot) {
                continue;
            }
            let residual = self.engine.residual(slot);
            load[k * m..k * m + D::N].copy_from_slice(&residual[..D::N]);
            for j in 0..D::SPINS {
                load[k * m + D::N + j] = residual[3 + j] * arrays.radius(slot as usize);
            }
        }
        let mut moved = vec![0.0; network.len()];
        let iteration = Iteration {
            tolerance: ROUGH,
            probe: false,
            ..Iteration::default()
        };
        if let Err(error) =
            ConjugateGradient::new(&network, iteration).solve(&network, &load, &mut moved)
        {
            let worst = |&a: &u32, &b: &u32| {
                let of = |slot| size(&self.engine.residual(slot)) / self.weight(slot);
                of(a).total_cmp(&of(b))
            };
            let at = match error {
                StressError::Mechanism { node } => grains
                    .get(node)
                    .copied()
                    .filter(|&slot| self.engine.stands(slot)),
                _ => None,
            };
            return Err(at
                .or_else(|| standing.iter().copied().max_by(|a, b| worst(a, b)))
                .unwrap_or(0));
        }
        let mut shifts = vec![Shift::default(); arrays.slots()];
        for (k, &slot) in grains.iter().enumerate() {
            let radius = arrays.radius(slot as usize);
            let shift = &mut shifts[slot as usize];
            shift.way = D::Vector::from_fn(|j| moved[k * m + j]);
            for j in 0..D::SPINS {
                shift.turn[j] = radius * moved[k * m + D::N + j];
            }
        }
        Ok(shifts)
    }

    /// Goes along displacements as far as the energy falls; whether it went at all.
    fn descend(&mut self, grains: &[u32], shifts: &[Shift<D>]) -> bool {
        let then = self.energy(grains);
        let before = self.engine.remember();
        let mut shifts = shifts.to_vec();
        for _ in 0..HALVINGS {
            self.engine.shift(&shifts);
            let now = self.energy(grains);
            if now.sum() < then.sum() {
                self.engine.settle_shift();
                self.s.rest.energy += then.sum() - now.sum();
                // What went into tangential springs is not lost in sliding.
                self.engine.state.flows.friction +=
                    now.elastic.tangential - then.elastic.tangential;
                return true;
            }
            self.engine.take_back(&before);
            for shift in &mut shifts {
                shift.way = shift.way * 0.5;
                shift.turn = shift.turn.map(|t| 0.5 * t);
            }
        }
        false
    }
}
