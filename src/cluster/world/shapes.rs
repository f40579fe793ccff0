//! Forms of grains.

use crate::body::ShapeTemplate;
use crate::cluster::integrate::Integrate;
use crate::cluster::kernel::Arcs;
use crate::cluster::rigid_rotation::TopTable;
use crate::geometry::Dimension;

/// Forms of grains, and the data of kernels about them.
pub struct Shapes<D: Dimension> {
    pub(in crate::cluster) forms: Vec<ShapeTemplate<D>>,
    /// Data for rotation in space, by form.
    pub(in crate::cluster) tops: TopTable,
    /// Data of kernels about grains of arcs.
    pub(in crate::cluster) arcs: Arcs,
    /// Number of grains of arcs, once it is known.
    pub(in crate::cluster) arc_grains: usize,
    /// Batches with arcs that do not face each other any more.
    pub(in crate::cluster) astray: Vec<(u32, u8)>,
}

impl<D: Dimension> Default for Shapes<D> {
    fn default() -> Self {
        Self {
            forms: Vec::new(),
            tops: TopTable::default(),
            arcs: Arcs::default(),
            arc_grains: 0,
            astray: Vec::new(),
        }
    }
}

impl<D: Integrate> Shapes<D> {
    /// Sets the forms that grains may have.
    pub fn set_forms(&mut self, forms: &[ShapeTemplate<D>]) {
        self.forms = forms.to_vec();
        self.tops = D::tops(forms);
    }

    /// The forms that grains may have.
    pub fn forms(&self) -> &[ShapeTemplate<D>] {
        &self.forms
    }
}
