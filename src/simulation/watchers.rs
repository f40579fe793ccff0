//! Who looks at a run at times of their own: observers and conditions that end it.

use super::Moment;

/// What one of them does with a moment; true: the run is to stop.
type Look<'a> = Box<dyn FnMut(&Moment) -> bool + 'a>;

/// One that looks at even intervals from time 0 on.
struct Watcher<'a> {
    /// s.
    every: f64,
    /// Looks that it has had or that lie before where the run began.
    looks: u64,
    /// Its number among the conditions; none of an observer.
    condition: Option<usize>,
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
        self.add(every, None, move |moment| {
            look(moment);
            false
        });
    }

    /// One more at which the run stops once it says so.
    pub fn stop_when(&mut self, every: f64, holds: impl FnMut(&Moment) -> bool + 'a) {
        self.add(every, Some(self.conditions), holds);
        self.conditions += 1;
    }

    fn add(
        &mut self,
        every: f64,
        condition: Option<usize>,
        look: impl FnMut(&Moment) -> bool + 'a,
    ) {
        self.all.push(Watcher {
            every,
            looks: 0,
            condition,
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

    /// Those who are due look; gives the first condition that holds.
    pub fn look(&mut self, moment: &Moment) -> Option<usize> {
        let mut holds = None;
        for watcher in &mut self.all {
            if watcher.next() > moment.time {
                continue;
            }
            watcher.looks += 1;
            if (watcher.look)(moment) {
                holds = holds.or(watcher.condition);
            }
        }
        holds
    }
}
