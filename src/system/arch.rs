//! The arch of a jam.

use crate::cluster::integrate::Integrate;
use crate::cluster::{Engine, Other};
use crate::geometry::Vector;
use crate::record::Jam;

/// The arch: the lowest chain of grains in touch that spans from one wall to another. Grains are
/// let in from the lowest up until two contacts with walls that face each other are joined; the
/// chain is the shortest among them.
pub fn find<D: Integrate>(engine: &Engine<D>, time: f64) -> Jam {
    let arrays = &engine.state.arrays;
    let g = engine.gravity.norm();
    let up = |slot: u32| -arrays.position(slot as usize).dot(&engine.gravity) / g;
    let mut at_walls: Vec<(u32, D::Vector)> = Vec::new();
    engine.each_link_view(|link| {
        if matches!(link.b, Other::Boundary(_)) {
            at_walls.push((link.a, link.kinematics.normal));
        }
    });
    at_walls.sort_by(|p, q| up(p.0).total_cmp(&up(q.0)).then(p.0.cmp(&q.0)));
    let neighbours = engine.adjacency();
    let mut order = engine.state.active.clone();
    order.extend(engine.standing());
    order.sort_by(|&p, &q| up(p).total_cmp(&up(q)).then(p.cmp(&q)));
    let mut allowed = vec![false; arrays.slots()];
    for &top in &order {
        allowed[top as usize] = true;
        // A chain that this grain completes goes through it.
        let Some(chain) = chain_through(top, &allowed, &at_walls, &neighbours) else {
            continue;
        };
        let span = match (chain.first(), chain.last()) {
            (Some(&a), Some(&b)) => {
                (arrays.position(a as usize) - arrays.position(b as usize)).norm()
            }
            _ => 0.0,
        };
        return Jam {
            time,
            arch: chain.iter().map(|&s| arrays.id[s as usize]).collect(),
            span,
        };
    }
    Jam {
        time,
        arch: Vec::new(),
        span: 0.0,
    }
}

/// The shortest chain of allowed grains from a wall to one that faces it, if `top` lies in the
/// group of one.
fn chain_through<V: Vector>(
    top: u32,
    allowed: &[bool],
    at_walls: &[(u32, V)],
    neighbours: &crate::cluster::Adjacency,
) -> Option<Vec<u32>> {
    let group = search(top, allowed, neighbours, |_| false).0;
    let ends: Vec<&(u32, V)> = at_walls
        .iter()
        .filter(|(s, _)| group[*s as usize] != u32::MAX)
        .collect();
    let mut best: Option<Vec<u32>> = None;
    for (from, normal) in ends.iter().map(|e| (e.0, e.1)) {
        let facing = |s: u32| {
            ends.iter()
                .any(|e| e.0 == s && sideways(normal, e.1) && s != from)
        };
        let (before, found) = search(from, allowed, neighbours, facing);
        if let Some(end) = found {
            let mut chain = vec![end];
            let mut at = end;
            while at != from {
                at = before[at as usize];
                chain.push(at);
            }
            if best.as_ref().is_none_or(|b| chain.len() < b.len()) {
                best = Some(chain);
            }
        }
    }
    best
}

/// Whether two walls face each other across an opening: their normals point at each other
/// along the first (horizontal) coordinate, or differ by more than a right angle.
fn sideways<V: Vector>(a: V, b: V) -> bool {
    let across = (0..V::LEN - 1).map(|k| a[k] * b[k]).sum::<f64>();
    across < 0.0
}

/// Breadth-first search: for each slot the one before it (none: `u32::MAX`), and the first slot
/// other than the start that satisfies `goal`.
fn search(
    from: u32,
    allowed: &[bool],
    neighbours: &crate::cluster::Adjacency,
    goal: impl Fn(u32) -> bool,
) -> (Vec<u32>, Option<u32>) {
    let mut before = vec![u32::MAX; allowed.len()];
    before[from as usize] = from;
    let mut queue = std::collections::VecDeque::from([from]);
    while let Some(at) = queue.pop_front() {
        if at != from && goal(at) {
            return (before, Some(at));
        }
        neighbours.each(at, &mut |peer| {
            if allowed[peer as usize] && before[peer as usize] == u32::MAX {
                before[peer as usize] = at;
                queue.push_back(peer);
            }
        });
    }
    (before, None)
}
