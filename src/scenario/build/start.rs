//! Checks the grains at the start: none may be in another, in a wall, or on its wrong side.

use rustc_hash::FxHashMap;

use super::clearance::Measured;
use super::grains::{Filled, point};
use crate::body::{Ball, Grain, ShapeTemplate};
use crate::geometry::{Dimension, Vector};
use crate::neighbor::nearest;
use crate::scenario::problem::Problem;
use crate::system::{OutletSetup, PeriodicAxis};
use crate::walls::{Boundary, Images, Pose};

/// Surroundings of the grains at the start.
pub(super) struct Surroundings<'a, D: Dimension> {
    pub walls: &'a [Boundary<D>],
    pub forms: &'a [ShapeTemplate<D>],
    pub outlets: &'a [OutletSetup<D>],
    pub periodic: &'a [Option<PeriodicAxis>],
    /// Greatest overlap relative to the smaller radius.
    pub overlap: f64,
    /// Whether the run settles first, before any gate opens.
    pub settles: bool,
}

/// Checks all grains; reports the first grain with a fault, and among overlapping pairs the first in order of
/// decreasing size.
pub(super) fn check_start<D: Dimension>(
    filled: &Filled<D>,
    around: &Surroundings<'_, D>,
) -> Result<(), Problem> {
    let walls: Vec<_> = around
        .walls
        .iter()
        .map(|wall| {
            // A wall that cannot repeat periodically was refused before; images of a wall cut at a border overlap.
            let images = Images::of(wall, 1, around.periodic).unwrap_or_else(|_| Images::none(1));
            (wall, images, Measured::of(&wall.shape))
        })
        .collect();
    for (k, grain) in filled.grains.iter().enumerate() {
        in_bounds(filled, k, grain, around)?;
        clear_of_walls(filled, k, grain, around, &walls)?;
    }
    clear_of_each_other(filled, around)
}

fn in_bounds<D: Dimension>(
    filled: &Filled<D>,
    k: usize,
    grain: &Grain<D>,
    around: &Surroundings<'_, D>,
) -> Result<(), Problem> {
    let (place, name) = filled.origin(k);
    let at = point(&grain.position);
    for (axis, periodic) in around.periodic.iter().enumerate() {
        if let Some(box_) = periodic {
            let x = grain.position[axis];
            let end = box_.origin + box_.length;
            if x < box_.origin || x >= end {
                let letter = ["x", "y", "z"][axis];
                return Err(Problem::at(
                    &place,
                    format!(
                        "{name} at {at} is outside of the periodic box: {letter} must be from {} to {end}",
                        box_.origin
                    ),
                ));
            }
        }
    }
    for (j, outlet) in around.outlets.iter().enumerate() {
        if outlet.takes(grain.position, grain.radius) {
            return Err(Problem::at(
                &place,
                format!("{name} at {at} has already left through `outlet[{j}]`"),
            ));
        }
    }
    Ok(())
}

fn clear_of_walls<D: Dimension>(
    filled: &Filled<D>,
    k: usize,
    grain: &Grain<D>,
    around: &Surroundings<'_, D>,
    walls: &[(&Boundary<D>, Images<D>, Measured<'_, D>)],
) -> Result<(), Problem> {
    for (wall, images, measured) in walls {
        let clearance = |x: D::Vector, radius: f64| {
            let mut least = f64::INFINITY;
            images.near(&Pose::rest(), x, radius, |_, own| {
                least = least.min(measured.clearance(own));
            });
            least
        };
        if !around.settles && wall.opens_at.is_some_and(|time| time <= 0.0) {
            continue;
        }
        let gap = clearance(grain.position, grain.radius);
        let mut overlap = grain.radius - gap;
        if overlap <= around.overlap * grain.radius {
            continue;
        }
        if let Some(balls) = balls(grain, around) {
            let depths = balls
                .iter()
                .map(|ball| ball.radius - clearance(ball.centre, ball.radius));
            overlap = depths.fold(f64::NEG_INFINITY, f64::max);
            if overlap <= around.overlap * grain.radius {
                continue;
            }
        }
        let (place, name) = filled.origin(k);
        let at = point(&grain.position);
        if gap < 0.0 {
            return Err(Problem::at(
                &place,
                format!("{name} at {at} is {} `{}`", wall.shape.beyond(), wall.name),
            ));
        }
        return Err(Problem::at(
            &place,
            format!(
                "{name} at {at}, radius {}, overlaps the wall `{}` by {overlap:.3e} m; at most {:.3e} m is allowed",
                grain.radius,
                wall.name,
                around.overlap * grain.radius
            ),
        )
        .help(format!(
            "`run.start_overlap` is {}: the greatest overlap at the start over the radius",
            around.overlap
        )));
    }
    Ok(())
}

/// Grains of similar size, within a factor of two, in cells as wide as the largest of them.
struct Size {
    /// For each axis: origin of the cells, their width, m, and their number if the axis is periodic, else 0.
    layout: Vec<(f64, f64, i64)>,
    cells: FxHashMap<[i64; 3], Vec<u32>>,
}

impl Size {
    fn new<D: Dimension>(diameter: f64, around: &Surroundings<'_, D>) -> Size {
        // Along a periodic axis the cells divide the box evenly, so that the last meets the first.
        let along = |axis: usize| match around.periodic[axis] {
            Some(p) => {
                let cells = libm::floor(p.length / diameter).clamp(1.0, 1e15);
                (p.origin, p.length / cells, cells as i64)
            }
            None => (0.0, diameter, 0),
        };
        Size {
            layout: (0..D::N).map(along).collect(),
            cells: FxHashMap::default(),
        }
    }

    fn cell<V: Vector>(&self, x: V) -> [i64; 3] {
        let mut key = [0; 3];
        for (axis, (origin, width, _)) in self.layout.iter().enumerate() {
            key[axis] = libm::floor((x[axis] - origin) / width) as i64;
        }
        key
    }
}

/// Processes the largest grains first and compares each with those of its size class and of larger ones: a large
/// grain among many small ones is then compared only with those near it, and the small ones are not all compared with
/// each other.
fn clear_of_each_other<D: Dimension>(
    filled: &Filled<D>,
    around: &Surroundings<'_, D>,
) -> Result<(), Problem> {
    let grains = &filled.grains;
    let largest = grains.iter().map(|grain| grain.radius).fold(0.0, f64::max);
    if largest == 0.0 {
        return Ok(());
    }
    let size_of = |k: usize| libm::log2(largest / grains[k].radius) as u32;
    let mut order: Vec<(u32, usize)> = (0..grains.len()).map(|k| (size_of(k), k)).collect();
    order.sort_unstable();
    let mut sizes: Vec<Size> = Vec::new();
    let mut last = None;
    for (size, k) in order {
        let grain = &grains[k];
        if last.replace(size) != Some(size) {
            let diameter = 2.0 * largest * libm::exp2(-f64::from(size));
            sizes.push(Size::new(diameter, around));
        }
        for size in &sizes {
            for near in neighbours::<D>(size.cell(grain.position), &size.layout) {
                for &other in size.cells.get(&near).map_or(&[][..], Vec::as_slice) {
                    let other = other as usize;
                    pair(filled, other.min(k), other.max(k), around)?;
                }
            }
        }
        if let Some(size) = sizes.last_mut() {
            let cell = size.cell(grain.position);
            size.cells.entry(cell).or_default().push(k as u32);
        }
    }
    Ok(())
}

/// Returns a cell and its neighbours, wrapped along periodic axes, each once.
fn neighbours<D: Dimension>(cell: [i64; 3], layout: &[(f64, f64, i64)]) -> Vec<[i64; 3]> {
    let mut list = vec![cell];
    for axis in 0..D::N {
        let wrap = layout[axis].2;
        list = list
            .iter()
            .flat_map(|base| {
                [-1, 0, 1].map(|shift| {
                    let mut key = *base;
                    key[axis] = i64::saturating_add(key[axis], shift);
                    if wrap > 0 {
                        key[axis] = key[axis].rem_euclid(wrap);
                    }
                    key
                })
            })
            .collect();
    }
    list.sort_unstable();
    list.dedup();
    list
}

/// Returns the disks or spheres of a grain with a form; none for a plain disk or sphere.
fn balls<D: Dimension>(grain: &Grain<D>, around: &Surroundings<'_, D>) -> Option<Vec<Ball<D>>> {
    let form = &around.forms[usize::from(grain.form?)];
    Some(form.balls(grain.position, grain.rotation, grain.radius))
}

/// Returns the depth of overlap of two grains, over all their parts, m.
fn depth<D: Dimension>(of: &Grain<D>, other: &Grain<D>, around: &Surroundings<'_, D>) -> f64 {
    let whole = |grain: &Grain<D>| {
        vec![Ball {
            centre: grain.position,
            radius: grain.radius,
        }]
    };
    let depth = |ball: &Ball<D>| {
        let there = match other.form {
            Some(form) => around.forms[usize::from(form)].depth(
                other.position,
                other.rotation,
                other.radius,
                ball.centre,
            ),
            None => other.radius - (ball.centre - other.position).norm(),
        };
        ball.radius + there
    };
    let balls = balls(of, around).unwrap_or_else(|| whole(of));
    balls.iter().map(depth).fold(f64::NEG_INFINITY, f64::max)
}

fn pair<D: Dimension>(
    filled: &Filled<D>,
    a: usize,
    b: usize,
    around: &Surroundings<'_, D>,
) -> Result<(), Problem> {
    let (first, second) = (&filled.grains[a], &filled.grains[b]);
    let arm = nearest::<D>(around.periodic, second.position - first.position);
    let mut overlap = first.radius + second.radius - arm.norm();
    let allowed = around.overlap * first.radius.min(second.radius);
    if overlap > allowed && (first.form.is_some() || second.form.is_some()) {
        // Places both next to each other, also across a border.
        let moved = Grain {
            position: first.position + arm,
            ..*second
        };
        overlap = depth(first, &moved, around).max(depth(&moved, first, around));
    }
    if overlap <= allowed {
        return Ok(());
    }
    let (place, name) = filled.origin(b);
    let (_, other) = filled.origin(a);
    Err(Problem::at(
        &place,
        format!(
            "{name} at {} and {other} at {} overlap by {overlap:.3e} m; at most {allowed:.3e} m is allowed",
            point(&second.position),
            point(&first.position)
        ),
    )
    .help(format!(
        "`run.start_overlap` is {}: the greatest overlap at the start over the smaller radius",
        around.overlap
    )))
}
