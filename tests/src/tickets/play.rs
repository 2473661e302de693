//! Plays a world of a table: starts what it needs, has everyone come, and says what was not as it should be.

use super::data::{Join, Row, World};
use super::names::{Names, mint};
use super::setup::PROTOCOL;
use crate::audit::decisions;
use crate::host::Usher;
use crate::setup::Setup;
use crate::visitor::{Door, Visitor};
use serde_json::{Value, json};
use std::net::Ipv4Addr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};
use tokio::task::JoinSet;
use usher_stand_ins::context;
use usher_stand_ins::{
    Backfill, FakeDiscovery, FakeSdk, Fault, HeartbeatAnswer, Hold, Reservation,
};

/// What a world is made of.
struct Stage {
    host: Usher,
    sdk: Option<FakeSdk>,
    discovery: Option<FakeDiscovery>,
    names: Names,
    doors: Vec<Door>,
    /// Everyone comes from an address of their own, by which the audit tells them apart.
    visitors: AtomicU32,
}

/// What is to be in the audit.
struct Expected {
    from: Ipv4Addr,
    what: String,
    join: Join,
}

/// Plays all rows of a world at once, at these doors in turn: what was not as the table says.
pub(super) async fn play(world: World, doors: &[Door]) -> Vec<String> {
    let stage = Arc::new(Stage::set(&world, doors));
    let mut rows = JoinSet::new();
    for (number, row) in world.rows.into_iter().enumerate() {
        let stage = Arc::clone(&stage);
        let name = format!("{}: {}", world.name, row.name);
        rows.spawn(async move { stage.play(row, number, &name).await });
    }
    let (mut problems, mut expected) = (Vec::new(), Vec::new());
    while let Some(row) = rows.join_next().await {
        match row {
            Ok((found, to_be_audited)) => {
                problems.extend(found);
                expected.extend(to_be_audited);
            }
            Err(error) => problems.push(format!("{}: {error}", world.name)),
        }
    }
    let stage = Arc::into_inner(stage).expect("every row has ended");
    stage.clear(&world.name, &expected, problems)
}

impl Stage {
    fn set(world: &World, doors: &[Door]) -> Stage {
        let mut names = Names::default();
        let mode = world.mode.as_deref().unwrap_or("hosted");
        // Whatever level an operator chooses, secrets stay out of the log.
        let mut setup = Setup::tickets(world.gate)
            .limit("max-pending", "1000")
            .env("RUST_LOG", "trace");
        let seats = world.max_players.unwrap_or(1000);
        setup = setup.limit("max-players", &seats.to_string());
        let (mut sdk, mut discovery) = (None, None);
        match mode {
            "hosted" => {
                let fake = match world.agones {
                    true => FakeSdk::agones(),
                    false => FakeSdk::start(),
                };
                for fault in faults(&world.faults, &mut names) {
                    fake.fault(fault);
                }
                if let Some(capacity) = world.capacity {
                    fake.fleet_counter("players", capacity);
                }
                if let Some(allocation) = &world.allocation {
                    allocate(&fake, &names.fill(allocation));
                }
                if world.shut_down {
                    fake.shut_down();
                }
                setup = setup.hosted(&fake);
                if world.gone {
                    fake.die();
                }
                sdk = Some(fake);
            }
            "self-hosted" | "listen-online" => {
                let token = format!("dsc_{}", mint());
                let fake = FakeDiscovery::start(&token);
                fake.verdicts_only(world.verdicts_only);
                if world.unlisted {
                    let refused = HeartbeatAnswer::Refused(403, json!({ "error": true }));
                    fake.answer_heartbeats(vec![refused; 100]);
                }
                setup = setup.listed(mode, &fake, &token);
                discovery = Some(fake);
            }
            other => setup = setup.mode(other),
        }
        let host = Usher::start(&setup);
        if let Some(fake) = &sdk
            && !world.gone
        {
            host.wait_for("watching", |status| {
                status["evidence"]["sdk"]["watching"] == true
            });
            fake.wait_for_watches(1);
        }
        if let Some(fake) = &discovery {
            fake.calls().wait_for(1, "POST", "/v1/heartbeat");
            if !world.unlisted {
                host.wait_for("listed", |status| {
                    status["evidence"]["discovery"]["server_id"].is_string()
                });
            }
        }
        Stage {
            host,
            sdk,
            discovery,
            names: names.of_the_world(),
            doors: doors.to_vec(),
            visitors: AtomicU32::new(0),
        }
    }

    async fn play(&self, row: Row, number: usize, name: &str) -> (Vec<String>, Vec<Expected>) {
        let mut names = self.names.clone();
        self.furnish(&row, &mut names);
        let door = self.doors[number % self.doors.len()];
        let (mut problems, mut expected, mut inside) = (Vec::new(), Vec::new(), Vec::new());
        for (place, join) in row.joins.into_iter().enumerate() {
            let what = format!("{name}, join {place} at {door:?}");
            let from = self.address();
            let payload = payload(&join, &mut names);
            let begin = Instant::now();
            let mut visitor = Visitor::come(&self.host, door, from, &payload).await;
            let told = visitor.outcome().await;
            let took = u64::try_from(begin.elapsed().as_millis()).unwrap_or(u64::MAX);
            let word = told
                .as_ref()
                .map_or_else(|reason| reason.as_str(), |()| "accepted");
            if word != join.expect {
                problems.push(format!("{what}: {word}, not {}", join.expect));
            }
            if took < join.at_least_ms {
                problems.push(format!("{what}: it took {took} ms"));
            }
            match told {
                Ok(()) if join.leaves => visitor.leave().await,
                Ok(()) => inside.push(visitor),
                Err(_) => {}
            }
            expected.push(Expected { from, what, join });
        }
        for (path, (least, most)) in row.calls {
            let path = names.fill_text(&path);
            let count = self.calls(&path);
            if !(least..=most).contains(&count) {
                problems.push(format!("{name}: it was asked {count} times"));
            }
        }
        if !inside.is_empty() {
            self.host.keep_figures();
        }
        for visitor in inside {
            visitor.leave().await;
        }
        (problems, expected)
    }

    /// How often a path was asked.
    fn calls(&self, path: &str) -> usize {
        let sdk = self.sdk.as_ref().map(FakeSdk::calls);
        let calls = sdk.or(self.discovery.as_ref().map(FakeDiscovery::calls));
        calls.map_or(0, |calls| calls.count("GET", path))
    }

    /// An address of this machine that nobody else came from.
    fn address(&self) -> Ipv4Addr {
        let number = self.visitors.fetch_add(1, Ordering::Relaxed);
        Ipv4Addr::from_bits(Ipv4Addr::new(127, 1, 0, 1).to_bits() + number)
    }

    /// Puts a row's evidence where it is looked for.
    fn furnish(&self, row: &Row, names: &mut Names) {
        let faults = faults(&row.faults, names);
        let mut each = |values: &[Value]| -> Vec<Value> {
            values.iter().map(|value| names.fill(value)).collect()
        };
        let (holds, backfills) = (each(&row.holds), each(&row.backfills));
        let (reservations, verify) = (each(&row.reservations), each(&row.verify));
        if let Some(sdk) = &self.sdk {
            faults.iter().cloned().for_each(|fault| sdk.fault(fault));
            holds.iter().for_each(|it| hold(sdk, it));
            backfills.iter().for_each(|it| backfill(sdk, it));
        }
        if let Some(discovery) = &self.discovery {
            faults.into_iter().for_each(|fault| discovery.fault(fault));
            for it in &reservations {
                discovery.reserve(reservation(it));
            }
            for it in &verify {
                discovery.answer_verify(text(it, "id"), &it["answer"]);
            }
        }
    }

    /// Ends it: nothing may be left, nothing may have been written, and the audit says what players were told.
    fn clear(
        mut self,
        world: &str,
        expected: &[Expected],
        mut problems: Vec<String>,
    ) -> Vec<String> {
        if let Some(sdk) = &self.sdk {
            for write in sdk.writes() {
                problems.push(format!("{world}: it wrote {} {}", write.method, write.path));
            }
        }
        self.host.finish();
        let lines = decisions(&self.host.dir().join("audit.jsonl"));
        for Expected { from, what, join } in expected {
            let own = |line: &&Value| {
                let address = line["address"].as_str().unwrap_or_default();
                address.starts_with(&format!("{from}:"))
            };
            match lines.iter().rfind(own) {
                Some(line) => {
                    problems.extend(audited(line, join).map(|it| format!("{what}: {it}")))
                }
                None => problems.push(format!("{what}: the audit has nothing of it")),
            }
        }
        problems
    }
}

fn faults(values: &[Value], names: &mut Names) -> Vec<Fault> {
    let each = values.iter().map(|it| Fault::read(&names.fill(it)));
    each.collect::<Result<_, _>>()
        .expect("the table names faults")
}

/// What a line of the audit does not say as it should.
fn audited(line: &Value, join: &Join) -> Option<String> {
    let outcome = line["outcome"].as_str().unwrap_or_default();
    let said = match outcome {
        "rejected" => line["reason"]["code"].as_str().unwrap_or_default(),
        other => other,
    };
    if said != join.expect {
        return Some(format!("the audit says {said}, not {}", join.expect));
    }
    if outcome == "rejected" && line["reason"]["text"].as_str().is_none_or(str::is_empty) {
        return Some("the audit has no sentence for the player".to_owned());
    }
    let steps = line["policies"].as_array().into_iter().flatten();
    let chain: Vec<_> = steps
        .map(|step| {
            let word = |key: &str| step[key].as_str().unwrap_or_default().to_owned();
            format!("{}:{}", word("policy"), word("verdict"))
        })
        .collect();
    let chain = chain.join(" ");
    match &join.chain {
        Some(wanted) if *wanted != chain => Some(format!("asked {chain}, not {wanted}")),
        _ => None,
    }
}

/// The bytes that a player shows.
fn payload(join: &Join, names: &mut Names) -> Vec<u8> {
    if let Some(hex) = &join.hex {
        let digits: Vec<_> = hex.chars().collect();
        let byte = |pair: &[char]| u8::from_str_radix(&String::from_iter(pair), 16);
        let bytes = digits.chunks(2).map(byte).collect::<Result<_, _>>();
        return bytes.expect("the table has hex");
    }
    if let Some((text, times)) = &join.repeat {
        return text.repeat(*times).into_bytes();
    }
    if let Some(payload) = &join.payload {
        return names.fill_text(payload).into_bytes();
    }
    let ticket = join.ticket.as_ref().expect("a player shows something");
    let mut whole = json!({ "v": 1, "protocolVersion": PROTOCOL, "playerId": "{player:p}" });
    if let (Value::Object(whole), Value::Object(own)) = (&mut whole, ticket) {
        whole.extend(own.clone());
    }
    names.fill(&whole).to_string().into_bytes()
}

fn text<'a>(value: &'a Value, key: &str) -> &'a str {
    value[key].as_str().unwrap_or_default()
}

fn number(value: &Value, key: &str) -> Option<u32> {
    value[key].as_u64().and_then(|it| u32::try_from(it).ok())
}

fn texts(value: &Value) -> Vec<&str> {
    let all = value.as_array().into_iter().flatten();
    all.filter_map(Value::as_str).collect()
}

fn tickets(value: &Value) -> Vec<(&str, u32)> {
    let all = value.as_object().into_iter().flatten();
    all.filter_map(|(ticket, size)| {
        let size = u32::try_from(size.as_u64()?).ok()?;
        Some((ticket.as_str(), size))
    })
    .collect()
}

fn allocate(sdk: &FakeSdk, allocation: &Value) {
    let id = text(allocation, "id");
    if let Some(text) = allocation["text"].as_str() {
        sdk.allocate_with_text(id, Some(text));
    } else if allocation["tickets"].is_object() {
        sdk.allocate(id, &context::matchmaker(&tickets(&allocation["tickets"])));
    } else if allocation["context"].is_null() {
        sdk.allocate_with_text(id, None);
    } else {
        sdk.allocate(id, &allocation["context"]);
    }
}

fn hold(sdk: &FakeSdk, value: &Value) {
    let id = text(value, "id");
    let mut hold = match &value["players"] {
        Value::Null => Hold::open(id, 1),
        players => Hold::named(id, &texts(players)),
    };
    if value["seats"].is_null() && value.get("seats").is_some() {
        hold.seats = None;
    }
    hold.seats = number(value, "seats").or(hold.seats);
    // What a backend puts there may be anything, and is nobody's business.
    let hold = hold.with_context(json!({ "token": mint() }));
    sdk.hold_after(hold, number(value, "after").unwrap_or(0));
    match text(value, "expired") {
        "gone" => sdk.expire(id),
        "shown" => sdk.expire_and_show(id),
        _ => {}
    }
}

fn backfill(sdk: &FakeSdk, value: &Value) {
    let (id, session) = (text(value, "id"), text(value, "session"));
    let mut backfill = Backfill::new(id, session, &tickets(&value["tickets"]));
    if !value["context"].is_null() {
        backfill.context = value["context"].clone();
    }
    if text(value, "session-in") == "context" {
        backfill.session_id = None;
    } else if text(value, "session-in") == "top" {
        backfill.context["sessionId"] = json!("another");
    }
    match number(value, "after-ms") {
        None => sdk.deliver_backfill(backfill),
        Some(ms) => sdk.deliver_backfill_after(backfill, Duration::from_millis(ms.into())),
    }
}

fn reservation(value: &Value) -> Reservation {
    let id = text(value, "id");
    let mut reservation = match &value["players"] {
        Value::Null => Reservation::open(id, 1),
        players => Reservation::named(id, &texts(players)),
    };
    reservation.seats = number(value, "seats").unwrap_or(reservation.seats);
    reservation.server = value["server"].as_str().map(str::to_owned);
    reservation
}
