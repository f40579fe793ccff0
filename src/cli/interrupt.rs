//! Handles Ctrl-C and the termination signal: a run stops after a checkpoint.

use std::sync::atomic::{AtomicBool, Ordering};

use super::report::message;

/// Set by Ctrl-C; drivers check it between events.
static INTERRUPTED: AtomicBool = AtomicBool::new(false);

/// Returns the flag that signals set. A second Ctrl-C ends the program at once: the last checkpoint on the disk is
/// complete in any case.
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
