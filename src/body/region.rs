//! Interface of the region that a grain fills, as sampling needs it.

use crate::geometry::Dimension;

/// A bounded region, given by the parts of lines inside it.
pub trait Region<D: Dimension> {
    /// Returns the corners of a box around it, m.
    fn bounds(&self) -> (D::Vector, D::Vector);
    /// Computes the parts of the line along the last coordinate through `at` that are inside, m: from and to,
    /// disjoint and in order. The previous contents of `spans` are replaced.
    fn spans(&self, at: D::Vector, spans: &mut Vec<[f64; 2]>);
    /// Returns the distance of its farthest point from `from`, m.
    fn reach(&self, from: D::Vector) -> f64;
}

/// Joins overlapping parts; leaves them in order.
pub(in crate::body) fn join(spans: &mut Vec<[f64; 2]>) {
    spans.sort_by(|a, b| a[0].total_cmp(&b[0]));
    let mut kept = 0;
    for i in 1..spans.len() {
        if spans[i][0] <= spans[kept][1] {
            spans[kept][1] = spans[kept][1].max(spans[i][1]);
        } else {
            kept += 1;
            spans[kept] = spans[i];
        }
    }
    spans.truncate((kept + 1).min(spans.len()));
}
