//! Rules that count what players send and fail when one tells them to. The count is the saved state.
//!
//! | message | the rules |
//! |---|---|
//! | `trap` | panic with `told to trap by <session>` |
//! | `loop` | loop for ever |
//! | `count` | answer with the number of messages so far, this one included |
//! | `tick` | broadcast `tick <moment>` at the next tick |
//! | `kick` | kick the sender, with the code `asked-for` |
//! | `savetrap` | trap when they are next asked to save |
//! | anything else | broadcast it to everyone |
//!
//! A player whose name begins with `jointrap` makes them panic at the join.

use usher_sdk::prelude::*;

#[derive(Default)]
struct Trapping {
    messages: u32,
    tick: bool,
    save_traps: bool,
}

impl Rules for Trapping {
    fn start(_: &str, saved: Option<&[u8]>) -> Result<(Self, Vec<Effect>), String> {
        let messages = match saved {
            Some(saved) => std::str::from_utf8(saved)
                .ok()
                .and_then(|text| text.parse().ok())
                .ok_or("the saved state is no count")?,
            None => 0,
        };
        Ok((
            Trapping {
                messages,
                ..Trapping::default()
            },
            Vec::new(),
        ))
    }

    fn on_join(&mut self, player: &Player) -> Vec<Effect> {
        if player.name.starts_with("jointrap") {
            panic!("told to trap by {}", player.name);
        }
        Vec::new()
    }

    fn on_message(&mut self, from: SessionId, message: &Message) -> Vec<Effect> {
        self.messages += 1;
        match message.data.as_slice() {
            b"trap" => panic!("told to trap by {from}"),
            b"loop" => loop {
                std::hint::black_box(());
            },
            b"count" => vec![Effect::send(
                from,
                Message::ordered(self.messages.to_string()),
            )],
            b"kick" => vec![Effect::kick(from, Reason::new("asked-for", "As you wish"))],
            b"tick" => {
                self.tick = true;
                Vec::new()
            }
            b"savetrap" => {
                self.save_traps = true;
                Vec::new()
            }
            _ => vec![Effect::broadcast(message.clone())],
        }
    }

    fn on_leave(&mut self, _: SessionId, _: Parting) -> Vec<Effect> {
        Vec::new()
    }

    fn on_tick(&mut self, now: UnixMillis) -> Vec<Effect> {
        match std::mem::take(&mut self.tick) {
            true => vec![Effect::broadcast(Message::ordered(format!("tick {now}")))],
            false => Vec::new(),
        }
    }

    fn save(&self) -> Vec<u8> {
        if self.save_traps {
            panic!("told to trap when saving");
        }
        self.messages.to_string().into_bytes()
    }
}

usher_sdk::export_rules!(Trapping);
