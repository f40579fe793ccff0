//! Links that a displacement strains: their springs before and after it, and what they dissipate.

use super::coefficients::Coefficients;
use super::integrate::Integrate;
use super::kinematics::Kinematics;
use super::lists::{ContactHistory, History, Lists};
use super::observe::{ContactRef, size};
use super::resistance::Turns;
use super::still::Wrench;
use crate::contact::lasting;
use crate::geometry::Dimension;

/// Strain of a link by a displacement, m.
#[derive(Default)]
pub(super) struct Strain {
    /// Across.
    pub sliding: [f64; 3],
    /// By rolling and twisting.
    pub turned: Turns,
}

impl Strain {
    pub fn of<D: Integrate>(kinematics: Kinematics<D>) -> Self {
        Strain {
            sliding: kinematics.sliding,
            turned: Turns::of::<D>(kinematics.turning, kinematics.normal),
        }
    }
}

/// A link before a displacement.
pub(super) struct Then<N> {
    /// Index and springs.
    pub index: N,
    pub kept: ContactHistory,
    /// Strain by the displacement, from the geometry for which the displacement was computed.
    pub by: Strain,
    /// Tangential stiffness, N/m.
    pub stiffness: f64,
    /// Overlap, m, normal force, N, and energy of the normal spring, J.
    pub normal: [f64; 3],
    /// Forces on its ends, N, and moments over the radius, N; for a wall the first is that on the grain.
    pub pushes: [Wrench; 2],
}

/// Overlap, m, normal force, N, and energy of the normal spring of a link, J.
pub(super) fn normal_of<D: Dimension>(view: &ContactRef<D>) -> [f64; 3] {
    [
        view.kinematics.overlap,
        view.normal_force,
        view.elastic.normal,
    ]
}

/// Strains the springs of a link in the lists by a fraction of a displacement.
pub(super) fn strain_in_lists<H: History>(
    lists: &mut Lists<H>,
    [batch, lane]: [usize; 2],
    share: f64,
    strain: &Strain,
) {
    let history = &mut lists.history[batch];
    let spring = history.lane(lane);
    history.set_lane(
        lane,
        std::array::from_fn(|j| spring[j] + share * strain.sliding[j]),
    );
    if let Some(memory) = lists.memory.get_mut(batch) {
        let mut kept = memory.lane(lane);
        let springs = Turns::kept(kept).plus(share, strain.turned);
        springs.keep(&mut kept);
        memory.set_lane(lane, kept);
    }
}

/// Energy dissipated by sliding, J.
#[derive(Default)]
pub(super) struct Lost {
    /// Work of sliding at Coulomb's bound while the load is applied.
    pub work: f64,
    /// Elastic energy released with the bodies fixed, and the same by the thesis's formula (4.36).
    pub heat: [f64; 2],
}

impl<N> Then<N> {
    /// Strains the spring by a fraction of the displacement while the contact becomes stiffer or
    /// softer; returns the energy that it loses by that, J.
    pub fn strain(&self, link: &mut ContactHistory, share: f64, now: &Coefficients) -> f64 {
        let before = self.stiffness;
        let held = 0.5 * before * size(link.spring).powi(2);
        let lasting = lasting(before, now.kt);
        link.spring = link.spring.map(|s| lasting * s);
        let kept = 0.5 * now.kt * size(link.spring).powi(2);
        link.spring = std::array::from_fn(|k| link.spring[k] + share * self.by.sliding[k]);
        if link.memory.stiffness > 0.0 {
            link.memory.stiffness = now.kt;
        }
        link.memory.slots[4] = now.deepest;
        if now.terms.rolling.is_some() || now.terms.twisting.is_some() {
            let springs = Turns::kept(link.memory.slots).plus(share, self.by.turned);
            springs.keep(&mut link.memory.slots);
        }
        // Zero for laws with constant stiffness.
        if before > 0.0 { held - kept } else { 0.0 }
    }

    /// Returns the energy that the normal force dissipates by the displacement, J: its work less what is stored.
    pub fn crushed<D: Dimension>(&self, now: &ContactRef<D>) -> f64 {
        let [overlap, force, energy] = self.normal;
        let remembers = self.kept.memory.slots[4] > 0.0 || now.deepest > 0.0;
        if !remembers && overlap >= 0.0 && now.kinematics.overlap >= 0.0 {
            // The force derives from the energy.
            return 0.0;
        }
        let work = 0.5 * (force + now.normal_force) * (now.kinematics.overlap - overlap);
        work - (now.elastic.normal - energy)
    }
}

/// Limits the tangential spring to Coulomb's bound, and those of rolling and twisting to theirs.
pub(super) fn bound(link: &mut ContactHistory, c: &Coefficients) -> Lost {
    let (_, pressing) = c.normal(0.0);
    let mut turned = 0.0;
    if !c.terms.are_empty() {
        let mut springs = Turns::kept(link.memory.slots);
        turned = c.bound_turns(&mut springs, pressing);
        springs.keep(&mut link.memory.slots);
    }
    let most = c.friction * pressing;
    let pull = c.kt * size(link.spring);
    link.slip = pull > most;
    if !link.slip {
        return Lost {
            work: turned,
            ..Lost::default()
        };
    }
    link.spring = link.spring.map(|s| s * (most / pull));
    let way = (pull - most) / c.kt;
    Lost {
        work: most * way + turned,
        heat: [0.5 * (pull + most) * way, pull * way],
    }
}
