//! Callbacks of the calling program at times of their own: observers, actions on the run, and conditions that stop
//! it.

use super::Moment;
use crate::control::Command;

/// A callback that is given the state of the run.
type Look<'a> = Box<dyn FnMut(&Moment) -> Reaction + 'a>;

/// Result of the callbacks at one time.
#[derive(Debug, Default)]
pub(super) struct Reaction {
    /// Commands for the run, in order.
    pub commands: Vec<Command>,
    /// Index of the first condition that holds.
    pub condition: Option<usize>,
}

/// A callback that is called at even intervals from time 0 on.
struct Watcher<'a> {
    /// Interval between calls, s.
    every: f64,
    /// Number of calls made, including those that lie before the start of the run.
    looks: u64,
    /// Whether it may return commands.
    acts: bool,
    look: Look<'a>,
}

impl Watcher<'_> {
    /// Returns the time of the next call, s.
    fn next(&self) -> f64 {
        self.looks as f64 * self.every
    }
}

/// All callbacks of a run.
#[derive(Default)]
pub(super) struct Watchers<'a> {
    all: Vec<Watcher<'a>>,
    conditions: usize,
}

impl<'a> Watchers<'a> {
    /// Adds an observer called at this interval, s.
    pub fn observe(&mut self, every: f64, mut look: impl FnMut(&Moment) + 'a) {
        self.add(every, false, move |moment| {
            look(moment);
            Reaction::default()
        });
    }

    /// Adds a callback that returns commands.
    pub fn act(&mut self, every: f64, mut act: impl FnMut(&Moment) -> Vec<Command> + 'a) {
        self.add(every, true, move |moment| Reaction {
            commands: act(moment),
            condition: None,
        });
    }

    /// Adds a condition; the run stops once it holds.
    pub fn stop_when(&mut self, every: f64, mut holds: impl FnMut(&Moment) -> bool + 'a) {
        let number = self.conditions;
        self.conditions += 1;
        self.add(every, false, move |moment| Reaction {
            commands: Vec::new(),
            condition: holds(moment).then_some(number),
        });
    }

    fn add(&mut self, every: f64, acts: bool, look: impl FnMut(&Moment) -> Reaction + 'a) {
        self.all.push(Watcher {
            every,
            looks: 0,
            acts,
            look: Box::new(look),
        });
    }

    /// Returns an interval that is not positive and finite, if there is any.
    pub fn fault(&self) -> Option<f64> {
        let of = |watcher: &Watcher<'_>| watcher.every;
        let wrong = |every: &f64| !(*every > 0.0 && every.is_finite());
        self.all.iter().map(of).find(wrong)
    }

    /// Sets the time of the saved state that the run resumes from, s: earlier calls count as made.
    pub fn begin(&mut self, time: f64) {
        for watcher in &mut self.all {
            if time >= 0.0 {
                watcher.looks = (time / watcher.every).floor() as u64 + 1;
            }
        }
    }

    /// Returns the time of the next call of any callback, s; infinity without callbacks.
    pub fn next(&self) -> f64 {
        let times = self.all.iter().map(Watcher::next);
        times.fold(f64::INFINITY, f64::min)
    }

    /// Calls all callbacks that are due, in the order in which they were added. At the end of a run nothing can be done any more: those that act
    /// are not called.
    pub fn look(&mut self, moment: &Moment, over: bool) -> Reaction {
        let mut all = Reaction::default();
        for watcher in &mut self.all {
            if watcher.next() > moment.time || over && watcher.acts {
                continue;
            }
            watcher.looks += 1;
            let told = (watcher.look)(moment);
            all.commands.extend(told.commands);
            all.condition = all.condition.or(told.condition);
        }
        all
    }
}
