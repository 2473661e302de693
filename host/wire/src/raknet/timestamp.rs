//! Timestamps: an application message whose time is carried over to the receiver's clock.

use super::malformed::Malformed;
use super::read::Reader;

const TIMESTAMP: u8 = 0x1b;
/// Bytes before the message proper.
const PREFIX: usize = 9;

/// `1b | time u64 | message`: a message of the game and the time at which it was made, in milliseconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Timestamped<'a> {
    /// On the sender's clock.
    pub time: u64,
    /// The message proper, its id first.
    pub message: &'a [u8],
}

impl<'a> Timestamped<'a> {
    /// Takes a message with a timestamp apart; `None` when it has none.
    ///
    /// # Errors
    ///
    /// [`Malformed`] when the timestamp is cut or nothing follows it.
    pub fn parse(bytes: &'a [u8]) -> Result<Option<Self>, Malformed> {
        if bytes.first() != Some(&TIMESTAMP) {
            return Ok(None);
        }
        let mut reader = Reader::new(bytes);
        reader.u8("id")?;
        let time = reader.u64("time")?;
        let message = reader.rest();
        if message.is_empty() {
            return Err(Malformed::PastEnd("id"));
        }
        Ok(Some(Self { time, message }))
    }

    /// Appends the bytes.
    pub fn encode(&self, out: &mut Vec<u8>) {
        out.reserve(PREFIX + self.message.len());
        out.push(TIMESTAMP);
        out.extend(self.time.to_be_bytes());
        out.extend(self.message);
    }
}

/// How far the peer's clock is ahead of ours, in milliseconds modulo 2^64: `pong` is the peer's clock in its
/// answer to the ping that we sent at `ping`, and `now` is when that answer came.
///
/// Take it from the fastest of the last pings. What the peer says was at `t` was at [`our_time`] for us.
#[must_use]
pub fn clock_ahead(ping: u64, pong: u64, now: u64) -> u64 {
    pong.wrapping_sub(ping.wrapping_add(now.wrapping_sub(ping) / 2))
}

/// The peer's time on our clock.
#[must_use]
pub fn our_time(theirs: u64, ahead: u64) -> u64 {
    theirs.wrapping_sub(ahead)
}

#[cfg(test)]
mod tests {
    use super::super::hex::hex;
    use super::*;

    #[test]
    fn a_timestamp_stands_before_the_message() {
        let bytes = hex("1b 000000000000030f 89 42");
        let timestamped = Timestamped {
            time: 0x30f,
            message: &[0x89, 0x42],
        };
        assert_eq!(Timestamped::parse(&bytes), Ok(Some(timestamped)));
        let mut out = Vec::new();
        timestamped.encode(&mut out);
        assert_eq!(out, bytes);
    }

    #[test]
    fn other_messages_have_none_and_a_cut_one_is_malformed() {
        assert_eq!(Timestamped::parse(&[0x89, 0x42]), Ok(None));
        assert_eq!(Timestamped::parse(&[]), Ok(None));
        let bytes = hex("1b 000000000000030f 89");
        for end in 1..bytes.len() {
            assert!(Timestamped::parse(&bytes[..end]).is_err());
        }
    }

    #[test]
    fn a_time_is_carried_over_to_our_clock() {
        // The peer's clock is 1,000 ahead, and a ping takes 20 there and back.
        let ahead = clock_ahead(500, 1_510, 520);
        assert_eq!(ahead, 1_000);
        assert_eq!(our_time(1_700, ahead), 700);
        // And 400 behind.
        let behind = clock_ahead(500, 110, 520);
        assert_eq!(our_time(200, behind), 600);
    }
}
