//! Registry of all controls, one entry each.

use std::ops::{Deref, DerefMut};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::valve::{self, Valve, ValveKeys};
use super::{Acts, ControlRow, Kind, Known};
use crate::geometry::Dimension;
use crate::keys::View;

/// Makes for all controls the section of scenarios, the enums of controls and of their states, their features, and
/// the macro that passes these on.
macro_rules! controls {
    ($($(#[$meta:meta])* $key:ident: $keys:ty => $variant:ident($control:ty) { $row:path };)+) => {
        /// What acts on walls and feeds by what it reads of the run: one of these.
        #[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
        #[serde(rename_all = "kebab-case", deny_unknown_fields)]
        pub enum ControlSection {
            $(
                $(#[$meta])*
                $variant($keys),
            )+
        }

        /// A control.
        #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
        pub enum Control {
            $(
                #[doc = concat!("See [`", stringify!($control), "`].")]
                $variant($control),
            )+
        }

        impl Control {
            /// From the section of a scenario.
            ///
            /// # Errors
            /// What is wrong with its keys.
            pub fn read<D: Dimension, V: View>(
                section: &ControlSection,
                view: &V,
                known: &mut Known<'_, D>,
            ) -> Result<Self, V::Fault> {
                Ok(match section {
                    $(ControlSection::$variant(keys) => {
                        let here = view.key(stringify!($key));
                        Control::$variant(Kind::<D>::read(keys, &here, known)?)
                    })+
                })
            }

            /// The feature that it asks for.
            #[must_use]
            pub fn feature(&self) -> ControlFeature {
                match self {
                    $(Control::$variant(_) => ControlFeature::$variant,)+
                }
            }
        }

        impl Deref for Control {
            type Target = dyn Acts;
            fn deref(&self) -> &Self::Target {
                match self {
                    $(Control::$variant(control) => control,)+
                }
            }
        }

        impl DerefMut for Control {
            fn deref_mut(&mut self) -> &mut Self::Target {
                match self {
                    $(Control::$variant(control) => control,)+
                }
            }
        }

        /// What of controls a scenario may ask for.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum ControlFeature {
            $(
                #[doc = concat!("A [`", stringify!($control), "`].")]
                $variant,
            )+
        }

        impl ControlFeature {
            /// What lists and messages tell of it.
            #[must_use]
            pub const fn row(self) -> ControlRow {
                match self {
                    $(ControlFeature::$variant => $row,)+
                }
            }
        }

        /// Hands the features of all controls to a macro, after a group of tokens.
        macro_rules! with_all_control_features {
            ($macro:ident, $before:tt) => {
                $macro! { $before $($variant;)+ }
            };
        }
        pub(crate) use with_all_control_features;
    };
}

// Saved states number the controls in this order.
controls! {
    /// Closes an opening, or a feed, when a meter has counted enough.
    #[schemars(extend("x-formula" = "count forward - back >= count", "x-unit" = "1", "x-source" = "dosing by number"))]
    valve: ValveKeys => Valve(Valve) { valve::VALVE };
}
