//! Bonds in laws of contact.

use super::check::Check;
use crate::body::{Agglomerates, Grain};
use crate::contact::bond::{BondKeys, BondLaw, BondStiffness, Rigid, Scatter, Strength, When};
use crate::geometry::Dimension;
use crate::scenario::path::Place;
use crate::scenario::problem::Problem;
use crate::scenario::spec::{LawSection, Spec};
use crate::system::IntegratorName;

/// Builds and checks the bonds of a law.
pub(super) fn collect(
    check: Check<'_>,
    at: &Place,
    law: &LawSection,
    dimension: usize,
) -> Result<Option<BondLaw>, Problem> {
    let Some(keys) = &law.bond else {
        return Ok(None);
    };
    let at = at.key("bond");
    let stiffness = stiffness(check, &at, keys, dimension)?;
    let strength = strength(check, &at, keys, dimension)?;
    Ok(Some(BondLaw {
        when: keys.when,
        gap: check.non_negative(&at.key("gap"), keys.gap)?,
        stiffness,
        damping: check.non_negative(&at.key("damping"), keys.damping)?,
        strength,
        scatter: scatter(check, &at, keys, strength.is_some())?,
        rigid: keys.rigid,
    }))
}

/// Refuses bonds of grains of several parts, which have none, and those of materials of which there are no grains.
pub(super) fn check<D: Dimension>(
    spec: &Spec,
    materials: &[String],
    grains: &[Grain<D>],
    agglomerates: &Agglomerates,
) -> Result<(), Problem> {
    let loose = |grain: &&Grain<D>| {
        let name = &materials[usize::from(grain.material)];
        let holds = |law: &LawSection| law.bond.is_some() && law.between.iter().all(|m| m == name);
        agglomerates.of(grain.id).is_some() && !spec.law.iter().any(holds)
    };
    if let Some(grain) = grains.iter().find(loose) {
        let name = &materials[usize::from(grain.material)];
        let what = format!("nothing holds the agglomerates of `{name}` together");
        let help = format!("add `[law.bond]` to the law between `{name}` and `{name}`");
        return Err(Problem::at_key(&Place::of("shape"), what).help(help));
    }
    for (index, law) in spec
        .law
        .iter()
        .enumerate()
        .filter(|(_, law)| law.bond.is_some())
    {
        let at = Place::of("law").index(index).key("bond");
        let stepped = law
            .bond
            .as_ref()
            .is_some_and(|keys| keys.rigid == Rigid::Never);
        if spec.run.integrator == IntegratorName::Euler && stepped {
            let what = "under `euler` bonds swing ever more, since nothing ends them as it ends contacts; take `verlet` or `midpoint`";
            return Err(Problem::at_key(&at, what));
        }
        rigid(spec, &at, law)?;
        let gap = law.bond.as_ref().map_or(0.0, |keys| keys.gap);
        let of_law = |grain: &&Grain<D>| {
            let name = &materials[usize::from(grain.material)];
            law.between.contains(name)
        };
        let radii = grains.iter().filter(of_law).map(|grain| grain.radius);
        let widest = 2.0 * radii.fold(0.0, f64::max);
        if gap > widest {
            let what = format!(
                "a gap of {gap:e} m is more than the diameter of the largest grain, {widest:e} m: bonds would reach over others"
            );
            return Err(Problem::at_key(&at.key("gap"), what));
        }
        let late = law
            .bond
            .as_ref()
            .is_some_and(|keys| keys.when == When::Settled);
        let mut bonded = grains.iter().filter(of_law);
        if late && bonded.any(|grain| agglomerates.of(grain.id).is_some()) {
            let what = "agglomerates would fall apart before they have settled; leave `when` out";
            return Err(Problem::at_key(&at.key("when"), what));
        }
        let is = |name: &String| {
            grains
                .iter()
                .any(|grain| materials[usize::from(grain.material)] == *name)
        };
        if let Some(name) = law.between.iter().find(|name| !is(name)) {
            let what = format!(
                "bonds join grains that are there from the start, and there are none of `{name}`"
            );
            return Err(Problem::at_key(&at, what));
        }
        let bonded = |grain: &&Grain<D>| {
            grain.form.is_some()
                && law
                    .between
                    .contains(&materials[usize::from(grain.material)])
        };
        if let Some(grain) = grains.iter().find(bonded) {
            let name = &materials[usize::from(grain.material)];
            let what = format!(
                "bonds join disks and spheres, and there are grains of several parts of `{name}`"
            );
            return Err(Problem::at_key(&at, what));
        }
    }
    Ok(())
}

/// Refuses what rigid bodies cannot do.
fn rigid(spec: &Spec, at: &Place, law: &LawSection) -> Result<(), Problem> {
    let Some(keys) = law.bond.as_ref().filter(|keys| keys.rigid == Rigid::Always) else {
        return Ok(());
    };
    let at = at.key("rigid");
    let refused = |what: &str| Err(Problem::at_key(&at, what.to_owned()));
    if keys.when == When::Settled {
        return refused("rigid bodies form at the start, before grains settle; leave `when` out");
    }
    if let Some(given) = &keys.stiffness {
        let all = [
            ("shear", given.shear),
            ("bending", given.bending),
            ("twisting", given.twisting),
        ];
        let needed = if spec.dimension == 2 {
            &all[..2]
        } else {
            &all[..]
        };
        if let Some((name, _)) = needed.iter().find(|(_, stiffness)| *stiffness == 0.0) {
            return refused(&format!(
                "the bonds of a rigid body have to resist all deformation, and `stiffness.{name}` is 0"
            ));
        }
    }
    Ok(())
}

/// Refuses what exists in space only.
fn in_space(at: &Place, dimension: usize, given: bool) -> Result<(), Problem> {
    match given && dimension == 2 {
        true => Err(Problem::at_key(
            at,
            "in the plane nothing twists about the line between two centres; leave it out",
        )),
        false => Ok(()),
    }
}

fn stiffness(
    check: Check<'_>,
    at: &Place,
    keys: &BondKeys,
    dimension: usize,
) -> Result<BondStiffness, Problem> {
    let given = [
        ("beam", keys.beam.is_some()),
        ("stiffness", keys.stiffness.is_some()),
    ];
    check.one_of(at, "how stiff the bonds are", &given)?;
    if let Some(beam) = &keys.beam {
        let at = at.key("beam");
        return Ok(BondStiffness::Beam {
            young: check.positive(&at.key("young"), beam.young)?,
            poisson: check.within(&at.key("poisson"), beam.poisson, 0.0, 0.5)?,
            radius: check.positive(&at.key("radius"), beam.radius)?,
        });
    }
    let at = at.key("stiffness");
    let Some(given) = &keys.stiffness else {
        return Err(Problem::at_key(&at, "no stiffness is given"));
    };
    in_space(&at.key("twisting"), dimension, given.twisting != 0.0)?;
    Ok(BondStiffness::Given([
        check.positive(&at.key("normal"), given.normal)?,
        check.non_negative(&at.key("shear"), given.shear)?,
        check.non_negative(&at.key("bending"), given.bending)?,
        check.non_negative(&at.key("twisting"), given.twisting)?,
    ]))
}

fn strength(
    check: Check<'_>,
    at: &Place,
    keys: &BondKeys,
    dimension: usize,
) -> Result<Option<Strength>, Problem> {
    if let (Some(stress), Some(_)) = (&keys.strength, &keys.loads) {
        let both = format!(
            "`strength` (tension {} Pa) and `loads` both say when the bonds break; give one",
            stress.tension
        );
        return Err(Problem::at_key(&at.key("loads"), both));
    }
    if let Some(stress) = &keys.strength {
        let at = at.key("strength");
        if keys.beam.is_none() {
            let what =
                "stresses need the cross-section of a `beam`; give `loads` beside `stiffness`";
            return Err(Problem::at_key(&at, what));
        }
        return Ok(Some(Strength::Stress([
            check.positive(&at.key("tension"), stress.tension)?,
            check.positive(&at.key("shear"), stress.shear)?,
        ])));
    }
    let Some(loads) = &keys.loads else {
        return Ok(None);
    };
    let at = at.key("loads");
    in_space(&at.key("twisting"), dimension, loads.twisting.is_some())?;
    let load = |key: &str, given: Option<f64>| match given {
        Some(value) => check.positive(&at.key(key), value),
        None => Ok(f64::INFINITY),
    };
    let all = [
        load("tension", loads.tension)?,
        load("shear", loads.shear)?,
        load("bending", loads.bending)?,
        load("twisting", loads.twisting)?,
    ];
    Ok(Some(Strength::Loads(all)))
}

fn scatter(
    check: Check<'_>,
    at: &Place,
    keys: &BondKeys,
    breaks: bool,
) -> Result<Scatter, Problem> {
    let at = at.key("scatter");
    let Some(given) = &keys.scatter else {
        return Ok(Scatter::None);
    };
    if !breaks {
        let what = "bonds without `strength` or `loads` do not break, so that nothing scatters";
        return Err(Problem::at_key(&at, what));
    }
    let kinds = [
        ("deviation", given.deviation.is_some()),
        ("weibull", given.weibull.is_some()),
    ];
    check.one_of(&at, "how strengths scatter", &kinds)?;
    let volume = match given.volume {
        Some(volume) => Some(check.positive(&at.key("volume"), volume)?),
        None => None,
    };
    if let Some(deviation) = given.deviation {
        if volume.is_some() {
            let what = "a volume belongs to `weibull`";
            return Err(Problem::at_key(&at.key("volume"), what));
        }
        let key = at.key("deviation");
        return Ok(Scatter::Normal(check.non_negative(&key, deviation)?));
    }
    if volume.is_some() && keys.beam.is_none() {
        let what = "the size of a bond is that of its `beam`";
        return Err(Problem::at_key(&at.key("volume"), what));
    }
    let key = at.key("weibull");
    let modulus = check.positive(&key, given.weibull.unwrap_or(f64::NAN))?;
    Ok(Scatter::Weibull(modulus, volume))
}
