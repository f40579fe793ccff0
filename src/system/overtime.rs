//! Jams of runs that end before checks have established one.
//!
//! A verdict takes eight to thirty-two checks. Where all was calm at the last check before the end, a copy of the system goes on as the run
//! would have, up to the verdict or until something moves. Records, state and figures of the run stay those of its end.

use super::jam_watch::LOOKS;
use super::schedule::Source;
use super::{Control, Outcome, System, SystemError, run_loop, saved};
use crate::cluster::integrate::Integrate;
use crate::record::{Jam, NullSink};

/// Decides whether a run that has just come to its finish has ended in a jam.
pub(super) fn judge<D: Integrate>(
    system: &mut System<D>,
    outcome: Option<Outcome>,
    control: &mut Control<'_>,
) -> Result<Option<Outcome>, SystemError> {
    if system.s.stage.over != outcome || !system.s.watch.is_calm() {
        return Ok(outcome);
    }
    let Some(jam) = verdict(system, control)? else {
        return Ok(outcome);
    };
    system.s.watch.stand_later(jam);
    system.s.stage.over = Some(Outcome::Jammed);
    Ok(system.s.stage.over)
}

/// Returns the jam that is found if a copy goes on.
fn verdict<D: Integrate>(
    system: &System<D>,
    control: &mut Control<'_>,
) -> Result<Option<Jam>, SystemError> {
    let Some(first) = system.s.schedule.time_of(Source::Jam) else {
        return Ok(None);
    };
    let mut copy = saved::copied(system)?;
    copy.dem.set_threads(control.threads);
    let known = copy.s.perturb.jams.len();
    copy.extend(copy.s.sources.look().last_of(first, LOOKS));
    while let Some(look) = copy.s.schedule.time_of(Source::Jam) {
        // An error after the end is no fault of the run.
        let went = run_loop::run_until(&mut copy, look, &mut NullSink, control);
        if let Some(jam) = copy.s.perturb.jams.get(known) {
            return Ok(Some(jam.clone()));
        }
        if !matches!(went, Ok(None)) || !copy.s.watch.is_calm() {
            break;
        }
    }
    Ok(None)
}
