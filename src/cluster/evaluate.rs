//! Evaluation of forces at the present positions, with all consequences of links that form or end.

use super::blocks::Pairs;
use super::cell::CellSums;
use super::dem::{Dem, Work, law_of, spin_of, three};
use super::facing_walls::{fill_lanes, wall_geometry};
use super::integrate::{Integrate, IntegratorName, KickDrift, StepSums};
use super::kernel::{Moving, Timing, WallSums};
use super::state::{Book, Effects, Other, Passed, WallClass};
use super::world::World;
use super::{
    arcs, blocks, bodies, bonds, border, cell, crossing, encounters, facing, kinematics,
    link_events, passing, piece_bounds, sleep_interface, wear,
};
use crate::walls::Pose;

impl<D: Integrate> Dem<D> {
    /// Evaluates forces at the rows' positions, with all consequences of links that form or end; then performs the stride of all
    /// grains, if given, and returns its sums. `trial` evaluates without events and accounts (the second stage of `heun`), at `time`.
    fn evaluate(
        &mut self,
        time: f64,
        trial: bool,
        stride: Option<KickDrift>,
    ) -> (Passed, StepSums) {
        self.effects.link_events.clear();
        self.effects.encounters.clear();
        let arcs = arcs::know_arcs(
            &self.world.physics,
            &mut self.world.shapes,
            &self.world.grains,
        );
        if let Some(sums) = &mut self.world.cell.sums {
            **sums = CellSums::default();
        }
        let mut passed = Passed::default();
        let mut sums = StepSums::default();
        if !trial {
            bonds::evaluate(
                &mut self.world,
                &mut self.book,
                &mut self.effects,
                &mut self.clusters,
                time,
            );
        }
        if blocks::has_bands(&self.world.contacts, &self.world.cell) && !arcs {
            // Walls first: grains may then advance as soon as their pairs are done.
            evaluate_walls(
                &mut self.world,
                &mut self.work,
                &mut self.book,
                &mut self.effects,
                time,
                trial,
                arcs,
                &mut passed,
            );
            sums = self.evaluate_bands(time, trial, stride, &mut passed);
        } else {
            let timing = timing(&self.world);
            for class in 0..self.world.contacts.pairs.len() {
                if self.world.contacts.pairs[class].lists.batches.is_empty() {
                    continue;
                }
                self.work.changed.clear();
                if self.world.physics.options.log_links && !trial {
                    let lists = &self.world.contacts.pairs[class].lists;
                    self.work.springs.clone_from(&lists.history);
                }
                passed.friction += if arcs {
                    arcs::arc_pairs(
                        &mut self.world,
                        &self.skin,
                        &mut self.work,
                        class,
                        timing,
                        trial,
                    )
                } else {
                    blocks::pair_forces(&mut self.world, &mut self.work, class, timing)
                };
                if !trial {
                    self.note_pairs(class, time);
                }
            }
            evaluate_walls(
                &mut self.world,
                &mut self.work,
                &mut self.book,
                &mut self.effects,
                time,
                trial,
                arcs,
                &mut passed,
            );
        }
        bodies::gather_parts(&mut self.world);
        // The stride accounts for the work of normal dampers and tangential forces as damping; this
        // moves the tangential share to friction. It is computed with the predicted velocities, the
        // stride's with the actual ones: the sum is exact, the split accurate to second order.
        passed.damping -= passed.friction;
        (passed, sums)
    }

    /// Evaluates pairs with bands, and performs the stride after them.
    fn evaluate_bands(
        &mut self,
        time: f64,
        trial: bool,
        stride: Option<KickDrift>,
        passed: &mut Passed,
    ) -> StepSums {
        let pairs = pairs(&self.world);
        let mut springs = Vec::new();
        if self.world.physics.options.log_links && !trial {
            let lists = |pairs: &Pairs| &self.world.contacts.pairs[pairs.class].lists;
            springs.extend(pairs.iter().map(|pairs| lists(pairs).history.clone()));
        }
        let mut springs = springs.into_iter();
        let (done, sums) = blocks::by_bands(
            &mut self.world,
            &mut self.skin,
            &mut self.work,
            &pairs,
            stride,
        );
        for (pairs, done) in pairs.iter().zip(done) {
            passed.friction += done.work;
            self.work.changed = done.changed;
            self.work.springs = springs.next().unwrap_or_default();
            if !trial {
                self.note_pairs(pairs.class, time);
            }
        }
        sums
    }

    /// Evaluates forces at the present positions and accounts for their work. Must be called after each drift.
    pub fn forces(&mut self) {
        self.forces_and_stride(None);
    }

    /// The same, followed by the stride of all grains, if given; returns its sums.
    pub(super) fn forces_and_stride(&mut self, stride: Option<KickDrift>) -> StepSums {
        let time = self.world.clock.time();
        sleep_interface::clear_rim(&mut self.world.grains, &self.world.sleeping);
        self.world.walls.clear_guided();
        let (passed, sums) = self.evaluate(time, false, stride);
        self.effects.evaluation_is_due = stride.is_some();
        sleep_interface::gather_rim(&self.world.grains, &mut self.world.sleeping);
        sleep_interface::book_still_walls(
            &self.world.clock,
            &self.world.sleeping,
            &mut self.book,
            1.0,
        );
        let flows = &mut self.book.flows;
        flows.friction += passed.friction;
        flows.damping += passed.damping;
        flows.walls += passed.walls;
        flows.last = [passed.friction, passed.damping, passed.walls];
        flows.last_fields = Default::default();
        if let Some(sums) = self.world.cell.sums.take() {
            cell::drive::settle_cell(
                &self.world.clock,
                &mut self.world.grains,
                &mut self.world.cell,
                &mut self.book,
                &sums,
            );
            self.world.cell.sums = Some(sums);
        }
        sums
    }

    /// Evaluates forces without events (for `heun`).
    pub(super) fn trial_forces(&mut self, time: f64) -> Passed {
        bodies::put_all_parts(
            &self.world.physics,
            &mut self.world.shapes,
            &mut self.world.grains,
            &mut self.skin,
        );
        self.evaluate(time, true, None).0
    }

    /// Accounts for the changes of the last evaluation of a pair class.
    pub(super) fn note_pairs(&mut self, class: usize, time: f64) {
        for index in 0..self.work.changed.len() {
            let change = self.work.changed[index];
            let batch = self.world.contacts.pairs[class].lists.batches[change.batch as usize];
            let (opened, closed) = (
                change.after.touch & !change.before.touch,
                change.before.touch & !change.after.touch,
            );
            for k in link_events::lanes_of(opened | closed) {
                let (a, b) = (
                    self.world.grains.owner(batch.a[k]),
                    self.world.grains.owner(batch.b[k]),
                );
                encounters::note_encounter(
                    &self.world.shapes,
                    &self.world.grains,
                    &self.world.sleeping,
                    &mut self.effects,
                    class,
                    [batch.a[k], batch.b[k]],
                    opened >> k & 1 == 1,
                );
                if opened >> k & 1 == 1 {
                    self.clusters.insert_link(a, b);
                } else {
                    self.clusters.remove_link(a, b);
                    self.world.contacts.pairs[class].lists.calm[change.batch as usize][k] = 0;
                }
            }
            let counted = border::counted(&self.world.grains, &self.border, change, &batch.a);
            link_events::count(&mut self.book, &counted);
            if self.world.physics.options.log_links {
                for k in 0..8 {
                    let kinds = link_events::kinds(&change, k);
                    if kinds != [None, None] {
                        let kin = kinematics::pair_kinematics(&self.world, batch.a[k], batch.b[k]);
                        let crossed = match kinds[1] {
                            Some(kind) => crossing::pair_crossed(
                                &self.world,
                                &self.work,
                                class,
                                &change,
                                k,
                                kind,
                                &kin,
                            ),
                            None => 0.0,
                        };
                        let b = Other::Slot(batch.b[k]);
                        link_events::log(
                            &self.world.clock,
                            &mut self.effects,
                            kinds,
                            &kin,
                            crossed,
                            time,
                            batch.a[k],
                            b,
                        );
                    }
                }
            }
        }
    }
}

pub(super) fn timing<D: Integrate>(world: &World<D>) -> Timing {
    let before = if world.clock.integrator == IntegratorName::Euler {
        0.0
    } else {
        0.5
    };
    let lengths = || {
        std::array::from_fn(|k| {
            world
                .physics
                .periodic
                .get(k)
                .copied()
                .flatten()
                .map_or(0.0, |p| p.length)
        })
    };
    Timing {
        step: world.clock.step,
        before,
        after: 1.0 - before,
        slip_tolerance: world.physics.options.slip_tolerance,
        partial: before > 0.0,
        centred: world.clock.integrator.is_leapfrog() && !world.grains.bodies.list.is_empty(),
        periodic: world
            .physics
            .periodic
            .iter()
            .any(Option::is_some)
            .then(lengths),
        moving: world.cell.state.as_ref().map(|cell| Moving {
            offset: cell.edges.offset,
            rates: cell.rates.lengths,
            offset_rate: cell.rates.offset,
        }),
    }
}

/// The nonempty classes of pairs, for bands.
fn pairs<D: Integrate>(world: &World<D>) -> Vec<Pairs> {
    let timing = timing(world);
    let classes = world.contacts.pairs.iter().zip(0..);
    let filled = classes.filter(|(class, _)| !class.lists.batches.is_empty());
    let pairs = filled.map(|(of, class)| Pairs {
        class,
        law: *world.physics.law(of.materials[0], of.materials[1]),
        timing,
    });
    pairs.collect()
}

fn evaluate_walls<D: Integrate>(
    world: &mut World<D>,
    work: &mut Work<D>,
    book: &mut Book,
    effects: &mut Effects<D>,
    time: f64,
    trial: bool,
    arcs: bool,
    passed: &mut Passed,
) {
    let timing = timing(world);
    let level = world.physics.level;
    let (mut damper_at_walls, mut wall_power) = (0.0, 0.0);
    let mut at_bounds = Vec::new();
    // Classes of one boundary follow each other.
    let mut known: Option<(u16, Pose<D>)> = None;
    for class in 0..world.contacts.walls.len() {
        if world.contacts.walls[class].lists.batches.is_empty() {
            continue;
        }
        if arcs && world.contacts.walls[class].flat.is_none() {
            facing::find_wall_faces(world, class, time);
        }
        let wall = &world.contacts.walls[class];
        let boundary = &world.walls.boundaries[usize::from(wall.boundary)];
        let materials = [wall.material, boundary.boundary.material];
        let pose = match known {
            Some((index, pose)) if index == wall.boundary => pose,
            _ => boundary.boundary.motion.pose(time),
        };
        known = Some((wall.boundary, pose));
        let image = if boundary.images.are_others() {
            // The same for all grains, which are in the box.
            let seen_from = wall.lists.batches[0].a.iter().find(|slot| **slot != 0);
            let seen_from = seen_from.map(|slot| {
                crossing::motion(&world.shapes, &world.grains, *slot as usize).position
            });
            seen_from.map_or_else(D::Vector::default, |x| {
                boundary.shift(wall.surface, &pose, x)
            })
        } else {
            D::Vector::default()
        };
        let reference = three(boundary.reference + pose.shift + image);
        let wall_spin = spin_of::<D>(pose.spin);
        if wall.flat.is_none() {
            let mut lanes = std::mem::take(&mut work.wall_lanes);
            let place =
                |slot: u32| crossing::motion(&world.shapes, &world.grains, slot as usize).position;
            let law = law_of(&world.physics.known_laws, materials[0], materials[1]);
            let minds = law.needs_radius();
            let round = |slot: u32| {
                minds.then(|| kinematics::law_radius(&world.shapes, &world.grains, slot as usize))
            };
            fill_lanes(place, round, wall, &pose, boundary, &mut lanes);
            if boundary.surfaces.are_many() && !trial {
                passing::pass_on(world, book, class, &lanes, time);
            }
            work.wall_lanes = lanes;
        }
        work.changed.clear();
        let index = usize::from(world.contacts.walls[class].boundary);
        if world.physics.options.log_links && !trial {
            work.springs
                .clone_from(&world.contacts.walls[class].lists.history);
        }
        let sums: WallSums = if arcs {
            arcs::arc_walls(world, work, class, timing, reference)
        } else {
            let law = law_of(&world.physics.known_laws, materials[0], materials[1]);
            let WallClass { flat, lists, .. } = &mut world.contacts.walls[class];
            D::wall_forces(
                level,
                law,
                &mut world.grains.arrays,
                lists,
                &mut work.changed,
                timing,
                wall_geometry(flat.as_ref(), &work.wall_lanes),
                reference,
                wall_spin,
            )
        };
        passed.friction += sums.friction;
        damper_at_walls += sums.damper_power;
        wall_power += sums.power;
        if !trial {
            let total = &mut book.wall_sums[index];
            let h = world.clock.step;
            for k in 0..3 {
                total[k] += h * sums.force[k];
                total[3 + k] += h * sums.moment[k];
            }
            total[6] += h * sums.power;
            world.walls.note_guided(index, sums.force);
            link_events::note_walls(world, work, book, effects, class, time);
            wear::note_wear(world, work, book, class, time);
            if piece_bounds::has_pieces(&world.walls, &world.contacts, class) {
                piece_bounds::note_bounds(world, work, class, time, &mut at_bounds);
            }
        }
    }
    piece_bounds::give_at_bounds(world, book, at_bounds);
    let h = world.clock.step;
    passed.damping = h * damper_at_walls;
    passed.walls = h * wall_power;
}
