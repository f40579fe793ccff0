//! Warns before the run of feeds that are to supply more than fits.

use crate::geometry::Dimension;
use crate::system::{FeedTiming, Setup, digits};

/// Returns warnings for feeds whose regions are too small for the requested amount.
pub(super) fn warnings<D: Dimension>(setup: &Setup<D>) -> Vec<String> {
    let unit = if D::N == 2 { "kg/m" } else { "kg" };
    let mut found = Vec::new();
    for (k, feed) in setup.sources.feeds.iter().enumerate() {
        let due = feed.due(&setup.matter.forms, setup.run.end_time);
        let Some(room) = setup.room_of(feed) else {
            continue;
        };
        let lasts = feed.last_due(&setup.matter.forms, setup.run.end_time) - feed.start;
        let most = room.most(lasts.max(0.0));
        if due.mass <= most {
            continue;
        }
        let rate = match feed.timing {
            FeedTiming::MassRate(rate) => format!(" ({} {unit}/s)", digits(rate)),
            _ => String::new(),
        };
        let passes = if room.stays.is_finite() {
            format!(
                "{} {unit} fit into its region, and grains take {} s to leave it, which lets {} {unit}/s through at most",
                digits(room.holds),
                digits(room.stays),
                digits(room.holds / room.stays)
            )
        } else {
            format!(
                "{} {unit} fit into its region, and nothing takes grains out of it",
                digits(room.holds)
            )
        };
        found.push(format!(
            "`feed[{k}]` cannot give the required {} {unit}{rate} by {} s: {passes}; a larger region, a higher `velocity` or less to give",
            digits(due.mass),
            digits(setup.run.end_time)
        ));
    }
    found
}
