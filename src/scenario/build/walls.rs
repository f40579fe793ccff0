//! Builds boundaries: shapes, paths, gates.

use std::path::Path;

use super::at::At;
use super::check::Check;
use crate::geometry::{Dimension, Vector};
use crate::scenario::path::Place;
use crate::scenario::problem::Problem;
use crate::scenario::spec::{BoundarySpec, MotionSpec, SpinSpec};
use crate::walls::{Boundary, Motion, MotionPiece};

/// Limit on the number of walls, which the records can number.
const MAX_BOUNDARIES: usize = 1 << 15;

/// Builds the walls of a scenario; fills in missing names.
pub(super) fn boundaries<D: Dimension>(
    check: Check<'_>,
    specs: &mut [BoundarySpec],
    material: impl Fn(&str) -> u16,
    folder: Option<&Path>,
) -> Result<Vec<Boundary<D>>, Problem> {
    let list = Place::of("boundary");
    if specs.len() > MAX_BOUNDARIES {
        return Err(Problem::at(
            &list,
            format!(
                "{} walls are more than the {MAX_BOUNDARIES} allowed",
                specs.len()
            ),
        ));
    }
    let mut walls: Vec<Boundary<D>> = Vec::new();
    for (k, spec) in specs.iter_mut().enumerate() {
        let at = list.index(k);
        let shape = spec.shape::<D, _>(&At {
            check,
            place: at.clone(),
            folder,
        })?;
        let name = spec.name.get_or_insert(format!("wall-{}", k + 1)).clone();
        if let Some(other) = walls.iter().position(|wall| wall.name == name) {
            return Err(Problem::at(
                &at.key("name"),
                format!("`boundary[{k}]` and `boundary[{other}]` have the same name, `{name}`"),
            ));
        }
        if name.is_empty() {
            return Err(check.wrong(&at.key("name"), "\"\"", "a text with something in it"));
        }
        if let Some(time) = spec.opens_at {
            check.finite(&at.key("opens_at"), time)?;
        }
        let motion = match &spec.motion {
            Some(motion) => path::<D>(check, &at.key("motion"), motion)?,
            None => Motion::Fixed,
        };
        walls.push(Boundary {
            name,
            material: material(&spec.material),
            shape,
            motion,
            opens_at: spec.opens_at,
            passes_below_radius: match spec.passes_below_radius {
                Some(radius) => check.positive(&at.key("passes_below_radius"), radius)?,
                None => 0.0,
            },
            belt: check.vector_or_zero::<D>(&at.key("belt"), spec.belt.as_deref())?,
        });
    }
    super::guided::pair_planes(check, specs, &mut walls)?;
    Ok(walls)
}

/// Reads an angular velocity: one number in the plane, three in space.
pub(super) fn spin<D: Dimension>(
    check: Check<'_>,
    place: &Place,
    spec: &SpinSpec,
) -> Result<D::Spin, Problem> {
    if spec.0.len() != D::SPINS {
        let must = if D::SPINS == 1 {
            "one number, rad/s"
        } else {
            "a list of three numbers, rad/s"
        };
        return Err(check.wrong(place, &format!("a list of {}", spec.0.len()), must));
    }
    for value in &spec.0 {
        check.finite(place, *value)?;
    }
    Ok(D::spin_from_fn(|k| spec.0[k]))
}

fn path<D: Dimension>(
    check: Check<'_>,
    at: &Place,
    spec: &MotionSpec,
) -> Result<Motion<D>, Problem> {
    Ok(match spec {
        MotionSpec::Velocity(velocity) => {
            Motion::Velocity(check.vector::<D>(&at.key("velocity"), velocity)?)
        }
        MotionSpec::Rotation { centre, spin: turn } => {
            let here = at.key("rotation");
            Motion::Rotation {
                centre: check.vector::<D>(&here.key("centre"), centre)?,
                spin: spin::<D>(check, &here.key("spin"), turn)?,
            }
        }
        MotionSpec::Harmonic {
            amplitude,
            frequency,
            phase,
        } => {
            let here = at.key("harmonic");
            Motion::Harmonic {
                amplitude: check.vector::<D>(&here.key("amplitude"), amplitude)?,
                frequency: check.positive(&here.key("frequency"), *frequency)?,
                phase: check.finite(&here.key("phase"), *phase)?,
            }
        }
        MotionSpec::Parabolic {
            amplitude,
            frequency,
        } => {
            let here = at.key("parabolic");
            Motion::Parabolic {
                amplitude: check.vector::<D>(&here.key("amplitude"), amplitude)?,
                frequency: check.positive(&here.key("frequency"), *frequency)?,
            }
        }
        MotionSpec::Table(rows) => table::<D>(check, &at.key("table"), rows)?,
        MotionSpec::Guided(guided) => super::guided::motion::<D>(check, &at.key("guided"), guided)?,
        MotionSpec::Pieces(pieces) => {
            let list = at.key("pieces");
            let mut path: Vec<MotionPiece<D>> = Vec::new();
            for (k, piece) in pieces.iter().enumerate() {
                let here = list.index(k);
                // Nothing moves before time 0, while grains settle.
                let from = check.non_negative(&here.key("from"), piece.from)?;
                if path.last().is_some_and(|before| from <= before.from) {
                    return Err(check.wrong(
                        &here.key("from"),
                        &from.to_string(),
                        "later than the piece before it",
                    ));
                }
                path.push(MotionPiece {
                    from,
                    velocity: check
                        .vector_or_zero::<D>(&here.key("velocity"), piece.velocity.as_deref())?,
                    acceleration: check.vector_or_zero::<D>(
                        &here.key("acceleration"),
                        piece.acceleration.as_deref(),
                    )?,
                });
            }
            Motion::Pieces(path)
        }
    })
}

/// Reads a path from the rows of a table.
fn table<D: Dimension>(
    check: Check<'_>,
    at: &Place,
    rows: &[Vec<f64>],
) -> Result<Motion<D>, Problem> {
    if rows.len() < 2 {
        let has = format!("a list of {}", rows.len());
        return Err(check.wrong(at, &has, "a list of at least 2 rows"));
    }
    let mut corners: Vec<(f64, D::Vector)> = Vec::new();
    for (k, row) in rows.iter().enumerate() {
        let here = at.index(k);
        let Some((&time, place)) = row.split_first().filter(|_| row.len() == D::N + 1) else {
            let must = format!("a time and a displacement of {} numbers", D::N);
            return Err(check.wrong(&here, &format!("a list of {}", row.len()), &must));
        };
        check.finite(&here.index(0), time)?;
        for (axis, value) in place.iter().enumerate() {
            check.finite(&here.index(axis + 1), *value)?;
        }
        if corners.last().is_some_and(|before| time <= before.0) {
            return Err(check.wrong(
                &here.index(0),
                &time.to_string(),
                "later than the row before",
            ));
        }
        corners.push((time, D::Vector::from_fn(|axis| place[axis])));
    }
    if corners[0].1 != D::Vector::default() {
        return Err(check.wrong(
            &at.index(0),
            "a displacement from the start",
            "a time and zeros: displacements count from where the wall is set up",
        ));
    }
    let rest = MotionPiece {
        from: corners[corners.len() - 1].0,
        velocity: D::Vector::default(),
        acceleration: D::Vector::default(),
    };
    let piece = |pair: &[(f64, D::Vector)]| MotionPiece {
        from: pair[0].0,
        velocity: (pair[1].1 - pair[0].1) * (1.0 / (pair[1].0 - pair[0].0)),
        ..rest
    };
    let pieces = corners.windows(2).map(piece).chain([rest]);
    Ok(Motion::Pieces(pieces.collect()))
}
