//! Builds a [`Setup`] from a scenario, and resolves the scenario: defaults are written out, embedded materials and
//! files included.

mod agglomerates;
mod at;
mod bonds;
mod capable;
mod cell;
mod check;
mod clearance;
mod collisions;
mod controls;
mod events;
mod feeds;
mod fields;
mod grains;
mod guided;
mod ignored;
mod late;
mod long_range;
mod materials;
mod meters;
mod mixture;
mod morph;
mod narrow;
mod outside;
mod packed;
mod perturb;
mod plenty;
mod quasi_static;
mod radii;
mod settings;
mod shapes;
mod start;
mod terms;
mod twice;
mod walls;

use std::path::Path;

use check::Check;

use super::document::Document;
use super::path::Place;
use super::problem::Problem;
use super::spec::Spec;
use crate::cluster::integrate::Integrate;
use crate::geometry::Dimension;
use crate::system::{
    FieldSetup, Matter, ModelSetup, Notes, PeriodicAxis, RunSetup, Setup, SourceSetup, SpaceSetup,
    left_out,
};
use crate::walls::images::{ImagesError, walls_with_images};

/// Greatest number of grains at the start: about a kilobyte each.
pub const MAX_GRAINS: u64 = 10_000_000;

/// Builds the setup, and the resolved scenario.
pub(super) fn build<D: Integrate>(
    document: &Document,
    spec: &Spec,
    folder: Option<&Path>,
) -> Result<(Setup<D>, Spec), Problem> {
    let check = Check { document };
    let (written, mut spec) = (spec, spec.clone());
    let ignored = ignored::warnings(check, &spec);
    check_name(check, &Place::of("name"), &spec.name)?;
    spec.version = Some(env!("CARGO_PKG_VERSION").into());
    // TOML has signed integers only: a greater seed could not be written back.
    if i64::try_from(spec.seed).is_err() {
        return Err(check.wrong(
            &Place::of("seed"),
            &spec.seed.to_string(),
            &format!("at most {}", i64::MAX),
        ));
    }
    if spec.fill.is_empty() && spec.feed.is_empty() {
        return Err(
            Problem::plain("the scenario has no grains").help("add a [[fill]] or a [[feed]]")
        );
    }
    let field = Place::of("field");
    let gravity =
        check.vector_or_zero::<D>(&field.key("gravity"), spec.field.gravity.as_deref())?;
    spec.field.gravity = Some((0..D::N).map(|k| gravity[k]).collect());
    let drag = check.non_negative(&field.key("drag"), spec.field.drag)?;
    settings::check(check, &spec)?;

    let materials = materials::collect(check, &mut spec)?;
    let long_range = long_range::collect(check, &spec, &materials)?;
    let mut place = fields::collect::<D>(check, &mut spec, &materials, folder)?;
    let mut shapes = shapes::collect::<D>(check, &mut spec)?;
    let material = |name: &str| materials.index(name);
    let boundaries = walls::boundaries::<D>(check, &mut spec.boundary, material, folder)?;
    let outlets = feeds::outlets::<D>(check, &spec.outlet)?;
    let known = mixture::Known {
        materials: &materials,
        shapes: &shapes,
    };
    let axes = axes::<D>(&spec);
    let repeated = |(index, error): (usize, ImagesError)| {
        Problem::at_key(&Place::of("boundary").index(index), error.to_string())
    };
    // In the event-driven model walls with images are refused later, with a message of its own.
    let images = match spec.events {
        Some(_) => boundaries.clone(),
        None => walls_with_images(&boundaries, &axes).map_err(repeated)?,
    };
    let around = grains::Around {
        walls: &boundaries,
        images: &images,
        gravity,
        periodic: &axes,
    };
    let mut filled = grains::fills::<D>(check, &mut spec.fill, known, around, spec.seed, folder)?;
    let grains = agglomerates::count(&filled.grains, &shapes);
    let feeds = feeds::feeds::<D>(check, &spec.feed, known, grains)?;
    let density = |material| materials.density(material);
    let agglomerates = agglomerates::expand(&mut filled, &mut shapes, density, &axes)?;
    let laws = materials::laws(check, &mut spec, &materials)?;
    bonds::check(&spec, &materials.names, &filled.grains, &agglomerates)?;
    let periodic = periodic::<D>(check, &spec, &filled.grains, &shapes.forms, &feeds)?;
    start::check_start(
        &filled,
        &start::Surroundings {
            walls: &boundaries,
            forms: &shapes.forms,
            outlets: &outlets,
            periodic: &periodic,
            // Hard bodies may overlap by rounding only.
            overlap: match spec.events {
                Some(_) => events::START_OVERLAP.min(spec.run.start_overlap),
                None => spec.run.start_overlap,
            },
            settles: spec.settle.is_some(),
        },
    )?;
    let scales = settings::Scales::of(&filled.grains, &feeds, &boundaries, &gravity, &laws);
    let settings = settings::fill_in(check, &mut spec, &scales)?;
    let meters = meters::collect::<D>(check, &mut spec, &periodic, &scales)?;
    let filled_with = filled.grains.iter().map(|grain| grain.material);
    let fed = feeds.iter().flat_map(|feed| feed.what.components());
    let all = filled_with.chain(fed.map(|sort| sort.material));
    let idle_fields = fields::leave_idle(&mut place, &long_range, all);
    let mut setup = Setup {
        seed: spec.seed,
        tolerance: spec.run.tolerance,
        matter: Matter {
            materials: materials.names,
            laws,
            forms: shapes.forms,
            agglomerates,
        },
        boundaries,
        grains: filled.grains,
        space: SpaceSetup {
            periodic,
            cell: None,
        },
        fields: FieldSetup {
            gravity,
            // A fluid has a drag of its own.
            drag: if place.fluid.is_some() { 0.0 } else { drag },
            long_range,
            place,
        },
        motion: settings.motion,
        models: ModelSetup::default(),
        sources: SourceSetup {
            feeds,
            outlets,
            outlet_interval: settings.outlet_interval,
            meters,
            controls: Vec::new(),
            perturbs: Vec::new(),
        },
        run: RunSetup {
            begin: 0.0,
            settle: settings.settle,
            end_time: spec.run.end_time,
            stop_when_empty: spec.run.stop_when_empty,
        },
        log: settings.log,
        notes: Notes {
            fills: filled.figures,
            warnings: Vec::new(),
        },
    };
    long_range::refuse_periodic(&setup)?;
    fields::refuse_others(&setup)?;
    terms::refuse_arcs(&spec, &setup)?;
    setup.sources.controls = controls::collect(check, &spec, &mut setup)?;
    setup.sources.perturbs = perturb::perturbs(check, &spec, &setup)?;
    setup.space.cell = cell::build(check, &mut spec, &setup)?;
    capable::check(check, written, &setup)?;
    setup.models.quasi_static = quasi_static::build(check, &spec, &setup)?;
    setup.models.events = events::build(check, &spec, &setup)?;
    setup.models.morph = morph::build(check, &mut spec, &setup)?;
    fields::refuse_tilts(&setup)?;
    settings::checkpoints(&mut spec, &mut setup);
    setup.notes.warnings = [
        ignored,
        idle_fields,
        left_out(&setup, &capable::models(&spec)),
        filled.warnings,
        late::warnings(&setup),
        quasi_static::warnings(&setup),
        events::warnings(&setup),
        twice::warnings(&setup.boundaries),
        plenty::warnings(&setup),
        agglomerates::warnings(&setup),
        setup.mesh_warnings(),
        narrow::warnings(&setup),
    ]
    .concat();
    Ok((setup, spec))
}

fn check_name(check: Check<'_>, place: &Place, name: &str) -> Result<(), Problem> {
    let allowed = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    if name.is_empty() || name.len() > 100 || name.starts_with('.') || !name.chars().all(allowed) {
        return Err(check.wrong(
            place,
            name,
            "made of letters, digits, `-`, `_` and `.`, not starting with a dot",
        ));
    }
    Ok(())
}

/// Returns the periodic directions.
fn axes<D: Dimension>(spec: &Spec) -> Vec<Option<PeriodicAxis>> {
    let axes = [spec.periodic.x, spec.periodic.y, spec.periodic.z];
    let axis = |[low, high]: [f64; 2]| PeriodicAxis {
        origin: low,
        length: high - low,
    };
    let axes = axes.map(|extent| {
        let fits = |[low, high]: &[f64; 2]| low < high && (high - low).is_finite();
        extent.filter(fits).map(axis)
    });
    axes[..D::N].to_vec()
}

fn periodic<D: Dimension>(
    check: Check<'_>,
    spec: &Spec,
    grains: &[crate::body::Grain<D>],
    forms: &[crate::body::ShapeTemplate<D>],
    feeds: &[crate::system::FeedSetup<D>],
) -> Result<Vec<Option<PeriodicAxis>>, Problem> {
    let at = Place::of("periodic");
    let axes = [
        ("x", spec.periodic.x),
        ("y", spec.periodic.y),
        ("z", spec.periodic.z),
    ];
    let radius = feeds
        .iter()
        .map(|feed| feed.what.greatest())
        .chain(grains.iter().map(|grain| match grain.form {
            // The circle of a flat arc is larger than its grain.
            Some(form) => grain.radius * forms[usize::from(form)].flattest().max(1.0),
            None => grain.radius,
        }))
        .fold(0.0, f64::max);
    let mut list = Vec::new();
    for (axis, (key, extent)) in axes.into_iter().enumerate() {
        let here = at.key(key);
        let Some([low, high]) = extent else {
            if axis < D::N {
                list.push(None);
            }
            continue;
        };
        if axis >= D::N {
            return Err(Problem::at_key(
                &here,
                format!(
                    "`{here}` is given, but this scenario has {} dimensions",
                    D::N
                ),
            ));
        }
        check.finite(&here.index(0), low)?;
        check.finite(&here.index(1), high)?;
        // With less than two diameters a grain could meet the same neighbour on both sides.
        if high - low < 4.0 * radius || high <= low {
            return Err(check.wrong(
                &here,
                &format!("[{low}, {high}]"),
                &format!(
                    "from less to more, at least two diameters ({}) apart",
                    4.0 * radius
                ),
            ));
        }
        list.push(Some(PeriodicAxis {
            origin: low,
            length: high - low,
        }));
    }
    Ok(list)
}
