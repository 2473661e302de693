//! New ticket ids, from the system's generator and from nothing else: a game that chose them would choose
//! ones that can be guessed.

use crate::secret::TicketId;
use alloc::string::String;
use core::fmt;
use rand::TryRng as _;
use rand::rngs::SysRng;

impl TicketId {
    /// 128 random bits as 22 characters of base64url. Fails where the system gives no random bits.
    pub fn mint() -> Result<TicketId, MintError> {
        let mut random = [0; 16];
        SysRng.try_fill_bytes(&mut random).map_err(|_| MintError)?;
        Ok(TicketId::minted(base64url(random)))
    }
}

/// The system gives no random bits.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct MintError;

impl fmt::Display for MintError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the system gives no random bits for a ticket id")
    }
}

impl core::error::Error for MintError {}

/// Without padding: 6 bits a character, highest first, the last one filled up with zeros.
fn base64url(bytes: [u8; 16]) -> String {
    const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    let bits = u128::from_be_bytes(bytes);
    (0..22)
        // Never outside of the alphabet: what is left of 128 bits after a shift by 122 is 6 of them.
        .map(|at| char::from(ALPHABET[((bits << (6 * at)) >> 122) as usize]))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_ticket_id_is_base64url_without_padding() {
        let counting = core::array::from_fn(|at| at as u8);
        for (bytes, text) in [
            ([0; 16], "AAAAAAAAAAAAAAAAAAAAAA"),
            ([0xFF; 16], "_____________________w"),
            (counting, "AAECAwQFBgcICQoLDA0ODw"),
        ] {
            assert_eq!(base64url(bytes), text);
        }
    }

    #[test]
    fn two_ticket_ids_are_never_the_same() {
        let [one, other] = [TicketId::mint().unwrap(), TicketId::mint().unwrap()];
        assert_ne!(one, other);
        assert_eq!(one.expose().len(), 22);
    }
}
