//! The running host, as its operator sees it.

use crate::admin::{self, ActionError, DoorStatus, Loaded, Modules};
use crate::audit::Audit;
use crate::core_loop::Handle;
use crate::doors::door::Door;
use crate::evidence::{Sources, SourcesStatus};
use crate::metrics::Counts;
use crate::policies::Loader;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use tokio::task::spawn_blocking;
use usher_core::{DoorId, Input, Reason, Report, SessionId};

/// What can be asked of a running host, and done with it.
pub(super) struct Host {
    pub(super) core: Handle,
    pub(super) loader: Arc<Loader>,
    pub(super) audit: Option<Audit>,
    pub(super) sources: Arc<Sources>,
    /// Names and protocols, by `DoorId`.
    pub(super) names: Vec<(Arc<str>, &'static str)>,
    /// By `DoorId`.
    pub(super) doors: Vec<Arc<dyn Door>>,
    pub(super) draining: AtomicBool,
}

impl Host {
    /// Does what blocks while it compiles.
    async fn change(
        &self,
        change: impl FnOnce(&Loader) -> Result<Loaded, ActionError> + Send + 'static,
    ) -> Result<Loaded, ActionError> {
        let loader = self.loader.clone();
        let changed = spawn_blocking(move || change(&loader)).await;
        // The task is never aborted, so an error is a panic, and a panic is in the log.
        changed.unwrap_or_else(|_| Err(ActionError::Refused("this is a bug".to_owned())))
    }
}

impl admin::Host for Host {
    fn draining(&self) -> bool {
        self.draining.load(Ordering::Relaxed)
    }

    async fn report(&self) -> Option<Report> {
        self.core.report().await.ok()
    }

    fn modules(&self) -> Modules {
        self.loader.status()
    }

    fn evidence(&self) -> SourcesStatus {
        self.sources.status()
    }

    fn counts(&self) -> Counts {
        let unwritten = self.audit.as_ref().map_or(0, Audit::lost);
        Counts {
            knocks_shed: self.core.knocks_shed(),
            audit_lost: self.core.audit_lost() + unwritten,
        }
    }

    fn doors(&self) -> Vec<DoorStatus> {
        let doors = self.names.iter().zip(&self.doors);
        doors
            .map(|((name, protocol), door)| {
                let holds = door.holds();
                DoorStatus {
                    name: name.to_string(),
                    protocol,
                    peers: holds.peers.into_iter().collect(),
                    held_bytes: holds.bytes,
                }
            })
            .collect()
    }

    fn door_name(&self, door: DoorId) -> String {
        let name = self.names.get(usize::from(door.0));
        name.map(|(name, _)| name.to_string()).unwrap_or_default()
    }

    async fn reload(&self, name: &str) -> Result<Loaded, ActionError> {
        let name = name.to_owned();
        self.change(move |loader| loader.reload(&name, true)).await
    }

    async fn rollback(&self, name: &str) -> Result<Loaded, ActionError> {
        let name = name.to_owned();
        self.change(move |loader| loader.rollback(&name)).await
    }

    fn recheck(&self, name: &str, forced: bool) -> Result<(), ActionError> {
        self.loader.recheck(name, forced)
    }

    async fn kick(&self, session: SessionId, reason: Reason) -> bool {
        let report = self.report().await.unwrap_or_default();
        let known = report.sessions.iter().any(|known| known.id == session);
        if known {
            self.core.send(Input::Kick { session, reason });
        }
        known
    }
}
