//! Renewal of the candidate lists: its conditions, its sources, and further updates at the same time.

use super::arrays::Status;
use super::bands::BlockEnd;
use super::border::Border;
use super::candidates::Origin;
use super::dem::Dem;
use super::integrate::Integrate;
use super::lists::ContactHistory;
use super::migrate::{MigratingGrain, MigrationBatch};
use super::state::{Book, Skin};
use super::still::WallName;
use super::world::{Physics, World};
use super::{
    advance, arcs, bodies, candidates, cell, change, evaluate, facing, images, migrate, numbering,
    rigid, skin_budget, sleep_interface, still,
};
use crate::geometry::surface::Surface;

/// Slot numbers at a renewal.
enum Numbers {
    /// Unchanged.
    ContactHistory,
    /// Empty slots are dropped and, in large systems, the others are sorted occasionally.
    Compact,
    /// The old slots in their new order, the dummy first; slots that are not listed are dropped.
    Given(Vec<u32>),
}

/// Whether the outer list must be renewed before the next evaluation.
pub fn outer_is_stale<D: Integrate>(physics: &Physics<D>, skin: &Skin) -> bool {
    2.0 * skin.max_outer_displacement > physics.options.outer_margin
}

impl<D: Integrate> Dem<D> {
    /// Filters the inner lists if they may be incomplete, or if candidates that entered them cost more by now.
    pub fn refresh_inner(&mut self) {
        let skin_budgets = &self.skin.skin_budgets;
        let same = 2.0 * self.skin.max_inner_displacement > self.world.physics.options.inner_margin;
        if skin_budgets.are_used_up().unwrap_or(same) || self.is_crowded() {
            self.filter();
        }
    }

    /// Counts the candidates that no filter has seen yet; returns whether processing them has cost as much as a filtering.
    fn is_crowded(&mut self) -> bool {
        /// Cost of filtering a candidate, in evaluations of one that is not in contact.
        const FILTER: u64 = 4;
        if self.skin.unfiltered == 0 {
            return false;
        }
        self.skin.processed += self.skin.unfiltered;
        let contacts = &self.world.contacts;
        let pairs = contacts.pairs.iter().map(|class| class.outer.len());
        let walls = contacts.walls.iter().map(|class| class.outer.len());
        self.skin.processed > FILTER * pairs.chain(walls).sum::<usize>() as u64
    }

    /// Counts the blocks into which pairs that entered cut lists in bands; returns whether processing them has cost as much as arranging all pairs anew.
    pub fn is_cut_up(&mut self) -> bool {
        /// Cost of a block, and of arranging a pair, in evaluations of a pair that is not in contact.
        const BLOCK: u64 = 100;
        const ARRANGE: u64 = 30;
        if self.skin.added_blocks == 0 {
            return false;
        }
        self.skin.crossed_blocks += self.skin.added_blocks;
        let pairs = self.world.contacts.pairs.iter();
        let pairs: usize = pairs.map(|class| class.outer.len()).sum();
        BLOCK * self.skin.crossed_blocks > ARRANGE * pairs as u64
    }

    /// Filters the inner lists from the outer ones.
    pub fn filter(&mut self) {
        // Margins depend on the speeds of all.
        rigid::settle(&mut self.world.grains);
        let sorted = arcs::has_arcs(&self.world.shapes, &self.world.grains);
        self.book.counts.filterings += 1;
        (self.skin.unfiltered, self.skin.processed) = (0, 0);
        skin_budget::deal_skin_budgets(&self.world, &mut self.skin, &self.border);
        // If all have the same margin.
        let margin = margin_of_now(&self.world, &self.skin);
        // Lists with less than the full margin begin as if the rest of it were used.
        self.skin.max_inner_displacement = 0.5 * (self.world.physics.options.inner_margin - margin);
        let (lengths, offset) = {
            let timing = evaluate::timing(&self.world);
            (timing.periodic, timing.moving.map(|moving| moving.offset))
        };
        let (arrays, skin_budgets) = (&self.world.grains.arrays, &self.skin.skin_budgets);
        let rows = &arrays.rows[..];
        let square = |a: u32, b: u32, wrap: [f64; 3], offset: Option<f64>| {
            let (p, q) = (&rows[a as usize].0, &rows[b as usize].0);
            let margin = skin_budgets.of_pair(a, b).unwrap_or(margin);
            let reach = p[3] + q[3] + margin;
            let mut square = 0.0;
            for k in 0..D::N {
                let mut d = p[k] - q[k];
                if let (0, Some(offset)) = (k, offset) {
                    d -= offset * ((p[1] - q[1]) / wrap[1]).round();
                }
                if wrap[k] > 0.0 {
                    d -= wrap[k] * (d / wrap[k]).round();
                }
                square += d * d;
            }
            square < reach * reach
        };
        let empty = |slot: u32| arrays.status[slot as usize] == Status::Empty;
        for class in &mut self.world.contacts.pairs {
            let (outer, blocks) = (&class.outer, &mut class.blocks[..]);
            let (spare, notes, team) = (
                &mut self.search.spare,
                &mut self.search.notes,
                self.work.team,
            );
            match lengths {
                // Distinguished here, so that the usual loop contains no periodic directions.
                None => class.lists.refilter(
                    outer,
                    blocks,
                    spare,
                    notes,
                    team,
                    sorted,
                    |p| p,
                    |[a, b]| square(a, b, [0.0; 3], None),
                ),
                Some(wrap) => class.lists.refilter(
                    outer,
                    blocks,
                    spare,
                    notes,
                    team,
                    sorted,
                    |p| p,
                    |[a, b]| !empty(a) && !empty(b) && square(a, b, wrap, offset),
                ),
            }
        }
        let time = self.world.clock.time();
        let (arrays, skin_budgets) = (&self.world.grains.arrays, &self.skin.skin_budgets);
        for class in &mut self.world.contacts.walls {
            let wall = &self.world.walls.boundaries[usize::from(class.boundary)];
            let pose = wall.boundary.motion.pose(time);
            class.lists.refilter(
                &class.outer,
                &mut [BlockEnd::of_all(class.outer.len())],
                &mut self.search.spare,
                &mut self.search.notes,
                self.work.team,
                sorted,
                |candidate| candidate,
                |[slot, surface]| {
                    let x = wall.to_frame(surface, &pose, arrays.position(slot as usize));
                    let surface = wall.surface(surface);
                    let distance = surface.distance_bound(x);
                    let margin = skin_budgets.at_wall(slot, wall.fixed).unwrap_or(margin);
                    distance < arrays.radius(slot as usize) + margin
                        && surface.way_to_zone(x, distance) < margin
                },
            );
        }
        self.world.shapes.arcs.named.clear();
    }

    /// Renews the outer lists from the present positions, and drops empty slots. Grains in flight
    /// are not included.
    pub fn renew(&mut self) {
        self.renew_all(Numbers::Compact, Origin::Search);
    }

    /// The same without renumbering of slots.
    pub fn renew_in_place(&mut self) {
        self.renew_all(Numbers::ContactHistory, Origin::Search);
    }

    /// The same without a search, after grains were woken or put to rest: candidates are those of the lists, and what is near woken
    /// grains. Displacements count on from the last search.
    pub fn renew_woken(&mut self) {
        let origin = if self.border.shared || self.border.in_place {
            Origin::Search
        } else {
            Origin::Lists
        };
        self.renew_all(Numbers::ContactHistory, origin);
    }

    /// The same with the old slots in a given order, the dummy first; slots that are not listed are dropped,
    /// with their links in the lists. Returns the new slot of each old one, 0 for those that are dropped.
    pub(super) fn renew_in_order(&mut self, order: Vec<u32>) -> Vec<u32> {
        self.renew_all(Numbers::Given(order), Origin::Search)
            .unwrap_or_default()
    }

    fn renew_all(&mut self, numbers: Numbers, origin: Origin) -> Option<Vec<u32>> {
        self.book.counts.renewals += 1;
        (self.skin.added_blocks, self.skin.crossed_blocks) = (0, 0);
        if origin == Origin::Search {
            self.skin.max_outer_displacement = 0.0;
            self.skin.searches += 1;
        }
        // If clusters are never queried, the records of lost links must not grow without limit.
        if self.clusters.lost() > self.world.grains.arrays.slots() && !self.border.shared {
            change::find_splits(
                &self.world.grains,
                &self.world.contacts,
                &self.world.sleeping,
                &mut self.clusters,
            );
        }
        rigid::settle(&mut self.world.grains);
        if !self.border.in_place {
            self.world.grains.settle_rotations();
        }
        let mut kept: Vec<Vec<ContactHistory>> = Vec::new();
        for class in &self.world.contacts.pairs {
            let mut links = Vec::new();
            class.lists.kept(&mut links);
            links.append(&mut self.world.sleeping.waking[kept.len()]);
            kept.push(links);
        }
        let mut at_walls: Vec<(WallName, ContactHistory)> =
            std::mem::take(&mut self.world.sleeping.waking_walls);
        let mut links = Vec::new();
        for class in &self.world.contacts.walls {
            links.clear();
            class.lists.kept(&mut links);
            let name = |link: &ContactHistory| (class.boundary, link.b, class.side, class.material);
            at_walls.extend(links.iter().map(|link| (name(link), *link)));
        }
        let new_slot = match numbers {
            Numbers::ContactHistory => None,
            Numbers::Compact => numbering::compact(
                &mut self.world.grains,
                &mut self.world.sleeping,
                &self.book,
                &mut self.border,
            ),
            Numbers::Given(order) => Some(numbering::renumber(
                &mut self.world.grains,
                &mut self.world.sleeping,
                &mut self.border,
                &order,
            )),
        };
        if let Some(new_slot) = &new_slot {
            for kept in &mut kept {
                for link in kept.iter_mut() {
                    link.a = new_slot[link.a as usize];
                    link.b = new_slot[link.b as usize];
                }
                kept.retain(|link| link.a != 0 && link.b != 0);
            }
            for (_, link) in &mut at_walls {
                link.a = new_slot[link.a as usize];
            }
            at_walls.retain(|(_, link)| link.a != 0);
            self.world.contacts.bonds.renumber(new_slot);
            self.world.grains.rigid.renumber(new_slot);
            still::sort_still(&mut self.world);
        } else if self.world.sleeping.cells.outgrown() {
            still::sort_still(&mut self.world);
        }
        if self.border.shared {
            // Other ranks keep them.
            at_walls.retain(|(_, link)| !self.world.grains.is_ghost(link.a));
            for kept in &mut kept {
                kept.retain(|link| {
                    !(self.world.grains.is_ghost(link.a) && self.world.grains.is_ghost(link.b))
                });
            }
        }
        if new_slot.is_some() || self.border.shared {
            numbering::rebuild_clusters(
                &self.world.grains,
                &self.world.sleeping,
                &self.world.contacts.bonds,
                &mut self.clusters,
                &kept,
            );
        }
        self.world.shapes.forget_arcs();
        still::lay_aside(&mut self.world, &mut kept, &mut at_walls);
        facing::keep_as_candidates(
            &self.world.shapes,
            &self.world.grains,
            &mut kept,
            &mut at_walls,
        );
        let back = wrap_periodic(&mut self.world, &mut self.book, &self.border);
        rigid::shift_images(&mut self.world, &back);
        images::rename_images(&self.world.walls, &self.world.grains, &back, &mut at_walls);
        bodies::put_all_parts(
            &self.world.physics,
            &mut self.world.shapes,
            &mut self.world.grains,
            &mut self.skin,
        );
        candidates::renew_pairs(
            &mut self.world,
            &mut self.search,
            &self.border,
            origin,
            &kept,
        );
        candidates::renew_walls(&mut self.world, origin, &at_walls);
        self.world.sleeping.woken.clear();
        self.skin.skin_budgets.clear();
        self.filter();
        facing::find_faces(&mut self.world);
        sleep_interface::find_rim(&mut self.world);
        rigid::find_exposed(&self.world.contacts, &mut self.world.grains.rigid);
        new_slot
    }

    /// Adds the links of arrived grains, and ghosts, in the order in which the ranks that step them
    /// store them. Renews the lists and returns the slots of the ghosts of each rank, in the given
    /// order, and the new slot of each old one (including those that did not move).
    pub fn renew_shared(
        &mut self,
        parties: Vec<MigrationBatch<D>>,
        images: &[Vec<MigratingGrain<D>>],
    ) -> (Vec<Vec<u32>>, Vec<u32>) {
        let mut known = migrate::known_ghosts(&self.world.grains);
        let arrived = parties.iter().flat_map(MigrationBatch::ids).collect();
        let mut stays = vec![false; self.world.grains.arrays.slots()];
        let mut of_ranks: Vec<Vec<u32>> = Vec::with_capacity(images.len());
        for images in images {
            let slots = images.iter().map(|ghost| {
                migrate::take_in(
                    &mut self.world,
                    &mut self.clusters,
                    &mut self.border,
                    ghost,
                    &mut known,
                )
            });
            of_ranks.push(slots.collect());
        }
        stays.resize(self.world.grains.arrays.slots(), false);
        for &slot in of_ranks.iter().flatten() {
            stays[slot as usize] = true;
        }
        migrate::take_bonds(
            &self.world.grains,
            &mut self.world.sleeping,
            parties,
            &arrived,
        );
        migrate::drop_resting(&self.world.grains, &mut self.world.sleeping, &stays);
        let arrays = &self.world.grains.arrays;
        let here = |slot: &u32| arrays.status[*slot as usize].is_grain() || stays[*slot as usize];
        let mut order: Vec<u32> = (1..arrays.slots() as u32).filter(here).collect();
        order.sort_unstable_by_key(|&slot| {
            (self.border.places[slot as usize], arrays.id[slot as usize])
        });
        order.insert(0, 0);
        self.border.ghosts = (1..arrays.slots() as u32)
            .filter(|&slot| arrays.status[slot as usize] == Status::Ghost)
            .filter(|&slot| stays[slot as usize])
            .collect();
        let grown = std::mem::take(&mut self.border.grown);
        let as_it_is = !grown && order.len() == arrays.slots() && order.is_sorted();
        let new_slot = if as_it_is {
            self.renew_in_place();
            order
        } else {
            self.renew_in_order(order)
        };
        self.border.ghosts.sort_unstable();
        for slot in of_ranks.iter_mut().flatten() {
            *slot = new_slot[*slot as usize];
        }
        (of_ranks, new_slot)
    }
}

/// Margin of filtering, m: the faster the grains, the wider. The cost of candidates that do not
/// touch is proportional to the margin, the cost of filtering to the displacement over the margin;
/// the sum is least if the margin is proportional to the square root of the displacement per step.
fn margin_of_now<D: Integrate>(world: &World<D>, skin: &Skin) -> f64 {
    /// Fraction of the full margin covered per step above which lists have it: about that of
    /// `hopper`, for whose flow it was optimized.
    const FULL_AT: f64 = 0.075;
    const LEAST: f64 = 1.0 / 32.0;
    let full = world.physics.options.inner_margin;
    // In the plane a smaller margin did not help `hopper`; moving edges have displacements of their own.
    if D::N == 2 || world.cell.state.is_some() {
        return full;
    }
    let way = world
        .clock
        .way_of([skin.fastest, advance::wall_speed(world)]);
    full * (way / (FULL_AT * full)).sqrt().clamp(LEAST, 1.0)
}

/// Wraps stepped grains into the box. Along gravity this lifts or lowers them: the energy is
/// external, as from a moving wall. Returns the wrapped grains, each with the number of box
/// lengths.
pub(crate) fn wrap_periodic<D: Integrate>(
    world: &mut World<D>,
    book: &mut Book,
    border: &Border,
) -> Vec<(u32, [i32; 3])> {
    let mut wrapped = Vec::new();
    if border.in_place {
        return wrapped;
    }
    if let Some(cell) = world.cell.state {
        // With moving edges there are no walls.
        cell::drive::wrap_into_cell(&mut world.grains, book, &cell);
        return wrapped;
    }
    for (k, axis) in world.physics.periodic.iter().enumerate() {
        let Some(axis) = axis else { continue };
        for slot in 1..world.grains.arrays.slots() {
            if world.grains.arrays.status[slot] == Status::Stepped {
                let x = &mut world.grains.arrays.rows[slot].0[k];
                let turns = ((*x - axis.origin) / axis.length).floor();
                let back = axis.length * turns;
                *x -= back;
                if turns != 0.0 {
                    let of = |j: usize| if j == k { turns as i32 } else { 0 };
                    wrapped.push((slot as u32, std::array::from_fn(of)));
                }
                let mass = 1.0 / world.grains.arrays.inverse_mass(slot);
                book.flows.walls += mass * world.physics.gravity[k] * back;
            }
        }
    }
    wrapped
}
