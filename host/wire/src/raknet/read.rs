//! Takes fields off the front of bytes.

use super::guid::Guid;
use super::limits::MAGIC;
use super::malformed::Malformed;

/// What is left of the bytes. All integers are big-endian but [`u24`](Self::u24).
#[derive(Debug, Clone)]
pub(super) struct Reader<'a>(&'a [u8]);

impl<'a> Reader<'a> {
    pub(super) fn new(bytes: &'a [u8]) -> Self {
        Self(bytes)
    }

    pub(super) fn left(&self) -> usize {
        self.0.len()
    }

    pub(super) fn array<const N: usize>(
        &mut self,
        field: &'static str,
    ) -> Result<[u8; N], Malformed> {
        let (head, tail) = self
            .0
            .split_first_chunk::<N>()
            .ok_or(Malformed::PastEnd(field))?;
        self.0 = tail;
        Ok(*head)
    }

    pub(super) fn take(
        &mut self,
        length: usize,
        field: &'static str,
    ) -> Result<&'a [u8], Malformed> {
        let (head, tail) = self
            .0
            .split_at_checked(length)
            .ok_or(Malformed::PastEnd(field))?;
        self.0 = tail;
        Ok(head)
    }

    pub(super) fn u8(&mut self, field: &'static str) -> Result<u8, Malformed> {
        self.array::<1>(field).map(|[byte]| byte)
    }

    pub(super) fn u16(&mut self, field: &'static str) -> Result<u16, Malformed> {
        self.array(field).map(u16::from_be_bytes)
    }

    /// Little-endian, the only ones that are.
    pub(super) fn u24(&mut self, field: &'static str) -> Result<u32, Malformed> {
        self.array(field)
            .map(|[a, b, c]| u32::from_le_bytes([a, b, c, 0]))
    }

    pub(super) fn u32(&mut self, field: &'static str) -> Result<u32, Malformed> {
        self.array(field).map(u32::from_be_bytes)
    }

    pub(super) fn u64(&mut self, field: &'static str) -> Result<u64, Malformed> {
        self.array(field).map(u64::from_be_bytes)
    }

    pub(super) fn guid(&mut self) -> Result<Guid, Malformed> {
        self.u64("guid").map(Guid)
    }

    pub(super) fn magic(&mut self) -> Result<(), Malformed> {
        if self.array("magic")? == MAGIC {
            Ok(())
        } else {
            Err(Malformed::Magic)
        }
    }

    /// Everything that is left.
    pub(super) fn rest(&mut self) -> &'a [u8] {
        std::mem::take(&mut self.0)
    }

    /// Nothing may be left.
    pub(super) fn end(self) -> Result<(), Malformed> {
        if self.0.is_empty() {
            Ok(())
        } else {
            Err(Malformed::BytesLeft(self.0.len()))
        }
    }
}
