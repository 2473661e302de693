//! Frames on the TCP stream.

use std::fmt;

use super::limits::MAX_FRAME;
use super::malformed::Malformed;

/// Length of the prefix that counts a frame's body, in bytes.
pub(super) const PREFIX: usize = 2;

/// Cuts a TCP stream into frames, however the stream was cut on its way.
///
/// Push what was read, then take frames until there is none, then read again. Used so, it holds at most one
/// incomplete frame (under 514 bytes) and the last push. A length above [`MAX_FRAME`] or of zero is refused
/// as soon as the prefix is there, not when the body is.
///
/// A stream cannot be trusted after a bad frame (section 3.3): from then on every call gives the same error
/// and what is pushed is thrown away.
#[derive(Clone, Default)]
pub struct Framer {
    held: Vec<u8>,
    /// How much of `held` was given out as frames.
    taken: usize,
    broken: Option<Malformed>,
}

impl Framer {
    /// A framer at the start of a stream.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds what was read from the stream.
    pub fn push(&mut self, read: &[u8]) {
        if self.broken.is_some() {
            return;
        }
        self.held.drain(..self.taken);
        self.taken = 0;
        self.held.extend_from_slice(read);
    }

    /// The body of the next whole frame, 1 to [`MAX_FRAME`] bytes; `None` when more must be read.
    ///
    /// # Errors
    ///
    /// [`Malformed::EmptyFrame`] or [`Malformed::FrameTooLong`], for good.
    pub fn next_frame(&mut self) -> Result<Option<&[u8]>, Malformed> {
        if let Some(cause) = self.broken {
            return Err(cause);
        }
        let Some((prefix, rest)) = self.held[self.taken..].split_first_chunk::<PREFIX>() else {
            return Ok(None);
        };
        let length = usize::from(u16::from_le_bytes(*prefix));
        if length == 0 {
            return Err(self.give_up(Malformed::EmptyFrame));
        }
        if length > MAX_FRAME {
            return Err(self.give_up(Malformed::FrameTooLong(length)));
        }
        if rest.len() < length {
            return Ok(None);
        }
        let start = self.taken + PREFIX;
        self.taken = start + length;
        Ok(Some(&self.held[start..self.taken]))
    }

    fn give_up(&mut self, cause: Malformed) -> Malformed {
        self.held = Vec::new();
        self.taken = 0;
        self.broken = Some(cause);
        cause
    }
}

/// Counts only: on the client's side the bytes hold the session token.
impl fmt::Debug for Framer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Framer")
            .field("waiting", &(self.held.len() - self.taken))
            .field("broken", &self.broken)
            .finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn frames(framer: &mut Framer) -> Result<Vec<Vec<u8>>, Malformed> {
        let mut all = Vec::new();
        while let Some(frame) = framer.next_frame()? {
            all.push(frame.to_vec());
        }
        Ok(all)
    }

    #[test]
    fn frames_come_out_however_the_stream_is_cut() {
        let stream = [
            0x02, 0x00, 0x04, 0x00, 0x01, 0x00, 0xAA, 0x03, 0x00, 0x01, 0x02, 0x03,
        ];
        let expected = vec![vec![0x04, 0x00], vec![0xAA], vec![0x01, 0x02, 0x03]];
        for chunk in 1..=stream.len() {
            let mut framer = Framer::new();
            let mut all = Vec::new();
            for read in stream.chunks(chunk) {
                framer.push(read);
                all.extend(frames(&mut framer).expect("well formed"));
            }
            assert_eq!(all, expected, "in chunks of {chunk}");
        }
    }

    #[test]
    fn the_cap_is_512_bytes_without_the_prefix() {
        let mut framer = Framer::new();
        framer.push(&512u16.to_le_bytes());
        framer.push(&[7; 512]);
        assert_eq!(frames(&mut framer), Ok(vec![vec![7; 512]]));

        framer.push(&513u16.to_le_bytes());
        assert_eq!(
            framer.next_frame(),
            Err(Malformed::FrameTooLong(513)),
            "before any of its body came"
        );
    }

    #[test]
    fn a_bad_frame_breaks_the_stream_for_good() {
        let mut framer = Framer::new();
        framer.push(&[0x01, 0x00, 0xAA, 0x00, 0x00, 0x01, 0x00, 0xBB]);
        assert_eq!(framer.next_frame(), Ok(Some(&[0xAA][..])));
        assert_eq!(framer.next_frame(), Err(Malformed::EmptyFrame));
        framer.push(&[0x01, 0x00, 0xBB]);
        assert_eq!(framer.next_frame(), Err(Malformed::EmptyFrame));
        assert!(
            framer.held.is_empty(),
            "nothing more is kept of a broken stream"
        );
    }

    #[test]
    fn what_was_taken_is_not_kept() {
        let mut framer = Framer::new();
        let mut frame = 512u16.to_le_bytes().to_vec();
        frame.extend([0; 512]);
        for _ in 0..1000 {
            framer.push(&frame);
            while framer.next_frame().expect("well formed").is_some() {}
        }
        framer.push(&[]);
        assert!(framer.held.is_empty());
        assert!(framer.held.capacity() <= 4 * frame.len());
    }

    #[test]
    fn debug_shows_no_bytes() {
        let mut framer = Framer::new();
        framer.push(&[0x08, 0x00, 0x02, 0xEF, 0xBE]);
        assert_eq!(format!("{framer:?}"), "Framer { waiting: 5, broken: None }");
    }
}
