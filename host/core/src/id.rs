//! Names of things, as numbers that are never used twice.

macro_rules! id {
    ($(#[$doc:meta])* $name:ident($inner:ty)) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        pub struct $name(pub $inner);

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                write!(f, "{}", self.0)
            }
        }
    };
}

id! {
    /// A request: one attempt of one peer to enter. Given by the door that saw it, from one counter of
    /// the host, and never used twice. It goes on naming the peer after it was accepted.
    RequestId(u64)
}
id! {
    /// The public number of a session. Given by the core, never used twice, and no secret.
    SessionId(u64)
}
id! {
    /// One time that a policy is asked something. Any answer to another is dropped (semantics 12).
    AskId(u64)
}
id! {
    /// A door: its place in the configuration.
    DoorId(u16)
}
id! {
    /// A policy slot: its place among the configured policies. What is loaded in it changes; it does not.
    SlotId(u16)
}
