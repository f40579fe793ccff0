//! Commands, executed as if a section of the scenario had ordered them at that time.

use super::journal::Journal;
use super::perturb::{PerturbKind, PerturbSetup, PerturbWhen, Victim};
use super::run_loop::Driven;
use super::schedule::{Due, Source};
use super::source::Order;
use super::{Setup, SystemError, features, turning};
use crate::body::Formed;
use crate::control::{Command, GivenCommand};
use crate::event::EventKind;
use crate::field::GravityChange;
use crate::geometry::{Dimension, Vector};
use crate::record::Sink;
use crate::spelling::{names, nearest};

/// A model that takes commands between two turns of its loop.
pub(super) trait Commanded<D: Formed>: Driven<D> {
    /// Returns the setup, to be changed.
    fn setup_mut(&mut self) -> &mut Setup<D>;

    /// Returns the present time of the run, s.
    fn stands(&self) -> f64;

    /// Returns the journal, which keeps all commands.
    fn journal(&mut self) -> &mut Journal;

    /// Prepares the removal of a wall at `time`, s, which is now.
    fn will_open(&mut self, wall: usize, time: f64);
}

/// Executes and logs a command at the present time of the run.
///
/// # Errors
/// A command that the run or its models cannot take, by which nothing is changed; a record that cannot be written.
pub(super) fn give<D: Formed, M: Commanded<D>>(
    model: &mut M,
    command: &Command,
    sink: &mut dyn Sink,
) -> Result<(), SystemError> {
    model.start(sink)?;
    if model.over().is_some() {
        return Err(SystemError::Command("the run is over".into()));
    }
    if model.is_settling() {
        let text = "the grains settle still: a command can come from time 0 on";
        return Err(SystemError::Command(text.into()));
    }
    let time = model.stands();
    let order = adopt(model.setup_mut(), command, time)?;
    let (source, kind) = match &order {
        Order::Perturb(index) => {
            model.queue().1.add_perturbation(*index);
            (Source::Perturb(*index as u32), EventKind::Perturb)
        }
        Order::Open(wall) => {
            model.queue().0.cancel(Source::Gate(*wall as u32));
            model.will_open(*wall, time);
            (Source::Gate(*wall as u32), EventKind::BoundaryUpdate)
        }
        Order::Shut(feed) => (Source::Feed(*feed as u32), EventKind::BoundaryUpdate),
        _ => return Ok(()),
    };
    let journal = model.journal();
    let after = journal.handled();
    journal.given.push(GivenCommand {
        time,
        after,
        command: command.clone(),
    });
    let due = Due { time, kind, source };
    model.before(due)?;
    model.carry_out(order, due, sink)?;
    model.after(due, sink)
}

/// Writes earlier commands into a setup, as when they were given, for a run that resumes.
pub(super) fn adopt_all<D: Dimension>(
    setup: &mut Setup<D>,
    given: &[GivenCommand],
) -> Result<(), SystemError> {
    for one in given {
        adopt(setup, &one.command, one.time)?;
    }
    Ok(())
}

/// Writes a command into a setup, at a time (s); returns the order to execute. A refused command leaves the setup as it was.
fn adopt<D: Dimension>(
    setup: &mut Setup<D>,
    command: &Command,
    time: f64,
) -> Result<Order<D>, SystemError> {
    let refused = |text: String| Err(SystemError::Command(text));
    let lab = turning::own_frame(setup).map(|frame| turning::Laboratory::at(&frame, time));
    if let (Some(_), Some(what)) = (lab, turning::refuses(command)) {
        return refused(format!(
            "{what} in a vessel that is computed in its own frame; mind `morph.own_frame`"
        ));
    }
    let kind = match command {
        Command::Open { boundary } => {
            let walls = || setup.boundaries.iter().map(|wall| wall.name.as_str());
            let Some(wall) = walls().position(|name| name == boundary) else {
                let near = match nearest(boundary, walls()) {
                    Some(name) => format!("did you mean `{name}`?"),
                    None => format!("boundaries are {}", names(walls())),
                };
                return refused(format!("there is no boundary `{boundary}`: {near}"));
            };
            let opens_at = &mut setup.boundaries[wall].opens_at;
            if opens_at.is_some_and(|then| then <= time) {
                return refused(format!("the boundary `{boundary}` is open already"));
            }
            *opens_at = Some(time);
            return Ok(Order::Open(wall));
        }
        Command::Shut { feed } => {
            let feeds = setup.sources.feeds.len();
            if *feed >= feeds {
                return refused(format!(
                    "there is no feed {feed}: there are {feeds}, from 0"
                ));
            }
            return Ok(Order::Shut(*feed));
        }
        Command::Tap { velocity, region } => PerturbKind::Tap {
            velocity: match (vector::<D>("velocity", velocity)?, lab) {
                (velocity, Some(lab)) => lab.in_frame(velocity),
                (velocity, None) => velocity,
            },
            region: match region {
                Some([least, greatest]) => Some((
                    vector::<D>("region", least)?,
                    vector::<D>("region", greatest)?,
                )),
                None => None,
            },
        },
        Command::Remove { near } => PerturbKind::Remove(Victim::Near(vector::<D>("near", near)?)),
        Command::RemoveOfArch(which) => PerturbKind::Remove(Victim::OfArch(*which)),
        Command::Shake {
            amplitude,
            frequency,
            cycles,
        } => PerturbKind::Gravity(GravityChange::Swing {
            amplitude: vector::<D>("amplitude", amplitude)?,
            frequency: positive("frequency", *frequency)?,
            cycles: *cycles,
        }),
        Command::Tilt { turn, duration } => PerturbKind::Gravity(GravityChange::Tilt {
            turn: spin::<D>("turn", turn)?,
            duration: positive("duration", *duration)?,
        }),
    };
    if kind.change().is_some()
        && (setup.models.events.is_some() || setup.models.quasi_static.is_some())
    {
        let text = "a run from collision to collision, or of equilibria, requires all changes of gravity from its start: \
                    give it a [[perturb]] in its scenario";
        return refused(text.into());
    }
    let perturbs = &mut setup.sources.perturbs;
    perturbs.push(PerturbSetup {
        when: PerturbWhen::At(time),
        kind,
    });
    let index = perturbs.len() - 1;
    if let Err(error) = features::check(setup) {
        setup.sources.perturbs.truncate(index);
        return refused(error.to_string());
    }
    Ok(Order::Perturb(index))
}

/// Converts three numbers to a vector.
fn vector<D: Dimension>(key: &str, value: &[f64; 3]) -> Result<D::Vector, SystemError> {
    finite(key, value)?;
    match value[D::N..].iter().all(|&v| v == 0.0) {
        true => Ok(D::Vector::from_fn(|k| value[k])),
        false => Err(SystemError::Command(format!(
            "`{key}` is {value:?}: in the plane its third number must be 0"
        ))),
    }
}

/// Converts three numbers to a rotation.
fn spin<D: Dimension>(key: &str, value: &[f64; 3]) -> Result<D::Spin, SystemError> {
    finite(key, value)?;
    let rest = 3 - D::SPINS;
    match value[..rest].iter().all(|&v| v == 0.0) {
        true => Ok(D::spin_from_fn(|k| value[rest + k])),
        false => Err(SystemError::Command(format!(
            "`{key}` is {value:?}: in the plane its first two numbers must be 0"
        ))),
    }
}

fn finite(key: &str, value: &[f64; 3]) -> Result<(), SystemError> {
    match value.iter().all(|v| v.is_finite()) {
        true => Ok(()),
        false => Err(SystemError::Command(format!(
            "`{key}` is {value:?}: its numbers must be finite"
        ))),
    }
}

fn positive(key: &str, value: f64) -> Result<f64, SystemError> {
    match value > 0.0 && value.is_finite() {
        true => Ok(value),
        false => Err(SystemError::Command(format!(
            "`{key}` is {value}: it must be more than 0"
        ))),
    }
}
