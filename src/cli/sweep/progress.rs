//! Progress of a sweep: a bar of runs on a terminal, occasional lines elsewhere.

use std::io::IsTerminal;
use std::sync::Mutex;
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::cli::report::{duration, message};
use crate::sweep::Look;

/// Interval between lines if the output is no terminal.
const LINES: Duration = Duration::from_secs(10);

/// Shows the progress of a sweep.
pub(super) struct Meter {
    begin: Instant,
    bar: Option<ProgressBar>,
    last_line: Mutex<Instant>,
}

impl Meter {
    /// Returns a meter for a sweep that begins now.
    pub fn new() -> Self {
        let bar = std::io::stderr().is_terminal().then(|| {
            let bar = ProgressBar::with_draw_target(Some(1000), ProgressDrawTarget::stderr());
            if let Ok(style) = ProgressStyle::with_template("[{bar:32}] {msg}") {
                bar.set_style(style.progress_chars("=> "));
            }
            bar
        });
        Meter {
            begin: Instant::now(),
            bar,
            last_line: Mutex::new(Instant::now()),
        }
    }

    /// Updates the display to the current progress.
    pub fn update(&self, look: &Look) {
        match &self.bar {
            Some(bar) => {
                let done = (look.there + look.ended) as f64 + look.under_way;
                bar.set_position((1000.0 * done / look.all.max(1) as f64) as u64);
                bar.set_message(self.line(look));
            }
            None => {
                let Ok(mut last) = self.last_line.lock() else {
                    return;
                };
                if last.elapsed() >= LINES {
                    *last = Instant::now();
                    message(&self.line(look));
                }
            }
        }
    }

    fn line(&self, look: &Look) -> String {
        let mut text = format!("{} of {} runs", look.there + look.ended, look.all);
        if look.jammed > 0 {
            text += &format!(", {} jammed", look.jammed);
        }
        if look.failed > 0 {
            text += &format!(", {} failed", look.failed);
        }
        // A run in progress may end early, in a jam: its fraction underestimates its progress.
        let work = look.ended as f64 + look.under_way;
        let elapsed = self.begin.elapsed().as_secs_f64();
        let left = (look.all - look.there) as f64 - work;
        if elapsed > 1.0 && work > 0.2 && left > 0.0 {
            text += &format!(", about {} left", duration(elapsed * left / work));
        }
        text
    }

    /// Removes the bar.
    pub fn end(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}
