//! The settings of an `rtyp` door.

use super::error::ConfigError;
use super::reader::Section;
use super::value::{HOUR, address, duration};
use std::net::{Ipv4Addr, SocketAddr};
use std::time::Duration;

/// The settings of an `rtyp` door.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Rtyp {
    /// Where logins are taken. Port 0: any free port.
    pub tcp: SocketAddr,
    /// Where players play. Port 0: any free port.
    pub udp: SocketAddr,
    /// A bound session without a valid datagram for this long ends.
    pub udp_timeout: Duration,
    /// A session that is not bound this long after its acceptance ends.
    pub bind_timeout: Duration,
}

impl Rtyp {
    /// What bounds an unanswered login where `session-timeout` is not set. The protocol states none;
    /// this is its other two timeouts' length.
    pub(super) const CONNECTION_TIMEOUT: Duration = Duration::from_secs(10);
    /// A player number travels as one byte.
    pub(super) const PLAYER_NUMBERS: u32 = 256;

    /// Reads what is of this protocol.
    pub(super) fn read(section: &mut Section<'_>) -> Result<Rtyp, ConfigError> {
        let default = Rtyp::default();
        let timeouts = || duration(Duration::from_millis(100)..=HOUR);
        Ok(Rtyp {
            tcp: section.required("tcp", "tcp = \"127.0.0.1:4241\"", address)?,
            udp: section.required("udp", "udp = \"127.0.0.1:4242\"", address)?,
            udp_timeout: section
                .optional("udp-timeout", "udp-timeout = \"10s\"", timeouts())?
                .unwrap_or(default.udp_timeout),
            bind_timeout: section
                .optional("bind-timeout", "bind-timeout = \"10s\"", timeouts())?
                .unwrap_or(default.bind_timeout),
        })
    }
}

impl Default for Rtyp {
    /// On this machine alone.
    fn default() -> Rtyp {
        Rtyp {
            tcp: (Ipv4Addr::LOCALHOST, 4241).into(),
            udp: (Ipv4Addr::LOCALHOST, 4242).into(),
            udp_timeout: Duration::from_secs(10),
            bind_timeout: Duration::from_secs(10),
        }
    }
}
