//! Initial gaps for grains that touch at the start, where contacts that last collide without loss.
//!
//! Hard grains that touch on all sides would collide infinitely often. The gap is the path, within the contact time, at the speed with
//! which a resting grain leaves a wall: about the overlap of a contact that lasts so long. All positions are spread by that much about a
//! point from which no wall is in the way; a bed then sinks into the positions that were given. Where walls hold grains from all sides,
//! or the box is periodic, radii are reduced instead, so that grains can overlap by this much.

use crate::collide::engine::Limits;
use crate::geometry::{Dimension, Vector};
use crate::system::Setup;
use crate::walls::Wall;

/// Method that separates grains that touch at the start.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Apart<D: Dimension> {
    /// No separation is needed.
    No,
    /// Positions are farther from this point, by this share.
    Spread(D::Vector, f64),
    /// Radii are smaller, m.
    Smaller(f64),
}

impl<D: Dimension> Apart<D> {
    /// Chooses the method for a setup.
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
        // Spreading separates two touching grains by the sum of their radii over the least one, times the room: twice the room at least.
        let walls = setup.boundaries.iter();
        let walls: Result<Vec<Wall<D>>, _> = walls.map(|wall| Wall::new(wall, &[])).collect();
        // An invalid wall is reported when it is built for the run.
        let Ok(walls) = walls else {
            return Apart::Smaller(room);
        };
        let ways = middles(setup).map(|from| Apart::Spread(from, room / least));
        ways.into_iter()
            .find(|way| way.is_clear(setup, &walls))
            .unwrap_or(Apart::Smaller(room))
    }

    /// Returns the position at which a grain starts.
    pub fn place(&self, x: D::Vector) -> D::Vector {
        match *self {
            Apart::Spread(from, share) => x + (x - from) * share,
            Apart::No | Apart::Smaller(_) => x,
        }
    }

    /// Returns the reduction of the radii, m.
    pub fn smaller(&self) -> f64 {
        match *self {
            Apart::Smaller(room) => room,
            Apart::No | Apart::Spread(..) => 0.0,
        }
    }

    /// Returns whether no grain comes to overlap with a wall.
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

/// Returns whether any two grains are nearer to each other than the room.
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

/// Returns points from which positions may be spread: the ends and the middle, along each axis, of the box around all grains; first
/// the end to which gravity points, or the middle of an axis across gravity.
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
