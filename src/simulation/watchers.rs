//! Who looks at a run at times of their own: observers, who acts on it, and conditions that end it.

use super::Moment;
use crate::control::Command;

/// What one of them does with a moment.
type Look<'a> = Box<dyn FnMut(&Moment) -> Told + 'a>;

/// What a look comes to.
#[derive(Debug, Default)]
pub(super) struct Told {
    /// Commands, in order.
    pub commands: Vec<Command>,
    /// The first condition that holds.
    pub condition: Option<usize>,
}

/// One that looks at even intervals from time 0 on.
struct Watcher<'a> {
    /// s.
    every: f64,
    /// Looks that it has had or that lie before where the run began.
    looks: u64,
    look: Look<'a>,
}

impl Watcher<'_> {
    /// When it looks next, s.
    fn next(&self) -> f64 {
        self.looks as f64 * self.every
    }
}

/// All of a run.
#[derive(Default)]
pub(super) struct Watchers<'a> {
    all: Vec<Watcher<'a>>,
    conditions: usize,
}

impl<'a> Watchers<'a> {
    /// One more that looks every so often, s.
    pub fn observe(&mut self, every: f64, mut look: impl FnMut(&Moment) + 'a) {
        self.add(every, move |moment| {
            look(moment);
            Told::default()
        });
    }

    /// One more that gives commands.
    pub fn act(&mut self, every: f64, mut act: impl FnMut(&Moment) -> Vec<Command> + 'a) {
        self.add(every, move |moment| Told {
            commands: act(moment),
            condition: None,
        });
    }

    /// One more at which the run stops once it says so.
    pub fn stop_when(&mut self, every: f64, mut holds: impl FnMut(&Moment) -> bool + 'a) {
        let number = self.conditions;
        self.conditions += 1;
        self.add(every, move |moment| Told {
            commands: Vec::new(),
            condition: holds(moment).then_some(number),
        });
    }

    fn add(&mut self, every: f64, look: impl FnMut(&Moment) -> Told + 'a) {
        self.all.push(Watcher {
            every,
            looks: 0,
            look: Box::new(look),
        });
    }

    /// The interval of one that is none, if there is any.
    pub fn fault(&self) -> Option<f64> {
        let of = |watcher: &Watcher<'_>| watcher.every;
        let wrong = |every: &f64| !(*every > 0.0 && every.is_finite());
        self.all.iter().map(of).find(wrong)
    }

    /// Where a run that goes on from a saved state stands, s: looks of before are over.
    pub fn begin(&mut self, time: f64) {
        for watcher in &mut self.all {
            if time >= 0.0 {
                watcher.looks = (time / watcher.every).floor() as u64 + 1;
            }
        }
    }

    /// The next look of any of them, s; without end where nobody looks.
    pub fn next(&self) -> f64 {
        let times = self.all.iter().map(Watcher::next);
        times.fold(f64::INFINITY, f64::min)
    }

    /// Those who are due look, in the order in which they were added.
    pub fn look(&mut self, moment: &Moment) -> Told {
        let mut all = Told::default();
        for watcher in &mut self.all {
            if watcher.next() > moment.time {
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
