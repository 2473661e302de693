use super::*;
use std::cell::RefCell;
use std::collections::VecDeque;
use std::rc::Rc;
use usher_core::{DoorId, FaultKind, RequestId};
use usher_runtime::Delivery;

/// What the rules were told, what the world was told, and what is to go wrong.
#[derive(Default)]
struct World {
    now: u64,
    calls: Vec<String>,
    said: Vec<String>,
    /// Calls that trap, by how they begin; each as often as it is in here.
    traps: Vec<&'static str>,
    /// The effects of the next calls, by how these begin.
    effects: VecDeque<(&'static str, Vec<Effect>)>,
    current: u64,
    /// Generations that refuse to take over.
    unwilling: Vec<u64>,
}

impl World {
    fn called(&mut self, call: String) -> Result<Vec<Effect>, Fault> {
        let trap = self.traps.iter().position(|trap| call.starts_with(trap));
        self.calls.push(call.clone());
        if let Some(trap) = trap {
            self.traps.remove(trap);
            return Err(Fault {
                kind: FaultKind::Trap,
                message: "unreachable".into(),
            });
        }
        match self.effects.front() {
            Some((begins, _)) if call.starts_with(begins) => {
                Ok(self.effects.pop_front().unwrap_or_default().1)
            }
            _ => Ok(Vec::new()),
        }
    }
}

#[derive(Clone, Default)]
struct Shared(Rc<RefCell<World>>);

struct Instance {
    world: Shared,
    generation: u64,
}

impl Script for Shared {
    type Play = Instance;

    fn begin(&self) -> (u64, Result<Instance, Fault>) {
        let generation = self.0.borrow().current;
        let world = self.clone();
        (generation, Ok(Instance { world, generation }))
    }

    fn refuse(&self, generation: u64, _: &StartError) {
        let mut world = self.0.borrow_mut();
        world.said.push(format!("refused {generation}"));
        world.current -= 1;
    }

    fn note<T>(&self, _: &Result<T, Fault>) {}
}

impl Play for Instance {
    fn start(&mut self, _: At, _: &str, saved: Option<&[u8]>) -> Result<Vec<Effect>, StartError> {
        let mut world = self.world.0.borrow_mut();
        if world.unwilling.contains(&self.generation) {
            return Err(StartError::Refused("another format".to_owned()));
        }
        let saved = saved.map(String::from_utf8_lossy).unwrap_or_default();
        let call = format!("start {} [{saved}]", self.generation);
        world.called(call).map_err(StartError::Fault)
    }

    fn on_join(&mut self, _: At, player: &Player) -> Result<Vec<Effect>, Fault> {
        let call = format!("join {}", player.session);
        self.world.0.borrow_mut().called(call)
    }

    fn on_message(
        &mut self,
        _: At,
        from: SessionId,
        message: &Message,
    ) -> Result<Vec<Effect>, Fault> {
        let text = String::from_utf8_lossy(&message.data);
        let (delivery, channel) = (message.delivery, message.channel);
        let call = format!("message {from} {text} {delivery:?}/{channel}");
        self.world.0.borrow_mut().called(call)
    }

    fn on_leave(&mut self, _: At, session: SessionId, how: Parting) -> Result<Vec<Effect>, Fault> {
        let call = format!("leave {session} {how:?}");
        self.world.0.borrow_mut().called(call)
    }

    fn on_tick(&mut self, _: At) -> Result<Vec<Effect>, Fault> {
        self.world.0.borrow_mut().called("tick".to_owned())
    }

    fn save(&mut self, _: At) -> Result<Vec<u8>, Fault> {
        let mut world = self.world.0.borrow_mut();
        world.called("save".to_owned())?;
        let state = format!("at {}", world.now);
        Ok(state.into_bytes())
    }
}

impl Stage for Shared {
    fn at(&mut self) -> At {
        At {
            now: Moment::from_millis(self.0.borrow().now),
            seed: 0,
        }
    }

    fn send(&mut self, to: &Player, message: Message) {
        let text = String::from_utf8_lossy(&message.data).into_owned();
        let (delivery, channel) = (message.delivery, message.channel);
        let said = format!("to {}: {text} {delivery:?}/{channel}", to.session);
        self.0.borrow_mut().said.push(said);
    }

    fn flush(&mut self) {}

    fn tell_core(&mut self, input: Input) {
        let said = match input {
            Input::Kick { session, reason } => format!("kick {session} {}", reason.code),
            Input::Close { key, reason } => format!("close {key} {}", reason.code),
            Input::Open { key } => format!("open {key}"),
            other => format!("{other:?}"),
        };
        self.0.borrow_mut().said.push(said);
    }
}

/// A game that has just begun, with nothing left to read of its start.
fn game() -> (Game<Shared, Shared>, Shared) {
    let world = Shared::default();
    world.0.borrow_mut().current = 1;
    let game = Game::new("main".into(), world.clone(), world.clone());
    assert_eq!(calls(&world), ["start 1 []"]);
    assert_eq!(said(&world), ["open room:main"]);
    (game, world)
}

fn calls(world: &Shared) -> Vec<String> {
    std::mem::take(&mut world.0.borrow_mut().calls)
}

fn said(world: &Shared) -> Vec<String> {
    std::mem::take(&mut world.0.borrow_mut().said)
}

fn trap(world: &Shared, calls: &[&'static str]) {
    world.0.borrow_mut().traps = calls.to_vec();
}

fn at(world: &Shared, now: u64) {
    world.0.borrow_mut().now = now;
}

fn player(session: u64) -> Box<Player> {
    Box::new(Player {
        session: SessionId(session),
        request: RequestId(session),
        room: "main".into(),
        name: "R9".into(),
        identity: None,
        identity_proven: false,
        number: None,
        door: DoorId(0),
        door_name: "main".into(),
        protocol: "rtyp".into(),
        remember: [].into(),
    })
}

fn message(text: &str) -> Message {
    Message {
        data: text.as_bytes().into(),
        delivery: Delivery::Ordered,
        channel: 3,
    }
}

#[test]
fn messages_count_from_the_join_to_the_leave() {
    let (mut game, world) = game();
    game.message(SessionId(1), &message("early"));
    game.tick();
    game.join(player(1));
    game.message(SessionId(1), &message("in time"));
    game.tick();
    game.leave(SessionId(1), Parting::Lost);
    game.leave(SessionId(1), Parting::Left);
    game.message(SessionId(1), &message("late"));
    game.tick();
    let expected = [
        "join 1",
        "message 1 in time Ordered/3",
        "tick",
        "leave 1 Lost",
    ];
    assert_eq!(calls(&world), expected);
}

#[test]
fn effects_are_applied_in_order() {
    let (mut game, world) = game();
    game.join(player(1));
    game.join(player(2));
    let effects = vec![
        Effect::Broadcast {
            except: vec![SessionId(2)],
            message: message("a"),
        },
        Effect::Close(Reason::new("game-started", "")),
        Effect::Send {
            to: SessionId(2),
            message: message("b"),
        },
        Effect::Send {
            to: SessionId(9),
            message: message("to nobody"),
        },
        Effect::Kick {
            session: SessionId(1),
            reason: Reason::new("afk", ""),
        },
        Effect::Kick {
            session: SessionId(9),
            reason: Reason::new("not here", ""),
        },
        Effect::Open,
    ];
    world.0.borrow_mut().effects.push_back(("tick", effects));
    game.tick();
    let expected = [
        "to 1: a Ordered/3",
        "close room:main game-started",
        "to 2: b Ordered/3",
        "kick 1 afk",
        "open room:main",
    ];
    assert_eq!(said(&world), expected);
}

#[test]
fn a_trap_goes_back_to_the_last_save_and_tells_what_happened_since() {
    let (mut game, world) = game();
    game.join(player(1));
    game.join(player(2));
    at(&world, 5_000);
    game.save();
    game.leave(SessionId(1), Parting::Kicked);
    game.join(player(3));
    calls(&world);
    trap(&world, &["message"]);
    game.message(SessionId(2), &message("boom"));
    let expected = [
        "message 2 boom Ordered/3",
        "start 1 [at 5000]",
        "leave 1 Kicked",
        "join 3",
    ];
    assert_eq!(calls(&world), expected);
    assert_eq!(said(&world), [""; 0], "nobody is sent away");
}

#[test]
fn a_second_trap_soon_after_ends_the_game_and_a_new_one_begins() {
    let (mut game, world) = game();
    game.join(player(1));
    trap(&world, &["tick"]);
    game.tick();
    at(&world, 9_999);
    trap(&world, &["tick"]);
    calls(&world);
    game.tick();
    assert_eq!(calls(&world), ["tick", "start 1 []"]);
    assert_eq!(said(&world), ["kick 1 rules-fault", "open room:main"]);
    game.message(SessionId(1), &message("still here"));
    game.leave(SessionId(1), Parting::Kicked);
    game.join(player(2));
    assert_eq!(calls(&world), ["join 2"]);
}

#[test]
fn traps_far_apart_are_each_the_first() {
    let (mut game, world) = game();
    game.join(player(1));
    for now in [0, 10_000, 20_000] {
        at(&world, now);
        trap(&world, &["tick"]);
        game.tick();
    }
    assert_eq!(said(&world), [""; 0]);
}

#[test]
fn a_join_that_always_traps_does_not_go_on_forever() {
    let (mut game, world) = game();
    trap(&world, &["join 1", "join 1"]);
    game.join(player(1));
    let expected = ["join 1", "start 1 []", "join 1", "start 1 []"];
    assert_eq!(calls(&world), expected);
    assert_eq!(said(&world), ["kick 1 rules-fault", "open room:main"]);
}

#[test]
fn a_swap_hands_the_state_over_and_tells_nobody_twice() {
    let (mut game, world) = game();
    game.join(player(1));
    at(&world, 70);
    world.0.borrow_mut().current = 2;
    calls(&world);
    assert_eq!(game.swap(), Ok(()));
    game.tick();
    assert_eq!(calls(&world), ["save", "start 2 [at 70]", "tick"]);
}

#[test]
fn rules_that_cannot_read_the_state_are_refused_and_the_old_ones_play_on() {
    let (mut game, world) = game();
    game.join(player(1));
    world.0.borrow_mut().current = 2;
    world.0.borrow_mut().unwilling = vec![2];
    calls(&world);
    let error = "can't take the state over: another format";
    assert_eq!(game.swap(), Err(error.to_owned()));
    game.tick();
    assert_eq!(calls(&world), ["save", "tick"]);
    assert_eq!(said(&world), ["refused 2"]);
}

#[test]
fn old_rules_that_trap_at_the_swap_are_replaced_from_the_save_before() {
    let (mut game, world) = game();
    game.join(player(1));
    world.0.borrow_mut().current = 2;
    trap(&world, &["save"]);
    calls(&world);
    assert_eq!(game.swap(), Ok(()));
    assert_eq!(calls(&world), ["save", "start 2 []", "join 1"]);
}

#[test]
fn new_rules_that_cannot_replace_dead_ones_are_refused() {
    let (mut game, world) = game();
    game.join(player(1));
    world.0.borrow_mut().current = 2;
    world.0.borrow_mut().unwilling = vec![2];
    trap(&world, &["save"]);
    calls(&world);
    assert!(game.swap().is_err());
    assert_eq!(calls(&world), ["save", "start 1 []", "join 1"]);
    assert_eq!(said(&world), ["refused 2"]);
}

#[test]
fn without_rules_nobody_stays_and_loading_some_mends_it() {
    let (mut game, world) = game();
    world.0.borrow_mut().unwilling = vec![1];
    game.join(player(1));
    trap(&world, &["tick"]);
    game.tick();
    let expected = ["kick 1 rules-fault", "open room:main"];
    assert_eq!(said(&world), expected, "they could not start again");
    game.join(player(2));
    assert_eq!(said(&world), ["kick 2 rules-fault"]);
    game.leave(SessionId(1), Parting::Kicked);
    world.0.borrow_mut().current = 2;
    calls(&world);
    assert_eq!(game.swap(), Ok(()));
    game.leave(SessionId(2), Parting::Kicked);
    game.join(player(3));
    assert_eq!(calls(&world), ["start 2 []", "join 3"]);
}

#[test]
fn the_state_is_saved_only_when_something_has_happened() {
    let (mut game, world) = game();
    assert_eq!(game.save_due(), None);
    at(&world, 1_000);
    game.join(player(1));
    game.save();
    assert_eq!(game.save_due(), None);
    game.tick();
    assert_eq!(game.save_due(), Some(Moment::from_millis(6_000)));
}
