//! Loads on grains that stand still are carried down to where they are borne: a solve for the
//! increments of all displacements, from the forces as they are.
//!
//! The solve has the links of all grains in touch as they are strained now; those at Coulomb's bound
//! resist along their normals only. Stepped grains bear no load of their own in it but go along: were
//! they held fast, they would take over the loads that they are the cause of. It is one implicit step
//! of the motion from rest: what inertia would not let move in the time of the step, loosely held grains
//! and whole columns of a deep bed, is left to the next solves. A step is taken as far as it lowers the
//! energy, potential and elastic together, so that the solve cannot pump; who would go too far is woken
//! instead, and so is who is left without balance.

use super::avalanche::Carried;
use super::rest::size;
use super::{MorphSetup, System, SystemError};
use crate::cluster::integrate::Integrate;
use crate::cluster::{Elastic, LinkView, Other, Shift};
use crate::event::EventKind;
use crate::geometry::Vector;
use crate::record::Sink;
use crate::stress::{Bed, Strut};

/// Passes: links that slide change the stiffness.
const PASSES: usize = 3;
/// Solves in a pass: those after which somebody is to be woken are made again.
const TRIES: usize = 16;
/// Halvings of a step that does not lower the energy.
const HALVINGS: usize = 4;
/// What a linear solve may leave, over the load: it is found again by the next.
const ROUGH: f64 = 0.05;
/// Iterations after which a solve is given up.
const ITERATIONS: usize = 1000;
/// Mean residual that is left alone, over that at which grains may be stopped.
const ENOUGH: f64 = 0.1;
/// Greatest strain of a link in one pass, in radii: beyond it the geometry has changed.
const FAR: f64 = 0.03;
/// Greatest way in one pass, in radii: what goes farther hangs on nothing.
const LOOSE: f64 = 0.1;

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

/// What a solve gives: displacements by slot, and who is to be woken since they would take it too far
/// or since nothing holds it.
struct Increments<D: Integrate> {
    shifts: Option<Vec<Shift<D>>>,
    loose: Vec<u32>,
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
        let mut avalanche: Option<Carried> = None;
        for _ in 0..PASSES {
            let standing = self.engine.standing();
            let (unrest, worst) = self.unrest(&standing);
            let avalanche = avalanche.get_or_insert_with(|| {
                let id = |slot: u32| self.body_ref(Other::Slot(slot));
                Carried::new(worst.map(|slot| (slot, id(slot))))
            });
            if unrest < ENOUGH * morph.residual {
                break;
            }
            let mut grains = standing;
            grains.extend(&self.engine.state.active);
            grains.sort_unstable();
            let Increments { shifts, loose } = self.increments(&grains, morph);
            if !loose.is_empty() {
                changed |= self.rouse_by(sink, avalanche, &loose)?;
                self.engine.renew_in_place();
            }
            let Some(shifts) = shifts else { break };
            if !self.descend(&grains, &shifts) {
                break;
            }
            self.note_changes(sink, avalanche)?;
            // Who flies was foreseen against still grains where they were.
            changed |= !self.flying().is_empty();
        }
        let left: Vec<u32> = self
            .engine
            .standing()
            .into_iter()
            .filter(|&slot| size(&self.engine.residual(slot)) > morph.left * self.weight(slot))
            .collect();
        let mut avalanche = avalanche.unwrap_or_else(|| Carried::new(None));
        changed |= self.rouse_by(sink, &mut avalanche, &left)?;
        let moved = avalanche.rounds > 0;
        self.close_avalanche(sink, avalanche)?;
        if moved {
            self.check_all_overlaps()?;
        }
        Ok(changed)
    }

    /// Root of the mean square of residuals over weights, and the slot with the greatest.
    fn unrest(&self, standing: &[u32]) -> (f64, Option<u32>) {
        let (mut sum, mut most, mut worst) = (0.0, 0.0, None);
        for &slot in standing {
            let share = size(&self.engine.residual(slot)) / self.weight(slot);
            sum += share * share;
            if share > most {
                (most, worst) = (share, Some(slot));
            }
        }
        ((sum / standing.len().max(1) as f64).sqrt(), worst)
    }

    /// The energy, given that of links between grains that stand still.
    fn energy(&self, grains: &[u32], still: Elastic) -> Energy {
        let arrays = &self.engine.state.arrays;
        let mut energy = Energy {
            elastic: still,
            potential: 0.0,
        };
        self.engine
            .each_list_link(|view| energy.elastic += view.elastic);
        energy.elastic.normal += self.engine.unseen_elastic();
        for &slot in grains {
            let s = slot as usize;
            energy.potential -=
                self.setup.gravity.dot(&arrays.position(s)) / arrays.inverse_mass(s);
        }
        energy
    }

    /// Displacements that balance the residuals of all but those whom they would take too far.
    fn increments(&mut self, grains: &[u32], morph: &MorphSetup) -> Increments<D> {
        let bed = self.bed(grains, morph.pace);
        let arrays = &self.engine.state.arrays;
        let m = D::N + D::SPINS;
        let mut load = vec![0.0; grains.len() * m];
        for (k, &slot) in grains.iter().enumerate() {
            if self.engine.stands(slot) {
                let residual = self.engine.residual(slot);
                load[k * m..k * m + D::N].copy_from_slice(&residual[..D::N]);
                load[k * m + D::N..][..D::SPINS].copy_from_slice(&residual[3..3 + D::SPINS]);
            }
        }
        let row = |slot: u32| grains.binary_search(&slot).unwrap_or(0);
        let mut moved = vec![0.0; load.len()];
        let mut loose: Vec<u32> = Vec::new();
        for _ in 0..TRIES {
            self.s.by_kind[EventKind::AnalyzeInternalForces as usize] += 1;
            self.s.rest.solves += 1;
            if bed.solve(&load, &mut moved, ROUGH, ITERATIONS).is_none() {
                break;
            }
            let mut shifts = vec![Shift::default(); arrays.slots()];
            for (&slot, moved) in grains.iter().zip(moved.chunks_exact(m)) {
                let shift = &mut shifts[slot as usize];
                shift.way = D::Vector::from_fn(|j| moved[j]);
                shift.turn[..D::SPINS].copy_from_slice(&moved[D::N..]);
            }
            let mut far = self.engine.far(&shifts, FAR, LOOSE);
            far.retain(|slot| loose.binary_search(slot).is_err());
            if far.is_empty() {
                return Increments {
                    shifts: Some(shifts),
                    loose,
                };
            }
            for &slot in &far {
                load[row(slot) * m..][..m].fill(0.0);
            }
            loose.extend(far);
            loose.sort_unstable();
        }
        Increments {
            shifts: None,
            loose,
        }
    }

    /// The stiffness of all links in touch, as they are strained now, and the inertia of the grains in
    /// a step of length `pace` from rest: m / pace^2 between each and the ground.
    fn bed(&self, grains: &[u32], pace: f64) -> Bed<D> {
        let arrays = &self.engine.state.arrays;
        let mut row = vec![u32::MAX; arrays.slots()];
        for (k, &slot) in grains.iter().enumerate() {
            row[slot as usize] = k as u32;
        }
        let mut struts: Vec<Strut<D>> = Vec::with_capacity(3 * grains.len());
        let mut add = |view: LinkView<D>| {
            let k = &view.kinematics;
            let material = |slot: u32| arrays.material[slot as usize];
            let other = match view.b {
                Other::Slot(b) => material(b),
                Other::Boundary(wall) => self.setup.boundaries[usize::from(wall)].material,
            };
            let Some(law) = self.setup.laws.get(material(view.a), other) else {
                return;
            };
            let stiffness = law.stiffness(k.overlap, k.radius);
            struts.push(Strut {
                a: row[view.a as usize],
                b: match view.b {
                    Other::Slot(slot) => Some(row[slot as usize]),
                    Other::Boundary(_) => None,
                },
                normal: -k.normal,
                kn: stiffness.normal,
                kt: if view.slipping {
                    0.0
                } else {
                    stiffness.tangential
                },
            });
        };
        self.engine.each_still_link(&mut add);
        self.engine.each_list_link(&mut add);
        let per = 1.0 / (pace * pace);
        let ground: Vec<[f64; 2]> = grains
            .iter()
            .map(|&slot| {
                let s = slot as usize;
                [
                    per / arrays.inverse_mass(s),
                    per / arrays.inverse_inertia(s),
                ]
            })
            .collect();
        Bed::new(&struts, &ground)
    }

    /// Goes along displacements as far as it goes down; whether it went at all.
    ///
    /// What goes down is the energy of what the solve balances: of grains that stand still, under their
    /// weight and what stepped grains push, which is a load. Stepped grains are as good as without
    /// weight, and their links count by what they resist beyond what they push already.
    fn descend(&mut self, grains: &[u32], shifts: &[Shift<D>]) -> bool {
        let mut still = Elastic::default();
        self.engine.each_still_link(|view| still += view.elastic);
        let then = self.energy(grains, still);
        let mut given = self.engine.given_by_stepped(shifts);
        for &slot in grains {
            let Shift { way, turn } = shifts[slot as usize];
            if self.engine.stands(slot) {
                let push = self.engine.mean_push(slot);
                given -= (0..D::N).map(|k| push[k] * way[k]).sum::<f64>();
                given -= (0..3).map(|k| push[3 + k] * turn[k]).sum::<f64>();
            } else {
                let mass = 1.0 / self.engine.state.arrays.inverse_mass(slot as usize);
                given += mass * self.setup.gravity.dot(&way);
            }
        }
        let before = self.engine.remember();
        let mut shifts = shifts.to_vec();
        for _ in 0..HALVINGS {
            let still = self.engine.shift(&shifts);
            let now = self.energy(grains, still);
            if now.sum() + given < then.sum() {
                self.engine.settle_shift();
                self.s.rest.energy += then.sum() - now.sum();
                // What went into tangential springs is not lost in sliding.
                self.engine.state.flows.friction +=
                    now.elastic.tangential - then.elastic.tangential;
                return true;
            }
            self.engine.take_back(&before);
            given *= 0.5;
            for shift in &mut shifts {
                shift.way = shift.way * 0.5;
                shift.turn = shift.turn.map(|t| 0.5 * t);
            }
        }
        false
    }
}
