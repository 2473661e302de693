//! What happens in, what is due out.

use super::super::view::{Annotated, ContextText};
use super::*;

const CLAIMED: Duration = Duration::from_secs(30);
const OTHERS: Others = Others {
    before: Duration::from_secs(300),
    after: Duration::from_secs(20),
};

struct Stage {
    lobby: Lobby,
    start: Instant,
}

impl Stage {
    fn new(others: Option<Others>) -> Stage {
        let claimed = CLAIMED;
        Stage {
            lobby: Lobby::new(Patience { claimed, others }),
            start: Instant::now(),
        }
    }

    fn at(&self, seconds: u64) -> Instant {
        self.start + Duration::from_secs(seconds)
    }

    /// The endpoint shows this session; none where the id is empty.
    fn shows(&mut self, id: &str, seconds: u64) {
        let allocation = Arc::new(Allocation::new(&Annotated {
            id: id.into(),
            context: ContextText::Absent,
        }));
        let now = self.at(seconds);
        let current = Some(&allocation).filter(|_| !id.is_empty());
        self.lobby.follow(current, current.is_some(), false, now);
    }

    fn claim(&mut self, id: &str, seconds: u64) {
        self.lobby.asked(self.at(seconds));
        self.shows(id, seconds);
        self.lobby.claimed(self.at(seconds));
    }

    fn players(&mut self, players: u32, seconds: u64) {
        self.lobby.players(players, self.at(seconds));
    }

    #[track_caller]
    fn due(&self, seconds: impl Into<Option<u64>>) {
        let due = self.lobby.due().map(|due| (due - self.start).as_secs());
        assert_eq!(due, seconds.into());
    }
}

#[test]
fn a_claimed_session_ends_with_its_last_player() {
    let mut stage = Stage::new(None);
    stage.claim("self-1", 1);
    stage.players(1, 2);
    stage.due(None);
    stage.players(2, 3);
    stage.players(1, 60);
    stage.due(None);
    stage.players(0, 70);
    stage.due(70);
    let ending = stage.lobby.take_due(stage.at(70));
    assert_eq!(ending, Some(Ending::Session("self-1".into())));
    stage.shows("", 71);
    stage.due(None);
}

#[test]
fn a_claimed_session_that_nobody_comes_to_ends() {
    let mut stage = Stage::new(None);
    stage.claim("self-1", 1);
    stage.due(31);
    assert_eq!(stage.lobby.take_due(stage.at(30)), None);
    assert!(stage.lobby.take_due(stage.at(31)).is_some());
    // Someone else with a claim to it starts the wait anew.
    stage.lobby.claimed(stage.at(10));
    stage.due(40);
}

#[test]
fn a_claim_that_is_given_back_ends_the_session_unless_others_have_one() {
    let mut stage = Stage::new(None);
    stage.claim("self-1", 1);
    stage.lobby.claimed(stage.at(2));
    stage.lobby.given_back();
    stage.due(32);
    stage.players(1, 3);
    stage.due(None);
    stage.players(0, 5);
    stage.due(5);

    let mut stage = Stage::new(None);
    stage.claim("self-1", 1);
    stage.lobby.claimed(stage.at(2));
    stage.lobby.given_back();
    stage.lobby.given_back();
    stage.due(2);
    // A third one too many changes nothing.
    stage.lobby.given_back();
    stage.due(2);
}

#[test]
fn who_left_before_another_with_a_claim_came_leaves_the_session_to_it() {
    let mut stage = Stage::new(None);
    stage.claim("self-1", 1);
    stage.lobby.claimed(stage.at(1));
    stage.players(1, 2);
    stage.players(0, 3);
    stage.due(33);
    stage.players(1, 4);
    stage.players(0, 6);
    stage.due(6);
}

#[test]
fn a_late_session_of_a_claim_is_ours_and_one_of_nobody_is_not() {
    let mut stage = Stage::new(None);
    stage.lobby.asked(stage.at(1));
    stage.shows("self-1", 500);
    stage.due(530);
    stage.shows("", 531);
    // Nobody asked for this one.
    stage.shows("self-2", 532);
    assert!(!stage.lobby.is_ours());
    stage.due(None);
    stage.shows("", 533);
    // The claim was refused, so this is someone else's too.
    stage.lobby.asked(stage.at(534));
    stage.lobby.refused();
    stage.shows("self-3", 535);
    stage.due(None);
    // After long enough nothing is expected any more.
    stage.lobby.asked(stage.at(1000));
    stage.shows("self-4", 1601);
    stage.due(None);
    stage.shows("", 1602);
    stage.lobby.asked(stage.at(2000));
    stage.shows("self-5", 2600);
    stage.due(2630);
}

#[test]
fn a_match_that_replaces_a_claimed_session_is_left_alone() {
    let mut stage = Stage::new(None);
    stage.claim("self-1", 1);
    stage.players(1, 2);
    stage.shows("match-1", 3);
    stage.players(0, 4);
    stage.due(None);
    // Should it come back, it is still known.
    stage.shows("self-1", 5);
    assert!(stage.lobby.is_ours());
    stage.due(35);
}

#[test]
fn the_endpoint_is_told_again_until_it_shows_the_end() {
    let mut stage = Stage::new(None);
    stage.claim("self-1", 0);
    let ending = Ending::Session("self-1".into());
    let mut now = 30;
    for (heard, wait) in [
        (true, 2),
        (false, 2),
        (true, 4),
        (false, 8),
        (true, 10),
        (false, 10),
    ] {
        stage.due(now);
        stage.lobby.told(&ending, heard, stage.at(now));
        now += wait;
    }
    stage.due(now);
    // A player after all.
    stage.players(1, now);
    stage.due(None);
    stage
        .lobby
        .told(&Ending::Unnamed, true, stage.at(now + 100));
    stage.players(0, now + 1);
    stage.due(now + 1);
}

#[test]
fn sessions_of_others_end_only_where_the_lifecycle_is_ours() {
    for others in [None, Some(OTHERS)] {
        let mut stage = Stage::new(others);
        stage.shows("match-1", 1);
        stage.due(others.map(|_| 301));
        stage.players(2, 10);
        stage.due(None);
        stage.players(0, 100);
        stage.due(others.map(|_| 120));
        // A player who comes back in time finds it.
        stage.players(1, 110);
        stage.due(None);
        // Those who play already when a session begins have come to it.
        stage.shows("match-2", 200);
        stage.players(0, 210);
        stage.due(others.map(|_| 230));
        stage.lobby.follow(None, false, true, stage.at(300));
        stage.due(others.map(|_| 600));
        assert_eq!(
            stage.lobby.take_due(stage.at(600)),
            others.map(|_| Ending::Unnamed)
        );
    }
}

#[test]
fn only_a_claimed_session_is_ended_at_last() {
    let mut stage = Stage::new(Some(OTHERS));
    stage.shows("match-1", 1);
    assert_eq!(stage.lobby.to_end_at_last(), None);
    stage.claim("self-1", 2);
    stage.players(1, 3);
    let ending = Some(Ending::Session("self-1".into()));
    assert_eq!(stage.lobby.to_end_at_last(), ending);
}

#[test]
fn what_is_kept_in_mind_is_bounded() {
    let mut stage = Stage::new(None);
    for number in 0..10 * KEPT as u64 {
        stage.lobby.asked(stage.at(number));
        stage.lobby.asked(stage.at(number));
        stage.shows(&format!("self-{number}"), number);
    }
    assert_eq!(stage.lobby.ours.len(), KEPT);
    assert!(stage.lobby.expected.len() <= KEPT);
}
