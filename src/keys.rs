//! What parts of the program ask of a scenario: numbers, vectors and tables that are checked where they stand.

use crate::geometry::Dimension;

/// A place in a scenario, and how what stands there is checked. Faults name the place, the value and what is allowed.
pub trait View: Sized {
    /// A fault in the scenario.
    type Fault;

    /// The place of a key of the table that stands here.
    fn key(&self, key: &str) -> Self;
    /// The place of an element of the list that stands here.
    fn index(&self, index: usize) -> Self;
    /// The place as a path of keys.
    fn path(&self) -> String;

    /// Any finite number.
    fn finite(&self, value: f64) -> Result<f64, Self::Fault>;
    /// A finite number over 0.
    fn positive(&self, value: f64) -> Result<f64, Self::Fault>;
    /// A finite number, 0 or more.
    fn non_negative(&self, value: f64) -> Result<f64, Self::Fault>;
    /// As many finite numbers as there are dimensions.
    fn vector<D: Dimension>(&self, values: &[f64]) -> Result<D::Vector, Self::Fault>;
    /// The same, not all 0.
    fn direction<D: Dimension>(&self, values: &[f64]) -> Result<D::Vector, Self::Fault>;
    /// Three finite numbers, in the plane too.
    fn in_space(&self, values: &[f64]) -> Result<[f64; 3], Self::Fault>;
    /// A spin.
    fn spin<D: Dimension>(&self, values: &[f64]) -> Result<D::Spin, Self::Fault>;
    /// The one key that is given of those of which exactly one must be; `what` they tell.
    fn one_of<'k>(&self, what: &str, keys: &[(&'k str, bool)]) -> Result<&'k str, Self::Fault>;
    /// Which of the names of a kind (`what`) that the scenario has stands here.
    fn one_named<'n>(
        &self,
        what: &str,
        name: &str,
        names: impl Iterator<Item = &'n str> + Clone,
    ) -> Result<usize, Self::Fault>;
    /// The least and greatest corner of a box, keys `min` and `max` of the table that stands here.
    fn corners<D: Dimension>(
        &self,
        min: &[f64],
        max: &[f64],
    ) -> Result<(D::Vector, D::Vector), Self::Fault>;
    /// What is in a file beside the scenario, and the file as messages show it.
    fn bytes(&self, file: &str, most: u64) -> Result<(Vec<u8>, String), Self::Fault>;
    /// Balls that do not move, from a table in a file beside the scenario: centres and radii.
    fn balls<D: Dimension>(&self, file: &str) -> Result<Vec<(Vec<f64>, f64)>, Self::Fault>;
    /// Nodes of a grid, from a file beside the scenario whose vectors are in columns of a letter.
    fn nodes(&self, file: &str, dimension: usize, letter: char) -> Result<Nodes, Self::Fault>;

    /// The value that stands here is not what it must be.
    fn wrong(&self, value: &str, must: &str) -> Self::Fault;
    /// A fault of the value that stands here.
    fn fault(&self, text: String) -> Self::Fault;
    /// A fault of the key that stands here.
    fn fault_of_key(&self, text: String) -> Self::Fault;
    /// A fault with a way out.
    fn with_help(fault: Self::Fault, help: String) -> Self::Fault;
}

/// Nodes of a grid as a table has them.
#[derive(Clone, Debug, PartialEq)]
pub struct Nodes {
    /// The node of the least coordinates, m.
    pub origin: Vec<f64>,
    /// Distance of neighbours along each axis, m.
    pub spacing: Vec<f64>,
    /// Number of nodes along each axis.
    pub count: Vec<u64>,
    /// A vector for each node, the first axis fastest.
    pub values: Vec<Vec<f64>>,
}

/// A vector, or zero when absent.
pub fn vector_or_zero<D: Dimension, V: View>(
    view: &V,
    values: Option<&[f64]>,
) -> Result<D::Vector, V::Fault> {
    match values {
        Some(values) => view.vector::<D>(values),
        None => Ok(D::Vector::default()),
    }
}
