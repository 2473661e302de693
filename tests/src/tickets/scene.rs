//! A host on a fleet, whose endpoint and players a test moves step by step.

use super::names::mint;
use super::setup::PROTOCOL;
use crate::audit::decisions;
use crate::host::Usher;
use crate::setup::Setup;
use crate::visitor::{Door, Visitor};
use serde_json::{Value, json};
use std::net::Ipv4Addr;
use std::sync::atomic::{AtomicU32, Ordering};
use usher_stand_ins::{FakeSdk, Hold, context};

/// Where the web service `service` of every scene is, followed by what it is asked.
pub const SERVICE: &str = "/alpha/player/connected/";

/// Where holds are looked up, followed by the reservation.
pub const HOLDS: &str = "/pingcore/reservations/";

/// A host and the endpoint beside it.
pub struct Scene {
    /// The host.
    pub host: Usher,
    /// The endpoint.
    pub sdk: FakeSdk,
    players: AtomicU32,
}

impl Scene {
    /// Starts both. The endpoint is as `furnish` leaves it before the host comes.
    pub fn set(setup: Setup, furnish: impl FnOnce(&FakeSdk)) -> Scene {
        let scene = Scene::unseen(setup, furnish);
        scene.watches();
        scene
    }

    /// The same, where the host need not see what the endpoint says.
    pub fn unseen(setup: Setup, furnish: impl FnOnce(&FakeSdk)) -> Scene {
        let sdk = FakeSdk::start();
        furnish(&sdk);
        let service = format!(
            "[[service]]\nname = \"service\"\nurl = \"http://{}{SERVICE}{{0}}\"\ntimeout = \"30s\"\n",
            sdk.address()
        );
        let setup = setup
            .limit("max-pending", "200")
            .limit("max-players", "200")
            .hosted(&sdk)
            .more(&service);
        Scene {
            host: Usher::start(&setup),
            sdk,
            players: AtomicU32::new(0),
        }
    }

    /// Waits until the host sees what the endpoint says.
    pub fn watches(&self) {
        self.host.wait_for("watching", |status| {
            status["evidence"]["sdk"]["watching"] == true
        });
    }

    /// Waits until the host has seen this allocation, or that there is none.
    pub fn sees_allocation(&self, is: impl Fn(&Value) -> bool) {
        self.host.wait_for("seen", |status| {
            is(&status["evidence"]["sdk"]["allocation"])
        });
    }

    /// A hold of so many seats for whoever has its ticket, and that ticket.
    pub fn reservation(&self, seats: u32) -> Value {
        let reservation = mint();
        self.sdk.hold(Hold::open(&reservation, seats));
        json!({ "kind": "reservation", "reservationId": reservation })
    }

    /// A match becomes current, and a ticket of it that lets many in.
    pub fn allocate(&self) -> Value {
        // It is no secret: its roster is what lets players in.
        let number = self.players.fetch_add(1, Ordering::Relaxed);
        let (id, ticket) = (format!("match-{number}"), mint());
        let before = self.host.admin.status()["evidence"]["sdk"]["allocation"]["id"].clone();
        self.sdk
            .allocate(&id, &context::matchmaker(&[(&ticket, 100)]));
        self.sees_allocation(|it| it.is_object() && it["id"] != before);
        json!({ "kind": "match", "ticketId": ticket, "allocationId": id })
    }

    /// Another player comes with a ticket.
    pub async fn come(&self, door: Door, ticket: &Value) -> Visitor {
        let number = self.players.fetch_add(1, Ordering::Relaxed);
        let mut whole = json!({
            "v": 1,
            "protocolVersion": PROTOCOL,
            "playerId": format!("player-{number}"),
        });
        if let (Value::Object(whole), Value::Object(own)) = (&mut whole, ticket) {
            whole.extend(own.clone());
        }
        let payload = whole.to_string().into_bytes();
        Visitor::come(&self.host, door, Ipv4Addr::LOCALHOST, &payload).await
    }

    /// Another player comes, and this is what becomes of it. Whoever is let in leaves again.
    pub async fn visit(&self, door: Door, ticket: &Value) -> String {
        let mut visitor = self.come(door, ticket).await;
        match visitor.outcome().await {
            Ok(()) => {
                visitor.leave().await;
                "accepted".to_owned()
            }
            Err(reason) => reason,
        }
    }

    /// Each write so far: method and path.
    pub fn writes(&self) -> Vec<String> {
        let writes = self.sdk.writes();
        writes
            .iter()
            .map(|it| format!("{} {}", it.method, it.path))
            .collect()
    }

    /// Ends it: nothing may be left. What was decided.
    pub fn close(mut self) -> Vec<Value> {
        self.host.finish();
        decisions(&self.host.dir().join("audit.jsonl"))
    }
}
