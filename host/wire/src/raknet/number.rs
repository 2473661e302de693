//! 24-bit numbers of the wire, and the long ones that are counted with inside.
//!
//! A connection that lives for days passes 16,777,216 of everything. Inside, numbers never wrap: they begin at
//! [`FIRST`], and a number of the wire stands for the nearest long one that ends in it.

/// The long number whose wire form is 0. Above zero, so that what lies before it has a number too.
pub(super) const FIRST: u64 = 1 << 24;

const MASK: u64 = FIRST - 1;

/// The wire form.
pub(super) fn raw(number: u64) -> u32 {
    (number & MASK) as u32
}

/// The number nearest to `near` (which is at least [`FIRST`]) whose wire form is `raw`.
pub(super) fn extend(raw: u32, near: u64) -> u64 {
    let ahead = u64::from(raw).wrapping_sub(near) & MASK;
    if ahead < FIRST / 2 {
        near + ahead
    } else {
        near + ahead - FIRST
    }
}

pub(super) fn write(raw: u32, out: &mut Vec<u8>) {
    let [a, b, c, _] = raw.to_le_bytes();
    out.extend([a, b, c]);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_number_is_meant() {
        for near in [FIRST, FIRST + 5, 2 * FIRST - 1, 2 * FIRST, 9 * FIRST + 77] {
            for step in [0, 1, 2, 1000, FIRST / 2 - 1] {
                assert_eq!(extend(raw(near + step), near), near + step);
                assert_eq!(extend(raw(near - step), near), near - step);
            }
        }
    }

    #[test]
    fn what_lies_before_the_first_one_has_a_number() {
        assert_eq!(extend(0xff_ffff, FIRST), FIRST - 1);
        assert_eq!(raw(FIRST), 0);
    }
}
