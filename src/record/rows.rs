//! Rows of the tables of a run: plain data, the same in two and three dimensions.
//!
//! In the plane the third component of a vector is absent from the files; spins and moments are
//! their single component (about z), rotations their angle.

use serde::{Deserialize, Serialize};

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
    /// As one number in files: grains from 0, boundaries -1 - index, none the least number.
    pub fn code(self) -> i64 {
        match self {
            BodyRef::None => i64::MIN,
            BodyRef::Grain(g) => i64::from(g),
            BodyRef::Boundary(b) => -1 - i64::from(b),
        }
    }

    /// The body of a code; numbers that no body has mean none.
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
    /// When, s.
    pub time: f64,
    /// What.
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
    /// Where, m.
    pub position: [f64; 3],
    /// Energy of the event, J: kinetic energy of approach of an insert-link, what was removed by
    /// a delete-bodies; NaN when it has none.
    pub energy: f64,
    /// Sequence number of the event that caused this one, 0 when none.
    pub cause: u64,
}

impl EventRow {
    /// A row that tells only its number, when (s) and what.
    pub fn new(seq: u64, time: f64, kind: EventKind) -> Self {
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

/// A row of the series: the state of the whole at a log tick.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct SeriesRow {
    /// s.
    pub time: f64,
    /// Grains in the system.
    pub grains: u64,
    /// Grains by regime: flight, cluster, rest, rigid.
    pub by_regime: [u64; 4],
    /// Clusters (connected groups; flyers not counted).
    pub clusters: u64,
    /// Links open now.
    pub links: u64,
    /// Links that slide now.
    pub sliding: u64,
    /// Grains removed through an outlet so far.
    pub discharged: u64,
    /// Kinetic energy, J.
    pub kinetic: f64,
    /// Potential energy in the fields, J.
    pub potential: f64,
    /// Elastic energy of the links, J.
    pub elastic: f64,
    /// Dissipated so far, J: damping, slip, collision, morph.
    pub dissipated: [f64; 4],
    /// Injected so far (feed and moving walls), J.
    pub injected: f64,
    /// Removed so far with grains, J.
    pub removed: f64,
    /// Relative error of the energy balance.
    pub balance_error: f64,
    /// Collisions in flight so far: of two grains, of grains with walls.
    pub collisions: [u64; 2],
    /// Of what was dissipated in collisions, what was lost at walls, J.
    pub dissipated_at_walls: f64,
    /// Groups of grains that stand still.
    pub groups: GroupRow,
    /// Work of the processor so far by the models `dem`, `flight`, `collisions`, `rest` and `quasi_static`, as counted: steps,
    /// collisions, solves, each by what it takes on a common machine, s.
    pub work: [f64; 5],
    /// Events handled so far, in the order of `EventKind::ALL`.
    pub events: Vec<u64>,
    /// For each boundary: mean force since the last tick (3 components, N), mean moment about
    /// its reference point (3 components, N m; the plane uses the last), work done on grains so
    /// far (J).
    pub walls: Vec<[f64; 7]>,
    /// For each boundary: how far it is shifted from where it was set up, m.
    pub shifts: Vec<[f64; 3]>,
    /// For each meter: grains that passed so far, forward less back, and their mass, kg.
    pub meters: Vec<(i64, f64)>,
    /// A periodic cell whose edges move.
    pub cell: Option<CellRow>,
}

/// A periodic cell whose edges move, at a tick.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct CellRow {
    /// Along the axes, m.
    pub lengths: [f64; 3],
    /// Of the image above, along x, m; up to half a length.
    pub offset: f64,
    /// Shear so far.
    pub sheared: f64,
    /// Share of the cell that grains fill.
    pub fraction: f64,
    /// Links a grain, each counted for both.
    pub coordination: f64,
    /// Mean pressure since the last tick, Pa, in the plane N/m: force along the second axis on a plane across the first,
    /// positive in compression.
    pub pressure: [[f64; 3]; 3],
}

/// A grain in a snapshot.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct GrainRow {
    /// s.
    pub time: f64,
    /// Its number.
    pub grain: u32,
    /// Its shape, by its place in the list of the run; none: a disk or a sphere.
    pub shape: Option<u16>,
    /// Radius, m; of a shape that of the circle or sphere around it.
    pub radius: f64,
    /// Mass, kg.
    pub mass: f64,
    /// Material index.
    pub material: u16,
    /// Centre, m.
    pub position: [f64; 3],
    /// m/s.
    pub velocity: [f64; 3],
    /// Angle (rad) first in the plane; quaternion x, y, z, w in space.
    pub rotation: [f64; 4],
    /// rad/s; in the plane the single component comes first.
    pub spin: [f64; 3],
    /// Contact force, N.
    pub force: [f64; 3],
    /// Contact moment, N m; in the plane the single component comes first.
    pub moment: [f64; 3],
    /// Its regime.
    pub regime: Regime,
    /// Number of its cluster: the least grain number in it; -1 for a flyer.
    pub cluster: i64,
    /// Number of its group at rest: the least grain number in it; -1 for who does not stand still.
    pub group: i64,
}

/// A link in a snapshot.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct LinkRow {
    /// s.
    pub time: f64,
    /// Its number, from 1 in order of creation; 0 where links are not numbered.
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
    /// Normal force, N, positive in compression.
    pub normal_force: f64,
    /// Tangential force on a, N.
    pub tangential_force: [f64; 3],
    /// Whether it slides.
    pub slipping: bool,
    /// Whether it has been at rest long enough.
    pub stable: bool,
}

/// A micro-avalanche: all that one perturbation set off until rest.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AvalancheRow {
    /// Its number, from 0.
    pub avalanche: u64,
    /// When it began, s.
    pub start: f64,
    /// Size: slides, breaks and insertions of links in all.
    pub size: u64,
    /// Slides among them; a link that slides in several rounds counts in each.
    pub slides: u64,
    /// Links that were lost.
    pub breaks: u64,
    /// Links that came about.
    pub insertions: u64,
    /// Rounds of the iteration until rest.
    pub rounds: u64,
    /// Links that took part.
    pub links: u64,
    /// Grains that took part.
    pub grains: u64,
    /// Heat of the slides: elastic energy set free at fixed nodes, J.
    pub energy: f64,
    /// The same by the thesis's formula (4.36), J.
    pub energy_thesis: f64,
    /// Diagonal of the box around the links that took part, m.
    pub extent: f64,
    /// Mean place of the links that took part, m.
    pub position: [f64; 3],
    /// Where most of the heat went; none where nothing slid.
    pub place: Option<Place>,
    /// Heat of the slides by place, in the order of `Place::ALL`, J.
    pub by_place: [f64; 4],
    /// The grain whose coming set it off.
    pub trigger: BodyRef,
}

/// A cell of the field of stagnant zones, over the whole run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ZoneRow {
    /// Its middle, m.
    pub position: [f64; 3],
    /// Length of its sides, m.
    pub size: f64,
    /// Ticks of the series at which a grain's centre was there.
    pub looks: u64,
    /// Their share of all ticks.
    pub occupied: f64,
    /// Share of the grains seen there that stood still (regime rest or rigid): of the time that the
    /// place is occupied, how much it is frozen.
    pub still: f64,
    /// Mean speed of the grains seen there, m/s.
    pub speed: f64,
    /// Their mean velocity, m/s.
    pub velocity: [f64; 3],
}

/// A cell of the map of a wall, over the whole run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WearRow {
    /// The wall.
    pub wall: BodyRef,
    /// Middle of the cell in the wall's own frame, m.
    pub position: [f64; 3],
    /// Length of its sides, m.
    pub size: f64,
    /// Normal force times sliding way, J (Archard 1953).
    pub pressed_way: f64,
    /// Work of friction of contacts that slid, J.
    pub friction: f64,
    /// Contacts that began.
    pub impacts: u64,
    /// Their kinetic energy of approach along the normal, J.
    pub impact_energy: f64,
}

/// A class of the spectrum of impacts: collisions of like energy with one partner, over the whole run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ImpactRow {
    /// The wall; none: collisions of two grains.
    pub with: BodyRef,
    /// Least energy of the class, J: kinetic energy of approach along the normal.
    pub from: f64,
    /// Where the class ends, J.
    pub to: f64,
    /// Collisions.
    pub count: u64,
    /// Energy of these impacts, J.
    pub energy: f64,
    /// Energy lost in them, J.
    pub lost: f64,
}

/// Where the driver writes. Sinks never change a run.
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
    /// Takes a cell of the field of stagnant zones; a sink that keeps none may pass it over.
    fn zone(&mut self, _row: &ZoneRow) -> Result<(), super::RecordError> {
        Ok(())
    }
    /// Takes a class of the spectrum of impacts; a sink that keeps none may pass it over.
    fn impact(&mut self, _row: &ImpactRow) -> Result<(), super::RecordError> {
        Ok(())
    }
    /// Takes a cell of the map of a wall; a sink that keeps none may pass it over.
    fn wear(&mut self, _row: &WearRow) -> Result<(), super::RecordError> {
        Ok(())
    }
    /// Takes a checkpoint: the serialised state of the driver. What was handed over before is
    /// on the disk when this returns.
    fn checkpoint(&mut self, state: &[u8]) -> Result<(), super::RecordError>;
}

/// What is lent takes records for its owner.
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
    /// Rows of the series at that checkpoint: a run that goes on from there has no others from before, though one that was
    /// interrupted has told where it was.
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
