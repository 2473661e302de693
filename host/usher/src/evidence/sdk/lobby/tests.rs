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
    // Someone else with a claim to it starts the wait anew.
    stage.lobby.claimed(stage.at(10));
    stage.due(40);
    assert!(stage.lobby.take_due(stage.at(40)).is_some());
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
    // The claim was no claim, so this is someone else's too.
    stage.lobby.asked(stage.at(534));
    stage.lobby.answered(Prospect::None, stage.at(534));
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
fn a_session_of_a_claim_that_is_said_to_have_failed_is_ours_if_it_comes_soon() {
    for (after, ours) in [(0, true), (60, true), (61, false)] {
        let mut stage = Stage::new(None);
        stage.lobby.asked(stage.at(1));
        stage.lobby.answered(Prospect::Soon, stage.at(5));
        stage.shows("self-1", 5 + after);
        assert_eq!(stage.lobby.is_ours(), ours, "after {after} s");
    }
    // It came before the answer did: nothing more is to come, of this one.
    let mut stage = Stage::new(None);
    stage.lobby.asked(stage.at(1));
    stage.lobby.asked(stage.at(2));
    stage.shows("self-1", 2);
    stage.lobby.answered(Prospect::Soon, stage.at(3));
    stage.shows("self-2", 62);
    assert!(stage.lobby.is_ours(), "the first one was not answered");
    stage.shows("self-3", 501);
    assert!(!stage.lobby.is_ours());
    // A claim that went well leaves nothing that another's session could be taken for.
    stage.lobby.asked(stage.at(600));
    stage.lobby.answered(Prospect::Soon, stage.at(600));
    stage.lobby.asked(stage.at(601));
    stage.lobby.answered(Prospect::Open, stage.at(601));
    stage.shows("self-4", 602);
    assert!(stage.lobby.is_ours());
    stage.shows("self-5", 661);
    assert!(!stage.lobby.is_ours());
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
    for (told, wait) in [
        (Told::Heard, 2),
        (Told::Lost, 2),
        (Told::Heard, 4),
        (Told::Refused, 8),
        (Told::Heard, 10),
        (Told::Refused, 10),
    ] {
        stage.due(now);
        assert!(stage.lobby.take_due(stage.at(now)).is_some());
        stage.lobby.told(&ending, told, stage.at(now));
        now += wait;
    }
    stage.due(now);
    let other = (&Ending::Unnamed, Told::Heard);
    stage.lobby.told(other.0, other.1, stage.at(now + 100));
    stage.due(now);
}

#[test]
fn a_player_keeps_a_session_whose_end_was_refused_and_no_other() {
    for (told, due) in [
        (Told::Heard, Some(33)),
        (Told::Lost, Some(32)),
        (Told::Refused, None),
    ] {
        let mut stage = Stage::new(None);
        stage.claim("self-1", 1);
        let ending = stage.lobby.take_due(stage.at(31)).unwrap();
        stage.lobby.told(&ending, told, stage.at(31));
        stage.players(1, 31);
        stage.due(due);
    }
}

/// A session that was claimed, and that the endpoint was told to end.
fn ending(others: Option<Others>, id: &str) -> Stage {
    let mut stage = Stage::new(others);
    match others {
        None => stage.claim(id, 1),
        Some(_) => stage.shows(id, 1),
    }
    assert!(stage.lobby.take_due(stage.at(400)).is_some());
    stage
}

#[test]
fn who_comes_in_while_a_session_is_being_ended_is_seen_to_once_it_is_over() {
    let seen = |first, claim| Some(Seen { first, claim });
    for before in [true, false] {
        let mut stage = ending(None, "self-1");
        if before {
            stage.players(1, 401);
        }
        assert_eq!(stage.lobby.take_late(stage.at(401)), None);
        stage.shows("", 402);
        if !before {
            stage.due(None);
            stage.players(1, 402);
        }
        stage.due(402);
        assert_eq!(stage.lobby.take_late(stage.at(402)), seen(true, true));
        // Should nothing come of it: again, and not as often.
        stage.due(403);
        assert_eq!(stage.lobby.take_late(stage.at(403)), seen(false, true));
        stage.players(2, 404);
        stage.due(405);
        stage.shows("self-2", 404);
        stage.due(None);
        assert_eq!(stage.lobby.take_late(stage.at(500)), None);
    }
    // A session that nobody claimed is none that is claimed for them.
    let mut stage = ending(Some(OTHERS), "match-1");
    stage.shows("", 401);
    stage.players(1, 402);
    assert_eq!(stage.lobby.take_late(stage.at(402)), seen(true, false));
    stage.due(None);
}

#[test]
fn who_comes_long_after_a_session_or_leaves_again_is_not_seen_to() {
    let mut stage = ending(None, "self-1");
    stage.shows("", 401);
    stage.players(1, 417);
    stage.due(None);

    let mut stage = ending(None, "self-1");
    stage.shows("", 401);
    stage.players(1, 402);
    stage.players(0, 403);
    stage.due(None);
    assert_eq!(stage.lobby.take_late(stage.at(403)), None);

    // Its end was not of this host's making.
    let mut stage = Stage::new(None);
    stage.claim("self-1", 1);
    stage.shows("", 2);
    stage.players(1, 2);
    stage.due(None);
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
        // Those who play already when a session begins have not come to it, whoever of them leaves.
        stage.players(2, 199);
        stage.shows("match-2", 200);
        stage.players(1, 205);
        stage.players(0, 210);
        stage.due(others.map(|_| 500));
        stage.players(1, 211);
        stage.players(0, 212);
        stage.due(others.map(|_| 232));
        stage.players(1, 213);
        stage.shows("match-3", 220);
        stage.players(0, 599);
        stage.due(others.map(|_| 619));
        stage.lobby.follow(None, false, true, stage.at(700));
        stage.due(others.map(|_| 1000));
        assert_eq!(
            stage.lobby.take_due(stage.at(1000)),
            others.map(|_| Ending::Unnamed)
        );
    }
}

#[test]
fn a_session_settles_the_claims_before_it_but_for_a_moment() {
    let mut stage = Stage::new(None);
    for at in [1, 12] {
        stage.lobby.asked(stage.at(at));
        stage.lobby.answered(Prospect::Open, stage.at(at));
    }
    stage.shows("self-1", 20);
    assert!(stage.lobby.is_ours());
    stage.shows("self-2", 81);
    assert!(!stage.lobby.is_ours());
}

#[test]
fn a_claimed_session_that_is_there_from_the_start_is_of_the_host_before() {
    for (first, ours) in [("self-1", true), ("match-1", false), ("", false)] {
        let mut stage = Stage::new(None);
        stage.lobby.adopt();
        stage.shows(first, 1);
        assert_eq!(stage.lobby.is_ours(), ours, "{first}");
        stage.due(ours.then_some(31));
        // And only from the start.
        stage.shows("self-2", 2);
        assert!(!stage.lobby.is_ours());
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
