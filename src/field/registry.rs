//! The fields of scenarios, one file each.
//!
//! A field is a struct with [`Kind`], the interface to the rest of the program, and [`Read`], which reads it from its
//! keys. Its file and its entry in `fields!` below are all that it needs: scenarios, the set of fields, the step and
//! the capability table use what it declares.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::alternating::{self, AccelerationKeys, Alternating};
use super::central::{self, CentralField, CentralKeys};
use super::electric::{self, Electric};
use super::fluid::{self, FlowKeys, Fluid, FluidKeys};
use super::grid::GridKeys;
use super::keys::{View, is_zero};
use super::kind::{FieldRow, Kind, Read};
use super::magnetic::{self, Magnetic};
use super::oscillation::VectorKeys;
use super::own::OwnFieldHandle;
use super::rotation::{self, TurningFrame, TurningKeys};
use super::source::Carried;
use super::table::{self, TabulatedField};
use crate::geometry::Dimension;

/// Makes for all fields the section of scenarios, the fields of a setup, their features, and the macro that passes on
/// all features.
macro_rules! fields {
    ($(
        $(#[$meta:meta])* $key:ident: $keys:ty $(, $(#[$more_meta:meta])* $more:ident: $more_keys:ty)*
            => $field:ty { $($feature:ident: $row:path),+ };
    )+) => {
        /// Forces that act everywhere.
        #[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
        #[serde(deny_unknown_fields)]
        pub struct FieldSection {
            /// Gravity, m/s^2, a number for each dimension; none when absent.
            #[serde(default, skip_serializing_if = "Option::is_none")]
            #[schemars(extend("x-formula" = "m g", "x-unit" = "m/s^2", "x-source" = "Newton"))]
            pub gravity: Option<Vec<f64>>,
            /// Viscous drag: force = -drag x velocity, N s/m; 0 (the default) for none. With `flow` the velocity is that
            /// relative to the fluid.
            #[serde(default)]
            #[schemars(range(min = 0.0))]
            #[schemars(extend("x-formula" = "-c v", "x-unit" = "N s/m", "x-source" = "Stokes 1851, with one coefficient for all grains"))]
            pub drag: f64,
            /// Constant of gravitation between grains, N m^2/kg^2 (6.674e-11 in nature); 0 (the default) for none.
            #[serde(default, skip_serializing_if = "is_zero")]
            #[schemars(range(min = 0.0))]
            #[schemars(extend("x-formula" = "-G m1 m2 d / |d|^3", "x-unit" = "N m^2/kg^2", "x-source" = "Newton"))]
            pub gravitation: f64,
            $(
                $(#[$meta])*
                #[serde(default, skip_serializing_if = "Option::is_none")]
                pub $key: Option<$keys>,
                $(
                    $(#[$more_meta])*
                    #[serde(default, skip_serializing_if = "Option::is_none")]
                    pub $more: Option<$more_keys>,
                )*
            )+
        }

        /// The fields of a setup beside gravity, drag and what acts between grains.
        #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
        #[serde(bound = "")]
        pub struct NonUniformFields<D: Dimension> {
            $(
                #[doc = concat!("What `field.", stringify!($key), "` gives.")]
                pub $key: Option<$field>,
            )+
            /// Those that a program brings.
            #[serde(skip)]
            pub own: Vec<OwnFieldHandle>,
            /// Densities by material, of which masses make volumes; of others the volume is that of a disk or sphere.
            pub densities: Vec<f64>,
        }

        impl<D: Dimension> Default for NonUniformFields<D> {
            fn default() -> Self {
                NonUniformFields {
                    $($key: None,)+
                    own: Vec::new(),
                    densities: Vec::new(),
                }
            }
        }

        impl<D: Dimension> NonUniformFields<D> {
            /// Reads all from `[field]`; what comes from files is taken into the section.
            pub fn read<V: View>(section: &mut FieldSection, view: &V) -> Result<Self, V::Fault> {
                Ok(NonUniformFields {
                    $($key: <$field as Read<D>>::read(section, view)?,)+
                    own: Vec::new(),
                    densities: Vec::new(),
                })
            }

            /// All that there are, in order.
            pub fn all(&self) -> impl Iterator<Item = &dyn Kind<D>> {
                let all = [$(self.$key.as_ref().map(|field| field as &dyn Kind<D>)),+];
                let own = self.own.iter().map(|field| field as &dyn Kind<D>);
                all.into_iter().flatten().chain(own)
            }

            /// Leaves out what does nothing where grains carry such things: the keys, and why.
            pub fn leave_idle(&mut self, carried: Carried) -> Vec<(&'static str, &'static str)> {
                let mut left = Vec::new();
                $(
                    let idle = self.$key.as_ref().and_then(|field| Kind::<D>::idle(field, carried));
                    if let Some(why) = idle {
                        self.$key = None;
                        left.push((stringify!($key), why));
                    }
                )+
                left
            }
        }

        /// What of fields a scenario may ask for.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum FieldFeature {
            $($(
                #[doc = concat!("Of `field.", stringify!($key), "`.")]
                $feature,
            )+)+
        }

        impl FieldFeature {
            /// What lists and messages tell of it.
            #[must_use]
            pub const fn row(self) -> FieldRow {
                match self {
                    $($(FieldFeature::$feature => $row,)+)+
                }
            }
        }

        /// Hands the features of all fields, `feature: key;`, to a macro, after a group of tokens.
        macro_rules! with_all_field_features {
            ($macro:ident, $before:tt) => {
                $macro! { $before $($($feature: $key;)+)+ }
            };
        }
        pub(crate) use with_all_field_features;
    };
}

fields! {
    /// Electric field, V/m, a number for each dimension; it acts on charges and electric moments of
    /// materials. One that alternates is a table. None when absent.
    #[schemars(extend("x-formula" = "q E, moment p x E; alternating E = mean + amplitude sin(2 pi f t + phase)", "x-unit" = "V/m", "x-source" = "Lorentz; Mutze 2006, section 1"))]
    electric: VectorKeys => Electric {
        Electric: electric::STEADY,
        AlternatingElectric: electric::ALTERNATING
    };
    /// Magnetic field, T: three numbers, in the plane too, where the last is normal to it. It turns the paths
    /// of charges and acts on magnetic moments of materials. One that alternates is a table. None when absent.
    #[schemars(extend("x-formula" = "q v x B, moment m x B; alternating B = mean + amplitude sin(2 pi f t + phase)", "x-unit" = "T", "x-source" = "Lorentz; integrated after Boris 1970"))]
    magnetic: VectorKeys => Magnetic {
        Magnetic: magnetic::STEADY,
        AlternatingMagnetic: magnetic::ALTERNATING
    };
    /// A fluid in which grains move: its drag and buoyancy. None when absent.
    fluid: FluidKeys,
    /// How the fluid flows. It is at rest when absent.
    flow: FlowKeys => Fluid<D> {
        Fluid: fluid::REST,
        EvenFlow: fluid::EVEN,
        PipeFlow: fluid::PIPE,
        TurningFlow: fluid::TURNING,
        TableFlow: fluid::TABLE,
        Stream: fluid::STREAM
    };
    /// Positions are those in a frame that turns: centrifugal and Coriolis forces act. Absent: it does not turn.
    #[schemars(extend("x-formula" = "m w x (r x w) + 2 m v x w", "x-unit" = "rad/s", "x-source" = "Coriolis 1835; integrated after Boris 1970"))]
    rotation: TurningKeys => TurningFrame<D> { TurningFrame: rotation::TURNS };
    /// A centre that attracts as the inverse square of the distance, as a planet does. None when absent.
    central: CentralKeys => CentralField<D> { Centre: central::CENTRE };
    /// An acceleration from a table, m/s^2. None when absent.
    #[schemars(extend("x-formula" = "m a(x), linear along each axis between nodes", "x-unit" = "m/s^2", "x-source" = "the table"))]
    table: GridKeys => TabulatedField<D> { TableField: table::TABLE };
    /// An acceleration that alternates, the same everywhere, beside gravity. None when absent.
    alternating: AccelerationKeys => Alternating { Alternating: alternating::ALTERNATING };
}
