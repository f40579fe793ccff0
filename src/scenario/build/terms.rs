//! Cohesion, plastic loading and resistance to rolling and twisting in laws of contact.

use super::check::Check;
use crate::contact::terms::{CohesionKeys, ResistanceKeys};
use crate::contact::{
    Cohesion, ContactLaw, ContactTerms, Elastic, Plastic, Resistance, ResistanceKind,
};
use crate::geometry::Dimension;
use crate::scenario::path::Place;
use crate::scenario::problem::Problem;
use crate::scenario::spec::{CoulombLimit, LawSection, Spec};
use crate::system::Setup;

/// Builds and checks the terms of a law.
pub(super) fn collect(
    check: Check<'_>,
    at: &Place,
    law: &LawSection,
    plain: &ContactLaw,
) -> Result<ContactTerms, Problem> {
    let mut terms = ContactTerms {
        spring_limited: law.coulomb_limit == CoulombLimit::Spring,
        ..ContactTerms::default()
    };
    if let Some(spec) = &law.cohesion {
        terms.cohesion = Some(cohesion(check, &at.key("cohesion"), spec, plain.elastic())?);
    }
    if let Some(spec) = &law.plastic {
        let here = at.key("plastic");
        let Elastic::Linear(normal_stiffness) = plain.elastic() else {
            return Err(Problem::at_key(&here, "`plastic` needs the law `linear`"));
        };
        let key = here.key("unloading_stiffness");
        let unloading = check.positive(&key, spec.unloading_stiffness)?;
        // Must exceed it at least slightly, or the link would never lose its loading history.
        if unloading < normal_stiffness * (1.0 + 1e-6) {
            let must = format!("more than normal_stiffness = {}", normal_stiffness);
            return Err(check.wrong(&key, &unloading.to_string(), &must));
        }
        let key = here.key("cohesion_stiffness");
        let cohesion = check.non_negative(&key, spec.cohesion_stiffness)?;
        terms.plastic = Some(Plastic {
            unloading,
            cohesion,
        });
    }
    let given = |key: &str, spec: &Option<ResistanceKeys>| {
        let spec = spec.as_ref();
        spec.map(|spec| resistance(check, &at.key(key), spec))
            .transpose()
    };
    terms.rolling = given("rolling", &law.rolling)?;
    terms.twisting = given("twisting", &law.twisting)?;
    if !plain.takes_terms() && !terms.are_empty() {
        let what = format!(
            "the law `{}` has no cohesion, no rolling and no spring across",
            plain.key()
        );
        return Err(Problem::at_key(&at.key(first(law)), what));
    }
    Ok(terms)
}

/// Returns the first key of a law that gives a term.
fn first(law: &LawSection) -> &'static str {
    let filled = [
        ("cohesion", law.cohesion.is_some()),
        ("plastic", law.plastic.is_some()),
        ("rolling", law.rolling.is_some()),
        ("twisting", law.twisting.is_some()),
        ("coulomb_limit", law.coulomb_limit != CoulombLimit::Total),
    ];
    filled
        .into_iter()
        .find(|(_, filled)| *filled)
        .map_or("between", |(key, _)| key)
}

fn cohesion(
    check: Check<'_>,
    at: &Place,
    spec: &CohesionKeys,
    elastic: Elastic,
) -> Result<Cohesion, Problem> {
    check.one_of(
        at,
        "what cohesion it is",
        &[
            ("force", spec.force.is_some()),
            ("dmt", spec.dmt.is_some()),
            ("jkr", spec.jkr.is_some()),
            ("area", spec.area.is_some()),
            ("fading", spec.fading.is_some()),
        ],
    )?;
    if let Some(force) = spec.force {
        return Ok(Cohesion::Constant(
            check.non_negative(&at.key("force"), force)?,
        ));
    }
    if let Some(work) = spec.dmt {
        return Ok(Cohesion::Dmt(check.non_negative(&at.key("dmt"), work)?));
    }
    if let Some(density) = spec.area {
        return Ok(Cohesion::Area(
            check.non_negative(&at.key("area"), density)?,
        ));
    }
    if let Some(fading) = &spec.fading {
        let here = at.key("fading");
        return Ok(Cohesion::Fading {
            pull: check.non_negative(&here.key("force"), fading.force)?,
            stiffness: check.positive(&here.key("stiffness"), fading.stiffness)?,
        });
    }
    let here = at.key("jkr");
    let work = check.positive(&here, spec.jkr.unwrap_or(f64::NAN))?;
    if !matches!(elastic, Elastic::Hertz(_)) {
        let what = "the cohesion `jkr` needs the law `hertz` or `viscoelastic`";
        return Err(Problem::at_key(&here, what));
    }
    Ok(Cohesion::Jkr(work))
}

fn resistance(check: Check<'_>, at: &Place, spec: &ResistanceKeys) -> Result<Resistance, Problem> {
    let friction = check.non_negative(&at.key("friction"), spec.friction)?;
    let kind = match spec.smoothing_speed {
        Some(speed) => {
            for (key, given) in [
                ("stiffness", spec.stiffness.is_some()),
                ("damping", spec.damping.is_some()),
            ] {
                if given {
                    let what =
                        format!("`{key}` is of a spring; with `smoothing_speed` there is none");
                    return Err(Problem::at_key(&at.key(key), what));
                }
            }
            ResistanceKind::Constant(check.positive(&at.key("smoothing_speed"), speed)?)
        }
        None => {
            let stiffness = spec.stiffness;
            ResistanceKind::Spring {
                stiffness: stiffness
                    .map(|k| check.positive(&at.key("stiffness"), k))
                    .transpose()?,
                damping: check.non_negative(&at.key("damping"), spec.damping.unwrap_or(0.0))?,
            }
        }
    };
    Ok(Resistance { friction, kind })
}

/// Refuses terms for grains bounded by arcs, which do not support them.
pub(super) fn refuse_arcs<D: Dimension>(spec: &Spec, setup: &Setup<D>) -> Result<(), Problem> {
    let composed = spec.law.iter().position(|law| first(law) != "between");
    let arcs = setup.matter.forms.iter().any(|form| form.arcs);
    let remembers = setup
        .matter
        .laws
        .laws
        .iter()
        .flatten()
        .find(|law| law.remembers());
    if let Some(law) = remembers.filter(|_| arcs) {
        let what = format!(
            "grains of arcs know laws that forget their loading only; `{}` does not",
            law.key()
        );
        return Err(Problem::at_key(&Place::of("fill"), what));
    }
    let Some(index) = composed.filter(|_| arcs && setup.matter.laws.composed()) else {
        return Ok(());
    };
    let law = &spec.law[index];
    let [a, b] = &law.between;
    let what = format!(
        "grains of arcs know spring, dashpot and friction only; leave this or `{}` of the law of `{a}` and `{b}` out",
        first(law)
    );
    Err(Problem::at_key(&Place::of("fill"), what))
}
