//! Contact of convex grains bounded by arcs, with each other and with a line, by pairs of arcs.

use nalgebra::Vector2;

use super::{ArcGrain, ArcsError};

/// A grain's frame: position of its origin, and its rotation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ArcPose {
    /// Position of the origin of the grain's own frame, m.
    pub position: Vector2<f64>,
    /// Sine of the rotation.
    pub sine: f64,
    /// Cosine of the rotation.
    pub cosine: f64,
}

impl ArcPose {
    /// Returns a frame from its position (m) and rotation (rad).
    pub fn new(position: Vector2<f64>, rotation: f64) -> Self {
        let (sine, cosine) = libm::sincos(rotation);
        ArcPose {
            position,
            sine,
            cosine,
        }
    }
    fn turned(&self, v: Vector2<f64>) -> Vector2<f64> {
        let (s, c) = (self.sine, self.cosine);
        Vector2::new(c * v.x - s * v.y, s * v.x + c * v.y)
    }
    fn turned_back(&self, v: Vector2<f64>) -> Vector2<f64> {
        let (s, c) = (self.sine, self.cosine);
        Vector2::new(c * v.x + s * v.y, c * v.y - s * v.x)
    }
}

/// Contact of two grains, or their nearest points.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ArcContact {
    /// Overlap, m; negative for a gap.
    pub overlap: f64,
    /// Unit vector from the first grain to the second.
    pub normal: Vector2<f64>,
    /// Point midway between the two surfaces, m.
    pub point: Vector2<f64>,
    /// Index of the touching arc of each.
    pub arcs: [usize; 2],
    /// Radii of curvature of both surfaces there, m. (Contact laws use the grains' own radii: docs/grains.md.)
    pub radii: [f64; 2],
}

/// Contact of a grain with a straight wall, or their nearest points.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LineContact {
    /// Overlap of grain and wall, m; negative for a gap.
    pub overlap: f64,
    /// Point midway between the two surfaces, m.
    pub point: Vector2<f64>,
    /// Index of the touching arc.
    pub arc: usize,
    /// Radius of curvature of the arc, m.
    pub radius: f64,
}

/// A convex grain bounded by arcs, prepared for contacts.
#[derive(Clone, Debug, PartialEq)]
pub struct ArcProfile {
    faces: Vec<Face>,
    /// Least radius of curvature of its boundary, m.
    smallest: f64,
}

/// An arc given by its middle direction and the cosine of half its opening.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Face {
    centre: Vector2<f64>,
    radius: f64,
    middle: Vector2<f64>,
    limit: f64,
    /// Direction of its end.
    end: Vector2<f64>,
}

impl Face {
    /// Returns the depth of a direction within the arc; negative outside.
    fn within(&self, direction: Vector2<f64>) -> f64 {
        direction.dot(&self.middle) - self.limit
    }
}

impl ArcProfile {
    /// Prepares a grain for contacts.
    ///
    /// # Errors
    /// When it is not convex: hollow grains may touch in several places.
    pub fn new(grain: &ArcGrain) -> Result<Self, ArcsError> {
        if let Some(arc) = grain.arcs().iter().find(|arc| arc.is_hollow()) {
            return Err(ArcsError::Hollow(arc.name.clone()));
        }
        let direction = |angle: f64| {
            let (sine, cosine) = libm::sincos(angle);
            Vector2::new(cosine, sine)
        };
        let faces: Vec<Face> = grain
            .arcs()
            .iter()
            .map(|arc| Face {
                centre: arc.centre,
                radius: arc.radius,
                middle: direction(0.5 * (arc.from + arc.to)),
                // A whole circle contains every direction, regardless of rounding.
                limit: if arc.to - arc.from > std::f64::consts::TAU - 1e-9 {
                    -2.0
                } else {
                    libm::cos(0.5 * (arc.to - arc.from))
                },
                end: direction(arc.to),
            })
            .collect();
        let smallest = faces
            .iter()
            .map(|face| face.radius)
            .fold(f64::INFINITY, f64::min);
        Ok(ArcProfile { faces, smallest })
    }

    /// Returns the contact of two grains: among all pairs of arcs whose line of centres passes through both, the one
    /// with the smallest overlap; `last` is tried first.
    ///
    /// A pair whose overlap is at most the sum of the least radii of both grains is the right one: a circle of that
    /// size rolls freely inside the sum of the first grain and the mirrored second (Blaschke 1916), so that no other
    /// point of its boundary is nearer.
    pub fn contact(
        &self,
        pose: &ArcPose,
        other: &ArcProfile,
        other_pose: &ArcPose,
        last: Option<[usize; 2]>,
    ) -> ArcContact {
        // Everything is in the frame of this grain.
        let between = Relative {
            shift: pose.turned_back(other_pose.position - pose.position),
            turn: ArcPose {
                position: Vector2::zeros(),
                cosine: pose.cosine * other_pose.cosine + pose.sine * other_pose.sine,
                sine: pose.cosine * other_pose.sine - pose.sine * other_pose.cosine,
            },
        };
        let sure = self.smallest + other.smallest;
        let found = last
            .filter(|&[i, j]| i < self.faces.len() && j < other.faces.len())
            .and_then(|[i, j]| self.pair(other, &between, [i, j]))
            .filter(|found| found.overlap <= sure)
            .unwrap_or_else(|| self.search(other, &between, sure));
        let normal = pose.turned(found.normal);
        let face = &self.faces[found.arcs[0]];
        let depth = face.radius - 0.5 * found.overlap;
        ArcContact {
            overlap: found.overlap,
            normal,
            point: pose.position + pose.turned(face.centre) + normal * depth,
            arcs: found.arcs,
            radii: [face.radius, other.faces[found.arcs[1]].radius],
        }
    }

    /// Tests all pairs in turn.
    fn search(&self, other: &ArcProfile, between: &Relative, sure: f64) -> Found {
        let mut best: Option<Found> = None;
        for i in 0..self.faces.len() {
            for j in 0..other.faces.len() {
                let Some(found) = self.pair(other, between, [i, j]) else {
                    continue;
                };
                if found.overlap <= sure {
                    return found;
                }
                if best.is_none_or(|best| found.overlap < best.overlap) {
                    best = Some(found);
                }
            }
        }
        // Every direction has a separation, and the overlap is the least of all. Rounding may make both arcs miss a
        // line of centres through a joint, and coincident centres have no line: then the directions of the joints are
        // used.
        best.unwrap_or_else(|| self.at_joints(other, between))
    }

    /// Returns the contact by a pair of arcs, if the line of their centres passes through both.
    fn pair(&self, other: &ArcProfile, between: &Relative, arcs: [usize; 2]) -> Option<Found> {
        let (a, b) = (&self.faces[arcs[0]], &other.faces[arcs[1]]);
        let line = between.shift + between.turn.turned(b.centre) - a.centre;
        let distance = line.norm();
        if distance == 0.0 {
            return None;
        }
        let normal = line / distance;
        let valid = a.within(normal) >= 0.0 && b.within(-between.turn.turned_back(normal)) >= 0.0;
        valid.then_some(Found {
            overlap: a.radius + b.radius - distance,
            normal,
            arcs,
        })
    }

    fn at_joints(&self, other: &ArcProfile, between: &Relative) -> Found {
        let own = self.faces.iter().map(|face| face.end);
        let others = other
            .faces
            .iter()
            .map(|face| -between.turn.turned(face.end));
        let mut best = Found {
            overlap: f64::INFINITY,
            normal: self.faces[0].end,
            arcs: [0, 0],
        };
        for normal in own.chain(others) {
            let (i, j) = (
                self.facing(normal),
                other.facing(-between.turn.turned_back(normal)),
            );
            let (a, b) = (&self.faces[i], &other.faces[j]);
            let line = between.shift + between.turn.turned(b.centre) - a.centre;
            let overlap = a.radius + b.radius - line.dot(&normal);
            if overlap < best.overlap {
                best = Found {
                    overlap,
                    normal,
                    arcs: [i, j],
                };
            }
        }
        best
    }

    /// Returns the arc whose normals include a direction.
    fn facing(&self, direction: Vector2<f64>) -> usize {
        let share = |face: &Face| face.within(direction) / (1.0 - face.limit);
        (0..self.faces.len()).fold(0, |best, i| {
            if share(&self.faces[i]) > share(&self.faces[best]) {
                i
            } else {
                best
            }
        })
    }

    /// Returns the contact with a straight wall through `point` whose unit `normal` points to the free side.
    pub fn line_contact(
        &self,
        pose: &ArcPose,
        point: Vector2<f64>,
        normal: Vector2<f64>,
    ) -> LineContact {
        let arc = self.facing(-pose.turned_back(normal));
        let face = &self.faces[arc];
        let centre = pose.position + pose.turned(face.centre);
        let overlap = face.radius - normal.dot(&(centre - point));
        LineContact {
            overlap,
            point: centre - normal * (face.radius - 0.5 * overlap),
            arc,
            radius: face.radius,
        }
    }
}

/// The second grain's frame relative to the first one's.
struct Relative {
    shift: Vector2<f64>,
    turn: ArcPose,
}

/// A contact in the frame of the first grain.
#[derive(Clone, Copy)]
struct Found {
    overlap: f64,
    normal: Vector2<f64>,
    arcs: [usize; 2],
}
