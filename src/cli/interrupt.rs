//! Ctrl-C, and the signal that ends a job: a run stops after a checkpoint.

use std::sync::atomic::{AtomicBool, Ordering};

use super::report::message;

/// Set by Ctrl-C; drivers look at it between events.
static INTERRUPTED: AtomicBool = AtomicBool::new(false);

/// The flag that is set from outside. A second Ctrl-C ends at once: the last checkpoint is on the disk whole
/// in any case.
pub(super) fn flag(quiet: bool) -> &'static AtomicBool {
    let handler = ctrlc::set_handler(|| {
        if INTERRUPTED.swap(true, Ordering::Relaxed) {
            std::process::exit(130);
        }
    });
    if let (Err(error), false) = (handler, quiet) {
        message(&format!(
            "warning: Ctrl-C will not write a checkpoint: {error}"
        ));
    }
    &INTERRUPTED
}
