//! Puts messages together that came in parts.
//!
//! Nothing is reserved by what a part claims: each part is kept as it comes, in a map. The first part of a
//! message decides how many there are; one that contradicts it is dropped and reported, and the message goes
//! on without it. So a peer that lies about counts harms one message of its own.

use std::collections::BTreeMap;

use super::super::frame::{Frame, Part};
use super::super::malformed::Malformed;
use super::budget::{Charge, Share};
use super::whole::Whole;

/// Messages that may be under way at once.
const MAX_MESSAGES: usize = 64;

/// What a part takes beside its bytes, and a message beside its parts.
const PART_COST: usize = 64;
const MESSAGE_COST: usize = 512;

/// What became of a part.
#[derive(Debug)]
pub(super) enum Added {
    /// It is kept.
    Kept,
    /// It was there already.
    Known,
    /// There is no room for it now.
    Later,
    /// It was the last one that was missing.
    Whole {
        /// The message.
        whole: Whole,
        /// What it has kept.
        paid: usize,
        /// What it had claimed.
        claim: usize,
    },
}

/// What a part has to keep to.
#[derive(Debug, Clone, Copy)]
pub(super) struct Room {
    /// Parts that a message may have.
    pub(super) max_parts: u32,
    /// Bytes that a part may have.
    pub(super) max_part: usize,
    /// Bytes that new messages may claim.
    pub(super) left: usize,
    /// The same, of what all may claim.
    pub(super) share: Share,
    /// Whether the message may begin although there is no room, because it is the lowest that is missing.
    ///
    /// Its other parts are the next ones then, and the peer cannot go on without them. Whatever else was begun
    /// may have to wait for this one; this one waits for nothing.
    pub(super) is_lowest: bool,
    /// The time, in nanoseconds.
    pub(super) now: u64,
}

/// The messages of one connection that are not whole.
#[derive(Debug, Default)]
pub(super) struct Assemblies(Vec<Assembly>);

#[derive(Debug)]
struct Assembly {
    id: u16,
    count: u32,
    /// What all parts have in common, for comparison; its bytes are empty.
    like: Frame<'static>,
    parts: BTreeMap<u32, Box<[u8]>>,
    /// Bits of the last part, 0 until it came.
    last_bits: u16,
    paid: usize,
    claim: usize,
    beyond: bool,
    /// When its first part came.
    begun: u64,
}

impl Assemblies {
    /// Adds a part.
    pub(super) fn add(
        &mut self,
        frame: &Frame<'_>,
        part: Part,
        room: Room,
        charge: &mut Charge,
    ) -> Result<Added, Malformed> {
        let length = frame.bytes.len();
        check(frame, part, room)?;
        let cost = length + PART_COST;
        let known = self.0.iter().position(|known| known.id == part.id);
        let at = match known {
            Some(at) => {
                let known = &self.0[at];
                known.agrees(frame, part)?;
                if known.parts.contains_key(&part.index) {
                    return Ok(Added::Known);
                }
                at
            }
            None => {
                let claim = MESSAGE_COST + part.count as usize * (room.max_part + PART_COST);
                if claim > charge.most(room.share) && room.share != Share::NONE {
                    // It would wait for ever, and all that comes after it in its channel.
                    return Err(Malformed::TooManyParts {
                        count: part.count,
                        limit: room.max_parts,
                    });
                }
                let fits = claim <= room.left && self.0.len() < MAX_MESSAGES;
                let within = fits && charge.claim(claim, room.share);
                if !within {
                    let may = room.is_lowest && !self.0.iter().any(|known| known.beyond);
                    if !may || !charge.claim_first(claim, room.share) {
                        return Ok(Added::Later);
                    }
                }
                charge.keep(MESSAGE_COST);
                if self.0.is_empty() {
                    // Most peers send one at a time.
                    self.0.reserve_exact(1);
                }
                self.0
                    .push(Assembly::new(frame, part, claim, !within, room.now));
                self.0.len() - 1
            }
        };
        let assembly = &mut self.0[at];
        charge.keep(cost);
        assembly.paid += cost;
        if part.index == part.count - 1 {
            assembly.last_bits = frame.bits;
        }
        assembly.parts.insert(part.index, frame.bytes.into());
        if assembly.parts.len() < assembly.count as usize {
            return Ok(Added::Kept);
        }
        let assembly = self.0.swap_remove(at);
        if self.0.is_empty() {
            self.0 = Vec::new();
        }
        Ok(assembly.finish())
    }

    /// When the oldest was begun.
    pub(super) fn oldest(&self) -> Option<u64> {
        self.0.iter().map(|known| known.begun).min()
    }

    /// Heap bytes of the table; those of parts are in the charge.
    pub(super) fn memory(&self) -> usize {
        self.0.capacity() * size_of::<Assembly>()
    }
}

impl Assembly {
    fn new(frame: &Frame<'_>, part: Part, claim: usize, beyond: bool, begun: u64) -> Self {
        Self {
            id: part.id,
            count: part.count,
            like: Frame {
                reliability: frame.reliability,
                bits: 0,
                message: 0,
                sequence: frame.sequence,
                order: frame.order,
                channel: frame.channel,
                part: None,
                bytes: &[],
            },
            parts: BTreeMap::new(),
            last_bits: 0,
            paid: MESSAGE_COST,
            claim,
            beyond,
            begun,
        }
    }

    fn agrees(&self, frame: &Frame<'_>, part: Part) -> Result<(), Malformed> {
        let same = [
            ("count", self.count == part.count),
            ("reliability", self.like.reliability == frame.reliability),
            ("channel", self.like.channel == frame.channel),
            ("ordering index", self.like.order == frame.order),
            ("sequencing index", self.like.sequence == frame.sequence),
        ];
        match same.into_iter().find(|(_, same)| !same) {
            Some((field, _)) => Err(Malformed::PartsDiffer(field)),
            None => Ok(()),
        }
    }

    fn finish(self) -> Added {
        let length: usize = self.parts.values().map(|part| part.len()).sum();
        let mut bytes = Vec::with_capacity(length);
        for part in self.parts.values() {
            bytes.extend_from_slice(part);
        }
        // All parts but the last are of whole bytes.
        let unused = usize::from(self.last_bits).next_multiple_of(8) - usize::from(self.last_bits);
        let bits = (length * 8 - unused) as u32;
        Added::Whole {
            whole: Whole::assembled(&self.like, bytes, bits),
            paid: self.paid,
            claim: self.claim,
        }
    }
}

/// What can be said about a part by itself. Its index is below its count already.
fn check(frame: &Frame<'_>, part: Part, room: Room) -> Result<(), Malformed> {
    if !frame.reliability.is_reliable() {
        return Err(Malformed::UnreliablePart);
    }
    if part.count > room.max_parts {
        return Err(Malformed::TooManyParts {
            count: part.count,
            limit: room.max_parts,
        });
    }
    if part.index < part.count - 1 && !frame.bits.is_multiple_of(8) {
        return Err(Malformed::PartialByte);
    }
    if frame.bytes.len() > room.max_part {
        return Err(Malformed::TooLong {
            field: "part",
            length: frame.bytes.len(),
        });
    }
    Ok(())
}
