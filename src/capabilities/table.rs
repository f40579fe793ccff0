//! The capability table: one row per feature.

use super::{Spaces, Support};
use crate::contact::{ContactLaw, Law, laws};
use crate::control::{ControlFeature, with_all_control_features};
use crate::field::{FieldFeature, FieldKind, registry};
use crate::walls::shapes::WallFeature;
use crate::walls::shapes::registry::with_all_wall_features;

/// A row: the feature's name in lists, the key that selects it (in its law, its wall, ..., or from the root), its
/// name in messages, its dimensions, and its support by `dem`, `flight`, `collisions`, `rest`, `quasi_static`,
/// `ranks`, and the integrator `heun`.
pub(super) struct Row {
    name: &'static str,
    key: &'static str,
    noun: &'static str,
    pub spaces: Spaces,
    pub cells: [Support; 7],
}

macro_rules! features {
    ($($(#[$about:meta])* $feature:ident: $name:expr, $key:expr, $noun:expr, $spaces:expr, $cells:expr;)*) => {
        /// What a scenario may ask for and a model may take or refuse.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
        pub enum Feature {
            $($(#[$about])* $feature,)*
        }

        impl Feature {
            /// All, in the order of lists.
            pub const ALL: &[Feature] = &[$(Feature::$feature,)*];

            pub(super) fn row(self) -> &'static Row {
                const ROWS: &[Row] = &[$(Row {
                    name: $name,
                    key: $key,
                    noun: $noun,
                    spaces: $spaces,
                    cells: $cells,
                },)*];
                &ROWS[self as usize]
            }
        }
    };
}

impl Feature {
    /// Returns the feature's name in lists.
    pub fn name(self) -> &'static str {
        self.row().name
    }

    /// Returns the key that selects it: in its law, wall, feed, ... or, for what exists once, from the root; empty
    /// where the section itself selects it.
    pub fn key(self) -> &'static str {
        self.row().key
    }

    /// Returns the feature's name in messages.
    pub fn noun(self) -> &'static str {
        self.row().noun
    }
}

const Y: Support = Support::Yes;
const ALL: [Support; 7] = [Y; 7];

const fn later(why: &'static str) -> Support {
    Support::NotYet(why)
}

const fn never(why: &'static str) -> Support {
    Support::No(why)
}

use Spaces::Both;
const FLAT: Spaces = Spaces::Plane("it is a figure of the plane");
const SOLID: Spaces = Spaces::Space("it is a figure of space");

/// Returns the dimensions in which a wall of this shape exists.
const fn spaces(wall: WallFeature) -> Spaces {
    match wall.row().dimensions {
        Some(2) => FLAT,
        Some(_) => SOLID,
        None => Both,
    }
}

// Laws.
const TERM: [Support; 7] = [
    Y,
    Y,
    Y,
    Y,
    later("its links have no resistance to turning, and no pull over a gap that fades"),
    Y,
    later("its second stage has spring, dashpot and friction only"),
];

/// Support for what a link carries under a slowly changing load, or for what makes no difference under one.
const BEARS: [Support; 7] = [TERM[0], TERM[1], TERM[2], TERM[3], Y, TERM[5], TERM[6]];

const BONDED: [Support; 7] = [
    Y,
    Y,
    never("a grain that is bonded to others has no path of its own"),
    later("what stands still has no bonds"),
    later("its links have no bonds"),
    later("ranks do not share bonds"),
    later("its second stage has spring, dashpot and friction only"),
];

// Grains.
const SHAPED: [Support; 7] = [
    Y,
    Y,
    later("it finds the times of collisions of disks and spheres only"),
    Y,
    later("its links are between disks and spheres only"),
    later("ranks do not exchange the parts of a grain"),
    Y,
];

// Walls.
const LOADED_ONCE: Support = later("its walls move by themselves alone");
const STEERED: [Support; 7] = [
    Y,
    Y,
    Y,
    Y,
    later("its filling takes no orders from outside"),
    later("ranks do not share controls"),
    Y,
];

// Fields: what each model lacks for them, in the order of the cells.
const BETWEEN: Support =
    never("charges, moments and masses that act on each other leave no grain a path of its own");
const SECOND: Support = later("its second stage has contact forces and gravity only");

/// Returns the support of a field; `paths` is that of models in which grains fly.
const fn field(paths: Support, shared: &'static str) -> [Support; 7] {
    [Y, paths, paths, Y, Y, later(shared), SECOND]
}

const AFAR: [Support; 7] = field(
    BETWEEN,
    "ranks do not share forces between grains that do not touch",
);

/// Returns the support of a field, by its kind.
const fn by_field(feature: FieldFeature) -> [Support; 7] {
    const FROM_PLACE: &str = "ranks do not share fields that change from place to place";
    const WITH_TIME: &str = "ranks do not share fields that change with time";
    match feature.row().kind {
        FieldKind::Place => field(Y, FROM_PLACE),
        FieldKind::Coupled => {
            let mut cells = field(later("its grains do not act on a fluid"), FROM_PLACE);
            cells[4] = later("its grains do not act on a fluid");
            cells
        }
        FieldKind::Carried => AFAR,
        FieldKind::Time => field(Y, WITH_TIME),
        FieldKind::CarriedInTime => field(BETWEEN, WITH_TIME),
    }
}

// Boxes whose edges move.
const STRAINED: [Support; 7] = [
    Y,
    later("what flies does not follow a box that moves"),
    later("its calendar does not follow a box whose lengths change"),
    later("what stands still does not follow a box that moves"),
    later("its loads do not come from a box that moves"),
    later("ranks do not share a box that moves"),
    later("a box that moves is stepped by `verlet`"),
];

/// Support for a box whose images move, and whose lengths stay.
const SHEARED: [Support; 7] = [
    STRAINED[0],
    STRAINED[1],
    Y,
    STRAINED[3],
    STRAINED[4],
    STRAINED[5],
    STRAINED[6],
];

// Grains that come and go, counting, and perturbations.
const STATIC: &str = "each grain is in equilibrium, and stays";
const COUNTED: [Support; 7] = [
    Y,
    Y,
    Y,
    Y,
    never(STATIC),
    later("ranks do not share meters"),
    Y,
];
const SHAKEN: [Support; 7] = [
    Y,
    Y,
    Y,
    Y,
    never(STATIC),
    later("ranks do not share perturbations"),
    Y,
];

/// Returns the support of a law, by its kind.
const fn by_kind<W: Law>() -> [Support; 7] {
    if W::COMPOSED { BEARS } else { ALL }
}

/// Passes the laws on to the macro that also receives the fields.
macro_rules! with_laws {
    ($($laws:tt)+) => {
        registry::with_all_field_features! { with_laws_and_fields, [$($laws)+] }
    };
}

/// Passes the laws and the fields on to the macro that also receives the walls.
macro_rules! with_laws_and_fields {
    ([$($laws:tt)+] $($fields:tt)+) => {
        with_all_wall_features! { with_walls, { [$($laws)+] [$($fields)+] } }
    };
}

macro_rules! with_walls {
    ({ $($before:tt)+ } $($walls:tt)+) => {
        with_all_control_features! { with_all, { $($before)+ [$($walls)+] } }
    };
}

/// Makes the features; those of laws, fields and walls come from their registries.
macro_rules! with_all {
    (
        {
            [$($(#[$doc:meta])* $key:ident: $keys:ident => $law:ident $(, $more:ident)*;)+]
            [$($field_feature:ident: $field:ident;)+]
            [$($wall_feature:ident;)+]
        }
        $($control_feature:ident;)+
    ) => {
        features! {
            $(
                $(#[$doc])*
                $law: concat!("law.", stringify!($key)), stringify!($key), concat!("law `", stringify!($key), "`"), Both,
                    by_kind::<laws::$law>();
            )+
            /// Its friction, which goes with the speed.
            HystereticFriction: "law.hertz_hysteretic.friction", "hertz_hysteretic.friction", "friction of the law `hertz_hysteretic`", Both, [Y; 7];
            /// A constant pull.
            ConstantCohesion: "law.cohesion.force", "cohesion", "constant cohesion", Both, BEARS;
            /// A pull by the work of adhesion.
            Dmt: "law.cohesion.dmt", "cohesion", "cohesion `dmt`", Both, BEARS;
            /// A pull by the area of contact.
            AreaCohesion: "law.cohesion.area", "cohesion", "cohesion `area`", Both, BEARS;
            /// A pull that lasts over a gap.
            FadingCohesion: "law.cohesion.fading", "cohesion", "cohesion `fading`", Both, TERM;
            /// Johnson, Kendall and Roberts.
            Jkr: "law.cohesion.jkr", "cohesion", "cohesion `jkr`", Both, BEARS;
            /// Plastic loading.
            Plastic: "law.plastic", "plastic", "plastic contacts", Both, BEARS;
            /// Resistance to rolling, a spring behind a slider.
            Rolling: "law.rolling", "rolling", "resistance to rolling", Both, TERM;
            /// The same, at its greatest size at once.
            SmoothRolling: "law.rolling.smooth", "rolling", "resistance to rolling", Both, BEARS;
            /// Resistance to twisting.
            Twisting: "law.twisting", "twisting", "resistance to twisting", Spaces::Space("in the plane nothing twists about a normal"), TERM;
            /// Coulomb's limit on the spring alone.
            SpringLimited: "law.coulomb_limit", "coulomb_limit", "limit on the spring alone", Both, BEARS;
            /// Bonds that break.
            Bonds: "law.bond", "bond", "bonds", Both, BONDED;
            /// Disks and spheres.
            Balls: "grain.ball", "", "disks and spheres", Both, ALL;
            /// Rigid clumps of disks or spheres.
            Clumps: "grain.clump", "shape", "grains of several parts", Both, SHAPED;
            /// Grains of arcs.
            Arcs: "grain.arcs", "shape", "grains of arcs", FLAT, SHAPED;
            $(
                #[doc = concat!("A wall: `", stringify!($wall_feature), "`.")]
                $wall_feature: WallFeature::$wall_feature.row().name, "", WallFeature::$wall_feature.row().noun,
                    spaces(WallFeature::$wall_feature), ALL;
            )+
            /// A wall that lets small grains pass.
            Sieve: "wall.passes_below_radius", "passes_below_radius", "walls that let some grains pass", Both, ALL;
            /// A wall that is taken away.
            Gate: "wall.opens_at", "opens_at", "gates", Both, [Y, Y, Y, Y, Y, Y, Y];
            /// An even motion.
            Drift: "motion.velocity", "motion", "moving walls", Both, ALL;
            /// A turn about a point or an axis.
            Turn: "motion.rotation", "motion", "walls that turn", Both, ALL;
            /// A swing by a sine.
            Swing: "motion.harmonic", "motion", "moving walls", Both, ALL;
            /// A swing by parabolas.
            ParabolicSwing: "motion.parabolic", "motion", "moving walls", Both, ALL;
            /// Pieces of even acceleration, or of a table.
            Pieces: "motion.pieces", "motion", "moving walls", Both, ALL;
            /// A way that is gone when a control says so.
            Slide: "motion.slide", "", "walls that slide", Both, [
                Y,
                Y,
                Y,
                Y,
                LOADED_ONCE,
                later("ranks do not share controls"),
                Y,
            ];
            /// Moved by forces.
            Guided: "motion.guided", "motion", "walls that forces move", Both, [
                Y,
                Y,
                later("its collisions do not push a wall"),
                Y,
                LOADED_ONCE,
                later("ranks do not share walls that forces move"),
                later("its second stage does not move such walls"),
            ];
            /// A surface that moves along itself.
            Belt: "motion.belt", "belt", "belts", Both, ALL;
            /// Gravity.
            Gravity: "field.gravity", "field.gravity", "gravity", Both, ALL;
            /// None.
            Weightless: "field.weightless", "field.gravity", "scenario without gravity", Both, ALL;
            /// Drag in proportion to the velocity.
            Drag: "field.drag", "field.drag", "drag", Both, [
                Y,
                Y,
                Y,
                Y,
                Y,
                Y,
                SECOND,
            ];
            $(
                #[doc = concat!("Of `field.", stringify!($field), "`.")]
                $field_feature: FieldFeature::$field_feature.row().name, FieldFeature::$field_feature.row().key,
                    FieldFeature::$field_feature.row().noun, Both, by_field(FieldFeature::$field_feature);
            )+
            /// Charges that act on each other.
            Charges: "field.charges", "charge_per_mass", "charges", Both, AFAR;
            /// Electric dipoles.
            ElectricDipoles: "field.dipoles.electric", "electric_moment_per_mass", "electric dipoles", Both, AFAR;
            /// Magnetic dipoles.
            MagneticDipoles: "field.dipoles.magnetic", "magnetic_moment_per_mass", "magnetic dipoles", Both, AFAR;
            /// Gravitation between grains.
            Gravitation: "field.gravitation", "field.gravitation", "gravitation between grains", Both, AFAR;
            /// Periodic directions.
            Periodic: "box.periodic", "", "periodic directions", Both, [Y, Y, Y, Y, later("its links have no periodic images"), Y, Y];
            /// Walls that grains meet across a periodic border.
            WallImages: "box.wall_images", "", "walls at a border of the periodic box", Both, [
                Y,
                Y,
                Y,
                Y,
                later("its links have no periodic images"),
                later("ranks do not share periodic images of walls"),
                Y,
            ];
            /// A box strained, or under pressure.
            DrivenBox: "box.drive", "periodic.drive", "box that moves", Both, STRAINED;
            /// A sheared box.
            ShearedBox: "box.shear", "periodic.shear", "sheared box", Both, SHEARED;
            /// Grains on a lattice.
            LatticeFill: "fill.lattice", "lattice", "lattices", Both, ALL;
            /// Grains at random places.
            RandomFill: "fill.random", "random", "random fills", Both, [Y, Y, Y, Y, later("each grain lies on walls and on those that came before it"), Y, Y];
            /// Grains that have rolled down.
            RolledFill: "fill.roll_down", "roll_down", "fills that roll down", Both, ALL;
            /// Grains one by one, or of a file.
            ListedFill: "fill.grains", "grains", "listed grains", Both, ALL;
            /// Several sorts.
            MixedFill: "fill.mix", "mix", "mixtures", Both, ALL;
            /// Grains that come.
            Feed: "feed", "", "feeds", Both, [
                Y,
                Y,
                Y,
                Y,
                later("it takes grains from [[fill]] sections, one by one"),
                later("ranks do not share feeds"),
                Y,
            ];
            /// Grains that leave.
            Outlet: "outlet", "", "outlets", Both, [Y, Y, Y, Y, never(STATIC), Y, Y];
            /// Settling before time 0.
            Settle: "settle", "settle", "settling", Both, [Y, Y, Y, Y, never("each grain is in equilibrium at once"), Y, Y];
            /// Who passes a plane.
            PlaneMeter: "meter.plane", "", "meters", Both, COUNTED;
            /// Who is in a box.
            BoxMeter: "meter.inside", "", "meters", Both, COUNTED;
            $(
                #[doc = concat!("A control: `", stringify!($control_feature), "`.")]
                $control_feature: ControlFeature::$control_feature.row().name, ControlFeature::$control_feature.row().key,
                    ControlFeature::$control_feature.row().noun, Both, STEERED;
            )+
            /// A sudden velocity.
            Tap: "perturb.tap", "", "taps", Both, [
                Y,
                Y,
                Y,
                Y,
                never(STATIC),
                later("ranks do not share perturbations"),
                Y,
            ];
            /// A shake.
            Shake: "perturb.shake", "", "shakes", Both, SHAKEN;
            /// Gravity that turns.
            Tilt: "perturb.tilt", "", "tilts", Both, [
                Y,
                Y,
                Y,
                Y,
                Y,
                later("ranks do not share perturbations"),
                Y,
            ];
            /// A grain that is taken away.
            Remove: "perturb.remove", "", "removals", Both, [
                Y,
                Y,
                Y,
                Y,
                Y,
                later("ranks do not share perturbations"),
                Y,
            ];
            /// The series.
            Series: "record.series", "log.series", "series", Both, ALL;
            /// Snapshots.
            Snapshots: "record.snapshots", "log.snapshots", "snapshots", Both, ALL;
            /// Checkpoints.
            Checkpoints: "record.checkpoint", "log.checkpoint", "checkpoints", Both, [Y, Y, Y, Y, Y, Support::Without("a checkpoint is written at an interruption only"), Y];
            /// The log of links.
            LinkLog: "record.links", "log.events", "log of links", Both, [Y, Y, Y, Y, Y, later("ranks do not share the log of links"), Y];
            /// Each impact.
            Impacts: "record.impacts", "log.impacts", "list of impacts", Both, [
                never("contacts last, and none is an impact"),
                later("collisions in flight are counted and not listed"),
                Y,
                never("contacts last, and none is an impact"),
                never("contacts last, and none is an impact"),
                never("contacts last, and none is an impact"),
                never("contacts last, and none is an impact"),
            ];
            /// Maps of walls.
            Wear: "record.wear", "log.wear", "map of walls", Both, [
                Y,
                Y,
                Y,
                Y,
                later("slides along walls are not mapped"),
                later("ranks do not share maps of walls"),
                Y,
            ];
            /// The field of stagnant zones.
            Stagnant: "record.stagnant", "log.stagnant", "field of stagnant zones", Both, [
                Y,
                Y,
                never("from event to event nothing stands still"),
                Y,
                never("nothing moves"),
                later("ranks do not share the field of stagnant zones"),
                Y,
            ];
            /// The integrator `verlet`.
            Verlet: "integrator.verlet", "run.integrator", "integrator `verlet`", Both, ALL;
            /// The integrator `midpoint`.
            Midpoint: "integrator.midpoint", "run.integrator", "integrator `midpoint`", Both, ALL;
            /// The integrator `heun`.
            HeunRule: "integrator.heun", "run.integrator", "integrator `heun`", Both, [Y, Y, Y, Y, Y, later("ranks share one evaluation a step"), Y];
            /// The integrator `euler`.
            Euler: "integrator.euler", "run.integrator", "integrator `euler`", Both, ALL;
        }

        impl Feature {
            /// That of a law by itself.
            pub fn of_law(law: &ContactLaw) -> Feature {
                match law {
                    $(ContactLaw::$law(_) $(| ContactLaw::$more(_))* => Feature::$law,)+
                    // Models that support a law with a loading history support any law.
                    ContactLaw::Own(_) => Feature::ThorntonNing,
                }
            }

            /// That of the shape of a wall.
            pub fn of_wall(wall: WallFeature) -> Feature {
                match wall {
                    $(WallFeature::$wall_feature => Feature::$wall_feature,)+
                }
            }

            /// That of a control.
            pub fn of_control(control: ControlFeature) -> Feature {
                match control {
                    $(ControlFeature::$control_feature => Feature::$control_feature,)+
                }
            }

            /// That of a field.
            pub fn of_field(field: FieldFeature) -> Feature {
                match field {
                    $(FieldFeature::$field_feature => Feature::$field_feature,)+
                }
            }
        }
    };
}

laws::with_all_laws!(with_laws);
