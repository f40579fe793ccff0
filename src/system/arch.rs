//! Arch of a jam: the lowest chain of grains in touch from one wall to another below which the path
//! out is free.

use std::collections::BTreeMap;

use petgraph::unionfind::UnionFind;

use super::OutletSetup;
use crate::cluster;
use crate::cluster::integrate::Integrate;
use crate::cluster::{ContactRef, Dem, Other, World};
use crate::contact::{Law, with_law};
use crate::geometry::{Dimension, Vector};
use crate::record::{ArchForce, BodyRef, Jam, WeakestLink};

/// Least force of a link of an arch, over the weight of a grain.
const BEARS: f64 = 0.01;
/// Number of points between the two ends of a chain from which the path down is tested.
const POINTS: usize = 15;
/// Greatest number of advances along a path down; each covers the distance free of walls.
const ADVANCES: usize = 256;
/// Distance at which a wall counts as met, over the grain's radius.
const MET: f64 = 0.05;

/// A link that bears load.
struct Bearing<D: Dimension> {
    a: u32,
    b: Other,
    normal: D::Vector,
    point: D::Vector,
    force: f64,
    tangential: f64,
    bound: f64,
}

impl<D: Dimension> Bearing<D> {
    /// Returns the margin to Coulomb's bound.
    fn margin(&self) -> f64 {
        if self.bound > 0.0 {
            1.0 - (self.tangential / self.bound).min(1.0)
        } else {
            0.0
        }
    }
}

/// Finds the arch. Adds grains from the lowest up until they connect two contacts with walls that face
/// each other and between which a point could fall out. Of the chains between them, chooses the one
/// of fewest grains, and of these the one whose weakest link bears most.
pub fn find<D: Integrate>(dem: &Dem<D>, outlets: &[OutletSetup<D>], time: f64) -> Jam {
    let links = bearing(dem);
    let arrays = &dem.world.grains.arrays;
    let g = dem.world.physics.gravity.norm();
    let up = |slot: u32| {
        -arrays
            .position(slot as usize)
            .dot(&dem.world.physics.gravity)
            / g
    };
    // Per slot: neighbours with the force, in a fixed order; and links with walls.
    let mut peers: BTreeMap<u32, Vec<(u32, f64)>> = BTreeMap::new();
    let mut at_walls: BTreeMap<u32, Vec<usize>> = BTreeMap::new();
    for (index, link) in links.iter().enumerate() {
        match link.b {
            Other::Slot(b) => {
                peers.entry(link.a).or_default().push((b, link.force));
                peers.entry(b).or_default().push((link.a, link.force));
            }
            Other::Boundary(_) => at_walls.entry(link.a).or_default().push(index),
        }
    }
    let mut order: Vec<u32> = peers.keys().chain(at_walls.keys()).copied().collect();
    order.sort_unstable();
    order.dedup();
    order.sort_by(|&p, &q| up(p).total_cmp(&up(q)).then(p.cmp(&q)));
    let mut groups = Groups::new(arrays.slots());
    for &top in &order {
        let near = peers.get(&top).map_or(&[][..], Vec::as_slice);
        let ends = at_walls.get(&top).map_or(&[][..], Vec::as_slice);
        // Pairs of ends that this grain connects, each once.
        let mut spanning = Vec::new();
        for joined in groups.let_in(top, ends, near.iter().map(|&(peer, _)| peer)) {
            let pairs = joined
                .0
                .iter()
                .flat_map(|&i| joined.1.iter().map(move |&j| (i, j)));
            spanning
                .extend(pairs.filter(|&(i, j)| spans(&dem.world, outlets, &links[i], &links[j])));
        }
        let chains = spanning.into_iter().filter_map(|(i, j)| {
            let (from, to) = (&links[i], &links[j]);
            let (chain, least) = strongest(from.a, to.a, &peers, |slot| groups.has(slot))?;
            Some((chain, least.min(from.force).min(to.force), i, j))
        });
        let best = chains.reduce(|a, b| {
            let better = b.0.len() < a.0.len() || b.0.len() == a.0.len() && b.1 > a.1;
            if better { b } else { a }
        });
        if let Some((chain, _, from, to)) = best {
            return told(&dem.world, time, &links, &chain, [from, to]);
        }
    }
    Jam {
        time,
        ..Jam::default()
    }
}

/// Returns all links that bear load, in a fixed order.
fn bearing<D: Integrate>(dem: &Dem<D>) -> Vec<Bearing<D>> {
    let arrays = &dem.world.grains.arrays;
    let g = dem.world.physics.gravity.norm();
    let mut links = Vec::new();
    cluster::observe::each_contact(&dem.world, |view: ContactRef<D>| {
        let a = view.a as usize;
        if view.normal_force <= BEARS * g / arrays.inverse_mass(a) {
            return;
        }
        let other = match view.b {
            Other::Slot(b) => arrays.material[b as usize],
            Other::Boundary(wall) => {
                dem.world.walls.boundaries[usize::from(wall)]
                    .boundary
                    .material
            }
        };
        let law = dem.world.physics.law(arrays.material[a], other);
        let friction = with_law!(law, law => law.friction());
        links.push(Bearing {
            a: view.a,
            b: view.b,
            normal: view.kinematics.normal,
            point: view.kinematics.point,
            force: view.normal_force,
            tangential: view.tangential_force.norm(),
            bound: friction * view.normal_force,
        });
    });
    // The engine's order depends on how the lists were made.
    let key = |link: &Bearing<D>| {
        let b = match link.b {
            Other::Slot(b) => i64::from(arrays.id[b as usize]),
            Other::Boundary(wall) => -1 - i64::from(wall),
        };
        (arrays.id[link.a as usize], b)
    };
    links.sort_by_key(key);
    links
}

/// Returns whether a chain between two contacts with walls spans an opening: the walls do not push in the
/// same horizontal direction, and from some point between the contacts the path out is free.
fn spans<D: Integrate>(
    world: &World<D>,
    outlets: &[OutletSetup<D>],
    from: &Bearing<D>,
    to: &Bearing<D>,
) -> bool {
    if from.a == to.a {
        return false;
    }
    let down = world.physics.gravity * (1.0 / world.physics.gravity.norm());
    let level = |n: D::Vector| n - down * n.dot(&down);
    let (p, q) = (level(from.normal), level(to.normal));
    // Flat floors push straight up: then only the path out decides.
    if p.dot(&q) > 1e-9 {
        return false;
    }
    let met = MET * world.grains.arrays.radius(from.a as usize);
    (1..=POINTS).any(|k| {
        let part = k as f64 / (POINTS + 1) as f64;
        let start = from.point + (to.point - from.point) * part;
        falls_out(world, outlets, start, down, met)
    })
}

/// Returns whether a point falls from here straight out of an outlet.
fn falls_out<D: Integrate>(
    world: &World<D>,
    outlets: &[OutletSetup<D>],
    mut x: D::Vector,
    down: D::Vector,
    met: f64,
) -> bool {
    for _ in 0..ADVANCES {
        if outlets.iter().any(|outlet| outlet.takes(x, 0.0)) {
            return true;
        }
        let mut room = f64::INFINITY;
        for (wall, &gone) in world.walls.boundaries.iter().zip(&world.walls.gone) {
            // A dividing grid lets a point through.
            if !gone && wall.boundary.passes_below_radius == 0.0 {
                let pose = wall.boundary.motion.pose(world.clock.time());
                room = room.min(wall.distance(&pose, x));
            }
        }
        if room < met {
            return false;
        }
        // Far from any wall, advances by a limited length: an outlet is a plane or a box.
        x += down * room.min(1e3 * met);
    }
    false
}

/// Grains added so far, as groups in touch, each with its links with walls.
struct Groups {
    added: Vec<bool>,
    joined: UnionFind<u32>,
    /// By the grain that stands for the group.
    ends: BTreeMap<u32, Vec<usize>>,
}

impl Groups {
    fn new(slots: usize) -> Self {
        Groups {
            added: vec![false; slots],
            joined: UnionFind::new(slots),
            ends: BTreeMap::new(),
        }
    }

    fn has(&self, slot: u32) -> bool {
        self.added[slot as usize]
    }

    /// Adds a grain; returns the pairs of lists of ends that it connects.
    fn let_in(
        &mut self,
        top: u32,
        ends: &[usize],
        peers: impl Iterator<Item = u32>,
    ) -> Vec<(Vec<usize>, Vec<usize>)> {
        self.added[top as usize] = true;
        let mut ours = ends.to_vec();
        let mut joined = Vec::new();
        for peer in peers {
            if !self.has(peer) {
                continue;
            }
            let other = self.joined.find_mut(peer);
            if !self.joined.union(peer, top) {
                continue;
            }
            let theirs = self.ends.remove(&other).unwrap_or_default();
            joined.push((ours.clone(), theirs.clone()));
            ours.extend(theirs);
        }
        self.ends.insert(self.joined.find_mut(top), ours);
        joined
    }
}

/// Returns the chain between two grains through allowed ones: of the shortest, the one whose weakest link
/// bears most; and the force of that link.
fn strongest(
    from: u32,
    to: u32,
    peers: &BTreeMap<u32, Vec<(u32, f64)>>,
    allowed: impl Fn(u32) -> bool,
) -> Option<(Vec<u32>, f64)> {
    // Per grain: distance in links, least force along the chain, and the previous grain.
    let mut seen: BTreeMap<u32, (usize, f64, u32)> = BTreeMap::new();
    seen.insert(from, (0, f64::INFINITY, from));
    let mut layer = vec![from];
    let mut distance = 0;
    while !layer.is_empty() && !seen.contains_key(&to) {
        distance += 1;
        let mut next = Vec::new();
        for &at in &layer {
            let least = seen.get(&at).map_or(0.0, |s| s.1);
            for &(peer, force) in peers.get(&at).map_or(&[][..], Vec::as_slice) {
                if !allowed(peer) {
                    continue;
                }
                let bears = least.min(force);
                match seen.get_mut(&peer) {
                    None => {
                        seen.insert(peer, (distance, bears, at));
                        next.push(peer);
                    }
                    Some(other) if other.0 == distance && bears > other.1 => {
                        (other.1, other.2) = (bears, at);
                    }
                    Some(_) => {}
                }
            }
        }
        layer = next;
    }
    let least = seen.get(&to)?.1;
    let mut chain = vec![to];
    let mut at = to;
    while at != from {
        at = seen.get(&at)?.2;
        chain.push(at);
    }
    chain.reverse();
    Some((chain, least))
}

/// Returns the arch as it is recorded.
fn told<D: Integrate>(
    world: &World<D>,
    time: f64,
    links: &[Bearing<D>],
    chain: &[u32],
    [from, to]: [usize; 2],
) -> Jam {
    let arrays = &world.grains.arrays;
    let between = |a: u32, b: u32| {
        links.iter().find(|link| {
            link.a == a && link.b == Other::Slot(b) || link.a == b && link.b == Other::Slot(a)
        })
    };
    let mut along = vec![&links[from]];
    along.extend(
        chain
            .windows(2)
            .filter_map(|pair| between(pair[0], pair[1])),
    );
    along.push(&links[to]);
    let id = |slot: u32| arrays.id[slot as usize];
    let code = |other: Other| match other {
        Other::Slot(slot) => BodyRef::Grain(id(slot)).code(),
        Other::Boundary(wall) => BodyRef::Boundary(wall).code(),
    };
    let weakest = along
        .iter()
        .min_by(|p, q| p.margin().total_cmp(&q.margin()));
    let ends = [chain.first(), chain.last()];
    let [a, b] = ends.map(|s| s.map_or_else(D::Vector::default, |&s| arrays.position(s as usize)));
    Jam {
        time,
        flow_stopped: None,
        verdict_time: time,
        arch: chain.iter().map(|&slot| id(slot)).collect(),
        span: (a - b).norm(),
        force: ArchForce {
            mean: along.iter().map(|l| l.force).sum::<f64>() / along.len() as f64,
            least: along.iter().map(|l| l.force).fold(f64::INFINITY, f64::min),
        },
        weakest: weakest.map(|link| WeakestLink {
            a: i64::from(id(link.a)),
            b: code(link.b),
            normal: link.force,
            tangential: link.tangential,
            margin: link.margin(),
        }),
    }
}
