//! The event-driven model: what of a scenario it can take, and its rules.

use super::check::Check;
use crate::collide::engine::{Rough, Rule};
use crate::geometry::Dimension;
use crate::scenario::path::Place;
use crate::scenario::problem::Problem;
use crate::scenario::spec::{EventsSpec, RuleSpec, Spec};
use crate::system::{EventsSetup, Setup, events};

/// Hard bodies may overlap at the start by rounding only: as a share of the radius.
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
    refuse_others(spec, setup)?;
    let count = setup.materials.len();
    let mut rules = Vec::with_capacity(count * count);
    for a in 0..count {
        for b in 0..count {
            rules.push(rule(&at, section, setup, [a, b])?);
        }
    }
    check_rules(check, &at, section, &setup.materials)?;
    let found = EventsSetup {
        rules,
        contact_time: section.contact_time,
        collapse: section.collapse,
    };
    let mut trial = setup.clone();
    trial.events = Some(found.clone());
    let problem = |(wall, what): (Option<usize>, String)| match wall {
        Some(index) => Problem::at_key(&Place::of("boundary").index(index), what),
        None => Problem::at_key(&at, what),
    };
    events::engine_setup(&trial).map_err(problem)?;
    Ok(Some(found))
}

/// What has no meaning, or no code yet, from event to event.
fn refuse_others<D: Dimension>(spec: &Spec, setup: &Setup<D>) -> Result<(), Problem> {
    let others = [
        ("quasi_static", setup.quasi_static.is_some()),
        ("morph", spec.morph.is_some()),
        ("settle", setup.settle.is_some()),
        ("feed", !setup.feeds.is_empty()),
        ("outlet", !setup.outlets.is_empty()),
        ("perturb", !spec.perturb.is_empty()),
    ];
    for (name, there) in others {
        if there {
            return Err(Problem::at_key(
                &Place::of(name),
                format!("the event-driven model knows no `{name}`; leave it or [events] out"),
            ));
        }
    }
    if setup.drag > 0.0 {
        return Err(Problem::at_key(
            &Place::of("field").key("drag"),
            "in the event-driven model paths are free of drag; leave `drag` or [events] out",
        ));
    }
    if setup.log.stagnant.is_some() {
        return Err(Problem::at_key(
            &Place::of("log").key("stagnant"),
            "in the event-driven model nothing stands still; leave `stagnant` out",
        ));
    }
    Ok(())
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

fn rule<D: Dimension>(
    at: &Place,
    section: &EventsSpec,
    setup: &Setup<D>,
    pair: [usize; 2],
) -> Result<Rule, Problem> {
    let names = pair.map(|index| setup.materials[index].clone());
    let given = section.rule.iter().find(|rule| same(rule, &names));
    if let Some(rule) = given {
        return Ok(Rule {
            restitution: rule.restitution,
            rough: rule.friction.map(|friction| Rough {
                restitution: rule.tangential_restitution.unwrap_or(0.0),
                friction,
            }),
        });
    }
    if let Some(restitution) = section.restitution {
        return Ok(Rule::smooth(restitution));
    }
    let of_grain = |index: usize| {
        let grains = &setup.grains;
        grains
            .iter()
            .any(|grain| usize::from(grain.material) == index)
    };
    let [a, b] = pair;
    if of_grain(a) || of_grain(b) {
        let [a, b] = &names;
        return Err(Problem::at_key(
            at,
            format!("`{a}` and `{b}` can meet, but no rule is given for this pair"),
        )
        .help(format!(
            "give `restitution` for all pairs, or an [[events.rule]] with between = [\"{a}\", \"{b}\"]"
        )));
    }
    Ok(Rule::smooth(1.0))
}
