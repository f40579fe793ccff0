//! Small displacements of a part of a bed, with what they do to links: how loads on grains that stand
//! still are carried on.

use super::arrays::Status;
use super::changes::LinkChange;
use super::coefficients::{Coefficients, coefficients};
use super::engine::Engine;
use super::integrate::Integrate;
use super::kinematics::Kinematics;
use super::lists::{History, Kept};
use super::observe::{Elastic, size};
use super::part::Part;
use super::state::Other;
use super::still::{Place, Push, WallName, add};
use crate::contact::lasting;
use crate::event::EventKind;
use crate::geometry::Vector;
use crate::vector::Row;

/// A link before a displacement.
struct Then<N> {
    /// Its number, and its springs.
    index: N,
    kept: Kept,
    /// How far the displacement strains it across, by the geometry from which that was found, m.
    by: [f64; 3],
    /// Its stiffness across, N/m.
    stiffness: f64,
    /// Forces on its ends, N, and moments over the radius, N; of a wall the first is the grain's.
    pushes: [Push; 2],
}

/// Links that a displacement strains, and what must be put back when it is taken back.
pub struct Strained<D: Integrate> {
    /// How much of it is left: it is taken back, and half as much tried.
    share: f64,
    /// Between grains that stand still.
    links: Vec<Then<u32>>,
    /// Of these with walls.
    walls: Vec<Then<usize>>,
    /// What all these hold, with the opposite sign, J.
    elastic: Elastic,
    /// How far links with stepped grains are strained across: of pairs, and with walls.
    rim: [Vec<(Place, [f64; 3])>; 2],
    /// What these push.
    rim_pushes: Vec<(u32, Push)>,
    /// By place: rows and spins.
    rows: Vec<[Row; 2]>,
    /// By place, in space: orientations.
    rotations: Vec<D::Rotation>,
    /// Slots whose links these are, with their forces.
    held: Vec<(u32, Push)>,
    /// Those that stepped grains are near to: what these push.
    pushed: Vec<(u32, Push, Row)>,
    springs: Vec<Vec<D::History>>,
    at_walls: Vec<Vec<D::History>>,
    ways: [f64; 3],
}

/// Links that a displacement opens and gaps that it closes, until it is kept or taken back.
#[derive(Debug, Default)]
pub(super) struct Pending {
    opened: Vec<u32>,
    opened_walls: Vec<usize>,
    closed: Vec<(usize, Kept)>,
    closed_walls: Vec<(WallName, Kept)>,
}

impl<D: Integrate> Engine<D> {
    /// What displacing a part will strain, to be called before.
    pub fn before_shift(&self, part: &Part<D>) -> Strained<D> {
        let still = &self.state.still;
        let arrays = &self.state.arrays;
        let mut elastic = Elastic::default();
        let then = |index: u32| {
            let (class, kept) = still.pairs.get(index);
            let [p, q] = self.state.pairs[class].materials;
            let view = self.kept_view(class, kept);
            elastic -= view.elastic;
            Then {
                index,
                kept: *kept,
                by: self.pair_strain(part, kept.a, kept.b).sliding,
                stiffness: coefficients(self.law(p, q), &view.kinematics).kt,
                pushes: self.pushes(&view),
            }
        };
        let links: Vec<Then<u32>> = self.still_links_of(part).into_iter().map(then).collect();
        let then = |index: usize| {
            let (name, kept) = &still.walls[index];
            let motion = self.displaced(part, kept.a);
            let strain = self.surface_kinematics_of(name.0, name.1, kept.a, motion, self.time());
            let mut then = Then {
                index,
                kept: *kept,
                by: strain.map_or([0.0; 3], |kinematics| kinematics.sliding),
                stiffness: 0.0,
                pushes: Default::default(),
            };
            if let Some(view) = self.kept_wall_view(name, kept) {
                elastic -= view.elastic;
                let wall = &self.boundaries[usize::from(name.0)].boundary;
                then.stiffness = coefficients(self.law(name.3, wall.material), &view.kinematics).kt;
                then.pushes = self.pushes(&view);
            }
            then
        };
        let walls: Vec<Then<usize>> = self.still_walls_of(part).into_iter().map(then).collect();
        let own = |k: &Kept| [self.owner(k.a), self.owner(k.b)];
        let mut ends: Vec<u32> = links.iter().flat_map(|then| own(&then.kept)).collect();
        ends.extend(&part.slots);
        ends.sort_unstable();
        ends.dedup();
        let force = |&slot: &u32| (slot, still.held[slot as usize]);
        Strained {
            share: 1.0,
            links,
            walls,
            elastic,
            rim: self.list_strains(part),
            rim_pushes: self.rim_pushes(),
            rows: part
                .slots
                .iter()
                .map(|&slot| {
                    let s = slot as usize;
                    let spins = arrays.spins.get(s).copied().unwrap_or_default();
                    [arrays.rows[s], spins]
                })
                .collect(),
            rotations: part
                .slots
                .iter()
                .filter_map(|&slot| arrays.rotation.get(slot as usize).copied())
                .collect(),
            held: ends.iter().map(force).collect(),
            pushed: still
                .rim
                .iter()
                .map(|&slot| {
                    let s = slot as usize;
                    (slot, still.pushed[s], arrays.forces[s])
                })
                .collect(),
            springs: self
                .state
                .pairs
                .iter()
                .map(|class| class.lists.history.clone())
                .collect(),
            at_walls: self
                .state
                .walls
                .iter()
                .map(|class| class.lists.history.clone())
                .collect(),
            ways: self.state.ways(),
        }
    }

    /// Takes a displacement back, and makes it half as large.
    pub fn take_back(&mut self, part: &mut Part<D>, before: &mut Strained<D>) {
        before.share *= 0.5;
        part.halve();
        self.pending = Pending::default();
        self.changes.clear();
        let arrays = &mut self.state.arrays;
        for (&slot, [row, spins]) in part.slots.iter().zip(&before.rows) {
            let s = slot as usize;
            arrays.rows[s] = *row;
            if let Some(to) = arrays.spins.get_mut(s) {
                *to = *spins;
            }
        }
        for (&slot, rotation) in part.slots.iter().zip(&before.rotations) {
            arrays.rotation[slot as usize] = *rotation;
        }
        self.put_displaced(&part.slots);
        let arrays = &mut self.state.arrays;
        let still = &mut self.state.still;
        for then in &before.links {
            *still.pairs.get_mut(then.index) = then.kept;
        }
        for then in &before.walls {
            still.walls[then.index].1 = then.kept;
        }
        for (slot, held) in &before.held {
            still.held[*slot as usize] = *held;
        }
        for (slot, pushed, force) in &before.pushed {
            still.pushed[*slot as usize] = *pushed;
            arrays.forces[*slot as usize] = *force;
        }
        for (class, springs) in self.state.pairs.iter_mut().zip(&before.springs) {
            class.lists.history.clone_from(springs);
        }
        for (class, springs) in self.state.walls.iter_mut().zip(&before.at_walls) {
            class.lists.history.clone_from(springs);
        }
        self.state.set_ways(before.ways);
        self.find_faces();
    }

    /// Displaces a part. Springs are strained along; those between grains that stand still give way to
    /// Coulomb's bound, those of stepped grains do so in their next step. Links that open push no more,
    /// gaps that close push: to be kept with [`Engine::settle_shift`], or taken back. Gives what the
    /// elastic energy of links between grains that stand still has grown by, J, and the energy that they
    /// lost in sliding, J.
    pub fn shift(&mut self, part: &Part<D>, before: &Strained<D>) -> (Elastic, f64) {
        self.changes.clear();
        let (mut elastic, mut slid) = (before.elastic, 0.0);
        let (mut greatest, mut share) = (0.0_f64, 0.0_f64);
        for (&slot, shift) in part.slots.iter().zip(&part.shifts) {
            let s = slot as usize;
            if matches!(self.state.arrays.status[s], Status::Still | Status::Stepped) {
                D::shift(&mut self.state.arrays, s, shift.way, shift.turn);
                // Ends of a grain go farther than its middle.
                let turn = self.state.bodies.of(slot).map_or(0.0, |_| size(shift.turn));
                let way = shift.way.norm() + turn;
                greatest = greatest.max(way);
                share = share.max(self.state.leeways.share_of(slot, way));
            }
        }
        self.put_displaced(&part.slots);
        self.find_faces();
        self.state.outer_way += greatest;
        self.state.inner_way += greatest;
        self.state.leeways.add(share);
        let strained = |spring: [f64; 3], by: &[f64; 3]| {
            std::array::from_fn(|j| spring[j] + before.share * by[j])
        };
        let [rim, rim_walls] = &before.rim;
        for &((_, class, i, k), ref by) in rim {
            let history = &mut self.state.pairs[class].lists.history[i];
            history.set_lane(k, strained(history.lane(k), by));
        }
        for &((_, class, i, k), ref by) in rim_walls {
            let history = &mut self.state.walls[class].lists.history[i];
            history.set_lane(k, strained(history.lane(k), by));
        }
        for then in &before.links {
            let (class, mut link) = (self.state.still.pairs.get(then.index).0, then.kept);
            [link.a, link.b] = self.faced([link.a, link.b], true);
            let ends = [self.owner(link.a), self.owner(link.b)];
            let [a, b] = self.state.pairs[class].materials;
            let kinematics = self.pair_kinematics(link.a, link.b);
            let now = coefficients(self.law(a, b), &kinematics);
            let softened = then.strain(&mut link, before.share, &now);
            let lost = bound(&mut link, &now);
            let other = Other::Slot(ends[1]);
            let held = &mut self.state.still.held;
            for (end, push) in ends.iter().zip(&then.pushes) {
                add(&mut held[*end as usize], -1.0, push);
            }
            if kinematics.overlap > 0.0 {
                slid += softened + lost.work;
                let slides = [then.kept.slip, link.slip];
                let change = LinkChange::across(slides, lost.heat, ends[0], other, &kinematics);
                self.changes.extend(change);
                let view = self.kept_view_with(class, &link, kinematics);
                elastic += view.elastic;
                let pushes = self.pushes(&view);
                let held = &mut self.state.still.held;
                for (end, push) in ends.iter().zip(&pushes) {
                    add(&mut held[*end as usize], 1.0, push);
                }
            } else {
                let lost = EventKind::RemoveLink;
                let change = LinkChange::between(lost, ends[0], other, &kinematics);
                self.changes.push(change);
                self.pending.opened.push(then.index);
            }
            *self.state.still.pairs.get_mut(then.index) = link;
        }
        for then in &before.walls {
            let (name, mut link) = (self.state.still.walls[then.index].0, then.kept);
            link.a = self.facing_surface((name.0, name.1), link.a, self.time());
            let owner = self.owner(link.a);
            add(
                &mut self.state.still.held[owner as usize],
                -1.0,
                &then.pushes[0],
            );
            let other = Other::Boundary(name.0);
            let kinematics = self.surface_kinematics(name.0, name.1, link.a);
            match kinematics {
                Some(kinematics) if kinematics.overlap > 0.0 => {
                    let wall = &self.boundaries[usize::from(name.0)].boundary;
                    let law = self.law(name.3, wall.material);
                    let now = coefficients(law, &kinematics);
                    slid += then.strain(&mut link, before.share, &now);
                    let lost = bound(&mut link, &now);
                    slid += lost.work;
                    let slides = [then.kept.slip, link.slip];
                    let change = LinkChange::across(slides, lost.heat, owner, other, &kinematics);
                    self.changes.extend(change);
                    self.count_wall(&name, &link, kinematics, &mut elastic);
                }
                _ => {
                    let lost = EventKind::RemoveLink;
                    let at = kinematics.map(|at| LinkChange::between(lost, owner, other, &at));
                    self.changes.extend(at);
                    self.pending.opened_walls.push(then.index);
                }
            }
            self.state.still.walls[then.index].1 = link;
        }
        self.close_gaps(part, greatest, &mut elastic);
        // Means of what stepped grains push go along with what the displacement did to their links.
        let evaluations = f64::from(self.state.still.evaluations);
        let then = before
            .rim_pushes
            .iter()
            .map(|&(slot, push)| (slot, -1.0, push));
        let now = self.rim_pushes();
        for (slot, sign, push) in now.into_iter().map(|(s, p)| (s, 1.0, p)).chain(then) {
            let s = slot as usize;
            for (sum, part) in self.state.still.pushed[s].iter_mut().zip(push) {
                *sum += sign * evaluations * part;
            }
            let [fx, fy, fz, mx, my, mz] = push.map(|part| sign * part);
            D::add_force(&mut self.state.arrays, s, [fx, fy, fz], [mx, my, mz]);
        }
        (elastic, slid)
    }

    /// Keeps what the last displacement did: links that opened go, gaps that closed become links.
    pub fn settle_shift(&mut self, part: &Part<D>) {
        self.book_changes();
        let Pending {
            mut opened,
            mut opened_walls,
            closed,
            closed_walls,
        } = std::mem::take(&mut self.pending);
        let counts = &mut self.state.counts;
        counts.closed += (opened.len() + opened_walls.len()) as u64;
        counts.opened += (closed.len() + closed_walls.len()) as u64;
        // From the last on, so that numbers stay what they were.
        opened.sort_unstable();
        for index in opened.into_iter().rev() {
            let (_, link) = self.state.still.pairs.remove(index);
            let [a, b] = [self.owner(link.a), self.owner(link.b)];
            self.state.clusters.remove_link(a, b);
        }
        opened_walls.sort_unstable();
        for index in opened_walls.into_iter().rev() {
            self.state.still.walls.remove(index);
        }
        for (class, link) in closed {
            let ends = [self.owner(link.a), self.owner(link.b)];
            self.state.clusters.insert_link(ends[0], ends[1]);
            self.state.still.pairs.insert(class, link, ends);
        }
        self.state.still.walls.extend(closed_walls);
        for &slot in &part.slots {
            if self.stands(slot) {
                for touching in self.touching_of(slot) {
                    let x = self.state.arrays.position(touching as usize);
                    self.cells.relocate(touching, x);
                }
            }
        }
        self.sum_still_walls();
    }

    /// Grains of a part that stand still and overlap others, or walls, without a link: made anew,
    /// without stress across. None has moved farther than `way` since it was put into its cell.
    fn close_gaps(&mut self, part: &Part<D>, way: f64, elastic: &mut Elastic) {
        let mut found: Vec<(u32, u32)> = Vec::new();
        let arrays = &self.state.arrays;
        let standing: Vec<u32> = part
            .slots
            .iter()
            .copied()
            .filter(|&slot| self.stands(slot))
            .flat_map(|slot| self.touching_of(slot))
            .collect();
        for &slot in &standing {
            let (x, r) = (arrays.position(slot as usize), arrays.radius(slot as usize));
            self.cells.near(x, r + way, |other| {
                let reach = r + arrays.radius(other as usize);
                let twice = other < slot && part.place(self.owner(other)).is_some();
                if self.owner(other) != self.owner(slot)
                    && !twice
                    && (x - arrays.position(other as usize)).norm_squared() < reach * reach
                    && !self.joined(slot, other)
                {
                    found.push((slot.min(other), slot.max(other)));
                }
            });
        }
        found.sort_unstable();
        let n = self.laws.materials;
        for (a, b) in found {
            let [a, b] = self.faced([a, b], false);
            let kinematics = self.pair_kinematics(a, b);
            if self.has_arcs() && kinematics.overlap <= 0.0 {
                // Circles around grains overlap before these do.
                continue;
            }
            let of = |s: u32| usize::from(self.state.arrays.material[s as usize]);
            let class = usize::from(self.class_of[of(a) * n + of(b)]);
            let link = Kept::new(a, b);
            let view = self.kept_view_with(class, &link, kinematics);
            *elastic += view.elastic;
            let [on_a, on_b] = self.pushes(&view);
            let [p, q] = [self.owner(a), self.owner(b)];
            add(&mut self.state.still.held[p as usize], 1.0, &on_a);
            add(&mut self.state.still.held[q as usize], 1.0, &on_b);
            let new = EventKind::InsertLink;
            let change = LinkChange::between(new, p, Other::Slot(q), &view.kinematics);
            self.changes.push(change);
            self.pending.closed.push((class, link));
        }
        let mut known: Vec<(u32, u16, u32)> = self
            .state
            .still
            .walls
            .iter()
            .map(|(name, k)| (self.candidate(k.a), name.0, name.1))
            .collect();
        known.sort_unstable();
        for &slot in &standing {
            for boundary in 0..self.boundaries.len() {
                if self.state.gone[boundary] {
                    continue;
                }
                let radius = self.state.arrays.radius(slot as usize);
                for surface in self.surfaces_near(boundary, slot, radius) {
                    let (b, s) = (boundary as u16, surface as u32);
                    if known.binary_search(&(slot, b, s)).is_ok() {
                        continue;
                    }
                    let candidate = slot;
                    let slot = self.facing_surface((b, s), candidate, self.time());
                    let Some(kinematics) = self
                        .surface_kinematics(b, s, slot)
                        .filter(|kinematics| kinematics.overlap > 0.0)
                    else {
                        continue;
                    };
                    let side = self.side(boundary, surface, candidate);
                    let name = (b, s, side, self.state.arrays.material[slot as usize]);
                    let link = Kept::new(slot, 0);
                    self.count_wall(&name, &link, kinematics, elastic);
                    let (new, other) = (EventKind::InsertLink, Other::Boundary(b));
                    let change = LinkChange::between(new, self.owner(slot), other, &kinematics);
                    self.changes.push(change);
                    self.pending.closed_walls.push((name, link));
                }
            }
        }
    }

    /// A link with a wall counts.
    fn count_wall(
        &mut self,
        name: &WallName,
        link: &Kept,
        kinematics: Kinematics<D>,
        elastic: &mut Elastic,
    ) {
        let view = self.kept_wall_view_with(name, link, kinematics);
        *elastic += view.elastic;
        let on_a = &self.pushes(&view)[0];
        add(&mut self.state.still.held[view.a as usize], 1.0, on_a);
    }
}

/// What sliding takes, J.
#[derive(Default)]
struct Lost {
    /// Work of sliding at Coulomb's bound while the load comes on.
    work: f64,
    /// Elastic energy set free where bodies are, and the same as the thesis has it (4.36).
    heat: [f64; 2],
}

impl<N> Then<N> {
    /// The spring is strained by a share of the displacement while the contact grows stiffer or softer; gives what it loses by that, J.
    fn strain(&self, link: &mut Kept, share: f64, now: &Coefficients) -> f64 {
        let before = self.stiffness;
        let held = 0.5 * before * size(link.spring).powi(2);
        let lasting = lasting(before, now.kt);
        link.spring = link.spring.map(|s| lasting * s);
        let kept = 0.5 * now.kt * size(link.spring).powi(2);
        link.spring = std::array::from_fn(|k| link.spring[k] + share * self.by[k]);
        if link.memory.stiffness > 0.0 {
            link.memory.stiffness = now.kt;
        }
        // Of laws that are as stiff at any overlap it is nothing.
        if before > 0.0 { held - kept } else { 0.0 }
    }
}

/// A spring gives way to Coulomb's bound.
fn bound(link: &mut Kept, c: &Coefficients) -> Lost {
    let most = c.friction * c.elastic.max(0.0);
    let pull = c.kt * size(link.spring);
    link.slip = pull > most;
    if !link.slip {
        return Lost::default();
    }
    link.spring = link.spring.map(|s| s * (most / pull));
    let way = (pull - most) / c.kt;
    Lost {
        work: most * way,
        heat: [0.5 * (pull + most) * way, pull * way],
    }
}
