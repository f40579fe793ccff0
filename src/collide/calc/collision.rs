//! `arenite calc collision` and `arenite calc mapping`: the outcome of a binary contact.

use serde::Deserialize;
use serde_json::{Value, json};

use crate::cases::{CalcError, each, not_negative, parse, positive, vector, wrong};
use crate::collide::resolved;
use crate::collide::resolved::{Frictionless, Mapping};
use crate::collide::soft::Touch;
use crate::contact::{ContactLaw, Linear, Viscoelastic};
use crate::geometry::{Dimension, Planar, Spatial, Vector};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct MappingCase {
    l: f64,
    c_phi: f64,
    c_dis: f64,
}

/// The scaled linear-dashpot problem of the soft-sphere paper: `{"l":, "c_phi":, "c_dis":}` gives
/// `{"eps_r":, "eps_phi":, "eps_rdot":, "tau":}`.
pub fn mapping(input: Value) -> Result<Value, CalcError> {
    each(input, |case| {
        let case: MappingCase = parse(case)?;
        positive(case.l, "l")?;
        not_negative(case.c_phi, "c_phi")?;
        not_negative(case.c_dis, "c_dis")?;
        let mapping = resolved::scaled_linear(case.l, case.c_phi, case.c_dis)
            .map_err(|error| wrong("the case", error.to_string()))?;
        Ok(json!({
            "eps_r": mapping.eps_r,
            "eps_phi": mapping.eps_phi,
            "eps_rdot": mapping.eps_rdot,
            "tau": mapping.tau,
        }))
    })
}

#[derive(Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Model {
    Hard,
    Soft,
    Resolved,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct CollisionCase {
    model: Model,
    #[serde(default)]
    law: Option<ForceCase>,
    #[serde(default)]
    restitution: Option<f64>,
    grains: [CollisionGrain; 2],
}

/// The force of a contact, as a function of the overlap x and its rate x'.
#[derive(Clone, Copy, Deserialize)]
#[serde(tag = "kind", rename_all = "lowercase", deny_unknown_fields)]
enum ForceCase {
    /// kn x + cn x', N/m and N s/m.
    Linear { kn: f64, cn: f64 },
    /// kh x^1.5, N/m^1.5 (Hertz 1882).
    Hertz { kh: f64 },
    /// kh (x^1.5 + 1.5 a sqrt(x) x'), a in s (Brilliantov, Spahn, Hertzsch and Poeschel 1996).
    Viscoelastic { kh: f64, a: f64 },
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct CollisionGrain {
    mass: f64,
    radius: f64,
    position: Vec<f64>,
    velocity: Vec<f64>,
}

/// One frictionless collision of two grains that just touch, by the `hard`, `soft` or `resolved`
/// model: duration, mapping and states at the end of contact. Soft and resolved give the same end
/// state here: the soft mapping is solved for the case, not interpolated.
pub fn collision(input: Value) -> Result<Value, CalcError> {
    each(input, |case| {
        let case: CollisionCase = parse(case)?;
        match case.grains[0].position.len() {
            2 => collision_in::<Planar>(&case),
            3 => collision_in::<Spatial>(&case),
            n => Err(wrong(
                "grains[0].position",
                format!("has {n} numbers; 2 or 3 are allowed"),
            )),
        }
    })
}

/// The two grains of a case, which must just touch and approach each other, and their positions.
fn touch<D: Dimension>(
    grains: &[CollisionGrain; 2],
) -> Result<(Touch<D>, [D::Vector; 2]), CalcError> {
    let [a, b] = [0, 1].map(|i| {
        let (grain, at) = (&grains[i], |key: &str| format!("grains[{i}].{key}"));
        positive(grain.mass, &at("mass"))?;
        positive(grain.radius, &at("radius"))?;
        Ok((
            vector::<D>(&grain.position, &at("position"))?,
            vector::<D>(&grain.velocity, &at("velocity"))?,
        ))
    });
    let ((x1, v1), (x2, v2)) = (a?, b?);
    let (reach, sum) = ((x2 - x1).norm(), grains[0].radius + grains[1].radius);
    if (reach - sum).abs() > 1e-6 * sum {
        return Err(wrong(
            "grains",
            format!(
                "must just touch: their centres are {reach} m apart, the sum of their radii is {sum} m"
            ),
        ));
    }
    let masses = [grains[0].mass, grains[1].mass];
    let touch = Touch::new(masses, [x1, x2], [v1, v2]).ok_or_else(|| {
        wrong(
            "grains",
            "do not approach each other, so they do not collide",
        )
    })?;
    Ok((touch, [x1, x2]))
}

fn collision_in<D: Dimension>(case: &CollisionCase) -> Result<Value, CalcError> {
    let (touch, positions) = touch::<D>(&case.grains)?;
    if case.model == Model::Hard {
        if case.law.is_some() {
            let message = "belongs to the models soft and resolved; hard takes restitution";
            return Err(wrong("law", message));
        }
        let restitution = case.restitution.ok_or_else(|| {
            wrong(
                "restitution",
                "is missing; the hard model needs one from 0 to 1",
            )
        })?;
        if !(0.0..=1.0).contains(&restitution) {
            return Err(wrong(
                "restitution",
                format!("must be from 0 to 1, not {restitution}"),
            ));
        }
        let mapping = Mapping {
            eps_r: 1.0,
            eps_phi: 0.0,
            eps_rdot: -restitution,
            tau: 0.0,
        };
        return Ok(result::<D>(
            &mapping,
            0.0,
            positions,
            touch.hard(restitution),
        ));
    }
    if case.restitution.is_some() {
        let message = "belongs to the model hard; soft and resolved take law";
        return Err(wrong("restitution", message));
    }
    let law = case.law.ok_or_else(|| {
        wrong(
            "law",
            "is missing; one of the kinds linear, hertz and viscoelastic is needed",
        )
    })?;
    let law = frictionless(&law)?;
    let (mass, approach) = (touch.effective_mass, touch.approach);
    let mapping = resolved::collide(&law, mass, touch.reach, approach, touch.tangential)
        .map_err(|error| wrong("the case", error.to_string()))?;
    let collision = touch.collision(mapping, mapping.tau * law.time_scale(mass, approach));
    Ok(result::<D>(
        &mapping,
        collision.duration,
        collision.positions(),
        collision.velocities(),
    ))
}

/// The contact law with the given force.
fn frictionless(force: &ForceCase) -> Result<Frictionless, CalcError> {
    // For balls with an effective radius of 1 m.
    let viscoelastic = |kh: f64, dissipation: f64| {
        let young = 0.75 * positive(kh, "law.kh")?;
        Ok(ContactLaw::Viscoelastic(Viscoelastic {
            young,
            shear: 0.0,
            dissipation,
            friction: 0.0,
        }))
    };
    let law = match *force {
        ForceCase::Linear { kn, cn } => ContactLaw::Linear(Linear {
            normal_stiffness: positive(kn, "law.kn")?,
            tangential_stiffness: 0.0,
            normal_damping: not_negative(cn, "law.cn")?,
            tangential_damping: 0.0,
            friction: 0.0,
        }),
        ForceCase::Hertz { kh } => viscoelastic(kh, 0.0)?,
        ForceCase::Viscoelastic { kh, a } => viscoelastic(kh, not_negative(a, "law.a")?)?,
    };
    Frictionless::of(&law, 1.0).ok_or_else(|| wrong("law", "cannot be scaled"))
}

fn result<D: Dimension>(
    mapping: &Mapping,
    duration: f64,
    positions: [D::Vector; 2],
    velocities: [D::Vector; 2],
) -> Value {
    let list = |v: &D::Vector| v.components().collect::<Vec<f64>>();
    let grains: Vec<Value> = positions
        .iter()
        .zip(&velocities)
        .map(|(x, v)| json!({ "position": list(x), "velocity": list(v) }))
        .collect();
    json!({
        "duration": duration,
        "eps_r": mapping.eps_r,
        "eps_phi": mapping.eps_phi,
        "eps_rdot": mapping.eps_rdot,
        "tau": mapping.tau,
        "grains": grains,
    })
}
