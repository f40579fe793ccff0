//! Bodies inside a closed surface, by tetrahedra.

use nalgebra::Vector3;

use super::{Integrals, MassProperties};
use crate::body::{Mesh, Region};
use crate::geometry::Spatial;

/// Returns the mass properties of the body inside a closed surface, exact: every triangle forms a tetrahedron with a
/// fixed point, signed by the side of the triangle on which that lies (Ostanin et al., 3.3.3). Regions enclosed
/// several times count by their winding number.
pub fn tetrahedra(mesh: &Mesh) -> MassProperties<Spatial> {
    let (min, max) = mesh.bounds();
    let origin: Vector3<f64> = (min + max) * 0.5;
    let mut integrals = Integrals::new(origin);
    for corners in mesh.triangles() {
        let [a, b, c] = corners.map(|corner| corner - origin);
        let volume = a.dot(&b.cross(&c)) / 6.0;
        let sum = a + b + c;
        integrals.measure += volume;
        integrals.first += sum * (0.25 * volume);
        for i in 0..3 {
            for j in 0..3 {
                let corners = a[i] * a[j] + b[i] * b[j] + c[i] * c[j];
                integrals.second[i][j] += volume / 20.0 * (corners + sum[i] * sum[j]);
            }
        }
    }
    integrals.properties(0.0)
}
