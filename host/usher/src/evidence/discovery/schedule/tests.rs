use super::*;

fn secs(seconds: u64) -> Duration {
    Duration::from_secs(seconds)
}

/// A directory in virtual time: sends whatever is due, and answers with this.
struct World {
    schedule: Schedule,
    now: Duration,
    jitter: f64,
}

impl World {
    fn new() -> World {
        World {
            schedule: Schedule::new(secs(100), 0),
            now: secs(100),
            jitter: 0.5,
        }
    }

    /// Sends what is due next, and says how long that took to come and how many players it told.
    fn next(&mut self) -> (Duration, u32) {
        let due = self.schedule.due().expect("one is due");
        let waited = due.saturating_sub(self.now);
        self.now = self.now.max(due);
        (waited, self.schedule.send(self.now))
    }

    fn answer(&mut self, outcome: Outcome) {
        self.schedule.answered(outcome, self.now, self.jitter);
    }

    /// Answers at once, and says how long it is until the next.
    fn then(&mut self, outcome: Outcome) -> Duration {
        self.answer(outcome);
        self.next().0
    }
}

#[test]
fn the_first_is_due_at_once_and_the_others_every_30_s_more_or_less() {
    let mut world = World::new();
    assert_eq!(world.next(), (secs(0), 0));
    for (jitter, wait) in [
        (0.0, secs(27)),
        (1.0, secs(33)),
        (0.5, secs(30)),
        (-5.0, secs(27)),
        (f64::INFINITY, secs(33)),
    ] {
        world.jitter = jitter;
        assert_eq!(world.then(Outcome::Accepted), wait);
    }
}

#[test]
fn the_time_that_an_answer_takes_does_not_delay_the_next() {
    let mut world = World::new();
    world.next();
    world.now += secs(4);
    assert_eq!(world.then(Outcome::Accepted), secs(26));
    // Unless it took longer than that.
    world.now += secs(60);
    assert_eq!(world.then(Outcome::Accepted), secs(0));
}

#[test]
fn failures_are_retried_ever_later_until_one_succeeds() {
    let mut world = World::new();
    world.next();
    for wait in [5, 10, 20, 20, 20] {
        assert_eq!(world.then(Outcome::Failed), secs(wait));
    }
    assert_eq!(world.then(Outcome::Accepted), secs(30));
    assert_eq!(world.then(Outcome::Failed), secs(5));
}

#[test]
fn a_directory_that_says_when_is_obeyed_within_reason() {
    let mut world = World::new();
    world.next();
    for (asked, wait) in [(7, 7), (0, 1), (600, 600), (u64::MAX, 3600)] {
        assert_eq!(world.then(Outcome::NotBefore(secs(asked))), secs(wait));
    }
    assert_eq!(world.then(Outcome::Failed), secs(5), "it was no failure");
}

#[test]
fn a_refusal_keeps_the_cadence_and_is_not_hurried() {
    let mut world = World::new();
    world.next();
    assert_eq!(world.then(Outcome::Refused), secs(30));
    world.answer(Outcome::Refused);
    world.schedule.players(4);
    assert_eq!(world.next(), (secs(30), 4));
}

#[test]
fn once_it_is_over_nothing_is_ever_due() {
    let mut world = World::new();
    world.next();
    world.answer(Outcome::Over);
    assert!(world.schedule.is_over());
    for players in 1..5 {
        world.schedule.players(players);
        assert_eq!(world.schedule.due(), None);
    }
}

#[test]
fn a_changed_number_of_players_is_told_early_and_at_most_every_5_s() {
    let mut world = World::new();
    world.next();
    world.answer(Outcome::Accepted);
    world.now += secs(12);
    world.schedule.players(1);
    assert_eq!(world.next(), (secs(0), 1));
    world.answer(Outcome::Accepted);
    for players in 2..10 {
        world.now += Duration::from_millis(500);
        world.schedule.players(players);
    }
    assert_eq!(world.next(), (secs(1), 9), "5 s after the last one");
    // The next regular one comes 30 s after this one.
    assert_eq!(world.then(Outcome::Accepted), secs(30));
}

#[test]
fn a_number_that_is_the_old_one_again_is_not_told_early() {
    let mut world = World::new();
    world.next();
    world.answer(Outcome::Accepted);
    world.schedule.players(1);
    assert_eq!(world.schedule.due(), Some(world.now + secs(5)));
    world.schedule.players(0);
    assert_eq!(world.schedule.due(), Some(world.now + secs(30)));
}

#[test]
fn a_change_while_one_is_under_way_is_told_after_it() {
    let mut world = World::new();
    world.next();
    world.schedule.players(3);
    assert_eq!(world.schedule.due(), None, "one at a time");
    world.now += secs(2);
    world.answer(Outcome::Accepted);
    assert_eq!(world.next(), (secs(3), 3));
}

#[test]
fn nothing_is_hurried_before_the_first_is_accepted_or_after_a_failure() {
    for outcome in [Outcome::Failed, Outcome::NotBefore(secs(5))] {
        let mut world = World::new();
        world.next();
        world.schedule.players(7);
        assert_eq!(world.then(outcome), secs(5));
        world.answer(Outcome::Failed);
        let due = world.schedule.due();
        world.schedule.players(8);
        assert_eq!(world.schedule.due(), due);
    }
}

#[test]
fn whatever_happens_they_are_5_s_apart_unless_the_directory_says_sooner() {
    // A thousand steps of anything, from a generator whose seed is its own last number.
    let mut seed: u64 = 7;
    let mut draw = |below: u64| {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (seed >> 33) % below
    };
    let mut world = World::new();
    let mut last = None;
    for _ in 0..10_000 {
        match (world.schedule.due(), draw(3)) {
            (_, 0) => world
                .schedule
                .players(u32::try_from(draw(5)).expect("small")),
            (_, 1) => world.now += Duration::from_millis(draw(9000)),
            (Some(due), _) => {
                world.now = world.now.max(due);
                if let Some(last) = last {
                    assert!(world.now >= last + secs(5));
                }
                last = Some(world.now);
                world.schedule.send(world.now);
            }
            (None, _) => {
                let outcome = match draw(4) {
                    0 => Outcome::Failed,
                    1 => Outcome::Refused,
                    2 => Outcome::NotBefore(secs(5 + draw(20))),
                    _ => Outcome::Accepted,
                };
                world.answer(outcome);
                let due = world.schedule.due().expect("it goes on");
                assert!(due <= world.now + secs(33));
            }
        }
    }
    assert!(last.is_some());
}
