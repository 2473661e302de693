//! 24-bit numbers of the wire.

/// Appends the low 24 bits, little-endian.
pub(super) fn write(raw: u32, out: &mut Vec<u8>) {
    let [a, b, c, _] = raw.to_le_bytes();
    out.extend([a, b, c]);
}
