//! Limits that a run must not exceed: invalid numbers, and overlaps for which no law is made.

use super::{Setup, SystemError};
use crate::cluster;
use crate::cluster::integrate::Integrate;
use crate::cluster::{DeepestOverlap, Other, World};
use crate::geometry::Vector;
use crate::record::EnergyFigures;

/// Overlap over the smaller radius above which a run warns: contact laws are made for a few
/// percent, and grains that overlap by half their radius occupy much less room than they should.
const CRUSHED: f64 = 0.5;
/// Overlap over the smaller radius above which a run stops: the centre of the smaller body is at the surface
/// of the other, and beyond it the push soon points the wrong way.
const SWALLOWED: f64 = 1.0;
/// Error of the energy balance above which a run warns: ten times what a sound step leaves.
const UNBALANCED: f64 = 1e-2;
/// Beginning of the warning of crushed grains, which is given once.
const PRESSED: &str = "grains are crushed: ";

/// Returns the warning about an energy balance, if it requires one.
pub(super) fn imbalance(energy: &EnergyFigures) -> Option<String> {
    if energy.balance_error <= UNBALANCED && energy.balance_error_max > UNBALANCED {
        return Some(format!(
            "the energy balance was off by up to {:.1e} of the work of contacts, walls and drag (`energy.balance_error_max`), \
             though by only {:.1e} of all that flowed: what fell or flew far hides it there; take a smaller step \
             (`run.safety` or `run.step`)",
            energy.balance_error_max, energy.balance_error
        ));
    }
    (energy.balance_error > UNBALANCED).then(|| {
        format!(
            "the energy balance is off by {:.1e} of what flowed, where a sound run stays under 1e-3: \
             take a smaller step (`run.safety` or `run.step`)",
            energy.balance_error
        )
    })
}

/// Checks that a cell whose edges move is still wide enough for its grains.
pub(super) fn check_cell<D: Integrate>(world: &World<D>) -> Result<(), SystemError> {
    let Some(cell) = &world.cell.state else {
        return Ok(());
    };
    let least = 4.0 * cluster::cell::drive::greatest_radius(&world.grains);
    for (k, axis) in ["x", "y", "z"].into_iter().enumerate().take(D::N) {
        let length = cell.edges.lengths[k];
        if length.is_nan() || length < least {
            return Err(SystemError::Numerical(format!(
                "the periodic cell has become {length:.3e} m long along {axis} at {:.6} s, less than two diameters of its largest grain, {least:.3e} m: grains would meet themselves; let it begin longer, or drive it less far",
                world.clock.time(),
            )));
        }
    }
    Ok(())
}

/// Checks that no bond became so long that another image of its end may be nearer.
pub(super) fn check_bonds<D: Integrate>(world: &World<D>) -> Result<(), SystemError> {
    if let Some((slot, why)) = &world.grains.rigid.failed {
        return Err(SystemError::Numerical(format!(
            "the loads of the bonds in the rigid body of grain {} could not be solved for at {:.6} s: {why}",
            world.grains.arrays.id[*slot as usize],
            world.clock.time()
        )));
    }
    let Some((slots, length)) = world.contacts.bonds.overlong else {
        return Ok(());
    };
    let [a, b] = slots.map(|slot| world.grains.arrays.id[slot as usize]);
    Err(SystemError::Numerical(format!(
        "the bond of grains {a} and {b} has become {length:.3e} m long at {:.6} s, nearly half the periodic box, where another image of a grain is as near; take a wider box, or give bonds a strength",
        world.clock.time()
    )))
}

/// Checks that every stepped grain has a finite position, and is slow enough for contacts to be detected.
pub(super) fn check_numbers<D: Integrate>(world: &World<D>) -> Result<(), SystemError> {
    let arrays = &world.grains.arrays;
    for &slot in &world.grains.active {
        let slot = slot as usize;
        // Squares: a grain that is too fast for a finite energy is lost as well.
        let spin = arrays.spins.get(slot).map_or(&[][..], |row| &row.0[..3]);
        let row = arrays.rows[slot].0[..7].iter().chain(spin);
        if !row.map(|x| x * x).sum::<f64>().is_finite() {
            return Err(SystemError::Numerical(format!(
                "grain {} has no finite position or velocity at {:.9} s (step {}); the step of {:.3e} s may be too large for its links",
                arrays.id[slot],
                world.clock.time(),
                world.clock.n,
                world.clock.step
            )));
        }
        let own = arrays.velocity(slot)
            - cluster::cell::drive::flow_at::<D>(&world.cell, arrays.position(slot));
        let way = own.norm() * world.clock.step;
        if way > arrays.radius(slot) {
            return Err(SystemError::Numerical(format!(
                "grain {} moves {:.3e} m in a step of {:.3e} s at {:.9} s, more than its radius of {:.3e} m: it would pass through others unseen; take a smaller step",
                arrays.id[slot],
                way,
                world.clock.step,
                world.clock.time(),
                arrays.radius(slot)
            )));
        }
    }
    Ok(())
}

/// Warns of crushed grains once, and stops the run at swallowed ones. Called at moments
/// that depend on the motion alone, so that logs decide nothing.
pub(super) fn check_overlaps<D: Integrate>(
    setup: &Setup<D>,
    world: &World<D>,
    warnings: &mut Vec<String>,
) -> Result<(), SystemError> {
    let deepest = cluster::overlap_check::deepest_stepped(world);
    check_overlap(setup, world, warnings, deepest)
}

/// The same with links between grains at rest, which only equilibrium solves press deeper.
pub(super) fn check_all_overlaps<D: Integrate>(
    setup: &Setup<D>,
    world: &World<D>,
    warnings: &mut Vec<String>,
) -> Result<(), SystemError> {
    let deepest = cluster::overlap_check::deepest(world);
    check_overlap(setup, world, warnings, deepest)
}

/// The same with links of some slots at rest, ascending, alone.
pub(super) fn check_overlaps_of<D: Integrate>(
    setup: &Setup<D>,
    world: &World<D>,
    slots: &[u32],
    warnings: &mut Vec<String>,
) -> Result<(), SystemError> {
    let deepest = cluster::overlap_check::deepest_of(world, slots);
    check_overlap(setup, world, warnings, deepest)
}

fn check_overlap<D: Integrate>(
    setup: &Setup<D>,
    world: &World<D>,
    warnings: &mut Vec<String>,
    link: Option<DeepestOverlap>,
) -> Result<(), SystemError> {
    let Some(link) = link else {
        return Ok(());
    };
    if link.share <= CRUSHED {
        return Ok(());
    }
    let id = |slot: u32| world.grains.arrays.id[slot as usize];
    let who = match link.b {
        Other::Slot(b) => format!("grains {} and {}", id(link.a), id(b)),
        Other::Boundary(b) => format!(
            "grain {} and the wall `{}`",
            id(link.a),
            setup.boundaries[usize::from(b)].name
        ),
    };
    let [a, b] = link.materials.map(|m| {
        let name = setup.matter.materials.get(usize::from(m));
        name.map_or("?", String::as_str)
    });
    let text = format!(
        "{who} overlap by {:.2} of the smaller radius at {:.6} s; the law of `{a}` and `{b}` is too \
             soft for what presses or throws them together",
        link.share,
        world.clock.time()
    );
    if link.share > SWALLOWED {
        return Err(SystemError::Numerical(text));
    }
    if !warnings.iter().any(|w| w.starts_with(PRESSED)) {
        warnings.push(format!("{PRESSED}{text}"));
    }
    Ok(())
}
