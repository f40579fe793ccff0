//! Positions that grains may have, for the step that fields of a place require.

use super::{Component, Setup};
use crate::cluster::dimension::ClusterDimension;
use crate::field::{Fastest, Flow, Reach};
use crate::geometry::Vector;

/// Returns the greatest distance from a place at which grains are at the start, come in, or are kept by walls, m.
fn far<D: ClusterDimension>(setup: &Setup<D>, from: D::Vector) -> f64 {
    let grains = setup.grains.iter().map(|grain| grain.position);
    let feeds = setup
        .sources
        .feeds
        .iter()
        .flat_map(|feed| [feed.min, feed.max]);
    let walls = setup.boundaries.iter();
    let walls = walls.filter_map(|wall| wall.shape.extent());
    let boxes = walls.chain(setup.sources.feeds.iter().map(|feed| (feed.min, feed.max)));
    // The farthest corner of each box.
    let corners = boxes.map(|(low, high)| {
        D::Vector::from_fn(|k| {
            let (a, b) = (low[k] - from[k], high[k] - from[k]);
            a.abs().max(b.abs())
        })
        .norm()
    });
    let places = grains.chain(feeds).map(|x| (x - from).norm());
    places.chain(corners).fold(0.0, f64::max)
}

/// Returns the least distance from a place at which grains begin, m.
fn near<D: ClusterDimension>(setup: &Setup<D>, from: D::Vector) -> f64 {
    let grains = setup
        .grains
        .iter()
        .map(|grain| (grain.position - from).norm());
    let feeds = setup.sources.feeds.iter().map(|feed| {
        let nearest = D::Vector::from_fn(|k| from[k].clamp(feed.min[k], feed.max[k]) - from[k]);
        nearest.norm()
    });
    grains.chain(feeds).fold(f64::INFINITY, f64::min)
}

/// Calls a function with the distances at which grains may be.
fn reach<D: ClusterDimension, T>(setup: &Setup<D>, told: impl FnOnce(&Reach<'_, D>) -> T) -> T {
    told(&Reach {
        near: &|x| near(setup, x),
        far: &|x| far(setup, x),
    })
}

/// Returns the speed that fields may add, m/s.
pub(super) fn speed<D: ClusterDimension>(setup: &Setup<D>) -> f64 {
    reach(setup, |reach| {
        setup.fields.place.speed(reach, &setup.fields.long_range)
    })
}

/// Returns the motions in fields that a step must resolve.
pub(super) fn fastest<D: ClusterDimension>(setup: &Setup<D>) -> Vec<Fastest> {
    reach(setup, |reach| setup.fields.place.fastest(reach))
}

/// Returns the fastest damping by a fluid, 1/s, of grains given by material as mass and radius, at a relative speed; for a stream
/// with the damping of the stream by all grains, those to be fed included.
pub(super) fn damping<D: ClusterDimension>(
    setup: &Setup<D>,
    lightest: &[Option<(f64, f64)>],
    speed: f64,
) -> f64 {
    let rate = |material: usize, mass: f64, radius: f64| {
        let density = setup.fields.place.densities.get(material);
        let volume = density.map_or(D::ball_measure(radius), |density| mass / density);
        setup.fields.place.damping(mass, volume, speed)
    };
    let of = |(material, entry): (usize, &Option<(f64, f64)>)| {
        let (mass, radius) = (*entry)?;
        Some(rate(material, mass, radius))
    };
    let fastest = lightest.iter().enumerate().filter_map(of);
    let fastest = fastest.fold(0.0, f64::max);
    let Some(Flow::Stream(stream)) = setup.fields.place.fluid.as_ref().map(|fluid| &fluid.flow)
    else {
        return fastest;
    };
    let grains = setup.grains.iter();
    let all = grains.map(|g| g.mass * rate(usize::from(g.material), g.mass, g.radius));
    let fed = setup.sources.feeds.iter().map(|feed| {
        let count = feed.due(&setup.matter.forms, setup.run.end_time).count;
        let of = |sort: &Component| {
            let mass = sort.mean_mass(&setup.matter.forms);
            mass * rate(usize::from(sort.material), mass, sort.radius.mean())
        };
        count * feed.what.mean_over(of)
    });
    fastest + (all.sum::<f64>() + fed.sum::<f64>()) / stream.mass
}
