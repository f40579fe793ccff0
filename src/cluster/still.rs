//! Grains at rest (asleep): in equilibrium, not stepped, and woken by changes around them.
//!
//! A link between two of them, or of one with a wall, costs nothing: it is stored here with its
//! spring, and each grain stores the total force of all its links of this type. Links with stepped
//! grains stay in the lists as usual; their forces are accumulated at each evaluation. So the
//! residual of a grain at rest, its weight plus all forces, is known at any time and is never lost.

use super::arrays::Status;
use super::border::Border;
use super::dem::three;
use super::field_loads::{self, FieldLoads};
use super::integrate::Integrate;
use super::kinematics::Kinematics;
use super::lists::{ContactHistory, History, each_link};
use super::observe::ContactRef;
use super::resistance::Turns;
use super::resting::RestingLinks;
use super::state::Book;
use super::world::{Clock, Grains, Shapes, Sleeping, World};
use super::{arcs, bodies, evaluate, held, kinematics, observe, sleep_interface};
use crate::geometry::Vector;
use crate::hgraph::ClusterIndex;
use serde::{Deserialize, Serialize};

/// Boundary, surface, side and material of a class of links with walls.
pub type WallName = (u16, u32, bool, u16);

/// A force, N, and a moment over the radius, N.
pub type Wrench = [f64; 6];

/// Number of solves for what may have come to a grain, after the sum of all around it has become little: what friction keeps then stays.
pub const LOADED: u8 = 2;

/// Position of a link in the lists: whether with a wall, class, batch and lane.
pub(super) type Place = (bool, usize, usize, usize);

/// How long a stepped grain has been calm, and where it was.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct Calm {
    /// Number of consecutive checks at which it was calm.
    pub checks: u16,
    /// Where it was when grains were chosen to be stopped the last time, or when it was woken since, m; NaN: not known.
    pub place: [f64; 3],
}

impl Default for Calm {
    fn default() -> Self {
        Calm {
            checks: 0,
            place: [f64::NAN; 3],
        }
    }
}

/// Data of grains at rest.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Still {
    /// Links between two grains at rest.
    pub pairs: RestingLinks,
    /// Links of grains at rest with walls.
    pub walls: Vec<(WallName, ContactHistory)>,
    /// By slot: forces of these links.
    pub held: Vec<Wrench>,
    /// By slot: forces of links with stepped grains, summed over the evaluations since the last
    /// check.
    pub pushed: Vec<Wrench>,
    /// By slot: sum of the sizes of the loads that equilibrium solves carried on since the grain was put to rest, N.
    pub carried: Vec<f64>,
    /// By slot: number of solves still to be made for loads that may have come to a grain at rest, at most [`LOADED`].
    pub loaded: Vec<u8>,
    /// Number of evaluations in `pushed`.
    pub evaluations: u32,
    /// Slots at rest near a stepped grain, ascending.
    pub rim: Vec<u32>,
    /// By slot: how long each stepped grain has been calm.
    pub calm: Vec<Calm>,
    /// Number of grains at rest.
    pub count: usize,
    /// Whether links with walls formed or ended since `at_walls` was summed.
    pub walls_changed: bool,
    /// Action of each boundary on grains at rest: force, N, and moment about its reference point, N m.
    pub at_walls: Vec<[f64; 6]>,
    /// Number of links lost by the removal of grains or boundaries.
    pub lost: u64,
    /// Loads of fields that are not uniform.
    pub fields: FieldLoads,
    /// Least and greatest coordinates of the centres of grains at rest beside walls that turn, m, since the lists were renewed.
    pub(super) extent: Option<[[f64; 3]; 2]>,
}

impl Still {
    /// Makes room for so many slots; runs in which no grain ever comes to rest need none.
    pub fn make_room(&mut self, slots: usize) {
        self.held.resize(slots, [0.0; 6]);
        self.pushed.resize(slots, [0.0; 6]);
        self.carried.resize(slots, 0.0);
        self.loaded.resize(slots, 0);
        self.calm.resize(slots, Calm::default());
    }

    /// Notes that loads may have come to some slots at rest.
    pub fn load(&mut self, slots: &[u32]) {
        for &slot in slots {
            self.loaded[slot as usize] = LOADED;
        }
    }

    /// Applies new numbers of slots; `order` lists the old slot of each new one.
    pub(super) fn renumber(&mut self, order: &[u32], new_slot: &[u32]) {
        self.fields.renumber(order);
        if self.held.is_empty() {
            return;
        }
        self.make_room(new_slot.len());
        let held = order.iter().map(|&o| self.held[o as usize]).collect();
        let pushed = order.iter().map(|&o| self.pushed[o as usize]).collect();
        let carried = order.iter().map(|&o| self.carried[o as usize]).collect();
        let loaded = order.iter().map(|&o| self.loaded[o as usize]).collect();
        let calm = order.iter().map(|&o| self.calm[o as usize]).collect();
        (self.held, self.pushed, self.carried) = (held, pushed, carried);
        (self.loaded, self.calm) = (loaded, calm);
        self.pairs.renumber(new_slot);
        let new = |slot: &mut u32| *slot = new_slot[*slot as usize];
        for (_, kept) in &mut self.walls {
            new(&mut kept.a);
        }
        self.rim.iter_mut().for_each(new);
    }
}

pub(super) fn add(to: &mut Wrench, sign: f64, push: &Wrench) {
    for (to, by) in to.iter_mut().zip(push) {
        *to += sign * by;
    }
}

impl<D: Integrate> ContactRef<D> {
    /// Force of the link on its first ball, and on its second.
    pub(super) fn at_balls(&self) -> [Wrench; 2] {
        let n = self.kinematics.normal;
        let force = n * self.normal_force + self.tangential_force;
        let moment = D::moment(-n, self.tangential_force);
        let f = three(force);
        let m: [f64; 3] = std::array::from_fn(|k| {
            if k < D::SPINS {
                D::spin_component(moment, k)
            } else {
                0.0
            }
        });
        // Forces are opposite, moments of these over radii equal.
        let [p, q] = self
            .resistance
            .map(|turned| [0, 1, 2].map(|k| m[k] + turned[k]));
        [
            [f[0], f[1], f[2], p[0], p[1], p[2]],
            [-f[0], -f[1], -f[2], q[0], q[1], q[2]],
        ]
    }
}

/// Whether two candidates at rest are linked: grains, or for clumps their parts.
pub(super) fn joined<D: Integrate>(
    shapes: &Shapes<D>,
    grains: &Grains<D>,
    sleeping: &Sleeping,
    a: u32,
    b: u32,
) -> bool {
    let pairs = &sleeping.still.pairs;
    if grains.bodies.list.is_empty() {
        return pairs.joins(a, b);
    }
    pairs.of(grains.owner(a)).any(|index| {
        let link = pairs.get(index).1;
        let ends = [
            bodies::candidate(shapes, grains, link.a),
            bodies::candidate(shapes, grains, link.b),
        ];
        ends == [a, b] || ends == [b, a]
    })
}

/// Stops stepped slots at their positions and puts them to rest. The lists must be renewed before
/// the next step.
pub fn stop<D: Integrate>(
    world: &mut World<D>,
    book: &mut Book,
    border: &mut Border,
    slots: &[u32],
) {
    if slots.is_empty() {
        return;
    }
    field_loads::pass(world);
    let chosen = world.grains.marked(slots);
    let before = motions(world, &chosen);
    let mut stopped = 0;
    for &slot in slots {
        let s = slot as usize;
        // The rank that steps a grain accounts for it.
        let still = match world.grains.arrays.status[s] {
            Status::Ghost => Status::StillGhost,
            _ => {
                book_dampers(&world.clock, &world.grains, book, s);
                stopped += 1;
                Status::Still
            }
        };
        D::stop(&mut world.grains.arrays, s);
        world.grains.arrays.clear_force(s);
        world.grains.arrays.status[s] = still;
        world.sleeping.still.held[s] = [0.0; 6];
        world.sleeping.still.pushed[s] = [0.0; 6];
        world.sleeping.still.carried[s] = 0.0;
        world.sleeping.still.loaded[s] = LOADED;
        world.sleeping.still.calm[s] = Calm::default();
        world.grains.halt_body(slot);
    }
    bodies::put_displaced(&world.physics, &mut world.shapes, &mut world.grains, slots);
    for &slot in slots {
        for touching in bodies::touching_of(&world.shapes, &world.grains, slot) {
            let s = touching as usize;
            let (x, r) = (
                world.grains.arrays.position(s),
                world.grains.arrays.radius(s),
            );
            world
                .sleeping
                .cells
                .insert(touching, x, r, &world.physics.periodic);
        }
    }
    world.sleeping.still.count += stopped;
    border.ghosts.retain(|&s| !chosen[s as usize]);
    world.grains.active.retain(|&s| !chosen[s as usize]);
    world.grains.fresh.retain(|&s| !chosen[s as usize]);
    // Springs are a part of a step ahead of positions, at the speed of sliding, which has changed.
    let after = evaluate::timing(world).after * world.clock.step;
    let now = motions(world, &chosen);
    for ((place, then), (_, now)) in before.into_iter().zip(now) {
        let by: [f64; 3] = std::array::from_fn(|k| after * (now.sliding[k] - then.sliding[k]));
        let (of_walls, class, batch, lane) = place;
        let lists = if of_walls {
            &mut world.contacts.walls[class].lists
        } else {
            &mut world.contacts.pairs[class].lists
        };
        let spring = lists.history[batch].lane(lane);
        lists.history[batch].set_lane(lane, std::array::from_fn(|k| spring[k] + by[k]));
        if let Some(memory) = lists.memory.get_mut(batch) {
            let by = std::array::from_fn(|k| now.turning[k] - then.turning[k]);
            let mut kept = memory.lane(lane);
            let springs = Turns::kept(kept).plus(after, Turns::of::<D>(by, now.normal));
            springs.keep(&mut kept);
            memory.set_lane(lane, kept);
        }
    }
}

/// Positions of the links of some slots in the lists, and the motion at each.
fn motions<D: Integrate>(world: &World<D>, chosen: &[bool]) -> Vec<(Place, Kinematics<D>)> {
    let mut found = Vec::new();
    for (class, pairs) in world.contacts.pairs.iter().enumerate() {
        let lists = &pairs.lists;
        each_link(&lists.flags, |i, k| {
            let (a, b) = (lists.batches[i].a[k], lists.batches[i].b[k]);
            if chosen[a as usize] || chosen[b as usize] {
                let kinematics = kinematics::pair_kinematics(world, a, b);
                found.push(((false, class, i, k), kinematics));
            }
        });
    }
    for (class, walls) in world.contacts.walls.iter().enumerate() {
        let lists = &walls.lists;
        each_link(&lists.flags, |i, k| {
            let a = lists.batches[i].a[k];
            if chosen[a as usize]
                && let Some(kinematics) =
                    kinematics::wall_kinematics(world, class, lists.batches[i].of(k))
            {
                found.push(((true, class, i, k), kinematics));
            }
        });
    }
    found
}

/// Accounts for the work of the dampers of a slot in the half step before the time of evaluation,
/// which the next stride would have accounted for.
fn book_dampers<D: Integrate>(clock: &Clock, grains: &Grains<D>, book: &mut Book, slot: usize) {
    // The others have no such half step.
    if !clock.integrator.is_leapfrog() {
        return;
    }
    let arrays = &grains.arrays;
    let (f, t) = D::damper(arrays, slot);
    let (v, s) = (three(arrays.velocity(slot)), D::surface_spin(arrays, slot));
    let power: f64 = (0..3).map(|k| f[k] * v[k] + t[k] * s[k]).sum();
    book.flows.damping -= 0.5 * clock.step * power;
}

/// Wakes slots at rest: they begin to step, with the forces of their links. The lists must be
/// renewed before the next step.
pub fn wake<D: Integrate>(world: &mut World<D>, border: &mut Border, slots: &[u32]) {
    if slots.is_empty() {
        return;
    }
    field_loads::pass(world);
    let chosen = world.grains.marked(slots);
    world
        .sleeping
        .still
        .rim
        .retain(|&slot| !chosen[slot as usize]);
    note_neighbours(world, slots);
    for &slot in slots {
        let s = slot as usize;
        for touching in bodies::touching_of(&world.shapes, &world.grains, slot) {
            world.sleeping.cells.remove(touching);
        }
        let held = std::mem::take(&mut world.sleeping.still.held[s]);
        let [fx, fy, fz, mx, my, mz] = held;
        D::add_force(&mut world.grains.arrays, s, [fx, fy, fz], [mx, my, mz]);
        world.sleeping.still.pushed[s] = [0.0; 6];
        world.sleeping.still.calm[s] = Calm {
            checks: 0,
            place: three(world.grains.arrays.position(s)),
        };
        if world.grains.arrays.status[s].is_ghost() {
            world.grains.arrays.status[s] = Status::Ghost;
            border.ghosts.push(slot);
            continue;
        }
        world.grains.arrays.status[s] = Status::Stepped;
        world.sleeping.still.count -= 1;
        world.grains.active.push(slot);
        world.grains.in_order = false;
        world.grains.fresh.push(slot);
    }
    for &woken in slots {
        loop {
            let first = world.sleeping.still.pairs.of(woken).next();
            let Some(index) = first else { break };
            let (class, kept) = world.sleeping.still.pairs.remove(index);
            let [on_a, on_b] = held::pushes(
                &world.shapes,
                &world.grains,
                &held::kept_view(world, class, &kept),
            );
            for (slot, push) in [
                (world.grains.owner(kept.a), on_a),
                (world.grains.owner(kept.b), on_b),
            ] {
                if !chosen[slot as usize] {
                    add(&mut world.sleeping.still.held[slot as usize], -1.0, &push);
                    // From now on it counts as pushed, although this period of checks did not include it.
                    let part = f64::from(world.sleeping.still.evaluations);
                    add(&mut world.sleeping.still.pushed[slot as usize], part, &push);
                    let [fx, fy, fz, mx, my, mz] = push;
                    let arrays = &mut world.grains.arrays;
                    D::add_force(arrays, slot as usize, [fx, fy, fz], [mx, my, mz]);
                }
            }
            world.sleeping.waking[class].push(kept);
        }
    }
    let walls = &mut world.sleeping.still.walls;
    let woken = walls.extract_if(.., |(_, k)| chosen[k.a as usize]);
    let before = world.sleeping.waking_walls.len();
    world.sleeping.waking_walls.extend(woken);
    world.sleeping.still.walls_changed |= world.sleeping.waking_walls.len() > before;
}

/// Notes which bodies at rest, these among them, are near slots at rest that are about to be woken: the lists have no such pairs.
fn note_neighbours<D: Integrate>(world: &mut World<D>, slots: &[u32]) {
    let arrays = &world.grains.arrays;
    let margin = world.physics.options.outer_margin;
    let woken = &mut world.sleeping.woken;
    for &slot in slots {
        for a in bodies::touching_of(&world.shapes, &world.grains, slot) {
            woken.slots.push(a);
            let x = arrays.position(a as usize);
            let near = arrays.radius(a as usize) + margin;
            world.sleeping.cells.near(x, near, |b| {
                let reach = near + arrays.radius(b as usize);
                let d = x - arrays.position(b as usize);
                let d = observe::shortest(&world.physics, &world.cell, d);
                if d.norm_squared() < reach * reach && world.grains.owner(b) != slot {
                    woken.pairs.push((a.min(b), a.max(b)));
                }
            });
        }
    }
}

/// Moves links whose ends are both at rest from those kept in a renewal to the links at rest.
pub(super) fn lay_aside<D: Integrate>(
    world: &mut World<D>,
    kept: &mut [Vec<ContactHistory>],
    at_walls: &mut Vec<(WallName, ContactHistory)>,
) {
    if world.sleeping.still.count == 0 {
        return;
    }
    arcs::know_arcs(&world.physics, &mut world.shapes, &world.grains);
    for (class, kept) in kept.iter_mut().enumerate() {
        let (aside, rest): (Vec<ContactHistory>, Vec<ContactHistory>) = std::mem::take(kept)
            .into_iter()
            .partition(|k| world.grains.stands(k.a) && world.grains.stands(k.b));
        *kept = rest;
        for link in &aside {
            let [on_a, on_b] = held::pushes(
                &world.shapes,
                &world.grains,
                &held::kept_view(world, class, link),
            );
            let ends = [world.grains.owner(link.a), world.grains.owner(link.b)];
            add(&mut world.sleeping.still.held[ends[0] as usize], 1.0, &on_a);
            add(&mut world.sleeping.still.held[ends[1] as usize], 1.0, &on_b);
            world.sleeping.still.pairs.insert(class, *link, ends);
        }
    }
    let (aside, rest): (Vec<_>, Vec<_>) = std::mem::take(at_walls)
        .into_iter()
        .partition(|(_, k)| world.grains.stands(k.a));
    *at_walls = rest;
    for (name, link) in &aside {
        if let Some(view) = held::kept_wall_view(world, name, link) {
            let [on_a, _] = held::pushes(&world.shapes, &world.grains, &view);
            add(&mut world.sleeping.still.held[view.a as usize], 1.0, &on_a);
        }
    }
    world.sleeping.still.walls_changed |= !aside.is_empty();
    world.sleeping.still.walls.extend(aside);
}

/// Removes links of grains or of a boundary that are removed; the loads that they carried remain in
/// the residuals of the others.
pub(super) fn forget_still<D: Integrate>(
    world: &mut World<D>,
    clusters: &mut ClusterIndex,
    gone: impl Fn(u32) -> bool,
    wall: Option<u16>,
) -> u64 {
    field_loads::pass(world);
    let mut lost = 0;
    let mut index = 0;
    while index < world.sleeping.still.pairs.len() as u32 {
        let (class, &kept) = world.sleeping.still.pairs.get(index);
        if !gone(kept.a) && !gone(kept.b) {
            index += 1;
            continue;
        }
        world.sleeping.still.pairs.remove(index);
        let [on_a, on_b] = held::pushes(
            &world.shapes,
            &world.grains,
            &held::kept_view(world, class, &kept),
        );
        let [a, b] = [world.grains.owner(kept.a), world.grains.owner(kept.b)];
        add(&mut world.sleeping.still.held[a as usize], -1.0, &on_a);
        add(&mut world.sleeping.still.held[b as usize], -1.0, &on_b);
        world.sleeping.still.load(&[a, b]);
        clusters.remove_link(a, b);
        lost += 1;
    }
    let (away, rest): (Vec<_>, Vec<_>) = std::mem::take(&mut world.sleeping.still.walls)
        .into_iter()
        .partition(|(name, k)| gone(k.a) || Some(name.0) == wall);
    world.sleeping.still.walls = rest;
    for (name, kept) in &away {
        if let Some(view) = held::kept_wall_view(world, name, kept) {
            let [on_a, _] = held::pushes(&world.shapes, &world.grains, &view);
            add(&mut world.sleeping.still.held[view.a as usize], -1.0, &on_a);
            world.sleeping.still.load(&[view.a]);
        }
    }
    sleep_interface::sum_still_walls(world);
    lost += away.len() as u64;
    world.sleeping.still.lost += lost;
    lost
}

/// Rebuilds the cells of grains at rest.
pub fn sort_still<D: Integrate>(world: &mut World<D>) {
    let arrays = &world.grains.arrays;
    let bodies: Vec<(u32, D::Vector, f64)> = (1..arrays.slots() as u32)
        .filter(|&slot| arrays.status[slot as usize].stands())
        .flat_map(|slot| bodies::touching_of(&world.shapes, &world.grains, slot))
        .map(|slot| {
            let s = slot as usize;
            (slot, arrays.position(s), arrays.radius(s))
        })
        .collect();
    world.sleeping.cells.build(
        &bodies,
        world.physics.options.outer_margin,
        &world.physics.periodic,
    );
}
