//! Vectors on a regular grid, interpolated linearly between nodes along each axis.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::keys::View;
use crate::geometry::{Dimension, Vector};

/// What holds outside of a grid.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Outside {
    /// The value at the nearest place of the grid.
    #[default]
    Nearest,
    /// Nothing.
    Zero,
}

/// Vectors on a regular grid: from a `file`, or in `values` with `origin`, `spacing` and `count`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct GridKeys {
    /// Table of comma-separated values, beside the scenario: columns `x`, `y` (and `z`), and `vx`, `vy` (and `vz`) of a flow, `ax`, `ay` (and `az`)
    /// of an acceleration; a line for each node, in any order.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// The node of the least coordinates, m.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub origin: Option<Vec<f64>>,
    /// Distance of neighbours along each axis, m.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub spacing: Option<Vec<f64>>,
    /// Number of nodes along each axis; 1: nothing changes along it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub count: Option<Vec<u64>>,
    /// A vector for each node, the first axis fastest.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub values: Option<Vec<Vec<f64>>>,
    /// Outside of the grid: `"nearest"` (the default), the value at the nearest place of it; `"zero"`, nothing.
    #[serde(default)]
    pub outside: Outside,
}

/// Vectors on a regular grid. Values do not vary along an axis with a single node.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(bound = "")]
pub struct Grid<D: Dimension> {
    /// Node with the least coordinates, m.
    origin: D::Vector,
    /// Distance of neighbouring nodes along each axis, m.
    spacing: D::Vector,
    /// Number of nodes along each axis.
    count: [usize; 3],
    /// Values, the first axis fastest.
    values: Vec<D::Vector>,
    outside: Outside,
}

impl<D: Dimension> Grid<D> {
    /// Returns a grid; none if the number of `values` is not that of the nodes, an axis has no node, or the spacing
    /// along an axis with several nodes is not above 0.
    pub fn new(
        origin: D::Vector,
        spacing: D::Vector,
        count: &[usize],
        values: Vec<D::Vector>,
        outside: Outside,
    ) -> Option<Self> {
        let fits = count.len() == D::N
            && (0..D::N).all(|k| count[k] == 1 || (count[k] > 1 && spacing[k] > 0.0));
        let nodes = count.iter().try_fold(1usize, |n, &m| n.checked_mul(m))?;
        (fits && nodes == values.len()).then(|| Grid {
            origin,
            spacing,
            count: std::array::from_fn(|k| count.get(k).copied().unwrap_or(1)),
            values,
            outside,
        })
    }

    /// Returns the value at a position.
    pub fn at(&self, x: D::Vector) -> D::Vector {
        // For each axis: the node before, the stride to the node after, and the weight of the latter.
        let (mut first, mut stride) = (0, 1);
        let mut on = [(0usize, 0.0f64); 3];
        for (k, on) in on.iter_mut().enumerate().take(D::N) {
            let last = self.count[k] - 1;
            if last > 0 {
                let place = (x[k] - self.origin[k]) / self.spacing[k];
                if self.outside == Outside::Zero && !(0.0..=last as f64).contains(&place) {
                    return D::Vector::default();
                }
                // NaN counts as the first node.
                let place = place.max(0.0).min(last as f64);
                let before = (place as usize).min(last - 1);
                first += before * stride;
                *on = (stride, place - before as f64);
            }
            stride *= self.count[k];
        }
        let mut sum = D::Vector::default();
        for corner in 0..1usize << D::N {
            let (mut index, mut weight) = (first, 1.0);
            for (k, &(stride, share)) in on.iter().enumerate().take(D::N) {
                if corner >> k & 1 == 1 {
                    index += stride;
                    weight *= share;
                } else {
                    weight *= 1.0 - share;
                }
            }
            if weight != 0.0 {
                sum += self.values[index] * weight;
            }
        }
        sum
    }

    /// Returns the greatest magnitude of a value: interpolation nowhere exceeds it.
    pub fn greatest(&self) -> f64 {
        let sizes = self.values.iter().map(Vector::norm);
        sizes.fold(0.0, f64::max)
    }

    /// Whether values vary along an axis.
    pub fn varies_along(&self, axis: usize) -> bool {
        self.count[axis] > 1
    }
}

impl GridKeys {
    /// Returns the grid; a file has its vectors in columns named by `letter`, and its contents replace the name.
    pub(super) fn read<D: Dimension, V: View>(
        &mut self,
        at: &V,
        letter: char,
    ) -> Result<Grid<D>, V::Fault> {
        let inline = [
            ("origin", self.origin.is_some()),
            ("spacing", self.spacing.is_some()),
            ("count", self.count.is_some()),
            ("values", self.values.is_some()),
        ];
        let path = at.path();
        if let Some(file) = self.file.take() {
            if let Some((key, _)) = inline.iter().find(|(_, given)| *given) {
                let text = format!("the file has all nodes; leave `{key}` or `file` out");
                return Err(at.key(key).fault_of_key(text));
            }
            let nodes = at.key("file").nodes(&file, D::N, letter)?;
            (self.origin, self.spacing) = (Some(nodes.origin), Some(nodes.spacing));
            (self.count, self.values) = (Some(nodes.count), Some(nodes.values));
        } else if let Some((key, _)) = inline.iter().find(|(_, given)| !*given) {
            return Err(at.fault_of_key(format!(
                "`{path}` has neither a `file` nor `{key}`; without a file it needs `origin`, `spacing`, `count` and `values`"
            )));
        }
        let (Some(origin), Some(spacing), Some(count), Some(values)) =
            (&self.origin, &self.spacing, &self.count, &self.values)
        else {
            return Err(at.fault_of_key(format!("`{path}` has no nodes")));
        };
        let origin = at.key("origin").vector::<D>(origin)?;
        let spacing = at.key("spacing").vector::<D>(spacing)?;
        let here = at.key("count");
        if count.len() != D::N {
            let must = format!("a list of {} numbers", D::N);
            return Err(here.wrong(&format!("a list of {}", count.len()), &must));
        }
        for (k, &count) in count.iter().enumerate() {
            if count == 0 {
                return Err(here.index(k).wrong("0", "at least 1"));
            }
            if count > 1 {
                at.key("spacing").index(k).positive(spacing[k])?;
            }
        }
        let nodes = count.iter().try_fold(1u64, |n, &m| n.checked_mul(m));
        let here = at.key("values");
        if nodes != Some(values.len() as u64) {
            let made = nodes.map_or("too many".into(), |n| n.to_string());
            return Err(here.fault(format!(
                "`{}` has {} vectors, but `count` makes {made} nodes",
                here.path(),
                values.len(),
            )));
        }
        let vectors = values.iter().enumerate();
        let vectors = vectors.map(|(k, value)| here.index(k).vector::<D>(value));
        let vectors = vectors.collect::<Result<Vec<_>, _>>()?;
        let count: Vec<usize> = count.iter().map(|&n| n as usize).collect();
        Grid::new(origin, spacing, &count, vectors, self.outside)
            .ok_or_else(|| at.fault_of_key("this is no regular grid".into()))
    }
}
