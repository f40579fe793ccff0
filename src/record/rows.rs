//! Rows of the tables of a run: plain data, the same in two and three dimensions.
//!
//! In the plane the third component of a vector is absent from the files; spins and moments are
//! their single component (about z), rotations their angle.

use serde::{Deserialize, Serialize};

use super::bonds::{BondFigures, BondState};

use super::nodes::GroupRow;
use crate::event::{EventKind, Regime};
use crate::stress::Place;

/// A body in the tables: a grain by number or a boundary by index.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum BodyRef {
    /// No body.
    None,
    /// A grain's number.
    Grain(u32),
    /// A boundary's index in the scenario.
    Boundary(u16),
}

impl BodyRef {
    /// Returns the code in files: grains from 0, boundaries -1 - index, no body the least integer.
    pub fn code(self) -> i64 {
        match self {
            BodyRef::None => i64::MIN,
            BodyRef::Grain(g) => i64::from(g),
            BodyRef::Boundary(b) => -1 - i64::from(b),
        }
    }

    /// Returns the body of a code; unused codes mean no body.
    pub fn from_code(code: i64) -> BodyRef {
        if let Ok(grain) = u32::try_from(code) {
            BodyRef::Grain(grain)
        } else if let Some(Ok(boundary)) = (-1i64).checked_sub(code).map(u16::try_from) {
            BodyRef::Boundary(boundary)
        } else {
            BodyRef::None
        }
    }
}

/// A logged event.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct EventRow {
    /// Order in which it was handled.
    pub seq: u64,
    /// Time, s.
    pub time: f64,
    /// Kind of the event.
    pub kind: EventKind,
    /// Regime before a morph.
    pub regime_from: Option<Regime>,
    /// Regime after a morph.
    pub regime_to: Option<Regime>,
    /// First body.
    pub body_a: BodyRef,
    /// Second body.
    pub body_b: BodyRef,
    /// Number of the link, 0 when none (links count from 1).
    pub link: u64,
    /// Position, m.
    pub position: [f64; 3],
    /// Energy of the event, J: kinetic energy of approach for insert-link, removed energy for delete-bodies; NaN
    /// where there is none.
    pub energy: f64,
    /// Sequence number of the event that caused this one, 0 when none.
    pub cause: u64,
}

impl EventRow {
    /// Returns a row with only its number, time (s) and kind.
    pub(crate) fn new(seq: u64, time: f64, kind: EventKind) -> Self {
        EventRow {
            seq,
            time,
            kind,
            regime_from: None,
            regime_to: None,
            body_a: BodyRef::None,
            body_b: BodyRef::None,
            link: 0,
            position: [f64::NAN; 3],
            energy: f64::NAN,
            cause: 0,
        }
    }
}

/// A row of the series: the state of the whole system at a log tick.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct SeriesRow {
    /// Time, s.
    pub time: f64,
    /// Grains in the system.
    pub grains: u64,
    /// Grains by regime: flight, cluster, rest, rigid.
    pub by_regime: [u64; 4],
    /// Clusters (connected groups; flyers not counted).
    pub clusters: u64,
    /// Number of open links.
    pub links: u64,
    /// Number of sliding links.
    pub sliding: u64,
    /// Grains removed through an outlet so far.
    pub discharged: u64,
    /// Kinetic energy, J.
    pub kinetic: f64,
    /// Potential energy in the fields, J.
    pub potential: f64,
    /// Elastic energy of the links, J.
    pub elastic: f64,
    /// Of these, that of bonds, J.
    pub elastic_bonds: f64,
    /// Dissipated so far, J: damping, slip, collision, morph, breakage of bonds.
    pub dissipated: [f64; 5],
    /// Injected so far (feed and moving walls), J.
    pub injected: f64,
    /// Removed so far with grains, J.
    pub removed: f64,
    /// Relative error of the energy balance.
    pub balance_error: f64,
    /// Collisions in flight so far: of two grains, of grains with walls.
    pub collisions: [u64; 2],
    /// Part of the energy dissipated in collisions that was lost at walls, J.
    pub dissipated_at_walls: f64,
    /// Groups of grains at rest.
    pub groups: GroupRow,
    /// Processor work so far by the models `dem`, `flight`, `collisions`, `rest` and `quasi_static`, estimated from
    /// counts: steps, collisions and solves, each weighted by its cost on a common machine, s.
    pub work: [f64; 5],
    /// Events handled so far, in the order of `EventKind::ALL`.
    pub events: Vec<u64>,
    /// For each boundary: mean force since the last tick (3 components, N), mean moment about
    /// its reference point (3 components, N m; the plane uses the last), work done on grains so
    /// far (J).
    pub walls: Vec<[f64; 7]>,
    /// Displacement of each boundary from its initial position, m.
    pub shifts: Vec<[f64; 3]>,
    /// For each meter: grains that have passed so far, forward less back, and their mass, kg.
    pub meters: Vec<(i64, f64)>,
    /// A periodic cell whose edges move.
    pub cell: Option<CellRow>,
    /// Bonds.
    pub bonds: Option<BondFigures>,
}

/// A periodic cell whose edges move, at a tick.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct CellRow {
    /// Lengths along the axes, m.
    pub lengths: [f64; 3],
    /// Displacement of the image above along x, m; at most half a length.
    pub offset: f64,
    /// Shear so far.
    pub sheared: f64,
    /// Solid fraction.
    pub fraction: f64,
    /// Mean number of links per grain; a link counts for both of its grains.
    pub coordination: f64,
    /// Mean pressure since the last tick, Pa, in the plane N/m: force along the second axis on a plane across the first,
    /// positive in compression.
    pub pressure: [[f64; 3]; 3],
}

/// A grain in a snapshot.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct GrainRow {
    /// Time, s.
    pub time: f64,
    /// Number of the grain.
    pub grain: u32,
    /// Shape, as index into the list of the run; none: a disk or a sphere.
    pub shape: Option<u16>,
    /// Radius, m; for a shape that of the circumscribed circle or sphere.
    pub radius: f64,
    /// Mass, kg.
    pub mass: f64,
    /// Material index.
    pub material: u16,
    /// Centre, m.
    pub position: [f64; 3],
    /// Velocity, m/s.
    pub velocity: [f64; 3],
    /// Angle (rad) first in the plane; quaternion x, y, z, w in space.
    pub rotation: [f64; 4],
    /// Angular velocity, rad/s; in the plane the single component comes first.
    pub spin: [f64; 3],
    /// Contact force, N.
    pub force: [f64; 3],
    /// Contact moment, N m; in the plane the single component comes first.
    pub moment: [f64; 3],
    /// Regime.
    pub regime: Regime,
    /// Number of its cluster: the least grain number in it; -1 for a flyer.
    pub cluster: i64,
    /// Number of its group at rest: the least grain number in it; -1 for a grain that is not at rest.
    pub group: i64,
    /// Estimated error of the normal forces in this group, over these; 0 for a grain that is not at rest.
    pub force_error: f64,
    /// Number of its fragment: the least number of the grains that bonds join with it, its own if there are none.
    pub fragment: u32,
}

/// A link in a snapshot.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct LinkRow {
    /// Time, s.
    pub time: f64,
    /// Number of the link, from 1 in order of creation; 0 where links are not numbered.
    pub link: u64,
    /// First body.
    pub body_a: BodyRef,
    /// Second body.
    pub body_b: BodyRef,
    /// Contact point, m.
    pub point: [f64; 3],
    /// Unit normal, from a to b.
    pub normal: [f64; 3],
    /// Overlap, m, positive when compressed.
    pub overlap: f64,
    /// Normal force between the bodies, that of a bond included, N, positive in compression.
    pub normal_force: f64,
    /// Tangential force on a, that of a bond included, N.
    pub tangential_force: [f64; 3],
    /// Whether the link slides.
    pub slipping: bool,
    /// Whether the link has been at rest long enough to count as stable.
    pub stable: bool,
    /// The bond of its grains, if there is one.
    pub bond: Option<BondState>,
}

/// A micro-avalanche: all changes of links that one perturbation caused until rest.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AvalancheRow {
    /// Number of the avalanche, from 0.
    pub avalanche: u64,
    /// Start time, s.
    pub start: f64,
    /// Size: total of slides, breaks and insertions of links.
    pub size: u64,
    /// Slides; a link that slides in several rounds counts in each.
    pub slides: u64,
    /// Links that broke.
    pub breaks: u64,
    /// Links that formed.
    pub insertions: u64,
    /// Rounds of the iteration until rest.
    pub rounds: u64,
    /// Links involved.
    pub links: u64,
    /// Grains involved.
    pub grains: u64,
    /// Heat of the slides: elastic energy released at fixed nodes, J.
    pub energy: f64,
    /// The same by the thesis's formula (4.36), J.
    pub energy_thesis: f64,
    /// Diagonal of the box around the links involved, m.
    pub extent: f64,
    /// Mean position of the links involved, m.
    pub position: [f64; 3],
    /// Place of most of the heat; none if nothing slid.
    pub place: Option<Place>,
    /// Heat of the slides by place, in the order of `Place::ALL`, J.
    pub by_place: [f64; 4],
    /// The grain whose arrival caused it.
    pub trigger: BodyRef,
}

/// A cell of the field of stagnant zones, accumulated over the run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ZoneRow {
    /// Centre of the cell, m.
    pub position: [f64; 3],
    /// Side length, m.
    pub size: f64,
    /// Number of ticks of the series at which the cell contained a grain's centre.
    pub looks: u64,
    /// Fraction of all ticks.
    pub occupied: f64,
    /// Fraction of the grains seen there that were at rest (regime rest or rigid): the part of the occupied time in
    /// which the place is stagnant.
    pub still: f64,
    /// Mean speed of the grains seen there, m/s.
    pub speed: f64,
    /// Mean velocity of these grains, m/s.
    pub velocity: [f64; 3],
}

/// A cell of the map of a wall, accumulated over the run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WearRow {
    /// The wall.
    pub wall: BodyRef,
    /// Centre of the cell in the wall's own frame, m.
    pub position: [f64; 3],
    /// Side length, m.
    pub size: f64,
    /// Normal force times sliding distance, J (Archard 1953).
    pub archard_work: f64,
    /// Work of friction of sliding contacts, J.
    pub friction: f64,
    /// Contacts that began.
    pub impacts: u64,
    /// Kinetic energy of approach of these along the normal, J.
    pub impact_energy: f64,
}

/// A class of the spectrum of impacts: collisions of similar energy with one partner, over the whole run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ImpactRow {
    /// The wall; none: collisions of two grains.
    pub with: BodyRef,
    /// Least energy of the class, J: kinetic energy of approach along the normal.
    pub from: f64,
    /// Upper end of the class, J.
    pub to: f64,
    /// Collisions.
    pub count: u64,
    /// Energy of these impacts, J.
    pub energy: f64,
    /// Energy lost in them, J.
    pub lost: f64,
}

/// Receiver of a run's records. Sinks never change a run, but an error of a sink ends it.
pub trait Sink: Send {
    /// Takes a logged event.
    fn event(&mut self, row: &EventRow) -> Result<(), super::RecordError>;
    /// Takes a row of the series.
    fn series(&mut self, row: &SeriesRow) -> Result<(), super::RecordError>;
    /// Takes a snapshot.
    fn snapshot(
        &mut self,
        grains: &[GrainRow],
        links: &[LinkRow],
    ) -> Result<(), super::RecordError>;
    /// Takes a micro-avalanche.
    fn avalanche(&mut self, row: &AvalancheRow) -> Result<(), super::RecordError>;
    /// Takes a cell of the field of stagnant zones; the default ignores it.
    fn zone(&mut self, _row: &ZoneRow) -> Result<(), super::RecordError> {
        Ok(())
    }
    /// Takes a class of the spectrum of impacts; the default ignores it.
    fn impact(&mut self, _row: &ImpactRow) -> Result<(), super::RecordError> {
        Ok(())
    }
    /// Takes a cell of the map of a wall; the default ignores it.
    fn wear(&mut self, _row: &WearRow) -> Result<(), super::RecordError> {
        Ok(())
    }
    /// Takes a checkpoint: the serialised state of the driver. All records given before are on the disk when this
    /// returns.
    fn checkpoint(&mut self, state: &[u8]) -> Result<(), super::RecordError>;
}

/// A borrowed sink passes records to its owner.
impl<S: Sink + ?Sized> Sink for &mut S {
    fn event(&mut self, row: &EventRow) -> Result<(), super::RecordError> {
        (**self).event(row)
    }
    fn series(&mut self, row: &SeriesRow) -> Result<(), super::RecordError> {
        (**self).series(row)
    }
    fn snapshot(
        &mut self,
        grains: &[GrainRow],
        links: &[LinkRow],
    ) -> Result<(), super::RecordError> {
        (**self).snapshot(grains, links)
    }
    fn avalanche(&mut self, row: &AvalancheRow) -> Result<(), super::RecordError> {
        (**self).avalanche(row)
    }
    fn zone(&mut self, row: &ZoneRow) -> Result<(), super::RecordError> {
        (**self).zone(row)
    }
    fn impact(&mut self, row: &ImpactRow) -> Result<(), super::RecordError> {
        (**self).impact(row)
    }
    fn wear(&mut self, row: &WearRow) -> Result<(), super::RecordError> {
        (**self).wear(row)
    }
    fn checkpoint(&mut self, state: &[u8]) -> Result<(), super::RecordError> {
        (**self).checkpoint(state)
    }
}

/// A sink that keeps nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct NullSink;

impl Sink for NullSink {
    fn event(&mut self, _: &EventRow) -> Result<(), super::RecordError> {
        Ok(())
    }
    fn series(&mut self, _: &SeriesRow) -> Result<(), super::RecordError> {
        Ok(())
    }
    fn snapshot(&mut self, _: &[GrainRow], _: &[LinkRow]) -> Result<(), super::RecordError> {
        Ok(())
    }
    fn avalanche(&mut self, _: &AvalancheRow) -> Result<(), super::RecordError> {
        Ok(())
    }
    fn checkpoint(&mut self, _: &[u8]) -> Result<(), super::RecordError> {
        Ok(())
    }
}

/// A sink that keeps everything in memory, for tests and library use.
#[derive(Clone, Debug, Default)]
pub struct MemorySink {
    /// Logged events.
    pub events: Vec<EventRow>,
    /// The series.
    pub series: Vec<SeriesRow>,
    /// Snapshots: grains and links.
    pub snapshots: Vec<(Vec<GrainRow>, Vec<LinkRow>)>,
    /// Micro-avalanches.
    pub avalanches: Vec<AvalancheRow>,
    /// Cells of the field of stagnant zones.
    pub zones: Vec<ZoneRow>,
    /// The spectrum of impacts.
    pub impacts: Vec<ImpactRow>,
    /// Maps of walls.
    pub wear: Vec<WearRow>,
    /// The last checkpoint.
    pub checkpoint: Option<Vec<u8>>,
    /// Number of rows of the series at that checkpoint: a run resumed from there continues after these, even if an
    /// interrupted run had written more.
    pub kept: usize,
}

impl Sink for MemorySink {
    fn event(&mut self, row: &EventRow) -> Result<(), super::RecordError> {
        self.events.push(*row);
        Ok(())
    }
    fn series(&mut self, row: &SeriesRow) -> Result<(), super::RecordError> {
        self.series.push(row.clone());
        Ok(())
    }
    fn snapshot(
        &mut self,
        grains: &[GrainRow],
        links: &[LinkRow],
    ) -> Result<(), super::RecordError> {
        self.snapshots.push((grains.to_vec(), links.to_vec()));
        Ok(())
    }
    fn avalanche(&mut self, row: &AvalancheRow) -> Result<(), super::RecordError> {
        self.avalanches.push(*row);
        Ok(())
    }
    fn zone(&mut self, row: &ZoneRow) -> Result<(), super::RecordError> {
        self.zones.push(*row);
        Ok(())
    }
    fn impact(&mut self, row: &ImpactRow) -> Result<(), super::RecordError> {
        self.impacts.push(*row);
        Ok(())
    }
    fn wear(&mut self, row: &WearRow) -> Result<(), super::RecordError> {
        self.wear.push(*row);
        Ok(())
    }
    fn checkpoint(&mut self, state: &[u8]) -> Result<(), super::RecordError> {
        self.checkpoint = Some(state.to_vec());
        self.kept = self.series.len();
        Ok(())
    }
}
