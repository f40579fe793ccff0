//! Shapes of grains by name, and the forms made from them.

use std::collections::BTreeSet;

use super::check::Check;
use super::mixture::place_of;
use super::packed;
use crate::body::{Arc, ArcGrain, Ball, Clump, Formed, SHAPES, ShapeTemplate, named_shape};
use crate::geometry::{Dimension, Vector};
use crate::scenario::path::Place;
use crate::scenario::problem::Problem;
use crate::scenario::spec::{ArcSpec, ComponentSpec, ShapeSpec, Spec};
use crate::spelling::{names, nearest};
use crate::system::RadiusLaw;

/// Limit on the shapes of a scenario.
const MOST: usize = 1000;
/// Limit on the disks or spheres of a shape.
pub(super) const MOST_PARTS: usize = 10_000;

/// The forms that a scenario uses, those of agglomerates last, otherwise in order of name; the spec keeps only their shapes.
pub(super) struct Shapes<D: Dimension> {
    pub forms: Vec<ShapeTemplate<D>>,
    /// Number of those that are rigid; grains of the others are agglomerates.
    pub rigid: usize,
}

/// The shape that a fill or feed selects.
#[derive(Clone, Copy)]
pub(super) struct Shaped<'a, D: Dimension> {
    pub index: u16,
    pub form: &'a ShapeTemplate<D>,
    /// Circumscribed radius of a grain over the given radius.
    scale: f64,
}

impl<D: Dimension> Shaped<'_, D> {
    /// Returns the circumscribed radius of a grain, m, for a given radius.
    pub fn radius(&self, asked: f64) -> f64 {
        self.scale * asked
    }

    /// Returns the law of the circumscribed radii.
    pub fn law(&self, asked: RadiusLaw) -> RadiusLaw {
        asked.scaled(self.scale)
    }
}

impl<D: Dimension> Shapes<D> {
    /// Returns the shape with a name that is known to be used; none for disks and spheres, also where a shape
    /// consists of a single ball.
    pub fn of(&self, name: Option<&str>, equal_measure: bool) -> Option<Shaped<'_, D>> {
        let index = self
            .forms
            .iter()
            .position(|form| Some(&*form.name) == name)?;
        let form = &self.forms[index];
        let scale = if equal_measure {
            libm::pow(D::ball_measure(1.0) / form.measure, 1.0 / D::N as f64)
        } else {
            1.0
        };
        Some(Shaped {
            index: index as u16,
            form,
            scale,
        })
    }
}

/// Finds all shapes that the spec names, and writes embedded ones into it.
pub(super) fn collect<D: Formed>(check: Check<'_>, spec: &mut Spec) -> Result<Shapes<D>, Problem> {
    let mut uses: Vec<(Place, String)> = Vec::new();
    let fills = spec.fill.iter().map(|fill| fill.sorts()).enumerate();
    let feeds = spec.feed.iter().map(|feed| feed.sorts()).enumerate();
    let fills = fills.map(|(k, sorts)| (Place::of("fill").index(k), sorts));
    let feeds = feeds.map(|(k, sorts)| (Place::of("feed").index(k), sorts));
    for (at, sorts) in fills.chain(feeds) {
        for sort in sorts {
            match sort.shape {
                Some(name) => uses.push((place_of(&at, &sort, "shape"), name.to_string())),
                None if sort.equal_measure => {
                    return Err(Problem::at_key(
                        &place_of(&at, &sort, "equal_measure"),
                        format!("`{at}` has `equal_measure`, but no shape"),
                    ));
                }
                None => {}
            }
        }
    }
    for (place, name) in &uses {
        if spec.shape.contains_key(name) {
            continue;
        }
        match embedded(name) {
            Some(found) => {
                spec.shape.insert(name.clone(), found);
            }
            None => return Err(unknown(place, name, spec)),
        }
    }
    if spec.shape.len() > MOST {
        let found = spec.shape.len();
        return Err(Problem::at_key(
            &Place::of("shape"),
            format!("there are {found} shapes; at most {MOST} are allowed"),
        ));
    }
    let used: BTreeSet<&String> = uses.iter().map(|(_, name)| name).collect();
    let (mut forms, mut bonded) = (Vec::new(), Vec::new());
    for (name, shape) in &spec.shape {
        let form = form::<D>(check, &Place::of("shape").key(name), name, shape)?;
        if used.contains(name) {
            // A single ball is a disk or a sphere.
            if form.parts.len() > 1 {
                let list = if shape.bonded {
                    &mut bonded
                } else {
                    &mut forms
                };
                list.push(form);
            }
        }
    }
    let rigid = forms.len();
    forms.append(&mut bonded);
    let used: Vec<String> = used.into_iter().cloned().collect();
    spec.shape.retain(|name, _| used.contains(name));
    Ok(Shapes { forms, rigid })
}

/// Returns a shape that comes with the program, without the density that `arenite calc grain` uses.
fn embedded(name: &str) -> Option<ShapeSpec> {
    let mut keys: toml::Table = toml::from_str(named_shape(name)?).ok()?;
    keys.remove("density");
    keys.try_into().ok()
}

fn unknown(place: &Place, name: &str, spec: &Spec) -> Problem {
    let embedded = SHAPES.iter().map(|(name, ..)| *name);
    let known: BTreeSet<&str> = spec
        .shape
        .keys()
        .map(String::as_str)
        .chain(embedded)
        .collect();
    let problem = Problem::at(place, format!("`{place}`: there is no shape `{name}`"));
    let problem = match nearest(name, known.iter().copied()) {
        Some(other) => problem.label(format!("did you mean `{other}`?")),
        None => problem.label("unknown shape"),
    };
    problem.help(format!(
        "known: {}; or define it in [shape.{name}]",
        names(known)
    ))
}

fn form<D: Formed>(
    check: Check<'_>,
    at: &Place,
    name: &str,
    spec: &ShapeSpec,
) -> Result<ShapeTemplate<D>, Problem> {
    let key = check.one_of(
        at,
        "what the shape is made of",
        &[
            ("disks", spec.disks.is_some()),
            ("spheres", spec.spheres.is_some()),
            ("arcs", spec.arcs.is_some()),
            ("packed", spec.packed.is_some()),
            ("chain", spec.chain.is_some()),
        ],
    )?;
    let here = at.key(key);
    let wrong = |why: String| Problem::at(&here, format!("`{here}`: {why}"));
    let balls = if D::N == 2 {
        &spec.disks
    } else {
        &spec.spheres
    };
    let parts = match (balls, &spec.packed, &spec.chain) {
        (Some(balls), ..) => Some(listed::<D>(check, &here, balls)?),
        (_, Some(packed), _) => Some(packed::balls::<D>(check, &here, packed)?),
        (.., Some(chain)) => Some(packed::chain::<D>(check, &here, chain)?),
        _ => None,
    };
    if let Some(parts) = parts {
        if parts.len() > MOST_PARTS {
            let found = parts.len();
            return Err(wrong(format!(
                "it has {found} parts; a shape has at most {MOST_PARTS}"
            )));
        }
        let clump = Clump::new(parts).map_err(|why| wrong(why.to_string()))?;
        if let Some(inside) = clump.buried().first().filter(|_| spec.bonded) {
            return Err(wrong(format!(
                "component {inside} lies wholly inside another one"
            )));
        }
        if spec.bonded || spec.packed.is_some() {
            return Ok(D::agglomerate(name, &clump));
        }
        return D::clump(name, &clump).map_err(|why| wrong(why.to_string()));
    }
    if spec.bonded && spec.arcs.is_some() {
        return Err(wrong(
            "arcs are the boundary of one grain, which nothing bonds".into(),
        ));
    }
    let Some(arcs) = spec.arcs.as_ref().filter(|_| D::N == 2) else {
        let wanted = if D::N == 2 {
            "disks or arcs"
        } else {
            "spheres"
        };
        return Err(Problem::at_key(
            &here,
            format!(
                "`{at}` is made of {key}, but this scenario has {} dimensions: give {wanted}",
                D::N
            ),
        ));
    };
    let grain = ArcGrain::new(arcs.iter().enumerate().map(arc).collect());
    let grain = grain.map_err(|why| wrong(why.to_string()))?;
    D::arcs(name, &grain).map_err(|why| wrong(why.to_string()))
}

fn listed<D: Dimension>(
    check: Check<'_>,
    here: &Place,
    balls: &[ComponentSpec],
) -> Result<Vec<Ball<D>>, Problem> {
    let ball = |(k, ball): (usize, &ComponentSpec)| {
        let at = here.index(k);
        Ok(Ball {
            centre: check.vector::<D>(&at.key("centre"), &ball.centre)?,
            radius: check.positive(&at.key("radius"), ball.radius)?,
        })
    };
    balls.iter().enumerate().map(ball).collect()
}

fn arc((k, spec): (usize, &ArcSpec)) -> Arc {
    Arc {
        name: spec.name.clone().unwrap_or_else(|| k.to_string()),
        centre: <nalgebra::Vector2<f64> as Vector>::from_fn(|i| spec.centre[i]),
        radius: spec.radius,
        from: spec.from_angle,
        to: spec.to_angle,
    }
}
