//! Transfer of grains from one rank to another, with their links.

use super::arrays::Status;
use super::border::Border;
use super::integrate::Integrate;
use super::lists::ContactHistory;
use super::still::{Calm, WallName, Wrench};
use super::world::{Contacts, Grains, Sleeping, World};
use crate::body::GrainId;
use crate::hgraph::ClusterIndex;
use crate::neighbor::RowPlace;
use crate::vector::Row;
use rustc_hash::{FxHashMap, FxHashSet};
use serde::{Deserialize, Serialize};

/// A grain in transfer to another rank, which steps it or has it as a ghost.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(bound = "")]
pub struct MigratingGrain<D: Integrate> {
    /// Number of the grain.
    pub id: GrainId,
    material: u16,
    still: bool,
    place: RowPlace,
    row: Row,
    state: Row,
    spin: Row,
    /// Data that only the rank that steps it requires.
    inner: Option<Inner<D>>,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(bound = "")]
struct Inner<D: Integrate> {
    rotation: Option<D::Rotation>,
    force: Row,
    damper: Row,
    previous: Row,
    fresh: bool,
    calm: Calm,
    held: Wrench,
    pushed: Wrench,
    carried: f64,
}

/// A link of two grains in transfer.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Bond {
    class: usize,
    /// Numbers of the grains instead of slots.
    ends: [GrainId; 2],
    link: ContactHistory,
    /// Whether both grains are at rest.
    aside: bool,
}

/// A link of a grain with a wall in transfer.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct WallBond {
    name: WallName,
    grain: GrainId,
    link: ContactHistory,
    aside: bool,
}

/// Grains transferred to another rank, with all their links.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(bound = "")]
pub struct MigrationBatch<D: Integrate> {
    grains: Vec<MigratingGrain<D>>,
    bonds: Vec<Bond>,
    walls: Vec<WallBond>,
}

impl<D: Integrate> Default for MigrationBatch<D> {
    fn default() -> Self {
        MigrationBatch {
            grains: Vec::new(),
            bonds: Vec::new(),
            walls: Vec::new(),
        }
    }
}

impl<D: Integrate> MigrationBatch<D> {
    /// Numbers of the grains.
    pub fn ids(&self) -> impl Iterator<Item = GrainId> + '_ {
        self.grains.iter().map(|grain| grain.id)
    }
}

fn traveller<D: Integrate>(
    grains: &Grains<D>,
    sleeping: &Sleeping,
    border: &Border,
    slot: u32,
    fresh: Option<&FxHashSet<u32>>,
) -> MigratingGrain<D> {
    let (arrays, s) = (&grains.arrays, slot as usize);
    let row = |rows: &[Row]| rows.get(s).copied().unwrap_or_default();
    let still = &sleeping.still;
    let push = |pushes: &[Wrench]| pushes.get(s).copied().unwrap_or_default();
    MigratingGrain {
        id: arrays.id[s],
        material: arrays.material[s],
        still: arrays.status[s].stands(),
        place: border.places[s],
        row: arrays.rows[s],
        state: arrays.state[s],
        spin: row(&arrays.spins),
        inner: fresh.map(|fresh| Inner {
            rotation: arrays.rotation.get(s).copied(),
            force: arrays.forces[s],
            damper: row(&arrays.dampers),
            previous: row(&arrays.previous),
            fresh: fresh.contains(&slot),
            calm: still.calm.get(s).copied().unwrap_or_default(),
            held: push(&still.held),
            pushed: push(&still.pushed),
            carried: still.carried.get(s).copied().unwrap_or_default(),
        }),
    }
}

/// Data of some own slots that other ranks require for ghosts.
pub fn images<D: Integrate>(
    grains: &Grains<D>,
    sleeping: &Sleeping,
    border: &Border,
    slots: &[u32],
) -> Vec<MigratingGrain<D>> {
    slots
        .iter()
        .map(|&slot| traveller(grains, sleeping, border, slot, None))
        .collect()
}

/// Transfers own grains to other ranks: slots, ascending, each with its rank, of `ranks`. Returns the party of each
/// rank. Transferred grains stay as ghosts until [`Dem::renew_shared`](super::dem::Dem::renew_shared).
pub fn send_off<D: Integrate>(
    grains: &mut Grains<D>,
    contacts: &Contacts<D>,
    sleeping: &mut Sleeping,
    border: &Border,
    leavers: &[(u32, usize)],
    ranks: usize,
) -> Vec<MigrationBatch<D>> {
    let mut parties: Vec<MigrationBatch<D>> =
        (0..ranks).map(|_| MigrationBatch::default()).collect();
    if leavers.is_empty() {
        return parties;
    }
    let fresh: FxHashSet<u32> = grains.fresh.iter().copied().collect();
    let mut to = vec![None; grains.arrays.slots()];
    for &(slot, rank) in leavers {
        to[slot as usize] = Some(rank);
        parties[rank]
            .grains
            .push(traveller(grains, sleeping, border, slot, Some(&fresh)));
    }
    let id = |slot: u32| grains.arrays.id[slot as usize];
    let mut bond = |class: usize, link: &ContactHistory, aside: bool| {
        let ranks = [to[link.a as usize], to[link.b as usize]];
        for (k, rank) in ranks.into_iter().enumerate() {
            if let Some(rank) = rank
                && (k == 0 || ranks[0] != Some(rank))
            {
                parties[rank].bonds.push(Bond {
                    class,
                    ends: [id(link.a), id(link.b)],
                    link: *link,
                    aside,
                });
            }
        }
    };
    let mut links = Vec::new();
    for (class, pairs) in contacts.pairs.iter().enumerate() {
        links.clear();
        pairs.lists.kept(&mut links);
        links.extend(&sleeping.waking[class]);
        links.iter().for_each(|link| bond(class, link, false));
    }
    for (class, link) in sleeping.still.pairs.iter() {
        bond(class, link, true);
    }
    let mut at_walls: Vec<(WallName, ContactHistory, bool)> = Vec::new();
    for class in &contacts.walls {
        links.clear();
        class.lists.kept(&mut links);
        let name = |link: &ContactHistory| (class.boundary, link.b, class.side, class.material);
        at_walls.extend(links.iter().map(|link| (name(link), *link, false)));
    }
    let waking = sleeping.waking_walls.iter();
    at_walls.extend(waking.map(|(name, link)| (*name, *link, false)));
    let aside = sleeping.still.walls.iter();
    at_walls.extend(aside.map(|(name, link)| (*name, *link, true)));
    for (name, link, aside) in at_walls {
        if let Some(rank) = to[link.a as usize] {
            parties[rank].walls.push(WallBond {
                name,
                grain: id(link.a),
                link,
                aside,
            });
        }
    }
    let goes = |slot: u32| to[slot as usize].is_some();
    grains.active.retain(|&slot| !goes(slot));
    grains.fresh.retain(|&slot| !goes(slot));
    sleeping.waking_walls.retain(|(_, link)| !goes(link.a));
    let walls = sleeping.still.walls.len();
    sleeping.still.walls.retain(|(_, link)| !goes(link.a));
    sleeping.still.walls_changed |= sleeping.still.walls.len() != walls;
    for &(slot, _) in leavers {
        let status = &mut grains.arrays.status[slot as usize];
        *status = if *status == Status::Still {
            sleeping.still.count -= 1;
            Status::StillGhost
        } else {
            Status::Ghost
        };
    }
    parties
}

/// Slots of ghosts by grain number.
pub(super) fn known_ghosts<D: Integrate>(grains: &Grains<D>) -> FxHashMap<GrainId, u32> {
    (1..grains.arrays.slots() as u32)
        .filter(|&slot| grains.is_ghost(slot))
        .map(|slot| (grains.arrays.id[slot as usize], slot))
        .collect()
}

/// At a common renewal, adds the grains that this rank steps from now on;
/// [`Dem::renew_shared`](super::dem::Dem::renew_shared) adds their links, once all ghosts are present.
pub fn take_grains<D: Integrate>(
    world: &mut World<D>,
    clusters: &mut ClusterIndex,
    border: &mut Border,
    parties: &[MigrationBatch<D>],
) {
    if parties.iter().all(|party| party.grains.is_empty()) {
        return;
    }
    let mut known = known_ghosts(&world.grains);
    for grain in parties.iter().flat_map(|party| &party.grains) {
        take_in(world, clusters, border, grain, &mut known);
    }
}

/// Stores a grain in the slot of its ghost, or in a new one.
pub(super) fn take_in<D: Integrate>(
    world: &mut World<D>,
    clusters: &mut ClusterIndex,
    border: &mut Border,
    grain: &MigratingGrain<D>,
    known: &mut FxHashMap<GrainId, u32>,
) -> u32 {
    let slot = *known.entry(grain.id).or_insert_with(|| {
        world.grains.arrays.push_empty();
        let slot = world.grains.arrays.slots() as u32 - 1;
        let time = world.clock.time_of(world.clock.n);
        world.grains.begin_path(time);
        clusters.add_grain(slot);
        border.places.push(RowPlace::default());
        border.grown = true;
        slot
    });
    let s = slot as usize;
    border.places[s] = grain.place;
    let arrays = &mut world.grains.arrays;
    arrays.id[s] = grain.id;
    arrays.material[s] = grain.material;
    arrays.rows[s] = grain.row;
    arrays.state[s] = grain.state;
    if let Some(spin) = arrays.spins.get_mut(s) {
        *spin = grain.spin;
    }
    arrays.clear_force(s);
    let Some(inner) = &grain.inner else {
        arrays.status[s] = match grain.still {
            true => Status::StillGhost,
            false => Status::Ghost,
        };
        return slot;
    };
    arrays.forces[s] = inner.force;
    if let Some(rotation) = inner.rotation {
        arrays.rotation[s] = rotation;
        arrays.dampers[s] = inner.damper;
        arrays.previous[s] = inner.previous;
    }
    let still = &mut world.sleeping.still;
    if grain.still || !still.held.is_empty() {
        still.make_room(arrays.slots());
        still.held[s] = inner.held;
        still.pushed[s] = inner.pushed;
        still.carried[s] = inner.carried;
        still.calm[s] = inner.calm;
    }
    if grain.still {
        arrays.status[s] = Status::Still;
        still.count += 1;
        // Stepped grains may have pushed it: the coming renewal finds out whether they still do.
        still.rim.push(slot);
    } else {
        arrays.status[s] = Status::Stepped;
        world.grains.active.push(slot);
        world.grains.in_order = false;
        if inner.fresh {
            world.grains.fresh.push(slot);
        }
    }
    slot
}

/// Adds the links of arrived grains. Those with grains that this rank already had are known.
pub(super) fn take_bonds<D: Integrate>(
    grains: &Grains<D>,
    sleeping: &mut Sleeping,
    parties: Vec<MigrationBatch<D>>,
    arrived: &FxHashSet<GrainId>,
) {
    if arrived.is_empty() {
        return;
    }
    let arrays = &grains.arrays;
    let slots: FxHashMap<GrainId, u32> = (1..arrays.slots() as u32)
        .filter(|&slot| arrays.status[slot as usize] != Status::Empty)
        .map(|slot| (arrays.id[slot as usize], slot))
        .collect();
    let mut taken = FxHashSet::default();
    for MigrationBatch { bonds, walls, .. } in parties {
        for bond in bonds {
            let [Some(&a), Some(&b)] = bond.ends.map(|id| slots.get(&id)) else {
                continue;
            };
            let own = |slot: u32| grains.arrays.status[slot as usize].is_grain();
            let before = [a, b].into_iter().zip(bond.ends);
            let known = before
                .into_iter()
                .any(|(slot, id)| own(slot) && !arrived.contains(&id));
            if known || !taken.insert((bond.class, bond.ends)) {
                continue;
            }
            let link = ContactHistory { a, b, ..bond.link };
            if bond.aside {
                // The forces on both grains already include it.
                sleeping.still.pairs.insert(bond.class, link, [a, b]);
            } else {
                sleeping.waking[bond.class].push(link);
            }
        }
        for bond in walls {
            let Some(&a) = slots.get(&bond.grain) else {
                continue;
            };
            let link = ContactHistory { a, ..bond.link };
            if bond.aside {
                sleeping.still.walls.push((bond.name, link));
                sleeping.still.walls_changed = true;
            } else {
                sleeping.waking_walls.push((bond.name, link));
            }
        }
    }
}

/// Removes links between grains at rest of which none belongs to this rank any more.
pub(super) fn drop_resting<D: Integrate>(
    grains: &Grains<D>,
    sleeping: &mut Sleeping,
    stays: &[bool],
) {
    let mut index = 0;
    while index < sleeping.still.pairs.len() as u32 {
        let (_, link) = sleeping.still.pairs.get(index);
        let status = |slot: u32| grains.arrays.status[slot as usize];
        let ends = [link.a, link.b];
        let own = ends.iter().any(|&slot| status(slot).is_grain());
        let there = ends
            .iter()
            .all(|&slot| status(slot).is_grain() || stays[slot as usize]);
        if own && there {
            index += 1;
        } else {
            sleeping.still.pairs.remove(index);
        }
    }
}
