//! Materials by name and the laws of the pairs that can meet.

use std::collections::{BTreeMap, BTreeSet};

use super::check::Check;
use super::mixture::place_of;
use super::{bonds, events, terms};
use crate::contact::laws::keys::{Bound, Moduli};
use crate::contact::{ContactLaw, LawTable};
use crate::scenario::embedded;
use crate::scenario::path::Place;
use crate::scenario::problem::Problem;
use crate::scenario::spec::{FillSpec, LawSection, MaterialSpec, Sort, Spec};
use crate::spelling::{names, nearest};

/// Limit on the materials of a scenario: the table of laws has an entry for each pair.
const MOST: usize = 1000;

/// The materials that a scenario uses, in order of name; the spec keeps only these.
pub(super) struct Materials {
    pub names: Vec<String>,
    pub specs: Vec<MaterialSpec>,
}

impl Materials {
    /// Returns the index of a material that is known to be used.
    pub fn index(&self, name: &str) -> u16 {
        self.names
            .iter()
            .position(|known| known == name)
            .unwrap_or(0) as u16
    }

    /// Returns the density of a material of grains.
    pub fn density(&self, index: u16) -> f64 {
        self.specs[usize::from(index)].density.unwrap_or(f64::NAN)
    }
}

/// Finds all materials that the spec names, and writes embedded ones into it.
pub(super) fn collect(check: Check<'_>, spec: &mut Spec) -> Result<Materials, Problem> {
    let mut uses: Vec<(Place, String, bool)> = Vec::new();
    for (k, wall) in spec.boundary.iter().enumerate() {
        let place = Place::of("boundary").index(k).key("material");
        uses.push((place, wall.material.clone(), false));
    }
    for (at, sort) in sorts(spec) {
        let place = place_of(&at, &sort, "material");
        uses.push((place, sort.material.to_string(), true));
    }
    let different: BTreeSet<&str> = uses.iter().map(|(_, name, _)| name.as_str()).collect();
    if different.len() > MOST {
        let found = different.len();
        return Err(Problem::plain(format!(
            "the scenario uses {found} materials; each pair of them may have a law, so that at most {MOST} are allowed"
        )));
    }
    let library = embedded::materials();
    for (place, name, _) in &uses {
        if spec.material.contains_key(name) {
            continue;
        }
        match library.material.get(name) {
            Some(found) => {
                // Ranges only guide the choice of values; a run has its values.
                let chosen = MaterialSpec {
                    ranges: None,
                    ..found.clone()
                };
                spec.material.insert(name.clone(), chosen);
            }
            None => return Err(unknown(place, name, spec, &library.material)),
        }
    }
    let used: BTreeSet<&String> = uses.iter().map(|(_, name, _)| name).collect();
    for (name, material) in &spec.material {
        let at = Place::of("material").key(name);
        for (key, value) in [("density", material.density), ("young", material.young)] {
            if let Some(value) = value {
                check.positive(&at.key(key), value)?;
            }
        }
        for (key, _, range) in material.ranges.iter().flat_map(|ranges| ranges.all()) {
            let Some(range) = range else { continue };
            let at = at.key("ranges").key(key).key("range");
            let low = check.non_negative(&at.index(0), range.range[0])?;
            let high = check.finite(&at.index(1), range.range[1])?;
            if high < low {
                return Err(check.wrong(
                    &at,
                    &format!("[{low}, {high}]"),
                    "from the least to the greatest",
                ));
            }
        }
        if let Some(value) = material.poisson {
            check.within(&at.key("poisson"), value, 0.0, 0.5)?;
        }
    }
    let list: Vec<String> = used.iter().map(|name| (*name).clone()).collect();
    for (place, name, grain) in &uses {
        if *grain && spec.material[name].density.is_none() {
            return Err(Problem::at(
                place,
                format!("`{name}` is a material of grains, but it has no density"),
            )
            .help(format!("add `density` to [material.{name}]")));
        }
    }
    spec.material.retain(|name, _| list.contains(name));
    Ok(Materials {
        specs: list
            .iter()
            .map(|name| spec.material[name].clone())
            .collect(),
        names: list,
    })
}

/// Returns all components of grains, fills before feeds, each with the place of its fill or feed.
fn sorts(spec: &Spec) -> Vec<(Place, Sort<'_>)> {
    let fills = spec.fill.iter().map(|fill| fill.sorts());
    let feeds = spec.feed.iter().map(|feed| feed.sorts());
    let fills = fills.enumerate().map(|(k, list)| ("fill", k, list));
    let feeds = feeds.enumerate().map(|(k, list)| ("feed", k, list));
    let all = fills.chain(feeds).flat_map(|(name, k, list)| {
        let at = Place::of(name).index(k);
        list.into_iter().map(move |sort| (at.clone(), sort))
    });
    all.collect()
}

fn unknown(
    place: &Place,
    name: &str,
    spec: &Spec,
    library: &BTreeMap<String, MaterialSpec>,
) -> Problem {
    let known: BTreeSet<&str> = spec
        .material
        .keys()
        .chain(library.keys())
        .map(String::as_str)
        .collect();
    let problem = Problem::at(place, format!("`{place}`: there is no material `{name}`"));
    let problem = match nearest(name, known.iter().copied()) {
        Some(other) => problem.label(format!("did you mean `{other}`?")),
        None => problem.label("unknown material"),
    };
    problem.help(format!(
        "known: {}; or define it in [material.{name}]",
        names(known)
    ))
}

/// Builds the laws of all pairs that can meet; the spec keeps only these, in order.
pub(super) fn laws(
    check: Check<'_>,
    spec: &mut Spec,
    materials: &Materials,
) -> Result<LawTable, Problem> {
    check_laws(check, spec)?;
    names_are_known(spec, materials)?;
    let mut table = LawTable::new(materials.names.len());
    let mut kept = Vec::new();
    let library = embedded::materials();
    for (a, name_a) in materials.names.iter().enumerate() {
        for (b, name_b) in materials.names.iter().enumerate().skip(a) {
            let pair = |law: &&LawSection| {
                let [x, y] = &law.between;
                (x == name_a && y == name_b) || (x == name_b && y == name_a)
            };
            let own = spec.law.iter().position(|law| pair(&law));
            let found = match own {
                Some(index) => Some(spec.law[index].clone()),
                None => library.law.iter().find(pair).cloned(),
            };
            let can_meet = meets(spec, name_a, name_b);
            // In the event-driven model rules take precedence, and `events` checks for them.
            let names = [name_a.clone(), name_b.clone()];
            let events = spec.events.as_ref();
            if events.is_some_and(|section| events::decides(section, &names)) {
                continue;
            }
            let Some(law) = found else {
                if can_meet && events.is_none() {
                    return Err(missing(spec, name_a, name_b));
                }
                continue;
            };
            if !can_meet {
                continue;
            }
            let place = match own {
                Some(index) => Place::of("law").index(index),
                None => Place::default(),
            };
            let (first, second) = (a as u16, b as u16);
            let plain = pair_law(&place, &law, materials, [a, b])?;
            table.set(first, second, plain);
            table.set_terms(first, second, terms::collect(check, &place, &law, &plain)?);
            if let Some(bond) = bonds::collect(check, &place, &law, spec.dimension as usize)? {
                table.set_bond(first, second, bond);
            }
            kept.push(law);
        }
    }
    spec.law = kept;
    Ok(table)
}

/// Whether a grain of one material can meet a grain or a wall of the other.
fn meets(spec: &Spec, a: &str, b: &str) -> bool {
    let grains = |name: &str| -> u64 {
        let is = |sort: &Sort<'_>| sort.material == name;
        let fills = spec.fill.iter().filter(|fill| fill.sorts().iter().any(is));
        let feeds = spec.feed.iter().filter(|feed| feed.sorts().iter().any(is));
        let counts = fills
            .map(FillSpec::count)
            .chain(feeds.map(|feed| feed.count.unwrap_or(u64::MAX)));
        counts.fold(0, u64::saturating_add)
    };
    let wall = |name: &str| spec.boundary.iter().any(|wall| wall.material == name);
    // The grains of one agglomerate meet each other.
    let bonded = |sort: &Sort<'_>| {
        let shape = sort.shape.and_then(|name| spec.shape.get(name));
        sort.material == a && shape.is_some_and(|shape| shape.bonded)
    };
    let agglomerates = || spec.fill.iter().any(|fill| fill.sorts().iter().any(bonded));
    let pairs_of_grains = if a == b {
        grains(a) > 1 || agglomerates()
    } else {
        grains(a) > 0 && grains(b) > 0
    };
    pairs_of_grains || (grains(a) > 0 && wall(b)) || (wall(a) && grains(b) > 0)
}

/// A law for unused materials has no effect, which is allowed in a collection of laws; but if its name is close to
/// that of a present material, it is taken for a typing error.
fn names_are_known(spec: &Spec, materials: &Materials) -> Result<(), Problem> {
    let library = embedded::materials();
    let known = |name: &String| {
        let used = materials.names.contains(name);
        used || spec.material.contains_key(name) || library.material.contains_key(name)
    };
    for (k, law) in spec.law.iter().enumerate() {
        for name in law.between.iter().filter(|name| !known(name)) {
            if let Some(other) = nearest(name, materials.names.iter().map(String::as_str)) {
                return Err(Problem::at(
                    &Place::of("law").index(k).key("between"),
                    format!("the law is for `{name}`, but no grain and no wall is of it"),
                )
                .label(format!("did you mean `{other}`?"))
                .help(format!("there are: {}", materials.names.join(", "))));
            }
        }
    }
    Ok(())
}

fn missing(spec: &Spec, a: &str, b: &str) -> Problem {
    // Points to where the second material of the pair is used.
    let place = spec
        .boundary
        .iter()
        .position(|wall| wall.material == b || wall.material == a)
        .filter(|_| a != b)
        .map(|k| Place::of("boundary").index(k).key("material"))
        .or_else(|| {
            let mut all = sorts(spec).into_iter();
            let found = all.find(|(_, sort)| sort.material == b);
            found.map(|(at, sort)| place_of(&at, &sort, "material"))
        })
        .unwrap_or_default();
    Problem::at(
        &place,
        format!("`{a}` and `{b}` can meet, but no law is given for this pair"),
    )
    .label(format!("no law between `{a}` and `{b}`"))
    .help(format!(
        "add a [[law]] with between = [\"{a}\", \"{b}\"] and one of {}",
        names(LawSection::LAWS.iter().copied())
    ))
}

fn check_laws(check: Check<'_>, spec: &Spec) -> Result<(), Problem> {
    for (k, law) in spec.law.iter().enumerate() {
        let at = Place::of("law").index(k);
        let kind = check.one_of(&at, "what law it is", &law.given())?;
        let here = at.key(kind);
        for (key, value, bound) in law.law().into_iter().flat_map(|given| given.bounds) {
            let key = here.key(key);
            match bound {
                Bound::Positive => check.positive(&key, value)?,
                Bound::NonNegative => check.non_negative(&key, value)?,
                Bound::Share => check.share(&key, value)?,
            };
        }
        let same = |other: &LawSection| {
            let ([a, b], [c, d]) = (&law.between, &other.between);
            (a == c && b == d) || (a == d && b == c)
        };
        if let Some(first) = spec.law[..k].iter().position(same) {
            let [a, b] = &law.between;
            return Err(Problem::at(
                &at.key("between"),
                format!("`law[{k}]` and `law[{first}]` are both for `{a}` and `{b}`"),
            ));
        }
    }
    Ok(())
}

fn pair_law(
    place: &Place,
    law: &LawSection,
    materials: &Materials,
    pair: [usize; 2],
) -> Result<ContactLaw, Problem> {
    let Some(given) = law.law() else {
        return Err(Problem::at(place, format!("`{place}` has no law")));
    };
    let mut elastic = [[f64::NAN; 2]; 2];
    for (index, of) in pair.into_iter().zip(&mut elastic) {
        let material = &materials.specs[index];
        match (material.young, material.poisson) {
            (Some(young), Some(poisson)) => *of = [young, poisson],
            _ if given.needs_moduli => {
                let name = &materials.names[index];
                return Err(Problem::at(
                    place,
                    format!(
                        "the law `{}` between `{}` and `{}` needs `young` and `poisson` of `{name}`",
                        given.key, materials.names[pair[0]], materials.names[pair[1]]
                    ),
                )
                .help(format!("add them to [material.{name}]")));
            }
            _ => {}
        }
    }
    Ok((given.law)(Moduli::of(elastic)))
}
