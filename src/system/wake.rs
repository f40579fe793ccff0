//! Who is woken at the very step in which a contact with a stepped grain begins or ends (docs/morphing.md).
//!
//! A grain that stands still is a wall to what strikes it until it is woken, and a wall throws back what a bed would
//! swallow. What decides the rebound is what a wave can reach, and come back from, while the striker is in touch: those grains
//! are woken at once, with the one that was struck. The others learn of the blow too late to matter for it.
//!
//! Likewise what loses a support falls from the very step on, and what an ended contact has pushed is no load.

use super::rest::{LOOSE, size};
use super::{MorphSetup, System, SystemError};
use crate::cluster::Encounter;
use crate::cluster::integrate::Integrate;
use crate::geometry::Vector;
use crate::record::Sink;

impl<D: Integrate> System<D> {
    /// After each evaluation: wakes grains that were struck, or lost a support, in this step.
    pub(super) fn wake_at_once(&mut self, sink: &mut dyn Sink) -> Result<(), SystemError> {
        let encounters = self.engine.take_encounters();
        let Some(morph) = self.setup.morph else {
            return Ok(());
        };
        let mut woken: Vec<u32> = Vec::new();
        for encounter in &encounters {
            if encounter.began {
                woken.extend(self.struck(encounter, &morph));
            } else {
                self.engine.drop_push(encounter.still);
                if self.has_lost_support(encounter.still, &morph) {
                    woken.push(encounter.still);
                }
            }
        }
        woken.sort_unstable();
        woken.dedup();
        if self.disturb(sink, &woken)? {
            self.renew(sink)?;
        }
        Ok(())
    }

    /// Who is to be woken by a contact that began: none if what strikes could not rise by `strike` diameters of the
    /// smaller grain with all of its speed.
    fn struck(&self, encounter: &Encounter, morph: &MorphSetup) -> Vec<u32> {
        let Some(strike) = self.engine.strike(encounter) else {
            return Vec::new();
        };
        let radius = |slot: u32| self.engine.state.arrays.radius(slot as usize);
        let diameter = 2.0 * radius(encounter.still).min(radius(encounter.stepped));
        let height = 0.5 * strike.speed * strike.speed / self.setup.gravity.norm();
        if height < morph.strike * diameter {
            return Vec::new();
        }
        // A bed yields, so that the striker is in touch for longer: what a wave reaches in this time it also comes back from.
        self.engine
            .within_reach(encounter.still, strike.duration, strike.depth)
    }

    /// Whether a grain one of whose contacts has ended lacks so much now that it must not stand still.
    fn has_lost_support(&self, slot: u32, morph: &MorphSetup) -> bool {
        let weight = self.weight(slot);
        let mut lack = self.engine.contact_force(slot);
        let mass = 1.0 / self.engine.state.arrays.inverse_mass(slot as usize);
        for k in 0..D::N {
            lack[k] += mass * self.setup.gravity[k];
        }
        let lack = size(&lack);
        lack > LOOSE * weight && lack > morph.wake_share * self.engine.pressed(slot)
    }
}
