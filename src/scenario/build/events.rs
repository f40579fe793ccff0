//! The event-driven model: checks of the scenario, and collision rules.

use super::check::Check;
use crate::collide::engine::{ByLaw, Laws, Rough, Rule, no_soft};
use crate::collide::table::FINEST;
use crate::geometry::{Dimension, Vector};
use crate::scenario::path::Place;
use crate::scenario::problem::Problem;
use crate::scenario::spec::{EventsSpec, RuleSpec, Spec};
use crate::system::{CollapseName, CollisionsName, EventsSetup, Setup, events};

/// Greatest overlap of hard bodies at the start, as fraction of the radius: rounding only.
pub(super) const START_OVERLAP: f64 = 1e-9;

/// Checks the section against the rest of the scenario.
pub(super) fn build<D: Dimension>(
    check: Check<'_>,
    spec: &Spec,
    setup: &Setup<D>,
) -> Result<Option<EventsSetup>, Problem> {
    let Some(section) = &spec.events else {
        return Ok(None);
    };
    let at = Place::of("events");
    check.non_negative(&at.key("contact_time"), section.contact_time)?;
    if let Some(restitution) = section.restitution {
        check.within(&at.key("restitution"), restitution, 0.0, 1.0)?;
    }
    check.within(&at.key("tolerance"), section.tolerance, FINEST, 0.01)?;
    let soft = section.collisions == CollisionsName::Soft;
    if soft && section.restitution.is_some() {
        return Err(Problem::at_key(
            &at.key("restitution"),
            "soft collisions follow contact laws, and `restitution` would take all pairs from them",
        )
        .help("leave it out; pairs that shall collide by a number get an [[events.rule]]"));
    }
    refuse_others(spec, setup)?;
    let count = setup.matter.materials.len();
    let mut rules = Vec::with_capacity(count * count);
    let mut laws = Laws {
        pairs: Vec::with_capacity(count * count),
        tolerance: section.tolerance,
    };
    for a in 0..count {
        for b in 0..count {
            let rule = rule(&at, section, setup, [a, b])?;
            let law = setup.matter.laws.get(a as u16, b as u16).copied();
            let by_law = match rule {
                Some(_) => None,
                None => law.map(|law| ByLaw {
                    law,
                    terms: setup.matter.laws.terms(a as u16, b as u16),
                    soft,
                }),
            };
            if let Some(by_law) = by_law.filter(|_| soft && of_grains(setup, a))
                && let Some(why) = no_soft(&by_law)
                && of_grains(setup, b)
            {
                let [a, b] = [a, b].map(|index| setup.matter.materials[index].as_str());
                return Err(Problem::at_key(
                    &at.key("collisions"),
                    format!("the law between `{a}` and `{b}` {why}"),
                )
                .help("with `collisions = \"hard\"` any law will do, friction included"));
            }
            rules.push(rule.unwrap_or(Rule::smooth(1.0)));
            laws.pairs.push(by_law);
        }
    }
    if soft && laws.pairs.iter().all(Option::is_none) {
        return Err(Problem::at_key(
            &at.key("collisions"),
            "no pair collides by its contact law, so that nothing is soft",
        ));
    }
    if laws.pairs.iter().all(Option::is_none) {
        laws.pairs = Vec::new();
    }
    check_rules(check, &at, section, &setup.matter.materials)?;
    let found = EventsSetup {
        rules,
        laws,
        contact_time: contact_time(section, setup),
        collapse: section.collapse,
    };
    let mut trial = setup.clone();
    trial.models.events = Some(found.clone());
    let problem = |(wall, what): (Option<usize>, String)| match wall {
        Some(index) => Problem::at_key(&Place::of("boundary").index(index), what),
        None => Problem::at_key(&at, what),
    };
    events::engine_setup(&trial).map_err(problem)?;
    Ok(Some(found))
}

/// Returns the given contact time; else, if pairs are to collide without loss, a hundredth of the time in which the
/// smallest grain falls by its radius; 0 without gravity.
fn contact_time<D: Dimension>(section: &EventsSpec, setup: &Setup<D>) -> f64 {
    if section.collapse != CollapseName::Elastic || section.contact_time > 0.0 {
        return section.contact_time;
    }
    let radii = setup.grains.iter().map(|g| g.radius);
    let fed = setup.sources.feeds.iter().map(|feed| feed.what.least());
    let smallest = radii.chain(fed).fold(f64::INFINITY, f64::min);
    let fall = (2.0 * smallest / setup.fields.gravity.norm()).sqrt();
    if fall.is_finite() { 0.01 * fall } else { 0.0 }
}

/// Warns if pairs are to collide without loss but the contact time is zero.
pub(super) fn warnings<D: Dimension>(setup: &Setup<D>) -> Vec<String> {
    let idle = |events: &&EventsSetup| {
        events.collapse == CollapseName::Elastic && events.contact_time == 0.0
    };
    setup
        .models.events
        .iter()
        .filter(idle)
        .map(|_| {
            "`events.collapse = \"elastic\"` does nothing: `events.contact_time` is 0, and without gravity nothing tells which it should be"
                .to_string()
        })
        .collect()
}

/// Refuses other models that would replace stepping or be combined with it.
fn refuse_others<D: Dimension>(spec: &Spec, setup: &Setup<D>) -> Result<(), Problem> {
    let others = [
        ("quasi_static", setup.models.quasi_static.is_some()),
        (
            "morph",
            spec.morph.as_ref().is_some_and(|morph| morph.rigid),
        ),
    ];
    match others.into_iter().find(|(_, there)| *there) {
        None => Ok(()),
        Some((name, _)) => Err(Problem::at_key(
            &Place::of(name),
            format!("[{name}] is another model than [events]; leave one of the two out"),
        )),
    }
}

fn check_rules(
    check: Check<'_>,
    at: &Place,
    section: &EventsSpec,
    materials: &[String],
) -> Result<(), Problem> {
    for (k, rule) in section.rule.iter().enumerate() {
        let here = at.key("rule").index(k);
        for name in &rule.between {
            if !materials.contains(name) {
                return Err(Problem::at(
                    &here.key("between"),
                    format!("no grain and no wall is of `{name}`"),
                )
                .help(format!("there are: {}", materials.join(", "))));
            }
        }
        if let Some(first) = section.rule[..k]
            .iter()
            .position(|other| same(other, &rule.between))
        {
            return Err(Problem::at(
                &here.key("between"),
                format!("`events.rule[{k}]` and `events.rule[{first}]` are for the same pair"),
            ));
        }
        check.within(&here.key("restitution"), rule.restitution, 0.0, 1.0)?;
        if let Some(friction) = rule.friction {
            check.non_negative(&here.key("friction"), friction)?;
        }
        if let Some(beta) = rule.tangential_restitution {
            check.within(&here.key("tangential_restitution"), beta, -1.0, 1.0)?;
            if rule.friction.is_none() {
                return Err(Problem::at_key(
                    &here.key("tangential_restitution"),
                    "a tangential restitution needs a `friction` beside it",
                ));
            }
        }
    }
    Ok(())
}

fn same(rule: &RuleSpec, [a, b]: &[String; 2]) -> bool {
    let [x, y] = &rule.between;
    (x == a && y == b) || (x == b && y == a)
}

/// Whether a rule, or the general restitution, determines how two materials collide.
pub(super) fn decides(section: &EventsSpec, pair: &[String; 2]) -> bool {
    section.restitution.is_some() || section.rule.iter().any(|rule| same(rule, pair))
}

/// Whether a grain of one material can meet a grain or a wall of the other.
fn can_meet<D: Dimension>(setup: &Setup<D>, a: usize, b: usize) -> bool {
    let of = |material: usize| {
        let all = setup.grains.iter();
        let there = all.filter(|grain| usize::from(grain.material) == material);
        // A feed counts as more than one grain.
        there.take(2).count() + 2 * usize::from(is_fed(setup, material))
    };
    let wall = |material: usize| {
        let mut all = setup.boundaries.iter();
        all.any(|wall| usize::from(wall.material) == material)
    };
    let grains = match a == b {
        true => of(a) > 1,
        false => of(a) > 0 && of(b) > 0,
    };
    grains || of(a) > 0 && wall(b) || of(b) > 0 && wall(a)
}

fn of_grains<D: Dimension>(setup: &Setup<D>, material: usize) -> bool {
    let mut grains = setup.grains.iter();
    is_fed(setup, material) || grains.any(|grain| usize::from(grain.material) == material)
}

/// Whether a feed supplies grains of a material.
fn is_fed<D: Dimension>(setup: &Setup<D>, material: usize) -> bool {
    let mut sorts = setup
        .sources
        .feeds
        .iter()
        .flat_map(|feed| feed.what.components());
    sorts.any(|sort| usize::from(sort.material) == material)
}

/// Returns the rule of a pair of materials; none where the contact law applies.
fn rule<D: Dimension>(
    at: &Place,
    section: &EventsSpec,
    setup: &Setup<D>,
    pair: [usize; 2],
) -> Result<Option<Rule>, Problem> {
    let names = pair.map(|index| setup.matter.materials[index].clone());
    let given = section.rule.iter().find(|rule| same(rule, &names));
    if let Some(rule) = given {
        return Ok(Some(Rule {
            restitution: rule.restitution,
            rough: rule.friction.map(|friction| Rough {
                restitution: rule.tangential_restitution.unwrap_or(0.0),
                friction,
            }),
        }));
    }
    if let Some(restitution) = section.restitution {
        return Ok(Some(Rule::smooth(restitution)));
    }
    let [a, b] = pair;
    let law = setup.matter.laws.get(a as u16, b as u16);
    if law.is_none() && can_meet(setup, a, b) {
        let [a, b] = &names;
        return Err(Problem::at_key(
            at,
            format!("`{a}` and `{b}` can meet, but neither rule nor law is given for this pair"),
        )
        .help(format!(
            "give `restitution` for all pairs, an [[events.rule]] with between = [\"{a}\", \"{b}\"], or the [[law]] of their contacts"
        )));
    }
    Ok(None)
}
