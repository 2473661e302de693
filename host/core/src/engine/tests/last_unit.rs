//! Two requests for the last unit of something, in every order in which their evidence and answers can come:
//! exactly one is in, and the other is told the reason that the order of the claims demands.

use super::world::{World, accept, ask, pass, then};
use crate::*;
use std::net::IpAddr;

const QUESTION: &str = "hold";
const ACT: &str = "claim-session";

/// What a ticket claims besides its player: up to so many, of whom all but one play already.
const ROSTERS: [(&str, u32); 3] = [("hold", 2), ("ticket", 3), ("allocation", 2)];

/// What the two have in common. The order is that of the claims, and so of the reasons.
#[derive(Clone, Copy, Debug)]
struct Shared {
    player: bool,
    roster: bool,
    server: bool,
}

impl Shared {
    fn all() -> impl Iterator<Item = Shared> {
        (0..8).map(|bits| Shared {
            player: bits & 1 != 0,
            roster: bits & 2 != 0,
            server: bits & 4 != 0,
        })
    }

    /// What the one who does not get in is told.
    fn reason(self) -> Option<&'static str> {
        let reasons = [
            (self.player, "duplicate_player"),
            (self.roster, "roster_full"),
            (self.server, "server_full"),
        ];
        reasons
            .into_iter()
            .find(|(shared, _)| *shared)
            .map(|it| it.1)
    }
}

/// Claims of one request; what is not shared is its own.
struct Ticket {
    player: Claim,
    roster: Claim,
    server: Claim,
}

fn ticket(number: usize, shared: Shared, (roster, size): (&str, u32), seats: u32) -> Ticket {
    let id = |shared: bool| match shared {
        true => "both".to_owned(),
        false => number.to_string(),
    };
    let full = |code| Reason::new(code, "");
    let secret = Part::Secret(Digest::of(&id(shared.roster)));
    let parts = [Part::Plain("match".into()), secret];
    Ticket {
        player: Claim::new(
            Key::of("player", &id(shared.player)),
            1,
            full("duplicate_player"),
        ),
        roster: Claim::new(Key::new(roster, parts), size, full("roster_full")),
        server: Claim::new(Key::server(), seats, full("server_full")),
    }
}

/// What happens to a request once it is asked about, one after the other.
#[derive(Clone, Copy)]
enum Step {
    /// The ticket's policy asks for evidence.
    Ask,
    /// It comes.
    Learn,
    /// The ticket's policy passes its claims.
    Pass,
    /// The next policy accepts.
    Accept,
    /// Its act is done.
    Done,
    /// It confirms.
    Confirm,
}

const WITHOUT_ACT: [Step; 4] = [Step::Ask, Step::Learn, Step::Pass, Step::Accept];
const WITH_ACT: [Step; 6] = [
    Step::Ask,
    Step::Learn,
    Step::Pass,
    Step::Accept,
    Step::Done,
    Step::Confirm,
];

/// Does the next thing to a request, unless it is over.
fn step(world: &mut World, peer: RequestId, ticket: &Ticket, step: Step, act: bool) {
    if world.refused(peer).is_some() {
        return;
    }
    let found = || FactAnswer::Found([].into());
    let seat = || accept([ticket.server.clone()]);
    match step {
        Step::Ask => world.answer(peer, ask(&[QUESTION])),
        Step::Learn => world.learn(peer, QUESTION, found()),
        Step::Pass => world.answer(peer, pass([ticket.player.clone(), ticket.roster.clone()])),
        Step::Accept if act => world.answer(peer, then(seat(), ACT)),
        Step::Accept | Step::Confirm => world.answer(peer, seat()),
        Step::Done => world.learn(peer, ACT, found()),
    }
}

/// Every order of so many steps of one and so many of another: whose turn it is, time after time.
fn orders(first: usize, second: usize) -> Vec<Vec<usize>> {
    let mut all = Vec::new();
    if first + second == 0 {
        return vec![Vec::new()];
    }
    for (whose, left) in [(0, (first, second)), (1, (second, first))] {
        if left.0 == 0 {
            continue;
        }
        let rest = match whose {
            0 => orders(first - 1, second),
            _ => orders(first, second - 1),
        };
        all.extend(rest.into_iter().map(|mut order| {
            order.insert(0, whose);
            order
        }));
    }
    all
}

/// A host with two doors where both may come in, but for what they share.
fn world(seats: u32) -> World {
    let mut world = World::new(|config| {
        config.max_players = seats;
        let other = config.doors[0].clone();
        config.doors.push(other);
    });
    world.policies(&[("tickets", FailMode::Closed), ("session", FailMode::Closed)]);
    world.slots[1].game_rule = true;
    world.reload();
    world
}

fn arrive(world: &mut World, door: u16) -> RequestId {
    let address: IpAddr = format!("192.0.2.{}", 1 + door).parse().unwrap();
    let peer = world.knock_at(DoorId(door), address);
    let mut data = world.data(peer, "R9");
    data.door = DoorId(door);
    world.handle(Input::Submit(data.into()));
    peer
}

/// Plays one order to its end.
fn play(shared: Shared, roster: (&str, u32), order: &[usize], act: bool) {
    let mates = roster.1 - 1;
    let seats = mates * 2 + if shared.server { 1 } else { 2 };
    let steps: &[Step] = if act { &WITH_ACT } else { &WITHOUT_ACT };
    let mut world = world(seats);
    let tickets = [0, 1].map(|number| ticket(number, shared, roster, seats));
    // All but one of each party play already; where they are of one, there is one party.
    for mate in 0..mates * 2 {
        let party = (mate % 2) as usize;
        let name = 100 + mate as usize;
        let alone = Shared {
            player: false,
            ..shared
        };
        let mine = ticket(name, alone, roster, seats);
        let (of, counts) = (&tickets[party].roster, !(shared.roster && party == 1));
        let peer = arrive(&mut world, 0);
        let mut claims = vec![mine.player.clone()];
        claims.extend(counts.then(|| of.clone()));
        world.answer(peer, pass(claims));
        world.answer(peer, accept([]));
        world.accepted(peer);
    }
    let case = format!("{shared:?} {} {order:?}, act: {act}", roster.0);
    let peers = [0, 1].map(|door| arrive(&mut world, door));
    let mut next = [0, 0];
    for whose in order.iter().copied() {
        let number = next[whose];
        next[whose] += 1;
        step(
            &mut world,
            peers[whose],
            &tickets[whose],
            steps[number],
            act,
        );
    }
    let told = peers.map(|peer| world.refused(peer));
    let is_in = peers.map(|peer| world.grant(peer).is_some());
    match shared.reason() {
        None => assert_eq!((is_in, told), ([true, true], [None, None]), "{case}"),
        Some(reason) => {
            assert!(is_in[0] != is_in[1], "{case}: {is_in:?}");
            let loser = usize::from(is_in[0]);
            assert_eq!(told[loser].as_deref(), Some(reason), "{case}");
            assert_eq!(told[1 - loser], None, "{case}");
        }
    }
    let lookups = world.lookups.iter();
    let acts = lookups
        .filter(|(_, _, kind)| *kind == LookupKind::Act)
        .count();
    let winners = is_in.iter().filter(|it| **it).count();
    assert_eq!(
        acts,
        if act { winners } else { 0 },
        "{case}: for who gets in"
    );
    assert_eq!(world.compensations, [], "{case}");
    assert_eq!(
        world.report().connected,
        mates * 2 + winners as u32,
        "{case}"
    );
    world.close();
}

#[test]
fn two_for_the_last_unit_come_to_one_in_whatever_the_order() {
    let orders = orders(WITHOUT_ACT.len(), WITHOUT_ACT.len());
    assert_eq!(orders.len(), 70);
    for shared in Shared::all() {
        for roster in ROSTERS {
            for order in &orders {
                play(shared, roster, order, false);
            }
        }
    }
}

#[test]
fn two_for_the_last_unit_come_to_one_in_whatever_the_order_of_their_acts() {
    let orders = orders(WITH_ACT.len(), WITH_ACT.len());
    assert_eq!(orders.len(), 924);
    for shared in Shared::all() {
        for order in &orders {
            play(shared, ROSTERS[0], order, true);
        }
    }
}

#[test]
fn when_the_first_leaves_at_any_moment_the_other_has_the_unit_if_it_asks_after() {
    // The first holds the last unit from its accept on; until it goes nobody else can have it.
    let shared = Shared {
        player: false,
        roster: true,
        server: true,
    };
    for goes_after in 0..=WITH_ACT.len() {
        let mut world = world(1);
        let tickets = [0, 1].map(|number| ticket(number, shared, ("hold", 1), 1));
        let first = arrive(&mut world, 0);
        for what in &WITH_ACT[..goes_after] {
            step(&mut world, first, &tickets[0], *what, true);
        }
        let early = arrive(&mut world, 1);
        for what in &WITHOUT_ACT[..3] {
            step(&mut world, early, &tickets[1], *what, false);
        }
        let held = goes_after > 3;
        let told = held.then_some("roster_full");
        assert_eq!(world.refused(early).as_deref(), told, "{goes_after}");
        world.leave(early);
        world.leave(first);
        if goes_after == 4 {
            // The act was out when it left.
            world.learn(first, ACT, FactAnswer::Found([].into()));
        }
        let undone = goes_after == 4 || goes_after == 5;
        assert_eq!(
            world.compensations.len(),
            usize::from(undone),
            "{goes_after}"
        );
        let late = arrive(&mut world, 1);
        for what in WITHOUT_ACT {
            step(&mut world, late, &tickets[1], what, false);
        }
        world.accepted(late);
        world.close();
    }
}
