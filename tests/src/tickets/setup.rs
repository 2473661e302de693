//! Hosts whose players show join tickets, in each mode.

use super::names::mint;
use crate::modules::module;
use crate::setup::Setup;
use usher_stand_ins::{FakeDiscovery, FakeSdk};

/// The protocol version of the game.
pub const PROTOCOL: u32 = 3;

impl Setup {
    /// Doors of `mafianet`, `http` and `websocket` for join tickets, with the policies that ship for them. The game has a
    /// rule of its own, which obeys display names, or none but that a session is open and a seat free.
    pub fn tickets(own_rule: bool) -> Setup {
        Setup::of_tickets(own_rule, "game-rule = true")
    }

    fn of_tickets(own_rule: bool, session_open: &str) -> Setup {
        let params = format!("params = {{ protocol-version = {PROTOCOL} }}");
        let setup = Setup::mafianet().policy("join-ticket", "builtin:join-ticket", &params);
        let setup = match own_rule {
            true => setup.policy("gate", module("ticket-gate"), "game-rule = true"),
            false => setup,
        };
        setup
            .policy("session-open", "builtin:session-open", session_open)
            .desk(&mint())
            .web()
    }

    /// The same, where the game claims a session for a lone player, and has a rule of its own before that.
    pub fn claiming() -> Setup {
        Setup::of_tickets(true, "game-rule = true\nparams = { claim-sessions = true }")
    }

    /// Started by a fleet whose endpoint this is: the environment says so.
    pub fn hosted(self, sdk: &FakeSdk) -> Setup {
        self.env("AGONES_SDK_HTTP_PORT", &sdk.port().to_string())
    }

    /// In this mode, whatever is found.
    pub fn mode(self, mode: &str) -> Setup {
        self.more(&format!("[evidence]\nmode = {mode:?}\n"))
    }

    /// In a mode that lists the server at this Discovery, with this token.
    pub fn listed(self, mode: &str, discovery: &FakeDiscovery, token: &str) -> Setup {
        let url = discovery.url();
        self.mode(mode).file("discovery.token", token).more(&format!(
            "[discovery]\nurl = {url:?}\ntoken-file = \"discovery.token\"\nname = \"Test\"\nport = 27015\n"
        ))
    }
}
