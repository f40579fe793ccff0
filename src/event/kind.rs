//! The kinds of events and the regimes of grains, named as in logs.

use serde::{Deserialize, Serialize};

/// What happens at an event. The order is the order in which events of one time are handled.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[repr(u8)]
pub enum EventKind {
    /// A cluster takes a step, or a grain in flight is looked at anew.
    PredictTrajectory,
    /// Forces inside a quasi-rigid body are solved.
    AnalyzeInternalForces,
    /// Two bodies collide in flight.
    Collision,
    /// The end of a soft collision.
    EndOfContact,
    /// A contact opens.
    InsertLink,
    /// A contact is lost.
    RemoveLink,
    /// A link starts to slide.
    SlipLink,
    /// A link stops sliding.
    GripLink,
    /// A link has been at rest long enough.
    StabilizeLink,
    /// A set of bodies changes its regime.
    Morph,
    /// The neighbour search refreshes what is near a body.
    NeighborUpdate,
    /// A boundary changes its path or a gate opens.
    BoundaryUpdate,
    /// A force field changes its inner state.
    FieldUpdate,
    /// The whole is tapped, shaken or tilted, or a grain is taken away.
    Perturb,
    /// The feed makes a grain.
    AddBody,
    /// Clusters that have left are removed.
    DeleteBodies,
    /// A row of the series is written.
    LogState,
    /// A snapshot of grains and links is written.
    Visualize,
    /// Nothing can move, or the feed finds no room.
    Jam,
    /// A checkpoint is written.
    Checkpoint,
    /// The end of the run.
    Finish,
}

impl EventKind {
    /// All kinds, in order.
    pub const ALL: [EventKind; 21] = [
        EventKind::PredictTrajectory,
        EventKind::AnalyzeInternalForces,
        EventKind::Collision,
        EventKind::EndOfContact,
        EventKind::InsertLink,
        EventKind::RemoveLink,
        EventKind::SlipLink,
        EventKind::GripLink,
        EventKind::StabilizeLink,
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

    /// Whether it is of a link.
    pub const fn is_of_link(self) -> bool {
        use EventKind::{GripLink, InsertLink, RemoveLink, SlipLink, StabilizeLink};
        matches!(
            self,
            InsertLink | RemoveLink | SlipLink | GripLink | StabilizeLink
        )
    }

    /// The name in logs.
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

/// The model that a grain is under.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[repr(u8)]
pub enum Regime {
    /// On its own free path.
    Flight,
    /// Moved by the differential equations of its cluster.
    Cluster,
    /// In equilibrium, not moved.
    Rest,
    /// Part of a quasi-rigid body.
    Rigid,
}

impl Regime {
    /// The name in logs.
    pub const fn name(self) -> &'static str {
        match self {
            Regime::Flight => "flight",
            Regime::Cluster => "cluster",
            Regime::Rest => "rest",
            Regime::Rigid => "rigid",
        }
    }
}
