//! Policies are asked again about those who play.

use super::Loader;
use crate::admin::{ActionError, RecheckStatus};
use crate::metrics;
use usher_core::{Input, Rechecked, SlotId};

impl Loader {
    /// Has a policy asked about everyone who plays. `forced` ends whom it refuses however many they are.
    /// What comes of it is in the log and in the status.
    ///
    /// # Errors
    ///
    /// When there is no such policy.
    pub fn recheck(&self, name: &str, forced: bool) -> Result<(), ActionError> {
        let place = self.names.iter().position(|known| **known == *name);
        let slot = place.and_then(|place| u16::try_from(place).ok());
        let slot = slot.ok_or_else(|| ActionError::Unknown(name.to_owned()))?;
        let slot = SlotId(slot);
        self.core.send(Input::Recheck { slot, forced });
        Ok(())
    }

    /// Takes note of what has come of it.
    pub(super) fn rechecked(&self, rechecked: Rechecked) {
        let place = usize::from(rechecked.slot.0);
        metrics::rechecked(&rechecked.policy, &rechecked);
        let status = RecheckStatus {
            at: self.core.clock().now().as_millis(),
            forced: rechecked.forced,
            seated: rechecked.seated,
            refused: rechecked.refused,
            ended: rechecked.ended,
            unanswered: rechecked.unanswered,
            stopped: rechecked.stopped,
        };
        if let Some(place) = self.rechecks().get_mut(place) {
            *place = Some(status);
        }
    }
}
