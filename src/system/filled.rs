//! A filling in equilibrium that goes on as motion (thesis 5.10): the bed keeps its forces, and what is set up to act on it acts from then on.

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

/// Force that a grain may lack as motion begins, over the mean weight, without a word.
const LEFT: f64 = 1e-6;

/// Way of a grain as motion begins, over its radius, without a word.
const MOVED: f64 = 1e-2;

/// What a run in motion tells of the filling before it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Filling {
    /// Potential energy that grains came with, J.
    pub fed: f64,
    /// Heat of slides, J.
    pub slip: f64,
    /// What sudden loads left over when all came to rest, J.
    pub morph: f64,
    /// Potential and elastic energy that it held in the end, J.
    pub held: f64,
    /// The largest error of a row (`balance_error_max`).
    pub worst: f64,
    /// Time of the last row of the series, s.
    pub last_row: f64,
    /// Time of all grains in equilibrium, s.
    pub grain_seconds: f64,
    /// Solves, and what they took on a common machine, s.
    pub solves: u64,
    pub work: f64,
    /// Solver.
    pub solver: String,
    /// Micro-avalanches.
    pub avalanches: Avalanches,
    /// Parts that needed dynamics and were held; links made anew under parts that would have hung on nothing; slides as the bed became one
    /// of motion.
    pub corrected: [u64; 3],
    /// What to mind.
    pub warnings: Vec<String>,
}

impl Filling {
    /// Corrections by name.
    pub fn corrections(&self) -> [(&'static str, u64); 3] {
        let [held, reseated, slides] = self.corrected;
        [
            ("parts_held", held),
            ("links_reseated", reseated),
            ("slides_into_motion", slides),
        ]
    }
}

/// When motion begins after a filling, s; none where it does not, or not before the finish.
pub fn motion_begins<D: Dimension>(setup: &Setup<D>, settings: &QuasiStaticSetup) -> Option<f64> {
    let begin = (setup.grains.len() + 1) as f64 * settings.interval;
    (settings.then == ThenName::Motion && begin < setup.run.finish).then_some(begin)
}

/// The part of a setup that a filling is: what acts on motion waits.
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
            Some(begin) => part.run.finish = begin,
            None => settings.then = ThenName::Nothing,
        }
    }
    part
}

/// The part of a setup that is motion, if it comes to that.
pub fn moving_part<D: Dimension>(setup: &Setup<D>) -> Option<Setup<D>> {
    let begin = motion_begins(setup, setup.models.quasi_static.as_ref()?)?;
    let mut part = setup.clone();
    part.models.quasi_static = None;
    part.run.begin = begin;
    Some(part)
}

/// Where such a run is.
enum Phase<D: Integrate> {
    Filling(Box<QuasiStatic<'static, D>>),
    Motion(Box<System<D>>),
}

/// A run that begins as a filling in equilibrium and goes on as motion.
pub struct Filled<D: Integrate> {
    phase: Phase<D>,
    /// What motion is of.
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
    /// A run at its start, or where it was when its state was saved.
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

    /// The system in motion, once it is that.
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

/// A system whose grains lie as a filling has them, with its forces.
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
