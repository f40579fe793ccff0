//! How round walls are, for what must be known before grains meet them.

use super::Shape;
use crate::contact::curved::{LEAST, effective_radius};
use crate::geometry::Dimension;

impl<D: Dimension> Shape<D> {
    /// Principal curvatures with which a ball of a radius (m) may meet it, 1/m, of each part those that make it stiffest.
    fn curvatures(&self, radius: f64) -> Vec<[f64; 2]> {
        match self {
            Shape::Plane { .. } | Shape::Polyline { .. } | Shape::Box { .. } | Shape::Mesh(_) => {
                vec![[0.0; 2]]
            }
            Shape::Ball { radius, inside, .. } => {
                let curvature = if *inside { -1.0 / radius } else { 1.0 / radius };
                vec![[curvature; 2]]
            }
            Shape::Arc { radius, .. } => vec![[0.0; 2], [-1.0 / radius; 2]],
            Shape::Grains(list) => {
                let largest = list.iter().map(|grain| grain.1).fold(0.0, f64::max);
                vec![[1.0 / largest; 2]]
            }
            Shape::Vessel(vessel) => {
                vec![[-1.0 / vessel.radius, 0.0], [-1.0 / vessel.lid_radius; 2]]
            }
            Shape::Revolved { profile, .. } => {
                let mut found = vec![[0.0; 2]];
                for ends in profile.windows(2) {
                    let (across, along) = (ends[1][0] - ends[0][0], ends[1][1] - ends[0][1]);
                    let away = along.abs() / (across * across + along * along).sqrt();
                    // From inside a ball meets it no nearer to the axis.
                    let least = ends[0][0].min(ends[1][0]).max(away * radius);
                    if away > 0.0 && least < ends[0][0].max(ends[1][0])
                        || across == 0.0 && least <= ends[0][0]
                    {
                        found.push([-away / least, 0.0]);
                    }
                }
                found
            }
        }
    }

    /// The greatest effective radius of a ball of a radius at this wall, m.
    pub fn effective_radius(&self, radius: f64) -> f64 {
        let all = self.curvatures(radius).into_iter();
        all.map(|curvatures| effective_radius(radius, curvatures))
            .fold(0.0, f64::max)
    }

    /// Whether there is a hollow that is as narrow all along as a ball of a radius, or nearly: there the theory of
    /// round contacts ends.
    pub fn is_narrow(&self, radius: f64) -> bool {
        let narrow = |hollow: f64, other: bool| {
            let relative = 1.0 - radius / hollow;
            relative < LEAST && (relative >= 0.0 || !other)
        };
        match self {
            Shape::Ball {
                radius,
                inside: true,
                ..
            } => narrow(*radius, false),
            Shape::Arc { radius, .. } => narrow(*radius, true),
            Shape::Vessel(vessel) => {
                narrow(vessel.radius, false) || narrow(vessel.lid_radius, false)
            }
            Shape::Revolved { profile, .. } => profile
                .windows(2)
                .any(|ends| ends[0][0] == ends[1][0] && narrow(ends[0][0], true)),
            _ => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::Spatial;
    use nalgebra::Vector3;

    #[test]
    fn hollows_make_balls_larger() {
        let ball = |inside: bool| Shape::<Spatial>::Ball {
            centre: Vector3::zeros(),
            radius: 0.3,
            inside,
        };
        assert!((ball(true).effective_radius(0.1) - 0.15).abs() < 1e-15);
        assert!((ball(false).effective_radius(0.1) - 0.075).abs() < 1e-15);
        assert!(!ball(true).is_narrow(0.29) && ball(true).is_narrow(0.299));
        let pipe = |radius: f64| Shape::<Spatial>::Revolved {
            origin: Vector3::zeros(),
            axis: Vector3::z(),
            profile: vec![[radius, 0.0], [radius, 1.0]],
        };
        let wide = pipe(0.3).effective_radius(0.1);
        assert!(wide > 0.1 && wide < 0.15, "{wide}");
        // Nothing is inside of a pipe that is narrower than the ball.
        assert_eq!(pipe(0.09).effective_radius(0.1), 0.1);
        assert!(!pipe(0.09).is_narrow(0.1) && pipe(0.1005).is_narrow(0.1));
    }
}
