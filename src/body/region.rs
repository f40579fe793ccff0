//! Regions of space that a grain fills, as far as sampling needs to know them.

use crate::geometry::Dimension;

/// A bounded region, known by the parts of lines that lie in it.
pub trait Region<D: Dimension> {
    /// The corners of a box around it, m.
    fn bounds(&self) -> (D::Vector, D::Vector);
    /// The parts of the line along the last coordinate through `at` that are inside, m: from and to,
    /// apart from each other and in order. What `spans` held before is gone.
    fn spans(&self, at: D::Vector, spans: &mut Vec<[f64; 2]>);
    /// Distance of its farthest point, m.
    fn reach(&self, from: D::Vector) -> f64;
}

/// Joins parts that overlap; leaves them in order.
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
