//! Periodic cells whose edges move: what goes with them, and what is told of them.

use super::{IntegratorName, Setup, System};
use crate::cluster::integrate::Integrate;
use crate::geometry::{Dimension, Vector};
use crate::record::{CellFigures, CellRow};

/// What of a setup does not go with a cell whose edges move: the key of a scenario that asks for it, and why.
pub fn beside_cell<D: Dimension>(setup: &Setup<D>) -> Option<(&'static str, &'static str)> {
    let flow = "the same everywhere in the cell, and this would not be";
    let all = [
        (
            "periodic",
            setup.periodic.iter().any(Option::is_none),
            "all directions are periodic, and here one is not",
        ),
        (
            "boundary",
            !setup.boundaries.is_empty(),
            "there are no walls",
        ),
        (
            "shape",
            !setup.forms.is_empty(),
            "grains are disks or spheres",
        ),
        (
            "feed",
            !setup.feeds.is_empty(),
            "all grains are there from the start",
        ),
        ("outlet", !setup.outlets.is_empty(), "no grain leaves"),
        (
            "settle",
            setup.settle.is_some(),
            "nothing settles: a pressure presses grains together",
        ),
        ("field.gravity", setup.gravity.norm() > 0.0, flow),
        ("field.drag", setup.drag > 0.0, flow),
        ("field", !setup.place.is_none(), flow),
        (
            "field",
            !setup.long_range.is_none(),
            "forces reach as far as contacts do",
        ),
        (
            "perturb",
            !setup.perturbs.is_empty(),
            "nothing else disturbs the grains",
        ),
        ("morph", setup.morph.is_some(), "no grain stands still"),
        ("events", setup.events.is_some(), "contacts last"),
        ("quasi_static", setup.quasi_static.is_some(), "grains move"),
        (
            "run.collisions",
            setup.motion.collisions.is_some(),
            "each contact is followed step by step",
        ),
        (
            "run.integrator",
            setup.motion.integrator != IntegratorName::Verlet,
            "the integrator is `verlet`",
        ),
    ];
    let first = all.into_iter().find(|(_, there, _)| *there);
    first.map(|(key, _, why)| (key, why))
}

impl<D: Integrate> System<D> {
    /// Area or volume of all grains over that of the cell, and twice the links over the grains.
    fn filling(&self, volume: f64) -> (f64, f64) {
        let engine = &self.engine;
        let (mut filled, mut grains) = (0.0, 0.0);
        for &slot in &engine.state.active {
            filled += D::ball_measure(engine.state.arrays.radius(slot as usize));
            grains += 1.0;
        }
        let (links, _) = engine.link_count();
        (filled / volume, 2.0 * links as f64 / f64::max(grains, 1.0))
    }

    /// What the series tells of the cell; its means begin anew.
    pub(super) fn cell_row(&mut self) -> Option<CellRow> {
        let cell = self.engine.state.cell?;
        let (fraction, coordination) = self.filling(cell.edges.volume());
        self.engine.begin_means();
        Some(CellRow {
            lengths: cell.edges.lengths,
            offset: cell.edges.offset,
            sheared: cell.sheared,
            fraction,
            coordination,
            pressure: cell.mean_pressure(),
        })
    }

    /// What the summary tells of the cell.
    pub(super) fn cell_figures(&self) -> Option<CellFigures> {
        let cell = self.engine.state.cell.as_ref()?;
        let (fraction, coordination) = self.filling(cell.edges.volume());
        let within = |t: [[f64; 3]; 3]| -> Vec<Vec<f64>> {
            t[..D::N].iter().map(|row| row[..D::N].to_vec()).collect()
        };
        let late = cell.late_pressure();
        Some(CellFigures {
            lengths: cell.edges.lengths[..D::N].to_vec(),
            offset: cell.edges.offset,
            sheared: cell.sheared,
            fraction,
            coordination,
            pressure: within(cell.pressure),
            mean_pressure: within(late),
            friction: (cell.shear != 0.0 && late[1][1] > 0.0).then(|| -late[1][0] / late[1][1]),
        })
    }
}
