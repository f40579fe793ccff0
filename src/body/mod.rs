//! Bodies: grains and boundaries, shapes of grains with their mass properties.

pub mod arcs;
mod boundary;
pub mod calc;
mod clump;
pub mod fit;
mod form;
mod grain;
mod guided;
pub mod images;
mod lever;
mod library;
pub mod mass;
mod mesh;
mod motion;
mod region;
pub mod rotation;

pub use arcs::{Arc, ArcGrain, ArcsError};
pub use boundary::{Boundary, shifts};
pub use clump::{Ball, Clump, ClumpError};
pub use form::{Form, FormError, FormPart, Formed};
pub use grain::{Grain, GrainId};
pub use guided::{Drive, Guided, GuidedState, LoadedArea, Placed, placed};
pub use images::{Images, ImagesError};
pub use lever::Lever;
pub use library::{SHAPES, named_shape};
pub use mesh::{Mesh, MeshError, stl_triangles};
pub use motion::{Motion, MotionPiece, Pose};
pub use region::Region;

pub use crate::walls::shapes::{MeshShape, Shape, Vessel};
