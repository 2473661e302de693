//! Base64 as RFC 4648 has it, with padding.

const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// These bytes as text.
pub(crate) fn base64(bytes: &[u8]) -> String {
    let mut text = String::new();
    for part in bytes.chunks(3) {
        let mut three = [0; 3];
        three[..part.len()].copy_from_slice(part);
        let all = three
            .iter()
            .fold(0_usize, |all, byte| (all << 8) | usize::from(*byte));
        for (place, shift) in [18, 12, 6, 0].into_iter().enumerate() {
            text.push(match place <= part.len() {
                true => char::from(LETTERS[(all >> shift) & 63]),
                false => '=',
            });
        }
    }
    text
}
