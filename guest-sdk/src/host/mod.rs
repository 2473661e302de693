//! What a module may ask of the host, one module an interface of the contract.
//!
//! In WebAssembly these are imports; natively a fake answers, which tests set up through `testing`.

#[cfg(not(target_arch = "wasm32"))]
pub(crate) mod fake;
pub(crate) mod imports;
pub mod params;

/// The seat ledger, as it stands at this moment.
pub mod ledger {
    use crate::contract::Key;

    /// How many units of a key are held by others than the request that is being decided.
    ///
    /// Advice for a better answer to the player, and out of date at once. A limit is kept by
    /// [claiming](crate::Claim) the key, never by reading it. Rules can't read it.
    pub fn taken(key: &Key) -> u32 {
        super::imports::ledger::taken(key)
    }
}

/// Named lists that the operator keeps, such as a ban list. Rules can't look into them.
///
/// A bucket that the configuration does not have is a fault of the call: the host asks every policy once
/// before it serves, so the operator who misspelt its name sees it at load.
pub mod bucket {
    use std::net::IpAddr;

    use super::imports;
    use crate::address;

    /// What the operator noted beside a text (a name, a player id), empty where there is no note; `None`
    /// if the bucket does not hold it. Texts are the same when every byte is, but for space around them.
    /// An entry for an address is not found here.
    pub fn get(bucket: &str, entry: &str) -> Option<String> {
        imports::bucket::get(bucket, entry)
    }

    /// What the operator noted beside the smallest network that an IP address is in; `None` if it is in
    /// none. An IPv4 address mapped into IPv6 is the IPv4 address.
    ///
    /// An address that is not proven (`request.peer.proven`) may be forged.
    pub fn matches_address(bucket: &str, address: IpAddr) -> Option<String> {
        imports::bucket::matches_address(bucket, address::to_contract(address))
    }
}

/// The time.
pub mod clock {
    use crate::contract::UnixMillis;

    /// Now, in milliseconds since the Unix epoch. It does not move within one call.
    pub fn now_ms() -> UnixMillis {
        super::imports::clock::now_ms()
    }
}

/// Chance.
pub mod random {
    /// 64 random bits, from a generator that the host seeds anew for each call so that it can repeat
    /// the call. Not for secrets.
    pub fn u64() -> u64 {
        super::imports::random::u64()
    }
}

/// Lines for the operator, under the module's name. The host keeps 16 lines a call and 1,024 bytes a
/// line. Never log a password, a payload or a ticket.
pub mod log {
    use std::fmt::Display;

    use super::imports::log::write;
    use crate::contract::Level;

    /// A line that only someone who hunts for a fault wants.
    pub fn debug(text: impl Display) {
        write(Level::Debug, &text.to_string());
    }

    /// A line worth a glance: `log::info(format_args!("{name} is back"))`.
    pub fn info(text: impl Display) {
        write(Level::Info, &text.to_string());
    }

    /// Something that an operator should look at some day.
    pub fn warn(text: impl Display) {
        write(Level::Warn, &text.to_string());
    }

    /// Something that an operator should look at now.
    pub fn error(text: impl Display) {
        write(Level::Error, &text.to_string());
    }
}
