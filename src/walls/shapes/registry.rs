//! Registry of all shapes of walls, one entry each.

use std::ops::{Deref, DerefMut};

use serde::{Deserialize, Serialize};

use super::kind::{Kind, WallRow};
use super::{Arc, Ball, Cuboid, Grains, MeshShape, Plane, Polyline, Revolved, Torus, Vessel};
use super::{
    arc, ball, cone, cuboid, cylinder, grains, mesh, plane, polyline, revolved, torus, vessel,
};
use crate::geometry::Dimension;

/// Makes for all shapes the enum, their features, and the macros that pass on all keys and all features.
macro_rules! shapes {
    ($(
        $(#[$meta:meta])* $key:ident $(in $space:literal)?: $keys:ident
        $(, $(#[$more_meta:meta])* $more:ident $(in $more_space:literal)?: $more_keys:ident)*
            => $variant:ident($shape:ty) { $($feature:ident: $row:path),+ };
    )+) => {
        /// The shape of a wall in its own frame.
        #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
        #[serde(bound = "")]
        pub enum Shape<D: Dimension> {
            $(
                #[doc = concat!("See [`", stringify!($shape), "`].")]
                $variant($shape),
            )+
        }

        $(
            impl<D: Dimension> From<$shape> for Shape<D> {
                fn from(shape: $shape) -> Self {
                    Shape::$variant(shape)
                }
            }
        )+

        impl<D: Dimension> Deref for Shape<D> {
            type Target = dyn Kind<D>;
            fn deref(&self) -> &Self::Target {
                match self {
                    $(Shape::$variant(shape) => shape,)+
                }
            }
        }

        impl<D: Dimension> DerefMut for Shape<D> {
            fn deref_mut(&mut self) -> &mut Self::Target {
                match self {
                    $(Shape::$variant(shape) => shape,)+
                }
            }
        }

        impl<D: Dimension> Shape<D> {
            /// Whether another stands in the same place.
            #[must_use]
            pub fn is_same(&self, other: &Self) -> bool {
                match (self, other) {
                    $((Shape::$variant(one), Shape::$variant(other)) => one.is_same(other),)+
                    _ => false,
                }
            }
        }

        /// What of shapes of walls a scenario may ask for.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum WallFeature {
            $($(
                #[doc = concat!("A wall that is a [`", stringify!($variant), "`](Shape::", stringify!($variant), ").")]
                $feature,
            )+)+
        }

        impl WallFeature {
            /// What lists and messages tell of it.
            #[must_use]
            pub const fn row(self) -> WallRow {
                match self {
                    $($(WallFeature::$feature => $row,)+)+
                }
            }
        }

        /// Hands the keys of all shapes, `key in dimensions: Keys;`, to a macro.
        macro_rules! with_all_shape_keys {
            ($macro:ident) => {
                $macro! {
                    $(
                        $(#[$meta])* $key $(in $space)?: $keys;
                        $($(#[$more_meta])* $more $(in $more_space)?: $more_keys;)*
                    )+
                }
            };
        }
        pub(crate) use with_all_shape_keys;

        /// Hands the features of all shapes to a macro, after a group of tokens.
        macro_rules! with_all_wall_features {
            ($macro:ident, $before:tt) => {
                $macro! { $before $($($feature;)+)+ }
            };
        }
        pub(crate) use with_all_wall_features;
    };
}

// Saved states number the shapes in this order.
shapes! {
    /// A half-space.
    #[schemars(extend("x-formula" = "(x - point) . n = 0; grains where it is over 0", "x-unit" = "m", "x-source" = "geometry"))]
    plane: PlaneKeys
        => Plane(Plane<D>) { PlaneWall: plane::PLANE };
    /// A straight thin wall between two points (two dimensions).
    #[schemars(extend("x-formula" = "from + s (to - from), 0 <= s <= 1; both sides; ends are points", "x-unit" = "m", "x-source" = "geometry"))]
    segment in 2: SegmentKeys,
    /// A chain of thin straight walls (two dimensions).
    #[schemars(extend("x-formula" = "segments from corner to corner; a corner counts once", "x-unit" = "m", "x-source" = "geometry"))]
    polyline in 2: PolylineKeys
        => Polyline(Polyline<D>) { SegmentWall: polyline::SEGMENT, PolylineWall: polyline::POLYLINE };
    /// A box with sides along the axes.
    #[schemars(extend("x-formula" = "min <= x <= max; faces, edges and corners count once", "x-unit" = "m", "x-source" = "geometry"))]
    r#box: BoxKeys
        => Box(Cuboid<D>) { BoxWall: cuboid::INSIDE, BlockWall: cuboid::OUTSIDE };
    /// A circle (two dimensions).
    #[schemars(extend("x-formula" = "|x - centre| = radius", "x-unit" = "m", "x-source" = "geometry"))]
    circle in 2: BallKeys,
    /// A sphere (three dimensions).
    #[schemars(extend("x-formula" = "|x - centre| = radius", "x-unit" = "m", "x-source" = "geometry"))]
    sphere in 3: BallKeys
        => Ball(Ball<D>) { CircleWall: ball::CIRCLE, SphereWall: ball::SPHERE };
    /// A thin tube, open at both ends (three dimensions).
    #[schemars(extend("x-formula" = "distance from the line = radius, between its ends", "x-unit" = "m", "x-source" = "geometry"))]
    cylinder in 3: CylinderKeys,
    /// A thin cone or frustum, open at both ends (three dimensions).
    #[schemars(extend("x-formula" = "distance from the line goes evenly from from_radius to to_radius", "x-unit" = "m", "x-source" = "geometry"))]
    cone in 3: ConeKeys,
    /// A thin surface made by turning a profile about an axis (three dimensions).
    #[schemars(extend("x-formula" = "a chain of (distance, height) turned about the axis", "x-unit" = "m", "x-source" = "geometry"))]
    revolved in 3: RevolvedKeys
        => Revolved(Revolved<D>) {
            CylinderWall: cylinder::CYLINDER,
            ConeWall: cone::CONE,
            RevolvedWall: revolved::REVOLVED,
            Can: revolved::CAN
        };
    /// A cylinder closed by flat or spherical lids (three dimensions).
    #[schemars(extend("x-formula" = "a cylinder with lids, flat or parts of spheres", "x-unit" = "m", "x-source" = "geometry"))]
    vessel in 3: VesselKeys
        => Vessel(Vessel<D>) { VesselWall: vessel::VESSEL };
    /// Triangles, from an STL file or a list; thin, felt from both sides, open or closed (three dimensions).
    #[schemars(extend("x-formula" = "the nearest points of its plane parts, ridges and tips", "x-unit" = "m", "x-source" = "geometry"))]
    mesh in 3: MeshKeys
        => Mesh(MeshShape<D>) { MeshWall: mesh::MESH };
    /// A thin piece of a circle (two dimensions).
    #[schemars(extend("x-formula" = "|x - centre| = radius between two angles; both sides; ends are points", "x-unit" = "m", "x-source" = "geometry"))]
    arc in 2: ArcKeys
        => Arc(Arc<D>) { ArcWall: arc::ARC };
    /// Grains that do not move against each other: a rough bottom, bars of a screen.
    #[schemars(extend("x-formula" = "|x - centre| = radius of each grain; laws see two round bodies", "x-unit" = "m", "x-source" = "geometry"))]
    rough: RoughKeys
        => Grains(Grains<D>) { RoughWall: grains::ROUGH };
    /// A ring-shaped tube: grains roll inside of it, or outside of a doughnut (three dimensions).
    #[schemars(extend("x-formula" = "distance from the circle of `radius` about the axis = tube", "x-unit" = "m", "x-source" = "geometry"))]
    torus in 3: TorusKeys
        => Torus(Torus<D>) { TorusWall: torus::TORUS };
}
