//! Walls guided by forces.

use super::check::Check;
use crate::geometry::{Dimension, Vector};
use crate::scenario::path::Place;
use crate::scenario::problem::Problem;
use crate::scenario::spec::{BoundarySpec, GuidedSpec, MotionSpec};
use crate::spelling::nearest;
use crate::walls::{Boundary, Drive, Guided, GuidedState, LoadedArea, Motion, placed};

/// Tolerance for opposite planes to count as parallel.
const PARALLEL: f64 = 1e-9;

/// Builds a wall's guide; if its area lies between planes, `pair_planes` finds them.
pub(super) fn motion<D: Dimension>(
    check: Check<'_>,
    at: &Place,
    spec: &GuidedSpec,
) -> Result<Motion<D>, Problem> {
    let along = check.direction::<D>(&at.key("along"), &spec.along)?;
    let driven = [
        ("force", spec.force.is_some()),
        ("pressure", spec.pressure.is_some()),
    ];
    let drive = match check.one_of(at, "what drives it", &driven)? {
        "force" => {
            for (key, given) in [
                ("area", spec.area.is_some()),
                ("between", !spec.between.is_empty()),
            ] {
                if given {
                    let text =
                        format!("`{}` is for a pressure, but a force drives it", at.key(key));
                    return Err(Problem::at_key(&at.key(key), text));
                }
            }
            Drive::Force(check.finite(&at.key("force"), spec.force.unwrap_or_default())?)
        }
        _ => {
            let needs = if D::N == 2 { 1 } else { 2 };
            if spec.area.is_none() && spec.between.len() != needs {
                let text = format!(
                    "`{at}` has a pressure, but no area on which it acts; it needs `area` or `between`, with {}",
                    if D::N == 2 {
                        "a pair of planes"
                    } else {
                        "two pairs of planes"
                    }
                );
                return Err(Problem::at_key(&at.key("pressure"), text));
            }
            if spec.between.len() > needs {
                let must = format!("a list of up to {needs}");
                let has = format!("a list of {}", spec.between.len());
                return Err(check.wrong(&at.key("between"), &has, &must));
            }
            Drive::Pressure {
                pressure: check.finite(&at.key("pressure"), spec.pressure.unwrap_or_default())?,
                area: LoadedArea {
                    depth: match spec.area {
                        Some(area) => check.positive(&at.key("area"), area)?,
                        None => 1.0,
                    },
                    between: Vec::new(),
                },
            }
        }
    };
    let stops = match spec.stops {
        Some([least, most]) => {
            let list = at.key("stops");
            let least = check.finite(&list.index(0), least)?;
            let most = check.finite(&list.index(1), most)?;
            if least > 0.0 || most < 0.0 || least == most {
                return Err(check.wrong(
                    &list,
                    &format!("[{least}, {most}]"),
                    "from 0 or less to 0 or more: the wall is set up between its stops",
                ));
            }
            Some([least, most])
        }
        None => None,
    };
    Ok(Motion::Guided(Box::new(Guided {
        along: along * (1.0 / along.norm()),
        mass: check.positive(&at.key("mass"), spec.mass)?,
        drive,
        damping: check.non_negative(&at.key("damping"), spec.damping)?,
        weight: spec.weight,
        from: check.finite(&at.key("from"), spec.from)?,
        speed: check.finite(&at.key("speed"), spec.speed)?,
        then: then(check, at, spec)?,
        stops,
        now: GuidedState::default(),
    })))
}

/// Returns when a wall stops following forces, and its speed from then on.
fn then(check: Check<'_>, at: &Place, spec: &GuidedSpec) -> Result<Option<[f64; 2]>, Problem> {
    let Some(until) = spec.until else {
        if spec.then_speed.is_some() {
            let place = at.key("then_speed");
            let text = format!("`{place}` needs `until`: when it begins");
            return Err(Problem::at_key(&place, text));
        }
        return Ok(None);
    };
    let until = check.finite(&at.key("until"), until)?;
    if until < spec.from {
        let must = format!("not before it is let go, at {} s", spec.from);
        return Err(check.wrong(&at.key("until"), &until.to_string(), &must));
    }
    let speed = spec.then_speed.unwrap_or_default();
    Ok(Some([until, check.finite(&at.key("then_speed"), speed)?]))
}

/// Finds the planes between which pressures act.
pub(super) fn pair_planes<D: Dimension>(
    check: Check<'_>,
    specs: &[BoundarySpec],
    walls: &mut [Boundary<D>],
) -> Result<(), Problem> {
    for index in 0..walls.len() {
        let Some(MotionSpec::Guided(spec)) = &specs[index].motion else {
            continue;
        };
        let at = Place::of("boundary").index(index);
        let list = at.key("motion").key("guided").key("between");
        let mut pairs = Vec::new();
        for (k, pair) in spec.between.iter().enumerate() {
            let here = list.index(k);
            let mut found = [0; 2];
            let mut planes = Vec::new();
            for side in 0..2 {
                let name = &pair[side];
                let place = here.index(side);
                let wall = walls.iter().position(|wall| wall.name == *name);
                let plane = wall.and_then(|w| placed(&walls[w], 0.0));
                let (Some(wall), Some(plane)) = (wall, plane) else {
                    let must = "the name of a boundary that is a plane";
                    let problem = check.wrong(&place, name, must);
                    let known = walls.iter().map(|wall| wall.name.as_str());
                    return Err(match nearest(name, known) {
                        Some(near) if near != name => {
                            problem.help(format!("did you mean `{near}`?"))
                        }
                        _ => problem,
                    });
                };
                found[side] = wall as u16;
                planes.push(plane);
            }
            let [(a, normal), (b, other)] = [planes[0], planes[1]];
            let apart = (b - a).dot(&normal);
            if (normal + other).norm() > PARALLEL || apart <= 0.0 {
                let text = format!(
                    "`{}` and `{}` do not face each other: their normals must point at each other",
                    pair[0], pair[1]
                );
                return Err(Problem::at(&here, text));
            }
            pairs.push(found);
        }
        if let Motion::Guided(guided) = &mut walls[index].motion
            && let Drive::Pressure { area, .. } = &mut guided.drive
        {
            area.between = pairs;
        }
    }
    Ok(())
}
