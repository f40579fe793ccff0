//! Materials and the laws of their pairs.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::grains::is_false;
use super::{CohesionSpec, PlasticSpec, ResistanceSpec};

/// A material.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct MaterialSpec {
    /// What it is, in a line.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// Density, kg/m^3; in two dimensions kg/m^2. Needed by grains, not by walls.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0.0))]
    pub density: Option<f64>,
    /// Young's modulus, Pa; needed by the laws `hertz`, `viscoelastic` and `mutze`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0.0))]
    pub young: Option<f64>,
    /// Poisson's ratio, from 0 to 0.5; needed by the laws `hertz`, `viscoelastic` and `mutze`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0.0, max = 0.5))]
    pub poisson: Option<f64>,
    /// Electric charge of a grain over its mass, C/kg; it sits at the centre.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub charge_per_mass: f64,
    /// Electric dipole moment of a grain over its mass, C m/kg: three numbers, in the plane too. It is fixed
    /// in the grain, in the frame in which its shape is given, and sits at the centre.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub electric_moment_per_mass: Option<Vec<f64>>,
    /// Magnetic dipole moment of a grain over its mass, A m^2/kg; likewise.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub magnetic_moment_per_mass: Option<Vec<f64>>,
    /// Where the figures come from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
    /// Ranges of its figures, each with its source: for the choice of values, a run does not look at them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ranges: Option<RangesSpec>,
}

/// Between which values the figures of a material are found.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RangesSpec {
    /// Density, kg/m^3; in two dimensions kg/m^2.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub density: Option<RangeSpec>,
    /// Young's modulus, Pa.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub young: Option<RangeSpec>,
    /// Poisson's ratio.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub poisson: Option<RangeSpec>,
    /// Restitution coefficient of two of its grains.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub restitution: Option<RangeSpec>,
    /// Friction coefficient of two of its grains.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub friction: Option<RangeSpec>,
    /// Radii in which it is met, m.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub radius: Option<RangeSpec>,
}

impl RangesSpec {
    /// Each figure with its name and unit, in the order of the keys.
    pub fn all(&self) -> [(&'static str, &'static str, Option<&RangeSpec>); 6] {
        [
            ("density", "kg/m^3", self.density.as_ref()),
            ("young", "Pa", self.young.as_ref()),
            ("poisson", "1", self.poisson.as_ref()),
            ("restitution", "1", self.restitution.as_ref()),
            ("friction", "1", self.friction.as_ref()),
            ("radius", "m", self.radius.as_ref()),
        ]
    }
}

/// The range of a figure.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RangeSpec {
    /// Least and greatest value.
    pub range: [f64; 2],
    /// Where it comes from; "not verified" where nobody has looked it up.
    pub source: String,
}

pub(in crate::scenario) fn is_zero(value: &f64) -> bool {
    *value == 0.0
}

/// The contact law of a pair of materials: exactly one of `linear`, `hertz`, `viscoelastic`,
/// `mutze`; and beside it what else acts in the link.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LawSpec {
    /// The two materials; their order does not matter.
    pub between: [String; 2],
    /// Linear springs and dashpots.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-formula" = "Fn = kn x - cn v, not under 0; Ft = -(kt s + ct w), at most mu Fn", "x-unit" = "N", "x-source" = "Cundall and Strack 1979"))]
    pub linear: Option<LinearSpec>,
    /// Hertz's normal force with Mindlin's tangential stiffness.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-formula" = "Fn = 4/3 E sqrt(R) x^1.5 - 2 sqrt(5/6) beta sqrt(Sn m) v; kt = 8 G sqrt(R x)", "x-unit" = "N", "x-source" = "Hertz 1882; Mindlin 1949; Tsuji, Tanaka and Ishida 1992; Antypov and Elliott 2011"))]
    pub hertz: Option<HertzSpec>,
    /// Hertz's normal force with damping in proportion to the rate of that force.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-formula" = "Fn = 4/3 E sqrt(R) (x^1.5 - 3/2 A sqrt(x) v); kt = 8 G sqrt(R x)", "x-unit" = "N", "x-source" = "Brilliantov, Spahn, Hertzsch and Poeschel 1996"))]
    pub viscoelastic: Option<ViscoelasticSpec>,
    /// Hertz's normal force, weaker while the two part, and friction that goes through zero with the sliding
    /// speed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-formula" = "Fn = 4/3 E sqrt(R) x^1.5, e^2 times that while parting; Ft = -mu Fn w / (nu + |w|)", "x-unit" = "N", "x-source" = "Mutze 2006, eqs. 53, 56, 57"))]
    pub mutze: Option<MutzeSpec>,
    /// Attraction of bodies in touch.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cohesion: Option<CohesionSpec>,
    /// A normal spring that is stiffer when unloaded.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-formula" = "Fn = k1 x on loading, k2 (x - x0) on unloading, not under -kc x", "x-unit" = "N", "x-source" = "Walton and Braun 1986; Luding 2008"))]
    pub plastic: Option<PlasticSpec>,
    /// Resistance to rolling.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-formula" = "moment R f, f = -(k s + c v), at most mr P; v = R (spin_a - spin_b) across the normal", "x-unit" = "N m", "x-source" = "Iwashita and Oda 1998; Ai, Chen, Rotter and Ooi 2011; with smoothing_speed Zhou, Wright, Yang, Xu and Yu 1999"))]
    pub rolling: Option<ResistanceSpec>,
    /// Resistance to twisting about the normal; in space only.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-formula" = "as rolling, of the spins along the normal", "x-unit" = "N m", "x-source" = "Luding 2008"))]
    pub twisting: Option<ResistanceSpec>,
    /// Coulomb's limit is on the tangential spring alone, and its damper acts only while the link sticks, as in
    /// LIGGGHTS and YADE. By default the limit is on their sum.
    #[serde(default, skip_serializing_if = "is_false")]
    #[schemars(extend("x-formula" = "|kt s| at most mu Fn, ct w beside it", "x-unit" = "N", "x-source" = "as LIGGGHTS and YADE have it"))]
    pub limit_spring_only: bool,
    /// Where the figures come from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
}

/// Linear springs and dashpots with Coulomb friction.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LinearSpec {
    /// Normal stiffness kn, N/m.
    #[schemars(range(min = 0.0))]
    pub normal_stiffness: f64,
    /// Tangential stiffness kt, N/m.
    #[schemars(range(min = 0.0))]
    pub tangential_stiffness: f64,
    /// Normal damping cn, N s/m.
    #[schemars(range(min = 0.0))]
    pub normal_damping: f64,
    /// Tangential damping ct, N s/m.
    #[schemars(range(min = 0.0))]
    pub tangential_damping: f64,
    /// Friction coefficient.
    #[schemars(range(min = 0.0))]
    pub friction: f64,
    /// Whether the damping coefficients are in 1/s and multiplied by the effective mass of the
    /// pair, which gives all sizes the same restitution.
    #[serde(default)]
    pub per_mass: bool,
}

/// Hertz's normal force, Mindlin's tangential stiffness, damping by restitution, Coulomb
/// friction. The moduli come from the two materials.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct HertzSpec {
    /// Restitution coefficient, over 0 and up to 1.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub restitution: f64,
    /// Friction coefficient.
    #[schemars(range(min = 0.0))]
    pub friction: f64,
}

/// Viscoelastic spheres: Hertz's normal force with a damper that is `dissipation` times its stiffness
/// (slow impacts lose less), Mindlin's tangential stiffness with a damper of the same time, Coulomb
/// friction. The moduli come from the two materials.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ViscoelasticSpec {
    /// Dissipation constant, s: the time by which the force of the rate runs ahead of the elastic one.
    #[schemars(range(min = 0.0))]
    pub dissipation: f64,
    /// Friction coefficient.
    #[schemars(range(min = 0.0))]
    pub friction: f64,
}

/// Hertz's normal force, and that times `squared_restitution` while the two part; friction without a
/// spring, mu F w / (nu + w) at a sliding speed w (Mutze 2006). The moduli come from the two materials.
/// What is at rest on a slope creeps.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct MutzeSpec {
    /// Square of the restitution coefficient, over 0 and up to 1.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub squared_restitution: f64,
    /// Friction coefficient mu.
    #[schemars(range(min = 0.0))]
    pub friction: f64,
    /// Sliding speed nu at which friction has half its size, m/s, over 0. The smaller, the shorter is the step.
    #[schemars(range(min = 0.0))]
    pub smoothing_speed: f64,
}

/// A file of `models/materials`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct MaterialFile {
    /// Materials by name.
    pub material: BTreeMap<String, MaterialSpec>,
    /// Laws of their pairs.
    #[serde(default)]
    pub law: Vec<LawSpec>,
}
