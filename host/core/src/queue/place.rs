//! Places: what is kept of a waiter whose connection dropped (semantics 19).

use super::rank::Arrival;
use crate::address::AddressGroup;
use crate::by_choice::ByChoice;
use crate::id::RequestId;
use std::collections::{BTreeMap, BTreeSet};
use std::num::NonZeroU64;
use std::sync::Arc;

/// Names a place.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) struct PlaceId(NonZeroU64);

/// A place without a connection.
#[derive(Clone, Debug)]
pub(crate) struct Place {
    /// Whose.
    pub(crate) identity: Arc<str>,
    /// Whether that was proven.
    pub(crate) proven: bool,
    /// From which address.
    pub(crate) group: AddressGroup,
    /// In which lane.
    pub(crate) lane: Arc<str>,
    /// Since when.
    pub(crate) arrival: Arrival,
    /// The request that counts in the pool instead of it: its owner may come back to a full pool.
    pub(crate) lent_to: Option<RequestId>,
}

impl Place {
    /// Whether it is someone's own: an identity that is not proven has one only at the same address, and
    /// never one that was proven.
    pub(crate) fn is_of(&self, proven: bool, group: AddressGroup) -> bool {
        proven || (!self.proven && self.group == group)
    }
}

/// All places of one core.
#[derive(Default, Debug)]
pub(crate) struct Places {
    places: BTreeMap<PlaceId, Place>,
    by_identity: ByChoice<Arc<str>, Vec<PlaceId>>,
    /// Those that are not lent.
    by_group: ByChoice<AddressGroup, BTreeSet<PlaceId>>,
    serial: u64,
}

impl Places {
    /// Keeps a place.
    pub(crate) fn keep(&mut self, place: Place) -> PlaceId {
        self.serial += 1;
        let id = PlaceId(NonZeroU64::MIN.saturating_add(self.serial));
        self.by_identity
            .entry(place.identity.clone())
            .or_default()
            .push(id);
        if place.lent_to.is_none() {
            self.by_group.entry(place.group).or_default().insert(id);
        }
        self.places.insert(id, place);
        id
    }

    /// A place can't be lent any more.
    fn unlist(&mut self, id: PlaceId, group: AddressGroup) {
        if let Some(ids) = self.by_group.get_mut(&group) {
            ids.remove(&id);
            if ids.is_empty() {
                self.by_group.remove(&group);
            }
        }
    }

    /// The place that someone may take up: one of their own in that lane.
    pub(crate) fn find(
        &self,
        identity: &str,
        proven: bool,
        group: AddressGroup,
        lane: &str,
    ) -> Option<PlaceId> {
        let in_lane = |id: &PlaceId| {
            self.places
                .get(id)
                .is_some_and(|place| &*place.lane == lane)
        };
        self.owned(identity, proven, group)
            .into_iter()
            .find(in_lane)
    }

    /// The places that are someone's own.
    pub(crate) fn owned(&self, identity: &str, proven: bool, group: AddressGroup) -> Vec<PlaceId> {
        let ids = self.by_identity.get(identity).into_iter().flatten();
        let own = |id: &&PlaceId| self.get(**id).is_some_and(|it| it.is_of(proven, group));
        ids.filter(own).copied().collect()
    }

    /// A place.
    pub(crate) fn get(&self, id: PlaceId) -> Option<&Place> {
        self.places.get(&id)
    }

    /// Takes a place away.
    pub(crate) fn take(&mut self, id: PlaceId) -> Option<Place> {
        let place = self.places.remove(&id)?;
        self.unlist(id, place.group);
        if let Some(ids) = self.by_identity.get_mut(&place.identity) {
            ids.retain(|other| *other != id);
            if ids.is_empty() {
                self.by_identity.remove(&place.identity);
            }
        }
        Some(place)
    }

    /// Lends a place's count in the pool to a request from the same address.
    pub(crate) fn lend(&mut self, group: AddressGroup, to: RequestId) -> Option<PlaceId> {
        let id = *self.by_group.get(&group)?.first()?;
        self.unlist(id, group);
        self.places.get_mut(&id)?.lent_to = Some(to);
        Some(id)
    }

    /// Gives the count back that was lent.
    pub(crate) fn give_back(&mut self, id: PlaceId) {
        if let Some(place) = self.places.get_mut(&id) {
            place.lent_to = None;
            self.by_group.entry(place.group).or_default().insert(id);
        }
    }

    /// Every place.
    pub(crate) fn ids(&self) -> Vec<PlaceId> {
        self.places.keys().copied().collect()
    }

    /// How many there are.
    pub(crate) fn len(&self) -> usize {
        self.places.len()
    }
}
