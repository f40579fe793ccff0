//! Warns of parts that would act only after the end of the run: a warning, not an error, since a run may be shortened
//! to see its beginning.

use crate::geometry::Dimension;
use crate::system::{PerturbKind, PerturbWhen, Setup};
use crate::walls::Motion;

/// Warns of parts of a setup that have no effect before its finish.
pub(super) fn warnings<D: Dimension>(setup: &Setup<D>) -> Vec<String> {
    let finish = setup.run.end_time;
    let mut found = Vec::new();
    let mut tell = |what: String, when: f64| {
        found.push(format!(
            "{what} at {when} s, but the run ends at {finish} s: it does nothing"
        ));
    };
    for wall in &setup.boundaries {
        if let Some(time) = wall.opens_at.filter(|time| *time >= finish) {
            tell(format!("the gate `{}` opens", wall.name), time);
        }
        if let Some(time) = begins(&wall.motion).filter(|time| *time >= finish) {
            tell(format!("the wall `{}` begins to move", wall.name), time);
        }
    }
    for (k, feed) in setup.sources.feeds.iter().enumerate() {
        // A grain fed exactly at the finish is still added.
        if feed.start > finish {
            tell(format!("`feed[{k}]` starts"), feed.start);
        }
    }
    if !setup.sources.outlets.is_empty() && setup.sources.outlet_interval > finish {
        let what = "grains that have left are first looked for (`run.outlet_interval`)";
        tell(what.into(), setup.sources.outlet_interval);
    }
    for (k, perturb) in setup.sources.perturbs.iter().enumerate() {
        let lasts = match perturb.kind {
            PerturbKind::Gravity(_) => true,
            PerturbKind::Tap { .. } | PerturbKind::Remove(_) => false,
        };
        let late = |time: f64| time > finish || lasts && time == finish;
        match perturb.when {
            PerturbWhen::At(time) if late(time) => tell(format!("`perturb[{k}]` comes"), time),
            // No jam is detected at time 0.
            PerturbWhen::OnJam { delay, .. } if delay >= finish => {
                tell(
                    format!("`perturb[{k}]` comes after a jam, at the earliest"),
                    delay,
                );
            }
            _ => {}
        }
    }
    found
}

/// Returns the time at which a wall that is first at rest begins to move, s.
fn begins<D: Dimension>(motion: &Motion<D>) -> Option<f64> {
    let still = D::Vector::default();
    match motion {
        Motion::Pieces(pieces) => pieces
            .iter()
            .find(|piece| piece.velocity != still || piece.acceleration != still)
            .map(|piece| piece.from),
        Motion::Guided(guided) => Some(guided.from),
        _ => None,
    }
}
