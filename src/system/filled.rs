//! Run that begins as a filling in equilibrium and goes on as motion (thesis 5.10): the bed keeps its forces, and all that is set up
//! to act on motion acts from then on.

use std::collections::BTreeMap;
use std::time::Instant;

use serde::{Deserialize, Serialize};

use super::frame::{self, Kind};
use super::quasi_static::{Body, QuasiStatic};
use super::{
    Command, Control, Driver, Outcome, QuasiStaticSetup, Rows, Setup, System, SystemError, ThenName,
};
use crate::body::GrainId;
use crate::cluster;
use crate::cluster::Other;
use crate::cluster::integrate::Integrate;
use crate::geometry::Dimension;
use crate::record::{Avalanches, Sink, Summary};

/// Residual of a grain as motion begins, over the mean weight, above which a warning is given.
const LEFT: f64 = 1e-6;

/// Displacement of a grain as motion begins, over its radius, above which a warning is given.
const MOVED: f64 = 1e-2;

/// Figures of the filling that a run in motion reports.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Filling {
    /// Potential energy that grains brought, J.
    pub fed: f64,
    /// Heat of slides, J.
    pub slip: f64,
    /// Energy that sudden loads left over when all came to rest, J.
    pub morph: f64,
    /// Potential and elastic energy at the end of the filling, J.
    pub held: f64,
    /// The largest error of a row (`balance_error_max`).
    pub worst: f64,
    /// Time of the last row of the series, s.
    pub last_row: f64,
    /// Sum of the times of all grains in equilibrium, s.
    pub grain_seconds: f64,
    /// Number of solves, and their time on a common machine, s.
    pub solves: u64,
    pub work: f64,
    /// Solver.
    pub solver: String,
    /// Micro-avalanches.
    pub avalanches: Avalanches,
    /// Numbers of parts that required dynamics and were held; of links made anew under parts that nothing would have held; of slides as
    /// motion began.
    pub corrected: [u64; 3],
    /// Warnings.
    pub warnings: Vec<String>,
}

impl Filling {
    /// Returns the corrections by name.
    pub fn corrections(&self) -> [(&'static str, u64); 3] {
        let [held, reseated, slides] = self.corrected;
        [
            ("parts_held", held),
            ("links_reseated", reseated),
            ("slides_into_motion", slides),
        ]
    }
}

/// Returns when motion begins after a filling, s; `None` where it does not, or not before the finish.
pub fn motion_begins<D: Dimension>(setup: &Setup<D>, settings: &QuasiStaticSetup) -> Option<f64> {
    let begin = (setup.grains.len() + 1) as f64 * settings.interval;
    (settings.then == ThenName::Motion && begin < setup.run.end_time).then_some(begin)
}

/// Returns the part of a setup that is the filling, without all that acts on motion.
pub fn filling_part<D: Dimension>(setup: &Setup<D>) -> Setup<D> {
    let mut part = setup.clone();
    let sources = &mut part.sources;
    sources.feeds.clear();
    sources.outlets.clear();
    sources.meters.clear();
    sources.controls.clear();
    sources.perturbs.clear();
    for wall in &mut part.boundaries {
        wall.opens_at = None;
    }
    part.models.morph = None;
    part.motion.collisions = None;
    part.log.wear = None;
    part.log.stagnant = None;
    if let Some(settings) = &mut part.models.quasi_static {
        match motion_begins(setup, settings) {
            Some(begin) => part.run.end_time = begin,
            None => settings.then = ThenName::Nothing,
        }
    }
    part
}

/// Returns the part of a setup that is motion, if the run reaches it.
pub fn moving_part<D: Dimension>(setup: &Setup<D>) -> Option<Setup<D>> {
    let begin = motion_begins(setup, setup.models.quasi_static.as_ref()?)?;
    let mut part = setup.clone();
    part.models.quasi_static = None;
    part.run.begin = begin;
    Some(part)
}

/// Phase of such a run.
enum Phase<D: Integrate> {
    Filling(Box<QuasiStatic<'static, D>>),
    Motion(Box<System<D>>),
}

/// A run that begins as a filling in equilibrium and goes on as motion.
pub struct Filled<D: Integrate> {
    phase: Phase<D>,
    /// Setup of the motion.
    moving: Setup<D>,
}

impl<D: Integrate> std::fmt::Debug for Filled<D> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match &self.phase {
            Phase::Filling(filling) => filling.fmt(f),
            Phase::Motion(system) => system.fmt(f),
        }
    }
}

impl<D: Integrate> Filled<D> {
    /// Creates a run at its start, or resumes it from a saved state.
    ///
    /// # Errors
    /// A setup that does not go on as motion, or that one of the two models does not take; a state of another run.
    pub fn new(setup: &Setup<D>, state: Option<&[u8]>) -> Result<Self, SystemError> {
        let Some(moving) = moving_part(setup) else {
            return Err(SystemError::Setup(
                "the setup has no filling that goes on as motion".into(),
            ));
        };
        let phase = match state {
            Some(state) if frame::is_of(Kind::Stepped, state) => {
                Phase::Motion(Box::new(System::restore(moving.clone(), state)?))
            }
            _ => Phase::Filling(Box::new(QuasiStatic::new(filling_part(setup), state)?)),
        };
        Ok(Self { phase, moving })
    }

    fn driver(&mut self) -> &mut dyn Driver {
        match &mut self.phase {
            Phase::Filling(filling) => &mut **filling,
            Phase::Motion(system) => &mut **system,
        }
    }

    /// Returns the system in motion, once the run has reached it.
    pub fn system(&self) -> Option<&System<D>> {
        match &self.phase {
            Phase::Filling(_) => None,
            Phase::Motion(system) => Some(system),
        }
    }
}

impl<D: Integrate> Driver for Filled<D> {
    fn run_until(
        &mut self,
        time: f64,
        sink: &mut dyn Sink,
        control: &mut Control<'_>,
    ) -> Result<Option<Outcome>, SystemError> {
        if let Phase::Filling(filling) = &mut self.phase {
            let began = Instant::now();
            let outcome = filling.run_until(time, sink, control)?;
            if outcome != Some(Outcome::Finished) {
                return Ok(outcome);
            }
            let system = set_in_motion(filling, self.moving.clone())?;
            self.phase = Phase::Motion(Box::new(system));
            let limit = &mut control.wall_limit;
            *limit = limit.map(|limit| limit.saturating_sub(began.elapsed()));
        }
        self.driver().run_until(time, sink, control)
    }

    fn time(&self) -> f64 {
        match &self.phase {
            Phase::Filling(filling) => filling.time(),
            Phase::Motion(system) => Driver::time(&**system),
        }
    }

    fn command(&mut self, command: &Command, sink: &mut dyn Sink) -> Result<(), SystemError> {
        match &mut self.phase {
            Phase::Filling(_) => {
                let text = "what acts on motion waits until the filling is over";
                Err(SystemError::Command(text.into()))
            }
            Phase::Motion(system) => system.command(command, sink),
        }
    }

    fn rows(&mut self) -> Rows {
        self.driver().rows()
    }

    fn save(&mut self) -> Result<Vec<u8>, SystemError> {
        self.driver().save()
    }

    fn summary(&self) -> Summary {
        match &self.phase {
            Phase::Filling(filling) => filling.summary(),
            Phase::Motion(system) => system.summary(),
        }
    }
}

/// Creates a system with the grains and the forces of a filling.
fn set_in_motion<D: Integrate>(
    filling: &QuasiStatic<D>,
    mut setup: Setup<D>,
) -> Result<System<D>, SystemError> {
    let placed = filling.placed()?;
    let index: BTreeMap<GrainId, usize> = (0..placed.grains.len())
        .map(|k| (placed.grains[k].id, k))
        .collect();
    setup.grains.clone_from(&placed.grains);
    let mut system = System::made_with(setup, |dem| {
        let ids = dem.world.grains.arrays.id.clone();
        let grain = |slot: u32| index.get(&ids[slot as usize]).copied();
        cluster::change::set_springs(dem, |a, b, normal| {
            let a = grain(a)?;
            let with = match b {
                Other::Slot(b) => Body::Grain(grain(b)?),
                Other::Boundary(wall) => Body::Wall(usize::from(wall)),
            };
            placed.held(a, with, -normal)
        });
    })?;
    let mut told = filling.told();
    told.corrected[2] = placed.slides as u64;
    if placed.left > LEFT {
        told.warnings.push(format!(
            "as the filling went over to motion a grain lacked {:.1e} of the mean weight of equilibrium",
            placed.left
        ));
    }
    if placed.moved > MOVED {
        told.warnings.push(format!(
            "as the filling went over to motion a grain was moved by {:.1e} of its radius: overlaps where the filling had it were not those of its forces, as of grains that hovered, overlapped or had settled far",
            placed.moved
        ));
    }
    let begin = system.setup.run.begin;
    let course = filling.course();
    let sources = &mut system.s.sources;
    sources.go_on_from(&course.sources, &system.setup, begin);
    system.s.journal = course.journal.clone();
    system.s.journal.links.go_on_from(filling.links() as u64);
    system.s.traffic.have_come();
    system.s.stage.wall_seconds = course.wall_seconds;
    system.s.warnings.extend(told.warnings.iter().cloned());
    system.filled = Some(told);
    Ok(system)
}
