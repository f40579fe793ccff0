//! The section of a scenario for the law of a pair of materials: its laws are those of `contact::laws`.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::contact::bond::BondKeys;
use crate::contact::laws::keys::{Bound, Keys, Moduli};
use crate::contact::terms::{CohesionKeys, PlasticKeys, ResistanceKeys};
use crate::contact::{ContactLaw, laws};

/// What Coulomb's limit holds for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum CoulombLimit {
    /// The sum of the tangential spring and damper.
    #[default]
    Total,
    /// The tangential spring alone; its damper acts only while the link sticks, as in LIGGGHTS and YADE.
    Spring,
}

impl CoulombLimit {
    /// Whether this is the default, which a written scenario leaves out.
    fn is_total(&self) -> bool {
        *self == CoulombLimit::Total
    }
}

/// Makes the section, with a key for each law.
macro_rules! section {
    ($($(#[$doc:meta])* $key:ident: $keys:ident => $($law:ident),+;)+) => {
        /// The contact law of a pair of materials: exactly one law; and beside it what else acts in the link.
        #[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
        #[serde(deny_unknown_fields)]
        pub struct LawSection {
            /// The two materials; their order does not matter.
            pub between: [String; 2],
            $(
                $(#[$doc])*
                #[serde(default, skip_serializing_if = "Option::is_none")]
                pub $key: Option<laws::$keys>,
            )+
            /// Attraction of bodies in touch.
            #[serde(default, skip_serializing_if = "Option::is_none")]
            pub cohesion: Option<CohesionKeys>,
            /// A normal spring that is stiffer when unloaded.
            #[serde(default, skip_serializing_if = "Option::is_none")]
            pub plastic: Option<PlasticKeys>,
            /// Resistance to rolling.
            #[serde(default, skip_serializing_if = "Option::is_none")]
            #[schemars(extend("x-formula" = "moment R f, f = -(k s + c v), at most mr P; v = R (spin_a - spin_b) across the normal", "x-unit" = "N m", "x-source" = "Iwashita and Oda 1998; Ai, Chen, Rotter and Ooi 2011; with smoothing_speed Zhou, Wright, Yang, Xu and Yu 1999"))]
            pub rolling: Option<ResistanceKeys>,
            /// Resistance to twisting about the normal; in space only.
            #[serde(default, skip_serializing_if = "Option::is_none")]
            #[schemars(extend("x-formula" = "as rolling, of the spins along the normal", "x-unit" = "N m", "x-source" = "Luding 2008"))]
            pub twisting: Option<ResistanceKeys>,
            /// Bonds of grains: elastic beams between their centres, until they break.
            #[serde(default, skip_serializing_if = "Option::is_none")]
            #[schemars(extend("x-formula" = "k_n (r - l), k_s s, k_b (alpha - beta), k_t t: stretching, shear, bending, twisting", "x-unit" = "N and N m", "x-source" = "Potyondy and Cundall 2004; as a potential Kuzkin and Asonov 2012"))]
            pub bond: Option<BondKeys>,
            /// What Coulomb's limit holds for.
            #[serde(default, skip_serializing_if = "CoulombLimit::is_total")]
            #[schemars(extend("x-formula" = "spring: |kt s| at most mu Fn, ct w beside it", "x-unit" = "N", "x-source" = "spring: as LIGGGHTS and YADE have it"))]
            pub coulomb_limit: CoulombLimit,
            /// Where the figures come from.
            #[serde(default, skip_serializing_if = "Option::is_none")]
            pub source: Option<String>,
        }

        impl LawSection {
            /// The keys of all laws.
            pub const LAWS: &[&str] = &[$(stringify!($key)),+];

            /// Each key of a law, and whether it is given.
            pub fn given(&self) -> Vec<(&'static str, bool)> {
                vec![$((stringify!($key), self.$key.is_some())),+]
            }

            /// The law that is given, if one is.
            pub fn law(&self) -> Option<Given<'_>> {
                $(
                    if let Some(keys) = &self.$key {
                        return Some(Given {
                            key: stringify!($key),
                            needs_moduli: <laws::$keys as Keys>::NEEDS_MODULI,
                            bounds: keys.bounds(),
                            law: Box::new(move |moduli| keys.law(moduli)),
                        });
                    }
                )+
                None
            }
        }
    };
}

laws::with_all_laws!(section);

/// A law that a scenario gives.
pub struct Given<'a> {
    /// Its key.
    pub key: &'static str,
    /// Whether it goes by the moduli of the materials.
    pub needs_moduli: bool,
    /// Each number with its key and what it may be.
    pub bounds: Vec<(&'static str, f64, Bound)>,
    /// The law by the moduli of the two materials.
    pub law: Box<dyn Fn(Moduli) -> ContactLaw + 'a>,
}
