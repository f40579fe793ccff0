//! Matrices of a network in the form that other libraries take: compressed sparse rows.
//!
//! With the stiffness matrix K, the compatibility matrix B and the stiffnesses k of the bars, K = B^T diag(k) B; under a
//! load f displacements follow from K u = f, and the forces of the bars are k B u.

use nalgebra_sparse::{CooMatrix, CsrMatrix};

use super::element::Element;
use super::network::{LinkKey, LinkState, Network};
use super::sparse::Stiffness;
use crate::geometry::Dimension;

/// Returns the stiffness matrix of a network, grounded at its fixed nodes: N/m, N and N m, symmetric, with both halves.
/// Rows and columns are those of the vectors of loads and displacements ([`Network::row`]); blocks of nodes that a
/// resisting link joins are complete, with their zeros.
pub fn stiffness_matrix<D: Dimension>(network: &Network<D>) -> CsrMatrix<f64> {
    let matrix = Stiffness::new(network);
    let m = matrix.per_node();
    let mut triplets = CooMatrix::new(network.len(), network.len());
    for row in 0..matrix.rows() {
        let (columns, blocks) = matrix.row(row);
        let beside = columns.iter().map(|&column| column as usize);
        let beside = beside.zip(blocks.chunks_exact(m * m));
        for (column, block) in beside.chain([(row, matrix.diagonal(row))]) {
            for (k, &value) in block.iter().enumerate() {
                triplets.push(row * m + k / m, column * m + k % m, value);
            }
        }
    }
    CsrMatrix::from(&triplets)
}

/// A bar of a link, a row of the compatibility matrix: the first of a link is along its normal.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bar {
    /// The link.
    pub link: LinkKey,
    /// Stiffness, N/m.
    pub stiffness: f64,
}

/// Returns the compatibility matrix of a network and its bars, one for each row: strains of the bars, m, by
/// displacements of the free nodes. Links that are off have no bars, sliding ones only that along the normal.
pub fn compatibility_matrix<D: Dimension>(network: &Network<D>) -> (CsrMatrix<f64>, Vec<Bar>) {
    let m = network.per_node();
    let mut bars = Vec::new();
    let mut entries = Vec::new();
    for (key, link) in network.links().iter().enumerate() {
        let element = Element::new(link, network.freedom());
        for bar in 0..element.bars {
            for (node, side) in [(link.a, &element.a), (link.b, &element.b)] {
                let Some(row) = network.row(node) else {
                    continue;
                };
                let values = side[bar][..m].iter().enumerate();
                entries.extend(values.map(|(k, &value)| (bars.len(), row * m + k, value)));
            }
            bars.push(Bar {
                link: key,
                stiffness: element.stiffness[bar],
            });
        }
    }
    let mut triplets = CooMatrix::new(bars.len(), network.len());
    for (row, column, value) in entries {
        triplets.push(row, column, value);
    }
    (CsrMatrix::from(&triplets), bars)
}

/// Returns the contact network as a symmetric matrix of all nodes, fixed ones too: the sum of the normal stiffnesses of
/// the resisting links that join two nodes, N/m.
pub fn contact_matrix<D: Dimension>(network: &Network<D>) -> CsrMatrix<f64> {
    let nodes = network.nodes().len();
    let mut triplets = CooMatrix::new(nodes, nodes);
    for link in network.links() {
        if link.state != LinkState::Off {
            triplets.push(link.a, link.b, link.kn);
            triplets.push(link.b, link.a, link.kn);
        }
    }
    CsrMatrix::from(&triplets)
}
