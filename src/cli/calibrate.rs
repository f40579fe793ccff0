//! `arenite calibrate`: derives a contact law from measured properties of grains.

use serde_json::json;

use super::CalibrateArgs;
use super::failure::Failure;
use super::report::{print, print_json, short};
use crate::contact::Linear;
use crate::contact::calibrate::{Pair, Softened};
use crate::geometry::{Dimension, Planar, Spatial};
use crate::scenario::{AnySetup, Scenario};
use crate::system::System;

/// Prints the law of two equal grains, and its effect on an impact.
pub(super) fn calibrate(args: &CalibrateArgs) -> Result<(), Failure> {
    let positive = [
        ("--radius", Some(args.radius)),
        ("--density", Some(args.density)),
        ("--speed", Some(args.speed)),
        ("--young", args.young),
    ];
    for (name, value) in positive {
        if value.is_some_and(|v| !(v > 0.0 && v.is_finite())) {
            return wrong(name, "a finite number greater than 0");
        }
    }
    for (name, value) in [("--friction", args.friction), ("--load", args.load)] {
        if !(value >= 0.0 && value.is_finite()) {
            return wrong(name, "a finite number, 0 or more");
        }
    }
    if !(args.restitution > 0.0 && args.restitution <= 1.0) {
        return wrong("--restitution", "over 0 and up to 1");
    }
    if !(args.overlap > 0.0 && args.overlap <= 0.2) {
        return wrong("--overlap", "over 0 and up to 0.2 of the radius");
    }
    if !(0.0..=0.5).contains(&args.poisson) {
        return wrong("--poisson", "from 0 to 0.5");
    }
    match (args.dimension, args.young) {
        (2, Some(_)) => wrong("--young", "for spheres, with --dimension 3"),
        (2, None) => of::<Planar>(args),
        (3, _) => of::<Spatial>(args),
        _ => wrong("--dimension", "2 or 3"),
    }
}

fn wrong(name: &str, must: &str) -> Result<(), Failure> {
    Err(Failure::Input(format!("{name} must be {must}")))
}

fn of<D: Dimension>(args: &CalibrateArgs) -> Result<(), Failure> {
    let pair = Pair {
        mass: args.density * D::ball_measure(args.radius),
        radius: args.radius,
        inertia: D::BALL_INERTIA,
        restitution: args.restitution,
        friction: args.friction,
        speed: args.speed,
        load: args.load,
        overlap: args.overlap,
    };
    match args.young {
        Some(young) => hertz::<D>(args, &pair, young),
        None => linear::<D>(args, &pair),
    }
}

fn linear<D: Dimension>(args: &CalibrateArgs, pair: &Pair) -> Result<(), Failure> {
    let Linear {
        normal_stiffness: kn,
        tangential_stiffness: kt,
        normal_damping: cn,
        tangential_damping: ct,
        friction,
    } = pair.linear();
    let keys = format!(
        "linear = {{ normal_stiffness = {kn:.4e}, tangential_stiffness = {kt:.4e}, normal_damping = {cn:.4e}, \
         tangential_damping = {ct:.4e}, friction = {friction} }}"
    );
    let step = step::<D>(args, &keys, "")?;
    let impact = pair.speed * (0.5 * pair.mass / kn).sqrt();
    let time = pair.linear_time(kn);
    if args.json {
        return print_json(&json!({
            "linear": {"normal_stiffness": kn, "tangential_stiffness": kt, "normal_damping": cn,
                "tangential_damping": ct, "friction": friction},
            "mass": pair.mass, "impact_overlap": impact, "load_overlap": pair.load / kn,
            "contact_time": time, "step": step,
        }));
    }
    let mut lines = vec![
        format!("[material.grain]\ndensity = {}\n", args.density),
        format!("[[law]]\nbetween = [\"grain\", \"grain\"]\n{keys}\n"),
    ];
    lines.extend(effect(pair, [impact, pair.load / kn], time, step));
    print((lines.join("\n") + "\n").as_bytes())
}

fn hertz<D: Dimension>(args: &CalibrateArgs, pair: &Pair, young: f64) -> Result<(), Failure> {
    let soft: Softened = pair.softened(young, args.poisson);
    let keys = format!(
        "hertz = {{ restitution = {}, friction = {} }}",
        args.restitution, args.friction
    );
    let moduli = |young: f64| format!("young = {young:.4e}\npoisson = {}", args.poisson);
    let (now, real) = (
        step::<D>(args, &keys, &moduli(soft.young))?,
        step::<D>(args, &keys, &moduli(young))?,
    );
    let overlaps = pair.hertz_overlaps(soft.young, args.poisson);
    let time = pair.hertz_time(overlaps[0]);
    if args.json {
        return print_json(&json!({
            "hertz": {"restitution": args.restitution, "friction": args.friction},
            "young": soft.young, "poisson": args.poisson, "softer": young / soft.young,
            "longer": soft.longer, "deeper": soft.deeper,
            "mass": pair.mass, "impact_overlap": overlaps[0], "load_overlap": overlaps[1],
            "contact_time": time, "step": now, "step_unsoftened": real,
        }));
    }
    let mut lines = vec![
        format!(
            "[material.grain]\ndensity = {}\n{}\n",
            args.density,
            moduli(soft.young)
        ),
        format!("[[law]]\nbetween = [\"grain\", \"grain\"]\n{keys}\n"),
    ];
    lines.extend(effect(pair, overlaps, time, now));
    let deepest = overlaps[0].max(overlaps[1]) / args.radius;
    lines.push(if soft.longer > 1.0 {
        format!(
            "softened  by {}: impacts last {} times as long and go as much deeper, loads press {} times as deep; \
             restitution and friction are the same. With {young:.3e} Pa the step would be {real:.2e} s",
            short(young / soft.young),
            short(soft.longer),
            short(soft.deeper)
        )
    } else if deepest > args.overlap * (1.0 + 1e-9) {
        format!(
            "softened  not at all: the modulus given is softer already; it lets overlaps of {deepest:.3} of the radius, more than \
             the {} asked for",
            args.overlap
        )
    } else {
        "softened  not at all: the modulus given lets no more overlap than asked".into()
    });
    print((lines.join("\n") + "\n").as_bytes())
}

/// Describes the effect of an impact and of a load.
fn effect(pair: &Pair, [impact, load]: [f64; 2], time: f64, step: f64) -> Vec<String> {
    let share = |overlap: f64| short(100.0 * overlap / pair.radius);
    vec![
        format!("mass      {:.3e} kg", pair.mass),
        format!(
            "overlap   {} % of the radius at most when they meet at {} m/s, {} % under {} N",
            share(impact),
            short(pair.speed),
            share(load),
            short(pair.load)
        ),
        format!("contact   {time:.2e} s without loss"),
        format!("step      {step:.2e} s, as chosen for such grains"),
    ]
}

/// Returns the step that the program chooses for such grains meeting at that speed.
fn step<D: Dimension>(args: &CalibrateArgs, law: &str, moduli: &str) -> Result<f64, Failure> {
    let zeros = |first: f64| {
        let rest = vec!["0.0"; D::N - 1].join(", ");
        format!("[{first:e}, {rest}]")
    };
    let text = format!(
        "name = \"pair\"\ndimension = {}\n[run]\nend_time = 1.0\n[material.grain]\ndensity = {:e}\n{moduli}\n\
         [[law]]\nbetween = [\"grain\", \"grain\"]\n{law}\n[[fill]]\nmaterial = \"grain\"\n\
         grains = [{{ position = {}, radius = {:e}, velocity = {} }}, {{ position = {}, radius = {:e} }}]\n",
        D::N,
        args.density,
        zeros(0.0),
        args.radius,
        zeros(args.speed),
        zeros(4.0 * args.radius),
        args.radius,
    );
    let scenario = Scenario::parse("pair", &text, None, &[])?;
    let plan = match scenario.resolve()?.setup {
        AnySetup::Planar(setup) => System::plan(&setup),
        AnySetup::Spatial(setup) => System::plan(&setup),
    };
    Ok(plan
        .map_err(|error| Failure::Input(error.to_string()))?
        .step)
}
