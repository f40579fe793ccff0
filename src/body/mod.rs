//! Bodies: grains, their shapes and mass properties.

mod agglomerates;
pub mod arcs;
pub mod calc;
mod clump;
pub mod fit;
mod form;
mod grain;
mod lever;
mod library;
pub mod mass;
mod mesh;
mod region;
pub mod rotation;

pub use agglomerates::Agglomerates;
pub use arcs::{Arc, ArcGrain, ArcsError};
pub use clump::{Ball, Clump, ClumpError};
pub use form::{FormError, Formed, ShapeTemplate, TemplatePart};
pub use grain::{Grain, GrainId};
pub use lever::Lever;
pub use library::{SHAPES, named_shape};
pub use mesh::{Mesh, MeshError, stl_triangles};
pub use region::Region;
