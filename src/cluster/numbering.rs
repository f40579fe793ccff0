//! Renumbering of slots, and of everything that refers to them.

use super::bonds::Bonds;
use super::border::Border;
use super::integrate::Integrate;
use super::lists::ContactHistory;
use super::state::Book;
use super::world::{Grains, Sleeping};
use crate::hgraph::ClusterIndex;

/// Drops empty slots and, in large systems, sorts the others row by row. Returns the new slot of
/// each old one, if anything moved.
pub(super) fn compact<D: Integrate>(
    grains: &mut Grains<D>,
    sleeping: &mut Sleeping,
    book: &Book,
    border: &mut Border,
) -> Option<Vec<u32>> {
    const SORT_FROM: usize = 4_000;
    // If most grains are at rest, few are stepped.
    let every = if sleeping.still.count > 0 { 1024 } else { 16 };
    let arrays = &grains.arrays;
    let slots = arrays.slots();
    let full: Vec<u32> = (1..slots as u32)
        .filter(|&s| arrays.status[s as usize].is_grain())
        .collect();
    let sort = full.len() >= SORT_FROM && book.counts.renewals % every == 1;
    if full.len() + grains.bodies.parts() + 1 == slots && !sort {
        return None;
    }
    let mut order = vec![0];
    if sort {
        let positions: Vec<D::Vector> = full.iter().map(|&s| arrays.position(s as usize)).collect();
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
    let order = with_parts(grains, order);
    Some(renumber(grains, sleeping, border, &order))
}

/// Renumbers the slots: `order` lists the old slot of each, the dummy first. Returns the new slot
/// of each old one, 0 for those that are dropped.
pub(super) fn renumber<D: Integrate>(
    grains: &mut Grains<D>,
    sleeping: &mut Sleeping,
    border: &mut Border,
    order: &[u32],
) -> Vec<u32> {
    let mut new_slot = vec![0; grains.arrays.slots()];
    for (new, &old) in order.iter().enumerate() {
        new_slot[old as usize] = new as u32;
    }
    grains.arrays.reorder(order);
    grains.bodies.renumber(&new_slot, order.len());
    grains.since = order.iter().map(|&o| grains.since[o as usize]).collect();
    if !grains.pulls.is_empty() {
        grains.pulls = order.iter().map(|&o| grains.pulls[o as usize]).collect();
    }
    sleeping.still.renumber(order, &new_slot);
    border.renumber(order);
    for list in [&mut grains.active, &mut grains.fresh, &mut border.ghosts] {
        for slot in list.iter_mut() {
            *slot = new_slot[*slot as usize];
        }
        list.retain(|&s| s != 0);
    }
    new_slot
}

/// An order of slots in which the parts of grains follow these.
pub(super) fn with_parts<D: Integrate>(grains: &Grains<D>, order: Vec<u32>) -> Vec<u32> {
    let bodies = &grains.bodies;
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

pub(super) fn rebuild_clusters<D: Integrate>(
    grains: &Grains<D>,
    sleeping: &Sleeping,
    bonds: &Bonds<D>,
    clusters: &mut ClusterIndex,
    kept: &[Vec<ContactHistory>],
) {
    let mut index = ClusterIndex::with_grains(grains.arrays.slots() as u32);
    let still = sleeping.still.pairs.iter().map(|(_, link)| link);
    for link in kept.iter().flatten().chain(still) {
        index.insert_link(grains.owner(link.a), grains.owner(link.b));
    }
    for bond in &bonds.list {
        index.insert_link(bond.slots[0], bond.slots[1]);
    }
    grains.rigid.each_tie(|a, b| {
        index.insert_link(a, b);
    });
    let before = std::mem::replace(clusters, index);
    clusters.go_on_from(before);
}
