//! Columns of the inverse: the effect of a unit pair of forces along one bar of a link on all strains.

use super::super::network::{LinkKey, LinkState};
use super::super::solver::StressError;
use super::Packing;
use crate::geometry::Dimension;

/// Response to a unit pair of forces, and its pending multiple.
#[derive(Clone, Debug)]
pub(super) struct Column {
    pub link: LinkKey,
    pub bar: usize,
    /// Displacements, by rows of the network.
    pub displacement: Vec<f64>,
    /// Strains of all bars of all links.
    pub strain: Vec<f64>,
    /// Force applied since the last update of all strains, N.
    pub pending: f64,
    /// Sum of the magnitudes of forces applied in this iteration, N.
    pub moved: f64,
    /// Greatest fraction of its margin that an unwatched link may lose for a unit force.
    pub threat: f64,
}

/// Columns known for the present network.
#[derive(Clone, Debug, Default)]
pub(super) struct Columns {
    pub list: Vec<Column>,
    /// Index of the first column of each link, plus one; the columns of a link are consecutive.
    of_link: Vec<u32>,
}

impl Columns {
    /// Removes all columns, since the network has changed.
    pub fn clear(&mut self) {
        for column in &self.list {
            self.of_link[column.link] = 0;
        }
        self.list.clear();
    }

    /// The first column of a link.
    #[inline]
    pub fn of(&self, link: LinkKey) -> Option<usize> {
        match self.of_link.get(link) {
            Some(&n) if n > 0 => Some(n as usize - 1),
            _ => None,
        }
    }

    /// Stores the columns of a link's tangential bars, in order.
    pub fn file(&mut self, link: LinkKey, columns: Vec<Column>) {
        if self.of_link.len() <= link {
            self.of_link.resize(link + 1, 0);
        }
        self.of_link[link] = u32::try_from(self.list.len() + 1).unwrap_or(0);
        self.list.extend(columns);
    }
}

/// Displacements due to a unit pair of forces along one bar of a link.
pub(super) fn respond<D: Dimension>(
    packing: &mut Packing<D>,
    link: LinkKey,
    bar: usize,
) -> Result<Vec<f64>, StressError> {
    let mut displacement = vec![0.0; packing.network.len()];
    let resists = packing.network.links()[link].state != LinkState::Off;
    if resists
        && packing
            .solver
            .response(&packing.network, link, bar, &mut displacement)
    {
        return Ok(displacement);
    }
    let mut load = vec![0.0; packing.network.len()];
    let mut force = [0.0; 3];
    force[bar] = 1.0;
    packing.spread(link, force, &mut load);
    packing
        .solver
        .solve(&packing.network, &load, &mut displacement)?;
    Ok(displacement)
}

/// Returns the first of the columns of a link's tangential bars, and whether it computed them anew.
pub(super) fn columns_of<D: Dimension>(
    packing: &mut Packing<D>,
    link: LinkKey,
) -> Result<(usize, bool), StressError> {
    if let Some(first) = packing.columns.of(link) {
        return Ok((first, false));
    }
    let mut columns = Vec::with_capacity(D::N - 1);
    for bar in 1..D::N {
        let displacement = respond(packing, link, bar)?;
        let mut strain = Vec::with_capacity(packing.bonds.len() * D::N);
        for key in 0..packing.bonds.len() {
            strain.extend_from_slice(&packing.strain(key, &displacement)[..D::N]);
        }
        columns.push(Column {
            link,
            bar,
            displacement,
            strain,
            pending: 0.0,
            moved: 0.0,
            threat: 0.0,
        });
    }
    let first = packing.columns.list.len();
    packing.columns.file(link, columns);
    Ok((first, true))
}
