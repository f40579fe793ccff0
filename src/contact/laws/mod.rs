//! The contact laws, one file each.
//!
//! A law is a struct of its parameters that implements [`Law`], and a struct of its keys in scenarios that implements
//! [`Keys`](keys::Keys). Its file and its line in `laws!` below are all that it needs: scenarios, kernels, the step,
//! solves, collisions and the capability table use what it declares.

pub mod keys;

use serde::{Deserialize, Serialize};

use super::law::{Elastic, Law, Loss};
use super::own::OwnLawHandle;

/// Makes for all laws the enum, the macro that evaluates an expression with one of them, and the macro that passes on
/// all keys.
macro_rules! laws {
    ($($(#[$doc:meta])* $key:ident: $keys:ident => $($law:ident),+;)+) => {
        $(mod $key;)+
        $(pub use $key::{$keys, $($law),+};)+

        /// The law of a pair of materials, without terms.
        #[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
        pub enum ContactLaw {
            $($(
                #[doc = concat!("See [`", stringify!($law), "`].")]
                $law($law),
            )+)+
            /// A law that a program brings.
            Own(OwnLawHandle),
        }

        $($(
            impl From<$law> for ContactLaw {
                fn from(law: $law) -> Self {
                    ContactLaw::$law(law)
                }
            }
        )+)+

        impl ContactLaw {
            /// Name of the key that gives such a law.
            #[must_use]
            pub fn key(&self) -> &'static str {
                match self {
                    $($(ContactLaw::$law(_) => stringify!($key),)+)+
                    ContactLaw::Own(law) => law.name(),
                }
            }
        }

        /// Runs an expression with the law in scope as what it is.
        macro_rules! with_contact_law {
            ($any:expr, $name:ident => $body:expr) => {
                match $any {
                    $($($crate::contact::ContactLaw::$law($name) => $body,)+)+
                    $crate::contact::ContactLaw::Own($name) => $body,
                }
            };
        }
        pub(crate) use with_contact_law;

        /// The same for what is compiled for each law of this crate; a law that a program brings never comes there
        /// ([`LinkLaw::new`](crate::contact::LinkLaw::new)).
        macro_rules! with_compiled_law {
            ($any:expr, $name:ident => $body:expr) => {
                match $any {
                    $($($crate::contact::ContactLaw::$law($name) => $body,)+)+
                    $crate::contact::ContactLaw::Own(_) => {
                        unreachable!("a law of a program is evaluated with terms")
                    }
                }
            };
        }
        pub(crate) use with_compiled_law;

        /// Hands all laws, as `key: Keys => Law, ...;` with what each is, to a macro.
        macro_rules! with_all_laws {
            ($macro:ident) => {
                $macro! { $($(#[$doc])* $key: $keys => $($law),+;)+ }
            };
        }
        pub(crate) use with_all_laws;
    };
}

laws! {
    /// Linear springs and dashpots.
    linear: LinearKeys => Linear, LinearPerMass;
    /// Hertz's normal force with Mindlin's tangential stiffness.
    hertz: HertzKeys => Hertz;
    /// Hertz's normal force with damping in proportion to the rate of that force.
    viscoelastic: ViscoelasticKeys => Viscoelastic;
    /// Hertz's normal force, weaker while the two part, and friction that goes through zero with the sliding
    /// speed.
    hertz_hysteretic: HertzHystereticKeys => HertzHysteretic;
    /// Hertz's normal force up to a yield pressure, then a plastic one; stiffer unloading.
    thornton_ning: ThorntonNingKeys => ThorntonNing;
}

impl ContactLaw {
    /// Returns the elastic normal force as a function of the overlap.
    #[must_use]
    pub fn elastic(&self) -> Elastic {
        with_contact_law!(self, law => law.elastic())
    }
    /// Returns the kind of energy loss along the normal.
    #[must_use]
    pub fn loss(&self) -> Loss {
        with_contact_law!(self, law => law.loss())
    }
    /// Returns the tangential stiffness at an overlap (m) and an effective radius (m), N/m.
    #[must_use]
    pub fn tangential_stiffness(&self, overlap: f64, radius: f64) -> f64 {
        with_contact_law!(self, law => law.tangential_stiffness(overlap, radius))
    }
    /// Returns tangential over normal stiffness where both depend on the overlap in the same way: see
    /// [`Law::tangential_ratio`].
    #[must_use]
    pub fn tangential_ratio(&self) -> f64 {
        with_contact_law!(self, law => law.tangential_ratio())
    }
    /// Returns Coulomb's friction coefficient.
    #[must_use]
    pub fn friction(&self) -> f64 {
        with_contact_law!(self, law => law.friction())
    }
    /// Returns the sliding speed at which friction has half its limit, if it passes smoothly through zero with the
    /// speed, m/s.
    #[must_use]
    pub fn smoothing_speed(&self) -> Option<f64> {
        with_contact_law!(self, law => law.smoothing_speed())
    }
    /// Whether the law depends on the radii of the bodies.
    #[must_use]
    pub fn needs_radius(&self) -> bool {
        fn of<W: Law>(_: &W) -> bool {
            W::NEEDS_RADIUS
        }
        with_contact_law!(self, law => of(law))
    }
    /// Whether the stiffness of tangential springs depends on the overlap.
    pub(crate) fn stiffens(&self) -> bool {
        fn of<W: Law>(_: &W) -> bool {
            W::STIFFENS
        }
        with_contact_law!(self, law => of(law))
    }
    /// Whether links store a loading history, so that tables and solves for springs alone do not apply.
    #[must_use]
    pub fn remembers(&self) -> bool {
        fn of<W: Law>(_: &W) -> bool {
            W::COMPOSED
        }
        with_contact_law!(self, law => of(law))
    }
    /// Returns the overlap at which the stiffness for a step is taken: see [`Law::overlap_at`].
    #[must_use]
    pub fn overlap_at(&self, mass: f64, radius: f64, speed: f64) -> f64 {
        with_contact_law!(self, law => law.overlap_at(mass, radius, speed))
    }
    /// Whether the law supports cohesion, resistances and a limit on the spring alone.
    #[must_use]
    pub fn takes_terms(&self) -> bool {
        fn of<W: Law>(_: &W) -> bool {
            W::TAKES_TERMS
        }
        with_contact_law!(self, law => of(law))
    }
}
