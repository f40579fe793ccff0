//! What keeps a method from giving mass properties.

/// Why there are no mass properties.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
pub enum MassError {
    /// Three spheres overlap each other: there is no closed form here.
    #[error(
        "spheres {0}, {1} and {2} overlap each other, for which there is no closed form; take the method `slices`"
    )]
    NoClosedForm(usize, usize, usize),
    /// A method ended before it was as good as asked for.
    #[error(
        "a relative error of {wanted:e} is out of reach with {work}: {reached:.1e} was reached; allow more, or take another method"
    )]
    Tolerance {
        /// The relative error asked for.
        wanted: f64,
        /// The one that was reached.
        reached: f64,
        /// With how much work, in words of the method.
        work: Work,
    },
    /// More voxels than a run should wait for.
    #[error("{0} voxels a side are too many; at most {1} here")]
    TooMany(usize, usize),
    /// More lines than a run should wait for.
    #[error("{0} samples are too many; at most {1}")]
    TooManySamples(u64, u64),
    /// Nothing was met by any sample.
    #[error("no sample lies inside the shape; allow more of them")]
    Nothing,
}

/// How much a method did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Work {
    /// Voxels along the longest side.
    Voxels(usize),
    /// Samples.
    Samples(u64),
    /// Slices between two neighbouring heights at which the cross-section changes its form.
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
