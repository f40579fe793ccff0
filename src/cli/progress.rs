//! Progress of a run: a bar on a terminal, occasional lines elsewhere.

use std::collections::VecDeque;
use std::io::IsTerminal;
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use super::report::{duration, message, short};
use crate::system::Progress;

/// Time window for the speed: long enough to be steady, short enough to follow a run that slows down as grains
/// accumulate.
const WINDOW: Duration = Duration::from_secs(20);
/// Interval between lines if the output is no terminal.
const LINES: Duration = Duration::from_secs(10);

/// Shows the progress of a run.
pub(super) struct Meter {
    start: f64,
    /// Whether the run may end before its finish time.
    may_end_early: bool,
    past: VecDeque<(Instant, f64)>,
    bar: Option<ProgressBar>,
    last_line: Instant,
}

impl Meter {
    /// Returns a meter for a run from `start` (negative if settling comes first), s.
    pub fn new(start: f64, may_end_early: bool) -> Self {
        let bar = std::io::stderr().is_terminal().then(|| {
            let bar = ProgressBar::with_draw_target(Some(1000), ProgressDrawTarget::stderr());
            if let Ok(style) = ProgressStyle::with_template("[{bar:32}] {msg}") {
                bar.set_style(style.progress_chars("=> "));
            }
            bar
        });
        Meter {
            start,
            may_end_early,
            past: VecDeque::new(),
            bar,
            last_line: Instant::now(),
        }
    }

    /// Updates the display to the current progress.
    pub fn update(&mut self, now: Progress) {
        let clock = Instant::now();
        // The end of settling is a jump in time, not progress.
        if self
            .past
            .back()
            .is_some_and(|(_, time)| *time < 0.0 && now.time >= 0.0)
        {
            self.past.clear();
        }
        self.past.push_back((clock, now.time));
        while self.past.len() > 2
            && self
                .past
                .front()
                .is_some_and(|(then, _)| clock - *then > WINDOW)
        {
            self.past.pop_front();
        }
        if self.bar.is_none() && clock - self.last_line < LINES {
            return;
        }
        self.last_line = clock;
        let text = self.line(now);
        match &self.bar {
            Some(bar) => {
                let share = (now.time - self.start) / (now.finish - self.start);
                bar.set_position((1000.0 * share.clamp(0.0, 1.0)) as u64);
                bar.set_message(text);
            }
            None => message(&text),
        }
    }

    fn line(&self, now: Progress) -> String {
        let mut text = if now.time < 0.0 {
            format!("settling, at most {} s more", short(-now.time))
        } else {
            format!("{:.3} of {} s", now.time, short(now.finish))
        };
        text += &format!(", {} grains", now.grains);
        if now.discharged > 0 {
            text += &format!(", {} out", now.discharged);
        }
        if let Some(left) = self.seconds_left(now) {
            let at_most = if self.may_end_early || now.time < 0.0 {
                "at most "
            } else {
                ""
            };
            text += &format!(", {at_most}about {} left", duration(left));
        }
        text
    }

    /// Returns the remaining wall-clock time at the recent speed; none until it can be estimated.
    fn seconds_left(&self, now: Progress) -> Option<f64> {
        let (then, before) = self.past.front()?;
        let elapsed = then.elapsed().as_secs_f64();
        let moved = now.time - before;
        (elapsed > 1.0 && moved > 0.0).then(|| (now.finish - now.time) * elapsed / moved)
    }

    /// Removes the bar.
    pub fn end(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}
