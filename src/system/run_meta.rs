//! Description of a run in its folder: walls and shapes as pictures show them.

use super::Setup;
use super::drawn_walls::draw_walls;
use crate::body::{ShapeTemplate, TemplatePart};
use crate::cluster::integrate::Integrate;
use crate::geometry::Vector;
use crate::record::{GrainShape, RunMeta, ShapePart, WallDrawing};

/// Returns the description of a run that starts from `setup`; `scenario` is its resolved scenario.
pub fn run_meta<D: Integrate>(setup: &Setup<D>, scenario: &str) -> RunMeta {
    let walls = setup.boundaries.iter();
    RunMeta {
        dimensions: D::N,
        scenario_toml: scenario.to_string(),
        boundaries: walls.map(|wall| wall.name.clone()).collect(),
        meters: setup
            .sources
            .meters
            .iter()
            .map(|meter| meter.name.clone())
            .collect(),
        version: env!("CARGO_PKG_VERSION").into(),
        walls: drawings(setup),
        shapes: setup.matter.forms.iter().map(shape).collect(),
        periodic: std::array::from_fn(|k| {
            let axis = setup.space.periodic.get(k).copied().flatten();
            let axis = axis.filter(|_| setup.space.cell.is_none());
            axis.map(|axis| [axis.origin, axis.length])
        }),
        cell: setup.space.cell.is_some(),
        bonds: setup.matter.laws.have_bonds(),
        cell_corner: setup.space.cell.as_ref().map(|_| {
            let axis = |k: usize| setup.space.periodic.get(k).copied().flatten();
            std::array::from_fn(|k| axis(k).map_or(0.0, |axis| axis.origin))
        }),
    }
}

/// Returns a form as the folder describes it.
fn shape<D: Integrate>(form: &ShapeTemplate<D>) -> GrainShape {
    let angle = |v: D::Vector| libm::atan2(v[1], v[0]);
    let part = |part: &TemplatePart<D>| ShapePart {
        centre: std::array::from_fn(|k| if k < D::N { part.centre[k] } else { 0.0 }),
        radius: part.radius,
        arc: part.ends.map(|[begin, end]| {
            let (from, to) = (angle(begin), angle(end));
            let turn = std::f64::consts::TAU;
            [from, if to < from { to + turn } else { to }]
        }),
    };
    GrainShape {
        name: form.name.clone(),
        parts: form.parts.iter().map(part).collect(),
        measure: Some(form.measure),
    }
}

/// Returns the walls as lines for pictures, with planes cut to the surroundings of grains, feeds and other walls.
fn drawings<D: Integrate>(setup: &Setup<D>) -> Vec<WallDrawing> {
    let mut low = D::Vector::from_fn(|_| f64::INFINITY);
    let mut high = D::Vector::from_fn(|_| f64::NEG_INFINITY);
    let mut hold = |x: D::Vector, room: f64| {
        for k in 0..D::N {
            low[k] = low[k].min(x[k] - room);
            high[k] = high[k].max(x[k] + room);
        }
    };
    for grain in &setup.grains {
        hold(grain.position, grain.radius);
    }
    for feed in &setup.sources.feeds {
        hold(feed.min, 0.0);
        hold(feed.max, 0.0);
    }
    for wall in &setup.boundaries {
        if let Some((min, max)) = wall.shape.extent() {
            hold(min, 0.0);
            hold(max, 0.0);
        }
    }
    let size = (0..D::N).map(|k| high[k] - low[k]).fold(0.0, f64::max);
    let room = D::Vector::from_fn(|_| 0.05 * size);
    draw_walls(&setup.boundaries, low - room, high + room)
}
