//! Periodic cells with moving edges: the features that they exclude, and their figures.

use super::{IntegratorName, Setup};
use crate::cluster;
use crate::cluster::World;
use crate::cluster::integrate::Integrate;
use crate::geometry::{Dimension, Vector};
use crate::record::{CellFigures, CellRow};

/// Returns the first feature of a setup that a cell with moving edges does not support: its key in the scenario, and what
/// such a box is like.
pub fn beside_cell<D: Dimension>(setup: &Setup<D>) -> Option<(&'static str, &'static str)> {
    let open = setup.space.periodic.iter().any(Option::is_none);
    let verlet = setup.motion.integrator == IntegratorName::Verlet;
    let all = [
        ("periodic", open, "is periodic in all directions"),
        ("boundary", !setup.boundaries.is_empty(), "has no walls"),
        (
            "shape",
            !setup.matter.forms.is_empty(),
            "holds disks or spheres only",
        ),
        (
            "feed",
            !setup.sources.feeds.is_empty(),
            "takes in no grains",
        ),
        (
            "outlet",
            !setup.sources.outlets.is_empty(),
            "lets no grain go",
        ),
        (
            "meter",
            !setup.sources.meters.is_empty(),
            "has no fixed places to meter",
        ),
        (
            "settle",
            setup.run.settle.is_some(),
            "supports no settling: a pressure brings grains to rest",
        ),
        (
            "field.gravity",
            setup.fields.gravity.norm() > 0.0,
            "is the same everywhere, and supports no gravity",
        ),
        (
            "field.drag",
            setup.fields.drag > 0.0,
            "is the same everywhere, and supports no drag against space",
        ),
        (
            "field",
            !setup.fields.place.is_none(),
            "is the same everywhere, and supports no field that depends on the place",
        ),
        (
            "field",
            !setup.fields.long_range.is_none(),
            "knows no forces from afar",
        ),
        (
            "perturb",
            !setup.sources.perturbs.is_empty(),
            "is not disturbed by anything else",
        ),
        (
            "run.integrator",
            !verlet,
            "is stepped by the integrator `verlet`",
        ),
    ];
    let first = all.into_iter().find(|(_, there, _)| *there);
    first.map(|(key, _, why)| (key, why))
}

/// Returns the area or volume of all grains over that of the cell, and the coordination number (twice the links over the grains).
fn filling<D: Integrate>(world: &World<D>, volume: f64) -> (f64, f64) {
    let (mut filled, mut grains) = (0.0, 0.0);
    for &slot in &world.grains.active {
        filled += D::ball_measure(world.grains.arrays.radius(slot as usize));
        grains += 1.0;
    }
    let (links, _) = cluster::change::link_count(&world.contacts, &world.sleeping);
    (filled / volume, 2.0 * links as f64 / f64::max(grains, 1.0))
}

/// Returns the cell's part of a row of the series; its means begin anew.
pub(super) fn cell_row<D: Integrate>(world: &mut World<D>) -> Option<CellRow> {
    let cell = world.cell.state?;
    let (fraction, coordination) = filling(world, cell.edges.volume());
    world.cell.begin_means();
    Some(CellRow {
        lengths: cell.edges.lengths,
        offset: cell.edges.offset,
        sheared: cell.sheared,
        fraction,
        coordination,
        pressure: cell.stress.mean_pressure(),
    })
}

/// Returns the cell's figures for the summary.
pub(super) fn cell_figures<D: Integrate>(world: &World<D>) -> Option<CellFigures> {
    let cell = world.cell.state.as_ref()?;
    let (fraction, coordination) = filling(world, cell.edges.volume());
    let within = |t: [[f64; 3]; 3]| -> Vec<Vec<f64>> {
        t[..D::N].iter().map(|row| row[..D::N].to_vec()).collect()
    };
    let late = cell.stress.late_pressure();
    Some(CellFigures {
        lengths: cell.edges.lengths[..D::N].to_vec(),
        offset: cell.edges.offset,
        sheared: cell.sheared,
        fraction,
        coordination,
        pressure: within(cell.stress.pressure),
        mean_pressure: within(late),
        friction: (cell.shear != 0.0 && late[1][1] > 0.0).then(|| -late[1][0] / late[1][1]),
    })
}
