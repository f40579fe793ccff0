//! Event kinds and grain regimes, with their names in logs.

use serde::{Deserialize, Serialize};

/// Kind of an event. Events at the same time are handled in the order of the variants.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[repr(u8)]
pub enum EventKind {
    /// A cluster takes a step, or a grain in flight is predicted anew.
    PredictTrajectory,
    /// Forces inside a quasi-rigid body are solved.
    AnalyzeInternalForces,
    /// Two bodies collide in flight.
    Collision,
    /// A soft collision ends.
    EndOfContact,
    /// A contact forms.
    InsertLink,
    /// A contact ends.
    RemoveLink,
    /// A link starts to slide.
    SlipLink,
    /// A link stops sliding.
    GripLink,
    /// A link has been at rest long enough.
    StabilizeLink,
    /// A bond breaks.
    BreakBond,
    /// A set of bodies changes its regime.
    Morph,
    /// The neighbour list of a body is refreshed.
    NeighborUpdate,
    /// A boundary changes its path or a gate opens.
    BoundaryUpdate,
    /// A force field changes its inner state.
    FieldUpdate,
    /// The whole system is tapped, shaken or tilted, or a grain is removed.
    Perturb,
    /// The feed inserts a grain.
    AddBody,
    /// Clusters that have left the system are removed.
    DeleteBodies,
    /// A row of the series is written.
    LogState,
    /// A snapshot of grains and links is written.
    Visualize,
    /// The system is jammed: nothing can move, or the feed finds no room.
    Jam,
    /// A checkpoint is written.
    Checkpoint,
    /// The end of the run.
    Finish,
}

impl EventKind {
    /// All kinds, in order.
    pub const ALL: [EventKind; 22] = [
        EventKind::PredictTrajectory,
        EventKind::AnalyzeInternalForces,
        EventKind::Collision,
        EventKind::EndOfContact,
        EventKind::InsertLink,
        EventKind::RemoveLink,
        EventKind::SlipLink,
        EventKind::GripLink,
        EventKind::StabilizeLink,
        EventKind::BreakBond,
        EventKind::Morph,
        EventKind::NeighborUpdate,
        EventKind::BoundaryUpdate,
        EventKind::FieldUpdate,
        EventKind::Perturb,
        EventKind::AddBody,
        EventKind::DeleteBodies,
        EventKind::LogState,
        EventKind::Visualize,
        EventKind::Jam,
        EventKind::Checkpoint,
        EventKind::Finish,
    ];

    /// Whether the event concerns a link, or a bond.
    pub(crate) const fn is_of_link(self) -> bool {
        use EventKind::{BreakBond, GripLink, InsertLink, RemoveLink, SlipLink, StabilizeLink};
        matches!(
            self,
            InsertLink | RemoveLink | SlipLink | GripLink | StabilizeLink | BreakBond
        )
    }

    /// Name in logs.
    pub const fn name(self) -> &'static str {
        match self {
            EventKind::PredictTrajectory => "predict-trajectory",
            EventKind::AnalyzeInternalForces => "analyze-internal-forces",
            EventKind::Collision => "collision",
            EventKind::EndOfContact => "end-of-contact",
            EventKind::InsertLink => "insert-link",
            EventKind::RemoveLink => "remove-link",
            EventKind::SlipLink => "slip-link",
            EventKind::GripLink => "grip-link",
            EventKind::StabilizeLink => "stabilize-link",
            EventKind::BreakBond => "break-bond",
            EventKind::Morph => "morph",
            EventKind::NeighborUpdate => "neighbor-update",
            EventKind::BoundaryUpdate => "boundary-update",
            EventKind::FieldUpdate => "field-update",
            EventKind::Perturb => "perturb",
            EventKind::AddBody => "add-body",
            EventKind::DeleteBodies => "delete-bodies",
            EventKind::LogState => "log-state",
            EventKind::Visualize => "visualize",
            EventKind::Jam => "jam",
            EventKind::Checkpoint => "checkpoint",
            EventKind::Finish => "finish",
        }
    }
}

/// The model that governs a grain.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[repr(u8)]
pub enum Regime {
    /// In free flight.
    Flight,
    /// Integrated by the differential equations of its cluster.
    Cluster,
    /// In equilibrium and not moved.
    Rest,
    /// Part of a quasi-rigid body.
    Rigid,
}

impl Regime {
    /// Name in logs.
    pub const fn name(self) -> &'static str {
        match self {
            Regime::Flight => "flight",
            Regime::Cluster => "cluster",
            Regime::Rest => "rest",
            Regime::Rigid => "rigid",
        }
    }
}
