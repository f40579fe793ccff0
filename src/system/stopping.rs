//! Choice of the stepped grains that are put to rest (docs/morphing.md).

use super::rest::{LOOKS, RestState, size};
use super::{MorphSetup, foothold, ledger};
use crate::cluster;
use crate::cluster::field_loads::weight;
use crate::cluster::integrate::Integrate;
use crate::cluster::{Other, World};
use crate::field::FieldSet;
use crate::geometry::{Vector, three};

/// Counts the checks in a row at which stepped grains were calm.
pub(super) fn count_calm<D: Integrate>(world: &mut World<D>, morph: &MorphSetup) {
    let g = cluster::field_loads::scale(&world.physics, &world.sleeping);
    let mut calm = std::mem::take(&mut world.sleeping.still.calm);
    let arrays = &world.grains.arrays;
    for &slot in &world.grains.active {
        let s = slot as usize;
        let v = arrays.velocity(s);
        let spin = D::surface_spin(arrays, s);
        let mass = 1.0 / arrays.inverse_mass(s);
        let kinetic = 0.5 * mass * v.norm_squared() + turning_energy(world, slot, spin);
        let bound = morph.kinetic * mass * g * 2.0 * arrays.radius(s);
        calm[s].checks = if kinetic < bound {
            calm[s].checks.saturating_add(1)
        } else {
            0
        };
    }
    world.sleeping.still.calm = calm;
}

/// Keeps the places of stepped grains until grains are chosen again, where creep is bounded.
pub(super) fn note_places<D: Integrate>(world: &mut World<D>, morph: &MorphSetup) {
    if !morph.bounds_creep() {
        return;
    }
    for &slot in &world.grains.active {
        let s = slot as usize;
        world.sleeping.still.calm[s].place = three(world.grains.arrays.position(s));
    }
}

/// Returns whether a grain creeps: whether its mean velocity since grains were last chosen has more energy than `creep`.
/// What vibrates has none; what slides slowly, held back by friction and dampers alone, would be frozen by a stop.
fn creeps<D: Integrate>(world: &World<D>, morph: &MorphSetup, slot: u32, g: f64) -> bool {
    if !morph.bounds_creep() {
        return false;
    }
    let s = slot as usize;
    let from = world.sleeping.still.calm[s].place;
    let to = three(world.grains.arrays.position(s));
    let way: f64 = (0..3).map(|k| (to[k] - from[k]).powi(2)).sum();
    let energy = 0.5 * way / (morph.dwell * morph.dwell);
    // A place that is not known is no rest.
    energy.is_nan() || energy >= morph.creep * g * 2.0 * world.grains.arrays.radius(s)
}

/// Returns the rotational energy of a stepped grain with this spin (radius times spin), J.
pub(super) fn turning_energy<D: Integrate>(world: &World<D>, slot: u32, spin: [f64; 3]) -> f64 {
    if D::N == 3 && world.grains.form_index(slot).is_some() {
        return ledger::turning_energy(world, slot as usize, spin);
    }
    let squares: f64 = spin.iter().map(|s| s * s).sum();
    0.5 * squares / world.grains.arrays.inverse_inertia(slot as usize)
}

/// What presses on stepped grains, by slot.
struct Pressing {
    /// Number of links under load; one with a wall counts for two.
    links: Vec<u8>,
    /// Sum of the sizes of their normal forces, N.
    sums: Vec<f64>,
}

/// Returns what presses on stepped grains.
fn pressing<D: Integrate>(world: &World<D>) -> Pressing {
    let slots = world.grains.arrays.slots();
    let (mut links, mut sums) = (vec![0u8; slots], vec![0.0; slots]);
    cluster::observe::each_list_link(world, |view| {
        // A link that pulls holds too.
        let size = view.normal_force.abs();
        if size == 0.0 {
            return;
        }
        let mut add = |slot: u32, count: u8| {
            let s = slot as usize;
            links[s] = links[s].saturating_add(count);
            sums[s] += size;
        };
        match view.b {
            Other::Slot(b) => {
                add(view.a, 1);
                add(b, 1);
            }
            // A grain in equilibrium on a wall alone lies on a floor.
            Other::Boundary(_) => add(view.a, 2),
        }
    });
    Pressing { links, sums }
}

/// Returns the stepped slots that have been calm for the dwell, are in equilibrium, and press on two others
/// at least, or on a wall.
pub(super) fn resting<D: Integrate>(
    world: &World<D>,
    fields: &FieldSet<D>,
    rest: &RestState,
    morph: &MorphSetup,
) -> Vec<u32> {
    let arrays = &world.grains.arrays;
    let calm = &world.sleeping.still.calm;
    if world
        .grains
        .active
        .iter()
        .all(|&slot| calm[slot as usize].checks < LOOKS)
    {
        return Vec::new();
    }
    let Pressing { links, sums } = pressing(world);
    let scale = cluster::field_loads::scale(&world.physics, &world.sleeping);
    let mut resting: Vec<u32> = world
        .grains
        .active
        .iter()
        .copied()
        .filter(|&slot| {
            let s = slot as usize;
            if calm[s].checks < LOOKS || creeps(world, morph, slot, scale) {
                return false;
            }
            let (f, m) = D::force(arrays, s);
            let mass = 1.0 / arrays.inverse_mass(s);
            let g = |k: usize| {
                if k < D::N {
                    mass * world.physics.gravity[k]
                } else {
                    0.0
                }
            };
            let residual = [f[0] + g(0), f[1] + g(1), f[2] + g(2), m[0], m[1], m[2]];
            let most = (morph.residual * weight(world, slot)).max(morph.residual_share * sums[s]);
            size(&residual) < most
        })
        .collect();
    if resting.is_empty() {
        return resting;
    }
    resting.sort_unstable();
    if world.grains.has_bodies() {
        let shaped: Vec<u32> = resting
            .iter()
            .copied()
            .filter(|&slot| world.grains.form_index(slot).is_some())
            .collect();
        let up = foothold::up(world, fields, &shaped);
        let held = foothold::held_shapes(world, &up);
        resting.retain(|&slot| match world.grains.form_index(slot) {
            Some(_) => held[slot as usize].is_held(up.of(slot)),
            None => links[slot as usize] >= 2,
        });
    } else {
        resting.retain(|&slot| links[slot as usize] >= 2);
    }
    let beside = cluster::moving_walls::beside(world, &resting);
    resting.retain(|slot| beside.binary_search(slot).is_err());
    // Grains that were stopped in vain too often must be calm for longer.
    let thrash = &rest.thrash;
    resting.retain(|&slot| {
        let s = slot as usize;
        calm[s].checks >= LOOKS.saturating_mul(thrash.dwells(arrays.id[s]))
    });
    resting
}
