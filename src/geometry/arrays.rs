//! Three numbers: vectors of the plane and of space alike, as records and fields have them.

use super::Vector;

/// A vector of either dimension in space; in the plane the third number is 0.
pub fn three<V: Vector>(v: V) -> [f64; 3] {
    std::array::from_fn(|k| if k < V::LEN { v[k] } else { 0.0 })
}

/// Vector product.
pub fn cross(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    [
        a[1] * b[2] - a[2] * b[1],
        a[2] * b[0] - a[0] * b[2],
        a[0] * b[1] - a[1] * b[0],
    ]
}

/// Scalar product.
pub fn dot(a: [f64; 3], b: [f64; 3]) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}
