//! Errors of the methods for mass properties.

/// Reasons why there are no mass properties.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
pub enum MassError {
    /// Three spheres overlap each other: there is no closed form for that here.
    #[error(
        "spheres {0}, {1} and {2} overlap each other, for which there is no closed form; take the method `slices`"
    )]
    NoClosedForm(usize, usize, usize),
    /// A method did not reach the requested accuracy.
    #[error(
        "a relative error of {wanted:e} is out of reach with {work}: {reached:.1e} was reached; allow more, or take another method"
    )]
    Tolerance {
        /// Requested relative error.
        wanted: f64,
        /// Relative error that was reached.
        reached: f64,
        /// Amount of work, in terms of the method.
        work: Work,
    },
    /// More voxels than the limit.
    #[error("{0} voxels a side are too many; at most {1} here")]
    TooMany(usize, usize),
    /// More lines than the limit.
    #[error("{0} samples are too many; at most {1}")]
    TooManySamples(u64, u64),
    /// No sample is inside the shape.
    #[error("no sample lies inside the shape; allow more of them")]
    Nothing,
}

/// Amount of work of a method.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Work {
    /// Number of voxels along the longest side.
    Voxels(usize),
    /// Number of samples.
    Samples(u64),
    /// Number of slices between two neighbouring heights at which the cross-section changes its form.
    Slices(usize),
}

impl std::fmt::Display for Work {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Work::Voxels(n) => write!(f, "{n} voxels a side"),
            Work::Samples(n) => write!(f, "{n} samples"),
            Work::Slices(n) => write!(f, "{n} slices a layer"),
        }
    }
}
