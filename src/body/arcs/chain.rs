//! Checks that arcs form the boundary of a grain.

use std::collections::BTreeSet;
use std::f64::consts::{PI, TAU};

use nalgebra::Vector2;

use super::{Arc, ArcsError};

/// Tolerance for gaps, relative to the grain's size, and for corners, rad: that of numbers written with seven digits.
const JOINT: f64 = 1e-6;
/// Greatest ratio of a radius to the grain's size; its inverse is the least.
const PROPORTION: f64 = 1e6;

/// Checks a chain.
pub(super) fn check(arcs: &[Arc]) -> Result<(), ArcsError> {
    if arcs.is_empty() {
        return Err(ArcsError::Empty);
    }
    let mut names = BTreeSet::new();
    for arc in arcs {
        let numbers = [arc.centre.x, arc.centre.y, arc.radius, arc.from, arc.to];
        let sweep = (arc.to - arc.from).abs();
        let sound = numbers.iter().all(|n| n.is_finite()) && arc.radius > 0.0;
        if !sound || sweep == 0.0 || sweep > TAU * (1.0 + 1e-12) {
            return Err(ArcsError::Numbers(arc.name.clone()));
        }
        if !names.insert(&arc.name) {
            return Err(ArcsError::Name(arc.name.clone()));
        }
    }
    let size = size(arcs);
    for arc in arcs {
        let ratio = arc.radius / size;
        if !(1.0 / PROPORTION..=PROPORTION).contains(&ratio) {
            return Err(ArcsError::Radius {
                name: arc.name.clone(),
                radius: arc.radius,
                ratio,
            });
        }
    }
    check_joints(arcs, size)?;
    check_turns(arcs)?;
    // A chain that turns once, and everywhere to the left, is convex and cannot cross itself.
    if arcs.iter().any(Arc::is_hollow) {
        check_crossings(arcs, size)?;
    }
    Ok(())
}

/// Returns the greatest distance of the ends and middles of the arcs from the first end.
fn size(arcs: &[Arc]) -> f64 {
    let start = arcs[0].point(arcs[0].from);
    let marks = arcs
        .iter()
        .flat_map(|a| [a.from, 0.5 * (a.from + a.to), a.to].map(|angle| a.point(angle)));
    marks.map(|p| (p - start).norm()).fold(0.0, f64::max)
}

fn check_joints(arcs: &[Arc], size: f64) -> Result<(), ArcsError> {
    for (i, arc) in arcs.iter().enumerate() {
        let next = &arcs[(i + 1) % arcs.len()];
        let gap = (arc.point(arc.to) - next.point(next.from)).norm();
        if gap > JOINT * size {
            return Err(ArcsError::Gap {
                name: arc.name.clone(),
                next: next.name.clone(),
                gap,
                share: gap / size,
            });
        }
        let angle = wrapped(outward(next, next.from) - outward(arc, arc.to));
        if angle.abs() > JOINT {
            return Err(ArcsError::Corner {
                name: arc.name.clone(),
                next: next.name.clone(),
                angle: angle.abs(),
            });
        }
    }
    Ok(())
}

/// Returns the angle of the outward normal at an angle of the arc.
fn outward(arc: &Arc, angle: f64) -> f64 {
    if arc.is_hollow() { angle + PI } else { angle }
}

/// Wraps an angle to minus to plus half a turn.
fn wrapped(angle: f64) -> f64 {
    angle - (angle / TAU).round() * TAU
}

/// Checks that the chain turns by one whole turn, as a simple closed curve does.
fn check_turns(arcs: &[Arc]) -> Result<(), ArcsError> {
    let turns = arcs.iter().map(|a| a.to - a.from).sum::<f64>() / TAU;
    if (turns - 1.0).abs() < 0.1 {
        Ok(())
    } else if (turns + 1.0).abs() < 0.1 {
        Err(ArcsError::Clockwise)
    } else {
        Err(ArcsError::Turns(turns))
    }
}

/// Checks that neighbours touch only where they join, as tangent circles do, and that no other arcs meet.
fn check_crossings(arcs: &[Arc], size: f64) -> Result<(), ArcsError> {
    for (i, a) in arcs.iter().enumerate() {
        for (j, b) in arcs.iter().enumerate().skip(i + 2) {
            if i == 0 && j == arcs.len() - 1 {
                continue;
            }
            let arm = b.centre - a.centre;
            let d = arm.norm();
            let meet = |p: Vector2<f64>| {
                let on = |arc: &Arc| {
                    let out = p - arc.centre;
                    arc.passes(libm::atan2(out.y, out.x))
                };
                on(a) && on(b)
            };
            let points = if d > JOINT * size {
                common(a, b, arm, d).to_vec()
            } else if (a.radius - b.radius).abs() <= JOINT * size {
                // Parts of one circle: they overlap at the start or end of one of them.
                [a.from, a.to]
                    .map(|angle| a.point(angle))
                    .into_iter()
                    .collect()
            } else {
                Vec::new()
            };
            if let Some(p) = points.into_iter().find(|&p| meet(p)) {
                let place = [p.x, p.y];
                return Err(ArcsError::Crossing(a.name.clone(), b.name.clone(), place));
            }
        }
    }
    Ok(())
}

/// Returns the points common to two circles; if they only just miss each other, the nearest point.
fn common(a: &Arc, b: &Arc, arm: Vector2<f64>, d: f64) -> [Vector2<f64>; 2] {
    let along = 0.5 * (d + (a.radius - b.radius) * (a.radius + b.radius) / d);
    let square = (a.radius - along) * (a.radius + along);
    if square < 0.0 {
        // No common point: NaN lies on no arc.
        return [Vector2::repeat(f64::NAN); 2];
    }
    let (u, height) = (arm / d, square.sqrt());
    let v = Vector2::new(-u.y, u.x);
    [1.0, -1.0].map(|side| a.centre + u * along + v * (side * height))
}
