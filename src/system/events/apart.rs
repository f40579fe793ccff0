//! Room for grains that touch at the start, where contacts that last collide without loss.
//!
//! Hard grains that touch on all sides would collide infinitely often. They get the way at the speed with which who rests parts from a
//! wall, in the contact time: about what a contact that lasts so long would be pressed in. All places are spread by that much about a
//! point from which no wall is in the way; a bed then sinks into the places that it was given. Where walls hold grains from all sides,
//! or the box is periodic, grains are smaller instead, so that they can go into each other by this much.

use crate::collide::engine::Limits;
use crate::geometry::{Dimension, Vector};
use crate::system::Setup;
use crate::walls::Wall;

/// How grains that touch at the start get room.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Apart<D: Dimension> {
    /// They need none.
    No,
    /// Places are farther from this one, by this share.
    Spread(D::Vector, f64),
    /// Radii are smaller, m.
    Smaller(f64),
}

impl<D: Dimension> Apart<D> {
    /// For a setup.
    pub fn of(setup: &Setup<D>, limits: &Limits) -> Self {
        let room = limits.least_departure(setup.fields.gravity.norm()) * limits.contact_time;
        let radii = setup.grains.iter().map(|g| g.radius);
        let least = radii.fold(f64::INFINITY, f64::min);
        if !limits.collapse_is_elastic
            || room == 0.0
            || room > 1e-3 * least
            || !any_touch(setup, room)
        {
            return Apart::No;
        }
        if setup.space.periodic.iter().any(Option::is_some) {
            return Apart::Smaller(room);
        }
        // Two that touch are as far apart as their radii, over the least one, times the room: twice the room at least.
        let walls = setup.boundaries.iter();
        let walls: Result<Vec<Wall<D>>, _> = walls.map(|wall| Wall::new(wall, &[])).collect();
        // What is no wall is told of when it is to be one.
        let Ok(walls) = walls else {
            return Apart::Smaller(room);
        };
        let ways = middles(setup).map(|from| Apart::Spread(from, room / least));
        ways.into_iter()
            .find(|way| way.is_clear(setup, &walls))
            .unwrap_or(Apart::Smaller(room))
    }

    /// Where a grain at a place starts.
    pub fn place(&self, x: D::Vector) -> D::Vector {
        match *self {
            Apart::Spread(from, share) => x + (x - from) * share,
            Apart::No | Apart::Smaller(_) => x,
        }
    }

    /// By how much its radius is smaller, m.
    pub fn smaller(&self) -> f64 {
        match *self {
            Apart::Smaller(room) => room,
            Apart::No | Apart::Spread(..) => 0.0,
        }
    }

    /// Whether no grain comes so near to a wall that it overlaps with it.
    fn is_clear(&self, setup: &Setup<D>, walls: &[Wall<D>]) -> bool {
        setup.grains.iter().all(|grain| {
            let (before, after) = (grain.position, self.place(grain.position));
            walls.iter().all(|wall| {
                let gap = |x: D::Vector| wall.distance(&wall.pose(0.0), x);
                gap(after) >= grain.radius || gap(after) >= gap(before)
            })
        })
    }
}

/// Whether two grains are nearer to each other than the room.
fn any_touch<D: Dimension>(setup: &Setup<D>, room: f64) -> bool {
    let low = |k: usize| setup.grains[k].position[0] - setup.grains[k].radius;
    let mut order: Vec<usize> = (0..setup.grains.len()).collect();
    order.sort_by(|a, b| low(*a).total_cmp(&low(*b)));
    order.iter().enumerate().any(|(place, &a)| {
        let one = &setup.grains[a];
        let end = one.position[0] + one.radius + room;
        let near = order[place + 1..].iter().take_while(|&&b| low(b) <= end);
        near.into_iter().any(|&b| {
            let other = &setup.grains[b];
            let reach = one.radius + other.radius + room;
            (other.position - one.position).norm_squared() < reach * reach
        })
    })
}

/// From where places may be spread: of the box around all grains the ends and the middle along each axis, those first that gravity
/// points to, and the middle of an axis across it.
fn middles<D: Dimension>(setup: &Setup<D>) -> impl Iterator<Item = D::Vector> {
    let end = |k: usize, sign: f64| {
        let ends = setup
            .grains
            .iter()
            .map(|grain| sign * grain.position[k] + grain.radius);
        sign * ends.fold(f64::NEG_INFINITY, f64::max)
    };
    let along: [[f64; 3]; 3] = std::array::from_fn(|k| {
        if k >= D::N {
            return [0.0; 3];
        }
        let (low, high) = (end(k, -1.0), end(k, 1.0));
        let middle = 0.5 * (low + high);
        match setup.fields.gravity[k] {
            g if g < 0.0 => [low, middle, high],
            g if g > 0.0 => [high, middle, low],
            _ => [middle, low, high],
        }
    });
    (0..3usize.pow(D::N as u32))
        .map(move |pick| D::Vector::from_fn(|k| along[k][pick / 3usize.pow(k as u32) % 3]))
}
