//! Boundaries: sugar to shapes, paths, gates.

use std::path::Path;

use super::check::Check;
use super::meshes::mesh;
use super::rough::grains;
use crate::body::{Boundary, Motion, MotionPiece, Shape, Vessel};
use crate::geometry::{Dimension, Vector};
use crate::scenario::path::Place;
use crate::scenario::problem::Problem;
use crate::scenario::spec::{BoundarySpec, MotionSpec, Side, SpinSpec};

/// More walls than can be numbered in the records are refused.
const MAX_BOUNDARIES: usize = 1 << 15;

/// The walls of a scenario; names of walls are filled in.
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
        let shape = shape::<D>(check, &at, spec, folder)?;
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
            passes: match spec.passes {
                Some(radius) => check.positive(&at.key("passes"), radius)?,
                None => 0.0,
            },
            belt: check.vector_or_zero::<D>(&at.key("belt"), spec.belt.as_deref())?,
        });
    }
    super::guided::pair_planes(check, specs, &mut walls)?;
    Ok(walls)
}

fn shape<D: Dimension>(
    check: Check<'_>,
    at: &Place,
    spec: &mut BoundarySpec,
    folder: Option<&Path>,
) -> Result<Shape<D>, Problem> {
    let kind = check.one_of(
        at,
        "what shape it has",
        &[
            ("plane", spec.plane.is_some()),
            ("segment", spec.segment.is_some()),
            ("polyline", spec.polyline.is_some()),
            ("arc", spec.arc.is_some()),
            ("box", spec.cuboid.is_some()),
            ("circle", spec.circle.is_some()),
            ("sphere", spec.sphere.is_some()),
            ("cylinder", spec.cylinder.is_some()),
            ("cone", spec.cone.is_some()),
            ("revolved", spec.revolved.is_some()),
            ("vessel", spec.vessel.is_some()),
            ("mesh", spec.mesh.is_some()),
            ("rough", spec.rough.is_some()),
        ],
    )?;
    let here = at.key(kind);
    let dimensions = match kind {
        "segment" | "polyline" | "arc" | "circle" => 2,
        "sphere" | "cylinder" | "cone" | "revolved" | "vessel" | "mesh" => 3,
        _ => D::N,
    };
    if dimensions != D::N {
        let instead = match kind {
            "circle" => "use `sphere`",
            "sphere" => "use `circle`",
            "segment" | "polyline" | "arc" => {
                "use `plane`, `box`, `cylinder`, `cone`, `revolved`, `mesh` or `rough`"
            }
            _ => "use `plane`, `segment`, `polyline`, `arc`, `box`, `circle` or `rough`",
        };
        return Err(Problem::at_key(
            &here,
            format!(
                "`{here}` is a shape of {dimensions} dimensions, but this scenario has {}",
                D::N
            ),
        )
        .help(instead));
    }
    if let Some(spec) = &mut spec.mesh {
        return mesh::<D>(check, &here, spec, folder).map(Shape::Mesh);
    }
    if let Some(spec) = &mut spec.rough {
        return grains::<D>(check, &here, spec, folder).map(Shape::Grains);
    }
    let vector = |key: &str, values: &[f64]| check.vector::<D>(&here.key(key), values);
    if let Some(plane) = &spec.plane {
        return Ok(Shape::Plane {
            point: vector("point", &plane.point)?,
            normal: check.direction::<D>(&here.key("normal"), &plane.normal)?,
        });
    }
    if let Some(segment) = &spec.segment {
        let points = vec![vector("from", &segment.from)?, vector("to", &segment.to)?];
        distinct::<D>(&here.key("to"), points[0], points[1])?;
        return Ok(Shape::Polyline {
            points,
            closed: false,
        });
    }
    if let Some(line) = &spec.polyline {
        let list = here.key("points");
        let least = if line.closed { 3 } else { 2 };
        if line.points.len() < least {
            let count = line.points.len();
            return Err(check.wrong(
                &list,
                &format!("a list of {count}"),
                &format!("a list of at least {least} corners"),
            ));
        }
        let mut points: Vec<D::Vector> = Vec::new();
        for (k, point) in line.points.iter().enumerate() {
            let point = check.vector::<D>(&list.index(k), point)?;
            if let Some(before) = points.last() {
                distinct::<D>(&list.index(k), *before, point)?;
            }
            points.push(point);
        }
        if line.closed {
            distinct::<D>(
                &list.index(points.len() - 1),
                points[points.len() - 1],
                points[0],
            )?;
        }
        return Ok(Shape::Polyline {
            points,
            closed: line.closed,
        });
    }
    if let Some(arc) = &spec.arc {
        let [from, to] = [("from", arc.from), ("to", arc.to)];
        let from = check.finite(&here.key(from.0), from.1)?;
        let to = check.finite(&here.key(to.0), to.1)?;
        if !(to > from && to - from < std::f64::consts::TAU) {
            let must = format!("over `from`, {from}, by less than a turn");
            return Err(check.wrong(&here.key("to"), &to.to_string(), &must));
        }
        return Ok(Shape::Arc {
            centre: vector("centre", &arc.centre)?,
            radius: check.positive(&here.key("radius"), arc.radius)?,
            angles: [from, to],
        });
    }
    if let Some(cuboid) = &spec.cuboid {
        let (min, max) = check.corners::<D>(&here, &cuboid.min, &cuboid.max)?;
        return Ok(Shape::Box {
            min,
            max,
            inside: cuboid.grains == Side::Inside,
        });
    }
    if let Some(ball) = spec.circle.as_ref().or(spec.sphere.as_ref()) {
        return Ok(Shape::Ball {
            centre: vector("centre", &ball.centre)?,
            radius: check.positive(&here.key("radius"), ball.radius)?,
            inside: ball.grains == Side::Inside,
        });
    }
    if let Some(tube) = &spec.cylinder {
        let radius = check.positive(&here.key("radius"), tube.radius)?;
        let (origin, axis) = between::<D>(check, &here, &tube.from, &tube.to)?;
        return Ok(Shape::Revolved {
            origin,
            axis,
            profile: vec![[radius, 0.0], [radius, axis.norm()]],
        });
    }
    if let Some(vessel) = &spec.vessel {
        let radius = check.positive(&here.key("radius"), vessel.radius)?;
        let (origin, axis) = between::<D>(check, &here, &vessel.from, &vessel.to)?;
        let Some(lid) = vessel.lid_radius else {
            let height = axis.norm();
            return Ok(Shape::Revolved {
                origin,
                axis,
                profile: vec![[0.0, 0.0], [radius, 0.0], [radius, height], [0.0, height]],
            });
        };
        let at = here.key("lid_radius");
        if check.positive(&at, lid)? < radius {
            return Err(check.wrong(
                &at,
                &lid.to_string(),
                &format!("at least the vessel's radius, {radius}"),
            ));
        }
        return Ok(Shape::Vessel(Vessel {
            from: origin,
            to: origin + axis,
            radius,
            lid_radius: lid,
        }));
    }
    if let Some(cone) = &spec.cone {
        let from = check.non_negative(&here.key("from_radius"), cone.from_radius)?;
        let to = check.non_negative(&here.key("to_radius"), cone.to_radius)?;
        if from == 0.0 && to == 0.0 {
            return Err(check.wrong(&here.key("to_radius"), "0", "greater than 0 at one end"));
        }
        let (origin, axis) = between::<D>(check, &here, &cone.from, &cone.to)?;
        return Ok(Shape::Revolved {
            origin,
            axis,
            profile: vec![[from, 0.0], [to, axis.norm()]],
        });
    }
    if let Some(surface) = &spec.revolved {
        let list = here.key("profile");
        if surface.profile.len() < 2 {
            let count = surface.profile.len();
            return Err(check.wrong(
                &list,
                &format!("a list of {count}"),
                "a list of at least 2 corners",
            ));
        }
        for (k, corner) in surface.profile.iter().enumerate() {
            check.non_negative(&list.index(k).index(0), corner[0])?;
            check.finite(&list.index(k).index(1), corner[1])?;
            if k > 0 && surface.profile[k - 1] == *corner {
                return Err(Problem::at(
                    &list.index(k),
                    format!("`{}` repeats the corner before it", list.index(k)),
                ));
            }
        }
        return Ok(Shape::Revolved {
            origin: vector("origin", &surface.origin)?,
            axis: check.direction::<D>(&here.key("axis"), &surface.axis)?,
            profile: surface.profile.clone(),
        });
    }
    Err(Problem::at(at, format!("`{at}` has no shape")))
}

fn distinct<D: Dimension>(place: &Place, a: D::Vector, b: D::Vector) -> Result<(), Problem> {
    if a == b {
        return Err(Problem::at(
            place,
            format!("`{place}` is the same point as the one before it"),
        ));
    }
    Ok(())
}

fn between<D: Dimension>(
    check: Check<'_>,
    here: &Place,
    from: &[f64],
    to: &[f64],
) -> Result<(D::Vector, D::Vector), Problem> {
    let from = check.vector::<D>(&here.key("from"), from)?;
    let to = check.vector::<D>(&here.key("to"), to)?;
    distinct::<D>(&here.key("to"), from, to)?;
    Ok((from, to - from))
}

/// A spin: one number in the plane, three in space.
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
                // Before time 0 nothing moves: grains settle.
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

/// A path through the rows of a table.
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
            "a way from the start",
            "a time and zeros: ways count from where the wall is set up",
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
