//! The interface through which parts of the program read a scenario: numbers, vectors and tables are checked where
//! they stand.

use crate::geometry::Dimension;

/// A place in a scenario, and the checks of the value there. Faults name the place, the value and what is allowed.
pub trait View: Sized {
    /// A fault in the scenario.
    type Fault;

    /// Returns the place of a key of the table at this place.
    fn key(&self, key: &str) -> Self;
    /// Returns the place of an element of the list at this place.
    fn index(&self, index: usize) -> Self;
    /// Returns the place as a path of keys.
    fn path(&self) -> String;

    /// Accepts any finite number.
    fn finite(&self, value: f64) -> Result<f64, Self::Fault>;
    /// Accepts a finite number greater than 0.
    fn positive(&self, value: f64) -> Result<f64, Self::Fault>;
    /// Accepts a finite number, 0 or more.
    fn non_negative(&self, value: f64) -> Result<f64, Self::Fault>;
    /// Accepts as many finite numbers as there are dimensions.
    fn vector<D: Dimension>(&self, values: &[f64]) -> Result<D::Vector, Self::Fault>;
    /// Like [`View::vector`], but not all 0.
    fn direction<D: Dimension>(&self, values: &[f64]) -> Result<D::Vector, Self::Fault>;
    /// Accepts three finite numbers, in the plane too.
    fn in_space(&self, values: &[f64]) -> Result<[f64; 3], Self::Fault>;
    /// Accepts an angular velocity.
    fn spin<D: Dimension>(&self, values: &[f64]) -> Result<D::Spin, Self::Fault>;
    /// Returns the one key that is given where exactly one of `keys` must be; `what` names their purpose in messages.
    fn one_of<'k>(&self, what: &str, keys: &[(&'k str, bool)]) -> Result<&'k str, Self::Fault>;
    /// Returns the index of the name at this place among `names`, the names of that kind (`what`) in the scenario.
    fn one_named<'n>(
        &self,
        what: &str,
        name: &str,
        names: impl Iterator<Item = &'n str> + Clone,
    ) -> Result<usize, Self::Fault>;
    /// Returns the least and greatest corner of a box from the keys `min` and `max` of the table at this place.
    fn corners<D: Dimension>(
        &self,
        min: &[f64],
        max: &[f64],
    ) -> Result<(D::Vector, D::Vector), Self::Fault>;
    /// Returns the contents of a file beside the scenario, and the file's name as messages show it.
    fn bytes(&self, file: &str, most: u64) -> Result<(Vec<u8>, String), Self::Fault>;
    /// Returns fixed balls from a table in a file beside the scenario: centres and radii.
    fn balls<D: Dimension>(&self, file: &str) -> Result<Vec<(Vec<f64>, f64)>, Self::Fault>;
    /// Returns nodes of a grid from a file beside the scenario; its vectors are in columns named by `letter`.
    fn nodes(&self, file: &str, dimension: usize, letter: char) -> Result<Nodes, Self::Fault>;

    /// Returns the fault of a value at this place that is not what it must be.
    fn wrong(&self, value: &str, must: &str) -> Self::Fault;
    /// Returns a fault of the value at this place.
    fn fault(&self, text: String) -> Self::Fault;
    /// Returns a fault of the key at this place.
    fn fault_of_key(&self, text: String) -> Self::Fault;
    /// Adds advice to a fault.
    fn with_help(fault: Self::Fault, help: String) -> Self::Fault;
}

/// Nodes of a grid, as read from a table.
#[derive(Clone, Debug, PartialEq)]
pub struct Nodes {
    /// The node with the least coordinates, m.
    pub origin: Vec<f64>,
    /// Distance of neighbouring nodes along each axis, m.
    pub spacing: Vec<f64>,
    /// Number of nodes along each axis.
    pub count: Vec<u64>,
    /// A vector for each node, the first axis fastest.
    pub values: Vec<Vec<f64>>,
}

/// Reads a vector; zero if absent.
pub fn vector_or_zero<D: Dimension, V: View>(
    view: &V,
    values: Option<&[f64]>,
) -> Result<D::Vector, V::Fault> {
    match values {
        Some(values) => view.vector::<D>(values),
        None => Ok(D::Vector::default()),
    }
}
