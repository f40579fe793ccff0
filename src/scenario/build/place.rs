//! Fluids, frames that turn, centres that attract, accelerations from tables.

use std::path::Path;

use super::check::Check;
use super::materials::Materials;
use super::walls;
use crate::field::{
    CentralField, DragLaw, Flow, Fluid, Grid, Pipe, PlaceFields, Stream, StreamState, TurningFrame,
};
use crate::geometry::{Dimension, Vector};
use crate::scenario::grid_table;
use crate::scenario::input;
use crate::scenario::path::Place;
use crate::scenario::problem::Problem;
use crate::scenario::spec::{
    CentralSpec, FlowSpec, FluidSpec, GridSpec, PipeSpec, Spec, StreamSpec, TurningSpec,
    ViscousName,
};
use crate::system::{PerturbKind, Setup};

/// Reads the fields; tables from files are taken into the spec. Where there is a fluid or a flow the drag of all
/// grains is its own.
pub(super) fn collect<D: Dimension>(
    check: Check<'_>,
    spec: &mut Spec,
    materials: &Materials,
    folder: Option<&Path>,
) -> Result<PlaceFields<D>, Problem> {
    let field = Place::of("field");
    let drag = spec.field.drag;
    let mut found = PlaceFields::default();
    if let Some(rotation) = &spec.field.rotation {
        let (centre, rate) = turning::<D>(check, &field.key("rotation"), rotation)?;
        found.turning = Some(TurningFrame { centre, rate });
    }
    if let Some(central) = &spec.field.central {
        found.central = Some(centre::<D>(check, &field.key("central"), central)?);
    }
    if let Some(table) = &mut spec.field.table {
        found.table = Some(grid::<D>(check, &field.key("table"), table, 'a', folder)?);
    }
    if spec.field.fluid.is_some() || spec.field.flow.is_some() {
        let mut fluid = match &mut spec.field.fluid {
            Some(fluid) => fluid_of::<D>(check, &field.key("fluid"), fluid)?,
            None => Fluid {
                flow: Flow::Rest,
                drag: DragLaw::default(),
                density: 0.0,
                buoyancy: false,
            },
        };
        fluid.drag.linear = drag;
        if let Some(flow) = &mut spec.field.flow {
            let at = field.key("flow");
            fluid.flow = flow_of::<D>(check, &at, flow, folder)?;
            if fluid.drag.is_none() {
                return Err(Problem::at_key(
                    &at,
                    "no grain feels the flow; give `field.drag`, or a viscosity or another drag in [field.fluid]",
                ));
            }
        }
        found.fluid = Some(fluid);
        let densities = materials.specs.iter().map(|material| material.density);
        found.densities = densities.map(|density| density.unwrap_or(1.0)).collect();
    }
    Ok(found)
}

fn turning<D: Dimension>(
    check: Check<'_>,
    at: &Place,
    spec: &TurningSpec,
) -> Result<(D::Vector, [f64; 3]), Problem> {
    let rate = walls::spin::<D>(check, &at.key("rate"), &spec.rate)?;
    let rate = if D::N == 2 {
        [0.0, 0.0, D::spin_component(rate, 0)]
    } else {
        std::array::from_fn(|k| D::spin_component(rate, k))
    };
    let centre = check.vector_or_zero::<D>(&at.key("centre"), spec.centre.as_deref())?;
    Ok((centre, rate))
}

fn centre<D: Dimension>(
    check: Check<'_>,
    at: &Place,
    spec: &CentralSpec,
) -> Result<CentralField<D>, Problem> {
    let radius = check.non_negative(&at.key("radius"), spec.radius)?;
    check.one_of(
        at,
        "how strong it is",
        &[
            ("strength", spec.strength.is_some()),
            ("acceleration", spec.acceleration.is_some()),
        ],
    )?;
    let strength = match (spec.strength, spec.acceleration) {
        (_, Some(acceleration)) => {
            if radius == 0.0 {
                return Err(Problem::at_key(
                    &at.key("acceleration"),
                    "`acceleration` is that at a `radius`, which is missing",
                ));
            }
            check.non_negative(&at.key("acceleration"), acceleration)? * radius * radius
        }
        (strength, None) => {
            check.non_negative(&at.key("strength"), strength.unwrap_or_default())?
        }
    };
    Ok(CentralField {
        centre: check.vector_or_zero::<D>(&at.key("centre"), spec.centre.as_deref())?,
        strength,
        radius,
    })
}

fn fluid_of<D: Dimension>(
    check: Check<'_>,
    at: &Place,
    spec: &mut FluidSpec,
) -> Result<Fluid<D>, Problem> {
    let density = check.non_negative(&at.key("density"), spec.density)?;
    let viscosity = check.non_negative(&at.key("viscosity"), spec.viscosity)?;
    let coefficient = check.non_negative(&at.key("drag_coefficient"), spec.drag_coefficient)?;
    if let Some(time) = spec.relaxation_time {
        check.positive(&at.key("relaxation_time"), time)?;
    }
    if D::N == 2 && viscosity > 0.0 {
        return Err(Problem::at_key(
            &at.key("viscosity"),
            "in two dimensions there is no drag in proportion to the viscosity (Stokes's paradox); give `field.drag`, `relaxation_time` or `drag_coefficient`",
        ));
    }
    let schiller_naumann = spec.law == ViscousName::SchillerNaumann;
    if schiller_naumann && viscosity == 0.0 {
        return Err(Problem::at_key(
            &at.key("law"),
            "`schiller-naumann` is a drag by viscosity, which is missing",
        ));
    }
    if density == 0.0 {
        let needs = [
            ("law", "`schiller-naumann`", schiller_naumann),
            ("drag_coefficient", "`drag_coefficient`", coefficient > 0.0),
            ("buoyancy", "buoyancy", spec.buoyancy == Some(true)),
        ];
        if let Some((key, what, _)) = needs.into_iter().find(|(_, _, given)| *given) {
            return Err(Problem::at_key(
                &at.key(key),
                format!("{what} goes with the density of the fluid, which is missing"),
            ));
        }
    }
    Ok(Fluid {
        flow: Flow::Rest,
        drag: DragLaw {
            linear: 0.0,
            relaxation_time: spec.relaxation_time,
            viscosity,
            schiller_naumann,
            coefficient,
        },
        density,
        buoyancy: *spec.buoyancy.get_or_insert(density > 0.0),
    })
}

fn stream_of<D: Dimension>(
    check: Check<'_>,
    at: &Place,
    spec: &StreamSpec,
) -> Result<Stream<D>, Problem> {
    let from = check.finite(&at.key("from"), spec.from)?;
    let until = match spec.until {
        Some(until) if until.is_nan() || until <= from => {
            let must = format!("later than the push begins, at {from} s");
            return Err(check.wrong(&at.key("until"), &until.to_string(), &must));
        }
        until => until.unwrap_or(f64::INFINITY),
    };
    let resistance = check.non_negative(&at.key("resistance"), spec.resistance)?;
    let push = check.vector_or_zero::<D>(&at.key("push"), spec.push.as_deref())?;
    if push != D::Vector::default() && until.is_infinite() && resistance == 0.0 {
        let text = "a stream that is pushed for ever needs `until` or `resistance`: nothing else bounds its speed";
        return Err(Problem::at_key(&at.key("push"), text));
    }
    Ok(Stream {
        mass: check.positive(&at.key("mass"), spec.mass)?,
        push,
        pushed: [from, until],
        resistance,
        now: StreamState {
            velocity: check.vector_or_zero::<D>(&at.key("velocity"), spec.velocity.as_deref())?,
            ..StreamState::default()
        },
    })
}

fn flow_of<D: Dimension>(
    check: Check<'_>,
    at: &Place,
    spec: &mut FlowSpec,
    folder: Option<&Path>,
) -> Result<Flow<D>, Problem> {
    check.one_of(
        at,
        "how the fluid flows",
        &[
            ("uniform", spec.uniform.is_some()),
            ("pipe", spec.pipe.is_some()),
            ("rotation", spec.rotation.is_some()),
            ("table", spec.table.is_some()),
            ("stream", spec.stream.is_some()),
        ],
    )?;
    if let Some(stream) = &spec.stream {
        return stream_of(check, &at.key("stream"), stream).map(Flow::Stream);
    }
    if let Some(velocity) = &spec.uniform {
        return Ok(Flow::Uniform(
            check.vector::<D>(&at.key("uniform"), velocity)?,
        ));
    }
    if let Some(pipe) = &spec.pipe {
        return Ok(Flow::Pipe(pipe_of::<D>(check, &at.key("pipe"), pipe)?));
    }
    if let Some(rotation) = &spec.rotation {
        let (centre, rate) = turning::<D>(check, &at.key("rotation"), rotation)?;
        return Ok(Flow::Rotation { centre, rate });
    }
    let table = spec.table.get_or_insert_default();
    Ok(Flow::Table(grid::<D>(
        check,
        &at.key("table"),
        table,
        'v',
        folder,
    )?))
}

fn pipe_of<D: Dimension>(
    check: Check<'_>,
    at: &Place,
    spec: &PipeSpec,
) -> Result<Pipe<D>, Problem> {
    let axis = check.direction::<D>(&at.key("axis"), &spec.axis)?;
    let key = check.one_of(
        at,
        "how wide it is",
        &[
            ("radius", spec.radius.is_some()),
            ("radii", spec.radii.is_some()),
        ],
    )?;
    let radii = match (&spec.radii, spec.radius) {
        (Some(radii), _) => radii.clone(),
        (None, radius) => vec![[0.0, check.positive(&at.key(key), radius.unwrap_or(0.0))?]],
    };
    if radii.is_empty() {
        return Err(check.wrong(&at.key(key), "an empty list", "one pair at least"));
    }
    for (k, [place, radius]) in radii.iter().enumerate() {
        let here = at.key(key).index(k);
        if key == "radii" {
            check.finite(&here.index(0), *place)?;
            check.positive(&here.index(1), *radius)?;
        }
        if k > 0 && *place <= radii[k - 1][0] {
            let before = radii[k - 1][0];
            return Err(check.wrong(
                &here.index(0),
                &place.to_string(),
                &format!("greater than the place before, {before}"),
            ));
        }
    }
    check.one_of(
        at,
        "how fast the fluid flows",
        &[("mean", spec.mean.is_some()), ("peak", spec.peak.is_some())],
    )?;
    let mean = match (spec.mean, spec.peak) {
        (Some(mean), _) => check.finite(&at.key("mean"), mean)?,
        (None, peak) => {
            check.finite(&at.key("peak"), peak.unwrap_or_default())? / Pipe::<D>::peak_over_mean()
        }
    };
    Ok(Pipe {
        point: check.vector::<D>(&at.key("point"), &spec.point)?,
        axis: axis * (1.0 / axis.norm()),
        radii,
        mean,
    })
}

fn grid<D: Dimension>(
    check: Check<'_>,
    at: &Place,
    spec: &mut GridSpec,
    letter: char,
    folder: Option<&Path>,
) -> Result<Grid<D>, Problem> {
    let inline = [
        ("origin", spec.origin.is_some()),
        ("spacing", spec.spacing.is_some()),
        ("count", spec.count.is_some()),
        ("values", spec.values.is_some()),
    ];
    if let Some(file) = spec.file.take() {
        let here = at.key("file");
        if let Some((key, _)) = inline.iter().find(|(_, given)| *given) {
            return Err(Problem::at_key(
                &at.key(key),
                format!("the file has all nodes; leave `{key}` or `file` out"),
            ));
        }
        let read = |text: &str| grid_table::grid(text, D::N, letter);
        let table = input::table(&here, &file, folder, read)?;
        (spec.origin, spec.spacing) = (Some(table.origin), Some(table.spacing));
        (spec.count, spec.values) = (Some(table.count), Some(table.values));
    } else if let Some((key, _)) = inline.iter().find(|(_, given)| !*given) {
        return Err(Problem::at_key(
            at,
            format!(
                "`{at}` has neither a `file` nor `{key}`; without a file it needs `origin`, `spacing`, `count` and `values`"
            ),
        ));
    }
    let (Some(origin), Some(spacing), Some(count), Some(values)) =
        (&spec.origin, &spec.spacing, &spec.count, &spec.values)
    else {
        return Err(Problem::at_key(at, format!("`{at}` has no nodes")));
    };
    let origin = check.vector::<D>(&at.key("origin"), origin)?;
    let spacing = check.vector::<D>(&at.key("spacing"), spacing)?;
    if count.len() != D::N {
        let must = format!("a list of {} numbers", D::N);
        return Err(check.wrong(
            &at.key("count"),
            &format!("a list of {}", count.len()),
            &must,
        ));
    }
    for (k, &count) in count.iter().enumerate() {
        if count == 0 {
            return Err(check.wrong(&at.key("count").index(k), "0", "at least 1"));
        }
        if count > 1 {
            check.positive(&at.key("spacing").index(k), spacing[k])?;
        }
    }
    let nodes = count.iter().try_fold(1u64, |n, &m| n.checked_mul(m));
    let here = at.key("values");
    if nodes != Some(values.len() as u64) {
        return Err(Problem::at(
            &here,
            format!(
                "`{here}` has {} vectors, but `count` makes {} nodes",
                values.len(),
                nodes.map_or("too many".into(), |n| n.to_string())
            ),
        ));
    }
    let vectors = values.iter().enumerate();
    let vectors = vectors.map(|(k, value)| check.vector::<D>(&here.index(k), value));
    let vectors = vectors.collect::<Result<Vec<_>, _>>()?;
    let count: Vec<usize> = count.iter().map(|&n| n as usize).collect();
    Grid::new(origin, spacing, &count, vectors, spec.outside)
        .ok_or_else(|| Problem::at_key(at, "this is no regular grid"))
}

/// What has no meaning together with these fields.
pub(super) fn refuse_others<D: Dimension>(setup: &Setup<D>) -> Result<(), Problem> {
    if setup.place.is_none() {
        return Ok(());
    }
    for (k, key) in ["x", "y", "z"].into_iter().enumerate().take(D::N) {
        let periodic = setup.periodic.get(k).is_some_and(Option::is_some);
        if let Some(what) = setup
            .place
            .varies_along(k, setup.gravity)
            .filter(|_| periodic)
        {
            let why = match what {
                "fluid" => {
                    "the buoyancy of `field.fluid` would lift grains across the seam for nothing"
                        .into()
                }
                _ => format!("`field.{what}` changes along {key}, where space would repeat itself"),
            };
            return Err(Problem::at_key(
                &Place::of("periodic").key(key),
                format!("{why}; leave one of the two out"),
            ));
        }
    }
    if let (Some(_), 3, Some(form)) = (&setup.place.turning, D::N, setup.forms.first()) {
        return Err(Problem::at_key(
            &Place::of("field").key("rotation"),
            format!(
                "in a frame that turns only balls are known in space, but there are grains of the shape `{}`",
                form.name
            ),
        ));
    }
    Ok(())
}

/// Gravity that changes has no part in the buoyancy, which is that of the scenario's gravity.
pub(super) fn refuse_tilts<D: Dimension>(setup: &Setup<D>) -> Result<(), Problem> {
    let fluid = setup.place.fluid.as_ref();
    if fluid.is_none_or(|fluid| !fluid.buoyancy) {
        return Ok(());
    }
    let tilts = setup.perturbs.iter().position(|perturb| {
        !matches!(
            perturb.kind,
            PerturbKind::Tap { .. } | PerturbKind::Remove(_)
        )
    });
    match tilts {
        Some(index) => Err(Problem::at_key(
            &Place::of("perturb").index(index),
            "the buoyancy of a fluid does not follow a gravity that changes; leave one of the two out, or set `field.fluid.buoyancy = false`",
        )),
        None => Ok(()),
    }
}
