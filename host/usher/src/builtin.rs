//! The modules that travel inside the program. They are built from `policies/` by
//! `cargo xtask policies`, which also writes down of which sources.

/// A module that is always there.
#[derive(PartialEq, Eq)]
pub struct Builtin {
    /// What it is called after `builtin:`.
    pub name: &'static str,
    /// The module.
    pub wasm: &'static [u8],
}

impl std::fmt::Debug for Builtin {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "builtin:{}", self.name)
    }
}

macro_rules! builtin {
    ($name:literal) => {
        Builtin {
            name: $name,
            wasm: include_bytes!(concat!("../builtin/", $name, ".wasm")),
        }
    };
}

static ALLOWLIST: Builtin = builtin!("allowlist");
static DENYLIST: Builtin = builtin!("denylist");
static JOIN_TICKET: Builtin = builtin!("join-ticket");
static OPEN: Builtin = builtin!("open");
static QUEUE: Builtin = builtin!("queue");
static RTYP: Builtin = builtin!("rtyp");
static SESSION_OPEN: Builtin = builtin!("session-open");
static ARENA: Builtin = builtin!("arena");

/// Those that decide who may enter.
pub static POLICIES: &[&Builtin] = &[
    &ALLOWLIST,
    &DENYLIST,
    &JOIN_TICKET,
    &OPEN,
    &QUEUE,
    &RTYP,
    &SESSION_OPEN,
];

/// Those that hold the rules of a game.
pub static RULES: &[&Builtin] = &[&ARENA];

/// The policy of a host that is told nothing.
pub fn default_policy() -> &'static Builtin {
    &RTYP
}

/// The rules of a host that is told nothing.
pub fn default_rules() -> &'static Builtin {
    &ARENA
}

/// One of `among`, by its name.
pub fn find(among: &[&'static Builtin], name: &str) -> Option<&'static Builtin> {
    among.iter().find(|builtin| builtin.name == name).copied()
}
