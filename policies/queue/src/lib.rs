//! Whoever finds no seat waits for one, and is told how the queue moves.
//!
//! Params, all optional:
//!
//! * `lane`: the lane to wait in (`main`).
//! * `vip`: names that come first, as a list or with commas between.
//! * `vip-priority`: their priority in the lane (10); everyone else's is 0.
//! * `reserved`: seats of `max-players` that only they may take (0).
//!
//! A name is the player's own word. Where that is not enough, a policy before this one in the chain
//! must prove it.

use usher_sdk::prelude::*;

/// The policy.
#[derive(Debug)]
pub struct Queue;

impl Policy for Queue {
    fn on_connect_request(request: &Request, _: &Facts) -> Decided {
        let name = request.name();
        let own_name = Key::new("name").part(name);
        let name_taken =
            Reason::new("name-taken", "Another player of the game has this name").number(4);
        // Waiting would not help: the seat may come free long before the name does. The claim below
        // is what keeps the name unique.
        if ledger::taken(&own_name) > 0 {
            return Verdict::reject(name_taken).into();
        }

        let vip = params::list("vip").iter().any(|it| it == name);
        let reserved = params::number("reserved").unwrap_or(0);
        let seats = request.max_players;
        // Two limits on one key: the last seats are there for some only.
        let limit = if vip {
            seats
        } else {
            seats.saturating_sub(reserved)
        };
        let full = Reason::new("server-full", "The server is full").number(1);

        let lane = params::get("lane").unwrap_or_else(|| "main".to_owned());
        let priority = params::number("vip-priority").unwrap_or(10);
        let waiting = Verdict::wait(lane)
            .priority(if vip { priority } else { 0 })
            .identity(name)
            .status(match request.position {
                Some(position) => format!("You are number {position} in the queue"),
                None => "You are in the queue".to_owned(),
            });

        Verdict::accept()
            .identity(name)
            .display_name(name)
            .claim(Claim::on(Key::server()).at_most(limit).or(full.clone()))
            .claim(
                Claim::on(Key::slot())
                    .at_most(seats)
                    .lowest_index()
                    .or(full),
            )
            .claim(Claim::on(own_name).or(name_taken))
            .otherwise_wait(waiting)
            .into()
    }

    fn on_waiting(waiter: &Waiter) -> Option<Vec<u8>> {
        // Without a lane its decision is still being made.
        waiter.lane.as_ref()?;
        let (position, length) = (waiter.position, waiter.lane_length);
        Some(format!("You are {position} of {length} in the queue").into_bytes())
    }

    fn describe() -> Description {
        Description::new().name("queue")
    }
}

usher_sdk::export_policy!(Queue);

#[cfg(test)]
mod tests {
    use super::*;
    use usher_sdk::testing::{self, Host, Outcome};

    fn outcome(host: Host, name: &str) -> Outcome {
        let request = testing::request().name(name).max_players(20).build();
        host.param("vip", r#"["Zed", "Kim"]"#)
            .param("reserved", "2")
            .outcome::<Queue>(&request)
    }

    fn seated(players: u32) -> Host {
        testing::host()
            .taken(Key::server(), players)
            .taken(Key::slot(), players)
    }

    #[test]
    fn the_last_seats_are_reserved() {
        outcome(seated(17), "R9").accepted();
        let waiting = outcome(seated(18), "R9").waits();
        assert_eq!((waiting.lane.as_str(), waiting.priority), ("main", 0));
        outcome(seated(18), "Zed").accepted();
        outcome(seated(19), "Kim").accepted();
        assert_eq!(outcome(seated(20), "Zed").waits().priority, 10);
    }

    #[test]
    fn lane_and_priority_are_params() {
        let host = seated(20).param("lane", "eu").param("vip-priority", "3");
        let waiting = outcome(host, "Zed").waits();
        assert_eq!((waiting.lane.as_str(), waiting.priority), ("eu", 3));
    }

    #[test]
    fn a_taken_name_does_not_wait() {
        let host = seated(20).taken(Key::new("name").part("R9"), 1);
        assert_eq!(outcome(host, "R9").code(), Some("name-taken"));
    }

    #[test]
    fn who_waits_is_told_at_once_and_then_where() {
        let status = outcome(seated(20), "R9").waits().status;
        assert_eq!(status.as_deref(), Some(&b"You are in the queue"[..]));

        let again = testing::request().with(|it| it.position = Some(2)).build();
        let status = seated(4).outcome::<Queue>(&again).waits().status;
        assert_eq!(
            status.as_deref(),
            Some(&b"You are number 2 in the queue"[..])
        );

        let waiter = testing::waiter().place(3, 12).build();
        assert_eq!(
            Queue::on_waiting(&waiter).as_deref(),
            Some(&b"You are 3 of 12 in the queue"[..])
        );
        assert_eq!(
            Queue::on_waiting(&testing::waiter().deciding().build()),
            None
        );
    }
}
