//! Figures of meshes that are walls: size, number of triangles, number of open edges. Files of meshes have no unit, and
//! drawings are in millimetres or inches: a mesh that is huge beside its grains was most likely meant to be smaller by that factor.

use std::collections::BTreeMap;

use super::{Setup, digits};
use crate::geometry::{Dimension, Vector};
use crate::walls::MeshShape;

/// A mesh is too large if it is as wide as this many grains, and as this many times the region in which grains begin: the grains of
/// a fill never occupy as small a part of their vessel as an inch is of a metre; a feed may.
const GRAINS: f64 = 500.0;
const ROOMS_OF_FILLS: f64 = 30.0;
const ROOMS_OF_FEEDS: f64 = 100.0;

/// Figures of a mesh that is a wall.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct MeshFigures {
    /// Name of the wall.
    pub name: String,
    /// Number of triangles.
    pub triangles: usize,
    /// Number of edges that belong to one triangle only.
    pub open_edges: usize,
    /// Extent along each axis, m.
    pub extent: Vec<f64>,
    /// The greatest extent over the mean diameter of the grains; `None` without grains.
    pub diameters: Option<f64>,
}

impl<D: Dimension> Setup<D> {
    /// Returns the figures of all meshes.
    pub fn meshes(&self) -> Vec<MeshFigures> {
        let diameter = self.mean_diameter();
        let walls = self.boundaries.iter().filter_map(|wall| {
            let mesh = wall.shape.mesh()?;
            let (low, high) = wall.shape.extent()?;
            let extent: Vec<f64> = (high - low).components().collect();
            let widest = extent.iter().copied().fold(0.0, f64::max);
            Some(MeshFigures {
                name: wall.name.clone(),
                triangles: mesh.triangles.len(),
                open_edges: open_edges(mesh),
                extent,
                diameters: diameter.map(|diameter| widest / diameter),
            })
        });
        walls.collect()
    }

    /// Returns warnings of meshes whose size is implausible.
    pub fn mesh_warnings(&self) -> Vec<String> {
        let Some(room) = self.room_of_grains() else {
            return Vec::new();
        };
        let rooms = if self.sources.feeds.is_empty() {
            ROOMS_OF_FILLS
        } else {
            ROOMS_OF_FEEDS
        };
        let warning = |mesh: MeshFigures| {
            let widest = mesh.extent.iter().copied().fold(0.0, f64::max);
            let over = mesh.diameters?;
            let size = format!(
                "the mesh `{}` is {} m wide, {} times the mean diameter of the grains",
                mesh.name,
                digits(widest),
                digits(over)
            );
            if over > GRAINS && widest > rooms * room {
                return Some(format!(
                    "{size}: files of meshes know no unit; if it was drawn in mm, give it `scale = 0.001`, if in inches `scale = 0.0254`"
                ));
            }
            (over < 1.0).then(|| format!("{size}: mind its `scale`"))
        };
        self.meshes().into_iter().filter_map(warning).collect()
    }

    /// Returns the mean diameter of the grains at the start, or of those that are fed, m.
    pub(super) fn mean_diameter(&self) -> Option<f64> {
        let count = self.grains.len() as f64;
        if count > 0.0 {
            let sum: f64 = self.grains.iter().map(|grain| grain.radius).sum();
            return Some(2.0 * sum / count);
        }
        let fed = self.sources.feeds.iter().map(|feed| feed.what.mean());
        let sum: f64 = fed.sum();
        (!self.sources.feeds.is_empty()).then(|| 2.0 * sum / self.sources.feeds.len() as f64)
    }

    /// Returns the greatest width of the region in which grains begin, m.
    fn room_of_grains(&self) -> Option<f64> {
        let diameter = self.mean_diameter()?;
        let grains = self.grains.iter().map(|grain| grain.position);
        let feeds = self
            .sources
            .feeds
            .iter()
            .flat_map(|feed| [feed.min, feed.max]);
        let mut ends: Option<(D::Vector, D::Vector)> = None;
        for x in grains.chain(feeds) {
            let (low, high) = ends.unwrap_or((x, x));
            ends = Some((
                D::Vector::from_fn(|k| low[k].min(x[k])),
                D::Vector::from_fn(|k| high[k].max(x[k])),
            ));
        }
        let (low, high) = ends?;
        let widest = (high - low).components().fold(0.0, f64::max);
        Some(widest + diameter)
    }
}

fn open_edges<D: Dimension>(mesh: &MeshShape<D>) -> usize {
    let mut edges: BTreeMap<[u32; 2], u32> = BTreeMap::new();
    for face in &mesh.triangles {
        for k in 0..3 {
            let (a, b) = (face[k], face[(k + 1) % 3]);
            *edges.entry([a.min(b), a.max(b)]).or_default() += 1;
        }
    }
    edges.values().filter(|&&count| count == 1).count()
}
