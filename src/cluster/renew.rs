//! Renewing the candidate lists: when, from what, and what goes along with it.

use super::arrays::Status;
use super::bands::{Bands, BlockEnd};
use super::engine::{Engine, law_of};
use super::integrate::Integrate;
use super::lists::{Kept, Lists};
use super::state::WallClass;
use super::still::WallName;
use crate::geometry::surface::{Flat, Surface};
use crate::geometry::{Dimension, Vector};
use crate::hgraph::ClusterIndex;
use crate::neighbor::pairs_across;

/// Numbers of slots at a renewal.
enum Numbers {
    /// They stay.
    Kept,
    /// Empty slots are dropped and, in large systems, the others sorted now and then.
    Compact,
    /// The old slots in their new order, the dummy first; who is not among them is dropped.
    Given(Vec<u32>),
}

/// Slots from which on there are bands.
const BANDS_FROM: usize = 1 << 14;

/// Slots of a band, about, by dimensions: some hundred microseconds of work. In space the rows that the pairs of two bands read and add to
/// are to fit the second cache of a core, 1 MiB (docs/notes/performance.md, "Size").
const fn band(dimensions: usize) -> usize {
    if dimensions == 2 { 8192 } else { 2048 }
}

impl<D: Integrate> Engine<D> {
    /// Whether the outer list must be renewed before the next evaluation.
    pub fn outer_is_stale(&self) -> bool {
        2.0 * self.state.outer_way > self.options.outer_margin
    }

    /// Filters the inner lists if they may be incomplete.
    pub fn refresh_inner(&mut self) {
        let leeways = &self.state.leeways;
        let same = 2.0 * self.state.inner_way > self.options.inner_margin;
        if leeways.are_used_up().unwrap_or(same) {
            self.filter();
        }
    }

    /// The margin with which lists are filtered, m: the faster grains are, the wider. What candidates that do not
    /// touch cost grows with the margin, what filtering costs with way over margin; the sum is least where the margin
    /// goes with the root of the way in a step.
    fn margin_of_now(&self) -> f64 {
        /// Share of the full margin that is gone in a step from which on lists have it: about that of `hopper`, for
        /// whose flow it was found best.
        const FULL_AT: f64 = 0.075;
        const LEAST: f64 = 1.0 / 32.0;
        let full = self.options.inner_margin;
        // In the plane `hopper` won nothing by less; edges that move have ways of their own.
        if D::N == 2 || self.state.cell.is_some() {
            return full;
        }
        let way = self.way_of([self.state.fastest, self.wall_speed()]);
        full * (way / (FULL_AT * full)).sqrt().clamp(LEAST, 1.0)
    }

    /// Filters the inner lists from the outer ones.
    pub fn filter(&mut self) {
        let sorted = self.has_arcs();
        self.state.counts.filterings += 1;
        self.deal_leeways();
        // Where all have the same.
        let margin = self.margin_of_now();
        // Lists with less than the full margin begin as if the rest of it were gone.
        self.state.inner_way = 0.5 * (self.options.inner_margin - margin);
        let (lengths, offset) = {
            let timing = self.timing();
            (timing.periodic, timing.moving.map(|moving| moving.offset))
        };
        let state = &mut self.state;
        let (arrays, leeways) = (&state.arrays, &state.leeways);
        let rows = &arrays.rows[..];
        let square = |a: u32, b: u32, wrap: [f64; 3], offset: Option<f64>| {
            let (p, q) = (&rows[a as usize].0, &rows[b as usize].0);
            let margin = leeways.of_pair(a, b).unwrap_or(margin);
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
        for class in &mut state.pairs {
            let (outer, blocks) = (&class.outer, &mut class.blocks[..]);
            let (spare, notes, team) = (&mut self.spare, &mut self.notes, self.team);
            match lengths {
                // Told apart here, so that the usual loop has no periodic directions in it.
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
        let time = self.time();
        let state = &mut self.state;
        let (arrays, leeways) = (&state.arrays, &state.leeways);
        for class in &mut state.walls {
            let wall = &self.boundaries[usize::from(class.boundary)];
            let pose = wall.boundary.motion.pose(time);
            class.lists.refilter(
                &class.outer,
                &mut [BlockEnd::of_all(class.outer.len())],
                &mut self.spare,
                &mut self.notes,
                self.team,
                sorted,
                |candidate| candidate,
                |[slot, surface]| {
                    let x = wall.to_frame(surface, &pose, arrays.position(slot as usize));
                    let surface = wall.surface(surface);
                    let distance = surface.distance_bound(x);
                    let margin = leeways.at_wall(slot, wall.fixed).unwrap_or(margin);
                    distance < arrays.radius(slot as usize) + margin
                        && surface.way_to_zone(x, distance) < margin
                },
            );
        }
        self.arcs.named.clear();
    }

    /// Renews the outer lists from the positions of now, dropping empty slots. Flying grains take
    /// no part in them.
    pub fn renew(&mut self) {
        self.renew_all(Numbers::Compact);
    }

    /// The same without new numbers of slots.
    pub fn renew_in_place(&mut self) {
        self.renew_all(Numbers::Kept);
    }

    /// The same with the old slots in a given order, the dummy first; who is not among them is dropped, with the links in the lists.
    /// Gives the new slot of each old one, 0 of those that are dropped.
    pub(super) fn renew_in_order(&mut self, order: Vec<u32>) -> Vec<u32> {
        self.renew_all(Numbers::Given(order)).unwrap_or_default()
    }

    fn renew_all(&mut self, numbers: Numbers) -> Option<Vec<u32>> {
        self.state.counts.renewals += 1;
        self.state.outer_way = 0.0;
        // Where nobody asks for clusters, notes of lost links must not grow for ever.
        if self.state.clusters.lost() > self.state.arrays.slots() && !self.border.shared {
            self.find_splits();
        }
        if !self.border.in_place {
            self.settle_rotations();
        }
        let mut kept: Vec<Vec<Kept>> = Vec::new();
        for class in &self.state.pairs {
            let mut links = Vec::new();
            class.lists.kept(&mut links);
            links.append(&mut self.waking[kept.len()]);
            kept.push(links);
        }
        let mut at_walls: Vec<(WallName, Kept)> = std::mem::take(&mut self.waking_walls);
        let mut links = Vec::new();
        for class in &self.state.walls {
            links.clear();
            class.lists.kept(&mut links);
            let name = |link: &Kept| (class.boundary, link.b, class.side, class.material);
            at_walls.extend(links.iter().map(|link| (name(link), *link)));
        }
        let new_slot = match numbers {
            Numbers::Kept => None,
            Numbers::Compact => self.compact(),
            Numbers::Given(order) => Some(self.renumber(&order)),
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
            self.sort_still();
        } else if self.cells.outgrown() {
            self.sort_still();
        }
        if self.border.shared {
            // Others keep them.
            at_walls.retain(|(_, link)| !self.is_ghost(link.a));
            for kept in &mut kept {
                kept.retain(|link| !(self.is_ghost(link.a) && self.is_ghost(link.b)));
            }
        }
        if new_slot.is_some() || self.border.shared {
            self.rebuild_clusters(&kept);
        }
        self.forget_arcs();
        self.lay_aside(&mut kept, &mut at_walls);
        self.keep_as_candidates(&mut kept, &mut at_walls);
        let back = self.wrap_periodic();
        self.rename_images(&back, &mut at_walls);
        self.put_all_parts();
        self.renew_pairs(&kept);
        self.renew_walls(&at_walls);
        self.state.leeways.clear();
        self.filter();
        self.find_faces();
        self.find_rim();
        new_slot
    }

    /// Drops empty slots and, in large systems, sorts the others row by row.
    /// Gives the new slot of each old one, if anything moved.
    fn compact(&mut self) -> Option<Vec<u32>> {
        const SORT_FROM: usize = 4_000;
        // Where most stand still, what is stepped is few.
        let every = if self.state.still.count > 0 { 1024 } else { 16 };
        let arrays = &self.state.arrays;
        let slots = arrays.slots();
        let full: Vec<u32> = (1..slots as u32)
            .filter(|&s| arrays.status[s as usize].is_grain())
            .collect();
        let sort = full.len() >= SORT_FROM && self.state.counts.renewals % every == 1;
        if full.len() + self.state.bodies.parts() + 1 == slots && !sort {
            return None;
        }
        let mut order = vec![0];
        if sort {
            let positions: Vec<D::Vector> =
                full.iter().map(|&s| arrays.position(s as usize)).collect();
            let cell = 2.0
                * full
                    .iter()
                    .map(|&s| arrays.radius(s as usize))
                    .fold(0.0, f64::max);
            let along = crate::neighbor::row_order::<D>(&positions, cell);
            order.extend(along.iter().map(|&k| full[k as usize]));
        } else {
            order.extend(&full);
        }
        let order = self.with_parts(order);
        Some(self.renumber(&order))
    }

    /// Gives slots new numbers: `order` names the old slot of each, the dummy first. Gives the new slot of each old one, 0 of
    /// those that are dropped.
    fn renumber(&mut self, order: &[u32]) -> Vec<u32> {
        let mut new_slot = vec![0; self.state.arrays.slots()];
        for (new, &old) in order.iter().enumerate() {
            new_slot[old as usize] = new as u32;
        }
        self.state.arrays.reorder(order);
        self.state.bodies.renumber(&new_slot, order.len());
        self.state.since = order
            .iter()
            .map(|&o| self.state.since[o as usize])
            .collect();
        self.state.back = order.iter().map(|&o| self.state.back[o as usize]).collect();
        self.state.still.renumber(order, &new_slot);
        self.border.renumber(order);
        for list in [
            &mut self.state.active,
            &mut self.state.fresh,
            &mut self.border.ghosts,
        ] {
            for slot in list.iter_mut() {
                *slot = new_slot[*slot as usize];
            }
            list.retain(|&s| s != 0);
        }
        new_slot
    }

    /// An order of slots in which the parts of grains follow these.
    fn with_parts(&self, order: Vec<u32>) -> Vec<u32> {
        let bodies = &self.state.bodies;
        if bodies.list.is_empty() {
            return order;
        }
        let mut all = Vec::with_capacity(order.len() + bodies.parts());
        for slot in order {
            all.push(slot);
            if let Some(body) = bodies.of(slot) {
                all.extend(slot + 1..=slot + u32::from(bodies.list[body].parts));
            }
        }
        all
    }

    fn rebuild_clusters(&mut self, kept: &[Vec<Kept>]) {
        let mut clusters = ClusterIndex::with_grains(self.state.arrays.slots() as u32);
        let still = self.state.still.pairs.iter().map(|(_, link)| link);
        for link in kept.iter().flatten().chain(still) {
            clusters.insert_link(self.owner(link.a), self.owner(link.b));
        }
        let before = std::mem::replace(&mut self.state.clusters, clusters);
        self.state.clusters.go_on_from(before);
    }

    /// Spatial: orientations take up the turn gathered since the last renewal; after each step where forces
    /// depend on them.
    pub fn settle_rotations(&mut self) {
        if D::N == 3 {
            let arrays = &mut self.state.arrays;
            for slot in 1..arrays.slots() {
                if arrays.status[slot] == Status::Stepped {
                    arrays.rotation[slot] = D::rotation(arrays, slot);
                    for k in 4..7 {
                        arrays.spins[slot].0[k] = 0.0;
                    }
                }
            }
        }
    }

    /// Brings stepped grains back into the box. Along gravity that lifts or lowers them: the energy
    /// comes from outside, as from a moving wall.
    /// Gives who was brought back by how many lengths of the box.
    pub(crate) fn wrap_periodic(&mut self) -> Vec<(u32, [i32; 3])> {
        let mut wrapped = Vec::new();
        if self.border.in_place {
            return wrapped;
        }
        if let Some(cell) = self.state.cell {
            // Where edges may move there are no walls.
            self.wrap_into_cell(&cell);
            return wrapped;
        }
        for (k, axis) in self.periodic.iter().enumerate() {
            let Some(axis) = axis else { continue };
            for slot in 1..self.state.arrays.slots() {
                if self.state.arrays.status[slot] == Status::Stepped {
                    let x = &mut self.state.arrays.rows[slot].0[k];
                    let turns = ((*x - axis.origin) / axis.length).floor();
                    let back = axis.length * turns;
                    *x -= back;
                    if turns != 0.0 {
                        let of = |j: usize| if j == k { turns as i32 } else { 0 };
                        wrapped.push((slot as u32, std::array::from_fn(of)));
                    }
                    let mass = 1.0 / self.state.arrays.inverse_mass(slot);
                    self.state.flows.walls += mass * self.gravity[k] * back;
                }
            }
        }
        wrapped
    }

    fn renew_pairs(&mut self, kept: &[Vec<Kept>]) {
        self.state.active.sort_unstable();
        self.state.in_order = true;
        let touching = self.with_ghosts(self.touching());
        // Arcs are looked at batch by batch for the whole list; ranks are to have the same order of pairs, however many there are.
        let whole = self.has_arcs() || self.border.shared;
        let size = if whole || touching.len() < BANDS_FROM {
            usize::MAX
        } else {
            band(D::N)
        };
        self.state.bands = Bands::cut(&touching, size);
        let (arrays, bodies) = (&self.state.arrays, &self.state.bodies);
        let active = &touching;
        let mut positions: Vec<D::Vector> = active
            .iter()
            .map(|&s| arrays.position(s as usize))
            .collect();
        if !bodies.list.is_empty() || self.border.in_place {
            // Parts may stick out of the box.
            for (k, axis) in self.periodic.iter().enumerate() {
                if let Some(axis) = axis {
                    positions.iter_mut().for_each(|x| x[k] = axis.wrap(x[k]));
                }
            }
        }
        let radii: Vec<f64> = active.iter().map(|&s| arrays.radius(s as usize)).collect();
        self.pair_buffer.clear();
        let margin = self.options.outer_margin;
        let offset = self.state.cell.map_or(0.0, |cell| cell.edges.offset);
        pairs_across(
            &mut *self.broad,
            (&positions, &radii),
            margin,
            &self.periodic,
            offset,
            &mut self.pair_buffer,
        );
        for class in &mut self.state.pairs {
            class.outer.clear();
        }
        let n = self.laws.materials;
        for pair in &mut self.pair_buffer {
            *pair = (active[pair.0 as usize], active[pair.1 as usize]);
        }
        if !bodies.list.is_empty() {
            self.pair_buffer
                .retain(|&(a, b)| bodies.of(a).is_none() || bodies.owner(a) != bodies.owner(b));
        }
        if !self.cells.is_empty() {
            let stepped = self.pair_buffer.len();
            for (&a, (&x, &radius)) in active.iter().zip(positions.iter().zip(&radii)) {
                let near = radius + margin;
                self.cells.near(x, near, |b| {
                    let reach = near + arrays.radius(b as usize);
                    if (x - arrays.position(b as usize)).norm_squared() < reach * reach {
                        self.pair_buffer.push((a.min(b), a.max(b)));
                    }
                });
            }
            // Two runs, the first sorted as a rule, which are merged.
            self.pair_buffer[stepped..].sort_unstable();
            self.pair_buffer.sort();
        }
        if self.border.shared {
            let ghost = |slot: u32| arrays.status[slot as usize].is_ghost();
            self.pair_buffer.retain(|&(a, b)| !(ghost(a) && ghost(b)));
        }
        for &(a, b) in &self.pair_buffer {
            let materials = (arrays.material[a as usize], arrays.material[b as usize]);
            let class = self.class_of[usize::from(materials.0) * n + usize::from(materials.1)];
            self.state.pairs[usize::from(class)].outer.push([a, b]);
        }
        // Kept for the next renewal, but not where it would weigh on a large system.
        if self.pair_buffer.len() > 1 << 16 {
            self.pair_buffer = Vec::new();
        }
        let bands = &self.state.bands;
        for (class, kept) in self.state.pairs.iter_mut().zip(kept) {
            class.blocks = bands.arrange(&mut class.outer);
            let place = bands.places(&class.outer, &class.blocks);
            let found = kept.iter().filter_map(|&link| {
                let (a, b) = (link.a.min(link.b), link.a.max(link.b));
                let place = place([a, b])?;
                let mut link = link;
                if D::SPRING_IS_VECTOR && link.a > link.b {
                    link.spring = link.spring.map(|s| -s);
                }
                if link.a > link.b {
                    // Rolling is of the first against the second, in the plane too.
                    link.memory.slots[..3].iter_mut().for_each(|s| *s = -*s);
                }
                (link.a, link.b) = (a, b);
                Some((link, place))
            });
            class.lists.restart(found);
        }
    }

    /// Candidates of grains, or of their parts, with surfaces of walls: by class, which has one surface or all of a mesh, then slot and
    /// surface.
    pub(super) fn wall_candidates(&self, touching: &[u32]) -> Vec<(WallName, [u32; 2])> {
        let (time, arrays) = (self.time(), &self.state.arrays);
        let mut entries = Vec::new();
        for (index, wall) in self.boundaries.iter().enumerate() {
            if self.state.gone[index] {
                continue;
            }
            let pose = wall.boundary.motion.pose(time);
            for &slot in touching {
                let whole = arrays.radius(self.owner(slot) as usize);
                if !wall.boundary.stops(whole) {
                    continue;
                }
                let x = arrays.position(slot as usize);
                let reach = [arrays.radius(slot as usize), self.options.outer_margin];
                wall.candidates(&pose, x, reach, |k, surface, x| {
                    let side = surface.flat(x).is_some_and(|f| side_of::<D>(&f));
                    let material = arrays.material[slot as usize];
                    let name = (index as u16, wall.class_of(k), side, material);
                    entries.push((name, [slot, k]));
                });
            }
        }
        entries.sort_unstable();
        entries
    }

    fn renew_walls(&mut self, kept: &[(WallName, Kept)]) {
        let touching = self.touching();
        let arrays = &self.state.arrays;
        let entries = self.wall_candidates(&touching);
        self.state.walls.clear();
        let mut rest = &entries[..];
        while let Some(&(name, _)) = rest.first() {
            let (boundary, surface, side, material) = name;
            let count = rest.partition_point(|e| e.0 <= name);
            let outer: Vec<[u32; 2]> = rest[..count].iter().map(|e| e.1).collect();
            rest = &rest[count..];
            let wall = &self.boundaries[usize::from(boundary)];
            let law = law_of(&self.known_laws, material, wall.boundary.material);
            let mut lists = Lists::of_law(law);
            let found = kept.iter().filter_map(|&(of, link)| {
                if of.0 != boundary || (of.0, wall.class_of(of.1), of.2, of.3) != name {
                    return None;
                }
                let place = outer.binary_search(&[link.a, of.1]).ok()?;
                Some((Kept { b: of.1, ..link }, place as u32))
            });
            lists.restart(found);
            let seen_from = arrays.position(outer[0][0] as usize);
            let flat = wall.fixed.then(|| wall.flat(surface, seen_from)).flatten();
            self.state.walls.push(WallClass {
                boundary,
                surface,
                side,
                material,
                flat,
                outer,
                lists,
            });
        }
        self.find_wall_slots();
    }

    /// Finds the slots that walls may push.
    pub(crate) fn find_wall_slots(&mut self) {
        self.wall_slots.clear();
        if self.state.bands.count() > 1 {
            let slots = self.state.walls.iter().flat_map(|class| &class.outer);
            self.wall_slots.extend(slots.map(|[slot, _]| *slot));
            self.wall_slots.sort_unstable();
            self.wall_slots.dedup();
        }
    }

    /// Whether all slots are known that walls may push.
    pub(super) fn knows_wall_slots(&self) -> bool {
        let mut slots = self.state.walls.iter().flat_map(|class| &class.outer);
        slots.all(|[slot, _]| self.wall_slots.binary_search(slot).is_ok())
    }
}

impl<D: Integrate> Engine<D> {
    /// Surfaces of a boundary that may be no further than `reach` from the centre of a slot, ascending.
    pub(super) fn surfaces_near(&self, boundary: usize, slot: u32, reach: f64) -> Vec<usize> {
        let wall = &self.boundaries[boundary];
        let pose = wall.boundary.motion.pose(self.time());
        let x = self.state.arrays.position(slot as usize);
        let mut found = Vec::new();
        // For roundings.
        let most = reach * (1.0 + 1e-9);
        wall.near(&pose, x, reach, |surface, own| {
            if wall.surface(surface).distance_bound(own) <= most {
                found.push(surface as usize);
            }
        });
        found.sort_unstable();
        found
    }

    /// From which side a grain sees a flat surface; false for one that is round.
    pub(super) fn side(&self, boundary: usize, surface: usize, slot: u32) -> bool {
        let wall = &self.boundaries[boundary];
        let pose = wall.boundary.motion.pose(self.time());
        let surface = surface as u32;
        let x = wall.to_frame(surface, &pose, self.state.arrays.position(slot as usize));
        wall.surface(surface)
            .flat(x)
            .is_some_and(|flat| side_of(&flat))
    }
}

/// Which of the two sides of a flat surface a normal looks to: by its first component that is not 0.
fn side_of<D: Dimension>(flat: &Flat<D>) -> bool {
    flat.normal
        .components()
        .find(|&c| c != 0.0)
        .is_some_and(|c| c > 0.0)
}
